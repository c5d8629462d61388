//! Reading and writing parts of arrays: every kind of index in every boundary mode, and the shapes that result.

use super::array::{self, ArrayData, ArrayElement, ArrayObject, ArrayRef, DataMut, DataRef, for_elements};
use super::convert::{convert_data, numbers};
use super::error::{ErrorKind, ValueError};
use super::mapped::mapped;
use super::slice::Slice;
use super::{ArrayBuf, Value, rearrange, sequence, shape, text};
use crate::boundary;
use crate::element::{ElementType, Overflow, Scalar};

/// One index between `[` and `]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Index {
    /// A number.
    At(i64),
    /// A sequence written as an index: `from, from + step, ..`.
    Range {
        /// The first position.
        from: i64,
        /// The distance of neighbours.
        step: i64,
        /// How many.
        count: usize,
    },
    /// A vector of positions. Alone on an array of two or more dimensions it is a `Position`.
    List(Vec<i64>),
    /// `:`.
    All,
    /// A vector known to be a position, or the consecutive indices of `...p`.
    Position(Vec<i64>),
    /// The positions where a mask holds. Alone the mask has the shape of the array; beside other indices it is a vector
    /// along a dimension.
    Mask {
        /// The extents of the mask.
        dims: Vec<usize>,
        /// Where it holds, in row-major order.
        places: Vec<usize>,
    },
}

/// What an index outside an array means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Boundary {
    /// An error.
    #[default]
    Checked,
    /// Reads give zero, writes do nothing.
    Safe,
    /// The array repeats.
    Circular,
    /// The array repeats, every second time reversed.
    Mirror,
    /// The nearest element.
    Clamped,
    /// Unspecified; here as `Safe`.
    Unchecked,
}

/// How an array is accessed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Access<'a> {
    /// The array in the program, for messages.
    pub name: &'a str,
    /// What positions outside mean.
    pub boundary: Boundary,
    /// What happens when a stored value does not fit the element type.
    pub overflow: Overflow,
}

/// Marks a position outside the array that reads as zero.
const OUTSIDE: usize = usize::MAX;

/// The positions selected along one dimension.
enum Axis {
    /// Positions that lie evenly, all of them inside.
    Even {
        start: usize,
        step: isize,
        count: usize,
    },
    Places(Vec<usize>),
}

impl Axis {
    fn len(&self) -> usize {
        match self {
            Axis::Even { count, .. } => *count,
            Axis::Places(places) => places.len(),
        }
    }

    fn at(&self, i: usize) -> usize {
        match self {
            Axis::Even { start, step, .. } => start.wrapping_add_signed(step.wrapping_mul(i as isize)),
            Axis::Places(places) => places[i],
        }
    }
}

impl Axis {
    /// The distance of the nearest position along a dimension with this step, and those of all positions from there; nothing if
    /// they do not lie evenly.
    fn evenly(&self, step: usize) -> Option<(usize, rearrange::Axis)> {
        let places = match self {
            Axis::Even { start, step: apart, count } => {
                let axis = rearrange::Axis::evenly(*count, apart.unsigned_abs() * step);
                return Some(match *count {
                    0 => (0, rearrange::Axis::evenly(0, step)),
                    n if *apart < 0 => (self.at(n - 1) * step, axis.reversed()),
                    _ => (start * step, axis),
                });
            }
            Axis::Places(places) => &places[..],
        };
        let &[first, second, ..] = places else {
            return match *places {
                [only] if only != OUTSIDE => Some((only * step, rearrange::Axis::evenly(1, step))),
                _ => None,
            };
        };
        let apart = second.wrapping_sub(first);
        let regular = places.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == apart);
        let last = *places.last()?;
        if !regular || places.contains(&OUTSIDE) {
            return None;
        }
        let axis = rearrange::Axis::evenly(places.len(), first.abs_diff(second) * step);
        Some(if last >= first { (first * step, axis) } else { (last * step, axis.reversed()) })
    }
}

/// A resolved selection.
struct Selection {
    axes: Vec<Axis>,
    strides: Vec<usize>,
    /// The dimensions of the slice; none if a single element is selected.
    shape: Option<Vec<usize>>,
    count: usize,
}

impl Index {
    /// A sequence `from..step..to` written in place.
    pub fn range(from: i64, step: i64, to: i64) -> Result<Index, ValueError> {
        Ok(Index::Range { from, step, count: sequence::count_integers(from, step, to)? })
    }

