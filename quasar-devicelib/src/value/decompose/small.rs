//! Decompositions of little matrices, by textbook algorithms (Golub & Van Loan 4.2.3, 5.2.1, 8.5.3, 8.6.3).

use super::super::array;
use super::super::error::ValueError;
use super::{Factors, Matrix, ordered};

/// Sweeps after which the iterations of Jacobi stop; they converge quadratically after a few.
const SWEEPS: usize = 60;

impl Matrix {
    fn column_dot(&self, p: usize, q: usize) -> f64 {
        (0..self.rows).map(|i| self.get(i, p) * self.get(i, q)).sum()
    }

    /// Turns columns p and q by an angle with the given cosine and sine.
    fn rotate_columns(&mut self, p: usize, q: usize, (c, s): (f64, f64)) {
        for i in 0..self.rows {
            let (x, y) = (self.get(i, p), self.get(i, q));
            *self.at(i, p) = c * x - s * y;
            *self.at(i, q) = s * x + c * y;
        }
    }

    /// Turns rows p and q.
    fn rotate_rows(&mut self, p: usize, q: usize, (c, s): (f64, f64)) {
        for j in 0..self.columns {
            let (x, y) = (self.get(p, j), self.get(q, j));
            *self.at(p, j) = c * x - s * y;
            *self.at(q, j) = s * x + c * y;
        }
    }

    /// The columns in another order; their number may shrink.
    fn columns_in(&self, order: &[usize]) -> Result<Matrix, ValueError> {
        let mut result = Matrix::zeros(self.rows, order.len())?;
        for i in 0..self.rows {
            order.iter().enumerate().for_each(|(k, &j)| *result.at(i, k) = self.get(i, j));
        }
        Ok(result)
    }
}

/// Cosine and sine of the angle that makes the off-diagonal element `b` of `[[a, b], [b, d]]` vanish.
fn jacobi_angle(a: f64, b: f64, d: f64) -> (f64, f64) {
    let tau = (d - a) / (2.0 * b);
    let t = tau.signum() / (tau.abs() + tau.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    (c, t * c)
}

/// The lower factor L of a symmetric matrix `A = L * transpose(L)`; none unless A is positive definite.
pub(super) fn cholesky(a: &Matrix) -> Result<Option<Matrix>, ValueError> {
    let n = a.rows;
    let mut l = Matrix::zeros(n, n)?;
    for j in 0..n {
        for i in j..n {
            let dot: f64 = (0..j).map(|k| l.get(i, k) * l.get(j, k)).sum();
            let rest = a.get(i, j) - dot;
            if i > j {
                *l.at(i, j) = rest / l.get(j, j);
            } else if rest > 0.0 {
                *l.at(j, j) = rest.sqrt();
            } else {
                return Ok(None);
            }
        }
    }
    Ok(Some(l))
}

/// Orthogonal Q (square) and upper triangular R with `A = Q * R`, by Householder reflections.
pub(super) fn qr(a: &Matrix) -> Result<(Matrix, Matrix), ValueError> {
    let mut r = a.duplicate()?;
    let mut q = Matrix::unit(a.rows)?;
    for k in 0..a.columns.min(a.rows.saturating_sub(1)) {
        let norm = (k..a.rows).map(|i| r.get(i, k)).fold(0.0, f64::hypot);
        if norm == 0.0 {
            continue;
        }
        let mut v: Vec<f64> = array::collect(a.rows - k, (k..a.rows).map(|i| r.get(i, k)))?;
        v[0] += if v[0] < 0.0 { -norm } else { norm };
        let square: f64 = v.iter().map(|x| x * x).sum();
        for j in 0..a.columns {
            let dot: f64 = v.iter().enumerate().map(|(i, x)| x * r.get(k + i, j)).sum();
            v.iter().enumerate().for_each(|(i, x)| *r.at(k + i, j) -= 2.0 * dot / square * x);
        }
        for i in 0..a.rows {
            let dot: f64 = v.iter().enumerate().map(|(j, x)| x * q.get(i, k + j)).sum();
            v.iter().enumerate().for_each(|(j, x)| *q.at(i, k + j) -= 2.0 * dot / square * x);
        }
        (k + 1..a.rows).for_each(|i| *r.at(i, k) = 0.0);
    }
    Ok((q, r))
}

/// Eigenvectors in columns and ascending eigenvalues of a symmetric matrix, by Jacobi rotations.
pub(super) fn symmetric_eigen(a: &Matrix) -> Result<(Matrix, Vec<f64>), ValueError> {
    let n = a.rows;
    let mut d = a.duplicate()?;
    let mut v = Matrix::unit(n)?;
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let b = d.get(p, q);
                if b.abs() <= f64::EPSILON * (d.get(p, p) * d.get(q, q)).abs().sqrt() || !b.is_finite() {
                    continue;
                }
                rotated = true;
                let angle = jacobi_angle(d.get(p, p), b, d.get(q, q));
                d.rotate_columns(p, q, angle);
                d.rotate_rows(p, q, angle);
                *d.at(p, q) = 0.0;
                *d.at(q, p) = 0.0;
                v.rotate_columns(p, q, angle);
            }
        }
        if !rotated {
            break;
        }
    }
    let values: Vec<f64> = array::collect(n, (0..n).map(|i| d.get(i, i)))?;
    let order = ordered(&values, f64::total_cmp)?;
    Ok((v.columns_in(&order)?, array::collect(n, order.iter().map(|&i| values[i]))?))
}

