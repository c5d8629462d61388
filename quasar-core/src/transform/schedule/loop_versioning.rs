//! Loop versioning: collects the conditions under which a fast version of a kernel needs no tests of indices, and notes for each
//! access what the version knows. The fast version runs where all conditions hold, and the general version elsewhere.
//!
//! ```text
//!                                   if (v0_d0 - n0 - 2 >= 0) {
//! y[p0] = x[p0 + 2]     becomes         y[p0] = x[p0 + 2]      without a test
//!                                   } else { .. }
//! ```

use crate::analysis::access_pattern::by_reference;
use crate::analysis::elementwise_kernel::own_position;
use crate::analysis::symbolic_range::{SymbolicRange, hull, loop_range};
use crate::ir::affine::{AffineForm, Symbol};
use crate::ir::numbers::NodeNumbers;
use crate::ir::rewrite::{sets, visit_stmts};
use crate::ir::schedule::{DeviceSchedule, Mapping, SplitReduction};
use crate::ir::small_calls::{SmallCall, small_call};
use crate::ir::versions::{AccessFacts, CodeVersion, CodeVersions, IndexFact};
use crate::ir::{
    Block, Body, Expr, ExprKind, Index, Kernel, Program, Range, Stmt, StmtKind, Storage, VarId, VarSet,
};
use crate::types::known::scalar;
use crate::types::{Boundary, ElementType};
use std::collections::BTreeMap;

/// The versions of a kernel that devices run by this schedule.
pub(super) fn versions(program: &Program, kernel: &Kernel, schedule: &DeviceSchedule) -> CodeVersions {
    let position = match &schedule.mapping {
        Mapping::GridStride(grid_stride) => grid_stride.own.iter().map(|own| own.array).collect(),
        // The extents of heap arrays are unknown to the launch, so there would be no condition to test.
        Mapping::Positions if !schedule.heap.used => VarSet::new(),
        Mapping::Positions | Mapping::RegisterTiles | Mapping::Blocks | Mapping::CooperativeGrid { .. } => {
            return CodeVersions {
                split: split(program, kernel, schedule.split.as_ref()),
                block: whole(program, kernel, schedule.block.as_deref().map(|block| &block.body)),
                block_tile: whole(program, kernel, schedule.tile.as_deref().map(|tile| &tile.body)),
                ..tiles(program, kernel, &schedule.mapping)
            };
        }
    };
    let position = Versioner { own: position, ..Versioner::new(program, kernel, &kernel.body) };
    CodeVersions {
        position: Some(position.run(&kernel.body.block)),
        split: split(program, kernel, schedule.split.as_ref()),
        block: whole(program, kernel, schedule.block.as_deref().map(|block| &block.body)),
        block_tile: whole(program, kernel, schedule.tile.as_deref().map(|tile| &tile.body)),
        ..CodeVersions::default()
    }
}

/// The version of the code of a position, under conditions that a launch tests.
pub(super) fn launch_version(program: &Program, kernel: &Kernel) -> CodeVersion {
    Versioner::new(program, kernel, &kernel.body).run(&kernel.body.block)
}

/// The version for the loop of a split reduction.
fn split(program: &Program, kernel: &Kernel, split: Option<&SplitReduction>) -> Option<CodeVersion> {
    let StmtKind::For { variable, range, body, .. } = &kernel.body.block.get(split?.at)?.kind else {
        return None;
    };
    let mut versioner = Versioner::new(program, kernel, &kernel.body);
    versioner.enter(*variable, range);
    Some(versioner.run(body))
}

/// The version of a body that a block of threads runs.
fn whole(program: &Program, kernel: &Kernel, body: Option<&Body>) -> Option<CodeVersion> {
    let body = body?;
    Some(Versioner::new(program, kernel, body).run(&body.block))
}

