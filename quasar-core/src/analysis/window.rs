//! Windows: statements that combine the elements around a position, whose work the positions of a row, or of several rows,
//! can share.

mod extreme;
mod taps;

pub use extreme::Extreme;
pub use taps::{Node, Taps};

use super::row::Uniform;
use crate::ir::{Kernel, Stmt};

/// What statements do with a window.
pub enum Window<'s> {
    /// They take its extreme.
    Extreme(Extreme<'s>),
    /// They sum its elements with weights.
    Taps(Taps<'s>),
}

impl Window<'_> {
    /// How many statements it is made of.
    pub fn count(&self) -> usize {
        match self {
            Window::Extreme(extreme) => extreme.count,
            Window::Taps(taps) => taps.count,
        }
    }
}

/// The window that statements of a kernel begin with.
pub fn find<'s>(stmts: &'s [Stmt], kernel: &'s Kernel, uniform: &Uniform<'_>) -> Option<Window<'s>> {
    if let Some(taps) = taps::find(stmts, kernel, uniform) {
        return Some(Window::Taps(taps));
    }
    extreme::find(stmts, kernel, uniform).map(Window::Extreme)
}

/// The window that statements begin with, if they take its extreme.
pub fn extreme<'s>(stmts: &'s [Stmt], kernel: &Kernel, uniform: &Uniform<'_>) -> Option<Extreme<'s>> {
    extreme::find(stmts, kernel, uniform)
}
