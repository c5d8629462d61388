//! Everything that generated code may name, and nothing else.
//!
//! Not for use by hand: it changes with the compiler.

mod conversions;
#[allow(unsafe_code, reason = "pointers of C")]
pub mod foreign;
mod functions;
mod items;
mod iterations;
mod launches;
pub mod measured;
mod objects;

pub use launches::{
    attempt, cache, device_in_use, finish, is_exception, nested, offload, offload_share, offload_to_all,
    on_device, on_more_stack, on_processor, place, place_launches, place_launches_in_turn,
    place_launches_on_gpu, row_cost, run, settle, settled, stack_is_low, strips_pay, tallied, watched,
};

pub use items::{Items, items};
pub use iterations::{Contention, share_iterations};

pub use conversions::{array_of_items, convert, convert_items, ranked, ranked_items, sized};
pub use functions::{function, function_value, invoke};
pub use objects::{
    Class, Field, FieldKind, Fields, Reference, copied, emptied, exchange, field_of, is_null, no_field, null,
    object, present, reference, same, separate, set_field,
};

pub use crate::array::{Array, CellsGuard, Hold, ReadGuard, Wanted, WriteGuard, hold, hold_aliased};
pub use crate::cluster::{Division, Share, launch_share, share};
pub use crate::error::{Error, Result};
pub use crate::kernel::nan_check::{Watch, watch};
pub use crate::kernel::offload::{
    Arg, BlockVersion, DeviceKernel, Form, Found, Part, RowRange, Site, Style, Sum, Symbol, Target,
    largest_block, usual_block,
};
pub use crate::kernel::{Plan, launch};
pub use crate::library::command_line::arguments;
pub use crate::profile::{Source, count_operations as operations};
pub use crate::store::{Strip, Strips, all_strips, launch_strip, merge_strips, strips};
pub use half::f16 as Half;
pub use num_complex::Complex;
pub use quasar_devicelib::device_text::Parameter;
pub use quasar_devicelib::element::{ElementType, Overflow, Scalar};
pub use quasar_devicelib::value::index::{Access, Boundary, Index};
pub use quasar_devicelib::value::{Exception, Value, ValueError};

use crate::error::Place;
use crate::kernel::deferred_errors;
use crate::library::{call as call_library, slice_on_device, slice_on_host, store_on_device};
use crate::value::adopt;
use quasar_devicelib::element::Element;
use quasar_devicelib::kernel::Mode;
use quasar_devicelib::ops::ConvertError;
use quasar_devicelib::value::{
    ArrayBuf, ArrayData, ArrayElement, array, convert as conversion, elementwise, format, index,
    sequence as sequences, shape,
};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What kernels and scalar code call.
pub mod lib {
    pub use quasar_devicelib::isa::{Baseline, Isa};
    pub use quasar_devicelib::kernel::*;
    pub use quasar_devicelib::{ops, small};
}

/// A string.
pub type Text = Arc<str>;
/// A function and its file.
pub type Here = (&'static str, &'static str);

/// A string from Rust text.
pub fn text(text: &str) -> Text {
    Arc::from(text)
}

/// Adds a place to an error.
pub trait At<T> {
    /// The result with its error at a line of a function.
    fn at(self, here: Here, line: u32) -> Result<T>;
}

impl<T> At<T> for Result<T> {
    #[inline(always)]
    fn at(self, here: Here, line: u32) -> Result<T> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(placed(error, here, line)),
        }
    }
}

impl<T> At<T> for Result<T, ValueError> {
    fn at(self, here: Here, line: u32) -> Result<T> {
        self.map_err(|error| placed(Error::from(error), here, line))
    }
}

impl<T> At<T> for Result<T, ConvertError> {
    #[inline(always)]
    fn at(self, here: Here, line: u32) -> Result<T> {
        match self {
            Ok(value) => Ok(value),
            Err(error) => Err(placed(Error::integer_overflow(error.to_string()), here, line)),
        }
    }
}

#[cold]
#[inline(never)]
fn placed(error: Error, here: Here, line: u32) -> Error {
    error.at(Place::new(here.0, here.1, line))
}

/// A module-level variable.
#[derive(Debug)]
pub struct Global<T> {
    name: &'static str,
    value: Mutex<Option<T>>,
}

impl<T: Clone> Global<T> {
    /// One that has no value yet.
    pub const fn new(name: &'static str) -> Self {
        Global { name, value: Mutex::new(None) }
    }

