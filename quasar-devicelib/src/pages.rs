//! Huge pages for large blocks: fewer page faults on fresh memory and fewer TLB misses.
//!
//! Requested with `madvise` on Linux; other systems are left to their defaults.

/// Bytes of a huge page.
pub const LARGE: usize = 2 << 20;

/// In smaller blocks the last page would waste too much.
pub const WORTHWHILE: usize = 2 * LARGE;

/// Asks for huge pages in memory that nobody has touched yet, where a whole one fits.
pub fn advise<T>(start: *const T, bytes: usize) {
    let first = start.addr().next_multiple_of(LARGE);
    let skipped = first - start.addr();
    let whole = bytes.saturating_sub(skipped) / LARGE * LARGE;
    if bytes >= WORTHWHILE && whole > 0 {
        system::advise(start.wrapping_byte_add(skipped).cast(), whole);
    }
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code, reason = "calls the system")]
mod system {
    use std::ffi::{c_int, c_void};

    unsafe extern "C" {
        fn madvise(start: *mut c_void, bytes: usize, advice: c_int) -> c_int;
    }
    const HUGE_PAGES: c_int = 14;

    pub(super) fn advise(start: *const c_void, bytes: usize) {
        // SAFETY: this advice changes the page size, never the contents of memory. A kernel that does not know it, or
        // addresses that are not its own, give an error code, which does not matter.
        let _ = unsafe { madvise(start.cast_mut(), bytes, HUGE_PAGES) };
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn advise(_start: *const std::ffi::c_void, _bytes: usize) {}
}
