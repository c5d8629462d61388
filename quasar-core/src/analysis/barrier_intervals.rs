//! Barrier intervals: splits a kernel at its barriers into parts that all threads of a block complete before any thread
//! continues, and finds the values that are uniform or live across barriers.

use crate::ir::barriers::{has_grid_barriers, is_meeting, meets_in_warps_only, waits};
use crate::ir::dataflow::fixpoint;
use crate::ir::rewrite::{
    blocks, free_variables, jumps_out, operands, read_in, set_in, sets, stored_in, variables, visit,
    visit_stmts,
};
use crate::ir::{Coordinate, Expr, ExprKind, Kernel, Range, Stmt, StmtKind, Storage, VarId, VarSet};
use crate::source::Span;
use std::collections::BTreeMap;

/// An interval, or a control-flow statement that contains barriers.
#[derive(Debug)]
pub enum Phase<'b> {
    /// Statements without a barrier.
    Threads(&'b [Stmt]),
    /// The threads of each group exchange values.
    Meeting(&'b Stmt),
    /// The allocation of a shared array.
    Shared { variable: VarId, dims: &'b [Expr], span: Span },
    /// A branch with a barrier inside, which must be uniform.
    If { condition: &'b Expr, then: Vec<Phase<'b>>, otherwise: Vec<Phase<'b>>, place: Place },
    /// A choice that each thread makes alone: those of one way go it together while the others rest.
    Masked { condition: &'b Expr, then: Vec<Phase<'b>>, otherwise: Vec<Phase<'b>> },
    /// A loop that each thread leaves alone: the others go on.
    MaskedWhile { condition: &'b Expr, body: Vec<Phase<'b>> },
    /// A loop with a barrier inside.
    For { variable: VarId, range: &'b Range, body: Vec<Phase<'b>>, place: Place },
    /// A loop with a barrier inside.
    While { condition: &'b Expr, body: Vec<Phase<'b>>, place: Place },
    /// A loop with a barrier inside.
    Repeat { body: Vec<Phase<'b>>, test: Vec<Phase<'b>>, until: &'b Expr, place: Place },
}

impl Phase<'_> {
    /// Whether it is a statement with barriers inside, all of which are block barriers.
    pub fn is_of_blocks(&self) -> bool {
        match self {
            Phase::Threads(_) | Phase::Shared { .. } => false,
            Phase::Meeting(_) | Phase::Masked { .. } | Phase::MaskedWhile { .. } => true,
            Phase::If { place, .. }
            | Phase::For { place, .. }
            | Phase::While { place, .. }
            | Phase::Repeat { place, .. } => !place.over_grid,
        }
    }
}

/// Location of a statement with a barrier inside.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The statement.
    pub span: Span,
    /// The first barrier inside.
    pub barrier: Span,
    /// Whether it contains a grid barrier.
    pub over_grid: bool,
}

/// The scope of synchronisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncScope {
    /// The threads of a block: the kernel is split at all barriers.
    Block,
    /// Those of a block, whose warps are virtual: the kernel is divided where the threads of a warp meet as well.
    Warps,
    /// The threads of the grid: the kernel is split at grid barriers.
    Grid,
}

/// A kernel split at its barriers.
#[derive(Debug)]
pub struct Phases<'b> {
    /// The phases in order.
    pub phases: Vec<Phase<'b>>,
    /// Per-thread state that is live across phases: variables, and private arrays with element stores.
    pub live_across: VarSet,
    /// Loop variables with one value for the whole block.
    pub common: VarSet,
    /// Variables that are always uniform over the synchronising threads.
    pub uniform: VarSet,
    together: SyncScope,
}

impl Phases<'_> {
    /// Visits all phases, nested ones included.
    pub fn each<'p>(&'p self, f: &mut dyn FnMut(&'p Phase<'_>)) {
        each_phase(&self.phases, &mut |phase| f(phase));
    }

    /// Whether an expression is uniform over the synchronising threads.
    pub fn is_uniform(&self, expr: &Expr) -> bool {
        is_uniform(expr, self.together, &|v| self.uniform.contains(&v))
    }

    /// The first control flow around a barrier that is not provably uniform.
    pub fn doubtful(&self) -> Option<Span> {
        let mut found: Option<Span> = None;
        self.each(&mut |phase| {
            let (chosen, place): (Vec<&Expr>, _) = match phase {
                Phase::Shared { .. } | Phase::Meeting(_) => return,
                Phase::Masked { .. } | Phase::MaskedWhile { .. } => return,
                Phase::Threads(stmts) => {
                    found = found.or_else(|| self.split_by_jumps(stmts));
                    return;
                }
                Phase::If { condition, place, .. }
                | Phase::While { condition, place, .. }
                | Phase::Repeat { until: condition, place, .. } => (vec![condition], place),
                Phase::For { range, place, .. } => (ends(range), place),
            };
            if !chosen.iter().all(|expr| self.is_uniform(expr)) {
                found = found.or(Some(place.span));
            }
        });
        found
    }

    /// A statement that some threads may leave by a jump to an outer loop while others stay.
    fn split_by_jumps(&self, stmts: &[Stmt]) -> Option<Span> {
        let leaving = stmts.iter().filter(|stmt| jumps_out(std::slice::from_ref(*stmt), 0));
        let mut found = None;
        for stmt in leaving {
            visit_stmts(std::slice::from_ref(stmt), &mut |inner| {
                let mut steers = false;
                blocks(inner, &mut |block| steers |= jumps(block));
                if steers {
                    let mut alike = true;
                    operands(inner, &mut |e| alike &= self.is_uniform(e));
                    found = found.or((!alike).then_some(inner.span));
                }
            });
        }
        found
    }
}

