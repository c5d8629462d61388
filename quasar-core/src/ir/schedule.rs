//! Schedules: how the processor visits the positions of a kernel, and how devices map them to threads.

use super::affine::{AffineForm, RowRange};
use super::rewrite::set_in;
use super::versions::CodeVersions;
use super::{
    Accumulator, Block, Body, Coordinate, Expr, ExprKind, FunctionId, Index, Stmt, StmtKind, VarId, build,
};
use crate::source::Span;
use crate::types::{Boundary, ElementType};
use std::collections::BTreeMap;
use std::fmt;

/// The choices that were made for a kernel. What is not chosen is done position by position along rows.
#[derive(Clone, Debug, Default)]
pub struct Schedule {
    /// Neighbouring positions that are visited together.
    pub vector: Option<Box<Vector>>,
    /// As `vector`, along the last two components of the position, which are collapsed into one: where the last has few values, and
    /// arrays have as many elements along it.
    pub collapsed: Option<Box<Vector>>,
    /// What neighbouring threads of a block do together between two barriers, for some of the intervals, by their numbers in the order
    /// of the code.
    pub intervals: BTreeMap<usize, Vector>,
    /// Whether all positions are one row where they lie side by side in all arrays.
    pub linearized: bool,
    /// Neighbouring rows whose vectors go through loops together.
    pub tile: Option<Box<VectorTile>>,
    /// A sum of products, whose factors are packed before they are multiplied. Takes precedence over `tile`, where it pays.
    pub contraction: Option<Box<Contraction>>,
    /// Tiles in which positions are visited, where a row of positions crosses rows of an array.
    pub position_tile: Option<PositionTile>,
    /// The first position, where it is not zero. The last one is as far behind as without it.
    pub origin: Vec<i32>,
    /// Arrays that are divided among threads along with the positions, though each position writes several places of them.
    pub bands: Vec<Bands>,
    /// The parameters that must not alias, as they were before a pass reordered reads and writes.
    pub conflicts: Option<Vec<Conflict>>,
    /// Whether one thread visits all positions, so that additions to elements that they have in common need no atomics.
    pub one_thread: bool,
    /// Whether choices among variables are computed without branches, which a compiler might else make of them.
    pub branchless: bool,
    /// What the kernel has to do with tables that launches fill.
    pub tables: Option<TableRole>,
    /// Whether each position does what several positions of another kernel do.
    pub written_out: Option<WrittenOut>,
    /// The kernel of which this one is the version that tests no indices.
    pub untested: Option<String>,
    /// The code of a position on the elements that belong to it.
    pub boxes: Option<Box<PositionBoxes>>,
    /// The code for rows of few positions.
    pub short_rows: Option<Box<ShortRows>>,
    /// The arrays of which only some rows may be there (a line buffer), and the rows that a row of positions reads.
    pub rows: BTreeMap<VarId, Vec<RowRange>>,
    /// How the ranks of a cluster share a launch; nothing where programs are not compiled for clusters.
    pub ranks: Option<Box<RankDivision>>,
    /// How many operations a position has, for profiles; nothing where the launch does not tell.
    pub operations: Option<Operations>,
    /// How devices run the kernel; nothing before the pass `schedule_device`.
    pub device: Option<OnDevice>,
}

/// How many floating-point operations there are: a number, and those of loops with as many rounds as a sum over what the launch is given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Those outside of such loops.
    pub fixed: i64,
    /// Rounds, and the operations of each.
    pub loops: Vec<(AffineForm, Operations)>,
}

/// How the ranks of a cluster share a launch: each visits some rows of positions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RankDivision {
    /// Whether they may. Otherwise each rank visits all positions.
    pub by_rows: bool,
    /// The rows of arrays that a row of positions reads. Of other arrays it may read all.
    pub reads: BTreeMap<VarId, Vec<RowRange>>,
    /// The rows of arrays that a row of positions writes.
    pub writes: BTreeMap<VarId, Vec<RowRange>>,
    /// The arrays to which all positions only add.
    pub sums: Vec<VarId>,
    /// The arrays that may differ between ranks where each visits all positions, since the order of additions to an element is open.
    pub unordered: Vec<VarId>,
    /// Whether a position may end with an error.
    pub may_fail: bool,
    /// Whether positions may be visited again: they leave nothing but elements, and read none of the arrays that they write.
    pub repeatable: bool,
}

