//! Launches that several devices share and that read rows around their own, on devices that only pretend: what is copied for
//! them, and that every row is the right one.

use quasar_devicelib::element::ElementType;
use quasar_runtime::abi::{
    self, Arg, Boundary, DeviceKernel, Form, Here, Parameter, RowRange, Style, Sum, Symbol,
};
use quasar_runtime::context::{with_device, with_devices};
use quasar_runtime::device::Device;
use quasar_runtime::device::fake::{Call, FakeDevice, FakeLaunch};
use quasar_runtime::{Array, Error, Result};
use std::sync::{Arc, LazyLock};

const HERE: Here = ("main", "x.q");

const FORM: Form = Form {
    entry: "window",
    text: "",
    portable: &[],
    style: Style::Positions,
    rank: 2,
    target: abi::Target::Any,
    divisible: true,
    reads: &[],
    accumulated: &[],
    parameters: &[
        Parameter::Array(ElementType::UInt8, 2),
        Parameter::Array(ElementType::UInt8, 2),
        Parameter::Value(4),
    ],
    sites: &[],
    dynamic_shared: false,
    heap: false,
    tables: &[],
    results: &[],
    cost: 1,
    writes: &[],
    overwritten: &[(1, false)],
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

/// Rows from `row - radius` to `row + radius`.
macro_rules! around {
    ($mode:ident) => {
        &[(
            0,
            &[RowRange {
                low: Sum { constant: 0, terms: &[(Symbol::Row, 1), (Symbol::Value(2), -1)] },
                high: Sum { constant: 0, terms: &[(Symbol::Row, 1), (Symbol::Value(2), 1)] },
                boundary: Some(Boundary::$mode),
            }],
        )]
    };
}

static MIRROR: LazyLock<DeviceKernel> =
    LazyLock::new(|| sealed(Form { entry: "mirror", reads: around!(Mirror), ..FORM }));
static CIRCULAR: LazyLock<DeviceKernel> =
    LazyLock::new(|| sealed(Form { entry: "circular", reads: around!(Circular), ..FORM }));
static CLAMPED: LazyLock<DeviceKernel> =
    LazyLock::new(|| sealed(Form { entry: "clamped", reads: around!(Clamped), ..FORM }));
static SAFE: LazyLock<DeviceKernel> =
    LazyLock::new(|| sealed(Form { entry: "safe", reads: around!(Safe), ..FORM }));
/// One that computes nothing.
static NOTHING: LazyLock<DeviceKernel> =
    LazyLock::new(|| sealed(Form { entry: "nothing", reads: around!(Mirror), overwritten: &[], ..FORM }));
/// One of whose rows nothing is known.
static ANY: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(Form { entry: "mirror", ..FORM }));
/// Adds to all rows what it reads of its own.
static SUMS: LazyLock<DeviceKernel> = LazyLock::new(|| {
    const OWN: Sum = Sum { constant: 0, terms: &[(Symbol::Row, 1)] };
    sealed(Form {
        entry: "sums",
        reads: &[(0, &[RowRange { low: OWN, high: OWN, boundary: Some(Boundary::Checked) }])],
        accumulated: &[1],
        parameters: &[Parameter::Array(ElementType::UInt8, 2), Parameter::Array(ElementType::Int32, 1)],
        overwritten: &[],
        results: &[(ElementType::Single, "add")],
        ..FORM
    })
});

/// The row that an index means.
fn row(k: i64, count: i64, mode: &str) -> Option<usize> {
    let mut k = k;
    match mode {
        "mirror" => {
            while !(0..count).contains(&k) {
                k = if k < 0 { -1 - k } else { 2 * count - 1 - k };
            }
        }
        "circular" => k = k.rem_euclid(count),
        "clamped" => k = k.clamp(0, count - 1),
        _ => {}
    }
    (0..count).contains(&k).then_some(k as usize)
}

/// An element of what the kernels compute.
fn window(x: &[u8], [rows, columns]: [usize; 2], [m, n]: [usize; 2], radius: i64, mode: &str) -> u8 {
    let tap = |k: i64| row(m as i64 + k, rows as i64, mode).map_or(0, |row| x[row * columns + n]);
    (-radius..=radius).fold(0, |sum, k| sum.wrapping_mul(3).wrapping_add(tap(k)))
}

fn number(launch: &FakeLaunch<'_>, k: usize) -> i32 {
    launch.value(k).try_into().map_or(0, i32::from_ne_bytes)
}

fn windowed(launch: &mut FakeLaunch<'_>, mode: &str) {
    let dims = [number(launch, 1) as usize, number(launch, 2) as usize];
    let (radius, start, end) = (i64::from(number(launch, 6)), number(launch, 9), number(launch, 10));
    let x = launch.memory(0).to_vec();
    for m in start as usize..end as usize {
        for n in 0..dims[1] {
            launch.memory(3)[m * dims[1] + n] = window(&x, dims, [m, n], radius, mode);
        }
    }
}

