//! Sorted lines. Those that fit into shared memory are sorted by one block each: a bitonic network (Batcher, "Sorting Networks
//! and Their Applications", 1968) over keys and, where these are equal, old places, so that the order is that of the processor.
//!
//! Longer lines are a radix sort ([`Radix`]), for which elements of a line are made neighbours.

use super::radix::{Keys, Memories, Radix};
use super::{Numbers, blocks, call, counted, kernel, named, places, reading, writing};
use crate::array::Array;
use crate::array::coherence::Access;
use crate::device::{Device, LaunchArg};
use crate::error::Result;
use crate::kernel::offload::libraries::Helper;
use crate::kernel::offload::{Arg, DeviceArray};
use crate::value::uninit;
use quasar_devicelib::device_text::suffix;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::Value;
use quasar_devicelib::value::rearrange::Axis;
use std::sync::Arc;

/// A block has `$capacity` keys, in lines of `1 << width`; keys behind the end of a line come last.
const TEXT: &str = r#"
Q_FN $w $k_key($w x) {
    $key
    $equal
    return x;
}

Q_FN $w $k_element($w x) {
    $element
    return x;
}

Q_KERNEL void $k(Q_GLOBAL const $w *x, Q_GLOBAL $w *y$places, q_u32 lines, q_u32 n, q_u32 inner, q_u32 width) {
    Q_SHARED_DECL $w keys[$capacityu];
    Q_SHARED_DECL q_u16 from[$capacityu];
    const q_u32 thread = (q_u32)Q_THREAD(0), whole = 1u << width, together = $capacityu >> width;
    for (q_u32 group = (q_u32)Q_BLOCK(0); group * together < lines; group += (q_u32)Q_GRID_DIM(0)) {
        for (q_u32 k = thread; k < $capacityu; k += 256u) {
            const q_u32 own = inner > 1u ? k % together : k >> width, row = inner > 1u ? k / together : k & (whole - 1u);
            const q_u32 line = group * together + own, at = (own << width) + row;
            keys[at] = ~($w)0;
            from[at] = (q_u16)row;
            if (row < n && line < lines) keys[at] = $k_key(x[(line / inner * n + row) * inner + line % inner]);
        }
        Q_BARRIER();
        for (q_u32 size = 2u; size <= whole; size *= 2u) {
            for (q_u32 apart = size / 2u; apart > 0u; apart /= 2u) {
                for (q_u32 k = thread; k < $capacityu / 2u; k += 256u) {
                    const q_u32 a = 2u * k - (k & (apart - 1u)), b = a + apart;
                    const $w first = keys[a], second = keys[b];
                    const q_u16 of_first = from[a], of_second = from[b];
                    const int after = first > second || (first == second && of_first > of_second);
                    const int up = (a & (whole - 1u) & size) == 0u;
                    if (after == up) {
                        keys[a] = second;
                        keys[b] = first;
                        from[a] = of_second;
                        from[b] = of_first;
                    }
                }
                Q_BARRIER();
            }
        }
        for (q_u32 k = thread; k < $capacityu; k += 256u) {
            const q_u32 own = inner > 1u ? k % together : k >> width, row = inner > 1u ? k / together : k & (whole - 1u);
            const q_u32 line = group * together + own, at = (own << width) + row;
            if (row < n && line < lines) {
                const q_u32 begin = line / inner * n * inner + line % inner, to = begin + row * inner;
                $put
            }
        }
        Q_BARRIER();
    }
}
"#;

/// Keys of a block: those of eight bytes take as much shared memory as twice as many of four.
fn capacity(ty: ElementType) -> usize {
    if ty.size() == 8 { 2048 } else { 4096 }
}

/// Estimated operations for an element, which the processor's threads wait for.
const OPERATIONS: usize = 64;

/// The kernel for elements of a type, with their old places or without.
fn sorting(ty: ElementType, places: bool) -> Option<&'static Helper> {
    let keys = Keys::of(ty)?;
    let name = format!("sort_lines_{}{}", if places { "places_" } else { "" }, suffix(ty));
    Some(kernel(name, |name| {
        let [params, equal, put] = match places {
            true => [
                ", Q_GLOBAL q_i32 *places",
                keys.equal,
                "y[to] = x[begin + from[at] * inner]; places[to] = (q_i32)from[at];",
            ],
            false => ["", "", "y[to] = $k_element(keys[at]);"],
        };
        let words = [
            ("$places", params),
            ("$equal", equal),
            ("$put", put),
            ("$key", keys.key),
            ("$element", keys.element),
            ("$capacity", &capacity(ty).to_string()),
            ("$k", name),
            ("$w", keys.word),
        ];
        words.iter().fold(TEXT.to_owned(), |text, (word, meaning)| text.replace(word, meaning))
    }))
}

