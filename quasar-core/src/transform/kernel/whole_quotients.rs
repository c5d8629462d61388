//! `int(a/b)` of integers in `while` loops becomes the quotient of integers. In such loops each iteration waits for the last
//! one, and the way through floats takes five times as long. Loops that are computed by vectors keep the floats.

use crate::ir::rewrite::{blocks_mut, operands_mut, transform};
use crate::ir::{Block, Expr, ExprKind, Kernel, StmtKind, build};
use crate::types::ElementType;
use crate::types::known::scalar;
use quasar_devicelib::ops::find;

/// Rewrites the `while` loops of a kernel.
pub(super) fn run(kernel: &mut Kernel) {
    if kernel.schedule.vectors().next().is_none() {
        block(&mut kernel.body.block, false);
    }
}

fn block(stmts: &mut Block, waits: bool) {
    for stmt in stmts {
        let waits = waits || matches!(stmt.kind, StmtKind::While { .. } | StmtKind::Repeat { .. });
        if waits {
            operands_mut(stmt, &mut |e| transform(e, &mut quotient));
        }
        blocks_mut(stmt, &mut |inner| block(inner, waits));
    }
}

/// `int(a/b)`, where `a` is an integer and `b` an integer constant.
fn quotient(expr: &mut Expr) {
    let ExprKind::Convert(inner) = &expr.kind else { return };
    let ExprKind::Apply { row, args } = &inner.kind else { return };
    let ("divide", [a, b], Some(ElementType::Int32)) = (row.name, args.as_slice(), scalar(&expr.ty)) else {
        return;
    };
    let ExprKind::Convert(whole) = &a.kind else { return };
    let by = b.constant().map_or(0.0, |b| b.as_f64());
    let name = match scalar(&inner.ty) {
        Some(ElementType::Single) => "quotient_single",
        Some(ElementType::Double) => "quotient",
        _ => return,
    };
    // By 1 and -1 the result may be outside, where conversions differ.
    let divides = by.fract() == 0.0 && (2.0..=f64::from(i32::MAX)).contains(&by.abs());
    if scalar(&whole.ty) == Some(ElementType::Int32)
        && divides
        && let Some(row) = find(name)
    {
        let args = vec![(**whole).clone(), build::int(by as i32, b.span)];
        *expr = build::apply(row, args, expr.ty.clone(), expr.span);
    }
}
