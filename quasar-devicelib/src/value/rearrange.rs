//! Elements in another order, by several threads: transposed, reversed, shifted, with permuted dimensions.
//!
//! Each dimension of the result has a table: how far the elements at its positions lie from the first element of the source.
//! An element is at the sum of the distances along all dimensions.

use super::array;
use super::error::ValueError;
use super::workers::{Workers, share, try_each};

/// The distances along one dimension of the result.
type Distances = Vec<usize>;

/// Where the positions along a dimension of the result lie in the source: position `i` is number `(i + begin) mod period` of the
/// source, from its last one on where that is reversed, and neighbours there lie `step` elements apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// How many positions there are.
    pub count: usize,
    /// How many of them are different.
    pub period: usize,
    /// The number of the first position.
    pub begin: usize,
    /// Whether numbers are counted from the last one on.
    pub reversed: bool,
    /// How far neighbours lie apart.
    pub step: usize,
}

impl Axis {
    /// A dimension of `n` positions in their order, `step` elements apart.
    pub fn evenly(n: usize, step: usize) -> Axis {
        Axis { count: n, period: n, begin: 0, reversed: false, step }
    }

    /// The same from another position on, with the first ones behind the last one.
    pub(super) fn from(self, begin: usize) -> Axis {
        Axis { begin, ..self }
    }

    /// The same in the reverse order.
    pub(super) fn reversed(self) -> Axis {
        Axis { reversed: true, ..self }
    }

    /// The distance of each position from the first element of the source.
    pub(super) fn distances(self) -> Result<Distances, ValueError> {
        let number = |i: usize| (i + self.begin) % self.period;
        match self.reversed {
            true => {
                array::collect(self.count, (0..self.count).map(|i| (self.period - 1 - number(i)) * self.step))
            }
            false => array::collect(self.count, (0..self.count).map(|i| number(i) * self.step)),
        }
    }
}

/// Elements that are worth a part of their own.
const GRAIN: usize = 1 << 15;
/// Rows and columns of the tiles that turn runs along one dimension into runs along another.
const TILE: usize = 32;

/// Fills `y` from `x`. The extents of `y` are the positions of the axes.
pub(super) fn rearrange<T: Copy + Default + Send + Sync>(
    workers: &dyn Workers,
    x: &[T],
    y: &mut [T],
    axes: &[Axis],
) -> Result<(), ValueError> {
    let axes = axes.iter().map(|axis| axis.distances()).collect::<Result<Vec<_>, _>>()?;
    placed(workers, x, y, &axes)
}

/// The same with the distances along each dimension.
fn placed<T: Copy + Default + Send + Sync>(
    workers: &dyn Workers,
    x: &[T],
    y: &mut [T],
    axes: &[Distances],
) -> Result<(), ValueError> {
    if y.is_empty() {
        return Ok(());
    }
    let axes: Vec<&[usize]> =
        axes.iter().filter(|axis| axis.len() != 1 || axis[0] != 0).map(|axis| &axis[..]).collect();
    let Some((outer, axes, range)) = divided(workers, &axes) else {
        y[0] = x[0];
        return Ok(());
    };
    let inner: usize = axes[1..].iter().map(|axis| axis.len()).product();
    let blocks: usize = outer.iter().map(|axis| axis.len()).product();
    let chunks = axes[0].len().div_ceil(range);
    let mut parts = array::reserve(blocks * chunks)?;
    for (block, y) in y.chunks_mut(axes[0].len() * inner).enumerate() {
        let x = &x[distance(outer, block)..];
        parts.extend(y.chunks_mut(range * inner).zip(axes[0].chunks(range)).map(|(y, first)| (x, y, first)));
    }
    try_each(workers, parts, &|(x, y, first)| {
        let mut axes = axes.to_vec();
        axes[0] = first;
        fill(x, y, &axes)
    })
}

/// Dimensions that number parts, the other ones, and the positions of the first of these that a part has.
type Division<'a, 'b> = (&'a [&'b [usize]], &'a [&'b [usize]], usize);

/// Cuts along the first dimensions that have positions enough for all threads.
fn divided<'a, 'b>(workers: &dyn Workers, axes: &'a [&'b [usize]]) -> Option<Division<'a, 'b>> {
    let mut level = 0;
    let mut blocks = 1;
    while level + 1 < axes.len() && axes[level].len() * blocks < workers.count() {
        blocks *= axes[level].len();
        level += 1;
    }
    let (outer, axes) = axes.split_at(level);
    let inner: usize = axes.get(1..)?.iter().map(|axis| axis.len()).product();
    let range = share(workers, axes[0].len() * blocks, GRAIN / inner.max(1)).min(axes[0].len());
    // Tiles are cut once.
    let range = if range < axes[0].len() { range.next_multiple_of(TILE) } else { range };
    Some((outer, axes, range))
}

