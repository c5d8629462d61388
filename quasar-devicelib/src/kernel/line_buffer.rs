//! Line buffers: the rows of an array that some launches still need, where they visit strips of rows in turn. The next strip
//! takes over what it needs of the last one, so that no row is computed twice.

use super::disjoint_rows::Band;
use super::shape::Shape;
use super::task::Task;
use super::view::Rows;
use crate::element::Element;
use crate::spare;

/// Rows of an array of rank `N`, from `first` to before `end`.
#[derive(Debug)]
pub struct LineBuffer<T: 'static, const N: usize> {
    /// The rows, and what is left of others behind them.
    data: Vec<T>,
    first: usize,
    end: usize,
    shape: Shape<N>,
    /// Whether new rows are zeros; otherwise they are anything.
    zeros: bool,
}

impl<T: 'static, const N: usize> Drop for LineBuffer<T, N> {
    fn drop(&mut self) {
        spare::keep(std::mem::take(&mut self.data));
    }
}

impl<T: Element, const N: usize> LineBuffer<T, N> {
    /// No rows of an array of these extents.
    pub fn new(extents: [i32; N], zeros: bool) -> Self {
        let shape = Shape::exact(extents.map(|n| n.max(0) as usize));
        LineBuffer { data: spare::take(), first: 0, end: 0, shape, zeros }
    }

    /// The bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.shape.strides[0].saturating_mul(size_of::<T>())
    }

    /// Drops the rows before `rows.0` and makes room up to `rows.1`. Says which rows are new, from one to before another. The end is
    /// rounded up, as register tiles have several rows.
    pub fn advance(&mut self, rows: (i64, i64)) -> (i32, i32) {
        if rows.0 >= rows.1 {
            return (0, 0);
        }
        let count = i64::from(self.shape.dims[0]);
        let end = ((rows.1 + ALIGNED - 1) / ALIGNED * ALIGNED).clamp(0, count) as usize;
        let start = rows.0.clamp(0, end as i64) as usize;
        let row = self.shape.strides[0];
        if start < self.first || start >= self.end {
            (self.first, self.end) = (start, start);
        }
        self.data.copy_within((start - self.first) * row..(self.end - self.first) * row, 0);
        let (old, new) = (self.end - start, end.max(self.end) - start);
        if self.data.len() < new * row {
            self.data.resize(new * row, T::default());
        }
        if self.zeros {
            self.data[old * row..new * row].fill(T::default());
        }
        (self.first, self.end) = (start, start + new);
        ((start + old) as i32, self.end as i32)
    }

    fn there(&self) -> usize {
        (self.end - self.first) * self.shape.strides[0]
    }

    /// The rows, to be read.
    pub fn rows(&self) -> Rows<'_, T, N> {
        Rows::some(&self.data[..self.there()], self.first * self.shape.strides[0], self.shape)
    }

    /// The rows, to be written.
    pub fn band(&mut self) -> Band<'_, T, N> {
        let there = self.there();
        Band::some(&mut self.data[..there], self.first * self.shape.strides[0], self.shape)
    }
}

/// Rows of line buffers end at multiples of so many, as register tiles do.
const ALIGNED: i64 = 4;
/// Strips begin at multiples of so many rows.
const STRIP: i64 = 8;

/// Strips are cut from parts of launches that begin at multiples of so many rows: what threads compute twice at the borders of their
/// parts is little beside them.
pub const STRIP_TILE: Option<(usize, usize)> = Some((0, 64));
/// No rows.
pub const NO_ROWS: (i64, i64) = (i64::MAX, i64::MIN);

/// The rows of both, and those between them.
#[inline(always)]
pub fn both(a: (i64, i64), b: (i64, i64)) -> (i64, i64) {
    (a.0.min(b.0), a.1.max(b.1))
}

/// Which rows of an array with `count` of them are meant by those from `low` to `high`, both inclusive, where those outside are what
/// a boundary mode says, which may be rows as far inside. From one row to before another.
pub fn mapped_rows(low: i64, high: i64, count: i32) -> (i64, i64) {
    let last = i64::from(count) - 1;
    let (mut first, mut end) = (low.clamp(0, last.max(0)), high.clamp(0, last.max(0)));
    if low < 0 {
        (first, end) = (0, end.max((-low).min(last)));
    }
    if high > last {
        (first, end) = (first.min((2 * last - high).max(0)), last);
    }
    (first, end + 1)
}

