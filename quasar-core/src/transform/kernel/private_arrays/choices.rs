//! Branches that only assign variables become choices of values, so that rows whose accesses are choices have no branches.

use crate::ir::rewrite::expand_stmts;
use crate::ir::{Body, Expr, ExprKind, Stmt, StmtKind, build};
use crate::target::cpu::CHOICE_ASSIGNMENTS;
use crate::types::known::scalar;

/// Runs the pass on one body.
pub(super) fn run(body: &mut Body) {
    let mut block = std::mem::take(&mut body.block);
    expand_stmts(&mut block, &mut |stmt| match stmt.kind {
        StmtKind::If { condition, then, otherwise }
            if then.len() + otherwise.len() <= CHOICE_ASSIGNMENTS
                && then.iter().chain(&otherwise).all(is_simple) =>
        {
            let span = stmt.span;
            let taken = body.temporary(build::int_type(), span);
            let mut made = vec![build::assign(taken, condition)];
            for (stmts, is_then) in [(then, true), (otherwise, false)] {
                for stmt in stmts {
                    made.push(chosen(body, build::local(taken, build::int_type(), span), stmt, is_then));
                }
            }
            made
        }
        kind => vec![Stmt::new(kind, stmt.span)],
    });
    body.block = block;
}

/// Whether a statement assigns a number that is there.
fn is_simple(stmt: &Stmt) -> bool {
    let StmtKind::Assign { value, .. } = &stmt.kind else { return false };
    matches!(value.kind, ExprKind::Local(_) | ExprKind::Constant(_)) && scalar(&value.ty).is_some()
}

fn chosen(body: &Body, taken: Expr, stmt: Stmt, is_then: bool) -> Stmt {
    let span = stmt.span;
    let StmtKind::Assign { variable, value } = stmt.kind else { return stmt };
    let old = body.read(variable, span);
    let (then, otherwise) = if is_then { (value, old) } else { (old, value) };
    build::assign(variable, build::select(taken, then, otherwise))
}
