//! What the library computes beside the kernels of array expressions, and why.

use super::super::kernel_rules::is_value;
use super::{compared, rank_of};
use crate::ir::{Expr, ExprKind, Index};
use crate::types::Type;

/// Why the elements of an array are not computed where they are read; nothing for what is no function of arrays.
pub(super) fn reason(e: &Expr) -> Option<(&'static str, &'static str)> {
    if !matches!(e.ty, Type::Array(_)) {
        return None;
    }
    match &e.kind {
        ExprKind::Library { name, .. } => Some((name, why(name))),
        ExprKind::Reduce { axis: Some(_), .. } => Some(("a fold along a dimension", LINES)),
        ExprKind::Load { index, .. } if index.iter().any(|index| matches!(index, Index::List(_))) => {
            Some(("an index by positions", "the library tests and reads all positions at once"))
        }
        _ => None,
    }
}

const LINES: &str = "each element depends on a whole line";

fn why(name: &str) -> &'static str {
    match name {
        "selected" | "unique" | "find" => "where an element goes depends on those before it",
        "sum" | "prod" | "mean" | "min" | "max" | "mindim" | "maxdim" | "any" | "all" | "std" | "var"
        | "median" | "sort" | "cumsum" | "cumprod" | "cummin" | "cummax" => LINES,
        "eye" | "linspace" | "logspace" | "seq" => "the library fills it",
        "reshape" | "squeeze" => "the elements lie where they lay",
        "horzcat" | "vertcat" | "cat" | "repmat" | "circshift" | "rot90" | "shuffledims" | "fftshift1"
        | "fftshift2" | "fftshift3" | "ifftshift1" | "ifftshift2" | "ifftshift3" | "diagm" | "diag"
        | "transpose" | "fliplr" | "flipud" => "runs of elements are moved",
        _ => "each element depends on all others",
    }
}

/// Why the library computes a part of an array expression that no kernel took; nothing for what computes no elements.
pub fn why_not_fused(e: &Expr) -> Option<&'static str> {
    if let Some((_, why)) = reason(e) {
        // What takes no array makes one, which is no operation on arrays; another view of elements costs nothing.
        let is_free = match &e.kind {
            ExprKind::Library { name: "reshape" | "squeeze", .. } => true,
            ExprKind::Library { args, .. } => args.iter().all(|arg| matches!(arg.ty, Type::Scalar(..))),
            _ => false,
        };
        return (!is_free).then_some(why);
    }
    match &e.kind {
        ExprKind::Apply { args, .. } => {
            let involved = || std::iter::once(&e.ty).chain(args.iter().map(|arg| &arg.ty));
            involved().any(|ty| matches!(ty, Type::Array(_) | Type::Dynamic)).then(|| of_operation(e, args))
        }
        ExprKind::Reduce { arg, .. } => Some(of_operation(e, std::slice::from_ref(arg))),
        _ => None,
    }
}

fn of_operation(e: &Expr, args: &[Expr]) -> &'static str {
    let involved = || std::iter::once(e).chain(args);
    let is_array = |e: &&Expr| matches!(e.ty, Type::Array(_));
    let with_numbers =
        |e: &Expr| matches!(&e.ty, Type::Array(array) if matches!(*array.element, Type::Scalar(..)));
    if involved().any(|e| matches!(e.ty, Type::Dynamic)) {
        "types are known at run time only"
    } else if involved().filter(is_array).any(|e| !with_numbers(e)) {
        "elements are no numbers"
    } else if involved().filter(is_array).any(|e| rank_of(e).is_none()) {
        "the number of dimensions is known at run time only"
    } else if involved().filter(is_array).all(|e| is_value(&e.ty)) {
        "so few elements are computed at once"
    } else if compared(e).is_some() {
        "arrays of unlike sizes are compared to one number"
    } else if args.iter().any(|arg| is_array(&arg) && rank_of(arg) != rank_of(&args[0])) {
        "operands have different numbers of dimensions"
    } else {
        "it is evaluated only where a condition asks for it, or again in each round"
    }
}
