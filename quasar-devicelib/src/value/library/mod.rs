//! The functions of the standard library on values, found by name.

mod affinity;
mod creation;
mod graphs;
mod linear_algebra;
mod objects;
mod operators;
mod output;
pub mod random;
mod reductions;
mod selection;
mod shape;
mod sorting;
mod strings;
mod types;

pub use operators::turned;

use super::array::{self, ArrayBuf, ArrayElement, ArrayRef};
use super::error::ValueError;
use super::workers::Workers;
use super::{Host, MAX_NESTING, Value, elementwise, shape as dimensions};
use crate::element::{ElementType, Scalar};
use crate::ops::{self, Row};
use std::collections::HashMap;
use std::sync::OnceLock;

/// One library function.
pub struct Function {
    /// Its name.
    pub name: &'static str,
    /// The fewest arguments.
    pub min: usize,
    /// The most arguments.
    pub max: usize,
    /// Whether it is applied to the elements of a cell given as its first argument.
    recursive: bool,
    run: fn(&mut Call<'_>) -> Result<Vec<Value>, ValueError>,
}

impl Function {
    const fn recursive(mut self) -> Function {
        self.recursive = true;
        self
    }
}

const fn function(
    name: &'static str,
    min: usize,
    max: usize,
    run: fn(&mut Call<'_>) -> Result<Vec<Value>, ValueError>,
) -> Function {
    Function { name, min, max, recursive: false, run }
}

/// As many arguments as there are.
const ANY: usize = usize::MAX;

static TABLES: &[&[Function]] = &[
    creation::FUNCTIONS,
    linear_algebra::FUNCTIONS,
    objects::FUNCTIONS,
    operators::FUNCTIONS,
    output::FUNCTIONS,
    random::FUNCTIONS,
    reductions::FUNCTIONS,
    shape::FUNCTIONS,
    selection::FUNCTIONS,
    sorting::FUNCTIONS,
    strings::FUNCTIONS,
    types::FUNCTIONS,
    affinity::FUNCTIONS,
];

/// All functions of this library that are not elementwise.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    TABLES.iter().copied().flatten()
}

/// The function of a name.
pub fn find(name: &str) -> Option<&'static Function> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Function>> = OnceLock::new();
    BY_NAME.get_or_init(|| functions().map(|f| (f.name, f)).collect()).get(name).copied()
}

/// The elementwise function of a name for a number of arguments: `clamp` and `complex` exist for two numbers.
pub fn elementwise_row(name: &str, arguments: usize) -> Option<&'static Row> {
    let row = match (name, arguments) {
        ("clamp", 3) => "clamp3",
        ("complex", 2) => "complex2",
        _ => name,
    };
    ops::find(row)
}

/// Calls a library function: one of this library, an elementwise function, or one that the host knows. `results` is
/// the number of values that the caller uses. A type parameter (`zeros[uint8](3)`) is a `TypeName` before the other
/// arguments.
pub fn call(
    name: &str,
    args: &[Value],
    results: usize,
    host: &mut dyn Host,
) -> Result<Vec<Value>, ValueError> {
    let row = elementwise_row(name, args.len());
    if let Some(found) = find(name) {
        let binary = row.is_some_and(|row| row.arity == args.len());
        if !binary {
            return run(found, args, results, host);
        }
    }
    if let Some(row) = row {
        let working = host.state().working;
        return Ok(vec![elementwise::apply(row, args, working)?]);
    }
    host.external(name, args, results).unwrap_or_else(|| Err(ValueError::unknown_function(name)))
}

fn run(
    found: &Function,
    args: &[Value],
    results: usize,
    host: &mut dyn Host,
) -> Result<Vec<Value>, ValueError> {
    if args.len() < found.min || args.len() > found.max {
        let expected = match (found.min, found.max) {
            (min, max) if min == max => min.to_string(),
            (min, ANY) => format!("at least {min}"),
            (min, max) => format!("{min} to {max}"),
        };
        return Err(ValueError::argument_count(found.name, &expected, args.len()));
    }
    if found.recursive && args[0].is_cell() {
        return Ok(vec![over_cell(found, args, host, 0)?]);
    }
    (found.run)(&mut Call { name: found.name, args, results, host })
}

