//! Functions that create arrays.

use super::typing::{CallTypes, Known, Operand, Typing, TypingError};
use super::{Availability::*, Builtin, Entry, Kind, MANY, row};
use crate::types::shape::Sizes;
use crate::types::{ArrayType, ElementType, Type};

pub(super) static TABLE: &[Entry] = &[
    row("eye", "Identity matrix.", Everywhere, Kind::Library("eye"), (1, 2), eye),
    row("copy", "A copy that shares nothing.", Everywhere, Kind::Library("copy"), (1, 1), same),
    row("repmat", "Repeats an array.", Everywhere, Kind::Library("repmat"), (2, 2), repmat),
    row(
        "linspace",
        "Evenly spaced numbers, both ends included.",
        Everywhere,
        Kind::Library("linspace"),
        (3, 3),
        linspace,
    ),
    row("logspace", "Logarithmically spaced numbers.", Host, Kind::Library("logspace"), (3, 3), linspace),
    row("seq", "The sequence a..b or a..s..b.", Everywhere, Kind::Library("seq"), (2, 3), sequence),
    row("ndgrid", "Coordinates of a grid.", Host, Kind::Library("ndgrid"), (2, 2), ndgrid),
    row("rand", "Uniform random numbers in [0,1).", Host, Kind::Effect("rand"), (0, MANY), random),
    row("randn", "Normal random numbers.", Host, Kind::Effect("randn"), (0, MANY), random),
    row("randi", "Random integers below n.", Host, Kind::Effect("randi"), (1, MANY), random_integers),
    row("seed", "Restarts the random numbers.", Host, Kind::Effect("seed"), (1, 1), nothing),
    row("cell", "An empty cell array.", Host, Kind::Library("cell"), (1, MANY), cell),
    row(
        "object",
        "An object without fields, which get added.",
        Host,
        Kind::Library("object"),
        (0, 0),
        dynamic,
    ),
];

/// The extents of `zeros(..)` and similar functions, from separate numbers or a size vector; `None` if the rank is
/// unknown.
pub fn created_sizes(args: &[Operand]) -> Result<Option<Sizes>, TypingError> {
    let numbers = dims_of_arguments(args)?;
    let Some(mut dims) = numbers else { return Ok(None) };
    let vector = args.len() == 1 && matches!(args[0].ty, Type::Array(_));
    let constant_vector = vector && dims.iter().all(Option::is_some);
    if !vector || constant_vector {
        while dims.len() > 2 && dims.last() == Some(&Some(1)) {
            dims.pop();
        }
    }
    if constant_vector {
        while dims.len() > 1 && dims.first() == Some(&Some(1)) {
            dims.remove(0);
        }
    }
    Ok(Some(dims))
}

/// The extents given by arguments, without normalisation.
pub fn dims_of_arguments(args: &[Operand]) -> Result<Option<Sizes>, TypingError> {
    let size = |value: i64| u32::try_from(value.max(0)).ok();
    if let [Operand { ty: Type::Array(array), known }] = args {
        let real = args[0].ty.element_type().is_some_and(|e| !e.is_complex());
        if !real || array.known_rank().is_some_and(|rank| rank != 1) {
            return Err(TypingError::Argument(0, format!("expected sizes, found '{}'", args[0].ty)));
        }
        return Ok(match known {
            Some(Known::Integers(values)) => Some(values.iter().map(|v| v.and_then(size)).collect()),
            _ => array.vector_length().filter(|n| *n <= 16).map(|n| vec![None; n as usize]),
        });
    }
    let mut sizes = Sizes::new();
    for (position, arg) in args.iter().enumerate() {
        match (&arg.ty, &arg.known) {
            (ty, Some(Known::Scalar(value))) if ty.is_number() => sizes.push(size(value.as_i64())),
            (ty, _) if ty.is_number() => sizes.push(None),
            // The length of a literal is known.
            (Type::Dynamic, Some(Known::Integers(sizes))) if args.len() == 1 && sizes.len() <= 16 => {
                return Ok(Some(vec![None; sizes.len()]));
            }
            (Type::Dynamic, _) if args.len() == 1 => return Ok(None),
            (Type::Dynamic, _) => sizes.push(None),
            (ty, _) => return Err(TypingError::Argument(position, format!("expected a size, found '{ty}'"))),
        }
    }
    Ok(Some(sizes))
}

