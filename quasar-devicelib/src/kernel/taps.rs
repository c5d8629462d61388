//! Weighted sums of elements around a row of positions: `s = start + w0 * x[p + d0] + w1 * x[p + d1] + ..`, where the
//! weights and distances are the same for all positions of a row. The sums of a row are made before its positions are
//! visited, in blocks of columns whose sums stay in registers; where the next rows use the same weights at distances
//! that move along, several rows are summed at once, so that each element is loaded once for all of them.

use super::MultiplyAdd;
use super::line::Line;
use super::mode::Mode;
use super::view::View;
use crate::isa::Isa;

/// Rows that are summed at once.
const ROWS: usize = 4;
/// Columns whose sums stay in registers, when several rows are summed and when one is.
const NARROW: usize = 32;
const WIDE: usize = 128;

/// One weighted element; the last component of its place is relative to the position.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Tap<T, const N: usize> {
    at: [i32; N],
    weight: T,
}

/// The weighted elements of one row.
#[derive(Debug)]
pub struct TapList<T, const N: usize> {
    taps: Vec<Tap<T, N>>,
}

impl<T: Copy, const N: usize> TapList<T, N> {
    /// Adds an element.
    #[inline(always)]
    pub fn push(&mut self, at: [i32; N], weight: T) {
        self.taps.push(Tap { at, weight });
    }
}

/// Sums of a range of columns.
#[derive(Debug)]
struct Sums<T> {
    start: i32,
    len: usize,
    rows: usize,
    values: Vec<T>,
}

/// The weighted sums that a kernel needs.
#[derive(Debug)]
pub struct Taps<T, const N: usize> {
    first: TapList<T, N>,
    other: TapList<T, N>,
    /// Which of the rows that are summed together this one is, and how many they are.
    turn: usize,
    rows: usize,
    /// Elements of one row of a rectangle; 0 where the elements do not form one.
    width: usize,
    low: i32,
    high: i32,
    sums: Vec<Sums<T>>,
    lines: Vec<Line<T>>,
}

impl<T: MultiplyAdd + Default + PartialEq, const N: usize> Default for Taps<T, N> {
    fn default() -> Self {
        Taps::new()
    }
}

impl<T: MultiplyAdd + Default + PartialEq, const N: usize> Taps<T, N> {
    /// No sums yet.
    pub fn new() -> Self {
        let list = || TapList { taps: Vec::new() };
        let (sums, lines) = (Vec::new(), Vec::new());
        Taps { first: list(), other: list(), turn: 0, rows: 0, width: 0, low: 0, high: 0, sums, lines }
    }

    /// Turns to a row. `list` puts the elements of the row that lies so many rows further on into a list, and says
    /// whether something about them was out of range.
    pub fn turn_to(&mut self, mut list: impl FnMut(i32, &mut TapList<T, N>) -> bool) -> bool {
        self.turn += 1;
        self.other.taps.clear();
        let outside = list(0, &mut self.other);
        if self.turn < self.rows && self.moved(self.turn as i32) {
            return outside;
        }
        std::mem::swap(&mut self.first, &mut self.other);
        (self.turn, self.rows) = (0, 1);
        for sums in &mut self.sums {
            sums.rows = 0;
        }
        self.low = self.first.taps.iter().map(|tap| tap.at[N - 1]).min().unwrap_or(0);
        self.high = self.first.taps.iter().map(|tap| tap.at[N - 1]).max().unwrap_or(0);
        self.width = self.rectangle();
        if self.width > 0 {
            let alike = (1..ROWS as i32).all(|q| {
                self.other.taps.clear();
                list(q, &mut self.other);
                self.moved(q)
            });
            if alike {
                self.rows = ROWS;
            }
        }
        outside
    }

    /// Whether the other elements are the first ones, moved by so many rows.
    fn moved(&self, rows: i32) -> bool {
        let (first, other) = (&self.first.taps, &self.other.taps);
        N > 1
            && first.len() == other.len()
            && first.iter().zip(other).all(|(a, b)| {
                a.weight == b.weight
                    && (0..N).all(|k| {
                        let by = if k + 2 == N { rows } else { 0 };
                        a.at[k].wrapping_add(by) == b.at[k]
                    })
            })
    }

