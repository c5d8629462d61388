//! Launch configurations: maps the positions of a launch to a grid of thread blocks for each schedule, and sizes shared
//! memory, scratch memory and heaps.

use super::{Arg, DeviceKernel, Style, no_fault_conditions};
use crate::device::result_buffer::COUNTER_BYTES;
use crate::device::small_vec::SmallVec;
use crate::device::{Device, KernelHandle, LaunchConfig, Limits};
use crate::{context, settings};
use quasar_devicelib::device_text::{heap, results};
use quasar_devicelib::kernel::{BlockLimits, SHARED_MEMORY, default_block, largest_block};
use std::ops::Range;

/// Granularity of dynamic shared memory in bytes.
const SHARED_STEP: u32 = 256;

/// The launch configuration for threads with so many rows each. `None` if the device has no grid of this size.
pub(super) fn configuration(
    kernel: &DeviceKernel,
    rows: u32,
    size: &[i32],
    block: Option<&[i32]>,
    args: &[Arg<'_>],
    device: &dyn Device,
    handle: &KernelHandle,
) -> Option<LaunchConfig> {
    let limits = device.limits();
    let most = most_threads(handle, limits);
    let line = |blocks: u32, threads: u32| {
        (threads <= most).then(|| LaunchConfig::new([blocks, 1, 1], [threads, 1, 1]))
    };
    match kernel.form.style {
        Style::Walk { threads, .. } => {
            let shared =
                table_bytes(kernel, args, limits.shared_bytes.saturating_sub(handle.facts().shared_bytes));
            let blocks = grid_stride_blocks(kernel.form.style, size, limits)?;
            return line(blocks, threads).map(|config| config.with_shared(shared));
        }
        Style::Strips { threads, .. } => {
            if let [count] = size {
                return line(count.max(&0).unsigned_abs().div_ceil(rows * threads), threads);
            }
        }
        Style::Team { threads, .. } => {
            let each = u64::from(split_blocks(kernel.form.style, size, limits));
            let blocks = groups(kernel.form.style, size).saturating_mul(each);
            let blocks = u32::try_from(blocks).ok().filter(|n| *n <= limits.max_grid[0])?;
            return line(blocks, threads);
        }
        Style::BlockEach { threads: at_most, counters, .. } => {
            let blocks = u32::try_from(positions(size)).ok().filter(|n| *n <= limits.max_grid[0])?;
            let iterations = kernel.form.iterations(size, args);
            // Where blocks are fewer than multiprocessors take at once, larger ones share more.
            let few = blocks <= FEW_POSITIONS as u32 * limits.multiprocessors;
            let at_most = if few { at_most } else { at_most / 2 };
            let config = line(blocks, threads_for(iterations, at_most.min(most)))?;
            let wanted = if blocks > counters || !limits.cooperative { 1 } else { team_blocks(iterations) };
            if wanted < 2 || !no_fault_conditions::cannot_fail(kernel.form.safe, size, args) {
                return Some(config);
            }
            // The driver is asked only where a team may be worth it.
            let parts = wanted.min(device.resident_blocks(handle, &config) / blocks.max(1));
            return Some(match parts {
                0 | 1 => config,
                parts => LaunchConfig { grid: [blocks * parts, 1, 1], ..config }.cooperative(),
            });
        }
        Style::BlockTiles { threads, .. } => {
            let tiles = Tiles::of(kernel.form.style, size)?;
            let blocks = u32::try_from(tiles.count).ok().filter(|n| *n <= limits.max_grid[0])?;
            return line(blocks, threads);
        }
        Style::Positions | Style::Blocks | Style::Grid { .. } => {}
    }
    let extents = threads_along(size, rows);
    let extents = extents.as_slice();
    let chosen = match block {
        Some(block) => {
            let mut chosen = SmallVec::new(1);
            block.iter().for_each(|&n| chosen.push(n.max(1) as u32));
            chosen
        }
        None => usual_block(kernel, rows, size, device, handle),
    };
    let (mut grid, mut threads) = ([1u32; 3], [1u32; 3]);
    let rank = size.len();
    for (axis, (&n, &b)) in extents.iter().zip(chosen.as_slice()).enumerate() {
        let k = (rank - 1 - axis).min(2);
        if k == 2 && rank > 3 && b != 1 {
            return None;
        }
        let blocks = u32::try_from(n.div_ceil(b as usize)).ok()?;
        let (along, inside) = (grid.get_mut(k)?, threads.get_mut(k)?);
        *along = along.checked_mul(blocks)?;
        *inside *= b;
    }
    let shared =
        if kernel.form.dynamic_shared { free_shared(limits, handle.facts().shared_bytes) } else { 0 };
    let config = LaunchConfig::new(grid, threads).with_shared(shared);
    let blocks = matches!(kernel.form.style, Style::Blocks | Style::Grid { .. });
    if blocks && !kernel.form.results.is_empty() && threads.iter().product::<u32>() > results::MOST_THREADS {
        return None;
    }
    if let Style::Grid { walks } = kernel.form.style {
        return together(config, walks, |config| device.resident_blocks(handle, config));
    }
    let config = LaunchConfig { grid: folded(grid, rank, limits), ..config };
    let fits = config.grid.iter().zip(limits.max_grid).all(|(&n, most)| n <= most);
    fits.then_some(config)
}

/// A grid that is longer than the device allows along y, or for the leading ones of four and more components along z, goes on along the
/// other of them, as the texts of kernels know.
fn folded([x, y, z]: [u32; 3], rank: usize, limits: &Limits) -> [u32; 3] {
    let [_, most_y, most_z] = limits.max_grid.map(|most| most.max(1));
    match rank {
        2 if y > most_y => {
            let layers = y.div_ceil(most_y);
            [x, y.div_ceil(layers), layers]
        }
        4.. if z > most_z => {
            // As many layers as it takes have all leading positions.
            let (leading, z) = (z, z.div_ceil(z.div_ceil(most_z)));
            [x, y.saturating_mul(leading.div_ceil(z)), z]
        }
        _ => [x, y, z],
    }
}

/// The maximum number of threads in a block of a kernel.
pub(super) fn most_threads(handle: &KernelHandle, limits: &Limits) -> u32 {
    handle.facts().max_threads.min(limits.max_threads)
}

/// The dynamic shared memory available to a block besides the static part `taken`, capped at a size that every device
/// offers, so that programs behave the same everywhere. Some drivers align both parts.
pub(super) fn free_shared(limits: &Limits, taken: u32) -> u32 {
    limits.shared_bytes.min(SHARED_MEMORY as u32).saturating_sub(taken) / SHARED_STEP * SHARED_STEP
}

/// The default block of a launch. One-dimensional blocks lie along the last dimension.
pub(super) fn usual_block(
    kernel: &DeviceKernel,
    rows: u32,
    size: &[i32],
    device: &dyn Device,
    handle: &KernelHandle,
) -> SmallVec<u32, 16> {
    let limits = device.limits();
    let most = most_threads(handle, limits);
    let extents = threads_along(size, rows);
    let extents = extents.as_slice();
    let mut chosen = SmallVec::new(1);
    match kernel.form.style {
        Style::Walk { threads, .. }
        | Style::Team { threads, .. }
        | Style::BlockEach { threads, .. }
        | Style::BlockTiles { threads, .. } => in_line(size.len(), threads, &mut chosen),
        Style::Strips { threads, .. } if size.len() == 1 => in_line(1, threads, &mut chosen),
        Style::Blocks | Style::Grid { .. } => {
            let block = default_block(extents);
            let block = if block.iter().product::<usize>() > most as usize {
                let allowed = BlockLimits {
                    rank: size.len(),
                    threads: most as usize,
                    extents: limits.max_block.map(|n| n as usize),
                    bytes: 0,
                    shared: &[],
                };
                largest_block(&block, &[allowed])
            } else {
                block
            };
            block.iter().for_each(|&n| chosen.push(n.max(1) as u32));
        }
        Style::Positions | Style::Strips { .. } => {
            let most = most.min(if rows > 1 { STRIP_BLOCK } else { BLOCK });
            let most = spread(extents, most, limits);
            free_block(extents, most, limits, &mut chosen);
        }
    }
    chosen
}

fn in_line(rank: usize, threads: u32, block: &mut SmallVec<u32, 16>) {
    (1..rank).for_each(|_| block.push(1));
    block.push(threads);
}

/// The grid of a cooperative launch, whose blocks must be co-resident: one block for each block of the launch, or as
/// many as fit if a block may visit several. `None` if too few fit.
fn together(
    config: LaunchConfig,
    walks: bool,
    resident: impl FnOnce(&LaunchConfig) -> u32,
) -> Option<LaunchConfig> {
    let blocks = config.grid.iter().try_fold(1u32, |n, &along| n.checked_mul(along))?;
    let most = resident(&config);
    let blocks = if walks { blocks.min(most) } else { blocks };
    (blocks <= most && most > 0).then(|| LaunchConfig { grid: [blocks, 1, 1], ..config }.cooperative())
}

/// The extents of a slice of the launch along the first dimension.
pub(super) fn part(size: &[i32], rows: &Range<i32>) -> SmallVec<i32, 16> {
    let mut part = SmallVec::new(0);
    size.iter().enumerate().for_each(|(k, &n)| part.push(if k == 0 { rows.end - rows.start } else { n }));
    part
}

/// The number of positions of a launch.
fn positions(size: &[i32]) -> u64 {
    size.iter().fold(1u64, |n, &d| n.saturating_mul(d.max(0) as u64))
}

/// Whether a launch has so few positions that whole blocks should work at each (split reduction), which share so many iterations.
///
/// A thread for each position leaves processors waiting for memory until they have several warps each. A block for each is
/// faster up to there, if its threads have enough iterations to pay for combining what they found.
pub(super) fn is_for_split_reduction(size: &[i32], iterations: Option<i64>, limits: &Limits) -> bool {
    let iterations = iterations.and_then(|n| u64::try_from(n).ok()).unwrap_or(0);
    let each = (iterations / SPLIT_ITERATIONS).clamp(FEW_POSITIONS, MOST_SPLIT_POSITIONS);
    positions(size) <= each * u64::from(limits.multiprocessors.max(1))
}

/// Positions for each multiprocessor up to which a loop is split, however many iterations it has.
const FEW_POSITIONS: u64 = 2;
/// As `FEW_POSITIONS`, for loops that are long.
const MOST_SPLIT_POSITIONS: u64 = 128;
/// Iterations that a loop must have for each of the positions of a multiprocessor.
const SPLIT_ITERATIONS: u64 = 2;

/// Whether a block of threads works at each position of a launch, which shares so many iterations.
///
/// Along rows, threads of one position are neighbours in memory, and those of neighbouring positions are a row apart: blocks are the
/// better way for all but short rows. Otherwise they are for few positions.
pub(super) fn is_for_blocks(style: Style, size: &[i32], iterations: Option<i64>, limits: &Limits) -> bool {
    let Style::BlockEach { along_rows, .. } = style else { return false };
    let fits = positions(size) <= u64::from(limits.max_grid[0]);
    let rows = along_rows && iterations.is_some_and(|n| n >= ROW_ITERATIONS);
    fits && (rows || is_for_split_reduction(size, iterations, limits))
}

/// The tiles of a launch whose blocks have one each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tiles {
    count: u64,
    /// Positions that all of them have room for.
    room: u64,
}

