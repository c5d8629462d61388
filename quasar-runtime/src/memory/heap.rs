//! The device memory allocator: size classes, a table of allocated blocks and a cache of freed ones.
//!
//! Work on the same device memory executes in submission order, so a freed block may be reallocated while earlier work
//! still uses it.

use super::pool::{Pool, size_class};
use std::collections::HashMap;

/// Number of freed but still busy blocks of one class up to which an idle allocation creates a new block. With more,
/// the caller is running ahead of the device.
const WAITING: usize = 2;

/// The heap of one device; `B` is the driver's handle of a block.
#[derive(Debug)]
pub(crate) struct Heap<B> {
    reserved: HashMap<u64, (B, usize)>,
    freed: Pool<B>,
    used: usize,
    usable: usize,
    /// Whether blocks have the sizes that were asked for.
    exact: bool,
}

impl<B: Clone> Heap<B> {
    /// A heap of `usable` bytes, of which at most `kept` are cached after they were freed.
    pub(crate) fn new(usable: usize, kept: usize) -> Heap<B> {
        Heap { reserved: HashMap::new(), freed: Pool::new(kept), used: 0, usable, exact: false }
    }

    /// As a heap that keeps nothing needs no classes, its blocks are as large as they were asked for if `exact`: tools that look at
    /// kernels see each access behind an array.
    #[cfg(feature = "cuda")]
    pub(crate) fn with_exact_blocks(mut self, exact: bool) -> Heap<B> {
        self.exact = exact;
        self
    }

    fn class(&self, bytes: usize) -> Option<usize> {
        if self.exact { Some(bytes.max(1)).filter(|&n| n <= isize::MAX as usize) } else { size_class(bytes) }
    }

    /// Allocates a block of at least `bytes` bytes. `make` calls the driver if no cached block fits; `name` returns the
    /// id of a block. `None` if the heap or the driver is out of memory.
    pub(crate) fn allocate<E>(
        &mut self,
        bytes: usize,
        make: impl FnOnce(usize) -> Result<Option<B>, E>,
        name: impl FnOnce(&B) -> u64,
    ) -> Result<Option<(u64, B)>, E> {
        let Some(class) = self.class(bytes) else { return Ok(None) };
        let block = match self.freed.take(class) {
            Some(block) => Some(block),
            None => self.make(class, make)?,
        };
        Ok(block.map(|block| self.reserve(block, class, name)))
    }

    /// Like `allocate`, but prefers a block that `idle` reports as unused, so that the copy that fills it need not
    /// wait. If there are only busy blocks, new ones are created, up to [`WAITING`] of them.
    pub(crate) fn allocate_idle<E>(
        &mut self,
        bytes: usize,
        idle: impl Fn(&B) -> bool,
        make: impl FnOnce(usize) -> Result<Option<B>, E>,
        name: impl FnOnce(&B) -> u64,
    ) -> Result<Option<(u64, B)>, E> {
        let Some(class) = self.class(bytes) else { return Ok(None) };
        let block = match self.freed.take_oldest(class, idle) {
            Some(block) => Some(block),
            None if self.freed.count(class) < WAITING => {
                let made = self.make(class, make)?;
                made.or_else(|| self.freed.take_oldest(class, |_| true))
            }
            None => self.freed.take_oldest(class, |_| true),
        };
        Ok(block.map(|block| self.reserve(block, class, name)))
    }

    fn make<E>(
        &self,
        class: usize,
        make: impl FnOnce(usize) -> Result<Option<B>, E>,
    ) -> Result<Option<B>, E> {
        let taken = self.used.saturating_add(self.freed.kept());
        if class > self.usable.saturating_sub(taken) { Ok(None) } else { make(class) }
    }

    fn reserve(&mut self, block: B, class: usize, name: impl FnOnce(&B) -> u64) -> (u64, B) {
        let id = name(&block);
        self.used += class;
        self.reserved.insert(id, (block.clone(), class));
        (id, block)
    }

    /// The block with this id, if it has at least `bytes` bytes.
    #[cfg(feature = "opencl")]
    pub(crate) fn find(&self, id: u64, bytes: usize) -> Option<B> {
        self.reserved.get(&id).filter(|(_, class)| bytes <= *class).map(|(block, _)| block.clone())
    }

