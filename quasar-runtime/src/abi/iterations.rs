//! Parallel loops of host code: threads share the iterations, each of which may do whatever host code does.
//!
//! The loop holds no arrays itself. Iterations take the arrays that they need for as long as each access or launch lasts, so
//! what waits for them comes to an end. The error of a loop is that of the first iteration with one, as in order.

use super::run;
use crate::cluster;
use crate::error::{Error, Result};
use crate::kernel::deferred_errors;
use crate::{process, threads};
use quasar_devicelib::value::array;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Iterations run on the calling thread for so long, before it is known how long they take.
const LOOK: Duration = Duration::from_micros(40);
/// What takes less than this is not worth other threads.
const WORTH: Duration = Duration::from_micros(100);
/// A part takes at least this long.
const PART: Duration = Duration::from_micros(20);
/// Iterations that take longer than this do more than to wait for arrays.
const SHORT: Duration = Duration::from_micros(100);
/// The part of short iterations by which threads are compared with iterations in order.
const TRIED: usize = 8;
/// Parts for each thread, since they take different times.
const PARTS: usize = 4;

/// Runs `iteration` for each of `steps`, on several threads where that takes less time.
pub fn share_iterations<T: Copy + Send + Sync>(
    contention: &Contention,
    steps: impl Iterator<Item = T>,
    iteration: impl Fn(T) -> Result<()> + Sync,
) -> Result<()> {
    // Other threads would wait for the arrays that this one keeps.
    // The ranks of a cluster meet in the order of the iterations.
    if threads::count() < 2 || process::has_accesses() || cluster::is_active() {
        return steps.into_iter().try_for_each(iteration);
    }
    let mut steps = steps;
    let began = Instant::now();
    let mut done = 0_u32;
    while began.elapsed() < LOOK {
        let Some(step) = steps.next() else { return Ok(()) };
        iteration(step)?;
        done += 1;
    }
    // A loop with more steps than there is memory for runs in order.
    let Ok(mut rest) = array::reserve::<T>(steps.size_hint().0) else {
        return steps.try_for_each(iteration);
    };
    rest.extend(steps);
    let steps = rest;
    let each = began.elapsed() / done.max(1);
    let all = each.saturating_mul(u32::try_from(steps.len()).unwrap_or(u32::MAX));
    if steps.len() < 2 || all < WORTH {
        return steps.into_iter().try_for_each(iteration);
    }
    // Errors of what was launched before are not those of an iteration.
    deferred_errors::settle()?;
    let fewest = PART.as_nanos() / each.as_nanos().max(1);
    let least = usize::try_from(fewest).unwrap_or(usize::MAX).max(1);
    if !contention.is_tried() {
        return steps.into_iter().try_for_each(iteration);
    }
    let mut rest = &steps[..];
    let tried = (rest.len() / TRIED).min(2 * least * threads::count());
    // Fewer than two for each thread say nothing.
    if each < SHORT && tried >= 2 * threads::count() {
        let (first, others) = rest.split_at(tried);
        let began = Instant::now();
        in_parts(first, first.len().div_ceil(2 * threads::count()), &iteration)?;
        let in_order = each.saturating_mul(u32::try_from(tried).unwrap_or(u32::MAX));
        rest = others;
        if contention.found(began.elapsed() > in_order) {
            return rest.iter().copied().try_for_each(iteration);
        }
    }
    let length = rest.len().div_ceil(PARTS * threads::count()).max(least);
    in_parts(rest, length, &iteration)
}

/// Whether the iterations of a loop of the program were faster in order, when threads shared them last.
#[derive(Debug, Default)]
pub struct Contention {
    /// How often the loop still runs in order.
    left: AtomicU32,
}

impl Contention {
    /// How often such a loop runs in order before threads are tried again.
    const AGAIN: u32 = 64;

    /// A loop that has not run.
    pub const fn new() -> Contention {
        Contention { left: AtomicU32::new(0) }
    }

    /// Whether threads shall share the iterations now.
    fn is_tried(&self) -> bool {
        let less = |left: u32| left.checked_sub(1);
        self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
    }

    /// Notes whether threads were slower, and says so.
    fn found(&self, slower: bool) -> bool {
        self.left.store(if slower { Self::AGAIN } else { 0 }, Ordering::Relaxed);
        slower
    }
}

