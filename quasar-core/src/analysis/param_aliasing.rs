//! Aliasing of kernel parameters: whether it matters that a parameter that is only read and one that is written name
//! the same elements.
//!
//! Launches then read from a copy. That preserves the meaning if each thread reads before it writes and positions do
//! not depend on each other; a sequential kernel must read and write at its own position.

use super::access_pattern::{AccessPattern, reaches};
use crate::ir::rewrite::{operands, set_in, visit, visit_block};
use crate::ir::schedule::Conflict;
use crate::ir::{Coordinate, Expr, ExprKind, Index, Kernel, Program, Stmt, StmtKind, VarId};

/// The parameters of a kernel that must not alias.
pub fn conflicts(program: &Program, kernel: &Kernel) -> Vec<Conflict> {
    if let Some(conflicts) = &kernel.schedule.conflicts {
        return conflicts.clone();
    }
    let reaches = reaches(program, kernel);
    let params = || kernel.body.params.iter().enumerate().filter(|(_, param)| reaches.contains_key(param));
    let element = |param: &VarId| kernel.body.variables[*param].ty.element_type();
    let mut found = Vec::new();
    for (k, read) in params().filter(|(_, param)| reaches[param] == AccessPattern::ReadOnly) {
        for (j, written) in params().filter(|(_, param)| reaches[param] != AccessPattern::ReadOnly) {
            if element(read) != element(written) {
                continue;
            }
            let mut order =
                Order { read: *read, written: *written, accesses: Accesses::default(), found: false };
            order.block(&kernel.body.block);
            if order.found || order.accesses.meet_elsewhere(kernel) {
                found.push(Conflict { read: k, written: j, in_order: !order.found });
            }
        }
    }
    found
}

/// Whether a position, or an iteration, may read an array after it wrote to another one.
pub fn reads_after_writes(block: &[Stmt], read: VarId, written: VarId) -> bool {
    let mut order = Order { read, written, accesses: Accesses::default(), found: false };
    order.block(block);
    order.found
}

/// The indices of an access; `None` if they are unknown.
type Place = Option<Vec<Index>>;

#[derive(Default)]
struct Accesses {
    reads: Vec<Place>,
    writes: Vec<Place>,
}

impl Accesses {
    /// Whether a position may read what an earlier one wrote: not if each accesses its own index only, or if there is a
    /// single position.
    fn meet_elsewhere(&self, kernel: &Kernel) -> bool {
        let own = |place: &Place| place.as_ref().is_some_and(|index| is_own(index, kernel.rank));
        let both = !self.reads.is_empty() && !self.writes.is_empty();
        both && mentions_position(kernel) && !self.reads.iter().chain(&self.writes).all(own)
    }
}

/// Visits statements in execution order.
struct Order {
    read: VarId,
    written: VarId,
    accesses: Accesses,
    found: bool,
}

