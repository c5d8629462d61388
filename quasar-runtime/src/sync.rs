//! What threads wait with: the standard library's, in one place, so that the models of `quasar-models` compile the same code
//! with the types of `loom` instead.

pub(crate) use std::sync::atomic;
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
pub(crate) use std::time::Instant;

/// Threads of the pool sleep after so many looks for work.
pub(crate) const LOOKS: usize = 64;

/// Lets another thread run.
pub(crate) fn yield_now() {
    std::thread::yield_now();
}

/// Starts a thread that nobody waits for. Says whether there is one.
pub(crate) fn start(name: String, f: impl FnOnce() + Send + 'static) -> bool {
    std::thread::Builder::new().name(name).spawn(f).is_ok()
}

/// A variable of the process.
macro_rules! global {
    ($name:ident: $type:ty = $value:expr) => {
        static $name: $type = $value;
    };
}
pub(crate) use global;
