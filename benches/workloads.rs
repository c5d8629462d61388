//! Ordinary programs in several spellings, on the active device: `QUASAR_DEVICE=cuda cargo bench --bench workloads [FILTER]`.
//!
//! Nobody tuned for them: they are what users write first. Prints the rows of a table: the milliseconds of a call, as in `gpu`;
//! those of the first call, with an empty cache mostly the compiler's; launches and megabytes copied between host and
//! device in a call; and how far the result is from that of the processor, relative to its largest number.

#[allow(dead_code, reason = "other benches use the rest")]
mod common;

use common::{burst, filter};
use quasar::device::Traffic;
use quasar::device::select::{active_device, with_device};
use quasar::{Array, Element, Result, context};
use std::time::Instant;

macro_rules! programs {
    ($($name:ident $file:literal),*) => { $(mod $name { quasar::quasar_file!(#![quiet] $file); })* };
}

programs!(
    bilateral "benches/workloads/bilateral.q",
    blackscholes "benches/workloads/blackscholes.q",
    blocks "benches/workloads/blocks.q",
    chains "benches/workloads/chains.q",
    colour "benches/workloads/colour.q",
    conv "benches/workloads/conv.q",
    counting "benches/workloads/counting.q",
    gathers "benches/workloads/gathers.q",
    harris "benches/workloads/harris.q",
    integral "benches/workloads/integral.q",
    jacobi "benches/workloads/jacobi.q",
    library "benches/workloads/library.q",
    mandelbrot "benches/workloads/mandelbrot.q",
    matmul "benches/workloads/matmul.q",
    nbody "benches/workloads/nbody.q",
    order "benches/workloads/order.q",
    pyramid "benches/workloads/pyramid.q",
    resize "benches/workloads/resize.q",
    row_slices "benches/workloads/row_slices.q",
    rows "benches/workloads/rows.q",
    sobel "benches/workloads/sobel.q",
    windows "benches/workloads/windows.q"
);

struct Bench {
    filter: String,
    /// Differences beyond these were found.
    wrong: Vec<String>,
}

/// The largest difference of a result from that of the processor, relative to its largest number, that rounding explains.
const TOLERANCE: f64 = 2e-4;
/// As `TOLERANCE`, where a rounded bit decides how often a loop has iterations.
const ANY: f64 = 1.0;

impl Bench {
    /// Measures a function of arrays.
    fn run<T: Element + Into<f64>>(
        &mut self,
        name: &str,
        call: impl FnMut() -> Result<Array<T>>,
    ) -> Result<()> {
        self.run_within(TOLERANCE, name, call)
    }

    /// Measures a function of arrays whose results may differ so much.
    fn run_within<T: Element + Into<f64>>(
        &mut self,
        tolerance: f64,
        name: &str,
        mut call: impl FnMut() -> Result<Array<T>>,
    ) -> Result<()> {
        if !name.contains(&self.filter) {
            return Ok(());
        }
        let start = Instant::now();
        let result = call()?;
        context::synchronize()?;
        let first = start.elapsed().as_secs_f64() * 1e3;
        let before = traffic();
        drop(call()?);
        let moved = traffic().since(&before);
        let time = burst(&mut || call().map(drop))?;
        let expected = with_device(None, &mut call)?;
        let apart = difference(&result, &expected);
        let copied = (moved.uploaded_bytes + moved.downloaded_bytes) as f64 / 1e6;
        println!("| {name} | {time:.4} | {first:.0} | {} | {copied:.1} | {apart:.0e} |", moved.launches);
        if apart.is_nan() || apart > tolerance {
            self.wrong.push(name.to_owned());
        }
        Ok(())
    }

    /// Measures a function that changes arrays: `result` gives them as they are afterwards.
    fn change(
        &mut self,
        name: &str,
        make: impl Fn() -> Result<Vec<Array<f32>>>,
        call: impl Fn(&[Array<f32>]) -> Result<()>,
    ) -> Result<()> {
        if !name.contains(&self.filter) {
            return Ok(());
        }
        let arrays = make()?;
        let start = Instant::now();
        call(&arrays)?;
        context::synchronize()?;
        let first = start.elapsed().as_secs_f64() * 1e3;
        let expected = make()?;
        with_device(None, || call(&expected))?;
        let apart = arrays.iter().zip(&expected).map(|(a, b)| difference(a, b)).fold(0.0, f64::max);
        call(&arrays)?;
        let before = traffic();
        call(&arrays)?;
        let moved = traffic().since(&before);
        let time = burst(&mut || call(&arrays))?;
        let copied = (moved.uploaded_bytes + moved.downloaded_bytes) as f64 / 1e6;
        println!("| {name} | {time:.4} | {first:.0} | {} | {copied:.1} | {apart:.0e} |", moved.launches);
        if apart.is_nan() || apart > TOLERANCE {
            self.wrong.push(name.to_owned());
        }
        Ok(())
    }
}

fn traffic() -> Traffic {
    active_device().map(|device| device.counters().now()).unwrap_or_default()
}

/// The largest difference of two arrays, relative to the largest number.
fn difference<T: Element + Into<f64>>(a: &Array<T>, b: &Array<T>) -> f64 {
    if a.dims() != b.dims() {
        return f64::NAN;
    }
    let (a, b) = (a.read(), b.read());
    let (mut most, mut scale) = (0.0_f64, f64::MIN_POSITIVE);
    for (&a, &b) in a.iter().zip(b.iter()) {
        let (a, b): (f64, f64) = (a.into(), b.into());
        if a.is_nan() || b.is_nan() {
            return f64::NAN;
        }
        most = most.max((a - b).abs());
        scale = scale.max(b.abs());
    }
    most / scale
}

/// Pseudo-random numbers in an interval, the same in every run.
fn numbers(dims: &[usize], seed: u32, low: f32, high: f32) -> Result<Array<f32>> {
    let mut state = seed.wrapping_mul(2_654_435_761) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        low + (state >> 8) as f32 * ((high - low) / (1 << 24) as f32)
    };
    Array::from_vec(dims, (0..dims.iter().product()).map(|_| next()).collect())
}

fn main() -> Result<()> {
    let mut bench = Bench { filter: filter(), wrong: Vec::new() };
    match active_device() {
        Some(device) => println!("{}", device.name()),
        None => println!("no device: everything runs on the processor"),
    }
    println!("| task | ms | first, ms | launches | copied, MB | difference |\n|---|---|---|---|---|---|");
    products(&mut bench)?;
    particles(&mut bench)?;
    images(&mut bench)?;
    large_images(&mut bench)?;
    arrays(&mut bench)?;
    blocks(&mut bench)?;
    counts(&mut bench)?;
    gathers(&mut bench)?;
    in_order(&mut bench)?;
    if bench.wrong.is_empty() {
        return Ok(());
    }
    println!("wrong: {}", bench.wrong.join(", "));
    std::process::exit(1)
}

fn products(bench: &mut Bench) -> Result<()> {
    let (a, b) = (numbers(&[1024, 1024], 1, -1.0, 1.0)?, numbers(&[1024, 1024], 2, -1.0, 1.0)?);
    bench.run("matmul *", || matmul::matmul_star(&a, &b))?;
    bench.run("matmul ijk", || matmul::matmul_loops(&a, &b))?;
    bench.run("matmul ikj", || matmul::matmul_ikj(&a, &b))?;
    bench.run("matmul kernel", || matmul::matmul_kernel(&a, &b))?;
    let (x, w, bias) = (
        numbers(&[64, 56, 56], 3, -1.0, 1.0)?,
        numbers(&[64, 64, 3, 3], 4, -0.1, 0.1)?,
        numbers(&[64], 5, -1.0, 1.0)?,
    );
    bench.run("convolution chw", || conv::conv_chw(&x, &w, &bias))?;
    let (x, w) = (numbers(&[56, 56, 64], 3, -1.0, 1.0)?, numbers(&[3, 3, 64, 64], 4, -0.1, 0.1)?);
    bench.run("convolution hwc", || conv::conv_hwc(&x, &w, &bias))
}

fn particles(bench: &mut Bench) -> Result<()> {
    for n in [1024, 4096, 16384] {
        let mass = numbers(&[n], 7, 0.5, 1.5)?;
        let make = || Ok(vec![numbers(&[n, 3], 6, -2.0, 2.0)?, numbers(&[n, 3], 8, -0.1, 0.1)?]);
        bench.change(&format!("n-body n x 3, {n}"), make, |a| nbody::nbody(&a[0], &a[1], &mass, 1e-6))?;
        let make = || (0..6).map(|k| numbers(&[n], 10 + k, -2.0, 2.0)).collect();
        bench.change(&format!("n-body vectors, {n}"), make, |a| {
            nbody::nbody_soa(&a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &mass, 1e-6)
        })?;
    }
    let n = 10_000_000;
    let (s, k, t) =
        (numbers(&[n], 1, 10.0, 100.0)?, numbers(&[n], 2, 10.0, 100.0)?, numbers(&[n], 3, 0.1, 2.0)?);
    bench.run("black-scholes arrays", || Ok(blackscholes::black_scholes(&s, &k, &t, 0.02, 0.3)?.1))?;
    bench.run("black-scholes loop", || Ok(blackscholes::black_scholes_loop(&s, &k, &t, 0.02, 0.3)?.1))
}

fn images(bench: &mut Bench) -> Result<()> {
    let x = numbers(&[1024, 1024], 1, 0.0, 255.0)?;
    let make = || Ok(vec![x.copy()?, x.copy()?]);
    bench.change("jacobi loops", make, |a| jacobi::jacobi_loops(&a[0], &a[1], 50))?;
    bench.change("jacobi slices", make, |a| jacobi::jacobi_slices(&a[0], &a[1], 50))?;
    bench.run("heat", || jacobi::heat(&x, 50))?;
    bench.run("bilateral", || bilateral::bilateral(&x, 5, 3.0, 30.0))?;
    bench.run("bilateral table", || bilateral::bilateral_table(&x, 5, 3.0, 30.0))?;
    bench.run_within(ANY, "mandelbrot", || mandelbrot::mandelbrot(2048, 2048, 100))?;
    let x = numbers(&[2048, 2048], 2, 0.0, 255.0)?;
    bench.run("harris loops", || harris::harris(&x, 0.04))?;
    bench.run("harris steps", || harris::harris_steps(&x, 0.04))?;
    let w = numbers(&[7, 7], 3, 0.0, 0.04)?;
    bench.run("filter 7x7", || windows::filter_7(&x, &w))?;
    bench.run("filter into", || windows::filter_into(&x, &w))?;
    bench.run("box any", || windows::box_any(&x, 3))
}

fn large_images(bench: &mut Bench) -> Result<()> {
    let x = numbers(&[4096, 4096], 1, 0.0, 255.0)?;
    bench.run("sobel", || sobel::sobel(&x, 60.0))?;
    bench.run("pyramid 5x5", || pyramid::down(&x))?;
    bench.run("pyramid separable", || pyramid::down_separable(&x))?;
    bench.run("haar loop", || pyramid::haar(&x))?;
    bench.run("haar slices", || pyramid::haar_slices(&x))?;
    bench.run("haar back", || pyramid::unhaar(&x))?;
    bench.run("halves", || pyramid::halves(&x))?;
    bench.run("both", || pyramid::both(&x))?;
    let small = numbers(&[2048, 2048], 1, 0.0, 255.0)?;
    bench.run("larger", || pyramid::larger(&small))?;
    bench.run("resize bilinear", || resize::bilinear(&x, 1500, 1500))?;
    bench.run("resize bicubic", || resize::bicubic(&x, 1500, 1500))?;
    let bits = numbers(&[4096, 4096], 4, 0.0, 1.0)?;
    bench.run("integral library", || integral::integral_library(&bits))?;
    bench.run("integral loops", || integral::integral_loops(&bits))?;
    bench.run("integral rows", || integral::integral_rows(&bits))?;
    let rgb = numbers(&[4096, 4096, 3], 5, 0.0, 1.0)?;
    bench.run("ycbcr", || colour::ycbcr(&rgb))?;
    bench.run("gray slices", || colour::gray(&rgb))?;
    bench.run("gray loop", || colour::gray_loop(&rgb))
}

fn arrays(bench: &mut Bench) -> Result<()> {
    let x = numbers(&[4096, 4096], 1, 0.0, 255.0)?;
    let v = numbers(&[4096], 2, -1.0, 1.0)?;
    let one = |value: f32| Array::from_vec(&[1], vec![value]);
    bench.run("sum", || one(library::sum_all(&x)?))?;
    bench.run("mean", || one(library::mean_all(&x)?))?;
    bench.run("std", || one(library::std_all(&x)?))?;
    bench.run("sum(x, 0)", || library::sum_rows(&x))?;
    bench.run("row sums", || rows::row_sums(&x))?;
    bench.run("column sums", || rows::column_sums(&x))?;
    bench.run("matrix by vector", || rows::gemv(&x, &v))?;
    bench.run("transpose", || library::turned(&x))?;
    bench.run("every second", || library::every_second(&x))?;
    bench.run("flip", || library::flipped(&x))?;
    bench.run("circshift", || library::shifted(&x))?;
    bench.run("x[x > 100]", || library::masked(&x))?;
    bench.run("s[s > 200] = 200", || library::clipped(&x))?;
    bench.run("arithmetic", || library::arithmetic(&x))?;
    let x = numbers(&[4_000_000], 3, -1.0, 1.0)?;
    bench.run("sort", || rows::sorted(&x))?;
    bench.run("v[v > 0.5]", || row_slices::chosen(&x))?;
    slices_in_loops(bench)?;
    chains(bench)
}

fn chains(bench: &mut Bench) -> Result<()> {
    let x = numbers(&[4096, 4096], 1, 0.0, 1.0)?;
    let y = numbers(&[4096, 4096], 2, 0.0, 1.0)?;
    let z = numbers(&[4096, 4096], 3, 0.0, 1.0)?;
    bench.run("polar", || Ok(chains::polar(&x, &y)?.1))?;
    bench.run("gray-scott", || Ok(chains::gray_scott(&x, &y, 0.04, 0.06)?.1))?;
    bench.run("swish", || chains::swish(&x))?;
    bench.run("adam", || Ok(chains::adam(&x, &y, &z, &y)?.0))?;
    let one = |value: f32| Array::from_vec(&[1], vec![value]);
    bench.run("moments", || one(chains::moments(&x)?.1))?;
    bench.run("relu and its sum", || Ok(chains::relu_sum(&x)?.0))?;
    bench.run("sums and differences of halves", || chains::split(&x))?;
    bench.run("clamped by two masks", || chains::clamp_twice(&x))
}

fn slices_in_loops(bench: &mut Bench) -> Result<()> {
    let (x, few) = (numbers(&[100_000, 64], 1, 0.0, 1.0)?, numbers(&[16, 64], 2, 0.0, 1.0)?);
    bench.run("softmax by row slices", || row_slices::softmax(&x))?;
    bench.run("columns by slices", || row_slices::standardised(&x))?;
    bench.run("columns by arrays", || row_slices::standardised_arrays(&x))?;
    bench.run("distances by row slices", || row_slices::distances(&x, &few))?;
    let x = numbers(&[4096, 4096], 3, 0.0, 1.0)?;
    bench.run("columns of large slices", || row_slices::standardised(&x))?;
    bench.run("horzcat", || row_slices::joined(&x))
}

fn blocks(bench: &mut Bench) -> Result<()> {
    let x = numbers(&[2048, 2048], 1, 0.0, 255.0)?;
    let cosines = |k: usize, n: usize| {
        let scale = if k == 0 { 0.125_f64.sqrt() } else { 0.5 };
        (scale * (std::f64::consts::PI * (2 * n + 1) as f64 * k as f64 / 16.0).cos()) as f32
    };
    let c = Array::from_vec(&[8, 8], (0..64).map(|i| cosines(i / 8, i % 8)).collect())?;
    bench.run("cosine transform 8x8", || blocks::dct_blocks(&x, &c))?;
    bench.run("parabola", || blocks::parabola(&x))?;
    bench.run_within(ANY, "orientation", || blocks::orientation(&x))?;
    bench.run("structure", || blocks::structure(&x))
}

fn counts(bench: &mut Bench) -> Result<()> {
    let x = numbers(&[2048, 2048, 3], 1, 0.0, 255.0)?;
    bench.run("count channels", || counting::count_channels(&x))?;
    let x = numbers(&[3, 2048, 2048], 1, 0.0, 255.0)?;
    bench.run("count planes", || counting::count_planes(&x))?;
    let (x, y) = (numbers(&[4096, 4096], 2, 0.0, 255.0)?, numbers(&[4096, 4096], 3, 0.0, 255.0)?);
    bench.run("count gray", || counting::count_gray(&x))?;
    bench.run("count pairs", || counting::joint(&x, &y))
}

fn gathers(bench: &mut Bench) -> Result<()> {
    let (x, u) = (numbers(&[2048, 2048], 1, 0.0, 255.0)?, numbers(&[2048, 2048], 2, -3.0, 3.0)?);
    let v = numbers(&[2048, 2048], 3, -3.0, 3.0)?;
    bench.run("warp", || gathers::warp(&x, &u, &v))?;
    let a = numbers(&[200_000, 16], 4, -1.0, 1.0)?;
    let at = numbers(&[200_000, 16], 5, 0.0, 1e5)?.read().iter().map(|&at| at as i32).collect();
    let (at, by) = (Array::from_vec(&[200_000, 16], at)?, numbers(&[100_000], 6, -1.0, 1.0)?);
    bench.run("sparse by vector", || gathers::sparse(&a, &at, &by))?;
    let table = numbers(&[256], 7, 0.0, 1.0)?;
    bench.run("through table", || gathers::through_table(&x, &table))?;
    bench.run("collatz", || gathers::collatz(1_000_000))?;
    bench.run_within(2e-3, "newton", || gathers::roots(&x))
}

fn in_order(bench: &mut Bench) -> Result<()> {
    let word = |seed| {
        Array::from_vec(&[4000], numbers(&[4000], seed, 0.0, 4.0)?.read().iter().map(|&x| x as i32).collect())
    };
    let (a, b) = (word(1)?, word(2)?);
    let one = |value: i32| Array::from_vec(&[1], vec![value]);
    bench.run("levenshtein", || one(order::levenshtein(&a, &b)?))?;
    bench.run("levenshtein table", || one(order::levenshtein_table(&a, &b)?))?;
    let x = numbers(&[2048, 2048], 1, 0.0, 255.0)?;
    bench.run("dither", || order::dither(&x))?;
    let (a, b) = (numbers(&[4096, 4096], 2, -1e-3, 1e-3)?, numbers(&[4096], 3, -1.0, 1.0)?);
    (0..4096).try_for_each(|i| a.set(&[i, i], 1.5))?;
    bench.run("triangular", || order::forward(&a, &b))?;
    let w = numbers(&[512, 512], 4, 1.0, 100.0)?;
    bench.run("shortest paths", || order::paths(&w))
}
