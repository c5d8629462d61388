//! What a launch on a device is made of: the kernel's text, its compiled form, the grid and the arguments.

pub use quasar_devicelib::device_text::Dialect;

use super::{Device, DeviceMemory, device_error};
use crate::error::Result;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// What a device can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// What kernels are compiled for: `sm_90`, `OpenCL C 1.2 PoCL`.
    pub architecture: String,
    /// The most threads of a block.
    pub max_threads: u32,
    /// The largest extents of a block.
    pub max_block: [u32; 3],
    /// The largest extents of a grid, in blocks.
    pub max_grid: [u32; 3],
    /// The most bytes of shared memory of a block, those of run-time size included.
    pub shared_bytes: u32,
    /// The most bytes of all arrays of a kernel in constant memory.
    pub constant_bytes: u32,
    /// Threads that run in step; 1 where that is unknown.
    pub warp: u32,
    /// Processors, each of which runs whole blocks.
    pub multiprocessors: u32,
    /// The most resident threads of a processor; 0 where that is unknown.
    pub threads_per_multiprocessor: u32,
    /// Registers of a processor; 0 where that is unknown.
    pub registers_per_multiprocessor: u32,
    /// The shared cache; 0 where that is unknown.
    pub cache_bytes: usize,
    /// All memory of the device.
    pub memory_bytes: usize,
    /// Whether kernels may compute with doubles.
    pub doubles: bool,
    /// Whether all blocks of a launch can wait for each other.
    pub cooperative: bool,
}

/// A kernel before it is compiled for a device.
#[derive(Clone, Copy, Debug)]
pub struct KernelSource<'a> {
    /// What messages call it.
    pub name: &'a str,
    /// The language of the text.
    pub dialect: Dialect,
    /// The complete text.
    pub text: &'a str,
    /// The kernel's name in the text, unmangled.
    pub entry: &'a str,
    /// Options of the device's compiler, beyond those that the device adds itself.
    pub options: &'a [&'a str],
    /// The same as PTX, packed by [`quasar_compiled::portable::pack`], for CUDA devices without a compiler; empty if there
    /// is none.
    pub portable: &'a [u8],
}

/// What compiling a kernel found out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelFacts {
    /// The most threads of a block of this kernel.
    pub max_threads: u32,
    /// Threads of a block should be a multiple of this.
    pub preferred_multiple: u32,
    /// Bytes of shared memory of compile-time size.
    pub shared_bytes: u32,
    /// Registers of a thread; 0 where that is unknown.
    pub registers: u32,
    /// Bytes of a thread that do not fit its registers.
    pub local_bytes: u32,
}

/// A kernel compiled for one device.
#[derive(Clone)]
pub struct KernelHandle {
    name: Arc<str>,
    facts: KernelFacts,
    device: u64,
    compiled: Arc<dyn Any + Send + Sync>,
}

impl KernelHandle {
    /// Wraps what a device compiled.
    pub(crate) fn new<T: Any + Send + Sync>(
        name: &str,
        facts: KernelFacts,
        device: &dyn Device,
        compiled: T,
    ) -> KernelHandle {
        KernelHandle { name: name.into(), facts, device: device.serial(), compiled: Arc::new(compiled) }
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    #[cfg(any(feature = "cuda", feature = "opencl"))]
    pub(crate) fn shared_name(&self) -> &Arc<str> {
        &self.name
    }

    /// What compiling found out.
    pub fn facts(&self) -> &KernelFacts {
        &self.facts
    }

    /// Whether it runs on this device.
    pub fn is_for(&self, device: &dyn Device) -> bool {
        self.device == device.serial()
    }

    /// What the device compiled, if it was this one.
    pub(crate) fn compiled<T: Any>(&self, device: &dyn Device) -> Result<&T> {
        let compiled = if self.is_for(device) { self.compiled.downcast_ref() } else { None };
        compiled.ok_or_else(|| {
            device_error(device.name(), format!("kernel '{}' was compiled for another device", self.name))
        })
    }
}

impl fmt::Debug for KernelHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelHandle")
            .field("name", &self.name)
            .field("facts", &self.facts)
            .finish_non_exhaustive()
    }
}

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchConfig {
    /// The number of blocks.
    pub grid: [u32; 3],
    /// The threads of a block.
    pub block: [u32; 3],
    /// Bytes of shared memory of run-time size. In CUDA the kernel declares it `extern __shared__`; in OpenCL it is the
    /// parameter after the last argument, a `__local` pointer.
    pub shared_bytes: u32,
    /// Whether all blocks must be resident at once, because they wait for each other.
    pub cooperative: bool,
}

impl LaunchConfig {
    /// So many blocks of so many threads.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> LaunchConfig {
        LaunchConfig { grid, block, shared_bytes: 0, cooperative: false }
    }

    /// With shared memory of run-time size.
    #[must_use]
    pub fn with_shared(self, bytes: u32) -> LaunchConfig {
        LaunchConfig { shared_bytes: bytes, ..self }
    }

    /// With blocks that wait for each other.
    #[must_use]
    pub fn cooperative(self) -> LaunchConfig {
        LaunchConfig { cooperative: true, ..self }
    }

    /// Whether no thread would run.
    pub fn is_empty(&self) -> bool {
        self.grid.contains(&0) || self.block.contains(&0)
    }

    /// Refuses what the device or the kernel cannot do.
    pub(crate) fn check(&self, device: &str, kernel: &KernelHandle, limits: &Limits) -> Result<()> {
        let refuse = |what: String| Err(device_error(device, format!("kernel '{}': {what}", kernel.name)));
        let threads: u64 = self.block.iter().map(|&n| u64::from(n)).product();
        let most = kernel.facts.max_threads.min(limits.max_threads);
        if threads > u64::from(most) {
            return refuse(format!("a block of {threads} threads is too large, at most {most} are possible"));
        }
        for (what, extents, most) in
            [("block", self.block, limits.max_block), ("grid", self.grid, limits.max_grid)]
        {
            if extents.iter().zip(most).any(|(&n, most)| n > most) {
                return refuse(format!("a {what} of {extents:?} is too large, at most {most:?} is possible"));
            }
        }
        let shared = u64::from(kernel.facts.shared_bytes) + u64::from(self.shared_bytes);
        if shared > u64::from(limits.shared_bytes) {
            let most = limits.shared_bytes;
            return refuse(format!(
                "{shared} bytes of shared memory are too many, at most {most} are possible"
            ));
        }
        if self.cooperative && !limits.cooperative {
            return refuse("not supported yet: blocks that wait for each other on this device".into());
        }
        Ok(())
    }
}

/// An argument of a launch.
#[derive(Clone, Copy, Debug)]
pub enum LaunchArg<'a> {
    /// A pointer to memory of the device.
    Memory(&'a DeviceMemory),
    /// A pointer to memory of the device that the kernel reads and does not change.
    Input(&'a DeviceMemory),
    /// Memory of the device to be read from constant memory. In OpenCL that is a pointer; in CUDA it is copied to this place,
    /// an unsigned number, of the kernel's variable `q_constants`, after what was submitted before, and the place is the
    /// argument.
    Constant(&'a DeviceMemory, &'a [u8; 4]),
    /// A number or structure, as it lies in memory.
    Bytes(&'a [u8]),
}

impl<'a> LaunchArg<'a> {
    /// The memory to which it points.
    pub fn memory(&self) -> Option<&'a DeviceMemory> {
        match self {
            LaunchArg::Memory(memory) | LaunchArg::Input(memory) | LaunchArg::Constant(memory, _) => {
                Some(memory)
            }
            LaunchArg::Bytes(_) => None,
        }
    }
}
