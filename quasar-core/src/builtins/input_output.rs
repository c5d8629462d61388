//! Console, files and time.

use super::typing::{CallTypes, Known, Mistake, Typing};
use super::{Availability::*, Builtin, Entry, Kind, MANY, row};
use crate::types::Type;

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
    row("imwrite", "Writes an image file.", Host, Kind::Effect("imwrite"), (2, 3), nothing),
    row("imshow", "Displays an image.", Host, Kind::Effect("imshow"), (1, 2), nothing),
    row("csvread", "Reads a table of numbers.", Host, Kind::Library("csvread"), (1, 1), table),
    row("csvwrite", "Writes a table of numbers.", Host, Kind::Effect("csvwrite"), (2, 2), nothing),
    row("load", "Reads saved values.", Host, Kind::Library("load"), (1, 1), load),
    row("save", "Saves values.", Host, Kind::Effect("save"), (2, MANY), nothing),
    row("exists", "Whether a file exists.", Host, Kind::Library("exists"), (1, 1), int),
    row("numgpus", "The number of GPUs.", Host, Kind::Library("numgpus"), (0, 0), int),
];

fn nothing(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, Mistake> {
    Typing::of(call.types(), Vec::new())
}

fn milliseconds(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, Mistake> {
    Typing::one(call, Type::scalar(call.working))
}

fn int(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, Mistake> {
    Typing::one(call, Type::INT)
}

fn table(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, Mistake> {
    call.expect_text(0)?;
    Typing::one(call, Type::numbers(call.working, &[None, None]))
}

fn load(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, Mistake> {
    call.expect_text(0)?;
    Typing::of(call.types(), vec![Type::Dynamic; call.results.max(1)])
}

fn imread(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, Mistake> {
    call.expect_text(0)?;
    let mode = call.args.get(1).and_then(|arg| arg.known.as_ref());
    let sizes: &[Option<u32>] = match mode {
        Some(Known::Text(mode)) if mode == "gray" => &[None, None],
        _ => &[None, None, Some(3)],
    };
    Typing::one(call, Type::numbers(call.working, sizes))
}
