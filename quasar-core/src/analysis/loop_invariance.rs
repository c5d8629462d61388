//! Loop invariance: which expressions keep their value while a thread runs, so that they can be hoisted.

use crate::ir::rewrite::visit;
use crate::ir::{Expr, ExprKind, VarId};

/// Whether an expression is arithmetic over numbers, the thread's position, extents, and variables that satisfy
/// `keeps`. Loads are not invariant, since elements may change.
pub fn is_invariant(expr: &Expr, keeps: impl Fn(VarId) -> bool) -> bool {
    let mut steady = true;
    visit(expr, &mut |e| {
        steady &= match &e.kind {
            ExprKind::Constant(_)
            | ExprKind::Coordinate(..)
            | ExprKind::Extent(..)
            | ExprKind::Apply { .. } => true,
            ExprKind::Local(variable) => keeps(*variable),
            _ => false,
        };
    });
    steady
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::build::{self, int_type};
    use crate::source::Span;
    use crate::types::Boundary;
    use quasar_devicelib::ops::find;

    #[test]
    fn elements_and_variables_that_change_are_not_steady() {
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
