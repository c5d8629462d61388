//! Contractions: loops that do nothing but to grow one variable by a factor that all lanes have in common and one that all rows of
//! a tile have in common, as products of matrices and layers of convolutions do. The factors are packed in the order of the
//! loops, so that a tile grows by packed elements alone, whatever the loops are and wherever the elements lie.
//!
//! ```text
//!     lanes: s = e                       of all rows, lanes: s = e
//!     for k                              for k
//!         lanes: s += a[i,k]*b[k,j]          of all rows, lanes: s += rows[k]*lanes[k]
//!     lanes: c[i,j] = s                  of all rows, lanes: c[i,j] = s
//! ```
//!
//! Every position adds in its order. Where a condition on the position stands around all of it, as in triangles, positions for which it
//! does not hold add as well, and store nothing; tiles of them alone are left out.

use super::columns;
use super::factors::{factors, in_variables, mentions};
use super::vectorize::{Allowed, code_of_lanes, is_plain};
use crate::analysis::access_pattern::{self, AccessPattern};
use crate::analysis::innermost_invariance::RowInvariance;
use crate::ir::rewrite::{read_in, same, set_in, stored_in, variables, visit, visit_block, visit_stmts};
use crate::ir::schedule::{ColumnBound, Contraction, Factor, Vector};
use crate::ir::{
    Block, Body, Coordinate, Expr, ExprKind, Kernel, Program, Stmt, StmtKind, VarId, VarSet, Variable, build,
};
use crate::source::Span;
use crate::target::cpu::CONTRACTION_ROWS;
use crate::types::ElementType;
use crate::types::known::scalar;
use std::collections::BTreeMap;

/// The contraction that a kernel is, with the variables that it needs.
pub(super) fn choose(program: &Program, kernel: &Kernel) -> Option<(Contraction, Vec<Variable>)> {
    if kernel.rank < 2 || !kernel.schedule.bands.is_empty() || kernel.schedule.collapsed.is_some() {
        return None;
    }
    let reaches = access_pattern::reaches(program, kernel);
    // Stores to arrays that other positions write as well are for lanes to do as without tiles.
    let own = |reach: &AccessPattern| {
        use AccessPattern::{OwnRows, ReadOnly, Scatter};
        matches!(reach, ReadOnly | Scatter | OwnRows { row: true, .. })
    };
    if !reaches.values().all(own) {
        return None;
    }
    let mut kernel = kernel.clone();
    let bounds = conditional(&mut kernel, &reaches);
    let before = kernel.body.variables.len();
    let mut whole = code_of_lanes(program, &mut kernel)?;
    let plain = whole.interleaved.is_empty() && whole.stores.is_empty();
    let plain = plain && whole.columns.is_empty() && whole.within.is_empty();
    if !plain {
        return None;
    }
    whole.columns = bounds;
    let parts = parts(&whole.block)?;
    if reads_written(&parts.loops, &reaches) {
        return None;
    }
    let found = (0..kernel.rank - 1).rev().find_map(|axis| divide(&mut kernel, &whole, &parts, axis))?;
    let added = (before..kernel.body.variables.len()).map(|k| kernel.body.variables[VarId::new(k)].clone());
    let added = added.collect();
    Some((found, added))
}

/// Has positions add without the condition that stands around all they do, and returns the columns for which it may hold. Elements
/// that are outside where it does not hold are any numbers, and so is what comes of them; those that are tested are so before a tile.
fn conditional(kernel: &mut Kernel, reaches: &BTreeMap<VarId, AccessPattern>) -> Vec<ColumnBound> {
    let [Stmt { kind: StmtKind::If { condition, then, otherwise }, span }] = kernel.body.block.as_slice()
    else {
        return Vec::new();
    };
    let Some(last) = then.iter().rposition(is_loop).filter(|_| otherwise.is_empty()) else {
        return Vec::new();
    };
    let (sums, behind) = then.split_at(last + 1);
    let is_kept = variables(condition).iter().all(|v| !set_in(sums).contains(&v));
    let is_pure = is_plain(&kernel.body, sums, &Allowed::default()) && stored_in(sums).is_empty();
    if !is_kept || !is_pure || !counts_are_known(&kernel.body, sums) {
        return Vec::new();
    }
    let changing = set_in(&kernel.body.block);
    let uniform = RowInvariance::new(kernel, reaches, &changing);
    let (_, bounds) = columns::take(&uniform, kernel.body.block.clone());
    let (condition, behind) = (condition.clone(), behind.to_vec());
    let mut block = sums.to_vec();
    block.push(build::choice(condition, behind, Block::new(), *span));
    kernel.body.block = block;
    bounds
}

