//! Products without packed tiles, several rows at once: multiples of rows of the second matrix are added to rows of the
//! result; few columns are sums of several rows at once.

use super::super::error::ValueError;
use super::{TILED, Workers, array, each};
use crate::element::ElementType;
use crate::isa::{self, Isa, Level};
use crate::ops::Number;

/// The least products of elements that a thread takes at once.
const GRAIN: usize = 1 << 14;
/// Bytes of the sums that grow together, which stay in the first cache.
const SUMS: usize = 16 << 10;

/// Rows that are added together to one, and to several.
const TOGETHER: usize = 8;
const FOUR: usize = 4;

/// The most columns that are sums, and the least terms of them.
const NARROW: [usize; 2] = [12, 32];

/// The product of an m x n matrix `a` and an n x q matrix `b`, which is added to the zeros of `result`.
pub(super) fn multiply<T: Number>(
    workers: &dyn Workers,
    a: &[T],
    b: &[T],
    [m, n, q]: [usize; 3],
    result: &mut [T],
) -> Result<(), ValueError> {
    let parts = (m * n * q / GRAIN).min(workers.count() * 4);
    let [narrow, long] = NARROW;
    if m < TILED[0] && q > 64 {
        let most = (SUMS / size_of::<T>() / m).max(1);
        // Long rows are read fastest: no more strips than threads.
        let count = parts.clamp(1, workers.count());
        let wide = q.div_ceil(count).next_multiple_of(64).min(most);
        if wide < q {
            each(workers, strips(result, q, wide), &|strip| isa::dispatch(Strip { a, b, n, q, strip }));
            return Ok(());
        }
    }
    let transposed;
    let (columns, is_narrow) = match q {
        1 => (b, true),
        _ if q < narrow && n >= long && m >= ROWS => {
            transposed = array::collect(b.len(), (0..q).flat_map(|c| b[c..].iter().step_by(q).copied()))?;
            (&transposed[..], true)
        }
        _ => (b, false),
    };
    let band = |(result, a): (&mut [T], &[T])| match is_narrow {
        true => isa::dispatch(Sums { a, columns, n, q, result }),
        false => isa::dispatch(Multiples { a, b, n, q, result }),
    };
    if parts > 1 {
        let high = m.div_ceil(parts).next_multiple_of(ROWS);
        each(workers, result.chunks_mut(high * q).zip(a.chunks(high * n)).collect(), &band);
    } else {
        band((result, a));
    }
    Ok(())
}

/// The level for multiples of rows: the wider registers of AVX-512 gain where it has instructions that AVX2 lacks, products of 64-bit
/// integers and exchanges of real and imaginary parts.
const fn best<T: Number>() -> Level {
    match T::TYPE {
        ElementType::Int64 | ElementType::ComplexSingle | ElementType::ComplexDouble => Level::Avx512,
        _ => Level::Avx2,
    }
}

/// Some columns of the result.
struct Columns<'a, T> {
    first: usize,
    rows: Vec<&'a mut [T]>,
}

fn strips<T>(result: &mut [T], q: usize, wide: usize) -> Vec<Columns<'_, T>> {
    let mut strips: Vec<_> = (0..q).step_by(wide).map(|first| Columns { first, rows: Vec::new() }).collect();
    for row in result.chunks_exact_mut(q) {
        strips.iter_mut().zip(row.chunks_mut(wide)).for_each(|(strip, piece)| strip.rows.push(piece));
    }
    strips
}

/// A strip of columns for few rows, which grow together: each row of `b` is read once.
struct Strip<'a, T> {
    a: &'a [T],
    b: &'a [T],
    n: usize,
    q: usize,
    strip: Columns<'a, T>,
}

impl<T: Number> isa::Body for Strip<'_, T> {
    type Output = ();
    const BEST: Level = best::<T>();

    #[inline(always)]
    fn run<I: Isa>(self) {
        // Several sums share what is read of a row.
        match self.strip.rows.len() {
            1 => self.added::<TOGETHER>(),
            _ => self.added::<FOUR>(),
        }
    }
}

