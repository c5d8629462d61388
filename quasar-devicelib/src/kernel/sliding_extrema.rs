//! Sliding window extrema: `v = max(v, x[p0 + dy, p1 + dx])` for all `dy`, `dx` of a rectangle, for a row of positions
//! at a time. Windows of adjacent rows and columns overlap, and max is idempotent, so windows are combined from a few
//! larger, possibly overlapping pieces: about three operations per position for any height, and twice the logarithm to
//! the base four for any width.

use super::line::Line;
use super::mode::Mode;
use super::prefetch_writes::{Pieces, Soon};
use super::row_sharing::{MOST, RowGroup, RowValues, TapList};
use super::view::View;
use crate::element::Element;
use crate::isa::{self, Baseline, Isa};
use crate::ops::{self, Real};

/// An idempotent, commutative choice between two elements.
pub trait Pick<T>: Copy {
    /// Maps a loaded element into the domain of `pick`.
    fn first(self, x: T) -> T;
    /// Chooses one of two values.
    fn pick(self, a: T, b: T) -> T;
}

/// Maximum as `max` of the language: a NaN loses.
#[derive(Clone, Copy, Debug)]
pub struct Largest;

/// Minimum as `min` of the language: a NaN loses.
#[derive(Clone, Copy, Debug)]
pub struct Smallest;

/// Maximum of numbers, with a lower bound that replaces NaN; one comparison per operation.
#[derive(Clone, Copy, Debug)]
pub struct LargestNumber<T>(pub T);

/// Minimum of numbers, with an upper bound that replaces NaN; one comparison per operation.
#[derive(Clone, Copy, Debug)]
pub struct SmallestNumber<T>(pub T);

macro_rules! picks {
    ($($name:ident $function:ident, $number:ident $compare:tt;)*) => {$(
        impl<T: Real> Pick<T> for $name {
            #[inline(always)]
            fn first(self, x: T) -> T {
                x
            }

            #[inline(always)]
            fn pick(self, a: T, b: T) -> T {
                ops::$function::<Baseline, T>(a, b)
            }
        }

        impl<T: Copy + PartialOrd> Pick<T> for $number<T> {
            #[inline(always)]
            fn first(self, x: T) -> T {
                if x $compare self.0 { x } else { self.0 }
            }

            #[inline(always)]
            fn pick(self, a: T, b: T) -> T {
                if a $compare b { a } else { b }
            }
        }
    )*};
}
picks! {
    Largest max, LargestNumber >;
    Smallest min, SmallestNumber <;
}

/// Width of a column block, so that intermediate values stay in the L1 cache.
const COLUMNS: usize = 512;

/// The window extrema of one array for a kernel.
#[derive(Debug)]
pub struct Extremes<T, const N: usize> {
    rows: RowGroup<(), N>,
    made: RowValues<T>,
    lines: Vec<Line<T>>,
    scratch: Vec<T>,
}

impl<T: Element, const N: usize> Default for Extremes<T, N> {
    fn default() -> Self {
        Extremes::new()
    }
}

impl<T: Element, const N: usize> Extremes<T, N> {
    /// No values yet.
    pub fn new() -> Self {
        Extremes { rows: RowGroup::new(), made: RowValues::new(), lines: Vec::new(), scratch: Vec::new() }
    }

    /// Advances to the row that begins at `position`. `list` collects the window rows for the row that many rows
    /// further on, and returns whether one was out of range.
    pub fn turn_to(&mut self, position: &[i32], list: impl FnMut(i32, &mut TapList<(), N>) -> bool) -> bool {
        let (new, outside) = self.rows.turn_to(position, list, |height| height);
        if new {
            self.made.clear();
        }
        outside
    }

    /// The extrema for `n` positions from column `start` on, over windows with the column offsets `offsets`
    /// (ascending). `soon` is the destination of the results, which is prefetched.
    #[inline(always)]
    pub fn of<I: Isa, M: Mode, P: Pick<T>, const PART: bool>(
        &mut self,
        view: &View<'_, T, N, PART>,
        pick: P,
        offsets: &[i32],
        (start, n): (i32, usize),
        soon: Soon,
    ) -> &[T] {
        let Extremes { rows, made, lines, scratch } = self;
        made.row((start, n), (rows.turn, rows.rows), n, |out| {
            let (low, high) = (offsets[0], offsets[offsets.len() - 1]);
            let reach = n + (i64::from(high) - i64::from(low)) as usize;
            let mut heads: Vec<[i32; N]> = rows.taps().iter().map(|tap| tap.at).collect();
            for ahead in 1..rows.rows as i32 {
                let mut at = heads[rows.taps().len() - 1];
                at[N - 2] = at[N - 2].wrapping_add(ahead);
                heads.push(at);
            }
            lines.resize_with(lines.len().max(heads.len()), Line::new);
            let fetch = |(head, line): (&mut [i32; N], _)| {
                head[N - 1] = head[N - 1].wrapping_add(start).wrapping_add(low);
                Line::fetch::<M, N, PART>(line, view, *head, reach)
            };
            let x: Vec<&[T]> = heads.iter_mut().zip(lines.iter_mut()).map(fetch).collect();
            let count = rows.rows;
            isa::dispatch_on(I::LEVEL, Windows { x: &x, count, offsets, pick, out, scratch, soon });
        })
    }
}

/// Windows of consecutive rows.
struct Windows<'a, T, P> {
    /// The rows of the first window, and one more for each further window.
    x: &'a [&'a [T]],
    count: usize,
    offsets: &'a [i32],
    pick: P,
    out: &'a mut [T],
    scratch: &'a mut Vec<T>,
    soon: Soon,
}