/// A tuple of the sorted array and, where they are wanted, of the old places, if the active device should sort.
pub(super) fn sorted(source: &Value, along: (usize, usize, usize), places: bool) -> Result<Option<Value>> {
    let Some(array) = named(source) else { return Ok(None) };
    let (ty, (outer, n, inner)) = (array.element_type(), along);
    if counted(array.dims()) != Some(outer * n * inner) {
        return Ok(None);
    }
    match n <= capacity(ty) {
        true => by_blocks(&*array, along, places),
        false if inner == 1 => by_digits(&*array, (outer, n), places),
        false => turned(source, along, places),
    }
}

/// The same where lines fit into shared memory.
fn by_blocks(
    array: &dyn DeviceArray,
    (outer, n, inner): (usize, usize, usize),
    places: bool,
) -> Result<Option<Value>> {
    let ty = array.element_type();
    let Some(helper) = sorting(ty, places) else { return Ok(None) };
    into_new(array, &[helper], places, |device, Memories { from, to, places }| {
        let width = n.next_power_of_two().ilog2() as usize;
        let numbers = Numbers::new([outer * inner, n, inner, width]);
        let mut args = vec![LaunchArg::Input(from), LaunchArg::Memory(to)];
        args.extend(places.map(LaunchArg::Memory));
        args.extend(numbers.args());
        let groups = (outer * inner).div_ceil(capacity(ty) >> width);
        // SAFETY: the kernel stays below `outer * n * inner`, the number of elements of all memories; old places are those of a line,
        // since keys behind its end come last.
        unsafe { helper.launch(device, [blocks(device, 0, groups), 1], &args) }
    })
}

/// The same where elements of a line are neighbours.
fn by_digits(array: &dyn DeviceArray, (lines, n): (usize, usize), places: bool) -> Result<Option<Value>> {
    let Some(radix) = Radix::new(array.element_type(), lines, n, places) else { return Ok(None) };
    into_new(array, &radix.helpers(), places, |device, memories| {
        // SAFETY: all arrays have `lines * n` elements.
        unsafe { radix.sort(device, memories) }
    })
}

/// A tuple of a new array that `sort` fills from another one and, where they are wanted, of the old places.
fn into_new(
    array: &dyn DeviceArray,
    helpers: &[&Helper],
    places: bool,
    sort: impl FnOnce(&Arc<dyn Device>, Memories<'_>) -> Result<()>,
) -> Result<Option<Value>> {
    let dims = array.dims();
    let work = dims.iter().product::<usize>() * OPERATIONS;
    call(&[Arg::Read(array)], helpers, work).offload(|device| {
        let value = uninit(array.element_type(), dims)?;
        let order = places.then(|| Array::<i32>::uninit(dims)).transpose()?;
        let target = named(&value).unwrap_or_else(|| unreachable!("an array of ours"));
        let [from] = reading(device, [array])?;
        let to = writing(device, &*target)?;
        let old = order.as_ref().map(|order| order.on_device(device, Access::Overwrite)).transpose()?;
        sort(device, Memories { from: &from, to: &to, places: old.as_deref() })?;
        drop((from, to, old));
        Ok(Value::Tuple([Some(value), order.map(|order| order.to_value())].into_iter().flatten().collect()))
    })
}

/// The same by way of an array with elements of a line as neighbours.
fn turned(source: &Value, (outer, n, inner): (usize, usize, usize), places: bool) -> Result<Option<Value>> {
    let turn = |value: &Value, n: usize, inner: usize, dims: &[usize]| {
        let axes = [Axis::evenly(outer, n * inner), Axis::evenly(inner, 1), Axis::evenly(n, inner)];
        places::rearranged(value, 0, dims, &axes)
    };
    let Some(lines) = turn(source, n, inner, &[outer * inner, n])? else { return Ok(None) };
    let Some(array) = named(&lines) else { return Ok(None) };
    let Some(Value::Tuple(sorted)) = by_digits(&*array, (outer * inner, n), places)? else { return Ok(None) };
    let dims = source.dims();
    let back = sorted.iter().map(|value| turn(value, inner, n, &dims)).collect::<Result<Option<_>>>()?;
    Ok(back.map(Value::Tuple))
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use ElementType::{Double, Int32, Single};

    #[test]
    fn the_kernels_compile_for_cuda() {
        for ty in [Single, Double, Int32] {
            for places in [false, true] {
                sorting(ty, places).unwrap().compiles_for_cuda().unwrap();
            }
        }
    }
}
