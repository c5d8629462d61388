//! The elements of an array: copies in several places, of which some are valid.

use super::coherence::{Access, CopySet, Place, Transfer, plan_access};
use super::lock::AccessLock;
use crate::device::{Device, DeviceMemory};
use crate::error::{Error, Place as SourcePlace, Result};
use crate::memory::{Block, Contents, is_plain};
use quasar_devicelib::element::Element;
use std::cell::UnsafeCell;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The copy in host memory.
pub(super) enum HostCopy<T> {
    /// Memory from the pool.
    Pooled(Block<T>),
    /// A vector that was moved in.
    Adopted(Vec<T>),
}

impl<T: Element> HostCopy<T> {
    /// Memory for `count` elements.
    pub(super) fn allocate(count: usize, contents: Contents) -> Option<HostCopy<T>> {
        if is_plain::<T>() {
            return Block::allocate(count, contents).map(HostCopy::Pooled);
        }
        let mut elements = Vec::new();
        elements.try_reserve_exact(count).ok()?;
        elements.resize(count, T::default());
        Some(HostCopy::Adopted(elements))
    }

    pub(super) fn as_slice(&self) -> &[T] {
        match self {
            HostCopy::Pooled(block) => block.as_slice(),
            HostCopy::Adopted(elements) => elements,
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        match self {
            HostCopy::Pooled(block) => block.as_mut_slice(),
            HostCopy::Adopted(elements) => elements,
        }
    }
}

/// A copy outside host memory.
struct RemoteCopy {
    place: Place,
    device: Arc<dyn Device>,
    memory: DeviceMemory,
}

impl Drop for RemoteCopy {
    fn drop(&mut self) {
        self.device.release(&self.memory);
    }
}

/// The elements that all handles of one array share.
pub(super) struct Buffer<T> {
    lock: AccessLock,
    /// Changed under exclusive access only; read without any to see whether one is needed.
    valid: AtomicU64,
    /// Shared access allows `&`, exclusive access `&mut`.
    copies: UnsafeCell<Copies<T>>,
}

struct Copies<T> {
    host: HostCopy<T>,
    remote: Vec<RemoteCopy>,
}

// SAFETY: `copies` is reached through `lock` only, which gives either shared or exclusive access; the elements, the
// devices and their memory may be used from any thread.
unsafe impl<T: Send + Sync> Sync for Buffer<T> {}
// SAFETY: everything inside may move between threads (`Device` requires it).
unsafe impl<T: Send + Sync> Send for Buffer<T> {}

/// Why an access was refused.
pub(super) const BORROWED: &str = "this thread already uses the array in a way that excludes the access: \
     drop the guard returned by `read` or `write` first";

fn borrowed() -> Error {
    Error::Argument { place: SourcePlace::UNKNOWN, message: BORROWED.into() }
}

impl<T: Element> Buffer<T> {
    pub(super) fn new(host: HostCopy<T>) -> Buffer<T> {
        Buffer {
            lock: AccessLock::default(),
            valid: AtomicU64::new(CopySet::only(Place::Host).bits()),
            copies: UnsafeCell::new(Copies { host, remote: Vec::new() }),
        }
    }

    pub(super) fn valid(&self) -> CopySet {
        CopySet::from_bits(self.valid.load(Ordering::Acquire))
    }

    /// The elements as the program sees them, read on the host.
    pub(super) fn share(&self) -> Result<SharedAccess<'_, T>> {
        self.lock.share().map_err(|_| borrowed())?;
        let access = SharedAccess { buffer: self };
        if self.valid().contains(Place::Host) {
            return Ok(access);
        }
        drop(access);
        let exclusive = self.exclude(Access::Read)?;
        std::mem::forget(exclusive);
        self.lock.downgrade();
        Ok(SharedAccess { buffer: self })
    }

