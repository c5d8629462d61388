//! The [`Device`] trait: memory, copies, kernel compilation and launches, as the runtime needs them from CUDA, OpenCL,
//! the CPU and the fake device of tests. Launch types, allocators and drivers live in the submodules.
//!
//! Operations are enqueued and execute asynchronously, with the effect of in-order execution; a copy to the host blocks
//! until the work it depends on is complete.

#[allow(unsafe_code, reason = "calls libraries")]
pub mod accel_libraries;
mod copy_overlap;
mod counters;
#[cfg(feature = "cuda")]
#[cfg_attr(docsrs, doc(cfg(feature = "cuda")))]
#[allow(unsafe_code, reason = "calls a driver")]
pub mod cuda;
#[cfg(any(feature = "cuda", feature = "opencl"))]
#[allow(unsafe_code, reason = "implements a device")]
mod driver_device;
#[allow(unsafe_code, reason = "implements a device")]
pub mod fake;
mod fake_lanes;
mod fake_library;
#[allow(unsafe_code, reason = "implements a device")]
pub mod host;
mod launch;
#[cfg(feature = "opencl")]
#[cfg_attr(docsrs, doc(cfg(feature = "opencl")))]
#[allow(unsafe_code, reason = "calls a driver")]
pub mod opencl;
pub(crate) mod plan_cache;
#[allow(unsafe_code, reason = "memory that host and device share")]
pub(crate) mod result_buffer;
pub mod select;
pub(crate) mod small_vec;

pub use counters::{Counters, Traffic};
pub use launch::{Dialect, KernelFacts, KernelHandle, KernelSource, LaunchArg, LaunchConfig, Limits};
pub use quasar_compiled::Unavailable;
pub use result_buffer::{Mailbox, Mailboxes};

use crate::array::coherence::Place;
use crate::error::{Error, Place as SourcePlace, Result};
use crate::kernel::cache::ImageCache;
use crate::settings::{self, Settings};
use accel_libraries::Libraries;
use copy_overlap::LastUse;
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An allocation in device memory, identified by a number chosen by the device: under CUDA, its address.
///
/// It is not `Clone`: a reference to one proves that the memory has not been released.
#[derive(Debug)]
pub struct DeviceMemory {
    id: u64,
    /// Byte offset of this range in the allocation `id`.
    start: usize,
    bytes: usize,
    /// Last-use tracking, for devices that want it.
    mark: Option<&'static LastUse>,
}

impl PartialEq for DeviceMemory {
    fn eq(&self, other: &DeviceMemory) -> bool {
        (self.id, self.start, self.bytes) == (other.id, other.start, other.bytes)
    }
}

impl Eq for DeviceMemory {}

impl Hash for DeviceMemory {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.id, self.start, self.bytes).hash(state);
    }
}

impl DeviceMemory {
    /// Wraps memory that other code allocated on the device.
    ///
    /// # Safety
    /// The device knows an allocation with this number and at least this size for as long as the result is used.
    #[allow(unsafe_code, reason = "the caller knows the memory")]
    pub unsafe fn from_raw(id: u64, bytes: usize) -> DeviceMemory {
        DeviceMemory::new(id, bytes)
    }

    /// Memory without last-use tracking.
    pub(crate) fn new(id: u64, bytes: usize) -> DeviceMemory {
        DeviceMemory { id, start: 0, bytes, mark: None }
    }

    /// A second handle to the same memory. It stays internal: whoever holds it keeps the allocation alive.
    pub(crate) fn again(&self) -> DeviceMemory {
        DeviceMemory { ..*self }
    }

    pub(crate) fn marked(id: u64, bytes: usize, mark: &'static LastUse) -> DeviceMemory {
        DeviceMemory { id, start: 0, bytes, mark: Some(mark) }
    }

    /// A subrange, to be used as the source or target of a copy and for nothing else.
    pub(crate) fn part(&self, range: Range<usize>) -> DeviceMemory {
        debug_assert!(range.end <= self.bytes, "a part lies inside");
        DeviceMemory { start: self.start + range.start, bytes: range.len(), ..*self }
    }

    /// The identifier that the device chose.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Memory and kernel options for all devices.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// Bytes of device memory that are left to the system.
    pub reserved: usize,
    /// Upper limit in bytes on the memory used.
    pub limit: usize,
    /// Caching policy for freed memory.
    pub keep: Keep,
    /// Disk cache of compiled kernels.
    pub images: Arc<ImageCache>,
    /// Whether CUDA devices only run kernels from PTX embedded in the program.
    pub embedded_only: bool,
}

/// Caching policy of a device for freed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Freed memory goes back to the system when the device is idle.
    Nothing,
    /// Freed memory is cached for later arrays.
    Freed,
    /// Most of the device memory is reserved at the start.
    Most,
}

