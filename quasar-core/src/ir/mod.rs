//! The intermediate representation: typed trees for host functions, device functions and kernels.
//!
//! One set of expressions and statements serves all three; [`verify`] checks which forms each may contain. Types are
//! final, conversions are explicit, and only statements call user functions. Expressions are free of side effects, so
//! they may be evaluated repeatedly or not at all; only the error that one may raise is observable.

pub mod affine;
pub mod barriers;
pub mod build;
pub mod choices;
pub mod conversions;
pub mod dataflow;
pub mod effects;
pub mod inline;
pub mod merged;
pub mod numbers;
pub mod params;
pub mod print;
pub mod prune;
pub mod pull;
pub mod result_extents;
pub mod rewrite;
pub mod schedule;
pub mod slices;
pub mod small_calls;
pub mod text;
pub mod texts;
pub mod verify;
pub mod versions;

use crate::ids::{Arena, Id, IdSet};
use crate::source::Span;
use crate::types::{Boundary, ClassType, ElementType, Overflow, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::Row;
use quasar_devicelib::value::Exception;
use quasar_devicelib::value::object::{FieldKind, MORE};
use std::sync::Arc;

/// Identifies a variable of one [`Body`].
pub type VarId = Id<Variable>;
/// A set of local variables of one body.
pub type VarSet = IdSet<Variable>;
/// Identifies a function of the program.
pub type FunctionId = Id<Function>;
/// Identifies a kernel of the program.
pub type KernelId = Id<Kernel>;
/// Identifies a module-level variable.
pub type GlobalId = Id<Global>;

/// A whole program, as input of the passes, the interpreter and the back ends.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Host and device functions.
    pub functions: Arena<Function>,
    /// Kernels: user-written ones and those that passes outlined.
    pub kernels: Arena<Kernel>,
    /// Module-level variables that functions share.
    pub globals: Arena<Global>,
    /// Runs the top-level statements of all modules, in import order.
    pub initializer: Option<FunctionId>,
    /// `main`.
    pub main: Option<FunctionId>,
    /// Functions that Rust code may call.
    pub exports: Vec<Export>,
    /// Enum names with their members, for printing.
    pub enums: Vec<(String, Vec<(String, i32)>)>,
    /// The classes, indexed by the ids in types.
    pub classes: Vec<Class>,
    /// The environment for source that the program evaluates at run time, if it may do so.
    pub texts: Option<Arc<texts::EvalEnvironment>>,
    /// Functions that are values, until the pass `defunctionalize`.
    pub function_values: choices::FunctionValues,
}

impl Program {
    /// The class of a type.
    pub fn class(&self, ty: &ClassType) -> Option<&Class> {
        self.classes.get(ty.id.0 as usize)
    }

    /// A name for a function that is made from another one: no function has it.
    pub fn free_name(&self, stem: &str) -> String {
        let taken = |name: &String| self.functions.iter().any(|(_, function)| function.name == *name);
        let mut names = std::iter::once(stem.to_owned()).chain((2..).map(|k| format!("{stem}_{k}")));
        names.find(|name| !taken(name)).unwrap_or_default()
    }
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// The class as a type, which includes its base class.
    pub ty: Arc<ClassType>,
    /// All fields, inherited ones first.
    pub fields: Vec<Field>,
    /// Whether its objects may form reference cycles.
    pub circular: bool,
}

/// A field of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Field name.
    pub name: String,
    /// Field type. Objects and arrays of known sizes are stored inline in the object.
    pub ty: Type,
}

impl Field {
    /// The kind of value, for code that does not know the class.
    pub fn kind(&self) -> FieldKind {
        match &self.ty {
            Type::Scalar(element, overflow) => FieldKind::Number(*element, *overflow),
            Type::Enum(_) => FieldKind::Number(ElementType::Int32, Overflow::Checked),
            Type::Text => FieldKind::Text,
            Type::Dynamic => FieldKind::Any,
            Type::Function(_) => FieldKind::Function,
            _ => FieldKind::Other,
        }
    }

    /// Whether the value is stored inline in the object, so that a new object holds the only reference to it.
    pub fn is_inside(&self) -> bool {
        match &self.ty {
            Type::Class(_) => true,
            Type::Dynamic => self.name == MORE,
            Type::Array(array) => !array.sizes.is_empty() && array.sizes.iter().all(Option::is_some),
            _ => false,
        }
    }
}

