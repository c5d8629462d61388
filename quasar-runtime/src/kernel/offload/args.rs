//! Arguments of device launches: arrays of any element type, and numbers in their memory layout.

use crate::array::coherence::{Access, CopySet};
use crate::array::{Array, DeviceGuard, Hold, PartsGuard, SharedByRanks, StoredRows, Wanted};
use crate::device::Device;
use crate::error::Result;
use quasar_devicelib::element::{Element, ElementType, Scalar};
use std::ops::Range;
use std::sync::Arc;

/// An argument of a launch.
pub enum Arg<'a> {
    /// An array that the kernel only reads.
    Read(&'a dyn DeviceArray),
    /// An array that the kernel writes.
    Write(&'a dyn DeviceArray),
    /// A small array that the kernel gets as a value, as it is when the launch holds its arrays.
    Small(&'a dyn DeviceArray),
    /// A number as it lies in memory.
    Value(Bytes),
}

impl<'a> Arg<'a> {
    /// The array that is passed by reference, and its access mode.
    pub(crate) fn array(&self) -> Option<(&'a dyn DeviceArray, Access)> {
        match self {
            Arg::Read(array) => Some((*array, Access::Read)),
            Arg::Write(array) => Some((*array, Access::Write)),
            Arg::Small(_) | Arg::Value(_) => None,
        }
    }

    /// The array that is passed as a value.
    pub(crate) fn small(&self) -> Option<&'a dyn DeviceArray> {
        match self {
            Arg::Small(array) => Some(*array),
            _ => None,
        }
    }

    /// A number passed by value.
    #[inline]
    pub fn number<T: Element>(x: T) -> Arg<'a> {
        Arg::Value(Bytes::from(x.to_scalar()))
    }

    /// Whether it is an array that was never written.
    pub(super) fn is_new(&self) -> bool {
        match self {
            Arg::Read(array) | Arg::Write(array) => array.places().is_empty(),
            Arg::Small(_) | Arg::Value(_) => false,
        }
    }
}

/// Numbers in their memory layout, with inline storage for single numbers.
#[derive(Debug)]
pub struct Bytes {
    inline: [u8; 16],
    count: usize,
    /// All bytes, once there are more than 16.
    spilled: Vec<u8>,
}

impl From<Scalar> for Bytes {
    fn from(x: Scalar) -> Bytes {
        let mut bytes = Bytes { inline: [0; 16], count: 0, spilled: Vec::new() };
        bytes.add(x);
        bytes
    }
}

impl Bytes {
    pub(crate) fn as_slice(&self) -> &[u8] {
        self.inline.get(..self.count).unwrap_or(&self.spilled)
    }

    fn extend(&mut self, bytes: &[u8]) {
        let end = self.count + bytes.len();
        match self.inline.get_mut(self.count..end) {
            Some(place) => place.copy_from_slice(bytes),
            None => {
                if self.spilled.is_empty() {
                    self.spilled.extend_from_slice(self.inline.get(..self.count).unwrap_or_default());
                }
                self.spilled.extend_from_slice(bytes);
            }
        }
        self.count = end;
    }

    #[inline]
    fn add(&mut self, x: Scalar) {
        match x {
            Scalar::I8(x) => self.extend(&x.to_ne_bytes()),
            Scalar::I16(x) => self.extend(&x.to_ne_bytes()),
            Scalar::I32(x) => self.extend(&x.to_ne_bytes()),
            Scalar::I64(x) => self.extend(&x.to_ne_bytes()),
            Scalar::U8(x) => self.extend(&x.to_ne_bytes()),
            Scalar::U16(x) => self.extend(&x.to_ne_bytes()),
            Scalar::U32(x) => self.extend(&x.to_ne_bytes()),
            Scalar::U64(x) => self.extend(&x.to_ne_bytes()),
            Scalar::F16(x) => self.extend(&x.to_ne_bytes()),
            Scalar::F32(x) => self.extend(&x.to_ne_bytes()),
            Scalar::F64(x) => self.extend(&x.to_ne_bytes()),
            Scalar::C32(x) => [x.re, x.im].iter().for_each(|x| self.extend(&x.to_ne_bytes())),
            Scalar::C64(x) => [x.re, x.im].iter().for_each(|x| self.extend(&x.to_ne_bytes())),
        }
    }
}

