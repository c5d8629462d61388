//! Conversion of array elements between number types.

use super::{convert_scalar, does_not_fit};
use crate::element::{ElementType, Overflow};
use crate::ops::{ConvertError, ConvertTo};
use crate::value::array::{self, ArrayData, ArrayElement, DataRef, for_elements};
use crate::value::error::ValueError;
use crate::value::mapped::mapped;
use crate::value::{ArrayBuf, MAX_NESTING, Value};
use std::borrow::Cow;
use std::sync::Arc;

/// All elements in another type; a cell is an error.
pub fn convert_data(data: DataRef<'_>, to: ElementType, overflow: Overflow) -> Result<ArrayData, ValueError> {
    let Some(from) = data.element_type() else {
        return Err(ValueError::wrong_type("conversion", "numbers", "a cell"));
    };
    if from == to {
        return data.to_data();
    }
    if from.is_complex() && !to.is_complex() {
        // The words of one number.
        if let Some(first) = data.scalar(0) {
            convert_scalar(first, to, overflow)?;
        }
        return ArrayData::zeros(to, 0);
    }
    match overflow {
        Overflow::Truth if to == ElementType::Int32 => Ok(ArrayData::I32(truths(data)?)),
        Overflow::Truth => wrapped(DataRef::I32(&truths(data)?), to),
        Overflow::Saturate if to.is_integer() => saturated(data, to),
        Overflow::Checked if to.is_integer() => {
            if from == ElementType::Half {
                // Halves are compared, and converted, as singles.
                let singles = wrapped(data, ElementType::Single)?;
                return checked(data, singles.view(), to);
            }
            checked(data, data, to)
        }
        _ => wrapped(data, to),
    }
}

/// The integers of a type, or an error with the first number that does not fit. `data` has the same numbers in a type of their own.
fn checked(data: DataRef<'_>, numbers: DataRef<'_>, to: ElementType) -> Result<ArrayData, ValueError> {
    match first_outside(numbers, to).and_then(|i| data.scalar(i)) {
        Some(value) => Err(does_not_fit(ConvertError { value, target: to })),
        // What fits does not wrap.
        None => wrapped(numbers, to),
    }
}

/// 0 or 1 for each element.
pub(in crate::value) fn truths(data: DataRef<'_>) -> Result<Vec<i32>, ValueError> {
    fn typed<T: ArrayElement>(x: &[T]) -> Result<Vec<i32>, ValueError> {
        mapped(x, |x| i32::from(x.to_scalar().is_truthy()))
    }
    for_elements!(data, DataRef, x => typed(x), _x => Ok(Vec::new()))
}

/// A loop for each of these types, with one expression.
macro_rules! for_integers {
    ($data:expr, $x:ident: $T:ident => $body:expr, $other:pat => $result:expr) => {
        for_integers!(@ $data, $x: $T => $body, $other => $result,
            I8 = i8, I16 = i16, I32 = i32, I64 = i64, U8 = u8, U16 = u16, U32 = u32, U64 = u64)
    };
    (@ $data:expr, $x:ident: $T:ident => $body:expr, $other:pat => $result:expr,
        $($variant:ident = $rust:ty),*) => {
        match $data {
            $(DataRef::$variant($x) => {
                type $T = $rust;
                $body
            })*
            $other => $result,
        }
    };
}

/// Conversions by one loop. Pairs of types that are seldom or give nothing of their own take two steps, and unsigned targets have
/// the bits of the signed ones: a loop for each pair and rule would be the largest part of this crate.
fn wrapped(data: DataRef<'_>, to: ElementType) -> Result<ArrayData, ValueError> {
    use ElementType as Type;
    let Some(from) = data.element_type() else { return ArrayData::zeros(to, 0) };
    let between = match (from, to) {
        _ if from.is_complex() => None,
        (_, Type::ComplexSingle | Type::ComplexDouble) if from != to.real() => Some(to.real()),
        (Type::Half, Type::Single) => None,
        (Type::Half, _) => Some(Type::Single),
        (_, Type::Half) if from.is_integer() => Some(Type::Single),
        _ => None,
    };
    if let Some(between) = between {
        return wrapped(wrapped(data, between)?.view(), to);
    }
    Ok(match to {
        Type::Int8 => ArrayData::I8(to_integers(data)?),
        Type::Int16 => ArrayData::I16(to_integers(data)?),
        Type::Int32 => ArrayData::I32(to_integers(data)?),
        Type::Int64 => ArrayData::I64(to_integers(data)?),
        // These loops have nothing to do: the vectors are the old ones.
        Type::UInt8 => ArrayData::U8(to_integers::<i8>(data)?.into_iter().map(|x| x as u8).collect()),
        Type::UInt16 => ArrayData::U16(to_integers::<i16>(data)?.into_iter().map(|x| x as u16).collect()),
        Type::UInt32 => ArrayData::U32(to_integers::<i32>(data)?.into_iter().map(|x| x as u32).collect()),
        Type::UInt64 => ArrayData::U64(to_integers::<i64>(data)?.into_iter().map(|x| x as u64).collect()),
        Type::Half | Type::Single | Type::Double => return to_floats(data, to),
        Type::ComplexSingle => ArrayData::C32(match data {
            DataRef::C64(x) => each(x)?,
            DataRef::F32(x) => each(x)?,
            _ => Vec::new(),
        }),
        Type::ComplexDouble => ArrayData::C64(match data {
            DataRef::C32(x) => each(x)?,
            DataRef::F64(x) => each(x)?,
            _ => Vec::new(),
        }),
    })
}

