//! Reductions of arrays, and their cumulative forms.

use super::typing::{CallTypes, Typing, TypingError, columns_as_vectors, is_cell_like};
use super::{Availability::*, Builtin, Entry, Kind, MANY, row};
use crate::types::shape;
use crate::types::{ArrayType, ElementType, Rank, Type};
use quasar_devicelib::element::promote;

pub(super) static TABLE: &[Entry] = &[
    row("sum", "Sum of the elements.", Everywhere, Kind::Reduction("add"), (1, 2), fold),
    row("prod", "Product of the elements.", Everywhere, Kind::Reduction("multiply"), (1, 2), fold),
    row("min", "The smallest element.", Everywhere, Kind::Reduction("min"), (1, 1), fold),
    row("max", "The largest element.", Everywhere, Kind::Reduction("max"), (1, 1), fold),
    row(
        "mindim",
        "The smallest elements along a dimension.",
        Everywhere,
        Kind::Reduction("min"),
        (2, 2),
        fold,
    ),
    row(
        "maxdim",
        "The largest elements along a dimension.",
        Everywhere,
        Kind::Reduction("max"),
        (2, 2),
        fold,
    ),
    row("mean", "Mean of the elements.", Everywhere, Kind::Library("mean"), (1, 2), fold),
    row("std", "Standard deviation.", Everywhere, Kind::Library("std"), (1, 2), fold),
    row("var", "Variance.", Everywhere, Kind::Library("var"), (1, 2), fold),
    row("any", "Whether some element is not zero.", Everywhere, Kind::Library("any"), (1, 2), fold),
    row("all", "Whether no element is zero.", Everywhere, Kind::Library("all"), (1, 2), fold),
    row("median", "Median of the elements.", Everywhere, Kind::Library("median"), (1, 1), median),
    row("norm", "Norm of an array.", Everywhere, Kind::Library("norm"), (1, 2), norm),
    row("dotprod", "Sum of products.", Everywhere, Kind::Library("dotprod"), (2, 2), dotprod),
    row("cross", "Vector product.", Everywhere, Kind::Library("cross"), (2, 2), cross),
    row(
        "argmin",
        "Linear index of the first smallest element.",
        Everywhere,
        Kind::Library("argmin"),
        (1, 1),
        position,
    ),
    row(
        "argmax",
        "Linear index of the first largest element.",
        Everywhere,
        Kind::Library("argmax"),
        (1, 1),
        position,
    ),
    row(
        "index_of_min",
        "Index of the first smallest element.",
        Everywhere,
        Kind::Library("argmin"),
        (1, 1),
        position,
    ),
    row(
        "index_of_max",
        "Index of the first largest element.",
        Everywhere,
        Kind::Library("argmax"),
        (1, 1),
        position,
    ),
    row("cumsum", "Running sums.", Everywhere, Kind::Library("cumsum"), (1, 2), scan),
    row("cumprod", "Running products.", Everywhere, Kind::Library("cumprod"), (1, 2), scan),
    row("cummin", "Running minima.", Everywhere, Kind::Library("cummin"), (1, 2), scan),
    row("cummax", "Running maxima.", Everywhere, Kind::Library("cummax"), (1, 2), scan),
    row("sort", "Sorted elements, and their old places.", Everywhere, Kind::Library("sort"), (1, 2), sort),
    row("unique", "The different elements, sorted.", Host, Kind::Library("unique"), (1, 1), unsized_vector),
    row("histc", "Counts between edges.", Host, Kind::Library("histc"), (2, 2), counts),
    row("hist", "Counts in bins of equal width.", Host, Kind::Library("hist"), (2, MANY), counts),
    row("find", "Positions of elements that are not zero.", Everywhere, Kind::Library("find"), (1, 1), find),
    row(
        "find",
        "Index of the first equal element, or -1.",
        Everywhere,
        Kind::Library("find_element"),
        (2, 2),
        find_element,
    ),
];

fn fold(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let ty = call.ty(0);
    if is_cell_like(ty) {
        return Typing::one(call, Type::Dynamic);
    }
    if ty.is_number() && call.args.len() == 1 {
        let element = folded_element(builtin.name, ty.element_type().unwrap_or(call.working), call.working)?;
        return Typing::of(vec![ty.clone()], vec![Type::scalar(element)]);
    }
    let array = call.expect_numbers(0)?;
    let element = folded_element(builtin.name, ty.element_type().unwrap_or(call.working), call.working)?;
    let argument = match builtin.kind {
        Kind::Reduction(_) => ty.with_element(element),
        _ => ty.clone(),
    };
    if call.args.len() == 1 {
        if matches!(builtin.name, "min" | "max") && array.count() == Some(0) {
            return Err(TypingError::Argument(0, format!("'{}' of an empty array", builtin.name)));
        }
        return Typing::of(vec![argument], vec![Type::scalar(element)]);
    }
    let Some(axis) = call.integer(1) else {
        return Err(TypingError::Argument(1, "the dimension must be a constant integer".to_owned()));
    };
    let result = along(&array, axis, element)?;
    Typing::of(vec![argument, Type::INT], vec![result])
}

