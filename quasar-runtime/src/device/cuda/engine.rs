//! The CUDA [`Engine`]: context, streams, device memory and error state of one started GPU. Kernels, copies, peers and
//! libraries are in the modules beside it.

use super::super::accel_libraries::{Direction, Elements, Libraries, Library, Product, Transform};
use super::super::copy_overlap::{self, Lane, Lanes, LastUse, Overlap};
use super::super::driver_device::{self, DeviceInfo, DriverDevice, Engine as _};
use super::super::{
    DeviceMemory, Dialect, Keep, KernelFacts, KernelSource, LaunchArg, LaunchConfig, Mailbox, device_error,
    out_of_memory,
};
use super::Id;
use super::answers::MappedBuffers;
use super::batch::Batch;
use super::cublas::Products;
use super::cufft::Fourier;
use super::driver::{CUdeviceptr, CUmemoryPool, CUstream, Functions, SUCCESS, Severity, Status, severity};
use super::module::{self, CudaKernel, Modules};
use super::peers::{Context, Event, LaunchTime, Peers};
use super::staging::Stagings;
use super::sys::{self, CUdevice_attribute as Attribute};
use crate::error::{Error, Result};
use crate::kernel::kernel_loader::Origin;
use crate::memory::heap::Heap;
use crate::profile::Timing;
use quasar_compiled::nvrtc::nvrtc;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Maximum bytes of a host-mapped result buffer. Each block takes 50 ns to write over the bus, which soon exceeds the
/// cost of one copy for all.
const MAX_MAPPED_BYTES: usize = 1024;

/// A block of device memory with its last-use mark.
#[derive(Clone, Copy)]
struct Block {
    address: CUdeviceptr,
    mark: &'static LastUse,
}

/// A started GPU. All work runs on one stream in the order of the calls, except large host-device copies (`overlap`).
pub(super) struct Engine {
    pub(super) functions: &'static Functions,
    /// Human-readable name of the device.
    pub(super) name: String,
    pub(super) id: Id,
    pub(super) context: Arc<Context>,
    pub(super) stream: CUstream,
    /// Streams for large uploads and downloads.
    copies: [CUstream; 2],
    pub(super) overlap: Overlap<Event>,
    heap: Mutex<Heap<Block>>,
    /// The driver pool from which memory is allocated if most of it is reserved at the start. In other modes a pool is
    /// not worth the 10 ms of its first allocation.
    pub(super) pool: Option<CUmemoryPool>,
    pub(super) peers: Peers,
    pub(super) staging: Stagings,
    answers: MappedBuffers,
    pub(super) batch: Batch,
    pub(super) modules: Modules,
    fourier: Fourier,
    products: Products,
    /// Held from filling the constant memory of a module until the launch that reads it is submitted.
    pub(super) constants: Mutex<()>,
}

// SAFETY: the driver's objects may be used from any thread that made the context current, which `enter` does.
unsafe impl Send for Engine {}
// SAFETY: as above; the driver synchronises its own state, and ours is atomic or behind locks.
unsafe impl Sync for Engine {}

impl Engine {
    /// Creates a private pool, so that the pool settings of other CUDA code stay unchanged.
    fn create_pool(&self) -> Result<Option<CUmemoryPool>> {
        let (Some(create), Some(set)) = (self.functions.create_pool, self.functions.set_pool_attribute)
        else {
            return Ok(None);
        };
        let properties = sys::CUmemPoolProps {
            allocType: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: sys::NO_HANDLE,
            location: sys::CUmemLocation {
                type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: self.id.device,
            },
            win32SecurityAttributes: std::ptr::null_mut(),
            maxSize: 0,
            usage: 0,
            reserved: [0; 54],
        };
        let mut pool = std::ptr::null_mut();
        // SAFETY: the structure is complete and lives until the call returns; the function writes one pointer.
        self.check(unsafe { create(&raw mut pool, &raw const properties) })?;
        let mut threshold = u64::MAX;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD as c_int;
        // SAFETY: the attribute is a 64-bit number, which lives until the call returns.
        self.check(unsafe { set(pool, attribute, (&raw mut threshold).cast()) })?;
        Ok(Some(pool))
    }

