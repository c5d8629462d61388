//! Short rows: what is done before each row of positions costs more than a row of few. A launch of such rows, as one over a batch of
//! small matrices, goes through all positions of a task by plain loops, where no index is outside for any of them:
//!
//! ```text
//! for i = 0..n-1                          if rows are short, and indices are inside at the corners of the task
//!     for r = 0..2                            for i = .. for r = 0..2 for c = 0..2
//!         for c = 0..2                            y[i,r,c] = a'unchecked[i,r,0]*b'unchecked[i,0,c] + ..
//!             y[i,r,c] = a[i,r,0]*b[i,0,c] + ..
//! ```
//!
//! An index is a sum of components of the position times numbers, so that it is inside of an array for all positions of a box where it
//! is at the corners.

use super::vectorize::{Allowed, is_plain};
use crate::analysis::access_pattern::{self, AccessPattern};
use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes::{Affine, Assumption, Lanes, affine, assumptions, lanes, loop_variables, tests};
use crate::ir::barriers::waits;
use crate::ir::rewrite::{set_in, visit, visit_block, visit_stmts};
use crate::ir::schedule::ShortRows;
use crate::ir::{Block, Coordinate, Expr, ExprKind, Index, Kernel, Program, StmtKind, VarSet};
use crate::target::cpu::{COLLAPSED_CHANNELS, END_VECTOR, SHORT_PLANE, SHORT_ROW_NODES, SHORT_VECTOR};

/// The code of a kernel for short rows, whose vectors were chosen.
pub(super) fn choose(program: &Program, kernel: &Kernel) -> Option<ShortRows> {
    let (body, schedule) = (&kernel.body, &kernel.schedule);
    let plain = kernel.parallel
        && kernel.rank >= 2
        && body.results.is_empty()
        && kernel.accumulators.is_empty()
        && schedule.tables.is_none()
        && !schedule.linearized
        && !waits(&body.block)
        && is_plain(body, &body.block, &Allowed { narrows: true, ..Allowed::default() });
    if !plain {
        return None;
    }
    let mut nodes = 0;
    visit_block(&body.block, &mut |_| nodes += 1);
    let reaches = access_pattern::reaches(program, kernel);
    let own =
        |reach: &AccessPattern| matches!(reach, AccessPattern::ReadOnly | AccessPattern::OwnRows { .. });
    if nodes > SHORT_ROW_NODES || !reaches.values().all(own) {
        return None;
    }
    let set = set_in(&body.block);
    let uniform = RowInvariance::new(kernel, &reaches, &set);
    // Elements at indices that come from data are tested one by one.
    let tested = tests(&uniform, &loop_variables(&body.block), &body.block);
    if tested || !assumptions(&uniform, &body.block)?.iter().all(is_monotonic) {
        return None;
    }
    // Neighbours along rows lie side by side where rows are long.
    let elements = schedule.collapsed.is_some() && !gathers(&uniform.clone().collapsed(), &body.block);
    // Long loops are better done by vectors, or packed.
    let mut loops = false;
    visit_stmts(&body.block, &mut |stmt| {
        loops |= matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. })
    });
    if kernel.rank == 2 && (loops || elements || is_along_rows(&uniform, &body.block)) {
        return None;
    }
    let most = match (loops, &schedule.vector) {
        (true, _) => END_VECTOR as i32 - 1,
        (false, Some(_)) => SHORT_VECTOR as i32,
        (false, None) => COLLAPSED_CHANNELS,
    };
    let plane = if loops || elements { SHORT_PLANE } else { i32::MAX };
    Some(ShortRows { block: body.block.clone(), most, plane })
}

/// Whether what is assumed of a row are sums of components of the position.
fn is_monotonic(assumption: &Assumption) -> bool {
    let sum =
        |affine: &Affine| affine.terms.iter().all(|(_, term)| is_component(term) || !has_position(term));
    match assumption {
        Assumption::Loop(_, from, to) => sum(from) && sum(to),
        Assumption::Inside { index, .. } => sum(index),
    }
}

fn is_component(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, _))
}

fn has_position(e: &Expr) -> bool {
    let mut found = false;
    visit(e, &mut |e| found |= matches!(e.kind, ExprKind::Coordinate(..) | ExprKind::Load { .. }));
    found
}

/// Whether elements of neighbouring positions lie apart.
fn gathers(uniform: &RowInvariance<'_>, block: &Block) -> bool {
    let mut found = false;
    visit_block(block, &mut |e| {
        if let ExprKind::Load { index, .. } = &e.kind {
            found |= lanes(uniform, None, index) == Lanes::Gather;
        }
    });
    found
}

/// Whether a position reads at a distance along its row, as windows of pictures do.
fn is_along_rows(uniform: &RowInvariance<'_>, block: &Block) -> bool {
    let mut found = false;
    visit_block(block, &mut |e| {
        if let ExprKind::Load { index, .. } = &e.kind
            && let Some(Index::At(last)) = index.last()
            && let Some(along) = affine(uniform, &VarSet::new(), last)
        {
            found |= along.position != 0 && along.constant != 0;
        }
    });
    found
}
