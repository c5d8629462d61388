//! Inner products and multiples of rows: what the factorisations do where they cannot multiply matrices. Each step over memory takes
//! four rows at once.

use super::super::workers::{Caller, Workers, each};
use crate::isa::{self, Isa, Lanes};

/// Rows that a step takes.
const TOGETHER: usize = 4;
/// The least elements for which threads are asked, and what each gets at least: what takes some ten times as long as waking one.
const GRAIN: usize = 1 << 15;

/// Some rows: each begins a stride behind the one before. The first begins with `data`.
#[derive(Clone, Copy)]
pub(super) struct Rows<'a> {
    pub(super) data: &'a [f64],
    pub(super) stride: usize,
    pub(super) count: usize,
}

impl<'a> Rows<'a> {
    /// The rows `first .. first + count` of a matrix from a column on.
    pub(super) fn of(data: &'a [f64], stride: usize, [first, count]: [usize; 2], column: usize) -> Rows<'a> {
        let from = if count == 0 { 0 } else { first * stride + column };
        Rows { data: &data[from..], stride, count }
    }

    #[inline(always)]
    fn row(&self, i: usize, length: usize) -> &'a [f64] {
        &self.data[i * self.stride..][..length]
    }

    /// The first elements of each.
    pub(super) fn all(&self, length: usize) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        self.data.chunks(self.stride.max(1)).take(self.count).map(move |row| &row[..length])
    }

    /// Some of the rows.
    fn part(&self, first: usize, count: usize) -> Rows<'a> {
        Rows::of(self.data, self.stride, [first, count], 0)
    }
}

/// The workers, if there are so many elements that it is worth it.
pub(super) fn for_elements(workers: &dyn Workers, elements: usize) -> &dyn Workers {
    if elements >= 2 * GRAIN { workers } else { &Caller }
}

/// How many of `items`, each of so many elements, a thread takes.
fn share(workers: &dyn Workers, items: usize, elements: usize) -> usize {
    let parts = (items.saturating_mul(elements) / GRAIN).clamp(1, workers.count().max(1));
    items.div_ceil(parts).next_multiple_of(8)
}

/// The inner product.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let [sum] = isa::dispatch(Dot { x, y });
    sum
}

struct Dot<'a> {
    x: &'a [f64],
    y: &'a [f64],
}

impl isa::Body for Dot<'_> {
    type Output = [f64; 1];

    #[inline(always)]
    fn run<I: Isa>(self) -> [f64; 1] {
        dots_of::<I, 1, 4>([self.x], &self.y[..self.x.len()])
    }
}

/// The inner products of each row with a vector.
pub(super) fn dots(workers: &dyn Workers, rows: Rows<'_>, x: &[f64], result: &mut [f64]) {
    let result = &mut result[..rows.count];
    if x.is_empty() || result.is_empty() {
        return result.fill(0.0);
    }
    let high = share(workers, rows.count, x.len());
    if high >= rows.count {
        return isa::dispatch(Dots { rows, x, result });
    }
    let parts = result.chunks_mut(high).enumerate().collect();
    each(workers, parts, &|(part, result): (usize, &mut [f64])| {
        isa::dispatch(Dots { rows: rows.part(part * high, result.len()), x, result });
    });
}

struct Dots<'a> {
    rows: Rows<'a>,
    x: &'a [f64],
    result: &'a mut [f64],
}

impl isa::Body for Dots<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Dots { rows, x, result } = self;
        let (groups, rest) = result.as_chunks_mut::<TOGETHER>();
        let together = groups.len() * TOGETHER;
        for (k, sums) in groups.iter_mut().enumerate() {
            let row = |r: usize| rows.row(k * TOGETHER + r, x.len());
            *sums = dots_of::<I, TOGETHER, 2>([row(0), row(1), row(2), row(3)], x);
        }
        for (k, sum) in rest.iter_mut().enumerate() {
            [*sum] = dots_of::<I, 1, 4>([rows.row(together + k, x.len())], x);
        }
    }
}

