//! Values, operators, indexing and library functions: expected results from the language reference.

#![allow(clippy::cloned_ref_to_slice_refs, reason = "rows of tables are all written alike")]

mod fuzz;
mod index;
mod library;
mod operators;

use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::value::format::print;
use quasar_devicelib::value::{ArrayBuf, ArrayData, BufferHost, Value, ValueError, library as functions};

pub(crate) const SINGLE: ElementType = ElementType::Single;

pub(crate) fn int(x: i64) -> Value {
    Value::int(x)
}

pub(crate) fn real(x: f64) -> Value {
    Value::Scalar(Scalar::F32(x as f32))
}

pub(crate) fn text(x: &str) -> Value {
    Value::from(x)
}

pub(crate) fn ivec(items: &[i32]) -> Value {
    ArrayBuf::vec(items.to_vec()).into()
}

pub(crate) fn vec(items: &[f32]) -> Value {
    ArrayBuf::vec(items.to_vec()).into()
}

pub(crate) fn ints(dims: &[usize], items: &[i32]) -> Value {
    ArrayBuf::new(dims.to_vec(), ArrayData::I32(items.to_vec())).unwrap().into()
}

pub(crate) fn reals(dims: &[usize], items: &[f32]) -> Value {
    ArrayBuf::new(dims.to_vec(), ArrayData::F32(items.to_vec())).unwrap().into()
}

/// 0, 1, 2, .. in row-major order.
pub(crate) fn counting(dims: &[usize]) -> Value {
    let count: usize = dims.iter().product();
    ints(dims, &(0..count as i32).collect::<Vec<_>>())
}

/// The dimensions and the elements: `2x3 0,1,2,3,4,5`; a number alone has no dimensions.
pub(crate) fn show(value: &Value) -> String {
    let Some(Ok(buf)) = value.to_buf() else { return print(value) };
    let dims = buf.dims.iter().map(ToString::to_string).collect::<Vec<_>>().join("x");
    let items: Vec<String> = (0..buf.data.len()).map(|i| print(&buf.data.view().value(i).unwrap())).collect();
    format!("{dims}: {}", items.join(","))
}

pub(crate) fn shown(result: Result<Value, ValueError>) -> String {
    match result {
        Ok(value) => show(&value),
        Err(error) => format!("error: {error}"),
    }
}

/// Calls a library function and shows its results.
pub(crate) fn call(name: &str, args: &[Value]) -> String {
    call_with(&mut BufferHost::default(), name, args, 1)
}

pub(crate) fn call_with(host: &mut BufferHost, name: &str, args: &[Value], results: usize) -> String {
    match functions::call(name, args, results, host) {
        Ok(values) => values.iter().map(show).collect::<Vec<_>>().join(" | "),
        Err(error) => format!("error: {error}"),
    }
}
