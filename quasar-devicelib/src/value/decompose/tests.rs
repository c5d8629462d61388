//! Whether factors multiply to the matrix and are orthogonal, also of hard matrices, and whatever the threads.

use super::*;
use crate::value::gemm;
use crate::value::workers::{Caller, tests::Disorder};

fn product(a: &Matrix, b: &Matrix) -> Matrix {
    let data = gemm::multiply(&Caller, &a.data, &b.data, [a.rows, a.columns, b.columns]).unwrap();
    Matrix { rows: a.rows, columns: b.columns, data }
}

fn turned(a: &Matrix) -> Matrix {
    a.transposed().unwrap()
}

fn largest(a: &Matrix) -> f64 {
    a.data.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

/// Numbers of both signs without a pattern.
fn numbers(count: usize) -> Vec<f64> {
    let mut state = 17u64;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..count).map(next).collect()
}

fn sample(rows: usize, columns: usize) -> Matrix {
    Matrix { rows, columns, data: numbers(rows * columns) }
}

fn matrix(rows: usize, columns: usize, of: impl Fn(usize, usize) -> f64) -> Matrix {
    Matrix { rows, columns, data: (0..rows * columns).map(|k| of(k / columns, k % columns)).collect() }
}

fn symmetric(n: usize) -> Matrix {
    let a = sample(n, n);
    matrix(n, n, |i, j| a.get(i.max(j), i.min(j)))
}

fn definite(n: usize) -> Matrix {
    let a = symmetric(n);
    matrix(n, n, |i, j| a.get(i, j) + if i == j { n as f64 } else { 0.0 })
}

/// Whether two matrices differ by rounding errors of numbers of a size.
fn assert_near(a: &Matrix, b: &Matrix, size: f64, what: &str) {
    assert_eq!((a.rows, a.columns), (b.rows, b.columns), "{what}");
    let limit = 8.0 * f64::EPSILON * (a.rows.max(a.columns) + 4) as f64 * size;
    let worst = a.data.iter().zip(&b.data).fold(0.0, |worst, (x, y)| (x - y).abs().max(worst));
    let finite = a.data.iter().chain(&b.data).all(|x| x.is_finite());
    assert!(finite && worst <= limit, "{what}: {worst:e} > {limit:e}, {}x{}", a.rows, a.columns);
}

fn assert_orthogonal(q: &Matrix, what: &str) {
    assert_near(&product(&turned(q), q), &Matrix::unit(q.columns).unwrap(), 1.0, what);
}

/// The columns times the numbers of a diagonal.
fn scaled(a: &Matrix, diagonal: &[f64]) -> Matrix {
    matrix(a.rows, a.columns, |i, j| a.get(i, j) * diagonal[j])
}

/// A bound of the singular values.
fn size(a: &Matrix) -> f64 {
    let largest = largest(a);
    if largest == 0.0 {
        0.0
    } else {
        a.data.iter().map(|x| (x / largest).powi(2)).sum::<f64>().sqrt() * largest
    }
}

fn check_qr(a: &Matrix, what: &str) {
    let (q, r) = qr(&Disorder(2), a).unwrap();
    assert_near(&product(&q, &r), a, size(a), what);
    assert_orthogonal(&q, what);
    assert!((0..r.rows).all(|i| (0..i.min(r.columns)).all(|j| r.get(i, j) == 0.0)), "{what}");
}

fn check_svd(a: &Matrix, what: &str) -> Vec<f64> {
    let (u, s, v) = svd(&Disorder(2), a).unwrap();
    assert_eq!((u.columns, v.columns), (s.len(), a.rows.min(a.columns)), "{what}");
    assert_near(&product(&scaled(&u, &s), &turned(&v)), a, size(a), what);
    assert_orthogonal(&u, what);
    assert_orthogonal(&v, what);
    assert!(s.windows(2).all(|pair| pair[0] >= pair[1]) && s.iter().all(|x| *x >= 0.0), "{what}");
    s
}

