//! Kernels once more for launches whose arrays turn out to share elements: one thread visits the positions in order, and each access
//! goes to memory. So a launch does what the program means by one array under several names, and is one step for other threads.
//!
//! Passes take the parameters of kernels for different arrays; only kernels that they leave as they are have such a form.

use crate::ir::barriers::meets;
use crate::ir::rewrite::{operands, visit, visit_block, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, Index, Kernel, KernelAttributes, LoopAttributes, StmtKind};
use crate::types::Type;
use crate::types::known::fixed;

/// The kernel for arrays that may share elements.
pub(super) fn aliased(kernel: &Kernel) -> Option<Kernel> {
    let attributes = KernelAttributes { name: kernel.attributes.name.clone(), ..KernelAttributes::default() };
    is_plain(kernel).then(|| Kernel { parallel: false, aliased: true, attributes, ..kernel.clone() })
}

/// Whether a kernel uses its arrays by single elements only, and visits positions one by one.
fn is_plain(kernel: &Kernel) -> bool {
    let body = &kernel.body;
    let is_plain_param = |ty: &Type| match ty {
        Type::Array(_) => ty.is_number_array() && fixed(ty).is_none(),
        ty => !ty.any(&|part| !matches!(part, Type::Scalar(..) | Type::Enum(_) | Type::Tuple(_))),
    };
    let mut plain = body.params.iter().all(|param| is_plain_param(&body.variables[*param].ty))
        && kernel.accumulators.is_empty()
        && !meets(&body.block);
    visit_block(&body.block, &mut |e| {
        plain &= !matches!(&e.kind, ExprKind::Coordinate(which, _) if *which != Coordinate::Position);
    });
    visit_stmts(&body.block, &mut |stmt| {
        plain &= match &stmt.kind {
            StmtKind::For { attributes, .. } | StmtKind::ForEach { attributes, .. } => {
                *attributes == LoopAttributes::default()
            }
            StmtKind::Launch { .. } | StmtKind::Library { .. } | StmtKind::CallValue { .. } => false,
            _ => true,
        };
        // The array that is written, or the one of a callee, which takes its parameters for different arrays as well.
        let mut allowed = match &stmt.kind {
            StmtKind::Store { array, index, .. }
            | StmtKind::Update { array, index, .. }
            | StmtKind::Exchange { array, index, .. } => usize::from(is_array(array) && are_numbers(index)),
            StmtKind::Call { .. } => 1,
            _ => 0,
        };
        let mut named = 0;
        operands(stmt, &mut |operand| {
            visit(operand, &mut |e| {
                named += usize::from(is_array(e));
                allowed += usize::from(part_of(e).is_some_and(is_array));
                plain &= is_array(e) || !matches!(e.ty, Type::Array(_));
            });
        });
        plain &= named <= allowed;
    });
    plain
}

fn is_array(e: &Expr) -> bool {
    matches!((&e.kind, &e.ty), (ExprKind::Local(_), Type::Array(_)))
}

fn are_numbers(index: &[Index]) -> bool {
    index.iter().all(|index| matches!(index, Index::At(at) if matches!(at.ty, Type::Scalar(..))))
}

/// The array of which an expression uses one element or the size.
fn part_of(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Load { array, index, .. } if are_numbers(index) => Some(array),
        ExprKind::Extent(array, _) | ExprKind::Count(array) => Some(array),
        _ => None,
    }
}
