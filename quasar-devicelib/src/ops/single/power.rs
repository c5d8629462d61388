//! Powers: for all arguments, and a fast path for loops that raise many ordinary numbers to one exponent.
//!
//! `x^y = 2^(y log2(x))` needs more digits of the logarithm than a single has, so `log` is computed in two parts and
//! multiplied by `y log2(e)` in two parts. Both versions share these steps and yield the same bits.

use super::exponential::{LOG, SQRT_HALF, exp2_fraction, split};
use super::{ROUND, fix, fma, nearest, polynomial, two_product};
use crate::isa::Isa;
use std::f32::consts::LOG2_E;

/// The rounding error of `log2(e)` as a single.
const LOG2_E_LOW: f32 = 1.9259629e-8;

/// An exponent and its product with `log2(e)` in two parts.
#[derive(Clone, Copy, Debug)]
struct Scaled {
    y: f32,
    high: f32,
    low: f32,
}

impl Scaled {
    /// For `|y| <= 2e38`.
    #[inline(always)]
    fn new<I: Isa>(y: f32) -> Scaled {
        let (high, rest) = two_product::<I>(y, LOG2_E);
        Scaled { y, high, low: fma::<I>(y, LOG2_E_LOW, rest) }
    }

    /// `y log2(2^k m)` in three parts, of which the last is small, for `m` between the square roots of 1/2 and 2.
    #[inline(always)]
    fn product<I: Isa>(&self, k: f32, m: f32) -> [f32; 3] {
        // log(m) = (f - f^2 / 2) + f^3 P(f), the first two terms in two parts.
        let f = m - 1.0;
        let (a, a_low) = less_half_square::<I>(f);
        let tail = fma::<I>((f * f) * f, polynomial::<I, 9>(f, &LOG), a_low);
        // The tail is not small compared to `a`.
        let log = a + tail;
        let log_low = (a - log) + tail;
        let (fraction, rest) = two_product::<I>(self.high, log);
        let low = fma::<I>(self.high, log_low, fma::<I>(self.low, log, rest));
        let (whole, whole_rest) = two_product::<I>(self.y, k);
        [whole, fraction, low + whole_rest]
    }
}

/// `f - f^2 / 2` in two parts, for small `f`.
#[inline(always)]
fn less_half_square<I: Isa>(f: f32) -> (f32, f32) {
    let half = -0.5 * f;
    if I::FMA {
        let a = half.mul_add(f, f);
        return (a, half.mul_add(f, f - a));
    }
    let exact = f64::from(half) * f64::from(f) + f64::from(f);
    let a = exact as f32;
    (a, (exact - f64::from(a)) as f32)
}

/// `x * 2^n` for `x` between the square roots of 1/2 and 2 and `-152 <= n <= 128`; `2^128` is infinity.
#[inline(always)]
fn scale_near_one(x: f32, n: i32) -> f32 {
    let tiny = n < -100;
    let raised = if tiny { n.wrapping_add(64) } else { n };
    let scaled = f32::from_bits(x.to_bits().wrapping_add((raised as u32) << 23));
    // 2^-64; a single rounding, so that results become subnormal gradually.
    if tiny { scaled * 5.421010862427522e-20 } else { scaled }
}

