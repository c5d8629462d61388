//! Asking for memory before it is needed. Processors read ahead by themselves, but stop at the end of each page and do so
//! late for what is written; a row that is fetched some steps before it is used is at hand in time.

use super::soon::{BYTES, prefetch_read, prefetch_write};

/// How far ahead, in bytes: some hundred nanoseconds of work at the speed of memory.
const DISTANCE: usize = 4096;

/// Asks for what lies ahead of the elements from `first` to `first + count` of a row that is read.
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
