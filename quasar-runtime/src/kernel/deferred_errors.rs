//! Deferred errors: launches on devices that may have failed, whose error records have not been read yet.
//!
//! A launch returns before it is complete. A kernel that fails writes an error record; [`settle`] synchronises with the
//! device, reads the record and returns the error. Each thread has one record for each device, so that an error reaches
//! the thread that launched, and a pending launch costs nothing. The first launch that fails claims the record of its
//! device; launches that share a record execute in order.

use super::offload::{DeviceKernel, fault_error, nan_check};
use crate::context;
use crate::device::{Device, DeviceMemory, Mailbox};
use crate::error::{Error, Result};
use quasar_devicelib::device_text::FaultRecord;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// The launches on a device whose record has not been read.
struct PendingLaunches {
    device: Arc<dyn Device>,
    record: Mailbox,
    /// The kernels in the order of their first launches.
    kernels: Vec<Launched>,
    /// The arrays under a NaN check; records contain their index.
    checks: Vec<nan_check::Site>,
}

/// A launched kernel, with its name for messages and its file.
#[derive(Clone, Copy)]
struct Launched {
    kernel: &'static DeviceKernel,
    place: (&'static str, &'static str),
}

thread_local! {
    /// Whether this thread may have pending or batched launches: the fast check of frequent callers.
    static OPEN: Cell<bool> = const { Cell::new(false) };
    /// The devices that may have batched launches of this thread.
    static BATCHING_DEVICES: RefCell<Vec<Arc<dyn Device>>> = const { RefCell::new(Vec::new()) };
    static LIST: RefCell<List> = const { RefCell::new(List(Vec::new())) };
    /// Number of nested [`batch`] calls in progress.
    static BATCHES: Cell<usize> = const { Cell::new(0) };
}

/// The pending launches of a thread, by device.
struct List(Vec<PendingLaunches>);

impl Drop for List {
    /// When a thread ends, an error that nobody read becomes a warning.
    fn drop(&mut self) {
        warn_of(read(std::mem::take(&mut self.0)));
    }
}

fn warn_of(result: Result<()>) {
    if let Err(error) = result {
        context::warn(error);
    }
}

/// Registers a launch that may fail and returns its record.
pub(super) fn open(
    device: &Arc<dyn Device>,
    kernel: &'static DeviceKernel,
    place: (&'static str, &'static str),
) -> Result<DeviceMemory> {
    with_record(device, |open| {
        let same = |other: &Launched| std::ptr::eq(other.kernel, kernel) && other.place == place;
        if !open.kernels.iter().rev().any(same) {
            open.kernels.push(Launched { kernel, place });
        }
        open.record.memory().again()
    })
}

/// Registers a NaN check of an array and returns the record and the index of the check.
pub(super) fn open_check(device: &Arc<dyn Device>, site: nan_check::Site) -> Result<(DeviceMemory, i32)> {
    with_record(device, |open| {
        let number = open.checks.iter().position(|other| *other == site).unwrap_or(open.checks.len());
        if number == open.checks.len() {
            open.checks.push(site);
        }
        (open.record.memory().again(), i32::try_from(number).unwrap_or(i32::MAX))
    })
}

/// Applies `f` to the pending launches of this thread on a device, with a new record if there are none.
fn with_record<R>(device: &Arc<dyn Device>, f: impl FnOnce(&mut PendingLaunches) -> R) -> Result<R> {
    OPEN.set(true);
    LIST.with_borrow_mut(|List(list)| {
        let known = list.iter().position(|open| open.device.serial() == device.serial());
        let place_in_list = known.unwrap_or(list.len());
        if known.is_none() {
            let record = device.mailboxes().record(&**device, FaultRecord::BYTES)?;
            let device = Arc::clone(device);
            list.push(PendingLaunches { device, record, kernels: Vec::new(), checks: Vec::new() });
        }
        list.get_mut(place_in_list).map(f).ok_or_else(|| Error::system("no record"))
    })
}