/// Splits the body of a kernel at the barriers of a scope. The error tells what cannot be split, and where.
pub fn divide(kernel: &Kernel, together: SyncScope) -> Result<Phases<'_>, (Span, &'static str)> {
    let phases = divide_block(&kernel.body.block, together)?;
    if has_grid_barriers(&kernel.body.block) {
        blocks_stay(&kernel.body.block)?;
    }
    let mut times: BTreeMap<VarId, usize> = BTreeMap::new();
    visit_stmts(&kernel.body.block, &mut |stmt| sets(stmt, &mut |v| *times.entry(*v).or_default() += 1));
    let stored = stored_in(&kernel.body.block);
    let mut common = VarSet::new();
    let over_grid = has_grid_barriers(&kernel.body.block);
    each_phase(&phases, &mut |phase| {
        // Blocks that run a loop independently may leave it with different values.
        if let Phase::For { variable, place, .. } = phase
            && times.get(variable) == Some(&1)
            && place.over_grid == over_grid
        {
            common.insert(*variable);
        }
    });
    let mut kept = kept(&phases);
    kept.retain(|v| {
        !common.contains(v)
            && !kernel.body.results.contains(v)
            && kernel.body.variables[*v].storage != Storage::Shared
            && (times.contains_key(v) || stored.contains(v))
    });
    let uniform = uniform_variables(kernel, &phases, together);
    Ok(Phases { phases, live_across: kept, common, uniform, together })
}

fn divide_block(block: &[Stmt], together: SyncScope) -> Result<Vec<Phase<'_>>, (Span, &'static str)> {
    let is_divided = match together {
        SyncScope::Grid => has_grid_barriers,
        SyncScope::Block => waits,
        SyncScope::Warps => |block: &[Stmt]| waits(block) || meets_in_warps_only(block),
    };
    let mut phases = Vec::new();
    let mut start = 0;
    for (k, stmt) in block.iter().enumerate() {
        if !is_divided(std::slice::from_ref(stmt)) {
            continue;
        }
        if start < k {
            phases.push(Phase::Threads(&block[start..k]));
        }
        start = k + 1;
        phases.extend(divide_stmt(stmt, together)?);
    }
    if start < block.len() {
        phases.push(Phase::Threads(&block[start..]));
    }
    Ok(phases)
}

fn divide_stmt(stmt: &Stmt, together: SyncScope) -> Result<Option<Phase<'_>>, (Span, &'static str)> {
    let over_grid = has_grid_barriers(std::slice::from_ref(stmt));
    let place = Place { span: stmt.span, barrier: barrier(stmt).unwrap_or(stmt.span), over_grid };
    let inside = |block| divide_block(block, together);
    if together == SyncScope::Warps
        && meets_in_warps_only(std::slice::from_ref(stmt))
        && let Some(phase) = divide_masked(stmt)?
    {
        return Ok(Some(phase));
    }
    Ok(Some(match &stmt.kind {
        StmtKind::Barrier(_) => return Ok(None),
        StmtKind::Library { .. } if is_meeting(stmt) => Phase::Meeting(stmt),
        StmtKind::Shared { variable, dims, zeroed: _ } => {
            Phase::Shared { variable: *variable, dims, span: stmt.span }
        }
        StmtKind::If { condition, then, otherwise } => {
            Phase::If { condition, then: inside(then)?, otherwise: inside(otherwise)?, place }
        }
        StmtKind::For { variable, range, body, attributes: _ } => {
            Phase::For { variable: *variable, range, body: inside(body)?, place }
        }
        StmtKind::While { condition, body } => Phase::While { condition, body: inside(body)?, place },
        StmtKind::Repeat { body, test, until } => {
            Phase::Repeat { body: inside(body)?, test: inside(test)?, until, place }
        }
        _ => return Err((stmt.span, "a barrier inside this statement in compiled kernels")),
    }))
}

