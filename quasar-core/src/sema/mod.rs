//! Meaning: which definition each name refers to and which type each expression has.

pub mod model;
