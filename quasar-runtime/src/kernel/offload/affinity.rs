//! The device affinity of each thread, set by `{!sched ..}` and by loops whose iterations are distributed over devices.
//! It holds until the program changes it.

use super::placement;
use crate::context;
use crate::device::{Device, select};
use crate::error::{Error, Result};
use quasar_devicelib::value::affinity::{self, AUTOMATIC, CPU, GPU};
use std::cell::Cell;
use std::sync::Arc;

thread_local! {
    static AFFINITY: Cell<i32> = const { Cell::new(AUTOMATIC) };
}

/// Sets the affinity of later launches, as a code. Returns the previous one.
pub(crate) fn say(code: i32) -> i32 {
    AFFINITY.replace(code)
}

/// Sets the affinity to the GPU with this number; if there are fewer GPUs, to one of them, with a warning. Returns the
/// previous affinity.
pub(crate) fn say_gpu(index: i32) -> Result<i32> {
    affinity::check_gpu(index)?;
    let count = select::addressed().len();
    if index as usize >= count && select::possible() {
        let message = match count {
            0 => format!("the program asks for GPU {index}, there is none: its kernels run on the CPU"),
            _ => format!(
                "the program asks for GPU {index}, the number of GPUs is {count}: it gets another one"
            ),
        };
        context::warn(Error::system(message));
    }
    Ok(say(index))
}

/// Runs `f` and restores the affinity.
pub(crate) fn scope<R>(f: impl FnOnce() -> R) -> R {
    /// Restores it also when `f` panics.
    struct Before(i32);
    impl Drop for Before {
        fn drop(&mut self) {
            say(self.0);
        }
    }
    let _before = Before(AFFINITY.get());
    f()
}

/// Runs `f` and restores the affinity if it fails.
pub(crate) fn attempt<R>(f: impl FnOnce() -> Result<R>) -> Result<R> {
    let before = AFFINITY.get();
    let result = f();
    if result.is_err() {
        say(before);
    }
    result
}

/// The devices for a multi-device launch; empty if the affinity names a single place.
pub(super) fn all() -> Vec<Arc<dyn Device>> {
    match AFFINITY.get() {
        AUTOMATIC | GPU => select::addressed_devices(),
        _ => Vec::new(),
    }
}

/// The devices that may get a launch, without choosing one.
pub(super) fn candidates() -> Vec<Arc<dyn Device>> {
    match AFFINITY.get() {
        CPU => Vec::new(),
        AUTOMATIC | GPU => {
            let active = select::active_device();
            let others = select::active_devices().into_iter();
            let first = active.as_ref().map_or(0, |first| first.serial());
            let others = others.filter(|device| device.serial() != first && !device.is_lost());
            active.into_iter().chain(others).collect()
        }
        index => select::addressed_device(usize::try_from(index).unwrap_or(0)).into_iter().collect(),
    }
}

/// Whether launches are required to run on a device.
pub(super) fn is_asked_for() -> bool {
    AFFINITY.get() == GPU || select::is_explicit()
}

/// The device for a launch, and whether the launch must run there; otherwise the cost model decides.
pub(super) fn device(work: u64, pick: select::Pick<'_>) -> Option<(Arc<dyn Device>, bool)> {
    match AFFINITY.get() {
        CPU => None,
        AUTOMATIC => Some((select::device_for(pick)?, select::is_explicit())),
        GPU => Some((select::device_for(pick)?, true)),
        index => {
            let device = select::addressed_device(usize::try_from(index).unwrap_or(0))?;
            device.counters().occupy(placement::time(work, &*device));
            Some((device, true))
        }
    }
}
