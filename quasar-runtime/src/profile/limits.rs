//! What a device can do at most, measured: bytes between memory and arithmetic, and operations. They are measured once for each machine
//! and device and kept in the folder of caches.
//!
//! Bytes are those of `a[i] = b[i] + s * c[i]` over arrays that no cache holds. Operations are multiply-adds in single precision
//! that depend on nothing else, as two operations each.

use super::PROCESSOR;
use super::record::machine;
use crate::context;
use crate::device::{Device, Dialect, KernelSource, LaunchArg, LaunchConfig, select};
use crate::error::{Error, Result};
use crate::threads;
use quasar_devicelib::isa::{self, Isa, Lanes};
use quasar_devicelib::json::{Json, quoted};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// What a device can do in a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes that are read and written.
    pub bandwidth: u64,
    /// Single-precision operations.
    pub operations: u64,
}

/// The limits of `CPU` or of a device of this machine, from the folder of caches or measured now; nothing for a device that is not
/// there, or that fails, and nothing for the processor where this code is not optimised.
pub fn limits(device: &str) -> Option<Limits> {
    let kept = kept();
    let machine = machine();
    let known = kept.iter().find(|entry| entry.machine == machine && entry.device == device);
    if let Some(entry) = known {
        return Some(entry.limits);
    }
    let found = match device == PROCESSOR {
        true => (!cfg!(debug_assertions)).then(processor),
        false => on_device(&*named(device)?).ok(),
    }?;
    keep(kept, Entry { machine, device: device.to_owned(), limits: found });
    Some(found)
}

/// Whether a report was made on a machine like this one.
pub fn is_of_this_machine(report: &super::Report) -> bool {
    report.machine == machine()
}

fn named(name: &str) -> Option<Arc<dyn Device>> {
    let active = context::active_devices().into_iter();
    let others = [select::cuda, select::opencl].into_iter().filter_map(|probe| probe().ok()).flatten();
    active.chain(others).find(|device| device.name() == name)
}

/// The best of some runs, in seconds.
fn shortest(runs: usize, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    run()?;
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let begin = Instant::now();
        run()?;
        best = best.min(begin.elapsed().as_secs_f64());
    }
    Ok(best.max(1e-9))
}

const RUNS: usize = 5;
/// The numbers of an array for the bandwidth: 64 MB.
const NUMBERS: usize = 1 << 24;
/// Read, read and written.
const TRIAD_BYTES: usize = 3 * size_of::<f32>() * NUMBERS;

/// The limits of the processor, with the threads that launches use.
fn processor() -> Limits {
    let threads = threads::count().max(1);
    let (b, c, mut a) = (vec![1f32; NUMBERS], vec![2f32; NUMBERS], vec![0f32; NUMBERS]);
    let part = NUMBERS.div_ceil(threads);
    let triad = shortest(RUNS, || {
        let parts = a.chunks_mut(part).zip(b.chunks(part)).zip(c.chunks(part));
        threads::each(parts, |((a, b), c)| isa::dispatch(Triad { a, b, c }));
        Ok(())
    });
    let chains = shortest(RUNS, || {
        threads::run(threads, &|_| {
            std::hint::black_box(isa::dispatch(Chains));
        });
        Ok(())
    });
    let per_second = |count: usize, time: Result<f64>| time.map_or(0, |time| (count as f64 / time) as u64);
    let operations = threads * 2 * CHAINS * ROUNDS * isa::dispatch(Width);
    Limits { bandwidth: per_second(TRIAD_BYTES, triad), operations: per_second(operations, chains) }
}

struct Triad<'a> {
    a: &'a mut [f32],
    b: &'a [f32],
    c: &'a [f32],
}

impl isa::Body for Triad<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        for ((a, b), c) in self.a.iter_mut().zip(self.b).zip(self.c) {
            *a = b + 0.5 * c;
        }
    }
}

/// Sums that go on beside each other: as many as hide how long one takes.
const CHAINS: usize = 12;
const ROUNDS: usize = 1 << 20;

struct Chains;

impl isa::Body for Chains {
    type Output = f32;

    #[inline(always)]
    fn run<I: Isa>(self) -> f32 {
        let (weight, addend) = (I::Single::splat(0.999), I::Single::splat(0.001));
        let mut sums = [addend; CHAINS];
        for _ in 0..ROUNDS {
            for sum in &mut sums {
                *sum =
                    if I::FMA { sum.multiply_add(weight, addend) } else { sum.multiply(weight).add(addend) };
            }
        }
        let mut lanes = [0f32; 64];
        sums.iter().for_each(|sum| sum.store(&mut lanes));
        lanes.iter().sum()
    }
}

/// Lanes of a vector.
struct Width;

impl isa::Body for Width {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self) -> usize {
        I::Single::COUNT
    }
}

/// Threads for the operations, each with its chains.
const WORKERS: usize = 1 << 18;
const DEVICE_ROUNDS: usize = 512;
const DEVICE_CHAINS: usize = 8;
/// So many launches are timed together that they take about as many seconds, and at most so many.
const TOGETHER: (f64, f64) = (0.02, 32.0);

