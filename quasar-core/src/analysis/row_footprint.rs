//! Row footprints: which rows of the arrays that it reads a kernel needs for a row of its positions. Devices that share a launch
//! get these rows only.
//!
//! What counts is what the kernel's results depend on. Later passes may fetch more, but nothing they compute then depends on it:
//! they keep results whatever the arrays contain.

use super::access_pattern::by_reference;
use super::symbolic_range::{SymbolicRange, hull, loop_range};
use crate::ir::affine::{AffineForm, RowRange, Symbol};
use crate::ir::rewrite::{blocks, operands, sets, visit, visit_stmts};
use crate::ir::{Expr, ExprKind, Index, Kernel, Program, Range, Stmt, StmtKind, VarId, VarSet};
use crate::types::Boundary;
use crate::types::known::rank;
use std::collections::BTreeMap;

/// An index of more alternatives has no footprint.
const ALTERNATIVES: usize = 4;

/// The footprints of the array parameters of which they are known. Arrays that the kernel writes may be among them.
pub fn row_footprints(program: &Program, kernel: &Kernel) -> BTreeMap<VarId, Vec<RowRange>> {
    let body = &kernel.body;
    let mut counts: BTreeMap<VarId, u32> = BTreeMap::new();
    visit_stmts(&body.block, &mut |stmt| sets(stmt, &mut |v| *counts.entry(*v).or_default() += 1));
    let fixed = body.params.iter().filter(|param| !counts.contains_key(param));
    let value = |v: &VarId| (*v, SymbolicRange::exactly(AffineForm::symbol(Symbol::Value(*v))));
    let arrays = body.params.iter().filter(|param| by_reference(program, body, **param));
    let mut walker = Walker {
        kernel,
        bounds: fixed.map(value).collect(),
        once: counts.into_iter().filter(|(_, n)| *n == 1).map(|(v, _)| v).collect(),
        arrays: arrays.map(|array| (*array, Uses::default())).collect(),
        represented: Vec::new(),
    };
    walker.block(&body.block);
    let represented = walker.represented;
    let known = walker.arrays.into_iter().filter(|(_, uses)| !uses.whole && uses.mentions == uses.parts);
    let known = known.map(|(array, mut uses)| {
        uses.rows.extend(represented.iter().cloned());
        (array, uses.rows)
    });
    known.collect()
}

/// The uses of an array.
#[derive(Default)]
struct Uses {
    rows: Vec<RowRange>,
    /// Some access may be to any row.
    whole: bool,
    /// Mentions of the array, and those of them for an element or an extent.
    mentions: usize,
    parts: usize,
}

struct Walker<'k> {
    kernel: &'k Kernel,
    /// Ranges of loop variables inside their loops, and of parameters that keep their values.
    bounds: BTreeMap<VarId, SymbolicRange>,
    /// Variables with exactly one assignment.
    once: VarSet,
    arrays: BTreeMap<VarId, Uses>,
    /// Ends of loops that must not have wrapped around.
    represented: Vec<RowRange>,
}

