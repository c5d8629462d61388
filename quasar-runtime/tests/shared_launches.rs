//! Launches that several devices run together, on devices that only pretend: who visits which rows, what is copied, and what
//! is left to one device.

use quasar_devicelib::device_text::{FaultRecord, identity};
use quasar_devicelib::element::ElementType;
use quasar_runtime::abi::{self, Arg, DeviceKernel, Form, Here, Parameter, Site, Style};
use quasar_runtime::array::coherence::{CopySet, Place};
use quasar_runtime::context::{self, with_device, with_devices};
use quasar_runtime::device::fake::{Call, FakeDevice, FakeLaunch};
use quasar_runtime::device::{Device, LaunchConfig};
use quasar_runtime::{Array, Error, Result};
use std::sync::{Arc, LazyLock, Mutex};

const HERE: Here = ("main", "x.q");
const NAME: &str = "(parallel_do) above";

const ABOVE: Form = Form {
    entry: "above",
    text: "",
    portable: &[],
    style: Style::Positions,
    rank: 2,
    target: abi::Target::Any,
    divisible: true,
    reads: &[],
    accumulated: &[],
    parameters: &[Parameter::Array(ElementType::UInt8, 2), Parameter::Array(ElementType::UInt8, 2)],
    sites: &[Site { subject: "x", line: 7, message: &[] }],
    dynamic_shared: false,
    heap: false,
    tables: &[],
    results: &[],
    cost: 1,
    writes: &[],
    overwritten: &[],
    unbounded: false,
    safe: None,
    team: None,
    block: None,
    tile: None,
    iterations: &[],
    seal: 0,
};

fn sealed(form: Form) -> DeviceKernel {
    // SAFETY: the kernels are functions of a fake device, which looks up all memory.
    let seal = unsafe { form.signature().seal() };
    DeviceKernel::new(Form { seal, ..form })
}

/// `y[pos] += x[pos[0] - 1, pos[1]]`, as in a mirror; fails at the value 251.
static KERNEL: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(ABOVE));
static IN_BLOCKS: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(Form { style: Style::Blocks, ..ABOVE }));
static IN_STRIPS: LazyLock<DeviceKernel> =
    LazyLock::new(|| sealed(Form { style: Style::Strips { rows: 4, threads: 128 }, ..ABOVE }));
static ALONE: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(Form { divisible: false, ..ABOVE }));

/// What each launch was told: the first row and the end.
type Told = Arc<Mutex<Vec<(i32, i32, LaunchConfig)>>>;

struct Group {
    fakes: Vec<Arc<FakeDevice>>,
    devices: Vec<Arc<dyn Device>>,
    told: Vec<Told>,
}

fn number(launch: &FakeLaunch<'_>, k: usize) -> i32 {
    launch.value(k).try_into().map_or(0, i32::from_ne_bytes)
}

fn above(launch: &mut FakeLaunch<'_>, divisible: bool, told: &Told) {
    let width = number(launch, 2) as usize;
    let (height, last) = (number(launch, 6), number(launch, 1) as usize - 1);
    let (start, end) = if divisible { (number(launch, 8), number(launch, 9)) } else { (0, height) };
    told.lock().unwrap().push((start, end, launch.config));
    let x = launch.memory(0).to_vec();
    for row in start as usize..end as usize {
        let from = if row == 0 { last.min(1) } else { row - 1 };
        for column in 0..number(launch, 7) as usize {
            let value = x[from * width + column];
            let y = launch.memory(3);
            y[row * width + column] = y[row * width + column].wrapping_add(value);
            if value == 251 {
                let record = launch.memory(if divisible { 10 } else { 8 });
                let words = [identity(""), FaultRecord::OUT_OF_BOUNDS, 0, 1, row as i32];
                record
                    .chunks_exact_mut(4)
                    .zip(words)
                    .for_each(|(to, word)| to.copy_from_slice(&word.to_ne_bytes()));
            }
        }
    }
}

fn group_of(fakes: impl IntoIterator<Item = FakeDevice>) -> Group {
    let fakes: Vec<_> = fakes.into_iter().map(Arc::new).collect();
    let told: Vec<Told> = fakes.iter().map(|_| Told::default()).collect();
    for (fake, told) in fakes.iter().zip(&told) {
        let (told, alone) = (Arc::clone(told), Arc::clone(told));
        fake.define("above", move |launch| above(launch, true, &told));
        fake.define("alone", move |launch| above(launch, false, &alone));
    }
    let devices = fakes.iter().map(|fake| Arc::clone(fake) as Arc<dyn Device>).collect();
    Group { fakes, devices, told }
}

