//! String functions and queries of value types.

use super::typing::{CallTypes, Known, Typing, TypingError};
use super::{Availability::*, Builtin, Entry, Kind, MANY, row};
use crate::types::{ElementType, Type};
use quasar_devicelib::element::Scalar;

pub(super) static TABLE: &[Entry] = &[
    row("sprintf", "Formatted text.", Host, Kind::Library("sprintf"), (1, MANY), text),
    row("strcat", "Joined texts.", Host, Kind::Library("strcat"), (0, MANY), text),
    row(
        "strjoin",
        "The texts of all elements, with a separator between.",
        Host,
        Kind::Library("strjoin"),
        (1, 2),
        text,
    ),
    row("strtrim", "A text without blanks at its ends.", Host, Kind::Library("strtrim"), (1, 1), text),
    row("startswith", "Whether a text begins with another.", Host, Kind::Library("startswith"), (2, 2), int),
    row("endswith", "Whether a text ends with another.", Host, Kind::Library("endswith"), (2, 2), int),
    row("strlen", "Length of a text.", Host, Kind::Library("strlen"), (1, 1), int),
    row("str2num", "The number a text stands for.", Host, Kind::Library("str2num"), (1, 1), number),
    row("num2str", "A value as text.", Host, Kind::Library("tostring"), (1, 1), text),
    row("tostring", "A value as text.", Host, Kind::Library("tostring"), (1, 1), text),
    row("string", "A value as text.", Host, Kind::Library("tostring"), (1, 1), text),
    row("strfind", "Where a text occurs in another, or -1.", Host, Kind::Library("strfind"), (2, 2), int),
    row("strreplace", "A text with parts replaced.", Host, Kind::Library("strreplace"), (3, 3), text),
    row("strsplit", "The parts between separators.", Host, Kind::Library("strsplit"), (2, 2), texts),
    row("upper", "Upper case.", Host, Kind::Library("upper"), (1, 1), text),
    row("lower", "Lower case.", Host, Kind::Library("lower"), (1, 1), text),
    row("substr", "Part of a text.", Host, Kind::Library("substr"), (2, 3), text),
    row("fromascii", "The codes of a text.", Host, Kind::Library("fromascii"), (1, 1), codes),
    row("toascii", "The text of codes.", Host, Kind::Library("toascii"), (1, 1), text),
    row("fromunicode", "The codes of a text.", Host, Kind::Library("fromunicode"), (1, 1), codes),
    row("tounicode", "The text of codes.", Host, Kind::Library("tounicode"), (1, 1), text),
    row("eval", "The value of the expression in a text.", Host, Kind::Effect("eval"), (1, 1), anything),
    row("hash", "A number that is the same for equal values.", Host, Kind::Library("hash"), (1, 1), int),
    row("isreal", "Whether a value is real.", Everywhere, Kind::Query, (1, 1), question),
    row("iscomplex", "Whether a value is complex.", Everywhere, Kind::Query, (1, 1), question),
    row("isscalar", "Whether a value is a number.", Everywhere, Kind::Query, (1, 1), question),
    row("isvector", "Whether a value is a vec.", Everywhere, Kind::Query, (1, 1), question),
    row("ismatrix", "Whether a value is a vec or mat.", Everywhere, Kind::Query, (1, 1), question),
    row("iscube", "Whether a value is a vec, mat or cube.", Everywhere, Kind::Query, (1, 1), question),
    row("isstring", "Whether a value is a string.", Everywhere, Kind::Query, (1, 1), question),
    row("iscell", "Whether a value is a cell.", Everywhere, Kind::Query, (1, 1), question),
    row("exist", "Whether a name has a meaning here.", Everywhere, Kind::Query, (1, 1), exist),
    row("isfunction", "Whether a value is a function.", Everywhere, Kind::Query, (1, 1), question),
];

fn text(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if matches!(builtin.name, "sprintf" | "upper" | "lower" | "strreplace" | "substr" | "strtrim") {
        call.expect_text(0)?;
    }
    Typing::one(call, Type::Text)
}

fn anything(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::one(call, Type::Dynamic)
}

fn texts(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    Typing::one(call, Type::array(Type::Text, &[None]))
}

fn int(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::one(call, Type::INT)
}

fn number(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    Typing::one(call, Type::scalar(call.working))
}

fn codes(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    Typing::one(call, Type::index_vector(None))
}

/// The answer is added where the call stands.
fn exist(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    match call.args.first().and_then(|arg| arg.known.as_ref()) {
        Some(Known::Text(_)) => Typing::one(call, Type::INT),
        _ => Err(TypingError::NotSupported("'exist' of a name that is known at run time only".to_owned())),
    }
}

fn question(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let ty = call.ty(0);
    let element = ty.element_type();
    let rank = ty.as_array().filter(|_| element.is_some()).and_then(|array| array.known_rank());
    let any_rank = ty.as_array().is_some_and(|array| array.known_rank().is_none());
    let answer = match builtin.name {
        _ if *ty == Type::Dynamic || (any_rank && builtin.name.ends_with(['r', 'x', 'e'])) => None,
        "isreal" => Some(element.is_some_and(|e| !e.is_complex())),
        "iscomplex" => Some(element.is_some_and(ElementType::is_complex)),
        "isscalar" => Some(ty.is_number()),
        "isvector" => Some(rank == Some(1)),
        "ismatrix" => Some(rank.is_some_and(|rank| rank <= 2)),
        "iscube" => Some(rank.is_some_and(|rank| rank <= 3)),
        "isstring" => Some(*ty == Type::Text),
        "iscell" => Some(super::typing::is_cell_like(ty)),
        _ => Some(matches!(ty, Type::Closure(_) | Type::Choice(_) | Type::Function(_))),
    };
    let known = answer.map(|answer| Known::Scalar(Scalar::I32(answer.into())));
    Ok(Typing { results: vec![Type::INT], args: call.types(), known })
}
