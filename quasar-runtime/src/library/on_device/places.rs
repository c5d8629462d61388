//! Elements in other places: repeated, reversed, shifted, with permuted dimensions, joined.

use super::{
    Numbers, blocks_for, call, converted, counted, kernel, moved_as, named, reading, reading_all, writing,
};
use crate::array::coherence::Access as Use;
use crate::array::hold_list;
use crate::device::LaunchArg;
use crate::error::{Error, Result};
use crate::kernel::offload::libraries::Helper;
use crate::kernel::offload::{Arg, DeviceArray};
use crate::library::transposed;
use crate::value::{adopt, uninit};
use quasar_devicelib::device_text::suffix;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::Value;
use quasar_devicelib::value::rearrange::Axis;
use quasar_devicelib::value::slice::Slice;

/// Estimated operations for an element.
const OPERATIONS: usize = 4;
/// The most axes that a kernel has.
const MOST: usize = 6;

/// The elements of an array in the places that axes say, if the active device should do it.
pub(super) fn rearranged(
    source: &Value,
    first: usize,
    dims: &[usize],
    axes: &[Axis],
) -> Result<Option<Value>> {
    let Some(array) = named(source) else { return Ok(None) };
    let (Some(from), Some(to)) = (counted(array.dims()), counted(dims)) else { return Ok(None) };
    let Some(axes) = Axes::new(first, axes).filter(|axes| axes.fit(from, to)) else { return Ok(None) };
    let ty = array.element_type();
    let turned = axes.transposed();
    let helper = match turned {
        Some(_) => transposed::kernel(ty),
        None => rearranging(ty, axes.list.len()),
    };
    call(&[Arg::Read(&*array)], &[helper], to * OPERATIONS).offload(|device| {
        let value = uninit(ty, dims)?;
        let target = named(&value).unwrap_or_else(|| unreachable!("an array of ours"));
        let [read] = reading(device, [&*array])?;
        let written = writing(device, &*target)?;
        match turned {
            // SAFETY: both memories have as many elements as the matrix, of the kernel's size.
            Some(extents) => unsafe {
                transposed::launch(device, helper, [&read, &written], extents, false)?
            },
            None => {
                let numbers = Numbers::new([to].into_iter().chain(axes.numbers()));
                let mut args = vec![LaunchArg::Input(&read), LaunchArg::Memory(&written)];
                args.extend(numbers.args());
                // SAFETY: the axes have a position for each element of the second memory, and lie in the first one.
                unsafe { helper.launch(device, [blocks_for(device, to), 1], &args)? };
            }
        }
        drop((read, written));
        Ok(value)
    })
}

/// Stores elements to the places of an array that axes say, or one element to all of them, if the active device should do it.
pub(super) fn stored(target: &dyn DeviceArray, slice: &Slice, source: &Stored<'_>) -> Result<bool> {
    let ty = target.element_type();
    let (Some(within), Some(count)) = (counted(target.dims()), counted(&slice.dims)) else {
        return Ok(false);
    };
    let Some(axes) = Axes::new(slice.first, &slice.axes).filter(|axes| axes.fit(within, count)) else {
        return Ok(false);
    };
    let (one, array) = match source {
        Stored::Element(_) => (true, None),
        Stored::Array(array) => (false, Some(*array)),
    };
    let helper = storing(ty, axes.list.len(), one);
    let inputs: Vec<Arg<'_>> = [Arg::Write(target)].into_iter().chain(array.map(Arg::Read)).collect();
    let done = call(&inputs, &[helper], count * OPERATIONS).offload(|device| {
        let wanted: Vec<_> =
            [target.wanted(Use::Write)].into_iter().chain(array.map(|a| a.wanted(Use::Read))).collect();
        let mut held = hold_list(&wanted)?.into_iter();
        let missing = || Error::system("an access did not begin");
        let written = target.on_device(device, Use::Write, held.next().ok_or_else(missing)?)?;
        let read = match array {
            Some(array) => Some(array.on_device(device, Use::Read, held.next().ok_or_else(missing)?)?),
            None => None,
        };
        let numbers = Numbers::new([count].into_iter().chain(axes.numbers()));
        let value = match (&read, source) {
            (Some(read), _) => LaunchArg::Input(read),
            (None, Stored::Element(bytes)) => LaunchArg::Bytes(bytes),
            (None, Stored::Array(_)) => return Err(missing()),
        };
        let mut args = vec![LaunchArg::Memory(&written), value];
        args.extend(numbers.args());
        // SAFETY: the axes lie in the first memory, and have a position for each element of the second one.
        unsafe { helper.launch(device, [blocks_for(device, count), 1], &args) }
    })?;
    Ok(done.is_some())
}

