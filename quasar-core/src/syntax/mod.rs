//! From text to tree: tokens, the grammar, and printing a tree back.

pub mod ast;
