//! Loops whose iterations go round the devices: `{!unroll times=2; multi_device=true} for k = .. f(x{k}) end` becomes
//!
//! ```text
//! turn = -1
//! before = place_launches(automatic)
//! for k = ..
//!     turn = turn + 1
//!     place_launches_in_turn(turn)        (with `times`: place_launches_on_gpu(mod(turn, times)))
//!     f(x{k})
//! end
//! place_launches(before)
//! ```

use crate::ir::rewrite::{jumps_out, transform_stmts, visit_block, visit_stmts};
use crate::ir::{
    Block, Body, Expr, ExprKind, Index, LaunchMode, LoopAttributes, LoopMode, Stmt, StmtKind, VarId, build,
};
use crate::types::Type;
use quasar_devicelib::ops;
use quasar_devicelib::value::affinity;

/// Takes the wish for several devices from a loop, with what else stood before it. A loop that was to be unrolled or to be
/// a parallel one stays a loop.
pub(super) fn take(stmt: &mut Stmt) -> Option<LoopAttributes> {
    let (StmtKind::For { attributes, .. } | StmtKind::ForEach { attributes, .. }) = &mut stmt.kind else {
        return None;
    };
    let taken = attributes.clone();
    attributes.multi_device = false;
    attributes.unroll = None;
    Some(taken)
}

/// Lets the devices run a loop together that has become one kernel. Which part of it each runs, and whether they can, is said
/// by the pass that divides launches.
pub(super) fn share(block: &mut Block) {
    transform_stmts(block, &mut |stmt| {
        if let StmtKind::Launch { mode: mode @ LaunchMode::Parallel, .. } = &mut stmt.kind {
            *mode = LaunchMode::Devices;
        }
    });
}

/// Lets the iterations of a loop take turns. The loop and the reason where that is nothing.
pub(super) fn distribute(
    mut stmt: Stmt,
    unroll: Option<u32>,
    body: &mut Body,
) -> Result<Block, (Box<Stmt>, &'static str)> {
    let span = stmt.span;
    let (StmtKind::For { body: iteration, attributes, .. }
    | StmtKind::ForEach { body: iteration, attributes, .. }) = &mut stmt.kind
    else {
        return Err((Box::new(stmt), "this is no loop"));
    };
    if !launches(iteration) {
        return Err((Box::new(stmt), "the loop launches no kernels"));
    }
    if jumps_out(iteration, 1) {
        return Err((Box::new(stmt), "not supported yet: jumps to a loop around it"));
    }
    attributes.mode = LoopMode::Host;
    let (turn, before) = (body.temporary(build::int_type(), span), body.temporary(build::int_type(), span));
    let int = |value: i32| build::int(value, span);
    let row = |name: &str, args: Vec<Expr>| {
        build::apply(ops::find(name).expect("a row that the table has"), args, build::int_type(), span)
    };
    let place = |name: &'static str, arg: Expr, result: Option<VarId>| Stmt {
        kind: StmtKind::Library { name, args: vec![arg], results: vec![result] },
        span,
    };
    let now = body.read(turn, span);
    let whose = match unroll {
        Some(times) if times > 0 => {
            let times = i32::try_from(times).unwrap_or(i32::MAX);
            place("place_launches_on_gpu", row("mod", vec![now.clone(), int(times)]), None)
        }
        _ => place("place_launches_in_turn", now.clone(), None),
    };
    let next = build::assign(turn, row("add", vec![now, int(1)]));
    iteration.splice(0..0, [next, whose]);
    let back = body.read(before, span);
    Ok(vec![
        build::assign(turn, int(-1)),
        place("place_launches", int(affinity::AUTOMATIC), Some(before)),
        stmt,
        place("place_launches", back, None),
    ])
}

/// Whether statements launch kernels, call functions that may, or compute with whole arrays, which becomes kernels.
fn launches(block: &Block) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= match &stmt.kind {
            StmtKind::Launch { .. } | StmtKind::Call { .. } | StmtKind::CallValue { .. } => true,
            StmtKind::Store { index, .. } => index.iter().any(|each| !matches!(each, Index::At(_))),
            _ => false,
        };
    });
    visit_block(block, &mut |e| {
        let whole = matches!(e.ty, Type::Array(_)) && matches!(e.kind, ExprKind::Apply { .. });
        found |= whole || matches!(e.kind, ExprKind::Reduce { .. });
    });
    found
}
