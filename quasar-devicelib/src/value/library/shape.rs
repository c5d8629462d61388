//! Sizes, rearrangement and concatenation.

use super::creation::{as_array, in_type};
use super::{ANY, Call, Function, function};
use crate::element::{ElementType, promote};
use crate::ops::Number;
use crate::value::array::{self, ArrayData, ArrayElement, for_elements, with_element};
use crate::value::index::{Access, assign_all};
use crate::value::matmul::with_elements;
use crate::value::offload::Work;
use crate::value::rearrange::{Axis, distance, rearrange};
use crate::value::{ArrayBuf, DataRef, MAX_NESTING, Value, ValueError, Workers, shape, workers};

pub(super) static FUNCTIONS: &[Function] = &[
    function("size", 1, 2, size),
    function("numel", 1, 1, |c| Ok(vec![Value::int(numel(&c.args[0])? as i64)])),
    function("ndims", 1, 1, |c| Ok(vec![Value::int(c.args[0].dims().len().max(1) as i64)])),
    function("isempty", 1, 1, |c| Ok(vec![Value::from(numel(&c.args[0])? == 0)])),
    function("reshape", 2, ANY, reshape),
    function("dimensions_differ", 2, 2, |c| {
        Err(ValueError::dimensions(&extents(&c.args[0]), &extents(&c.args[1])))
    }),
    function("same_shape", 2, 2, |c| {
        let [x, mask] = [&c.args[0], &c.args[1]].map(Value::dims);
        if shape::same(&x, &mask) { Ok(Vec::new()) } else { Err(ValueError::dimensions(&x, &mask)) }
    }),
    function("same_elements", 2, 2, |c| Ok(vec![Value::from(same_elements(&c.args[0], &c.args[1]))])),
    // Whether kernels run on the processor alone, or perhaps on a device; compiled programs ask the run-time system.
    function("on_processor", 0, 0, |_| Ok(vec![Value::from(true)])),
    function("on_device", 0, 0, |_| Ok(vec![Value::from(false)])),
    function("transpose", 1, 1, |c| transpose(c, false)),
    function("herm_transpose", 1, 1, |c| transpose(c, true)),
    function("shuffledims", 2, 2, shuffledims),
    function("squeeze", 1, 2, squeeze),
    function("vertcat", 1, ANY, |c| concatenate(c, c.args, 0)),
    function("horzcat", 1, ANY, |c| concatenate(c, c.args, 1)),
    function("cat", 2, ANY, |c| {
        let k = c.dimension(0)?;
        concatenate(c, &c.args[1..], k)
    }),
    function("circshift", 2, 2, circshift),
    function("fliplr", 1, 1, |c| remap(c, 2, |k, axis| if k == 1 { axis.reversed() } else { axis })),
    function("flipud", 1, 1, |c| remap(c, 2, |k, axis| if k == 0 { axis.reversed() } else { axis })),
    function("rot90", 1, 2, rot90),
    function("ind2pos", 2, 2, ind2pos),
    function("pos2ind", 2, 2, pos2ind),
    function("lincell", 1, 1, lincell),
    function("cells_joined", 2, 2, cells_joined),
    function("cells_places", 2, 2, cells_places),
    function("cells_apart", 2, 2, cells_apart),
    function("fftshift1", 1, 1, |c| half_shift(c, 1, |n| n / 2)),
    function("fftshift2", 1, 1, |c| half_shift(c, 2, |n| n / 2)),
    function("fftshift3", 1, 1, |c| half_shift(c, 3, |n| n / 2)),
    function("ifftshift1", 1, 1, |c| half_shift(c, 1, |n| n - n / 2)),
    function("ifftshift2", 1, 1, |c| half_shift(c, 2, |n| n - n / 2)),
    function("ifftshift3", 1, 1, |c| half_shift(c, 3, |n| n - n / 2)),
];

/// The dimensions of a value: numbers count as a vec of one element, strings of their characters.
fn extents(value: &Value) -> Vec<usize> {
    match value {
        Value::Array(a) => a.dims(),
        Value::Text(text) => vec![text.chars().count()],
        Value::Tuple(items) => vec![items.len()],
        _ => vec![1],
    }
}

fn numel(value: &Value) -> Result<usize, ValueError> {
    shape::count(&extents(value))
}

