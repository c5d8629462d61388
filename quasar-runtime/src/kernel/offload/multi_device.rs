//! Multi-device launches (`multi_parallel_do`): each device executes a slice of the first dimension. Of an array that is
//! only read, each device gets the rows that its slice reads, or all where the compiler does not know them; of a written
//! array each device owns the same slice, which stays there until it is needed elsewhere. Sums are combined in the order of
//! the devices.

use super::row_footprint::bytes_read;
use super::{
    Arg, DeviceArray, DeviceKernel, Found, Held, Launch, Small, Style, Target, accumulated, affinity,
    compile, grid, here, nan_check, offload_rows, placement, read_small, refused, wanted_small, worthwhile,
};
use crate::array::coherence::Access;
use crate::array::{DeviceGuard, Hold, PartsGuard, Scratch, hold_list};
use crate::context;
use crate::device::{Device, KernelHandle, LaunchConfig, select};
use crate::error::{Error, Result};
use crate::kernel::deferred_errors;
use quasar_devicelib::element::Scalar;
use quasar_devicelib::kernel::default_block;
use quasar_devicelib::ops;
use std::ops::Range;
use std::sync::Arc;

/// The slice of one device.
struct DeviceSlice {
    device: Arc<dyn Device>,
    /// Its range of the first dimension.
    rows: Range<i32>,
    handle: &'static KernelHandle,
    config: LaunchConfig,
    tile_rows: u32,
}

/// Runs a kernel on all identical devices, if its positions can be divided; otherwise as for one device.
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
        return offload_rows(kernel, size, block, args, place, None);
    };
    let asked_for = affinity::is_asked_for();
    let work = kernel.work(size, args);
    let anywhere = kernel.form.target == Target::Any;
    let overwrites = |k: usize, array: &dyn DeviceArray| kernel.overwrites(k, array, size);
    if !asked_for && anywhere && !worthwhile(kernel, work, args, &overwrites, &**first) {
        return here();
    }
    if kernel.form.unbounded {
        deferred_errors::settle()?;
    }
    let kernel = kernel.in_tiles(size, args).unwrap_or(kernel);
    // All devices are prepared before one begins, so that a failure can still fall back.
    let shares =
        devices.into_iter().zip(rows).map(|(device, rows)| share(kernel, size, block, args, device, rows));
    let shares = match shares.collect::<Result<Option<Vec<_>>>>() {
        Ok(Some(shares)) => shares,
        Ok(None) => return offload_rows(kernel, size, block, args, place, None),
        Err(error) if !asked_for => {
            context::warn(error);
            return offload_rows(kernel, size, block, args, place, None);
        }
        Err(error) => return Err(error),
    };
    for share in &shares {
        select::name(&share.device);
        share.device.counters().occupy(placement::time(work / shares.len() as u64, &*share.device));
    }
    let watches = nan_check::wanted(args);
    // Who added a NaN to a sum of several devices is not known.
    let unknown = || !kernel.form.accumulated.is_empty();
    if watches.is_some()
        && (unknown() || shares.iter().any(|share| nan_check::prepare(&*share.device, args).is_err()))
    {
        return offload_rows(kernel, size, block, args, place, None);
    }
    let mut begun = false;
    match (run(kernel, size, args, (place, watches.as_deref()), &shares, &mut begun), shares.first()) {
        (Ok(found), _) => Ok(Some(Found(found))),
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
    let is_sum = |k: &usize| kernel.form.accumulated.contains(k);
    let has_rows = |(k, array, access): (usize, &dyn DeviceArray, Access)| {
        let dims = array.dims();
        let enough = is_sum(&k) || dims.first().is_some_and(|&n| n >= rows);
        access == Access::Read || !dims.contains(&0) && enough
    };
    let arrays =
        args.iter().enumerate().filter_map(|(k, arg)| arg.array().map(|(array, access)| (k, array, access)));
    kernel.form.divisible && kernel.form.takes(size, args) && size.iter().all(|&n| n > 0) && { arrays }
        .all(has_rows)
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
        (_, Style::Strips { rows, threads, .. }) if size.len() == 1 => {
            i32::try_from(rows * threads).unwrap_or(1)
        }
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
    let (part, block) = (part.as_slice(), block.as_deref());
    let tile_rows = grid::tile_rows(kernel.form.style, part, device.limits());
    let config = grid::configuration(kernel, tile_rows, part, block, args, &*device, handle);
    Ok(config.map(|config| DeviceSlice { device, rows, handle, config, tile_rows }))
}

/// An array argument on all devices of a launch.
enum Divided<'a> {
    /// It is only read.
    Read(&'a dyn DeviceArray, Hold<'a>),
    /// Each device has its rows.
    Rows(PartsGuard<'a>, Vec<Range<usize>>),
    /// All devices add to it: the first one to the array, each other to zeros of its own, which are added at the end.
    Sums { array: &'a dyn DeviceArray, sums: DeviceGuard<'a>, others: Vec<Scratch<'a>>, room: Scratch<'a> },
}

