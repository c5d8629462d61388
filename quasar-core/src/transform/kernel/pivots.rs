//! Functions that divide by the pivots of a matrix (`inv`, `solve`) fail on the host where one is zero. In kernels the
//! statement in front of them tests that: the functions themselves give infinities then.

use crate::ir::build;
use crate::ir::rewrite::{children_mut, expand_stmts, operands_mut};
use crate::ir::small_calls::{divides_by_pivots, small_call};
use crate::ir::{Block, Body, Expr, ExprKind, Failure, Stmt, StmtKind};
use crate::source::Span;
use crate::types::Type;

/// Puts the tests into a body. What is computed under a condition inside of an expression stays as it is.
pub(super) fn run(body: &mut Body) {
    let mut block = std::mem::take(&mut body.block);
    expand_stmts(&mut block, &mut |mut stmt| {
        let mut tests = Block::new();
        // Conditions of loops are computed several times, so nothing can stand in front of them.
        if !matches!(stmt.kind, StmtKind::While { .. } | StmtKind::Repeat { .. }) {
            let span = stmt.span;
            operands_mut(&mut stmt, &mut |e| in_front(e, body, span, &mut tests));
        }
        tests.push(stmt);
        tests
    });
    body.block = block;
}

fn in_front(expr: &mut Expr, body: &mut Body, span: Span, tests: &mut Block) {
    match &mut expr.kind {
        ExprKind::Select { condition: first, .. } | ExprKind::And(first, _) | ExprKind::Or(first, _) => {
            return in_front(first, body, span, tests);
        }
        _ => children_mut(expr, &mut |child| in_front(child, body, span, tests)),
    }
    let call = expr.clone();
    let ExprKind::Library { name, args } = &mut expr.kind else { return };
    if !divides_by_pivots(name) || small_call(name, args, &call).is_err() {
        return;
    }
    let Some(matrix) = args.first_mut() else { return };
    if !matrix.is_atom() {
        let kept = body.temporary(matrix.ty.clone(), span);
        let local = build::local(kept, matrix.ty.clone(), span);
        tests.push(build::assign(kept, std::mem::replace(matrix, local)));
    }
    let singular = ExprKind::Library { name: "singular", args: vec![matrix.clone()] };
    let text = ExprKind::Text(format!("{name}: the matrix is singular"));
    let message = vec![Expr::new(text, Type::Text, span)];
    let fail = vec![Stmt::new(StmtKind::Fail { failure: Failure::Argument, message }, span)];
    let singular = Expr::new(singular, Type::INT, span);
    tests.push(build::choice(singular, fail, Block::new(), span));
}