fn size(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let dims = extents(&c.args[0]);
    if c.args.len() == 1 {
        return Ok(vec![ArrayBuf::ints(dims).into()]);
    }
    let extent = |k: i64| match usize::try_from(k) {
        Ok(k) => Ok(dims.get(k).copied().unwrap_or(1)),
        Err(_) => Err(c.error(format!("there is no dimension {k}"))),
    };
    if c.args[1].as_scalar().is_some() {
        return Ok(vec![Value::int(extent(c.integer(1)?)? as i64)]);
    }
    let selected = c.integers(1)?.into_iter().map(extent).collect::<Result<Vec<_>, _>>()?;
    Ok(vec![ArrayBuf::ints(selected).into()])
}

fn reshape(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let x = as_array(&c.args[0])?;
    let count = numel(&x)?;
    let given = if c.args.len() == 2 && c.args[1].as_array().is_some() {
        c.integers(1)?
    } else {
        (1..c.args.len()).map(|i| c.integer(i)).collect::<Result<_, _>>()?
    };
    if given.len() > shape::MAX_DIMS {
        return Err(ValueError::too_many_dimensions(given.len()));
    }
    let dims = inferred(&given, count).ok_or_else(|| {
        let wanted = given.iter().map(i64::to_string).collect::<Vec<_>>().join("x");
        c.error(format!("{count} elements do not fill an array of size {wanted}"))
    })?;
    let Value::Array(a) = x else { return Err(c.wrong(0, "an array")) };
    Ok(vec![Value::Array(a.reshaped(dims)?)])
}

/// Whether two arrays are one, be it under different dimensions.
fn same_elements(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.storage() == b.storage(),
        _ => false,
    }
}

/// The sizes with one -1 replaced so that there are `count` elements.
fn inferred(given: &[i64], count: usize) -> Option<Vec<usize>> {
    let unknown = given.iter().filter(|&&n| n == -1).count();
    let known: Vec<usize> =
        given.iter().filter(|&&n| n != -1).map(|&n| usize::try_from(n).ok()).collect::<Option<_>>()?;
    let product = shape::count(&known).ok()?;
    let missing = match unknown {
        0 => (product == count && !given.is_empty()).then_some(0)?,
        1 if product != 0 && count.is_multiple_of(product) => count / product,
        1 if product == 0 && count == 0 => 0,
        _ => return None,
    };
    Some(given.iter().map(|&n| if n == -1 { missing } else { n as usize }).collect())
}

/// Rows and columns of a matrix view.
fn matrix(c: &Call<'_>) -> Result<(usize, usize), ValueError> {
    match extents(&c.args[0])[..] {
        [n] => Ok((1, n)),
        [m, n] => Ok((m, n)),
        [m, n, ref rest @ ..] if rest.iter().all(|&d| d == 1) => Ok((m, n)),
        _ => Err(c.wrong(0, "a vector or a matrix")),
    }
}

fn transpose(c: &mut Call<'_>, conjugate: bool) -> Result<Vec<Value>, ValueError> {
    fn typed<T: ArrayElement + Number>(
        c: &Call<'_>,
        x: &[T],
        [m, n]: [usize; 2],
        conjugate: bool,
    ) -> Result<Value, ValueError> {
        let workers = c.workers(x.len());
        let axes = [Axis::evenly(n, 1), Axis::evenly(m, n)];
        c.made(vec![n, m], &mut |y: &mut [T]| {
            rearrange(workers, x, y, &axes)?;
            if conjugate && T::TYPE.is_complex() {
                y.iter_mut().for_each(|y| *y = y.conj());
            }
            Ok(())
        })
    }
    let (m, n) = matrix(c)?;
    if let Some(x) = c.args[0].as_scalar() {
        let working = c.working();
        let row = super::elementwise_row("conj", 1).filter(|_| conjugate);
        return Ok(vec![match row {
            Some(row) => crate::value::elementwise::apply(row, &[Value::Scalar(x)], working)?,
            None => Value::Scalar(x),
        }]);
    }
    let Some(a) = c.args[0].as_array() else { return Err(c.wrong(0, "a vector or a matrix")) };
    let value = array::read(a, |view| {
        for_elements!(view.data, DataRef, x => typed(c, x, [m, n], conjugate), x => {
            let places = (0..m * n).map(|p| x.get(p % m * n + p / m).cloned().unwrap_or_default());
            let data = ArrayData::Values(array::collect(x.len(), places)?);
            Ok(ArrayBuf::new(vec![n, m], data)?.into())
        })
    })?;
    Ok(vec![value])
}

