//! Operators and elementwise functions on values: scalar extension, views, promotion, cells, strings.

use super::array::{self, ArrayData, ArrayElement, with_element};
use super::convert::{convert_data, convert_scalar};
use super::error::{ErrorKind, ValueError};
use super::mapped::extend_zipped;
use super::{ArrayBuf, MAX_NESTING, Value, format, matmul, shape, text};
use crate::element::{ElementType, Overflow, Scalar, promote};
use crate::isa::Baseline;
use crate::ops::{self, Domain, Real, ResultRule, Row};

/// Applies an elementwise function. Numbers extend to the shape of the arrays; cells are entered.
pub fn apply(row: &Row, args: &[Value], working: ElementType) -> Result<Value, ValueError> {
    apply_nested(row, args, working, 0)
}

/// Applies the row of this name.
pub fn apply_named(name: &str, args: &[Value], working: ElementType) -> Result<Value, ValueError> {
    let row = ops::find(name).ok_or_else(|| ValueError::unknown_function(name))?;
    apply(row, args, working)
}

fn apply_nested(row: &Row, args: &[Value], working: ElementType, depth: usize) -> Result<Value, ValueError> {
    if depth > MAX_NESTING {
        return Err(ValueError::nesting());
    }
    if args.len() != row.arity {
        return Err(ValueError::argument_count(row.name, &row.arity.to_string(), args.len()));
    }
    if args.iter().any(Value::is_cell) {
        return over_cells(row.name, args, &mut |items| apply_nested(row, items, working, depth + 1));
    }
    if args.iter().all(|a| a.element_type().is_some()) {
        return apply_numbers(row, args, working);
    }
    match (row.name, args) {
        ("add", [a, b]) if a.as_text().is_some() || b.as_text().is_some() => {
            text::value(&format::joined(&[a.clone(), b.clone()])?)
        }
        ("equal", [a, b]) => Ok(Value::from(equal(a, b))),
        ("not_equal", [a, b]) => Ok(Value::from(!equal(a, b))),
        _ => {
            let wrong = args.iter().find(|a| a.element_type().is_none()).map(Value::kind).unwrap_or_default();
            Err(ValueError::wrong_type(row.name, "numbers or arrays of numbers", &wrong))
        }
    }
}

/// Applies a function to the elements of cells, which must have one structure; other operands go to every element.
fn over_cells(
    name: &str,
    args: &[Value],
    f: &mut dyn FnMut(&[Value]) -> Result<Value, ValueError>,
) -> Result<Value, ValueError> {
    let mut dims: Option<Vec<usize>> = None;
    let mut cells = Vec::with_capacity(args.len());
    for arg in args {
        let items = arg.cell_items()?;
        if let Some(items) = &items {
            let found = if let Value::Array(a) = arg { a.dims() } else { vec![items.len()] };
            match &dims {
                Some(first) if !shape::same(first, &found) => {
                    return match name {
                        "equal" => Ok(Value::from(false)),
                        "not_equal" => Ok(Value::from(true)),
                        _ => Err(ValueError::shape(format!(
                            "the cells have different structures: {} and {} elements",
                            shape::dims_text(first),
                            shape::dims_text(&found)
                        ))),
                    };
                }
                Some(_) => {}
                None => dims = Some(found),
            }
        }
        cells.push(items);
    }
    let dims = dims.unwrap_or_else(|| vec![0]);
    let count = shape::count(&dims)?;
    let mut results = array::reserve(count)?;
    for i in 0..count {
        let items: Vec<Value> = args
            .iter()
            .zip(&cells)
            .map(|(arg, cell)| {
                cell.as_ref().map_or_else(|| arg.clone(), |items| items.get(i).cloned().unwrap_or_default())
            })
            .collect();
        results.push(f(&items)?);
    }
    Ok(ArrayBuf::new(dims, ArrayData::Values(results))?.into())
}

/// Operators in which integers below 64 bits count as `int`.
fn promotes_small_integers(row: &Row) -> bool {
    matches!(row.name, "add" | "subtract" | "multiply" | "negate" | "powi" | "power" | "divide")
}

/// The element type in which a row computes for operands of the given types.
pub fn operand_type(
    row: &Row,
    types: &[ElementType],
    working: ElementType,
) -> Result<ElementType, ValueError> {
    let Some((&first, rest)) = types.split_first() else { return Ok(working) };
    let mut common = if promotes_small_integers(row) { promote(first, first) } else { first };
    for &other in rest {
        if other != common {
            common = promote(common, other);
        }
    }
    if row.domain.contains(common) {
        // A complex number from an integer has the working precision.
        return Ok(if row.result == ResultRule::Complex && common.is_integer() { working } else { common });
    }
    match row.domain {
        Domain::Float | Domain::FloatOrComplex if common.is_integer() => Ok(working),
        Domain::Integer => Err(ValueError::wrong_type(row.name, "integers", common.name())),
        _ => Err(ValueError::wrong_type(row.name, "real numbers", common.name())),
    }
}

