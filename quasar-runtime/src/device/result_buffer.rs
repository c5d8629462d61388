//! Result buffers: device or host-mapped memory in which kernels return error records and partial results to the host,
//! and the scratch memory, barriers and heaps that the blocks of a launch share.
//!
//! A launch must wait neither for an allocation nor for its results, so buffers are pooled. An error record in the pool
//! is always zero.

use super::{Device, DeviceMemory};
use crate::error::Result;
use quasar_devicelib::device_text::{heap, results};
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// Memory of a device that the host can read once the kernels that write it have completed.
#[derive(Debug)]
pub struct Mailbox {
    memory: DeviceMemory,
    window: Option<HostPointer>,
}

/// Host address of a host-mapped buffer.
#[derive(Clone, Copy)]
pub(crate) struct HostPointer(
    #[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "nobody looks"))] NonNull<u8>,
);

// SAFETY: the pointer is read by `Mailbox::look` only, while nobody writes the memory.
unsafe impl Send for HostPointer {}
// SAFETY: as above.
unsafe impl Sync for HostPointer {}

impl fmt::Debug for HostPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Window")
    }
}

impl Mailbox {
    /// A buffer in ordinary device memory.
    pub fn new(memory: DeviceMemory) -> Mailbox {
        Mailbox { memory, window: None }
    }

    /// A buffer in host memory that is mapped into the device.
    ///
    /// # Safety
    /// `window` points to the bytes of `memory`, which stay readable for the life of the process.
    #[cfg(feature = "cuda")]
    pub(crate) unsafe fn visible(memory: DeviceMemory, window: NonNull<u8>) -> Mailbox {
        Mailbox { memory, window: Some(HostPointer(window)) }
    }

    /// Whether the buffer is host-mapped, so that the host must synchronise before it reads.
    pub(crate) fn is_visible(&self) -> bool {
        self.window.is_some()
    }

    /// The memory, as a kernel argument.
    pub fn memory(&self) -> &DeviceMemory {
        &self.memory
    }

    /// Size in bytes.
    pub fn bytes(&self) -> usize {
        self.memory.bytes()
    }

    /// Copies out of a host-mapped buffer; returns whether it is one. The kernels that write it must have completed.
    #[cfg(feature = "cuda")]
    pub(crate) fn look(&self, to: &mut [u8]) -> bool {
        let Some(HostPointer(from)) = self.window else { return false };
        let count = to.len().min(self.bytes());
        // SAFETY: the window points to so many readable bytes; nobody writes them, since the device has completed the
        // work submitted before, and later work uses other buffers.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to.as_mut_ptr(), count) };
        true
    }
}

/// Bytes of counters at the start of the scratch memory of a launch.
pub(crate) const COUNTER_BYTES: usize = results::COUNTERS * 4;

/// One counter, padded to a cache line.
const BARRIER_BYTES: usize = 128;

/// The heap from which the threads of a launch allocate; its layout is that of `heap.h` in the device library.
#[derive(Debug)]
pub(crate) struct Heap {
    /// Allocation bitmap, followed by the links between the chunks of each thread.
    pub(crate) words: DeviceMemory,
    /// The pages.
    pub(crate) pages: DeviceMemory,
    /// Number of bitmap words.
    pub(crate) count: u32,
}

/// The pools of one device: buffers that no launch uses.
#[derive(Debug, Default)]
pub struct Mailboxes {
    /// Error records, all of one size, zeroed.
    records: Mutex<Vec<Mailbox>>,
    /// Result buffers. Sizes are powers of two; contents are undefined.
    results: Mutex<Vec<Mailbox>>,
    /// Scratch memory shared by the blocks of a launch, in device memory. Sizes are powers of two. The first
    /// [`COUNTER_BYTES`] are counters, which are zero whenever no launch uses them.
    scratch: Mutex<Vec<DeviceMemory>>,
    /// Grid-barrier counters. All bits but one are zero whenever no launch uses them.
    barriers: Mutex<Vec<DeviceMemory>>,
    /// Heaps for allocations in kernels.
    heaps: Mutex<Vec<Heap>>,
}

fn locked<T>(list: &Mutex<Vec<T>>) -> std::sync::MutexGuard<'_, Vec<T>> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Mailboxes {
    /// A zeroed error record. All callers ask for the same size.
    pub(crate) fn record(&self, device: &dyn Device, bytes: usize) -> Result<Mailbox> {
        let free = locked(&self.records).pop();
        match free {
            Some(mailbox) => Ok(mailbox),
            None => device.mailbox(bytes),
        }
    }

    /// Returns a record to the pool; it must be zero again.
    pub(crate) fn put_record(&self, mailbox: Mailbox) {
        locked(&self.records).push(mailbox);
    }

    /// A result buffer of at least `bytes` bytes, with undefined contents.
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

    /// Scratch memory of at least `bytes` bytes for the blocks of a launch.
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

    /// Returns scratch memory once its launch is submitted: stream order makes the next launch run after it.
    pub(crate) fn put_scratch(&self, memory: DeviceMemory) {
        locked(&self.scratch).push(memory);
    }

    /// A grid-barrier counter.
    pub(crate) fn barrier(&self, device: &dyn Device) -> Result<DeviceMemory> {
        let free = locked(&self.barriers).pop();
        if let Some(memory) = free {
            return Ok(memory);
        }
        let memory = device.allocate(BARRIER_BYTES)?;
        device.fill(&memory, 0)?;
        Ok(memory)
    }

    /// Returns a counter once its launch is submitted: stream order makes the next launch run after it.
    pub(crate) fn put_barrier(&self, memory: DeviceMemory) {
        locked(&self.barriers).push(memory);
    }

    /// An empty heap with `count` bitmap words.
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
                        // SAFETY: nobody else has the memory.
                        unsafe { device.release(&words) };
                        return Err(error);
                    }
                };
                Heap { words, pages, count }
            }
        };
        // A failed launch leaves pages allocated.
        device.fill(&heap.words, 0)?;
        Ok(heap)
    }

    /// Returns a heap once its launch is submitted: stream order makes the next launch run after it.
    pub(crate) fn put_heap(&self, heap: Heap) {
        locked(&self.heaps).push(heap);
    }

    /// Returns a result buffer that no kernel writes any more.
    pub(crate) fn put_results(&self, mailbox: Mailbox) {
        locked(&self.results).push(mailbox);
    }
}
