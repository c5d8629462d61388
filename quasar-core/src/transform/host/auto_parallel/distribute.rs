//! Loop distribution: nests that carry a number along the inner loop and elements along the outer one, as the sums of an integral image,
//! become two. Each number is kept in an array between them (scalar expansion):
//!
//! ```text
//! for m = ..                                     for m = ..            % rows are independent
//!     s = 0                                          s = 0
//!     for n = ..                                     for n = ..
//!         s += x[m,n]                       =>           s += x[m,n]
//!         y[m+1,n+1] = y[m,n+1] + s                      t[m,n] = s
//!                                                for m = ..
//!                                                    for n = ..        % columns are
//!                                                        y[m+1,n+1] = y[m,n+1] + t[m,n]
//! ```
//!
//! The statements of an iteration are cut in two where those in front use nothing that those behind change. The second nest stores to an
//! element for each iteration, so that the array of numbers is no larger than what the program has.

use super::{Pass, barrier_in, nest_of};
use crate::analysis::dependence::Loop;
use crate::analysis::points_to::Sharing;
use crate::ir::rewrite::{
    free_variables, jumps_out, read_in, set_in, sets, stored_in, variables, visit, visit_stmts,
};
use crate::ir::{
    Block, Body, Expr, ExprKind, Index, LoopAttributes, Range, Stmt, StmtKind, VarId, VarSet, build,
};
use crate::message::Decision;
use crate::source::Span;
use crate::transform::host::outline::{depends_on, loads_elements, trip_count};
use crate::types::known::scalar;
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::find;
use std::collections::BTreeMap;

/// Two loops, of which the inner one is the last statement of the outer one.
pub(super) struct Pair<'a> {
    pub(super) loops: [Loop; 2],
    /// What an iteration of the outer loop does before the inner one.
    pub(super) before: &'a [Stmt],
    /// What an iteration of the inner loop does.
    pub(super) inside: &'a [Stmt],
    pub(super) span: Span,
}

/// The two nests that a pair of loops becomes.
struct Distributed {
    /// The arrays between them.
    arrays: Block,
    first: Stmt,
    second: Stmt,
}