    /// Grows the pool to most of the free memory. On failure it grows on demand.
    fn reserve_most(&self) {
        let (mut free, mut total) = (0, 0);
        // SAFETY: the context is current; the function writes two numbers.
        let status = unsafe { (self.functions.memory_info)(&raw mut free, &raw mut total) };
        let reserved = total.saturating_sub(self.free_bytes());
        if status == SUCCESS
            && self.pool.is_some()
            && let Ok(memory) = self.allocate(free.saturating_sub(reserved) / 10 * 9)
        {
            self.release(&memory);
        }
    }

    /// Makes the context current on this thread and submits queued launches.
    pub(super) fn enter(&self) -> Result<()> {
        self.batch.flush(self)?;
        self.make_current()
    }

    /// Makes the context current on this thread.
    pub(super) fn make_current(&self) -> Result<()> {
        if self.is_lost() {
            return Err(device_error(&self.name, "has failed earlier and was given up"));
        }
        // SAFETY: the context is retained until the engine is dropped.
        self.check(unsafe { (self.functions.set_context)(self.context.handle) })
    }

    /// Converts a status code to a result. A fatal error marks the device as lost.
    pub(super) fn check(&self, status: Status) -> Result<()> {
        if status == SUCCESS {
            return Ok(());
        }
        let message = self.functions.message(status);
        match severity(status) {
            Severity::Call | Severity::Memory => Err(device_error(&self.name, message)),
            Severity::Fatal => {
                self.context.lost.store(true, Ordering::Relaxed);
                Err(device_error(
                    &self.name,
                    format!("{message}; the device is given up with all that only it held"),
                ))
            }
        }
    }

    fn heap(&self) -> MutexGuard<'_, Heap<Block>> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stream of a lane.
    pub(super) fn lane(&self, lane: Lane) -> CUstream {
        let [inward, outward] = self.copies;
        match lane {
            Lane::Main => self.stream,
            Lane::In => inward,
            Lane::Out => outward,
        }
    }

    /// Wraps the result of a heap allocation.
    fn found(&self, found: Option<(u64, Block)>, bytes: usize) -> Result<DeviceMemory> {
        let (id, block) = found.ok_or_else(|| out_of_memory(&self.name, bytes))?;
        let memory = DeviceMemory::marked(id, bytes, block.mark);
        if self.pool.is_some() {
            // Pool memory becomes valid when the stream reaches its allocation.
            self.overlap.touch(&memory, true);
        }
        Ok(memory)
    }

    /// Allocates from the driver; `None` if it is out of memory.
    fn reserve(&self, bytes: usize) -> Result<Option<Block>> {
        self.enter()?;
        let mut pointer: CUdeviceptr = 0;
        // SAFETY: the context is current, pool and stream exist; the function writes one pointer.
        let status = unsafe {
            match (self.pool, self.functions.allocate_from_pool) {
                (Some(pool), Some(allocate)) => allocate(&raw mut pointer, bytes, pool, self.stream),
                _ => (self.functions.allocate)(&raw mut pointer, bytes),
            }
        };
        match severity(status) {
            Severity::Memory => Ok(None),
            _ => self.check(status).map(|()| Some(Block { address: pointer, mark: LastUse::take() })),
        }
    }

    /// Frees memory, ordered after the submitted work that uses it.
    fn give_back(&self, memory: &[Block]) {
        memory.iter().for_each(|block| LastUse::put_back(block.mark));
        // The memory of a lost device disappeared with its context.
        if memory.is_empty() || self.enter().is_err() {
            return;
        }
        for &Block { address, .. } in memory {
            // SAFETY: the context is current and the memory is not used by what is submitted from now on. Work that
            // uses it is earlier in the same stream; `free` waits for it.
            let status = unsafe {
                match self.functions.free_async {
                    Some(free) => free(address, self.stream),
                    None => (self.functions.free)(address),
                }
            };
            let _ = self.check(status);
        }
    }

    /// Synchronous copy from pageable host memory.
    pub(super) fn upload_pageable(&self, from: &[u8], to: CUdeviceptr) -> Result<()> {
        self.enter()?;
        let source = from.as_ptr().cast();
        // SAFETY: the context is current; the target has the size of the source, which stays until the stream is idle.
        let status = unsafe { (self.functions.upload)(to, source, from.len(), self.stream) };
        self.synchronize().and(self.check(status))
    }

