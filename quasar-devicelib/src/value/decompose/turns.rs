//! Plane rotations of neighbouring axes, which the iterations for eigenvalues and singular values make. They are collected and applied
//! together, since applying them takes most of the time: strips of the vectors stay in a cache meanwhile (Van Zee, van de Geijn,
//! Quintana-Orti: Restructuring the tridiagonal and bidiagonal QR algorithms for performance).

use super::super::error::ValueError;
use super::super::workers::{Caller, Workers, each};
use super::super::{array, shape};
use super::Matrix;
use crate::isa::{self, Isa, Lanes};

/// The rows of a matrix in a strip: four of the widest registers.
const WIDE: usize = 32;
/// Products of rotations and rows for which threads are asked.
const GRAIN: usize = 1 << 16;

/// The cosine, which is not negative, and the sine of the rotation that turns a vector to the first axis, and what it becomes there, as
/// LAPACK's `dlartg`.
#[inline]
pub(super) fn angle(f: f64, g: f64) -> (f64, f64, f64) {
    if g == 0.0 {
        return (1.0, 0.0, f);
    }
    let square = f * f + g * g;
    let safe = square > 1e-280 && square < 1e300;
    let length = if safe { square.sqrt() } else { f.hypot(g) }.copysign(f);
    (f / length, g / length, length)
}

/// Rotations of one pass along neighbouring axes.
struct Run {
    /// The first axis.
    first: usize,
    /// Where its rotations begin, and how many there are.
    begin: usize,
    count: usize,
    /// Whether the last axes come first.
    backwards: bool,
}

/// Rotations that have not been applied yet.
pub(super) struct Turns {
    /// Tangents of half their angles, and their sines: three shears rotate in three steps, where cosines and sines take four.
    pairs: Vec<(f64, f64)>,
    runs: Vec<Run>,
    most: usize,
}

impl Turns {
    /// Room for passes along so many axes.
    pub(super) fn room(axes: usize) -> Result<Turns, ValueError> {
        const PASSES: usize = 32;
        let most = shape::count(&[axes, PASSES])?;
        Ok(Turns { pairs: array::reserve(most + axes)?, runs: array::reserve(most + 1)?, most })
    }

    /// Begins a pass. Rotations follow from the first axis on, or backwards to it.
    pub(super) fn begin(&mut self, first: usize, backwards: bool) {
        self.runs.push(Run { first, begin: self.pairs.len(), count: 0, backwards });
    }

    /// Adds a rotation of the axis x where the pass is and the next one y: `c*x + s*y` stays, `c*y - s*x` is where the pass goes on.
    #[inline]
    pub(super) fn push(&mut self, c: f64, s: f64) {
        self.pairs.push((s / (1.0 + c), s));
    }

    /// Ends a pass. True when it is time to apply what there is.
    pub(super) fn end(&mut self) -> bool {
        if let Some(run) = self.runs.last_mut() {
            run.count = self.pairs.len() - run.begin;
        }
        self.pairs.len() >= self.most || self.runs.len() >= self.most
    }
}

/// A matrix whose columns are rotated: strips of its rows, each transposed.
pub(super) struct Strips {
    data: Vec<f64>,
    rows: usize,
    columns: usize,
}

impl Strips {
    /// From the transposed matrix.
    pub(super) fn of(turned: &Matrix) -> Result<Strips, ValueError> {
        let (columns, rows) = (turned.rows, turned.columns);
        let mut data = array::filled(0.0, shape::count(&[rows.div_ceil(WIDE), columns, WIDE])?)?;
        for (k, strip) in data.chunks_exact_mut((columns * WIDE).max(1)).enumerate() {
            let part = k * WIDE..rows.min((k + 1) * WIDE);
            for (to, row) in strip.chunks_exact_mut(WIDE).zip(turned.data.chunks_exact(rows)) {
                to[..part.len()].copy_from_slice(&row[part.clone()]);
            }
        }
        Ok(Strips { data, rows, columns })
    }

    /// Applies the rotations, of which none is left.
    pub(super) fn turn(&mut self, workers: &dyn Workers, turns: &mut Turns) -> Result<(), ValueError> {
        let size = self.columns * WIDE;
        if size > 0 && !turns.pairs.is_empty() {
            let workers = if turns.pairs.len() * self.rows < GRAIN { &Caller } else { workers };
            let strips = array::collect(self.data.len() / size, self.data.chunks_exact_mut(size))?;
            let turns = &*turns;
            each(workers, strips, &|strip| isa::dispatch(Turn { strip, turns }));
        }
        turns.pairs.clear();
        turns.runs.clear();
        Ok(())
    }

