//! What the library computes beside the kernels of array expressions, and why.

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
