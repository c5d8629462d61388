//! Estimates the cost of kernels, to decide whether a launch is worth several threads.

use crate::ir::rewrite::{blocks, operands, visit};
use crate::ir::{Stmt, StmtKind};

/// Estimated operations of a block for one position.
pub fn cost(block: &[Stmt]) -> u32 {
    let mut total = 0u32;
    for stmt in block {
        operands(stmt, &mut |e| visit(e, &mut |_| total = total.saturating_add(1)));
        let times = match &stmt.kind {
            StmtKind::For { range, .. } => match (range.from.constant_int(), range.to.constant_int()) {
                (Some(a), Some(b)) => (i64::from(b) - i64::from(a)).clamp(1, 1 << 20) as u32,
                _ => 32,
            },
            StmtKind::While { .. } | StmtKind::Repeat { .. } | StmtKind::ForEach { .. } => 32,
            _ => 1,
        };
        blocks(stmt, &mut |inner| {
            total = total.saturating_add(cost(inner).saturating_mul(times));
        });
        total = total.saturating_add(1);
    }
    total
}
