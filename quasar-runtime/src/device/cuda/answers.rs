//! Host-mapped result buffers: pinned host memory that kernels write over the bus, so that the host reads small results
//! without a copy.

use super::super::{DeviceMemory, Mailbox};
use super::driver::{CUdeviceptr, Functions};
use super::engine::Engine;
use crate::error::Result;
use std::alloc::{Layout, alloc_zeroed};
use std::ffi::c_uint;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// Bytes of pinned memory that are registered at a time; a registration takes tens of microseconds.
const CHUNK: usize = 64 << 10;
/// Buffers are aligned to this, so that no two share a cache line.
const ALIGNMENT: usize = 128;
const PAGE: usize = 4096;

/// The host-mapped memory of one device. Chunks are never freed, even if the device is lost, so a late read of a result
/// buffer stays valid.
#[derive(Default)]
pub(super) struct MappedBuffers {
    chunks: Mutex<Vec<Chunk>>,
}

struct Chunk {
    start: NonNull<u8>,
    /// The device address of the memory.
    address: CUdeviceptr,
    bytes: usize,
    used: usize,
}

// SAFETY: a chunk is memory of the process that no thread owns.
unsafe impl Send for Chunk {}

impl Chunk {
    fn new(engine: &Engine, bytes: usize) -> Result<Chunk> {
        const MAPPED: c_uint = 1 | 2;
        let bytes = bytes.max(CHUNK).next_multiple_of(PAGE);
        let short = || engine.refused("there is no host memory for the answers of kernels");
        let layout = Layout::from_size_align(bytes, PAGE).map_err(|_| short())?;
        // SAFETY: the layout has a size of at least `CHUNK`.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(short)?;
        engine.enter()?;
        let host = start.as_ptr().cast();
        // SAFETY: the context is current; the memory has so many bytes and is never freed.
        engine.check(unsafe { (engine.functions.register_host)(host, bytes, MAPPED) })?;
        let mut address: CUdeviceptr = 0;
        // SAFETY: the memory is registered; the function writes one address.
        engine.check(unsafe { (engine.functions.host_address)(&raw mut address, host, 0) })?;
        Ok(Chunk { start, address, bytes, used: 0 })
    }

    /// Bump-allocates a buffer; `None` if the chunk is full.
    fn take(&mut self, bytes: usize) -> Option<Mailbox> {
        let begin = self.used;
        let end = begin.checked_add(bytes).filter(|&end| end <= self.bytes)?;
        self.used = end.next_multiple_of(ALIGNMENT);
        // SAFETY: the part is inside the chunk, which is never freed; both addresses are of the same bytes.
        Some(unsafe {
            let memory = DeviceMemory::from_raw(self.address + begin as CUdeviceptr, bytes);
            Mailbox::visible(memory, self.start.add(begin))
        })
    }
}

impl MappedBuffers {
    /// A zeroed buffer.
    pub(super) fn mailbox(&self, engine: &Engine, bytes: usize) -> Result<Mailbox> {
        let mut chunks = self.chunks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mailbox) = chunks.last_mut().and_then(|chunk| chunk.take(bytes)) {
            return Ok(mailbox);
        }
        let mut chunk = Chunk::new(engine, bytes)?;
        let mailbox = chunk.take(bytes);
        chunks.push(chunk);
        mailbox.ok_or_else(|| engine.refused("a mailbox does not fit its chunk"))
    }

    /// Unregisters the chunks. No kernel may be running.
    pub(super) fn release(&mut self, functions: &Functions) {
        for chunk in self.chunks.get_mut().unwrap_or_else(PoisonError::into_inner) {
            // SAFETY: the memory was registered and is unregistered only here.
            unsafe { (functions.unregister_host)(chunk.start.as_ptr().cast()) };
        }
    }
}