    /// Its value.
    pub fn get(&self) -> Result<T> {
        let value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        value.clone().ok_or_else(|| Error::argument(format!("the variable '{}' has no value yet", self.name)))
    }

    /// Gives it another value, when no launch before has failed.
    pub fn set(&self, value: T) -> Result<()> {
        deferred_errors::settle()?;
        let old = self.value.lock().unwrap_or_else(PoisonError::into_inner).replace(value);
        drop(old);
        Ok(())
    }
}

/// Something that is done once.
#[derive(Debug, Default)]
pub struct Once(OnceLock<Result<()>>);

impl Once {
    /// Not done yet.
    pub const fn new() -> Once {
        Once(OnceLock::new())
    }

    /// Does it unless it was done; its error comes back each time.
    pub fn run(&self, f: impl FnOnce() -> Result<()>) -> Result<()> {
        self.0.get_or_init(|| deferred_errors::scope(f)).clone()
    }
}

// -------------------------------------------------------------------------------------------- dynamic values

/// Values of generated code: numbers, strings, arrays, several of them, and dynamic ones.
pub trait Dynamic: Sized {
    /// As a dynamic value; arrays name the same elements.
    fn to_value(&self) -> Value;
    /// From a dynamic value.
    fn from_value(value: Value) -> Result<Self>;
    /// What a variable holds before it is set.
    fn blank() -> Self;
}

/// As a dynamic value.
pub fn value<T: Dynamic>(x: &T) -> Value {
    x.to_value()
}

/// A dynamic value as one of a type.
pub fn typed<T: Dynamic>(value: Value) -> Result<T> {
    T::from_value(value)
}

/// What `==` gives for arrays, where that has the type of an array: the number for different shapes becomes one element.
pub fn kept(value: Value, rank: usize) -> Result<Value> {
    Ok(value.kept(rank)?)
}

/// What a variable holds before it is set.
pub fn blank<T: Dynamic>() -> T {
    T::blank()
}

macro_rules! numbers {
    ($($rust:ty)*) => {
        $(impl Dynamic for $rust {
            fn to_value(&self) -> Value {
                Value::Scalar(self.to_scalar())
            }

            fn from_value(value: Value) -> Result<Self> {
                let element = <$rust as Element>::TYPE;
                let converted = value
                    .as_scalar()
                    .and_then(|x| conversion::convert_scalar(x, element, Overflow::Wrap).ok())
                    .and_then(<$rust>::from_scalar);
                converted.ok_or_else(|| mismatch(element.name(), &value))
            }

            fn blank() -> Self {
                Self::default()
            }
        })*
    };
}
numbers!(i8 i16 i32 i64 u8 u16 u32 u64 Half f32 f64 Complex<f32> Complex<f64>);

#[cold]
fn mismatch(expected: &str, found: &Value) -> Error {
    Error::wrong_type(format!("Type check failed: '{}' is not '{expected}'", found.kind()))
}

impl<T: ArrayElement> Dynamic for Array<T> {
    fn to_value(&self) -> Value {
        Array::to_value(self)
    }

    fn from_value(value: Value) -> Result<Self> {
        match value.element_type() {
            Some(found) if found != T::TYPE && value.as_array().is_some() => {
                deferred_errors::settle()?;
                Array::from_value(conversion::convert(&value, T::TYPE, Overflow::Wrap)?)
            }
            _ => Array::from_value(value),
        }
    }

    fn blank() -> Self {
        #[allow(clippy::expect_used, reason = "an empty array needs no memory")]
        Array::from_vec(&[0], Vec::new()).expect("an empty array")
    }
}

impl Dynamic for Text {
    fn to_value(&self) -> Value {
        Value::Text(self.clone())
    }

    fn from_value(value: Value) -> Result<Self> {
        match value {
            Value::Text(text) => Ok(text),
            other => Err(mismatch("string", &other)),
        }
    }

    fn blank() -> Self {
        Arc::from("")
    }
}

impl Dynamic for Value {
    fn to_value(&self) -> Value {
        self.clone()
    }

    fn from_value(value: Value) -> Result<Self> {
        Ok(value)
    }

    fn blank() -> Self {
        Value::Unit
    }
}

