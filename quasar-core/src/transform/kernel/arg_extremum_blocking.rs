//! Blocks argmin/argmax loops for devices. Compare-and-select takes about half of such a loop, so iterations are
//! processed in groups, for which only the minimum and the best group are tracked.
//!
//! ```text
//!     for k = 0..n-1                 if n >= 16
//!         d = f(k)                       reached = best
//!         if d < best                    for g = 0..4..n-4
//!             best = d                       for j = 0..3: d = f(g + j), m = j == 0 ? d : min(m, d)
//!             id = k        becomes          if m < reached: start = g
//!         endif                              reached = min(reached, m)
//!     endfor                                 rest = g + 4
//!                                        last = start
//!                                    for s = max(start, 0)..min(last, n-4)
//!                                        for j = 0..3: iteration s + j of the original loop
//!                                    for k = max(rest, 0)..n-1: the original iteration
//! ```
//!
//! where `start` and `rest` are initially 0 and `last` is -1. Only the comparison reads `best`, and the other
//! assignments of the branch depend on the iteration alone, so the state after an iteration is determined by the last
//! iteration that took the branch.
//!
//! Proof that both forms end in the same state. Let `b` be the value of `best` before the loop. If `b` is NaN, no
//! iteration takes the branch in either form. Otherwise `b` and all `d` that are not NaN are ordered, zeros of both
//! signs being equal, and `min` ignores NaN; so `reached` equals the `best` of the original loop after each group, and
//! `m < reached` holds exactly if the original loop takes the branch in that group. Let `G` be the last such group and
//! `v` its minimum. Within the groups the original loop takes the branch for the last time at the first `d` of `G` that
//! equals `v`: it is less than all before it, and nothing later is less. The second pass over `G` starts with `b`,
//! which is not less than the original `best` at that point, so more iterations may take the branch; but the first `d`
//! that equals `v` does, since `v < b`, and it is the last. If there is no such group, no `d` in any group is less than
//! `b`, and the second pass, over the first group, changes nothing. The remainder continues from there. For `>` the
//! argument is symmetric. With `<=` the last of equal values would win: such loops are left alone.
//!
//! The copies of `f` must round identically. They do unless a compiler contracts products and sums differently in them,
//! as CUDA's may: then the first computation selects the group, and the second the iteration within it.

use super::constant_folding;
use crate::ir::rewrite::{
    expand_stmts, free_variables, operands_mut, read_in, same, set_in, substitute, transform_stmts,
    variables, visit, visit_block, visit_stmts,
};
use crate::ir::{Block, Body, Expr, ExprKind, LoopAttributes, Range, Stmt, StmtKind, VarId, VarSet, build};
use crate::source::Span;
use crate::target::gpu::{ARG_EXTREMUM_GROUP, ARG_EXTREMUM_NODES, ARG_EXTREMUM_TRIP_COUNT};
use crate::types::ElementType;
use crate::types::known::scalar;
use quasar_devicelib::ops::{Row, find};
use std::collections::BTreeMap;

/// The loop's start must lie between zero and this, so that index arithmetic cannot overflow.
const LAST_START: i32 = 1 << 20;

/// Runs the pass on one body; returns whether it changed.
pub(super) fn run(body: &mut Body) -> bool {
    let whole = Whole { reads: reads(&body.block), set: set_in(&body.block) };
    let mut block = std::mem::take(&mut body.block);
    let mut changed = false;
    expand_stmts(&mut block, &mut |stmt| match search(&stmt, body, &whole)
        .and_then(|search| search.in_groups(body))
    {
        Some(grouped) => {
            changed = true;
            grouped
        }
        None => vec![stmt],
    });
    body.block = block;
    if changed {
        constant_folding::block(&mut body.block);
    }
    changed
}

/// Facts about the whole body.
struct Whole {
    /// How often each variable is read.
    reads: BTreeMap<VarId, usize>,
    set: VarSet,
}

/// An argmin/argmax loop.
struct ArgExtremumLoop<'s> {
    stmt: &'s Stmt,
    variable: VarId,
    from: i32,
    to: &'s Expr,
    round: &'s Block,
    /// The statements of an iteration before the branch.
    computes: &'s [Stmt],
    /// The value compared with `best`.
    value: &'s Expr,
    best: VarId,
    /// `min` or `max`.
    extreme: &'static Row,
    /// `less` or `greater`.
    better: &'static Row,
}

