//! Products of matrices by a library of the active device, where that is worth it.

use crate::array::Array;
use crate::array::coherence::Access;
use crate::device::Device;
use crate::device::vendor::{Library, Product};
use crate::error::Result;
use crate::kernel::offload::libraries::Call;
use crate::kernel::offload::{Arg, Missed};
use num_complex::Complex;
use quasar_devicelib::value::linear::product_shape;
use quasar_devicelib::value::{ArrayElement, Value};
use std::sync::Arc;

static MISSED: Missed = Missed::new();

/// The product of two arrays of one type, if that is what is called and the active device should do it.
pub(super) fn call(name: &str, args: &[Value]) -> Result<Option<Value>> {
    let ("matmul" | "multiply_values", [a, b]) = (name, args) else { return Ok(None) };
    use quasar_devicelib::element::ElementType::{ComplexDouble, ComplexSingle, Double, Single};
    match a.element_type() {
        Some(Single) => typed::<f32>(a, b),
        Some(Double) => typed::<f64>(a, b),
        Some(ComplexSingle) => typed::<Complex<f32>>(a, b),
        Some(ComplexDouble) => typed::<Complex<f64>>(a, b),
        _ => Ok(None),
    }
}

fn typed<T: ArrayElement>(a: &Value, b: &Value) -> Result<Option<Value>> {
    let (Some(a), Some(b)) = (Array::<T>::named_by(a), Array::<T>::named_by(b)) else { return Ok(None) };
    // What does not fit together is said where the processor multiplies.
    let Ok(shape) = product_shape(a.dims(), b.dims()) else { return Ok(None) };
    let Some(product) = Product::new(T::TYPE, shape.rows, shape.inner, shape.columns) else {
        return Ok(None);
    };
    let call = Call {
        library: Some(Library::Products),
        helpers: &[],
        work: product.operations(),
        parallel: false,
        inputs: &[Arg::Read(&a), Arg::Read(&b)],
        missed: &MISSED,
    };
    call.offload(|device| multiply(device, &product, &a, &b, &shape.dims))
}

fn multiply<T: ArrayElement>(
    device: &Arc<dyn Device>,
    product: &Product,
    a: &Array<T>,
    b: &Array<T>,
    dims: &[usize],
) -> Result<Value> {
    let result = Array::<T>::uninit(dims)?;
    let (first, second) = (a.on_device(device, Access::Read)?, b.on_device(device, Access::Read)?);
    let to = result.on_device(device, Access::Overwrite)?;
    device.multiply(product, [&first, &second, &to])?;
    drop((first, second, to));
    Ok(result.to_value())
}
