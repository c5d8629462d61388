//! Launches, assertions and other builtins with dedicated IR forms; inference itself types most of them.

use super::typing::{CallTypes, Typing, TypingError};
use super::{Availability::*, Builtin, Entry, Intrinsic, Kind, MANY, row};
use crate::types::{ElementType, Type};

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

fn own(builtin: &Builtin, _: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Err(TypingError::NotSupported(format!("'{}' in this place", builtin.name)))
}

fn nothing(_: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    Typing::of(call.types(), Vec::new())
}

/// `max_block_size(kernel, extents)` with either or both, `opt_block_size(kernel)` and with extents.
fn block(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let name = builtin.name;
    let is_function = |ty: &Type| matches!(ty, Type::Closure(_) | Type::Choice(_));
    let wrong = |position: usize, what: String| Err(TypingError::Argument(position, what));
    let dims = match (call.args, builtin.kind) {
        ([only], _) if is_function(&only.ty) => None,
        ([_], Kind::Intrinsic(Intrinsic::MaxBlockSize)) => Some(0),
        ([kernel, _], _) if is_function(&kernel.ty) => Some(1),
        _ => {
            let extents = match (call.args.len(), builtin.kind) {
                (1, Kind::Intrinsic(Intrinsic::OptBlockSize)) => "; write opt_block_size(kernel, dims)",
                _ => "",
            };
            let found = call.ty(0);
            let text =
                format!("the first argument of '{name}' must be a kernel function, found '{found}'{extents}");
            return wrong(0, text);
        }
    };
    let mut types = call.types();
    let mut length = None;
    if let Some(position) = dims {
        let real = |ty: &Type| ty.element_type().is_some_and(|element| !element.is_complex());
        types[position] = match call.ty(position) {
            Type::Dynamic => Type::Dynamic,
            ty if ty.is_number() && real(ty) => Type::INT,
            ty @ Type::Array(array) if real(ty) && matches!(array.known_rank(), None | Some(1)) => {
                length = array.vector_length();
                ty.with_element(ElementType::Int32)
            }
            found => {
                let either = if call.args.len() == 1 { "a kernel function, " } else { "" };
                let text =
                    format!("'{name}' takes {either}a number or a vec of extents here, found '{found}'");
                return wrong(position, text);
            }
        };
        length = length.or((types[position] == Type::INT).then_some(1));
    }
    // The extents of a launch have the rank of the kernel's position.
    let length = if matches!(builtin.kind, Kind::Intrinsic(Intrinsic::OptBlockSize)) { None } else { length };
    Typing::of(types, vec![Type::index_vector(length)])
}
