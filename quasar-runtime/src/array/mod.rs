//! Typed arrays: cheap handles on elements that all their clones share.

mod accesses;
#[allow(unsafe_code, reason = "guards give references to elements")]
mod buffer;
pub mod coherence;
pub mod convert;
#[allow(unsafe_code, reason = "memory of other code")]
mod lent;
#[allow(unsafe_code, reason = "the list of those who wait names locks")]
mod lock;
#[cfg(test)]
mod lock_tests;
#[allow(unsafe_code, reason = "memory of other code")]
mod raw;
#[allow(unsafe_code, reason = "gives memory of devices back")]
mod residency;
mod shape;
mod view;

pub(crate) use accesses::hold_list;
pub use accesses::{Hold, Wanted, hold, hold_aliased};
pub use buffer::{CellsGuard, DeviceGuard, PartsGuard, StoredRows};
pub(crate) use buffer::{Intervals, SharedByRanks, StoredWindow};
pub use lent::HandedOver;
pub use raw::DevicePointer;
pub(crate) use residency::Scratch;
pub use shape::{MAX_DIMS, Shape};
pub use view::{ReadGuard, WriteGuard};

use crate::context;
use crate::device::{Device, select};
use crate::error::{Error, Place, Result};
use crate::memory::Contents;
use crate::store::{self, Backing};
use buffer::{Buffer, HostCopy};
use coherence::{Access, CopySet};
use quasar_devicelib::element::Element;
use quasar_devicelib::stack;
use quasar_devicelib::value::array::reserve;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// An array of up to 16 dimensions in row-major order.
///
/// Cloning a handle does not copy elements: as in Quasar programs, both handles name the same array, and a write
/// through one is seen through the other. [`Array::copy`] makes an array of its own.
///
/// Elements are reached through guards: any number of [`ReadGuard`]s at a time, or one [`WriteGuard`]. Threads wait
/// for each other, in the order of arrival. Where they would wait for ever, one of them gets an error: in a circle of threads
/// that keep guards, and in a forked process where a thread that kept one does not exist.
///
/// ```
/// use quasar_runtime::Array;
///
/// let image = Array::from_vec(&[2, 3], vec![1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let same = image.clone();
/// same.write()[0] = 10.0;
/// assert_eq!(image.dims(), [2, 3]);
/// assert_eq!(image.get(&[0, 0])?, 10.0);
/// assert_eq!(image.read().iter().sum::<f32>(), 30.0);
/// # Ok::<(), quasar_runtime::Error>(())
/// ```
pub struct Array<T: Element> {
    body: Arc<ArrayBody<T>>,
}

/// What the clones of one handle share.
pub(crate) struct ArrayBody<T> {
    pub(crate) shape: Shape,
    buffer: Arc<Buffer<T>>,
}

impl<T: Element> ArrayBody<T> {
    #[track_caller]
    pub(crate) fn read(&self) -> ReadGuard<'_, T> {
        self.try_read().unwrap_or_else(|error| refused(&error))
    }

    #[track_caller]
    pub(crate) fn write(&self) -> WriteGuard<'_, T> {
        self.try_write(Access::Write).unwrap_or_else(|error| refused(&error))
    }

    /// Brings what ranks of a cluster share to this one.
    pub(crate) fn gather(&self) -> Result<()> {
        if SharedByRanks::is_shared(&*self.buffer) { self.try_read().map(drop) } else { Ok(()) }
    }

    /// The error for which [`ArrayBody::write`] panics.
    pub(crate) fn check_changeable(&self) -> Result<()> {
        self.try_write(Access::Write).map(drop)
    }

    fn try_read(&self) -> Result<ReadGuard<'_, T>> {
        self.buffer.share().map(ReadGuard::new).map_err(|error| self.named(error))
    }

    fn try_write(&self, access: Access) -> Result<WriteGuard<'_, T>> {
        self.buffer.exclude(access).map(WriteGuard::new).map_err(|error| self.named(error))
    }

    /// What tells arrays apart.
    pub(crate) fn buffer_address(&self) -> usize {
        Arc::as_ptr(&self.buffer).cast::<()>() as usize
    }

    fn named(&self, error: Error) -> Error {
        match error {
            Error::Lost { place, .. } => Error::Lost { place, dims: self.shape.dims().to_vec() },
            Error::OutOfMemory { place, bytes, .. } => {
                Error::OutOfMemory { place, bytes, dims: self.shape.dims().to_vec() }
            }
            other => other,
        }
    }
}

