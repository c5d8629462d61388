//! The traits behind the domains of the table rows: which Rust types a scalar function accepts, and its implementation
//! for each.

use half::f16;
use num_complex::Complex;

use crate::element::Element;
use crate::isa::Isa;
use crate::ops::convert::{ConvertTo, convert};
use crate::ops::{complex, double, single};

/// Every element type.
pub trait Number: Element {
    /// The component type of a complex type, or the type itself.
    type Real: Real;
    /// The complex type with such components.
    type Complex: Number;

    /// The number one.
    fn one() -> Self;
    /// Sum; integers wrap.
    fn add(self, other: Self) -> Self;
    /// Difference; integers wrap.
    fn subtract(self, other: Self) -> Self;
    /// Product; integers wrap.
    fn multiply(self, other: Self) -> Self;
    /// Negation; integers wrap.
    fn negate(self) -> Self;
    /// One over the value for floats and complex numbers; for integers 1, -1 or 0, the truncated quotient.
    fn reciprocal(self) -> Self;
    /// The absolute value.
    fn abs<I: Isa>(self) -> Self::Real;
    /// The real part.
    fn real(self) -> Self::Real;
    /// The imaginary part.
    fn imag(self) -> Self::Real;
    /// The complex conjugate.
    fn conj(self) -> Self;
    /// Whether any component is NaN.
    fn is_nan(self) -> bool;
    /// Whether any component is infinite.
    fn is_infinite(self) -> bool;
    /// Whether all components are finite.
    fn is_finite(self) -> bool;
}

/// Integers and floats.
pub trait Real: Number<Real = Self> + PartialOrd {
    /// Floored remainder: the sign of `n`; `x` when `n` is 0.
    fn modulo<I: Isa>(self, n: Self) -> Self;
    /// Truncated remainder: the sign of `x`. For integers `x` when `n` is 0, NaN for floats.
    fn remainder<I: Isa>(self, n: Self) -> Self;
    /// -1, 0 or 1.
    fn sign(self) -> Self;
    /// The value as `int`: truncated and saturated, NaN gives 0.
    fn to_int(self) -> i32;
    /// The smallest power of two that is not less, at least 1.
    fn next_power(self) -> i32;
    /// The largest power of two that is not greater; 0 below 1.
    fn previous_power(self) -> i32;
    /// The complex number with these components.
    fn complex(self, imaginary: Self) -> Self::Complex;
}

/// Integers.
pub trait Integer: Real {
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Bitwise complement.
    fn not(self) -> Self;
    /// Shift to the left; to the right by a negative amount. Bits shifted out are lost, whatever the amount.
    fn shl(self, amount: Self) -> Self;
    /// Shift to the right, arithmetic for signed types; to the left by a negative amount.
    fn shr(self, amount: Self) -> Self;
    /// The quotient without its fraction; 0 where the divisor is 0.
    fn quotient(self, other: Self) -> Self;
    /// The quotient in single precision without its fraction: for large numbers that is not the exact one.
    fn quotient_single(self, other: Self) -> Self;
    /// The largest integer that is not above the quotient; 0 where the divisor is 0.
    fn floor_quotient(self, other: Self) -> Self;
    /// The same of the quotient in single precision: for large numbers that is not the exact one.
    fn floor_quotient_single(self, other: Self) -> Self;
}

/// Passes the names of the unary functions of [`FloatOrComplex`] to a macro.
macro_rules! with_unary {
    ($then:ident $($first:tt)*) => {
        $then! { $($first)* exp exp2 log log2 log10 sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh }
    };
}

/// Passes the names of the unary functions of [`Float`] to a macro.
macro_rules! with_unary_float {
    ($then:ident $($first:tt)*) => {
        $then! { $($first)* floor ceil round fix gamma lgamma erf erfc }
    };
}

macro_rules! declare {
    ($($name:ident)*) => {
        $(#[doc = concat!("The function `", stringify!($name), "`.")]
        fn $name<I: Isa>(self) -> Self;)*
    };
}

