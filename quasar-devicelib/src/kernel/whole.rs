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

    pub(super) fn of_shape(data: &'a mut [T], shape: Shape<N>) -> Self {
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
        self.data.len() as i32
    }

    /// An element; zero where the mode maps an index to nothing.
    #[inline(always)]
    pub fn get<M: Mode>(&self, index: [i32; N]) -> T {
        let element = self.shape.offset::<M>(index).and_then(|k| self.data.get(k));
        element.copied().unwrap_or_default()
    }

    /// An element; a fault out of range.
    #[inline(always)]
    pub fn checked(&self, index: [i32; N], fault: &Fault, site: Site) -> T {
        match self.shape.inside(index) {
            Some(k) => self.data.get(k).copied().unwrap_or_default(),
            None => {
                self.shape.outside(index, fault, site);
                T::default()
            }
        }
    }

    /// Writes an element; nothing out of range.
    #[inline(always)]
    pub fn put(&mut self, index: [i32; N], value: T) {
        if let Some(element) = self.shape.offset::<Safe>(index).and_then(|k| self.data.get_mut(k)) {
            *element = value;
        }
    }

    /// Writes an element; a fault out of range.
    #[inline(always)]
    pub fn put_checked(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) {
        match self.shape.inside(index) {
            Some(k) => {
                if let Some(element) = self.data.get_mut(k) {
                    *element = value;
                }
            }
            None => self.shape.outside(index, fault, site),
        }
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
        if self.shape.inside(index).is_none() {
            self.shape.outside(index, fault, site);
        }
        self.update(index, change)
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
