//! Shares independent work among threads, so that expansions of large programs keep nobody waiting.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// More threads than this do not pay: the other phases run on one.
const MOST: usize = 8;

/// Trees of the deepest programs that the parser lets through need less.
const STACK: usize = 32 << 20;

/// What `work` gives for each item, in their order. The threads take items as they come to them.
pub(crate) fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let helpers = processors.min(MOST).min(items.len()).saturating_sub(1);
    if helpers == 0 {
        return items.into_iter().map(work).collect();
    }
    let items = Mutex::new(items.into_iter().enumerate());
    let share = || {
        let mut done = Vec::new();
        loop {
            let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((place, item)) = next else { return done };
            done.push((place, work(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        // Where there are no more threads to be had, those that there are do the work.
        let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, share).ok();
        let helpers: Vec<_> = (0..helpers).filter_map(start).collect();
        let mut done = share();
        for helper in helpers {
            done.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..1000).collect();
        // The first items take longest.
        let work = |n: u64| (0..(1000 - n) * 10).fold(n, |sum, k| sum ^ (k * n % 7));
        let expected: Vec<u64> = items.iter().map(|n| work(*n)).collect();
        assert_eq!(map(items, work), expected);
        assert_eq!(map(Vec::new(), work), [0; 0]);
    }

    #[test]
    #[should_panic(expected = "item 7")]
    fn a_panic_reaches_the_caller() {
        let items: Vec<u32> = (0..100).collect();
        map(items, |n| assert!(n != 7, "item {n}"));
    }
}