impl DeviceOptions {
    /// Reads the options from the settings.
    pub fn from_settings(settings: &Settings) -> DeviceOptions {
        let megabytes = |name| usize::try_from(settings.number(name)).unwrap_or(0).saturating_mul(1 << 20);
        let limit = match megabytes(settings::GPU_MEMORY_LIMIT) {
            0 => usize::MAX,
            bytes => bytes,
        };
        let keep = match settings.word(settings::GPU_MEMORY_MODEL) {
            "SmallFootprint" => Keep::Nothing,
            "LargeFootprint" => Keep::Most,
            _ => Keep::Freed,
        };
        let images =
            ImageCache::standard(settings.number(settings::KERNEL_CACHE_SIZE).saturating_mul(1 << 20));
        if let Some(reason) = images.refused() {
            crate::context::warn(Error::system(format!(
                "compiled kernels are not kept for the next run: {reason}"
            )));
        }
        DeviceOptions {
            reserved: megabytes(settings::GPU_RESERVED_MEMORY),
            limit,
            keep,
            images: Arc::new(images),
            embedded_only: settings.is_true(settings::EMBEDDED_PTX),
        }
    }

    /// The bytes that may be used of `total`.
    #[cfg(any(feature = "cuda", feature = "opencl"))]
    pub(crate) fn usable(&self, total: usize) -> usize {
        total.saturating_sub(self.reserved).min(self.limit)
    }
}

/// The vendor of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// NVIDIA.
    Nvidia,
    /// AMD.
    Amd,
    /// Any other vendor.
    Other,
}

impl Maker {
    /// Maps a vendor string of a driver to the vendor.
    pub fn named(vendor: &str) -> Maker {
        let vendor = vendor.to_ascii_lowercase();
        match vendor {
            _ if vendor.contains("nvidia") => Maker::Nvidia,
            _ if vendor.contains("advanced micro devices") || vendor.starts_with("amd") => Maker::Amd,
            _ => Maker::Other,
        }
    }
}

/// A processor with memory.
///
/// Operations of one device on the same memory execute in submission order, so memory may be released or reused while
/// earlier work on it is still in flight.
///
/// # Safety
/// Launches trust device memory without further checks. So [`Device::allocate`] must return memory of this device of at
/// least the size that it states and that was requested, exclusive to the caller until it is released;
/// [`Device::place`] and [`Device::serial`] must distinguish devices with different memory; and the copies of a device
/// must write only inside the memory that they were given.
#[allow(unsafe_code, reason = "launches trust what devices say of memory")]
pub unsafe trait Device: Any + Send + Sync + fmt::Debug {
    /// Human-readable name.
    fn name(&self) -> &str;
    /// The memory space of the device.
    fn place(&self) -> Place;
    /// A number unique among all devices of this process, past ones included. A kernel compiled for one number runs
    /// only on that device.
    fn serial(&self) -> u64;
    /// The kernel dialect it compiles; `None` if it runs no kernels.
    fn dialect(&self) -> Option<Dialect>;
    /// Whether several threads compile kernels faster than one. Libraries of the compiler are loaded behind this call.
    fn compiles_concurrently(&self) -> bool {
        false
    }
    /// The vendor, where kernels are specialised for vendors.
    fn maker(&self) -> Maker {
        Maker::Other
    }
    /// Hardware limits.
    fn limits(&self) -> &Limits;
    /// Statistics of the work done.
    fn counters(&self) -> &Counters;

    /// Allocates uninitialised memory. [`Error::OutOfDeviceMemory`] when there is not enough.
    fn allocate(&self, bytes: usize) -> Result<DeviceMemory>;
    /// Like `allocate`, for memory that an upload fills next: prefers memory that no work in flight uses.
    fn allocate_idle(&self, bytes: usize) -> Result<DeviceMemory> {
        self.allocate(bytes)
    }
    /// Frees memory. Unknown memory is ignored.
    ///
    /// # Safety
    /// Nobody uses the memory after this call.
    unsafe fn release(&self, memory: &DeviceMemory);
    /// Returns cached memory to the system.
    fn trim(&self);
    /// Bytes that could still be allocated, as far as the device knows.
    fn free_bytes(&self) -> usize;

