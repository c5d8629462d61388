//! Bit sets of ids, which the dataflow analyses use heavily.

use super::Id;
use std::fmt;
use std::marker::PhantomData;

/// Number of 64-bit words stored inline; larger ids need a heap allocation.
const INLINE: usize = 2;

/// A set of ids of one arena, ordered.
pub struct IdSet<T> {
    first: [u64; INLINE],
    more: Vec<u64>,
    of: PhantomData<fn() -> T>,
}

impl<T> IdSet<T> {
    /// An empty set.
    pub fn new() -> Self {
        IdSet { first: [0; INLINE], more: Vec::new(), of: PhantomData }
    }

    /// Adds an id; returns whether it is new.
    pub fn insert(&mut self, id: Id<T>) -> bool {
        let (word, bit) = (id.index() / 64, 1 << (id.index() % 64));
        let word = self.word_mut(word);
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// Removes an id; returns whether it was present.
    pub fn remove(&mut self, id: &Id<T>) -> bool {
        let found = self.contains(id);
        if found {
            *self.word_mut(id.index() / 64) &= !(1 << (id.index() % 64));
        }
        found
    }

    /// Whether an id is in the set.
    pub fn contains(&self, id: &Id<T>) -> bool {
        self.word(id.index() / 64) & (1 << (id.index() % 64)) != 0
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        (0..self.words()).all(|k| self.word(k) == 0)
    }

    /// The number of ids.
    pub fn len(&self) -> usize {
        (0..self.words()).map(|k| self.word(k).count_ones() as usize).sum()
    }

    /// Removes all ids.
    pub fn clear(&mut self) {
        self.first = [0; INLINE];
        self.more.clear();
    }

    /// The union of two sets.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut all = self.clone();
        all.add(other);
        all
    }

    /// The intersection of two sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut common = self.clone();
        for k in 0..self.words() {
            *common.word_mut(k) &= other.word(k);
        }
        common
    }

    /// The difference of two sets.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        for k in 0..self.words() {
            *rest.word_mut(k) &= !other.word(k);
        }
        rest
    }

    /// Adds all ids of another set.
    pub fn add(&mut self, other: &Self) {
        for k in 0..other.words() {
            let word = other.word(k);
            if word != 0 {
                *self.word_mut(k) |= word;
            }
        }
    }

    /// Whether the sets are disjoint.
    pub fn is_disjoint(&self, other: &Self) -> bool {
        (0..self.words()).all(|k| self.word(k) & other.word(k) == 0)
    }

    /// Whether it is a subset of another set.
    pub fn is_subset(&self, other: &Self) -> bool {
        (0..self.words()).all(|k| self.word(k) & !other.word(k) == 0)
    }

    /// Keeps the ids that satisfy the predicate.
    pub fn retain(&mut self, mut test: impl FnMut(&Id<T>) -> bool) {
        for id in self.clone().iter() {
            if !test(&id) {
                self.remove(&id);
            }
        }
    }

    /// Iterates over the ids in ascending order.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter { set: self, word: 0, bits: self.first[0] }
    }

    fn words(&self) -> usize {
        INLINE + self.more.len()
    }

    fn word(&self, k: usize) -> u64 {
        if k < INLINE { self.first[k] } else { self.more.get(k - INLINE).copied().unwrap_or(0) }
    }

    fn word_mut(&mut self, k: usize) -> &mut u64 {
        if k < INLINE {
            return &mut self.first[k];
        }
        if self.more.len() <= k - INLINE {
            self.more.resize(k - INLINE + 1, 0);
        }
        &mut self.more[k - INLINE]
    }
}

/// Iterator over the ids of a set.
pub struct Iter<'s, T> {
    set: &'s IdSet<T>,
    word: usize,
    /// The remaining bits of the word.
    bits: u64,
}

