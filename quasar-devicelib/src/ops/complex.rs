//! Complex arithmetic that is more than a line.

use num_complex::Complex;

/// The parts of complex numbers, with what division needs.
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
