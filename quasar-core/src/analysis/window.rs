//! Stencils: statements that combine the elements around a position, whose work neighbouring positions can share.

mod extreme;
mod taps;

pub use extreme::Extreme;
pub use taps::{Node, Taps};

use super::row::Uniform;
use crate::ir::{Kernel, Stmt};

/// A stencil.
pub enum Window<'s> {
    /// A sliding minimum or maximum.
    Extreme(Extreme<'s>),
    /// A weighted sum.
    Taps(Taps<'s>),
}

impl Window<'_> {
    /// The number of statements that it consists of.
    pub fn count(&self) -> usize {
        match self {
            Window::Extreme(extreme) => extreme.count,
            Window::Taps(taps) => taps.count,
        }
    }
}

/// The stencil at the start of a kernel's statements.
pub fn find<'s>(stmts: &'s [Stmt], kernel: &'s Kernel, uniform: &Uniform<'_>) -> Option<Window<'s>> {
    if let Some(taps) = taps::find(stmts, kernel, uniform) {
        return Some(Window::Taps(taps));
    }
    extreme::find(stmts, kernel, uniform).map(Window::Extreme)
}

/// The sliding minimum or maximum at the start of the statements.
pub fn extreme<'s>(stmts: &'s [Stmt], kernel: &Kernel, uniform: &Uniform<'_>) -> Option<Extreme<'s>> {
    extreme::find(stmts, kernel, uniform)
}
