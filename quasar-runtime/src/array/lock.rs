//! Shared or exclusive access to the elements of one buffer.
//!
//! Unlike `std::sync::RwLock`, one thread may read twice (`f(x, x)`), waiting writers never hold up readers, and
//! a thread that would wait for itself gets an answer instead.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The thread already holds an access that excludes the requested one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WouldWaitForItself;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct AccessLock {
    state: Mutex<State>,
    released: Condvar,
}

#[derive(Debug, Default)]
struct State {
    readers: Vec<Thread>,
    writer: Option<Thread>,
    /// How many threads wait; waking nobody is a call of the system that every launch would make.
    waiting: usize,
}

impl State {
    /// Nobody uses the elements.
    fn is_free(&self) -> bool {
        self.writer.is_none() && self.readers.is_empty()
    }
}

/// Identifies a thread as long as it lives.
type Thread = usize;

fn this_thread() -> Thread {
    thread_local!(static MARK: u8 = const { 0 });
    MARK.with(|mark| std::ptr::from_ref(mark).addr())
}

impl AccessLock {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody writes.
    pub(crate) fn share(&self) -> Result<(), WouldWaitForItself> {
        let me = this_thread();
        let mut state = self.state();
        while let Some(writer) = state.writer {
            if writer == me {
                return Err(WouldWaitForItself);
            }
            state = self.wait(state);
        }
        state.readers.push(me);
        Ok(())
    }

    /// Waits until nobody reads or writes.
    pub(crate) fn exclude(&self) -> Result<(), WouldWaitForItself> {
        let me = this_thread();
        let mut state = self.state();
        while !state.is_free() {
            if state.writer == Some(me) || state.readers.contains(&me) {
                return Err(WouldWaitForItself);
            }
            state = self.wait(state);
        }
        state.writer = Some(me);
        Ok(())
    }

    /// Begins an exclusive access if nobody reads or writes. Says whether it did.
    pub(crate) fn try_exclude(&self) -> bool {
        let mut state = self.state();
        let free = state.is_free();
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
        self.wake(state);
    }

    /// Ends the exclusive access of this thread.
    pub(crate) fn end_exclude(&self) {
        let mut state = self.state();
        state.writer = None;
        self.wake(state);
    }

    fn wait<'s>(&self, mut state: MutexGuard<'s, State>) -> MutexGuard<'s, State> {
        state.waiting += 1;
        let mut state = self.released.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.waiting -= 1;
        state
    }

    /// Wakes those who wait, if one of them may go on.
    fn wake(&self, state: MutexGuard<'_, State>) {
        let wake = state.waiting > 0 && state.is_free();
        drop(state);
        if wake {
            self.released.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_never_waits_for_itself() {
        let lock = AccessLock::default();
        lock.share().unwrap();
        lock.share().unwrap();
        assert_eq!(lock.exclude(), Err(WouldWaitForItself));
        lock.end_share();
        assert_eq!(lock.exclude(), Err(WouldWaitForItself));
        lock.end_share();
        lock.exclude().unwrap();
        assert_eq!(lock.share(), Err(WouldWaitForItself));
        assert_eq!(lock.exclude(), Err(WouldWaitForItself));
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
        let counter = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        lock.exclude().unwrap();
                        let seen = counter.load(std::sync::atomic::Ordering::Relaxed);
                        std::thread::yield_now();
                        counter.store(seen + 1, std::sync::atomic::Ordering::Relaxed);
                        lock.end_exclude();
                        lock.share().unwrap();
                        lock.end_share();
                    }
                });
            }
        });
        assert_eq!(counter.into_inner(), 200);
    }
}
