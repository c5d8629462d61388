//! Launches, making room and failures, on a device that only pretends.

use quasar_runtime::array::coherence::{Access, CopySet, Place};
use quasar_runtime::context::{self, active_device, with_device};
use quasar_runtime::device::fake::{Call, FakeDevice};
use quasar_runtime::device::{Device, Dialect, KernelHandle, KernelSource, LaunchArg, LaunchConfig};
use quasar_runtime::{Array, Error};
use std::sync::Arc;

fn device(number: u8, capacity: usize) -> (Arc<FakeDevice>, Arc<dyn Device>) {
    let fake = Arc::new(FakeDevice::new(number, capacity));
    (Arc::clone(&fake), fake)
}

fn kernel(device: &Arc<dyn Device>, entry: &str) -> KernelHandle {
    let source =
        KernelSource { name: entry, dialect: Dialect::OpenCl, text: "", entry, options: &[], portable: &[] };
    device.kernel(&source).unwrap()
}

fn launch(device: &Arc<dyn Device>, kernel: &KernelHandle, args: &[LaunchArg<'_>]) -> Result<(), Error> {
    // SAFETY: the kernels of these tests are safe functions.
    unsafe { device.launch(kernel, &LaunchConfig::new([1; 3], [1; 3]), args) }
}

/// Adds a number to every byte.
fn define_add(fake: &FakeDevice) {
    fake.define("add", |launch| {
        let addend = launch.value(1)[0];
        launch.memory(0).iter_mut().for_each(|byte| *byte = byte.wrapping_add(addend));
    });
}

#[test]
fn a_chain_of_launches_uploads_and_downloads_once() {
    let (fake, device) = device(0, 1 << 20);
    define_add(&fake);
    let add = kernel(&device, "add");
    let a = Array::from_vec(&[3], vec![1u8, 2, 3]).unwrap();
    for k in 1..=20u8 {
        let memory = a.on_device(&device, Access::Write).unwrap();
        launch(&device, &add, &[LaunchArg::Memory(&memory), LaunchArg::Bytes(&[k])]).unwrap();
    }
    assert_eq!(a.to_vec(), [211, 212, 213]);
    let traffic = device.counters().now();
    assert_eq!((traffic.uploads, traffic.launches, traffic.downloads), (1, 20, 1));
    assert_eq!((traffic.uploaded_bytes, traffic.downloaded_bytes), (3, 3));
    let calls = fake.take_calls();
    assert_eq!(calls[0], Call::Compile("add".into()));
    assert_eq!(calls[1], Call::Load("add".into()));
    assert!(matches!(&calls[4], Call::Launch(name, memories) if name == "add" && memories.len() == 1));
}

#[test]
fn launches_that_cannot_be_are_refused() {
    let ((fake, first), (_, second)) = (device(0, 1 << 10), device(1, 1 << 10));
    define_add(&fake);
    let add = kernel(&first, "add");
    assert!(add.is_for(&*first) && !add.is_for(&*second));
    let error = launch(&second, &add, &[]).unwrap_err();
    assert_eq!(error.to_string(), "device fake1: kernel 'add' was compiled for another device");
    let refused = |config: LaunchConfig| {
        // SAFETY: the kernels of these tests are safe functions.
        unsafe { first.launch(&add, &config, &[]) }.unwrap_err().to_string()
    };
    assert_eq!(
        refused(LaunchConfig::new([1; 3], [64, 32, 1])),
        "device fake0: kernel 'add': a block of 2048 threads is too large, at most 1024 are possible"
    );
    assert_eq!(
        refused(LaunchConfig::new([1, 70_000, 1], [32, 1, 1])),
        "device fake0: kernel 'add': a grid of [1, 70000, 1] is too large, at most [2147483647, 65535, 65535] is possible"
    );
    assert_eq!(
        refused(LaunchConfig::new([1; 3], [1; 3]).with_shared(50_000)),
        "device fake0: kernel 'add': 50000 bytes of shared memory are too many, at most 49152 are possible"
    );
    assert!(refused(LaunchConfig::new([1; 3], [1; 3]).cooperative()).contains("not supported yet"));
    let missing = KernelSource {
        name: "k",
        dialect: Dialect::OpenCl,
        text: "",
        entry: "missing",
        options: &[],
        portable: &[],
    };
    assert!(first.kernel(&missing).is_err());
}

#[test]
fn readers_on_host_and_device_do_not_exclude_each_other() {
    let (fake, device) = device(0, 1 << 10);
    let a = Array::from_vec(&[2], vec![1u8, 2]).unwrap();
    let on_host = a.read();
    let first = a.on_device(&device, Access::Read).unwrap();
    let second = a.on_device(&device, Access::Read).unwrap();
    assert_eq!(first.id(), second.id());
    assert!(matches!(a.on_device(&device, Access::Write), Err(Error::Argument { .. })));
    drop((on_host, first, second));
    let written = a.on_device(&device, Access::Write).unwrap();
    assert!(matches!(a.try_read(), Err(Error::Argument { .. })));
    fake.run(&written, |bytes| bytes[0] = 9);
    drop(written);
    let shared = a.on_device(&device, Access::Read).unwrap();
    assert_eq!(a.to_vec(), [9, 2], "read on the host while the device reads");
    drop(shared);
}

#[test]
fn threads_wait_for_work_that_is_being_submitted() {
    let (fake, device) = device(0, 1 << 10);
    let a = Array::from_vec(&[1], vec![0u8]).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for k in 0..50 {
                    if k % 2 == 0 {
                        let memory = a.on_device(&device, Access::Write).unwrap();
                        fake.run(&memory, |bytes| bytes[0] += 1);
                    } else {
                        a.write()[0] += 1;
                        let _ = a.get(&[0]).unwrap();
                    }
                }
            });
        }
    });
    assert_eq!(a.to_vec(), [200]);
}

