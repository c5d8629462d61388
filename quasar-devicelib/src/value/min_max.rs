//! The smallest and the largest of many numbers, a vector at a time. NaN loses against numbers.

use super::array;
use super::error::ValueError;
use super::lines::{each_block, each_line, fold_in_parts};
use super::reduce::{maximum, minimum};
use super::workers::Workers;
use crate::isa::{self, Body, Isa};
use crate::ops::Real;

/// Neighbours that are compared with those as far behind, in vectors.
const LANES: usize = 32;

/// The extreme of all elements; none where there are none.
pub(super) fn extreme<T: Real + Send + Sync>(
    workers: &dyn Workers,
    x: &[T],
    least: bool,
) -> Result<Option<T>, ValueError> {
    fold_in_parts(workers, x, &|x| isa::dispatch(Part { x, least }), &of_two(least))
}

/// The extremes along one dimension, whose extent must not be 0.
pub(super) fn extreme_along<T: Real + Default + Send + Sync>(
    workers: &dyn Workers,
    x: &[T],
    along: (usize, usize, usize),
    least: bool,
) -> Result<Vec<T>, ValueError> {
    if along.2 > 1 {
        let mut result = array::filled(T::default(), along.0 * along.2)?;
        each_block(workers, x, &mut result, along, &|x, from, target| {
            isa::dispatch(Rows { x, inner: along.2, from, target, least });
            Ok(())
        })?;
        return Ok(result);
    }
    each_line(workers, x, along, &|workers, line| Ok(extreme(workers, line, least)?.unwrap_or_default()))
}

fn of_two<T: Real>(least: bool) -> fn(T, T) -> T {
    if least { minimum::<T> } else { maximum::<T> }
}

/// A part for one thread.
struct Part<'a, T> {
    x: &'a [T],
    least: bool,
}

impl<T: Real> Body for Part<'_, T> {
    type Output = Option<T>;

    #[inline(always)]
    fn run<I: Isa>(self) -> Option<T> {
        if self.least { first_of(self.x, |a, b| a < b) } else { first_of(self.x, |a, b| a > b) }
    }
}

/// Rows of a matrix of `inner` columns, of which those from `from` on have their extremes in `target`.
struct Rows<'a, T> {
    x: &'a [T],
    inner: usize,
    from: usize,
    target: &'a mut [T],
    least: bool,
}

impl<T: Real> Body for Rows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        if self.least { self.first_of_columns(|a, b| a < b) } else { self.first_of_columns(|a, b| a > b) }
    }
}

impl<T: Real> Rows<'_, T> {
    #[inline(always)]
    fn first_of_columns(self, before: impl Fn(T, T) -> bool) {
        let n = self.target.len();
        for (k, row) in self.x.chunks_exact(self.inner).enumerate() {
            let row = &row[self.from..][..n];
            if k == 0 {
                self.target.copy_from_slice(row);
                continue;
            }
            for (found, &x) in self.target.iter_mut().zip(row) {
                *found = if before(x, *found) || found.is_nan() { x } else { *found };
            }
        }
    }
}

/// The element that comes before all others. Nothing comes before a number but numbers, so no lane ever holds NaN.
#[inline(always)]
fn first_of<T: Real>(x: &[T], before: impl Fn(T, T) -> bool) -> Option<T> {
    let Some(start) = x.iter().position(|x| !x.is_nan()) else { return x.first().copied() };
    let mut lanes = [x[start]; LANES];
    let (vectors, rest) = x[start..].as_chunks::<LANES>();
    for vector in vectors {
        for (lane, &x) in lanes.iter_mut().zip(vector) {
            *lane = if before(x, *lane) { x } else { *lane };
        }
    }
    let all = lanes.into_iter().chain(rest.iter().copied());
    all.reduce(|found, x| if before(x, found) { x } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::workers::tests::Disorder;

    #[test]
    fn nan_loses_wherever_it_is() {
        for n in [1, 2, 31, 32, 33, 100, 70_001] {
            for nan in [0, n / 2, n - 1] {
                let mut x: Vec<f32> = (0..n).map(|i| ((i * 7919) % 1001) as f32 - 300.0).collect();
                x[nan] = f32::NAN;
                let rest = || x.iter().copied().filter(|x| !x.is_nan());
                let (least, most) = (rest().reduce(f32::min), rest().reduce(f32::max));
                for threads in [1, 3] {
                    let of = |least| extreme(&Disorder(threads), &x, least).unwrap();
                    if n == 1 {
                        assert!(of(true).is_some_and(f32::is_nan));
                    } else {
                        assert_eq!((of(true), of(false)), (least, most), "{n} {nan}");
                    }
                }
            }
        }
        assert_eq!(extreme::<f32>(&Disorder(2), &[], true).unwrap(), None);
        assert_eq!(
            extreme(&Disorder(2), &[f64::NEG_INFINITY, f64::NAN], false).unwrap(),
            Some(f64::NEG_INFINITY)
        );
        assert_eq!(extreme(&Disorder(2), &[3u8, 255, 0], false).unwrap(), Some(255));
    }

    #[test]
    fn lines_have_extremes_of_their_own() {
        let x = [1.0, f64::NAN, 3.0, f64::NAN, f64::NAN, -5.0];
        let of = |along, least| extreme_along(&Disorder(2), &x, along, least).unwrap();
        assert_eq!(of((2, 3, 1), true), [1.0, -5.0]);
        assert_eq!(of((2, 3, 1), false), [3.0, -5.0]);
        assert_eq!(of((1, 2, 3), false)[..1], [1.0]);
        assert_eq!(of((1, 2, 3), true)[2], -5.0);
    }
}
