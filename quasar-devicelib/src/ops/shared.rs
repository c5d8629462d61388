//! Code shared by both precisions, as macros: rounding to integers, and the special values of `power`.

/// Defines `fix`, `floor`, `ceil` and `round`. Without a rounding instruction the standard functions would be scalar
/// library calls, so there adding the largest power of two that has a fraction rounds.
macro_rules! rounding {
    ($rust:ty, $integers_from:literal, $below_half:literal) => {
        /// The nearest integer, without a rounding instruction.
        #[inline(always)]
        fn whole(x: $rust) -> $rust {
            let shift = <$rust>::copysign($integers_from, x);
            if x.abs() < $integers_from { (x + shift) - shift } else { x }
        }

        /// Truncation toward zero.
        #[inline(always)]
        pub(super) fn fix<I: Isa>(x: $rust) -> $rust {
            if I::FMA {
                return x.trunc();
            }
            let rounded = whole(x);
            let less = if rounded.abs() > x.abs() { rounded - <$rust>::copysign(1.0, x) } else { rounded };
            less.copysign(x)
        }

        /// The largest integer not above.
        #[inline(always)]
        pub(super) fn floor<I: Isa>(x: $rust) -> $rust {
            if I::FMA {
                return x.floor();
            }
            let rounded = whole(x);
            (if rounded > x { rounded - 1.0 } else { rounded }).copysign(x)
        }

        /// The smallest integer not below.
        #[inline(always)]
        pub(super) fn ceil<I: Isa>(x: $rust) -> $rust {
            if I::FMA {
                return x.ceil();
            }
            let rounded = whole(x);
            (if rounded < x { rounded + 1.0 } else { rounded }).copysign(x)
        }

        /// The nearest integer, halves away from zero.
        #[inline(always)]
        pub(super) fn round<I: Isa>(x: $rust) -> $rust {
            // The largest number below a half: a half itself would round the number just below 0.5 to 1.
            fix::<I>(x + <$rust>::copysign($below_half, x))
        }
    };
}

/// Selects the special values of IEEE 754 `pow`. `$regular` is `|x|^y`, computed for finite positive bases and finite
/// exponents.
macro_rules! power_limits {
    ($rust:ty, $isa:ty, $x:ident, $y:ident, $regular:ident) => {{
        let a = $x.abs();
        let half = 0.5 * $y;
        let integer = fix::<$isa>($y) == $y;
        let odd = integer & (fix::<$isa>(half) != half);
        let endless = $y.abs() == <$rust>::INFINITY;
        // Bases 0 and infinity, and infinite exponents, give 0 or infinity.
        let extreme = if (a < 1.0) == ($y > 0.0) { 0.0 } else { <$rust>::INFINITY };
        let is_extreme = (a == 0.0) | (a == <$rust>::INFINITY) | endless;
        let magnitude = if is_extreme { extreme } else { $regular };
        let signed = if odd { magnitude.copysign($x) } else { magnitude };
        let no_root = ($x < 0.0) & !integer & (a < <$rust>::INFINITY);
        let result = if no_root | ($x != $x) | ($y != $y) { <$rust>::NAN } else { signed };
        let one = ($y == 0.0) | ($x == 1.0) | (a == 1.0) & endless;
        if one { 1.0 } else { result }
    }};
}
