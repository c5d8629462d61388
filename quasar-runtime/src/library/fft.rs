//! Discrete Fourier transforms over one to three axes.
//!
//! Large ones are done by a library of the active device where that is worth it (`fft_device`). Here the processor does them:
//! lines are transformed where they lie when they are contiguous. Other axes go through a buffer in which they are,
//! filled and emptied in tiles, so that every cache line is used whole.

use super::fft_device;
use crate::array::{Array, Shape};
use crate::context;
pub use crate::device::accel_libraries::Direction;
use crate::error::{Error, Result};
use crate::threads;
use num_complex::Complex;
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::value::{ArrayElement, ArrayRef, Value, ValueError, array};
use quasar_fft::{Fft, Planned};
use std::sync::OnceLock;

/// A precision of transforms.
pub trait Precision: Planned + ArrayElement {
    /// A number in this precision.
    fn rounded(x: f64) -> Self;
    /// The number as it lies in memory.
    fn memory(self) -> impl AsRef<[u8]>;
}

macro_rules! precision {
    ($type:ty) => {
        impl Precision for $type {
            fn rounded(x: f64) -> $type {
                x as $type
            }

            fn memory(self) -> impl AsRef<[u8]> {
                self.to_ne_bytes()
            }
        }
    };
}
precision!(f32);
precision!(f64);

/// Calls the transform of a name: `fft2`, `irealfft1`, ..
pub fn call(name: &'static str, args: &[Value], working: ElementType) -> Result<Vec<Value>> {
    let [arg] = args else {
        return Err(ValueError::argument_count(name, "1", args.len()).into());
    };
    let double = matches!(arg.element_type(), Some(ElementType::Double | ElementType::ComplexDouble))
        || working == ElementType::Double;
    let result = if double { typed::<f64>(name, arg)? } else { typed::<f32>(name, arg)? };
    Ok(vec![result])
}