/// The sum of the distances at a position, which is given by its number.
pub(super) fn distance(axes: &[impl AsRef<[usize]>], mut number: usize) -> usize {
    let mut sum = 0;
    for axis in axes.iter().rev().map(AsRef::as_ref) {
        sum += axis[number % axis.len()];
        number /= axis.len();
    }
    sum
}

/// How far neighbours along a dimension lie apart, mostly.
fn step(axis: &[usize]) -> usize {
    match axis {
        // An array that is repeated has the same elements again.
        [a, b, ..] if a != b => a.abs_diff(*b),
        _ => usize::MAX,
    }
}

fn fill<T: Copy + Default>(x: &[T], y: &mut [T], axes: &[&[usize]]) -> Result<(), ValueError> {
    let Some(last) = axes.last() else { return Ok(()) };
    let near = (0..axes.len()).min_by_key(|&k| (step(axes[k]), std::cmp::Reverse(k))).unwrap_or(0);
    let near = if near + 1 == axes.len() { None } else { Some(near) };
    fill_inside(x, y, axes, near, &runs(last)?);
    Ok(())
}

/// Goes through all dimensions but the last one, or but that and the one along which the source has its runs.
fn fill_inside<T: Copy + Default>(x: &[T], y: &mut [T], axes: &[&[usize]], near: Option<usize>, row: &[Run]) {
    let (first, rest) = match axes {
        [axis] => return fill_row(x, y, axis, row),
        [first, rest @ ..] => (*first, rest),
        [] => return,
    };
    let inner: usize = rest.iter().map(|axis| axis.len()).product();
    if near == Some(0) {
        let (between, last) = rest.split_at(rest.len() - 1);
        let count: usize = between.iter().map(|axis| axis.len()).product();
        for block in 0..count {
            let x = &x[distance(between, block)..];
            turn(x, y, [first, last[0]], (inner, block * last[0].len()));
        }
        return;
    }
    for (&from, y) in first.iter().zip(y.chunks_mut(inner.max(1))) {
        fill_inside(&x[from..], y, rest, near.map(|k| k - 1), row);
    }
}

/// Rows with elements that lie apart, tile by tile. Row i begins at `i * step + begin`.
fn turn<T: Copy + Default>(
    x: &[T],
    y: &mut [T],
    [rows, columns]: [&[usize]; 2],
    (step, begin): (usize, usize),
) {
    let mut tile = [[T::default(); TILE]; TILE];
    for (i, rows) in rows.chunks(TILE).enumerate() {
        let (first, last) = (rows[0], rows[rows.len() - 1]);
        let whole = rows.len() == TILE;
        let up = whole && rows.windows(2).all(|pair| pair[0] + 1 == pair[1]);
        let down = whole && rows.windows(2).all(|pair| pair[0] == pair[1] + 1);
        for (j, columns) in columns.chunks(TILE).enumerate() {
            for (c, &column) in columns.iter().enumerate() {
                let x = &x[column..];
                match (up, down) {
                    (true, _) => x[first..][..TILE].iter().zip(&mut tile).for_each(|(&x, tile)| tile[c] = x),
                    (_, true) => {
                        x[last..][..TILE].iter().rev().zip(&mut tile).for_each(|(&x, tile)| tile[c] = x);
                    }
                    _ => rows.iter().zip(&mut tile).for_each(|(&row, tile)| tile[c] = x[row]),
                }
            }
            for (r, tile) in tile.iter().enumerate().take(rows.len()) {
                let y = &mut y[(i * TILE + r) * step + begin + j * TILE..][..columns.len()];
                y.copy_from_slice(&tile[..columns.len()]);
            }
        }
    }
}

/// Neighbours in a row that are neighbours in the source, there perhaps in the reverse order.
struct Run {
    /// The first of them in the source.
    from: usize,
    count: usize,
    reversed: bool,
}

/// Shorter runs than so many elements are not worth it.
const SHORT: usize = 8;