/// A function that Rust code may call.
#[derive(Clone, Debug)]
pub struct Export {
    /// The Rust name.
    pub name: String,
    /// The function.
    pub function: FunctionId,
    /// The comment lines in front of it, and its signature in Quasar.
    pub doc: String,
    /// Location of its name.
    pub span: Span,
}

/// A module-level variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// Source name.
    pub name: String,
    /// The type.
    pub ty: Type,
}

/// Variables and statements of a function or kernel.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// All local variables, parameters and results included.
    pub variables: Arena<Variable>,
    /// Parameters in call order; the captured variables of a closure come first.
    pub params: Vec<VarId>,
    /// Results in order. Those of a kernel are scalar outputs, which start as zero.
    pub results: Vec<VarId>,
    /// The statements.
    pub block: Block,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The source name, or a generated one starting with `$` for a temporary.
    pub name: String,
    /// The type. A source variable has one IR variable for each of its types.
    pub ty: Type,
    /// Boundary mode of an array.
    pub boundary: Boundary,
    /// Whether it is declared `'const`, or is an array that its kernel only reads.
    pub constant: bool,
    /// Whether a launch need not transfer the old elements of its array.
    pub nocopy: NoCopy,
    /// Where it is stored.
    pub storage: Storage,
    /// Location of its declaration.
    pub span: Span,
}

/// Whether each element of a kernel's parameter is written before it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoCopy {
    /// Not known.
    #[default]
    Unknown,
    /// Declared by `'nocopy`.
    Declared,
    /// Inferred: each position writes its own element and the kernel accesses no other. Holds for launches as large as
    /// the array.
    Inferred,
}

/// Storage class of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Per call or per thread.
    Local,
    /// Per block, in shared memory.
    Shared,
    /// As `Local`, for a kernel parameter that devices should read from constant memory.
    Constant,
}

/// A host or device function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Unique in the program, and a valid Rust name.
    pub name: String,
    /// The name in the source.
    pub source_name: String,
    /// Whether kernels may call it.
    pub device: bool,
    /// Whether it is the CPU version of a function that has another one for devices.
    pub processor: bool,
    /// Whether it is a lambda expression.
    pub lambda: bool,
    /// The code.
    pub body: Body,
    /// Location of the header line.
    pub span: Span,
}

impl Function {
    /// The function as a value that captures its first parameters: its printed form, its number of arguments, and
    /// whether the first of them is `self`.
    pub fn as_value(&self, captures: usize) -> (&str, usize, bool) {
        let params = self.body.params.get(captures..).unwrap_or_default();
        let is_method = params.first().is_some_and(|param| self.body.variables[*param].name == "self");
        (&self.source_name, params.len(), is_method)
    }
}

/// A kernel, which runs once per position of its launch box.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Unique in the program, and a valid Rust name; `opt__f_line12` for an outlined one.
    pub name: String,
    /// The code; parameters are what the launch passes.
    pub body: Body,
    /// Number of components of a position.
    pub rank: usize,
    /// Reductions over all positions, recognised by `parallel_reduction`: the result variable is then private, starts
    /// with the neutral element, and is combined with its old value after the launch.
    pub accumulators: Vec<Accumulator>,
    /// Whether positions may run in any order; otherwise they run in row-major order on one thread.
    pub parallel: bool,
    /// Whether its array parameters may alias: then it is not `parallel`, and each access goes to memory. Parameters of
    /// other kernels are different arrays, or are read as they were at the launch.
    pub aliased: bool,
    /// Whether positions may be distributed over several devices; set by the pass `multidevice` for kernels launched
    /// so.
    pub divisible: bool,
    /// The kernel's attributes.
    pub attributes: KernelAttributes,
    /// A register-tiled version of the code, which processes several positions at once, for devices.
    pub strip: Option<Box<RegisterTile>>,
    /// How the CPU executes the positions.
    pub schedule: schedule::Schedule,
    /// Source location.
    pub span: Span,
}

impl Kernel {
    /// The name in messages: that of the kernel of which this is another form.
    pub fn shown_name(&self) -> &str {
        if let Some(of) = &self.schedule.untested {
            return of;
        }
        match (&self.schedule.written_out, &self.schedule.tables) {
            (Some(schedule::WrittenOut { of, .. }), _) | (_, Some(schedule::TableRole::Reads { of })) => of,
            _ => &self.name,
        }
    }

