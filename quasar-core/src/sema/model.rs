//! The result of inference: side tables from node ids to types, callees and constants, one set per instance of a
//! function.
//!
//! Lowering only reads these tables and infers nothing, so every decision of the analysis is recorded here.

use crate::builtins::Builtin;
use crate::ids::{Arena, Id};
use crate::source::Span;
use crate::syntax::ast::{FunctionKind, NodeId};
use crate::syntax::made::SyntheticId;
use crate::syntax::node_map::NodeMap;
use crate::types::resolve::Texture;
use crate::types::{Boundary, ClassType, ClosureType, Type};
use quasar_devicelib::element::Scalar;
use quasar_devicelib::value::Exception;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Identifies an instance.
pub type InstanceId = Id<Instance>;

/// Names and types of fields, in declaration order.
pub type FieldTypes = Vec<(String, Type)>;

/// The semantic model of a whole unit.
#[derive(Clone, Debug, Default)]
pub struct SemanticModel {
    /// All monomorphised functions; lambdas and the top-level statements of each module are instances too.
    pub instances: Arena<Instance>,
    /// Instances of the top-level statements of the modules, in import order.
    pub initializers: Vec<InstanceId>,
    /// `main` of the root module.
    pub main: Option<InstanceId>,
    /// Exported functions: Rust name, instance, documentation (the Quasar signature).
    pub exports: Vec<(String, InstanceId, String)>,
    /// Module-level variables: unique name, type and boundary mode. Compile-time constants are not listed.
    pub globals: Vec<(String, Type, Option<Boundary>)>,
    /// Enums: name and members.
    pub enums: Vec<(String, Vec<(String, i32)>)>,
    /// Classes, indexed by their ids, with all their fields, inherited ones first.
    pub classes: Vec<(Arc<ClassType>, FieldTypes)>,
    /// Functions used as first-class values: their closure type, the type they are converted to (a function type or
    /// `??`), and the instance that such a value calls.
    pub function_values: Vec<(ClosureType, Type, InstanceId)>,
}

/// A function, lambda or module, monomorphised for given argument types.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The function statement, lambda expression or module it was instantiated from; ids index the unit's trees.
    pub definition: Definition,
    /// The name in the source (`lambda` for lambdas).
    pub name: String,
    /// Host, device or kernel; a lambda called from a kernel is a device instance.
    pub kind: FunctionKind,
    /// Captured variables of an inner function or lambda; they precede the parameters.
    pub captures: Vec<Binding>,
    /// Parameters in order. Special kernel parameters (`pos`, ..) have `special` set; callers do not pass them.
    pub params: Vec<Binding>,
    /// Results in order.
    pub results: Vec<Binding>,
    /// For kernels: the number of components of a position.
    pub rank: usize,
    /// Whether the last parameter is variadic: it collects all further arguments of a call, as an array or tuple of
    /// its type.
    pub variadic: bool,
    /// The target it was compiled for, if it is a kernel or device function.
    pub compile_target: CompileTarget,
    /// The most specific target query in its code or in that of its callees.
    pub target_query: TargetQuery,
    /// The tables of its nodes.
    pub tables: Tables,
}

/// The compilation target of an instance; `$target(name)` is evaluated against it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompileTarget {
    /// The CPU, which runs all host code.
    #[default]
    Processor,
    /// Any device.
    Device,
    /// CUDA devices.
    Cuda,
    /// OpenCL devices of a vendor without a target of its own.
    OpenCl,
    /// NVIDIA devices through OpenCL.
    NvidiaOpenCl,
    /// AMD devices through OpenCL.
    AmdOpenCl,
}

/// How specific the `$target` queries in some code are; the variants are ordered from least to most specific.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetQuery {
    /// No query.
    #[default]
    Nothing,
    /// CPU or device.
    Kind,
    /// CUDA or OpenCL.
    Dialect,
    /// The vendor of the device.
    Vendor,
}

impl TargetQuery {
    /// The device targets for which separate versions must be instantiated.
    pub fn devices(self) -> &'static [CompileTarget] {
        use CompileTarget::{AmdOpenCl, Cuda, Device, NvidiaOpenCl, OpenCl};
        match self {
            TargetQuery::Nothing => &[],
            TargetQuery::Kind => &[Device],
            TargetQuery::Dialect => &[Cuda, OpenCl],
            TargetQuery::Vendor => &[Cuda, NvidiaOpenCl, AmdOpenCl, OpenCl],
        }
    }
}

impl CompileTarget {
    /// Whether `$target(name)` holds, and how specific the query is; `None` for an unknown target.
    pub fn is(self, name: &str) -> Option<(bool, TargetQuery)> {
        Some(match name {
            "cpu" => (self == CompileTarget::Processor, TargetQuery::Kind),
            "gpu" => (self != CompileTarget::Processor, TargetQuery::Kind),
            "nvidia_cuda" => (self == CompileTarget::Cuda, TargetQuery::Dialect),
            "opencl" => (
                matches!(
                    self,
                    CompileTarget::OpenCl | CompileTarget::NvidiaOpenCl | CompileTarget::AmdOpenCl
                ),
                TargetQuery::Dialect,
            ),
            "nvidia_opencl" => (self == CompileTarget::NvidiaOpenCl, TargetQuery::Vendor),
            "amd_opencl" => (self == CompileTarget::AmdOpenCl, TargetQuery::Vendor),
            _ => return None,
        })
    }
}

