//! The error function and the gamma function.

use super::{exp, fma, log, polynomial, power};
use crate::isa::Isa;

/// `erf(x) / x - 1` in `x^2` for `|x| <= 1`, error 2^-80.
const ERF: [f64; 16] = [
    0.1283791670955126,
    -0.37612638903183754,
    0.11283791670955126,
    -0.026866170645131252,
    0.005223977625442175,
    -0.0008548327023449497,
    0.00012055332981694495,
    -1.4925650353787866e-05,
    1.6462114205798046e-06,
    -1.6365840648222765e-07,
    1.4807117719731329e-08,
    -1.2289529419960295e-09,
    9.412558594992829e-11,
    -6.639294901316118e-12,
    4.117309460970657e-13,
    -1.746609279318069e-14,
];

/// `(1 + 2 x) e^(x^2) erfc(x)` in `(x - 3.5) / (x + 3.5)` for `0.9 <= x <= 28`, error 2^-60.
const ERFC: [f64; 22] = [
    1.2423492448711544,
    -0.1400091801376194,
    -0.01055559633221838,
    0.09751909515325471,
    -0.11508959816018276,
    0.0879831538250361,
    -0.048823325828248915,
    0.019099330939063876,
    -0.004215019901286811,
    -0.0003022678426616352,
    0.0005643843482634859,
    -0.00012151262839911313,
    -4.2781779918331275e-05,
    2.4261641383332137e-05,
    2.3264893894261635e-06,
    -3.815631883019087e-06,
    -3.979964687944792e-08,
    6.006312932366259e-07,
    -1.3914934666256772e-08,
    -9.131297148511806e-08,
    3.994619311289021e-09,
    8.480575138132456e-09,
];

/// `erf(a)` for `a <= 1` and `erfc(a)` for `a >= 0.9`, of a non-negative number.
#[inline(always)]
fn both<I: Isa>(a: f64) -> (f64, f64) {
    let z = a * a;
    let near = fma::<I>(a, polynomial::<I, 16>(z, &ERF), a);
    let x = if a < 0.9 { 0.9 } else { a };
    let x = if x > 27.5 { 27.5 } else { x };
    let scaled = polynomial::<I, 22>((x - 3.5) / (x + 3.5), &ERFC) / (1.0 + 2.0 * x);
    // The exponent is accurate because the square of the upper bits is exact.
    let high = f64::from_bits(x.to_bits() & !0x7ff_ffff);
    let gauss = exp::<I>(-high * high) * exp::<I>((high - x) * (high + x));
    (near, scaled * gauss)
}

/// The error function.
#[inline(always)]
pub(in crate::ops) fn erf<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let (near, far) = both::<I>(a);
    let result = (if a < 0.95 { near } else { 1.0 - far }).copysign(x);
    if x.is_nan() { x } else { result }
}

/// The complementary error function.
#[inline(always)]
pub(in crate::ops) fn erfc<I: Isa>(x: f64) -> f64 {
    let a = x.abs();
    let (near, far) = both::<I>(a);
    let mirrored = if x < 0.0 { 2.0 - far } else { far };
    let result = if a < 0.95 { 1.0 - near.copysign(x) } else { mirrored };
    if x.is_nan() { x } else { result }
}

/// Lanczos' approximation with g = 607/128 and 15 terms (Godfrey's coefficients).
const LANCZOS: [f64; 15] = [
    0.9999999999999971,
    57.15623566586292,
    -59.59796035547549,
    14.136097974741746,
    -0.4919138160976202,
    3.399464998481189e-05,
    4.652362892704858e-05,
    -9.837447530487956e-05,
    1.580887032249125e-04,
    -2.1026444172410488e-04,
    2.1743961811521265e-04,
    -1.643181065367639e-04,
    8.441822398385275e-05,
    -2.6190838401581407e-05,
    3.6899182659531625e-06,
];
const G: f64 = 607.0 / 128.0;
const SQRT_TAU: f64 = 2.5066282746310002;

fn lanczos(x: f64) -> f64 {
    LANCZOS.iter().enumerate().skip(1).fold(LANCZOS[0], |sum, (k, c)| sum + c / (x + k as f64))
}

/// `sin(pi x)`, exact at integers.
fn sin_pi<I: Isa>(x: f64) -> f64 {
    let rest = x % 2.0;
    let folded = if rest.abs() > 1.0 { rest - 2.0_f64.copysign(rest) } else { rest };
    let acute = if folded.abs() > 0.5 { 1.0_f64.copysign(folded) - folded } else { folded };
    super::sin::<I>(std::f64::consts::PI * acute)
}

/// The gamma function: NaN at negative integers and minus infinity, a signed infinity at 0.
///
/// Unlike its neighbours it branches: reflection, exact factorials and poles have little in common.
#[inline]
pub(in crate::ops) fn gamma<I: Isa>(x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY.copysign(x);
    }
    if x.is_nan() || x == f64::NEG_INFINITY || x < 0.0 && x == x.floor() {
        return f64::NAN;
    }
    if x < 0.5 {
        // Below -184 the result is a zero, whose sign alternates between the poles.
        let reflected = std::f64::consts::PI / (sin_pi::<I>(x) * gamma::<I>(1.0 - x));
        return reflected;
    }
    if x > 171.7 {
        return f64::INFINITY;
    }
    if x == x.floor() && x <= 23.0 {
        return (2..x as u64).map(|k| k as f64).product();
    }
    let t = x + G - 0.5;
    // The power alone would overflow before the product does.
    let half = power::<I>(t, 0.5 * (x - 0.5));
    SQRT_TAU * lanczos(x - 1.0) * half * exp::<I>(-t) * half
}

/// The logarithm of the absolute value of the gamma function; infinite at its poles.
#[inline]
pub(in crate::ops) fn lgamma<I: Isa>(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() || x <= 0.0 && x == x.floor() {
        return f64::INFINITY;
    }
    if x.abs() < 1.0e-17 {
        // The quotient below would overflow.
        return -log::<I>(x.abs());
    }
    if x < 0.5 {
        let sine = sin_pi::<I>(x).abs();
        return log::<I>(std::f64::consts::PI / sine) - lgamma::<I>(1.0 - x);
    }
    if x == 1.0 || x == 2.0 {
        return 0.0;
    }
    if x < 100.0 {
        // The logarithm of gamma is accurate unless the result is near 0, and loses little there.
        return log::<I>(gamma::<I>(x));
    }
    // Stirling's series.
    let z = 1.0 / (x * x);
    let series = (1.0 / 12.0 - z * (1.0 / 360.0 - z * (1.0 / 1260.0 - z / 1680.0))) / x;
    (x - 0.5) * log::<I>(x) - x + 0.9189385332046728 + series
}
