//! The access locks of arrays. `quasar-models` runs these tests with sanitizers, and models of the locks.

use super::lock::{AccessLock, LONGEST, Refusal, Request, TURN, begin, turn, waiting};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::thread::{scope, sleep};
use std::time::Duration;

#[test]
fn a_thread_never_waits_for_itself() {
    let lock = AccessLock::default();
    lock.share().unwrap();
    lock.share().unwrap();
    assert_eq!(lock.exclude(), Err(Refusal::Own));
    lock.end_share();
    assert_eq!(lock.exclude(), Err(Refusal::Own));
    lock.end_share();
    lock.exclude().unwrap();
    assert_eq!(lock.share(), Err(Refusal::Own));
    assert_eq!(lock.exclude(), Err(Refusal::Own));
    lock.end_exclude();
    lock.exclude().unwrap();
    assert!(!lock.try_exclude());
    lock.end_exclude();
    lock.share().unwrap();
    assert!(!lock.try_exclude());
    lock.end_share();
    assert!(lock.try_exclude());
}

#[test]
fn writers_exclude_each_other() {
    let lock = AccessLock::default();
    let counter = AtomicU32::new(0);
    scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    lock.exclude().unwrap();
                    let seen = counter.load(Ordering::Relaxed);
                    std::thread::yield_now();
                    counter.store(seen + 1, Ordering::Relaxed);
                    lock.end_exclude();
                    lock.share().unwrap();
                    lock.end_share();
                }
            });
        }
    });
    assert_eq!(counter.into_inner(), 200);
}

/// Waits until so many threads stand in the line.
fn await_line(lock: &AccessLock, count: usize) {
    while lock.state().line.len() < count {
        std::thread::yield_now();
    }
}

#[test]
fn everybody_comes_in_the_order_of_arrival() {
    // A thread that the system does not run for a whole turn loses it, which happens now and then on a busy machine.
    // By chance, one order of 120 is the right one.
    let orders = (0..30).map(|_| order_of_five());
    assert_eq!(orders.filter(|order| *order == [0, 1, 2, 3, 4]).take(3).count(), 3);
}

/// The order in which five threads get a lock, where the second and the third are readers that may come together.
fn order_of_five() -> Vec<usize> {
    let (lock, order) = (AccessLock::default(), Mutex::new(Vec::new()));
    lock.exclude().unwrap();
    scope(|scope| {
        for (k, exclusive) in [true, false, false, true, false].into_iter().enumerate() {
            let (lock, order) = (&lock, &order);
            scope.spawn(move || {
                if exclusive { lock.exclude() } else { lock.share() }.unwrap();
                order.lock().unwrap().push(k);
                // Long enough for the reader beside it, and shorter than a turn.
                sleep(TURN / 4);
                if exclusive { lock.end_exclude() } else { lock.end_share() }
            });
            await_line(lock, k + 1);
        }
        lock.end_exclude();
    });
    let mut order = order.into_inner().unwrap();
    order[1..3].sort_unstable();
    order
}

#[test]
fn readers_do_not_keep_a_writer_out() {
    let (lock, done, reads) = (AccessLock::default(), AtomicBool::new(false), AtomicUsize::new(0));
    scope(|scope| {
        for k in 0..4 {
            let (lock, done, reads) = (&lock, &done, &reads);
            scope.spawn(move || {
                // There is a reader at any time.
                sleep(k * Duration::from_millis(1));
                while !done.load(Ordering::Relaxed) {
                    lock.share().unwrap();
                    reads.fetch_add(1, Ordering::Relaxed);
                    sleep(Duration::from_millis(4));
                    lock.end_share();
                }
            });
        }
        while reads.load(Ordering::Relaxed) < 8 {
            std::thread::yield_now();
        }
        let start = std::time::Instant::now();
        for _ in 0..20 {
            lock.exclude().unwrap();
            lock.end_exclude();
        }
        let waited = start.elapsed();
        done.store(true, Ordering::Relaxed);
        assert!(waited < Duration::from_secs(10), "{waited:?}");
    });
}

