//! How values are printed.

use super::array::{self, ArrayRef, DataRef};
use super::text::TextBuf;
use super::{MAX_NESTING, Object, Value, ValueError};
use crate::element::Scalar;
use std::fmt::Write;

/// What `print` writes for one operand, or, where there is no memory for that, what is said about it.
pub fn print(value: &Value) -> String {
    joined(std::slice::from_ref(value)).unwrap_or_else(|error| error.text)
}

/// What one `print` statement writes: the operands without separators, then a newline.
pub fn print_line(values: &[Value]) -> Result<String, ValueError> {
    let mut text = TextBuf::new();
    values.iter().for_each(|value| write_value(&mut text, value, 0));
    text.push('\n');
    text.finish()
}

/// Operands without separators.
pub fn joined(values: &[Value]) -> Result<String, ValueError> {
    let mut text = TextBuf::new();
    values.iter().for_each(|value| write_value(&mut text, value, 0));
    text.finish()
}

/// Longer texts are cut: objects that refer to each other have no end.
const MAX_LENGTH: usize = 1 << 20;

fn write_value(out: &mut TextBuf, value: &Value, depth: usize) {
    if depth > MAX_NESTING || (depth > 1 && out.len() > MAX_LENGTH) {
        out.push_str("..");
        return;
    }
    match value {
        Value::Unit => {}
        Value::Scalar(x) => out.push_str(&scalar(*x)),
        Value::Text(text) | Value::TypeName(text) => out.push_str(text),
        Value::Array(a) => match value.cell_items() {
            Ok(Some(items)) => write_cell(out, &a.dims(), &items, depth),
            Ok(None) => array::read(&**a, |view| write_array(out, view)),
            Err(_) => out.give_up(),
        },
        Value::Tuple(items) => write_cell(out, &[items.len()], items, depth),
        Value::Null => out.push_str("nullptr"),
        Value::Function(function) => out.push_str(&function.describe()),
        Value::Enum { name, .. } => out.push_str(name),
        Value::Object(object) => write_object(out, &**object, depth),
    }
}

fn write_object(out: &mut TextBuf, object: &dyn Object, depth: usize) {
    out.push_str(&object.type_name());
    out.push('{');
    for (i, (name, value)) in object.fields().iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(name);
        out.push('=');
        write_quoted(out, value, depth + 1);
    }
    out.push('}');
}

fn write_quoted(out: &mut TextBuf, value: &Value, depth: usize) {
    match value {
        Value::Text(text) => {
            out.push('"');
            out.push_str(text);
            out.push('"');
        }
        other => write_value(out, other, depth),
    }
}

fn write_cell(out: &mut TextBuf, dims: &[usize], items: &[Value], depth: usize) {
    let rows = match dims {
        [_] | [] => items.len(),
        [first, ..] => *first,
    };
    out.push('{');
    for i in 0..rows {
        if i > 0 {
            out.push(',');
        }
        if dims.len() <= 1 {
            write_quoted(out, &items[i], depth + 1);
        } else {
            let size = items.len() / rows;
            write_cell(out, &dims[1..], &items[i * size..(i + 1) * size], depth + 1);
        }
    }
    out.push('}');
}

fn write_array(out: &mut TextBuf, view: ArrayRef<'_>) {
    match view.dims {
        [] | [_] => write_row(out, view.data),
        &[rows, columns] => write_matrix(out, rows, columns, view.data),
        &[slices, ref inner @ ..] => {
            let size = view.data.len().checked_div(slices).unwrap_or(0);
            out.push_str("[ ");
            for i in 0..slices {
                if i > 0 {
                    out.push_str(",\n");
                }
                write_array(out, ArrayRef { dims: inner, data: view.data.part(i * size..(i + 1) * size) });
            }
            out.push_str(" ]");
        }
    }
}

fn write_matrix(out: &mut TextBuf, rows: usize, columns: usize, data: DataRef<'_>) {
    out.push_str("[ ");
    for i in 0..rows {
        if i > 0 {
            out.push_str(",\n  ");
        }
        write_row(out, data.part(i * columns..(i + 1) * columns));
    }
    out.push_str(" ]");
}

fn write_row(out: &mut TextBuf, data: DataRef<'_>) {
    out.push('[');
    for i in 0..data.len() {
        if out.is_full() {
            return;
        }
        if i > 0 {
            out.push(',');
        }
        if let Some(x) = data.scalar(i) {
            out.push_str(&scalar(x));
        }
    }
    out.push(']');
}

/// One number: 7 significant digits in half and single precision, 15 in double.
pub fn scalar(x: Scalar) -> String {
    match x {
        Scalar::F16(x) => general(x.to_f64(), 7, false),
        Scalar::F32(x) => general(f64::from(x), 7, false),
        Scalar::F64(x) => general(x, 15, false),
        Scalar::C32(x) => complex(f64::from(x.re), f64::from(x.im), 7),
        Scalar::C64(x) => complex(x.re, x.im, 15),
        Scalar::U64(x) => x.to_string(),
        integer => integer.as_i64().to_string(),
    }
}

