//! Threads that share the work of library functions.
//!
//! Which elements a part computes, and in which order, depends on sizes alone: results are the same bits for any number of
//! threads.

use super::error::ValueError;
use std::sync::{Mutex, PoisonError};

/// Threads that share the work of a function.
pub trait Workers: Sync {
    /// How many there are.
    fn count(&self) -> usize;

    /// Calls `part` with each number below `parts`, in any order, and returns when all calls are done.
    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync));
}

/// The calling thread.
#[derive(Clone, Copy, Debug)]
pub struct Caller;

impl Workers for Caller {
    fn count(&self) -> usize {
        1
    }

    fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
        (0..parts).for_each(part);
    }
}

/// Does all parts, in any order, and returns when they are done. The work is a trait object, so that this is compiled once for
/// each type of parts and not for each piece of work: hundreds of them share it. Threads take the last part that is left.
pub fn each<P: Send>(workers: &dyn Workers, parts: Vec<P>, work: &(dyn Fn(P) + Sync)) {
    // One way for one and for many threads, and a stack instead of an iterator: each type of parts compiles this.
    let count = parts.len();
    let left = Mutex::new(parts);
    run(workers, count, &|_| {
        let part = left.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(part) = part {
            work(part);
        }
    });
}

fn run(workers: &dyn Workers, count: usize, part: &(dyn Fn(usize) + Sync)) {
    if count < 2 || workers.count() < 2 {
        (0..count).for_each(part);
    } else {
        workers.run(count, part);
    }
}

/// The same for work that can fail: the error of some part.
pub fn try_each<P: Send>(
    workers: &dyn Workers,
    parts: Vec<P>,
    work: &(dyn Fn(P) -> Result<(), ValueError> + Sync),
) -> Result<(), ValueError> {
    let failure = Mutex::new(None);
    each(workers, parts, &|part| {
        if let Err(error) = work(part) {
            *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    });
    failure.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Parts for each thread, so that one that is held up does fewer of them.
const EACH: usize = 4;

/// How many of `items` a part takes, at least `least` of them.
pub fn share(workers: &dyn Workers, items: usize, least: usize) -> usize {
    match workers.count() {
        0 | 1 => items.max(1),
        threads => items.div_ceil(threads * EACH).max(least).max(1),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// So many threads, which do the parts in an order of their own.
    pub(crate) struct Disorder(pub(crate) usize);

    impl Workers for Disorder {
        fn count(&self) -> usize {
            self.0
        }

        fn run(&self, parts: usize, part: &(dyn Fn(usize) + Sync)) {
            let left: Mutex<Vec<usize>> = Mutex::new((0..parts).collect());
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| {
                        while let Some(k) = { left.lock().unwrap().pop() } {
                            part(k);
                        }
                    });
                }
            });
        }
    }

    #[test]
    fn each_part_is_done_and_one_error_comes_back() {
        let done = Mutex::new(Vec::new());
        each(&Disorder(3), (0..20).collect(), &|k: i32| done.lock().unwrap().push(k));
        let mut done = done.into_inner().unwrap();
        done.sort_unstable();
        assert!(done.into_iter().eq(0..20));
        let odd = |k: i32| if k == 7 { Err(ValueError::nesting()) } else { Ok(()) };
        assert!(try_each(&Disorder(2), (0..7).collect(), &odd).is_ok());
        assert!(try_each(&Disorder(2), (0..9).collect(), &odd).is_err());
        assert!(try_each(&Caller, vec![7], &odd).is_err());
    }

    #[test]
    fn shares_cover_all_items() {
        assert_eq!(share(&Caller, 1000, 10), 1000);
        assert_eq!(share(&Caller, 0, 0), 1);
        assert_eq!(share(&Disorder(2), 1000, 10), 125);
        assert_eq!(share(&Disorder(2), 10, 4), 4);
    }
}