    /// The index that a value stands for, except a sequence written in place.
    pub fn from_value(value: &Value) -> Result<Index, ValueError> {
        if let Some(x) = value.as_scalar() {
            return index_number(x).map(Index::At);
        }
        match value {
            Value::Array(a) if a.is_mask() => Ok(Index::Mask { dims: a.dims(), places: places_of(&**a)? }),
            Value::Array(a) if a.element_type().is_some() => {
                array::read(&**a, |view| integers(view.data)).map(Index::List)
            }
            // A cell of numbers is a vector of them.
            other => {
                let wrong =
                    || ValueError::wrong_type("index", "a number or a vector of numbers", &other.kind());
                let items = other.cell_items()?.ok_or_else(wrong)?;
                let number = |item: &Value| index_number(item.as_scalar().ok_or_else(wrong)?);
                array::try_collect(items.len(), items.iter().map(number)).map(Index::List)
            }
        }
    }
}

/// The linear positions where a mask holds.
fn places_of(mask: &dyn ArrayObject) -> Result<Vec<usize>, ValueError> {
    fn typed<T: ArrayElement>(x: &[T]) -> Result<Vec<usize>, ValueError> {
        let count = x.iter().filter(|x| x.to_scalar().is_truthy()).count();
        let mut places = array::reserve(count)?;
        for (i, x) in x.iter().enumerate() {
            if x.to_scalar().is_truthy() {
                places.push(i);
            }
        }
        Ok(places)
    }
    array::read(mask, |view| for_elements!(view.data, DataRef, x => typed(x), _x => Ok(Vec::new())))
}

fn index_number(x: Scalar) -> Result<i64, ValueError> {
    if x.element_type().is_complex() {
        return Err(ValueError::wrong_type("index", "a real number", x.element_type().name()));
    }
    Ok(x.as_i64())
}

fn integers(data: DataRef<'_>) -> Result<Vec<i64>, ValueError> {
    fn typed<T: ArrayElement>(x: &[T]) -> Result<Vec<i64>, ValueError> {
        match x.first() {
            // The words of one number.
            Some(first) if T::TYPE.is_complex() => index_number(first.to_scalar()).map(|i| vec![i]),
            _ => mapped(x, |x| x.to_scalar().as_i64()),
        }
    }
    for_elements!(data, DataRef, x => typed(x), _x => Err(ValueError::wrong_type("index", "numbers", "a cell")))
}

/// Maps an index into an extent; `OUTSIDE` if it selects nothing.
fn place(i: i64, n: usize, mode: Boundary, writing: bool) -> Option<usize> {
    if i >= 0 && (i as u64) < n as u64 {
        return Some(i as usize);
    }
    let extent = i64::try_from(n).unwrap_or(i64::MAX);
    match mode {
        Boundary::Checked => None,
        Boundary::Safe | Boundary::Unchecked => Some(OUTSIDE),
        _ if writing || n == 0 => Some(OUTSIDE),
        Boundary::Circular => Some(boundary::periodize(i, extent) as usize),
        Boundary::Mirror => Some(boundary::mirror(i, extent) as usize),
        Boundary::Clamped => Some(boundary::clamp_index(i, extent) as usize),
    }
}