macro_rules! tuples {
    ($(($($name:ident $k:tt),*);)*) => {
        $(impl<$($name: Dynamic),*> Dynamic for ($($name,)*) {
            fn to_value(&self) -> Value {
                Value::Tuple(Arc::from(vec![$(self.$k.to_value()),*]))
            }

            #[allow(non_snake_case, reason = "names of types serve as names of values")]
            fn from_value(value: Value) -> Result<Self> {
                let items = value.cell_items()?.unwrap_or_default();
                match <[Value; [$($k),*].len()]>::try_from(items) {
                    Ok([$($name),*]) => Ok(($($name::from_value($name)?,)*)),
                    Err(_) => Err(mismatch("tuple", &value)),
                }
            }

            fn blank() -> Self {
                ($($name::blank(),)*)
            }
        })*
    };
}
tuples! {
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15);
}

impl Dynamic for () {
    fn to_value(&self) -> Value {
        Value::Unit
    }

    fn from_value(_: Value) -> Result<Self> {
        Ok(())
    }

    fn blank() -> Self {}
}

/// An elementwise row on dynamic values.
pub fn apply(row: &str, args: &[Value], working: ElementType) -> Result<Value> {
    deferred_errors::settle()?;
    Ok(adopt(elementwise::apply_named(row, args, working)?))
}

/// A library function with one result.
pub fn call(name: &str, args: &[Value], working: ElementType) -> Result<Value> {
    let mut results = call_all(name, args, 1, working)?.into_iter();
    Ok(results.next().unwrap_or_default())
}

/// A library function with the results that are used.
pub fn call_all(name: &str, args: &[Value], results: usize, working: ElementType) -> Result<Vec<Value>> {
    deferred_errors::settle()?;
    if matches!(name, "tic" | "toc") {
        crate::context::synchronize()?;
    }
    call_library(name, args, results, working)
}

/// The next of several results.
pub fn next(results: &mut std::vec::IntoIter<Value>) -> Result<Value> {
    results.next().ok_or_else(|| Error::wrong_type("the function gives fewer results than are used"))
}

/// A component of a tuple or cell.
pub fn component(of: &Value, k: usize) -> Result<Value> {
    if !of.is_cell() {
        return Err(mismatch("tuple", of));
    }
    of.cell_item(k).ok_or_else(|| Error::wrong_type(format!("there is no component {k}")))
}

/// `size(x, axis)` of a dynamic value.
pub fn extent(x: &Value, axis: usize) -> Value {
    Value::int(x.dims().get(axis).copied().unwrap_or(1) as i64)
}

/// `numel(x)` of a dynamic value.
pub fn count(x: &Value) -> Value {
    Value::int(x.dims().iter().product::<usize>() as i64)
}

/// A value of an enum with its name, for printing.
pub fn member(value: Value, type_name: &str, members: &[(&str, i32)]) -> Value {
    let number = value.as_scalar().map_or(0, |x| x.as_i64() as i32);
    match members.iter().find(|(_, n)| *n == number) {
        Some((name, _)) => Value::Enum { type_name: type_name.into(), name: (*name).into(), number },
        None => Value::int(i64::from(number)),
    }
}

/// A number of another type.
pub fn scalar(value: Value, to: ElementType, overflow: Overflow) -> Result<Value> {
    match value.as_scalar() {
        Some(x) => Ok(Value::Scalar(conversion::convert_scalar(x, to, overflow)?)),
        None => Err(objects::unlike(to.name(), &value.kind())),
    }
}

/// An array from equal rows: numbers make a vector, vectors a matrix.
pub fn stack(element: ElementType, items: Vec<Value>) -> Result<Value> {
    deferred_errors::settle()?;
    if let Some(dims) = equal_rows(element, &items) {
        let rows = call("vertcat", &items, element)?;
        let Value::Array(array) = &rows else { return Ok(rows) };
        return Ok(Value::Array(array.clone().reshaped(dims)?));
    }
    let mut numbers = Vec::with_capacity(items.len());
    let mut rows: Option<Vec<usize>> = None;
    for value in &items {
        if let Some(x) = value.as_scalar().filter(|_| rows.is_none()) {
            numbers.push(conversion::convert_scalar(x, element, Overflow::Wrap)?);
            continue;
        }
        let Value::Array(a) = value else { return Err(mismatch("number or array", value)) };
        let dims = a.dims();
        match &rows {
            None if numbers.is_empty() => rows = Some(dims),
            Some(first) if shape::same(first, &dims) => {}
            first => return Err(Error::dimensions(first.as_deref().unwrap_or(&[]), &dims)),
        }
        array::read(&**a, |view| {
            let count = view.data.len();
            numbers.try_reserve(count).map_err(|_| ValueError::out_of_memory(count, None))?;
            for x in (0..count).filter_map(|k| view.data.scalar(k)) {
                numbers.push(conversion::convert_scalar(x, element, Overflow::Wrap)?);
            }
            Ok::<_, ValueError>(())
        })?;
    }
    let dims = match rows {
        None => vec![items.len()],
        Some(rows) => std::iter::once(items.len()).chain(rows).collect(),
    };
    Ok(adopt(ArrayBuf::new(dims, ArrayData::from_scalars(element, &numbers)?)?.into()))
}

