//! Branches that set the same variable, or store to the same element, in all cases are choices of its value:
//!
//! ```text
//! if a[i] == b[j]
//!     t[i,j] = t[i-1,j-1] + 1
//! else                                   =>    t[i,j] = a[i] == b[j] ? t[i-1,j-1] + 1 : max(t[i-1,j], t[i,j-1])
//!     t[i,j] = max(t[i-1,j], t[i,j-1])
//! ```

use super::accesses::is_same;
use crate::ir::build::{self, same_type};
use crate::ir::{Block, Expr, ExprKind, Stmt, StmtKind};

/// Makes choices of the branches of a block, where that is possible.
pub(super) fn merge(block: &mut Block) {
    for stmt in block {
        if let Some(merged) = merged(stmt) {
            *stmt = merged;
        }
    }
}

fn merged(stmt: &Stmt) -> Option<Stmt> {
    let StmtKind::If { condition, then, otherwise } = &stmt.kind else { return None };
    let ([then], [otherwise]) = (then.as_slice(), otherwise.as_slice()) else { return None };
    let inner = |stmt: &Stmt| merged(stmt).unwrap_or_else(|| stmt.clone());
    let mut then = inner(then);
    let other = same_target(&then, inner(otherwise))?;
    let value = value_of(&mut then)?;
    *value = build::select(condition.clone(), value.clone(), other);
    Some(then)
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
