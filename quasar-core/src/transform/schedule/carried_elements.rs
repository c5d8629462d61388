//! Predictive commoning for devices: an element that an iteration reads where one or two before it wrote stays in a variable. An
//! iteration then waits for an operation, and not until memory gives back what it has just been given:
//!
//! ```text
//! for n = 1..N-1                            if 1 <= N-1: e = y[p,0]
//!     y[p,n] = a*y[p,n-1] + x[p,n]    =>    for n = 1..N-1
//! endfor                                        y[p,n] = a*e + x[p,n], and e is that too
//! ```
//!
//! It holds for arrays of which each position keeps to elements of its own, so that nobody else writes them meanwhile, and for
//! stores that no iteration leaves out and that fail where they are outside.

use super::own_element::{may_end, plain_updates};
use crate::ir::barriers::waits;
use crate::ir::build::{self, int};
use crate::ir::rewrite::{
    blocks, blocks_mut, children, has_loops, jumps_out, operands, operands_mut, same, set_in, stored_in,
    substitute, transform, transform_stmts, variables, visit, visit_block, visit_stmts,
};
use crate::ir::{
    Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, Range, Stmt, StmtKind, VarId, VarSet, Variable,
};
use crate::target::any::CARRIED_ITERATIONS;
use crate::types::known::array_element;
use crate::types::{Boundary, ElementType, Type};
use std::collections::BTreeMap;

/// Runs the transform on one kernel.
pub(super) fn run(kernel: &mut Kernel) {
    if !kernel.parallel || kernel.aliased || waits(&kernel.body.block) {
        return;
    }
    for array in kernel.body.params.clone() {
        if is_plain(&kernel.body.variables[array].ty)
            && stored_in(&kernel.body.block).contains(&array)
            && keeps_to_itself(kernel, array)
        {
            let mut block = std::mem::take(&mut kernel.body.block);
            in_block(&mut kernel.body, &mut block, array);
            kernel.body.block = block;
        }
    }
}

fn is_plain(ty: &Type) -> bool {
    matches!(array_element(ty), Some(ElementType::Single | ElementType::Double | ElementType::Int32))
}

fn is_array(e: &Expr, array: VarId) -> bool {
    matches!(e.kind, ExprKind::Local(v) if v == array)
}

/// Whether each position reaches other elements of an array: every component of the position is an index of all its accesses, at
/// one place.
fn keeps_to_itself(kernel: &Kernel, array: VarId) -> bool {
    // For each component of the position, the places where all accesses so far have it.
    let (mut places, mut parts, mut mentions) = (vec![u32::MAX; kernel.rank], 0, 0);
    let mut at = |index: &[Index]| {
        for (component, places) in places.iter_mut().enumerate() {
            let own = |i: &Index| matches!(i, Index::At(Expr { kind: ExprKind::Coordinate(Coordinate::Position, k), .. }) if *k == component);
            let here = index.iter().take(u32::BITS as usize).enumerate().filter(|(_, i)| own(i));
            *places &= here.fold(0, |all, (place, _)| all | 1 << place);
        }
    };
    visit_stmts(&kernel.body.block, &mut |stmt| match &stmt.kind {
        StmtKind::Store { array: a, index, .. }
        | StmtKind::Update { array: a, index, result: None, atomic: false, .. }
            if is_array(a, array) =>
        {
            at(index);
            parts += 1;
        }
        StmtKind::Update { array: a, .. } | StmtKind::Exchange { array: a, .. } if is_array(a, array) => {
            at(&[]);
        }
        _ => {}
    });
    visit_block(&kernel.body.block, &mut |e| match &e.kind {
        ExprKind::Load { array: a, index, boundary } if is_array(a, array) => {
            // Other modes read other elements where this one is outside.
            at(if is_as_written(*boundary) { index } else { &[] });
            parts += 1;
        }
        ExprKind::Extent(a, _) | ExprKind::Count(a) if is_array(a, array) => parts += 1,
        ExprKind::Local(v) if *v == array => mentions += 1,
        _ => {}
    });
    mentions <= parts && places.iter().all(|places| *places != 0)
}

/// Whether an access means the element of its index, if there is one.
fn is_as_written(boundary: Boundary) -> bool {
    matches!(boundary, Boundary::Checked | Boundary::Unchecked | Boundary::Safe)
}

/// Looks for loops in a block, the inner ones first.
fn in_block(body: &mut Body, block: &mut Block, array: VarId) {
    let mut k = 0;
    while k < block.len() {
        blocks_mut(&mut block[k], &mut |inner| in_block(body, inner, array));
        if let Some(before) = in_loop(body, &mut block[k], array) {
            block.insert(k, before);
            k += 1;
        }
        k += 1;
    }
}

