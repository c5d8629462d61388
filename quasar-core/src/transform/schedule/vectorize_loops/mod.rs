//! Vectors along loops: an innermost loop that goes along rows of arrays is strip-mined, with an accumulator for each lane, so
//! that its iterations become vectors where neighbouring positions do not:
//!
//! ```text
//! for k = 0..n-1                 if n >= 1 && n <= size(x, 1)
//!     s = s + x[p, k]                if n >= 8
//! endfor                                 for strip = 0..n/32-1
//!                                            for lane = 0..31
//!                                                k = 32*strip + lane
//!                                                lanes[lane] = lanes[lane] + x'unchecked[p, k]
//!                                        s = s + fold[add](lanes)
//!                                        the same by strips of 8 from n/32*32 on
//!                                    for k = n/8*8..n-1 ..
//!                                else
//!                                    the loop as it was
//! ```
//!
//! Sums of floats are so added in another order, as on devices. What is written along rows is an array of lanes, which is
//! stored behind them. Elements that stay are kept in variables, also where the loop does not go along rows. What could fail at an
//! index, or read what an iteration before has written, is left to the loop as it was.

pub(super) mod accesses;
mod carried;
mod choices;
mod contended;
pub(super) mod elements;
mod rows;
mod split;

use super::own_element::plain_updates;
use super::vectorize::{Allowed, is_plain};
use crate::analysis::dependence::accumulation;
use crate::analysis::liveness::{LiveAfter, live_in_loop};
use crate::ir::barriers::waits;
use crate::ir::build::{self, and, int, int_type};
use crate::ir::rewrite::{
    blocks_mut, free_variables, operands_mut, set_in, sets, stored_in, substitute, transform,
    transform_stmts, variables, visit, visit_stmts,
};
use crate::ir::{
    Block, Body, Coordinate, Expr, ExprKind, Index, Kernel, LoopAttributes, Range, Stmt, StmtKind, VarId,
    VarSet,
};
use crate::source::Span;
use crate::target::cpu::{END_VECTOR, LONG_VECTOR, SHORT_VECTOR, STRIPS};
use crate::types::known::{array_element, on_heap, scalar};
use crate::types::{Boundary, Type};
use accesses::{Access, accesses, are_inside, with};
use elements::Written;
use quasar_devicelib::ops::Row;
use rows::Rows;
use std::collections::BTreeMap;

/// Runs the pass on a kernel whose positions are not in vectors.
pub(super) fn run(kernel: &mut Kernel) {
    let vectors = kernel.schedule.vectors().next().is_some();
    if vectors || kernel.schedule.position_tile.is_some() || kernel.aliased || waits(&kernel.body.block) {
        return;
    }
    if contended::is_contended(kernel) {
        contended::in_order(kernel);
    }
    let block = std::mem::take(&mut kernel.body.block);
    let live = kernel.body.results.iter().copied().collect();
    let last = kernel.rank.checked_sub(1).filter(|_| kernel.parallel);
    let stored = stored_in(&block);
    let own = own_arrays(&kernel.body, &block);
    let block = Pass { body: &mut kernel.body, last, stored, own }.block(block, &live);
    kernel.body.block = block;
}

struct Pass<'a> {
    body: &'a mut Body,
    /// The component of the position along which neighbours lie.
    last: Option<usize>,
    /// The arrays that the kernel writes.
    stored: VarSet,
    /// The arrays that its threads make, each by one name.
    own: VarSet,
}

/// The arrays in memory that a thread makes, and that have no other name.
fn own_arrays(body: &Body, block: &Block) -> VarSet {
    let mut own: VarSet = set_in(block).iter().filter(|v| on_heap(&body.variables[*v].ty)).collect();
    visit_stmts(block, &mut |stmt| {
        let makes = |value: &Expr| {
            matches!(
                value.kind,
                ExprKind::Library { name: "zeros" | "uninit" | "czeros" | "cuninit" | "sort" | "median", .. }
            )
        };
        match &stmt.kind {
            StmtKind::Assign { value, .. } if makes(value) => {}
            StmtKind::Assign { variable, value } => {
                own.remove(variable);
                if matches!(value.ty, Type::Array(_)) {
                    variables(value).iter().for_each(|v| _ = own.remove(&v));
                }
            }
            StmtKind::Call { args, .. } => {
                args.iter().for_each(|arg| variables(arg).iter().for_each(|v| _ = own.remove(&v)));
                sets(stmt, &mut |v| _ = own.remove(v));
            }
            _ => {}
        }
    });
    own
}

