//! What the run-time system needs from a device.
//!
//! Work is submitted in order and done later, as if in the same order; copies to the host wait for what they depend on.

mod counters;
#[cfg(feature = "cuda")]
#[cfg_attr(docsrs, doc(cfg(feature = "cuda")))]
#[allow(unsafe_code, reason = "calls a driver")]
pub mod cuda;
#[allow(unsafe_code, reason = "implements a device")]
pub mod fake;
mod fake_lanes;
mod fake_library;
pub(crate) mod few;
#[cfg(any(feature = "cuda", feature = "opencl"))]
#[allow(unsafe_code, reason = "implements a device")]
mod hardware;
#[allow(unsafe_code, reason = "implements a device")]
pub mod host;
mod launch;
#[allow(unsafe_code, reason = "memory that host and device share")]
pub(crate) mod mailbox;
#[cfg(feature = "opencl")]
#[cfg_attr(docsrs, doc(cfg(feature = "opencl")))]
#[allow(unsafe_code, reason = "calls a driver")]
pub mod opencl;
mod overlap;
pub(crate) mod plans;
pub mod select;
#[allow(unsafe_code, reason = "calls libraries")]
pub mod vendor;

pub use counters::{Counters, Traffic};
pub use launch::{Dialect, KernelFacts, KernelHandle, KernelSource, LaunchArg, LaunchConfig, Limits};
pub use mailbox::{Mailbox, Mailboxes};
pub use quasar_compiled::Unavailable;

use crate::array::coherence::Place;
use crate::error::{Error, Place as SourcePlace, Result};
use crate::kernel::cache::ImageCache;
use crate::settings::{self, Settings};
use overlap::Mark;
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use vendor::Libraries;

/// Memory of a device, named by a number that the device chose: in CUDA its address.
///
/// It is no `Clone`: who has a reference to one has memory that was not given back.
#[derive(Debug)]
pub struct DeviceMemory {
    id: u64,
    /// Where it begins in the memory of this name.
    start: usize,
    bytes: usize,
    /// When it was used, where the device wants to know.
    mark: Option<&'static Mark>,
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
    /// Memory that somebody else reserved on the device.
    ///
    /// # Safety
    /// The device knows memory of this number and at least this size as long as the result is used.
    #[allow(unsafe_code, reason = "the caller knows the memory")]
    pub unsafe fn from_raw(id: u64, bytes: usize) -> DeviceMemory {
        DeviceMemory::new(id, bytes)
    }

    /// Memory of which nobody marks when it is used.
    pub(crate) fn new(id: u64, bytes: usize) -> DeviceMemory {
        DeviceMemory { id, start: 0, bytes, mark: None }
    }

    /// The same memory once more. Nobody outside gets it: whoever holds it keeps what it names.
    pub(crate) fn again(&self) -> DeviceMemory {
        DeviceMemory { ..*self }
    }

    pub(crate) fn marked(id: u64, bytes: usize, mark: &'static Mark) -> DeviceMemory {
        DeviceMemory { id, start: 0, bytes, mark: Some(mark) }
    }

    /// Some of it, to be copied from or to. Nothing else may be done with a part.
    pub(crate) fn part(&self, range: Range<usize>) -> DeviceMemory {
        debug_assert!(range.end <= self.bytes, "a part lies inside");
        DeviceMemory { start: self.start + range.start, bytes: range.len(), ..*self }
    }

    /// The device's name for it.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// How devices are used.
#[derive(Clone, Debug)]
pub struct DeviceOptions {
    /// Bytes left to the system.
    pub reserved: usize,
    /// At most so many bytes are used.
    pub limit: usize,
    /// What happens with freed memory.
    pub keep: Keep,
    /// Where compiled kernels are kept.
    pub images: Arc<ImageCache>,
    /// Whether kernels of CUDA devices are made of PTX in the program only.
    pub embedded_only: bool,
}

/// What a device does with freed memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// It goes back to the system when the device is idle.
    Nothing,
    /// It is kept for the next arrays.
    Freed,
    /// Most of the memory is taken at the start.
    Most,
}

impl DeviceOptions {
    /// As the settings say.
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

    /// The bytes that may be used of so many.
    #[cfg(any(feature = "cuda", feature = "opencl"))]
    pub(crate) fn usable(&self, total: usize) -> usize {
        total.saturating_sub(self.reserved).min(self.limit)
    }
}

/// Who made a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Maker {
    /// NVIDIA.
    Nvidia,
    /// AMD.
    Amd,
    /// Somebody else.
    Other,
}

impl Maker {
    /// The maker of whom drivers speak like this.
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
/// Work of one device that uses the same memory runs in the order in which it was submitted, so memory may be released or
/// used again while earlier work on it is still under way.
///
/// # Safety
/// Kernels are launched with memory of devices as it comes, so [`Device::allocate`] gives memory of at least the size that it says and
/// that it was asked for, of this device, which nobody else has until it is released; [`Device::place`] and [`Device::serial`] tell
/// devices with other memory apart; and what copies of a device changes lies inside of the memory that it was given.
#[allow(unsafe_code, reason = "launches trust what devices say of memory")]
pub unsafe trait Device: Any + Send + Sync + fmt::Debug {
    /// What people call it.
    fn name(&self) -> &str;
    /// Where its memory is.
    fn place(&self) -> Place;
    /// A number that no other device of this process has or had. Kernels compiled for one number run on it only.
    fn serial(&self) -> u64;
    /// Which kernel texts it understands; none if it runs no kernels.
    fn dialect(&self) -> Option<Dialect>;
    /// Who made it, as far as kernels are written for makers.
    fn maker(&self) -> Maker {
        Maker::Other
    }
    /// What it can do.
    fn limits(&self) -> &Limits;
    /// What it did.
    fn counters(&self) -> &Counters;

