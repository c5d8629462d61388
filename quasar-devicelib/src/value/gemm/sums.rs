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
    let wide =
        share(workers, m, (GRAIN / x.len()).max(WIDE)).min(m.div_ceil(workers.count())).next_multiple_of(64);
    let parts = result.chunks_mut(wide).enumerate().collect();
    each(workers, parts, &|(part, result): (usize, &mut [T])| {
        isa::dispatch(OfColumns { a, x, m, first: part * wide, result });
    });
}

/// The least products of elements that a thread takes at once.
const GRAIN: usize = 1 << 14;
/// Columns whose lanes grow together: they stay in the caches of a processor.
const WIDE: usize = 512;
/// Rows that are added up together, which share what they have in common: their vector, or their sums.
const ROWS: usize = 4;

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
        let OfRows { a, x, result } = self;
        let (together, rest) = result.as_chunks_mut::<ROWS>();
        let (first, last) = a.split_at(together.len() * ROWS * x.len());
        for (y, rows) in together.iter_mut().zip(first.chunks_exact(ROWS * x.len())) {
            *y = of_some_rows(rows, x);
        }
        for (y, row) in rest.iter_mut().zip(last.chunks_exact(x.len())) {
            [*y] = of_some_rows(row, x);
        }
    }
}

/// The sums of `R` rows, which wait for each other's elements only.
#[inline(always)]
fn of_some_rows<T: Number, const R: usize>(rows: &[T], x: &[T]) -> [T; R] {
    let mut totals = [T::default(); R];
    let n = x.len();
    for (piece, x) in x.chunks(PIECE).enumerate() {
        let rows: [&[T]; R] = std::array::from_fn(|r| &rows[r * n + piece * PIECE..][..x.len()]);
        let sums = sums(rows, x);
        totals = std::array::from_fn(|r| totals[r].add(sums[r]));
    }
    totals
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
                let row = |k: usize| &a[(piece * PIECE + k) * m + first..][..result.len()];
                let whole = x.len() / (LANES * ROWS) * (LANES * ROWS);
                for k in (0..whole).step_by(LANES * ROWS) {
                    for (lane, sums) in sums.iter_mut().enumerate() {
                        let at: [usize; ROWS] = std::array::from_fn(|r| k + r * LANES + lane);
                        let (rows, x) = (at.map(row), at.map(|k| x[k]));
                        for (c, sum) in sums[..result.len()].iter_mut().enumerate() {
                            *sum = (0..ROWS).fold(*sum, |sum, r| sum.add(rows[r][c].multiply(x[r])));
                        }
                    }
                }
                for (k, &x) in x.iter().enumerate().skip(whole) {
                    let lane = sums[k % LANES].iter_mut().zip(row(k));
                    lane.for_each(|(sum, y)| *sum = sum.add(y.multiply(x)));
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
fn sum<T: Number>(row: &[T], x: &[T]) -> T {
    let [sum] = sums([row], x);
    sum
}

/// The sums of a piece of `R` rows.
#[inline(always)]
fn sums<T: Number, const R: usize>(rows: [&[T]; R], x: &[T]) -> [T; R] {
    let mut sums = [[T::default(); LANES]; R];
    let (chunks, rest) = x.as_chunks::<LANES>();
    let of_rows = rows.map(|row| row.as_chunks::<LANES>());
    for (k, x) in chunks.iter().enumerate() {
        for r in 0..R {
            let row = &of_rows[r].0[k];
            sums[r] = std::array::from_fn(|l| sums[r][l].add(row[l].multiply(x[l])));
        }
    }
    for (sums, (_, row)) in sums.iter_mut().zip(of_rows) {
        for (sum, (x, y)) in sums.iter_mut().zip(row.iter().zip(rest)) {
            *sum = sum.add(x.multiply(*y));
        }
        let mut lanes = LANES / 2;
        while lanes > 0 {
            for l in 0..lanes {
                sums[l] = sums[l].add(sums[l + lanes]);
            }
            lanes /= 2;
        }
    }
    sums.map(|sums| sums[0])
}
