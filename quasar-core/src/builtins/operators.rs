//! Operators on operands other than plain numbers: matrix products, strings, dynamic values.

use super::typing::{CallTypes, Known, Typing, TypingError, elementwise_row, is_cell_like};
use super::{Availability, Builtin, Kind};
use crate::types::shape;
use crate::types::{ArrayType, Type};
use quasar_devicelib::element::promote;

const fn special(name: &'static str, doc: &'static str, availability: Availability) -> Builtin {
    Builtin { name, doc, availability, kind: Kind::Library(name) }
}

static MATRIX_PRODUCT: Builtin = special("matmul", "Matrix product.", Availability::Everywhere);
static MATRIX_POWER: Builtin = special("matpow", "Repeated matrix product.", Availability::Everywhere);
static CONCATENATE: Builtin = special("strcat", "Joined texts.", Availability::Host);
static SAME: Builtin = special("equal", "Whether two values are equal.", Availability::Host);
static DIFFERENT: Builtin = special("not_equal", "Whether two values differ.", Availability::Host);
static DYNAMIC_MULTIPLY: Builtin = special("multiply_values", "The operator *.", Availability::Host);
static DYNAMIC_DIVIDE: Builtin = special("divide_values", "The operator /.", Availability::Host);
static DYNAMIC_POWER: Builtin = special("power_values", "The operator ^.", Availability::Host);

macro_rules! on_cells {
    ($($name:literal)*) => {
        /// Elementwise operators on cells and dynamic values.
        static ON_CELLS: &[Builtin] = &[$(Builtin {
            name: $name,
            doc: "An operator on cells.",
            availability: Availability::Host,
            kind: Kind::Elementwise($name),
        }),*];
    };
}
on_cells!("add" "subtract" "multiply" "divide" "power" "equal" "not_equal" "less" "less_equal" "greater"
          "greater_equal" "logical_and" "logical_or" "logical_not" "negate");

fn on_cells(row: &str) -> Option<&'static Builtin> {
    ON_CELLS.iter().find(|builtin| builtin.name == row)
}

/// Types an operator, given its spelling, its scalar row and whether it is dotted. Returns the builtin if it is not
/// just the elementwise operation.
pub fn operator(
    spelling: &str,
    row: &'static str,
    call: &CallTypes<'_>,
) -> Result<(Typing, Option<&'static Builtin>), TypingError> {
    let (left, right) = (call.ty(0), call.ty(1));
    if call.args.len() == 2 {
        if *left == Type::Text || *right == Type::Text {
            return texts(spelling, row, call);
        }
        if matches!(row, "equal" | "not_equal")
            && let Some(answer) = comparison(row, call)
        {
            return answer;
        }
        if let (Type::Array(a), Type::Array(b)) = (left, right)
            && !is_cell_like(left)
            && !is_cell_like(right)
        {
            match spelling {
                "*" => return matrix_product(call, a, b),
                "/" if a.known_rank() != Some(1) || b.known_rank() != Some(1) => {
                    return Err(TypingError::Call(format!(
                        "'/' divides arrays by numbers only, found '{left}' and '{right}'; use './' to divide element by element"
                    )));
                }
                "^" => return Err(power_mistake(left, right)),
                _ => {}
            }
        }
        if spelling == "^"
            && matches!(left, Type::Array(_)) != matches!(right, Type::Array(_))
            && !call.dynamic()
        {
            return matrix_power(call);
        }
    }
    if call.args.iter().any(|arg| is_cell_like(&arg.ty)) {
        let builtin = match spelling {
            "*" => Some(&DYNAMIC_MULTIPLY),
            "/" => Some(&DYNAMIC_DIVIDE),
            "^" => Some(&DYNAMIC_POWER),
            _ => on_cells(row),
        };
        let mut typing = elementwise_row(spelling, row, call)?;
        if matches!(spelling, "*" | "/" | "^") && call.dynamic() {
            typing.results = vec![Type::Dynamic];
        }
        typing.args = call.types();
        return Ok((typing, builtin));
    }
    Ok((elementwise_row(spelling, row, call)?, None))
}

fn texts(
    spelling: &str,
    row: &str,
    call: &CallTypes<'_>,
) -> Result<(Typing, Option<&'static Builtin>), TypingError> {
    match row {
        "add" => Ok((Typing::one(call, Type::Text)?, Some(&CONCATENATE))),
        "equal" => Ok((Typing::one(call, Type::INT)?, Some(&SAME))),
        "not_equal" => Ok((Typing::one(call, Type::INT)?, Some(&DIFFERENT))),
        _ => Err(TypingError::Call(format!(
            "'{spelling}' is not defined for '{}' and '{}'; strings have '+', '==' and '!='",
            call.ty(0),
            call.ty(1)
        ))),
    }
}

