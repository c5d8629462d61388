//! Discrete Fourier transforms over one to three axes.
//!
//! Large ones are done by a library of the active device where that is worth it (`fft_device`). Here the processor does them: `passes`
//! transforms along one axis, `half` keeps half a spectrum where the numbers, or the results, are real.

mod half;
mod passes;

use super::fft_device;
use crate::array::Array;
pub use crate::device::accel_libraries::Direction;
use crate::error::Result;
use half::Real;
use num_complex::Complex;
use passes::Pass;
use quasar_devicelib::element::{ElementType, Overflow, Scalar};
use quasar_devicelib::value::convert::convert_data;
use quasar_devicelib::value::{ArrayElement, ArrayRef, DataRef, Value, ValueError, array};
use quasar_fft::Planned;
use std::borrow::Cow;
use std::ops::Range;

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
    let transformed = |view: ArrayRef<'_>| {
        transformed::<T>(Source::of(view.data)?, view.dims, axes(view.dims.len()), direction, real)
    };
    match arg {
        Value::Array(object) if object.element_type().is_some() => array::read(&**object, transformed),
        Value::Scalar(x) => {
            let source = Source::Complex(Cow::Owned(vec![complex(*x)]));
            self::transformed::<T>(source, &[1], 0..1, direction, real)
        }
        _ => Err(ValueError::wrong_argument(name, 0, "an array of numbers", &arg.kind()).into()),
    }
}

/// The elements that are transformed, in the precision of the transform.
enum Source<'a, T: Precision>
where
    Complex<T>: ArrayElement,
{
    Real(Cow<'a, [T]>),
    Complex(Cow<'a, [Complex<T>]>),
}

impl<'a, T: Precision> Source<'a, T>
where
    Complex<T>: ArrayElement,
{
    fn of(data: DataRef<'a>) -> Result<Self> {
        if let Some(elements) = <Complex<T> as ArrayElement>::slice(data) {
            return Ok(Source::Complex(Cow::Borrowed(elements)));
        }
        if let Some(elements) = T::slice(data) {
            return Ok(Source::Real(Cow::Borrowed(elements)));
        }
        Ok(match data.element_type() {
            Some(ty) if ty.is_complex() => Source::Complex(Cow::Owned(converted(data)?)),
            _ => Source::Real(Cow::Owned(converted(data)?)),
        })
    }
}

/// The elements as those of another type.
fn converted<E: ArrayElement>(data: DataRef<'_>) -> Result<Vec<E>> {
    Ok(E::unwrap(convert_data(data, E::TYPE, Overflow::Checked)?).unwrap_or_default())
}

fn complex<T: Precision>(x: Scalar) -> Complex<T> {
    Complex::new(T::rounded(x.as_f64()), T::rounded(x.imaginary()))
}

/// The transform along some axes, or its real part. The inverse is scaled by the number of elements that each result adds up.
fn transformed<T: Precision>(
    source: Source<'_, T>,
    dims: &[usize],
    axes: Range<usize>,
    direction: Direction,
    real: bool,
) -> Result<Value>
where
    Complex<T>: ArrayElement,
{
    let count = dims.get(axes.clone()).map_or(1, |extents| extents.iter().product::<usize>());
    let scale = match direction {
        Direction::Inverse if count > 1 => T::rounded(1.0 / count as f64),
        _ => T::one(),
    };
    if dims.contains(&0) {
        return if real {
            Ok(Array::<T>::uninit(dims)?.to_value())
        } else {
            Ok(Array::<Complex<T>>::uninit(dims)?.to_value())
        };
    }
    if axes.len() > 1 {
        let halved = Real::new(dims, axes.end - 1, scale);
        match source {
            _ if real => return Ok(halved.real_part(&source, direction)?.to_value()),
            Source::Real(source) => return Ok(halved.spectrum(&source, direction)?.to_value()),
            Source::Complex(_) => {}
        }
    }
    let spectrum = Array::<Complex<T>>::uninit(dims)?;
    along_axes(source, &mut spectrum.try_overwrite()?, dims, axes, (direction, scale))?;
    if !real {
        return Ok(spectrum.to_value());
    }
    let real = Array::<T>::uninit(dims)?;
    for (target, source) in real.try_overwrite()?.iter_mut().zip(spectrum.try_read()?.iter()) {
        *target = source.re;
    }
    Ok(real.to_value())
}

/// Transforms along each axis, from the last one on. Lines that lie side by side are copied when they are transformed.
fn along_axes<T: Precision>(
    source: Source<'_, T>,
    target: &mut [Complex<T>],
    dims: &[usize],
    axes: Range<usize>,
    (direction, scale): (Direction, T),
) -> Result<()>
where
    Complex<T>: ArrayElement,
{
    let extent = |axis: usize| dims.get(axis).copied().unwrap_or(1);
    // The pass that comes last scales.
    let last = axes.clone().find(|axis| extent(*axis) > 1);
    let contiguous = (axes.end == dims.len()).then(|| axes.end - 1);
    let pass = |axis: usize| {
        Pass::new(extent(axis), dims, direction, if last == Some(axis) { scale } else { T::one() })
    };
    let lines = match contiguous {
        Some(axis) => pass(axis),
        None => Pass::new(1, dims, direction, T::one()),
    };
    match &source {
        Source::Complex(x) => lines.copy(x, target, |x| *x)?,
        Source::Real(x) => lines.copy(x, target, |x| Complex::new(*x, T::zero()))?,
    }
    for axis in axes.rev().filter(|axis| contiguous != Some(*axis)) {
        pass(axis).along(target, dims.iter().skip(axis + 1).product())?;
    }
    Ok(())
}
