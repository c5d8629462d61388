//! Loops that read elements which only later iterations write: these are read from a copy of the array from before the loop, so that
//! the iterations become independent (renaming; what is left is no flow of values, only an order).
//!
//! ```text
//! for i = 0..m-2                          if (m-1)*n is some share of numel(y), and it pays
//!     for j = 0..n-1                          old = copy(y)
//!         y[i,j] += a*y[i+1,j]   =>           parallel_do([m-1, n], ..)     % y[i,j] += a*old[i+1,j]
//!                                         else
//!                                             the loops in order
//! ```
//!
//! On the processor, loops in order over simple iterations are as fast as memory is; there only iterations with loops inside pay.

use super::nest::{Nest, nest_of};
use super::rows::has_loops;
use super::{Failure, Pass};
use crate::analysis::dependence::{Dependence, old_elements};
use crate::ir::build::{self, and};
use crate::ir::rewrite::{operands_mut, same_indices, transform, transform_stmts};
use crate::ir::{Block, Expr, ExprKind, Index, LoopMode, Stmt, VarId, VarSet};
use crate::message::Decision;
use crate::source::Span;
use crate::target::any::COPIED_SHARE;
use crate::transform::host::outline::trip_count;
use crate::types::{ElementType, Type};
use std::collections::BTreeMap;

impl Pass<'_> {
    /// What becomes of a loop whose iterations depend on each other: independent ones over a copy, or what `otherwise` makes of it.
    pub(super) fn with_old_values(
        &mut self,
        stmt: Stmt,
        dependence: Dependence,
        dims: usize,
        after: &VarSet,
    ) -> Block {
        // In a loop in order, all may be one kernel, or a copy for each of its iterations.
        let found = match self.in_order_outside {
            true => None,
            false => self.tried(|pass| pass.over_copies(&stmt, after)),
        };
        let Some((condition, parallel)) = found else {
            return self.dependent(stmt, dependence, dims, after);
        };
        let span = stmt.span;
        // The order is no loss that anybody has to know of.
        let said = self.sink.mark();
        let in_order = self.dependent(stmt, dependence, dims, after);
        self.sink.back_to(said);
        let what = "independent iterations that read old elements from a copy".to_string();
        self.sink.remark(Decision::Transformed { what }.remark(span, span));
        vec![build::choice(condition, parallel, in_order, span)]
    }

    /// The copies and the launch over them, and where they pay.
    fn over_copies(&mut self, stmt: &Stmt, after: &VarSet) -> Option<(Expr, Block)> {
        let nest = nest_of(stmt, self.body)?;
        if nest.attributes.mode != LoopMode::Automatic
            || nest.loops.iter().any(|each| after.contains(&each.variable))
        {
            return None;
        }
        let old = (1..=nest.loops.len()).rev().find_map(|dims| {
            let block = nest.blocks[dims - 1];
            old_elements(self.body, &nest.loops[..dims], block, &self.aliases, after)
        })?;
        let pays = self.pays_to_copy(&nest, &old)?;
        let mut copies: BTreeMap<VarId, VarId> = BTreeMap::new();
        let mut result = Block::new();
        for (array, _) in &old {
            if copies.contains_key(array) {
                continue;
            }
            let ty = self.body.variables[*array].ty.clone();
            let copy = self.body.temporary(ty.clone(), stmt.span);
            let args = vec![self.body.read(*array, stmt.span)];
            let value = Expr::new(ExprKind::Library { name: "copy", args }, ty, stmt.span);
            result.push(build::assign(copy, value));
            copies.insert(*array, copy);
        }
        let mut renamed = vec![stmt.clone()];
        self.read_from(&mut renamed, &old, &copies);
        self.may_be_set.extend(copies.values().copied());
        let nest = nest_of(renamed.first()?, self.body)?;
        match self.parallel(&nest, after, false) {
            Ok(block) => result.extend(block),
            Err(Failure::Depends(..) | Failure::Refused(_)) => return None,
        }
        Some((pays, result))
    }

    /// Puts elements of copies in the place of old ones.
    fn read_from(&self, block: &mut Block, old: &[(VarId, Vec<Index>)], copies: &BTreeMap<VarId, VarId>) {
        transform_stmts(block, &mut |stmt| {
            operands_mut(stmt, &mut |e| {
                transform(e, &mut |e| {
                    let ExprKind::Load { array, index, .. } = &mut e.kind else { return };
                    let ExprKind::Local(v) = array.kind else { return };
                    let is_old = old.iter().any(|(array, at)| *array == v && same_indices(at, index));
                    if let Some(copy) = copies.get(&v).filter(|_| is_old) {
                        **array = self.body.read(*copy, array.span);
                    }
                });
            });
        });
    }

    /// Where the iterations are not few beside the elements to copy.
    fn pays_to_copy(&self, nest: &Nest<'_>, old: &[(VarId, Vec<Index>)]) -> Option<Expr> {
        let span = nest.span;
        let double = |e: Expr| build::convert(e, &build::scalar_type(ElementType::Double));
        let apply = |name: &str, a: Expr, b: Expr, ty: Type| {
            let row = quasar_devicelib::ops::find(name).expect("a row that the table has");
            build::apply(row, vec![a, b], ty, span)
        };
        let number = build::scalar_type(ElementType::Double);
        let product = |a, b| apply("multiply", a, b, number.clone());
        let iterations = nest.loops.iter().map(|each| double(trip_count(&each.range))).reduce(product)?;
        let shares = product(iterations, double(build::int(COPIED_SHARE, span)));
        let arrays: VarSet = old.iter().map(|(array, _)| *array).collect();
        let enough = arrays.iter().map(|array| {
            let count = ExprKind::Count(Box::new(self.body.read(array, span)));
            let count = double(Expr::new(count, build::int_type(), span));
            apply("greater_equal", shares.clone(), count, build::int_type())
        });
        let enough = enough.reduce(and)?;
        if nest.blocks.last().is_some_and(|block| has_loops(block)) {
            return Some(enough);
        }
        let on_processor = ExprKind::Library { name: "on_processor", args: Vec::new() };
        let on_processor = Expr::new(on_processor, build::int_type(), Span::default());
        Some(and(build::of_ints("equal", on_processor, build::int(0, span)), enough))
    }
}
