//! How many threads share the work of a call, and the pool of the process.

use crate::context;
use crate::pool::Pool;
use crate::process;
use quasar_devicelib::value::workers::Workers;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The pools of this process and, before it, of those from which it was forked.
struct Pools {
    own: OnceLock<(u32, Pool)>,
    next: OnceLock<Box<Pools>>,
}

/// The pool of this process.
fn pool() -> &'static Pool {
    static POOLS: Pools = Pools { own: OnceLock::new(), next: OnceLock::new() };
    let mut pools = &POOLS;
    loop {
        let (generation, pool) = pools.own.get_or_init(|| (process::watched(), Pool::default()));
        if *generation == process::generation() {
            return pool;
        }
        pools = pools.next.get_or_init(|| Box::new(Pools { own: OnceLock::new(), next: OnceLock::new() }));
    }
}

/// How many threads share the work of a call.
pub(crate) fn count() -> usize {
    #[cfg(test)]
    if let Some(threads) = tests::OWN.get() {
        return threads;
    }
    context::threads_kept()
}

/// Calls `part` with each number below `parts`, on several threads, and returns when all are done.
pub(crate) fn run(parts: usize, part: &(dyn Fn(usize) + Sync)) {
    pool().run(count(), parts, part);
}

/// The threads that kernels use, for functions of the library.
pub(crate) struct Threads;

impl Workers for Threads {
    fn count(&self) -> usize {
        count()
    }

    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        run(parts, part);
    }
}

/// Does all parts, on several threads, and returns when they are done.
pub(crate) fn each<P: Send>(parts: impl IntoIterator<Item = P>, work: impl Fn(P) + Sync) {
    let parts: Vec<Mutex<Option<P>>> = parts.into_iter().map(|part| Mutex::new(Some(part))).collect();
    run(parts.len(), &|k| {
        let part = parts.get(k).and_then(|part| part.lock().unwrap_or_else(PoisonError::into_inner).take());
        part.into_iter().for_each(&work);
    });
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::cell::Cell;
    use std::collections::HashSet;
    use std::sync::Barrier;

    thread_local! {
        pub(super) static OWN: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// Runs `f`, in which launches of this thread use so many threads.
    pub(crate) fn with_threads<R>(threads: usize, f: impl FnOnce() -> R) -> R {
        let before = OWN.replace(Some(threads));
        let result = f();
        OWN.set(before);
        result
    }

    #[test]
    fn several_threads_do_the_parts() {
        let (both, seen) = (Barrier::new(2), Mutex::new(HashSet::new()));
        with_threads(2, || {
            each(0..2, |_| {
                both.wait();
                seen.lock().unwrap().insert(std::thread::current().id());
            });
        });
        assert_eq!(seen.into_inner().unwrap().len(), 2);
    }

    #[test]
    fn all_parts_are_done_once_from_many_threads_and_inside_of_parts() {
        let total = std::sync::atomic::AtomicUsize::new(0);
        let count = |n: usize| _ = total.fetch_add(n, std::sync::atomic::Ordering::Relaxed);
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    with_threads(4, || {
                        for _ in 0..50 {
                            each(0..10, |n| with_threads(3, || each(0..n, |_| count(1))));
                        }
                    });
                });
            }
        });
        assert_eq!(total.into_inner(), 16 * 50 * 45);
    }

    #[test]
    fn a_panic_in_a_part_comes_to_the_caller_and_the_pool_goes_on() {
        for _ in 0..20 {
            let result = std::panic::catch_unwind(|| {
                with_threads(3, || each(0..50, |k| assert_ne!(k, 20, "expected by the test")));
            });
            assert!(result.is_err());
        }
        with_threads(3, || each(0..50, |_| ()));
    }
}
