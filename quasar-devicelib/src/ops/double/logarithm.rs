//! Logarithms, inverse hyperbolic functions and the general power.

use super::exponential::{LN2, exp2_fraction};
use super::{fix, fma, nearest, polynomial, scale, two_product};
use crate::isa::Isa;

/// `(log((1 + s) / (1 - s)) / s - 2) / s^2` as a polynomial in `s^2`, for `s` of mantissas around 1, error 2^-58.
const LOG: [f64; 8] = [
    0.6666666666666666,
    0.4000000000000094,
    0.2857142857076445,
    0.2222222240054776,
    0.181817947008978,
    0.15386290534658992,
    0.13267418596474884,
    0.1310072138350349,
];

/// The same without its first term 2/3, divided by `s^2`.
const LOG_TAIL: [f64; 8] = [
    0.4,
    0.28571428571429425,
    0.2222222222162076,
    0.18181818343316125,
    0.1538459412012637,
    0.13334850282547114,
    0.11705021567538627,
    0.11735818855512968,
];

/// The bits of the square root of one half: mantissas are normalised to the interval from there to its double.
const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;

/// `x = 2^k m` with `m` between the square roots of 1/2 and 2, for positive finite `x`.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    let tiny = x < f64::MIN_POSITIVE;
    let bits = (if tiny { x * 18014398509481984.0 } else { x }).to_bits();
    let shifted = bits.wrapping_add(0x3ff0_0000_0000_0000 - SQRT_HALF);
    let m = f64::from_bits((shifted & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF));
    // The exponent becomes a float as the low bits of 2^52, which every instruction set supports.
    let biased = f64::from_bits((shifted >> 52) | 0x4330_0000_0000_0000);
    (biased - (4503599627370496.0 + if tiny { 1077.0 } else { 1023.0 }), m)
}

/// Selects the results for zeros, negative numbers, infinity and NaN; `result` was computed for positive finite
/// numbers.
#[inline(always)]
fn with_limits(x: f64, result: f64) -> f64 {
    let positive = if x < f64::INFINITY { result } else { x };
    let others = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    if x > 0.0 { positive } else { others }
}

/// `f - f^2 / 2` and the remaining part of `log(1 + f)`, as in FreeBSD's `k_log.h`.
#[inline(always)]
fn log_parts<I: Isa>(f: f64) -> (f64, f64) {
    let s = f / (2.0 + f);
    let z = s * s;
    let half_square = 0.5 * f * f;
    (half_square, s * fma::<I>(z, polynomial::<I, 8>(z, &LOG), half_square))
}

/// The natural logarithm.
#[inline(always)]
pub(in crate::ops) fn log<I: Isa>(x: f64) -> f64 {
    let (k, m) = split(x);
    let f = m - 1.0;
    let (half_square, rest) = log_parts::<I>(f);
    with_limits(x, fma::<I>(k, LN2.0, f - (half_square - (rest + k * LN2.1))))
}

/// A logarithm to another base: `k * unit + log(m) * factor` with unit and factor in two parts.
#[inline(always)]
fn log_base<I: Isa>(x: f64, unit: (f64, f64), factor: (f64, f64)) -> f64 {
    let (k, m) = split(x);
    let f = m - 1.0;
    let (half_square, rest) = log_parts::<I>(f);
    // The upper half of the bits, so that its product with the upper part of the factor is exact.
    let high = f64::from_bits((f - half_square).to_bits() & 0xffff_ffff_0000_0000);
    let low = ((f - high) - half_square) + rest;
    let low_product = fma::<I>(k, unit.1, (low + high) * factor.1 + low * factor.0);
    let (a, b) = (k * unit.0, high * factor.0);
    let sum = a + b;
    with_limits(x, sum + (((a - sum) + b) + low_product))
}

/// The logarithm to base 2.
#[inline(always)]
pub(in crate::ops) fn log2<I: Isa>(x: f64) -> f64 {
    log_base::<I>(x, (1.0, 0.0), (1.4426950407214463, 1.6751713164886512e-10))
}

/// The logarithm to base 10.
#[inline(always)]
pub(in crate::ops) fn log10<I: Isa>(x: f64) -> f64 {
    log_base::<I>(
        x,
        (0.30102999566361177, 3.694239077158931e-13),
        (0.4342944818781689, 2.5082946711645275e-11),
    )
}

