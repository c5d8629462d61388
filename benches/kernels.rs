//! Six tasks as plain Quasar loops and as hand-optimised Rust, in one run, with each result checked.
//!
//! `cargo bench --bench kernels [FILTER]`: images of 4096x4096, two threads, median and minimum of fifteen runs each;
//! the two sides alternate, so that a disturbance affects both. The Rust side may use the same optimisations as the
//! compiler: rows without bounds checks, polynomials for powers, register blocking, privatised tables.

use quasar::{Array, Result, context};
use quasar_devicelib::isa::{self, Body, Isa};
use rayon::prelude::*;
use std::hint::black_box;
use std::time::Instant;

mod program {
    quasar::quasar_file!("benches/tasks.q");
}

const N: usize = 4096;
const RUNS: usize = 15;
const BAND: usize = 64;
const TAPS: usize = 31;
const RADIUS: usize = TAPS / 2;

fn mirror(i: isize, n: usize) -> usize {
    let n = n as isize;
    (if i < 0 {
        -1 - i
    } else if i >= n {
        2 * n - 1 - i
    } else {
        i
    }) as usize
}

fn row(x: &[f32], m: isize) -> &[f32] {
    &x[mirror(m, N) * N..][..N]
}

/// Work on a range of rows, compiled for the best instruction set.
struct Work<'a, F> {
    first: usize,
    out: &'a mut [f32],
    work: F,
}

trait Rows {
    fn rows<I: Isa>(&self, first: usize, out: &mut [f32]);
}

impl<F: Rows> Body for Work<'_, &F> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        self.work.rows::<I>(self.first, self.out);
    }
}

fn by_hand(work: &(impl Rows + Sync), out: &mut [f32]) {
    out.par_chunks_mut(BAND * N)
        .enumerate()
        .for_each(|(k, out)| isa::dispatch(Work { first: k * BAND, out, work }));
}

#[inline(always)]
fn fma<I: Isa>(a: f32, b: f32, c: f32) -> f32 {
    if I::FMA { a.mul_add(b, c) } else { a * b + c }
}

struct Gamma<'a>(&'a [f32], f32);

impl Rows for Gamma<'_> {
    /// `2^(g log2(x))` by short polynomials, for positive finite numbers.
    #[inline(always)]
    fn rows<I: Isa>(&self, first: usize, out: &mut [f32]) {
        let x = &self.0[first * N..][..out.len()];
        for (y, &x) in out.iter_mut().zip(x) {
            let v = x * (1.0 / 255.0);
            let bits = v.to_bits() as i32;
            let exponent = bits.wrapping_sub(0x3f35_04f3) >> 23;
            let m = f32::from_bits(bits.wrapping_sub(exponent << 23) as u32) - 1.0;
            let mut p = 0.069_716_12_f32;
            for c in [
                -0.11479734,
                0.1168542,
                -0.12425687,
                0.14249058,
                -0.16667803,
                0.20000716,
                -0.24999997,
                0.333_333_3,
            ] {
                p = fma::<I>(p, m, c);
            }
            let natural = fma::<I>(p * m, m * m, -0.5 * m * m) + m;
            let z = self.1 * fma::<I>(natural, std::f32::consts::LOG2_E, exponent as f32);
            let z = if z > -126.0 { z } else { -126.0 };
            let z = if z < 126.0 { z } else { 126.0 };
            let shifted = z + 12582912.0;
            let f = z - (shifted - 12582912.0);
            let mut p = 1.5454162e-4_f32;
            for c in [0.0013392017, 0.00961808, 0.05550355, 0.2402265, std::f32::consts::LN_2, 1.0] {
                p = fma::<I>(p, f, c);
            }
            let power =
                f32::from_bits((p.to_bits() as i32).wrapping_add((shifted.to_bits() as i32) << 23) as u32);
            *y = if v > 0.0 { 255.0 * power } else { 0.0 };
        }
    }
}

