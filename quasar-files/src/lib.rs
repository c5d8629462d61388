//! File access of the compiler, its tools and programs: which files and folders are trusted, bounded reads of ordinary
//! files, and atomic replacement.

pub mod memory;
pub mod processor;
pub mod read;
pub mod replace;
pub mod trust;