fn check_symmetric(a: &Matrix, what: &str) -> Vec<f64> {
    let (v, d) = symmetric_eigen(&Disorder(2), a).unwrap();
    assert_near(&product(&scaled(&v, &d), &turned(&v)), a, size(a), what);
    assert_orthogonal(&v, what);
    assert!(d.windows(2).all(|pair| pair[0] <= pair[1]), "{what}");
    d
}

fn check_cholesky(a: &Matrix, what: &str) {
    let l = cholesky(&Disorder(2), a).unwrap().unwrap();
    assert_near(&product(&l, &turned(&l)), a, size(a), what);
    assert!((0..l.rows).all(|i| (i + 1..l.rows).all(|j| l.get(i, j) == 0.0)), "{what}");
}

#[test]
fn factors_multiply_to_the_matrix() {
    let little = [(1, 1), (2, 2), (4, 4), (5, 3), (3, 5), (6, 1), (1, 4), (16, 16)];
    let larger =
        [(1, 17), (17, 1), (17, 17), (18, 20), (33, 33), (64, 64), (65, 65), (100, 37), (37, 100), (130, 90)];
    for (m, n) in little.into_iter().chain(larger) {
        let what = format!("{m}x{n}");
        let a = sample(m, n);
        check_qr(&a, &what);
        check_svd(&a, &what);
    }
    for (m, n) in [(0, 0), (0, 3), (3, 0), (0, 20), (20, 0)] {
        let (q, r) = qr(&Caller, &Matrix::zeros(m, n).unwrap()).unwrap();
        assert_eq!((q, r), (Matrix::unit(m).unwrap(), Matrix::zeros(m, n).unwrap()));
        let (u, s, v) = svd(&Caller, &Matrix::zeros(m, n).unwrap()).unwrap();
        assert_eq!((u.rows, s.len(), v.rows), (m, 0, n));
    }
}

#[test]
fn symmetric_matrices_have_real_spectra() {
    for n in [1, 2, 4, 16, 17, 20, 33, 64, 65, 100] {
        check_symmetric(&symmetric(n), &n.to_string());
        check_cholesky(&definite(n), &n.to_string());
    }
    // The matrix of second differences.
    let a = matrix(50, 50, |i, j| [2.0, -1.0].get(i.abs_diff(j)).copied().unwrap_or(0.0));
    let exact = |k: usize| 2.0 - 2.0 * ((k + 1) as f64 * std::f64::consts::PI / 51.0).cos();
    assert!(check_symmetric(&a, "differences").iter().enumerate().all(|(k, d)| (d - exact(k)).abs() < 1e-14));
}

#[test]
fn larger_matrices_take_all_ways() {
    check_qr(&sample(200, 150), "QR");
    check_svd(&sample(200, 190), "SVD");
    // The rows of products are split, and their products shared among threads.
    check_symmetric(&symmetric(300), "symmetric");
    check_cholesky(&definite(300), "Cholesky");
}

#[test]
fn matrices_that_are_not_positive_definite_have_no_factor() {
    for n in [1, 20, 70, 150] {
        for place in [0, n / 2, n - 1] {
            for x in [-1.0, 0.0, f64::NAN, f64::NEG_INFINITY] {
                let a = matrix(n, n, |i, j| {
                    if i != j {
                        0.0
                    } else if i == place {
                        x
                    } else {
                        1.0
                    }
                });
                assert!(cholesky(&Caller, &a).unwrap().is_none(), "{n} {place} {x}");
            }
        }
    }
    // Only what lies on and below the diagonal is read.
    let a = definite(70);
    let lower = matrix(70, 70, |i, j| if i < j { f64::NAN } else { a.get(i, j) });
    assert_eq!(cholesky(&Caller, &a).unwrap(), cholesky(&Caller, &lower).unwrap());
}

/// A matrix with given singular values.
fn with_values(n: usize, values: impl Fn(usize) -> f64) -> Matrix {
    let (u, _) = qr(&Caller, &sample(n, n)).unwrap();
    let (v, _) = qr(&Caller, &symmetric(n)).unwrap();
    let values: Vec<f64> = (0..n).map(values).collect();
    product(&scaled(&u, &values), &turned(&v))
}

