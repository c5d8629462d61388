//! Decompositions of real matrices, in double precision. Little matrices have plain algorithms of their own (`small`); those of larger
//! ones work along rows and by blocks, whose products threads share.

mod bidiagonal;
mod cholesky;
mod qr;
mod reflectors;
mod rows;
mod singular;
mod small;
mod symmetric;
#[cfg(test)]
mod tests;
mod tridiagonal;
mod turns;
mod update;

use super::error::ValueError;
use super::workers::Workers;
use super::{array, shape};
use std::cmp::Ordering;

/// A row-major matrix.
#[derive(Debug, PartialEq)]
pub struct Matrix {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// The elements.
    pub data: Vec<f64>,
}

/// U, the singular values, and V.
pub type Factors = (Matrix, Vec<f64>, Matrix);

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, columns: usize) -> Result<Matrix, ValueError> {
        Ok(Matrix { rows, columns, data: array::filled(0.0, shape::count(&[rows, columns])?)? })
    }

    /// A copy.
    pub fn duplicate(&self) -> Result<Matrix, ValueError> {
        Ok(Matrix { data: array::duplicate(&self.data)?, ..*self })
    }

    /// A unit matrix.
    pub fn unit(n: usize) -> Result<Matrix, ValueError> {
        let mut unit = Matrix::zeros(n, n)?;
        (0..n).for_each(|i| *unit.at(i, i) = 1.0);
        Ok(unit)
    }

    /// The transposed matrix.
    pub fn transposed(&self) -> Result<Matrix, ValueError> {
        // Lines of the cache, of both matrices, are used while they are there.
        const SIDE: usize = 16;
        let mut result = Matrix::zeros(self.columns, self.rows)?;
        for top in (0..self.rows).step_by(SIDE) {
            let bottom = self.rows.min(top + SIDE);
            for j in 0..self.columns {
                (top..bottom).for_each(|i| *result.at(j, i) = self.get(i, j));
            }
        }
        Ok(result)
    }

    fn get(&self, i: usize, j: usize) -> f64 {
        self.data[i * self.columns + j]
    }

    fn at(&mut self, i: usize, j: usize) -> &mut f64 {
        &mut self.data[i * self.columns + j]
    }
}

/// The most rows and columns of matrices with algorithms of their own. Chosen: the others are faster from here on; for Cholesky's, which
/// copy blocks, only later.
const LITTLE: usize = 16;
const LITTLE_DEFINITE: usize = 24;

/// Whether a matrix is little, and the squares of its elements can be added up.
fn is_little(a: &Matrix) -> bool {
    if a.rows > LITTLE || a.columns > LITTLE {
        return false;
    }
    let largest = reflectors::largest(&a.data);
    let moderate = largest == 0.0 || (1e-100..1e100).contains(&largest);
    moderate && !a.data.iter().any(|x| x.is_nan())
}

/// Numbers 0 and up in the order of some values; equal ones stay in order.
fn ordered(values: &[f64], compare: impl Fn(&f64, &f64) -> Ordering) -> Result<Vec<usize>, ValueError> {
    let mut order: Vec<usize> = array::collect(values.len(), 0..values.len())?;
    order.sort_unstable_by(|&i, &j| compare(&values[i], &values[j]).then(i.cmp(&j)));
    Ok(order)
}

/// The lower factor L of a symmetric matrix `A = L * transpose(L)`; none unless A is positive definite.
pub fn cholesky(workers: &dyn Workers, a: &Matrix) -> Result<Option<Matrix>, ValueError> {
    if a.rows <= LITTLE_DEFINITE { small::cholesky(a) } else { cholesky::factorize(workers, a) }
}

/// Orthogonal Q (square) and upper triangular R with `A = Q * R`, by Householder reflections.
pub fn qr(workers: &dyn Workers, a: &Matrix) -> Result<(Matrix, Matrix), ValueError> {
    if is_little(a) { small::qr(a) } else { qr::decompose(workers, a) }
}

/// Eigenvectors in columns and ascending eigenvalues of a symmetric matrix. Those of a matrix that is not finite are NaN.
pub fn symmetric_eigen(workers: &dyn Workers, a: &Matrix) -> Result<(Matrix, Vec<f64>), ValueError> {
    if is_little(a) { small::symmetric_eigen(a) } else { symmetric::decompose(workers, a) }
}

/// U, the descending singular values and V with `A = U * S * transpose(V)`. With k = min(rows, columns), U and V have k columns. Those
/// of a matrix that is not finite are NaN.
pub fn svd(workers: &dyn Workers, a: &Matrix) -> Result<Factors, ValueError> {
    if a.rows < a.columns {
        let (u, s, v) = svd(workers, &a.transposed()?)?;
        return Ok((v, s, u));
    }
    if is_little(a) { small::svd(a) } else { singular::decompose(workers, a) }
}
