//! Reports kernels whose threads allocate arrays at run time that do not fit into registers; with the setting
//! `COMPILER_KERNEL_DYNAMICMEMORY=False` they are refused.

use crate::analysis::heap::is_heap_array;
use crate::ids::IdSet;
use crate::ir::rewrite::{operands, set_in, visit, visit_stmts};
use crate::ir::{Body, ExprKind, Function, Kernel, Program, StmtKind, Variable};
use crate::message::Sink;
use crate::source::Span;
use crate::transform::messages;
use crate::transform::pipeline::as_printed;
use crate::types::known::{known_bytes, on_heap};
use std::collections::BTreeSet;

/// Refuses heap arrays of kernels and of the functions that they call.
pub fn refuse(program: &Program, sink: &mut Sink) {
    let shaped = as_printed(program);
    let mut seen = IdSet::new();
    for (_, kernel) in shaped.kernels.iter() {
        let mut bodies = vec![&kernel.body];
        called(&shaped, &kernel.body, &mut seen, &mut bodies);
        for variable in bodies.into_iter().flat_map(made) {
            sink.push(messages::no_kernel_memory(variable.span, &variable.name));
        }
    }
}

/// Warns about the first heap array of each kernel, unless the kernel names a memory model explicitly.
pub fn warn(program: &Program, sink: &mut Sink) {
    let meant = |kernel: &Kernel| kernel.attributes.memory_model;
    if !program.kernels.iter().any(|(_, kernel)| !meant(kernel) && may_need(program, &kernel.body)) {
        return;
    }
    let shaped = as_printed(program);
    let mut said: BTreeSet<Span> = BTreeSet::new();
    for (_, kernel) in shaped.kernels.iter().filter(|(_, kernel)| !meant(kernel)) {
        let mut bodies = vec![&kernel.body];
        called(&shaped, &kernel.body, &mut IdSet::new(), &mut bodies);
        let all: Vec<&Variable> = bodies.into_iter().flat_map(made).collect();
        let Some(first) = all.first().filter(|first| said.insert(first.span)) else { continue };
        let bytes = all.iter().try_fold(0usize, |sum, v| sum.checked_add(known_bytes(&v.ty)?));
        sink.push(messages::kernel_memory(first.span, &kernel.name, &first.name, bytes));
    }
}

/// Cheap conservative test before the kernel is scalarised.
fn may_need(program: &Program, body: &Body) -> bool {
    let mut bodies = vec![body];
    called(program, body, &mut IdSet::new(), &mut bodies);
    let mut found = false;
    for body in bodies {
        found |= body.variables.ids().any(|v| is_heap_array(body, v));
        visit_stmts(&body.block, &mut |stmt| {
            operands(stmt, &mut |e| {
                visit(e, &mut |e| found |= on_heap(&e.ty) && !matches!(e.kind, ExprKind::Local(_)));
            });
        });
    }
    found
}

/// Collects the called functions, in call order.
fn called<'p>(program: &'p Program, body: &Body, seen: &mut IdSet<Function>, bodies: &mut Vec<&'p Body>) {
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &stmt.kind
            && seen.insert(*function)
        {
            let callee = &program.functions[*function].body;
            bodies.push(callee);
            called(program, callee, seen, bodies);
        }
    });
}

/// The heap arrays of a body, one per source location.
fn made(body: &Body) -> Vec<&Variable> {
    let made = set_in(&body.block);
    let mut made: Vec<_> =
        made.iter().filter(|v| is_heap_array(body, *v)).map(|v| &body.variables[v]).collect();
    made.sort_by_key(|v| (v.span, v.name.starts_with('$')));
    made.dedup_by_key(|v| v.span);
    made
}
