//! The common interface of all ways to reach an array, for device functions that take any of them.

use super::fault::{Fault, Site};
use super::mode::{Mode, Safe};
use super::scatter::{Atomic, Scatter};
use super::view::View;
use super::whole::Whole;

/// An array of rank `N` that a device function works on.
pub trait Access<T, const N: usize> {
    /// The extent of a dimension; 1 beyond the last.
    fn extent(&self, axis: usize) -> i32;
    /// The number of elements.
    fn count(&self) -> i32;
    /// An element; zero where the mode maps an index to nothing.
    fn get<M: Mode>(&self, index: [i32; N]) -> T;
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
    /// An element; a fault out of range.
    fn checked(&self, index: [i32; N], fault: &Fault, site: Site) -> T;
    /// Writes an element; nothing out of range, and nothing to an array that is only read.
    fn put(&mut self, index: [i32; N], value: T);
    /// As [`Access::put`], a fault out of range.
    fn put_checked(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site);
    /// Replaces an element by a function of it; gives the old and the new value.
    fn update(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T);
    /// As [`Access::update`], a fault out of range.
    fn update_checked(
        &mut self,
        index: [i32; N],
        change: impl Fn(T) -> T,
        fault: &Fault,
        site: Site,
    ) -> (T, T);
}

impl<T: Copy + Default, const N: usize> Access<T, N> for View<'_, T, N> {
    #[inline(always)]
    fn extent(&self, axis: usize) -> i32 {
        View::extent(self, axis)
    }

    #[inline(always)]
    fn count(&self) -> i32 {
        View::count(self)
    }

    #[inline(always)]
    fn get<M: Mode>(&self, index: [i32; N]) -> T {
        View::get::<M>(self, index)
    }

    #[inline(always)]
    fn checked(&self, index: [i32; N], fault: &Fault, site: Site) -> T {
        View::checked(self, index, fault, site)
    }

    #[inline(always)]
    fn put(&mut self, _index: [i32; N], _value: T) {}

    #[inline(always)]
    fn put_checked(&mut self, _index: [i32; N], _value: T, _fault: &Fault, _site: Site) {}

    #[inline(always)]
    fn update(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
        let old = View::get::<Safe>(self, index);
        (old, change(old))
    }

    #[inline(always)]
    fn update_checked(
        &mut self,
        index: [i32; N],
        change: impl Fn(T) -> T,
        fault: &Fault,
        site: Site,
    ) -> (T, T) {
        let old = View::checked(self, index, fault, site);
        (old, change(old))
    }
}

macro_rules! writable {
    ($view:ident where $bound:path) => {
        impl<T: $bound + Copy + Default, const N: usize> Access<T, N> for $view<'_, T, N> {
            #[inline(always)]
            fn extent(&self, axis: usize) -> i32 {
                $view::extent(self, axis)
            }

            #[inline(always)]
            fn count(&self) -> i32 {
                $view::count(self)
            }

            #[inline(always)]
            fn get<M: Mode>(&self, index: [i32; N]) -> T {
                $view::get::<M>(self, index)
            }

            #[inline(always)]
            fn checked(&self, index: [i32; N], fault: &Fault, site: Site) -> T {
                $view::checked(self, index, fault, site)
            }

            #[inline(always)]
            fn put(&mut self, index: [i32; N], value: T) {
                $view::put(self, index, value);
            }

            #[inline(always)]
            fn put_checked(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) {
                $view::put_checked(self, index, value, fault, site);
            }

            #[inline(always)]
            fn update(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
                $view::update(self, index, change)
            }

            #[inline(always)]
            fn update_checked(
                &mut self,
                index: [i32; N],
                change: impl Fn(T) -> T,
                fault: &Fault,
                site: Site,
            ) -> (T, T) {
                $view::update_checked(self, index, change, fault, site)
            }
        }
    };
}
writable!(Scatter where Atomic);
writable!(Whole where Send);