/// The tree an instance is made from.
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
    /// The span of its declaration.
    pub span: Span,
}

impl Binding {
    /// The unique name of the captured module-level variable, if this is one.
    pub fn module_variable(&self) -> Option<&str> {
        module_variable(&self.name)
    }
}

/// The name under which functions capture a module-level variable; no source variable can have such a name.
pub fn captured_name(unique: &str) -> String {
    format!(":{unique}")
}

/// The inverse of [`captured_name`]: the unique name, or `None` for ordinary variables.
pub fn module_variable(name: &str) -> Option<&str> {
    name.strip_prefix(':')
}

/// Access properties of a variable, from its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// How an out-of-range index is handled.
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
    /// A mode without modifiers, with this boundary handling.
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

/// The side tables of one instance.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// The type of each expression, before any implicit conversion.
    pub types: NodeMap<Type>,
    /// The value of each expression that is a compile-time constant.
    pub constants: NodeMap<Constant>,
    /// What each `Name` expression refers to. Also under the id of a `for` or `try` statement, or of the type in a
    /// `catch` clause, if its variable is a module-level one that functions share: that variable.
    pub names: NodeMap<NameUse>,
    /// What each call, constructor and operator does. Operators that are not a plain scalar row (matrix product, string
    /// concatenation, dynamic values) are listed too, under the id of the `Infix` or `Prefix` node.
    pub callees: NodeMap<Callee>,
    /// Under the id of an assignment's lvalue (a `Name` expression, or one lvalue of a multiple target), or of a
    /// declaring expression: the variable's type and mode after the assignment.
    pub assigned: NodeMap<(Type, Mode)>,
    /// Under the id of a loop statement: the type of every variable that exists before the loop and is assigned in it.
    /// It holds at the loop's head, at each `continue` and at its exit.
    pub loop_heads: BTreeMap<NodeId, Vec<(String, Type)>>,
    /// Under the id of a `for` statement: the type of the loop variable.
    pub loop_variables: BTreeMap<NodeId, Type>,
    /// `for` statements in a `try` whose variable keeps the type it has in the whole `try`: values are converted to it.
    pub kept_loop_variables: BTreeSet<NodeId>,
    /// Under the id of an `if`, `match` or `try` statement: the joined types, after it, of the variables whose types
    /// differ between its branches. A variable absent from one branch is defined only where that branch was not
    /// taken.
    pub joins: BTreeMap<NodeId, Vec<(String, Type)>>,
    /// Under the id of a `try` statement: what each of its clauses catches.
    pub catches: BTreeMap<NodeId, Vec<Catches>>,
    /// Under the id of a condition (of `if`, `elseif`, `?:`, `&&`, `||` operands, assertions): its value if the facts
    /// decide it. The dead branch was not typed.
    pub decided: BTreeMap<NodeId, bool>,
    /// Under the id of an `Index` expression: how each index acts, one entry per index in the source.
    pub indices: NodeMap<Vec<IndexUse>>,
    /// Under the id of a `TypeExpr` used as a value or type argument: the type.
    pub type_values: BTreeMap<NodeId, Type>,
    /// Under the id of an expression that is replaced in this instance: the replacement, which has the same id.
    pub replacements: BTreeMap<NodeId, SyntheticId>,
    /// Captured module-level variables that functions share, by source name: their unique names.
    pub captured: BTreeMap<String, String>,
    /// Functions converted to first-class values in this instance; the components are those of
    /// [`SemanticModel::function_values`].
    pub function_values: Vec<(ClosureType, Type, InstanceId)>,
    /// Tables of default values, one set per call that uses some: their meaning differs from call to call.
    pub defaults: Vec<Tables>,
}

impl Tables {
    /// Removes every entry of a node.
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
        self.replacements.remove(id);
    }

    /// Calls `f` for each function that is converted to a value, including those in default values.
    pub fn each_function_value(&self, f: &mut dyn FnMut(&(ClosureType, Type, InstanceId))) {
        self.function_values.iter().for_each(&mut *f);
        self.defaults.iter().for_each(|tables| tables.each_function_value(f));
    }

    /// Calls `f` for the callee of each call, including those in default values.
    pub fn each_callee(&self, f: &mut dyn FnMut(&Callee)) {
        self.callees.values().for_each(&mut *f);
        self.defaults.iter().for_each(|tables| tables.each_callee(f));
    }

    /// As [`Tables::each_callee`], with mutable access.
    pub fn each_callee_mut(&mut self, f: &mut dyn FnMut(&mut Callee)) {
        self.callees.values_mut().for_each(&mut *f);
        self.defaults.iter_mut().for_each(|tables| tables.each_callee_mut(f));
    }
}

/// What a `catch` clause catches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Catches {
    /// Every exception that reaches it.
    All,
    /// Exceptions of one class.
    Only(Exception),
    /// Nothing: earlier clauses catch all that it names, so it is unreachable.
    Nothing,
}

