//! What can go wrong when a program computes with values, and how it is said.

use super::object::field_of_objects;
use super::shape::dims_text;
use std::fmt;

/// The class of a run-time error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// A value of another type was expected.
    Type,
    /// Sizes do not fit together.
    Shape,
    /// A position outside an array.
    Index,
    /// An argument has the right type and an impossible value, or their number is wrong.
    Argument,
    /// A number does not fit its target type.
    Overflow,
    /// An array is too large.
    Memory,
    /// No such function.
    Unknown,
    /// Raised by the program.
    User,
    /// Files and devices.
    System,
}

/// The exceptions that a handler can name (`catch e : T`). All of them are `qexception`s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exception {
    /// Raised by `error(..)`.
    User,
    /// A condition of `assert` does not hold.
    Assertion,
    /// A position outside an array.
    Index,
    /// Sizes that do not fit.
    Size,
    /// A number that does not fit an integer type.
    Overflow,
    /// A value of another type was expected.
    Type,
    /// An argument of a library function with an impossible value.
    Argument,
    /// No memory is left, on the host or on a device.
    Memory,
    /// Files, devices and the rest of the system.
    System,
}

impl Exception {
    /// What all exceptions are.
    pub const BASE: &str = "qexception";

    /// All of them.
    pub const ALL: [Exception; 9] = [
        Exception::User,
        Exception::Assertion,
        Exception::Index,
        Exception::Size,
        Exception::Overflow,
        Exception::Type,
        Exception::Argument,
        Exception::Memory,
        Exception::System,
    ];

    /// The name of the type in programs.
    pub fn name(self) -> &'static str {
        match self {
            Exception::User => "quserexception",
            Exception::Assertion => "qassertexception",
            Exception::Index => "qindexexception",
            Exception::Size => "qsizeexception",
            Exception::Overflow => "qoverflowexception",
            Exception::Type => "qtypeexception",
            Exception::Argument => "qargumentexception",
            Exception::Memory => "qmemoryexception",
            Exception::System => "qsystemexception",
        }
    }
}

/// What is said where a variable is read that no path has set.
pub fn unset(variable: &str) -> String {
    format!("the variable '{variable}' is used before a value was assigned to it")
}

impl From<ErrorKind> for Exception {
    fn from(kind: ErrorKind) -> Exception {
        match kind {
            ErrorKind::Type | ErrorKind::Unknown => Exception::Type,
            ErrorKind::Shape => Exception::Size,
            ErrorKind::Index => Exception::Index,
            ErrorKind::Argument => Exception::Argument,
            ErrorKind::Overflow => Exception::Overflow,
            ErrorKind::Memory => Exception::Memory,
            ErrorKind::User => Exception::User,
            ErrorKind::System => Exception::System,
        }
    }
}

/// A run-time error: what was found, what was expected, what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError {
    /// Its class.
    pub kind: ErrorKind,
    /// Its text, without a position in the source.
    pub text: String,
    /// What it is about, where that is more than text.
    pub detail: Option<Box<Detail>>,
}

/// What an error is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// A position outside an array.
    Position {
        /// The name of the array.
        array: String,
        /// The position.
        index: Vec<i64>,
        /// The size of the array.
        dims: Vec<usize>,
    },
    /// An array or text that cannot be had.
    Memory {
        /// How much it needs; none if that is more than can be counted.
        bytes: Option<usize>,
        /// Its size; none for a text.
        dims: Vec<usize>,
    },
    /// So many dimensions.
    Dimensions(usize),
    /// The line of the program where it happened.
    Line(u32),
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for ValueError {}