/// The code of one position where rows have few. It is right where every index of the mode 'checked is inside for all positions of a
/// task.
#[derive(Clone, Debug)]
pub struct ShortRows {
    /// The statements.
    pub block: Block,
    /// The most positions of a row.
    pub most: i32,
    /// The most values of the last two components of the position.
    pub plane: i32,
}

/// The code of a position where numbers name all its elements of all arrays: these are variables, fetched before and stored behind.
#[derive(Clone, Debug)]
pub struct PositionBoxes {
    pub block: Block,
    pub arrays: Vec<ArrayBox>,
}

impl PositionBoxes {
    /// All of its code, with what is fetched before and stored behind.
    pub fn code(&self, body: &Body) -> Block {
        let set = set_in(&self.block);
        let (mut block, mut behind) = (Block::new(), Block::new());
        for each in &self.arrays {
            for (variable, element) in each.variables.iter().zip(each.elements(body)) {
                block.push(build::assign(*variable, element.clone()));
                if let ExprKind::Load { array, index, boundary } = element.kind
                    && set.contains(variable)
                {
                    let value = body.read(*variable, element.span);
                    let kind = StmtKind::Store { array: *array, index, boundary, value };
                    behind.push(Stmt::new(kind, element.span));
                }
            }
        }
        block.extend(self.block.iter().cloned());
        block.append(&mut behind);
        block
    }
}

/// The elements of an array that belong to a position, which is the first index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArrayBox {
    pub array: VarId,
    /// How many there are along each other dimension.
    pub extents: Vec<u32>,
    /// Those that the code mentions, by their numbers in row-major order.
    pub places: Vec<u32>,
    /// The variables for these.
    pub variables: Vec<VarId>,
}

impl ArrayBox {
    /// The elements that the code mentions.
    fn elements<'a>(&'a self, body: &'a Body) -> impl Iterator<Item = Expr> + 'a {
        let span = body.variables[self.array].span;
        self.places.iter().map(move |place| {
            let (mut rest, mut index) = (*place, Vec::new());
            for extent in self.extents.iter().rev() {
                index.insert(0, build::int((rest % extent) as i32, span));
                rest /= extent;
            }
            let position = ExprKind::Coordinate(Coordinate::Position, 0);
            index.insert(0, Expr::new(position, build::int_type(), span));
            build::load(body.read(self.array, span), index, Boundary::Unchecked, span)
        })
    }
}

/// A kernel of which each position does what so many of another kernel do. Messages name that one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenOut {
    /// The name of the other kernel.
    pub of: String,
    pub positions: u32,
}

/// What a kernel has to do with the tables of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TableRole {
    /// It fills them.
    Fills,
    /// It reads them, and does besides what this kernel does. Messages name that one.
    Reads { of: String },
}

/// A tile of positions: so many values of a component, and so many of the last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionTile {
    /// The component that is not the last one.
    pub axis: usize,
    /// Values of that component.
    pub rows: usize,
    /// Values of the last component.
    pub columns: i32,
}

/// Whether devices run a kernel.
#[derive(Clone, Debug)]
pub enum OnDevice {
    /// They do.
    Scheduled(Box<DeviceSchedule>),
    /// They do not: the construct that stands in the way. The processor runs the kernel.
    Refused { span: Span, what: String },
}

/// How devices run a kernel.
#[derive(Clone, Debug)]
pub struct DeviceSchedule {
    /// How positions map to threads.
    pub mapping: Mapping,
    /// A second version for launches with few positions.
    pub split: Option<SplitReduction>,
    /// A version with a block of threads for each position.
    pub block: Option<Box<BlockLoops>>,
    /// A version with a tile of positions for each block of threads, of a contraction.
    pub tile: Option<Box<BlockTile>>,
    /// What threads allocate.
    pub heap: ThreadHeap,
    /// The shared arrays, each with the number of elements for which its blocks reserve memory at compile time; `None` for
    /// those that take dynamic shared memory, whose size the launch chooses.
    pub shared: BTreeMap<VarId, Option<u64>>,
    /// Versions of the code that need no tests; none before the pass `loop_versioning`.
    pub versions: CodeVersions,
}

/// The arrays that threads allocate from the device heap, and when their memory goes back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ThreadHeap {
    /// Whether threads allocate arrays.
    pub used: bool,
    /// Those of the kernel's own code.
    pub kernel: HeapScopes,
    /// Those of the functions that the kernel calls, as far as they have some.
    pub functions: BTreeMap<FunctionId, HeapScopes>,
}

