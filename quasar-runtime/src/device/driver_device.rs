//! [`Device`] for devices with a driver. `Hardware` is the part that CUDA and OpenCL share: size checks, counters, lazy
//! start and fork detection, on top of one [`Engine`] for each driver.

use super::accel_libraries::Libraries;
use super::{
    Counters, Device, DeviceMemory, DeviceOptions, Dialect, KernelFacts, KernelHandle, KernelSource,
    LaunchArg, LaunchConfig, Limits, Mailbox, Mailboxes, Maker, check_sizes, device_error, next_serial,
};
use crate::array::coherence::Place;
use crate::error::{Error, Result};
use crate::kernel::kernel_loader::Origin;
use crate::process;
use crate::profile::{self, Kind, Timing};
use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A started device of one driver. Operations on the same memory take effect in the order of the calls.
pub(super) trait Engine: Send + Sync + Sized + 'static {
    /// The driver's identifier of the device.
    type Id: Clone + Send + Sync;
    /// A compiled kernel.
    type Kernel: Any + Send + Sync;
    /// The kernel dialect that the driver compiles.
    const DIALECT: Dialect;

    /// Starts the device.
    fn start(id: &Self::Id, about: &DeviceInfo) -> Result<Self>;
    /// Restarts a lost device as a new one.
    fn renew(id: &Self::Id, about: &DeviceInfo) -> Result<DriverDevice<Self>>;
    /// Whether the device is lost and every call fails.
    fn is_lost(&self) -> bool;

    fn allocate(&self, bytes: usize) -> Result<DeviceMemory>;
    /// As [`Device::allocate_idle`].
    fn allocate_idle(&self, bytes: usize) -> Result<DeviceMemory> {
        self.allocate(bytes)
    }
    fn release(&self, memory: &DeviceMemory);
    fn trim(&self);
    fn free_bytes(&self) -> usize;
    fn used_bytes(&self) -> usize;

    fn upload(&self, from: &[u8], to: &DeviceMemory) -> Result<()>;
    /// Returns whether all work submitted before is complete as well.
    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<bool>;
    fn copy(&self, from: &DeviceMemory, to: &DeviceMemory) -> Result<()>;
    /// Whether peer-to-peer copies from `source` are possible.
    fn reaches(&self, _source: &Self) -> bool {
        false
    }
    /// As [`Device::receive`], from a source that is reached.
    fn receive(&self, _source: &Self, _from: &DeviceMemory, _to: &DeviceMemory) -> Result<()> {
        Err(Error::system("a copy from a device that is not reached"))
    }
    /// As [`Device::reclaim`].
    fn reclaim(&self, _memory: &DeviceMemory) -> Result<()> {
        Ok(())
    }
    /// As [`Device::stream`].
    fn stream(&self) -> Result<Option<usize>> {
        Ok(None)
    }
    /// As [`Device::adopt`]; `None` if the device cannot wrap foreign memory.
    ///
    /// # Safety
    /// As for [`Device::adopt`].
    unsafe fn adopt(&self, _address: u64, _bytes: usize, _stream: usize) -> Result<Option<DeviceMemory>> {
        Ok(None)
    }
    fn fill(&self, memory: &DeviceMemory, byte: u8) -> Result<()>;
    fn mailbox(&self, bytes: usize) -> Result<Mailbox>;
    fn peek(&self, mailbox: &Mailbox, to: &mut [u8]) -> Result<()>;

    /// As [`Device::compiles_concurrently`]. Loads the compiler.
    fn compiles_concurrently(_about: &DeviceInfo) -> bool {
        false
    }
    /// Compiles a kernel or loads it from a cache, and returns its origin.
    fn kernel(
        &self,
        about: &DeviceInfo,
        source: &KernelSource<'_>,
    ) -> Result<(KernelFacts, Self::Kernel, Origin)>;
    /// Enqueues a kernel with a checked configuration.
    ///
    /// # Safety
    /// As for [`Device::launch`].
    unsafe fn launch(
        &self,
        kernel: &Self::Kernel,
        name: &Arc<str>,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<()>;
    /// The same, and who asks the device how long it took.
    ///
    /// # Safety
    /// As for [`Device::launch`].
    unsafe fn launch_timed(
        &self,
        kernel: &Self::Kernel,
        name: &Arc<str>,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<Box<dyn Timing>>;
    /// As [`Device::resident_blocks`].
    fn resident_blocks(&self, _kernel: &Self::Kernel, _config: &LaunchConfig) -> Result<u32> {
        Ok(0)
    }
    /// As [`Device::libraries`].
    fn libraries(&self) -> Option<&dyn Libraries> {
        None
    }
    /// Starts pending launches.
    fn flush(&self) -> Result<()>;
    fn synchronize(&self) -> Result<()>;
}

/// Properties of a device that are known before it starts.
pub(super) struct DeviceInfo {
    /// Human-readable name.
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) maker: Maker,
    pub(super) limits: Limits,
    pub(super) options: DeviceOptions,
}

