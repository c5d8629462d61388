//! Functions of double precision.

use crate::isa::Isa;

/// Floored remainder.
#[inline(always)]
pub(super) fn modulo<I: Isa>(x: f64, n: f64) -> f64 {
    let rest = x % n;
    let shifted = if rest != 0.0 && (rest < 0.0) != (n < 0.0) { rest + n } else { rest };
    if n == 0.0 { x } else { shifted }
}

/// Truncated remainder.
#[inline(always)]
pub(super) fn remainder<I: Isa>(x: f64, n: f64) -> f64 {
    x % n
}

/// The length of the hypotenuse.
#[inline(always)]
pub(super) fn hypot<I: Isa>(x: f64, y: f64) -> f64 {
    x.hypot(y)
}
