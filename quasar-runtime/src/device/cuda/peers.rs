//! Peer-to-peer copies between GPUs, ordered in both streams by events.
//!
//! The destination's stream waits for an event of the source's stream and copies. The source goes on meanwhile: it
//! keeps an event of the destination's stream, and waits for it before the memory is overwritten or reused.

use super::super::DeviceMemory;
use super::super::driver_device::Engine as _;
use super::driver::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUstream, Functions, SUCCESS, Status};
use super::engine::{Engine, address};
use super::sys;
use crate::error::Result;
use crate::profile::{Poll, Timing};
use std::ffi::c_uint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The context of an engine. It outlives the events created in it.
pub(super) struct Context {
    pub(super) functions: &'static Functions,
    pub(super) handle: CUcontext,
    pub(super) device: CUdevice,
    /// Whether the context is lost and every call in it fails.
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
        // A lost context can no longer be released.
        if !self.is_lost() {
            // SAFETY: the context was retained once, and what was made in it is released.
            unsafe { (self.functions.release_context)(self.device) };
        }
    }
}

/// A point in a stream: complete once the work submitted before it is.
pub(super) struct Event {
    handle: CUevent,
    context: Arc<Context>,
}

// SAFETY: events may be used from any thread.
unsafe impl Send for Event {}

impl Event {
    /// Records an event on the engine's stream. The engine's context is current.
    pub(super) fn now(engine: &Engine) -> Result<Event> {
        // SAFETY: the stream is the engine's.
        unsafe { Event::after(engine, engine.stream) }
    }

    /// Records an event on `stream`, in the context of an engine, which is current.
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

    /// Records an event that knows its time on the engine's stream. The engine's context is current.
    pub(super) fn timed(engine: &Engine) -> Result<Event> {
        let mut event = Event { handle: std::ptr::null_mut(), context: Arc::clone(&engine.context) };
        // SAFETY: the context is current; the function writes one pointer.
        engine.check(unsafe { (engine.functions.create_event)(&raw mut event.handle, 0) })?;
        // SAFETY: event and stream exist and belong to the same context.
        engine.check(unsafe { (engine.functions.record_event)(event.handle, engine.stream) })?;
        Ok(event)
    }

    /// Re-records the event on the engine's stream. The engine's context is current.
    pub(super) fn again(self, engine: &Engine) -> Result<Event> {
        // SAFETY: the event exists, and belongs to the context of the stream.
        engine.check(unsafe { (engine.functions.record_event)(self.handle, engine.stream) })?;
        Ok(self)
    }

    /// Makes later work on the engine's stream wait for the event. The engine's context is current.
    pub(super) fn hold_up(&self, engine: &Engine) -> Result<()> {
        self.hold_up_lane(engine, engine.stream)
    }

    /// Makes later work on a stream of the engine wait for the event. The engine's context is current.
    pub(super) fn hold_up_lane(&self, engine: &Engine, stream: CUstream) -> Result<()> {
        // A lost device reads nothing.
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

/// The events around a launch.
pub(super) struct LaunchTime {
    pub(super) begin: Event,
    pub(super) end: Event,
}

impl Timing for LaunchTime {
    fn poll(&mut self) -> Poll {
        if self.end.context.is_lost() {
            return Poll::Unknown;
        }
        if !self.end.is_over() {
            return Poll::Waiting;
        }
        let Some(elapsed) = self.end.context.functions.elapsed else { return Poll::Unknown };
        let mut milliseconds = 0.0f32;
        // SAFETY: both events exist as long as their context, and know their times; the function writes one number.
        match unsafe { elapsed(&raw mut milliseconds, self.begin.handle, self.end.handle) } {
            SUCCESS => Poll::Took(None, (f64::from(milliseconds) * 1e6).max(0.0) as u64),
            _ => Poll::Unknown,
        }
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        if !self.handle.is_null() && !self.context.is_lost() {
            // SAFETY: the event exists; the driver completes pending waits for a destroyed event.
            unsafe { (self.context.functions.destroy_event)(self.handle) };
        }
    }
}

/// Above this number of loans, completed ones are removed.
const MANY: usize = 16;

/// Peer access of a device, and its memory that peers are reading.
#[derive(Default)]
pub(super) struct Peers {
    /// Contexts of other devices, and whether their memory is accessible from here.
    known: Mutex<Vec<(Weak<Context>, bool)>>,
    /// Memory of this device that peers read until the event.
    lent: Mutex<Vec<(CUdeviceptr, Event)>>,
    lends: AtomicBool,
}

impl Peers {
    fn lent(&self) -> MutexGuard<'_, Vec<(CUdeviceptr, Event)>> {
        self.lent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether an engine can access the memory of another one.
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

    /// Enqueues a copy from a reachable source.
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

    /// Makes later work wait until no peer reads the memory any more.
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

/// Enables access of an engine to the memory of another one, if the devices support it.
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
    // Other code in this process may have enabled it: contexts are shared.
    const ALREADY: Status = 704;
    Ok(status == SUCCESS || status == ALREADY)
}

/// Enables access to the source's pool, which needs a call of its own. Returns whether all memory of the source is
/// accessible.
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
