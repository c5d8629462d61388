//! Linearized launches: where positions do nothing but compute elements at their own place, or count those there, and these lie side
//! by side in all arrays, the positions are one row. What is done before each row is done once then, however few positions the rows
//! have, as in an array of points or a column.

use super::updates;
use crate::analysis::access_pattern::{self, AccessPattern, own_prefix};
use crate::ir::barriers::waits;
use crate::ir::rewrite::{visit_block, visit_stmts};
use crate::ir::{Block, ExprKind, Index, Kernel, Program, StmtKind, VarSet};

/// Whether the positions of a kernel may be one row.
pub(super) fn choose(program: &Program, kernel: &Kernel) -> bool {
    let schedule = &kernel.schedule;
    let plain = kernel.parallel
        && kernel.rank > 1
        && kernel.strip.is_none()
        && schedule.origin.is_empty()
        && schedule.tables.is_none()
        && schedule.bands.is_empty()
        && !waits(&kernel.body.block);
    // Arrays that all positions add to keep their extents.
    let own = |reach: &AccessPattern| {
        matches!(
            reach,
            AccessPattern::ReadOnly | AccessPattern::OwnRows { row: true, .. } | AccessPattern::Histogram(_)
        )
    };
    let reaches = access_pattern::reaches(program, kernel);
    plain
        && has_own_elements(&kernel.body.block, kernel.rank, &updates::shared(&reaches))
        && reaches.values().all(own)
}

/// Whether statements name no index and no component of the position but in `a[pos]`, beside what they add to shared arrays.
fn has_own_elements(block: &Block, rank: usize, shared: &VarSet) -> bool {
    let is_own = |index: &[Index]| index.len() == rank && own_prefix(index, rank) == rank;
    let (mut own, mut named, mut components) = (true, 0, 0);
    let mut access = |index: &[Index]| {
        named += rank;
        is_own(index)
    };
    visit_stmts(block, &mut |stmt| {
        own &= match &stmt.kind {
            StmtKind::Store { index, .. } => access(index),
            StmtKind::Update { array, result: None, .. } => {
                matches!(array.kind, ExprKind::Local(v) if shared.contains(&v))
            }
            StmtKind::Assign { .. } | StmtKind::If { .. } | StmtKind::For { .. } | StmtKind::While { .. } => {
                true
            }
            StmtKind::Break { .. } | StmtKind::Continue { .. } => true,
            _ => false,
        };
    });
    visit_block(block, &mut |e| match &e.kind {
        ExprKind::Load { index, .. } => own &= access(index),
        ExprKind::Coordinate(..) => components += 1,
        ExprKind::Library { .. } | ExprKind::Extent(..) | ExprKind::BlockSize(_) => own = false,
        _ => {}
    });
    own && components == named
}