fn complex(re: f64, im: f64, digits: usize) -> String {
    let mut text = general(re, digits, false);
    let negative = im.is_sign_negative() && !im.is_nan();
    let _ = write!(text, "{}{}j", if negative { '-' } else { '+' }, general(im.abs(), digits, false));
    text
}

/// `Inf`, `-Inf`, `NaN`; none for a finite number.
pub(super) fn not_finite(x: f64) -> Option<&'static str> {
    match x {
        x if x.is_nan() => Some("NaN"),
        f64::INFINITY => Some("Inf"),
        f64::NEG_INFINITY => Some("-Inf"),
        _ => None,
    }
}

/// C's `%.{digits}g`; trailing zeros are kept if `keep_zeros` (`%#g`).
pub fn general(x: f64, digits: usize, keep_zeros: bool) -> String {
    if let Some(text) = not_finite(x) {
        return text.into();
    }
    let digits = digits.max(1);
    let rounded = format!("{:.*e}", digits - 1, x);
    let (mantissa, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if exponent < -4 || exponent >= i32::try_from(digits).unwrap_or(i32::MAX) {
        return format!("{}{}", trimmed(mantissa, keep_zeros), exponent_text(exponent));
    }
    let decimals = usize::try_from(digits as i64 - 1 - i64::from(exponent)).unwrap_or(0);
    trimmed(&format!("{x:.decimals$}"), keep_zeros).to_string()
}

/// C's exponent: a sign and at least two digits.
pub(super) fn exponent_text(exponent: i32) -> String {
    format!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.unsigned_abs())
}

fn trimmed(text: &str, keep_zeros: bool) -> &str {
    if keep_zeros || !text.contains('.') { text } else { text.trim_end_matches('0').trim_end_matches('.') }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{ArrayBuf, ArrayData, Record};
    use num_complex::Complex;

    #[test]
    fn numbers_print_with_their_significant_digits() {
        let cases: &[(Scalar, &str)] = &[
            (Scalar::I32(-7), "-7"),
            (Scalar::U64(u64::MAX), "18446744073709551615"),
            (Scalar::F32(0.1), "0.1"),
            (Scalar::F32(3.0), "3"),
            (Scalar::F32(1.0 / 9.0), "0.1111111"),
            (Scalar::F32(1e10), "1e+10"),
            (Scalar::F32(16777216.0), "1.677722e+07"),
            (Scalar::F32(1234567.0), "1234567"),
            (Scalar::F32(0.00001), "1e-05"),
            (Scalar::F32(0.0001), "0.0001"),
            (Scalar::F32(-0.0), "-0"),
            (Scalar::F64(1.0 / 3.0), "0.333333333333333"),
            (Scalar::F64(1e300), "1e+300"),
            (Scalar::F64(999_999.999_999_999_9), "1000000"),
            (Scalar::F32(f32::INFINITY), "Inf"),
            (Scalar::F32(f32::NEG_INFINITY), "-Inf"),
            (Scalar::F32(f32::NAN), "NaN"),
            (Scalar::C32(Complex::new(1.0, -2.5)), "1-2.5j"),
            (Scalar::C64(Complex::new(0.0, 1.0)), "0+1j"),
        ];
        for (x, expected) in cases {
            assert_eq!(scalar(*x), *expected, "{x:?}");
        }
    }

    fn ints(dims: &[usize]) -> Value {
        let count: usize = dims.iter().product();
        ArrayBuf::new(dims.to_vec(), ArrayData::I32((1..=count as i32).collect())).unwrap().into()
    }

    #[test]
    fn arrays_print_as_documented() {
        assert_eq!(print(&ints(&[3])), "[1,2,3]");
        assert_eq!(print(&ints(&[0])), "[]");
        assert_eq!(print(&ints(&[2, 2])), "[ [1,2],\n  [3,4] ]");
        assert_eq!(print(&ints(&[1, 2])), "[ [1,2] ]");
        assert_eq!(print(&ints(&[2, 2, 2])), "[ [ [1,2],\n  [3,4] ],\n[ [5,6],\n  [7,8] ] ]");
    }

    #[test]
    fn cells_and_objects_print_their_parts() {
        let cell = Value::cell(vec![Value::int(1), Value::from("x"), Value::cell(vec![ints(&[2])])]);
        assert_eq!(print(&cell), "{1,\"x\",{[1,2]}}");
        let object =
            Record::new("point", false, vec![("x".into(), Value::int(3)), ("n".into(), Value::from("a"))]);
        assert_eq!(print(&Value::Object(object)), "point{x=3,n=\"a\"}");
        assert_eq!(print_line(&[Value::from("n = "), Value::int(3)]).as_deref(), Ok("n = 3\n"));
        assert_eq!(print(&Value::Null), "nullptr");
    }

    #[test]
    fn a_cell_within_itself_ends() {
        let cell = Value::cell(vec![Value::Null]);
        let set = |item: Value| {
            if let Value::Array(a) = &cell {
                array::write(&**a, |view| {
                    if let crate::value::DataMut::Values(items) = view.data {
                        items[0] = item.clone();
                    }
                });
            }
        };
        set(cell.clone());
        assert!(print(&cell).contains(".."));
        assert!(cell.copied().is_err());
        // Without the way back to itself it is freed.
        set(Value::Null);
    }
}
