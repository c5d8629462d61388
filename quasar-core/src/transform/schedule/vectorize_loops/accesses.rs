//! The elements that a loop reads and writes, how far they move with its variable, and where two of them are different ones.

use super::apply;
use crate::ir::build::{self, and, int, or};
use crate::ir::rewrite::{same, substitute, variables, visit, visit_block, visit_stmts};
use crate::ir::{Block, Expr, ExprKind, Index, Range, StmtKind, VarId, VarSet};
use crate::types::Boundary;
use std::collections::BTreeMap;

/// An element that an iteration reads or writes.
pub(super) struct Access {
    pub(super) array: Expr,
    pub(super) variable: VarId,
    pub(super) index: Vec<Index>,
    pub(super) boundary: Boundary,
    pub(super) stores: bool,
    /// How much each index grows with the loop variable; nothing where that is not plain.
    pub(super) slopes: Option<Vec<i64>>,
}

impl Access {
    /// For elements of one place in all but the last dimension, how much the last index grows, if that is by one element at most.
    pub(super) fn along(&self) -> Option<i64> {
        match self.slopes.as_deref()? {
            [lead @ .., last @ (0 | 1)] if lead.iter().all(|slope| *slope == 0) => Some(*last),
            _ => None,
        }
    }

    /// Whether an index is that of the element, and not mapped to another one.
    pub(super) fn is_direct(&self) -> bool {
        matches!(self.boundary, Boundary::Checked | Boundary::Unchecked)
    }

    pub(super) fn is_at(&self, index: &[Index]) -> bool {
        is_same(&self.index, index)
    }

    /// Whether all indices can be tested at the ends of the loop.
    fn is_monotonic(&self) -> bool {
        self.slopes.as_ref().is_some_and(|slopes| slopes.iter().all(|slope| slope.abs() <= 1))
    }
}

/// Whether two indices are written alike.
pub(super) fn is_same(a: &[Index], b: &[Index]) -> bool {
    let alike = |(a, b): (&Index, &Index)| matches!((a, b), (Index::At(a), Index::At(b)) if same(a, b));
    a.len() == b.len() && a.iter().zip(b).all(alike)
}

/// All accesses of the statements of a loop to elements of arrays other than `small` ones. `changing` are the variables that
/// iterations set.
pub(super) fn accesses(body: &Block, k: VarId, changing: &VarSet) -> Vec<Access> {
    let mut found = Vec::new();
    let mut access = |array: &Expr, index: &[Index], boundary: Boundary, stores: bool| {
        let ExprKind::Local(variable) = array.kind else { return };
        let slope_of = |each: &Index| match each {
            Index::At(e) => slope(e, k, changing),
            _ => None,
        };
        let slopes = index.iter().map(slope_of).collect();
        let (array, index) = (array.clone(), index.to_vec());
        found.push(Access { array, variable, index, boundary, stores, slopes });
    };
    visit_block(body, &mut |e| {
        if let ExprKind::Load { array, index, boundary } = &e.kind {
            access(array, index, *boundary, false);
        }
    });
    visit_stmts(body, &mut |stmt| {
        if let StmtKind::Store { array, index, boundary, .. } = &stmt.kind {
            access(array, index, *boundary, true);
        }
    });
    found
}

/// How much an index grows with the loop variable; nothing where that is not plain.
fn slope(e: &Expr, k: VarId, changing: &VarSet) -> Option<i64> {
    let read = variables(e);
    let mut loads = false;
    visit(e, &mut |e| loads |= matches!(e.kind, ExprKind::Load { .. }));
    if !loads && !read.iter().any(|v| changing.contains(&v)) {
        return Some(0);
    }
    match &e.kind {
        ExprKind::Local(v) if *v == k => Some(1),
        ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
            ("add", [a, b]) => Some(slope(a, k, changing)? + slope(b, k, changing)?),
            ("subtract", [a, b]) => Some(slope(a, k, changing)? - slope(b, k, changing)?),
            _ => None,
        },
        _ => None,
    }
}

