//! Kernels that visit several positions at once, for devices: the statements of neighbouring positions are interleaved, so
//! that a thread fetches once what they share. Positions are neighbours along the dimension before the last, where the
//! threads of a warp stay side by side along the last; of a single dimension they are a block apart.
//!
//! What has one value for all positions of a strip is computed once. Branches on other values, and loops that positions
//! leave at different times, are written for each position.

use super::{fold, forward, place, unroll};
use crate::analysis::hull::{Hull, Sum, Symbol, hull};
use crate::analysis::phases::waits;
use crate::analysis::reach::{Reach, reaches};
use crate::analysis::row::{Uniform, changing};
use crate::analysis::window::{self, Extreme, Window};
use crate::ir::rewrite::{blocks, operands, operands_mut, sets, transform, visit, visit_block, visit_stmts};
use crate::ir::{
    Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, KernelId, LoopAttributes, Program, Stmt,
    StmtKind, Storage, Strip, VarId, build,
};
use crate::source::Span;
use crate::types::Type;
use std::collections::{BTreeMap, BTreeSet};

/// Positions of a strip: along a dimension of several, and along the only one.
const ROWS: u32 = 8;
const SINGLES: u32 = 8;
/// Loops whose rounds hold more nodes of expressions stay loops.
const SHORT: usize = 60;
/// The most nodes of expressions in all positions of a strip.
const LARGEST: usize = 12000;
/// So many fetches of a position must be spared to make it worthwhile, a loop counting for some.
const LEAST_SPARED: usize = 3;
const ROUNDS: usize = 8;
/// More rows of a window than this are not counted.
const MOST_LINES: i64 = 64;
/// Rows of windows with fewer elements are written out.
const FEW: usize = 5;

/// The strip of a kernel, where positions share enough.
pub(super) fn strip(program: &Program, id: KernelId) -> Option<Strip> {
    let original = &program.kernels[id];
    let body = &original.body;
    let blocks = body.variables.iter().any(|(_, v)| v.storage == Storage::Shared);
    if !original.parallel || !body.results.is_empty() || original.rank == 0 || waits(&body.block) || blocks {
        return None;
    }
    let mut kernel = original.clone();
    if write_out(&mut kernel.body) {
        forward::run(&mut kernel.body);
    }
    let axis = kernel.rank.saturating_sub(2);
    let reaches = reaches(program, &kernel);
    let spared = spared(&kernel, axis, &reaches);
    let rows = if kernel.rank == 1 { SINGLES } else { ROWS };
    let large = |kernel: &Kernel| size(&kernel.body.block) * rows as usize > LARGEST;
    if spared < LEAST_SPARED || uses_blocks(&kernel.body.block) || large(&kernel) {
        return None;
    }
    let plain = kernel.body.clone();
    if place::run(&mut kernel.body) && large(&kernel) {
        kernel.body = plain;
    }
    let body = Stripper::new(&kernel, axis, rows, &reaches).run()?;
    Some(Strip { rows, apart: if kernel.rank == 1 { Strip::THREADS } else { 1 }, body })
}

/// Writes out short loops. Longer ones of constant bounds are left to the compilers of devices, which unroll them too and
/// have less to read; extremes over windows are only found in what is written out.
fn write_out(body: &mut Body) -> bool {
    let mut extreme = false;
    visit_block(&body.block, &mut |e| {
        extreme |= matches!(&e.kind, ExprKind::Apply { row, .. } if matches!(row.name, "min" | "max"));
    });
    if extreme { unroll::run(body) } else { unroll::within(body, SHORT) }
}

fn uses_blocks(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_block(block, &mut |e| {
        found |= matches!(e.kind, ExprKind::Coordinate(c, _) if c != Coordinate::Position);
    });
    found
}

fn size(block: &[Stmt]) -> usize {
    let mut nodes = 0;
    visit_block(block, &mut |_| nodes += 1);
    nodes
}

/// The least and the largest value of each index but one.
type Others = Vec<Option<(Sum, Sum)>>;

