//! Trigonometric functions and their inverses.

use super::{fma, polynomial};
use crate::isa::Isa;
use std::f32::consts::{FRAC_PI_2, PI};

/// `(sin(r) / r - 1) / r^2` in `r^2` for `|r| <= pi/4`, error 2^-25.
const SIN: [f32; 3] = [-0.166666642, 0.00833270047, -0.000195777218];

/// `((cos(r) - 1) / r^2 + 1/2) / r^2` in `r^2`, error 2^-28.
const COS: [f32; 3] = [0.0416666642, -0.00138882548, 2.45377505e-05];

/// `(atan(t) / t - 1) / t^2` in `t^2` for `|t| <= 1`, error 2^-28.
const ATAN: [f32; 10] = [
    -0.333333343,
    0.199999496,
    -0.142840043,
    0.110882618,
    -0.089318268,
    0.0703191459,
    -0.0489605144,
    0.0263050012,
    -0.00914462935,
    0.00148869189,
];

/// `(asin(t) / t - 1) / t^2` in `t^2` for `|t| <= 5/8`, error 2^-29.
const ASIN: [f32; 8] = [
    0.166666672,
    0.0750002563,
    0.0446291938,
    0.0306541063,
    0.0197560526,
    0.0306340549,
    -0.0214696415,
    0.0546148084,
];

/// The rounding error of pi/2.
const FRAC_PI_2_LOW: f32 = -4.37113883e-08;

/// Argument reduction: the sine and cosine of the remainder modulo pi/2, and the quadrant.
///
/// The reduction is done in double precision with pi/2 in two parts, exact for multiples below 2^20, so for `|x| <
/// 1.6e6`. Beyond, the absolute error grows as `|x| * 2^-53`.
#[inline(always)]
fn reduced<I: Isa>(x: f32) -> (f32, f32, u32) {
    const ROUND: f64 = 6755399441055744.0;
    let wide = f64::from(x);
    let shifted = wide * std::f64::consts::FRAC_2_PI + ROUND;
    let n = shifted - ROUND;
    let quadrant = shifted.to_bits() as u32;
    let rest = ((wide - n * 1.5707963267341256) - n * 6.077100506506192e-11) as f32;
    // If no digit is left, the results at least stay in range.
    let above = if rest < -1.0 { -1.0 } else { rest };
    let r = if above > 1.0 { 1.0 } else { above };
    let z = r * r;
    let sin = fma::<I>(r * z, polynomial::<I, 3>(z, &SIN), r);
    let half = 0.5 * z;
    let most = 1.0 - half;
    let cos = most + fma::<I>(z * z, polynomial::<I, 3>(z, &COS), (1.0 - most) - half);
    (sin, cos, quadrant)
}

/// Flips the sign if bit 1 of the quadrant is set.
#[inline(always)]
fn signed(x: f32, quadrant: u32) -> f32 {
    f32::from_bits(x.to_bits() ^ ((quadrant & 2) << 30))
}

/// The sine.
#[inline(always)]
pub(in crate::ops) fn sin<I: Isa>(x: f32) -> f32 {
    let (sin, cos, quadrant) = reduced::<I>(x);
    let result = signed(if quadrant & 1 == 0 { sin } else { cos }, quadrant);
    if x == 0.0 { x } else { result }
}

/// The cosine.
#[inline(always)]
pub(in crate::ops) fn cos<I: Isa>(x: f32) -> f32 {
    let (sin, cos, quadrant) = reduced::<I>(x);
    signed(if quadrant & 1 == 0 { cos } else { sin }, quadrant.wrapping_add(1))
}

/// `asin(t)` for `|t| <= 5/8`.
#[inline(always)]
fn asin_small<I: Isa>(t: f32) -> f32 {
    let z = t * t;
    fma::<I>(t * z, polynomial::<I, 8>(z, &ASIN), t)
}

/// The inverse sine.
#[inline(always)]
pub(in crate::ops) fn asin<I: Isa>(x: f32) -> f32 {
    let a = x.abs();
    let large = a > 0.625;
    // Near 1: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
    let partial = asin_small::<I>(if large { (0.5 * (1.0 - a)).sqrt() } else { a });
    let far = FRAC_PI_2 - (2.0 * partial - FRAC_PI_2_LOW);
    (if large { far } else { partial }).copysign(x)
}

/// The inverse cosine.
#[inline(always)]
pub(in crate::ops) fn acos<I: Isa>(x: f32) -> f32 {
    let a = x.abs();
    let large = a > 0.625;
    let partial = asin_small::<I>(if large { (0.5 * (1.0 - a)).sqrt() } else { x });
    let near_minus_one = 2.0 * (FRAC_PI_2 - (partial - FRAC_PI_2_LOW));
    let far = if x > 0.0 { 2.0 * partial } else { near_minus_one };
    if large { far } else { FRAC_PI_2 - (partial - FRAC_PI_2_LOW) }
}

/// `atan(t)` for `|t| <= 1`.
#[inline(always)]
fn atan_small<I: Isa>(t: f32) -> f32 {
    let z = t * t;
    fma::<I>(t * z, polynomial::<I, 10>(z, &ATAN), t)
}

/// The inverse tangent.
#[inline(always)]
pub(in crate::ops) fn atan<I: Isa>(x: f32) -> f32 {
    let a = x.abs();
    let inverted = a > 1.0;
    let angle = atan_small::<I>(if inverted { 1.0 / a } else { a });
    (if inverted { FRAC_PI_2 - (angle - FRAC_PI_2_LOW) } else { angle }).copysign(x)
}

/// The angle of the point `(x, y)`.
#[inline(always)]
pub(in crate::ops) fn atan2<I: Isa>(y: f32, x: f32) -> f32 {
    let (a, b) = (y.abs(), x.abs());
    let steep = a > b;
    let (short, long) = if steep { (b, a) } else { (a, b) };
    // The quotient of equal sides is 1 also for infinities; at the origin the angle is 0.
    let quotient = if short == long { 1.0 } else { short / long };
    let angle = atan_small::<I>(if long == 0.0 { 0.0 } else { quotient });
    let first = if steep { FRAC_PI_2 - (angle - FRAC_PI_2_LOW) } else { angle };
    let all = if x.is_sign_negative() { PI - (first - 2.0 * FRAC_PI_2_LOW) } else { first };
    let signed = all.copysign(y);
    if y.is_nan() || x.is_nan() { f32::NAN } else { signed }
}