impl Tiles {
    fn of(style: Style, size: &[i32]) -> Option<Tiles> {
        let Style::BlockTiles { rows, columns, side, .. } = style else { return None };
        let (mut of_rows, mut of_columns, mut others) = (1u64, 1u64, 1u64);
        for (axis, &n) in size.iter().enumerate() {
            let product = match 1u32 << axis {
                bit if rows & bit != 0 => &mut of_rows,
                bit if columns & bit != 0 => &mut of_columns,
                _ => &mut others,
            };
            *product = product.saturating_mul(n.max(0) as u64);
        }
        let fits = [of_rows, of_columns, others].iter().all(|n| *n <= i32::MAX as u64);
        let side = u64::from(side);
        let count = of_rows.div_ceil(side).checked_mul(of_columns.div_ceil(side))?.checked_mul(others)?;
        fits.then_some(Tiles { count, room: count.saturating_mul(side * side) })
    }
}

/// Whether a block of threads has a tile of a launch with so many iterations: where tiles are half full at least, and there are
/// iterations to stage. That is the fastest version from the smallest launches on (64x64 positions with 64 iterations), unless a single
/// block would go through long loops, which several can share.
pub(super) fn is_for_tiles(style: Style, size: &[i32], iterations: Option<i64>) -> bool {
    let (Some(Tiles { count, room }), Some(iterations)) = (Tiles::of(style, size), iterations) else {
        return false;
    };
    let enough = (TILE_ITERATIONS..=MOST_TILE_ITERATIONS).contains(&iterations);
    let alone = count < 2 && iterations > MOST_ALONE;
    enough && !alone && positions(size) * 2 >= room
}

