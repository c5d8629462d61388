//! Eigenvalues and eigenvectors of symmetric matrices: the reduction to tridiagonal form by Householder reflections (Golub & Van Loan
//! 8.3.1; LAPACK's `dsytrd` and `dlatrd`), and the iteration of `tridiagonal`. Rows on and above the diagonal are read.

use super::super::error::ValueError;
use super::super::workers::{Caller, Workers, each};
use super::super::{array, shape};
use super::Matrix;
use super::reflectors::{Reflectors, largest, reflector, scale_for};
use super::rows::{Rows, add_multiples, add_symmetric, dot, dots, for_elements};
use super::turns::Strips;
use super::update::{Part, subtract_product};
use super::{ordered, tridiagonal};

/// Reflections whose change of the rest of the matrix is put off.
const PANEL: usize = 32;
/// The rows from which on products with the matrix are sums of several parts. It does not depend on the threads, so neither do results.
const SPLIT: usize = 256;
const PARTS: usize = 4;

/// Eigenvectors in columns and ascending eigenvalues.
pub(super) fn decompose(workers: &dyn Workers, a: &Matrix) -> Result<(Matrix, Vec<f64>), ValueError> {
    let n = a.rows;
    if !a.data.iter().all(|x| x.is_finite()) {
        let vectors = array::filled(f64::NAN, shape::count(&[n, n])?)?;
        return Ok((Matrix { rows: n, columns: n, data: vectors }, array::filled(f64::NAN, n)?));
    }
    let mut scaled = a.duplicate()?;
    let scale = scale_for(largest(&a.data));
    scaled.data.iter_mut().for_each(|x| *x *= scale);
    let mut reduced = Reduction::new(n)?;
    for first in (0..n.saturating_sub(1)).step_by(PANEL) {
        reduced.panel(workers, &mut scaled, first)?;
    }
    if let (Some(last), Some(x)) = (reduced.diagonal.last_mut(), scaled.data.last()) {
        *last = *x;
    }
    let vectors = reduced.reflectors.product(workers, n)?;
    let mut strips = Strips::of(&vectors)?;
    let (mut values, beside) = (reduced.diagonal, reduced.beside);
    tridiagonal::diagonalize(workers, &mut values, beside, &mut strips)?;
    let order = ordered(&values, |x, y| x.total_cmp(y))?;
    let vectors = strips.columns(&order, &array::filled(1.0, n)?)?;
    Ok((vectors, array::collect(n, order.iter().map(|&i| values[i] / scale))?))
}

/// The tridiagonal matrix as far as it is known.
struct Reduction {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    reflectors: Reflectors,
    /// For each reflector v of a panel the row w: the rest of the matrix changes by `v * w + w * v`.
    others: Matrix,
    /// Room for a product of the matrix and a vector by parts, for weights, and for two rows of sums.
    sums: Vec<f64>,
    weights: [Vec<f64>; 2],
}

impl Reduction {
    fn new(n: usize) -> Result<Reduction, ValueError> {
        Ok(Reduction {
            diagonal: array::filled(0.0, n)?,
            beside: array::filled(0.0, n.saturating_sub(1))?,
            reflectors: Reflectors::room(n.saturating_sub(1), n, 1)?,
            others: Matrix::zeros(PANEL, n)?,
            sums: array::filled(0.0, shape::count(&[PARTS, n])?)?,
            weights: [array::filled(0.0, PANEL)?, array::filled(0.0, PANEL)?],
        })
    }

