//! A buffer whose elements also lie outside of memory. The copy there is valid like any other (`Place::Store`); the one on the host takes
//! room of the budget, and goes when others need it.

use super::{
    Access, Buffer, CopySet, Element, Hold, HostCopy, Intervals, Ordering, Place, PoisonError, Result, bytes,
    deferred_errors, missing, residency,
};
use crate::error::Error;
use crate::memory::Contents;
use crate::store::budget::{self, Kept, Room};
use crate::store::{Backing, Region};
use quasar_devicelib::value::array::reserve;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// The copy outside of memory.
pub(super) struct StoredCopy {
    backing: Arc<dyn Backing>,
    /// The room of the copy on the host, while there is one.
    room: Mutex<Option<Room>>,
    /// Whether the copy on the host stays.
    stays: AtomicBool,
    /// Rows that were read for single elements.
    near: Mutex<Option<(Range<usize>, Vec<u8>)>>,
}

/// Single elements of larger arrays are fetched with the rows around them, not with the whole array.
const WHOLE: usize = 1 << 20;
/// Bytes of the rows around an element, at most.
const AROUND: usize = 4 << 20;

impl<T: Element> Buffer<T> {
    /// With elements outside of memory.
    pub(in crate::array) fn stored(count: usize, backing: Box<dyn Backing>) -> Arc<Buffer<T>> {
        let written = !backing.is_fixed();
        let (room, stays, near) = (Mutex::default(), AtomicBool::new(false), Mutex::default());
        let store = StoredCopy { backing: Arc::from(backing), room, stays, near };
        let buffer = Buffer::with(None, CopySet::only(Place::Store).bits(), count);
        let buffer = Arc::new(Buffer { store: Some(Box::new(store)), ..buffer });
        let kept: Arc<dyn Kept> = Arc::clone(&buffer) as Arc<dyn Kept>;
        budget::add(&kept, written);
        buffer
    }

    /// Whether the elements also lie outside of memory.
    #[inline]
    pub(in crate::array) fn is_stored(&self) -> bool {
        self.store.is_some()
    }

    /// Has the copy on the host stay.
    pub(in crate::array) fn keep_in_memory(&self) {
        self.store.iter().for_each(|store| store.stays.store(true, Ordering::Relaxed));
    }

    /// Memory for the copy on the host.
    pub(super) fn host_memory(&self, contents: Contents) -> Result<Option<HostCopy<T>>> {
        let Some(store) = &self.store else { return Ok(HostCopy::allocate(self.count, contents)) };
        let room = Room::reserve(self.bytes(), &|| store.backing.name())?;
        // Memory of the pool would stay with the process when the copy goes.
        let mut elements = reserve(self.count).map_err(|_| Error::out_of_memory(Some(self.bytes()), &[]))?;
        elements.resize(self.count, T::default());
        *lock(&store.room) = Some(room);
        Ok(Some(HostCopy::Adopted(elements)))
    }

    /// Fills memory with the elements of the store.
    pub(super) fn read_store(&self, into: &mut [u8]) -> Result<()> {
        let store = self.store.as_ref().ok_or_else(missing)?;
        self.last_use.store(residency::now(), Ordering::Relaxed);
        store.backing.read(0..store.backing.rows(), into)
    }

    /// Refuses to change an array that is only read.
    #[inline]
    pub(super) fn check_store_changeable(&self) -> Result<()> {
        match &self.store {
            Some(store) if store.backing.is_fixed() => Err(Error::argument(format!(
                "{}: an array of open_array is read and not changed; copy(x) makes one that can be",
                store.backing.name()
            ))),
            _ => Ok(()),
        }
    }

