//! What ranks send each other before a launch: each computes from the same facts what all others need, so that nobody asks.

use crate::array::Intervals;
use crate::error::Result;
use std::collections::BTreeMap;

/// The bytes of one array that this rank sends and gets.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Exchange {
    /// To whom, and which bytes.
    sends: Vec<(usize, Intervals)>,
    /// From whom, and which bytes.
    receives: Vec<(usize, Intervals)>,
}

impl Exchange {
    /// What rank `me` sends and gets so that each rank has the bytes that it needs; `valid` are those that it has. Each byte comes from
    /// the nearest rank that has it, and from the lower one of two that are as near.
    pub(crate) fn plan(needs: &[Intervals], valid: &[Intervals], me: usize) -> Exchange {
        let mut found = Exchange::default();
        for (rank, (needs, has)) in needs.iter().zip(valid).enumerate() {
            let mut absent = needs.without(has);
            for other in by_distance(rank, valid.len()) {
                if absent.is_empty() {
                    break;
                }
                let Some(theirs) = valid.get(other) else { continue };
                let part = absent.common(theirs);
                if part.is_empty() {
                    continue;
                }
                absent = absent.without(&part);
                if rank == me {
                    found.receives.push((other, part));
                } else if other == me {
                    found.sends.push((rank, part));
                }
            }
        }
        found
    }
}

/// The other ranks, the nearest first.
fn by_distance(rank: usize, count: usize) -> impl Iterator<Item = usize> {
    (1..count).flat_map(move |distance| {
        let below = rank.checked_sub(distance);
        let above = Some(rank + distance).filter(|above| *above < count);
        below.into_iter().chain(above)
    })
}

/// What goes to each rank, and how much comes from each, for some arrays in order.
#[derive(Default)]
pub(crate) struct Messages {
    sends: BTreeMap<usize, Vec<u8>>,
    expected: BTreeMap<usize, usize>,
}

impl Messages {
    /// Adds the bytes of an array, which `read` reads.
    pub(crate) fn add(
        &mut self,
        exchange: &Exchange,
        read: impl Fn(&Intervals, &mut Vec<u8>) -> Result<()>,
    ) -> Result<()> {
        for (to, part) in &exchange.sends {
            read(part, self.sends.entry(*to).or_default())?;
        }
        for (from, part) in &exchange.receives {
            *self.expected.entry(*from).or_default() +=
                part.iter().map(ExactSizeIterator::len).sum::<usize>();
        }
        Ok(())
    }

    /// Sends all of it for what a label names, and waits for what comes.
    pub(crate) fn send(self, what: &str) -> Result<Received> {
        let sends: Vec<_> = self.sends.into_iter().collect();
        let expected: Vec<_> = self.expected.into_iter().collect();
        let messages = super::world()?.exchange(what, sends, &expected)?;
        Ok(Received(
            expected.into_iter().map(|(from, _)| from).zip(messages.into_iter().map(|m| (m, 0))).collect(),
        ))
    }
}

/// What came from each rank, and how much of it was taken.
#[derive(Default)]
pub(crate) struct Received(BTreeMap<usize, (Vec<u8>, usize)>);

impl Received {
    /// Puts the bytes of the next array where they belong: `write` does so, and says how many it took.
    pub(crate) fn take(
        &mut self,
        exchange: &Exchange,
        mut write: impl FnMut(&Intervals, &[u8]) -> Result<usize>,
    ) -> Result<()> {
        for (from, part) in &exchange.receives {
            let Some((message, taken)) = self.0.get_mut(from) else { continue };
            *taken += write(part, message.get(*taken..).unwrap_or(&[]))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[(usize, usize)]) -> Intervals {
        Intervals::of(ranges.iter().map(|(from, to)| *from..*to))
    }

    #[test]
    fn halos_come_from_neighbours() {
        let valid = [set(&[(0, 10)]), set(&[(10, 20)]), set(&[(20, 30)])];
        let needs = [set(&[(0, 12)]), set(&[(8, 22)]), set(&[(18, 30)])];
        let middle = Exchange::plan(&needs, &valid, 1);
        assert_eq!(middle.sends, [(0, set(&[(10, 12)])), (2, set(&[(18, 20)]))]);
        assert_eq!(middle.receives, [(0, set(&[(8, 10)])), (2, set(&[(20, 22)]))]);
        let first = Exchange::plan(&needs, &valid, 0);
        assert_eq!((first.sends, first.receives), (vec![(1, set(&[(8, 10)]))], vec![(1, set(&[(10, 12)]))]));
    }

    #[test]
    fn bytes_come_once_and_from_afar_where_neighbours_have_none() {
        // More ranks than rows: the halo of the last crosses a rank.
        let valid = [set(&[(0, 4)]), set(&[(4, 5)]), set(&[(5, 6)])];
        let needs = [set(&[]), set(&[]), set(&[(0, 6)])];
        let last = Exchange::plan(&needs, &valid, 2);
        assert_eq!(last.receives, [(1, set(&[(4, 5)])), (0, set(&[(0, 4)]))]);
        // Bytes that two ranks have come from one of them.
        let valid = [set(&[(0, 8)]), set(&[(0, 8)]), set(&[])];
        let last = Exchange::plan(&[set(&[]), set(&[]), set(&[(2, 4)])], &valid, 2);
        assert_eq!(last.receives, [(1, set(&[(2, 4)]))]);
        assert_eq!(Exchange::plan(&[set(&[]), set(&[]), set(&[(2, 4)])], &valid, 0), Exchange::default());
    }

    #[test]
    fn what_one_sends_the_other_expects() {
        let valid = [set(&[(0, 7), (20, 21)]), set(&[(5, 15)]), set(&[(15, 20), (0, 2)]), set(&[(30, 32)])];
        let needs = [set(&[(0, 32)]), set(&[(0, 1), (31, 32)]), set(&[]), set(&[(3, 16)])];
        let needs = needs.map(|n| n.common(&set(&[(0, 21), (30, 32)])));
        let plans: Vec<_> = (0..4).map(|me| Exchange::plan(&needs, &valid, me)).collect();
        for (me, plan) in plans.iter().enumerate() {
            for (to, part) in &plan.sends {
                assert!(plans[*to].receives.contains(&(me, part.clone())));
            }
            let mut got = valid[me].clone();
            plan.receives.iter().for_each(|(_, part)| got.add_all(part));
            assert!(needs[me].without(&got).is_empty());
        }
    }
}