/// A loop that has a faster form where some conditions hold.
struct Candidate {
    variable: VarId,
    range: Range,
    /// The statements of an iteration, with elements that stay in variables.
    body: Block,
    /// What reads those elements, and what writes them.
    around: (Block, Block),
    accesses: Vec<Access>,
    written: Written,
    conditions: Vec<Expr>,
    form: Form,
}

/// How a loop goes.
enum Form {
    /// By so many lanes, with these accumulators.
    Lanes(u32, Vec<(VarId, &'static Row)>),
    /// In order.
    InOrder,
}

impl Pass<'_> {
    fn block(&mut self, block: Block, after: &VarSet) -> Block {
        let mut live_after = LiveAfter::of(&block, after);
        let mut found = Block::with_capacity(block.len());
        for mut stmt in block {
            let live = live_after.step();
            let variables = self.body.variables.len();
            if let Some(split) = self.split(&stmt, live) {
                found.push(split);
                continue;
            }
            self.body.variables.truncate(variables);
            if let Some(candidate) = self.candidate(&stmt, live) {
                found.push(self.versions(stmt, candidate));
                continue;
            }
            self.body.variables.truncate(variables);
            let inner = match &stmt.kind {
                StmtKind::If { .. } => live.clone(),
                _ => live_in_loop(&stmt, live),
            };
            blocks_mut(&mut stmt, &mut |block| *block = self.block(std::mem::take(block), &inner));
            found.push(stmt);
        }
        found
    }

    /// What is needed to know of an innermost loop, where nothing of an iteration but accumulators is used later.
    fn candidate(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Candidate> {
        if let StmtKind::For { body, .. } = &stmt.kind {
            let variables = self.body.variables.len();
            let mut with_terms = body.clone();
            if choices::merge_terms(&mut with_terms, self.body, after) {
                let mut stmt = stmt.clone();
                if let StmtKind::For { body, .. } = &mut stmt.kind {
                    *body = with_terms;
                }
                // In order, branches that are not taken cost nothing.
                let lanes = |found: &Candidate| matches!(found.form, Form::Lanes(..));
                if let Some(found) = self.straight_candidate(&stmt, after).filter(lanes) {
                    return Some(found);
                }
            }
            self.body.variables.truncate(variables);
        }
        self.straight_candidate(stmt, after)
    }

    /// As [`Pass::candidate`], of a loop whose branches are choices of values.
    fn straight_candidate(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Candidate> {
        let StmtKind::For { variable, range, body, attributes } = &stmt.kind else { return None };
        let step = range.step.as_ref().map_or(Some(1), Expr::constant_int);
        if !matches!(step, Some(1 | -1)) || attributes.unroll.is_some() || after.contains(variable) {
            return None;
        }
        let (variable, range, mut body, counted) = match step {
            Some(-1) => self.counted_up(*variable, range, body)?,
            _ => (*variable, range.clone(), body.clone(), None),
        };
        if body.iter().any(|stmt| matches!(stmt.kind, StmtKind::Update { atomic: true, .. })) {
            return None;
        }
        self.straighten(&mut body);
        let straight = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::Store { .. });
        // The bounds are those before the loop; here they are read again behind some of it.
        let bounds = variables(&range.from).union(&variables(&range.to));
        let set = set_in(&body);
        if reads_any(&range, &stored_in(&body)) {
            return None;
        }
        if !body.iter().all(straight) || bounds.iter().chain([variable]).any(|v| set.contains(&v)) {
            return None;
        }
        let attributes = attributes.clone();
        let allowed = Allowed { own: self.own.clone(), ..Allowed::default() };
        let whole = StmtKind::For { variable, range: range.clone(), body: body.clone(), attributes };
        if bounds.contains(&variable) || !is_plain(self.body, &[Stmt::new(whole, stmt.span)], &allowed) {
            return None;
        }
        let mut changing = set;
        changing.insert(variable);
        let all = accesses(&body, variable, &changing);
        let mut conditions = are_inside(&all, variable, &range)?;
        let tests = !conditions.is_empty();
        conditions.splice(0..0, counted);
        let carried = carried::keep(self.body, &mut body, &all, (variable, &range));
        if !carried.is_empty() {
            let (around, written, form) = ((carried, Block::new()), Written::default(), Form::InOrder);
            return Some(Candidate {
                variable,
                range,
                body,
                around,
                accesses: all,
                written,
                conditions,
                form,
            });
        }
        let written = elements::written(self.body, &all, variable, &range);
        let Some(mut written) = written else {
            // In order, as it was, without tests.
            let short = range.constant_count().is_some_and(is_few);
            let rows = !short && tests && self.goes_along_rows(&all, &range);
            let form = Form::InOrder;
            let (around, written) = Default::default();
            let found = Candidate { variable, range, body, around, accesses: all, written, conditions, form };
            return rows.then_some(found);
        };
        conditions.append(&mut written.conditions);
        let mut around = elements::kept(self.body, &mut body, &written);
        let form = match self.lanes(&body, &all, &written, (&range, after)) {
            Some(form) => form,
            None if written.elements.is_empty() => {
                let short = range.constant_count().is_some_and(is_few);
                (!short && tests && self.goes_along_rows(&all, &range)).then_some(())?;
                Form::InOrder
            }
            None => Form::InOrder,
        };
        around.0.append(&mut elements::hoisted(self.body, &mut body, &all, &self.stored));
        Some(Candidate { variable, range, body, around, accesses: all, written, conditions, form })
    }

    /// The iterations of a loop that goes down, by their number: its last value may be far below. Where there are as many as an `int` tells.
    fn counted_up(
        &mut self,
        variable: VarId,
        range: &Range,
        body: &Block,
    ) -> Option<(VarId, Range, Block, Option<Expr>)> {
        let (from, to, span) = (&range.from, &range.to, range.from.span);
        let mut fails = false;
        visit(from, &mut |e| {
            fails |= matches!(e.kind, ExprKind::Load { boundary, .. } if boundary != Boundary::Unchecked);
        });
        if fails || from.ty != int_type() {
            return None;
        }
        let number = self.int(span);
        let value = build::of_ints("subtract", from.clone(), self.body.read(number, span));
        let mut body = body.clone();
        let values = BTreeMap::from([(variable, value)]);
        transform_stmts(&mut body, &mut |stmt| operands_mut(stmt, &mut |e| substitute(e, &values)));
        let count = build::range(int(0, span), build::of_ints("subtract", from.clone(), to.clone()));
        let some = build::of_ints("greater_equal", from.clone(), to.clone());
        Some((number, count, body, Some(some)))
    }

    /// Makes additions to elements reads and writes, and branches choices of values.
    fn straighten(&mut self, body: &mut Block) {
        let is_far = |v: &VarId| self.body.params.contains(v) || self.own.contains(v);
        for array in stored_in(body).iter().filter(is_far) {
            plain_updates(body, array, &self.body.variables[array].ty);
        }
        choices::merge(body, self.body);
    }

    /// The lanes of a loop that goes along rows.
    fn lanes(
        &self,
        body: &Block,
        all: &[Access],
        written: &Written,
        (range, after): (&Range, &VarSet),
    ) -> Option<Form> {
        // What is read across rows is gathered where something is written along them, or where a sum would wait for memory.
        let some_along = || all.iter().any(|access| access.along() == Some(1) && access.is_direct());
        let waits = !written.elements.is_empty() || !self.slides(all);
        let gathers = !written.rows.is_empty() || waits && some_along();
        let along = gathers || self.goes_along_rows(all, range);
        if range.constant_count().is_some_and(is_few) || !along {
            return None;
        }
        let (mut accumulators, mut lanes) = (Vec::new(), LONG_VECTOR);
        let carried = free_variables(body);
        for id in &set_in(body) {
            let element = scalar(&self.body.variables[id].ty).filter(|e| !e.is_complex())?;
            if carried.contains(&id) {
                accumulators.push((id, accumulation(body, id)?));
            } else if after.contains(&id) {
                return None;
            }
            if element.size() > 4 {
                lanes = SHORT_VECTOR;
            }
        }
        let wide = |array: &VarId| {
            array_element(&self.body.variables[*array].ty).is_some_and(|element| element.size() > 4)
        };
        if written.rows.keys().any(wide) {
            lanes = SHORT_VECTOR;
        }
        (!accumulators.is_empty() || !written.rows.is_empty()).then_some(Form::Lanes(lanes, accumulators))
    }

    /// Whether positions beside each other read elements beside each other, which vectors of positions do better.
    fn slides(&self, all: &[Access]) -> bool {
        let along = |access: &Access| matches!(access.index.last(), Some(Index::At(last)) if self.is_along_positions(last));
        all.iter().any(along)
    }

    /// Whether iterations read or write neighbours along rows, and nothing that is farther apart.
    fn goes_along_rows(&self, all: &[Access], range: &Range) -> bool {
        // Windows that slide along rows are computed otherwise, where they have the same size at all positions.
        let windows = !self.is_along_positions(&range.from) && !self.is_along_positions(&range.to);
        let plain = |access: &Access| {
            let last = match access.index.last() {
                Some(Index::At(last)) => last,
                _ => return false,
            };
            let sliding = windows && self.is_along_positions(last);
            let along = access.is_reversed() || access.along() == Some(1);
            access.is_direct() && (access.stays() || along && !sliding)
        };
        all.iter().all(plain) && all.iter().any(|access| access.along() == Some(1) || access.is_reversed())
    }

    /// Whether a number differs between neighbouring positions.
    fn is_along_positions(&self, e: &Expr) -> bool {
        let Some(last) = self.last else { return false };
        let mut found = false;
        visit(e, &mut |e| {
            found |= matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, axis) if axis == last);
        });
        found
    }