fn resolve_axis(
    index: &Index,
    n: usize,
    mode: Boundary,
    writing: bool,
) -> Result<Result<Axis, i64>, ValueError> {
    let mapped =
        |items: &mut dyn Iterator<Item = i64>, count: usize| -> Result<Result<Axis, i64>, ValueError> {
            let mut places = array::reserve(count)?;
            for i in items {
                match place(i, n, mode, writing) {
                    Some(p) => places.push(p),
                    None => return Ok(Err(i)),
                }
            }
            Ok(Ok(Axis::Places(places)))
        };
    match index {
        Index::All => Ok(Ok(Axis::Even { start: 0, step: 1, count: n })),
        Index::At(i) => Ok(match place(*i, n, mode, writing) {
            Some(OUTSIDE) => Ok(Axis::Places(vec![OUTSIDE])),
            Some(start) => Ok(Axis::Even { start, step: 1, count: 1 }),
            None => Err(*i),
        }),
        Index::Range { from, step, count }
            if *count == 0 || [*from, last(index)].iter().all(|&end| end >= 0 && (end as u64) < n as u64) =>
        {
            Ok(Ok(Axis::Even {
                start: if *count == 0 { 0 } else { *from as usize },
                step: *step as isize,
                count: *count,
            }))
        }
        Index::Range { from, step, count } => {
            let positions = (0..*count as i64).map(|k| from.saturating_add(step.saturating_mul(k)));
            if mode == Boundary::Checked {
                let last = last(index);
                for end in [*from, last] {
                    if *count > 0 && (end < 0 || end as u64 >= n as u64) {
                        return Ok(Err(if place(*from, n, mode, writing).is_none() { *from } else { last }));
                    }
                }
            }
            mapped(&mut { positions }, *count)
        }
        Index::List(items) | Index::Position(items) => mapped(&mut items.iter().copied(), items.len()),
        Index::Mask { dims, places } => {
            let long = dims.iter().filter(|&&extent| extent != 1).count();
            if long > 1 || shape::count(dims)? != n {
                let mask = shape::dims_text(dims);
                let text = format!("a mask of size {mask} does not fit a dimension of extent {n}");
                return Err(ValueError::shape(text));
            }
            mapped(&mut places.iter().map(|&place| place as i64), places.len())
        }
    }
}

/// Brings the indices and the dimensions to one length.
fn normalize(indices: &[Index], dims: &[usize]) -> (Vec<Index>, Vec<usize>) {
    let mut list: Vec<Index> = Vec::with_capacity(indices.len().max(dims.len()));
    for index in indices {
        match index {
            Index::Position(p) => list.extend(p.iter().map(|&i| Index::At(i))),
            Index::List(p) if indices.len() == 1 && dims.len() >= 2 => {
                list.extend(p.iter().map(|&i| Index::At(i)))
            }
            other => list.push(other.clone()),
        }
    }
    let is_position = matches!(indices, [Index::Position(_) | Index::List(_)]);
    let dims = shape::raised(dims, list.len());
    let whole_rows = list.len() == 1
        && !is_position
        && match list[0] {
            Index::At(_) => dims.len() == 2 && dims[1] != 1,
            _ => true,
        };
    while list.len() < dims.len() {
        list.push(if whole_rows { Index::All } else { Index::At(0) });
    }
    (list, dims)
}

/// The last position of a sequence.
fn last(index: &Index) -> i64 {
    match index {
        Index::Range { from, step, count } => {
            let steps = i64::try_from(*count).unwrap_or(i64::MAX).saturating_sub(1);
            from.saturating_add(step.saturating_mul(steps))
        }
        _ => 0,
    }
}

fn index_text(list: &[Index], wrong: usize, found: i64, shown: usize) -> String {
    let text = |(k, index): (usize, &Index)| match index {
        _ if k == wrong => found.to_string(),
        Index::At(i) => i.to_string(),
        Index::All => ":".to_string(),
        Index::Range { from, step: 1, .. } => format!("{from}..{}", last(index)),
        Index::Range { from, step, .. } => format!("{from}..{step}..{}", last(index)),
        Index::List(_) | Index::Position(_) | Index::Mask { .. } => "[..]".to_string(),
    };
    list.iter().enumerate().take(shown.max(wrong + 1)).map(text).collect::<Vec<_>>().join(",")
}

fn select(
    dims: &[usize],
    indices: &[Index],
    access: Access<'_>,
    writing: bool,
) -> Result<Selection, ValueError> {
    if indices.is_empty() {
        return Err(ValueError::new(
            ErrorKind::Index,
            format!("no index between the brackets of {}[]", access.name),
        ));
    }
    if let [Index::Mask { dims: mask, places }] = indices {
        if !shape::same(dims, mask) {
            return Err(ValueError::dimensions(dims, mask));
        }
        return Ok(Selection::at(array::duplicate(places)?));
    }
    let (list, raised) = normalize(indices, dims);
    if list.len() > shape::MAX_DIMS {
        return Err(ValueError::too_many_dimensions(list.len()));
    }
    let mut axes = Vec::with_capacity(list.len());
    for (k, index) in list.iter().enumerate() {
        match resolve_axis(index, raised[k], access.boundary, writing)? {
            Ok(axis) => axes.push(axis),
            Err(found) => {
                let given =
                    indices.iter().map(|i| if let Index::Position(p) = i { p.len() } else { 1 }).sum();
                let shown = if matches!(indices, [Index::List(_)]) { list.len() } else { given };
                return Err(ValueError::out_of_bounds(
                    access.name,
                    &index_text(&list, k, found, shown),
                    dims,
                ));
            }
        }
    }
    let scalar: Vec<bool> = list.iter().map(|index| matches!(index, Index::At(_))).collect();
    let extents: Vec<usize> = axes.iter().map(Axis::len).collect();
    let count = shape::count(&extents)?;
    let shape = (!scalar.iter().all(|&s| s)).then(|| shape::sliced(&extents, &scalar));
    Ok(Selection { axes, strides: shape::strides(&raised), shape, count })
}