impl Pass<'_> {
    /// A nest with dependences as two, of which the first is parallel over the outer loop, and the second over the inner one.
    pub(super) fn distributed(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Block> {
        let pair = Pair::of(stmt, self.body)?;
        let whole = vec![stmt.clone()];
        self.allowed(&whole, after).ok()?;
        self.keeps_results(&whole).ok()?;
        let seen = set_in(&whole).iter().any(|v| after.contains(&v));
        if seen || barrier_in(&whole).is_some() {
            return None;
        }
        let count = self.body.variables.len();
        let found = (1..pair.inside.len()).rev().find_map(|at| {
            self.body.variables.truncate(count);
            let parts = self.cut(&pair, at)?;
            let first = nest_of(&parts.first, self.body)?;
            self.test(&first, 1, after, false).ok().filter(|found| found.accumulators.is_empty())?;
            self.is_parallel_inside(&parts.second, after).then_some(parts)
        });
        let Some(Distributed { arrays, first, second }) = found else {
            self.body.variables.truncate(count);
            return None;
        };
        let what = "two loops, which are parallel in different directions".to_string();
        self.sink.remark(Decision::Transformed { what }.remark(pair.span, pair.span));
        self.may_be_set.add(&set_in(&arrays));
        let mut block = arrays;
        let mut live = after.clone();
        live.extend(free_variables(std::slice::from_ref(&second)));
        block.extend(self.for_loop(first, &live));
        block.extend(self.for_loop(second, after));
        Some(block)
    }

    /// The two nests, if the statements from `at` on may follow all those in front.
    fn cut(&mut self, pair: &Pair<'_>, at: usize) -> Option<Distributed> {
        let (front, back) = pair.inside.split_at(at);
        let all_of_front: Block = pair.before.iter().chain(front).cloned().collect();
        let (set_in_front, set_behind) = (set_in(&all_of_front), set_in(back));
        let mut used_in_front = free_variables(&all_of_front);
        used_in_front.add(&set_in_front);
        used_in_front.add(&stored_in(&all_of_front));
        let mut used_behind = free_variables(back);
        used_behind.add(&stored_in(back));
        let apart = !set_behind.iter().any(|v| used_in_front.contains(&v))
            && self.are_apart(&stored_in(back), &used_in_front)
            && self.are_apart(&stored_in(&all_of_front), &used_behind);
        if !apart || !stores_each(back, &pair.loops) {
            return None;
        }
        let needed: Vec<VarId> = read_in(back).iter().filter(|v| set_in_front.contains(v)).collect();
        let mut again = Again::of(&all_of_front, &set_in_front);
        let (mut arrays, mut kept, mut taken) = (Block::new(), front.to_vec(), Block::new());
        for variable in needed {
            if let Some(copies) = again.statements_for(variable) {
                taken.extend(copies);
                continue;
            }
            let ty = self.body.variables[variable].ty.clone();
            scalar(&ty)?;
            let (array, place) = self.array_of(&ty, pair, &mut arrays);
            let index = place.iter().cloned().map(Index::At).collect();
            let value = self.body.read(variable, pair.span);
            let store = StmtKind::Store { array: array.clone(), index, boundary: Boundary::Unchecked, value };
            kept.push(Stmt::new(store, pair.span));
            taken.push(build::assign(variable, build::load(array, place, Boundary::Unchecked, pair.span)));
        }
        if arrays.is_empty() {
            return None;
        }
        taken.extend(back.iter().cloned());
        let inner = pair.inner(kept);
        let first = pair.outer(pair.before.iter().cloned().chain([inner]).collect());
        let second = pair.outer(vec![pair.inner(taken)]);
        Some(Distributed { arrays, first, second })
    }

    /// Whether arrays share no elements with others.
    pub(super) fn are_apart(&self, stored: &VarSet, others: &VarSet) -> bool {
        let is_array = |v: &VarId| matches!(self.body.variables[*v].ty, Type::Array(_));
        let apart = |a: VarId, b: VarId| self.aliases.sharing(a, b) == Sharing::Never;
        stored.iter().all(|a| others.iter().filter(is_array).all(|b| apart(a, b)))
    }

    /// Whether the inner loop of a perfect nest has elements of its own.
    fn is_parallel_inside(&self, stmt: &Stmt, after: &VarSet) -> bool {
        let Some(nest) = nest_of(stmt, self.body).filter(|nest| nest.loops.len() >= 2) else { return false };
        let inner = nest.blocks[0].first().and_then(|inner| nest_of(inner, self.body));
        inner.is_some_and(|inner| self.test(&inner, 1, after, false).is_ok())
    }

    /// An array with an element for each iteration, and the place of an iteration in it.
    fn array_of(&mut self, ty: &Type, pair: &Pair<'_>, into: &mut Block) -> (Expr, Vec<Expr>) {
        let span = pair.span;
        let int = |name: &str, a: Expr, b: Expr| {
            let row = find(name).expect("a row that the table has");
            build::apply(row, vec![a, b], build::int_type(), span)
        };
        let sizes = pair.loops.iter().map(|each| int("max", trip_count(&each.range), build::int(0, span)));
        let array_ty = build::array_type(ty.clone(), 2);
        let args = sizes.collect();
        let array = self.body.temporary(array_ty.clone(), span);
        into.push(build::assign(
            array,
            Expr::new(ExprKind::Library { name: "uninit", args }, array_ty, span),
        ));
        let place = |each: &Loop| {
            let (position, from) = (self.body.read(each.variable, span), each.range.from.clone());
            match step_of(&each.range) {
                Some(-1) => int("subtract", from, position),
                _ if from.constant_int() == Some(0) => position,
                _ => int("subtract", position, from),
            }
        };
        (self.body.read(array, span), pair.loops.iter().map(place).collect())
    }
}

