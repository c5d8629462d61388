//! Conditions on the column that all code of a kernel stands under, as in `if n >= m .. endif` for positions `(m, n)`: vectors go over
//! the columns for which they hold, and need no masks.

use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes::has_checked_loads;
use crate::ir::schedule::ColumnBound;
use crate::ir::{Block, Coordinate, Expr, ExprKind, Stmt, StmtKind};
use crate::types::ElementType;
use crate::types::known::scalar;

/// Takes the conditions on the column away; what does not depend on it stays a branch.
pub(super) fn take(uniform: &RowInvariance<'_>, mut block: Block) -> (Block, Vec<ColumnBound>) {
    let mut bounds = Vec::new();
    while let [Stmt { kind: StmtKind::If { condition, then, otherwise }, span }] = block.as_mut_slice() {
        let mut rest = None;
        if !otherwise.is_empty() || !split(uniform, condition, &mut bounds, &mut rest) {
            break;
        }
        let (span, then) = (*span, std::mem::take(then));
        let Some(condition) = rest else {
            block = then;
            continue;
        };
        let kind = StmtKind::If { condition, then, otherwise: Block::new() };
        return (vec![Stmt::new(kind, span)], bounds);
    }
    (block, bounds)
}

/// Whether a condition is a conjunction of bounds of the column, which are noted, and of others that hold for a row. Where it is not,
/// nothing is noted.
fn split(
    uniform: &RowInvariance<'_>,
    condition: &Expr,
    bounds: &mut Vec<ColumnBound>,
    rest: &mut Option<Expr>,
) -> bool {
    let before = (bounds.len(), rest.clone());
    let fits = match &condition.kind {
        ExprKind::And(a, b) => split(uniform, a, bounds, rest) && split(uniform, b, bounds, rest),
        _ => match bound(uniform, condition) {
            Some(bound) => {
                bounds.push(bound);
                true
            }
            None if uniform.holds(condition) && !has_checked_loads(condition) => {
                let known = rest.take();
                *rest = Some(match known {
                    Some(known) => crate::ir::build::and(known, condition.clone()),
                    None => condition.clone(),
                });
                true
            }
            None => false,
        },
    };
    if !fits {
        bounds.truncate(before.0);
        *rest = before.1;
    }
    fits && (bounds.len() > before.0 || rest.is_some())
}

/// The bound that a comparison sets for the column.
fn bound(uniform: &RowInvariance<'_>, condition: &Expr) -> Option<ColumnBound> {
    let ExprKind::Apply { row, args } = &condition.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    let (least, strict) = match row.name {
        "greater_equal" => (true, false),
        "greater" => (true, true),
        "less_equal" => (false, false),
        "less" => (false, true),
        _ => return None,
    };
    let is_column = |e: &Expr| matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, axis) if axis == uniform.last());
    let is_bound =
        |e: &Expr| scalar(&e.ty) == Some(ElementType::Int32) && uniform.holds(e) && !has_checked_loads(e);
    match (is_column(a), is_column(b)) {
        (true, false) if is_bound(b) => Some(ColumnBound { least, strict, value: b.clone() }),
        (false, true) if is_bound(a) => Some(ColumnBound { least: !least, strict, value: a.clone() }),
        _ => None,
    }
}
