//! Scalar functions: exponentials, logarithms, trigonometric and hyperbolic functions, powers and rounding.

use super::{Float, FloatOrComplex};
use crate::isa::Isa;

macro_rules! unary {
    ($domain:ident: $($name:ident $doc:literal;)*) => {
        $(#[doc = $doc]
        #[inline(always)]
        pub fn $name<I: Isa, T: $domain>(x: T) -> T {
            x.$name::<I>()
        })*
    };
}

unary! { FloatOrComplex:
    exp "The exponential function.";
    exp2 "Two to the power of x.";
    log "The natural logarithm.";
    log2 "The logarithm to base 2.";
    log10 "The logarithm to base 10.";
    sqrt "The square root.";
    rsqrt "The reciprocal of the square root.";
    cbrt "The cube root; the principal one for complex numbers.";
    sin "The sine of an angle in radians.";
    cos "The cosine of an angle in radians.";
    tan "The tangent of an angle in radians.";
    asin "The inverse sine.";
    acos "The inverse cosine.";
    atan "The inverse tangent.";
    sinh "The hyperbolic sine.";
    cosh "The hyperbolic cosine.";
    tanh "The hyperbolic tangent.";
    asinh "The inverse hyperbolic sine.";
    acosh "The inverse hyperbolic cosine.";
    atanh "The inverse hyperbolic tangent.";
}

unary! { Float:
    floor "The largest integer not above x.";
    ceil "The smallest integer not below x.";
    round "The nearest integer, halves away from zero.";
    fix "The integer part, rounded toward zero.";
}

/// `x - floor(x)`.
#[inline(always)]
pub fn frac<I: Isa, T: Float>(x: T) -> T {
    x.subtract(x.floor::<I>())
}

/// `x` to the power `a`. A negative base with a fractional exponent gives NaN.
#[inline(always)]
pub fn power<I: Isa, T: FloatOrComplex>(x: T, a: T) -> T {
    x.power::<I>(a)
}

/// The angle of the point `(x, y)`.
#[inline(always)]
pub fn atan2<I: Isa, T: Float>(y: T, x: T) -> T {
    y.atan2::<I>(x)
}

/// The length of the hypotenuse.
#[inline(always)]
pub fn hypot<I: Isa, T: Float>(a: T, b: T) -> T {
    a.hypot::<I>(b)
}

/// The angle of a complex number; 0 or pi for a real one.
#[inline(always)]
pub fn angle<I: Isa, T: FloatOrComplex>(x: T) -> T::Real {
    x.angle::<I>()
}