type Answer = Result<(Typing, Option<&'static Builtin>), TypingError>;

/// Comparison of non-numeric values, and of arrays of different shape.
fn comparison(row: &str, call: &CallTypes<'_>) -> Option<Answer> {
    let builtin = if row == "equal" { &SAME } else { &DIFFERENT };
    match (call.ty(0), call.ty(1)) {
        (Type::Array(a), Type::Array(b)) if !is_cell_like(call.ty(0)) && !is_cell_like(call.ty(1)) => {
            if shape::combine(a, b).is_some() {
                return None;
            }
            let value = quasar_devicelib::element::Scalar::I32((row == "not_equal").into());
            let known = Some(Known::Scalar(value));
            Some(Ok((Typing { results: vec![Type::INT], args: call.types(), known }, Some(builtin))))
        }
        (a, b) if is_plain(a) && is_plain(b) => None,
        (Type::Closure(_) | Type::Null, Type::Closure(_)) | (Type::Closure(_), Type::Null) => {
            Some(functions(row, call))
        }
        _ => Some(Typing::one(call, Type::INT).map(|typing| (typing, Some(builtin)))),
    }
}

/// Functions are equal if they have the same definition and no captures.
fn functions(row: &str, call: &CallTypes<'_>) -> Answer {
    let same = match (call.ty(0), call.ty(1)) {
        (Type::Closure(a), Type::Closure(b)) if a.definition != b.definition => false,
        (Type::Closure(a), Type::Closure(b)) if !a.captures.is_empty() || !b.captures.is_empty() => {
            return Err(TypingError::NotSupported("comparing functions that captured variables".to_owned()));
        }
        (a, b) => a == b,
    };
    let value = quasar_devicelib::element::Scalar::I32((same == (row == "equal")).into());
    let builtin = if row == "equal" { &SAME } else { &DIFFERENT };
    let known = Some(Known::Scalar(value));
    Ok((Typing { results: vec![Type::INT], args: call.types(), known }, Some(builtin)))
}

fn is_plain(ty: &Type) -> bool {
    ty.element_type().is_some() || is_cell_like(ty)
}

fn power_mistake(left: &Type, right: &Type) -> TypingError {
    TypingError::Call(format!(
        "'^' is defined for square matrices with a non-negative integer exponent, found '{left}' and '{right}'; use '.^' for element by element"
    ))
}

fn matrix_power(call: &CallTypes<'_>) -> Answer {
    let (left, right) = (call.ty(0), call.ty(1));
    let square = match left {
        Type::Array(array) => match array.sizes.as_slice() {
            [a, b] => shape::same_size(*a, *b).is_some(),
            _ => false,
        },
        _ => false,
    };
    if !square || !right.is_integer() || call.integer(1).is_some_and(|n| n < 0) {
        return Err(power_mistake(left, right));
    }
    Ok((Typing::one(call, left.clone())?, Some(&MATRIX_POWER)))
}

/// `*` of two arrays (language reference §3.2).
fn matrix_product(call: &CallTypes<'_>, a: &ArrayType, b: &ArrayType) -> Answer {
    let (left, right) = (call.ty(0), call.ty(1));
    let mismatch = || {
        TypingError::Call(format!(
            "Matrix dimensions ({} and {}) do not match for multiplication!",
            shape::spelled(&a.sizes),
            shape::spelled(&b.sizes)
        ))
    };
    let (Some(x), Some(y)) = (left.element_type(), right.element_type()) else {
        return Err(TypingError::Call(format!("'*' is not defined for '{left}' and '{right}'")));
    };
    let fits = |p: Option<u32>, q: Option<u32>| shape::same_size(p, q).is_some();
    let sizes: Vec<Option<u32>> = match (a.sizes.as_slice(), b.sizes.as_slice()) {
        ([_], [_]) => {
            return Err(TypingError::Call(format!(
                "'*' of two vectors ('{left}' and '{right}'); use '.*' for element by element or dotprod(..) for the inner product"
            )));
        }
        // A column times a vec is an outer product.
        ([m, Some(1)], [n]) => vec![*m, *n],
        ([m, k], [n]) if fits(*k, *n) => vec![*m],
        ([m], [k, n]) if fits(*m, *k) => vec![*n],
        ([m, k], [l, n]) if fits(*k, *l) => vec![*m, *n],
        ([_, _], [_]) | ([_], [_, _]) | ([_, _], [_, _]) => return Err(mismatch()),
        ([], _) | (_, []) => {
            let element = Type::scalar(promote(x, y));
            return Ok((
                Typing::one(call, Type::Array(ArrayType::any_rank(element)))?,
                Some(&MATRIX_PRODUCT),
            ));
        }
        _ => {
            return Err(TypingError::Call(format!(
                "'*' is not defined for '{left}' and '{right}'; use '.*'"
            )));
        }
    };
    let element = promote(x, y);
    let args = vec![left.with_element(element), right.with_element(element)];
    Ok((Typing::of(args, vec![Type::numbers(element, &sizes)])?, Some(&MATRIX_PRODUCT)))
}