/// Registers that a launch was submitted.
pub(super) fn submitted(device: &Arc<dyn Device>) {
    BATCHING_DEVICES.with_borrow_mut(|held| {
        if held.iter().all(|other| other.serial() != device.serial()) {
            held.push(Arc::clone(device));
        }
    });
    OPEN.set(true);
}

/// Starts batched launches, before the host is busy with something else.
pub(crate) fn flush() -> Result<()> {
    if !any() {
        return Ok(());
    }
    let held = BATCHING_DEVICES.with_borrow_mut(std::mem::take);
    held.iter().try_for_each(|device| device.flush())
}

/// Whether this thread has pending launches.
#[inline]
pub(crate) fn any() -> bool {
    OPEN.get()
}

/// Waits for the pending launches of this thread and returns the first error.
#[inline]
pub(crate) fn settle() -> Result<()> {
    if any() { settle_now() } else { Ok(()) }
}

#[cold]
#[inline(never)]
fn settle_now() -> Result<()> {
    let flushed = flush();
    OPEN.set(false);
    flushed.and(read(LIST.with_borrow_mut(|list| std::mem::take(&mut list.0))))
}

/// Waits for each device and reads its record. Returns the error of the device that was used first.
fn read(list: Vec<PendingLaunches>) -> Result<()> {
    // Continues after an error, to return all records to their pools.
    let results: Vec<Result<()>> = list.into_iter().map(PendingLaunches::read).collect();
    results.into_iter().collect()
}

impl PendingLaunches {
    /// Waits for the device and returns its error. The record returns to the pool, unless the device failed.
    fn read(self) -> Result<()> {
        self.device.synchronize()?;
        let error = self.error()?;
        self.device.mailboxes().put_record(self.record);
        error.map_or(Ok(()), Err)
    }

    /// The error of the completed launches. Resets the record to zero.
    fn error(&self) -> Result<Option<Error>> {
        let mut state = [0u8; 4];
        self.device.peek(&self.record, &mut state)?;
        if state == [0; 4] {
            return Ok(None);
        }
        let mut bytes = [0u8; FaultRecord::BYTES];
        self.device.peek(&self.record, &mut bytes)?;
        self.device.fill(self.record.memory(), 0)?;
        let Some(record) = FaultRecord::from_bytes(&bytes) else { return Ok(None) };
        if record.kind == FaultRecord::NOT_FINITE {
            let site = usize::try_from(record.site).ok().and_then(|k| self.checks.get(k));
            return Ok(site.map(|site| site.error(&record)));
        }
        let failed = |launched: &&Launched| launched.kernel.identity() == record.state;
        Ok(Some(match self.kernels.iter().find(failed) {
            Some(Launched { kernel, place }) => fault_error(kernel, &record, *place),
            None => Error::system("a kernel that was not launched reports an error"),
        }))
    }
}

/// Runs a call from Rust code as a unit: its result includes the errors of all its launches. A launch error precedes an
/// error on the host, since the launch was earlier.
pub(crate) fn scope<R>(f: impl FnOnce() -> Result<R>) -> Result<R> {
    /// Reports pending errors as warnings if `f` panics.
    struct Scope;
    impl Drop for Scope {
        fn drop(&mut self) {
            if std::thread::panicking() {
                warn_of(settle());
            }
        }
    }
    let scope = Scope;
    let result = f();
    drop(scope);
    if BATCHES.get() > 0 && result.is_ok() {
        return result;
    }
    match settle() {
        Ok(()) => result,
        Err(first) => Err(first),
    }
}

/// Runs `f` with nested scopes deferring their errors to the end of the batch.
pub(crate) fn batch<R>(f: impl FnOnce() -> Result<R>) -> Result<R> {
    /// Ends the batch also when `f` panics.
    struct Batch;
    impl Drop for Batch {
        fn drop(&mut self) {
            BATCHES.set(BATCHES.get() - 1);
        }
    }
    scope(|| {
        BATCHES.set(BATCHES.get() + 1);
        let _batch = Batch;
        f()
    })
}
