//! Extents, views and rearrangements of arrays.

use super::typing::{CallTypes, Known, Operand, Typing, TypingError};
use super::{Availability::*, Builtin, Entry, Kind, MANY, creation, row};
use crate::types::shape::{self, Sizes};
use crate::types::{ArrayType, ElementType, Type};
use quasar_devicelib::element::Scalar;

pub(super) static TABLE: &[Entry] = &[
    row("size", "The sizes of an array, or one of them.", Everywhere, Kind::Query, (1, 2), size),
    row("numel", "The number of elements.", Everywhere, Kind::Query, (1, 1), numel),
    row("ndims", "The number of dimensions.", Everywhere, Kind::Query, (1, 1), ndims),
    row("isempty", "Whether there is no element.", Everywhere, Kind::Query, (1, 1), isempty),
    row(
        "reshape",
        "The same elements with other sizes.",
        Everywhere,
        Kind::Library("reshape"),
        (2, MANY),
        reshape,
    ),
    row("transpose", "Rows become columns.", Everywhere, Kind::Library("transpose"), (1, 1), transpose),
    row(
        "herm_transpose",
        "Conjugated transpose.",
        Everywhere,
        Kind::Library("herm_transpose"),
        (1, 1),
        transpose,
    ),
    row("shuffledims", "Reorders dimensions.", Everywhere, Kind::Library("shuffledims"), (2, 2), shuffledims),
    row(
        "squeeze",
        "Removes dimensions of extent 1; of a matrix only where its type tells the extent, so that the result has a rank that is known.",
        Everywhere,
        Kind::Library("squeeze"),
        (1, 1),
        squeeze,
    ),
    row("vertcat", "Joins along dimension 0.", Everywhere, Kind::Library("vertcat"), (1, MANY), vertcat),
    row("horzcat", "Joins along dimension 1.", Everywhere, Kind::Library("horzcat"), (1, MANY), horzcat),
    row("cat", "Joins along a dimension.", Everywhere, Kind::Library("cat"), (2, MANY), cat),
    row("circshift", "Shifts periodically.", Host, Kind::Library("circshift"), (2, 2), same),
    row("fliplr", "Reverses the columns.", Host, Kind::Library("fliplr"), (1, 1), same),
    row("flipud", "Reverses the rows.", Host, Kind::Library("flipud"), (1, 1), same),
    row("rot90", "Rotates by 90 degrees.", Host, Kind::Library("rot90"), (1, 2), unsized_matrix),
    row("ind2pos", "The position of a linear index.", Everywhere, Kind::Library("ind2pos"), (2, 2), ind2pos),
    row("pos2ind", "The linear index of a position.", Everywhere, Kind::Library("pos2ind"), (2, 2), pos2ind),
    row("lincell", "Flattens nested cells.", Host, Kind::Library("lincell"), (1, 1), lincell),
    row("fftshift1", "Swaps the halves of a vector.", Host, Kind::Library("fftshift1"), (1, 1), same),
    row("fftshift2", "Swaps the quarters of a matrix.", Host, Kind::Library("fftshift2"), (1, 1), same),
    row("fftshift3", "Swaps the octants of a cube.", Host, Kind::Library("fftshift3"), (1, 1), same),
    row("ifftshift1", "Undoes fftshift1.", Host, Kind::Library("ifftshift1"), (1, 1), same),
    row("ifftshift2", "Undoes fftshift2.", Host, Kind::Library("ifftshift2"), (1, 1), same),
    row("ifftshift3", "Undoes fftshift3.", Host, Kind::Library("ifftshift3"), (1, 1), same),
];

/// The shape of an argument; a number is a vector of length 1.
fn shape_of(call: &CallTypes<'_>, position: usize) -> Result<Option<ArrayType>, TypingError> {
    match call.ty(position) {
        Type::Array(array) => Ok(Some(array.clone())),
        Type::Tuple(parts) => Ok(Some(ArrayType::new(Type::Dynamic, &[Some(parts.len() as u32)]))),
        Type::Dynamic => Ok(None),
        Type::Text => Ok(Some(ArrayType::new(Type::Text, &[None]))),
        ty if ty.is_number() => Ok(Some(ArrayType::new(ty.clone(), &[Some(1)]))),
        ty => Err(TypingError::Argument(position, format!("expected an array, found '{ty}'"))),
    }
}