/// The element that a loop writes in each iteration.
struct Written {
    index: Vec<Index>,
    /// The place among the indices of the one that changes.
    axis: usize,
    /// What that index is more than the variable of the loop.
    offset: i64,
}

/// Keeps the elements of one loop in variables. What reads the first ones.
fn in_loop(body: &mut Body, stmt: &mut Stmt, array: VarId) -> Option<Stmt> {
    let StmtKind::For { variable, range, body: inner, .. } = &mut stmt.kind else { return None };
    let step = range.step.as_ref().map_or(Some(1), Expr::constant_int)?;
    let changing = set_in(inner);
    if step == 0 || has_loops(inner) || jumps_out(inner, 0) || may_end(inner) || changing.contains(variable) {
        return None;
    }
    if !is_cheap(&range.from) || !is_cheap(&range.to) {
        return None;
    }
    let mut plain = inner.clone();
    plain_updates(&mut plain, array, &body.variables[array].ty);
    let at = only_store(&plain, array)?;
    let StmtKind::Store { index, .. } = &plain[at].kind else { return None };
    let written = written(index, *variable, &changing)?;
    let (distances, boundary) = read_before(&plain, array, *variable, &written, i64::from(step))?;
    let farthest = *distances.last()?;
    let span = plain[at].span;
    let ty = (*body.variables[array].ty.as_array()?.element).clone();
    let places: Vec<VarId> =
        (0..farthest).map(|_| body.variables.push(Variable::new("$carried", ty.clone(), span))).collect();
    replace(body, &mut plain, array, (*variable, i64::from(step)), &written, &places);
    pass_on(body, &mut plain, at, &places);
    let before = first(body, array, (*variable, range, step), &written, &places, boundary);
    *inner = plain;
    Some(before)
}

/// Whether a bound may be computed once more: it reads no elements.
fn is_cheap(e: &Expr) -> bool {
    let mut cheap = true;
    visit(e, &mut |e| {
        cheap &= matches!(
            e.kind,
            ExprKind::Constant(_)
                | ExprKind::Local(_)
                | ExprKind::Apply { .. }
                | ExprKind::Extent(..)
                | ExprKind::Count(_)
                | ExprKind::Convert(_)
                | ExprKind::Coordinate(..)
        );
    });
    cheap
}

/// The place of the store to an array among the statements of an iteration, if it is the only one, and all iterations come to it.
fn only_store(block: &[Stmt], array: VarId) -> Option<usize> {
    let mut count = 0;
    visit_stmts(block, &mut |stmt| {
        count += usize::from(stored_in(std::slice::from_ref(stmt)).contains(&array));
    });
    let at = block.iter().position(|stmt| {
        matches!(&stmt.kind, StmtKind::Store { array: a, boundary: Boundary::Checked | Boundary::Unchecked, .. }
            if is_array(a, array))
    })?;
    (count == 1).then_some(at)
}

/// How an index follows the variable of a loop, if one of its parts does and the others stay.
fn written(index: &[Index], variable: VarId, changing: &VarSet) -> Option<Written> {
    let mut along = None;
    for (axis, part) in index.iter().enumerate() {
        let Index::At(e) = part else { return None };
        let follows = |v: VarId| v == variable || changing.contains(&v);
        let (base, offset) = e.base_and_offset();
        if base.is_some_and(|base| is_array(base, variable)) {
            if along.replace((axis, offset)).is_some() {
                return None;
            }
        } else if variables(e).iter().any(follows) || !is_cheap(e) {
            return None;
        }
    }
    let (axis, offset) = along?;
    Some(Written { index: index.to_vec(), axis, offset })
}

/// How many iterations before a read the element was written.
fn distance(index: &[Index], variable: VarId, written: &Written, step: i64) -> Option<i64> {
    let parts = index.iter().zip(&written.index).enumerate();
    let mut distance = None;
    for (axis, (read, stored)) in parts {
        let (Index::At(read), Index::At(stored)) = (read, stored) else { return None };
        if axis != written.axis {
            if !same(read, stored) {
                return None;
            }
            continue;
        }
        let (Some(base), offset) = read.base_and_offset() else { return None };
        let apart = written.offset - offset;
        distance = (is_array(base, variable) && apart % step == 0).then_some(apart / step);
    }
    distance.filter(|_| index.len() == written.index.len())
}

