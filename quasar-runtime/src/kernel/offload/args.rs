//! Arguments of launches: arrays of any element type, and numbers as they lie in memory.

use crate::array::coherence::{Access, CopySet};
use crate::array::{Array, DeviceGuard, Hold, PartsGuard, Wanted};
use crate::device::Device;
use crate::error::Result;
use quasar_devicelib::element::{Element, ElementType, Scalar};
use std::ops::Range;
use std::sync::Arc;

/// An argument of a launch.
pub enum Arg<'a> {
    /// An array that the kernel reads.
    Read(&'a dyn Placed),
    /// An array that the kernel changes.
    Write(&'a dyn Placed),
    /// A number, or a small array, as it lies in memory.
    Value(Bytes),
}

impl<'a> Arg<'a> {
    /// The array, and what the kernel does with it.
    pub(super) fn array(&self) -> Option<(&'a dyn Placed, Access)> {
        match self {
            Arg::Read(array) => Some((*array, Access::Read)),
            Arg::Write(array) => Some((*array, Access::Write)),
            Arg::Value(_) => None,
        }
    }

    /// A number.
    #[inline]
    pub fn number<T: Element>(x: T) -> Arg<'a> {
        let mut bytes = Bytes { inline: [0; 16], count: 0, spilled: Vec::new() };
        bytes.add(x.to_scalar());
        Arg::Value(bytes)
    }

    /// Whether it is an array without contents.
    pub(super) fn is_new(&self) -> bool {
        match self {
            Arg::Read(array) | Arg::Write(array) => array.places().is_empty(),
            Arg::Value(_) => false,
        }
    }

    /// A small array.
    pub fn numbers<T: Element>(x: &[T]) -> Arg<'a> {
        let mut bytes = Bytes { inline: [0; 16], count: 0, spilled: Vec::new() };
        x.iter().for_each(|x| bytes.add(x.to_scalar()));
        Arg::Value(bytes)
    }
}

/// Numbers as they lie in memory; single ones without an allocation.
#[derive(Debug)]
pub struct Bytes {
    inline: [u8; 16],
    count: usize,
    /// All bytes, once there are more than 16.
    spilled: Vec<u8>,
}

impl Bytes {
    pub(super) fn as_slice(&self) -> &[u8] {
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

mod sealed {
    /// Keeps [`Placed`](super::Placed) to arrays.
    pub trait Sealed {}
    impl<T: super::Element> Sealed for super::Array<T> {}
}

/// Arrays of any element type, as far as devices are concerned. Nothing else is one: kernels get the memory as long as the extents say.
pub trait Placed: sealed::Sealed {
    /// The type of the elements.
    fn element_type(&self) -> ElementType;
    /// The extents.
    fn dims(&self) -> &[usize];
    /// Where valid copies are.
    fn places(&self) -> CopySet;
    /// An access that is to begin together with others.
    fn wanted(&self, access: Access) -> Wanted<'_>;
    /// Makes the elements available on a device, for an access that has begun.
    fn on_device<'a>(
        &'a self,
        device: &Arc<dyn Device>,
        access: Access,
        held: Hold<'a>,
    ) -> Result<DeviceGuard<'a>>;
    /// Makes the elements available on several devices, each of which may change a part of the bytes.
    fn on_devices<'a>(
        &'a self,
        parts: &[(Arc<dyn Device>, Range<usize>)],
        held: Hold<'a>,
    ) -> Result<PartsGuard<'a>>;
    /// Shows the bytes of the elements on the host.
    fn look_at(&self, f: &mut dyn FnMut(&[u8])) -> Result<()>;
}

impl<T: Element> Placed for Array<T> {
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

    fn on_devices<'a>(
        &'a self,
        parts: &[(Arc<dyn Device>, Range<usize>)],
        held: Hold<'a>,
    ) -> Result<PartsGuard<'a>> {
        self.on_devices_held(parts, held)
    }

    fn look_at(&self, f: &mut dyn FnMut(&[u8])) -> Result<()> {
        Array::look_at(self, f)
    }
}
