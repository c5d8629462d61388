//! Kernels written by hand, on the devices of this machine: OpenCL (a processor through PoCL will do) and CUDA, and NVRTC
//! without a device. What is not there is shown as ignored; `QUASAR_REQUIRE_GPU=1` makes a missing GPU a failure.

#[cfg(feature = "cuda")]
#[path = "gpu/raw.rs"]
mod raw;

use libtest_mimic::{Arguments, Failed, Trial};
use quasar_runtime::array::coherence::{Access, CopySet, Place};
use quasar_runtime::device::{
    Device, DeviceOptions, Dialect, KernelHandle, KernelSource, LaunchArg, LaunchConfig, Unavailable, select,
};
use quasar_runtime::kernel::cache::ImageCache;
use quasar_runtime::settings::Settings;
use quasar_runtime::{Array, Error, context};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

type Outcome = Result<(), Failed>;
type Probe = fn(&DeviceOptions) -> Result<Vec<Arc<dyn Device>>, Unavailable>;

/// Makes one text serve both dialects.
const CUDA: &str = r#"
#define KERNEL extern "C" __global__ void
#define GLOBAL
#define BY_VALUE
#define BARRIER() __syncthreads()
#define BLOCK blockIdx.x
#define THREAD threadIdx.x
#define THREADS blockDim.x
typedef unsigned int uint;
#define SHARED_PARAMETER
#define SHARED_DECLARATION extern __shared__ float shared[];
"#;
const OPENCL: &str = r#"
#define KERNEL __kernel void
#define GLOBAL __global
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define BLOCK get_group_id(0)
#define THREAD get_local_id(0)
#define THREADS get_local_size(0)
#define SHARED_PARAMETER , __local float* shared
#define SHARED_DECLARATION
"#;
const KERNELS: &str = r#"
struct Line { float slope, offset; };

KERNEL line(GLOBAL const float* x, GLOBAL float* y, struct Line f, int n) {
    int i = (int)(BLOCK * THREADS + THREAD);
    if (i < n) y[i] = f.slope * x[i] + f.offset;
}

KERNEL add_one(GLOBAL int* x, int n) {
    int i = (int)(BLOCK * THREADS + THREAD);
    if (i < n) x[i] += 1;
}

KERNEL block_sums(GLOBAL const float* x, GLOBAL float* sums, int n SHARED_PARAMETER) {
    SHARED_DECLARATION
    uint t = THREAD;
    int i = (int)(BLOCK * THREADS + t);
    shared[t] = i < n ? x[i] : 0.0f;
    for (uint step = THREADS / 2; step > 0; step /= 2) {
        BARRIER();
        if (t < step) shared[t] += shared[t + step];
    }
    if (t == 0) sums[BLOCK] = shared[0];
}
"#;

/// What a test needs: a way to a fresh device whose compiled kernels are kept in a folder of its own.
struct Bench {
    probe: Probe,
    prelude: &'static str,
    dialect: Dialect,
    folder: PathBuf,
}

impl Drop for Bench {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl Bench {
    fn new(probe: Probe, dialect: Dialect) -> Bench {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("quasar-gpu-test-{}-{number}", std::process::id()));
        let prelude = if dialect == Dialect::Cuda { CUDA } else { OPENCL };
        Bench { probe, prelude, dialect, folder }
    }

    fn options(&self) -> DeviceOptions {
        let images = Arc::new(ImageCache::in_folder(&self.folder, 64 << 20));
        DeviceOptions { images, ..DeviceOptions::from_settings(&Settings::default()) }
    }

    fn device(&self, options: &DeviceOptions) -> Result<Arc<dyn Device>, Failed> {
        Ok((self.probe)(options)?.remove(0))
    }

    fn text(&self) -> String {
        [self.prelude, KERNELS].concat()
    }

    fn kernel(&self, device: &Arc<dyn Device>, entry: &str) -> Result<KernelHandle, Error> {
        let text = self.text();
        device.kernel(&KernelSource {
            name: entry,
            dialect: self.dialect,
            text: &text,
            entry,
            options: &[],
            portable: &[],
        })
    }
}