/// One operand in the type of the operation.
enum Operand {
    Number(Scalar),
    Elements(ArrayBuf),
}

fn apply_numbers(row: &Row, args: &[Value], working: ElementType) -> Result<Value, ValueError> {
    let types: Vec<ElementType> = args.iter().filter_map(Value::element_type).collect();
    let counted = if row.name == "powi" { &types[..1] } else { &types[..] };
    let common = operand_type(row, counted, working)?;
    let mut dims: Option<Vec<usize>> = None;
    for arg in args.iter().filter(|a| a.as_array().is_some()) {
        let found = arg.dims();
        dims = Some(match dims {
            None => found,
            Some(first) if shape::same(&first, &found) => shape::combined(&first, &found)?,
            Some(_) if row.name == "equal" => return Ok(Value::from(false)),
            Some(_) if row.name == "not_equal" => return Ok(Value::from(true)),
            Some(first) => return Err(ValueError::dimensions(&first, &found)),
        });
    }
    let mut operands = Vec::with_capacity(args.len());
    for (k, arg) in args.iter().enumerate() {
        let ty = if row.name == "powi" && k == 1 { ElementType::Int32 } else { common };
        operands.push(operand(arg, ty)?);
    }
    match dims {
        None => {
            let numbers: Vec<Scalar> = operands
                .iter()
                .map(|o| if let Operand::Number(x) = o { *x } else { Scalar::zero(common) })
                .collect();
            Ok(Value::Scalar((row.eval)(&numbers)))
        }
        Some(dims) => {
            let count = shape::count(&dims)?;
            let fast = match common {
                ElementType::Int32 => evaluate_typed::<i32>(row, &operands),
                ElementType::Single => evaluate_typed::<f32>(row, &operands),
                ElementType::Double => evaluate_typed::<f64>(row, &operands),
                _ => None,
            };
            let data = fast.unwrap_or_else(|| evaluate(row, &operands, row.result.apply(common), count))?;
            let result = Value::from(ArrayBuf::new(dims, data)?);
            Ok(if gives_mask(row, args) { result.into_mask() } else { result })
        }
    }
}

/// Whether a row answers a question about each element of arrays, or combines such answers.
fn gives_mask(row: &Row, args: &[Value]) -> bool {
    row.result == ResultRule::Truth || ops::combines_masks(row.name) && args.iter().all(Value::is_mask)
}

fn operand(arg: &Value, ty: ElementType) -> Result<Operand, ValueError> {
    match arg {
        Value::Array(a) => {
            let data = array::read(&**a, |view| convert_data(view.data, ty, Overflow::Wrap))?;
            Ok(Operand::Elements(ArrayBuf::new(a.dims(), data)?))
        }
        other => {
            let x = other.as_scalar().unwrap_or(Scalar::zero(ty));
            Ok(Operand::Number(convert_scalar(x, ty, Overflow::Wrap)?))
        }
    }
}

fn evaluate(
    row: &Row,
    operands: &[Operand],
    result: ElementType,
    count: usize,
) -> Result<ArrayData, ValueError> {
    fn typed<T: ArrayElement>(
        row: &Row,
        operands: &[Operand],
        count: usize,
    ) -> Result<ArrayData, ValueError> {
        let mut elements: Vec<T> = array::reserve(count)?;
        let mut numbers: Vec<Scalar> =
            operands.iter().map(|o| if let Operand::Number(x) = o { *x } else { Scalar::I32(0) }).collect();
        for i in 0..count {
            for (number, operand) in numbers.iter_mut().zip(operands) {
                if let Operand::Elements(buf) = operand
                    && let Some(x) = buf.data.view().scalar(i)
                {
                    *number = x;
                }
            }
            let y = (row.eval)(&numbers);
            elements.push(match T::from_scalar(y) {
                Some(y) => y,
                None => T::from_scalar(convert_scalar(y, T::TYPE, Overflow::Wrap)?).unwrap_or_default(),
            });
        }
        Ok(T::wrap(elements))
    }
    with_element!(result, T => typed::<T>(row, operands, count))
}

/// An operand of a typed loop.
enum Side<'a, T> {
    One(T),
    Many(&'a [T]),
}