    /// The variables that the program declares uniform over a block.
    pub fn declared_uniform(&self) -> VarSet {
        let named = |variable: &Variable| self.attributes.declared_uniform.contains(&variable.name);
        self.body.variables.iter().filter(|(_, variable)| named(variable)).map(|(id, _)| id).collect()
    }

    /// Whether it writes only what the program does not see.
    pub fn fills_tables(&self) -> bool {
        self.schedule.tables == Some(schedule::TableRole::Fills)
    }
}

/// Attributes in a kernel, or of a loop that becomes one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelAttributes {
    /// Source variables that the program declares uniform over a block, regardless of their definitions.
    pub declared_uniform: Vec<String>,
    /// Where each thread stores to `'shared` arrays, or stores their elements, for itself, as the program is written.
    pub divergent: Vec<Span>,
    /// `kernel_tiling`.
    pub tiling: Option<Tiling>,
    /// `kernel_partial_flattening dim=n`.
    pub flattening: Option<(u32, Span)>,
    /// `cuda_launch_bounds`.
    pub bounds: Option<LaunchBounds>,
    /// `auto_vectorize`.
    pub vectors: Option<Vectors>,
    /// `kernel name=..`.
    pub name: Option<String>,
    /// `kernel target=..`.
    pub target: Target,
    /// Whether `kernel memorymodel=..` allows threads to allocate arrays.
    pub memory_model: bool,
    /// The passes enabled by name, with the locations of the attributes.
    pub enabled: Vec<(String, Span)>,
    /// `disable="constprop"`: arrays of known numbers are not propagated into the code.
    pub constants_stay: bool,
    /// `kernel_arg`: hints about parameters.
    pub args: Vec<KernelArg>,
    /// The block size of launches that do not choose one, if a pass decided it.
    pub block: Option<Vec<u32>>,
    /// The parameters that are textures, until the pass `texture_writes`.
    pub textures: Vec<VarId>,
}

/// The devices that a kernel is written for. A kernel for devices runs on the CPU if there is no such device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// All.
    #[default]
    Any,
    /// The CPU only.
    Processor,
    /// Devices of every kind.
    Device,
    /// CUDA.
    Cuda,
    /// OpenCL.
    OpenCl,
    /// OpenCL on devices of NVIDIA.
    NvidiaOpenCl,
    /// OpenCL on devices of AMD.
    AmdOpenCl,
}

/// Launch bounds: threads per block, and resident blocks per multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchBounds {
    /// The most threads of a block.
    pub threads: u32,
    /// The fewest resident blocks.
    pub blocks: Option<u32>,
    /// Location of the attribute.
    pub span: Span,
}

/// The vector width that instructions should use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vectors {
    /// The most elements; `None` lets the compiler choose.
    pub width: Option<u32>,
    /// Location of the attribute.
    pub span: Span,
}

/// Hints of an attribute about a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelArg {
    /// The parameter.
    pub name: String,
    /// `in`, `out`, `inout` or `const`; empty if not given.
    pub direction: String,
    /// `randomaccess`, `localwindow`, `shared` or `sequential`.
    pub access: String,
    /// The operator of the only updates of it, such as `+=`.
    pub op: Option<String>,
    /// The smallest and the largest offsets from the position along each dimension.
    pub window: [Option<Vec<i32>>; 2],
    /// The most elements to cache.
    pub numel: Option<u32>,
    /// `cache_slices`: the named array, and the part of each axis to cache.
    pub slices: Option<(String, Vec<Slice>)>,
    /// Location of the attribute.
    pub span: Span,
}

/// The part of an axis that an attribute names.
#[derive(Clone, Debug, PartialEq)]
pub enum Slice {
    /// The whole axis.
    All,
    /// A single index.
    At(Linear),
    /// A range with inclusive ends.
    Range(Linear, Linear),
}

/// `factor * name[component] + offset` over source names, as written in an attribute; a constant if there is no name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear {
    /// Coefficient of the variable.
    pub factor: i32,
    /// The variable, and its component.
    pub name: Option<(String, usize)>,
    /// The constant term.
    pub offset: i32,
}

impl Linear {
    /// A multiple of the form; `None` on overflow.
    pub fn times(self, factor: i32) -> Option<Linear> {
        let (own, offset) = (self.factor.checked_mul(factor)?, self.offset.checked_mul(factor)?);
        Some(Linear { factor: own, offset, ..self })
    }
}

