//! Shared writable arrays: all accesses are relaxed atomics, so that threads may write anywhere.

use super::access::{Access, lanes_in_range, partial_lanes, put_partial_lanes};
use super::fault::{Fault, Site};
use super::mode::{Checked, Mode, Safe};
use super::part::Part;
use super::shape::Shape;
use crate::element::Element;
use crate::isa::Isa;
use half::f16;
use num_complex::Complex;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

/// Elements with atomic access (complex numbers by component); implemented for all element types.
///
/// # Safety
/// The memory of an element that is borrowed exclusively is used as a [`Atomic::Cell`], so a cell has the size of the
/// element and an alignment that is not larger, every bit pattern is a valid cell, and none of its functions accesses
/// more than the cell.
pub unsafe trait Atomic: Element {
    /// The atomic representation.
    type Cell: Sync;

    /// Loads.
    fn load(cell: &Self::Cell) -> Self;
    /// Stores.
    fn store(cell: &Self::Cell, value: Self);
    /// Atomic read-modify-write; returns the old and the new value.
    fn update(cell: &Self::Cell, change: impl Fn(Self) -> Self) -> (Self, Self);
    /// Stores `value` if the old value equals `expected`; returns the old value.
    fn compare_exchange(cell: &Self::Cell, expected: Self, value: Self) -> Self;
}

macro_rules! atomics {
    ($($rust:ty as $cell:ty, $to:expr, $from:expr;)*) => {
        // SAFETY: an atomic number of the same width, which admits every bit pattern; `cells` compares size and
        // alignment.
        $(unsafe impl Atomic for $rust {
            type Cell = $cell;

            #[inline(always)]
            fn load(cell: &$cell) -> $rust {
                $from(cell.load(Relaxed))
            }

            #[inline(always)]
            fn store(cell: &$cell, value: $rust) {
                cell.store($to(value), Relaxed);
            }

            #[inline(always)]
            fn update(cell: &$cell, change: impl Fn($rust) -> $rust) -> ($rust, $rust) {
                let mut old = cell.load(Relaxed);
                loop {
                    let new = $to(change($from(old)));
                    match cell.compare_exchange_weak(old, new, Relaxed, Relaxed) {
                        Ok(_) => return ($from(old), $from(new)),
                        Err(seen) => old = seen,
                    }
                }
            }

            #[inline(always)]
            fn compare_exchange(cell: &$cell, expected: $rust, value: $rust) -> $rust {
                let mut old = cell.load(Relaxed);
                loop {
                    if $from(old) != expected {
                        return $from(old);
                    }
                    match cell.compare_exchange_weak(old, $to(value), Relaxed, Relaxed) {
                        Ok(_) => return $from(old),
                        Err(seen) => old = seen,
                    }
                }
            }
        })*
    };
}

atomics! {
    i8 as AtomicU8, |x: i8| x as u8, |x: u8| x as i8;
    u8 as AtomicU8, |x: u8| x, |x: u8| x;
    i16 as AtomicU16, |x: i16| x as u16, |x: u16| x as i16;
    u16 as AtomicU16, |x: u16| x, |x: u16| x;
    i32 as AtomicU32, |x: i32| x as u32, |x: u32| x as i32;
    u32 as AtomicU32, |x: u32| x, |x: u32| x;
    i64 as AtomicU64, |x: i64| x as u64, |x: u64| x as i64;
    u64 as AtomicU64, |x: u64| x, |x: u64| x;
    f16 as AtomicU16, f16::to_bits, f16::from_bits;
    f32 as AtomicU32, f32::to_bits, f32::from_bits;
    f64 as AtomicU64, f64::to_bits, f64::from_bits;
}

macro_rules! complex_atomics {
    ($($part:ty as $cell:ty;)*) => {
        // SAFETY: a complex number is an array of its two parts (`repr(C)`), each of which is an atomic number as
        // above.
        $(unsafe impl Atomic for Complex<$part> {
            type Cell = [$cell; 2];

            #[inline(always)]
            fn load(cell: &[$cell; 2]) -> Self {
                Complex::new(<$part>::load(&cell[0]), <$part>::load(&cell[1]))
            }

            #[inline(always)]
            fn store(cell: &[$cell; 2], value: Self) {
                <$part>::store(&cell[0], value.re);
                <$part>::store(&cell[1], value.im);
            }

            #[inline(always)]
            fn update(cell: &[$cell; 2], change: impl Fn(Self) -> Self) -> (Self, Self) {
                // The only atomic operations on complex numbers are sums and differences, which act on each component.
                let re = <$part>::update(&cell[0], |re| change(Complex::new(re, 0.0)).re);
                let im = <$part>::update(&cell[1], |im| change(Complex::new(0.0, im)).im);
                (Complex::new(re.0, im.0), Complex::new(re.1, im.1))
            }

            #[inline(always)]
            fn compare_exchange(cell: &[$cell; 2], expected: Self, value: Self) -> Self {
                let old = Self::load(cell);
                if old == expected {
                    Self::store(cell, value);
                }
                old
            }
        })*
    };
}

