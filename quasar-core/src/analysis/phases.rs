//! Kernels whose threads wait for each other, divided at their barriers: what a block's threads do one after the other
//! before any of them goes on.

use crate::ir::rewrite::{
    blocks, free_variables, jumps_out, operands, read_in, set_in, sets, stored_in, variables, visit,
    visit_stmts,
};
use crate::ir::{Coordinate, Expr, ExprKind, Kernel, Range, Scope, Stmt, StmtKind, Storage, VarId};
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// A part of a kernel that all threads of a block do before any goes on with the next.
#[derive(Debug)]
pub enum Phase<'b> {
    /// Statements without a barrier.
    Threads(&'b [Stmt]),
    /// Allocates a shared array.
    Shared { variable: VarId, dims: &'b [Expr], span: Span },
    /// A choice that all threads must make alike, since there is a barrier inside.
    If { condition: &'b Expr, then: Vec<Phase<'b>>, otherwise: Vec<Phase<'b>>, place: Place },
    /// A loop with a barrier inside.
    For { variable: VarId, range: &'b Range, body: Vec<Phase<'b>>, place: Place },
    /// A loop with a barrier inside.
    While { condition: &'b Expr, body: Vec<Phase<'b>>, place: Place },
    /// A loop with a barrier inside.
    Repeat { body: Vec<Phase<'b>>, test: Vec<Phase<'b>>, until: &'b Expr, place: Place },
}

/// Where a statement with a barrier inside stands, and where its barrier.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The statement.
    pub span: Span,
    /// The first barrier inside.
    pub barrier: Span,
}

/// A kernel divided at its barriers.
#[derive(Debug)]
pub struct Phases<'b> {
    /// In order.
    pub phases: Vec<Phase<'b>>,
    /// Variables, arrays with elements that are stored included, that each thread keeps from one phase to another.
    pub kept: BTreeSet<VarId>,
    /// Loop variables that have one value for the whole block.
    pub common: BTreeSet<VarId>,
    /// Variables that have the same value in all threads at any time.
    pub uniform: BTreeSet<VarId>,
}

impl Phases<'_> {
    /// Visits all phases, those inside others included.
    pub fn each<'p>(&'p self, f: &mut dyn FnMut(&'p Phase<'_>)) {
        each_phase(&self.phases, &mut |phase| f(phase));
    }

    /// Whether all threads of a block find the same value.
    pub fn is_uniform(&self, expr: &Expr) -> bool {
        is_uniform(expr, &|v| self.uniform.contains(&v))
    }
}

/// Whether threads wait for each other or share memory.
pub fn waits(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Barrier(_) | StmtKind::Shared { .. });
    });
    found
}

/// Divides the body of a kernel. The error is what cannot be divided, and where.
pub fn divide(kernel: &Kernel) -> Result<Phases<'_>, (Span, &'static str)> {
    let phases = divide_block(&kernel.body.block)?;
    let mut times: BTreeMap<VarId, usize> = BTreeMap::new();
    visit_stmts(&kernel.body.block, &mut |stmt| sets(stmt, &mut |v| *times.entry(*v).or_default() += 1));
    let stored = stored_in(&kernel.body.block);
    let mut common = BTreeSet::new();
    each_phase(&phases, &mut |phase| {
        if let Phase::For { variable, .. } = phase
            && times.get(variable) == Some(&1)
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
    let uniform = uniform_variables(kernel, &phases);
    Ok(Phases { phases, kept, common, uniform })
}

fn divide_block(block: &[Stmt]) -> Result<Vec<Phase<'_>>, (Span, &'static str)> {
    let mut phases = Vec::new();
    let mut start = 0;
    for (k, stmt) in block.iter().enumerate() {
        if !waits(std::slice::from_ref(stmt)) {
            continue;
        }
        if start < k {
            phases.push(Phase::Threads(&block[start..k]));
        }
        start = k + 1;
        phases.extend(divide_stmt(stmt)?);
    }
    if start < block.len() {
        phases.push(Phase::Threads(&block[start..]));
    }
    Ok(phases)
}

fn divide_stmt(stmt: &Stmt) -> Result<Option<Phase<'_>>, (Span, &'static str)> {
    let place = Place { span: stmt.span, barrier: barrier(stmt).unwrap_or(stmt.span) };
    Ok(Some(match &stmt.kind {
        StmtKind::Barrier(Scope::Warp | Scope::Block) => return Ok(None),
        StmtKind::Barrier(Scope::Grid | Scope::MultiGrid | Scope::Host) => {
            return Err((stmt.span, "a barrier over more than a block in compiled kernels"));
        }
        StmtKind::Shared { variable, dims, zeroed: _ } => {
            Phase::Shared { variable: *variable, dims, span: stmt.span }
        }
        StmtKind::If { condition, then, otherwise } => {
            let (then, otherwise) = (divide_block(then)?, divide_block(otherwise)?);
            Phase::If { condition, then, otherwise, place }
        }
        StmtKind::For { variable, range, body, attributes: _ } => {
            Phase::For { variable: *variable, range, body: divide_block(body)?, place }
        }
        StmtKind::While { condition, body } => Phase::While { condition, body: divide_block(body)?, place },
        StmtKind::Repeat { body, test, until } => {
            Phase::Repeat { body: divide_block(body)?, test: divide_block(test)?, until, place }
        }
        _ => return Err((stmt.span, "a barrier inside this statement in compiled kernels")),
    }))
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
            Phase::Threads(_) | Phase::Shared { .. } => {}
            Phase::If { then, otherwise, .. } => {
                each_phase(then, f);
                each_phase(otherwise, f);
            }
            Phase::For { body, .. } | Phase::While { body, .. } => each_phase(body, f),
            Phase::Repeat { body, test, .. } => {
                each_phase(body, f);
                each_phase(test, f);
            }
        }
    }
}

