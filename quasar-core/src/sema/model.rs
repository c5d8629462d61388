//! What inference found out: tables from node ids to meaning, one set per instance of a function.
//!
//! Lowering reads these tables and infers nothing; so everything that needed a decision stands here.

use crate::builtins::Builtin;
use crate::ids::{Arena, Id};
use crate::source::Span;
use crate::syntax::ast::{FunctionKind, NodeId};
use crate::syntax::made::MadeId;
use crate::syntax::node_map::NodeMap;
use crate::types::resolve::Texture;
use crate::types::{Boundary, ClassType, ClosureType, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::value::Exception;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Names one instance.
pub type InstanceId = Id<Instance>;

/// Names and types of fields in order.
pub type FieldTypes = Vec<(String, Type)>;

/// Meaning of a whole unit.
#[derive(Clone, Debug, Default)]
pub struct SemanticModel {
    /// All function instances; lambdas and the top-level statements of each module are instances too.
    pub instances: Arena<Instance>,
    /// The top-level statements of each module, in import order.
    pub initializers: Vec<InstanceId>,
    /// `main` of the unit's own module.
    pub main: Option<InstanceId>,
    /// Exported functions: Rust name, instance, documentation text.
    pub exports: Vec<(String, InstanceId, String)>,
    /// Module-level variables: unique name, type and boundary mode (those that are compile-time constants are not listed).
    pub globals: Vec<(String, Type, Option<Boundary>)>,
    /// Enums: name, members.
    pub enums: Vec<(String, Vec<(String, i32)>)>,
    /// Classes by their ids, with all their fields, inherited ones first.
    pub classes: Vec<(Arc<ClassType>, FieldTypes)>,
    /// Functions that become values: of this function type or `??`, and the instance that is called then.
    pub function_values: Vec<(ClosureType, Type, InstanceId)>,
}

/// A function, lambda or module for given argument types.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The function statement, lambda expression or (for top-level statements) module; ids index the unit's trees.
    pub definition: Definition,
    /// The name in the source (`lambda` for lambdas).
    pub name: String,
    /// Host, device or kernel; a lambda called from a kernel is a device instance.
    pub kind: FunctionKind,
    /// Captured variables of an inner function or lambda; they come before the parameters.
    pub captures: Vec<Binding>,
    /// Parameters in order. Special kernel parameters (`pos`, ..) have `special` set and are not passed by callers.
    pub params: Vec<Binding>,
    /// Results in order.
    pub results: Vec<Binding>,
    /// For kernels: how many components a position has.
    pub rank: usize,
    /// Whether the last parameter collects all further arguments of a call, as an array or tuple of its type.
    pub variadic: bool,
    /// What it was compiled for, if it is a kernel or device function.
    pub compiled: Compiled,
    /// What its code asked about that, or that of those it calls.
    pub asked: Asked,
    /// The tables of its nodes.
    pub tables: Tables,
}

/// What code is compiled for: in it, `$target` holds for some names and for others not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compiled {
    /// The processor, which runs all host code.
    #[default]
    Processor,
    /// Devices of every kind.
    Device,
    /// Devices with CUDA.
    Cuda,
    /// Devices with OpenCL of a maker that has no target of its own.
    OpenCl,
    /// Devices of NVIDIA with OpenCL.
    NvidiaOpenCl,
    /// Devices of AMD with OpenCL.
    AmdOpenCl,
}

/// What code asked about its target.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Asked {
    /// Nothing.
    #[default]
    Nothing,
    /// Whether it is a device.
    Kind,
    /// Which kind of device it is.
    Dialect,
    /// Whose device it is.
    Maker,
}

impl Asked {
    /// For which kinds of devices there must be versions of their own.
    pub fn devices(self) -> &'static [Compiled] {
        use Compiled::{AmdOpenCl, Cuda, Device, NvidiaOpenCl, OpenCl};
        match self {
            Asked::Nothing => &[],
            Asked::Kind => &[Device],
            Asked::Dialect => &[Cuda, OpenCl],
            Asked::Maker => &[Cuda, NvidiaOpenCl, AmdOpenCl, OpenCl],
        }
    }
}

