//! Reductions and scans.

use super::{Call, Function, function};
use crate::element::{ElementType, Overflow, Scalar, promote};
use crate::isa::Baseline;
use crate::ops::{FloatOrComplex, Number, Real};
use crate::value::array::{self, ArrayData, ArrayElement, ArrayRef, for_elements, with_promoted};
use crate::value::convert::{convert_data, convert_scalar, elements_as, truths};
use crate::value::mapped::mapped;
use crate::value::matmul::elements;
use crate::value::offload::{Reduction, Work};
use crate::value::order::{self, Ordered};
use crate::value::rearrange::Axis;
use crate::value::workers::{Caller, Workers};
use crate::value::{ArrayBuf, DataRef, Value, ValueError, lines, min_max, moments, reduce, shape};

pub(super) static FUNCTIONS: &[Function] = &[
    function("sum", 1, 2, |c| c.reduce(Reduction::Sum)).recursive(),
    function("prod", 1, 2, |c| c.reduce(Reduction::Product)).recursive(),
    function("mean", 1, 2, |c| c.reduce(Reduction::Mean)).recursive(),
    function("min", 1, 1, |c| c.reduce(Reduction::Minimum)).recursive(),
    function("max", 1, 1, |c| c.reduce(Reduction::Maximum)).recursive(),
    function("mindim", 2, 2, |c| c.reduce(Reduction::Minimum)).recursive(),
    function("maxdim", 2, 2, |c| c.reduce(Reduction::Maximum)).recursive(),
    function("any", 1, 2, |c| c.reduce(Reduction::Any)).recursive(),
    function("all", 1, 2, |c| c.reduce(Reduction::All)).recursive(),
    function("std", 1, 2, |c| c.reduce(Reduction::Deviation)).recursive(),
    function("var", 1, 2, |c| c.reduce(Reduction::Variance)).recursive(),
    function("median", 1, 1, median).recursive(),
    function("argmin", 1, 1, |c| c.reduce(Reduction::PlaceOfMinimum)).recursive(),
    function("argmax", 1, 1, |c| c.reduce(Reduction::PlaceOfMaximum)).recursive(),
    function("index_of_min", 1, 1, |c| c.reduce(Reduction::PlaceOfMinimum)).recursive(),
    function("index_of_max", 1, 1, |c| c.reduce(Reduction::PlaceOfMaximum)).recursive(),
    function("cumsum", 1, 2, |c| c.scan(Reduction::Sum)).recursive(),
    function("cumprod", 1, 2, |c| c.scan(Reduction::Product)).recursive(),
    function("cummin", 1, 2, |c| c.scan(Reduction::Minimum)).recursive(),
    function("cummax", 1, 2, |c| c.scan(Reduction::Maximum)).recursive(),
    function("norm", 1, 2, norm).recursive(),
    function("dotprod", 2, 2, dotprod),
    function("cross", 2, 2, cross),
];

/// The lines along a dimension; beyond the last one each element is a line.
fn lines_along(dims: &[usize], k: usize) -> Result<(usize, usize, usize), ValueError> {
    if k < dims.len() { Ok(shape::around(dims, k)) } else { Ok((shape::count(dims)?, 1, 1)) }
}

/// The dimensions of a reduction along a dimension.
fn reduced_dims(dims: &[usize], k: usize) -> Vec<usize> {
    if k < dims.len() { shape::reduced(dims, k) } else { dims.to_vec() }
}

/// Evaluates an expression with `$T` a real element type; complex ones are an error.
macro_rules! with_real {
    ($c:expr, $ty:expr, $T:ident => $body:expr) => {{
        let ty: ElementType = $ty;
        if ty.is_complex() {
            Err($c.wrong(0, "real numbers"))
        } else {
            with_real!(@ ty, $T => $body, i8 => Int8, i16 => Int16, i32 => Int32, i64 => Int64, u8 => UInt8,
                u16 => UInt16, u32 => UInt32, u64 => UInt64, half::f16 => Half, f64 => Double)
        }
    }};
    (@ $ty:expr, $T:ident => $body:expr, $($rust:ty => $element:ident),*) => {
        match $ty {
            $(ElementType::$element => {
                type $T = $rust;
                $body
            })*
            _ => {
                type $T = f32;
                $body
            }
        }
    };
}
pub(super) use with_real;

/// A whole array, or the lines along one dimension.
type Lines = Option<(usize, usize, usize)>;