/// The versions for whole register tiles: one that needs no map of indices, and where that depends on the thread, one whose
/// indices are at most one extent out of bounds.
fn tiles(program: &Program, kernel: &Kernel, mapping: &Mapping) -> CodeVersions {
    let (Mapping::RegisterTiles, Some(tile)) = (mapping, &kernel.strip) else {
        return CodeVersions::default();
    };
    let rows = (kernel.rank.saturating_sub(2), i64::from((tile.rows - 1) * tile.apart));
    let version = |outside| {
        let versioner = Versioner::new(program, kernel, &tile.body);
        Versioner { outside, tile: Some(rows), ..versioner }.run(&tile.body.block)
    };
    let inner = version(Outside::OfThread);
    let near_tile = (!inner.thread.is_empty()).then(|| version(Outside::Near));
    CodeVersions { tile: Some(inner), near_tile, ..CodeVersions::default() }
}

/// What happens where the indices of a launch are not all in bounds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outside {
    /// The access is tested or mapped.
    Mapped,
    /// Threads whose own indices are in bounds run the version; they may branch.
    OfThread,
    /// The access is mapped, by a map for indices that are at most one extent away.
    Near,
}

/// Walks over the code in the order of its evaluation.
struct Versioner<'k> {
    numbers: NodeNumbers<'k>,
    /// Arrays that are accessed in memory.
    in_memory: VarSet,
    /// Arrays whose elements at the thread's own positions are in registers.
    own: VarSet,
    /// For register tiles: their axis, and the distance between a thread's first and last position along it.
    tile: Option<(usize, i64)>,
    outside: Outside,
    /// Symbolic ranges of loop variables inside their loops, and of scalar parameters that never change.
    bounds: BTreeMap<VarId, SymbolicRange>,
    /// Variables with exactly one assignment.
    once: VarSet,
    version: CodeVersion,
}

