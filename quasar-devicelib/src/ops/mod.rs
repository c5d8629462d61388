//! Scalar functions: one row each.

use crate::element::Scalar;

/// One scalar function.
#[derive(Debug)]
pub struct Row {
    /// The name in Quasar.
    pub name: &'static str,
    /// Evaluates it.
    pub eval: fn(&[Scalar]) -> Scalar,
}