fn group(count: u8) -> Group {
    group_of((0..count).map(|k| FakeDevice::new(k, 1 << 20)))
}

impl Group {
    fn run<R>(&self, f: impl FnOnce() -> R) -> R {
        with_devices(self.devices.clone(), f)
    }

    /// The rows of each device since the last question.
    fn rows(&self) -> Vec<Vec<(i32, i32)>> {
        let of = |told: &Told| std::mem::take(&mut *told.lock().unwrap()).into_iter().map(|(a, b, _)| (a, b));
        self.told.iter().map(|told| of(told).collect()).collect()
    }

    /// What was copied since the last question: uploads, downloads and copies between devices, each with its bytes.
    fn copies(&self) -> [Vec<usize>; 3] {
        let mut copies = [Vec::new(), Vec::new(), Vec::new()];
        for call in self.fakes.iter().flat_map(|fake| fake.take_calls()) {
            match call {
                Call::Upload(_, bytes) => copies[0].push(bytes),
                Call::Download(_, bytes) => copies[1].push(bytes),
                Call::Receive(_, bytes) => copies[2].push(bytes),
                _ => {}
            }
        }
        copies
    }
}

fn matrix(rows: usize, columns: usize, first: u8) -> Array<u8> {
    let elements = (0..rows * columns).map(|k| first + (k % 20) as u8).collect();
    Array::from_vec(&[rows, columns], elements).unwrap()
}

fn launch(kernel: &'static DeviceKernel, rows: i32, x: &Array<u8>, y: &Array<u8>) -> Result<()> {
    let args = [Arg::Read(x), Arg::Write(y)];
    let size = [rows, x.dims()[1] as i32];
    assert!(abi::offload_to_all(kernel, &size, None, &args, NAME, HERE)?.is_some());
    Ok(())
}

/// What the kernel computes.
fn expected(x: &[u8], y: &[u8], rows: usize, columns: usize) -> Vec<u8> {
    let place = |k: usize| if k < columns { k + columns } else { k - columns };
    let changed = |(k, y): (usize, &u8)| if k < rows * columns { y.wrapping_add(x[place(k)]) } else { *y };
    y.iter().enumerate().map(changed).collect()
}

#[test]
fn each_device_visits_its_rows() {
    for (count, rows, parts) in [
        (2, 7, vec![(0, 3), (3, 7)]),
        (3, 7, vec![(0, 2), (2, 4), (4, 7)]),
        (3, 9, vec![(0, 3), (3, 6), (6, 9)]),
        (3, 2, vec![(0, 1), (1, 2)]),
    ] {
        let group = group(count);
        let (x, y) = (matrix(rows, 3, 1), matrix(rows, 3, 100));
        let (old_x, old_y) = (x.to_vec(), y.to_vec());
        group.run(|| abi::run(|| launch(&KERNEL, rows as i32, &x, &y))).unwrap();
        let told: Vec<_> = group.rows().concat();
        assert_eq!(told, parts, "{count} devices, {rows} rows");
        let [mut uploads, downloads, received] = group.copies();
        uploads.sort_unstable();
        let own = parts.iter().map(|(a, b)| (b - a) as usize * 3);
        let mut all: Vec<usize> = own.chain([rows * 3]).collect();
        all.sort_unstable();
        assert_eq!(uploads, all, "what is read, and of what is written each part once");
        assert_eq!(received, vec![rows * 3; parts.len() - 1], "the others get what is read from the first");
        assert_eq!(downloads, Vec::<usize>::new());
        assert_eq!(y.places(), CopySet::EMPTY, "no place has everything");
        assert_eq!(y.to_vec(), expected(&old_x, &old_y, rows, 3));
        let [uploads, downloads, _] = group.copies();
        assert_eq!(downloads.iter().sum::<usize>(), rows * 3, "each part once: {downloads:?}");
        assert_eq!((uploads.len(), downloads.len()), (0, parts.len()));
    }
}

