//! The profiler: what is counted, timed and attributed, on the processor and on devices.

use libtest_mimic::{Arguments, Trial};
use quasar_devicelib::element::ElementType;
use quasar_runtime::device::select::Devices;
use quasar_runtime::device::{Device, Dialect, KernelSource, LaunchArg, LaunchConfig};
use quasar_runtime::profile::{self, Kind, Report, Row};
use quasar_runtime::{Array, abi, library};
use std::sync::{Mutex, MutexGuard, PoisonError};

fn main() {
    let args = Arguments::from_args();
    let trial = |name: &str, run: fn()| {
        Trial::test(name, move || {
            run();
            Ok(())
        })
    };
    let mut trials = vec![
        trial("launches_of_the_processor_are_timed", launches_of_the_processor_are_timed),
        trial("each_thread_has_a_track", each_thread_has_a_track),
        trial("memory_is_followed", memory_is_followed),
        trial("calls_of_the_library_are_counted_without_what_is_inside", calls_of_the_library_are_counted),
        trial("launches_and_copies_of_devices_are_timed", launches_of_devices_are_timed),
    ];
    for (name, probe) in DRIVERS {
        let missing = probe().err().map(|reason| reason.to_string());
        let test = Trial::test(format!("{name}: launches_tell_their_times"), move || {
            driver_tells_times(*probe);
            Ok(())
        });
        trials.push(match missing {
            Some(reason) => test.with_kind(reason).with_ignored_flag(true),
            None => test,
        });
    }
    libtest_mimic::run(&args, trials).exit();
}

/// What looks for the devices of a driver.
type Probe = fn() -> Devices;

const DRIVERS: &[(&str, Probe)] = &[
    #[cfg(feature = "opencl")]
    ("opencl", quasar_runtime::device::opencl::probe),
    #[cfg(feature = "cuda")]
    ("cuda", quasar_runtime::device::cuda::probe),
];

/// The profile is one for the process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Doubled;

impl abi::lib::Kernel<1> for Doubled {
    type Args<'a> = (abi::lib::View<'a, f32, 1>, (abi::lib::Band<'a, f32, 1>, ()));
    type Sum = ();

    fn run<I: abi::lib::Isa>(_args: Self::Args<'_>, task: abi::lib::Task<1>, _fault: &abi::lib::Fault) {
        std::hint::black_box(task.rows().count());
        std::thread::sleep(std::time::Duration::from_millis(2));
    }

    fn merge((): (), (): ()) {}
}

static KERNEL: abi::Source =
    abi::Source { name: "(parallel_do) opt__main_line5", file: "/folder/x.q", line: 5 };

fn launch(n: usize) {
    let (x, mut y) = (vec![1.0f32; n], vec![0.0f32; n]);
    let args = (abi::lib::View::new(&x, &[n]), (abi::lib::Band::new(&mut y, &[n]), ()));
    let plan = abi::Plan { depth: 0, cost: 1, kernel: &KERNEL };
    abi::launch::<Doubled, 1>([n as i32], args, plan, &abi::lib::Fault::new());
}

fn row<'r>(report: &'r Report, kind: Kind, name: &str) -> &'r Row {
    let found = report.rows.iter().find(|row| row.kind == kind && row.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {}", report.table()))
}

