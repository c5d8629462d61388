//! Vectors along loops: an innermost loop that goes along rows of arrays is strip-mined, with an accumulator for each lane, so
//! that its iterations become vectors where neighbouring positions do not:
//!
//! ```text
//! for k = 0..n-1                 if n >= 64 && n <= size(x, 1)
//!     s = s + x[p, k]                for strip = 0..n/32-1
//! endfor                                 for lane = 0..31
//!                                            k = 32*strip + lane
//!                                            lanes[lane] = lanes[lane] + x'unchecked[p, k]
//!                                    for lane = 0..31
//!                                        s = s + lanes[lane]
//!                                    for k = n/32*32..n-1 ..
//!                                else
//!                                    the loop as it was
//! ```
//!
//! Sums of floats are so added in another order, as on devices. Stores keep their order. What could fail at an index is left to
//! the loop as it was.

use super::vectorize::is_plain;
use crate::analysis::dependence::accumulation;
use crate::analysis::liveness::{LiveAfter, live_in_loop};
use crate::ir::barriers::waits;
use crate::ir::build::{self, int, int_type};
use crate::ir::rewrite::{
    blocks_mut, free_variables, operands_mut, set_in, substitute, transform, transform_stmts, variables,
    visit, visit_block, visit_stmts,
};
use crate::ir::{
    Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, LoopAttributes, Range, Stmt, StmtKind, VarId,
    VarSet,
};
use crate::source::Span;
use crate::target::cpu::{LONG_VECTOR, SHORT_VECTOR, STRIPS};
use crate::types::Boundary;
use crate::types::known::scalar;
use quasar_devicelib::ops::{Row, find};
use std::collections::BTreeMap;

/// Runs the pass on a kernel whose positions are not in vectors.
pub(super) fn run(kernel: &mut Kernel) {
    let vectors = kernel.schedule.vectors().next().is_some();
    if vectors || kernel.schedule.position_tile.is_some() || waits(&kernel.body.block) {
        return;
    }
    let block = std::mem::take(&mut kernel.body.block);
    let live = kernel.body.results.iter().copied().collect();
    let last = kernel.rank.checked_sub(1).filter(|_| kernel.parallel);
    let block = Pass { body: &mut kernel.body, last }.block(block, &live);
    kernel.body.block = block;
}

struct Pass<'a> {
    body: &'a mut Body,
    /// The component of the position along which neighbours lie.
    last: Option<usize>,
}

/// A loop that may go by lanes.
struct Candidate {
    accumulators: Vec<(VarId, &'static Row)>,
    /// Accesses with tested indices, which must be inside from the first iteration to the last.
    tested: Vec<(Expr, Vec<Index>)>,
    lanes: u32,
}

impl Pass<'_> {
    fn block(&mut self, block: Block, after: &VarSet) -> Block {
        let mut live_after = LiveAfter::of(&block, after);
        let mut found = Block::with_capacity(block.len());
        for mut stmt in block {
            let live = live_after.step();
            if let Some(candidate) = self.candidate(&stmt, live) {
                found.push(self.strip_mined(stmt, &candidate));
                continue;
            }
            let inner = match &stmt.kind {
                StmtKind::If { .. } => live.clone(),
                _ => live_in_loop(&stmt, live),
            };
            blocks_mut(&mut stmt, &mut |block| *block = self.block(std::mem::take(block), &inner));
            found.push(stmt);
        }
        found
    }

