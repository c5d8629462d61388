//! An allocator that fails one large request.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

#[global_allocator]
static FAILING: Failing = Failing { next: AtomicUsize::new(0) };

struct Failing {
    /// How many large requests are granted before one fails, plus 1; 0 where none fails any more.
    next: AtomicUsize,
}

impl Failing {
    fn fails(&self, bytes: usize) -> bool {
        if bytes <= super::SMALL || self.next.load(Ordering::Relaxed) == 0 {
            return false;
        }
        let counted = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1));
        counted == Ok(1)
    }
}

// SAFETY: every request that is granted goes to the allocator of the system, and so does what is given back.
unsafe impl GlobalAlloc for Failing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if self.fails(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if self.fails(layout.size()) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > layout.size() && self.fails(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller keeps the contract.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// Runs with the `k`-th large request failing; whether there were so many.
pub(crate) fn failing<R>(k: usize, run: &mut impl FnMut() -> R) -> (R, bool) {
    FAILING.next.store(k, Ordering::Relaxed);
    let result = run();
    (result, FAILING.next.swap(0, Ordering::Relaxed) == 0)
}
