//! Arrays that positions write at places that are theirs alone, though not in the order of the position. The lanes of a vector write
//! `c[n,m] = s` at `(m, n)` one by one, also beside `c[m,n] = s`; neighbouring elements such as those of `c[m,pos+1] += c[m-1,pos]` they
//! read and write by vectors, which other threads take for as many atomic accesses.

use crate::ir::rewrite::{visit, visit_block, visit_stmts};
use crate::ir::{Coordinate, Expr, ExprKind, Index, Kernel, StmtKind, VarId};
use crate::types::Boundary;

/// Whether lanes may read and write elements of an array by vectors: no access is atomic or mapped to another element, and some is
/// along a row.
pub(super) fn has_lanes(kernel: &Kernel, array: VarId) -> bool {
    let is_array = |e: &Expr| matches!(e.kind, ExprKind::Local(v) if v == array);
    let (mut plain, mut along, mut mentions, mut parts) = (true, false, 0, 0);
    let mut at = |index: &[Index], boundary: Boundary| {
        parts += 1;
        plain &= matches!(boundary, Boundary::Checked | Boundary::Unchecked | Boundary::Safe);
        along |= is_along(index, kernel.rank);
    };
    let mut once = true;
    visit_stmts(&kernel.body.block, &mut |stmt| match &stmt.kind {
        StmtKind::Store { array, index, boundary, .. } if is_array(array) => at(index, *boundary),
        StmtKind::Update { array, index, boundary, atomic, result, .. } if is_array(array) => {
            once &= !atomic && result.is_none();
            at(index, *boundary);
        }
        StmtKind::Exchange { array, .. } => once &= !is_array(array),
        _ => {}
    });
    visit_block(&kernel.body.block, &mut |e| match &e.kind {
        ExprKind::Load { array, index, boundary } if is_array(array) => at(index, *boundary),
        ExprKind::Extent(of, _) | ExprKind::Count(of) if is_array(of) => mentions -= 1,
        ExprKind::Local(v) if *v == array => mentions += 1,
        _ => {}
    });
    once && plain && along && mentions <= parts
}

/// Whether the last index alone moves with the last component of the position.
fn is_along(index: &[Index], rank: usize) -> bool {
    let moves = |each: &Index| {
        let mut found = false;
        if let Index::At(e) = each {
            visit(e, &mut |e| {
                found |=
                    matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, axis) if axis + 1 == rank);
            });
        }
        found
    };
    index.split_last().is_some_and(|(last, lead)| moves(last) && !lead.iter().any(moves))
}

/// Whether all that is done to elements of an array is to write them at places whose indices are the components of the position, in
/// any order.
pub(super) fn is_permuted(kernel: &Kernel, array: VarId) -> bool {
    let (mut places, mut mentions, mut parts) = (true, 0, 0);
    visit_stmts(&kernel.body.block, &mut |stmt| {
        if let StmtKind::Store { array: to, index, .. } = &stmt.kind
            && matches!(to.kind, ExprKind::Local(v) if v == array)
        {
            parts += 1;
            places &= is_permutation(index, kernel.rank);
        }
    });
    visit_block(&kernel.body.block, &mut |e| match &e.kind {
        ExprKind::Local(v) if *v == array => mentions += 1,
        ExprKind::Extent(of, _) | ExprKind::Count(of) if matches!(of.kind, ExprKind::Local(v) if v == array) =>
        {
            parts += 1;
        }
        _ => {}
    });
    places && mentions <= parts
}

/// Whether an index is the position with its components in some order.
pub(super) fn is_permutation(index: &[Index], rank: usize) -> bool {
    let component = |each: &Index| match each {
        Index::At(e) => match e.kind {
            ExprKind::Coordinate(Coordinate::Position, axis) => Some(axis),
            _ => None,
        },
        _ => None,
    };
    let found: Option<Vec<usize>> = index.iter().map(component).collect();
    found.is_some_and(|found| found.len() == rank && (0..rank).all(|axis| found.contains(&axis)))
}
