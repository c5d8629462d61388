//! How the accesses of a kernel lie around the position, decided before anything is printed.

use crate::analysis::phases::waits;
use crate::ir::rewrite::{set_in, visit, visit_block, visit_stmts};
use crate::ir::{Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, Program, Stmt, StmtKind, VarId};
use crate::types::{ElementType, Type};
use quasar_devicelib::element::Scalar;
use std::collections::{BTreeMap, BTreeSet};

/// How a kernel reaches an array parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Only reads.
    View,
    /// Writes at the own position, in the leading `depth` components at least; all accesses are at exactly the own
    /// position where `row` is set.
    Band { depth: usize, row: bool },
    /// Writes anywhere.
    Scatter,
    /// Adds anywhere and does nothing else.
    Tally(Table),
    /// Anything, by one thread.
    Whole,
}

/// What is known about an array that is only added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    /// Nothing.
    Any,
    /// Only bytes are indices.
    Bytes,
    /// Only bytes are indices, and only ones are added.
    Counts,
}

/// The array parameters of a kernel that are not kept by each thread, with their reach.
pub(super) fn reaches(program: &Program, kernel: &Kernel) -> BTreeMap<VarId, Reach> {
    let mut found = BTreeMap::new();
    for &param in &kernel.body.params {
        if by_reference(program, &kernel.body, param) {
            found.insert(param, reach(program, kernel, param));
        }
    }
    found
}

/// Threads get a copy of arrays with at most this many elements.
const COPIED: usize = 64;

/// Whether a parameter is an array that stays where it is: one of unknown size, a large one, or one that is changed.
pub(super) fn by_reference(program: &Program, body: &Body, param: VarId) -> bool {
    let ty = &body.variables[param].ty;
    matches!(ty, Type::Array(_))
        && super::types::fixed(ty).is_none_or(|sizes| {
            sizes.iter().product::<usize>() > COPIED || changes(program, &body.block, param, 8)
        })
}

#[derive(Default)]
struct Uses {
    loads: Vec<Vec<Index>>,
    stores: Vec<Vec<Index>>,
    adds: Vec<Vec<Index>>,
    /// Something else than one is added.
    amounts: bool,
    updates: Vec<Vec<Index>>,
    passed: bool,
    changed_by_callee: bool,
}

fn is_param(expr: &Expr, param: VarId) -> bool {
    matches!(expr.kind, ExprKind::Local(v) if v == param)
}

fn uses(program: &Program, block: &Block, param: VarId) -> Uses {
    let mut uses = Uses::default();
    visit_stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::Store { array, index, .. } if is_param(array, param) => uses.stores.push(index.clone()),
        StmtKind::Update { array, index, row, result, value, .. } if is_param(array, param) => {
            if row.name == "add" && result.is_none() {
                uses.adds.push(index.clone());
                uses.amounts |= value.constant().is_none_or(|c| c.as_f64() != 1.0);
            } else {
                uses.updates.push(index.clone());
            }
        }
        StmtKind::Exchange { array, index, .. } if is_param(array, param) => uses.updates.push(index.clone()),
        StmtKind::Call { function, args, .. } => {
            for (k, arg) in args.iter().enumerate() {
                if is_param(arg, param) {
                    uses.passed = true;
                    let body = &program.functions[*function].body;
                    uses.changed_by_callee |=
                        body.params.get(k).is_some_and(|p| changes(program, &body.block, *p, 8));
                }
            }
        }
        _ => {}
    });
    let mut places = 0;
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Store { array, .. }
        | StmtKind::Update { array, .. }
        | StmtKind::Exchange { array, .. } = &stmt.kind
        {
            places += usize::from(is_param(array, param));
        }
    });
    let mut mentions = 0;
    visit_block(block, &mut |expr| match &expr.kind {
        ExprKind::Load { array, index, .. } if is_param(array, param) => {
            places += 1;
            uses.loads.push(index.clone());
        }
        ExprKind::Extent(array, _) | ExprKind::Count(array) if is_param(array, param) => places += 1,
        _ if is_param(expr, param) => mentions += 1,
        _ => {}
    });
    // Somewhere the array is a value as a whole.
    uses.passed |= mentions > places;
    uses
}

