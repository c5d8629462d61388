//! Values known at run time: numbers, texts, arrays, cells, functions, objects; and everything that the language
//! does with them on the host. The interpreter computes with these functions alone; compiled programs call them for
//! library functions and for `??` values.

pub mod affinity;
pub mod array;
pub mod convert;
#[cfg(feature = "library")]
pub mod decompose;
#[cfg(feature = "library")]
pub mod elementwise;
pub mod error;
pub mod format;
pub mod function;
#[cfg(feature = "library")]
pub mod gemm;
#[cfg(feature = "library")]
pub mod index;
#[cfg(feature = "library")]
pub mod library;
#[cfg(feature = "library")]
mod lines;
mod mapped;
#[cfg(feature = "library")]
pub mod matmul;
#[cfg(feature = "library")]
mod min_max;
#[cfg(feature = "library")]
mod moments;
pub mod object;
#[cfg(feature = "library")]
pub mod offload;
#[cfg(feature = "library")]
pub(crate) mod order;
#[cfg(feature = "library")]
pub mod printf;
#[cfg(feature = "library")]
pub mod rearrange;
pub mod reduce;
mod rust;
pub mod sequence;
pub mod shape;
#[cfg(feature = "library")]
pub mod slice;
pub mod text;
pub mod workers;

pub use array::{
    ArrayBuf, ArrayData, ArrayElement, ArrayMut, ArrayObject, ArrayRef, DataMut, DataRef, Mask, SharedArray,
};
pub use error::{Detail, ErrorKind, Exception, ValueError};
pub use function::FunctionObject;
pub use object::{Object, Record, release};
pub use workers::{Caller, Workers};

use crate::element::{ElementType, Scalar};
use std::fmt;
use std::sync::Arc;

/// Cells nested deeper than this are refused: they may contain themselves.
pub const MAX_NESTING: usize = 64;

/// A value of any type. Cloning never copies elements.
#[derive(Clone, Default)]
pub enum Value {
    /// No value: the result of a function without results.
    #[default]
    Unit,
    /// A number.
    Scalar(Scalar),
    /// A string.
    Text(Arc<str>),
    /// An array or a cell.
    Array(Arc<dyn ArrayObject>),
    /// Several values at once: multiple results.
    Tuple(Arc<[Value]>),
    /// `nullptr`.
    Null,
    /// A type as a value, by its canonical spelling.
    TypeName(Arc<str>),
    /// A function, a lambda, a kernel.
    Function(Arc<dyn FunctionObject>),
    /// A value of an enum.
    Enum {
        /// The enum.
        type_name: Arc<str>,
        /// The name of the value.
        name: Arc<str>,
        /// Its number.
        number: i32,
    },
    /// An object of a class, or a dynamic object.
    Object(Arc<dyn Object>),
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Unit => f.write_str("Unit"),
            Value::Scalar(x) => write!(f, "{x:?}"),
            Value::Text(text) => write!(f, "{text:?}"),
            Value::Array(a) => write!(f, "Array({}, {})", shape::dims_text(&a.dims()), self.kind()),
            Value::Tuple(items) => write!(f, "Tuple({})", items.len()),
            Value::Null => f.write_str("Null"),
            Value::TypeName(name) => write!(f, "Type({name})"),
            Value::Function(function) => f.write_str(&function.describe()),
            Value::Enum { type_name, name, .. } => write!(f, "{type_name}.{name}"),
            Value::Object(object) => write!(f, "Object({})", object.type_name()),
        }
    }
}

impl From<ArrayBuf> for Value {
    fn from(array: ArrayBuf) -> Value {
        Value::Array(SharedArray::new(array))
    }
}

impl From<Scalar> for Value {
    fn from(x: Scalar) -> Value {
        Value::Scalar(x)
    }
}

impl Value {
    /// An `int`; numbers outside its range wrap.
    pub fn int(x: i64) -> Value {
        Value::Scalar(Scalar::I32(x as i32))
    }