#[test]
fn a_setting_divides_launches_of_much_work() {
    let group = group(2);
    let (x, y) = (matrix(6, 2, 1), matrix(6, 2, 50));
    let run = |kernel: &'static DeviceKernel| {
        let args = [Arg::Read(&x), Arg::Write(&y)];
        let found = group.run(|| abi::run(|| abi::offload(kernel, &[6, 2], None, &args, NAME, HERE)));
        assert!(found.unwrap().is_some());
        group.rows().concat()
    };
    // The other tests ask for division themselves.
    for (least, parts) in [("0", vec![(0, 6)]), ("13", vec![(0, 6)]), ("12", vec![(0, 3), (3, 6)])] {
        context::set("RUNTIME_DIVIDED_WORK", least).unwrap();
        assert_eq!(run(&KERNEL), parts, "{least}");
    }
    group.fakes.iter().zip(&group.told).for_each(|(fake, told)| {
        let told = Arc::clone(told);
        fake.define("above", move |launch| above(launch, false, &told));
    });
    assert_eq!(run(&ALONE), [(0, 6)]);
    context::set("RUNTIME_DIVIDED_WORK", "0").unwrap();
}

#[test]
fn parts_stay_where_they_are() {
    let group = group(2);
    let (x, y) = (matrix(8, 4, 1), matrix(8, 4, 50));
    let mut wanted = y.to_vec();
    group
        .run(|| {
            abi::run(|| {
                launch(&KERNEL, 8, &x, &y)?;
                group.copies();
                // The same parts again.
                (0..3).try_for_each(|_| launch(&KERNEL, 8, &x, &y))?;
                assert_eq!(group.copies(), [const { Vec::<usize>::new() }; 3]);
                (0..4).for_each(|_| wanted = expected(&x.to_vec(), &wanted, 8, 4));
                // Each device needs the other half to read it.
                let z = Array::zeros(&[8, 4])?;
                launch(&KERNEL, 8, &y, &z)?;
                assert_eq!(group.copies(), [vec![], vec![], vec![16, 16]]);
                assert_eq!(z.to_vec(), expected(&wanted, &[0; 32], 8, 4));
                assert_eq!(y.to_vec(), wanted);
                assert_eq!(
                    group.copies()[1],
                    [16, 32, 16],
                    "two parts, and an array that is there as a whole"
                );
                // The parts are still valid where they are.
                launch(&KERNEL, 8, &x, &y)?;
                assert_eq!(group.copies(), [const { Vec::<usize>::new() }; 3]);
                wanted = expected(&x.to_vec(), &wanted, 8, 4);
                // The host changes it: what the devices have is old.
                y.try_write()?[0] += 1;
                wanted[0] += 1;
                group.copies();
                launch(&KERNEL, 8, &x, &y)?;
                assert_eq!(group.copies(), [vec![16, 16], vec![], vec![]]);
                wanted = expected(&x.to_vec(), &wanted, 8, 4);
                assert_eq!(y.copy()?.to_vec(), wanted);
                Ok(())
            })
        })
        .unwrap();
}

#[test]
fn other_parts_come_from_where_they_are() {
    let group = group(3);
    let (x, y) = (matrix(8, 4, 1), matrix(8, 4, 50));
    let mut wanted = y.to_vec();
    let result = group.run(|| {
        abi::run(|| {
            launch(&KERNEL, 8, &x, &y)?;
            group.copies();
            with_devices(group.devices[..2].to_vec(), || launch(&KERNEL, 8, &x, &y))?;
            // Rows 0 1, 2 3 4, 5 6 7 become 0 1 2 3, 4 5 6 7.
            assert_eq!(group.copies()[2], [8, 12]);
            (0..2).for_each(|_| wanted = expected(&x.to_vec(), &wanted, 8, 4));
            // One device alone gets everything.
            with_device(Some(Arc::clone(&group.devices[2])), || launch(&KERNEL, 8, &x, &y))?;
            wanted = expected(&x.to_vec(), &wanted, 8, 4);
            assert_eq!(group.copies()[2], [16, 16]);
            assert_eq!(y.places(), CopySet::only(Place::Linear(2)));
            assert_eq!(y.to_vec(), wanted);
            Ok(())
        })
    });
    result.unwrap();
}

