//! Questions about types, and limits of number types.

use super::creation::element_named;
use super::{Call, Function, function};
use crate::element::{ElementType, Overflow, Scalar, promote};
use crate::value::array::{self, ArrayData};
use crate::value::convert::{convert, convert_scalar};
use crate::value::{ArrayBuf, ErrorKind, Value, ValueError};
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
    function("converted", 3, 3, converted),
    function("mask", 1, 1, |c| Ok(vec![c.args[0].clone().into_mask()])),
    function("truth_of_one", 1, 1, truth_of_one),
    // Whether the left side of `&&` (1) or `||` (0) says what the whole is.
    function("decides", 2, 2, |c| {
        let and = c.integer(1)? != 0;
        Ok(vec![Value::from(c.args[0].as_scalar().is_some_and(|x| x.is_truthy() != and))])
    }),
    function("array_of", 1, usize::MAX, array_of),
    function("is_type", 3, usize::MAX, is_type),
    function("expect_count", 2, 2, expect_count),
    function("cell_of_all", 0, usize::MAX, cell_of_all),
    function("type", 1, 1, |c| {
        let working = c.working();
        Ok(vec![Value::TypeName(c.args[0].type_name(working).into())])
    }),
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

/// Whether `x` has an element type (`??` for any) and a shape: at most so many dimensions (-1 for no array, 0 for any number), and as
/// many sizes (-1 for any). The shape of the elements follows where they are arrays or texts.
fn is_type(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let shape = (2..c.args.len()).map(|k| c.integer(k)).collect::<Result<Vec<_>, _>>()?;
    Ok(vec![Value::from(has_type(&c.args[0], c.text(1)?, &shape)?)])
}

