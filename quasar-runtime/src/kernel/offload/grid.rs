//! How the positions of a launch are handed to blocks and threads.

use super::{DeviceKernel, Style};
use crate::device::few::Few;
use crate::device::{KernelHandle, LaunchConfig, Limits};
use quasar_devicelib::kernel::default_block;

/// Shared memory of run-time size is a multiple of this.
const SHARED_STEP: u32 = 256;

/// Grid and blocks. `None` where the device has no grid for this size.
pub(super) fn configuration(
    kernel: &DeviceKernel,
    size: &[i32],
    block: Option<&[i32]>,
    limits: &Limits,
    handle: &KernelHandle,
) -> Option<LaunchConfig> {
    if let Style::Reducing(threads) = kernel.form.style {
        let count = size.iter().fold(1u64, |n, &d| n.saturating_mul(d.max(0) as u64));
        let resident = u64::from(limits.multiprocessors.max(1)) * 8;
        let blocks = count.div_ceil(u64::from(threads)).clamp(1, resident);
        return Some(LaunchConfig::new([blocks as u32, 1, 1], [threads, 1, 1]));
    }
    let mut extents = Few::<usize, 16>::new(1);
    size.iter().for_each(|&n| extents.push(n.max(0) as usize));
    let extents = extents.as_slice();
    let mut chosen = Few::<u32, 16>::new(1);
    match block {
        Some(block) => block.iter().for_each(|&n| chosen.push(n.max(1) as u32)),
        None if kernel.form.style == Style::Blocks => {
            default_block(extents).iter().for_each(|&n| chosen.push(n.max(1) as u32));
        }
        None => free_block(extents, handle.facts().max_threads, &mut chosen),
    }
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
    let fits = grid.iter().zip(limits.max_grid).all(|(&n, most)| n <= most);
    let config = LaunchConfig::new(grid, threads);
    let shared = if kernel.form.dynamic_shared {
        // Some drivers align both parts.
        limits.shared_bytes.saturating_sub(handle.facts().shared_bytes) / SHARED_STEP * SHARED_STEP
    } else {
        0
    };
    fits.then(|| config.with_shared(shared))
}

/// Blocks of 256 threads, long along the last dimension.
fn free_block(extents: &[usize], most: u32, block: &mut Few<u32, 16>) {
    let threads = most.clamp(1, 256);
    let rank = extents.len();
    let last = extents.last().copied().unwrap_or(1);
    let width = if rank == 1 { threads } else { (last.next_power_of_two() as u32).clamp(1, 32.min(threads)) };
    for axis in 0..rank {
        block.push(match rank - 1 - axis {
            0 => width,
            1 => (threads / width).max(1),
            _ => 1,
        });
    }
}