#[test]
fn the_longest_unused_arrays_make_room() {
    let (fake, device) = device(0, 100);
    let arrays: Vec<Array<u8>> = (0..3).map(|k| Array::filled(&[40], k).unwrap()).collect();
    for array in &arrays[..2] {
        let memory = array.on_device(&device, Access::Write).unwrap();
        fake.run(&memory, |bytes| bytes[0] += 10);
    }
    drop(arrays[0].on_device(&device, Access::Read).unwrap());
    fake.take_calls();
    drop(arrays[2].on_device(&device, Access::Read).unwrap());
    assert_eq!(arrays[1].places(), CopySet::only(Place::Host), "used before arrays[0]");
    assert_eq!(arrays[0].places(), CopySet::only(Place::Linear(0)));
    assert_eq!(arrays[2].places(), CopySet::only(Place::Host).with(Place::Linear(0)));
    let calls = fake.take_calls();
    assert!(matches!(calls[0], Call::Allocate(40)) && calls[1] == Call::Trim, "{calls:?}");
    assert_eq!(calls.iter().filter(|call| matches!(call, Call::Download(..))).count(), 1);
    // A copy that is valid on the host too is given up without a transfer.
    drop(arrays[0].on_device(&device, Access::Read).unwrap());
    drop(arrays[1].on_device(&device, Access::Read).unwrap());
    assert_eq!(fake.take_calls().iter().filter(|call| matches!(call, Call::Download(..))).count(), 0);
    assert_eq!(arrays.iter().map(|a| a.to_vec()[0]).collect::<Vec<_>>(), [10, 11, 2]);
    assert_eq!(device.counters().now().evictions, 2);
}

