//! Fixed-size vectors and matrices, held in registers: `[T; N]` and, in row-major order, `[[T; C]; R]`.
//!
//! All functions are inlined into the kernel that uses them, and unroll, since sizes are constants.

#![allow(clippy::needless_range_loop, reason = "the formulas index several arrays at once")]

mod matrix;
mod solve;

pub use matrix::{Matrix, diag, diagm, eye, identity, matmul, matvec, outer, trace, transpose, vecmat};
pub use solve::{det, inv, singular, solve};

use crate::ops::Number;

/// Applies a function elementwise.
#[inline(always)]
pub fn map<T: Copy, U, const N: usize>(x: [T; N], f: impl FnMut(T) -> U) -> [U; N] {
    x.map(f)
}

/// Applies a function elementwise to two vectors.
#[inline(always)]
pub fn zip<A: Copy, B: Copy, U, const N: usize>(
    a: [A; N],
    b: [B; N],
    mut f: impl FnMut(A, B) -> U,
) -> [U; N] {
    std::array::from_fn(|i| f(a[i], b[i]))
}

/// Applies a function elementwise to three vectors.
#[inline(always)]
pub fn zip3<A: Copy, B: Copy, C: Copy, U, const N: usize>(
    a: [A; N],
    b: [B; N],
    c: [C; N],
    mut f: impl FnMut(A, B, C) -> U,
) -> [U; N] {
    std::array::from_fn(|i| f(a[i], b[i], c[i]))
}

/// A vector of equal elements.
#[inline(always)]
pub fn splat<T: Copy, const N: usize>(x: T) -> [T; N] {
    [x; N]
}

/// A left fold.
#[inline(always)]
pub fn fold<T: Copy, A, const N: usize>(x: [T; N], start: A, mut f: impl FnMut(A, T) -> A) -> A {
    let mut result = start;
    for element in x {
        result = f(result, element);
    }
    result
}

/// The sum of the elements; integers wrap.
#[inline(always)]
pub fn sum<T: Number, const N: usize>(x: [T; N]) -> T {
    fold(x, T::default(), T::add)
}

/// The product of the elements; integers wrap.
#[inline(always)]
pub fn prod<T: Number, const N: usize>(x: [T; N]) -> T {
    fold(x, T::one(), T::multiply)
}

/// The dot product, without conjugation.
#[inline(always)]
pub fn dot<T: Number, const N: usize>(a: [T; N], b: [T; N]) -> T {
    let mut result = T::default();
    for i in 0..N {
        result = result.add(a[i].multiply(b[i]));
    }
    result
}

/// The cross product.
#[inline(always)]
pub fn cross<T: Number>(a: [T; 3], b: [T; 3]) -> [T; 3] {
    let minor = |i: usize, j: usize| a[i].multiply(b[j]).subtract(a[j].multiply(b[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_combine_by_element() {
        assert_eq!(zip([1, 2, 3], [4, 5, 6], |a, b| a * b), [4, 10, 18]);
        assert_eq!(sum(map([1, 2, 3], |x| x * x)), 14);
        assert_eq!((prod([2, 3, 4]), sum::<f32, 0>([]), prod::<i32, 0>([])), (24, 0.0, 1));
        assert_eq!(dot([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), 32.0);
        assert_eq!(cross([1, 0, 0], [0, 1, 0]), [0, 0, 1]);
        assert_eq!(cross([2, 3, 4], [5, 6, 7]), [-3, 6, -3]);
        assert_eq!(sum([i32::MAX, 1]), i32::MIN);
    }
}