#[test]
fn devices_that_do_not_reach_each_other_go_through_the_host() {
    let group = group_of((0..2).map(|k| FakeDevice::new(k, 1 << 20).alone()));
    let (x, y, z) = (matrix(6, 2, 1), matrix(6, 2, 50), matrix(6, 2, 0));
    let (old_y, old_z) = (expected(&x.to_vec(), &y.to_vec(), 6, 2), z.to_vec());
    group.run(|| abi::run(|| launch(&KERNEL, 6, &x, &y).and_then(|()| launch(&KERNEL, 6, &y, &z)))).unwrap();
    let [_, downloads, received] = group.copies();
    assert_eq!((downloads, received), (vec![6, 6], vec![]), "each part once");
    assert_eq!(z.to_vec(), expected(&old_y, &old_z, 6, 2));
    assert_eq!(y.to_vec(), old_y);
}

#[test]
fn rows_beyond_the_launch_keep_their_elements() {
    let group = group(2);
    let (x, y) = (matrix(4, 2, 1), matrix(9, 2, 50));
    let wanted = expected(&x.to_vec(), &y.to_vec(), 4, 2);
    group.run(|| abi::run(|| launch(&KERNEL, 4, &x, &y))).unwrap();
    assert_eq!(group.rows().concat(), [(0, 2), (2, 4)]);
    assert_eq!(y.to_vec(), wanted);
}

#[test]
fn blocks_and_strips_are_not_cut() {
    let group = group(2);
    let (x, y) = (matrix(40, 2, 1), matrix(40, 2, 0));
    let run = |block: Option<&[i32]>, kernel: &'static DeviceKernel| {
        let args = [Arg::Read(&x), Arg::Write(&y)];
        group
            .run(|| abi::run(|| abi::offload_to_all(kernel, &[40, 2], block, &args, NAME, HERE).map(drop)))
            .unwrap();
        let configs = group.told.iter().flat_map(|told| told.lock().unwrap().last().map(|(.., c)| *c));
        let configs: Vec<_> = configs.collect();
        (group.rows().concat(), configs)
    };
    let (rows, configs) = run(Some(&[16, 2]), &IN_BLOCKS);
    assert_eq!(rows, [(0, 16), (16, 40)]);
    assert_eq!((configs[0].grid, configs[1].grid), ([1, 1, 1], [1, 2, 1]));
    assert_eq!(configs[0].block, [2, 16, 1]);
    // The block that the whole launch would have: 10 rows divide 40.
    let (rows, configs) = run(None, &IN_BLOCKS);
    assert_eq!((rows, configs[1].block), (vec![(0, 20), (20, 40)], [2, 10, 1]));
    assert_eq!(run(None, &IN_STRIPS).0, [(0, 20), (20, 40)]);
    // One block is for one device, which visits all of it.
    assert_eq!(run(Some(&[64, 2]), &IN_BLOCKS).0, [(0, 40)]);
}

#[test]
fn one_device_does_what_cannot_be_shared() {
    let all = group(2);
    let (x, y) = (matrix(6, 2, 1), matrix(6, 2, 50));
    let one = |group: &Group, rows: &[(i32, i32)]| {
        assert_eq!(group.rows().concat(), rows);
        group.copies();
    };
    all.run(|| {
        abi::run(|| {
            // One row.
            launch(&KERNEL, 1, &x, &y)?;
            one(&all, &[(0, 1)]);
            // Where the program wants its launches.
            let before = abi::place_launches_on_gpu(1)?;
            launch(&KERNEL, 6, &x, &y)?;
            abi::place_launches(before)?;
            assert_eq!(all.rows(), [vec![], vec![(0, 6)]]);
            // Nothing to do.
            launch(&KERNEL, 0, &x, &y)?;
            one(&all, &[]);
            Ok(())
        })
    })
    .unwrap();
    // What is written has fewer rows than there are positions: the kernel decides what that means.
    let x = matrix(6, 2, 1);
    let short = matrix(5, 2, 0);
    let other = group(2);
    other.fakes.iter().for_each(|fake| fake.define("above", |_| {}));
    other.run(|| abi::run(|| launch(&KERNEL, 6, &x, &short))).unwrap();
    let launches = other
        .fakes
        .iter()
        .map(|fake| fake.take_calls().iter().filter(|c| matches!(c, Call::Launch(..))).count());
    assert_eq!(launches.sum::<usize>(), 1);
    // Devices of different kinds.
    let (x, y) = (matrix(6, 2, 1), matrix(6, 2, 50));
    let mixed = group_of([
        FakeDevice::new(0, 1 << 20),
        FakeDevice::new(1, 1 << 20).with_limits(|l| l.multiprocessors = 8),
    ]);
    mixed.run(|| abi::run(|| launch(&KERNEL, 6, &x, &y))).unwrap();
    assert_eq!(mixed.rows().concat(), [(0, 6)]);
    // A kernel that is not divisible.
    let (x, y) = (matrix(6, 2, 1), matrix(6, 2, 50));
    let plain = group(2);
    plain.fakes.iter().zip(&plain.told).for_each(|(fake, told)| {
        let told = Arc::clone(told);
        fake.define("above", move |launch| above(launch, false, &told));
    });
    plain.run(|| abi::run(|| launch(&ALONE, 6, &x, &y))).unwrap();
    assert_eq!(plain.rows().concat(), [(0, 6)]);
}