/// Arguments: x, its extents, sums, their extent, the extents of the launch, the part, partial results.
fn summed(launch: &mut FakeLaunch<'_>) {
    let columns = number(launch, 2) as usize;
    let (start, end) = (number(launch, 7) as usize, number(launch, 8) as usize);
    let x = launch.memory(0)[start * columns..end * columns].to_vec();
    let mut total = 0.0_f32;
    for value in x {
        let at = usize::from(value) % 8 * 4;
        let count = &mut launch.memory(3)[at..at + 4];
        let more = i32::from_ne_bytes((&*count).try_into().unwrap()).wrapping_add(1);
        count.copy_from_slice(&more.to_ne_bytes());
        total += f32::from(value);
    }
    launch.memory(9)[..4].copy_from_slice(&total.to_ne_bytes());
}

fn add_parts(launch: &mut FakeLaunch<'_>) {
    let parts = launch.memory(1).to_vec();
    for (sum, part) in launch.memory(0).chunks_exact_mut(4).zip(parts.chunks_exact(4)) {
        let [a, b] = [&*sum, part].map(|x| i32::from_ne_bytes(x.try_into().unwrap()));
        sum.copy_from_slice(&a.wrapping_add(b).to_ne_bytes());
    }
}

struct Group {
    fakes: Vec<Arc<FakeDevice>>,
    devices: Vec<Arc<dyn Device>>,
}

fn group_of(fakes: impl IntoIterator<Item = FakeDevice>) -> Group {
    let fakes: Vec<_> = fakes.into_iter().map(Arc::new).collect();
    for fake in &fakes {
        for mode in ["mirror", "circular", "clamped", "safe"] {
            fake.define(mode, move |launch| windowed(launch, mode));
        }
        fake.define("nothing", |_| {});
        fake.define("sums", summed);
        fake.define("add_parts_i32", add_parts);
    }
    let devices = fakes.iter().map(|fake| Arc::clone(fake) as Arc<dyn Device>).collect();
    Group { fakes, devices }
}

fn group(count: u8) -> Group {
    group_of((0..count).map(|k| FakeDevice::new(k, 1 << 20)))
}

impl Group {
    fn run<R>(&self, f: impl FnOnce() -> Result<R>) -> Result<R> {
        with_devices(self.devices.clone(), || abi::run(f))
    }

    /// Bytes of uploads, downloads and copies between devices since the last question.
    fn copied(&self) -> [usize; 3] {
        let mut copied = [0; 3];
        for call in self.fakes.iter().flat_map(|fake| fake.take_calls()) {
            match call {
                Call::Upload(_, bytes) => copied[0] += bytes,
                Call::Download(_, bytes) => copied[1] += bytes,
                Call::Receive(_, bytes) => copied[2] += bytes,
                _ => {}
            }
        }
        copied
    }
}

fn image(rows: usize, columns: usize, first: u8) -> Array<u8> {
    let element = |k: usize| (k * 37 + k / 11) as u8 ^ first;
    Array::from_vec(&[rows, columns], (0..rows * columns).map(element).collect()).unwrap()
}

fn filter(kernel: &'static DeviceKernel, x: &Array<u8>, y: &Array<u8>, radius: i32) -> Result<()> {
    assert!(offered(kernel, x, y, radius)?, "the devices run it");
    Ok(())
}

/// Whether devices ran it; they leave it to the processor where they have no memory.
fn offered(kernel: &'static DeviceKernel, x: &Array<u8>, y: &Array<u8>, radius: i32) -> Result<bool> {
    let args = [Arg::Read(x), Arg::Write(y), Arg::number(radius)];
    let size = [x.dims()[0] as i32, x.dims()[1] as i32];
    Ok(abi::offload_to_all(kernel, &size, None, &args, "(parallel_do) window", HERE)?.is_some())
}

fn filtered(x: &[u8], dims: [usize; 2], radius: i64, mode: &str) -> Vec<u8> {
    let element = |k: usize| window(x, dims, [k / dims[1], k % dims[1]], radius, mode);
    (0..dims[0] * dims[1]).map(element).collect()
}

/// The first rows of the parts of a launch.
fn cuts(rows: usize, devices: usize) -> Vec<usize> {
    (0..=devices).map(|k| rows * k / devices).collect()
}

