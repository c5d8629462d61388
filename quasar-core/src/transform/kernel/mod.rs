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
use crate::parallel;

/// Shapes all kernels as every target wants them. The program's results stay as they are.
pub fn shape(program: &mut Program) {
    // Where no other pass ran, the kernels' results are not known yet; what there is to say was said otherwise.
    results::settle(program, &mut Sink::default());
    for kernel in program.kernels.ids().collect::<Vec<_>>() {
        let body = &mut program.kernels[kernel].body;
        slices::run(body);
        forward::run(body);
    }
    for function in program.functions.ids().collect::<Vec<_>>() {
        if program.functions[function].device {
            slices::run(&mut program.functions[function].body);
        }
    }
}

/// Shapes kernels that [`shape`] has shaped for the processor.
pub fn shape_for_cpu(program: &mut Program) {
    for kernel in program.kernels.ids().collect::<Vec<_>>() {
        let body = &mut program.kernels[kernel].body;
        if !waits(&body.block) && unroll::run(body) {
            forward::run(body);
        }
    }
    for function in program.functions.ids().collect::<Vec<_>>() {
        if program.functions[function].device {
            unroll::run(&mut program.functions[function].body);
        }
    }
}

/// Shapes kernels that [`shape`] has shaped for devices with threads of their own. `processor` is the same program shaped
/// for the processor, where loops over windows are written out.
pub fn shape_for_devices(program: &mut Program, processor: &Program) {
    let kernels: Vec<_> = program.kernels.ids().collect();
    let strips =
        parallel::map(&kernels, |kernel| strip::strip(program, kernel, &processor.kernels[kernel].body));
    for (kernel, strip) in kernels.into_iter().zip(strips) {
        program.kernels[kernel].strip = strip.map(Box::new);
    }
}

/// A program as its kernels are for devices.
pub fn shaped_for_devices(program: &Program) -> Program {
    let mut devices = program.clone();
    shape(&mut devices);
    let mut processor = devices.clone();
    shape_for_cpu(&mut processor);
    shape_for_devices(&mut devices, &processor);
    devices
}
