//! Loops over triangles, and loops that several statements of a kernel have in common, become components of the position:
//!
//! ```text
//! kernel over i                       kernel over (i, j)
//!     for j = 0..i                        if j <= i
//!         c[i,j] *= b                         c[i,j] *= b
//!     for k                       ->          for k
//!         for j = 0..i                            c[i,j] += a[i,k]*a[j,k]
//!             c[i,j] += a[i,k]*a[j,k]     endif
//! ```
//!
//! Every iteration of `j` has elements of its own, so for each of them all happens in the order in which it did. The new positions are
//! a box around the triangle; those outside of it do nothing.

use super::interchange::{has_own_elements, is_known, is_plain_kernel};
use crate::analysis::lanes::has_checked_loads;
use crate::analysis::may_fail;
use crate::ir::barriers::waits;
use crate::ir::rewrite::{
    free_variables, jumps_out, operands, operands_mut, same, set_in, substitute, transform_stmts, variables,
    visit, visit_stmts,
};
use crate::ir::{
    Block, Coordinate, Expr, ExprKind, Kernel, LoopAttributes, Range, Stmt, StmtKind, VarId, build,
};
use crate::target::any::TRIANGLE_OFFSET;
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

/// A loop that becomes a component of the position.
pub(super) struct Lifted {
    /// The code of the new positions.
    pub(super) block: Block,
    /// How many values the component has.
    pub(super) extent: Extent,
}

/// A number of positions.
pub(super) enum Extent {
    /// One that is told in terms of the kernel's parameters.
    Known(Expr),
    /// As many as a component of the position has values, and some more.
    Component(usize, i32),
}

/// A bound of a loop.
enum Bound {
    /// The same for all positions.
    Known,
    /// At a distance from a component of the position.
    Along(usize, i32),
}

/// A statement of the kernel without its loop.
struct Piece {
    variable: VarId,
    range: Range,
    /// The loops around it.
    outer: Vec<(VarId, Range)>,
    /// What is inside of it.
    body: Block,
}

/// The loop of a kernel that becomes a component of the position, where one can.
pub(super) fn lifted(kernel: &Kernel) -> Option<Lifted> {
    let block = &kernel.body.block;
    if !is_plain_kernel(kernel) || waits(block) {
        return None;
    }
    let (first, others) = block.split_first()?;
    for piece in pieces(first) {
        let range = piece.range.clone();
        let rest = others.iter().map(|stmt| pieces(stmt).into_iter().find(|each| is_range(each, &range)));
        let Some(rest) = rest.collect::<Option<Vec<_>>>() else { continue };
        let all: Vec<Piece> = std::iter::once(piece).chain(rest).collect();
        if let Some(lifted) = box_of(kernel, &range, &all).filter(|_| may_be_lifted(kernel, &all)) {
            return Some(lifted);
        }
    }
    None
}

fn is_range(piece: &Piece, range: &Range) -> bool {
    same(&piece.range.from, &range.from) && same(&piece.range.to, &range.to)
}

/// The ways to take a loop out of perfectly nested ones, the outermost first.
fn pieces(stmt: &Stmt) -> Vec<Piece> {
    let (mut found, mut outer, mut stmt) = (Vec::new(), Vec::new(), stmt);
    while let StmtKind::For { variable, range, body, attributes } = &stmt.kind {
        let unit = range.step.as_ref().is_none_or(|step| step.constant_int() == Some(1));
        if *attributes != LoopAttributes::default() || !unit {
            break;
        }
        let (variable, range) = (*variable, range.clone());
        found.push(Piece { variable, range: range.clone(), outer: outer.clone(), body: body.clone() });
        outer.push((variable, range));
        let [only] = body.as_slice() else { break };
        stmt = only;
    }
    found
}

