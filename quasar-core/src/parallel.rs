//! Parallel map over independent work items, to keep macro expansions of large programs fast, and fresh stacks for deep
//! recursion.

use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The maximal number of threads. More do not pay off: the other phases are sequential.
const MAX_THREADS: usize = 8;

/// Stack bytes of a thread. The deepest trees that the parser accepts need less.
const STACK: usize = 32 << 20;

/// The time that the calling thread works alone. Starting threads and their allocator state costs a good part of it,
/// and most programs in macros are compiled sooner.
const ALONE: Duration = Duration::from_millis(2);

/// Maps `work` over the items; results are in their order. If it takes long, several threads share the remaining items
/// dynamically.
pub(crate) fn map<T: Send, R: Send>(items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    // WebAssembly has neither threads nor a clock here.
    if cfg!(target_family = "wasm") {
        return items.into_iter().map(work).collect();
    }
    map_after(ALONE, items, work)
}

fn map_after<T: Send, R: Send>(alone: Duration, items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let start = Instant::now();
    let mut items = items.into_iter();
    let mut done = Vec::with_capacity(items.len());
    while items.len() <= 1 || start.elapsed() < alone {
        match items.next() {
            Some(item) => done.push(work(item)),
            None => return done,
        }
    }
    done.extend(share(items, work));
    done
}

/// Runs `work` on a fresh stack, because the caller's is largely used up.
pub(crate) fn on_new_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let work = Mutex::new(Some(work));
    let run = || {
        let work = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        work.map(|work| work())
    };
    let done =
        thread::scope(|scope| match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // No thread available: continue on the current stack.
            Err(_) => run(),
        });
    match done {
        Some(done) => done,
        None => unreachable!("the work is taken once"),
    }
}

fn share<T: Send, R: Send>(
    items: std::vec::IntoIter<T>,
    work: impl Fn(T) -> R + Sync,
) -> impl Iterator<Item = R> {
    let helpers = processors().min(MAX_THREADS).min(items.len()).saturating_sub(1);
    let items = Mutex::new(items.enumerate());
    let take = || {
        let mut done = Vec::new();
        loop {
            let next = items.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((place, item)) = next else { return done };
            done.push((place, work(item)));
        }
    };
    let mut done = thread::scope(|scope| {
        // If not all threads can be started, fewer share the work.
        let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, take).ok();
        let helpers: Vec<_> = (0..helpers).filter_map(start).collect();
        let mut done = take();
        for helper in helpers {
            done.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, result)| result)
}

/// The number of CPUs, cached: the query reads several files, which takes longer than compiling many a macro.
fn processors() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    *PROCESSORS.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
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
        for alone in [Duration::ZERO, Duration::from_micros(100), Duration::MAX] {
            assert_eq!(map_after(alone, items.clone(), work), expected);
            assert_eq!(map_after(alone, vec![999], work), [work(999)]);
            assert_eq!(map_after(alone, Vec::new(), work), [0; 0]);
        }
    }

    #[test]
    fn work_goes_on_on_another_stack() {
        fn down(depth: u32) -> u32 {
            let filled = std::hint::black_box([0u8; 4096]);
            match depth {
                0 => u32::from(filled[0]),
                _ if depth.is_multiple_of(1000) => on_new_stack(|| down(depth - 1) + 1),
                _ => down(depth - 1) + 1,
            }
        }
        assert_eq!(down(20_000), 20_000, "80 MB on stacks that are smaller");
    }

    #[test]
    #[should_panic(expected = "item 7")]
    fn a_panic_reaches_the_caller() {
        let items: Vec<u32> = (0..100).collect();
        map_after(Duration::ZERO, items, |n| assert!(n != 7, "item {n}"));
    }
}