impl Selection {
    /// The elements at linear positions, as a vec.
    fn at(places: Vec<usize>) -> Selection {
        Selection {
            shape: Some(vec![places.len()]),
            count: places.len(),
            axes: vec![Axis::Places(places)],
            strides: vec![1],
        }
    }

    /// The offsets of the selected elements in row-major order, row by row: the base of the row (or `OUTSIDE`), then
    /// the last axis.
    fn rows(&self, mut row: impl FnMut(usize, &Axis)) {
        let Some((last, leading)) = self.axes.split_last() else { return };
        if self.count == 0 {
            return;
        }
        let mut counter = vec![0usize; leading.len()];
        loop {
            let mut base = 0usize;
            for (k, axis) in leading.iter().enumerate() {
                let p = axis.at(counter[k]);
                base = if p == OUTSIDE || base == OUTSIDE { OUTSIDE } else { base + p * self.strides[k] };
            }
            row(base, last);
            let Some(k) = (0..leading.len()).rev().find(|&k| counter[k] + 1 < leading[k].len()) else {
                return;
            };
            counter[k] += 1;
            counter[k + 1..].fill(0);
        }
    }

    fn read<T: Clone>(&self, source: &[T], zero: &T) -> Result<Vec<T>, ValueError> {
        let mut result = array::reserve(self.count)?;
        self.rows(|base, last| match last {
            _ if base == OUTSIDE => result.extend(std::iter::repeat_n(zero, last.len()).cloned()),
            Axis::Even { start, step: 1, count } => {
                result.extend_from_slice(source.get(base + start..base + start + count).unwrap_or(&[]));
            }
            Axis::Even { count, .. } => {
                result.extend((0..*count).filter_map(|i| source.get(base + last.at(i))).cloned());
            }
            Axis::Places(places) => {
                result.extend(
                    places.iter().map(|&p| if p == OUTSIDE { zero } else { &source[base + p] }).cloned(),
                );
            }
        });
        Ok(result)
    }

    /// Writes one element to all places, or as many as there are places.
    fn write<T: Copy>(&self, target: &mut [T], source: &[T]) {
        let mut done = 0;
        self.rows(|base, last| {
            let items =
                if let [_] = source { source } else { source.get(done..done + last.len()).unwrap_or(&[]) };
            done += last.len();
            if base == OUTSIDE {
                return;
            }
            match (last, items) {
                (Axis::Even { start, step: 1, count }, items) => {
                    let Some(row) = target.get_mut(base + start..base + start + count) else { return };
                    match items {
                        [x] => row.fill(*x),
                        items if items.len() == row.len() => row.copy_from_slice(items),
                        _ => {}
                    }
                }
                (Axis::Even { count, .. }, items) => {
                    for i in 0..*count {
                        target[base + last.at(i)] = if let [x] = items { *x } else { items[i] };
                    }
                }
                (Axis::Places(places), [x]) => {
                    places.iter().filter(|&&p| p != OUTSIDE).for_each(|p| target[base + p] = *x);
                }
                (Axis::Places(places), items) => {
                    let inside = places.iter().zip(items).filter(|(p, _)| **p != OUTSIDE);
                    inside.for_each(|(p, x)| target[base + p] = *x);
                }
            }
        });
    }

    /// Calls `set` with each selected element and its number in the selection.
    fn each<T>(&self, target: &mut [T], mut set: impl FnMut(&mut T, usize)) {
        let mut done = 0;
        self.rows(|base, last| {
            for i in 0..last.len() {
                let p = last.at(i);
                if base != OUTSIDE
                    && p != OUTSIDE
                    && let Some(element) = target.get_mut(base + p)
                {
                    set(element, done + i);
                }
            }
            done += last.len();
        });
    }
}

