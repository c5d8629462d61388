//! Transforms of kernels for the processor: what makes rows of positions plain to see.

mod fold;
mod forward;
mod unroll;

use crate::ir::Program;

/// Shapes all kernels for the processor. The program's results stay as they are.
pub fn shape_for_cpu(program: &mut Program) {
    for kernel in program.kernels.ids().collect::<Vec<_>>() {
        let body = &mut program.kernels[kernel].body;
        forward::run(body);
        unroll::run(body);
        forward::run(body);
    }
    for function in program.functions.ids().collect::<Vec<_>>() {
        if program.functions[function].device {
            unroll::run(&mut program.functions[function].body);
        }
    }
}
