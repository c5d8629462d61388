//! Rows of positions that cross those of an array, as where it is transposed: tiles of elements are turned in a buffer, so that each
//! line of the cache is read once, and rows of positions find their elements side by side.

use super::access::Access;
use super::mode::Mode;
use super::view::View;
use crate::element::Element;

/// Neighbouring elements along the last dimension that are fetched together: the floats of a cache line.
const TOGETHER: usize = 16;
/// Rows of the array whose elements are turned at a time, by as many of each: the floats of a small register.
const ROWS: usize = 4;

/// A turned tile of an array of rank `N`.
#[derive(Debug)]
pub struct Across<T, const N: usize> {
    /// For each of the elements that are fetched together those of all rows.
    turned: Vec<T>,
    /// The index of the first element, and the rows.
    corner: [i32; N],
    rows: usize,
    /// How many of the elements that are fetched together are there: those in the array, or all.
    columns: usize,
}

impl<T: Element, const N: usize> Default for Across<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Element, const N: usize> Across<T, N> {
    /// No tile.
    #[inline(always)]
    pub fn new() -> Self {
        Across { turned: Vec::new(), corner: [0; N], rows: 0, columns: 0 }
    }

    /// The `n` elements from `from` on along the dimension `AXIS`, which is not the last. Elements out of range are given by the mode,
    /// or zero. The elements beside them are turned as well, for the rows of positions that follow.
    #[inline(always)]
    pub fn fetch<M: Mode, const AXIS: usize, const PART: bool>(
        &mut self,
        view: &View<'_, T, N, PART>,
        from: [i32; N],
        n: usize,
    ) -> &[T] {
        let mut corner = from;
        corner[N - 1] = from[N - 1] & !(TOGETHER as i32 - 1);
        if self.corner != corner || self.rows != n {
            self.turn::<M, AXIS, PART>(view, corner, n);
        }
        let row = from[N - 1].wrapping_sub(corner[N - 1]) as usize;
        if row >= self.columns {
            self.map_others::<M, AXIS, PART>(view);
        }
        &self.turned[row * n..][..n]
    }

    #[inline(never)]
    fn turn<M: Mode, const AXIS: usize, const PART: bool>(
        &mut self,
        view: &View<'_, T, N, PART>,
        corner: [i32; N],
        n: usize,
    ) {
        (self.corner, self.rows) = (corner, n);
        self.turned.resize(TOGETHER * n, T::default());
        let (from, first) = (i64::from(corner[AXIS]), i64::from(corner[N - 1]));
        let columns = (i64::from(view.extent(N - 1)) - first).clamp(0, TOGETHER as i64) as usize;
        let line = view.line_of::<M, AXIS>(corner).filter(|_| first >= 0);
        let mut done = 0;
        self.columns = 0;
        if let Some(line) = line
            && from >= 0
            && from + n as i64 <= i64::from(line.count)
        {
            let all = view.elements();
            let start = line.offset + from as usize * line.stride;
            self.columns = columns;
            while done + ROWS <= n {
                let mut lines = [[T::default(); TOGETHER]; ROWS];
                for (k, elements) in lines.iter_mut().enumerate() {
                    let line = &all[start + (done + k) * line.stride..][..columns];
                    let (blocks, rest) = line.as_chunks::<ROWS>();
                    let to = elements.as_chunks_mut::<ROWS>().0;
                    match line.first_chunk::<TOGETHER>() {
                        Some(line) => to.copy_from_slice(line.as_chunks().0),
                        // Copies of unknown length are calls.
                        None => {
                            to.iter_mut().zip(blocks).for_each(|(to, block)| *to = *block);
                            to[blocks.len()..]
                                .as_flattened_mut()
                                .iter_mut()
                                .zip(rest)
                                .for_each(|(to, x)| *to = *x);
                        }
                    }
                }
                let blocks = columns.div_ceil(ROWS);
                for (first, to) in self.turned.chunks_exact_mut(ROWS * n).enumerate().take(blocks) {
                    let four = |k: usize| {
                        let line = &lines[k][ROWS * first..][..ROWS];
                        [line[0], line[1], line[2], line[3]]
                    };
                    let rows = turned(&[four(0), four(1), four(2), four(3)]);
                    for (elements, to) in rows.iter().zip(to.chunks_exact_mut(n)) {
                        to[done..][..ROWS].copy_from_slice(elements);
                    }
                }
                done += ROWS;
            }
        }
        for (row, turned) in self.turned.chunks_exact_mut(n.max(1)).enumerate().take(self.columns) {
            for (k, element) in turned.iter_mut().enumerate().skip(done) {
                *element = view.get::<M>(beside::<N, AXIS>(corner, row, k));
            }
        }
    }

