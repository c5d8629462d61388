//! The iteration space of one chunk of a launch, and its iteration orders.

use super::vector::Columns;

/// A range of whole rows of a box of positions, or a range of columns of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task<const R: usize> {
    pub(super) dims: [i32; R],
    pub(super) rows: (usize, usize),
    pub(super) columns: (i32, i32),
    pub(super) origin: [i32; R],
}

/// Consecutive positions of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The first column.
    pub start: i32,
    /// Number of columns.
    pub len: usize,
    /// Whether accesses may be out of range.
    pub edge: bool,
}

impl Segment {
    /// Whether all columns are in a range.
    #[inline(always)]
    pub fn is_within(&self, range: (i32, i32)) -> bool {
        self.start >= range.0 && i64::from(self.start) + self.len as i64 <= i64::from(range.1)
    }
}

impl<const R: usize> Task<R> {
    /// The same task with no positions.
    #[must_use]
    pub fn without_positions(self) -> Task<R> {
        Task { rows: (self.rows.0, self.rows.0), columns: (self.columns.0, self.columns.0), ..self }
    }

    /// All positions of a box.
    pub fn new(dims: [i32; R]) -> Task<R> {
        let dims = dims.map(|d| d.max(0));
        let rows = dims[..R - 1].iter().map(|&d| d as usize).product();
        Task { dims, rows: (0, rows), columns: (0, dims[R - 1]), origin: [0; R] }
    }

    /// The positions of a box of these extents that begins at a position. An empty box stays empty.
    pub fn starting_at(origin: [i32; R], dims: [i32; R]) -> Task<R> {
        let ends = std::array::from_fn(|k| if dims[k] > 0 { dims[k].saturating_add(origin[k]) } else { 0 });
        let whole = Task::new(ends);
        Task { columns: (origin[R - 1].min(ends[R - 1]), ends[R - 1]), origin, ..whole }
    }

    /// The extents of the whole launch.
    pub fn dims(&self) -> [i32; R] {
        self.dims
    }

    /// The values of the first component of all positions of the launch, from one to before another.
    pub fn leading(&self) -> (i32, i32) {
        (self.origin[0], self.dims[0])
    }

    /// The positions whose first component is in a range.
    #[must_use]
    pub fn with_leading(&self, range: std::ops::Range<i32>) -> Task<R> {
        if R == 1 {
            let start = range.start.max(self.columns.0);
            return Task { columns: (start, range.end.min(self.columns.1).max(start)), ..*self };
        }
        let between = self.rows_between(0);
        let row = |first: i32| (first.max(0) as usize).saturating_mul(between);
        let start = row(range.start).max(self.rows.0);
        Task { rows: (start, row(range.end).min(self.rows.1).max(start)), ..*self }
    }

    /// The number of positions.
    pub fn count(&self) -> usize {
        (self.rows.1 - self.rows.0) * (self.columns.1 - self.columns.0).max(0) as usize
    }

    /// The key that orders the chunks of one launch.
    pub(super) fn first(&self) -> (usize, i32) {
        (self.rows.0, self.columns.0)
    }

    /// The position at the start of row number `row`.
    #[inline(always)]
    pub(super) fn position(&self, mut row: usize) -> [i32; R] {
        let mut position = [0; R];
        position[R - 1] = self.columns.0;
        for k in (0..R - 1).rev() {
            let extent = self.dims[k].max(1) as usize;
            position[k] = (row % extent) as i32;
            row /= extent;
        }
        position
    }

    /// The first position of each row.
    #[inline(always)]
    pub fn rows(&self) -> impl Iterator<Item = [i32; R]> + use<R> {
        let task = *self;
        let mut at = task.position(task.rows.0);
        let all = (task.rows.0..task.rows.1).map(move |_| {
            let here = at;
            for k in (0..R - 1).rev() {
                at[k] += 1;
                if at[k] < task.dims[k] {
                    break;
                }
                at[k] = 0;
            }
            here
        });
        all.filter(move |at| (0..R - 1).all(|k| at[k] >= task.origin[k]))
    }

    /// All positions.
    #[inline(always)]
    pub fn positions(&self) -> impl Iterator<Item = [i32; R]> + use<R> {
        let (start, end) = self.columns;
        self.rows().flat_map(move |row| {
            (start..end).map(move |column| {
                let mut at = row;
                at[R - 1] = column;
                at
            })
        })
    }

