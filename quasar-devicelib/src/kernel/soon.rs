//! Memory that will be written soon. While the sums of a row are made the memory is idle, and when they are stored it is
//! all that is waited for; asking for it in between lets both happen at once.

/// Elements of some rows that will be written soon; none by default.
#[derive(Clone, Copy, Debug, Default)]
pub struct Soon {
    address: usize,
    /// Bytes from one row to the next.
    stride: usize,
    /// Where the array ends.
    end: usize,
}

/// What a processor fetches at once.
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

    /// Asks for `n` elements of a row from a column on.
    #[inline(always)]
    pub(super) fn load<T>(&self, row: usize, column: usize, n: usize) {
        let mut part = self.pieces::<T>(1, (column, n), 1);
        part.soon.address = part.soon.address.wrapping_add(row.wrapping_mul(self.stride));
        part.next();
    }

    /// The same `n` elements from a column on in each of `rows` rows, asked for in so many pieces.
    #[inline(always)]
    pub(super) fn pieces<T>(&self, rows: usize, (column, n): (usize, usize), pieces: usize) -> Pieces {
        let soon = Soon { address: self.address.wrapping_add(column * size_of::<T>()), ..*self };
        let lines = (n * size_of::<T>()).div_ceil(BYTES);
        Pieces { soon, lines, piece: (lines * rows).div_ceil(pieces), done: 0, all: lines * rows }
    }
}

/// Memory that is asked for piece by piece, since the processor waits for few places at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pieces {
    soon: Soon,
    /// Units of what a processor fetches at once: in a row, in a piece, asked for, and in all rows.
    lines: usize,
    piece: usize,
    done: usize,
    all: usize,
}

impl Pieces {
    /// Asks for the next piece.
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

/// Asks for memory that will be read. Addresses need not be valid.
#[inline(always)]
pub(super) fn prefetch_read(address: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction is a hint, which has no effect but on time, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address as *const i8);
    }
    let _ = address;
}

/// Asks for memory that will be written. Addresses need not be valid.
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
