//! Questions about types, and limits of number types.

use super::creation::element_named;
use super::{Call, Function, function};
use crate::element::{ElementType, Overflow, Scalar};
use crate::value::convert::convert;
use crate::value::{Value, ValueError};
use half::f16;

pub(super) static FUNCTIONS: &[Function] = &[
    function("isreal", 1, 1, |c| test(c, |x| x.element_type().is_some_and(|ty| !ty.is_complex()))),
    function("iscomplex", 1, 1, |c| test(c, |x| x.element_type().is_some_and(ElementType::is_complex))),
    function("isscalar", 1, 1, |c| test(c, |x| x.as_scalar().is_some())),
    function("isvector", 1, 1, |c| test(c, |x| has_rank(x, 1))),
    function("ismatrix", 1, 1, |c| test(c, |x| has_rank(x, 2))),
    function("iscube", 1, 1, |c| test(c, |x| has_rank(x, 3))),
    function("isstring", 1, 1, |c| test(c, |x| matches!(x, Value::Text(_)))),
    function("iscell", 1, 1, |c| test(c, Value::is_cell)),
    function("isfunction", 1, 1, |c| test(c, |x| matches!(x, Value::Function(_)))),
    function("maxvalue", 1, 1, |c| limit(c, true)),
    function("minvalue", 1, 1, |c| limit(c, false)),
    function("cast", 2, 2, cast),
    function("type", 1, 1, |c| Ok(vec![Value::TypeName(c.args[0].kind().into())])),
];

fn test(c: &mut Call<'_>, holds: fn(&Value) -> bool) -> Result<Vec<Value>, ValueError> {
    Ok(vec![Value::from(holds(&c.args[0]))])
}

/// Arrays of numbers with at most this many dimensions: a vec may be used as a matrix.
fn has_rank(x: &Value, most: usize) -> bool {
    x.as_array().is_some_and(|a| a.element_type().is_some() && a.dims().len() <= most)
}

fn limit(c: &mut Call<'_>, largest: bool) -> Result<Vec<Value>, ValueError> {
    let working = c.working();
    let ty = match &c.args[0] {
        Value::TypeName(name) => element_named(name, working),
        other => other.element_type(),
    };
    macro_rules! limits {
        ($($element:ident $variant:ident $rust:ty),*) => {
            match ty {
                $(Some(ElementType::$element) => {
                    Scalar::$variant(if largest { <$rust>::MAX } else { <$rust>::MIN })
                })*
                _ => return Err(c.wrong(0, "a real number type")),
            }
        };
    }
    let value = limits!(
        Int8 I8 i8, Int16 I16 i16, Int32 I32 i32, Int64 I64 i64, UInt8 U8 u8, UInt16 U16 u16, UInt32 U32 u32,
        UInt64 U64 u64, Half F16 f16, Single F32 f32, Double F64 f64
    );
    Ok(vec![Value::Scalar(value)])
}

/// `cast(x, T)` for number types.
fn cast(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let working = c.working();
    let ty = match &c.args[1] {
        Value::TypeName(name) | Value::Text(name) => element_named(name, working),
        _ => None,
    };
    let ty = ty.ok_or_else(|| c.wrong(1, "a number type"))?;
    Ok(vec![convert(&c.args[0], ty, Overflow::Checked)?])
}
