//! One GPU and several of one host: `cargo bench --bench multi`. Without two CUDA devices it says so and ends.
//!
//! Each row runs on the first device and on all. Times are from the first launch until all devices are idle, medians of
//! several rounds; results of one and of several GPUs are compared, with `--small` also with the processor's.
//!
//! ```text
//! multi --list          names of the rows
//! multi heat box        rows whose names contain one of the words
//! multi --small         small arrays and few rounds, for tools that watch each access
//! multi --traffic       what each device launched and copied in a round
//! multi --opencl        OpenCL devices (with PoCL: POCL_DEVICES="pthread pthread" are two)
//! ```

use num_complex::Complex;
use quasar::{Array, Result, context};
use quasar_runtime::array::coherence::Access;
use quasar_runtime::device::{Device, Traffic, select};
use std::sync::Arc;
use std::time::Instant;

mod program {
    quasar::quasar_file!("benches/multi.q");
}

/// What the command line says.
struct Options {
    list: bool,
    small: bool,
    traffic: bool,
    opencl: bool,
    words: Vec<String>,
}

impl Options {
    fn read() -> Options {
        let mut options =
            Options { list: false, small: false, traffic: false, opencl: false, words: Vec::new() };
        for arg in std::env::args().skip(1) {
            match arg.as_str() {
                "--list" => options.list = true,
                "--small" => options.small = true,
                "--traffic" => options.traffic = true,
                "--opencl" => options.opencl = true,
                // `cargo bench` passes flags of its own.
                flag if flag.starts_with('-') => {}
                word => options.words.push(word.to_owned()),
            }
        }
        options
    }

    fn takes(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| name.contains(word.as_str()))
    }

    /// A size, or the small one.
    fn size(&self, large: usize, small: usize) -> usize {
        if self.small { small } else { large }
    }

    fn rounds(&self) -> usize {
        self.size(15, 3)
    }
}

/// Bytes from 0 to 255, pseudo-random, different for each number.
fn bytes(count: usize, number: usize) -> Vec<u8> {
    let mut state = 1 + number as u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..count).map(|_| next()).collect()
}

fn numbers(count: usize, number: usize) -> Vec<f32> {
    bytes(count, number).into_iter().map(f32::from).collect()
}

fn image(side: usize, number: usize) -> Result<Array<f32>> {
    Array::from_vec(&[side, side], numbers(side * side, number))
}

/// A row of the table.
struct Row<P, W, F> {
    name: &'static str,
    /// How far results may be from each other, relative to the largest; 0 for the same bits.
    tolerance: f32,
    prepare: P,
    work: W,
    results: F,
}