impl<'a> Pair<'a> {
    pub(super) fn of(stmt: &'a Stmt, body: &Body) -> Option<Pair<'a>> {
        let (outer, block) = loop_of(stmt, body)?;
        let (last, before) = block.split_last()?;
        let (inner, inside) = loop_of(last, body)?;
        let mut changing = set_in(block);
        changing.insert(outer.variable);
        let plain = before.iter().all(|stmt| matches!(stmt.kind, StmtKind::Assign { .. }));
        let fixed = !depends_on(&inner.range, &changing) && !loads_elements(&inner.range);
        let whole = plain && fixed && !jumps_out(inside, 0);
        whole.then_some(Pair { loops: [outer, inner], before, inside, span: stmt.span })
    }

    pub(super) fn outer(&self, body: Block) -> Stmt {
        self.around(0, body)
    }

    pub(super) fn inner(&self, body: Block) -> Stmt {
        self.around(1, body)
    }

    fn around(&self, k: usize, body: Block) -> Stmt {
        let Loop { variable, range } = self.loops[k].clone();
        let kind = StmtKind::For { variable, range, body, attributes: LoopAttributes::default() };
        Stmt::new(kind, self.span)
    }
}

/// The step of a range, if it is known.
fn step_of(range: &Range) -> Option<i32> {
    range.step.as_ref().map_or(Some(1), Expr::constant_int)
}

/// A loop over each integer of a range, forwards or backwards, without attributes.
fn loop_of<'a>(stmt: &'a Stmt, body: &Body) -> Option<(Loop, &'a Block)> {
    let StmtKind::For { variable, range, body: block, attributes } = &stmt.kind else { return None };
    let plain = *attributes == LoopAttributes::default()
        && matches!(step_of(range), Some(1 | -1))
        && body.variables[*variable].ty == build::int_type();
    plain.then(|| (Loop { variable: *variable, range: range.clone() }, block))
}

/// Whether statements store to an element for each iteration of the two loops: to rows of a buffer that are used again, iterations share
/// elements, and there may be many more of them than elements.
fn stores_each(block: &[Stmt], loops: &[Loop; 2]) -> bool {
    let goes_along = |index: &[Index], each: &Loop| {
        index.iter().any(|index| {
            let Index::At(at) = index else { return false };
            matches!(at.base_and_offset().0, Some(Expr { kind: ExprKind::Local(v), .. }) if *v == each.variable)
        })
    };
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        if let StmtKind::Store { index, .. } | StmtKind::Update { index, .. } = &stmt.kind {
            found |= loops.iter().all(|each| goes_along(index, each));
        }
    });
    found
}

/// Variables that are cheap to compute again.
struct Again<'a> {
    /// The only assignments to them.
    once: BTreeMap<VarId, &'a Stmt>,
    /// What changes along the way.
    changing: VarSet,
    done: VarSet,
}

impl<'a> Again<'a> {
    fn of(block: &'a [Stmt], set: &VarSet) -> Again<'a> {
        let mut assigned: BTreeMap<VarId, usize> = BTreeMap::new();
        visit_stmts(block, &mut |stmt| sets(stmt, &mut |v| *assigned.entry(*v).or_default() += 1));
        let stored = stored_in(block);
        let mut once = BTreeMap::new();
        for stmt in block {
            if let StmtKind::Assign { variable, value } = &stmt.kind
                && assigned.get(variable) == Some(&1)
                && is_simple(value, &stored)
                && !variables(value).contains(variable)
            {
                once.insert(*variable, stmt);
            }
        }
        Again { once, changing: set.clone(), done: VarSet::new() }
    }

    /// The statements that compute a variable again, if nothing that they read changes in the nest but by such statements.
    fn statements_for(&mut self, variable: VarId) -> Option<Block> {
        if self.done.contains(&variable) {
            return Some(Block::new());
        }
        let stmt = *self.once.get(&variable)?;
        let StmtKind::Assign { value, .. } = &stmt.kind else { return None };
        let before = self.done.clone();
        let mut block = Block::new();
        let read: Vec<VarId> = variables(value).iter().filter(|v| self.changing.contains(v)).collect();
        for read in read {
            let Some(copies) = self.statements_for(read) else {
                self.done = before;
                return None;
            };
            block.extend(copies);
        }
        self.done.insert(variable);
        block.push(stmt.clone());
        Some(block)
    }
}

/// Whether a number is made of few elements, of arrays that are not stored to.
fn is_simple(value: &Expr, stored: &VarSet) -> bool {
    let mut simple = scalar(&value.ty).is_some();
    visit(value, &mut |e| {
        simple &= match &e.kind {
            ExprKind::Load { array, .. } => matches!(array.kind, ExprKind::Local(v) if !stored.contains(&v)),
            ExprKind::Local(_) | ExprKind::Constant(_) | ExprKind::Extent(..) | ExprKind::Convert(_) => true,
            ExprKind::Apply { row, .. } => matches!(row.name, "add" | "subtract" | "multiply"),
            _ => false,
        };
    });
    simple
}