impl Compiled {
    /// Whether `$target(name)` holds, and what it asks; `None` where there is no target of this name.
    pub fn is(self, name: &str) -> Option<(bool, Asked)> {
        Some(match name {
            "cpu" => (self == Compiled::Processor, Asked::Kind),
            "gpu" => (self != Compiled::Processor, Asked::Kind),
            "nvidia_cuda" => (self == Compiled::Cuda, Asked::Dialect),
            "opencl" => (
                matches!(self, Compiled::OpenCl | Compiled::NvidiaOpenCl | Compiled::AmdOpenCl),
                Asked::Dialect,
            ),
            "nvidia_opencl" => (self == Compiled::NvidiaOpenCl, Asked::Maker),
            "amd_opencl" => (self == Compiled::AmdOpenCl, Asked::Maker),
            _ => return None,
        })
    }
}

/// Which tree an instance is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Definition {
    /// A `function` statement.
    Function(NodeId),
    /// A lambda expression.
    Lambda(NodeId),
    /// The top-level statements of the module with this index in load order.
    Module(usize),
}

/// A captured variable, parameter or result.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// Its name.
    pub name: String,
    /// Its type on entry (captures, parameters) or on return (results).
    pub ty: Type,
    /// How it is accessed.
    pub mode: Mode,
    /// Whether it is a special kernel parameter such as `pos`.
    pub special: bool,
    /// Where it was declared.
    pub span: Span,
}

impl Binding {
    /// The unique name of the module-level variable that is captured, when it is one.
    pub fn module_variable(&self) -> Option<&str> {
        module_variable(&self.name)
    }
}

/// The name under which functions capture a module-level variable; no variable of the text has such a name.
pub fn of_module(unique: &str) -> String {
    format!(":{unique}")
}

/// The unique name of a module-level variable from the name under which it is captured.
pub fn module_variable(name: &str) -> Option<&str> {
    name.strip_prefix(':')
}

/// Properties of a variable that come from modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// What an index out of range means.
    pub boundary: Boundary,
    /// `'const`.
    pub constant: bool,
    /// `'shared`.
    pub shared: bool,
    /// `'hwconst`.
    pub hardware_constant: bool,
    /// `'nocopy`.
    pub nocopy: bool,
    /// `'hwtex_nearest` or `'hwtex_linear`.
    pub texture: Option<Texture>,
}

impl Mode {
    /// Nothing but what an index out of range means.
    pub fn plain(boundary: Boundary) -> Mode {
        Mode {
            boundary,
            constant: false,
            shared: false,
            hardware_constant: false,
            nocopy: false,
            texture: None,
        }
    }
}

