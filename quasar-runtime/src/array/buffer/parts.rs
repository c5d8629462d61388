//! Elements that several devices hold together, each some: what a launch leaves that devices ran together. Each copy knows
//! which of its bytes are valid. The next access to all elements gathers them; a launch of parts brings to each device
//! the bytes that it reads and does not have.

use super::{
    Access, Arc, Buffer, Contents, CopySet, Device, DeviceMemory, Element, Intervals, MutexGuard, Ordering,
    PARTS, PhantomData, Place, Range, RemoteCopy, Result, bytes, bytes_mut, deferred_errors, missing,
    residency,
};
use super::{DeviceGuard, Error, Hold};
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

impl RemoteCopy {
    /// Waits before bytes change that another device may still be copying.
    pub(super) fn take_back(&mut self, changed: &Intervals) -> Result<()> {
        if !self.lent.common(changed).is_empty() {
            self.device.reclaim(&self.memory)?;
            self.lent = Intervals::EMPTY;
        }
        Ok(())
    }
}

/// Whether the valid parts of copies cover so many bytes. Not part of the buffer: it would be compiled for each type.
fn are_whole(remote: &[RemoteCopy], bytes: usize) -> bool {
    let mut parts = Intervals::EMPTY;
    remote.iter().for_each(|copy| parts.add_all(&copy.parts));
    parts.covers(bytes)
}

impl<T: Element> Buffer<T> {
    /// All bytes.
    pub(super) fn whole(&self) -> Intervals {
        Intervals::of(std::iter::once(0..self.bytes()))
    }

    /// Whether the elements are there in parts only.
    pub(super) fn is_divided(&self) -> bool {
        self.valid.load(Ordering::Acquire) == PARTS
    }

    /// Notes which copies are valid after an access. Parts stay so when nothing was changed.
    pub(super) fn conclude(&self, remote: &mut [RemoteCopy], access: Access, valid: CopySet) {
        if access != Access::Read || (valid.is_empty() && !are_whole(remote, self.bytes())) {
            return self.set_valid(remote, valid);
        }
        let parts = if remote.iter().any(|copy| !copy.parts.is_empty()) { PARTS } else { 0 };
        self.valid.store(valid.bits() | parts, Ordering::Release);
    }

    /// Brings all parts to the host, each byte once.
    pub(super) fn gather(&self, remote: &mut [RemoteCopy]) -> Result<()> {
        let mut left = self.whole();
        for copy in remote.iter() {
            for part in left.common(&copy.parts).iter() {
                self.fetch_part(copy, part)?;
            }
            left = left.without(&copy.parts);
        }
        self.conclude(remote, Access::Read, CopySet::only(Place::Host));
        Ok(())
    }