#[test]
fn writers_do_not_keep_a_reader_out() {
    let (lock, done, writes) = (AccessLock::default(), AtomicBool::new(false), AtomicUsize::new(0));
    scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    lock.exclude().unwrap();
                    writes.fetch_add(1, Ordering::Relaxed);
                    sleep(Duration::from_millis(1));
                    lock.end_exclude();
                }
            });
        }
        await_line(&lock, 2);
        for _ in 0..20 {
            let before = writes.load(Ordering::Relaxed);
            lock.share().unwrap();
            // Those who stood in the line, and the one who was at work.
            assert!(writes.load(Ordering::Relaxed) - before <= 5);
            lock.end_share();
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// A reader that waits for other readers, while a writer waits for it.
#[test]
fn readers_that_a_reader_waits_for_pass_the_writer() {
    let lock = AccessLock::default();
    lock.share().unwrap();
    scope(|outer| {
        outer.spawn(|| {
            lock.exclude().unwrap();
            lock.end_exclude();
        });
        await_line(&lock, 1);
        scope(|inner| {
            for _ in 0..8 {
                inner.spawn(|| {
                    lock.share().unwrap();
                    lock.end_share();
                });
            }
        });
        lock.end_share();
    });
    assert!(lock.try_exclude());
}

#[test]
fn turns_become_longer_and_stay_fair() {
    let ms = Duration::from_millis;
    assert_eq!(turn(ms(0)), Err(ms(10)));
    assert_eq!(turn(ms(9)), Err(ms(1)));
    assert_eq!(turn(ms(10)), Ok(()));
    assert_eq!(turn(ms(20)), Err(ms(20)));
    assert_eq!(turn(ms(59)), Ok(()));
    assert_eq!(turn(ms(60)), Err(ms(40)));
    let passing = (0..100_000).filter(|&k| turn(ms(k)).is_ok()).count();
    assert!((45_000..55_000).contains(&passing), "{passing}");
    let longest = (0..100_000).filter_map(|k| turn(ms(k)).err()).max();
    assert_eq!(longest, Some(TURN * LONGEST));
}

#[test]
fn a_circle_of_threads_is_an_answer_for_one_of_them() {
    for count in [2, 3, 8] {
        let locks: Vec<AccessLock> = (0..count).map(|_| AccessLock::default()).collect();
        let (start, refused) = (std::sync::Barrier::new(count), AtomicUsize::new(0));
        scope(|scope| {
            for k in 0..count {
                let (locks, start, refused) = (&locks, &start, &refused);
                scope.spawn(move || {
                    let (own, next) = (&locks[k], &locks[(k + 1) % count]);
                    // Readers and writers alike keep an array.
                    if k == 0 { own.share() } else { own.exclude() }.unwrap();
                    start.wait();
                    match next.exclude() {
                        Ok(()) => next.end_exclude(),
                        Err(refusal) => {
                            assert_eq!(refusal, Refusal::Circle);
                            refused.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    if k == 0 { own.end_share() } else { own.end_exclude() }
                });
            }
        });
        assert_eq!(refused.into_inner(), 1, "the others go on");
        assert!(waiting().iter().all(|wait| !locks.iter().any(|lock| wait.is_for(lock))));
        assert!(locks.iter().all(AccessLock::try_exclude));
    }
}

/// Exclusive accesses to all of them at once.
fn exclude_all(locks: &[&AccessLock]) -> Result<(), Refusal> {
    let mut requests: Vec<_> = locks.iter().map(|lock| Request { lock, exclusive: true }).collect();
    requests.sort_by_key(Request::address);
    begin(&requests)
}

fn end_all(locks: &[&AccessLock]) {
    locks.iter().for_each(|lock| lock.end_exclude());
}

/// A request for two arrays holds none of them while it waits, so that a thread that keeps one gets the other one.
#[test]
fn a_request_that_waits_holds_nothing() {
    for rounds in [1, 50] {
        let (a, b) = (AccessLock::default(), AccessLock::default());
        b.share().unwrap();
        scope(|scope| {
            scope.spawn(|| {
                for _ in 0..rounds {
                    exclude_all(&[&a, &b]).unwrap();
                    end_all(&[&a, &b]);
                }
            });
            await_line(&a, 1);
            for _ in 0..rounds {
                a.exclude().unwrap();
                a.end_exclude();
                a.share().unwrap();
                b.share().unwrap();
                b.end_share();
                a.end_share();
            }
            b.end_share();
        });
        assert!(a.try_exclude() && b.try_exclude());
    }
}

/// Threads that keep nothing stand behind a request for several arrays, which their sum would keep out for ever..
#[test]
fn single_accesses_do_not_keep_a_request_for_many_out() {
    let (locks, done) = ([(); 3].map(|()| AccessLock::default()), AtomicBool::new(false));
    scope(|scope| {
        for k in 0..6 {
            let (lock, done) = (&locks[k % 3], &done);
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    lock.exclude().unwrap();
                    sleep(Duration::from_micros(200));
                    lock.end_exclude();
                }
            });
        }
        let all: Vec<&AccessLock> = locks.iter().collect();
        let start = std::time::Instant::now();
        for _ in 0..20 {
            exclude_all(&all).unwrap();
            end_all(&all);
        }
        let waited = start.elapsed();
        done.store(true, Ordering::Relaxed);
        assert!(waited < Duration::from_secs(10), "{waited:?}");
    });
}