/// The bytes of an array.
pub(super) fn bytes(array: &dyn DeviceArray) -> usize {
    array.dims().iter().fold(array.element_type().size(), |n, &d| n * d)
}

/// The elements of an array as the ranks of a cluster share them.
pub struct ByRanks(pub(crate) Arc<dyn SharedByRanks>);

impl std::fmt::Debug for ByRanks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ByRanks").field(&self.0.identity()).finish()
    }
}

mod sealed {
    /// Seals [`Placed`](super::Placed), so that only arrays implement it.
    pub trait Sealed {}
    impl<T: super::Element> Sealed for super::Array<T> {}
}

/// A type-erased view of [`Array`] for launches. Sealed, since launches rely on memory of the size that
/// the extents state.
pub trait DeviceArray: sealed::Sealed {
    /// The element type.
    fn element_type(&self) -> ElementType;
    /// The extents.
    fn dims(&self) -> &[usize];
    /// The memory spaces with valid copies.
    fn places(&self) -> CopySet;
    /// A request for an access, to be acquired together with others.
    fn wanted(&self, access: Access) -> Wanted<'_>;
    /// Makes the elements valid on a device, for an acquired access.
    fn on_device<'a>(
        &'a self,
        device: &Arc<dyn Device>,
        access: Access,
        held: Hold<'a>,
    ) -> Result<DeviceGuard<'a>>;
    /// Makes some bytes of the elements valid on a device, to be read, for an acquired access.
    fn on_device_parts<'a>(
        &'a self,
        device: &Arc<dyn Device>,
        parts: &[Range<usize>],
        held: Hold<'a>,
    ) -> Result<DeviceGuard<'a>>;
    /// Makes the elements available on several devices, each of which may write a byte range.
    fn on_devices<'a>(
        &'a self,
        parts: &[(Arc<dyn Device>, Range<usize>)],
        access: Access,
        held: Hold<'a>,
    ) -> Result<PartsGuard<'a>>;
    /// The bytes of the elements, for an access that has begun.
    fn bytes_held(&self, held: Hold<'_>) -> Result<Vec<u8>>;
    /// The elements as the ranks of a cluster share them.
    fn by_ranks(&self) -> ByRanks;
    /// What is known of a stored array that is in its store only.
    fn stored_rows(&self) -> Option<StoredRows>;
    /// Where the elements of a stored array come from, if its store has them and knows.
    fn stored_origin(&self) -> Option<u64>;
    /// Passes the bytes of the elements on the host to `f`.
    fn look_at(&self, f: &mut dyn FnMut(&[u8])) -> Result<()>;
}

impl<T: Element> DeviceArray for Array<T> {
    fn element_type(&self) -> ElementType {
        T::TYPE
    }

    fn dims(&self) -> &[usize] {
        Array::dims(self)
    }

    fn places(&self) -> CopySet {
        Array::places(self)
    }

    fn wanted(&self, access: Access) -> Wanted<'_> {
        Array::wanted(self, access)
    }

    fn on_device<'a>(
        &'a self,
        device: &Arc<dyn Device>,
        access: Access,
        held: Hold<'a>,
    ) -> Result<DeviceGuard<'a>> {
        self.on_device_held(device, access, held)
    }

    fn on_device_parts<'a>(
        &'a self,
        device: &Arc<dyn Device>,
        parts: &[Range<usize>],
        held: Hold<'a>,
    ) -> Result<DeviceGuard<'a>> {
        self.on_device_parts_held(device, parts, held)
    }

    fn on_devices<'a>(
        &'a self,
        parts: &[(Arc<dyn Device>, Range<usize>)],
        access: Access,
        held: Hold<'a>,
    ) -> Result<PartsGuard<'a>> {
        self.on_devices_held(parts, access, held)
    }

    fn bytes_held(&self, held: Hold<'_>) -> Result<Vec<u8>> {
        Array::bytes_held(self, held)
    }

    fn by_ranks(&self) -> ByRanks {
        ByRanks(Array::by_ranks(self))
    }

    fn stored_rows(&self) -> Option<StoredRows> {
        Array::stored_rows(self)
    }

    fn stored_origin(&self) -> Option<u64> {
        Array::stored_origin(self)
    }

    fn look_at(&self, f: &mut dyn FnMut(&[u8])) -> Result<()> {
        Array::look_at(self, f)
    }
}
