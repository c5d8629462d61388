//! Prints a kernel as text for devices: one text that is CUDA C++ and OpenCL C at once.
//!
//! The text names types and functions of the device library (`q_f32`, `q_mirror`, `Q_GLOBAL`, ..), which the run-time
//! system puts in front of it in the dialect of the device. A kernel that has no such form is refused with a reason and
//! runs on the processor.
//!
//! An array that stays where it is becomes a pointer and its extents. Small arrays and tuples are structures, so that
//! they are values as in the IR. Values that need statements of their own are computed into temporaries before the
//! statement that uses them; where only a branch may compute them, the branch becomes a statement.

mod arrays;
mod block_results;
mod entry;
mod expr;
mod functions;
mod granted;
mod grid;
mod heap;
mod lines;
mod small;
mod stmt;
mod strips;
mod team;
mod types;
mod walk;

use crate::analysis::hull::Sum;
use crate::ir::rewrite::visit_stmts;
use crate::ir::{Function, FunctionId, Kernel, KernelId, Program, StmtKind, Target};
use crate::message::{Message, Sink};
use crate::parallel;
use crate::source::{SourceMap, Span};
use crate::types::ElementType;
use quasar_devicelib::device_text::results;
use std::collections::{BTreeMap, BTreeSet};

/// A kernel as text, and what a launch must know about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceKernel {
    /// The name of the entry function in the text.
    pub entry: String,
    /// Types, functions and the entry function.
    pub text: String,
    /// How positions are handed to threads.
    pub style: Style,
    /// Where errors may arise; the text names them by their position in this list.
    pub sites: Vec<Site>,
    /// Whether shared arrays lie in memory whose size the launch chooses.
    pub dynamic_shared: bool,
    /// Whether threads take memory while they run.
    pub heap: bool,
    /// Arrays that blocks have tables of their own for, as positions in the list of parameters, with the bytes of an
    /// element of such a table.
    pub tables: Vec<(usize, usize)>,
    /// Arrays that lie in constant memory, as positions in the list of parameters.
    pub constants: Vec<usize>,
    /// Sums none of which is negative in launches that cannot fail, where that is known.
    pub safe: Option<Vec<Sum>>,
    /// The kernel once more for launches of few positions.
    pub team: Option<Box<DeviceKernel>>,
}

/// How positions are handed to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One thread for each position, in blocks of any extents.
    Positions,
    /// One thread for as many positions as the launch says, one or so many, which follow each other along the dimension
    /// before the last; of one dimension they are [`crate::ir::Strip::THREADS`] apart, the threads of a block.
    Strips(u32),
    /// Blocks of [`TEAM_THREADS`] threads, as many for each position as the launch says. For what they accumulate, so many
    /// values each, the launch provides memory: [`TEAM_COUNTERS`] counters of 32 bits, which are zero before and after, and
    /// 64 bits for each value of each block.
    Team(u32),
    /// One thread for each position, and more to fill the last blocks; the extents of blocks matter.
    Blocks,
    /// As `Blocks`, with all blocks of the launch there at once, numbered along one dimension. The launch provides a counter
    /// of 32 bits, whose lower 31 bits are zero before and after. If it `walks`, there may be fewer blocks of threads than
    /// the launch has blocks.
    Grid {
        /// Whether a block of threads visits several blocks of the launch.
        walks: bool,
    },
    /// Blocks of [`WALKING_THREADS`] threads walk over all positions, so many at a time.
    Walk {
        /// Positions that a thread visits at a time: the next ones in row-major order.
        together: u32,
        /// Whether there shall be few blocks, each of which visits many positions, because what they found is put together
        /// in the end.
        gather: bool,
    },
}

/// The threads of a block that walks over positions.
pub const WALKING_THREADS: u32 = 256;

/// The threads of a block that works at one position.
pub const TEAM_THREADS: u32 = 256;

/// At most so many positions have several blocks each.
pub const TEAM_COUNTERS: u32 = results::COUNTERS as u32;

/// A place where an error may arise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The array, or nothing.
    pub subject: String,
    /// The line.
    pub line: u32,
    /// What is said, with the values that the device recorded.
    pub message: Vec<Part>,
}

