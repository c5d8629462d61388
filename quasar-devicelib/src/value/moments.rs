//! Mean and spread of many numbers in one pass over memory.
//!
//! A stretch of neighbours is small enough to stay in the cache: its mean comes first, then the distances from it. Stretches
//! are joined in pairs (Chan, Golub and LeVeque), in an order that depends on their number alone.

use super::array;
use super::error::ValueError;
use super::lines::each_block;
use super::reduce::{LANES, halves, sum_each};
use super::workers::{Workers, each};
use crate::isa::{self, Body, Isa};
use std::ops::Range;

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

/// Columns whose mean and spread are computed together: their sums stay in the nearest cache.
const COLUMNS: usize = 64;

/// Something for each of these columns.
type Row<T> = [T; COLUMNS];

/// The sums of the squared distances from the mean along a dimension with several elements behind it, row by row; each has
/// the bits of [`spread`].
pub(super) fn spread_rows<S: Copy + Sync>(
    workers: &dyn Workers,
    x: &[S],
    along: (usize, usize, usize),
    term: &(impl Fn(S) -> f64 + Sync),
) -> Result<Vec<f64>, ValueError> {
    let mut result = array::filled(0.0, along.0 * along.2)?;
    let (rows, inner) = (along.1, along.2);
    each_block(workers, x, &mut result, along, &|x, from, target| {
        for (k, target) in target.chunks_mut(COLUMNS).enumerate() {
            let columns = Columns { x, inner, from: from + k * COLUMNS, count: target.len(), term };
            let found = columns.moments(0..rows);
            target.iter_mut().zip(&found).for_each(|(target, found)| *target = found.spread);
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
    count: usize,
    term: &'a F,
}

impl<S: Copy, F: Fn(S) -> f64> Columns<'_, S, F> {
    /// What is known of some rows, of which stretches are joined in pairs.
    fn moments(&self, rows: Range<usize>) -> Row<Moments> {
        let stretches = rows.len().div_ceil(STRETCH);
        if stretches > 1 {
            let middle = rows.start + stretches / 2 * STRETCH;
            let (first, second) = (self.moments(rows.start..middle), self.moments(middle..rows.end));
            return std::array::from_fn(|k| first[k].joined(second[k]));
        }
        let count = rows.len() as f64;
        let means = self.sums(rows.clone(), &|_, x| (self.term)(x)).map(|sum| sum / count);
        let spreads = self.sums(rows, &|k, x| {
            let distance = (self.term)(x) - means[k];
            distance * distance
        });
        std::array::from_fn(|k| Moments { count, mean: means[k], spread: spreads[k] })
    }

    /// The sums of the terms of some rows, split as [`sum_each`] splits those of a line.
    fn sums<G: Fn(usize, S) -> f64>(&self, rows: Range<usize>, term: &G) -> Row<f64> {
        if let Some(middle) = halves(rows.start, rows.end) {
            let (first, second) = (self.sums(rows.start..middle, term), self.sums(middle..rows.end, term));
            return std::array::from_fn(|k| first[k] + second[k]);
        }
        let x = &self.x[rows.start * self.inner..rows.end * self.inner];
        isa::dispatch(RowSums { x, inner: self.inner, from: self.from, count: self.count, term })
    }
}

/// Some columns of rows that are added without splitting: each lane of a sum is a row of sums.
struct RowSums<'a, S, G> {
    x: &'a [S],
    inner: usize,
    from: usize,
    count: usize,
    term: &'a G,
}

impl<S: Copy, G: Fn(usize, S) -> f64> RowSums<'_, S, G> {
    #[inline(always)]
    fn add(&self, sums: &mut Row<f64>, row: &[S]) {
        let row = &row[self.from..][..self.count];
        for (k, (sum, &x)) in sums.iter_mut().zip(row).enumerate() {
            *sum += (self.term)(k, x);
        }
    }
}

impl<S: Copy, G: Fn(usize, S) -> f64> Body for RowSums<'_, S, G> {
    type Output = Row<f64>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Row<f64> {
        let mut lanes = [[0.0; COLUMNS]; LANES];
        let whole = self.x.chunks_exact(LANES * self.inner);
        let mut sums = [0.0; COLUMNS];
        for row in whole.remainder().chunks_exact(self.inner) {
            self.add(&mut sums, row);
        }
        for rows in whole {
            for (lane, row) in lanes.iter_mut().zip(rows.chunks_exact(self.inner)) {
                self.add(lane, row);
            }
        }
        for lane in &lanes {
            sums.iter_mut().zip(lane).for_each(|(sum, lane)| *sum += lane);
        }
        sums
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
    fn columns_have_the_spread_of_their_numbers_as_lines_have_it() {
        let shapes =
            [(1, 1, 2), (1, 7, 3), (3, 40, 64), (2, 100, 65), (1, 1000, 200), (1, 3 * STRETCH + 77, 3)];
        for (outer, n, inner) in shapes {
            let x: Vec<f32> =
                (0..outer * n * inner).map(|i| 1e5 + ((i * 7919) % 1000) as f32 / 8.0).collect();
            for threads in [1, 3] {
                let along = (outer, n, inner);
                let found = spread_rows(&Disorder(threads), &x, along, &|x: f32| f64::from(x)).unwrap();
                for (place, found) in found.into_iter().enumerate() {
                    let (block, column) = (place / inner, place % inner);
                    let line: Vec<f32> = (0..n).map(|k| x[(block * n + k) * inner + column]).collect();
                    let alone = spread(&Disorder(1), &line, &|x: f32| f64::from(x)).unwrap();
                    assert!((found - plain(&line)).abs() <= 1e-9 * found, "{along:?} {place}");
                    assert_eq!(found.to_bits(), alone.to_bits(), "{along:?} {place}");
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
