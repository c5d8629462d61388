//! Which loops of a register tile a device's compiler is told to unroll, and how often.

use crate::ir::rewrite::{blocks, blocks_mut, operands, visit, visit_stmts};
use crate::ir::{Stmt, StmtKind};
use crate::target::gpu::{TILE_UNROLLED_CODE, TILE_UNROLLED_ITERATIONS};

/// Has the compiler unroll innermost loops of few iterations, as far as the code stays within bounds: iterations share loads.
pub(super) fn unroll_loops(block: &mut [Stmt]) {
    for stmt in block {
        blocks_mut(stmt, &mut |inner| unroll_loops(inner));
        let StmtKind::For { range, body, attributes, .. } = &mut stmt.kind else { continue };
        if attributes.unroll.is_some() || !is_innermost(body) {
            continue;
        }
        let copies = (TILE_UNROLLED_CODE / unrolled_size(body).max(1)).max(1) as i64;
        let Some(few) = range.constant_count().filter(|few| (2..=TILE_UNROLLED_ITERATIONS).contains(few))
        else {
            continue;
        };
        attributes.unroll = u32::try_from(few.min(copies)).ok().filter(|times| *times > 1);
    }
}

/// Whether a block has no loops but those over the positions of a tile.
fn is_innermost(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= match &stmt.kind {
            StmtKind::For { attributes, .. } => attributes.unroll != Some(0),
            StmtKind::ForEach { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. } => true,
            _ => false,
        };
    });
    !found
}

/// Expression nodes of a block whose loops over the positions of a tile are unrolled.
fn unrolled_size(block: &[Stmt]) -> usize {
    let size = |stmt: &Stmt| {
        let (mut own, mut inner) = (0, 0);
        operands(stmt, &mut |e| visit(e, &mut |_| own += 1));
        blocks(stmt, &mut |block| inner += unrolled_size(block));
        let times = match &stmt.kind {
            StmtKind::For { range, attributes, .. } if attributes.unroll == Some(0) => {
                range.to.constant_int().map_or(1, |last| last.max(0) as usize + 1)
            }
            _ => 1,
        };
        own + inner * times
    };
    block.iter().map(size).sum()
}
