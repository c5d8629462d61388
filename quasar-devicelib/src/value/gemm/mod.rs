//! Products of matrices: which algorithm computes one, and how threads share it.
//!
//! Each element of a product is the sum over the inner dimension in its order, from zero on. Only few long sums, and those of a matrix
//! and a vector, have another order, which `sums` defines. So results do not depend on the number of threads. Tiles use fused multiply-adds where the processor has
//! them, which round once instead of twice; the other algorithms round every product and every sum.

mod rows;
mod sums;
mod tiles;
mod turned;

pub use tiles::Factor;

use super::error::ValueError;
use super::workers::{Workers, each};
use super::{array, shape};

/// How a product is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Few long sums: threads add up pieces of them.
    Sums,
    /// A matrix and a vector: sums of the same order as `Sums`, which threads share by rows.
    Dots,
    /// Both matrices are cut into tiles, which are packed so that processors multiply them in their registers.
    Tiles,
    /// Multiples of rows are added, or a few sums are made at once.
    Rows,
}

/// The most rows and columns of products by pieces of sums, and the shortest such sums.
const FEW: usize = 4;
const LONG: usize = 4096;
/// The least rows, columns and terms of a sum for which packing tiles is worth it, and the least products of elements.
const TILED: [usize; 3] = [6, 12, 8];
const WORK: usize = 1 << 15;
/// The least terms of the sums of a matrix and a vector that are added up by lanes. Chosen: the lanes are added up behind them.
const DOT: usize = 64;

/// The algorithm for matrices of `rows` x `inner` and `inner` x `columns` elements.
pub fn algorithm(rows: usize, inner: usize, columns: usize) -> Algorithm {
    let [least_rows, least_columns, least_inner] = TILED;
    if rows <= FEW && columns <= FEW && inner >= LONG {
        Algorithm::Sums
    } else if columns == 1 && inner >= DOT {
        Algorithm::Dots
    } else if rows >= least_rows
        && columns >= least_columns
        && inner >= least_inner
        && rows.saturating_mul(inner).saturating_mul(columns) >= WORK
    {
        Algorithm::Tiles
    } else {
        Algorithm::Rows
    }
}

/// Whether each of two matrices is stored by columns: it is the transpose of what lies in memory.
pub type Turned = [bool; 2];

/// The factors of a product: `a` has m x n elements and `b` has n x q, for the size `[m, n, q]`.
#[derive(Clone, Copy)]
struct Factors<'a, T> {
    a: &'a [T],
    b: &'a [T],
    size: [usize; 3],
    turned: Turned,
}

/// The row-major product of an m x n matrix and an n x q matrix.
pub fn multiply<T: Factor>(
    workers: &dyn Workers,
    a: &[T],
    b: &[T],
    size: [usize; 3],
) -> Result<Vec<T>, ValueError> {
    multiply_turned(workers, a, b, size, [false; 2])
}

/// The same of matrices that may be stored by columns; bit for bit what their transposes in memory give.
pub fn multiply_turned<T: Factor>(
    workers: &dyn Workers,
    a: &[T],
    b: &[T],
    [m, n, q]: [usize; 3],
    turned: Turned,
) -> Result<Vec<T>, ValueError> {
    let count = shape::count(&[m, q])?;
    let mut result = array::filled(T::default(), count)?;
    if count > 0 && n > 0 {
        let factors = Factors { a: &a[..m * n], b: &b[..n * q], size: [m, n, q], turned };
        match algorithm(m, n, q) {
            Algorithm::Tiles => tiles::multiply(workers, factors, &mut result)?,
            Algorithm::Dots if turned[0] => sums::of_columns(workers, factors.a, factors.b, &mut result)?,
            Algorithm::Dots => sums::of_rows(workers, factors.a, factors.b, &mut result),
            by if turned == [false; 2] => by_rows(workers, by, factors, &mut result)?,
            by => turned::multiply(workers, by, factors, &mut result)?,
        }
    }
    Ok(result)
}