/// Whether all loops have bounds that are told before the launch: where the condition does not hold, others may be any numbers, and
/// loops very long.
fn counts_are_known(body: &Body, sums: &[Stmt]) -> bool {
    let mut known = true;
    visit_stmts(sums, &mut |stmt| {
        let StmtKind::For { range, .. } = &stmt.kind else { return };
        for bound in [&range.from, &range.to] {
            visit(bound, &mut |e| {
                known &= match e.kind {
                    ExprKind::Local(v) => body.params.contains(&v),
                    ExprKind::Coordinate(..) | ExprKind::Load { .. } => false,
                    _ => true,
                };
            });
        }
    });
    known
}

/// Whether loops read arrays of which positions write elements that are not their own.
fn reads_written(loops: &Block, reaches: &BTreeMap<VarId, AccessPattern>) -> bool {
    let mut found = false;
    visit_block(loops, &mut |e| {
        if let ExprKind::Load { array, .. } = &e.kind
            && let ExprKind::Local(v) = array.kind
        {
            found |= reaches.get(&v) == Some(&AccessPattern::Scatter);
        }
    });
    found
}

/// The parts of a kernel that may be a contraction.
struct Parts {
    before: Block,
    loops: Block,
    behind: Block,
    sum: VarId,
}

/// The only loops of a kernel, and what stands around them.
fn parts(block: &Block) -> Option<Parts> {
    let first = block.iter().position(is_loop)?;
    let loops: Block = block[first..].iter().take_while(|stmt| is_loop(stmt)).cloned().collect();
    let (before, behind) = (block[..first].to_vec(), block[first + loops.len()..].to_vec());
    let mut others = false;
    visit_stmts(&before, &mut |stmt| others |= is_loop(stmt));
    visit_stmts(&behind, &mut |stmt| others |= is_loop(stmt) || matches!(stmt.kind, StmtKind::While { .. }));
    let counters = counters(&loops);
    let mut grown: Vec<VarId> = set_in(&loops).iter().filter(|v| !counters.contains(v)).collect();
    let sum = grown.pop().filter(|_| grown.is_empty() && !others)?;
    // What else is computed before the loops is not there behind them, and not in the packed factors.
    let (made, read) = (set_in(&before), read_in(&behind));
    let read_in_loops = read_in(&loops);
    let lost = |v: VarId| v != sum && (read.contains(&v) || read_in_loops.contains(&v));
    let kept = made.iter().any(lost) || counters.iter().any(|v| read.contains(&v));
    (!kept && stored_in(&loops).is_empty()).then_some(Parts { before, loops, behind, sum })
}

fn is_loop(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::For { attributes, .. } if !attributes.every_position)
}

/// The variables of loops that are not over lanes.
fn counters(block: &Block) -> VarSet {
    let mut found = VarSet::new();
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::For { variable, .. } = &stmt.kind {
            found.insert(*variable);
        }
    });
    found
}