    /// What is needed to know of a loop that goes along rows, where nothing of an iteration but accumulators is used later.
    fn candidate(&self, stmt: &Stmt, after: &VarSet) -> Option<Candidate> {
        let StmtKind::For { variable, range, body, attributes } = &stmt.kind else { return None };
        let counted = range.step.as_ref().is_none_or(|step| step.constant_int() == Some(1));
        let short = range.constant_count().is_some_and(|count| count < STRIPS * i64::from(LONG_VECTOR));
        if !counted
            || short
            || attributes.unroll.is_some()
            || !is_plain(self.body, std::slice::from_ref(stmt))
        {
            return None;
        }
        let straight = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::Store { .. });
        let (set, carried) = (set_in(body), free_variables(body));
        if !body.iter().all(straight) || set.contains(variable) || after.contains(variable) {
            return None;
        }
        // The bounds are those before the loop; here they are read again behind some of it.
        let bounds = variables(&range.from).union(&variables(&range.to));
        if bounds.iter().any(|v| set.contains(&v) || v == *variable) {
            return None;
        }
        let mut found = Candidate { accumulators: Vec::new(), tested: Vec::new(), lanes: LONG_VECTOR };
        for id in &set {
            let element = scalar(&self.body.variables[id].ty).filter(|e| !e.is_complex())?;
            if carried.contains(&id) {
                found.accumulators.push((id, accumulation(body, id)?));
            } else if after.contains(&id) {
                return None;
            }
            if element.size() > 4 {
                found.lanes = SHORT_VECTOR;
            }
        }
        let mut changing = set;
        changing.insert(*variable);
        self.goes_along_rows(body, *variable, &changing, &mut found.tested)?;
        (!found.accumulators.is_empty() || !found.tested.is_empty()).then_some(found)
    }

    /// Whether iterations read or write neighbours along rows, and nothing that is farther apart.
    fn goes_along_rows(
        &self,
        body: &Block,
        k: VarId,
        changing: &VarSet,
        tested: &mut Vec<(Expr, Vec<Index>)>,
    ) -> Option<()> {
        let (mut along, mut refused) = (false, false);
        let mut access = |array: &Expr, index: &[Index], boundary: Boundary| {
            let slopes: Option<Vec<i64>> = index
                .iter()
                .map(|each| match each {
                    Index::At(e) => slope(e, k, changing),
                    _ => None,
                })
                .collect();
            let Some([lead @ .., last]) = slopes.as_deref() else { return refused = true };
            refused |= lead.iter().any(|slope| *slope != 0) || !matches!(last, 0 | 1);
            refused |= *last == 1 && index.last().is_some_and(|index| self.is_along_positions(index));
            along |= *last == 1;
            match boundary {
                Boundary::Unchecked => {}
                Boundary::Checked => tested.push((array.clone(), index.to_vec())),
                _ => refused = true,
            }
        };
        visit_block(body, &mut |e| {
            if let ExprKind::Load { array, index, boundary } = &e.kind {
                access(array, index, *boundary);
            }
        });
        visit_stmts(body, &mut |stmt| {
            if let StmtKind::Store { array, index, boundary, .. } = &stmt.kind {
                access(array, index, *boundary);
            }
        });
        (along && !refused).then_some(())
    }

    /// Whether neighbouring positions read neighbours too: windows that slide along rows are computed otherwise.
    fn is_along_positions(&self, index: &Index) -> bool {
        let (Index::At(index), Some(last)) = (index, self.last) else { return false };
        let mut found = false;
        visit(index, &mut |e| {
            found |= matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, axis) if axis == last);
        });
        found
    }

    fn strip_mined(&mut self, stmt: Stmt, candidate: &Candidate) -> Stmt {
        let span = stmt.span;
        let StmtKind::For { variable, range, body, attributes } = &stmt.kind else { return stmt };
        let mut condition = self.is_long(range);
        for (array, index) in &candidate.tested {
            condition = and(condition, is_inside(array, index, *variable, range));
        }
        let mut quick = body.clone();
        drop_tests(&mut quick);
        let lanes = int(candidate.lanes as i32, span);
        let mut block = Block::new();
        let mut rest = range.clone();
        if !candidate.accumulators.is_empty() {
            let shift = int(candidate.lanes.trailing_zeros() as i32, span);
            let (strips, strip, lane) = (self.int(span), self.int(span), self.int(span));
            let number = |v| build::local(v, int_type(), span);
            let count = add(sub(range.to.clone(), range.from.clone()), int(1, span));
            block.push(build::assign(strips, apply("shr", count, shift)));
            let made = self.accumulators(candidate, &mut block, span);
            let first = add(range.from.clone(), apply("multiply", number(strip), lanes.clone()));
            let mut one = vec![build::assign(*variable, add(first, number(lane)))];
            one.extend(in_lanes(&quick, &made, &number(lane)));
            let every = || build::range(int(0, span), int(candidate.lanes as i32 - 1, span));
            let inner = vec![looped(lane, every(), one)];
            let all = build::range(int(0, span), sub(number(strips), int(1, span)));
            block.push(looped(strip, all, inner));
            block.push(looped(lane, every(), combined(candidate, &made, self.body, &number(lane))));
            rest.from = add(range.from.clone(), apply("multiply", number(strips), lanes));
        }
        let attributes = attributes.clone();
        let tail = StmtKind::For { variable: *variable, range: rest, body: quick, attributes };
        block.push(Stmt::new(tail, span));
        build::choice(condition, block, vec![stmt], span)
    }

    fn int(&mut self, span: Span) -> VarId {
        self.body.temporary(int_type(), span)
    }

    /// Whether a loop has so many iterations that strips pay.
    fn is_long(&self, range: &Range) -> Expr {
        let (from, to, span) = (range.from.clone(), range.to.clone(), range.from.span);
        let enough = int(STRIPS as i32 * LONG_VECTOR as i32 - 1, span);
        let long = apply("greater_equal", sub(to.clone(), from.clone()), enough);
        // The difference may wrap where the end lies before the beginning.
        match from.constant_int() {
            Some(0) => long,
            _ => and(apply("greater_equal", to, from), long),
        }
    }

    /// For each accumulator an array with the neutral element for each lane.
    fn accumulators(
        &mut self,
        candidate: &Candidate,
        block: &mut Block,
        span: Span,
    ) -> BTreeMap<VarId, Expr> {
        let mut made = BTreeMap::new();
        for (variable, row) in &candidate.accumulators {
            let element = self.body.variables[*variable].ty.clone();
            let ty = build::sized_type(element.clone(), vec![Some(candidate.lanes)]);
            let array = self.body.temporary(ty.clone(), span);
            let neutral = build::neutral(row, &element, span);
            let items = vec![neutral; candidate.lanes as usize];
            block.push(build::assign(array, Expr::new(ExprKind::Array(items), ty.clone(), span)));
            made.insert(*variable, build::local(array, ty, span));
        }
        made
    }
}

