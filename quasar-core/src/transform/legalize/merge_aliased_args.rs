//! A launch that passes one array for several parameters of a kernel passes it once: `parallel_do(size(a), a, a, k)`
//! launches a kernel with one parameter in place of the two, so that it reads what it writes on every engine.

use crate::ir::build::same_type;
use crate::ir::merged::{changed_in, merge_calls, merged};
use crate::ir::rewrite::{same, set_in, transform_stmts};
use crate::ir::{Expr, Kernel, KernelId, Program, Stmt, StmtKind};
use crate::message::Sink;
use crate::transform::PassContext;
use crate::types::Type;
use std::collections::BTreeMap;

/// Which argument each parameter gets: the number of the first one that is the same.
type Pattern = Vec<usize>;

/// Changes all launches of host functions.
pub(in crate::transform) fn run(program: &mut Program, _: &PassContext<'_>, _: &mut Sink) {
    let mut made: BTreeMap<(KernelId, Pattern), KernelId> = BTreeMap::new();
    for id in program.functions.ids() {
        let mut body = std::mem::take(&mut program.functions[id].body);
        transform_stmts(&mut body.block, &mut |stmt| merge(program, &mut made, stmt));
        program.functions[id].body = body;
    }
    merge_calls(program);
}

fn merge(program: &mut Program, made: &mut BTreeMap<(KernelId, Pattern), KernelId>, stmt: &mut Stmt) {
    let StmtKind::Launch { kernel, args, .. } = &mut stmt.kind else { return };
    let pattern = pattern(&program.kernels[*kernel], args);
    if pattern.iter().enumerate().all(|(k, first)| k == *first) {
        return;
    }
    let mut number = 0..;
    args.retain(|_| number.next().is_none_or(|k: usize| pattern[k] == k));
    *kernel = *made.entry((*kernel, pattern)).or_insert_with_key(|(kernel, pattern)| {
        let merged = merged(program, &program.kernels[*kernel], pattern);
        program.kernels.push(merged)
    });
}

fn pattern(kernel: &Kernel, args: &[Expr]) -> Pattern {
    let body = &kernel.body;
    let (assigned, changed) = (set_in(&body.block), changed_in(body));
    let one_array = |k: usize, j: usize| {
        let (a, b) = (body.params[k], body.params[j]);
        matches!(args[k].ty, Type::Array(_))
            && same(&args[k], &args[j])
            && same_type(&body.variables[a].ty, &body.variables[b].ty)
            && !assigned.contains(&a)
            && !assigned.contains(&b)
            && (changed.contains(&a) || changed.contains(&b))
    };
    let count = args.len().min(body.params.len());
    (0..count).map(|k| (0..k).find(|j| one_array(k, *j)).unwrap_or(k)).collect()
}
