//! Singular values and vectors: a QR factorisation of matrices with clearly more rows than columns (Golub & Van Loan 5.4.9), the
//! reduction of `bidiagonal`, and the implicit QR iteration with zero shifts where small values need them (Demmel & Kahan; LAPACK's
//! `dbdsqr`).

use super::super::error::ValueError;
use super::super::workers::Workers;
use super::super::{array, shape};
use super::reflectors::{largest, scale_for};
use super::turns::{Strips, Turns, angle};
use super::{Factors, Matrix, bidiagonal, is_little, ordered, qr, small};

/// Passes for each pair of singular values after which the iteration gives up.
const PASSES: usize = 12;

/// U, the descending singular values and V of a matrix that has no fewer rows than columns.
pub(super) fn decompose(workers: &dyn Workers, a: &Matrix) -> Result<Factors, ValueError> {
    let (m, n) = (a.rows, a.columns);
    if !a.data.iter().all(|x| x.is_finite()) {
        let nan = |rows: usize, columns: usize| -> Result<Matrix, ValueError> {
            Ok(Matrix { rows, columns, data: array::filled(f64::NAN, shape::count(&[rows, columns])?)? })
        };
        return Ok((nan(m, n)?, array::filled(f64::NAN, n)?, nan(n, n)?));
    }
    let mut scaled = a.duplicate()?;
    let scale = scale_for(largest(&a.data));
    scaled.data.iter_mut().for_each(|x| *x *= scale);
    let (u, mut values, v) = match 2 * m >= 3 * n {
        true => tall(workers, &scaled)?,
        false => nearly_square(workers, scaled)?,
    };
    values.iter_mut().for_each(|x| *x /= scale);
    Ok((u, values, v))
}

/// The same by way of the triangular factor.
fn tall(workers: &dyn Workers, a: &Matrix) -> Result<Factors, ValueError> {
    let n = a.columns;
    let (reflectors, turned) = qr::factorize(workers, a.transposed()?)?;
    let mut r = Matrix::zeros(n, n)?;
    for i in 0..n {
        (i..n).for_each(|j| *r.at(i, j) = turned.get(j, i));
    }
    let (inner, values, v) = if is_little(&r) { small::svd(&r)? } else { nearly_square(workers, r)? };
    let mut u = Matrix::zeros(n, a.rows)?;
    for (i, row) in inner.data.chunks_exact(n.max(1)).enumerate() {
        row.iter().enumerate().for_each(|(j, x)| *u.at(j, i) = *x);
    }
    reflectors.apply_turned(workers, &mut u, false)?;
    Ok((u.transposed()?, values, v))
}

fn nearly_square(workers: &dyn Workers, a: Matrix) -> Result<Factors, ValueError> {
    let n = a.columns;
    let reduced = bidiagonal::reduce(workers, a)?;
    let left = Strips::of(&reduced.left.product(workers, n)?)?;
    let right = Strips::of(&reduced.right.product(workers, n)?)?;
    let mut iteration = Iteration::new(reduced.diagonal, reduced.above, left, right)?;
    iteration.run(workers)?;
    let Iteration { d, left, right, .. } = iteration;
    let signs: Vec<f64> = array::collect(n, d.iter().map(|x| 1f64.copysign(*x)))?;
    let order = ordered(&d, |x, y| y.abs().total_cmp(&x.abs()))?;
    let values = array::collect(n, order.iter().map(|&i| d[i].abs()))?;
    Ok((left.columns(&order, &array::filled(1.0, n)?)?, values, right.columns(&order, &signs)?))
}

/// An upper bidiagonal matrix whose elements above the diagonal vanish.
struct Iteration {
    /// The diagonal, and what lies above it.
    d: Vec<f64>,
    e: Vec<f64>,
    left: Strips,
    right: Strips,
    turns: [Turns; 2],
    /// Below this, relative to what is beside it, an element above the diagonal counts as zero; and in any case below that.
    tolerance: f64,
    least: f64,
}

