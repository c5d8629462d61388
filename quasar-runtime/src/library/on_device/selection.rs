//! The elements for which a condition holds, in their order.
//!
//! Blocks count what their tiles have, running sums of the counts say where the elements of each tile go, and each block moves
//! them there through shared memory. Only the last sum comes to the host: the size of the result.

use super::{
    Numbers, RUNNING_TOTALS, blocks, blocks_for, call, converted, counted, kernel, moved_as, named, reading,
    sorted, writing,
};
use crate::array::Array;
use crate::array::coherence::Access;
use crate::device::{Device, DeviceMemory, LaunchArg};
use crate::error::Result;
use crate::kernel::offload::Arg;
use crate::kernel::offload::libraries::Helper;
use crate::library::scans;
use crate::value::uninit;
use quasar_devicelib::device_text::suffix;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::Value;
use std::sync::Arc;

/// Elements of a tile: 8 for each of the 256 threads of a block.
const TILE: usize = 2048;
/// Estimated operations for an element.
const OPERATIONS: usize = 8;

const COUNT: &str = r#"
Q_KERNEL void $k(Q_GLOBAL const $c *condition, Q_GLOBAL q_i32 *counts, q_u32 count, q_u32 tiles) {
    Q_SHARED_DECL q_i32 parts[256];
    const q_u32 thread = (q_u32)Q_THREAD(0);
    if (Q_BLOCK(0) == 0 && thread == 0u) counts[0] = 0;
    for (q_u32 tile = (q_u32)Q_BLOCK(0); tile < tiles; tile += (q_u32)Q_GRID_DIM(0)) {
        q_i32 sum = 0;
        for (q_u32 j = 0u; j < 8u; j++) {
            const q_u32 k = tile * 2048u + j * 256u + thread;
            if (k < count) sum += $holds;
        }
        parts[thread] = sum;
        Q_BARRIER();
        for (q_u32 step = 128u; step > 0u; step /= 2u) {
            if (thread < step) parts[thread] += parts[thread + step];
            Q_BARRIER();
        }
        if (thread == 0u) counts[1u + tile] = parts[0];
        Q_BARRIER();
    }
}
"#;

const MOVE: &str = r#"
Q_KERNEL void $k($params, Q_GLOBAL const $c *condition, Q_GLOBAL const q_i32 *starts, q_u32 count, q_u32 tiles$extents) {
    Q_SHARED_DECL q_u32 chosen[2048];
    Q_SHARED_DECL q_u32 totals[256];
    const q_u32 thread = (q_u32)Q_THREAD(0);
    for (q_u32 tile = (q_u32)Q_BLOCK(0); tile < tiles; tile += (q_u32)Q_GRID_DIM(0)) {
        const q_u32 first = tile * 2048u + thread * 8u;
        q_u32 found = 0u, through = 0u;
        for (q_u32 j = 0u; j < 8u; j++) {
            const q_u32 k = first + j;
            if (k < count && $holds) {
                found |= 1u << j;
                through++;
            }
        }
        const q_u32 own = through;
        $running
        through -= own;
        for (q_u32 j = 0u; j < 8u; j++) {
            if (((found >> j) & 1u) != 0u) chosen[through++] = first + j;
        }
        Q_BARRIER();
        for (q_u32 k = thread; k < totals[255]; k += 256u) {
            q_u32 place = chosen[k], to = (q_u32)starts[tile] + k;
            $put
        }
        Q_BARRIER();
    }
}
"#;

/// The text of a kernel with conditions of a type, and what else its words mean.
fn text(text: &str, name: &str, condition: ElementType, words: &[(&str, &str)]) -> String {
    let truth = match condition {
        ElementType::Half => converted("condition[k]", condition, ElementType::Single),
        _ => "condition[k]".to_owned(),
    };
    let own =
        [("$holds", &*format!("({truth} != 0)")), ("$k", name), ("$c", &*format!("q_{}", suffix(condition)))];
    let text = text.replace("$running", RUNNING_TOTALS);
    words.iter().chain(&own).fold(text, |text, (word, meaning)| text.replace(word, meaning))
}

fn counting(condition: ElementType) -> &'static Helper {
    kernel(format!("select_count_{}", suffix(condition)), |name| text(COUNT, name, condition, &[]))
}

