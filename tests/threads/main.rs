//! Calls from many threads at once: nobody waits for ever, no call fails, no update is lost.
//!
//! Arrays in any order, the same array twice, views of one array, guards that Rust code keeps, threads of `rayon`, callbacks
//! and forks. `stress` does all of it in random order (`QUASAR_STRESS_SECONDS`).
//!
//! The tests before these ran one call at a time, or calls with one array each: then the order of locks does not matter, and a
//! thread that waits for the end of its launch finds no other call to begin meanwhile.

mod aliased;
mod fork;
mod stress;

use quasar::{Array, Error, context};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

mod program {
    quasar::quasar! {
        #![quiet]
        function [] = add_to(a : vec, b : vec)
            for k = 0..numel(a) - 1
                a[k] += b[k]
            endfor
        endfunction

        function [] = add_one(a : vec)
            for k = 0..numel(a) - 1
                a[k] += 1
            endfor
        endfunction

        function [] = add_to_both(a : vec, b : vec)
            for k = 0..numel(a) - 1
                a[k] += 1
                b[k] += 1
            endfor
        endfunction

        function [] = add_two_to(a : vec, b : vec, c : vec)
            for k = 0..numel(a) - 1
                a[k] += b[k] - c[k] + 1
            endfor
        endfunction

        function s : scalar = total(a : vec)
            s = 0
            for k = 0..numel(a) - 1
                s += a[k]
            endfor
        endfunction

        function [] = add_to_matrix(a : mat)
            for m = 0..size(a, 0) - 1
                for n = 0..size(a, 1) - 1
                    a[m, n] += 1
                endfor
            endfor
        endfunction

        type counters : class
            first : vec
            second : vec
        endtype

        function [] = add_in_object(a : vec, b : vec)
            object = counters(first := a, second := b)
            add_to_both(object.first, object.second)
        endfunction

        function [] = add_by(f : [vec -> ()], a : vec)
            f(a)
        endfunction

        function [] = add_by_callback(a : vec, b : vec)
            add_by(x -> add_to_both(x, b), a)
        endfunction

        function y : mat = product_of(a : mat, b : mat)
            y = a * b
        endfunction

        function [] = add_row(a : vec, b : vec(4))
            for k = 0..numel(a) - 1
                a[k] += b[mod(k, 4)]
            endfor
        endfunction
    }
}

/// Arrays that several threads share out.
pub(crate) const LARGE: usize = 60_000;
pub(crate) const SMALL: usize = 16;