impl<'k> Versioner<'k> {
    fn new(program: &Program, kernel: &Kernel, body: &'k Body) -> Versioner<'k> {
        let mut counts: BTreeMap<VarId, u32> = BTreeMap::new();
        visit_stmts(&body.block, &mut |stmt| sets(stmt, &mut |v| *counts.entry(*v).or_default() += 1));
        let fixed: Vec<VarId> =
            body.params.iter().filter(|param| !counts.contains_key(param)).copied().collect();
        let value = |v: &VarId| (*v, SymbolicRange::exactly(AffineForm::symbol(Symbol::Value(*v))));
        let numbers = NodeNumbers::of(&body.block);
        let accesses = vec![AccessFacts::Indices(Vec::new()); numbers.access_count()];
        let memory = |v: &VarId| {
            kernel.body.variables[*v].storage == Storage::Shared
                || kernel.body.params.contains(v) && by_reference(program, &kernel.body, *v)
        };
        Versioner {
            numbers,
            in_memory: kernel.body.variables.ids().filter(memory).collect(),
            own: VarSet::new(),
            tile: None,
            outside: Outside::Mapped,
            bounds: fixed.iter().map(value).collect(),
            once: counts.into_iter().filter(|(_, n)| *n == 1).map(|(v, _)| v).collect(),
            version: CodeVersion { accesses, fixed, ..CodeVersion::default() },
        }
    }

    fn run(mut self, block: &[Stmt]) -> CodeVersion {
        self.block(block);
        self.version
    }

    fn block(&mut self, block: &[Stmt]) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign { value, .. } => self.value(value),
            StmtKind::Store { array, index, boundary, value } => {
                self.value(value);
                self.access(array, index, written(*boundary));
            }
            StmtKind::Update { array, index, boundary, value, .. } => {
                self.value(value);
                self.access(array, index, written(*boundary));
            }
            StmtKind::Exchange { array, index, boundary, value, expected, .. } => {
                self.value(value);
                self.values(expected);
                self.access(array, index, written(*boundary));
            }
            StmtKind::Call { args, .. } | StmtKind::Library { args, .. } => self.values(args),
            StmtKind::If { condition, then, otherwise } => {
                self.value(condition);
                self.block(then);
                self.block(otherwise);
            }
            StmtKind::For { variable, range, body, attributes: _ } => self.for_range(*variable, range, body),
            StmtKind::While { condition, body } => {
                self.value(condition);
                self.block(body);
            }
            StmtKind::Repeat { body, test, until } => {
                self.block(body);
                self.block(test);
                self.value(until);
            }
            StmtKind::Fail { message, .. } => self.values(message),
            StmtKind::Assert { condition, message, .. } => {
                self.value(condition);
                self.values(message);
            }
            StmtKind::Shared { dims, .. } => self.values(dims),
            // What devices do not run was refused before.
            StmtKind::AssignGlobal { .. }
            | StmtKind::SetMember { .. }
            | StmtKind::CallValue { .. }
            | StmtKind::Launch { .. }
            | StmtKind::ForEach { .. }
            | StmtKind::Strips { .. }
            | StmtKind::Try { .. }
            | StmtKind::Break { .. }
            | StmtKind::Continue { .. }
            | StmtKind::Barrier(_)
            | StmtKind::Fence(_) => {}
        }
    }

    fn for_range(&mut self, variable: VarId, range: &Range, body: &Block) {
        self.enter(variable, range);
        let counted = scalar(&range.from.ty) == Some(ElementType::Int32);
        let (first, last) = if counted { (Some(&range.to), None) } else { (None, Some(&range.to)) };
        self.value(&range.from);
        self.values(first);
        self.values(&range.step);
        self.values(last);
        self.block(body);
        if self.once.contains(&variable) {
            self.bounds.remove(&variable);
        }
    }

    fn values<'e>(&mut self, exprs: impl IntoIterator<Item = &'e Expr>) {
        exprs.into_iter().for_each(|expr| self.value(expr));
    }

    fn value(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Load { array, index, boundary } => {
                self.access(array, index, *boundary);
                self.value(array);
            }
            ExprKind::Apply { args, .. } | ExprKind::Array(args) | ExprKind::Tuple(args) => self.values(args),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.values([&**a, &**b]),
            ExprKind::Select { condition, then, otherwise } => {
                self.values([&**condition, &**then, &**otherwise]);
            }
            ExprKind::Convert(inner) | ExprKind::Field(inner, _) | ExprKind::Reduce { arg: inner, .. } => {
                self.value(inner)
            }
            ExprKind::Library { name, args } => match small_call(name, args, expr) {
                Ok(SmallCall::Argument) => self.values(args.first()),
                Ok(SmallCall::Number(..) | SmallCall::Array(..)) => self.values(args),
                Ok(SmallCall::Fill { .. }) | Err(_) => {}
            },
            // Extents are not evaluated; what devices do not run was refused before.
            ExprKind::Extent(..)
            | ExprKind::Count(_)
            | ExprKind::Constant(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::New(_)
            | ExprKind::Function { .. }
            | ExprKind::Member(..)
            | ExprKind::Same(..)
            | ExprKind::Sequence(_)
            | ExprKind::Coordinate(..)
            | ExprKind::BlockSize(_) => {}
        }
    }

    /// Notes what the version knows of an access, and asks for what it needs.
    fn access(&mut self, array: &Expr, index: &[Index], boundary: Boundary) {
        let memory = match array.kind {
            ExprKind::Local(v) if self.in_memory.contains(&v) => Some(v),
            _ => None,
        };
        if matches!(array.kind, ExprKind::Local(v) if self.own.contains(&v)) && own_position(index) {
            return self.note(index, AccessFacts::Own);
        }
        let positions: Vec<&Expr> = index
            .iter()
            .filter_map(|each| match each {
                Index::At(e) => Some(e),
                _ => None,
            })
            .collect();
        let mut facts = vec![IndexFact::Unknown; positions.len()];
        if let (Some(v), true) = (memory, boundary != Boundary::Unchecked) {
            for (axis, (e, fact)) in positions.iter().zip(&mut facts).enumerate() {
                if self.inside(e, Symbol::Extent(v, axis), boundary) {
                    *fact = IndexFact::InBounds;
                }
            }
        }
        self.values(positions.iter().copied());
        if let (Some(v), Boundary::Circular | Boundary::Mirror) = (memory, boundary) {
            for (axis, (e, fact)) in positions.iter().zip(&mut facts).enumerate() {
                if *fact == IndexFact::Unknown && self.near(e, Symbol::Extent(v, axis)) {
                    *fact = IndexFact::Near;
                }
            }
        }
        if facts.iter().any(|fact| *fact != IndexFact::Unknown) {
            self.note(index, AccessFacts::Indices(facts));
        }
    }

    fn note(&mut self, index: &[Index], facts: AccessFacts) {
        if let Some(access) = self.numbers.access(index) {
            self.version.accesses[access] = facts;
        }
    }
}

