//! Scalar functions: arithmetic, remainders, limits, and the parts of complex numbers.

use super::{ConvertTo, Float, FloatOrComplex, Number, Real};
use crate::isa::Isa;

/// Sum; integers wrap.
#[inline(always)]
pub fn add<I: Isa, T: Number>(a: T, b: T) -> T {
    a.add(b)
}

/// Difference; integers wrap.
#[inline(always)]
pub fn subtract<I: Isa, T: Number>(a: T, b: T) -> T {
    a.subtract(b)
}

/// Product; integers wrap.
#[inline(always)]
pub fn multiply<I: Isa, T: Number>(a: T, b: T) -> T {
    a.multiply(b)
}

/// Quotient.
#[inline(always)]
pub fn divide<I: Isa, T: FloatOrComplex>(a: T, b: T) -> T {
    a.divide::<I>(b)
}

/// The negated value; integers wrap.
#[inline(always)]
pub fn negate<I: Isa, T: Number>(x: T) -> T {
    x.negate()
}

/// The absolute value. The most negative integer stays as it is.
#[inline(always)]
pub fn abs<I: Isa, T: Number>(x: T) -> T::Real {
    x.abs::<I>()
}

/// -1, 0 or 1.
#[inline(always)]
pub fn sign<I: Isa, T: Real>(x: T) -> T {
    x.sign()
}

/// Integer power by repeated squaring; a negative exponent inverts, which for integers truncates.
#[inline(always)]
pub fn powi<I: Isa, T: Number>(x: T, exponent: i32) -> T {
    // Known exponents need no loop, which would keep loops around it from becoming vectors.
    match exponent {
        2 => return T::one().multiply(x.multiply(x)),
        3 => return T::one().multiply(x).multiply(x.multiply(x)),
        4 => {
            let square = x.multiply(x);
            return T::one().multiply(square.multiply(square));
        }
        _ => {}
    }
    let mut result = T::one();
    let mut square = x;
    let mut left = exponent.unsigned_abs();
    while left != 0 {
        if left & 1 == 1 {
            result = result.multiply(square);
        }
        square = square.multiply(square);
        left >>= 1;
    }
    if exponent < 0 { result.reciprocal() } else { result }
}

/// Floored remainder, which has the sign of `n`; `x` when `n` is 0.
#[inline(always)]
pub fn modulo<I: Isa, T: Real>(x: T, n: T) -> T {
    x.modulo::<I>(n)
}

/// Truncated remainder, which has the sign of `x`. By 0 it gives NaN for floats, `x` for integers.
#[inline(always)]
pub fn rem<I: Isa, T: Real>(x: T, n: T) -> T {
    x.remainder::<I>(n)
}

/// `x` mapped into `[0, n)` by periodic continuation.
#[inline(always)]
pub fn periodize<I: Isa, T: Real>(x: T, n: T) -> T {
    x.modulo::<I>(n)
}

/// `x` mapped into `[0, n)` by reflection and periodic continuation; -1 maps to 0.
#[inline(always)]
pub fn mirror_ext<I: Isa, T: Real>(x: T, n: T) -> T {
    let period = n.add(n);
    let position = x.modulo::<I>(period);
    if position < n { position } else { period.subtract(T::one()).subtract(position) }
}

/// The smaller value; a NaN loses.
#[inline(always)]
pub fn min<I: Isa, T: Real>(a: T, b: T) -> T {
    let smaller = if a < b { a } else { b };
    if b.is_nan() { a } else { smaller }
}

/// The larger value; a NaN loses.
#[inline(always)]
pub fn max<I: Isa, T: Real>(a: T, b: T) -> T {
    let larger = if a > b { a } else { b };
    if b.is_nan() { a } else { larger }
}

/// `min(max(x, 0), n)`.
#[inline(always)]
pub fn clamp<I: Isa, T: Real>(x: T, n: T) -> T {
    min::<I, T>(max::<I, T>(x, T::default()), n)
}

/// `min(max(x, low), high)`.
#[inline(always)]
pub fn clamp3<I: Isa, T: Real>(x: T, low: T, high: T) -> T {
    min::<I, T>(max::<I, T>(x, low), high)
}

/// The value limited to `[0, 1]`.
#[inline(always)]
pub fn saturate<I: Isa, T: Float>(x: T) -> T {
    clamp::<I, T>(x, T::one())
}

/// `a + (b - a) * t`.
#[inline(always)]
pub fn lerp<I: Isa, T: FloatOrComplex>(a: T, b: T, t: T) -> T {
    a.add(b.subtract(a).multiply(t))
}

/// The smallest power of two that is not less than `x`, at least 1; the largest `int` when there is none.
#[inline(always)]
pub fn nextpow2<I: Isa, T: Real>(x: T) -> i32 {
    x.next_power()
}

/// The largest power of two that is not greater than `x` and fits an `int`; 0 below 1.
#[inline(always)]
pub fn prevpow2<I: Isa, T: Real>(x: T) -> i32 {
    x.previous_power()
}

/// The real part.
#[inline(always)]
pub fn real<I: Isa, T: Number>(x: T) -> T::Real {
    x.real()
}

/// The imaginary part; 0 for real numbers.
#[inline(always)]
pub fn imag<I: Isa, T: Number>(x: T) -> T::Real {
    x.imag()
}

/// The complex conjugate.
#[inline(always)]
pub fn conj<I: Isa, T: Number>(x: T) -> T {
    x.conj()
}

/// The complex number with this real part.
#[inline(always)]
pub fn complex<I: Isa, T: Real>(re: T) -> T::Complex {
    re.complex(T::default())
}

/// The complex number with these components.
#[inline(always)]
pub fn complex2<I: Isa, T: Real>(re: T, im: T) -> T::Complex {
    re.complex(im)
}

macro_rules! conversions {
    ($($name:ident $domain:ident $rust:ty, $ty:literal;)*) => {
        $(#[doc = concat!("Conversion to `", $ty, "`: truncated and modulo 2^n for integers.")]
        #[inline(always)]
        pub fn $name<I: Isa, T: $domain + ConvertTo<$rust>>(x: T) -> $rust {
            x.wrapping()
        })*
    };
}
conversions! {
    int8 Number i8, "int8";
    int16 Number i16, "int16";
    int Number i32, "int";
    int64 Number i64, "int64";
    uint8 Number u8, "uint8";
    uint16 Number u16, "uint16";
    uint32 Number u32, "uint32";
    uint64 Number u64, "uint64";
    half Real half::f16, "scalar'half";
    single Real f32, "scalar'single";
    double Real f64, "scalar'double";
}

/// The identity; integers were converted to the working precision before.
#[inline(always)]
pub fn float<I: Isa, T: Float>(x: T) -> T {
    x
}
