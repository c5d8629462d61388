//! Memory in which kernels answer the host: records of errors, and results that are combined by the host.
//!
//! A launch must not wait for memory nor for its answer, so mailboxes are kept and used again, and records are zero
//! whenever they are not in use.

use super::{Device, DeviceMemory};
use crate::error::Result;
use quasar_devicelib::device_text::{heap, results};
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// Memory of a device that the host can read when the work that writes it is done.
#[derive(Debug)]
pub struct Mailbox {
    memory: DeviceMemory,
    window: Option<Window>,
}

/// Where the host sees the memory itself.
#[derive(Clone, Copy)]
pub(crate) struct Window(
    #[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "nobody looks"))] NonNull<u8>,
);

// SAFETY: a window is read by `Mailbox::look` only, while nobody writes the memory.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl fmt::Debug for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Window")
    }
}

impl Mailbox {
    /// In ordinary memory of the device.
    pub fn new(memory: DeviceMemory) -> Mailbox {
        Mailbox { memory, window: None }
    }

    /// In memory of the host that the device can write.
    ///
    /// # Safety
    /// `window` leads to the bytes of `memory`, which stay readable as long as the process lives.
    #[cfg(feature = "cuda")]
    pub(crate) unsafe fn visible(memory: DeviceMemory, window: NonNull<u8>) -> Mailbox {
        Mailbox { memory, window: Some(Window(window)) }
    }

    /// Whether the host sees the memory itself, so that it has to wait for the device before it looks.
    pub(crate) fn is_visible(&self) -> bool {
        self.window.is_some()
    }

    /// The memory, to be passed to kernels.
    pub fn memory(&self) -> &DeviceMemory {
        &self.memory
    }

    /// Its size.
    pub fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    /// Copies out of it where the host sees it; says whether it does. The work that writes it must be done.
    #[cfg(feature = "cuda")]
    pub(crate) fn look(&self, to: &mut [u8]) -> bool {
        let Some(Window(from)) = self.window else { return false };
        let count = to.len().min(self.bytes());
        // SAFETY: the window leads to so many readable bytes; nobody writes them, since the device has done what was
        // submitted before, and what is submitted now has other mailboxes.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr(), count) };
        true
    }
}

/// Where memory that the blocks of a launch share begins to be other things than counters.
pub(crate) const COUNTER_BYTES: usize = results::COUNTERS * 4;

/// A counter, in a line of the cache for itself.
const BARRIER_BYTES: usize = 128;

/// Memory that the threads of a launch take while they run, as `heap.h` of the device library has it.
#[derive(Debug)]
pub(crate) struct Heap {
    /// Which pages are taken, and what threads remember.
    pub(crate) words: DeviceMemory,
    /// The pages.
    pub(crate) pages: DeviceMemory,
    /// How many words there are.
    pub(crate) count: u32,
}

/// The mailboxes of one device that are not in use.
#[derive(Debug, Default)]
pub struct Mailboxes {
    /// Of the size of a record, and zero.
    records: Mutex<Vec<Mailbox>>,
    /// Of sizes that are powers of two, with any contents.
    results: Mutex<Vec<Mailbox>>,
    /// What the blocks of a launch share, in memory of the device: of sizes that are powers of two. Counters are at the
    /// beginning, [`COUNTER_BYTES`] of them, zero whenever no launch runs that uses them.
    scratch: Mutex<Vec<DeviceMemory>>,
    /// Counters of blocks that wait for each other, of which all bits but one are zero whenever they are not in use.
    barriers: Mutex<Vec<DeviceMemory>>,
    /// Memory that threads take while they run.
    heaps: Mutex<Vec<Heap>>,
}

fn locked<T>(list: &Mutex<Vec<T>>) -> std::sync::MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mailboxes {
    /// A mailbox of so many zeros. All callers ask for the same size.
    pub(crate) fn record(&self, device: &dyn Device, bytes: usize) -> Result<Mailbox> {
        let free = locked(&self.records).pop();
        match free {
            Some(mailbox) => Ok(mailbox),
            None => device.mailbox(bytes),
        }
    }

    /// Takes back a record that is zero again.
    pub(crate) fn put_record(&self, mailbox: Mailbox) {
        locked(&self.records).push(mailbox);
    }

    /// A mailbox of at least so many bytes, with any contents.
    pub(crate) fn results(&self, device: &dyn Device, bytes: usize) -> Result<Mailbox> {
        let bytes = bytes.next_power_of_two();
        let mut list = locked(&self.results);
        let position = list.iter().position(|mailbox| mailbox.bytes() == bytes);
        let free = position.map(|k| list.swap_remove(k));
        drop(list);
        match free {
            Some(mailbox) => Ok(mailbox),
            None => device.mailbox(bytes),
        }
    }

    /// Memory for the blocks of a launch, of at least so many bytes.
    pub(crate) fn scratch(&self, device: &dyn Device, bytes: usize) -> Result<DeviceMemory> {
        let bytes = bytes.next_power_of_two();
        let mut list = locked(&self.scratch);
        let position = list.iter().position(|memory| memory.bytes() == bytes);
        let free = position.map(|k| list.swap_remove(k));
        drop(list);
        if let Some(memory) = free {
            return Ok(memory);
        }
        let memory = device.allocate(bytes)?;
        device.fill(&memory, 0)?;
        Ok(memory)
    }

    /// Takes back what a launch got that was submitted. The next one runs after it.
    pub(crate) fn put_scratch(&self, memory: DeviceMemory) {
        locked(&self.scratch).push(memory);
    }

    /// A counter for the blocks of a launch that wait for each other.
    pub(crate) fn barrier(&self, device: &dyn Device) -> Result<DeviceMemory> {
        let free = locked(&self.barriers).pop();
        if let Some(memory) = free {
            return Ok(memory);
        }
        let memory = device.allocate(BARRIER_BYTES)?;
        device.fill(&memory, 0)?;
        Ok(memory)
    }

    /// Takes back what a launch got that was submitted. The next one runs after it.
    pub(crate) fn put_barrier(&self, memory: DeviceMemory) {
        locked(&self.barriers).push(memory);
    }

    /// Memory of at least so many words of pages, of which none is taken.
    pub(crate) fn heap(&self, device: &dyn Device, count: u32) -> Result<Heap> {
        let free = {
            let mut list = locked(&self.heaps);
            let position = list.iter().position(|heap| heap.count == count);
            position.map(|k| list.swap_remove(k))
        };
        let heap = match free {
            Some(heap) => heap,
            None => {
                let words = device.allocate(heap::word_bytes(count))?;
                let pages = match device.allocate(heap::page_bytes(count)) {
                    Ok(pages) => pages,
                    Err(error) => {
                        // SAFETY: nobody has the memory besides.
                        unsafe { device.release(&words) };
                        return Err(error);
                    }
                };
                Heap { words, pages, count }
            }
        };
        // A launch that failed leaves pages behind.
        device.fill(&heap.words, 0)?;
        Ok(heap)
    }

    /// Takes back what a launch got that was submitted. The next one runs after it.
    pub(crate) fn put_heap(&self, heap: Heap) {
        locked(&self.heaps).push(heap);
    }

    /// Takes back a mailbox that no kernel writes any more.
    pub(crate) fn put_results(&self, mailbox: Mailbox) {
        locked(&self.results).push(mailbox);
    }
}
