//! Sorting, sets, histograms and search.

use super::reductions::with_real;
use super::{Call, Function, function};
use crate::element::{ElementType, Overflow, Scalar};
use crate::ops::Real;
use crate::value::array::{self, ArrayData, ArrayElement, DataRef};
use crate::value::convert::{convert_data, elements_as};
use crate::value::{ArrayBuf, Value, ValueError, elementwise, reduce, sequence, shape};

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
    fn typed<T: ArrayElement + Real>(
        data: DataRef<'_>,
        lines: (usize, usize, usize),
        with_places: bool,
    ) -> Result<(ArrayData, Vec<i32>), ValueError> {
        let x = elements_as::<T>(data)?;
        let (_, n, inner) = lines;
        let mut sorted = array::duplicate(&x)?;
        let mut places = if with_places { array::filled(0i32, x.len())? } else { Vec::new() };
        let mut order: Vec<usize> = array::reserve(n)?;
        reduce::each_line(&x, lines, |number, line| {
            let start = number / inner * n * inner + number % inner;
            if with_places {
                order.clear();
                order.extend(0..n);
                order.sort_unstable_by(|&a, &b| reduce::sorted(&line[a], &line[b]).then(a.cmp(&b)));
                order.iter().enumerate().for_each(|(i, &p)| places[start + i * inner] = p as i32);
                order.iter().enumerate().for_each(|(i, &p)| sorted[start + i * inner] = line[p]);
            } else {
                line.sort_unstable_by(reduce::sorted);
                line.iter().enumerate().for_each(|(i, &y)| sorted[start + i * inner] = y);
            }
            Ok(())
        })?;
        Ok((T::wrap(sorted), places))
    }
    if let Some(sorted) = sorted_strings(c)? {
        return Ok(sorted);
    }
    let given = if c.args.len() == 2 { Some(c.dimension(1)?) } else { None };
    let two = c.results > 1;
    c.view(0, |view| {
        let k = given.unwrap_or_else(|| default_dimension(view.dims));
        let dims = shape::raised(view.dims, k + 1);
        let lines = shape::around(&dims, k);
        let ty = view.data.element_type().unwrap_or(ElementType::Single);
        let (sorted, places) = with_real!(c, ty, T => typed::<T>(view.data, lines, two))?;
        let mut results = vec![ArrayBuf::new(view.dims.to_vec(), sorted)?.into()];
        if two {
            results.push(ArrayBuf::new(view.dims.to_vec(), ArrayData::I32(places))?.into());
        }
        Ok(results)
    })
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
    fn typed<T: ArrayElement + Real>(data: DataRef<'_>) -> Result<ArrayBuf, ValueError> {
        let mut items = array::duplicate(&elements_as::<T>(data)?)?;
        items.sort_unstable_by(reduce::sorted);
        items.dedup_by(|a, b| reduce::ascending(a, b).is_eq());
        Ok(ArrayBuf::vec(items))
    }
    if let Some(sorted) = sorted_strings(c)? {
        let mut items = sorted[0].cell_items()?.unwrap_or_default();
        items.dedup_by(|a, b| elementwise::equal(a, b));
        return Ok(vec![Value::cell(items)]);
    }
    let result = c.view(0, |view| {
        let ty = view.data.element_type().unwrap_or(ElementType::Single);
        with_real!(c, ty, T => typed::<T>(view.data))
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
            let n = view.data.len();
            array::collect(n, (0..n).map(|k| view.data.scalar(k).map_or(0.0, Scalar::as_f64)))
        })
    }
}

/// Element k counts `edges[k] <= x < edges[k+1]`; the last one counts `x == edges[end]`.
fn histc(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (x, edges) = (c.reals(0)?, c.reals(1)?);
    if edges.iter().any(|e| e.is_nan()) || edges.windows(2).any(|pair| pair[0] > pair[1]) {
        return Err(c.error("the edges must ascend"));
    }
    let mut counts = array::filled(0i32, edges.len())?;
    for x in x {
        let above = edges.partition_point(|&edge| edge <= x);
        let inside = above > 0 && (above < edges.len() || edges.last() == Some(&x));
        if inside {
            counts[above - 1] += 1;
        }
    }
    Ok(vec![ArrayBuf::vec(counts).into()])
}

/// Counts in n (10) bins of one width between the extrema; the second result are their centres.
fn hist(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let x = c.reals(0)?;
    let n = if c.args.len() == 2 { c.count(1)? } else { 10 };
    if n == 0 {
        return Err(c.error("at least one bin is needed"));
    }
    let finite = || x.iter().copied().filter(|x| x.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = match low.partial_cmp(&high) {
        Some(std::cmp::Ordering::Less) => (low, high),
        Some(std::cmp::Ordering::Equal) => (low - 0.5, high + 0.5),
        _ => (0.0, 1.0),
    };
    let width = (high - low) / n as f64;
    let mut counts = array::filled(0i32, n)?;
    for x in finite() {
        counts[(((x - low) / width) as usize).min(n - 1)] += 1;
    }
    let mut results = vec![ArrayBuf::vec(counts).into()];
    if c.results > 1 {
        let centres = sequence::linspace(low + width / 2.0, high - width / 2.0, n)?;
        let working = c.working();
        let data = convert_data(DataRef::F64(&centres), working, Overflow::Wrap)?;
        results.push(ArrayBuf::new(vec![n], data)?.into());
    }
    Ok(results)
}

/// `find(cond)`: the positions of non-zeros, one per row. `find(v, element)`: the first place of an element or -1.
fn find(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    if c.args.len() == 2 {
        return find_element(c);
    }
    let positions = c.view(0, |view| {
        let dims = shape::raised(view.dims, 2);
        let steps = shape::strides(&dims);
        let holds = |i: &usize| view.data.scalar(*i).is_some_and(Scalar::is_truthy);
        let rows = (0..view.data.len()).filter(holds).count();
        let mut items = array::reserve(shape::count(&[rows, dims.len()])?)?;
        for place in (0..view.data.len()).filter(holds) {
            items.extend(steps.iter().zip(&dims).map(|(&step, &n)| (place / step % n) as i32));
        }
        ArrayBuf::new(vec![rows, dims.len()], ArrayData::I32(items))
    })?;
    Ok(vec![positions.into()])
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