/// Whether statements write elements of an array, also through the functions they call.
fn changes(program: &Program, block: &Block, array: VarId, depth: usize) -> bool {
    if crate::ir::rewrite::stored_in(block).contains(&array) || depth == 0 {
        return true;
    }
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Call { function, args, .. } = &stmt.kind {
            let body = &program.functions[*function].body;
            for (arg, param) in args.iter().zip(&body.params) {
                found |= is_param(arg, array) && changes(program, &body.block, *param, depth - 1);
            }
        }
    });
    found
}

fn reach(program: &Program, kernel: &Kernel, param: VarId) -> Reach {
    let uses = uses(program, &kernel.body.block, param);
    let written = !(uses.stores.is_empty() && uses.adds.is_empty() && uses.updates.is_empty());
    if !written && !uses.changed_by_callee {
        return Reach::View;
    }
    if !kernel.parallel {
        return Reach::Whole;
    }
    if uses.passed || waits(&kernel.body.block) {
        return Reach::Scatter;
    }
    let all = uses.loads.iter().chain(&uses.stores).chain(&uses.adds).chain(&uses.updates);
    let depth = all.clone().map(|index| own_prefix(index, kernel.rank)).min().unwrap_or(0);
    if depth > 0 {
        let exact =
            |index: &Vec<Index>| index.len() == kernel.rank && own_prefix(index, kernel.rank) == kernel.rank;
        let simple = uses.adds.is_empty() && uses.updates.is_empty();
        return Reach::Band { depth, row: simple && all.clone().all(exact) };
    }
    let rank = super::types::rank(&kernel.body.variables[param].ty);
    if uses.loads.is_empty() && uses.stores.is_empty() && uses.updates.is_empty() {
        let bytes = rank == Some(1)
            && uses.adds.iter().all(|index| matches!(index.as_slice(), [Index::At(e)] if byte(e).is_some()));
        return Reach::Tally(match (bytes, uses.amounts) {
            (true, false) => Table::Counts,
            (true, true) => Table::Bytes,
            (false, _) => Table::Any,
        });
    }
    Reach::Scatter
}

/// The byte that an `int` is a conversion of.
pub(super) fn byte(index: &Expr) -> Option<&Expr> {
    match &index.kind {
        ExprKind::Convert(inner) if matches!(inner.ty, Type::Scalar(ElementType::UInt8, _)) => Some(inner),
        ExprKind::Convert(inner)
            if matches!(inner.ty, Type::Scalar(ElementType::Int32 | ElementType::Single, _)) =>
        {
            byte(inner)
        }
        _ => None,
    }
}

/// How many leading indices are the components of the position in order.
fn own_prefix(index: &[Index], rank: usize) -> usize {
    index
        .iter()
        .take(rank)
        .enumerate()
        .take_while(|(k, index)| {
            matches!(index, Index::At(Expr { kind: ExprKind::Coordinate(Coordinate::Position, axis), .. }) if axis == k)
        })
        .count()
}

/// `position + base + offset` along the last dimension, where `base` does not change within a row.
#[derive(Clone, Debug)]
pub(super) struct Around {
    /// Terms with their signs.
    pub(super) base: Vec<(bool, Expr)>,
    /// The constant part.
    pub(super) offset: i32,
}

/// What does not change while a kernel walks along a row.
pub(super) struct Uniform<'k> {
    last: usize,
    set: BTreeSet<VarId>,
    reaches: &'k BTreeMap<VarId, Reach>,
}

