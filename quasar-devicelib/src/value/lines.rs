//! Reductions and scans along one dimension by several threads.
//!
//! `(outer, n, inner)` describes one dimension of a row-major array: its extent `n`, the number of blocks before it, the number of
//! elements per step along it. A line is the `n` elements along it; there are `outer * inner`
//! of them, numbered in the order of the elements without that dimension.

use super::array;
use super::error::ValueError;
use super::reduce::sum_each;
use super::workers::{Caller, Workers, each, share, try_each};
use crate::isa::{self, Body, Isa};
use crate::ops::Number;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements that are worth a part of their own.
const GRAIN: usize = 1 << 15;
/// Neighbouring lines that are gathered together, and the least columns of a part.
const WIDTH: usize = 16;
const COLUMNS: usize = 64;
/// The most columns of a part.
const WIDE: usize = 4096;
/// Lines and stretches that are gone through at the same time: each waits for its own results only.
const STREAMS: usize = 4;
/// Neighbours of a line that are combined with those as far behind, in vectors.
const LANES: usize = 32;
/// Rows that are added one after the other.
const ROWS: usize = 16;
/// The longest stretch of a sum that one thread adds.
pub(super) const STRETCH: usize = 1 << 16;
/// Elements that are looked at before a search asks whether it may stop.
const BLOCK: usize = 1 << 10;

/// The sum of a term for each element: what [`sum_each`] gives, bit by bit.
pub(super) fn sum_by<S: Copy + Sync, T: Number>(
    workers: &dyn Workers,
    x: &[S],
    term: &(impl Fn(S) -> T + Sync),
) -> Result<T, ValueError> {
    if x.len() <= STRETCH { Ok(sum_each(x, term)) } else { sum_in_parts(workers, x, &|x| sum_each(x, term)) }
}

/// The sum of stretches, for each of which `sum` is asked.
fn sum_in_parts<S: Copy + Sync, T: Number>(
    workers: &dyn Workers,
    x: &[S],
    sum: &(dyn Fn(&[S]) -> T + Sync),
) -> Result<T, ValueError> {
    fn pieces<T: Number>(from: usize, to: usize, found: &mut Vec<(usize, usize, T)>) {
        match super::reduce::halves(from, to).filter(|_| to - from > STRETCH) {
            Some(middle) => {
                pieces(from, middle, found);
                pieces(middle, to, found);
            }
            None => found.push((from, to, T::default())),
        }
    }
    fn joined<T: Number>(from: usize, to: usize, sums: &mut impl Iterator<Item = T>) -> T {
        match super::reduce::halves(from, to).filter(|_| to - from > STRETCH) {
            Some(middle) => {
                let first = joined(from, middle, sums);
                first.add(joined(middle, to, sums))
            }
            None => sums.next().unwrap_or_default(),
        }
    }
    let n = x.len();
    if workers.count() < 2 {
        return Ok(sum(x));
    }
    // A stretch is longer than a quarter of the longest one.
    let mut found = array::reserve(n / (STRETCH / 4) + 1)?;
    pieces::<T>(0, n, &mut found);
    let parts = array::collect(found.len(), found.iter_mut())?;
    each(workers, parts, &|(from, to, result)| *result = sum(&x[*from..*to]));
    Ok(joined(0, n, &mut found.into_iter().map(|(_, _, sum)| sum)))
}

/// Combines all elements from the first to the last; none where there are none. The operation must be associative.
pub(super) fn fold<T: Copy + Send + Sync>(
    workers: &dyn Workers,
    x: &[T],
    combine: &(impl Fn(T, T) -> T + Sync),
) -> Result<Option<T>, ValueError> {
    fold_by(workers, x, |x| x, combine)
}

/// The same for what `term` makes of each element.
pub(super) fn fold_by<S: Copy + Sync, T: Copy + Send>(
    workers: &dyn Workers,
    x: &[S],
    term: impl Fn(S) -> T + Sync,
    combine: impl Fn(T, T) -> T + Sync,
) -> Result<Option<T>, ValueError> {
    fold_in_parts(workers, x, &|x| fold_part(x, &term, &combine), &combine)
}

