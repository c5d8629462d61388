//! Products and rearrangements of fixed-size matrices.

#![allow(clippy::needless_range_loop, reason = "the formulas index several arrays at once")]

use crate::ops::Number;

/// A matrix of `R` rows and `C` columns.
pub type Matrix<T, const R: usize, const C: usize> = [[T; C]; R];

/// The transpose.
#[inline(always)]
pub fn transpose<T: Copy, const R: usize, const C: usize>(a: Matrix<T, R, C>) -> Matrix<T, C, R> {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// The product of two matrices.
#[inline(always)]
pub fn matmul<T: Number, const R: usize, const K: usize, const C: usize>(
    a: Matrix<T, R, K>,
    b: Matrix<T, K, C>,
) -> Matrix<T, R, C> {
    let mut result = [[T::default(); C]; R];
    for i in 0..R {
        for k in 0..K {
            for j in 0..C {
                result[i][j] = result[i][j].add(a[i][k].multiply(b[k][j]));
            }
        }
    }
    result
}

/// The product of a matrix and a column vector.
#[inline(always)]
pub fn matvec<T: Number, const R: usize, const C: usize>(a: Matrix<T, R, C>, x: [T; C]) -> [T; R] {
    a.map(|row| super::dot(row, x))
}

/// The product of a row vector and a matrix.
#[inline(always)]
pub fn vecmat<T: Number, const R: usize, const C: usize>(x: [T; R], a: Matrix<T, R, C>) -> [T; C] {
    let mut result = [T::default(); C];
    for i in 0..R {
        for j in 0..C {
            result[j] = result[j].add(x[i].multiply(a[i][j]));
        }
    }
    result
}

/// The outer product.
#[inline(always)]
pub fn outer<T: Number, const R: usize, const C: usize>(x: [T; R], y: [T; C]) -> Matrix<T, R, C> {
    x.map(|a| y.map(|b| a.multiply(b)))
}

/// Ones on the diagonal, zeros elsewhere.
#[inline(always)]
pub fn eye<T: Number, const R: usize, const C: usize>() -> Matrix<T, R, C> {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { T::one() } else { T::default() }))
}

/// The identity matrix.
#[inline(always)]
pub fn identity<T: Number, const N: usize>() -> Matrix<T, N, N> {
    eye::<T, N, N>()
}

/// The trace.
#[inline(always)]
pub fn trace<T: Number, const N: usize>(a: Matrix<T, N, N>) -> T {
    super::sum(diag(a))
}

/// The diagonal.
#[inline(always)]
pub fn diag<T: Number, const N: usize>(a: Matrix<T, N, N>) -> [T; N] {
    std::array::from_fn(|i| a[i][i])
}

/// The matrix with this diagonal and zeros elsewhere.
#[inline(always)]
pub fn diagm<T: Number, const N: usize>(x: [T; N]) -> Matrix<T, N, N> {
    std::array::from_fn(|i| std::array::from_fn(|j| if i == j { x[i] } else { T::default() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Matrix<i32, 2, 3> = [[1, 2, 3], [4, 5, 6]];

    #[test]
    fn products_follow_their_definition() {
        assert_eq!(transpose(A), [[1, 4], [2, 5], [3, 6]]);
        assert_eq!(matmul(A, transpose(A)), [[14, 32], [32, 77]]);
        assert_eq!(matvec(A, [1, 0, -1]), [-2, -2]);
        assert_eq!(vecmat([1, -1], A), [-3, -3, -3]);
        assert_eq!(outer([1, 2], [3, 4, 5]), [[3, 4, 5], [6, 8, 10]]);
        assert_eq!(matmul(identity::<i32, 2>(), A), A);
    }

    #[test]
    fn diagonals_come_and_go() {
        assert_eq!(eye::<i32, 2, 3>(), [[1, 0, 0], [0, 1, 0]]);
        assert_eq!(diag(diagm([1, 2, 3])), [1, 2, 3]);
        assert_eq!(trace(diagm([1, 2, 3])), 6);
    }
}
