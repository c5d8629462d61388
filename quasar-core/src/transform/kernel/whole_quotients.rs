//! `int(a/b)` and `int(floor(a/b))` of integers in loops whose iterations wait for the last one become quotients of integers: `while`
//! loops, and others that carry a number. The way through floats takes five times as long. Loops that are computed by vectors keep the
//! floats.

use crate::ir::rewrite::{blocks_mut, free_variables, operands_mut, set_in, transform};
use crate::ir::{Block, Expr, ExprKind, Kernel, StmtKind, build};
use crate::types::ElementType;
use crate::types::known::scalar;
use quasar_devicelib::ops::find;

/// Rewrites such loops of a kernel.
pub(super) fn run(kernel: &mut Kernel) {
    if kernel.schedule.vectors().next().is_none() {
        block(&mut kernel.body.block, false);
    }
}

fn block(stmts: &mut Block, waits: bool) {
    for stmt in stmts {
        let waits = waits
            || match &stmt.kind {
                StmtKind::While { .. } | StmtKind::Repeat { .. } => true,
                StmtKind::For { body, .. } => carries_a_number(body),
                _ => false,
            };
        if waits {
            operands_mut(stmt, &mut |e| transform(e, &mut quotient));
        }
        blocks_mut(stmt, &mut |inner| block(inner, waits));
    }
}

/// Whether iterations read a number that the last one has set.
fn carries_a_number(body: &Block) -> bool {
    let free = free_variables(body);
    set_in(body).iter().any(|v| free.contains(&v))
}

/// `int(a/b)` or `int(floor(a/b))`, where `a` is an integer and `b` an integer constant.
fn quotient(expr: &mut Expr) {
    let ExprKind::Convert(inner) = &expr.kind else { return };
    let (inner, floor) = match &inner.kind {
        ExprKind::Apply { row, args } if row.name == "floor" && args.len() == 1 => (&args[0], true),
        _ => (&**inner, false),
    };
    let ExprKind::Apply { row, args } = &inner.kind else { return };
    let ("divide", [a, b], Some(ElementType::Int32)) = (row.name, args.as_slice(), scalar(&expr.ty)) else {
        return;
    };
    let ExprKind::Convert(whole) = &a.kind else { return };
    let by = b.constant().map_or(0.0, |b| b.as_f64());
    let name = match scalar(&inner.ty) {
        Some(ElementType::Single) if floor => "floor_quotient_single",
        Some(ElementType::Double) if floor => "floor_quotient",
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
