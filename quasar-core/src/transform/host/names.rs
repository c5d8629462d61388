//! Tests of the run for names of arrays: whether two variables are one array, where the compiler cannot tell.

use crate::analysis::aliases::Aliases;
use crate::ir::rewrite::set_in;
use crate::ir::{Body, Expr, ExprKind, Stmt, VarId, build};
use crate::source::Span;
use crate::types::Type;

/// What the run must find out before a kernel may take the place of a loop.
pub(super) struct Doubt {
    /// Variables that may name one array.
    pub(super) pairs: Vec<(VarId, VarId)>,
    /// What would stand against the kernel.
    pub(super) meet: Meet,
}

/// How two names may be one array.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Meet {
    /// They have the same elements.
    Elements,
    /// They have the same elements under different dimensions.
    Reshaped,
    /// They have the same elements under the same dimensions.
    Same,
}

/// The pairs of names in a statement that may be one array, and whether the run can tell before the statement: it sets
/// none of them.
pub(super) fn pairs(aliases: &Aliases, stmt: &Stmt) -> (Vec<(VarId, VarId)>, bool) {
    let set = set_in(std::slice::from_ref(stmt));
    let pairs = aliases.pairs_in(stmt);
    let testable = pairs.iter().all(|(a, b)| !set.contains(a) && !set.contains(b));
    (pairs, testable)
}

/// Whether one of the pairs is one array; nothing where there is no pair.
pub(super) fn same(body: &Body, pairs: &[(VarId, VarId)], meet: Meet, span: Span) -> Option<Expr> {
    let or = |a, b| Expr::new(ExprKind::Or(Box::new(a), Box::new(b)), build::int_type(), span);
    let and = |a, b| Expr::new(ExprKind::And(Box::new(a), Box::new(b)), build::int_type(), span);
    let not = |e| {
        let (then, otherwise) = (Box::new(build::int(0, span)), Box::new(build::int(1, span)));
        let kind = ExprKind::Select { condition: Box::new(e), then, otherwise };
        Expr::new(kind, build::int_type(), span)
    };
    let one = |(a, b): &(VarId, VarId)| {
        let args = vec![body.read(*a, span), body.read(*b, span)];
        let same = Expr::new(ExprKind::Library { name: "same_elements", args }, build::int_type(), span);
        match (meet, differ(body, *a, *b, span)) {
            (Meet::Reshaped, Some(differ)) => and(same, differ),
            (Meet::Same, Some(differ)) => and(same, not(differ)),
            _ => same,
        }
    };
    pairs.iter().map(one).reduce(or)
}

/// Whether the dimensions of two arrays differ; nothing where that cannot be asked one by one.
fn differ(body: &Body, a: VarId, b: VarId, span: Span) -> Option<Expr> {
    let rank = |v: VarId| body.variables[v].ty.as_array().and_then(|array| array.known_rank());
    let (Some(rank), true) = (rank(a), rank(a) == rank(b)) else { return None };
    let not_equal = quasar_devicelib::ops::find("not_equal")?;
    let differs = (0..rank).map(|axis| {
        let sides = [a, b].map(|v| build::extent(body.read(v, span), axis, span));
        build::apply(not_equal, sides.to_vec(), Type::INT, span)
    });
    differs.reduce(|a, b| Expr::new(ExprKind::Or(Box::new(a), Box::new(b)), build::int_type(), span))
}