/// The inner products of `R` rows with a vector, each in `C` registers.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators over registers are functions without the instructions of a level"
)]
fn dots_of<I: Isa, const R: usize, const C: usize>(rows: [&[f64]; R], x: &[f64]) -> [f64; R] {
    let (n, lanes) = (x.len(), I::Double::COUNT);
    let mut sums = [[I::Double::splat(0.0); C]; R];
    let mut k = 0;
    while k + C * lanes <= n {
        for c in 0..C {
            let factor = I::Double::load(&x[k + c * lanes..]);
            for r in 0..R {
                sums[r][c] = I::Double::load(&rows[r][k + c * lanes..]).multiply_add(factor, sums[r][c]);
            }
        }
        k += C * lanes;
    }
    while k + lanes <= n {
        let factor = I::Double::load(&x[k..]);
        for r in 0..R {
            sums[r][0] = I::Double::load(&rows[r][k..]).multiply_add(factor, sums[r][0]);
        }
        k += lanes;
    }
    let mut results = [0.0; R];
    for r in 0..R {
        let mut sum = sums[r][0];
        for c in 1..C {
            sum = sum.add(sums[r][c]);
        }
        results[r] = total::<I>(sum);
        for j in k..n {
            results[r] = add_product::<I>(results[r], rows[r][j], x[j]);
        }
    }
    results
}

/// The sum of the lanes of a register.
#[inline(always)]
pub(super) fn total<I: Isa>(register: I::Double) -> f64 {
    // No register has more lanes.
    let mut lanes = [0.0; 8];
    register.store(&mut lanes);
    let [a, b, c, d, e, f, g, h] = lanes;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// `sum + x * y`, fused where registers do so.
#[inline(always)]
pub(super) fn add_product<I: Isa>(sum: f64, x: f64, y: f64) -> f64 {
    if I::FMA { x.mul_add(y, sum) } else { sum + x * y }
}

/// Adds multiples of rows to `y`: the product of a row of weights and a matrix.
pub(super) fn add_multiples(workers: &dyn Workers, rows: Rows<'_>, weights: &[f64], y: &mut [f64]) {
    if y.is_empty() || rows.count == 0 {
        return;
    }
    let wide = share(workers, y.len(), rows.count);
    if wide >= y.len() {
        return isa::dispatch(Multiples { rows, weights, y });
    }
    let parts = y.chunks_mut(wide).enumerate().collect();
    each(workers, parts, &|(part, y): (usize, &mut [f64])| {
        let rows = Rows { data: &rows.data[part * wide..], ..rows };
        isa::dispatch(Multiples { rows, weights, y });
    });
}

struct Multiples<'a> {
    rows: Rows<'a>,
    weights: &'a [f64],
    y: &'a mut [f64],
}

impl isa::Body for Multiples<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Multiples { rows, weights, y } = self;
        let (groups, rest) = weights[..rows.count].as_chunks::<TOGETHER>();
        for (k, weights) in groups.iter().enumerate() {
            let row = |r: usize| rows.row(k * TOGETHER + r, y.len());
            add_to::<I, TOGETHER>([row(0), row(1), row(2), row(3)], *weights, y);
        }
        for (k, &weight) in rest.iter().enumerate() {
            add_to::<I, 1>([rows.row(groups.len() * TOGETHER + k, y.len())], [weight], y);
        }
    }
}

#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators over registers are functions without the instructions of a level"
)]
fn add_to<I: Isa, const R: usize>(rows: [&[f64]; R], weights: [f64; R], y: &mut [f64]) {
    let lanes = I::Double::COUNT;
    let mut factors = [I::Double::splat(0.0); R];
    for r in 0..R {
        factors[r] = I::Double::splat(weights[r]);
    }
    let mut k = 0;
    while k + lanes <= y.len() {
        let mut sum = I::Double::load(&y[k..]);
        for r in 0..R {
            sum = factors[r].multiply_add(I::Double::load(&rows[r][k..]), sum);
        }
        sum.store(&mut y[k..]);
        k += lanes;
    }
    for j in k..y.len() {
        for r in 0..R {
            y[j] = add_product::<I>(y[j], weights[r], rows[r][j]);
        }
    }
}

