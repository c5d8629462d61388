//! An element that stays while an innermost loop goes on is a variable there, if all else that the loop reads of the array is for
//! certain something else:
//!
//! ```text
//! for k = i+1..m-1                         if i+1 <= m-1
//!     y[i,p] += a[k,i]*y[k,p]                  e = y[i,p]
//! endfor                             ->        for k = i+1..m-1
//!                                                  e += a[k,i]*y[k,p]
//!                                              y[i,p] = e
//! ```

use super::plain_updates;
use crate::ir::build;
use crate::ir::rewrite::{blocks_mut, set_in, stored_in, variables, visit};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Kernel, Stmt, StmtKind, VarId};
use crate::transform::schedule::vectorize::{Allowed, is_plain};
use crate::transform::schedule::vectorize_loops::{accesses, elements};
use crate::types::Boundary;

/// Keeps such elements of the parameters of a kernel in variables.
pub(super) fn keep(kernel: &mut Kernel) {
    let mut block = std::mem::take(&mut kernel.body.block);
    in_block(&mut kernel.body, &mut block);
    kernel.body.block = block;
}

fn in_block(body: &mut Body, block: &mut Block) {
    for stmt in block {
        match in_loop(body, stmt) {
            Some(kept) => *stmt = kept,
            None => blocks_mut(stmt, &mut |inner| in_block(body, inner)),
        }
    }
}

/// One loop with what reads such elements before it and writes them behind it, if it has some.
fn in_loop(body: &mut Body, stmt: &Stmt) -> Option<Stmt> {
    let StmtKind::For { variable, range, body: inner, attributes } = &stmt.kind else { return None };
    let stored = stored_in(inner);
    let known = stored.iter().all(|array| body.params.contains(&array));
    let alone = inner.iter().all(is_alone);
    if stored.is_empty()
        || !known
        || !alone
        || range.step.as_ref().is_some_and(|step| step.constant_int() != Some(1))
    {
        return None;
    }
    let mut inner = inner.clone();
    for array in stored.iter() {
        plain_updates(&mut inner, array, &body.variables[array].ty);
    }
    if !is_plain(body, &inner, &Allowed { narrows: true, own: stored.clone(), ..Allowed::default() }) {
        return None;
    }
    let mut changing = set_in(&inner);
    let bounds = variables(&range.from).union(&variables(&range.to));
    if changing.contains(variable) || bounds.iter().any(|v| changing.contains(&v) || stored.contains(&v)) {
        return None;
    }
    changing.insert(*variable);
    let all = accesses::accesses(&inner, *variable, &changing);
    let mut written = elements::written(body, &all, *variable, range)?;
    let inside = |array: &VarId| {
        all.iter().all(|access| {
            access.variable != *array || !access.stores || access.boundary == Boundary::Unchecked
        })
    };
    written.elements.retain(|array, index| inside(array) && index.iter().all(is_cheap));
    if written.elements.is_empty() || !written.conditions.is_empty() {
        return None;
    }
    let (mut then, mut behind) = elements::kept(body, &mut inner, &written);
    let (from, to) = (range.from.clone(), range.to.clone());
    let kind = StmtKind::For {
        variable: *variable,
        range: range.clone(),
        body: inner,
        attributes: attributes.clone(),
    };
    then.push(Stmt::new(kind, stmt.span));
    then.append(&mut behind);
    let condition = build::of_ints("less_equal", from, to);
    Some(Stmt::new(StmtKind::If { condition, then, otherwise: Block::new() }, stmt.span))
}

/// Whether a statement is no atomic change, nor has others in it.
fn is_alone(stmt: &Stmt) -> bool {
    matches!(
        stmt.kind,
        StmtKind::Assign { .. }
            | StmtKind::Store { .. }
            | StmtKind::Update { atomic: false, result: None, .. }
    )
}

/// Whether an index may be computed once more: it reads no elements.
fn is_cheap(index: &Index) -> bool {
    let mut cheap = true;
    if let Index::At(e) = index {
        visit(e, &mut |e: &Expr| cheap &= !matches!(e.kind, ExprKind::Load { .. }));
    }
    cheap
}