/// The extents of a stack of arrays that have elements of a type, and all one shape.
fn equal_rows(element: ElementType, items: &[Value]) -> Option<Vec<usize>> {
    let first = items.first()?.as_array()?.dims();
    let fits = |value: &Value| {
        value.as_array().is_some_and(|array| array.dims() == first) && value.element_type() == Some(element)
    };
    let elements = first.len() < shape::MAX_DIMS && first.iter().all(|&n| n > 0);
    (elements && items.iter().all(fits)).then(|| std::iter::once(items.len()).chain(first.clone()).collect())
}

/// `from..step..to` as an array.
pub fn sequence(from: &Value, step: Option<&Value>, to: &Value) -> Result<Value> {
    Ok(adopt(sequences::from_values(from, step, to)?))
}

/// `array[..]` with any indices.
pub fn load(array: &Value, indices: &[Index], access: Access<'_>) -> Result<Value> {
    deferred_errors::settle()?;
    if let Some(slice) = slice_on_device(array, indices, access)? {
        return Ok(slice);
    }
    match slice_on_host(array, indices, access)? {
        Some(slice) => Ok(slice),
        None => Ok(adopt(index::load(array, indices, access)?)),
    }
}

/// `array[..] = value` with any indices.
pub fn store(array: &Value, indices: &[Index], value: &Value, access: Access<'_>) -> Result<()> {
    deferred_errors::settle()?;
    match store_on_device(array, indices, value, access)? {
        true => Ok(()),
        false => Ok(index::store(array, indices, value, access)?),
    }
}

/// `array[..] op= value`; gives the new value.
pub fn update(
    array: &Value,
    indices: &[Index],
    row: &str,
    value: &Value,
    access: Access<'_>,
    working: ElementType,
) -> Result<Value> {
    deferred_errors::settle()?;
    let old = index::load(array, indices, access)?;
    let element = array.element_type();
    let mut new = elementwise::apply_named(row, &[old, value.clone()], working)?;
    if let Some(element) = element
        && new.element_type() != Some(element)
    {
        new = match new.as_scalar() {
            Some(x) => Value::Scalar(conversion::convert_scalar(x, element, access.overflow)?),
            None => conversion::convert(&new, element, access.overflow)?,
        };
    }
    index::store(array, indices, &new, access)?;
    Ok(adopt(new))
}

/// `(array[..] <- (value, expected))`; gives the old value.
pub fn exchange_element(
    array: &Value,
    indices: &[Index],
    value: &Value,
    expected: Option<&Value>,
    access: Access<'_>,
) -> Result<Value> {
    deferred_errors::settle()?;
    let old = index::load(array, indices, access)?;
    if expected.is_none_or(|expected| elementwise::equal(&old, expected)) {
        index::store(array, indices, value, access)?;
    }
    Ok(old)
}

/// An index that is a sequence.
pub fn index_range(from: &Value, step: &Value, to: &Value) -> Result<Index> {
    let number = |x: &Value| x.as_scalar().map(Scalar::as_i64).ok_or_else(|| mismatch("int", x));
    let (from, step, to) = (number(from)?, number(step)?, number(to)?);
    Ok(Index::Range { from, step, count: sequences::count_integers(from, step, to)? })
}

/// An index that is a vector of positions.
pub fn index_list(value: &Value) -> Result<Index> {
    deferred_errors::settle()?;
    match Index::from_value(value)? {
        Index::At(k) => Ok(Index::List(vec![k])),
        other => Ok(other),
    }
}

