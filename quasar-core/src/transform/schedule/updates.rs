//! Updates behind a vector: where, and by how much, positions change elements that they share is computed by vectors, for these
//! cannot fail half-way; the elements are changed one by one.
//!
//! ```text
//!     h[int(x[pos])] += w[pos]        =>      lanes: k = int(x[pos]), v = w[pos]
//!                                             lanes: h[k] += v
//! ```
//!
//! Loops of such updates stay as they are, where nothing in them can fail but an index of the shared array.

use super::vectorize::sets_first;
use crate::analysis::access_pattern::{self, AccessPattern, HistogramKind};
use crate::ir::rewrite::{has_loops, read_in, rename, set_in, visit_block, visit_stmts};
use crate::ir::{Block, Body, Expr, ExprKind, Index, Kernel, Program, Stmt, StmtKind, VarId, VarSet, build};
use crate::types::known::scalar;
use std::collections::BTreeMap;

/// Arrays that all positions add to.
pub(super) fn shared(reaches: &BTreeMap<VarId, AccessPattern>) -> VarSet {
    let any = |reach: &AccessPattern| matches!(reach, AccessPattern::Histogram(HistogramKind::Any));
    reaches.iter().filter(|(_, reach)| any(reach)).map(|(array, _)| *array).collect()
}

/// The kernel with its updates of shared arrays behind everything else, if there are some and something is computed for them.
pub(super) fn behind(program: &Program, kernel: &Kernel) -> Option<Kernel> {
    let arrays = shared(&access_pattern::reaches(program, kernel));
    let begin = begin(&kernel.body.block, &arrays);
    let (mut found, set) = (kernel.clone(), set_in(&kernel.body.block));
    let updates = found.body.block.split_off(begin);
    let mut apart = Apart {
        body: &mut found.body,
        arrays: &arrays,
        set: &set,
        read: VarSet::new(),
        counted: VarSet::new(),
    };
    let (values, writes) = apart.block(updates)?;
    let computes =
        |e: &Expr| matches!(e.kind, ExprKind::Apply { .. } | ExprKind::Convert(_) | ExprKind::Load { .. });
    let mut pays = false;
    visit_block(&values, &mut |e| pays |= computes(e));
    pays |= has_loops(&found.body.block);
    found.body.block.extend(values);
    found.body.block.extend(writes);
    pays.then_some(found)
}

/// Where the updates of arrays begin in a block; its end if there are none.
pub(super) fn begin(block: &[Stmt], arrays: &VarSet) -> usize {
    block.iter().position(|stmt| has_updates(stmt, arrays)).unwrap_or(block.len())
}

/// Whether updates compute nothing, but in loops, where they read no other arrays than those that a kernel only reads.
pub(super) fn are_apart(writes: &[Stmt], reaches: &BTreeMap<VarId, AccessPattern>) -> bool {
    let only_read = |array: &Expr| matches!(array.kind, ExprKind::Local(v) if reaches.get(&v) == Some(&AccessPattern::ReadOnly));
    let mut apart = true;
    visit_stmts(writes, &mut |stmt| {
        let is_loop = matches!(stmt.kind, StmtKind::For { .. });
        apart &= is_loop || matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Update { .. });
    });
    for stmt in writes {
        let is_loop = has_loops(std::slice::from_ref(stmt));
        visit_block(std::slice::from_ref(stmt), &mut |e| {
            apart &= match &e.kind {
                ExprKind::Constant(_) | ExprKind::Coordinate(..) | ExprKind::Local(_) => true,
                ExprKind::Load { array, .. } => is_loop && only_read(array),
                ExprKind::Extent(..) | ExprKind::Count(_) | ExprKind::Apply { .. } => is_loop,
                _ => false,
            };
        });
    }
    apart
}

fn has_updates(stmt: &Stmt, arrays: &VarSet) -> bool {
    let mut found = false;
    visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
        found |= matches!(&stmt.kind, StmtKind::Update { array, .. } if is_one(array, arrays));
    });
    found
}

