//! Nests whose outer loops add to elements that inner ones have to themselves: the inner loops come first, so that positions need no
//! atomics and each element is added to in the order of the program.
//!
//! ```text
//! for i = 0..size(x,0)-1                  if size(x,1) < 64
//!     for j = 0..size(x,1)-1                  a launch over i, j, which adds atomically or to copies
//!         y[j] += x[i,j]        becomes   else
//!                                             a launch over j, with the loop over i inside
//! ```
//!
//! Recurrences along columns are such a nest on devices: one launch over the columns instead of one for each row. Those along rows
//! are on the processor too, since elements of a row are neighbours in memory.
//!
//! The loops of a nest have the same bounds in any order. Iterations of the inner loops that have no element in common may be done in
//! any order; those with the same elements follow each other as before.

use super::few_positions::{Positions, positions, scatters};
use super::{MAX_DIMS, Nest, Pass, barrier_in, nest_of};
use crate::analysis::dependence::Loop;
use crate::ir::rewrite::{jumps_out, variables, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, Index, LoopAttributes, LoopMode, Stmt, StmtKind, VarSet, build};
use crate::message::Decision;

/// A nest with the loops first that have elements of their own.
struct Permuted {
    stmt: Stmt,
    /// How many loops have.
    dims: usize,
    /// Whether that which was innermost has.
    own_innermost: bool,
}

