//! Sliding extrema: `v = max(v, x[p0 + dy, p1 + dx])` for all `dy`, `dx` of a rectangle. Minimum and maximum are
//! commutative, associative and idempotent, so the windows of neighbouring positions can share their intersection.

use crate::analysis::innermost_invariance::{RowAccess, RowInvariance, RowOffset, place};
use crate::ir::rewrite::{same, sets, visit_stmts};
use crate::ir::{Expr, ExprKind, Kernel, Stmt, StmtKind, VarId};
use crate::types::known::scalar;
use crate::types::{Boundary, ElementType};
use quasar_devicelib::ops::Row;
use std::collections::BTreeSet;

/// A sliding minimum or maximum.
pub struct SlidingExtremum<'s> {
    /// The variable that accumulates it.
    pub variable: VarId,
    /// `min` or `max`.
    pub row: &'static Row,
    /// Element type.
    pub element: ElementType,
    /// The array.
    pub array: VarId,
    /// Boundary mode of the accesses.
    pub boundary: Boundary,
    /// The leading indices of each row of the window.
    pub leads: Vec<Vec<&'s Expr>>,
    /// Row-invariant terms added to the position, with signs.
    pub base: Vec<(bool, Expr)>,
    /// Offsets of the elements from there, ascending.
    pub offsets: Vec<i32>,
    /// Whether the variable is not NaN initially, so that NaN can be ignored from the start.
    pub number: bool,
    /// The number of statements that it consists of.
    pub count: usize,
}

/// One statement `v = row(v, x[lead, last])`.
struct Step<'s> {
    variable: VarId,
    row: &'static Row,
    array: VarId,
    boundary: Boundary,
    lead: Vec<&'s Expr>,
    around: RowOffset,
    element: ElementType,
}

/// The extremum at the start of the statements.
pub(super) fn find<'s>(
    stmts: &'s [Stmt],
    kernel: &Kernel,
    uniform: &RowInvariance<'_>,
) -> Option<SlidingExtremum<'s>> {
    let first = step(stmts.first()?, uniform)?;
    let steps: Vec<Step<'s>> =
        stmts.iter().map_while(|s| step(s, uniform).filter(|s| alike(s, &first))).collect();
    let mut rows: Vec<(&[&'s Expr], BTreeSet<i32>)> = Vec::new();
    for each in &steps {
        let known = rows.iter_mut().find(|row| row.0.iter().zip(&each.lead).all(|(a, b)| same(a, b)));
        match known {
            Some(row) => {
                row.1.insert(each.around.offset);
            }
            None => rows.push((&each.lead, BTreeSet::from([each.around.offset]))),
        }
    }
    let offsets = rows.first()?.1.clone();
    let full = rows.iter().all(|row| row.1 == offsets) && steps.len() == rows.len() * offsets.len();
    if !full || rows.len() < 2 || offsets.len() < 2 {
        return None;
    }
    Some(SlidingExtremum {
        variable: first.variable,
        row: first.row,
        element: first.element,
        array: first.array,
        boundary: first.boundary,
        leads: rows.iter().map(|row| row.0.to_vec()).collect(),
        base: first.around.base.clone(),
        offsets: offsets.into_iter().collect(),
        number: is_number(kernel, first.variable, uniform),
        count: steps.len(),
    })
}

/// Matches a statement as a step.
fn step<'s>(stmt: &'s Stmt, uniform: &RowInvariance<'_>) -> Option<Step<'s>> {
    let StmtKind::Assign { variable, value } = &stmt.kind else { return None };
    let ExprKind::Apply { row, args } = &value.kind else { return None };
    if !matches!(row.name, "min" | "max") {
        return None;
    }
    let load = match args.as_slice() {
        [a, b] if is_local(a, *variable) => b,
        [a, b] if is_local(b, *variable) => a,
        _ => return None,
    };
    let ExprKind::Load { array, index, boundary } = &load.kind else { return None };
    let ExprKind::Local(array) = array.kind else { return None };
    let RowAccess::Along { lead, around } = place(uniform, array, index)? else { return None };
    let element = scalar(&load.ty)?;
    let step = Step { variable: *variable, row, array, boundary: *boundary, lead, around, element };
    (!step.lead.is_empty()).then_some(step)
}

fn is_local(expr: &Expr, variable: VarId) -> bool {
    matches!(expr.kind, ExprKind::Local(v) if v == variable)
}

/// Whether two steps belong to one window.
fn alike(a: &Step<'_>, b: &Step<'_>) -> bool {
    let bases = || a.around.base.iter().zip(&b.around.base);
    a.variable == b.variable
        && a.row.name == b.row.name
        && a.array == b.array
        && a.boundary == b.boundary
        && a.around.base.len() == b.around.base.len()
        && bases().all(|(a, b)| a.0 == b.0 && same(&a.1, &b.1))
}

/// Whether a variable is never NaN: it is only assigned constants and steps.
fn is_number(kernel: &Kernel, variable: VarId, uniform: &RowInvariance<'_>) -> bool {
    let mut number = !kernel.body.params.contains(&variable) && !kernel.body.results.contains(&variable);
    visit_stmts(&kernel.body.block, &mut |stmt| {
        let mut sets_it = false;
        sets(stmt, &mut |v| sets_it |= *v == variable);
        if sets_it {
            number &= match &stmt.kind {
                StmtKind::Assign { value, .. } if value.constant().is_some() => {
                    value.constant().is_some_and(|c| !c.as_f64().is_nan())
                }
                _ => step(stmt, uniform).is_some(),
            };
        }
    });
    number
}