/// A compile-time constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// A number.
    Scalar(Scalar),
    /// A string.
    Text(String),
    /// A vector or matrix of numbers: extents, and elements in row-major order.
    Array(Vec<usize>, Vec<Scalar>),
}

/// What a name refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum NameUse {
    /// A variable of this instance (parameters, captures and results included).
    Local(String),
    /// A module-level variable, by its unique name.
    Global(String),
    /// A special kernel parameter.
    Special(String),
    /// A constant; its value is in `constants`.
    Constant,
    /// A function used as a value; its type is a closure type.
    Function(NodeId),
}

/// Who executes the positions of a launch.
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
    /// A builtin function or operator. `args` says how arguments are passed.
    Builtin { builtin: &'static Builtin, args: Vec<Argument> },
    /// A direct call. `closure` is the expression that holds the captured variables if the callee is a closure value.
    Instance { instance: InstanceId, closure: Option<NodeId>, args: Vec<Argument> },
    /// One of several instances, selected by the value of the expression `function`; its type lists them in this order.
    Choice { function: NodeId, calls: Vec<(InstanceId, Vec<Argument>)> },
    /// `parallel_do` and its relatives: the kernel's instance, `closure` as above, the kernel's ordinary arguments.
    Launch {
        instance: InstanceId,
        closure: Option<NodeId>,
        dims: NodeId,
        args: Vec<Argument>,
        launch: Launch,
    },
    /// A launch of one of several kernels, selected by the value of the expression `kernel`: a launch for each kernel
    /// that its type lists, in this order.
    LaunchChoice { kernel: NodeId, launches: Vec<Callee> },
    /// `schedule`: a launch of one of several kernels with identical arguments, selected by the run-time system.
    Schedule { versions: Vec<(InstanceId, Option<NodeId>)>, dims: NodeId, args: Vec<Argument> },
    /// `zeros(..)`, `vec[T](..)`, `uninit[T](..)`, `shared[T](..)`: creates an array of the call's type; `fill` is
    /// `zeros`, `ones`, `uninit`, `shared` or `shared_zeros`.
    Construct { fill: &'static str, args: Vec<Argument> },
    /// Creates an object of the class that is the call's type: the source of each field, or `None` for its default.
    New { fields: Vec<Option<Argument>> },
    /// A conversion of the only argument to the call's type.
    Convert,
    /// Dynamic dispatch on the class of the object that is the first argument: the first entry of `calls` whose class
    /// the object has or inherits from, else `otherwise`, or without one the function in the object's field.
    Dispatch {
        object: NodeId,
        calls: Vec<(Arc<ClassType>, InstanceId, Vec<Argument>)>,
        otherwise: Option<(InstanceId, Vec<Argument>)>,
    },
    /// An indirect call of a value whose function is known only at run time.
    Value,
    /// The node is an operator or call that was reduced to its first operand, without a conversion.
    Identity,
}

impl Callee {
    /// The called instance, or one of the possible ones: they all have the same number of results.
    pub fn instance(&self) -> Option<InstanceId> {
        match self {
            Callee::Instance { instance, .. } | Callee::Launch { instance, .. } => Some(*instance),
            Callee::Schedule { versions, .. } => versions.first().map(|(instance, _)| *instance),
            Callee::Choice { calls, .. } => calls.first().map(|(instance, _)| *instance),
            Callee::LaunchChoice { launches, .. } => launches.first()?.instance(),
            Callee::Dispatch { calls, .. } => calls.first().map(|(_, instance, _)| *instance),
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
    /// All components of the spread argument with this id, however many: the whole of a variadic parameter of this
    /// type.
    SpreadRest(NodeId, Type),
    /// The text of all components of the spread argument with this id, however many, one behind the other.
    SpreadText(NodeId),
    /// The elements of the array with this id in row-major order, as a vec of this type that shares them.
    LinearView(NodeId, Type),
    /// The default value of the callee's parameter, evaluated by the caller with the tables at this index of the
    /// caller's `defaults`; names in it that are parameters refer to arguments to the left (by position).
    Default(NodeId, Type, usize),
    /// The field of this name, converted to the type, of the last spread argument among these ids that has it at run
    /// time; otherwise the default value.
    Field { objects: Vec<NodeId>, name: String, ty: Type, default: Box<Argument> },
}

/// How one index of an `Index` expression acts.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexUse {
    /// One integer.
    At,
    /// A range `a..b`.
    Range,
    /// An integer vector of indices (gather).
    List,
    /// `:`.
    All,
    /// A vector of known length whose components are this many consecutive indices (`pos`, `...pos`).
    Components(usize),
    /// A vector whose length is known only at run time.
    Position,
    /// A mask of the array's shape: selects the elements where it is true.
    Mask,
    /// A mask vector beside other indices: selects the indices along one dimension where it is true.
    MaskAlongAxis,
    /// A value whose type is known only at run time: a number, a vector or a mask.
    Value,
    /// A member or method access on the base, not an index (cells, strings keep `At` and `Range`).
    Dynamic,
}
