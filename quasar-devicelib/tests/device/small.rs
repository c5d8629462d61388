//! Vectors and matrices in registers, against the functions of generated CPU code.

use crate::job::{Case, Job, Mistakes, decode, encode, merged, suffix};
use half::f16;
use num_complex::Complex;
use quasar_devicelib::element::{Element, ElementType, Scalar};
use quasar_devicelib::isa::Baseline;
use quasar_devicelib::kernel;
use quasar_devicelib::ops::{Float, FloatOrComplex, Number};
use quasar_devicelib::random::normal;
use quasar_devicelib::small::{self, Matrix};

/// Elements of each argument.
const COUNT: usize = 64;
const CASES: usize = 3;

/// A call in C that fills `r`, and the number of its results.
type Call = (String, usize);

/// A vector or matrix from the first elements.
fn vector<T: Number, const N: usize>(x: &[T]) -> [T; N] {
    std::array::from_fn(|i| x[i])
}

fn matrix<T: Number, const R: usize, const C: usize>(x: &[T]) -> Matrix<T, R, C> {
    std::array::from_fn(|i| std::array::from_fn(|j| x[i * C + j]))
}

fn shown<T: Number, const R: usize, const C: usize>(a: Matrix<T, R, C>) -> Vec<Scalar> {
    a.iter().flatten().map(|x| x.to_scalar()).collect()
}

fn basic_calls(t: &str) -> Vec<Call> {
    [
        ("r[0] = q_sum_T(a, 5);", 1),
        ("r[0] = q_prod_T(a, 5);", 1),
        ("r[0] = q_dot_T(a, b, 5);", 1),
        ("q_cross_T(a, b, r);", 3),
        ("q_transpose_T(a, r, 2, 3);", 6),
        ("q_matmul_T(a, b, r, 2, 3, 4);", 8),
        ("q_matvec_T(a, b, r, 3, 4);", 3),
        ("q_vecmat_T(a, b, r, 3, 4);", 4),
        ("q_outer_T(a, b, r, 2, 3);", 6),
        ("q_eye_T(r, 2, 3);", 6),
        ("r[0] = q_trace_T(a, 4);", 1),
        ("q_diag_T(a, r, 3);", 3),
        ("q_diagm_T(a, r, 3);", 9),
    ]
    .map(|(call, count)| (call.replace("_T", &format!("_{t}")), count))
    .to_vec()
}

fn basic_results<T: Number>(a: &[T], b: &[T]) -> Vec<Vec<Scalar>> {
    vec![
        vec![small::sum::<T, 5>(vector(a)).to_scalar()],
        vec![small::prod::<T, 5>(vector(a)).to_scalar()],
        vec![small::dot::<T, 5>(vector(a), vector(b)).to_scalar()],
        shown([small::cross(vector(a), vector(b))]),
        shown(small::transpose::<T, 2, 3>(matrix(a))),
        shown(small::matmul::<T, 2, 3, 4>(matrix(a), matrix(b))),
        shown([small::matvec::<T, 3, 4>(matrix(a), vector(b))]),
        shown([small::vecmat::<T, 3, 4>(vector(a), matrix(b))]),
        shown(small::outer::<T, 2, 3>(vector(a), vector(b))),
        shown(small::eye::<T, 2, 3>()),
        vec![small::trace::<T, 4>(matrix(a)).to_scalar()],
        shown([small::diag::<T, 3>(matrix(a))]),
        shown(small::diagm::<T, 3>(vector(a))),
    ]
}

fn solving_calls(t: &str, sizes: &[usize]) -> Vec<Call> {
    let calls = |&n: &usize| {
        [
            (format!("r[0] = q_det_{t}(a, {n});"), 1),
            (format!("r[0] = q_singular_{t}(a, {n}) ? q_one_{t}() : q_zero_{t}();"), 1),
            (format!("q_inv_{t}(a, r, {n});"), n * n),
            (format!("q_solve_{t}(a, b, r, {n}, 2);"), 2 * n),
        ]
    };
    sizes.iter().flat_map(calls).collect()
}

