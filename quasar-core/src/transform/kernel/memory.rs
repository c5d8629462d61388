//! Reports how much shared memory the blocks of each kernel need if the size is not constant, and refuses what exceeds
//! a block.

use crate::analysis::shared_memory::{constant_bytes, need};
use crate::ir::Program;
use crate::message::Sink;
use crate::transform::{PassContext, messages};
use quasar_devicelib::kernel::SHARED_MEMORY;

/// Reports it for all kernels.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, sink: &mut Sink) {
    for (_, kernel) in program.kernels.iter() {
        if let Some((span, bytes)) = constant_bytes(&kernel.body)
            && bytes > SHARED_MEMORY as u64
        {
            sink.push(messages::too_much_shared_memory(span, &kernel.name, bytes));
        }
        if let Some(need) = need(&kernel.body) {
            sink.push(match need.bytes {
                Some(bytes) => messages::shared_memory(need.span, bytes),
                None => messages::unbounded_memory(need.span, &kernel.name),
            });
        }
    }
}
