//! Few long sums, in an order of their own: pieces of [`PIECE`] terms are added up, each in [`LANES`] sums at once, and then
//! the pieces in their order. So processors add several terms at once, and threads pieces, and the result is always the same.

use super::super::error::ValueError;
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
    const BEST: Level = match T::TYPE {
        ElementType::Half | ElementType::Double | ElementType::ComplexDouble => Level::Baseline,
        _ => Level::Avx2,
    };

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
