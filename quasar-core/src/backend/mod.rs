//! Printers of programs.

pub mod clike;
pub mod rust;
