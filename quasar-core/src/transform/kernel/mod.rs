//! Transforms of kernels: what makes rows of positions plain to see, and what the threads of devices share.

mod fold;
mod forward;
mod place;
pub(super) mod results;
mod slices;
mod strip;
mod unroll;

use crate::analysis::phases::waits;
use crate::ir::Program;
use crate::message::Sink;

/// Shapes all kernels for the processor. The program's results stay as they are.
pub fn shape_for_cpu(program: &mut Program) {
    // Where no other pass ran, the kernels' results are not known yet; what there is to say was said otherwise.
    results::settle(program, &mut Sink::default());
    for kernel in program.kernels.ids().collect::<Vec<_>>() {
        let body = &mut program.kernels[kernel].body;
        slices::run(body);
        if waits(&body.block) {
            continue;
        }
        forward::run(body);
        unroll::run(body);
        forward::run(body);
    }
    for function in program.functions.ids().collect::<Vec<_>>() {
        if program.functions[function].device {
            slices::run(&mut program.functions[function].body);
            unroll::run(&mut program.functions[function].body);
        }
    }
}

/// Shapes all kernels for devices with threads of their own. The program's results stay as they are.
pub fn shape_for_devices(program: &mut Program) {
    results::settle(program, &mut Sink::default());
    for kernel in program.kernels.ids().collect::<Vec<_>>() {
        slices::run(&mut program.kernels[kernel].body);
    }
    for function in program.functions.ids().collect::<Vec<_>>() {
        if program.functions[function].device {
            slices::run(&mut program.functions[function].body);
        }
    }
    for kernel in program.kernels.ids().collect::<Vec<_>>() {
        forward::run(&mut program.kernels[kernel].body);
        program.kernels[kernel].strip = strip::strip(program, kernel).map(Box::new);
    }
}
