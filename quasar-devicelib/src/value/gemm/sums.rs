//! Few long sums, in an order of their own: pieces of [`PIECE`] terms are added up, each in [`LANES`] sums at once, and then
//! the pieces in their order. So processors add several terms at once, and threads pieces, and the result is always the same.

use super::super::error::ValueError;
use super::super::workers::{Caller, share, try_each};

use super::rows::add_rows;
use super::{FEW, Workers, array, each};
use crate::element::ElementType;
use crate::isa::{self, Isa, Level};
use crate::ops::Number;
use crate::spare;
use std::ops::Range;

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

/// The same of a matrix that is stored by columns. Its rows in memory are long, which is how it is read fast: threads share the lanes,
/// or very long rows.
pub(super) fn of_columns<T: Number>(
    workers: &dyn Workers,
    a: &[T],
    x: &[T],
    result: &mut [T],
) -> Result<(), ValueError> {
    let (m, threads) = (result.len(), workers.count());
    if m >= 2 * threads * WIDE {
        let parts = result.chunks_mut(WIDE).enumerate().collect();
        return try_each(workers, parts, &|(part, result): (usize, &mut [T])| {
            let first = part * WIDE;
            lanes_added(&Caller, Piece { a, x, m, columns: first..first + result.len() }, result)
        });
    }
    let workers = if m.saturating_mul(x.len()) < 4 * GRAIN { &Caller } else { workers };
    for (a, x) in a.chunks(PIECE * m).zip(x.chunks(PIECE)) {
        lanes_added(workers, Piece { a, x, m, columns: 0..m }, result)?;
    }
    Ok(())
}

/// The least products of elements that a thread takes at once.
const GRAIN: usize = 1 << 14;
/// Columns whose lanes grow together: one lane of them stays in the first cache, and the prefetcher sees long rows.
const WIDE: usize = 4096;
/// The rows of a lane that are added up together.
const OF_LANE: usize = 8;
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
        let rows: [&[T]; R] = std::array::from_fn(|r| &rows[r * n + piece * PIECE..]);
        let sums = sums(rows, x);
        totals = std::array::from_fn(|r| totals[r].add(sums[r]));
    }
    totals
}

/// Some columns of the rows of a piece, or of all pieces.
#[derive(Clone)]
struct Piece<'a, T> {
    a: &'a [T],
    x: &'a [T],
    /// The elements of a row.
    m: usize,
    columns: Range<usize>,
}

/// Adds the sums of a piece, or of some, to `result`.
fn lanes_added<T: Number>(
    workers: &dyn Workers,
    whole: Piece<'_, T>,
    result: &mut [T],
) -> Result<(), ValueError> {
    let wide = result.len();
    let mut sums = spare::take::<T>();
    if sums.len() < LANES * wide {
        sums = array::filled(T::default(), LANES * wide)?;
    }
    let pieces = whole.a.chunks(PIECE * whole.m).zip(whole.x.chunks(PIECE));
    for (a, x) in pieces {
        let piece = Piece { a, x, ..whole.clone() };
        // Two parts a thread; each lane has its own rows.
        let high = (LANES / (2 * workers.count())).clamp(1, LANES);
        let parts = sums[..LANES * wide].chunks_mut(high * wide).enumerate().collect();
        each(workers, parts, &|(part, sums): (usize, &mut [T])| {
            isa::dispatch(OfLanes { piece: &piece, first: part * high, sums });
        });
        let mut lanes = LANES / 2;
        while lanes > 0 {
            let (low, high) = sums[..2 * lanes * wide].split_at_mut(lanes * wide);
            low.iter_mut().zip(high).for_each(|(low, high)| *low = low.add(*high));
            lanes /= 2;
        }
        result.iter_mut().zip(&sums).for_each(|(y, sum)| *y = y.add(*sum));
    }
    spare::keep(sums);
    Ok(())
}

/// Some lanes of the sums of a piece.
struct OfLanes<'a, T> {
    piece: &'a Piece<'a, T>,
    first: usize,
    sums: &'a mut [T],
}

impl<T: Number> isa::Body for OfLanes<'_, T> {
    type Output = ();
    const BEST: Level = best::<T>();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let OfLanes { piece: Piece { a, x, m, columns }, first, sums } = self;
        for (lane, sums) in (first..).zip(sums.chunks_exact_mut(columns.len())) {
            sums.fill(T::default());
            for (block, sums) in sums.chunks_mut(WIDE).enumerate() {
                let wide = sums.len();
                let row = |k: usize| &a[k * m + columns.start + block * WIDE..][..wide];
                let mut k = lane;
                while k + (OF_LANE - 1) * LANES < x.len() {
                    let at: [usize; OF_LANE] = std::array::from_fn(|r| k + r * LANES);
                    add_rows(sums, at.map(row), at.map(|k| x[k]));
                    k += OF_LANE * LANES;
                }
                while k < x.len() {
                    add_rows(sums, [row(k)], [x[k]]);
                    k += LANES;
                }
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

/// The sums of a piece of `R` rows, of which each is at least as long as `x`.
#[inline(always)]
fn sums<T: Number, const R: usize>(rows: [&[T]; R], x: &[T]) -> [T; R] {
    let mut sums = [[T::default(); LANES]; R];
    let (chunks, rest) = x.as_chunks::<LANES>();
    let of_rows = rows.map(|row| row[..x.len()].as_chunks::<LANES>());
    for (k, x) in chunks.iter().enumerate() {
        for r in 0..R {
            let row = &of_rows[r].0[k];
            sums[r] = std::array::from_fn(|l| sums[r][l].add(row[l].multiply(x[l])));
        }
    }
    if !rest.is_empty() {
        let mut last = [T::default(); LANES];
        last[..rest.len()].copy_from_slice(rest);
        for r in 0..R {
            add_last(&mut sums[r], &rows[r][chunks.len() * LANES..], &last, rest.len());
        }
    }
    for sums in &mut sums {
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

/// Adds the last terms, of which there are `count`, to their lanes. All lanes are computed where `row` goes on behind them: then sums
/// stay in registers.
#[inline(always)]
fn add_last<T: Number>(sums: &mut [T; LANES], row: &[T], x: &[T; LANES], count: usize) {
    match row.first_chunk::<LANES>() {
        Some(row) => {
            *sums = std::array::from_fn(|l| {
                let with = sums[l].add(row[l].multiply(x[l]));
                if l < count { with } else { sums[l] }
            });
        }
        None => (0..count).for_each(|l| sums[l] = sums[l].add(row[l].multiply(x[l]))),
    }
}