#[test]
fn an_error_of_any_device_comes_back() {
    for row in [0, 5] {
        let group = group(2);
        let (x, y) = (matrix(6, 2, 1), matrix(6, 2, 50));
        x.set(&[row, 1], 251).unwrap();
        let error = group.run(|| abi::run(|| launch(&KERNEL, 6, &x, &y))).err();
        let fails = row < 5;
        assert_eq!(error.is_some(), fails, "{error:?}");
        if let Some(error) = error {
            assert_eq!(error.to_string(), "(parallel_do) above - index out of bounds: x[1], size 0, line 7");
        }
    }
    let group = group(2);
    let (x, y) = (matrix(6, 2, 1), matrix(6, 2, 50));
    x.set(&[4, 1], 251).unwrap();
    let error = group.run(|| abi::run(|| launch(&KERNEL, 6, &x, &y))).unwrap_err();
    assert!(error.to_string().starts_with("(parallel_do) above - index out of bounds: x[5]"), "{error}");
}

#[test]
fn nothing_begins_before_all_devices_are_ready() {
    let group = group(2);
    let fresh = FakeDevice::new(1, 1 << 20);
    let broken: Arc<dyn Device> = Arc::new(fresh);
    let (x, y) = (matrix(6, 2, 1), matrix(6, 2, 50));
    // The second one has no function for the kernel, as if it did not compile there.
    let devices = vec![Arc::clone(&group.devices[0]), broken];
    let error = with_devices(devices, || abi::run(|| launch(&KERNEL, 6, &x, &y))).unwrap_err();
    assert!(matches!(error, Error::Device { .. }), "{error}");
    assert!(group.rows().concat().is_empty());
    assert_eq!(y.to_vec(), matrix(6, 2, 50).to_vec());
}

#[test]
fn a_lost_part_is_lost_and_short_memory_moves_parts_to_the_host() {
    let group = group(2);
    let (x, y) = (matrix(6, 2, 1), matrix(6, 2, 50));
    group.run(|| abi::run(|| launch(&KERNEL, 6, &x, &y))).unwrap();
    group.fakes[1].lose();
    assert!(matches!(y.try_read(), Err(Error::Lost { .. })));
    assert_eq!(x.to_vec(), matrix(6, 2, 1).to_vec());
    // Devices with memory for three arrays.
    let small = group_of((0..2).map(|k| FakeDevice::new(k, 3 * 1024 + 512)));
    let (x, y) = (matrix(32, 32, 1), matrix(32, 32, 50));
    let wanted = expected(&x.to_vec(), &y.to_vec(), 32, 32);
    let others: Vec<_> = (0..3).map(|k| matrix(32, 32, k)).collect();
    small
        .run(|| {
            abi::run(|| {
                launch(&KERNEL, 32, &x, &y)?;
                small.copies();
                others.iter().try_for_each(|other| launch(&KERNEL, 32, other, &matrix(32, 32, 0)))
            })
        })
        .unwrap();
    assert_eq!(y.places(), CopySet::only(Place::Host));
    assert_eq!(small.copies()[1].iter().filter(|bytes| **bytes == 512).count(), 2, "both parts of y");
    assert_eq!(y.to_vec(), wanted);
}
