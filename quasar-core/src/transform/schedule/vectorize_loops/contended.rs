//! Kernels whose positions add to the same elements one after the other, as `y[j] += a[i,j]*t` in a loop over `j` for each `i` does.
//! Threads would wait for each other at each element; one thread goes through the loops by vectors, which is faster than many
//! threads with atomic additions.

use crate::ir::rewrite::{set_in, stored_in, transform_stmts, visit, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, Index, Kernel, Stmt, StmtKind, VarId, VarSet};
use crate::target::cpu::CONTENDED_NODES;

/// Whether all atomic additions of a kernel are to elements that all positions add to, along rows, and are most of what it does.
pub(super) fn is_contended(kernel: &Kernel) -> bool {
    let schedule = &kernel.schedule;
    let plain = kernel.parallel
        && kernel.body.results.is_empty()
        && kernel.accumulators.is_empty()
        && schedule.bands.is_empty()
        && schedule.tables.is_none();
    if !plain || kernel.rank == 0 {
        return false;
    }
    let (mut all, mut exchanges) = (0, false);
    visit_stmts(&kernel.body.block, &mut |stmt| {
        all += usize::from(matches!(stmt.kind, StmtKind::Update { atomic: true, .. }));
        exchanges |= matches!(stmt.kind, StmtKind::Exchange { .. });
    });
    let along = Contended { set: set_in(&kernel.body.block), stored: stored_in(&kernel.body.block) };
    all > 0 && !exchanges && along.count(&kernel.body.block) == all
}

struct Contended {
    /// The variables that the kernel sets.
    set: VarSet,
    /// The arrays that it writes.
    stored: VarSet,
}

impl Contended {
    /// How many atomic additions stand in innermost loops along rows of elements that are the same for all positions.
    fn count(&self, block: &Block) -> usize {
        let each = block.iter().map(|stmt| match &stmt.kind {
            StmtKind::For { variable, body, .. } => match body.iter().all(|stmt| self.is_small(stmt)) {
                true => body.iter().filter(|stmt| self.is_common(stmt, *variable)).count(),
                false => self.count(body),
            },
            _ => 0,
        });
        each.sum()
    }

    /// Whether a statement is a small one without others in it.
    fn is_small(&self, stmt: &Stmt) -> bool {
        let (StmtKind::Assign { value, .. } | StmtKind::Store { value, .. } | StmtKind::Update { value, .. }) =
            &stmt.kind
        else {
            return false;
        };
        let mut nodes = 0;
        visit(value, &mut |_| nodes += 1);
        nodes <= CONTENDED_NODES
    }

    fn is_common(&self, stmt: &Stmt, k: VarId) -> bool {
        let StmtKind::Update { index, atomic: true, result: None, .. } = &stmt.kind else { return false };
        let [lead @ .., Index::At(last)] = index.as_slice() else { return false };
        let at = |index: &Index| matches!(index, Index::At(e) if self.is_fixed(e));
        matches!(last.kind, ExprKind::Local(v) if v == k) && lead.iter().all(at)
    }

    /// Whether an index is the same for all positions.
    fn is_fixed(&self, e: &Expr) -> bool {
        let mut fixed = true;
        visit(e, &mut |e| {
            fixed &= match &e.kind {
                ExprKind::Local(v) => !self.set.contains(v) && !self.stored.contains(v),
                ExprKind::Load { .. } | ExprKind::Coordinate(..) => false,
                _ => true,
            };
        });
        fixed
    }
}

/// Lets one thread visit the positions of a kernel in order.
pub(super) fn in_order(kernel: &mut Kernel) {
    kernel.schedule.one_thread = true;
    transform_stmts(&mut kernel.body.block, &mut |stmt| {
        if let StmtKind::Update { atomic, .. } = &mut stmt.kind {
            *atomic = false;
        }
    });
}