#[test]
fn hard_matrices_have_orthogonal_factors() {
    hard_matrices(5);
    hard_matrices(40);
}

fn hard_matrices(n: usize) {
    let any = symmetric(n);
    let clustered = |k: usize| if k < 20 { 1.0 + k as f64 * 1e-15 } else { 1e-9 };
    let hard = [
        ("zero", matrix(n, n, |_, _| 0.0)),
        ("ones", matrix(n, n, |_, _| 1.0)),
        ("unit", Matrix::unit(n).unwrap()),
        ("diagonal", matrix(n, n, |i, j| if i == j { (i * 7 % n) as f64 - 11.0 } else { 0.0 })),
        ("backwards", matrix(n, n, |i, j| if i + j == n - 1 { 1.0 + i as f64 } else { 0.0 })),
        ("one element", matrix(n, n, |i, j| if (i, j) == (3, 3) { 2.0 } else { 0.0 })),
        ("huge", matrix(n, n, |i, j| any.get(i, j) * 1e200)),
        ("tiny", matrix(n, n, |i, j| any.get(i, j) * 1e-200)),
        ("subnormal", matrix(n, n, |i, j| if i == j { 3e-310 } else { 0.0 })),
        ("graded", matrix(n, n, |i, j| 10f64.powi(-((i + j) as i32)) * any.get(i, j))),
        ("graded back", matrix(n, n, |i, j| 10f64.powi(i as i32 + j as i32) * any.get(i, j))),
        ("Hilbert", matrix(n, n, |i, j| 1.0 / (i + j + 1) as f64)),
        ("rank 3", product(&sample(n, 3), &turned(&sample(n, 3)))),
        ("clustered", with_values(n, clustered)),
        ("geometric", with_values(n, |k| 0.3f64.powi(k as i32))),
        (
            "Wilkinson",
            matrix(n, n, |i, j| match i.abs_diff(j) {
                0 => i.abs_diff(n / 2) as f64,
                1 => 1.0,
                _ => 0.0,
            }),
        ),
    ];
    for (what, a) in hard {
        check_qr(&a, what);
        check_svd(&a, what);
        check_qr(&matrix(100, n, |i, j| a.get(i % n, j)), what);
        check_svd(&matrix(100, n, |i, j| a.get(i % n, j)), what);
        check_svd(&matrix(50, n, |i, j| if i < n { a.get(i, j) } else { 0.0 }), what);
        // Even where rounding made it unsymmetric.
        check_symmetric(&matrix(n, n, |i, j| a.get(i.min(j), i.max(j))), what);
    }
}

#[test]
fn deficient_matrices_have_small_values() {
    for data in [vec![1.0, 2.0, 2.0, 4.0, 3.0, 6.0], vec![0.0; 6]] {
        assert!(check_svd(&Matrix { rows: 3, columns: 2, data }, "little")[1].abs() < 1e-12);
    }
}

#[test]
fn values_are_accurate() {
    let s = check_svd(&with_values(60, |k| 1.0 / (1 + k) as f64), "harmonic");
    assert!(s.iter().enumerate().all(|(k, x)| (x - 1.0 / (1 + k) as f64).abs() < 1e-14));
    let s = check_svd(&product(&sample(80, 5), &sample(5, 60)), "rank 5");
    assert!(s[4] > 1.0 && s[5] < 1e-12 && s[5..].iter().all(|x| *x < 1e-12));
    // Bidiagonal matrices determine their small singular values to high relative accuracy.
    let n = 20;
    let graded = |k: usize| 10f64.powi(-(2 * k as i32));
    let a = matrix(n, n, |i, j| {
        if i == j {
            graded(i)
        } else if i + 1 == j {
            graded(i) * 1e-12
        } else {
            0.0
        }
    });
    let s = check_svd(&a, "graded");
    assert!(s.iter().enumerate().all(|(k, x)| (x / graded(k) - 1.0).abs() < 1e-10), "{s:?}");
}