    /// Some columns in an order, each times a sign.
    pub(super) fn columns(&self, order: &[usize], signs: &[f64]) -> Result<Matrix, ValueError> {
        let mut result = Matrix::zeros(self.rows, order.len())?;
        let strips = self.data.chunks_exact((self.columns * WIDE).max(1));
        for (strip, rows) in strips.zip(result.data.chunks_mut((WIDE * order.len()).max(1))) {
            for (i, row) in rows.chunks_exact_mut(order.len()).enumerate() {
                row.iter_mut().zip(order).for_each(|(x, &k)| *x = strip[k * WIDE + i] * signs[k]);
            }
        }
        Ok(result)
    }
}

/// Applies rotations to a strip.
struct Turn<'a> {
    strip: &'a mut [f64],
    turns: &'a Turns,
}

impl isa::Body for Turn<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Turn { strip, turns: Turns { pairs, runs, .. } } = self;
        let mut next = 0;
        while let Some(run) = runs.get(next) {
            let second = runs.get(next + 1).filter(|second| run.is_ahead_of(second));
            next += 1 + usize::from(second.is_some());
            match (second, run.backwards) {
                (None, false) => one::<I, false>(strip, run.start(), run.pairs(pairs)),
                (None, true) => one::<I, true>(strip, run.start(), run.pairs(pairs)),
                (Some(second), false) => both::<I, false>(strip, pairs, [run, second]),
                (Some(second), true) => both::<I, true>(strip, pairs, [run, second]),
            }
        }
    }
}

impl Run {
    /// The axis where it starts.
    #[inline(always)]
    fn start(&self) -> usize {
        if self.backwards { self.first + self.count } else { self.first }
    }

    #[inline(always)]
    fn pairs<'a>(&self, pairs: &'a [(f64, f64)]) -> &'a [(f64, f64)] {
        &pairs[self.begin..][..self.count]
    }

    /// Whether another run the same way starts where this one has been, so that it can follow this one closely.
    #[inline(always)]
    fn is_ahead_of(&self, second: &Run) -> bool {
        let ahead = if self.backwards {
            self.start().checked_sub(second.start())
        } else {
            second.start().checked_sub(self.start())
        };
        self.backwards == second.backwards && ahead.is_some_and(|ahead| ahead < self.count)
    }
}

/// The axis that lies some steps from another.
#[inline(always)]
fn axis<const BACK: bool>(start: usize, steps: usize) -> usize {
    if BACK { start - steps } else { start + steps }
}

/// Two runs: the second follows one step behind the first, so that a row is read and written once for both.
#[inline(always)]
fn both<I: Isa, const BACK: bool>(strip: &mut [f64], pairs: &[(f64, f64)], [first, second]: [&Run; 2]) {
    let (start, behind) = (first.start(), second.start());
    let lead = start.abs_diff(behind) + 1;
    let (ahead, after) = first.pairs(pairs).split_at(lead);
    let second = second.pairs(pairs);
    let common = after.len().min(second.len());
    one::<I, BACK>(strip, start, ahead);
    two::<I, BACK>(strip, behind, [&after[..common], &second[..common]]);
    one::<I, BACK>(strip, axis::<BACK>(start, lead + common), &after[common..]);
    one::<I, BACK>(strip, axis::<BACK>(behind, common), &second[common..]);
}

/// One run from an axis on.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators over registers are functions without the instructions of a level"
)]
fn one<I: Isa, const BACK: bool>(strip: &mut [f64], start: usize, pairs: &[(f64, f64)]) {
    if pairs.is_empty() {
        return;
    }
    let lanes = I::Double::COUNT;
    for at in (0..WIDE).step_by(4 * lanes) {
        let mut carried = [I::Double::splat(0.0); 4];
        for r in 0..4 {
            carried[r] = I::Double::load(&strip[start * WIDE + at + r * lanes..]);
        }
        for (k, &(t, s)) in pairs.iter().enumerate() {
            let (here, there) = (axis::<BACK>(start, k) * WIDE + at, axis::<BACK>(start, k + 1) * WIDE + at);
            let (tangent, sine) = (I::Double::splat(-t), I::Double::splat(s));
            for r in 0..4 {
                let next = I::Double::load(&strip[there + r * lanes..]);
                let next = tangent.multiply_add(carried[r], next);
                let left = sine.multiply_add(next, carried[r]);
                carried[r] = tangent.multiply_add(left, next);
                left.store(&mut strip[here + r * lanes..]);
            }
        }
        let end = axis::<BACK>(start, pairs.len()) * WIDE + at;
        for r in 0..4 {
            carried[r].store(&mut strip[end + r * lanes..]);
        }
    }
}

