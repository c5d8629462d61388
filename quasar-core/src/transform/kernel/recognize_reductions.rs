//! Recognises reductions: scalar results of user-written kernels start at zero and accumulate what the threads add. A
//! kernel that uses a result in another way runs its threads in order.

use crate::analysis::dependence::accumulation;
use crate::ir::rewrite::{expand_stmts, set_in};
use crate::ir::{Accumulator, Block, Expr, ExprKind, Kernel, KernelId, Program, Stmt, StmtKind, VarId};
use crate::message::Sink;
use crate::transform::{PassContext, messages};
use crate::types::Type;
use quasar_devicelib::element::{ElementType, Scalar};
use std::collections::BTreeSet;

/// Recognises the reductions of all kernels; kernels with other results become sequential.
pub(in crate::transform) fn run(program: &mut Program, _context: &PassContext<'_>, sink: &mut Sink) {
    settle(program, sink);
}

/// As [`run`], without a pass context.
pub(in crate::transform) fn settle(program: &mut Program, sink: &mut Sink) {
    let mut changed = BTreeSet::new();
    for id in program.kernels.ids().collect::<Vec<_>>() {
        let kernel = &mut program.kernels[id];
        if !kernel.parallel || !kernel.accumulators.is_empty() || kernel.body.results.is_empty() {
            continue;
        }
        let set = set_in(&kernel.body.block);
        for result in kernel.body.results.clone() {
            match accumulator(kernel, result) {
                Some(accumulator) => {
                    changed.insert(id);
                    kernel.accumulators.push(accumulator);
                }
                None if !set.contains(&result) && !is_array(kernel, result) => {}
                None => {
                    kernel.parallel = false;
                    let name = &kernel.body.variables[result].name;
                    sink.push(messages::ordered_result(kernel.body.variables[result].span, name));
                }
            }
        }
    }
    if changed.is_empty() {
        return;
    }
    for id in program.functions.ids().collect::<Vec<_>>() {
        let mut block = std::mem::take(&mut program.functions[id].body.block);
        start_at_zero(program, &changed, &mut block);
        program.functions[id].body.block = block;
    }
    for id in program.kernels.ids().collect::<Vec<_>>() {
        let mut block = std::mem::take(&mut program.kernels[id].body.block);
        start_at_zero(program, &changed, &mut block);
        program.kernels[id].body.block = block;
    }
}

fn is_array(kernel: &Kernel, result: VarId) -> bool {
    matches!(kernel.body.variables[result].ty, Type::Array(_))
}

fn element(kernel: &Kernel, result: VarId) -> Option<ElementType> {
    match kernel.body.variables[result].ty {
        Type::Scalar(element, _) => Some(element),
        _ => None,
    }
}

fn accumulator(kernel: &Kernel, variable: VarId) -> Option<Accumulator> {
    let element = element(kernel, variable)?;
    let row = accumulation(&kernel.body.block, variable)?;
    (!element.is_complex() || row.name == "add").then_some(Accumulator { variable, row })
}

/// Accumulated results are combined with the variables' old values, so these are set to zero before the launch.
fn start_at_zero(program: &Program, changed: &BTreeSet<KernelId>, block: &mut Block) {
    expand_stmts(block, &mut |stmt| {
        let StmtKind::Launch { kernel, results, .. } = &stmt.kind else { return vec![stmt] };
        if !changed.contains(kernel) {
            return vec![stmt];
        }
        let kernel = &program.kernels[*kernel];
        let mut both = Vec::new();
        for (target, result) in results.iter().zip(&kernel.body.results) {
            let accumulated = kernel.accumulators.iter().any(|each| each.variable == *result);
            if let (Some(variable), Some(element), true) = (*target, element(kernel, *result), accumulated) {
                let ty = kernel.body.variables[*result].ty.clone();
                let value = Expr::new(ExprKind::Constant(Scalar::zero(element)), ty, stmt.span);
                both.push(Stmt::new(StmtKind::Assign { variable, value }, stmt.span));
            }
        }
        both.push(stmt);
        both
    });
}