struct Box3<'a>(&'a [f32]);

impl Rows for Box3<'_> {
    #[inline(always)]
    fn rows<I: Isa>(&self, first: usize, out: &mut [f32]) {
        for (k, out) in out.chunks_exact_mut(N).enumerate() {
            let m = (first + k) as isize;
            let (a, b, c) = (row(self.0, m - 1), row(self.0, m), row(self.0, m + 1));
            let column = |n: usize| a[n] + b[n] + c[n];
            out[0] = (2.0 * column(0) + column(1)) / 9.0;
            out[N - 1] = (column(N - 2) + 2.0 * column(N - 1)) / 9.0;
            for n in 1..N - 1 {
                let s = a[n - 1] + a[n] + a[n + 1] + b[n - 1] + b[n] + b[n + 1];
                out[n] = (s + c[n - 1] + c[n] + c[n + 1]) / 9.0;
            }
        }
    }
}

struct Gauss<'a>(&'a [f32], &'a [f32; TAPS]);

impl Rows for Gauss<'_> {
    /// Four rows at a time: vertical sums of 32 columns in registers into four lines, then horizontal sums of 128.
    #[inline(always)]
    fn rows<I: Isa>(&self, first: usize, out: &mut [f32]) {
        const V: usize = 32;
        const U: usize = 128;
        const R: usize = 4;
        let taps = self.1;
        let mut padded = [0.0; TAPS + 2 * (R - 1)];
        padded[R - 1..][..TAPS].copy_from_slice(taps);
        let mut lines = vec![[0.0_f32; N + 2 * RADIUS + 2]; R];
        for (g, out) in out.chunks_exact_mut(R * N).enumerate() {
            let m = (first + g * R) as isize;
            let rows: [&[f32]; TAPS + R - 1] =
                std::array::from_fn(|k| row(self.0, m + k as isize - RADIUS as isize));
            for c in (0..N).step_by(V) {
                let [mut s0, mut s1, mut s2, mut s3] = [[0.0_f32; V]; R];
                for (row, w) in rows.iter().zip(padded.windows(R)) {
                    let Some(v) = row[c..].first_chunk::<{ V }>() else { break };
                    for j in 0..V {
                        s0[j] = fma::<I>(v[j], w[3], s0[j]);
                    }
                    for j in 0..V {
                        s1[j] = fma::<I>(v[j], w[2], s1[j]);
                    }
                    for j in 0..V {
                        s2[j] = fma::<I>(v[j], w[1], s2[j]);
                    }
                    for j in 0..V {
                        s3[j] = fma::<I>(v[j], w[0], s3[j]);
                    }
                }
                let sums = [s0, s1, s2, s3];
                for q in 0..R {
                    lines[q][RADIUS + c..][..V].copy_from_slice(&sums[q]);
                }
            }
            for (line, out) in lines.iter_mut().zip(out.chunks_exact_mut(N)) {
                for k in 0..RADIUS {
                    line[RADIUS - 1 - k] = line[RADIUS + k];
                    line[RADIUS + N + k] = line[RADIUS + N - 1 - k];
                }
                for c in (0..N).step_by(U) {
                    let mut sum = [0.0_f32; U];
                    for (k, &w) in taps.iter().enumerate() {
                        let Some(v) = line[c + k..].first_chunk::<U>() else { break };
                        for j in 0..U {
                            sum[j] = fma::<I>(v[j], w, sum[j]);
                        }
                    }
                    out[c..][..U].copy_from_slice(&sum);
                }
            }
        }
    }
}

struct Largest<'a>(&'a [f32]);

#[inline(always)]
fn larger(out: &mut [f32], a: &[f32], b: &[f32]) {
    let n = out.len();
    for (out, (&a, &b)) in out.iter_mut().zip(a[..n].iter().zip(&b[..n])) {
        *out = if a > b { a } else { b };
    }
}

