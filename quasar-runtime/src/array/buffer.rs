//! The elements of an array: copies in several places, of which some are valid.
//!
//! The access lock says who may use the elements; the list of copies outside the host has a lock of its own, under which
//! every transfer happens. So several readers may find the elements elsewhere at the same time, and one of them fetches
//! them for all.

mod cells;
mod elements;
mod intervals;
mod lent;
mod parts;
mod ranks;
mod stored;

pub use cells::CellsGuard;
pub(crate) use intervals::Intervals;
pub(super) use lent::Lent;
pub use parts::PartsGuard;
pub(crate) use ranks::SharedByRanks;
use stored::StoredCopy;
pub use stored::StoredRows;
pub(crate) use stored::StoredWindow;

use super::accesses::{Hold, Stored};
use super::coherence::{Access, CopySet, Place, Transfer, plan_access};
use super::lock::AccessLock;
use super::residency::{self, Resident, Ticket};
use crate::device::{Device, DeviceMemory};
use crate::error::{Error, Place as SourcePlace, Result};
use crate::kernel::{deferred_errors, offload};
use crate::memory::{Block, Contents};
use quasar_devicelib::element::Element;
use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The copy in host memory.
pub(super) enum HostCopy<T> {
    /// Memory from the pool.
    Pooled(Block<T>),
    /// A vector that was moved in.
    Adopted(Vec<T>),
    /// Memory of other code.
    Lent(Lent<T>),
}

impl<T: Element> HostCopy<T> {
    /// Memory for `count` elements.
    pub(super) fn allocate(count: usize, contents: Contents) -> Option<HostCopy<T>> {
        Block::allocate(count, contents).map(HostCopy::Pooled)
    }

    pub(super) fn as_slice(&self) -> &[T] {
        match self {
            HostCopy::Pooled(block) => block.as_slice(),
            HostCopy::Adopted(elements) => elements,
            HostCopy::Lent(lent) => lent.as_slice(),
        }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        match self {
            HostCopy::Pooled(block) => block.as_mut_slice(),
            HostCopy::Adopted(elements) => elements,
            HostCopy::Lent(lent) => lent.as_mut_slice(),
        }
    }

    /// The address of the elements and their number, without a reference to them.
    fn raw_elements(&mut self) -> (*mut T, usize) {
        match self {
            HostCopy::Pooled(block) => block.raw_elements(),
            HostCopy::Adopted(elements) => (elements.as_mut_ptr(), elements.len()),
            HostCopy::Lent(lent) => lent.raw_elements(),
        }
    }
}

/// A copy outside host memory.
struct RemoteCopy {
    place: Place,
    device: Arc<dyn Device>,
    memory: DeviceMemory,
    /// The bytes that are valid although the copy as a whole is not.
    parts: Intervals,
    /// The bytes that another device may still be copying.
    lent: Intervals,
    /// What frees the memory, if that is not the device.
    owner: Option<Box<dyn Any + Send + Sync>>,
    /// Memory of others makes no room.
    _ticket: Option<Ticket>,
}

impl Drop for RemoteCopy {
    fn drop(&mut self) {
        match self.owner.take() {
            // SAFETY: the copy is gone, and whoever has its memory besides holds the buffer, which has the copy.
            None => unsafe { self.device.release(&self.memory) },
            Some(owner) => {
                // A lost device does not use the memory any more either.
                let _ = self.device.reclaim(&self.memory).and_then(|()| self.device.synchronize());
                drop(owner);
            }
        }
    }
}

/// The elements that all handles of one array share.
pub(super) struct Buffer<T> {
    lock: AccessLock,
    /// Which copies are valid, and what a buffer without copies contains. Read at any time, changed with `remote`
    /// locked.
    valid: AtomicU64,
    /// When a device used it last.
    last_use: AtomicU64,
    /// How many single elements were copied since a device wrote it last.
    alone: AtomicU32,
    count: usize,
    /// The copy in host memory, once there is one. While it is valid, shared access allows `&` and exclusive access
    /// `&mut`; while it is not, whoever has any access and `remote` locked may change it.
    host: UnsafeCell<Option<HostCopy<T>>>,
    remote: Mutex<Vec<RemoteCopy>>,
    /// Where the ranks of a cluster share the elements: the bytes that are valid on each. Means something with [`RANKS`] only.
    ranks: Mutex<ranks::RankParts>,
    /// The copy outside of memory, if the array is a stored one.
    store: Option<Box<StoredCopy>>,
}

