//! Copies beside kernels: programs of launches, copies, accesses of the host and new arrays give what one step after the
//! other gives, on a device that pretends to be as late and as early as it may, and on a GPU, where there is one
//! (`QUASAR_REQUIRE_GPU=1` makes its lack a failure).

use proptest::prelude::*;
use quasar_runtime::Array;
use quasar_runtime::array::coherence::Access;
use quasar_runtime::device::fake::FakeDevice;
use quasar_runtime::device::{Device, Dialect, KernelHandle, KernelSource, LaunchArg, LaunchConfig};
use std::sync::Arc;

/// Large enough for copies in lanes of their own.
const LARGE: usize = 70_000;
const SMALL: usize = 100;
/// Elements repeat with this period.
const PERIOD: usize = 7;

type Pattern = [i32; PERIOD];

/// What `mix` makes of two elements.
fn mixed(x: i32, y: i32) -> i32 {
    y.wrapping_mul(3).wrapping_add(x).wrapping_add(1)
}

fn pattern(seed: i32) -> Pattern {
    std::array::from_fn(|k| seed.wrapping_mul(1000).wrapping_add(k as i32))
}

fn elements(pattern: Pattern, n: usize) -> Vec<i32> {
    pattern.into_iter().cycle().take(n).collect()
}

/// A device with the two kernels `mix`: `y = 3 y + x + 1`, and `set`: `y = x`.
struct Machine {
    device: Arc<dyn Device>,
    kernels: [KernelHandle; 2],
    grid: LaunchConfig,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Launch `mix`, or `set` on memory of any contents.
    Mix {
        x: usize,
        y: usize,
    },
    Set {
        x: usize,
        y: usize,
    },
    /// The host reads, writes or changes an array.
    Read(usize),
    Write(usize, i32),
    /// An array is dropped, and there is a new one of host memory, or of zeros.
    Renew(usize, Option<i32>),
    /// Wait for the device.
    Wait,
}

/// Four large arrays and one small one.
const ARRAYS: usize = 5;

fn length(k: usize) -> usize {
    if k + 1 == ARRAYS { SMALL } else { LARGE }
}

fn step() -> impl Strategy<Value = Step> {
    let two = || (0..ARRAYS, 0..ARRAYS);
    prop_oneof![
        6 => two().prop_map(|(x, y)| Step::Mix { x, y }),
        2 => two().prop_map(|(x, y)| Step::Set { x, y }),
        3 => (0..ARRAYS).prop_map(Step::Read),
        2 => (0..ARRAYS, any::<i32>()).prop_map(|(k, seed)| Step::Write(k, seed)),
        3 => (0..ARRAYS, any::<Option<i32>>()).prop_map(|(k, seed)| Step::Renew(k, seed)),
        1 => Just(Step::Wait),
    ]
}

impl Machine {
    fn new(device: Arc<dyn Device>, dialect: Dialect, text: &str, grid: LaunchConfig) -> Machine {
        let kernel = |entry| {
            let source = KernelSource { name: entry, dialect, text, entry, options: &[], portable: &[] };
            device.kernel(&source).unwrap()
        };
        let kernels = [kernel("mix"), kernel("set")];
        Machine { device, kernels, grid }
    }

    /// As many elements as both have.
    fn launch(&self, kernel: usize, x: &Array<i32>, y: &Array<i32>) {
        let n = i32::try_from(x.len().min(y.len())).unwrap().to_ne_bytes();
        // All of a large array keeps its period only if all of it changes.
        let access = if kernel == 1 && x.len() >= y.len() { Access::Overwrite } else { Access::Write };
        let from = x.on_device(&self.device, Access::Read).unwrap();
        let to = y.on_device(&self.device, access).unwrap();
        let args = [LaunchArg::Input(&from), LaunchArg::Memory(&to), LaunchArg::Bytes(&n)];
        // SAFETY: both kernels stay inside `n` elements of arrays that have so many; others are refused.
        unsafe { self.device.launch(&self.kernels[kernel], &self.grid, &args) }.unwrap();
    }

    fn run(&self, steps: &[Step]) {
        let mut arrays: Vec<Array<i32>> = (0..ARRAYS).map(|k| Array::zeros(&[length(k)]).unwrap()).collect();
        let mut wanted = [pattern(0).map(|_| 0); ARRAYS];
        for (number, &step) in steps.iter().enumerate() {
            match step {
                // A small array would change a part of a large one.
                Step::Mix { x, y } | Step::Set { x, y } if x == y || length(x) < length(y) => {}
                Step::Mix { x, y } => {
                    self.launch(0, &arrays[x], &arrays[y]);
                    wanted[y] = std::array::from_fn(|k| mixed(wanted[x][k], wanted[y][k]));
                }
                Step::Set { x, y } => {
                    self.launch(1, &arrays[x], &arrays[y]);
                    wanted[y] = wanted[x];
                }
                Step::Read(k) => check(number, &arrays[k], wanted[k]),
                Step::Write(k, seed) => {
                    wanted[k] = pattern(seed);
                    arrays[k].write().copy_from_slice(&elements(wanted[k], length(k)));
                }
                Step::Renew(k, seed) => {
                    wanted[k] = seed.map_or([0; PERIOD], pattern);
                    arrays[k] = match seed {
                        None => Array::zeros(&[length(k)]).unwrap(),
                        Some(_) => Array::from_vec(&[length(k)], elements(wanted[k], length(k))).unwrap(),
                    };
                }
                Step::Wait => self.device.synchronize().unwrap(),
            }
        }
        for (array, wanted) in arrays.iter().zip(wanted) {
            check(steps.len(), array, wanted);
        }
    }
}