/// Floats and complex numbers.
pub trait FloatOrComplex: Number {
    /// Quotient.
    fn divide<I: Isa>(self, other: Self) -> Self;
    /// Power.
    fn power<I: Isa>(self, exponent: Self) -> Self;
    /// The angle of a complex number; 0 or pi for a real one.
    fn angle<I: Isa>(self) -> Self::Real;
    with_unary!(declare);
}

/// Floats.
pub trait Float: Real + FloatOrComplex {
    /// The angle of the point `(x, self)`.
    fn atan2<I: Isa>(self, x: Self) -> Self;
    /// The length of the hypotenuse.
    fn hypot<I: Isa>(self, other: Self) -> Self;
    with_unary_float!(declare);
}

/// The quotient in single precision of integers below this bound has the integer part of the exact one.
const EXACT_QUOTIENTS: u64 = 1 << 23;

/// Whether the quotient of integers in single precision has the integer part of the exact one, and the same floor.
#[inline(always)]
fn is_exact<T: TryInto<i64>>(a: T, b: T) -> bool {
    let [a, b] = [a, b].map(|x| x.try_into().unwrap_or(i64::MAX));
    a.unsigned_abs() < EXACT_QUOTIENTS && b.unsigned_abs() < EXACT_QUOTIENTS && b != 0
}

/// The integer part of a quotient, or its floor. A call of its own, so that loops branch around it instead of computing it always.
#[cold]
#[inline(never)]
fn of_quotient<T: Element>(a: f32, b: f32, floor: bool) -> T
where
    f32: ConvertTo<T>,
{
    convert(if floor { (a / b).floor() } else { a / b })
}