/// The runs of a row; none where most are short.
fn runs(places: &[usize]) -> Result<Vec<Run>, ValueError> {
    let mut runs: Vec<Run> = array::reserve(places.len() / SHORT + 1)?;
    let mut done = 0;
    while let Some(&first) = places.get(done) {
        let rest = &places[done..];
        let along = |next: fn(usize, usize) -> bool| {
            1 + rest.windows(2).take_while(|pair| next(pair[0], pair[1])).count()
        };
        let (up, down) = (along(|a, b| a + 1 == b), along(|a, b| a == b + 1));
        if runs.len() > places.len() / SHORT {
            return Ok(Vec::new());
        }
        runs.push(match up >= down {
            true => Run { from: first, count: up, reversed: false },
            false => Run { from: first + 1 - down, count: down, reversed: true },
        });
        done += up.max(down);
    }
    Ok(runs)
}

fn fill_row<T: Copy>(x: &[T], y: &mut [T], places: &[usize], runs: &[Run]) {
    if runs.is_empty() {
        y.iter_mut().zip(places).for_each(|(y, &place)| *y = x[place]);
        return;
    }
    let mut rest = y;
    for run in runs {
        let (y, behind) = std::mem::take(&mut rest).split_at_mut(run.count);
        rest = behind;
        let x = &x[run.from..][..run.count];
        match run.reversed {
            true => y.iter_mut().zip(x.iter().rev()).for_each(|(y, &x)| *y = x),
            false => y.copy_from_slice(x),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::workers::{Caller, tests::Disorder};
    use proptest::prelude::*;

    /// By the definition.
    fn by_definition(x: &[u32], axes: &[Distances]) -> Vec<u32> {
        let count = axes.iter().map(Vec::len).product();
        (0..count).map(|i| x[distance(axes, i)]).collect()
    }

    /// Positions along a dimension of `n` elements: in order, reversed, shifted, every second one, one place several times.
    fn positions(n: usize, kind: usize) -> Vec<usize> {
        match kind {
            0 => (0..n).collect(),
            1 => (0..n).rev().collect(),
            2 => (0..n).map(|i| (i + n / 3) % n).collect(),
            3 => (0..n).step_by(2).collect(),
            _ => (0..n).map(|i| i / 2 * 2).collect(),
        }
    }

    proptest! {
        #[test]
        fn every_order_and_number_of_threads(
            dims in prop::collection::vec(1usize..70, 1..4),
            kinds in prop::collection::vec(0usize..5, 4),
            turn in 0usize..6,
            threads in 1usize..9,
        ) {
            let steps = crate::value::shape::strides(&dims);
            let mut axes: Vec<Distances> = dims
                .iter()
                .zip(&steps)
                .zip(kinds)
                .map(|((&n, step), kind)| positions(n, kind).into_iter().map(|i| i * step).collect())
                .collect();
            if turn >= 3 {
                axes.reverse();
            }
            let count = axes.len();
            axes.rotate_left(turn % count);
            let x: Vec<u32> = (0..dims.iter().product::<usize>() as u32).collect();
            let expected = by_definition(&x, &axes);
            let mut y = vec![u32::MAX; expected.len()];
            placed(&Disorder(threads), &x, &mut y, &axes).unwrap();
            prop_assert_eq!(&y, &expected);
            y.fill(u32::MAX);
            placed(&Caller, &x, &mut y, &axes).unwrap();
            prop_assert_eq!(&y, &expected);
        }
    }

    #[test]
    fn axes_say_where_positions_lie() {
        let of = |axis: Axis| axis.distances().unwrap();
        assert_eq!(of(Axis::evenly(3, 5)), [0, 5, 10]);
        assert_eq!(of(Axis::evenly(3, 5).reversed()), [10, 5, 0]);
        assert_eq!(of(Axis::evenly(4, 1).from(3)), [3, 0, 1, 2]);
        assert_eq!(of(Axis { count: 5, ..Axis::evenly(2, 7) }), [0, 7, 0, 7, 0]);
        assert_eq!(of(Axis::evenly(0, 1)), []);
    }

    #[test]
    fn single_elements_and_none() {
        let mut y = [0];
        placed(&Caller, &[7], &mut y, &[vec![0], vec![0]]).unwrap();
        assert_eq!(y, [7]);
        placed(&Caller, &[7, 8], &mut y, &[vec![1]]).unwrap();
        assert_eq!(y, [8]);
        placed::<i32>(&Disorder(2), &[], &mut [], &[vec![], vec![0]]).unwrap();
    }
}
