//! Element types, dynamically typed scalar values, and the promotion of operand types.

use std::fmt::{self, Debug};

use half::f16;
use num_complex::Complex;

/// The type of one array element or scalar variable, with the precision resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ElementType {
    /// `int8`
    Int8,
    /// `int16`
    Int16,
    /// `int`, which is `int32`
    Int32,
    /// `int64`
    Int64,
    /// `uint8`
    UInt8,
    /// `uint16`
    UInt16,
    /// `uint32`
    UInt32,
    /// `uint64`
    UInt64,
    /// `scalar'half`
    Half,
    /// `scalar'single`, the usual `scalar`
    Single,
    /// `scalar'double`
    Double,
    /// `cscalar` of singles
    ComplexSingle,
    /// `cscalar` of doubles
    ComplexDouble,
}

/// A dynamically typed scalar value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar {
    /// `int8`
    I8(i8),
    /// `int16`
    I16(i16),
    /// `int`
    I32(i32),
    /// `int64`
    I64(i64),
    /// `uint8`
    U8(u8),
    /// `uint16`
    U16(u16),
    /// `uint32`
    U32(u32),
    /// `uint64`
    U64(u64),
    /// half precision
    F16(f16),
    /// single precision
    F32(f32),
    /// double precision
    F64(f64),
    /// complex single
    C32(Complex<f32>),
    /// complex double
    C64(Complex<f64>),
}

/// The rule for values out of range of an integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Overflow {
    /// `'checked`: an error.
    #[default]
    Checked,
    /// `'sat`: the nearest representable value.
    Saturate,
    /// `'unchecked`: modulo 2^n.
    Wrap,
    /// Truth values: everything but 0 becomes 1. It applies to the `int` elements of masks and has no modifier;
    /// comparisons yield it.
    Truth,
}

impl Overflow {
    /// Its name as a modifier.
    pub fn name(self) -> &'static str {
        match self {
            Overflow::Checked => "checked",
            Overflow::Saturate => "sat",
            Overflow::Wrap => "unchecked",
            Overflow::Truth => "truth",
        }
    }

    /// The rule that a modifier names.
    pub fn from_name(name: &str) -> Option<Overflow> {
        [Overflow::Checked, Overflow::Saturate, Overflow::Wrap].into_iter().find(|rule| rule.name() == name)
    }
}

/// The spelling of each type in the language, in the order of [`ElementType::ALL`].
const NAMES: [&str; 13] = [
    "int8",
    "int16",
    "int",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "scalar'half",
    "scalar",
    "scalar'double",
    "cscalar",
    "cscalar'double",
];

