//! Types after resolution: precision is concrete, aliases and parameters are gone.

pub use quasar_devicelib::element::{ElementType, Overflow};

use crate::syntax::ast::NodeId;

/// The number of dimensions of an array type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rank {
    /// Exactly this many, 1 to 16.
    Known(u8),
    /// `cube{:}`.
    Any,
}

/// `vec`, `mat`, `cube{n}` of some element, with the sizes that are known at compile time.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayType {
    /// The element type; `Dynamic` for cells.
    pub element: Box<Type>,
    /// Dimensionality.
    pub rank: Rank,
    /// One entry per dimension when the rank is known (`None` = `:`); empty for [`Rank::Any`].
    pub sizes: Vec<Option<u32>>,
}

/// The static type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Something went wrong and was reported; silences follow-ups; never in the IR.
    Error,
    /// No value.
    Unit,
    /// `??`: known at run time only; host code only.
    Dynamic,
    /// A number; the overflow rule matters for stores into integers only and never for compatibility.
    Scalar(ElementType, Overflow),
    /// `string`.
    Text,
    /// An array, a typed cell (`vec[mat]`) or a cell (`vec[??]`).
    Array(ArrayType),
    /// A tuple such as `vec[{int,string}]`, and the results of a call with several outputs.
    Tuple(Vec<Type>),
    /// An enum; values are ints.
    Enum(EnumId),
    /// One particular function or lambda with the types of what it captured; like Rust, each has a type of its own.
    Closure(Box<ClosureType>),
    /// `[(A, B) -> C]` where the particular function is unknown.
    Function(Box<FunctionType>),
    /// A type as a value.
    TypeValue,
    /// `nullptr`.
    Null,
}

/// Names an enum of the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EnumId(pub u32);

/// The type of one lambda or named function used as a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ClosureType {
    /// The lambda expression or function statement.
    pub definition: NodeId,
    /// Names and types of the captured variables, in order of first use.
    pub captures: Vec<(String, Type)>,
}

/// A declared function type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// Host, device or kernel.
    pub kind: crate::syntax::ast::FunctionKind,
    /// Parameter types; `true` marks a variadic rest.
    pub params: Vec<(bool, Type)>,
    /// Result types.
    pub results: Vec<Type>,
}

/// Default out-of-range behaviour and memory path of an array variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// Error.
    Checked,
    /// Reads give zero, writes are ignored.
    Safe,
    /// Periodic.
    Circular,
    /// Reflected, edge sample repeated.
    Mirror,
    /// Nearest sample.
    Clamped,
    /// No test.
    Unchecked,
}