impl<T: Element> Clone for Array<T> {
    fn clone(&self) -> Self {
        Array { body: Arc::clone(&self.body) }
    }
}

/// Arrays of this many bytes are worth a question whether there is room for them.
const LARGE: usize = 1 << 28;

impl<T: Element> Array<T> {
    fn with_host_copy(shape: Shape, host: HostCopy<T>) -> Array<T> {
        Array { body: Arc::new(ArrayBody { shape, buffer: Arc::new(Buffer::new(host)) }) }
    }

    fn allocate(dims: &[usize], contents: Contents) -> Result<Array<T>> {
        let shape = Shape::new(dims)?;
        let bytes = shape.count().checked_mul(size_of::<T>());
        if let Some(backing) = store::scratch(shape.dims(), bytes.unwrap_or(0))? {
            return Array::stored(dims, backing);
        }
        if select::in_use() && bytes.is_some_and(|bytes| bytes <= isize::MAX as usize) {
            // Where it will be used first is not known yet. What the host has no room for cannot come back from anywhere.
            if bytes.is_some_and(|bytes| bytes >= LARGE && reserve::<u8>(bytes).is_err()) {
                return Err(Error::out_of_memory(bytes, shape.dims()));
            }
            let buffer = Arc::new(Buffer::fresh(shape.count(), contents));
            return Ok(Array { body: Arc::new(ArrayBody { shape, buffer }) });
        }
        match HostCopy::allocate(shape.count(), contents) {
            Some(host) => Ok(Array::with_host_copy(shape, host)),
            None => Err(Error::out_of_memory(bytes, shape.dims())),
        }
    }

    /// An array whose elements lie outside of memory.
    pub(crate) fn stored(dims: &[usize], backing: Box<dyn Backing>) -> Result<Array<T>> {
        let shape = Shape::new(dims)?;
        let buffer = Buffer::stored(shape.count(), backing);
        Ok(Array { body: Arc::new(ArrayBody { shape, buffer }) })
    }

