//! Dynamically sized arrays that a thread of a CPU kernel allocates.

use super::access::{Access, lanes_in_range, partial_lanes, put_partial_lanes};
use super::fault::{Fault, FaultKind, Site};
use super::heap_memory::{self, Words};
use super::mode::Mode;
use super::shape::Shape;
use crate::element::Element;
use crate::isa::Isa;
use std::cell::Cell;
use std::ptr::NonNull;
use std::rc::Rc;

/// An array of rank `N`; clones alias the elements.
///
/// Loops over elements need them at hand: behind the pointer to the owner, each store could change where they lie.
#[derive(Clone, Debug)]
pub struct Heap<T: Copy, const N: usize> {
    /// The memory of the elements; none of an array that was never made.
    owner: Option<Rc<Box<Words>>>,
    /// The first element.
    first: NonNull<Cell<T>>,
    count: usize,
    shape: Shape<N>,
}

impl<T: Copy, const N: usize> Default for Heap<T, N> {
    #[inline(always)]
    fn default() -> Self {
        let shape = Shape { dims: [0; N], strides: [0; N] };
        Heap { owner: None, first: NonNull::dangling(), count: 0, shape }
    }
}

impl<T: Copy, const N: usize> Drop for Heap<T, N> {
    #[inline(always)]
    fn drop(&mut self) {
        if let Some(owner) = self.owner.take() {
            heap_memory::give_back(owner);
        }
    }
}

impl<T: Element, const N: usize> Heap<T, N> {
    /// A zeroed array. If the allocation fails, that is a fault, and the array is empty.
    pub fn zeros(dims: [i32; N], fault: &Fault, site: Site) -> Self {
        let made = Heap::uninit(dims, fault, site);
        made.elements().iter().for_each(|cell| cell.set(T::default()));
        made
    }

    /// As [`Heap::zeros`], with any elements.
    pub fn uninit(dims: [i32; N], fault: &Fault, site: Site) -> Self {
        const { assert!(align_of::<T>() <= align_of::<u64>()) };
        let extents = dims.map(|n| usize::try_from(n).unwrap_or(0));
        let count = extents.iter().try_fold(1_usize, |count, &n| count.checked_mul(n));
        let count = count.filter(|&n| i32::try_from(n).is_ok()).unwrap_or(usize::MAX);
        match count.checked_mul(size_of::<T>()).and_then(heap_memory::take) {
            Some(owner) => {
                let first = NonNull::from(&**owner).cast();
                Heap { owner: Some(owner), first, count, shape: Shape::exact(extents) }
            }
            None => {
                no_room(fault, site, &dims);
                Heap::default()
            }
        }
    }

    #[inline(always)]
    pub(super) fn elements(&self) -> &[Cell<T>] {
        // SAFETY: the memory has room for so many elements, is aligned for them, and lives as long as the borrow, since the owner
        // is not replaced. It holds numbers at all times, and elements are numbers of any bits (`Element`). All accesses go
        // through cells of one thread: an owner is not sent to others.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.count) }
    }

    /// The same elements with other extents; empty if their number differs.
    pub fn reshaped<const M: usize>(&self, dims: [i32; M]) -> Heap<T, M> {
        let shape = Shape::exact(dims.map(|n| usize::try_from(n).unwrap_or(0)));
        match shape.count() == self.count {
            true => Heap { owner: self.owner.clone(), first: self.first, count: self.count, shape },
            false => Heap::default(),
        }
    }

    /// The array for a function that is not inlined: what such a function has a reference to stays in memory.
    #[inline(always)]
    fn lent(&self) -> Self {
        Heap { owner: None, first: self.first, count: self.count, shape: self.shape }
    }

    /// `L` elements along the last dimension; nothing where one is out of range.
    #[inline(always)]
    fn lanes<const L: usize>(&self, from: [i32; N]) -> Option<&[Cell<T>; L]> {
        self.elements().get(self.shape.lanes::<L>(from)?..)?.first_chunk()
    }

    #[inline(always)]
    fn cell(&self, index: [i32; N]) -> Option<&Cell<T>> {
        self.elements().get(self.shape.inside(index)?)
    }
}

/// The elements of an array of cells. One by one, they would be put together in memory.
#[inline(always)]
fn elements_of<T: Element, const L: usize>(lanes: &[Cell<T>; L]) -> [T; L] {
    // SAFETY: an array of cells lies as one of elements does, and nothing else accesses it while these are copied.
    unsafe { lanes.as_ptr().cast::<[T; L]>().read() }
}

#[inline(always)]
fn set_elements<T: Element, const L: usize>(lanes: &[Cell<T>; L], values: [T; L]) {
    // SAFETY: an array of cells lies as one of elements does, and may be written through a shared reference.
    unsafe { lanes.as_ptr().cast::<[T; L]>().cast_mut().write(values) }
}

