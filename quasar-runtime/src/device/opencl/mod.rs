//! Devices through OpenCL, whose loader library is loaded at device discovery.
//!
//! Layers: `api` (OpenCL functions and owned objects), `engine` (context, queue, memory, programs).

mod api;
mod engine;
mod sys;

use super::driver_device::{DeviceInfo, DriverDevice};
use super::select::Devices;
use super::{Device, DeviceOptions, Limits, Maker, Unavailable};
use crate::array::coherence::Place;
use crate::context;
use crate::settings::DEVICES_PER_KIND;
use api::DeviceId;
use engine::Engine;
use quasar_devicelib::device_text::CONSTANT_BYTES;
use std::sync::Arc;
use sys as properties;

/// The OpenCL devices of this machine with options from the settings: GPUs first, CPUs last.
pub fn probe() -> Devices {
    probe_with(&DeviceOptions::from_settings(&context::settings()))
}

/// The OpenCL devices of this machine: GPUs first, CPUs last.
pub fn probe_with(options: &DeviceOptions) -> Devices {
    let mut ids = DeviceId::all().map_err(|code| match code.is_absent() {
        true => Unavailable::new("there is no OpenCL driver (libOpenCL was not found, or knows no platform)"),
        false => Unavailable::new(format!("OpenCL reports {code}")),
    })?;
    ids.retain(|id| {
        id.number(properties::CL_DEVICE_AVAILABLE) != 0
            && id.number(properties::CL_DEVICE_COMPILER_AVAILABLE) != 0
    });
    ids.sort_by_key(|id| order(id.number(properties::CL_DEVICE_TYPE)));
    let devices: Vec<Arc<dyn Device>> = ids
        .into_iter()
        .zip(0..DEVICES_PER_KIND)
        .map(|(id, number)| Arc::new(device(id, number, options)) as Arc<dyn Device>)
        .collect();
    if devices.is_empty() {
        return Err(Unavailable::new("there is OpenCL, but no device with a compiler"));
    }
    Ok(devices)
}

fn order(kind: u64) -> u8 {
    match kind {
        kind if kind & properties::CL_DEVICE_TYPE_GPU != 0 => 0,
        kind if kind & properties::CL_DEVICE_TYPE_CPU != 0 => 2,
        _ => 1,
    }
}

/// An OpenCL device.
type OpenClDevice = DriverDevice<Engine>;

fn device(id: DeviceId, number: u8, options: &DeviceOptions) -> OpenClDevice {
    let about = DeviceInfo {
        name: format!("opencl:{number} {}", id.text(properties::CL_DEVICE_NAME)),
        // Numbered after the CUDA devices.
        place: Place::Linear(DEVICES_PER_KIND + number),
        maker: Maker::named(&id.text(properties::CL_DEVICE_VENDOR)),
        limits: limits(id),
        options: options.clone(),
    };
    DriverDevice::new((id, number), about)
}

fn limits(id: DeviceId) -> Limits {
    let number = |property| u32::try_from(id.number(property)).unwrap_or(u32::MAX);
    let size = |property| usize::try_from(id.number(property)).unwrap_or(usize::MAX);
    let sizes = id.sizes(properties::CL_DEVICE_MAX_WORK_ITEM_SIZES);
    let extent = |k: usize| sizes.get(k).map_or(1, |&n| u32::try_from(n).unwrap_or(u32::MAX));
    Limits {
        architecture: id.text(properties::CL_DEVICE_OPENCL_C_VERSION),
        max_threads: number(properties::CL_DEVICE_MAX_WORK_GROUP_SIZE),
        max_block: [extent(0), extent(1), extent(2)],
        max_grid: [u32::MAX; 3],
        shared_bytes: number(properties::CL_DEVICE_LOCAL_MEM_SIZE),
        constant_bytes: number(properties::CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE).min(CONSTANT_BYTES as u32),
        warp: 1,
        multiprocessors: number(properties::CL_DEVICE_MAX_COMPUTE_UNITS),
        cache_bytes: size(properties::CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
        memory_bytes: size(properties::CL_DEVICE_GLOBAL_MEM_SIZE),
        doubles: id.number(properties::CL_DEVICE_DOUBLE_FP_CONFIG) != 0,
        ..Limits::default()
    }
}