    /// Brings a part to the copy on the host, which is not valid. Its lock and an access are held.
    fn fetch_part(&self, copy: &RemoteCopy, part: &Range<usize>) -> Result<()> {
        // SAFETY: the copy is not valid, an access is held and `remote` is locked.
        let host = unsafe { &mut *self.host.get() };
        if host.is_none() {
            *host = self.host_memory(Contents::Any)?;
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
        self.bring_parts(remote, device, memory, &self.whole())?;
        self.conclude(remote, Access::Read, valid.with(place));
        Ok(())
    }

    /// Makes some bytes available in the linear memory of a device, to be read. The others are any bytes.
    pub(in crate::array) fn on_device_parts<'a>(
        self: &'a Arc<Self>,
        device: &Arc<dyn Device>,
        wanted: &[Range<usize>],
        hold: Hold<'a>,
    ) -> Result<DeviceGuard<'a>> {
        let wanted = Intervals::of(wanted.iter().cloned());
        let source = hold.owned_copy::<Buffer<T>>().unwrap_or_else(|| Arc::clone(self));
        // What nobody has written costs no copies.
        if wanted.covers(self.bytes()) || source.contents().is_some() {
            return self.on_device(device, Access::Read, hold);
        }
        hold.check(&self.lock, Access::Read)?;
        source.last_use.store(residency::now(), Ordering::Relaxed);
        let mut remote = source.remote();
        source.collect(&mut remote, Access::Read)?;
        source.drop_lost(&mut remote);
        source.check_not_lost(Access::Read)?;
        let memory = source.remote_memory(&mut remote, device, source.valid().contains(Place::Host))?;
        source.bring_parts(&mut remote, device, &memory, &wanted)?;
        source.conclude(&mut remote, Access::Read, source.valid());
        drop(remote);
        Ok(DeviceGuard { memory, _hold: hold, not_send: PhantomData })
    }

    /// Makes the elements available in the linear memory of several devices, each of which may change its part of the
    /// bytes. The parts are all of them. An overwriting launch reads none.
    pub(in crate::array) fn on_devices<'a>(
        self: &'a Arc<Self>,
        parts: &[(Arc<dyn Device>, Range<usize>)],
        access: Access,
        hold: Hold<'a>,
    ) -> Result<PartsGuard<'a>> {
        hold.check(&self.lock, access)?;
        self.check_changeable(access)?;
        self.last_use.store(residency::now(), Ordering::Relaxed);
        let mut remote = self.remote();
        self.collect(&mut remote, access)?;
        self.drop_lost(&mut remote);
        self.check_not_lost(access)?;
        let comes = access != Access::Overwrite && self.valid().contains(Place::Host);
        let mut memories = Vec::with_capacity(parts.len());
        for (device, part) in parts {
            let (memory, part) =
                (self.remote_memory(&mut remote, device, comes)?, Intervals::of([part.clone()]));
            if access != Access::Overwrite {
                self.bring_parts(&mut remote, device, &memory, &part)?;
            }
            memories.push(memory);
        }
        // Nobody copies any more what is going to change. Only now: the others took theirs from here.
        for (device, part) in parts {
            let part = Intervals::of([part.clone()]);
            let own = remote.iter_mut().find(|copy| copy.place == device.place());
            own.map_or(Ok(()), |own| own.take_back(&part))?;
        }
        self.set_valid(&mut remote, CopySet::EMPTY);
        for copy in remote.iter_mut() {
            let own = parts.iter().filter(|(device, _)| device.place() == copy.place);
            copy.parts = Intervals::of(own.map(|(_, part)| part.clone()));
        }
        self.valid.store(PARTS, Ordering::Release);
        drop(remote);
        Ok(PartsGuard { memories, _hold: hold, not_send: PhantomData })
    }

    /// Makes some bytes of the copy on a device valid.
    fn bring_parts(
        &self,
        remote: &mut [RemoteCopy],
        device: &Arc<dyn Device>,
        memory: &DeviceMemory,
        wanted: &Intervals,
    ) -> Result<()> {
        let place = device.place();
        match self.contents() {
            _ if self.valid().contains(place) => return Ok(()),
            Some(Contents::Zeros) => return device.fill(memory, 0),
            Some(Contents::Any) => return Ok(()),
            None => {}
        }
        let Some(own) = remote.iter_mut().find(|copy| copy.place == place) else { return Err(missing()) };
        let absent = wanted.without(&own.parts);
        own.take_back(&absent)?;
        self.move_bytes(remote, device, memory, &absent)?;
        // What was there before has room for the rest.
        let own = remote.iter_mut().find(|copy| copy.place == place);
        own.into_iter().for_each(|own| own.parts.add_all(&absent));
        Ok(())
    }

    /// Brings bytes that are not on a device from where they are: a whole copy, or parts of several.
    fn move_bytes(
        &self,
        remote: &mut [RemoteCopy],
        device: &Arc<dyn Device>,
        memory: &DeviceMemory,
        absent: &Intervals,
    ) -> Result<()> {
        let (valid, near, place) = (self.valid(), self.near(remote, device), device.place());
        let mut left = absent.clone();
        // Other devices first, as far as they are not later than the host.
        let on_host = valid.contains(Place::Host);
        let lends = |copy: &RemoteCopy| match valid.contains(copy.place) {
            true => near.contains(copy.place) || !on_host,
            false => !on_host && copy.place != place,
        };
        // A whole copy is asked before parts are.
        for whole in [true, false] {
            for copy in remote.iter_mut().filter(|copy| lends(copy) && valid.contains(copy.place) == whole) {
                let held = if whole { left.clone() } else { left.common(&copy.parts) };
                for part in held.iter() {
                    self.lend(copy, device, memory, part)?;
                }
                left = left.without(&held);
            }
        }
        for part in left.iter() {
            // Whether or not the copy is valid, these bytes of it are.
            if !on_host {
                return Err(missing());
            }
            self.send_part(device, memory, part)?;
        }
        Ok(())
    }

    /// Copies bytes from one device to another, if they do not reach each other through the copy on the host, which is not
    /// valid.
    fn lend(
        &self,
        copy: &mut RemoteCopy,
        device: &Arc<dyn Device>,
        memory: &DeviceMemory,
        part: &Range<usize>,
    ) -> Result<()> {
        if device.reaches(&*copy.device) {
            device.receive(&*copy.device, &copy.memory.part(part.clone()), &memory.part(part.clone()))?;
            copy.lent.add(part);
            return Ok(());
        }
        self.fetch_part(copy, part)?;
        self.send_part(device, memory, part)
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
