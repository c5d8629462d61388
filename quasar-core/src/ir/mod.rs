//! The intermediate representation: typed trees for host functions, device functions and kernels.
//!
//! One language of expressions and statements serves all three; [`verify`] says which forms each may hold.
//! Types are final, conversions are explicit, user functions are called by statements only, and expressions have no
//! side effects: evaluating one twice or not at all changes nothing but time (and the error it may raise).

pub mod build;
pub mod effects;
pub mod inline;
pub mod merged;
pub mod params;
pub mod print;
pub mod rewrite;
pub mod texts;
pub mod verify;

use crate::ids::{Arena, Id, IdSet};
use crate::source::Span;
use crate::types::{Boundary, ClassType, ElementType, Overflow, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::ops::Row;
use quasar_devicelib::value::Exception;
use quasar_devicelib::value::object::{FieldKind, MORE};
use std::sync::Arc;

/// Names a variable of one [`Body`].
pub type VarId = Id<Variable>;
/// Local variables of one body.
pub type VarSet = IdSet<Variable>;
/// Names a function of the program.
pub type FunctionId = Id<Function>;
/// Names a kernel of the program.
pub type KernelId = Id<Kernel>;
/// Names a module-level variable.
pub type GlobalId = Id<Global>;

/// One unit, ready for transforms, interpretation and printing.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Host and device functions.
    pub functions: Arena<Function>,
    /// Kernels: written ones and those that transforms made.
    pub kernels: Arena<Kernel>,
    /// Module-level variables that functions share.
    pub globals: Arena<Global>,
    /// Runs the top-level statements of all modules in import order.
    pub initializer: Option<FunctionId>,
    /// `main`.
    pub main: Option<FunctionId>,
    /// What Rust code may call.
    pub exports: Vec<Export>,
    /// Enum names with their members, for printing.
    pub enums: Vec<(String, Vec<(String, i32)>)>,
    /// The classes, by the ids that types name.
    pub classes: Vec<Class>,
    /// What texts that it evaluates are compiled with, where it may do so.
    pub texts: Option<Arc<texts::Texts>>,
}

impl Program {
    /// The class of a type.
    pub fn class(&self, ty: &ClassType) -> Option<&Class> {
        self.classes.get(ty.id.0 as usize)
    }
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// As a type, which says what it inherits from.
    pub ty: Arc<ClassType>,
    /// All fields, those of what it inherits from first.
    pub fields: Vec<Field>,
    /// Whether its objects may refer to themselves through others.
    pub circular: bool,
}

/// A field of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type. Objects and arrays of known sizes lie inside of the object.
    pub ty: Type,
}

impl Field {
    /// What it holds, for those who do not know its class.
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

    /// Whether the value lies inside of the object, which nobody else refers to when it is made.
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
    /// Comment lines that stood before it, and its signature in Quasar.
    pub doc: String,
    /// The place of its name.
    pub span: Span,
}

/// A module-level variable.
#[derive(Clone, Debug)]
pub struct Global {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: Type,
}

/// Variables and statements of a function or kernel.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// All local variables, parameters and results included.
    pub variables: Arena<Variable>,
    /// Parameters in call order (captured variables of a closure come first).
    pub params: Vec<VarId>,
    /// Results in order. A kernel's are its scalar outputs, which start as zero.
    pub results: Vec<VarId>,
    /// The statements.
    pub block: Block,
}

/// A local variable.
#[derive(Clone, Debug)]
pub struct Variable {
    /// The name in the source, or one made up for a temporary (then starting with `$`).
    pub name: String,
    /// The type; one variable of the source has as many IR variables as it has types.
    pub ty: Type,
    /// What an index out of range means, for arrays.
    pub boundary: Boundary,
    /// Whether it was declared `'const`, or is an array that its kernel only reads.
    pub constant: bool,
    /// Whether a launch may leave out the elements that its array had before.
    pub nocopy: NoCopy,
    /// Where it lives.
    pub storage: Storage,
    /// Where it was introduced.
    pub span: Span,
}

