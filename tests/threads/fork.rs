//! Processes that are forked before, after and between calls. The child has one thread: what others did there, it cannot wait for.

#![cfg(unix)]

use super::{LARGE, ones, program, shared_out, value, watched};
use quasar::{Array, context};
use std::ffi::c_int;
use std::thread;
use std::time::{Duration, Instant};

unsafe extern "C" {
    fn fork() -> c_int;
    fn _exit(status: c_int) -> !;
    fn waitpid(child: c_int, status: *mut c_int, options: c_int) -> c_int;
    fn kill(child: c_int, signal: c_int) -> c_int;
}

/// Runs `f` in a child, which must be done in time. It says whether all is well.
#[track_caller]
fn in_child(f: impl FnOnce() -> bool) {
    // SAFETY: the child calls nothing but `f` and ends; what `f` may wait for is what these tests are about.
    let child = unsafe { fork() };
    if child == 0 {
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
        // SAFETY: ends the process, without what the parent wants done at its end.
        unsafe { _exit(if matches!(done, Ok(true)) { 0 } else { 1 }) }
    }
    assert!(child > 0, "a process");
    let (start, mut status) = (Instant::now(), -1);
    // SAFETY: the child exists until it was waited for; the status is a variable of ours.
    while unsafe { waitpid(child, &raw mut status, 1) } == 0 {
        if start.elapsed() > Duration::from_secs(60) {
            // SAFETY: as above.
            unsafe {
                kill(child, 9);
                waitpid(child, &raw mut status, 0);
            }
            panic!("the child hangs");
        }
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(status, 0, "the child failed");
}

fn adds(a: &Array<f32>) -> bool {
    let before = value(a);
    (0..3).for_each(|_| program::add_one(a).unwrap());
    value(a) == before + 3.0
}

#[test]
fn forks_between_launches() {
    watched(300, || {
        shared_out();
        let a = ones(LARGE);
        in_child(|| adds(&a));
        program::add_one(&a).unwrap();
        // Now there are threads that the child does not have.
        in_child(|| adds(&a));
        in_child(|| {
            let ok = adds(&a);
            in_child(|| adds(&a));
            ok && adds(&a)
        });
        // The child has threads of its own, which call as well.
        in_child(|| {
            thread::scope(|scope| {
                _ = (0..4).map(|_| scope.spawn(|| program::add_one(&a).unwrap())).collect::<Vec<_>>()
            });
            value(&a) == 6.0
        });
        assert_eq!(value(&a), 2.0, "what children do is theirs");
    });
}

#[test]
fn a_fork_under_a_guard_of_the_own_thread() {
    watched(120, || {
        let (a, b) = (ones(16), ones(16));
        let guard = a.read();
        in_child(|| program::total(&a).unwrap() == 16.0 && adds(&b) && program::add_one(&a).is_err());
        drop(guard);
        assert!(adds(&a));
    });
}

#[test]
fn an_array_that_another_thread_used_is_an_error() {
    watched(120, || {
        let (a, b) = (ones(16), ones(16));
        let (kept, keeps) = std::sync::mpsc::channel();
        let (end, ends) = std::sync::mpsc::channel::<()>();
        thread::scope(|scope| {
            let a = &a;
            scope.spawn(move || {
                let _guard = a.write();
                kept.send(()).unwrap();
                let _ = ends.recv();
            });
            keeps.recv().unwrap();
            in_child(|| {
                let error = program::add_one(a).unwrap_err().to_string();
                error.contains("when this process was forked") && program::total(a).is_err() && adds(&b)
            });
            end.send(()).unwrap();
        });
        assert!(adds(&a));
    });
}

#[test]
fn forks_while_others_call() {
    watched(300, || {
        shared_out();
        let (others, own) = (ones(LARGE), ones(LARGE));
        let done = std::sync::atomic::AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    program::add_one(&others).unwrap();
                }
            });
            for _ in 0..10 {
                in_child(|| adds(&own));
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
    });
}

/// Drivers do not work in the child: who names the device is told, what only it has is lost there, and the CPU does the rest.
#[test]
fn a_fork_after_a_device_was_used() {
    let device = quasar::device::select::opencl().ok().and_then(|devices| devices.into_iter().next());
    let Some(device) = device else { return };
    watched(120, move || {
        let (there, here) = (ones(16), ones(16));
        let named = |a: &Array<f32>| context::with_device(Some(device.clone()), || program::add_one(a));
        named(&there).unwrap();
        in_child(|| {
            let refused = named(&here).unwrap_err().to_string();
            refused.contains("the process was forked") && there.try_read().is_err() && adds(&here)
        });
        assert_eq!(value(&there), 2.0);
        named(&here).unwrap();
        assert_eq!(value(&here), 2.0);
    });
}
