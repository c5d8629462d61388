//! The device form of a kernel, as generated code declares it: its text, its schedule, and what launches must know of it.

use super::DeviceKernel;
use super::args::{self, Arg};
use super::no_fault_conditions::Sum;
use super::row_footprint::RowRange;
use crate::device::{Device, Dialect, Maker};
use quasar_devicelib::device_text::{Parameter, Signature};
use quasar_devicelib::element::ElementType;

/// The compile-time description of a device kernel.
#[derive(Clone, Copy)]
pub struct Form {
    /// The name of the entry function.
    pub entry: &'static str,
    /// Source text: types, functions and the entry function.
    pub text: &'static str,
    /// The kernel as packed PTX, if the program embeds it.
    pub portable: &'static [u8],
    /// The schedule: the mapping of positions to threads.
    pub style: Style,
    /// The rank of a position.
    pub rank: u8,
    /// The devices that may run it.
    pub target: Target,
    /// Whether several devices may share a launch: it then passes the start and end of its slice of the first
    /// dimension.
    pub divisible: bool,
    /// Where several devices share a launch: the rows that it reads of an array, as far as the compiler knows them. Argument
    /// index, and ranges which together are the rows.
    pub reads: &'static [(usize, &'static [RowRange])],
    /// The arrays to which it only adds, at any place: argument indices.
    pub accumulated: &'static [usize],
    /// The parameters that precede the extents of the launch.
    pub parameters: &'static [Parameter],
    /// The sites that may raise errors; empty if none can.
    pub sites: &'static [Site],
    /// Whether shared arrays lie in dynamic shared memory.
    pub dynamic_shared: bool,
    /// Whether threads allocate memory at run time.
    pub heap: bool,
    /// Arrays that blocks privatise as tables in shared memory: argument index, and bytes of a table element.
    pub tables: &'static [(usize, usize)],
    /// The element type of each reduction and the scalar operation that accumulates it.
    pub results: &'static [(ElementType, &'static str)],
    /// The arrays it writes: argument index, name, and line of the first statement that writes.
    pub writes: &'static [(usize, &'static str, u32)],
    /// The arrays of which it writes every element before reading any: argument index, and whether that holds for
    /// launches of any size; otherwise only for launches with the extents of the array.
    pub overwritten: &'static [(usize, bool)],
    /// Estimated operations per position.
    pub cost: u32,
    /// Whether it has loops with a data-dependent trip count.
    pub unbounded: bool,
    /// Linear expressions that are all non-negative in launches that cannot fail, if known.
    pub safe: Option<&'static [Sum]>,
    /// The split-reduction version for launches of few positions.
    pub team: Option<&'static DeviceKernel>,
    /// The version with a block of threads for each position.
    pub block: Option<&'static DeviceKernel>,
    /// The version with a block of threads for each tile of positions.
    pub tile: Option<&'static DeviceKernel>,
    /// Of these versions: numbers whose product is the iterations that the threads of a position share; none if a launch cannot know them.
    pub iterations: &'static [Sum],
    /// Digest that proves that one compiler run produced all of this.
    pub seal: u64,
}

impl Form {
    /// The fields that the digest covers.
    pub fn signature(&self) -> Signature<'static> {
        Signature {
            entry: self.entry,
            text: self.text,
            portable: self.portable,
            style: match self.style {
                Style::Positions => [0; 4],
                Style::Strips { rows, threads } => [1, rows, threads, 0],
                Style::Blocks => [2, 0, 0, 0],
                Style::Grid { walks } => [5, u32::from(walks), 0, 0],
                Style::Walk { threads, together, gather } => [3, threads, together, u32::from(gather)],
                Style::Team { threads, values, counters, columns } => {
                    [4, threads | columns << 16, values, counters]
                }
                Style::BlockTiles { rows, columns, side, threads } => {
                    [7, rows | columns << 16, side, threads]
                }
                Style::BlockEach { threads, along_rows, values, counters } => {
                    [6, threads, u32::from(along_rows) + 2 * values, counters]
                }
            },
            rank: self.rank,
            divisible: self.divisible,
            parameters: self.parameters,
            results: self.results,
            dynamic_shared: self.dynamic_shared,
            heap: self.heap,
            tables: self.tables,
            sites: self.sites.len(),
        }
    }

    /// The iterations that the threads of a position share, if the launch knows them.
    pub(super) fn iterations(&self, size: &[i32], args: &[Arg<'_>]) -> Option<i64> {
        let mut factors = self.iterations.iter().map(|sum| sum.value(size, args).map(|n| n.max(0)));
        let first = factors.next()??;
        factors.try_fold(first, |product, factor| product.checked_mul(factor?))
    }

    /// Whether the arguments of a launch match the parameters.
    pub(super) fn takes(&self, size: &[i32], args: &[Arg<'_>]) -> bool {
        let fits = |(arg, parameter): (&Arg<'_>, &Parameter)| match (arg, parameter) {
            (Arg::Read(array) | Arg::Write(array), Parameter::Array(element, rank)) => {
                array.element_type() == *element && array.dims().len() == usize::from(*rank)
            }
            (Arg::Read(array), Parameter::Constant(element, rank)) => {
                array.element_type() == *element && array.dims().len() == usize::from(*rank)
            }
            (Arg::Value(bytes), Parameter::Value(count)) => bytes.as_slice().len() == *count as usize,
            (Arg::Small(array), Parameter::Value(count)) => args::bytes(*array) == *count as usize,
            _ => false,
        };
        size.len() == usize::from(self.rank)
            && args.len() == self.parameters.len()
            && args.iter().zip(self.parameters).all(fits)
    }
}

/// The devices that may run a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// All devices and the CPU: it runs where the cost model expects it to be faster.
    Any,
    /// Any device, if there is one.
    Device,
    /// CUDA devices.
    Cuda,
    /// OpenCL devices.
    OpenCl,
    /// NVIDIA devices with OpenCL.
    NvidiaOpenCl,
    /// AMD devices with OpenCL.
    AmdOpenCl,
}