/// Runs `f` on threads of its own and ends the process when it takes too long: a test that hangs says so.
pub(crate) fn watched<R: Send + 'static>(seconds: u64, f: impl FnOnce() -> R + Send + 'static) -> R {
    let (done, end) = mpsc::channel();
    let test = thread::current().name().unwrap_or("").to_owned();
    let work = thread::spawn(move || {
        let result = f();
        let _ = done.send(());
        result
    });
    if let Err(mpsc::RecvTimeoutError::Timeout) = end.recv_timeout(Duration::from_secs(seconds)) {
        eprintln!("{test}: still at work after {seconds} s");
        std::process::abort();
    }
    work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// Many threads share the work of launches, however few processors there are.
pub(crate) fn shared_out() {
    context::set_threads(8).unwrap();
    context::set("RUNTIME_SERIAL_WORK", "1").unwrap();
}

pub(crate) fn ones(count: usize) -> Array<f32> {
    Array::from_vec(&[count], vec![1.0; count]).unwrap()
}

/// All elements of an array, which are one number.
#[track_caller]
pub(crate) fn value(array: &Array<f32>) -> f32 {
    let elements = array.read();
    assert!(
        elements.iter().all(|x| *x == elements[0]),
        "elements differ: an update was not seen by all of them"
    );
    elements[0]
}

/// Calls `f` so often on so many threads.
pub(crate) fn on_threads(threads: usize, calls: usize, f: impl Fn(usize, usize) + Sync) {
    thread::scope(|scope| {
        for k in 0..threads {
            let f = &f;
            scope.spawn(move || (0..calls).for_each(|call| f(k, call)));
        }
    });
}

#[test]
fn two_arrays_in_both_orders() {
    watched(300, || {
        shared_out();
        for count in [SMALL, LARGE] {
            let (a, b) = (ones(count), ones(count));
            on_threads(2, 300, |k, _| {
                let (to, from) = if k == 0 { (&a, &b) } else { (&b, &a) };
                program::add_to_both(to, from).unwrap();
            });
            assert_eq!((value(&a), value(&b)), (601.0, 601.0));
        }
    });
}

#[test]
fn one_read_and_one_written_in_both_orders() {
    watched(300, || {
        let (a, b) = (Array::zeros(&[SMALL]).unwrap(), Array::zeros(&[SMALL]).unwrap());
        on_threads(2, 2000, |k, _| {
            let (to, from) = if k == 0 { (&a, &b) } else { (&b, &a) };
            program::add_to(to, from).unwrap();
        });
        assert_eq!((value(&a), value(&b)), (0.0, 0.0));
    });
}

#[test]
fn three_arrays_in_rotation() {
    watched(300, || {
        shared_out();
        for count in [SMALL, LARGE] {
            let arrays = [ones(count), ones(count), ones(count)];
            on_threads(6, 100, |k, call| {
                let place = |n: usize| &arrays[(k + call + n) % 3];
                program::add_two_to(place(0), place(1), place(1)).unwrap();
            });
            assert_eq!(arrays.iter().map(value).sum::<f32>(), 603.0);
        }
    });
}

#[test]
fn one_array_for_both_parameters() {
    watched(300, || {
        let (a, zeros) = (ones(SMALL), Array::zeros(&[SMALL]).unwrap());
        on_threads(4, 200, |_, call| match call % 2 {
            0 => program::add_two_to(&a, &zeros, &zeros).unwrap(),
            _ => program::add_two_to(&zeros.copy().unwrap(), &a, &a).unwrap(),
        });
        assert_eq!(value(&a), 401.0);
    });
}

#[test]
fn views_of_one_array() {
    watched(300, || {
        let a = ones(64);
        let (matrix, vector) = (a.reshape(&[8, 8]).unwrap(), a.reshape(&[64]).unwrap());
        on_threads(4, 300, |k, _| match k % 2 {
            0 => program::add_to_matrix(&matrix).unwrap(),
            _ => program::add_one(&vector).unwrap(),
        });
        assert_eq!(value(&a), 1201.0);
    });
}

#[test]
fn arrays_in_objects_and_callbacks() {
    watched(300, || {
        let (a, b) = (ones(SMALL), ones(SMALL));
        on_threads(4, 200, |k, _| match k {
            0 => program::add_in_object(&a, &b).unwrap(),
            1 => program::add_in_object(&b, &a).unwrap(),
            2 => program::add_by_callback(&a, &b).unwrap(),
            _ => program::add_by_callback(&b, &a).unwrap(),
        });
        assert_eq!((value(&a), value(&b)), (801.0, 801.0));
    });
}

#[test]
fn an_array_of_fixed_size_that_others_write() {
    watched(300, || {
        let (a, row) = (ones(SMALL), ones(4));
        let zeros = Array::<f32>::zeros(&[SMALL]).unwrap();
        on_threads(4, 300, |k, _| match k % 2 {
            0 => program::add_to(&row, &zeros).unwrap(),
            _ => program::add_row(&a, &row).unwrap(),
        });
        assert_eq!((value(&a), value(&row)), (601.0, 1.0));
    });
}

#[test]
fn products_of_matrices_in_both_orders() {
    watched(300, || {
        shared_out();
        let matrix = || Array::from_vec(&[40, 40], vec![1.0f32; 1600]).unwrap();
        let (a, b, zeros) = (matrix(), matrix(), Array::zeros(&[1600]).unwrap());
        on_threads(6, 60, |k, _| match k % 3 {
            0 => assert_eq!(program::product_of(&a, &b).unwrap().get(&[3, 3]).unwrap(), 40.0),
            1 => assert_eq!(program::product_of(&b, &a).unwrap().get(&[3, 3]).unwrap(), 40.0),
            _ => {
                program::add_to(&a.reshape(&[1600]).unwrap(), &zeros).unwrap();
                program::add_to(&b.reshape(&[1600]).unwrap(), &zeros).unwrap();
            }
        });
    });
}

/// Threads of a general pool begin other calls while they wait for the end of theirs.
#[test]
fn parallel_iterators_over_calls_with_one_array() {
    watched(300, || {
        shared_out();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        for round in 0..4 {
            let a = ones(LARGE);
            pool.install(|| (0..500).into_par_iter().try_for_each(|_| program::add_one(&a))).unwrap();
            assert_eq!(value(&a), 501.0, "round {round}");
        }
    });
}

#[test]
fn joins_and_scopes_of_calls() {
    fn halves(count: usize, a: &Array<f32>, b: &Array<f32>) {
        match count {
            0 => {}
            1 => program::add_to_both(a, b).unwrap(),
            n => _ = rayon::join(|| halves(n / 2, a, b), || halves(n - n / 2, b, a)),
        }
    }
    watched(300, || {
        shared_out();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
        let (a, b) = (ones(LARGE), ones(LARGE));
        pool.install(|| {
            halves(100, &a, &b);
            rayon::scope(|scope| {
                for k in 0..100 {
                    let (a, b) = (&a, &b);
                    scope.spawn(move |_| {
                        let (a, b) = if k % 2 == 0 { (a, b) } else { (b, a) };
                        rayon::join(|| program::add_one(a).unwrap(), || program::add_one(b).unwrap());
                    });
                }
            });
        });
        assert_eq!((value(&a), value(&b)), (201.0, 201.0));
    });
}

/// Guards of Rust code, ended on the threads that took them, in the middle of calls of others.
#[test]
fn guards_of_rust_code_between_calls() {
    watched(300, || {
        let (a, b) = (ones(SMALL), ones(SMALL));
        on_threads(6, 200, |k, _| match k % 3 {
            0 => program::add_to_both(&a, &b).unwrap(),
            1 => a.write().iter_mut().for_each(|x| *x += 1.0),
            _ => {
                let guard = b.read();
                let seen = guard[0];
                // `add_to_both` may be waiting for the guard; it does not hold the other array meanwhile.
                assert!(a.to_vec().iter().all(|x| *x >= 1.0));
                assert!(b.to_vec().iter().all(|x| *x == seen), "it may be read again");
                assert!(guard.iter().all(|x| *x == seen), "nobody writes while it is read");
            }
        });
        assert_eq!((value(&a), value(&b)), (801.0, 401.0));
    });
}

/// A call in one thread, and in another one a guard that is kept until the call waits.
#[test]
fn a_guard_of_another_thread_ends() {
    watched(60, || {
        let (a, b) = (ones(SMALL), ones(SMALL));
        thread::scope(|scope| {
            let guard = a.write();
            scope.spawn(|| program::add_to_both(&b, &a).unwrap());
            scope.spawn(|| program::add_to_both(&a, &b).unwrap());
            thread::sleep(Duration::from_millis(50));
            drop(guard);
        });
        assert_eq!((value(&a), value(&b)), (3.0, 3.0));
    });
}

/// Each thread keeps what the other one needs: one of them gets an error, and goes on.
#[test]
fn guards_in_a_circle_are_an_error() {
    watched(60, || {
        let (a, b) = (ones(SMALL), ones(SMALL));
        let (both, refused) = (std::sync::Barrier::new(2), AtomicUsize::new(0));
        thread::scope(|scope| {
            for (kept, needed) in [(&a, &b), (&b, &a)] {
                let (both, refused) = (&both, &refused);
                scope.spawn(move || {
                    let guard = kept.read();
                    both.wait();
                    if let Err(error) = program::add_one(needed) {
                        let text = error.to_string();
                        assert!(text.contains("would wait for each other for ever"), "{text}");
                        assert!(text.contains("add_one") && text.contains("line"), "{text}");
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                    drop(guard);
                });
            }
        });
        assert_eq!(refused.into_inner(), 1);
        assert_eq!(value(&a) + value(&b), 3.0);
    });
}

#[test]
fn a_guard_of_the_own_thread_is_an_error() {
    let a = ones(SMALL);
    let guard = a.read();
    let error = program::add_one(&a).unwrap_err();
    assert!(matches!(error, Error::Argument { .. }));
    assert!(error.to_string().contains("this thread already uses the array"), "{error}");
    assert_eq!(program::total(&a).unwrap(), SMALL as f32, "reading again is fine");
    drop(guard);
    program::add_one(&a).unwrap();
}

/// A reader that waits for calls that read, while somebody waits to write.
#[test]
fn calls_under_a_guard_pass_a_writer() {
    watched(120, || {
        let a = ones(SMALL);
        thread::scope(|scope| {
            let guard = a.read();
            let writer = scope.spawn(|| program::add_one(&a).unwrap());
            thread::sleep(Duration::from_millis(20));
            let sums: Vec<f32> = (0..64).into_par_iter().map(|_| program::total(&a).unwrap()).collect();
            assert_eq!(sums, [SMALL as f32; 64]);
            drop(guard);
            writer.join().unwrap();
        });
        assert_eq!(value(&a), 2.0);
    });
}

#[test]
fn readers_do_not_starve_a_writer() {
    watched(300, || {
        let (a, done) = (ones(LARGE), AtomicBool::new(false));
        let reads = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        program::total(&a).unwrap();
                        reads.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let start = Instant::now();
            for _ in 0..50 {
                program::add_one(&a).unwrap();
            }
            let waited = start.elapsed();
            done.store(true, Ordering::Relaxed);
            assert!(waited < Duration::from_secs(60), "{waited:?}");
        });
        assert_eq!(value(&a), 51.0);
    });
}

#[test]
fn writers_do_not_starve_a_reader() {
    watched(300, || {
        let (a, done) = (ones(LARGE), AtomicBool::new(false));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        program::add_one(&a).unwrap();
                    }
                });
            }
            let start = Instant::now();
            for _ in 0..50 {
                program::total(&a).unwrap();
            }
            let waited = start.elapsed();
            done.store(true, Ordering::Relaxed);
            assert!(waited < Duration::from_secs(60), "{waited:?}");
        });
    });
}
