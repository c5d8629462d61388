//! Copies from the memory of one GPU to another over the bus between them, in the order of both streams.
//!
//! The reader's stream waits for an event of the lender's and copies. The lender goes on meanwhile: it keeps an event of the
//! reader's, and waits for it when the memory is to change or to be used for something else.

use super::super::DeviceMemory;
use super::super::hardware::Engine as _;
use super::driver::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUstream, Functions, SUCCESS, Status};
use super::engine::{Engine, address};
use crate::error::Result;
use cudarc::driver::sys;
use std::ffi::c_uint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The context of an engine, which lives as long as its events.
pub(super) struct Context {
    pub(super) functions: &'static Functions,
    pub(super) handle: CUcontext,
    pub(super) device: CUdevice,
    /// Whether everything in it fails from now on.
    pub(super) lost: AtomicBool,
}

// SAFETY: contexts of the driver may be used from any thread.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // A lost context cannot be released any more.
        if !self.is_lost() {
            // SAFETY: the context was retained once, and what was made in it is released.
            unsafe { (self.functions.release_context)(self.device) };
        }
    }
}

/// What was submitted to a stream up to some moment.
pub(super) struct Event {
    handle: CUevent,
    context: Arc<Context>,
}

// SAFETY: events may be used from any thread.
unsafe impl Send for Event {}

impl Event {
    /// The present moment of an engine whose context is current.
    pub(super) fn now(engine: &Engine) -> Result<Event> {
        // SAFETY: the stream is the engine's.
        unsafe { Event::after(engine, engine.stream) }
    }

    /// What was submitted to a stream up to now, in the context of an engine, which is current.
    ///
    /// # Safety
    /// The stream exists and belongs to this context.
    pub(super) unsafe fn after(engine: &Engine, stream: CUstream) -> Result<Event> {
        const NO_TIMING: c_uint = 2;
        let mut event = Event { handle: std::ptr::null_mut(), context: Arc::clone(&engine.context) };
        // SAFETY: the context is current; the function writes one pointer.
        engine.check(unsafe { (engine.functions.create_event)(&raw mut event.handle, NO_TIMING) })?;
        // SAFETY: event and stream exist and belong to the same context.
        engine.check(unsafe { (engine.functions.record_event)(event.handle, stream) })?;
        Ok(event)
    }

    /// The present moment of an engine whose context is current, instead of an earlier one.
    pub(super) fn again(self, engine: &Engine) -> Result<Event> {
        // SAFETY: the event exists, and belongs to the context of the stream.
        engine.check(unsafe { (engine.functions.record_event)(self.handle, engine.stream) })?;
        Ok(self)
    }

    /// Lets what an engine gets from now on wait. Its context is current.
    pub(super) fn hold_up(&self, engine: &Engine) -> Result<()> {
        self.hold_up_lane(engine, engine.stream)
    }

    /// Lets what a stream of an engine gets from now on wait. The engine's context is current.
    pub(super) fn hold_up_lane(&self, engine: &Engine, stream: CUstream) -> Result<()> {
        // What was lost reads nothing.
        if self.context.is_lost() {
            return Ok(());
        }
        // SAFETY: the event exists as long as its context, and so does the stream.
        engine.check(unsafe { (engine.functions.wait_for_event)(stream, self.handle, 0) })
    }

    pub(super) fn is_over(&self) -> bool {
        const NOT_READY: Status = 600;
        // SAFETY: the event exists as long as its context.
        self.context.is_lost() || unsafe { (self.context.functions.query_event)(self.handle) } != NOT_READY
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if !self.handle.is_null() && !self.context.is_lost() {
            // SAFETY: the event exists; the driver lets those wait to the end who wait for it.
            unsafe { (self.context.functions.destroy_event)(self.handle) };
        }
    }
}

/// Loans are looked through for those that are over when there are so many.
const MANY: usize = 16;

/// What a device knows of others. See the module.
#[derive(Default)]
pub(super) struct Peers {
    /// Contexts of others, and whether their memory can be read from here.
    known: Mutex<Vec<(Weak<Context>, bool)>>,
    /// Memory of this device that others read until an event.
    lent: Mutex<Vec<(CUdeviceptr, Event)>>,
    lends: AtomicBool,
}

