//! Which arrays have memory on a device, and making room there.

use crate::device::{Device, DeviceMemory};
use crate::error::{Error, Result};
use crate::memory::eviction::{Candidate, victims};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The elements of an array, whatever their type.
pub(super) trait Resident: Send + Sync {
    /// When it was used last on a device.
    fn last_use(&self) -> u64;
    /// Gives up the memory on the device of a serial number, after saving what is there only; the freed bytes, none if
    /// it is in use.
    fn evict(&self, device: u64) -> Result<Option<usize>>;
}

struct Entry {
    device: u64,
    bytes: usize,
    resident: Weak<dyn Resident>,
}

/// All memory of arrays on devices, by the number of its ticket.
static ENTRIES: Mutex<BTreeMap<u64, Entry>> = Mutex::new(BTreeMap::new());

fn entries() -> MutexGuard<'static, BTreeMap<u64, Entry>> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A later time at each call.
pub(super) fn now() -> u64 {
    static CLOCK: AtomicU64 = AtomicU64::new(1);
    CLOCK.fetch_add(1, Ordering::Relaxed)
}

/// Keeps memory of an array on a list until it is dropped.
#[derive(Debug)]
pub(super) struct Ticket(u64);

impl Ticket {
    pub(super) fn new(device: u64, bytes: usize, resident: Weak<dyn Resident>) -> Ticket {
        let number = now();
        entries().insert(number, Entry { device, bytes, resident });
        Ticket(number)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // Bound to a name so that what it holds is dropped after the list is free again.
        let entry = entries().remove(&self.0);
        drop(entry);
    }
}

/// Reserves memory as `allocate` does. When there is not enough, cached memory goes back to the system first, then the
/// arrays that were not used for the longest time move to the host.
pub(super) fn reserve(
    device: &dyn Device,
    bytes: usize,
    allocate: fn(&dyn Device, usize) -> Result<DeviceMemory>,
) -> Result<DeviceMemory> {
    let mut attempt = allocate(device, bytes);
    if short_of_memory(&attempt) {
        device.trim();
        attempt = allocate(device, bytes);
    }
    while short_of_memory(&attempt) && make_room(device, bytes)? {
        device.trim();
        attempt = allocate(device, bytes);
    }
    attempt
}

fn short_of_memory(attempt: &Result<DeviceMemory>) -> bool {
    matches!(attempt, Err(Error::OutOfDeviceMemory { .. }))
}

/// Moves arrays to the host. Says whether some memory became free.
fn make_room(device: &dyn Device, bytes: usize) -> Result<bool> {
    let serial = device.serial();
    // Arrays are held here while the list is not: dropping the last handle of one changes the list.
    let residents: Vec<(Arc<dyn Resident>, usize)> = entries()
        .values()
        .filter(|entry| entry.device == serial)
        .filter_map(|entry| Some((entry.resident.upgrade()?, entry.bytes)))
        .collect();
    let mut candidates: Vec<Candidate> = residents
        .iter()
        .map(|(resident, bytes)| Candidate { last_use: resident.last_use(), bytes: *bytes })
        .collect();
    // The device may be short of memory although some is free: of one piece, or because others use it too.
    let needed = bytes.saturating_sub(device.free_bytes()).max(1);
    let mut freed = 0_usize;
    while freed < needed {
        let chosen = victims(&candidates, needed - freed);
        if chosen.is_empty() {
            break;
        }
        for k in chosen {
            if let Some((resident, _)) = residents.get(k)
                && let Some(bytes) = resident.evict(serial)?
            {
                device.counters().eviction();
                freed = freed.saturating_add(bytes);
            }
            // Gone, or in use: others must do.
            if let Some(candidate) = candidates.get_mut(k) {
                candidate.bytes = 0;
            }
        }
    }
    Ok(freed > 0)
}

/// Memory of a device that belongs to no array.
#[derive(Debug)]
pub(crate) struct Scratch<'a> {
    device: &'a dyn Device,
    memory: DeviceMemory,
}

impl Scratch<'_> {
    /// At least so many bytes. When there are not enough, arrays that are not in use move to the host.
    pub(crate) fn new(device: &dyn Device, bytes: usize) -> Result<Scratch<'_>> {
        Ok(Scratch { device, memory: reserve(device, bytes.max(16), <dyn Device>::allocate)? })
    }

    /// To be used by what is submitted until it is dropped.
    pub(crate) fn memory(&self) -> &DeviceMemory {
        &self.memory
    }
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        // SAFETY: references to the memory end before this, and what is submitted is done in order.
        unsafe { self.device.release(&self.memory) };
    }
}