/// Whether the iterations of the loop are independent, and nothing but elements remains of them.
fn may_be_lifted(kernel: &Kernel, pieces: &[Piece]) -> bool {
    let params = &kernel.body.params;
    let blocks: Vec<Block> = pieces.iter().map(|piece| piece.without_loop(None)).collect();
    let alone = pieces.iter().zip(&blocks).all(|(piece, block)| {
        let (set, free) = (set_in(&piece.body), free_variables(&piece.body));
        let outer = |v: VarId| v == piece.variable || piece.outer.iter().any(|(variable, _)| *variable == v);
        let bounds = piece.outer.iter().flat_map(|(_, range)| [&range.from, &range.to]);
        is_simple(&piece.body)
            && !jumps_out(&piece.body, 0)
            && set.iter().all(|v| !outer(v) && !params.contains(&v) && !free.contains(&v))
            && bounds.clone().all(|e| !has_checked_loads(e) && !variables(e).contains(&piece.variable))
            && !piece.outer.iter().any(|(variable, _)| *variable == piece.variable)
            && blocks.iter().all(|other| std::ptr::eq(other, block) || keeps_apart(block, other))
    });
    // Elements are all that a later piece knows of an earlier one.
    let works = pieces.iter().any(|piece| !piece.outer.is_empty() || has_loops(&piece.body));
    let variable = pieces[0].variable;
    let whole: Block = pieces.iter().flat_map(|piece| piece.without_loop(Some(variable))).collect();
    works && alone && fails_by_index(pieces) && has_own_elements(kernel, &whole, variable)
}

/// Whether a block reads no variable that another sets.
fn keeps_apart(block: &Block, other: &Block) -> bool {
    let free = free_variables(block);
    set_in(other).iter().all(|v| !free.contains(&v))
}

/// Whether statements do nothing but compute numbers and change elements.
fn is_simple(block: &Block) -> bool {
    let mut simple = true;
    visit_stmts(block, &mut |stmt| {
        simple &= match &stmt.kind {
            StmtKind::Assign { .. }
            | StmtKind::Store { .. }
            | StmtKind::Update { result: None, .. }
            | StmtKind::If { .. } => true,
            StmtKind::For { attributes, .. } => *attributes == LoopAttributes::default(),
            _ => false,
        };
        operands(stmt, &mut |e| {
            visit(e, &mut |e| {
                simple &= !matches!(&e.kind, ExprKind::Coordinate(c, _) if *c != Coordinate::Position);
            });
        });
    });
    simple
}

fn has_loops(block: &Block) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| found |= matches!(stmt.kind, StmtKind::For { .. }));
    found
}

/// Whether nothing but indices may fail behind the first piece. Which of several wrong indices a launch names is open.
fn fails_by_index(pieces: &[Piece]) -> bool {
    pieces.len() == 1
        || pieces.iter().all(|piece| !piece.body.iter().any(|stmt| may_fail::possible(stmt, false)))
}

/// The box around the positions, with the code for each.
fn box_of(kernel: &Kernel, range: &Range, pieces: &[Piece]) -> Option<Lifted> {
    let (from, to) = (bound(kernel, &range.from)?, bound(kernel, &range.to)?);
    let span = range.from.span;
    let (start, extent) = match (&from, &to) {
        (Bound::Known, Bound::Known) => {
            (range.from.clone(), Extent::Known(super::interchange::iterations(range)))
        }
        (Bound::Known, Bound::Along(axis, most)) => {
            let start = range.from.constant_int().filter(|k| k.abs() <= TRIANGLE_OFFSET)?;
            (range.from.clone(), Extent::Component(*axis, most - start))
        }
        (Bound::Along(_, least), Bound::Known) => {
            let start = build::int(*least, span);
            let box_range = build::range(start.clone(), range.to.clone());
            (start, Extent::Known(super::interchange::iterations(&box_range)))
        }
        _ => return None,
    };
    let column = Expr::new(ExprKind::Coordinate(Coordinate::Position, kernel.rank), build::int_type(), span);
    let value = match start.constant_int() {
        Some(0) => column.clone(),
        _ => sum("add", column.clone(), start.clone())?,
    };
    let mut block: Block = pieces.iter().flat_map(|piece| piece.with_value(&value)).collect();
    let condition = match (from, to) {
        (Bound::Along(axis, least), _) => {
            Some(compare("greater_equal", column, component(axis, least, &start, span)?)?)
        }
        (_, Bound::Along(axis, most)) => {
            Some(compare("less_equal", column, component(axis, most, &start, span)?)?)
        }
        _ => None,
    };
    if let Some(condition) = condition {
        block = vec![build::choice(condition, block, Block::new(), span)];
    }
    Some(Lifted { block, extent })
}