impl<'a> Divided<'a> {
    fn sums(array: &'a dyn DeviceArray, shares: &'a [DeviceSlice], held: Hold<'a>) -> Result<Divided<'a>> {
        let Some((first, others)) = shares.split_first() else { return Err(absent()) };
        accumulated::prepare(array, &*first.device)?;
        let sums = array.on_device(&first.device, Access::Write, held)?;
        let zeros = others.iter().map(|share| accumulated::zeros(array, &share.device));
        let others = zeros.collect::<Result<Vec<_>>>()?;
        Ok(Divided::Sums { array, sums, others, room: accumulated::room(array, &first.device)? })
    }

    /// The array for a device; what it reads is brought there.
    fn for_device(
        &'a self,
        launch: &Launch<'a>,
        k: usize,
        read: impl FnOnce(&dyn DeviceArray) -> Option<Vec<Range<usize>>>,
    ) -> Result<Held<'a>> {
        match self {
            Divided::Read(array, hold) => match read(*array) {
                Some(bytes) if !array.dims().contains(&0) => {
                    array.on_device_parts(launch.device, &bytes, hold.again()?).map(Held::Array)
                }
                _ => launch.hold(*array, Access::Read, hold.again()?),
            },
            Divided::Rows(guard, parts) => {
                let part = guard.memories().get(k).zip(parts.get(k));
                part.map(|(memory, part)| Held::Part(memory, part.clone())).ok_or_else(absent)
            }
            Divided::Sums { sums, others, .. } => {
                let own = k.checked_sub(1).map_or(Some(&**sums), |k| others.get(k).map(Scratch::memory));
                own.map(|memory| Held::Part(memory, 0..memory.bytes())).ok_or_else(absent)
            }
        }
    }

    /// Adds what the devices have added up, in their order.
    fn finish(&self, shares: &[DeviceSlice]) -> Result<()> {
        let Divided::Sums { array, sums, others, room } = self else { return Ok(()) };
        let Some((first, rest)) = shares.split_first() else { return Err(absent()) };
        for (share, part) in rest.iter().zip(others) {
            accumulated::add(*array, (&first.device, sums), (&share.device, part), room)?;
        }
        deferred_errors::submitted(&first.device);
        Ok(())
    }
}

fn absent() -> Error {
    Error::system("no memory for a part of an array")
}

/// Submits all slices, and combines their results in the order of the devices. `begun` reports whether one was submitted.
fn run(
    kernel: &'static DeviceKernel,
    size: &[i32],
    args: &[Arg<'_>],
    (place, watches): ((&'static str, &'static str), Option<&[bool]>),
    shares: &[DeviceSlice],
    begun: &mut bool,
) -> Result<Vec<Scalar>> {
    let launches = shares.iter().map(|DeviceSlice { device, handle, config, tile_rows, .. }| Launch {
        kernel,
        device,
        handle,
        config: *config,
        tile_rows: *tile_rows,
        place,
        watches,
    });
    let launches: Vec<Launch<'_>> = launches.collect();
    let (divided, small) = divide(kernel, size, args, &launches, shares)?;
    // Everything is brought before the first device begins: what one lends comes from before its launch.
    let mut held = Vec::with_capacity(shares.len());
    for (k, (launch, share)) in launches.iter().zip(shares).enumerate() {
        let arrays = args.iter().enumerate().filter(|(_, arg)| arg.array().is_some());
        let own = arrays.zip(&divided).map(|((place, _), divided)| {
            let ranges = kernel.form.reads.iter().find(|(array, _)| *array == place).map(|(_, rows)| *rows);
            divided.for_device(launch, k, |array| bytes_read(ranges, array, size, args, &share.rows))
        });
        held.push(own.collect::<Result<Vec<_>>>()?);
    }
    let mut partial = Vec::with_capacity(shares.len());
    for ((launch, share), held) in launches.iter().zip(shares).zip(held) {
        partial.push(launch.start(size, &share.rows, args, (held, small.clone()))?);
        *begun = true;
    }
    divided.iter().try_for_each(|divided| divided.finish(shares))?;
    drop(divided);
    if context::is_one_at_a_time() {
        deferred_errors::settle()?;
        shares.iter().try_for_each(|share| share.device.synchronize())?;
    }
    let found = kernel.form.results.iter().map(|(ty, row)| ops::neutral(row, *ty)).collect();
    if kernel.form.results.is_empty() {
        return Ok(found);
    }
    launches
        .iter()
        .zip(partial)
        .try_fold(found, |found, (launch, partial)| launch.collect(partial, found).map(|Found(found)| found))
}

/// Begins all accesses, and gives each device its part of what is written.
fn divide<'a>(
    kernel: &'static DeviceKernel,
    size: &[i32],
    args: &'a [Arg<'a>],
    launches: &[Launch<'a>],
    shares: &'a [DeviceSlice],
) -> Result<(Vec<Divided<'a>>, Small)> {
    let overwrites = |k: usize, array: &dyn DeviceArray| {
        launches.first().is_some_and(|launch| launch.overwrites(k, array, size))
    };
    let arrays = args.iter().enumerate().filter_map(|(k, arg)| Some((k, arg.array()?)));
    let arrays: Vec<_> = arrays
        .map(|(k, (array, access))| match access {
            Access::Write if overwrites(k, array) => (k, array, Access::Overwrite),
            _ => (k, array, access),
        })
        .collect();
    let wanted = arrays.iter().map(|(_, array, access)| array.wanted(*access));
    let wanted: Vec<_> = wanted.chain(wanted_small(args)).collect();
    let mut holds = hold_list(&wanted)?;
    let small = read_small(args, holds.split_off(arrays.len()))?;
    let divided = arrays.into_iter().zip(holds).map(|((k, array, access), held)| match access {
        Access::Read => Ok(Divided::Read(array, held)),
        _ if kernel.form.accumulated.contains(&k) => Divided::sums(array, shares, held),
        _ => {
            let parts = bytes(array, shares);
            let guard = array.on_devices(&parts, access, held)?;
            Ok(Divided::Rows(guard, parts.into_iter().map(|(_, part)| part).collect()))
        }
    });
    Ok((divided.collect::<Result<Vec<_>>>()?, small))
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
