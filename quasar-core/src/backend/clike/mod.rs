//! Prints a kernel as device source: one text that is valid CUDA C++ and OpenCL C.
//!
//! The text uses types, functions and macros of the device library (`q_f32`, `q_mirror`, `Q_GLOBAL`, ..), whose
//! definitions the runtime prepends in the dialect of the device. What cannot be expressed was refused by passes, and runs on
//! the CPU only.
//!
//! An array in memory becomes a pointer and its extents. Small fixed-size arrays and tuples are structs, hence values
//! as in the IR. An expression that needs statements is computed into temporaries in front of the statement that uses
//! it; if only one branch may evaluate it, the branch becomes a statement.

mod arrays;
mod block_loops;
mod block_reduction;
mod block_tile;
mod conditions;
mod cooperative_grid;
mod entry;
mod expr;
mod functions;
mod grid_stride;
mod heap;
mod lines;
mod register_tiles;
mod small;
mod split_reduction;
mod stmt;
mod types;

use crate::ir::affine::AffineForm;
use crate::ir::rewrite::visit_stmts;
use crate::ir::schedule::{DeviceSchedule, GridStride, Mapping, OnDevice};
use crate::ir::{Function, FunctionId, Kernel, KernelId, Program, StmtKind, Target};
use crate::message::{Category, Code, Message, Sink};
use crate::parallel;
use crate::source::{SourceMap, Span};
use crate::types::ElementType;
use std::collections::{BTreeMap, BTreeSet};

/// A kernel as device source, with what a launch must know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceKernel {
    /// Name of the entry function in `text`.
    pub entry: String,
    /// Struct definitions, device functions and the entry function.
    pub text: String,
    /// How positions map to threads.
    pub style: Style,
    /// Error sites; the text refers to them by their index in this list.
    pub sites: Vec<Site>,
    /// Whether shared arrays use dynamic shared memory, whose size the launch chooses.
    pub dynamic_shared: bool,
    /// Whether threads allocate from the device heap.
    pub heap: bool,
    /// Arrays that blocks privatise as histogram tables in shared memory: index in the list of parameters, and the
    /// bytes of one table element.
    pub tables: Vec<(usize, usize)>,
    /// Arrays in constant memory, as indices in the list of parameters.
    pub constants: Vec<usize>,
    /// If known: sums such that a launch cannot fail if all of them are non-negative.
    pub safe: Option<Vec<AffineForm>>,
    /// A second version with a split reduction, for launches with few positions.
    pub team: Option<Box<DeviceKernel>>,
    /// A version with a block of threads per position.
    pub block: Option<Box<DeviceKernel>>,
    /// A version with a block of threads per tile of positions.
    pub tile: Option<Box<DeviceKernel>>,
    /// Of these versions: numbers whose product is the trip count that threads share; none if it is unknown.
    pub iterations: Vec<AffineForm>,
}

/// How positions map to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One thread per position, in blocks of any shape.
    Positions,
    /// Register tiling: one thread per `rows` positions, where the launch passes 1 or this number as `rows`. The
    /// positions of a thread follow each other along the dimension before the last; in rank 1 they are as far apart as
    /// a block has threads.
    Strips {
        /// Positions along the dimension before the last.
        rows: u32,
    },
    /// Split reduction: blocks of [`SPLIT_THREADS`](crate::target::gpu::SPLIT_THREADS) threads, several for one or some positions as the
    /// launch chooses. It provides scratch memory: [`SPLIT_COUNTERS`](crate::target::gpu::SPLIT_COUNTERS) counters of 32 bits,
    /// which are zero before and after, and 64 bits for each value of each block.
    Team {
        /// The number of values that a block accumulates for all its positions.
        values: u32,
        /// The most positions of a block. Several are a power of two, whose logarithm the launch passes in the highest byte of the
        /// number of blocks.
        columns: u32,
    },
    /// A block of threads per position, as many as the launch chooses: a power of two from a warp up to
    /// [`POSITION_THREADS`](crate::target::gpu::POSITION_THREADS). Blocks are numbered along one dimension. On CUDA devices, a launch
    /// that cannot fail may have several blocks for each position, all of them resident at once; it provides scratch memory as for
    /// [`Style::Team`], twice as much for each block.
    BlockEach {
        /// Whether threads are neighbours in memory that positions are not.
        along_rows: bool,
        /// The most values that a shared loop accumulates.
        values: u32,
    },
    /// A block of [`BLOCK_TILE_THREADS`](crate::target::gpu::BLOCK_TILE_THREADS) threads per tile of
    /// [`BLOCK_TILE_SIDE`](crate::target::gpu::BLOCK_TILE_SIDE) rows and columns. Blocks are numbered along one dimension, the columns of
    /// tiles first, then their rows, then the other components of the position. A launch must not fail.
    BlockTiles {
        /// The components of the position that number rows: a bit for each.
        rows: u32,
        /// Those that number columns.
        columns: u32,
    },
    /// One thread per position, padded to whole blocks; the block shape is part of the meaning.
    Blocks,
    /// Cooperative grid: as `Blocks`, with all blocks resident at once and numbered along one dimension. The launch
    /// provides a 32-bit barrier counter whose lower 31 bits are zero before and after. If it `walks`, there may be
    /// fewer physical blocks than logical blocks.
    Grid {
        /// Whether a physical block loops over several logical blocks.
        walks: bool,
    },
    /// Grid-stride loop of blocks of [`GRID_STRIDE_THREADS`](crate::target::gpu::GRID_STRIDE_THREADS) threads over all positions.
    Walk {
        /// Elements that a thread processes per iteration: consecutive positions in row-major order.
        together: u32,
        /// Whether to launch few blocks with many positions each, because each block's partial results are combined at
        /// the end.
        gather: bool,
    },
}

