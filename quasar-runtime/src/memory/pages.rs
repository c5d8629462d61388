//! Huge pages for large blocks: fewer page faults on fresh memory and fewer TLB misses.
//!
//! Requested with `madvise` on Linux; other systems are left to their defaults.

use std::ptr::NonNull;

/// Bytes of a huge page.
pub(super) const LARGE: usize = 2 << 20;

/// In smaller blocks the last page would waste too much.
pub(super) const WORTHWHILE: usize = 2 * LARGE;

#[cfg(target_os = "linux")]
pub(super) fn advise(start: NonNull<u8>, bytes: usize) {
    use std::ffi::{c_int, c_void};

    unsafe extern "C" {
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }
    const HUGE_PAGES: c_int = 14;
    // SAFETY: this advice changes the page size, never the contents of memory. A kernel that does not know it, or
    // addresses that are not its own, give an error code, which does not matter.
    let _ = unsafe { madvise(start.as_ptr().cast(), bytes, HUGE_PAGES) };
}

#[cfg(not(target_os = "linux"))]
pub(super) fn advise(_start: NonNull<u8>, _bytes: usize) {}