impl<T: Number> Strip<'_, T> {
    /// Adds so many rows of `b` together.
    #[inline(always)]
    fn added<const R: usize>(self) {
        let Strip { a, b, n, q, strip: Columns { first, mut rows } } = self;
        let wide = rows.first().map_or(0, |row| row.len());
        let row = |k: usize| &b[k * q + first..][..wide];
        let whole = n / R * R;
        for k in (0..whole).step_by(R) {
            let together: [&[T]; R] = std::array::from_fn(|r| row(k + r));
            for (sums, factors) in rows.iter_mut().zip(a.chunks_exact(n)) {
                add_rows(sums, together, std::array::from_fn(|r| factors[k + r]));
            }
        }
        for k in whole..n {
            for (sums, factors) in rows.iter_mut().zip(a.chunks_exact(n)) {
                add_rows(sums, [row(k)], [factors[k]]);
            }
        }
    }
}

/// Rows of the result, to which multiples of rows of `b` are added.
struct Multiples<'a, T> {
    a: &'a [T],
    b: &'a [T],
    n: usize,
    q: usize,
    result: &'a mut [T],
}

impl<T: Number> isa::Body for Multiples<'_, T> {
    type Output = ();
    const BEST: Level = best::<T>();

    /// Row by row.
    #[inline(always)]
    fn run<I: Isa>(self) {
        let Multiples { a, b, n, q, result } = self;
        let whole = n / FOUR * FOUR;
        for (i, sums) in result.chunks_exact_mut(q).enumerate() {
            let factors = &a[i * n..][..n];
            let row = |k: usize| &b[k * q..][..q];
            for k in (0..whole).step_by(FOUR) {
                add_rows(
                    sums,
                    std::array::from_fn::<_, FOUR, _>(|r| row(k + r)),
                    std::array::from_fn(|r| factors[k + r]),
                );
            }
            for (&factor, x) in factors[whole..].iter().zip(b[whole * q..].chunks_exact(q)) {
                add_rows(sums, [x], [factor]);
            }
        }
    }
}

/// Rows of the result, whose elements are sums of products with columns, which lie one after the other.
struct Sums<'a, T> {
    a: &'a [T],
    columns: &'a [T],
    n: usize,
    q: usize,
    result: &'a mut [T],
}

/// The rows whose sums are made at once, so that they need not wait for each other.
const ROWS: usize = 8;

impl<T: Number> isa::Body for Sums<'_, T> {
    type Output = ();
    // The vectoriser gathers terms of float sums with the newer instructions, which takes longer than one by one.
    const BEST: Level = if T::TYPE.is_integer() { best::<T>() } else { Level::Baseline };

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Sums { a, columns, n, q, result } = self;
        for (result, a) in result.chunks_mut(ROWS * q).zip(a.chunks(ROWS * n)) {
            for (c, column) in columns.chunks_exact(n).enumerate() {
                if a.len() == ROWS * n {
                    let rows: [&[T]; ROWS] = std::array::from_fn(|r| &a[r * n..][..n]);
                    let mut sums = [T::default(); ROWS];
                    for (k, &x) in column.iter().enumerate() {
                        sums = std::array::from_fn(|r| sums[r].add(rows[r][k].multiply(x)));
                    }
                    (0..ROWS).for_each(|r| result[r * q + c] = sums[r]);
                } else {
                    for (sum, row) in result[c..].iter_mut().step_by(q).zip(a.chunks_exact(n)) {
                        *sum =
                            row.iter().zip(column).fold(T::default(), |sum, (x, y)| sum.add(x.multiply(*y)));
                    }
                }
            }
        }
    }
}

/// Adds multiples of rows, one after the other.
#[inline(always)]
pub(super) fn add_rows<T: Number, const R: usize>(sums: &mut [T], rows: [&[T]; R], factors: [T; R]) {
    let count = sums.len();
    let rows = rows.map(|row| &row[..count]);
    for (c, sum) in sums.iter_mut().enumerate() {
        *sum = (0..R).fold(*sum, |sum, r| sum.add(rows[r][c].multiply(factors[r])));
    }
}
