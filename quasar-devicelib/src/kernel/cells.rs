//! Arrays of a kernel that may share elements: one thread reads and writes them in order, and each access goes to memory.

use super::access::Access;
use super::fault::{Fault, Site};
use super::mode::{Checked, Mode, Safe};
use super::part::Part;
use super::scatter::{Atomic, cells};
use super::shape::Shape;

/// A whole array for one thread, some elements of which may be those of others too.
pub struct Cells<'a, T: Atomic, const N: usize> {
    cells: &'a [T::Cell],
    writable: bool,
    shape: Shape<N>,
}

impl<'a, T: Atomic, const N: usize> Cells<'a, T, N> {
    /// All of an array with these extents.
    pub fn new(data: &'a mut [T], extents: &[usize]) -> Self {
        let shape = Shape::new(extents, data.len());
        Cells { cells: cells(data), writable: true, shape }
    }

    /// The `count` elements at an address. Writes do nothing unless they are `writable`.
    ///
    /// # Safety
    /// They are initialised and stay where they are as long as `'a`. Meanwhile other accesses to them are those of other `Cells`, or
    /// only reads if nobody has them as `writable` ones.
    pub unsafe fn of_elements(elements: *mut T, count: usize, writable: bool, extents: &[usize]) -> Self {
        const { assert!(size_of::<T>() == size_of::<T::Cell>() && align_of::<T>() >= align_of::<T::Cell>()) };
        let shape = Shape::new(extents, count);
        // SAFETY: cells have the size of elements, need no larger alignment, and admit every bit pattern (`Atomic`), as elements do
        // (`Element`); the caller promises the rest.
        let cells = unsafe { std::slice::from_raw_parts(elements.cast::<T::Cell>().cast_const(), count) };
        Cells { cells, writable, shape }
    }

    #[inline(always)]
    fn cell<M: Mode>(&self, index: [i32; N]) -> Option<&'a T::Cell> {
        self.shape.offset::<M>(index).and_then(|k| self.cells.get(k))
    }

    #[inline(always)]
    fn checked_cell(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<&'a T::Cell> {
        let cell = self.cell::<Checked>(index);
        if cell.is_none() {
            self.shape.outside(index, fault, site);
        }
        cell
    }
}

impl<T: Atomic, const N: usize> Access<T, N> for Cells<'_, T, N> {
    #[inline(always)]
    fn extent(&self, axis: usize) -> i32 {
        self.shape.extent(axis)
    }

    #[inline(always)]
    fn count(&self) -> i32 {
        self.cells.len() as i32
    }

    #[inline(always)]
    fn get<M: Mode>(&self, index: [i32; N]) -> T {
        self.cell::<M>(index).map(T::load).unwrap_or_default()
    }

    #[inline(always)]
    fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T> {
        self.checked_cell(index, fault, site).map(T::load)
    }

    #[inline(always)]
    fn put(&mut self, index: [i32; N], value: T) {
        if let Some(cell) = self.cell::<Safe>(index).filter(|_| self.writable) {
            T::store(cell, value);
        }
    }

    #[inline(always)]
    fn try_put(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) -> bool {
        let cell = self.checked_cell(index, fault, site);
        if let Some(cell) = cell.filter(|_| self.writable) {
            T::store(cell, value);
        }
        cell.is_some()
    }
}

impl<T: Atomic, const N: usize> Part for Cells<'_, T, N> {
    fn bytes(&self) -> usize {
        size_of_val(self.cells)
    }

    fn split(self, _cut: &[i32]) -> (Self, Self) {
        // Kernels whose arrays may share elements are never cut; the other part finds an empty array.
        let none = Shape { dims: [0; N], strides: [0; N] };
        (self, Cells { cells: &[], writable: false, shape: none })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex;

    #[test]
    fn two_arrays_with_the_same_elements() {
        let mut data = [1.0_f32, 2.0, 3.0, 4.0];
        let elements = data.as_mut_ptr();
        // SAFETY: the array is used through these two alone.
        let (mut a, mut b) = unsafe {
            (
                Cells::<f32, 1>::of_elements(elements, 4, true, &[4]),
                Cells::<f32, 2>::of_elements(elements, 4, true, &[2, 2]),
            )
        };
        a.put([3], 7.0);
        assert_eq!(b.get::<Safe>([1, 1]), 7.0);
        assert_eq!(b.update([0, 1], |x| x * 10.0), (2.0, 20.0));
        assert_eq!((a.get::<Safe>([1]), a.get::<Safe>([4]), a.count(), b.extent(1)), (20.0, 0.0, 4, 2));
    }

    #[test]
    fn what_is_only_read_is_not_written() {
        let mut data = [5_u8; 3];
        // SAFETY: nothing else uses the array.
        let mut a = unsafe { Cells::<u8, 1>::of_elements(data.as_mut_ptr(), 3, false, &[3]) };
        a.put([0], 1);
        let fault = Fault::new();
        assert!(a.try_put([1], 1, &fault, ("a", 1)));
        assert_eq!(data, [5; 3]);
    }

    #[test]
    fn complex_numbers_are_updated_as_a_whole() {
        let mut data = [Complex::new(1.0_f32, 2.0)];
        let mut view = Cells::<_, 1>::new(&mut data, &[1]);
        view.update([0], |z| z * Complex::new(0.0, 1.0));
        assert_eq!(data, [Complex::new(-2.0, 1.0)]);
    }
}
