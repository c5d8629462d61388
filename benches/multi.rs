//! Independent work on one GPU and on all of them: `cargo bench --bench multi`. Without a CUDA device it says so and
//! ends.
//!
//! Each task runs with the engines `cuda` and `cuda - multi`; its results are compared bitwise with each other, and
//! those of one image with the CPU's. Times are from the first launch until all devices are idle, minimum and median of
//! several runs.

use quasar::{Array, Result, context};
use quasar_runtime::array::coherence::Access;
use quasar_runtime::device::{Device, Traffic, select};
use std::sync::Arc;
use std::time::Instant;

mod program {
    quasar::quasar_file!("benches/multi.q");
}

const ENGINES: [&str; 2] = ["cuda", "cuda - multi"];
const IMAGES: usize = 16;
const ROUNDS: usize = 15;

/// A pseudo-random image, different for each number.
fn image(side: usize, number: usize) -> Vec<f32> {
    let mut state = 1 + number as u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as f32
    };
    (0..side * side).map(|_| next()).collect()
}

/// The measurement of a task on one engine.
struct Outcome {
    least: f64,
    median: f64,
    results: Vec<Vec<f32>>,
    /// The counters of each device over all timed runs.
    traffic: Vec<(String, Traffic)>,
}

/// Runs `prepare` once and the timed `work` several times, on the devices of an engine.
fn measure<P>(
    engine: &str,
    prepare: impl Fn() -> Result<P>,
    work: impl Fn(&P) -> Result<Vec<Array<f32>>>,
) -> Result<Outcome> {
    context::set("RUNTIME_ENGINE", engine)?;
    let devices = context::active_devices();
    let kept = prepare()?;
    // Warm-up: compiles kernels, allocates memory, transfers resident images.
    for _ in 0..3 {
        work(&kept)?;
        context::synchronize()?;
    }
    let before: Vec<Traffic> = devices.iter().map(|device| device.counters().now()).collect();
    let mut times = Vec::new();
    let mut last = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let results = work(&kept)?;
        context::synchronize()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        last = results;
    }
    times.sort_by(f64::total_cmp);
    let traffic = devices.iter().zip(before).map(|(device, before)| {
        let name = device.name().split(' ').next().unwrap_or_default();
        (name.to_string(), device.counters().now().since(&before))
    });
    let traffic = traffic.collect();
    let results = last.iter().map(Array::to_vec).collect();
    Ok(Outcome { least: times[0], median: times[ROUNDS / 2], results, traffic })
}

/// Runs a task on one device and on all, compares and prints.
fn compare<P>(
    name: &str,
    prepare: impl Fn() -> Result<P>,
    work: impl Fn(&P) -> Result<Vec<Array<f32>>>,
) -> Result<Vec<Vec<f32>>> {
    let filter = std::env::args().skip(1).find(|a| !a.starts_with('-')).unwrap_or_default();
    if !name.contains(&filter) {
        return Ok(Vec::new());
    }
    let [one, all] = ENGINES.map(|engine| measure(engine, &prepare, &work));
    let (one, all) = (one?, all?);
    assert!(one.results == all.results, "{name}: results differ");
    println!(
        "{name:44} {:9.3} ({:9.3}) {:9.3} ({:9.3}) {:6.2}",
        one.least,
        one.median,
        all.least,
        all.median,
        one.median / all.median
    );
    for (device, done) in one.traffic.iter().map(|t| ("one", t)).chain(all.traffic.iter().map(|t| ("all", t)))
    {
        let (name, t) = done;
        let per = |n: u64| n as f64 / ROUNDS as f64;
        println!(
            "    {device} {name}: {:.1} launches, {:.1} uploads, {:.1} downloads, {:.1} copies from devices, {:.1} evictions",
            per(t.launches),
            per(t.uploads),
            per(t.downloads),
            per(t.peer_copies),
            per(t.evictions)
        );
    }
    Ok(all.results)
}

fn main() -> Result<()> {
    match select::cuda() {
        Ok(devices) => {
            println!("{} CUDA devices, {}", devices.len(), devices[0].name());
            if let [first, second, ..] = &devices[..] {
                exchange(first, second)?;
            }
        }
        Err(reason) => {
            println!("{reason}");
            return Ok(());
        }
    }
    println!("{:44} least (median) of one GPU, of all, ratio of the medians; ms", "");
    batches()?;
    small()?;
    together()
}

