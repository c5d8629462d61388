//! Elements that the ranks of a cluster share: each rank has memory for the whole array, on its host or on a device, of which some
//! bytes are valid. All ranks know which bytes are valid where, since all make the same calls in the same order.

use super::{
    Access, Buffer, CopySet, Element, FRESH_ANY, HostCopy, Intervals, Ordering, Place, PoisonError, RANKS,
    RemoteCopy, Result, bytes, bytes_mut, missing,
};
use crate::array::accesses::{Stored, Wanted};
use crate::cluster::{self, Exchange, Messages};
use std::sync::MutexGuard;

/// Who has which bytes.
#[derive(Default)]
pub(super) struct RankParts {
    /// The bytes that are valid on each rank.
    valid: Vec<Intervals>,
    /// The copies of this rank that have all bytes which are valid on it.
    local: CopySet,
    /// Tells messages of this array from those of others.
    number: u64,
}

/// The elements of an array, whatever their type, as ranks share them. What changes them needs an exclusive access.
pub(crate) trait SharedByRanks: Send + Sync {
    /// What tells arrays apart.
    fn identity(&self) -> usize;
    /// The bytes of all elements.
    fn all_bytes(&self) -> usize;
    /// Whether ranks share the elements.
    fn is_shared(&self) -> bool;
    /// The bytes that are valid on each rank; nothing where all are everywhere.
    fn parts(&self) -> Option<Vec<Intervals>>;
    /// An exclusive access to begin.
    fn to_be_changed(&self) -> Wanted<'_>;
    /// Takes the bytes that are valid on each rank; nothing where all are everywhere. From here on this rank takes its copies for valid.
    fn open(&self) -> Result<Option<Vec<Intervals>>>;
    /// Says again which bytes are valid on each rank.
    fn close(&self, valid: Vec<Intervals>);
    /// Adds bytes that are valid on this rank to a message.
    fn read(&self, part: &Intervals, to: &mut Vec<u8>) -> Result<()>;
    /// Puts bytes from the front of a message where they belong; says how many.
    fn write(&self, part: &Intervals, from: &[u8]) -> Result<usize>;
    /// Passes all bytes on the host.
    fn with_bytes(&self, f: &mut dyn FnMut(&mut [u8])) -> Result<()>;
}

impl<T: Element> SharedByRanks for Buffer<T> {
    fn identity(&self) -> usize {
        std::ptr::from_ref(self).cast::<()>() as usize
    }

    fn all_bytes(&self) -> usize {
        self.bytes()
    }

    fn is_shared(&self) -> bool {
        self.is_shared_by_ranks()
    }

    fn parts(&self) -> Option<Vec<Intervals>> {
        self.is_shared_by_ranks().then(|| self.rank_parts().valid.clone())
    }

    fn to_be_changed(&self) -> Wanted<'_> {
        Wanted::new(self as &dyn Stored, Access::Write)
    }

    fn open(&self) -> Result<Option<Vec<Intervals>>> {
        if !self.is_shared_by_ranks() {
            if self.is_divided() {
                self.fetch(Access::Write)?;
            }
            return Ok(None);
        }
        let RankParts { valid, local, .. } = std::mem::take(&mut *self.rank_parts());
        self.valid.store(local.bits(), Ordering::Release);
        Ok(Some(valid))
    }

    fn close(&self, valid: Vec<Intervals>) {
        if valid.iter().all(|rank| rank.covers(self.bytes())) {
            return;
        }
        // What several devices of this rank share comes to its host first. If it cannot, nobody has it.
        if self.is_divided() && self.fetch(Access::Write).is_err() {
            return;
        }
        let fresh = self.contents().is_some();
        if fresh && self.fetch(Access::Write).is_err() {
            return;
        }
        *self.rank_parts() = RankParts { valid, local: self.valid(), number: cluster::next_number() };
        self.valid.store(RANKS, Ordering::Release);
    }

    fn read(&self, part: &Intervals, to: &mut Vec<u8>) -> Result<()> {
        self.read_local(&self.remote(), self.valid(), part, to)
    }

    fn write(&self, part: &Intervals, from: &[u8]) -> Result<usize> {
        let mut remote = self.remote();
        let (written, local) = self.write_local(&mut remote, self.valid(), part, from)?;
        self.set_valid(&mut remote, local);
        Ok(written)
    }

    fn with_bytes(&self, f: &mut dyn FnMut(&mut [u8])) -> Result<()> {
        if self.valid.load(Ordering::Acquire) != CopySet::only(Place::Host).bits() {
            self.fetch(Access::Write)?;
        }
        // SAFETY: the caller has an exclusive access, of which no guard is open.
        let host = unsafe { &mut *self.host.get() };
        f(bytes_mut(host.as_mut().ok_or_else(missing)?.as_mut_slice()));
        Ok(())
    }
}

