//! Interior loops: a kernel that writes `y[pos.0 + 1, pos.1 + 1]` visits the positions from `(1, 1)` on instead, so that each
//! position writes its own element. Rows of such arrays are divided among threads and written in order.

use crate::ir::barriers::waits;
use crate::ir::rewrite::{operands_mut, stored_in, transform, transform_stmts, visit_block, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, Index, Kernel, StmtKind, VarSet, build};
use crate::target::cpu::FARTHEST_ORIGIN;
use crate::types::known::rank;
use quasar_devicelib::ops::find;

/// Moves the first position of a kernel to where it writes.
pub(super) fn run(kernel: &mut Kernel) {
    if !kernel.parallel || !kernel.body.results.is_empty() || waits(&kernel.body.block) {
        return;
    }
    let Some(origin) = written_from(kernel) else { return };
    transform_stmts(&mut kernel.body.block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Coordinate(Coordinate::Position, axis) = e.kind {
                    *e = plus(e.clone(), -origin[axis]);
                } else if let Some((core, offset)) = offset(e) {
                    *e = plus(core.clone(), offset);
                }
            });
        });
    });
    kernel.schedule.origin = origin;
}

/// The offsets from the position that all accesses to written arrays have, where not all are zero.
fn written_from(kernel: &Kernel) -> Option<Vec<i32>> {
    let body = &kernel.body;
    let stored = stored_in(&body.block);
    let written: VarSet = body.params.iter().copied().filter(|param| stored.contains(param)).collect();
    let mut origin: Option<Vec<i32>> = None;
    let mut same = written.iter().all(|v| rank(&body.variables[v].ty) == Some(kernel.rank));
    let (mut mentions, mut parts, mut plain) = (0, 0, true);
    let named = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if written.contains(&v));
    let mut access = |array: &Expr, index: &[Index]| {
        if named(array) {
            let here = offsets(index, kernel.rank);
            same &= here.is_some() && (origin.is_none() || origin == here);
            origin = here;
            parts += 1;
        }
    };
    visit_stmts(&body.block, &mut |stmt| match &stmt.kind {
        StmtKind::Store { array, index, .. } | StmtKind::Update { array, index, .. } => access(array, index),
        _ => {}
    });
    visit_block(&body.block, &mut |e| match &e.kind {
        ExprKind::Load { array, index, .. } => access(array, index),
        ExprKind::Coordinate(coordinate, _) => plain &= *coordinate == Coordinate::Position,
        ExprKind::Local(_) => mentions += i32::from(named(e)),
        _ => {}
    });
    visit_block(&body.block, &mut |e| {
        if let ExprKind::Extent(array, _) | ExprKind::Count(array) = &e.kind {
            parts += i32::from(named(array));
        }
    });
    same &= mentions <= parts && plain;
    origin.filter(|origin| {
        same && origin.iter().any(|o| *o != 0) && origin.iter().all(|o| (0..=FARTHEST_ORIGIN).contains(o))
    })
}

/// The constants by which indices differ from the components of the position.
fn offsets(index: &[Index], rank: usize) -> Option<Vec<i32>> {
    let of = |(axis, each): (usize, &Index)| {
        let Index::At(e) = each else { return None };
        let (core, offset) = offset(e).unwrap_or((e, 0));
        let own = matches!(core.kind, ExprKind::Coordinate(Coordinate::Position, k) if k == axis);
        own.then_some(offset)
    };
    (index.len() == rank).then(|| index.iter().enumerate().map(of).collect())?
}

/// A sum of something and constants.
fn offset(e: &Expr) -> Option<(&Expr, i32)> {
    let ExprKind::Apply { row, args } = &e.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    let (core, constant) = match (row.name, a.constant_int(), b.constant_int()) {
        ("add", None, Some(n)) => (a, n),
        ("add", Some(n), None) => (b, n),
        ("subtract", None, Some(n)) => (a, n.checked_neg()?),
        _ => return None,
    };
    let (core, more) = offset(core).unwrap_or((core, 0));
    Some((core, constant.checked_add(more)?))
}

/// The sum with a constant.
fn plus(e: Expr, constant: i32) -> Expr {
    let (ty, span) = (e.ty.clone(), e.span);
    match (find("add"), find("subtract")) {
        (Some(add), _) if constant > 0 => build::apply(add, vec![e, build::int(constant, span)], ty, span),
        (_, Some(subtract)) if constant < 0 => {
            build::apply(subtract, vec![e, build::int(-constant, span)], ty, span)
        }
        _ => e,
    }
}