/// The slice of an array of these dimensions whose positions lie evenly; nothing for single elements, other positions, and wrong ones.
pub(super) fn even_slice(
    dims: &[usize],
    indices: &[Index],
    access: Access<'_>,
    writing: bool,
) -> Option<Slice> {
    let selection = select(dims, indices, access, writing).ok()?;
    let mut slice = Slice { first: 0, axes: Vec::new(), dims: selection.shape? };
    for (axis, &step) in selection.axes.iter().zip(&selection.strides) {
        let (first, axis) = axis.evenly(step)?;
        slice.first += first;
        slice.axes.push(axis);
    }
    Some(slice)
}

/// `array[indices]`.
pub fn load(array: &Value, indices: &[Index], access: Access<'_>) -> Result<Value, ValueError> {
    match array {
        Value::Array(a) => load_array(&**a, indices, access),
        Value::Scalar(_) | Value::Enum { .. } => load_scalar(array, indices, access),
        Value::Text(text) => load_text(text, indices, access),
        Value::Tuple(items) => load(&Value::cell(items.to_vec()), indices, access),
        other => Err(ValueError::wrong_type("indexing", "an array, a cell or a string", &other.kind())),
    }
}

fn load_array(a: &dyn ArrayObject, indices: &[Index], access: Access<'_>) -> Result<Value, ValueError> {
    let selection = select(&a.dims(), indices, access, false)?;
    let selected = array::read(a, |view| load_selected(view, &selection))?;
    Ok(if a.is_mask() { selected.into_mask() } else { selected })
}

fn load_selected(view: ArrayRef<'_>, selection: &Selection) -> Result<Value, ValueError> {
    fn typed<T: ArrayElement>(v: &[T], selection: &Selection) -> Result<ArrayData, ValueError> {
        Ok(T::wrap(selection.read(v, &T::default())?))
    }
    let data = for_elements!(view.data, DataRef, v => typed(v, selection)?, v => {
        ArrayData::Values(selection.read(v, &default_like(v))?)
    });
    match &selection.shape {
        None => Ok(data.view().value(0).unwrap_or(Value::Null)),
        Some(dims) => Ok(ArrayBuf::new(dims.clone(), data)?.into()),
    }
}

/// What a read outside a cell gives: the empty string among strings, `nullptr` otherwise.
fn default_like(items: &[Value]) -> Value {
    match items.first() {
        Some(Value::Text(_)) => Value::from(""),
        _ => Value::Null,
    }
}

/// A number may be indexed with zeros only.
fn load_scalar(x: &Value, indices: &[Index], access: Access<'_>) -> Result<Value, ValueError> {
    let selection = select(&[1], indices, access, false)?;
    match selection.shape {
        None => {
            let inside = selection.axes.iter().all(|axis| axis.at(0) != OUTSIDE);
            Ok(if inside {
                x.clone()
            } else {
                Value::Scalar(Scalar::zero(x.element_type().unwrap_or(ElementType::Int32)))
            })
        }
        Some(_) => {
            let text = format!("{} is a number: it can be indexed with zeros only", access.name);
            Err(ValueError::new(ErrorKind::Index, text))
        }
    }
}

fn load_text(text: &str, indices: &[Index], access: Access<'_>) -> Result<Value, ValueError> {
    let characters: Vec<char> = array::collect(text.chars().count(), text.chars())?;
    if indices.len() != 1 {
        let text = format!("a string takes one index, found {}", indices.len());
        return Err(ValueError::new(ErrorKind::Index, text));
    }
    let selection = select(&[characters.len()], indices, access, false)?;
    let selected = selection.read(&characters, &'\0')?;
    text::of_characters(selected.into_iter().filter(|&c| c != '\0'))
}

/// `x[mask] = value` with an array: one shaped like `x` gives its elements at the same places, a vec one for each place.
fn store_masked(
    x: &Value,
    indices: &[Index],
    places: &[usize],
    value: &Value,
    access: Access<'_>,
) -> Result<(), ValueError> {
    let Value::Array(target) = x else {
        return Err(ValueError::wrong_type("conditional assignment", "an array", &x.kind()));
    };
    let selection = select(&target.dims(), indices, access, true)?;
    let dims = value.dims();
    let value = match value.as_array() {
        Some(source) if shape::same(&dims, &x.dims()) => {
            let data = array::read(source, |view| view.data.gather(places))?;
            Value::from(ArrayBuf::new(vec![places.len()], data)?)
        }
        _ if shape::count(&dims)? == places.len() && dims.len() == 1 => value.clone(),
        _ => {
            let text = format!(
                "Dimensions do not match: {} elements are selected and {} are assigned",
                places.len(),
                shape::dims_text(&dims)
            );
            return Err(ValueError::shape(text));
        }
    };
    match target.element_type() {
        Some(element) => store_numbers(&**target, element, &selection, &value, access),
        None => store_values(&**target, &selection, &value),
    }
}

