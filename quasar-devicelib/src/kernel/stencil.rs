//! Stencil sums: `s = start + w0 * x[p + d0] + w1 * x[p + d1] + ..`, where weights and offsets are uniform along a row
//! of positions. The sums of a row are computed before its positions are visited, in column blocks with register
//! accumulators; if the next rows use the same stencil, several rows are computed at once, so that each element is
//! loaded once for all of them.

use super::MultiplyAdd;
use super::line::Line;
use super::mode::Mode;
use super::prefetch_writes::Soon;
use super::row_sharing::{RowGroup, RowValues, TapList};
use super::view::View;
use crate::element::Element;
use crate::isa::{self, Isa, Lanes, Level};

/// Number of rows computed at once.
const ROWS: usize = 4;
/// Minimum columns of a block: at least the lanes of any vector register.
const FEWEST: usize = 16;

/// The stencil sums of one array for a kernel.
#[derive(Debug)]
pub struct Taps<T, const N: usize> {
    rows: RowGroup<T, N>,
    low: i32,
    high: i32,
    sums: RowValues<T>,
    lines: Vec<Line<T>>,
}

impl<T: MultiplyAdd + Element, const N: usize> Default for Taps<T, N> {
    fn default() -> Self {
        Taps::new()
    }
}

impl<T: MultiplyAdd + Element, const N: usize> Taps<T, N> {
    /// No sums yet.
    pub fn new() -> Self {
        Taps { rows: RowGroup::new(), low: 0, high: 0, sums: RowValues::new(), lines: Vec::new() }
    }

    /// Advances to the row that begins at `position`. `list` collects the stencil of the row that many rows further on,
    /// and returns whether something in it was out of range.
    pub fn turn_to(&mut self, position: &[i32], list: impl FnMut(i32, &mut TapList<T, N>) -> bool) -> bool {
        let most = |height| if height >= ROWS { ROWS } else { 1 };
        let (new, outside) = self.rows.turn_to(position, list, most);
        if new {
            self.sums.clear();
            let columns = || self.rows.taps().iter().map(|tap| tap.at[N - 1]);
            self.low = columns().min().unwrap_or(0);
            self.high = columns().max().unwrap_or(0);
        }
        outside
    }

    /// The smallest offset along the last dimension.
    #[inline(always)]
    pub fn low(&self) -> i32 {
        self.low
    }

    /// The largest offset along the last dimension.
    #[inline(always)]
    pub fn high(&self) -> i32 {
        self.high
    }

    /// The sums of `n` positions from column `start` on, each starting at `base`. `soon` is the destination of the
    /// results, which is prefetched.
    #[inline(always)]
    pub fn sums<I: Isa, M: Mode, const PART: bool>(
        &mut self,
        view: &View<'_, T, N, PART>,
        base: T,
        (start, n): (i32, usize),
        soon: Soon,
    ) -> &[T] {
        let Taps { rows, low, high, sums, lines } = self;
        let window = Window { rows, low: *low, high: *high, base, start, soon };
        sums.row((start, n), (rows.turn, rows.rows), n.max(FEWEST), |sums| {
            window.make::<M, PART>(I::LEVEL, view, lines, sums);
        })
    }
}

/// The sums for some columns of all rows that are computed at once.
struct Window<'r, T, const N: usize> {
    rows: &'r RowGroup<T, N>,
    low: i32,
    high: i32,
    base: T,
    start: i32,
    soon: Soon,
}