fn moving(element: ElementType, condition: ElementType) -> &'static Helper {
    let t = moved_as(element);
    kernel(format!("select_{t}_{}", suffix(condition)), |name| {
        let params = format!("Q_GLOBAL const q_{t} *x, Q_GLOBAL q_{t} *y");
        let words = [("$params", &*params), ("$extents", ""), ("$put", "y[to] = x[place];")];
        text(MOVE, name, condition, &words)
    })
}

/// The kernel that writes the positions of what it finds in an array of so many dimensions.
fn finding(rank: usize, condition: ElementType) -> &'static Helper {
    kernel(format!("find_{rank}_{}", suffix(condition)), |name| {
        let extents: String = (0..rank).map(|k| format!(", q_u32 n{k}")).collect();
        let component = |k: usize| format!("y[to * {rank}u + {k}u] = (q_i32)(place % n{k}); place /= n{k}; ");
        let put: String = (0..rank).rev().map(component).collect();
        let words = [("$params", "Q_GLOBAL q_i32 *y"), ("$extents", &*extents), ("$put", &*put)];
        text(MOVE, name, condition, &words)
    })
}

/// The chosen elements, if the active device should find them.
pub(super) fn selected(source: &Value, condition: &Value) -> Result<Option<Value>> {
    let (Some(array), Some(truths)) = (named(source), named(condition)) else { return Ok(None) };
    let (ty, truth) = (array.element_type(), truths.element_type());
    let Some(count) = counted(array.dims()).filter(|_| !truth.is_complex()) else { return Ok(None) };
    if counted(truths.dims()) != Some(count) {
        return Ok(None);
    }
    let (counting, moving) = (counting(truth), moving(ty, truth));
    let inputs = [Arg::Read(&*array), Arg::Read(&*truths)];
    let helpers = [counting, moving, scans::COUNTS];
    call(&inputs, &helpers, count * OPERATIONS).offload(|device| {
        let tiles = Tiles::new(device, count);
        // Both stay as they are until the elements are moved.
        let [elements, truths] = reading(device, [&*array, &*truths])?;
        let (starts, chosen) = tiles.starts(counting, &truths)?;
        let value = uninit(ty, &[chosen])?;
        let target = named(&value).unwrap_or_else(|| unreachable!("an array of ours"));
        if chosen > 0 {
            let written = writing(device, &*target)?;
            let starts = starts.on_device(device, Access::Read)?;
            let memories = [LaunchArg::Input(&elements), LaunchArg::Memory(&written)];
            tiles.launch(moving, &memories, &[&truths, &starts], &[])?;
        }
        Ok(value)
    })
}

/// Elements that ascend, and differ from the one before.
const DIFFER: &str = r#"
Q_KERNEL void $k(Q_GLOBAL const $t *x, Q_GLOBAL q_u8 *y, q_u32 count) {
    for (q_u32 k = (q_u32)Q_BLOCK(0) * 256u + (q_u32)Q_THREAD(0); k < count; k += (q_u32)Q_GRID_DIM(0) * 256u) {
        const $t own = x[k], before = x[k > 0u ? k - 1u : 0u];
        y[k] = k == 0u || !(own == before || (own != own && before != before));
    }
}
"#;

fn differing(ty: ElementType) -> &'static Helper {
    kernel(format!("select_differing_{}", suffix(ty)), |name| {
        DIFFER.replace("$k", name).replace("$t", &format!("q_{}", suffix(ty)))
    })
}

/// The different elements in ascending order, if the active device should find them.
pub(super) fn distinct(source: &Value) -> Result<Option<Value>> {
    let Some(array) = named(source) else { return Ok(None) };
    let Some(count) = counted(array.dims()) else { return Ok(None) };
    let Some(Value::Tuple(ascending)) = sorted::sorted(source, (1, count, 1), false)? else {
        return Ok(None);
    };
    let Some(ascending) = ascending.first() else { return Ok(None) };
    let Some(array) = named(ascending) else { return Ok(None) };
    let helper = differing(array.element_type());
    let differs = call(&[Arg::Read(&*array)], &[helper], count * OPERATIONS).offload(|device| {
        let differs = Array::<u8>::uninit(array.dims())?;
        let [read] = reading(device, [&*array])?;
        let written = differs.on_device(device, Access::Overwrite)?;
        let numbers = Numbers::new([count]);
        let mut args = vec![LaunchArg::Input(&read), LaunchArg::Memory(&written)];
        args.extend(numbers.args());
        // SAFETY: both memories have `count` elements, below which the kernel stays.
        unsafe { helper.launch(device, [blocks_for(device, count), 1], &args)? };
        drop((read, written));
        Ok(differs.to_value())
    })?;
    differs.map_or(Ok(None), |differs| selected(ascending, &differs))
}

