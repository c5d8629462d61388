//! Products without packed tiles of matrices that are stored by columns: `(a * b)' = b' * a'`, whose sums have the same terms in the
//! same order. Where both factors of that product lie by rows, or turning one takes little, it is the one that is computed; otherwise
//! the matrices are turned.

use super::super::error::ValueError;
use super::{Algorithm, Factor, Factors, Workers, array, by_rows};
use std::borrow::Cow;

/// The most rows or columns of a matrix that is turned for the transposed product. Chosen: turning them takes a small part of it.
const NARROW: usize = 12;

/// The product of two matrices, which is added to the zeros of `result`.
pub(super) fn multiply<T: Factor>(
    workers: &dyn Workers,
    by: Algorithm,
    Factors { a, b, size: [m, n, q], turned }: Factors<'_, T>,
    result: &mut [T],
) -> Result<(), ValueError> {
    let swaps = match turned {
        [true, true] => true,
        [true, false] => q < NARROW,
        [false, true] => m < NARROW,
        [false, false] => false,
    };
    let product = |a: Cow<'_, [T]>, b: Cow<'_, [T]>, size, result: &mut [T]| {
        by_rows(workers, by, Factors { a: &a, b: &b, size, turned: [false; 2] }, result)
    };
    if !swaps {
        return product(in_rows(a, [m, n], turned[0])?, in_rows(b, [n, q], turned[1])?, [m, n, q], result);
    }
    let (first, second) = (in_rows(b, [q, n], !turned[1])?, in_rows(a, [n, m], !turned[0])?);
    if m == 1 || q == 1 {
        return product(first, second, [q, n, m], result);
    }
    let mut other = array::filled(T::default(), result.len())?;
    product(first, second, [q, n, m], &mut other)?;
    for (r, row) in result.chunks_exact_mut(q).enumerate() {
        for (x, y) in row.iter_mut().zip(other[r..].iter().step_by(m)) {
            *x = *y;
        }
    }
    Ok(())
}

/// A matrix of so many rows and columns, which is stored by columns if `turned` says so, by rows.
fn in_rows<T: Factor>(
    x: &[T],
    [rows, columns]: [usize; 2],
    turned: bool,
) -> Result<Cow<'_, [T]>, ValueError> {
    if !turned || rows == 1 || columns == 1 {
        return Ok(Cow::Borrowed(x));
    }
    let elements = (0..rows).flat_map(|r| x[r..].iter().step_by(rows).copied());
    Ok(Cow::Owned(array::collect(x.len(), elements)?))
}
