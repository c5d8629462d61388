//! Elements that several devices hold together, each a part: what a launch leaves that devices ran together. The next access
//! to all elements gathers them; the next launch of the same parts finds them where they are.

use super::{
    Access, Arc, Buffer, Contents, CopySet, Device, DeviceMemory, Element, HostCopy, MutexGuard, Ordering,
    PARTS, PhantomData, Place, Range, RemoteCopy, Result, bytes, bytes_mut, deferred_errors, missing,
    residency,
};
use super::{Error, Hold};
use std::fmt;

/// The memory of an array on several devices, each of which may change its part. As for
/// [`DeviceGuard`](super::DeviceGuard), keep it until the work is submitted.
pub struct PartsGuard<'a> {
    memories: Vec<DeviceMemory>,
    _hold: Hold<'a>,
    not_send: PhantomData<MutexGuard<'static, ()>>,
}

impl PartsGuard<'_> {
    /// The memory on each device, in the order in which the parts were asked for.
    pub fn memories(&self) -> &[DeviceMemory] {
        &self.memories
    }
}

impl fmt::Debug for PartsGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.memories.fmt(f)
    }
}

/// What two ranges have in common.
fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

/// Whether the valid parts of copies cover so many bytes. Not part of the buffer: sorting would be compiled for each type.
fn are_whole(remote: &[RemoteCopy], bytes: usize) -> bool {
    let mut parts: Vec<_> = remote.iter().filter_map(|copy| copy.part.clone()).collect();
    parts.sort_by_key(|part| part.start);
    parts.iter().fold(0, |end, part| if part.start <= end { end.max(part.end) } else { end }) == bytes
}

impl<T: Element> Buffer<T> {
    /// Whether the elements are there in parts only.
    pub(super) fn is_divided(&self) -> bool {
        self.valid.load(Ordering::Acquire) == PARTS
    }

    /// Notes which copies are valid after an access. Parts stay so when nothing was changed.
    pub(super) fn conclude(&self, remote: &mut [RemoteCopy], access: Access, valid: CopySet) {
        if access != Access::Read || (valid.is_empty() && !are_whole(remote, self.bytes())) {
            return self.set_valid(remote, valid);
        }
        let parts = if remote.iter().any(|copy| copy.part.is_some()) { PARTS } else { 0 };
        self.valid.store(valid.bits() | parts, Ordering::Release);
    }

    /// Brings all parts to the host.
    pub(super) fn gather(&self, remote: &mut [RemoteCopy]) -> Result<()> {
        for copy in remote.iter() {
            if let Some(part) = &copy.part {
                self.fetch_part(copy, part)?;
            }
        }
        self.conclude(remote, Access::Read, CopySet::only(Place::Host));
        Ok(())
    }

    /// Brings a part to the copy on the host, which is not valid. Its lock and an access are held.
    fn fetch_part(&self, copy: &RemoteCopy, part: &Range<usize>) -> Result<()> {
        // SAFETY: the copy is not valid, an access is held and `remote` is locked.
        let host = unsafe { &mut *self.host.get() };
        if host.is_none() {
            *host = HostCopy::allocate(self.count, Contents::Any);
        }
        let host = host.as_mut().ok_or_else(|| Error::out_of_memory(Some(self.bytes()), &[]))?;
        let target = bytes_mut(host.as_mut_slice()).get_mut(part.clone()).ok_or_else(missing)?;
        copy.device.download(&copy.memory.part(part.clone()), target)
    }

    /// Makes the copy on a device valid where parts of copies are, its own perhaps.
    pub(super) fn complete(
        &self,
        remote: &mut [RemoteCopy],
        device: &Arc<dyn Device>,
        memory: &DeviceMemory,
    ) -> Result<()> {
        let (valid, place) = (self.valid(), device.place());
        if self.valid.load(Ordering::Acquire) & PARTS == 0 || valid.contains(place) {
            return Ok(());
        }
        self.bring_part(remote, device, memory, &(0..self.bytes()))?;
        self.conclude(remote, Access::Read, valid.with(place));
        Ok(())
    }

