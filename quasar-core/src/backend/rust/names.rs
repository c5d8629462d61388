//! Names in the printed code.

use super::code::{Ident, Literal};
use crate::ir::{GlobalId, VarId};
use crate::types::{ClassId, ClassType};
use std::sync::Arc;

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

/// What holds the fields of the classes that inherit from one.
pub(super) fn family(class: &Arc<ClassType>) -> Ident {
    Ident::new(format!("O{}", class.root().id.0))
}

/// What is known of a class at run time.
pub(super) fn class(class: ClassId) -> Ident {
    Ident::new(format!("C{}", class.0))
}

/// A field of a family: the class that declares it, and its number there.
pub(super) fn field(class: ClassId, k: usize) -> Ident {
    Ident::new(format!("f{}_{k}", class.0))
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
