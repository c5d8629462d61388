//! Sorting, sets, histograms and search.

use super::reductions::with_real;
use super::{Call, Function, function};
use crate::element::{ElementType, Overflow, Scalar};
use crate::value::array::{self, ArrayData, ArrayElement, ArrayRef, DataRef, for_elements};
use crate::value::convert::{convert_data, elements_as};
use crate::value::mapped::mapped;
use crate::value::offload::{Bins, Reduction, Work};
use crate::value::order::{self, Ordered};
use crate::value::rearrange::{Axis, rearrange};
use crate::value::workers::{self, Workers};
use crate::value::{ArrayBuf, Value, ValueError, elementwise, lines, reduce, sequence, shape};
use std::sync::{Mutex, PoisonError};

pub(super) static FUNCTIONS: &[Function] = &[
    function("sort", 1, 2, sort),
    function("unique", 1, 1, unique),
    function("histc", 2, 2, histc),
    function("hist", 1, 2, hist),
    function("find", 1, 2, find),
    function("find_element", 2, 2, find_element),
];

/// The dimension along which `sort` works if none is given: the only one with several elements, else within rows.
fn default_dimension(dims: &[usize]) -> usize {
    let mut long = dims.iter().enumerate().filter(|&(_, &n)| n != 1).map(|(k, _)| k);
    match (long.next(), long.next()) {
        (Some(k), None) => k,
        _ => usize::from(dims.len() > 1),
    }
}

fn sort(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    if let Some(sorted) = sorted_strings(c)? {
        return Ok(sorted);
    }
    let given = if c.args.len() == 2 { Some(c.dimension(1)?) } else { None };
    let two = c.results > 1;
    if c.args[0].element_type().is_some_and(|ty| !ty.is_complex()) && c.args[0].as_array().is_some() {
        let dims = c.args[0].dims();
        let k = given.unwrap_or_else(|| default_dimension(&dims));
        let along = shape::around(&shape::raised(&dims, k + 1), k);
        let work = Work::Sorted { source: &c.args[0], along, places: two };
        if let Some(Value::Tuple(sorted)) = c.host.on_device(&work)? {
            return Ok(sorted.to_vec());
        }
    }
    c.view(0, |view| {
        let k = given.unwrap_or_else(|| default_dimension(view.dims));
        let dims = shape::raised(view.dims, k + 1);
        let lines = shape::around(&dims, k);
        let ty = view.data.element_type().unwrap_or(ElementType::Single);
        with_real!(c, ty, T => sorted_lines::<T>(c, view, lines, two))
    })
}

/// Sorted lines, and on demand their elements' old places.
fn sorted_lines<T: Ordered>(
    c: &Call<'_>,
    view: ArrayRef<'_>,
    along: (usize, usize, usize),
    with_places: bool,
) -> Result<Vec<Value>, ValueError> {
    let (_, n, _) = along;
    let x = elements_as::<T>(view.data)?;
    let workers = c.workers(x.len().saturating_mul(16));
    // Lines whose elements do not lie side by side are sorted in a copy where they do.
    let mut lines = array::filled(T::default(), x.len())?;
    turn(workers, along, &x, &mut lines)?;
    if !with_places {
        lines::each_line_mut(workers, &mut lines, n, &|workers, _, line| order::sort(workers, line))?;
        return Ok(vec![c.made(view.dims.to_vec(), &mut |y| turn_back(workers, along, &lines, y))?]);
    }
    let mut places = array::filled(0i32, x.len())?;
    let of = |number: usize| &lines[number * n..][..n];
    lines::each_line_mut(workers, &mut places, n, &|workers, number, to| {
        order::places(workers, of(number), to)
    })?;
    let mut sorted = array::filled(T::default(), x.len())?;
    let place = |k: usize| places[k] as u32 as usize;
    lines::each_line_mut(workers, &mut sorted, n, &|_, number, to| {
        to.iter_mut().enumerate().for_each(|(k, y)| *y = of(number)[place(number * n + k)]);
        Ok(())
    })?;
    let sorted = c.made(view.dims.to_vec(), &mut |y| turn_back(workers, along, &sorted, y))?;
    Ok(vec![sorted, c.made(view.dims.to_vec(), &mut |y| turn_back(workers, along, &places, y))?])
}

