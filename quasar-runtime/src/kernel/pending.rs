//! Launches that may have failed and that nobody asked about yet.
//!
//! A launch on a device returns before it is done. A kernel that can fail writes a record when it does; the record is
//! read when somebody needs to know: [`settle`] waits for the device and gives the first error in the order of the
//! launches. Each thread has its own list, so that an error arrives where its launch came from.

use super::offload::{DeviceKernel, fault_error};
use crate::context;
use crate::device::{Device, Mailbox};
use crate::error::{Error, Result};
use quasar_devicelib::device_text::FaultRecord;
use std::cell::{Cell, RefCell};
use std::sync::Arc;

/// More launches than this are not left open: their records would take more and more memory.
const MOST: usize = 1024;

/// A launch whose record was not read yet.
struct Open {
    device: Arc<dyn Device>,
    record: Mailbox,
    kernel: &'static DeviceKernel,
    /// What messages call the kernel, and its file.
    place: (&'static str, &'static str),
}

thread_local! {
    /// How many launches are open, and 1 more where a device may hold launches back: what is asked often.
    static COUNT: Cell<usize> = const { Cell::new(0) };
    /// The devices that may hold launches of this thread back.
    static HELD_BACK: RefCell<Vec<Arc<dyn Device>>> = const { RefCell::new(Vec::new()) };
    static LIST: RefCell<List> = const { RefCell::new(List(Vec::new())) };
    /// How many scopes under way leave their launches open.
    static BATCHES: Cell<usize> = const { Cell::new(0) };
}

/// The open launches of a thread.
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

/// Remembers a launch that may fail.
pub(super) fn add(
    device: &Arc<dyn Device>,
    record: Mailbox,
    kernel: &'static DeviceKernel,
    place: (&'static str, &'static str),
) -> Result<()> {
    let open = Open { device: Arc::clone(device), record, kernel, place };
    let count = LIST.with_borrow_mut(|list| {
        list.0.push(open);
        list.0.len()
    });
    COUNT.set(count + 1);
    if count >= MOST { settle() } else { Ok(()) }
}

/// Remembers that a launch was submitted.
pub(super) fn submitted(device: &Arc<dyn Device>) {
    HELD_BACK.with_borrow_mut(|held| {
        if held.iter().all(|other| other.serial() != device.serial()) {
            held.push(Arc::clone(device));
        }
    });
    COUNT.set(COUNT.get().max(1));
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
    COUNT.get() > 0
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
    COUNT.set(0);
    flushed.and(read(LIST.with_borrow_mut(|list| std::mem::take(&mut list.0))))
}

/// Reads the records of launches, in their order.
fn read(list: Vec<Open>) -> Result<()> {
    let mut result = Ok(());
    let mut records = Vec::with_capacity(list.len());
    // One wait for each device, since all launches are submitted.
    let mut done: Vec<(u64, Result<()>)> = Vec::new();
    for open in list {
        let serial = open.device.serial();
        let waited = match done.iter().find(|(device, _)| *device == serial) {
            Some((_, waited)) => waited.clone(),
            None => {
                let waited = open.device.synchronize();
                done.push((serial, waited.clone()));
                waited
            }
        };
        let found = open.read(waited, &mut records);
        result = result.and(found);
    }
    // The last first: launches that come again get the records that they had.
    for (device, record) in records.into_iter().rev() {
        device.mailboxes().put_record(record);
    }
    result
}

impl Open {
    /// The error of a launch that was waited for. Its record is free afterwards, unless its device failed.
    fn read(self, waited: Result<()>, records: &mut Vec<(Arc<dyn Device>, Mailbox)>) -> Result<()> {
        let error = waited.and_then(|()| self.error())?;
        records.push((self.device, self.record));
        error.map_or(Ok(()), Err)
    }

    /// The error of a launch that is done. The record is zero afterwards.
    fn error(&self) -> Result<Option<Error>> {
        let mut state = [0u8; 4];
        self.device.peek(&self.record, &mut state)?;
        if state == [0; 4] {
            return Ok(None);
        }
        let mut bytes = [0u8; FaultRecord::BYTES];
        self.device.peek(&self.record, &mut bytes)?;
        match FaultRecord::from_bytes(&bytes).filter(|record| record.state != 0) {
            Some(record) => {
                self.device.fill(self.record.memory(), 0)?;
                Ok(Some(fault_error(self.kernel, &record, self.place)))
            }
            None => Ok(None),
        }
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
