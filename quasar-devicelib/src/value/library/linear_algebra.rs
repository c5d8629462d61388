//! Matrices: diagonals, determinants, inverses, linear systems.

use super::creation::as_array;
use super::shape::rearranged;
use super::{Call, Function, function};
use crate::element::{ElementType, Overflow, Scalar, promote};
use crate::ops::{FloatOrComplex, Number};
use crate::value::array::{self, ArrayData, ArrayElement, with_element, with_promoted};
use crate::value::convert::convert_data;
use crate::value::decompose::{self, Matrix};
use crate::value::gemm;
use crate::value::matmul::{self, elements, factorize};
use crate::value::offload::Work;
use crate::value::rearrange::Axis;
use crate::value::workers::Workers;
use crate::value::{ArrayBuf, DataRef, Value, ValueError, reduce, shape};
use num_complex::Complex;

pub(super) static FUNCTIONS: &[Function] = &[
    function("diag", 1, 1, diag),
    function("diagonal", 1, 1, diag),
    function("diagm", 1, 1, diagm),
    function("trace", 1, 1, trace),
    function("det", 1, 1, det),
    function("inv", 1, 1, inv),
    function("singular", 1, 1, singular),
    function("solve", 2, 2, solve),
    function("kron", 2, 2, kron),
    function("logdet", 1, 1, logdet),
    function("rank", 1, 1, rank),
    function("pinv", 1, 1, pinv),
    function("cholesky", 1, 1, cholesky),
    function("lu", 1, 1, lu),
    function("qr", 1, 1, qr),
    function("symeig", 1, 1, symeig),
    function("svd", 1, 1, svd),
];

/// Evaluates with `$T` the type in which a factorisation computes. Halves compute in single precision.
macro_rules! with_field {
    ($ty:expr, $T:ident => $body:expr) => {
        match $ty {
            ElementType::Double => {
                type $T = f64;
                $body
            }
            ElementType::ComplexSingle => {
                type $T = Complex<f32>;
                $body
            }
            ElementType::ComplexDouble => {
                type $T = Complex<f64>;
                $body
            }
            _ => {
                type $T = f32;
                $body
            }
        }
    };
}

impl Call<'_> {
    fn numeric(&self, i: usize) -> Result<ElementType, ValueError> {
        self.args.get(i).and_then(Value::element_type).ok_or_else(|| self.wrong(i, "a matrix of numbers"))
    }

    /// The rows and columns of a matrix; a number is 1x1.
    fn matrix(&self, i: usize) -> Result<(usize, usize), ValueError> {
        self.numeric(i)?;
        match self.args[i].dims()[..] {
            [] => Ok((1, 1)),
            [n] => Ok((1, n)),
            [m, n] => Ok((m, n)),
            _ => Err(self.wrong(i, "a matrix")),
        }
    }

    fn square(&self, i: usize) -> Result<usize, ValueError> {
        match self.matrix(i)? {
            (m, n) if m == n => Ok(n),
            (m, n) => Err(self.error(format!("the matrix must be square, its size is {m}x{n}"))),
        }
    }

    /// Threads for a decomposition.
    fn workers_for(&self, a: &Matrix) -> &dyn Workers {
        self.workers(a.data.len().saturating_mul(a.rows.min(a.columns)))
    }

    /// The type of a result that is computed in floating point.
    fn field(&mut self, i: usize) -> Result<ElementType, ValueError> {
        let working = self.working();
        Ok(matmul::field_type(self.numeric(i)?, working))
    }
}

/// Converts a result to its type: halves were computed in single precision.
fn finished(dims: Vec<usize>, data: ArrayData, ty: ElementType) -> Result<Vec<Value>, ValueError> {
    let data =
        if data.element_type() == Some(ty) { data } else { convert_data(data.view(), ty, Overflow::Wrap)? };
    Ok(vec![ArrayBuf::new(dims, data)?.into()])
}

fn diag(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (m, n) = c.matrix(0)?;
    let count = m.min(n);
    c.numeric(0)?;
    let x = as_array(&c.args[0])?;
    Ok(vec![rearranged(c, &x, vec![count], &[Axis::evenly(count, n + 1)])?])
}

fn diagm(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn typed<T: ArrayElement>(v: &Value) -> Result<ArrayData, ValueError> {
        let (_, v) = elements::<T>(v)?;
        let mut matrix = array::filled(T::default(), shape::count(&[v.len(), v.len()])?)?;
        v.iter().enumerate().for_each(|(i, &x)| matrix[i * (v.len() + 1)] = x);
        Ok(T::wrap(matrix))
    }
    let ty = c.numeric(0)?;
    let n = shape::count(&c.args[0].dims())?;
    let data = with_element!(ty, T => typed::<T>(&c.args[0]))?;
    Ok(vec![ArrayBuf::new(vec![n, n], data)?.into()])
}