/// The distances in iterations of what a loop has written before it reads it, in order, and the access mode for the first ones.
fn read_before(
    block: &[Stmt],
    array: VarId,
    variable: VarId,
    written: &Written,
    step: i64,
) -> Option<(Vec<i64>, Boundary)> {
    let mut found = Found { array, variable, written, step, distances: Vec::new(), modes: Vec::new() };
    found.block(block, false);
    let Found { mut distances, modes, .. } = found;
    distances.sort_unstable();
    let (boundary, _) = *modes.first()?;
    let alike = modes.iter().all(|(mode, _)| *mode == boundary);
    // Where a condition keeps an iteration from reading, there may be no element; what the condition does not prove must still fail.
    let guarded = modes.iter().any(|(_, guarded)| *guarded);
    let boundary = match boundary {
        Boundary::Checked if guarded => return None,
        _ if guarded => Boundary::Safe,
        _ => boundary,
    };
    alike.then_some((distances, boundary))
}

/// The reads of what a loop has written some iterations before.
struct Found<'a> {
    array: VarId,
    variable: VarId,
    written: &'a Written,
    step: i64,
    distances: Vec<i64>,
    /// The access mode of each, and whether some iterations leave it out.
    modes: Vec<(Boundary, bool)>,
}

impl Found<'_> {
    fn block(&mut self, block: &[Stmt], guarded: bool) {
        for stmt in block {
            operands(stmt, &mut |e| self.expr(e, guarded));
            blocks(stmt, &mut |inner| self.block(inner, true));
        }
    }

    fn expr(&mut self, e: &Expr, guarded: bool) {
        match &e.kind {
            ExprKind::Select { condition, then, otherwise } => {
                self.expr(condition, guarded);
                self.expr(then, true);
                self.expr(otherwise, true);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.expr(a, guarded);
                self.expr(b, true);
            }
            ExprKind::Load { array, index, boundary } if is_array(array, self.array) => {
                let distance = distance(index, self.variable, self.written, self.step);
                let near = distance.filter(|distance| (1..=CARRIED_ITERATIONS).contains(distance));
                if let Some(distance) = near {
                    self.distances.push(distance);
                    self.modes.push((*boundary, guarded));
                }
                children(e, &mut |inner| self.expr(inner, guarded));
            }
            _ => children(e, &mut |inner| self.expr(inner, guarded)),
        }
    }
}

/// Puts the variables in the place of the elements.
fn replace(
    body: &Body,
    block: &mut Block,
    array: VarId,
    (variable, step): (VarId, i64),
    written: &Written,
    places: &[VarId],
) {
    transform_stmts(block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Load { array: a, index, .. } = &e.kind
                    && is_array(a, array)
                    && let Some(distance) = distance(index, variable, written, step)
                    && let Some(place) =
                        distance.checked_sub(1).and_then(|k| places.get(usize::try_from(k).ok()?))
                {
                    *e = body.read(*place, e.span);
                }
            });
        });
    });
}

/// Keeps what is stored for the iterations behind.
pub(super) fn pass_on(body: &mut Body, block: &mut Block, at: usize, places: &[VarId]) {
    let (ty, span) = (body.variables[places[0]].ty.clone(), block[at].span);
    let new = body.temporary(ty, span);
    let whole = body.read(new, span);
    if let StmtKind::Store { value, .. } = &mut block[at].kind {
        let value = std::mem::replace(value, whole.clone());
        block.insert(at, build::assign(new, value));
    }
    for pair in places.windows(2).rev() {
        block.push(build::assign(pair[1], body.read(pair[0], span)));
    }
    block.push(build::assign(places[0], whole));
}

/// Reads the elements in front of the first one that is written, if there is an iteration.
fn first(
    body: &Body,
    array: VarId,
    (variable, range, step): (VarId, &Range, i32),
    written: &Written,
    places: &[VarId],
    boundary: Boundary,
) -> Stmt {
    let span = body.variables[places[0]].span;
    let loads = places.iter().zip(1..).map(|(place, iterations)| {
        let mut index = written.index.clone();
        if let Index::At(along) = &mut index[written.axis] {
            substitute(along, &BTreeMap::from([(variable, range.from.clone())]));
            *along = build::of_ints("subtract", along.clone(), int(iterations * step, span));
        }
        let load = ExprKind::Load { array: Box::new(body.read(array, span)), index, boundary };
        build::assign(*place, Expr::new(load, body.variables[*place].ty.clone(), span))
    });
    let loads = loads.collect();
    let (low, high) = if step > 0 { (&range.from, &range.to) } else { (&range.to, &range.from) };
    build::choice(build::of_ints("less_equal", low.clone(), high.clone()), loads, Block::new(), span)
}
