//! Exponentials and hyperbolic functions.

use super::{fma, nearest, polynomial, power_of_two, scale};
use crate::isa::Isa;

/// `(e^r - 1 - r) / r^2` for `|r| <= ln(2) / 2`, error 2^-65.
const EXP: [f64; 12] = [
    0.5,
    0.16666666666666666,
    0.04166666666666668,
    0.008333333333333333,
    0.0013888888888878269,
    0.00019841269841262761,
    2.4801587338565345e-05,
    2.7557319248633827e-06,
    2.755726102934377e-07,
    2.5052069594795685e-08,
    2.0918961837795778e-09,
    1.6087177234380782e-10,
];

/// `(2^r - 1) / r` for `|r| <= 1/2`, error 2^-68.
const EXP2: [f64; 13] = [
    0.6931471805599453,
    0.24022650695910072,
    0.05550410866482158,
    0.009618129107628484,
    0.0013333558146428445,
    0.00015403530393361193,
    1.5252733804050407e-05,
    1.3215486817591438e-06,
    1.0178086021920714e-07,
    7.054893686082329e-09,
    4.445529985589969e-10,
    2.5734677600091536e-11,
    1.3717474872278764e-12,
];

/// ln 2 in two parts; products of the first with 11-bit integers are exact.
pub(super) const LN2: (f64, f64) = (0.6931471803691238, 1.9082149292705877e-10);

/// `e^r - 1` and `n` with `x = n ln 2 + r`, for `|x| < 1500`.
#[inline(always)]
fn reduced<I: Isa>(x: f64) -> (f64, u64) {
    let (n, bits) = nearest(x * std::f64::consts::LOG2_E);
    let r = fma::<I>(-n, LN2.1, fma::<I>(-n, LN2.0, x));
    (fma::<I>(r * r, polynomial::<I, 12>(r, &EXP), r), bits)
}

/// `e^x`.
#[inline(always)]
pub(in crate::ops) fn exp<I: Isa>(x: f64) -> f64 {
    let low = if x < -746.0 { -746.0 } else { x };
    let (e, n) = reduced::<I>(if low > 710.0 { 710.0 } else { low });
    scale(1.0 + e, n)
}

/// `2^x`.
#[inline(always)]
pub(in crate::ops) fn exp2<I: Isa>(x: f64) -> f64 {
    let low = if x < -1080.0 { -1080.0 } else { x };
    let inside = if low > 1025.0 { 1025.0 } else { low };
    let (n, bits) = nearest(inside);
    scale(exp2_fraction::<I>(inside - n), bits)
}

/// `2^r` for `|r| <= 1/2`.
#[inline(always)]
pub(super) fn exp2_fraction<I: Isa>(r: f64) -> f64 {
    fma::<I>(r, polynomial::<I, 13>(r, &EXP2), 1.0)
}

/// `(e^x - 1) / 4` for `-40 <= x <= 710.6`; a quarter, so that it does not overflow before `sinh` does.
#[inline(always)]
fn expm1_quarter<I: Isa>(x: f64) -> f64 {
    let (e, n) = reduced::<I>(x);
    let power = power_of_two(n.wrapping_sub(2));
    fma::<I>(power, e, power - 0.25)
}

#[inline(always)]
fn limited(x: f64, limit: f64) -> f64 {
    if x.abs() > limit { limit } else { x.abs() }
}

/// The hyperbolic sine.
#[inline(always)]
pub(in crate::ops) fn sinh<I: Isa>(x: f64) -> f64 {
    let quarter = expm1_quarter::<I>(limited(x, 710.6));
    (2.0 * quarter + quarter / (2.0 * quarter + 0.5)).copysign(x)
}

/// The hyperbolic cosine.
#[inline(always)]
pub(in crate::ops) fn cosh<I: Isa>(x: f64) -> f64 {
    let half = 2.0 * expm1_quarter::<I>(limited(x, 710.6)) + 0.5;
    half + 0.25 / half
}

/// The hyperbolic tangent.
#[inline(always)]
pub(in crate::ops) fn tanh<I: Isa>(x: f64) -> f64 {
    let quarter = expm1_quarter::<I>(limited(2.0 * x, 44.0));
    (quarter / (quarter + 0.5)).copysign(x)
}