impl<T: MultiplyAdd + Element, const N: usize> Window<'_, T, N> {
    #[inline(never)]
    fn make<M: Mode, const PART: bool>(
        &self,
        level: Level,
        view: &View<'_, T, N, PART>,
        lines: &mut Vec<Line<T>>,
        sums: &mut [T],
    ) {
        let taps = self.rows.taps();
        let from = self.start.wrapping_add(self.low);
        let n = sums.len() / self.rows.rows;
        let reach = n + (i64::from(self.high) - i64::from(self.low)) as usize;
        let shift = |at: &[i32; N]| (at[N - 1] - self.low) as usize;
        let same_row = |a: &[i32; N], b: &[i32; N]| a[..N - 1] == b[..N - 1];
        // The distinct array rows of the stencil, and for each tap its row and column shift.
        let mut heads: Vec<[i32; N]> = Vec::new();
        let mut places = Vec::with_capacity(taps.len());
        for tap in taps {
            if heads.last().is_none_or(|head| !same_row(head, &tap.at)) {
                heads.push(tap.at);
            }
            places.push((heads.len() - 1, shift(&tap.at), tap.weight));
        }
        if self.rows.rows == ROWS {
            for ahead in 1..ROWS as i32 {
                let mut at = taps[taps.len() - 1].at;
                at[N - 2] = at[N - 2].wrapping_add(ahead);
                heads.push(at);
            }
        }
        lines.resize_with(lines.len().max(heads.len()), Line::new);
        let fetch = |(head, line): (&mut [i32; N], _)| {
            head[N - 1] = from;
            Line::fetch::<M, N, PART>(line, view, *head, reach)
        };
        let rows: Vec<&[T]> = heads.iter_mut().zip(lines.iter_mut()).map(fetch).collect();
        if self.rows.rows == ROWS {
            let shifts: Vec<usize> = places[..self.rows.width].iter().map(|place| place.1).collect();
            let weights: Vec<T> = places.iter().map(|place| place.2).collect();
            let (rows, shifts, weights) = (&rows, &shifts, &weights);
            isa::dispatch_on(
                level,
                Several { rows, shifts, weights, base: self.base, sums, soon: self.soon },
            );
        } else {
            let places: Vec<_> =
                places.iter().map(|&(row, shift, weight)| (&rows[row][shift..], weight)).collect();
            isa::dispatch_on(level, Single { places: &places, base: self.base, sums, soon: self.soon });
        }
    }
}

/// Starts of blocks of `wide` columns that cover `from..n`; the last may overlap the one before it.
#[inline(always)]
fn blocks(from: usize, n: usize, wide: usize) -> impl Iterator<Item = usize> {
    (from..n).step_by(wide).map(move |column| column.min(n - wide))
}

/// The sums of one row: shifted input rows with their weights.
struct Single<'a, T> {
    places: &'a [(&'a [T], T)],
    base: T,
    sums: &'a mut [T],
    soon: Soon,
}

impl<T: MultiplyAdd> isa::Body for Single<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self) {
        // Narrower column blocks have fewer independent accumulators to hide the latency of the multiply-add.
        let mut column = self.columns::<I, 8>(0);
        column = self.columns::<I, 4>(column);
        column = self.columns::<I, 2>(column);
        for column in blocks(column, self.sums.len(), T::Lanes::<I>::COUNT) {
            self.block::<I, 1>(column);
        }
    }
}

impl<T: MultiplyAdd> Single<'_, T> {
    /// Processes all blocks of `C` registers that fit from a column on; returns the end of the last.
    #[inline(always)]
    fn columns<I: Isa, const C: usize>(&mut self, from: usize) -> usize {
        let wide = C * T::Lanes::<I>::COUNT;
        let whole = from + (self.sums.len() - from) / wide * wide;
        for column in (from..whole).step_by(wide) {
            self.soon.load::<T>(0, column, wide);
            self.block::<I, C>(column);
        }
        whole
    }

    #[inline(always)]
    fn block<I: Isa, const C: usize>(&mut self, column: usize) {
        let count = T::Lanes::<I>::COUNT;
        let mut acc = [T::Lanes::<I>::splat(self.base); C];
        for &(row, weight) in self.places {
            let x = &row[column..][..C * count];
            let weight = T::Lanes::<I>::splat(weight);
            for (j, acc) in acc.iter_mut().enumerate() {
                *acc = T::Lanes::<I>::load(&x[j * count..]).multiply_add(weight, *acc);
            }
        }
        for (j, acc) in acc.into_iter().enumerate() {
            acc.store(&mut self.sums[column + j * count..]);
        }
    }
}