/// Combines the results of parts.
pub(super) fn fold_in_parts<S: Sync, T: Copy + Send>(
    workers: &dyn Workers,
    x: &[S],
    fold: &(dyn Fn(&[S]) -> Option<T> + Sync),
    combine: &dyn Fn(T, T) -> T,
) -> Result<Option<T>, ValueError> {
    let size = share(workers, x.len(), GRAIN);
    if size >= x.len() {
        return Ok(fold(x));
    }
    let mut results = array::filled(None, x.len().div_ceil(size))?;
    let parts = array::collect(results.len(), x.chunks(size).zip(&mut results))?;
    each(workers, parts, &|(x, result)| *result = fold(x));
    Ok(results.into_iter().flatten().reduce(combine))
}

/// Elements far apart are combined first, a vector of neighbours at a time.
fn fold_part<S: Copy, T: Copy>(x: &[S], term: &impl Fn(S) -> T, combine: &impl Fn(T, T) -> T) -> Option<T> {
    let (vectors, rest) = x.as_chunks::<LANES>();
    let first = vectors.first().map(|first| first.map(term));
    let lanes = first.map(|mut lanes| {
        for vector in &vectors[1..] {
            for (lane, &x) in lanes.iter_mut().zip(vector) {
                *lane = combine(*lane, term(x));
            }
        }
        lanes
    });
    let rest = rest.iter().map(|&x| term(x));
    lanes.into_iter().flatten().chain(rest).reduce(combine)
}

/// The first stretches of `n` elements.
fn streams<S>(x: &[S], n: usize) -> [&[S]; STREAMS] {
    [&x[..n], &x[n..2 * n], &x[2 * n..3 * n], &x[3 * n..4 * n]]
}

/// The number of the first element for which `holds`.
pub(super) fn first<T: Copy + Sync>(
    workers: &dyn Workers,
    x: &[T],
    holds: impl Fn(T) -> bool + Sync,
) -> Result<Option<usize>, ValueError> {
    let size = share(workers, x.len(), GRAIN);
    let found = AtomicUsize::new(usize::MAX);
    let parts = array::collect(x.len().div_ceil(size), x.chunks(size).enumerate())?;
    each(workers, parts, &|(part, x)| {
        for (k, block) in x.chunks(BLOCK).enumerate() {
            let start = part * size + k * BLOCK;
            if found.load(Ordering::Relaxed) < start {
                return;
            }
            // Whole blocks are looked at without a branch for each element.
            if block.iter().fold(false, |any, &x| any | holds(x)) {
                let place = block.iter().position(|&x| holds(x)).unwrap_or(0);
                found.fetch_min(start + place, Ordering::Relaxed);
                return;
            }
        }
    });
    Ok(Some(found.into_inner()).filter(|&found| found != usize::MAX))
}

/// Inclusive scans along one dimension, into `y`.
pub(super) fn scan<T: Copy + Send + Sync>(
    workers: &dyn Workers,
    x: &[T],
    y: &mut [T],
    (outer, n, inner): (usize, usize, usize),
    combine: impl Fn(T, T) -> T + Sync,
) -> Result<(), ValueError> {
    let row = |above: &[T], x: &[T], row: &mut [T]| scan_row(above, x, row, &combine);
    let blocks = |x: &[T], y: &mut [T]| match inner {
        1 => scan_lines(x, y, n, &combine),
        _ => x
            .chunks(n * inner)
            .zip(y.chunks_mut(n * inner))
            .for_each(|(x, y)| scan_block(x, y, inner, &combine)),
    };
    scan_in_parts(workers, x, y, (outer, n, inner), &blocks, &row)
}

/// Makes the next row of a scan from the one above it and a row of elements.
type NextRow<'a, T> = &'a (dyn Fn(&[T], &[T], &mut [T]) + Sync);

/// Threads scan whole blocks, or strips of columns where these are few.
fn scan_in_parts<T: Copy + Send + Sync>(
    workers: &dyn Workers,
    x: &[T],
    y: &mut [T],
    (outer, n, inner): (usize, usize, usize),
    scan: &(dyn Fn(&[T], &mut [T]) + Sync),
    row: NextRow<'_, T>,
) -> Result<(), ValueError> {
    if n * inner == 0 {
        return Ok(());
    }
    let blocks = share(workers, outer, (GRAIN / (n * inner)).max(1));
    if inner > 1 && outer < workers.count() {
        for (x, y) in x.chunks_exact(n * inner).zip(y.chunks_exact_mut(n * inner)) {
            let parts = strips(workers, y, inner)?;
            each(workers, parts, &|(from, mut rows)| scan_rows(x, inner, from, &mut rows, row));
        }
        return Ok(());
    }
    let size = blocks * n * inner;
    let parts = array::collect(outer.div_ceil(blocks), x.chunks(size).zip(y.chunks_mut(size)))?;
    each(workers, parts, &|(x, y)| scan(x, y));
    Ok(())
}