    /// How many elements each row of the rectangle has that the elements form, if they come row by row.
    fn rectangle(&self) -> usize {
        let taps = &self.first.taps;
        if N < 2 || taps.is_empty() {
            return 0;
        }
        let row = |tap: &Tap<T, N>| tap.at[N - 2];
        let width = taps.iter().take_while(|tap| row(tap) == row(&taps[0])).count();
        let height = taps.len() / width;
        let fits = height >= ROWS && height * width == taps.len();
        let regular = taps.iter().enumerate().all(|(k, tap)| {
            let mut at = taps[k % width].at;
            at[N - 2] = at[N - 2].wrapping_add((k / width) as i32);
            at == tap.at
        });
        if fits && regular { width } else { 0 }
    }

    /// The least distance along the last dimension.
    #[inline(always)]
    pub fn low(&self) -> i32 {
        self.low
    }

    /// The greatest distance along the last dimension.
    #[inline(always)]
    pub fn high(&self) -> i32 {
        self.high
    }

    /// The sums of `n` positions from column `start` on, each on top of `base`.
    #[inline(always)]
    pub fn sums<I: Isa, M: Mode>(&mut self, view: &View<'_, T, N>, base: T, start: i32, n: usize) -> &[T] {
        let k = match self.sums.iter().position(|s| s.start == start && s.len == n) {
            Some(k) => k,
            None => {
                self.sums.retain(|s| s.rows > 0);
                self.sums.push(Sums { start, len: n, rows: 0, values: Vec::new() });
                self.sums.len() - 1
            }
        };
        if self.sums[k].rows == 0 {
            let mut sums = std::mem::take(&mut self.sums[k].values);
            sums.resize(n * self.rows, T::default());
            let from = start.wrapping_add(self.low);
            let reach = n + (i64::from(self.high) - i64::from(self.low)) as usize;
            if self.rows == ROWS {
                self.several::<I, M>(view, base, from, reach, &mut sums);
            } else {
                self.single::<I, M>(view, base, from, reach, &mut sums);
            }
            self.sums[k].values = sums;
            self.sums[k].rows = self.rows;
        }
        &self.sums[k].values[self.turn * n..][..n]
    }

