//! `{!auto_vectorize}`: reports whether vectorisation takes place. Rows use vector instructions wherever possible; the
//! attribute's `width` limits the elements that a device thread processes at a time.

use crate::analysis::elementwise_kernel::{own_elements, vector_elements};
use crate::ir::barriers::waits;
use crate::ir::rewrite::visit_stmts;
use crate::ir::{Kernel, Program, Stmt, StmtKind};
use crate::message::Sink;
use crate::transform::pipeline::as_printed;
use crate::transform::{PassContext, messages};

/// Checks the kernels and loops that request it.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, sink: &mut Sink) {
    let mut say = |block: &[Stmt], why: &str| {
        visit_stmts(block, &mut |stmt| {
            if let StmtKind::For { attributes, .. } = &stmt.kind
                && let Some(vectors) = attributes.kernel.as_ref().and_then(|kernel| kernel.vectors)
            {
                sink.push(messages::not_vectorised(vectors.span, "the loop", why));
            }
        });
    };
    for (_, function) in program.functions.iter() {
        say(&function.body.block, "it did not become a kernel");
    }
    for (_, kernel) in program.kernels.iter() {
        say(&kernel.body.block, "it lies in a kernel, which computes several positions side by side");
    }
    if program.kernels.iter().all(|(_, kernel)| kernel.attributes.vectors.is_none()) {
        return;
    }
    // Checks the kernels in the form that the back ends print.
    let shaped = as_printed(program);
    for (_, kernel) in shaped.kernels.iter() {
        let Some(vectors) = kernel.attributes.vectors else { continue };
        let own = own_elements(&shaped, kernel).unwrap_or_default();
        let elements = if own.is_empty() { 1 } else { vector_elements(kernel, &own) };
        sink.push(match obstacle(kernel) {
            Some(why) => messages::not_vectorised(vectors.span, &kernel.name, why),
            None => messages::vectorised(vectors.span, &kernel.name, elements as u32),
        });
    }
}

fn obstacle(kernel: &Kernel) -> Option<&'static str> {
    if waits(&kernel.body.block) {
        return Some("its threads wait for each other");
    }
    (!kernel.parallel).then_some("its positions are visited in order")
}
