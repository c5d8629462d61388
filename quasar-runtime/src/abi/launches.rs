//! Launches on devices as generated code makes them, and where it asks for their errors.

use super::Here;
use crate::array::Refused;
use crate::calls;
use crate::cluster::{self, Share};
use crate::error::{Error, Place, Result};
use crate::kernel::deferred_errors;
use crate::kernel::nan_check::Watch;
use crate::kernel::offload::{Arg, DeviceKernel, Found, affinity, kernel_error};
use quasar_devicelib::kernel::Fault;
use quasar_devicelib::stack;
use quasar_devicelib::value::{Exception, ValueError};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Runs what an exported function does. Its result tells of all its launches.
pub fn run<R>(f: impl FnOnce() -> Result<R>) -> Result<R> {
    let entry = stack::Entry::begin()?;
    let f = || refusals(|| affinity::scope(|| deferred_errors::scope(f)));
    let result = if stack::is_low() { stack::on_more(f)? } else { f() };
    let result = if entry.is_outermost() { cluster::conclude(result).and_then(written) } else { result };
    if crate::profile::is_on() {
        crate::profile::settle();
    }
    result
}

/// The result of a call, or why the library was refused an array that this thread uses already.
fn refusals<R>(f: impl FnOnce() -> Result<R>) -> Result<R> {
    let payload = match catch_unwind(AssertUnwindSafe(f)) {
        Ok(result) => return result,
        Err(payload) => payload,
    };
    match payload.downcast::<Refused>() {
        Ok(refused) => Err(refused.0),
        Err(payload) => resume_unwind(payload),
    }
}

/// The result of a call, when what it wrote is in the stores of its arrays. A call that failed leaves them unfinished.
fn written<R>(result: R) -> Result<R> {
    crate::store::flush().map(|()| result)
}

/// Whether a call of a function that may lead to another one of itself needs [`on_more_stack`].
#[inline(always)]
pub fn stack_is_low() -> bool {
    stack::is_low()
}

/// Runs a call where more of the stack is left.
pub fn on_more_stack<R>(call: impl FnOnce() -> Result<R>) -> Result<R> {
    stack::on_more(call)?
}

/// Counts a call of a function that may lead to another one of itself, until the result is dropped.
#[inline(always)]
pub fn nested() -> Result<stack::Call> {
    stack::Call::on_host().map_or_else(first_or_too_deep, Ok)
}

#[cold]
#[inline(never)]
fn first_or_too_deep() -> Result<stack::Call> {
    crate::context::apply_settings();
    Ok(stack::Call::on_host().ok_or_else(|| ValueError::calls(stack::limit()))?)
}

/// Runs the body of a `try`, which catches the errors of its own launches and of no others.
///
/// # Errors
/// What launched before it, and the end of a cancelled call, which no program catches.
pub fn attempt<R>(f: impl FnOnce() -> Result<R>) -> Result<Result<R>> {
    deferred_errors::settle()?;
    let result = settled(affinity::attempt(f));
    calls::check()?;
    Ok(result)
}

/// Whether a handler of such exceptions takes an error.
pub fn is_exception(error: &Error, exception: Exception) -> bool {
    error.exception() == Some(exception)
}

/// Says where the launches that follow go, as a code; the one before.
pub fn place_launches(code: i32) -> Result<i32> {
    Ok(affinity::say(code))
}

/// The launches that follow go to the GPU of a number.
pub fn place_launches_on_gpu(index: i32) -> Result<i32> {
    affinity::say_gpu(index)
}

/// The launches that follow go to the GPU whose turn it is.
pub fn place_launches_in_turn(turn: i32) -> Result<i32> {
    Ok(affinity::say(turn.max(0)))
}

/// Asks whether a launch has failed.
pub fn settle() -> Result<()> {
    deferred_errors::settle()
}

/// The result of a call, unless one of its launches has failed.
pub fn settled<R>(result: Result<R>) -> Result<R> {
    deferred_errors::settle().and(result)
}

/// Whether there may be a device that runs kernels.
#[inline]
pub fn device_in_use() -> bool {
    crate::device::select::possible()
}

/// Whether kernels run on the processor of this process alone: no device runs them, and no other ranks share them.
pub fn on_processor() -> bool {
    !crate::device::select::is_there() && !crate::cluster::is_active()
}

