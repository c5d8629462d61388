//! The tasks of `kernels` on the active device, each result checked against plain loops: `QUASAR_DEVICE=cuda cargo
//! bench --bench gpu [FILTER]`.
//!
//! Launches are asynchronous, so calls are timed in bursts of some milliseconds between two synchronisations: the
//! median of fifteen bursts, in milliseconds per call. Functions with scalar results synchronise in every call.

mod common;

use common::{burst, bytes, filter, mirror};
use quasar::{Array, Result};

mod program {
    quasar::quasar_file!("benches/tasks.q");
}

const N: usize = 4096;
const TAPS: usize = 31;
const POINTS: usize = 10_000_000;
const CENTRES: usize = 256;
const DEPTH: usize = 1 << 18;

struct Bench {
    filter: String,
}

impl Bench {
    fn run(
        &self,
        name: &str,
        mut call: impl FnMut() -> Result<()>,
        check: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if !name.contains(&self.filter) {
            return Ok(());
        }
        call()?;
        check()?;
        println!("{name:24} {:9.4}", burst(&mut call)?);
        Ok(())
    }
}

/// Compares pixels near the border and a sample of the others with a plain computation.
fn check(what: &str, y: &Array<f32>, tolerance: f64, plain: impl Fn(isize, isize) -> f64) {
    let y = y.read();
    let scale = y.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
    for (k, &got) in y.iter().enumerate() {
        let (m, n) = (k / N, k % N);
        let border = m < 20 || n < 20 || N - m < 20 || N - n < 20;
        if (border && k % 7 == 0) || k % 997 == 0 {
            let want = plain(m as isize, n as isize);
            let close = (f64::from(got) - want).abs() <= tolerance * f64::from(scale);
            assert!(close, "{what}: {got}, not {want} at {m}, {n}");
        }
    }
}

fn main() -> Result<()> {
    let bench = Bench { filter: filter() };
    images(&bench)?;
    points(&bench)?;
    products(&bench)
}

fn images(bench: &Bench) -> Result<()> {
    let u = bytes(N * N);
    let (raw, x) = (
        Array::from_slice(&[N, N], &u)?,
        Array::from_vec(&[N, N], u.iter().map(|&v| f32::from(v)).collect())?,
    );
    let (t, y) = (Array::filled(&[N, N], -1.0_f32)?, Array::filled(&[N, N], -1.0_f32)?);
    let at = |m: isize, n: isize| f64::from(u[mirror(m, N) * N + mirror(n, N)]);
    bench.run(
        "gamma",
        || program::gamma(&x, &y, 0.45),
        || {
            check("gamma", &y, 1e-6, |m, n| 255.0 * (at(m, n) / 255.0).powf(0.45));
            Ok(())
        },
    )?;
    bench.run(
        "box 3x3",
        || program::r#box(&x, &y),
        || {
            let sum = |m, n| {
                (-1..=1)
                    .flat_map(|a| (-1..=1).map(move |b| (a, b)))
                    .map(|(a, b)| at(m + a, n + b))
                    .sum::<f64>()
            };
            check("box", &y, 1e-6, |m, n| sum(m, n) / 9.0);
            Ok(())
        },
    )?;
    let bell = |k: usize| (-0.5 * ((k as f64 - 15.0) / 5.0).powi(2)).exp();
    let sum: f64 = (0..TAPS).map(bell).sum();
    let taps: [f32; TAPS] = std::array::from_fn(|k| (bell(k) / sum) as f32);
    let weights = Array::from_vec(&[TAPS], taps.to_vec())?;
    let blurred = |m: isize, n: isize| {
        let tap = |k: isize| f64::from(taps[(k + 15) as usize]);
        (-15..=15).map(|a| tap(a) * (-15..=15).map(|b| tap(b) * at(m + a, n + b)).sum::<f64>()).sum::<f64>()
    };
    let right = || {
        check("gauss", &y, 2e-6, blurred);
        Ok(())
    };
    bench.run("gauss 31", || program::gauss(&x, &t, &y, &weights), right)?;
    bench.run("gauss of any radius", || program::blur(&x, &t, &y, &weights, 15), right)?;
    bench.run(
        "max 11x11",
        || program::largest(&x, &y),
        || {
            let window = |m, n| {
                (-5..=5)
                    .flat_map(|a| (-5..=5).map(move |b| (a, b)))
                    .map(|(a, b)| at(m + a, n + b))
                    .fold(0.0, f64::max)
            };
            check("max", &y, 0.0, window);
            Ok(())
        },
    )?;
    let want: f64 = u.iter().map(|&v| f64::from(v)).sum();
    let total = || {
        let got = f64::from(program::total(&x)?);
        assert!((got - want).abs() < 1e-5 * want, "sum {got}, not {want}");
        Ok(())
    };
    bench.run("sum, waiting", total, || Ok(()))?;
    let counts = Array::from_vec(&[256], vec![0.0_f32; 256])?;
    bench.run(
        "histogram",
        || program::histogram(&raw, &counts),
        || {
            let mut by_hand = [0_u32; 256];
            u.iter().for_each(|&v| by_hand[usize::from(v)] += 1);
            assert!(counts.read().iter().zip(&by_hand).all(|(&a, &b)| a == b as f32), "histogram");
            Ok(())
        },
    )
}

fn points(bench: &Bench) -> Result<()> {
    let coordinates = |count: usize| bytes(3 * count).iter().map(|&v| f32::from(v)).collect::<Vec<_>>();
    let (p, c) = (coordinates(POINTS), coordinates(CENTRES));
    let (points, centres) =
        (Array::from_vec(&[POINTS, 3], p.clone())?, Array::from_vec(&[CENTRES, 3], c.clone())?);
    let labels = Array::filled(&[POINTS], -1_i32)?;
    bench.run(
        "k-means, assignment",
        || program::assign(&points, &centres, &labels),
        || {
            let distance =
                |i: usize, k: usize| (0..3).map(|d| (p[3 * i + d] - c[3 * k + d]).powi(2)).sum::<f32>();
            for (i, &label) in labels.read().iter().enumerate().step_by(9973) {
                // All numbers are small integers, so the sums are exact.
                let mut best = (f32::INFINITY, 0);
                for k in 0..CENTRES {
                    if distance(i, k) < best.0 {
                        best = (distance(i, k), k as i32);
                    }
                }
                assert_eq!(label, best.1, "label of point {i}");
            }
            Ok(())
        },
    )
}

fn products(bench: &Bench) -> Result<()> {
    let numbers: Vec<f32> = bytes(3 * DEPTH).iter().map(|&v| f32::from(v) / 256.0 - 0.5).collect();
    let (a, b) = (Array::from_slice(&[3, DEPTH], &numbers)?, Array::from_slice(&[DEPTH, 3], &numbers)?);
    let c = Array::filled(&[3, 3], -1.0_f32)?;
    bench.run(
        "product 3x2^18 2^18x3",
        || program::product(&a, &b, &c),
        || {
            for (k, &got) in c.read().iter().enumerate() {
                let want: f64 = (0..DEPTH)
                    .map(|d| f64::from(numbers[k / 3 * DEPTH + d]) * f64::from(numbers[3 * d + k % 3]))
                    .sum();
                assert!((f64::from(got) - want).abs() < 1.0, "product {got}, not {want}");
            }
            Ok(())
        },
    )
}
