//! The input and output of typing rules, and rules shared by many builtins.

use super::Builtin;
use crate::types::shape::{self, Sizes};
use crate::types::{ArrayType, ElementType, Overflow, Rank, Type};
use quasar_devicelib::element::{Scalar, promote};
use quasar_devicelib::ops::combines_masks;
use quasar_devicelib::ops::{self, Domain, ResultRule};

/// The statically known value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Known {
    /// A number.
    Scalar(Scalar),
    /// A string.
    Text(String),
    /// A vector of integers, of which each may be unknown.
    Integers(Vec<Option<i64>>),
}

/// One argument.
#[derive(Clone, Debug)]
pub struct Operand {
    /// Its type; never `Error`.
    pub ty: Type,
    /// Its value, as far as it is known.
    pub known: Option<Known>,
}

/// A call to type.
#[derive(Debug)]
pub struct CallTypes<'a> {
    /// The arguments.
    pub args: &'a [Operand],
    /// The number of results that the context uses.
    pub results: usize,
    /// The precision of `scalar`.
    pub working: ElementType,
}

/// The result of a typing rule.
#[derive(Clone, Debug)]
pub struct Typing {
    /// The types of the results.
    pub results: Vec<Type>,
    /// The type that each argument is converted to.
    pub args: Vec<Type>,
    /// The value of the first result, as far as it follows from the types.
    pub known: Option<Known>,
}

impl Typing {
    /// One result; no conversion of arguments.
    pub fn one(call: &CallTypes<'_>, result: Type) -> Result<Typing, TypingError> {
        Typing::of(call.types(), vec![result])
    }

    /// Results and argument types.
    pub fn of(args: Vec<Type>, results: Vec<Type>) -> Result<Typing, TypingError> {
        Ok(Typing { results, args, known: None })
    }
}

/// Why a call is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypingError {
    /// A type error of the argument at this index; the text says what it should be.
    Argument(usize, String),
    /// The whole call is wrong.
    Call(String),
    /// Legal, but not implemented yet.
    NotSupported(String),
}

impl CallTypes<'_> {
    /// The types of the arguments.
    pub fn types(&self) -> Vec<Type> {
        self.args.iter().map(|arg| arg.ty.clone()).collect()
    }

    /// The type of an argument; `Unit` beyond the last.
    pub fn ty(&self, position: usize) -> &Type {
        self.args.get(position).map_or(&Type::Unit, |arg| &arg.ty)
    }

    /// Whether any argument is `??`.
    pub fn dynamic(&self) -> bool {
        self.args.iter().any(|arg| matches!(arg.ty, Type::Dynamic))
    }

    /// The value of an integer argument.
    pub fn integer(&self, position: usize) -> Option<i64> {
        match self.args.get(position)?.known.as_ref()? {
            Known::Scalar(value) => Some(value.as_i64()),
            Known::Text(_) | Known::Integers(_) => None,
        }
    }

    /// The value of a number argument.
    pub fn number(&self, position: usize) -> Option<f64> {
        match self.args.get(position)?.known.as_ref()? {
            Known::Scalar(value) => Some(value.as_f64()),
            Known::Text(_) | Known::Integers(_) => None,
        }
    }

    /// The value of a vector argument of known length, as far as it is known.
    pub fn integers(&self, position: usize) -> Option<Vec<Option<i64>>> {
        let arg = self.args.get(position)?;
        if let Some(Known::Integers(values)) = &arg.known {
            return Some(values.clone());
        }
        let length = arg.ty.as_array()?.vector_length()?;
        (u64::from(length) <= ArrayType::MAX_IN_REGISTERS).then(|| vec![None; length as usize])
    }

    /// Checks that an argument is a number.
    pub fn expect_number(&self, position: usize, what: &str) -> Result<(), TypingError> {
        match self.ty(position) {
            ty if ty.is_number() || *ty == Type::Dynamic => Ok(()),
            _ => Err(TypingError::Argument(position, format!("{what} must be a number"))),
        }
    }

    /// The array type of an argument that must be an array of numbers; a number counts as a vector of length 1.
    pub fn expect_numbers(&self, position: usize) -> Result<ArrayType, TypingError> {
        match self.ty(position) {
            Type::Array(array) if self.ty(position).element_type().is_some() => Ok(array.clone()),
            ty if ty.is_number() => Ok(ArrayType::new(ty.clone(), &[Some(1)])),
            ty => Err(TypingError::Argument(position, format!("expected an array of numbers, found '{ty}'"))),
        }
    }

    /// Checks that an argument is a string.
    pub fn expect_text(&self, position: usize) -> Result<(), TypingError> {
        match self.ty(position) {
            Type::Text | Type::Dynamic => Ok(()),
            ty => Err(TypingError::Argument(position, format!("expected a string, found '{ty}'"))),
        }
    }
}

