//! A call when the process ends: the only moment at which a program that knows nothing of it can write its report.

use std::ffi::c_int;
use std::sync::OnceLock;

static CALLED: OnceLock<fn()> = OnceLock::new();

/// Has a function called once when the process ends by `exit`, or by returning from its `main`. Only the first counts.
pub(super) fn call(f: fn()) {
    unsafe extern "C" {
        fn atexit(f: extern "C" fn()) -> c_int;
    }
    extern "C" fn at_exit() {
        // A panic must not reach the system.
        let _ = std::panic::catch_unwind(|| CALLED.get().into_iter().for_each(|f| f()));
    }
    if CALLED.set(f).is_ok() {
        // SAFETY: the function of the C library has this signature; what it calls is there as long as the program.
        let _ = unsafe { atexit(at_exit) };
    }
}