/// Meaning of the nodes of one instance.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// The type of each expression, before any implicit conversion.
    pub types: NodeMap<Type>,
    /// The value of each expression that is a compile-time constant.
    pub constants: NodeMap<Constant>,
    /// What each `Name` expression refers to; under the id of a `for` or `try` statement, or of the type in
    /// a `catch` clause, whose variable is one that functions share, that variable.
    pub names: NodeMap<NameUse>,
    /// What each call, constructor and operator does. Operators that are not a plain scalar row (matrix product, text
    /// concatenation, dynamic values) are listed too, under the id of the `Infix` or `Prefix` node.
    pub callees: NodeMap<Callee>,
    /// Under the id of an assignment target's place (a `Name` expression, or the place inside a multiple target), or of
    /// a declaring expression: the variable's type and mode after the assignment.
    pub assigned: NodeMap<(Type, Mode)>,
    /// Under the id of a loop statement: the type of every variable that exists before the loop and is assigned in it,
    /// as it is at the loop's head, at each `continue` and at its exit.
    pub loop_heads: BTreeMap<NodeId, Vec<(String, Type)>>,
    /// Under the id of a `for` statement: the type of the loop variable.
    pub loop_variables: BTreeMap<NodeId, Type>,
    /// `for` statements in a `try` whose variable keeps the type that it has in all of that: values are converted to it.
    pub kept_loop_variables: BTreeSet<NodeId>,
    /// Under the id of an `if`, `match` or `try` statement: the types, after it, of the variables whose types differ
    /// between its branches. A variable absent from one branch is defined only where that branch was not taken.
    pub joins: BTreeMap<NodeId, Vec<(String, Type)>>,
    /// Under the id of a `try` statement: what each of its clauses catches.
    pub catches: BTreeMap<NodeId, Vec<Catches>>,
    /// Under the id of a condition (of `if`, `elseif`, `?:`, `&&`, `||` operands, assertions): its value when the facts
    /// decide it. The branch that is not taken was not typed.
    pub decided: BTreeMap<NodeId, bool>,
    /// Under the id of an `Index` expression: how each index acts, one entry per written index.
    pub indices: NodeMap<Vec<IndexUse>>,
    /// Under the id of a `TypeExpr` used as a value or type argument: the type.
    pub type_values: BTreeMap<NodeId, Type>,
    /// Under the id of an expression that stands for another one here: that one, which has the same id.
    pub replaced: BTreeMap<NodeId, MadeId>,
    /// Captured variables of the module that functions share: their unique names.
    pub captured: BTreeMap<String, String>,
    /// Functions that become values which are known at run time: of this function type or `??`, and the instance that is
    /// called then.
    pub function_values: Vec<(ClosureType, Type, InstanceId)>,
    /// The meaning of default values in the calls that use them: it differs from call to call.
    pub defaults: Vec<Tables>,
}

impl Tables {
    /// Forgets what is known of a node.
    pub fn forget(&mut self, id: &NodeId) {
        self.types.remove(id);
        self.constants.remove(id);
        self.names.remove(id);
        self.callees.remove(id);
        self.assigned.remove(id);
        self.loop_heads.remove(id);
        self.loop_variables.remove(id);
        self.kept_loop_variables.remove(id);
        self.joins.remove(id);
        self.decided.remove(id);
        self.indices.remove(id);
        self.type_values.remove(id);
        self.replaced.remove(id);
    }

    /// Calls `f` with each function that becomes a value.
    pub fn each_function_value(&self, f: &mut dyn FnMut(&(ClosureType, Type, InstanceId))) {
        self.function_values.iter().for_each(&mut *f);
        self.defaults.iter().for_each(|tables| tables.each_function_value(f));
    }

    /// Calls `f` with what each call does, those in default values included.
    pub fn each_callee(&self, f: &mut dyn FnMut(&Callee)) {
        self.callees.values().for_each(&mut *f);
        self.defaults.iter().for_each(|tables| tables.each_callee(f));
    }

    /// As [`Tables::each_callee`], to change it.
    pub fn each_callee_mut(&mut self, f: &mut dyn FnMut(&mut Callee)) {
        self.callees.values_mut().for_each(&mut *f);
        self.defaults.iter_mut().for_each(|tables| tables.each_callee_mut(f));
    }
}

/// What a `catch` clause takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catches {
    /// Every exception that comes so far.
    All,
    /// Those of a class.
    Only(Exception),
    /// None: clauses before it take all that it names.
    Nothing,
}

/// A compile-time constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// A number.
    Scalar(Scalar),
    /// A string.
    Text(String),
    /// A vector or matrix of numbers: sizes, and elements in row-major order.
    Array(Vec<usize>, Vec<Scalar>),
}

/// What a name refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum NameUse {
    /// A variable of this instance (parameters, captures and results included).
    Local(String),
    /// A module-level variable, by its unique name.
    Global(String),
    /// A component-less use of a special kernel parameter.
    Special(String),
    /// A constant; its value stands in `constants`.
    Constant,
    /// A function used as a value; its type is a closure type.
    Function(NodeId),
}

/// Who visits the positions of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Launch {
    /// `parallel_do`
    Parallel,
    /// `serial_do`
    Serial,
    /// `multi_parallel_do`
    Devices,
}

