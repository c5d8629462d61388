//! Arrays with exclusive access, which a serial kernel reads and writes anywhere.

use super::access::{Access, put_partial_lanes};
use super::fault::{Fault, Site};
use super::mode::{Mode, Safe};
use super::part::Part;
use super::shape::Shape;
use super::view::View;
use crate::element::Element;
use crate::isa::Isa;

/// A whole array for one thread.
#[derive(Debug)]
pub struct Whole<'a, T, const N: usize> {
    data: &'a mut [T],
    shape: Shape<N>,
}

impl<'a, T: Element, const N: usize> Whole<'a, T, N> {
    /// The whole array, with these extents.
    pub fn new(data: &'a mut [T], extents: &[usize]) -> Self {
        let shape = Shape::new(extents, data.len());
        Whole { data, shape }
    }

    #[inline(always)]
    pub(super) fn of_shape(data: &'a mut [T], shape: Shape<N>) -> Self {
        assert!(shape.count() == data.len());
        Whole { data, shape }
    }

    #[inline(always)]
    fn view(&self) -> View<'_, T, N> {
        // SAFETY: all constructors of a `Whole` ensure that its shape has as many elements as its data.
        unsafe { View::of_shape(self.data, self.shape) }
    }
}

impl<T: Element, const N: usize> Access<T, N> for Whole<'_, T, N> {
    #[inline(always)]
    fn extent(&self, axis: usize) -> i32 {
        self.shape.extent(axis)
    }

    #[inline(always)]
    fn count(&self) -> i32 {
        self.view().count()
    }

    #[inline(always)]
    fn get<M: Mode>(&self, index: [i32; N]) -> T {
        self.view().get::<M>(index)
    }

    #[inline(always)]
    fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T> {
        self.view().try_get(index, fault, site)
    }

    #[inline(always)]
    fn get_lanes<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        self.view().get_lanes::<I, L>(from)
    }

    #[inline(always)]
    fn put_lanes<I: Isa, const L: usize>(&mut self, from: [i32; N], values: [T; L]) {
        let found = self.shape.lanes::<L>(from).and_then(|k| self.data.get_mut(k..)?.first_chunk_mut());
        match found {
            Some(lanes) => *lanes = values,
            None => {
                let mut whole = Whole { data: &mut *self.data, shape: self.shape };
                put_partial_lanes(&mut whole, from, &{ values });
            }
        }
    }

    #[inline(always)]
    fn lanes_at<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        self.view().lanes_at::<I, L>(from)
    }

    #[inline(always)]
    fn set_lanes_at<I: Isa, const L: usize>(&mut self, from: [i32; N], values: [T; L]) {
        let lanes = self.data.get_mut(self.shape.place(from)..).and_then(|rest| rest.first_chunk_mut());
        if let Some(lanes) = lanes {
            *lanes = values;
        }
    }

    #[inline(always)]
    fn put(&mut self, index: [i32; N], value: T) {
        if let Some(k) = self.shape.inside(index) {
            // SAFETY: an offset inside the shape is less than its number of elements, which is that of the data.
            unsafe { *self.data.get_unchecked_mut(k) = value };
        }
    }

    #[inline(always)]
    fn try_put(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) -> bool {
        let Some(k) = self.shape.inside(index) else {
            self.shape.outside(index, fault, site);
            return false;
        };
        // SAFETY: an offset inside the shape is less than its number of elements, which is that of the data.
        unsafe { *self.data.get_unchecked_mut(k) = value };
        true
    }

    #[inline(always)]
    fn update(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
        match self.shape.offset::<Safe>(index).and_then(|k| self.data.get_mut(k)) {
            Some(element) => {
                let old = *element;
                *element = change(old);
                (old, *element)
            }
            None => (T::default(), change(T::default())),
        }
    }
}

impl<T: Send, const N: usize> Part for Whole<'_, T, N> {
    fn bytes(&self) -> usize {
        size_of_val(self.data)
    }

    fn split(self, _cut: &[i32]) -> (Self, Self) {
        // Serial kernels are never split; the second half is empty.
        let (empty, _) = <&mut [T]>::default().split_at_mut(0);
        let none = Shape { dims: [0; N], strides: [0; N] };
        (self, Whole { data: empty, shape: none })
    }
}
