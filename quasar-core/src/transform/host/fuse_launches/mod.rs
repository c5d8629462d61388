//! Fusion of launches: those over the same positions that share arrays become one.
//!
//! ```text
//! parallel_do(dims, x, y, u, first)                    parallel_do(dims, x, y, u, v, both)
//! v = $uninit(dims)                            =>
//! parallel_do(dims, x, u, v, second)
//! ```
//!
//! What a position reads of an element that it has stored before stays in a register, and arrays that nobody else reads are
//! not stored at all. A launch waits for the last one that it is fused with, so nothing between them may see what it does
//! (`group`). Elements of other positions must not change hands (`conflicts`). Where that depends on sizes, indices or names, it
//! is tested before the launch.

mod candidate;
mod conflicts;
mod group;
mod member;
mod merge;
mod names;

pub(in crate::transform) use member::{is_check, is_number, is_plain, renamed};
pub(in crate::transform) use names::alias;

use super::kernel_builder::{Host, each_host_function};
use crate::analysis::aliases::Aliases;
use crate::analysis::flow_facts::FlowFacts;
use crate::analysis::liveness::{LiveAfter, live_in_loop};
use crate::analysis::points_to::ProgramAliases;
use crate::ir::prune::remove_kernels;
use crate::ir::rewrite::{blocks, blocks_mut, free_variables, read_in, set_in, sets, visit_stmts};
use crate::ir::{Block, KernelId, Program, Stmt, StmtKind, VarSet};
use crate::message::Sink;
use crate::transform::PassContext;
use candidate::{Candidate, Candidates};
use group::Group;
use member::{Launch, Member};
use names::Names;
use std::collections::{BTreeMap, BTreeSet};

/// Fuses launches of every host function.
pub fn run(program: &mut Program, context: &PassContext<'_>, sink: &mut Sink) {
    if !context.auto_kernel {
        return;
    }
    let candidates = candidate::all(program);
    let several =
        |block: &Block| launches(block).filter(|kernel| candidates.contains_key(kernel)).count() > 1;
    if !program.functions.iter().any(|(_, f)| !f.device && several(&f.body.block)) {
        return;
    }
    let aliases = ProgramAliases::of(program);
    let (before, count) = (launched(program), program.kernels.len());
    each_host_function(program, sink, |host| {
        if !several(&host.body.block) {
            return;
        }
        let points = aliases.of_function(host.id).cloned().unwrap_or_default();
        let aliases = Aliases::of(&host.body, points);
        let mut after = VarSet::new();
        after.extend(host.body.params.iter().chain(&host.body.results));
        let block = std::mem::take(&mut host.body.block);
        let (facts, names) = (FlowFacts::default(), Names::default());
        let (candidates, made) = (&candidates, BTreeMap::new());
        let mut pass = Fusion { host, context, candidates, made, aliases, facts, names, tries: 0 };
        let block = pass.block(block, &after);
        pass.host.body.block = block;
    });
    let after = launched(program);
    let made = program.kernels.ids().skip(count);
    remove_kernels(
        program,
        &before.into_iter().chain(made).filter(|kernel| !after.contains(kernel)).collect(),
    );
}

/// The kernels that a block launches, one for each launch.
fn launches(block: &Block) -> impl Iterator<Item = KernelId> + use<> {
    let mut found = Vec::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Launch { kernel, .. } = &stmt.kind {
            found.push(*kernel);
        }
    });
    found.into_iter()
}

fn launched(program: &Program) -> BTreeSet<KernelId> {
    let functions = program.functions.iter().map(|(_, f)| &f.body.block);
    functions.chain(program.kernels.iter().map(|(_, k)| &k.body.block)).flat_map(launches).collect()
}

struct Fusion<'a, 'h> {
    host: &'a mut Host<'h>,
    context: &'a PassContext<'a>,
    candidates: &'a BTreeMap<KernelId, Candidate>,
    /// Those that were made in this function.
    made: BTreeMap<KernelId, Candidate>,
    aliases: Aliases,
    facts: FlowFacts,
    /// What array variables name at the present statement.
    names: Names,
    /// How many `try` are around, where a failure may be seen.
    tries: usize,
}