    /// The elements to be changed on the host.
    pub(super) fn exclude(&self, access: Access) -> Result<ExclusiveAccess<'_, T>> {
        self.lock.exclude().map_err(|_| borrowed())?;
        let mut guard = ExclusiveAccess { buffer: self };
        self.check_not_lost(access)?;
        let (transfer, after) = plan_access(self.valid(), Place::Host, access);
        if let Some(transfer) = transfer {
            guard.perform(transfer)?;
        }
        self.valid.store(after.bits(), Ordering::Release);
        Ok(guard)
    }

    /// Makes the elements available in the linear memory of a device and returns that memory.
    pub(super) fn on_device(&self, device: &Arc<dyn Device>, access: Access) -> Result<DeviceMemory> {
        if device.place() == Place::Host {
            return Err(Error::argument("the host is not a device with memory of its own"));
        }
        self.lock.exclude().map_err(|_| borrowed())?;
        let mut guard = ExclusiveAccess { buffer: self };
        self.check_not_lost(access)?;
        let memory = guard.remote_memory(device)?;
        let (transfer, after) = plan_access(self.valid(), device.place(), access);
        let mut through_host = false;
        if let Some(transfer) = transfer {
            through_host = guard.perform(transfer)?;
        }
        let after = if through_host && access == Access::Read { after.with(Place::Host) } else { after };
        self.valid.store(after.bits(), Ordering::Release);
        Ok(memory)
    }

    /// A buffer always starts with a valid copy, so one without has lost it with a device.
    fn check_not_lost(&self, access: Access) -> Result<()> {
        if self.valid().is_empty() && access != Access::Overwrite {
            return Err(Error::Lost { place: SourcePlace::UNKNOWN, dims: Vec::new() });
        }
        Ok(())
    }

    /// Forgets a copy, which its device lost.
    pub(super) fn invalidate(&self, place: Place) -> Result<()> {
        self.lock.exclude().map_err(|_| borrowed())?;
        let guard = ExclusiveAccess { buffer: self };
        self.valid.store(self.valid().without(place).bits(), Ordering::Release);
        drop(guard);
        Ok(())
    }

    /// The vector that was moved in, if it still is the storage.
    pub(super) fn into_adopted(self) -> std::result::Result<Vec<T>, Buffer<T>> {
        if !self.valid().contains(Place::Host) {
            return Err(self);
        }
        let Buffer { lock, valid, copies } = self;
        let Copies { host, remote } = copies.into_inner();
        match host {
            HostCopy::Adopted(elements) => Ok(elements),
            HostCopy::Pooled(_) => {
                Err(Buffer { lock, valid, copies: UnsafeCell::new(Copies { host, remote }) })
            }
        }
    }
}

/// Shared access to a buffer, valid on the host.
pub(super) struct SharedAccess<'a, T> {
    buffer: &'a Buffer<T>,
}

impl<'a, T: Element> SharedAccess<'a, T> {
    pub(super) fn slice(&self) -> &[T] {
        // SAFETY: the lock is held for shared access, so nobody has `&mut` to the copies.
        unsafe { (*self.buffer.copies.get()).host.as_slice() }
    }
}

impl<T> Drop for SharedAccess<'_, T> {
    fn drop(&mut self) {
        self.buffer.lock.end_share();
    }
}

/// Exclusive access to a buffer.
pub(super) struct ExclusiveAccess<'a, T> {
    buffer: &'a Buffer<T>,
}

impl<T> Drop for ExclusiveAccess<'_, T> {
    fn drop(&mut self) {
        self.buffer.lock.end_exclude();
    }
}

impl<T: Element> ExclusiveAccess<'_, T> {
    pub(super) fn slice(&self) -> &[T] {
        // SAFETY: the lock is held for exclusive access by this guard, which is borrowed.
        unsafe { (*self.buffer.copies.get()).host.as_slice() }
    }

    pub(super) fn slice_mut(&mut self) -> &mut [T] {
        self.copies().host.as_mut_slice()
    }

    fn copies(&mut self) -> &mut Copies<T> {
        // SAFETY: the lock is held for exclusive access by this guard, which is exclusively borrowed.
        unsafe { &mut *self.buffer.copies.get() }
    }

    fn remote_memory(&mut self, device: &Arc<dyn Device>) -> Result<DeviceMemory> {
        let copies = self.copies();
        if let Some(copy) = copies.remote.iter().find(|copy| copy.place == device.place()) {
            return Ok(copy.memory.clone());
        }
        let memory = device.allocate(size_of_val(copies.host.as_slice()))?;
        copies.remote.push(RemoteCopy {
            place: device.place(),
            device: Arc::clone(device),
            memory: memory.clone(),
        });
        Ok(memory)
    }

    /// Copies the bytes, through the host where two devices are concerned. Says whether the host copy became equal
    /// to the others.
    fn perform(&mut self, transfer: Transfer) -> Result<bool> {
        let Copies { host, remote } = self.copies();
        let missing = || Error::system("a copy of an array is valid that does not exist");
        let find = |place| remote.iter().find(|copy: &&RemoteCopy| copy.place == place).ok_or_else(missing);
        let through_host = transfer.from != Place::Host;
        if through_host {
            let copy = find(transfer.from)?;
            copy.device.download(&copy.memory, bytes_mut(host.as_mut_slice()))?;
        }
        if transfer.to != Place::Host {
            let copy = find(transfer.to)?;
            copy.device.upload(bytes(host.as_slice()), &copy.memory)?;
        }
        Ok(through_host)
    }
}

/// The bytes of elements; nothing for types that are not plain, which no device stores.
fn bytes<T: Element>(elements: &[T]) -> &[u8] {
    if !is_plain::<T>() {
        return &[];
    }
    // SAFETY: plain element types have no padding, so all their bytes are initialised; `u8` has no alignment.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

fn bytes_mut<T: Element>(elements: &mut [T]) -> &mut [u8] {
    if !is_plain::<T>() {
        return &mut [];
    }
    // SAFETY: as in `bytes`; moreover any bytes are values of a plain element type.
    unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let valid = CopySet::from_bits(self.valid.load(Ordering::Acquire));
        f.debug_struct("Buffer").field("valid", &valid).finish_non_exhaustive()
    }
}