fn launch(
    device: &Arc<dyn Device>,
    kernel: &KernelHandle,
    config: LaunchConfig,
    args: &[LaunchArg<'_>],
) -> Result<(), Error> {
    // SAFETY: the kernels above stay inside `n` elements, which is at most the size of their arrays wherever they are
    // launched; wrong arguments are refused.
    unsafe { device.launch(kernel, &config, args) }
}

fn line(n: usize, block: u32) -> LaunchConfig {
    LaunchConfig::new([u32::try_from(n).unwrap().div_ceil(block), 1, 1], [block, 1, 1])
}

fn add_one(device: &Arc<dyn Device>, kernel: &KernelHandle, x: &Array<i32>) -> Result<(), Error> {
    let memory = x.on_device(device, Access::Write)?;
    let n = i32::try_from(x.len()).unwrap().to_ne_bytes();
    launch(device, kernel, line(x.len(), 64), &[LaunchArg::Memory(&memory), LaunchArg::Bytes(&n)])
}

/// Arrays, numbers and a structure as arguments; one transfer of each array.
fn arguments(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    let kernel = bench.kernel(&device, "line")?;
    let n = 100_003;
    let x = Array::from_vec(&[n], (0..n).map(|k| k as f32).collect())?;
    let y = Array::<f32>::uninit(&[n])?;
    {
        let (from, to) = (x.on_device(&device, Access::Read)?, y.on_device(&device, Access::Overwrite)?);
        let f: Vec<u8> = [2.0f32, -1.0].iter().flat_map(|v| v.to_ne_bytes()).collect();
        let count = (n as i32).to_ne_bytes();
        let args = [
            LaunchArg::Memory(&from),
            LaunchArg::Memory(&to),
            LaunchArg::Bytes(&f),
            LaunchArg::Bytes(&count),
        ];
        launch(&device, &kernel, line(n, 128), &args)?;
    }
    assert_eq!(y.places(), CopySet::only(device.place()));
    assert!(y.to_vec().iter().enumerate().all(|(k, &v)| v == 2.0 * k as f32 - 1.0));
    assert_eq!(y.places().iter().count(), 2);
    assert_eq!(x.get(&[7])?, 7.0);
    let traffic = device.counters().now();
    assert_eq!((traffic.uploads, traffic.downloads, traffic.launches), (1, 1, 1));
    Ok(())
}

/// Twenty launches on one array: one upload, one download.
fn chain(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    let kernel = bench.kernel(&device, "add_one")?;
    let x = Array::filled(&[1000], 5)?;
    for _ in 0..20 {
        add_one(&device, &kernel, &x)?;
    }
    assert_eq!(x.to_vec(), [25; 1000]);
    let traffic = device.counters().now();
    assert_eq!((traffic.uploads, traffic.downloads, traffic.launches), (1, 1, 20));
    Ok(())
}

/// Shared memory of run-time size and barriers.
fn shared_memory(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    let kernel = bench.kernel(&device, "block_sums")?;
    let (n, block) = (10_000, 256);
    let config = line(n, block).with_shared(block * 4);
    let blocks = config.grid[0] as usize;
    let x = Array::from_vec(&[n], (0..n).map(|k| (k % 17) as f32).collect())?;
    let sums = Array::<f32>::zeros(&[blocks])?;
    {
        let (from, to) = (x.on_device(&device, Access::Read)?, sums.on_device(&device, Access::Overwrite)?);
        let count = (n as i32).to_ne_bytes();
        let args = [LaunchArg::Memory(&from), LaunchArg::Memory(&to), LaunchArg::Bytes(&count)];
        launch(&device, &kernel, config, &args)?;
    }
    let expected: Vec<f32> = x.to_vec().chunks(block as usize).map(|part| part.iter().sum()).collect();
    assert_eq!(sums.to_vec(), expected);
    Ok(())
}

/// What compilers and launches refuse is told, and the device works on.
fn refusals(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    let broken = KernelSource {
        name: "broken",
        dialect: bench.dialect,
        text: &[bench.prelude, "KERNEL broken(GLOBAL float* x) { x[0] = nothing; }"].concat(),
        entry: "broken",
        options: &[],
        portable: &[],
    };
    let error = device.kernel(&broken).unwrap_err().to_string();
    assert!(error.contains("kernel 'broken' does not compile") && error.contains("nothing"), "{error}");
    let error = bench.kernel(&device, "absent").unwrap_err().to_string();
    assert!(error.contains("'absent'"), "{error}");
    let other = if bench.dialect == Dialect::Cuda { Dialect::OpenCl } else { Dialect::Cuda };
    assert!(device.kernel(&KernelSource { dialect: other, ..broken }).is_err());

    if bench.dialect == Dialect::Cuda {
        let text = [
            bench.prelude,
            "KERNEL wide(float* x) { __shared__ float s[1 << 18]; s[threadIdx.x] = x[0]; __syncthreads(); x[1] = s[0]; }\n",
            "__constant__ float c[1 << 15]; KERNEL fixed(float* x) { x[0] = c[(int)x[1]]; }",
        ]
        .concat();
        for entry in ["wide", "fixed"] {
            let source = KernelSource {
                name: entry,
                dialect: bench.dialect,
                text: &text,
                entry,
                options: &[],
                portable: &[],
            };
            let error = device.kernel(&source).unwrap_err().to_string();
            println!("{error}");
            assert!(error.contains("kernel '") && error.contains(device.name()), "{error}");
        }
    }
    let kernel = bench.kernel(&device, "add_one")?;
    let x = Array::filled(&[4], 1)?;
    let memory = x.on_device(&device, Access::Write)?;
    let n = 4i32.to_ne_bytes();
    let good = [LaunchArg::Memory(&memory), LaunchArg::Bytes(&n)];
    let refused =
        |config, args: &[LaunchArg<'_>]| launch(&device, &kernel, config, args).unwrap_err().to_string();
    let huge = refused(LaunchConfig::new([1; 3], [1 << 20, 1, 1]), &good);
    assert!(huge.contains("kernel 'add_one': a block of 1048576 threads is too large"), "{huge}");
    let few = refused(line(4, 4), &good[..1]);
    assert!(few.contains("has 2 parameters, found 1 arguments"), "{few}");
    let long = refused(line(4, 4), &[LaunchArg::Memory(&memory), LaunchArg::Bytes(&[0; 8])]);
    assert!(long.contains("add_one"), "{long}");
    let shared = refused(line(4, 4).with_shared(u32::MAX), &good);
    assert!(shared.contains("shared memory"), "{shared}");
    launch(&device, &kernel, LaunchConfig::new([0, 1, 1], [4, 1, 1]), &good)?;
    launch(&device, &kernel, line(4, 4), &good)?;
    drop(memory);
    assert_eq!(x.to_vec(), [2; 4]);
    Ok(())
}

/// Copies, fills and arrays without elements.
fn memory(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    let n = 5 << 20;
    let numbers: Vec<u8> = (0..n).map(|k: usize| (k * 7 % 253) as u8).collect();
    let a = device.allocate(n)?;
    let b = device.allocate(n)?;
    device.upload(&numbers, &a)?;
    device.copy(&a, &b)?;
    device.fill(&a, 0xC3)?;
    let mut found = vec![0; n];
    device.download(&b, &mut found)?;
    assert!(found == numbers);
    device.download(&a, &mut found)?;
    assert!(found.iter().all(|&byte| byte == 0xC3));
    assert!(device.upload(&numbers[1..], &a).is_err());
    // To start it again would take the memory away.
    let error = device.renew().unwrap_err().to_string();
    assert!(error.contains("is not lost"), "{error}");
    // SAFETY: nobody uses the memory any more.
    unsafe { device.release(&a) };
    // SAFETY: nobody uses the memory any more.
    unsafe { device.release(&b) };
    device.trim();
    let empty = Array::<f64>::zeros(&[0, 3])?;
    drop(empty.on_device(&device, Access::Write)?);
    assert!(empty.to_vec().is_empty());
    device.synchronize()?;
    Ok(())
}

/// Copies of many sizes, also from several threads at a time.
fn transfers(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    std::thread::scope(|scope| {
        for thread in 0..3usize {
            let device = &device;
            scope.spawn(move || {
                for size in [1, 63, 64, 4096, (256 << 10) - 1, (256 << 10) + 1, (4 << 20) + 5, 21_000_001] {
                    let sent: Vec<u8> = (0..size).map(|k| (k * (thread + 3) % 251) as u8).collect();
                    let memory = device.allocate(size).unwrap();
                    device.upload(&sent, &memory).unwrap();
                    let mut found = vec![0; size];
                    device.download(&memory, &mut found).unwrap();
                    assert!(found == sent, "{size} bytes");
                    // SAFETY: nobody uses the memory any more.
                    unsafe { device.release(&memory) };
                }
            });
        }
    });
    Ok(())
}

/// The second process compiles nothing, and a broken image is replaced.
fn images(bench: &Bench) -> Outcome {
    let run = |expected: i32| -> Result<_, Failed> {
        let options = bench.options();
        let device = bench.device(&options)?;
        let kernel = bench.kernel(&device, "add_one")?;
        bench.kernel(&device, "add_one")?;
        let x = Array::filled(&[10], expected - 1)?;
        add_one(&device, &kernel, &x)?;
        assert_eq!(x.to_vec(), [expected; 10]);
        Ok((device.counters().now().compilations, options.images.counts()))
    };
    let (compiled, counts) = run(1)?;
    assert_eq!((compiled, counts.misses, counts.stored, counts.hits), (1, 1, 1, 0));
    let (compiled, counts) = run(2)?;
    assert_eq!((compiled, counts.misses, counts.stored, counts.hits), (0, 0, 0, 1));
    for entry in std::fs::read_dir(&bench.folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "image") {
            std::fs::write(path, "broken")?;
        }
    }
    let (compiled, counts) = run(3)?;
    assert_eq!((compiled, counts.broken, counts.stored), (1, 1, 1));
    Ok(())
}

/// In another process, kernels come from the disk, and the compiler is not even loaded.
fn second_process(bench: &Bench) -> Outcome {
    let kind = if bench.dialect == Dialect::Cuda { "cuda" } else { "opencl" };
    for expected in ["1 compiled", "0 compiled"] {
        let output = std::process::Command::new(std::env::current_exe()?)
            .env(OTHER_PROCESS, kind)
            .env("QUASAR_CACHE_DIR", &bench.folder)
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains(expected), "{said}{}", String::from_utf8_lossy(&output.stderr));
        if expected == "0 compiled" && kind == "cuda" && cfg!(target_os = "linux") {
            assert!(said.contains("NVRTC not loaded"), "{said}");
        }
    }
    Ok(())
}