/// U, the descending singular values and V of a matrix that has no fewer rows than columns, by one-sided Jacobi rotations.
pub(super) fn svd(a: &Matrix) -> Result<Factors, ValueError> {
    let n = a.columns;
    let mut u = a.duplicate()?;
    let mut v = Matrix::unit(n)?;
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..n {
            for q in p + 1..n {
                let (x, y, b) = (u.column_dot(p, p), u.column_dot(q, q), u.column_dot(p, q));
                if b.abs() <= f64::EPSILON * (x * y).sqrt() || !b.is_finite() {
                    continue;
                }
                rotated = true;
                let angle = jacobi_angle(x, b, y);
                u.rotate_columns(p, q, angle);
                v.rotate_columns(p, q, angle);
            }
        }
        if !rotated {
            break;
        }
    }
    let sizes: Vec<f64> = array::collect(n, (0..n).map(|j| u.column_dot(j, j).sqrt()))?;
    let order = ordered(&sizes, |x, y| y.total_cmp(x))?;
    let s: Vec<f64> = array::collect(n, order.iter().map(|&j| sizes[j]))?;
    let mut u = u.columns_in(&order)?;
    complete(&mut u, &s);
    Ok((u, s, v.columns_in(&order)?))
}

/// Normalises the columns. Columns of size 0 become directions orthogonal to the others.
fn complete(u: &mut Matrix, sizes: &[f64]) {
    let tiny = sizes.first().copied().unwrap_or(0.0) * f64::EPSILON * u.rows as f64;
    let mut candidate = 0;
    for (j, &size) in sizes.iter().enumerate() {
        if size > tiny || size.is_nan() {
            (0..u.rows).for_each(|i| *u.at(i, j) /= size);
            continue;
        }
        while candidate < u.rows {
            (0..u.rows).for_each(|i| *u.at(i, j) = f64::from(i == candidate));
            candidate += 1;
            // Twice is enough to be orthogonal to working precision.
            for _ in 0..2 {
                for k in 0..j {
                    let dot = u.column_dot(k, j);
                    (0..u.rows).for_each(|i| *u.at(i, j) -= dot * u.get(i, k));
                }
            }
            let norm = u.column_dot(j, j).sqrt();
            if norm > 0.5 / (u.rows as f64).sqrt() {
                (0..u.rows).for_each(|i| *u.at(i, j) /= norm);
                break;
            }
        }
    }
}
