//! Multi-device launches (`multi_parallel_do`): each device executes a slice of the first dimension. Arrays that are
//! only read are copied to all devices; of a written array each device owns the same slice, which stays there until it
//! is needed elsewhere.

use super::{
    Arg, DeviceArray, DeviceKernel, Found, Held, Launch, Style, Target, affinity, compile, grid, here,
    nan_check, offload, placement, read_small, refused, wanted_small, worthwhile,
};
use crate::array::coherence::Access;
use crate::array::{Hold, hold_list};
use crate::context;
use crate::device::{Device, KernelHandle, LaunchConfig, select};
use crate::error::{Error, Result};
use crate::kernel::deferred_errors;
use quasar_devicelib::kernel::default_block;
use std::ops::Range;
use std::sync::Arc;

/// The slice of one device.
struct DeviceSlice {
    device: Arc<dyn Device>,
    /// Its range of the first dimension.
    rows: Range<i32>,
    handle: &'static KernelHandle,
    config: LaunchConfig,
}

/// Runs a kernel on all identical devices, if its positions can be divided; otherwise like [`offload`].
pub fn offload_to_all(
    kernel: &'static DeviceKernel,
    size: &[i32],
    block: Option<&[i32]>,
    args: &[Arg<'_>],
    place: (&'static str, &'static str),
) -> Result<Option<Found>> {
    let mut devices = if can_be_shared(kernel, size, args) { alike(affinity::all()) } else { Vec::new() };
    devices.retain(|device| kernel.form.target.includes(&**device));
    let rows = parts(kernel, size, block, devices.len());
    let (Some(first), [_, _, ..]) = (devices.first(), rows.as_slice()) else {
        return offload(kernel, size, block, args, place);
    };
    let asked_for = affinity::is_asked_for();
    let cost = u64::from(kernel.form.cost.max(1));
    let work = size.iter().fold(cost, |n, &d| n.saturating_mul(d.max(0) as u64));
    let anywhere = kernel.form.target == Target::Any;
    if !asked_for && anywhere && !worthwhile(kernel, work, args, &**first) {
        return here();
    }
    if kernel.form.unbounded {
        deferred_errors::settle()?;
    }
    // All devices are prepared before one begins, so that a failure can still fall back.
    let shares =
        devices.into_iter().zip(rows).map(|(device, rows)| share(kernel, size, block, args, device, rows));
    let shares = match shares.collect::<Result<Option<Vec<_>>>>() {
        Ok(Some(shares)) => shares,
        Ok(None) => return offload(kernel, size, block, args, place),
        Err(error) if !asked_for => {
            context::warn(error);
            return offload(kernel, size, block, args, place);
        }
        Err(error) => return Err(error),
    };
    for share in &shares {
        select::name(&share.device);
        share.device.counters().occupy(placement::time(work / shares.len() as u64, &*share.device));
    }
    let watches = nan_check::wanted(args);
    if watches.is_some() && shares.iter().any(|share| nan_check::prepare(&*share.device, args).is_err()) {
        return offload(kernel, size, block, args, place);
    }
    let mut begun = false;
    match (run(kernel, size, args, (place, watches.as_deref()), &shares, &mut begun), shares.first()) {
        (Ok(()), _) => Ok(Some(Found(Vec::new()))),
        // No device has started.
        (Err(error), Some(share)) if !begun => {
            refused(error, &*share.device, asked_for).and_then(|()| here())
        }
        (Err(error), _) => Err(error),
    }
}

/// Whether a launch can be divided: the compiler decided that for the kernel, and here each written array must have a
/// row for every position.
fn can_be_shared(kernel: &DeviceKernel, size: &[i32], args: &[Arg<'_>]) -> bool {
    let rows = size.first().map_or(0, |&n| n.max(0) as usize);
    let has_rows = |(array, access): (&dyn DeviceArray, Access)| {
        let dims = array.dims();
        access == Access::Read || !dims.contains(&0) && dims.first().is_some_and(|&n| n >= rows)
    };
    kernel.form.divisible
        && kernel.form.takes(size, args)
        && size.iter().all(|&n| n > 0)
        && args.iter().filter_map(Arg::array).all(has_rows)
}

/// The devices identical to the first one.
fn alike(devices: Vec<Arc<dyn Device>>) -> Vec<Arc<dyn Device>> {
    let Some(first) = devices.first().cloned() else { return devices };
    let kind = |device: &Arc<dyn Device>| {
        let limits = device.limits();
        (device.dialect(), limits.architecture.clone(), limits.multiprocessors)
    };
    let like_first = kind(&first);
    devices.into_iter().filter(|device| device.dialect().is_some() && kind(device) == like_first).collect()
}

/// The block shape of a launch whose kernel depends on it.
fn blocks(kernel: &DeviceKernel, size: &[i32], block: Option<&[i32]>) -> Option<Vec<i32>> {
    match (block, kernel.form.style) {
        (Some(block), _) => Some(block.to_vec()),
        (None, Style::Blocks) => {
            let extents: Vec<usize> = size.iter().map(|&n| n.max(0) as usize).collect();
            Some(default_block(&extents).iter().map(|&n| i32::try_from(n).unwrap_or(i32::MAX)).collect())
        }
        (None, _) => None,
    }
}

/// Number of adjacent rows that should not be separated: those of a block, a register tile, or a vector.
fn unit(kernel: &DeviceKernel, size: &[i32], block: Option<&[i32]>) -> i32 {
    match (blocks(kernel, size, block).as_deref(), kernel.form.style) {
        (Some([rows, ..]), _) => (*rows).max(1),
        (_, Style::Strips { rows, threads }) if size.len() == 1 => i32::try_from(rows * threads).unwrap_or(1),
        (_, Style::Strips { rows, .. }) => i32::try_from(rows).unwrap_or(1),
        (_, Style::Walk { together, .. }) => i32::try_from(together).unwrap_or(1),
        _ => 1,
    }
}

/// The ranges of the first dimension, for as many devices as have work. Register tiles and vectors are only split if
/// there are few.
fn parts(kernel: &DeviceKernel, size: &[i32], block: Option<&[i32]>, devices: usize) -> Vec<Range<i32>> {
    let (count, unit) =
        (size.first().map_or(0, |&n| i64::from(n.max(0))), i64::from(unit(kernel, size, block)));
    let cut = blocks(kernel, size, block).is_none() && count < unit * devices as i64;
    let unit = if cut { 1 } else { unit };
    let units = (count + unit - 1) / unit;
    let devices = units.min(devices as i64);
    let start = |k: i64| i32::try_from((units * k / devices * unit).min(count)).unwrap_or(i32::MAX);
    (0..devices).map(|k| start(k)..start(k + 1)).collect()
}

/// Prepares the slice of a device. `None` if it has no grid of this size.
fn share(
    kernel: &'static DeviceKernel,
    size: &[i32],
    block: Option<&[i32]>,
    args: &[Arg<'_>],
    device: Arc<dyn Device>,
    rows: Range<i32>,
) -> Result<Option<DeviceSlice>> {
    let Some(dialect) = device.dialect() else { return Ok(None) };
    let handle = kernel.compiled.get(&*device, &|| compile(kernel, &*device, dialect))?;
    let part = grid::part(size, &rows);
    let block = blocks(kernel, size, block);
    let config = grid::configuration(kernel, part.as_slice(), block.as_deref(), args, &*device, handle);
    Ok(config.map(|config| DeviceSlice { device, rows, handle, config }))
}

/// Submits all slices. `begun` reports whether one was submitted; `watches` is as in `Launch`.
fn run(
    kernel: &'static DeviceKernel,
    size: &[i32],
    args: &[Arg<'_>],
    (place, watches): ((&'static str, &'static str), Option<&[bool]>),
    shares: &[DeviceSlice],
    begun: &mut bool,
) -> Result<()> {
    // All accesses are acquired at once; those that only read stay held until the last slice is submitted.
    let arrays: Vec<_> = args.iter().filter_map(Arg::array).collect();
    let wanted = arrays.iter().map(|(array, access)| array.wanted(*access));
    let wanted: Vec<_> = wanted.chain(wanted_small(args)).collect();
    let mut holds = hold_list(&wanted)?;
    let small = read_small(args, holds.split_off(arrays.len()))?;
    let (mut written, mut read) = (Vec::new(), Vec::new());
    for ((array, access), held) in arrays.into_iter().zip(holds) {
        match access {
            Access::Read => read.push(held),
            _ => {
                let parts = bytes(array, shares);
                written.push((array.on_devices(&parts, held)?, parts));
            }
        }
    }
    for (k, share) in shares.iter().enumerate() {
        let (device, config) = (&share.device, share.config);
        let launch = Launch { kernel, device, handle: share.handle, config, place, watches };
        let (mut parts, mut read) = (written.iter(), read.iter());
        let held = args.iter().filter_map(Arg::array).map(|(array, access)| match access {
            Access::Read => {
                let again = read.next().map(Hold::again);
                let again = again.unwrap_or_else(|| Err(Error::system("an array that is not held")));
                launch.hold(array, access, again?)
            }
            _ => {
                let part = parts.next().and_then(|(array, parts)| {
                    Some(Held::Part(array.memories().get(k)?, parts.get(k)?.1.clone()))
                });
                part.ok_or_else(|| Error::system("no memory for a part of an array"))
            }
        });
        launch.start(size, &share.rows, args, (held.collect::<Result<Vec<_>>>()?, small.clone()))?;
        *begun = true;
    }
    drop((written, read));
    if context::is_one_at_a_time() {
        deferred_errors::settle()?;
        shares.iter().try_for_each(|share| share.device.synchronize())?;
    }
    Ok(())
}

/// The byte range of an array on each device: its rows; the last device also owns the rows without positions.
fn bytes(array: &dyn DeviceArray, shares: &[DeviceSlice]) -> Vec<(Arc<dyn Device>, Range<usize>)> {
    let row = array.dims().iter().skip(1).fold(array.element_type().size(), |n, &d| n * d);
    let all = array.dims().first().map_or(0, |rows| rows * row);
    let part = |(k, share): (usize, &DeviceSlice)| {
        let end = if k + 1 == shares.len() { all } else { share.rows.end as usize * row };
        (Arc::clone(&share.device), share.rows.start as usize * row..end)
    };
    shares.iter().enumerate().map(part).collect()
}
