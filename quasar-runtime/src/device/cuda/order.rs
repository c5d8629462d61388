//! The dependence graph of a launch sequence, for graph edges: a writer depends on all earlier users of the memory
//! since the last write, a reader on the last writer. Any order that respects the edges gives the results of sequential
//! execution.

use super::super::LaunchArg;

/// Maximum length of a sequence, since a set of launches is a 64-bit mask.
pub(super) const MOST: usize = 64;

/// A set of launches of a sequence, as a bit mask of their indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Edges(u64);

impl Edges {
    fn only(launch: usize) -> Edges {
        Edges(1 << (launch % MOST))
    }

    fn and(self, other: Edges) -> Edges {
        Edges(self.0 | other.0)
    }

    fn but(self, other: Edges) -> Edges {
        Edges(self.0 & !other.0)
    }

    /// The indices in ascending order.
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let first = (left != 0).then(|| left.trailing_zeros() as usize)?;
            left &= left - 1;
            Some(first)
        })
    }
}

/// The uses of one memory block in a sequence.
struct Use {
    memory: u64,
    /// The last writer; empty or one launch.
    writer: Edges,
    /// Readers since the last write.
    readers: Edges,
}

/// The dependences of a launch sequence under construction.
#[derive(Default)]
pub(super) struct Order {
    uses: Vec<Use>,
    /// For each launch, its transitive predecessors.
    before: Vec<Edges>,
}

impl Order {
    pub(super) fn clear(&mut self) {
        self.uses.clear();
        self.before.clear();
    }

    /// Appends a launch. Returns its direct dependences, reduced by those that other dependences imply (transitive
    /// reduction).
    pub(super) fn add(&mut self, args: &[LaunchArg<'_>]) -> Edges {
        let number = self.before.len();
        let mut needed = Edges::default();
        for arg in args {
            let (memory, changes) = match arg {
                LaunchArg::Memory(memory) => (memory.id(), true),
                LaunchArg::Input(memory) | LaunchArg::Constant(memory, _) => (memory.id(), false),
                LaunchArg::Bytes(_) => continue,
            };
            // A linear search from the front: arrays, which recur, precede the records, which belong to one launch
            // each.
            let found = self.uses.iter().position(|known| known.memory == memory).unwrap_or_else(|| {
                self.uses.push(Use { memory, writer: Edges::default(), readers: Edges::default() });
                self.uses.len() - 1
            });
            let Some(known) = self.uses.get_mut(found) else { continue };
            needed = needed.and(known.writer);
            if changes {
                needed = needed.and(known.readers);
                (known.writer, known.readers) = (Edges::only(number), Edges::default());
            } else {
                known.readers = known.readers.and(Edges::only(number));
            }
        }
        // The same memory may be several arguments.
        let needed = needed.but(Edges::only(number));
        let done = |edges: Edges| {
            let each = edges.iter().filter_map(|k| self.before.get(k));
            each.fold(Edges::default(), |all, before| all.and(*before))
        };
        let earlier = done(needed);
        self.before.push(needed.and(earlier));
        needed.but(earlier)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::DeviceMemory;
    use super::*;
    use proptest::prelude::*;

    fn memory(id: u64) -> DeviceMemory {
        DeviceMemory::new(id, 4)
    }

    fn edges(launches: &[&[(u64, bool)]]) -> Vec<Vec<usize>> {
        let mut order = Order::default();
        let mut add = |list: &&[(u64, bool)]| {
            let memories: Vec<DeviceMemory> = list.iter().map(|(id, _)| memory(*id)).collect();
            let args = memories.iter().zip(*list).map(|(memory, &(_, changes))| match changes {
                true => LaunchArg::Memory(memory),
                false => LaunchArg::Input(memory),
            });
            order.add(&args.collect::<Vec<_>>()).iter().collect()
        };
        launches.iter().map(&mut add).collect()
    }

    #[test]
    fn launches_wait_for_what_they_depend_on() {
        const IN: bool = false;
        const OUT: bool = true;
        // Two chains, and one launch that depends on both.
        let found = edges(&[
            &[(1, IN), (2, OUT)],
            &[(3, IN), (4, OUT)],
            &[(2, OUT)],
            &[(4, OUT)],
            &[(2, IN), (4, IN), (5, OUT)],
            &[(1, OUT)],
        ]);
        assert_eq!(found, [vec![], vec![], vec![0], vec![1], vec![2, 3], vec![0]]);
        // Many readers, then one writer.
        let found = edges(&[&[(1, OUT)], &[(1, IN)], &[(1, IN)], &[(1, OUT)], &[(1, IN), (1, OUT)]]);
        assert_eq!(found, [vec![], vec![0], vec![0], vec![1, 2], vec![3]]);
    }

    proptest! {
        /// If one of two launches writes what the other uses, the later one depends on the earlier one, directly or
        /// transitively.
        #[test]
        fn no_conflict_is_left_open(launches in prop::collection::vec(prop::collection::vec((0u64..6, any::<bool>()), 0..4), 0..MOST)) {
            let lists: Vec<&[(u64, bool)]> = launches.iter().map(Vec::as_slice).collect();
            let found = edges(&lists);
            let mut waits: Vec<Vec<bool>> = Vec::new();
            for (k, edges) in found.iter().enumerate() {
                prop_assert!(edges.iter().all(|&e| e < k));
                waits.push((0..k).map(|j| edges.iter().any(|&e| e == j || (j < e && waits[e][j]))).collect());
                for j in 0..k {
                    let conflict = launches[j].iter().any(|(a, changes)| {
                        launches[k].iter().any(|(b, also)| a == b && (*changes || *also))
                    });
                    prop_assert!(!conflict || waits[k][j], "{k} does not wait for {j}");
                }
            }
        }
    }
}
