//! Trigonometric functions and their inverses.

use super::{fma, nearest, polynomial};
use crate::isa::Isa;
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI};

/// `(sin(r) / r - 1) / r^2` in `r^2` for `|r| <= pi/4`, error 2^-65.
const SIN: [f64; 7] = [
    -0.16666666666666666,
    0.008333333333333331,
    -0.0001984126984126402,
    2.7557319218542833e-06,
    -2.5052105961377e-08,
    1.605848950955874e-10,
    -7.584263996034166e-13,
];

/// `((cos(r) - 1) / r^2 + 1/2) / r^2` in `r^2`, error 2^-70.
const COS: [f64; 7] = [
    0.041666666666666664,
    -0.0013888888888888887,
    2.4801587301584066e-05,
    -2.755731922096008e-07,
    2.087675564036913e-09,
    -1.1470437475266499e-11,
    4.7445191096480046e-14,
];

/// `(atan(t) / t - 1) / t^2` in `t^2` for `|t| <= tan(pi/8)`, error 2^-59.
const ATAN: [f64; 12] = [
    -0.3333333333333333,
    0.199999999999998,
    -0.14285714285659326,
    0.11111111105106705,
    -0.09090908751076636,
    0.0769229630497447,
    -0.06666423628069258,
    0.058789145444006215,
    -0.052303478730160745,
    0.04551108126325172,
    -0.034558092551413795,
    0.01627194475162406,
];

/// `(asin(t) / t - 1) / t^2` in `t^2` for `|t| <= 1/2`, error 2^-59.
const ASIN: [f64; 14] = [
    0.16666666666666666,
    0.07500000000000119,
    0.04464285714255019,
    0.030381944475693704,
    0.022372157435623815,
    0.017352816768546473,
    0.013963775787848137,
    0.011566511821890942,
    0.00962140274734483,
    0.009322101501082774,
    0.0030350071727267623,
    0.019579201619744684,
    -0.019277545928584557,
    0.02963502626354855,
];

/// The rounding error of pi/2.
const FRAC_PI_2_LOW: f64 = 6.123233995736766e-17;

/// Argument reduction: the sine and cosine of the remainder modulo pi/2, and the quadrant.
///
/// Cody and Waite's reduction with pi/2 in four parts, exact for multiples below 2^20, so for `|x| < 1.6e6`. Beyond,
/// the absolute error grows as `|x| * 2^-53`.
#[inline(always)]
fn reduced<I: Isa>(x: f64) -> (f64, f64, u64) {
    let (n, quadrant) = nearest(x * FRAC_2_PI);
    let first = fma::<I>(-n, 1.5707963267341256, x);
    let product = n * 6.077100506303966e-11;
    let second = first - product;
    let second_error = (first - second) - product;
    let product = n * 2.0222662487111665e-21;
    let third = second - product;
    let low = fma::<I>(-n, 8.4784276603689e-32, ((second - third) - product) + second_error);
    // If no digit is left, the results at least stay in range.
    let above = if third < -1.0 { -1.0 } else { third };
    let r = if above > 1.0 { 1.0 } else { above };
    let low = if r == third { low } else { 0.0 };
    let z = r * r;
    let sin = r + fma::<I>(r * z, polynomial::<I, 7>(z, &SIN), low * (1.0 - 0.5 * z));
    let half = 0.5 * z;
    let most = 1.0 - half;
    let cos = most + (((1.0 - most) - half) + fma::<I>(z * z, polynomial::<I, 7>(z, &COS), -r * low));
    (sin, cos, quadrant)
}

/// Flips the sign if bit 1 of the quadrant is set.
#[inline(always)]
fn signed(x: f64, quadrant: u64) -> f64 {
    f64::from_bits(x.to_bits() ^ ((quadrant & 2) << 62))
}

/// The sine.
#[inline(always)]
pub(in crate::ops) fn sin<I: Isa>(x: f64) -> f64 {
    let (sin, cos, quadrant) = reduced::<I>(x);
    let result = signed(if quadrant & 1 == 0 { sin } else { cos }, quadrant);
    if x == 0.0 { x } else { result }
}

