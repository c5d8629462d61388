//! The elements that a loop reads and writes, how far they move with its variable, and where two of them are different ones.

use crate::ir::build::{self, and, int, or};
use crate::ir::rewrite::{
    children, operands, same, same_indices, stored_in, substitute, variables, visit, visit_stmts,
};
use crate::ir::{Block, Expr, ExprKind, Index, Range, StmtKind, VarId, VarSet};
use crate::types::Boundary;
use std::collections::BTreeMap;

/// An element that an iteration reads or writes.
pub(in super::super) struct Access {
    pub(in super::super) array: Expr,
    pub(in super::super) variable: VarId,
    pub(in super::super) index: Vec<Index>,
    pub(in super::super) boundary: Boundary,
    pub(in super::super) stores: bool,
    /// The number of its statement in the loop.
    pub(in super::super) statement: usize,
    /// How much each index grows with the loop variable; nothing where that is not plain.
    pub(in super::super) slopes: Option<Vec<i64>>,
}

impl Access {
    /// For elements of one place in all but the last dimension, how much the last index grows, if that is by one element at most.
    pub(in super::super) fn along(&self) -> Option<i64> {
        match self.slopes.as_deref()? {
            [lead @ .., last @ (0 | 1)] if lead.iter().all(|slope| *slope == 0) => Some(*last),
            _ => None,
        }
    }

    /// The same where iterations may go along a row from its end to its beginning, which is -1.
    pub(in super::super) fn moves(&self) -> Option<i64> {
        match self.slopes.as_deref()? {
            [lead @ .., last @ -1..=1] if lead.iter().all(|slope| *slope == 0) => Some(*last),
            _ => None,
        }
    }

    /// Whether iterations go along a row from its end to its beginning.
    pub(in super::super) fn is_reversed(&self) -> bool {
        self.moves() == Some(-1)
    }

    /// Whether it is the same element in all iterations.
    pub(in super::super) fn stays(&self) -> bool {
        self.slopes.as_ref().is_some_and(|slopes| slopes.iter().all(|slope| *slope == 0))
    }

    /// Whether an index is that of the element, and not mapped to another one.
    pub(in super::super) fn is_direct(&self) -> bool {
        matches!(self.boundary, Boundary::Checked | Boundary::Unchecked)
    }

    pub(in super::super) fn is_at(&self, index: &[Index]) -> bool {
        same_indices(&self.index, index)
    }

    /// Whether all indices can be tested at the ends of the loop.
    fn is_monotonic(&self) -> bool {
        self.slopes.as_ref().is_some_and(|slopes| slopes.iter().all(|slope| slope.abs() <= 1))
    }
}

/// All accesses of the statements of a loop to elements of arrays other than `small` ones. `changing` are the variables that
/// iterations set. What a choice reads in one of its cases is tested where it moves: vectors of elements are read in all cases.
pub(in super::super) fn accesses(body: &Block, k: VarId, changing: &VarSet) -> Vec<Access> {
    let (mut found, stored) = (Vec::new(), stored_in(body));
    let mut add = |place: Place<'_>, stores: bool, statement: usize| {
        let ExprKind::Local(variable) = place.array.kind else { return };
        let slope_of = |each: &Index| match each {
            Index::At(e) => slope(e, k, (changing, &stored)),
            _ => None,
        };
        let slopes: Option<Vec<i64>> = place.index.iter().map(slope_of).collect();
        let moves = slopes.as_ref().is_some_and(|slopes| slopes.iter().any(|slope| *slope != 0));
        let boundary = match place.boundary {
            Boundary::Unchecked if place.guarded && moves => Boundary::Checked,
            boundary => boundary,
        };
        let (array, index) = (place.array.clone(), place.index.to_vec());
        found.push(Access { array, variable, index, boundary, stores, statement, slopes });
    };
    for (number, stmt) in body.iter().enumerate() {
        visit_stmts(std::slice::from_ref(stmt), &mut |stmt| {
            operands(stmt, &mut |e| loads(e, false, &mut |place| add(place, false, number)));
        });
        if let StmtKind::Store { array, index, boundary, .. } = &stmt.kind {
            add(Place { array, index, boundary: *boundary, guarded: false }, true, number);
        }
    }
    found
}

/// An element as an expression names it.
struct Place<'e> {
    array: &'e Expr,
    index: &'e [Index],
    boundary: Boundary,
    /// Whether it is read in some cases only.
    guarded: bool,
}