/// Reflects rows at the plane across `v`: subtracts `factor * (row * v)` times `v` from each, in the columns from `first` on that `v` has.
pub(super) fn reflect(rows: &mut [f64], stride: usize, first: usize, v: &[f64], factor: f64) {
    isa::dispatch(Reflect { rows, stride, first, v, factor });
}

struct Reflect<'a> {
    rows: &'a mut [f64],
    stride: usize,
    first: usize,
    v: &'a [f64],
    factor: f64,
}

impl isa::Body for Reflect<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Reflect { rows, stride, first, v, factor } = self;
        let n = v.len();
        let mut groups = rows.chunks_exact_mut(TOGETHER * stride);
        for group in groups.by_ref() {
            let row = |r: usize| &group[r * stride + first..][..n];
            let sums = dots_of::<I, TOGETHER, 2>([row(0), row(1), row(2), row(3)], v);
            for (row, sum) in group.chunks_exact_mut(stride).zip(sums) {
                add_to::<I, 1>([v], [-factor * sum], &mut row[first..][..n]);
            }
        }
        for row in groups.into_remainder().chunks_exact_mut(stride) {
            let row = &mut row[first..][..n];
            let [sum] = dots_of::<I, 1, 4>([row], v);
            add_to::<I, 1>([v], [-factor * sum], row);
        }
    }
}

/// Adds the product of a symmetric matrix and a vector, for some rows of what lies on and above its diagonal: `data` begins with the
/// diagonal element of row 0. Both triangles of a row are done while it is read once.
pub(super) fn add_symmetric(
    data: &[f64],
    stride: usize,
    rows: std::ops::Range<usize>,
    x: &[f64],
    y: &mut [f64],
) {
    isa::dispatch(Symmetric { data, stride, rows, x, y });
}

struct Symmetric<'a> {
    data: &'a [f64],
    stride: usize,
    rows: std::ops::Range<usize>,
    x: &'a [f64],
    y: &'a mut [f64],
}

impl isa::Body for Symmetric<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Symmetric { data, stride, rows, x, y } = self;
        let n = x.len();
        let row = |i: usize| &data[i * stride..][..n];
        let mut i = rows.start;
        while i + TOGETHER <= rows.end {
            both_triangles::<I, TOGETHER>([row(i), row(i + 1), row(i + 2), row(i + 3)], i, x, y);
            i += TOGETHER;
        }
        while i < rows.end {
            both_triangles::<I, 1>([row(i)], i, x, y);
            i += 1;
        }
    }
}

