//! Stencils: statements that combine the elements around a position, whose work neighbouring positions can share.

mod sliding_extremum;
mod stencil;

pub use sliding_extremum::SlidingExtremum;
pub use stencil::{Node, StencilSum};

use super::innermost_invariance::RowInvariance;
use crate::ir::{Kernel, Stmt};

/// A stencil.
pub enum Stencil<'s> {
    /// A sliding minimum or maximum.
    Extreme(SlidingExtremum<'s>),
    /// A weighted sum.
    Taps(StencilSum<'s>),
}

impl Stencil<'_> {
    /// The number of statements that it consists of.
    pub fn count(&self) -> usize {
        match self {
            Stencil::Extreme(extreme) => extreme.count,
            Stencil::Taps(taps) => taps.count,
        }
    }
}

/// The stencil at the start of a kernel's statements.
pub fn find<'s>(stmts: &'s [Stmt], kernel: &'s Kernel, uniform: &RowInvariance<'_>) -> Option<Stencil<'s>> {
    if let Some(taps) = stencil::find(stmts, kernel, uniform) {
        return Some(Stencil::Taps(taps));
    }
    sliding_extremum::find(stmts, kernel, uniform).map(Stencil::Extreme)
}

/// The sliding minimum or maximum at the start of the statements.
pub fn extreme<'s>(
    stmts: &'s [Stmt],
    kernel: &Kernel,
    uniform: &RowInvariance<'_>,
) -> Option<SlidingExtremum<'s>> {
    sliding_extremum::find(stmts, kernel, uniform)
}
