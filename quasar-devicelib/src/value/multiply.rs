//! Products of matrices, compiled for each instruction set, several rows at once. Each result is summed in the order of the
//! inner dimension, whatever it is summed together with.

use crate::isa::{self, Isa};
use crate::ops::Number;

/// The product of an m x n matrix `a` and an n x q matrix `b`, row-major, where `result` has m x q elements.
pub(super) fn multiply<T: Number>(a: &[T], b: &[T], n: usize, q: usize, result: &mut [T]) {
    if q > 0 {
        isa::dispatch(Product { a, b, n, q, result });
    }
}

struct Product<'a, T> {
    a: &'a [T],
    b: &'a [T],
    n: usize,
    q: usize,
    result: &'a mut [T],
}

impl<T: Number> isa::Body for Product<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        if self.q == 1 { self.vector() } else { self.matrix() }
    }
}

impl<T: Number> Product<'_, T> {
    /// Row by row: four rows of `b` are added at once.
    #[inline(always)]
    fn matrix(self) {
        let Product { a, b, n, q, result } = self;
        let whole = n / 4 * 4;
        for (i, sums) in result.chunks_exact_mut(q).enumerate() {
            let factors = &a[i * n..][..n];
            let row = |k: usize| &b[k * q..][..q];
            for k in (0..whole).step_by(4) {
                add_four(sums, &factors[k..][..4], row(k), row(k + 1), row(k + 2), row(k + 3));
            }
            for (&factor, x) in factors[whole..].iter().zip(b[whole * q..].chunks_exact(q)) {
                add_one(sums, factor, x);
            }
        }
    }

    /// Sums of several rows at once, so that they need not wait for each other.
    #[inline(always)]
    fn vector(self) {
        const ROWS: usize = 8;
        let Product { a, b, n, result, .. } = self;
        let whole = result.len() / ROWS * ROWS;
        let (blocks, rest) = result.split_at_mut(whole);
        for (i, block) in blocks.chunks_exact_mut(ROWS).enumerate() {
            let rows: [&[T]; ROWS] = std::array::from_fn(|r| &a[(i * ROWS + r) * n..][..n]);
            let mut sums = [T::default(); ROWS];
            for (k, &x) in b[..n].iter().enumerate() {
                sums = std::array::from_fn(|r| sums[r].add(rows[r][k].multiply(x)));
            }
            block.copy_from_slice(&sums);
        }
        for (i, y) in rest.iter_mut().enumerate() {
            let row = &a[(whole + i) * n..][..n];
            *y = row.iter().zip(b).fold(T::default(), |sum, (&x, &w)| sum.add(x.multiply(w)));
        }
    }
}

/// Adds four rows with their factors, one after the other.
#[inline(always)]
fn add_four<T: Number>(y: &mut [T], a: &[T], x0: &[T], x1: &[T], x2: &[T], x3: &[T]) {
    let [a0, a1, a2, a3] = [a[0], a[1], a[2], a[3]];
    let n = y.len();
    let (x0, x1, x2, x3) = (&x0[..n], &x1[..n], &x2[..n], &x3[..n]);
    for j in 0..n {
        let sum = y[j].add(a0.multiply(x0[j])).add(a1.multiply(x1[j]));
        y[j] = sum.add(a2.multiply(x2[j])).add(a3.multiply(x3[j]));
    }
}

#[inline(always)]
fn add_one<T: Number>(y: &mut [T], factor: T, x: &[T]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y = y.add(factor.multiply(x));
    }
}

#[cfg(test)]
mod tests {
    use super::{Product, multiply};
    use crate::isa::{self, Level};
    use crate::ops::Number;
    use num_complex::Complex;

    fn check<T: Number + PartialEq + std::fmt::Debug>(of: impl Fn(usize) -> T) {
        for (m, n, q) in
            [(0, 3, 2), (3, 0, 5), (2, 3, 0), (1, 7, 1), (9, 5, 1), (5, 11, 63), (13, 4, 39), (8, 8, 8)]
        {
            let a: Vec<T> = (0..m * n).map(|k| of(k * k % 101 + 1)).collect();
            let b: Vec<T> = (0..n * q).map(|k| of(k * 7 % 97 + 2)).collect();
            let mut expected = vec![T::default(); m * q];
            for (i, j) in (0..m).flat_map(|i| (0..q).map(move |j| (i, j))) {
                expected[i * q + j] =
                    (0..n).fold(T::default(), |sum, k| sum.add(a[i * n + k].multiply(b[k * q + j])));
            }
            let mut result = vec![T::default(); m * q];
            multiply(&a, &b, n, q, &mut result);
            assert_eq!(result, expected, "{m} x {n} x {q}");
            for level in [Level::Baseline, Level::Avx2].into_iter().filter(|_| q > 0) {
                let mut result = vec![T::default(); m * q];
                isa::dispatch_on(level, Product { a: &a, b: &b, n, q, result: &mut result });
                assert_eq!(result, expected, "{m} x {n} x {q}, {level:?}");
            }
        }
    }

    #[test]
    fn blocks_give_what_sums_in_order_give() {
        check(|k| 1.0 / k as f32);
        check(|k| 1.0 / k as f64);
        check(|k| Complex::new(1.0 / k as f32, k as f32));
        check(|k| (k as i32).wrapping_mul(30_000_007));
        check(|k| k as u8);
    }
}
