//! Says how much shared memory the blocks of each kernel need, where that is not plain to see.

use crate::analysis::shared_memory::need;
use crate::ir::Program;
use crate::message::Sink;
use crate::transform::{PassContext, messages};

/// Says it for all kernels.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, sink: &mut Sink) {
    for (_, kernel) in program.kernels.iter() {
        if let Some(need) = need(&kernel.body) {
            sink.push(match need.bytes {
                Some(bytes) => messages::shared_memory(need.span, bytes),
                None => messages::unbounded_memory(need.span, &kernel.name),
            });
        }
    }
}