/// How the positions of a kernel are distributed over fewer threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiling {
    /// Whether a thread's positions are consecutive; otherwise they are a grid stride apart.
    pub local: bool,
    /// Threads along each dimension, or positions per thread for a local tiling; `None` for as many threads as fill a
    /// device.
    pub dims: Option<Vec<u32>>,
    /// Location of the attribute.
    pub span: Span,
}

/// A register tile: the kernel's code for `rows` positions, of which the special parameters give the first. The others
/// follow along the dimension before the last, or the only one, `apart` from each other.
#[derive(Clone, Debug)]
pub struct RegisterTile {
    /// Number of positions.
    pub rows: u32,
    /// Distance between consecutive positions.
    pub apart: u32,
    /// The code, with the parameters of the kernel.
    pub body: Body,
}

/// A reduction variable of a kernel.
#[derive(Clone, Debug)]
pub struct Accumulator {
    /// The result variable.
    pub variable: VarId,
    /// `add`, `multiply`, `min`, `max`, `and`, `or`, `xor`.
    pub row: &'static Row,
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement with its location.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Source location.
    pub span: Span,
}

/// The kinds of statements. Matches list all kinds without a `_` arm, so that a new one cannot be forgotten.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Rebinds a variable. Arrays are references: no element is copied.
    Assign { variable: VarId, value: Expr },
    /// Rebinds a module-level variable.
    AssignGlobal { global: GlobalId, value: Expr },
    /// `array[index] = value`: an element, or a slice from a scalar or an array of matching shape.
    Store { array: Expr, index: Vec<Index>, boundary: Boundary, value: Expr },
    /// `array[index] op= value` with the new value in `result`; atomic per element if `atomic` is set.
    Update {
        array: Expr,
        index: Vec<Index>,
        boundary: Boundary,
        row: &'static Row,
        value: Expr,
        atomic: bool,
        result: Option<VarId>,
    },
    /// `result = (array[index] <- value)`, an atomic exchange; compare-and-swap if `expected` is given.
    Exchange {
        array: Expr,
        index: Vec<Index>,
        boundary: Boundary,
        value: Expr,
        expected: Option<Expr>,
        result: Option<VarId>,
    },
    /// `object.field = value`; fails if `object` is `nullptr`.
    SetMember { object: Expr, field: usize, value: Expr },
    /// A call of a host or device function; `None` discards a result.
    Call { function: FunctionId, args: Vec<Expr>, results: Vec<Option<VarId>> },
    /// A call of a function value (types `Function` or `Dynamic`); host only.
    CallValue { callee: Expr, args: Vec<Expr>, results: Vec<Option<VarId>> },
    /// A library function with side effects or several results: `print`, `imwrite`, `sort` with indices, `tic`.
    Library { name: &'static str, args: Vec<Expr>, results: Vec<Option<VarId>> },
    /// Runs a kernel over a box. `dims` has one entry per component of the position (or is one vector expression).
    Launch {
        kernel: KernelId,
        dims: Dims,
        block: Option<Dims>,
        args: Vec<Expr>,
        results: Vec<Option<VarId>>,
        mode: LaunchMode,
    },
    /// Two-way choice.
    If { condition: Expr, then: Block, otherwise: Block },
    /// `for variable = range`: bounds are evaluated once.
    For { variable: VarId, range: Range, body: Block, attributes: LoopAttributes },
    /// `for variable = vector`.
    ForEach { variable: VarId, over: Expr, body: Block, attributes: LoopAttributes },
    /// Pre-tested loop.
    While { condition: Expr, body: Block },
    /// `repeat body until condition`. The statements of `test` run before `condition` is evaluated, also after
    /// `continue`.
    Repeat { body: Block, test: Block, until: Expr },
    /// Leaves the loop `levels` out (0 is the innermost).
    Break { levels: u32 },
    /// Continues with the next iteration of the loop `levels` out.
    Continue { levels: u32 },
    /// Runs `body`, of which the processor may visit strips of rows in turn: launches, and allocations of the arrays between them. Of
    /// the arrays in `buffers`, which nobody else knows, only the rows that are still needed have to be there.
    Strips { buffers: Vec<VarId>, body: Block },
    /// Runs `body`; an error in it goes to the first matching handler, or propagates.
    Try { body: Block, handlers: Vec<Handler> },
    /// Raises an error; its message is the concatenation of the printed parts.
    Fail { failure: Failure, message: Vec<Expr> },
    /// `assert(condition, ..)`; `text` is the condition as written.
    Assert { condition: Expr, text: String, message: Vec<Expr> },
    /// Allocates a shared array of a kernel.
    Shared { variable: VarId, dims: Vec<Expr>, zeroed: bool },
    /// `syncthreads`.
    Barrier(Scope),
    /// `memfence`.
    Fence(Scope),
}