impl Rows for Largest<'_> {
    /// Tiles of 32x256; windows of 2, 4, 8 and then 11 elements, down the columns and along the rows.
    #[inline(always)]
    fn rows<I: Isa>(&self, first: usize, out: &mut [f32]) {
        const H: usize = 32;
        const W: usize = 256;
        const L: usize = W + 16;
        let (mut a, mut b) = (vec![[0.0_f32; L]; H + 10], vec![[0.0_f32; L]; H + 10]);
        let mut edge = vec![[0.0_f32; L]; H + 10];
        for (tile, c) in (0..out.len() / N).step_by(H).flat_map(|t| (0..N).step_by(W).map(move |c| (t, c))) {
            let width = W + 10;
            let whole = c >= 5 && c + W + 5 <= N;
            let rows: [&[f32]; H + 10] =
                std::array::from_fn(|k| row(self.0, (first + tile + k) as isize - 5));
            if !whole {
                for (edge, row) in edge.iter_mut().zip(rows) {
                    for n in 0..width {
                        edge[n] = row[mirror((c + n) as isize - 5, N)];
                    }
                }
            }
            for k in 0..H + 9 {
                let (p, q) = match whole {
                    true => (&rows[k][c - 5..], &rows[k + 1][c - 5..]),
                    false => (&edge[k][..], &edge[k + 1][..]),
                };
                larger(&mut a[k][..width], p, q);
            }
            for k in 0..H + 7 {
                larger(&mut b[k][..width], &a[k], &a[k + 2]);
            }
            for k in 0..H + 3 {
                larger(&mut a[k][..width], &b[k], &b[k + 4]);
            }
            for k in 0..H {
                larger(&mut b[k][..width], &a[k], &a[k + 3]);
            }
            let (mut s, mut t) = ([0.0_f32; L], [0.0_f32; L]);
            for (k, line) in b.iter().enumerate().take(H) {
                larger(&mut s[..W + 9], line, &line[1..]);
                larger(&mut t[..W + 7], &s, &s[2..]);
                larger(&mut s[..W + 3], &t, &t[4..]);
                larger(&mut out[(tile + k) * N + c..][..W], &s, &s[3..]);
            }
        }
    }
}

struct Sum<'a>(&'a [f32]);

impl Body for Sum<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<I: Isa>(self) -> f64 {
        let mut lanes = [0.0_f32; 128];
        for chunk in self.0.chunks_exact(128) {
            for (lane, x) in lanes.iter_mut().zip(chunk) {
                *lane += x;
            }
        }
        lanes.iter().map(|&v| f64::from(v)).sum()
    }
}

/// Counts eight bytes at a time into as many tables.
fn histogram_by_hand(u: &[u8]) -> [u32; 256] {
    let mut tables = [[0_u32; 256]; 8];
    for eight in u.chunks_exact(8) {
        let word = u64::from_le_bytes(eight.try_into().unwrap_or_default());
        for j in 0..8 {
            tables[j][(word >> (8 * j)) as usize & 255] += 1;
        }
    }
    std::array::from_fn(|k| tables.iter().map(|t| t[k]).sum())
}

/// Milliseconds of CPU time of the threads of this process, if the system reports it.
fn processor_time() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return 0.0 };
    let ran = threads.flatten().filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    });
    ran.sum::<f64>() * 1e-6
}