/// Where all indices that are tested are inside in all iterations; `None` where that cannot be known before the loop.
pub(super) fn are_inside(accesses: &[Access], k: VarId, range: &Range) -> Option<Vec<Expr>> {
    let tested = accesses.iter().filter(|access| access.boundary == Boundary::Checked);
    let mut conditions = Vec::new();
    let mut seen: Vec<&Access> = Vec::new();
    for access in tested {
        if !access.is_monotonic() {
            return None;
        }
        if !seen.iter().any(|other| other.variable == access.variable && other.is_at(&access.index)) {
            seen.push(access);
            conditions.push(is_inside(access, k, range));
        }
    }
    Some(conditions)
}

/// Whether the indices of an access are inside in all iterations: those of the first and of the last are.
fn is_inside(access: &Access, k: VarId, range: &Range) -> Expr {
    let span = access.array.span;
    let mut condition = None;
    for (axis, each) in access.index.iter().enumerate() {
        let Index::At(at) = each else { continue };
        let mut ends = vec![&range.from];
        if variables(at).contains(&k) {
            ends.push(&range.to);
        }
        for end in ends {
            let at = with(at, k, end);
            let low = apply("greater_equal", at.clone(), int(0, span));
            let high = apply("less", at, build::extent(access.array.clone(), axis, span));
            let both = and(low, high);
            condition = Some(match condition {
                Some(condition) => and(condition, both),
                None => both,
            });
        }
    }
    condition.unwrap_or_else(|| int(1, span))
}

/// An expression where the loop variable has a value.
pub(super) fn with(e: &Expr, k: VarId, value: &Expr) -> Expr {
    let mut e = e.clone();
    substitute(&mut e, &BTreeMap::from([(k, value.clone())]));
    e
}

/// Where what is read is no element that any iteration has written before, though the array is the same one; `None` where it is
/// such an element for certain, or cannot be known. Both accesses go along rows.
pub(super) fn are_apart(written: &Access, read: &Access, k: VarId, range: &Range) -> Option<Expr> {
    let (moves, reads) = (written.along()?, read.along()?);
    let mut ways = Vec::new();
    let [lead_w @ .., Index::At(w)] = written.index.as_slice() else { return None };
    let [lead_r @ .., Index::At(r)] = read.index.as_slice() else { return None };
    for (a, b) in lead_w.iter().zip(lead_r) {
        let (Index::At(a), Index::At(b)) = (a, b) else { return None };
        match (a.constant_int(), b.constant_int()) {
            (Some(a), Some(b)) if a != b => return Some(int(1, range.from.span)),
            (Some(_), Some(_)) => {}
            _ if same(a, b) => {}
            _ => ways.push(apply("not_equal", a.clone(), b.clone())),
        }
    }
    let ends = |e: &Expr| (with(e, k, &range.from), with(e, k, &range.to));
    let ((low_w, high_w), (low_r, high_r)) = (ends(w), ends(r));
    let behind = if (moves, reads) == (1, 1) {
        // What lies behind is read before it is written.
        apply("greater", low_r.clone(), low_w.clone())
    } else {
        apply("greater", low_r.clone(), high_w)
    };
    ways.extend([behind, apply("less", high_r, low_w)].into_iter().filter(|way| !is_never(way)));
    ways.into_iter().reduce(or)
}

/// Whether a comparison of two sums cannot hold, since they differ by a known number at most.
fn is_never(comparison: &Expr) -> bool {
    let ExprKind::Apply { row, args } = &comparison.kind else { return false };
    let [a, b] = args.as_slice() else { return false };
    let ((a, more), (b, less)) = (a.base_and_offset(), b.base_and_offset());
    let apart = match (a, b) {
        (Some(a), Some(b)) if same(a, b) => more - less,
        (None, None) => more - less,
        _ => return false,
    };
    match row.name {
        "greater" => apart <= 0,
        "less" => apart >= 0,
        _ => false,
    }
}