#[test]
fn matrices_that_are_not_finite_end() {
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for n in [3, 16, 17, 40, 70] {
            for place in [0, n * n / 2, n * n - 1] {
                let mut a = definite(n);
                a.data[place] = x;
                svd(&Caller, &a).unwrap();
                symmetric_eigen(&Caller, &a).unwrap();
                qr(&Caller, &a).unwrap();
                cholesky(&Caller, &a).unwrap();
            }
        }
        let a = matrix(40, 40, |_, _| x);
        let values = |a: &Matrix| svd(&Caller, a).unwrap().1;
        assert!(values(&a).iter().chain(&values(&matrix(3, 2, |_, _| x))).all(|x| x.is_nan()));
        assert!(symmetric_eigen(&Caller, &a).unwrap().1.iter().all(|x| x.is_nan()));
        qr(&Caller, &a).unwrap();
    }
    let a = matrix(40, 40, |i, j| if (i + j) % 2 == 0 { f64::MAX } else { f64::MIN_POSITIVE });
    svd(&Caller, &a).unwrap();
    symmetric_eigen(&Caller, &a).unwrap();
    qr(&Caller, &a).unwrap();
}

#[test]
fn results_do_not_depend_on_the_threads() {
    let bits = |a: &Matrix| a.data.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let numbers = |s: &[f64]| s.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let a = sample(290, 280);
    let (one, several) = (svd(&Caller, &a).unwrap(), svd(&Disorder(3), &a).unwrap());
    assert!(bits(&one.0) == bits(&several.0) && bits(&one.2) == bits(&several.2));
    assert_eq!(numbers(&one.1), numbers(&several.1));
    let (one, several) = (qr(&Caller, &a).unwrap(), qr(&Disorder(3), &a).unwrap());
    assert!(bits(&one.0) == bits(&several.0) && bits(&one.1) == bits(&several.1));
    let a = definite(280);
    let (one, several) = (symmetric_eigen(&Caller, &a).unwrap(), symmetric_eigen(&Disorder(3), &a).unwrap());
    assert!(bits(&one.0) == bits(&several.0) && numbers(&one.1) == numbers(&several.1));
    let (one, several) =
        (cholesky(&Caller, &a).unwrap().unwrap(), cholesky(&Disorder(3), &a).unwrap().unwrap());
    assert!(bits(&one) == bits(&several));
}

/// Columns that may differ in their signs.
fn assert_same_columns(a: &Matrix, b: &Matrix) {
    let signs: Vec<f64> = (0..a.columns)
        .map(|j| (0..a.rows).map(|i| a.get(i, j) * b.get(i, j)).sum::<f64>().signum())
        .collect();
    let worst = (0..a.data.len()).map(|k| (a.data[k] - b.data[k] * signs[k % a.columns]).abs());
    assert!(worst.fold(0.0, f64::max) < 1e-11);
}

#[test]
fn both_ways_agree() {
    let n = 16;
    let (a, b, c) = (with_values(n, |k| (n - k) as f64), sample(40, n), definite(n));
    let near = |x: &[f64], y: &[f64]| x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12);
    let spectrum = matrix(n, n, |i, j| (0..n).map(|k| a.get(k, i) * a.get(k, j)).sum());
    let (little, large) =
        (small::symmetric_eigen(&spectrum).unwrap(), symmetric::decompose(&Caller, &spectrum).unwrap());
    assert!(little.1.iter().zip(&large.1).all(|(x, y)| (x - y).abs() < 1e-11));
    assert_same_columns(&little.0, &large.0);
    for a in [&a, &b] {
        let (little, large) = (small::svd(a).unwrap(), singular::decompose(&Caller, a).unwrap());
        assert!(near(&little.1, &large.1));
        assert_same_columns(&little.0, &large.0);
        assert_same_columns(&little.2, &large.2);
        let (little, large) = (small::qr(a).unwrap(), qr::decompose(&Caller, a).unwrap());
        assert!(near(&little.0.data, &large.0.data) && near(&little.1.data, &large.1.data));
    }
    let (little, large) =
        (small::cholesky(&c).unwrap().unwrap(), cholesky::factorize(&Caller, &c).unwrap().unwrap());
    assert!(near(&little.data, &large.data));
}