    /// Copies from host memory, which may be reused as soon as the call returns. Both sides have the same size.
    fn upload(&self, from: &[u8], to: &DeviceMemory) -> Result<()>;
    /// Copies to host memory after waiting for submitted work that writes the source. Both sides have the same size.
    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<()>;
    /// Copies within the device. Both sides have the same size.
    fn copy(&self, from: &DeviceMemory, to: &DeviceMemory) -> Result<()>;
    /// Whether peer-to-peer copies from the other device to this one are possible.
    fn reaches(&self, _other: &dyn Device) -> bool {
        false
    }
    /// Peer-to-peer copy from a device that this one reaches, ordered after the work submitted to both so far. Both
    /// sides have the same size. The source device does not wait for the copy: see [`Device::reclaim`].
    fn receive(&self, other: &dyn Device, _from: &DeviceMemory, _to: &DeviceMemory) -> Result<()> {
        Err(device_error(self.name(), format!("cannot copy from {}", other.name())))
    }
    /// Must be called before work is submitted that overwrites memory of this device which peers may still be copying
    /// from: orders that work after the copies. Releasing memory needs no such call.
    fn reclaim(&self, _memory: &DeviceMemory) -> Result<()> {
        Ok(())
    }
    /// The native stream on which other code of the process may enqueue work: under CUDA a `CUstream`. All work
    /// submitted so far is enqueued there when the call returns. `None` if other code cannot use the device.
    fn stream(&self) -> Result<Option<usize>> {
        Ok(None)
    }
    /// Wraps memory allocated by other code on the device. Work submitted from now on is ordered after the work that
    /// this code enqueued on its `stream`.
    ///
    /// # Safety
    /// There is memory of this many bytes as long as the result is used; the stream belongs to the same device, and
    /// exists.
    unsafe fn adopt(&self, _address: u64, _bytes: usize, _stream: usize) -> Result<DeviceMemory> {
        Err(device_error(self.name(), "not supported yet: memory of other code on this device"))
    }
    /// The addresses of memory: what has some in common is the same memory.
    fn addresses(&self, memory: &DeviceMemory) -> Range<u64> {
        memory.id()..memory.id().saturating_add(memory.bytes() as u64)
    }
    /// Sets every byte to the same value.
    fn fill(&self, memory: &DeviceMemory, byte: u8) -> Result<()>;

    /// Allocates a zeroed buffer for results and error records of kernels. The device owns it and never frees it.
    fn mailbox(&self, bytes: usize) -> Result<Mailbox>;
    /// Copies the first bytes of a result buffer, ordered after submitted work. If the buffer is host-visible, the
    /// kernels that write it must have completed, for example by [`Device::synchronize`].
    fn peek(&self, mailbox: &Mailbox, to: &mut [u8]) -> Result<()>;
    /// The pool of unused result buffers.
    fn mailboxes(&self) -> &Mailboxes;

    /// Compiles a kernel or loads it from a cache.
    fn kernel(&self, source: &KernelSource<'_>) -> Result<KernelHandle>;
    /// Enqueues a kernel that was compiled for this device.
    ///
    /// # Safety
    /// With this configuration the kernel reads and writes only inside its arguments, and the arguments have the
    /// number, order and types of its parameters.
    unsafe fn launch(
        &self,
        kernel: &KernelHandle,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<()>;
    /// The number of blocks of such a launch that are co-resident on the device; 0 if unknown or if blocks cannot
    /// synchronise with each other.
    fn resident_blocks(&self, _kernel: &KernelHandle, _config: &LaunchConfig) -> u32 {
        0
    }

    /// The vendor's math libraries, if the device may have them. They are called through [`accel_libraries`].
    fn libraries(&self) -> Option<&dyn Libraries> {
        None
    }

    /// Starts pending launches: a device may batch launches until another operation is requested.
    fn flush(&self) -> Result<()> {
        Ok(())
    }
    /// Blocks until all submitted work is complete.
    fn synchronize(&self) -> Result<()>;

    /// Whether the device failed permanently: its memory is lost, and every operation fails.
    fn is_lost(&self) -> bool {
        false
    }
    /// Restarts a lost device as a new one. Fails if the device is not lost or cannot be restarted.
    fn renew(&self) -> Result<Arc<dyn Device>> {
        Err(device_error(self.name(), "cannot be started again"))
    }
}

/// The next unused number for [`Device::serial`].
pub(crate) fn next_serial() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// An [`Error::Device`] without a source position.
pub(crate) fn device_error(device: &str, message: impl Into<String>) -> Error {
    Error::Device { place: SourcePlace::UNKNOWN, device: device.into(), message: message.into() }
}

/// The error of a device that lacks the requested library.
pub(crate) fn no_library(device: &str) -> Error {
    device_error(device, "has no library for that")
}

/// The error of a failed allocation.
pub(crate) fn out_of_memory(device: &str, bytes: usize) -> Error {
    Error::OutOfDeviceMemory { place: SourcePlace::UNKNOWN, device: device.into(), bytes }
}

/// Fails unless both sides of a copy have the same size.
pub(crate) fn check_sizes(device: &str, from: usize, to: usize) -> Result<()> {
    if from == to {
        return Ok(());
    }
    Err(device_error(device, format!("a copy from {from} bytes to {to} bytes")))
}