/// Iterations from which staging pays off, and those that a tile can count.
const TILE_ITERATIONS: i64 = 16;
const MOST_TILE_ITERATIONS: i64 = 1 << 30;
/// Iterations that a single block goes through as fast as several that combine what they have.
const MOST_ALONE: i64 = 512;

/// Iterations along a row from which a block shares them: most threads of a warp have one.
const ROW_ITERATIONS: i64 = 24;

/// Threads of a block that shares so many iterations: with a few each, several loads are in flight, and few threads wait for others
/// where they combine results.
fn threads_for(iterations: Option<i64>, most: u32) -> u32 {
    let wanted = iterations.map_or(most, |n| u32::try_from(n / ITERATIONS_EACH).unwrap_or(most).min(most));
    let wanted = wanted.max(WARP).next_power_of_two();
    // A power of two that is no more than the device has.
    let most = if most.is_power_of_two() { most } else { most.next_power_of_two() / 2 };
    wanted.min(most).max(1)
}

/// Threads of the smallest block.
const WARP: u32 = 32;
/// Iterations for each thread of a block.
const ITERATIONS_EACH: i64 = 4;

/// Blocks of each position that so many iterations are worth. Waiting for each other takes blocks as long as some thousand of
/// them.
fn team_blocks(iterations: Option<i64>) -> u32 {
    iterations.map_or(1, |n| u32::try_from(n / TEAM_ITERATIONS).unwrap_or(u32::MAX))
}