/// The contraction with tiles of rows along a component of the position, if the loops allow it.
fn divide(kernel: &mut Kernel, whole: &Vector, parts: &Parts, axis: usize) -> Option<Contraction> {
    let element = scalar(&kernel.body.variables[parts.sum].ty)?;
    if !matches!(element, ElementType::Single | ElementType::Double | ElementType::Int32 | ElementType::Int64)
    {
        return None;
    }
    let mut terms = Terms { sum: parts.sum, axis, last: kernel.rank - 1, found: Vec::new() };
    terms.collect(&parts.loops)?;
    let (first, others) = terms.found.split_first()?;
    let (rows_type, lanes_type) = (first.rows.ty.clone(), first.lanes.ty.clone());
    let [rows, lanes] = [("$row", &rows_type), ("$column", &lanes_type)]
        .map(|(name, ty)| kernel.body.variables.push(Variable::new(name, ty.clone(), Span::default())));
    let step = first.step(rows, lanes);
    let alike = |term: &Term| {
        term.rows.ty == rows_type && term.lanes.ty == lanes_type && same(&term.step(rows, lanes), &step)
    };
    if !others.iter().all(alike) {
        return None;
    }
    let factor = |variable: VarId, of: fn(&Term) -> &Expr, along: usize| {
        let mut values = terms.found.iter().map(of);
        let block = fill(&parts.loops, variable, &mut || values.next().cloned());
        let axes = (0..kernel.rank).filter(|k| *k != along && mentioned(&block, *k)).collect();
        let vector = Vector { wide: vec![variable], ..part(whole, block) };
        Factor { variable, values: vector, axes }
    };
    Some(Contraction {
        axis,
        rows: CONTRACTION_ROWS,
        sum: parts.sum,
        step: build::assign(parts.sum, step),
        of_rows: factor(rows, |term| &term.rows, axis),
        of_lanes: factor(lanes, |term| &term.lanes, kernel.rank - 1),
        before: part(whole, parts.before.clone()),
        behind: part(whole, parts.behind.clone()),
        whole: whole.clone(),
    })
}

/// A part of the code of lanes.
fn part(whole: &Vector, block: Block) -> Vector {
    Vector { block, ..whole.clone() }
}

/// The loops with a variable in the place of the sum, which gets one value after the other. A region for each value.
fn fill(block: &Block, variable: VarId, next: &mut dyn FnMut() -> Option<Expr>) -> Block {
    let mut found = Block::new();
    for stmt in block {
        let StmtKind::For { body, attributes, variable: counter, range } = &stmt.kind else { continue };
        let mut each = |body: Block| {
            let (attributes, range) = (attributes.clone(), range.clone());
            let kind = StmtKind::For { variable: *counter, range, body, attributes };
            found.push(Stmt::new(kind, stmt.span));
        };
        if !attributes.every_position {
            each(fill(body, variable, next));
            continue;
        }
        for _ in body {
            each(next().map(|value| build::assign(variable, value)).into_iter().collect());
        }
    }
    found
}

/// A value by which the sum grows, and how.
struct Term {
    value: Expr,
    rows: Expr,
    lanes: Expr,
}

impl Term {
    /// The new sum, with variables in the place of both factors.
    fn step(&self, rows: VarId, lanes: VarId) -> Expr {
        in_variables(&self.value, [(&self.rows, rows), (&self.lanes, lanes)])
    }
}

/// What is known of the values that are added.
struct Terms {
    sum: VarId,
    /// The component of the position along which rows of a tile are neighbours, and that of lanes.
    axis: usize,
    last: usize,
    found: Vec<Term>,
}

impl Terms {
    /// Takes the values of all statements. `None` where one is no step of a contraction.
    fn collect(&mut self, block: &Block) -> Option<()> {
        for stmt in block {
            match &stmt.kind {
                StmtKind::For { body, attributes, range, .. } => {
                    let bounds = [&range.from, &range.to];
                    if bounds.iter().any(|e| mentions(e, self.axis))
                        || attributes.every_position && !is_flat(body)
                    {
                        return None;
                    }
                    self.collect(body)?;
                }
                StmtKind::Assign { variable, value } if *variable == self.sum => {
                    let [rows, lanes] = factors(value, self.sum, [self.axis, self.last])?;
                    self.found.push(Term { value: value.clone(), rows, lanes });
                }
                _ => return None,
            }
        }
        Some(())
    }
}

fn is_flat(body: &Block) -> bool {
    body.iter().all(|stmt| matches!(stmt.kind, StmtKind::Assign { .. }))
}

/// Whether code depends on a component of the position.
fn mentioned(block: &Block, axis: usize) -> bool {
    let mut found = false;
    visit_block(block, &mut |e| {
        found |= matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, k) if k == axis);
    });
    found
}