/// Applies a function to the elements of a cell, its first argument.
fn over_cell(
    found: &Function,
    args: &[Value],
    host: &mut dyn Host,
    depth: usize,
) -> Result<Value, ValueError> {
    if depth > MAX_NESTING {
        return Err(ValueError::nesting());
    }
    let Some(items) = args[0].cell_items()? else {
        let results = (found.run)(&mut Call { name: found.name, args, results: 1, host })?;
        return Ok(results.into_iter().next().unwrap_or_default());
    };
    let mut results = array::reserve(items.len())?;
    let mut inner = args.to_vec();
    for item in items {
        inner[0] = item;
        results.push(over_cell(found, &inner, host, depth + 1)?);
    }
    let dims = args[0].as_array().map_or_else(|| vec![results.len()], |a| a.dims());
    Ok(ArrayBuf::new(dims, super::ArrayData::Values(results))?.into())
}

/// The arguments of one call.
pub(super) struct Call<'a> {
    name: &'static str,
    args: &'a [Value],
    results: usize,
    host: &'a mut dyn Host,
}

impl Call<'_> {
    fn wrong(&self, i: usize, expected: &str) -> ValueError {
        let found = self.args.get(i).map_or("nothing".into(), Value::kind);
        ValueError::wrong_argument(self.name, i, expected, &found)
    }

    fn error(&self, text: impl std::fmt::Display) -> ValueError {
        ValueError::argument(self.name, text)
    }

    fn working(&mut self) -> ElementType {
        self.host.state().working
    }

    fn scalar(&self, i: usize) -> Result<Scalar, ValueError> {
        self.args.get(i).and_then(Value::as_scalar).ok_or_else(|| self.wrong(i, "a number"))
    }

    fn real(&self, i: usize) -> Result<f64, ValueError> {
        let x = self.scalar(i)?;
        if x.element_type().is_complex() { Err(self.wrong(i, "a real number")) } else { Ok(x.as_f64()) }
    }

    fn integer(&self, i: usize) -> Result<i64, ValueError> {
        let x = self.scalar(i)?;
        if x.element_type().is_complex() { Err(self.wrong(i, "a real number")) } else { Ok(x.as_i64()) }
    }

    fn count(&self, i: usize) -> Result<usize, ValueError> {
        let n = self.integer(i)?;
        usize::try_from(n)
            .map_err(|_| self.error(format!("argument {} must not be negative, found {n}", i + 1)))
    }

    /// A dimension number.
    fn dimension(&self, i: usize) -> Result<usize, ValueError> {
        let k = self.count(i)?;
        if k < dimensions::MAX_DIMS { Ok(k) } else { Err(self.error(format!("there is no dimension {k}"))) }
    }

    fn text(&self, i: usize) -> Result<&str, ValueError> {
        self.args.get(i).and_then(Value::as_text).ok_or_else(|| self.wrong(i, "a string"))
    }

    /// The integers of a vector or a number.
    fn integers(&self, i: usize) -> Result<Vec<i64>, ValueError> {
        self.view(i, |view| {
            let mut items = array::reserve(view.data.len())?;
            for k in 0..view.data.len() {
                let x = view.data.scalar(k).filter(|x| !x.element_type().is_complex());
                items.push(x.ok_or_else(|| self.wrong(i, "a vector of integers"))?.as_i64());
            }
            Ok(items)
        })
    }

    /// Calls `f` with an array of numbers, or with a number as a vec of one element.
    fn view<R>(
        &self,
        i: usize,
        f: impl FnOnce(ArrayRef<'_>) -> Result<R, ValueError>,
    ) -> Result<R, ValueError> {
        match self.args.get(i) {
            Some(Value::Array(a)) if a.element_type().is_some() => array::read(&**a, f),
            Some(other) => match other.as_scalar() {
                Some(x) => f(ArrayBuf::filled(vec![1], x)?.view()),
                None => Err(self.wrong(i, "a number or an array of numbers")),
            },
            None => Err(self.wrong(i, "a number or an array of numbers")),
        }
    }

    /// Threads for so many operations.
    fn workers(&self, operations: usize) -> &dyn Workers {
        self.host.workers(operations)
    }

    /// A new array whose elements `fill` writes, all of them.
    fn made<T: ArrayElement>(
        &self,
        dims: Vec<usize>,
        fill: &mut dyn FnMut(&mut [T]) -> Result<(), ValueError>,
    ) -> Result<Value, ValueError> {
        let result = self.host.uninit(T::TYPE, dims)?;
        if let Value::Array(array) = &result {
            array::write(&**array, |view| match T::slice_mut(view.data) {
                Some(elements) => fill(elements),
                None => unreachable!("the host makes arrays of the type that it is asked for"),
            })?;
        }
        Ok(result)
    }
}
