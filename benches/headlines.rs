//! The documented performance ratios of language features, on the active device: pairs of programs from `headlines.q`,
//! or of settings, with each result checked: `QUASAR_DEVICE=cuda cargo bench --bench headlines [FILTER]`.
//!
//! Prints the rows of a table: feature, task, variant, milliseconds per call, and the time relative to the first
//! variant. Functions with results synchronise in every call, the others in every burst.

mod common;

use common::{burst, bytes, filter, mirror};
use quasar::{Array, Result, context};
use quasar_core::driver;
use quasar_core::interp::{InterpOptions, Interpreter};
use quasar_core::source::NoImports;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::{ArrayBuf, ArrayData, Value, array};
use quasar_runtime::device::select;
use quasar_runtime::library::host_services::with_host;
use std::hint::black_box;
use std::time::Instant;

mod program {
    quasar::quasar_file!(#![quiet] "benches/headlines.q");
}

/// A variant of a task: its name, a call, and a check of the result of the first call.
type Form<'a> = (&'a str, &'a mut dyn FnMut() -> Result<()>, &'a dyn Fn());

struct Table {
    filter: String,
}

impl Table {
    /// Times the variants of a task. `promise` is a row of the feature list, with the ratio that is documented there.
    fn rows(&self, promise: &str, task: &str, forms: &mut [Form<'_>]) -> Result<()> {
        if !promise.contains(&self.filter) && !task.contains(&self.filter) {
            return Ok(());
        }
        let mut first = None;
        for (name, call, check) in forms {
            call()?;
            check();
            let time = burst(call)?;
            let ratio = time / *first.get_or_insert(time);
            println!("| {promise} | {task} | {name} | {time:.4} | {ratio:.2} |");
        }
        Ok(())
    }
}

fn main() -> Result<()> {
    let table = Table { filter: filter() };
    match select::active_device() {
        Some(device) => println!("{}", device.name()),
        None => println!("no device: everything runs on the processor"),
    }
    println!("| row, documented | task | form | ms | ratio |\n|---|---|---|---|---|");
    for n in [512, 4096] {
        reductions(&table, n)?;
    }
    host_code(&table)?;
    product(&table)?;
    for n in [1 << 18, 1 << 24] {
        histograms(&table, n)?;
    }
    clusters(&table)?;
    checks(&table)?;
    indices(&table)?;
    functions(&table)?;
    specialisation(&table)?;
    constants(&table)?;
    textures(&table)?;
    launches(&table)
}

/// Zeros and ones, whose sums are exact in any order.
fn bits(count: usize) -> Vec<f32> {
    bytes(count).iter().map(|v| f32::from(v & 1)).collect()
}

fn pixels(count: usize) -> Vec<f32> {
    bytes(count).iter().map(|&v| f32::from(v)).collect()
}

/// Asserts that arrays are equal up to rounding.
fn same(what: &str, got: &Array<f32>, want: &[f32]) {
    let got = got.read();
    assert_eq!(got.len(), want.len(), "{what}");
    for (k, (a, b)) in got.iter().zip(want).enumerate() {
        assert!((a - b).abs() <= 1e-5 * b.abs().max(1.0), "{what}: {a}, not {b} at {k}");
    }
}

fn reductions(table: &Table, n: usize) -> Result<()> {
    let data = bits(n * n);
    let want: f32 = data.iter().sum();
    let x = Array::from_vec(&[n, n], data)?;
    let equals = |got: f32| assert_eq!(got, want, "sum");
    table.rows(
        "P-001, 4.4",
        &format!("sum of {n}x{n}"),
        &mut [
            ("loop", &mut || program::sum_by_loop(&x).map(equals), &|| ()),
            ("additions to one element", &mut || program::sum_by_additions(&x).map(equals), &|| ()),
            ("additions that give a value", &mut || program::sum_by_atomics(&x).map(equals), &|| ()),
        ],
    )?;
    let equal = |got: Array<f32>| assert_eq!(*got.read(), [want, want, 1.0], "aggregates");
    table.rows(
        "P-002, 10",
        &format!("sum, squares, maximum of {n}x{n}"),
        &mut [
            ("loop", &mut || program::aggregate_by_loop(&x).map(equal), &|| ()),
            ("additions that give a value", &mut || program::aggregate_by_atomics(&x).map(equal), &|| ()),
        ],
    )
}

/// `x` has one row and one column more than `y`.
fn gradient_by_hand(x: &[f32], y: &mut [f32], n: usize) {
    for m in 0..n {
        for k in 0..n {
            let at = |a: usize, b: usize| x[(m + a) * (n + 1) + k + b];
            let (a, b) = (at(1, 0) - at(0, 0), at(0, 1) - at(0, 0));
            y[m * n + k] = (a * a + b * b).sqrt();
        }
    }
}

/// The gradient on the interpreter, in milliseconds; `None` if it fails.
fn interpreted(x: &[f32], n: usize, want: &[f32]) -> Option<f64> {
    let options = driver::Options { optimise: false, ..driver::Options::default() };
    let compilation = driver::compile("headlines", include_str!("headlines.q"), &NoImports, &options);
    let array = |n: usize, elements: Vec<f32>| {
        Some(Value::from(ArrayBuf::new(vec![n, n], ArrayData::F32(elements)).ok()?))
    };
    let arguments = vec![array(n + 1, x.to_vec())?, array(n, vec![-1.0; n * n])?];
    let start = Instant::now();
    with_host(ElementType::Single, |host| {
        let mut interpreter = Interpreter::new(compilation.program.as_ref()?, InterpOptions::default(), host);
        interpreter.call("gradient_by_statements", arguments.clone()).ok()
    })?;
    let time = start.elapsed().as_secs_f64() * 1e3;
    let found = array::read(arguments[1].as_array()?, |y| y.to_buf().ok())?;
    let ArrayData::F32(found) = found.data else { return None };
    same("interpreted gradient", &Array::from_vec(&[n, n], found).ok()?, want);
    Some(time)
}

fn host_code(table: &Table) -> Result<()> {
    let n = 1024;
    let data = pixels(n * n);
    let padded = |m: usize, k: usize| if m < n && k < n { data[m * n + k] } else { 0.0 };
    let wide: Vec<f32> = (0..(n + 1) * (n + 1)).map(|i| padded(i / (n + 1), i % (n + 1))).collect();
    let mut want = vec![0.0; n * n];
    gradient_by_hand(&wide, &mut want, n);
    let (x, y) = (Array::from_slice(&[n + 1, n + 1], &wide)?, Array::filled(&[n, n], -1.0_f32)?);
    let check = || same("gradient", &y, &want);
    let mut by_hand = vec![0.0; n * n];
    table.rows(
        "P-003, 1 to 1.2 native, 100 interpreted",
        "gradient of 1024x1024",
        &mut [
            (
                "loop in order, in Rust by hand",
                &mut || {
                    gradient_by_hand(black_box(&wide), black_box(&mut by_hand), n);
                    Ok(())
                },
                &|| (),
            ),
            ("loop in order", &mut || program::gradient_in_order(&x, &y), &check),
            ("statements in order on the host", &mut || program::gradient_by_statements(&x, &y), &check),
            (
                "kernel on the processor",
                &mut || select::with_device(None, || program::gradient(&x, &y)),
                &check,
            ),
            ("kernel", &mut || program::gradient(&x, &y), &check),
        ],
    )?;
    if "P-003".contains(&table.filter)
        && let Some(time) = interpreted(&wide, n, &want)
    {
        println!("| P-003 | gradient of 1024x1024 | loop in order on the interpreter, once | {time:.4} | |");
    }
    Ok(())
}

fn product(table: &Table) -> Result<()> {
    let depth = 1 << 18;
    let numbers = bits(3 * depth);
    let (a, b) = (Array::from_slice(&[3, depth], &numbers)?, Array::from_slice(&[depth, 3], &numbers)?);
    let c = Array::filled(&[3, 3], -1.0_f32)?;
    let element = |i: usize, j: usize| (0..depth).map(|k| numbers[i * depth + k] * numbers[3 * k + j]).sum();
    let want: Vec<f32> = (0..9).map(|e| element(e / 3, e % 3)).collect();
    let check = || same("product", &c, &want);
    table.rows(
        "P-005, 2.7",
        "product 3x2^18 by 2^18x3",
        &mut [
            ("loop", &mut || program::product_by_sums(&a, &b, &c), &check),
            ("a thread for each element", &mut || program::product_by_threads(&a, &b, &c), &check),
        ],
    )
}

fn histograms(table: &Table, n: usize) -> Result<()> {
    let data = bytes(n);
    let mut want = vec![0_i32; 256];
    data.iter().for_each(|&v| want[usize::from(v)] += 1);
    let x = Array::from_vec(&[n], data)?;
    let counts = || Array::filled(&[256], 0_i32);
    let (a, b, c) = (counts()?, counts()?, counts()?);
    let check = |h: &Array<i32>| assert_eq!(*h.read(), want, "histogram");
    // Two blocks per multiprocessor of a large device.
    let threads = 264 * 256;
    table.rows(
        "P-010, 5.8 global",
        &format!("histogram of {n} bytes"),
        &mut [
            ("shared memory", &mut || program::histogram_in_blocks(&x, &a, threads), &|| check(&a)),
            ("loop", &mut || program::histogram_by_loop(&x, &b), &|| check(&b)),
            ("additions that give a value", &mut || program::histogram_by_atomics(&x, &c), &|| check(&c)),
        ],
    )
}

fn clusters(table: &Table) -> Result<()> {
    let (points, centres) = (1 << 20, 16);
    // Numbers below 16: all sums stay below 2^24, so they are exact in any order.
    let small = |count| -> Vec<f32> { bytes(count).iter().map(|&v| f32::from(v >> 4)).collect() };
    let (p, c) = (small(3 * points), small(3 * centres));
    let mut sums = vec![0.0_f32; 3 * centres];
    let mut sizes = vec![0.0_f32; centres];
    for p in p.chunks(3) {
        let distance = |k: usize| (0..3).map(|d| (p[d] - c[3 * k + d]).powi(2)).sum::<f32>();
        let nearest = (0..centres).fold(0, |best, k| if distance(k) < distance(best) { k } else { best });
        (0..3).for_each(|d| sums[3 * nearest + d] += p[d]);
        sizes[nearest] += 1.0;
    }
    let (p, c) = (Array::from_vec(&[points, 3], p)?, Array::from_vec(&[centres, 3], c)?);
    type Clusters = (Array<f32>, Array<f32>);
    let empty = || -> Result<Clusters> {
        Ok((Array::filled(&[centres, 3], 0.0_f32)?, Array::filled(&[centres], 0.0_f32)?))
    };
    let (one, other) = (empty()?, empty()?);
    let check = |found: &Clusters| {
        same("sums of clusters", &found.0, &sums);
        same("sizes of clusters", &found.1, &sizes);
    };
    table.rows(
        "P-011, 5.5",
        "clustering, 2^20 points, 16 centres",
        &mut [
            ("loop", &mut || program::cluster_by_loop(&p, &c, &one.0, &one.1), &|| check(&one)),
            (
                "additions that give a value",
                &mut || program::cluster_by_atomics(&p, &c, &other.0, &other.1),
                &|| check(&other),
            ),
        ],
    )
}

fn checks(table: &Table) -> Result<()> {
    let n = 1 << 22;
    let data = bits(n + 256);
    let at: Vec<i32> = (0..n as i32).map(|i| if i < 16 { 1 } else { i }).collect();
    let gathered = |i: usize| (0..16).map(|k| data[at[i] as usize + k]).sum();
    let want: Vec<f32> = (0..n).map(gathered).collect();
    let (x, at) = (Array::from_slice(&[n + 256], &data)?, Array::from_vec(&[n], at)?);
    let y = Array::filled(&[n], -1.0_f32)?;
    let check = || same("gathered", &y, &want);
    table.rows(
        "P-016, 1.2 to 1.3",
        "16 elements at indices from data, 2^22 times",
        &mut [
            ("'unchecked", &mut || program::gather_unchecked(&x, &at, &y), &check),
            ("'safe", &mut || program::gather_safe(&x, &at, &y), &check),
            ("'checked", &mut || program::gather_checked(&x, &at, &y), &check),
        ],
    )?;
    let n = 4096;
    let data = bits(n * n);
    let sum =
        |m: usize, k: usize| (0..9).map(|e| data[(m + e / 3 - 1) * n + k + e % 3 - 1]).sum::<f32>() / 9.0;
    let inside = |i: usize| 1 <= i && i < n - 1;
    let want: Vec<f32> =
        (0..n * n).map(|i| if inside(i / n) && inside(i % n) { sum(i / n, i % n) } else { -1.0 }).collect();
    let (x, y) = (Array::from_slice(&[n, n], &data)?, Array::filled(&[n, n], -1.0_f32)?);
    let check = || same("box", &y, &want);
    table.rows(
        "P-016, 1",
        "mean 3x3 of 4096x4096, checks eliminated",
        &mut [
            ("'unchecked", &mut || program::box_unchecked(&x, &y), &check),
            ("'checked, extents asserted to be equal", &mut || program::box_asserted(&x, &y), &check),
            ("'checked", &mut || program::box_checked(&x, &y), &check),
        ],
    )
}

fn indices(table: &Table) -> Result<()> {
    let (n, radius) = (2048, 8);
    let data = bits(n * n);
    let tap = |i: usize, k: i64| data[i / n * n + mirror((i % n) as isize + k as isize, n)];
    let want: Vec<f32> = (0..n * n).map(|i| (-radius..=radius).map(|k| tap(i, k)).sum()).collect();
    let (x, y) = (Array::from_slice(&[n, n], &data)?, Array::filled(&[n, n], -1.0_f32)?);
    let check = || same("taps", &y, &want);
    table.rows(
        "P-017, 1.3",
        "17 taps along rows of 2048x2048",
        &mut [
            ("int indices", &mut || program::by_integers(&x, &y, radius as i32), &check),
            ("scalar indices", &mut || program::by_scalars(&x, &y, radius as i32), &check),
        ],
    )
}

fn functions(table: &Table) -> Result<()> {
    let (n, rounds) = (2048, 64);
    let data = bits(n * n);
    let iterated = |x: f32| (0..rounds).fold(x, |v, _| 0.25 * v + 1.0);
    let want: Vec<f32> = data.iter().map(|&x| iterated(x)).collect();
    let (x, y) = (Array::from_slice(&[n, n], &data)?, Array::filled(&[n, n], -1.0_f32)?);
    let check = || same("iterated", &y, &want);
    table.rows(
        "P-019, 2",
        "a function applied 64 times to 2048x2048",
        &mut [
            ("function known", &mut || program::known_function(&x, &y, rounds), &check),
            ("one of four, chosen by the host", &mut || program::chosen_function(&x, &y, rounds, 0), &check),
        ],
    )
}

fn specialisation(table: &Table) -> Result<()> {
    let n = 2048;
    let data = bits(n * n);
    let tap = |i: usize, k: i64| data[i / n * n + mirror((i % n) as isize + k as isize, n)];
    let want: Vec<f32> = (0..n * n).map(|i| tap(i, -1) + 2.0 * tap(i, 0) + tap(i, 1)).collect();
    let (x, y) = (Array::from_slice(&[n, n], &data)?, Array::filled(&[n, n], -1.0_f32)?);
    let (weights, direction) =
        (Array::from_slice(&[3], &[1.0_f32, 2.0, 1.0])?, Array::from_slice(&[2], &[0, 1])?);
    let check = || same("filtered", &y, &want);
    table.rows(
        "P-013, 2",
        "filter of three weights, 2048x2048",
        &mut [
            ("weights and direction written out", &mut || program::filter_special(&x, &y), &check),
            ("given at run time", &mut || program::filter_general(&x, &y, &weights, &direction), &check),
        ],
    )
}

fn constants(table: &Table) -> Result<()> {
    let (n, taps) = (2048, 32);
    let (data, weights) = (bits(n * n), bits(taps));
    let tap = |i: usize, k: usize| if i % n + k < n { weights[k] * data[i + k] } else { 0.0 };
    let want: Vec<f32> = (0..n * n).map(|i| (0..taps).map(|k| tap(i, k)).sum()).collect();
    let (x, y) = (Array::from_slice(&[n, n], &data)?, Array::filled(&[n, n], -1.0_f32)?);
    let f = Array::from_slice(&[taps], &weights)?;
    let check = || same("filtered", &y, &want);
    table.rows(
        "P-006, 3.9; P-007, 4",
        "32 taps, 2048x2048",
        &mut [
            ("weights in ordinary memory", &mut || program::filter_of_global(&x, &y, &f), &check),
            ("weights 'hwconst", &mut || program::filter_of_constant(&x, &y, &f), &check),
            ("weights and image 'hwtex_const", &mut || program::filter_of_read_only(&x, &y, &f), &check),
            (
                "weights 'hwconst, image 'hwtex_nearest",
                &mut || program::filter_of_texture(&x, &y, &f),
                &check,
            ),
        ],
    )?;
    let (points, centres) = (1 << 22, 256);
    let (p, c) = (pixels(3 * points), pixels(3 * centres));
    let distance = |i: usize, k: usize| (0..3).map(|d| (p[3 * i + d] - c[3 * k + d]).powi(2)).sum::<f32>();
    let nearest =
        |i| (1..centres).fold(0, |best, k| if distance(i, k) < distance(i, best) { k } else { best });
    let labels = Array::filled(&[points], -1_i32)?;
    let check = || {
        let found = labels.read();
        (0..points).step_by(997).for_each(|i| assert_eq!(found[i], nearest(i) as i32, "label of point {i}"));
    };
    let (p, c) = (Array::from_slice(&[points, 3], &p)?, Array::from_slice(&[centres, 3], &c)?);
    table.rows(
        "P-007, 4",
        "nearest of 256 centres, 2^22 points",
        &mut [
            ("centres in ordinary memory", &mut || program::assign_by_global(&p, &c, &labels), &check),
            ("centres 'hwconst", &mut || program::assign_by_constant(&p, &c, &labels), &check),
        ],
    )
}

fn textures(table: &Table) -> Result<()> {
    let n = 512;
    let data = bits(3 * n * n);
    let element = |m: usize, k: usize, e: usize| {
        let inside = (1..=n).contains(&m) && (1..=n).contains(&k);
        if inside { data[((m - 1) * n + k - 1) * 3 + e] } else { 0.0 }
    };
    let sum = |m: usize, k: usize, e: usize| (0..9).map(|i| element(m + i / 3, k + i % 3, e)).sum();
    let want: Vec<f32> = (0..3 * n * n).map(|i| sum(i / 3 / n, i / 3 % n, i % 3)).collect();
    let (x, y) = (Array::from_slice(&[n, n, 3], &data)?, Array::filled(&[n, n, 3], -1.0_f32)?);
    let check = || same("colours", &y, &want);
    table.rows(
        "P-008, 2.2",
        "3x3 of colours, 512x512",
        &mut [
            ("in ordinary memory", &mut || program::colours(&x, &y), &check),
            ("'hwtex_nearest(4)", &mut || program::colours_by_texture(&x, &y), &check),
        ],
    )?;
    let n = 4096;
    let (c, s) = (0.1_f32.cos(), 0.1_f32.sin());
    let data = pixels(n * n);
    let at = |m: i64, k: i64| data[m.clamp(0, n as i64 - 1) as usize * n + k.clamp(0, n as i64 - 1) as usize];
    let turned = |i: usize, k: usize| {
        let (p, q) = (c * i as f32 - s * k as f32, s * i as f32 + c * k as f32);
        let (m, n) = (p.floor() as i64, q.floor() as i64);
        let (a, b) = (p - p.floor(), q - q.floor());
        let row = |m: i64| (1.0 - b) * at(m, n) + b * at(m, n + 1);
        (1.0 - a) * row(m) + a * row(m + 1)
    };
    let (x, y) = (Array::from_slice(&[n, n], &data)?, Array::filled(&[n, n], -1.0_f32)?);
    let check = || {
        let y = y.read();
        for i in (0..n * n).step_by(997) {
            // A fused multiply-add changes a coordinate by a rounding error, an element by that times its slope.
            let want = turned(i / n, i % n);
            assert!((y[i] - want).abs() < 0.25, "turned: {}, not {want} at {i}", y[i]);
        }
    };
    table.rows(
        "textures",
        "bilinear interpolation, 4096x4096 turned",
        &mut [
            ("written out", &mut || program::turn(&x, &y, c, s), &check),
            ("'hwtex_linear", &mut || program::turn_texture(&x, &y, c, s), &check),
        ],
    )
}

fn launches(table: &Table) -> Result<()> {
    let (n, rounds) = (256, 32);
    let start: Vec<f32> = bits(n * n);
    let (x, y) = (Array::from_slice(&[n, n], &start)?, Array::filled(&[n, n], -1.0_f32)?);
    // Both variants converge to the same fixed point.
    let check = || assert!(x.read().iter().all(|v| (v - 2.0).abs() < 1e-5), "chain");
    let mut run = |concurrent: &str| {
        context::set("RUNTIME_CONCURRENT", concurrent)?;
        program::chain(&x, &y, rounds)
    };
    let run = std::cell::RefCell::new(&mut run);
    table.rows(
        "P-014, 1.1 to 1.3",
        "64 launches over 256x256",
        &mut [
            ("launches return at once", &mut || run.borrow_mut()("True"), &check),
            ("each launch is waited for", &mut || run.borrow_mut()("False"), &check),
        ],
    )?;
    context::set("RUNTIME_CONCURRENT", "True")
}
