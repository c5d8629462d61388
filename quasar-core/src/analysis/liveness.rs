//! Which variables may still be read after a statement.

use crate::ir::rewrite::{free_variables, operands, sets, variables};
use crate::ir::{Block, Stmt, StmtKind, VarSet};

/// For each statement of a block the variables that may be read after it, given those that may be read after the block.
pub fn live_after_each(block: &Block, after: &VarSet) -> Vec<VarSet> {
    let mut live = after.clone();
    let mut result = vec![VarSet::new(); block.len()];
    for (stmt, slot) in block.iter().zip(&mut result).rev() {
        *slot = live.clone();
        live = live_before(stmt, live);
    }
    result
}

/// The variables that may be read after any statement of a loop's body: by a later iteration or after the loop.
pub fn live_in_loop(stmt: &Stmt, after: &VarSet) -> VarSet {
    after.union(&free_variables(std::slice::from_ref(stmt)))
}

fn live_before(stmt: &Stmt, after: VarSet) -> VarSet {
    let mut live = after;
    match &stmt.kind {
        StmtKind::If { condition, then, otherwise } => {
            let branch = |block: &Block| match live_after_each(block, &live).into_iter().next() {
                Some(first) => block.first().map_or(live.clone(), |stmt| live_before(stmt, first)),
                None => live.clone(),
            };
            let mut both = branch(then);
            both.add(&branch(otherwise));
            both.add(&variables(condition));
            both
        }
        // A loop may run zero times and a handler may start anywhere, so nothing that they set is surely dead before.
        StmtKind::For { .. }
        | StmtKind::ForEach { .. }
        | StmtKind::While { .. }
        | StmtKind::Repeat { .. }
        | StmtKind::Try { .. } => live_in_loop(stmt, &live),
        _ => {
            sets(stmt, &mut |variable| {
                live.remove(variable);
            });
            operands(stmt, &mut |expr| live.add(&variables(expr)));
            live
        }
    }
}