impl Peers {
    fn lent(&self) -> MutexGuard<'_, Vec<(CUdeviceptr, Event)>> {
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an engine reads the memory of another one.
    pub(super) fn reach(&self, engine: &Engine, source: &Engine) -> bool {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(context, _)| context.strong_count() > 0);
        let same = |(context, _): &&(Weak<Context>, bool)| context.as_ptr() == Arc::as_ptr(&source.context);
        if let Some((_, reached)) = known.iter().find(same) {
            return *reached;
        }
        let reached = open(engine, source).unwrap_or(false);
        known.push((Arc::downgrade(&source.context), reached));
        reached
    }

    /// Copies from a source that is reached.
    pub(super) fn receive(
        engine: &Engine,
        source: &Engine,
        from: &DeviceMemory,
        to: &DeviceMemory,
    ) -> Result<()> {
        if from.bytes == 0 {
            return Ok(());
        }
        source.enter()?;
        let written = Event::now(source)?;
        engine.enter()?;
        written.hold_up(engine)?;
        let (target, lender) = (engine.context.handle, source.context.handle);
        // SAFETY: both contexts are retained, this one is current; both memories have this size, as the caller checked.
        engine.check(unsafe {
            (engine.functions.copy_peer)(
                address(to),
                target,
                address(from),
                lender,
                from.bytes,
                engine.stream,
            )
        })?;
        engine.overlap.touch(to, true);
        let copied = Event::now(engine).or_else(|error| engine.synchronize().and(Err(error)))?;
        source.peers.lend(from.id, copied);
        Ok(())
    }

    fn lend(&self, memory: CUdeviceptr, copied: Event) {
        let mut lent = self.lent();
        if lent.len() >= MANY {
            lent.retain(|(_, event)| !event.is_over());
        }
        lent.push((memory, copied));
        self.lends.store(true, Ordering::Release);
    }

    /// Lets what is submitted from now on wait until nobody reads a memory any more.
    pub(super) fn reclaim(&self, engine: &Engine, memory: &DeviceMemory) -> Result<()> {
        if !self.lends.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut lent = self.lent();
        let (back, others) = lent.drain(..).partition(|(id, _)| *id == memory.id);
        *lent = others;
        self.lends.store(!lent.is_empty(), Ordering::Release);
        drop(lent);
        let back: Vec<(CUdeviceptr, Event)> = back;
        if back.is_empty() {
            return Ok(());
        }
        engine.enter()?;
        back.iter().try_for_each(|(_, event)| event.hold_up(engine))?;
        engine.overlap.touch(memory, true);
        Ok(())
    }
}

/// Lets an engine read the memory of another one, if the devices can.
fn open(engine: &Engine, source: &Engine) -> Result<bool> {
    let functions = engine.functions;
    let mut can = 0;
    // SAFETY: the function writes one integer.
    engine.check(unsafe {
        (functions.can_access_peer)(&raw mut can, engine.context.device, source.context.device)
    })?;
    if can == 0 || !open_pool(engine, source) {
        return Ok(false);
    }
    engine.make_current()?;
    // SAFETY: both contexts are retained.
    let status = unsafe { (functions.enable_peer_access)(source.context.handle, 0) };
    // Other code in this process may have done it: contexts are shared.
    const ALREADY: Status = 704;
    Ok(status == SUCCESS || status == ALREADY)
}

/// Memory from a pool has to be opened by itself. Says whether all memory of the source can be read now.
fn open_pool(engine: &Engine, source: &Engine) -> bool {
    let Some(pool) = source.pool else { return true };
    let Some(set_access) = engine.functions.set_pool_access else { return false };
    let access = sys::CUmemAccessDesc {
        location: sys::CUmemLocation {
            type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            id: engine.context.device,
        },
        flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
    };
    // SAFETY: the pool exists; the driver reads one description.
    unsafe { set_access(pool, &raw const access, 1) == SUCCESS }
}
