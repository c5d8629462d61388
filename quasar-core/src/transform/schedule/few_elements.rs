//! Loops along the few elements of a position, such as the channels of a pixel, whose number is known when the kernel runs only: lanes
//! take it to be three, and rows do the rest.
//!
//! ```text
//! for c = 0..size(x,2)-1 { s += x[pos.0, pos.1, c] }
//! =>   if size(x,2) == 3: s = s + x[pos.0, pos.1, 0];  s = s + x[pos.0, pos.1, 1];  s = s + x[pos.0, pos.1, 2]
//! ```

use crate::ir::rewrite::{blocks, has_loops, transform_block, visit, visit_stmts};
use crate::ir::{Expr, ExprKind, Kernel, Stmt, StmtKind, VarId, build};
use crate::target::cpu::USUAL_ELEMENTS;
use crate::transform::kernel::{copy_propagation, fold_block, private_arrays, unroll_short_loops};
use crate::types::Type;
use crate::types::known::rank;
use std::collections::BTreeSet;

/// The kernel for the usual number of elements, and the arrays that must have so many. Nothing if no loop goes along elements of an
/// image: rows of a matrix are as a rule long.
pub(super) fn of_usual_number(kernel: &Kernel) -> Option<(Kernel, BTreeSet<VarId>)> {
    let mut arrays = BTreeSet::new();
    visit_stmts(&kernel.body.block, &mut |stmt| {
        if let StmtKind::For { range, .. } = &stmt.kind
            && is_innermost(stmt)
        {
            visit(&range.to, &mut |e| arrays.extend(counted(kernel, e)));
        }
    });
    if arrays.is_empty() || kernel.rank < 2 {
        return None;
    }
    let mut usual = kernel.clone();
    transform_block(&mut usual.body.block, &mut |e| {
        if counted(kernel, e).is_some_and(|v| arrays.contains(&v)) {
            *e = build::int(USUAL_ELEMENTS as i32, e.span);
        }
    });
    fold_block(&mut usual.body.block);
    if unroll_short_loops::run(&mut usual.body) {
        copy_propagation::run(&mut usual.body);
    }
    private_arrays::run(&mut usual);
    Some((usual, arrays))
}

fn is_innermost(stmt: &Stmt) -> bool {
    let mut loops = false;
    blocks(stmt, &mut |block| loops |= has_loops(block));
    !loops
}

/// The array whose extent along the elements of a position this is, if the compiler does not know it.
fn counted(kernel: &Kernel, e: &Expr) -> Option<VarId> {
    let ExprKind::Extent(array, axis) = &e.kind else { return None };
    let ExprKind::Local(v) = array.kind else { return None };
    let Type::Array(ty) = &array.ty else { return None };
    let unknown = ty.sizes.get(*axis).is_none_or(Option::is_none);
    let last = rank(&array.ty)? == kernel.rank + 1 && *axis == kernel.rank;
    (last && unknown && kernel.body.params.contains(&v)).then_some(v)
}
