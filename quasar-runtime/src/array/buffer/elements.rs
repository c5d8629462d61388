//! Single elements of a buffer whose elements are on a device. `y[0,0] = 1` between two launches moves four bytes and not the
//! whole array, as long as all such copies together cost less than to move the array once.

use super::super::accesses::Hold;
use super::super::coherence::{Access, CopySet, Place};
use super::{Buffer, Intervals, RemoteCopy, bytes, bytes_mut};
use crate::error::Result;
use crate::kernel::deferred_errors;
use quasar_devicelib::element::Element;
use std::ops::Range;
use std::sync::atomic::Ordering;

/// Bytes that are copied in the time that the copy of an element takes, about 10 microseconds.
const BYTES_OF_A_COPY: usize = 64 << 10;

impl<T: Element> Buffer<T> {
    /// An element as the program sees it; nothing out of range.
    #[inline]
    pub(in crate::array) fn element(&self, at: usize) -> Result<Option<T>> {
        let hold = Hold::new(&self.lock, Access::Read)?;
        let source = hold.copy().unwrap_or(self);
        if !source.valid().contains(Place::Host)
            && let Some(element) = source.fetch_element(at)?
        {
            return Ok(Some(element));
        }
        Ok(self.share_held(hold)?.slice().get(at).copied())
    }

    /// Changes an element. Says whether it is in range.
    #[inline]
    pub(in crate::array) fn set_element(&self, at: usize, element: T) -> Result<bool> {
        let hold = Hold::new(&self.lock, Access::Write)?;
        self.check_changeable(Access::Write)?;
        let valid = self.valid.load(Ordering::Acquire);
        let host = CopySet::only(Place::Host);
        let alone = valid != host.bits() && at < self.count && self.is_worth_a_copy();
        if alone && !self.valid().contains(Place::Host) && self.store_element(at, element)? {
            return Ok(true);
        }
        let before = self.valid();
        let mut access = self.exclude_held(hold, Access::Write)?;
        let Some(target) = access.slice_mut().get_mut(at) else { return Ok(false) };
        *target = element;
        if alone && before.contains(Place::Host) {
            self.keep_copies(before, at, element)?;
        }
        Ok(true)
    }

    /// Whether the copies of single elements since a launch wrote the array cost less than one of the whole array.
    fn is_worth_a_copy(&self) -> bool {
        (self.alone.fetch_add(1, Ordering::Relaxed) as usize) < self.bytes() / BYTES_OF_A_COPY
    }

    /// Reads an element from a device that has all of them, if that is worth it.
    #[cold]
    fn fetch_element(&self, at: usize) -> Result<Option<T>> {
        if let Some(element) = self.stored_element(at)? {
            return Ok(Some(element));
        }
        if at >= self.count || !self.is_worth_a_copy() {
            return Ok(None);
        }
        deferred_errors::settle()?;
        let mut remote = self.remote();
        if self.is_shared_by_ranks() {
            return self.element_of_ranks(&mut remote, at);
        }
        self.drop_lost(&mut remote);
        self.check_not_lost(Access::Read)?;
        let valid = self.valid();
        let Some(copy) = remote.iter().find(|copy| is_whole(copy, valid)) else { return Ok(None) };
        let mut element = [T::default()];
        copy.device.download(&copy.memory.part(bytes_of::<T>(at)), bytes_mut(&mut element))?;
        Ok(Some(element[0]))
    }

    /// Writes an element on the one device that has the elements, with exclusive access. Says whether it did.
    #[cold]
    fn store_element(&self, at: usize, element: T) -> Result<bool> {
        deferred_errors::settle()?;
        let mut remote = self.remote();
        if self.is_shared_by_ranks() {
            return Ok(false);
        }
        self.drop_lost(&mut remote);
        self.check_not_lost(Access::Write)?;
        let valid = self.valid();
        let Some(copy) = remote.iter_mut().find(|copy| is_whole(copy, valid)) else { return Ok(false) };
        if valid != CopySet::only(copy.place) {
            return Ok(false);
        }
        copy.write(bytes_of::<T>(at), bytes(&[element]))?;
        self.set_valid(&mut remote, valid);
        Ok(true)
    }

    /// Writes an element that was changed on the host to the copies that were valid before, which are so again.
    #[cold]
    fn keep_copies(&self, valid: CopySet, at: usize, element: T) -> Result<()> {
        let mut remote = self.remote();
        self.drop_lost(&mut remote);
        let mut kept = CopySet::only(Place::Host);
        for copy in remote.iter_mut().filter(|copy| is_whole(copy, valid)) {
            copy.write(bytes_of::<T>(at), bytes(&[element]))?;
            kept = kept.with(copy.place);
        }
        self.set_valid(&mut remote, kept);
        Ok(())
    }
}

impl RemoteCopy {
    /// Overwrites a part behind what is submitted.
    pub(super) fn write(&mut self, part: Range<usize>, from: &[u8]) -> Result<()> {
        self.take_back(&Intervals::of([part.clone()]))?;
        self.device.upload(from, &self.memory.part(part))
    }
}

/// Whether a copy is valid as a whole, and in linear memory.
fn is_whole(copy: &RemoteCopy, valid: CopySet) -> bool {
    valid.contains(copy.place) && matches!(copy.place, Place::Linear(_))
}

fn bytes_of<T>(at: usize) -> Range<usize> {
    at * size_of::<T>()..(at + 1) * size_of::<T>()
}