/// The common element type of operands: promotion, then conversion into the operation's domain.
pub fn operand_element(
    elements: &[ElementType],
    domain: Domain,
    working: ElementType,
) -> Option<ElementType> {
    let (first, rest) = elements.split_first()?;
    let keeps =
        rest.iter().all(|element| element == first) && matches!(domain, Domain::Integer | Domain::Real);
    let common =
        if keeps { *first } else { rest.iter().fold(promote(*first, *first), |a, b| promote(a, *b)) };
    match domain {
        Domain::Any => Some(common),
        Domain::Real => (!common.is_complex()).then_some(common),
        Domain::Integer => common.is_integer().then_some(common),
        Domain::Float if common.is_complex() => None,
        Domain::Float | Domain::FloatOrComplex => Some(if common.is_integer() { working } else { common }),
    }
}

/// Domain and result of a scalar row; functions without a row count as functions of floats.
pub fn row_rule(name: &str) -> (Domain, ResultRule) {
    ops::find(name).map_or((Domain::FloatOrComplex, ResultRule::Same), |row| (row.domain, row.result))
}

/// The rule of all elementwise functions: scalars are broadcast and element types promoted.
pub fn elementwise(builtin: &Builtin, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let name = match builtin.kind {
        super::Kind::Elementwise(name) => name,
        _ => builtin.name,
    };
    elementwise_row(builtin.name, name, call)
}

/// As [`elementwise`], for an operator or function `shown`, executed by the row `name`.
pub fn elementwise_row(shown: &str, name: &str, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    let (domain, result) = row_rule(name);
    if call.args.iter().any(|arg| is_cell_like(&arg.ty)) {
        return cells(shown, name, call);
    }
    let mut elements = Vec::new();
    for (position, arg) in call.args.iter().enumerate() {
        match arg.ty.element_type() {
            Some(element) => elements.push(element),
            None => {
                return Err(TypingError::Argument(
                    position,
                    format!("'{shown}' needs numbers or arrays of numbers, found '{}'", arg.ty),
                ));
            }
        }
    }
    let Some(element) = operand_element(&elements, domain, call.working) else {
        let found = call.args.iter().map(|arg| format!("'{}'", arg.ty)).collect::<Vec<_>>().join(", ");
        let wanted = match domain {
            Domain::Integer => "integers",
            _ => "real numbers",
        };
        return Err(TypingError::Call(format!("'{shown}' is defined for {wanted} only, found {found}")));
    };
    let operands = columns_as_vectors(call.args);
    let shape = combined_shape(operands.iter())?;
    let args = operands.iter().map(|ty| ty.with_element(element)).collect();
    let value = result.apply(element);
    let masks = combines_masks(name) && call.args.iter().all(|arg| arg.ty.is_mask());
    let item = match result {
        ResultRule::Truth => Type::Scalar(value, Overflow::Truth),
        _ if masks => Type::Scalar(value, Overflow::Truth),
        _ => Type::scalar(value),
    };
    let result = match shape {
        None => Type::scalar(value),
        Some((Rank::Any, _)) => Type::Array(ArrayType::any_rank(item)),
        Some((Rank::Known(_), sizes)) => Type::array(item, &sizes),
    };
    Typing::of(args, vec![result])
}

