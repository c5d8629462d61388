//! Constant folding, and removal of branches with constant conditions.

use crate::ir::rewrite::{expand_stmts, operands_mut, transform, transform_stmts};
use crate::ir::{Block, Expr, ExprKind, Index, Stmt, StmtKind};
use crate::types::Type;
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::convert_scalar;

/// Folds everywhere in a block.
pub(in crate::transform) fn block(block: &mut Block) {
    let mut decided = false;
    transform_stmts(block, &mut |stmt| {
        operands_mut(stmt, &mut expr);
        decided |= branch(stmt).is_some();
    });
    if decided {
        expand_stmts(block, &mut cut);
    }
}

/// Folds an expression.
pub(in crate::transform) fn expr(expr: &mut Expr) {
    transform(expr, &mut |e| {
        if let Some(folded) = folded(e) {
            *e = folded;
        }
    });
}

/// The value of a branch's condition, if it is constant.
fn branch(stmt: &Stmt) -> Option<bool> {
    match &stmt.kind {
        StmtKind::If { condition, .. } => Some(condition.constant()?.is_truthy()),
        _ => None,
    }
}

fn cut(stmt: Stmt) -> Vec<Stmt> {
    match (branch(&stmt), stmt.kind) {
        (Some(true), StmtKind::If { then, .. }) => then,
        (Some(false), StmtKind::If { otherwise, .. }) => otherwise,
        (_, kind) => vec![Stmt { kind, span: stmt.span }],
    }
}

fn number(value: Scalar, like: &Expr) -> Option<Expr> {
    let Type::Scalar(element, _) = &like.ty else { return None };
    let made = || Expr { kind: ExprKind::Constant(value), ty: like.ty.clone(), span: like.span };
    (value.element_type() == *element).then(made)
}

fn folded(e: &Expr) -> Option<Expr> {
    match &e.kind {
        ExprKind::Apply { row, args } => {
            let values: Option<Vec<Scalar>> = args.iter().map(Expr::constant).collect();
            match values {
                Some(values) => number((row.eval)(&values), e),
                None => neutral(row.name, args),
            }
        }
        ExprKind::Convert(inner) => {
            let Type::Scalar(element, overflow) = &e.ty else { return None };
            number(convert_scalar(inner.constant()?, *element, *overflow).ok()?, e)
        }
        ExprKind::Select { condition, then, otherwise } => {
            let chosen = if condition.constant()?.is_truthy() { then } else { otherwise };
            Some((**chosen).clone())
        }
        ExprKind::Load { array, index, .. } => component(array, index),
        _ => None,
    }
}

/// Identities such as `x + 0`, `x - 0` and `x * 1` of integers.
fn neutral(row: &str, args: &[Expr]) -> Option<Expr> {
    match (row, args) {
        ("add" | "subtract", [x, zero]) if zero.constant_int() == Some(0) => Some(x.clone()),
        ("add", [zero, x]) if zero.constant_int() == Some(0) => Some(x.clone()),
        ("multiply", [x, one]) if one.constant_int() == Some(1) => Some(x.clone()),
        _ => None,
    }
}

/// The component of a vector literal.
fn component(array: &Expr, index: &[Index]) -> Option<Expr> {
    let [Index::At(at)] = index else { return None };
    let k = usize::try_from(at.constant_int()?).ok()?;
    at_component(array, k)
}

/// Component `k` of a vector expression, scalarised.
pub(super) fn at_component(array: &Expr, k: usize) -> Option<Expr> {
    let Type::Array(ty) = &array.ty else { return None };
    if ty.sizes.len() != 1 || ty.sizes[0].is_none_or(|n| k >= n as usize) {
        return None;
    }
    match &array.kind {
        ExprKind::Array(items) => items.get(k).filter(|e| matches!(e.ty, Type::Scalar(..))).cloned(),
        ExprKind::Apply { row, args } => {
            let part =
                |e: &Expr| if matches!(e.ty, Type::Array(_)) { at_component(e, k) } else { Some(e.clone()) };
            let args = args.iter().map(part).collect::<Option<Vec<_>>>()?;
            let mut whole =
                Expr { kind: ExprKind::Apply { row, args }, ty: (*ty.element).clone(), span: array.span };
            if let Some(simple) = folded(&whole) {
                whole = simple;
            }
            Some(whole)
        }
        ExprKind::Convert(inner) if matches!(inner.ty, Type::Array(_)) => {
            let inner = at_component(inner, k)?;
            if crate::ir::build::same_type(&inner.ty, &ty.element) {
                return Some(inner);
            }
            Some(Expr {
                kind: ExprKind::Convert(Box::new(inner)),
                ty: (*ty.element).clone(),
                span: array.span,
            })
        }
        _ => None,
    }
}
