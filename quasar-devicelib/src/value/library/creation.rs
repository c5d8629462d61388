//! Functions that make arrays.

use super::shape::rearranged;
use super::{ANY, Call, Function, function};
use crate::element::{ElementType, Overflow, Scalar, promote};
use crate::ops::ConvertTo;
use crate::value::array::{self, ArrayData, ArrayElement, with_element, with_promoted};
use crate::value::convert::{convert_data, convert_scalar};
use crate::value::rearrange::Axis;
use crate::value::workers::{each, share};
use crate::value::{ArrayBuf, Value, ValueError, sequence, shape};

pub(super) static FUNCTIONS: &[Function] = &[
    function("zeros", 1, ANY, |c| c.filled(0, false, constructed)),
    function("ones", 1, ANY, |c| c.filled(1, false, constructed)),
    function("uninit", 1, ANY, |c| c.filled(0, false, constructed)),
    function("czeros", 1, ANY, |c| c.filled(0, true, constructed)),
    function("cuninit", 1, ANY, |c| c.filled(0, true, constructed)),
    function("vec", 1, 2, |c| c.filled(0, false, |dims| as_given(dims, 1))),
    function("mat", 1, 3, |c| c.filled(0, false, |dims| as_given(dims, 2))),
    function("cube", 1, ANY, |c| c.filled(0, false, |dims| as_given(dims, 1))),
    function("cvec", 1, 1, |c| c.filled(0, true, |dims| as_given(dims, 1))),
    function("cmat", 1, 2, |c| c.filled(0, true, |dims| as_given(dims, 2))),
    function("ccube", 1, ANY, |c| c.filled(0, true, |dims| as_given(dims, 1))),
    function("ivec", 1, 1, |c| c.integers_of(1)),
    function("imat", 1, 2, |c| c.integers_of(2)),
    function("icube", 1, ANY, |c| c.integers_of(1)),
    function("cell", 1, ANY, cell),
    function("filled", 2, ANY, filled),
    function("eye", 1, 2, eye),
    function("copy", 1, 1, |c| Ok(vec![c.args[0].copied()?])),
    function("repmat", 2, ANY, repmat),
    function("linspace", 3, 3, |c| spaced(c, |x| x)),
    function("logspace", 3, 3, |c| spaced(c, |x| 10f64.powf(x))),
    function("seq", 2, 3, |c| from_parts(c, sequence::from_values)),
    // What lowering makes of sequences of unknown type as indices.
    function("places", 2, 3, |c| from_parts(c, sequence::places)),
    function("ndgrid", 1, ANY, ndgrid),
];

fn from_parts(
    c: &Call<'_>,
    sequence: fn(&Value, Option<&Value>, &Value) -> Result<Value, ValueError>,
) -> Result<Vec<Value>, ValueError> {
    match c.args {
        [a, b, s] => Ok(vec![sequence(a, Some(s), b)?]),
        [a, b, ..] => Ok(vec![sequence(a, None, b)?]),
        _ => Err(c.wrong(0, "a number")),
    }
}

/// The dimensions that a constructor was given. Constant 1s at the end of a list were dropped where the type of the
/// array was found: an array has the number of dimensions of its type, also where its last extent happens to be 1.
pub(super) fn constructed(sizes: Sizes) -> Vec<usize> {
    let (Sizes::List(dims) | Sizes::Vector(dims)) = sizes;
    dims
}

/// At least `rank` dimensions, and those that are given.
fn as_given(sizes: Sizes, rank: usize) -> Vec<usize> {
    let (Sizes::List(dims) | Sizes::Vector(dims)) = sizes;
    shape::raised(&dims, rank)
}

pub(super) enum Sizes {
    List(Vec<usize>),
    Vector(Vec<usize>),
}

/// What an array consists of.
enum Elements {
    Numbers(ElementType),
    Values(Value),
}

/// The element type with this name.
pub(super) fn element_named(name: &str, working: ElementType) -> Option<ElementType> {
    match name {
        "scalar" => Some(working),
        "cscalar" => Some(working.complex()),
        "int32" => Some(ElementType::Int32),
        "scalar'single" => Some(ElementType::Single),
        "cscalar'single" => Some(ElementType::ComplexSingle),
        _ => {
            let name =
                name.split_once('\'').filter(|(base, _)| base.contains("int")).map_or(name, |(base, _)| base);
            ElementType::ALL.iter().copied().find(|ty| ty.name() == name)
        }
    }
}