/// Out-of-bounds writes are ignored in every mode but `'checked`, where they are errors.
fn written(boundary: Boundary) -> Boundary {
    match boundary {
        Boundary::Checked | Boundary::Unchecked => boundary,
        Boundary::Safe | Boundary::Circular | Boundary::Mirror | Boundary::Clamped => Boundary::Safe,
    }
}

/// Ranges and conditions.
impl Versioner<'_> {
    fn hull(&self, expr: &Expr) -> Option<SymbolicRange> {
        hull(expr, &|v| self.bounds.get(&v).cloned())
    }

    /// Adds the range of a loop variable, for the body of its loop.
    fn enter(&mut self, variable: VarId, range: &Range) {
        if !self.once.contains(&variable) {
            return;
        }
        let Some((ends, bounds)) = loop_range(range, &|e| self.hull(e)) else { return };
        for end in &ends {
            self.ask_represented(end);
        }
        self.bounds.insert(variable, bounds);
        self.version.ranged.push(variable);
    }

    /// Requires that a sum fits into `int`, so that it does not wrap around.
    fn ask_represented(&mut self, sum: &SymbolicRange) {
        if sum.is_represented() {
            return;
        }
        let (low, high) = self.over_launch(sum);
        self.version.launch.ask(low.shifted(-i64::from(i32::MIN)));
        self.version.launch.ask(AffineForm::constant(i64::from(i32::MAX)).minus(&high));
    }

    /// The range over all positions of the launch that run this version.
    fn over_launch(&self, found: &SymbolicRange) -> (AffineForm, AffineForm) {
        let along = |axis: usize| self.tile.as_ref().filter(|(along, _)| *along == axis);
        let last = |axis: usize| 1 + along(axis).map_or(0, |(_, distance)| *distance);
        (found.low.over_launch(false, &last), found.high.over_launch(true, &last))
    }

    /// Whether an index is in bounds under the conditions of this version, which may grow.
    fn inside(&mut self, index: &Expr, extent: Symbol, boundary: Boundary) -> bool {
        let Some(found) = self.hull(index) else { return false };
        let (low, high) = self.over_launch(&found);
        let positions = found.low.terms.iter().any(|(s, _)| matches!(s, Symbol::Position(_)));
        // A program that relies on out-of-bounds values must not lose its fast version.
        let meant = boundary == Boundary::Checked
            || (low.terms.is_empty() && low.constant >= 0 && (!positions || high.constant < 0));
        if meant {
            self.version.launch.require_in_bounds(low, &high, extent);
            return true;
        }
        if self.outside == Outside::OfThread {
            self.version.thread.require_in_bounds(found.low, &found.high, extent);
            return true;
        }
        false
    }

    /// Whether one reflection or one period maps an index into the extent, under the conditions of this version.
    fn near(&mut self, index: &Expr, extent: Symbol) -> bool {
        let Some(found) = self.hull(index) else { return false };
        if self.outside != Outside::Near {
            return false;
        }
        let (low, high) = self.over_launch(&found);
        let (near, extent) = (&mut self.version.near, AffineForm::symbol(extent));
        near.ask(low.plus(&extent));
        near.ask(extent.times(2).minus(&high).plus(&AffineForm::constant(-1)));
        near.ask(AffineForm::constant(i64::from(i32::MAX)).minus(&high));
        true
    }
}
