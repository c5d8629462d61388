//! Reductions and scans over slices, typed: what library calls and generated code share.
//!
//! `(outer, n, inner)` describes one dimension of a row-major array: its extent `n`, the number of blocks before it,
//! the number of elements per step along it.

use super::array;
use super::error::ValueError;
use crate::isa::Baseline;
use crate::ops::{self, Number, Real};
use std::cmp::Ordering;

/// Independent partial sums, which the compiler keeps in one vector register.
const LANES: usize = 8;
/// The longest stretch added without splitting: bounds the rounding error, which grows with its length / `LANES`.
const BLOCK: usize = 256;

/// The sum of `term(0) .. term(n - 1)`, pairwise.
pub fn sum_of<T: Number>(n: usize, term: &impl Fn(usize) -> T) -> T {
    fn part<T: Number>(from: usize, to: usize, term: &impl Fn(usize) -> T) -> T {
        if to - from > BLOCK {
            let middle = from + (to - from) / 2 / LANES * LANES;
            return part(from, middle, term).add(part(middle, to, term));
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
    part(0, n, term)
}

/// The sum of all elements, pairwise.
pub fn sum<T: Number>(x: &[T]) -> T {
    sum_of(x.len(), &|i| x[i])
}

/// The sum of the products of two slices of one length, pairwise.
pub fn dot<T: Number>(x: &[T], y: &[T]) -> T {
    sum_of(x.len().min(y.len()), &|i| x[i].multiply(y[i]))
}

/// Sums along one dimension.
pub fn sum_along<T: Number>(x: &[T], (outer, n, inner): (usize, usize, usize)) -> Result<Vec<T>, ValueError> {
    if inner == 1 {
        return array::collect(outer, (0..outer).map(|o| sum(&x[o * n..(o + 1) * n])));
    }
    let mut result = array::filled(T::default(), outer * inner)?;
    for (o, target) in result.chunks_exact_mut(inner.max(1)).enumerate() {
        add_rows(&x[o * n * inner..(o + 1) * n * inner], target)?;
    }
    Ok(result)
}

/// Adds the rows of a matrix to `target`, pairwise.
fn add_rows<T: Number>(rows: &[T], target: &mut [T]) -> Result<(), ValueError> {
    let count = rows.len() / target.len().max(1);
    if count > 2 * LANES {
        let (first, second) = rows.split_at(count / 2 * target.len());
        let mut half = array::filled(T::default(), target.len())?;
        add_rows(first, target)?;
        add_rows(second, &mut half)?;
        target.iter_mut().zip(&half).for_each(|(y, &x)| *y = y.add(x));
        return Ok(());
    }
    for row in rows.chunks_exact(target.len().max(1)) {
        target.iter_mut().zip(row).for_each(|(y, &x)| *y = y.add(x));
    }
    Ok(())
}

/// Combines the elements along one dimension from the first to the last. The extent must not be 0.
pub fn fold_along<T: Copy>(
    x: &[T],
    (outer, n, inner): (usize, usize, usize),
    combine: impl Fn(T, T) -> T,
) -> Result<Vec<T>, ValueError> {
    let mut result = array::reserve(outer * inner)?;
    for block in x.chunks_exact((n * inner).max(1)) {
        let start = result.len();
        result.extend_from_slice(&block[..inner]);
        for row in block[inner..].chunks_exact(inner.max(1)) {
            result[start..].iter_mut().zip(row).for_each(|(y, &x)| *y = combine(*y, x));
        }
    }
    Ok(result)
}

/// Inclusive scans along one dimension.
pub fn scan_along<T: Copy>(
    x: &[T],
    (_, n, inner): (usize, usize, usize),
    combine: impl Fn(T, T) -> T,
) -> Result<Vec<T>, ValueError> {
    let mut result = array::duplicate(x)?;
    for block in result.chunks_exact_mut((n * inner).max(1)) {
        for i in inner..block.len() {
            block[i] = combine(block[i - inner], block[i]);
        }
    }
    Ok(result)
}

/// Calls `f` with every line along one dimension, and with its number.
pub fn each_line<T: Copy>(
    x: &[T],
    (outer, n, inner): (usize, usize, usize),
    mut f: impl FnMut(usize, &mut [T]) -> Result<(), ValueError>,
) -> Result<(), ValueError> {
    let mut line = array::reserve(n)?;
    for o in 0..outer {
        for i in 0..inner {
            line.clear();
            line.extend((0..n).map(|k| x[(o * n + k) * inner + i]));
            f(o * inner + i, &mut line)?;
        }
    }
    Ok(())
}

/// The smaller value; NaN loses.
pub fn minimum<T: Real>(a: T, b: T) -> T {
    if a.is_nan() { b } else { ops::min::<Baseline, T>(a, b) }
}

/// The larger value; NaN loses.
pub fn maximum<T: Real>(a: T, b: T) -> T {
    if a.is_nan() { b } else { ops::max::<Baseline, T>(a, b) }
}

/// The place of the first element that no other one precedes in the given sense. NaN is passed over.
pub fn first_extremum<T: Real>(x: &[T], precedes: impl Fn(&T, &T) -> bool) -> usize {
    let mut best = 0;
    for i in 1..x.len() {
        if (x[best].is_nan() && !x[i].is_nan()) || precedes(&x[i], &x[best]) {
            best = i;
        }
    }
    best
}

/// The ascending order, with NaN after everything.
pub fn ascending<T: Real>(a: &T, b: &T) -> Ordering {
    a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// The order of sorted elements: ascending, and zeros by their sign, so that sorting in place leaves nothing open.
pub fn sorted<T: Real>(a: &T, b: &T) -> Ordering {
    let negative = |x: &T| x.to_scalar().as_f64().is_sign_negative();
    ascending(a, b).then_with(|| if a.is_nan() { Ordering::Equal } else { negative(b).cmp(&negative(a)) })
}

/// The element or the pair of elements in the middle of the ascending order; none of an empty slice.
pub fn middle<T: Real>(x: &mut [T]) -> Option<(T, T)> {
    let n = x.len();
    if n == 0 {
        return None;
    }
    let (below, &mut upper, _) = x.select_nth_unstable_by(n / 2, ascending);
    let lower = if n % 2 == 1 { Some(upper) } else { below.iter().copied().max_by(ascending) };
    Some((lower.unwrap_or(upper), upper))
}

/// Mean and sum of the squared distances from it.
pub fn spread(x: &[f64]) -> (f64, f64) {
    let mean = sum(x) / x.len() as f64;
    (mean, sum_of(x.len(), &|i| (x[i] - mean) * (x[i] - mean)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_accurate() {
        let x = vec![0.1f32; 1 << 20];
        let exact = f64::from(0.1f32) * x.len() as f64;
        assert!((f64::from(sum(&x)) - exact).abs() / exact < 1e-6);
        let columns = sum_along(&x, (1, 1 << 16, 16)).unwrap();
        let exact = f64::from(0.1f32) * 65536.0;
        assert!(columns.iter().all(|&y| (f64::from(y) - exact).abs() / exact < 1e-6));
        assert_eq!(sum::<i32>(&[]), 0);
        assert_eq!(sum(&(1..=1000).collect::<Vec<i32>>()), 500500);
        assert_eq!(sum(&[i32::MAX, 1]), i32::MIN);
    }

    #[test]
    fn lines_are_visited_along_every_dimension() {
        let x: Vec<i32> = (0..24).collect();
        assert_eq!(sum_along(&x, (1, 2, 12)).unwrap()[..3], [12, 14, 16]);
        assert_eq!(sum_along(&x, (6, 4, 1)).unwrap(), [6, 22, 38, 54, 70, 86]);
        assert_eq!(fold_along(&x, (2, 3, 4), |a, b| a.max(b)).unwrap(), [8, 9, 10, 11, 20, 21, 22, 23]);
        assert_eq!(scan_along(&[1, 2, 3, 4], (1, 2, 2), |a, b| a + b).unwrap(), [1, 2, 4, 6]);
        assert_eq!(scan_along(&[1, 2, 3, 4], (2, 2, 1), |a, b| a + b).unwrap(), [1, 3, 3, 7]);
    }

    #[test]
    fn nan_is_last_and_loses() {
        let nan = f32::NAN;
        let mut x = [3.0, nan, -1.0, 0.0];
        x.sort_by(ascending);
        assert_eq!(x[..3], [-1.0, 0.0, 3.0]);
        assert!(x[3].is_nan());
        assert_eq!([nan, 2.0, 1.0, nan].into_iter().reduce(minimum), Some(1.0));
        assert_eq!(first_extremum(&[nan, 2.0, 5.0, 5.0], |a, b| a > b), 2);
        assert_eq!(middle(&mut [5.0, 1.0, 3.0, 2.0]), Some((2.0, 3.0)));
        assert_eq!(middle(&mut [5.0, 1.0, 3.0]), Some((3.0, 3.0)));
    }
}