/// Why a statement fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// `error(..)` in the program. The message is printed as it is, without a line.
    Raised,
    /// Extents or element counts do not match.
    Size,
    /// An argument has an invalid value.
    Argument,
    /// A variable is read that is not assigned on this path.
    Unset,
}

/// A handler of `try`.
#[derive(Clone, Debug)]
pub struct Handler {
    /// The exceptions that it catches; `None` for all.
    pub exception: Option<Exception>,
    /// Receives the error message.
    pub variable: Option<VarId>,
    /// The code of the handler.
    pub block: Block,
}

/// Which threads run the positions of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchMode {
    /// Threads in any order (`parallel_do`).
    Parallel,
    /// One thread in row-major order (`serial_do`).
    Serial,
    /// As `Parallel`, distributed over all devices if the kernel is `divisible` (`multi_parallel_do`).
    Devices,
    /// As `Parallel`, but only on an active device that the kernel is written for, if the launch is profitable;
    /// otherwise nothing happens (`schedule`). An additional last result tells whether it ran.
    IfProfitable,
}

impl LaunchMode {
    /// Whether positions run in order.
    pub fn is_serial(self) -> bool {
        self == LaunchMode::Serial
    }
}

/// The extent of a launch or block.
#[derive(Clone, Debug)]
pub enum Dims {
    /// One integer expression per dimension.
    Each(Vec<Expr>),
    /// An integer vector whose length is known at run time only.
    Vector(Expr),
}

/// Whether a statement is a warp-level function: a library function whose first argument is the lane mask of the group.
/// `group_lanes` (the active lanes) and `group_of_block` (the lanes of the block) compute masks.
pub fn is_warp_function(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Library { name, .. } if name.starts_with("group_"))
}

/// Scope of a barrier or fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The threads of a warp.
    Warp,
    /// The threads of a block.
    Block,
    /// All blocks of a launch, on one device.
    Grid,
    /// Host and devices.
    Host,
}

/// `from..step..to`; both ends are inclusive.
#[derive(Clone, Debug)]
pub struct Range {
    /// First value.
    pub from: Expr,
    /// Increment; `None` means 1.
    pub step: Option<Expr>,
    /// Inclusive limit.
    pub to: Expr,
}

impl Range {
    /// How many values there are, if all parts are integers that are known.
    pub fn constant_count(&self) -> Option<i64> {
        let constant = |e: &Expr| e.constant_int().map(i64::from);
        let step = self.step.as_ref().map_or(Some(1), constant)?;
        let distance = constant(&self.to)? - constant(&self.from)?;
        let steps = distance.checked_div(step)?;
        Some(if distance != 0 && (distance < 0) != (step < 0) { 0 } else { steps + 1 })
    }
}

/// Attributes of a loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopAttributes {
    /// How to execute it.
    pub mode: LoopMode,
    /// `blkdim=..`.
    pub block: Option<Vec<u32>>,
    /// `dim=k`: the number of nested loops that become dimensions.
    pub dims: Option<u32>,
    /// `unroll`: `Some(0)` fully, `Some(k)` by a factor of k.
    pub unroll: Option<u32>,
    /// Location of the `unroll` attribute.
    pub unrolled_at: Option<Span>,
    /// `unroll interleave=true`: the copies of each statement are adjacent.
    pub interleave: bool,
    /// `multi_device=true`: launches of successive iterations go round-robin to the devices.
    pub multi_device: bool,
    /// `imperfectloop`: iterations may run along diagonals (loop skewing). Holds the location of the attribute.
    pub skewed: Option<Span>,
    /// Attributes of the kernel that the loop becomes.
    pub kernel: Option<Box<KernelAttributes>>,
    /// A region that runs for every position even if there are fewer threads. It is represented as a loop with one
    /// iteration, which is its meaning when each position has a thread.
    pub every_position: bool,
}

/// Execution mode of a loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopMode {
    /// The compiler decides.
    #[default]
    Automatic,
    /// `parallel for`: dependences only cause warnings.
    Parallel,
    /// `serial for`: compiled as a kernel, executed in order.
    Serial,
    /// `interpreted for`, or automatic parallelisation is off: stays in the host function.
    Host,
    /// Iterations that threads of the CPU share. The pass `autoparallel` makes such loops, whose body is one call of a host
    /// function without results: what an iteration keeps to itself are the variables of that function.
    Threads,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Its type, never `Error`.
    pub ty: Type,
    /// Where it was written.
    pub span: Span,
}