/// The rows that devices read and do not have after a launch that wrote the array in the same parts.
fn halo(rows: usize, devices: usize, radius: i64, mode: &str) -> usize {
    let cuts = cuts(rows, devices);
    let of = |part: &[usize]| {
        let own = part[0]..part[1];
        let mut read: Vec<usize> = (own.start as i64 - radius..own.end as i64 + radius)
            .filter_map(|k| row(k, rows as i64, mode))
            .filter(|k| !own.contains(k))
            .collect();
        read.sort_unstable();
        read.dedup();
        read.len()
    };
    cuts.windows(2).map(of).sum()
}

fn modes() -> [(&'static DeviceKernel, &'static str); 4] {
    [(&MIRROR, "mirror"), (&CIRCULAR, "circular"), (&CLAMPED, "clamped"), (&SAFE, "safe")]
}

#[test]
fn a_chain_of_stencils_copies_the_halo_and_nothing_else() {
    let columns = 5;
    for (kernel, mode) in modes() {
        // Rows enough, fewer than the halo is wide, and as many as devices.
        for (devices, rows, radius) in
            [(2, 32, 1), (2, 31, 3), (3, 30, 2), (4, 8, 1), (2, 6, 5), (3, 3, 2), (2, 9, 0)]
        {
            let group = group(devices);
            let devices = usize::from(devices);
            let (x, y) = (image(rows, columns, 1), image(rows, columns, 2));
            let mut wanted = x.to_vec();
            group
                .run(|| {
                    for round in 0..6 {
                        let (from, to) = if round % 2 == 0 { (&x, &y) } else { (&y, &x) };
                        filter(kernel, from, to, radius)?;
                        wanted = filtered(&wanted, [rows, columns], radius.into(), mode);
                        let [uploads, downloads, received] = group.copied();
                        let least = halo(rows, devices, radius.into(), mode) * columns;
                        let place = format!("{mode}, {devices} devices, {rows} rows, radius {radius}");
                        assert_eq!(downloads, 0, "{place}");
                        if round == 0 {
                            // From the host, or from a device that has all rows: of `y` none, which is overwritten.
                            assert_eq!(uploads + received, least + rows * columns, "{place}");
                        } else {
                            assert_eq!((uploads, received), (0, least), "{place}, round {round}");
                        }
                    }
                    Ok(())
                })
                .unwrap();
            assert_eq!(x.to_vec(), wanted, "{mode}, {devices} devices, {rows} rows, radius {radius}");
            assert_eq!(group.copied()[1], rows * columns, "each row once");
        }
    }
}

#[test]
fn rows_of_which_nothing_is_known_are_all() {
    let group = group(2);
    let (x, y, z) = (image(8, 4, 1), image(8, 4, 2), image(8, 4, 3));
    let wanted = filtered(&filtered(&x.to_vec(), [8, 4], 1, "mirror"), [8, 4], 1, "mirror");
    group
        .run(|| {
            filter(&MIRROR, &x, &y, 1)?;
            assert_eq!(group.copied(), [40, 0, 0], "five rows each");
            filter(&ANY, &y, &z, 1)?;
            assert_eq!(group.copied(), [0, 0, 32], "the other half each");
            Ok(())
        })
        .unwrap();
    assert_eq!(z.to_vec(), wanted);
    // Indices that `int` does not hold could wrap around to any row.
    let (x, y) = (image(8, 4, 1), image(8, 4, 2));
    group.copied();
    group.run(|| filter(&NOTHING, &x, &y, i32::MAX)).unwrap();
    let [uploads, _, received] = group.copied();
    assert_eq!(uploads + received, 2 * 32 + 32, "all rows of `x` twice, those of `y` once");
}

#[test]
fn devices_that_do_not_reach_each_other_copy_the_halo_through_the_host() {
    let group = group_of((0..2).map(|k| FakeDevice::new(k, 1 << 20).alone()));
    let (x, y) = (image(10, 3, 1), image(10, 3, 2));
    let mut wanted = x.to_vec();
    group
        .run(|| {
            for round in 0..4 {
                let (from, to) = if round % 2 == 0 { (&x, &y) } else { (&y, &x) };
                group.copied();
                filter(&MIRROR, from, to, 2)?;
                wanted = filtered(&wanted, [10, 3], 2, "mirror");
                let halo = 2 * 2 * 3;
                assert!(round == 0 || group.copied() == [halo, halo, 0]);
            }
            Ok(())
        })
        .unwrap();
    assert_eq!(x.to_vec(), wanted);
}

