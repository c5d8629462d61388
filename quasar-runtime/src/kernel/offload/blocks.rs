//! The builtins `max_block_size` and `opt_block_size` for kernels that may run on a device: block limits, and the
//! default block of a launch.

use super::{DeviceKernel, Style, affinity, compile, grid};
use crate::device::{Device, KernelHandle, Limits, select};
use crate::error::{Error, Result};
use crate::kernel::deferred_errors;
use quasar_devicelib::device_text::results;
use quasar_devicelib::kernel::{
    BlockLimits, BlockNeeds, Term, asked_extents, largest_of, launch_extents, usual_of,
};
use quasar_devicelib::value::{ArrayBuf, Value, array};
use std::sync::Arc;

/// One version of a kernel in a query.
#[derive(Clone, Copy, Debug)]
pub struct BlockVersion {
    /// Its resource needs as computed by the compiler.
    pub needs: BlockNeeds<'static>,
    /// Its device form, if it has one.
    pub device: Option<&'static DeviceKernel>,
}

/// `max_block_size`: the largest block within the limits of the CPU and of all devices that may run a launch of any
/// version.
pub fn largest_block(versions: &[BlockVersion], requested: Option<&Value>) -> Result<Value> {
    let requested = extents("max_block_size", requested)?;
    let needs: Vec<BlockNeeds<'_>> = versions.iter().map(|version| version.needs).collect();
    let mut limits = Vec::new();
    for device in devices() {
        if versions.is_empty() {
            let rank = requested.as_ref().map_or(2, Vec::len);
            limits.push(of_device(device.limits(), rank, device.limits().max_threads, 0, &[]));
        }
        for version in versions {
            if let Some((kernel, handle)) = on_device(version, &*device)? {
                limits.push(of_kernel(kernel, &version.needs, &*device, handle));
            }
        }
    }
    Ok(ArrayBuf::ints(largest_of(&needs, requested, &limits)).into())
}

/// `opt_block_size`: the default block of a launch with these extents.
pub fn usual_block(versions: &[BlockVersion], dims: Option<&Value>) -> Result<Value> {
    let dims = extents("opt_block_size", dims)?;
    let needs: Vec<BlockNeeds<'_>> = versions.iter().map(|version| version.needs).collect();
    if let Some(device) = devices().first() {
        for version in versions.iter().filter(|version| version.needs.usual.is_none()) {
            if let Some((kernel, handle)) = on_device(version, &**device)? {
                let size = launch_extents(dims.as_deref(), version.needs.rank);
                let size: Vec<i32> = size.iter().map(|&n| i32::try_from(n).unwrap_or(i32::MAX)).collect();
                let kernel = kernel.chosen_for(&size, &[], &**device);
                let rows = grid::tile_rows(kernel.form.style, &size, device.limits());
                let block = grid::usual_block(kernel, rows, &size, &**device, handle);
                return Ok(ArrayBuf::ints(block.as_slice().iter().map(|&n| n as usize)).into());
            }
        }
    }
    Ok(ArrayBuf::ints(usual_of(&needs, dims.as_deref())).into())
}

/// Decodes extents passed by the program.
fn extents(name: &'static str, given: Option<&Value>) -> Result<Option<Vec<usize>>> {
    let Some(given) = given else { return Ok(None) };
    deferred_errors::settle()?;
    let numbers: Option<Vec<i64>> = match given {
        Value::Array(a) => array::read(&**a, |view| {
            (0..view.data.len()).map(|k| view.data.scalar(k).map(|x| x.as_i64())).collect()
        }),
        other => other.as_scalar().map(|x| vec![x.as_i64()]),
    };
    let numbers = numbers.ok_or_else(|| {
        Error::argument(format!("{name}: expected a number or a vec of extents, found {}", given.kind()))
    })?;
    asked_extents(name, &numbers).map(Some).map_err(Error::argument)
}

/// Devices that may run the next launches, the active one first.
fn devices() -> Vec<Arc<dyn Device>> {
    if !select::possible() {
        return Vec::new();
    }
    affinity::candidates()
}

/// The compiled form of a kernel on a device that may run it.
fn on_device(
    version: &BlockVersion,
    device: &dyn Device,
) -> Result<Option<(&'static DeviceKernel, &'static KernelHandle)>> {
    let (Some(kernel), Some(dialect)) = (version.device, device.dialect()) else { return Ok(None) };
    let waits = matches!(kernel.form.style, Style::Grid { .. });
    if !kernel.form.target.includes(device) || waits && !device.limits().cooperative {
        return Ok(None);
    }
    match kernel.compiled.get(device, &|| compile(kernel, device, dialect)) {
        Ok(handle) => Ok(Some((kernel, handle))),
        // Without an explicit device, its launches fall back to the CPU.
        Err(_) if !affinity::is_asked_for() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Block limits of a kernel on a device, the same as those of `LaunchConfig::check`.
fn of_kernel<'a>(
    kernel: &DeviceKernel,
    needs: &BlockNeeds<'a>,
    device: &dyn Device,
    handle: &KernelHandle,
) -> BlockLimits<'a> {
    let limits = device.limits();
    let mut threads = grid::most_threads(handle, limits);
    if matches!(kernel.form.style, Style::Blocks | Style::Grid { .. }) && !kernel.form.results.is_empty() {
        threads = threads.min(results::MOST_THREADS);
    }
    of_device(limits, needs.rank, threads, handle.facts().shared_bytes, needs.shared)
}

fn of_device<'a>(
    limits: &Limits,
    rank: usize,
    threads: u32,
    taken: u32,
    shared: &'a [Term],
) -> BlockLimits<'a> {
    BlockLimits {
        rank,
        threads: threads as usize,
        extents: limits.max_block.map(|n| n as usize),
        bytes: u64::from(grid::free_shared(limits, taken)),
        shared,
    }
}