impl<T: Element, P: Pick<T>> isa::Body for Windows<'_, T, P> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Windows { x, count, offsets, pick, out, scratch, soon } = self;
        let n = out.len() / count;
        let reach = x[0].len() - n;
        let stride = COLUMNS.min(n) + reach;
        scratch.resize((2 * MOST + 1) * stride, T::default());
        let (down, rest) = scratch.split_at_mut(MOST * stride);
        let (along, running) = rest.split_at_mut(MOST * stride);
        for column in (0..n).step_by(COLUMNS) {
            let width = COLUMNS.min(n - column);
            let part = |k: usize| &x[k][column..][..width + reach];
            // One prefetch per column loop.
            let mut soon = soon.pieces::<T>(count, (column, width), 4 * count);
            columns(pick, (x.len() + 1 - count, count), part, down, running, stride, &mut soon);
            rows(pick, offsets, (count, width), (down, along, stride), (&mut out[column..], n), &mut soon);
        }
    }
}

/// Vertical pass: reduces the rows of each window. The windows of `count` consecutive rows have `height + 1 - count`
/// rows in the middle in common; they differ by suffixes of the rows above and prefixes of the rows below.
#[inline(always)]
fn columns<'x, T: Copy + 'x, P: Pick<T>>(
    pick: P,
    (height, count): (usize, usize),
    x: impl Fn(usize) -> &'x [T],
    down: &mut [T],
    running: &mut [T],
    stride: usize,
    soon: &mut Pieces,
) {
    let n = x(0).len();
    let middle = &mut down[(count - 1) * stride..][..n];
    each(middle, x(count - 1), |a| pick.first(a));
    let mut k = count;
    while k + 3 <= height {
        let (a, b, c) = (&x(k)[..n], &x(k + 1)[..n], &x(k + 2)[..n]);
        for i in 0..n {
            let two = pick.pick(pick.first(a[i]), middle[i]);
            middle[i] = pick.pick(pick.pick(two, pick.first(b[i])), pick.first(c[i]));
        }
        k += 3;
    }
    for k in k..height {
        update(middle, x(k), |a, b| pick.pick(a, pick.first(b)));
    }
    for q in (0..count - 1).rev() {
        soon.next();
        let (above, below) = down[q * stride..].split_at_mut(stride);
        both(&mut above[..n], x(q), below, |a, b| pick.pick(pick.first(a), b));
    }
    let running = &mut running[..n];
    for q in 1..count {
        soon.next();
        let row = &x(height - 1 + q)[..n];
        if q == 1 {
            each(running, row, |a| pick.first(a));
        } else {
            update(running, row, |a, b| pick.pick(a, pick.first(b)));
        }
        update(&mut down[q * stride..][..n], running, |a, b| pick.pick(a, b));
    }
}

/// Horizontal pass: reduces spans of four, then sixteen columns and so on, and combines the window from spans that may
/// overlap.
#[inline(always)]
fn rows<T: Copy, P: Pick<T>>(
    pick: P,
    offsets: &[i32],
    (count, n): (usize, usize),
    (mut from, mut to, stride): (&mut [T], &mut [T], usize),
    (out, apart): (&mut [T], usize),
    soon: &mut Pieces,
) {
    let shift = |k: usize| (offsets[k] - offsets[0]) as usize;
    let width = shift(offsets.len() - 1) + 1;
    let whole = width == offsets.len();
    let (mut span, mut length) = (1, n + width - 1);
    while whole && 4 * span <= width {
        length -= 3 * span;
        for q in 0..count {
            soon.next();
            let x = &from[q * stride..];
            let (a, b) = (&x[..length], &x[span..][..length]);
            let (c, d) = (&x[2 * span..][..length], &x[3 * span..][..length]);
            let to = &mut to[q * stride..][..length];
            for i in 0..length {
                to[i] = pick.pick(pick.pick(a[i], b[i]), pick.pick(c[i], d[i]));
            }
        }
        std::mem::swap(&mut from, &mut to);
        span *= 4;
    }
    // The last span is aligned to the end of the window.
    let pieces = if whole { width.div_ceil(span) } else { offsets.len() };
    let place = |k: usize| if whole { (k * span).min(width - span) } else { shift(k) };
    for q in 0..count {
        soon.next();
        let (x, out) = (&from[q * stride..], &mut out[q * apart..][..n]);
        let piece = |k: usize| &x[place(k)..][..n];
        let mut k = match pieces {
            1 => {
                out.copy_from_slice(piece(0));
                1
            }
            2 => {
                both(out, piece(0), piece(1), |a, b| pick.pick(a, b));
                2
            }
            _ => {
                let (a, b, c) = (piece(0), piece(1), piece(2));
                for i in 0..n {
                    out[i] = pick.pick(pick.pick(a[i], b[i]), c[i]);
                }
                3
            }
        };
        while k < pieces {
            update(out, piece(k), |a, b| pick.pick(a, b));
            k += 1;
        }
    }
}

#[inline(always)]
fn each<T: Copy>(out: &mut [T], a: &[T], f: impl Fn(T) -> T) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = f(a);
    }
}

#[inline(always)]
fn update<T: Copy>(out: &mut [T], a: &[T], f: impl Fn(T, T) -> T) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = f(*out, a);
    }
}

#[inline(always)]
fn both<T: Copy>(out: &mut [T], a: &[T], b: &[T], f: impl Fn(T, T) -> T) {
    for (out, (&a, &b)) in out.iter_mut().zip(a.iter().zip(b)) {
        *out = f(a, b);
    }
}
