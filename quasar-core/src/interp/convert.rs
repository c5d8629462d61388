//! Conversions other than between numbers: views of arrays, element types, checks of dynamic values.

use super::error::Fault;
use super::memory::with_rank;
use super::{messages, objects};
use crate::ir::print::type_text;
use crate::types::{ArrayType, Rank, Type};
use quasar_devicelib::element::{ElementType, Overflow};
use quasar_devicelib::value::convert::{convert as convert_elements, convert_items, convert_scalar, numbers};
use quasar_devicelib::value::{ArrayObject, Value};
use std::sync::Arc;

/// Converts a value to another type; fails if it does not fit.
pub(super) fn convert(value: Value, to: &Type) -> Result<Value, Fault> {
    match to {
        Type::Dynamic => Ok(value.with_cells()),
        Type::Scalar(element, overflow) => {
            let Some(x) = value.as_scalar() else { return Err(mismatch(&value, to)) };
            Ok(Value::Scalar(convert_scalar(x, *element, *overflow)?))
        }
        Type::Enum(_) => {
            let Some(x) = value.as_scalar() else { return Err(mismatch(&value, to)) };
            Ok(Value::Scalar(convert_scalar(x, ElementType::Int32, Overflow::Wrap)?))
        }
        Type::Array(array) => to_array(value, array, to),
        Type::Tuple(items) => to_tuple(&value, items, to),
        Type::Text => checked(matches!(value, Value::Text(_)), value, to),
        Type::Function(_) => checked(matches!(value, Value::Function(_)), value, to),
        Type::TypeValue => checked(matches!(value, Value::TypeName(_)), value, to),
        Type::Null => checked(matches!(value, Value::Null), value, to),
        Type::Class(class) => checked(objects::is_of(&value, class), value, to),
        Type::Pointer(class) => {
            checked(matches!(value, Value::Null) || objects::is_of(&value, class), value, to)
        }
        Type::Closure(_) | Type::Unit => Ok(value),
        Type::Error | Type::Choice(_) | Type::Group(_) => {
            Err(messages::internal("a conversion to a type that no value has"))
        }
    }
}

fn checked(fits: bool, value: Value, to: &Type) -> Result<Value, Fault> {
    if fits { Ok(value) } else { Err(mismatch(&value, to)) }
}

fn mismatch(value: &Value, to: &Type) -> Fault {
    messages::wrong_type(&type_text(to), &value.kind())
}

fn to_tuple(value: &Value, types: &[Type], to: &Type) -> Result<Value, Fault> {
    let items = match value.cell_items()? {
        Some(items) if items.len() == types.len() => items,
        _ => return Err(mismatch(value, to)),
    };
    let items: Vec<Value> =
        items.into_iter().zip(types).map(|(item, ty)| convert(item, ty)).collect::<Result<_, _>>()?;
    Ok(Value::Tuple(items.into()))
}

fn to_array(value: Value, array: &ArrayType, to: &Type) -> Result<Value, Fault> {
    let value = value.with_cells().without_mask();
    let value = match (&*array.element, value.element_type()) {
        (Type::Scalar(element, overflow), Some(found)) if found != *element && value.as_array().is_some() => {
            convert_elements(&value, *element, *overflow)?
        }
        (Type::Scalar(element, overflow), None) if value.is_cell() => {
            numbers(&value, *element, *overflow).ok_or_else(|| mismatch(&value, to))??
        }
        (inner @ Type::Array(_), None) if value.is_cell() => {
            convert_items(&value, |item| convert(item, inner))?
        }
        (Type::Scalar(..) | Type::Enum(_) | Type::Dynamic, _) => value,
        (_, Some(_)) if value.dims().iter().all(|&extent| extent != 0) => return Err(mismatch(&value, to)),
        _ => value,
    };
    let Value::Array(a) = &value else { return Err(mismatch(&value, to)) };
    let Rank::Known(rank) = array.rank else { return Ok(value) };
    let a = with_rank(a, rank as usize, &type_text(to))?;
    check_sizes(&a, array, to)?;
    Ok(Value::Array(a))
}

fn check_sizes(a: &Arc<dyn ArrayObject>, array: &ArrayType, to: &Type) -> Result<(), Fault> {
    if array.sizes.iter().all(Option::is_none) {
        return Ok(());
    }
    let dims = a.dims();
    let fits = array.sizes.iter().zip(&dims).all(|(size, &n)| size.is_none_or(|size| size as usize == n));
    if fits { Ok(()) } else { Err(messages::size_constraint(&type_text(to), &dims)) }
}