impl ValueError {
    /// An error of the given class.
    pub fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        ValueError { kind, text: text.into(), detail: None }
    }

    /// The same error, with what it is about.
    #[must_use]
    pub fn about(mut self, detail: Detail) -> Self {
        self.detail = Some(Box::new(detail));
        self
    }

    /// A value of another type was expected.
    pub fn wrong_type(what: &str, expected: &str, found: &str) -> Self {
        Self::new(ErrorKind::Type, format!("{what}: expected {expected}, found {found}"))
    }

    /// An argument of a library function has another type than expected.
    pub fn wrong_argument(function: &str, position: usize, expected: &str, found: &str) -> Self {
        Self::new(
            ErrorKind::Type,
            format!("{function}: argument {} must be {expected}, found {found}", position + 1),
        )
    }

    /// An argument has an impossible value.
    pub fn argument(function: &str, text: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Argument, format!("{function}: {text}"))
    }

    /// A size below zero.
    pub fn negative_size(function: &str, found: i64) -> Self {
        Self::argument(function, format_args!("a size must not be negative, found {found}"))
    }

    /// A function got too few or too many arguments.
    pub fn argument_count(function: &str, expected: &str, found: usize) -> Self {
        let noun = if expected == "1" { "argument" } else { "arguments" };
        Self::new(ErrorKind::Argument, format!("{function}: expected {expected} {noun}, found {found}"))
    }

    /// Two arrays cannot be combined element by element.
    pub fn dimensions(a: &[usize], b: &[usize]) -> Self {
        Self::new(ErrorKind::Shape, format!("Dimensions do not match: {} and {}", dims_text(a), dims_text(b)))
    }

    /// Two matrices cannot be multiplied.
    pub fn product_dimensions(a: &[usize], b: &[usize]) -> Self {
        Self::new(
            ErrorKind::Shape,
            format!(
                "Matrix dimensions ({} and {}) do not match for multiplication!",
                dims_text(a),
                dims_text(b)
            ),
        )
    }

    /// Sizes that do not fit, in the words of the caller.
    pub fn shape(text: impl Into<String>) -> Self {
        Self::new(ErrorKind::Shape, text)
    }

    /// A position outside the array `name`.
    pub fn out_of_bounds(name: &str, index: &str, dims: &[usize]) -> Self {
        if let Some(field) = field_of_objects(name).filter(|_| index.trim_start().starts_with('-')) {
            return super::object::dereference(field);
        }
        let name = if name.is_empty() { "array" } else { name };
        let text = format!("index out of bounds: {name}[{index}], size {}", dims_text(dims));
        let error = Self::new(ErrorKind::Index, text);
        let position: Option<Vec<i64>> = index.split(',').map(|i| i.trim().parse().ok()).collect();
        match position {
            Some(index) => {
                error.about(Detail::Position { array: name.to_string(), index, dims: dims.to_vec() })
            }
            None => error,
        }
    }

    /// An array of these dimensions cannot be stored.
    pub fn too_large(dims: &[usize]) -> Self {
        Self::new(ErrorKind::Memory, format!("not enough memory for an array of size {}", dims_text(dims)))
            .about(Detail::Memory { bytes: None, dims: dims.to_vec() })
    }

    /// Allocating this many elements failed.
    pub fn out_of_memory(count: usize, bytes: Option<usize>) -> Self {
        Self::new(ErrorKind::Memory, format!("not enough memory for {count} elements"))
            .about(Detail::Memory { bytes, dims: vec![count] })
    }

    /// Allocating a text of this many bytes failed.
    pub fn no_text_memory(bytes: usize) -> Self {
        Self::new(ErrorKind::Memory, format!("not enough memory for a text of {bytes} bytes"))
            .about(Detail::Memory { bytes: Some(bytes), dims: Vec::new() })
    }

    /// More calls than this are nested.
    pub fn calls(limit: u32) -> Self {
        let text = format!("calls are nested more than {limit} deep; does a recursion never end?");
        Self::new(ErrorKind::System, text)
    }

    /// There is no memory for the variables of another call.
    pub fn no_stack(calls: u32) -> Self {
        let text =
            format!("not enough memory for calls that are nested {calls} deep; does a recursion never end?");
        Self::new(ErrorKind::System, text)
    }

    /// More than 16 dimensions.
    pub fn too_many_dimensions(count: usize) -> Self {
        Self::new(ErrorKind::Shape, format!("an array has at most 16 dimensions, found {count}"))
            .about(Detail::Dimensions(count))
    }

    /// Cells nested too deeply, or containing themselves.
    pub fn nesting() -> Self {
        Self::new(ErrorKind::Type, "cells are nested too deeply (does a cell contain itself?)")
    }

    /// No library function has this name.
    pub fn unknown_function(name: &str) -> Self {
        Self::new(ErrorKind::Unknown, format!("unknown function '{name}'"))
    }
}
