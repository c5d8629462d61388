//! Launches that may have failed and that nobody asked about yet.
//!
//! A launch on a device returns before it is done. A kernel that can fail writes a record when it does; the record is
//! read when somebody needs to know: [`settle`] waits for the device and gives the error. Each thread has its own records,
//! one for each device, so that an error arrives where its launch came from, and a launch costs nothing for being open.
//! The first launch that fails claims the record of its device; launches that have one record run in their order.

use super::offload::{DeviceKernel, fault_error, finite};
use crate::context;
use crate::device::{Device, DeviceMemory, Mailbox};
use crate::error::{Error, Result};
use quasar_devicelib::device_text::FaultRecord;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// The launches on a device whose record was not read yet.
struct Open {
    device: Arc<dyn Device>,
    record: Mailbox,
    /// The kernels in the order of their first launches.
    kernels: Vec<Launched>,
    /// The arrays that were checked for NaN and infinities; records have their numbers.
    checks: Vec<finite::Site>,
}

/// A kernel that was launched, with what messages call it, and its file.
#[derive(Clone, Copy)]
struct Launched {
    kernel: &'static DeviceKernel,
    place: (&'static str, &'static str),
}

thread_local! {
    /// Whether launches are open, or a device may hold launches back: what is asked often.
    static OPEN: Cell<bool> = const { Cell::new(false) };
    /// The devices that may hold launches of this thread back.
    static HELD_BACK: RefCell<Vec<Arc<dyn Device>>> = const { RefCell::new(Vec::new()) };
    static LIST: RefCell<List> = const { RefCell::new(List(Vec::new())) };
    /// How many scopes under way leave their launches open.
    static BATCHES: Cell<usize> = const { Cell::new(0) };
}

/// The open launches of a thread, device by device.
struct List(Vec<Open>);

impl Drop for List {
    /// The thread ends: what nobody asked about is a warning.
    fn drop(&mut self) {
        warn_of(read(std::mem::take(&mut self.0)));
    }
}

fn warn_of(result: Result<()>) {
    if let Err(error) = result {
        context::warn(error);
    }
}

/// The record for a launch that may fail, and remembers the launch.
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

/// The record for a check of an array, and the number under which it is remembered.
pub(super) fn open_check(device: &Arc<dyn Device>, site: finite::Site) -> Result<(DeviceMemory, i32)> {
    with_record(device, |open| {
        let number = open.checks.iter().position(|other| *other == site).unwrap_or(open.checks.len());
        if number == open.checks.len() {
            open.checks.push(site);
        }
        (open.record.memory().again(), i32::try_from(number).unwrap_or(i32::MAX))
    })
}

/// Gives the open launches of this thread on a device, with a new record where there are none.
fn with_record<R>(device: &Arc<dyn Device>, f: impl FnOnce(&mut Open) -> R) -> Result<R> {
    OPEN.set(true);
    LIST.with_borrow_mut(|List(list)| {
        let known = list.iter().position(|open| open.device.serial() == device.serial());
        let place_in_list = known.unwrap_or(list.len());
        if known.is_none() {
            let record = device.mailboxes().record(&**device, FaultRecord::BYTES)?;
            let device = Arc::clone(device);
            list.push(Open { device, record, kernels: Vec::new(), checks: Vec::new() });
        }
        list.get_mut(place_in_list).map(f).ok_or_else(|| Error::system("no record"))
    })
}

/// Remembers that a launch was submitted.
pub(super) fn submitted(device: &Arc<dyn Device>) {
    HELD_BACK.with_borrow_mut(|held| {
        if held.iter().all(|other| other.serial() != device.serial()) {
            held.push(Arc::clone(device));
        }
    });
    OPEN.set(true);
}

/// Starts what devices hold back: the host is busy with something else for a while.
pub(crate) fn flush() -> Result<()> {
    if !any() {
        return Ok(());
    }
    let held = HELD_BACK.with_borrow_mut(std::mem::take);
    held.iter().try_for_each(|device| device.flush())
}

/// Whether launches of this thread are open.
#[inline]
pub(crate) fn any() -> bool {
    OPEN.get()
}

/// Waits for the launches of this thread that may fail; the first error.
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

/// Waits for each device and reads its record; the error of the device that was used first.
fn read(list: Vec<Open>) -> Result<()> {
    // Also after an error: the other records are to be free.
    let results: Vec<Result<()>> = list.into_iter().map(Open::read).collect();
    results.into_iter().collect()
}

impl Open {
    /// Waits for the device; its error. The record is free afterwards, unless the device failed.
    fn read(self) -> Result<()> {
        self.device.synchronize()?;
        let error = self.error()?;
        self.device.mailboxes().put_record(self.record);
        error.map_or(Ok(()), Err)
    }

    /// The error of the launches, which are done. The record is zero afterwards.
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

/// Runs what Rust code calls as one: its result tells of all its launches. An error of a launch comes before one that
/// arose on the host, since the launch was earlier.
pub(crate) fn scope<R>(f: impl FnOnce() -> Result<R>) -> Result<R> {
    /// Warns of what is open when `f` panics.
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

/// Runs `f`, in which scopes leave their launches open; they are settled at its end.
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
