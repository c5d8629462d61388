//! The setting `COMPILER_KERNEL_DYNAMICMEMORY=False`: threads of kernels make no arrays but those that they keep in registers.

use super::shape;
use crate::analysis::heap::is_made;
use crate::ids::IdSet;
use crate::ir::rewrite::{set_in, visit_stmts};
use crate::ir::{Body, Function, Program, StmtKind, VarId};
use crate::message::Sink;
use crate::transform::messages;

/// Names what kernels, and the functions that they call, would need memory for.
pub fn check(program: &Program, sink: &mut Sink) {
    let mut shaped = program.clone();
    shape(&mut shaped);
    let mut seen = IdSet::new();
    for (_, kernel) in shaped.kernels.iter() {
        refuse(&kernel.body, sink);
        called(&shaped, &kernel.body, &mut seen, sink);
    }
}

fn called(program: &Program, body: &Body, seen: &mut IdSet<Function>, sink: &mut Sink) {
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::Call { function, .. } = &stmt.kind
            && seen.insert(*function)
        {
            let callee = &program.functions[*function].body;
            refuse(callee, sink);
            called(program, callee, seen, sink);
        }
    });
}

/// One message for each place where arrays are made.
fn refuse(body: &Body, sink: &mut Sink) {
    let mut made: Vec<VarId> = set_in(&body.block).iter().filter(|v| is_made(body, *v)).collect();
    made.sort_by_key(|v| (body.variables[*v].span, body.variables[*v].name.starts_with('$')));
    made.dedup_by_key(|v| body.variables[*v].span);
    for variable in made {
        let variable = &body.variables[variable];
        sink.push(messages::no_kernel_memory(variable.span, &variable.name));
    }
}
