//! Kernel passes: scalarisation of array expressions, constant folding and copy propagation, loop unrolling, register
//! tiling, and shared-memory caching. The lists below say which passes run for every target, for CPUs and for devices.

pub(super) mod bounds;
pub(super) mod branches;
pub(super) mod caching;
mod cells;
mod fold;
mod forward;
mod heap;
pub(super) mod memory;
pub(super) mod nested;
mod place;
pub(super) mod results;
mod slices;
mod small;
mod strip;
pub mod thread_memory;
pub(super) mod tiling;
pub mod together;
pub(super) mod transfers;
mod unroll;
pub(super) mod vectors;

pub(super) use fold::{block as fold_block, expr as fold_expr};
pub(super) use unroll::{drop_definitions, drop_unread_constants, expand_loops, rounds, unrolled};

use crate::analysis::phases::waits;
use crate::ir::{Body, Program};
use crate::message::Sink;
use crate::parallel;

/// Runs the passes that every target needs. They preserve the program's results.
pub fn shape(program: &mut Program) {
    cells::run(program);
    // Needed only if the optimisation pipeline did not run; if it did, it has reported the messages.
    results::settle(program, &mut Sink::default());
    let bodies = program.kernels.iter_mut().map(|(_, kernel)| &mut kernel.body).collect();
    parallel::map(bodies, |body| {
        slices::run(body);
        small::run(body);
        heap::run(body);
        forward::run(body);
    });
    device_functions(program).for_each(|body| {
        slices::run(body);
        small::run(body);
        heap::run(body);
    });
}

/// Runs the CPU passes on kernels that [`shape`] has prepared.
pub fn shape_for_cpu(program: &mut Program) {
    let bodies = program.kernels.iter_mut().map(|(_, kernel)| &mut kernel.body).collect();
    parallel::map(bodies, |body| {
        if !waits(&body.block) && unroll::run(body) {
            forward::run(body);
        }
    });
    device_functions(program).for_each(|body| {
        unroll::run(body);
    });
}

fn device_functions(program: &mut Program) -> impl Iterator<Item = &mut Body> {
    program
        .functions
        .iter_mut()
        .filter(|(_, function)| function.device)
        .map(|(_, function)| &mut function.body)
}

/// Adds register tiling for devices to kernels that [`shape`] has prepared. `processor` is the same program prepared
/// for the CPU, where loops over stencil windows are unrolled.
pub fn shape_for_devices(program: &mut Program, processor: &Program) {
    let strip = |kernel| strip::strip(program, kernel, &processor.kernels[kernel].body);
    let strips = parallel::map(program.kernels.ids().collect(), strip);
    for ((_, kernel), strip) in program.kernels.iter_mut().zip(strips) {
        kernel.strip = strip.map(Box::new);
    }
}

/// The program with its kernels prepared for devices.
pub fn shaped_for_devices(program: &Program) -> Program {
    let mut devices = program.clone();
    shape(&mut devices);
    let mut processor = devices.clone();
    shape_for_cpu(&mut processor);
    shape_for_devices(&mut devices, &processor);
    devices
}