/// How many fetches are spared for each position of a strip but one: of elements that do not move with the position, and
/// of those that other positions look at as well.
fn spared(kernel: &Kernel, axis: usize, reaches: &BTreeMap<VarId, Reach>) -> usize {
    // Distances from the position by array and the other indices.
    let mut lines: BTreeMap<(VarId, Others), BTreeSet<i64>> = BTreeMap::new();
    let (mut still, own) = (0, [(Symbol::Position(axis), 1)]);
    let rounds = constant_loops(&kernel.body.block);
    let fetch = &mut |e: &Expr, weight: usize| {
        let ExprKind::Load { array, index, .. } = &e.kind else { return };
        let ExprKind::Local(v) = array.kind else { return };
        if reaches.get(&v) != Some(&Reach::View) {
            return;
        }
        let (mut moves, mut line, mut others) = (false, None, Vec::new());
        for index in index {
            let Index::At(index) = index else { return };
            match hull(index, &|v| rounds.get(&v).cloned()) {
                Some(found) if found.low.terms == own && found.high.terms == own && line.is_none() => {
                    line = Some((found.low.constant, found.high.constant));
                }
                found => others.push(found.map(|found| (found.low, found.high))),
            }
            visit(index, &mut |e| {
                moves |= matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, a) if a == axis);
            });
        }
        match line {
            Some((low, high)) => {
                let seen = low..=high.min(low + MOST_LINES);
                lines.entry((v, others)).or_default().extend(seen);
            }
            None if !moves => still += weight,
            None => {}
        }
    };
    weigh(&kernel.body.block, 1, fetch);
    still + lines.values().map(|each| each.len() - 1).sum::<usize>()
}

/// The variables of loops with constant bounds.
fn constant_loops(block: &[Stmt]) -> BTreeMap<VarId, Hull> {
    let mut found = BTreeMap::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::For { variable, range, .. } = &stmt.kind
            && let (Some(from), Some(to)) = (range.from.constant_int(), range.to.constant_int())
        {
            let (low, high) = (i64::from(from.min(to)), i64::from(from.max(to)));
            found.insert(*variable, Hull { low: Sum::constant(low), high: Sum::constant(high) });
        }
    });
    found
}

/// Visits all expressions with the number of times that they count.
fn weigh(block: &[Stmt], weight: usize, f: &mut dyn FnMut(&Expr, usize)) {
    for stmt in block {
        operands(stmt, &mut |e| visit(e, &mut |e| f(e, weight)));
        let repeated =
            matches!(stmt.kind, StmtKind::For { .. } | StmtKind::While { .. } | StmtKind::Repeat { .. });
        blocks(stmt, &mut |inner| weigh(inner, if repeated { weight * ROUNDS } else { weight }, f));
    }
}

struct Stripper<'k> {
    kernel: &'k Kernel,
    reaches: &'k BTreeMap<VarId, Reach>,
    axis: usize,
    rows: u32,
    body: Body,
    /// Variables that differ from position to position.
    varying: BTreeSet<VarId>,
    /// Their copies, one map for each position but the first.
    copies: Vec<BTreeMap<VarId, VarId>>,
}

