//! Determinants, inverses and linear systems of fixed size: closed forms up to 4, elimination with pivoting beyond.

#![allow(clippy::needless_range_loop, reason = "the formulas index several arrays at once")]

use super::Matrix;
use crate::isa::Isa;
use crate::ops::{FloatOrComplex, Real};

/// Determinants of submatrices, by expansion along the first row.
#[inline(always)]
fn minor2<T: FloatOrComplex, const N: usize>(a: &Matrix<T, N, N>, r: [usize; 2], c: [usize; 2]) -> T {
    a[r[0]][c[0]].multiply(a[r[1]][c[1]]).subtract(a[r[0]][c[1]].multiply(a[r[1]][c[0]]))
}

#[inline(always)]
fn minor3<T: FloatOrComplex, const N: usize>(a: &Matrix<T, N, N>, r: [usize; 3], c: [usize; 3]) -> T {
    let below = [r[1], r[2]];
    let first = a[r[0]][c[0]].multiply(minor2(a, below, [c[1], c[2]]));
    let second = a[r[0]][c[1]].multiply(minor2(a, below, [c[0], c[2]]));
    let third = a[r[0]][c[2]].multiply(minor2(a, below, [c[0], c[1]]));
    first.subtract(second).add(third)
}

/// The indices without `left_out`.
#[inline(always)]
fn without<const K: usize>(left_out: usize) -> [usize; K] {
    std::array::from_fn(|i| if i < left_out { i } else { i + 1 })
}

/// The cofactor: the signed determinant without a row and a column.
#[inline(always)]
fn cofactor<T: FloatOrComplex, const N: usize>(a: &Matrix<T, N, N>, row: usize, column: usize) -> T {
    let minor = match N {
        0 | 1 => T::one(),
        2 => a[1 - row][1 - column],
        3 => minor2(a, without(row), without(column)),
        _ => minor3(a, without(row), without(column)),
    };
    if (row + column).is_multiple_of(2) { minor } else { minor.negate() }
}

/// The determinant.
#[inline(always)]
pub fn det<I: Isa, T: FloatOrComplex, const N: usize>(a: Matrix<T, N, N>) -> T {
    if N == 0 {
        return T::one();
    }
    if N > 4 {
        return eliminate::<I, T, N, 0>(a, [[]; N]).1;
    }
    let mut sum = T::default();
    for j in 0..N {
        sum = sum.add(a[0][j].multiply(cofactor(&a, 0, j)));
    }
    sum
}

/// The inverse; infinities or NaN if the matrix is singular.
#[inline(always)]
pub fn inv<I: Isa, T: FloatOrComplex, const N: usize>(a: Matrix<T, N, N>) -> Matrix<T, N, N> {
    if N > 4 {
        return eliminate::<I, T, N, N>(a, super::identity()).0;
    }
    let determinant = det::<I, T, N>(a);
    std::array::from_fn(|i| std::array::from_fn(|j| cofactor(&a, j, i).divide::<I>(determinant)))
}

/// The matrix `x` with `a x = b`; infinities or NaN if `a` is singular.
#[inline(always)]
pub fn solve<I: Isa, T: FloatOrComplex, const N: usize, const C: usize>(
    a: Matrix<T, N, N>,
    b: Matrix<T, N, C>,
) -> Matrix<T, N, C> {
    eliminate::<I, T, N, C>(a, b).0
}

/// Gaussian elimination with partial pivoting: the solution and the determinant.
#[inline(always)]
fn eliminate<I: Isa, T: FloatOrComplex, const N: usize, const C: usize>(
    mut a: Matrix<T, N, N>,
    mut b: Matrix<T, N, C>,
) -> (Matrix<T, N, C>, T) {
    let mut determinant = T::one();
    for k in 0..N {
        let mut best = k;
        for i in k + 1..N {
            if larger(a[i][k].abs::<I>(), a[best][k].abs::<I>()) {
                best = i;
            }
        }
        if best != k {
            a.swap(k, best);
            b.swap(k, best);
            determinant = determinant.negate();
        }
        let pivot = a[k][k];
        determinant = determinant.multiply(pivot);
        if pivot == T::default() {
            // The factors below would be 0/0, but the determinant is exactly 0.
            break;
        }
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
    (b, determinant)
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