/// What a body allocates from the device heap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeapScopes {
    /// The variables that hold arrays of the thread, in their order.
    pub arrays: Vec<VarId>,
    /// The loops that free at the end of each iteration what it allocated, by their numbers
    /// ([`NodeNumbers`](super::numbers::NodeNumbers)).
    pub loops: Vec<usize>,
    /// Whether everything is free again when the function has returned.
    pub call: bool,
}

/// How positions map to threads.
#[derive(Clone, Debug)]
pub enum Mapping {
    /// One thread per position, in blocks of any shape.
    Positions,
    /// One thread per register tile of the kernel.
    RegisterTiles,
    /// One thread per position, padded to whole blocks; the block shape is part of the meaning.
    Blocks,
    /// As `Blocks`, with all blocks resident at once. If it `walks`, a physical block loops over several logical blocks.
    CooperativeGrid { walks: bool },
    /// A grid-stride loop of blocks over all positions.
    GridStride(GridStride),
}

/// The schedule of a grid-stride loop.
#[derive(Clone, Debug)]
pub struct GridStride {
    /// Arrays of which a position accesses only its own element, which is kept in registers; in the order of variables.
    pub own: Vec<OwnElement>,
    /// Arrays that blocks privatise in shared memory, in the order of variables.
    pub histograms: Vec<BlockHistogram>,
    /// Elements that a thread processes per iteration: consecutive positions in row-major order.
    pub vector: usize,
    /// Whether each block combines partial results at its end, so that few blocks with many positions are best.
    pub gather: bool,
}

/// An array of which a position accesses only its own element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnElement {
    /// The array.
    pub array: VarId,
    /// Whether the old value may be read.
    pub read: bool,
    /// Whether it is written.
    pub written: bool,
}

/// A histogram with copies per block in shared memory, which replace the array in the loop and reduce contention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHistogram {
    /// The array.
    pub array: VarId,
    /// The type of its elements.
    pub element: ElementType,
    /// Every update adds 1, so integer counters suffice and are faster.
    pub counts: bool,
}

/// A loop whose iterations are shared by the threads of one or several blocks per position.
#[derive(Clone, Debug)]
pub struct SplitReduction {
    /// Index of the loop in the kernel's block.
    pub at: usize,
    /// The variables that it accumulates.
    pub accumulators: Vec<Accumulator>,
    /// Its trip count, if that is an affine form.
    pub iterations: Option<AffineForm>,
    /// Whether neighbouring positions read neighbouring elements, and iterations do not: a block then has several positions.
    pub columns: bool,
}

/// The code of a kernel for a block of threads per position. All threads compute the same, but for the loops that they share, and
/// for what the first one does alone. Barriers order what they do to memory.
#[derive(Clone, Debug)]
pub struct BlockLoops {
    /// The kernel's body with these barriers.
    pub body: Body,
    /// The loops whose iterations are shared, by their numbers ([`NodeNumbers`](super::numbers::NodeNumbers)).
    pub loops: BTreeMap<usize, SharedLoop>,
    /// The statements that the first thread does alone, by their numbers.
    pub first: Vec<usize>,
    /// Numbers whose product is the trip count of a shared loop; none if it is unknown.
    pub iterations: Vec<AffineForm>,
    /// Whether the shared loops go along rows of the position's own, so that neighbouring iterations are neighbours in memory, and
    /// neighbouring positions are not.
    pub along_rows: bool,
}

impl BlockLoops {
    /// The most variables that a loop accumulates.
    pub fn values(&self) -> usize {
        self.loops.values().map(|each| each.accumulators.len()).max().unwrap_or(0)
    }
}

/// A loop whose iterations the threads of a block share: a thread has every iteration that is a multiple of the threads behind its
/// first one.
#[derive(Clone, Debug)]
pub struct SharedLoop {
    /// How many loops, each of which has nothing but the next one in it, count as one.
    pub collapsed: usize,
    /// What the threads combine behind the loop.
    pub accumulators: Vec<Accumulator>,
}