    /// The elements of a stored array, which are all in memory until the guard is dropped; nothing for other arrays.
    pub(crate) fn stored_whole(&self) -> Result<Option<ReadGuard<'_, T>>> {
        // Whoever has a guard of it has it in memory.
        match self.body.buffer.is_stored() {
            true if self.places() == CopySet::only(coherence::Place::Store) => self.try_read().map(Some),
            true => Ok(self.try_read().ok()),
            false => Ok(None),
        }
    }

    /// What is known of a stored array that is in its store only.
    pub(crate) fn stored_rows(&self) -> Option<StoredRows> {
        self.body.buffer.stored_rows()
    }

    /// Where the elements of a stored array come from, if the store has them and knows.
    pub(crate) fn stored_origin(&self) -> Option<u64> {
        self.body.buffer.stored_origin()
    }

    /// Some rows of a stored array, for an access that has begun.
    pub(crate) fn window_held<'a>(&'a self, held: Hold<'a>, writes: bool) -> Result<StoredWindow<'a, T>> {
        self.body.buffer.window_held(held, writes).map_err(|error| self.body.named(error))
    }

    /// Has the elements of a stored array stay in memory.
    pub(crate) fn keep_in_memory(&self) -> Result<()> {
        self.stored_whole()?;
        self.body.buffer.keep_in_memory();
        Ok(())
    }

    /// An array with the given elements in row-major order, which are moved in. Their number must be the product of
    /// the extents.
    pub fn from_vec(dims: &[usize], data: Vec<T>) -> Result<Array<T>> {
        let shape = Shape::new(dims)?;
        check_count(&shape, data.len())?;
        Ok(Array::with_host_copy(shape, HostCopy::Adopted(data)))
    }

    /// An array with copies of the given elements in row-major order.
    pub fn from_slice(dims: &[usize], data: &[T]) -> Result<Array<T>> {
        let shape = Shape::new(dims)?;
        check_count(&shape, data.len())?;
        let array = Array::allocate(dims, Contents::Any)?;
        array.try_overwrite()?.copy_from_slice(data);
        Ok(array)
    }

    /// An array of zeros.
    pub fn zeros(dims: &[usize]) -> Result<Array<T>> {
        Array::allocate(dims, Contents::Zeros)
    }

    /// An array of copies of one element.
    pub fn filled(dims: &[usize], element: T) -> Result<Array<T>> {
        let array = Array::allocate(dims, Contents::Any)?;
        array.try_overwrite()?.fill(element);
        Ok(array)
    }

    /// An array whose elements have some values, to be overwritten. Cheaper than zeros for large arrays.
    pub fn uninit(dims: &[usize]) -> Result<Array<T>> {
        // What nobody writes must not look like a NaN that a kernel wrote.
        Array::allocate(dims, if context::checks_numbers() { Contents::Zeros } else { Contents::Any })
    }

    /// Shows the bytes of the elements, in row-major order.
    pub(crate) fn look_at(&self, f: &mut dyn FnMut(&[u8])) -> Result<()> {
        f(buffer::bytes(&self.try_read()?));
        Ok(())
    }

    /// The bytes of the elements, in row-major order, for an access that has begun.
    pub(crate) fn bytes_held(&self, held: Hold<'_>) -> Result<Vec<u8>> {
        Ok(buffer::bytes(&self.read_held(held)?).to_vec())
    }

    /// The extents: 1 to 16 of them.
    pub fn dims(&self) -> &[usize] {
        self.body.shape.dims()
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.body.shape
    }

    /// The number of dimensions.
    pub fn ndims(&self) -> usize {
        self.dims().len()
    }

    /// The extent of dimension `k`; 1 beyond the last.
    pub fn extent(&self, k: usize) -> usize {
        self.body.shape.extent(k)
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.body.shape.count()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements, to be read.
    ///
    /// # Panics
    /// When this thread holds a [`WriteGuard`] of the same array, which would wait forever, or when the device that
    /// holds the elements fails. [`Array::try_read`] returns an error instead.
    #[track_caller]
    pub fn read(&self) -> ReadGuard<'_, T> {
        self.body.read()
    }

    /// The elements, to be changed.
    ///
    /// # Panics
    /// When this thread holds another guard of the same array, which would wait forever, or when the device that
    /// holds the elements fails. [`Array::try_write`] returns an error instead.
    #[track_caller]
    pub fn write(&self) -> WriteGuard<'_, T> {
        self.body.write()
    }

    /// The elements, to be read.
    pub fn try_read(&self) -> Result<ReadGuard<'_, T>> {
        self.body.try_read()
    }

    /// The elements, to be changed.
    pub fn try_write(&self) -> Result<WriteGuard<'_, T>> {
        self.body.try_write(Access::Write)
    }

    /// The elements, all of which will be written before they are read: contents that are valid on another device
    /// only are not transferred.
    pub fn try_overwrite(&self) -> Result<WriteGuard<'_, T>> {
        self.body.try_write(Access::Overwrite)
    }

    /// Makes the elements available in the memory of a device, to be used as `access` says until the guard is dropped:
    /// keep it until what uses the memory is submitted. Then the next access elsewhere sees what the device does.
    ///
    /// Who needs several arrays begins all accesses at once ([`hold`]) and then calls [`Array::on_device_held`].
    pub fn on_device(&self, device: &Arc<dyn Device>, access: Access) -> Result<DeviceGuard<'_>> {
        let [held] = hold([self.wanted(access)])?;
        self.on_device_held(device, access, held)
    }

    /// As [`Array::on_device`], for an access that has begun.
    pub fn on_device_held<'a>(
        &'a self,
        device: &Arc<dyn Device>,
        access: Access,
        held: Hold<'a>,
    ) -> Result<DeviceGuard<'a>> {
        self.body.buffer.on_device(device, access, held).map_err(|error| self.body.named(error))
    }

    /// Makes some bytes of the elements available in the memory of a device, to be read, for an access that has begun. The
    /// others are any bytes.
    pub(crate) fn on_device_parts_held<'a>(
        &'a self,
        device: &Arc<dyn Device>,
        parts: &[Range<usize>],
        held: Hold<'a>,
    ) -> Result<DeviceGuard<'a>> {
        self.body.buffer.on_device_parts(device, parts, held).map_err(|error| self.body.named(error))
    }

    /// Makes the elements available in the memory of several devices, each of which may change a part of the bytes, until the
    /// guard is dropped; together the parts are all bytes. They stay where they are until somebody uses others.
    pub fn on_devices(&self, parts: &[(Arc<dyn Device>, Range<usize>)]) -> Result<PartsGuard<'_>> {
        let [held] = hold([self.wanted(Access::Write)])?;
        self.on_devices_held(parts, Access::Write, held)
    }

    /// As [`Array::on_devices`], for an access that has begun. To be overwritten, nothing is brought.
    pub fn on_devices_held<'a>(
        &'a self,
        parts: &[(Arc<dyn Device>, Range<usize>)],
        access: Access,
        held: Hold<'a>,
    ) -> Result<PartsGuard<'a>> {
        self.body.buffer.on_devices(parts, access, held).map_err(|error| self.body.named(error))
    }

    /// An access that is to begin together with others, by [`hold`].
    #[inline]
    pub fn wanted(&self, access: Access) -> Wanted<'_> {
        Wanted::new(&*self.body.buffer, access)
    }

    /// As [`Array::try_read`], for an access that has begun.
    pub fn read_held<'a>(&'a self, held: Hold<'a>) -> Result<ReadGuard<'a, T>> {
        self.body.buffer.share_held(held).map(ReadGuard::new).map_err(|error| self.body.named(error))
    }

    /// As [`Array::try_write`], for an access that has begun.
    pub fn write_held<'a>(&'a self, held: Hold<'a>) -> Result<WriteGuard<'a, T>> {
        let access = self.body.buffer.exclude_held(held, Access::Write);
        access.map(WriteGuard::new).map_err(|error| self.body.named(error))
    }

    /// The elements on the host, some of which other arrays may have too, for an access that [`hold_aliased`] began.
    pub fn cells_held<'a>(&'a self, held: Hold<'a>) -> Result<CellsGuard<'a, T>> {
        self.body.buffer.cells_held(held).map_err(|error| self.body.named(error))
    }

    /// Where valid copies of all elements are.
    pub fn places(&self) -> CopySet {
        self.body.buffer.valid()
    }

    /// Gives up the copy at a place, because its device failed. An array without valid copies is lost: reading it is
    /// an error until it is overwritten.
    pub fn invalidate(&self, place: coherence::Place) -> Result<()> {
        self.body.buffer.invalidate(place)
    }

    pub(crate) fn body(&self) -> Arc<ArrayBody<T>> {
        Arc::clone(&self.body)
    }

    pub(crate) fn from_body(body: Arc<ArrayBody<T>>) -> Array<T> {
        Array { body }
    }

    /// The elements as the ranks of a cluster share them.
    pub(crate) fn by_ranks(&self) -> Arc<dyn SharedByRanks> {
        Arc::clone(&self.body.buffer) as Arc<dyn SharedByRanks>
    }

    /// Whether both handles name the same elements.
    pub fn same_buffer(&self, other: &Array<T>) -> bool {
        Arc::ptr_eq(&self.body.buffer, &other.body.buffer)
    }

    /// A copy of the elements in row-major order.
    pub fn to_vec(&self) -> Vec<T> {
        self.read().to_vec()
    }

    /// The elements in row-major order, without a copy where this is the only handle and the elements came as a
    /// vector.
    pub fn into_vec(self) -> Vec<T> {
        match self.take_vec() {
            Ok(elements) => elements,
            Err(array) => array.to_vec(),
        }
    }

    /// The vector that was moved in, if nobody else has it.
    fn take_vec(self) -> Result<Vec<T>, Array<T>> {
        let body = Arc::try_unwrap(self.body).map_err(|body| Array { body })?;
        let ArrayBody { shape, buffer } = body;
        let rebuilt = |buffer| Array { body: Arc::new(ArrayBody { shape, buffer }) };
        let buffer = Arc::try_unwrap(buffer).map_err(rebuilt)?;
        buffer.into_adopted().map_err(|buffer| rebuilt(Arc::from(buffer)))
    }

    /// One element. Dimensions beyond the last are indexed by 0, a vec also as one row.
    pub fn get(&self, index: &[i64]) -> Result<T> {
        let offset = self.offset(index)?;
        self.element(offset)?.ok_or_else(|| Error::out_of_bounds("", index, self.dims()))
    }

    /// Changes one element, indexed as in [`Array::get`].
    pub fn set(&self, index: &[i64], element: T) -> Result<()> {
        let offset = self.offset(index)?;
        match self.set_element(offset, element)? {
            true => Ok(()),
            false => Err(Error::out_of_bounds("", index, self.dims())),
        }
    }

    /// The element at a place in row-major order; nothing out of range. Where a device has the elements, few of them come alone.
    #[inline]
    pub(crate) fn element(&self, offset: usize) -> Result<Option<T>> {
        self.body.buffer.element(offset).map_err(|error| self.body.named(error))
    }

    /// Changes the element at a place in row-major order. Says whether it is in range.
    #[inline]
    pub(crate) fn set_element(&self, offset: usize, element: T) -> Result<bool> {
        self.body.buffer.set_element(offset, element).map_err(|error| self.body.named(error))
    }

    fn offset(&self, index: &[i64]) -> Result<usize> {
        self.body.shape.offset(index).ok_or_else(|| Error::out_of_bounds("", index, self.dims()))
    }

    /// A new array with the same size and elements, which stay on the device if that is where they are.
    pub fn copy(&self) -> Result<Array<T>> {
        let [_held] = hold([self.wanted(Access::Read)])?;
        let buffer = self.body.buffer.copy().map_err(|error| self.body.named(error))?;
        Ok(Array { body: Arc::new(ArrayBody { shape: self.body.shape, buffer }) })
    }

    /// The same elements with other extents of the same product. Writes to the result are seen in this array.
    pub fn reshape(&self, dims: &[usize]) -> Result<Array<T>> {
        let shape = Shape::new(dims)?;
        if shape.count() != self.len() {
            let message =
                format!("reshape: {} elements of size {} do not fit {shape}", self.len(), self.shape());
            return Err(Error::size_mismatch(message));
        }
        Ok(Array { body: Arc::new(ArrayBody { shape, buffer: Arc::clone(&self.body.buffer) }) })
    }
}