/// A device of a driver, whose engine starts at the first use.
pub(super) struct DriverDevice<E: Engine> {
    id: E::Id,
    about: DeviceInfo,
    serial: u64,
    counters: Counters,
    mailboxes: Mailboxes,
    engine: OnceLock<Result<E>>,
    /// Fork generation at device discovery: a driver does not work in a process forked later.
    process: u32,
}

impl<E: Engine> DriverDevice<E> {
    /// A device that starts at its first use.
    pub(super) fn new(id: E::Id, about: DeviceInfo) -> DriverDevice<E> {
        DriverDevice {
            id,
            about,
            serial: next_serial(),
            counters: Counters::default(),
            mailboxes: Mailboxes::default(),
            engine: OnceLock::new(),
            process: process::watched(),
        }
    }

    /// Tells a profile how much memory is in use.
    fn tell_memory(&self) {
        if profile::is_on()
            && let Ok(engine) = self.engine()
        {
            profile::memory(&self.about.name, engine.used_bytes());
        }
    }

    /// Whether the process was forked after device discovery.
    fn is_forked(&self) -> bool {
        self.process != process::generation()
    }

    fn engine(&self) -> Result<&E> {
        if self.is_forked() {
            return Err(device_error(&self.about.name, FORKED));
        }
        self.engine.get_or_init(|| E::start(&self.id, &self.about)).as_ref().map_err(Clone::clone)
    }

    /// The engine of another started device of the same driver.
    fn sibling<'d>(&self, other: &'d dyn Device) -> Option<&'d E> {
        let other: &dyn Any = other;
        other.downcast_ref::<Self>()?.engine.get()?.as_ref().ok()
    }
}

/// Driver threads do not survive a fork.
const FORKED: &str = "the process was forked after it had begun to use devices, and drivers do not work in the child; \
     kernels run on the CPU there: fork before devices are used, or start another program";

impl<E: Engine> Drop for DriverDevice<E> {
    fn drop(&mut self) {
        if self.is_forked()
            && let Some(engine) = self.engine.take()
        {
            // The driver's handles belong to the parent process, so they must not be freed here.
            std::mem::forget(engine);
        }
    }
}

impl<E: Engine> fmt::Debug for DriverDevice<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("name", &self.about.name).finish_non_exhaustive()
    }
}

// SAFETY: memory comes from the driver through a heap that gives each range to one owner at a time, with the requested
// size; memory spaces and serial numbers are unique for each device; copies compare sizes.
unsafe impl<E: Engine> Device for DriverDevice<E> {
    fn name(&self) -> &str {
        &self.about.name
    }

    fn place(&self) -> Place {
        self.about.place
    }

    fn serial(&self) -> u64 {
        self.serial
    }

    fn dialect(&self) -> Option<Dialect> {
        Some(E::DIALECT)
    }

    fn compiles_concurrently(&self) -> bool {
        E::compiles_concurrently(&self.about)
    }

    fn maker(&self) -> Maker {
        self.about.maker
    }