/// Iterations for each block of a team.
const TEAM_ITERATIONS: i64 = 8192;

/// Number of blocks that share the iterations of a reduction loop at one position: enough to fill half of the resident
/// threads. Blocks without iterations exit at once.
pub(super) fn split_blocks(style: Style, size: &[i32], limits: &Limits) -> u32 {
    let Style::Team { threads, counters, .. } = style else { return 1 };
    let groups = groups(style, size).max(1);
    if groups > u64::from(counters) {
        return 1;
    }
    let resident = match limits.threads_per_multiprocessor {
        0 => BLOCKS_AT_ONCE,
        most => (most / (2 * threads.max(1))).max(1),
    };
    let blocks = u64::from(limits.multiprocessors.max(1)) * u64::from(resident);
    u32::try_from(blocks / groups).unwrap_or(1).max(1)
}

/// The blocks that a launch has for each of its positions, or of the groups of them that blocks have.
pub(super) fn blocks_each(style: Style, config: &LaunchConfig, size: &[i32]) -> u32 {
    u32::try_from(u64::from(config.grid[0]) / groups(style, size).max(1)).unwrap_or(1).max(1)
}

/// The positions of a launch, or the groups of them that blocks have.
fn groups(style: Style, size: &[i32]) -> u64 {
    match style {
        Style::Team { .. } => positions(size).div_ceil(u64::from(columns_each(style, size))),
        _ => positions(size),
    }
}

