//! Idempotence: whether code may run again after a first, speculative attempt computed wrong numbers.

use crate::ir::rewrite::{root, stored_in, visit_block};
use crate::ir::{ExprKind, Stmt, StmtKind};

/// Whether a block has the same result when it runs again after a run with wrong numbers: it terminates whatever they
/// are, has no effects except element stores, and reads no array that it writes.
pub fn repeatable(block: &[Stmt]) -> bool {
    let written = stored_in(block);
    let mut untouched = true;
    visit_block(block, &mut |e| {
        if let ExprKind::Load { array, .. } = &e.kind {
            untouched &= root(array).is_some_and(|array| !written.contains(&array));
        }
    });
    untouched && block.iter().all(plain)
}

fn plain(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Assign { .. } | StmtKind::Store { .. } => true,
        StmtKind::If { then, otherwise, .. } => then.iter().chain(otherwise).all(plain),
        StmtKind::For { range, body, .. } => {
            let fixed = range.from.constant_int().is_some() && range.to.constant_int().is_some();
            fixed && range.step.as_ref().is_none_or(|s| s.constant_int().is_some()) && body.iter().all(plain)
        }
        StmtKind::Break { .. } | StmtKind::Continue { .. } => true,
        StmtKind::AssignGlobal { .. }
        | StmtKind::Update { .. }
        | StmtKind::Exchange { .. }
        | StmtKind::SetMember { .. }
        | StmtKind::Call { .. }
        | StmtKind::CallValue { .. }
        | StmtKind::Library { .. }
        | StmtKind::Launch { .. }
        | StmtKind::ForEach { .. }
        | StmtKind::While { .. }
        | StmtKind::Repeat { .. }
        | StmtKind::Strips { .. }
        | StmtKind::Try { .. }
        | StmtKind::Fail { .. }
        | StmtKind::Assert { .. }
        | StmtKind::Shared { .. }
        | StmtKind::Barrier(_)
        | StmtKind::Fence(_) => false,
    }
}