    /// A cell vector.
    pub fn cell(items: Vec<Value>) -> Value {
        ArrayBuf { dims: vec![items.len()], data: ArrayData::Values(items) }.into()
    }

    /// The kind in words, for messages: `int`, `vec[scalar]`, `string`.
    pub fn kind(&self) -> String {
        match self {
            Value::Unit => "no value".into(),
            Value::Scalar(x) => x.element_type().name().into(),
            Value::Text(_) => "string".into(),
            Value::Array(a) => array_kind(a.dims().len(), a.element_type()),
            Value::Tuple(items) => format!("{} values", items.len()),
            Value::Null => "nullptr".into(),
            Value::TypeName(_) => "type".into(),
            Value::Function(_) => "function".into(),
            Value::Enum { type_name, .. } => type_name.to_string(),
            Value::Object(object) => object.type_name(),
        }
    }

    /// The type as the compiler writes it where `scalar` is of the type `working`.
    pub fn type_name(&self, working: ElementType) -> String {
        match self {
            Value::Scalar(x) => element_name(x.element_type(), working).into(),
            Value::Array(a) => array_kind_in(a.dims().len(), a.element_type(), working),
            other => other.kind(),
        }
    }

    /// The extents: none for what is not an array.
    pub fn dims(&self) -> Vec<usize> {
        match self {
            Value::Array(a) => a.dims(),
            _ => Vec::new(),
        }
    }

    /// The same value with a cell in place of each tuple: what a value is where its type is not known.
    #[must_use]
    pub fn with_cells(self) -> Value {
        match &self {
            Value::Tuple(items) => Value::cell(items.iter().cloned().map(Value::with_cells).collect()),
            _ => self,
        }
    }

    /// The number type of a number or a numeric array.
    pub fn element_type(&self) -> Option<ElementType> {
        match self {
            Value::Scalar(x) => Some(x.element_type()),
            Value::Array(a) => a.element_type(),
            Value::Enum { .. } => Some(ElementType::Int32),
            _ => None,
        }
    }