/// An array that two devices write alternately, directly and with the host in between.
fn exchange(first: &Arc<dyn Device>, second: &Arc<dyn Device>) -> Result<()> {
    const COPIES: usize = 40;
    for megabytes in [1, 16, 256] {
        let x = Array::filled(&[megabytes << 18], 1.0_f32)?;
        let mut times = [0.0; 2];
        for (time, by_host) in times.iter_mut().zip([false, true]) {
            // The first iteration allocates memory.
            for round in 0..=1 {
                let start = Instant::now();
                for k in 0..COPIES {
                    drop(x.on_device([first, second][k % 2], Access::Write)?);
                    if by_host {
                        drop(x.write());
                    }
                }
                first.synchronize()?;
                second.synchronize()?;
                if round == 1 {
                    *time = start.elapsed().as_secs_f64() / COPIES as f64;
                }
            }
        }
        let rate = |time: f64| megabytes as f64 / 1024.0 / time;
        let [direct, by_host] = times;
        println!(
            "{megabytes} MB from GPU to GPU: {:.1} us ({:.1} GB/s), through the host {:.1} us ({:.1} GB/s)",
            direct * 1e6,
            rate(direct),
            by_host * 1e6,
            rate(by_host)
        );
    }
    // Peer access is only known for started devices.
    println!("the two reach each other: {}", second.reaches(&**first) && first.reaches(&**second));
    Ok(())
}

/// A batch of images, each through four filters.
fn batches() -> Result<()> {
    for side in [512, 2048] {
        let pixels: Vec<Vec<f32>> = (0..IMAGES).map(|k| image(side, k)).collect();
        let load = || pixels.iter().map(|p| Array::from_slice(&[side, side], p)).collect::<Result<Vec<_>>>();
        let develop =
            |images: &Vec<Array<f32>>| context::batch(|| images.iter().map(program::develop).collect());
        let results = compare(&format!("{IMAGES} images {side}x{side} on the devices"), load, develop)?;
        if let Some(found) = results.first() {
            let x = Array::from_slice(&[side, side], &pixels[0])?;
            let wanted = context::with_device(None, || program::develop(&x))?.to_vec();
            let far = found.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(far < 0.02, "{far} off from the processor's result");
            println!("    image 0 of side {side}: at most {far} off from the processor's");
        }
        compare(
            &format!("{IMAGES} images {side}x{side} from host and back"),
            || Ok(()),
            |()| {
                let results = develop(&load()?)?;
                results.iter().for_each(|y| drop(y.read()));
                Ok(results)
            },
        )?;
    }
    Ok(())
}

/// Chains of kernels that are too small to fill a device.
fn small() -> Result<()> {
    for chains in [1, 2] {
        let pixels: Vec<Vec<f32>> = (0..chains).map(|k| image(64, k)).collect();
        compare(
            &format!("{chains} chains of 200 kernels on 64x64"),
            || {
                let pairs = pixels
                    .iter()
                    .map(|p| Ok((Array::from_slice(&[64, 64], p)?, Array::<f32>::zeros(&[64, 64])?)));
                pairs.collect::<Result<Vec<_>>>()
            },
            |pairs| {
                context::batch(|| {
                    (0..10).try_for_each(|_| pairs.iter().try_for_each(|(x, t)| program::chain(x, t, 10)))
                })?;
                Ok(pairs.iter().map(|(x, _)| x.clone()).collect())
            },
        )?;
    }
    Ok(())
}

/// Launches that all devices share.
fn together() -> Result<()> {
    type Work = fn(&Array<f32>, &Array<f32>) -> Result<()>;
    const SIDE: usize = 8192;
    let tasks: [(&str, Work); 5] = [
        ("10 launches of 256 steps a pixel", |x, y| program::own_rows(x, y, 256, 10)),
        ("10 launches of 4 steps a pixel", |x, y| program::own_rows(x, y, 4, 10)),
        ("10 windows 21x21 of one image", |x, y| program::window(x, y, 10, 10)),
        ("10 windows 21x21, each of the last one", |x, y| program::windows_by_turns(x, y, 10, 5)),
        ("10 windows 3x3, each of the last one", |x, y| program::windows_by_turns(x, y, 1, 5)),
    ];
    let pixels = image(SIDE, 0);
    for (name, work) in tasks {
        compare(
            &format!("{name} together"),
            || Ok((Array::from_slice(&[SIDE, SIDE], &pixels)?, Array::<f32>::zeros(&[SIDE, SIDE])?)),
            |(x, y)| context::batch(|| work(x, y)).map(|()| vec![y.clone()]),
        )?;
    }
    Ok(())
}
