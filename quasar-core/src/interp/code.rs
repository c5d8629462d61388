//! The executable form of bodies: linear instructions with jumps, so that a thread can suspend and resume at any of
//! them, over expression trees whose variables are slots.

use crate::analysis::blocks;
use crate::ir::texts::Evaluated;
use crate::ir::{Coordinate, Failure, FunctionId, KernelId, Scope};
use crate::source::Span;
use crate::types::Type;
use quasar_devicelib::element::{ElementType, Overflow, Scalar};
use quasar_devicelib::ops::Row;
use quasar_devicelib::value::index::Boundary;
use quasar_devicelib::value::object::Class;
use quasar_devicelib::value::{Exception, Value};
use std::rc::Rc;
use std::sync::Arc;

/// The instructions of one body.
pub(super) struct Code {
    /// The program that it belongs to, as an index in the machine.
    pub(super) program: usize,
    /// Name for messages.
    pub(super) name: Rc<str>,
    /// Whether its calls count against the recursion limit, since it may be recursive.
    pub(super) recursive: bool,
    /// Slots of the arguments.
    pub(super) params: Vec<u32>,
    /// Targets that hold the results when the body ends.
    pub(super) results: Vec<Target>,
    /// The names of the variables, one per slot.
    pub(super) names: Vec<Rc<str>>,
    /// The deepest nesting of active loops.
    pub(super) loops: usize,
    /// The instructions; execution ends after the last one.
    pub(super) ops: Vec<Op>,
    /// Source location of each instruction.
    pub(super) spans: Vec<Span>,
    /// Synchronisation requirements on its launch.
    pub(super) needs: Needs,
    /// The results of a kernel.
    pub(super) outputs: Vec<Output>,
}

/// Which threads must be live at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// Those of a block: the kernel has barriers or shared memory.
    pub(super) block: bool,
    /// Those of the whole grid.
    pub(super) grid: bool,
}

/// A result of a kernel.
pub(super) struct Output {
    /// Result type.
    pub(super) ty: Type,
    /// The operation that combines the values of the threads; `None` for one variable shared by all threads.
    pub(super) row: Option<&'static Row>,
}

/// The target of an assignment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    /// A local variable.
    Slot(u32),
    /// A result that all threads of a launch share.
    Output(u32),
    /// Discards the value.
    Nowhere,
}

/// One instruction.
pub(super) enum Op {
    /// With `copy` the variable gets elements of its own.
    Assign {
        target: Target,
        value: Node,
        copy: bool,
    },
    AssignGlobal {
        global: u32,
        value: Node,
    },
    Store(Box<StoreOp>),
    Update(Box<UpdateOp>),
    Exchange(Box<ExchangeOp>),
    /// `object.field = value`
    SetMember(Box<MemberOp>),
    Call {
        function: FunctionId,
        args: Box<[Node]>,
        results: Box<[Target]>,
    },
    CallValue {
        callee: Node,
        args: Box<[Node]>,
        results: Box<[Target]>,
    },
    Library {
        name: &'static str,
        args: Box<[Node]>,
        results: Box<[Target]>,
    },
    /// What the threads of a warp do together.
    Group {
        name: &'static str,
        args: Box<[Node]>,
        result: Target,
    },
    /// `eval` of source in a module.
    Evaluate {
        args: Box<[Node]>,
        results: Box<[Target]>,
    },
    Launch(Box<LaunchOp>),
    Jump(u32),
    /// Jumps if the condition is false.
    Unless {
        condition: Node,
        to: u32,
    },
    ForStart {
        depth: u32,
        range: Box<RangeNode>,
    },
    EachStart {
        depth: u32,
        over: Node,
    },
    /// Assigns the next value of a loop, or exits it.
    Next {
        depth: u32,
        target: Target,
        exit: u32,
    },
    /// Enters the body of a `try`; its handlers begin with the `Catch` at `handler`.
    Try {
        handler: u32,
    },
    /// Catches an error of the given class (`None`: any) and assigns its message, or goes on to the next handler.
    Catch {
        exception: Option<Exception>,
        variable: Target,
        next: u32,
    },
    /// Propagates an error that no handler caught.
    Rethrow,
    /// Leaves this many `try` bodies.
    Leave(u32),
    Fail(Failure, Box<[Node]>),
    Assert {
        condition: Node,
        message: Box<[Node]>,
    },
    Shared {
        slot: u32,
        dims: Box<[Node]>,
        element: ElementType,
        zeroed: bool,
    },
    Barrier(Scope),
    /// A fence for threads of other blocks as well, or nothing: threads of a block run in order.
    Fence {
        far: bool,
    },
    /// Raises an error found during compilation to instructions.
    Refuse(Box<str>),
}

/// `place = value`
pub(super) struct StoreOp {
    pub(super) place: Place,
    pub(super) value: Node,
}

/// `place op= value`
pub(super) struct UpdateOp {
    pub(super) place: Place,
    pub(super) row: &'static Row,
    pub(super) value: Node,
    pub(super) atomic: bool,
    pub(super) result: Target,
}

/// `result = (place <- value)`
pub(super) struct ExchangeOp {
    pub(super) place: Place,
    pub(super) value: Node,
    pub(super) expected: Option<Node>,
    pub(super) result: Target,
}