/// Whether each element of a kernel's parameter is written before it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NoCopy {
    /// It is not known.
    #[default]
    Unknown,
    /// The program says so by `'nocopy`.
    Asked,
    /// The kernel writes the element at its position and looks at no other one: where the launch is as large as the array.
    Found,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Per call or per thread.
    Local,
    /// Per block, in shared memory.
    Shared,
    /// As `Local`; a parameter of a kernel that devices should read from constant memory, where they have some.
    Constant,
}

/// A host or device function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Unique in the program and a valid Rust name.
    pub name: String,
    /// The name in the source.
    pub source_name: String,
    /// Callable from kernels or not.
    pub device: bool,
    /// Whether it is a version for the processor of what is another one on devices.
    pub processor: bool,
    /// Whether it was a lambda expression.
    pub lambda: bool,
    /// The code.
    pub body: Body,
    /// The header line.
    pub span: Span,
}

impl Function {
    /// The function as a value that captured its first parameters: what is shown of it, how many arguments it takes, and
    /// whether the first of them is `self`.
    pub fn as_value(&self, captures: usize) -> (&str, usize, bool) {
        let params = self.body.params.get(captures..).unwrap_or_default();
        let is_method = params.first().is_some_and(|param| self.body.variables[*param].name == "self");
        (&self.source_name, params.len(), is_method)
    }
}

/// A kernel: runs once per position of its launch box.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Unique in the program and a valid Rust name; `opt__f_line12` for made ones.
    pub name: String,
    /// The code; parameters are what the launch passes.
    pub body: Body,
    /// How many components a position has.
    pub rank: usize,
    /// Which results are accumulated by which row over all positions, found by `parallel_reduction`: the result
    /// variable is then private, starts with the neutral element, and is combined after the launch with its old value.
    pub accumulators: Vec<Accumulator>,
    /// Whether positions may run in any order; otherwise only in row-major order on one thread.
    pub parallel: bool,
    /// Whether several devices may visit some positions each, found by the pass `multidevice` for kernels that are launched so.
    pub divisible: bool,
    /// What its attributes asked for.
    pub attributes: KernelAttributes,
    /// The code once more, for several positions at once. Devices run it where it fits into the launch.
    pub strip: Option<Box<Strip>>,
    /// Where it comes from.
    pub span: Span,
}

/// What attributes in a kernel, or before a loop that becomes one, asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelAttributes {
    /// Variables of the source that are the same in all threads of a block, whatever they are computed from.
    pub alike: Vec<String>,
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
    /// Whether `kernel memorymodel=..` says that threads may make arrays.
    pub memory_model: bool,
    /// The transforms that were asked for by name, and where.
    pub enabled: Vec<(String, Span)>,
    /// `disable="constprop"`: arrays of known numbers stay arrays.
    pub constants_stay: bool,
    /// `kernel_arg`: what transforms shall know of parameters.
    pub args: Vec<KernelArg>,
    /// The block of launches that ask for none, where a transform decided it.
    pub block: Option<Vec<u32>>,
}

/// For which devices a kernel was written. What is meant for devices runs on the processor where there is no such device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Target {
    /// All.
    #[default]
    Any,
    /// The processor: no device runs it.
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

/// How many threads a block may have, and how many blocks a processor of a device shall hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchBounds {
    /// At most so many threads.
    pub threads: u32,
    /// At least so many blocks.
    pub blocks: Option<u32>,
    /// Where it was asked for.
    pub span: Span,
}

/// How many elements instructions shall move or compute at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vectors {
    /// At most so many; `None` for as many as are good.
    pub width: Option<u32>,
    /// Where it was asked for.
    pub span: Span,
}