/// Runs both sides alternately. Prints median and minimum of each in milliseconds, half of the minimum CPU time, and
/// the ratios of the minima; those of CPU time remain meaningful when other programs are running.
fn compare(name: &str, mut quasar: impl FnMut() -> Result<()>, mut hand: impl FnMut()) -> Result<()> {
    let (mut times, mut processor) = ([Vec::new(), Vec::new()], [f64::INFINITY; 2]);
    for round in 0..=RUNS {
        for side in 0..2 {
            let (start, ran) = (Instant::now(), processor_time());
            match side {
                0 => quasar()?,
                _ => hand(),
            }
            let took = start.elapsed().as_secs_f64() * 1e3;
            if round > 0 {
                times[side].push(took);
                processor[side] = processor[side].min((processor_time() - ran) / 2.0);
            }
        }
    }
    for list in &mut times {
        list.sort_by(f64::total_cmp);
    }
    print!("{name:20}");
    for side in 0..2 {
        print!(" {:8.2} {:8.2} {:8.2} |", times[side][RUNS / 2], times[side][0], processor[side]);
    }
    println!(" {:7.2} {:7.2}", times[0][0] / times[1][0], processor[0] / processor[1]);
    Ok(())
}

/// Compares a sample of pixels, many of them near the border, with a plain computation, and all with the hand-written
/// result.
fn check(what: &str, y: &Array<f32>, hand: &[f32], tolerance: f32, plain: impl Fn(isize, isize) -> f64) {
    let y = y.read();
    let scale = hand.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
    for (k, (&a, &b)) in y.iter().zip(hand).enumerate() {
        assert!((a - b).abs() <= tolerance * scale, "{what}: {a} and by hand {b} at {}, {}", k / N, k % N);
        let border = k / N < 20 || k % N < 20 || N - k / N < 20 || N - k % N < 20;
        if (border && k % 7 == 0) || k % 997 == 0 {
            let want = plain((k / N) as isize, (k % N) as isize) as f32;
            assert!((a - want).abs() <= tolerance * scale, "{what}: {a}, not {want} at {}, {}", k / N, k % N);
        }
    }
}

