//! Scalar functions: comparisons, logic and classification; all yield `int` 0 or 1.

use super::{Number, Real};
use crate::isa::Isa;

macro_rules! comparisons {
    ($($(#[$doc:meta])* $name:ident $domain:ident ($($x:ident),+) $result:expr;)*) => {
        $($(#[$doc])*
        #[inline(always)]
        pub fn $name<I: Isa, T: $domain>($($x: T),+) -> i32 {
            i32::from($result)
        })*
    };
}

comparisons! {
    /// Whether two values are equal.
    equal Number(a, b) a == b;
    /// Whether two values differ.
    not_equal Number(a, b) a != b;
    /// Whether `a` is less.
    less Real(a, b) a < b;
    /// Whether `a` is less or equal.
    less_equal Real(a, b) a <= b;
    /// Whether `a` is greater.
    greater Real(a, b) a > b;
    /// Whether `a` is greater or equal.
    greater_equal Real(a, b) a >= b;
    /// Whether a value is zero.
    logical_not Number(x) x == T::default();
    /// Whether both values differ from zero.
    logical_and Number(a, b) (a != T::default()) & (b != T::default());
    /// Whether any of two values differs from zero.
    logical_or Number(a, b) (a != T::default()) | (b != T::default());
    /// Whether a value, or a component of it, is NaN.
    isnan Number(x) x.is_nan();
    /// Whether a value, or a component of it, is infinite.
    isinf Number(x) x.is_infinite();
    /// Whether a value with all its components is finite.
    isfinite Number(x) x.is_finite();
}