impl Walker<'_> {
    fn block(&mut self, block: &[Stmt]) {
        for stmt in block {
            if let StmtKind::Store { array, index, .. }
            | StmtKind::Update { array, index, .. }
            | StmtKind::Exchange { array, index, .. } = &stmt.kind
            {
                self.access(array, index, Boundary::Checked);
            }
            operands(stmt, &mut |operand| visit(operand, &mut |expr| self.expr(expr)));
            let variable = match &stmt.kind {
                StmtKind::For { variable, range, .. } if self.enter(*variable, range) => Some(*variable),
                _ => None,
            };
            blocks(stmt, &mut |inner| self.block(inner));
            if let Some(variable) = variable {
                self.bounds.remove(&variable);
            }
        }
    }

    /// Takes the range of a loop variable, for the body of its loop.
    fn enter(&mut self, variable: VarId, range: &Range) -> bool {
        if !self.once.contains(&variable) {
            return false;
        }
        let bounds = &self.bounds;
        let Some((ends, found)) = loop_range(range, &|e| hull(e, &|v| bounds.get(&v).cloned())) else {
            return false;
        };
        for end in ends.iter().filter(|end| !end.is_represented()) {
            self.represented.push(over_rows(end, None));
        }
        self.bounds.insert(variable, found);
        true
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Load { array, index, boundary } => self.access(array, index, *boundary),
            ExprKind::Extent(array, _) | ExprKind::Count(array) => {
                if let Some(uses) = self.uses(array) {
                    uses.parts += 1;
                }
            }
            ExprKind::Local(_) => {
                if let Some(uses) = self.uses(expr) {
                    uses.mentions += 1;
                }
            }
            _ => {}
        }
    }

    fn uses(&mut self, array: &Expr) -> Option<&mut Uses> {
        let ExprKind::Local(v) = array.kind else { return None };
        self.arrays.get_mut(&v)
    }

    fn access(&mut self, array: &Expr, index: &[Index], boundary: Boundary) {
        let ExprKind::Local(v) = array.kind else { return };
        if !self.arrays.contains_key(&v) {
            return;
        }
        let dims = rank(&self.kernel.body.variables[v].ty);
        let rows = match index.first() {
            Some(Index::At(row)) if dims == Some(index.len()) => self.alternatives(row),
            _ => None,
        };
        let Some(uses) = self.uses(array) else { return };
        uses.parts += 1;
        match rows {
            Some(rows) => rows.iter().for_each(|range| add(&mut uses.rows, over_rows(range, Some(boundary)))),
            None => uses.whole = true,
        }
    }

    /// Ranges one of which an index is in: the larger, the smaller and the chosen of two numbers is one of the two.
    fn alternatives(&self, index: &Expr) -> Option<Vec<SymbolicRange>> {
        if let Some(range) = hull(index, &|v| self.bounds.get(&v).cloned()) {
            return Some(vec![range]);
        }
        let ExprKind::Apply { row, args } = &index.kind else {
            let ExprKind::Select { then, otherwise, .. } = &index.kind else { return None };
            return self.either(then, otherwise);
        };
        match (row.name, args.as_slice()) {
            ("min" | "max", [a, b]) => self.either(a, b),
            ("add", [a, b]) => self.combined(a, b, 1),
            ("subtract", [a, b]) => self.combined(a, b, -1),
            _ => None,
        }
    }

    fn either(&self, a: &Expr, b: &Expr) -> Option<Vec<SymbolicRange>> {
        let mut ranges = self.alternatives(a)?;
        ranges.extend(self.alternatives(b)?);
        (ranges.len() <= ALTERNATIVES).then_some(ranges)
    }

    fn combined(&self, a: &Expr, b: &Expr, sign: i64) -> Option<Vec<SymbolicRange>> {
        let (left, right) = (self.alternatives(a)?, self.alternatives(b)?);
        let sum = |a: &SymbolicRange, b: &SymbolicRange| a.clone().plus(&b.clone().times(sign));
        let sums: Vec<_> = left.iter().flat_map(|a| right.iter().map(move |b| sum(a, b))).collect();
        (sums.len() <= ALTERNATIVES && sums.iter().all(SymbolicRange::is_small)).then_some(sums)
    }
}

/// The range over all positions of a row.
fn over_rows(range: &SymbolicRange, boundary: Option<Boundary>) -> RowRange {
    let (low, high) = (range.low.over_row(false), range.high.over_row(true));
    RowRange { low, high, boundary }
}

/// Adds rows. Those that differ from others by constants only are one range with them.
fn add(rows: &mut Vec<RowRange>, more: RowRange) {
    let same = |known: &&mut RowRange| {
        known.boundary == more.boundary
            && known.low.terms == more.low.terms
            && known.high.terms == more.high.terms
    };
    match rows.iter_mut().find(same) {
        Some(known) => {
            known.low.constant = known.low.constant.min(more.low.constant);
            known.high.constant = known.high.constant.max(more.high.constant);
        }
        None => rows.push(more),
    }
}
