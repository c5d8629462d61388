//! Arrays that a serial kernel reads and writes anywhere.

use super::fault::{Fault, Site};
use super::mode::{Mode, Safe};
use super::part::Part;
use super::shape::Shape;

/// A whole array for one thread.
#[derive(Debug)]
pub struct Whole<'a, T, const N: usize> {
    data: &'a mut [T],
    shape: Shape<N>,
}

impl<'a, T: Copy + Default, const N: usize> Whole<'a, T, N> {
    /// All of an array with these extents.
    pub fn new(data: &'a mut [T], extents: &[usize]) -> Self {
        let shape = Shape::new(extents, data.len());
        Whole { data, shape }
    }

    #[inline(always)]
    pub(super) fn of_shape(data: &'a mut [T], shape: Shape<N>) -> Self {
        assert!(shape.count() == data.len());
        Whole { data, shape }
    }

    /// The extent of a dimension; 1 beyond the last.
    #[inline(always)]
    pub fn extent(&self, axis: usize) -> i32 {
        self.shape.dims.get(axis).copied().unwrap_or(1)
    }

    /// The number of elements.
    #[inline(always)]
    pub fn count(&self) -> i32 {
        // Loops up to it are seen to stay inside a vector.
        if N == 1 { self.shape.dims[0] } else { self.data.len() as i32 }
    }

    /// An element; zero where the mode maps an index to nothing.
    #[inline(always)]
    pub fn get<M: Mode>(&self, index: [i32; N]) -> T {
        if M::FOLDS {
            let element = self.shape.offset::<M>(index).and_then(|k| self.data.get(k));
            return element.copied().unwrap_or_default();
        }
        match self.shape.inside(index) {
            // SAFETY: an offset inside the shape is less than its number of elements, which is that of the data.
            Some(k) => unsafe { *self.data.get_unchecked(k) },
            None => T::default(),
        }
    }

    /// An element; a fault out of range.
    #[inline(always)]
    pub fn checked(&self, index: [i32; N], fault: &Fault, site: Site) -> T {
        self.try_get(index, fault, site).unwrap_or_default()
    }

    /// As [`Whole::checked`]; none out of range.
    #[inline(always)]
    pub fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T> {
        let Some(k) = self.shape.inside(index) else {
            self.shape.outside(index, fault, site);
            return None;
        };
        // SAFETY: an offset inside the shape is less than its number of elements, which is that of the data.
        Some(unsafe { *self.data.get_unchecked(k) })
    }

    /// Writes an element; nothing out of range.
    #[inline(always)]
    pub fn put(&mut self, index: [i32; N], value: T) {
        if let Some(k) = self.shape.inside(index) {
            // SAFETY: as in `get`.
            unsafe { *self.data.get_unchecked_mut(k) = value };
        }
    }

    /// Writes an element; a fault out of range.
    #[inline(always)]
    pub fn put_checked(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) {
        self.try_put(index, value, fault, site);
    }

    /// As [`Whole::put_checked`]; says whether the index is in range.
    #[inline(always)]
    pub fn try_put(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) -> bool {
        let Some(k) = self.shape.inside(index) else {
            self.shape.outside(index, fault, site);
            return false;
        };
        // SAFETY: an offset inside the shape is less than its number of elements, which is that of the data.
        unsafe { *self.data.get_unchecked_mut(k) = value };
        true
    }

    /// Replaces an element by a function of it and gives the old and the new value; out of range both come from zero.
    #[inline(always)]
    pub fn update(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
        match self.shape.offset::<Safe>(index).and_then(|k| self.data.get_mut(k)) {
            Some(element) => {
                let old = *element;
                *element = change(old);
                (old, *element)
            }
            None => (T::default(), change(T::default())),
        }
    }

    /// As [`Whole::update`], a fault out of range.
    #[inline(always)]
    pub fn update_checked(
        &mut self,
        index: [i32; N],
        change: impl Fn(T) -> T,
        fault: &Fault,
        site: Site,
    ) -> (T, T) {
        match self.try_update(index, &change, fault, site) {
            Some(both) => both,
            None => (T::default(), change(T::default())),
        }
    }

    /// As [`Whole::update_checked`]; none out of range.
    #[inline(always)]
    pub fn try_update(
        &mut self,
        index: [i32; N],
        change: impl Fn(T) -> T,
        fault: &Fault,
        site: Site,
    ) -> Option<(T, T)> {
        let old = self.try_get(index, fault, site)?;
        let new = change(old);
        self.put(index, new);
        Some((old, new))
    }
}

impl<T: Send, const N: usize> Part for Whole<'_, T, N> {
    fn split(self, _cut: &[i32]) -> (Self, Self) {
        // Serial kernels are never cut; the other part finds an empty array.
        let (empty, _) = <&mut [T]>::default().split_at_mut(0);
        let none = Shape { dims: [0; N], strides: [0; N] };
        (self, Whole { data: empty, shape: none })
    }
}