impl ArgExtremumLoop<'_> {
    /// The loop with its iterations in groups.
    fn in_groups(&self, body: &mut Body) -> Option<Block> {
        let span = self.stmt.span;
        let constant = |n: i32| build::int(n, span);
        let (int, ty) = (build::int_type(), body.variables[self.best].ty.clone());
        let [start, last, rest, group, offset, again, offset_again] =
            [(); 7].map(|()| body.temporary(int.clone(), span));
        let [extreme, reached, number] = [(); 3].map(|()| body.temporary(ty.clone(), span));
        let read = |v: VarId| build::local(v, body.variables[v].ty.clone(), span);
        let rows =
            (find("add")?, find("subtract")?, find("max")?, find("min")?, find("less")?, find("equal")?);
        let whole = |row, a, b| build::apply(row, vec![a, b], int.clone(), span);
        let plus = |v: VarId, n: i32| whole(rows.0, read(v), constant(n));

        let both = |a, b| build::apply(self.extreme, vec![a, b], ty.clone(), span);
        let mut found = self.computes.to_vec();
        found.push(build::assign(number, self.value.clone()));
        let first = whole(rows.5, read(offset), constant(0));
        let (taken, lesser) = (Box::new(read(number)), Box::new(both(read(extreme), read(number))));
        let kind = ExprKind::Select { condition: Box::new(first), then: taken, otherwise: lesser };
        found.push(build::assign(extreme, Expr::new(kind, ty.clone(), span)));
        self.at(&mut found, whole(rows.0, read(group), read(offset)));
        let better = build::apply(self.better, vec![read(extreme), read(reached)], int.clone(), span);
        let groups = vec![
            build::assign(extreme, read(reached)),
            repeated(offset, constant(0), None, constant(ARG_EXTREMUM_GROUP - 1), found, span),
            build::choice(better, vec![build::assign(start, read(group))], Vec::new(), span),
            build::assign(reached, both(read(reached), read(extreme))),
            build::assign(rest, plus(group, ARG_EXTREMUM_GROUP)),
        ];
        let last_group = whole(rows.1, self.to.clone(), constant(ARG_EXTREMUM_GROUP - 1));
        let many = whole(rows.4, constant(self.from + ARG_EXTREMUM_TRIP_COUNT - 2), self.to.clone());
        let visited = vec![
            build::assign(reached, read(self.best)),
            repeated(
                group,
                constant(self.from),
                Some(constant(ARG_EXTREMUM_GROUP)),
                last_group.clone(),
                groups,
                span,
            ),
            build::assign(last, read(start)),
        ];
        let mut second = self.round.clone();
        self.at(&mut second, whole(rows.0, read(again), read(offset_again)));
        let second =
            vec![repeated(offset_again, constant(0), None, constant(ARG_EXTREMUM_GROUP - 1), second, span)];
        // Both ranges are syntactically bounded by the loop's range, so that range analysis can tell.
        let from = |v: VarId| whole(rows.2, read(v), constant(self.from));
        let end = whole(rows.3, read(last), last_group);
        Some(vec![
            build::assign(start, constant(self.from)),
            build::assign(last, constant(self.from - 1)),
            build::assign(rest, constant(self.from)),
            build::choice(many, visited, Vec::new(), span),
            repeated(again, from(start), None, end, second, span),
            repeated(self.variable, from(rest), None, self.to.clone(), self.round.clone(), span),
        ])
    }

    /// Rewrites statements for another iteration.
    fn at(&self, block: &mut Block, round: Expr) {
        let replacements = BTreeMap::from([(self.variable, round)]);
        transform_stmts(block, &mut |stmt| operands_mut(stmt, &mut |e| substitute(e, &replacements)));
    }
}

fn repeated(variable: VarId, from: Expr, step: Option<Expr>, to: Expr, body: Block, span: Span) -> Stmt {
    let (range, attributes) = (Range { from, step, to }, LoopAttributes::default());
    Stmt::new(StmtKind::For { variable, range, body, attributes }, span)
}

/// How often each variable is read.
fn reads(block: &[Stmt]) -> BTreeMap<VarId, usize> {
    let mut counts = BTreeMap::new();
    visit_block(block, &mut |e| {
        if let ExprKind::Local(v) = e.kind {
            *counts.entry(v).or_default() += 1;
        }
    });
    counts
}