/// `log(1 + x)`, accurate near 0.
#[inline(always)]
pub(in crate::ops) fn log1p<I: Isa>(x: f64) -> f64 {
    let u = 1.0 + x;
    let lost = if x >= 1.0 { 1.0 - (u - x) } else { x - (u - 1.0) };
    let correction = if u > 0.0 && u < f64::INFINITY { lost / u } else { 0.0 };
    let result = log::<I>(u) + correction;
    if x == 0.0 { x } else { result }
}

/// Above this `x^2 + 1` is `x^2` and its square is still finite.
const BIG: f64 = 1.0e100;

/// The inverse hyperbolic sine.
#[inline(always)]
pub(in crate::ops) fn asinh<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let big = a > BIG;
    let sum = a + a * a / (1.0 + fma::<I>(a, a, 1.0).sqrt());
    let result = log1p::<I>(if big { a } else { sum }) + if big { std::f64::consts::LN_2 } else { 0.0 };
    result.copysign(x)
}

/// The inverse hyperbolic cosine.
#[inline(always)]
pub(in crate::ops) fn acosh<I: Isa>(x: f64) -> f64 {
    let big = x > BIG;
    let t = x - 1.0;
    let sum = t + fma::<I>(t, t, 2.0 * t).sqrt();
    let result = log1p::<I>(if big { x } else { sum }) + if big { std::f64::consts::LN_2 } else { 0.0 };
    // Far below 1 the sum rounds to -1 or 0, which have a logarithm.
    if x < 1.0 { f64::NAN } else { result }
}

/// The inverse hyperbolic tangent.
#[inline(always)]
pub(in crate::ops) fn atanh<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    (0.5 * log1p::<I>(2.0 * a / (1.0 - a))).copysign(x)
}

/// The logarithm to base 2 of a positive number in two parts, with about 65 bits.
#[inline(always)]
fn log2_extended<I: Isa>(x: f64) -> (f64, f64) {
    let (k, m) = split(x);
    let f = m - 1.0;
    // s = f / (m + 1) in two parts.
    let t = m + 1.0;
    let t_low = m - (t - 1.0);
    let inverse = 1.0 / t;
    let s = f * inverse;
    let (back, back_low) = two_product::<I>(s, t);
    let s_low = (((f - back) - back_low) - s * t_low) * inverse;
    // z = s^2; log(m) = s * (2 + z * (2/3 + z * tail)).
    let (z, z_error) = two_product::<I>(s, s);
    let z_low = z_error + 2.0 * s * s_low;
    let tail = z * polynomial::<I, 8>(z, &LOG_TAIL);
    let two_thirds = (0.6666666666666666, 3.700743415417188e-17);
    let u = two_thirds.0 + tail;
    let u_low = ((two_thirds.0 - u) + tail) + two_thirds.1;
    let (w, w_error) = two_product::<I>(z, u);
    let w_low = w_error + (z * u_low + z_low * u);
    let v = 2.0 + w;
    let v_low = ((2.0 - v) + w) + w_low;
    let (l, l_error) = two_product::<I>(s, v);
    let l_low = l_error + (s * v_low + s_low * v);
    let log2_e = (1.4426950408889634, 2.0355273740931033e-17);
    let (g, g_error) = two_product::<I>(l, log2_e.0);
    let g_low = g_error + (l * log2_e.1 + l_low * log2_e.0);
    let high = k + g;
    (high, ((k - high) + g) + g_low)
}

/// `x^y`, with the special values of IEEE 754 `pow`.
#[inline(always)]
pub(in crate::ops) fn power<I: Isa>(x: f64, y: f64) -> f64 {
    let a = x.abs();
    let (log, log_low) = log2_extended::<I>(a);
    let (product, error) = two_product::<I>(y, log);
    let low = if product < -1100.0 { -1100.0 } else { product };
    let inside = if low > 1100.0 { 1100.0 } else { low };
    let (n, bits) = nearest(inside);
    let r = if inside == product { (product - n) + (error + y * log_low) } else { 0.0 };
    let regular = scale(exp2_fraction::<I>(r), bits);
    power_limits!(f64, I, x, y, regular)
}
