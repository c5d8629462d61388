//! Host memory of arrays: blocks aligned to cache lines, reused through a pool.
//!
//! Fresh memory costs a page fault per 4 KiB, many times the cost of filling it by a kernel, so freed blocks are
//! pooled, and large blocks use huge pages.

#![allow(unsafe_code, reason = "memory from the allocator")]

pub mod eviction;
pub(crate) mod heap;
pub mod pool;

use pool::Pool;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::profile;
use quasar_devicelib::element::Element;
use quasar_devicelib::pages;

/// Alignment of every block in bytes.
pub const ALIGNMENT: usize = 64;

/// Smaller blocks go to the allocator, which is as fast for them as the pool.
const SMALLEST_POOLED: usize = 32 << 10;

/// Bytes kept by the pool unless the settings say otherwise.
pub const DEFAULT_LIMIT: usize = 512 << 20;

/// The bytes of the blocks of at least [`SMALLEST_POOLED`] bytes that are in use.
static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// Counts a block that is taken, or goes back.
fn count_in_use(taken: usize, released: usize) {
    if taken.max(released) < SMALLEST_POOLED {
        return;
    }
    let before = IN_USE.fetch_add(taken.wrapping_sub(released), Ordering::Relaxed);
    if profile::is_on() {
        profile::memory(profile::HOST, before.wrapping_add(taken).wrapping_sub(released));
    }
}

static POOL: Mutex<Pool<RawBlock>> = Mutex::new(Pool::new(DEFAULT_LIMIT));

fn pool() -> MutexGuard<'static, Pool<RawBlock>> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sets how many bytes of freed host memory are kept for reuse.
pub fn set_limit(bytes: usize) {
    let released = pool().set_limit(bytes);
    drop(released);
}

/// Returns all kept host memory to the system.
pub fn trim() {
    let released = pool().shrink(0);
    drop(released);
}

/// The bytes of freed host memory kept for reuse.
pub fn kept() -> usize {
    pool().kept()
}

/// Owned memory from the global allocator. Its bytes are always initialised.
#[derive(Debug)]
struct RawBlock {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: a RawBlock owns its memory exclusively, like a `Box<[u8]>`.
unsafe impl Send for RawBlock {}
// SAFETY: a shared RawBlock gives out no access to its memory.
unsafe impl Sync for RawBlock {}

impl RawBlock {
    fn allocate(bytes: usize) -> Option<RawBlock> {
        if bytes >= pages::WORTHWHILE {
            return RawBlock::in_large_pages(bytes);
        }
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()?;
        // SAFETY: the layout has a size of at least 1.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?;
        Some(RawBlock { start, layout })
    }

    fn in_large_pages(bytes: usize) -> Option<RawBlock> {
        let layout = Layout::from_size_align(bytes, pages::LARGE).ok()?;
        // SAFETY: the layout has a size of at least `pages::WORTHWHILE`.
        let start = NonNull::new(unsafe { alloc(layout) })?;
        pages::advise(start.as_ptr(), bytes);
        // Zeroed after the advice: only untouched pages become huge pages.
        // SAFETY: `start` is the beginning of `bytes` bytes that nobody else uses.
        unsafe { start.write_bytes(0, bytes) };
        Some(RawBlock { start, layout })
    }
}

impl Drop for RawBlock {
    fn drop(&mut self) {
        // SAFETY: `start` came from the global allocator with this layout and is released only here.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// Initial contents of a fresh block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// Zeros.
    Zeros,
    /// Any initialised bytes: data of an earlier array, or zeros.
    Any,
}

/// Elements in pooled host memory. The block returns to the pool when dropped.
#[derive(Debug)]
pub struct Block<T> {
    raw: Option<RawBlock>,
    count: usize,
    element: std::marker::PhantomData<T>,
}

impl<T: Element> Block<T> {
    /// Memory for `count` elements; `None` if there is not enough.
    pub fn allocate(count: usize, contents: Contents) -> Option<Block<T>> {
        let bytes = count.checked_mul(size_of::<T>())?;
        let class = pool::size_class(bytes)?;
        let reused = if class >= SMALLEST_POOLED { pool().take(class) } else { None };
        let dirty = reused.is_some();
        let raw = match reused.or_else(|| RawBlock::allocate(class)) {
            Some(raw) => raw,
            None => {
                trim();
                RawBlock::allocate(class)?
            }
        };
        count_in_use(class, 0);
        let mut block = Block { raw: Some(raw), count, element: std::marker::PhantomData };
        if dirty && contents == Contents::Zeros {
            block.as_mut_slice().fill(T::default());
        }
        Some(block)
    }

    /// The elements.
    pub fn as_slice(&self) -> &[T] {
        match &self.raw {
            // SAFETY: the block holds at least `count` elements (its class is not below `count * size_of::<T>()`), is
            // aligned to 64, which no element type exceeds, and is initialised; any initialised bytes are values of an
            // element type (`Element`). The lifetime is that of the borrow of the owner.
            Some(raw) => unsafe { std::slice::from_raw_parts(raw.start.as_ptr().cast::<T>(), self.count) },
            None => &[],
        }
    }

    /// The elements, mutable.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match &mut self.raw {
            // SAFETY: as in `as_slice`; the borrow of the owner is exclusive.
            Some(raw) => unsafe {
                std::slice::from_raw_parts_mut(raw.start.as_ptr().cast::<T>(), self.count)
            },
            None => &mut [],
        }
    }

    /// The address of the elements and their number, without a reference to them.
    pub(crate) fn raw_elements(&mut self) -> (*mut T, usize) {
        self.raw.as_ref().map_or((std::ptr::null_mut(), 0), |raw| (raw.start.as_ptr().cast(), self.count))
    }
}

impl<T> Drop for Block<T> {
    fn drop(&mut self) {
        if let Some(raw) = self.raw.take() {
            let class = raw.layout.size();
            count_in_use(0, class);
            if class >= SMALLEST_POOLED {
                let released = pool().put(class, raw);
                drop(released);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_aligned_and_zero() {
        for count in [0usize, 1, 7, 100, 40_000] {
            let block = Block::<f64>::allocate(count, Contents::Zeros).unwrap();
            assert_eq!(block.as_slice().len(), count);
            assert_eq!(block.as_slice().as_ptr() as usize % ALIGNMENT, 0);
            assert!(block.as_slice().iter().all(|&x| x == 0.0));
        }
    }

    #[test]
    fn large_blocks_start_with_a_large_page() {
        let block = Block::<u8>::allocate(pages::WORTHWHILE + 1, Contents::Zeros).unwrap();
        assert_eq!(block.as_slice().as_ptr() as usize % pages::LARGE, 0);
        assert!(block.as_slice().iter().all(|&x| x == 0));
    }

    #[test]
    fn reused_blocks_are_cleared_on_request() {
        for _ in 0..3 {
            let mut block = Block::<u32>::allocate(20_011, Contents::Zeros).unwrap();
            assert!(block.as_slice().iter().all(|&x| x == 0));
            block.as_mut_slice().fill(7);
        }
    }

    #[test]
    fn too_large_requests_fail() {
        assert!(Block::<f64>::allocate(usize::MAX, Contents::Any).is_none());
        assert!(Block::<f64>::allocate(isize::MAX as usize / 8, Contents::Any).is_none());
    }
}