/// What is stored to a slice.
pub(super) enum Stored<'a> {
    /// One element, as it lies in memory.
    Element(&'a [u8]),
    /// The elements of an array of the same type.
    Array(&'a dyn DeviceArray),
}

/// Axes without those of one position, joined where they are one.
struct Axes {
    /// The number of the element from which distances are counted.
    first: usize,
    list: Vec<Axis>,
}

impl Axes {
    fn new(first: usize, axes: &[Axis]) -> Option<Axes> {
        let mut list: Vec<Axis> = Vec::with_capacity(axes.len());
        for &axis in axes.iter().filter(|axis| axis.count != 1 || axis.period != 1) {
            match list.last_mut().and_then(|last| joined_axis(*last, axis).map(|joined| (last, joined))) {
                Some((last, joined)) => *last = joined,
                None => list.push(axis),
            }
        }
        (list.len() <= MOST).then_some(Axes { first, list })
    }

    /// Whether there are positions for so many elements, all of them within so many.
    fn fit(&self, within: usize, positions: usize) -> bool {
        let count = self.list.iter().try_fold(1_usize, |n, axis| n.checked_mul(axis.count));
        let last = |axis: &Axis| (axis.period - 1).checked_mul(axis.step);
        let farthest = self.list.iter().try_fold(self.first, |sum, axis| sum.checked_add(last(axis)?));
        count == Some(positions) && farthest.is_some_and(|farthest| farthest < within)
    }

    /// Rows and columns of the matrix that is transposed, if that is all.
    fn transposed(&self) -> Option<[usize; 2]> {
        let &[down, across] = &self.list[..] else { return None };
        let turned = self.first == 0
            && down == Axis::evenly(down.count, 1)
            && across == Axis::evenly(across.count, down.count);
        turned.then_some([across.count, down.count])
    }

    /// The distance of the first element, and for each axis positions, period, begin and step, which wrap around.
    fn numbers(&self) -> impl Iterator<Item = usize> {
        let backward = self.list.iter().filter(|axis| axis.reversed);
        let first = self.first + backward.map(|axis| (axis.period - 1) * axis.step).sum::<usize>();
        let of = |axis: &Axis| {
            let step = axis.step as u32;
            let step = if axis.reversed { step.wrapping_neg() } else { step };
            [axis.count, axis.period, axis.begin, step as usize]
        };
        [first].into_iter().chain(self.list.iter().flat_map(of))
    }
}

/// Two neighbouring axes as one.
fn joined_axis(outer: Axis, inner: Axis) -> Option<Axis> {
    let count = outer.count.checked_mul(inner.count)?;
    let whole = |axis: Axis| axis == Axis::evenly(axis.count, axis.step);
    if !whole(outer) {
        return None;
    }
    match outer.step {
        0 if inner.count.is_multiple_of(inner.period) => Some(Axis { count, ..inner }),
        step if whole(inner) && Some(step) == inner.count.checked_mul(inner.step) => {
            Some(Axis::evenly(count, inner.step))
        }
        _ => None,
    }
}

/// The parameters of kernels for the numbers of so many axes, and the statements that find the element `at` of position `k`.
fn walk(axes: usize) -> [String; 2] {
    let params = (0..axes).map(|k| format!(", q_u32 n{k}, q_u32 p{k}, q_u32 b{k}, q_u32 s{k}")).collect();
    let step = |k: usize| match k {
        0 => "    at += q_moved(rest, p0, b0) * s0;\n".to_owned(),
        _ => format!("    at += q_moved(rest % n{k}, p{k}, b{k}) * s{k};\n    rest /= n{k};\n"),
    };
    [params, (0..axes).rev().map(step).collect()]
}

/// The kernel that stores elements of a size along so many axes: one to all places, or those of an array.
fn storing(ty: ElementType, axes: usize, one: bool) -> &'static Helper {
    let t = moved_as(ty);
    let (kind, x, value) = match one {
        true => ("fill", format!("q_{t} x"), "x"),
        false => ("scatter", format!("Q_GLOBAL const q_{t} *x"), "x[k]"),
    };
    kernel(format!("{kind}_{t}_{axes}"), |name| {
        let [params, steps] = walk(axes);
        format!(
            "{MOVED}
Q_KERNEL void {name}(Q_GLOBAL q_{t} *y, {x}, q_u32 count, q_u32 first{params}) {{
  for (q_u32 k = (q_u32)Q_BLOCK(0) * 256u + (q_u32)Q_THREAD(0); k < count; k += (q_u32)Q_GRID_DIM(0) * 256u) {{
    q_u32 at = first, rest = k;
{steps}    y[at] = {value};
  }}
}}
"
        )
    })
}

