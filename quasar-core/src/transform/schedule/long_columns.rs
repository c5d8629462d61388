//! Vectors of positions that go down columns, as sums along the first dimension do, are as wide as the registers allow: each
//! iteration reads another row, of which a wide vector takes a long piece.
//!
//! ```text
//!     for m                          % 32 lanes read 128 bytes of each row, 128 lanes read 512
//!         lanes: s += x[m, n]
//! ```

use crate::ir::rewrite::{read_in, set_in, variables, visit, visit_block, visit_stmts};
use crate::ir::schedule::Vector;
use crate::ir::{Block, Coordinate, Expr, ExprKind, Index, Kernel, StmtKind, VarId};
use crate::target::cpu::{COLUMN_BYTES, COLUMN_LANES, LONG_COLUMN, LONG_VECTOR};
use crate::types::ElementType;
use crate::types::known::scalar;

/// Chooses the widest vectors of a kernel that has no register tile.
pub(super) fn run(kernel: &mut Kernel) {
    if kernel.schedule.tile.is_some() {
        return;
    }
    let Some(vector) = &kernel.schedule.vector else { return };
    let widest = widest(kernel, vector);
    if let (Some(vector), Some(_)) = (&mut kernel.schedule.vector, widest) {
        // No loop keeps more of them in registers than those of few variables.
        vector.lanes = vector.lanes.max(LONG_VECTOR);
        vector.widest = widest.filter(|lanes| *lanes > vector.lanes);
    }
}

fn widest(kernel: &Kernel, vector: &Vector) -> Option<u32> {
    if !vector.stores.is_empty()
        || !vector.interleaved.is_empty()
        || !goes_down_columns(kernel, &vector.block)
    {
        return None;
    }
    let bytes = most_bytes(kernel, vector)?;
    let lanes = u32::try_from(COLUMN_BYTES.checked_div(bytes)?).ok()?;
    // Whole vectors of the usual size, which is a power of two.
    let lanes = if lanes.is_power_of_two() { lanes } else { lanes.next_power_of_two() / 2 };
    let lanes = lanes.min(COLUMN_LANES);
    (lanes > vector.lanes).then_some(lanes)
}

/// The bytes of the variables with a value for each lane of which the loop that mentions most of them keeps one lane.
fn most_bytes(kernel: &Kernel, vector: &Vector) -> Option<usize> {
    let mut most = Some(0);
    visit_stmts(&vector.block, &mut |stmt| {
        let StmtKind::For { body, attributes, .. } = &stmt.kind else { return };
        if attributes.every_position {
            return;
        }
        let mentioned = read_in(body).union(&set_in(body));
        let wide = vector.wide.iter().filter(|v| mentioned.contains(v));
        let sizes = wide.map(|v| scalar(&kernel.body.variables[*v].ty).map(ElementType::size));
        most = most.zip(sizes.sum::<Option<usize>>()).map(|(a, b)| a.max(b));
    });
    most
}

/// Whether all loops of lanes go down a column of some array, and are not short. Rows of positions share nothing of it, as they do of
/// windows.
pub(super) fn goes_down_columns(kernel: &Kernel, block: &Block) -> bool {
    let (mut loops, mut down) = (0, 0);
    visit_stmts(block, &mut |stmt| match &stmt.kind {
        StmtKind::For { attributes, .. } if attributes.every_position => {}
        StmtKind::For { variable, range, body, .. } => {
            loops += 1;
            let short = range.constant_count().is_some_and(|count| count < LONG_COLUMN);
            down += usize::from(!short && reads_rows(kernel, body, *variable));
        }
        StmtKind::While { .. } => loops += 1,
        _ => {}
    });
    loops > 0 && loops == down
}

/// Whether an iteration reads a piece of a row that the loop variable selects alone.
fn reads_rows(kernel: &Kernel, body: &Block, k: VarId) -> bool {
    let last = kernel.rank - 1;
    let mut found = false;
    let mut look = |e: &Expr| {
        let ExprKind::Load { index, .. } = &e.kind else { return };
        let [lead @ .., Index::At(at)] = index.as_slice() else { return };
        let row = |each: &Index| matches!(each, Index::At(e) if variables(e).contains(&k) && !has_position(e, None));
        found |= has_position(at, Some(last)) && !variables(at).contains(&k) && lead.iter().any(row);
    };
    visit_block(body, &mut look);
    found
}

/// Whether an index has a component of the position, or a certain one.
fn has_position(e: &Expr, which: Option<usize>) -> bool {
    let mut found = false;
    visit(e, &mut |e| {
        found |= matches!(e.kind, ExprKind::Coordinate(Coordinate::Position, axis) if which.is_none_or(|k| k == axis));
    });
    found
}