/// The code of a contraction for blocks of threads that have a tile of positions each, whose rows and columns share factors of what
/// the sums grow by.
#[derive(Clone, Debug)]
pub struct BlockTile {
    /// The kernel's body, with loops that compute both factors and grow the sum.
    pub body: Body,
    /// Index of the outermost loop in the body's block. Each loop has nothing but the next one in it; the last one has three
    /// statements: the factor of the row, that of the column, and the new sum.
    pub at: usize,
    /// The components of the position that number rows.
    pub rows: Staged,
    /// Those that number columns. Blocks have one value each of all other components.
    pub columns: Staged,
    /// The variable that grows.
    pub sum: VarId,
    /// The iterations of each loop.
    pub iterations: Vec<AffineForm>,
}

/// A factor that the threads of a block stage in shared memory.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The components of the position on which it depends, and the other one does not.
    pub axes: Vec<usize>,
    /// The variable that holds it.
    pub variable: VarId,
    /// Whether iterations are neighbours in memory, and positions are not.
    pub along_loop: bool,
}

impl fmt::Display for OnDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schedule = match self {
            OnDevice::Scheduled(schedule) => schedule,
            OnDevice::Refused { what, .. } => return write!(f, "not on devices: {what}"),
        };
        match &schedule.mapping {
            Mapping::Positions => write!(f, "a thread per position")?,
            Mapping::RegisterTiles => write!(f, "a thread per register tile")?,
            Mapping::Blocks => write!(f, "blocks")?,
            Mapping::CooperativeGrid { walks } => {
                write!(f, "cooperative grid{}", if *walks { " of logical blocks" } else { "" })?;
            }
            Mapping::GridStride(GridStride { own, histograms, vector, gather }) => {
                write!(f, "grid-stride by {vector}, {} own, {} privatised", own.len(), histograms.len())?;
                if *gather {
                    write!(f, ", gathered")?;
                }
            }
        }
        if schedule.split.is_some() {
            write!(f, ", split reduction")?;
        }
        if let Some(block) = &schedule.block {
            write!(f, ", or a block per position ({} shared loops)", block.loops.len())?;
        }
        if let Some(tile) = &schedule.tile {
            let axes =
                |staged: &Staged| staged.axes.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
            let (rows, columns) = (axes(&tile.rows), axes(&tile.columns));
            write!(f, ", or a block per tile (rows pos.{rows}, columns pos.{columns})")?;
        }
        if schedule.heap.used { write!(f, ", heap") } else { Ok(()) }
    }
}

impl Schedule {
    /// All code for vectors of the whole kernel.
    pub fn vectors(&self) -> impl Iterator<Item = &Vector> {
        let tile = self.tile.iter().map(|tile| &tile.vector);
        self.vector.iter().chain(&self.collapsed).map(Box::as_ref).chain(tile)
    }
}

/// The code of a kernel for a block of positions, a register tile: the lanes of so many positions that are neighbours along a
/// component before the last. Loops go on for all of them, and what they share is loaded once.
#[derive(Clone, Debug)]
pub struct VectorTile {
    /// The component of the position along which the rows of the tile are neighbours.
    pub axis: usize,
    /// How many rows.
    pub rows: u32,
    /// Their code. The position is that of the first row.
    pub vector: Vector,
}

/// The code of a kernel whose loops do nothing but to grow one variable by two factors, one of which is the same for all lanes, and
/// the other for all rows of a tile. Both are packed in the order of the loops, so that what is left is a loop over packed
/// elements, which keeps the sums of a tile in registers.
#[derive(Clone, Debug)]
pub struct Contraction {
    /// The component of the position along which the rows of the tile are neighbours.
    pub axis: usize,
    /// How many rows.
    pub rows: u32,
    /// The variable that grows.
    pub sum: VarId,
    /// How it grows by the variables of both factors.
    pub step: Stmt,
    /// The factor that all lanes have in common.
    pub of_rows: Factor,
    /// The factor that all rows have in common.
    pub of_lanes: Factor,
    /// What a row does before the loops.
    pub before: Vector,
    /// What a row does behind them.
    pub behind: Vector,
    /// All that a row does. Its tested indices must be inside.
    pub whole: Vector,
}

/// A factor of a contraction.
#[derive(Clone, Debug)]
pub struct Factor {
    /// The variable that holds it.
    pub variable: VarId,
    /// The loops, which give the variable one value after the other.
    pub values: Vector,
    /// The components of the position on which the values depend, besides that along which they are packed.
    pub axes: Vec<usize>,
}

