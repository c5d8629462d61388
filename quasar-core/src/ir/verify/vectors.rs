//! What must hold for the vectors of kernels.

use crate::ir::Kernel;
use crate::ir::schedule::Interleaved;
use crate::types::known::rank;

/// Adds violations of a kernel's vectors; their statements are verified like those of the kernel.
pub(super) fn verify(kernel: &Kernel, found: &mut Vec<String>) {
    let name = &kernel.name;
    for Interleaved { array, elements } in kernel.schedule.vectors().flat_map(|vector| &vector.interleaved) {
        let param = kernel.body.params.contains(array);
        if !param || rank(&kernel.body.variables[*array].ty).is_none_or(|rank| rank < 2) || *elements < 2 {
            found.push(format!("{name}: {elements} interleaved elements of {array:?}"));
        }
    }
    if let Some(tile) = &kernel.schedule.tile
        && (tile.axis + 1 >= kernel.rank || tile.rows < 2)
    {
        found.push(format!("{name}: a tile of {} rows along component {}", tile.rows, tile.axis));
    }
}
