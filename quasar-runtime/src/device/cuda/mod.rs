//! NVIDIA GPUs through the CUDA driver, which is loaded at device discovery.
//!
//! Layers: `driver` (function table and error codes), `engine` (context, streams, memory), `staging` (host-device
//! copies through pinned memory), `peers` (peer-to-peer copies), `answers` (host-mapped result buffers), `module`
//! (compiled kernels), `batch` (launch batching with graphs), `order` (dependences between batched launches),
//! `optional` (dynamically loaded libraries), `cufft` and `cublas`.

mod answers;
mod batch;
mod cublas;
mod cufft;
mod driver;
mod engine;
mod module;
mod optional;
mod order;
mod peers;
mod staging;
mod sys;

pub use quasar_compiled::nvrtc::{Compiled, Nvrtc, nvrtc};

use super::driver_device::{DeviceInfo, DriverDevice};
use super::select::Devices;
use super::{Device, DeviceOptions, Limits, Maker, Unavailable};
use crate::array::coherence::Place;
use crate::context;
use crate::settings::DEVICES_PER_KIND;
use driver::{CUdevice, Functions, SUCCESS};
use engine::Engine;
use quasar_devicelib::device_text::CONSTANT_BYTES;
use std::ffi::{CStr, c_int};
use std::sync::Arc;
use sys::CUdevice_attribute as Attribute;

/// The CUDA devices of this machine with options from the settings. Contexts are created at the first use.
pub fn probe() -> Devices {
    probe_with(&DeviceOptions::from_settings(&context::settings()))
}

/// The CUDA devices of this machine.
pub fn probe_with(options: &DeviceOptions) -> Devices {
    let functions = driver::functions()?;
    let mut count = 0;
    // SAFETY: the driver is initialised; the function writes one integer.
    let status = unsafe { (functions.device_count)(&raw mut count) };
    if status != SUCCESS {
        return Err(Unavailable::new(functions.message(status)));
    }
    let count = u8::try_from(count).unwrap_or(0).min(DEVICES_PER_KIND);
    let devices: Vec<Arc<dyn Device>> = (0..count)
        .filter_map(|ordinal| device(functions, ordinal, options))
        .map(|device: CudaDevice| Arc::new(device) as Arc<dyn Device>)
        .collect();
    if devices.is_empty() {
        return Err(Unavailable::new("there is an NVIDIA driver, but no NVIDIA GPU"));
    }
    Ok(devices)
}

/// The availability of NVIDIA's libraries, one line each.
pub(crate) fn libraries() -> [String; 2] {
    [cufft::report(), cublas::report()]
}

/// An NVIDIA GPU.
type CudaDevice = DriverDevice<Engine>;

/// Identification of a GPU.
#[derive(Clone, Copy)]
struct Id {
    functions: &'static Functions,
    ordinal: u8,
    device: CUdevice,
    /// Compute capability: 90 for `sm_90`.
    architecture: c_int,
}

/// The GPU with this ordinal.
fn device(functions: &'static Functions, ordinal: u8, options: &DeviceOptions) -> Option<CudaDevice> {
    let mut device = 0;
    // SAFETY: the driver is initialised; the function writes one integer.
    if unsafe { (functions.device)(&raw mut device, c_int::from(ordinal)) } != SUCCESS {
        return None;
    }
    let attribute = |attribute| functions.attribute(device, attribute);
    let architecture = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10
        + attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    let about = DeviceInfo {
        name: format!("cuda:{ordinal} {}", device_name(functions, device)),
        place: Place::Linear(ordinal),
        maker: Maker::Nvidia,
        limits: limits(functions, device, architecture),
        options: options.clone(),
    };
    Some(DriverDevice::new(Id { functions, ordinal, device, architecture }, about))
}

fn device_name(functions: &Functions, device: CUdevice) -> String {
    let mut bytes = [0_u8; 256];
    // SAFETY: the function writes at most so many bytes, with a zero at the end.
    let status = unsafe { (functions.device_name)(bytes.as_mut_ptr().cast(), 255, device) };
    let name = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
    if status == SUCCESS { name.to_string_lossy().into_owned() } else { "GPU".into() }
}

fn limits(functions: &Functions, device: CUdevice, architecture: c_int) -> Limits {
    let attribute = |attribute| u32::try_from(functions.attribute(device, attribute)).unwrap_or(0);
    let mut memory_bytes = 0;
    // SAFETY: the function writes one number.
    if unsafe { (functions.device_memory)(&raw mut memory_bytes, device) } != SUCCESS {
        memory_bytes = 0;
    }
    let shared = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    Limits {
        architecture: format!("sm_{architecture}"),
        max_threads: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        max_block: [
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z),
        ],
        max_grid: [
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z),
        ],
        shared_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN).max(shared),
        constant_bytes: CONSTANT_BYTES as u32,
        warp: attribute(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE),
        multiprocessors: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
        threads_per_multiprocessor: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR),
        registers_per_multiprocessor: attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR,
        ),
        cache_bytes: attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE) as usize,
        memory_bytes,
        doubles: true,
        cooperative: attribute(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0,
    }
}
