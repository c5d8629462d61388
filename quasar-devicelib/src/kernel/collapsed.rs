//! Collapsed dimensions: the last two components of positions as one, where all arrays are as long along the last dimension as the
//! launch (the channels of an image). Elements of neighbouring columns lie side by side then, and a step along the columns is
//! one of as many elements as there are channels.

use super::access::Access;
use super::disjoint_rows::Band;
use super::mode::{Mode, Safe};
use super::task::{Segment, Task};
use super::view::View;
use crate::element::Element;
use std::num::NonZeroU32;

/// Columns of a task with all their channels: positions that differ in the last two components. A task whose dimensions are not
/// collapsed is one run without lanes.
#[derive(Clone, Copy, Debug)]
pub struct ColumnRun<const R: usize> {
    /// The first position.
    pub at: [i32; R],
    task: Task<R>,
    columns: (i32, i32),
    channels: Option<NonZeroU32>,
}

impl<const R: usize> Task<R> {
    /// The number of channels, where it is at most `most`, the task holds all channels of its columns, and arrays with these extents
    /// have as many.
    pub fn channels(&self, most: i32, extents: &[i32]) -> Option<NonZeroU32> {
        let (n, width) = (self.dims[R - 1], self.dims[R - 2]);
        let fits = self.columns == (0, n) && n <= most && width.checked_mul(n).is_some();
        let channels = NonZeroU32::new(u32::try_from(n).ok()?)?;
        (fits && extents.iter().all(|&extent| extent == n)).then_some(channels)
    }

    /// The runs of the task.
    pub fn runs(&self, channels: Option<NonZeroU32>) -> impl Iterator<Item = ColumnRun<R>> + use<R> {
        let (task, width) = (*self, self.dims[R - 2].max(1) as usize);
        let mut row = task.rows.0;
        std::iter::from_fn(move || {
            if row >= task.rows.1 {
                return None;
            }
            let mut at = task.position(row);
            let count = match channels {
                Some(_) => (width - at[R - 2] as usize).min(task.rows.1 - row),
                None => task.rows.1 - row,
            };
            row += count;
            let first = at[R - 2].max(task.origin[R - 2]);
            let columns = (first, at[R - 2].saturating_add(count as i32));
            at[R - 2] = first;
            Some(ColumnRun { at, task, columns, channels })
        })
        .filter(|run| run.channels.is_none() || (0..R - 2).all(|k| run.at[k] >= run.task.origin[k]))
    }
}

impl<const R: usize> ColumnRun<R> {
    /// The run in up to three segments of elements, counted from the first column on, the middle one being the columns in `inside`.
    #[inline(always)]
    pub fn segments(&self, inside: (i32, i32)) -> impl Iterator<Item = Segment> + use<R> {
        let (start, end) = self.columns;
        let end = end.max(start);
        let low = inside.0.clamp(start, end);
        let high = inside.1.clamp(low, end);
        let groups = match self.channels {
            Some(_) => [(start, low, true), (low, high, false), (high, end, true)],
            None => [(0, 1, true), (0, 0, true), (0, 0, true)],
        };
        let channels = self.channels.map_or(1, NonZeroU32::get) as i32;
        groups.into_iter().filter(|g| g.0 < g.1).map(move |g| Segment {
            start: g.0 * channels,
            len: (g.1 - g.0) as usize * channels as usize,
            edge: g.2,
        })
    }

    /// The positions of `len` elements from `start` on, by rows.
    pub fn parts(&self, start: i32, len: usize) -> impl Iterator<Item = Task<R>> + use<R> {
        let tasks = match self.channels {
            _ if len == 0 => [None; 3],
            None => [Some(self.task), None, None],
            Some(channels) => self.whole_and_partial(start as usize, len, channels.get() as usize),
        };
        tasks.into_iter().flatten()
    }

    fn whole_and_partial(&self, start: usize, len: usize, channels: usize) -> [Option<Task<R>>; 3] {
        let end = start + len;
        let lead = (0..R - 2).fold(0, |row, k| row * self.task.dims[k] as usize + self.at[k] as usize);
        let lead = lead * self.task.dims[R - 2] as usize;
        let part = |rows: (usize, usize), columns: (usize, usize)| {
            let columns = (columns.0 as i32, columns.1 as i32);
            let task = Task { rows: (lead + rows.0, lead + rows.1), columns, ..self.task };
            (rows.0 < rows.1 && columns.0 < columns.1).then_some(task)
        };
        let (first, last) = (start / channels, end / channels);
        if first == last {
            return [part((first, first + 1), (start % channels, end % channels)), None, None];
        }
        let whole = start.div_ceil(channels);
        [
            part((first, whole), (start % channels, channels)),
            part((whole, last), (0, channels)),
            part((last, last + 1), (0, end % channels)),
        ]
    }
}