/// One loop.
fn each<T: ConvertTo<U>, U: ArrayElement>(x: &[T]) -> Result<Vec<U>, ValueError> {
    mapped(x, |x| x.wrapping())
}

fn to_integers<U: ArrayElement>(data: DataRef<'_>) -> Result<Vec<U>, ValueError>
where
    i8: ConvertTo<U>,
    i16: ConvertTo<U>,
    i32: ConvertTo<U>,
    i64: ConvertTo<U>,
    u8: ConvertTo<U>,
    u16: ConvertTo<U>,
    u32: ConvertTo<U>,
    u64: ConvertTo<U>,
    f32: ConvertTo<U>,
    f64: ConvertTo<U>,
{
    for_integers!(data, x: T => each::<T, U>(x), other => match other {
        DataRef::F32(x) => each(x),
        DataRef::F64(x) => each(x),
        _ => Ok(Vec::new()),
    })
}

fn to_floats(data: DataRef<'_>, to: ElementType) -> Result<ArrayData, ValueError> {
    Ok(match (data, to) {
        (DataRef::F32(x), ElementType::Half) => ArrayData::F16(each(x)?),
        (DataRef::F64(x), ElementType::Half) => ArrayData::F16(each(x)?),
        (DataRef::F16(x), _) => ArrayData::F32(each(x)?),
        (DataRef::F32(x), _) => ArrayData::F64(each(x)?),
        (DataRef::F64(x), _) => ArrayData::F32(each(x)?),
        (data, ElementType::Single) => {
            ArrayData::F32(for_integers!(data, x: T => each::<T, f32>(x)?, _ => Vec::new()))
        }
        (data, _) => ArrayData::F64(for_integers!(data, x: T => each::<T, f64>(x)?, _ => Vec::new())),
    })
}

/// The smallest and the largest number of an integer type.
fn range(ty: ElementType) -> (i128, i128) {
    match ty.is_signed() {
        true => (-(1 << (ty.bits() - 1)), (1 << (ty.bits() - 1)) - 1),
        false => (0, (1 << ty.bits()) - 1),
    }
}

/// The place of the first number that an integer type does not hold.
fn first_outside(data: DataRef<'_>, to: ElementType) -> Option<usize> {
    /// Whole blocks are looked at without a branch for each element.
    fn first<T: Copy>(x: &[T], outside: impl Fn(T) -> bool) -> Option<usize> {
        let mut start = 0;
        for block in x.chunks(1024) {
            let mut any = false;
            for &x in block {
                any |= outside(x);
            }
            if any {
                return block.iter().position(|&x| outside(x)).map(|place| start + place);
            }
            start += block.len();
        }
        None
    }
    /// The bounds are exact or, if the format is too coarse, the next representable value is in range.
    fn first_float<T: ArrayElement>(x: &[T], (low, high): (i128, i128), of: fn(T) -> f64) -> Option<usize> {
        let (low, below, above) = (low as f64, (low - 1) as f64, (high + 1) as f64);
        let inside = |x: f64| (x > below || x >= low) && x < above || x.is_nan();
        first(x, |x| !inside(of(x)))
    }
    let (low, high) = range(to);
    for_integers!(data, x: T => {
        let (low, high) = bounds::<T>(low, high);
        if (low, high) == (T::MIN, T::MAX) { None } else { first(x, |x| x < low || x > high) }
    }, other => match other {
        DataRef::F32(x) => first_float(x, (low, high), f64::from),
        DataRef::F64(x) => first_float(x, (low, high), |x| x),
        _ => None,
    })
}

/// The bounds of a range as far as a type holds them.
fn bounds<T: TryFrom<i128> + Limits>(low: i128, high: i128) -> (T, T) {
    (T::try_from(low).unwrap_or(T::LEAST), T::try_from(high).unwrap_or(T::MOST))
}

trait Limits {
    const LEAST: Self;
    const MOST: Self;
}

macro_rules! limits {
    ($($rust:ty)*) => {
        $(impl Limits for $rust {
            const LEAST: $rust = <$rust>::MIN;
            const MOST: $rust = <$rust>::MAX;
        })*
    };
}
limits!(i8 i16 i32 i64 u8 u16 u32 u64);

/// The nearest integers of a type.
fn saturated(data: DataRef<'_>, to: ElementType) -> Result<ArrayData, ValueError> {
    fn floats<T: ConvertTo<U>, U: ArrayElement>(x: &[T]) -> Result<ArrayData, ValueError> {
        Ok(U::wrap(mapped(x, |x| x.saturating())?))
    }
    macro_rules! to_each {
        ($x:expr) => {
            match to {
                ElementType::Int8 => floats::<_, i8>($x),
                ElementType::Int16 => floats::<_, i16>($x),
                ElementType::Int32 => floats::<_, i32>($x),
                ElementType::Int64 => floats::<_, i64>($x),
                ElementType::UInt8 => floats::<_, u8>($x),
                ElementType::UInt16 => floats::<_, u16>($x),
                ElementType::UInt32 => floats::<_, u32>($x),
                _ => floats::<_, u64>($x),
            }
        };
    }
    let (low, high) = range(to);
    for_integers!(data, x: T => {
        let (low, high) = bounds::<T>(low, high);
        if (low, high) == (T::MIN, T::MAX) {
            return wrapped(data, to);
        }
        let clamped: Vec<T> = mapped(x, |x| x.clamp(low, high))?;
        wrapped(T::view(&clamped), to)
    }, other => match other {
        DataRef::F16(_) => saturated(wrapped(data, ElementType::Single)?.view(), to),
        DataRef::F32(x) => to_each!(x),
        DataRef::F64(x) => to_each!(x),
        _ => ArrayData::zeros(to, 0),
    })
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
    if depth > MAX_NESTING {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Scalar;

    /// Numbers at the edges of all types, as those of one.
    fn edges(ty: ElementType) -> Vec<Scalar> {
        let bits =
            (0..64).flat_map(|k| [1i64 << k, (1i64 << k).wrapping_sub(1), (1i64 << k).wrapping_add(1)]);
        let whole = bits.flat_map(|x| [x, x.wrapping_neg()]).map(|x| Scalar::from_i64(x, ty));
        let floats = [
            0.0,
            0.5,
            0.99,
            1.5,
            2.5,
            3.99,
            65504.0,
            1e-40,
            4294967040.0,
            1e10,
            1.8446744073709552e19,
            3e38,
            1e300,
        ];
        let floats = floats.into_iter().chain([f64::INFINITY, f64::NAN]).flat_map(|x| [x, -x]);
        whole.chain(floats.map(|x| Scalar::F64(x).convert(ty, Overflow::Wrap).unwrap())).collect()
    }

    /// The words and the bits of a result.
    fn text(result: &Result<ArrayData, ValueError>) -> Vec<String> {
        match result {
            Ok(data) => (0..data.len()).map(|i| format!("{:?}", data.view().scalar(i))).collect(),
            Err(error) => vec![error.to_string()],
        }
    }

    #[test]
    fn arrays_of_all_types_are_converted_as_their_numbers_are() {
        for &from in ElementType::ALL {
            for &to in ElementType::ALL {
                for rule in [Overflow::Wrap, Overflow::Saturate, Overflow::Checked, Overflow::Truth] {
                    let numbers = edges(from);
                    let one = |x: &Scalar| {
                        let converted = convert_scalar(*x, to, rule);
                        // Arrays that have a type already are copied.
                        let converted = if from == to { Ok(*x) } else { converted };
                        converted.and_then(|x| ArrayData::from_scalars(to, &[x]))
                    };
                    for x in &numbers {
                        let data = ArrayData::from_scalars(from, &[*x]).unwrap();
                        let found = convert_data(data.view(), to, rule);
                        assert_eq!(text(&found), text(&one(x)), "{x:?} to {to:?}, {rule:?}");
                    }
                    // Together: the first error, or all numbers. Vectors are longer than a block.
                    let many: Vec<Scalar> = numbers.iter().copied().cycle().take(2100).collect();
                    let expected: Vec<_> = many.iter().map(one).collect();
                    let expected = match expected.iter().find(|x| x.is_err()) {
                        Some(error) => text(error),
                        None => expected.iter().flat_map(text).collect(),
                    };
                    let data = ArrayData::from_scalars(from, &many).unwrap();
                    assert_eq!(
                        text(&convert_data(data.view(), to, rule)),
                        expected,
                        "{from:?} to {to:?}, {rule:?}"
                    );
                }
                let none = ArrayData::zeros(from, 0).unwrap();
                let found = convert_data(none.view(), to, Overflow::Checked).unwrap();
                assert_eq!((found.len(), found.element_type()), (0, Some(to)));
            }
        }
    }
}
