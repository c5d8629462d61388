//! Prefetch of write destinations. While the sums of a row are computed, the memory bus is idle, and when they are
//! stored, it is the bottleneck; prefetching the destination overlaps both.

/// Elements in some rows that will be written; empty by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Soon {
    address: usize,
    /// Bytes between consecutive rows.
    stride: usize,
    /// End address of the array.
    end: usize,
}

/// Bytes of a cache line.
pub(super) const BYTES: usize = 64;

impl Soon {
    /// The elements from `from` on, and those in further rows at multiples of `stride`.
    pub(super) fn new<T>(data: &[T], from: usize, stride: usize) -> Soon {
        let (size, start) = (size_of::<T>(), data.as_ptr() as usize);
        Soon {
            address: start.wrapping_add(from.wrapping_mul(size)),
            stride: stride.wrapping_mul(size),
            end: start.wrapping_add(size_of_val(data)),
        }
    }

    /// Prefetches `n` elements of a row from a column on.
    #[inline(always)]
    pub(super) fn load<T>(&self, row: usize, column: usize, n: usize) {
        let mut part = self.pieces::<T>(1, (column, n), 1);
        part.soon.address = part.soon.address.wrapping_add(row.wrapping_mul(self.stride));
        part.next();
    }

    /// Prefetches the same `n` elements from a column on in each of `rows` rows, in this many pieces.
    #[inline(always)]
    pub(super) fn pieces<T>(&self, rows: usize, (column, n): (usize, usize), pieces: usize) -> Pieces {
        let soon = Soon { address: self.address.wrapping_add(column * size_of::<T>()), ..*self };
        let lines = (n * size_of::<T>()).div_ceil(BYTES);
        Pieces { soon, lines, piece: (lines * rows).div_ceil(pieces), done: 0, all: lines * rows }
    }
}

/// A prefetch in pieces, since the CPU supports few outstanding cache misses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pieces {
    soon: Soon,
    /// Numbers of cache lines: per row, per piece, prefetched so far, and in all rows.
    lines: usize,
    piece: usize,
    done: usize,
    all: usize,
}

impl Pieces {
    /// Prefetches the next piece.
    #[inline(always)]
    pub(super) fn next(&mut self) {
        let end = (self.done + self.piece).min(self.all);
        for k in self.done..end {
            let (row, line) = (k / self.lines, k % self.lines);
            let address =
                self.soon.address.wrapping_add(row.wrapping_mul(self.soon.stride)).wrapping_add(line * BYTES);
            if address < self.soon.end {
                prefetch_write(address);
            }
        }
        self.done = end;
    }
}

/// Prefetches for reading. Addresses need not be valid.
#[inline(always)]
pub(super) fn prefetch_read(address: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction is a hint, which only affects timing, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address as *const i8);
    }
    let _ = address;
}

/// Prefetches for writing. Addresses need not be valid.
#[inline(always)]
pub(super) fn prefetch_write(address: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: as above.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_ET0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_ET0>(address as *const i8);
    }
    let _ = address;
}