/// A buffer that nobody has written yet contains zeros..
const FRESH_ZEROS: u64 = 1 << 62;
/// .. or anything.
const FRESH_ANY: u64 = 1 << 63;
/// Parts of some copies are valid, whether a copy as a whole is or not.
const PARTS: u64 = 1 << 61;
/// The ranks of a cluster share the elements: each has some bytes in its copy on the host.
const RANKS: u64 = 1 << 60;

fn valid_copies(state: u64) -> CopySet {
    CopySet::from_bits(state & !(FRESH_ZEROS | FRESH_ANY | PARTS | RANKS))
}

// SAFETY: `host` is reached as its documentation says, under locks that give shared or exclusive access; the elements,
// the devices and their memory may be used from any thread.
unsafe impl<T: Send + Sync> Sync for Buffer<T> {}
// SAFETY: everything inside may move between threads (`Device` requires it).
unsafe impl<T: Send + Sync> Send for Buffer<T> {}

fn missing() -> Error {
    Error::system("a copy of an array is valid that does not exist")
}

impl<T: Element> Buffer<T> {
    /// With elements on the host.
    pub(super) fn new(host: HostCopy<T>) -> Buffer<T> {
        let count = host.as_slice().len();
        Buffer::with(Some(host), CopySet::only(Place::Host).bits(), count)
    }

    /// With elements that nobody has written: memory is taken where they are used first.
    pub(super) fn fresh(count: usize, contents: Contents) -> Buffer<T> {
        let state = match contents {
            Contents::Zeros => FRESH_ZEROS,
            Contents::Any => FRESH_ANY,
        };
        Buffer::with(None, state, count)
    }

    /// With elements in memory of a device that something else frees.
    pub(super) fn adopted(
        count: usize,
        device: &Arc<dyn Device>,
        memory: DeviceMemory,
        owner: Box<dyn Any + Send + Sync>,
    ) -> Buffer<T> {
        let place = device.place();
        let buffer = Buffer::with(None, CopySet::only(place).bits(), count);
        let (device, owner) = (Arc::clone(device), Some(owner));
        buffer.remote().push(RemoteCopy {
            place,
            device,
            memory,
            parts: Intervals::EMPTY,
            lent: Intervals::EMPTY,
            owner,
            _ticket: None,
        });
        buffer
    }

    fn with(host: Option<HostCopy<T>>, state: u64, count: usize) -> Buffer<T> {
        Buffer {
            lock: AccessLock::default(),
            valid: AtomicU64::new(state),
            last_use: AtomicU64::new(0),
            alone: AtomicU32::new(0),
            count,
            host: UnsafeCell::new(host),
            remote: Mutex::default(),
            ranks: Mutex::default(),
            store: None,
        }
    }

    pub(super) fn valid(&self) -> CopySet {
        valid_copies(self.valid.load(Ordering::Acquire))
    }

    /// What the buffer contains if nobody has written it.
    fn contents(&self) -> Option<Contents> {
        match self.valid.load(Ordering::Acquire) {
            FRESH_ZEROS => Some(Contents::Zeros),
            FRESH_ANY => Some(Contents::Any),
            _ => None,
        }
    }

    /// Notes which copies are valid, where elements have changed.
    fn set_valid(&self, remote: &mut [RemoteCopy], valid: CopySet) {
        remote.iter_mut().for_each(|copy| copy.parts = Intervals::EMPTY);
        self.valid.store(valid.bits(), Ordering::Release);
    }