complex_atomics! {
    f32 as AtomicU32;
    f64 as AtomicU64;
}

/// Views exclusively borrowed elements as atomics.
pub(super) fn cells<T: Atomic>(data: &mut [T]) -> &[T::Cell] {
    const { assert!(size_of::<T>() == size_of::<T::Cell>() && align_of::<T>() >= align_of::<T::Cell>()) };
    // SAFETY: cells have the size of elements, need no larger alignment, and admit every bit pattern (`Atomic`), as
    // elements do (`Element`); the exclusive borrow guarantees that only the cells are used while they live.
    unsafe { std::slice::from_raw_parts(data.as_mut_ptr().cast::<T::Cell>(), data.len()) }
}

/// Loads neighbouring elements, each as by [`Atomic::load`].
///
/// # Safety
/// So many cells lie from `cells` on, which all threads may load from.
#[inline(always)]
unsafe fn load_lanes<I: Isa, T: Atomic, const L: usize>(cells: *const T::Cell) -> [T; L] {
    let mut lanes = [T::default(); L];
    // SAFETY: cells have the size of elements; their parts have eight bytes at most and are aligned (`Atomic`).
    let done = unsafe { I::load_shared(cells.cast(), lanes.as_mut_ptr().cast(), size_of::<[T; L]>()) };
    for (lane, value) in lanes.iter_mut().enumerate().skip(done / size_of::<T>()) {
        // SAFETY: a cell as the caller promises.
        *value = T::load(unsafe { &*cells.add(lane) });
    }
    lanes
}

/// Stores neighbouring elements, each as by [`Atomic::store`].
#[inline(always)]
fn store_lanes<I: Isa, T: Atomic, const L: usize>(cells: &[T::Cell; L], values: &[T; L]) {
    // SAFETY: cells have the size of elements, and threads may store to them through shared references; their parts have eight bytes
    // at most and are aligned (`Atomic`).
    let done = unsafe {
        I::store_shared(values.as_ptr().cast(), cells.as_ptr().cast_mut().cast(), size_of::<[T; L]>())
    };
    for (cell, value) in cells.iter().zip(values).skip(done / size_of::<T>()) {
        T::store(cell, *value);
    }
}

/// An array of rank `N` that threads share for reading and writing.
pub struct Scatter<'a, T: Atomic, const N: usize> {
    cells: &'a [T::Cell],
    shape: Shape<N>,
}

impl<T: Atomic, const N: usize> Clone for Scatter<'_, T, N> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T: Atomic, const N: usize> Copy for Scatter<'_, T, N> {}

impl<'a, T: Atomic, const N: usize> Scatter<'a, T, N> {
    /// The whole array, with these extents.
    pub fn new(data: &'a mut [T], extents: &[usize]) -> Self {
        let shape = Shape::new(extents, data.len());
        Scatter { cells: cells(data), shape }
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

    /// `L` neighbouring cells along the last dimension, if all are in range.
    #[inline(always)]
    fn run<const L: usize>(&self, from: [i32; N]) -> Option<&'a [T::Cell; L]> {
        self.shape.lanes::<L>(from).and_then(|k| self.cells.get(k..)?.first_chunk::<L>())
    }

    /// Stores `value` if the old value equals `expected`; returns the old value (zero out of range).
    #[inline(always)]
    pub fn compare_exchange(&self, index: [i32; N], expected: T, value: T) -> T {
        match self.cell::<Safe>(index) {
            Some(cell) => T::compare_exchange(cell, expected, value),
            None => T::default(),
        }
    }
}

