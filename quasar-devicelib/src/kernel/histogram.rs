//! Privatised accumulation at arbitrary indices, such as histograms: every chunk of a launch fills private tables,
//! which are combined at the end in a fixed order.

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

/// A commutative, associative operation with a neutral element.
pub trait Combine<T>: Copy + Send + Sync + 'static {
    /// The neutral element.
    fn neutral() -> T;
    /// Combines two values.
    fn combine(a: T, b: T) -> T;
}

/// Addition.
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

/// Maximum bytes of a private table: clearing and combining larger ones would cost more than atomics.
const LARGEST: usize = 1 << 20;
/// Adjacent positions use separate copies of a table as long as one has at most this many bytes, so that all fit the L1
/// cache.
const SEVERAL: usize = 16 << 10;
/// How many copies.
pub const COPIES: usize = 4;
/// Number of tables for counts, one for each position of a group.
const COUNTS: usize = 8;
const BYTES: usize = 256;

/// The table of a chunk, with the key of the chunk that orders the merge.
type Finished<T> = ((usize, i32), Vec<T>);

/// The target array of an accumulation during one launch.
pub struct Tally<'a, T: Atomic, C, const N: usize> {
    target: &'a [T::Cell],
    tables: Mutex<Vec<Finished<T>>>,
    shape: Shape<N>,
    combine: PhantomData<C>,
}

impl<'a, T: Atomic, C: Combine<T>, const N: usize> Tally<'a, T, C, N> {
    /// The whole array, with these extents.
    pub fn new(data: &'a mut [T], extents: &[usize]) -> Self {
        let shape = Shape::new(extents, data.len());
        Tally { target: cells(data), tables: Mutex::default(), shape, combine: PhantomData }
    }

    /// The table of one chunk of the launch.
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

    /// Combines all tables into the array; returns an index out of range at which a byte-indexed table accumulated
    /// something.
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

impl<T: Atomic, C, const N: usize> Tally<'_, T, C, N> {
    /// The extent of a dimension; 1 beyond the last.
    #[inline(always)]
    pub fn extent(&self, axis: usize) -> i32 {
        self.shape.dims.get(axis).copied().unwrap_or(1)
    }

    /// The number of elements.
    #[inline(always)]
    pub fn count(&self) -> i32 {
        self.shape.count() as i32
    }
}

impl<'a, T: Atomic, C: Combine<T>> Tally<'a, T, C, 1> {
    /// The table of one chunk, if the only indices are bytes.
    pub fn open_bytes<const R: usize>(&self, task: &Task<R>) -> Bytes<'_, 'a, T, C> {
        Bytes { tally: self, key: task.first(), tables: Box::new([[C::neutral(); BYTES]; COPIES]) }
    }
}

impl<'a, T: Atomic> Tally<'a, T, Add, 1>
where
    Add: Combine<T>,
{
    /// The table of one chunk, if bytes are counted.
    pub fn open_counts<const R: usize>(&self, task: &Task<R>) -> Counts<'_, 'a, T> {
        Counts { tally: self, key: task.first(), tables: Box::new([[0; BYTES]; COUNTS]) }
    }
}

impl<T: Atomic, C: Combine<T>, const N: usize> Part for &Tally<'_, T, C, N> {
    fn bytes(&self) -> usize {
        size_of_val(self.target)
    }

    /// A table is cleared, and added up with the others.
    fn least_positions(&self) -> usize {
        if self.bytes() <= LARGEST { self.target.len() } else { 0 }
    }

    fn split(self, _cut: &[i32]) -> (Self, Self) {
        (self, self)
    }
}

/// The private accumulator of one chunk.
pub struct Table<'t, 'a, T: Atomic, C: Combine<T>, const N: usize> {
    tally: &'t Tally<'a, T, C, N>,
    key: (usize, i32),
    /// One or four consecutive tables; empty if the array is updated atomically instead.
    flat: Vec<T>,
    copies: usize,
}

impl<T: Atomic, C: Combine<T>, const N: usize> Table<'_, '_, T, C, N> {
    /// The extent of a dimension; 1 beyond the last.
    #[inline(always)]
    pub fn extent(&self, axis: usize) -> i32 {
        self.tally.extent(axis)
    }

    /// The number of elements.
    #[inline(always)]
    pub fn count(&self) -> i32 {
        self.tally.target.len() as i32
    }

    /// Accumulates a value into an element; a no-op out of range. Adjacent positions pass consecutive `lane`s.
    #[inline(always)]
    pub fn add(&mut self, lane: usize, index: [i32; N], value: T) {
        self.opened().add(lane, index, value);
    }

