//! Scalar functions: the gamma function and the error function.

use super::Float;
use crate::isa::Isa;

macro_rules! unary {
    ($($name:ident $doc:literal;)*) => {
        $(#[doc = $doc]
        #[inline(always)]
        pub fn $name<I: Isa, T: Float>(x: T) -> T {
            x.$name::<I>()
        })*
    };
}

unary! {
    gamma "The gamma function.";
    lgamma "The logarithm of the absolute value of the gamma function.";
    erf "The error function.";
    erfc "The complementary error function, 1-erf(x).";
}