    fn remote(&self) -> MutexGuard<'_, Vec<RemoteCopy>> {
        self.remote.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The elements as the program sees them, read on the host.
    #[inline]
    pub(super) fn share(&self) -> Result<SharedAccess<'_, T>> {
        self.share_held(Hold::new(&self.lock, Access::Read)?)
    }

    /// As [`Buffer::share`], for an access that has begun.
    pub(super) fn share_held<'a>(&'a self, hold: Hold<'a>) -> Result<SharedAccess<'a, T>> {
        hold.check(&self.lock, Access::Read)?;
        let source = hold.copy().unwrap_or(self);
        if !source.valid().contains(Place::Host) {
            source.fetch(Access::Read)?;
        }
        Ok(SharedAccess { buffer: self, hold })
    }

    /// The elements to be changed on the host.
    #[inline]
    pub(super) fn exclude(&self, access: Access) -> Result<ExclusiveAccess<'_, T>> {
        self.exclude_held(Hold::new(&self.lock, access)?, access)
    }

    /// As [`Buffer::exclude`], for an access that has begun.
    pub(super) fn exclude_held<'a>(
        &'a self,
        hold: Hold<'a>,
        access: Access,
    ) -> Result<ExclusiveAccess<'a, T>> {
        hold.check(&self.lock, access)?;
        self.check_changeable(access)?;
        // After a launch that failed, nothing is written.
        deferred_errors::settle()?;
        if self.valid.load(Ordering::Acquire) != CopySet::only(Place::Host).bits() {
            self.fetch(access)?;
        }
        Ok(ExclusiveAccess { buffer: self, _hold: hold })
    }

    /// Makes the copy on the host valid, for an access whose lock is held.
    fn fetch(&self, access: Access) -> Result<()> {
        // What a failed launch left is not to be seen.
        deferred_errors::settle()?;
        let mut remote = self.remote();
        self.collect(&mut remote, access)?;
        self.drop_lost(&mut remote);
        let valid = self.valid();
        if access == Access::Read && valid.contains(Place::Host) {
            return Ok(());
        }
        self.check_not_lost(access)?;
        if self.is_divided() && access != Access::Overwrite {
            self.gather(&mut remote)?;
        }
        let valid = self.valid();
        let (transfer, after) = plan_access(valid, Place::Host, access, CopySet::EMPTY);
        if !valid.contains(Place::Host) {
            // SAFETY: the copy is not valid, an access is held and `remote` is locked.
            let host = unsafe { &mut *self.host.get() };
            let contents = self.contents().filter(|_| access != Access::Overwrite).unwrap_or(Contents::Any);
            self.download(&remote, transfer.map(|transfer| transfer.from), contents, host)?;
        }
        self.conclude(&mut remote, access, after);
        Ok(())
    }

    /// Fills the copy on the host from another place, or with what a buffer contains that nobody has written.
    fn download(
        &self,
        remote: &[RemoteCopy],
        from: Option<Place>,
        contents: Contents,
        host: &mut Option<HostCopy<T>>,
    ) -> Result<()> {
        if host.is_none() {
            *host = self.host_memory(contents)?;
        }
        let host = host.as_mut().ok_or_else(|| Error::out_of_memory(Some(self.bytes()), &[]))?;
        if from == Some(Place::Store) {
            return self.read_store(bytes_mut(host.as_mut_slice()));
        }
        if let Some(from) = from {
            let copy = remote.iter().find(|copy| copy.place == from).ok_or_else(missing)?;
            copy.device.download(&copy.memory, bytes_mut(host.as_mut_slice()))?;
        }
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.count * size_of::<T>()
    }

    /// Makes the elements available in the linear memory of a device, until the guard is dropped. The access has begun.
    pub(super) fn on_device<'a>(
        self: &'a Arc<Self>,
        device: &Arc<dyn Device>,
        access: Access,
        hold: Hold<'a>,
    ) -> Result<DeviceGuard<'a>> {
        hold.check(&self.lock, access)?;
        self.check_changeable(access)?;
        if device.place() == Place::Host {
            return Err(Error::argument("the host is not a device with memory of its own"));
        }
        match hold.owned_copy::<Buffer<T>>() {
            Some(copy) => copy.on_device_begun(device, access, hold),
            None => self.on_device_begun(device, access, hold),
        }
    }

    /// As [`Buffer::on_device`], where `hold` is an access to this buffer.
    fn on_device_begun<'a>(
        self: &Arc<Self>,
        device: &Arc<dyn Device>,
        access: Access,
        hold: Hold<'a>,
    ) -> Result<DeviceGuard<'a>> {
        self.last_use.store(residency::now(), Ordering::Relaxed);
        if access != Access::Read {
            self.alone.store(0, Ordering::Relaxed);
        }
        let mut remote = self.remote();
        self.collect(&mut remote, access)?;
        self.drop_lost(&mut remote);
        self.check_not_lost(access)?;
        let comes = access != Access::Overwrite && self.valid().contains(Place::Host);
        let memory = self.remote_memory(&mut remote, device, comes)?;
        if access != Access::Overwrite {
            self.complete(&mut remote, device, &memory)?;
        }
        let after = self.bring(&mut remote, device, &memory, access)?;
        self.conclude(&mut remote, access, after);
        drop(remote);
        Ok(DeviceGuard { memory, _hold: hold, not_send: PhantomData })
    }

    /// The memory on a device, reserved when there is none; whether the elements come from the host then.
    fn remote_memory(
        self: &Arc<Self>,
        remote: &mut Vec<RemoteCopy>,
        device: &Arc<dyn Device>,
        from_host: bool,
    ) -> Result<DeviceMemory> {
        let place = device.place();
        match remote.iter().find(|copy| copy.place == place) {
            Some(copy) if copy.device.serial() == device.serial() => return Ok(copy.memory.again()),
            Some(_) => {
                return Err(Error::system(format!(
                    "the array is on another device with the place {place:?}"
                )));
            }
            None => {}
        }
        let allocate = if from_host { <dyn Device>::allocate_idle } else { <dyn Device>::allocate };
        let memory = residency::reserve(&**device, self.bytes(), allocate)?;
        let resident: Weak<dyn Resident> = Arc::downgrade(&(Arc::clone(self) as Arc<dyn Resident>));
        let ticket = Ticket::new(device.serial(), memory.bytes(), resident);
        remote.push(RemoteCopy {
            place,
            device: Arc::clone(device),
            memory: memory.again(),
            parts: Intervals::EMPTY,
            lent: Intervals::EMPTY,
            owner: None,
            _ticket: Some(ticket),
        });
        Ok(memory)
    }

    /// Makes the copy on a device valid. Says which copies are valid after the access.
    fn bring(
        &self,
        remote: &mut [RemoteCopy],
        device: &Arc<dyn Device>,
        memory: &DeviceMemory,
        access: Access,
    ) -> Result<CopySet> {
        let (valid, place) = (self.valid(), device.place());
        let (transfer, after) = plan_access(valid, place, access, self.near(remote, device));
        let changes = access != Access::Read || transfer.is_some();
        if let Some(own) = remote.iter_mut().find(|copy| copy.place == place && changes) {
            own.take_back(&self.whole())?;
        }
        if self.contents() == Some(Contents::Zeros) && access != Access::Overwrite {
            device.fill(memory, 0)?;
        }
        let Some(Transfer { from, through_host, .. }) = transfer else { return Ok(after) };
        if from != Place::Host && !through_host {
            let source = remote.iter_mut().find(|copy| copy.place == from).ok_or_else(missing)?;
            device.receive(&*source.device, &source.memory, memory)?;
            source.lent = self.whole();
            return Ok(after);
        }
        if through_host {
            // SAFETY: the copy is not valid, an access is held and `remote` is locked.
            let host = unsafe { &mut *self.host.get() };
            self.download(remote, Some(from), Contents::Any, host)?;
        }
        // SAFETY: an access is held, so nobody has `&mut` to the copy; if it is not valid, `remote` is locked.
        let host = unsafe { &*self.host.get() };
        let elements = host.as_ref().ok_or_else(missing)?.as_slice();
        // Other devices work meanwhile.
        deferred_errors::flush()?;
        device.upload(bytes(elements), memory)?;
        Ok(after)
    }

    /// From where copies come to a device without passing the host, and not later than from there: a device lends its
    /// memory after what it has to do before.
    fn near(&self, remote: &[RemoteCopy], device: &Arc<dyn Device>) -> CopySet {
        let valid = self.valid();
        if valid.contains(device.place()) {
            return CopySet::EMPTY;
        }
        let patience =
            if valid.contains(Place::Host) { offload::transfer_time(self.bytes()) } else { u64::MAX };
        remote
            .iter()
            .filter(|copy| valid.contains(copy.place) && copy.device.counters().busy() <= patience)
            .filter(|copy| device.reaches(&*copy.device))
            .fold(CopySet::EMPTY, |near, copy| near.with(copy.place))
    }

    /// A buffer with the same elements, for a thread that has an access to them: where these are, if there is room.
    pub(super) fn copy(&self) -> Result<Arc<Buffer<T>>> {
        if !self.valid().contains(Place::Host)
            && let Some(copy) = self.copy_elsewhere()?
        {
            return Ok(copy);
        }
        if !self.valid().contains(Place::Host) {
            self.fetch(Access::Read)?;
        }
        let mut host = HostCopy::allocate(self.count, Contents::Any)
            .ok_or_else(|| Error::out_of_memory(Some(self.bytes()), &[]))?;
        // SAFETY: an access is held and the copy is valid; who has an exclusive one has no reference to it meanwhile, since he is
        // here.
        let elements = unsafe { (*self.host.get()).as_ref() }.map_or(&[][..], HostCopy::as_slice);
        host.as_mut_slice().copy_from_slice(elements);
        Ok(Arc::new(Buffer::new(host)))
    }

    /// As [`Buffer::copy`], where the elements are not on the host and a device has room.
    fn copy_elsewhere(&self) -> Result<Option<Arc<Buffer<T>>>> {
        let mut remote = self.remote();
        self.collect(&mut remote, Access::Read)?;
        self.drop_lost(&mut remote);
        self.check_not_lost(Access::Read)?;
        if let Some(contents) = self.contents() {
            return Ok(Some(Arc::new(Buffer::fresh(self.count, contents))));
        }
        if self.is_divided() {
            self.gather(&mut remote)?;
        }
        let valid = self.valid();
        let Some(source) = remote.iter().find(|copy| valid.contains(copy.place)) else { return Ok(None) };
        if valid.contains(Place::Host) {
            return Ok(None);
        }
        let copy = Arc::new(Buffer::fresh(self.count, Contents::Any));
        let mut copies = copy.remote();
        let memory = match copy.remote_memory(&mut copies, &source.device, false) {
            Err(Error::OutOfDeviceMemory { .. }) => return Ok(None),
            other => other?,
        };
        source.device.copy(&source.memory, &memory)?;
        copy.set_valid(&mut copies, CopySet::only(source.place));
        drop(copies);
        Ok(Some(copy))
    }

    /// Forgets what lost devices held.
    fn drop_lost(&self, remote: &mut Vec<RemoteCopy>) {
        if remote.iter().any(|copy| copy.device.is_lost()) {
            let lost = remote.iter().filter(|copy| copy.device.is_lost());
            let valid = lost.fold(self.valid(), |valid, copy| valid.without(copy.place));
            remote.retain(|copy| !copy.device.is_lost());
            if self.contents().is_none() {
                self.conclude(remote, Access::Read, valid);
            }
        }
    }

    /// A buffer always starts with a valid copy or as fresh, so one without has lost it with a device.
    fn check_not_lost(&self, access: Access) -> Result<()> {
        if self.valid.load(Ordering::Acquire) == 0 && access != Access::Overwrite {
            return Err(Error::Lost { place: SourcePlace::UNKNOWN, dims: Vec::new() });
        }
        Ok(())
    }

    /// Forgets a copy, which its device lost.
    pub(super) fn invalidate(&self, place: Place) -> Result<()> {
        let _hold = Hold::new(&self.lock, Access::Write)?;
        let mut remote = self.remote();
        let own = remote.iter_mut().filter(|copy| copy.place == place);
        own.for_each(|copy| copy.parts = Intervals::EMPTY);
        if self.contents().is_none() {
            self.conclude(&mut remote, Access::Read, self.valid().without(place));
        }
        drop(remote);
        Ok(())
    }

    /// The vector that was moved in, if it still is the storage.
    pub(super) fn into_adopted(self) -> std::result::Result<Vec<T>, Box<Buffer<T>>> {
        let adopted = self.valid().contains(Place::Host) && self.store.is_none();
        let Buffer { lock, valid, last_use, alone, count, host, remote, ranks, store } = self;
        match host.into_inner() {
            Some(HostCopy::Adopted(elements)) if adopted => Ok(elements),
            host => {
                let host = UnsafeCell::new(host);
                Err(Box::new(Buffer { lock, valid, last_use, alone, count, host, remote, ranks, store }))
            }
        }
    }
}

