//! Software prefetch along rows. Hardware prefetchers stop at page boundaries and start late for stores; a cache line
//! that is prefetched a fixed distance ahead arrives in time. Not all processors gain by it.

use super::prefetch_writes::{BYTES, prefetch_read, prefetch_write};

/// Prefetch distance in bytes: some hundred nanoseconds of work at memory bandwidth.
const DISTANCE: usize = 4096;

/// Whether rows gain by prefetching. The processors of AMD, which alone have SSE4a, follow many rows by themselves: there, prefetching
/// cost a third of the time of images in the cache, and nearly half of that of nine large ones.
#[inline(always)]
pub fn asks_ahead() -> bool {
    #[cfg(target_arch = "x86_64")]
    let asks = !is_x86_feature_detected!("sse4a");
    #[cfg(not(target_arch = "x86_64"))]
    let asks = false;
    asks
}

/// Prefetches for reading, a fixed distance ahead of the elements `first .. first + count` of a row.
#[inline(always)]
pub fn ahead<T>(row: &[T], first: usize, count: usize) {
    ask(row, first, count, prefetch_read);
}

/// As [`ahead`], for a row that is written.
#[inline(always)]
pub fn ahead_of_writing<T>(row: &[T], first: usize, count: usize) {
    ask(row, first, count, prefetch_write);
}

#[inline(always)]
fn ask<T>(row: &[T], first: usize, count: usize, prefetch: impl Fn(usize)) {
    let from = (row.as_ptr() as usize).wrapping_add(first * size_of::<T>() + DISTANCE);
    for k in 0..count * size_of::<T>() / BYTES {
        prefetch(from.wrapping_add(k * BYTES));
    }
}
