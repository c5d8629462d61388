//! Elementary functions in single precision, branch-free so that loops over them vectorise.
//!
//! The common ones compute in single precision; if that would lose accuracy, and for the rarer ones, they compute in
//! double precision and round.
#![allow(
    clippy::excessive_precision,
    clippy::approx_constant,
    reason = "coefficients and split constants stand as they were computed"
)]

mod exponential;
mod power;
mod trigonometric;

pub(super) use exponential::{exp, exp2, log, log2, log10, tanh};
pub use power::Exponent;
pub(super) use power::power;
pub(super) use trigonometric::{acos, asin, atan, atan2, cos, sin};

use super::double;
use crate::isa::Isa;

/// `a * b + c`, fused if that is one instruction.
#[inline(always)]
pub(super) fn fma<I: Isa>(a: f32, b: f32, c: f32) -> f32 {
    if I::FMA { a.mul_add(b, c) } else { a * b + c }
}

/// The polynomial `c[0] + c[1] x + ..`.
#[inline(always)]
fn polynomial<I: Isa, const N: usize>(x: f32, c: &[f32; N]) -> f32 {
    let mut sum = c[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = fma::<I>(sum, x, c[i]);
    }
    sum
}

/// Adding it rounds to an integer, which is then in the low bits.
const ROUND: f32 = 12582912.0;

/// The nearest integer, and the same in two's complement; for magnitudes below 2^22.
#[inline(always)]
fn nearest(x: f32) -> (f32, i32) {
    let shifted = x + ROUND;
    (shifted - ROUND, shifted.to_bits().wrapping_sub(ROUND.to_bits()) as i32)
}

/// `x * 2^n` for `-252 <= n <= 254`, in two steps so that results overflow and become subnormal gradually.
#[inline(always)]
fn scale(x: f32, n: i32) -> f32 {
    let half = n >> 1;
    let power_of_two = |n: i32| f32::from_bits((n.wrapping_add(127) as u32) << 23);
    x * power_of_two(half) * power_of_two(n.wrapping_sub(half))
}

/// The product and its rounding error.
#[inline(always)]
fn two_product<I: Isa>(a: f32, b: f32) -> (f32, f32) {
    let product = a * b;
    if I::FMA {
        return (product, a.mul_add(b, -product));
    }
    // The product of two singles is exact in double precision.
    (product, (f64::from(a) * f64::from(b) - f64::from(product)) as f32)
}

rounding!(f32, 8388608.0, 0.49999997);

/// The remainder of floored or truncated division of singles, in double precision; exact for quotients below 2^53.
macro_rules! rest {
    ($whole:ident, $x:expr, $n:expr) => {{
        let (x, n) = (f64::from($x), f64::from($n));
        let quotient = double::$whole::<I>(x / n);
        // Two steps, each with an exact product.
        let high = double::$whole::<I>(quotient * (1.0 / 67108864.0)) * 67108864.0;
        (x - n * high) - n * (quotient - high)
    }};
}

/// Truncated remainder; exact for quotients below 2^53, 0 or small beyond.
#[inline(always)]
pub(super) fn remainder<I: Isa>(x: f32, n: f32) -> f32 {
    let (size, step) = (x.abs(), f64::from(n.abs()));
    let rest = rest!(floor, size, n.abs());
    // The quotient may have been rounded up to the next integer.
    let raised = if rest < 0.0 { rest + step } else { rest };
    let inside = if raised >= step { raised - step } else { raised };
    let finite = if n.abs() == f32::INFINITY && size < f32::INFINITY { size } else { inside as f32 };
    finite.copysign(x)
}

/// Floored remainder in `[0, n)` or `(n, 0]`; `x` when `n` is 0. Exact for quotients below 2^53.
#[inline(always)]
pub(super) fn modulo<I: Isa>(x: f32, n: f32) -> f32 {
    let step = f64::from(n);
    let rest = rest!(floor, x, n);
    let wrong_side = rest != 0.0 && (rest < 0.0) != (step < 0.0);
    let raised = if wrong_side { rest + step } else { rest };
    let rounded = raised as f32;
    // Rounding may yield n itself.
    let inside = if rounded.abs() >= n.abs() { 0.0 } else { rounded };
    let same_side = x == 0.0 || (x < 0.0) == (n < 0.0);
    let endless = if same_side { x } else { n };
    let finite = if n.abs() == f32::INFINITY && x.abs() < f32::INFINITY { endless } else { inside };
    if n == 0.0 { x } else { finite }
}

/// The length of the hypotenuse.
#[inline(always)]
pub(super) fn hypot<I: Isa>(x: f32, y: f32) -> f32 {
    let (a, b) = (f64::from(x), f64::from(y));
    let length = (a * a + b * b).sqrt() as f32;
    if x.abs() == f32::INFINITY || y.abs() == f32::INFINITY { f32::INFINITY } else { length }
}

/// The cube root: two steps of Halley's method in double precision.
#[inline(always)]
pub(super) fn cbrt<I: Isa>(x: f32) -> f32 {
    let a = f64::from(x.abs());
    let estimate = ((a.to_bits() >> 32) as u32 / 3).wrapping_add(715094163);
    let mut t = f64::from_bits(u64::from(estimate) << 32);
    for _ in 0..2 {
        let cube = t * t * t;
        t *= (cube + a + a) / (cube + cube + a);
    }
    let root = (t as f32).copysign(x);
    if x.abs() < f32::INFINITY && x != 0.0 { root } else { x }
}

/// The reciprocal square root.
#[inline(always)]
pub(super) fn rsqrt<I: Isa>(x: f32) -> f32 {
    1.0 / x.sqrt()
}

macro_rules! through_double {
    ($($name:ident)*) => {
        $(#[doc = concat!("`", stringify!($name), "`, computed in double precision.")]
        #[inline(always)]
        pub(super) fn $name<I: Isa>(x: f32) -> f32 {
            double::$name::<I>(f64::from(x)) as f32
        })*
    };
}
through_double!(tan sinh cosh asinh acosh atanh erf erfc gamma lgamma);

/// The square root.
#[inline(always)]
pub(super) fn sqrt<I: Isa>(x: f32) -> f32 {
    x.sqrt()
}
