//! The two factors by which a sum grows in a contraction: one that all columns of a tile have in common, and one that all rows have in
//! common.

use crate::ir::rewrite::{children_mut, same, visit};
use crate::ir::{Coordinate, Expr, ExprKind, VarId, build};
use crate::types::known::scalar;

/// The factors of the value that a sum gets in a step: the largest parts that do not depend on the second of two components of
/// the position, but on the first one, and those that do not depend on the first one. `None` where a part depends on both, or there
/// are several such parts.
pub(super) fn factors(value: &Expr, sum: VarId, axes: [usize; 2]) -> Option<[Expr; 2]> {
    let mut found = [None, None];
    collect(value, sum, axes, &mut found)?;
    let [rows, columns] = found;
    Some([rows?, columns?])
}

fn collect(e: &Expr, sum: VarId, axes: [usize; 2], found: &mut [Option<Expr>; 2]) -> Option<()> {
    if e.constant().is_some() || is_variable(e, sum) {
        return Some(());
    }
    let mut has_sum = false;
    visit(e, &mut |e| has_sum |= is_variable(e, sum));
    let [of_rows, of_columns] = axes.map(|axis| mentions(e, axis));
    if has_sum || of_rows && of_columns {
        return match &e.kind {
            ExprKind::Apply { args, .. } => args.iter().try_for_each(|arg| collect(arg, sum, axes, found)),
            ExprKind::Convert(inner) => collect(inner, sum, axes, found),
            _ => None,
        };
    }
    let place = &mut found[usize::from(!of_rows)];
    scalar(&e.ty)?;
    if place.as_ref().is_some_and(|known| !same(known, e)) {
        return None;
    }
    *place = Some(e.clone());
    Some(())
}

/// The value with variables in the place of its factors.
pub(super) fn in_variables(value: &Expr, factors: [(&Expr, VarId); 2]) -> Expr {
    let mut value = value.clone();
    replace(&mut value, &factors);
    value
}

fn replace(e: &mut Expr, factors: &[(&Expr, VarId); 2]) {
    for (factor, variable) in factors {
        if same(e, factor) {
            *e = build::local(*variable, e.ty.clone(), e.span);
            return;
        }
    }
    children_mut(e, &mut |inner| replace(inner, factors));
}

fn is_variable(e: &Expr, variable: VarId) -> bool {
    matches!(e.kind, ExprKind::Local(v) if v == variable)
}

/// Whether a value depends on a component of the position.
pub(super) fn mentions(e: &Expr, axis: usize) -> bool {
    let mut found = false;
    visit(e, &mut |e| {
        found |= matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, k) if k == axis);
    });
    found
}
