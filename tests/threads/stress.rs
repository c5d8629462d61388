//! Random calls on shared arrays from up to 64 threads. Each update is counted: when all threads are done, every array must
//! hold what was added to it. `QUASAR_STRESS_SECONDS` says how long, `QUASAR_STRESS_DEVICE=opencl` lets launches go to a device.

use super::{ones, program, shared_out, value, watched};
use quasar::{Array, context};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Arrays of a round: small ones, and one that several threads share out.
const SIZES: [usize; 6] = [16, 16, 16, 16, 16, 60_000];

struct Shared {
    arrays: Vec<Array<f32>>,
    /// What was added to each of them.
    added: Vec<AtomicU64>,
    calls: AtomicU64,
}

/// The next of some random numbers.
fn random(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize
}

impl Shared {
    fn new() -> Shared {
        let arrays: Vec<_> = SIZES.iter().map(|&count| ones(count)).collect();
        let added = arrays.iter().map(|_| AtomicU64::new(0)).collect();
        Shared { arrays, added, calls: AtomicU64::new(0) }
    }

    fn add(&self, k: usize) {
        self.added[k].fetch_add(1, Ordering::Relaxed);
    }

    /// Any call with arrays of one size, in any order.
    fn call(&self, state: &mut u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let (i, j, k) = (random(state) % 5, random(state) % 5, random(state) % 5);
        let (a, b, c) = (&self.arrays[i], &self.arrays[j], &self.arrays[k]);
        match random(state) % 12 {
            0 => {
                program::add_one(&self.arrays[5]).unwrap();
                self.add(5);
            }
            1 => assert!(program::total(&self.arrays[5]).unwrap() >= 60_000.0),
            2 | 3 if i != j => {
                program::add_to_both(a, b).unwrap();
                self.add(i);
                self.add(j);
            }
            4 | 5 if i != k => {
                program::add_two_to(a, c, c).unwrap();
                self.add(i);
            }
            6 if i != j => {
                program::add_in_object(a, b).unwrap();
                self.add(i);
                self.add(j);
            }
            7 => {
                a.write().iter_mut().for_each(|x| *x += 1.0);
                self.add(i);
            }
            8 => _ = value(b),
            9 => {
                program::add_two_to(a, a, a).unwrap();
                self.add(i);
            }
            10 => {
                // A guard of one array, and a call with one before it: all threads keep to one order.
                let guard = b.read();
                if i < j {
                    program::add_one(a).unwrap();
                    self.add(i);
                }
                assert!(guard.iter().all(|x| *x == guard[0]));
            }
            _ => {
                program::add_to_matrix(&a.reshape(&[4, 4]).unwrap()).unwrap();
                self.add(i);
            }
        }
    }

    /// Calls in parallel iterators and joins, on the threads of a pool.
    fn together(&self, state: &mut u64) {
        let seeds: Vec<u64> = (0..1 + random(state) % 16).map(|_| random(state) as u64).collect();
        match random(state) % 3 {
            0 => seeds.into_par_iter().for_each(|mut seed| self.call(&mut seed)),
            1 => rayon::scope(|scope| {
                for mut seed in seeds {
                    scope.spawn(move |_| self.call(&mut seed));
                }
            }),
            _ => {
                let (mut first, mut second) = (seeds[0], seeds[0] + 1);
                rayon::join(
                    || rayon::join(|| self.call(&mut first), || self.call(&mut random_of(seeds[0]))),
                    || self.call(&mut second),
                );
            }
        }
    }

    fn check(&self) {
        for (k, (array, added)) in self.arrays.iter().zip(&self.added).enumerate() {
            assert_eq!(value(array), 1.0 + added.load(Ordering::Relaxed) as f32, "array {k}");
        }
    }
}

fn random_of(seed: u64) -> u64 {
    seed.wrapping_mul(31).wrapping_add(7)
}

/// A round: so many threads, of which each third uses a pool.
fn round(threads: usize, seed: u64, time: Duration) -> u64 {
    let (shared, start) = (Shared::new(), Instant::now());
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let shared = &shared;
            scope.spawn(move || {
                let mut state = seed.wrapping_mul(1000).wrapping_add(thread as u64);
                while start.elapsed() < time {
                    match thread % 3 {
                        0 => shared.together(&mut state),
                        _ => shared.call(&mut state),
                    }
                }
            });
        }
    });
    shared.check();
    shared.calls.load(Ordering::Relaxed)
}

#[test]
fn random_calls_from_many_threads() {
    let seconds: u64 = std::env::var("QUASAR_STRESS_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(4);
    watched(seconds * 4 + 300, move || {
        shared_out();
        let (start, mut rounds, mut calls) = (Instant::now(), 0, 0);
        while start.elapsed() < Duration::from_secs(seconds) {
            for threads in [2, 8, 64] {
                calls += round(threads, rounds, Duration::from_secs(1));
                rounds += 1;
            }
        }
        println!("{calls} calls in {rounds} rounds");
        assert!(calls > 0);
    });
}

/// The same where launches go to OpenCL, if there is a driver.
#[test]
fn random_calls_on_a_device() {
    let Ok(devices) = quasar::device::select::opencl() else { return };
    let Some(device) = devices.into_iter().next() else { return };
    watched(300, move || {
        let shared = Shared::new();
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (shared, device) = (&shared, device.clone());
                scope.spawn(move || {
                    let mut state = thread;
                    for call in 0..40 {
                        // Some on the device, some on the processor.
                        let device = (call % 4 > 0).then(|| device.clone());
                        context::with_device(device, || shared.call(&mut state));
                    }
                });
            }
        });
        shared.check();
    });
}
