//! Scalar functions (elementwise functions of the language): generic Rust functions for generated code, and one table
//! of rows for everything else.
//!
//! Generated code calls `ops::exp::<I, _>(x)`; the compiler and the interpreter look up the row `exp` and call its
//! `eval`, which dispatches to the same function on the element type of its arguments.

#![allow(clippy::extra_unused_type_parameters, reason = "all functions are called alike, as name::<I, _>")]

#[macro_use]
mod shared;

mod arithmetic;
mod compare;
mod complex;
mod convert;
mod domain;
mod double;
mod integers;
mod math;
mod neutral;
mod single;
mod special;
mod table;

pub use arithmetic::*;
pub use compare::*;
pub use convert::{
    ConvertError, ConvertTo, ODD, convert, convert_checked, convert_saturating, convert_scalar, said, unfit,
};
pub use domain::{Float, FloatOrComplex, Integer, Number, Real};
pub use integers::*;
pub use math::*;
pub use neutral::neutral;
pub use single::Exponent;
pub use special::*;
pub use table::{TABLE, combines_masks, find};

use crate::element::{ElementType, Scalar};

/// A scalar function of the language.
#[derive(Debug)]
pub struct Row {
    /// The name in the language.
    pub name: &'static str,
    /// The generic function in this module.
    pub symbol: &'static str,
    /// Description, one sentence.
    pub doc: &'static str,
    /// Number of arguments.
    pub arity: usize,
    /// The types that it accepts.
    pub domain: Domain,
    /// The rule for the result type.
    pub result: ResultRule,
    /// Evaluates on values of one element type inside the domain. Total: other arguments are converted into the domain.
    pub eval: fn(&[Scalar]) -> Scalar,
    /// Measured error bound in single precision, in ulps of finite normal results; 0 means correctly rounded. In double
    /// precision it is at most two more.
    pub ulps: u32,
    /// An example expression and its printed value.
    pub example: (&'static str, &'static str),
}

/// The element types that a row accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Integers, floats and complex numbers.
    Any,
    /// Integers and floats.
    Real,
    /// Floats; integers are first converted to the working precision.
    Float,
    /// Floats and complex numbers; integers are first converted to the working precision.
    FloatOrComplex,
    /// Integers.
    Integer,
}

impl Domain {
    /// Whether values of a type need no conversion.
    pub const fn contains(self, ty: ElementType) -> bool {
        match self {
            Domain::Any => true,
            Domain::Real => !ty.is_complex(),
            Domain::Float => ty.is_float(),
            Domain::FloatOrComplex => ty.is_float() || ty.is_complex(),
            Domain::Integer => ty.is_integer(),
        }
    }
}

/// How the result type follows from the argument type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultRule {
    /// The type of the arguments.
    Same,
    /// `int`, 0 or 1.
    Truth,
    /// The component type of a complex type; other types stay.
    RealPart,
    /// The complex type with components of this type.
    Complex,
    /// `int`.
    Int,
    /// Always this type.
    Fixed(ElementType),
}

impl ResultRule {
    /// The result type for an argument type.
    pub const fn apply(self, argument: ElementType) -> ElementType {
        match self {
            ResultRule::Same => argument,
            ResultRule::Truth | ResultRule::Int => ElementType::Int32,
            ResultRule::RealPart => argument.real(),
            ResultRule::Complex => argument.complex(),
            ResultRule::Fixed(ty) => ty,
        }
    }
}