fn trace(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn typed<T: ArrayElement + Number>(a: &Value, n: usize) -> Result<Scalar, ValueError> {
        let (_, a) = elements::<T>(a)?;
        Ok(reduce::sum_of(n, &|i| a[i * (n + 1)]).to_scalar())
    }
    let (ty, n) = (c.numeric(0)?, c.square(0)?);
    Ok(vec![Value::Scalar(with_promoted!(promote(ty, ty), T => typed::<T>(&c.args[0], n))?)])
}

fn det(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn typed<T: ArrayElement + FloatOrComplex>(a: &Value, n: usize) -> Result<ArrayData, ValueError> {
        let factors = factorize(elements::<T>(a)?.1, n)?;
        Ok(T::wrap(vec![factors.determinant()]))
    }
    let (n, ty) = (c.square(0)?, c.field(0)?);
    let data = with_field!(ty, T => typed::<T>(&c.args[0], n))?;
    let data = convert_data(data.view(), ty, Overflow::Wrap)?;
    Ok(vec![data.view().value(0).unwrap_or_default()])
}

fn inv(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn typed<T: ArrayElement + FloatOrComplex>(a: &Value, n: usize) -> Result<Option<ArrayData>, ValueError> {
        let factors = factorize(elements::<T>(a)?.1, n)?;
        let mut unit = array::filled(T::default(), shape::count(&[n, n])?)?;
        (0..n).for_each(|i| unit[i * (n + 1)] = T::one());
        if factors.singular { Ok(None) } else { Ok(Some(T::wrap(factors.solve(&unit, n)?))) }
    }
    let (n, ty) = (c.square(0)?, c.field(0)?);
    let data = with_field!(ty, T => typed::<T>(&c.args[0], n))?;
    let data = data.ok_or_else(|| c.error("the matrix is singular"))?;
    if c.args[0].as_array().is_none() {
        return Ok(vec![data.view().value(0).unwrap_or_default()]);
    }
    finished(vec![n, n], data, ty)
}

/// Whether elimination meets a pivot that is zero. Kernels ask before they call functions that fail then.
fn singular(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn typed<T: ArrayElement + FloatOrComplex>(a: &Value, n: usize) -> Result<bool, ValueError> {
        Ok(factorize(elements::<T>(a)?.1, n)?.singular)
    }
    let (n, ty) = (c.square(0)?, c.field(0)?);
    let singular = with_field!(ty, T => typed::<T>(&c.args[0], n))?;
    Ok(vec![Value::Scalar(Scalar::I32(i32::from(singular)))])
}

/// The solution x of `A*x = b`, shaped like b. A vec is one right side.
fn solve(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn typed<T: ArrayElement + FloatOrComplex>(
        a: &Value,
        b: &Value,
        n: usize,
        q: usize,
    ) -> Result<Option<ArrayData>, ValueError> {
        let factors = factorize(elements::<T>(a)?.1, n)?;
        if factors.singular { Ok(None) } else { Ok(Some(T::wrap(factors.solve(&elements::<T>(b)?.1, q)?))) }
    }
    let n = c.square(0)?;
    c.matrix(1)?;
    let ty = promote(c.field(0)?, c.field(1)?);
    let dims = c.args[1].dims();
    let (rows, q) = match dims[..] {
        [m, q] => (m, q),
        [m] => (m, 1),
        _ => (1, 1),
    };
    if rows != n {
        return Err(ValueError::dimensions(&c.args[0].dims(), &dims));
    }
    let data = with_field!(ty, T => typed::<T>(&c.args[0], &c.args[1], n, q))?;
    let data = data.ok_or_else(|| c.error("the matrix is singular"))?;
    if dims.is_empty() {
        return Ok(vec![data.view().value(0).unwrap_or_default()]);
    }
    finished(dims, data, ty)
}

fn kron(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn typed<T: ArrayElement + Number>(
        a: &Value,
        b: &Value,
        (m, n): (usize, usize),
        (p, q): (usize, usize),
    ) -> Result<ArrayData, ValueError> {
        let ((_, a), (_, b)) = (elements::<T>(a)?, elements::<T>(b)?);
        let mut result = array::reserve(a.len() * b.len())?;
        for i in 0..m * p {
            for x in &a[i / p * n..(i / p + 1) * n] {
                result.extend(b[i % p * q..(i % p + 1) * q].iter().map(|y| x.multiply(*y)));
            }
        }
        Ok(T::wrap(result))
    }
    let ((m, n), (p, q)) = (c.matrix(0)?, c.matrix(1)?);
    let dims = vec![m.saturating_mul(p), n.saturating_mul(q)];
    shape::count(&dims)?;
    let ty = promote(c.numeric(0)?, c.numeric(1)?);
    let factors = [&c.args[0], &c.args[1]];
    let work = Work::Kronecker { factors, extents: [[m, n], [p, q]], result: ty };
    if let Some(product) = c.host.on_device(&work)? {
        return Ok(vec![product]);
    }
    let data = with_promoted!(ty, T => typed::<T>(&c.args[0], &c.args[1], (m, n), (p, q)))?;
    Ok(vec![ArrayBuf::new(dims, data)?.into()])
}