impl<'k> Stripper<'k> {
    fn new(kernel: &'k Kernel, axis: usize, rows: u32, reaches: &'k BTreeMap<VarId, Reach>) -> Stripper<'k> {
        let Body { variables, params, results, block: _ } = &kernel.body;
        let (variables, params, results) = (variables.clone(), params.clone(), results.clone());
        let body = Body { variables, params, results, block: Vec::new() };
        let copies = vec![BTreeMap::new(); rows as usize - 1];
        Stripper { kernel, reaches, axis, rows, body, varying: BTreeSet::new(), copies }
    }

    fn run(mut self) -> Option<Body> {
        loop {
            let before = self.varying.len();
            self.find_varying(&self.kernel.body.block, false);
            if self.varying.len() == before {
                break;
            }
        }
        if self.varying.iter().any(|v| self.body.params.contains(v)) {
            return None;
        }
        for &variable in &self.varying {
            for copies in &mut self.copies {
                let declared = self.body.variables[variable].clone();
                copies.insert(variable, self.body.variables.push(declared));
            }
        }
        let block = self.block(&self.kernel.body.block);
        self.body.block = block;
        Some(self.body)
    }

    /// Whether an expression may have different values in the positions of a strip.
    fn varies(&self, expr: &Expr) -> bool {
        let mut found = false;
        visit(expr, &mut |e| {
            found |= match &e.kind {
                ExprKind::Coordinate(_, axis) => *axis == self.axis,
                ExprKind::Local(v) => {
                    self.varying.contains(v) || self.reaches.get(v).is_some_and(|reach| *reach != Reach::View)
                }
                _ => false,
            };
        });
        found
    }

    fn find_varying(&mut self, block: &[Stmt], apart: bool) {
        for stmt in block {
            let apart = apart || !self.together(stmt);
            let mut found = Vec::new();
            if apart || self.sets_varying(stmt) {
                sets(stmt, &mut |v| found.push(*v));
            }
            if let (StmtKind::Store { array, .. } | StmtKind::Update { array, .. }, true) =
                (&stmt.kind, apart || self.operands_vary(stmt))
                && let ExprKind::Local(v) = array.kind
                && !self.body.params.contains(&v)
            {
                found.push(v);
            }
            if let StmtKind::Call { args, .. } = &stmt.kind {
                // Functions may change the arrays that they are given.
                let given = args.iter().filter_map(|e| match e.kind {
                    ExprKind::Local(v) if matches!(e.ty, Type::Array(_)) => Some(v),
                    _ => None,
                });
                found.extend(given.filter(|v| !self.body.params.contains(v)));
            }
            self.varying.extend(found);
            let mut inner: Vec<&Block> = Vec::new();
            blocks_of(stmt, &mut inner);
            for block in inner {
                self.find_varying(block, apart);
            }
        }
    }

    fn operands_vary(&self, stmt: &Stmt) -> bool {
        let mut varies = false;
        operands(stmt, &mut |e| varies |= self.varies(e));
        varies
    }

    /// Whether what a statement itself sets differs.
    fn sets_varying(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Assign { value, .. } => self.varies(value),
            StmtKind::For { .. } => self.operands_vary(stmt),
            _ => true,
        }
    }

    /// Whether the positions of a strip run the blocks of a statement together.
    fn together(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::If { condition, .. } => !self.varies(condition),
            StmtKind::For { variable, body, .. } => {
                !self.operands_vary(stmt) && !self.varying.contains(variable) && !jumps(body)
            }
            StmtKind::While { .. } | StmtKind::Repeat { .. } => false,
            _ => true,
        }
    }

    fn block(&mut self, block: &[Stmt]) -> Block {
        let kernel = self.kernel;
        let reaches = self.reaches;
        let set = changing(kernel);
        let mut made = Vec::new();
        let mut rest = block;
        while let Some((first, behind)) = rest.split_first() {
            let uniform = Uniform::new(kernel, reaches, &set);
            if let Some(Window::Extreme(extreme)) = window::find(rest, kernel, &uniform)
                && let Some(stmts) = self.extreme(&extreme)
            {
                made.extend(stmts);
                rest = &rest[extreme.count..];
                continue;
            }
            self.stmt(first, &mut made);
            rest = behind;
        }
        made
    }

    fn stmt(&mut self, stmt: &Stmt, made: &mut Block) {
        let together = self.together(stmt);
        let mut stmt = stmt.clone();
        let alone = match &mut stmt.kind {
            StmtKind::Assign { variable, .. } => !self.varying.contains(variable),
            StmtKind::If { then, otherwise, .. } if together => {
                *then = self.block(then);
                *otherwise = self.block(otherwise);
                true
            }
            StmtKind::For { body, .. } if together => {
                *body = self.block(body);
                true
            }
            _ => false,
        };
        if alone {
            made.push(stmt);
            return;
        }
        for row in 0..self.rows {
            let mut copy = stmt.clone();
            self.move_to(std::slice::from_mut(&mut copy), row);
            made.push(copy);
        }
    }

    /// Makes statements those of another position of the strip.
    fn move_to(&self, block: &mut [Stmt], row: u32) {
        if let Some(copies) = row.checked_sub(1).map(|k| &self.copies[k as usize]) {
            crate::ir::rewrite::rename(block, &mut |v| copies.get(&v).copied().unwrap_or(v));
        }
        crate::ir::rewrite::transform_stmts(block, &mut |stmt| {
            operands_mut(stmt, &mut |e| self.shift(e, row))
        });
    }

    fn shift(&self, expr: &mut Expr, row: u32) {
        let distance = self.distance(row);
        transform(expr, &mut |e| {
            if distance != 0
                && matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, axis) if axis == self.axis)
            {
                *e = moved(e.clone(), distance);
            } else if let ExprKind::Apply { .. } = e.kind {
                gather(e);
            }
        });
        fold::expr(expr);
    }

    fn distance(&self, row: u32) -> i32 {
        let apart = if self.kernel.rank == 1 { Strip::THREADS } else { 1 };
        (row * apart) as i32
    }

    /// The extreme of a window: that of each row of elements once for all positions that look at it.
    fn extreme(&mut self, extreme: &Extreme<'_>) -> Option<Block> {
        let moves = extreme.base.iter().any(|(_, term)| self.varies(term));
        if self.kernel.rank < 2 || moves || !self.varying.contains(&extreme.variable) {
            return None;
        }
        let mut lines: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        for lead in &extreme.leads {
            let at = self.line(lead)?;
            for row in 0..self.rows {
                lines.entry(at + i64::from(row)).or_default().push(row);
            }
        }
        let last = self.kernel.rank - 1;
        let ty = self.body.variables[extreme.variable].ty.clone();
        let span = self.kernel.span;
        let array = build::local(extreme.array, self.body.variables[extreme.array].ty.clone(), span);
        let mut along = position(last, span);
        for (positive, term) in &extreme.base {
            let row = quasar_devicelib::ops::find(if *positive { "add" } else { "subtract" })?;
            along = build::apply(row, vec![along, term.clone()], build::int_type(), span);
        }
        let mut made = Vec::new();
        for (line, rows) in lines {
            let lead: Vec<Expr> =
                (extreme.leads[0].iter().enumerate())
                    .map(|(axis, e)| {
                        if axis == self.axis {
                            moved(position(axis, span), line as i32)
                        } else {
                            (*e).clone()
                        }
                    })
                    .collect();
            let kept = self.body.temporary(ty.clone(), span);
            let read = |v| build::local(v, ty.clone(), span);
            let element = |offset: Expr| {
                let mut index = lead.clone();
                let add = quasar_devicelib::ops::find("add")?;
                index.push(build::apply(add, vec![along.clone(), offset], build::int_type(), span));
                Some(build::load(array.clone(), index, extreme.boundary, span))
            };
            let both = |load| build::apply(extreme.row, vec![read(kept), load], ty.clone(), span);
            let (first, others) = extreme.offsets.split_first()?;
            made.push(build::assign(kept, element(build::int(*first, span))?));
            let last = *others.last().unwrap_or(first);
            if others.len() >= FEW && i64::from(last) - i64::from(*first) == others.len() as i64 {
                let k = self.body.temporary(build::int_type(), span);
                let load = element(self.body.read(k, span))?;
                made.push(Stmt::new(
                    StmtKind::For {
                        variable: k,
                        range: build::range(build::int(first + 1, span), build::int(last, span)),
                        body: vec![build::assign(kept, both(load))],
                        attributes: LoopAttributes::default(),
                    },
                    span,
                ));
            } else {
                for offset in others {
                    made.push(build::assign(kept, both(element(build::int(*offset, span))?)));
                }
            }
            for row in rows {
                let v = match row.checked_sub(1) {
                    Some(k) => *self.copies[k as usize].get(&extreme.variable)?,
                    None => extreme.variable,
                };
                made.push(build::assign(
                    v,
                    build::apply(extreme.row, vec![read(v), read(kept)], ty.clone(), span),
                ));
            }
        }
        Some(made)
    }

    /// How far a row of a window is from the position, if nothing else in its leading indices depends on it.
    fn line(&self, lead: &[&Expr]) -> Option<i64> {
        let found = hull(lead.get(self.axis)?, &|_| None)?;
        let alone =
            found.low == found.high && found.low.terms == [(Symbol::Position(self.axis), 1)];
        let others = lead.iter().enumerate().filter(|(axis, _)| *axis != self.axis);
        let still = others.into_iter().all(|(_, e)| !self.varies(e));
        (alone && still).then_some(found.low.constant)
    }
}

