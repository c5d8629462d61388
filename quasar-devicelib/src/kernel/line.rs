//! Gathers the elements around a row of positions, borders included, into one slice.

use super::mode::Mode;
use super::view::View;
use crate::element::Element;

/// A buffer for elements that are not contiguous in the array, because the boundary mode applies.
#[derive(Debug, Default)]
pub struct Line<T> {
    scratch: Vec<T>,
}

impl<T: Element> Line<T> {
    /// An empty line.
    #[inline(always)]
    pub fn new() -> Self {
        Line { scratch: Vec::new() }
    }

    /// The `n` elements from `from` on along the last dimension. Elements out of range are given by the mode, or zero.
    /// Borrows the array where it can, otherwise fills the buffer.
    #[inline(always)]
    pub fn fetch<'s, M: Mode, const N: usize, const PART: bool>(
        &'s mut self,
        view: &View<'s, T, N, PART>,
        from: [i32; N],
        n: usize,
    ) -> &'s [T] {
        if let Some(row) = view.row::<M>(from) {
            let first = from[N - 1];
            if first >= 0
                && let Some(inside) = row.get(first as usize..).and_then(|rest| rest.get(..n))
            {
                return inside;
            }
            self.fill::<M>(row, first, n);
        } else {
            self.zeros(n);
        }
        &self.scratch[..n]
    }

    #[inline(never)]
    fn zeros(&mut self, n: usize) {
        self.scratch.clear();
        self.scratch.resize(n, T::default());
    }

    #[inline(never)]
    fn fill<M: Mode>(&mut self, row: &[T], first: i32, n: usize) {
        let width = row.len() as i32;
        let map = |k: usize| {
            let i = M::map(first.wrapping_add(k as i32), width);
            if i < 0 { T::default() } else { row[i as usize] }
        };
        // Interior elements are copied; only the rest is mapped by the mode.
        let before = (-i64::from(first)).clamp(0, n as i64) as usize;
        let inside = (i64::from(width) - i64::from(first)).clamp(before as i64, n as i64) as usize;
        self.scratch.clear();
        self.scratch.extend((0..before).map(map));
        self.scratch.extend((before..inside).map(|k| row[(i64::from(first) + k as i64) as usize]));
        self.scratch.extend((inside..n).map(map));
    }
}