fn known_int(value: Option<u32>) -> Option<Known> {
    value.and_then(|n| i32::try_from(n).ok()).map(|n| Known::Scalar(Scalar::I32(n)))
}

fn size(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let array = shape_of(call, 0)?.unwrap_or_else(|| ArrayType::any_rank(Type::Dynamic));
    let extent = |axis: i64| -> Option<u32> {
        match array.known_rank() {
            Some(rank) if axis >= rank as i64 => Some(1),
            Some(_) => usize::try_from(axis).ok().and_then(|axis| array.sizes[axis]),
            None => None,
        }
    };
    if call.args.len() == 1 {
        let length = array.known_rank().map(|rank| rank as u32);
        let known =
            length.map(|_| Known::Integers(array.sizes.iter().map(|size| size.map(i64::from)).collect()));
        return Ok(Typing { results: vec![Type::index_vector(length)], args: call.types(), known });
    }
    if call.ty(1).is_number() || *call.ty(1) == Type::Dynamic {
        let args = vec![call.ty(0).clone(), Type::INT];
        let axis = call.integer(1);
        if axis.is_some_and(|axis| axis < 0) {
            return Err(TypingError::Argument(1, "dimensions count from 0".to_owned()));
        }
        let known = axis.and_then(|axis| known_int(extent(axis)));
        return Ok(Typing { results: vec![Type::INT], args, known });
    }
    if !matches!(call.ty(1), Type::Array(axes) if axes.element.is_number() || *axes.element == Type::Dynamic)
    {
        let text = format!("expected the number of a dimension or a vector of them, found '{}'", call.ty(1));
        return Err(TypingError::Argument(1, text));
    }
    let axes = call.integers(1);
    let length = axes.as_ref().map(|axes| axes.len() as u32);
    let known =
        axes.map(|axes| Known::Integers(axes.iter().map(|axis| extent((*axis)?).map(i64::from)).collect()));
    Ok(Typing { results: vec![Type::index_vector(length)], args: call.types(), known })
}

fn numel(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let known = shape_of(call, 0)?.and_then(|array| known_int(array.count()));
    Ok(Typing { results: vec![Type::INT], args: call.types(), known })
}

fn ndims(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let known = shape_of(call, 0)?.and_then(|array| known_int(array.known_rank().map(|rank| rank as u32)));
    Ok(Typing { results: vec![Type::INT], args: call.types(), known })
}

fn isempty(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let empty = shape_of(call, 0)?.and_then(|array| {
        let zero = array.sizes.contains(&Some(0));
        if zero { Some(1) } else { array.count().map(|_| 0) }
    });
    Ok(Typing { results: vec![Type::INT], args: call.types(), known: known_int(empty) })
}

/// The array to rearrange; `None` if its type is dynamic.
fn array(call: &CallTypes<'_>) -> Result<Option<ArrayType>, TypingError> {
    match shape_of(call, 0)? {
        Some(array) if matches!(*array.element, Type::Text) && *call.ty(0) == Type::Text => {
            Err(TypingError::Argument(0, "expected an array, found 'string'".to_owned()))
        }
        other => Ok(other),
    }
}