impl Iteration {
    fn new(d: Vec<f64>, e: Vec<f64>, left: Strips, right: Strips) -> Result<Iteration, ValueError> {
        let n = d.len();
        let tolerance = 50.0 * f64::EPSILON;
        // A lower bound of the smallest singular value.
        let mut bound = d.first().map_or(0.0, |x| x.abs());
        let mut smallest = bound;
        for (d, e) in d.iter().skip(1).zip(&e) {
            if smallest == 0.0 {
                break;
            }
            bound = d.abs() * (bound / (bound + e.abs()));
            smallest = smallest.min(bound);
        }
        let size = n as f64;
        let least = (tolerance * smallest / size.sqrt()).max(6.0 * size * size * f64::MIN_POSITIVE);
        Ok(Iteration { d, e, left, right, turns: [Turns::room(n)?, Turns::room(n)?], tolerance, least })
    }

    fn run(&mut self, workers: &dyn Workers) -> Result<(), ValueError> {
        let n = self.d.len();
        let mut last = self.e.len();
        // The block of the pass before, and its direction: that may change for other blocks only, or nothing would converge.
        let (mut block, mut down) = (0..0, true);
        for _ in 0..PASSES * n * 2 {
            while last > 0 && self.e[last - 1].abs() <= self.least {
                self.e[last - 1] = 0.0;
                last -= 1;
            }
            if last == 0 {
                break;
            }
            let first = (0..last).rev().find(|&k| self.e[k].abs() <= self.least).map_or(0, |k| k + 1);
            if !(block.start <= first && last < block.end) {
                down = self.d[first].abs() >= self.d[last].abs();
            }
            block = first..last + 1;
            if let Some(bound) = self.deflate(first, last, down) {
                self.pass(first, last, down, bound);
                if self.turns.iter_mut().fold(false, |full, turns| turns.end() | full) {
                    self.turn(workers)?;
                }
            }
        }
        self.turn(workers)
    }

    fn turn(&mut self, workers: &dyn Workers) -> Result<(), ValueError> {
        let [left, right] = &mut self.turns;
        self.left.turn(workers, left)?;
        self.right.turn(workers, right)
    }

    /// A lower bound of the singular values of a block; none if an element above its diagonal counts as zero, which it is then.
    fn deflate(&mut self, first: usize, last: usize, down: bool) -> Option<f64> {
        let (d, e, tolerance) = (&self.d, &mut self.e[..], self.tolerance);
        let end = if down { last } else { first };
        let beside = if down { last - 1 } else { first };
        if e[beside].abs() <= tolerance * d[end].abs() {
            e[beside] = 0.0;
            return None;
        }
        let mut bound = if down { d[first].abs() } else { d[last].abs() };
        let mut smallest = bound;
        for step in 0..last - first {
            let (k, next) =
                if down { (first + step, first + step + 1) } else { (last - 1 - step, last - 1 - step) };
            if e[k].abs() <= tolerance * bound {
                e[k] = 0.0;
                return None;
            }
            bound = d[next].abs() * (bound / (bound + e[k].abs()));
            smallest = smallest.min(bound);
        }
        Some(smallest)
    }

    /// One pass over a block, from its first axis to its last or back.
    fn pass(&mut self, first: usize, last: usize, down: bool, smallest: f64) {
        let size = self.d.len() as f64;
        let (d, e) = (&mut self.d[first..=last], &mut self.e[first..last]);
        let largest = largest(d).max(largest(e));
        let end = d.len() - 1;
        let (start, shift) = match down {
            true => (d[0].abs(), smallest_of_two(d[end - 1], e[end - 1], d[end])),
            false => (d[end].abs(), smallest_of_two(d[0], e[0], d[1])),
        };
        // A shift must not cost small values their accuracy.
        let accurate =
            size * self.tolerance * (smallest / largest) <= (0.01 * self.tolerance).max(f64::EPSILON);
        let negligible = start > 0.0 && (shift / start) * (shift / start) < f64::EPSILON;
        let zero = accurate || negligible || start == 0.0;
        let [left, right] = &mut self.turns;
        left.begin(first, !down);
        right.begin(first, !down);
        match (zero, down) {
            (true, true) => down_unshifted(d, e, left, right),
            (true, false) => up_unshifted(d, e, left, right),
            (false, true) => down_shifted(d, e, shift, left, right),
            (false, false) => up_shifted(d, e, shift, left, right),
        }
        let end = if down { e.len() - 1 } else { 0 };
        if e[end].abs() <= self.least {
            e[end] = 0.0;
        }
    }
}

