//! Which variables may still be read after a statement.
//!
//! Statements are walked backwards, each once; loops, handlers and what they contain count as a whole, since they may run again or
//! stop anywhere, so that there is nothing to iterate to a fixpoint.

use crate::ir::rewrite::{blocks, free_variables, operands, sets, variables};
use crate::ir::{Block, Stmt, StmtKind, VarId, VarSet};

/// The variables that may be read after each statement of a block, from the first on. Only what changes from one statement to the
/// next is kept, so that long blocks need no memory for the square of their statements.
pub struct LiveAfter {
    live: VarSet,
    /// For each statement, the last one first, the variables that may be read before it or after it, but not both.
    changes: Vec<Vec<VarId>>,
}

impl LiveAfter {
    /// Walks a block, given the variables that may be read after it.
    pub fn of(block: &Block, after: &VarSet) -> LiveAfter {
        let mut live = after.clone();
        let changes = block.iter().rev().map(|stmt| step_back(stmt, &mut live)).collect();
        LiveAfter { live, changes }
    }

    /// Goes to the next statement: the variables that may be read after it.
    pub fn step(&mut self) -> &VarSet {
        for variable in self.changes.pop().unwrap_or_default() {
            if !self.live.remove(&variable) {
                self.live.insert(variable);
            }
        }
        &self.live
    }
}

/// The variables that may be read after any statement of a loop's body: by a later iteration or after the loop.
pub fn live_in_loop(stmt: &Stmt, after: &VarSet) -> VarSet {
    after.union(&free_variables(std::slice::from_ref(stmt)))
}

/// Goes from the variables that may be read after a statement to those before it. The variables in which they differ.
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
        // A loop may run zero times and a handler may start anywhere, so nothing that they set is surely dead before.
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
