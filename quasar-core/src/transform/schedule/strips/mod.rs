//! Strips of rows that go through several launches while they are in the cache:
//!
//! ```text
//! h = $zeros(M, N)                          strips h
//! parallel_do([M, N], x, h, first)              h = $zeros(M, N)
//! parallel_do([M, N], h, y, second)   ->        parallel_do([M, N], x, h, first)
//!                                               parallel_do([M, N], h, y, second)
//!                                           endstrips
//! ```
//!
//! The processor visits some rows of `y` at a time. For these it first computes the rows of `h` that the second kernel reads (its row
//! footprint) and that are not there yet; the others wait in a line buffer. So `h` is never stored as a whole, and what the first kernel
//! writes is still in the cache when the second one reads it. Threads compute the rows at the borders of their parts twice.
//!
//! A group of launches qualifies if the arrays between them are made in the group and known to nobody behind it, if each of them is
//! written by one launch at the position's own row, and read by later ones in rows that advance with theirs. Kernels that may fail stay
//! out, since a failure would be seen earlier or later; so do arrays of the caller that are written and used by another member. Whether
//! the caller's arrays are different ones, and whether the rows are worth it, is tested before the launch.
//!
//! After `Line buffers` in Halide's schedules (`store_at` and `compute_at`; Ragan-Kelley et al., PLDI 2013).

mod guards;
mod member;
mod run;

use crate::analysis::liveness::{LiveAfter, live_in_loop};
use crate::ir::rewrite::{blocks, blocks_mut, read_in};
use crate::ir::{Block, Body, KernelId, Program, Stmt, StmtKind, VarId, VarSet, build};
use crate::parallel;
use crate::target::cpu::GROUPED_LAUNCHES;
use member::{Member, Use};
use std::collections::{BTreeMap, BTreeSet};

/// Groups the launches of all host functions.
pub(in crate::transform) fn run(program: &mut Program) {
    let shared: &Program = program;
    let ids = program.kernels.ids().collect();
    let members = parallel::map(ids, |id| (id, Member::of(shared, &shared.kernels[id])));
    let members: BTreeMap<KernelId, Member> =
        members.into_iter().filter_map(|(id, member)| Some((id, member?))).collect();
    let mut buffered = BTreeSet::new();
    for (_, function) in program.functions.iter_mut().filter(|(_, function)| !function.device) {
        let mut after = VarSet::new();
        after.extend(&function.body.results);
        let block = std::mem::take(&mut function.body.block);
        let mut pass = Pass { members: &members, body: &function.body, buffered: &mut buffered };
        let block = pass.block(block, &after);
        function.body.block = block;
    }
    for (kernel, param) in buffered {
        let kernel_of = &mut program.kernels[kernel];
        let variable = kernel_of.body.params[param];
        if let Some(Use::Reads(Some(rows))) = members[&kernel].arrays.get(&param) {
            kernel_of.schedule.rows.insert(variable, rows.clone());
        }
        // A whole matrix as one line has rows that are not there.
        if kernel_of.rank == 2 {
            kernel_of.schedule.collapsed = None;
        }
    }
}

struct Pass<'p> {
    members: &'p BTreeMap<KernelId, Member>,
    body: &'p Body,
    /// The parameters that get line buffers in some group.
    buffered: &'p mut BTreeSet<(KernelId, usize)>,
}

impl Pass<'_> {
    /// `after`: the variables that are live behind the block.
    fn block(&mut self, block: Block, after: &VarSet) -> Block {
        let runs = run::lengths(&block, self.members);
        let mut live = LiveAfter::of(&block, after);
        let mut result = Block::with_capacity(block.len());
        let mut stmts = block.into_iter();
        for length in runs {
            let Some(length) = length else {
                let (Some(mut stmt), live) = (stmts.next(), live.step()) else { break };
                self.inside(&mut stmt, live);
                result.push(stmt);
                continue;
            };
            for _ in 1..length {
                live.step();
            }
            let run: Block = stmts.by_ref().take(length).collect();
            result.extend(self.grouped(run, live.step()));
        }
        result
    }

    /// The blocks of a statement.
    fn inside(&mut self, stmt: &mut Stmt, live: &VarSet) {
        let mut has_blocks = false;
        blocks(stmt, &mut |_| has_blocks = true);
        if !has_blocks {
            return;
        }
        let inside = match &stmt.kind {
            StmtKind::If { .. } => live.clone(),
            // A handler may read what the body has set.
            _ => {
                let mut inside = live_in_loop(stmt, live);
                blocks(stmt, &mut |block| inside.add(&read_in(block)));
                inside
            }
        };
        blocks_mut(stmt, &mut |block| *block = self.block(std::mem::take(block), &inside));
    }

    /// The statements of a run, those launches together that can be. `live`: the variables that are live behind it.
    fn grouped(&mut self, stmts: Block, live: &VarSet) -> Block {
        let Some((flat, guards)) = guards::flattened(&stmts, self.members) else { return stmts };
        let run = run::Run::new(&flat, live, self.members, self.body);
        if run.launches.len() < 2 {
            return stmts;
        }
        let mut groups = Vec::new();
        let mut first = 0;
        while first < run.launches.len() {
            // The longest group that begins here.
            let most = run.launches.len().min(first + GROUPED_LAUNCHES);
            let found = (first + 2..=most).rev().find_map(|end| run.group(first, end));
            match found {
                Some(group) => {
                    first = group.end;
                    groups.push(group);
                }
                None => first += 1,
            }
        }
        if groups.is_empty() {
            return stmts;
        }
        for group in &groups {
            self.buffered.extend(group.buffered.iter().copied());
        }
        let together = run.rewritten(&groups);
        match guards.into_iter().reduce(build::and) {
            Some(condition) => {
                let span = condition.span;
                vec![build::choice(condition, together, stmts, span)]
            }
            None => together,
        }
    }
}

/// The variables that statements assign.
fn set_by(stmt: &Stmt) -> Option<VarId> {
    match &stmt.kind {
        StmtKind::Assign { variable, .. } => Some(*variable),
        _ => None,
    }
}