impl<T: Atomic, const N: usize> Access<T, N> for Scatter<'_, T, N> {
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
    fn get_lanes<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        let spare;
        // Both ways end in one load: a vector that comes from two places would go through memory.
        let cells = match self.run::<L>(from) {
            Some(cells) => cells.as_ptr(),
            None => {
                spare = partial_lanes::<T, Self, N, L>(&{ *self }, from);
                spare.as_ptr().cast()
            }
        };
        // SAFETY: `L` cells, or as many elements of this thread, which are cells as well (`Atomic`).
        unsafe { load_lanes::<I, T, L>(cells) }
    }

    #[inline(always)]
    fn lanes_at<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        let from = self.shape.place(from);
        let spare: [T; L];
        let cells = match self.cells.get(from..).and_then(|rest| rest.first_chunk::<L>()) {
            Some(cells) => cells.as_ptr(),
            None => {
                let cells = self.cells;
                spare = lanes_in_range(from, |k| cells.get(k).map(T::load));
                spare.as_ptr().cast()
            }
        };
        // SAFETY: `L` cells, or as many elements of this thread, which are cells as well (`Atomic`).
        unsafe { load_lanes::<I, T, L>(cells) }
    }

    #[inline(always)]
    fn put_lanes<I: Isa, const L: usize>(&mut self, from: [i32; N], values: [T; L]) {
        match self.run::<L>(from) {
            Some(cells) => store_lanes::<I, T, L>(cells, &values),
            None => put_partial_lanes(&mut { *self }, from, &{ values }),
        }
    }

    #[inline(always)]
    fn set_lanes_at<I: Isa, const L: usize>(&mut self, from: [i32; N], values: [T; L]) {
        let cells = self.cells.get(self.shape.place(from)..).and_then(|rest| rest.first_chunk::<L>());
        if let Some(cells) = cells {
            store_lanes::<I, T, L>(cells, &values);
        }
    }

    #[inline(always)]
    fn put(&mut self, index: [i32; N], value: T) {
        if let Some(cell) = self.cell::<Safe>(index) {
            T::store(cell, value);
        }
    }

    #[inline(always)]
    fn try_put(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) -> bool {
        let cell = self.checked_cell(index, fault, site);
        if let Some(cell) = cell {
            T::store(cell, value);
        }
        cell.is_some()
    }

    #[inline(always)]
    fn update(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
        match self.cell::<Safe>(index) {
            Some(cell) => T::update(cell, change),
            None => (T::default(), change(T::default())),
        }
    }

    #[inline(always)]
    fn update_alone(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
        let Some(cell) = self.cell::<Safe>(index) else { return (T::default(), change(T::default())) };
        let old = T::load(cell);
        let new = change(old);
        T::store(cell, new);
        (old, new)
    }

    #[inline(always)]
    fn try_update(
        &mut self,
        index: [i32; N],
        change: impl Fn(T) -> T,
        fault: &Fault,
        site: Site,
    ) -> Option<(T, T)> {
        self.checked_cell(index, fault, site).map(|cell| T::update(cell, change))
    }
}

impl<T: Atomic, const N: usize> Part for Scatter<'_, T, N> {
    fn bytes(&self) -> usize {
        size_of_val(self.cells)
    }

    fn split(self, _cut: &[i32]) -> (Self, Self) {
        (self, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{Body, Level, dispatch_on};

    #[test]
    fn updates_add_up() {
        let mut data = [0.5_f32, 1.5];
        let mut view = Scatter::<f32, 1>::new(&mut data, &[2]);
        assert_eq!(view.update([1], |x| x + 2.0), (1.5, 3.5));
        assert_eq!(view.update([2], |x| x + 2.0), (0.0, 2.0));
        assert_eq!(view.compare_exchange([0], 0.5, 7.0), 0.5);
        assert_eq!(view.compare_exchange([0], 0.5, 8.0), 7.0);
        assert_eq!(data, [7.0, 3.5]);
    }

    struct Shift;

    impl Body for Shift {
        type Output = ();

        #[inline(always)]
        fn run<I: Isa>(self) {
            let mut data: Vec<f32> = (0..120).map(|k| k as f32).collect();
            let mut view = Scatter::<f32, 2>::new(&mut data, &[2, 60]);
            let lanes = view.get_lanes::<I, 29>([1, 31]);
            assert_eq!(lanes, std::array::from_fn(|lane| 91.0 + lane as f32));
            assert_eq!(view.get_lanes::<I, 4>([0, 58]), [58.0, 59.0, 0.0, 0.0]);
            view.put_lanes::<I, 29>([0, 3], lanes);
            view.put_lanes::<I, 2>([1, 59], [-1.0, -2.0]);
            assert_eq!((data[2], data[3], data[31], data[32]), (2.0, 91.0, 119.0, 32.0));
            assert_eq!((data[118], data[119]), (118.0, -1.0));
            let mut bytes: Vec<u8> = (0..=255).collect();
            let mut view = Scatter::<u8, 1>::new(&mut bytes, &[256]);
            let lanes = view.get_lanes::<I, 119>([5]);
            view.put_lanes::<I, 119>([130], lanes);
            assert_eq!((bytes[129], bytes[130], bytes[248], bytes[249]), (129, 5, 123, 249));
        }
    }

    #[test]
    fn lanes_are_neighbouring_elements_at_all_levels() {
        [Level::Baseline, Level::Avx2, Level::Avx512].into_iter().for_each(|level| dispatch_on(level, Shift));
    }

    #[test]
    fn complex_parts_are_updated() {
        let mut data = [Complex::new(1.0_f32, 2.0)];
        let mut view = Scatter::<_, 1>::new(&mut data, &[1]);
        view.update([0], |z| z + Complex::new(1.0, -1.0));
        assert_eq!(data, [Complex::new(2.0, 1.0)]);
    }
}
