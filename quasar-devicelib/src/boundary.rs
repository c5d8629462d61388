//! Index maps of the boundary modes (language reference §3.7): the index to which one outside `0..n` maps.
//!
//! Every function is total: for an empty dimension (`n <= 0`) the maps give 0 and `in_range` is false, so a caller that
//! tests for emptiness once needs no other check.

/// Signed integers that serve as indices.
pub trait Index: Copy {
    /// `i - n * floor(i / n)`.
    fn periodize(self, n: Self) -> Self;
    /// Reflection that repeats the edge sample.
    fn mirror(self, n: Self) -> Self;
    /// The nearest index.
    fn clamp_index(self, n: Self) -> Self;
    /// Whether the index lies in `0..n`.
    fn in_range(self, n: Self) -> bool;
}

macro_rules! indices {
    ($($signed:ty, $unsigned:ty);*) => {
        $(impl Index for $signed {
            #[inline(always)]
            fn periodize(self, n: Self) -> Self {
                // Most accesses are in range; a division costs more than this branch.
                if self.in_range(n) {
                    self
                } else if n <= 0 {
                    0
                } else {
                    self.rem_euclid(n)
                }
            }

            #[inline(always)]
            fn mirror(self, n: Self) -> Self {
                if self.in_range(n) {
                    self
                } else if n <= 0 {
                    0
                } else {
                    // Counting periods of n avoids 2n, which could overflow.
                    let inside = self.rem_euclid(n);
                    if self.div_euclid(n) & 1 == 0 { inside } else { n - 1 - inside }
                }
            }

            #[inline(always)]
            fn clamp_index(self, n: Self) -> Self {
                let last = if n > 0 { n - 1 } else { 0 };
                let low = if self > 0 { self } else { 0 };
                if low < last { low } else { last }
            }

            #[inline(always)]
            fn in_range(self, n: Self) -> bool {
                n > 0 && (self as $unsigned) < (n as $unsigned)
            }
        })*
    };
}
indices!(i32, u32; i64, u64; isize, usize);

/// `'circular`: `i - n * floor(i / n)`.
#[inline(always)]
pub fn periodize<T: Index>(i: T, n: T) -> T {
    i.periodize(n)
}

/// `'mirror`: -1 maps to 0, -2 to 1, n to n-1.
#[inline(always)]
pub fn mirror<T: Index>(i: T, n: T) -> T {
    i.mirror(n)
}

/// `'clamped`: the nearest index in range.
#[inline(always)]
pub fn clamp_index<T: Index>(i: T, n: T) -> T {
    i.clamp_index(n)
}

/// Whether an index lies in `0..n`.
#[inline(always)]
pub fn in_range<T: Index>(i: T, n: T) -> bool {
    i.in_range(n)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mirror_repeats_the_edge() {
        let got: Vec<i32> = (-3..=6).map(|i| mirror(i, 4)).collect();
        assert_eq!(got, [2, 1, 0, 0, 1, 2, 3, 3, 2, 1]);
    }

    #[test]
    fn maps_agree_with_their_definitions() {
        for n in 1..7_i64 {
            for i in -40..40_i64 {
                let m = i.rem_euclid(2 * n);
                assert_eq!(mirror(i, n), if m < n { m } else { 2 * n - 1 - m });
                assert_eq!(periodize(i, n), i - n * i.div_euclid(n));
                assert_eq!(clamp_index(i, n), i.max(0).min(n - 1));
                assert_eq!(in_range(i, n), i >= 0 && i < n);
            }
        }
    }

    #[test]
    fn extremes_do_not_overflow() {
        for i in [i32::MIN, -1, 0, 1, i32::MAX] {
            for n in [i32::MIN, -1, 0, 1, 2, i32::MAX] {
                let maps = [periodize(i, n), mirror(i, n), clamp_index(i, n)];
                assert!(maps.iter().all(|&m| if n > 0 { in_range(m, n) } else { m == 0 }));
            }
        }
    }
}
