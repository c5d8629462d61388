//! Support code of generated CPU kernels: views of array arguments by access pattern, the iteration space of a thread,
//! and the traits by which a launch splits work.
//!
//! A kernel's arguments form a nested pair `(a, (b, (c, ())))`. Read-only arrays are passed as [`View`]; an array
//! written at the thread's own position as [`Band`], which is split along with the positions, and one that is written at
//! several places as [`Bands`], which are; one whose columns belong to the positions as [`AxisSlices`]; other arrays as [`Scatter`]
//! (relaxed atomics), [`Tally`] (privatised tables, combined at the end) or, in serial kernels, [`Whole`].
//! A kernel iterates over rows of positions; [`Line`] provides the elements around a row, borders included, as one
//! slice.

mod access;
mod across;
#[allow(unsafe_code, reason = "parts of an array that do not lie side by side")]
mod axis_slices;
mod bands;
mod blocks;
mod boxes;
#[allow(unsafe_code, reason = "elements as atomic cells")]
mod cells;
mod channel;
mod collapsed;
mod contraction;
mod disjoint_rows;
mod fast_path;
mod fault;
mod flow;
#[allow(unsafe_code, reason = "elements as numbers of as many bytes")]
mod gather;
mod grid;
mod group;
pub mod groups;
#[allow(unsafe_code, reason = "elements beside their owner")]
mod heap;
mod heap_memory;
#[cfg(feature = "library")]
mod heap_order;
mod histogram;
mod interleaved;
mod line;
mod line_buffer;
mod mode;
mod part;
mod prefetch;
#[allow(unsafe_code, reason = "prefetching is an instruction")]
mod prefetch_writes;
mod row_sharing;
#[allow(unsafe_code, reason = "elements as atomic cells")]
mod scatter;
mod shape;
mod sliding_extrema;
mod stencil;
mod task;
mod tile;
mod vector;
#[allow(unsafe_code, reason = "offsets are compared before")]
mod view;
#[allow(unsafe_code, reason = "offsets are compared before")]
mod whole;

pub use access::Access;
pub use across::Across;
pub use axis_slices::AxisSlices;
pub use bands::{Bands, Place};
pub use blocks::{
    BlockLimits, BlockNeeds, Term, asked_extents, largest_block, largest_of, launch_extents, usual_of,
};
pub use boxes::one_by_one;
pub use cells::Cells;
pub use contraction::{Panel, Panels, Products, Step, combine, combine_products};
pub use disjoint_rows::{Band, Dump};
pub use fast_path::{ByteTable, Quick};
pub use fault::{Fault, FaultKind, Report, Site, nested, shown, shown_array, shown_scalars};
pub use flow::{
    flat, float_steps, guard, inside, map1, map2, map3, narrow, narrow_or, narrow_quick, norm, pick, reduce,
    reduce_lanes, rows, set, steps, try_narrow, upto, wide_steps,
};
pub use gather::Places;
pub use grid::{BlockError, Grid, Lane, MAX_BLOCK, default_block, explicit_block};
pub use group::{
    Guarded, SHARED_MEMORY, Shared, Votes, keep, kept, memory_fence, shared_bytes, shared_count,
};
pub use heap::Heap;
pub use histogram::{
    Add, ByteCounts, ByteTables, Bytes, COPIES, Combine, Counts, Table, Tally, add_byte, count_byte,
};
pub use line::Line;
pub use line_buffer::{LineBuffer, NO_ROWS, STRIP_TILE, both, mapped_rows, rows_of, strips};
pub use mode::{Checked, Circular, Clamped, Mirror, Mode, Safe, Unchecked};
pub use part::{MAX_CAPTURES, Part};
pub use prefetch::{ahead, ahead_of_writing, asks_ahead};
pub use prefetch_writes::Soon;
pub use row_sharing::TapList;
pub use scatter::{Atomic, Scatter};
pub use sliding_extrema::{Extremes, Largest, LargestNumber, Pick, Smallest, SmallestNumber};
pub use stencil::Taps;
pub use task::{Segment, Task};
pub use tile::Tile;
pub use vector::{Columns, MAX_LANES, Span, any, next_part, next_vector};
pub use view::{Rows, View};
pub use whole::Whole;