fn has_type(x: &Value, element: &str, shape: &[i64]) -> Result<bool, ValueError> {
    let Some((&rank, rest)) = shape.split_first() else { return Ok(false) };
    let fits = |found: Option<ElementType>| element == "??" || found.is_some_and(|ty| ty.name() == element);
    let (sizes, elements) = rest.split_at(usize::try_from(rank).unwrap_or(0).min(rest.len()));
    Ok(match x {
        _ if rank < 0 && element == "??" => true,
        Value::Text(_) => rank < 0 && element == "string",
        Value::Scalar(x) => rank < 0 && fits(Some(x.element_type())),
        Value::Array(_) | Value::Tuple(_) if rank >= 0 => {
            let dims = x.dims();
            let open = sizes.iter().all(|size| *size < 0);
            let meets = || sizes.iter().zip(&dims).all(|(size, dim)| *size < 0 || *size == *dim as i64);
            let shaped =
                (rank == 0 || dims.len() as i64 <= rank) && (open || dims.len() == sizes.len() && meets());
            match elements {
                _ if !shaped => false,
                [] => x.as_array().map_or(element == "??", |array| fits(array.element_type())),
                _ => match x.cell_items()? {
                    Some(items) => {
                        let mut all = true;
                        for item in &items {
                            all = all && has_type(item, element, elements)?;
                        }
                        all
                    }
                    None => false,
                },
            }
        }
        _ => false,
    })
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
            Some(array) => array::read(array, |view| {
                let count = view.data.len();
                items.try_reserve(count).map_err(|_| ValueError::out_of_memory(count, None))?;
                items.extend((0..count).filter_map(|k| view.data.value(k)));
                Ok::<_, ValueError>(())
            })?,
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

/// `converted(x, T, floats)`: a number, an array or a cell of them in the type `T`; with `floats`, those stay that are floats
/// already.
fn converted(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let working = c.working();
    let to = element_named(c.text(1)?, working).ok_or_else(|| c.wrong(1, "a number type"))?;
    let floats = c.integer(2)? != 0;
    convert_values(&c.args[0], to, floats, 0).map(|value| vec![value])
}

fn convert_values(x: &Value, to: ElementType, floats: bool, depth: usize) -> Result<Value, ValueError> {
    if depth > crate::value::MAX_NESTING {
        return Err(ValueError::nesting());
    }
    if let Some(items) = x.cell_items()? {
        let converted = items.iter().map(|item| convert_values(item, to, floats, depth + 1));
        let items = array::try_collect(items.len(), converted)?;
        let dims = x.as_array().map_or_else(|| vec![items.len()], |cell| cell.dims());
        return Ok(ArrayBuf::new(dims, ArrayData::Values(items))?.into());
    }
    match x.element_type() {
        Some(element) if floats && (element.is_float() || element.is_complex()) => {
            convert(x, element, Overflow::Checked)
        }
        _ => convert(x, to, Overflow::Checked),
    }
}

/// `[a, b]` whose elements have types that are known at run time only: numbers make a vec, strings a vec of strings, arrays of
/// one size become its rows or slices. The first argument says which of the others are spread, by a dot each.
fn array_of(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let working = c.working();
    let form = c.text(0)?;
    let mut items: Vec<Value> = Vec::new();
    for (how, arg) in form.bytes().zip(&c.args[1..]) {
        match how {
            b'.' => spread_into(&mut items, arg)?,
            _ => items.push(arg.clone()),
        }
    }
    let elements: Option<Vec<ElementType>> = items.iter().map(Value::element_type).collect();
    let element = elements
        .map(|all| all.into_iter().reduce(|a, b| if a == b { a } else { promote(a, b) }).unwrap_or(working));
    let result = match element {
        Some(element) if items.iter().all(|item| item.as_scalar().is_some()) => {
            let numbers = items.iter().filter_map(Value::as_scalar);
            let numbers = numbers.map(|x| convert_scalar(x, element, Overflow::Wrap));
            let numbers = array::try_collect(items.len(), numbers)?;
            ArrayBuf::new(vec![numbers.len()], ArrayData::from_scalars(element, &numbers)?)?
        }
        Some(_) if !form.contains('.') && items.iter().all(|item| item.as_array().is_some()) => {
            stacked(&items)?
        }
        _ if items.iter().all(|item| item.as_text().is_some()) => {
            ArrayBuf::new(vec![items.len()], ArrayData::Values(items))?
        }
        _ => {
            let found: Vec<String> = items.iter().map(|item| format!("'{}'", item.kind())).collect();
            let text = format!(
                "the elements of an array literal must all be numbers, or all be arrays of one size, found {}; use {{..}} for a cell",
                found.join(", ")
            );
            return Err(ValueError::new(ErrorKind::Type, text));
        }
    };
    Ok(vec![result.into()])
}

/// The elements of a vector or a cell.
fn spread_into(items: &mut Vec<Value>, arg: &Value) -> Result<(), ValueError> {
    if let Some(cell) = arg.cell_items()? {
        items.try_reserve(cell.len()).map_err(|_| ValueError::out_of_memory(cell.len(), None))?;
        items.extend(cell);
        return Ok(());
    }
    let vector = arg.as_array().filter(|a| a.dims().iter().filter(|&&extent| extent != 1).count() <= 1);
    let Some(vector) = vector else { return Err(ValueError::wrong_type("'...'", "a vec", &arg.kind())) };
    array::read(vector, |view| {
        items.try_reserve(view.data.len()).map_err(|_| ValueError::out_of_memory(view.data.len(), None))?;
        items.extend((0..view.data.len()).filter_map(|k| view.data.value(k)));
        Ok(())
    })
}

/// Arrays of one size along a new first dimension.
fn stacked(items: &[Value]) -> Result<ArrayBuf, ValueError> {
    let inner = items.first().map(Value::dims).unwrap_or_default();
    if let Some(other) = items.iter().map(Value::dims).find(|dims| *dims != inner) {
        let sizes = [&inner, &other].map(|dims| crate::value::shape::dims_text(dims));
        let text =
            format!("the rows of an array literal must have one size, found {} and {}", sizes[0], sizes[1]);
        return Err(ValueError::shape(text));
    }
    let dims: Vec<usize> = std::iter::once(items.len()).chain(inner.iter().copied()).collect();
    if dims.len() > crate::value::shape::MAX_DIMS {
        return Err(ValueError::too_many_dimensions(dims.len()));
    }
    ArrayBuf::new(dims, super::shape::join(items, 1)?)
}

/// The truth of the condition of `?:`, which is one number.
fn truth_of_one(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    match &c.args[0] {
        Value::Array(_) => {
            let text = format!("the condition of '?:' is one number, found '{}'", c.args[0].kind());
            Err(ValueError::new(ErrorKind::Type, text))
        }
        other => Ok(vec![Value::from(other.is_true()?)]),
    }
}