impl<T: Element, const N: usize, const PART: bool> View<'_, T, N, PART> {
    /// The elements of `L` lanes from number `start` of a run on, at a distance of `from[N - 2]` columns. Those out of range are what
    /// the mode says (zero where it says nothing), and stand in `spare` then. If `INSIDE`, `None` where a column is out of range.
    #[inline(always)]
    pub fn collapsed_vector<M: Mode, const L: usize, const INSIDE: bool>(
        &self,
        from: [i32; N],
        (start, channels): (i32, NonZeroU32),
        spare: &mut [[T; 1]],
    ) -> Option<[[T; 1]; L]> {
        let Some(plane) = self.plane::<M>(from) else { return Some([[T::default()]; L]) };
        let first = i64::from(start) + i64::from(from[N - 2]) * i64::from(channels.get());
        if let Ok(first) = usize::try_from(first)
            && let Some(inside) = plane.get(first..).and_then(|rest| rest.as_chunks().0.first_chunk::<L>())
        {
            return Some(*inside);
        }
        if INSIDE {
            return None;
        }
        let spare = spare.first_chunk_mut::<L>().expect("a place for each lane");
        let width = self.extent(N - 2);
        mapped::<M, T>(plane, width, from[N - 2], (start, channels), spare.as_flattened_mut());
        Some(*spare)
    }
}

/// Elements of collapsed dimensions, as a mode maps their columns.
#[cold]
#[inline(never)]
fn mapped<M: Mode, T: Element>(
    plane: &[T],
    width: i32,
    distance: i32,
    (start, channels): (i32, NonZeroU32),
    out: &mut [T],
) {
    for (k, element) in out.iter_mut().enumerate() {
        let at = start as u32 + k as u32;
        let column = M::map(((at / channels) as i32).wrapping_add(distance), width);
        let offset = |column: usize| column * channels.get() as usize + (at % channels) as usize;
        let place = usize::try_from(column).ok().map(offset);
        *element = place.and_then(|place| plane.get(place)).copied().unwrap_or_default();
    }
}

impl<T: Element, const N: usize> Band<'_, T, N> {
    /// The elements of `L` lanes from number `start` of a run on; zeros out of range. If `INSIDE`, `None` where one is out of range.
    #[inline(always)]
    pub fn collapsed_vector<const L: usize, const INSIDE: bool>(
        &mut self,
        from: [i32; N],
        (start, channels): (i32, NonZeroU32),
    ) -> Option<[T; L]> {
        match self.collapsed_chunk(from, start) {
            Some(chunk) => Some(*chunk),
            None if INSIDE => None,
            None => Some(self.partial(from, (start, channels))),
        }
    }

    /// Writes the elements of `L` lanes from number `start` of a run on; nothing out of range. If `INSIDE`, all are in range.
    #[inline(always)]
    pub fn set_collapsed_vector<const L: usize, const INSIDE: bool>(
        &mut self,
        from: [i32; N],
        (start, channels): (i32, NonZeroU32),
        values: [T; L],
    ) {
        match self.collapsed_chunk(from, start) {
            Some(chunk) => *chunk = values,
            None if INSIDE => {}
            None => self.set_partial(from, (start, channels), &values),
        }
    }

    #[cold]
    #[inline(never)]
    fn partial<const L: usize>(&self, from: [i32; N], (start, channels): (i32, NonZeroU32)) -> [T; L] {
        std::array::from_fn(|k| self.get::<Safe>(lane(from, start, channels, k)))
    }

    #[cold]
    #[inline(never)]
    fn set_partial(&mut self, from: [i32; N], (start, channels): (i32, NonZeroU32), values: &[T]) {
        for (k, value) in values.iter().enumerate() {
            self.put(lane(from, start, channels, k), *value);
        }
    }
}

/// The index of a lane.
fn lane<const N: usize>(mut from: [i32; N], start: i32, channels: NonZeroU32, k: usize) -> [i32; N] {
    let at = start as u32 + k as u32;
    from[N - 2] = (at / channels) as i32;
    from[N - 1] = (at % channels) as i32;
    from
}

#[cfg(test)]
mod tests {
    use super::super::vector::MAX_LANES;
    use super::super::{Circular, Clamped, Mirror};
    use super::*;

