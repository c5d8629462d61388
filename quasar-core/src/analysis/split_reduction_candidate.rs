//! Candidates for split reductions: kernels dominated by one loop that only accumulates. In a launch with few
//! positions, the threads of a block can share its iterations.

use super::dependence::accumulation;
use super::may_fail::reaches_checked;
use super::symbolic_range::trip_count;
use crate::ir::rewrite::{free_variables, read_in, set_in, stored_in, visit, visit_block, visit_stmts};
use crate::ir::schedule::SplitReduction;
use crate::ir::{Accumulator, Coordinate, Expr, ExprKind, Index, Kernel, Stmt, StmtKind, VarId};
use crate::target::gpu::SPLIT_TRIP_COUNT;
use crate::types::ElementType;
use crate::types::known::scalar;

/// The last top-level loop of a kernel, if its iterations accumulate in any order and the statements before it have no effects.
pub fn long_loop(kernel: &Kernel) -> Option<SplitReduction> {
    let block = &kernel.body.block;
    if !kernel.parallel || !kernel.body.results.is_empty() {
        return None;
    }
    let at = block.iter().rposition(|stmt| matches!(stmt.kind, StmtKind::For { .. }))?;
    let StmtKind::For { variable, range, body, .. } = &block[at].kind else { return None };
    let rounds = |a: &Expr, b: &Expr| Some(i64::from(b.constant_int()?) - i64::from(a.constant_int()?));
    // Threads compute the loop variable in integers, so every part of the range must be one.
    let parts = [Some(&range.from), range.step.as_ref(), Some(&range.to)];
    if !parts.into_iter().flatten().all(|end| scalar(&end.ty) == Some(ElementType::Int32)) {
        return None;
    }
    let short = rounds(&range.from, &range.to).is_some_and(|n| n < SPLIT_TRIP_COUNT);
    let plain = |block: &[Stmt]| stored_in(block).is_empty() && !has_effects(block);
    let set = set_in(body);
    if short || set.contains(variable) || !plain(body) || !plain(&block[..at]) {
        return None;
    }
    let (carried, after) = (free_variables(body), read_in(&block[at + 1..]));
    if after.contains(variable) {
        return None;
    }
    let mut accumulators = Vec::new();
    for variable in set {
        if carried.contains(&variable) || after.contains(&variable) {
            let row = accumulation(body, variable)?;
            scalar(&kernel.body.variables[variable].ty)
                .filter(|e| !e.is_complex() && *e != ElementType::Half)?;
            accumulators.push(Accumulator { variable, row });
        }
    }
    let assigned = set_in(block);
    let fixed = |v| kernel.body.params.contains(&v) && !assigned.contains(&v);
    let iterations = trip_count(range, &fixed);
    // All threads of a block go on to its barriers, and have as many iterations.
    let before_is_plain =
        !block[..at].iter().any(|stmt| matches!(stmt.kind, StmtKind::For { .. }) || reaches_checked(stmt));
    let columns = iterations.is_some() && before_is_plain && goes_down(kernel, body, *variable);
    (!accumulators.is_empty()).then_some(SplitReduction { at, accumulators, iterations, columns })
}

/// Whether neighbouring positions read neighbouring elements in a loop, and its iterations read none of a row.
fn goes_down(kernel: &Kernel, body: &[Stmt], variable: VarId) -> bool {
    let Some(last) = kernel.rank.checked_sub(1) else { return false };
    let is_column =
        |e: &Expr| matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, axis) if axis == last);
    let mentions = |index: &Index, is_it: &dyn Fn(&Expr) -> bool| {
        let mut found = false;
        if let Index::At(e) = index {
            visit(e, &mut |e| found |= is_it(e));
        }
        found
    };
    let is_round = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == variable);
    let (mut down, mut along) = (false, false);
    visit_block(body, &mut |e| {
        let ExprKind::Load { index, .. } = &e.kind else { return };
        let Some((end, lead)) = index.split_last() else { return };
        let moves = match end {
            Index::At(e) => e.base_and_offset().0.is_some_and(is_column),
            _ => false,
        };
        let rounds_before = lead.iter().any(|each| mentions(each, &is_round));
        down |= moves && rounds_before && !lead.iter().any(|each| mentions(each, &is_column));
        along |= mentions(end, &is_round) && lead.iter().any(|each| mentions(each, &is_column));
    });
    down && !along
}

/// Whether statements have effects other than assignments, or jump.
fn has_effects(block: &[Stmt]) -> bool {
    let mut found = false;
    visit_stmts(block, &mut |stmt| {
        found |= !matches!(stmt.kind, StmtKind::Assign { .. } | StmtKind::If { .. } | StmtKind::For { .. });
    });
    found
}
