//! Threads of a model; it has no forks.

use loom::sync::atomic::{AtomicUsize, Ordering};
use std::cell::Cell;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Thread(usize);

impl Thread {
    pub(crate) fn is_gone(self) -> bool {
        false
    }
}

loom::lazy_static! {
    static ref NEXT: AtomicUsize = AtomicUsize::new(1);
}

loom::thread_local! {
    static OWN: Cell<usize> = Cell::new(0);
    static ACCESSES: Cell<isize> = Cell::new(0);
}

pub(crate) fn change_accesses(by: isize) {
    ACCESSES.with(|count| count.set(count.get() + by));
}

pub(crate) fn has_accesses() -> bool {
    ACCESSES.with(|count| count.get() > 0)
}

pub(crate) fn this_thread() -> Thread {
    OWN.with(|own| {
        if own.get() == 0 {
            own.set(NEXT.fetch_add(1, Ordering::Relaxed));
        }
        Thread(own.get())
    })
}

pub(crate) fn in_part<R>(part: impl FnOnce() -> R) -> R {
    part()
}

pub(crate) fn is_in_part() -> bool {
    false
}
