//! The types of the language after resolution: precision is concrete; aliases and type parameters are resolved.

pub mod class;
pub mod convert;
pub mod display;
pub mod known;
pub mod lattice;
pub mod resolve;
pub mod shape;

pub use class::{ClassId, ClassType};
pub use quasar_devicelib::element::{ElementType, Overflow};

pub use crate::syntax::ast::FunctionKind;
use crate::syntax::ast::NodeId;
/// Where a function or lambda expression is defined.
pub use crate::syntax::ast::NodeId as DefinitionId;
use std::sync::Arc;

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
    /// Number of dimensions.
    pub rank: Rank,
    /// One extent per dimension if the rank is known (`None` is `:`); empty for [`Rank::Any`].
    pub sizes: Vec<Option<u32>>,
}

impl ArrayType {
    /// The most elements of an array in registers (language reference §2.1).
    pub const MAX_IN_REGISTERS: u64 = 64;

    /// Whether a kernel thread keeps such an array in registers: all extents are known and the elements are few.
    pub fn is_small(&self) -> bool {
        // Inner arrays of unknown size are stored elsewhere, by reference.
        if self.element.as_array().is_some_and(|inner| inner.count().is_none()) {
            return false;
        }
        let count =
            self.sizes.iter().try_fold(1u64, |n, size| size.and_then(|size| n.checked_mul(u64::from(size))));
        !self.sizes.is_empty() && count.is_some_and(|count| count <= Self::MAX_IN_REGISTERS)
    }

    /// The overflow rule of the elements.
    pub fn overflow(&self) -> Overflow {
        match *self.element {
            Type::Scalar(_, overflow) => overflow,
            _ => Overflow::Checked,
        }
    }
}

/// The static type of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// An error that has been reported; it suppresses follow-up messages and never occurs in the IR.
    Error,
    /// No value.
    Unit,
    /// `??`: known at run time only; host code only.
    Dynamic,
    /// A number. The overflow rule only matters for stores to integers, never for compatibility.
    Scalar(ElementType, Overflow),
    /// `string`.
    Text,
    /// An array, a typed cell (`vec[mat]`) or a cell (`vec[??]`).
    Array(ArrayType),
    /// A tuple such as `vec[{int,string}]`, and the results of a call with several outputs.
    Tuple(Vec<Type>),
    /// An enum; values are ints.
    Enum(EnumId),
    /// A particular function or lambda, with the types of its captures; as in Rust, each has its own type.
    Closure(Box<ClosureType>),
    /// One of several functions or lambdas, chosen at run time: the join of branches with different ones. Lowering
    /// defunctionalises it to a number and the captures.
    Choice(Vec<ClosureType>),
    /// `[(A, B) -> C]` where the particular function is unknown.
    Function(Box<FunctionType>),
    /// A type as a value.
    TypeValue,
    /// `nullptr`.
    Null,
    /// An object of a class or of a derived one; never `nullptr`.
    Class(Arc<ClassType>),
    /// `^C`: such an object, or `nullptr`.
    Pointer(Arc<ClassType>),
    /// `thread_block`: a cooperative group of threads. In the IR a warp group is its lane mask, a `uint32`; other
    /// groups are not values.
    Group(Group),
}

/// The threads of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Some or all lanes of a warp, which exchange values through registers.
    Warp,
    /// The threads of a block.
    Block,
    /// The threads of the launch.
    Grid,
}

/// Identifies an enum of the unit.
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
    /// Parameter types; `true` marks a variadic parameter.
    pub params: Vec<(bool, Type)>,
    /// Result types.
    pub results: Vec<Type>,
}

/// Boundary mode: the semantics of out-of-range indices of an array variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Boundary {
    /// An error.
    Checked,
    /// Reads give zero, writes are dropped.
    Safe,
    /// Periodic.
    Circular,
    /// Reflected, edge sample repeated.
    Mirror,
    /// Nearest sample.
    Clamped,
    /// Undefined: no check.
    Unchecked,
}

impl Type {
    /// `int`.
    pub const INT: Type = Type::Scalar(ElementType::Int32, Overflow::Checked);

    /// A number type with the default overflow rule.
    pub fn scalar(element: ElementType) -> Type {
        Type::Scalar(element, Overflow::Checked)
    }

    /// An array of numbers with the given sizes.
    pub fn numbers(element: ElementType, sizes: &[Option<u32>]) -> Type {
        Type::array(Type::scalar(element), sizes)
    }

    /// An integer vector of this length.
    pub fn index_vector(length: Option<u32>) -> Type {
        Type::numbers(ElementType::Int32, &[length])
    }

    /// An array of comparison results.
    pub fn mask(sizes: &[Option<u32>]) -> Type {
        Type::array(Type::Scalar(ElementType::Int32, Overflow::Truth), sizes)
    }

    /// Whether it is an array of comparison results, which selects elements as an index.
    pub fn is_mask(&self) -> bool {
        matches!(self, Type::Array(array) if array.overflow() == Overflow::Truth)
    }

    /// The type of a loaded element: `int` for a mask.
    #[must_use]
    pub fn taken_out(self) -> Type {
        match self {
            Type::Scalar(element, Overflow::Truth) => Type::scalar(element),
            other => other,
        }
    }

    /// An array with the given sizes.
    pub fn array(element: Type, sizes: &[Option<u32>]) -> Type {
        Type::Array(ArrayType::new(element, sizes))
    }