/// An index that is one position.
pub fn index_position(value: &Value) -> Result<Index> {
    deferred_errors::settle()?;
    match Index::from_value(value)? {
        Index::List(position) => Ok(Index::Position(position)),
        Index::At(k) => Ok(Index::Position(vec![k])),
        other => Ok(other),
    }
}

// -------------------------------------------------------------------------------------------- typed arrays

fn offset<M: Mode, const N: usize>(dims: &[usize], index: [i32; N]) -> Option<usize> {
    let mut offset = 0_usize;
    for (k, i) in index.into_iter().enumerate() {
        let extent = dims.get(k).copied().unwrap_or(1);
        let i = M::map(i, i32::try_from(extent).unwrap_or(i32::MAX));
        offset = offset * extent + usize::try_from(i).ok()?;
    }
    Some(offset)
}

#[cold]
fn outside<const N: usize>(dims: &[usize], index: [i32; N], site: (&'static str, u32)) -> Error {
    Error::out_of_bounds(site.0, &index.map(i64::from), dims)
}

/// An element; zero where the mode maps the index to nothing.
#[inline]
pub fn element<M: Mode, T: Element, const N: usize>(x: &Array<T>, index: [i32; N]) -> Result<T> {
    match offset::<M, N>(x.dims(), index) {
        Some(k) => Ok(x.element(k)?.unwrap_or_default()),
        None => Ok(T::default()),
    }
}

/// An element; an error out of range.
#[inline]
pub fn element_checked<T: Element, const N: usize>(
    x: &Array<T>,
    index: [i32; N],
    site: (&'static str, u32),
) -> Result<T> {
    let found = match offset::<quasar_devicelib::kernel::Checked, N>(x.dims(), index) {
        Some(k) => x.element(k)?,
        None => None,
    };
    found.ok_or_else(|| outside(x.dims(), index, site))
}

/// Writes an element; nothing out of range.
#[inline]
pub fn put<T: Element, const N: usize>(x: &Array<T>, index: [i32; N], value: T) -> Result<()> {
    let place = offset::<quasar_devicelib::kernel::Safe, N>(x.dims(), index);
    if let Some(k) = place {
        x.set_element(k, value)?;
    }
    Ok(())
}

/// Writes an element; an error out of range.
#[inline]
pub fn put_checked<T: Element, const N: usize>(
    x: &Array<T>,
    index: [i32; N],
    value: T,
    site: (&'static str, u32),
) -> Result<()> {
    let place = offset::<quasar_devicelib::kernel::Checked, N>(x.dims(), index);
    let Some(k) = place else { return Err(outside(x.dims(), index, site)) };
    match x.set_element(k, value)? {
        true => Ok(()),
        false => Err(outside(x.dims(), index, site)),
    }
}

fn extents(function: &str, rank: usize, sizes: &[i32]) -> Result<Vec<usize>> {
    let size = |n: &i32| usize::try_from(*n).map_err(|_| ValueError::negative_size(function, i64::from(*n)));
    let dims: Vec<usize> = sizes.iter().map(size).collect::<Result<_, _>>()?;
    Ok(match dims[..] {
        [n] if rank == 2 => vec![n; 2],
        _ if rank == dims.len() => dims,
        _ => shape::constructed(&dims),
    })
}

/// `zeros(..)`
pub fn zeros<T: Element>(rank: usize, sizes: &[i32]) -> Result<Array<T>> {
    Array::zeros(&extents("zeros", rank, sizes)?)
}

/// `ones(..)`
pub fn ones<T: quasar_devicelib::ops::Number>(rank: usize, sizes: &[i32]) -> Result<Array<T>> {
    Array::filled(&extents("ones", rank, sizes)?, T::one())
}

/// `uninit(..)`
pub fn uninit<T: Element>(rank: usize, sizes: &[i32]) -> Result<Array<T>> {
    Array::uninit(&extents("uninit", rank, sizes)?)
}

// -------------------------------------------------------------------------------------------- launches and errors

/// Refuses one array for two parameters of a kernel that reads by one name what it wrote by the other.
pub fn distinct<T: Element>(x: &Array<T>, written: &Array<T>, read: &str, name: &str) -> Result<()> {
    match x.same_buffer(written) {
        true => Err(Error::argument(quasar_devicelib::kernel::one_array(read, name))),
        false => Ok(()),
    }
}

/// That a launch reads an array, for [`hold`].
#[inline]
pub fn reading<T: Element>(x: &Array<T>) -> Wanted<'_> {
    x.wanted(crate::array::coherence::Access::Read)
}

/// That a launch changes an array.
#[inline]
pub fn writing<T: Element>(x: &Array<T>) -> Wanted<'_> {
    x.wanted(crate::array::coherence::Access::Write)
}

/// A small array as a value of its own, read by an access that has begun.
pub fn small<T: Element, const N: usize>(x: &Array<T>, held: Hold<'_>) -> Result<[T; N]> {
    let elements = x.read_held(held)?;
    <[T; N]>::try_from(&elements[..]).map_err(|_| Error::size_constraint("", N.to_string(), x.dims()))
}

/// The extents of a launch from a vector: missing ones are 1.
pub fn dims<const N: usize>(vector: &Value) -> Result<[i32; N]> {
    deferred_errors::settle()?;
    let mut dims = [1; N];
    let sizes = match vector {
        Value::Array(a) => array::read(&**a, |view| {
            (0..view.data.len()).filter_map(|k| view.data.scalar(k)).map(|x| x.as_i64() as i32).collect()
        }),
        other => vec![other.as_scalar().ok_or_else(|| mismatch("ivec", other))?.as_i64() as i32],
    };
    for (dim, size) in dims.iter_mut().zip(sizes) {
        *dim = size;
    }
    Ok(dims)
}

/// The extents of a launch as one row, where its positions lie side by side in all arrays.
pub fn one_row<const N: usize>(size: &[i32; N], arrays: &[&[usize]]) -> Option<[i32; N]> {
    let extents = size.map(|n| usize::try_from(n).unwrap_or(0));
    let count = extents.iter().try_fold(1, |count: usize, n| count.checked_mul(*n))?;
    let count = i32::try_from(count).ok()?;
    let side_by_side = |dims: &&[usize]| match (dims.split_first(), extents.split_first()) {
        (Some((own, others)), Some((wanted, like))) => own >= wanted && others == like,
        _ => false,
    };
    let row = std::array::from_fn(|axis| if axis + 1 == N { count } else { 1 });
    arrays.iter().all(side_by_side).then_some(row)
}

/// The extents of an array of such a launch: of one row as well, or its own.
pub fn extents_in_row<const N: usize>(row: &Option<[i32; N]>, dims: &[usize]) -> [usize; N] {
    std::array::from_fn(|axis| match row {
        None => dims.get(axis).copied().unwrap_or(1),
        Some(_) if axis + 1 == N => dims.iter().product(),
        Some(_) => 1,
    })
}

/// The blocks of a launch that a program asked for.
pub fn blocks<const N: usize>(dims: [i32; N], block: [i32; N]) -> Result<lib::Grid<N>> {
    lib::Grid::with_block(dims, block).map_err(|error| Error::argument(error.to_string()))
}

/// The estimated operations of a position: some are done once, others in loops with so many iterations each.
pub fn position_cost(once: u32, loops: &[(i64, u32)]) -> u32 {
    let all =
        |(trips, each): &(i64, u32)| u32::try_from((*trips).max(0)).unwrap_or(u32::MAX).saturating_mul(*each);
    loops.iter().map(all).fold(once, u32::saturating_add)
}

/// The estimated operations of a block whose threads have this many.
pub fn block_cost<const N: usize>(grid: &lib::Grid<N>, thread: u32) -> u32 {
    thread.saturating_mul(u32::try_from(grid.block_threads()).unwrap_or(u32::MAX))
}

fn message(parts: &[Value]) -> Result<String> {
    Ok(format::joined(parts)?)
}

/// `error(..)`
pub fn fail(parts: &[Value]) -> Result<()> {
    Err(Error::user(message(parts)?))
}

/// An argument with an impossible value.
pub fn impossible(parts: &[Value]) -> Result<()> {
    Err(Error::argument(message(parts)?))
}

/// Sizes or numbers of elements that do not fit.
pub fn sizes_differ(parts: &[Value]) -> Result<()> {
    Err(Error::size_mismatch(message(parts)?))
}

/// A variable that no path has set is read.
pub fn unset(parts: &[Value]) -> Result<()> {
    Err(Error::unset(message(parts)?))
}

/// A failed `assert(..)`.
pub fn assertion(text: &'static str, parts: &[Value]) -> Result<()> {
    if parts.is_empty() { Err(Error::assertion(text)) } else { Err(Error::assertion(message(parts)?)) }
}