/// Visits the elements that an expression reads.
fn loads(e: &Expr, guarded: bool, f: &mut dyn FnMut(Place<'_>)) {
    if let ExprKind::Load { array, index, boundary } = &e.kind {
        f(Place { array, index, boundary: *boundary, guarded });
    }
    match &e.kind {
        ExprKind::Select { condition, then, otherwise } => {
            loads(condition, guarded, f);
            loads(then, true, f);
            loads(otherwise, true, f);
        }
        ExprKind::And(first, second) | ExprKind::Or(first, second) => {
            loads(first, guarded, f);
            loads(second, true, f);
        }
        _ => children(e, &mut |child| loads(child, guarded, f)),
    }
}

/// How much an index grows with the loop variable; nothing where that is not plain. Elements stay that cannot fail, of arrays that
/// are not `stored`.
fn slope(e: &Expr, k: VarId, known: (&VarSet, &VarSet)) -> Option<i64> {
    let (changing, stored) = known;
    let read = variables(e);
    let mut loads = false;
    visit(e, &mut |e| {
        let ExprKind::Load { array, boundary, .. } = &e.kind else { return };
        loads |= *boundary != Boundary::Unchecked || variables(array).iter().any(|v| stored.contains(&v));
    });
    if !loads && !read.iter().any(|v| changing.contains(&v)) {
        return Some(0);
    }
    match &e.kind {
        ExprKind::Local(v) if *v == k => Some(1),
        ExprKind::Apply { row, args } => match (row.name, args.as_slice()) {
            ("add", [a, b]) => Some(slope(a, k, known)? + slope(b, k, known)?),
            ("subtract", [a, b]) => Some(slope(a, k, known)? - slope(b, k, known)?),
            _ => None,
        },
        _ => None,
    }
}

/// Where all indices that are tested are inside in all iterations; `None` where that cannot be known before the loop.
pub(in super::super) fn are_inside(accesses: &[Access], k: VarId, range: &Range) -> Option<Vec<Expr>> {
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
            let low = build::of_ints("greater_equal", at.clone(), int(0, span));
            let high = build::of_ints("less", at, build::extent(access.array.clone(), axis, span));
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
pub(in super::super) fn with(e: &Expr, k: VarId, value: &Expr) -> Expr {
    let mut e = e.clone();
    substitute(&mut e, &BTreeMap::from([(k, value.clone())]));
    e
}

/// Where what is read is no element that an iteration before has written, though the array is the same one; `None` where it is
/// such an element for certain, or cannot be known. What is written stays, or goes along a row.
pub(in super::super) fn are_apart(written: &Access, read: &Access, k: VarId, range: &Range) -> Option<Expr> {
    let moves = written.moves()?;
    if !read.is_monotonic() || written.index.len() != read.index.len() {
        return None;
    }
    let together = moves != 0 && read.moves() == Some(moves);
    let slopes = written.slopes.iter().flatten().zip(read.slopes.iter().flatten());
    let (mut ways, mut last) = (Vec::new(), None);
    for ((w, r), (moves, reads)) in written.index.iter().zip(&read.index).zip(slopes) {
        let (Index::At(w), Index::At(r)) = (w, r) else { return None };
        let (w, r) = (Ends::of(w, *moves, (k, range)), Ends::of(r, *reads, (k, range)));
        ways.extend([
            build::of_ints("greater", r.low.clone(), w.high),
            build::of_ints("less", r.high, w.low.clone()),
        ]);
        last = Some((w.low, r.low));
    }
    if let Some((w, r)) = last.filter(|_| together) {
        // What lies ahead is read before it is written, and so is the element itself by a statement in front.
        let order = match (moves, read.statement <= written.statement) {
            (1, true) => "greater_equal",
            (1, false) => "greater",
            (_, true) => "less_equal",
            (_, false) => "less",
        };
        ways.push(build::of_ints(order, r, w));
    }
    if ways.iter().any(|way| is_known(way) == Some(true)) {
        return Some(int(1, range.from.span));
    }
    ways.into_iter().filter(|way| is_known(way).is_none()).reduce(or)
}

/// The smallest and the largest value of an index in a loop.
struct Ends {
    low: Expr,
    high: Expr,
}

impl Ends {
    fn of(e: &Expr, slope: i64, (k, range): (VarId, &Range)) -> Ends {
        let (first, last) = (with(e, k, &range.from), with(e, k, &range.to));
        match slope {
            0 => Ends { low: e.clone(), high: e.clone() },
            1 => Ends { low: first, high: last },
            _ => Ends { low: last, high: first },
        }
    }
}

/// What is known of a comparison of two sums that differ by a number.
fn is_known(comparison: &Expr) -> Option<bool> {
    let ExprKind::Apply { row, args } = &comparison.kind else { return None };
    let [a, b] = args.as_slice() else { return None };
    let ((a, more), (b, less)) = (a.base_and_offset(), b.base_and_offset());
    let apart = match (a, b) {
        (Some(a), Some(b)) if same(a, b) => more - less,
        (None, None) => more - less,
        _ => return None,
    };
    match row.name {
        "greater" => Some(apart > 0),
        "greater_equal" => Some(apart >= 0),
        "less" => Some(apart < 0),
        "less_equal" => Some(apart <= 0),
        _ => None,
    }
}
