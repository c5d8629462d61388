//! Conversion of array elements between number types.

use super::array::{self, ArrayData, ArrayElement, DataRef, for_elements, with_element};
use super::error::{ErrorKind, ValueError};
use super::{ArrayBuf, Value};
use crate::element::{ElementType, Overflow, Scalar};
use crate::ops::{ConvertError, ConvertTo};
use std::borrow::Cow;
use std::sync::Arc;

/// One number in another type.
pub fn convert_scalar(x: Scalar, to: ElementType, overflow: Overflow) -> Result<Scalar, ValueError> {
    if x.element_type() == to {
        return Ok(x);
    }
    if x.element_type().is_complex() && !to.is_complex() {
        let text = format!("a complex number does not fit {}; write real(x) for its real part", to.name());
        return Err(ValueError::new(ErrorKind::Type, text));
    }
    x.convert(to, overflow).map_err(does_not_fit)
}

fn does_not_fit(error: ConvertError) -> ValueError {
    ValueError::new(ErrorKind::Overflow, format!("integer overflow: {error}"))
}

/// All elements in another type; a cell is an error.
pub fn convert_data(data: DataRef<'_>, to: ElementType, overflow: Overflow) -> Result<ArrayData, ValueError> {
    if data.element_type() == Some(to) {
        return data.to_data();
    }
    for_elements!(data, DataRef, v => with_element!(to, U => converted::<_, U>(v, overflow)), _v => {
        Err(ValueError::wrong_type("conversion", "numbers", "a cell"))
    })
}

/// The elements of one type in another one.
fn converted<T, U>(x: &[T], overflow: Overflow) -> Result<ArrayData, ValueError>
where
    T: ArrayElement + ConvertTo<U>,
    U: ArrayElement,
    i32: ConvertTo<U>,
{
    if let Some(first) = x.first().filter(|_| T::TYPE.is_complex() && !U::TYPE.is_complex()) {
        // The words of one number.
        convert_scalar(first.to_scalar(), U::TYPE, overflow)?;
    }
    Ok(U::wrap(match overflow {
        Overflow::Wrap => array::collect(x.len(), x.iter().map(|x| x.wrapping()))?,
        Overflow::Saturate => array::collect(x.len(), x.iter().map(|x| x.saturating()))?,
        Overflow::Truth => {
            let truth = |x: &T| i32::from(x.to_scalar().is_truthy()).wrapping();
            array::collect(x.len(), x.iter().map(truth))?
        }
        Overflow::Checked => {
            let checked = |x: &T| match x.checked() {
                Some(y) => Ok(y),
                None => Err(does_not_fit(ConvertError { value: x.to_scalar(), target: U::TYPE })),
            };
            array::try_collect(x.len(), x.iter().map(checked))?
        }
    }))
}

/// `int(x)`, `scalar(x)`, ..: a number or array in another type. An array that has it already is the result itself. Cells are
/// converted recursively.
pub fn convert(value: &Value, to: ElementType, overflow: Overflow) -> Result<Value, ValueError> {
    convert_nested(value, to, overflow, 0)
}

fn convert_nested(
    value: &Value,
    to: ElementType,
    overflow: Overflow,
    depth: usize,
) -> Result<Value, ValueError> {
    if depth > super::MAX_NESTING {
        return Err(ValueError::nesting());
    }
    if let Some(x) = value.as_scalar() {
        return convert_scalar(x, to, overflow).map(Value::Scalar);
    }
    let Value::Array(a) = value else {
        return Err(ValueError::wrong_type("conversion", to.name(), &value.kind()));
    };
    if a.element_type() == Some(to) {
        return Ok(value.clone().without_mask());
    }
    if let Some(items) = value.cell_items()? {
        let converted = items.iter().map(|item| convert_nested(item, to, overflow, depth + 1));
        let items = array::try_collect(items.len(), converted)?;
        return Ok(ArrayBuf::new(a.dims(), ArrayData::Values(items))?.into());
    }
    let data = array::read(&**a, |view| convert_data(view.data, to, overflow))?;
    Ok(ArrayBuf::new(a.dims(), data)?.into())
}

/// A cell with all items converted; the cell itself where they are what they were. Items that were never assigned stay so.
pub fn convert_items<E: From<ValueError>>(
    cell: &Value,
    mut each: impl FnMut(Value) -> Result<Value, E>,
) -> Result<Value, E> {
    let Some(items) = cell.cell_items()? else {
        return Err(ValueError::wrong_type("conversion", "a cell", &cell.kind()).into());
    };
    let mut changed = false;
    let mut converted = array::reserve(items.len())?;
    for item in items {
        let before = item.clone();
        let after = if matches!(item, Value::Null) { item } else { each(item)? };
        changed |= match (&before, &after) {
            (Value::Array(before), Value::Array(after)) => {
                !std::ptr::addr_eq(Arc::as_ptr(before), Arc::as_ptr(after))
            }
            (Value::Null, Value::Null) => false,
            _ => true,
        };
        converted.push(after);
    }
    match changed {
        true => Ok(ArrayBuf::new(cell.dims(), ArrayData::Values(converted))?.into()),
        false => Ok(cell.clone()),
    }
}

/// A cell that holds numbers alone as an array of numbers; none for other values.
pub fn numbers(cell: &Value, to: ElementType, overflow: Overflow) -> Option<Result<Value, ValueError>> {
    let items = match cell.cell_items() {
        Ok(items) => items?,
        Err(error) => return Some(Err(error)),
    };
    if items.iter().any(|item| item.as_scalar().is_none()) {
        return None;
    }
    let dims = if cell.as_array().is_some() { cell.dims() } else { vec![items.len()] };
    let converted = items.iter().filter_map(Value::as_scalar).map(|x| convert_scalar(x, to, overflow));
    let items = array::try_collect(items.len(), converted);
    Some(items.and_then(|items| Ok(ArrayBuf::new(dims, ArrayData::from_scalars(to, &items)?)?.into())))
}

/// The elements in the Rust type `T`: borrowed if they have it, converted (integers wrap) if not.
pub fn elements_as<'a, T: ArrayElement>(data: DataRef<'a>) -> Result<Cow<'a, [T]>, ValueError> {
    if let Some(elements) = T::slice(data) {
        return Ok(Cow::Borrowed(elements));
    }
    let converted = convert_data(data, T::TYPE, Overflow::Wrap)?;
    Ok(Cow::Owned(T::unwrap(converted).unwrap_or_default()))
}