    /// An element of a large array that is outside of memory only.
    pub(super) fn stored_element(&self, at: usize) -> Result<Option<T>> {
        let Some(store) = &self.store else { return Ok(None) };
        if self.bytes() <= WHOLE || at >= self.count || self.valid() != CopySet::only(Place::Store) {
            return Ok(None);
        }
        let row_bytes = store.backing.row_bytes().max(1);
        let at = at * size_of::<T>();
        let (row, inside) = (at / row_bytes, at % row_bytes);
        let mut near = lock(&store.near);
        if !near.as_ref().is_some_and(|(rows, _)| rows.contains(&row)) {
            let unit = store.backing.unit().min(AROUND / row_bytes).max(1);
            let rows = row / unit * unit..(row / unit * unit + unit).min(store.backing.rows());
            let mut read = vec![0; rows.len() * row_bytes];
            store.backing.read(rows.clone(), &mut read)?;
            *near = Some((rows, read));
        }
        let Some((rows, read)) = near.as_ref() else { return Ok(None) };
        let start = (row - rows.start) * row_bytes + inside;
        let mut element = [T::default()];
        let from = read.get(start..start + size_of::<T>()).ok_or_else(missing)?;
        super::bytes_mut(&mut element).copy_from_slice(from);
        Ok(Some(element[0]))
    }

    /// Writes the elements to the store unless it has them, with an access that has begun and the list of copies locked.
    fn write_store(&self, store: &StoredCopy) -> Result<()> {
        // SAFETY: an access is held and the copy on the host is valid, so nobody has `&mut` to it.
        let host = unsafe { &*self.host.get() };
        let elements = host.as_ref().ok_or_else(missing)?.as_slice();
        *lock(&store.near) = None;
        store.backing.claim(None)?;
        store.backing.write(0..store.backing.rows(), bytes(elements))
    }
}

/// What is known of a stored array that is in its store only.
#[derive(Clone)]
pub struct StoredRows {
    /// Where it is.
    pub(crate) backing: Arc<dyn Backing>,
    /// What tells arrays apart.
    pub(crate) identity: usize,
    /// What messages call it.
    pub(crate) name: String,
    /// The number of rows, and bytes of each.
    pub(crate) rows: usize,
    pub(crate) row_bytes: usize,
    /// Rows that are stored together.
    pub(crate) unit: usize,
    /// Bytes of what is compressed together.
    pub(crate) chunk_bytes: usize,
}

impl fmt::Debug for StoredRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredRows").field("name", &self.name).finish_non_exhaustive()
    }
}

impl StoredRows {
    /// Bytes of the array.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.saturating_mul(self.row_bytes)
    }
}

/// Some rows of a stored array, while a launch goes over it. Others wait as for any access.
pub(crate) struct StoredWindow<'a, T> {
    backing: &'a dyn Backing,
    near: &'a Mutex<Option<(Range<usize>, Vec<u8>)>>,
    region: Region<T>,
    /// The rows that are there.
    present: Intervals,
    _hold: Hold<'a>,
}

impl<T: Element> Buffer<T> {
    /// What is known of the array, if it is in its store only.
    pub(in crate::array) fn stored_rows(&self) -> Option<StoredRows> {
        let backing = &self.store.as_ref().filter(|_| self.valid() == CopySet::only(Place::Store))?.backing;
        Some(StoredRows {
            backing: Arc::clone(backing),
            identity: std::ptr::from_ref(self).addr(),
            name: backing.name(),
            rows: backing.rows(),
            row_bytes: backing.row_bytes(),
            unit: backing.unit(),
            chunk_bytes: backing.chunk_bytes(),
        })
    }

    /// A window without rows, for an access that has begun.
    pub(in crate::array) fn window_held<'a>(
        &'a self,
        hold: Hold<'a>,
        writes: bool,
    ) -> Result<StoredWindow<'a, T>> {
        let access = if writes { Access::Write } else { Access::Read };
        hold.check(&self.lock, access)?;
        self.check_changeable(access)?;
        let store = self.store.as_ref().ok_or_else(missing)?;
        if hold.copy::<Buffer<T>>().is_some() {
            return Err(Error::system("a window of a copy"));
        }
        self.hand_over(store, writes)?;
        let region = Region::new(self.count)?;
        Ok(StoredWindow {
            backing: &*store.backing,
            near: &store.near,
            region,
            present: Intervals::EMPTY,
            _hold: hold,
        })
    }

    /// Has all elements in the store, and nowhere else if they are going to change there, for an access that has begun.
    fn hand_over(&self, store: &StoredCopy, changes: bool) -> Result<()> {
        if self.valid() == CopySet::only(Place::Store) {
            return Ok(());
        }
        deferred_errors::settle()?;
        if !self.valid().contains(Place::Store) && !self.valid().contains(Place::Host) {
            self.fetch(Access::Read)?;
        }
        let mut remote = self.remote();
        if !self.valid().contains(Place::Store) {
            self.write_store(store)?;
            let valid = self.valid().with(Place::Store);
            self.conclude(&mut remote, Access::Read, valid);
        }
        if changes {
            self.conclude(&mut remote, Access::Write, CopySet::only(Place::Store));
        }
        Ok(())
    }
}

