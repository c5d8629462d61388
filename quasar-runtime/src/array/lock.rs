//! Shared or exclusive access to the elements of one buffer.
//!
//! Unlike `std::sync::RwLock`, one thread may read twice (`f(x, x)`), everybody comes in the order of arrival, and a thread that
//! would wait for itself, in a circle, or for a thread that a fork left behind gets an answer instead.
//!
//! Who has to wait stands in a line, and whoever leaves admits the first of it: one that writes, or all that read up to the next
//! one that writes. So neither readers nor writers are kept out. One case needs more: a thread that reads may itself wait for
//! other readers (it keeps a guard and starts threads that call functions with the array), and if these stood behind a writer,
//! which waits for the guard, nothing would go on. So readers let a writer that cannot begin go first for a while only, then pass
//! it for as long, and so on in longer and longer turns ([`turn`]).

use crate::process::{Thread, is_in_part, this_thread};
use crate::sync::{Arc, Condvar, Instant, Mutex, MutexGuard, PoisonError, global};
use std::collections::VecDeque;
use std::time::Duration;

/// Why a thread does not get access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The thread already holds an access that excludes the requested one.
    Own,
    /// Threads that hold other arrays wait for each other, and this one would close the circle.
    Circle,
    /// A thread that holds an access was left behind when the process was forked.
    Forked,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct AccessLock {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
pub(super) struct State {
    readers: Vec<Thread>,
    writer: Option<Thread>,
    /// Who waits, in the order of arrival.
    pub(super) line: VecDeque<Arc<Waiter>>,
}

/// A thread that waits.
#[derive(Debug)]
pub(super) struct Waiter {
    thread: Thread,
    exclusive: bool,
    since: Instant,
    admitted: Mutex<bool>,
    changed: Condvar,
}

impl Waiter {
    fn admitted(&self) -> MutexGuard<'_, bool> {
        self.admitted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn admit(&self) {
        *self.admitted() = true;
        self.changed.notify_one();
    }

    /// Waits until the thread is admitted or, if there is one, for some time. Says whether it was admitted.
    fn wait(&self, most: Option<Duration>) -> bool {
        let mut admitted = self.admitted();
        while !*admitted {
            admitted = match most {
                None => self.changed.wait(admitted).unwrap_or_else(PoisonError::into_inner),
                Some(most) => {
                    let waited = self.changed.wait_timeout(admitted, most);
                    return *waited.unwrap_or_else(PoisonError::into_inner).0;
                }
            };
        }
        true
    }
}

/// Readers let a writer go first for so long, before they pass it for the first time.
pub(super) const TURN: Duration = Duration::from_millis(10);
/// Turns do not become longer than so many times the first one.
pub(super) const LONGEST: u32 = 64;

/// Whether readers may pass a writer that has waited for so long; otherwise how long they still let it go first.
pub(super) fn turn(waited: Duration) -> Result<(), Duration> {
    let (mut start, mut length) = (Duration::ZERO, TURN);
    // The turns at the end are all alike.
    let longest = TURN * LONGEST;
    while length < longest && waited >= start + 2 * length {
        start += 2 * length;
        length *= 2;
    }
    let into = Duration::from_nanos(((waited - start).as_nanos() % (2 * length).as_nanos()) as u64);
    if into < length { Err(length - into) } else { Ok(()) }
}

impl State {
    /// Nobody uses the elements.
    fn is_free(&self) -> bool {
        self.writer.is_none() && self.readers.is_empty()
    }

    fn holders(&self) -> impl Iterator<Item = Thread> {
        self.writer.iter().chain(&self.readers).copied()
    }

    /// Admits those who may go on; they still have to be told.
    fn next(&mut self) -> Vec<Arc<Waiter>> {
        let mut admitted = Vec::new();
        while let Some(first) = self.line.front() {
            match first.exclusive {
                true if self.is_free() => self.writer = Some(first.thread),
                false if self.writer.is_none() => self.readers.push(first.thread),
                _ => break,
            }
            admitted.extend(self.line.pop_front());
        }
        admitted
    }

    /// Whether a reader may pass the writers that wait; otherwise after how long to ask again.
    fn passes(&self) -> Result<(), Duration> {
        if self.writer.is_some() {
            return Err(4 * TURN);
        }
        let first = self.line.iter().find(|waiter| waiter.exclusive);
        first.map_or(Ok(()), |writer| turn(writer.since.elapsed()))
    }

    /// Takes a thread out of the line. Says whether it still stood there.
    fn leave_line(&mut self, waiter: &Arc<Waiter>) -> bool {
        let place = self.line.iter().position(|other| Arc::ptr_eq(other, waiter));
        place.is_some_and(|place| self.line.remove(place).is_some())
    }
}

impl AccessLock {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody writes.
    pub(crate) fn share(&self) -> Result<(), Refusal> {
        let me = this_thread();
        let mut state = self.state();
        // Who reads already does not wait for a writer that waits for it.
        if state.writer.is_none() && (state.line.is_empty() || state.readers.contains(&me)) {
            state.readers.push(me);
            return Ok(());
        }
        if state.writer == Some(me) {
            return Err(Refusal::Own);
        }
        self.wait(state, me, false)
    }

    /// Waits until nobody reads or writes.
    pub(crate) fn exclude(&self) -> Result<(), Refusal> {
        let me = this_thread();
        let mut state = self.state();
        if state.is_free() && state.line.is_empty() {
            state.writer = Some(me);
            return Ok(());
        }
        if state.holders().any(|holder| holder == me) {
            return Err(Refusal::Own);
        }
        self.wait(state, me, true)
    }

    /// Begins an exclusive access if nobody reads or writes, or waits to. Says whether it did.
    pub(crate) fn try_exclude(&self) -> bool {
        let mut state = self.state();
        let free = state.is_free() && state.line.is_empty();
        if free {
            state.writer = Some(this_thread());
        }
        free
    }

    /// Ends a shared access of this thread.
    pub(crate) fn end_share(&self) {
        let me = this_thread();
        let mut state = self.state();
        if let Some(position) = state.readers.iter().position(|&reader| reader == me) {
            state.readers.swap_remove(position);
        }
        admit(state);
    }

    /// Ends the exclusive access of this thread.
    pub(crate) fn end_exclude(&self) {
        let mut state = self.state();
        state.writer = None;
        admit(state);
    }

    #[cold]
    #[inline(never)]
    fn wait(&self, mut state: MutexGuard<'_, State>, me: Thread, exclusive: bool) -> Result<(), Refusal> {
        debug_assert!(!is_in_part(), "a part of a launch waits for an array, which the launch may hold");
        if state.holders().any(Thread::is_gone) {
            return Err(Refusal::Forked);
        }
        // Those who a fork left behind do not wait any more.
        state.line.retain(|waiter| !waiter.thread.is_gone());
        let mut patience = None;
        if !exclusive {
            match state.passes() {
                Ok(()) => {
                    state.readers.push(me);
                    return Ok(());
                }
                Err(after) => patience = Some(after),
            }
        }
        let waiter = Arc::new(Waiter {
            thread: me,
            exclusive,
            since: Instant::now(),
            admitted: Mutex::new(false),
            changed: Condvar::new(),
        });
        state.line.push_back(Arc::clone(&waiter));
        // Whom the fork left behind may have been all that stood in the way.
        admit(state);
        let _waits = match Waits::enter(self, &waiter) {
            Some(waits) => waits,
            None => {
                let mut state = self.state();
                if state.leave_line(&waiter) {
                    admit(state);
                    return Err(Refusal::Circle);
                }
                return Ok(());
            }
        };
        while !waiter.wait(patience) {
            let mut state = self.state();
            match state.passes() {
                Ok(()) => {
                    if state.leave_line(&waiter) {
                        state.readers.push(me);
                    }
                    return Ok(());
                }
                Err(after) => patience = Some(after),
            }
        }
        Ok(())
    }
}

/// Lets those go on who may, after a change.
fn admit(mut state: MutexGuard<'_, State>) {
    if state.line.is_empty() {
        return;
    }
    let admitted = state.next();
    drop(state);
    admitted.iter().for_each(|waiter| waiter.admit());
}

/// A thread that waits for a lock.
pub(super) struct Wait {
    waiter: Arc<Waiter>,
    pub(super) lock: *const AccessLock,
}

// SAFETY: a lock may be used from any thread; `Waits` says how long it is there.
unsafe impl Send for Wait {}

global!(WAITING: Mutex<Vec<Wait>> = Mutex::new(Vec::new()));

pub(super) fn waiting() -> MutexGuard<'static, Vec<Wait>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has a thread on the list of those who wait, until it is dropped.
struct Waits<'a> {
    waiter: &'a Arc<Waiter>,
    /// The lock is there as long as this.
    _lock: &'a AccessLock,
}