impl Call<'_> {
    /// A real matrix in double precision.
    fn real_matrix(&self, i: usize) -> Result<Matrix, ValueError> {
        let (rows, columns) = self.matrix(i)?;
        if self.numeric(i)?.is_complex() {
            return Err(self.wrong(i, "a real matrix"));
        }
        Ok(Matrix { rows, columns, data: elements::<f64>(&self.args[i])?.1 })
    }
}

fn in_precision(dims: Vec<usize>, data: &[f64], ty: ElementType) -> Result<Value, ValueError> {
    Ok(ArrayBuf::new(dims, convert_data(DataRef::F64(data), ty, Overflow::Wrap)?)?.into())
}

fn matrices(ty: ElementType, results: &[Matrix]) -> Result<Vec<Value>, ValueError> {
    results.iter().map(|m| in_precision(vec![m.rows, m.columns], &m.data, ty)).collect()
}

/// The logarithm of the determinant; NaN if it is negative.
fn logdet(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (n, ty) = (c.square(0)?, c.field(0)?);
    let factors = factorize(c.real_matrix(0)?.data, n)?;
    let pivots = (0..n).map(|i| factors.lu[i * (n + 1)]);
    let negative = factors.odd ^ (pivots.clone().filter(|&x| x < 0.0).count() % 2 == 1);
    let sum = if factors.singular { f64::NEG_INFINITY } else { pivots.map(|x| x.abs().ln()).sum() };
    let result = if negative && !factors.singular { f64::NAN } else { sum };
    let data = convert_data(DataRef::F64(&[result]), ty, Overflow::Wrap)?;
    Ok(vec![data.view().value(0).unwrap_or_default()])
}

/// Singular values below this count as zero: the rounding errors of the matrix's own precision.
fn tolerance(a: &Matrix, largest: f64, ty: ElementType) -> f64 {
    let epsilon = match ty {
        ElementType::Double => f64::EPSILON,
        ElementType::Half => half::f16::EPSILON.to_f64(),
        _ => f64::from(f32::EPSILON),
    };
    epsilon * largest * a.rows.max(a.columns) as f64
}

fn rank(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (a, ty) = (c.real_matrix(0)?, c.field(0)?);
    let (_, s, _) = decompose::svd(c.workers_for(&a), &a)?;
    let limit = tolerance(&a, s.first().copied().unwrap_or(0.0), ty);
    Ok(vec![Value::int(s.iter().filter(|&&x| x > limit).count() as i64)])
}

fn pinv(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (a, ty) = (c.real_matrix(0)?, c.field(0)?);
    let (u, s, mut v) = decompose::svd(c.workers_for(&a), &a)?;
    let limit = tolerance(&a, s.first().copied().unwrap_or(0.0), ty);
    for (i, x) in v.data.iter_mut().enumerate() {
        let size = s[i % s.len()];
        *x = if size > limit { *x / size } else { 0.0 };
    }
    let size = [v.rows, v.columns, u.rows];
    let data = gemm::multiply_turned(c.workers_for(&a), &v.data, &u.data, size, [false, true])?;
    matrices(ty, &[Matrix { rows: a.columns, columns: a.rows, data }])
}

fn cholesky(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    c.square(0)?;
    let ty = c.field(0)?;
    let a = c.real_matrix(0)?;
    match decompose::cholesky(c.workers_for(&a), &a)? {
        Some(l) => matrices(ty, &[l]),
        None => Err(c.error("the matrix is not positive definite")),
    }
}

/// L, U and the permutation matrix P with `P*A = L*U`.
fn lu(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (n, ty) = (c.square(0)?, c.field(0)?);
    let factors = factorize(c.real_matrix(0)?.data, n)?;
    let (mut lower, mut upper, mut order) = (Matrix::unit(n)?, Matrix::zeros(n, n)?, Matrix::zeros(n, n)?);
    for i in 0..n {
        lower.data[i * n..i * n + i].copy_from_slice(&factors.lu[i * n..i * n + i]);
        upper.data[i * (n + 1)..(i + 1) * n].copy_from_slice(&factors.lu[i * (n + 1)..(i + 1) * n]);
        order.data[i * n + factors.order[i]] = 1.0;
    }
    matrices(ty, &[lower, upper, order])
}

fn qr(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (a, ty) = (c.real_matrix(0)?, c.field(0)?);
    let (q, r) = decompose::qr(c.workers_for(&a), &a)?;
    matrices(ty, &[q, r])
}

fn symeig(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (n, ty) = (c.square(0)?, c.field(0)?);
    let a = c.real_matrix(0)?;
    let (vectors, values) = decompose::symmetric_eigen(c.workers_for(&a), &a)?;
    let mut results = matrices(ty, &[vectors])?;
    results.push(in_precision(vec![n], &values, ty)?);
    Ok(results)
}

fn svd(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (a, ty) = (c.real_matrix(0)?, c.field(0)?);
    let (u, s, v) = decompose::svd(c.workers_for(&a), &a)?;
    let mut diagonal = Matrix::zeros(s.len(), s.len())?;
    s.iter().enumerate().for_each(|(i, &x)| diagonal.data[i * (s.len() + 1)] = x);
    matrices(ty, &[u, diagonal, v])
}