    /// A number; enums count as their number, other values not.
    pub fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Value::Scalar(x) => Some(*x),
            Value::Enum { number, .. } => Some(Scalar::I32(*number)),
            _ => None,
        }
    }

    /// A string.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value as a mask where it is an array of numbers; the arrays in cells become masks as well.
    #[must_use]
    pub fn into_mask(self) -> Value {
        match self {
            Value::Array(array) if array.element_type().is_some() => Value::Array(Mask::of(array)),
            other => match other.cell_items() {
                // Without memory for the cell the value stays what it is: a program that goes on finds that out itself.
                Ok(Some(items)) => {
                    let dims = other.as_array().map_or_else(|| vec![items.len()], |cell| cell.dims());
                    // In place: the items move within their own storage.
                    let items = items.into_iter().map(Value::into_mask).collect();
                    ArrayBuf { dims, data: ArrayData::Values(items) }.into()
                }
                Ok(None) | Err(_) => other,
            },
        }
    }

    /// The value as it is where its type says whether it is a mask.
    #[must_use]
    pub fn without_mask(self) -> Value {
        match self.as_array().and_then(ArrayObject::unmasked) {
            Some(array) => Value::Array(array),
            None => self,
        }
    }

    /// A number as an array of one element, for what has the type of an array: `a == b` is a number where shapes differ.
    pub fn kept(self, rank: usize) -> Result<Value, ValueError> {
        match self {
            Value::Scalar(x) => ArrayBuf::filled(vec![1; rank], x).map(Value::from),
            other => Ok(other),
        }
    }

    /// Whether it is an array that came from a comparison.
    pub fn is_mask(&self) -> bool {
        self.as_array().is_some_and(ArrayObject::is_mask)
    }

    /// An array or cell.
    pub fn as_array(&self) -> Option<&dyn ArrayObject> {
        match self {
            Value::Array(a) => Some(&**a),
            _ => None,
        }
    }

    /// The elements of a cell or of several values.
    pub fn cell_items(&self) -> Result<Option<Vec<Value>>, ValueError> {
        match self {
            Value::Tuple(items) => array::duplicate(items).map(Some),
            Value::Array(a) if a.element_type().is_none() => array::read(&**a, |view| match view.data {
                DataRef::Values(items) => array::duplicate(items).map(Some),
                _ => Ok(None),
            }),
            _ => Ok(None),
        }
    }

    /// One of the elements of a cell or of several values.
    pub fn cell_item(&self, k: usize) -> Option<Value> {
        match self {
            Value::Tuple(items) => items.get(k).cloned(),
            Value::Array(a) if a.element_type().is_none() => array::read(&**a, |view| view.data.value(k)),
            _ => None,
        }
    }

    /// Whether it is a cell (or a vector of strings, objects, ..).
    pub fn is_cell(&self) -> bool {
        matches!(self, Value::Array(a) if a.element_type().is_none()) || matches!(self, Value::Tuple(_))
    }

    /// A copy of the elements of an array.
    pub fn to_buf(&self) -> Option<Result<ArrayBuf, ValueError>> {
        self.as_array().map(|a| array::read(a, |view| view.to_buf()))
    }

    /// Whether a condition with this value holds: arrays need at least one element and no zero.
    pub fn is_true(&self) -> Result<bool, ValueError> {
        match self {
            Value::Scalar(x) => Ok(x.is_truthy()),
            Value::Enum { number, .. } => Ok(*number != 0),
            Value::Array(a) if a.element_type().is_some() => Ok(array::read(&**a, |view| {
                !view.data.is_empty()
                    && (0..view.data.len()).all(|i| view.data.scalar(i).is_some_and(Scalar::is_truthy))
            })),
            other => {
                Err(ValueError::wrong_type("condition", "a number or an array of numbers", &other.kind()))
            }
        }
    }

    /// `copy(x)`: arrays and cells are copied deeply, objects with their fields; other values are shared.
    pub fn copied(&self) -> Result<Value, ValueError> {
        copy_nested(self, 0)
    }

    /// Whether both are one array, one object or one function.
    pub fn is_identical(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Array(a), Value::Array(b)) => std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
            (Value::Object(a), Value::Object(b)) => std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
            (Value::Function(a), Value::Function(b)) => std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b)),
            _ => false,
        }
    }
}

/// `vec[int]`, `cube{4}[??]`: the name of an array type.
pub fn array_kind(rank: usize, element: Option<ElementType>) -> String {
    array_kind_in(rank, element, ElementType::Single)
}

/// The name of a number type where `scalar` is of the type `working`.
fn element_name(element: ElementType, working: ElementType) -> &'static str {
    match element {
        ElementType::Double if working == ElementType::Double => "scalar",
        ElementType::ComplexDouble if working == ElementType::Double => "cscalar",
        ElementType::Single if working == ElementType::Double => "scalar'single",
        ElementType::ComplexSingle if working == ElementType::Double => "cscalar'single",
        element => element.name(),
    }
}

fn array_kind_in(rank: usize, element: Option<ElementType>, working: ElementType) -> String {
    let family = match rank {
        0 | 1 => "vec".to_string(),
        2 => "mat".to_string(),
        3 => "cube".to_string(),
        n => format!("cube{{{n}}}"),
    };
    match element.map(|element| element_name(element, working)) {
        Some("scalar") => family,
        Some("int") => format!("i{family}"),
        Some("cscalar") => format!("c{family}"),
        Some(other) => format!("{family}[{other}]"),
        None => format!("{family}[??]"),
    }
}