/// The positions of a block: a power of two that is enough for a row of them.
pub(super) fn columns_each(style: Style, size: &[i32]) -> u32 {
    let Style::Team { columns, .. } = style else { return 1 };
    let row = size.last().map_or(1, |n| n.unsigned_abs().max(1));
    row.min(columns.max(1)).next_power_of_two().min(columns.max(1))
}

/// Bytes of scratch memory that the blocks of a launch share, of which each position has so many.
pub(super) fn scratch_bytes(style: Style, blocks: u32, each: u32) -> usize {
    let (counters, values) = match style {
        Style::Team { values, counters, .. } => (counters, values),
        // Places for partial results take turns.
        Style::BlockEach { values, counters, .. } => (counters, if each > 1 { 2 * values } else { 0 }),
        _ => return 0,
    };
    counters as usize * 4 + blocks as usize * values as usize * 8
}

/// The size of the heap for allocations in a launch, in words of 32 KB (one bitmap word of pages): the setting, or less
/// for few positions.
pub(super) fn heap_words(size: &[i32]) -> u32 {
    let most = context::settings().number(settings::DKM_HEAP_SIZE);
    let most = most.saturating_mul((1 << 20) / heap::BYTES as u64).clamp(1, MOST_HEAP_WORDS);
    let wanted = positions(size).saturating_mul(HEAP_WORDS_EACH).checked_next_power_of_two().unwrap_or(most);
    u32::try_from(wanted.clamp(1, most)).unwrap_or(1)
}

/// Heap words per position, if available: room for this many arrays of the largest size.
const HEAP_WORDS_EACH: u64 = 32;

/// Page numbers have 32 bits.
const MOST_HEAP_WORDS: u64 = 1 << 26;

/// Bytes of scratch memory for the partial reductions of blocks, behind the counters.
pub(super) fn combining_bytes(blocks: u32, count: usize) -> usize {
    COUNTER_BYTES + blocks as usize * count * results::BYTES
}

/// The positions of each thread under register tiling, along the dimension before the last: several only if the threads still fill
/// all multiprocessors.
pub(super) fn tile_rows(style: Style, size: &[i32], limits: &Limits) -> u32 {
    let Style::Strips { rows, .. } = style else { return 1 };
    let processors = u64::from(limits.multiprocessors.max(1));
    let fills = positions(size) / u64::from(rows) >= processors * u64::from(STRIP_BLOCK);
    if fills { rows } else { 1 }
}

/// The threads of a launch in each dimension, which have so many positions along the one before the last.
fn threads_along(size: &[i32], rows: u32) -> SmallVec<usize, 16> {
    let mut extents = SmallVec::new(1);
    for (axis, &n) in size.iter().enumerate() {
        let each = if size.len() - axis == 2 { rows } else { 1 };
        extents.push((n.max(0) as usize).div_ceil(each as usize));
    }
    extents
}

/// The number of blocks of a grid-stride loop.
fn grid_stride_blocks(style: Style, size: &[i32], limits: &Limits) -> Option<u32> {
    let Style::Walk { threads, together, gather } = style else { return None };
    let needed = positions(size).div_ceil(u64::from(threads) * u64::from(together)).max(1);
    let processors = u64::from(limits.multiprocessors.max(1));
    let blocks = if gather {
        needed.min(4 * processors)
    } else if needed > 32 * processors {
        // Two iterations per thread keep two loads in flight; with less work, load balance matters more.
        needed.div_ceil(2)
    } else {
        needed
    };
    u32::try_from(blocks).ok().filter(|n| *n <= limits.max_grid[0])
}

/// Private copies of a block's tables, each for some of its warps, as long as they are small.
const COPIES: u64 = 8;
const SMALL: u64 = 24 << 10;

