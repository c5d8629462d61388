//! Array elements: address computation, reads and writes of single numbers, and views of another rank.

use super::error::Fault;
use super::messages;
use quasar_devicelib::boundary;
use quasar_devicelib::element::{Overflow, Scalar};
use quasar_devicelib::value::convert::convert_scalar;
use quasar_devicelib::value::index::{self, Access, Boundary};
use quasar_devicelib::value::{ArrayObject, ArrayRef, DataMut, Value, ValueError, array, shape};
use std::sync::Arc;

/// The most dimensions of an array, and the most indices of an access.
pub(super) const MAX_DIMS: usize = shape::MAX_DIMS;

/// The indices of one element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    items: [i64; MAX_DIMS],
    count: usize,
}

impl Position {
    pub(super) fn new() -> Position {
        Position { items: [0; MAX_DIMS], count: 0 }
    }

    /// Adds an index; returns false if there are too many.
    pub(super) fn push(&mut self, index: i64) -> bool {
        let free = self.items.get_mut(self.count);
        let fits = free.is_some();
        if let Some(item) = free {
            *item = index;
            self.count += 1;
        }
        fits
    }

    pub(super) fn items(&self) -> &[i64] {
        &self.items[..self.count]
    }

    fn text(&self) -> String {
        self.items().iter().map(i64::to_string).collect::<Vec<_>>().join(",")
    }
}

/// The part of an array that is accessed.
#[derive(Clone, Debug)]
pub(super) enum Selection {
    /// One element.
    Element(Position),
    /// Indices of any kind.
    Part(Vec<index::Index>),
    /// The variable itself.
    Whole,
}

/// The offset of an element; `None` if the boundary mode defines no element there. The caller creates the error.
fn offset(dims: &[usize], at: &[i64], mode: Boundary, writing: bool) -> Result<Option<usize>, ()> {
    // A vector accessed with several indices is a single row.
    let row = dims.len() == 1 && at.len() >= 2;
    let rank = dims.len().max(at.len()) + usize::from(row && at.len() < 2);
    let mut result = Some(0usize);
    for k in 0..rank {
        let extent = match (row, k) {
            (true, 0) => 1,
            (true, k) => dims.get(k - 1).copied().unwrap_or(1),
            (false, k) => dims.get(k).copied().unwrap_or(1),
        };
        let i = at.get(k).copied().unwrap_or(0);
        let place = match place(i, extent, mode, writing) {
            Some(place) => place,
            None if mode == Boundary::Checked => return Err(()),
            None => {
                result = None;
                continue;
            }
        };
        result = result.map(|r| r * extent + place);
    }
    Ok(result)
}

#[inline]
fn place(i: i64, n: usize, mode: Boundary, writing: bool) -> Option<usize> {
    if (i as u64) < n as u64 {
        return Some(i as usize);
    }
    let extent = i64::try_from(n).unwrap_or(i64::MAX);
    match mode {
        Boundary::Checked | Boundary::Safe | Boundary::Unchecked => None,
        Boundary::Circular | Boundary::Mirror | Boundary::Clamped if writing || n == 0 => None,
        Boundary::Circular => Some(boundary::periodize(i, extent) as usize),
        Boundary::Mirror => Some(boundary::mirror(i, extent) as usize),
        Boundary::Clamped => Some(boundary::clamp_index(i, extent) as usize),
    }
}

/// Reads an element; out of bounds it is zero (or `nullptr`) without an offset.
pub(super) fn read_element(
    array: &dyn ArrayObject,
    at: &Position,
    access: Access<'_>,
) -> Result<(Value, Option<usize>), ValueError> {
    array::read(array, |view| match offset(view.dims, at.items(), access.boundary, false) {
        Err(()) => Err(ValueError::out_of_bounds(access.name, &at.text(), view.dims)),
        Ok(None) => Ok((outside(&view), None)),
        Ok(Some(k)) => Ok((view.data.value(k).unwrap_or_default(), Some(k))),
    })
}

