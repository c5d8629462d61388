//! Builtins for the console, files and time.

use super::creation::{dims_of_arguments, of_sizes};
use super::typing::{CallTypes, Known, Typing, TypingError};
use super::{Availability::*, Builtin, Entry, Kind, MANY, row};
use crate::types::{ArrayType, ElementType, Type};

pub(super) static TABLE: &[Entry] = &[
    row("print", "Writes values and ends the line.", Host, Kind::Effect("print"), (0, MANY), nothing),
    row(
        "printf",
        "Writes formatted text and ends the line.",
        Host,
        Kind::Effect("printf"),
        (1, MANY),
        nothing,
    ),
    row("fprintf", "Writes formatted text to a file.", Host, Kind::Effect("fprintf"), (2, MANY), nothing),
    row("tic", "Starts the timer.", Host, Kind::Effect("tic"), (0, 0), nothing),
    row("toc", "Milliseconds since tic.", Host, Kind::Effect("toc"), (0, 1), milliseconds),
    row("pause", "Waits some milliseconds.", Host, Kind::Effect("pause"), (1, 1), nothing),
    row("sync", "Waits for all devices.", Host, Kind::Effect("sync"), (0, 0), nothing),
    row("imread", "Reads an image file.", Host, Kind::Library("imread"), (1, 2), imread),
    row("imwrite", "Writes an image file.", Host, Kind::Effect("imwrite"), (2, 4), nothing),
    row(
        "open_array",
        "The array in a folder of chunks.",
        Host,
        Kind::Library("open_array"),
        (1, 1),
        open_array,
    ),
    row(
        "create_array",
        "A new array of zeros in a folder of chunks.",
        Host,
        Kind::Effect("create_array"),
        (2, MANY),
        create_array,
    ),
    row("flush_array", "Writes arrays to their folders.", Host, Kind::Effect("flush_array"), (1, 1), nothing),
    row("csvread", "Reads a table of numbers.", Host, Kind::Library("csvread"), (1, 1), table),
    row("csvwrite", "Writes a table of numbers.", Host, Kind::Effect("csvwrite"), (2, 2), nothing),
    row("load", "Reads saved values.", Host, Kind::Library("load"), (1, MANY), load),
    row("save", "Saves values.", Host, Kind::Effect("save"), (2, MANY), nothing),
    row("fopen", "Opens a file; the number that stands for it.", Host, Kind::Effect("fopen"), (1, 2), opened),
    row("fclose", "Closes a file.", Host, Kind::Effect("fclose"), (1, 1), nothing),
    row("fgets", "The next line of a file.", Host, Kind::Effect("fgets"), (1, 1), line),
    row("feof", "Whether nothing is left to read.", Host, Kind::Effect("feof"), (1, 1), int),
    row("fread", "The next bytes of a file, or all.", Host, Kind::Effect("fread"), (1, 2), bytes),
    row("dir", "The paths that match a pattern.", Host, Kind::Effect("dir"), (1, 1), paths),
    row("exists", "Whether a file exists.", Host, Kind::Library("exists"), (1, 1), int),
    row("device_info", "The devices, a line each.", Host, Kind::Effect("device_info"), (0, 0), line),
    row("gpu_freemem", "MB that a device has free.", Host, Kind::Effect("gpu_freemem"), (0, 0), int),
    row("numgpus", "The number of GPUs.", Host, Kind::Library("numgpus"), (0, 0), int),
];

fn nothing(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::of(call.types(), Vec::new())
}

fn milliseconds(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::one(call, Type::scalar(call.working))
}

fn int(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::one(call, Type::INT)
}

fn table(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    Typing::one(call, Type::numbers(call.working, &[None, None]))
}

fn load(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    Typing::of(call.types(), vec![Type::Dynamic; call.results.max(1)])
}

/// What the array is, its folder says.
fn open_array(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    Typing::one(call, Type::Dynamic)
}

/// `create_array(folder, n, ..[, options])`: sizes, then texts, one of which may be an element type.
fn create_array(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    let args = call.args.get(1..).unwrap_or_default();
    let count = args.iter().take_while(|arg| arg.ty != Type::Text).count();
    let (sizes, options) = args.split_at(count);
    if sizes.is_empty() {
        return Err(TypingError::Argument(1, "expected a size".to_owned()));
    }
    let sizes = dims_of_arguments(sizes).map_err(|error| match error {
        TypingError::Argument(position, message) => TypingError::Argument(position + 1, message),
        other => other,
    })?;
    let mut element = call.working;
    for (k, option) in options.iter().enumerate() {
        let Some(Known::Text(option)) = &option.known else {
            let message = "options must be literals, since the type of the array depends on them".to_owned();
            return Err(TypingError::Argument(1 + count + k, message));
        };
        element = match option.as_str() {
            "single" => ElementType::Single,
            "double" => ElementType::Double,
            name => ElementType::ALL.iter().copied().find(|known| known.name() == name).unwrap_or(element),
        };
    }
    Typing::one(call, of_sizes(Type::scalar(element), sizes))
}

fn opened(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    if call.args.len() > 1 {
        call.expect_text(1)?;
    }
    Typing::one(call, Type::INT)
}

fn line(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::one(call, Type::Text)
}

fn bytes(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::one(call, Type::numbers(ElementType::UInt8, &[None]))
}

fn paths(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    Typing::one(call, Type::array(Type::Text, &[None]))
}

/// The channels of a file (1, 3 or 4) are unknown before it is read; the program's request determines the type.
fn imread(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    call.expect_text(0)?;
    let element = Type::scalar(call.working);
    let array = match call.args.get(1).map(|arg| arg.known.as_ref()) {
        None => ArrayType::new(element, &[None, None, None]),
        Some(Some(Known::Text(mode))) if mode == "gray" => ArrayType::new(element, &[None, None]),
        Some(Some(Known::Text(mode))) if mode == "rgb" => ArrayType::new(element, &[None, None, Some(3)]),
        Some(_) => ArrayType::any_rank(element),
    };
    Typing::one(call, Type::Array(array))
}
