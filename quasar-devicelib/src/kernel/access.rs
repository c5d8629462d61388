//! The array interface of kernels and device functions, implemented by every kind of kernel argument.

use super::fault::{Fault, Site};
use super::mode::{Mode, Safe};
use super::vector::along;
use crate::element::Element;
use crate::isa::Isa;

/// An array of rank `N` as a kernel or device function sees it.
///
/// An index out of range selects no element. The `checked` and `try_..` methods also raise a fault then.
pub trait Access<T: Element, const N: usize> {
    /// The extent of a dimension; 1 beyond the last.
    fn extent(&self, axis: usize) -> i32;

    /// The number of elements.
    fn count(&self) -> i32;

    /// Loads an element; zero if the mode maps an index to no element.
    fn get<M: Mode>(&self, index: [i32; N]) -> T;

    /// As [`Access::checked`]; `None` out of range.
    fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T>;

    /// Stores an element; a no-op out of range and for read-only arrays.
    fn put(&mut self, index: [i32; N], value: T);

    /// As [`Access::put_checked`]; returns whether the index is in range.
    #[inline(always)]
    fn try_put(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) -> bool {
        let found = self.try_get(index, fault, site).is_some();
        self.put(index, value);
        found
    }

    /// Read-modify-write: returns the old and the new value. Out of range the old value is zero and nothing is stored.
    #[inline(always)]
    fn update(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
        let old = self.get::<Safe>(index);
        let new = change(old);
        self.put(index, new);
        (old, new)
    }

    /// As [`Access::update`], of an element that no other thread changes.
    #[inline(always)]
    fn update_alone(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
        self.update(index, change)
    }

    /// As [`Access::update_checked`]; `None` out of range.
    #[inline(always)]
    fn try_update(
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

    /// Loads an element; a fault out of range.
    #[inline(always)]
    fn checked(&self, index: [i32; N], fault: &Fault, site: Site) -> T {
        self.try_get(index, fault, site).unwrap_or_default()
    }

    /// Stores an element; a fault out of range.
    #[inline(always)]
    fn put_checked(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) {
        self.try_put(index, value, fault, site);
    }

    /// As [`Access::update`]; a fault out of range.
    #[inline(always)]
    fn update_checked(
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

    /// Loads an element whose indices are all in range. Else it is any element, or zero.
    #[inline(always)]
    fn at(&self, index: [i32; N]) -> T {
        self.get::<Safe>(index)
    }

    /// Stores an element whose indices are all in range. Else it is any element, or nothing is stored.
    #[inline(always)]
    fn set_at(&mut self, index: [i32; N], value: T) {
        self.put(index, value);
    }

    /// `L` elements from `from` on along the last dimension; zeros out of range.
    #[inline(always)]
    fn get_lanes<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        std::array::from_fn(|lane| self.get::<Safe>(along(from, lane)))
    }

    /// `L` elements along the last dimension, in range where they count: of lanes whose condition does not hold, they are any elements,
    /// or zeros. Rows of arrays that are only read are cut before a vector leaves the array; there all are in range.
    #[inline(always)]
    fn lanes_at<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        self.get_lanes::<I, L>(from)
    }

    /// Stores `L` elements along the last dimension, all in range. Else they are any elements, or nothing is stored.
    #[inline(always)]
    fn set_lanes_at<I: Isa, const L: usize>(&mut self, from: [i32; N], values: [T; L]) {
        self.put_lanes::<I, L>(from, values);
    }

    /// Stores `L` elements from `from` on along the last dimension; nothing out of range.
    #[inline(always)]
    fn put_lanes<I: Isa, const L: usize>(&mut self, from: [i32; N], values: [T; L]) {
        for (lane, value) in values.into_iter().enumerate() {
            self.put(along(from, lane), value);
        }
    }

    /// Copies all `COUNT` elements in row-major order.
    #[inline(always)]
    fn copied<const COUNT: usize>(&self) -> [T; COUNT] {
        std::array::from_fn(|k| {
            let mut index = [0; N];
            let mut rest = k as i32;
            for axis in (0..N).rev() {
                let extent = self.extent(axis).max(1);
                index[axis] = rest % extent;
                rest /= extent;
            }
            self.get::<Safe>(index)
        })
    }
}

/// As [`Access::get_lanes`], where some may be out of range. Callers give it copies and take its result from a place of its own: what
/// this function has a reference to goes through memory wherever elements are fetched.
#[cold]
#[inline(never)]
pub(super) fn partial_lanes<T: Element, A: Access<T, N>, const N: usize, const L: usize>(
    array: &A,
    from: [i32; N],
) -> [T; L] {
    std::array::from_fn(|lane| array.get::<Safe>(along(from, lane)))
}

/// As [`Access::lanes_at`], where some lanes are out of range: those do not count, as where a condition holds in the others only.
#[cold]
#[inline(never)]
pub(super) fn lanes_in_range<T: Element, const L: usize>(
    from: usize,
    element: impl Fn(usize) -> Option<T>,
) -> [T; L] {
    std::array::from_fn(|lane| element(from.wrapping_add(lane)).unwrap_or_default())
}

/// As [`Access::put_lanes`], where some may be out of range.
#[cold]
#[inline(never)]
pub(super) fn put_partial_lanes<T: Element, A: Access<T, N>, const N: usize>(
    array: &mut A,
    from: [i32; N],
    values: &[T],
) {
    for (lane, value) in values.iter().enumerate() {
        array.put(along(from, lane), *value);
    }
}
