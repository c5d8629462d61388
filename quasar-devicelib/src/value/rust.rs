//! Values of Rust as dynamic values and back, and dynamic values as text.

use super::{Value, ValueError, format};
use crate::element::{Element, ElementType, Overflow, Scalar};
use half::f16;
use std::fmt;

/// As the statement `print` writes it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format::print(self))
    }
}

macro_rules! numbers {
    ($($variant:ident = $rust:ty => $element:ident),*) => {
        $(impl From<$rust> for Value {
            fn from(number: $rust) -> Value {
                Value::Scalar(number.into())
            }
        }

        /// A number that this type can represent exactly; anything else is an error.
        impl TryFrom<Value> for $rust {
            type Error = ValueError;

            fn try_from(value: Value) -> Result<$rust, ValueError> {
                exact(&value)
            }
        })*
    };
}
for_each_element!(numbers);

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::int(i64::from(truth))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text.into())
    }
}

/// A cell vector.
impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Value {
        Value::cell(items)
    }
}

impl TryFrom<Value> for String {
    type Error = ValueError;

    fn try_from(value: Value) -> Result<String, ValueError> {
        value.as_text().map(str::to_owned).ok_or_else(|| unfit(&value, "string"))
    }
}

/// The elements of a cell in the order of memory (the last index varies fastest), or several values.
impl TryFrom<Value> for Vec<Value> {
    type Error = ValueError;

    fn try_from(value: Value) -> Result<Vec<Value>, ValueError> {
        value.cell_items()?.ok_or_else(|| unfit(&value, "a cell"))
    }
}

/// The number in type `T`, if it has the same value there.
fn exact<T: Element>(value: &Value) -> Result<T, ValueError> {
    let same = |number: Scalar| {
        let converted = number.convert(T::TYPE, Overflow::Checked).ok()?;
        let back = converted.convert(number.element_type(), Overflow::Checked).ok()?;
        let not_numbers = number.as_f64().is_nan() && back.as_f64().is_nan();
        (back == number || (not_numbers && is_float(T::TYPE))).then_some(converted)
    };
    let number = value.as_scalar().and_then(same).and_then(T::from_scalar);
    number.ok_or_else(|| unfit(value, T::TYPE.name()))
}

fn is_float(ty: ElementType) -> bool {
    ty.is_float() || ty.is_complex()
}

fn unfit(value: &Value, expected: &str) -> ValueError {
    let found = match value {
        Value::Scalar(number) => format!("{value} of type {}", number.element_type().name()),
        other => other.kind(),
    };
    ValueError::wrong_type("conversion for Rust", expected, &found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex;

    fn read<T: TryFrom<Value, Error = ValueError>>(value: impl Into<Value>) -> Result<T, String> {
        T::try_from(value.into()).map_err(|error| error.to_string())
    }

    #[test]
    fn numbers_keep_their_value_or_are_refused() {
        assert_eq!(read::<f32>(3), Ok(3.0));
        assert_eq!(read::<i32>(3.0f64), Ok(3));
        assert_eq!(read::<u8>(255i64), Ok(255));
        assert_eq!(read::<f32>(0.5f64), Ok(0.5));
        assert_eq!(read::<Complex<f64>>(0.5f32), Ok(Complex::new(0.5, 0.0)));
        assert_eq!(read::<f64>(Complex::new(2.0f32, 0.0)), Ok(2.0));
        assert!(read::<f64>(f32::NAN).is_ok_and(f64::is_nan));
        for refused in [
            read::<i32>(2.5f32).map(f64::from),
            read::<i32>(f32::NAN).map(f64::from),
            read::<i32>(2_147_483_648.0f32).map(f64::from),
            read::<f32>(16_777_217).map(f64::from),
            read::<f32>(1e300f64).map(f64::from),
            read::<u8>(-1).map(f64::from),
            read::<f64>(Complex::new(2.0f32, 1.0)),
            read::<f64>("2"),
        ] {
            assert!(refused.is_err(), "{refused:?}");
        }
        assert_eq!(
            read::<i32>(2.5f32).unwrap_err(),
            "conversion for Rust: expected int, found 2.5 of type scalar"
        );
    }

    #[test]
    fn texts_and_cells() {
        let cell = Value::from(vec![1.into(), "two".into(), vec![Value::from(2.5f32)].into()]);
        assert_eq!(cell.to_string(), format::print(&cell));
        assert_eq!(format!("{:>4}", Value::from(2)), "   2");
        let [number, text, inner] = <[Value; 3]>::try_from(Vec::try_from(cell).unwrap()).unwrap();
        assert_eq!((i64::try_from(number).unwrap(), String::try_from(text).unwrap().as_str()), (1, "two"));
        assert_eq!(Vec::<Value>::try_from(inner).unwrap().len(), 1);
        assert_eq!(
            read::<String>(1).unwrap_err(),
            "conversion for Rust: expected string, found 1 of type int"
        );
        assert_eq!(
            read::<Vec<Value>>("text").unwrap_err(),
            "conversion for Rust: expected a cell, found string"
        );
    }
}