/// The number of a first column, and the parts of all rows from there on.
type Strip<'a, T> = (usize, Vec<&'a mut [T]>);

/// Cuts a matrix with rows of `inner` elements into strips of columns.
fn strips<'a, T>(
    workers: &dyn Workers,
    y: &'a mut [T],
    inner: usize,
) -> Result<Vec<Strip<'a, T>>, ValueError> {
    let (width, rows) = (share(workers, inner, COLUMNS), y.len() / inner);
    let mut strips: Vec<Strip<'a, T>> = array::reserve(inner.div_ceil(width))?;
    for from in (0..inner).step_by(width) {
        strips.push((from, array::reserve(rows)?));
    }
    for row in y.chunks_exact_mut(inner) {
        strips.iter_mut().zip(row.chunks_mut(width)).for_each(|((_, rows), part)| rows.push(part));
    }
    Ok(strips)
}

/// Scans the columns of a matrix `x` from column `from` on.
fn scan_rows<T: Copy>(x: &[T], inner: usize, from: usize, rows: &mut [&mut [T]], next: NextRow<'_, T>) {
    for k in 0..rows.len() {
        let (above, row) = rows.split_at_mut(k);
        let (above, row) = (above.last(), &mut *row[0]);
        let x = &x[k * inner + from..][..row.len()];
        match above {
            None => row.copy_from_slice(x),
            Some(above) => next(above, x, row),
        }
    }
}

fn scan_row<T: Copy>(above: &[T], x: &[T], row: &mut [T], combine: &impl Fn(T, T) -> T) {
    let (above, x) = (&above[..row.len()], &x[..row.len()]);
    for i in 0..row.len() {
        row[i] = combine(above[i], x[i]);
    }
}

/// Scans the columns of a matrix.
fn scan_block<T: Copy>(x: &[T], y: &mut [T], inner: usize, combine: &impl Fn(T, T) -> T) {
    y[..inner].copy_from_slice(&x[..inner]);
    for from in (inner..x.len()).step_by(inner) {
        let (above, row) = y[from - inner..].split_at_mut(inner);
        scan_row(above, &x[from..][..inner], &mut row[..inner], combine);
    }
}

/// Scans the rows of a matrix.
fn scan_lines<T: Copy>(x: &[T], y: &mut [T], n: usize, combine: &impl Fn(T, T) -> T) {
    for (x, y) in x.chunks(STREAMS * n).zip(y.chunks_mut(STREAMS * n)) {
        if x.len() < STREAMS * n {
            x.chunks(n).zip(y.chunks_mut(n)).for_each(|(x, y)| scan_block(x, y, 1, combine));
            continue;
        }
        let (x, y) = (streams(x, n), streams_mut(y, n));
        let mut sums = [x[0][0], x[1][0], x[2][0], x[3][0]];
        for k in 0..STREAMS {
            y[k][0] = sums[k];
        }
        for i in 1..n {
            for k in 0..STREAMS {
                sums[k] = combine(sums[k], x[k][i]);
                y[k][i] = sums[k];
            }
        }
    }
}

fn streams_mut<T>(y: &mut [T], n: usize) -> [&mut [T]; STREAMS] {
    let (a, y) = y.split_at_mut(n);
    let (b, y) = y.split_at_mut(n);
    let (c, y) = y.split_at_mut(n);
    [a, b, c, &mut y[..n]]
}

/// Sums along a dimension with several elements behind it: row by row, pairwise.
pub(super) fn sum_rows<T: Number>(
    workers: &dyn Workers,
    x: &[T],
    along: (usize, usize, usize),
) -> Result<Vec<T>, ValueError> {
    let mut result = array::filled(T::default(), along.0 * along.2)?;
    each_block(workers, x, &mut result, along, &|x, from, target| add_rows(x, along.2, from, target))?;
    Ok(result)
}