    /// As [`Table::add`]; a fault out of range.
    #[inline(always)]
    pub fn add_checked(&mut self, lane: usize, index: [i32; N], value: T, fault: &Fault, site: Site) {
        self.opened().add_checked(lane, index, value, fault, site);
    }

    /// The table for many updates.
    #[inline(always)]
    pub fn opened(&mut self) -> Opened<'_, T, C, N> {
        Opened {
            flat: &mut self.flat,
            target: self.tally.target,
            shape: self.tally.shape,
            copy: self.copies - 1,
            combine: PhantomData,
        }
    }
}

/// A table for many updates: a value of its own, which stays in registers, for the optimiser takes no element for a part of it.
pub struct Opened<'t, T: Atomic, C, const N: usize> {
    flat: &'t mut [T],
    target: &'t [T::Cell],
    shape: Shape<N>,
    /// The bits of a lane that say which copy of the table is its.
    copy: usize,
    combine: PhantomData<C>,
}

impl<T: Atomic, C: Combine<T>, const N: usize> Opened<'_, T, C, N> {
    /// The extent of a dimension; 1 beyond the last.
    #[inline(always)]
    pub fn extent(&self, axis: usize) -> i32 {
        self.shape.dims.get(axis).copied().unwrap_or(1)
    }

    /// The number of elements.
    #[inline(always)]
    pub fn count(&self) -> i32 {
        self.target.len() as i32
    }

    /// As [`Table::add`].
    #[inline(always)]
    pub fn add(&mut self, lane: usize, index: [i32; N], value: T) {
        if let Some(k) = self.shape.offset::<Safe>(index) {
            self.accumulate(lane, k, value);
        }
    }

    /// As [`Table::add_checked`].
    #[inline(always)]
    pub fn add_checked(&mut self, lane: usize, index: [i32; N], value: T, fault: &Fault, site: Site) {
        match self.shape.inside(index) {
            Some(k) => self.accumulate(lane, k, value),
            None => self.shape.outside(index, fault, site),
        }
    }

    #[inline(always)]
    fn accumulate(&mut self, lane: usize, k: usize, value: T) {
        if self.flat.is_empty() {
            if let Some(cell) = self.target.get(k) {
                T::update(cell, |old| C::combine(old, value));
            }
        } else if let Some(element) = self.flat.get_mut((lane & self.copy) * self.target.len() + k) {
            *element = C::combine(*element, value);
        }
    }
}

/// Four tables with an element for every byte: a byte index needs no bounds check, and adjacent positions have no
/// store-to-load dependence.
pub type ByteTables<T> = [[T; BYTES]; COPIES];

/// The private accumulator of one chunk for a vector that is indexed by bytes only.
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

/// Accumulates a value into the element of a byte. Adjacent positions pass consecutive `lane`s.
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

/// Counts of each byte, separate for adjacent positions. Integer additions have a lower latency than float additions,
/// and equal neighbours, which would form a dependence chain, are frequent in images.
pub type ByteCounts = [[u64; BYTES]; COUNTS];

/// The private counts of one chunk.
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

/// Counts a byte. Adjacent positions pass consecutive `lane`s.
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
        if self.flat.is_empty() {
            return;
        }
        let mut sum = std::mem::take(&mut self.flat);
        let (total, others) = sum.split_at_mut(self.tally.target.len());
        for table in others.chunks_exact(total.len().max(1)) {
            for (total, &value) in total.iter_mut().zip(table) {
                *total = C::combine(*total, value);
            }
        }
        sum.truncate(self.tally.target.len());
        self.tally.push(self.key, sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds ones to all elements of an array, in two chunks; gives how many tables there were.
    fn tables(len: usize) -> usize {
        let mut data = vec![0_f32; len];
        let tally = Tally::<f32, Add, 1>::new(&mut data, &[len]);
        let task = Task::new([len as i32]);
        for _ in 0..2 {
            let mut table = tally.open(&task);
            (0..len as i32).for_each(|k| table.add(k as usize, [k], 1.0));
        }
        let count = tally.tables.lock().unwrap().len();
        assert_eq!(tally.finish(), None);
        assert!(data.iter().all(|&x| x == 2.0));
        count
    }

    #[test]
    fn what_is_too_large_for_tables_is_changed_in_place() {
        assert_eq!(tables(1000), 2);
        assert_eq!(tables(LARGEST / size_of::<f32>() + 1), 0);
    }
}
