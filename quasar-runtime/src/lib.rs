//! The Quasar run-time system: arrays shared between Quasar and Rust, the memory behind them, devices, settings and
//! the libraries that programs call.
//!
//! Programs use it through the crate `quasar`; generated code through `abi`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::todo)
)]

#[doc(hidden)]
pub mod abi;
pub mod array;
#[allow(unsafe_code, reason = "asks the system for calls at the end")]
mod at_exit;
pub mod calls;
pub mod cluster;
pub mod context;
pub mod device;
pub mod error;
pub mod kernel;
pub mod library;
pub mod memory;
#[allow(unsafe_code, reason = "lends closures to threads")]
mod pool;
#[allow(unsafe_code, reason = "asks the system to tell of forks")]
mod process;
pub mod profile;
pub mod settings;
pub mod store;
mod sync;
mod threads;
pub mod value;

pub use array::{Array, ReadGuard, WriteGuard};
pub use calls::{Call, Cancel, Progress, Running, spawn};
pub use error::{Error, Place, Result};
pub use quasar_devicelib::element::{Element, ElementType, Scalar};
pub use quasar_devicelib::value::Value;