impl Call<'_> {
    fn reduce(&mut self, kind: Reduction) -> Result<Vec<Value>, ValueError> {
        let working = self.working();
        let along = if self.args.len() == 2 { Some(self.dimension(1)?) } else { None };
        if let Some(reduced) = self.on_device(kind, along)? {
            return Ok(vec![reduced]);
        }
        let value = self.view(0, |view| {
            let found = view.data.element_type().unwrap_or(working);
            let (computing, result) = types(kind, found, working);
            let lines = along.map(|k| lines_along(view.dims, k)).transpose()?;
            let data = self.reduced(kind, view, computing, lines)?;
            let data = if data.element_type() == Some(result) {
                data
            } else {
                convert_data(data.view(), result, Overflow::Wrap)?
            };
            match along {
                None => Ok(data.view().value(0).unwrap_or_default()),
                Some(k) => Ok(ArrayBuf::new(reduced_dims(view.dims, k), data)?.into()),
            }
        })?;
        Ok(vec![value])
    }

    /// The same on a device: of all elements, or along a dimension.
    fn on_device(&mut self, reduction: Reduction, along: Option<usize>) -> Result<Option<Value>, ValueError> {
        let working = self.working();
        let source = &self.args[0];
        let (Value::Array(array), Some(found)) = (source, source.element_type()) else { return Ok(None) };
        let (computing, result) = types(reduction, found, working);
        let dims = array.dims();
        let (lines, dims) = match along {
            None => ((1, shape::count(&dims)?, 1), vec![1]),
            Some(k) => (lines_along(&dims, k)?, reduced_dims(&dims, k)),
        };
        let work = Work::Reduced { source, reduction, along: lines, computing, result, dims: &dims };
        match (self.host.on_device(&work)?, along) {
            (Some(Value::Array(number)), None) => array::read(&*number, |view| Ok(view.data.value(0))),
            (reduced, _) => Ok(reduced),
        }
    }

    fn reduced(
        &self,
        kind: Reduction,
        view: ArrayRef<'_>,
        ty: ElementType,
        lines: Lines,
    ) -> Result<ArrayData, ValueError> {
        match kind {
            Reduction::Sum => with_promoted!(ty, T => sums::<T>(self, view.data, lines)),
            Reduction::Product => with_promoted!(ty, T => products::<T>(self, view.data, lines)),
            Reduction::Mean => match ty {
                ElementType::Double => means::<f64>(self, view.data, lines),
                ElementType::ComplexSingle => means::<num_complex::Complex<f32>>(self, view.data, lines),
                ElementType::ComplexDouble => means::<num_complex::Complex<f64>>(self, view.data, lines),
                _ => means::<f32>(self, view.data, lines),
            },
            Reduction::Minimum => {
                self.not_empty(view, lines)?;
                with_real!(self, ty, T => extremes::<T>(self, view.data, lines, true))
            }
            Reduction::Maximum => {
                self.not_empty(view, lines)?;
                with_real!(self, ty, T => extremes::<T>(self, view.data, lines, false))
            }
            Reduction::Any | Reduction::All => {
                let all = kind == Reduction::All;
                if lines.is_none() {
                    return Ok(ArrayData::I32(vec![i32::from(is_true(self, view.data, all)?)]));
                }
                let truths = truths(view.data)?;
                let start = i32::from(all);
                let combine = |a: i32, b: i32| if all { a & b } else { a | b };
                from_start(self.workers(truths.len()), &truths, lines, start, combine).map(ArrayData::I32)
            }
            Reduction::PlaceOfMinimum | Reduction::PlaceOfMaximum => {
                self.not_empty(view, None)?;
                let least = kind == Reduction::PlaceOfMinimum;
                let place = with_real!(self, ty, T => place_of_extremum::<T>(self, view.data, least))?;
                Ok(ArrayData::I32(vec![place as i32]))
            }
            Reduction::Variance | Reduction::Deviation => {
                let lines = lines.unwrap_or((1, view.data.len(), 1));
                let mut results =
                    for_elements!(view.data, DataRef, x => variances(self, x, lines), _x => Ok(Vec::new()))?;
                if lines.1 == 0 {
                    results.fill(f64::NAN);
                }
                if kind == Reduction::Deviation {
                    results.iter_mut().for_each(|x| *x = x.sqrt());
                }
                Ok(ArrayData::F64(results))
            }
        }
    }

    fn not_empty(&self, view: ArrayRef<'_>, lines: Lines) -> Result<(), ValueError> {
        let n = lines.map_or(view.data.len(), |(_, n, _)| n);
        if n == 0 { Err(self.error("an empty array has no extremum")) } else { Ok(()) }
    }

    fn scan(&mut self, kind: Reduction) -> Result<Vec<Value>, ValueError> {
        let rank = self.args[0].dims().len();
        let k = if self.args.len() == 2 { self.dimension(1)? } else { usize::from(rank > 1) };
        if self.args[0].as_scalar().is_some() {
            return Ok(vec![self.args[0].clone()]);
        }
        let value = self.view(0, |view| {
            let found = view.data.element_type().unwrap_or(ElementType::Single);
            if k >= view.dims.len() {
                return Ok(view.to_buf()?.into());
            }
            let lines = shape::around(view.dims, k);
            match kind {
                Reduction::Minimum => {
                    with_real!(self, found, T => self.scanned::<T>(view, lines, reduce::minimum))
                }
                Reduction::Maximum => {
                    with_real!(self, found, T => self.scanned::<T>(view, lines, reduce::maximum))
                }
                Reduction::Product => {
                    with_promoted!(promote(found, found), T => self.scanned::<T>(view, lines, T::multiply))
                }
                _ => with_promoted!(promote(found, found), T => self.scanned::<T>(view, lines, T::add)),
            }
        })?;
        Ok(vec![value])
    }

    fn scanned<T: ArrayElement>(
        &self,
        view: ArrayRef<'_>,
        along: (usize, usize, usize),
        combine: impl Fn(T, T) -> T + Sync,
    ) -> Result<Value, ValueError> {
        let x = elements_as::<T>(view.data)?;
        self.made(view.dims.to_vec(), &mut |y| lines::scan(self.workers(x.len()), &x, y, along, &combine))
    }
}