fn shuffledims(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let order = c.integers(1)?;
    let x = as_array(&c.args[0])?;
    let dims = shape::raised(&x.dims(), order.len());
    let mut seen = vec![false; dims.len()];
    let order: Vec<usize> = order
        .iter()
        .filter_map(|&k| usize::try_from(k).ok())
        .filter(|&k| seen.get_mut(k).is_some_and(|seen| !std::mem::replace(seen, true)))
        .collect();
    if order.len() != dims.len() {
        return Err(c.error(format!("the order must name each of the {} dimensions once", dims.len())));
    }
    let result: Vec<usize> = order.iter().map(|&k| dims[k]).collect();
    let steps = shape::strides(&dims);
    let axes: Vec<Axis> = order.iter().map(|&k| Axis::evenly(dims[k], steps[k])).collect();
    Ok(vec![rearranged(c, &x, result, &axes)?])
}

/// The elements of an array that lie at the sums of distances along each dimension, in an array of `dims`.
pub(super) fn rearranged(
    c: &Call<'_>,
    x: &Value,
    dims: Vec<usize>,
    axes: &[Axis],
) -> Result<Value, ValueError> {
    fn typed<T: ArrayElement>(
        c: &Call<'_>,
        x: &[T],
        dims: Vec<usize>,
        axes: &[Axis],
    ) -> Result<Value, ValueError> {
        c.made(dims, &mut |y| rearrange(c.workers(x.len()), x, y, axes))
    }
    if let Some(found) = c.host.on_device(&Work::Rearranged { source: x, first: 0, dims: &dims, axes })? {
        return Ok(found);
    }
    let Some(a) = x.as_array() else { return Err(ValueError::wrong_type("array", "an array", &x.kind())) };
    array::read(a, |view| {
        for_elements!(view.data, DataRef, x => typed(c, x, dims, axes), x => {
            let mut items = array::filled(Value::Null, shape::count(&dims)?)?;
            let axes = axes.iter().map(|axis| axis.distances()).collect::<Result<Vec<_>, _>>()?;
            let at = |i| x.get(distance(&axes, i)).cloned().unwrap_or_default();
            items.iter_mut().enumerate().for_each(|(i, item)| *item = at(i));
            Ok(ArrayBuf::new(dims, ArrayData::Values(items))?.into())
        })
    })
}

/// Drops the dimensions of one element. A second argument has a bit for each dimension that the type of the array says to be one: then
/// the result has as many dimensions as are left. A matrix keeps both, and what has less than its rank gets dimensions of one element.
fn squeeze(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let Value::Array(array) = &c.args[0] else { return Ok(vec![c.args[0].clone()]) };
    let mut dims = array.dims();
    if c.args.len() > 1 {
        let known = c.integer(1)?;
        let kept = dims.iter().enumerate().filter(|(axis, n)| **n != 1 || (known >> axis) & 1 == 0);
        dims = kept.map(|(_, n)| *n).collect();
        let rank = dims.len();
        if rank > 2 {
            dims.retain(|n| *n != 1);
            if dims.len() < 2 {
                dims.insert(0, 1);
            }
            dims.resize(rank, 1);
        }
    } else {
        dims.retain(|n| *n != 1);
    }
    if dims.is_empty() {
        dims.push(1);
    }
    Ok(vec![rearranged(c, &c.args[0], dims, &[Axis::evenly(numel(&c.args[0])?, 1)])?])
}

