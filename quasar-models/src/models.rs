//! Few threads in all orders. What a model shows: nobody waits for ever (loom reports threads that all wait), a writer is alone, and
//! every part of a job is done once, before the caller goes on.

use crate::array::lock::{AccessLock, Refusal, Request, begin};
use crate::pool::Pool;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::thread;

/// What a lock guards: loom finds accesses that nothing orders.
struct Guarded {
    lock: AccessLock,
    value: UnsafeCell<usize>,
}

impl Guarded {
    fn new() -> Guarded {
        Guarded { lock: AccessLock::default(), value: UnsafeCell::new(0) }
    }

    fn write(&self) {
        self.lock.exclude().unwrap();
        // SAFETY: the lock is held for an exclusive access, which loom checks.
        self.value.with_mut(|value| unsafe { *value += 1 });
        self.lock.end_exclude();
    }

    fn read(&self) -> usize {
        self.lock.share().unwrap();
        // SAFETY: the lock is held for a shared access, which loom checks.
        let value = self.value.with(|value| unsafe { *value });
        self.lock.end_share();
        value
    }
}

// SAFETY: the value is used under the lock.
unsafe impl Sync for Guarded {}

fn model(f: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.max_branches = 20_000;
    builder.check(f);
}

fn both(a: impl FnOnce() + 'static, b: impl FnOnce() + 'static) {
    let other = thread::spawn(a);
    b();
    other.join().unwrap();
}

#[test]
fn writers_and_readers_of_one_array() {
    model(|| {
        let guarded = Arc::new(Guarded::new());
        let (first, second) = (guarded.clone(), guarded.clone());
        let first = thread::spawn(move || first.write());
        let second = thread::spawn(move || assert!(second.read() <= 2));
        guarded.write();
        first.join().unwrap();
        second.join().unwrap();
        assert_eq!(guarded.read(), 2);
    });
}

#[test]
fn a_reader_that_reads_again_while_a_writer_waits() {
    model(|| {
        let guarded = Arc::new(Guarded::new());
        let other = guarded.clone();
        both(
            move || other.write(),
            move || {
                guarded.lock.share().unwrap();
                let before = guarded.read();
                assert_eq!(guarded.read(), before);
                guarded.lock.end_share();
            },
        );
    });
}

#[test]
fn two_arrays_in_one_order() {
    model(|| {
        let arrays = Arc::new([Guarded::new(), Guarded::new()]);
        let call = |arrays: &[Guarded; 2]| {
            arrays[0].lock.share().unwrap();
            arrays[1].write();
            arrays[0].lock.end_share();
            arrays[0].write();
        };
        let other = arrays.clone();
        both(move || call(&other), move || call(&arrays));
    });
}

/// Guards that Rust code keeps, in both orders: one of the threads may get an answer instead, and nobody waits for ever.
#[test]
fn two_arrays_in_both_orders() {
    model(|| {
        let arrays = Arc::new([Guarded::new(), Guarded::new()]);
        let call = |arrays: &[Guarded; 2], k: usize| {
            arrays[k].lock.exclude().unwrap();
            match arrays[1 - k].lock.exclude() {
                Ok(()) => arrays[1 - k].lock.end_exclude(),
                Err(refusal) => assert_eq!(refusal, Refusal::Circle),
            }
            arrays[k].lock.end_exclude();
        };
        let other = arrays.clone();
        both(move || call(&other, 0), move || call(&arrays, 1));
        // Both are free again.
    });
}

/// As a launch does it: all arrays at once.
fn write_both(arrays: &[Guarded; 2]) {
    let request = |k: usize| Request { lock: &arrays[k].lock, exclusive: true };
    begin(&[request(0), request(1)]).unwrap();
    for guarded in arrays {
        // SAFETY: the lock is held for an exclusive access, which loom checks.
        guarded.value.with_mut(|value| unsafe { *value += 1 });
    }
    arrays.iter().for_each(|guarded| guarded.lock.end_exclude());
}

/// A launch holds nothing while it waits: a thread that keeps one of its arrays gets the other one, and no error.
#[test]
fn a_launch_and_a_guard() {
    for kept in [0, 1] {
        model(move || {
            let arrays = Arc::new([Guarded::new(), Guarded::new()]);
            let other = arrays.clone();
            let call = move || {
                arrays[kept].lock.share().unwrap();
                arrays[1 - kept].write();
                assert_eq!(arrays[kept].read(), arrays[kept].read());
                arrays[kept].lock.end_share();
            };
            both(move || write_both(&other), call);
        });
    }
}

#[test]
fn launches_and_a_writer() {
    model(|| {
        let arrays = Arc::new([Guarded::new(), Guarded::new()]);
        let (first, second) = (arrays.clone(), arrays.clone());
        let first = thread::spawn(move || write_both(&first));
        let second = thread::spawn(move || second[1].write());
        write_both(&arrays);
        first.join().unwrap();
        second.join().unwrap();
        assert_eq!((arrays[0].read(), arrays[1].read()), (2, 3));
    });
}

#[test]
fn parts_of_a_job_are_done_once() {
    model(|| {
        let pool = Pool::default();
        let parts = [const { () }; 3].map(|()| UnsafeCell::new(0));
        let parts = Parts(parts);
        pool.run(2, 3, &|k| parts.add(k));
        for part in &parts.0 {
            // SAFETY: all parts are done, which loom checks.
            part.with(|part| assert_eq!(unsafe { *part }, 1));
        }
        pool.close();
    });
}

struct Parts([UnsafeCell<usize>; 3]);
// SAFETY: each part is used by one thread at a time.
unsafe impl Sync for Parts {}

impl Parts {
    fn add(&self, k: usize) {
        // SAFETY: a part is done by one thread, which loom checks.
        self.0[k].with_mut(|part| unsafe { *part += 1 });
    }
}

/// Two callers that need the same array, whose jobs have a helper between them.
#[test]
fn jobs_of_two_callers_that_hold_an_array() {
    model(|| {
        let (pool, array) = (Pool::default(), Arc::new(Guarded::new()));
        let call = |pool: &Pool, array: &Guarded| {
            array.lock.exclude().unwrap();
            pool.run(2, 2, &|_| ());
            // SAFETY: the lock is held for an exclusive access, which loom checks.
            array.value.with_mut(|value| unsafe { *value += 1 });
            array.lock.end_exclude();
        };
        let other = (pool.clone(), array.clone());
        let thread = thread::spawn(move || call(&other.0, &other.1));
        call(&pool, &array);
        thread.join().unwrap();
        assert_eq!(array.read(), 2);
        pool.close();
    });
}