fn launches_of_the_processor_are_timed() {
    let _alone = alone();
    launch(10);
    profile::start();
    for n in [10, 30, 20] {
        abi::operations(|| Some(7.0));
        launch(n);
    }
    let report = profile::stop().unwrap();
    launch(10);
    let row = row(&report, Kind::Kernel, "main_line5");
    assert_eq!(
        (row.count, row.untimed, row.line, &row.file[..], &row.device[..]),
        (3, 0, 5, "/folder/x.q", "CPU")
    );
    assert_eq!(row.bytes, 2 * 4 * (10 + 30 + 20));
    assert!(row.min >= 2_000_000 && row.max >= row.min && row.total >= 3 * row.min, "{row:?}");
    assert_eq!((row.operations, row.uncounted), (7 * (10 + 30 + 20), 0));
    assert_eq!((row.samples.len(), row.samples.iter().sum()), (3, row.total));
    assert!(row.intensity().is_some_and(|(intensity, _)| intensity == 7.0 / 8.0), "{row:?}");
    assert!(row.total <= report.wall, "{row:?}");
    assert_eq!(report.events.len(), 3);
    assert!(report.events.iter().all(|event| event.track == report.events[0].track && !event.is_on_device()));
    assert!(report.date > 1_700_000_000 && !report.machine.is_empty());
    assert!(
        report.events.windows(2).all(|two| two[0].start + two[0].time <= two[1].start),
        "{:?}",
        report.events
    );
    assert_eq!(profile::stop().unwrap(), Report::default(), "nobody measures");
}

fn each_thread_has_a_track() {
    let _alone = alone();
    profile::start();
    launch(10);
    std::thread::spawn(|| {
        abi::operations(|| None);
        launch(10);
    })
    .join()
    .unwrap();
    let report = profile::stop().unwrap();
    let tracks: Vec<&str> = report.events.iter().map(|event| &event.track[..]).collect();
    assert!(tracks.len() == 2 && tracks[0] != tracks[1], "{tracks:?}");
    assert!(tracks.iter().all(|track| track.starts_with("thread ")), "{tracks:?}");
    // The operations of one thread are not those of another.
    assert!(row(&report, Kind::Kernel, "main_line5").uncounted > 0);
    let trace = report.to_trace();
    assert!(tracks.iter().all(|track| trace.contains(&format!("\"name\": \"{track}\""))), "{trace}");
}

fn memory_is_followed() {
    const BYTES: u64 = 4 << 20;
    let _alone = alone();
    profile::start();
    let x = Array::<f32>::filled(&[1 << 20], 2.0).unwrap();
    let y = Array::<f32>::filled(&[1 << 20], 2.0).unwrap();
    drop(x);
    let report = profile::stop().unwrap();
    drop(y);
    let host = report.memory.iter().find(|memory| memory.device == "host").unwrap();
    let (least, last) =
        (host.points.iter().map(|point| point.1).min().unwrap(), host.points.last().unwrap().1);
    assert_eq!(host.peak - last, BYTES, "{host:?}");
    assert_eq!(host.peak - least, BYTES, "{host:?}");
    assert!(host.points.windows(2).all(|two| two[0].0 <= two[1].0), "{host:?}");
}

fn calls_of_the_library_are_counted() {
    let _alone = alone();
    profile::start();
    let x = Array::<f32>::filled(&[100], 2.0).unwrap();
    for _ in 0..2 {
        library::call("sort", &[x.to_value()], 1, ElementType::Single).unwrap();
    }
    assert!(library::call("no_such_function", &[], 1, ElementType::Single).is_err());
    let report = profile::stop().unwrap();
    assert_eq!(row(&report, Kind::Library, "sort").count, 2);
    let trace = report.to_trace();
    assert_eq!(trace.matches("\"ph\": \"X\"").count(), report.events.len());
    assert!(trace.contains("\"cat\": \"library\""), "{trace}");
}