fn concatenate(c: &Call<'_>, args: &[Value], k: usize) -> Result<Vec<Value>, ValueError> {
    let parts: Vec<Value> = args.iter().map(as_array).collect::<Result<_, _>>()?;
    if let [single] = &parts[..]
        && k <= 1
    {
        let copy = |dims| rearranged(c, single, dims, &[Axis::evenly(numel(single)?, 1)]);
        let numbers = single.element_type().is_some();
        return Ok(vec![if numbers { copy(single.dims())? } else { single.copied()? }]);
    }
    // An empty vec joins with anything: it is how programs start to collect. Where all are numbers, its type counts.
    let whole = common_type(&parts);
    let parts: Vec<Value> = match parts.iter().filter(|x| x.dims() != [0]).cloned().collect::<Vec<_>>() {
        none if none.is_empty() => parts,
        some => some,
    };
    let rank = parts.iter().map(|x| x.dims().len()).max().unwrap_or(1);
    let rows = k <= 1 && rank == 1;
    let shapes: Vec<Vec<usize>> =
        parts.iter().map(|x| shape::raised(&x.dims(), rank.max(k + 1).max(2))).collect();
    let Some(first) = shapes.first() else { return Ok(Vec::new()) };
    let mut dims = first.clone();
    for other in &shapes[1..] {
        let fits = other.iter().zip(&dims).enumerate().all(|(d, (a, b))| d == k || a == b);
        if !fits {
            return Err(ValueError::dimensions(first, other));
        }
        dims[k] = dims[k].saturating_add(other[k]);
    }
    shape::count(&dims)?;
    let outer: usize = dims[..k].iter().product();
    let dims = if rows && k == 1 { vec![dims[1]] } else { dims };
    let common = common_type(&parts).map(|of_some| whole.unwrap_or(of_some));
    if let Some(result) = common
        && let Some(found) = c.host.on_device(&Work::Joined { parts: &parts, result, outer, dims: &dims })?
    {
        return Ok(vec![found]);
    }
    Ok(vec![match common {
        Some(common) => with_element!(common, T => joined::<T>(c, &parts, outer, dims))?,
        None => ArrayBuf::new(dims, join(&parts, outer)?)?.into(),
    }])
}

/// The type of arrays of numbers together; none if there is a cell.
fn common_type(parts: &[Value]) -> Option<ElementType> {
    let types: Option<Vec<_>> = parts.iter().map(Value::element_type).collect();
    types?.into_iter().reduce(|a, b| if a == b { a } else { promote(a, b) })
}

/// Elements that are worth a part of their own.
const GRAIN: usize = 1 << 16;

/// Takes blocks of each part in turn; every part has `outer` of them.
fn joined<T: ArrayElement>(
    c: &Call<'_>,
    parts: &[Value],
    outer: usize,
    dims: Vec<usize>,
) -> Result<Value, ValueError> {
    c.made(dims, &mut |y: &mut [T]| {
        let (workers, row) = (c.workers(y.len()), y.len() / outer.max(1));
        let mut begin = 0;
        for part in parts {
            begin += with_elements::<T, _>(part, |x| {
                let size = x.len() / outer.max(1);
                match (outer, size) {
                    (_, 0) => {}
                    (1, _) => copy_blocks(workers, x, &mut y[begin..begin + size], [1, 1], 0)?,
                    _ => copy_blocks(workers, x, y, [size, row], begin)?,
                }
                Ok(size)
            })?;
        }
        Ok(())
    })
}

/// Copies blocks of `size` elements into rows of `row` elements, at `begin` in each.
fn copy_blocks<T: ArrayElement>(
    workers: &dyn Workers,
    x: &[T],
    y: &mut [T],
    [size, row]: [usize; 2],
    begin: usize,
) -> Result<(), ValueError> {
    let rows = workers::share(workers, x.len() / size, GRAIN / size);
    let copies = x.chunks(rows * size).zip(y.chunks_mut(rows * row));
    let copies = array::collect((x.len() / size).div_ceil(rows), copies)?;
    workers::each(workers, copies, &|(x, y): (&[T], &mut [T])| {
        if size == row {
            return y.copy_from_slice(x);
        }
        let blocks = x.chunks(size).zip(y.chunks_mut(row));
        blocks.for_each(|(x, y)| y[begin..begin + size].copy_from_slice(x));
    });
    Ok(())
}