/// The smaller singular value of `[[f, g], [0, h]]` (LAPACK's `dlas2`).
fn smallest_of_two(f: f64, g: f64, h: f64) -> f64 {
    let (f, g, h) = (f.abs(), g.abs(), h.abs());
    let (low, high) = (f.min(h), f.max(h));
    if low == 0.0 {
        return 0.0;
    }
    let (sum, difference) = (1.0 + low / high, (high - low) / high);
    if g < high {
        let square = (g / high) * (g / high);
        return low * (2.0 / ((sum * sum + square).sqrt() + (difference * difference + square).sqrt()));
    }
    let ratio = high / g;
    if ratio == 0.0 {
        return low * high / g;
    }
    let (x, y) = (sum * ratio, difference * ratio);
    2.0 * (low * (1.0 / ((1.0 + x * x).sqrt() + (1.0 + y * y).sqrt()))) * ratio
}

fn down_unshifted(d: &mut [f64], e: &mut [f64], left: &mut Turns, right: &mut Turns) {
    let last = e.len();
    let (mut c, mut old) = (1.0, (1.0, 0.0));
    for i in 0..last {
        let (cosine, s, length) = angle(d[i] * c, e[i]);
        c = cosine;
        if i > 0 {
            e[i - 1] = old.1 * length;
        }
        let (cosine, sine, length) = angle(old.0 * length, d[i + 1] * s);
        (d[i], old) = (length, (cosine, sine));
        right.push(c, s);
        left.push(old.0, old.1);
    }
    let h = d[last] * c;
    (d[last], e[last - 1]) = (h * old.0, h * old.1);
}

fn up_unshifted(d: &mut [f64], e: &mut [f64], left: &mut Turns, right: &mut Turns) {
    let last = e.len();
    let (mut c, mut old) = (1.0, (1.0, 0.0));
    for i in (1..=last).rev() {
        let (cosine, s, length) = angle(d[i] * c, e[i - 1]);
        c = cosine;
        if i < last {
            e[i] = old.1 * length;
        }
        let (cosine, sine, length) = angle(old.0 * length, d[i - 1] * s);
        (d[i], old) = (length, (cosine, sine));
        left.push(c, s);
        right.push(old.0, old.1);
    }
    let h = d[0] * c;
    (d[0], e[0]) = (h * old.0, h * old.1);
}

fn down_shifted(d: &mut [f64], e: &mut [f64], shift: f64, left: &mut Turns, right: &mut Turns) {
    let last = e.len();
    let mut f = (d[0].abs() - shift) * (1f64.copysign(d[0]) + shift / d[0]);
    let mut g = e[0];
    for i in 0..last {
        let (c, s, length) = angle(f, g);
        if i > 0 {
            e[i - 1] = length;
        }
        f = c * d[i] + s * e[i];
        e[i] = c * e[i] - s * d[i];
        g = s * d[i + 1];
        d[i + 1] *= c;
        right.push(c, s);
        let (c, s, length) = angle(f, g);
        d[i] = length;
        f = c * e[i] + s * d[i + 1];
        d[i + 1] = c * d[i + 1] - s * e[i];
        if i + 1 < last {
            g = s * e[i + 1];
            e[i + 1] *= c;
        }
        left.push(c, s);
    }
    e[last - 1] = f;
}

fn up_shifted(d: &mut [f64], e: &mut [f64], shift: f64, left: &mut Turns, right: &mut Turns) {
    let last = e.len();
    let mut f = (d[last].abs() - shift) * (1f64.copysign(d[last]) + shift / d[last]);
    let mut g = e[last - 1];
    for i in (1..=last).rev() {
        let (c, s, length) = angle(f, g);
        if i < last {
            e[i] = length;
        }
        f = c * d[i] + s * e[i - 1];
        e[i - 1] = c * e[i - 1] - s * d[i];
        g = s * d[i - 1];
        d[i - 1] *= c;
        left.push(c, s);
        let (c, s, length) = angle(f, g);
        d[i] = length;
        f = c * e[i - 1] + s * d[i - 1];
        d[i - 1] = c * d[i - 1] - s * e[i - 1];
        if i > 1 {
            g = s * e[i - 2];
            e[i - 2] *= c;
        }
        right.push(c, s);
    }
    e[0] = f;
}
