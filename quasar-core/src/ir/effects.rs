//! What evaluating an expression may do beside giving a value: end with an error, and take memory, which is one. What may fail
//! stays where it was written: not in front of something that is said or stored before it, not in front of another failure,
//! not outside of the `try` around it, not outside of a branch that may not be taken.

use super::rewrite::{visit, visit_stmts};
use super::{Expr, ExprKind, Index, Stmt, StmtKind};
use crate::types::{Boundary, Overflow, Type};

/// Whether evaluating an expression of host code may end with an error.
pub fn may_fail(expr: &Expr) -> bool {
    let mut found = false;
    visit(expr, &mut |e| found = found || fails(e));
    found
}

/// As [`may_fail`], without its operands.
fn fails(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Load { boundary, index, .. } => {
            *boundary == Boundary::Checked
                || !is_number(&e.ty)
                || !index.iter().all(|i| matches!(i, Index::At(at) if is_number(&at.ty)))
        }
        ExprKind::Convert(inner) => match (&e.ty, &inner.ty) {
            (Type::Scalar(_, overflow), from) => *overflow == Overflow::Checked || !is_number(from),
            (to, from) => !(is_number(to) && is_number(from)) && to != from,
        },
        // Numbers of numbers always have a value; arrays take memory, and have sizes that may differ.
        ExprKind::Apply { args, .. } => !is_number(&e.ty) || !args.iter().all(|arg| is_number(&arg.ty)),
        ExprKind::Field(inner, _) => matches!(inner.ty, Type::Dynamic),
        ExprKind::Tuple(_) => matches!(e.ty, Type::Array(_) | Type::Dynamic),
        ExprKind::Global(_)
        | ExprKind::Array(_)
        | ExprKind::New(_)
        | ExprKind::Function { .. }
        | ExprKind::Member(..)
        | ExprKind::Sequence(_)
        | ExprKind::Reduce { .. }
        | ExprKind::Library { .. }
        | ExprKind::BlockSize(_) => true,
        ExprKind::Constant(_)
        | ExprKind::Text(_)
        | ExprKind::Null
        | ExprKind::Local(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Select { .. }
        | ExprKind::Same(..)
        | ExprKind::Extent(..)
        | ExprKind::Count(_)
        | ExprKind::Coordinate(..) => false,
    }
}

fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(..) | Type::Enum(_))
}

/// Whether statements may do something that is seen when what was written before them fails, or fail themselves.
pub fn are_seen(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(
            stmt.kind,
            StmtKind::Store { .. }
                | StmtKind::Update { .. }
                | StmtKind::Exchange { .. }
                | StmtKind::Call { .. }
                | StmtKind::CallValue { .. }
                | StmtKind::Library { .. }
                | StmtKind::Launch { .. }
                | StmtKind::AssignGlobal { .. }
                | StmtKind::SetMember { .. }
                | StmtKind::Fail { .. }
                | StmtKind::Assert { .. }
        );
    });
    found
}
