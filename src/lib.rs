//! Quasar for Rust: array programs inside Rust crates.