/// The product of matrices that are stored by rows, by an algorithm other than that of tiles.
fn by_rows<T: Factor>(
    workers: &dyn Workers,
    by: Algorithm,
    Factors { a, b, size, .. }: Factors<'_, T>,
    result: &mut [T],
) -> Result<(), ValueError> {
    match by {
        Algorithm::Sums => sums::multiply(workers, a, b, size[2], result),
        Algorithm::Tiles | Algorithm::Rows | Algorithm::Dots => rows::multiply(workers, a, b, size, result),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{self, Baseline, Isa, Level};
    use crate::ops::Number;
    use crate::value::array::ArrayElement;
    use crate::value::workers::{Caller, tests::Disorder};
    use half::f16;
    use num_complex::Complex;
    use proptest::prelude::*;

    /// How sums of tiles grow.
    trait Grow: Factor {
        fn grown(self, x: Self, y: Self, fused: bool) -> Self;
    }

    macro_rules! grow {
        (floats: $($float:ty)*; others: $($other:ty)*;) => {
            $(impl Grow for $float {
                fn grown(self, x: Self, y: Self, fused: bool) -> Self {
                    if fused { x.mul_add(y, self) } else { self + x * y }
                }
            }

            impl Grow for Complex<$float> {
                fn grown(self, x: Self, y: Self, fused: bool) -> Self {
                    let real = self.re.grown(x.re, y.re, fused).grown(x.im, -y.im, fused);
                    let imaginary = self.im.grown(x.re, y.im, fused).grown(x.im, y.re, fused);
                    Complex::new(real, imaginary)
                }
            })*
            $(impl Grow for $other {
                fn grown(self, x: Self, y: Self, _: bool) -> Self {
                    self.add(x.multiply(y))
                }
            })*
        };
    }
    grow! {
        floats: f32 f64;
        others: f16 i32 i64;
    }

    /// By the definition of an algorithm, with the instructions of a level.
    fn defined<T: Grow>(by: Algorithm, level: Level, a: &[T], b: &[T], [m, n, q]: [usize; 3]) -> Vec<T> {
        let term = |i: usize, j: usize, k: usize| a[i * n + k].multiply(b[k * q + j]);
        let fused = level > Level::Baseline || Baseline::FMA;
        let sum = |i: usize, j: usize| match by {
            Algorithm::Rows => (0..n).fold(T::default(), |sum, k| sum.add(term(i, j, k))),
            Algorithm::Tiles => {
                (0..n).fold(T::default(), |sum, k| sum.grown(a[i * n + k], b[k * q + j], fused))
            }
            Algorithm::Sums | Algorithm::Dots => (0..n).step_by(4096).fold(T::default(), |sum, first| {
                let last = n.min(first + 4096);
                let lane = |l: usize| {
                    (first + l..last).step_by(16).fold(T::default(), |sum, k| sum.add(term(i, j, k)))
                };
                let mut lanes: Vec<T> = (0..16).map(lane).collect();
                while lanes.len() > 1 {
                    let half = lanes.split_off(lanes.len() / 2);
                    lanes.iter_mut().zip(half).for_each(|(x, y)| *x = x.add(y));
                }
                sum.add(lanes[0])
            }),
        };
        (0..m * q).map(|k| sum(k / q, k % q)).collect()
    }

    /// Bit by bit, but for the bits of NaN, which the processor chooses.
    fn same<T: Factor>(x: T, y: T) -> bool {
        let part = |x: T::Real, y: T::Real| x.is_nan() && y.is_nan() || format!("{x:?}") == format!("{y:?}");
        part(x.real(), y.real()) && part(x.imag(), y.imag())
    }

    fn check<T: Grow + ArrayElement>(size: [usize; 3], of: impl Fn(usize) -> T) {
        let [m, n, q] = size;
        let a: Vec<T> = (0..m * n).map(|k| of(k * k % 1009 + k)).collect();
        let b: Vec<T> = (0..n * q).map(|k| of(k * 7 % 997 + 2 * k)).collect();
        let compare = |what: &str, by: Algorithm, level: Level, found: &[T]| {
            let expected = defined(by, level, &a, &b, size);
            let wrong = found.iter().zip(&expected).position(|(x, y)| !same(*x, *y));
            assert_eq!(found.len(), expected.len(), "{what}, {level:?}: {:?} {size:?}", T::TYPE);
            assert_eq!(wrong, None, "{what}, {level:?}: {:?} {size:?}", T::TYPE);
        };
        let chosen = algorithm(m, n, q);
        compare("one thread", chosen, isa::detected(), &multiply(&Caller, &a, &b, size).unwrap());
        compare("threads", chosen, isa::detected(), &multiply(&Disorder(3), &a, &b, size).unwrap());
        if m * n * q == 0 || matches!(chosen, Algorithm::Sums | Algorithm::Dots) {
            return;
        }
        for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
            let mut result = vec![T::default(); m * q];
            let factors = Factors { a: &a, b: &b, size, turned: [false; 2] };
            tiles::multiply_on(level, &Disorder(2), factors, &mut result).unwrap();
            compare("tiles", Algorithm::Tiles, level.min(isa::detected()), &result);
        }
        let mut result = vec![T::default(); m * q];
        rows::multiply(&Disorder(2), &a, &b, size, &mut result).unwrap();
        compare("rows", Algorithm::Rows, isa::detected(), &result);
    }

    fn check_turned<T: Factor + ArrayElement>([m, n, q]: [usize; 3], of: impl Fn(usize) -> T) {
        let a: Vec<T> = (0..m * n).map(&of).collect();
        let b: Vec<T> = (0..n * q).map(|k| of(k + 7)).collect();
        let by_columns = |x: &[T], [rows, columns]: [usize; 2]| -> Vec<T> {
            (0..columns)
                .flat_map(|c| (0..rows).map(move |r| (r, c)))
                .map(|(r, c)| x[r * columns + c])
                .collect()
        };
        let expected = multiply(&Caller, &a, &b, [m, n, q]).unwrap();
        for turned in [[true, false], [false, true], [true, true]] {
            let x = if turned[0] { by_columns(&a, [m, n]) } else { a.clone() };
            let y = if turned[1] { by_columns(&b, [n, q]) } else { b.clone() };
            let found = multiply_turned(&Disorder(2), &x, &y, [m, n, q], turned).unwrap();
            assert!(
                found.iter().zip(&expected).all(|(x, y)| same(*x, *y)),
                "{m} x {n} x {q}, {turned:?} of {:?}",
                T::TYPE
            );
        }
    }

    #[test]
    fn matrices_by_columns_give_what_their_transposes_give() {
        let real = |k: usize| 1.0 / (1 + k * k % 1009) as f32 - 0.1;
        for size in [
            [1, 1, 1],
            [3, 5000, 2],
            [50, 300, 1],
            [50, 4500, 1],
            [1, 300, 50],
            [7, 90, 11],
            [11, 90, 7],
            [130, 100, 90],
            [5, 6, 40],
            [40, 6, 5],
            [200, 3, 200],
            [129, 257, 65],
        ] {
            check_turned(size, real);
            check_turned(size, |k| f64::from(real(k)));
            check_turned(size, |k| (k * 7 % 31) as i32);
            check_turned(size, |k| Complex::new(real(k), real(k + 3)));
        }
    }

    #[test]
    fn a_matrix_times_its_transpose_is_what_the_general_product_gives() {
        for [m, n] in [[130, 100], [7, 4000], [300, 64], [257, 129]] {
            check_symmetric([m, n], |k| 1.0 / (1 + k % 109) as f32);
            // Fused complex products depend on the order of their factors: these are exact.
            check_symmetric([m, n], |k| Complex::new((k % 11) as f32, (k % 7) as f32 - 3.5));
        }
    }

    fn check_symmetric<T: Grow>([m, n]: [usize; 2], of: impl Fn(usize) -> T) {
        let a: Vec<T> = (0..m * n).map(of).collect();
        let copy = a.clone();
        for (size, turned) in [([m, n, m], [false, true]), ([n.min(300), m, n.min(300)], [true, false])] {
            let [a, copy] = [&a[..size[0] * size[1]], &copy[..size[0] * size[1]]];
            let general = multiply_turned(&Disorder(2), a, copy, size, turned).unwrap();
            let own = multiply_turned(&Disorder(2), a, a, size, turned).unwrap();
            assert!(general.iter().zip(&own).all(|(x, y)| same(*x, *y)), "{size:?} {turned:?}");
        }
    }

    fn check_all(size: [usize; 3]) {
        // Some are large, infinite, NaN or negative zeros.
        let float = |k: usize| match k % 4001 {
            17 => f64::INFINITY,
            19 => f64::NAN,
            23 => -0.0,
            29 => 3e38,
            _ => 1.0 / (1 + k % 251) as f64 - 0.25,
        };
        let finite = |k: usize| 1.0 / (1 + k % 251) as f64 - 0.25;
        check(size, |k| float(k) as f32);
        check(size, float);
        check(size, finite);
        check(size, |k| finite(k) as f32);
        check(size, |k| f16::from_f64(finite(k)));
        check(size, |k| Complex::new(finite(k) as f32, finite(k + 7) as f32));
        check(size, |k| Complex::new(float(k), finite(k + 7)));
        check(size, |k| k.wrapping_mul(0x9e37_79b9) as i32);
        check(size, |k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64);
    }

    #[test]
    fn the_shape_decides() {
        use Algorithm::{Dots, Rows, Sums, Tiles};
        for (size, expected) in [
            ([4, 4096, 4], Sums),
            ([1, 1 << 20, 1], Sums),
            ([4, 4095, 4], Rows),
            ([5, 4096, 4], Rows),
            ([4, 4096, 5], Rows),
            ([1, 4096, 4096], Rows),
            ([4096, 4096, 1], Dots),
            ([4, 64, 1], Dots),
            ([1000, 63, 1], Rows),
            ([16, 16, 16], Rows),
            ([4096, 2, 4096], Rows),
            ([64, 256, 64], Tiles),
            ([1000, 1000, 1000], Tiles),
            ([6, 1 << 15, 12], Tiles),
            ([0, 5, 0], Rows),
        ] {
            assert_eq!(algorithm(size[0], size[1], size[2]), expected, "{size:?}");
        }
    }

    /// Sizes at the edges of tiles, strips and blocks, empty ones, vectors, few long sums.
    #[test]
    fn all_algorithms_give_what_sums_in_order_give() {
        for size in [
            [0, 3, 2],
            [3, 0, 5],
            [2, 3, 0],
            [1, 1, 1],
            [1, 7, 1],
            [9, 5, 1],
            [5, 11, 63],
            [13, 4, 39],
            [8, 8, 8],
            [8, 3, 32],
            [7, 9, 31],
            [9, 200, 33],
            [17, 193, 65],
            [40, 385, 9],
            [2, 50, 300],
            [1, 33, 700],
            [33, 40, 3],
            [1, 64, 1],
            [7, 71, 1],
            [65, 200, 1],
            [33, 4500, 1],
            [130, 20, 20],
        ] {
            check_all(size);
        }
        check([3, 70, 5000], |k| (k % 97) as f32 * 0.1);
        check([20, 9, 4100], |k| (k % 97) as f32 * 0.1);
    }

    #[test]
    fn few_long_sums_have_their_own_order() {
        for size in [[1, 4096, 1], [4, 4097, 3], [2, 8191, 4], [3, 20_000, 2], [4, 70_001, 4], [1, 4111, 2]] {
            check(size, |k| 1.0 / (1 + k % 251) as f32 - 0.25);
            check(size, |k| Complex::new(1.0 / (1 + k % 251) as f64, k as f64));
            check(size, |k| k.wrapping_mul(0x9e37_79b9) as i32);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn any_shape_gives_what_sums_in_order_give(m in 0..40usize, n in 0..90usize, q in 0..80usize) {
            check_all([m, n, q]);
        }
    }
}