    /// Makes the elements available in the linear memory of several devices, each of which may change its part of the
    /// bytes. The parts are all of them.
    pub(in crate::array) fn on_devices<'a>(
        self: &'a Arc<Self>,
        parts: &[(Arc<dyn Device>, Range<usize>)],
        hold: Hold<'a>,
    ) -> Result<PartsGuard<'a>> {
        hold.check(&self.lock, Access::Write)?;
        self.last_use.store(residency::now(), Ordering::Relaxed);
        let mut remote = self.remote();
        self.drop_lost(&mut remote);
        self.check_not_lost(Access::Write)?;
        let mut memories = Vec::with_capacity(parts.len());
        for (device, part) in parts {
            let memory = self.remote_memory(&mut remote, device, self.valid().contains(Place::Host))?;
            self.bring_part(&mut remote, device, &memory, part)?;
            memories.push(memory);
        }
        self.set_valid(&mut remote, CopySet::EMPTY);
        for copy in remote.iter_mut() {
            let own = parts.iter().find(|(device, _)| device.place() == copy.place);
            copy.part = own.map(|(_, part)| part.clone());
        }
        self.valid.store(PARTS, Ordering::Release);
        drop(remote);
        Ok(PartsGuard { memories, _hold: hold, not_send: PhantomData })
    }

    /// Makes some bytes of the copy on a device valid. They may change afterwards.
    fn bring_part(
        &self,
        remote: &mut [RemoteCopy],
        device: &Arc<dyn Device>,
        memory: &DeviceMemory,
        part: &Range<usize>,
    ) -> Result<()> {
        let (valid, place) = (self.valid(), device.place());
        let mut own = 0..0;
        if let Some(copy) = remote.iter_mut().find(|copy| copy.place == place) {
            own = copy.part.clone().unwrap_or_default();
            if copy.lent {
                device.reclaim(memory)?;
                copy.lent = false;
            }
        }
        match self.contents() {
            _ if valid.contains(place) => return Ok(()),
            Some(Contents::Zeros) => return device.fill(memory, 0),
            Some(Contents::Any) => return Ok(()),
            None => {}
        }
        let missing =
            [part.start..own.start.min(part.end).max(part.start), own.end.max(part.start)..part.end];
        let missing = if own.is_empty() { [part.clone(), 0..0] } else { missing };
        missing
            .iter()
            .filter(|range| !range.is_empty())
            .try_for_each(|range| self.move_bytes(remote, device, memory, range))
    }

    /// Brings bytes that are not on a device from where they are: a whole copy, or parts of several.
    fn move_bytes(
        &self,
        remote: &mut [RemoteCopy],
        device: &Arc<dyn Device>,
        memory: &DeviceMemory,
        range: &Range<usize>,
    ) -> Result<()> {
        let (valid, near) = (self.valid(), self.near(remote, device));
        let place = remote.iter().position(|copy| near.contains(copy.place));
        let on_host = valid.contains(Place::Host);
        if let (None, true) = (place, on_host) {
            return self.send_part(device, memory, range);
        }
        let all = 0..self.bytes();
        let whole = place.or_else(|| remote.iter().position(|copy| valid.contains(copy.place)));
        for (k, copy) in remote.iter_mut().enumerate() {
            let held = match whole {
                Some(whole) if whole == k => Some(&all),
                Some(_) => None,
                None => copy.part.as_ref().filter(|_| copy.place != device.place()),
            };
            let Some(held) = held.map(|held| common(held, range)).filter(|held| !held.is_empty()) else {
                continue;
            };
            if device.reaches(&*copy.device) {
                device.receive(&*copy.device, &copy.memory.part(held.clone()), &memory.part(held))?;
                copy.lent = true;
            } else {
                self.fetch_part(copy, &held)?;
                self.send_part(device, memory, &held)?;
            }
        }
        Ok(())
    }

    /// Copies bytes from the host's copy to a device.
    fn send_part(&self, device: &Arc<dyn Device>, memory: &DeviceMemory, range: &Range<usize>) -> Result<()> {
        // SAFETY: an access is held, so nobody has `&mut` to the copy; if it is not valid, `remote` is locked.
        let host = unsafe { &*self.host.get() };
        let elements = host.as_ref().ok_or_else(missing)?.as_slice();
        // Other devices work meanwhile.
        deferred_errors::flush()?;
        device.upload(bytes(elements).get(range.clone()).ok_or_else(missing)?, &memory.part(range.clone()))
    }
}