impl Call<'_> {
    /// The sizes given from argument `first` on: one vector, or numbers.
    pub(super) fn sizes(&self, first: usize) -> Result<Sizes, ValueError> {
        let size = |n: i64| usize::try_from(n).map_err(|_| ValueError::negative_size(self.name, n));
        let dims = match &self.args[first.min(self.args.len())..] {
            [] => return Err(self.error("sizes are missing")),
            [Value::Array(_)] => {
                let dims: Vec<usize> =
                    self.integers(first)?.into_iter().map(size).collect::<Result<_, _>>()?;
                if dims.is_empty() {
                    return Err(self.error("the size vector is empty"));
                }
                shape::count(&dims)?;
                return Ok(Sizes::Vector(dims));
            }
            list => {
                let numbers = (first..first + list.len()).map(|i| self.integer(i).and_then(size));
                numbers.collect::<Result<Vec<_>, _>>()?
            }
        };
        shape::count(&dims)?;
        Ok(Sizes::List(dims))
    }

    fn filled(
        &mut self,
        x: i64,
        complex: bool,
        dims: impl FnOnce(Sizes) -> Vec<usize>,
    ) -> Result<Vec<Value>, ValueError> {
        let working = self.working();
        let (elements, first) = match self.args.first() {
            Some(Value::TypeName(name)) => match element_named(name, working) {
                Some(ty) => (Elements::Numbers(ty), 1),
                None if &**name == "string" => (Elements::Values(Value::from("")), 1),
                None => (Elements::Values(Value::Null), 1),
            },
            _ if complex => (Elements::Numbers(working.complex()), 0),
            _ => (Elements::Numbers(working), 0),
        };
        let dims = dims(self.sizes(first)?);
        self.make(dims, elements, x)
    }

    fn integers_of(&mut self, rank: usize) -> Result<Vec<Value>, ValueError> {
        let dims = as_given(self.sizes(0)?, rank);
        self.make(dims, Elements::Numbers(ElementType::Int32), 0)
    }

    fn make(&self, dims: Vec<usize>, elements: Elements, x: i64) -> Result<Vec<Value>, ValueError> {
        let array = match elements {
            Elements::Numbers(ty) => ArrayBuf::filled(dims, Scalar::from_i64(x, ty))?,
            Elements::Values(value) => {
                let items = array::filled(value, shape::count(&dims)?)?;
                ArrayBuf::new(dims, ArrayData::Values(items))?
            }
        };
        Ok(vec![array.into()])
    }
}

fn cell(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let dims = constructed(c.sizes(0)?);
    c.make(dims, Elements::Values(Value::Null), 0)
}

/// A cell whose elements are all the first argument.
fn filled(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let dims = constructed(c.sizes(1)?);
    c.make(dims, Elements::Values(c.args[0].clone()), 1)
}

fn eye(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let dims = match c.sizes(0)? {
        Sizes::List(dims) | Sizes::Vector(dims) if dims.len() == 1 => vec![dims[0], dims[0]],
        Sizes::List(dims) | Sizes::Vector(dims) => dims,
    };
    if dims.len() != 2 {
        return Err(c.error("a unit matrix has two dimensions"));
    }
    let working = c.working();
    let mut matrix = ArrayBuf::zeros(dims.clone(), working)?;
    with_element!(working, T => {
        if let Some(elements) = <T as array::ArrayElement>::slice_mut(matrix.data.view_mut()) {
            let one = <T as crate::element::Element>::from_scalar(Scalar::one(working)).unwrap_or_default();
            elements.iter_mut().step_by(dims[1] + 1).take(dims[1]).for_each(|x| *x = one);
        }
    });
    Ok(vec![matrix.into()])
}