/// Names the kind of device when this program was started by [`second_process`].
const OTHER_PROCESS: &str = "QUASAR_TEST_OTHER_PROCESS";

/// What the process started by [`second_process`] does.
fn other_process(kind: &str) -> Outcome {
    let devices = if kind == "cuda" { select::cuda() } else { select::opencl() };
    let device = devices?.remove(0);
    let dialect = device.dialect().ok_or("a device without kernels")?;
    device.synchronize()?;
    let start = std::time::Instant::now();
    let kernel = Bench::new(|_| select::cuda(), dialect).kernel(&device, "add_one")?;
    let milliseconds = start.elapsed().as_secs_f64() * 1e3;
    let x = Array::filled(&[100], 1)?;
    add_one(&device, &kernel, &x)?;
    assert_eq!(x.to_vec(), [2; 100]);
    let loaded = std::fs::read_to_string("/proc/self/maps").is_ok_and(|maps| maps.contains("libnvrtc.so"));
    let compiled = device.counters().now().compilations;
    println!(
        "{compiled} compiled in {milliseconds:.2} ms, NVRTC {}",
        if loaded { "loaded" } else { "not loaded" }
    );
    Ok(())
}

/// An image that is whole but no program is compiled again.
fn wrong_image(bench: &Bench) -> Outcome {
    let options = bench.options();
    bench.kernel(&bench.device(&options)?, "add_one")?;
    let keep = ImageCache::in_folder(&bench.folder, 64 << 20);
    let names = std::fs::read_dir(&bench.folder)?.flatten().map(|entry| entry.path());
    let images: Vec<PathBuf> = names.filter(|path| path.extension().is_some_and(|e| e == "image")).collect();
    assert_eq!(images.len(), 1);
    // A whole file with other contents, made by storing under the same key.
    let key = quasar_runtime::kernel::cache::ImageKey::from_file_name(&images[0])
        .ok_or("a file name without key")?;
    keep.store(key, b"neither machine code nor text");
    let options = bench.options();
    let device = bench.device(&options)?;
    let kernel = bench.kernel(&device, "add_one")?;
    let x = Array::filled(&[10], 0)?;
    add_one(&device, &kernel, &x)?;
    assert_eq!(x.to_vec(), [1; 10]);
    assert_eq!((device.counters().now().compilations, options.images.counts().broken), (1, 1));
    Ok(())
}

