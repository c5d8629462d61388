//! Windows whose extreme is taken: `v = max(v, x[p0 + dy, p1 + dx])` for all `dy`, `dx` of a rectangle needs
//! `height + width` steps a position instead of `height * width` when each row first combines its columns. Exact, since
//! minimum and maximum do not depend on the order.

use super::shape::{Around, Uniform};
use super::types::scalar;
use crate::ir::rewrite::{sets, visit_stmts};
use crate::ir::{Expr, ExprKind, Index, Kernel, Stmt, StmtKind, VarId};
use crate::types::Boundary;
use quasar_devicelib::ops::Row;

/// One statement `v = row(v, x[lead, last])`.
pub(super) struct Step<'s> {
    pub(super) variable: VarId,
    pub(super) row: &'static Row,
    pub(super) array: VarId,
    pub(super) boundary: Boundary,
    pub(super) lead: Vec<&'s Expr>,
    pub(super) around: Around,
    pub(super) element: crate::types::ElementType,
}

/// The statement as a step, if it is one.
pub(super) fn step<'s>(stmt: &'s Stmt, uniform: &Uniform<'_>) -> Option<Step<'s>> {
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
    let positions: Vec<&Expr> = index
        .iter()
        .map(|each| match each {
            Index::At(e) => Some(e),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let (last, lead) = positions.split_last()?;
    if lead.is_empty() || !lead.iter().all(|e| uniform.holds(e)) {
        return None;
    }
    let around = uniform.around(last)?;
    let element = scalar(&load.ty)?;
    Some(Step { variable: *variable, row, array, boundary: *boundary, lead: lead.to_vec(), around, element })
}

fn is_local(expr: &Expr, variable: VarId) -> bool {
    matches!(expr.kind, ExprKind::Local(v) if v == variable)
}

/// Whether two steps belong to one window.
pub(super) fn alike(a: &Step<'_>, b: &Step<'_>) -> bool {
    a.variable == b.variable && a.row.name == b.row.name && a.array == b.array && a.boundary == b.boundary
}

/// Whether a variable never holds NaN: it starts as constants and only takes steps.
pub(super) fn is_number(kernel: &Kernel, variable: VarId, uniform: &Uniform<'_>) -> bool {
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