/// The same for values of any kind, as they are kept.
pub(super) fn join(parts: &[Value], outer: usize) -> Result<ArrayData, ValueError> {
    fn blocks<T: Clone>(parts: &[&[T]], outer: usize) -> Result<Vec<T>, ValueError> {
        let mut result = array::reserve(parts.iter().map(|p| p.len()).sum())?;
        for o in 0..outer {
            for part in parts {
                let size = part.len() / outer;
                result.extend_from_slice(&part[o * size..(o + 1) * size]);
            }
        }
        Ok(result)
    }
    fn typed<T: ArrayElement>(parts: &[ArrayData], outer: usize) -> Result<ArrayData, ValueError> {
        let slices: Vec<&[T]> = parts.iter().filter_map(|p| T::slice(p.view())).collect();
        Ok(T::wrap(blocks(&slices, outer)?))
    }
    let common = common_type(parts);
    let Some(common) = common else {
        let items = parts
            .iter()
            .map(|p| match p.cell_items()? {
                Some(items) => Ok(items),
                None => as_cell_items(p),
            })
            .collect::<Result<Vec<_>, ValueError>>()?;
        return Ok(ArrayData::Values(blocks(&items.iter().map(Vec::as_slice).collect::<Vec<_>>(), outer)?));
    };
    let parts: Vec<ArrayData> = parts.iter().map(|p| in_type(p, common)).collect::<Result<_, _>>()?;
    with_element!(common, T => typed::<T>(&parts, outer))
}

fn as_cell_items(value: &Value) -> Result<Vec<Value>, ValueError> {
    match value.as_array() {
        Some(a) => array::read(a, |view| {
            array::collect(view.data.len(), (0..view.data.len()).filter_map(|i| view.data.value(i)))
        }),
        None => Ok(vec![value.clone()]),
    }
}

/// Rearranges along every dimension: `turned` gets the number of a dimension and its axis. The value is seen with at least `rank`
/// dimensions and keeps its shape.
fn remap(c: &Call<'_>, rank: usize, turned: impl Fn(usize, Axis) -> Axis) -> Result<Vec<Value>, ValueError> {
    let x = as_array(&c.args[0])?;
    let dims = x.dims();
    let seen = shape::raised(&dims, rank);
    let steps = shape::strides(&seen);
    let axes = seen.iter().zip(steps).map(|(&n, step)| Axis::evenly(n, step));
    let axes: Vec<Axis> = axes.enumerate().map(|(k, axis)| turned(k, axis)).collect();
    Ok(vec![rearranged(c, &x, dims, &axes)?])
}

fn circshift(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let shifts = c.integers(1)?;
    let rank = c.args[0].dims().len();
    // On a vec one number shifts along it, although it is seen as a row.
    let along_row = rank == 1 && shifts.len() == 1;
    remap(c, shifts.len().max(2), |k, axis| {
        let number = if along_row { k.wrapping_sub(1) } else { k };
        let n = axis.count.max(1);
        let shift = shifts.get(number).copied().unwrap_or(0).rem_euclid(n as i64) as usize;
        axis.from((n - shift) % n)
    })
}

/// Moves element 0 by `shift(n)` along the last dimension (one-dimensional transforms) or along the first `count`.
fn half_shift(c: &Call<'_>, count: usize, shift: fn(usize) -> usize) -> Result<Vec<Value>, ValueError> {
    let last = c.args[0].dims().len().max(2) - 1;
    remap(c, count.max(2), |k, axis| {
        let moves = if count == 1 { k == last } else { k < count };
        let n = axis.count.max(1);
        if moves { axis.from((n - shift(n) % n) % n) } else { axis }
    })
}

fn rot90(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let turns = if c.args.len() == 2 { c.integer(1)? } else { 1 };
    let (m, n) = matrix(c)?;
    let x = as_array(&c.args[0])?;
    let turns = turns.rem_euclid(4);
    let (across, down) = (Axis::evenly(n, 1), Axis::evenly(m, n));
    let (rows, columns, axes) = match turns {
        1 => (n, m, [across.reversed(), down]),
        2 => (m, n, [down.reversed(), across.reversed()]),
        3 => (n, m, [across, down.reversed()]),
        _ => (m, n, [down, across]),
    };
    Ok(vec![rearranged(c, &x, vec![rows, columns], &axes)?])
}

fn ind2pos(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let sizes = c.integers(0)?;
    let mut left = c.integer(1)?;
    let mut position = vec![0i32; sizes.len()];
    for k in (1..sizes.len()).rev() {
        if sizes[k] <= 0 {
            return Err(c.error("sizes must be positive"));
        }
        position[k] = left.rem_euclid(sizes[k]) as i32;
        left = left.div_euclid(sizes[k]);
    }
    if let Some(first) = position.first_mut() {
        *first = left as i32;
    }
    Ok(vec![ArrayBuf::vec(position).into()])
}