impl<'k> Uniform<'k> {
    pub(super) fn new(kernel: &Kernel, reaches: &'k BTreeMap<VarId, Reach>) -> Uniform<'k> {
        let mut set = set_in(&kernel.body.block);
        set.extend(&kernel.body.results);
        Uniform { last: kernel.rank - 1, set, reaches }
    }

    /// Takes a variable as one that changes within a row, or not; says which it was before.
    pub(super) fn vary(&mut self, variable: VarId, varies: bool) -> bool {
        if varies { !self.set.insert(variable) } else { self.set.remove(&variable) }
    }

    /// Whether an expression has one value for all positions of a row.
    pub(super) fn holds(&self, expr: &Expr) -> bool {
        let mut uniform = true;
        visit(expr, &mut |e| match &e.kind {
            ExprKind::Coordinate(Coordinate::Position, axis) => uniform &= *axis != self.last,
            ExprKind::Coordinate(..) => uniform = false,
            ExprKind::Local(v) => uniform &= !self.set.contains(v),
            ExprKind::Load { array, .. } => {
                uniform &=
                    matches!(array.kind, ExprKind::Local(v) if self.reaches.get(&v) == Some(&Reach::View));
            }
            ExprKind::Constant(_)
            | ExprKind::Apply { .. }
            | ExprKind::Extent(..)
            | ExprKind::Count(_)
            | ExprKind::And(..)
            | ExprKind::Or(..)
            | ExprKind::Select { .. } => {}
            ExprKind::Convert(inner) => uniform &= total(inner, e),
            ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::Global(_)
            | ExprKind::Array(_)
            | ExprKind::Tuple(_)
            | ExprKind::Field(..)
            | ExprKind::Sequence(_)
            | ExprKind::Reduce { .. }
            | ExprKind::Library { .. } => uniform = false,
        });
        uniform
    }

    /// The index as a distance from the last component of the position.
    pub(super) fn around(&self, index: &Expr) -> Option<Around> {
        let mut around = Around { base: Vec::new(), offset: 0 };
        let mut found = 0;
        self.terms(index, true, &mut around, &mut found)?;
        (found == 1).then_some(around)
    }

    fn terms(&self, expr: &Expr, positive: bool, around: &mut Around, found: &mut u32) -> Option<()> {
        match &expr.kind {
            ExprKind::Constant(Scalar::I32(n)) => {
                let n = if positive { *n } else { n.checked_neg()? };
                around.offset = around.offset.checked_add(n)?;
            }
            ExprKind::Coordinate(Coordinate::Position, axis) if *axis == self.last => {
                *found += 1;
                return positive.then_some(());
            }
            ExprKind::Apply { row, args } if row.name == "add" => {
                self.terms(&args[0], positive, around, found)?;
                self.terms(&args[1], positive, around, found)?;
            }
            ExprKind::Apply { row, args } if row.name == "subtract" => {
                self.terms(&args[0], positive, around, found)?;
                self.terms(&args[1], !positive, around, found)?;
            }
            ExprKind::Apply { row, args } if row.name == "negate" => {
                self.terms(&args[0], !positive, around, found)?;
            }
            _ if self.holds(expr) => around.base.push((positive, expr.clone())),
            _ => return None,
        }
        Some(())
    }
}

/// Whether a conversion cannot fail.
pub(super) fn total(from: &Expr, to: &Expr) -> bool {
    match (super::types::scalar(&from.ty), &to.ty) {
        (Some(a), Type::Scalar(b, overflow)) => *overflow != crate::types::Overflow::Checked || fits(a, *b),
        (Some(a), Type::Enum(_)) => a == ElementType::Int32,
        _ => true,
    }
}

/// Whether every value of `a` has a place in `b`.
fn fits(a: ElementType, b: ElementType) -> bool {
    if !b.is_integer() || a == b {
        return true;
    }
    a.is_integer()
        && match (a.is_signed(), b.is_signed()) {
            (true, false) => false,
            (false, true) => a.bits() < b.bits(),
            _ => a.bits() <= b.bits(),
        }
}

/// An estimate of the operations of a block for one position.
pub(super) fn cost(block: &[Stmt]) -> u32 {
    let mut total = 0u32;
    for stmt in block {
        crate::ir::rewrite::operands(stmt, &mut |e| visit(e, &mut |_| total = total.saturating_add(1)));
        let times = match &stmt.kind {
            StmtKind::For { range, .. } => match (range.from.constant_int(), range.to.constant_int()) {
                (Some(a), Some(b)) => (i64::from(b) - i64::from(a)).clamp(1, 1 << 20) as u32,
                _ => 32,
            },
            StmtKind::While { .. } | StmtKind::Repeat { .. } | StmtKind::ForEach { .. } => 32,
            _ => 1,
        };
        crate::ir::rewrite::blocks(stmt, &mut |inner| {
            total = total.saturating_add(cost(inner).saturating_mul(times));
        });
        total = total.saturating_add(1);
    }
    total
}
