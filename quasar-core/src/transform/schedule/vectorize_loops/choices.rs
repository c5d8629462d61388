//! Branches that set the same variables, or store to the same elements, in all cases are choices of their values:
//!
//! ```text
//! if a[i] == b[j]
//!     t[i,j] = t[i-1,j-1] + 1
//! else                                   =>    t[i,j] = a[i] == b[j] ? t[i-1,j-1] + 1 : max(t[i-1,j], t[i,j-1])
//!     t[i,j] = max(t[i-1,j], t[i,j-1])
//! ```

use super::accesses::is_same;
use crate::ir::build::{self, same_type};
use crate::ir::{Block, Body, Expr, ExprKind, Stmt, StmtKind};

/// Makes choices of the branches of a block, where that is possible.
pub(super) fn merge(block: &mut Block, body: &mut Body) {
    let stmts = std::mem::take(block);
    for stmt in stmts {
        match merged(&stmt, body) {
            Some(merged) => block.extend(merged),
            None => block.push(stmt),
        }
    }
}

fn merged(stmt: &Stmt, body: &mut Body) -> Option<Block> {
    let StmtKind::If { condition, then, otherwise } = &stmt.kind else { return None };
    let (mut then, mut otherwise) = (then.clone(), otherwise.clone());
    merge(&mut then, body);
    merge(&mut otherwise, body);
    if then.is_empty() || then.len() != otherwise.len() {
        return None;
    }
    let (mut found, mut condition) = (Block::new(), condition.clone());
    if then.len() > 1 {
        // What is set may be what the condition reads.
        let name = body.temporary(condition.ty.clone(), condition.span);
        let read = body.read(name, condition.span);
        found.push(build::assign(name, std::mem::replace(&mut condition, read)));
    }
    for (mut stmt, other) in then.into_iter().zip(otherwise) {
        let other = same_target(&stmt, other)?;
        let value = value_of(&mut stmt)?;
        *value = build::select(condition.clone(), value.clone(), other);
        found.push(stmt);
    }
    Some(found)
}

fn value_of(stmt: &mut Stmt) -> Option<&mut Expr> {
    match &mut stmt.kind {
        StmtKind::Assign { value, .. } | StmtKind::Store { value, .. } => Some(value),
        _ => None,
    }
}

/// The value of the second statement, if both set the same.
fn same_target(first: &Stmt, second: Stmt) -> Option<Expr> {
    match (&first.kind, second.kind) {
        (StmtKind::Assign { variable: a, value: x }, StmtKind::Assign { variable: b, value }) => {
            (*a == b && same_type(&x.ty, &value.ty)).then_some(value)
        }
        (
            StmtKind::Store { array, index, boundary, value: x },
            StmtKind::Store { array: other, index: at, boundary: mode, value },
        ) => {
            let one =
                matches!((&array.kind, &other.kind), (ExprKind::Local(a), ExprKind::Local(b)) if a == b);
            (one && is_same(index, &at) && *boundary == mode && same_type(&x.ty, &value.ty)).then_some(value)
        }
        _ => None,
    }
}