    /// Reduces the rows from number `first` on, and changes what follows them.
    fn panel(&mut self, workers: &dyn Workers, a: &mut Matrix, first: usize) -> Result<(), ValueError> {
        let n = a.rows;
        let end = (n - 1).min(first + PANEL);
        for k in first..end {
            self.reduce(workers, a, first, k);
        }
        let (count, depth) = (end - first, 2 * (end - first));
        let mut left = array::filled(0.0, shape::count(&[n - end, depth])?)?;
        let mut right = array::filled(0.0, left.len())?;
        for j in 0..count {
            let v = &self.reflectors.vectors.data[(first + j) * n + end..(first + j + 1) * n];
            let w = &self.others.data[j * n + end..(j + 1) * n];
            for (r, (&v, &w)) in v.iter().zip(w).enumerate() {
                (left[r * depth + j], left[r * depth + count + j]) = (v, w);
                (right[r * depth + j], right[r * depth + count + j]) = (w, v);
            }
        }
        subtract_product(workers, (&mut a.data[end * n..], n, end), [&left, &right], depth, Part::Upper)
    }

    /// Makes the reflection of row k, which the panel's earlier ones have not changed yet.
    fn reduce(&mut self, workers: &dyn Workers, a: &mut Matrix, first: usize, k: usize) {
        let (n, i) = (a.rows, k - first);
        let [p, q] = &mut self.weights;
        let (p, q) = (&mut p[..i], &mut q[..i]);
        for j in 0..i {
            p[j] = -self.reflectors.vectors.data[(first + j) * n + k];
            q[j] = -self.others.data[j * n + k];
        }
        let row = &mut a.data[k * n + k..(k + 1) * n];
        add_multiples(&Caller, Rows::of(&self.others.data, n, [0, i], k), p, row);
        add_multiples(&Caller, self.reflectors.rows(first, i, k), q, row);
        self.diagonal[k] = row[0];
        let v = &mut self.reflectors.vectors.data[k * n + k + 1..(k + 1) * n];
        v.copy_from_slice(&row[1..]);
        let (beside, factor) = reflector(v);
        (self.beside[k], self.reflectors.factors[k]) = (beside, factor);

        let v = &self.reflectors.vectors.data[k * n + k + 1..(k + 1) * n];
        let (done, rest) = self.others.data.split_at_mut(i * n);
        let w = &mut rest[k + 1..n];
        multiply(workers, &a.data[(k + 1) * (n + 1)..], n, v, (&mut self.sums, w));
        let others = Rows::of(done, n, [0, i], k + 1);
        let vectors = self.reflectors.rows(first, i, k + 1);
        dots(&Caller, others, v, p);
        dots(&Caller, vectors, v, q);
        p.iter_mut().chain(q.iter_mut()).for_each(|x| *x = -*x);
        add_multiples(&Caller, vectors, p, w);
        add_multiples(&Caller, others, q, w);
        let middle = -0.5 * factor * factor * dot(w, v);
        w.iter_mut().zip(v).for_each(|(w, v)| *w = factor * *w + middle * v);
    }
}

/// The product of a symmetric matrix, which begins with its first diagonal element, and a vector.
fn multiply(
    workers: &dyn Workers,
    data: &[f64],
    stride: usize,
    x: &[f64],
    (sums, result): (&mut [f64], &mut [f64]),
) {
    let n = x.len();
    result.fill(0.0);
    if n < SPLIT {
        return add_symmetric(data, stride, 0..n, x, result);
    }
    // Parts of about as many elements each: rows get shorter.
    let bound = |part: usize| n - (n as f64 * (1.0 - part as f64 / PARTS as f64).sqrt()) as usize;
    let parts = sums[..PARTS * n].chunks_exact_mut(n).enumerate().collect();
    each(for_elements(workers, n * n / 2), parts, &|(part, sums): (usize, &mut [f64])| {
        let rows = if part + 1 == PARTS { bound(part)..n } else { bound(part)..bound(part + 1) };
        sums[rows.start..].fill(0.0);
        add_symmetric(data, stride, rows, x, sums);
    });
    for part in 0..PARTS {
        let from = bound(part);
        result[from..].iter_mut().zip(&sums[part * n + from..(part + 1) * n]).for_each(|(y, x)| *y += x);
    }
}