    /// Whether rows have so few positions, and the last two components together so few values, that what is done for each row costs
    /// more than the positions.
    #[inline(always)]
    pub fn has_short_rows(&self, most: i32, plane: i32) -> bool {
        let n = self.dims[R - 1];
        let above = if R > 1 { self.dims[R - 2] } else { 1 };
        n <= most && i64::from(n) * i64::from(above) <= i64::from(plane)
    }

    /// The corners of a box that holds all rows: positions without their last component.
    pub fn corners(&self) -> impl Iterator<Item = [i32; R]> + use<R> {
        let (first, end) = (self.position(self.rows.0), self.position(self.rows.1.saturating_sub(1)));
        let ends: [(i32, i32); R] = std::array::from_fn(|k| match k {
            0 => (first[0].max(self.origin[0]), end[0].max(self.origin[0])),
            _ => (self.origin[k], (self.dims[k] - 1).max(self.origin[k])),
        });
        (0..1_usize << (R - 1)).map(move |corner| {
            std::array::from_fn(|k| if corner >> k & 1 == 0 { ends[k].0 } else { ends[k].1 })
        })
    }

    /// The rows that differ in the last component before the columns only: the first position, and the values of that component.
    #[inline(always)]
    pub fn planes(&self) -> impl Iterator<Item = ([i32; R], std::ops::Range<i32>)> + use<R> {
        let (task, mut row) = (*self, self.rows.0);
        let mut at = task.position(row);
        let all = std::iter::from_fn(move || {
            if row >= task.rows.1 {
                return None;
            }
            let here = at;
            let left = (task.dims[R - 2] - at[R - 2]) as usize;
            let count = left.min(task.rows.1 - row);
            row += count;
            at[R - 2] = 0;
            for k in (0..R - 2).rev() {
                at[k] += 1;
                if at[k] < task.dims[k] {
                    break;
                }
                at[k] = 0;
            }
            Some((here, here[R - 2].max(task.origin[R - 2])..here[R - 2] + count as i32))
        });
        all.filter(move |(at, _)| (0..R - 2).all(|k| at[k] >= task.origin[k]))
    }

    /// The columns of all rows.
    #[inline(always)]
    pub fn columns(&self) -> std::ops::Range<i32> {
        self.columns.0..self.columns.1
    }

    /// Whether all columns are among these.
    #[inline(always)]
    pub fn is_within(&self, columns: Columns) -> bool {
        let (first, end) = columns.range();
        first <= self.columns.0 && self.columns.1 <= end
    }

    /// Column blocking: the same rows in equal blocks of at most `width` columns, rounded up to an even width. The last one takes what
    /// would be too narrow for vectors as well.
    #[inline(always)]
    pub fn blocks(&self, width: i32) -> impl Iterator<Item = Task<R>> + use<R> {
        const EVEN: i32 = 64;
        const NARROW: i32 = EVEN / 2;
        let task = *self;
        let (start, end) = task.columns;
        let count = end.saturating_sub(start).max(0);
        let groups = count / width.max(1) + i32::from(count % width.max(1) != 0);
        let width = (count / groups.max(1)).saturating_add(EVEN) / EVEN * EVEN;
        let rest = count % width.max(1);
        let last = if rest < NARROW && rest < count { end - rest } else { end };
        (start..last).step_by(width.max(1) as usize).map(move |c| {
            let stop = c.saturating_add(width);
            Task { columns: (c, if stop < last { stop } else { end }), ..task }
        })
    }

    /// Tiles: rows in groups of `height` along a component that is not the last, of each group as many as `width` columns at once. Each
    /// part is one row.
    #[inline(always)]
    pub fn position_tiles(&self, axis: usize, height: usize, width: i32) -> PositionTiles<R> {
        let (first, end) = self.rows;
        // Rows that differ in later components only lie one behind the other.
        let between = self.rows_between(axis).max(1);
        let group = between * height.max(1);
        let from = first / group * group;
        let (start, stop) = self.columns;
        let done = start >= stop || first >= end;
        PositionTiles {
            task: *self,
            between,
            group,
            width: width.max(1),
            from: if done { end } else { from },
            lane: from,
            column: start,
            row: from,
        }
    }