use crate::isa::{self, Isa, Lanes, Level};

/// A generated kernel over positions of rank `R`.
pub trait Kernel<const R: usize> {
    /// The arguments of a launch or of a chunk of it.
    type Args<'a>: Part;
    /// The reductions of a chunk.
    type Sum: Send;
    /// The first position.
    const ORIGIN: [i32; R] = [0; R];
    /// The component of the position along which rows are visited together, and how many.
    const TILE: Option<(usize, usize)> = None;
    /// How many positions of a row the longest vectors visit together, if any do.
    const LANES: Option<usize> = None;
    /// Whether each chunk packs what it reads, so that fewer chunks cost less.
    const PACKS: bool = false;

    /// Divides arrays into what each of the values of the first component of the position writes, from one to before another.
    fn divide(_args: &mut Self::Args<'_>, _positions: (i32, i32)) {}

    /// Executes one chunk.
    fn run<I: Isa>(args: Self::Args<'_>, task: Task<R>, fault: &Fault) -> Self::Sum;

    /// Merges the reductions of two chunks, the first of which precedes in row-major order.
    fn merge(first: Self::Sum, second: Self::Sum) -> Self::Sum;
}

struct Run<'a, 'f, K: Kernel<R>, const R: usize> {
    args: K::Args<'a>,
    task: Task<R>,
    fault: &'f Fault,
}

impl<K: Kernel<R>, const R: usize> isa::Body for Run<'_, '_, K, R> {
    type Output = K::Sum;

    #[inline(always)]
    fn run<I: Isa>(self) -> K::Sum {
        K::run::<I>(self.args, self.task, self.fault)
    }
}

/// Executes one chunk of a launch, compiled for the best instruction set of this CPU.
pub fn run<K: Kernel<R>, const R: usize>(args: K::Args<'_>, task: Task<R>, fault: &Fault) -> K::Sum {
    isa::dispatch(Run::<K, R> { args, task, fault })
}

/// The `n` elements from `from` on.
#[inline(always)]
pub fn part<T>(slice: &[T], from: usize, n: usize) -> &[T] {
    &slice[from..][..n]
}

/// Reduces lanes pairwise to one value.
#[inline(always)]
pub fn fold<T: Copy, const N: usize>(mut lanes: [T; N], combine: impl Fn(T, T) -> T) -> T {
    let mut n = N;
    while n > 1 {
        let half = n / 2;
        for k in 0..half {
            lanes[k] = combine(lanes[k], lanes[n - half + k]);
        }
        n -= half;
    }
    lanes[0]
}

/// `sum + a * b`, fused if that is faster.
#[inline(always)]
pub fn accumulate<I: Isa, T: MultiplyAdd>(sum: T, a: T, b: T) -> T {
    T::multiply_add::<I>(a, b, sum)
}

/// Numbers with a fused multiply-add where the CPU has one.
pub trait MultiplyAdd: Copy {
    /// SIMD vectors of such numbers.
    type Lanes<I: Isa>: Lanes<Self>;

    /// `a * b + c`.
    fn multiply_add<I: Isa>(a: Self, b: Self, c: Self) -> Self;

    /// Grows the sums of a tile by products, by code that is compiled for this level.
    fn grow_tile(level: Level, tile: Products<'_, Self>);
}

macro_rules! multiply_add {
    ($($rust:ty, $lanes:ident;)*) => {
        $(impl MultiplyAdd for $rust {
            type Lanes<I: Isa> = I::$lanes;

            #[inline(always)]
            fn multiply_add<I: Isa>(a: $rust, b: $rust, c: $rust) -> $rust {
                if I::FMA { a.mul_add(b, c) } else { a * b + c }
            }

            #[inline(never)]
            fn grow_tile(level: Level, tile: Products<'_, Self>) {
                tile.grow(level);
            }
        })*
    };
}
multiply_add! {
    f32, Single;
    f64, Double;
}

/// The message if two kernel parameters alias although they must not.
pub fn one_array(read: &str, written: &str) -> String {
    format!(
        "'{read}' and '{written}' are one array, and the kernel reads '{read}' after it wrote '{written}'; pass copy(..) of it"
    )
}
