//! Names in the printed code.

use crate::ir::{GlobalId, VarId};
use proc_macro2::{Ident, Literal};
use quote::format_ident;

/// A local variable.
pub(super) fn local(variable: VarId) -> Ident {
    format_ident!("v{}", variable.index())
}

/// A host function.
pub(super) fn function(name: &str) -> Ident {
    format_ident!("f_{}", name)
}

/// A device function as kernels call it.
pub(super) fn device(name: &str) -> Ident {
    format_ident!("d_{}", name)
}

/// A kernel.
pub(super) fn kernel(name: &str) -> Ident {
    format_ident!("K_{}", name)
}

/// A module-level variable.
pub(super) fn global(global: GlobalId) -> Ident {
    format_ident!("G{}", global.index())
}

/// A component of the position.
pub(super) fn position(axis: usize) -> Ident {
    format_ident!("p{}", axis)
}

/// A component of the position in the block.
pub(super) fn block_position(axis: usize) -> Ident {
    format_ident!("q{}", axis)
}

/// A field number.
pub(super) fn number(n: usize) -> Literal {
    Literal::usize_unsuffixed(n)
}