/// The type of a reduction along one dimension, which is dropped as by an index (language reference §9.5).
fn along(array: &ArrayType, axis: i64, element: ElementType) -> Result<Type, TypingError> {
    let Some(rank) = array.known_rank() else {
        return Ok(Type::Array(ArrayType::any_rank(Type::scalar(element))));
    };
    if !(0..16).contains(&axis) {
        return Err(TypingError::Argument(1, format!("there is no dimension {axis}")));
    }
    let axis = axis as usize;
    if axis >= rank {
        return Ok(Type::numbers(element, &array.sizes));
    }
    let extents: Vec<(Option<u32>, bool)> = array
        .sizes
        .iter()
        .enumerate()
        .map(|(k, size)| if k == axis { (Some(1), true) } else { (*size, false) })
        .collect();
    Ok(Type::numbers(element, &shape::drop_indexed(&extents)))
}

fn folded_element(
    name: &str,
    element: ElementType,
    working: ElementType,
) -> Result<ElementType, TypingError> {
    Ok(match name {
        "sum" | "prod" | "cumsum" | "cumprod" => promote(element, element),
        "mean" if element.is_integer() => working,
        "mean" => element,
        "std" | "var" | "median" | "norm" if element.is_integer() => working,
        "std" | "var" | "median" | "norm" => element.real(),
        "any" | "all" => ElementType::Int32,
        _ if element.is_complex() => {
            return Err(TypingError::Argument(0, format!("'{name}' is defined for real numbers only")));
        }
        _ => element,
    })
}

fn median(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if is_cell_like(call.ty(0)) {
        return Typing::one(call, Type::Dynamic);
    }
    let array = call.expect_numbers(0)?;
    let element =
        folded_element(builtin.name, call.ty(0).element_type().unwrap_or(call.working), call.working)?;
    let result = match array.sizes.as_slice() {
        [_] | [Some(1), _] | [_, Some(1)] => Type::scalar(element),
        [Some(_), columns @ Some(_)] => Type::numbers(element, &[*columns]),
        _ => Type::Dynamic,
    };
    Typing::one(call, result)
}

fn norm(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if is_cell_like(call.ty(0)) {
        return Typing::one(call, Type::Dynamic);
    }
    call.expect_numbers(0)?;
    let element =
        folded_element(builtin.name, call.ty(0).element_type().unwrap_or(call.working), call.working)?;
    Typing::one(call, Type::scalar(element))
}

fn dotprod(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    let (a, b) = (call.expect_numbers(0)?, call.expect_numbers(1)?);
    let operands = columns_as_vectors(call.args);
    let fits = match operands.as_slice() {
        [Type::Array(a), Type::Array(b)] => shape::combine(a, b).is_some(),
        _ => shape::combine(&a, &b).is_some(),
    };
    if !fits {
        return Err(TypingError::Call(format!(
            "Dimensions do not match: {} and {}",
            shape::spelled(&a.sizes),
            shape::spelled(&b.sizes)
        )));
    }
    let element = common(call);
    let args = operands.iter().map(|ty| ty.with_element(element)).collect();
    Typing::of(args, vec![Type::scalar(element)])
}

fn common(call: &CallTypes<'_>) -> ElementType {
    let elements: Vec<ElementType> = call.args.iter().filter_map(|arg| arg.ty.element_type()).collect();
    let first = elements.first().copied().unwrap_or(call.working);
    elements.iter().fold(promote(first, first), |a, b| promote(a, *b))
}

fn cross(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    for position in 0..2 {
        let array = call.expect_numbers(position)?;
        if !matches!(array.sizes.as_slice(), [None | Some(3)]) {
            return Err(TypingError::Argument(
                position,
                format!("expected a vec(3), found '{}'", call.ty(position)),
            ));
        }
    }
    let vector = Type::numbers(common(call), &[Some(3)]);
    Typing::of(vec![vector.clone(), vector.clone()], vec![vector])
}

fn position(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if !is_cell_like(call.ty(0)) {
        call.expect_numbers(0)?;
    }
    Typing::one(call, Type::INT)
}

fn scan(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if is_cell_like(call.ty(0)) {
        return Typing::one(call, Type::Dynamic);
    }
    call.expect_numbers(0)?;
    let element =
        folded_element(builtin.name, call.ty(0).element_type().unwrap_or(call.working), call.working)?;
    let ty = call.ty(0).with_element(element);
    let mut args = call.types();
    args[0] = ty.clone();
    Typing::of(args, vec![ty])
}

fn sort(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    match call.ty(0) {
        Type::Dynamic => Typing::of(call.types(), vec![Type::Dynamic, Type::Dynamic]),
        Type::Array(array) if call.ty(0).element_type().is_some() || *array.element == Type::Text => {
            Typing::of(call.types(), vec![call.ty(0).clone(), call.ty(0).with_element(ElementType::Int32)])
        }
        ty => Err(TypingError::Argument(0, format!("expected an array, found '{ty}'"))),
    }
}

fn unsized_vector(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    match call.ty(0) {
        Type::Array(array) => Typing::one(call, Type::array((*array.element).clone(), &[None])),
        _ => Typing::one(call, Type::Dynamic),
    }
}

fn counts(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let length = match builtin.name {
        "hist" => call.integer(1).and_then(|n| u32::try_from(n).ok()),
        _ => None,
    };
    Typing::one(call, Type::index_vector(length))
}

fn find(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let columns = match call.ty(0) {
        Type::Array(array) => match array.rank {
            Rank::Known(rank) => Some(u32::from(rank).max(2)),
            Rank::Any => None,
        },
        _ => None,
    };
    Typing::one(call, Type::numbers(ElementType::Int32, &[None, columns]))
}

fn find_element(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::one(call, Type::INT)
}