impl<T: Element> Stored for Buffer<T> {
    fn lock(&self) -> &AccessLock {
        &self.lock
    }

    fn duplicate(&self) -> Result<Arc<dyn Stored>> {
        Ok(self.copy()?)
    }
}

impl<T: Element> Resident for Buffer<T> {
    fn last_use(&self) -> u64 {
        self.last_use.load(Ordering::Relaxed)
    }

    fn evict(&self, device: u64) -> Result<Option<usize>> {
        let Some(_hold) = Hold::try_exclusive(&self.lock) else { return Ok(None) };
        let mut remote = self.remote();
        self.drop_lost(&mut remote);
        let found = remote.iter().enumerate().find(|(_, copy)| copy.device.serial() == device);
        let Some((position, place)) = found.map(|(k, copy)| (k, copy.place)) else { return Ok(None) };
        if self.is_divided() {
            self.gather(&mut remote)?;
        }
        let mut valid = self.valid().without(place);
        if self.valid() == CopySet::only(place) {
            // SAFETY: the access is exclusive.
            let host = unsafe { &mut *self.host.get() };
            self.download(&remote, Some(place), Contents::Any, host)?;
            valid = CopySet::only(Place::Host);
        }
        let copy = remote.swap_remove(position);
        if self.contents().is_none() {
            self.conclude(&mut remote, Access::Read, valid);
        }
        Ok(Some(copy.memory.bytes()))
    }
}

