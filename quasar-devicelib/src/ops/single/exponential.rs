//! Exponentials, logarithms and the hyperbolic tangent.

use super::{fma, nearest, polynomial, scale};
use crate::isa::Isa;

/// `(e^r - 1 - r) / r^2` for `|r| <= ln(2) / 2`; with the factor `r^2` the error is 2^-26.
const EXP: [f32; 5] = [0.5, 0.166665733, 0.0416665487, 0.00836377405, 0.00139269268];

/// `(2^r - 1) / r` for `|r| <= 1/2`, error 2^-26.
const EXP2: [f32; 6] = [0.693147182, 0.240226507, 0.0555035509, 0.00961808022, 0.0013392017, 0.000154541616];

/// `(log(1 + f) - f + f^2 / 2) / f^3` for `1 + f` between the square roots of 1/2 and 2, error 2^-25.
pub(super) const LOG: [f32; 9] = [
    0.333333313,
    -0.24999997,
    0.200007156,
    -0.166678026,
    0.142490581,
    -0.124256872,
    0.116854198,
    -0.114797339,
    0.0697161183,
];

/// `(tanh(x) / x - 1) / x^2` in `x^2` for `|x| <= 0.625`, error 2^-24.
const TANH: [f32; 5] = [-0.333333284, 0.133327693, -0.0538509078, 0.0209971797, -0.00609671418];

/// `e^x`.
#[inline(always)]
pub(in crate::ops) fn exp<I: Isa>(x: f32) -> f32 {
    let low = if x < -104.0 { -104.0 } else { x };
    let inside = if low > 89.0 { 89.0 } else { low };
    let (n, bits) = nearest(inside * std::f32::consts::LOG2_E);
    let r = fma::<I>(-n, -2.12194440e-4, fma::<I>(-n, 0.693359375, inside));
    let e = fma::<I>(r * r, polynomial::<I, 5>(r, &EXP), r);
    scale(1.0 + e, bits)
}

/// `2^r` for `|r| <= 1/2`.
#[inline(always)]
pub(super) fn exp2_fraction<I: Isa>(r: f32) -> f32 {
    fma::<I>(r, polynomial::<I, 6>(r, &EXP2), 1.0)
}

/// `2^x`.
#[inline(always)]
pub(in crate::ops) fn exp2<I: Isa>(x: f32) -> f32 {
    let low = if x < -151.0 { -151.0 } else { x };
    let inside = if low > 129.0 { 129.0 } else { low };
    let (n, bits) = nearest(inside);
    scale(exp2_fraction::<I>(inside - n), bits)
}

/// The bits of the square root of one half: mantissas are normalised to the interval from there to its double.
pub(super) const SQRT_HALF: u32 = 0x3f35_04f3;

/// `x = 2^k m` with `m` between the square roots of 1/2 and 2, for positive finite `x`.
#[inline(always)]
pub(super) fn split(x: f32) -> (f32, f32) {
    let tiny = x < f32::MIN_POSITIVE;
    let bits = (if tiny { x * 8388608.0 } else { x }).to_bits();
    let shifted = bits.wrapping_sub(SQRT_HALF);
    let m = f32::from_bits((shifted & 0x007f_ffff).wrapping_add(SQRT_HALF));
    (((shifted as i32) >> 23) as f32 - if tiny { 23.0 } else { 0.0 }, m)
}

/// Selects the results for zeros, negative numbers, infinity and NaN; `result` was computed for positive finite
/// numbers.
#[inline(always)]
fn with_limits(x: f32, result: f32) -> f32 {
    let positive = if x < f32::INFINITY { result } else { x };
    let others = if x == 0.0 { f32::NEG_INFINITY } else { f32::NAN };
    if x > 0.0 { positive } else { others }
}

/// The natural logarithm.
#[inline(always)]
pub(in crate::ops) fn log<I: Isa>(x: f32) -> f32 {
    let (k, m) = split(x);
    let f = m - 1.0;
    let z = f * f;
    let cubic = f * z * polynomial::<I, 9>(f, &LOG);
    let low = fma::<I>(-0.5, z, fma::<I>(k, -2.12194440e-4, cubic));
    with_limits(x, fma::<I>(k, 0.693359375, f + low))
}

/// A logarithm to another base: `k * unit + log(m) * factor` with unit and factor in two parts.
#[inline(always)]
fn log_base<I: Isa>(x: f32, unit: (f32, f32), factor: (f32, f32)) -> f32 {
    let (k, m) = split(x);
    let f = m - 1.0;
    let z = f * f;
    let half_square = 0.5 * z;
    // Twelve bits, so that the product with the upper part of the factor is exact.
    let high = f32::from_bits((f - half_square).to_bits() & 0xffff_f000);
    let low = ((f - high) - half_square) + f * z * polynomial::<I, 9>(f, &LOG);
    let low_product = fma::<I>(k, unit.1, fma::<I>(low + high, factor.1, low * factor.0));
    let (a, b) = (k * unit.0, high * factor.0);
    let sum = a + b;
    with_limits(x, sum + (((a - sum) + b) + low_product))
}

/// The logarithm to base 2.
#[inline(always)]
pub(in crate::ops) fn log2<I: Isa>(x: f32) -> f32 {
    log_base::<I>(x, (1.0, 0.0), (1.44287109375, -1.7605285393e-4))
}

/// The logarithm to base 10.
#[inline(always)]
pub(in crate::ops) fn log10<I: Isa>(x: f32) -> f32 {
    log_base::<I>(x, (0.301029205, 7.9034151668e-7), (0.434326172, -3.1689971365e-5))
}

/// The hyperbolic tangent.
#[inline(always)]
pub(in crate::ops) fn tanh<I: Isa>(x: f32) -> f32 {
    let a = x.abs();
    let z = x * x;
    let near = fma::<I>(a * z, polynomial::<I, 5>(z, &TANH), a);
    let far = 1.0 - 2.0 / (exp::<I>(a + a) + 1.0);
    (if a < 0.625 { near } else { far }).copysign(x)
}