/// Elements that are combined at once, which stay in the first cache.
const BLOCK: usize = 512;

/// Combines the elements of two sides. A number is repeated for a block, so that there is one loop for each operator.
fn zip<T: Copy, U: Copy>(
    a: &Side<'_, T>,
    b: &Side<'_, T>,
    f: impl Fn(T, T) -> U,
) -> Result<Vec<U>, ValueError> {
    let count = match (a, b) {
        (Side::Many(x), _) | (_, Side::Many(x)) => x.len(),
        _ => 1,
    };
    let mut result = array::reserve(count)?;
    blocks(count, a, b, &mut |a, b| extend_zipped(&mut result, a, b, &f));
    Ok(result)
}

/// Calls `f` with the elements of both sides, block by block.
fn blocks<T: Copy>(count: usize, a: &Side<'_, T>, b: &Side<'_, T>, f: &mut dyn FnMut(&[T], &[T])) {
    let repeated = |side: &Side<'_, T>| match side {
        Side::One(x) => vec![*x; count.min(BLOCK)],
        Side::Many(_) => Vec::new(),
    };
    let (of_a, of_b) = (repeated(a), repeated(b));
    let mut done = 0;
    while done < count {
        let size = BLOCK.min(count - done);
        let [a, b] = [(a, &of_a), (b, &of_b)].map(|(side, repeated)| match side {
            Side::One(_) => &repeated[..size],
            Side::Many(x) => &x[done..done + size],
        });
        f(a, b);
        done += size;
    }
}

/// Frequent operators as loops over slices: the same functions as in the rows, without going through `Scalar`.
fn evaluate_typed<T: ArrayElement + Real>(
    row: &Row,
    operands: &[Operand],
) -> Option<Result<ArrayData, ValueError>> {
    fn side<T: ArrayElement>(operand: &Operand) -> Option<Side<'_, T>> {
        match operand {
            Operand::Number(x) => T::from_scalar(*x).map(Side::One),
            Operand::Elements(buf) => T::slice(buf.data.view()).map(Side::Many),
        }
    }
    let [a, b] = operands else { return None };
    let (a, b) = (side::<T>(a)?, side::<T>(b)?);
    let same = |result: Result<Vec<T>, ValueError>| Some(result.map(T::wrap));
    let truth = |result: Result<Vec<i32>, ValueError>| Some(result.map(ArrayData::I32));
    match row.name {
        "add" => same(zip(&a, &b, ops::add::<Baseline, T>)),
        "subtract" => same(zip(&a, &b, ops::subtract::<Baseline, T>)),
        "multiply" => same(zip(&a, &b, ops::multiply::<Baseline, T>)),
        "min" => same(zip(&a, &b, ops::min::<Baseline, T>)),
        "max" => same(zip(&a, &b, ops::max::<Baseline, T>)),
        "equal" => truth(zip(&a, &b, ops::equal::<Baseline, T>)),
        "not_equal" => truth(zip(&a, &b, ops::not_equal::<Baseline, T>)),
        "less" => truth(zip(&a, &b, ops::less::<Baseline, T>)),
        "less_equal" => truth(zip(&a, &b, ops::less_equal::<Baseline, T>)),
        "greater" => truth(zip(&a, &b, ops::greater::<Baseline, T>)),
        "greater_equal" => truth(zip(&a, &b, ops::greater_equal::<Baseline, T>)),
        _ => None,
    }
}

/// `==` as one truth value: numbers by value, strings by content, arrays and cells by shape and elements, objects
/// and functions by identity.
pub fn equal(a: &Value, b: &Value) -> bool {
    equal_nested(a, b, 0)
}

fn equal_nested(a: &Value, b: &Value, depth: usize) -> bool {
    if depth > MAX_NESTING {
        return false;
    }
    if let (Some(x), Some(y)) = (a.as_scalar(), b.as_scalar()) {
        return equal_numbers(x, y);
    }
    match (a, b) {
        (Value::Text(x), Value::Text(y)) => x == y,
        (Value::TypeName(x), Value::TypeName(y)) => x == y,
        (Value::Null, Value::Null) | (Value::Unit, Value::Unit) => true,
        (Value::Array(_) | Value::Tuple(_), Value::Array(_) | Value::Tuple(_)) => equal_arrays(a, b, depth),
        _ => a.is_identical(b),
    }
}

fn equal_numbers(x: Scalar, y: Scalar) -> bool {
    let common = promote(x.element_type(), y.element_type());
    let same = |x| convert_scalar(x, common, Overflow::Wrap).ok();
    same(x) == same(y)
}

