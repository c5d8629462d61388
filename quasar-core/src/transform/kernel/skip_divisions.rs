//! Remainders of numbers that are near: an index that wraps around by `mod(n+1, N)` is nearly always below `N` or below `2*N`, which two
//! comparisons tell. A division takes ten times as long, and no vector has one.
//!
//! ```text
//! mod(a, n)     =>     0 <= a < n ? a : (n <= a && 0 <= a-n < n ? a-n : mod(a, n))
//! ```
//!
//! Divisors that are constants are left: compilers have no division for these.

use crate::ir::rewrite::{operands_mut, transform, transform_stmts, visit};
use crate::ir::{Expr, ExprKind, Kernel, build};
use crate::target::any::CHEAP_INDEX_NODES;
use crate::types::ElementType;
use crate::types::known::scalar;

/// Runs the pass on one kernel.
pub(super) fn run(kernel: &mut Kernel) {
    transform_stmts(&mut kernel.body.block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let Some(near) = near(e) {
                    *e = near;
                }
            });
        });
    });
}

/// A remainder with what is tested before.
fn near(e: &Expr) -> Option<Expr> {
    let ExprKind::Apply { row, args } = &e.kind else { return None };
    let [a, n] = args.as_slice() else { return None };
    let ints = args.iter().all(|arg| scalar(&arg.ty) == Some(ElementType::Int32));
    if row.name != "mod" || !ints || n.constant().is_some() || !is_cheap(a) || !is_cheap(n) {
        return None;
    }
    let zero = || build::int(0, e.span);
    let is_inside = |e: &Expr| {
        let (least, most) = (
            build::of_ints("greater_equal", e.clone(), zero()),
            build::of_ints("less", e.clone(), n.clone()),
        );
        build::and(least, most)
    };
    // Of a number far below, the difference would wrap around.
    let above = build::of_ints("greater_equal", a.clone(), n.clone());
    let beyond = build::of_ints("subtract", a.clone(), n.clone());
    let further = build::select(build::and(above, is_inside(&beyond)), beyond, e.clone());
    Some(build::select(is_inside(a), a.clone(), further))
}

/// Whether a number may be computed several times.
fn is_cheap(e: &Expr) -> bool {
    let (mut nodes, mut cheap) = (0, true);
    visit(e, &mut |e| {
        nodes += 1;
        cheap &= match &e.kind {
            ExprKind::Local(_) | ExprKind::Constant(_) | ExprKind::Coordinate(..) | ExprKind::Extent(..) => {
                true
            }
            ExprKind::Apply { row, .. } => matches!(row.name, "add" | "subtract" | "multiply" | "negate"),
            _ => false,
        };
    });
    cheap && nodes <= CHEAP_INDEX_NODES
}