impl ElementType {
    /// Every element type, in declaration order.
    pub const ALL: &'static [ElementType] = &[
        ElementType::Int8,
        ElementType::Int16,
        ElementType::Int32,
        ElementType::Int64,
        ElementType::UInt8,
        ElementType::UInt16,
        ElementType::UInt32,
        ElementType::UInt64,
        ElementType::Half,
        ElementType::Single,
        ElementType::Double,
        ElementType::ComplexSingle,
        ElementType::ComplexDouble,
    ];

    /// Whether it is one of `int8` to `uint64`.
    pub const fn is_integer(self) -> bool {
        !self.is_float() && !self.is_complex()
    }

    /// Whether it is a real floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, ElementType::Half | ElementType::Single | ElementType::Double)
    }

    /// Whether it is a complex type.
    pub const fn is_complex(self) -> bool {
        matches!(self, ElementType::ComplexSingle | ElementType::ComplexDouble)
    }

    /// Whether it has negative values.
    pub const fn is_signed(self) -> bool {
        !matches!(self, ElementType::UInt8 | ElementType::UInt16 | ElementType::UInt32 | ElementType::UInt64)
    }

    /// Bits of one value.
    pub const fn bits(self) -> u32 {
        match self {
            ElementType::Int8 | ElementType::UInt8 => 8,
            ElementType::Int16 | ElementType::UInt16 | ElementType::Half => 16,
            ElementType::Int32 | ElementType::UInt32 | ElementType::Single => 32,
            ElementType::Int64 | ElementType::UInt64 | ElementType::Double | ElementType::ComplexSingle => 64,
            ElementType::ComplexDouble => 128,
        }
    }

    /// Bytes of one value.
    pub const fn size(self) -> usize {
        (self.bits() / 8) as usize
    }

    /// The canonical spelling.
    pub const fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    /// The component type of a complex type; any other type itself.
    pub const fn real(self) -> ElementType {
        match self {
            ElementType::ComplexSingle => ElementType::Single,
            ElementType::ComplexDouble => ElementType::Double,
            other => other,
        }
    }

    /// The complex type with components of this type. There is no complex half: halves and integers give complex
    /// singles.
    pub const fn complex(self) -> ElementType {
        match self {
            ElementType::Double | ElementType::ComplexDouble => ElementType::ComplexDouble,
            _ => ElementType::ComplexSingle,
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The common type of two operands of an arithmetic operator (language reference §2.8).
///
/// Integers below 64 bits are promoted to `int`, so `uint8 + uint8` is an `int`. A mixture of `uint64` with a signed
/// type is promoted to `int64`.
pub fn promote(a: ElementType, b: ElementType) -> ElementType {
    if a.is_complex() || b.is_complex() {
        return if a.real() == ElementType::Double || b.real() == ElementType::Double {
            ElementType::ComplexDouble
        } else {
            ElementType::ComplexSingle
        };
    }
    match (a.is_float(), b.is_float()) {
        (true, true) => a.max(b),
        (true, false) => a,
        (false, true) => b,
        (false, false) if a.bits() < 64 && b.bits() < 64 => ElementType::Int32,
        (false, false) if a.is_signed() || b.is_signed() => ElementType::Int64,
        (false, false) => ElementType::UInt64,
    }
}

mod sealed {
    /// Seals [`Element`](super::Element) to the types of the language.
    pub trait Sealed {}
}

/// A Rust type that represents one [`ElementType`]: `i8` to `i64`, `u8` to `u64`, `f16`, `f32`, `f64` and complex
/// numbers of the last two. Sealed.
///
/// # Safety
/// Memory of arrays is reused for other types, filled with zeros, viewed as bytes, as atomic cells and by devices, all
/// of which rely on what holds for these types: every bit pattern is a value, all zeros are the default one, there are
/// no padding bytes, the size is that of [`Element::TYPE`], the alignment at most 16, and there is nothing to drop.
pub unsafe trait Element:
    sealed::Sealed + Copy + Default + PartialEq + Debug + Send + Sync + 'static
{
    /// The element type it represents.
    const TYPE: ElementType;

    /// Zeros in memory, for reads of an array without elements, and of vectors that lie outside of one: as many as these have elements at
    /// most.
    const ZEROS: &'static [Self];

    /// Converts to a dynamically typed scalar.
    fn to_scalar(self) -> Scalar;

    /// The value if `value` has exactly this type.
    fn from_scalar(value: Scalar) -> Option<Self>;
}

/// Expands a macro once with all triples of `Scalar` variant, Rust type and `ElementType` variant.
macro_rules! for_each_element {
    ($use:ident) => {
        $use! {
            I8 = i8 => Int8, I16 = i16 => Int16, I32 = i32 => Int32, I64 = i64 => Int64,
            U8 = u8 => UInt8, U16 = u16 => UInt16, U32 = u32 => UInt32, U64 = u64 => UInt64,
            F16 = f16 => Half, F32 = f32 => Single, F64 = f64 => Double,
            C32 = num_complex::Complex<f32> => ComplexSingle, C64 = num_complex::Complex<f64> => ComplexDouble
        }
    };
}

macro_rules! elements {
    ($($variant:ident = $rust:ty => $element:ident),*) => {
        $(impl sealed::Sealed for $rust {}

        // SAFETY: numbers and pairs of numbers without padding; the assertions compare sizes and alignments.
        unsafe impl Element for $rust {
            const TYPE: ElementType = ElementType::$element;

            // SAFETY: all bits of zero are zero in each of these types.
            const ZEROS: &'static [$rust] = &[unsafe { std::mem::zeroed::<$rust>() }; 64];

            #[inline(always)]
            fn to_scalar(self) -> Scalar {
                Scalar::$variant(self)
            }

            #[inline(always)]
            fn from_scalar(value: Scalar) -> Option<Self> {
                match value {
                    Scalar::$variant(x) => Some(x),
                    _ => None,
                }
            }
        }

        const _: () = {
            assert!(size_of::<$rust>() == ElementType::$element.size());
            assert!(align_of::<$rust>() <= 16 && !std::mem::needs_drop::<$rust>());
        };

        impl From<$rust> for Scalar {
            fn from(x: $rust) -> Scalar {
                Scalar::$variant(x)
            }
        })*

        impl Scalar {
            /// The type of this value.
            pub const fn element_type(self) -> ElementType {
                match self {
                    $(Scalar::$variant(_) => ElementType::$element,)*
                }
            }

            /// The zero of a type.
            pub fn zero(ty: ElementType) -> Scalar {
                match ty {
                    $(ElementType::$element => Scalar::$variant(<$rust>::default()),)*
                }
            }

            /// Whether the value is true: it differs from zero. NaN is true.
            #[inline(always)]
            pub fn is_truthy(self) -> bool {
                match self {
                    $(Scalar::$variant(x) => x != <$rust>::default(),)*
                }
            }
        }
    };
}
for_each_element!(elements);

impl Scalar {
    /// The value as a double: rounded for large 64-bit integers, the real part of a complex number.
    #[inline(always)]
    pub fn as_f64(self) -> f64 {
        match self {
            Scalar::I8(x) => f64::from(x),
            Scalar::I16(x) => f64::from(x),
            Scalar::I32(x) => f64::from(x),
            Scalar::I64(x) => x as f64,
            Scalar::U8(x) => f64::from(x),
            Scalar::U16(x) => f64::from(x),
            Scalar::U32(x) => f64::from(x),
            Scalar::U64(x) => x as f64,
            Scalar::F16(x) => f64::from(x),
            Scalar::F32(x) => f64::from(x),
            Scalar::F64(x) => x,
            Scalar::C32(x) => f64::from(x.re),
            Scalar::C64(x) => x.re,
        }
    }

    /// The value as an integer: truncated toward zero, saturated to the range of `i64`, NaN gives 0.
    pub fn as_i64(self) -> i64 {
        match self {
            Scalar::I8(x) => i64::from(x),
            Scalar::I16(x) => i64::from(x),
            Scalar::I32(x) => i64::from(x),
            Scalar::I64(x) => x,
            Scalar::U8(x) => i64::from(x),
            Scalar::U16(x) => i64::from(x),
            Scalar::U32(x) => i64::from(x),
            Scalar::U64(x) => i64::try_from(x).unwrap_or(i64::MAX),
            other => other.as_f64() as i64,
        }
    }

    /// The imaginary part; zero for real values.
    #[inline(always)]
    pub fn imaginary(self) -> f64 {
        match self {
            Scalar::C32(x) => f64::from(x.im),
            Scalar::C64(x) => x.im,
            _ => 0.0,
        }
    }

    /// The one of a type.
    pub fn one(ty: ElementType) -> Scalar {
        Scalar::from_i64(1, ty)
    }

    /// Converts an integer to a type, modulo 2^n for integer types and rounded for the others.
    pub fn from_i64(x: i64, ty: ElementType) -> Scalar {
        match ty {
            ElementType::Int8 => Scalar::I8(x as i8),
            ElementType::Int16 => Scalar::I16(x as i16),
            ElementType::Int32 => Scalar::I32(x as i32),
            ElementType::Int64 => Scalar::I64(x),
            ElementType::UInt8 => Scalar::U8(x as u8),
            ElementType::UInt16 => Scalar::U16(x as u16),
            ElementType::UInt32 => Scalar::U32(x as u32),
            ElementType::UInt64 => Scalar::U64(x as u64),
            ElementType::Half => Scalar::F16(f16::from_f64(x as f64)),
            ElementType::Single => Scalar::F32(x as f32),
            ElementType::Double => Scalar::F64(x as f64),
            ElementType::ComplexSingle => Scalar::C32(Complex::new(x as f32, 0.0)),
            ElementType::ComplexDouble => Scalar::C64(Complex::new(x as f64, 0.0)),
        }
    }

    /// Bitwise equality, except that all NaNs are equal; zeros differ by their sign.
    pub fn same_bits(self, other: Scalar) -> bool {
        fn same(a: f64, b: f64) -> bool {
            a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
        }
        if self.element_type() != other.element_type() {
            return false;
        }
        match (self, other) {
            (Scalar::I64(a), Scalar::I64(b)) => a == b,
            (Scalar::U64(a), Scalar::U64(b)) => a == b,
            (a, b) => same(a.as_f64(), b.as_f64()) && same(a.imaginary(), b.imaginary()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_declaration_order() {
        for (position, &ty) in ElementType::ALL.iter().enumerate() {
            assert_eq!(ty as usize, position);
            assert_eq!(Scalar::zero(ty).element_type(), ty);
            assert!(!Scalar::zero(ty).is_truthy());
            assert!(Scalar::one(ty).is_truthy());
        }
        assert_eq!(ElementType::Int32.name(), "int");
        assert_eq!(ElementType::ComplexDouble.name(), "cscalar'double");
        assert_eq!(ElementType::ComplexDouble.size(), 16);
    }

    #[test]
    fn promotion_is_symmetric_and_never_narrows_floats() {
        for &a in ElementType::ALL {
            for &b in ElementType::ALL {
                let c = promote(a, b);
                assert_eq!(c, promote(b, a));
                assert_eq!(c.is_complex(), a.is_complex() || b.is_complex());
                assert!(c.is_integer() == (a.is_integer() && b.is_integer()));
            }
        }
        assert_eq!(promote(ElementType::UInt8, ElementType::UInt8), ElementType::Int32);
        assert_eq!(promote(ElementType::UInt64, ElementType::UInt8), ElementType::UInt64);
        assert_eq!(promote(ElementType::Half, ElementType::Int64), ElementType::Half);
        assert_eq!(promote(ElementType::ComplexSingle, ElementType::Double), ElementType::ComplexDouble);
    }

    #[test]
    fn values_clip_when_read_as_integers() {
        assert_eq!(Scalar::U64(u64::MAX).as_i64(), i64::MAX);
        assert_eq!(Scalar::F32(f32::NAN).as_i64(), 0);
        assert_eq!(Scalar::F64(-1.7).as_i64(), -1);
        assert!(Scalar::F32(f32::NAN).is_truthy());
    }
}