    /// Synchronous copy to pageable host memory.
    pub(super) fn download_pageable(&self, from: CUdeviceptr, to: &mut [u8]) -> Result<()> {
        self.enter()?;
        let target = to.as_mut_ptr().cast();
        // SAFETY: the context is current; the source has the size of the target, which stays until the stream is idle.
        let status = unsafe { (self.functions.download)(target, from, to.len(), self.stream) };
        self.synchronize().and(self.check(status))
    }

    /// The result of a launch, with the kernel's name in the message.
    pub(super) fn launched(&self, name: &str, status: Status) -> Result<()> {
        if status != SUCCESS && severity(status) != Severity::Fatal {
            let message = self.functions.message(status);
            return Err(device_error(&self.name, format!("kernel '{name}': {message}")));
        }
        self.check(status)
    }

    pub(super) fn refused(&self, message: &str) -> Error {
        device_error(&self.name, message)
    }

    /// Allocates pinned host memory.
    pub(super) fn pin(&self, bytes: usize) -> Result<*mut u8> {
        self.enter()?;
        let mut pointer: *mut c_void = std::ptr::null_mut();
        // SAFETY: the context is current; the function writes one pointer.
        self.check(unsafe { (self.functions.allocate_host)(&raw mut pointer, bytes, 0) })?;
        Ok(pointer.cast())
    }
}

impl driver_device::Engine for Engine {
    type Id = Id;
    type Kernel = CudaKernel;
    const DIALECT: Dialect = Dialect::Cuda;

    /// Retains the primary context of the device, which other CUDA code of this process shares.
    fn start(id: &Id, about: &DeviceInfo) -> Result<Engine> {
        let Id { functions, device, .. } = *id;
        let DeviceInfo { name, limits, options, .. } = about;
        // A driver pool caches freed memory itself, so the heap need not.
        let kept = if options.keep == Keep::Freed { usize::MAX } else { 0 };
        let mut handle = std::ptr::null_mut();
        // SAFETY: the function writes one pointer.
        let status = unsafe { (functions.retain_context)(&raw mut handle, device) };
        if status != SUCCESS {
            return Err(device_error(name, format!("cannot be started: {}", functions.message(status))));
        }
        let mut engine = Engine {
            functions,
            name: name.clone(),
            id: *id,
            context: Arc::new(Context { functions, handle, device, lost: AtomicBool::new(false) }),
            stream: std::ptr::null_mut(),
            copies: [std::ptr::null_mut(); 2],
            overlap: Overlap::default(),
            heap: Mutex::new(
                Heap::new(options.usable(limits.memory_bytes), kept)
                    .with_exact_blocks(options.keep == Keep::Nothing),
            ),
            pool: None,
            peers: Peers::default(),
            staging: Stagings::default(),
            answers: MappedBuffers::default(),
            batch: Batch::default(),
            modules: Modules::default(),
            fourier: Fourier::default(),
            products: Products::default(),
            constants: Mutex::default(),
        };
        engine.enter()?;
        const NON_BLOCKING: c_uint = 1;
        let [inward, outward] = &mut engine.copies;
        for stream in [&mut engine.stream, inward, outward] {
            // SAFETY: the context is current; the function writes one pointer.
            let status = unsafe { (functions.create_stream)(stream, NON_BLOCKING) };
            if status != SUCCESS {
                return Err(device_error(name, functions.message(status)));
            }
        }
        let pools = Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
        if options.keep == Keep::Most && functions.attribute(device, pools) != 0 {
            engine.pool = engine.create_pool()?;
            engine.reserve_most();
        }
        Ok(engine)
    }

    fn renew(id: &Id, about: &DeviceInfo) -> Result<DriverDevice<Engine>> {
        // SAFETY: the driver is initialised. Objects of the old context are not used any more: its engine is lost.
        let status = unsafe { (id.functions.reset_context)(id.device) };
        if status != SUCCESS {
            return Err(device_error(&about.name, id.functions.message(status)));
        }
        let renewed = super::device(id.functions, id.ordinal, &about.options);
        renewed.ok_or_else(|| device_error(&about.name, "is gone"))
    }

    fn is_lost(&self) -> bool {
        self.context.is_lost()
    }

    fn allocate(&self, bytes: usize) -> Result<DeviceMemory> {
        let found = self.heap().allocate(bytes, |class| self.reserve(class), |block| block.address)?;
        self.found(found, bytes)
    }