/// Adds the rows of a matrix, from column `from` on, to `target`.
fn add_rows<T: Number>(rows: &[T], inner: usize, from: usize, target: &mut [T]) -> Result<(), ValueError> {
    let count = rows.len() / inner.max(1);
    if count > ROWS {
        let (first, second) = rows.split_at(count / 2 * inner);
        let mut half = array::filled(T::default(), target.len())?;
        add_rows(first, inner, from, target)?;
        add_rows(second, inner, from, &mut half)?;
        target.iter_mut().zip(&half).for_each(|(y, &x)| *y = y.add(x));
        return Ok(());
    }
    isa::dispatch(AddRows { rows, inner: inner.max(1), from, target });
    Ok(())
}

/// A few rows that are added one after the other: the sums so far are read and written once for several rows.
struct AddRows<'a, T> {
    rows: &'a [T],
    inner: usize,
    from: usize,
    target: &'a mut [T],
}

impl<T: Number> Body for AddRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let n = self.target.len();
        let row = |k: usize| &self.rows[k * self.inner + self.from..][..n];
        let count = self.rows.len() / self.inner;
        let together = count - count % STREAMS;
        for k in (0..together).step_by(STREAMS) {
            let (a, b, c, d) = (row(k), row(k + 1), row(k + 2), row(k + 3));
            for (j, y) in self.target.iter_mut().enumerate() {
                *y = y.add(a[j]).add(b[j]).add(c[j]).add(d[j]);
            }
        }
        for k in together..count {
            self.target.iter_mut().zip(row(k)).for_each(|(y, &x)| *y = y.add(x));
        }
    }
}

/// Combines the elements along one dimension from the first to the last. The extent must not be 0, and the operation must be
/// associative.
pub(super) fn fold_along<T: Copy + Default + Send + Sync>(
    workers: &dyn Workers,
    x: &[T],
    along: (usize, usize, usize),
    combine: impl Fn(T, T) -> T + Sync,
) -> Result<Vec<T>, ValueError> {
    if along.2 == 1 {
        return each_line(workers, x, along, &|workers, line| {
            Ok(fold(workers, line, &combine)?.unwrap_or_default())
        });
    }
    let mut result = array::filled(T::default(), along.0 * along.2)?;
    let inner = along.2;
    each_block(workers, x, &mut result, along, &move |x, from, target| {
        for (k, row) in x.chunks_exact(inner).enumerate() {
            let row = &row[from..][..target.len()];
            match k {
                0 => target.copy_from_slice(row),
                _ => (0..row.len()).for_each(|i| target[i] = combine(target[i], row[i])),
            }
        }
        Ok(())
    })?;
    Ok(result)
}

// The work is a trait object, so that what calls it is compiled once for each type of elements.
/// Gets a matrix, a first column, and the results from there on.
type BlockWork<'a, T, R> = &'a (dyn Fn(&[T], usize, &mut [R]) -> Result<(), ValueError> + Sync);
/// Gets a line, and threads for it.
type LineWork<'a, T, R> = &'a (dyn Fn(&dyn Workers, &[T]) -> Result<R, ValueError> + Sync);
/// The same with the number of the line, which it may change.
type LineWorkMut<'a, T> = &'a (dyn Fn(&dyn Workers, usize, &mut [T]) -> Result<(), ValueError> + Sync);

/// Calls `f` with each matrix of `n` rows of `inner` elements, a first column, and the results for columns from there on.
pub(super) fn each_block<T: Sync, R: Send>(
    workers: &dyn Workers,
    x: &[T],
    results: &mut [R],
    (outer, n, inner): (usize, usize, usize),
    f: BlockWork<'_, T, R>,
) -> Result<(), ValueError> {
    let block = |o: usize| &x[o * n * inner..][..n * inner];
    if results.is_empty() {
        return Ok(());
    }
    if outer < workers.count() {
        // Long rows are read fastest: no more parts than threads, as long as the results of one stay in the first cache.
        let parts = workers.count().max(1).div_ceil(outer.max(1));
        let width = inner.div_ceil(parts).clamp(COLUMNS, WIDE);
        let mut parts = array::reserve(outer * inner.div_ceil(width))?;
        for (o, row) in results.chunks_mut(inner).enumerate() {
            parts.extend(row.chunks_mut(width).enumerate().map(|(k, results)| (o, k * width, results)));
        }
        return try_each(workers, parts, &|(o, from, results)| f(block(o), from, results));
    }
    let blocks = share(workers, outer, GRAIN / (n * inner).max(1));
    let parts = array::collect(outer.div_ceil(blocks), results.chunks_mut(blocks * inner).enumerate())?;
    try_each(workers, parts, &|(part, results)| {
        results.chunks_mut(inner).enumerate().try_for_each(|(k, row)| f(block(part * blocks + k), 0, row))
    })
}

