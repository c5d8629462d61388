//! Ctrl-C ends what runs, not the session: a thread waits for the signal, and the interpreter looks at a flag from time to time.

use quasar_core::interp::{Moment, Next, Watcher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many instructions pass between two looks.
const BETWEEN: u64 = 1024;
/// How many interrupts without an effect end the process: a function of the library may take long, and is not interrupted.
const ENOUGH: u32 = 3;

/// How often Ctrl-C was pressed since the entry began.
#[derive(Clone, Default)]
pub(crate) struct Interrupts(Arc<AtomicU32>);

impl Interrupts {
    /// Forgets interrupts of what has ended.
    pub(crate) fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// Ends what runs.
    pub(crate) fn press(&self) {
        if self.0.fetch_add(1, Ordering::Relaxed) + 1 >= ENOUGH {
            std::process::exit(130);
        }
    }

    /// Whether it was pressed; that is forgotten.
    pub(crate) fn taken(&self) -> bool {
        self.0.swap(0, Ordering::Relaxed) > 0
    }

    /// Waits for signals from now on. Must be called before other threads start, which would get the signal otherwise.
    #[cfg(unix)]
    pub(crate) fn listen(&self) {
        use nix::sys::signal::{SigSet, Signal};
        let mut signals = SigSet::empty();
        signals.add(Signal::SIGINT);
        if signals.thread_block().is_err() {
            return;
        }
        let interrupts = self.clone();
        std::thread::spawn(move || {
            while signals.wait().is_ok() {
                interrupts.press();
            }
        });
    }

    /// Without signals, Ctrl-C ends the process.
    #[cfg(not(unix))]
    pub(crate) fn listen(&self) {}
}

impl Watcher for Interrupts {
    fn look(&mut self, moment: &Moment<'_>) -> Next {
        match self.0.load(Ordering::Relaxed) {
            0 => Next::At(moment.number() + BETWEEN),
            _ => Next::Stop("interrupted".to_owned()),
        }
    }
}
