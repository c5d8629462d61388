//! Arrays into which a kernel accumulates at arbitrary places, such as histograms: every part of a launch fills tables
//! of its own, which are combined at the end in a fixed order.

use super::fault::{Fault, Site};
use super::mode::Safe;
use super::part::Part;
use super::scatter::{Atomic, cells};
use super::shape::Shape;
use super::task::Task;
use crate::element::{Overflow, Scalar};
use crate::ops::{Number, convert_scalar};
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
/// Tables for counts, one for each position of a group.
const COUNTS: usize = 8;
const BYTES: usize = 256;

/// A task's table, with the place of the task that fixes the order of merging.
type Finished<T> = ((usize, i32), Vec<T>);

/// An array that is accumulated into during one launch.
pub struct Tally<'a, T: Atomic, C, const N: usize> {
    target: &'a [T::Cell],
    tables: Mutex<Vec<Finished<T>>>,
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
        let mut table = Table { tally: self, key: task.first(), flat: Vec::new(), copies: 1 };
        if len * size_of::<T>() <= LARGEST && len <= 4 * task.count() {
            table.copies = if len * size_of::<T>() <= SEVERAL && task.count() > 4 * len { COPIES } else { 1 };
            table.flat = vec![C::neutral(); len * table.copies];
        }
        table
    }

    fn push(&self, key: (usize, i32), table: Vec<T>) {
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).push((key, table));
    }

    /// Combines all tables into the array; gives an index out of range at which bytes accumulated something.
    pub fn finish(self) -> Option<i32> {
        let mut tables = self.tables.into_inner().unwrap_or_else(PoisonError::into_inner);
        tables.sort_by_key(|(key, _)| *key);
        let len = self.target.len();
        let mut outside = None;
        for (_, table) in tables {
            let beyond = || table.iter().skip(len).position(|&value| value != C::neutral());
            outside = outside.or_else(beyond).map(|k| k.min(BYTES));
            for (cell, value) in self.target.iter().zip(table) {
                T::store(cell, C::combine(T::load(cell), value));
            }
        }
        outside.map(|k| (len + k) as i32)
    }
}

impl<'a, T: Atomic, C: Combine<T>> Tally<'a, T, C, 1> {
    /// The table of one part of the launch, where bytes are the only indices.
    pub fn open_bytes<const R: usize>(&self, task: &Task<R>) -> Bytes<'_, 'a, T, C> {
        Bytes { tally: self, key: task.first(), tables: Box::new([[C::neutral(); BYTES]; COPIES]) }
    }
}

impl<'a, T: Atomic> Tally<'a, T, Add, 1>
where
    Add: Combine<T>,
{
    /// The table of one part of the launch, where bytes are counted.
    pub fn open_counts<const R: usize>(&self, task: &Task<R>) -> Counts<'_, 'a, T> {
        Counts { tally: self, key: task.first(), tables: Box::new([[0; BYTES]; COUNTS]) }
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
        match self.tally.shape.inside(index) {
            Some(k) => self.accumulate(lane, k, value),
            None => self.tally.shape.outside(index, fault, site),
        }
    }

    #[inline(always)]
    fn accumulate(&mut self, lane: usize, k: usize, value: T) {
        if self.flat.is_empty() {
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

/// Four tables with an element for every byte: a byte is an index without a test, and neighbouring positions do not
/// wait for each other.
pub type ByteTables<T> = [[T; BYTES]; COPIES];

/// What one part of a launch accumulates into a vector that is only ever indexed by bytes.
pub struct Bytes<'t, 'a, T: Atomic, C: Combine<T>> {
    tally: &'t Tally<'a, T, C, 1>,
    key: (usize, i32),
    tables: Box<ByteTables<T>>,
}

impl<T: Atomic, C: Combine<T>> Bytes<'_, '_, T, C> {
    /// The tables.
    #[inline(always)]
    pub fn tables(&mut self) -> &mut ByteTables<T> {
        &mut self.tables
    }
}

/// Combines a value into the element of a byte. Neighbouring positions give neighbouring `lane`s.
#[inline(always)]
pub fn add_byte<T, C: Combine<T>>(tables: &mut ByteTables<T>, lane: usize, index: u8, value: T)
where
    T: Copy,
{
    let element = &mut tables[lane % COPIES][index as usize];
    *element = C::combine(*element, value);
}

impl<T: Atomic, C: Combine<T>> Drop for Bytes<'_, '_, T, C> {
    fn drop(&mut self) {
        let mut sum = vec![C::neutral(); BYTES];
        for table in self.tables.iter() {
            for (total, &value) in sum.iter_mut().zip(table) {
                *total = C::combine(*total, value);
            }
        }
        self.tally.push(self.key, sum);
    }
}

/// How often neighbouring positions met each byte. Integers are added in fewer cycles than floats, and equal neighbours,
/// which would wait for each other, are frequent in images.
pub type ByteCounts = [[u64; BYTES]; COUNTS];

/// What one part of a launch counts into a vector.
pub struct Counts<'t, 'a, T: Atomic>
where
    Add: Combine<T>,
{
    tally: &'t Tally<'a, T, Add, 1>,
    key: (usize, i32),
    tables: Box<ByteCounts>,
}

impl<T: Atomic> Counts<'_, '_, T>
where
    Add: Combine<T>,
{
    /// The tables.
    #[inline(always)]
    pub fn tables(&mut self) -> &mut ByteCounts {
        &mut self.tables
    }
}

/// Counts a byte. Neighbouring positions give neighbouring `lane`s.
#[inline(always)]
pub fn count_byte(tables: &mut ByteCounts, lane: usize, index: u8) {
    let element = &mut tables[lane % COUNTS][index as usize];
    *element = element.wrapping_add(1);
}

impl<T: Atomic> Drop for Counts<'_, '_, T>
where
    Add: Combine<T>,
{
    fn drop(&mut self) {
        let count = |byte: usize| self.tables.iter().map(|table| table[byte]).sum();
        let sums = (0..BYTES).map(|byte| {
            let count = convert_scalar(Scalar::U64(count(byte)), T::TYPE, Overflow::Wrap);
            count.ok().and_then(T::from_scalar).unwrap_or_default()
        });
        self.tally.push(self.key, sums.collect());
    }
}

impl<T: Atomic, C: Combine<T>, const N: usize> Drop for Table<'_, '_, T, C, N> {
    fn drop(&mut self) {
        let len = self.tally.target.len();
        let mut sum = vec![C::neutral(); len];
        for table in self.flat.chunks_exact(len.max(1)) {
            for (total, &value) in sum.iter_mut().zip(table) {
                *total = C::combine(*total, value);
            }
        }
        self.tally.push(self.key, sum);
    }
}