fn pos2ind(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let (sizes, position) = (c.integers(0)?, c.integers(1)?);
    if sizes.len() != position.len() {
        return Err(ValueError::dimensions(&[sizes.len()], &[position.len()]));
    }
    let index =
        sizes.iter().zip(&position).fold(0i64, |index, (&n, &p)| index.wrapping_mul(n).wrapping_add(p));
    Ok(vec![Value::int(index)])
}

/// The arrays in a cell, each of which has numbers.
fn arrays_of(c: &Call<'_>) -> Result<Vec<Value>, ValueError> {
    let items = c.args[0].cell_items()?.ok_or_else(|| c.wrong(0, "a cell of arrays"))?;
    let arrays = items.iter().enumerate().map(|(k, item)| match item {
        Value::Array(a) if a.element_type().is_some() => Ok(item.clone()),
        Value::Scalar(_) => as_array(item),
        _ => Err(c.error(format!("element {k} of the cell is no array of numbers, but {}", item.kind()))),
    });
    arrays.collect()
}

/// The numbers in all arrays of a cell, one behind the other, in the type of the second argument.
fn cells_joined(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let element = c.args[1].as_scalar().ok_or_else(|| c.wrong(1, "a number"))?.element_type();
    let mut parts = vec![ArrayData::zeros(element, 0)?];
    for array in arrays_of(c)? {
        parts.push(in_type(&array, element)?);
    }
    let parts: Vec<Value> = parts
        .into_iter()
        .map(|data| Ok(ArrayBuf::new(vec![data.len()], data)?.into()))
        .collect::<Result<_, ValueError>>()?;
    let data = join(&parts, 1)?;
    Ok(vec![ArrayBuf::new(vec![data.len()], data)?.into()])
}

/// For each array in a cell where it begins among the joined numbers, and its extents, of which there are as many as the
/// second argument says.
fn cells_places(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let rank = usize::try_from(c.integer(1)?).unwrap_or(1);
    let (mut table, mut begin) = (Vec::new(), 0_usize);
    for array in arrays_of(c)? {
        let mut dims = shape::raised(&array.dims(), rank);
        if dims.iter().skip(rank).any(|&n| n != 1) {
            return Err(c.error(format!(
                "an array of size {} in a cell of arrays with {rank} dimensions",
                shape::dims_text(&dims)
            )));
        }
        dims.truncate(rank);
        table.push(begin);
        table.extend(&dims);
        begin = begin.saturating_add(shape::count(&dims)?);
    }
    let mut dims = extents(&c.args[0]);
    dims.push(rank + 1);
    let mut table = ArrayBuf::ints(table);
    table.dims = dims;
    Ok(vec![table.into()])
}

/// Puts joined numbers back into the arrays of a cell.
fn cells_apart(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    let mut begin = 0_usize;
    let joined = c.args[1].clone();
    for array in arrays_of(c)? {
        let (Value::Array(to), Value::Array(from)) = (&array, &joined) else { continue };
        let dims = to.dims();
        let end = begin + shape::count(&dims)?;
        let data = array::read(&**from, |view| view.data.part(begin..end).to_data())?;
        begin = end;
        assign_all(&array, &ArrayBuf::new(dims, data)?.into(), Access::default())?;
    }
    Ok(Vec::new())
}

fn lincell(c: &mut Call<'_>) -> Result<Vec<Value>, ValueError> {
    fn flatten(value: &Value, out: &mut Vec<Value>, depth: usize) -> Result<(), ValueError> {
        if depth > MAX_NESTING {
            return Err(ValueError::nesting());
        }
        match value.cell_items()? {
            Some(items) => items.iter().try_for_each(|item| flatten(item, out, depth + 1)),
            None => {
                out.try_reserve(1).map_err(|_| ValueError::out_of_memory(out.len(), None))?;
                out.push(value.clone());
                Ok(())
            }
        }
    }
    let mut items = Vec::new();
    flatten(&c.args[0], &mut items, 0)?;
    Ok(vec![Value::cell(items)])
}