/// Calls `f` with the number and the elements of each line of `n` neighbours. A single line gets all threads.
pub(super) fn each_line_mut<T: Send>(
    workers: &dyn Workers,
    y: &mut [T],
    n: usize,
    f: LineWorkMut<'_, T>,
) -> Result<(), ValueError> {
    if y.is_empty() {
        return Ok(());
    }
    if y.len() == n {
        return f(workers, 0, y);
    }
    let each = share(workers, y.len() / n.max(1), (GRAIN / n.max(1)).max(1));
    let parts = array::collect(y.len().div_ceil(each * n.max(1)), y.chunks_mut(each * n.max(1)).enumerate())?;
    try_each(workers, parts, &|(part, y)| {
        y.chunks_mut(n.max(1)).enumerate().try_for_each(|(k, line)| f(&Caller, part * each + k, line))
    })
}

/// The result of `f` for each line. A single line gets all threads.
pub(super) fn each_line<T: Copy + Send + Sync, R: Clone + Default + Send>(
    workers: &dyn Workers,
    x: &[T],
    (outer, n, inner): (usize, usize, usize),
    f: LineWork<'_, T, R>,
) -> Result<Vec<R>, ValueError> {
    let mut results = array::filled(R::default(), outer * inner)?;
    if let [result] = &mut results[..] {
        *result = f(workers, x)?;
        return Ok(results);
    }
    let each = share(workers, results.len(), (GRAIN / n.max(1)).max(1)).next_multiple_of(WIDTH);
    let parts = array::collect(results.len().div_ceil(each), results.chunks_mut(each).enumerate())?;
    try_each(workers, parts, &|(part, results)| {
        if inner == 1 {
            for (k, result) in results.iter_mut().enumerate() {
                *result = f(&Caller, &x[(part * each + k) * n..][..n])?;
            }
            return Ok(());
        }
        gathered_lines(x, (n, inner), part * each, results, f)
    })?;
    Ok(results)
}

