//! The Quasar compiler: pure functions from source text to typed programs, kernels and Rust code.
//!
//! The phases in order: [`syntax`] lexes and parses, [`sema`] resolves names and infers types, [`lower`] desugars to
//! the [`ir`], [`transform`] extracts and optimises kernels, [`backend`] prints Rust and C, and [`interp`] executes the
//! IR as the reference semantics. [`driver`] runs them, and [`query`] answers the questions of editors and tools. [`query`] answers the questions of tools.

#![deny(unsafe_code)]
#![allow(missing_docs, reason = "variant fields are explained by their variant; the crate is internal")]

pub mod analysis;
pub mod backend;
pub mod builtins;
pub mod driver;
pub mod ids;
#[cfg(feature = "interp")]
pub mod interp;
pub mod ir;
pub mod logic;
pub mod lower;
pub mod message;
mod parallel;
pub mod query;
pub mod sema;
pub mod settings;
pub mod source;
pub mod syntax;
pub mod target;
pub mod transform;
pub mod types;