    /// The task of `len` positions from column `start` on in the row of a position.
    #[inline(always)]
    pub fn part(&self, at: [i32; R], start: i32, len: usize) -> Task<R> {
        let row = (0..R - 1).fold(0, |row, k| row * self.dims[k] as usize + at[k] as usize);
        Task { rows: (row, row + 1), columns: (start, start.saturating_add(len as i32)), ..*self }
    }

    /// The columns from one to before another, as far as the task has them.
    #[inline(always)]
    pub fn between(&self, (first, end): (i32, i32)) -> Task<R> {
        let first = first.max(self.columns.0);
        Task { columns: (first, end.min(self.columns.1).max(first)), ..*self }
    }

    /// Splits the columns into up to three segments, the middle one being those in `inside`; all are edges if `edge` is
    /// set.
    #[inline(always)]
    pub fn segments(&self, inside: (i32, i32), edge: bool) -> impl Iterator<Item = Segment> + use<R> {
        let (start, end) = self.columns;
        let low = inside.0.clamp(start, end.max(start));
        let high = inside.1.clamp(low, end.max(low));
        let groups = [(start, low, true), (low, high, edge), (high, end, true)];
        groups.into_iter().filter(|g| g.0 < g.1).map(|g| Segment {
            start: g.0,
            len: (g.1 - g.0) as usize,
            edge: g.2,
        })
    }

    /// Splits the task in two that differ in the leading `depth` components of a position only. Also returns the
    /// position of the cut; `None` if a half would have fewer than `grain` positions, or too few rows for tiles of so many
    /// along a component. A row is cut at a multiple of `columns`.
    pub fn halve(
        self,
        depth: usize,
        (grain, columns): (usize, usize),
        tile: Option<(usize, usize)>,
    ) -> Option<(Task<R>, [i32; R], Task<R>)> {
        if self.count() < 2 * grain.max(1) {
            return None;
        }
        let (first, last) = self.rows;
        let unit: usize = self.dims[depth.min(R - 1)..R - 1].iter().map(|&d| d as usize).product();
        let tile = tile.filter(|(axis, _)| *axis < depth);
        let tile =
            tile.map(|(axis, rows)| rows * self.rows_between(axis)).filter(|rows| *rows <= last - first);
        let unit = tile.unwrap_or(unit);
        let whole = self.columns == (self.origin[R - 1], self.dims[R - 1]);
        if depth > 0 && whole && last - first >= 2 * unit {
            let middle = (first + (last - first) / 2) / unit * unit;
            let middle = if middle <= first { first + unit } else { middle };
            let (a, b) = (Task { rows: (first, middle), ..self }, Task { rows: (middle, last), ..self });
            return Some((a, b.position(middle), b));
        }
        if depth == R && last - first == 1 {
            let (start, end) = self.columns;
            let columns = columns.max(1) as i32;
            let middle = start + ((end - start) / 2 + columns - 1) / columns * columns;
            if middle >= end {
                return None;
            }
            let (a, b) = (Task { columns: (start, middle), ..self }, Task { columns: (middle, end), ..self });
            return Some((a, b.position(first), b));
        }
        None
    }
}

/// The rows of the tiles of a task, as [`Task::position_tiles`] visits them.
#[derive(Clone, Debug)]
pub struct PositionTiles<const R: usize> {
    task: Task<R>,
    /// How many rows are between neighbours of a tile, and from one group of tiles to the next.
    between: usize,
    group: usize,
    width: i32,
    /// The first row of the group, the first of the tile, the first column of the tile, and the next row.
    from: usize,
    lane: usize,
    column: i32,
    row: usize,
}

impl<const R: usize> Iterator for PositionTiles<R> {
    type Item = Task<R>;

    #[inline(always)]
    fn next(&mut self) -> Option<Task<R>> {
        let (first, end) = self.task.rows;
        while self.from < end {
            let row = self.row;
            if row < end.min(self.from + self.group) {
                self.row += self.between;
                if row < first {
                    continue;
                }
                let stop = self.column.saturating_add(self.width).min(self.task.columns.1);
                return Some(Task { rows: (row, row + 1), columns: (self.column, stop), ..self.task });
            }
            self.next_tile();
        }
        None
    }
}

