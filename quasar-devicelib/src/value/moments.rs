//! Mean and spread of many numbers in one pass over memory.
//!
//! A stretch of neighbours is small enough to stay in the cache: its mean comes first, then the distances from it. Stretches
//! are joined in pairs (Chan, Golub and LeVeque), in an order that depends on their number alone.

use super::array;
use super::error::ValueError;
use super::lines::each_block;
use super::reduce::sum_each;
use super::workers::{Workers, each};
use crate::isa::{self, Body, Isa};

/// Elements of a stretch.
const STRETCH: usize = 1 << 14;

/// What is known of some of the numbers.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    count: f64,
    mean: f64,
    /// The sum of the squared distances from the mean.
    spread: f64,
}

impl Moments {
    fn of<S: Copy>(x: &[S], term: &impl Fn(S) -> f64) -> Moments {
        let count = x.len() as f64;
        let mean = sum_each(x, term) / count;
        let squared = |x| {
            let distance = term(x) - mean;
            distance * distance
        };
        Moments { count, mean, spread: sum_each(x, &squared) }
    }

    fn joined(self, other: Moments) -> Moments {
        let (count, distance) = (self.count + other.count, other.mean - self.mean);
        let share = other.count / count;
        Moments {
            count,
            mean: self.mean + distance * share,
            spread: self.spread + other.spread + distance * distance * (self.count * share),
        }
    }
}

fn in_pairs(parts: &[Moments]) -> Moments {
    match parts {
        [] => Moments::default(),
        [one] => *one,
        _ => {
            let (first, second) = parts.split_at(parts.len() / 2);
            in_pairs(first).joined(in_pairs(second))
        }
    }
}

/// The sum of the squared distances of terms from their mean; NaN where a term is not finite, 0 for no terms.
pub(super) fn spread<S: Copy + Sync>(
    workers: &dyn Workers,
    x: &[S],
    term: &(impl Fn(S) -> f64 + Sync),
) -> Result<f64, ValueError> {
    match x.len() {
        0 => Ok(0.0),
        1..=STRETCH => Ok(Moments::of(x, term).spread),
        _ => spread_in_parts(workers, x, &|x| Moments::of(x, term)),
    }
}

fn spread_in_parts<S: Sync>(
    workers: &dyn Workers,
    x: &[S],
    moments: &(dyn Fn(&[S]) -> Moments + Sync),
) -> Result<f64, ValueError> {
    let mut found = array::filled(Moments::default(), x.len().div_ceil(STRETCH))?;
    let parts = array::collect(found.len(), found.iter_mut().zip(x.chunks(STRETCH)))?;
    each(workers, parts, &|(found, x)| *found = moments(x));
    Ok(in_pairs(&found).spread)
}

/// Columns whose mean and spread are computed together: their sums stay in registers or near.
const COLUMNS: usize = 64;

/// The sums of the squared distances from the mean along a dimension with several elements behind it: row by row.
pub(super) fn spread_rows<S: Copy + Sync>(
    workers: &dyn Workers,
    x: &[S],
    along: (usize, usize, usize),
    term: &(impl Fn(S) -> f64 + Sync),
) -> Result<Vec<f64>, ValueError> {
    let mut result = array::filled(0.0, along.0 * along.2)?;
    let inner = along.2;
    each_block(workers, x, &mut result, along, &|x, from, target| {
        for (k, target) in target.chunks_mut(COLUMNS).enumerate() {
            isa::dispatch(Columns { x, inner, from: from + k * COLUMNS, target, term });
        }
        Ok(())
    })?;
    Ok(result)
}

/// A few columns of a matrix with rows of `inner` elements.
struct Columns<'a, S, F> {
    x: &'a [S],
    inner: usize,
    from: usize,
    target: &'a mut [f64],
    term: &'a F,
}

impl<S: Copy, F: Fn(S) -> f64> Body for Columns<'_, S, F> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let n = self.target.len();
        let rows = || self.x.chunks_exact(self.inner).map(|row| &row[self.from..][..n]);
        let count = (self.x.len() / self.inner) as f64;
        let mut means = [0.0; COLUMNS];
        let means = &mut means[..n];
        for row in rows() {
            means.iter_mut().zip(row).for_each(|(mean, &x)| *mean += (self.term)(x));
        }
        means.iter_mut().for_each(|mean| *mean /= count);
        for row in rows() {
            for ((sum, mean), &x) in self.target.iter_mut().zip(&*means).zip(row) {
                let distance = (self.term)(x) - mean;
                *sum += distance * distance;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::workers::tests::Disorder;

    /// Two passes over all numbers.
    fn plain(x: &[f32]) -> f64 {
        let mean = x.iter().map(|&x| f64::from(x)).sum::<f64>() / x.len() as f64;
        x.iter().map(|&x| (f64::from(x) - mean).powi(2)).sum()
    }

    #[test]
    fn spreads_are_those_of_two_passes_and_the_same_for_any_number_of_threads() {
        for n in [1, 2, 17, STRETCH, STRETCH + 1, 3 * STRETCH, 100_003] {
            // Far from 0: one pass over squares would lose all digits.
            let x: Vec<f32> = (0..n).map(|i| 1e6 + ((i * 7919) % 1000) as f32 / 8.0).collect();
            let found = spread(&Disorder(1), &x, &|x: f32| f64::from(x)).unwrap();
            let expected = plain(&x);
            assert!((found - expected).abs() <= 1e-9 * expected, "{n}: {found} {expected}");
            for threads in [2, 5] {
                let again = spread(&Disorder(threads), &x, &|x: f32| f64::from(x)).unwrap();
                assert_eq!(again.to_bits(), found.to_bits(), "{n}");
            }
        }
    }

    #[test]
    fn columns_have_the_spread_of_their_numbers() {
        for (outer, n, inner) in [(1, 1, 2), (1, 7, 3), (3, 40, 64), (2, 100, 65), (1, 1000, 200)] {
            let x: Vec<f32> =
                (0..outer * n * inner).map(|i| 1e5 + ((i * 7919) % 1000) as f32 / 8.0).collect();
            for threads in [1, 3] {
                let along = (outer, n, inner);
                let found = spread_rows(&Disorder(threads), &x, along, &|x: f32| f64::from(x)).unwrap();
                for (place, found) in found.into_iter().enumerate() {
                    let (block, column) = (place / inner, place % inner);
                    let line: Vec<f32> = (0..n).map(|k| x[(block * n + k) * inner + column]).collect();
                    assert!((found - plain(&line)).abs() <= 1e-9 * found, "{along:?} {place}");
                }
            }
        }
    }

    #[test]
    fn equal_numbers_have_no_spread_and_infinite_ones_none_that_is_a_number() {
        let mut x = vec![0.1f32; 5 * STRETCH + 3];
        let of = |x: &[f32]| spread(&Disorder(3), x, &|x: f32| f64::from(x)).unwrap();
        assert_eq!(of(&x), 0.0);
        assert_eq!(of(&[]), 0.0);
        for wrong in [f32::NAN, f32::INFINITY] {
            x[STRETCH + 1] = wrong;
            assert!(of(&x).is_nan());
        }
    }
}