/// Half as much again as the memory: arrays move to the host and back.
fn more_than_the_memory(bench: &Bench) -> Outcome {
    let options = DeviceOptions { limit: 8 << 20, ..bench.options() };
    let device = bench.device(&options)?;
    let kernel = bench.kernel(&device, "add_one")?;
    let arrays: Vec<Array<i32>> = (0..12).map(|k| Array::filled(&[1 << 18], k)).collect::<Result<_, _>>()?;
    for _ in 0..3 {
        for array in &arrays {
            add_one(&device, &kernel, array)?;
        }
    }
    for (k, array) in arrays.iter().enumerate() {
        assert!(array.to_vec().iter().all(|&x| x == k as i32 + 3));
    }
    assert!(device.counters().now().evictions > 0);
    let large = Array::filled(&[3 << 20], 1)?;
    assert!(matches!(large.on_device(&device, Access::Read), Err(Error::OutOfDeviceMemory { .. })));
    assert_eq!(large.get(&[5])?, 1);
    Ok(())
}

/// Blocks that wait for each other.
fn cooperative(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    let kernel = bench.kernel(&device, "add_one")?;
    let x = Array::filled(&[100], 1)?;
    {
        let memory = x.on_device(&device, Access::Write)?;
        let n = 100i32.to_ne_bytes();
        let args = [LaunchArg::Memory(&memory), LaunchArg::Bytes(&n)];
        let config = line(100, 64).cooperative();
        let resident = device.resident_blocks(&kernel, &config);
        assert_eq!(resident >= device.limits().multiprocessors, device.limits().cooperative, "{resident}");
        let launched = launch(&device, &kernel, config, &args);
        assert_eq!(launched.is_ok(), device.limits().cooperative, "{launched:?}");
    }
    assert_eq!(x.get(&[0])?, if device.limits().cooperative { 2 } else { 1 });
    Ok(())
}