impl<T: Element> Buffer<T> {
    /// Where the elements come from, if the store has them and knows.
    pub(in crate::array) fn stored_origin(&self) -> Option<u64> {
        self.store.as_ref().filter(|_| self.valid().contains(Place::Store))?.backing.origin()
    }
}

impl<T: Element> StoredWindow<'_, T> {
    /// The elements, of which those of other rows are any.
    pub(crate) fn elements(&self) -> &[T] {
        self.region.as_slice()
    }

    /// The elements, to be changed.
    pub(crate) fn elements_mut(&mut self) -> &mut [T] {
        self.region.as_mut_slice()
    }

    /// Has these rows in memory and no others.
    pub(crate) fn move_to(&mut self, needs: &Intervals, reads: bool) -> Result<()> {
        let row = self.backing.row_bytes();
        for rows in self.present.without(needs).iter() {
            self.region.release(rows.start * row..rows.end * row);
        }
        let absent = needs.without(&self.present);
        self.present = self.present.common(needs);
        for rows in absent.iter().filter(|_| reads) {
            let into = super::bytes_mut(self.region.as_mut_slice());
            let into = into.get_mut(rows.start * row..rows.end * row).ok_or_else(missing)?;
            self.backing.read(rows.clone(), into)?;
        }
        self.present = needs.clone();
        Ok(())
    }

    /// Writes rows to the store.
    pub(crate) fn store(&mut self, rows: &Intervals) -> Result<()> {
        let row = self.backing.row_bytes();
        *lock(self.near) = None;
        for rows in rows.iter() {
            let from = bytes(self.region.as_slice());
            let from = from.get(rows.start * row..rows.end * row).ok_or_else(missing)?;
            self.backing.write(rows.clone(), from)?;
        }
        Ok(())
    }
}

fn lock<V>(mutex: &Mutex<V>) -> std::sync::MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Element> Kept for Buffer<T> {
    fn last_use(&self) -> u64 {
        self.last_use.load(Ordering::Relaxed)
    }

    fn put_away(&self) -> Result<usize> {
        let Some(store) = &self.store else { return Ok(0) };
        let Some(_hold) = Hold::try_exclusive(&self.lock) else { return Ok(0) };
        let mut remote = self.remote();
        let valid = self.valid();
        // SAFETY: the access is exclusive and `remote` is locked.
        let is_there = unsafe { (*self.host.get()).is_some() };
        if !is_there || self.is_divided() || store.stays.load(Ordering::Relaxed) {
            return Ok(0);
        }
        if valid.contains(Place::Host) {
            if !valid.contains(Place::Store) {
                self.write_store(store)?;
            }
            self.conclude(&mut remote, Access::Read, valid.with(Place::Store).without(Place::Host));
        }
        // SAFETY: as above; the copy is not valid any more.
        unsafe { *self.host.get() = None };
        *lock(&store.room) = None;
        Ok(self.bytes())
    }

    fn flush(&self) -> Result<()> {
        let Some(store) = &self.store else { return Ok(()) };
        // Whoever keeps a guard of the array in this thread is still changing it.
        let Ok(hold) = Hold::new(&self.lock, Access::Read) else { return Ok(()) };
        if !self.valid().contains(Place::Store) {
            deferred_errors::settle()?;
            if !self.valid().contains(Place::Host) {
                self.fetch(Access::Read)?;
            }
            let mut remote = self.remote();
            let valid = self.valid();
            if !valid.contains(Place::Store) {
                self.write_store(store)?;
                self.conclude(&mut remote, Access::Read, valid.with(Place::Store));
            }
        }
        drop(hold);
        store.backing.finish()
    }
}
