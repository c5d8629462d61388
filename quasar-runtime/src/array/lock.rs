//! Shared or exclusive access to the elements of one buffer, or of several at once.
//!
//! Unlike `std::sync::RwLock`, one thread may read twice (`f(x, x)`), everybody comes in the order of arrival, and a thread that
//! would wait for itself, in a circle, or for a thread that a fork left behind gets an answer instead.
//!
//! A request is for all locks that a launch needs: it gets all of them at once or none, so that nobody waits while it holds
//! what it asked for. Who has to wait stands in the line of each of the locks, all lines in one order. Whoever leaves calls
//! those who could go on, and these look again. Nobody begins in front of one who stands before it and needs the same lock,
//! so neither readers, writers nor requests for many locks are kept out.
//!
//! Two cases need more. A thread that already has an access (a guard that Rust code keeps) passes those who stand in
//! line: they may wait for its guard. And a thread may wait for other threads while it keeps a guard, for example for readers that
//! it started; if these stood behind a request that waits for the guard, nothing would go on. So a request that cannot
//! begin keeps others back for a while only; then they pass it for as long, and so on in longer and longer turns ([`turn`]).

use crate::process::{Thread, change_accesses, has_accesses, is_in_part, this_thread};
use crate::sync::{Arc, Condvar, Instant, Mutex, MutexGuard, PoisonError, global};
use std::collections::VecDeque;
use std::time::Duration;

/// Why a thread does not get access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The thread already holds an access that excludes the requested one.
    Own,
    /// Threads that keep guards wait for each other, and this one would close the circle.
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
    /// How often the writer has its access besides.
    again: usize,
    /// Who waits, in the order of arrival.
    pub(super) line: VecDeque<Standing>,
}

/// An access that a thread asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) lock: &'a AccessLock,
    pub(crate) exclusive: bool,
}

impl Request<'_> {
    /// Several locks are always locked in this order.
    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self.lock).addr()
    }
}

/// A place in a line.
#[derive(Debug)]
pub(super) struct Standing {
    waiter: Arc<Waiter>,
    exclusive: bool,
}

/// A thread that waits.
#[derive(Debug)]
pub(super) struct Waiter {
    thread: Thread,
    /// Whether the thread has other accesses meanwhile.
    has_others: bool,
    since: Instant,
    /// Whether somebody has called since the thread looked.
    called: Mutex<bool>,
    changed: Condvar,
}

impl Waiter {
    fn called(&self) -> MutexGuard<'_, bool> {
        self.called.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self) {
        *self.called() = true;
        self.changed.notify_one();
    }

    /// Waits for a call or, if there is one, for some time.
    fn wait(&self, most: Option<Duration>) {
        let mut called = self.called();
        while !*called {
            called = match most {
                None => self.changed.wait(called).unwrap_or_else(PoisonError::into_inner),
                Some(most) => {
                    called =
                        self.changed.wait_timeout(called, most).unwrap_or_else(PoisonError::into_inner).0;
                    break;
                }
            };
        }
        *called = false;
    }

    /// Whether others may pass now; otherwise after how long to ask again.
    fn lets_pass(&self) -> Result<(), Duration> {
        if self.thread.is_gone() { Ok(()) } else { turn(self.since.elapsed()) }
    }
}

/// Who waits keeps others back for so long, before they pass for the first time.
pub(super) const TURN: Duration = Duration::from_millis(10);
/// Turns do not become longer than so many times the first one.
pub(super) const LONGEST: u32 = 64;

/// Whether others may pass one that has waited for so long; otherwise how long they still let it go first.
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

/// Who asks.
#[derive(Clone, Copy)]
struct Claim<'a> {
    thread: Thread,
    has_others: bool,
    /// Its place in the lines, once it has one.
    waiter: Option<&'a Arc<Waiter>>,
}

/// Why a request cannot begin.
enum Blocked {
    Refused(Refusal),
    /// Others are in the way: they call, and if there is a time it is worth asking again then.
    Busy(Option<Duration>),
}

impl State {
    /// Nobody uses the elements.
    fn is_free(&self) -> bool {
        self.writer.is_none() && self.readers.is_empty()
    }

    /// Whether those who use the elements exclude an access.
    fn excludes(&self, exclusive: bool) -> bool {
        self.writer.is_some() || exclusive && !self.readers.is_empty()
    }

