//! An allocator that counts what is asked for.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static FREED: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);

fn count(asked: usize, given_back: usize) {
    ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
    let bytes = BYTES.fetch_add(asked as u64, Ordering::Relaxed) + asked as u64;
    let freed = FREED.fetch_add(given_back as u64, Ordering::Relaxed) + given_back as u64;
    MOST.fetch_max(bytes.saturating_sub(freed), Ordering::Relaxed);
}

// SAFETY: the system's allocator does all the work, with what its caller promised; counting needs no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 0);
        // SAFETY: the promises are those of the caller.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        FREED.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the promises are those of the caller.
        unsafe { System.dealloc(place, layout) }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size, layout.size());
        // SAFETY: the promises are those of the caller.
        unsafe { System.realloc(place, layout, size) }
    }
}

/// What was asked for so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub(crate) allocations: u64,
    pub(crate) bytes: u64,
    /// The most bytes that were in use at once.
    pub(crate) most: u64,
}

impl Counted {
    /// The counts of this moment. The most bytes count from here on.
    pub(crate) fn now() -> Counted {
        let bytes = BYTES.load(Ordering::Relaxed);
        let most = MOST.swap(bytes.saturating_sub(FREED.load(Ordering::Relaxed)), Ordering::Relaxed);
        Counted { allocations: ALLOCATIONS.load(Ordering::Relaxed), bytes, most }
    }

    /// What was asked for after an earlier moment.
    pub(crate) fn since(self, before: Counted) -> Counted {
        Counted {
            allocations: self.allocations - before.allocations,
            bytes: self.bytes - before.bytes,
            most: self.most,
        }
    }
}
