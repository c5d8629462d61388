//! Liveness: which variables may still be read after a statement.
//!
//! A single backward pass suffices without a fixpoint: loops and handlers count as a whole, since they may repeat or
//! stop anywhere.

use crate::ir::rewrite::{blocks, free_variables, operands, sets, variables};
use crate::ir::{Block, Stmt, StmtKind, VarId, VarSet};

/// The live-out sets of a block's statements, in order. Only the differences are stored, which keeps memory linear in
/// the length of the block.
pub struct LiveAfter {
    live: VarSet,
    /// For each statement, the last one first, the symmetric difference of its live-in and live-out sets.
    changes: Vec<Vec<VarId>>,
}

impl LiveAfter {
    /// Analyses a block, given the variables live after it.
    pub fn of(block: &Block, after: &VarSet) -> LiveAfter {
        let mut live = after.clone();
        let changes = block.iter().rev().map(|stmt| step_back(stmt, &mut live)).collect();
        LiveAfter { live, changes }
    }

    /// Advances to the next statement and returns its live-out set.
    pub fn step(&mut self) -> &VarSet {
        for variable in self.changes.pop().unwrap_or_default() {
            if !self.live.remove(&variable) {
                self.live.insert(variable);
            }
        }
        &self.live
    }
}

/// The variables that may be live after any statement of a loop's body: read by a later iteration or after the loop.
pub fn live_in_loop(stmt: &Stmt, after: &VarSet) -> VarSet {
    after.union(&free_variables(std::slice::from_ref(stmt)))
}

/// Turns the live-out set of a statement into its live-in set. Returns the difference.
fn step_back(stmt: &Stmt, live: &mut VarSet) -> Vec<VarId> {
    let mut has_blocks = false;
    blocks(stmt, &mut |_| has_blocks = true);
    if has_blocks {
        let after = live.clone();
        go_before(stmt, live);
        return after.difference(live).iter().chain(live.difference(&after).iter()).collect();
    }
    let mut changes = Vec::new();
    sets(stmt, &mut |variable| {
        if live.remove(variable) {
            changes.push(*variable);
        }
    });
    operands(stmt, &mut |expr| {
        for variable in &variables(expr) {
            if live.insert(variable) {
                match changes.iter().position(|changed| *changed == variable) {
                    Some(place) => drop(changes.swap_remove(place)),
                    None => changes.push(variable),
                }
            }
        }
    });
    changes
}

fn go_before(stmt: &Stmt, live: &mut VarSet) {
    match &stmt.kind {
        StmtKind::If { condition, then, otherwise } => {
            let mut other = live.clone();
            before_block(then, live);
            before_block(otherwise, &mut other);
            live.add(&other);
            live.add(&variables(condition));
        }
        StmtKind::Strips { body, .. } => before_block(body, live),
        // A loop may run zero times and a handler may start anywhere, so neither kills a variable.
        StmtKind::For { .. }
        | StmtKind::ForEach { .. }
        | StmtKind::While { .. }
        | StmtKind::Repeat { .. }
        | StmtKind::Try { .. } => live.add(&free_variables(std::slice::from_ref(stmt))),
        _ => {
            sets(stmt, &mut |variable| {
                live.remove(variable);
            });
            operands(stmt, &mut |expr| live.add(&variables(expr)));
        }
    }
}

fn before_block(block: &Block, live: &mut VarSet) {
    block.iter().rev().for_each(|stmt| go_before(stmt, live));
}