fn check_count(shape: &Shape, found: usize) -> Result<()> {
    if shape.count() == found {
        return Ok(());
    }
    let message = format!("an array of size {shape} has {} elements, found {found}", shape.count());
    Err(Error::SizeMismatch { place: Place::UNKNOWN, message: message.into() })
}

#[expect(
    clippy::panic,
    reason = "documented misuse by Rust code, like borrowing a RefCell twice; no data is lost"
)]
#[cold]
#[track_caller]
fn refused(error: &Error) -> ! {
    if stack::is_in_call() {
        // The library reads and writes by functions that do not fail; the call that is under way gives the error.
        std::panic::resume_unwind(Box::new(Refused(error.clone())));
    }
    panic!("{error}")
}

/// What unwinds to the generated function in which an access was refused.
pub(crate) struct Refused(pub(crate) Error);

impl<T: Element> fmt::Debug for Array<T> {
    /// The size and the first elements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        write!(f, "Array<{}>({}) ", T::TYPE, self.shape())?;
        match self.try_read() {
            Ok(elements) => {
                let shown = elements.get(..SHOWN).unwrap_or(&elements);
                f.debug_list().entries(shown).finish()?;
                if shown.len() < elements.len() { f.write_str("..") } else { Ok(()) }
            }
            Err(_) => f.write_str("(in use)"),
        }
    }
}

impl<T: Element> PartialEq for Array<T> {
    /// Whether size and elements are equal.
    fn eq(&self, other: &Array<T>) -> bool {
        self.dims() == other.dims() && (self.same_buffer_is_reflexive(other) || *self.read() == *other.read())
    }
}

impl<T: Element> Array<T> {
    /// Elements equal themselves, except for NaN: only integers may skip the comparison.
    fn same_buffer_is_reflexive(&self, other: &Array<T>) -> bool {
        T::TYPE.is_integer() && self.same_buffer(other)
    }
}
