//! Arrays whose elements lie outside of memory: in the folders of `open_array` and `create_array`, or, where those are used, in files for
//! the arrays in between that are large. Such a store is one more place where a copy of the elements may be (`array/coherence.rs`).
//! Copies in memory share a budget; those that were not used for the longest time are put away first.

pub(crate) mod budget;
mod digest;
#[cfg(feature = "zarr")]
mod folder;
mod plan;
#[allow(unsafe_code, reason = "memory as elements")]
mod region;
#[cfg(feature = "zarr")]
mod scratch;
mod strips;
mod window;

#[cfg(feature = "zarr")]
pub use folder::{NewArray, create, open};

pub(crate) use region::Region;
pub use strips::{Strip, Strips, all_strips, launch_strip, merge_strips, strips};
pub use window::{Paged, RowSet, Rows};

use crate::error::Result;
use quasar_devicelib::value::Value;
use std::ops::Range;

/// Where the elements of an array lie row by row, as bytes in the order of this machine.
pub(crate) trait Backing: Send + Sync {
    /// What messages call it.
    fn name(&self) -> String;
    /// The number of rows.
    fn rows(&self) -> usize;
    /// Bytes of a row.
    fn row_bytes(&self) -> usize;
    /// Rows that are stored together: ranges that begin at a multiple of them are read and written without others.
    fn unit(&self) -> usize;
    /// Bytes of what is compressed together.
    fn chunk_bytes(&self) -> usize;
    /// Whether it is only read.
    fn is_fixed(&self) -> bool;
    /// Reads rows.
    fn read(&self, rows: Range<usize>, into: &mut [u8]) -> Result<()>;
    /// Writes rows.
    fn write(&self, rows: Range<usize>, from: &[u8]) -> Result<()>;
    /// Says that what was written so far is all for now.
    fn finish(&self) -> Result<()>;
    /// What tells the elements from others, without a look at them: where they come from. Nothing where nobody knows.
    fn origin(&self) -> Option<u64>;
    /// Says who is going to write rows; nothing stands for writers that cannot be told from others.
    fn claim(&self, writer: Option<u64>) -> Result<()>;
    /// The end of the positions from `first` on whose rows the writer has written before, in a program that was ended.
    fn done_from(&self, first: i32) -> i32;
    /// Notes that positions are done, whose rows are written: a program that is ended here goes on behind them.
    fn done(&self, positions: Range<i32>, rows: &[Range<usize>]) -> Result<()>;
    /// Notes that the writer has done all its positions.
    fn complete(&self);
}

macro_rules! for_arrays {
    ($value:expr, $array:ident => $do:expr) => {{
        macro_rules! each {
            ($ty:ty) => {
                if let Some($array) = crate::Array::<$ty>::named_by($value) {
                    $do
                }
            };
        }
        each!(i8);
        each!(i16);
        each!(i32);
        each!(i64);
        each!(u8);
        each!(u16);
        each!(u32);
        each!(u64);
        each!(half::f16);
        each!(f32);
        each!(f64);
        each!(num_complex::Complex<f32>);
        each!(num_complex::Complex<f64>);
    }};
}

/// Brings the arrays among the arguments of a library function to memory, which fails here where there is not enough: such functions use
/// whole arrays.
#[inline]
pub(crate) fn bring(args: &[Value]) -> Result<()> {
    if budget::in_use() { bring_all(args) } else { Ok(()) }
}

/// All at once, so that none has to go for another.
fn bring_all(args: &[Value]) -> Result<()> {
    let Some((value, rest)) = args.split_first() else { return Ok(()) };
    for_arrays!(value, array => {
        let guard = array.stored_whole()?;
        let others = bring_all(rest);
        drop(guard);
        return others;
    });
    bring_all(rest)
}

/// Has arrays stay in memory as a whole.
pub(crate) fn keep_in_memory(values: &[Value]) -> Result<()> {
    for value in values {
        for_arrays!(value, array => array.keep_in_memory()?);
    }
    Ok(())
}

/// Writes what arrays of `create_array` hold in memory to their folders, which are whole then.
///
/// # Errors
/// A folder cannot be written: the disk is full, or it is gone.
pub fn flush() -> Result<()> {
    budget::flush()
}

/// The scratch file of an array that is made while there are stores, if it is large enough to need one.
#[cfg(feature = "zarr")]
pub(crate) fn scratch(dims: &[usize], bytes: usize) -> Result<Option<Box<dyn Backing>>> {
    if !budget::is_large(bytes) {
        return Ok(None);
    }
    let rows = dims.first().copied().unwrap_or(0);
    scratch::Scratch::for_rows(rows, bytes.checked_div(rows).unwrap_or(0)).map(Some)
}

#[cfg(not(feature = "zarr"))]
#[inline]
pub(crate) fn scratch(_dims: &[usize], _bytes: usize) -> Result<Option<Box<dyn Backing>>> {
    Ok(None)
}
