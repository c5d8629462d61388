//! An allocator with a limit for single requests, as a machine with little memory has one: what a text asks for must
//! come back as an error, and a fuzzer that fills arrays of gigabytes sees few of them.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

struct Limited;

// SAFETY: all requests go to the allocator of the system, or are refused as allocators may.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > LIMIT.load(Relaxed) {
            return null_mut();
        }
        // SAFETY: the caller's layout is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if layout.size() > LIMIT.load(Relaxed) {
            return null_mut();
        }
        // SAFETY: the caller's layout is passed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > LIMIT.load(Relaxed) {
            return null_mut();
        }
        // SAFETY: the memory came from the allocator of the system, with this layout.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the memory came from the allocator of the system, with this layout.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// Does something while no single request may be larger than this.
pub fn limited<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    LIMIT.store(bytes, Relaxed);
    let done = work();
    LIMIT.store(usize::MAX, Relaxed);
    done
}