fn launches_of_devices_are_timed() {
    use quasar_runtime::device::fake::FakeDevice;
    let _alone = alone();
    let device = FakeDevice::new(0, 1 << 20);
    device.define("slow", |_| std::thread::sleep(std::time::Duration::from_millis(3)));
    let source = KernelSource {
        name: "slow",
        dialect: Dialect::Cuda,
        text: "slow",
        entry: "slow",
        options: &[],
        portable: &[],
    };
    let kernel = device.kernel(&source).unwrap();
    let memory = device.allocate(400).unwrap();
    profile::start();
    for _ in 0..2 {
        let config = LaunchConfig::new([4, 1, 1], [32, 1, 1]);
        #[allow(unsafe_code, reason = "a kernel of this test")]
        // SAFETY: the kernel touches nothing.
        unsafe { device.launch(&kernel, &config, &[LaunchArg::Memory(&memory)]) }.unwrap();
    }
    device.synchronize().unwrap();
    let report = profile::stop().unwrap();
    let row = row(&report, Kind::Kernel, "slow");
    assert_eq!((row.count, row.untimed, &row.device[..], row.bytes), (2, 0, device.name(), 800));
    assert_eq!((row.grid, row.block), ([4, 1, 1], [32, 1, 1]));
    assert!(row.min >= 3_000_000 && row.total <= report.wall, "{row:?}");
    assert!(
        report.events.iter().all(|event| event.is_on_device() && event.track_name().ends_with(": stream"))
    );
}

/// The events of a driver give times, of each launch.
fn driver_tells_times(probe: Probe) {
    const LAUNCHES: u64 = 40;
    const N: usize = 1 << 16;
    let _alone = alone();
    profile::start();
    let device = probe().unwrap().remove(0);
    let dialect = device.dialect().unwrap();
    let begin = match dialect {
        Dialect::Cuda => {
            "extern \"C\" __global__ void busy(float *x) { int i = blockIdx.x * blockDim.x + threadIdx.x;"
        }
        _ => "__kernel void busy(__global float *x) { int i = get_global_id(0);",
    };
    let text =
        format!("{begin} float y = x[i]; for (int k = 0; k < 200; ++k) y = y * 0.5f + 1.0f; x[i] = y; }}");
    let source =
        KernelSource { name: "busy", dialect, text: &text, entry: "busy", options: &[], portable: &[] };
    let kernel = device.kernel(&source).unwrap();
    let memory = device.allocate(4 * N).unwrap();
    device.upload(&vec![0; 4 * N], &memory).unwrap();
    let config = LaunchConfig::new([N as u32 / 64, 1, 1], [64, 1, 1]);
    for _ in 0..LAUNCHES {
        #[allow(unsafe_code, reason = "a kernel of this test")]
        // SAFETY: each thread touches its own element, and there are as many.
        unsafe { device.launch(&kernel, &config, &[LaunchArg::Memory(&memory)]) }.unwrap();
    }
    let mut found = vec![0; 4 * N];
    device.download(&memory, &mut found).unwrap();
    let report = profile::stop().unwrap();
    assert!(found.chunks_exact(4).all(|x| f32::from_ne_bytes(x.try_into().unwrap()) == 2.0));
    println!("{}", report.table());
    let busy = row(&report, Kind::Kernel, "busy");
    assert_eq!((busy.count, busy.untimed, &busy.device[..]), (LAUNCHES, 0, device.name()));
    assert_eq!((busy.grid, busy.block, busy.bytes), (config.grid, config.block, LAUNCHES * 4 * N as u64));
    assert!(busy.min > 0 && busy.max >= busy.min && busy.total <= report.wall, "{busy:?}");
    assert_eq!(row(&report, Kind::Compilation, "busy").count, 1);
    assert_eq!(row(&report, Kind::Allocation, "memory").bytes, 4 * N as u64);
    for name in ["to the device", "from the device"] {
        let copy = row(&report, Kind::Copy, name);
        assert_eq!((copy.count, copy.bytes), (1, 4 * N as u64));
    }
    let used = report.memory.iter().find(|memory| memory.device == device.name()).unwrap();
    assert!(used.peak >= 4 * N as u64, "{used:?}");
    let limits = profile::limits(device.name()).expect("the device is here");
    assert!(limits.bandwidth > 1_000_000 && limits.operations > 1_000_000, "{limits:?}");
    // One launch after the other, as the stream does them.
    let launches: Vec<_> =
        report.events.iter().filter(|event| event.name == "busy" && event.kind == Kind::Kernel).collect();
    assert_eq!(launches.len() as u64, LAUNCHES);
    assert!(launches.windows(2).all(|two| two[0].start <= two[1].start));
}