    fn limits(&self) -> &Limits {
        &self.about.limits
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn allocate(&self, bytes: usize) -> Result<DeviceMemory> {
        let _timer = profile::host(Kind::Allocation, "memory", &self.about.name, bytes);
        let allocated = self.engine()?.allocate(bytes);
        self.tell_memory();
        allocated
    }

    fn allocate_idle(&self, bytes: usize) -> Result<DeviceMemory> {
        let _timer = profile::host(Kind::Allocation, "memory", &self.about.name, bytes);
        let allocated = self.engine()?.allocate_idle(bytes);
        self.tell_memory();
        allocated
    }

    unsafe fn release(&self, memory: &DeviceMemory) {
        if let Ok(engine) = self.engine() {
            engine.release(memory);
            self.tell_memory();
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
        check_sizes(&self.about.name, from.len(), to.bytes)?;
        let _timer = profile::host(Kind::Copy, "to the device", &self.about.name, from.len());
        self.engine()?.upload(from, to)?;
        self.counters.upload(from.len());
        Ok(())
    }

    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<()> {
        check_sizes(&self.about.name, from.bytes, to.len())?;
        let timer = profile::host(Kind::Copy, "from the device", &self.about.name, to.len());
        let idle = self.engine()?.download(from, to)?;
        if timer.is_some() {
            drop(timer);
            profile::settle();
        }
        self.counters.download(to.len());
        if idle {
            self.counters.is_idle();
        }
        Ok(())
    }

    fn copy(&self, from: &DeviceMemory, to: &DeviceMemory) -> Result<()> {
        check_sizes(&self.about.name, from.bytes, to.bytes)?;
        let _timer = profile::host(Kind::Copy, "inside of the device", &self.about.name, to.bytes);
        self.engine()?.copy(from, to)
    }

    fn reaches(&self, other: &dyn Device) -> bool {
        match (self.sibling(other), self.engine()) {
            (Some(source), Ok(engine)) => engine.reaches(source),
            _ => false,
        }
    }

    fn receive(&self, other: &dyn Device, from: &DeviceMemory, to: &DeviceMemory) -> Result<()> {
        let name = &self.about.name;
        check_sizes(name, from.bytes, to.bytes)?;
        let source = self.sibling(other).filter(|_| self.reaches(other));
        let refused = || device_error(name, format!("cannot copy from {}", other.name()));
        let _timer = profile::host(Kind::Copy, "from another device", name, to.bytes);
        self.engine()?.receive(source.ok_or_else(refused)?, from, to)?;
        self.counters.peer_copy(to.bytes);
        Ok(())
    }

    fn reclaim(&self, memory: &DeviceMemory) -> Result<()> {
        self.engine()?.reclaim(memory)
    }

    fn stream(&self) -> Result<Option<usize>> {
        self.engine()?.stream()
    }

    unsafe fn adopt(&self, address: u64, bytes: usize, stream: usize) -> Result<DeviceMemory> {
        // SAFETY: as the caller promises.
        let memory = unsafe { self.engine()?.adopt(address, bytes, stream) }?;
        let refused =
            || device_error(&self.about.name, "not supported yet: memory of other code on this device");
        memory.ok_or_else(refused)
    }

    fn fill(&self, memory: &DeviceMemory, byte: u8) -> Result<()> {
        self.engine()?.fill(memory, byte)
    }

    fn mailbox(&self, bytes: usize) -> Result<Mailbox> {
        self.engine()?.mailbox(bytes)
    }

    fn peek(&self, mailbox: &Mailbox, to: &mut [u8]) -> Result<()> {
        self.engine()?.peek(mailbox, to)
    }

    fn mailboxes(&self) -> &Mailboxes {
        &self.mailboxes
    }

    fn kernel(&self, source: &KernelSource<'_>) -> Result<KernelHandle> {
        let _timer = profile::compilation(source.name, &self.about.name);
        let (facts, kernel, origin) = self.engine()?.kernel(&self.about, source)?;
        self.counters.made(origin);
        Ok(KernelHandle::new(source.name, facts, self, kernel))
    }

    unsafe fn launch(
        &self,
        kernel: &KernelHandle,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<()> {
        let compiled: &E::Kernel = kernel.compiled(self)?;
        config.check(&self.about.name, kernel, &self.about.limits)?;
        if config.is_empty() {
            return Ok(());
        }
        let engine = self.engine()?;
        if profile::is_on() {
            // SAFETY: as below.
            let timing = unsafe { engine.launch_timed(compiled, kernel.shared_name(), config, args) }?;
            let bytes = args.iter().filter_map(LaunchArg::memory).map(DeviceMemory::bytes).sum();
            profile::submitted(kernel.name(), &self.about.name, (config.grid, config.block), bytes, timing);
        } else {
            // SAFETY: the caller guarantees the kernel and its arguments; the configuration was checked.
            unsafe { engine.launch(compiled, kernel.shared_name(), config, args) }?;
        }
        self.counters.launch();
        Ok(())
    }

    fn resident_blocks(&self, kernel: &KernelHandle, config: &LaunchConfig) -> u32 {
        if !self.about.limits.cooperative {
            return 0;
        }
        let (Ok(compiled), Ok(engine)) = (kernel.compiled(self), self.engine()) else { return 0 };
        engine.resident_blocks(compiled, config).unwrap_or(0)
    }

    fn libraries(&self) -> Option<&dyn Libraries> {
        self.engine().ok()?.libraries()
    }

    fn flush(&self) -> Result<()> {
        match self.engine.get() {
            Some(Ok(engine)) if !self.is_forked() => engine.flush(),
            _ => Ok(()),
        }
    }

    fn synchronize(&self) -> Result<()> {
        self.engine()?.synchronize()?;
        self.counters.is_idle();
        if profile::is_on() {
            profile::settle();
        }
        Ok(())
    }

    fn is_lost(&self) -> bool {
        self.is_forked() || matches!(self.engine.get(), Some(Ok(engine)) if engine.is_lost())
    }

    fn renew(&self) -> Result<Arc<dyn Device>> {
        if self.is_forked() {
            return Err(device_error(&self.about.name, FORKED));
        }
        // A restart would invalidate the memory of all current users.
        if !self.is_lost() {
            return Err(device_error(&self.about.name, "is not lost, and cannot be started again"));
        }
        Ok(Arc::new(E::renew(&self.id, &self.about)?))
    }
}