    fn holders(&self) -> impl Iterator<Item = Thread> {
        self.writer.iter().chain(&self.readers).copied()
    }

    /// Whether an access may begin.
    fn is_open(&self, exclusive: bool, claim: &Claim<'_>) -> Result<(), Blocked> {
        let is_own = |waiter: &Arc<Waiter>| claim.waiter.is_some_and(|own| Arc::ptr_eq(own, waiter));
        let before = self.line.iter().take_while(|other| !is_own(&other.waiter));
        let mut rivals = before.filter(|other| !claim.has_others && (exclusive || other.exclusive));
        if self.excludes(exclusive) {
            if self.holders().any(|holder| holder == claim.thread) {
                return Err(Blocked::Refused(Refusal::Own));
            }
            if self.holders().any(Thread::is_gone) {
                return Err(Blocked::Refused(Refusal::Forked));
            }
            return Err(Blocked::Busy(rivals.next().map(|_| 4 * TURN)));
        }
        rivals.try_for_each(|rival| rival.waiter.lets_pass()).map_err(|after| Blocked::Busy(Some(after)))
    }

    fn enter(&mut self, exclusive: bool, thread: Thread) {
        if exclusive {
            self.writer = Some(thread);
        } else {
            self.readers.push(thread);
        }
    }

    fn leave_line(&mut self, waiter: &Arc<Waiter>) {
        if let Some(place) = self.line.iter().position(|other| Arc::ptr_eq(&other.waiter, waiter)) {
            self.line.remove(place);
        }
    }

    /// Those who could go on, as far as this lock is concerned.
    fn next(&self) -> Vec<Arc<Waiter>> {
        let mut found = Vec::new();
        let (mut reader_first, mut writer_first) = (false, false);
        for Standing { waiter, exclusive } in &self.line {
            let kept_back = !waiter.has_others && (writer_first || reader_first && *exclusive);
            if !kept_back && !self.excludes(*exclusive) {
                found.push(Arc::clone(waiter));
            }
            let first = if *exclusive { &mut writer_first } else { &mut reader_first };
            *first = *first || waiter.lets_pass().is_err();
        }
        found
    }
}

impl AccessLock {
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody writes.
    #[cfg(test)]
    pub(crate) fn share(&self) -> Result<(), Refusal> {
        begin(&[Request { lock: self, exclusive: false }])
    }

    /// Waits until nobody reads or writes.
    #[cfg(test)]
    pub(crate) fn exclude(&self) -> Result<(), Refusal> {
        begin(&[Request { lock: self, exclusive: true }])
    }

    /// Begins an exclusive access if nobody reads or writes, or waits to. Says whether it did.
    pub(crate) fn try_exclude(&self) -> bool {
        let mut state = self.state();
        let free = state.is_free() && state.line.is_empty();
        if free {
            state.enter(true, this_thread());
            change_accesses(1);
        }
        free
    }

    /// Begins an access once more that this thread has.
    pub(crate) fn enter_again(&self, exclusive: bool) {
        let mut state = self.state();
        if exclusive {
            state.again += 1;
        } else {
            state.enter(false, this_thread());
        }
        change_accesses(1);
    }

    /// Ends a shared access of this thread.
    pub(crate) fn end_share(&self) {
        let me = this_thread();
        let mut state = self.state();
        if let Some(position) = state.readers.iter().position(|&reader| reader == me) {
            state.readers.swap_remove(position);
        }
        change_accesses(-1);
        call_next(state);
    }

    /// Ends an exclusive access of this thread.
    pub(crate) fn end_exclude(&self) {
        let mut state = self.state();
        match state.again {
            0 => state.writer = None,
            _ => state.again -= 1,
        }
        change_accesses(-1);
        call_next(state);
    }
}

