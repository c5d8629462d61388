//! Host-device copies through pinned staging buffers, several times as fast as copies of pageable memory: while one
//! piece is in flight, CPU threads copy the next.

use super::super::copy_overlap::{self, Lane};
use super::super::driver_device::Engine as _;
use super::driver::{CUdeviceptr, CUevent, Functions};
use super::engine::Engine;
use crate::context;
use crate::error::Result;
use crate::threads;
use std::ffi::c_uint;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of pieces in flight.
const SLOTS: usize = 4;
/// Bytes of a piece of a large copy.
const LARGE: usize = 4 << 20;
/// Bytes of a piece of a small copy; pinning takes time, so programs with little data pin little.
const SMALL: usize = copy_overlap::MIN_OVERLAP_BYTES;
/// Alignment of pieces.
const ALIGNMENT: usize = 64;
/// Shorter copies run on one thread.
const PARALLEL: usize = 1 << 20;
/// Bytes that a thread copies at a time.
const GRAIN: usize = 256 << 10;

/// The pool of staging buffers. A copy takes one out rather than locking it, since the threads that help with the copy
/// may steal other work that copies.
#[derive(Default)]
pub(super) struct Stagings {
    small: Mutex<Vec<Staging>>,
    large: Mutex<Vec<Staging>>,
}

impl Stagings {
    fn of_size(&self, bytes: usize) -> (MutexGuard<'_, Vec<Staging>>, usize) {
        let (areas, slot) = if bytes <= SMALL { (&self.small, SMALL) } else { (&self.large, LARGE) };
        (areas.lock().unwrap_or_else(PoisonError::into_inner), slot)
    }

    /// `None` if no memory can be pinned.
    fn take(&self, engine: &Engine, bytes: usize) -> Option<Staging> {
        let (mut areas, slot) = self.of_size(bytes);
        let free = areas.pop();
        drop(areas);
        free.or_else(|| Staging::new(engine, slot).ok())
    }

    fn put_back(&self, staging: Staging, bytes: usize) {
        self.of_size(bytes).0.push(staging);
    }

    /// Copies to the device in a lane that the main lane waits for; `from` may be reused when the call returns.
    pub(super) fn upload(&self, engine: &Engine, lane: Lane, from: &[u8], to: CUdeviceptr) -> Result<()> {
        if from.is_empty() {
            return Ok(());
        }
        let Some(mut staging) = self.take(engine, from.len()) else {
            return engine.upload_pageable(from, to);
        };
        let submitted = staging.upload(engine, lane, from, to);
        // Also after an error, later work waits for the copies already submitted.
        let joined = staging.join(engine, lane);
        submitted.and(joined)?;
        self.put_back(staging, from.len());
        Ok(())
    }

    /// Copies to the host in the given lane.
    pub(super) fn download(
        &self,
        engine: &Engine,
        lane: Lane,
        from: CUdeviceptr,
        to: &mut [u8],
    ) -> Result<()> {
        let bytes = to.len();
        if bytes == 0 {
            return engine.synchronize();
        }
        let Some(mut staging) = self.take(engine, bytes) else { return engine.download_pageable(from, to) };
        staging.download(engine, lane, from, to)?;
        self.put_back(staging, bytes);
        Ok(())
    }

    /// Frees all buffers. No copy may be running.
    pub(super) fn release(&mut self, functions: &Functions) {
        for areas in [&mut self.small, &mut self.large] {
            for staging in areas.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
                staging.release(functions);
            }
        }
    }
}

/// Pinned memory, divided into slots. After an error in a copy it is discarded.
struct Staging {
    memory: *mut u8,
    slot: usize,
    events: [CUevent; SLOTS],
    /// Slots that the device may be reading until their event.
    busy: [bool; SLOTS],
    current: usize,
    /// Used bytes of the current slot.
    filled: usize,
    /// The lane of the pieces in the current slot: the event of a slot covers one lane.
    lane: Lane,
}

// SAFETY: pinned memory and events may be used from any thread; `memory` is not shared.
unsafe impl Send for Staging {}

impl Staging {
    fn new(engine: &Engine, slot: usize) -> Result<Staging> {
        const NO_TIMING: c_uint = 2;
        let memory = engine.pin(slot * SLOTS)?;
        let mut events = [std::ptr::null_mut(); SLOTS];
        for event in &mut events {
            // SAFETY: `pin` made the context current; the function writes one pointer.
            engine.check(unsafe { (engine.functions.create_event)(event, NO_TIMING) })?;
        }
        Ok(Staging { memory, slot, events, busy: [false; SLOTS], current: 0, filled: 0, lane: Lane::Main })
    }

    fn release(self, functions: &Functions) {
        // SAFETY: the memory and the events were made by `new` and are not used any more. Errors leave them to the
        // context.
        unsafe {
            for event in self.events {
                (functions.destroy_event)(event);
            }
            (functions.free_host)(self.memory.cast());
        }
    }