/// What an attribute says of a parameter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelArg {
    /// The parameter.
    pub name: String,
    /// `in`, `out`, `inout` or `const`, where it is told.
    pub direction: String,
    /// `randomaccess`, `localwindow`, `shared` or `sequential`.
    pub access: String,
    /// The operator by which it is only added to, such as `+=`.
    pub op: Option<String>,
    /// The smallest and largest distances from the position along each dimension.
    pub window: [Option<Vec<i32>>; 2],
    /// At most so many elements are cached.
    pub numel: Option<u32>,
    /// `cache_slices`: the array that it names, and what of each axis is cached.
    pub slices: Option<(String, Vec<Slice>)>,
    /// Where it stands.
    pub span: Span,
}

/// What of an axis an attribute names.
#[derive(Clone, Debug, PartialEq)]
pub enum Slice {
    /// Everything.
    All,
    /// One place.
    At(Linear),
    /// Both ends included.
    Range(Linear, Linear),
}

/// `factor * name[component] + offset` with names of the source, as an attribute has it; a number where there is no name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Linear {
    /// How often the variable is in it.
    pub factor: i32,
    /// The variable and which component of it.
    pub name: Option<(String, usize)>,
    /// What is added.
    pub offset: i32,
}

impl Linear {
    /// A multiple.
    pub fn times(self, factor: i32) -> Option<Linear> {
        let (own, offset) = (self.factor.checked_mul(factor)?, self.offset.checked_mul(factor)?);
        Some(Linear { factor: own, offset, ..self })
    }
}

/// How the positions of a kernel are handed to fewer threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiling {
    /// Whether threads visit neighbours, instead of positions that are as far apart as there are threads.
    pub local: bool,
    /// Threads along each dimension, or neighbours of a local tiling; `None` for as many as fill a device.
    pub dims: Option<Vec<u32>>,
    /// Where it was asked for.
    pub span: Span,
}

/// The code of a kernel for `rows` positions, the first of which is the position that it speaks of. The others follow along
/// the dimension before the last, or the only one, `apart` from each other.
#[derive(Clone, Debug)]
pub struct Strip {
    /// How many positions.
    pub rows: u32,
    /// Their distance.
    pub apart: u32,
    /// The code, with the parameters of the kernel.
    pub body: Body,
}

impl Strip {
    /// The threads of a block of a kernel of one dimension, and so the distance of a thread's positions.
    pub const THREADS: u32 = 128;
}

/// One reduction variable of a kernel.
#[derive(Clone, Debug)]
pub struct Accumulator {
    /// The result variable.
    pub variable: VarId,
    /// `add`, `multiply`, `min`, `max`, `and`, `or`, `xor`.
    pub row: &'static Row,
}

/// Statements in order.
pub type Block = Vec<Stmt>;

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What to do.
    pub kind: StmtKind,
    /// Where it was written.
    pub span: Span,
}

/// The kinds of statements. Matched without `_` arms, so that a new one is thought about everywhere.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// Rebinds a variable. Arrays are references: no element is copied.
    Assign { variable: VarId, value: Expr },
    /// Rebinds a module-level variable.
    AssignGlobal { global: GlobalId, value: Expr },
    /// `array[index] = value`: an element, or a slice from a scalar or an array of matching shape.
    Store { array: Expr, index: Vec<Index>, boundary: Boundary, value: Expr },
    /// `array[index] op= value` with the new value in `result`; atomic per element where `atomic`.
    Update {
        array: Expr,
        index: Vec<Index>,
        boundary: Boundary,
        row: &'static Row,
        value: Expr,
        atomic: bool,
        result: Option<VarId>,
    },
    /// `result = (array[index] <- value)`, or compare-and-swap where `expected` is given.
    Exchange {
        array: Expr,
        index: Vec<Index>,
        boundary: Boundary,
        value: Expr,
        expected: Option<Expr>,
        result: Option<VarId>,
    },
    /// `object.field = value`; an error where `object` is `nullptr`.
    SetMember { object: Expr, field: usize, value: Expr },
    /// A call of a host or device function; `None` drops a result.
    Call { function: FunctionId, args: Vec<Expr>, results: Vec<Option<VarId>> },
    /// A call of a function value (types `Function` or `Dynamic`); host only.
    CallValue { callee: Expr, args: Vec<Expr>, results: Vec<Option<VarId>> },
    /// A library function that has effects or several results: `print`, `imwrite`, `sort` with indices, `tic`.
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
    /// Goes on with the next iteration of the loop `levels` out.
    Continue { levels: u32 },
    /// Runs `body`; an error in it goes to the first handler for such errors, or on to the caller.
    Try { body: Block, handlers: Vec<Handler> },
    /// An error, whose message is the concatenation of the printed parts.
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
    /// The program says so: `error(..)`. Its words are told as they are, without a line.
    Raised,
    /// Sizes or numbers of elements do not fit.
    Size,
    /// An argument has an impossible value.
    Argument,
    /// A variable that no path has set is read.
    Unset,
}

