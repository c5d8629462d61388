//! The implicit QL and QR iteration for symmetric tridiagonal matrices (Golub & Van Loan 8.3.3; LAPACK's `dsteqr`).

use super::super::error::ValueError;
use super::super::workers::Workers;
use super::turns::{Strips, Turns, angle};

/// Passes for each eigenvalue after which the iteration gives up; it needs fewer than two.
const PASSES: usize = 60;

/// Makes the elements beside the diagonal vanish; the columns of `vectors` are rotated along. The diagonal becomes the eigenvalues, in
/// no order.
pub(super) fn diagonalize(
    workers: &dyn Workers,
    diagonal: &mut [f64],
    mut beside: Vec<f64>,
    vectors: &mut Strips,
) -> Result<(), ValueError> {
    let mut turns = Turns::room(diagonal.len())?;
    let mut first = 0;
    // The block of the pass before, and whether it went backwards: that may change for other blocks only, or nothing would converge.
    let (mut block, mut backwards) = (0..0, true);
    for _ in 0..diagonal.len() * PASSES {
        while first < beside.len() && is_small(diagonal, &beside, first) {
            beside[first] = 0.0;
            first += 1;
        }
        if first >= beside.len() {
            break;
        }
        let last = (first..beside.len()).find(|&k| is_small(diagonal, &beside, k)).unwrap_or(beside.len());
        if !(block.start <= first && last < block.end) {
            backwards = diagonal[last].abs() >= diagonal[first].abs();
        }
        block = first..last + 1;
        let (d, e) = (&mut diagonal[first..=last], &mut beside[first..last]);
        turns.begin(first, backwards);
        if backwards {
            ql(d, e, &mut turns)
        } else {
            qr(d, e, &mut turns)
        }
        if turns.end() {
            vectors.turn(workers, &mut turns)?;
        }
    }
    vectors.turn(workers, &mut turns)
}

/// Whether an element beside the diagonal counts as zero.
fn is_small(d: &[f64], e: &[f64], k: usize) -> bool {
    let square = e[k] * e[k];
    square <= f64::EPSILON * f64::EPSILON / 4.0 * d[k].abs() * d[k + 1].abs() + f64::MIN_POSITIVE
}

/// Wilkinson's shift: the eigenvalue of `[[a, b], [b, c]]` that is next to a.
fn shift(a: f64, b: f64, c: f64) -> f64 {
    let g = (c - a) / (2.0 * b);
    a - b / (g + g.hypot(1.0).copysign(g))
}

/// A pass from the last axis to the first, where the element beside the diagonal vanishes.
fn ql(d: &mut [f64], e: &mut [f64], turns: &mut Turns) {
    let last = e.len();
    let shift = shift(d[0], e[0], d[1]);
    let mut g = d[last] - shift;
    let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
    for i in (0..last).rev() {
        let (f, b) = (s * e[i], c * e[i]);
        let (cosine, sine, length) = angle(g, f);
        (c, s) = (cosine, sine);
        if i + 1 < last {
            e[i + 1] = length;
        }
        g = d[i + 1] - p;
        let r = (d[i] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        turns.push(c, s);
    }
    d[0] -= p;
    e[0] = g;
}

/// A pass from the first axis to the last.
fn qr(d: &mut [f64], e: &mut [f64], turns: &mut Turns) {
    let last = e.len();
    let shift = shift(d[last], e[last - 1], d[last - 1]);
    let mut g = d[0] - shift;
    let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
    for i in 0..last {
        let (f, b) = (s * e[i], c * e[i]);
        let (cosine, sine, length) = angle(g, f);
        (c, s) = (cosine, sine);
        if i > 0 {
            e[i - 1] = length;
        }
        g = d[i] - p;
        let r = (d[i + 1] - g) * s + 2.0 * c * b;
        p = s * r;
        d[i] = g + p;
        g = c * r - b;
        turns.push(c, s);
    }
    d[last] -= p;
    e[last - 1] = g;
}