/// The kinds of expressions. Matches list all kinds without a `_` arm.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number of the type's element type.
    Constant(Scalar),
    /// A string.
    Text(String),
    /// `nullptr`.
    Null,
    /// A local variable.
    Local(VarId),
    /// A module-level variable.
    Global(GlobalId),
    /// An operation of the scalar table, on scalars (scalar type) or elementwise on arrays, with scalars broadcast
    /// (array type). All operands have one element type in the operation's domain; for a `Dynamic` type the run-time
    /// rules decide.
    Apply { row: &'static Row, args: Vec<Expr> },
    /// Conversion to `ty`: of numbers (by the type's overflow rule), of arrays elementwise, between views of different
    /// rank, into and out of `Dynamic` (checked), of a closure to a function type.
    Convert(Box<Expr>),
    /// Short-circuit and; operands and result are `int`.
    And(Box<Expr>, Box<Expr>),
    /// Short-circuit or.
    Or(Box<Expr>, Box<Expr>),
    /// Evaluates only the selected branch; both have the type of the whole.
    Select { condition: Box<Expr>, then: Box<Expr>, otherwise: Box<Expr> },
    /// `[a, b]`: scalars become a vec, vecs the rows of a mat, mats the slices of a cube.
    Array(Vec<Expr>),
    /// `{a, b}` as a cell array (array type) or a tuple (tuple type, also for the captures of a closure type).
    Tuple(Vec<Expr>),
    /// Component of a tuple or closure.
    Field(Box<Expr>, usize),
    /// A new object of a class, given the values of all its fields. Lowering emits it in assignments only, so that it
    /// is evaluated exactly once.
    New(Vec<Expr>),
    /// A function of the program as a value, with its captures, which are its first parameters. Its other parameters
    /// and its results are dynamic.
    Function { function: FunctionId, captures: Vec<Expr> },
    /// A field of an object or of a pointer's target; fails for `nullptr`.
    Member(Box<Expr>, usize),
    /// Identity of two references, each an object, a pointer or `nullptr`.
    Same(Box<Expr>, Box<Expr>),
    /// A materialised sequence.
    Sequence(Box<Range>),
    /// An element (scalar type) or a copied slice (array type).
    Load { array: Box<Expr>, index: Vec<Index>, boundary: Boundary },
    /// `size(x, axis)`.
    Extent(Box<Expr>, usize),
    /// `numel(x)`.
    Count(Box<Expr>),
    /// Reduction of all elements, or along one axis, by `add`, `multiply`, `min` or `max`.
    Reduce { row: &'static Row, arg: Box<Expr>, axis: Option<usize> },
    /// A library function without side effects and with one result, named as in the `Value` library.
    Library { name: &'static str, args: Vec<Expr> },
    /// One component of a special kernel parameter.
    Coordinate(Coordinate, usize),
    /// A query of block sizes, as a vector of extents; host only.
    BlockSize(Box<BlockSize>),
}

/// A query of the block sizes of launches.
#[derive(Clone, Debug)]
pub struct BlockSize {
    /// Whether it queries the largest allowed block, or the default block of a launch.
    pub largest: bool,
    /// The kernel's name, and the `Kernel::span` that all its versions share; `None` for all kernels.
    pub kernel: Option<(String, Span)>,
    /// Limits of the extents of the largest block, or the extents of the launch.
    pub dims: Option<Expr>,
}

/// The special parameters of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coordinate {
    /// `pos`
    Position,
    /// `blkpos`
    BlockPosition,
    /// `blkdim`
    BlockDim,
    /// `blkidx`
    BlockIndex,
    /// `blkcnt`
    BlockCount,
    /// Extent of the launch; the language has no name for it.
    LaunchDim,
    /// `warpsize`
    WarpSize,
}

/// One index of a load or store.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "ranges are rare and live shortly; boxes would be in every match"
)]
pub enum Index {
    /// A single index; an `int` expression.
    At(Expr),
    /// A range of indices.
    Range(Range),
    /// A vector of indices: gather or scatter.
    List(Expr),
    /// The whole dimension.
    All,
    /// The only index: an integer vector with one component per dimension, whose length is known at run time only.
    Position(Expr),
}
