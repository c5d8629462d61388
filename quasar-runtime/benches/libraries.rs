//! What library functions on the device take when programs call them, all arrays there: cuFFT, cuBLAS and random numbers.
//! `cargo bench -p quasar-runtime --bench libraries`. With a file of lines `name milliseconds` as `QUASAR_PEER_TIMES`, beside those times.

use num_complex::Complex;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::ArrayElement;
use quasar_runtime::array::coherence::Access;
use quasar_runtime::context::with_device;
use quasar_runtime::device::{Device, select};
use quasar_runtime::library::call;
use quasar_runtime::{Array, Result, Value};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

fn main() -> ExitCode {
    let device = match select::cuda() {
        Ok(devices) => devices.into_iter().next(),
        Err(reason) => {
            println!("{reason}");
            None
        }
    };
    let Some(device) = device else { return ExitCode::SUCCESS };
    match with_device(Some(Arc::clone(&device)), || measure(&device)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn array<T: ArrayElement>(
    device: &Arc<dyn Device>,
    dims: &[usize],
    make: impl Fn(usize) -> T,
) -> Result<Value> {
    let array = Array::from_vec(dims, (0..dims.iter().product()).map(make).collect())?;
    drop(array.on_device(device, Access::Write)?);
    Ok(array.to_value())
}

fn measure(device: &Arc<dyn Device>) -> Result<()> {
    let peers = std::env::var("QUASAR_PEER_TIMES").ok().and_then(|file| std::fs::read_to_string(file).ok());
    let peers = peers.unwrap_or_default();
    let noise = |k: usize| ((k.wrapping_mul(2_654_435_761) >> 7) % 1000) as f32 / 1000.0 - 0.5;
    let complex = array(device, &[4096, 4096], |k| Complex::new(noise(k), noise(k + 77)))?;
    let real = array(device, &[4096, 4096], noise)?;
    let double = array(device, &[2048, 2048], |k| f64::from(noise(k)))?;
    let tall = array(device, &[1 << 18, 4], noise)?;
    let wide = array(device, &[4, 1 << 18], noise)?;
    let small = array(device, &[256, 256], |k| Complex::new(noise(k), noise(k + 77)))?;
    println!("{:<34} {:>10} {:>10} {:>10}", "milliseconds", "in a row", "and wait", "peer");
    let run = |what: &str, name: &str, args: &[Value]| -> Result<()> {
        let before = device.counters().now();
        let one = || call(name, args, 1, ElementType::Single);
        let first = Instant::now();
        one()?;
        device.synchronize()?;
        let first = first.elapsed();
        let timed = |count: u32, each: bool| -> Result<f64> {
            let mut times = Vec::new();
            for _ in 0..15 {
                let start = Instant::now();
                for _ in 0..count {
                    one()?;
                    if each {
                        device.synchronize()?;
                    }
                }
                device.synchronize()?;
                times.push(start.elapsed().as_secs_f64() * 1e3 / f64::from(count));
            }
            times.sort_by(f64::total_cmp);
            Ok(times[times.len() / 2])
        };
        let (row, wait) = (timed(8, false)?, timed(1, true)?);
        let peer = peers.lines().find_map(|line| line.strip_prefix(what)?.trim().parse::<f64>().ok());
        let peer = peer.map_or("-".into(), |peer| format!("{peer:.4}"));
        println!("{what:<34} {row:>10.4} {wait:>10.4} {peer:>10}   first {:.1}", first.as_secs_f64() * 1e3);
        let traffic = device.counters().now().since(&before);
        // Random numbers and long sums with few results are one kernel of our own.
        let own = name.starts_with("rand") || what.starts_with("product 4x");
        let calls = if own { traffic.launches } else { traffic.library_calls };
        assert_eq!((calls, traffic.uploads, traffic.downloads), (136, 0, 0), "{what}");
        Ok(())
    };
    run("fft2 complex 4096", "fft2", std::slice::from_ref(&complex))?;
    run("ifft2 complex 4096", "ifft2", std::slice::from_ref(&complex))?;
    run("fft1 complex 4096", "fft1", std::slice::from_ref(&complex))?;
    run("fft2 real 4096", "fft2", std::slice::from_ref(&real))?;
    run("irealfft2 4096", "irealfft2", std::slice::from_ref(&complex))?;
    run("fft2 complex 256", "fft2", std::slice::from_ref(&small))?;
    run("product single 4096", "matmul", &[real.clone(), real])?;
    run("product complex 4096", "matmul", &[complex.clone(), complex])?;
    run("product double 2048", "matmul", &[double.clone(), double])?;
    run("product 4x2^18 2^18x4", "matmul", &[wide, tall])?;
    let sizes = [Value::int(4096), Value::int(4096)];
    run("rand 4096", "rand", &sizes)?;
    run("randn 4096", "randn", &sizes)?;
    run("randi 4096", "randi", &[&[Value::int(6)], &sizes[..]].concat())
}
