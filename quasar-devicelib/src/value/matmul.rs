//! Matrix products, powers, factorisations.

use super::array::{self, ArrayData, ArrayElement, with_promoted};
use super::convert::convert_data;
use super::error::{ErrorKind, ValueError};
use super::gemm::{self, Factor};
use super::workers::{Caller, Workers};
use super::{ArrayBuf, Value, shape};
use crate::element::{ElementType, Overflow, promote};
use crate::isa::Baseline;
use crate::ops::FloatOrComplex;

/// Rows and columns of the operands of a product and the dimensions of its result.
pub struct Product {
    /// The rows of the first operand.
    pub rows: usize,
    /// Its columns, the rows of the second.
    pub inner: usize,
    /// The columns of the second.
    pub columns: usize,
    /// The extents of the result.
    pub dims: Vec<usize>,
}

/// The rules of `*`: mat*mat, mat*vec, vec*mat, column*vec.
pub fn product_shape(a: &[usize], b: &[usize]) -> Result<Product, ValueError> {
    let mismatch = || ValueError::product_dimensions(a, b);
    match (a, b) {
        ([_], [_]) => Err(ValueError::new(
            ErrorKind::Type,
            "'*' cannot multiply two vectors; write '.*' for the elementwise or dotprod(a,b) for the inner product",
        )),
        (&[m, 1], &[n]) => Ok(Product { rows: m, inner: 1, columns: n, dims: vec![m, n] }),
        (&[m, n], &[k]) if n == k => Ok(Product { rows: m, inner: n, columns: 1, dims: vec![m] }),
        (&[k], &[m, n]) if m == k => Ok(Product { rows: 1, inner: m, columns: n, dims: vec![n] }),
        (&[m, n], &[p, q]) if n == p => Ok(Product { rows: m, inner: n, columns: q, dims: vec![m, q] }),
        ([_] | [_, _], [_] | [_, _]) => Err(mismatch()),
        _ => Err(ValueError::new(
            ErrorKind::Type,
            format!(
                "'*' multiplies vectors and matrices, found {} and {}; write '.*' for the elementwise product",
                shape::dims_text(a),
                shape::dims_text(b)
            ),
        )),
    }
}

/// The elements of a numeric array or number in a type.
pub fn elements<T: ArrayElement>(value: &Value) -> Result<(Vec<usize>, Vec<T>), ValueError> {
    fn owned<T: ArrayElement>(data: &ArrayData) -> Result<Vec<T>, ValueError> {
        array::duplicate(T::slice(data.view()).unwrap_or(&[]))
    }
    match value {
        Value::Array(a) if a.element_type().is_some() => {
            let data = array::read(&**a, |view| match T::slice(view.data) {
                Some(v) => array::duplicate(v),
                None => owned(&convert_data(view.data, T::TYPE, Overflow::Wrap)?),
            })?;
            Ok((a.dims(), data))
        }
        other => match other.as_scalar() {
            Some(x) => {
                let data = convert_data(ArrayData::filled(x, 1)?.view(), T::TYPE, Overflow::Wrap)?;
                Ok((vec![1], owned(&data)?))
            }
            None => Err(ValueError::wrong_type("operand", "an array of numbers", &other.kind())),
        },
    }
}

/// Calls `f` with the elements of a numeric array in a type, which are copied only if they have another.
pub(super) fn with_elements<T: ArrayElement, R>(
    value: &Value,
    f: impl FnOnce(&[T]) -> Result<R, ValueError>,
) -> Result<R, ValueError> {
    match value.as_array() {
        Some(array) if array.element_type() == Some(T::TYPE) => {
            array::read(array, |view| f(T::slice(view.data).unwrap_or(&[])))
        }
        _ => f(&elements::<T>(value)?.1),
    }
}

/// The elements in a type, unless they are an array of that type.
fn converted<T: ArrayElement>(value: &Value) -> Result<Option<Vec<T>>, ValueError> {
    let is_typed = value.as_array().is_some_and(|array| array.element_type() == Some(T::TYPE));
    if is_typed { Ok(None) } else { Ok(Some(elements::<T>(value)?.1)) }
}

/// Calls `f` with the elements of two arrays of a type.
fn with_both<T: ArrayElement, R>(
    a: &Value,
    b: &Value,
    f: impl FnOnce(&[T], &[T]) -> Result<R, ValueError>,
) -> Result<R, ValueError> {
    match (a.as_array(), b.as_array()) {
        (Some(a), Some(b)) => {
            array::read_both(a, b, |a, b| f(T::slice(a.data).unwrap_or(&[]), T::slice(b.data).unwrap_or(&[])))
        }
        _ => f(&[], &[]),
    }
}

/// Elements in a type: products of `uint64` are computed as those of `int64`, which have the same bits.
fn of_type(data: ArrayData, ty: ElementType) -> Result<ArrayData, ValueError> {
    if data.element_type() == Some(ty) { Ok(data) } else { convert_data(data.view(), ty, Overflow::Wrap) }
}