/// The most dimensions of positions.
const MOST: usize = 4;

/// The positions where a condition holds, if the active device should find them.
pub(super) fn found(condition: &Value, dims: &[usize]) -> Result<Option<Value>> {
    let Some(truths) = named(condition) else { return Ok(None) };
    let truth = truths.element_type();
    let Some(count) = counted(dims).filter(|_| dims.len() <= MOST && !truth.is_complex()) else {
        return Ok(None);
    };
    if counted(truths.dims()) != Some(count) || counted(&[count, dims.len()]).is_none() {
        return Ok(None);
    }
    let (counting, finding) = (counting(truth), finding(dims.len(), truth));
    let (inputs, helpers) = ([Arg::Read(&*truths)], [counting, finding, scans::COUNTS]);
    call(&inputs, &helpers, count * OPERATIONS).offload(|device| {
        let tiles = Tiles::new(device, count);
        let [truths] = reading(device, [&*truths])?;
        let (starts, chosen) = tiles.starts(counting, &truths)?;
        let positions = Array::<i32>::uninit(&[chosen, dims.len()])?;
        if chosen > 0 {
            let written = positions.on_device(device, Access::Overwrite)?;
            let starts = starts.on_device(device, Access::Read)?;
            tiles.launch(finding, &[LaunchArg::Memory(&written)], &[&truths, &starts], dims)?;
        }
        Ok(positions.to_value())
    })
}

/// What is selected from, on a device.
struct Tiles<'a> {
    device: &'a Arc<dyn Device>,
    count: usize,
    tiles: usize,
}

impl<'a> Tiles<'a> {
    fn new(device: &'a Arc<dyn Device>, count: usize) -> Tiles<'a> {
        Tiles { device, count, tiles: count.div_ceil(TILE) }
    }

    /// Where the elements of each tile begin, and how many there are.
    fn starts(&self, kernel: &Helper, condition: &DeviceMemory) -> Result<(Array<i32>, usize)> {
        let starts = Array::<i32>::uninit(&[self.tiles + 1])?;
        let counts = starts.on_device(self.device, Access::Overwrite)?;
        self.launch(kernel, &[LaunchArg::Input(condition), LaunchArg::Memory(&counts)], &[], &[])?;
        scans::running_sums(self.device, &counts, self.tiles + 1)?;
        drop(counts);
        let chosen = starts.element(self.tiles)?.unwrap_or(0);
        Ok((starts, usize::try_from(chosen).unwrap_or(0)))
    }

    /// Launches a kernel whose parameters are memories, others that it only reads, the numbers of elements and tiles, and
    /// extents.
    fn launch(
        &self,
        kernel: &Helper,
        memories: &[LaunchArg<'_>],
        inputs: &[&DeviceMemory],
        extents: &[usize],
    ) -> Result<()> {
        let numbers = Numbers::new([self.count, self.tiles].into_iter().chain(extents.iter().copied()));
        let inputs = inputs.iter().map(|input| LaunchArg::Input(input));
        let args: Vec<_> = memories.iter().copied().chain(inputs).chain(numbers.args()).collect();
        // SAFETY: the kernels read `count` elements and conditions; counts have a number for each tile and one more, and what is
        // moved stays below their sum, for which the memory was made.
        unsafe { kernel.launch(self.device, [blocks(self.device, 0, self.tiles), 1], &args) }
    }
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use ElementType::{ComplexDouble, Half, Int8, Int32, Single};

    #[test]
    fn the_kernels_compile_for_cuda() {
        for condition in [Int32, Half, Single] {
            counting(condition).compiles_for_cuda().unwrap();
            [Int8, Single, ComplexDouble]
                .iter()
                .for_each(|&ty| moving(ty, condition).compiles_for_cuda().unwrap());
        }
        [Single, Int32].iter().for_each(|&ty| differing(ty).compiles_for_cuda().unwrap());
    }
}