    /// Frees a block. Returns the blocks to give back to the driver.
    #[must_use]
    pub(crate) fn release(&mut self, id: u64) -> Vec<B> {
        match self.reserved.remove(&id) {
            Some((block, class)) => {
                self.used -= class;
                self.freed.put(class, block)
            }
            None => Vec::new(),
        }
    }

    /// Empties the cache. Returns the blocks to give back to the driver.
    #[must_use]
    pub(crate) fn trim(&mut self) -> Vec<B> {
        self.freed.shrink(0)
    }

    /// Bytes that are allocated.
    #[cfg(any(feature = "cuda", feature = "opencl", test))]
    pub(crate) fn used_bytes(&self) -> usize {
        self.used
    }

    /// Bytes that are not allocated.
    pub(crate) fn free_bytes(&self) -> usize {
        self.usable.saturating_sub(self.used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn freed_blocks_come_back_and_limits_hold() {
        let mut heap = Heap::new(1000, usize::MAX);
        let mut made = 0_u64;
        let mut allocate = |heap: &mut Heap<u64>, bytes| {
            let make = |_| {
                made += 1;
                Ok::<_, Infallible>(Some(made))
            };
            heap.allocate(bytes, make, |&block| block).unwrap().map(|(id, _)| id)
        };
        assert_eq!(allocate(&mut heap, 500), Some(1));
        assert_eq!(allocate(&mut heap, 600), None, "there is no room");
        assert_eq!((heap.used_bytes(), heap.free_bytes()), (512, 1000 - 512));
        assert!(heap.release(1).is_empty());
        assert!(heap.release(1).is_empty());
        assert_eq!(allocate(&mut heap, 511), Some(1), "the same class");
        assert!(heap.release(1).is_empty());
        assert_eq!(allocate(&mut heap, 600), None, "what is kept takes room");
        assert_eq!(heap.trim(), [1]);
        assert_eq!(allocate(&mut heap, 600), Some(2));
        assert_eq!(heap.allocate(100, |_| Ok::<_, Infallible>(None), |&block| block), Ok(None));
        assert_eq!(heap.allocate(100, |_| Err("refused"), |&block| block), Err("refused"));
        assert_eq!(heap.free_bytes(), 1000 - 640);
    }

    #[test]
    fn nothing_is_kept_where_nothing_may_be() {
        let mut heap = Heap::new(usize::MAX, 0);
        let id = heap.allocate(100, |class| Ok::<_, Infallible>(Some(class as u64)), |&block| block);
        assert_eq!(id, Ok(Some((128, 128))));
        assert_eq!(heap.release(128), [128]);
        let mut exact = Heap::new(usize::MAX, 0).with_exact_blocks(true);
        let id = exact.allocate(100, |class| Ok::<_, Infallible>(Some(class as u64)), |&block| block);
        assert_eq!(id, Ok(Some((100, 100))));
        assert_eq!(exact.release(100), [100]);
    }

    #[test]
    fn blocks_in_use_are_left_to_others_for_a_while() {
        let mut heap = Heap::new(1 << 20, usize::MAX);
        let mut made = 0_u64;
        let mut allocate = |heap: &mut Heap<u64>, idle: &[u64]| {
            let make = |_| {
                made += 1;
                Ok::<_, Infallible>(Some(made))
            };
            let got = heap.allocate_idle(100, |block| idle.contains(block), make, |&block| block);
            got.unwrap().map(|(id, _)| id)
        };
        for wanted in [1, 2, 3] {
            assert_eq!(allocate(&mut heap, &[]), Some(wanted));
        }
        assert!(heap.release(2).is_empty());
        assert_eq!(allocate(&mut heap, &[]), Some(4), "2 is in use");
        assert_eq!(allocate(&mut heap, &[2]), Some(2));
        for id in [3, 1, 4] {
            assert!(heap.release(id).is_empty());
        }
        assert_eq!(allocate(&mut heap, &[4]), Some(4), "idle, although it was freed last");
        assert_eq!(allocate(&mut heap, &[]), Some(3), "two are in use: the one that was freed first");
        let mut full = Heap::new(128, usize::MAX);
        let make = |_| Ok::<_, Infallible>(Some(7));
        assert_eq!(full.allocate_idle(100, |_| true, make, |&block| block), Ok(Some((7, 7))));
        assert!(full.release(7).is_empty());
        assert_eq!(
            full.allocate_idle(100, |_| false, make, |&block| block),
            Ok(Some((7, 7))),
            "no room for another"
        );
    }
}