/// `object.field = value`
pub(super) struct MemberOp {
    pub(super) object: Node,
    pub(super) field: FieldName,
    pub(super) value: Node,
}

/// A field: its index in the object, and its name for messages.
pub(super) struct FieldName {
    pub(super) place: usize,
    pub(super) name: Rc<str>,
}

/// A query of block sizes.
pub(super) struct BlockNode {
    pub(super) largest: bool,
    /// The requirements of the kernel's versions.
    pub(super) versions: Vec<blocks::Needs>,
    pub(super) dims: Option<Node>,
}

/// A launch.
pub(super) struct LaunchOp {
    pub(super) kernel: KernelId,
    pub(super) dims: Extents,
    pub(super) block: Option<Extents>,
    pub(super) args: Box<[Node]>,
    pub(super) results: Box<[Target]>,
    pub(super) serial: bool,
}

/// A function that is used as a value.
#[derive(Clone)]
pub(super) struct Named {
    pub(super) function: FunctionId,
    /// The evaluated source that it came with.
    pub(super) origin: Option<Arc<Evaluated>>,
    /// Printed form.
    pub(super) text: Rc<str>,
    /// Number of arguments.
    pub(super) takes: usize,
    /// Whether objects pass themselves as the first argument.
    pub(super) is_method: bool,
}

/// The extents of a launch or block.
pub(super) enum Extents {
    Each(Box<[Node]>),
    Vector(Node),
}

/// An lvalue: an array and the part of it that is read or written.
pub(super) struct Place {
    pub(super) array: Node,
    /// The array's name in the program, for messages.
    pub(super) name: Rc<str>,
    pub(super) index: Box<[IndexNode]>,
    pub(super) boundary: Boundary,
    /// What happens if a stored number does not fit.
    pub(super) overflow: Overflow,
    /// Whether it is a single element with scalar indices.
    pub(super) element: bool,
    /// The variable itself if there is no array: accumulation into a scalar.
    pub(super) variable: Option<Target>,
    pub(super) span: Span,
}

/// One index.
pub(super) enum IndexNode {
    At(Node),
    Range(RangeNode),
    List(Node),
    All,
    Position(Node),
}

/// `from..step..to`
pub(super) struct RangeNode {
    pub(super) from: Node,
    pub(super) step: Option<Node>,
    pub(super) to: Node,
    /// Element type of the values.
    pub(super) element: ElementType,
}

/// Operators evaluated without an indirect call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fast {
    AddInt,
    SubtractInt,
    MultiplyInt,
    LessInt,
    LessEqualInt,
    EqualInt,
    AddSingle,
    SubtractSingle,
    MultiplySingle,
    DivideSingle,
    LessSingle,
    AddDouble,
    SubtractDouble,
    MultiplyDouble,
}

/// An expression.
pub(super) enum Node {
    Constant(Scalar),
    Literal(Value),
    Local(u32),
    Global(u32),
    Output(u32),
    Fast {
        op: Fast,
        args: Box<[Node; 2]>,
    },
    Unary {
        eval: fn(&[Scalar]) -> Scalar,
        arg: Box<Node>,
    },
    Binary {
        eval: fn(&[Scalar]) -> Scalar,
        args: Box<[Node; 2]>,
    },
    Apply {
        eval: fn(&[Scalar]) -> Scalar,
        args: Box<[Node]>,
    },
    /// Elementwise, or with types known at run time only.
    Map {
        row: &'static Row,
        args: Box<[Node]>,
        /// Whether the result type is known statically, which then tells whether it is a mask.
        known: bool,
    },
    /// Conversion of a number.
    ToScalar {
        arg: Box<Node>,
        to: ElementType,
        overflow: Overflow,
    },
    Convert(Box<Conversion>),
    /// A number as an array of one element, of this rank.
    Kept(Box<Node>, usize),
    And(Box<[Node; 2]>),
    Or(Box<[Node; 2]>),
    Select(Box<[Node; 3]>),
    Array {
        items: Box<[Node]>,
        element: Option<ElementType>,
    },
    Cell(Box<[Node]>),
    Tuple(Box<[Node]>),
    Field(Box<Node>, usize),
    /// A new object.
    New(Arc<Class>, Box<[Node]>),
    /// A function as a value, with its captures.
    Function(Box<Named>, Box<[Node]>),
    Member(Box<Node>, FieldName),
    Same(Box<[Node; 2]>),
    Sequence(Box<RangeNode>),
    Load(Box<Place>),
    Extent(Box<Node>, usize),
    Count(Box<Node>),
    Reduce {
        row: &'static Row,
        arg: Box<Node>,
        axis: Option<usize>,
    },
    Library {
        name: &'static str,
        args: Box<[Node]>,
    },
    Coordinate(Coordinate, usize),
    BlockSize(Box<BlockNode>),
    /// An enum value that prints as its name.
    EnumName {
        arg: Box<Node>,
        names: Rc<EnumNames>,
    },
}

/// The names of an enum.
pub(super) struct EnumNames {
    pub(super) name: std::sync::Arc<str>,
    pub(super) members: Vec<(std::sync::Arc<str>, i32)>,
}

/// A conversion of another kind of value to a number.
pub(super) struct Conversion {
    pub(super) arg: Node,
    pub(super) to: Type,
}