/// The product of two arrays by the rules of `*`.
pub fn product(a: &Value, b: &Value) -> Result<Value, ValueError> {
    product_by(&Caller, a, b)
}

/// The same by several threads.
pub fn product_by(workers: &dyn Workers, a: &Value, b: &Value) -> Result<Value, ValueError> {
    turned_product_by(workers, a, b, [false; 2])
}

/// The extents of a matrix, or of its transpose. A vector is a row.
pub fn turned_dims(dims: &[usize], turned: bool) -> Vec<usize> {
    match (turned, dims) {
        (true, &[n]) => vec![n, 1],
        (true, &[m, n]) => vec![n, m],
        _ => dims.to_vec(),
    }
}

/// The product of two arrays, each of which may be the transpose of what is passed: `turned` says so.
pub fn turned_product_by(
    workers: &dyn Workers,
    a: &Value,
    b: &Value,
    turned: gemm::Turned,
) -> Result<Value, ValueError> {
    fn typed<T: ArrayElement + Factor>(
        workers: &dyn Workers,
        [a, b]: [&Value; 2],
        shape: &Product,
        turned: gemm::Turned,
    ) -> Result<ArrayData, ValueError> {
        let multiply = |x: &[T], y: &[T]| {
            gemm::multiply_turned(workers, x, y, [shape.rows, shape.inner, shape.columns], turned)
        };
        // Nobody should wait for a lock that they hold.
        let same = matches!((a, b), (Value::Array(a), Value::Array(b)) if a.storage() == b.storage());
        let result = match same {
            true => with_elements::<T, _>(a, |x| multiply(x, x)),
            false => match (converted::<T>(a)?, converted::<T>(b)?) {
                (Some(x), Some(y)) => multiply(&x, &y),
                (Some(x), None) => with_elements::<T, _>(b, |y| multiply(&x, y)),
                (None, Some(y)) => with_elements::<T, _>(a, |x| multiply(x, &y)),
                (None, None) => with_both::<T, _>(a, b, multiply),
            },
        };
        Ok(T::wrap(result?))
    }
    let shape = product_shape(&turned_dims(&a.dims(), turned[0]), &turned_dims(&b.dims(), turned[1]))?;
    let (Some(p), Some(q)) = (a.element_type(), b.element_type()) else {
        return Err(ValueError::wrong_type("'*'", "arrays of numbers", &a.kind()));
    };
    let ty = promote(p, q);
    let data = with_promoted!(ty, i64, T => typed::<T>(workers, [a, b], &shape, turned))?;
    Ok(ArrayBuf::new(shape.dims, of_type(data, ty)?)?.into())
}

/// A square matrix to a non-negative integer power.
pub fn matrix_power(a: &Value, b: &Value) -> Result<Value, ValueError> {
    matrix_power_by(&Caller, a, b)
}

/// The same by several threads.
pub fn matrix_power_by(workers: &dyn Workers, a: &Value, b: &Value) -> Result<Value, ValueError> {
    fn typed<T: ArrayElement + Factor>(
        workers: &dyn Workers,
        a: &Value,
        n: usize,
        exponent: u64,
    ) -> Result<ArrayData, ValueError> {
        let (_, mut square) = elements::<T>(a)?;
        let mut result = array::filled(T::default(), shape::count(&[n, n])?)?;
        for i in 0..n {
            result[i * n + i] = T::one();
        }
        let mut left = exponent;
        while left > 0 {
            if left & 1 == 1 {
                result = gemm::multiply(workers, &result, &square, [n; 3])?;
            }
            left >>= 1;
            if left > 0 {
                square = gemm::multiply(workers, &square, &square, [n; 3])?;
            }
        }
        Ok(T::wrap(result))
    }
    let dims = a.dims();
    let exponent = b.as_scalar().filter(|x| !x.element_type().is_complex()).map(|x| x.as_f64());
    let (Some(element), &[m, n], Some(exponent)) = (a.element_type(), &dims[..], exponent) else {
        return Err(power_error(a, b));
    };
    if m != n || exponent < 0.0 || exponent.fract() != 0.0 || exponent > f64::from(u32::MAX) {
        return Err(power_error(a, b));
    }
    let ty = promote(element, element);
    let data = with_promoted!(ty, i64, T => typed::<T>(workers, a, n, exponent as u64))?;
    Ok(ArrayBuf::new(dims, of_type(data, ty)?)?.into())
}

fn power_error(a: &Value, b: &Value) -> ValueError {
    let text = format!(
        "'^' raises a square matrix to a non-negative integer, found {} and {}; write '.^' for the elementwise power",
        a.kind(),
        b.kind()
    );
    ValueError::new(ErrorKind::Type, text)
}

/// Gaussian elimination with partial pivoting.
pub struct Factors<T> {
    /// L below the diagonal (its diagonal is 1), U on and above it.
    pub lu: Vec<T>,
    /// Row i of the factors is row `order[i]` of the matrix.
    pub order: Vec<usize>,
    /// Whether the number of row exchanges is odd.
    pub odd: bool,
    /// Whether some pivot is zero.
    pub singular: bool,
}