    /// Fetches those that are not there, as the mode maps them.
    #[cold]
    #[inline(never)]
    fn map_others<M: Mode, const AXIS: usize, const PART: bool>(&mut self, view: &View<'_, T, N, PART>) {
        for (row, turned) in self.turned.chunks_exact_mut(self.rows.max(1)).enumerate().skip(self.columns) {
            for (k, element) in turned.iter_mut().enumerate() {
                *element = view.get::<M>(beside::<N, AXIS>(self.corner, row, k));
            }
        }
        self.columns = TOGETHER;
    }
}

/// The index of an element of a tile.
fn beside<const N: usize, const AXIS: usize>(corner: [i32; N], row: usize, k: usize) -> [i32; N] {
    let mut at = corner;
    at[N - 1] = at[N - 1].wrapping_add(row as i32);
    at[AXIS] = at[AXIS].wrapping_add(k as i32);
    at
}

/// A block whose rows are the columns of another. The exchanges are those of registers, which compilers find.
#[inline(always)]
fn turned<T: Copy>(block: &[[T; ROWS]; ROWS]) -> [[T; ROWS]; ROWS] {
    let low = |a: [T; ROWS], b: [T; ROWS]| [a[0], b[0], a[1], b[1]];
    let high = |a: [T; ROWS], b: [T; ROWS]| [a[2], b[2], a[3], b[3]];
    let [a, b, c, d] = *block;
    let [p, q, r, s] = [low(a, b), high(a, b), low(c, d), high(c, d)];
    [[p[0], p[1], r[0], r[1]], [p[2], p[3], r[2], r[3]], [q[0], q[1], s[0], s[1]], [q[2], q[3], s[2], s[3]]]
}

#[cfg(test)]
mod tests {
    use super::super::{Circular, Clamped, Safe};
    use super::*;

    #[test]
    fn turned_elements_are_those_of_single_loads() {
        let data: Vec<i32> = (0..3 * 40 * 50).collect();
        let view = View::<i32, 3>::new(&data, &[3, 40, 50]);
        let mut across = Across::new();
        for n in [1, 7, 8, 20, 64] {
            for plane in [0, 2, 3] {
                for row in [-3, 0, 1, 33] {
                    for column in (-20..70).chain([i32::MAX, i32::MIN]) {
                        let from = [plane, row, column];
                        let one = |k: usize| [plane, row + k as i32, column];
                        let found = across.fetch::<Clamped, 1, _>(&view, from, n).to_vec();
                        assert_eq!(found, (0..n).map(|k| view.get::<Clamped>(one(k))).collect::<Vec<_>>());
                        across = Across::new();
                        let found = across.fetch::<Circular, 1, _>(&view, from, n).to_vec();
                        assert_eq!(found, (0..n).map(|k| view.get::<Circular>(one(k))).collect::<Vec<_>>());
                        across = Across::new();
                        let found = across.fetch::<Safe, 1, _>(&view, from, n).to_vec();
                        assert_eq!(found, (0..n).map(|k| view.get::<Safe>(one(k))).collect::<Vec<_>>());
                        let from = [row, plane, column];
                        across = Across::new();
                        let found = across.fetch::<Clamped, 0, _>(&view, from, n).to_vec();
                        let one = |k: usize| [row + k as i32, plane, column];
                        assert_eq!(found, (0..n).map(|k| view.get::<Clamped>(one(k))).collect::<Vec<_>>());
                        across = Across::new();
                    }
                }
            }
        }
    }
}
