//! `multi_parallel_do`: finds out which kernels several devices may run together.

use crate::analysis::device_partition::{has_parts, obstacle};
use crate::ir::rewrite::visit_stmts;
use crate::ir::{KernelId, LaunchMode, Program, StmtKind};
use crate::message::Sink;
use crate::source::Span;
use crate::transform::pipeline::as_printed;
use crate::transform::{PassContext, messages};

/// Marks the kernels that may be divided, and says of each launch what becomes of it.
pub(in crate::transform) fn run(program: &mut Program, context: &PassContext<'_>, sink: &mut Sink) {
    let launches = launches(program);
    if launches.is_empty() && !context.ranks {
        return;
    }
    // As the kernels will be when they are printed.
    let shaped = as_printed(program);
    if context.ranks {
        // The ranks of a cluster share launches, each on its device.
        for (id, kernel) in program.kernels.iter_mut() {
            kernel.divisible = has_parts(&shaped.kernels[id]);
        }
    }
    for (kernel, span) in launches {
        match obstacle(&shaped, &shaped.kernels[kernel]) {
            None => {
                program.kernels[kernel].divisible = true;
                sink.push(messages::divided(span));
            }
            Some(why) => sink.push(messages::not_divided(span, &program.kernels[kernel].name, &why)),
        }
    }
}

/// The launches on all devices from host code.
fn launches(program: &Program) -> Vec<(KernelId, Span)> {
    let mut found = Vec::new();
    for (_, function) in program.functions.iter() {
        visit_stmts(&function.body.block, &mut |stmt| {
            if let StmtKind::Launch { kernel, mode: LaunchMode::Devices, .. } = &stmt.kind {
                found.push((*kernel, stmt.span));
            }
        });
    }
    found
}