/// The types in which a reduction computes and of its result. Halves accumulate as singles; variances are computed in double
/// precision.
fn types(kind: Reduction, found: ElementType, working: ElementType) -> (ElementType, ElementType) {
    let result = match kind {
        Reduction::Sum | Reduction::Product => promote(found, found),
        Reduction::Mean if found.is_integer() => working,
        Reduction::Any | Reduction::All | Reduction::PlaceOfMinimum | Reduction::PlaceOfMaximum => {
            ElementType::Int32
        }
        Reduction::Variance | Reduction::Deviation => float_type(found, working).real(),
        _ => found,
    };
    let computing = match kind {
        Reduction::Variance | Reduction::Deviation => ElementType::Double,
        Reduction::PlaceOfMinimum | Reduction::PlaceOfMaximum => found,
        Reduction::Sum | Reduction::Product | Reduction::Mean if result == ElementType::Half => {
            ElementType::Single
        }
        _ => result,
    };
    (computing, result)
}

fn sums<T: ArrayElement + Number>(
    c: &Call<'_>,
    data: DataRef<'_>,
    along: Lines,
) -> Result<ArrayData, ValueError> {
    let x = elements_as::<T>(data)?;
    let workers = c.workers(x.len());
    Ok(T::wrap(match along {
        None => vec![lines::sum_by(workers, &x, &|x| x)?],
        Some(along @ (.., 1)) => {
            lines::each_line(workers, &x, along, &|workers, x| lines::sum_by(workers, x, &|x| x))?
        }
        Some(along) => lines::sum_rows(workers, &x, along)?,
    }))
}

fn means<T: ArrayElement + FloatOrComplex>(
    c: &Call<'_>,
    data: DataRef<'_>,
    lines: Lines,
) -> Result<ArrayData, ValueError> {
    let n = lines.map_or(data.len(), |(_, n, _)| n);
    let count = T::from_scalar(Scalar::from_i64(n as i64, T::TYPE)).unwrap_or_default();
    let sums = sums::<T>(c, data, lines)?;
    let sums = T::slice(sums.view()).unwrap_or(&[]);
    Ok(T::wrap(mapped(sums, |sum| sum.divide::<Baseline>(count))?))
}

fn products<T: ArrayElement + Number>(
    c: &Call<'_>,
    data: DataRef<'_>,
    lines: Lines,
) -> Result<ArrayData, ValueError> {
    let x = elements_as::<T>(data)?;
    Ok(T::wrap(from_start(c.workers(x.len()), &x, lines, T::one(), T::multiply)?))
}