fn check(number: usize, array: &Array<i32>, wanted: Pattern) {
    let got = array.read();
    let wrong = got.iter().zip(wanted.into_iter().cycle()).position(|(got, wanted)| *got != wanted);
    assert!(
        wrong.is_none(),
        "step {number}: element {wrong:?} is {:?}, not one of {wanted:?}",
        wrong.map(|k| got[k])
    );
}

fn late() -> (Arc<FakeDevice>, Machine) {
    let fake = Arc::new(FakeDevice::new(0, 64 << 20).late());
    for (entry, mixes) in [("mix", true), ("set", false)] {
        fake.define(entry, move |launch| {
            let n = usize::from_ne_bytes([launch.value(2), &[0; 4]].concat().try_into().unwrap());
            let from = launch.memory(0).to_vec();
            let (to, from) = (launch.memory(1).as_chunks_mut::<4>().0, from.as_chunks::<4>().0);
            for (y, x) in to.iter_mut().zip(from).take(n) {
                let x = i32::from_ne_bytes(*x);
                *y = if mixes { mixed(x, i32::from_ne_bytes(*y)) } else { x }.to_ne_bytes();
            }
        });
    }
    let machine =
        Machine::new(fake.clone(), Dialect::OpenCl, "text", LaunchConfig::new([1, 1, 1], [1, 1, 1]));
    (fake, machine)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn programs_mean_the_same_whenever_kernels_and_copies_run(steps in prop::collection::vec(step(), 1..60)) {
        late().1.run(&steps);
    }
}

/// What a device that does everything late has done shows what its copies waited for.
#[test]
fn copies_leave_kernels_waiting_that_they_do_not_need() {
    let (fake, machine) = late();
    let done = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = Arc::clone(&done);
    fake.define("count", move |launch| {
        launch.memory(1).fill(7);
        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    });
    let source = KernelSource {
        name: "count",
        dialect: Dialect::OpenCl,
        text: "text",
        entry: "count",
        options: &[],
        portable: &[],
    };
    let kernel = machine.device.kernel(&source).unwrap();
    let filter = |x: &Array<u8>| {
        let y = Array::<u8>::uninit(&[2 * x.len()]).unwrap();
        let from = x.on_device(&machine.device, Access::Read).unwrap();
        let to = y.on_device(&machine.device, Access::Overwrite).unwrap();
        let args = [LaunchArg::Input(&from), LaunchArg::Memory(&to)];
        // SAFETY: the function stays inside its arguments.
        unsafe { machine.device.launch(&kernel, &machine.grid, &args) }.unwrap();
        drop((from, to));
        y
    };
    let done = || done.load(std::sync::atomic::Ordering::Relaxed);
    let image = |k| Array::from_vec(&[1 << 20], vec![k; 1 << 20]).unwrap();
    // Images stay: nothing is waited for.
    let images: Vec<_> = (0..4).map(image).collect();
    let results: Vec<_> = images.iter().map(filter).collect();
    assert_eq!(done(), 0);
    for (k, y) in results.iter().enumerate() {
        assert_eq!(y.read()[5], 7);
        assert_eq!(done(), k + 1, "only what the result needs is done");
    }
    // Images go: each but the first two waits for the kernel before the last one, whose memory it takes.
    let kept: Vec<_> = (0..4).map(|k| filter(&image(k))).collect();
    assert_eq!(done(), 6);
    kept.iter().for_each(|y| assert_eq!(y.read()[5], 7));
    assert_eq!(done(), 8);
}

#[cfg(feature = "cuda")]
mod cuda {
    use super::*;
    use quasar_runtime::device::select;

    /// The fewer threads, the longer a kernel takes: copies overtake it if they may.
    const TEXT: &str = r#"
extern "C" __global__ void mix(const int* x, int* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = (int)((unsigned)y[i] * 3u + (unsigned)x[i] + 1u);
}
extern "C" __global__ void set(const int* x, int* y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i];
}
"#;

    fn gpu() -> Option<Arc<dyn Device>> {
        match select::cuda() {
            Ok(devices) => devices.first().cloned(),
            Err(reason) => {
                assert!(std::env::var("QUASAR_REQUIRE_GPU").is_err(), "{reason}");
                println!("not tested: {reason}");
                None
            }
        }
    }

    fn machine(device: &Arc<dyn Device>, blocks: u32) -> Machine {
        let grid = LaunchConfig::new([blocks, 1, 1], [32, 1, 1]);
        Machine::new(device.clone(), Dialect::Cuda, TEXT, grid)
    }

    /// `QUASAR_OVERLAP_CASES` programs, some by two threads at once.
    #[test]
    fn programs_mean_the_same_on_a_gpu() {
        let Some(device) = gpu() else { return };
        let cases = std::env::var("QUASAR_OVERLAP_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(100);
        let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
        let machines = [1, 4, 64].map(|blocks| machine(&device, blocks));
        let steps = || prop::collection::vec(step(), 1..150);
        proptest!(config, |(first in steps(), second in steps(), two in any::<bool>(), k in 0usize..3)| {
            std::thread::scope(|scope| {
                if two {
                    scope.spawn(|| machines[(k + 1) % 3].run(&second));
                }
                machines[k].run(&first);
            });
        });
        let traffic = device.counters().now();
        println!(
            "{} launches, {} uploads, {} downloads",
            traffic.launches, traffic.uploads, traffic.downloads
        );
    }
}