/// A choice or a loop in which only the threads of warps meet: each thread goes its own way. None for other statements.
fn divide_masked(stmt: &Stmt) -> Result<Option<Phase<'_>>, (Span, &'static str)> {
    const JUMP: &str = "a jump out of a branch or loop whose threads exchange values, in compiled kernels";
    let inside = |block| divide_block(block, SyncScope::Warps);
    Ok(Some(match &stmt.kind {
        StmtKind::If { then, otherwise, .. } if jumps_out(then, 0) || jumps_out(otherwise, 0) => {
            return Err((stmt.span, JUMP));
        }
        // A thread leaves its own loop between such places, and no other one.
        StmtKind::While { body, .. }
            if jumps_out(body, 1)
                || body
                    .iter()
                    .map(std::slice::from_ref)
                    .any(|one| meets_in_warps_only(one) && jumps_out(one, 0)) =>
        {
            return Err((stmt.span, JUMP));
        }
        StmtKind::If { condition, then, otherwise } => {
            Phase::Masked { condition, then: inside(then)?, otherwise: inside(otherwise)? }
        }
        StmtKind::While { condition, body } => Phase::MaskedWhile { condition, body: inside(body)? },
        _ => return Ok(None),
    }))
}

/// Refuses jumps out of a loop with grid barriers from inside a part with block barriers only: a block could leave the
/// loop alone.
fn blocks_stay(block: &[Stmt]) -> Result<(), (Span, &'static str)> {
    for stmt in block {
        let one = std::slice::from_ref(stmt);
        if has_grid_barriers(one) {
            let mut stay = Ok(());
            blocks(stmt, &mut |block| stay = stay.and_then(|()| blocks_stay(block)));
            stay?;
        } else if waits(one) && jumps_out(one, 0) {
            return Err((stmt.span, "a jump out of a loop over the grid beside a barrier of the block"));
        }
    }
    Ok(())
}

/// The expressions of a range.
pub fn ends(range: &Range) -> Vec<&Expr> {
    [Some(&range.from), range.step.as_ref(), Some(&range.to)].into_iter().flatten().collect()
}

fn barrier(stmt: &Stmt) -> Option<Span> {
    let mut found = None;
    visit_stmts(std::slice::from_ref(stmt), &mut |inner| {
        if matches!(inner.kind, StmtKind::Barrier(_)) {
            found = found.or(Some(inner.span));
        }
    });
    found
}

fn each_phase<'p, 'b>(phases: &'p [Phase<'b>], f: &mut dyn FnMut(&'p Phase<'b>)) {
    for phase in phases {
        f(phase);
        match phase {
            Phase::Threads(_) | Phase::Shared { .. } | Phase::Meeting(_) => {}
            Phase::If { then, otherwise, .. } | Phase::Masked { then, otherwise, .. } => {
                each_phase(then, f);
                each_phase(otherwise, f);
            }
            Phase::For { body, .. } | Phase::While { body, .. } | Phase::MaskedWhile { body, .. } => {
                each_phase(body, f);
            }
            Phase::Repeat { body, test, .. } => {
                each_phase(body, f);
                each_phase(test, f);
            }
        }
    }
}

