//! Printers of programs.

pub mod rust;
