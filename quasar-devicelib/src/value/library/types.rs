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
    function("is_type", 3, 19, is_type),
    function("expect_count", 2, 2, expect_count),
    function("cell_of_all", 0, usize::MAX, cell_of_all),
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

/// Whether `x` has an element type (`??` for any), at most so many dimensions (-1 for no array, 0 for any number), and
/// the sizes that follow (-1 for any).
fn is_type(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (element, rank) = (c.text(1)?, c.integer(2)?);
    let x = &c.args[0];
    let fits = |found: Option<ElementType>| element == "??" || found.is_some_and(|ty| ty.name() == element);
    let holds = match x {
        _ if rank < 0 && element == "??" => true,
        Value::Text(_) => rank < 0 && element == "string",
        Value::Scalar(x) => rank < 0 && fits(Some(x.element_type())),
        Value::Array(array) if rank >= 0 => {
            let dims = array.dims();
            let sizes = (3..c.args.len()).map(|k| c.integer(k)).collect::<Result<Vec<_>, _>>()?;
            let open = sizes.iter().all(|size| *size < 0);
            let meets = || sizes.iter().zip(&dims).all(|(size, dim)| *size < 0 || *size == *dim as i64);
            fits(array.element_type())
                && (rank == 0 || dims.len() as i64 <= rank)
                && (open || dims.len() == sizes.len() && meets())
        }
        _ => false,
    };
    Ok(vec![Value::from(holds)])
}

/// Says when a vector that is spread does not have as many elements as there are places for them.
fn expect_count(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (found, wanted) = (c.args[0].dims().iter().product::<usize>(), c.count(1)?);
    if found == wanted {
        return Ok(Vec::new());
    }
    Err(ValueError::shape(format!("'...' fills {wanted} places, the vector has {found} elements")))
}

/// A cell with the elements of all arguments, which are vectors and cells.
fn cell_of_all(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let mut items = Vec::new();
    for arg in c.args {
        match arg.clone().with_cells().as_array() {
            Some(array) => array.read(&mut |view| {
                items.extend((0..view.data.len()).filter_map(|k| view.data.value(k)));
            }),
            None => return Err(ValueError::wrong_type("'...' in a cell", "a vec or a cell", &arg.kind())),
        }
    }
    Ok(vec![Value::cell(items)])
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