impl<T: Element> Buffer<T> {
    /// Whether ranks share the elements.
    #[inline]
    pub(super) fn is_shared_by_ranks(&self) -> bool {
        self.valid.load(Ordering::Acquire) & RANKS != 0
    }

    fn rank_parts(&self) -> MutexGuard<'_, RankParts> {
        self.ranks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings to this rank what it has not, for an access that has begun, with `remote` locked. All ranks do so.
    pub(super) fn collect(&self, remote: &mut [RemoteCopy], access: Access) -> Result<()> {
        if !self.is_shared_by_ranks() {
            return Ok(());
        }
        let state = match access {
            Access::Overwrite => FRESH_ANY,
            _ => {
                self.bring_to_all_ranks(remote, &self.whole())?;
                self.rank_parts().local.bits()
            }
        };
        self.valid.store(state, Ordering::Release);
        Ok(())
    }

    /// Brings some bytes to all ranks, with `remote` locked.
    fn bring_to_all_ranks(&self, remote: &mut [RemoteCopy], wanted: &Intervals) -> Result<()> {
        let mut parts = self.rank_parts();
        let needs = vec![wanted.clone(); parts.valid.len()];
        let exchange = Exchange::plan(&needs, &parts.valid, cluster::rank());
        let mut messages = Messages::default();
        messages.add(&exchange, |part, to| self.read_local(remote, parts.local, part, to))?;
        let mut received = messages.send(&format!("array {}", parts.number))?;
        let mut local = parts.local;
        received.take(&exchange, |part, from| {
            let (written, left) = self.write_local(remote, local, part, from)?;
            local = left;
            Ok(written)
        })?;
        parts.local = local;
        parts.valid.iter_mut().for_each(|rank| rank.add_all(wanted));
        Ok(())
    }

    /// An element, brought to all ranks, with `remote` locked.
    pub(super) fn element_of_ranks(&self, remote: &mut [RemoteCopy], at: usize) -> Result<Option<T>> {
        let mut part = Intervals::EMPTY;
        part.add(&(at * size_of::<T>()..(at + 1) * size_of::<T>()));
        self.bring_to_all_ranks(remote, &part)?;
        let mut read = Vec::with_capacity(size_of::<T>());
        self.read_local(remote, self.rank_parts().local, &part, &mut read)?;
        let mut element = [T::default()];
        bytes_mut(&mut element).copy_from_slice(read.get(..size_of::<T>()).ok_or_else(missing)?);
        Ok(Some(element[0]))
    }

    /// Adds bytes of a copy of this rank to a message.
    fn read_local(
        &self,
        remote: &[RemoteCopy],
        local: CopySet,
        part: &Intervals,
        to: &mut Vec<u8>,
    ) -> Result<()> {
        if local.contains(Place::Host) {
            // SAFETY: an access is held and `remote` is locked, so nobody changes the copy.
            let host: &Option<HostCopy<T>> = unsafe { &*self.host.get() };
            let host = bytes(host.as_ref().ok_or_else(missing)?.as_slice());
            for range in part.iter() {
                to.extend_from_slice(host.get(range.clone()).ok_or_else(missing)?);
            }
            return Ok(());
        }
        let copy = remote.iter().find(|copy| local.contains(copy.place)).ok_or_else(missing)?;
        for range in part.iter() {
            let start = to.len();
            to.resize(start + range.len(), 0);
            let target = to.get_mut(start..).ok_or_else(missing)?;
            copy.device.download(&copy.memory.part(range.clone()), target)?;
        }
        Ok(())
    }

    /// Puts bytes of a message into one copy of this rank. Says how many, and which copies have all valid bytes then.
    fn write_local(
        &self,
        remote: &mut [RemoteCopy],
        local: CopySet,
        part: &Intervals,
        from: &[u8],
    ) -> Result<(usize, CopySet)> {
        let mut written = 0;
        let mut next = |n: usize| {
            let bytes = from.get(written..written + n);
            written += n;
            bytes.ok_or_else(missing)
        };
        if let Some(copy) = remote.iter_mut().find(|copy| local.contains(copy.place)) {
            for range in part.iter() {
                copy.write(range.clone(), next(range.len())?)?;
            }
            let place = copy.place;
            return Ok((written, CopySet::only(place)));
        }
        // SAFETY: an access is held and `remote` is locked. The copy as a whole is not valid for anybody else, so nobody has a
        // reference to it.
        let host = unsafe { &mut *self.host.get() };
        let host = bytes_mut(host.as_mut().ok_or_else(missing)?.as_mut_slice());
        for range in part.iter() {
            host.get_mut(range.clone()).ok_or_else(missing)?.copy_from_slice(next(range.len())?);
        }
        Ok((written, CopySet::only(Place::Host)))
    }
}
