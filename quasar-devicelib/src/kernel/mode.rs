//! What an index out of range stands for, as types.

use crate::boundary;

/// A boundary access mode.
pub trait Mode: Copy {
    /// Whether an index out of range may stand for another one.
    const FOLDS: bool;

    /// The index inside `0..n` that `i` stands for, or -1 when there is none.
    fn map(i: i32, n: i32) -> i32;
}

macro_rules! modes {
    ($($(#[$doc:meta])* $name:ident, $folds:literal = |$i:ident, $n:ident| $map:expr;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Mode for $name {
            const FOLDS: bool = $folds;

            #[inline(always)]
            fn map($i: i32, $n: i32) -> i32 {
                $map
            }
        })*
    };
}

modes! {
    /// Nothing is there: reads give zero.
    Safe, false = |i, n| if boundary::in_range(i, n) { i } else { -1 };
    /// An error.
    Checked, false = |i, n| if boundary::in_range(i, n) { i } else { -1 };
    /// The programmer vouches for it; reads outside give zero.
    Unchecked, false = |i, n| if boundary::in_range(i, n) { i } else { -1 };
    /// Periodic.
    Circular, true = |i, n| if n > 0 { boundary::periodize(i, n) } else { -1 };
    /// Reflected, edge sample repeated.
    Mirror, true = |i, n| if n > 0 { boundary::mirror(i, n) } else { -1 };
    /// The nearest.
    Clamped, true = |i, n| if n > 0 { boundary::clamp_index(i, n) } else { -1 };
}