/// More shared memory than every kernel may have.
fn much_shared_memory(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    let kernel = bench.kernel(&device, "block_sums")?;
    // Some drivers count what they need themselves, or the parameter, and align it.
    let bytes = (device.limits().shared_bytes.min(96 << 10) - kernel.facts().shared_bytes) / 256 * 256;
    let x = Array::filled(&[256], 1.0f32)?;
    let sum = Array::<f32>::zeros(&[1])?;
    {
        let (from, to) = (x.on_device(&device, Access::Read)?, sum.on_device(&device, Access::Overwrite)?);
        let n = 256i32.to_ne_bytes();
        let args = [LaunchArg::Memory(&from), LaunchArg::Memory(&to), LaunchArg::Bytes(&n)];
        launch(&device, &kernel, line(256, 256).with_shared(bytes), &args)?;
    }
    assert_eq!(sum.get(&[0])?, 256.0);
    Ok(())
}

/// A kernel that writes where nothing is: the device is lost, says so, and starts again.
fn lost_device(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    let source = KernelSource {
        name: "wild",
        dialect: bench.dialect,
        text: &[bench.prelude, "KERNEL wild(unsigned long long to) { *(int*)to = 1; }"].concat(),
        entry: "wild",
        options: &[],
        portable: &[],
    };
    let wild = device.kernel(&source)?;
    let (only_there, both) = (Array::filled(&[4], 1)?, Array::filled(&[4], 2)?);
    drop(only_there.on_device(&device, Access::Write)?);
    drop(both.on_device(&device, Access::Read)?);
    let nowhere = 0x10_u64.to_ne_bytes();
    launch(&device, &wild, LaunchConfig::new([1; 3], [1; 3]), &[LaunchArg::Bytes(&nowhere)])?;
    let error = device.synchronize().unwrap_err().to_string();
    assert!(error.contains("given up"), "{error}");
    assert!(device.is_lost());
    assert!(matches!(only_there.try_read(), Err(Error::Lost { .. })));
    assert_eq!(both.to_vec(), [2; 4]);
    // Some drivers start again in the same process, others do not; then kernels run on the processor.
    let device = device.renew()?;
    context::set("RUNTIME_ENGINE", "cuda")?;
    match device.synchronize() {
        Ok(()) => {
            let kernel = bench.kernel(&device, "add_one")?;
            add_one(&device, &kernel, &both)?;
            assert_eq!(both.to_vec(), [3; 4]);
            assert!(context::active_device().is_some());
        }
        Err(error) => {
            println!("{error}");
            assert!(error.to_string().contains("cannot be started"), "{error}");
            assert!(context::active_device().is_none());
            let warnings = context::warnings();
            assert!(warnings.iter().any(|warning| warning.to_string().contains("kernels run on the CPU")));
        }
    }
    Ok(())
}