impl Target {
    /// Whether a device may run the kernel.
    pub(super) fn includes(self, device: &dyn Device) -> bool {
        let Some(dialect) = device.dialect() else { return false };
        match self {
            Target::Any | Target::Device => true,
            Target::Cuda => dialect == Dialect::Cuda,
            Target::OpenCl => dialect == Dialect::OpenCl,
            Target::NvidiaOpenCl => dialect == Dialect::OpenCl && device.maker() == Maker::Nvidia,
            Target::AmdOpenCl => dialect == Dialect::OpenCl && device.maker() == Maker::Amd,
        }
    }
}

/// A schedule: how positions map to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One thread per position; any block shape.
    Positions,
    /// Split reduction: one or several one-dimensional blocks per position, or for `columns` positions each, share the iterations of a
    /// reduction loop, and combine `values` partial results. Positions have several blocks as long as `counters` suffice for all of
    /// them.
    Team {
        /// Threads of a block.
        threads: u32,
        /// Number of partial results that a block passes to the last block of its position.
        values: u32,
        /// Number of block counters in the scratch memory of the launch.
        counters: u32,
        /// The most positions of a block, one behind the other. If they are several, the launch chooses a power of two.
        columns: u32,
    },
    /// A one-dimensional block of threads per position, which share the iterations of loops: a power of two from a warp up to
    /// `threads`. In launches that cannot fail a position may have a team of several blocks, which are all resident at once, and pass
    /// `values` partial results to each other.
    BlockEach {
        /// Most threads of a block.
        threads: u32,
        /// Whether iterations are neighbours in memory that positions are not.
        along_rows: bool,
        /// The most partial results that a loop has.
        values: u32,
        /// Number of counters of teams in the scratch memory of the launch.
        counters: u32,
    },
    /// One-dimensional blocks of `threads` per tile of `side` rows and columns, for contractions. Blocks are numbered by the columns of
    /// tiles, then their rows, then all other components of the position. Launches must not fail.
    BlockTiles {
        /// The components of the position that number rows, outermost first: a bit for each.
        rows: u32,
        /// Those that number columns.
        columns: u32,
        /// Rows and columns of a tile.
        side: u32,
        /// Threads of a block.
        threads: u32,
    },
    /// Register tiling: one thread per position or, if there are enough positions, one for `rows` positions that are
    /// adjacent along the second to last dimension. In one-dimensional launches they are a block (`threads`) apart.
    Strips {
        /// Positions per thread along the second to last dimension.
        rows: u32,
        /// Threads of a block in one-dimensional launches.
        threads: u32,
    },
    /// One thread per position, with surplus threads in the last blocks; the kernel depends on the block shape. The
    /// last block to finish combines reductions.
    Blocks,
    /// Like `Blocks`, with barriers over the whole grid, so that all blocks must be co-resident. If it `walks`, a block
    /// of threads may visit several blocks of the launch.
    Grid {
        /// Whether a block of threads visits several blocks of the launch.
        walks: bool,
    },
    /// A grid-stride loop of one-dimensional blocks over all positions, `together` of them per vector access. If the
    /// blocks `gather` reductions or privatised tables, there are few of them, and each writes one partial value per
    /// reduction.
    Walk {
        /// Threads of a block.
        threads: u32,
        /// Positions per thread and iteration.
        together: u32,
        /// Whether blocks accumulate reductions or tables.
        gather: bool,
    },
}

/// A source location that may raise an error.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// The array in question, or the empty string.
    pub subject: &'static str,
    /// The line.
    pub line: u32,
    /// The message, with holes for the recorded values.
    pub message: &'static [Part],
}

/// A part of an error message.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// Literal text.
    Text(&'static str),
    /// The next recorded value.
    Number(ElementType),
    /// The next recorded values as an array of these extents.
    Array(ElementType, &'static [usize]),
}
