//! Values and arrays as arrays of other types.

use super::{Complex, Half, mismatch};
use crate::array::Array;
use crate::error::{Error, Result};
use crate::kernel::deferred_errors;
use crate::value::adopt;
use quasar_devicelib::element::{ElementType, Overflow};
use quasar_devicelib::value::{ArrayElement, Value, convert as conversion, shape};

/// An array of another element type, seen with `rank` dimensions (0: as it is). `expected` is the whole type.
pub fn convert(
    value: Value,
    to: ElementType,
    overflow: Overflow,
    rank: usize,
    expected: &str,
) -> Result<Value> {
    let dims = value.dims();
    if value.as_array().is_none() {
        return Err(mismatch(expected, &value));
    }
    let converted = if value.element_type() == Some(to) {
        value
    } else if value.is_cell() {
        adopt(conversion::numbers(&value, to, overflow).ok_or_else(|| mismatch(expected, &value))??)
    } else {
        deferred_errors::settle()?;
        adopt(conversion::convert(&value, to, overflow)?)
    };
    if rank == 0 || dims.len() == rank {
        return Ok(converted);
    }
    macro_rules! reranked {
        ($($element:ident $rust:ty),*) => {
            match to {
                $(ElementType::$element => ranked(Array::<$rust>::from_value(converted)?, rank, expected)?.to_value(),)*
            }
        };
    }
    Ok(reranked!(
        Int8 i8, Int16 i16, Int32 i32, Int64 i64, UInt8 u8, UInt16 u16, UInt32 u32, UInt64 u64, Half Half, Single f32,
        Double f64, ComplexSingle Complex<f32>, ComplexDouble Complex<f64>
    ))
}

/// An array of arrays with each of them converted; the same array where nothing changes. `expected` is the whole type.
pub fn convert_items(value: Value, expected: &str, each: impl Fn(Value) -> Result<Value>) -> Result<Value> {
    let value = array_of_items(value, expected)?;
    if value.is_cell() { conversion::convert_items(&value, each) } else { Ok(value) }
}

/// An array of items other than numbers; an array without elements is one too.
pub fn array_of_items(value: Value, expected: &str) -> Result<Value> {
    let value = value.with_cells();
    let fits = value.is_cell() || value.as_array().is_some_and(|array| array.dims().contains(&0));
    if fits { Ok(value) } else { Err(mismatch(expected, &value)) }
}

/// The same elements seen with `rank` dimensions (0: as they are): more by the view rules, fewer where the surplus is 1.
/// `expected` is the whole type.
pub fn ranked<T: ArrayElement>(x: Array<T>, rank: usize, expected: &str) -> Result<Array<T>> {
    let dims = x.dims();
    if dims.len() == rank || rank == 0 {
        return Ok(x);
    }
    match shape::viewed(dims, rank) {
        Some(view) => x.reshape(&view),
        None => Err(Error::size_constraint("", expected.to_string(), dims)),
    }
}

/// As [`ranked`], for an array of any items.
pub fn ranked_items(value: Value, rank: usize, expected: &str) -> Result<Value> {
    let dims = value.dims();
    if dims.len() == rank {
        return Ok(value);
    }
    let Value::Array(array) = &value else { return Err(mismatch(expected, &value)) };
    match shape::viewed(&dims, rank) {
        Some(view) => Ok(Value::Array(array.clone().reshaped(view)?)),
        None => Err(Error::size_constraint("", expected.to_string(), &dims)),
    }
}

/// The array, if it has the sizes that its type names (`None`: any).
pub fn sized<T: ArrayElement>(x: Array<T>, sizes: &[Option<usize>], expected: &str) -> Result<Array<T>> {
    let fits = sizes.iter().enumerate().all(|(axis, size)| size.is_none_or(|size| size == x.extent(axis)));
    if fits { Ok(x) } else { Err(Error::size_constraint("", expected.to_string(), x.dims())) }
}
