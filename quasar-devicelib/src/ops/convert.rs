//! Conversions between element types, and the overflow rules.
//!
//! Floats become integers by truncation and NaN becomes 0, whatever the overflow rule; a complex number yields its real
//! part. Infinity is out of range of any integer type; modulo 2^n it gives 0.

use std::fmt;

use half::f16;
use num_complex::Complex;

use crate::element::{Element, ElementType, Overflow, Scalar};
use crate::isa;

/// A value out of range of an integer type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvertError {
    /// The value.
    pub value: Scalar,
    /// The integer type.
    pub target: ElementType,
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&said(self.value))?;
        f.write_str(&unfit(self.target))
    }
}

/// Formats the value for the error message.
pub fn said(value: Scalar) -> String {
    match value {
        Scalar::U64(x) => x.to_string(),
        Scalar::F32(x) => x.to_string(),
        Scalar::C32(x) => x.re.to_string(),
        x if x.element_type().is_integer() => x.as_i64().to_string(),
        x => x.as_f64().to_string(),
    }
}

/// The part of the error message after the value.
pub fn unfit(target: ElementType) -> String {
    let bits = target.bits();
    let (low, high) = if target.is_signed() {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    };
    format!(" does not fit {target}, which holds {low} to {high}")
}

impl std::error::Error for ConvertError {}

/// The bits of 2^31 in single precision: see [`ConvertTo::odd`].
pub const ODD: u32 = 0x4f00_0000;

/// Conversion to one type, for each overflow rule.
pub trait ConvertTo<U: Element>: Element {
    /// Modulo 2^n for integer types.
    fn wrapping(self) -> U;
    /// Saturates to the range of integer types.
    fn saturating(self) -> U;
    /// `None` if the value is out of range of an integer type.
    fn checked(self) -> Option<U>;
    /// At least [`ODD`] if the value is out of range, and perhaps for the least in range and for NaN. A number and no condition, so that a
    /// loop that takes the largest of many values stays a vector loop.
    #[inline(always)]
    fn odd(self) -> u32 {
        if self.checked().is_none() { ODD } else { 0 }
    }
}

/// Converts; out of range of an integer type, the value wraps modulo 2^n.
#[inline(always)]
pub fn convert<T: ConvertTo<U>, U: Element>(x: T) -> U {
    x.wrapping()
}

/// Converts; out of range of an integer type, the value saturates.
#[inline(always)]
pub fn convert_saturating<T: ConvertTo<U>, U: Element>(x: T) -> U {
    x.saturating()
}

/// Converts, or fails if the value is out of range.
#[inline(always)]
pub fn convert_checked<T: ConvertTo<U>, U: Element>(x: T) -> Result<U, ConvertError> {
    match x.checked() {
        Some(y) => Ok(y),
        None => Err(ConvertError { value: x.to_scalar(), target: U::TYPE }),
    }
}

/// Range reduction of floats to integers.
trait Reduce {
    /// The truncated value modulo 2^32, in the range of `i32`.
    fn modulo_32(self) -> i32;
    /// The truncated value modulo 2^64, in the range of `i64`.
    fn modulo_64(self) -> i64;
    /// The truncated value, saturated to the range of `i32`.
    fn clipped(self) -> i32;
}

/// `$round` is 2^23 or 2^52: adding it rounds to an integer, and values from there on are integers.
macro_rules! reduce {
    ($($rust:ty, $round:expr, $truncate:ident);*) => {
        $(impl Reduce for $rust {
            #[inline(always)]
            fn modulo_32(self) -> i32 {
                reduce!(self, $rust, $round, 4294967296.0, i32, isa::$truncate)
            }
            #[inline(always)]
            fn modulo_64(self) -> i64 {
                reduce!(self, $rust, $round, 18446744073709551616.0, i64, (|x| x as i64))
            }
            #[inline(always)]
            fn clipped(self) -> i32 {
                isa::$truncate(self)
            }
        })*
    };
    ($x:expr, $rust:ty, $round:expr, $modulus:expr, $int:ty, $truncate:expr) => {{
        let nearest = |x: $rust| {
            let shift = $round.copysign(x);
            if x.abs() < $round { (x + shift) - shift } else { x }
        };
        let modulus: $rust = $modulus;
        // If a fraction can remain beyond half the modulus, where the sign may change, it is removed first.
        let whole = if $round > modulus * 0.5 {
            let whole = nearest($x);
            if whole.abs() > $x.abs() { whole - (1.0 as $rust).copysign($x) } else { whole }
        } else {
            $x
        };
        // The scaled value is rounded, not floored, so that the difference stays exact.
        let rest = whole - modulus * nearest(whole * (1.0 / modulus));
        if rest >= modulus * 0.5 { <$int>::MIN } else { $truncate(rest) }
    }};
}
reduce!(f32, 8388608.0_f32, truncate_single; f64, 4503599627370496.0_f64, truncate_double);

