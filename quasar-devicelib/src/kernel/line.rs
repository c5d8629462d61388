//! Elements around a row of positions, as one slice.

use super::mode::Mode;
use super::view::View;

/// A place for the elements of one row when they cannot be taken from the array as they lie.
#[derive(Debug, Default)]
pub struct Line<T> {
    scratch: Vec<T>,
}

impl<T: Copy + Default> Line<T> {
    /// An empty line.
    #[inline(always)]
    pub fn new() -> Self {
        Line { scratch: Vec::new() }
    }

    /// The `n` elements from `from` on along the last dimension. Elements out of range are what the mode says (zero
    /// where it says nothing).
    #[inline(always)]
    pub fn fetch<'s, M: Mode, const N: usize>(
        &'s mut self,
        view: &View<'s, T, N>,
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
        self.scratch.clear();
        let width = row.len() as i32;
        self.scratch.extend((0..n as i32).map(|k| {
            let i = M::map(first.wrapping_add(k), width);
            if i < 0 { T::default() } else { row[i as usize] }
        }));
    }
}

/// Combines corresponding elements of rows of equal length, in order, from what `start` makes of the first.
#[inline(always)]
pub fn combine<'s, T: Copy + Default, const K: usize>(
    scratch: &'s mut Vec<T>,
    rows: [&[T]; K],
    start: impl Fn(T) -> T,
    combine: impl Fn(T, T) -> T,
) -> &'s [T] {
    let n = rows[0].len();
    scratch.resize(n, T::default());
    let out = &mut scratch[..n];
    column_wise(out, rows.map(|row| &row[..n]), start, combine);
    out
}

#[inline(always)]
fn column_wise<T: Copy, const K: usize>(
    out: &mut [T],
    rows: [&[T]; K],
    start: impl Fn(T) -> T,
    combine: impl Fn(T, T) -> T,
) {
    // Few rows at a time: each of them is a stream of its own that the processor has to follow, and a pointer in a
    // register.
    let n = out.len();
    for (out, &first) in out.iter_mut().zip(rows[0]) {
        *out = start(first);
    }
    let mut k = 1;
    while k + 4 <= K {
        let (a, b, c, d) = (&rows[k][..n], &rows[k + 1][..n], &rows[k + 2][..n], &rows[k + 3][..n]);
        for i in 0..n {
            out[i] = combine(combine(combine(combine(out[i], a[i]), b[i]), c[i]), d[i]);
        }
        k += 4;
    }
    while k < K {
        let a = &rows[k][..n];
        for i in 0..n {
            out[i] = combine(out[i], a[i]);
        }
        k += 1;
    }
}