/// The sums of several rows with the same rectangular stencil, which moves along with the row.
struct Several<'a, T> {
    rows: &'a [&'a [T]],
    /// Column shifts of one row of the stencil.
    shifts: &'a [usize],
    weights: &'a [T],
    base: T,
    sums: &'a mut [T],
    soon: Soon,
}

impl<T: MultiplyAdd> isa::Body for Several<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self) {
        // Half of the registers hold accumulators.
        if I::LEVEL == Level::Avx512 { self.columns::<I, 4>() } else { self.columns::<I, 2>() }
    }
}

impl<T: MultiplyAdd> Several<'_, T> {
    #[inline(always)]
    fn columns<I: Isa, const C: usize>(&mut self) {
        let width = self.shifts.len();
        let middle = self.weights.len() - (ROWS - 1) * width;
        let quads: Vec<[T; ROWS]> =
            (0..middle).map(|k| std::array::from_fn(|q| self.weights[k + (ROWS - 1 - q) * width])).collect();
        let n = self.sums.len() / ROWS;
        let wide = C * T::Lanes::<I>::COUNT;
        let whole = n / wide * wide;
        for column in blocks(0, whole, wide) {
            for row in 0..ROWS {
                self.soon.load::<T>(row, column, wide);
            }
            self.block::<I, C>(&quads, column);
        }
        for column in blocks(whole, n, T::Lanes::<I>::COUNT) {
            self.block::<I, 1>(&quads, column);
        }
    }

    /// One column block of all rows: each element is loaded once and added to each sum whose stencil contains it.
    #[inline(always)]
    fn block<I: Isa, const C: usize>(&mut self, quads: &[[T; ROWS]], column: usize) {
        let (width, height) = (self.shifts.len(), self.rows.len() - (ROWS - 1));
        let mut acc = [[T::Lanes::<I>::splat(self.base); C]; ROWS];
        // The first and last input rows contribute to some of the sums only.
        macro_rules! partly {
            ($row:expr, $($q:literal)*) => {
                for (k, &shift) in self.shifts.iter().enumerate() {
                    let x = load::<I, T, C>(self.rows[$row], column + shift);
                    $(add::<I, T, C>(&mut acc[$q], x, self.weights[($row - $q) * width + k]);)*
                }
            };
        }
        partly!(0, 0);
        partly!(1, 0 1);
        partly!(2, 0 1 2);
        for (row, quads) in self.rows[ROWS - 1..height].iter().zip(quads.chunks_exact(width)) {
            for (&shift, quad) in self.shifts.iter().zip(quads) {
                let x = load::<I, T, C>(row, column + shift);
                for q in 0..ROWS {
                    add::<I, T, C>(&mut acc[q], x, quad[q]);
                }
            }
        }
        partly!(height, 1 2 3);
        partly!(height + 1, 2 3);
        partly!(height + 2, 3);
        let n = self.sums.len() / ROWS;
        for (q, acc) in acc.into_iter().enumerate() {
            for (j, acc) in acc.into_iter().enumerate() {
                acc.store(&mut self.sums[q * n + column + j * T::Lanes::<I>::COUNT..]);
            }
        }
    }
}

#[inline(always)]
fn load<I: Isa, T: MultiplyAdd, const C: usize>(row: &[T], from: usize) -> [T::Lanes<I>; C] {
    let count = T::Lanes::<I>::COUNT;
    let x = &row[from..][..C * count];
    std::array::from_fn(|j| T::Lanes::<I>::load(&x[j * count..]))
}

#[inline(always)]
fn add<I: Isa, T: MultiplyAdd, const C: usize>(acc: &mut [T::Lanes<I>; C], x: [T::Lanes<I>; C], weight: T) {
    let weight = T::Lanes::<I>::splat(weight);
    for j in 0..C {
        acc[j] = x[j].multiply_add(weight, acc[j]);
    }
}