macro_rules! int_to_int {
    ($from:ty => $($to:ty),*) => {
        $(impl ConvertTo<$to> for $from {
            #[inline(always)]
            fn wrapping(self) -> $to {
                self as $to
            }
            #[inline(always)]
            fn saturating(self) -> $to {
                let nearest = if self > 0 { <$to>::MAX } else { <$to>::MIN };
                <$to>::try_from(self).unwrap_or(nearest)
            }
            #[inline(always)]
            fn checked(self) -> Option<$to> {
                <$to>::try_from(self).ok()
            }
        })*
    };
}

/// Truncates and saturates. Types inside `i32` go through it, because that vectorises.
macro_rules! clip {
    ($x:expr, $to:ty) => {{
        let x = $x;
        if <$to>::BITS < 32 || <$to>::MAX as u64 == i32::MAX as u64 {
            let whole = x.clipped();
            let raised = if i64::from(whole) < <$to>::MIN as i64 { <$to>::MIN as i32 } else { whole };
            (if i64::from(raised) > <$to>::MAX as i64 { <$to>::MAX as i32 } else { raised }) as $to
        } else {
            x as $to
        }
    }};
}

macro_rules! float_to_int {
    ($from:ty, $through:ty => $($to:ty, $modulo:ident);*) => {
        $(impl ConvertTo<$to> for $from {
            #[inline(always)]
            fn wrapping(self) -> $to {
                <$through>::from(self).$modulo() as $to
            }
            #[inline(always)]
            fn saturating(self) -> $to {
                clip!(<$through>::from(self), $to)
            }
            #[inline(always)]
            fn checked(self) -> Option<$to> {
                let x = <$through>::from(self);
                // The bounds are exact or, if the format is too coarse, the next representable value is in range.
                let above = x > <$to>::MIN as $through - 1.0 || x >= <$to>::MIN as $through;
                let below = x < (<$to>::MAX / 2 + 1) as $through * 2.0;
                if above && below || x.is_nan() { Some(clip!(x, $to)) } else { None }
            }
            #[inline(always)]
            fn odd(self) -> u32 {
                if <$to>::MAX as u64 != i32::MAX as u64 {
                    return if ConvertTo::<$to>::checked(self).is_none() { ODD } else { 0 };
                }
                // Floats without sign are ordered as their bits.
                let above = 8 * (size_of::<$through>() - size_of::<u32>());
                let high = |x: $through| (x.to_bits() >> above) as u32;
                let limit = high(2147483648.0);
                high(<$through>::from(self).abs()) + (ODD - limit)
            }
        })*
    };
}

/// Conversions to types that represent every value.
macro_rules! always {
    ($from:ty => $to:ty, |$x:ident| $result:expr) => {
        impl ConvertTo<$to> for $from {
            #[inline(always)]
            fn wrapping(self) -> $to {
                let $x = self;
                $result
            }
            #[inline(always)]
            fn saturating(self) -> $to {
                self.wrapping()
            }
            #[inline(always)]
            fn checked(self) -> Option<$to> {
                Some(self.wrapping())
            }
        }
    };
}

macro_rules! from_int {
    ($($from:ty)*) => {
        $(int_to_int!($from => i8, i16, i32, i64, u8, u16, u32, u64);
        always!($from => f16, |x| f16::from_f32(x as f32));
        always!($from => f32, |x| x as f32);
        always!($from => f64, |x| x as f64);
        always!($from => Complex<f32>, |x| Complex::new(x as f32, 0.0));
        always!($from => Complex<f64>, |x| Complex::new(x as f64, 0.0));)*
    };
}
from_int!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! from_float {
    ($($from:ty, $through:ty);*) => {
        $(float_to_int!($from, $through => i8, modulo_32; i16, modulo_32; i32, modulo_32; i64, modulo_64;
            u8, modulo_32; u16, modulo_32; u32, modulo_32; u64, modulo_64);)*
    };
}
from_float!(f16, f32; f32, f32; f64, f64);