/// Reads a number, with its offset.
pub(super) fn read_number(
    array: &dyn ArrayObject,
    at: &Position,
    access: Access<'_>,
) -> Result<(Option<Scalar>, Option<usize>), ValueError> {
    array::read(array, |view| match offset(view.dims, at.items(), access.boundary, false) {
        Err(()) => Err(ValueError::out_of_bounds(access.name, &at.text(), view.dims)),
        Ok(None) => Ok((view.data.element_type().map(Scalar::zero), None)),
        Ok(Some(k)) => Ok((view.data.scalar(k), Some(k))),
    })
}

fn outside(view: &ArrayRef<'_>) -> Value {
    match view.data.element_type() {
        Some(element) => Value::Scalar(Scalar::zero(element)),
        None => match view.data.value(0) {
            Some(Value::Text(_)) => Value::from(""),
            _ => Value::Null,
        },
    }
}

/// Writes a number; the offset is `None` if nothing was written.
pub(super) fn write_number(
    array: &dyn ArrayObject,
    at: &Position,
    x: Scalar,
    access: Access<'_>,
) -> Result<Option<usize>, ValueError> {
    let x = match array.element_type() {
        Some(element) if element != x.element_type() => convert_scalar(x, element, access.overflow)?,
        _ => x,
    };
    array::write(array, |view| match offset(view.dims, at.items(), access.boundary, true) {
        Err(()) => Err(ValueError::out_of_bounds(access.name, &at.text(), view.dims)),
        Ok(None) => Ok(None),
        Ok(Some(k)) => match set_number(view.data, k, x) {
            true => Ok(Some(k)),
            false => Err(ValueError::wrong_type("array element", "a cell element", x.element_type().name())),
        },
    })
}

macro_rules! set {
    ($data:expr, $k:expr, $x:expr; $($variant:ident),*) => {
        match ($data, $x) {
            $((DataMut::$variant(v), Scalar::$variant(x)) => v.get_mut($k).map(|element| *element = x).is_some(),)*
            (DataMut::Values(v), x) => {
                v.get_mut($k).map(|element| *element = Value::Scalar(x)).is_some()
            }
            _ => false,
        }
    };
}

fn set_number(data: DataMut<'_>, k: usize, x: Scalar) -> bool {
    set!(data, k, x; I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64, C32, C64)
}

/// The indices of an element in the value library's type.
pub(super) fn as_indices(at: &Position) -> Vec<index::Index> {
    at.items().iter().map(|&i| index::Index::At(i)).collect()
}

/// The offsets that a selection covers, for observers.
pub(super) fn offsets(array: &dyn ArrayObject, selection: &[index::Index], mode: Boundary) -> Vec<usize> {
    let dims = array.dims();
    let Ok(count) = shape::count(&dims) else { return Vec::new() };
    // What watches accesses has no way to fail: without memory it sees none.
    let Ok(numbers) = array::collect(count, 0..count as i64) else { return Vec::new() };
    let numbers = array::ArrayBuf { dims, data: array::ArrayData::I64(numbers) };
    // An out-of-bounds index reads as zero, which names the first element; reporting that one is harmless.
    let mode = if mode == Boundary::Unchecked { Boundary::Safe } else { mode };
    let access = Access { name: "", boundary: mode, overflow: Overflow::Wrap };
    let Ok(selected) = index::load(&Value::from(numbers), selection, access) else { return Vec::new() };
    match &selected {
        Value::Array(a) => array::read(&**a, |view| {
            (0..view.data.len()).filter_map(|k| view.data.scalar(k)).map(|x| x.as_i64() as usize).collect()
        }),
        other => other.as_scalar().map(|x| x.as_i64() as usize).into_iter().collect(),
    }
}

/// Visits every array inside a value.
pub(super) fn arrays_in(value: &Value, f: &mut dyn FnMut(&Arc<dyn ArrayObject>)) {
    nested(value, 0, f);
}