/// The limits of a device.
fn on_device(device: &dyn Device) -> Result<Limits> {
    let Some(dialect) = device.dialect() else { return Ok(Limits { bandwidth: 0, operations: 0 }) };
    let memory = [(); 3].map(|()| device.allocate(size_of::<f32>() * NUMBERS));
    let [a, b, c] = memory;
    let (a, b, c) = (a?, b?, c?);
    for memory in [&a, &b, &c] {
        device.fill(memory, 0)?;
    }
    let time_of = |name: &str, threads: usize| {
        let text = text(dialect);
        let source = KernelSource { name, dialect, text: &text, entry: name, options: &[], portable: &[] };
        let kernel = device.kernel(&source)?;
        let config = LaunchConfig::new([(threads / BLOCK) as u32, 1, 1], [BLOCK as u32, 1, 1]);
        let args = [LaunchArg::Memory(&a), LaunchArg::Memory(&b), LaunchArg::Memory(&c)];
        let launches = |count: usize| {
            for _ in 0..count {
                #[allow(unsafe_code, reason = "kernels of our own")]
                // SAFETY: both kernels take three arrays of `NUMBERS` numbers, and each of no more threads touches its own element.
                unsafe { device.launch(&kernel, &config, &args) }?;
            }
            device.synchronize()
        };
        let one = shortest(1, || launches(1))?;
        let together = (TOGETHER.0 / one).clamp(1.0, TOGETHER.1) as usize;
        Ok::<f64, Error>(shortest(RUNS, || launches(together))? / together as f64)
    };
    let (triad, chains) = (time_of("triad", NUMBERS)?, time_of("chains", WORKERS)?);
    let per_second = |count: usize, time: f64| (count as f64 / time) as u64;
    Ok(Limits {
        bandwidth: per_second(TRIAD_BYTES, triad),
        operations: per_second(2 * WORKERS * DEVICE_ROUNDS * DEVICE_CHAINS * lanes(dialect), chains),
    })
}

const BLOCK: usize = 256;

/// Numbers of a chain: OpenCL's processors compute with vectors where the program does.
fn lanes(dialect: Dialect) -> usize {
    match dialect {
        Dialect::Cuda => 1,
        Dialect::OpenCl => 8,
    }
}

/// Both kernels.
fn text(dialect: Dialect) -> String {
    let (kernel, global, number) = match dialect {
        Dialect::Cuda => ("extern \"C\" __global__ void", "float *", "blockIdx.x * blockDim.x + threadIdx.x"),
        Dialect::OpenCl => ("__kernel void", "__global float *", "get_global_id(0)"),
    };
    let (vector, whole) = match dialect {
        Dialect::Cuda => ("float", "sum"),
        Dialect::OpenCl => ("float8", "dot(sum.lo, (float4)(1.0f)) + dot(sum.hi, (float4)(1.0f))"),
    };
    let head = |name: &str| format!("{kernel} {name}({global}a, {global}b, {global}c) {{ int i = {number};");
    let each = |of: &dyn Fn(usize) -> String, between: &str| {
        (0..DEVICE_CHAINS).map(of).collect::<Vec<_>>().join(between)
    };
    format!(
        "{} a[i] = b[i] + 0.5f * c[i]; }}\n\
         {} {vector} w = b[i] + 0.999f; {}\n\
         for (int k = 0; k < {DEVICE_ROUNDS}; ++k) {{ {} }}\n\
         {vector} sum = {}; a[i] = {whole}; }}\n",
        head("triad"),
        head("chains"),
        each(&|k| format!("{vector} x{k} = c[i] + {k}.0f;"), " "),
        each(&|k| format!("x{k} = x{k} * w + 0.001f;"), " "),
        each(&|k| format!("x{k}"), " + "),
    )
}

struct Entry {
    machine: String,
    device: String,
    limits: Limits,
}

fn file() -> PathBuf {
    quasar_files::trust::cache_folder().join(concat!("limits-", env!("CARGO_PKG_VERSION"), ".json"))
}

/// What was measured before; nothing where the file is missing or damaged.
fn kept() -> Vec<Entry> {
    let text = quasar_files::read::text(&file()).unwrap_or_default();
    let entries = Json::parse(&text).ok().and_then(|json| {
        let entry = |json: &Json| {
            let limits =
                Limits { bandwidth: json.number("bandwidth")?, operations: json.number("operations")? };
            Some(Entry { machine: json.text("machine")?, device: json.text("device")?, limits })
        };
        json.list("limits")?.iter().map(entry).collect::<Option<Vec<_>>>()
    });
    entries.unwrap_or_default()
}

/// A folder that cannot be written means that they are measured again.
fn keep(mut entries: Vec<Entry>, entry: Entry) {
    entries.push(entry);
    let lines = entries.iter().map(|entry| {
        format!(
            "{{\"machine\": {}, \"device\": {}, \"bandwidth\": {}, \"operations\": {}}}",
            quoted(&entry.machine),
            quoted(&entry.device),
            entry.limits.bandwidth,
            entry.limits.operations
        )
    });
    let text = format!("{{\"limits\": [\n{}\n]}}\n", lines.collect::<Vec<_>>().join(",\n"));
    let file = file();
    if quasar_files::trust::make_private(&quasar_files::trust::cache_folder()).is_err() {
        return;
    }
    let _ = quasar_files::replace::replace(&file, text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_has_limits() {
        let found = processor();
        assert!(found.bandwidth > 100_000_000, "{found:?}");
        assert!(found.operations > 10_000_000, "{found:?}");
        assert_eq!(limits("no such device"), None);
    }
}
