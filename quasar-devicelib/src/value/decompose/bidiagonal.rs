//! The reduction of a matrix, which has no fewer rows than columns, to upper bidiagonal form by Householder reflections from both sides
//! (Golub & Van Loan 5.4.8; LAPACK's `dgebrd` and `dlabrd`).

use super::super::error::ValueError;
use super::super::workers::{Caller, Workers};
use super::super::{array, shape};
use super::Matrix;
use super::reflectors::{Reflectors, reflector};
use super::rows::{Rows, add_multiples, dots};
use super::update::{Part, subtract_product};

/// Reflections of each side whose change of the rest of the matrix is put off.
const PANEL: usize = 32;

/// A matrix in bidiagonal form, as far as it is known.
pub(super) struct Bidiagonal {
    pub(super) diagonal: Vec<f64>,
    pub(super) above: Vec<f64>,
    /// The reflections u of columns and v of rows.
    pub(super) left: Reflectors,
    pub(super) right: Reflectors,
    /// For those of a panel the rows x and y: the rest of the matrix changes by `u * y + x * v`.
    x: Matrix,
    y: Matrix,
    weights: [Vec<f64>; 2],
}

/// Reduces a matrix.
pub(super) fn reduce(workers: &dyn Workers, mut a: Matrix) -> Result<Bidiagonal, ValueError> {
    let (m, n) = (a.rows, a.columns);
    let mut reduced = Bidiagonal {
        diagonal: array::filled(0.0, n)?,
        above: array::filled(0.0, n.saturating_sub(1))?,
        left: Reflectors::room(n, m, 0)?,
        right: Reflectors::room(n.saturating_sub(1), n, 1)?,
        x: Matrix::zeros(PANEL, m)?,
        y: Matrix::zeros(PANEL, n)?,
        weights: [array::filled(0.0, PANEL)?, array::filled(0.0, PANEL)?],
    };
    for first in (0..n).step_by(PANEL) {
        let end = n.min(first + PANEL);
        for k in first..end {
            reduced.reduce_column(workers, &a, first, k);
            if k + 1 < n {
                reduced.reduce_row(workers, &a, first, k);
            }
        }
        if end < n {
            reduced.change_rest(workers, &mut a, first, end)?;
        }
    }
    Ok(reduced)
}

impl Bidiagonal {
    /// Makes the reflection of column k, and its y. The panel's earlier ones have not changed the matrix yet.
    fn reduce_column(&mut self, workers: &dyn Workers, a: &Matrix, first: usize, k: usize) {
        let (m, n, i) = (a.rows, a.columns, k - first);
        let [p, q] = &mut self.weights;
        let (p, q) = (&mut p[..i], &mut q[..i]);
        for j in 0..i {
            p[j] = -self.y.data[j * n + k];
            q[j] = -self.right.vectors.data[(first + j) * n + k];
        }
        let (done, rest) = self.left.vectors.data.split_at_mut(k * m);
        let u = &mut rest[k..m];
        u.iter_mut().zip(a.data[k * n + k..].iter().step_by(n)).for_each(|(u, a)| *u = *a);
        let before = Rows::of(done, m, [first, i], k);
        let x = Rows::of(&self.x.data, m, [0, i], k);
        add_multiples(&Caller, before, p, u);
        add_multiples(&Caller, x, q, u);
        let (diagonal, factor) = reflector(u);
        (self.diagonal[k], self.left.factors[k]) = (diagonal, factor);
        if k + 1 == n {
            return;
        }
        let (others, rest) = self.y.data.split_at_mut(i * n);
        let y = &mut rest[k + 1..n];
        y.fill(0.0);
        add_multiples(workers, Rows::of(&a.data, n, [k, m - k], k + 1), u, y);
        dots(&Caller, before, u, p);
        dots(&Caller, x, u, q);
        p.iter_mut().chain(q.iter_mut()).for_each(|x| *x = -*x);
        add_multiples(&Caller, Rows::of(others, n, [0, i], k + 1), p, y);
        add_multiples(&Caller, self.right.rows(first, i, k + 1), q, y);
        y.iter_mut().for_each(|y| *y *= factor);
    }

    /// Makes the reflection of row k, and its x.
    fn reduce_row(&mut self, workers: &dyn Workers, a: &Matrix, first: usize, k: usize) {
        let (m, n, i) = (a.rows, a.columns, k - first);
        let [p, q] = &mut self.weights;
        let (p, q) = (&mut p[..i + 1], &mut q[..i]);
        (0..=i).for_each(|j| p[j] = -self.left.vectors.data[(first + j) * m + k]);
        (0..i).for_each(|j| q[j] = -self.x.data[j * m + k]);
        let (done, rest) = self.right.vectors.data.split_at_mut(k * n);
        let v = &mut rest[k + 1..n];
        v.copy_from_slice(&a.data[k * n + k + 1..(k + 1) * n]);
        let before = Rows::of(done, n, [first, i], k + 1);
        let y = Rows::of(&self.y.data, n, [0, i + 1], k + 1);
        add_multiples(&Caller, y, p, v);
        add_multiples(&Caller, before, q, v);
        let (above, factor) = reflector(v);
        (self.above[k], self.right.factors[k]) = (above, factor);
        let (others, rest) = self.x.data.split_at_mut(i * m);
        let x = &mut rest[k + 1..m];
        if m > k + 1 {
            dots(workers, Rows::of(&a.data, n, [k + 1, m - k - 1], k + 1), v, x);
        }
        dots(&Caller, y, v, p);
        dots(&Caller, before, v, q);
        p.iter_mut().chain(q.iter_mut()).for_each(|x| *x = -*x);
        add_multiples(&Caller, self.left.rows(first, i + 1, k + 1), p, x);
        add_multiples(&Caller, Rows::of(others, m, [0, i], k + 1), q, x);
        x.iter_mut().for_each(|x| *x *= factor);
    }

    /// Changes what follows a panel.
    fn change_rest(
        &self,
        workers: &dyn Workers,
        a: &mut Matrix,
        first: usize,
        end: usize,
    ) -> Result<(), ValueError> {
        let (m, n, count) = (a.rows, a.columns, end - first);
        let left =
            beside(self.left.rows(first, count, end), Rows::of(&self.x.data, m, [0, count], end), m - end)?;
        let right =
            beside(Rows::of(&self.y.data, n, [0, count], end), self.right.rows(first, count, end), n - end)?;
        subtract_product(workers, (&mut a.data[end * n..], n, end), [&left, &right], 2 * count, Part::All)
    }
}

/// A matrix whose columns are the rows of one and then those of another.
fn beside(one: Rows<'_>, other: Rows<'_>, length: usize) -> Result<Vec<f64>, ValueError> {
    let depth = one.count + other.count;
    let mut result = array::filled(0.0, shape::count(&[length, depth])?)?;
    for (k, row) in one.all(length).chain(other.all(length)).enumerate() {
        result[k..].iter_mut().step_by(depth).zip(row).for_each(|(to, x)| *to = *x);
    }
    Ok(result)
}
