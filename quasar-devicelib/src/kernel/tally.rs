//! Arrays into which a kernel accumulates at arbitrary places, such as histograms: every part of a launch fills tables
//! of its own, which are combined at the end in a fixed order.

use super::fault::{Fault, Site};
use super::mode::{Checked, Safe};
use super::part::Part;
use super::scatter::{Atomic, cells};
use super::shape::Shape;
use super::task::Task;
use crate::ops::Number;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

/// An operation whose order does not matter, with its neutral element.
pub trait Combine<T>: Copy + Send + Sync + 'static {
    /// Combining it with another value gives that value.
    fn neutral() -> T;
    /// Combines two values.
    fn combine(a: T, b: T) -> T;
}

/// Sums.
#[derive(Clone, Copy, Debug)]
pub struct Add;

impl<T: Number> Combine<T> for Add {
    #[inline(always)]
    fn neutral() -> T {
        T::default()
    }

    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        a.add(b)
    }
}

/// Tables beyond this many bytes would cost more to clear and combine than atomic accesses do.
const LARGEST: usize = 1 << 20;
/// Several copies of a table serve neighbouring positions when they all fit the first-level cache.
const SEVERAL: usize = 16 << 10;
const COPIES: usize = 4;
const BYTES: usize = 256;

/// An array that is accumulated into during one launch.
pub struct Tally<'a, T: Atomic, C, const N: usize> {
    target: &'a [T::Cell],
    tables: Mutex<Vec<((usize, i32), Vec<T>)>>,
    shape: Shape<N>,
    combine: PhantomData<C>,
}

impl<'a, T: Atomic, C: Combine<T>, const N: usize> Tally<'a, T, C, N> {
    /// All of an array with these extents.
    pub fn new(data: &'a mut [T], extents: &[usize]) -> Self {
        let shape = Shape::new(extents, data.len());
        Tally { target: cells(data), tables: Mutex::default(), shape, combine: PhantomData }
    }

    /// The table of one part of the launch.
    pub fn open<const R: usize>(&self, task: &Task<R>) -> Table<'_, 'a, T, C, N> {
        let len = self.target.len();
        let mut table =
            Table { tally: self, key: task.first(), bytes: Vec::new(), flat: Vec::new(), copies: 1 };
        if N == 1 && len <= BYTES && task.count() > BYTES {
            table.bytes = vec![[C::neutral(); BYTES]; COPIES];
        } else if len * size_of::<T>() <= LARGEST && len <= 4 * task.count() {
            table.copies = if len * size_of::<T>() <= SEVERAL && task.count() > 4 * len { COPIES } else { 1 };
            table.flat = vec![C::neutral(); len * table.copies];
        }
        table
    }

    /// Combines all tables into the array.
    pub fn finish(self) {
        let mut tables = self.tables.into_inner().unwrap_or_else(PoisonError::into_inner);
        tables.sort_by_key(|(key, _)| *key);
        for (_, table) in tables {
            for (cell, value) in self.target.iter().zip(table) {
                T::store(cell, C::combine(T::load(cell), value));
            }
        }
    }
}

impl<T: Atomic, C: Combine<T>, const N: usize> Part for &Tally<'_, T, C, N> {
    fn split(self, _cut: &[i32]) -> (Self, Self) {
        (self, self)
    }
}

/// What one part of a launch accumulates.
pub struct Table<'t, 'a, T: Atomic, C: Combine<T>, const N: usize> {
    tally: &'t Tally<'a, T, C, N>,
    key: (usize, i32),
    /// Four tables for vectors of at most 256 elements, so that a byte is an index without a test.
    bytes: Vec<[T; BYTES]>,
    /// One or four tables one behind the other; empty when the array itself is updated atomically.
    flat: Vec<T>,
    copies: usize,
}

impl<T: Atomic, C: Combine<T>, const N: usize> Table<'_, '_, T, C, N> {
    /// The extent of a dimension; 1 beyond the last.
    #[inline(always)]
    pub fn extent(&self, axis: usize) -> i32 {
        self.tally.shape.dims.get(axis).copied().unwrap_or(1)
    }

    /// The number of elements.
    #[inline(always)]
    pub fn count(&self) -> i32 {
        self.tally.target.len() as i32
    }

    /// Combines a value into an element; nothing out of range. Neighbouring positions give neighbouring `lane`s.
    #[inline(always)]
    pub fn add(&mut self, lane: usize, index: [i32; N], value: T) {
        if let Some(k) = self.tally.shape.offset::<Safe>(index) {
            self.accumulate(lane, k, value);
        }
    }

    /// As [`Table::add`], a fault out of range.
    #[inline(always)]
    pub fn add_checked(&mut self, lane: usize, index: [i32; N], value: T, fault: &Fault, site: Site) {
        match self.tally.shape.offset::<Checked>(index) {
            Some(k) => self.accumulate(lane, k, value),
            None => fault.out_of_bounds(site, &index, &self.tally.shape.dims),
        }
    }

    #[inline(always)]
    fn accumulate(&mut self, lane: usize, k: usize, value: T) {
        if let Some(tables) = self.bytes.first_chunk_mut::<COPIES>() {
            let element = &mut tables[lane % COPIES][k % BYTES];
            *element = C::combine(*element, value);
        } else if self.flat.is_empty() {
            if let Some(cell) = self.tally.target.get(k) {
                T::update(cell, |old| C::combine(old, value));
            }
        } else {
            let len = self.tally.target.len();
            if let Some(element) = self.flat.get_mut((lane & (self.copies - 1)) * len + k) {
                *element = C::combine(*element, value);
            }
        }
    }
}

impl<T: Atomic, C: Combine<T>> Table<'_, '_, T, C, 1> {
    /// Combines a value into the element of each byte in turn; bytes beyond the array are dropped, or a fault when
    /// `site` is given.
    #[inline(always)]
    pub fn add_byte(&mut self, lane: usize, index: u8, value: T) {
        if let Some(tables) = self.bytes.first_chunk_mut::<COPIES>() {
            let element = &mut tables[lane % COPIES][index as usize];
            *element = C::combine(*element, value);
        } else {
            self.add(lane, [i32::from(index)], value);
        }
    }
}

impl<T: Atomic, C: Combine<T>, const N: usize> Drop for Table<'_, '_, T, C, N> {
    fn drop(&mut self) {
        let len = self.tally.target.len();
        let mut sum = vec![C::neutral(); len];
        let flat = self.flat.chunks_exact(len.max(1));
        for table in self.bytes.iter().map(|t| &t[..]).chain(flat) {
            for (total, &value) in sum.iter_mut().zip(table) {
                *total = C::combine(*total, value);
            }
        }
        let mut tables = self.tally.tables.lock().unwrap_or_else(PoisonError::into_inner);
        tables.push((self.key, sum));
    }
}