#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators over registers are functions without the instructions of a level"
)]
fn both_triangles<I: Isa, const R: usize>(rows: [&[f64]; R], first: usize, x: &[f64], y: &mut [f64]) {
    let (n, lanes) = (x.len(), I::Double::COUNT);
    let mut sums = [I::Double::splat(0.0); R];
    let mut factors = [I::Double::splat(0.0); R];
    let mut own = [0.0; R];
    for r in 0..R {
        factors[r] = I::Double::splat(x[first + r]);
        own[r] = rows[r][first + r] * x[first + r];
        for c in first + r + 1..first + R {
            own[r] = add_product::<I>(own[r], rows[r][c], x[c]);
            y[c] = add_product::<I>(y[c], rows[r][c], x[first + r]);
        }
    }
    let mut k = first + R;
    while k + lanes <= n {
        let factor = I::Double::load(&x[k..]);
        let mut below = I::Double::load(&y[k..]);
        for r in 0..R {
            let row = I::Double::load(&rows[r][k..]);
            sums[r] = row.multiply_add(factor, sums[r]);
            below = row.multiply_add(factors[r], below);
        }
        below.store(&mut y[k..]);
        k += lanes;
    }
    for r in 0..R {
        let mut sum = own[r] + total::<I>(sums[r]);
        for c in k..n {
            sum = add_product::<I>(sum, rows[r][c], x[c]);
            y[c] = add_product::<I>(y[c], rows[r][c], x[first + r]);
        }
        y[first + r] += sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Level;
    use crate::value::workers::tests::Disorder;

    fn numbers(n: usize) -> Vec<f64> {
        (0..n).map(|k| (k * 7919 % 1009) as f64 / 500.0 - 1.0).collect()
    }

    fn near(x: &[f64], y: &[f64]) -> bool {
        x.len() == y.len() && x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12)
    }

    #[test]
    fn sums_and_multiples_of_rows_at_every_level() {
        for (count, length) in [(1, 1), (3, 7), (4, 8), (5, 33), (9, 70), (23, 23)] {
            let stride = length + 3;
            let (data, x, weights) = (numbers(count * stride), numbers(length), numbers(count));
            let rows = Rows { data: &data, stride, count };
            let row = |i: usize| &data[i * stride..][..length];
            let sums: Vec<f64> =
                (0..count).map(|i| row(i).iter().zip(&x).map(|(x, y)| x * y).sum()).collect();
            let multiples: Vec<f64> =
                (0..length).map(|j| x[j] + (0..count).map(|i| weights[i] * row(i)[j]).sum::<f64>()).collect();
            let mut reflected = data.clone();
            for (i, row) in reflected.chunks_exact_mut(stride).enumerate() {
                row.iter_mut().zip(&x).for_each(|(y, x)| *y -= 0.3 * sums[i] * x);
            }
            for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                let mut found = vec![f64::NAN; count];
                isa::dispatch_on(level, Dots { rows, x: &x, result: &mut found });
                assert!(near(&found, &sums), "{count}x{length} {level:?}");
                let mut y = x.clone();
                isa::dispatch_on(level, Multiples { rows, weights: &weights, y: &mut y });
                assert!(near(&y, &multiples), "{count}x{length} {level:?}");
                let mut rows = data.clone();
                isa::dispatch_on(level, Reflect { rows: &mut rows, stride, first: 0, v: &x, factor: 0.3 });
                assert!(near(&rows, &reflected), "{count}x{length} {level:?}");
            }
        }
    }

    #[test]
    fn products_with_symmetric_matrices_at_every_level() {
        for n in [1, 4, 7, 30] {
            let (data, x) = (numbers(n * n), numbers(n));
            let element = |i: usize, j: usize| data[i.min(j) * n + i.max(j)];
            let product: Vec<f64> =
                (0..n).map(|i| (0..n).map(|j| element(i, j) * x[j]).sum::<f64>()).collect();
            for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                let mut y = vec![0.0; n];
                for rows in [0..n / 3, n / 3..n] {
                    isa::dispatch_on(level, Symmetric { data: &data, stride: n, rows, x: &x, y: &mut y });
                }
                assert!(near(&y, &product), "{n} {level:?}");
            }
        }
    }

    #[test]
    fn threads_share_rows_and_columns() {
        let (count, length) = (301, 403);
        let (data, x, weights) = (numbers(count * length), numbers(length), numbers(count));
        let rows = Rows { data: &data, stride: length, count };
        let (mut sums, mut other) = (vec![0.0; count], vec![1.0; count]);
        dots(&Caller, rows, &x, &mut sums);
        dots(&Disorder(3), rows, &x, &mut other);
        assert_eq!(sums, other);
        let (mut sums, mut other) = (x.clone(), x.clone());
        add_multiples(&Caller, rows, &weights, &mut sums);
        add_multiples(&Disorder(3), rows, &weights, &mut other);
        assert_eq!(sums, other);
    }
}
