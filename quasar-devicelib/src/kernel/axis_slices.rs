//! Arrays of which each value of the first component of the position has the elements with that index along an axis: the columns of
//! `y[m,n] = a*y[m-1,n] + x[m,n]` in a kernel over `n`. Threads read and write their own without atomics.

use super::access::Access;
use super::fault::{Fault, Site};
use super::mode::Mode;
use super::part::Part;
use super::shape::Shape;
use super::vector::along;
use crate::element::Element;
use crate::isa::Isa;
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The elements of an array of rank `N` whose indices along `AXIS` lie in a range. Others read as zero, and are not written.
pub struct AxisSlices<'a, T, const N: usize, const AXIS: usize> {
    /// The first element of the whole array.
    elements: NonNull<T>,
    shape: Shape<N>,
    /// The first index along the axis, and the one behind the last. No two parts of an array have an index in common.
    own: (i32, i32),
    array: PhantomData<&'a mut [T]>,
}

// SAFETY: the part has its elements for itself, as a `&mut [T]` has, since no other part has an index along the axis in common with it.
unsafe impl<T: Send, const N: usize, const AXIS: usize> Send for AxisSlices<'_, T, N, AXIS> {}

impl<'a, T: Element, const N: usize, const AXIS: usize> AxisSlices<'a, T, N, AXIS> {
    /// The whole array, with these extents.
    pub fn new(data: &'a mut [T], extents: &[usize]) -> Self {
        const { assert!(AXIS < N) };
        let shape = Shape::new(extents, data.len());
        AxisSlices {
            elements: NonNull::from(data).cast(),
            shape,
            own: (i32::MIN, i32::MAX),
            array: PhantomData,
        }
    }

    /// The offset of an element of this part.
    #[inline(always)]
    fn own(&self, index: [i32; N]) -> Option<usize> {
        let own = (self.own.0..self.own.1).contains(&index[AXIS]);
        self.shape.inside(index).filter(|_| own)
    }

    #[inline(always)]
    fn load(&self, k: usize) -> T {
        // SAFETY: `own` gives offsets inside the shape, which has as many elements as the array, of elements of this part, which
        // nobody writes while `self` is shared.
        unsafe { self.elements.add(k).read() }
    }

    #[inline(always)]
    fn store(&mut self, k: usize, value: T) {
        // SAFETY: as for `load`; nobody else reads or writes elements of this part while `self` is exclusive.
        unsafe { self.elements.add(k).write(value) }
    }

    /// The offset of `L` elements of this part along the last dimension.
    #[inline(always)]
    fn run<const L: usize>(&self, from: [i32; N]) -> Option<usize> {
        let k = self.own(from)?;
        let end = i64::from(from[N - 1]) + L as i64;
        let most =
            if AXIS == N - 1 { self.own.1.min(self.shape.dims[N - 1]) } else { self.shape.dims[N - 1] };
        (end <= i64::from(most)).then_some(k)
    }

    #[cold]
    #[inline(never)]
    fn partial_lanes<const L: usize>(&self, from: [i32; N]) -> [T; L] {
        std::array::from_fn(|k| self.own(along(from, k)).map(|k| self.load(k)).unwrap_or_default())
    }

    #[cold]
    #[inline(never)]
    fn set_partial_lanes(&mut self, from: [i32; N], values: &[T]) {
        for (k, value) in values.iter().enumerate() {
            self.put(along(from, k), *value);
        }
    }
}