#[test]
fn programs_larger_than_the_memory_finish() {
    let (fake, device) = device(0, 1000);
    define_add(&fake);
    let add = kernel(&device, "add");
    let arrays: Vec<Array<u8>> = (0..15).map(|k| Array::filled(&[100], k).unwrap()).collect();
    for round in 1..=3u8 {
        for array in &arrays {
            let memory = array.on_device(&device, Access::Write).unwrap();
            launch(&device, &add, &[LaunchArg::Memory(&memory), LaunchArg::Bytes(&[round])]).unwrap();
        }
    }
    for (k, array) in arrays.iter().enumerate() {
        assert_eq!(array.to_vec(), vec![k as u8 + 6; 100]);
    }
    assert!(fake.used() <= 1000);
}

#[test]
fn what_is_in_use_stays_and_then_memory_is_short() {
    let (fake, device) = device(0, 100);
    let (a, b) = (Array::filled(&[60], 1u8).unwrap(), Array::filled(&[60], 2u8).unwrap());
    let held = a.on_device(&device, Access::Write).unwrap();
    fake.run(&held, |bytes| bytes.fill(7));
    let error = b.on_device(&device, Access::Read).unwrap_err();
    assert_eq!(error.to_string(), "out of GPU memory: 60 bytes on fake0");
    assert_eq!(b.to_vec(), [2; 60]);
    drop(held);
    drop(b.on_device(&device, Access::Read).unwrap());
    assert_eq!(a.to_vec(), [7; 60]);
    assert!(matches!(
        Array::filled(&[101], 0u8).unwrap().on_device(&device, Access::Read),
        Err(Error::OutOfDeviceMemory { .. })
    ));
}

#[test]
fn copies_are_made_on_the_host_when_the_device_is_full() {
    let (fake, device) = device(0, 100);
    let a = Array::filled(&[60], 1u8).unwrap();
    let memory = a.on_device(&device, Access::Write).unwrap();
    fake.run(&memory, |bytes| bytes.fill(7));
    drop(memory);
    let b = a.copy().unwrap();
    assert_eq!(b.places(), CopySet::only(Place::Host));
    assert_eq!(b.to_vec(), [7; 60]);
}

#[test]
fn a_lost_device_takes_only_what_nobody_else_has() {
    let (fake, device) = device(0, 1 << 10);
    let arrays: Vec<Array<u8>> = (0..3).map(|k| Array::filled(&[2, 2], k).unwrap()).collect();
    drop(arrays[0].on_device(&device, Access::Write).unwrap());
    drop(arrays[1].on_device(&device, Access::Read).unwrap());
    fake.lose();
    let error = arrays[0].try_read().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the contents of an array of size 2x2 are lost: the device that held them failed"
    );
    assert_eq!(arrays[1].to_vec(), [1; 4]);
    assert!(arrays[2].on_device(&device, Access::Read).is_err());
    assert_eq!(arrays[2].to_vec(), [2; 4]);
    // Another device in its place starts afresh.
    let (_, device) = self::device(0, 1 << 10);
    drop(arrays[1].on_device(&device, Access::Write).unwrap());
    assert_eq!(arrays[1].to_vec(), [1; 4]);
    assert!(matches!(arrays[0].on_device(&device, Access::Read), Err(Error::Lost { .. })));
    drop(arrays[0].on_device(&device, Access::Overwrite).unwrap());
    assert!(arrays[0].try_read().is_ok());
}

#[test]
fn the_thread_can_choose_its_device() {
    context::set("RUNTIME_ENGINE", "cpu").unwrap();
    assert!(active_device().is_none());
    let (_, device) = device(3, 1 << 10);
    let name = || active_device().map(|device| device.name().to_string());
    with_device(Some(Arc::clone(&device)), || {
        assert_eq!(name().as_deref(), Some("fake3"));
        with_device(None, || {
            assert_eq!(name(), None);
            assert!(quasar_runtime::abi::on_processor() && !quasar_runtime::abi::on_device());
        });
        let other = std::thread::spawn(|| active_device().is_none()).join().unwrap();
        assert!(other, "the choice is this thread's");
        let panicked = std::panic::catch_unwind(|| with_device(None, || panic!("expected by the test")));
        assert!(panicked.is_err());
        assert_eq!(name().as_deref(), Some("fake3"));
    });
    assert!(active_device().is_none());
}