/// Whether all or any elements are not 0.
fn is_true(c: &Call<'_>, data: DataRef<'_>, all: bool) -> Result<bool, ValueError> {
    fn typed<T: ArrayElement>(c: &Call<'_>, x: &[T], all: bool) -> Result<bool, ValueError> {
        let place = lines::first(c.workers(x.len()), x, |x| x.to_scalar().is_truthy() != all)?;
        Ok(place.is_some() != all)
    }
    for_elements!(data, DataRef, x => typed(c, x, all), _x => Err(c.wrong(0, "numbers")))
}

/// Folds with a start value, which is the result for no elements. Which elements are combined first does not depend on the
/// threads: products of floats are not associative.
fn from_start<T: Copy + Default + Send + Sync>(
    workers: &dyn Workers,
    x: &[T],
    lines: Lines,
    start: T,
    combine: impl Fn(T, T) -> T + Sync,
) -> Result<Vec<T>, ValueError> {
    match lines {
        None => Ok(vec![x.iter().fold(start, |y, &x| combine(y, x))]),
        Some((outer, 0, inner)) => array::filled(start, outer * inner),
        Some(along @ (.., 1)) => lines::each_line(workers, x, along, &|_, line| {
            Ok(lines::fold(&Caller, line, &combine)?.unwrap_or(start))
        }),
        Some(along) => lines::fold_along(workers, x, along, combine),
    }
}

fn extremes<T: ArrayElement + Real>(
    c: &Call<'_>,
    data: DataRef<'_>,
    along: Lines,
    least: bool,
) -> Result<ArrayData, ValueError> {
    let x = elements_as::<T>(data)?;
    let workers = c.workers(x.len());
    Ok(T::wrap(match along {
        None => min_max::extreme(workers, &x, least)?.into_iter().collect(),
        Some(along) => min_max::extreme_along(workers, &x, along, least)?,
    }))
}

/// A float type in which integers are handled.
fn float_type(found: ElementType, working: ElementType) -> ElementType {
    if found.is_integer() { working } else { found }
}

fn number(x: f64, ty: ElementType) -> Result<Value, ValueError> {
    Ok(Value::Scalar(convert_scalar(Scalar::F64(x), ty, Overflow::Wrap)?))
}

/// The sums of the squared distances from the mean of each line, divided by one less than its elements.
fn variances<T: ArrayElement + Number>(
    c: &Call<'_>,
    x: &[T],
    along: (usize, usize, usize),
) -> Result<Vec<f64>, ValueError> {
    let workers = c.workers(4 * x.len());
    if along.2 > 1 && !const { T::TYPE.is_complex() } {
        let spreads = moments::spread_rows(workers, x, along, &|x: T| x.to_scalar().as_f64())?;
        return mapped(&spreads, |sum| sum / (along.1 as f64 - 1.0).max(1.0));
    }
    lines::each_line(workers, x, along, &|workers, line| {
        let mut sum = moments::spread(workers, line, &|x: T| x.to_scalar().as_f64())?;
        if const { T::TYPE.is_complex() } {
            sum += moments::spread(workers, line, &|x: T| x.to_scalar().imaginary())?;
        }
        Ok(sum / (line.len() as f64 - 1.0).max(1.0))
    })
}

fn median(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn typed<T: Ordered>(
        c: &Call<'_>,
        data: DataRef<'_>,
        along: (usize, usize, usize),
    ) -> Result<ArrayData, ValueError> {
        let x = elements_as::<T>(data)?;
        let results = lines::each_line(c.workers(4 * x.len()), &x, along, &|workers, line| {
            let mid = order::middle(workers, line)?
                .map_or(f64::NAN, |(a, b)| order::between(a.to_scalar().as_f64(), b.to_scalar().as_f64()));
            let mid = convert_scalar(Scalar::F64(mid), T::TYPE, Overflow::Wrap)?;
            Ok(T::from_scalar(mid).unwrap_or_default())
        })?;
        Ok(T::wrap(results))
    }
    let working = c.working();
    if let Some(found) = medians_on_device(c)? {
        return Ok(vec![found]);
    }
    let value = c.view(0, |view| {
        let ty = float_type(view.data.element_type().unwrap_or(working), working);
        let columns = has_columns(view.dims);
        let lines = if columns { shape::around(view.dims, 0) } else { (1, view.data.len(), 1) };
        let data = match ty {
            ElementType::Half => typed::<half::f16>(c, view.data, lines)?,
            ElementType::Double => typed::<f64>(c, view.data, lines)?,
            ElementType::Single => typed::<f32>(c, view.data, lines)?,
            _ => return Err(c.wrong(0, "real numbers")),
        };
        if columns {
            Ok(ArrayBuf::new(shape::reduced(view.dims, 0), data)?.into())
        } else {
            Ok(data.view().value(0).unwrap_or_default())
        }
    })?;
    Ok(vec![value])
}