    /// The faster form of a loop where the conditions hold, and the loop as it was.
    fn versions(&mut self, stmt: Stmt, mut found: Candidate) -> Stmt {
        let span = stmt.span;
        drop_tests(&mut found.body);
        let (mut before, mut behind) = std::mem::take(&mut found.around);
        let conditions = std::mem::take(&mut found.conditions);
        let enough = match &found.form {
            // Without tests, and with what is kept in variables, few iterations are faster too.
            Form::Lanes(..) if conditions.is_empty() && found.written.elements.is_empty() => {
                is_long(&found.range)
            }
            Form::Lanes(..) | Form::InOrder => is_some(&found.range),
        };
        let condition = conditions.into_iter().fold(enough, and);
        match &found.form {
            Form::Lanes(..) => before.append(&mut self.strip_mined(&found, span)),
            Form::InOrder => before.push(looped(found.variable, found.range, found.body)),
        }
        before.append(&mut behind);
        build::choice(condition, before, vec![stmt], span)
    }

    /// Strips of many lanes, then of a few, and what is left one by one.
    fn strip_mined(&mut self, found: &Candidate, span: Span) -> Block {
        let Form::Lanes(count, accumulators) = &found.form else { return Block::new() };
        let (variable, range) = (found.variable, &found.range);
        let next = self.int(span);
        let mut block = vec![build::assign(next, range.from.clone())];
        let mut strips = Block::new();
        for lanes in [*count, END_VECTOR] {
            strips.append(&mut self.strips(found, accumulators, lanes, next));
        }
        block.push(build::choice(is_long(range), strips, Block::new(), span));
        let rest = build::range(self.body.read(next, span), range.to.clone());
        block.push(looped(variable, rest, found.body.clone()));
        block
    }

