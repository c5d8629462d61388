//! Row sharing: rows of positions that are processed at once. A row needs a list of array elements (taps); if the
//! following rows need the same taps, shifted by one row each, the common work is done once for all of them.

/// An array element with its weight; the last index is relative to the position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tap<W, const N: usize> {
    pub(super) at: [i32; N],
    pub(super) weight: W,
}

/// The taps of one row.
#[derive(Debug)]
pub struct TapList<W, const N: usize> {
    pub(super) taps: Vec<Tap<W, N>>,
}

impl<W, const N: usize> TapList<W, N> {
    /// Adds a tap.
    #[inline(always)]
    pub fn push(&mut self, at: [i32; N], weight: W) {
        self.taps.push(Tap { at, weight });
    }
}

/// Maximum number of rows processed at once.
pub(super) const MOST: usize = 8;

/// The current row and the group that it belongs to.
#[derive(Debug)]
pub(super) struct RowGroup<W, const N: usize> {
    first: TapList<W, N>,
    other: TapList<W, N>,
    /// Start position of the first row.
    start: Vec<i32>,
    /// Index of the current row in the group, and the number of rows.
    pub(super) turn: usize,
    pub(super) rows: usize,
    /// Taps in one row of the rectangle that they form; 0 if they do not.
    pub(super) width: usize,
    outside: [bool; MOST],
}

impl<W: Copy + PartialEq, const N: usize> RowGroup<W, N> {
    pub(super) fn new() -> Self {
        let list = || TapList { taps: Vec::new() };
        let (first, other, start) = (list(), list(), Vec::new());
        RowGroup { first, other, start, turn: 0, rows: 0, width: 0, outside: [false; MOST] }
    }

    /// The taps of the first row.
    pub(super) fn taps(&self) -> &[Tap<W, N>] {
        &self.first.taps
    }

    /// Advances to the row that begins at `position`. `list` collects the taps of the row that many rows further on,
    /// and returns whether something in them was out of range; `most` gives the number of rows to process at once if
    /// the taps form a rectangle of that height. Returns whether a new group begins, and whether something was out of
    /// range in this row.
    pub(super) fn turn_to(
        &mut self,
        position: &[i32],
        mut list: impl FnMut(i32, &mut TapList<W, N>) -> bool,
        most: impl Fn(usize) -> usize,
    ) -> (bool, bool) {
        self.turn += 1;
        if self.turn < self.rows && self.follows(position) {
            return (false, self.outside[self.turn]);
        }
        self.start.clear();
        self.start.extend_from_slice(position);
        (self.turn, self.rows) = (0, 1);
        self.first.taps.clear();
        self.outside[0] = list(0, &mut self.first);
        self.width = self.rectangle();
        let most = match self.first.taps.len().checked_div(self.width) {
            Some(height) if position.len() > 1 => most(height).min(MOST),
            _ => 1,
        };
        let alike = (1..most).all(|ahead| {
            self.other.taps.clear();
            self.outside[ahead] = list(ahead as i32, &mut self.other);
            self.moved(ahead as i32)
        });
        if alike {
            self.rows = most.max(1);
        }
        (true, self.outside[0])
    }

    /// Whether the row at `position` is the next one of the group.
    fn follows(&self, position: &[i32]) -> bool {
        let along = position.len().wrapping_sub(2);
        self.start.len() == position.len()
            && self.start.iter().zip(position).enumerate().all(|(k, (first, here))| {
                let by = if k == along { self.turn as i32 } else { 0 };
                first.wrapping_add(by) == *here
            })
    }

    /// Whether the other taps are the first ones, shifted by this many rows.
    fn moved(&self, rows: i32) -> bool {
        let (first, other) = (&self.first.taps, &self.other.taps);
        first.len() == other.len()
            && first.iter().zip(other).all(|(a, b)| {
                a.weight == b.weight
                    && (0..N).all(|k| {
                        let by = if k + 2 == N { rows } else { 0 };
                        a.at[k].wrapping_add(by) == b.at[k]
                    })
            })
    }

    /// The width of the rectangle that the taps form, if they are listed row by row.
    fn rectangle(&self) -> usize {
        let taps = &self.first.taps;
        if N < 2 || taps.is_empty() {
            return 0;
        }
        let row = |tap: &Tap<W, N>| tap.at[N - 2];
        let width = taps.iter().take_while(|tap| row(tap) == row(&taps[0])).count();
        let whole = taps.len().is_multiple_of(width);
        let regular = taps.iter().enumerate().all(|(k, tap)| {
            let mut at = taps[k % width].at;
            at[N - 2] = at[N - 2].wrapping_add((k / width) as i32);
            at == tap.at
        });
        if whole && regular { width } else { 0 }
    }
}

/// Values computed for some columns of all rows of a group.
#[derive(Debug)]
struct Part<T> {
    start: i32,
    len: usize,
    stride: usize,
    fresh: bool,
    values: Vec<T>,
}

/// The values of all column ranges.
#[derive(Debug)]
pub(super) struct RowValues<T> {
    parts: Vec<Part<T>>,
}

impl<T: Copy + Default> RowValues<T> {
    pub(super) fn new() -> Self {
        RowValues { parts: Vec::new() }
    }

    /// Invalidates the values but keeps their memory.
    pub(super) fn clear(&mut self) {
        for part in &mut self.parts {
            part.fresh = false;
        }
    }

    /// The values of `n` columns from `start` on in row `turn`. `make` computes those of all rows, each at a multiple
    /// of `stride`, unless they are cached.
    #[inline(always)]
    pub(super) fn row(
        &mut self,
        (start, n): (i32, usize),
        (turn, rows): (usize, usize),
        stride: usize,
        make: impl FnOnce(&mut [T]),
    ) -> &[T] {
        let k = match self.parts.iter().position(|p| p.start == start && p.len == n) {
            Some(k) => k,
            None => {
                self.parts.retain(|p| p.fresh);
                self.parts.push(Part { start, len: n, stride, fresh: false, values: Vec::new() });
                self.parts.len() - 1
            }
        };
        let part = &mut self.parts[k];
        if !part.fresh {
            part.stride = stride;
            part.values.resize(stride * rows, T::default());
            make(&mut part.values);
            part.fresh = true;
        }
        &part.values[turn * part.stride..][..n]
    }
}
