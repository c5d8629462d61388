//! Vectors of threads: between two barriers, neighbouring threads of a row of a block go through the code together, so that shared
//! arrays and the variables that threads keep are read and written by vectors. Threads of a block that do not wait for each other
//! may do so in any order. What a row has left, and rows that leave the launch, go thread by thread.

use super::vectorize::{Allowed, Splitter, is_plain, name_no_indices, wide};
use crate::analysis::access_pattern::{self, AccessPattern};
use crate::analysis::barrier_intervals::{Phase, Phases, SyncScope, divide};
use crate::analysis::innermost_invariance::RowInvariance;
use crate::analysis::lanes;
use crate::analysis::may_fail::reaches_checked;
use crate::ir::barriers::{has_grid_barriers, waits};
use crate::ir::rewrite::{operands_mut, read_in, set_in, stored_in, transform, transform_stmts, visit_stmts};
use crate::ir::schedule::Vector;
use crate::ir::slices::store_changes;
use crate::ir::{
    Block, ExprKind, Index, Kernel, Program, Stmt, StmtKind, Storage, VarId, VarSet, Variable, build,
};
use crate::source::Span;
use crate::target::cpu::SHORT_VECTOR;
use crate::types::Boundary;
use std::collections::BTreeMap;

/// The intervals of a kernel that have vectors.
#[derive(Default)]
pub(super) struct Choice(BTreeMap<usize, Vector>);

impl Choice {
    /// Puts the choice into the kernel.
    pub(super) fn apply(self, kernel: &mut Kernel) {
        if !self.0.is_empty() {
            kernel.body.variables.push(Variable::new("$lane", build::int_type(), Span::default()));
            kernel.schedule.intervals = self.0;
        }
    }
}

/// The vectors of threads of a kernel with barriers.
pub(super) fn choose(program: &Program, kernel: &Kernel) -> Choice {
    found(program, kernel).unwrap_or_default()
}

fn found(program: &Program, kernel: &Kernel) -> Option<Choice> {
    let block = &kernel.body.block;
    if !kernel.parallel || kernel.rank == 0 || !waits(block) || has_grid_barriers(block) {
        return None;
    }
    let mut named = kernel.clone();
    name_no_indices(&mut named.body.block, true);
    let (phases, shown) = (divide(kernel, SyncScope::Warps).ok()?, divide(&named, SyncScope::Warps).ok()?);
    let reaches = access_pattern::reaches(program, kernel);
    if !reaches.values().all(|reach| matches!(reach, AccessPattern::ReadOnly | AccessPattern::Scatter)) {
        return None;
    }
    let shared = kernel.body.variables.iter().filter(|(_, v)| v.storage == Storage::Shared);
    let shared = shared.map(|(id, _)| id).collect();
    let threads = Threads { kernel, phases: &phases, reaches: &reaches, shared };
    let (mut found, mut count, mut in_warps) = (BTreeMap::new(), 0, false);
    shown.each(&mut |phase| match phase {
        Phase::Threads(stmts) => {
            if let Some(vector) = threads.vector(stmts) {
                found.insert(count, vector);
            }
            count += 1;
        }
        Phase::Meeting(_) | Phase::Masked { .. } | Phase::MaskedWhile { .. } => in_warps = true,
        _ => {}
    });
    (!in_warps).then_some(Choice(found))
}

/// A kernel whose intervals get vectors.
struct Threads<'k> {
    kernel: &'k Kernel,
    phases: &'k Phases<'k>,
    reaches: &'k BTreeMap<VarId, AccessPattern>,
    shared: VarSet,
}

impl Threads<'_> {
    fn vector(&self, stmts: &[Stmt]) -> Option<Vector> {
        let body = &self.kernel.body;
        let mut block = stmts.to_vec();
        let known = |v: &VarId| self.reaches.contains_key(v) || self.shared.contains(v);
        let arrays: Vec<VarId> = read_in(stmts).union(&stored_in(stmts)).iter().filter(known).collect();
        store_changes(&mut block, &self.changed_alone(&arrays, stmts));
        let own = arrays.iter().copied().filter(|v| self.shared.contains(v)).collect();
        let allowed = Allowed { own, in_block: true, ..Allowed::default() };
        let set = set_in(&block);
        let is_kept_out = |v: VarId| body.results.contains(&v) || body.params.contains(&v);
        if !is_plain(body, &block, &allowed)
            || block.iter().any(reaches_checked)
            || set.iter().any(is_kept_out)
        {
            return None;
        }
        // Arrays of a thread's own are no elements of lanes.
        if stored_in(&block).iter().any(|v| !arrays.contains(&v)) {
            return None;
        }
        let mut changing = set.clone();
        let kept = |v: VarId| self.phases.live_across.contains(&v) && !self.reaches.contains_key(&v);
        let mentioned = read_in(&block).union(&set);
        let differs = |v: VarId| kept(v) && (set.contains(&v) || !self.phases.uniform.contains(&v));
        changing.extend(&mentioned.iter().filter(|v| differs(*v)).collect::<Vec<_>>());
        let uniform = RowInvariance::new(self.kernel, self.reaches, &changing).in_block();
        let lane = VarId::new(body.variables.len());
        let mut splitter = Splitter::new(uniform.clone(), lane, Vec::new(), &arrays);
        let mut block = splitter.split(block)?;
        if splitter.masks > 0 {
            return None;
        }
        let mut wide = wide(&block)?;
        wide.extend(&mentioned.iter().filter(|v| differs(*v)).collect::<Vec<_>>());
        let loops = lanes::loop_variables(&block);
        if loops.iter().any(kept) {
            return None;
        }
        let mut tested = block.clone();
        test_before(&uniform, &loops, &mut tested);
        if lanes::assumptions(&uniform, &tested).is_some() {
            block = tested;
        }
        Some(Vector {
            lanes: SHORT_VECTOR,
            widest: None,
            block,
            wide: wide.into_iter().collect(),
            overlaps: false,
            interleaved: Vec::new(),
            slices: arrays,
            stores: Vec::new(),
            columns: Vec::new(),
            within: Vec::new(),
        })
    }

    /// The arrays all of whose elements that change do so for one thread at a time.
    fn changed_alone(&self, arrays: &[VarId], stmts: &[Stmt]) -> Vec<VarId> {
        let mut others = VarSet::new();
        visit_stmts(stmts, &mut |stmt| {
            if let StmtKind::Update { array, atomic: true, .. } = &stmt.kind
                && let ExprKind::Local(v) = array.kind
            {
                others.insert(v);
            }
        });
        arrays.iter().copied().filter(|v| !others.contains(v)).collect()
    }
}

/// Has indices tested once for a row of threads, where that is possible: those for which one is outside go one by one.
fn test_before(uniform: &RowInvariance<'_>, loops: &VarSet, block: &mut Block) {
    let test = |index: &[Index], boundary: &mut Boundary| {
        if *boundary == Boundary::Safe && lanes::is_known_before(uniform, loops, index) {
            *boundary = Boundary::Checked;
        }
    };
    transform_stmts(block, &mut |stmt| {
        if let StmtKind::Store { index, boundary, .. } = &mut stmt.kind {
            test(index, boundary);
        }
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Load { index, boundary, .. } = &mut e.kind {
                    test(index, boundary);
                }
            });
        });
    });
}