impl Fusion<'_, '_> {
    fn candidates(&self) -> Candidates<'_> {
        Candidates { program: self.candidates, made: &self.made }
    }

    /// The kernel of a launch that belongs to a group.
    fn candidate(&self, launch: &Launch) -> &Candidate {
        self.candidates().get(launch.kernel).expect("members launch candidates")
    }

    /// `after`: the variables that are live behind the block.
    fn block(&mut self, block: Block, after: &VarSet) -> Block {
        let around = std::mem::take(&mut self.names);
        let mut live = LiveAfter::of(&block, after);
        let mut result = Block::with_capacity(block.len());
        let mut group = Group::default();
        for mut stmt in block {
            let live = live.step();
            // Behind a guarded launch, what is known of its arrays holds only where the guard does.
            if !group.guarded() && member::is_check(&stmt) && self.never_fails(&stmt) {
                continue;
            }
            if self.passes(&group, &stmt) {
                self.pass(&mut group, stmt);
                continue;
            }
            self.inside(&mut stmt, live);
            let member = Member::of(&stmt, self.candidates());
            if let Some(member) = member.filter(|member| self.has_different_arrays(member)) {
                if !self.takes(&mut group, &member) {
                    self.flush(&mut group, &mut result);
                }
                self.add(&mut group, member, stmt, live.clone());
                continue;
            }
            self.flush(&mut group, &mut result);
            self.names.forget_all(&stmt);
            result.push(stmt);
        }
        self.flush(&mut group, &mut result);
        self.names = around;
        result
    }

    /// Whether the sizes that a test compares are known to be the same.
    fn never_fails(&mut self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::If { condition, .. } => self.facts.never_holds(&self.names.substituted(condition)),
            _ => false,
        }
    }

    /// Fuses launches in the blocks of a statement, and learns what holds behind it.
    fn inside(&mut self, stmt: &mut Stmt, live: &VarSet) {
        match &mut stmt.kind {
            StmtKind::If { condition, then, otherwise } => {
                let mark = self.facts.mark();
                let before = self.facts.leave(mark);
                self.facts.learn(condition, true);
                *then = self.block(std::mem::take(then), live);
                let first = self.facts.leave(mark);
                self.facts.back_to(&before);
                self.facts.learn(condition, false);
                *otherwise = self.block(std::mem::take(otherwise), live);
                let second = self.facts.leave(mark);
                match (ends(then), ends(otherwise)) {
                    (true, _) => self.facts.go_on(second),
                    (_, true) => self.facts.go_on(first),
                    _ => self.facts.meet(&first, &second),
                }
            }
            StmtKind::For { .. }
            | StmtKind::ForEach { .. }
            | StmtKind::While { .. }
            | StmtKind::Repeat { .. }
            | StmtKind::Try { .. } => self.repeated(stmt, live),
            _ => self.learn(stmt),
        }
    }

    /// A statement whose blocks may run any number of times, or end anywhere.
    fn repeated(&mut self, stmt: &mut Stmt, live: &VarSet) {
        let is_try = matches!(stmt.kind, StmtKind::Try { .. });
        let mut inside = live_in_loop(stmt, live);
        inside.add(&free_variables(std::slice::from_ref(stmt)));
        if is_try {
            // A handler may read what the body has set.
            blocks(stmt, &mut |block| inside.add(&read_in(block)));
        }
        let changed = set_in(std::slice::from_ref(stmt));
        self.tries += usize::from(is_try);
        blocks_mut(stmt, &mut |block| {
            changed.iter().for_each(|variable| self.facts.set(variable));
            self.facts.arrays_change();
            let mark = self.facts.mark();
            *block = self.block(std::mem::take(block), &inside);
            self.facts.release(mark);
        });
        self.tries -= usize::from(is_try);
        changed.iter().for_each(|variable| self.facts.set(variable));
        self.facts.arrays_change();
    }

    /// Learns from a statement without blocks, or from one that ends where something does not hold.
    fn learn(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { variable, value } => {
                let ty = self.host.body.variables[*variable].ty.clone();
                self.facts.assign(*variable, &ty, value);
            }
            StmtKind::Assert { condition, .. } => self.facts.learn(condition, true),
            StmtKind::If { condition, then, otherwise } if ends(then) && otherwise.is_empty() => {
                self.facts.learn(condition, false);
            }
            _ => {
                sets(stmt, &mut |variable| self.facts.set(*variable));
                self.facts.arrays_change();
            }
        }
    }
}

/// Whether the end of a block is never reached.
fn ends(block: &[Stmt]) -> bool {
    let jumps = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Break { .. } | StmtKind::Continue { .. });
    block.iter().any(|stmt| jumps(stmt) || member::fails(stmt))
}
