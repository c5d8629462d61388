//! Launches that the ranks of a cluster share: each rank visits some rows of positions. A launch knows the rows of its arrays that
//! these read and write, so that ranks exchange what they have not.

use crate::analysis::access_pattern::{AccessPattern, reaches};
use crate::analysis::device_partition::accumulated_arrays;
use crate::analysis::row_footprint::row_footprints;
use crate::ir::barriers::{has_grid_barriers, meets};
use crate::ir::effects::block_may_fail;
use crate::ir::rewrite::{operands, visit, visit_stmts};
use crate::ir::schedule::RankDivision;
use crate::ir::{Expr, ExprKind, Kernel, Program, StmtKind, VarId};
use crate::parallel;
use crate::transform::PassContext;
use std::collections::BTreeMap;

/// Marks the kernels of a program that is compiled for clusters.
pub(in crate::transform) fn ask(program: &mut Program, context: &PassContext<'_>) {
    if context.ranks {
        program.kernels.iter_mut().for_each(|(_, kernel)| kernel.schedule.ranks = Some(Box::default()));
    }
}

/// Finds out how ranks share the launches of the kernels that are marked.
pub(in crate::transform) fn divide(program: &mut Program) {
    let asked = program.kernels.iter().filter(|(_, kernel)| kernel.schedule.ranks.is_some());
    let asked: Vec<_> = asked.map(|(id, _)| id).collect();
    let found = parallel::map(asked.clone(), |kernel| division(program, &program.kernels[kernel]));
    for (kernel, found) in asked.into_iter().zip(found) {
        program.kernels[kernel].schedule.ranks = Some(Box::new(found));
    }
}

fn division(program: &Program, kernel: &Kernel) -> RankDivision {
    let patterns = reaches(program, kernel);
    let sums = accumulated_arrays(program, kernel);
    let is_written = |v: &VarId| patterns.get(v).is_some_and(|pattern| *pattern != AccessPattern::ReadOnly);
    // Where one element is for several positions, what these write elsewhere may depend on their order too.
    let is_open = |pattern: &AccessPattern| {
        matches!(pattern, AccessPattern::Scatter | AccessPattern::Histogram(_) | AccessPattern::Cells)
    };
    let written = patterns.keys().copied().filter(|v| is_written(v));
    let unordered: Vec<VarId> = if patterns.values().any(is_open) { written.collect() } else { Vec::new() };
    let mut rows = row_footprints(program, kernel);
    rows.retain(|v, _| patterns.contains_key(v) && !sums.contains(v));
    let (writes, reads): (BTreeMap<_, _>, _) = rows.into_iter().partition(|(v, _)| is_written(v));
    let accumulated = |result: &VarId| kernel.accumulators.iter().any(|each| each.variable == *result);
    let known = |(v, pattern): (&VarId, &AccessPattern)| match pattern {
        AccessPattern::ReadOnly => true,
        AccessPattern::Exclusive | AccessPattern::Cells => false,
        _ => sums.contains(v) || writes.contains_key(v),
    };
    let by_rows = kernel.parallel
        && !kernel.schedule.one_thread
        && !kernel.aliased
        && !has_grid_barriers(&kernel.body.block)
        && !meets(&kernel.body.block)
        && kernel.body.results.iter().all(accumulated)
        && patterns.iter().all(known);
    let written: Vec<VarId> = patterns.keys().copied().filter(|v| is_written(v)).collect();
    let repeatable = kernel.body.results.is_empty() && written.iter().all(|v| is_only_stored_to(kernel, *v));
    let may_fail = block_may_fail(&kernel.body.block);
    RankDivision { by_rows, reads, writes, sums, unordered, may_fail, repeatable }
}

/// Whether a kernel uses an array in no other way than to store elements and to ask for extents.
fn is_only_stored_to(kernel: &Kernel, array: VarId) -> bool {
    let is_it = |expr: &Expr| matches!(expr.kind, ExprKind::Local(v) if v == array);
    let (mut mentions, mut known) = (0, 0);
    visit_stmts(&kernel.body.block, &mut |stmt| {
        known += usize::from(matches!(&stmt.kind, StmtKind::Store { array, .. } if is_it(array)));
        operands(stmt, &mut |operand| {
            visit(operand, &mut |expr| {
                mentions += usize::from(is_it(expr));
                known += usize::from(
                    matches!(&expr.kind, ExprKind::Extent(of, _) | ExprKind::Count(of) if is_it(of)),
                );
            })
        });
    });
    mentions == known
}
