//! Reductions of slices, typed: what library calls and generated code share.

use crate::isa::Baseline;
use crate::ops::{self, Number, Real};
use std::cmp::Ordering;

/// Independent partial sums, which the compiler keeps in one vector register.
pub(super) const LANES: usize = 8;
/// The longest stretch added without splitting: bounds the rounding error, which grows with its length / `LANES`.
const BLOCK: usize = 256;

/// The place at which a sum of so many terms is split.
pub(super) fn halves(from: usize, to: usize) -> Option<usize> {
    (to - from > BLOCK).then(|| from + (to - from) / 2 / LANES * LANES)
}

/// The sum of `term(0) .. term(n - 1)`, pairwise.
pub fn sum_of<T: Number>(n: usize, term: &impl Fn(usize) -> T) -> T {
    sum_range(0, n, term)
}

/// The part of such a sum from one place to another.
fn sum_range<T: Number>(from: usize, to: usize, term: &impl Fn(usize) -> T) -> T {
    if let Some(middle) = halves(from, to) {
        return sum_range(from, middle, term).add(sum_range(middle, to, term));
    }
    let mut lanes = [T::default(); LANES];
    let whole = (to - from) / LANES * LANES;
    for start in (from..from + whole).step_by(LANES) {
        for (lane, sum) in lanes.iter_mut().enumerate() {
            *sum = sum.add(term(start + lane));
        }
    }
    let rest = (from + whole..to).fold(T::default(), |sum, i| sum.add(term(i)));
    lanes.iter().fold(rest, |sum, &lane| sum.add(lane))
}

/// The sum of a term for each element: the bits of [`sum_of`], without an index that the compiler would have to test.
pub(super) fn sum_each<S: Copy, T: Number>(x: &[S], term: &impl Fn(S) -> T) -> T {
    if let Some(middle) = halves(0, x.len()) {
        let (first, second) = x.split_at(middle);
        return sum_each(first, term).add(sum_each(second, term));
    }
    let mut lanes = [T::default(); LANES];
    let (whole, rest) = x.as_chunks::<LANES>();
    for x in whole {
        for lane in 0..LANES {
            lanes[lane] = lanes[lane].add(term(x[lane]));
        }
    }
    let mut sum = T::default();
    for &x in rest {
        sum = sum.add(term(x));
    }
    for lane in lanes {
        sum = sum.add(lane);
    }
    sum
}

/// The sum of all elements, pairwise.
pub fn sum<T: Number>(x: &[T]) -> T {
    sum_each(x, &|x| x)
}

/// The sum of the products of two slices of one length, pairwise.
pub fn dot<T: Number>(x: &[T], y: &[T]) -> T {
    sum_of(x.len().min(y.len()), &|i| x[i].multiply(y[i]))
}

/// The smaller value; NaN loses.
pub fn minimum<T: Real>(a: T, b: T) -> T {
    if a.is_nan() { b } else { ops::min::<Baseline, T>(a, b) }
}

/// The larger value; NaN loses.
pub fn maximum<T: Real>(a: T, b: T) -> T {
    if a.is_nan() { b } else { ops::max::<Baseline, T>(a, b) }
}

/// The ascending order, with NaN after everything.
pub fn ascending<T: Real>(a: &T, b: &T) -> Ordering {
    a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_accurate() {
        let x = vec![0.1f32; 1 << 20];
        let exact = f64::from(0.1f32) * x.len() as f64;
        assert!((f64::from(sum(&x)) - exact).abs() / exact < 1e-6);
        assert_eq!(sum::<i32>(&[]), 0);
        assert_eq!(sum(&(1..=1000).collect::<Vec<i32>>()), 500500);
        assert_eq!(sum(&[i32::MAX, 1]), i32::MIN);
    }

    #[test]
    fn sums_of_terms_have_the_bits_of_sums_by_index() {
        for n in [0, 1, 2, 7, 8, 17, 255, 256, 257, 264, 265, 4099] {
            let x: Vec<f32> = (0..n).map(|i| (i as f32 * 0.37).sin() * 1e3 + 0.1).collect();
            let by_index = sum_of(n, &|i| f64::from(x[i]) * 3.0);
            assert_eq!(sum_each(&x, &|x| f64::from(x) * 3.0).to_bits(), by_index.to_bits(), "{n}");
            assert_eq!(sum(&x).to_bits(), sum_of(n, &|i| x[i]).to_bits(), "{n}");
        }
    }

    #[test]
    fn nan_is_last_and_loses() {
        let nan = f32::NAN;
        let mut x = [3.0, nan, -1.0, 0.0];
        x.sort_by(ascending);
        assert_eq!(x[..3], [-1.0, 0.0, 3.0]);
        assert!(x[3].is_nan());
        assert_eq!([nan, 2.0, 1.0, nan].into_iter().reduce(minimum), Some(1.0));
    }
}