/// The elements of an array in the memory of a device. Until it is dropped, other threads wait with accesses that
/// exclude this one, and the memory stays where it is: keep it until the work that uses the memory is submitted.
pub struct DeviceGuard<'a> {
    memory: DeviceMemory,
    _hold: Hold<'a>,
    /// The thread that began the access ends it.
    not_send: PhantomData<MutexGuard<'static, ()>>,
}

impl Deref for DeviceGuard<'_> {
    type Target = DeviceMemory;

    fn deref(&self) -> &DeviceMemory {
        &self.memory
    }
}

impl fmt::Debug for DeviceGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.memory.fmt(f)
    }
}

/// Shared access to a buffer, valid on the host.
pub(super) struct SharedAccess<'a, T> {
    buffer: &'a Buffer<T>,
    hold: Hold<'a>,
}

impl<'a, T: Element> SharedAccess<'a, T> {
    pub(super) fn slice(&self) -> &[T] {
        let source = self.hold.copy().unwrap_or(self.buffer);
        // SAFETY: the lock of `source` is held for shared access and the copy is valid, so nobody has `&mut` to it.
        unsafe { (*source.host.get()).as_ref() }.map_or(&[], HostCopy::as_slice)
    }
}

/// Exclusive access to a buffer, valid on the host.
pub(super) struct ExclusiveAccess<'a, T> {
    buffer: &'a Buffer<T>,
    _hold: Hold<'a>,
}

impl<T: Element> ExclusiveAccess<'_, T> {
    pub(super) fn slice(&self) -> &[T] {
        // SAFETY: the lock is held for exclusive access by this guard, which is borrowed.
        unsafe { (*self.buffer.host.get()).as_ref() }.map_or(&[], HostCopy::as_slice)
    }

    pub(super) fn slice_mut(&mut self) -> &mut [T] {
        // SAFETY: the lock is held for exclusive access by this guard, which is exclusively borrowed.
        unsafe { (*self.buffer.host.get()).as_mut() }.map_or(&mut [], HostCopy::as_mut_slice)
    }
}

/// The bytes of elements.
pub(super) fn bytes<T: Element>(elements: &[T]) -> &[u8] {
    // SAFETY: element types have no padding (`Element`), so all their bytes are initialised; `u8` has no alignment.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), size_of_val(elements)) }
}

fn bytes_mut<T: Element>(elements: &mut [T]) -> &mut [u8] {
    // SAFETY: as in `bytes`; moreover any bytes are values of an element type.
    unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast(), size_of_val(elements)) }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let valid = valid_copies(self.valid.load(Ordering::Acquire));
        f.debug_struct("Buffer").field("valid", &valid).finish_non_exhaustive()
    }
}
