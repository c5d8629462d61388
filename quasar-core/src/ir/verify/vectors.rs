//! What must hold for the vectors of kernels.

use crate::ir::Kernel;
use crate::ir::schedule::{Bands, Interleaved, StoreVector};
use crate::types::known::rank;

/// Adds violations of a kernel's vectors; their statements are verified like those of the kernel.
pub(super) fn verify(kernel: &Kernel, found: &mut Vec<String>) {
    let name = &kernel.name;
    for Interleaved { array, elements, .. } in
        kernel.schedule.vectors().flat_map(|vector| &vector.interleaved)
    {
        let param = kernel.body.params.contains(array);
        if !param || rank(&kernel.body.variables[*array].ty).is_none_or(|rank| rank < 2) || *elements < 2 {
            found.push(format!("{name}: {elements} interleaved elements of {array:?}"));
        }
    }
    for StoreVector { array, index, apart, backwards, written } in
        kernel.schedule.vectors().flat_map(|vector| &vector.stores)
    {
        let param = kernel.body.params.contains(array);
        if !param
            || rank(&kernel.body.variables[*array].ty) != Some(index.len())
            || *apart < 1 && (*written || *backwards)
            || (*backwards && *apart > 1)
        {
            found.push(format!("{name}: a vector of stores to {array:?}"));
        }
    }
    for Bands { array, axis, factor, places, read } in &kernel.schedule.bands {
        let inside = rank(&kernel.body.variables[*array].ty).is_some_and(|rank| *axis < rank);
        let whole = places.iter().all(|place| place.lead.len() == *axis && place.span.0 <= place.span.1)
            && read.iter().all(|row| row.len() == *axis + 1);
        if !kernel.body.params.contains(array) || !inside || *factor < 1 || !whole {
            found.push(format!("{name}: bands of {array:?}"));
        }
    }
    if let Some(tile) = &kernel.schedule.tile
        && (tile.axis + 1 >= kernel.rank || tile.rows < 2)
    {
        found.push(format!("{name}: a tile of {} rows along component {}", tile.rows, tile.axis));
    }
    if let Some(contraction) = &kernel.schedule.contraction
        && (contraction.axis + 1 >= kernel.rank || contraction.rows < 2)
    {
        found.push(format!("{name}: a contraction of {} rows along {}", contraction.rows, contraction.axis));
    }
}
