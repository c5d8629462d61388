//! The semantics of Quasar programs: scalar operations, boundary modes, array functions and print formats, and the
//! support code of CPU and device kernels. The compiler folds constants with it, the interpreter evaluates with it, and
//! generated CPU code calls it, so that each rule of the language has one implementation.

#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "what element types promise")]
#[macro_use]
pub mod element;
pub mod boundary;
#[allow(unsafe_code, reason = "declares who vouches for texts")]
pub mod device_text;
pub mod isa;
pub mod json;
pub mod kernel;
pub mod ops;
pub mod pages;
pub mod random;
pub mod settings;
pub mod small;
mod spare;
pub mod stack;
pub mod value;