/// The number of a position along an axis that wraps around.
const MOVED: &str = "
Q_FN q_u32 q_moved(q_u32 k, q_u32 period, q_u32 begin) {
    k += begin;
    if (k >= period) k %= period;
    return k;
}
";

/// The kernel for elements of a size and so many axes.
fn rearranging(ty: ElementType, axes: usize) -> &'static Helper {
    let t = moved_as(ty);
    kernel(format!("rearrange_{t}_{axes}"), |name| {
        let [params, steps] = walk(axes);
        format!(
            "{MOVED}
Q_KERNEL void {name}(Q_GLOBAL const q_{t} *x, Q_GLOBAL q_{t} *y, q_u32 count, q_u32 first{params}) {{
  for (q_u32 k = (q_u32)Q_BLOCK(0) * 256u + (q_u32)Q_THREAD(0); k < count; k += (q_u32)Q_GRID_DIM(0) * 256u) {{
    q_u32 at = first, rest = k;
{steps}    y[k] = x[at];
  }}
}}
"
        )
    })
}

/// Copies blocks of `size` elements into rows of `row` elements, at `begin` in each.
const JOIN: &str = r#"
Q_KERNEL void $k(Q_GLOBAL const $x *x, Q_GLOBAL $y *y, q_u32 count, q_u32 size, q_u32 row, q_u32 begin) {
    for (q_u32 k = (q_u32)Q_BLOCK(0) * 256u + (q_u32)Q_THREAD(0); k < count; k += (q_u32)Q_GRID_DIM(0) * 256u) {
        const q_u32 block = k / size;
        y[block * row + begin + (k - block * size)] = $v;
    }
}
"#;

/// The kernel that joins elements of a type to those of another one.
fn joining(from: ElementType, to: ElementType) -> &'static Helper {
    let [x, y] = match from == to {
        true => [moved_as(from); 2],
        false => [suffix(from), suffix(to)],
    };
    kernel(format!("join_{x}_{y}"), |name| {
        let value = converted("x[k]", from, to);
        let words = [("$k", name), ("$v", &value), ("$x", &format!("q_{x}")), ("$y", &format!("q_{y}"))];
        words.iter().fold(JOIN.to_owned(), |text, (word, meaning)| text.replace(word, meaning))
    })
}