fn is_one(array: &Expr, arrays: &VarSet) -> bool {
    matches!(array.kind, ExprKind::Local(v) if arrays.contains(&v))
}

/// Puts what updates need into variables.
struct Apart<'b> {
    body: &'b mut Body,
    arrays: &'b VarSet,
    /// What the kernel sets.
    set: &'b VarSet,
    /// What loops of updates read.
    read: VarSet,
    /// The variables of those loops, whose values behind the loops are not known.
    counted: VarSet,
}

impl Apart<'_> {
    /// What a statement computes, and what it changes. Nothing where that cannot be told apart.
    fn stmt(&mut self, stmt: Stmt) -> Option<(Block, Block)> {
        let span = stmt.span;
        match stmt.kind {
            StmtKind::Update { array, index, boundary, row, value, atomic, result: None }
                if is_one(&array, self.arrays) =>
            {
                let mut values = Block::new();
                let at = |each| match each {
                    Index::At(e) => Some(Index::At(self.named(e, &mut values)?)),
                    _ => None,
                };
                let index = index.into_iter().map(at).collect::<Option<_>>()?;
                let value = self.named(value, &mut values)?;
                let kind = StmtKind::Update { array, index, boundary, row, value, atomic, result: None };
                Some((values, vec![Stmt::new(kind, span)]))
            }
            StmtKind::If { condition, then, otherwise }
                if then.iter().chain(&otherwise).any(|stmt| has_updates(stmt, self.arrays)) =>
            {
                let mut values = Block::new();
                let condition = self.named(condition, &mut values)?;
                let (then, otherwise) = (self.block(then)?, self.block(otherwise)?);
                let choice = |(then, otherwise)| {
                    Stmt::new(StmtKind::If { condition: condition.clone(), then, otherwise }, span)
                };
                let writes = choice((then.1, otherwise.1));
                if !then.0.is_empty() || !otherwise.0.is_empty() {
                    values.push(choice((then.0, otherwise.0)));
                }
                Some((values, vec![writes]))
            }
            StmtKind::For { variable, .. } if has_updates(&stmt, self.arrays) => {
                let mut block = vec![stmt];
                // Lanes may share another loop of this variable.
                let own = self.body.temporary(build::int_type(), span);
                rename(&mut block, &mut |v| if v == variable { own } else { v });
                self.read.add(&read_in(&block));
                self.counted.insert(variable);
                Some((Block::new(), block))
            }
            StmtKind::Assign { .. } | StmtKind::Store { .. } | StmtKind::If { .. } | StmtKind::For { .. } => {
                let changes = set_in(std::slice::from_ref(&stmt)).iter().any(|v| self.read.contains(&v));
                (!changes).then(|| (vec![stmt], Block::new()))
            }
            _ => None,
        }
    }

    fn block(&mut self, block: Block) -> Option<(Block, Block)> {
        let (mut values, mut writes) = (Block::new(), Block::new());
        for stmt in block {
            let here = std::slice::from_ref(&stmt);
            let read = read_in(here);
            if self.counted.iter().any(|v| read.contains(&v) && !sets_first(here, v)) {
                return None;
            }
            let (value, write) = self.stmt(stmt)?;
            values.extend(value);
            writes.extend(write);
        }
        Some((values, writes))
    }

    /// A number in a variable of its own, which what follows does not change. Constants and components of the position stay.
    fn named(&mut self, e: Expr, values: &mut Block) -> Option<Expr> {
        scalar(&e.ty)?;
        let stays = match &e.kind {
            ExprKind::Constant(_) | ExprKind::Coordinate(..) => true,
            ExprKind::Local(v) => !self.set.contains(v),
            _ => false,
        };
        if stays {
            return Some(e);
        }
        let (ty, span) = (e.ty.clone(), e.span);
        let name = self.body.temporary(ty, span);
        values.push(build::assign(name, e));
        Some(self.body.read(name, span))
    }
}