/// Shared memory for all tables of a block in bytes; 0 if a single copy does not fit.
fn table_bytes(kernel: &DeviceKernel, args: &[Arg<'_>], most: u32) -> u32 {
    let count = |at: usize| match args.get(at) {
        Some(Arg::Read(array) | Arg::Write(array)) => array.dims().iter().product::<usize>() as u64,
        _ => 0,
    };
    let bytes =
        |(at, size): &(usize, usize)| count(*at).saturating_mul(*size as u64).div_ceil(16).saturating_mul(16);
    let one = kernel.form.tables.iter().map(bytes).fold(0, u64::saturating_add);
    if one == 0 || one > u64::from(most) {
        return 0;
    }
    (one * (SMALL / one).clamp(1, COPIES)).min(u64::from(most) / one * one) as u32
}

/// Blocks per multiprocessor if its thread capacity is unknown.
const BLOCKS_AT_ONCE: u32 = 4;

/// Threads of a block whose shape does not matter to the kernel; the second for register tiling.
const BLOCK: u32 = 256;
const STRIP_BLOCK: u32 = 128;

/// The threads of a block of at most `most`, so that each multiprocessor has a block where there are warps enough: long loops of few
/// positions wait for memory, which one multiprocessor alone cannot ask for fast enough.
fn spread(extents: &[usize], most: u32, limits: &Limits) -> u32 {
    let positions = extents.iter().fold(1, |all: usize, n| all.saturating_mul(*n));
    let each = positions / limits.multiprocessors.max(1) as usize;
    let each = u32::try_from(each).unwrap_or(most).max(1);
    (1 << each.ilog2()).max(WARP).min(most)
}

/// A block of at most `most` threads, long along the last dimension. Along the third dimension from the end, which is short in grids, it
/// is as long as it must be there.
fn free_block(extents: &[usize], most: u32, limits: &Limits, block: &mut SmallVec<u32, 16>) {
    let threads = most.max(1);
    let rank = extents.len();
    let last = extents.last().copied().unwrap_or(1);
    let width = if rank == 1 { threads } else { (last.next_power_of_two() as u32).clamp(1, 32.min(threads)) };
    let deep = match extents {
        [first, _, _] => first.div_ceil(limits.max_grid[2].max(1) as usize).next_power_of_two(),
        _ => 1,
    };
    let deep = (deep as u32).min(limits.max_block[2].max(1)).min(threads);
    let width = width.min((threads / deep).max(1));
    for axis in 0..rank {
        block.push(match rank - 1 - axis {
            0 => width,
            1 => (threads / deep / width).max(1),
            2 if rank == 3 => deep,
            _ => 1,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_loops_are_split_among_more_positions() {
        let limits = Limits { multiprocessors: 100, ..Limits::default() };
        let most = |iterations| {
            (1..1 << 20).take_while(|n| is_for_split_reduction(&[*n], iterations, &limits)).count()
        };
        assert_eq!(most(None), 200);
        assert_eq!([Some(-3), Some(0), Some(5)].map(most), [200; 3]);
        assert_eq!([Some(64), Some(256), Some(1 << 40)].map(most), [3200, 12800, 12800]);
        assert!(is_for_split_reduction(&[80, 40], Some(64), &limits));
        assert!(!is_for_split_reduction(&[81, 40], Some(64), &limits));
    }

    #[test]
    fn few_positions_are_spread_over_all_multiprocessors() {
        let limits = Limits { multiprocessors: 100, ..Limits::default() };
        let threads = |extents: &[usize]| spread(extents, 256, &limits);
        assert_eq!(
            [&[1][..], &[4096], &[100, 64], &[160, 160], &[1 << 20]].map(threads),
            [32, 32, 64, 256, 256]
        );
    }

    #[test]
    fn tiles_are_for_launches_that_fill_the_device() {
        let limits = Limits { multiprocessors: 4, max_threads: 1024, ..Limits::default() };
        let rows = |style, size: &[i32]| tile_rows(style, size, &limits);
        let style = Style::Strips { rows: 8, threads: 128 };
        assert_eq!(rows(style, &[64, 64]), 8, "512 threads: 128 for each processor");
        assert_eq!(rows(style, &[3, 64, 64]), 8);
        assert_eq!(rows(style, &[63, 64]), 1);
        assert_eq!(rows(Style::Positions, &[4096, 4096]), 1);
        assert_eq!(threads_along(&[2, 9, 64], 8).as_slice(), [2, 2, 64]);
        assert_eq!(threads_along(&[64], 8).as_slice(), [64], "positions of one dimension are a block apart");
    }

    #[test]
    fn long_launches_fit_the_grid() {
        let (max_grid, max_block) = ([i32::MAX as u32, 65535, 65535], [1024, 1024, 64]);
        let limits = Limits { max_grid, max_block, ..Limits::default() };
        assert_eq!(folded([2, 65535, 1], 2, &limits), [2, 65535, 1]);
        let [x, y, z] = folded([2, 12_500_000, 1], 2, &limits);
        assert!(x == 2 && y <= 65535 && y * z >= 12_500_000 && z < 200, "{y} {z}");
        assert_eq!(folded([2, 8, 70000], 3, &limits), [2, 8, 70000]);
        assert_eq!(folded([2, 8, 65535], 4, &limits), [2, 8, 65535]);
        for (y, leading) in [(8, 70000), (3, 65536), (1, 12_500_000)] {
            let [x, rows, z] = folded([2, y, leading], 4, &limits);
            // What the text of a kernel computes of it.
            let layers = leading.div_ceil(z);
            assert!(x == 2 && z <= 65535 && rows <= 65535 && rows == y * layers, "{rows} {z}");
        }
        let block = |extents: &[usize]| {
            let mut block = SmallVec::new(1);
            free_block(extents, 256, &limits, &mut block);
            block.as_slice().to_vec()
        };
        assert_eq!(block(&[65535, 64, 64]), [1, 8, 32]);
        assert_eq!(block(&[1_000_000, 4, 4]), [16, 4, 4]);
        assert_eq!(block(&[4_000_000, 64, 64]), [64, 1, 4]);
        assert_eq!(block(&[70000, 70000]), [8, 32]);
    }

    #[test]
    fn tiles_of_blocks_are_half_full() {
        // Rows are the second component of a position, columns the third.
        let style = Style::BlockTiles { rows: 2, columns: 4, side: 64, threads: 256 };
        let count = |size: &[i32]| Tiles::of(style, size).map(|tiles| tiles.count);
        assert_eq!(count(&[3, 65, 64]), Some(6));
        assert_eq!(count(&[0, 65, 64]), Some(0));
        assert_eq!(count(&[1, i32::MAX, i32::MAX]), Some((1 << 25) * (1 << 25)));
        let is = |size: &[i32], iterations| is_for_tiles(style, size, iterations);
        assert!(is(&[1, 64, 64], Some(64)) && is(&[2, 32, 64], Some(4096)));
        assert!(!is(&[1, 64, 64], Some(1024)), "several blocks share the loop");
        assert!(!is(&[2, 31, 64], Some(64)) && !is(&[100, 20, 20], Some(64)), "most of a tile is outside");
        assert!(!is(&[2, 64, 64], Some(15)) && !is(&[2, 64, 64], None));
        assert!(!is_for_tiles(Style::Positions, &[64, 64], Some(64)));
    }

    #[test]
    fn blocks_that_wait_for_each_other_are_there_at_once() {
        let grid = |walks, most| {
            let config = LaunchConfig::new([6, 5, 2], [32, 4, 1]).with_shared(512);
            together(config, walks, |config| if config.shared_bytes == 512 { most } else { 0 })
        };
        let all = LaunchConfig::new([60, 1, 1], [32, 4, 1]).with_shared(512).cooperative();
        assert_eq!(grid(false, 60), Some(all));
        assert_eq!(grid(true, 100), Some(all));
        assert_eq!(grid(false, 59), None);
        assert_eq!(grid(true, 59), Some(LaunchConfig { grid: [59, 1, 1], ..all }));
        assert_eq!(grid(true, 0), None, "the device does not know");
    }
}