/// The variables that occur in several phases, or are read in one before they are assigned there.
fn kept(phases: &[Phase<'_>]) -> VarSet {
    let (mut seen, mut kept) = (VarSet::new(), VarSet::new());
    let mut mention = |found: VarSet| {
        for v in found {
            if !seen.insert(v) {
                kept.insert(v);
            }
        }
    };
    let mut early = VarSet::new();
    each_phase(phases, &mut |phase| match phase {
        Phase::Threads(stmts) => {
            mention(read_in(stmts).union(&set_in(stmts)));
            early.add(&free_variables(stmts));
        }
        Phase::Meeting(stmt) => {
            let stmts = std::slice::from_ref(*stmt);
            // It is set behind what others bring.
            mention(set_in(stmts));
            mention(read_in(stmts).union(&set_in(stmts)));
            early.add(&free_variables(stmts));
        }
        Phase::Shared { dims, .. } => dims.iter().for_each(|e| mention(variables(e))),
        Phase::If { condition: e, .. }
        | Phase::Masked { condition: e, .. }
        | Phase::MaskedWhile { condition: e, .. }
        | Phase::While { condition: e, .. }
        | Phase::Repeat { until: e, .. } => {
            mention(variables(e));
            early.add(&variables(e));
        }
        Phase::For { variable, range, .. } => {
            let mut found = VarSet::from([*variable]);
            for e in ends(range) {
                found.add(&variables(e));
            }
            early.add(&found);
            mention(found);
        }
    });
    kept.add(&early);
    kept
}

// ---- uniform values

fn is_uniform(expr: &Expr, together: SyncScope, variable: &dyn Fn(VarId) -> bool) -> bool {
    let mut uniform = true;
    visit(expr, &mut |e| match &e.kind {
        ExprKind::Local(v) => uniform &= variable(*v),
        ExprKind::Coordinate(coordinate, _) => {
            uniform &= match coordinate {
                Coordinate::Position | Coordinate::BlockPosition => false,
                Coordinate::BlockIndex => together != SyncScope::Grid,
                Coordinate::BlockDim
                | Coordinate::BlockCount
                | Coordinate::LaunchDim
                | Coordinate::WarpSize => true,
            };
        }
        // Other threads may modify elements between two loads.
        ExprKind::Load { .. }
        | ExprKind::Reduce { .. }
        | ExprKind::Library { .. }
        | ExprKind::BlockSize(_)
        | ExprKind::Global(_)
        | ExprKind::New(_)
        | ExprKind::Function { .. }
        | ExprKind::Member(..)
        | ExprKind::Same(..) => uniform = false,
        ExprKind::Constant(_)
        | ExprKind::Text(_)
        | ExprKind::Null
        | ExprKind::Apply { .. }
        | ExprKind::Convert(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::Select { .. }
        | ExprKind::Array(_)
        | ExprKind::Tuple(_)
        | ExprKind::Field(..)
        | ExprKind::Sequence(_)
        | ExprKind::Extent(..)
        | ExprKind::Count(_) => {}
    });
    uniform
}

/// The variables that are only assigned uniform values, in code that all threads execute.
fn uniform_variables(kernel: &Kernel, phases: &[Phase<'_>], together: SyncScope) -> VarSet {
    let stored = stored_in(&kernel.body.block);
    let own = |v: &VarId| !kernel.body.results.contains(v) && !stored.contains(v);
    let uniform: VarSet = kernel.body.variables.ids().filter(own).collect();
    fixpoint(uniform, |uniform| {
        each_phase(phases, &mut |phase| {
            if let Phase::Meeting(stmt) = phase {
                sets(stmt, &mut |v| {
                    uniform.remove(v);
                });
            }
            // What only some of the threads come by is set by those alone.
            if let Phase::Masked { then, otherwise: body, .. } = phase {
                [then, body].into_iter().for_each(|phases| each_set(phases, &mut |v| _ = uniform.remove(&v)));
            }
            if let Phase::MaskedWhile { body, .. } = phase {
                each_set(body, &mut |v| _ = uniform.remove(&v));
            }
            // After a possible early exit of some threads, control flow is not uniform.
            if let Phase::Threads(stmts) = phase {
                let plain = |e: &Expr, uniform: &VarSet| is_uniform(e, together, &|v| uniform.contains(&v));
                let same = |stmt: &Stmt, uniform: &VarSet| match &stmt.kind {
                    StmtKind::Assign { value, .. } => plain(value, uniform),
                    StmtKind::For { range, .. } => ends(range).iter().all(|e| plain(e, uniform)),
                    _ => false,
                };
                narrow(stmts, !jumps_out(stmts, 0), &UniformityTests { plain: &plain, same: &same }, uniform);
            }
        });
    })
}

/// Visits the variables that phases set.
fn each_set(phases: &[Phase<'_>], f: &mut dyn FnMut(VarId)) {
    each_phase(phases, &mut |phase| match phase {
        Phase::Threads(stmts) => set_in(stmts).into_iter().for_each(&mut *f),
        Phase::Meeting(stmt) => sets(stmt, &mut |v| f(*v)),
        Phase::For { variable, .. } => f(*variable),
        _ => {}
    });
}

/// The uniformity tests, given the uniform variables.
pub(super) struct UniformityTests<'a> {
    /// Whether an expression is uniform.
    pub(super) plain: &'a dyn Fn(&Expr, &VarSet) -> bool,
    /// Whether a statement assigns uniform values.
    pub(super) same: &'a dyn Fn(&Stmt, &VarSet) -> bool,
}

/// Removes the variables that statements assign divergent values.
pub(super) fn narrow(block: &[Stmt], together: bool, alike: &UniformityTests<'_>, uniform: &mut VarSet) {
    for stmt in block {
        if !(together && (alike.same)(stmt, uniform)) {
            sets(stmt, &mut |v| {
                uniform.remove(v);
            });
        }
        let mut steered = together && !matches!(stmt.kind, StmtKind::ForEach { .. } | StmtKind::Try { .. });
        operands(stmt, &mut |e| steered &= (alike.plain)(e, uniform));
        if !matches!(stmt.kind, StmtKind::If { .. }) {
            blocks(stmt, &mut |inner| steered &= !jumps(inner));
        }
        blocks(stmt, &mut |inner| narrow(inner, steered, alike, uniform));
    }
}

/// Whether a block contains `break` or `continue`.
pub fn jumps(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Break { .. } | StmtKind::Continue { .. });
    });
    found
}
