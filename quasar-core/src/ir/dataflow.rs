//! Facts that follow from each other: sets that are closed under a rule.

use crate::ids::IdSet;
use std::collections::{BTreeMap, BTreeSet};

/// Facts, of which rules only find more, or only refute some.
pub trait Facts {
    /// How many there are.
    fn count(&self) -> usize;
}

impl<T> Facts for BTreeSet<T> {
    fn count(&self) -> usize {
        self.len()
    }
}

impl<K, V> Facts for BTreeMap<K, V> {
    fn count(&self) -> usize {
        self.len()
    }
}

impl<T> Facts for IdSet<T> {
    fn count(&self) -> usize {
        self.len()
    }
}

/// Applies a rule until it changes nothing. One that only adds facts gives the least set with those it begins with; one that
/// only takes facts away gives the greatest set inside of it.
pub fn fixpoint<F: Facts>(mut facts: F, mut rule: impl FnMut(&mut F)) -> F {
    loop {
        let before = facts.count();
        rule(&mut facts);
        if facts.count() == before {
            return facts;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_run_until_nothing_new_follows() {
        let next = BTreeMap::from([(1, 2), (2, 3), (3, 1), (7, 8)]);
        let reached = fixpoint(BTreeSet::from([1]), |reached| {
            let more: Vec<i32> = reached.iter().filter_map(|node| next.get(node).copied()).collect();
            reached.extend(more);
        });
        assert_eq!(reached, BTreeSet::from([1, 2, 3]));
        assert!(fixpoint(BTreeSet::<i32>::new(), |_| {}).is_empty());
        let kept = fixpoint(BTreeSet::from([1, 2, 3, 7]), |kept| {
            let all = kept.clone();
            kept.retain(|node| next.get(node).is_some_and(|next| all.contains(next)));
        });
        assert_eq!(kept, BTreeSet::from([1, 2, 3]));
    }
}