impl<T: Element, const N: usize, const AXIS: usize> Access<T, N> for AxisSlices<'_, T, N, AXIS> {
    #[inline(always)]
    fn extent(&self, axis: usize) -> i32 {
        self.shape.extent(axis)
    }

    #[inline(always)]
    fn count(&self) -> i32 {
        self.shape.count() as i32
    }

    #[inline(always)]
    fn get<M: Mode>(&self, index: [i32; N]) -> T {
        self.own(index).map(|k| self.load(k)).unwrap_or_default()
    }

    #[inline(always)]
    fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T> {
        if self.shape.inside(index).is_none() {
            self.shape.outside(index, fault, site);
            return None;
        }
        Some(self.own(index).map(|k| self.load(k)).unwrap_or_default())
    }

    #[inline(always)]
    fn put(&mut self, index: [i32; N], value: T) {
        if let Some(k) = self.own(index) {
            self.store(k, value);
        }
    }

    #[inline(always)]
    fn get_lanes<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        match self.run::<L>(from) {
            // SAFETY: as for `load`, for `L` elements that lie side by side.
            Some(k) => unsafe { self.elements.add(k).cast::<[T; L]>().read() },
            None => self.partial_lanes(from),
        }
    }

    #[inline(always)]
    fn put_lanes<I: Isa, const L: usize>(&mut self, from: [i32; N], values: [T; L]) {
        match self.run::<L>(from) {
            // SAFETY: as for `store`, for `L` elements that lie side by side.
            Some(k) => unsafe { self.elements.add(k).cast::<[T; L]>().write(values) },
            None => self.set_partial_lanes(from, &values),
        }
    }
}

impl<T: Element + Send, const N: usize, const AXIS: usize> Part for AxisSlices<'_, T, N, AXIS> {
    fn split(self, cut: &[i32]) -> (Self, Self) {
        let (first, end) = self.own;
        let middle = cut.first().copied().unwrap_or(end).clamp(first, end);
        let part = |own| AxisSlices { own, ..self };
        (part((first, middle)), part((middle, end)))
    }

    fn bytes(&self) -> usize {
        self.shape.count().saturating_mul(size_of::<T>())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Safe;
    use super::*;
    use crate::isa::Baseline;

    #[test]
    fn columns_are_divided_among_threads() {
        let mut data = [0; 24];
        let slices = AxisSlices::<i32, 2, 1>::new(&mut data, &[2, 12]);
        let (first, second) = slices.split(&[5]);
        let (second, third) = second.split(&[9]);
        std::thread::scope(|scope| {
            for (number, mut part) in [first, second, third].into_iter().enumerate() {
                scope.spawn(move || {
                    for k in 0..24 {
                        part.put([k / 12, k % 12], number as i32 + 1);
                    }
                    part.put([2, 0], 9);
                    part.put([0, -1], 9);
                    part.put([0, 12], 9);
                });
            }
        });
        assert_eq!(data, [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3].repeat(2)[..]);
    }

    #[test]
    fn lanes_end_where_the_part_does() {
        let mut data: Vec<i32> = (0..24).collect();
        let (mut first, second) = AxisSlices::<i32, 2, 1>::new(&mut data, &[2, 12]).split(&[6]);
        assert_eq!(first.get_lanes::<Baseline, _>([1, 2]), [14, 15, 16, 17]);
        assert_eq!(first.get_lanes::<Baseline, _>([1, 3]), [15, 16, 17, 0]);
        assert_eq!(second.get_lanes::<Baseline, _>([0, 10]), [10, 11, 0, 0]);
        assert_eq!(second.get_lanes::<Baseline, _>([2, 6]), [0; 4]);
        first.put_lanes::<Baseline, _>([0, 0], [-1; 4]);
        first.put_lanes::<Baseline, _>([0, 4], [-2; 4]);
        assert_eq!((first.get::<Safe>([0, 5]), first.get::<Safe>([0, 6])), (-2, 0));
        assert_eq!(data[..8], [-1, -1, -1, -1, -2, -2, 6, 7]);
    }

    #[test]
    fn planes_belong_to_a_position() {
        let mut data: Vec<i32> = (0..12).collect();
        let (mut first, second) = AxisSlices::<i32, 3, 1>::new(&mut data, &[2, 2, 3]).split(&[1]);
        assert_eq!(first.get_lanes::<Baseline, _>([1, 0, 0]), [6, 7, 8]);
        assert_eq!(
            (first.get_lanes::<Baseline, 3>([1, 1, 0]), second.get_lanes::<Baseline, _>([1, 1, 0])),
            ([0; 3], [9, 10, 11])
        );
        assert_eq!(first.update([0, 0, 2], |old| old + 5), (2, 7));
        assert_eq!(data[2], 7);
    }
}