/// Puts the elements of each line side by side.
fn turn<T: ArrayElement>(
    workers: &dyn Workers,
    (outer, n, inner): (usize, usize, usize),
    x: &[T],
    y: &mut [T],
) -> Result<(), ValueError> {
    if n == 1 || inner == 1 {
        y.copy_from_slice(x);
        return Ok(());
    }
    let axes = [Axis::evenly(outer, n * inner), Axis::evenly(inner, 1), Axis::evenly(n, inner)];
    rearrange(workers, x, y, &axes)
}

/// The reverse of that.
fn turn_back<T: ArrayElement>(
    workers: &dyn Workers,
    (outer, n, inner): (usize, usize, usize),
    x: &[T],
    y: &mut [T],
) -> Result<(), ValueError> {
    turn(workers, (outer, inner, n), x, y)
}

/// A vector of strings in the order of their characters.
fn sorted_strings(c: &Call<'_>) -> Result<Option<Vec<Value>>, ValueError> {
    let Some(items) = c.args[0].cell_items()? else { return Ok(None) };
    let found = items.iter().enumerate().filter_map(|(i, item)| item.as_text().map(|text| (text, i)));
    let mut texts: Vec<(&str, usize)> = array::collect(items.len(), found)?;
    if texts.len() != items.len() {
        return Err(c.wrong(0, "an array of numbers or a vector of strings"));
    }
    // Equal texts in their order: the places differ. Sorting in place takes no memory.
    texts.sort_unstable();
    let sorted = Value::cell(array::collect(texts.len(), texts.iter().map(|&(_, i)| items[i].clone()))?);
    let places = ArrayBuf::vec(array::collect(texts.len(), texts.iter().map(|&(_, i)| i as i32))?);
    Ok(Some(if c.results > 1 { vec![sorted, places.into()] } else { vec![sorted] }))
}

fn unique(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn typed<T: Ordered>(c: &Call<'_>, data: DataRef<'_>) -> Result<ArrayBuf, ValueError> {
        let mut items = array::duplicate(&elements_as::<T>(data)?)?;
        order::sort(c.workers(items.len().saturating_mul(16)), &mut items)?;
        items.dedup_by(|a, b| reduce::ascending(a, b).is_eq());
        Ok(ArrayBuf::vec(items))
    }
    if let Some(sorted) = sorted_strings(c)? {
        let mut items = sorted[0].cell_items()?.unwrap_or_default();
        items.dedup_by(|a, b| elementwise::equal(a, b));
        return Ok(vec![Value::cell(items)]);
    }
    if c.args[0].element_type().is_some_and(|ty| !ty.is_complex())
        && let Some(distinct) = c.host.on_device(&Work::Distinct { source: &c.args[0] })?
    {
        return Ok(vec![distinct]);
    }
    let result = c.view(0, |view| {
        let ty = view.data.element_type().unwrap_or(ElementType::Single);
        with_real!(c, ty, T => typed::<T>(c, view.data))
    })?;
    Ok(vec![result.into()])
}

impl Call<'_> {
    /// Real numbers as doubles.
    fn reals(&self, i: usize) -> Result<Vec<f64>, ValueError> {
        self.view(i, |view| {
            if view.data.element_type().is_some_and(ElementType::is_complex) {
                return Err(self.wrong(i, "real numbers"));
            }
            fn typed<T: ArrayElement>(x: &[T]) -> Result<Vec<f64>, ValueError> {
                mapped(x, |x| x.to_scalar().as_f64())
            }
            for_elements!(view.data, DataRef, x => typed(x), _x => Err(self.wrong(i, "numbers")))
        })
    }
}

/// Elements that are worth a part of their own.
const GRAIN: usize = 1 << 16;