macro_rules! integers {
    ($($rust:ty, $unsigned:ty);*) => {
        $(impl Number for $rust {
            type Real = $rust;
            type Complex = Complex<f32>;

            #[inline(always)]
            fn one() -> Self {
                1
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn subtract(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
            #[inline(always)]
            fn multiply(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            #[inline(always)]
            fn negate(self) -> Self {
                self.wrapping_neg()
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                let minus_one = <$rust>::MIN != 0 && self.wrapping_neg() == 1;
                if self == 1 || minus_one { self } else { 0 }
            }
            #[inline(always)]
            fn abs<I: Isa>(self) -> Self {
                if self < Self::default() { self.wrapping_neg() } else { self }
            }
            #[inline(always)]
            fn real(self) -> Self {
                self
            }
            #[inline(always)]
            fn imag(self) -> Self {
                0
            }
            #[inline(always)]
            fn conj(self) -> Self {
                self
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                false
            }
            #[inline(always)]
            fn is_infinite(self) -> bool {
                false
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                true
            }
        }

        impl Real for $rust {
            #[inline(always)]
            fn modulo<I: Isa>(self, n: Self) -> Self {
                let rest = self.remainder::<I>(n);
                let negative = rest < Self::default();
                let crosses = n != 0 && rest != 0 && negative != (n < Self::default());
                if crosses { rest.wrapping_add(n) } else { rest }
            }
            #[inline(always)]
            fn remainder<I: Isa>(self, n: Self) -> Self {
                if n == 0 { self } else { self.wrapping_rem(n) }
            }
            #[inline(always)]
            fn sign(self) -> Self {
                let minus_one = Self::default().wrapping_sub(1);
                if self < Self::default() { minus_one } else { Self::from(self != 0) }
            }
            #[inline(always)]
            fn to_int(self) -> i32 {
                i32::try_from(self).unwrap_or(if self > 0 { i32::MAX } else { i32::MIN })
            }
            #[inline(always)]
            fn next_power(self) -> i32 {
                if self <= 1 {
                    1
                } else if (self as u64) > 1 << 30 {
                    i32::MAX
                } else {
                    (self as u64).next_power_of_two() as i32
                }
            }
            #[inline(always)]
            fn previous_power(self) -> i32 {
                if self < 1 { 0 } else { 1 << (63 - (self as u64).leading_zeros()).min(30) }
            }
            #[inline(always)]
            fn complex(self, imaginary: Self) -> Complex<f32> {
                Complex::new(self as f32, imaginary as f32)
            }
        }

        impl Integer for $rust {
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn shl(self, amount: Self) -> Self {
                let to_right = amount < Self::default();
                let count = (if to_right { amount.wrapping_neg() } else { amount }) as $unsigned;
                let inside = count < <$rust>::BITS as $unsigned;
                let left = if inside { self.wrapping_shl(count as u32) } else { 0 };
                // Beyond the width all bits are copies of the sign.
                let sign = self.wrapping_shr(<$rust>::BITS - 1) >> 1;
                let right = if inside { self.wrapping_shr(count as u32) } else { sign };
                if to_right { right } else { left }
            }
            #[inline(always)]
            fn shr(self, amount: Self) -> Self {
                let to_left = amount < Self::default();
                let count = (if to_left { amount.wrapping_neg() } else { amount }) as $unsigned;
                let inside = count < <$rust>::BITS as $unsigned;
                let left = if inside { self.wrapping_shl(count as u32) } else { 0 };
                let sign = self.wrapping_shr(<$rust>::BITS - 1) >> 1;
                let right = if inside { self.wrapping_shr(count as u32) } else { sign };
                if to_left { left } else { right }
            }
            #[inline(always)]
            fn quotient(self, other: Self) -> Self {
                if other == 0 { 0 } else { self.wrapping_div(other) }
            }
            #[inline(always)]
            fn quotient_single(self, other: Self) -> Self {
                if is_exact(self, other) {
                    self.wrapping_div(other)
                } else {
                    of_quotient(self as f32, other as f32, false)
                }
            }
            #[inline(always)]
            fn floor_quotient(self, other: Self) -> Self {
                if other == 0 {
                    return 0;
                }
                let (whole, rest) = (self.wrapping_div(other), self.wrapping_rem(other));
                let below = rest != 0 && (rest < Self::default()) != (other < Self::default());
                whole.wrapping_sub(Self::from(below))
            }
            #[inline(always)]
            fn floor_quotient_single(self, other: Self) -> Self {
                if is_exact(self, other) {
                    self.floor_quotient(other)
                } else {
                    of_quotient(self as f32, other as f32, true)
                }
            }
        })*
    };
}
integers!(i8, u8; i16, u16; i32, u32; i64, u64; u8, u8; u16, u16; u32, u32; u64, u64);

macro_rules! floats {
    ($($rust:ty, $module:ident);*) => {
        $(impl Number for $rust {
            type Real = $rust;
            type Complex = Complex<$rust>;

            #[inline(always)]
            fn one() -> Self {
                1.0
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn subtract(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn multiply(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn negate(self) -> Self {
                -self
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                1.0 / self
            }
            #[inline(always)]
            fn abs<I: Isa>(self) -> Self {
                <$rust>::abs(self)
            }
            #[inline(always)]
            fn real(self) -> Self {
                self
            }
            #[inline(always)]
            fn imag(self) -> Self {
                0.0
            }
            #[inline(always)]
            fn conj(self) -> Self {
                self
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                <$rust>::is_nan(self)
            }
            #[inline(always)]
            fn is_infinite(self) -> bool {
                <$rust>::is_infinite(self)
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                <$rust>::is_finite(self)
            }
        }

        impl Real for $rust {
            #[inline(always)]
            fn modulo<I: Isa>(self, n: Self) -> Self {
                $module::modulo::<I>(self, n)
            }
            #[inline(always)]
            fn remainder<I: Isa>(self, n: Self) -> Self {
                $module::remainder::<I>(self, n)
            }
            #[inline(always)]
            fn sign(self) -> Self {
                let unsigned = if self == 0.0 { self } else { (1.0 as $rust).copysign(self) };
                if self != self { self } else { unsigned }
            }
            #[inline(always)]
            fn to_int(self) -> i32 {
                self as i32
            }
            #[inline(always)]
            fn next_power(self) -> i32 {
                // The bits round up to a power of two when the mantissa overflows into the exponent.
                let whole = self as u32;
                let up = whole.wrapping_add(u32::from((whole as $rust) < self));
                if self > (1_u32 << 30) as $rust { i32::MAX } else { up.next_power_of_two() as i32 }
            }
            #[inline(always)]
            fn previous_power(self) -> i32 {
                (self as i32).previous_power()
            }
            #[inline(always)]
            fn complex(self, imaginary: Self) -> Complex<$rust> {
                Complex::new(self, imaginary)
            }
        }
        )*
    };
}
floats!(f32, single; f64, double);

impl Number for f16 {
    type Real = f16;
    type Complex = Complex<f32>;

    #[inline(always)]
    fn one() -> Self {
        f16::ONE
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        f16::from_f32(self.to_f32() + other.to_f32())
    }
    #[inline(always)]
    fn subtract(self, other: Self) -> Self {
        f16::from_f32(self.to_f32() - other.to_f32())
    }
    #[inline(always)]
    fn multiply(self, other: Self) -> Self {
        f16::from_f32(self.to_f32() * other.to_f32())
    }
    #[inline(always)]
    fn negate(self) -> Self {
        -self
    }
    #[inline(always)]
    fn reciprocal(self) -> Self {
        f16::from_f32(1.0 / self.to_f32())
    }
    #[inline(always)]
    fn abs<I: Isa>(self) -> Self {
        f16::from_bits(self.to_bits() & 0x7fff)
    }
    #[inline(always)]
    fn real(self) -> Self {
        self
    }
    #[inline(always)]
    fn imag(self) -> Self {
        f16::ZERO
    }
    #[inline(always)]
    fn conj(self) -> Self {
        self
    }
    #[inline(always)]
    fn is_nan(self) -> bool {
        f16::is_nan(self)
    }
    #[inline(always)]
    fn is_infinite(self) -> bool {
        f16::is_infinite(self)
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        f16::is_finite(self)
    }
}

impl Real for f16 {
    #[inline(always)]
    fn modulo<I: Isa>(self, n: Self) -> Self {
        f16::from_f32(single::modulo::<I>(self.to_f32(), n.to_f32()))
    }
    #[inline(always)]
    fn remainder<I: Isa>(self, n: Self) -> Self {
        f16::from_f32(single::remainder::<I>(self.to_f32(), n.to_f32()))
    }
    #[inline(always)]
    fn sign(self) -> Self {
        f16::from_f32(self.to_f32().sign())
    }
    #[inline(always)]
    fn to_int(self) -> i32 {
        self.to_f32().to_int()
    }
    #[inline(always)]
    fn next_power(self) -> i32 {
        self.to_f32().next_power()
    }
    #[inline(always)]
    fn previous_power(self) -> i32 {
        self.to_f32().previous_power()
    }
    #[inline(always)]
    fn complex(self, imaginary: Self) -> Complex<f32> {
        Complex::new(self.to_f32(), imaginary.to_f32())
    }
}

macro_rules! complexes {
    ($($rust:ty, $module:ident);*) => {
        $(impl Number for Complex<$rust> {
            type Real = $rust;
            type Complex = Self;

            #[inline(always)]
            fn one() -> Self {
                Complex::new(1.0, 0.0)
            }
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn subtract(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn multiply(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn negate(self) -> Self {
                -self
            }
            #[inline(always)]
            fn reciprocal(self) -> Self {
                complex::divide(Self::one(), self)
            }
            #[inline(always)]
            fn abs<I: Isa>(self) -> $rust {
                $module::hypot::<I>(self.re, self.im)
            }
            #[inline(always)]
            fn real(self) -> $rust {
                self.re
            }
            #[inline(always)]
            fn imag(self) -> $rust {
                self.im
            }
            #[inline(always)]
            fn conj(self) -> Self {
                Complex::new(self.re, -self.im)
            }
            #[inline(always)]
            fn is_nan(self) -> bool {
                self.re.is_nan() || self.im.is_nan()
            }
            #[inline(always)]
            fn is_infinite(self) -> bool {
                self.re.is_infinite() || self.im.is_infinite()
            }
            #[inline(always)]
            fn is_finite(self) -> bool {
                self.re.is_finite() && self.im.is_finite()
            }
        })*
    };
}
complexes!(f32, single; f64, double);

macro_rules! call_module {
    ($module:ident: $($name:ident)*) => {
        $(#[inline(always)]
        fn $name<I: Isa>(self) -> Self {
            $module::$name::<I>(self)
        })*
    };
}

macro_rules! float_functions {
    ($($rust:ty, $module:ident);*) => {
        $(impl FloatOrComplex for $rust {
            #[inline(always)]
            fn divide<I: Isa>(self, other: Self) -> Self {
                self / other
            }
            #[inline(always)]
            fn power<I: Isa>(self, exponent: Self) -> Self {
                $module::power::<I>(self, exponent)
            }
            #[inline(always)]
            fn angle<I: Isa>(self) -> Self {
                $module::atan2::<I>(0.0, self)
            }
            with_unary!(call_module $module:);
        }

        impl Float for $rust {
            #[inline(always)]
            fn atan2<I: Isa>(self, x: Self) -> Self {
                $module::atan2::<I>(self, x)
            }
            #[inline(always)]
            fn hypot<I: Isa>(self, other: Self) -> Self {
                $module::hypot::<I>(self, other)
            }
            with_unary_float!(call_module $module:);
        })*
    };
}
float_functions!(f32, single; f64, double);

macro_rules! call_wider {
    ($($name:ident)*) => {
        $(#[inline(always)]
        fn $name<I: Isa>(self) -> Self {
            f16::from_f32(single::$name::<I>(self.to_f32()))
        })*
    };
}

impl FloatOrComplex for f16 {
    #[inline(always)]
    fn divide<I: Isa>(self, other: Self) -> Self {
        f16::from_f32(self.to_f32() / other.to_f32())
    }
    #[inline(always)]
    fn power<I: Isa>(self, exponent: Self) -> Self {
        f16::from_f32(single::power::<I>(self.to_f32(), exponent.to_f32()))
    }
    #[inline(always)]
    fn angle<I: Isa>(self) -> Self {
        f16::from_f32(single::atan2::<I>(0.0, self.to_f32()))
    }
    with_unary!(call_wider);
}

impl Float for f16 {
    #[inline(always)]
    fn atan2<I: Isa>(self, x: Self) -> Self {
        f16::from_f32(single::atan2::<I>(self.to_f32(), x.to_f32()))
    }
    #[inline(always)]
    fn hypot<I: Isa>(self, other: Self) -> Self {
        f16::from_f32(single::hypot::<I>(self.to_f32(), other.to_f32()))
    }
    with_unary_float!(call_wider);
}

impl FloatOrComplex for Complex<f64> {
    #[inline(always)]
    fn divide<I: Isa>(self, other: Self) -> Self {
        complex::divide(self, other)
    }
    #[inline(always)]
    fn power<I: Isa>(self, exponent: Self) -> Self {
        complex::power::<I>(self, exponent)
    }
    #[inline(always)]
    fn angle<I: Isa>(self) -> f64 {
        double::atan2::<I>(self.im, self.re)
    }
    with_unary!(call_module complex:);
}

macro_rules! call_wider_complex {
    ($($name:ident)*) => {
        $(#[inline(always)]
        fn $name<I: Isa>(self) -> Self {
            complex::narrow(complex::$name::<I>(complex::widen(self)))
        })*
    };
}

impl FloatOrComplex for Complex<f32> {
    #[inline(always)]
    fn divide<I: Isa>(self, other: Self) -> Self {
        complex::divide(self, other)
    }
    #[inline(always)]
    fn power<I: Isa>(self, exponent: Self) -> Self {
        complex::narrow(complex::power::<I>(complex::widen(self), complex::widen(exponent)))
    }
    #[inline(always)]
    fn angle<I: Isa>(self) -> f32 {
        single::atan2::<I>(self.im, self.re)
    }
    with_unary!(call_wider_complex);
}