fn solving_results<T: FloatOrComplex, const N: usize>(a: &[T], b: &[T]) -> [Vec<Scalar>; 4] {
    let matrix_a: Matrix<T, N, N> = matrix(a);
    let singular = small::singular::<Baseline, T, N>(matrix_a);
    [
        vec![small::det::<Baseline, T, N>(matrix_a).to_scalar()],
        vec![if singular { T::one() } else { T::default() }.to_scalar()],
        shown(small::inv::<Baseline, T, N>(matrix_a)),
        shown(small::solve::<Baseline, T, N, 2>(matrix_a, matrix(b))),
    ]
}

/// The numbers of an argument: some of size 1 with a heavy diagonal in all sizes, all ones, small whole numbers.
fn values(case: usize, argument: usize, ty: ElementType) -> Vec<Scalar> {
    let number = |k: usize| {
        let random: f64 = normal(argument as u64, (case * COUNT + k) as u64);
        match case {
            0 => {
                random
                    + if [1, 2, 3, 4, 5, 8].iter().any(|n| k.is_multiple_of(n + 1) && k < n * n) {
                        4.0
                    } else {
                        0.0
                    }
            }
            1 => 1.0,
            _ => ((k * 7 + argument) % 5) as f64,
        }
    };
    let scalar = |k: usize| {
        let im = if ty.is_complex() && case == 0 { number(k + 17) * 0.25 } else { 0.0 };
        let z = Scalar::C64(Complex::new(number(k), im));
        z.convert(ty, quasar_devicelib::element::Overflow::Wrap).expect("wrapping never fails")
    };
    (0..COUNT).map(scalar).collect()
}

fn job(ty: ElementType, calls: &[Call]) -> Job {
    let t = suffix(ty);
    let results: usize = calls.iter().map(|call| call.1).sum();
    let mut text = format!(
        "Q_KERNEL void run(Q_GLOBAL q_{t} *out, Q_GLOBAL const q_{t} *all_a, Q_GLOBAL const q_{t} *all_b) {{
    const q_i32 i = Q_BLOCK(0) * Q_BLOCK_DIM(0) + Q_THREAD(0);
    if (i >= {CASES}) return;
    q_{t} a[{COUNT}], b[{COUNT}], r[{COUNT}];
    for (q_i32 k = 0; k < {COUNT}; ++k) {{
        a[k] = all_a[i * {COUNT} + k];
        b[k] = all_b[i * {COUNT} + k];
    }}
    out += i * {results};
"
    );
    let mut offset = 0;
    for (call, count) in calls {
        text += &format!("    {call}\n    for (q_i32 k = 0; k < {count}; ++k) out[{offset} + k] = r[k];\n");
        offset += count;
    }
    text += "}\n";
    let argument = |which| encode(&(0..CASES).flat_map(|case| values(case, which, ty)).collect::<Vec<_>>());
    let buffers = vec![vec![0; CASES * results * ty.size()], argument(0), argument(1)];
    Job { text, buffers, threads: CASES }
}

/// Whether results agree, where roundings may differ by merged products and sums.
fn close(got: &[Scalar], want: &[Scalar], ty: ElementType) -> bool {
    if ty.is_integer() {
        return got == want;
    }
    let finite = |x: &Scalar| x.as_f64().is_finite() && x.imaginary().is_finite();
    let size = want.iter().filter(|x| finite(x)).map(|x| x.as_f64().hypot(x.imaginary())).fold(1.0, f64::max);
    let precision = match ty {
        ElementType::Half => 0.03,
        ElementType::Single | ElementType::ComplexSingle => 1.0e-5,
        _ => 1.0e-14,
    };
    got.iter().zip(want).all(|(g, w)| {
        let distance = (g.as_f64() - w.as_f64()).hypot(g.imaginary() - w.imaginary());
        finite(g) == finite(w) && (!finite(g) || distance <= precision * size)
    })
}

