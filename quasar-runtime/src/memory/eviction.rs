//! The eviction policy: which arrays leave a device to make room. A pure function.

/// An array with memory on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The time of its last use; later is larger.
    pub last_use: u64,
    /// Bytes of device memory.
    pub bytes: usize,
}

/// Indices of the candidates to evict, least recently used first, until `needed` bytes are free. Empty if all
/// candidates together are too small.
pub fn victims(candidates: &[Candidate], needed: usize) -> Vec<usize> {
    let all = candidates.iter().fold(0_usize, |sum, candidate| sum.saturating_add(candidate.bytes));
    if all < needed {
        return Vec::new();
    }
    let mut order: Vec<(u64, usize, usize)> = candidates
        .iter()
        .enumerate()
        .filter(|(_, candidate)| candidate.bytes > 0)
        .map(|(k, candidate)| (candidate.last_use, k, candidate.bytes))
        .collect();
    order.sort_unstable();
    let mut freed = 0_usize;
    let enough = order.iter().position(|&(_, _, bytes)| {
        freed = freed.saturating_add(bytes);
        freed >= needed
    });
    order.truncate(enough.map_or(order.len(), |last| last + 1));
    order.into_iter().map(|(_, k, _)| k).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn candidates(list: &[(u64, usize)]) -> Vec<Candidate> {
        list.iter().map(|&(last_use, bytes)| Candidate { last_use, bytes }).collect()
    }

    #[test]
    fn the_longest_unused_go_first() {
        let list = candidates(&[(5, 100), (1, 10), (3, 0), (2, 50)]);
        assert_eq!(victims(&list, 10), [1]);
        assert_eq!(victims(&list, 11), [1, 3]);
        assert_eq!(victims(&list, 61), [1, 3, 0]);
        assert_eq!(victims(&list, 161), Vec::<usize>::new());
        assert_eq!(victims(&list, usize::MAX), Vec::<usize>::new());
    }

    proptest! {
        #[test]
        fn victims_suffice_and_none_is_in_vain(list in prop::collection::vec((0u64..20, 0usize..50), 0..20), needed in 1usize..300) {
            let list = candidates(&list);
            let chosen = victims(&list, needed);
            let sum = |chosen: &[usize]| chosen.iter().map(|&k| list[k].bytes).sum::<usize>();
            if chosen.is_empty() {
                prop_assert!(list.iter().map(|c| c.bytes).sum::<usize>() < needed);
            } else {
                prop_assert!(sum(&chosen) >= needed);
                prop_assert!(sum(&chosen[..chosen.len() - 1]) < needed);
                let last = list[*chosen.last().unwrap()].last_use;
                for (k, candidate) in list.iter().enumerate() {
                    prop_assert!(chosen.contains(&k) || candidate.bytes == 0 || candidate.last_use >= last);
                }
            }
        }
    }
}