/// A component of the position with a distance, in terms of the new component, which begins at `start`.
fn component(axis: usize, distance: i32, start: &Expr, span: crate::source::Span) -> Option<Expr> {
    let distance = distance - start.constant_int()?;
    let component = Expr::new(ExprKind::Coordinate(Coordinate::Position, axis), build::int_type(), span);
    if distance == 0 { Some(component) } else { sum("add", component, build::int(distance, span)) }
}

fn sum(name: &str, a: Expr, b: Expr) -> Option<Expr> {
    let span = a.span;
    Some(build::apply(find(name)?, vec![a, b], build::int_type(), span))
}

fn compare(name: &str, a: Expr, b: Expr) -> Option<Expr> {
    sum(name, a, b)
}

/// What a bound is like, if it can be told before the launch. Distances are numbers that are small, so that sums do not wrap around.
fn bound(kernel: &Kernel, e: &Expr) -> Option<Bound> {
    if is_known(kernel, e) {
        return Some(Bound::Known);
    }
    let (axis, distance) = along(e)?;
    (distance.abs() <= TRIANGLE_OFFSET).then_some(Bound::Along(axis, distance))
}

fn along(e: &Expr) -> Option<(usize, i32)> {
    match &e.kind {
        ExprKind::Coordinate(Coordinate::Position, axis) => Some((*axis, 0)),
        ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
            ("add", [a, b]) if b.constant_int().is_some() => {
                let (axis, distance) = along(a)?;
                Some((axis, distance.checked_add(b.constant_int()?)?))
            }
            ("add", [a, b]) if a.constant_int().is_some() => {
                let (axis, distance) = along(b)?;
                Some((axis, distance.checked_add(a.constant_int()?)?))
            }
            ("subtract", [a, b]) => {
                let (axis, distance) = along(a)?;
                Some((axis, distance.checked_sub(b.constant_int()?)?))
            }
            _ => None,
        },
        _ => None,
    }
}

impl Piece {
    /// The statement without its loop, whose variable has another name.
    fn without_loop(&self, name: Option<VarId>) -> Block {
        let mut block = self.body.clone();
        if let Some(name) = name.filter(|name| *name != self.variable) {
            let ty = build::int_type();
            replace(&mut block, self.variable, &build::local(name, ty, self.range.from.span));
        }
        self.wrapped(block)
    }

    /// The statement without its loop, with a value in the place of the variable.
    fn with_value(&self, value: &Expr) -> Block {
        let mut block = self.body.clone();
        replace(&mut block, self.variable, value);
        self.wrapped(block)
    }

    fn wrapped(&self, block: Block) -> Block {
        self.outer.iter().rev().fold(block, |body, (variable, range)| {
            let (variable, range) = (*variable, range.clone());
            let span = range.from.span;
            let attributes = LoopAttributes::default();
            vec![Stmt::new(StmtKind::For { variable, range, body, attributes }, span)]
        })
    }
}

fn replace(block: &mut Block, variable: VarId, value: &Expr) {
    let replacements = BTreeMap::from([(variable, value.clone())]);
    transform_stmts(block, &mut |s| operands_mut(s, &mut |e| substitute(e, &replacements)));
}
