//! Infers which transfers launches need: an array that its kernel only reads is `'const` and stays valid where it is;
//! one that the kernel overwrites completely is `'nocopy`, and its old contents need not be copied to a device.

use crate::analysis::access_pattern::{DEPTH, changes, own_prefix};
use crate::ir::rewrite::{operands, set_in, visit, visit_stmts};
use crate::ir::{Expr, ExprKind, Kernel, NoCopy, Program, StmtKind, VarId};
use crate::message::Sink;
use crate::transform::{PassContext, messages};
use crate::types::known::{array_element, rank};

/// Runs the inference for all kernels.
pub(in crate::transform) fn run(program: &mut Program, _: &PassContext<'_>, sink: &mut Sink) {
    for id in program.kernels.ids() {
        let kernel = &program.kernels[id];
        let body = &kernel.body;
        // An array parameter that is reassigned becomes a variable of the thread.
        let assigned = set_in(&body.block);
        let arrays = body.params.iter().filter(|param| {
            array_element(&body.variables[**param].ty).is_some() && !assigned.contains(*param)
        });
        let found: Vec<(VarId, bool, bool)> = arrays
            .map(|param| (*param, changes(program, &body.block, *param, DEPTH), overwrites(kernel, *param)))
            .collect();
        for (param, changed, overwritten) in found {
            let variable = &mut program.kernels[id].body.variables[param];
            if variable.nocopy == NoCopy::Declared {
                if !changed {
                    sink.push(messages::never_written(variable.span, &variable.name));
                }
            } else if overwritten {
                variable.nocopy = NoCopy::Inferred;
            }
            variable.constant |= !changed && variable.nocopy == NoCopy::Unknown;
        }
    }
}

/// Whether each position unconditionally writes its own element of an array, and nothing reads elements of it.
pub(in crate::transform) fn overwrites(kernel: &Kernel, param: VarId) -> bool {
    let body = &kernel.body;
    if !kernel.parallel || rank(&body.variables[param].ty) != Some(kernel.rank) {
        return false;
    }
    let is_param = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == param);
    let surely = body.block.iter().any(|stmt| {
        matches!(&stmt.kind, StmtKind::Store { array, index, .. }
            if is_param(array) && index.len() == kernel.rank && own_prefix(index, kernel.rank) == kernel.rank)
    });
    if !surely {
        return false;
    }
    // The array must occur only as the target of stores and in extents.
    let (mut all, mut harmless) = (0usize, 0usize);
    visit_stmts(&body.block, &mut |stmt| {
        if let StmtKind::Store { array, .. } = &stmt.kind {
            harmless += usize::from(is_param(array));
        }
        operands(stmt, &mut |e| {
            visit(e, &mut |e| {
                all += usize::from(is_param(e));
                if let ExprKind::Extent(array, _) | ExprKind::Count(array) = &e.kind {
                    harmless += usize::from(is_param(array));
                }
            });
        });
    });
    all == harmless
}