/// Two runs of as many rotations, the second from an axis on, the first one axis ahead.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators over registers are functions without the instructions of a level"
)]
fn two<I: Isa, const BACK: bool>(strip: &mut [f64], start: usize, [first, second]: [&[(f64, f64)]; 2]) {
    if first.is_empty() {
        return;
    }
    let lanes = I::Double::COUNT;
    let place = |steps: usize| axis::<BACK>(start, steps) * WIDE;
    for at in (0..WIDE).step_by(4 * lanes) {
        let mut ahead = [I::Double::splat(0.0); 4];
        let mut behind = [I::Double::splat(0.0); 4];
        for r in 0..4 {
            ahead[r] = I::Double::load(&strip[place(1) + at + r * lanes..]);
            behind[r] = I::Double::load(&strip[place(0) + at + r * lanes..]);
        }
        for (k, (one, other)) in first.iter().zip(second).enumerate() {
            let (here, there) = (place(k) + at, place(k + 2) + at);
            let (tangent, sine) = (I::Double::splat(-one.0), I::Double::splat(one.1));
            let (other_tangent, other_sine) = (I::Double::splat(-other.0), I::Double::splat(other.1));
            for r in 0..4 {
                let next = I::Double::load(&strip[there + r * lanes..]);
                let next = tangent.multiply_add(ahead[r], next);
                let between = sine.multiply_add(next, ahead[r]);
                ahead[r] = tangent.multiply_add(between, next);
                let between = other_tangent.multiply_add(behind[r], between);
                let left = other_sine.multiply_add(between, behind[r]);
                behind[r] = other_tangent.multiply_add(left, between);
                left.store(&mut strip[here + r * lanes..]);
            }
        }
        let (end, last) = (place(first.len()) + at, place(first.len() + 1) + at);
        for r in 0..4 {
            behind[r].store(&mut strip[end + r * lanes..]);
            ahead[r].store(&mut strip[last + r * lanes..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Level;

    /// One after the other, by their definition.
    fn defined(a: &mut Matrix, runs: &[(usize, usize, bool)], angle: impl Fn(usize) -> f64) {
        let mut number = 0;
        for &(first, count, backwards) in runs {
            for k in 0..count {
                let (x, y) = if backwards {
                    (first + count - k, first + count - k - 1)
                } else {
                    (first + k, first + k + 1)
                };
                let (s, c) = angle(number).sin_cos();
                for j in 0..a.columns {
                    let (p, q) = (a.get(x, j), a.get(y, j));
                    (*a.at(x, j), *a.at(y, j)) = (c * p + s * q, c * q - s * p);
                }
                number += 1;
            }
        }
    }

    #[test]
    fn passes_give_what_single_rotations_give() {
        let (axes, rows) = (23, 45);
        // Passes that follow closely, later, not at all, beyond the end of the one before, and over two axes only.
        let forwards = [
            (0, 22),
            (0, 22),
            (3, 19),
            (3, 19),
            (3, 10),
            (5, 17),
            (1, 21),
            (20, 2),
            (21, 1),
            (21, 1),
            (0, 1),
            (1, 1),
        ];
        let mut runs: Vec<_> = forwards.iter().map(|&(first, count)| (first, count, false)).collect();
        runs.extend(forwards.iter().map(|&(first, count)| (22 - first - count, count, true)));
        runs.extend([(0, 22, false), (0, 22, true), (4, 3, true), (0, 20, true), (0, 22, true)]);
        let angle =
            |k: usize| (k * 37 % 101) as f64 / 101.0 * std::f64::consts::PI - std::f64::consts::FRAC_PI_2;
        let mut turns = Turns::room(axes).unwrap();
        let mut number = 0;
        for &(first, count, backwards) in &runs {
            turns.begin(first, backwards);
            for _ in 0..count {
                let (s, c) = angle(number).sin_cos();
                turns.push(c, s);
                number += 1;
            }
            turns.end();
        }
        let mut a = Matrix::zeros(axes, rows).unwrap();
        a.data.iter_mut().enumerate().for_each(|(k, x)| *x = (k * 29 % 83) as f64 / 40.0 - 1.0);
        let strips = Strips::of(&a).unwrap();
        defined(&mut a, &runs, angle);
        for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
            let mut strips = Strips { data: strips.data.clone(), ..strips };
            for strip in strips.data.chunks_exact_mut(axes * WIDE) {
                isa::dispatch_on(level, Turn { strip, turns: &turns });
            }
            let order: Vec<usize> = (0..axes).rev().collect();
            let found = strips.columns(&order, &[-1.0; 23]).unwrap();
            let far = |i: usize, k: usize| (found.get(i, k) + a.get(order[k], i)).abs() > 1e-13;
            assert!(!(0..rows).any(|i| (0..axes).any(|k| far(i, k))), "{level:?}");
        }
    }
}