    /// As many strips of so many lanes as there are, from the iteration in `next` on, which is then the first behind them.
    fn strips(
        &mut self,
        found: &Candidate,
        accumulators: &[(VarId, &'static Row)],
        count: u32,
        next: VarId,
    ) -> Block {
        let (variable, range, span) = (found.variable, &found.range, found.range.from.span);
        let mut block = Block::new();
        let lanes = int(count as i32, span);
        let (strips, strip, lane) = (self.int(span), self.int(span), self.int(span));
        let number = |v| build::local(v, int_type(), span);
        let trips = add(sub(range.to.clone(), number(next)), int(1, span));
        let counted =
            build::assign(strips, build::of_ints("shr", trips, int(count.trailing_zeros() as i32, span)));
        let made = self.accumulators(accumulators, count, &mut block, span);
        let stores = !found.written.rows.is_empty();
        let rows = Rows::new(self.body, &found.accesses, count);
        let begin = add(number(next), build::of_ints("multiply", number(strip), lanes.clone()));
        let iteration = rows.iteration(&number(lane));
        let mut one = vec![build::assign(variable, add(begin.clone(), iteration))];
        let mut iteration = in_lanes(&found.body, &made, &number(lane));
        rows.in_lane(self.body, &mut iteration, &number(lane));
        one.append(&mut iteration);
        let every = || build::range(int(0, span), int(count as i32 - 1, span));
        let mut inner = Block::new();
        if !rows.is_empty() {
            inner.push(build::assign(variable, begin.clone()));
            inner.append(&mut rows.reads(self.body));
        }
        inner.push(looped(lane, every(), one));
        if stores {
            inner.push(build::assign(variable, begin));
            inner.append(&mut rows.writes(self.body));
        }
        let all = build::range(int(0, span), sub(number(strips), int(1, span)));
        block.push(looped(strip, all, inner));
        block.append(&mut combined(accumulators, &made, self.body));
        let behind = add(number(next), build::of_ints("multiply", number(strips), lanes));
        block.push(build::assign(next, behind));
        // There may be no strip.
        let some = build::of_ints("greater", number(strips), int(0, span));
        vec![counted, build::choice(some, block, Block::new(), span)]
    }

    fn int(&mut self, span: Span) -> VarId {
        self.body.temporary(int_type(), span)
    }

    /// For each accumulator an array with the neutral element for each lane.
    fn accumulators(
        &mut self,
        accumulators: &[(VarId, &'static Row)],
        lanes: u32,
        block: &mut Block,
        span: Span,
    ) -> BTreeMap<VarId, Expr> {
        let mut made = BTreeMap::new();
        for (variable, row) in accumulators {
            let element = self.body.variables[*variable].ty.clone();
            let ty = build::sized_type(element.clone(), vec![Some(lanes)]);
            let array = self.body.temporary(ty.clone(), span);
            let neutral = build::neutral(row, &element, span);
            let items = vec![neutral; lanes as usize];
            block.push(build::assign(array, Expr::new(ExprKind::Array(items), ty.clone(), span)));
            made.insert(*variable, build::local(array, ty, span));
        }
        made
    }
}

fn add(a: Expr, b: Expr) -> Expr {
    match (a.constant_int(), b.constant_int()) {
        (Some(0), _) => b,
        _ => build::of_ints("add", a, b),
    }
}

fn sub(a: Expr, b: Expr) -> Expr {
    match b.constant_int() {
        Some(0) => a,
        _ => build::of_ints("subtract", a, b),
    }
}

fn looped(variable: VarId, range: Range, body: Block) -> Stmt {
    let (span, attributes) = (range.from.span, LoopAttributes::default());
    Stmt::new(StmtKind::For { variable, range, body, attributes }, span)
}

/// Whether the bounds of a loop are elements of some arrays.
fn reads_any(range: &Range, arrays: &VarSet) -> bool {
    let mut found = false;
    for bound in [&range.from, &range.to] {
        visit(bound, &mut |e| {
            if let ExprKind::Load { array, .. } = &e.kind {
                found |= matches!(array.kind, ExprKind::Local(v) if arrays.contains(&v));
            }
        });
    }
    found
}

/// Whether a number of iterations is too small for lanes.
fn is_few(count: i64) -> bool {
    count < STRIPS * i64::from(END_VECTOR)
}

/// Whether a loop has an iteration.
fn is_some(range: &Range) -> Expr {
    build::of_ints("greater_equal", range.to.clone(), range.from.clone())
}

/// Whether a loop has a strip of iterations.
fn is_long(range: &Range) -> Expr {
    let (from, to, span) = (range.from.clone(), range.to.clone(), range.from.span);
    let enough = int(END_VECTOR as i32 - 1, span);
    let long = build::of_ints("greater_equal", sub(to, from.clone()), enough);
    // The difference may wrap where the end lies before the beginning.
    match from.constant_int() {
        Some(0) => long,
        _ => and(is_some(range), long),
    }
}

/// Indices that are tested before the loop need no other test. Other modes map indices, which stays as it is.
fn drop_tests(block: &mut Block) {
    let drop = |boundary: &mut Boundary| {
        if *boundary == Boundary::Checked {
            *boundary = Boundary::Unchecked;
        }
    };
    transform_stmts(block, &mut |stmt| {
        operands_mut(stmt, &mut |e| {
            transform(e, &mut |e| {
                if let ExprKind::Load { boundary, .. } = &mut e.kind {
                    drop(boundary);
                }
            });
        });
        if let StmtKind::Store { boundary, .. } = &mut stmt.kind {
            drop(boundary);
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

/// `s = s + fold[add](lanes)` for each accumulator.
fn combined(accumulators: &[(VarId, &'static Row)], made: &BTreeMap<VarId, Expr>, body: &Body) -> Block {
    let each = accumulators.iter().filter_map(|(variable, row)| {
        let (lanes, ty) = (made.get(variable)?, body.variables[*variable].ty.clone());
        let fold = ExprKind::Reduce { row, arg: Box::new(lanes.clone()), axis: None };
        let all = Expr::new(fold, ty.clone(), lanes.span);
        let whole = body.read(*variable, lanes.span);
        Some(build::assign(*variable, build::apply(row, vec![whole, all], ty, lanes.span)))
    });
    each.collect()
}