/// A part of the message of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// As it is.
    Text(String),
    /// The next recorded value.
    Number(ElementType),
    /// The next recorded values as an array of these extents.
    Array(ElementType, Vec<usize>),
}

/// Why a kernel runs on the processor only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The place.
    pub span: Span,
    /// What has no form on devices.
    pub what: String,
}

fn refuse<T>(span: Span, what: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { span, what: what.into() })
}

/// Where elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Space {
    Global,
    /// Global memory of which devices keep a copy that all threads of a warp read at once.
    Constant,
    Shared,
    Private,
    /// Global memory that the thread has taken.
    Heap,
}

/// What the printers of one kernel share.
struct Unit<'p> {
    program: &'p Program,
    sources: &'p SourceMap,
    /// Definitions of structures in the order in which they need each other.
    structures: Vec<(String, String)>,
    /// Device functions by the spaces of their arrays; `None` while one is being printed.
    functions: BTreeMap<(FunctionId, Vec<Space>), Option<String>>,
    /// Printed device functions, callees first.
    printed: Vec<String>,
    sites: Vec<Site>,
    /// Whether anything may fail, so that there is a record of errors.
    fails: bool,
    dynamic_shared: bool,
    heap: bool,
    /// Whether threads hand values to each other by exchanges.
    exchanges: bool,
}

impl<'p> Unit<'p> {
    fn line(&self, span: Span) -> u32 {
        self.sources.line_column(span.file, span.start).0
    }

    fn function(&self, id: FunctionId) -> &'p Function {
        &self.program.functions[id]
    }

    /// The number of a place where an error may arise.
    fn site(&mut self, site: Site) -> usize {
        self.fails = true;
        if let Some(known) = self.sites.iter().position(|each| *each == site) {
            return known;
        }
        self.sites.push(site);
        self.sites.len() - 1
    }
}

/// The text of a kernel, or why there is none.
pub fn kernel(program: &Program, id: KernelId, sources: &SourceMap) -> Result<DeviceKernel, Refusal> {
    let unit = || Unit {
        program,
        sources,
        structures: Vec::new(),
        functions: BTreeMap::new(),
        printed: Vec::new(),
        sites: Vec::new(),
        fails: false,
        dynamic_shared: false,
        heap: false,
        exchanges: exchanges(program, id),
    };
    if program.kernels[id].attributes.target == Target::Processor {
        return refuse(program.kernels[id].span, "a kernel that is meant for the processor");
    }
    let team = entry::team(&mut unit(), id).ok().flatten();
    let kernel = entry::kernel(&mut unit(), id)?;
    // Both have the same accesses.
    let team = team.map(|team| Box::new(DeviceKernel { safe: kernel.safe.clone(), ..team }));
    Ok(DeviceKernel { team, ..kernel })
}

/// Whether a kernel, or what it calls, exchanges values.
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

/// Says of kernels that were written for devices why none can run them.
pub fn say_missing(
    program: &Program,
    texts: &BTreeMap<KernelId, DeviceKernel>,
    sources: &SourceMap,
    sink: &mut Sink,
) {
    let meant = |kernel: &Kernel| !matches!(kernel.attributes.target, Target::Any | Target::Processor);
    for (id, one) in program.kernels.iter().filter(|(id, one)| meant(one) && !texts.contains_key(id)) {
        if let Err(refusal) = kernel(program, id, sources) {
            let text = format!("'{}' is meant for GPUs, which cannot run it: {}", one.name, refusal.what);
            let message = Message::warning("Q0607", refusal.span, text);
            sink.push(message.related(one.span, "the kernel").help("the processor runs it"));
        }
    }
}

/// The texts of all kernels that devices can run.
pub fn kernels(program: &Program, sources: &SourceMap) -> BTreeMap<KernelId, DeviceKernel> {
    let kernels: Vec<_> = program.kernels.ids().collect();
    let texts = parallel::map(kernels.clone(), |id| kernel(program, id, sources).ok());
    kernels.into_iter().zip(texts).filter_map(|(id, text)| Some((id, text?))).collect()
}
