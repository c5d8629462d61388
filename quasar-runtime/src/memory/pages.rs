//! Large pages: fewer faults for fresh memory, and fewer misses in the tables that translate addresses.
//!
//! Linux gives them to those who ask (`madvise`) where it does not give them to all; elsewhere nothing is asked for.

use std::ptr::NonNull;

/// The size of a large page.
pub(super) const LARGE: usize = 2 << 20;

/// Smaller blocks would waste too much of their last page.
pub(super) const WORTHWHILE: usize = 2 * LARGE;

#[cfg(target_os = "linux")]
pub(super) fn advise(start: NonNull<u8>, bytes: usize) {
    use std::ffi::{c_int, c_void};

    unsafe extern "C" {
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }
    const HUGE_PAGES: c_int = 14;
    // SAFETY: this advice changes how memory is laid out, never what it contains. A kernel that does not know it, or
    // addresses that are not its own, give an error code, which does not matter.
    let _ = unsafe { madvise(start.as_ptr().cast(), bytes, HUGE_PAGES) };
}

#[cfg(not(target_os = "linux"))]
pub(super) fn advise(_start: NonNull<u8>, _bytes: usize) {}