/// `array[indices] = value`: a number fills, an array needs as many elements with the same extents other than 1.
pub fn store(array: &Value, indices: &[Index], value: &Value, access: Access<'_>) -> Result<(), ValueError> {
    if let [Index::Mask { places, .. }] = indices
        && value.as_array().is_some()
    {
        return store_masked(array, indices, places, value, access);
    }
    let Value::Array(target) = array else {
        return Err(ValueError::wrong_type("assignment to an element", "an array or a cell", &array.kind()));
    };
    let selection = select(&target.dims(), indices, access, true)?;
    match target.element_type() {
        Some(element) => store_numbers(&**target, element, &selection, value, access),
        None => store_values(&**target, &selection, value),
    }
}

fn check_assignable(selection: &Selection, source: &[usize]) -> Result<(), ValueError> {
    let single = [1usize];
    let dims = selection.shape.as_deref().unwrap_or(&single);
    if shape::assignable(dims, source) { Ok(()) } else { Err(ValueError::dimensions(dims, source)) }
}

fn store_numbers(
    target: &dyn ArrayObject,
    element: ElementType,
    selection: &Selection,
    value: &Value,
    access: Access<'_>,
) -> Result<(), ValueError> {
    let cell = match value {
        cell if selection.shape.is_some() => numbers(cell, element, access.overflow).transpose()?,
        _ => None,
    };
    let source = match cell.as_ref().unwrap_or(value) {
        Value::Array(a) if a.element_type().is_some() => {
            check_assignable(selection, &a.dims())?;
            array::read(&**a, |view| convert_data(view.data, element, access.overflow))?
        }
        other => {
            let Some(x) = other.as_scalar() else {
                return Err(ValueError::wrong_type("array element", element.name(), &other.kind()));
            };
            convert_data(ArrayData::filled(x, 1)?.view(), element, access.overflow)?
        }
    };
    target.check_changeable()?;
    array::write(target, |view| write_numbers(view.data, selection, &source));
    Ok(())
}

fn write_numbers(target: DataMut<'_>, selection: &Selection, source: &ArrayData) {
    fn typed<T: ArrayElement>(target: &mut [T], selection: &Selection, source: &ArrayData) {
        selection.write(target, T::slice(source.view()).unwrap_or(&[]));
    }
    for_elements!(target, DataMut, v => typed(v, selection, source), _v => ());
}

fn store_values(target: &dyn ArrayObject, selection: &Selection, value: &Value) -> Result<(), ValueError> {
    let several = selection.shape.is_some().then(|| value.clone().with_cells());
    let items = match several {
        Some(Value::Array(a)) => {
            check_assignable(selection, &a.dims())?;
            array::read(&*a, |view| view.data.to_values())?
        }
        _ => vec![value.clone()],
    };
    // The old elements are dropped after the lock is released: dropping them may reach this array again.
    let mut old = array::reserve(selection.count)?;
    target.check_changeable()?;
    array::write(target, |view| {
        if let DataMut::Values(elements) = view.data {
            selection.each(elements, |element, i| {
                let item = if items.len() == 1 { &items[0] } else { &items[i] };
                old.push(std::mem::replace(element, item.clone()));
            });
        }
    });
    Ok(())
}

/// Sets every element of an array.
pub fn fill(array: &Value, value: &Value, access: Access<'_>) -> Result<(), ValueError> {
    let all = vec![Index::All; array.dims().len()];
    store(array, &all, value, access)
}

/// `target = value` for a whole array in place, as compound assignments to array variables do. The shapes must be
/// the same.
pub fn assign_all(target: &Value, value: &Value, access: Access<'_>) -> Result<(), ValueError> {
    if value.as_array().is_some() && !shape::same(&target.dims(), &value.dims()) {
        return Err(ValueError::dimensions(&target.dims(), &value.dims()));
    }
    fill(target, value, access)
}