    fn allocate_idle(&self, bytes: usize) -> Result<DeviceMemory> {
        if bytes < copy_overlap::MIN_OVERLAP_BYTES {
            return self.allocate(bytes);
        }
        let idle = |block: &Block| self.overlap.is_idle(self, block.mark);
        let make = |class| self.reserve(class);
        let found = self.heap().allocate_idle(bytes, idle, make, |block| block.address)?;
        self.found(found, bytes)
    }

    fn release(&self, memory: &DeviceMemory) {
        // The next owner of the memory waits for peers that still read it.
        let _ = self.peers.reclaim(self, memory);
        let released = self.heap().release(memory.id);
        self.give_back(&released);
    }

    fn trim(&self) {
        let released = self.heap().trim();
        self.give_back(&released);
        if let (Ok(()), Some(pool), Some(trim)) = (self.synchronize(), self.pool, self.functions.trim_pool) {
            // SAFETY: the context is current and the pool exists.
            let _ = self.check(unsafe { trim(pool, 0) });
        }
    }

    fn free_bytes(&self) -> usize {
        self.heap().free_bytes()
    }

    fn used_bytes(&self) -> usize {
        self.heap().used_bytes()
    }

    fn upload(&self, from: &[u8], to: &DeviceMemory) -> Result<()> {
        let lane = self.overlap.upload(self, to)?;
        let submitted = self.staging.upload(self, lane, from, address(to));
        self.overlap.touch(to, true);
        submitted
    }

    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<bool> {
        let (lane, idle) = self.overlap.download(self, from)?;
        self.staging.download(self, lane, address(from), to)?;
        if idle {
            self.batch.start_again();
        }
        Ok(idle)
    }

    fn copy(&self, from: &DeviceMemory, to: &DeviceMemory) -> Result<()> {
        if from.bytes == 0 {
            return Ok(());
        }
        self.enter()?;
        // SAFETY: the context is current; both memories have at least this size, as the caller checked.
        let submitted =
            self.check(unsafe { (self.functions.copy)(address(to), address(from), from.bytes, self.stream) });
        self.overlap.touch(from, false);
        self.overlap.touch(to, true);
        submitted
    }

    fn reaches(&self, source: &Engine) -> bool {
        self.peers.reach(self, source)
    }

    fn receive(&self, source: &Engine, from: &DeviceMemory, to: &DeviceMemory) -> Result<()> {
        Peers::receive(self, source, from, to)
    }

    fn reclaim(&self, memory: &DeviceMemory) -> Result<()> {
        self.peers.reclaim(self, memory)
    }

    fn stream(&self) -> Result<Option<usize>> {
        self.enter()?;
        self.overlap.share();
        Ok(Some(self.stream.addr()))
    }

    unsafe fn adopt(&self, address: u64, bytes: usize, stream: usize) -> Result<Option<DeviceMemory>> {
        // Kernels use 16-byte vector accesses.
        if !address.is_multiple_of(16) {
            return Err(self.refused("memory of other code does not begin at a multiple of 16 bytes"));
        }
        self.enter()?;
        // SAFETY: the caller guarantees that the stream is one of this context.
        let ready = unsafe { Event::after(self, std::ptr::with_exposed_provenance_mut(stream)) }?;
        ready.hold_up(self)?;
        Ok(Some(DeviceMemory::new(address, bytes)))
    }

    fn fill(&self, memory: &DeviceMemory, byte: u8) -> Result<()> {
        if memory.bytes == 0 {
            return Ok(());
        }
        self.enter()?;
        // SAFETY: the context is current; the memory has this size.
        let submitted =
            self.check(unsafe { (self.functions.fill)(memory.id, byte, memory.bytes, self.stream) });
        self.overlap.touch(memory, true);
        submitted
    }

    fn mailbox(&self, bytes: usize) -> Result<Mailbox> {
        if bytes <= MAX_MAPPED_BYTES {
            return self.answers.mailbox(self, bytes);
        }
        let memory = self.allocate(bytes)?;
        self.fill(&memory, 0)?;
        Ok(Mailbox::new(memory))
    }

    fn peek(&self, mailbox: &Mailbox, to: &mut [u8]) -> Result<()> {
        if mailbox.look(to) { Ok(()) } else { self.download(mailbox.memory(), to).map(|_| ()) }
    }

    fn compiles_concurrently(about: &DeviceInfo) -> bool {
        about.options.embedded_only || nvrtc().is_ok()
    }

    fn kernel(
        &self,
        about: &DeviceInfo,
        source: &KernelSource<'_>,
    ) -> Result<(KernelFacts, CudaKernel, Origin)> {
        module::kernel(self, &about.options, source)
    }