#[test]
fn arrays_are_made_where_they_are_used_first() {
    let (fake, device) = device(0, 1 << 10);
    with_device(Some(Arc::clone(&device)), || {
        let a = Array::<u16>::zeros(&[2, 2]).unwrap();
        assert!(a.places().is_empty());
        let memory = a.on_device(&device, Access::Write).unwrap();
        assert_eq!(fake.take_calls(), [Call::Allocate(8), Call::Fill(memory.id(), 0)]);
        fake.run(&memory, |bytes| bytes[0] = 5);
        drop(memory);
        let b = a.copy().unwrap();
        assert_eq!(b.places(), CopySet::only(Place::Linear(0)));
        assert!(matches!(fake.take_calls()[..], [Call::Allocate(8), Call::Copy(..)]));
        assert_eq!((a.to_vec(), b.to_vec()), (vec![5, 0, 0, 0], vec![5, 0, 0, 0]));
        b.set(&[0, 0], 1).unwrap();
        assert_eq!(a.get(&[0, 0]).unwrap(), 5);

        fake.take_calls();
        let c = Array::<u8>::uninit(&[3]).unwrap();
        drop(c.on_device(&device, Access::Write).unwrap());
        assert_eq!(fake.take_calls(), [Call::Allocate(3)]);
        let d = Array::<f32>::zeros(&[3]).unwrap();
        assert_eq!(d.copy().unwrap().to_vec(), [0.0; 3]);
        assert_eq!(d.to_vec(), [0.0; 3]);
        assert_eq!(fake.take_calls(), []);
        assert!(matches!(Array::<f64>::zeros(&[1 << 30, 1 << 30]), Err(Error::OutOfMemory { .. })));
    });
}

proptest::proptest! {
    /// Whatever happens where, and whoever must make room for whom: arrays hold what was written last.
    #[test]
    fn arrays_hold_what_was_written_last(
        steps in proptest::collection::vec((0usize..7, 0usize..4, 0usize..2, proptest::num::u8::ANY), 1..60),
    ) {
        let fakes = [device(0, 100), device(1, 70)];
        with_device(Some(Arc::clone(&fakes[0].1)), || {
            let mut arrays: Vec<Array<u8>> = (0..4).map(|_| Array::zeros(&[30]).unwrap()).collect();
            let mut model = vec![vec![0u8; 30]; 4];
            for (step, k, d, byte) in steps {
                let ((fake, device), at) = (&fakes[d], usize::from(byte) % 30);
                match step {
                    0 => assert_eq!(arrays[k].to_vec(), model[k]),
                    1 => {
                        arrays[k].write()[at] = byte;
                        model[k][at] = byte;
                    }
                    2 => {
                        arrays[k].try_overwrite().unwrap().fill(byte);
                        model[k].fill(byte);
                    }
                    3 => {
                        let memory = arrays[k].on_device(device, Access::Read).unwrap();
                        fake.run(&memory, |bytes| assert_eq!(bytes, model[k]));
                    }
                    4 => {
                        let memory = arrays[k].on_device(device, Access::Write).unwrap();
                        fake.run(&memory, |bytes| bytes[at] = byte);
                        model[k][at] = byte;
                    }
                    5 => {
                        let memory = arrays[k].on_device(device, Access::Overwrite).unwrap();
                        fake.run(&memory, |bytes| bytes.fill(byte));
                        model[k].fill(byte);
                    }
                    _ => {
                        let other = (k + 1) % 4;
                        arrays[other] = arrays[k].copy().unwrap();
                        model[other] = model[k].clone();
                    }
                }
                assert!(fakes.iter().all(|(fake, device)| fake.used() <= device.limits().memory_bytes));
            }
            for (array, expected) in arrays.iter().zip(&model) {
                assert_eq!(array.to_vec(), *expected);
            }
        });
    }
}