type Results<T> = fn(&[T], &[T]) -> Vec<Vec<Scalar>>;

fn case<T: Number>(name: &str, calls: Vec<Call>, results: Results<T>) -> Case {
    let ty = T::TYPE;
    let job = job(ty, &calls);
    let check = Box::new(move |buffers: &[Vec<u8>], _| {
        let mut mistakes = Mistakes::default();
        let total: usize = calls.iter().map(|call| call.1).sum();
        let got = decode(&buffers[0], ty, CASES * total);
        for (case, got) in got.chunks(total).enumerate() {
            let argument = |which| -> Vec<T> {
                values(case, which, ty).into_iter().filter_map(<T as Element>::from_scalar).collect()
            };
            let wants = results(&argument(0), &argument(1));
            assert_eq!(wants.len(), calls.len());
            let mut offset = 0;
            for ((call, count), want) in calls.iter().zip(wants) {
                let got = &got[offset..offset + count];
                mistakes
                    .expect(close(got, &want, ty), || format!("{call} (case {case}): {got:?}, not {want:?}"));
                offset += count;
            }
        }
        mistakes.result()
    });
    Case { name: format!("small_{name}_{}", suffix(ty)), job, check }
}

fn basic<T: Number>() -> Case {
    case::<T>("basic", basic_calls(suffix(T::TYPE)), basic_results)
}

/// Closed forms and elimination.
fn solving<T: FloatOrComplex>() -> Case {
    case::<T>("solving", solving_calls(suffix(T::TYPE), &[2, 3, 5]), |a, b| {
        let mut results = solving_results::<T, 2>(a, b).to_vec();
        results.extend(solving_results::<T, 3>(a, b));
        results.extend(solving_results::<T, 5>(a, b));
        results
    })
}

/// The other closed forms, for one type since all have one text.
fn solving_more() -> Case {
    case::<f32>("solving_more", solving_calls("f32", &[1, 4]), |a, b| {
        let mut results = solving_results::<f32, 1>(a, b).to_vec();
        results.extend(solving_results::<f32, 4>(a, b));
        results
    })
}

/// The largest matrices that fit.
fn solving_eight() -> Case {
    case::<f64>("eight", solving_calls("f64", &[8]), |a, b| solving_results::<f64, 8>(a, b).to_vec())
}

/// Halves are slow to compile where they are no type of the processor.
fn solving_halves() -> Case {
    case::<f16>("solving_halves", solving_calls("f16", &[2]), |a, b| solving_results::<f16, 2>(a, b).to_vec())
}

fn norm<T: Float>() -> Case {
    let call = |x, n| (format!("r[0] = q_norm_{}({x}, {n});", suffix(T::TYPE)), 1);
    case::<T>("norm", vec![call("a", 7), call("b", 3)], |a, b| {
        let seven = kernel::norm::<Baseline, T, 7>(vector(a));
        vec![vec![seven.to_scalar()], vec![kernel::norm::<Baseline, T, 3>(vector(b)).to_scalar()]]
    })
}

pub(crate) fn cases() -> Vec<Case> {
    macro_rules! each {
        ($function:ident: $($rust:ty)*) => { vec![$($function::<$rust>()),*] };
    }
    vec![
        merged("small_integers", each!(basic: i8 i16 i32 i64 u8 u16 u32 u64)),
        merged("small_floats", each!(basic: f16 f32 f64 Complex<f32> Complex<f64>)),
        merged("norms", each!(norm: f16 f32 f64)),
        merged("solving", vec![solving::<f32>(), solving::<f64>(), solving_more(), solving_halves()]),
        merged("solving_complex", each!(solving: Complex<f32> Complex<f64>)),
        solving_eight(),
    ]
}
