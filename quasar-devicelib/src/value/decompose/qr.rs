//! The QR factorisation by Householder reflections (Golub & Van Loan 5.2; LAPACK's `dgeqrf` and `dorgqr`) of the transposed matrix, so
//! that what is reflected lies in rows.

use super::super::error::ValueError;
use super::super::workers::Workers;
use super::Matrix;
use super::reflectors::{BLOCK, Reflectors, reflector};
use super::rows::reflect;

/// The reflections whose product is Q, and the transpose of R, from the transpose of a matrix.
pub(super) fn factorize(
    workers: &dyn Workers,
    mut turned: Matrix,
) -> Result<(Reflectors, Matrix), ValueError> {
    let (columns, rows) = (turned.rows, turned.columns);
    let mut reflectors = Reflectors::room(columns.min(rows), rows, 0)?;
    let count = reflectors.factors.len();
    for k in (0..count).step_by(BLOCK) {
        let end = count.min(k + BLOCK);
        for j in k..end {
            let (row, rest) = turned.data[j * rows..end * rows].split_at_mut(rows);
            let v = &mut reflectors.vectors.data[j * rows + j..(j + 1) * rows];
            v.copy_from_slice(&row[j..]);
            let (diagonal, factor) = reflector(v);
            reflectors.factors[j] = factor;
            row[j] = diagonal;
            row[j + 1..].fill(0.0);
            reflect(rest, rows, j, v, factor);
        }
        if end < columns {
            reflectors.block(k)?.apply(workers, &mut turned.data[end * rows..], rows, false)?;
        }
    }
    Ok((reflectors, turned))
}

/// Q, which is square, and R.
pub(super) fn decompose(workers: &dyn Workers, a: &Matrix) -> Result<(Matrix, Matrix), ValueError> {
    let (reflectors, r) = factorize(workers, a.transposed()?)?;
    let q = reflectors.product(workers, a.rows)?;
    Ok((q.transposed()?, r.transposed()?))
}
