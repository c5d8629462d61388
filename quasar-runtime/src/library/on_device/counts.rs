//! Histograms of whole arrays: each block counts in a table of its own in shared memory where that holds all bins, and
//! adds it to the result.

use super::{Numbers, blocks_for, call, converted, counted, kernel, named, reading};
use crate::array::Array;
use crate::array::coherence::Access;
use crate::device::LaunchArg;
use crate::error::Result;
use crate::kernel::offload::Arg;
use crate::kernel::offload::libraries::Helper;
use quasar_devicelib::device_text::suffix;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::Value;
use quasar_devicelib::value::offload::Bins;

/// `$place` sets `bin`, or goes on with the next element.
const TEXT: &str = r#"
Q_KERNEL void $k(Q_GLOBAL const $t *x, Q_GLOBAL q_i32 *counts$params, q_u32 count, q_u32 bins) {
    Q_SHARED_DECL q_i32 table[$capacityu];
    const q_u32 thread = (q_u32)Q_THREAD(0);
    const int own = bins <= $capacityu;
    if (own) for (q_u32 k = thread; k < bins; k += 256u) table[k] = 0;
    Q_BARRIER();
    for (q_u32 k = (q_u32)Q_BLOCK(0) * 256u + thread; k < count; k += (q_u32)Q_GRID_DIM(0) * 256u) {
        const q_f64 found = $found;
        q_u32 bin;
        $place
        if (own) q_atomic_add_shared_i32(&table[bin], 1); else q_atomic_add_i32(&counts[bin], 1);
    }
    Q_BARRIER();
    if (own) for (q_u32 k = thread; k < bins; k += 256u) if (table[k] != 0) q_atomic_add_i32(&counts[k], table[k]);
}
"#;

/// Bins of one width. Differences from infinities and NaN are no numbers.
const EVEN: [&str; 2] = [
    ", q_f64 low, q_f64 width",
    "if (!(found - found == 0.0)) continue;
        const q_f64 at = (found - low) / width;
        bin = at < (q_f64)(bins - 1u) ? (q_u32)at : bins - 1u;",
];

/// Bins between edges: how many of them are not above the element.
const EDGES: [&str; 2] = [
    ", Q_GLOBAL const q_f64 *edges",
    "q_u32 above = bins;
        for (bin = 0u; bin < above;) {
            const q_u32 middle = (bin + above) / 2u;
            if (edges[middle] <= found) bin = middle + 1u; else above = middle;
        }
        if (bin == 0u || (bin == bins && edges[bins - 1u] != found)) continue;
        bin--;",
];

/// The bins of a table in shared memory.
const CAPACITY: usize = 4096;
/// Estimated operations for an element.
const OPERATIONS: usize = 16;

fn counting(ty: ElementType, even: bool) -> &'static Helper {
    let name = format!("count_{}_{}", if even { "even" } else { "edges" }, suffix(ty));
    kernel(name, |name| {
        let [params, place] = if even { EVEN } else { EDGES };
        let words = [
            ("$params", params),
            ("$place", place),
            ("$found", &*converted("x[k]", ty, ElementType::Double)),
            ("$capacity", &CAPACITY.to_string()),
            ("$k", name),
            ("$t", &*format!("q_{}", suffix(ty))),
        ];
        words.iter().fold(TEXT.to_owned(), |text, (word, meaning)| text.replace(word, meaning))
    })
}

/// The counts, if the active device should count.
pub(super) fn counted_in(source: &Value, bins: Bins<'_>) -> Result<Option<Value>> {
    let Some(array) = named(source) else { return Ok(None) };
    let ty = array.element_type();
    let (Some(count), Some(_)) = (counted(array.dims()), counted(&[bins.number()])) else { return Ok(None) };
    // Quotients of other widths are no places.
    let usable = match bins {
        Bins::Even { low, width, .. } => low.is_finite() && width.is_finite() && width > 0.0,
        Bins::Edges(_) => true,
    };
    if ty.is_complex() || !usable {
        return Ok(None);
    }
    let helper = counting(ty, matches!(bins, Bins::Even { .. }));
    call(&[Arg::Read(&*array)], &[helper], count * OPERATIONS).offload(|device| {
        let counts = Array::from_vec(&[bins.number()], vec![0_i32; bins.number()])?;
        let edges = match bins {
            Bins::Edges(edges) => Some(Array::from_vec(&[edges.len()], edges.to_vec())?),
            Bins::Even { .. } => None,
        };
        let [read] = reading(device, [&*array])?;
        let written = counts.on_device(device, Access::Write)?;
        let read_edges = edges.as_ref().map(|edges| edges.on_device(device, Access::Read)).transpose()?;
        let range = match bins {
            Bins::Even { low, width, .. } => vec![low.to_ne_bytes(), width.to_ne_bytes()],
            Bins::Edges(_) => Vec::new(),
        };
        let numbers = Numbers::new([count, bins.number()]);
        let mut args = vec![LaunchArg::Input(&read), LaunchArg::Memory(&written)];
        args.extend(read_edges.as_ref().map(|edges| LaunchArg::Input(edges)));
        args.extend(range.iter().map(|number| LaunchArg::Bytes(number)));
        args.extend(numbers.args());
        // SAFETY: the kernel reads `count` elements of the first memory and, of edges, as many as there are bins, whose number
        // the counts have too; places are below that: what is not is cut off or passed over.
        unsafe { helper.launch(device, [blocks_for(device, count), 1], &args)? };
        drop((read, written, read_edges));
        Ok(counts.to_value())
    })
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use ElementType::{Double, Half, Int8, Int64, Single};

    #[test]
    fn the_kernels_compile_for_cuda() {
        for ty in [Single, Double, Half, Int8, Int64] {
            for even in [false, true] {
                counting(ty, even).compiles_for_cuda().unwrap();
            }
        }
    }
}
