//! In device code small arrays are values in registers, yet a function that changes its parameter must be seen by its
//! caller: such parameters become additional results.

use crate::ir::build::{self, is_small, same_type};
use crate::ir::dataflow::fixpoint;
use crate::ir::rewrite::{root, stored_in, transform_stmts, visit_stmts};
use crate::ir::{Body, Expr, ExprKind, FunctionId, Program, StmtKind, VarId, Variable};
use crate::message::Sink;
use crate::transform::PassContext;
use std::collections::BTreeSet;

/// Adds the results and writes them back in kernels and device functions.
pub(in crate::transform) fn run(program: &mut Program, _: &PassContext<'_>, _: &mut Sink) {
    let changed = changed_params(program);
    if changed.is_empty() {
        return;
    }
    let counts: Vec<usize> =
        program.functions.iter().map(|(_, function)| function.body.results.len()).collect();
    for id in program.functions.ids() {
        let device = program.functions[id].device;
        let mut body = std::mem::take(&mut program.functions[id].body);
        write_back(&counts, &mut body, &changed, device);
        program.functions[id].body = body;
    }
    for id in program.kernels.ids() {
        let mut body = std::mem::take(&mut program.kernels[id].body);
        write_back(&counts, &mut body, &changed, true);
        program.kernels[id].body = body;
    }
    for (function, position) in &changed {
        let body = &mut program.functions[*function].body;
        let param = body.params[*position];
        let Variable { name, ty, span, .. } = body.variables[param].clone();
        let result = body.variables.push(Variable::new(&format!("${name}"), ty, span));
        body.results.push(result);
        let value = body.read(param, span);
        body.block.push(build::assign(result, value));
    }
}

/// The small array parameters of device functions that they change, directly or through what they call.
fn changed_params(program: &Program) -> BTreeSet<(FunctionId, usize)> {
    fixpoint(BTreeSet::new(), |changed| {
        for (id, function) in program.functions.iter().filter(|(_, function)| function.device) {
            let body = &function.body;
            let mut touched = stored_in(&body.block);
            visit_stmts(&body.block, &mut |stmt| {
                if let StmtKind::Call { function, args, .. } = &stmt.kind {
                    let of = args.iter().enumerate().filter(|(k, _)| changed.contains(&(*function, *k)));
                    touched.extend(of.filter_map(|(_, arg)| root(arg)));
                }
            });
            for (position, param) in body.params.iter().enumerate() {
                if touched.contains(param) && is_small(&body.variables[*param].ty) {
                    changed.insert((id, position));
                }
            }
        }
    })
}

fn write_back(counts: &[usize], body: &mut Body, changed: &BTreeSet<(FunctionId, usize)>, device: bool) {
    let mut block = std::mem::take(&mut body.block);
    transform_stmts(&mut block, &mut |stmt| {
        let StmtKind::Call { function, args, results } = &mut stmt.kind else { return };
        let positions: Vec<usize> =
            changed.range((*function, 0)..=(*function, usize::MAX)).map(|(_, k)| *k).collect();
        if positions.is_empty() {
            return;
        }
        results.resize(counts[function.index()], None);
        for position in positions {
            results.push(args.get(position).filter(|_| device).and_then(|arg| target(body, arg)));
        }
    });
    body.block = block;
}

/// The variable that holds an argument, where it is one of the same type.
fn target(body: &Body, arg: &Expr) -> Option<VarId> {
    match arg.kind {
        ExprKind::Local(variable) if same_type(&body.variables[variable].ty, &arg.ty) => Some(variable),
        _ => None,
    }
}