/// The variables that occur in several phases, or in one of them before they are set there.
fn kept(phases: &[Phase<'_>]) -> BTreeSet<VarId> {
    let (mut seen, mut kept) = (BTreeSet::new(), BTreeSet::new());
    let mut mention = |found: BTreeSet<VarId>| {
        for v in found {
            if !seen.insert(v) {
                kept.insert(v);
            }
        }
    };
    let mut early = BTreeSet::new();
    each_phase(phases, &mut |phase| match phase {
        Phase::Threads(stmts) => {
            let mut found = read_in(stmts);
            found.extend(set_in(stmts));
            mention(found);
            early.extend(free_variables(stmts));
        }
        Phase::Shared { dims, .. } => dims.iter().for_each(|e| mention(variables(e))),
        Phase::If { condition: e, .. }
        | Phase::While { condition: e, .. }
        | Phase::Repeat { until: e, .. } => {
            mention(variables(e));
            early.extend(variables(e));
        }
        Phase::For { variable, range, .. } => {
            let mut found = BTreeSet::from([*variable]);
            for e in [Some(&range.from), range.step.as_ref(), Some(&range.to)].into_iter().flatten() {
                found.extend(variables(e));
            }
            early.extend(found.iter().copied());
            mention(found);
        }
    });
    kept.extend(early);
    kept
}

// ---- values that all threads of a block have in common

fn is_uniform(expr: &Expr, variable: &dyn Fn(VarId) -> bool) -> bool {
    let mut uniform = true;
    visit(expr, &mut |e| match &e.kind {
        ExprKind::Local(v) => uniform &= variable(*v),
        ExprKind::Coordinate(coordinate, _) => {
            uniform &= !matches!(coordinate, Coordinate::Position | Coordinate::BlockPosition);
        }
        // Elements may be changed by other threads between two looks at them.
        ExprKind::Load { .. } | ExprKind::Reduce { .. } | ExprKind::Library { .. } | ExprKind::Global(_) => {
            uniform = false;
        }
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

/// The variables that every thread sets in the same way: parameters, and those set from such values only, where all
/// threads pass.
fn uniform_variables(kernel: &Kernel, phases: &[Phase<'_>]) -> BTreeSet<VarId> {
    let stored = stored_in(&kernel.body.block);
    let own = |v: &VarId| !kernel.body.results.contains(v) && !stored.contains(v);
    let mut uniform: BTreeSet<VarId> = kernel.body.variables.ids().filter(own).collect();
    loop {
        let before = uniform.len();
        each_phase(phases, &mut |phase| {
            // Where threads may leave early, others go on alone.
            if let Phase::Threads(stmts) = phase {
                narrow(stmts, !jumps_out(stmts, 0), &mut uniform);
            }
        });
        if uniform.len() == before {
            return uniform;
        }
    }
}

/// Takes away what statements set differently in different threads.
fn narrow(block: &[Stmt], together: bool, uniform: &mut BTreeSet<VarId>) {
    for stmt in block {
        let plain = |e: &Expr, uniform: &BTreeSet<VarId>| is_uniform(e, &|v| uniform.contains(&v));
        let same = match &stmt.kind {
            StmtKind::Assign { value, .. } => plain(value, uniform),
            StmtKind::For { .. } => {
                let mut same = true;
                operands(stmt, &mut |e| same &= plain(e, uniform));
                same
            }
            _ => false,
        };
        if !(same && together) {
            sets(stmt, &mut |v| {
                uniform.remove(v);
            });
        }
        let mut steered = together && !matches!(stmt.kind, StmtKind::ForEach { .. } | StmtKind::Try { .. });
        operands(stmt, &mut |e| steered &= plain(e, uniform));
        if !matches!(stmt.kind, StmtKind::If { .. }) {
            blocks(stmt, &mut |inner| steered &= !jumps(inner));
        }
        blocks(stmt, &mut |inner| narrow(inner, steered, uniform));
    }
}

fn jumps(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Break { .. } | StmtKind::Continue { .. });
    });
    found
}
