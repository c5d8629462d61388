//! `parallel_do`, `serial_do` and `multi_parallel_do`.

use super::body::Lowering;
use super::loops::unwrapped;
use crate::ir::build::{self, int_type};
use crate::ir::{Dims, Expr, ExprKind, Index, LaunchMode, StmtKind};
use crate::sema::model::{Argument, InstanceId};
use crate::syntax::ast::{self, NodeId};
use crate::types::{ElementType, Rank, Type};

impl<'a> Lowering<'a, '_> {
    pub(super) fn launch(
        &mut self,
        expr: &'a ast::Expr,
        (instance, closure): (InstanceId, Option<NodeId>),
        dims: NodeId,
        args: &'a [Argument],
        mode: LaunchMode,
        wanted: bool,
    ) -> Vec<Expr> {
        let span = expr.span;
        let Some(super::Target::Kernel(kernel)) = self.cx.targets.get(instance.index()).copied() else {
            self.not_supported(span, "launching a function that is no kernel");
            return Vec::new();
        };
        let Some(written) = self.expression(dims) else { return Vec::new() };
        let rank = self.cx.model.instances[instance].rank.max(1);
        let linear = self.position_is_number(instance);
        let (grid, block) = self.grid_and_block(written);
        let dims = self.dims(grid, rank, linear);
        let block = block.map(|block| self.dims(block, rank, false));
        let args = self.full_arguments(instance, closure, args, span);
        let (results, values) = self.targets(instance, wanted, span);
        self.emit(StmtKind::Launch { kernel, dims, block, args, results, mode }, span);
        values
    }

    /// Whether `pos` is one `int`, so that positions of a box of more dimensions are numbered.
    fn position_is_number(&self, instance: InstanceId) -> bool {
        let params = &self.cx.model.instances[instance].params;
        let position = params.iter().find(|param| param.special && param.name == "pos");
        position.is_some_and(|position| matches!(position.ty, Type::Scalar(..)))
    }

    /// `dims`, or `[dims, block]` as a matrix of two rows.
    fn grid_and_block(&mut self, written: &'a ast::Expr) -> (Expr, Option<Expr>) {
        let matrix = matches!(self.type_of(written), Type::Array(array) if array.rank == Rank::Known(2));
        if let (true, ast::ExprKind::Array(rows)) = (matrix, &unwrapped(written).kind)
            && let [ast::Element::Expr(grid), ast::Element::Expr(block)] = &rows[..]
        {
            let mut both = self.ordered([grid, block], |this, row| this.expr(row));
            if let (Some(block), Some(grid)) = (both.pop(), both.pop()) {
                return (grid, Some(block));
            }
        }
        let value = self.expr(written);
        if !matrix {
            return (value, None);
        }
        let value = self.atom(value);
        let row = |this: &Self, k: i32| {
            let span = value.span;
            let index = vec![Index::At(build::int(k, span)), Index::All];
            let (element, width) = match &value.ty {
                Type::Array(array) => ((*array.element).clone(), array.sizes.get(1).copied().flatten()),
                other => (other.clone(), None),
            };
            let boundary = this.default_mode().boundary;
            let kind = ExprKind::Load { array: Box::new(value.clone()), index, boundary };
            Expr::new(kind, build::sized_type(element, vec![width]), span)
        };
        (row(self, 0), Some(row(self, 1)))
    }

    /// One extent per component of the position.
    fn dims(&mut self, value: Expr, rank: usize, linear: bool) -> Dims {
        let span = value.span;
        let mut each = match (&value.ty, self.known_length(&value.ty)) {
            (Type::Scalar(..), _) => vec![value],
            (Type::Array(_), Some(count)) => self.components(value, count),
            (Type::Array(_), None) => {
                let ty = build::with_element(&value.ty, ElementType::Int32);
                return Dims::Vector(build::convert(value, &ty));
            }
            _ => return Dims::Vector(build::convert(value, &build::array_type(int_type(), 1))),
        };
        each = each.into_iter().map(|extent| self.convert_number(extent, &int_type())).collect();
        if linear && each.len() > 1 {
            let mut product: Option<Expr> = None;
            for extent in each {
                product = Some(match product {
                    None => extent,
                    Some(before) => self.row("multiply", vec![before, extent], &int_type(), span),
                });
            }
            return Dims::Each(product.into_iter().collect());
        }
        each.truncate(rank);
        while each.len() < rank {
            each.push(build::int(1, span));
        }
        Dims::Each(each)
    }
}
