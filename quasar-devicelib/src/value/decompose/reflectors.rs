//! Householder reflections `H = I - factor * v * transpose(v)`, one by one and by blocks `I - V * T * transpose(V)` (the compact WY
//! form: Golub & Van Loan 5.1; LAPACK's `dlarfg`, `dlarft`, `dlarfb`).

use super::super::error::ValueError;
use super::super::gemm;
use super::super::workers::{Caller, Workers, try_each};
use super::super::{array, shape};
use super::Matrix;
use super::rows::{Rows, dot, for_elements};

/// Reflections of a block.
pub(super) const BLOCK: usize = 32;
/// The rows that a block reflects at once. Chosen: copies of a thousand of their elements stay in the second cache.
const HIGH: usize = 48;

/// Squares within these bounds neither overflow nor lose what counts when they are added up.
const SAFE: std::ops::Range<f64> = 1e-280..1e280;

/// The power of two by which numbers are multiplied so that the largest comes near one. A result can be divided by it.
pub(super) fn scale_for(largest: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52 & 0x7ff) as i64 - 1023;
    f64::from_bits(((1023 - exponent.clamp(-1000, 1000)) as u64) << 52)
}

/// The largest magnitude; NaN is passed over.
pub(super) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

/// Makes `v` of `x`, which begins with one, so that the reflection turns `x` into a multiple of the first axis. Returns that and the
/// factor. A single element stays; otherwise the sign of the first one changes, also where the others are zero (LAPACK leaves those).
pub(super) fn reflector(x: &mut [f64]) -> (f64, f64) {
    let mut square = dot(x, x);
    let mut scale = 1.0;
    if x.len() > 1 && !SAFE.contains(&square) {
        scale = scale_for(largest(x));
        x.iter_mut().for_each(|x| *x *= scale);
        square = dot(x, x);
    }
    let Some((first, rest)) = x.split_first_mut() else { return (0.0, 0.0) };
    let alpha = std::mem::replace(first, 1.0);
    if rest.is_empty() || square == 0.0 {
        return (alpha, 0.0);
    }
    let beta = -square.sqrt().copysign(alpha);
    let pivot = alpha - beta;
    rest.iter_mut().for_each(|x| *x /= pivot);
    (beta / scale, -pivot / beta)
}

/// Reflections of a space, one after the other.
pub(super) struct Reflectors {
    /// A row for each: zeros up to the one of `v`.
    pub(super) vectors: Matrix,
    /// Their factors.
    pub(super) factors: Vec<f64>,
    /// Number k begins with the axis of number `k + shift`.
    pub(super) shift: usize,
}

/// Reflections that are done together.
pub(super) struct Block {
    /// The first axis that changes.
    first: usize,
    width: usize,
    /// The vectors in columns, from that axis on.
    tall: Vec<f64>,
    /// The upper triangular factor and its transpose.
    factor: Vec<f64>,
    turned: Vec<f64>,
}

impl Reflectors {
    /// Room for `count` of them.
    pub(super) fn room(count: usize, length: usize, shift: usize) -> Result<Reflectors, ValueError> {
        Ok(Reflectors { vectors: Matrix::zeros(count, length)?, factors: array::filled(0.0, count)?, shift })
    }

    /// Those of some numbers.
    pub(super) fn rows(&self, first: usize, count: usize, column: usize) -> Rows<'_> {
        Rows::of(&self.vectors.data, self.vectors.columns, [first, count], column)
    }

    /// A block of those from number k on.
    pub(super) fn block(&self, k: usize) -> Result<Block, ValueError> {
        let (width, length) = (BLOCK.min(self.factors.len() - k), self.vectors.columns);
        let first = k + self.shift;
        let mut tall = array::filled(0.0, shape::count(&[length - first, width])?)?;
        for (i, row) in self.vectors.data[k * length..].chunks_exact(length).take(width).enumerate() {
            tall[i..].iter_mut().step_by(width).zip(&row[first..]).for_each(|(to, x)| *to = *x);
        }
        let size = [width, length - first, width];
        let products = gemm::multiply_turned(&Caller, &tall, &tall, size, [true, false])?;
        let mut factor = array::filled(0.0, width * width)?;
        for (i, &last) in self.factors[k..k + width].iter().enumerate() {
            for j in 0..i {
                let sum: f64 = (j..i).map(|p| factor[j * width + p] * products[p * width + i]).sum();
                factor[j * width + i] = -last * sum;
            }
            factor[i * width + i] = last;
        }
        let mut turned = array::filled(0.0, width * width)?;
        (0..width * width).for_each(|i| turned[i] = factor[i % width * width + i / width]);
        Ok(Block { first, width, tall, factor, turned })
    }

    /// Multiplies each row by the transposed product of all reflections, the last of them first. If the rows are the first ones of
    /// a unit matrix, those that a block leaves alone are passed over.
    pub(super) fn apply_turned(
        &self,
        workers: &dyn Workers,
        rows: &mut Matrix,
        unit: bool,
    ) -> Result<(), ValueError> {
        for k in (0..self.factors.len()).step_by(BLOCK).rev() {
            let block = self.block(k)?;
            let begin = if unit { block.first.min(rows.rows) } else { 0 };
            block.apply(workers, &mut rows.data[begin * rows.columns..], rows.columns, true)?;
        }
        Ok(())
    }

    /// The first rows of the transposed product of all reflections.
    pub(super) fn product(&self, workers: &dyn Workers, count: usize) -> Result<Matrix, ValueError> {
        let mut result = Matrix::zeros(count, self.vectors.columns)?;
        (0..count).for_each(|i| *result.at(i, i) = 1.0);
        self.apply_turned(workers, &mut result, true)?;
        Ok(result)
    }
}

impl Block {
    /// Multiplies each of some rows by the product of the reflections, or by its transpose.
    pub(super) fn apply(
        &self,
        workers: &dyn Workers,
        rows: &mut [f64],
        stride: usize,
        turned: bool,
    ) -> Result<(), ValueError> {
        let count = rows.len() / stride;
        let workers = for_elements(workers, count * (stride - self.first));
        let parts = array::collect(count.div_ceil(HIGH), rows.chunks_mut(HIGH * stride))?;
        let factor = if turned { &self.turned } else { &self.factor };
        try_each(workers, parts, &|rows| self.apply_to(rows, stride, factor))
    }

    fn apply_to(&self, rows: &mut [f64], stride: usize, factor: &[f64]) -> Result<(), ValueError> {
        let (count, length, width) = (rows.len() / stride, stride - self.first, self.width);
        let mut copy = array::reserve(count * length)?;
        rows.chunks_exact(stride).for_each(|row| copy.extend_from_slice(&row[self.first..]));
        let within = gemm::multiply(&Caller, &copy, &self.tall, [count, length, width])?;
        let within = gemm::multiply(&Caller, &within, factor, [count, width, width])?;
        let size = [count, width, length];
        let change = gemm::multiply_turned(&Caller, &within, &self.tall, size, [false, true])?;
        for (row, change) in rows.chunks_exact_mut(stride).zip(change.chunks_exact(length)) {
            row[self.first..].iter_mut().zip(change).for_each(|(x, y)| *x -= y);
        }
        Ok(())
    }
}