/// The cosine.
#[inline(always)]
pub(in crate::ops) fn cos<I: Isa>(x: f64) -> f64 {
    let (sin, cos, quadrant) = reduced::<I>(x);
    signed(if quadrant & 1 == 0 { cos } else { sin }, quadrant.wrapping_add(1))
}

/// The tangent.
#[inline(always)]
pub(in crate::ops) fn tan<I: Isa>(x: f64) -> f64 {
    let (sin, cos, quadrant) = reduced::<I>(x);
    let even = quadrant & 1 == 0;
    let (over, under) = if even { (sin, cos) } else { (-cos, sin) };
    if x == 0.0 { x } else { over / under }
}

/// `asin(t)` for `|t| <= 1/2`.
#[inline(always)]
fn asin_small<I: Isa>(t: f64) -> f64 {
    let z = t * t;
    fma::<I>(t * z, polynomial::<I, 14>(z, &ASIN), t)
}

/// The inverse sine.
#[inline(always)]
pub(in crate::ops) fn asin<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let large = a > 0.5;
    // Near 1: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
    let partial = asin_small::<I>(if large { (0.5 * (1.0 - a)).sqrt() } else { a });
    let far = FRAC_PI_2 - (2.0 * partial - FRAC_PI_2_LOW);
    (if large { far } else { partial }).copysign(x)
}

/// The inverse cosine.
#[inline(always)]
pub(in crate::ops) fn acos<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let large = a > 0.5;
    let partial = asin_small::<I>(if large { (0.5 * (1.0 - a)).sqrt() } else { x });
    let near_one = 2.0 * partial;
    let near_minus_one = 2.0 * (FRAC_PI_2 - (partial - FRAC_PI_2_LOW));
    let far = if x > 0.0 { near_one } else { near_minus_one };
    if large { far } else { FRAC_PI_2 - (partial - FRAC_PI_2_LOW) }
}

/// `atan(y / x)` for `0 <= y <= x`.
#[inline(always)]
fn atan_octant<I: Isa>(y: f64, x: f64) -> f64 {
    // Above tan(pi/8): atan(y / x) = pi/4 + atan((y - x) / (y + x)).
    let large = y > 0.414213562373095 * x;
    let t = (if large { y - x } else { y }) / (if large { y + x } else { x });
    let z = t * t;
    let partial = fma::<I>(t * z, polynomial::<I, 12>(z, &ATAN), t);
    if large { FRAC_PI_4 + (partial + 0.5 * FRAC_PI_2_LOW) } else { partial }
}

/// The inverse tangent.
#[inline(always)]
pub(in crate::ops) fn atan<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let inverted = a > 1.0;
    let (y, x_side) = if inverted { (1.0, a) } else { (a, 1.0) };
    let angle = atan_octant::<I>(y, x_side);
    (if inverted { FRAC_PI_2 - (angle - FRAC_PI_2_LOW) } else { angle }).copysign(x)
}

/// The angle of the point `(x, y)`.
#[inline(always)]
pub(in crate::ops) fn atan2<I: Isa>(y: f64, x: f64) -> f64 {
    let (a, b) = (y.abs(), x.abs());
    let steep = a > b;
    let (short, long) = if steep { (b, a) } else { (a, b) };
    // The sum of two huge sides would overflow. Equal sides also cover two infinite ones; the origin has angle 0.
    let down = if long > 1.0e300 { 0.25 } else { 1.0 };
    let equal = short == long;
    let across = if equal { 1.0 } else { long * down };
    let angle = atan_octant::<I>(
        if long == 0.0 {
            0.0
        } else if equal {
            1.0
        } else {
            short * down
        },
        across,
    );
    let first = if steep { FRAC_PI_2 - (angle - FRAC_PI_2_LOW) } else { angle };
    let all = if x.is_sign_negative() { PI - (first - 2.0 * FRAC_PI_2_LOW) } else { first };
    let signed = all.copysign(y);
    if y.is_nan() || x.is_nan() { f64::NAN } else { signed }
}