/// What a call does.
#[derive(Clone, Debug)]
pub enum Callee {
    /// A builtin function or operator. Arguments are passed as `args` says.
    Builtin { builtin: &'static Builtin, args: Vec<Argument> },
    /// An instance. `closure` is the expression that holds the captured variables, when the callee is a closure value.
    Instance { instance: InstanceId, closure: Option<NodeId>, args: Vec<Argument> },
    /// One of several instances, which the value of the expression `function` chooses: its type names them in this order.
    Choice { function: NodeId, calls: Vec<(InstanceId, Vec<Argument>)> },
    /// `parallel_do` and its relatives: the kernel's instance; `closure` as above; the kernel's ordinary arguments.
    Launch {
        instance: InstanceId,
        closure: Option<NodeId>,
        dims: NodeId,
        args: Vec<Argument>,
        launch: Launch,
    },
    /// `schedule`: the launch of one of several kernels, all of which take the same arguments. The run-time system chooses.
    Schedule { versions: Vec<(InstanceId, Option<NodeId>)>, dims: NodeId, args: Vec<Argument> },
    /// `zeros(..)`, `vec[T](..)`, `uninit[T](..)`, `shared[T](..)`: makes an array of the call's type; `fill` is `zeros`,
    /// `ones`, `uninit`, `shared` or `shared_zeros`.
    Construct { fill: &'static str, args: Vec<Argument> },
    /// A new object of the class that is the call's type: where each field comes from, or its default.
    New { fields: Vec<Option<Argument>> },
    /// A conversion of the only argument to the call's type.
    Convert,
    /// One of several instances, which the class of the object that is the first argument chooses: the first of these whose
    /// class it has or inherits from.
    Dispatch {
        object: NodeId,
        calls: Vec<(Arc<ClassType>, InstanceId, Vec<Argument>)>,
        otherwise: (InstanceId, Vec<Argument>),
    },
    /// A call of a value whose function is known at run time only.
    Value,
    /// The node is an operator or call that was turned into a plain conversion-free use of its first operand.
    Identity,
}

impl Callee {
    /// The instance that is called, or one of those of which one is called: they have equally many results.
    pub fn instance(&self) -> Option<InstanceId> {
        match self {
            Callee::Instance { instance, .. } | Callee::Launch { instance, .. } => Some(*instance),
            Callee::Schedule { versions, .. } => versions.first().map(|(instance, _)| *instance),
            Callee::Choice { calls, .. } => calls.first().map(|(instance, _)| *instance),
            Callee::Dispatch { otherwise, .. } => Some(otherwise.0),
            Callee::Builtin { .. }
            | Callee::Construct { .. }
            | Callee::New { .. }
            | Callee::Convert
            | Callee::Value
            | Callee::Identity => None,
        }
    }
}

/// Where an argument of a resolved call comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// The expression with this id among the call's arguments, converted to the type.
    Expr(NodeId, Type),
    /// Component `index` of the spread argument with this id, converted to the type.
    SpreadComponent(NodeId, usize, Type),
    /// All components of the spread argument with this id, however many: the whole of a variadic parameter of this type.
    SpreadRest(NodeId, Type),
    /// The default value of the callee's parameter, to be evaluated by the caller with the tables of this number among
    /// the caller's `defaults`; names in it that are parameters refer to arguments to the left (by position).
    Default(NodeId, Type, usize),
    /// The field of this name of the last of the spread arguments with these ids that has one when the program runs, converted
    /// to the type; otherwise the default value.
    Field { objects: Vec<NodeId>, name: String, ty: Type, default: Box<Argument> },
}

/// How a written index acts.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexUse {
    /// One integer.
    At,
    /// A sequence `a..b`.
    Range,
    /// An integer vector of positions (gather).
    List,
    /// `:`.
    All,
    /// A vector of known length whose components are this many consecutive indices (`pos`, `...pos`).
    Components(usize),
    /// A vector whose length is known at run time only.
    Position,
    /// An array of the answers of comparisons that has the array's shape: conditional selection.
    Mask,
    /// Such a vector, beside other indices: the positions along a dimension where it holds.
    Places,
    /// A value whose type is known at run time only: a number, a vector or a mask.
    Value,
    /// A member or method access on the base, not an index (cells, strings keep `At` and `Range`).
    Dynamic,
}
