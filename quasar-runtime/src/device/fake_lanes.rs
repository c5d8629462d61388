//! The deferred execution model of the fake device: kernels run as late as their ordering permits, large host-device
//! copies as early as possible.
//!
//! So a missing wait becomes visible: the copy reads data that is not written yet, or is overwritten later.

use super::DeviceMemory;
use super::copy_overlap::{Lane, Lanes, LastUse, Overlap};
use crate::error::Result;
use crate::memory::heap::Heap;
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Device memory: block number to contents.
pub(super) type Memory = BTreeMap<u64, Vec<u8>>;

type Work = Box<dyn FnOnce(&mut Memory) + Send>;

/// Deferred work, allocator and epochs of one device.
pub(super) struct Late {
    overlap: Overlap<u64>,
    heap: Mutex<Heap<Block>>,
    queue: Mutex<Queue>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    id: u64,
    mark: &'static LastUse,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Work>,
    submitted: u64,
    blocks: u64,
}

impl Queue {
    fn done(&self) -> u64 {
        self.submitted - self.waiting.len() as u64
    }
}

/// The device's streams with access to its memory; an event is a count of submitted operations.
struct Now<'a> {
    late: &'a Late,
    memory: Mutex<&'a mut Memory>,
}

impl Lanes for Now<'_> {
    type Event = u64;

    fn flush(&self) -> Result<()> {
        Ok(())
    }

    fn record(&self, _old: Option<u64>) -> Result<u64> {
        Ok(self.late.queue().submitted)
    }

    /// A copy executes when it is submitted, after the operations that it waits for.
    fn wait(&self, _lane: Lane, event: &u64) -> Result<()> {
        let mut memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        self.late.catch_up(Some(*event), &mut memory);
        Ok(())
    }

    fn is_over(&self, event: &u64) -> bool {
        self.late.queue().done() >= *event
    }
}

impl Late {
    pub(super) fn new(capacity: usize) -> Late {
        Late {
            overlap: Overlap::default(),
            heap: Mutex::new(Heap::new(capacity, usize::MAX)),
            queue: Mutex::default(),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heap(&self) -> MutexGuard<'_, Heap<Block>> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now<'a>(&'a self, memory: &'a mut Memory) -> Now<'a> {
        Now { late: self, memory: Mutex::new(memory) }
    }

    /// Executes operations up to an event, or all of them.
    pub(super) fn catch_up(&self, until: Option<u64>, memory: &mut Memory) {
        loop {
            let mut queue = self.queue();
            if until.is_some_and(|until| queue.done() >= until) {
                return;
            }
            let Some(work) = queue.waiting.pop_front() else { return };
            drop(queue);
            work(memory);
        }
    }

    pub(super) fn submit(
        &self,
        uses: &[(&DeviceMemory, bool)],
        work: impl FnOnce(&mut Memory) + Send + 'static,
    ) {
        let mut queue = self.queue();
        queue.waiting.push_back(Box::new(work));
        queue.submitted += 1;
        drop(queue);
        uses.iter().for_each(|(memory, changes)| self.overlap.touch(memory, *changes));
    }

    pub(super) fn upload(&self, from: &[u8], to: &DeviceMemory, memory: &mut Memory) -> Result<()> {
        let (lane, id, bytes) = (self.overlap.upload(&self.now(memory), to)?, to.id, from.to_vec());
        let range = range(to);
        let copy = move |all: &mut Memory| {
            let target = all.get_mut(&id).and_then(|target| target.get_mut(range));
            target.into_iter().for_each(|target| target.copy_from_slice(&bytes));
        };
        match lane {
            Lane::Main => self.submit(&[(to, true)], copy),
            Lane::In | Lane::Out => {
                copy(memory);
                self.overlap.touch(to, true);
            }
        }
        Ok(())
    }

    pub(super) fn download(&self, from: &DeviceMemory, to: &mut [u8], memory: &mut Memory) -> Result<()> {
        let (lane, _) = self.overlap.download(&self.now(memory), from)?;
        if lane == Lane::Main {
            self.catch_up(None, memory);
        }
        let source = memory.get(&from.id).and_then(|source| source.get(range(from)));
        source.into_iter().for_each(|source| to.copy_from_slice(source));
        Ok(())
    }

    /// A new block with arbitrary contents.
    fn make(&self, bytes: usize, memory: &mut Memory) -> std::result::Result<Option<Block>, Infallible> {
        let mut queue = self.queue();
        queue.blocks += 1;
        memory.insert(queue.blocks, vec![0xA5; bytes]);
        Ok(Some(Block { id: queue.blocks, mark: LastUse::take() }))
    }

    pub(super) fn allocate(&self, bytes: usize, memory: &mut Memory) -> Option<DeviceMemory> {
        let found = self.heap().allocate(bytes, |class| self.make(class, memory), |block| block.id);
        found.ok()?.map(|(id, block)| DeviceMemory::marked(id, bytes, block.mark))
    }

    pub(super) fn allocate_idle(&self, bytes: usize, memory: &mut Memory) -> Option<DeviceMemory> {
        let mut nothing = Memory::new();
        // The query executes nothing.
        let lanes = self.now(&mut nothing);
        let idle = |block: &Block| self.overlap.is_idle(&lanes, block.mark);
        let found =
            self.heap().allocate_idle(bytes, idle, |class| self.make(class, memory), |block| block.id);
        found.ok()?.map(|(id, block)| DeviceMemory::marked(id, bytes, block.mark))
    }

    pub(super) fn release(&self, memory: &DeviceMemory) {
        self.put_back(&self.heap().release(memory.id));
    }

    /// Frees the cached blocks; all work must be complete.
    pub(super) fn trim(&self, memory: &mut Memory) {
        let released = self.heap().trim();
        self.put_back(&released);
        for block in released {
            memory.remove(&block.id);
        }
    }

    pub(super) fn free_bytes(&self) -> usize {
        self.heap().free_bytes()
    }

    fn put_back(&self, blocks: &[Block]) {
        blocks.iter().for_each(|block| LastUse::put_back(block.mark));
    }

    pub(super) fn finishing(&self) -> u64 {
        self.overlap.finishing()
    }

    pub(super) fn finished(&self, epoch: u64) {
        self.overlap.finished(epoch);
    }
}

/// The byte range in its block.
fn range(memory: &DeviceMemory) -> Range<usize> {
    memory.start..memory.start + memory.bytes
}