fn reshape(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let Some(array) = array(call)? else { return Typing::one(call, Type::Dynamic) };
    let operands: Vec<Operand> = call.args[1..].to_vec();
    let inferred = |known: &Option<Known>| match known {
        Some(Known::Integers(values)) => values.iter().position(|v| *v == Some(-1)),
        _ => None,
    };
    let negative = if operands.len() == 1 {
        inferred(&operands[0].known)
    } else {
        operands.iter().position(|arg| matches!(arg.known, Some(Known::Scalar(v)) if v.as_i64() == -1))
    };
    let Some(mut sizes) = creation::dims_of_arguments(&operands)? else {
        return Typing::one(call, Type::Array(ArrayType::any_rank((*array.element).clone())));
    };
    if let Some(position) = negative {
        sizes[position] = None;
        let others: Option<u32> = sizes
            .iter()
            .enumerate()
            .filter(|(k, _)| *k != position)
            .try_fold(1u32, |p, (_, s)| p.checked_mul((*s)?));
        if let (Some(count), Some(others)) = (array.count(), others)
            && others > 0
            && count % others == 0
        {
            sizes[position] = Some(count / others);
        }
    }
    let wanted: Option<u32> = sizes.iter().try_fold(1u32, |product, size| product.checked_mul((*size)?));
    if let (Some(have), Some(wanted)) = (array.count(), wanted)
        && have != wanted
    {
        return Err(TypingError::Call(format!(
            "cannot reshape {have} elements into {}, which has {wanted}",
            shape::spelled(&sizes)
        )));
    }
    if sizes.len() > 16 {
        return Err(TypingError::Call("arrays have at most 16 dimensions".to_owned()));
    }
    Typing::one(call, Type::array((*array.element).clone(), &sizes))
}

fn transpose(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let Some(array) = array(call)? else { return Typing::one(call, Type::Dynamic) };
    if call.ty(0).is_number() {
        return Typing::one(call, call.ty(0).clone());
    }
    match array.sizes.as_slice() {
        [n] => Typing::one(call, Type::array((*array.element).clone(), &[*n, Some(1)])),
        [m, n] => Typing::one(call, Type::array((*array.element).clone(), &[*n, *m])),
        _ => Err(TypingError::Argument(0, format!("expected a vec or mat, found '{}'", call.ty(0)))),
    }
}

fn shuffledims(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let Some(array) = array(call)? else { return Typing::one(call, Type::Dynamic) };
    let Some(order) = call.integers(1) else {
        return Typing::one(call, Type::Array(ArrayType::any_rank((*array.element).clone())));
    };
    let Some(rank) = array.known_rank() else {
        return Typing::one(call, Type::array((*array.element).clone(), &vec![None; order.len()]));
    };
    let raised = shape::raise(&array.sizes, rank.max(order.len()));
    let mut sizes = Sizes::new();
    for axis in &order {
        match axis {
            Some(axis) if !(0..raised.len() as i64).contains(axis) => {
                return Err(TypingError::Argument(1, format!("there is no dimension {axis}")));
            }
            Some(axis) => sizes.push(raised[*axis as usize]),
            None => sizes.push(None),
        }
    }
    Typing::one(call, Type::array((*array.element).clone(), &sizes))
}

fn squeeze(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let Some(array) = array(call)? else { return Typing::one(call, Type::Dynamic) };
    if array.known_rank().is_none() {
        return Typing::one(call, call.ty(0).clone());
    }
    let mut sizes: Sizes = array.sizes.iter().copied().filter(|size| *size != Some(1)).collect();
    if sizes.is_empty() {
        sizes.push(Some(1));
    }
    Typing::one(call, Type::array((*array.element).clone(), &sizes))
}

fn concatenate(call: &CallTypes<'_>, arrays: &[Operand], axis: usize) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    if arrays.iter().any(|array| array.ty.holds_functions()) {
        let text = "not supported yet: joining arrays of functions; store them to elements of a `cell(n)`, or list them in one `{..}`";
        return Err(TypingError::Call(text.to_owned()));
    }
    if axis == 1
        && let Some(row) = row_of(arrays)
    {
        return Typing::one(call, row);
    }
    let parts = CallTypes { args: arrays, results: 1, working: call.working };
    let mut element: Option<Type> = None;
    let mut total: Option<Sizes> = None;
    for position in 0..arrays.len() {
        let Some(array) = shape_of(&parts, position)? else { return Typing::one(call, Type::Dynamic) };
        let Some(rank) = array.known_rank() else {
            return Typing::one(call, Type::Array(ArrayType::any_rank((*array.element).clone())));
        };
        element = Some(match element {
            None => (*array.element).clone(),
            Some(so_far) => crate::types::lattice::join(&so_far, &array.element),
        });
        let sizes = shape::raise(&array.sizes, rank.max(axis + 1).max(if axis == 0 { 1 } else { 2 }));
        total = Some(match total {
            None => sizes,
            Some(so_far) => {
                let rank = so_far.len().max(sizes.len()).max(if so_far.len() != sizes.len() { 2 } else { 1 });
                let (a, b) = (raise_for(axis, &so_far, rank), raise_for(axis, &sizes, rank));
                joined(&a, &b, axis)?
            }
        });
    }
    let sizes = total.unwrap_or_else(|| vec![None]);
    Typing::one(call, Type::array(element.unwrap_or(Type::scalar(call.working)), &sizes))
}

