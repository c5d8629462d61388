//! What evaluating an expression may do beside giving a value: end with an error, and take memory, which is one. What may fail
//! stays where it was written: not in front of something that is said or stored before it, not in front of another failure,
//! not outside of the `try` around it, not outside of a branch that may not be taken.

use super::conversions::total;
use super::rewrite::{operands, visit, visit_stmts};
use super::{Expr, ExprKind, Index, Stmt, StmtKind, VarId};
use crate::types::{Boundary, Overflow, Type};

/// Whether evaluating an expression of host code may end with an error.
pub fn may_fail(expr: &Expr) -> bool {
    let mut found = false;
    visit(expr, &mut |e| found = found || fails(e));
    found
}

/// Whether statements that become a kernel may end with an error.
pub fn block_may_fail(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= match &stmt.kind {
            StmtKind::Store { boundary, .. }
            | StmtKind::Update { boundary, .. }
            | StmtKind::Exchange { boundary, .. } => *boundary == Boundary::Checked,
            StmtKind::Fail { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Call { .. }
            | StmtKind::CallValue { .. }
            | StmtKind::Library { .. } => true,
            _ => false,
        };
        operands(stmt, &mut |operand| found |= may_fail(operand));
    });
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
            (Type::Scalar(to, overflow), from) => match from {
                // Floats take every number.
                Type::Scalar(from, _) => {
                    *overflow == Overflow::Checked && to.is_integer() && !total(inner, e)
                        || from.is_complex() && !to.is_complex()
                }
                from => *overflow == Overflow::Checked || !is_number(from),
            },
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

/// Whether an expression is arithmetic over numbers, the thread's position, extents, and variables that satisfy
/// `keeps`. Loads are not invariant, since elements may change.
pub fn is_invariant(expr: &Expr, keeps: impl Fn(VarId) -> bool) -> bool {
    let mut invariant = true;
    visit(expr, &mut |e| {
        invariant &= match &e.kind {
            ExprKind::Constant(_)
            | ExprKind::Coordinate(..)
            | ExprKind::Extent(..)
            | ExprKind::Apply { .. } => true,
            ExprKind::Local(variable) => keeps(*variable),
            _ => false,
        };
    });
    invariant
}

/// What a statement may do by itself besides setting variables, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing.
    None,
    /// End with an error.
    Fail,
    /// Change memory or be seen from outside, and fail.
    Write,
}

/// The effect of a statement without those of its blocks and operands.
pub fn effect(stmt: &Stmt) -> Effect {
    match &stmt.kind {
        StmtKind::Store { .. }
        | StmtKind::Update { .. }
        | StmtKind::Exchange { .. }
        | StmtKind::Call { .. }
        | StmtKind::CallValue { .. }
        | StmtKind::Library { .. }
        | StmtKind::Launch { .. }
        | StmtKind::AssignGlobal { .. }
        | StmtKind::SetMember { .. } => Effect::Write,
        StmtKind::Fail { .. } | StmtKind::Assert { .. } => Effect::Fail,
        StmtKind::Assign { .. }
        | StmtKind::Shared { .. }
        | StmtKind::If { .. }
        | StmtKind::For { .. }
        | StmtKind::ForEach { .. }
        | StmtKind::While { .. }
        | StmtKind::Repeat { .. }
        | StmtKind::Strips { .. }
        | StmtKind::Try { .. }
        | StmtKind::Break { .. }
        | StmtKind::Continue { .. }
        | StmtKind::Barrier(_)
        | StmtKind::Fence(_) => Effect::None,
    }
}

/// The strongest effect of statements and those in their blocks.
pub fn strongest(block: &[Stmt]) -> Effect {
    let mut found = Effect::None;
    visit_stmts(block, &mut |stmt| found = found.max(effect(stmt)));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Id;
    use crate::ir::build::{self, int_type};
    use crate::source::Span;
    use quasar_devicelib::ops::find;

    #[test]
    fn the_strongest_effect_counts_wherever_it_stands() {
        let span = Span::default();
        let variable = Id::new(0);
        let assign = || build::assign(variable, build::int(1, span));
        let array = build::local(variable, build::array_type(int_type(), 1), span);
        let store = Stmt::new(
            StmtKind::Store {
                array,
                index: vec![Index::At(build::int(0, span))],
                boundary: Boundary::Safe,
                value: build::int(2, span),
            },
            span,
        );
        let branch = |block| build::choice(build::int(1, span), vec![assign()], block, span);
        assert_eq!(strongest(&[]), Effect::None);
        assert_eq!(strongest(&[assign(), branch(vec![assign()])]), Effect::None);
        assert_eq!(strongest(&[assign(), branch(vec![branch(vec![store])]), assign()]), Effect::Write);
    }

    #[test]
    fn elements_and_variables_that_change_are_not_invariant() {
        let (kept, changing) = (VarId::new(0), VarId::new(1));
        let local = |v| build::local(v, int_type(), Span::default());
        let plus = |a, b| build::apply(find("add").unwrap(), vec![a, b], int_type(), Span::default());
        let keeps = |v| v == kept;
        assert!(is_invariant(&plus(local(kept), build::int(3, Span::default())), keeps));
        assert!(!is_invariant(&plus(local(kept), local(changing)), keeps));
        let array = Box::new(build::local(kept, build::array_type(int_type(), 1), Span::default()));
        let kind = ExprKind::Load { array, index: Vec::new(), boundary: Boundary::Safe };
        assert!(!is_invariant(&Expr::new(kind, int_type(), Span::default()), keeps));
    }
}