fn repmat(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let reps = match c.sizes(1)? {
        Sizes::List(reps) if reps.len() == 1 => vec![reps[0]; 2],
        Sizes::List(reps) | Sizes::Vector(reps) => reps,
    };
    let x = as_array(&c.args[0])?;
    let dims = shape::raised(&x.dims(), reps.len().max(2));
    let mut result = dims.clone();
    for (n, count) in result.iter_mut().zip(&reps) {
        *n = n.checked_mul(*count).ok_or_else(|| ValueError::too_large(&dims))?;
    }
    let count = shape::count(&result)?;
    if let Some(number) = c.args[0].as_scalar() {
        return Ok(vec![ArrayBuf::filled(result, number)?.into()]);
    }
    // Each dimension as two: where the array is once more, and inside of it.
    let steps = shape::strides(&dims);
    let mut axes = Vec::with_capacity(2 * dims.len());
    for (k, (&n, step)) in dims.iter().zip(steps).enumerate().filter(|_| count > 0) {
        axes.push(Axis::evenly(reps.get(k).copied().unwrap_or(1), 0));
        axes.push(Axis::evenly(n, step));
    }
    Ok(vec![rearranged(c, &x, result, &axes)?])
}

/// A number as an array of one element; arrays and cells as they are.
pub(super) fn as_array(value: &Value) -> Result<Value, ValueError> {
    match value {
        Value::Array(_) => Ok(value.clone()),
        Value::Tuple(items) => Ok(Value::cell(items.to_vec())),
        other => Ok(match other.as_scalar() {
            Some(x) => ArrayBuf::filled(vec![1], x)?.into(),
            None => Value::cell(vec![other.clone()]),
        }),
    }
}

fn spaced(c: &mut Call<'_>, map: fn(f64) -> f64) -> Result<Vec<Value>, ValueError> {
    let (a, b) = (c.scalar(0)?, c.scalar(1)?);
    let (from, to, count) = (c.real(0)?, c.real(1)?, c.count(2)?);
    let ty = promote(promote(a.element_type(), b.element_type()), c.working());
    let point = |i| map(sequence::evenly_spaced_at(from, to, count, i));
    Ok(vec![with_promoted!(ty, T => typed_points::<T>(c, count, &point))?])
}

/// A vector of so many points.
fn typed_points<T: ArrayElement>(
    c: &Call<'_>,
    count: usize,
    point: &(dyn Fn(usize) -> f64 + Sync),
) -> Result<Value, ValueError>
where
    f64: ConvertTo<T>,
{
    c.made(vec![count], &mut |y: &mut [T]| {
        let workers = c.workers(count);
        let size = share(workers, count, POINTS);
        let parts = array::collect(count.div_ceil(size), y.chunks_mut(size).enumerate())?;
        each(workers, parts, &|(part, y)| {
            y.iter_mut().enumerate().for_each(|(k, y)| *y = point(part * size + k).wrapping());
        });
        Ok(())
    })
}

/// Points that are worth a part of their own.
const POINTS: usize = 1 << 15;

/// One array per argument, which varies along its own dimension.
fn ndgrid(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let mut axes = Vec::with_capacity(c.args.len());
    for i in 0..c.args.len() {
        axes.push(c.view(i, |view| ArrayBuf::new(vec![view.data.len()], view.data.to_data()?))?);
    }
    let mut dims: Vec<usize> = axes.iter().map(|axis| axis.data.len()).collect();
    if dims.len() == 1 {
        dims.push(dims[0]);
        axes.push(axes[0].view().to_buf()?);
    }
    shape::count(&dims)?;
    let grid = |(k, axis): (usize, ArrayBuf)| {
        let step = |(j, &n): (usize, &usize)| Axis::evenly(n, usize::from(j == k));
        let places: Vec<Axis> = dims.iter().enumerate().map(step).collect();
        rearranged(c, &axis.into(), dims.clone(), &places)
    };
    axes.into_iter().enumerate().take(c.results.max(1)).map(grid).collect()
}

/// Numbers in a common type, for functions that join arrays.
pub(super) fn in_type(value: &Value, ty: ElementType) -> Result<ArrayData, ValueError> {
    match value {
        Value::Array(a) => array::read(&**a, |view| convert_data(view.data, ty, Overflow::Wrap)),
        other => {
            let x = other.as_scalar().unwrap_or(Scalar::zero(ty));
            ArrayData::filled(convert_scalar(x, ty, Overflow::Wrap)?, 1)
        }
    }
}
