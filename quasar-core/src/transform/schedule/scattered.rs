//! Arrays that positions write at places that are theirs alone, though not in the order of the position: `c[n,m] = s` at `(m, n)`,
//! also beside `c[m,n] = s`. The lanes of a vector write them one by one.

use crate::ir::rewrite::{visit_block, visit_stmts};
use crate::ir::{Coordinate, ExprKind, Index, Kernel, StmtKind, VarId};

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