#[cold]
pub(super) fn no_room(fault: &Fault, site: Site, dims: &[i32]) {
    let size: Vec<_> = dims.iter().map(i32::to_string).collect();
    let text = format!("out of dynamic memory: no room for an array of size {}", size.join("x"));
    fault.raise(site, FaultKind::Error(text));
}

impl<T: Element, const N: usize> Access<T, N> for Heap<T, N> {
    #[inline(always)]
    fn extent(&self, axis: usize) -> i32 {
        self.shape.extent(axis)
    }

    #[inline(always)]
    fn count(&self) -> i32 {
        self.count as i32
    }

    #[inline(always)]
    fn get<M: Mode>(&self, index: [i32; N]) -> T {
        let cell = match M::FOLDS {
            true => self.shape.offset::<M>(index).and_then(|k| self.elements().get(k)),
            false => self.cell(index),
        };
        cell.map(Cell::get).unwrap_or_default()
    }

    #[inline(always)]
    fn at(&self, index: [i32; N]) -> T {
        self.elements().get(self.shape.place(index)).map(Cell::get).unwrap_or_default()
    }

    #[inline(always)]
    fn set_at(&mut self, index: [i32; N], value: T) {
        if let Some(cell) = self.elements().get(self.shape.place(index)) {
            cell.set(value);
        }
    }

    #[inline(always)]
    fn lanes_at<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        let (from, elements) = (self.shape.place(from), self.elements());
        match elements.get(from..).and_then(|rest| rest.first_chunk()) {
            Some(lanes) => elements_of(lanes),
            None => lanes_in_range(from, |k| elements.get(k).map(Cell::get)),
        }
    }

    #[inline(always)]
    fn set_lanes_at<I: Isa, const L: usize>(&mut self, from: [i32; N], values: [T; L]) {
        let lanes = self.elements().get(self.shape.place(from)..).and_then(|rest| rest.first_chunk());
        if let Some(lanes) = lanes {
            set_elements(lanes, values);
        }
    }

    #[inline(always)]
    fn get_lanes<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        match self.lanes::<L>(from) {
            Some(lanes) => elements_of(lanes),
            None => partial_lanes(&self.lent(), from),
        }
    }

    #[inline(always)]
    fn put_lanes<I: Isa, const L: usize>(&mut self, from: [i32; N], values: [T; L]) {
        match self.lanes::<L>(from) {
            Some(lanes) => set_elements(lanes, values),
            None => put_partial_lanes(&mut self.lent(), from, &{ values }),
        }
    }

    #[inline(always)]
    fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T> {
        let cell = self.cell(index);
        if cell.is_none() {
            self.shape.outside(index, fault, site);
        }
        cell.map(Cell::get)
    }

    #[inline(always)]
    fn put(&mut self, index: [i32; N], value: T) {
        if let Some(cell) = self.cell(index) {
            cell.set(value);
        }
    }

    #[inline(always)]
    fn try_put(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) -> bool {
        let cell = self.cell(index);
        match cell {
            Some(cell) => cell.set(value),
            None => self.shape.outside(index, fault, site),
        }
        cell.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::mode::{Circular, Mirror, Safe};
    use super::*;

    #[test]
    fn copies_are_other_names() {
        let fault = Fault::new();
        let a: Heap<f32, 2> = Heap::zeros([2, 3], &fault, ("a", 1));
        let (mut b, mut row) = (a.clone(), a.reshaped([6]));
        b.put([1, 0], 5.0);
        assert_eq!((a.get::<Safe>([1, 0]), row.get::<Safe>([3]), row.extent(0)), (5.0, 5.0, 6));
        assert_eq!(
            (a.get::<Circular>([-1, 3]), a.get::<Mirror>([2, 0]), a.get::<Safe>([2, 0])),
            (5.0, 5.0, 0.0)
        );
        assert_eq!(row.update([3], |x| x + 1.0), (5.0, 6.0));
        assert_eq!(a.reshaped([5]).count(), 0, "other elements than there are");
        assert!(!fault.is_set());
    }

    #[test]
    fn there_is_an_end_to_memory() {
        let fault = Fault::new();
        let none: Heap<f64, 3> = Heap::zeros([2_000_000, 2_000_000, 1], &fault, ("a", 7));
        assert_eq!((none.count(), none.extent(0)), (0, 0));
        let report = fault.into_report().unwrap();
        let text = "out of dynamic memory: no room for an array of size 2000000x2000000x1";
        assert_eq!((report.kind, report.line), (FaultKind::Error(text.to_owned()), 7));
    }
}