fn nested(value: &Value, depth: usize, f: &mut dyn FnMut(&Arc<dyn ArrayObject>)) {
    if depth > quasar_devicelib::value::MAX_NESTING {
        return;
    }
    if let Value::Array(a) = value {
        f(a);
    }
    if value.is_cell() {
        for item in value.cell_items().ok().flatten().unwrap_or_default() {
            nested(&item, depth + 1, f);
        }
    }
}

/// A view with another rank: a vector is one row, further extents are 1; a single row or column is a vector.
pub(super) fn with_rank(
    a: &Arc<dyn ArrayObject>,
    rank: usize,
    expected: &str,
) -> Result<Arc<dyn ArrayObject>, Fault> {
    let dims = a.dims();
    if dims.len() == rank {
        return Ok(a.clone());
    }
    match shape::viewed(&dims, rank) {
        Some(view) => Ok(a.clone().reshaped(view)?),
        None => Err(messages::size_constraint(expected, &dims)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quasar_devicelib::value::{ArrayBuf, SharedArray};

    fn at(items: &[i64]) -> Position {
        let mut position = Position::new();
        assert!(items.iter().all(|&i| position.push(i)));
        position
    }

    #[test]
    fn offsets_follow_the_access_modes() {
        let mirror: Vec<_> =
            (-3..=6).map(|i| offset(&[4], &[i], Boundary::Mirror, false).unwrap().unwrap()).collect();
        assert_eq!(mirror, [2, 1, 0, 0, 1, 2, 3, 3, 2, 1]);
        assert_eq!(offset(&[4], &[-1], Boundary::Mirror, true), Ok(None));
        assert_eq!(offset(&[4, 5], &[3, 4], Boundary::Checked, true), Ok(Some(19)));
        assert_eq!(offset(&[4, 5], &[3, 5], Boundary::Checked, true), Err(()));
        assert_eq!(offset(&[4, 5], &[4, -1], Boundary::Clamped, false), Ok(Some(15)));
        assert_eq!(offset(&[0], &[0], Boundary::Circular, false), Ok(None));
    }

    #[test]
    fn missing_indices_are_zero_and_a_vec_is_a_row() {
        assert_eq!(offset(&[4, 5], &[2], Boundary::Checked, false), Ok(Some(10)));
        assert_eq!(offset(&[4, 5], &[2, 1, 0], Boundary::Checked, false), Ok(Some(11)));
        assert_eq!(offset(&[4, 5], &[2, 1, 1], Boundary::Safe, false), Ok(None));
        assert_eq!(offset(&[5], &[0, 3], Boundary::Checked, false), Ok(Some(3)));
        assert_eq!(offset(&[5], &[1, 3], Boundary::Checked, false), Err(()));
        assert_eq!(offset(&[5], &[0, 3, 0], Boundary::Checked, false), Ok(Some(3)));
    }

    #[test]
    fn views_share_their_elements() {
        let base: Arc<dyn ArrayObject> = SharedArray::new(ArrayBuf::vec(vec![1.0f32, 2.0, 3.0]));
        let row = with_rank(&base, 2, "mat").unwrap();
        assert_eq!(row.dims(), [1, 3]);
        write_number(&*row, &at(&[0, 2]), Scalar::F32(9.0), Access::default()).unwrap();
        assert_eq!(read_number(&*base, &at(&[2]), Access::default()).unwrap().0, Some(Scalar::F32(9.0)));
        assert_eq!(row.storage(), base.storage());
        assert_eq!(with_rank(&row, 1, "vec").unwrap().dims(), [3]);
        let error =
            write_number(&*row, &at(&[0, 3]), Scalar::F32(9.0), Access { name: "A", ..Access::default() });
        assert_eq!(error.unwrap_err().text, "index out of bounds: A[0,3], size 1x3");
    }
}
