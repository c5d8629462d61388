//! Few long sums, in an order of their own: pieces of [`PIECE`] terms are added up, each in [`LANES`] sums at once, and then
//! the pieces in their order. So processors add several terms at once, and threads pieces, and the result is always the same.

use super::super::error::ValueError;
use super::super::workers::share;
use super::{FEW, Workers, array, each};
use crate::element::ElementType;
use crate::isa::{self, Isa, Level};
use crate::ops::Number;

/// The terms of a piece.
const PIECE: usize = 4096;
/// The sums of a piece: term k belongs to the one of number k modulo this.
const LANES: usize = 16;
/// What a thread takes at once, at least.
const PIECES: usize = 4;

/// What one piece contributes to each element of the result.
type Share<T> = [T; FEW * FEW];

/// The product of an m x n matrix `a` and an n x q matrix `b`, where `result` has m x q elements.
pub(super) fn multiply<T: Number>(
    workers: &dyn Workers,
    a: &[T],
    b: &[T],
    q: usize,
    result: &mut [T],
) -> Result<(), ValueError> {
    let n = b.len() / q;
    let mut shares = array::filled([T::default(); FEW * FEW], n.div_ceil(PIECE))?;
    let long = shares.len().div_ceil(4 * workers.count()).max(PIECES);
    let parts: Vec<_> = shares.chunks_mut(long).enumerate().collect();
    each(workers, parts, &|(part, shares)| isa::dispatch(Part { a, b, n, q, first: part * long, shares }));
    for (i, sum) in result.iter_mut().enumerate() {
        *sum = shares.iter().fold(T::default(), |sum, share| sum.add(share[i]));
    }
    Ok(())
}

/// Some pieces.
struct Part<'a, T> {
    a: &'a [T],
    b: &'a [T],
    n: usize,
    q: usize,
    first: usize,
    shares: &'a mut [Share<T>],
}

impl<T: Number> isa::Body for Part<'_, T> {
    type Output = ();
    // Integers take 3 to 8 times as long with the code that the vectoriser makes of this for AVX-512, and floats gain nothing.
    const BEST: Level = best::<T>();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Part { a, b, n, q, first, shares } = self;
        let mut column = [T::default(); PIECE];
        for (piece, share) in (first..).zip(shares) {
            let terms = piece * PIECE..n.min((piece + 1) * PIECE);
            let count = terms.len();
            for c in 0..q {
                let column = match q {
                    1 => &b[terms.clone()],
                    _ => {
                        for (x, row) in column.iter_mut().zip(b[terms.start * q..].chunks_exact(q)) {
                            *x = row[c];
                        }
                        &column[..count]
                    }
                };
                for (r, row) in a.chunks_exact(n).enumerate() {
                    share[r * q + c] = sum(&row[terms.clone()], column);
                }
            }
        }
    }
}

/// The product of a matrix, whose rows lie one after the other, and a vector: sums of the same order, a part of the rows for each thread.
pub(super) fn of_rows<T: Number>(workers: &dyn Workers, a: &[T], x: &[T], result: &mut [T]) {
    let n = x.len();
    let high = share(workers, result.len(), (GRAIN / n).max(1));
    let parts = result.chunks_mut(high).zip(a.chunks(high * n)).collect();
    each(workers, parts, &|(result, a): (&mut [T], &[T])| isa::dispatch(OfRows { a, x, result }));
}

/// The same of a matrix that is stored by columns.
pub(super) fn of_columns<T: Number>(workers: &dyn Workers, a: &[T], x: &[T], result: &mut [T]) {
    let m = result.len();
    let wide = share(workers, m, (GRAIN / x.len()).max(WIDE)).next_multiple_of(WIDE);
    let parts = result.chunks_mut(wide).enumerate().collect();
    each(workers, parts, &|(part, result): (usize, &mut [T])| {
        isa::dispatch(OfColumns { a, x, m, first: part * wide, result });
    });
}

/// The least products of elements that a thread takes at once.
const GRAIN: usize = 1 << 14;
/// Columns whose lanes grow together: they stay in the first cache.
const WIDE: usize = 128;

/// The level for sums of one row after the other.
const fn best<T: Number>() -> Level {
    match T::TYPE {
        ElementType::Half | ElementType::Double | ElementType::ComplexDouble => Level::Baseline,
        _ => Level::Avx2,
    }
}

/// Some rows.
struct OfRows<'a, T> {
    a: &'a [T],
    x: &'a [T],
    result: &'a mut [T],
}

impl<T: Number> isa::Body for OfRows<'_, T> {
    type Output = ();
    const BEST: Level = best::<T>();

    #[inline(always)]
    fn run<I: Isa>(self) {
        for (y, row) in self.result.iter_mut().zip(self.a.chunks_exact(self.x.len())) {
            let pieces = row.chunks(PIECE).zip(self.x.chunks(PIECE));
            *y = pieces.fold(T::default(), |total, (row, x)| total.add(sum(row, x)));
        }
    }
}

/// Some columns.
struct OfColumns<'a, T> {
    a: &'a [T],
    x: &'a [T],
    m: usize,
    first: usize,
    result: &'a mut [T],
}

impl<T: Number> isa::Body for OfColumns<'_, T> {
    type Output = ();
    const BEST: Level = best::<T>();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let OfColumns { a, x, m, first, result } = self;
        for (part, result) in result.chunks_mut(WIDE).enumerate() {
            let first = first + part * WIDE;
            for (piece, x) in x.chunks(PIECE).enumerate() {
                let mut sums = [[T::default(); WIDE]; LANES];
                for (k, &x) in x.iter().enumerate() {
                    let row = &a[(piece * PIECE + k) * m + first..][..result.len()];
                    let lane = &mut sums[k % LANES][..row.len()];
                    lane.iter_mut().zip(row).for_each(|(sum, y)| *sum = sum.add(y.multiply(x)));
                }
                let mut lanes = LANES / 2;
                while lanes > 0 {
                    let (low, high) = sums.split_at_mut(lanes);
                    for (low, high) in low.iter_mut().zip(high.iter()) {
                        low.iter_mut().zip(high).for_each(|(low, high)| *low = low.add(*high));
                    }
                    lanes /= 2;
                }
                result.iter_mut().zip(&sums[0]).for_each(|(y, sum)| *y = y.add(*sum));
            }
        }
    }
}

/// The sum of a piece: its lanes are added up by halves.
#[inline(always)]
fn sum<T: Number>(x: &[T], y: &[T]) -> T {
    let mut sums = [T::default(); LANES];
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    for (x, y) in x.iter().zip(y) {
        sums = std::array::from_fn(|l| sums[l].add(x[l].multiply(y[l])));
    }
    for (sum, (x, y)) in sums.iter_mut().zip(x_rest.iter().zip(y_rest)) {
        *sum = sum.add(x.multiply(*y));
    }
    let mut lanes = LANES / 2;
    while lanes > 0 {
        for l in 0..lanes {
            sums[l] = sums[l].add(sums[l + lanes]);
        }
        lanes /= 2;
    }
    sums[0]
}