fn main() -> Result<()> {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    let wanted = |name: &str| name.contains(filter.as_str());
    context::set_threads(2)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("two threads");
    let mut state = 1_u32;
    let u: Vec<u8> = (0..N * N)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        })
        .collect();
    // Both sides read the same memory, from the pool, which uses huge pages.
    let bytes = Array::from_slice(&[N, N], &u)?;
    let image = Array::from_slice(&[N, N], &u.iter().map(|&v| f32::from(v)).collect::<Vec<_>>())?;
    let (t, y) = (Array::filled(&[N, N], 1.0_f32)?, Array::filled(&[N, N], 1.0_f32)?);
    let by_hand_into = Array::filled(&[N, N], 1.0_f32)?;
    let (u, x, mut out) = (bytes.read(), image.read(), by_hand_into.write());
    let (u, x, out): (&[u8], &[f32], &mut [f32]) = (&u, &x, &mut out);
    let at = |m: isize, n: isize| f64::from(x[mirror(m, N) * N + mirror(n, N)]);
    println!("{:?}, 4096x4096, two threads; ms", isa::detected());
    println!(
        "{:20} {:>8} {:>8} {:>8} | {:>8} {:>8} {:>8} | {:>7} {:>7}",
        "", "Quasar", "least", "CPU/2", "by hand", "least", "CPU/2", "ratio", "CPU"
    );

    if wanted("gamma") {
        let work = Gamma(x, 0.45);
        compare("gamma", || program::gamma(&image, &y, 0.45), || pool.install(|| by_hand(&work, out)))?;
        check("gamma", &y, out, 1e-6, |m, n| 255.0 * (at(m, n) / 255.0).powf(0.45));
    }
    if wanted("box 3x3") {
        let work = Box3(x);
        compare("box 3x3", || program::r#box(&image, &y), || pool.install(|| by_hand(&work, out)))?;
        let plain = |m, n| {
            (-1..=1).flat_map(|a| (-1..=1).map(move |b| (a, b))).map(|(a, b)| at(m + a, n + b)).sum::<f64>()
                / 9.0
        };
        check("box", &y, out, 1e-6, plain);
    }
    let bell = |k: usize| (-0.5 * ((k as f64 - 15.0) / 5.0).powi(2)).exp();
    let sum: f64 = (0..TAPS).map(bell).sum();
    let taps: [f32; TAPS] = std::array::from_fn(|k| (bell(k) / sum) as f32);
    let weights = Array::from_vec(&[TAPS], taps.to_vec())?;
    let blurred = |m: isize, n: isize| {
        let tap = |k: isize| f64::from(taps[(k + 15) as usize]);
        (-15..=15).map(|a| tap(a) * (-15..=15).map(|b| tap(b) * at(m + a, n + b)).sum::<f64>()).sum::<f64>()
    };
    if wanted("gauss 31") {
        let work = Gauss(x, &taps);
        let hand = |out: &mut [f32]| pool.install(|| by_hand(&work, out));
        compare("gauss 31", || program::gauss(&image, &t, &y, &weights), || hand(out))?;
        check("gauss", &y, out, 1e-6, blurred);
    }
    if wanted("gauss of any radius") {
        let work = Gauss(x, &taps);
        let hand = |out: &mut [f32]| pool.install(|| by_hand(&work, out));
        compare("gauss of any radius", || program::blur(&image, &t, &y, &weights, 15), || hand(out))?;
        check("blur", &y, out, 1e-6, blurred);
    }
    if wanted("max 11x11") {
        let work = Largest(x);
        compare("max 11x11", || program::largest(&image, &y), || pool.install(|| by_hand(&work, out)))?;
        let plain = |m, n| {
            let window = (-5..=5).flat_map(|a| (-5..=5).map(move |b| (a, b)));
            window.map(|(a, b)| at(m + a, n + b)).fold(0.0, f64::max)
        };
        check("max", &y, out, 0.0, plain);
    }
    if wanted("sum") {
        let want = x.iter().map(|&v| f64::from(v)).sum::<f64>();
        let by_quasar = || {
            let got = f64::from(program::total(&image)?);
            assert!((got - want).abs() < 1e-5 * want, "sum {got}, not {want}");
            Ok(())
        };
        let hand = || {
            let parts = x.par_chunks(BAND * N).map(|part| isa::dispatch(Sum(part)));
            black_box(pool.install(|| parts.sum::<f64>()));
        };
        compare("sum", by_quasar, hand)?;
    }
    if wanted("histogram") {
        let counts = Array::from_vec(&[256], vec![0.0_f32; 256])?;
        let mut by_hand = [0_u32; 256];
        let by_quasar = || {
            counts.write().fill(0.0);
            program::histogram(&bytes, &counts)
        };
        let hand = || {
            let parts = u.par_chunks(u.len() / 16).map(histogram_by_hand);
            by_hand = pool.install(|| parts.reduce(|| [0; 256], |a, b| std::array::from_fn(|k| a[k] + b[k])));
        };
        compare("histogram", by_quasar, hand)?;
        let counts = counts.read();
        assert!(counts.iter().zip(&by_hand).all(|(&a, &b)| a == b as f32), "histogram");
    }
    overheads(x, &wanted)
}

/// Launch overhead: small images.
fn overheads(x: &[f32], wanted: &dyn Fn(&str) -> bool) -> Result<()> {
    let cut = |n: usize| Array::from_vec(&[n, n], x[..n * n].to_vec());
    if wanted("gradient 1024x1024") {
        let (image, y) = (cut(1025)?, cut(1024)?);
        let time = least(|| program::gradient(&image, &y))?;
        println!("{:20} {:>8} {time:8.3}", "gradient 1024x1024", "");
    }
    if wanted("launch of 4x4, us") {
        let (image, y) = (cut(4)?, cut(4)?);
        let thousand = || (0..1000).try_for_each(|_| program::gamma(&image, &y, 0.45));
        println!("{:20} {:>8} {:8.3}", "launch of 4x4, us", "", least(thousand)?);
    }
    Ok(())
}

fn least(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..2 * RUNS {
        let start = Instant::now();
        work()?;
        least = least.min(start.elapsed().as_secs_f64() * 1e3);
    }
    Ok(least)
}
