//! NVIDIA GPUs through the CUDA driver, which is loaded when somebody asks for devices.
//!
//! Layers: `driver` (functions of the driver and what their numbers mean), `engine` (context, stream, memory), `staging`
//! (copies to and from the host), `nvrtc` and `module` (kernels).

mod driver;
mod engine;
mod module;
mod nvrtc;
mod nvrtc_search;
mod staging;

pub use nvrtc::{Compiled, Nvrtc, nvrtc};

use super::{
    Counters, Device, DeviceMemory, DeviceOptions, Dialect, KernelHandle, KernelSource, LaunchArg,
    LaunchConfig, Limits, Unavailable, check_sizes, device_error, next_serial,
};
use crate::array::coherence::Place;
use crate::context;
use crate::error::Result;
use crate::settings::DEVICES_PER_KIND;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use driver::{CUdevice, Functions, SUCCESS};
use engine::Engine;
use module::{CudaKernel, Target};
use std::ffi::{CStr, c_int};
use std::sync::{Arc, OnceLock};

/// The CUDA devices of this machine with options from the settings. Their contexts are made when they are used.
pub fn probe() -> Result<Vec<Arc<dyn Device>>, Unavailable> {
    probe_with(&DeviceOptions::from_settings(&context::settings()))
}

/// The CUDA devices of this machine.
pub fn probe_with(options: &DeviceOptions) -> Result<Vec<Arc<dyn Device>>, Unavailable> {
    let functions = driver::functions()?;
    let mut count = 0;
    // SAFETY: the driver is initialised; the function writes one integer.
    let status = unsafe { (functions.device_count)(&raw mut count) };
    if status != SUCCESS {
        return Err(Unavailable::new(functions.message(status)));
    }
    let count = u8::try_from(count).unwrap_or(0).min(DEVICES_PER_KIND);
    let devices: Vec<Arc<dyn Device>> = (0..count)
        .filter_map(|ordinal| CudaDevice::new(functions, ordinal, options))
        .map(|device| Arc::new(device) as Arc<dyn Device>)
        .collect();
    if devices.is_empty() {
        return Err(Unavailable::new("there is an NVIDIA driver, but no NVIDIA GPU"));
    }
    Ok(devices)
}

/// An NVIDIA GPU.
struct CudaDevice {
    functions: &'static Functions,
    ordinal: u8,
    device: CUdevice,
    name: String,
    serial: u64,
    limits: Limits,
    /// 90 for `sm_90`.
    architecture: c_int,
    pools: bool,
    options: DeviceOptions,
    counters: Counters,
    engine: OnceLock<Result<Engine>>,
}

impl CudaDevice {
    fn new(functions: &'static Functions, ordinal: u8, options: &DeviceOptions) -> Option<CudaDevice> {
        let mut device = 0;
        // SAFETY: the driver is initialised; the function writes one integer.
        if unsafe { (functions.device)(&raw mut device, c_int::from(ordinal)) } != SUCCESS {
            return None;
        }
        let attribute = |attribute| functions.attribute(device, attribute);
        let architecture = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) * 10
            + attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        Some(CudaDevice {
            functions,
            ordinal,
            device,
            name: format!("cuda:{ordinal} {}", device_name(functions, device)),
            serial: next_serial(),
            limits: limits(functions, device, architecture),
            architecture,
            pools: attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0,
            options: options.clone(),
            counters: Counters::default(),
            engine: OnceLock::new(),
        })
    }

    /// The device at work.
    fn engine(&self) -> Result<&Engine> {
        let start = || {
            let total = self.limits.memory_bytes;
            Engine::start(self.functions, &self.name, self.device, &self.options, total, self.pools)
        };
        self.engine.get_or_init(start).as_ref().map_err(Clone::clone)
    }
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

impl std::fmt::Debug for CudaDevice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CudaDevice").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Device for CudaDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn place(&self) -> Place {
        Place::Linear(self.ordinal)
    }

    fn serial(&self) -> u64 {
        self.serial
    }

    fn dialect(&self) -> Option<Dialect> {
        Some(Dialect::Cuda)
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
        let engine = self.engine()?;
        engine.staging.upload(engine, from, to.id)?;
        self.counters.upload(from.len());
        Ok(())
    }

    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<()> {
        check_sizes(&self.name, from.bytes, to.len())?;
        let engine = self.engine()?;
        engine.staging.download(engine, from.id, to)?;
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
        let (counters, images) = (&self.counters, &*self.options.images);
        let target = Target { device: self, counters, images, architecture: self.architecture };
        module::kernel(self.engine()?, &target, source)
    }

    unsafe fn launch(
        &self,
        kernel: &KernelHandle,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<()> {
        let compiled: &CudaKernel = kernel.compiled(self)?;
        config.check(&self.name, kernel, &self.limits)?;
        if config.is_empty() {
            return Ok(());
        }
        // SAFETY: the caller promises what the kernel and its arguments are; the configuration was checked.
        unsafe { compiled.launch(self.engine()?, kernel.name(), config, args) }?;
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
        // SAFETY: the driver is initialised. Objects of the old context are not used any more: its engine is lost.
        let status = unsafe { (self.functions.reset_context)(self.device) };
        if status != SUCCESS {
            return Err(device_error(&self.name, self.functions.message(status)));
        }
        let renewed = CudaDevice::new(self.functions, self.ordinal, &self.options);
        renewed
            .map(|device| Arc::new(device) as Arc<dyn Device>)
            .ok_or_else(|| device_error(&self.name, "is gone"))
    }
}