fn blocks_of<'s>(stmt: &'s Stmt, found: &mut Vec<&'s Block>) {
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => found.extend([then, otherwise]),
        StmtKind::For { body, .. } | StmtKind::ForEach { body, .. } | StmtKind::While { body, .. } => {
            found.push(body)
        }
        StmtKind::Repeat { body, test, .. } => found.extend([body, test]),
        StmtKind::Try { body, handler, .. } => found.extend([body, handler]),
        _ => {}
    }
}

/// Whether a block has jumps.
fn jumps(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= matches!(stmt.kind, StmtKind::Break { .. } | StmtKind::Continue { .. });
    });
    found
}

fn position(axis: usize, span: Span) -> Expr {
    Expr::new(ExprKind::Coordinate(Coordinate::Position, axis), build::int_type(), span)
}

/// A position and a constant.
fn moved(expr: Expr, distance: i32) -> Expr {
    if distance == 0 {
        return expr;
    }
    let (span, ty) = (expr.span, expr.ty.clone());
    match quasar_devicelib::ops::find("add") {
        Some(row) => build::apply(row, vec![expr, build::int(distance, span)], ty, span),
        None => expr,
    }
}

/// Writes a sum of a component of the position and constants with one constant, so that equal ones look alike.
fn gather(expr: &mut Expr) {
    let Some(found) = hull(expr, &|_| None).filter(|found| found.low == found.high) else { return };
    if let [(Symbol::Position(axis), 1)] = found.low.terms.as_slice()
        && let Ok(distance) = i32::try_from(found.low.constant)
    {
        *expr = moved(position(*axis, expr.span), distance);
    }
}