fn row<T, P, W, F>(name: &'static str, tolerance: f32, prepare: P, work: W, results: F) -> Row<P, W, F>
where
    P: Fn() -> Result<T>,
    W: Fn(&T) -> Result<()>,
    F: Fn(&T) -> Vec<Vec<f32>>,
{
    Row { name, tolerance, prepare, work, results }
}

/// The measurement of a row on one engine.
struct Outcome {
    median: f64,
    results: Vec<Vec<f32>>,
    /// The counters of each device over all timed rounds.
    traffic: Vec<Traffic>,
}

impl<P, W, F, T> Row<P, W, F>
where
    P: Fn() -> Result<T>,
    W: Fn(&T) -> Result<()>,
    F: Fn(&T) -> Vec<Vec<f32>>,
{
    /// Measures on some devices; without any, on the processor.
    fn measure(&self, devices: &[Arc<dyn Device>], rounds: usize) -> Result<Outcome> {
        context::with_devices(devices.to_vec(), || self.measure_here(devices, rounds))
    }

    fn measure_here(&self, devices: &[Arc<dyn Device>], rounds: usize) -> Result<Outcome> {
        let kept = (self.prepare)()?;
        // Compiles kernels, allocates memory, and brings arrays to where they stay.
        let warm_up = 2;
        let mut times = Vec::new();
        let mut before = Vec::new();
        for round in 0..warm_up + rounds {
            if round == warm_up {
                before = devices.iter().map(|device| device.counters().now()).collect();
            }
            let start = Instant::now();
            context::batch(|| (self.work)(&kept))?;
            devices.iter().try_for_each(|device| device.synchronize())?;
            if round >= warm_up {
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
        times.sort_by(f64::total_cmp);
        let traffic = devices.iter().zip(&before).map(|(d, before)| d.counters().now().since(before));
        let traffic = traffic.collect();
        Ok(Outcome { median: times[rounds / 2], results: (self.results)(&kept), traffic })
    }

    /// Measures one GPU and all, compares and prints.
    fn run(&self, options: &Options, devices: &[Arc<dyn Device>]) -> Result<()> {
        if options.list {
            println!("{}", self.name);
        }
        if options.list || !options.takes(self.name) {
            return Ok(());
        }
        let rounds = options.rounds();
        let (one, all) = (self.measure(&devices[..1], rounds)?, self.measure(devices, rounds)?);
        let mut checked = compare(&one.results, &all.results, self.tolerance);
        if options.small {
            let cpu = self.measure(&[], rounds)?;
            let same = compare(&cpu.results, &all.results, self.tolerance.max(1e-4));
            checked = format!("{checked}; processor: {same}");
        }
        let ratio = one.median / all.median;
        println!("{:44} {:10.3} {:10.3} {ratio:8.2}   {checked}", self.name, one.median, all.median);
        if options.traffic {
            print_traffic("one", &one.traffic, rounds);
            print_traffic("all", &all.traffic, rounds);
        }
        Ok(())
    }
}

fn print_traffic(engine: &str, traffic: &[Traffic], rounds: usize) {
    for (k, t) in traffic.iter().enumerate() {
        let per = |n: u64| n as f64 / rounds as f64;
        println!(
            "    {engine} {k}: {:.1} launches, {:.1} uploads, {:.1} downloads, {:.1} copies from devices of {:.0} bytes in all, {:.1} evictions",
            per(t.launches),
            per(t.uploads),
            per(t.downloads),
            per(t.peer_copies),
            per(t.peer_bytes),
            per(t.evictions)
        );
    }
}

/// Whether results are the same, in words.
fn compare(one: &[Vec<f32>], all: &[Vec<f32>], tolerance: f32) -> String {
    let (mut farthest, mut largest, mut count) = (0.0_f32, 0.0_f32, 0);
    for (a, b) in one.iter().zip(all) {
        if a.len() != b.len() {
            return "WRONG SIZE".to_owned();
        }
        for (a, b) in a.iter().zip(b) {
            let distance = if a.to_bits() == b.to_bits() { 0.0 } else { (a - b).abs() };
            farthest = if distance <= farthest { farthest } else { distance };
            largest = largest.max(a.abs());
        }
        count += a.len();
    }
    let relative = if farthest == 0.0 { 0.0 } else { farthest / largest };
    match relative {
        _ if one.len() != all.len() || count == 0 => "NO RESULTS".to_owned(),
        0.0 => format!("{count} results equal"),
        off if off <= tolerance => format!("{count} results within {off:.1e}"),
        off => format!("WRONG: off by {off:.1e}"),
    }
}

fn main() -> Result<()> {
    let options = Options::read();
    let devices = if options.list { Vec::new() } else { devices(&options) };
    if devices.len() < 2 && !options.list {
        return Ok(());
    }
    if !options.list {
        println!("{:44} {:>10} {:>10} {:>8}   results", "", "1 GPU, ms", "all, ms", "speed-up");
    }
    for rows in [images, filters, heat, sums, kmeans, spectra] {
        rows(&options, &devices)?;
    }
    Ok(())
}

/// The devices, and how fast they exchange arrays, where that is asked for or nothing in particular is.
fn devices(options: &Options) -> Vec<Arc<dyn Device>> {
    let found = if options.opencl { select::opencl() } else { select::cuda() };
    let devices = match found {
        Ok(devices) => devices,
        Err(reason) => {
            println!("{reason}");
            return Vec::new();
        }
    };
    println!("{} devices, {}", devices.len(), devices[0].name());
    if let [first, second, ..] = &devices[..]
        && !options.small
        && options.takes("exchange")
        && let Err(error) = exchange(first, second)
    {
        println!("exchange: {error}");
    }
    devices
}

/// An array that two devices write alternately.
fn exchange(first: &Arc<dyn Device>, second: &Arc<dyn Device>) -> Result<()> {
    const COPIES: usize = 20;
    for kilobytes in [64, 1 << 10, 256 << 10] {
        let x = Array::filled(&[kilobytes << 8], 1.0_f32)?;
        let mut time = 0.0;
        // The first iteration allocates memory.
        for _ in 0..2 {
            let start = Instant::now();
            for k in 0..COPIES {
                drop(x.on_device([first, second][k % 2], Access::Write)?);
            }
            first.synchronize()?;
            second.synchronize()?;
            time = start.elapsed().as_secs_f64() / COPIES as f64;
        }
        let rate = kilobytes as f64 / f64::from(1 << 20) / time;
        println!("{kilobytes} KB from GPU to GPU: {:.1} us, {rate:.1} GB/s", time * 1e6);
    }
    println!("the two reach each other: {}", second.reaches(&**first) && first.reaches(&**second));
    Ok(())
}

/// Independent images, each through four filters.
fn images(options: &Options, devices: &[Arc<dyn Device>]) -> Result<()> {
    /// An image, and what became of it.
    type Developed = (Array<f32>, std::cell::RefCell<Option<Array<f32>>>);
    let side = options.size(2048, 96);
    let run = |pairs: &Vec<Developed>| {
        pairs.iter().try_for_each(|(x, y)| {
            *y.borrow_mut() = Some(program::develop(x)?);
            Ok(())
        })
    };
    let row = row(
        "16 images, four filters each",
        0.0,
        || (0..16).map(|k| Ok((image(side, k)?, std::cell::RefCell::default()))).collect(),
        run,
        |pairs: &Vec<Developed>| {
            pairs.iter().filter_map(|(_, y)| y.borrow().as_ref().map(Array::to_vec)).collect()
        },
    );
    row.run(options, devices)
}

/// Launches that all devices share.
fn filters(options: &Options, devices: &[Arc<dyn Device>]) -> Result<()> {
    type Pair = (Array<f32>, Array<f32>);
    let side = options.size(16384, 160);
    let pair = || Ok((image(side, 0)?, Array::<f32>::zeros(&[side, side])?));
    let second = |(_, y): &Pair| vec![y.to_vec()];
    let each = |name, work: fn(&Pair) -> Result<()>| row(name, 0.0, pair, work, second).run(options, devices);
    each("gamma", |(x, y)| program::gamma(x, y, 0.8))?;
    each("box 3x3", |(x, y)| program::box_mean(x, y))?;
    each("max 11x11", |(x, y)| program::largest(x, y))?;
    let taps: Vec<f32> = (0..31).map(|k| (-0.02 * ((k - 15) * (k - 15)) as f32).exp() / 12.5).collect();
    let row = row(
        "gauss 31",
        0.0,
        || {
            let taps = Array::from_slice(&[31], &taps)?;
            Ok((image(side, 0)?, Array::zeros(&[side, side])?, Array::zeros(&[side, side])?, taps))
        },
        |(x, t, y, taps)| program::gauss(x, t, y, taps),
        |(_, _, y, _): &(Array<f32>, Array<f32>, Array<f32>, Array<f32>)| vec![y.to_vec()],
    );
    row.run(options, devices)
}

fn heat(options: &Options, devices: &[Arc<dyn Device>]) -> Result<()> {
    let side = options.size(16384, 160);
    let row = row(
        "heat, 5 points, 100 steps",
        0.0,
        || Ok((image(side, 0)?, Array::<f32>::zeros(&[side, side])?)),
        |(x, y)| program::heat(x, y, 50),
        |(x, _): &(Array<f32>, Array<f32>)| vec![x.to_vec()],
    );
    row.run(options, devices)
}

fn sums(options: &Options, devices: &[Arc<dyn Device>]) -> Result<()> {
    // What a launch costs besides shows beside the small one.
    for (name, rows) in [("sum of 2^28 elements", 16384), ("sum of 2^30 elements", 65536)] {
        let dims = [options.size(rows, 160), options.size(16384, 200)];
        let sum = row(
            name,
            1e-5,
            || {
                let x = Array::from_vec(&dims, numbers(dims[0] * dims[1], 0))?;
                Ok((x, std::cell::Cell::new(0.0)))
            },
            |(x, sum)| program::total(x).map(|found| sum.set(found)),
            |(_, sum): &(Array<f32>, std::cell::Cell<f32>)| vec![vec![sum.get()]],
        );
        sum.run(options, devices)?;
    }
    for (name, rows) in [("histogram of 2^28 bytes", 16384), ("histogram of 2^31 bytes", 131_072)] {
        let dims = [options.size(rows, 160), options.size(16384, 200)];
        let histogram = row(
            name,
            0.0,
            || {
                let x = Array::from_vec(&dims, bytes(dims[0] * dims[1], 0))?;
                Ok((x, Array::<i32>::zeros(&[256])?))
            },
            |(x, counts)| program::histogram(x, counts),
            |(_, counts): &(Array<u8>, Array<i32>)| {
                vec![counts.to_vec().into_iter().map(|n| n as f32).collect()]
            },
        );
        histogram.run(options, devices)?;
    }
    Ok(())
}

fn kmeans(options: &Options, devices: &[Arc<dyn Device>]) -> Result<()> {
    struct Points {
        points: Array<f32>,
        start: Vec<f32>,
        centres: Array<f32>,
        sums: Array<f32>,
        counts: Array<i32>,
    }
    let count = options.size(100_000_000, 4000);
    let row = row(
        "k-means, 8 centres, 3 steps",
        1e-3,
        || {
            let start = numbers(16, 7);
            Ok(Points {
                points: Array::from_vec(&[count, 2], numbers(2 * count, 0))?,
                centres: Array::from_slice(&[8, 2], &start)?,
                sums: Array::zeros(&[8, 2])?,
                counts: Array::zeros(&[8])?,
                start,
            })
        },
        |p: &Points| {
            p.centres.try_write()?.copy_from_slice(&p.start);
            program::kmeans(&p.points, &p.centres, &p.sums, &p.counts, 3)
        },
        |p: &Points| vec![p.centres.to_vec()],
    );
    row.run(options, devices)
}

fn spectra(options: &Options, devices: &[Arc<dyn Device>]) -> Result<()> {
    type Cell = std::cell::RefCell<Vec<Array<Complex<f32>>>>;
    for (name, count, large) in [("2-D FFT of one image", 1, 8192), ("2-D FFTs of 16 images", 16, 4096)] {
        let side = options.size(large, 64);
        let one = |k| {
            let numbers = numbers(side * side, k).into_iter().map(|x| Complex::new(x, 0.0));
            Array::from_vec(&[side, side], numbers.collect())
        };
        let spectra = row(
            name,
            1e-4,
            || Ok(((0..count).map(one).collect::<Result<Vec<_>>>()?, Cell::default())),
            |(images, spectra)| {
                *spectra.borrow_mut() = images.iter().map(program::spectrum).collect::<Result<Vec<_>>>()?;
                Ok(())
            },
            |(_, spectra): &(Vec<Array<Complex<f32>>>, Cell)| {
                let flat = |y: &Array<Complex<f32>>| y.to_vec().iter().flat_map(|z| [z.re, z.im]).collect();
                spectra.borrow().iter().map(flat).collect()
            },
        );
        spectra.run(options, devices)?;
    }
    Ok(())
}