impl<T> Iterator for Iter<'_, T> {
    type Item = Id<T>;

    fn next(&mut self) -> Option<Id<T>> {
        while self.bits == 0 {
            self.word += 1;
            if self.word >= self.set.words() {
                return None;
            }
            self.bits = self.set.word(self.word);
        }
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(Id::new(self.word * 64 + bit))
    }
}

impl<'s, T> IntoIterator for &'s IdSet<T> {
    type Item = Id<T>;
    type IntoIter = Iter<'s, T>;

    fn into_iter(self) -> Iter<'s, T> {
        self.iter()
    }
}

impl<T> IntoIterator for IdSet<T> {
    type Item = Id<T>;
    type IntoIter = std::vec::IntoIter<Id<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter().collect::<Vec<_>>().into_iter()
    }
}

impl<'i, T: 'i> Extend<&'i Id<T>> for IdSet<T> {
    fn extend<I: IntoIterator<Item = &'i Id<T>>>(&mut self, ids: I) {
        self.extend(ids.into_iter().copied());
    }
}

impl<T> Extend<Id<T>> for IdSet<T> {
    fn extend<I: IntoIterator<Item = Id<T>>>(&mut self, ids: I) {
        for id in ids {
            self.insert(id);
        }
    }
}

impl<T> FromIterator<Id<T>> for IdSet<T> {
    fn from_iter<I: IntoIterator<Item = Id<T>>>(ids: I) -> Self {
        let mut set = Self::new();
        set.extend(ids);
        set
    }
}

impl<T, const N: usize> From<[Id<T>; N]> for IdSet<T> {
    fn from(ids: [Id<T>; N]) -> Self {
        ids.into_iter().collect()
    }
}

impl<T> Default for IdSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Clone for IdSet<T> {
    fn clone(&self) -> Self {
        IdSet { first: self.first, more: self.more.clone(), of: PhantomData }
    }
}

impl<T> PartialEq for IdSet<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_subset(other) && other.is_subset(self)
    }
}

impl<T> Eq for IdSet<T> {}

impl<T> fmt::Debug for IdSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    type Set = IdSet<()>;

    fn set(ids: &[usize]) -> Set {
        ids.iter().map(|id| Id::new(*id)).collect()
    }

    #[test]
    fn sets_do_as_ordered_sets_do() {
        let lists: [&[usize]; 6] =
            [&[], &[0], &[63, 64, 127], &[128, 5, 1000], &[5, 64, 128, 700], &[1000, 0, 63]];
        let ids = |set: &Set| set.iter().map(Id::index).collect::<Vec<_>>();
        for a in lists {
            for b in lists {
                let (x, y) = (set(a), set(b));
                let (m, n): (BTreeSet<usize>, BTreeSet<usize>) =
                    (a.iter().copied().collect(), b.iter().copied().collect());
                assert_eq!(ids(&x.union(&y)), m.union(&n).copied().collect::<Vec<_>>());
                assert_eq!(ids(&x.intersection(&y)), m.intersection(&n).copied().collect::<Vec<_>>());
                assert_eq!(ids(&x.difference(&y)), m.difference(&n).copied().collect::<Vec<_>>());
                assert_eq!(x == y, m == n);
                assert_eq!(x.is_disjoint(&y), m.is_disjoint(&n));
                assert_eq!(x.is_subset(&y), m.is_subset(&n));
            }
            let x = set(a);
            assert_eq!(x.len(), a.len());
            assert_eq!(x.is_empty(), a.is_empty());
            assert!(a.iter().all(|id| x.contains(&Id::new(*id))));
        }
    }

    #[test]
    fn ids_come_and_go() {
        let mut found = set(&[3, 200]);
        assert!(!found.insert(Id::new(200)));
        assert!(found.insert(Id::new(64)));
        assert!(found.remove(&Id::new(3)));
        assert!(!found.remove(&Id::new(3)) && !found.remove(&Id::new(100_000)));
        found.retain(|id| id.index() > 100);
        assert_eq!(found, set(&[200]));
        found.clear();
        assert_eq!(found, Set::new());
    }
}