/// Factorises an n x n matrix.
pub fn factorize<T: FloatOrComplex>(mut a: Vec<T>, n: usize) -> Result<Factors<T>, ValueError> {
    let mut order: Vec<usize> = array::collect(n, 0..n)?;
    let (mut odd, mut singular) = (false, false);
    for k in 0..n {
        let size = |row: usize, a: &[T]| a[row * n + k].abs::<Baseline>();
        let mut pivot = k;
        for row in k + 1..n {
            if size(row, &a) > size(pivot, &a) {
                pivot = row;
            }
        }
        if a[pivot * n + k] == T::default() {
            singular = true;
            continue;
        }
        if pivot != k {
            (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
            order.swap(k, pivot);
            odd = !odd;
        }
        for row in k + 1..n {
            let factor = a[row * n + k].divide::<Baseline>(a[k * n + k]);
            a[row * n + k] = factor;
            for j in k + 1..n {
                a[row * n + j] = a[row * n + j].subtract(factor.multiply(a[k * n + j]));
            }
        }
    }
    Ok(Factors { lu: a, order, odd, singular })
}

impl<T: FloatOrComplex> Factors<T> {
    /// The product of the pivots, with the sign of the exchanges.
    pub fn determinant(&self) -> T {
        if self.singular {
            return T::default();
        }
        let n = self.order.len();
        let product = (0..n).fold(T::one(), |product, k| product.multiply(self.lu[k * n + k]));
        if self.odd { product.negate() } else { product }
    }

    /// Solves for q right sides, the columns of the row-major n x q matrix `b`.
    pub fn solve(&self, b: &[T], q: usize) -> Result<Vec<T>, ValueError> {
        let n = self.order.len();
        let mut x = array::reserve(b.len())?;
        for &row in &self.order {
            x.extend_from_slice(&b[row * q..(row + 1) * q]);
        }
        for i in 0..n {
            for k in 0..i {
                self.eliminate(&mut x, q, i, k);
            }
        }
        for i in (0..n).rev() {
            for k in i + 1..n {
                self.eliminate(&mut x, q, i, k);
            }
            for y in &mut x[i * q..(i + 1) * q] {
                *y = y.divide::<Baseline>(self.lu[i * n + i]);
            }
        }
        Ok(x)
    }

    fn eliminate(&self, x: &mut [T], q: usize, i: usize, k: usize) {
        let factor = self.lu[i * self.order.len() + k];
        for j in 0..q {
            x[i * q + j] = x[i * q + j].subtract(factor.multiply(x[k * q + j]));
        }
    }
}

/// The floating-point type in which factorisations of an element type compute.
pub fn field_type(element: ElementType, working: ElementType) -> ElementType {
    if element.is_integer() { working } else { element }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Scalar;

    /// Integers of every type wrap as those of the type of the result: products are computed in a few types alone.
    #[test]
    fn products_of_integers_have_the_type_and_the_bits_of_their_operator() {
        let integers = || ElementType::ALL.iter().copied().filter(|ty| ty.is_integer());
        for (p, q) in integers().flat_map(|p| integers().map(move |q| (p, q))) {
            let numbers = |ty: ElementType, factor: i64| -> Vec<Scalar> {
                (1..7).map(|k: i64| Scalar::from_i64(k.wrapping_mul(factor), ty)).collect()
            };
            let (a, b) = (numbers(p, 0x7edc_ba98_7654_3211), numbers(q, -0x1234_5678_9abc_def1));
            let array = |dims: [usize; 2], ty, x: &[Scalar]| -> Value {
                ArrayBuf::new(dims.to_vec(), ArrayData::from_scalars(ty, x).unwrap()).unwrap().into()
            };
            let found = product(&array([2, 3], p, &a), &array([3, 2], q, &b)).unwrap();
            let found = found.to_buf().unwrap().unwrap();
            let ty = promote(p, q);
            assert_eq!((found.dims, found.data.element_type()), (vec![2, 2], Some(ty)));
            for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                // As the operands are in the type of the result, modulo 2^64.
                let bits = |x: Scalar| match x.convert(ty, Overflow::Wrap).unwrap() {
                    Scalar::U64(x) => x as i64,
                    x => x.as_i64(),
                };
                let term = |k: usize| bits(a[i * 3 + k]).wrapping_mul(bits(b[k * 2 + j]));
                let sum = (0..3).fold(0i64, |sum, k| sum.wrapping_add(term(k)));
                let element = found.data.view().scalar(i * 2 + j);
                assert_eq!(element, Some(Scalar::from_i64(sum, ty)), "{p:?} {q:?}");
            }
            let square = array([1, 1], p, &a[..1]);
            let power = matrix_power(&square, &Value::int(3)).unwrap().to_buf().unwrap().unwrap();
            assert_eq!(power.data.element_type(), Some(promote(p, p)));
        }
    }
}