/// The results for lines from number `first` on, whose elements do not lie side by side.
fn gathered_lines<T: Copy, R>(
    x: &[T],
    (n, inner): (usize, usize),
    first: usize,
    results: &mut [R],
    f: LineWork<'_, T, R>,
) -> Result<(), ValueError> {
    // Lines begin in different sets of the cache.
    let step = n + WIDTH;
    let mut buffer: Vec<T> = array::reserve(WIDTH * step)?;
    if let Some(&any) = x.first() {
        buffer.resize(WIDTH * step, any);
    }
    let mut done = 0;
    while done < results.len() {
        let (block, column) = ((first + done) / inner, (first + done) % inner);
        let width = WIDTH.min(inner - column).min(results.len() - done);
        for k in 0..n {
            let row = &x[(block * n + k) * inner + column..][..width];
            row.iter().enumerate().for_each(|(i, &x)| buffer[i * step + k] = x);
        }
        for (i, result) in results[done..done + width].iter_mut().enumerate() {
            *result = f(&Caller, buffer.get(i * step..i * step + n).unwrap_or(&[]))?;
        }
        done += width;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::workers::tests::Disorder;

    /// Floats whose sums depend on the order.
    fn numbers(n: usize) -> Vec<f32> {
        (0..n as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 8) as f32 / 1e5 - 80.0).collect()
    }

    /// The line with a number, element by element.
    fn line(x: &[f32], (_, n, inner): (usize, usize, usize), number: usize) -> Vec<f32> {
        (0..n).map(|k| x[(number / inner * n + k) * inner + number % inner]).collect()
    }

    const SHAPES: [(usize, usize, usize); 10] = [
        (1, 1, 1),
        (1, 300, 1),
        (1, 200_000, 1),
        (37, 50, 1),
        (1, 60, 333),
        (1, 3, 3),
        (3, 40, 130),
        (50, 7, 19),
        (2000, 3, 3),
        (5, 1, 4),
    ];

    #[test]
    fn scans_are_in_order_whatever_the_shape_and_the_threads() {
        for along in SHAPES {
            let x = numbers(along.0 * along.1 * along.2);
            for threads in [1, 2, 7] {
                let mut y = vec![0.0; x.len()];
                scan(&Disorder(threads), &x, &mut y, along, |a, b| a + b).unwrap();
                for number in 0..along.0 * along.2 {
                    let mut sum = None;
                    let expected = line(&x, along, number)
                        .into_iter()
                        .map(|x| *sum.insert(sum.map_or(x, |sum| sum + x)));
                    assert!(
                        expected.eq(line(&y, along, number)),
                        "{along:?}, {threads} threads, line {number}"
                    );
                }
            }
        }
        scan(&Disorder(2), &[], &mut [], (0, 5, 3), |a: f32, b| a + b).unwrap();
        scan(&Disorder(2), &[], &mut [], (5, 0, 3), |a: f32, b| a + b).unwrap();
        scan(&Disorder(2), &[], &mut [], (5, 3, 0), |a: f32, b| a + b).unwrap();
    }

    #[test]
    fn sums_are_the_same_bits_for_any_number_of_threads() {
        for n in [0, 1, 255, 65_536, 65_537, 131_072, 131_080, 1_000_003] {
            let x = numbers(n);
            let expected = sum_each(&x, &|x| x).to_bits();
            for threads in [1, 2, 5] {
                assert_eq!(sum_by(&Disorder(threads), &x, &|x| x).unwrap().to_bits(), expected, "{n}");
            }
        }
        for along in SHAPES.into_iter().filter(|along| along.2 > 1) {
            let x = numbers(along.0 * along.1 * along.2);
            let expected = sum_rows(&Caller, &x, along).unwrap();
            for threads in [2, 5] {
                assert_eq!(sum_rows(&Disorder(threads), &x, along).unwrap(), expected, "{along:?}");
            }
        }
    }

    #[test]
    fn a_few_rows_are_added_in_order() {
        for (n, inner) in [(1, 3), (4, 1), (5, 70), (7, 33), (16, 130)] {
            let x = numbers(n * inner);
            let sums = sum_rows(&Caller, &x, (1, n, inner)).unwrap();
            let in_order =
                |column: usize| line(&x, (1, n, inner), column).into_iter().fold(0.0, |sum, x| sum + x);
            assert!(sums.into_iter().eq((0..inner).map(in_order)), "{n}x{inner}");
        }
    }

    #[test]
    fn the_first_of_several_is_found_by_any_number_of_threads() {
        let mut x = vec![0; 200_000];
        for threads in [1, 2, 7] {
            assert_eq!(first(&Disorder(threads), &x, |x| x > 0).unwrap(), None);
            assert_eq!(first(&Disorder(threads), &[], |_: i32| true).unwrap(), None);
        }
        for place in [199_999, 150_001, 65_536, 1024, 1023, 1, 0] {
            x[place] = 1;
            for threads in [1, 2, 7] {
                assert_eq!(first(&Disorder(threads), &x, |x| x > 0).unwrap(), Some(place));
            }
        }
    }

    #[test]
    fn lines_and_extremes_of_every_shape() {
        for along in SHAPES {
            let x = numbers(along.0 * along.1 * along.2);
            let count = along.0 * along.2;
            let last: Vec<f32> = (0..count).map(|i| line(&x, along, i)[along.1 - 1]).collect();
            let largest: Vec<f32> =
                (0..count).map(|i| line(&x, along, i).into_iter().fold(f32::MIN, f32::max)).collect();
            for threads in [1, 3] {
                let workers = Disorder(threads);
                assert_eq!(
                    each_line(&workers, &x, along, &|_, line| Ok(line[line.len() - 1])).unwrap(),
                    last
                );
                assert_eq!(fold_along(&workers, &x, along, f32::max).unwrap(), largest, "{along:?}");
                let mut numbers = vec![0; count * 3];
                each_line_mut(&workers, &mut numbers, 3, &|_, number, line| {
                    line.fill(number);
                    Ok(())
                })
                .unwrap();
                assert!(numbers.into_iter().eq((0..count).flat_map(|i| [i; 3])));
            }
        }
        assert_eq!(
            each_line(&Disorder(2), &[] as &[f32], (2, 0, 3), &|_, line| Ok(line.len())).unwrap(),
            [0; 6]
        );
    }
}