/// Whether the median is one of each column.
fn has_columns(dims: &[usize]) -> bool {
    dims.len() > 1 && dims[0] != 1 && dims[1..].iter().any(|&n| n != 1)
}

/// The medians, if a device sorted the lines: a pair of the sorted elements of each comes to the host.
fn medians_on_device(c: &mut Call<'_>) -> Result<Option<Value>, ValueError> {
    let source = &c.args[0];
    let (Some(ty), Some(array)) = (source.element_type(), source.as_array()) else { return Ok(None) };
    let dims = array.dims();
    let columns = has_columns(&dims);
    let (outer, n, inner) = if columns { shape::around(&dims, 0) } else { (1, shape::count(&dims)?, 1) };
    if ty.is_complex() || n == 0 || inner == 0 {
        return Ok(None);
    }
    let work = Work::Sorted { source, along: (outer, n, inner), places: false };
    let Some(Value::Tuple(sorted)) = c.host.on_device(&work)? else { return Ok(None) };
    let Some(sorted) = sorted.first() else { return Ok(None) };
    let of_rank = |rank: usize| {
        let work = Work::Rearranged {
            source: sorted,
            first: rank * inner,
            dims: &[inner],
            axes: &[Axis::evenly(inner, 1)],
        };
        let Some(found) = c.host.on_device(&work)? else { return Ok(None) };
        let Some(found) = found.as_array() else { return Ok(None) };
        array::read(found, |view| Ok(Some(elements_as::<f64>(view.data)?.into_owned())))
    };
    let (Some(low), Some(high)) = (of_rank((n - 1) / 2)?, of_rank(n / 2)?) else { return Ok(None) };
    // Elements are of the type of the result before they are halved.
    let ty = float_type(ty, c.working());
    let as_result = |x: f64| convert_scalar(Scalar::F64(x), ty, Overflow::Wrap).map(Scalar::as_f64);
    let pairs = low.iter().zip(&high);
    let middle = pairs.map(|(&a, &b)| Ok(order::between(as_result(a)?, as_result(b)?)));
    let middle = middle.collect::<Result<Vec<_>, ValueError>>()?;
    let data = convert_data(DataRef::F64(&middle), ty, Overflow::Wrap)?;
    Ok(Some(match columns {
        true => ArrayBuf::new(shape::reduced(&dims, 0), data)?.into(),
        false => data.view().value(0).unwrap_or_default(),
    }))
}

/// The number of the first extreme element.
fn place_of_extremum<T: ArrayElement + Real>(
    c: &Call<'_>,
    data: DataRef<'_>,
    least: bool,
) -> Result<usize, ValueError> {
    let x = elements_as::<T>(data)?;
    let workers = c.workers(x.len());
    // The same code as that of `min` and `max`.
    let extreme = min_max::extreme(workers, &x, least)?;
    // Where all are NaN nothing equals it.
    Ok(lines::first(workers, &x, |x| Some(x) == extreme)?.unwrap_or(0))
}

fn norm(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let working = c.working();
    let p = if c.args.len() == 2 { c.real(1)? } else { 2.0 };
    if p.is_nan() || p <= 0.0 {
        return Err(c.error(format!("the order of a norm must be positive, found {p}")));
    }
    if let (Some(found), Some(_)) = (c.args[0].element_type(), c.args[0].as_array())
        && (p == 1.0 || p == 2.0)
    {
        for scaled in [false, true] {
            let work = Work::Norm { source: &c.args[0], squares: p == 2.0, scaled };
            let Some(Value::Tuple(parts)) = c.host.on_device(&work)? else { break };
            let part = |k: usize| parts.get(k).map_or(Ok(0.0), first_number);
            let (scale, sum) = (part(0)?, part(1)?);
            if scaled || is_plain(sum) {
                let found = float_type(found, working).real();
                return Ok(vec![number(norm_from(scale, p, || Ok(sum))?, found)?]);
            }
        }
    }
    let value = c.view(0, |view| {
        let ty = float_type(view.data.element_type().unwrap_or(working), working).real();
        let found =
            for_elements!(view.data, DataRef, x => norm_of(c, x, p), _x => Err(c.wrong(0, "numbers")))?;
        number(found, ty)
    })?;
    Ok(vec![value])
}

