//! Calls when the process ends: the only moment at which a program that knows nothing of it can write its report, and the last one at
//! which threads can leave libraries whose static variables go.

use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

static CALLED: Mutex<Vec<fn()>> = Mutex::new(Vec::new());

/// Has a function called once when the process ends by `exit`, or by returning from its `main`: the last one first, and before what
/// libraries that are loaded by now do themselves.
pub(crate) fn call(f: fn()) {
    unsafe extern "C" {
        fn atexit(f: extern "C" fn()) -> c_int;
    }
    extern "C" fn at_exit() {
        let last = CALLED.lock().unwrap_or_else(PoisonError::into_inner).pop();
        // A panic must not reach the system.
        let _ = std::panic::catch_unwind(|| last.into_iter().for_each(|f| f()));
    }
    CALLED.lock().unwrap_or_else(PoisonError::into_inner).push(f);
    // SAFETY: the function of the C library has this signature; what it calls is there as long as the program.
    let _ = unsafe { atexit(at_exit) };
}
