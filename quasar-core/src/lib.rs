//! The Quasar compiler: pure functions from source text to typed programs, kernels and Rust code.
//!
//! The phases in order: [`syntax`] reads text, [`sema`] gives names and types to it, [`lower`] turns it into the
//! [`ir`], [`transform`] finds and shapes kernels, [`backend`] prints Rust, and [`interp`] runs the IR as the
//! reference. [`driver`] puts them together.

#![deny(unsafe_code)]
#![allow(missing_docs, reason = "variant fields are explained by their variant; the crate is internal")]

pub mod analysis;
pub mod backend;
pub mod builtins;
pub mod driver;
pub mod ids;
pub mod interp;
pub mod ir;
pub mod logic;
pub mod lower;
pub mod message;
mod parallel;
pub mod sema;
pub mod settings;
pub mod source;
pub mod syntax;
pub mod transform;
pub mod types;
