//! Devices through OpenCL, whose loader is loaded when somebody asks for devices.
//!
//! Layers: `api` (functions of OpenCL and owned objects), `engine` (context, queue, memory, programs).

mod api;
mod engine;

use super::{
    Counters, Device, DeviceMemory, DeviceOptions, Dialect, KernelHandle, KernelSource, LaunchArg,
    LaunchConfig, Limits, Unavailable, check_sizes, next_serial,
};
use crate::array::coherence::Place;
use crate::context;
use crate::error::Result;
use crate::settings::DEVICES_PER_KIND;
use api::DeviceId;
use engine::{ClKernel, Engine};
use opencl3::device as properties;
use std::sync::{Arc, OnceLock};

/// The OpenCL devices of this machine with options from the settings: graphics processors first, processors last.
pub fn probe() -> Result<Vec<Arc<dyn Device>>, Unavailable> {
    probe_with(&DeviceOptions::from_settings(&context::settings()))
}

/// The OpenCL devices of this machine: graphics processors first, processors last.
pub fn probe_with(options: &DeviceOptions) -> Result<Vec<Arc<dyn Device>>, Unavailable> {
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
        .map(|(id, number)| Arc::new(OpenClDevice::new(id, number, options)) as Arc<dyn Device>)
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
struct OpenClDevice {
    id: DeviceId,
    name: String,
    number: u8,
    serial: u64,
    limits: Limits,
    /// Everything about device and driver that compiled kernels depend on.
    driver: String,
    options: DeviceOptions,
    counters: Counters,
    engine: OnceLock<Result<Engine>>,
}

impl OpenClDevice {
    fn new(id: DeviceId, number: u8, options: &DeviceOptions) -> OpenClDevice {
        let about = [
            properties::CL_DEVICE_VENDOR,
            properties::CL_DEVICE_NAME,
            properties::CL_DEVICE_VERSION,
            properties::CL_DRIVER_VERSION,
        ];
        OpenClDevice {
            id,
            name: format!("opencl:{number} {}", id.text(properties::CL_DEVICE_NAME)),
            number,
            serial: next_serial(),
            limits: limits(id),
            driver: about.map(|property| id.text(property)).join("\n"),
            options: options.clone(),
            counters: Counters::default(),
            engine: OnceLock::new(),
        }
    }

    /// The device at work.
    fn engine(&self) -> Result<&Engine> {
        let start = || Engine::start(&self.name, self.id, &self.options, self.limits.memory_bytes);
        self.engine.get_or_init(start).as_ref().map_err(Clone::clone)
    }
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
        warp: 1,
        multiprocessors: number(properties::CL_DEVICE_MAX_COMPUTE_UNITS),
        cache_bytes: size(properties::CL_DEVICE_GLOBAL_MEM_CACHE_SIZE),
        memory_bytes: size(properties::CL_DEVICE_GLOBAL_MEM_SIZE),
        doubles: id.number(properties::CL_DEVICE_DOUBLE_FP_CONFIG) != 0,
        ..Limits::default()
    }
}

impl std::fmt::Debug for OpenClDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenClDevice").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Device for OpenClDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn place(&self) -> Place {
        // Behind the CUDA devices.
        Place::Linear(DEVICES_PER_KIND + self.number)
    }

    fn serial(&self) -> u64 {
        self.serial
    }

    fn dialect(&self) -> Option<Dialect> {
        Some(Dialect::OpenCl)
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn allocate(&self, bytes: usize) -> Result<DeviceMemory> {
        self.engine()?.allocate(bytes)
    }

    fn release(&self, memory: &DeviceMemory) {
        if let Ok(engine) = self.engine() {
            engine.release(memory);
        }
    }

    fn trim(&self) {
        if let Ok(engine) = self.engine() {
            engine.trim();
        }
    }

    fn free_bytes(&self) -> usize {
        self.engine().map_or(0, Engine::free_bytes)
    }

    fn upload(&self, from: &[u8], to: &DeviceMemory) -> Result<()> {
        check_sizes(&self.name, from.len(), to.bytes)?;
        self.engine()?.upload(from, to)?;
        self.counters.upload(from.len());
        Ok(())
    }

    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<()> {
        check_sizes(&self.name, from.bytes, to.len())?;
        self.engine()?.download(from, to)?;
        self.counters.download(to.len());
        Ok(())
    }

    fn copy(&self, from: &DeviceMemory, to: &DeviceMemory) -> Result<()> {
        check_sizes(&self.name, from.bytes, to.bytes)?;
        self.engine()?.copy(from, to)
    }

    fn fill(&self, memory: &DeviceMemory, byte: u8) -> Result<()> {
        self.engine()?.fill(memory, byte)
    }

    fn kernel(&self, source: &KernelSource<'_>) -> Result<KernelHandle> {
        let (facts, kernel, compiled) = self.engine()?.kernel(&self.options.images, &self.driver, source)?;
        if compiled {
            self.counters.compilation();
        }
        Ok(KernelHandle::new(source.name, facts, self, kernel))
    }

    unsafe fn launch(
        &self,
        kernel: &KernelHandle,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<()> {
        let compiled: &ClKernel = kernel.compiled(self)?;
        config.check(&self.name, kernel, &self.limits)?;
        if config.is_empty() {
            return Ok(());
        }
        // SAFETY: the caller promises what the kernel and its arguments are; the configuration was checked.
        unsafe { self.engine()?.launch(compiled, kernel.name(), config, args) }?;
        self.counters.launch();
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        self.engine()?.synchronize()
    }

    fn is_lost(&self) -> bool {
        matches!(self.engine.get(), Some(Ok(engine)) if engine.is_lost())
    }

    fn renew(&self) -> Result<Arc<dyn Device>> {
        Ok(Arc::new(OpenClDevice::new(self.id, self.number, &self.options)))
    }
}