impl Pass<'_> {
    /// The launch of a nest with the loops first that have elements of their own, of the first `depth` ones; and how many loops are
    /// dimensions of a kernel.
    pub(super) fn inner_first(
        &mut self,
        nest: &Nest<'_>,
        depth: usize,
        after: &VarSet,
    ) -> Option<(Block, usize)> {
        let Permuted { stmt, dims, own_innermost } = self.own_first(nest, depth, after)?;
        let inner = nest_of(&stmt, self.body).filter(|inner| inner.loops.len() >= dims)?;
        let found =
            self.test(&inner, dims, after, false).ok().filter(|found| found.accumulators.is_empty())?;
        let shared = match positions(&inner, dims) {
            Positions::Many => None,
            Positions::Few => return None,
            Positions::If(condition) => {
                let test = |dims| Some((dims, self.test(nest, dims, after, true).ok()?));
                let (mut dims, mut shared) = (1..=depth).rev().find_map(test)?;
                // Few elements of a pixel are counted by one position.
                if own_innermost
                    && dims == depth
                    && scatters(nest, &shared.shared_updates)
                    && let Some(around) = test(depth - 1)
                {
                    (dims, shared) = around;
                }
                Some((condition, self.outline(nest, dims, &shared, after)))
            }
        };
        let launch = self.outline(&inner, dims, &found, after);
        let block = match shared {
            Some((condition, shared)) => vec![build::choice(condition, shared, launch, nest.span)],
            None => launch,
        };
        Some((block, dims))
    }

    /// What loops in order around parallel ones become where these go along columns, and have rows to themselves: one launch over
    /// the rows.
    pub(super) fn rows_in_order(&mut self, stmt: &Stmt, after: &VarSet) -> Option<Block> {
        let permuted = self.in_order_inside(stmt, after)?;
        let inner = nest_of(&permuted.stmt, self.body)?;
        if !goes_along_rows(&inner, permuted.dims)
            || matches!(positions(&inner, permuted.dims), Positions::Few)
        {
            return None;
        }
        let launch = self.launch_of(&permuted, after)?;
        let what = "one launch, whose positions do these iterations in order".to_string();
        self.sink.remark(Decision::Transformed { what }.remark(stmt.span, stmt.span));
        Some(launch)
    }

    /// The launch over the loops in front of a nest, of which no message speaks.
    fn launch_of(&mut self, permuted: &Permuted, after: &VarSet) -> Option<Block> {
        let Permuted { stmt, dims, .. } = permuted;
        let nest = nest_of(stmt, self.body).filter(|nest| nest.loops.len() >= *dims)?;
        let found =
            self.test(&nest, *dims, after, false).ok().filter(|found| found.accumulators.is_empty())?;
        let said = self.sink.mark();
        let launch = self.outline(&nest, *dims, &found, after);
        self.sink.back_to(said);
        Some(launch)
    }

    /// A nest with the loops first that have elements of their own, around those that are in order.
    fn in_order_inside(&self, stmt: &Stmt, after: &VarSet) -> Option<Permuted> {
        let nest = nest_of(stmt, self.body)?;
        self.allowed(nest.blocks[0], after).ok()?;
        self.keeps_results(std::slice::from_ref(stmt)).ok()?;
        let innermost = nest.blocks.last()?;
        if barrier_in(innermost).is_some() || jumps_out(innermost, 0) {
            return None;
        }
        self.own_first(&nest, nest.loops.len().min(MAX_DIMS), after)
    }

    /// What loops in order around parallel ones (`launches`) become where the parallel ones have elements of their own, as a recurrence
    /// along columns: one launch on devices, whose positions go through the others in order, instead of one for each iteration.
    pub(super) fn one_on_devices(&mut self, stmt: &Stmt, launches: Stmt, after: &VarSet) -> Stmt {
        let permuted = self.in_order_inside(stmt, after);
        let Some(launch) = permuted.and_then(|permuted| self.launch_of(&permuted, after)) else {
            return launches;
        };
        let span = launches.span;
        let what = "one launch on devices, whose positions do these iterations in order".to_string();
        self.sink.remark(Decision::Transformed { what }.remark(span, span));
        let on_device = ExprKind::Library { name: "on_device", args: Vec::new() };
        let on_device = Expr::new(on_device, build::int_type(), span);
        build::choice(on_device, launch, vec![launches], span)
    }

    fn own_first(&self, nest: &Nest<'_>, depth: usize, after: &VarSet) -> Option<Permuted> {
        let attributes = LoopAttributes { mode: LoopMode::Automatic, ..nest.attributes.clone() };
        let is_seen = nest.loops.iter().any(|each| after.contains(&each.variable));
        if depth < 2 || is_seen || attributes != LoopAttributes::default() {
            return None;
        }
        let is_own = |k: &usize| {
            let order: Vec<usize> =
                std::iter::once(*k).chain((0..depth).filter(|other| other != k)).collect();
            let stmt = permuted(nest, &order);
            nest_of(&stmt, self.body).is_some_and(|nest| self.test(&nest, 1, after, false).is_ok())
        };
        let (mut order, common): (Vec<usize>, Vec<usize>) = (0..depth).partition(is_own);
        let dims = order.len();
        if dims == 0 || common.is_empty() {
            return None;
        }
        let own_innermost = order.contains(&(depth - 1));
        order.extend(common);
        Some(Permuted { stmt: permuted(nest, &order), dims, own_innermost })
    }
}

/// Whether the loops behind the first `dims` of a nest go along the rows of all arrays that it stores to.
fn goes_along_rows(nest: &Nest<'_>, dims: usize) -> bool {
    let (own, common) = nest.loops.split_at(dims);
    let names = |e: &Expr, loops: &[Loop]| {
        let used = variables(e);
        loops.iter().any(|each| used.contains(&each.variable))
    };
    let (mut some, mut all) = (false, true);
    visit_stmts(nest.blocks[nest.loops.len() - 1], &mut |stmt| {
        if let StmtKind::Store { index, .. } | StmtKind::Update { index, .. } = &stmt.kind {
            some = true;
            all &= matches!(index.last(), Some(Index::At(last)) if names(last, common) && !names(last, own));
        }
    });
    some && all
}

/// The loops of a nest in another order.
fn permuted(nest: &Nest<'_>, order: &[usize]) -> Stmt {
    let mut block: Block = nest.blocks[order.len() - 1].clone();
    for k in order.iter().rev() {
        let Loop { variable, range } = nest.loops[*k].clone();
        let kind = StmtKind::For { variable, range, body: block, attributes: LoopAttributes::default() };
        block = vec![Stmt::new(kind, nest.span)];
    }
    block.remove(0)
}