fn typed<T: Precision>(name: &'static str, arg: &Value) -> Result<Value>
where
    Complex<T>: ArrayElement,
{
    let inverse = name.starts_with('i');
    let direction = if inverse { Direction::Inverse } else { Direction::Forward };
    let real = name.starts_with("ireal");
    let axes = |rank: usize| match name.as_bytes().last() {
        Some(b'1') => rank - 1..rank,
        Some(b'2') => 0..rank.min(2),
        _ => 0..rank.min(3),
    };
    if let Some(found) = fft_device::call::<T>(arg, axes, direction, real)? {
        return Ok(found);
    }
    let wrong = || Error::from(ValueError::wrong_argument(name, 0, "an array of numbers", &arg.kind()));
    let spectrum = match arg {
        Value::Array(object) if object.element_type().is_some() => array::read(&**object, complex_copy::<T>)?,
        Value::Scalar(x) => Array::from_vec(&[1], vec![complex(*x)])?,
        _ => return Err(wrong()),
    };
    transform(&spectrum, axes(spectrum.ndims()), direction)?;
    if real {
        let real = Array::<T>::uninit(spectrum.dims())?;
        for (target, source) in real.try_overwrite()?.iter_mut().zip(spectrum.try_read()?.iter()) {
            *target = source.re;
        }
        return Ok(real.to_value());
    }
    Ok(spectrum.to_value())
}

/// The elements as complex numbers.
fn complex_copy<T: Precision>(view: ArrayRef<'_>) -> Result<Array<Complex<T>>>
where
    Complex<T>: ArrayElement,
{
    let result = Array::uninit(view.dims)?;
    let mut target = result.try_overwrite()?;
    if let Some(source) = <Complex<T> as ArrayElement>::slice(view.data) {
        target.copy_from_slice(source);
    } else if let Some(source) = T::slice(view.data) {
        for (target, &source) in target.iter_mut().zip(source) {
            *target = Complex::new(source, T::zero());
        }
    } else {
        for (i, target) in target.iter_mut().enumerate() {
            *target = view.data.scalar(i).map_or(Complex::new(T::zero(), T::zero()), complex);
        }
    }
    drop(target);
    Ok(result)
}

fn complex<T: Precision>(x: Scalar) -> Complex<T> {
    Complex::new(T::rounded(x.as_f64()), T::rounded(x.imaginary()))
}

/// Transforms an array in place along the given axes. The inverse is scaled by the number of elements that each result adds
/// up.
pub fn transform<T: Precision>(
    array: &Array<Complex<T>>,
    axes: impl IntoIterator<Item = usize>,
    direction: Direction,
) -> Result<()>
where
    Complex<T>: ArrayElement,
{
    if array.is_empty() {
        return Ok(());
    }
    let shape = *array.shape();
    let mut elements = array.try_write()?;
    let mut transformed = 1usize;
    for axis in axes {
        transformed *= shape.extent(axis);
        along_axis::<T>(&mut elements, &shape, axis, direction)?;
    }
    if direction == Direction::Inverse && transformed > 1 {
        let factor = T::rounded(1.0 / transformed as f64);
        for x in elements.iter_mut() {
            *x = x.scale(factor);
        }
    }
    Ok(())
}

fn along_axis<T: Precision>(
    elements: &mut [Complex<T>],
    shape: &Shape,
    axis: usize,
    direction: Direction,
) -> Result<()>
where
    Complex<T>: ArrayElement,
{
    let n = shape.extent(axis);
    if n < 2 {
        return Ok(());
    }
    let inner: usize = shape.dims().iter().skip(axis + 1).product();
    let plan = T::plan(n, direction == Direction::Inverse);
    let work = elements.len() as u64 * u64::from(5 * (usize::BITS - n.leading_zeros()));
    let parallel = work >= context::serial_work();
    let failure = OnceLock::new();
    if inner == 1 {
        for_each_chunk(elements, n * lines_per_chunk(n), parallel, |_, lines| run(&*plan, lines, &failure));
        return failure.into_inner().map_or(Ok(()), Err);
    }
    let buffer = Array::<Complex<T>>::uninit(&[elements.len()])?;
    let mut buffer = buffer.try_overwrite()?;
    for (block, lines) in elements.chunks_mut(n * inner).zip(buffer.chunks_mut(n * inner)) {
        let source = &*block;
        for_each_chunk(lines, n * TILE, parallel, |chunk, lines| {
            let first = chunk * TILE;
            let count = lines.len() / n;
            for (i, row) in source.chunks(inner).enumerate() {
                let row = row.get(first..first + count).unwrap_or(&[]);
                for (line, &x) in lines.chunks_mut(n).zip(row) {
                    if let Some(target) = line.get_mut(i) {
                        *target = x;
                    }
                }
            }
            run(&*plan, lines, &failure);
        });
        let lines = &*lines;
        for_each_chunk(block, inner * TILE, parallel, |chunk, rows| {
            let first = chunk * TILE;
            let count = rows.len() / inner;
            for (j, line) in lines.chunks(n).enumerate() {
                let line = line.get(first..first + count).unwrap_or(&[]);
                for (row, &x) in rows.chunks_mut(inner).zip(line) {
                    if let Some(target) = row.get_mut(j) {
                        *target = x;
                    }
                }
            }
        });
    }
    failure.into_inner().map_or(Ok(()), Err)
}

/// Lines or rows moved together between an array and the buffer of contiguous lines.
const TILE: usize = 16;

/// Short lines are handed out in groups.
fn lines_per_chunk(n: usize) -> usize {
    (4096 / n).max(1)
}

/// Transforms contiguous lines. Without memory for what the plan needs beside them they stay, and the failure is kept.
fn run<T: Precision>(plan: &dyn Fft<T>, lines: &mut [Complex<T>], failure: &OnceLock<Error>) {
    let zero = Complex::new(T::zero(), T::zero());
    match array::filled(zero, plan.get_inplace_scratch_len()) {
        Ok(mut scratch) => plan.process_with_scratch(lines, &mut scratch),
        Err(error) => _ = failure.set(error.into()),
    }
}

fn for_each_chunk<T: Send>(data: &mut [T], size: usize, parallel: bool, f: impl Fn(usize, &mut [T]) + Sync) {
    if parallel {
        threads::each(data.chunks_mut(size).enumerate(), |(k, chunk)| f(k, chunk));
    } else {
        data.chunks_mut(size).enumerate().for_each(|(k, chunk)| f(k, chunk));
    }
}