    fn event(&self, slot: usize) -> CUevent {
        self.events.get(slot).copied().unwrap_or(std::ptr::null_mut())
    }

    /// Waits until the device no longer uses a slot.
    fn wait(&mut self, engine: &Engine, slot: usize) -> Result<()> {
        if let Some(busy) = self.busy.get_mut(slot)
            && std::mem::take(busy)
        {
            // SAFETY: the event exists.
            engine.check(unsafe { (engine.functions.wait_event)(self.event(slot)) })?;
        }
        Ok(())
    }

    /// Records the event of a slot in a lane.
    fn record(&mut self, engine: &Engine, lane: Lane, slot: usize) -> Result<()> {
        if let Some(busy) = self.busy.get_mut(slot) {
            *busy = true;
        }
        // SAFETY: the event and the stream exist.
        engine.check(unsafe { (engine.functions.record_event)(self.event(slot), engine.lane(lane)) })
    }

    /// Makes the main lane wait for the last upload in another lane.
    fn join(&self, engine: &Engine, lane: Lane) -> Result<()> {
        if lane == Lane::Main {
            return Ok(());
        }
        let (event, wait) = (self.event(self.current), engine.functions.wait_for_event);
        // SAFETY: the event and the stream exist.
        engine.check(unsafe { wait(engine.stream, event, 0) })
    }

    /// A range of a slot that the device does not use.
    fn part(&mut self, slot: usize, start: usize, length: usize) -> &mut [u8] {
        let length = length.min(self.slot - start);
        // SAFETY: the range is inside the slot, which is inside the memory of SLOTS slots, initialised by the system;
        // the borrow of the owner is exclusive, and the device uses the slot only until an event that was waited for.
        unsafe { std::slice::from_raw_parts_mut(self.memory.add(slot * self.slot + start), length) }
    }

    fn upload(&mut self, engine: &Engine, lane: Lane, from: &[u8], to: CUdeviceptr) -> Result<()> {
        engine.enter()?;
        if self.lane != lane {
            (self.lane, self.filled) = (lane, self.slot);
        }
        let mut done = 0;
        while let Some(rest) = from.get(done..).filter(|rest| !rest.is_empty()) {
            if self.filled >= self.slot {
                self.current = (self.current + 1) % SLOTS;
                self.wait(engine, self.current)?;
                self.filled = 0;
            }
            let (slot, start) = (self.current, self.filled);
            let part = self.part(slot, start, rest.len());
            let length = part.len();
            copy_bytes(rest.split_at(length).0, part);
            let source = part.as_ptr().cast();
            // SAFETY: the context is current; the target has the size of `from`; the source stays as it is until the
            // event of its slot, since further pieces go behind it.
            engine.check(unsafe {
                (engine.functions.upload)(to + done as CUdeviceptr, source, length, engine.lane(lane))
            })?;
            self.record(engine, lane, slot)?;
            self.filled = (start + length).next_multiple_of(ALIGNMENT);
            done += length;
        }
        Ok(())
    }

    fn download(&mut self, engine: &Engine, lane: Lane, from: CUdeviceptr, to: &mut [u8]) -> Result<()> {
        engine.enter()?;
        for slot in 0..SLOTS {
            self.wait(engine, slot)?;
        }
        self.filled = 0;
        self.current = 0;
        let total = to.len();
        let mut submitted = 0;
        for (k, target) in to.chunks_mut(self.slot).enumerate() {
            // Keeps the other slots in flight while this piece is copied.
            while submitted < total && submitted < (k + SLOTS) * self.slot {
                let slot = (submitted / self.slot) % SLOTS;
                let part = self.part(slot, 0, total - submitted);
                let (address, length) = (part.as_mut_ptr().cast(), part.len());
                // SAFETY: the context is current; the source has the size of `to`; the slot is not used until its
                // event.
                engine.check(unsafe {
                    (engine.functions.download)(
                        address,
                        from + submitted as CUdeviceptr,
                        length,
                        engine.lane(lane),
                    )
                })?;
                self.record(engine, lane, slot)?;
                submitted += length;
            }
            let slot = k % SLOTS;
            self.wait(engine, slot)?;
            copy_bytes(self.part(slot, 0, target.len()), target);
        }
        Ok(())
    }
}

/// Copies slices of equal length, with several threads where it pays.
fn copy_bytes(from: &[u8], to: &mut [u8]) {
    if from.len() < PARALLEL || context::threads() < 2 {
        to.copy_from_slice(from);
        return;
    }
    threads::each(to.chunks_mut(GRAIN).zip(from.chunks(GRAIN)), |(to, from)| to.copy_from_slice(from));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_copies_are_whole() {
        for length in [0, 1, PARALLEL - 1, PARALLEL, 3 * PARALLEL + 7] {
            let from: Vec<u8> = (0..length).map(|k| (k * 31 % 251) as u8).collect();
            let mut to = vec![0; length];
            copy_bytes(&from, &mut to);
            assert_eq!(from, to);
        }
    }
}