    #[test]
    fn parts_cover_each_position_once() {
        for (dims, origin) in
            [([2, 5, 3], [0, 0, 0]), ([3, 4, 2], [1, 2, 0]), ([2, 3, 1], [0, 0, 0]), ([1, 0, 3], [0; 3])]
        {
            let whole = Task::starting_at(origin, [dims[0] - origin[0], dims[1] - origin[1], dims[2]]);
            let mut tasks = vec![whole];
            if let Some((a, _, b)) = whole.halve(2, (1, 64), None) {
                tasks.extend([a, b]);
                tasks.remove(0);
            }
            let mut found = Vec::new();
            for task in tasks {
                let channels = task.channels(32, &[dims[2]]);
                for run in task.runs(channels) {
                    for s in run.segments((1, 4)) {
                        for asked in [0, 1, 4] {
                            let cut = s.len.min(asked);
                            let both =
                                run.parts(s.start, cut).chain(run.parts(s.start + cut as i32, s.len - cut));
                            let at: Vec<_> = both.flat_map(|task| task.positions()).collect();
                            assert_eq!(at.len(), if channels.is_some() { s.len } else { task.count() });
                            if asked == 1 {
                                found.extend(at);
                            }
                        }
                    }
                }
            }
            assert_eq!(found, whole.positions().collect::<Vec<_>>(), "{dims:?}");
        }
    }

    #[test]
    fn channels_are_collapsed_where_all_arrays_have_them() {
        let task = Task::new([2, 5, 3]);
        assert_eq!(task.channels(32, &[3, 3]).map(NonZeroU32::get), Some(3));
        assert_eq!(task.channels(32, &[3, 4]), None);
        assert_eq!(Task::new([2, 5, 0]).channels(32, &[0]), None);
        assert_eq!(Task::new([2, 5, 100]).channels(32, &[100]), None);
        assert_eq!(Task::new([1, i32::MAX, 3]).channels(32, &[]), None);
        assert_eq!(Task::starting_at([0, 0, 1], [2, 5, 2]).channels(32, &[3]), None);
        let runs: Vec<_> = task.runs(None).flat_map(|run| run.segments((0, 5)).collect::<Vec<_>>()).collect();
        assert_eq!(runs, [Segment { start: 0, len: 1, edge: true }]);
    }

    #[test]
    fn vectors_are_taken_as_they_lie_or_mapped_by_columns() {
        let data: Vec<i32> = (0..24).collect();
        let view = View::<i32, 3>::new(&data, &[2, 4, 3]);
        let three = NonZeroU32::new(3).expect("three");
        let mut spare = [[0; 1]; MAX_LANES];
        let spare = &mut spare;
        let flat = |v: Option<[[i32; 1]; 4]>| v.map(|v| v.map(|[e]| e)).expect("a vector");
        assert_eq!(
            flat(view.collapsed_vector::<Safe, 4, false>([1, 1, 0], (2, three), spare)),
            [17, 18, 19, 20]
        );
        assert_eq!(
            flat(view.collapsed_vector::<Safe, 4, false>([0, 1, 0], (7, three), spare)),
            [10, 11, 0, 0]
        );
        assert_eq!(
            flat(view.collapsed_vector::<Mirror, 4, false>([0, -1, 0], (1, three), spare)),
            [1, 2, 0, 1]
        );
        assert_eq!(
            flat(view.collapsed_vector::<Clamped, 4, false>([5, 2, 0], (4, three), spare)),
            [22, 23, 21, 22]
        );
        assert_eq!(
            flat(view.collapsed_vector::<Circular, 4, false>([0, i32::MAX, 0], (3, three), spare)),
            [0, 1, 2, 3]
        );
        assert_eq!(flat(view.collapsed_vector::<Safe, 4, false>([2, 0, 0], (0, three), spare)), [0; 4]);
        assert_eq!(
            flat(view.collapsed_vector::<Safe, 4, true>([1, 1, 0], (2, three), spare)),
            [17, 18, 19, 20]
        );
        assert_eq!(view.collapsed_vector::<Mirror, 4, true>([0, -1, 0], (1, three), spare), None);
        assert_eq!(view.collapsed_vector::<Safe, 4, true>([0, 1, 0], (7, three), spare), None);
    }

    #[test]
    fn vectors_are_written_by_columns() {
        let mut data = [0; 12];
        let mut band = Band::<i32, 3>::new(&mut data, &[2, 3, 2]);
        let two = NonZeroU32::new(2).expect("two");
        band.set_collapsed_vector::<3, true>([0, 0, 0], (1, two), [1, 2, 3]);
        band.set_collapsed_vector::<3, false>([1, 0, 0], (4, two), [4, 5, 6]);
        assert_eq!(band.collapsed_vector::<3, false>([1, 0, 0], (4, two)), Some([4, 5, 0]));
        assert_eq!(band.collapsed_vector::<3, true>([1, 0, 0], (4, two)), None);
        assert_eq!(band.collapsed_vector::<3, true>([0, 0, 0], (1, two)), Some([1, 2, 3]));
        assert_eq!(data, [0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 4, 5]);
    }
}