fn apply(name: &str, a: Expr, b: Expr) -> Expr {
    let (row, span) = (find(name).expect("a row that the table has"), a.span);
    build::apply(row, vec![a, b], int_type(), span)
}

fn add(a: Expr, b: Expr) -> Expr {
    match (a.constant_int(), b.constant_int()) {
        (Some(0), _) => b,
        _ => apply("add", a, b),
    }
}

fn sub(a: Expr, b: Expr) -> Expr {
    match b.constant_int() {
        Some(0) => a,
        _ => apply("subtract", a, b),
    }
}

fn and(a: Expr, b: Expr) -> Expr {
    let span = a.span;
    Expr::new(ExprKind::And(Box::new(a), Box::new(b)), int_type(), span)
}

fn looped(variable: VarId, range: Range, body: Block) -> Stmt {
    let (span, attributes) = (range.from.span, LoopAttributes::default());
    Stmt::new(StmtKind::For { variable, range, body, attributes }, span)
}

/// How much an index grows with the loop variable; nothing where that is not plain.
fn slope(e: &Expr, k: VarId, changing: &VarSet) -> Option<i64> {
    let read = variables(e);
    let mut loads = false;
    visit(e, &mut |e| loads |= matches!(e.kind, ExprKind::Load { .. }));
    if !loads && !read.iter().any(|v| changing.contains(&v)) {
        return Some(0);
    }
    match &e.kind {
        ExprKind::Local(v) if *v == k => Some(1),
        ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
            ("add", [a, b]) => Some(slope(a, k, changing)? + slope(b, k, changing)?),
            ("subtract", [a, b]) => Some(slope(a, k, changing)? - slope(b, k, changing)?),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the indices of an access are inside in all iterations: those of the first and of the last are.
fn is_inside(array: &Expr, index: &[Index], k: VarId, range: &Range) -> Expr {
    let span = array.span;
    let mut condition = None;
    for (axis, each) in index.iter().enumerate() {
        let Index::At(at) = each else { continue };
        let mut ends = vec![&range.from];
        if variables(at).contains(&k) {
            ends.push(&range.to);
        }
        for end in ends {
            let mut at = at.clone();
            substitute(&mut at, &BTreeMap::from([(k, end.clone())]));
            let low = apply("greater_equal", at.clone(), int(0, span));
            let high = apply("less", at, build::extent(array.clone(), axis, span));
            let both = and(low, high);
            condition = Some(match condition {
                Some(condition) => and(condition, both),
                None => both,
            });
        }
    }
    condition.unwrap_or_else(|| int(1, span))
}

fn drop_tests(block: &mut Block) {
    transform_stmts(block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Load { boundary, .. } = &mut e.kind {
                    *boundary = Boundary::Unchecked;
                }
            });
        });
        if let StmtKind::Store { boundary, .. } = &mut stmt.kind {
            *boundary = Boundary::Unchecked;
        }
    });
}

/// An iteration that accumulates in the array of each accumulator.
fn in_lanes(body: &Block, made: &BTreeMap<VarId, Expr>, lane: &Expr) -> Block {
    let items: BTreeMap<VarId, Expr> = made
        .iter()
        .map(|(v, array)| {
            (*v, build::load(array.clone(), vec![lane.clone()], Boundary::Unchecked, array.span))
        })
        .collect();
    let mut body = body.clone();
    transform_stmts(&mut body, &mut |stmt| {
        operands_mut(stmt, &mut |e| substitute(e, &items));
        if let StmtKind::Assign { variable, value } = &stmt.kind
            && let Some(array) = made.get(variable)
        {
            stmt.kind = StmtKind::Store {
                array: array.clone(),
                index: vec![Index::At(lane.clone())],
                boundary: Boundary::Unchecked,
                value: value.clone(),
            };
        }
    });
    body
}

/// `s = s + lanes[lane]` for each accumulator.
fn combined(candidate: &Candidate, made: &BTreeMap<VarId, Expr>, body: &Body, lane: &Expr) -> Block {
    let each = candidate.accumulators.iter().filter_map(|(variable, row)| {
        let (array, ty) = (made.get(variable)?, body.variables[*variable].ty.clone());
        let item = build::load(array.clone(), vec![lane.clone()], Boundary::Unchecked, array.span);
        let whole = body.read(*variable, array.span);
        Some(build::assign(*variable, build::apply(row, vec![whole, item], ty, array.span)))
    });
    each.collect()
}