/// Thousands of small launches of several kernels, with other operations in between, in the order of the calls.
fn many_launches(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    let (line_kernel, add_kernel) = (bench.kernel(&device, "line")?, bench.kernel(&device, "add_one")?);
    let n = 100;
    let f = |slope: f32, offset: f32| -> Vec<u8> {
        [slope, offset].iter().flat_map(|v| v.to_ne_bytes()).collect()
    };
    let count = (n as i32).to_ne_bytes();
    let (a, b, c) = (Array::filled(&[n], 1.0f32)?, Array::<f32>::uninit(&[n])?, Array::filled(&[n], 0i32)?);
    let (mut expected, mut counted) = (1.0f32, 0);
    for round in 0..3000 {
        // Back and forth, with numbers that change, and now and then another size of block.
        let (from, to) = if round % 2 == 0 { (&a, &b) } else { (&b, &a) };
        let offset = (round % 7) as f32 - 3.0;
        {
            let (from, to) =
                (from.on_device(&device, Access::Read)?, to.on_device(&device, Access::Overwrite)?);
            let f = f(-1.0, offset);
            let args = [
                LaunchArg::Memory(&from),
                LaunchArg::Memory(&to),
                LaunchArg::Bytes(&f),
                LaunchArg::Bytes(&count),
            ];
            let block = if round % 501 == 500 { 32 } else { 64 };
            launch(&device, &line_kernel, line(n, block), &args)?;
        }
        expected = offset - expected;
        if round % 3 == 0 {
            add_one(&device, &add_kernel, &c)?;
            counted += 1;
        }
        if round % 997 == 996 {
            assert_eq!(to.get(&[n as i64 - 1])?, expected, "round {round}");
            assert_eq!(c.get(&[0])?, counted);
        }
        if round == 2000 {
            c.write()[0] = 0;
            counted = 0;
            c.write().fill(0);
        }
    }
    device.synchronize()?;
    assert_eq!(a.to_vec(), vec![expected; n]);
    assert_eq!(c.to_vec(), vec![counted; n]);
    // Several threads, each with arrays of its own, and one that all change.
    let shared = Array::filled(&[50], 0i32)?;
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let own = Array::filled(&[50], 0i32).unwrap();
                for k in 0..500 {
                    add_one(&device, &add_kernel, &own).unwrap();
                    add_one(&device, &add_kernel, &shared).unwrap();
                    if k % 100 == 99 {
                        assert_eq!(own.to_vec(), [k + 1; 50]);
                    }
                }
            });
        }
    });
    assert_eq!(shared.to_vec(), [1500; 50]);
    Ok(())
}

/// The settings choose the device, and a choice that cannot be is a warning and the CPU.
#[cfg(feature = "opencl")]
fn settings(_bench: &Bench) -> Outcome {
    use quasar_runtime::context::active_device;
    context::set("RUNTIME_ENGINE", "opencl")?;
    let chosen = active_device().ok_or("there is an OpenCL device")?;
    assert_eq!((chosen.place(), chosen.dialect()), (Place::Linear(8), Some(Dialect::OpenCl)));
    assert_eq!(active_device().map(|device| device.serial()), Some(chosen.serial()));
    context::set("RUNTIME_ENGINE", "opencl:7")?;
    assert!(active_device().is_none());
    let warning = context::warnings().last().map(ToString::to_string).unwrap_or_default();
    assert!(warning.contains("kernels run on the CPU: there is no device of number 7"), "{warning}");
    context::set("RUNTIME_ENGINE", "opencl:0")?;
    assert_eq!(active_device().map(|device| device.serial()), Some(chosen.serial()));
    context::set("RUNTIME_ENGINE", "cpu")?;
    assert!(active_device().is_none());
    Ok(())
}