impl Style {
    fn of(schedule: &DeviceSchedule, kernel: &Kernel) -> Style {
        match &schedule.mapping {
            Mapping::Positions => Style::Positions,
            Mapping::RegisterTiles => {
                Style::Strips { rows: kernel.strip.as_ref().map_or(1, |tile| tile.rows) }
            }
            Mapping::Blocks => Style::Blocks,
            Mapping::CooperativeGrid { walks } => Style::Grid { walks: *walks },
            Mapping::GridStride(GridStride { vector, gather, .. }) => {
                Style::Walk { together: *vector as u32, gather: *gather }
            }
        }
    }
}

/// A point in the program where a kernel may fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// Name of the array, or empty.
    pub subject: String,
    /// Source line.
    pub line: u32,
    /// The message, with placeholders for the values that the device recorded.
    pub message: Vec<Part>,
}

/// A part of an error message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Literal text.
    Text(String),
    /// The next recorded value.
    Number(ElementType),
    /// The next recorded values, as an array of these extents.
    Array(ElementType, Vec<usize>),
}

/// A construct without a device form in a kernel that passes let through: a mistake of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Location of the construct.
    pub span: Span,
    /// The construct.
    pub what: String,
}

fn malformed<T>(span: Span, what: impl Into<String>) -> Result<T, Malformed> {
    Err(Malformed { span, what: what.into() })
}

/// The address space of an array's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Space {
    Global,
    /// Global memory read through the constant cache, which broadcasts an element to a warp.
    Constant,
    Shared,
    Private,
    /// Global memory that the thread allocated from the device heap.
    Heap,
}

/// What a text names beside what devices need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Naming {
    /// Nothing.
    #[default]
    Nothing,
    /// The line of the program that each line stands for (`#line`), for tools that look at machine code.
    Lines,
}

/// State shared by the printers of one kernel.
struct Unit<'p> {
    program: &'p Program,
    schedule: &'p DeviceSchedule,
    sources: &'p SourceMap,
    naming: Naming,
    /// Struct definitions in dependency order.
    structures: Vec<(String, String)>,
    /// Device functions, specialised by the address spaces of their array arguments; `None` while one is being printed.
    functions: BTreeMap<(FunctionId, Vec<Space>), Option<String>>,
    /// Printed device functions, callees first.
    printed: Vec<String>,
    sites: Vec<Site>,
    /// Whether the kernel may fail and therefore takes an error record.
    fails: bool,
    dynamic_shared: bool,
    heap: bool,
    /// Whether threads communicate through atomic exchanges.
    exchanges: bool,
}

impl DeviceKernel {
    /// This version and the others.
    pub fn versions(&self) -> impl Iterator<Item = &DeviceKernel> {
        [Some(self), self.team.as_deref(), self.block.as_deref(), self.tile.as_deref()].into_iter().flatten()
    }

    fn repeat_places(&mut self) {
        self.text = lines::places_repeated(&self.text);
        let others = [self.team.as_deref_mut(), self.block.as_deref_mut(), self.tile.as_deref_mut()];
        others.into_iter().flatten().for_each(DeviceKernel::repeat_places);
    }
}

impl<'p> Unit<'p> {
    fn line(&self, span: Span) -> u32 {
        self.sources.line_column(span.file, span.start).0
    }

    /// The directive that begins the text of a place, if the text names places.
    fn directive(&self, span: Span) -> Option<String> {
        let known = self.naming == Naming::Lines && (span.file.0 as usize) < self.sources.files().count();
        known.then(|| lines::directive(self.line(span), &self.sources.file(span.file).name))
    }

    fn function(&self, id: FunctionId) -> &'p Function {
        &self.program.functions[id]
    }

    /// The index of an error site; equal sites share one.
    fn site(&mut self, site: Site) -> usize {
        self.fails = true;
        if let Some(known) = self.sites.iter().position(|each| *each == site) {
            return known;
        }
        self.sites.push(site);
        self.sites.len() - 1
    }
}

