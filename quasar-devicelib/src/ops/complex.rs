//! Elementary functions of complex numbers. Those of single precision are computed in double precision and rounded.
//!
//! The inverse functions follow Kahan, "Branch cuts for complex elementary functions" (1987).

use num_complex::Complex;

use super::double;
use crate::isa::Isa;

type C = Complex<f64>;

/// Component types of complex numbers, with their division.
pub(super) trait Part: Copy {
    /// The quotient of two complex numbers.
    fn divide(a: Complex<Self>, b: Complex<Self>) -> Complex<Self>;
}

impl Part for f32 {
    #[inline(always)]
    fn divide(a: Complex<f32>, b: Complex<f32>) -> Complex<f32> {
        // Products of singles are exact in doubles and cannot overflow there.
        let (ar, ai) = (f64::from(a.re), f64::from(a.im));
        let (br, bi) = (f64::from(b.re), f64::from(b.im));
        let norm = br * br + bi * bi;
        Complex::new(((ar * br + ai * bi) / norm) as f32, ((ai * br - ar * bi) / norm) as f32)
    }
}

impl Part for f64 {
    #[inline(always)]
    fn divide(a: Complex<f64>, b: Complex<f64>) -> Complex<f64> {
        // Scaling by a power of two near 1/|b| keeps the squares in range and changes no mantissa.
        let largest = if b.re.abs() > b.im.abs() { b.re.abs() } else { b.im.abs() };
        let exponent = (largest.to_bits() >> 52).clamp(1, 2045);
        let scale = f64::from_bits((2046 - exponent) << 52);
        let (br, bi) = (b.re * scale, b.im * scale);
        let norm = br * br + bi * bi;
        let (qr, qi) = (br / norm, bi / norm);
        let (ar, ai) = (a.re * scale, a.im * scale);
        Complex::new(ar * qr + ai * qi, ai * qr - ar * qi)
    }
}

/// The quotient of two complex numbers, without overflow of the squared modulus.
#[inline(always)]
pub(super) fn divide<T: Part>(a: Complex<T>, b: Complex<T>) -> Complex<T> {
    T::divide(a, b)
}

#[inline(always)]
pub(super) fn widen(z: Complex<f32>) -> C {
    C::new(f64::from(z.re), f64::from(z.im))
}

#[inline(always)]
pub(super) fn narrow(z: C) -> Complex<f32> {
    Complex::new(z.re as f32, z.im as f32)
}

/// `i z`.
#[inline(always)]
fn turned(z: C) -> C {
    C::new(-z.im, z.re)
}

/// `-i z`.
#[inline(always)]
fn turned_back(z: C) -> C {
    C::new(z.im, -z.re)
}

/// `size * (cos(angle), sin(angle))`; an angle of 0 keeps the number real even for infinite sizes.
#[inline(always)]
fn polar<I: Isa>(size: f64, angle: f64) -> C {
    let im = size * double::sin::<I>(angle);
    C::new(size * double::cos::<I>(angle), if angle == 0.0 { angle } else { im })
}

#[inline(always)]
pub(super) fn exp<I: Isa>(z: C) -> C {
    polar::<I>(double::exp::<I>(z.re), z.im)
}

#[inline(always)]
pub(super) fn exp2<I: Isa>(z: C) -> C {
    polar::<I>(double::exp2::<I>(z.re), z.im * std::f64::consts::LN_2)
}

#[inline(always)]
pub(super) fn log<I: Isa>(z: C) -> C {
    C::new(double::log::<I>(double::hypot::<I>(z.re, z.im)), double::atan2::<I>(z.im, z.re))
}

#[inline(always)]
pub(super) fn log2<I: Isa>(z: C) -> C {
    let angle = double::atan2::<I>(z.im, z.re);
    C::new(double::log2::<I>(double::hypot::<I>(z.re, z.im)), angle * std::f64::consts::LOG2_E)
}

#[inline(always)]
pub(super) fn log10<I: Isa>(z: C) -> C {
    let angle = double::atan2::<I>(z.im, z.re);
    C::new(double::log10::<I>(double::hypot::<I>(z.re, z.im)), angle * std::f64::consts::LOG10_E)
}

#[inline(always)]
pub(super) fn sqrt<I: Isa>(z: C) -> C {
    let size = (0.5 * z.re.abs() + 0.5 * double::hypot::<I>(z.re, z.im)).sqrt();
    let other = if size == 0.0 { z.im.abs() } else { 0.5 * z.im.abs() / size };
    let (re, im) = if z.re >= 0.0 { (size, other) } else { (other, size) };
    if z.im.is_infinite() { C::new(f64::INFINITY, z.im) } else { C::new(re, im.copysign(z.im)) }
}