/// Arrays side by side, if the active device should do it.
pub(super) fn joined(
    parts: &[Value],
    result: ElementType,
    outer: usize,
    dims: &[usize],
) -> Result<Option<Value>> {
    let Some(count) = counted(dims) else { return Ok(None) };
    // At least one array is there; numbers and small arrays beside it become arrays.
    if !parts.iter().any(|part| named(part).is_some()) {
        return Ok(None);
    }
    let Some(arrays) = parts.iter().map(ours).collect::<Option<Vec<_>>>() else { return Ok(None) };
    let arrays: Vec<&dyn DeviceArray> =
        arrays.iter().map(|array| &**array).filter(|array| counted(array.dims()).is_some()).collect();
    let inputs: Vec<Arg<'_>> = arrays.iter().map(|array| Arg::Read(*array)).collect();
    let helpers: Vec<&Helper> = arrays.iter().map(|array| joining(array.element_type(), result)).collect();
    call(&inputs, &helpers, count * OPERATIONS).offload(|device| {
        let value = uninit(result, dims)?;
        let target = named(&value).unwrap_or_else(|| unreachable!("an array of ours"));
        let read = reading_all(device, &arrays)?;
        let written = writing(device, &*target)?;
        let mut begin = 0;
        for ((array, from), helper) in arrays.iter().zip(&read).zip(&helpers) {
            let count: usize = array.dims().iter().product();
            let numbers = Numbers::new([count, count / outer, dims_row(dims, outer), begin]);
            let mut args = vec![LaunchArg::Input(from), LaunchArg::Memory(&written)];
            args.extend(numbers.args());
            // SAFETY: the kernel reads the elements of the array; the blocks of all arrays together are a row of the result, of which
            // there are `outer`, and have the types of the kernel.
            unsafe { helper.launch(device, [blocks_for(device, count), 1], &args)? };
            begin += count / outer;
        }
        drop((read, written));
        Ok(value)
    })
}

/// How many elements each of so many rows has.
fn dims_row(dims: &[usize], rows: usize) -> usize {
    dims.iter().product::<usize>() / rows
}

/// The array of ours that a value names, or a copy of its elements.
fn ours(value: &Value) -> Option<Box<dyn DeviceArray>> {
    named(value).or_else(|| named(&adopt(value.copied().ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_that_are_one_are_joined() {
        let of = |axes: &[Axis]| Axes::new(0, axes).unwrap().list;
        // A copy, a repeated matrix, one whose rows are repeated.
        assert_eq!(of(&[Axis::evenly(3, 20), Axis::evenly(4, 5), Axis::evenly(5, 1)]), [Axis::evenly(60, 1)]);
        let row = [Axis::evenly(7, 0), Axis::evenly(1, 5), Axis::evenly(1, 0), Axis::evenly(5, 1)];
        assert_eq!(of(&row), [Axis { count: 35, ..Axis::evenly(5, 1) }]);
        let both = [Axis::evenly(2, 0), Axis::evenly(3, 5), Axis::evenly(4, 0), Axis::evenly(5, 1)];
        assert_eq!(
            of(&both),
            [Axis { count: 6, ..Axis::evenly(3, 5) }, Axis { count: 20, ..Axis::evenly(5, 1) }]
        );
        assert_eq!(of(&[Axis::evenly(1, 1)]), []);
    }

    #[test]
    fn positions_outside_are_refused() {
        let axes = Axes::new(0, &[Axis::evenly(3, 5), Axis::evenly(5, 1)]).unwrap();
        assert!(axes.fit(15, 15));
        assert!(!Axes::new(1, &[Axis::evenly(15, 1)]).unwrap().fit(15, 15));
        assert!(!axes.fit(14, 15) && !axes.fit(15, 14));
        let turned = Axes::new(0, &[Axis::evenly(5, 1), Axis::evenly(3, 5)]).unwrap();
        assert_eq!((turned.transposed(), axes.transposed()), (Some([3, 5]), None));
    }
}

#[cfg(all(test, feature = "cuda"))]
mod cuda_tests {
    use super::*;
    use ElementType::{ComplexDouble, Half, Int8, Single};

    #[test]
    fn the_kernels_compile_for_cuda() {
        for ty in [Int8, Half, Single, ComplexDouble] {
            [0, 1, MOST].iter().for_each(|&axes| rearranging(ty, axes).compiles_for_cuda().unwrap());
            [0, 1, MOST].iter().for_each(|&axes| {
                [true, false].iter().for_each(|&one| storing(ty, axes, one).compiles_for_cuda().unwrap())
            });
            joining(ty, ComplexDouble).compiles_for_cuda().unwrap();
        }
    }
}
