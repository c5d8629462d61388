//! Determinants, inverses and linear systems of fixed size by elimination with pivots. The order of the operations is that of
//! `value::matmul::factorize`, so that kernels and the host agree bit by bit.

#![allow(clippy::needless_range_loop, reason = "the formulas index several arrays at once")]

use super::Matrix;
use crate::isa::Isa;
use crate::ops::{FloatOrComplex, Real};

/// The determinant, 0 if a pivot is zero.
#[inline(always)]
pub fn det<I: Isa, T: FloatOrComplex, const N: usize>(a: Matrix<T, N, N>) -> T {
    eliminate::<I, T, N, 0>(a, [[]; N]).1
}

/// Whether elimination meets a pivot that is zero. Functions that divide by it fail on the host.
#[inline(always)]
pub fn singular<I: Isa, T: FloatOrComplex, const N: usize>(a: Matrix<T, N, N>) -> bool {
    eliminate::<I, T, N, 0>(a, [[]; N]).2
}

/// The inverse; infinities or NaN if the matrix is singular.
#[inline(always)]
pub fn inv<I: Isa, T: FloatOrComplex, const N: usize>(a: Matrix<T, N, N>) -> Matrix<T, N, N> {
    eliminate::<I, T, N, N>(a, super::identity()).0
}

/// The matrix `x` with `a x = b`; infinities or NaN if `a` is singular.
#[inline(always)]
pub fn solve<I: Isa, T: FloatOrComplex, const N: usize, const C: usize>(
    a: Matrix<T, N, N>,
    b: Matrix<T, N, C>,
) -> Matrix<T, N, C> {
    eliminate::<I, T, N, C>(a, b).0
}

/// Gaussian elimination with partial pivoting: the solution, the determinant, and whether a pivot is zero.
#[inline(always)]
fn eliminate<I: Isa, T: FloatOrComplex, const N: usize, const C: usize>(
    mut a: Matrix<T, N, N>,
    mut b: Matrix<T, N, C>,
) -> (Matrix<T, N, C>, T, bool) {
    let (mut determinant, mut odd, mut singular) = (T::one(), false, false);
    for k in 0..N {
        let (mut best, mut largest) = (k, a[k][k].abs::<I>());
        for i in k + 1..N {
            let size = a[i][k].abs::<I>();
            if larger(size, largest) {
                (best, largest) = (i, size);
            }
        }
        // Choices instead of an index that is known at run time, which would keep the matrix out of registers.
        for i in k + 1..N {
            let exchanged = i == best;
            exchange_if(exchanged, &mut a, k, i);
            exchange_if(exchanged, &mut b, k, i);
        }
        odd ^= best != k;
        let pivot = a[k][k];
        determinant = determinant.multiply(pivot);
        singular |= pivot == T::default();
        for i in k + 1..N {
            let factor = a[i][k].divide::<I>(pivot);
            for j in k + 1..N {
                a[i][j] = a[i][j].subtract(factor.multiply(a[k][j]));
            }
            for j in 0..C {
                b[i][j] = b[i][j].subtract(factor.multiply(b[k][j]));
            }
        }
    }
    for i in (0..N).rev() {
        for j in 0..C {
            let mut sum = b[i][j];
            for k in i + 1..N {
                sum = sum.subtract(a[i][k].multiply(b[k][j]));
            }
            b[i][j] = sum.divide::<I>(a[i][i]);
        }
    }
    let signed = if odd { determinant.negate() } else { determinant };
    (b, if singular { T::default() } else { signed }, singular)
}

/// Exchanges two rows if a condition holds.
#[inline(always)]
fn exchange_if<T: Copy, const N: usize, const C: usize>(
    condition: bool,
    rows: &mut Matrix<T, N, C>,
    first: usize,
    second: usize,
) {
    let (x, y) = (rows[first], rows[second]);
    for j in 0..C {
        rows[first][j] = if condition { y[j] } else { x[j] };
        rows[second][j] = if condition { x[j] } else { y[j] };
    }
}

#[inline(always)]
fn larger<T: Real>(a: T, b: T) -> bool {
    a > b
}

#[cfg(test)]
mod tests {
    use super::super::{identity, matmul};
    use super::*;
    use crate::isa::Baseline;
    use crate::random::normal;
    use num_complex::Complex;

    fn check<const N: usize>() {
        let a: Matrix<f64, N, N> =
            std::array::from_fn(|i| std::array::from_fn(|j| normal(N as u64, (8 * i + j) as u64)));
        let b = inv::<Baseline, f64, N>(a);
        let product = matmul(a, b);
        for i in 0..N {
            for j in 0..N {
                assert!((product[i][j] - f64::from(u8::from(i == j))).abs() < 1.0e-11, "{N} {product:?}");
            }
        }
        let solved = solve::<Baseline, f64, N, N>(a, identity());
        let by_elimination = eliminate::<Baseline, f64, N, 0>(a, [[]; N]).1;
        assert!((det::<Baseline, f64, N>(a) - by_elimination).abs() < 1.0e-11);
        assert!(solved.iter().flatten().zip(b.iter().flatten()).all(|(x, y)| (x - y).abs() < 1.0e-10));
    }

    #[test]
    fn inverses_of_every_size_multiply_to_one() {
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
        check::<5>();
        check::<6>();
        check::<7>();
        check::<8>();
    }

    #[test]
    fn singular_matrices_have_determinant_zero() {
        assert_eq!(det::<Baseline, f32, 2>([[1.0, 2.0], [2.0, 4.0]]), 0.0);
        assert_eq!(det::<Baseline, f64, 5>([[1.0; 5]; 5]), 0.0);
        assert_eq!(det::<Baseline, f64, 6>([[0.0; 6]; 6]), 0.0);
        assert!(inv::<Baseline, f32, 2>([[0.0; 2]; 2]).iter().flatten().all(|x| !x.is_finite()));
        assert!(inv::<Baseline, f32, 5>([[0.0; 5]; 5]).iter().flatten().all(|x| !x.is_finite()));
    }

    #[test]
    fn complex_matrices_invert() {
        let i = Complex::new(0.0, 1.0);
        let one = Complex::new(1.0, 0.0);
        let a = [[one, i], [i, one]];
        assert_eq!(det::<Baseline, _, 2>(a), Complex::new(2.0, 0.0));
        let product = matmul(a, inv::<Baseline, _, 2>(a));
        assert!((product[0][0] - one).norm() < 1.0e-15 && product[0][1].norm() < 1.0e-15);
    }
}