fn copy_nested(value: &Value, depth: usize) -> Result<Value, ValueError> {
    if depth > MAX_NESTING {
        return Err(ValueError::nesting());
    }
    match value {
        Value::Array(a) => {
            let mut buf = array::read(&**a, |view| view.to_buf())?;
            if let ArrayData::Values(items) = &mut buf.data {
                for item in items {
                    *item = copy_nested(item, depth + 1)?;
                }
            }
            Ok(if a.is_mask() { Value::from(buf).into_mask() } else { buf.into() })
        }
        Value::Tuple(items) => {
            Ok(Value::Tuple(items.iter().map(|item| copy_nested(item, depth + 1)).collect::<Result<_, _>>()?))
        }
        Value::Object(object) => Ok(Value::Object(object.duplicate()?)),
        Value::Unit | Value::Scalar(_) | Value::Text(_) | Value::Null => Ok(value.clone()),
        Value::TypeName(_) | Value::Function(_) | Value::Enum { .. } => Ok(value.clone()),
    }
}

/// What persists between calls of library functions.
#[derive(Clone, Debug)]
pub struct HostState {
    /// The seed of the random generator.
    pub seed: u64,
    /// How many random numbers were drawn since it was seeded.
    pub counter: u64,
    /// When `tic` was called, in milliseconds.
    pub timer: Option<f64>,
    /// The milliseconds between all `tic` and their `toc`, for who measures what the program marks.
    pub timed: Option<f64>,
    /// The precision of `scalar`.
    pub working: ElementType,
}

impl HostState {
    /// The state at the start of a program.
    pub fn new(seed: u64, working: ElementType) -> HostState {
        HostState { seed, counter: 0, timer: None, timed: None, working }
    }
}

/// What library functions need from outside.
pub trait Host {
    /// Writes text to the console.
    fn print(&mut self, text: &str) -> Result<(), ValueError>;
    /// What persists between calls.
    fn state(&mut self) -> &mut HostState;
    /// A clock in milliseconds.
    fn now_ms(&self) -> f64;
    /// Waits until all devices are done.
    fn synchronize(&mut self) {}
    /// Writes text to an open file; `handle` is the first argument of `fprintf`.
    fn write_file(&mut self, _handle: &Value, _text: &str) -> Result<(), ValueError> {
        Err(ValueError::new(ErrorKind::System, "fprintf: this host has no files"))
    }
    /// Threads for so many operations.
    fn workers(&self, _operations: usize) -> &dyn Workers {
        &Caller
    }
    /// A new array, all elements of which are going to be written.
    fn uninit(&self, ty: ElementType, dims: Vec<usize>) -> Result<Value, ValueError> {
        Ok(ArrayBuf::zeros(dims, ty)?.into())
    }
    /// Does work on a device, whose result stays there; none if that is left to this library.
    #[cfg(feature = "library")]
    fn on_device(&self, _work: &offload::Work<'_>) -> Result<Option<Value>, ValueError> {
        Ok(None)
    }
    /// Functions that live outside this library; none if `name` is unknown there.
    fn external(
        &mut self,
        _name: &str,
        _args: &[Value],
        _results: usize,
    ) -> Option<Result<Vec<Value>, ValueError>> {
        None
    }
}

/// A host that keeps the printed text: for constant folding and tests.
#[derive(Clone, Debug)]
pub struct BufferHost {
    /// The text printed so far.
    pub output: String,
    state: HostState,
}

impl BufferHost {
    /// A host with seed 0 and the given working precision.
    pub fn new(working: ElementType) -> BufferHost {
        BufferHost { output: String::new(), state: HostState::new(0, working) }
    }
}

impl Default for BufferHost {
    fn default() -> Self {
        BufferHost::new(ElementType::Single)
    }
}

impl Host for BufferHost {
    fn print(&mut self, text: &str) -> Result<(), ValueError> {
        self.output.push_str(text);
        Ok(())
    }

    fn state(&mut self) -> &mut HostState {
        &mut self.state
    }

    fn now_ms(&self) -> f64 {
        0.0
    }
}