impl Order {
    fn block(&mut self, block: &[Stmt]) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        operands(stmt, &mut |expr| self.expr(expr));
        match &stmt.kind {
            StmtKind::Store { array, index, .. }
            | StmtKind::Update { array, index, .. }
            | StmtKind::Exchange { array, index, .. }
                if is_local(array, self.written) =>
            {
                self.accesses.writes.push(Some(index.clone()));
            }
            // A callee may read and write in any order.
            StmtKind::Call { args, .. } if args.iter().any(|arg| is_local(arg, self.written)) => {
                self.accesses.writes.push(None);
                self.found |= args.iter().any(|arg| is_local(arg, self.read));
            }
            StmtKind::If { then, otherwise, .. } => {
                // Each branch appends to the accesses before it, which must not be duplicated.
                let (reads, writes) = (self.accesses.reads.len(), self.accesses.writes.len());
                self.block(then);
                let then_reads = self.accesses.reads.split_off(reads);
                let then_writes = self.accesses.writes.split_off(writes);
                self.block(otherwise);
                self.accesses.reads.extend(then_reads);
                self.accesses.writes.extend(then_writes);
            }
            StmtKind::For { variable, body, .. } => {
                let steady = !set_in(body).contains(variable);
                self.repeated(&[body], None, steady.then_some(*variable));
            }
            StmtKind::ForEach { body, .. } => self.repeated(&[body], None, None),
            StmtKind::While { condition, body } => self.repeated(&[body], Some(condition), None),
            StmtKind::Repeat { body, test, until } => self.repeated(&[body, test], Some(until), None),
            _ => {}
        }
    }

    /// A loop body: an iteration must not read what an earlier one wrote, nor must the condition behind it.
    fn repeated(&mut self, blocks: &[&Vec<Stmt>], condition: Option<&Expr>, variable: Option<VarId>) {
        let before = std::mem::take(&mut self.accesses);
        blocks.iter().for_each(|block| self.block(block));
        if let Some(condition) = condition {
            self.expr(condition);
        }
        let inside = std::mem::take(&mut self.accesses);
        // The loop variable as the same index of both accesses separates the iterations.
        let apart = |read: &Place, write: &Place| match (read, write, variable) {
            (Some(read), Some(write), Some(variable)) => {
                read.iter().zip(write).any(|(read, write)| is_at(read, variable) && is_at(write, variable))
            }
            _ => false,
        };
        let meet = |read: &Place, write: &Place| !apart(read, write) && !differ(read, write);
        self.found |= inside.reads.iter().any(|read| inside.writes.iter().any(|write| meet(read, write)));
        self.found |= inside.reads.iter().any(|read| before.writes.iter().any(|write| !differ(read, write)));
        self.accesses = before;
        self.accesses.reads.extend(inside.reads);
        self.accesses.writes.extend(inside.writes);
    }

    fn expr(&mut self, expr: &Expr) {
        let (mut reads, mut mentions) = (Vec::new(), 0);
        let target = self.read;
        visit(expr, &mut |e| match &e.kind {
            ExprKind::Load { array, index, .. } if is_local(array, target) => {
                reads.push(Some(index.clone()));
                mentions -= 1;
            }
            ExprKind::Extent(array, _) | ExprKind::Count(array) if is_local(array, target) => mentions -= 1,
            ExprKind::Local(variable) if *variable == target => mentions += 1,
            _ => {}
        });
        if mentions > 0 {
            reads.push(None);
        }
        let writes = &self.accesses.writes;
        self.found |= reads.iter().any(|read| writes.iter().any(|write| !differ(read, write)));
        self.accesses.reads.append(&mut reads);
    }
}

fn is_local(expr: &Expr, variable: VarId) -> bool {
    matches!(expr.kind, ExprKind::Local(v) if v == variable)
}

/// Whether constant indices show that two accesses touch different elements, as in unrolled loops.
fn differ(read: &Place, write: &Place) -> bool {
    let (Some(read), Some(write)) = (read, write) else { return false };
    let constant = |index: &Index| match index {
        Index::At(at) => at.constant_int(),
        _ => None,
    };
    read.iter().zip(write).any(|(read, write)| match (constant(read), constant(write)) {
        (Some(a), Some(b)) => a != b,
        _ => false,
    })
}

fn is_at(index: &Index, variable: VarId) -> bool {
    matches!(index, Index::At(at) if is_local(at, variable))
}

/// Whether the indices begin with the position.
fn is_own(index: &[Index], rank: usize) -> bool {
    let is_component = |(axis, index): (usize, &Index)| match index {
        Index::At(at) => matches!(at.kind, ExprKind::Coordinate(Coordinate::Position, k) if k == axis),
        _ => false,
    };
    index.len() >= rank && index.iter().take(rank).enumerate().all(is_component)
}

fn mentions_position(kernel: &Kernel) -> bool {
    let mut found = false;
    visit_block(&kernel.body.block, &mut |e| {
        found |= matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, _));
    });
    found
}
