//! The common interface of all ways to reach an array: what kernels do with elements, and what device functions take.

use super::fault::{Fault, Site};
use super::mode::{Mode, Safe};

/// An array of rank `N` that a kernel or a device function works on.
///
/// An index out of range is no element. What is called `checked` and `try_..` also raises a fault there.
pub trait Access<T: Copy + Default, const N: usize> {
    /// The extent of a dimension; 1 beyond the last.
    fn extent(&self, axis: usize) -> i32;

    /// The number of elements.
    fn count(&self) -> i32;

    /// An element; zero where the mode maps an index to nothing.
    fn get<M: Mode>(&self, index: [i32; N]) -> T;

    /// As [`Access::checked`]; none out of range.
    fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T>;

    /// Writes an element; nothing out of range, and nothing to an array that is only read.
    fn put(&mut self, index: [i32; N], value: T);

    /// As [`Access::put_checked`]; says whether the index is in range.
    #[inline(always)]
    fn try_put(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) -> bool {
        let found = self.try_get(index, fault, site).is_some();
        self.put(index, value);
        found
    }

    /// Replaces an element by a function of it and gives the old and the new value; out of range both come from zero.
    #[inline(always)]
    fn update(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
        let old = self.get::<Safe>(index);
        let new = change(old);
        self.put(index, new);
        (old, new)
    }

    /// As [`Access::update_checked`]; none out of range.
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

    /// An element; a fault out of range.
    #[inline(always)]
    fn checked(&self, index: [i32; N], fault: &Fault, site: Site) -> T {
        self.try_get(index, fault, site).unwrap_or_default()
    }

    /// Writes an element; a fault out of range.
    #[inline(always)]
    fn put_checked(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) {
        self.try_put(index, value, fault, site);
    }

    /// As [`Access::update`], a fault out of range.
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

    /// All elements, of which there are this many.
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
