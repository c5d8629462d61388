//! Many threads at once, for sanitizers: they see what is not ordered.

use crate::array::lock::AccessLock;
use crate::pool::Pool;
use std::cell::UnsafeCell;

#[derive(Default)]
struct Guarded {
    lock: AccessLock,
    value: UnsafeCell<usize>,
}

// SAFETY: the value is used under the lock.
unsafe impl Sync for Guarded {}

#[test]
fn updates_of_many_threads_by_parts_of_jobs() {
    const THREADS: usize = 16;
    const CALLS: usize = 200;
    let (pool, arrays) = (Pool::default(), [const { () }; 4].map(|()| Guarded::default()));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (pool, arrays) = (&pool, &arrays);
            scope.spawn(move || {
                for call in 0..CALLS {
                    let place = (thread * 7 + call) % 3;
                    let (first, second) = (&arrays[place], &arrays[place + 1]);
                    first.lock.share().unwrap();
                    second.lock.exclude().unwrap();
                    let done = [const { () }; 8].map(|()| UnsafeCell::new(0usize));
                    let parts = Parts(&done);
                    pool.run(4, 8, &|k| parts.add(k));
                    // SAFETY: all parts are done; the lock is held for an exclusive access.
                    unsafe { *second.value.get() += done.iter().map(|part| *part.get()).sum::<usize>() };
                    second.lock.end_exclude();
                    first.lock.end_share();
                }
            });
        }
    });
    pool.close();
    let total: usize = arrays.into_iter().map(|array| array.value.into_inner()).sum();
    assert_eq!(total, THREADS * CALLS * 8);
}

struct Parts<'a>(&'a [UnsafeCell<usize>; 8]);

impl Parts<'_> {
    fn add(&self, k: usize) {
        // SAFETY: a part is done by one thread.
        unsafe { *self.0[k].get() += 1 };
    }
}

// SAFETY: each part is used by one thread at a time.
unsafe impl Sync for Parts<'_> {}