/// The types of operands, where columns beside vectors are vectors: `A[:,1] + v`.
pub fn columns_as_vectors(args: &[Operand]) -> Vec<Type> {
    let beside = args.iter().any(|arg| arg.ty.as_array().is_some_and(|array| array.known_rank() == Some(1)));
    let vector = |ty: &Type| match ty {
        Type::Array(array) if beside && is_column(array) => {
            Type::array((*array.element).clone(), &array.sizes[..1])
        }
        _ => ty.clone(),
    };
    args.iter().map(|arg| vector(&arg.ty)).collect()
}

/// Whether an array is a column: a matrix that is known to be one element wide.
pub fn is_column(array: &ArrayType) -> bool {
    matches!(array.sizes.as_slice(), [height, Some(1)] if *height != Some(1)) && array.known_rank() == Some(2)
}

/// The common shape of operands; `None` if all are numbers.
pub fn combined_shape<'t>(
    types: impl Iterator<Item = &'t Type>,
) -> Result<Option<(Rank, Sizes)>, TypingError> {
    let mut shape: Option<ArrayType> = None;
    for array in types.filter_map(Type::as_array) {
        shape = Some(match shape {
            None => array.clone(),
            Some(so_far) => {
                let Some((rank, sizes)) = shape::combine(&so_far, array) else {
                    return Err(TypingError::Call(format!(
                        "Dimensions do not match: {} and {}",
                        plain(&so_far.sizes),
                        plain(&array.sizes)
                    )));
                };
                ArrayType { element: so_far.element.clone(), rank, sizes }
            }
        });
    }
    Ok(shape.map(|array| (array.rank, array.sizes)))
}

fn plain(sizes: &[Option<u32>]) -> String {
    match sizes {
        [one] => one.map_or(":".to_owned(), |n| n.to_string()),
        several => shape::spelled(several),
    }
}

/// Whether operators apply to values of the type recursively at run time.
pub fn is_cell_like(ty: &Type) -> bool {
    match ty {
        Type::Dynamic | Type::Tuple(_) => true,
        Type::Array(array) => !array.element.is_number() && !matches!(*array.element, Type::Text),
        _ => false,
    }
}

/// Whether a type may be a cell of numbers, of numeric arrays, or of such cells.
pub fn is_number_cell(ty: &Type) -> bool {
    let fits = |ty: &Type| *ty == Type::Dynamic || ty.element_type().is_some() || is_number_cell(ty);
    match ty {
        Type::Tuple(parts) => parts.iter().all(fits),
        Type::Array(array) => !array.element.is_number() && fits(&array.element),
        _ => false,
    }
}

/// Elementwise functions apply to the elements of cells.
fn cells(shown: &str, name: &str, call: &CallTypes<'_>) -> Result<Typing, TypingError> {
    if call.dynamic() {
        return Typing::one(call, Type::Dynamic);
    }
    let mut cell: Option<ArrayType> = None;
    for arg in call.args {
        match &arg.ty {
            Type::Array(array) if is_cell_like(&arg.ty) => cell = Some(array.clone()),
            Type::Tuple(_) => return Typing::one(call, Type::array(Type::Dynamic, &[None])),
            _ => {}
        }
    }
    let Some(cell) = cell else { return Typing::one(call, Type::Dynamic) };
    let inner: Vec<Operand> = call
        .args
        .iter()
        .map(|arg| match &arg.ty {
            Type::Array(array) if is_cell_like(&arg.ty) => {
                Operand { ty: (*array.element).clone(), known: None }
            }
            _ => arg.clone(),
        })
        .collect();
    let inner = CallTypes { args: &inner, results: 1, working: call.working };
    let typed = elementwise_row(shown, name, &inner)?;
    let element = typed.results.into_iter().next().unwrap_or(Type::Dynamic);
    let element = Box::new(element);
    Typing::one(call, Type::Array(ArrayType { element, ..cell }))
}