/// Waits until all accesses are possible and begins them. The locks are different ones, in the order of their addresses.
pub(crate) fn begin(requests: &[Request<'_>]) -> Result<(), Refusal> {
    let claim = Claim { thread: this_thread(), has_others: has_accesses(), waiter: None };
    match take(requests, &claim) {
        Ok(()) => {}
        Err(Blocked::Refused(refusal)) => return Err(refusal),
        Err(Blocked::Busy(_)) => wait(requests, claim)?,
    }
    change_accesses(requests.len() as isize);
    Ok(())
}

/// Begins all accesses, or none: the states of all locks are locked before the first one changes.
fn take(requests: &[Request<'_>], claim: &Claim<'_>) -> Result<(), Blocked> {
    let Some((first, rest)) = requests.split_first() else { return Ok(()) };
    let mut state = first.lock.state();
    state.is_open(first.exclusive, claim)?;
    take(rest, claim)?;
    state.enter(first.exclusive, claim.thread);
    claim.waiter.iter().for_each(|waiter| state.leave_line(waiter));
    Ok(())
}

#[cold]
#[inline(never)]
fn wait(requests: &[Request<'_>], claim: Claim<'_>) -> Result<(), Refusal> {
    debug_assert!(!is_in_part(), "a part of a launch waits for an array, which the launch may hold");
    let waiter = Arc::new(Waiter {
        thread: claim.thread,
        has_others: claim.has_others,
        since: Instant::now(),
        called: Mutex::new(false),
        changed: Condvar::new(),
    });
    // At once, so that all lines have one order.
    let mut states: Vec<_> = requests.iter().map(|request| request.lock.state()).collect();
    for (state, request) in states.iter_mut().zip(requests) {
        state.line.push_back(Standing { waiter: Arc::clone(&waiter), exclusive: request.exclusive });
    }
    drop(states);
    let claim = Claim { waiter: Some(&waiter), ..claim };
    let mut waits = None;
    let refusal = loop {
        let patience = match take(requests, &claim) {
            Ok(()) => return Ok(()),
            Err(Blocked::Refused(refusal)) => break refusal,
            Err(Blocked::Busy(patience)) => patience,
        };
        if waits.is_none() {
            waits = Waits::enter(requests, &waiter);
        }
        if waits.is_none() {
            break Refusal::Circle;
        }
        waiter.wait(patience);
    };
    for request in requests {
        let mut state = request.lock.state();
        state.leave_line(&waiter);
        call_next(state);
    }
    Err(refusal)
}

/// Lets those look who may go on, after a change.
fn call_next(state: MutexGuard<'_, State>) {
    if state.line.is_empty() {
        return;
    }
    let next = state.next();
    drop(state);
    next.iter().for_each(|waiter| waiter.call());
}

/// A thread that waits for locks.
pub(super) struct Wait {
    waiter: Arc<Waiter>,
    requests: *const [Request<'static>],
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
    /// The locks are there as long as this.
    _requests: &'a [Request<'a>],
}

impl<'a> Waits<'a> {
    /// Nothing if the thread would wait for itself: for one that waits for one .. that waits for it. The last thread of a circle
    /// finds it: the list is locked while it looks and enters.
    fn enter(requests: &'a [Request<'a>], waiter: &'a Arc<Waiter>) -> Option<Waits<'a>> {
        let mut list = waiting();
        let wait = Wait { waiter: Arc::clone(waiter), requests: std::ptr::from_ref(requests) as *const _ };
        let mut open = wait.waits_for();
        let mut seen = Vec::new();
        while let Some(thread) = open.pop() {
            if thread == waiter.thread {
                return None;
            }
            if !seen.contains(&thread) {
                seen.push(thread);
                open.extend(
                    list.iter().filter(|wait| wait.waiter.thread == thread).flat_map(Wait::waits_for),
                );
            }
        }
        list.push(wait);
        Some(Waits { waiter, _requests: requests })
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        waiting().retain(|wait| !Arc::ptr_eq(&wait.waiter, self.waiter));
    }
}

impl Wait {
    fn requests(&self) -> &[Request<'_>] {
        // SAFETY: who entered the list keeps a reference to the requests until it has left it, for which the list must be free;
        // those who have a wait of the list, or make one, have the list locked.
        unsafe { &*self.requests }
    }

    /// Whether the thread waits for this lock.
    #[cfg(test)]
    pub(super) fn is_for(&self, lock: &AccessLock) -> bool {
        self.requests().iter().any(|request| std::ptr::eq(request.lock, lock))
    }

    /// The threads for which this one waits: none any more if it was admitted meanwhile. It passes those who only wait, sooner
    /// or later.
    fn waits_for(&self) -> Vec<Thread> {
        let mut found = Vec::new();
        for request in self.requests() {
            let state = request.lock.state();
            let stands = state.line.iter().any(|other| Arc::ptr_eq(&other.waiter, &self.waiter));
            let blocks = |holder: &Thread| request.exclusive || state.writer == Some(*holder);
            if stands {
                found.extend(state.holders().filter(blocks));
            }
        }
        found
    }
}
