//! A small LRU cache for objects that are expensive to create, such as FFT plans.

/// An LRU cache with linear search.
#[derive(Debug)]
pub(crate) struct LruCache<K, P> {
    most: usize,
    /// In order of use, the most recent last.
    list: Vec<(K, P)>,
}

impl<K: PartialEq, P> LruCache<K, P> {
    /// An empty cache with this capacity.
    pub(crate) const fn new(most: usize) -> LruCache<K, P> {
        LruCache { most, list: Vec::new() }
    }

    /// Looks up a key and marks it as most recently used.
    pub(crate) fn find(&mut self, key: &K) -> Option<&P> {
        let place = self.list.iter().position(|(known, _)| known == key)?;
        let used = self.list.remove(place);
        self.list.push(used);
        self.list.last().map(|(_, plan)| plan)
    }

    /// Inserts a new key. Returns the entry that was evicted, if any.
    pub(crate) fn add(&mut self, key: K, plan: P) -> Option<P> {
        let gone = (self.list.len() >= self.most.max(1)).then(|| self.list.remove(0).1);
        self.list.push((key, plan));
        gone
    }

    /// Removes and returns all entries.
    #[cfg(any(feature = "cuda", test))]
    pub(crate) fn take(&mut self) -> impl Iterator<Item = P> {
        std::mem::take(&mut self.list).into_iter().map(|(_, plan)| plan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_used_for_the_longest_time_goes() {
        let mut plans = LruCache::new(3);
        assert!((0..3).all(|k| plans.add(k, 10 * k).is_none()));
        assert_eq!(plans.find(&0), Some(&0));
        assert_eq!(plans.add(3, 30), Some(10), "1 was used before 0");
        assert_eq!(plans.find(&1), None);
        assert_eq!(plans.add(4, 40), Some(20));
        assert_eq!(plans.take().collect::<Vec<_>>(), [0, 30, 40]);
        assert_eq!(plans.find(&0), None);
    }
}
