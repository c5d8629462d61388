//! Host memory of other code, which a buffer has for the time of a call, and host memory that a buffer gives away.

use super::super::coherence::{Access, CopySet, Place};
use super::{Buffer, Hold, HostCopy, Ordering};
use crate::error::{Error, Result};
use crate::kernel::deferred_errors;
use crate::memory::Contents;
use quasar_devicelib::element::Element;
use std::ptr::NonNull;

/// Elements in memory of other code.
pub(in crate::array) struct Lent<T> {
    start: NonNull<T>,
    count: usize,
    /// What is said to whoever wants to change them, if nobody may.
    refusal: Option<String>,
}

// SAFETY: it stands for a `&mut [T]`, as `Lent::new` requires.
unsafe impl<T: Send> Send for Lent<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Lent<T> {}

impl<T: Element> Lent<T> {
    /// Elements that nothing else uses until this is dropped; those of a frozen array may be read by others.
    ///
    /// # Safety
    /// There are `count` elements at `start`, an aligned address, until this is dropped. Other code does not change them meanwhile,
    /// and reads them only if this is frozen before it is used.
    pub(in crate::array) unsafe fn new(start: NonNull<T>, count: usize) -> Lent<T> {
        Lent { start, count, refusal: None }
    }

    pub(super) fn as_slice(&self) -> &[T] {
        // SAFETY: as `Lent::new` requires; whoever has a reference to this has one to the elements (argument C).
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }

    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        let (start, count) = self.raw_elements();
        // SAFETY: as `Lent::new` requires; this is borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(start, count) }
    }

    pub(super) fn raw_elements(&mut self) -> (*mut T, usize) {
        match self.refusal {
            None => (self.start.as_ptr(), self.count),
            // Every access asks `check_changeable` first.
            Some(_) => (NonNull::dangling().as_ptr(), 0),
        }
    }
}

impl<T: Element> Buffer<T> {
    /// Refuses all changes from now on.
    pub(in crate::array) fn freeze(&self, refusal: String) -> Result<()> {
        let _hold = Hold::new(&self.lock, Access::Write)?;
        // SAFETY: the access is exclusive.
        if let Some(HostCopy::Lent(lent)) = unsafe { (*self.host.get()).as_mut() } {
            lent.refusal = Some(refusal);
        }
        Ok(())
    }

    /// Refuses a change of what may only be read, for an access that has begun.
    #[inline]
    pub(super) fn check_changeable(&self, access: Access) -> Result<()> {
        if access == Access::Read {
            return Ok(());
        }
        self.check_store_changeable()?;
        if !self.valid().contains(Place::Host) {
            return Ok(());
        }
        // SAFETY: the copy is valid and an access is held, so that nobody replaces it.
        match unsafe { (*self.host.get()).as_ref() } {
            Some(HostCopy::Lent(Lent { refusal: Some(refusal), .. })) => {
                Err(Error::argument(refusal.clone()))
            }
            _ => Ok(()),
        }
    }

    /// Ends the time for which memory was lent: the elements are there, and the buffer uses it no more. If the array is
    /// kept by somebody, that is a copy from now on.
    pub(in crate::array) fn end_lent(&self, kept: bool) -> Result<()> {
        let hold = Hold::new(&self.lock, Access::Write)?;
        // Unless a device changed them, the elements are there.
        let fetched = match self.valid().contains(Place::Host) {
            true => Ok(()),
            false => self.fetch(Access::Read),
        };
        let mut remote = self.remote();
        // SAFETY: the access is exclusive and `remote` is locked.
        let host = unsafe { &mut *self.host.get() };
        let Some(HostCopy::Lent(lent)) = host else { return Ok(()) };
        let mut own = None;
        if kept && self.valid().contains(Place::Host) {
            own = HostCopy::allocate(self.count, Contents::Any);
            if let Some(own) = &mut own {
                own.as_mut_slice().copy_from_slice(lent.as_slice());
            }
        }
        let valid = self.valid();
        if own.is_none() && valid.contains(Place::Host) {
            // Without a copy on the host, devices may still have one. Otherwise the array is lost, for whoever finds it.
            self.set_valid(&mut remote, valid.without(Place::Host));
        }
        *host = own;
        drop((remote, hold));
        fetched
    }

    /// The elements in host memory, alone, with exclusive ownership of the buffer.
    pub(in crate::array) fn into_host(self) -> Result<HostCopy<T>> {
        {
            let _hold = Hold::new(&self.lock, Access::Write)?;
            deferred_errors::settle()?;
            if self.valid.load(Ordering::Acquire) != CopySet::only(Place::Host).bits() {
                self.fetch(Access::Write)?;
            }
        }
        self.host.into_inner().ok_or_else(super::missing)
    }
}