impl Call<'_> {
    /// The parts of an array of real numbers for threads.
    fn shares<'x, T: ArrayElement>(&self, x: &'x [T]) -> Result<(&dyn Workers, Vec<&'x [T]>), ValueError> {
        if T::TYPE.is_complex() {
            return Err(self.wrong(0, "real numbers"));
        }
        let workers = self.workers(x.len().saturating_mul(4));
        let share = workers::share(workers, x.len(), GRAIN);
        Ok((workers, array::collect(x.len().div_ceil(share), x.chunks(share))?))
    }

    /// How many elements each bin has.
    fn counts(&mut self, bins: Bins<'_>) -> Result<Value, ValueError> {
        let source = &self.args[0];
        if source.element_type().is_some_and(|ty| !ty.is_complex())
            && source.as_array().is_some()
            && let Some(counts) = self.host.on_device(&Work::Counted { source, bins })?
        {
            return Ok(counts);
        }
        Ok(ArrayBuf::vec(self.view(0, |view| self.counts_of(view.data, bins))?).into())
    }

    /// The same of elements in memory.
    fn counts_of(&self, data: DataRef<'_>, bins: Bins<'_>) -> Result<Vec<i32>, ValueError> {
        fn typed<T: ArrayElement>(
            c: &Call<'_>,
            x: &[T],
            places: usize,
            count: &(dyn Fn(&[f64], &mut [i32]) + Sync),
        ) -> Result<Vec<i32>, ValueError> {
            let total = Mutex::new(array::filled(0i32, places)?);
            let (workers, parts) = c.shares(x)?;
            workers::try_each(workers, parts, &|x| {
                let mut counts = array::filled(0i32, places)?;
                let mut block = [0.0; 256];
                for x in x.chunks(block.len()) {
                    let block = &mut block[..x.len()];
                    for i in 0..x.len() {
                        block[i] = x[i].to_scalar().as_f64();
                    }
                    count(block, &mut counts);
                }
                let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
                total.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
                Ok(())
            })?;
            Ok(total.into_inner().unwrap_or_else(PoisonError::into_inner))
        }
        // Blocks of doubles, so that what counts is compiled once and not for each type.
        let count = |x: &[f64], counts: &mut [i32]| {
            x.iter().filter_map(|&x| bins.place(x)).for_each(|k| counts[k] += 1);
        };
        for_elements!(data, DataRef, x => typed(self, x, bins.number(), &count), _x => Err(self.wrong(0, "numbers")))
    }

    /// The extrema of the finite elements; the greater one first if there are none.
    fn finite_range(&self, data: DataRef<'_>) -> Result<(f64, f64), ValueError> {
        fn typed<T: ArrayElement>(c: &Call<'_>, x: &[T]) -> Result<(f64, f64), ValueError> {
            let both = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
            let total = Mutex::new((f64::INFINITY, f64::NEG_INFINITY));
            let (workers, parts) = c.shares(x)?;
            workers::each(workers, parts, &|x| {
                let finite = x.iter().map(|x| x.to_scalar().as_f64()).filter(|x| x.is_finite());
                let found = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |range, x| both(range, (x, x)));
                let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
                *total = both(*total, found);
            });
            Ok(total.into_inner().unwrap_or_else(PoisonError::into_inner))
        }
        for_elements!(data, DataRef, x => typed(self, x), _x => Err(self.wrong(0, "numbers")))
    }
}

/// Element k counts `edges[k] <= x < edges[k+1]`; the last one counts `x == edges[end]`.
fn histc(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let edges = c.reals(1)?;
    if edges.iter().any(|e| e.is_nan()) || edges.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err(c.error("the edges must ascend"));
    }
    Ok(vec![c.counts(Bins::Edges(&edges))?])
}