/// Vectors are rows, also if several are stacked.
fn raise_for(axis: usize, sizes: &Sizes, rank: usize) -> Sizes {
    if axis == 0 && sizes.len() == 1 && rank == 1 {
        return sizes.clone();
    }
    shape::raise(sizes, rank)
}

fn joined(a: &Sizes, b: &Sizes, axis: usize) -> Result<Sizes, TypingError> {
    let (a, b) = if a.len() == 1 { (shape::raise(a, 2), shape::raise(b, 2)) } else { (a.clone(), b.clone()) };
    let mut sizes = Sizes::new();
    for (position, (x, y)) in a.iter().zip(&b).enumerate() {
        sizes.push(if position == axis {
            x.zip(*y).map(|(x, y)| x + y)
        } else {
            match shape::same_size(*x, *y) {
                Some(size) => size,
                None => {
                    return Err(TypingError::Call(format!(
                        "Dimensions do not match: {} and {}",
                        shape::spelled(&a),
                        shape::spelled(&b)
                    )));
                }
            }
        });
    }
    Ok(sizes)
}

fn vertcat(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    concatenate(call, call.args, 0)
}

fn horzcat(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    concatenate(call, call.args, 1)
}

/// Concatenating vectors and numbers gives a vector, whichever function does it.
fn row_of(arrays: &[Operand]) -> Option<Type> {
    if !arrays.iter().all(|array| array.ty.is_number() || is_vector(&array.ty)) {
        return None;
    }
    let mut lengths =
        arrays.iter().map(|array| array.ty.as_array().map_or(Some(1), ArrayType::vector_length));
    let total = lengths.try_fold(0u32, |sum, n| sum.checked_add(n?));
    let elements = arrays.iter().map(|array| match array.ty.as_array() {
        Some(array) => (*array.element).clone(),
        None => array.ty.clone(),
    });
    let element = elements.reduce(|a, b| crate::types::lattice::join(&a, &b))?;
    Some(Type::array(element, &[total]))
}

fn is_vector(ty: &Type) -> bool {
    ty.as_array().is_some_and(|array| array.known_rank() == Some(1))
}

fn cat(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    match call.integer(0) {
        Some(axis @ 0..16) => concatenate(call, &call.args[1..], axis as usize),
        _ => Err(TypingError::Argument(
            0,
            "the dimension to join along must be a constant between 0 and 15".to_owned(),
        )),
    }
}

fn same(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    match array(call)? {
        Some(_) => Typing::one(call, call.ty(0).clone()),
        None => Typing::one(call, Type::Dynamic),
    }
}

fn unsized_matrix(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    match array(call)? {
        Some(array) => Typing::one(call, Type::array((*array.element).clone(), &[None, None])),
        None => Typing::one(call, Type::Dynamic),
    }
}

fn ind2pos(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let length = call.ty(0).as_array().and_then(ArrayType::vector_length);
    let args = vec![call.ty(0).with_element(ElementType::Int32), Type::INT];
    Typing::of(args, vec![Type::index_vector(length)])
}

fn pos2ind(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let args = call.args.iter().map(|arg| arg.ty.with_element(ElementType::Int32)).collect();
    Typing::of(args, vec![Type::INT])
}

fn lincell(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let mut element = call.ty(0);
    while let Type::Array(array) = element
        && matches!(*array.element, Type::Array(_))
    {
        element = &array.element;
    }
    let element = match element {
        Type::Array(array) if super::typing::is_cell_like(call.ty(0)) => Type::Array(array.clone()),
        _ => Type::Dynamic,
    };
    Typing::one(call, Type::array(element, &[None]))
}