fn search<'s>(stmt: &'s Stmt, body: &Body, whole: &Whole) -> Option<ArgExtremumLoop<'s>> {
    let StmtKind::For { variable, range: Range { from, step, to }, body: round, .. } = &stmt.kind else {
        return None;
    };
    let from = from.constant_int().filter(|n| (0..=LAST_START).contains(n))?;
    let by_one = step.as_ref().is_none_or(|step| step.constant_int() == Some(1));
    let short = to.constant_int().is_some_and(|to| to - from < ARG_EXTREMUM_TRIP_COUNT - 1);
    let (branch, computes) = round.split_last()?;
    let StmtKind::If { condition, then, otherwise } = &branch.kind else { return None };
    let (value, best, extreme, better) = compared(condition, then)?;
    let known = matches!(scalar(&value.ty)?, ElementType::Single | ElementType::Double | ElementType::Int32)
        && build::same_type(&value.ty, &body.variables[best].ty);
    if !by_one
        || short
        || !known
        || !otherwise.is_empty()
        || !is_steady(to, body, &whole.set)
        || size(round) > ARG_EXTREMUM_NODES
    {
        return None;
    }
    // The branch's assignments are live after the loop; everything else must be local to the iteration.
    let (kept, mut own) = (set_in(then), set_in(computes));
    let carried = free_variables(round);
    let mut seen = read_in(computes);
    seen.add(&read_in(then));
    seen.add(&variables(value));
    if own.contains(variable)
        || !kept.is_disjoint(&own)
        || kept.contains(variable)
        || !kept.is_disjoint(&seen)
    {
        return None;
    }
    if !own.is_disjoint(&carried) || !is_pure(computes, true) || !is_pure(then, false) {
        return None;
    }
    own.insert(*variable);
    let inside = reads(round);
    let private = own.iter().all(|v| inside.get(&v) == whole.reads.get(&v) && !body.results.contains(&v));
    private.then_some(ArgExtremumLoop {
        stmt,
        variable: *variable,
        from,
        to,
        round,
        computes,
        value,
        best,
        extreme,
        better,
    })
}

/// For `if value < best, best = value, ..`: the value, the variable, and the operations for "better" and for the
/// extremum.
fn compared<'s>(condition: &'s Expr, then: &[Stmt]) -> Option<(&'s Expr, VarId, &'static Row, &'static Row)> {
    let ExprKind::Apply { row, args } = &condition.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    let ((a_wins, b_wins), names) = match row.name {
        "less" => (("min", "max"), ("less", "greater")),
        "greater" => (("max", "min"), ("greater", "less")),
        _ => return None,
    };
    let takes = |best: &Expr, value: &Expr| {
        let ExprKind::Local(best) = best.kind else { return None };
        let mut assigned = then.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Assign { variable, value } if *variable == best => Some(value),
            _ => None,
        });
        let only = assigned.next().filter(|_| assigned.next().is_none())?;
        same(only, value).then_some(best)
    };
    match (takes(b, a), takes(a, b)) {
        (Some(best), _) => Some((a, best, find(a_wins)?, find(names.0)?)),
        (None, Some(best)) => Some((b, best, find(b_wins)?, find(names.1)?)),
        (None, None) => None,
    }
}

/// Whether an integer is invariant in the whole kernel: made of extents and scalar parameters.
fn is_steady(expr: &Expr, body: &Body, set: &VarSet) -> bool {
    let mut steady = scalar(&expr.ty) == Some(ElementType::Int32);
    visit(expr, &mut |e| {
        steady &= match &e.kind {
            ExprKind::Constant(_) | ExprKind::Extent(..) => true,
            ExprKind::Local(v) => body.params.contains(v) && !set.contains(v),
            ExprKind::Apply { row, .. } => matches!(row.name, "add" | "subtract" | "multiply" | "negate"),
            _ => false,
        };
    });
    steady
}

/// Whether statements have no effects but assignments, and contain no loops.
fn is_pure(block: &[Stmt], choices: bool) -> bool {
    let mut pure = true;
    visit_stmts(block, &mut |stmt| {
        pure &= match stmt.kind {
            StmtKind::Assign { .. } => true,
            StmtKind::If { .. } => choices,
            _ => false,
        };
    });
    pure
}

fn size(block: &[Stmt]) -> usize {
    let mut nodes = 0;
    visit_block(block, &mut |_| nodes += 1);
    nodes
}
