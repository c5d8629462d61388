//! The threads that share the work of one call: the calling thread, and helpers that the process keeps.
//!
//! A launch keeps its arrays from others while it runs. So a thread that waits here for the end of a launch must not begin
//! anything else: what it began might wait for those very arrays, which nobody would give back. That is why these are not
//! threads of a general pool, whose threads take up other work while they wait. The caller does parts of its own launch, and
//! when none are left it waits for helpers that are inside of a part. A part never waits for an array, so helpers always come
//! to an end, whatever the callers wait for; and when no helper comes (they are busy, or cannot be started), the caller does
//! everything itself.
//!
//! In a forked process there are no helpers of the parent. It gets a pool of its own.

use crate::process;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::sync::{self, Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Threads for the work of calls.
#[derive(Clone, Default)]
pub(crate) struct Pool(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// For helpers without work.
    work: Condvar,
    /// How many jobs have parts left, to look at without the lock.
    open: AtomicUsize,
}

#[derive(Default)]
struct State {
    /// Jobs that helpers may join.
    jobs: VecDeque<Arc<Job>>,
    /// Callers and helpers at work.
    active: usize,
    /// Helpers that exist.
    helpers: usize,
    /// Helpers that wait for work.
    asleep: usize,
    /// Those of them that were called and have not come yet.
    called: usize,
    /// Helpers end: only models and tests do that.
    closed: bool,
}

/// What a call shares out.
struct Job {
    /// Does a part. Only the caller and helpers that are `inside` call it; the caller stays until they have left.
    part: &'static (dyn Fn(usize) + Sync),
    count: usize,
    /// The next part that nobody has begun.
    next: AtomicUsize,
    /// Helpers come while fewer threads than this are at work on all jobs together.
    threads: usize,
    /// Helpers that may be in a part; changed under the lock of the pool.
    inside: AtomicUsize,
    /// The caller sleeps until they have left; changed under the lock of the pool.
    awaited: AtomicBool,
    left: Condvar,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Job {
    fn has_parts(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.count
    }

    /// Does parts until nobody has to begin one.
    fn help(&self) {
        loop {
            let k = self.next.fetch_add(1, Ordering::Relaxed);
            if k >= self.count {
                // Kept from wrapping around, however many come.
                self.next.store(self.count, Ordering::Relaxed);
                return;
            }
            if let Err(panic) = process::in_part(|| catch_unwind(AssertUnwindSafe(|| (self.part)(k)))) {
                self.next.store(self.count, Ordering::Relaxed);
                self.panic.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(panic);
            }
        }
    }
}

/// Looks for something that another thread is about to do, for a while.
fn look(done: impl Fn() -> bool) {
    for _ in 0..sync::LOOKS {
        if done() {
            return;
        }
        sync::yield_now();
    }
}

impl Pool {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `part` with each number below `count` on up to so many `threads`, and returns when all are done.
    pub(crate) fn run(&self, threads: usize, count: usize, part: &(dyn Fn(usize) + Sync)) {
        if threads < 2 || count < 2 {
            return (0..count).for_each(part);
        }
        // SAFETY: helpers call `part` only while they are `inside` of the job, which they enter while it is on the list. This
        // function takes it from the list and waits until nobody is inside before it returns or passes a panic on.
        let part: &'static (dyn Fn(usize) + Sync) =
            unsafe { std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(part) };
        let job = Arc::new(Job {
            part,
            count,
            next: AtomicUsize::new(0),
            threads,
            inside: AtomicUsize::new(0),
            awaited: AtomicBool::new(false),
            left: Condvar::new(),
            panic: Mutex::new(None),
        });
        let mut state = self.state();
        state.active += 1;
        state.jobs.push_back(Arc::clone(&job));
        self.0.open.fetch_add(1, Ordering::Relaxed);
        self.call_helpers(state, threads);
        job.help();
        self.finish(&job);
        let panic = job.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Wakes helpers, or starts one, where that makes no more threads at work than there should be. Helpers that come call
    /// others, so that many threads are soon awake and nobody calls many.
    fn call_helpers(&self, mut state: MutexGuard<'_, State>, threads: usize) {
        let missing = threads.saturating_sub(state.active + state.called);
        let awaited = (state.asleep - state.called).min(missing).min(2);
        state.called += awaited;
        if missing == 0 || awaited > 0 || state.helpers + 1 >= threads {
            drop(state);
            return (0..awaited).for_each(|_| self.0.work.notify_one());
        }
        state.helpers += 1;
        let name = format!("quasar-{}", state.helpers);
        drop(state);
        let pool = self.clone();
        if !sync::start(name, move || pool.serve()) {
            self.state().helpers -= 1;
        }
    }

    /// Lets nobody join a job any more and waits for those who did.
    fn finish(&self, job: &Arc<Job>) {
        let mut state = self.state();
        if let Some(place) = state.jobs.iter().position(|other| Arc::ptr_eq(other, job)) {
            state.jobs.remove(place);
            self.0.open.fetch_sub(1, Ordering::Relaxed);
        }
        if job.inside.load(Ordering::Relaxed) > 0 {
            drop(state);
            // Their last parts often end soon: to sleep and to be woken takes longer than most of them.
            look(|| job.inside.load(Ordering::Relaxed) == 0);
            state = self.state();
        }
        while job.inside.load(Ordering::Relaxed) > 0 {
            job.awaited.store(true, Ordering::Relaxed);
            state = job.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.active -= 1;
        // One thread fewer is at work, so that another may help those who still are.
        let helps = state.asleep > state.called && state.jobs.iter().any(|job| job.has_parts());
        if helps {
            state.called += 1;
            drop(state);
            self.0.work.notify_one();
        }
    }

    /// What a helper does.
    fn serve(&self) {
        loop {
            let Some(job) = self.join() else { return };
            job.help();
            let mut state = self.state();
            state.active -= 1;
            if job.inside.fetch_sub(1, Ordering::Relaxed) == 1 && job.awaited.load(Ordering::Relaxed) {
                job.left.notify_one();
            }
            drop(state);
            // The next launch often comes at once.
            look(|| self.0.open.load(Ordering::Relaxed) > 0);
        }
    }

    /// Waits for a job that may have one more thread, and enters it; none when helpers are to end.
    fn join(&self) -> Option<Arc<Job>> {
        let mut state = self.state();
        loop {
            let active = state.active;
            let open = |job: &&Arc<Job>| {
                job.has_parts() && active < job.threads && job.inside.load(Ordering::Relaxed) + 1 < job.count
            };
            if let Some(job) = state.jobs.iter().find(open).cloned() {
                job.inside.fetch_add(1, Ordering::Relaxed);
                state.active += 1;
                self.call_helpers(state, job.threads);
                return Some(job);
            }
            state.asleep += 1;
            while state.called == 0 && !state.closed {
                state = self.0.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.asleep -= 1;
            state.called = state.called.saturating_sub(1);
            if state.closed {
                state.helpers -= 1;
                return None;
            }
        }
    }

    /// Ends the helpers when they have nothing to do.
    #[cfg(test)]
    #[allow(
        dead_code,
        reason = "for the models and stress tests of `quasar-models`, which compile this file"
    )]
    pub(crate) fn close(&self) {
        self.state().closed = true;
        self.0.work.notify_all();
    }
}