/// Counts in n (10) bins of one width between the extrema; the second result are their centres.
fn hist(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let n = if c.args.len() == 2 { c.count(1)? } else { 10 };
    if n == 0 {
        return Err(c.error("at least one bin is needed"));
    }
    let range = match extrema_on_device(c)? {
        Some(range) => range,
        None => c.view(0, |view| c.finite_range(view.data))?,
    };
    let (low, high) = match range.0.partial_cmp(&range.1) {
        Some(std::cmp::Ordering::Less) => range,
        Some(std::cmp::Ordering::Equal) => (range.0 - 0.5, range.1 + 0.5),
        _ => (0.0, 1.0),
    };
    let width = (high - low) / n as f64;
    let mut results = vec![c.counts(Bins::Even { low, width, count: n })?];
    if c.results > 1 {
        let centres = sequence::linspace(low + width / 2.0, high - width / 2.0, n)?;
        let working = c.working();
        let data = convert_data(DataRef::F64(&centres), working, Overflow::Wrap)?;
        results.push(ArrayBuf::new(vec![n], data)?.into());
    }
    Ok(results)
}

/// The extrema, if a device found them and both are finite.
fn extrema_on_device(c: &mut Call<'_>) -> Result<Option<(f64, f64)>, ValueError> {
    let source = &c.args[0];
    let (Some(ty), Some(array)) = (source.element_type(), source.as_array()) else { return Ok(None) };
    if ty.is_complex() {
        return Ok(None);
    }
    let along = (1, shape::count(&array.dims())?, 1);
    let extremum = |reduction| {
        let work = Work::Reduced { source, reduction, along, computing: ty, result: ty, dims: &[1] };
        let Some(found) = c.host.on_device(&work)? else { return Ok(None) };
        let Some(found) = found.as_array() else { return Ok(None) };
        array::read(found, |view| Ok(view.data.scalar(0).map(Scalar::as_f64).filter(|x| x.is_finite())))
    };
    let Some(low) = extremum(Reduction::Minimum)? else { return Ok(None) };
    Ok(extremum(Reduction::Maximum)?.map(|high| (low, high)))
}

/// `find(cond)`: the positions of non-zeros, one per row. `find(v, element)`: the first place of an element or -1.
fn find(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    if c.args.len() == 2 {
        return find_element(c);
    }
    if c.args[0].as_array().is_some() {
        let dims = shape::raised(&c.args[0].dims(), 2);
        if let Some(found) = c.host.on_device(&Work::Found { condition: &c.args[0], dims: &dims })? {
            return Ok(vec![found]);
        }
    }
    let positions = c.view(0, |view| {
        let dims = shape::raised(view.dims, 2);
        let items = for_elements!(view.data, DataRef, x => positions(x, &dims), _x => {
            Err(c.wrong(0, "an array of numbers"))
        })?;
        ArrayBuf::new(vec![items.len() / dims.len(), dims.len()], ArrayData::I32(items))
    })?;
    Ok(vec![positions.into()])
}

/// The positions of elements that are not 0, one behind the other.
fn positions<T: ArrayElement>(x: &[T], dims: &[usize]) -> Result<Vec<i32>, ValueError> {
    let holds = |x: &T| x.to_scalar().is_truthy();
    let count = x.iter().filter(|x| holds(x)).count();
    let mut items = array::reserve(shape::count(&[count, dims.len()])?)?;
    let row = dims.last().copied().unwrap_or(1).max(1);
    let mut position = array::filled(0i32, dims.len())?;
    for x in x.chunks(row) {
        for (k, _) in x.iter().enumerate().filter(|(_, x)| holds(x)) {
            position[dims.len() - 1] = k as i32;
            items.extend_from_slice(&position);
        }
        for (k, &n) in dims.iter().enumerate().rev().skip(1) {
            position[k] += 1;
            if (position[k] as usize) < n {
                break;
            }
            position[k] = 0;
        }
    }
    Ok(items)
}

fn find_element(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let element = &c.args[1];
    let place = match c.args[0].cell_items()? {
        Some(items) => items.iter().position(|item| elementwise::equal(item, element)),
        None => c.view(0, |view| {
            let is_element = |i: &usize| view.data.value(*i).is_some_and(|x| elementwise::equal(&x, element));
            Ok((0..view.data.len()).find(is_element))
        })?,
    };
    Ok(vec![Value::int(place.map_or(-1, |i| i as i64))])
}
