//! Launches, assertions and other functions with a form of their own; typed by the analysis itself.

use super::typing::{CallTypes, Mistake, Typing};
use super::{Availability::*, Builtin, Entry, Intrinsic, Kind, MANY, row};
use crate::types::Type;

pub(super) static TABLE: &[Entry] = &[
    row("parallel_do", "Runs a kernel.", Everywhere, Kind::Intrinsic(Intrinsic::ParallelDo), (2, MANY), own),
    row(
        "serial_do",
        "Runs a kernel in order.",
        Everywhere,
        Kind::Intrinsic(Intrinsic::SerialDo),
        (2, MANY),
        own,
    ),
    row(
        "multi_parallel_do",
        "Runs a kernel on all devices.",
        Everywhere,
        Kind::Intrinsic(Intrinsic::MultiParallelDo),
        (2, MANY),
        own,
    ),
    row(
        "schedule",
        "Runs one of several kernels, as fits the device in use.",
        Host,
        Kind::Intrinsic(Intrinsic::Schedule),
        (2, MANY),
        own,
    ),
    row(
        "assert",
        "Fails when a condition is false.",
        Everywhere,
        Kind::Intrinsic(Intrinsic::Assert),
        (1, MANY),
        nothing,
    ),
    row("unassert", "Forgets a fact.", Everywhere, Kind::Intrinsic(Intrinsic::Unassert), (1, 1), nothing),
    row("error", "Fails with a message.", Everywhere, Kind::Intrinsic(Intrinsic::Error), (0, MANY), nothing),
    row("shared", "Shared memory.", Kernel, Kind::Intrinsic(Intrinsic::Shared), (1, MANY), own),
    row(
        "shared_zeros",
        "Zeroed shared memory.",
        Kernel,
        Kind::Intrinsic(Intrinsic::SharedZeros),
        (1, MANY),
        own,
    ),
    row(
        "memfence",
        "Orders memory accesses.",
        Kernel,
        Kind::Intrinsic(Intrinsic::MemoryFence),
        (0, 1),
        nothing,
    ),
    row("type", "The type of a value.", Everywhere, Kind::Intrinsic(Intrinsic::TypeOf), (1, 2), own),
    row("cast", "Conversion to a type.", Everywhere, Kind::Intrinsic(Intrinsic::Cast), (2, 2), own),
    row(
        "max_block_size",
        "The largest block.",
        Host,
        Kind::Intrinsic(Intrinsic::MaxBlockSize),
        (1, 2),
        block,
    ),
    row("opt_block_size", "The best block.", Host, Kind::Intrinsic(Intrinsic::OptBlockSize), (1, 2), block),
];

fn own(builtin: &Builtin, _: &CallTypes<'_>) -> Result<Typing, Mistake> {
    Err(Mistake::NotSupported(format!("'{}' in this place", builtin.name)))
}

fn nothing(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, Mistake> {
    Typing::of(call.types(), Vec::new())
}

fn block(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, Mistake> {
    let length =
        call.args.iter().rev().find_map(|arg| arg.ty.as_array()).and_then(|array| array.vector_length());
    Typing::one(call, Type::index_vector(length))
}