always!(f16 => f16, |x| x);
always!(f16 => f32, |x| x.to_f32());
always!(f16 => f64, |x| x.to_f64());
always!(f16 => Complex<f32>, |x| Complex::new(x.to_f32(), 0.0));
always!(f16 => Complex<f64>, |x| Complex::new(x.to_f64(), 0.0));
always!(f32 => f16, |x| f16::from_f32(x));
always!(f32 => f32, |x| x);
always!(f32 => f64, |x| f64::from(x));
always!(f32 => Complex<f32>, |x| Complex::new(x, 0.0));
always!(f32 => Complex<f64>, |x| Complex::new(f64::from(x), 0.0));
always!(f64 => f16, |x| f16::from_f64(x));
always!(f64 => f32, |x| x as f32);
always!(f64 => f64, |x| x);
always!(f64 => Complex<f32>, |x| Complex::new(x as f32, 0.0));
always!(f64 => Complex<f64>, |x| Complex::new(x, 0.0));
always!(Complex<f32> => Complex<f32>, |x| x);
always!(Complex<f32> => Complex<f64>, |x| Complex::new(f64::from(x.re), f64::from(x.im)));
always!(Complex<f64> => Complex<f32>, |x| Complex::new(x.re as f32, x.im as f32));
always!(Complex<f64> => Complex<f64>, |x| x);

macro_rules! from_complex {
    ($($part:ty => $($to:ty)*);*) => {
        $($(impl ConvertTo<$to> for Complex<$part> {
            #[inline(always)]
            fn wrapping(self) -> $to {
                self.re.wrapping()
            }
            #[inline(always)]
            fn saturating(self) -> $to {
                self.re.saturating()
            }
            #[inline(always)]
            fn checked(self) -> Option<$to> {
                self.re.checked()
            }
        })*)*
    };
}
from_complex!(f32 => i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64; f64 => i8 i16 i32 i64 u8 u16 u32 u64 f16 f32 f64);

/// Converts a dynamic scalar.
pub fn convert_scalar(value: Scalar, to: ElementType, overflow: Overflow) -> Result<Scalar, ConvertError> {
    fn finish<T: ConvertTo<U>, U: Element>(x: T, overflow: Overflow) -> Result<Scalar, ConvertError> {
        match overflow {
            Overflow::Checked => convert_checked::<T, U>(x).map(U::to_scalar),
            Overflow::Saturate => Ok(x.saturating().to_scalar()),
            Overflow::Wrap | Overflow::Truth => Ok(x.wrapping().to_scalar()),
        }
    }
    if overflow == Overflow::Truth {
        return convert_scalar(Scalar::I32(value.is_truthy().into()), to, Overflow::Wrap);
    }
    macro_rules! targets {
        ($from:ty, $x:expr; $($target:ident = $to:ty => $ty:ident),*) => {
            match to {
                $(ElementType::$ty => finish::<$from, $to>($x, overflow),)*
            }
        };
    }
    macro_rules! sources {
        ($($variant:ident = $from:ty => $element:ident),*) => {
            match value {
                $(Scalar::$variant(x) => targets! { $from, x;
                    I8 = i8 => Int8, I16 = i16 => Int16, I32 = i32 => Int32, I64 = i64 => Int64,
                    U8 = u8 => UInt8, U16 = u16 => UInt16, U32 = u32 => UInt32, U64 = u64 => UInt64,
                    F16 = f16 => Half, F32 = f32 => Single, F64 = f64 => Double,
                    C32 = Complex<f32> => ComplexSingle, C64 = Complex<f64> => ComplexDouble
                },)*
            }
        };
    }
    for_each_element!(sources)
}

