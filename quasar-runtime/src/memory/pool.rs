//! A cache of freed blocks: size classes, a limit on the kept bytes, and FIFO eviction.
//!
//! The pool does not allocate: it holds the blocks that its owner puts in and returns those that must be released.

use std::collections::{BTreeMap, VecDeque};

/// A block exceeds the requested size by at most a quarter.
const STEPS_PER_DOUBLING: u32 = 4;

/// Number of blocks that `take_oldest` inspects.
const LOOKED_AT: usize = 4;

/// The smallest size class in bytes.
const SMALLEST: usize = 64;

/// The size class that serves a request; `None` if the size overflows.
pub fn size_class(bytes: usize) -> Option<usize> {
    if bytes <= SMALLEST {
        return Some(SMALLEST);
    }
    let octave = bytes.checked_next_power_of_two()?;
    let step = (octave / 2 / STEPS_PER_DOUBLING as usize).max(SMALLEST);
    bytes.checked_next_multiple_of(step).filter(|&size| size <= isize::MAX as usize)
}

/// Freed blocks by size class, each with its insertion time.
#[derive(Debug)]
pub struct Pool<B> {
    free: BTreeMap<usize, VecDeque<(u64, B)>>,
    kept: usize,
    limit: usize,
    clock: u64,
}

impl<B> Pool<B> {
    /// An empty pool that keeps at most `limit` bytes.
    pub const fn new(limit: usize) -> Pool<B> {
        Pool { free: BTreeMap::new(), kept: 0, limit, clock: 0 }
    }

    /// Total bytes of the kept blocks.
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// Maximum of kept bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Takes the most recently freed block of exactly this class.
    pub fn take(&mut self, class: usize) -> Option<B> {
        let blocks = self.free.get_mut(&class)?;
        let (_, block) = blocks.pop_back()?;
        if blocks.is_empty() {
            self.free.remove(&class);
        }
        self.kept -= class;
        Some(block)
    }

    /// Takes the oldest block of exactly this class that fits. Only the oldest few are inspected, since later ones stay
    /// busy longer.
    pub(crate) fn take_oldest(&mut self, class: usize, fits: impl Fn(&B) -> bool) -> Option<B> {
        let blocks = self.free.get_mut(&class)?;
        let oldest = blocks.iter().take(LOOKED_AT).position(|(_, block)| fits(block))?;
        let (_, block) = blocks.remove(oldest)?;
        if blocks.is_empty() {
            self.free.remove(&class);
        }
        self.kept -= class;
        Some(block)
    }

    /// Number of kept blocks of exactly this class.
    pub(crate) fn count(&self, class: usize) -> usize {
        self.free.get(&class).map_or(0, VecDeque::len)
    }

    /// Keeps a block of this class. Returns the blocks to release, so that the limit holds.
    pub fn put(&mut self, class: usize, block: B) -> Vec<B> {
        if class > self.limit {
            return vec![block];
        }
        self.clock += 1;
        self.free.entry(class).or_default().push_back((self.clock, block));
        self.kept += class;
        self.shrink(self.limit)
    }

    /// Changes the limit. Returns the blocks to release.
    pub fn set_limit(&mut self, limit: usize) -> Vec<B> {
        self.limit = limit;
        self.shrink(limit)
    }

    /// Releases the oldest blocks until at most `target` bytes are kept.
    pub fn shrink(&mut self, target: usize) -> Vec<B> {
        let mut released = Vec::new();
        while self.kept > target {
            let oldest =
                self.free.iter().filter_map(|(&class, blocks)| Some((blocks.front()?.0, class))).min();
            let Some((_, class)) = oldest else { break };
            let Some(blocks) = self.free.get_mut(&class) else { break };
            if let Some((_, block)) = blocks.pop_front() {
                released.push(block);
                self.kept -= class;
            }
            if blocks.is_empty() {
                self.free.remove(&class);
            }
        }
        released
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_oldest_block_goes_first() {
        let mut pool = Pool::new(1000);
        assert!(pool.put(400, 'a').is_empty());
        assert!(pool.put(500, 'b').is_empty());
        assert_eq!(pool.put(400, 'c'), ['a']);
        assert_eq!(pool.take(500), Some('b'));
        assert_eq!(pool.take(500), None);
        assert_eq!(pool.put(2000, 'd'), ['d']);
        assert_eq!(pool.set_limit(0), ['c']);
        assert_eq!(pool.kept(), 0);
    }

    #[test]
    fn classes_reach_the_largest_sizes() {
        assert_eq!(size_class(0), Some(64));
        assert_eq!(size_class(64 << 20), Some(64 << 20));
        assert_eq!(size_class((64 << 20) + 1), Some(80 << 20));
        assert_eq!(size_class(usize::MAX), None);
        assert_eq!(size_class(isize::MAX as usize), None);
    }

    proptest! {
        #[test]
        fn classes_fit_and_waste_little(bytes in 0usize..1 << 40) {
            let class = size_class(bytes).unwrap();
            prop_assert!(class >= bytes);
            prop_assert!(class.is_multiple_of(64));
            prop_assert!(class <= bytes + bytes / 4 + 64);
            prop_assert_eq!(size_class(class), Some(class));
        }

        #[test]
        fn no_block_is_lost_or_duplicated(actions in prop::collection::vec((0usize..3, 1usize..40), 1..200)) {
            let limit = 8192;
            let mut pool = Pool::new(limit);
            let mut inside: BTreeSet<(usize, u32)> = BTreeSet::new();
            let mut next = 0u32;
            for (action, size) in actions {
                let class = size * 64;
                if action == 0 {
                    if let Some(block) = pool.take(class) {
                        prop_assert!(inside.remove(&block));
                        prop_assert_eq!(block.0, class);
                    } else {
                        prop_assert!(inside.iter().all(|&(c, _)| c != class));
                    }
                } else {
                    next += 1;
                    prop_assert!(inside.insert((class, next)));
                    for block in pool.put(class, (class, next)) {
                        prop_assert!(inside.remove(&block));
                    }
                }
                prop_assert!(pool.kept() <= limit);
                prop_assert_eq!(pool.kept(), inside.iter().map(|b| b.0).sum::<usize>());
            }
        }
    }
}
