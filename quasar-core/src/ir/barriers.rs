//! Where the threads of a kernel need each other: barriers, shared arrays, and what the threads of a warp exchange.

use super::rewrite::{visit_block, visit_stmts};
use super::{Coordinate, ExprKind, Kernel, Scope, Stmt, StmtKind, is_warp_function};
use quasar_devicelib::kernel::groups;

/// Whether a block contains barriers or shared arrays.
pub fn waits(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Barrier(_) | StmtKind::Shared { .. });
    });
    found
}

/// Whether a block contains barriers, shared arrays or warp functions, so that all threads of a block must be present.
pub fn meets(block: &[Stmt]) -> bool {
    let mut found = waits(block);
    visit_stmts(block, &mut |stmt| found |= is_warp_function(stmt));
    found
}

/// Whether a statement is where the threads of a warp meet: one brings what another gets.
pub fn is_meeting(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Library { name, .. } if is_warp_function(stmt) && groups::is_meeting(name))
}

/// Whether the threads of warps meet in a block, by exchanges or barriers of warps, and no others.
pub fn meets_in_warps_only(block: &[Stmt]) -> bool {
    let (mut found, mut others) = (false, false);
    visit_stmts(block, &mut |stmt| match stmt.kind {
        StmtKind::Barrier(Scope::Warp) => found = true,
        StmtKind::Barrier(_) | StmtKind::Shared { .. } => others = true,
        _ => found |= is_meeting(stmt),
    });
    found && !others
}

/// Whether a kernel speaks of warps, whose size is the same on CUDA and on the processor only.
pub fn uses_warps(kernel: &Kernel) -> bool {
    let mut found = false;
    visit_stmts(&kernel.body.block, &mut |stmt| {
        found |= is_warp_function(stmt) || matches!(stmt.kind, StmtKind::Barrier(Scope::Warp));
    });
    visit_block(&kernel.body.block, &mut |e| {
        found |= matches!(e.kind, ExprKind::Coordinate(Coordinate::WarpSize, _));
    });
    found
}

/// Whether a block contains grid barriers.
pub fn has_grid_barriers(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Barrier(Scope::Grid | Scope::Host))
    });
    found
}
