//! Which threads there are, and what is left of them in a forked process.
//!
//! A forked process has one thread, a copy of the one that forked. The other threads are gone, with what they held and what
//! they were doing: waiting for them would never end. So each thread has a number, and a handler in the child notes which
//! numbers are no more.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// The number of a thread; no other thread of the process or of its parents had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thread(u64);

/// The number of the next thread. 0 is none.
static NEXT: AtomicU64 = AtomicU64::new(1);
/// Threads before this one did not come along when the process was forked..
static FIRST: AtomicU64 = AtomicU64::new(0);
/// .. but for this one.
static SURVIVOR: AtomicU64 = AtomicU64::new(0);
/// How many forks lie between this process and the one in which the library was first used.
static FORKS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    static OWN: Cell<u64> = const { Cell::new(0) };
    /// How many parts of launches the thread is inside of; counted in debug builds.
    static PARTS: Cell<u32> = const { Cell::new(0) };
    /// How many accesses to arrays the thread has.
    static ACCESSES: Cell<isize> = const { Cell::new(0) };
}

/// Does a part of a launch.
pub(crate) fn in_part<R>(part: impl FnOnce() -> R) -> R {
    if !cfg!(debug_assertions) {
        return part();
    }
    PARTS.set(PARTS.get() + 1);
    let result = part();
    PARTS.set(PARTS.get() - 1);
    result
}

/// Runs host code that belongs to no launch, though the thread does a part of something: it may wait for arrays.
pub(crate) fn outside_of_parts<R>(f: impl FnOnce() -> R) -> R {
    if !cfg!(debug_assertions) {
        return f();
    }
    struct Inside(u32);
    impl Drop for Inside {
        fn drop(&mut self) {
            PARTS.set(self.0);
        }
    }
    let _inside = Inside(PARTS.replace(0));
    f()
}

/// Whether the thread does a part of a launch, as far as that is counted.
pub(crate) fn is_in_part() -> bool {
    PARTS.get() > 0
}

/// Counts accesses to arrays that the thread begins or ends.
#[inline]
pub(crate) fn change_accesses(by: isize) {
    ACCESSES.set(ACCESSES.get() + by);
}

/// Whether the thread has an access to some array.
#[inline]
pub(crate) fn has_accesses() -> bool {
    ACCESSES.get() > 0
}

/// The calling thread.
#[inline]
pub(crate) fn this_thread() -> Thread {
    match OWN.get() {
        0 => first_call(),
        number => Thread(number),
    }
}

#[cold]
fn first_call() -> Thread {
    watch_forks();
    OWN.set(NEXT.fetch_add(1, Ordering::Relaxed));
    Thread(OWN.get())
}

/// Tells processes apart: what was started under another number is not there.
#[inline]
pub(crate) fn generation() -> u32 {
    FORKS.load(Ordering::Relaxed)
}

/// As [`generation`], for what is started now.
pub(crate) fn watched() -> u32 {
    watch_forks();
    generation()
}

impl Thread {
    /// Whether the thread was left behind by a fork.
    pub(crate) fn is_gone(self) -> bool {
        self.0 < FIRST.load(Ordering::Relaxed) && self.0 != SURVIVOR.load(Ordering::Relaxed)
    }
}

/// Has forks noted from now on.
#[cfg(unix)]
pub(crate) fn watch_forks() {
    use std::ffi::c_int;
    use std::sync::Once;
    type Handler = Option<unsafe extern "C" fn()>;
    unsafe extern "C" {
        fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> c_int;
    }
    /// In the child, on its only thread.
    extern "C" fn forked() {
        FIRST.store(NEXT.load(Ordering::Relaxed), Ordering::Relaxed);
        SURVIVOR.store(OWN.get(), Ordering::Relaxed);
        FORKS.fetch_add(1, Ordering::Relaxed);
    }
    static WATCHED: Once = Once::new();
    // SAFETY: the function of POSIX has this signature; the handler touches only atomics and a thread-local variable without a
    // destructor, which is allowed in the child of a process with threads, and it is there as long as the program.
    WATCHED.call_once(|| _ = unsafe { pthread_atfork(None, None, Some(forked)) });
}

/// There are no forks.
#[cfg(not(unix))]
pub(crate) fn watch_forks() {}

/// A number that tells the program of this process from others.
pub(crate) fn image() -> u64 {
    let bytes = std::env::current_exe().and_then(std::fs::read).unwrap_or_default();
    let mut digest = std::hash::DefaultHasher::new();
    std::hash::Hasher::write(&mut digest, &bytes);
    std::hash::Hasher::finish(&digest)
}
