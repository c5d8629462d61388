//! The profiler: what is counted, timed and attributed, on the processor and on devices.

use quasar_devicelib::element::ElementType;
use quasar_runtime::profile::{self, Kind, Report, Row};
use quasar_runtime::{Array, abi, library};
use std::sync::{Mutex, MutexGuard, PoisonError};

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

#[test]
fn launches_of_the_processor_are_timed() {
    let _alone = alone();
    launch(10);
    profile::start();
    for n in [10, 30, 20] {
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
    assert!(row.total <= report.wall, "{row:?}");
    assert_eq!(report.events.len(), 3);
    assert!(
        report.events.windows(2).all(|two| two[0].start + two[0].time <= two[1].start),
        "{:?}",
        report.events
    );
    assert_eq!(profile::stop().unwrap(), Report::default(), "nobody measures");
}

#[test]
fn calls_of_the_library_are_counted_without_what_is_inside() {
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

#[test]
fn launches_and_copies_of_devices_are_timed() {
    use quasar_runtime::device::fake::FakeDevice;
    use quasar_runtime::device::{Device, Dialect, KernelSource, LaunchArg, LaunchConfig};
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
}
