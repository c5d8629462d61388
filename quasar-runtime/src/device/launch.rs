//! The data of a launch: device limits, kernel source, compiled kernel, grid and block configuration, and arguments.

pub use quasar_devicelib::device_text::Dialect;

use super::{Device, DeviceMemory, device_error};
use crate::error::Result;
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Hardware limits and features of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Compilation target: `sm_90`, `OpenCL C 1.2 PoCL`.
    pub architecture: String,
    /// Maximum threads of a block.
    pub max_threads: u32,
    /// Maximum extents of a block, in threads.
    pub max_block: [u32; 3],
    /// Maximum extents of a grid, in blocks.
    pub max_grid: [u32; 3],
    /// Maximum bytes of shared memory of a block, static and dynamic together.
    pub shared_bytes: u32,
    /// Maximum bytes of all constant-memory arrays of a kernel.
    pub constant_bytes: u32,
    /// Threads of a warp; 1 if unknown.
    pub warp: u32,
    /// Number of multiprocessors.
    pub multiprocessors: u32,
    /// Maximum resident threads of a multiprocessor; 0 if unknown.
    pub threads_per_multiprocessor: u32,
    /// Registers of a multiprocessor; 0 if unknown.
    pub registers_per_multiprocessor: u32,
    /// Bytes of the cache that all multiprocessors share; 0 if unknown.
    pub cache_bytes: usize,
    /// Total device memory in bytes.
    pub memory_bytes: usize,
    /// Whether kernels may use double precision.
    pub doubles: bool,
    /// Whether cooperative launches (with a grid barrier) are supported.
    pub cooperative: bool,
}

/// A kernel as source text.
#[derive(Clone, Copy, Debug)]
pub struct KernelSource<'a> {
    /// Name for messages.
    pub name: &'a str,
    /// Language of the text.
    pub dialect: Dialect,
    /// The complete translation unit.
    pub text: &'a str,
    /// Unmangled name of the entry function.
    pub entry: &'a str,
    /// Compiler options, beyond those that the device adds itself.
    pub options: &'a [&'a str],
    /// The kernel as PTX, packed by [`quasar_compiled::portable::pack`], for CUDA devices without a compiler; empty if
    /// there is none.
    pub portable: &'a [u8],
}

/// Resource usage of a compiled kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KernelFacts {
    /// Maximum threads of a block of this kernel.
    pub max_threads: u32,
    /// The number of threads in a block should be a multiple of this.
    pub preferred_multiple: u32,
    /// Bytes of static shared memory.
    pub shared_bytes: u32,
    /// Registers of a thread; 0 if unknown.
    pub registers: u32,
    /// Bytes of local memory (register spills and thread arrays) of a thread.
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
    /// Wraps the compiled form of a device.
    pub(crate) fn new<T: Any + Send + Sync>(
        name: &str,
        facts: KernelFacts,
        device: &dyn Device,
        compiled: T,
    ) -> KernelHandle {
        KernelHandle { name: name.into(), facts, device: device.serial(), compiled: Arc::new(compiled) }
    }

    /// Name for messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    #[cfg(any(feature = "cuda", feature = "opencl"))]
    pub(crate) fn shared_name(&self) -> &Arc<str> {
        &self.name
    }

    /// Resource usage.
    pub fn facts(&self) -> &KernelFacts {
        &self.facts
    }

    /// Whether it was compiled for this device.
    pub fn is_for(&self, device: &dyn Device) -> bool {
        self.device == device.serial()
    }

    /// The device's compiled form; an error if it was compiled for another device.
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

/// Grid, block and dynamic shared memory of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchConfig {
    /// Number of blocks in each dimension.
    pub grid: [u32; 3],
    /// Threads of a block in each dimension.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory. In CUDA the kernel declares it `extern __shared__`; in OpenCL it is the
    /// parameter after the last argument, a `__local` pointer.
    pub shared_bytes: u32,
    /// Whether all blocks must be co-resident because they synchronise with each other.
    pub cooperative: bool,
}

impl LaunchConfig {
    /// A configuration without dynamic shared memory.
    pub fn new(grid: [u32; 3], block: [u32; 3]) -> LaunchConfig {
        LaunchConfig { grid, block, shared_bytes: 0, cooperative: false }
    }

    /// Sets the bytes of dynamic shared memory.
    #[must_use]
    pub fn with_shared(self, bytes: u32) -> LaunchConfig {
        LaunchConfig { shared_bytes: bytes, ..self }
    }

    /// Makes the launch cooperative.
    #[must_use]
    pub fn cooperative(self) -> LaunchConfig {
        LaunchConfig { cooperative: true, ..self }
    }

    /// Whether the launch has no threads.
    pub fn is_empty(&self) -> bool {
        self.grid.contains(&0) || self.block.contains(&0)
    }

    /// Checks the configuration against the limits of the device and the kernel.
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
    /// A pointer to device memory.
    Memory(&'a DeviceMemory),
    /// A pointer to device memory that the kernel only reads.
    Input(&'a DeviceMemory),
    /// Device memory to be read from constant memory. In OpenCL it is a pointer. In CUDA the memory is copied, ordered
    /// after submitted work, to this byte offset (an unsigned number) of the kernel's variable `q_constants`, and the
    /// offset is the argument.
    Constant(&'a DeviceMemory, &'a [u8; 4]),
    /// A number or structure passed by value, in its memory layout.
    Bytes(&'a [u8]),
}

impl<'a> LaunchArg<'a> {
    /// The memory that a pointer argument refers to.
    pub fn memory(&self) -> Option<&'a DeviceMemory> {
        match self {
            LaunchArg::Memory(memory) | LaunchArg::Input(memory) | LaunchArg::Constant(memory, _) => {
                Some(memory)
            }
            LaunchArg::Bytes(_) => None,
        }
    }
}
