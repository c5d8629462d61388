//! Tiles of positions: where a row of positions crosses the rows of an array (`y[m,n] = x[n,m]`), each element that a row reads lies on
//! another cache line, whose other elements are those of the next rows. Rows of a tile are short enough for these lines to stay in
//! the cache until all of their elements are read.

use super::order_components::{Found, single};
use crate::ir::rewrite::visit_block;
use crate::ir::schedule::PositionTile;
use crate::ir::{ExprKind, Index, Kernel};
use crate::target::cpu::{POSITION_TILE_COLUMNS, POSITION_TILE_ROWS};

/// The tile of a kernel whose rows cross those of an array that it reads.
pub(super) fn choose(kernel: &Kernel) -> Option<PositionTile> {
    if kernel.rank < 2
        || !kernel.parallel
        || kernel.schedule.vector.is_some()
        || kernel.schedule.collapsed.is_some()
    {
        return None;
    }
    let mut axis = None;
    visit_block(&kernel.body.block, &mut |e| {
        if let ExprKind::Load { index, .. } = &e.kind {
            axis = axis.or(crossed(index, kernel.rank - 1));
        }
    });
    axis.map(|axis| PositionTile { axis, rows: POSITION_TILE_ROWS, columns: POSITION_TILE_COLUMNS })
}

/// The component along which neighbouring positions read neighbouring elements, where the last one selects a row of the array.
fn crossed(index: &[Index], last: usize) -> Option<usize> {
    let component = |index: &Index| match index {
        Index::At(e) => match single(e) {
            Found::One(axis) => Some(axis),
            _ => None,
        },
        _ => None,
    };
    let (innermost, outer) = index.split_last()?;
    let axis = component(innermost).filter(|axis| *axis != last)?;
    outer.iter().any(|each| component(each) == Some(last)).then_some(axis)
}