#[inline(always)]
pub(super) fn rsqrt<I: Isa>(z: C) -> C {
    divide(C::new(1.0, 0.0), sqrt::<I>(z))
}

/// The principal cube root, which for negative real numbers is not the real one.
#[inline(always)]
pub(super) fn cbrt<I: Isa>(z: C) -> C {
    polar::<I>(double::cbrt::<I>(double::hypot::<I>(z.re, z.im)), double::atan2::<I>(z.im, z.re) / 3.0)
}

#[inline(always)]
pub(super) fn sinh<I: Isa>(z: C) -> C {
    let (sine, cosine) = (double::sin::<I>(z.im), double::cos::<I>(z.im));
    let im = double::cosh::<I>(z.re) * sine;
    C::new(double::sinh::<I>(z.re) * cosine, if z.im == 0.0 { z.im } else { im })
}

#[inline(always)]
pub(super) fn cosh<I: Isa>(z: C) -> C {
    let (sine, cosine) = (double::sin::<I>(z.im), double::cos::<I>(z.im));
    let im = double::sinh::<I>(z.re) * sine;
    let zero = z.im * if z.re < 0.0 { -1.0 } else { 1.0 };
    C::new(double::cosh::<I>(z.re) * cosine, if z.im == 0.0 { zero } else { im })
}

#[inline(always)]
pub(super) fn tanh<I: Isa>(z: C) -> C {
    let (a, b) = (2.0 * z.re, 2.0 * z.im);
    let sine = double::sin::<I>(b);
    let denominator = double::cosh::<I>(a) + double::cos::<I>(b);
    let near = C::new(double::sinh::<I>(a) / denominator, sine / denominator);
    // For large arguments both hyperbolic functions overflow.
    let far = C::new(1.0_f64.copysign(a), 2.0 * sine * double::exp::<I>(-a.abs()));
    if a.abs() > 60.0 { far } else { near }
}

#[inline(always)]
pub(super) fn sin<I: Isa>(z: C) -> C {
    turned_back(sinh::<I>(turned(z)))
}

#[inline(always)]
pub(super) fn cos<I: Isa>(z: C) -> C {
    cosh::<I>(turned(z))
}

#[inline(always)]
pub(super) fn tan<I: Isa>(z: C) -> C {
    turned_back(tanh::<I>(turned(z)))
}

#[inline(always)]
pub(super) fn asin<I: Isa>(z: C) -> C {
    let plus = sqrt::<I>(C::new(1.0 + z.re, z.im));
    let minus = sqrt::<I>(C::new(1.0 - z.re, -z.im));
    let im = double::asinh::<I>((minus.conj() * plus).im);
    C::new(double::atan2::<I>(z.re, (plus * minus).re), im)
}

#[inline(always)]
pub(super) fn acos<I: Isa>(z: C) -> C {
    let plus = sqrt::<I>(C::new(1.0 + z.re, z.im));
    let minus = sqrt::<I>(C::new(1.0 - z.re, -z.im));
    let im = double::asinh::<I>((plus.conj() * minus).im);
    C::new(2.0 * double::atan2::<I>(minus.re, plus.re), im)
}

#[inline(always)]
pub(super) fn atan<I: Isa>(z: C) -> C {
    turned_back(atanh::<I>(turned(z)))
}

#[inline(always)]
pub(super) fn asinh<I: Isa>(z: C) -> C {
    turned_back(asin::<I>(turned(z)))
}

#[inline(always)]
pub(super) fn acosh<I: Isa>(z: C) -> C {
    let plus = sqrt::<I>(C::new(z.re + 1.0, z.im));
    let minus = sqrt::<I>(C::new(z.re - 1.0, z.im));
    let re = double::asinh::<I>((minus.conj() * plus).re);
    C::new(re, 2.0 * double::atan2::<I>(minus.im, plus.re))
}

#[inline(always)]
pub(super) fn atanh<I: Isa>(z: C) -> C {
    let (x, y) = (z.re.abs(), z.im);
    let gap = 1.0 - x;
    let re = 0.25 * double::log1p::<I>(4.0 * x / (gap * gap + y * y));
    let im = 0.5 * double::atan2::<I>(2.0 * y, gap * (1.0 + x) - y * y);
    C::new(re.copysign(z.re), im)
}

/// The power: by repeated multiplication for small integer exponents, which keeps integers exact.
#[inline(always)]
pub(super) fn power<I: Isa>(z: C, w: C) -> C {
    let whole = double::fix::<I>(w.re);
    if w.im == 0.0 && whole == w.re && whole.abs() <= 64.0 {
        return super::powi::<I, C>(z, whole as i32);
    }
    if z == C::new(0.0, 0.0) {
        let size = if w.re > 0.0 { 0.0 } else { f64::NAN };
        return C::new(size, size);
    }
    let log = log::<I>(z);
    exp::<I>(w * log)
}
