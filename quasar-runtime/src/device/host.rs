//! The CPU as a [`Device`]. Its memory is host memory, so it needs no transfers, and its kernels are Rust functions
//! that `kernel::launch` runs; so every memory and kernel operation of the trait fails here.

use super::{
    Counters, Device, DeviceMemory, Dialect, KernelHandle, KernelSource, LaunchArg, LaunchConfig, Limits,
    Mailbox, Mailboxes, device_error,
};
use crate::array::coherence::Place;
use crate::error::{Error, Result};
use std::sync::LazyLock;

/// The CPU.
#[derive(Clone, Copy, Debug, Default)]
pub struct HostDevice;

static LIMITS: LazyLock<Limits> = LazyLock::new(|| Limits {
    architecture: std::env::consts::ARCH.into(),
    multiprocessors: std::thread::available_parallelism()
        .map_or(1, |n| u32::try_from(n.get()).unwrap_or(u32::MAX)),
    warp: 1,
    doubles: true,
    ..Limits::default()
});
static COUNTERS: LazyLock<Counters> = LazyLock::new(Counters::default);
static MAILBOXES: LazyLock<Mailboxes> = LazyLock::new(Mailboxes::default);

impl HostDevice {
    fn no_memory(self) -> Error {
        device_error(self.name(), "its memory is host memory, which arrays manage themselves")
    }

    fn no_kernels(self) -> Error {
        device_error(self.name(), "its kernels are Rust functions")
    }
}

// SAFETY: it has no memory of its own and refuses every operation that needs some.
unsafe impl Device for HostDevice {
    fn name(&self) -> &str {
        "cpu"
    }

    fn place(&self) -> Place {
        Place::Host
    }

    fn serial(&self) -> u64 {
        0
    }

    fn dialect(&self) -> Option<Dialect> {
        None
    }

    fn limits(&self) -> &Limits {
        &LIMITS
    }

    fn counters(&self) -> &Counters {
        &COUNTERS
    }

    fn allocate(&self, _bytes: usize) -> Result<DeviceMemory> {
        Err(self.no_memory())
    }

    unsafe fn release(&self, _memory: &DeviceMemory) {}

    fn trim(&self) {
        crate::memory::trim();
    }

    fn free_bytes(&self) -> usize {
        0
    }

    fn upload(&self, _from: &[u8], _to: &DeviceMemory) -> Result<()> {
        Err(self.no_memory())
    }

    fn download(&self, _from: &DeviceMemory, _to: &mut [u8]) -> Result<()> {
        Err(self.no_memory())
    }

    fn copy(&self, _from: &DeviceMemory, _to: &DeviceMemory) -> Result<()> {
        Err(self.no_memory())
    }

    fn fill(&self, _memory: &DeviceMemory, _byte: u8) -> Result<()> {
        Err(self.no_memory())
    }

    fn mailbox(&self, _bytes: usize) -> Result<Mailbox> {
        Err(self.no_memory())
    }

    fn peek(&self, _mailbox: &Mailbox, _to: &mut [u8]) -> Result<()> {
        Err(self.no_memory())
    }

    fn mailboxes(&self) -> &Mailboxes {
        &MAILBOXES
    }

    fn kernel(&self, _source: &KernelSource<'_>) -> Result<KernelHandle> {
        Err(self.no_kernels())
    }

    unsafe fn launch(
        &self,
        _kernel: &KernelHandle,
        _config: &LaunchConfig,
        _args: &[LaunchArg<'_>],
    ) -> Result<()> {
        Err(self.no_kernels())
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
}