/// What `try` does with errors.
#[derive(Clone, Debug)]
pub struct Handler {
    /// Which errors it takes; `None` for all.
    pub exception: Option<Exception>,
    /// Receives the text of the error.
    pub variable: Option<VarId>,
    /// What it does.
    pub block: Block,
}

/// Who visits the positions of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaunchMode {
    /// Threads in any order (`parallel_do`).
    Parallel,
    /// One thread in row-major order (`serial_do`).
    Serial,
    /// As `Parallel`, by all devices together where the kernel is `divisible` (`multi_parallel_do`).
    Devices,
    /// Threads in any order on the device in use, if there is one that the kernel was written for and the launch is worth
    /// it; otherwise nothing happens (`schedule`). There is one result more, the last: whether it ran.
    Offered,
}

impl LaunchMode {
    /// Whether positions are visited in order, one after the other.
    pub fn is_serial(self) -> bool {
        self == LaunchMode::Serial
    }
}

/// The extent of a launch or block.
#[derive(Clone, Debug)]
pub enum Dims {
    /// One integer expression per dimension.
    Each(Vec<Expr>),
    /// One integer vector whose length is known at run time only.
    Vector(Expr),
}

/// Whether a statement is what threads of a warp do together: a library function with the lanes of the group as its first
/// argument. `group_lanes` (those that are active) and `group_of_block` (those of the block) find the lanes.
pub fn is_of_group(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Library { name, .. } if name.starts_with("group_"))
}

/// What a barrier or fence covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The threads of a warp.
    Warp,
    /// The threads of a block.
    Block,
    /// All blocks of the launch, which are on one device.
    Grid,
    /// Host and devices.
    Host,
}

/// `from..step..to`, both ends included.
#[derive(Clone, Debug)]
pub struct Range {
    /// First value.
    pub from: Expr,
    /// Increment; `None` is 1.
    pub step: Option<Expr>,
    /// Last value that may be taken.
    pub to: Expr,
}

/// What attributes before a loop asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopAttributes {
    /// How to run it.
    pub mode: LoopMode,
    /// `blkdim=..`.
    pub block: Option<Vec<u32>>,
    /// `dim=k`: how many nested loops become dimensions.
    pub dims: Option<u32>,
    /// `unroll`: `Some(0)` fully, `Some(k)` by k.
    pub unroll: Option<u32>,
    /// Where that was asked for.
    pub unrolled_at: Option<Span>,
    /// `unroll interleave=true`: the copies of each statement stand together.
    pub interleave: bool,
    /// `multi_device=true`: what the iterations launch goes to one device after the other.
    pub multi_device: bool,
    /// `imperfectloop`: the iterations may be visited along diagonals. Where that was asked for.
    pub skewed: Option<Span>,
    /// What is asked for of the kernel that the loop becomes.
    pub kernel: Option<Box<KernelAttributes>>,
    /// A region of a kernel that is meant for every position, also where there are fewer threads; written down as a loop of
    /// one round, which is what it is where each position has a thread.
    pub every_position: bool,
}