    /// The element type of a number or of an array of numbers; enums count as `int`.
    pub fn element_type(&self) -> Option<ElementType> {
        match self {
            Type::Scalar(element, _) => Some(*element),
            Type::Enum(_) => Some(ElementType::Int32),
            Type::Array(array) => match &*array.element {
                Type::Scalar(element, _) => Some(*element),
                Type::Enum(_) => Some(ElementType::Int32),
                _ => None,
            },
            _ => None,
        }
    }

    /// The same shape with another element type.
    pub fn with_element(&self, element: ElementType) -> Type {
        match self {
            Type::Array(array) => Type::Array(ArrayType {
                element: Box::new(Type::scalar(element)),
                rank: array.rank,
                sizes: array.sizes.clone(),
            }),
            _ => Type::scalar(element),
        }
    }

    /// The functions that a value of this type may be, as far as the type lists them.
    pub fn functions(&self) -> &[ClosureType] {
        match self {
            Type::Closure(closure) => std::slice::from_ref(closure),
            Type::Choice(candidates) => candidates,
            _ => &[],
        }
    }

    /// Whether a variable declared with just this type has a default value: zero, the empty string, or an array of
    /// known sizes with such elements.
    pub fn has_default(&self) -> bool {
        match self {
            Type::Scalar(..) | Type::Enum(_) | Type::Text | Type::Pointer(_) => true,
            Type::Array(array) => {
                array.known_rank().is_some()
                    && array.sizes.iter().all(Option::is_some)
                    && !array.element.any(&|ty| matches!(ty, Type::Function(_)))
            }
            _ => false,
        }
    }

    /// Whether it is a number or an enum.
    pub fn is_number(&self) -> bool {
        matches!(self, Type::Scalar(..) | Type::Enum(_))
    }

    /// Whether it is an `int`, a sized integer or an enum.
    pub fn is_integer(&self) -> bool {
        match self {
            Type::Scalar(element, _) => element.is_integer(),
            Type::Enum(_) => true,
            _ => false,
        }
    }

    /// The array type, if it is one.
    pub fn as_array(&self) -> Option<&ArrayType> {
        match self {
            Type::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Whether it is an array of numbers.
    pub fn is_number_array(&self) -> bool {
        matches!(self, Type::Array(_)) && self.element_type().is_some()
    }

    /// Whether any part of it is `??`.
    pub fn mentions_dynamic(&self) -> bool {
        self.any(&|ty| matches!(ty, Type::Dynamic))
    }

    /// Whether any part of it is an error.
    pub fn mentions_error(&self) -> bool {
        self.any(&|ty| matches!(ty, Type::Error))
    }

    /// Whether values of the type hold functions.
    pub fn holds_functions(&self) -> bool {
        self.any(&|ty| matches!(ty, Type::Closure(_) | Type::Choice(_) | Type::Function(_)))
    }

    /// Whether the type or a part of it satisfies the predicate.
    pub fn any(&self, test: &dyn Fn(&Type) -> bool) -> bool {
        test(self)
            || match self {
                Type::Array(array) => array.element.any(test),
                Type::Tuple(parts) => parts.iter().any(|part| part.any(test)),
                Type::Closure(closure) => closure.captures.iter().any(|(_, ty)| ty.any(test)),
                Type::Choice(_) => {
                    self.functions().iter().any(|f| f.captures.iter().any(|(_, ty)| ty.any(test)))
                }
                Type::Function(function) => {
                    function.params.iter().any(|(_, ty)| ty.any(test))
                        || function.results.iter().any(|ty| ty.any(test))
                }
                Type::Error
                | Type::Unit
                | Type::Dynamic
                | Type::Scalar(..)
                | Type::Text
                | Type::Enum(_)
                | Type::TypeValue
                | Type::Null
                | Type::Class(_)
                | Type::Pointer(_)
                | Type::Group(_) => false,
            }
    }

    /// The class of an object or pointer.
    pub fn class(&self) -> Option<&Arc<ClassType>> {
        match self {
            Type::Class(class) | Type::Pointer(class) => Some(class),
            _ => None,
        }
    }

    /// Whether any part of it is an object; objects exist in host code only.
    pub fn mentions_objects(&self) -> bool {
        self.any(&|ty| ty.class().is_some())
    }
}

impl ArrayType {
    /// An array with one size per dimension.
    pub fn new(element: Type, sizes: &[Option<u32>]) -> ArrayType {
        ArrayType { element: Box::new(element), rank: Rank::Known(sizes.len() as u8), sizes: sizes.to_vec() }
    }

    /// `cube{:}` of the element.
    pub fn any_rank(element: Type) -> ArrayType {
        ArrayType { element: Box::new(element), rank: Rank::Any, sizes: Vec::new() }
    }

    /// The rank, if it is known.
    pub fn known_rank(&self) -> Option<usize> {
        match self.rank {
            Rank::Known(rank) => Some(rank as usize),
            Rank::Any => None,
        }
    }

    /// The number of elements, if all sizes are known.
    pub fn count(&self) -> Option<u32> {
        match self.rank {
            Rank::Known(_) => self.sizes.iter().try_fold(1u32, |product, size| product.checked_mul((*size)?)),
            Rank::Any => None,
        }
    }

    /// The length of a vector, if it is known.
    pub fn vector_length(&self) -> Option<u32> {
        match self.sizes.as_slice() {
            [length] => *length,
            _ => None,
        }
    }

    /// The same element type with other sizes.
    pub fn with_sizes(&self, sizes: &[Option<u32>]) -> ArrayType {
        ArrayType::new((*self.element).clone(), sizes)
    }
}