/// Runs all iterations, so many in each part. Those behind one that failed may not run.
fn in_parts<T: Copy + Sync>(
    steps: &[T],
    length: usize,
    iteration: &(impl Fn(T) -> Result<()> + Sync),
) -> Result<()> {
    let parts: Vec<&[T]> = steps.chunks(length).collect();
    let failed = AtomicUsize::new(usize::MAX);
    let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    threads::run(parts.len(), &|k| {
        let of_part = parts.get(k).copied().unwrap_or_default().iter();
        let in_order = || {
            of_part.copied().try_for_each(|step| {
                if failed.load(Ordering::Relaxed) < k { Ok(()) } else { iteration(step) }
            })
        };
        let result = process::outside_of_parts(|| run(in_order));
        if let Err(error) = result {
            failed.fetch_min(k, Ordering::Relaxed);
            let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
            if first.as_ref().is_none_or(|(place, _)| k < *place) {
                *first = Some((k, error));
            }
        }
    });
    first.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::array::Array;
    use crate::threads::tests::with_threads;

    fn slow() {
        std::thread::sleep(Duration::from_micros(50));
    }

    #[test]
    fn each_iteration_runs_once() {
        with_threads(4, || {
            let runs: Vec<AtomicUsize> = (0..500).map(|_| AtomicUsize::new(0)).collect();
            share_iterations(&Contention::new(), 0..500, |k| {
                slow();
                runs[k].fetch_add(1, Ordering::Relaxed);
                Ok(())
            })
            .unwrap();
            assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1));
        });
    }

    #[test]
    fn iterations_that_were_faster_in_order_run_so_for_a_while() {
        with_threads(4, || {
            let contention = Contention::new();
            let threads = || {
                let seen = Mutex::new(std::collections::HashSet::new());
                share_iterations(&contention, 0..64, |_| {
                    slow();
                    seen.lock().unwrap().insert(std::thread::current().id());
                    Ok(())
                })
                .unwrap();
                seen.into_inner().unwrap().len()
            };
            assert!(contention.found(true));
            assert_eq!(threads(), 1);
            assert!((2..=Contention::AGAIN).all(|_| !contention.is_tried()));
            assert!(contention.is_tried());
            assert!(threads() > 1);
        });
    }

    #[test]
    fn few_long_iterations_are_always_shared() {
        with_threads(4, || {
            let contention = Contention::new();
            for _ in 0..3 {
                share_iterations(&contention, 0..6, |_| {
                    std::thread::sleep(Duration::from_millis(2));
                    Ok(())
                })
                .unwrap();
                assert!(contention.is_tried(), "nothing was compared");
            }
        });
    }

    #[test]
    fn the_first_iteration_that_fails_says_why() {
        with_threads(4, || {
            for wrong in [0, 17, 250, 499] {
                let runs: Vec<AtomicUsize> = (0..500).map(|_| AtomicUsize::new(0)).collect();
                let found = share_iterations(&Contention::new(), 0..500, |k| {
                    slow();
                    runs[k].fetch_add(1, Ordering::Relaxed);
                    if k >= wrong { Err(Error::argument(format!("iteration {k}"))) } else { Ok(()) }
                });
                assert!(found.unwrap_err().to_string().contains(&format!("iteration {wrong}")));
                let run = |run: &AtomicUsize| run.load(Ordering::Relaxed);
                assert!(runs[..=wrong].iter().all(|runs| run(runs) == 1), "those in front of {wrong}");
                assert!(runs.iter().all(|runs| run(runs) < 2));
            }
        });
    }

    #[test]
    fn iterations_wait_for_arrays_and_start_loops() {
        with_threads(4, || {
            let sums = Array::from_vec(&[40], vec![0_i32; 40]).unwrap();
            share_iterations(&Contention::new(), 0..40_usize, |k| {
                share_iterations(&Contention::new(), 0..40_usize, |other| {
                    slow();
                    let mut sums = sums.write();
                    sums[k] += other as i32;
                    Ok(())
                })
            })
            .unwrap();
            assert_eq!(sums.to_vec(), [780; 40]);
        });
    }

    #[test]
    fn more_steps_than_memory_run_in_order() {
        with_threads(4, || {
            let stopped = share_iterations(&Contention::new(), 0..i64::MAX, |k| {
                slow();
                if k == 20 { Err(Error::argument("stopped")) } else { Ok(()) }
            });
            assert!(stopped.unwrap_err().to_string().contains("stopped"));
        });
    }

    #[test]
    fn a_thread_that_keeps_an_array_shares_nothing() {
        with_threads(4, || {
            let array = Array::from_vec(&[1], vec![0_i32]).unwrap();
            let kept = array.read();
            let me = std::thread::current().id();
            share_iterations(&Contention::new(), 0..100, |_| {
                slow();
                assert_eq!(std::thread::current().id(), me);
                Ok(())
            })
            .unwrap();
            drop(kept);
        });
    }
}