impl<const R: usize> PositionTiles<R> {
    fn next_tile(&mut self) {
        let (start, stop) = self.task.columns;
        self.column = self.column.saturating_add(self.width);
        if self.column >= stop {
            self.column = start;
            self.lane += 1;
            if self.lane >= self.task.rows.1.min(self.from + self.between) {
                self.from += self.group;
                self.lane = self.from;
            }
        }
        self.row = self.lane;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_start_at_the_first_column() {
        let task = Task::new([2, 3, 5]);
        let rows: Vec<_> = task.rows().collect();
        assert_eq!(rows, [[0, 0, 0], [0, 1, 0], [0, 2, 0], [1, 0, 0], [1, 1, 0], [1, 2, 0]]);
        assert_eq!(Task::new([7]).rows().collect::<Vec<_>>(), [[0]]);
        assert_eq!(Task::new([0, 7]).rows().count(), 0);
    }

    #[test]
    fn rows_are_cut_at_multiples() {
        let cut = |columns| Task::new([100]).halve(1, (1, columns), None).map(|(_, [cut], _)| cut);
        assert_eq!([cut(64), cut(16), cut(1)], [Some(64), Some(64), Some(50)]);
        let few = |columns| Task::new([40]).halve(1, (1, columns), None).map(|(_, [cut], _)| cut);
        assert_eq!([few(64), few(16), few(1)], [None, Some(32), Some(20)]);
    }

    #[test]
    fn halves_cover_the_whole() {
        fn leaves<const R: usize>(task: Task<R>, depth: usize, out: &mut Vec<Task<R>>) {
            match task.halve(depth, (1, 64), None) {
                Some((a, cut, b)) => {
                    assert_eq!(b.rows().next(), Some(cut));
                    leaves(a, depth, out);
                    leaves(b, depth, out);
                }
                None => out.push(task),
            }
        }
        for depth in 0..=3 {
            let whole = Task::new([3, 4, 130]);
            let mut parts = Vec::new();
            leaves(whole, depth, &mut parts);
            assert_eq!(parts.len(), [1, 3, 12, 36][depth]);
            assert_eq!(parts.iter().map(Task::count).sum::<usize>(), whole.count());
        }
    }

    #[test]
    fn halves_hold_whole_tiles() {
        let rows = |task: Task<3>| (task.rows.0, task.rows.1);
        let (a, _, b) = Task::new([10, 3, 8]).halve(3, (1, 64), Some((0, 4))).expect("two parts");
        assert_eq!((rows(a), rows(b)), ((0, 12), (12, 30)));
        assert!(a.halve(3, (1, 64), Some((0, 4))).is_none() && b.halve(3, (1, 64), Some((0, 4))).is_none());
        assert!(a.halve(3, (1, 64), Some((1, 2))).is_some());
        assert!(Task::new([3, 3, 8]).halve(3, (1, 64), Some((0, 4))).is_some(), "no tile at all");
    }

    #[test]
    fn planes_hold_each_row_once() {
        let rows = |task: Task<3>| -> Vec<[i32; 3]> {
            let planes = task.planes();
            planes.flat_map(|(at, rows)| rows.map(move |row| [at[0], row, task.columns.0])).collect()
        };
        for whole in [Task::new([3, 4, 2]), Task::starting_at([1, 2, 0], [2, 3, 2]), Task::new([2, 0, 3])] {
            let parts = whole.halve(2, (1, 64), None).map_or(vec![whole], |(a, _, b)| vec![a, b]);
            for task in parts {
                assert_eq!(rows(task), task.rows().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn corners_hold_all_rows() {
        let task = Task::starting_at([1, 0, 0], [4, 3, 2]);
        assert_eq!(task.corners().collect::<Vec<_>>(), [[1, 0, 0], [4, 0, 0], [1, 2, 0], [4, 2, 0]]);
        let (a, _, _) = Task::new([4, 3, 2]).halve(1, (1, 64), None).expect("two parts");
        assert_eq!(a.corners().map(|at| at[0]).max(), Some(1));
        assert_eq!(Task::new([7]).corners().count(), 1);
        assert!(Task::new([9, 4, 3]).has_short_rows(3, 12) && !Task::new([9, 4, 3]).has_short_rows(3, 11));
        let mut columns = Columns::all();
        assert!(task.is_within(columns) && task.columns() == (0..2));
        columns.to(1, true);
        assert!(!task.is_within(columns));
    }

    #[test]
    fn blocks_are_of_equal_width() {
        let columns = |n: i32, width: i32| -> Vec<(i32, i32)> {
            Task::new([1, n]).blocks(width).map(|task| task.columns).collect()
        };
        assert_eq!(columns(100, 4096), [(0, 100)]);
        assert_eq!(columns(4096, 4096), [(0, 4096)]);
        assert_eq!(columns(4100, 4096), [(0, 2112), (2112, 4100)]);
        assert_eq!(columns(0, 4096), []);
        assert_eq!(columns(399, 128), [(0, 128), (128, 256), (256, 399)]);
        assert_eq!(columns(416, 128), [(0, 128), (128, 256), (256, 384), (384, 416)]);
        assert_eq!(columns(129, 128), [(0, 129)]);
        let behind: Vec<_> =
            Task::starting_at([0, 5], [1, 129]).blocks(128).map(|task| task.columns).collect();
        assert_eq!(behind, [(5, 134)]);
    }

    #[test]
    fn tiles_visit_each_position_once() {
        let order: Vec<_> =
            Task::new([3, 5]).position_tiles(0, 2, 3).flat_map(|task| task.positions()).collect();
        let first = [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [0, 3], [0, 4], [1, 3], [1, 4], [2, 0]];
        assert_eq!(order[..11], first);
        for axis in 0..2 {
            let whole = Task::new([5, 3, 7]);
            let (a, _, b) = whole.halve(3, (1, 64), None).expect("two parts");
            for task in [whole, a, b, Task::starting_at([1, 1, 2], [4, 2, 5])] {
                let mut tiled: Vec<_> =
                    task.position_tiles(axis, 2, 3).flat_map(|task| task.positions()).collect();
                tiled.sort_unstable();
                assert_eq!(tiled, task.positions().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn tasks_start_at_their_origin() {
        let task = Task::starting_at([1, 2, 1], [2, 1, 3]);
        let first = [[1, 2, 1], [1, 2, 2], [1, 2, 3], [2, 2, 1], [2, 2, 2], [2, 2, 3]];
        assert_eq!(task.positions().collect::<Vec<_>>(), first);
        assert_eq!(Task::starting_at([1, 1], [0, 5]).positions().count(), 0);
        assert_eq!(Task::starting_at([1, 1], [5, -3]).positions().count(), 0);
        let (a, cut, b) = Task::starting_at([1, 1], [4, 9]).halve(1, (1, 64), None).expect("two parts");
        assert_eq!(a.positions().chain(b.positions()).count(), 36);
        assert!(a.positions().all(|at| at[0] < cut[0]) && b.positions().all(|at| at[0] >= cut[0]));
    }

    #[test]
    fn ranges_of_the_first_component_are_the_whole() {
        fn check<const R: usize>(task: Task<R>) {
            let (first, end) = task.leading();
            for cut in first..=end {
                let (a, b) = (task.with_leading(first..cut), task.with_leading(cut..end));
                assert!(a.positions().all(|at| at[0] < cut));
                assert!(a.positions().chain(b.positions()).eq(task.positions()));
            }
        }
        check(Task::new([7]));
        check(Task::starting_at([2], [5]));
        check(Task::new([4, 3]));
        check(Task::starting_at([1, 1, 2], [3, 2, 4]));
    }

    #[test]
    fn parts_are_of_one_row() {
        let part = Task::new([2, 3, 9]).part([1, 2, 0], 4, 3);
        assert_eq!(part.positions().collect::<Vec<_>>(), [[1, 2, 4], [1, 2, 5], [1, 2, 6]]);
    }

    #[test]
    fn segments_split_off_the_edges() {
        let task = Task::new([1, 10]);
        let found: Vec<_> = task.segments((2, 9), false).map(|s| (s.start, s.len, s.edge)).collect();
        assert_eq!(found, [(0, 2, true), (2, 7, false), (9, 1, true)]);
        assert_eq!(task.segments((5, 3), false).count(), 2);
    }
}
