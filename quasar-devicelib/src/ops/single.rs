//! Functions of single precision.

use crate::isa::Isa;

/// Floored remainder.
#[inline(always)]
pub(super) fn modulo<I: Isa>(x: f32, n: f32) -> f32 {
    let rest = x % n;
    let shifted = if rest != 0.0 && (rest < 0.0) != (n < 0.0) { rest + n } else { rest };
    if n == 0.0 { x } else { shifted }
}

/// Truncated remainder.
#[inline(always)]
pub(super) fn remainder<I: Isa>(x: f32, n: f32) -> f32 {
    x % n
}

/// The length of the hypotenuse.
#[inline(always)]
pub(super) fn hypot<I: Isa>(x: f32, y: f32) -> f32 {
    x.hypot(y)
}
