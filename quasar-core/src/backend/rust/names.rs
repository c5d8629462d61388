//! Names in the printed code.

use super::code::{Ident, Literal};
use crate::ir::{GlobalId, VarId};

/// A local variable.
pub(super) fn local(variable: VarId) -> Ident {
    Ident::new(format!("v{}", variable.index()))
}

/// A host function.
pub(super) fn function(name: &str) -> Ident {
    Ident::new(format!("f_{}", name))
}

/// A device function as kernels call it.
pub(super) fn device(name: &str) -> Ident {
    Ident::new(format!("d_{}", name))
}

/// A kernel.
pub(super) fn kernel(name: &str) -> Ident {
    Ident::new(format!("K_{}", name))
}

/// A module-level variable.
pub(super) fn global(global: GlobalId) -> Ident {
    Ident::new(format!("G{}", global.index()))
}

/// A component of the position.
pub(super) fn position(axis: usize) -> Ident {
    Ident::new(format!("p{}", axis))
}

/// A component of the position in the block.
pub(super) fn block_position(axis: usize) -> Ident {
    Ident::new(format!("q{}", axis))
}

/// A field number.
pub(super) fn number(n: usize) -> Literal {
    Literal::plain(n as u64)
}