/// How a loop shall run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopMode {
    /// The compiler decides.
    #[default]
    Automatic,
    /// `parallel for`: dependences only warn.
    Parallel,
    /// `serial for`: compiled, in order.
    Serial,
    /// `interpreted for`, or the automatic mode is off: stays in the host function.
    Host,
}

/// A typed expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it computes.
    pub kind: ExprKind,
    /// Its type: never `Error`, and a `Scalar`, `Text`, `Array`, ..
    pub ty: Type,
    /// Where it was written.
    pub span: Span,
}

/// The kinds of expressions. Matched without `_` arms.
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
    /// A row of the scalar table on scalars (scalar type) or element by element on arrays with scalar extension
    /// (array type). All operands have one element type inside the row's domain; on a `Dynamic` type the run-time
    /// rules decide.
    Apply { row: &'static Row, args: Vec<Expr> },
    /// Conversion to `ty`: of numbers (the type's overflow rule applies), of arrays element by element, between
    /// views of different rank, into and out of `Dynamic` (checked), of a closure to a function type.
    Convert(Box<Expr>),
    /// Short-circuit and; operands and result are `int`.
    And(Box<Expr>, Box<Expr>),
    /// Short-circuit or.
    Or(Box<Expr>, Box<Expr>),
    /// Only the selected branch is evaluated; both have the type of the whole.
    Select { condition: Box<Expr>, then: Box<Expr>, otherwise: Box<Expr> },
    /// `[a, b]`: scalars become a vec, vecs the rows of a mat, mats the slices of a cube.
    Array(Vec<Expr>),
    /// `{a, b}` as a cell array (array type) or a tuple (tuple type, also the captures of a closure type).
    Tuple(Vec<Expr>),
    /// Component of a tuple or closure.
    Field(Box<Expr>, usize),
    /// A new object of a class with the values of all its fields. Lowering lets it stand in assignments only, so that
    /// each evaluation makes the one object that is meant.
    New(Vec<Expr>),
    /// A function of the program as a value, with what it captured, which are the first of its parameters. The others and
    /// its results are dynamic.
    Function { function: FunctionId, captures: Vec<Expr> },
    /// A field of an object or of what a pointer refers to; an error where that is `nullptr`.
    Member(Box<Expr>, usize),
    /// Whether two references, each an object, a pointer or `nullptr`, are the same.
    Same(Box<Expr>, Box<Expr>),
    /// A materialised sequence.
    Sequence(Box<Range>),
    /// An element (scalar type) or a copied slice (array type).
    Load { array: Box<Expr>, index: Vec<Index>, boundary: Boundary },
    /// `size(x, axis)`.
    Extent(Box<Expr>, usize),
    /// `numel(x)`.
    Count(Box<Expr>),
    /// Folds all elements, or along one axis, by `add`, `multiply`, `min` or `max`.
    Reduce { row: &'static Row, arg: Box<Expr>, axis: Option<usize> },
    /// A library function without effects and with one result, named as in the `Value` library.
    Library { name: &'static str, args: Vec<Expr> },
    /// One component of a special kernel parameter.
    Coordinate(Coordinate, usize),
    /// What a program asks about blocks, as a vector of extents; host only.
    BlockSize(Box<BlockSize>),
}

/// A question about the blocks of launches.
#[derive(Clone, Debug)]
pub struct BlockSize {
    /// Whether it is about the largest block that may be asked for, or the one that a launch has that asks for none.
    pub largest: bool,
    /// The name of the kernel and where it stands: `Kernel::span` of all its versions. Nothing if it is about all kernels.
    pub kernel: Option<(String, Span)>,
    /// The extents that the largest block must not exceed, or those of the launch.
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
    /// The extent of the launch; programs have no name for it.
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
    /// One position; an `int` expression.
    At(Expr),
    /// A sequence of positions.
    Range(Range),
    /// An integer vector of positions: gather or scatter.
    List(Expr),
    /// The whole dimension.
    All,
    /// Alone: an integer vector with one component per dimension, its length known at run time only.
    Position(Expr),
}
