//! Searches the combinations of values for the fastest: all of them where they are few, otherwise coordinate by coordinate from the
//! program's own values and from random places. Knows nothing of programs: a function says how long a combination takes.

use std::collections::HashMap;

/// A combination: for each parameter the index of its value.
pub(super) type Combination = Vec<usize>;

/// Up to so many combinations are all tried.
pub(super) const ALL: usize = 48;
/// Searches from random places end where so many in a row found nothing better.
const RESTARTS: usize = 8;

/// How many combinations there are.
pub(super) fn count(sizes: &[usize]) -> usize {
    sizes.iter().fold(1, |product, size| product.saturating_mul(*size))
}

/// Random numbers that are the same each time.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }

    fn shuffled(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        for k in (1..count).rev() {
            order.swap(k, self.below(k + 1));
        }
        order
    }
}

/// Tries combinations until nothing better is found, or `time` says that there is none left (`None`). Starts with `start` and with what
/// was best earlier. A combination that does not work takes infinitely long. Each is asked for once.
pub(super) fn search(
    sizes: &[usize],
    start: &Combination,
    earlier: Option<&Combination>,
    mut time: impl FnMut(&Combination) -> Option<f64>,
) {
    let mut known: HashMap<Combination, f64> = HashMap::new();
    let mut random = Random(20);
    let mut ask = |combination: &Combination| {
        if let Some(found) = known.get(combination) {
            return Some(*found);
        }
        let found = time(combination)?;
        known.insert(combination.clone(), found);
        Some(found)
    };
    let Some(mut best) = ask(start) else { return };
    let mut from = start.clone();
    if let Some(earlier) = earlier {
        match ask(earlier) {
            None => return,
            Some(found) if found < best => (best, from) = (found, earlier.clone()),
            Some(_) => {}
        }
    }
    if count(sizes) <= ALL {
        // In random order, so that what the time suffices for is spread.
        for k in random.shuffled(count(sizes)) {
            if ask(&numbered(sizes, k)).is_none() {
                return;
            }
        }
        return;
    }
    let mut in_vain = 0;
    while in_vain < RESTARTS {
        match descend(sizes, from, &mut random, &mut ask) {
            None => return,
            Some(found) if found < best => (best, in_vain) = (found, 0),
            Some(_) => in_vain += 1,
        }
        from = sizes.iter().map(|size| random.below(*size)).collect();
    }
}

/// Changes one value after the other as long as that helps. The time of the last combination; `None` where there is no time left.
fn descend(
    sizes: &[usize],
    mut here: Combination,
    random: &mut Random,
    ask: &mut impl FnMut(&Combination) -> Option<f64>,
) -> Option<f64> {
    let mut best = ask(&here)?;
    loop {
        let before = best;
        for axis in random.shuffled(sizes.len()) {
            for value in 0..sizes[axis] {
                let mut other = here.clone();
                other[axis] = value;
                let time = ask(&other)?;
                if time < best {
                    (best, here) = (time, other);
                }
            }
        }
        if best >= before {
            return Some(best);
        }
    }
}

/// The combination with this number.
fn numbered(sizes: &[usize], mut number: usize) -> Combination {
    let digit = |size: &usize| {
        let digit = number % size;
        number /= size;
        digit
    };
    sizes.iter().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best that is found within so many questions, and how many there were.
    fn found(sizes: &[usize], most: usize, time: impl Fn(&[usize]) -> f64) -> (f64, usize) {
        let (mut best, mut asked) = (f64::INFINITY, Vec::new());
        search(sizes, &vec![0; sizes.len()], None, |combination| {
            assert!(!asked.contains(combination) && combination.iter().zip(sizes).all(|(v, size)| v < size));
            if asked.len() == most {
                return None;
            }
            asked.push(combination.clone());
            best = f64::min(best, time(combination));
            Some(time(combination))
        });
        (best, asked.len())
    }

    #[test]
    fn few_combinations_are_all_tried() {
        assert_eq!(found(&[3, 4, 2], 1000, |v| (v[0] * 8 + v[1] * 2 + v[2]) as f64 - 7.0), (-7.0, 24));
        assert_eq!(found(&[], 10, |_| 1.0), (1.0, 1));
        assert_eq!(found(&[5], 3, |v| v[0] as f64).1, 3, "there was no time for more");
    }

    #[test]
    fn what_was_best_earlier_is_tried_first() {
        let mut asked = Vec::new();
        search(&[4, 4], &vec![0, 0], Some(&vec![3, 1]), |combination| {
            asked.push(combination.clone());
            (asked.len() < 3).then_some(1.0)
        });
        assert_eq!(asked[..2], [vec![0, 0], vec![3, 1]]);
    }

    #[test]
    fn many_are_searched() {
        // A bowl, then one with a ridge that a change of one value does not cross.
        let bowl = |v: &[usize]| v.iter().map(|&v| (v as f64 - 6.0).powi(2)).sum::<f64>();
        let (best, asked) = found(&[10; 5], 100_000, bowl);
        assert!(best < 0.5 && asked < 2000, "{best} {asked}");
        let ridge = |v: &[usize]| if v[0] == v[1] { 10.0 - v[0] as f64 } else { 20.0 };
        let (best, asked) = found(&[10; 2], 100_000, ridge);
        assert!(best < 5.0 && asked <= 100, "{best} {asked}");
        // What does not work is no way.
        let holes = |v: &[usize]| if v[0] == 3 { f64::INFINITY } else { bowl(v) };
        assert!(found(&[10; 3], 100_000, holes).0 < 0.5);
    }
}
