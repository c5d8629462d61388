//! An element that a position sets before it reads it, and that nobody reads before the position is done, is a variable until then:
//!
//! ```text
//! c[i,j] = 0                         e = 0
//! for k .. c[i,j] += d[k,i]*d[k,j]   for k .. e += d[k,i]*d[k,j]
//! c[i,j] /= n                   ->   e /= n
//!                                    c[i,j] = e
//! c[j,i] = c[i,j]                    c[j,i] = e
//! ```

use super::{may_end, plain_updates};
use crate::analysis::access_pattern::own_prefix;
use crate::analysis::may_fail::reaches_checked;
use crate::ir::build;
use crate::ir::conversions::total;
use crate::ir::rewrite::{
    jumps_out, operands, operands_mut, stored_in, transform, transform_stmts, visit, visit_block, visit_stmts,
};
use crate::ir::{Block, Expr, ExprKind, Index, Kernel, Stmt, StmtKind, VarId, Variable};
use crate::transform::schedule::scattered::is_permutation;
use crate::types::known::array_element;
use crate::types::{Boundary, ElementType, Type};

/// Keeps the own element of an array in a variable, if nothing but other orders of the position are written besides.
pub(super) fn keep(kernel: &mut Kernel, param: VarId) {
    let ty = kernel.body.variables[param].ty.clone();
    let plain =
        matches!(array_element(&ty), Some(ElementType::Single | ElementType::Double | ElementType::Int32));
    if !plain || !stored_in(&kernel.body.block).contains(&param) || jumps_out(&kernel.body.block, 0) {
        return;
    }
    let mut block = std::mem::take(&mut kernel.body.block);
    if let Some((first, behind)) = span_of(kernel.rank, &mut block, param) {
        let inner = innermost(&mut block);
        plain_updates(inner, param, &ty);
        replace(kernel, inner, (first, behind), param, &ty);
    }
    kernel.body.block = block;
}

/// The statements under the conditions that all of a kernel stands under.
fn innermost(block: &mut Block) -> &mut Block {
    let alone = |block: &Block| matches!(block.as_slice(), [Stmt { kind: StmtKind::If { otherwise, .. }, .. }] if otherwise.is_empty());
    if !alone(block) {
        return block;
    }
    match &mut block[0].kind {
        StmtKind::If { then, .. } => innermost(then),
        _ => unreachable!("a branch"),
    }
}

/// The first statement that sets the own element, and the one behind the last that knows it by its array.
fn span_of(rank: usize, block: &mut Block, param: VarId) -> Option<(usize, usize)> {
    let block = innermost(block);
    let first = block.iter().position(|stmt| mentions(stmt, param))?;
    let StmtKind::Store { index, boundary: Boundary::Unchecked, value, .. } = &block[first].kind else {
        return None;
    };
    let clean = is_own(index, rank) && !reads(value, param);
    let others = block.iter().position(|stmt| writes_elsewhere(stmt, param, rank)).unwrap_or(block.len());
    let own = block[first..].iter().enumerate().all(|(k, stmt)| {
        let copies = first + k >= others;
        let top = !copies
            || writes_elsewhere(stmt, param, rank)
            || !stored_in(std::slice::from_ref(stmt)).contains(&param);
        top && is_own_only(stmt, param, rank)
    });
    let quiet = !may_end(&block[first..]) && !may_fail(&block[first..]);
    // One store alone is as good.
    let several = block[first + 1..].iter().any(|stmt| mentions(stmt, param));
    (clean && own && quiet && several && others > first).then_some((first, others))
}

/// Whether an index or a conversion may fail.
fn may_fail(block: &[Stmt]) -> bool {
    let mut found = block.iter().any(reaches_checked);
    visit_block(block, &mut |e| {
        if let ExprKind::Convert(inner) = &e.kind {
            found |= !total(inner, e);
        }
    });
    found
}

fn is_own(index: &[Index], rank: usize) -> bool {
    index.len() == rank && own_prefix(index, rank) == rank
}

fn is_param(e: &Expr, param: VarId) -> bool {
    matches!(e.kind, ExprKind::Local(v) if v == param)
}

/// Whether a statement does nothing but write an element at another order of the components of the position.
fn writes_elsewhere(stmt: &Stmt, param: VarId, rank: usize) -> bool {
    matches!(&stmt.kind, StmtKind::Store { array, index, .. }
        if is_param(array, param) && is_permutation(index, rank) && !is_own(index, rank))
}

fn reads(e: &Expr, param: VarId) -> bool {
    let mut found = false;
    visit(e, &mut |e| found |= is_param(e, param));
    found
}

fn mentions(stmt: &Stmt, param: VarId) -> bool {
    let mut found = false;
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        operands(stmt, &mut |e| found |= reads(e, param));
    });
    found
}

/// Whether a statement knows nothing of an array but its own element and its extents, apart from a store elsewhere.
fn is_own_only(stmt: &Stmt, param: VarId, rank: usize) -> bool {
    let (mut own, mut parts, mut all) = (true, 0, 0);
    if writes_elsewhere(stmt, param, rank) {
        parts += 1;
    }
    visit_stmts(std::slice::from_ref(stmt), &mut |inner| {
        match &inner.kind {
            StmtKind::Store { array, index, boundary, .. }
            | StmtKind::Update { array, index, boundary, result: None, .. }
                if is_param(array, param) && !writes_elsewhere(inner, param, rank) =>
            {
                own &= is_own(index, rank) && *boundary == Boundary::Unchecked;
                parts += 1;
            }
            _ => {}
        }
        operands(inner, &mut |e| {
            visit(e, &mut |e| match &e.kind {
                ExprKind::Load { array, index, boundary } if is_param(array, param) => {
                    own &= is_own(index, rank) && *boundary == Boundary::Unchecked;
                    parts += 1;
                }
                ExprKind::Extent(array, _) | ExprKind::Count(array) if is_param(array, param) => parts += 1,
                ExprKind::Local(v) if *v == param => all += 1,
                _ => {}
            });
        });
    });
    own && all <= parts
}

/// Puts a variable in the place of the element, which is written behind the statements that know it.
fn replace(kernel: &mut Kernel, block: &mut Block, (first, behind): (usize, usize), param: VarId, ty: &Type) {
    let Type::Array(array) = ty else { return };
    let rank = kernel.rank;
    let StmtKind::Store { array: whole, index, boundary, .. } = block[first].kind.clone() else { return };
    let (element, span) = ((*array.element).clone(), block[first].span);
    let kept = kernel.body.variables.push(Variable::new("$kept", element, span));
    let read = kernel.body.read(kept, span);
    transform_stmts(&mut block[first..], &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Load { array, .. } = &e.kind
                    && is_param(array, param)
                {
                    *e = read.clone();
                }
            });
        });
        if let StmtKind::Store { array, index, value, .. } = &stmt.kind
            && is_param(array, param)
            && is_own(index, rank)
        {
            stmt.kind = build::assign(kept, value.clone()).kind;
        }
    });
    let store = StmtKind::Store { array: whole, index, boundary, value: read };
    block.insert(behind, Stmt::new(store, span));
}
