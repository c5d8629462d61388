//! Elementary functions in double precision, branch-free so that loops over them vectorise.
//!
//! Conditions are written as selects; the results for zeros, infinities and NaN are selected last. Polynomials are
//! Chebyshev interpolations of the named function on the given interval.
#![allow(
    clippy::excessive_precision,
    clippy::approx_constant,
    reason = "coefficients and split constants stand as they were computed"
)]

mod error;
mod exponential;
mod logarithm;
mod trigonometric;

pub(super) use error::{erf, erfc, gamma, lgamma};
pub(super) use exponential::{cosh, exp, exp2, sinh, tanh};
pub(super) use logarithm::{acosh, asinh, atanh, log, log1p, log2, log10, power};
pub(super) use trigonometric::{acos, asin, atan, atan2, cos, sin, tan};

use crate::isa::Isa;

/// `a * b + c`, fused if that is one instruction.
#[inline(always)]
pub(super) fn fma<I: Isa>(a: f64, b: f64, c: f64) -> f64 {
    if I::FMA { a.mul_add(b, c) } else { a * b + c }
}

/// The polynomial `c[0] + c[1] x + ..`.
#[inline(always)]
pub(super) fn polynomial<I: Isa, const N: usize>(x: f64, c: &[f64; N]) -> f64 {
    let mut sum = c[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = fma::<I>(sum, x, c[i]);
    }
    sum
}

/// Adding it rounds to an integer, which is then in the low bits.
const ROUND: f64 = 6755399441055744.0;

/// The nearest integer, and the same in two's complement; for magnitudes below 2^51.
#[inline(always)]
fn nearest(x: f64) -> (f64, u64) {
    let shifted = x + ROUND;
    (shifted - ROUND, shifted.to_bits().wrapping_sub(ROUND.to_bits()))
}

/// `x * 2^n` for `-2098 <= n <= 2046`, in two steps so that results overflow and become subnormal gradually.
#[inline(always)]
fn scale(x: f64, n: u64) -> f64 {
    // A logical shift of a positive number: AVX2 has no arithmetic shift of 64 bits.
    let half = (n.wrapping_add(4096) >> 1).wrapping_sub(2048);
    let rest = n.wrapping_sub(half);
    x * power_of_two(half) * power_of_two(rest)
}

/// `2^n` for `-1022 <= n <= 1023`.
#[inline(always)]
fn power_of_two(n: u64) -> f64 {
    f64::from_bits(n.wrapping_add(1023) << 52)
}

/// The product and its rounding error.
#[inline(always)]
fn two_product<I: Isa>(a: f64, b: f64) -> (f64, f64) {
    let product = a * b;
    if I::FMA {
        return (product, a.mul_add(b, -product));
    }
    // Dekker's product; the parts are split by masks, which cannot overflow.
    let cut = |x: f64| f64::from_bits(x.to_bits() & !0x7ff_ffff);
    let (a_high, b_high) = (cut(a), cut(b));
    let (a_low, b_low) = (a - a_high, b - b_high);
    (product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

rounding!(f64, 4503599627370496.0, 0.49999999999999994);

/// Truncated remainder, exact.
#[inline(always)]
pub(super) fn remainder<I: Isa>(x: f64, n: f64) -> f64 {
    x % n
}

/// Floored remainder in `[0, n)` or `(n, 0]`; `x` when `n` is 0.
#[inline(always)]
pub(super) fn modulo<I: Isa>(x: f64, n: f64) -> f64 {
    let rest = x % n;
    let crosses = rest != 0.0 && (rest < 0.0) != (n < 0.0);
    let shifted = if crosses { rest + n } else { rest };
    // The sum rounds to n if the remainder is tiny.
    let inside = if shifted == n && n.is_finite() { 0.0 } else { shifted };
    if n == 0.0 { x } else { inside }
}

/// The length of the hypotenuse, without overflow of the squares.
#[inline(always)]
pub(super) fn hypot<I: Isa>(x: f64, y: f64) -> f64 {
    let (a, b) = (x.abs(), y.abs());
    let largest = if a > b { a } else { b };
    let exponent = (largest.to_bits() >> 52).clamp(64, 1982);
    let down = f64::from_bits((2046 - exponent) << 52);
    let up = f64::from_bits(exponent << 52);
    let (a_scaled, b_scaled) = (a * down, b * down);
    let length = fma::<I>(a_scaled, a_scaled, b_scaled * b_scaled).sqrt() * up;
    if a == f64::INFINITY || b == f64::INFINITY { f64::INFINITY } else { length }
}

/// The cube root, by three steps of Halley's method from an estimate that divides the exponent by three (the start
/// of FreeBSD's `s_cbrt.c`).
#[inline(always)]
pub(super) fn cbrt<I: Isa>(x: f64) -> f64 {
    // Avoids subnormal numbers, and those whose triple overflows.
    let tiny = x.abs() < f64::MIN_POSITIVE;
    let huge = x.abs() > 1.0e300;
    let a = x.abs()
        * if tiny {
            18014398509481984.0
        } else if huge {
            1.0 / 18014398509481984.0
        } else {
            1.0
        };
    let estimate = ((a.to_bits() >> 32) as u32 / 3).wrapping_add(715094163);
    let mut t = f64::from_bits(u64::from(estimate) << 32);
    for _ in 0..3 {
        let cube = t * t * t;
        t = t + t * ((a - cube) / (cube + cube + a));
    }
    let root = (t * if tiny {
        1.0 / 262144.0
    } else if huge {
        262144.0
    } else {
        1.0
    })
    .copysign(x);
    if x.abs() < f64::INFINITY && x != 0.0 { root } else { x }
}

/// The reciprocal square root.
#[inline(always)]
pub(super) fn rsqrt<I: Isa>(x: f64) -> f64 {
    1.0 / x.sqrt()
}

/// The square root.
#[inline(always)]
pub(super) fn sqrt<I: Isa>(x: f64) -> f64 {
    x.sqrt()
}