    #[inline(always)]
    fn several<I: Isa, M: Mode>(
        &mut self,
        view: &View<'_, T, N>,
        base: T,
        from: i32,
        reach: usize,
        sums: &mut [T],
    ) {
        let taps = &self.first.taps;
        let height = taps.len() / self.width + ROWS - 1;
        self.lines.resize_with(self.lines.len().max(height), Line::new);
        let rows: Vec<&[T]> = self
            .lines
            .iter_mut()
            .take(height)
            .enumerate()
            .map(|(k, line)| {
                let mut at = taps[0].at;
                at[N - 2] = at[N - 2].wrapping_add(k as i32);
                at[N - 1] = from;
                line.fetch::<M, N>(view, at, reach)
            })
            .collect();
        let shifts: Vec<usize> =
            taps[..self.width].iter().map(|tap| (tap.at[N - 1] - self.low) as usize).collect();
        let weights: Vec<T> = taps.iter().map(|tap| tap.weight).collect();
        let quads: Vec<[T; ROWS]> = (0..weights.len() - (ROWS - 1) * self.width)
            .map(|k| std::array::from_fn(|q| weights[k + (ROWS - 1 - q) * self.width]))
            .collect();
        let n = sums.len() / ROWS;
        let mut column = 0;
        while n >= NARROW && column < n {
            // The last block may overlap the one before it.
            let c = column.min(n - NARROW);
            block::<I, T>(&rows, &shifts, &weights, &quads, base, c, n, sums);
            column += NARROW;
        }
        if n < NARROW {
            for (q, sums) in sums.chunks_exact_mut(n.max(1)).enumerate() {
                for (c, sum) in sums.iter_mut().enumerate() {
                    *sum = base;
                    for (k, &weight) in weights.iter().enumerate() {
                        let x = rows[q + k / shifts.len()][c + shifts[k % shifts.len()]];
                        *sum = T::multiply_add::<I>(x, weight, *sum);
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn single<I: Isa, M: Mode>(
        &mut self,
        view: &View<'_, T, N>,
        base: T,
        from: i32,
        reach: usize,
        sums: &mut [T],
    ) {
        let taps = &self.first.taps;
        let same_row = |a: &[i32; N], b: &[i32; N]| a[..N - 1] == b[..N - 1];
        let mut heads: Vec<[i32; N]> = Vec::new();
        for tap in taps {
            if heads.last().is_none_or(|head| !same_row(head, &tap.at)) {
                heads.push(tap.at);
            }
        }
        self.lines.resize_with(self.lines.len().max(heads.len()), Line::new);
        let mut rows = Vec::with_capacity(taps.len());
        let mut rest = taps.as_slice();
        for (head, line) in heads.iter_mut().zip(&mut self.lines) {
            let count = rest.iter().take_while(|tap| same_row(head, &tap.at)).count();
            head[N - 1] = from;
            let row = line.fetch::<M, N>(view, *head, reach);
            for tap in &rest[..count] {
                rows.push((&row[(tap.at[N - 1] - self.low) as usize..], tap.weight));
            }
            rest = &rest[count..];
        }
        let n = sums.len();
        let mut column = 0;
        while n >= WIDE && column < n {
            let c = column.min(n - WIDE);
            let mut block = [base; WIDE];
            for &(row, weight) in &rows {
                let Some(x) = row[c..].first_chunk::<WIDE>() else { break };
                for j in 0..WIDE {
                    block[j] = T::multiply_add::<I>(x[j], weight, block[j]);
                }
            }
            sums[c..][..WIDE].copy_from_slice(&block);
            column += WIDE;
        }
        if n < WIDE {
            for (c, sum) in sums.iter_mut().enumerate() {
                *sum = base;
                for &(row, weight) in &rows {
                    *sum = T::multiply_add::<I>(row[c], weight, *sum);
                }
            }
        }
    }
}

/// One block of columns of four rows: each element is loaded once and counts for each row that it is near to.
#[allow(clippy::too_many_arguments, reason = "one block of a larger computation")]
#[inline(always)]
fn block<I: Isa, T: MultiplyAdd>(
    rows: &[&[T]],
    shifts: &[usize],
    weights: &[T],
    quads: &[[T; ROWS]],
    base: T,
    column: usize,
    n: usize,
    sums: &mut [T],
) {
    let width = shifts.len();
    let height = rows.len() - (ROWS - 1);
    let mut acc = [[base; NARROW]; ROWS];
    // Rows above the last of the four windows and below the first one count for some of the sums only.
    macro_rules! count {
        ($row:expr, $($q:literal)*) => {
            for (k, &shift) in shifts.iter().enumerate() {
                let Some(x) = rows[$row][column + shift..].first_chunk::<NARROW>() else { return };
                $(
                    let weight = weights[($row - $q) * width + k];
                    for j in 0..NARROW {
                        acc[$q][j] = T::multiply_add::<I>(x[j], weight, acc[$q][j]);
                    }
                )*
            }
        };
    }
    count!(0, 0);
    count!(1, 0 1);
    count!(2, 0 1 2);
    for (row, quads) in rows[ROWS - 1..height].iter().zip(quads.chunks_exact(width)) {
        for (&shift, quad) in shifts.iter().zip(quads) {
            let Some(x) = row[column + shift..].first_chunk::<NARROW>() else { return };
            for j in 0..NARROW {
                acc[0][j] = T::multiply_add::<I>(x[j], quad[0], acc[0][j]);
            }
            for j in 0..NARROW {
                acc[1][j] = T::multiply_add::<I>(x[j], quad[1], acc[1][j]);
            }
            for j in 0..NARROW {
                acc[2][j] = T::multiply_add::<I>(x[j], quad[2], acc[2][j]);
            }
            for j in 0..NARROW {
                acc[3][j] = T::multiply_add::<I>(x[j], quad[3], acc[3][j]);
            }
        }
    }
    count!(height, 1 2 3);
    count!(height + 1, 2 3);
    count!(height + 2, 3);
    for q in 0..ROWS {
        sums[q * n + column..][..NARROW].copy_from_slice(&acc[q]);
    }
}
