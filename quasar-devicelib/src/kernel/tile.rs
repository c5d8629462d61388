//! Tiles of rows: rows of a task that are neighbours along a component of the position and are visited together.

use super::task::{Segment, Task};

/// Rows that are visited together, or rows in order that are not.
#[derive(Clone, Copy, Debug)]
pub struct Tile<const R: usize> {
    /// The rows in order, or the first of the tile.
    task: Task<R>,
    /// The number of rows of the tile, and how far apart they are; no rows if it is none.
    rows: usize,
    apart: usize,
}

/// The least positions of a task along the rows of tiles, and along its columns, for which factors are packed. Measured with batches of
/// products of small matrices.
const PACKED_ROWS: usize = 16;
const PACKED_COLUMNS: i32 = 32;
/// The same where one packed factor serves all rows, as the weights of a layer do, of which there are so many in all. Measured with
/// layers of convolutions.
const SHARED_ROWS: usize = 8;
const SHARED_COLUMNS: i32 = 4;
const ALL_ROWS: usize = 64;

impl<const R: usize> Task<R> {
    /// Divides the task into tiles of so many rows along a component of the position, as far as it holds all of them.
    #[inline(always)]
    pub fn tiles(&self, axis: usize, rows: usize) -> impl Iterator<Item = Tile<R>> + use<R> {
        let task = *self;
        let apart = task.rows_between(axis);
        let (mut row, mut in_tiles) = (task.rows.0, false);
        std::iter::from_fn(move || {
            if row >= task.rows.1 {
                return None;
            }
            let group = row / apart;
            if row % apart == 0 {
                let at = task.position(row)[axis];
                let inside = at >= task.origin[axis] && at as usize + rows <= task.dims[axis] as usize;
                in_tiles = inside && (group + rows) * apart <= task.rows.1;
            }
            let end = if in_tiles { row + 1 } else { ((group + 1) * apart).min(task.rows.1) };
            let here = Task { rows: (row, end), ..task };
            row = if in_tiles && end % apart == 0 { (group + rows) * apart } else { end };
            Some(Tile { task: here, rows: if in_tiles { rows } else { 0 }, apart })
        })
    }

    /// As [`Task::tiles`], those along the component one behind the other, for factors that are packed. Tasks of few positions are no
    /// tiles: packing would cost more than it spares. `shared` says whether all rows have one factor in common.
    pub fn packed_tiles(&self, axis: usize, rows: usize, shared: bool) -> Vec<Tile<R>> {
        let (apart, width) = (self.rows_between(axis), self.columns.1 - self.columns.0);
        let all = self.rows.1 - self.rows.0;
        let high = (all / apart.max(1)).min(self.dims[axis].max(0) as usize);
        let large = high >= PACKED_ROWS && width >= PACKED_COLUMNS;
        let small = shared && all >= ALL_ROWS && high >= SHARED_ROWS && width >= SHARED_COLUMNS;
        if !large && !small {
            return vec![Tile { task: *self, rows: 0, apart }];
        }
        let mut tiles: Vec<Tile<R>> = self.tiles(axis, rows).collect();
        tiles.sort_by_cached_key(|tile| {
            let mut at = self.position(tile.task.rows.0);
            at[axis] = 0;
            at
        });
        tiles
    }

    /// How many rows lie between neighbours along a component of the position.
    pub(super) fn rows_between(&self, axis: usize) -> usize {
        self.dims[axis + 1..R - 1].iter().map(|&d| d.max(1) as usize).product()
    }
}

impl<const R: usize> Tile<R> {
    /// The start of the first row of a tile.
    #[inline(always)]
    pub fn first(&self) -> Option<[i32; R]> {
        if self.rows == 0 { None } else { self.task.rows().next() }
    }

    /// The columns that lie in a range.
    #[inline(always)]
    pub fn inside(&self, (first, end): (i32, i32)) -> Segment {
        let columns = self.task.columns;
        let start = first.clamp(columns.0, columns.1.max(columns.0));
        let end = end.clamp(start, columns.1.max(start));
        Segment { start, len: (end - start) as usize, edge: false }
    }

    /// All positions but those of `len` columns from `start` on.
    #[inline(always)]
    pub fn without(&self, start: i32, len: usize) -> impl Iterator<Item = Task<R>> + use<R> {
        let Tile { task, rows, apart } = *self;
        let (first, end) = task.columns;
        let sides =
            if len == 0 { [(first, end), (end, end)] } else { [(first, start), (start + len as i32, end)] };
        let rows = (0..rows.max(1)).map(move |k| (task.rows.0 + k * apart, task.rows.1 + k * apart));
        let parts = rows.flat_map(move |rows| sides.map(|columns| Task { rows, columns, ..task }));
        parts.filter(|part| part.columns.0 < part.columns.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits the columns `columns` of tiles together; the number of those positions.
    fn visit<const R: usize>(task: Task<R>, (axis, rows): (usize, usize), columns: (i32, i32)) -> usize {
        let (mut found, mut together) = (Vec::new(), 0);
        for tile in task.tiles(axis, rows) {
            let (mut start, mut len) = (0, 0);
            if let Some(at) = tile.first() {
                let s = tile.inside(columns);
                (start, len) = (s.start, s.len);
                for row in 0..rows as i32 {
                    found.extend((0..len as i32).map(|k| {
                        let mut at = at;
                        at[axis] += row;
                        at[R - 1] = s.start + k;
                        at
                    }));
                }
                together += rows * len;
            }
            found.extend(tile.without(start, len).flat_map(|task| task.positions()));
        }
        found.sort_unstable();
        assert_eq!(found, task.positions().collect::<Vec<_>>());
        together
    }

    #[test]
    fn tiles_cover_each_position_once() {
        assert_eq!(visit(Task::new([9, 10]), (0, 4), (1, 9)), 64);
        assert_eq!(visit(Task::new([3, 10]), (0, 4), (1, 9)), 0);
        assert_eq!(visit(Task::new([0, 10]), (0, 4), (0, 10)), 0);
        assert_eq!(visit(Task::new([5, 0]), (0, 4), (0, 10)), 0);
        for axis in 0..2 {
            for rows in [2, 4] {
                let together = visit(Task::new([5, 6, 7]), (axis, rows), (2, 5));
                assert_eq!(together, [3 * 6 * 4, 3 * 5 * [6, 4][rows / 4]][axis]);
                assert_eq!(visit(Task::new([5, 6, 7]), (axis, rows), (3, 3)), 0);
                visit(Task::starting_at([1, 2, 1], [5, 6, 7]), (axis, rows), (0, 100));
            }
        }
    }

    #[test]
    fn parts_of_tasks_are_divided_too() {
        let mut parts = vec![Task::new([9, 5, 3])];
        while let Some(at) = parts.iter().position(|part| part.count() >= 8) {
            let part = parts.swap_remove(at);
            for (axis, rows) in [(0, 2), (1, 2), (0, 4), (1, 4)] {
                visit(part, (axis, rows), (0, 2));
            }
            let Some((a, _, b)) = part.halve(3, (1, 64), None) else { continue };
            parts.extend([a, b]);
        }
    }
}
