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
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Iterations run on the calling thread for so long, before it is known how long they take.
const LOOK: Duration = Duration::from_micros(40);
/// What takes less than this is not worth other threads.
const WORTH: Duration = Duration::from_micros(100);
/// A part takes at least this long.
const PART: Duration = Duration::from_micros(20);
/// Parts for each thread, since they take different times.
const PARTS: usize = 4;

/// Runs `iteration` for each of `steps`, on several threads where that takes less time.
pub fn share_iterations<T: Copy + Send + Sync>(
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
    let length = steps.len().div_ceil(PARTS * threads::count()).max(least);
    in_parts(&steps, length, &iteration)
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
            share_iterations(0..500, |k| {
                slow();
                runs[k].fetch_add(1, Ordering::Relaxed);
                Ok(())
            })
            .unwrap();
            assert!(runs.iter().all(|runs| runs.load(Ordering::Relaxed) == 1));
        });
    }

    #[test]
    fn the_first_iteration_that_fails_says_why() {
        with_threads(4, || {
            for wrong in [0, 17, 250, 499] {
                let runs: Vec<AtomicUsize> = (0..500).map(|_| AtomicUsize::new(0)).collect();
                let found = share_iterations(0..500, |k| {
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
            share_iterations(0..40_usize, |k| {
                share_iterations(0..40_usize, |other| {
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
            let stopped = share_iterations(0..i64::MAX, |k| {
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
            share_iterations(0..100, |_| {
                slow();
                assert_eq!(std::thread::current().id(), me);
                Ok(())
            })
            .unwrap();
            drop(kept);
        });
    }
}