/// The first element of an array of real numbers.
fn first_number(value: &Value) -> Result<f64, ValueError> {
    let Some(array) = value.as_array() else { return Ok(0.0) };
    array::read(array, |view| Ok(view.data.scalar(0).map_or(0.0, Scalar::as_f64)))
}

/// The norm of order `p`, of the largest absolute value and the sum of powers of what is divided by that.
fn norm_from(largest: f64, p: f64, sum: impl FnOnce() -> Result<f64, ValueError>) -> Result<f64, ValueError> {
    if p.is_infinite() || largest == 0.0 || !largest.is_finite() {
        return Ok(largest);
    }
    let sum = sum()?;
    Ok(largest
        * match p {
            1.0 => sum,
            2.0 => sum.sqrt(),
            _ => sum.powf(1.0 / p),
        })
}

/// Whether a sum of absolute values or of squares says that none of them was too large or too small for its type: it is far from the
/// ends of the range.
fn is_plain(sum: f64) -> bool {
    (1e-200..1e200).contains(&sum)
}

fn norm_of<T: ArrayElement>(c: &Call<'_>, x: &[T], p: f64) -> Result<f64, ValueError> {
    let size = |x: T| {
        let x = x.to_scalar();
        if T::TYPE.is_complex() { x.as_f64().hypot(x.imaginary()) } else { x.as_f64().abs() }
    };
    let workers = c.workers(x.len());
    let plain = match p {
        1.0 => lines::sum_by(workers, x, &size)?,
        2.0 => lines::sum_by(workers, x, &|x| size(x) * size(x))?,
        _ => 0.0,
    };
    if is_plain(plain) {
        return Ok(if p == 1.0 { plain } else { plain.sqrt() });
    }
    let larger = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) };
    let largest = lines::fold_by(workers, x, size, larger)?.unwrap_or(0.0);
    norm_from(largest, p, || match p {
        1.0 => lines::sum_by(workers, x, &|x| size(x) / largest),
        2.0 => lines::sum_by(workers, x, &|x| (size(x) / largest) * (size(x) / largest)),
        _ => lines::sum_by(workers, x, &|x| (size(x) / largest).powf(p)),
    })
}

fn dotprod(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn typed<T: ArrayElement + Number>(a: &Value, b: &Value) -> Result<Scalar, ValueError> {
        Ok(reduce::dot(&elements::<T>(a)?.1, &elements::<T>(b)?.1).to_scalar())
    }
    let (a, b) = (&c.args[0], &c.args[1]);
    let (Some(p), Some(q)) = (a.element_type(), b.element_type()) else {
        return Err(c.wrong(usize::from(a.element_type().is_some()), "an array of numbers"));
    };
    if !shape::same(&a.dims(), &b.dims()) {
        return Err(ValueError::dimensions(&a.dims(), &b.dims()));
    }
    let ty = promote(p, q);
    let computing = if ty == ElementType::Half { ElementType::Single } else { ty };
    let sum = match c.host.on_device(&Work::Dot { factors: [a, b], computing })? {
        Some(Value::Array(sum)) => {
            array::read(&*sum, |view| Ok(view.data.scalar(0)))?.unwrap_or(Scalar::zero(computing))
        }
        _ => with_promoted!(computing, T => typed::<T>(a, b))?,
    };
    Ok(vec![Value::Scalar(convert_scalar(sum, ty, Overflow::Wrap)?)])
}

fn cross(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn typed<T: ArrayElement + Number>(a: &Value, b: &Value) -> Result<Option<ArrayBuf>, ValueError> {
        let ((_, a), (_, b)) = (elements::<T>(a)?, elements::<T>(b)?);
        let (&[a0, a1, a2], &[b0, b1, b2]) = (&a[..], &b[..]) else { return Ok(None) };
        let minor = |a: T, b: T, c: T, d: T| a.multiply(d).subtract(b.multiply(c));
        Ok(Some(ArrayBuf::vec(vec![minor(a1, a2, b1, b2), minor(a2, a0, b2, b0), minor(a0, a1, b0, b1)])))
    }
    let (a, b) = (&c.args[0], &c.args[1]);
    let (Some(p), Some(q)) = (a.element_type(), b.element_type()) else {
        return Err(c.wrong(usize::from(a.element_type().is_some()), "a vector of 3 numbers"));
    };
    match with_promoted!(promote(p, q), T => typed::<T>(a, b))? {
        Some(product) => Ok(vec![product.into()]),
        None => Err(c.error("both arguments must be vectors of 3 numbers")),
    }
}