/// `x^y`, with the special values of IEEE 754 `pow`. The error grows with `y` where the power is far from 1: about 1
/// unit in the last place up to 8, 2 up to 32, 16 beyond.
#[inline(always)]
pub(in crate::ops) fn power<I: Isa>(x: f32, y: f32) -> f32 {
    // Everything that depends on the exponent alone is expressed as limits, which are hoisted out of loops with one
    // exponent.
    let none = y.is_nan();
    let integer = fix::<I>(y) == y;
    let half = 0.5 * y;
    let odd = integer & (fix::<I>(half) != half);
    let sign = if odd { 0x8000_0000_u32 } else { 0 };
    // Bases from `from` on, and `also`, have real powers. Every base has a power 0, and 1 has all powers.
    let from = if integer { f32::NEG_INFINITY } else { 0.0 };
    let from = if none { f32::NAN } else { from };
    let also = if none { 1.0 } else { f32::NEG_INFINITY };
    let otherwise = if y == 0.0 { 1.0 } else { f32::NAN };
    // The product of the exponent and the logarithm of infinity.
    let endless = if (y == 0.0) | none { 0.0 } else { f32::INFINITY.copysign(y) };
    // Larger exponents behave like these.
    let low = if y > -2.0e38 { y } else { -2.0e38 };
    let exponent = if low < 2.0e38 { low } else { 2.0e38 };
    let scaled = Scaled::new::<I>(if none { 0.0 } else { exponent });

    let a = x.abs();
    let (k, m) = split(a);
    let [whole, fraction, rest] = scaled.product::<I>(k, m);
    let product = whole + fraction;
    let product = if a == 0.0 { -endless } else { product };
    let product = if a == f32::INFINITY { endless } else { product };
    let low = if product > -151.0 { product } else { -151.0 };
    let inside = if low < 128.0 { low } else { 128.0 };
    let (n, bits) = nearest(inside);
    let limited = (product >= 128.0) | (product <= -151.0);
    let r = if limited { 0.0 } else { ((whole - n) + fraction) + rest };
    let regular = scale_near_one(exp2_fraction::<I>(r), bits);
    let signed = f32::from_bits(regular.to_bits() | (x.to_bits() & sign));
    if (x >= from) | (x == also) { signed } else { otherwise }
}

/// An exponent to which a loop raises many numbers.
///
/// Zero and the positive numbers that, like their powers, are neither subnormal nor infinite need half of the general
/// work. A loop speculates that all its numbers are such, tracks the numbers it met, and starts again with the general
/// version if the speculation failed.
#[derive(Clone, Copy, Debug)]
pub struct Exponent {
    scaled: Scaled,
    /// The bits of the smallest number with an ordinary power.
    least: u32,
    /// Width of the range of bits above `least`.
    width: u32,
    at_zero: f32,
}

impl Exponent {
    /// Precomputes for powers of many numbers.
    #[inline(always)]
    pub fn new<I: Isa>(y: f32) -> Exponent {
        // Numbers from 2^-reach to 2^reach have powers from 2^-125 to 2^125; if y is large or NaN, there are none.
        let reach = (125.0 / y.abs()).min(128.0);
        let reach = if y.is_nan() { 0 } else { reach as u32 };
        let least = 127_u32.saturating_sub(reach).max(1) << 23;
        let end = (127 + reach).min(255) << 23;
        let at_zero = if y == 0.0 { 1.0 } else { 0.0 };
        let at_zero = if y < 0.0 { f32::INFINITY } else { at_zero };
        let inside = if reach == 0 { 0.0 } else { y };
        Exponent { scaled: Scaled::new::<I>(inside), least, width: end - least, at_zero }
    }

    /// Whether any number other than zero has an ordinary power.
    #[inline(always)]
    pub fn serves(&self) -> bool {
        self.width > 0
    }

    /// The power of a number. With `QUICK` the result is valid only if [`Exponent::serves`], and [`Exponent::covers`]
    /// holds for the final `met`.
    #[inline(always)]
    pub fn power<I: Isa, const QUICK: bool>(&self, y: f32, x: f32, met: &mut u32) -> f32 {
        if !QUICK {
            return power::<I>(x, y);
        }
        let bits = x.to_bits();
        let zero = bits == 0;
        let place = if zero { 0 } else { bits.wrapping_sub(self.least) };
        *met = if place > *met { place } else { *met };
        let k = (bits.wrapping_sub(SQRT_HALF) as i32) >> 23;
        let m = f32::from_bits(bits.wrapping_sub((k << 23) as u32));
        let [whole, fraction, rest] = self.scaled.product::<I>(k as f32, m);
        let shifted = (whole + fraction) + ROUND;
        let r = ((whole - (shifted - ROUND)) + fraction) + rest;
        let mantissa = exp2_fraction::<I>(r).to_bits();
        let power = f32::from_bits(mantissa.wrapping_add(shifted.to_bits() << 23));
        if zero { self.at_zero } else { power }
    }

    /// Whether all numbers met have ordinary powers.
    #[inline(always)]
    pub fn covers(&self, met: u32) -> bool {
        met < self.width
    }
}