    unsafe fn launch(
        &self,
        kernel: &CudaKernel,
        name: &Arc<str>,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        unsafe { kernel.launch(self, name, config, args) }
    }

    unsafe fn launch_timed(
        &self,
        kernel: &CudaKernel,
        name: &Arc<str>,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<Box<dyn Timing>> {
        // Launches that wait to be submitted come first.
        self.enter()?;
        let begin = Event::timed(self)?;
        // SAFETY: guaranteed by the caller.
        unsafe { kernel.launch(self, name, config, args) }?;
        self.make_current()?;
        Ok(Box::new(LaunchTime { begin, end: Event::timed(self)? }))
    }

    fn resident_blocks(&self, kernel: &CudaKernel, config: &LaunchConfig) -> Result<u32> {
        let processors = Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let processors = self.functions.attribute(self.id.device, processors);
        let of_one = kernel.resident_blocks(self, config)?;
        Ok(of_one.saturating_mul(u32::try_from(processors).unwrap_or(0)))
    }

    fn libraries(&self) -> Option<&dyn Libraries> {
        Some(self)
    }

    fn flush(&self) -> Result<()> {
        self.batch.flush(self)
    }

    fn synchronize(&self) -> Result<()> {
        let epoch = self.overlap.finishing();
        self.enter()?;
        // SAFETY: the context is current and the stream exists.
        self.check(unsafe { (self.functions.synchronize)(self.stream) })?;
        self.overlap.finished(epoch);
        self.batch.start_again();
        Ok(())
    }
}

impl Libraries for Engine {
    fn known(&self, library: Library) -> Option<bool> {
        match library {
            Library::Fourier => self.fourier.known(),
            Library::Products => self.products.known(),
        }
    }

    fn load(&self, library: Library) -> bool {
        match library {
            Library::Fourier => self.fourier.load(self),
            Library::Products => self.products.load(self),
        }
    }

    fn plan(&self, transform: &Transform) -> Result<(usize, bool)> {
        self.fourier.plan(self, transform)
    }

    unsafe fn transform(
        &self,
        transform: &Transform,
        direction: Direction,
        memory: [&DeviceMemory; 3],
    ) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        let submitted = unsafe { self.fourier.transform(self, transform, direction, memory) };
        let [from, to, work] = memory;
        self.overlap.touch(from, transform.elements() == Elements::HalfToReal);
        self.overlap.touch(to, true);
        self.overlap.touch(work, true);
        submitted
    }

    unsafe fn multiply(&self, product: &Product, matrices: [&DeviceMemory; 3]) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        let submitted = unsafe { self.products.multiply(self, product, matrices) };
        let [left, right, result] = matrices;
        self.overlap.touch(left, false);
        self.overlap.touch(right, false);
        self.overlap.touch(result, true);
        submitted
    }
}

impl Lanes for Engine {
    type Event = Event;

    fn flush(&self) -> Result<()> {
        self.enter()
    }

    fn record(&self, old: Option<Event>) -> Result<Event> {
        self.make_current()?;
        old.map_or_else(|| Event::now(self), |event| event.again(self))
    }

    fn wait(&self, lane: Lane, event: &Event) -> Result<()> {
        self.make_current()?;
        event.hold_up_lane(self, self.lane(lane))
    }

    fn is_over(&self, event: &Event) -> bool {
        self.make_current().is_ok() && event.is_over()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // Objects of a lost context can no longer be released.
        if self.synchronize().is_err() {
            return;
        }
        let functions = self.functions;
        self.fourier.release();
        self.products.release();
        self.staging.release(functions);
        self.trim();
        self.answers.release(functions);
        self.batch.release(functions);
        self.modules.release(functions);
        // SAFETY: nothing uses these objects any more: the stream is idle, and handles to kernels and memory keep the
        // device alive.
        unsafe {
            for stream in [Lane::Main, Lane::In, Lane::Out].map(|lane| self.lane(lane)) {
                (functions.destroy_stream)(stream);
            }
            if let (Some(pool), Some(destroy)) = (self.pool, functions.destroy_pool) {
                destroy(pool);
            }
        }
    }
}

/// The device address of memory or of a subrange.
pub(super) fn address(memory: &DeviceMemory) -> CUdeviceptr {
    memory.id + memory.start as CUdeviceptr
}
