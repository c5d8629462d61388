//! Launches that compute delayed arrays: into a new array, into a part of one that exists, or folded to a number.

use super::super::outline;
use super::delay::{Delay, is_gather, is_slice};
use super::folds::{self, Fold};
use super::{Pass, is_value, messages, positions, rank_of};
use crate::analysis::access_pattern::own_prefix;
use crate::ir::pull::{PullArray, all};
use crate::ir::rewrite::{transform_block, visit_block};
use crate::ir::{Block, Expr, ExprKind, Index, Stmt, StmtKind, VarId, build};
use crate::source::Span;
use crate::types::{Boundary, Type};
use quasar_devicelib::ops::Row;

/// A copy that is worth a launch: a whole array, a slice of two or more dimensions, a transpose, or elements at listed positions, of an array
/// of numbers.
pub(super) fn is_copy(e: &Expr) -> bool {
    if let ExprKind::Load { array, index, boundary: Boundary::Checked } = &e.kind
        && is_gather(array, index)
    {
        return rank_of(e).is_some() && !is_value(&e.ty);
    }
    if let ExprKind::Library { name: "copy", args } = &e.kind {
        return rank_of(e).is_some() && args.first().and_then(rank_of) == rank_of(e) && !is_value(&e.ty);
    }
    let worth = rank_of(e).is_some_and(|rank| rank > 1) && !is_value(&e.ty);
    worth
        && match &e.kind {
            ExprKind::Load { array, index, .. } => {
                is_slice(array, index) && index.iter().filter(|i| !matches!(i, Index::At(_))).count() > 1
            }
            ExprKind::Library { name: "transpose" | "fliplr" | "flipud", args } => {
                matches!(&args[..], [arg] if rank_of(arg) == Some(2))
            }
            _ => false,
        }
}

impl Pass<'_, '_> {
    /// Fuses an expression with slices and the like. Their conditions are looked at before the launch; where one does not
    /// hold the expression is evaluated as it was written.
    pub(super) fn fuse_delayed(&mut self, expr: &mut Expr, before: &mut Block) -> bool {
        let mut written = expr.clone();
        let summary = folds::is_worth(expr);
        let (tree, fold) = match written.kind {
            ExprKind::Reduce { .. } | ExprKind::Library { .. } if written.ty.as_array().is_none() => {
                let Some((tree, fold)) = Fold::of(&mut written) else { return false };
                (tree, Some(fold))
            }
            ExprKind::Reduce { .. } => return false,
            _ => (&mut written, None),
        };
        if fold.is_none() && is_value(&tree.ty) {
            return false;
        }
        let copy = is_copy(tree);
        let mut delay = Delay::new(&mut self.host.body);
        let chosen = fold.and_then(|fold| delay.chosen(tree, fold.row));
        let Some(array) = chosen.or_else(|| delay.array(tree)) else { return false };
        let worth = delay.mapped || delay.guarded || summary && delay.operations > 0;
        if !worth || array.dims.is_empty() || delay.operations == 0 && fold.is_none() && !copy {
            return false;
        }
        let operations = delay.operations;
        let (stages, inside) = delay.finished();
        let (span, ty) = (expr.span, expr.ty.clone());
        let mut stages = self.before_stages(stages);
        let mut launch = inside;
        let result = match fold {
            Some(fold) => {
                if let Some(last) = stages.last_mut() {
                    last.conditions.extend(Fold::conditions(&array, span));
                }
                self.folded(array, fold, &ty, span, &mut launch)
            }
            None => self.stored(&array, &ty, span, &mut launch),
        };
        let otherwise = build::convert(written, &self.host.body.variables[result].ty);
        self.staged(stages, launch, vec![build::assign(result, otherwise)], span, before);
        self.say_fused(span, operations + usize::from(fold.is_some() && operations > 0));
        let value = build::local(result, self.host.body.variables[result].ty.clone(), span);
        *expr = build::convert(value, &ty);
        true
    }

    /// Says how many operations one launch does.
    pub(super) fn say_fused(&mut self, span: Span, operations: usize) {
        if operations > 1 {
            self.host.sink.push(messages::fused(span, operations));
        }
    }