#[test]
fn sums_are_combined_in_the_order_of_the_devices() {
    for count in 1..4 {
        let group = group(count);
        let (x, sums) = (image(9, 7, 3), Array::from_vec(&[8], vec![100; 8]).unwrap());
        let mut wanted = vec![100; 8];
        x.to_vec().iter().for_each(|value| wanted[usize::from(*value) % 8] += 1);
        let total: f32 = cuts(9, usize::from(count))
            .windows(2)
            .map(|part| x.to_vec()[part[0] * 7..part[1] * 7].iter().map(|v| f32::from(*v)).sum::<f32>())
            .fold(0.0, |sum, part| sum + part);
        let found = group
            .run(|| {
                let args = [Arg::Read(&x), Arg::Write(&sums)];
                let found = abi::offload_to_all(&SUMS, &[9, 7], None, &args, "sums", HERE)?.unwrap();
                Ok(found.number::<f32>(0))
            })
            .unwrap();
        assert_eq!(found, total);
        let launches = group.fakes.iter().flat_map(|fake| fake.take_calls());
        let launches = launches.filter(|call| matches!(call, Call::Launch(..))).count();
        assert_eq!(launches, 2 * usize::from(count) - 1, "each part, and what all but the first added up");
        assert_eq!(sums.to_vec(), wanted, "{count} devices");
    }
}

#[test]
fn a_lost_device_loses_its_rows_only() {
    let group = group(2);
    let (x, y) = (image(8, 4, 1), image(8, 4, 2));
    let wanted = filtered(&x.to_vec(), [8, 4], 1, "mirror");
    group.run(|| filter(&MIRROR, &x, &y, 1)).unwrap();
    group.fakes[1].lose();
    assert!(matches!(y.try_read(), Err(Error::Lost { .. })));
    assert_eq!(x.to_vec(), image(8, 4, 1).to_vec());
    // A halo that covers the other device's rows keeps them.
    let group = self::group(2);
    let (x, y, z) = (image(8, 4, 1), image(8, 4, 2), image(8, 4, 3));
    group.run(|| filter(&MIRROR, &x, &y, 1).and_then(|()| filter(&MIRROR, &y, &z, 4))).unwrap();
    group.fakes[1].lose();
    assert_eq!(y.to_vec(), wanted);
    assert!(matches!(z.try_read(), Err(Error::Lost { .. })));
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A random program over three arrays: divided launches on some devices, launches on one device, accesses of the host.
fn random_program(seed: u64, group: &Group) {
    let mut random = Random(seed);
    let dims = [1 + random.below(12), 1 + random.below(4)];
    let arrays: Vec<_> = (0..3).map(|k| image(dims[0], dims[1], k)).collect();
    let mut model: Vec<Vec<u8>> = arrays.iter().map(Array::to_vec).collect();
    let mut trace = vec![format!("{dims:?}")];
    for _ in 0..14 {
        let (from, to) = (random.below(3), random.below(3));
        match random.below(10) {
            0 => {
                let k = random.below(model[to].len());
                model[to][k] ^= 85;
                arrays[to].try_write().unwrap()[k] ^= 85;
                trace.push(format!("write {to}"));
            }
            1 => {
                trace.push(format!("read {to}"));
                assert_eq!(arrays[to].to_vec(), model[to], "seed {seed}: {trace:?}");
            }
            2 => {
                trace.push(format!("copy {to}"));
                assert_eq!(arrays[to].copy().unwrap().to_vec(), model[to], "seed {seed}: {trace:?}");
            }
            kind => {
                let (kernel, mode) = modes()[random.below(4)];
                let (kernel, mode) = if random.below(6) == 0 { (&*ANY, "mirror") } else { (kernel, mode) };
                let most = if random.below(4) == 0 { 30 } else { 4 };
                let radius = random.below(most) as i32;
                let mut devices = group.devices.clone();
                devices.rotate_left(random.below(group.devices.len()));
                devices.truncate(1 + random.below(group.devices.len()));
                trace.push(format!("{mode} {radius} {from}->{to} on {}", devices.len()));
                let launch = || abi::run(|| offered(kernel, &arrays[from], &arrays[to], radius));
                let done = match kind {
                    3 => with_device(devices.pop(), launch).unwrap(),
                    _ => with_devices(devices, launch).unwrap(),
                };
                model[to] = filtered(&model[from], dims, radius.into(), mode);
                if !done {
                    arrays[to].try_write().unwrap().copy_from_slice(&model[to]);
                }
            }
        }
    }
    for (array, wanted) in arrays.iter().zip(&model) {
        assert_eq!(&array.to_vec(), wanted, "seed {seed}: {trace:?}");
    }
}

#[test]
fn random_programs_give_the_same_on_any_devices() {
    let groups = [
        group(2),
        group(4),
        group_of((0..3).map(|k| FakeDevice::new(k, 1 << 20).alone())),
        group_of((0..2).map(|k| FakeDevice::new(k, 1 << 20).late())),
        // Memory for few arrays: others go to the host meanwhile.
        group_of((0..3).map(|k| FakeDevice::new(k, 150))),
    ];
    for seed in 0..400 {
        for group in &groups {
            random_program(seed, group);
        }
    }
    assert!(groups[0].copied()[2] > 0, "devices copied from each other");
}