impl<'a> Waits<'a> {
    /// Nothing if the thread would wait for itself: for one that waits for one .. that waits for it. The last thread of a circle
    /// finds it: the list is locked while it looks and enters.
    fn enter(lock: &'a AccessLock, waiter: &'a Arc<Waiter>) -> Option<Waits<'a>> {
        let mut list = waiting();
        let wait = Wait { waiter: Arc::clone(waiter), lock };
        let mut open = waits_for(&wait);
        let mut seen = Vec::new();
        while let Some(thread) = open.pop() {
            if thread == waiter.thread {
                return None;
            }
            if !seen.contains(&thread) {
                seen.push(thread);
                open.extend(list.iter().filter(|wait| wait.waiter.thread == thread).flat_map(waits_for));
            }
        }
        list.push(wait);
        Some(Waits { waiter, _lock: lock })
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        waiting().retain(|wait| !Arc::ptr_eq(&wait.waiter, self.waiter));
    }
}

/// The threads for which one on the list waits: none any more if it was admitted meanwhile.
fn waits_for(wait: &Wait) -> Vec<Thread> {
    // SAFETY: who entered the list keeps a reference to the lock until it has left it, for which the list must be free; the
    // callers of this function have it locked.
    let lock = unsafe { &*wait.lock };
    let state = lock.state();
    let stands = state.line.iter().any(|waiter| Arc::ptr_eq(waiter, &wait.waiter));
    // A reader waits for those who write. It passes writers that only wait.
    let blocks = |holder: &Thread| wait.waiter.exclusive || state.writer == Some(*holder);
    if stands { state.holders().filter(blocks).collect() } else { Vec::new() }
}