/// .. but for a while only: what keeps it out may be waiting for them.
#[test]
fn a_request_that_cannot_begin_is_passed() {
    let (a, b) = (AccessLock::default(), AccessLock::default());
    b.exclude().unwrap();
    scope(|outer| {
        outer.spawn(|| {
            exclude_all(&[&a, &b]).unwrap();
            end_all(&[&a, &b]);
        });
        await_line(&a, 1);
        scope(|inner| {
            for exclusive in [true, false, true, false] {
                let a = &a;
                inner.spawn(move || match exclusive {
                    true => a.exclude().map(|()| a.end_exclude()).unwrap(),
                    false => a.share().map(|()| a.end_share()).unwrap(),
                });
            }
        });
        b.end_exclude();
    });
    assert!(a.try_exclude() && b.try_exclude());
}

#[test]
fn requests_for_many_in_every_order() {
    let (locks, counter) = ([(); 5].map(|()| AccessLock::default()), AtomicU32::new(0));
    let sums = [(); 5].map(|()| AtomicU32::new(0));
    scope(|scope| {
        for thread in 0..6 {
            let (locks, counter, sums) = (&locks, &counter, &sums);
            scope.spawn(move || {
                for call in 0..300 {
                    let first = (thread + call) % 5;
                    let chosen: Vec<usize> = (0..1 + call % 4).map(|k| (first + k) % 5).collect();
                    let of: Vec<&AccessLock> = chosen.iter().map(|k| &locks[*k]).collect();
                    exclude_all(&of).unwrap();
                    for k in &chosen {
                        let seen = sums[*k].load(Ordering::Relaxed);
                        counter.fetch_add(1, Ordering::Relaxed);
                        sums[*k].store(seen + 1, Ordering::Relaxed);
                    }
                    end_all(&of);
                }
            });
        }
    });
    let total: u32 = sums.iter().map(|sum| sum.load(Ordering::Relaxed)).sum();
    assert_eq!(total, counter.into_inner());
}

/// Guards of two threads in a circle, of which one asks for more than the circle.
#[test]
fn a_circle_through_a_request_for_many() {
    let locks = [(); 4].map(|()| AccessLock::default());
    let (start, refused) = (std::sync::Barrier::new(2), AtomicUsize::new(0));
    scope(|scope| {
        for k in 0..2 {
            let (locks, start, refused) = (&locks, &start, &refused);
            scope.spawn(move || {
                locks[k].share().unwrap();
                start.wait();
                let wanted = [&locks[1 - k], &locks[2], &locks[3]];
                match exclude_all(&wanted) {
                    Ok(()) => end_all(&wanted),
                    Err(refusal) => {
                        assert_eq!(refusal, Refusal::Circle);
                        refused.fetch_add(1, Ordering::Relaxed);
                    }
                }
                locks[k].end_share();
            });
        }
    });
    assert_eq!(refused.into_inner(), 1);
    assert!(locks.iter().all(AccessLock::try_exclude));
}
