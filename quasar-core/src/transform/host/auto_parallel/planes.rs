//! Loops of few iterations that go through planes: sums over the pixels of each channel have three positions, which leave the other
//! threads without work and walk through memory with a stride. There the loop runs in order, and its launches share the planes.
//!
//! ```text
//! for c = 0..size(x,2)-1              if size(x,2) < 64 and the planes are large
//!     s = 0                               for c = 0..size(x,2)-1
//!     for m = ..                              a launch over m, n, which adds up s
//!         for n = ..          becomes         y[c] = s
//!             s += x[m,n,c]           else
//!     y[c] = s                            a launch over c
//! ```

use super::Pass;
use super::few_positions::{Positions, positions};
use super::nest::nest_of;
use super::rows::has_loops;
use super::small_launches::is_large;
use crate::analysis::split_reduction_candidate::long_loop;
use crate::ir::rewrite::{visit, visit_block, visit_stmts};
use crate::ir::{Block, Dims, Expr, ExprKind, Index, Kernel, LoopMode, Stmt, StmtKind, VarSet, build};
use crate::message::Decision;
use crate::target::any::AROUND_PLANES;

impl Pass<'_> {
    /// The launch that a loop became (`whole`), beside the loop in order where that is better.
    pub(super) fn or_planes_in_order(&mut self, stmt: &Stmt, whole: Block, after: &VarSet) -> Block {
        let Some(nest) = nest_of(stmt, self.body) else { return whole };
        if nest.attributes.mode != LoopMode::Automatic {
            return whole;
        }
        let Some(dims) = self.dims_around_planes(&whole).filter(|dims| *dims <= nest.loops.len()) else {
            return whole;
        };
        let few = match positions(&nest, dims) {
            Positions::Many => return whole,
            Positions::Few => None,
            Positions::If(few) => Some(few),
        };
        let Some(work) = self.work_of_iteration(stmt, &whole) else { return whole };
        let large = is_large(work, stmt);
        let mut condition = few.into_iter().fold(large, |large, few| build::and(few, large));
        if !self.are_one_loop(&whole) {
            // Blocks of devices share several loops of a position better than launches do.
            let on_processor = ExprKind::Library { name: "on_processor", args: Vec::new() };
            condition = build::and(condition, Expr::new(on_processor, build::int_type(), stmt.span));
        }
        let said = self.sink.mark();
        let in_order = self.tried(|pass| {
            let (kernels, made) = (pass.kernels.len(), pass.made.len());
            let mut in_order = pass.inside(stmt.clone(), after);
            let StmtKind::For { body, attributes, .. } = &mut in_order.kind else { return None };
            attributes.mode = LoopMode::Host;
            let shares = pass.is_parallel_since(kernels, made) && !has_loops(body);
            shares.then_some(in_order)
        });
        self.sink.back_to(said);
        match in_order {
            Some(in_order) => {
                let what = "in order where it has few iterations and planes are large, which the launches inside share";
                self.sink
                    .remark(Decision::Transformed { what: what.to_string() }.remark(stmt.span, stmt.span));
                vec![build::choice(condition, vec![in_order], whole, stmt.span)]
            }
            None => whole,
        }
    }

    /// Whether positions of all kernels do one long loop: threads of devices that share it leave its inner loops to one each.
    fn are_one_loop(&self, whole: &Block) -> bool {
        let is_one = |kernel: &Kernel| {
            let loops = kernel.body.block.iter().filter(|stmt| matches!(stmt.kind, StmtKind::For { .. }));
            loops.count() == 1 && long_loop(kernel).is_some()
        };
        let mut all = true;
        visit_stmts(whole, &mut |stmt| {
            if let StmtKind::Launch { kernel, .. } = &stmt.kind {
                all &= self.kernels.get(*kernel).is_some_and(is_one);
            }
        });
        all
    }

    /// The dimensions of the launches that a loop became, if all of them are over few dimensions, whose positions go through planes.
    fn dims_around_planes(&self, whole: &Block) -> Option<usize> {
        let (mut found, mut all) = (None, true);
        visit_stmts(whole, &mut |stmt| {
            let StmtKind::Launch { kernel, dims: Dims::Each(dims), .. } = &stmt.kind else { return };
            all &= found.is_none_or(|found| found == dims.len())
                && self
                    .kernels
                    .get(*kernel)
                    .is_some_and(|kernel| kernel.parallel && goes_through_planes(kernel));
            found = Some(dims.len());
        });
        found.filter(|dims| all && *dims <= AROUND_PLANES)
    }
}

/// Whether positions read elements of an array of which one index is theirs, and two others are those of loops.
fn goes_through_planes(kernel: &Kernel) -> bool {
    let mut loops = VarSet::new();
    visit_stmts(&kernel.body.block, &mut |stmt| {
        if let StmtKind::For { variable, .. } = &stmt.kind {
            loops.insert(*variable);
        }
    });
    let mentions = |index: &Index, what: &dyn Fn(&ExprKind) -> bool| {
        let mut found = false;
        if let Index::At(e) = index {
            visit(e, &mut |e| found |= what(&e.kind));
        }
        found
    };
    let is_position = |kind: &ExprKind| matches!(kind, ExprKind::Coordinate(..));
    let is_round = |kind: &ExprKind| matches!(kind, ExprKind::Local(v) if loops.contains(v));
    let mut found = false;
    visit_block(&kernel.body.block, &mut |e| {
        let ExprKind::Load { index, .. } = &e.kind else { return };
        let count = |what: &dyn Fn(&ExprKind) -> bool, other: &dyn Fn(&ExprKind) -> bool| {
            index.iter().filter(|each| mentions(each, what) && !mentions(each, other)).count()
        };
        found |= count(&is_position, &is_round) > 0 && count(&is_round, &is_position) >= 2;
    });
    found
}
