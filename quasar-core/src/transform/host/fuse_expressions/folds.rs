//! What makes a number of a delayed array: sums, products and extremes; means; whether some or all elements are not 0.

use super::delay::is_slice;
use super::launches::is_copy;
use super::{
    Pass, compared, is_operation, is_value, neutral_known, one_number, operation_count, rank_of, row,
};
use crate::ir::pull::{PullArray, compare};
use crate::ir::rewrite::{children_mut, operands_mut, transform_stmts};
use crate::ir::{Block, Expr, ExprKind, StmtKind, VarId, build};
use crate::source::Span;
use crate::types::{ElementType, Overflow, Type};
use quasar_devicelib::ops::Row;

/// How a number is made of the elements.
#[derive(Clone, Copy)]
pub(super) struct Fold {
    pub(super) row: &'static Row,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// The fold itself.
    Plain,
    /// Divided by the number of elements.
    Mean,
    /// The fold of whether elements are not 0.
    Truths,
}

impl Fold {
    /// The fold that an expression is, and the array.
    pub(super) fn of(e: &mut Expr) -> Option<(&mut Expr, Fold)> {
        let fits = is_number(&e.ty);
        match &mut e.kind {
            ExprKind::Reduce { row, arg, axis: None } if fits && neutral_known(row) => {
                let fold = Fold { row, kind: Kind::Plain };
                (one_number(arg).is_none()).then_some((arg, fold))
            }
            ExprKind::Library { name, args } if fits => match &mut args[..] {
                [arg] if is_array(arg) => Some((arg, Fold::named(name)?)),
                _ => None,
            },
            _ => None,
        }
    }

    fn named(name: &str) -> Option<Fold> {
        let (name, kind) = match name {
            "mean" => ("add", Kind::Mean),
            "any" => ("max", Kind::Truths),
            "all" => ("min", Kind::Truths),
            _ => return None,
        };
        Some(Fold { row: row(name), kind })
    }

    /// The array that is folded, with elements for the result's type.
    pub(super) fn terms(self, array: PullArray, ty: &Type, span: Span) -> PullArray {
        match self.kind {
            Kind::Plain | Kind::Mean => array,
            Kind::Truths => {
                let zero = PullArray::number(build::neutral(row("add"), array.element(), span));
                PullArray::apply(row("not_equal"), vec![array, zero], ty.clone())
            }
        }
    }

    /// What a fold over nothing is, the library knows.
    pub(super) fn conditions(array: &PullArray, span: Span) -> impl Iterator<Item = Expr> {
        array.dims.iter().filter_map(move |n| compare("less_equal", build::int(1, span), n.clone()))
    }
}

/// A number whose sums have the precision of its type.
fn is_number(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(element, _) if *element != ElementType::Half)
}

/// Whether something is an array of numbers that are compared with 0 and added as they are.
fn is_array(e: &Expr) -> bool {
    let plain = e.ty.as_array().is_some_and(|array| {
        matches!(&*array.element, Type::Scalar(element, overflow)
            if !element.is_complex() && *element != ElementType::Half && *overflow != Overflow::Saturate)
    });
    plain && rank_of(e).is_some() && !is_value(&e.ty) && compared(e).is_none()
}

/// Whether an expression is a mean or the like of an array that nobody stores.
pub(super) fn is_worth(e: &Expr) -> bool {
    let ExprKind::Library { name, args } = &e.kind else { return false };
    let [arg] = &args[..] else { return false };
    let delayed = match &arg.kind {
        ExprKind::Load { array, index, .. } => is_slice(array, index),
        _ => is_copy(arg) || is_operation(arg) && operation_count(arg) > 0,
    };
    Fold::named(name).is_some() && is_number(&e.ty) && is_array(arg) && delayed
}

/// Writes `dotprod(a, b)` of slices and expressions as `sum(a .* b)` where it is evaluated in any case, so that it fuses like other
/// sums.
pub(super) fn write_products_as_sums(block: &mut Block) {
    transform_stmts(block, &mut |stmt| {
        if !matches!(stmt.kind, StmtKind::While { .. } | StmtKind::Repeat { .. }) {
            operands_mut(stmt, &mut write_as_sum);
        }
    });
}

fn write_as_sum(e: &mut Expr) {
    match &mut e.kind {
        ExprKind::And(first, _) | ExprKind::Or(first, _) => write_as_sum(first),
        ExprKind::Select { condition, .. } => write_as_sum(condition),
        _ => children_mut(e, &mut write_as_sum),
    }
    let ExprKind::Library { name: "dotprod", args } = &e.kind else { return };
    let [a, b] = &args[..] else { return };
    let is_factor =
        |x: &Expr| x.ty.as_array().is_some_and(|array| *array.element == e.ty) && !is_value(&x.ty);
    let is_float = matches!(e.ty, Type::Scalar(ElementType::Single | ElementType::Double, _));
    let fits = rank_of(a).is_some() && rank_of(a) == rank_of(b) && is_factor(a) && is_factor(b);
    if is_float && fits && (is_delayed(a) || is_delayed(b)) {
        let product = build::apply(row("multiply"), vec![a.clone(), b.clone()], a.ty.clone(), e.span);
        e.kind = ExprKind::Reduce { row: row("add"), arg: Box::new(product), axis: None };
    }
}

/// Whether a factor is no array that is there, which the library reads as it is.
fn is_delayed(x: &Expr) -> bool {
    match &x.kind {
        ExprKind::Convert(inner) => is_delayed(inner),
        ExprKind::Local(_) => false,
        _ => true,
    }
}

impl Pass<'_, '_> {
    /// The variable that holds the fold of all elements, and the launch for it.
    pub(super) fn folded(
        &mut self,
        array: PullArray,
        fold: Fold,
        ty: &Type,
        span: Span,
        into: &mut Block,
    ) -> VarId {
        let count = array.dims.clone();
        let result = self.accumulated(&fold.terms(array, ty, span), fold.row, ty.clone(), span, into);
        if fold.kind == Kind::Mean {
            // Exact for all numbers of elements that there are.
            let double = build::scalar_type(ElementType::Double);
            let count = count.into_iter().map(|n| build::convert(n, &double));
            let times = |a, b| build::apply(row("multiply"), vec![a, b], double.clone(), span);
            let count = count.reduce(times).unwrap_or_else(|| build::convert(build::int(1, span), &double));
            let total = self.host.body.read(result, span);
            let args = vec![total, build::convert(count, ty)];
            into.push(build::assign(result, build::apply(row("divide"), args, ty.clone(), span)));
        }
        result
    }
}
