//! Rows of positions that are worked on together. What a row needs of an array is a list of places in it; where the
//! following rows need the same, moved along by one row each, what they have in common is done once for all of them.

/// One place in an array with its weight; the last component is relative to the position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tap<W, const N: usize> {
    pub(super) at: [i32; N],
    pub(super) weight: W,
}

/// The places that one row needs.
#[derive(Debug)]
pub struct TapList<W, const N: usize> {
    pub(super) taps: Vec<Tap<W, N>>,
}

impl<W, const N: usize> TapList<W, N> {
    /// Adds a place.
    #[inline(always)]
    pub fn push(&mut self, at: [i32; N], weight: W) {
        self.taps.push(Tap { at, weight });
    }
}

/// Most rows that are worked on together.
pub(super) const MOST: usize = 8;

/// The current row and those it is worked on with.
#[derive(Debug)]
pub(super) struct Together<W, const N: usize> {
    first: TapList<W, N>,
    other: TapList<W, N>,
    /// Where the first row begins.
    start: Vec<i32>,
    /// Which of them the current row is, and how many they are.
    pub(super) turn: usize,
    pub(super) rows: usize,
    /// Places in one row of the rectangle that they form; 0 where they do not.
    pub(super) width: usize,
    outside: [bool; MOST],
}

impl<W: Copy + PartialEq, const N: usize> Together<W, N> {
    pub(super) fn new() -> Self {
        let list = || TapList { taps: Vec::new() };
        let (first, other, start) = (list(), list(), Vec::new());
        Together { first, other, start, turn: 0, rows: 0, width: 0, outside: [false; MOST] }
    }

    /// The places that the first row needs.
    pub(super) fn taps(&self) -> &[Tap<W, N>] {
        &self.first.taps
    }

    /// Turns to the row that begins at `position`. `list` puts the places that the row so many rows further on needs
    /// into a list, and says whether something about them was out of range; `most` says how many rows are to be worked
    /// on together where the places are rows of a rectangle of that height. Says whether these rows are new ones, and
    /// whether something was out of range in this one.
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

    /// Whether the row at `position` is the one whose turn it is.
    fn follows(&self, position: &[i32]) -> bool {
        let along = position.len().wrapping_sub(2);
        self.start.len() == position.len()
            && self.start.iter().zip(position).enumerate().all(|(k, (first, here))| {
                let by = if k == along { self.turn as i32 } else { 0 };
                first.wrapping_add(by) == *here
            })
    }

    /// Whether the other places are the first ones, moved by so many rows.
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

    /// How many places each row of the rectangle has that the places form, if they come row by row.
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

/// Values made for some columns of the rows that are worked on together.
#[derive(Debug)]
struct Part<T> {
    start: i32,
    len: usize,
    stride: usize,
    fresh: bool,
    values: Vec<T>,
}

/// The values of all groups of columns.
#[derive(Debug)]
pub(super) struct Made<T> {
    parts: Vec<Part<T>>,
}

impl<T: Copy + Default> Made<T> {
    pub(super) fn new() -> Self {
        Made { parts: Vec::new() }
    }

    /// Forgets the values, not their memory.
    pub(super) fn clear(&mut self) {
        for part in &mut self.parts {
            part.fresh = false;
        }
    }

    /// The values of `n` columns from `start` on in one of the rows. `make` makes those of all rows, each at a multiple
    /// of `stride`.
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