impl Contraction {
    /// All of its code, as if loops had one round.
    pub fn code(&self) -> Block {
        let Contraction { before, of_rows, of_lanes, step, behind, .. } = self;
        let loops = of_rows.values.block.iter().chain(&of_lanes.values.block).chain([step]);
        before.block.iter().chain(loops).chain(&behind.block).cloned().collect()
    }
}

/// Two parameters of a kernel, by index, that must not alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The one that is only read, possibly after writes to the other.
    pub read: usize,
    /// The one that is written.
    pub written: usize,
    /// Whether the conflict exists only if positions run in order.
    pub in_order: bool,
}

/// The code of a kernel for neighbouring positions of a row, the lanes. It is right where every index of the
/// mode 'checked is inside; where one may be outside, positions are visited one by one.
#[derive(Clone, Debug)]
pub struct Vector {
    /// How many positions.
    pub lanes: u32,
    /// How many of them at first, as long as there are so many in a row, if those go down columns.
    pub widest: Option<u32>,
    /// The kernel's statements. Loops of one round over `every_position` are what each lane does for itself; all other
    /// statements are done once for all lanes.
    pub block: Block,
    /// The variables that have a value for each lane. Others that lanes assign to live in one of their loops only.
    pub wide: Vec<VarId>,
    /// Whether positions may be visited twice, so that vectors at the end of a row may overlap.
    pub overlaps: bool,
    /// Arrays of which lanes fetch or write all elements along the last dimension.
    pub interleaved: Vec<Interleaved>,
    /// Arrays of which lanes read and write neighbouring elements by vectors, in loops too, though other threads have elements of
    /// them as well.
    pub slices: Vec<VarId>,
    /// What lanes write at other places than their own. The code of lanes is right where these vectors have no element in common
    /// along a row.
    pub stores: Vec<StoreVector>,
    /// Conditions on the column under which all of it stands. Elsewhere a position does nothing, which the code of single
    /// positions tests.
    pub columns: Vec<ColumnBound>,
    /// Conditions on the column under which the code of lanes is right. Elsewhere positions are visited one by one.
    pub within: Vec<ColumnBound>,
}

/// A bound of the last component of the position, which has one value for a row.
#[derive(Clone, Debug)]
pub struct ColumnBound {
    /// Whether columns are not before it; else they are not behind it.
    pub least: bool,
    /// Whether the bound itself is left out.
    pub strict: bool,
    /// The bound.
    pub value: Expr,
}

/// An array of which the first component of the position selects rows at each of some places.
#[derive(Clone, Debug)]
pub struct Bands {
    /// The array.
    pub array: VarId,
    /// The dimension along which rows are selected.
    pub axis: usize,
    /// How many rows lie between neighbouring positions; at least one.
    pub factor: i32,
    /// What else the indices hold.
    pub places: Vec<BandPlace>,
    /// Rows that all positions read: their indices up to the axis, which all threads know. Where one of them is among the rows that
    /// positions select, the array is not divided.
    pub read: Vec<Vec<Expr>>,
}

/// The rows of one place.
#[derive(Clone, Debug)]
pub struct BandPlace {
    /// The indices before the axis. All threads know them, and the terms.
    pub lead: Vec<Expr>,
    /// What is added to the multiple of the position: terms with their factors.
    pub terms: Vec<(i64, Expr)>,
    /// And a number between these.
    pub span: (i32, i32),
}

/// Elements of an array that lanes write or read along a row, which are fetched before and written behind the code of lanes.
#[derive(Clone, Debug)]
pub struct StoreVector {
    /// The array.
    pub array: VarId,
    /// The first element of each lane.
    pub index: Vec<Index>,
    /// How far apart the lanes are; so many elements belong to each. If it is zero, all lanes read one element.
    pub apart: u32,
    /// Whether each lane writes in front of the one before it. They are one element apart then.
    pub backwards: bool,
    /// Whether lanes write some of them.
    pub written: bool,
}

/// An array with a few elements for each position side by side, along its last dimension. The code of lanes is right
/// where it has as many, or more if it is not `exact`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interleaved {
    /// The array.
    pub array: VarId,
    /// How many elements.
    pub elements: u32,
    /// Whether there may be no others.
    pub exact: bool,
}

impl Vector {
    /// How many elements a position has in an array that is interleaved.
    pub fn interleaved(&self, array: VarId) -> Option<u32> {
        self.interleaved.iter().find(|each| each.array == array).map(|each| each.elements)
    }
}