type Test = (&'static str, fn(&Bench) -> Outcome);

const EVERYWHERE: &[Test] = &[
    ("arguments", arguments),
    ("a chain of launches", chain),
    ("shared memory", shared_memory),
    ("refusals", refusals),
    ("memory", memory),
    ("transfers", transfers),
    ("images on disk", images),
    ("a second process", second_process),
    ("a wrong image", wrong_image),
    ("more than the memory", more_than_the_memory),
    ("cooperative launches", cooperative),
    ("much shared memory", much_shared_memory),
    ("many launches", many_launches),
];

/// The last one, since it disturbs what runs beside it on the same device: in a process of its own.
const LOST: Test = ("a lost device", lost_device);

fn trials(kind: &'static str, probe: Probe, dialect: Dialect, tests: &[Test], required: bool) -> Vec<Trial> {
    let options = DeviceOptions::from_settings(&Settings::default());
    let missing = probe(&options).err().map(|unavailable| unavailable.reason);
    let trial = |&(name, test): &Test| {
        let missing = missing.clone();
        let ignored = missing.is_some() && !required;
        let title = match &missing {
            Some(reason) => format!("{kind}: {name} [{reason}]"),
            None => format!("{kind}: {name}"),
        };
        let run = move || match missing {
            Some(reason) => Err(reason.into()),
            None => test(&Bench::new(probe, dialect)),
        };
        Trial::test(title, run).with_ignored_flag(ignored)
    };
    tests.iter().map(trial).collect()
}

#[cfg(feature = "cuda")]
mod nvrtc_only {
    use super::*;
    use quasar_runtime::device::cuda::{Nvrtc, nvrtc};

    /// Machine code for several architectures, PTX for one that is not known.
    fn compiles(compiler: &Nvrtc) -> Outcome {
        let text = [CUDA, KERNELS].concat();
        for architecture in [75, 80, 90] {
            let compiled = compiler.compile("k", &text, &["--ptxas-options=-v"], architecture)?;
            assert!(compiled.image.starts_with(b"\x7fELF"), "sm_{architecture}");
            assert!(compiled.log.contains("registers"), "{}", compiled.log);
        }
        let future = compiler.compile("k", &text, &[], 999)?;
        assert!(
            future.image.ends_with(b"\0")
                && String::from_utf8_lossy(&future.image).contains(".visible .entry line")
        );
        assert!(compiler.compile("k", &text, &[], 10).is_err());
        Ok(())
    }

    fn refuses(compiler: &Nvrtc) -> Outcome {
        let error = compiler
            .compile("bad", "\n\nextern \"C\" __global__ void bad() { nothing; }", &[], 90)
            .unwrap_err();
        assert!(error.contains("bad.cu(3)") && error.contains("nothing"), "{error}");
        assert!(compiler.compile("zero", "\0", &[], 90).is_err());
        assert!(compiler.compile("option", "", &["--no-such-option"], 90).is_err());
        Ok(())
    }

    type NvrtcTest = (&'static str, fn(&Nvrtc) -> Outcome);

    pub(super) fn trials() -> Vec<Trial> {
        let tests: [NvrtcTest; 2] = [("compiles", compiles), ("refuses", refuses)];
        let found = nvrtc();
        let trial = |(name, test): NvrtcTest| match found.clone() {
            Ok(compiler) => Trial::test(format!("nvrtc: {name}"), move || test(compiler)),
            Err(reason) => {
                Trial::test(format!("nvrtc: {name} [{reason}]"), || Ok(())).with_ignored_flag(true)
            }
        };
        tests.into_iter().map(trial).collect()
    }
}

fn main() {
    if let Some(kind) = std::env::var_os(OTHER_PROCESS) {
        if let Err(failed) = other_process(&kind.to_string_lossy()) {
            eprintln!("{}", failed.message().unwrap_or("failed"));
        }
        return;
    }
    let arguments = Arguments::from_args();
    let required = std::env::var_os("QUASAR_REQUIRE_GPU").is_some_and(|value| value == "1");
    let mut all: Vec<Trial> = Vec::new();
    #[cfg(feature = "opencl")]
    {
        use quasar_runtime::device::opencl::probe_with;
        all.extend(trials("opencl", probe_with, Dialect::OpenCl, EVERYWHERE, false));
        all.extend(trials("opencl", probe_with, Dialect::OpenCl, &[("settings", settings)], false));
    }
    #[cfg(feature = "cuda")]
    {
        use quasar_runtime::device::cuda::probe_with;
        // A lost device takes the whole process's context with it, so that test runs only when it is asked for.
        let lost = std::env::var_os("QUASAR_TEST_LOST_DEVICE").is_some();
        let tests = if lost { &[LOST][..] } else { EVERYWHERE };
        all.extend(trials("cuda", probe_with, Dialect::Cuda, tests, required));
        if !lost {
            all.extend(trials("cuda", probe_with, Dialect::Cuda, raw::TESTS, required));
        }
        all.extend(nvrtc_only::trials());
    }
    let _ = required;
    libtest_mimic::run(&arguments, all).exit();
}
