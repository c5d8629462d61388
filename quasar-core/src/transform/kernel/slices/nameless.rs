//! Gives names to small arrays that a statement computes and takes a slice of: `y[p] = sum((w + 1)[1..2])` becomes
//!
//! ```text
//! t = w + 1
//! y[p] = sum(t[1..2])
//! ```
//!
//! What is computed on one path only becomes a choice between statements, and what a loop tests anew in each round stands in it.

use super::{loads_of, sizes};
use crate::ir::build;
use crate::ir::rewrite::{blocks_mut, children_mut, operands_mut, visit};
use crate::ir::{Block, Body, Expr, ExprKind, Stmt, StmtKind};

/// The statement, behind those that name what it takes slices of.
pub(super) fn named(mut stmt: Stmt, body: &mut Body) -> Vec<Stmt> {
    let mut before = Vec::new();
    match &mut stmt.kind {
        StmtKind::While { condition, .. } if !has_nameless(condition) => {}
        StmtKind::While { condition, body: rounds } => {
            let span = condition.span;
            let mut test = std::mem::replace(condition, build::int(1, span));
            let mut first = Vec::new();
            name(&mut test, body, &mut first);
            let leave = Stmt::new(StmtKind::Break { levels: 0 }, span);
            first.push(build::choice(test, Vec::new(), vec![leave], span));
            first.iter_mut().for_each(scalarised);
            rounds.splice(0..0, first);
        }
        StmtKind::Repeat { test, until, .. } => {
            let mut last = Vec::new();
            name(until, body, &mut last);
            last.iter_mut().for_each(scalarised);
            test.append(&mut last);
        }
        _ => operands_mut(&mut stmt, &mut |e| name(e, body, &mut before)),
    }
    before.iter_mut().for_each(scalarised);
    before.push(stmt);
    before
}

/// What is made stands in no block that is visited later.
fn scalarised(stmt: &mut Stmt) {
    loads_of(stmt);
    blocks_mut(stmt, &mut |block| block.iter_mut().for_each(scalarised));
}

fn is_nameless(expr: &Expr) -> bool {
    let ExprKind::Load { array, .. } = &expr.kind else { return false };
    sizes(&expr.ty).is_some() && !matches!(array.kind, ExprKind::Local(_)) && sizes(&array.ty).is_some()
}

fn has_nameless(expr: &Expr) -> bool {
    let mut found = false;
    visit(expr, &mut |e| found |= is_nameless(e));
    found
}

fn name(expr: &mut Expr, body: &mut Body, before: &mut Block) {
    if !has_nameless(expr) {
        return;
    }
    match &mut expr.kind {
        ExprKind::Select { condition, then, otherwise } if has_nameless(then) || has_nameless(otherwise) => {
            name(condition, body, before);
            let (condition, then, otherwise) = (take(condition), take(then), take(otherwise));
            choose(expr, condition, then, otherwise, body, before);
        }
        ExprKind::And(a, b) if has_nameless(b) => {
            name(a, body, before);
            let (a, b) = (take(a), truth(take(b)));
            choose(expr, a, b, build::int(0, expr.span), body, before);
        }
        ExprKind::Or(a, b) if has_nameless(b) => {
            name(a, body, before);
            let (a, b) = (take(a), truth(take(b)));
            choose(expr, a, build::int(1, expr.span), b, body, before);
        }
        _ => children_mut(expr, &mut |child| name(child, body, before)),
    }
    if !is_nameless(expr) {
        return;
    }
    let ExprKind::Load { array, .. } = &mut expr.kind else { return };
    let variable = body.temporary(array.ty.clone(), array.span);
    let read = body.read(variable, array.span);
    before.push(build::assign(variable, std::mem::replace(&mut **array, read)));
}

/// Replaces an expression by a variable that one of two branches sets.
fn choose(
    expr: &mut Expr,
    condition: Expr,
    then: Expr,
    otherwise: Expr,
    body: &mut Body,
    before: &mut Block,
) {
    let result = body.temporary(expr.ty.clone(), expr.span);
    let mut branch = |mut value: Expr| {
        let mut block = Vec::new();
        name(&mut value, body, &mut block);
        block.push(build::assign(result, value));
        block
    };
    let (then, otherwise) = (branch(then), branch(otherwise));
    before.push(build::choice(condition, then, otherwise, expr.span));
    *expr = body.read(result, expr.span);
}

/// 1 where a number is not 0, and 0 where it is.
fn truth(value: Expr) -> Expr {
    let (one, zero) = (build::int(1, value.span), build::int(0, value.span));
    build::select(value, one, zero)
}

fn take(expr: &mut Expr) -> Expr {
    let span = expr.span;
    std::mem::replace(expr, build::int(0, span))
}
