//! Sets of bytes of an array, as disjoint intervals in order.

use std::ops::Range;

/// A set of bytes. Neighbouring intervals are one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Intervals(Vec<Range<usize>>);

impl Intervals {
    /// The set without bytes.
    pub(crate) const EMPTY: Intervals = Intervals(Vec::new());

    /// The bytes of any ranges.
    pub(crate) fn of(ranges: impl IntoIterator<Item = Range<usize>>) -> Intervals {
        let mut set = Intervals::EMPTY;
        ranges.into_iter().for_each(|range| set.add(&range));
        set
    }

    /// So many bytes from the first on.
    pub(crate) fn first(bytes: usize) -> Intervals {
        let mut set = Intervals::EMPTY;
        set.add(&(0..bytes));
        set
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Range<usize>> {
        self.0.iter()
    }

    /// Adds the bytes of a range.
    pub(crate) fn add(&mut self, range: &Range<usize>) {
        if range.is_empty() {
            return;
        }
        let first = self.0.partition_point(|known| known.end < range.start);
        let behind = self.0.partition_point(|known| known.start <= range.end);
        let joined = self.0.get(first..behind).unwrap_or_default();
        let start = joined.first().map_or(range.start, |known| known.start.min(range.start));
        let end = joined.last().map_or(range.end, |known| known.end.max(range.end));
        self.0.splice(first..behind, std::iter::once(start..end));
    }

    /// Adds the bytes of a set.
    pub(crate) fn add_all(&mut self, other: &Intervals) {
        other.iter().for_each(|range| self.add(range));
    }

    /// What it has in common with a set.
    pub(crate) fn common(&self, other: &Intervals) -> Intervals {
        let pairs = self.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
        Intervals::of(pairs.map(|(a, b)| a.start.max(b.start)..a.end.min(b.end)))
    }

    /// Its bytes that a set does not have.
    pub(crate) fn without(&self, other: &Intervals) -> Intervals {
        let mut left = Intervals::EMPTY;
        for range in self.iter() {
            let mut start = range.start;
            for taken in other.iter().filter(|taken| taken.start < range.end && taken.end > range.start) {
                left.add(&(start..taken.start.max(start)));
                start = start.max(taken.end);
            }
            left.add(&(start..range.end.max(start)));
        }
        left
    }

    /// Whether it is all bytes of an array.
    pub(crate) fn covers(&self, bytes: usize) -> bool {
        bytes == 0 || matches!(self.0.as_slice(), [all] if all.start == 0 && all.end >= bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: usize = 12;

    fn listed(set: &Intervals) -> Vec<bool> {
        (0..BYTES).map(|k| set.iter().any(|range| range.contains(&k))).collect()
    }

    fn is_tidy(set: &Intervals) -> bool {
        set.iter().all(|range| !range.is_empty()) && set.0.windows(2).all(|pair| pair[0].end < pair[1].start)
    }

    #[test]
    fn they_are_sets_of_bytes() {
        let mut state = 1_u64;
        let mut random = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let mut whole = 0;
        for _ in 0..2000 {
            let mut sets = [Intervals::EMPTY, Intervals::EMPTY];
            let mut bytes = [[false; BYTES]; 2];
            for (set, bytes) in sets.iter_mut().zip(&mut bytes) {
                for _ in 0..random(6) {
                    let start = random(BYTES);
                    let end = (start + random(5)).min(BYTES);
                    set.add(&(start..end));
                    bytes[start..end].fill(true);
                }
                assert!(is_tidy(set), "{set:?}");
                assert_eq!(listed(set), bytes.as_slice());
                assert_eq!(set.is_empty(), !bytes.contains(&true));
                assert_eq!(set.covers(BYTES), !bytes.contains(&false));
                whole += usize::from(set.covers(BYTES));
            }
            let [a, b] = &sets;
            let mut both = a.clone();
            both.add_all(b);
            for (found, wanted) in [
                (both, (|x, y| x || y) as fn(bool, bool) -> bool),
                (a.common(b), |x, y| x && y),
                (a.without(b), |x, y| x && !y),
            ] {
                assert!(is_tidy(&found), "{found:?}");
                let wanted: Vec<bool> = bytes[0].iter().zip(bytes[1]).map(|(x, y)| wanted(*x, y)).collect();
                assert_eq!(listed(&found), wanted, "{a:?} {b:?}");
            }
        }
        assert!(whole > 0);
    }
}
