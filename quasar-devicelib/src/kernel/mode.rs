//! Boundary modes as types, so that kernels are monomorphised for them.

use crate::boundary;

/// A boundary mode.
pub trait Mode: Copy {
    /// Whether an index out of range may map to an element.
    const FOLDS: bool;

    /// Whether programs read out of range on purpose, to get zeros.
    const PADS: bool;

    /// Maps `i` into `0..n`, or to -1 if there is no element.
    fn map(i: i32, n: i32) -> i32;
}

macro_rules! modes {
    ($($(#[$doc:meta])* $name:ident, $folds:literal, $pads:literal = |$i:ident, $n:ident| $map:expr;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Mode for $name {
            const FOLDS: bool = $folds;
            const PADS: bool = $pads;

            #[inline(always)]
            fn map($i: i32, $n: i32) -> i32 {
                $map
            }
        })*
    };
}

modes! {
    /// Reads out of range give zero.
    Safe, false, true = |i, n| if boundary::in_range(i, n) { i } else { -1 };
    /// An access out of range is an error.
    Checked, false, false = |i, n| if boundary::in_range(i, n) { i } else { -1 };
    /// The program asserts that accesses are in range; reads out of range give zero.
    Unchecked, false, false = |i, n| if boundary::in_range(i, n) { i } else { -1 };
    /// Periodic.
    Circular, true, false = |i, n| if n > 0 { boundary::periodize(i, n) } else { -1 };
    /// Reflected, edge sample repeated.
    Mirror, true, false = |i, n| if n > 0 { boundary::mirror(i, n) } else { -1 };
    /// Clamped to the nearest index.
    Clamped, true, false = |i, n| i.max(0).min(n - 1);
}
