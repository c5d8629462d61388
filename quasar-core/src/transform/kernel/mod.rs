//! Kernel passes: scalarisation of array expressions, constant folding and copy propagation, loop unrolling, register
//! tiling, and shared-memory caching. The lists below say which passes run for every target, for CPUs and for devices.

mod arg_extremum_blocking;
pub mod collectives;
mod constant_folding;
pub(super) mod copy_propagation;
pub(super) mod flatten_ragged;
pub(super) mod if_conversion;
pub(super) mod infer_transfers;
pub(super) mod launch_bounds;
mod loop_variables;
pub(super) mod memory;
pub(super) mod nested;
mod pivots;
pub(super) mod private_arrays;
pub(super) mod recognize_reductions;
pub(super) mod register_tiling;
pub(super) mod report_vectorization;
pub(super) mod shared_caching;
mod skip_divisions;
mod slices;
mod small;
mod speculate_powers;
mod split_complex;
mod thread_arrays;
pub mod thread_memory;
mod thread_sorts;
pub(super) mod tiling;
pub(super) mod unroll_short_loops;
mod whole_quotients;

pub(super) use constant_folding::{block as fold_block, expr as fold_expr};
pub(super) use unroll_short_loops::{
    drop_definitions, drop_unread_constants, expand_loops, rounds, unrolled,
};

use crate::ir::barriers::waits;
use crate::ir::{Body, Program};
use crate::message::Sink;
use crate::parallel;
use crate::transform::{Stage, pipeline};

/// Loops that use one variable get one each.
pub(super) fn split_loop_variables(program: &mut Program) {
    on_kernels(program, loop_variables::run);
    device_functions(program).for_each(loop_variables::run);
}

/// Functions that divide by pivots fail where one is zero.
pub(super) fn check_pivots(program: &mut Program) {
    on_kernels(program, pivots::run);
    device_functions(program).for_each(pivots::run);
}

/// Loads and stores of slices of small arrays become those of elements.
pub(super) fn scalarize_slices(program: &mut Program) {
    on_kernels(program, slices::run);
    device_functions(program).for_each(slices::run);
}

/// Library functions of small arrays become code.
pub(super) fn scalarize_builtins(program: &mut Program) {
    on_kernels(program, small::run);
    device_functions(program).for_each(small::run);
}

/// Slices and functions of small arrays in a body become numbers, as in kernels.
pub(super) fn scalarize(body: &mut Body) {
    slices::run(body);
    small::run(body);
}

/// Slices and functions of arrays of unknown size in a body become loops over elements, as in kernels.
pub(super) fn write_out_rows(body: &mut Body) {
    thread_arrays::run(body);
}

/// Library functions of arrays that threads make become loops.
pub(super) fn thread_arrays(program: &mut Program) {
    on_kernels(program, thread_arrays::run);
    device_functions(program).for_each(thread_arrays::run);
}

/// Sorts of arrays that threads make become loops.
pub(super) fn thread_sorts(program: &mut Program) {
    on_kernels(program, thread_sorts::run);
    device_functions(program).for_each(thread_sorts::run);
}

/// Recomputes cheap indices where they are used.
pub(super) fn copy_propagation(program: &mut Program) {
    on_kernels(program, copy_propagation::run);
}

/// Unrolls short loops of constant bounds, and propagates what becomes constant.
pub(super) fn unroll_short_loops(program: &mut Program) {
    on_kernels(program, unroll_kernel);
    device_functions(program).for_each(|body| {
        unroll_short_loops::run(body);
    });
}

fn unroll_kernel(body: &mut Body) {
    if !waits(&body.block) && unroll_short_loops::run(body) {
        copy_propagation::run(body);
    }
}

/// Makes two variables of complex ones that loops change.
pub(super) fn split_complex(program: &mut Program) {
    let kernels = program.kernels.iter_mut().map(|(_, kernel)| kernel).collect();
    parallel::map(kernels, split_complex::run);
}

/// Makes variables of the elements of small private arrays.
pub(super) fn scalarize_private_arrays(program: &mut Program) {
    let kernels = program.kernels.iter_mut().map(|(_, kernel)| kernel).collect();
    parallel::map(kernels, private_arrays::run);
}

/// Powers of branches and choices are computed in front of them.
pub(super) fn speculate_powers(program: &mut Program) {
    let kernels = program.kernels.iter_mut().map(|(_, kernel)| kernel).collect();
    parallel::map(kernels, speculate_powers::run);
}

/// Remainders of numbers that are near are found without a division.
pub(super) fn skip_divisions(program: &mut Program) {
    let kernels = program.kernels.iter_mut().map(|(_, kernel)| kernel).collect();
    parallel::map(kernels, skip_divisions::run);
}

/// `int(a/b)` of integers in `while` loops becomes a quotient of integers.
pub(super) fn whole_quotients(program: &mut Program) {
    program.kernels.iter_mut().for_each(|(_, kernel)| whole_quotients::run(kernel));
}

/// Changes the kernels, several at once.
fn on_kernels(program: &mut Program, change: impl Fn(&mut Body) + Sync) {
    let bodies = program.kernels.iter_mut().map(|(_, kernel)| &mut kernel.body).collect();
    parallel::map(bodies, change);
}

fn device_functions(program: &mut Program) -> impl Iterator<Item = &mut Body> {
    program
        .functions
        .iter_mut()
        .filter(|(_, function)| function.device)
        .map(|(_, function)| &mut function.body)
}

/// A program as its kernels are for devices.
///
/// # Panics
///
/// Where a pass makes an invalid program, which is a mistake of the compiler.
pub fn shaped_for_devices(program: &Program) -> Program {
    let (mut devices, mut sink) = (program.clone(), Sink::default());
    pipeline::shape(&mut devices, &[Stage::Kernel, Stage::Device], &mut sink);
    assert!(!sink.has_errors(), "{:?}", sink.into_sorted());
    devices
}