    /// Reserves memory. Its contents are undefined. [`Error::OutOfDeviceMemory`] when there is not enough.
    fn allocate(&self, bytes: usize) -> Result<DeviceMemory>;
    /// The same, to be filled from the host: memory that nothing under way uses, if there is some.
    fn allocate_idle(&self, bytes: usize) -> Result<DeviceMemory> {
        self.allocate(bytes)
    }
    /// Gives memory back. Unknown memory is ignored.
    ///
    /// # Safety
    /// Nobody uses the memory after this call.
    unsafe fn release(&self, memory: &DeviceMemory);
    /// Gives cached memory back to the system.
    fn trim(&self);
    /// The bytes that could still be reserved, as far as the device knows.
    fn free_bytes(&self) -> usize;

    /// Copies from host memory, which may change as soon as the call returns; both sides have one size.
    fn upload(&self, from: &[u8], to: &DeviceMemory) -> Result<()>;
    /// Copies to host memory, after waiting for what was submitted and changes the source; both sides have one size.
    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<()>;
    /// Copies inside the device; both sides have one size.
    fn copy(&self, from: &DeviceMemory, to: &DeviceMemory) -> Result<()>;
    /// Whether copies from another device come here without passing the host.
    fn reaches(&self, _other: &dyn Device) -> bool {
        false
    }
    /// Copies from memory of another device that this one reaches, after what was submitted to both before; both sides
    /// have one size. The other device goes on meanwhile: see [`Device::reclaim`].
    fn receive(&self, other: &dyn Device, _from: &DeviceMemory, _to: &DeviceMemory) -> Result<()> {
        Err(device_error(self.name(), format!("cannot copy from {}", other.name())))
    }
    /// To be called before work is submitted that changes memory of this device which others may still be copying: lets
    /// that work wait for them. Memory that is given back needs no such call.
    fn reclaim(&self, _memory: &DeviceMemory) -> Result<()> {
        Ok(())
    }
    /// What other code of the process may submit work to, as the driver names it: in CUDA a `CUstream`. What was submitted is
    /// there when the call returns. None where others cannot use the device.
    fn stream(&self) -> Result<Option<usize>> {
        Ok(None)
    }
    /// Memory that others reserved on the device: what is submitted from now on comes after what they submitted to their
    /// `stream`.
    ///
    /// # Safety
    /// There is memory of so many bytes as long as the result is used; the stream is one of the same device, and exists.
    unsafe fn adopt(&self, _address: u64, _bytes: usize, _stream: usize) -> Result<DeviceMemory> {
        Err(device_error(self.name(), "not supported yet: memory of other code on this device"))
    }
    /// Sets every byte.
    fn fill(&self, memory: &DeviceMemory, byte: u8) -> Result<()>;

    /// Memory in which kernels answer the host, all zeros. It belongs to the device and is never given back.
    fn mailbox(&self, bytes: usize) -> Result<Mailbox>;
    /// Copies the beginning of a mailbox after what was submitted. Where the host sees the mailbox, everything that writes it
    /// must be done: [`Device::synchronize`] says so.
    fn peek(&self, mailbox: &Mailbox, to: &mut [u8]) -> Result<()>;
    /// The mailboxes that are not in use.
    fn mailboxes(&self) -> &Mailboxes;

    /// Compiles a kernel, or takes it from a cache.
    fn kernel(&self, source: &KernelSource<'_>) -> Result<KernelHandle>;
    /// Submits a kernel of this device.
    ///
    /// # Safety
    /// The kernel reads and writes only inside its arguments when launched like this, and the arguments have the
    /// number, order and types of its parameters.
    unsafe fn launch(
        &self,
        kernel: &KernelHandle,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<()>;
    /// How many blocks of such a launch are on all processors at once; none where that is unknown, or where blocks cannot
    /// wait for each other.
    fn resident_blocks(&self, _kernel: &KernelHandle, _config: &LaunchConfig) -> u32 {
        0
    }

    /// The libraries of the device's maker, where it may have some. They are used as [`vendor`] does it.
    fn libraries(&self) -> Option<&dyn Libraries> {
        None
    }

    /// Starts what was submitted: a device may hold launches back, to start several at a time, until it is asked for
    /// something else.
    fn flush(&self) -> Result<()> {
        Ok(())
    }
    /// Waits until everything submitted is done.
    fn synchronize(&self) -> Result<()>;

    /// Whether the device failed for good: its memory is lost, and every operation fails.
    fn is_lost(&self) -> bool {
        false
    }
    /// The same device anew, after it was lost; an error while it is not.
    fn renew(&self) -> Result<Arc<dyn Device>> {
        Err(device_error(self.name(), "cannot be started again"))
    }
}

/// A number for [`Device::serial`].
pub(crate) fn next_serial() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A failure of a device.
pub(crate) fn device_error(device: &str, message: impl Into<String>) -> Error {
    Error::Device { place: SourcePlace::UNKNOWN, device: device.into(), message: message.into() }
}

/// What a device without a library says.
pub(crate) fn no_library(device: &str) -> Error {
    device_error(device, "has no library for that")
}

/// A failed reservation.
pub(crate) fn out_of_memory(device: &str, bytes: usize) -> Error {
    Error::OutOfDeviceMemory { place: SourcePlace::UNKNOWN, device: device.into(), bytes }
}

/// Whether the two sides of a copy have one size.
pub(crate) fn check_sizes(device: &str, from: usize, to: usize) -> Result<()> {
    if from == to {
        return Ok(());
    }
    Err(device_error(device, format!("a copy from {from} bytes to {to} bytes")))
}
