//! The Cholesky factorisation by blocks, right-looking as LAPACK's `dpotrf`: a block on the diagonal, the rows below it, and the
//! rest by a product of matrices. Blocks and strips of rows are turned while they are solved, so that vectors run across equations.

use super::super::error::ValueError;
use super::super::workers::{Workers, try_each};
use super::super::{array, shape};
use super::Matrix;
use super::rows::{add_product, for_elements};
use super::update::{Part, subtract_product};
use crate::isa::{self, Isa, Lanes};

/// The rows of a block on the diagonal.
const BLOCK: usize = 64;
/// The rows below it that are solved together: four of the widest registers.
const STRIP: usize = 32;

/// A block on and above the diagonal: element `[j][i]` is that of row i and column j of the factor.
type Block = [[f64; BLOCK]; BLOCK];

/// The lower factor of a symmetric matrix, of which what lies on and below the diagonal is read; none unless it is positive definite.
pub(super) fn factorize(workers: &dyn Workers, a: &Matrix) -> Result<Option<Matrix>, ValueError> {
    let n = a.rows;
    let mut l = a.duplicate()?;
    let mut block: Block = [[0.0; BLOCK]; BLOCK];
    let mut panel = array::filled(0.0, shape::count(&[n.saturating_sub(BLOCK), BLOCK])?)?;
    for k in (0..n).step_by(BLOCK) {
        let size = BLOCK.min(n - k);
        let (above, below) = l.data.split_at_mut((k + size) * n);
        let diagonal = &mut above[k * n..];
        for (i, row) in diagonal.chunks_exact(n).enumerate() {
            (0..=i).for_each(|j| block[j][i] = row[k + j]);
        }
        if !isa::dispatch(Factor { block: &mut block, size }) {
            return Ok(None);
        }
        for (i, row) in diagonal.chunks_exact_mut(n).enumerate() {
            (0..=i).for_each(|j| row[k + j] = block[j][i]);
            row[k + i + 1..].fill(0.0);
        }
        if below.is_empty() {
            break;
        }
        let panel = &mut panel[..(n - k - size) * size];
        solve(workers, &block, below, panel, [n, k, size])?;
        subtract_product(workers, (below, n, k + size), [panel, panel], size, Part::Lower)?;
    }
    Ok(Some(l))
}

/// Factorises a block; false unless it is positive definite.
struct Factor<'a> {
    block: &'a mut Block,
    size: usize,
}

impl isa::Body for Factor<'_> {
    type Output = bool;

    #[inline(always)]
    fn run<I: Isa>(self) -> bool {
        let Factor { block, size } = self;
        // Rows are done from a whole register on: what lies below the diagonal is not read.
        let end = size.next_multiple_of(8);
        for j in 0..size {
            let (done, rest) = block.split_at_mut(j + 1);
            let pivot = &mut done[j];
            if pivot[j] > 0.0 {
                let root = pivot[j].sqrt();
                for x in &mut pivot[j + 1..size] {
                    *x /= root;
                }
                pivot[j] = root;
            } else {
                return false;
            }
            for i in j + 1..size {
                let (weight, from) = (-pivot[i], i / 8 * 8);
                let (row, pivot) = (&mut rest[i - j - 1][from..end], &pivot[from..end]);
                for c in 0..row.len() {
                    row[c] = add_product::<I>(row[c], weight, pivot[c]);
                }
            }
        }
        true
    }
}

/// Solves for the rows below a block, in place, and copies them to the panel.
fn solve(
    workers: &dyn Workers,
    block: &Block,
    below: &mut [f64],
    panel: &mut [f64],
    [n, k, size]: [usize; 3],
) -> Result<(), ValueError> {
    let workers = for_elements(workers, panel.len() * size / 8);
    let strips = below.chunks_mut(STRIP * n).zip(panel.chunks_mut(STRIP * size));
    let parts = array::collect((n - k - size).div_ceil(STRIP), strips)?;
    try_each(workers, parts, &|(rows, panel)| {
        let mut strip = [[0.0; STRIP]; BLOCK];
        for (i, row) in rows.chunks_exact(n).enumerate() {
            (0..size).for_each(|j| strip[j][i] = row[k + j]);
        }
        isa::dispatch(Solve { block, strip: &mut strip, size });
        for (i, (row, panel)) in rows.chunks_exact_mut(n).zip(panel.chunks_exact_mut(size)).enumerate() {
            (0..size).for_each(|j| panel[j] = strip[j][i]);
            row[k..k + size].copy_from_slice(panel);
        }
        Ok(())
    })
}

/// Divides a strip of equations by a block.
struct Solve<'a> {
    block: &'a Block,
    strip: &'a mut [[f64; STRIP]; BLOCK],
    size: usize,
}

impl isa::Body for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Solve { block, strip, size } = self;
        let lanes = I::Double::COUNT;
        for j in 0..size {
            let (done, rest) = strip.split_at_mut(j);
            let inverse = I::Double::splat(1.0 / block[j][j]);
            for at in (0..STRIP).step_by(4 * lanes) {
                solve_four::<I>(block, done, (j, at), &mut rest[0], inverse);
            }
        }
    }
}

/// One row of a strip, in four registers.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators over registers are functions without the instructions of a level"
)]
fn solve_four<I: Isa>(
    block: &Block,
    done: &[[f64; STRIP]],
    (j, at): (usize, usize),
    row: &mut [f64; STRIP],
    inverse: I::Double,
) {
    let lanes = I::Double::COUNT;
    let mut sums = [I::Double::splat(0.0); 4];
    for c in 0..4 {
        sums[c] = I::Double::load(&row[at + c * lanes..]);
    }
    for p in 0..done.len() {
        let weight = I::Double::splat(-block[p][j]);
        for c in 0..4 {
            sums[c] = weight.multiply_add(I::Double::load(&done[p][at + c * lanes..]), sums[c]);
        }
    }
    for c in 0..4 {
        sums[c].multiply(inverse).store(&mut row[at + c * lanes..]);
    }
}