pub(super) fn of_sizes(element: Type, sizes: Option<Sizes>) -> Type {
    match sizes {
        Some(sizes) if sizes.is_empty() => element,
        Some(sizes) if sizes.len() <= 16 => Type::array(element, &sizes),
        _ => Type::Array(ArrayType::any_rank(element)),
    }
}

fn eye(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let mut sizes = dims_of_arguments(call.args)?.unwrap_or_else(|| vec![None, None]);
    if sizes.len() == 1 {
        sizes.push(sizes[0]);
    }
    sizes.truncate(2);
    let args = call.args.iter().map(|arg| arg.ty.with_element(ElementType::Int32)).collect();
    Typing::of(args, vec![Type::numbers(call.working, &sizes)])
}

fn same(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::one(call, call.ty(0).clone())
}

fn repmat(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    let array = match call.ty(0) {
        Type::Array(array) => array.clone(),
        ty if ty.is_number() => ArrayType::new(ty.clone(), &[Some(1)]),
        ty => return Err(TypingError::Argument(0, format!("expected an array, found '{ty}'"))),
    };
    let reps = match call.ty(1) {
        ty if ty.is_number() => Some(vec![call.integer(1), call.integer(1)]),
        _ => call.integers(1),
    };
    let (Some(rank), Some(reps)) = (array.known_rank(), reps) else {
        return Typing::one(call, Type::Array(ArrayType::any_rank((*array.element).clone())));
    };
    let rank = rank.max(2).max(reps.len());
    let sizes: Sizes = crate::types::shape::raise(&array.sizes, rank)
        .into_iter()
        .enumerate()
        .map(|(axis, size)| {
            let times = reps.get(axis).copied().unwrap_or(Some(1))?;
            size?.checked_mul(u32::try_from(times).ok()?)
        })
        .collect();
    Typing::one(call, Type::array((*array.element).clone(), &sizes))
}

fn linspace(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    for position in 0..3 {
        call.expect_number(position, "every argument")?;
    }
    let length = call.integer(2).and_then(|n| u32::try_from(n).ok());
    let element = [0, 1]
        .iter()
        .filter_map(|&k| call.ty(k).element_type())
        .filter(|element| !element.is_integer())
        .fold(call.working, quasar_devicelib::element::promote);
    let args = vec![Type::scalar(element), Type::scalar(element), Type::INT];
    Typing::of(args, vec![Type::numbers(element, &[length])])
}

fn sequence(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    let mut element = ElementType::Int32;
    for (position, arg) in call.args.iter().enumerate() {
        call.expect_number(position, "every argument")?;
        element = quasar_devicelib::element::promote(element, arg.ty.element_type().unwrap_or(element));
    }
    let step = if call.args.len() == 3 { call.number(2) } else { Some(1.0) };
    let length = match (call.number(0), step, call.number(1)) {
        (Some(from), Some(step), Some(to)) => sequence_length(from, step, to, element.is_integer()),
        _ => None,
    };
    let args = vec![Type::scalar(element); call.args.len()];
    Typing::of(args, vec![Type::numbers(element, &[length])])
}

/// The number of elements of `from..step..to` (language reference §3.4).
pub(crate) fn sequence_length(from: f64, step: f64, to: f64, integral: bool) -> Option<u32> {
    if step == 0.0 {
        return None;
    }
    let tolerance = if integral { 0.0 } else { 1e-6 };
    let count = ((to - from) / step + tolerance).floor() + 1.0;
    (count < f64::from(u32::MAX)).then_some(count.max(0.0) as u32)
}

fn ndgrid(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let sizes = [vector_length(call, 0), vector_length(call, 1)];
    let grids = [0, 1].map(|k| Type::numbers(call.ty(k).element_type().unwrap_or(call.working), &sizes));
    Typing::of(call.types(), grids.to_vec())
}

fn vector_length(call: &CallTypes<'_>, position: usize) -> Option<u32> {
    call.ty(position).as_array().and_then(ArrayType::vector_length)
}

fn random(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let sizes = created_sizes(call.args)?;
    Typing::one(call, of_sizes(Type::scalar(call.working), sizes))
}

fn random_integers(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_number(0, "the bound")?;
    let sizes = created_sizes(&call.args[1..])?;
    Typing::one(call, of_sizes(Type::INT, sizes))
}

fn nothing(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::of(call.types(), Vec::new())
}

fn dynamic(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::one(call, Type::Dynamic)
}

fn cell(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let sizes = dims_of_arguments(call.args)?.map(|sizes| vec![None; sizes.len()]);
    Typing::one(call, of_sizes(Type::Dynamic, sizes))
}
