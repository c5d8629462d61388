//! What the compiler, its tools and programs do with files: which ones they trust, how they read them, and how they write
//! them so that nobody sees half of one.

pub mod read;
pub mod replace;
pub mod trust;