/// Whether a device may run kernels for this process alone.
pub fn on_device() -> bool {
    crate::device::select::is_there() && !crate::cluster::is_active()
}

/// Whether launches should go strip by strip, with line buffers of these extents and bytes of elements: where no device runs them,
/// nobody looks for NaN in the arrays between them, these would not stay in the cache, and some rows of them do.
pub fn strips_pay(buffers: &[(&[i32], usize)]) -> bool {
    let rows = |extents: &[i32]| extents.first().map_or(0, |n| i64::from(*n));
    let row_bytes = |(extents, bytes): &(&[i32], usize)| {
        extents.iter().skip(1).try_fold(*bytes as i64, |count, n| count.checked_mul(i64::from(*n)))
    };
    let mut all: i64 = 0;
    let mut row: i64 = 0;
    for buffer in buffers {
        let Some(bytes) = row_bytes(buffer).filter(|bytes| *bytes > 0) else { return false };
        row = row.saturating_add(bytes);
        all = all.saturating_add(bytes.saturating_mul(rows(buffer.0)));
    }
    all >= 2 * i64::try_from(cache()).unwrap_or(i64::MAX / 2)
        && row <= MOST_ROW
        && !device_in_use()
        && !cluster::is_active()
        && !crate::store::budget::in_use()
        && !crate::context::checks_numbers()
}

/// Bytes of a core's cache that line buffers may fill.
pub fn cache() -> usize {
    crate::context::cache()
}

/// Bytes of a row of all line buffers, at most.
const MOST_ROW: i64 = 4 << 20;

/// Additions for a row of several launches, from those for a position of each and its extents behind the first.
pub fn row_cost(launches: &[(u32, &[i32])]) -> u32 {
    let of_row = |(cost, extents): &(u32, &[i32])| {
        extents.iter().fold(u64::from(*cost), |cost, n| cost.saturating_mul((*n).max(0) as u64))
    };
    u32::try_from(launches.iter().map(of_row).fold(0, u64::saturating_add)).unwrap_or(u32::MAX)
}

/// The error of a launch, if there was one.
pub fn finish(fault: Fault, kernel: &'static str, here: Here) -> Result<()> {
    if !fault.is_set() {
        return calls::check();
    }
    match fault.into_report() {
        Some(report) => Err(kernel_error(report, kernel, here.1)),
        None => Ok(()),
    }
}

/// A place in a kernel.
pub fn place(kernel: &'static str, here: Here, line: u32) -> Place {
    Place::new(kernel, here.1, line)
}

/// An error when something was accumulated out of range: at `outside` in a vector of this size.
pub fn tallied(outside: Option<i32>, size: usize, array: &'static str, place: Place) -> Result<()> {
    match outside {
        None => Ok(()),
        Some(k) => Err(Error::out_of_bounds(array, &[i64::from(k)], &[size]).at(place)),
    }
}

/// Looks at what a launch on the processor wrote.
#[inline]
pub fn watched(watch: Watch<'_>, kernel: &'static str, here: Here) -> Result<()> {
    watch.finish(kernel, here.1)
}

/// Runs a kernel on the active device; nothing where the processor should run it.
pub fn offload(
    kernel: &'static DeviceKernel,
    size: &[i32],
    block: Option<&[i32]>,
    args: &[Arg<'_>],
    name: &'static str,
    here: Here,
) -> Result<Option<Found>> {
    calls::check()?;
    crate::kernel::offload::offload(kernel, size, block, args, (name, here.1))
}

/// Runs the share of a rank on its device; nothing where the processor should run it.
pub fn offload_share(
    share: &Share,
    kernel: &'static DeviceKernel,
    size: &[i32],
    block: Option<&[i32]>,
    args: &[Arg<'_>],
    name: &'static str,
    here: Here,
) -> Result<Option<Found>> {
    calls::check()?;
    cluster::offload_share(share, kernel, size, block, args, (name, here.1))
}

/// Runs a kernel on all devices together, as far as they can share it, otherwise on one; nothing where the processor should
/// run it.
pub fn offload_to_all(
    kernel: &'static DeviceKernel,
    size: &[i32],
    block: Option<&[i32]>,
    args: &[Arg<'_>],
    name: &'static str,
    here: Here,
) -> Result<Option<Found>> {
    calls::check()?;
    crate::kernel::offload::offload_to_all(kernel, size, block, args, (name, here.1))
}