/// The device source of a kernel; `None` if its schedule keeps it from devices.
///
/// # Errors
///
/// A kernel that the passes for devices did not see, or whose constructs they should have refused.
pub fn kernel(
    program: &Program,
    id: KernelId,
    sources: &SourceMap,
) -> Result<Option<DeviceKernel>, Malformed> {
    kernel_naming(Naming::Nothing, program, id, sources)
}

/// As [`kernel`], with what the text names.
///
/// # Errors
///
/// As for [`kernel`].
pub fn kernel_naming(
    naming: Naming,
    program: &Program,
    id: KernelId,
    sources: &SourceMap,
) -> Result<Option<DeviceKernel>, Malformed> {
    let kernel = &program.kernels[id];
    let schedule = match kernel.schedule.device.as_ref() {
        Some(OnDevice::Scheduled(schedule)) => schedule,
        Some(OnDevice::Refused { .. }) => return Ok(None),
        None => return malformed(kernel.span, "a kernel without a schedule for devices"),
    };
    let unit = || Unit {
        program,
        schedule,
        sources,
        naming,
        structures: Vec::new(),
        functions: BTreeMap::new(),
        printed: Vec::new(),
        sites: Vec::new(),
        fails: false,
        dynamic_shared: false,
        heap: false,
        exchanges: exchanges(program, id),
    };
    let team = match &schedule.split {
        Some(split) => Some(entry::team(&mut unit(), kernel, split)?),
        None => None,
    };
    let block = match &schedule.block {
        Some(form) => Some(entry::block_loops(&mut unit(), kernel, form)?),
        None => None,
    };
    let tile = match &schedule.tile {
        Some(form) => entry::block_tile(&mut unit(), kernel, form)?,
        None => None,
    };
    let kernel = entry::kernel(&mut unit(), kernel, schedule)?;
    // Both versions access the same elements, so the same conditions rule out errors.
    let team = team.map(|team| Box::new(DeviceKernel { safe: kernel.safe.clone(), ..team }));
    let mut kernel = DeviceKernel { team, block: block.map(Box::new), tile: tile.map(Box::new), ..kernel };
    kernel.repeat_places();
    Ok(Some(kernel))
}

/// Whether a kernel, or a function that it calls, contains an atomic exchange.
fn exchanges(program: &Program, id: KernelId) -> bool {
    let (mut found, mut open, mut seen) = (false, vec![&program.kernels[id].body], BTreeSet::new());
    while let Some(body) = open.pop() {
        visit_stmts(&body.block, &mut |stmt| match &stmt.kind {
            StmtKind::Exchange { .. } => found = true,
            StmtKind::Call { function, .. } if seen.insert(*function) => {
                open.push(&program.functions[*function].body);
            }
            _ => {}
        });
    }
    found
}

/// Reports kernels that were written for devices and are kept from them.
pub fn report_missing(program: &Program, sink: &mut Sink) {
    let meant = |kernel: &Kernel| !matches!(kernel.attributes.target, Target::Any | Target::Processor);
    for (_, kernel) in program.kernels.iter().filter(|(_, kernel)| meant(kernel)) {
        if let Some(OnDevice::Refused { span, what }) = kernel.schedule.device.as_ref() {
            let text = format!("'{}' is meant for GPUs, which cannot run it: {what}", kernel.name);
            let message = Message::warning("Q0607", *span, text);
            sink.push(message.related(kernel.span, "the kernel").help("the processor runs it"));
        }
    }
}

/// The device source of all kernels that devices run. Mistakes of the compiler go to `sink`.
pub fn kernels(program: &Program, sources: &SourceMap, sink: &mut Sink) -> BTreeMap<KernelId, DeviceKernel> {
    kernels_naming(Naming::Nothing, program, sources, sink)
}

/// As [`kernels`], with what the texts name.
pub fn kernels_naming(
    naming: Naming,
    program: &Program,
    sources: &SourceMap,
    sink: &mut Sink,
) -> BTreeMap<KernelId, DeviceKernel> {
    let kernels: Vec<_> = program.kernels.ids().collect();
    let texts = parallel::map(kernels.clone(), |id| kernel_naming(naming, program, id, sources));
    let mut found = BTreeMap::new();
    for (id, text) in kernels.into_iter().zip(texts) {
        match text {
            Ok(Some(text)) => drop(found.insert(id, text)),
            Ok(None) => {}
            Err(Malformed { span, what }) => {
                let name = &program.kernels[id].name;
                let text =
                    format!("internal error: no pass refused '{name}', which devices cannot run: {what}");
                sink.push(Message::new(Code("Q0599"), Category::Bug, span, text));
            }
        }
    }
    found
}