fn equal_arrays(a: &Value, b: &Value, depth: usize) -> bool {
    match (a.is_cell(), b.is_cell()) {
        (true, true) => {
            let length = |x: &Value| match x {
                Value::Tuple(items) => items.len(),
                other => other.dims().iter().product(),
            };
            let shapes = (a.as_array().map(|a| a.dims()), b.as_array().map(|b| b.dims()));
            let same_shape = if let (Some(p), Some(q)) = shapes { shape::same(&p, &q) } else { true };
            let same_item = |k: usize| match (a.cell_item(k), b.cell_item(k)) {
                (Some(x), Some(y)) => equal_nested(&x, &y, depth + 1),
                _ => false,
            };
            same_shape && length(a) == length(b) && (0..length(a)).all(same_item)
        }
        (false, false) => equal_numeric_arrays(a, b),
        _ => false,
    }
}

fn equal_numeric_arrays(a: &Value, b: &Value) -> bool {
    let (Some(a), Some(b)) = (a.as_array(), b.as_array()) else { return false };
    array::read_both(a, b, |x, y| {
        shape::same(x.dims, y.dims)
            && (0..x.data.len()).all(|i| match (x.data.scalar(i), y.data.scalar(i)) {
                (Some(x), Some(y)) => equal_numbers(x, y),
                _ => false,
            })
    })
}

/// The operator `*`: the matrix product where both operands are arrays.
pub fn multiply(a: &Value, b: &Value, working: ElementType) -> Result<Value, ValueError> {
    nested_binary("multiply", a, b, 0, &|a, b| match (a, b) {
        (Value::Array(x), Value::Array(y)) if x.element_type().is_some() && y.element_type().is_some() => {
            matmul::product(a, b)
        }
        _ => apply_named("multiply", &[a.clone(), b.clone()], working),
    })
}

/// The operator `/`.
pub fn divide(a: &Value, b: &Value, working: ElementType) -> Result<Value, ValueError> {
    nested_binary("divide", a, b, 0, &|a, b| {
        if let (Value::Array(x), Value::Array(y)) = (a, b) {
            let (p, q) = (x.dims(), y.dims());
            let vectors = p.len() == 1 && q.len() == 1;
            if !vectors && x.element_type().is_some() && y.element_type().is_some() {
                let text = format!(
                    "'/' cannot divide {} by {} arrays; write './' for elementwise division",
                    shape::dims_text(&p),
                    shape::dims_text(&q)
                );
                return Err(ValueError::new(ErrorKind::Type, text));
            }
        }
        apply_named("divide", &[a.clone(), b.clone()], working)
    })
}

/// The operator `^`: a repeated product for a square matrix.
pub fn power(a: &Value, b: &Value, working: ElementType) -> Result<Value, ValueError> {
    nested_binary("power", a, b, 0, &|a, b| {
        if a.as_array().is_some() || b.as_array().is_some() {
            return matmul::matrix_power(a, b);
        }
        apply_named("power", &[a.clone(), b.clone()], working)
    })
}

type Binary<'a> = &'a dyn Fn(&Value, &Value) -> Result<Value, ValueError>;

fn nested_binary(name: &str, a: &Value, b: &Value, depth: usize, f: Binary<'_>) -> Result<Value, ValueError> {
    if depth > MAX_NESTING {
        return Err(ValueError::nesting());
    }
    if a.is_cell() || b.is_cell() {
        return over_cells(name, &[a.clone(), b.clone()], &mut |items| {
            nested_binary(name, &items[0], &items[1], depth + 1, f)
        });
    }
    f(a, b)
}

/// An operator by its row name, with the rules for matrices where they differ from the elementwise ones.
pub fn operator(symbol: &str, args: &[Value], working: ElementType) -> Result<Value, ValueError> {
    let name = match (symbol, args) {
        ("*", [a, b]) => return multiply(a, b, working),
        ("/", [a, b]) => return divide(a, b, working),
        ("^", [a, b]) => return power(a, b, working),
        ("-", [_]) => "negate",
        ("+", [x]) => return Ok(x.clone()),
        ("!", [_]) => "logical_not",
        ("+", _) => "add",
        ("-", _) => "subtract",
        (".*", _) => "multiply",
        ("./", _) => "divide",
        (".^", _) => "power",
        ("==", _) => "equal",
        ("!=", _) => "not_equal",
        ("<", _) => "less",
        ("<=", _) => "less_equal",
        (">", _) => "greater",
        (">=", _) => "greater_equal",
        ("&&", _) => "logical_and",
        ("||", _) => "logical_or",
        _ => return Err(ValueError::unknown_function(symbol)),
    };
    apply_named(name, args, working)
}