/// The strips of a task over rows, each from one row to before another, for line buffers of which a row takes so many bytes and which
/// should fit so many in the cache.
pub fn strips(task: Task<2>, row_bytes: usize, cache: usize) -> impl Iterator<Item = (i64, i64)> {
    let (mut from, end) = (task.rows.0 as i64, task.rows.1 as i64);
    let rows = ((cache / row_bytes.max(1)) as i64 / STRIP * STRIP).max(STRIP);
    std::iter::from_fn(move || {
        // The first one ends where the others are aligned.
        let strip = (from, ((from / rows + 1) * rows).min(end));
        from = strip.1;
        (strip.0 < strip.1).then_some(strip)
    })
}

/// Those positions of a launch that begins at `origin`, with these extents, whose first component goes from one value to before another.
pub fn rows_of<const R: usize>(origin: [i32; R], dims: [i32; R], (first, end): (i32, i32)) -> Task<R> {
    let whole = Task::starting_at(origin, dims);
    let limit = |row: i32| row.clamp(0, whole.dims[0]);
    let (first, end) = (limit(first), limit(end));
    if R == 1 {
        let (start, stop) = whole.columns;
        return Task { columns: (first.max(start), end.min(stop)), ..whole };
    }
    let each: usize = whole.dims[1..R - 1].iter().map(|&n| n as usize).product();
    Task { rows: (first as usize * each, end.max(first) as usize * each), ..whole }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Access, Mirror, Safe};

    #[test]
    fn rows_outside_are_as_far_inside() {
        assert_eq!(mapped_rows(2, 4, 10), (2, 5));
        assert_eq!(mapped_rows(-3, 1, 10), (0, 4));
        assert_eq!(mapped_rows(8, 11, 10), (7, 10));
        assert_eq!(mapped_rows(-1, 3, 2), (0, 2));
        assert_eq!(mapped_rows(-20, -10, 4), (0, 4));
        assert_eq!(mapped_rows(0, 0, 1), (0, 1));
    }

    #[test]
    fn buffers_move_on_with_what_is_still_needed() {
        let mut buffer = LineBuffer::<f32, 2>::new([40, 3], true);
        assert_eq!(buffer.advance((0, 14)), (0, 16));
        for row in 0..16 {
            buffer.band().put([row, 1], row as f32);
        }
        assert_eq!(buffer.advance((9, 18)), (16, 20));
        assert_eq!(buffer.rows().get::<Safe>([8, 1]), 0.0, "is gone");
        assert_eq!(buffer.rows().get::<Safe>([9, 1]), 9.0);
        assert_eq!(buffer.rows().get::<Mirror>([15, 1]), 15.0);
        assert_eq!(buffer.rows().get::<Safe>([19, 1]), 0.0, "is new");
        assert_eq!(buffer.advance((32, 39)), (32, 40));
        assert_eq!(buffer.advance((0, 8)), (0, 8), "going back begins anew");
    }

    #[test]
    fn strips_cover_a_task() {
        let task = rows_of([0, 0], [100, 1], (5, 90));
        let strips: Vec<_> = strips(task, 10, 160).collect();
        assert_eq!(strips, [(5, 16), (16, 32), (32, 48), (48, 64), (64, 80), (80, 90)]);
    }

    #[test]
    fn parts_of_launches_have_whole_rows() {
        let rows = |task: Task<3>| task.rows().collect::<Vec<_>>();
        assert_eq!(rows(rows_of([0; 3], [4, 2, 5], (1, 3))), [[1, 0, 0], [1, 1, 0], [2, 0, 0], [2, 1, 0]]);
        assert_eq!(rows(rows_of([2, 1, 0], [2, 1, 5], (0, 4))), [[2, 1, 0], [3, 1, 0]]);
        let line: Vec<_> = rows_of([3], [10], (0, 8)).positions().collect();
        assert_eq!(line, [[3], [4], [5], [6], [7]]);
    }
}