    /// Launches where conditions hold, the statements as they were written where not.
    pub(super) fn either(
        &mut self,
        conditions: Vec<Expr>,
        launch: Block,
        written: Block,
        span: Span,
        into: &mut Block,
    ) {
        if conditions.is_empty() {
            into.extend(launch);
        } else {
            into.push(build::choice(all(conditions, span), launch, written, span));
        }
    }

    /// A new array of the elements.
    pub(super) fn stored(&mut self, array: &PullArray, ty: &Type, span: Span, into: &mut Block) -> VarId {
        let mut unsized_type = ty.clone();
        if let Type::Array(array) = &mut unsized_type {
            array.sizes.iter_mut().for_each(|size| *size = None);
        }
        let result = self.host.body.temporary(unsized_type.clone(), span);
        let allocate = ExprKind::Library { name: "uninit", args: array.dims.clone() };
        into.push(build::assign(result, Expr::new(allocate, unsized_type, span)));
        let target = self.host.body.read(result, span);
        let index = positions(array.dims.len(), span);
        self.store_elements(array, target, index, span, into);
        result
    }

    /// `target[index] = element` at each position.
    pub(super) fn store_elements(
        &mut self,
        array: &PullArray,
        target: Expr,
        index: Vec<Index>,
        span: Span,
        into: &mut Block,
    ) {
        let value = array.at(&coordinates(array.dims.len(), span), span);
        let store = StmtKind::Store { array: target, index, boundary: Boundary::Unchecked, value };
        self.launch_over(array.dims.clone(), vec![Stmt::new(store, span)], &[], span, into);
    }

    /// The fold of all elements.
    pub(super) fn accumulated(
        &mut self,
        array: &PullArray,
        row: &'static Row,
        ty: Type,
        span: Span,
        into: &mut Block,
    ) -> VarId {
        let result = self.host.body.temporary(ty.clone(), span);
        into.push(build::assign(result, build::neutral(row, &ty, span)));
        let total = build::local(result, ty.clone(), span);
        let value = build::convert(array.at(&coordinates(array.dims.len(), span), span), &ty);
        let block = vec![build::assign(result, build::apply(row, vec![total, value], ty, span))];
        self.launch_over(array.dims.clone(), block, &[(result, row)], span, into);
        result
    }

    /// A kernel of a block that names variables of the host, and its launch.
    fn launch_over(
        &mut self,
        mut dims: Vec<Expr>,
        mut block: Block,
        accumulators: &[(VarId, &'static Row)],
        span: Span,
        into: &mut Block,
    ) {
        if dims.len() > 1 && !at_positions_only(&block, dims.len()) {
            drop_last_of_one(&mut dims, &mut block);
        }
        let name = outline::kernel_name(self.host.name, self.context.line(span));
        let body = &self.host.body;
        let made = outline::at_positions(name, body, dims.len(), &block, accumulators, span);
        let results = made.results.iter().map(|result| Some(*result)).collect();
        let kernels = &mut self.host.kernels;
        into.push(outline::launch(kernels, made.kernel, &made.args, results, dims, body, span));
    }
}

/// Whether statements use elements at the position itself, of arrays with as many dimensions, and no others.
fn at_positions_only(block: &Block, rank: usize) -> bool {
    let mut only = true;
    visit_block(block, &mut |e| {
        if let ExprKind::Load { index, .. } = &e.kind {
            only &= index.len() == rank && own_prefix(index, rank) == rank;
        }
    });
    only
}

/// Leaves out last components of the position that are always 0, as for a column: each would be a row of its own.
fn drop_last_of_one(dims: &mut Vec<Expr>, block: &mut Block) {
    while dims.len() > 1 && dims.last().and_then(Expr::constant_int) == Some(1) {
        dims.pop();
        let last = dims.len();
        transform_block(block, &mut |e| {
            if matches!(e.kind, ExprKind::Coordinate(_, axis) if axis == last) {
                *e = build::int(0, e.span);
            }
        });
    }
}

/// The components of the position.
pub(super) fn coordinates(rank: usize, span: Span) -> Vec<Expr> {
    let component = |index| match index {
        Index::At(at) => Some(at),
        _ => None,
    };
    positions(rank, span).into_iter().filter_map(component).collect()
}