impl Scalar {
    /// Converts to another type.
    pub fn convert(self, to: ElementType, overflow: Overflow) -> Result<Scalar, ConvertError> {
        convert_scalar(self, to, overflow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_truncate_and_nan_is_zero() {
        assert_eq!(convert::<f32, i32>(-1.7), -1);
        assert_eq!(convert::<f64, i32>(1.999), 1);
        for overflow in [Overflow::Checked, Overflow::Saturate, Overflow::Wrap] {
            assert_eq!(
                convert_scalar(Scalar::F32(f32::NAN), ElementType::UInt8, overflow),
                Ok(Scalar::U8(0))
            );
        }
        assert_eq!(convert_checked::<f32, u8>(-0.99), Ok(0));
    }

    #[test]
    fn wrapping_is_modulo_two_to_the_n() {
        assert_eq!(convert::<f32, u8>(300.7), 44);
        assert_eq!(convert::<f32, u8>(-1.5), 255);
        assert_eq!(convert::<f64, i32>(4294967296.0 * 5.0 + 7.9), 7);
        assert_eq!(convert::<f64, i32>(2147483648.0), i32::MIN);
        assert_eq!(convert::<f64, i32>(2147483648.5), i32::MIN);
        assert_eq!(convert::<f64, i64>(9.3e18), (9.3e18_f64 as u64) as i64);
        assert_eq!(convert::<f64, i64>(-1.0), -1);
        assert_eq!(convert::<f32, i32>(f32::INFINITY), 0);
        assert_eq!(convert::<f32, i32>(3.0e38), 0);
        assert_eq!(convert::<i32, u8>(-1), 255);
        for i in -3000..3000_i64 {
            for scale in [0.37, 1.0, 715827.883, 2147483648.0, 1.0e6] {
                let x = i as f64 * scale;
                assert_eq!(convert::<f64, i32>(x), x.trunc() as i64 as i32, "{x}");
                assert_eq!(convert::<f32, i32>(x as f32), (x as f32).trunc() as i64 as i32, "{x}");
                assert_eq!(convert::<f32, u16>(x as f32), (x as f32).trunc() as i64 as u16, "{x}");
            }
        }
    }

    #[test]
    fn saturation_clips_on_both_sides() {
        assert_eq!(convert_saturating::<i32, u8>(-5), 0);
        assert_eq!(convert_saturating::<i64, i32>(i64::MIN), i32::MIN);
        assert_eq!(convert_saturating::<u64, i8>(u64::MAX), 127);
        assert_eq!(convert_saturating::<f32, u8>(300.0), 255);
        assert_eq!(convert_saturating::<f64, i64>(f64::NEG_INFINITY), i64::MIN);
    }

    #[test]
    fn checked_conversion_is_exact_at_the_limits() {
        assert_eq!(convert_checked::<f32, i32>(-2147483648.0), Ok(i32::MIN));
        assert!(convert_checked::<f32, i32>(2147483648.0).is_err());
        assert_eq!(convert_checked::<f64, i32>(2147483647.9), Ok(i32::MAX));
        assert_eq!(convert_checked::<f64, i32>(-2147483648.9), Ok(i32::MIN));
        assert!(convert_checked::<f64, i32>(-2147483649.0).is_err());
        assert!(convert_checked::<f64, u64>(18446744073709551616.0).is_err());
        assert_eq!(convert_checked::<f32, u8>(255.9), Ok(255));
        assert!(convert_checked::<f32, u8>(256.0).is_err());
        assert!(convert_checked::<f32, u8>(-1.0).is_err());
        assert_eq!(convert_checked::<f64, i64>(-9223372036854775808.0), Ok(i64::MIN));
    }

    #[test]
    fn errors_name_the_value_and_the_type() {
        let error = convert_scalar(Scalar::I32(300), ElementType::UInt8, Overflow::Checked).unwrap_err();
        assert_eq!(error.to_string(), "300 does not fit uint8, which holds 0 to 255");
        let error = convert_checked::<f32, i8>(-1.0e3).unwrap_err();
        assert_eq!(error.to_string(), "-1000 does not fit int8, which holds -128 to 127");
    }

    #[test]
    fn every_pair_of_types_converts_one() {
        for &from in ElementType::ALL {
            for &to in ElementType::ALL {
                assert_eq!(Scalar::one(from).convert(to, Overflow::Checked), Ok(Scalar::one(to)));
            }
        }
    }
}
