//! Launches as generated code makes them, on a device that only pretends: when the host waits, and where errors arrive.

#[path = "offload/aliased.rs"]
mod aliased;
#[path = "offload/blocks.rs"]
mod blocks;
#[path = "offload/compile_ahead.rs"]
mod compile_ahead;
#[path = "offload/each_call.rs"]
mod each_call;
#[path = "offload/refusals.rs"]
mod refusals;

use quasar_devicelib::device_text::{FaultRecord, identity};
use quasar_devicelib::element::ElementType;
use quasar_runtime::abi::{
    self, Arg, DeviceKernel, Form, Found, Global, Here, Parameter, Part, Site, Style, Sum, Symbol,
};
use quasar_runtime::array::coherence::{CopySet, Place};
use quasar_runtime::context::{self, with_device};
use quasar_runtime::device::fake::{Call, FakeDevice, FakeLaunch};
use quasar_runtime::device::{Device, Dialect};
use quasar_runtime::{Array, Error, Result};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

const HERE: Here = ("main", "x.q");
const NAME: &str = "(parallel_do) add";

const fn form(entry: &'static str) -> Form {
    Form {
        entry,
        text: "",
        portable: &[],
        style: Style::Positions,
        sites: &[],
        divisible: false,
        reads: &[],
        accumulated: &[],
        dynamic_shared: false,
        heap: false,
        tables: &[],
        results: &[],
        cost: 1,
        writes: &[],
        overwritten: &[],
        unbounded: false,
        rank: 1,
        target: abi::Target::Any,
        parameters: &[Parameter::Array(ElementType::UInt8, 1), Parameter::Value(1)],
        safe: None,
        team: None,
        block: None,
        tile: None,
        iterations: &[],
        seal: 0,
    }
}

/// As the compiler seals it.
fn sealed(form: Form) -> DeviceKernel {
    // SAFETY: the kernels are functions of a fake device, which looks up all memory.
    let seal = unsafe { form.signature().seal() };
    DeviceKernel::new(Form { seal, ..form })
}

/// Adds a number to every byte; fails where a byte becomes 100.
static ADD: LazyLock<DeviceKernel> = LazyLock::new(|| {
    sealed(Form {
        sites: &[
            Site { subject: "a", line: 7, message: &[] },
            Site { subject: "", line: 8, message: &[Part::Text("found "), Part::Number(ElementType::Int32)] },
        ],
        ..form("add")
    })
});
/// The same, as a kernel that cannot fail where there are no more positions than elements.
static INSIDE: LazyLock<DeviceKernel> = LazyLock::new(|| {
    sealed(Form {
        sites: &[Site { subject: "a", line: 7, message: &[] }],
        safe: Some(&[Sum { constant: 0, terms: &[(Symbol::Extent(0, 0), 1), (Symbol::Launch(0), -1)] }]),
        ..form("add")
    })
});
/// The same, as a kernel that cannot fail.
static PLAIN: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(form("plain")));
/// Fails where the number is 9.
static REFUSES: LazyLock<DeviceKernel> = LazyLock::new(|| {
    sealed(Form {
        text: "// refuses",
        sites: &[Site { subject: "", line: 20, message: &[Part::Text("nine")] }],
        ..form("refuses")
    })
});
/// The same, with a loop that might not end.
static LOOPING: LazyLock<DeviceKernel> =
    LazyLock::new(|| sealed(Form { unbounded: true, ..form("looping") }));
/// The sum of the bytes in parts.
static SUM: LazyLock<DeviceKernel> = LazyLock::new(|| {
    sealed(Form {
        style: Style::Walk { threads: 64, together: 1, gather: true },
        results: &[(ElementType::Int32, "add")],
        parameters: &[Parameter::Array(ElementType::UInt8, 1)],
        ..form("sum")
    })
});

/// Writes the record that is argument `k`, unless another error is there already.
fn fail(launch: &mut FakeLaunch<'_>, k: usize, words: &[i32], value: i64) {
    let record = launch.memory(k);
    if record[..4] != [0; 4] {
        return;
    }
    for (place, word) in record.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&word.to_ne_bytes());
    }
    record[FaultRecord::BYTES - 16 * 8..][..8].copy_from_slice(&value.to_ne_bytes());
}

fn device(number: u8, capacity: usize) -> (Arc<FakeDevice>, Arc<dyn Device>) {
    let fake = Arc::new(FakeDevice::new(number, capacity));
    define(&fake);
    (Arc::clone(&fake), fake)
}

/// Gives a device the kernels of these tests.
fn define(fake: &FakeDevice) {
    let add = |launch: &mut FakeLaunch<'_>| {
        let addend = launch.value(2)[0];
        launch.memory(0).iter_mut().for_each(|byte| *byte = byte.wrapping_add(addend));
    };
    fake.define("add", move |launch| {
        add(launch);
        let hundred = launch.memory(0).iter().position(|&byte| byte == 100);
        if let (Some(k), 0) = (hundred, launch.memory(4)[0]) {
            let mut words = [0; 21];
            words[..5].copy_from_slice(&[identity(""), FaultRecord::OUT_OF_BOUNDS, 0, 1, k as i32]);
            words[20] = launch.memory(0).len() as i32;
            fail(launch, 4, &words, 0);
        }
        if launch.memory(0).contains(&200) {
            fail(launch, 4, &[identity(""), FaultRecord::ERROR, 1, 0], 200);
        }
    });
    fake.define("refuses", |launch| {
        if launch.value(2) == [9] {
            fail(launch, 4, &[identity("// refuses"), FaultRecord::ERROR, 0, 0], 0);
        }
    });
    fake.define("plain", add);
    fake.define("looping", add);
    fake.define("sum", |launch| {
        let sum: i32 = launch.memory(0).iter().map(|&byte| i32::from(byte)).sum();
        let blocks = launch.config.grid[0] as usize;
        let parts = launch.memory(3);
        assert!(parts.len() >= 4 * blocks);
        parts.fill(0);
        parts[..4].copy_from_slice(&sum.to_ne_bytes());
    });
    fake.define("constants", |launch| {
        let found = [
            launch.memory(0)[0],
            launch.value(0)[0],
            launch.value(0)[1],
            launch.memory(4)[0],
            launch.value(4)[0],
            launch.value(4)[1],
        ];
        launch.memory(2).copy_from_slice(&found);
    });
}

fn launch(kernel: &'static DeviceKernel, a: &Array<u8>, addend: u8) -> Result<Option<Found>> {
    let args = [Arg::Write(a), Arg::number(addend)];
    abi::offload(kernel, &[a.len() as i32], None, &args, NAME, HERE)
}

/// A launch that the device must take.
fn add(kernel: &'static DeviceKernel, a: &Array<u8>, addend: u8) -> Result<()> {
    assert!(launch(kernel, a, addend)?.is_some());
    Ok(())
}

fn bytes(bytes: &[u8]) -> Array<u8> {
    Array::from_vec(&[bytes.len()], bytes.to_vec()).unwrap()
}

fn count(calls: &[Call], what: impl Fn(&Call) -> bool) -> usize {
    calls.iter().filter(|call| what(call)).count()
}

/// Settings are those of the process, so tests that change them and tests that need them take turns.
fn settings() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes the number into each element; said of launches as large as the array, or of all of them.
static SET: LazyLock<DeviceKernel> =
    LazyLock::new(|| sealed(Form { overwritten: &[(0, false)], ..form("set") }));
static SET_ALWAYS: LazyLock<DeviceKernel> =
    LazyLock::new(|| sealed(Form { overwritten: &[(0, true)], ..form("set") }));
#[test]
fn what_is_overwritten_is_not_uploaded() {
    let _turn = settings();
    let (fake, device) = device(0, 1 << 20);
    fake.define("set", |launch| {
        let value = launch.value(2)[0];
        launch.memory(0).fill(value);
    });
    let uploads = |fake: &FakeDevice| count(&fake.take_calls(), |c| matches!(c, Call::Upload(..)));
    with_device(Some(device.clone()), || {
        let a = bytes(&[1, 2, 3]);
        add(&SET, &a, 5).unwrap();
        assert_eq!(uploads(&fake), 0, "each element is written");
        assert_eq!(a.to_vec(), [5, 5, 5]);
        let b = bytes(&[1, 2, 3]);
        let args = [Arg::Write(&b), Arg::number(5u8)];
        assert!(abi::offload(&SET, &[2], None, &args, NAME, HERE).unwrap().is_some());
        assert_eq!(uploads(&fake), 1, "a launch of two positions keeps the third element");
        let c = bytes(&[1, 2, 3]);
        let args = [Arg::Write(&c), Arg::number(5u8)];
        assert!(abi::offload(&SET_ALWAYS, &[2], None, &args, NAME, HERE).unwrap().is_some());
        assert_eq!(uploads(&fake), 0, "the program said 'nocopy");
        let d = bytes(&[1, 2, 3]);
        add(&PLAIN, &d, 5).unwrap();
        assert_eq!(uploads(&fake), 1);
    });
}

#[test]
fn launches_do_not_wait_and_are_settled_at_the_end() {
    let _turn = settings();
    let (fake, device) = device(0, 1 << 20);
    with_device(Some(device.clone()), || {
        let a = bytes(&[1, 2, 3]);
        for round in 0..2 {
            abi::run(|| {
                (0..20).try_for_each(|_| add(&ADD, &a, 1))?;
                let calls = fake.take_calls();
                assert_eq!(count(&calls, |c| matches!(c, Call::Launch(..))), 20);
                assert_eq!(count(&calls, |c| matches!(c, Call::Mailbox(_))), usize::from(round == 0));
                let waits = |c: &Call| {
                    matches!(c, Call::Synchronize | Call::Peek(_) | Call::Download(..) | Call::Fill(..))
                };
                assert_eq!(count(&calls, waits), 0, "{calls:?}");
                Ok(())
            })
            .unwrap();
            let calls = fake.take_calls();
            assert_eq!(calls[0], Call::Synchronize);
            assert_eq!(count(&calls, |c| matches!(c, Call::Peek(_))), 1);
            assert_eq!(calls.len(), 2, "one wait, and no memory is cleared: {calls:?}");
        }
        assert_eq!(a.to_vec(), [41, 42, 43]);
        let traffic = device.counters().now();
        assert_eq!((traffic.uploads, traffic.downloads, traffic.launches), (1, 1, 40));
    });
}

#[test]
fn launches_that_cannot_fail_are_never_waited_for() {
    let _turn = settings();
    let (fake, device) = device(0, 1 << 20);
    with_device(Some(device), || {
        let a = bytes(&[1]);
        abi::run(|| (0..5).try_for_each(|_| add(&PLAIN, &a, 1))).unwrap();
        let calls = fake.take_calls();
        assert_eq!(count(&calls, |c| matches!(c, Call::Synchronize | Call::Mailbox(_))), 0);
        assert_eq!(a.to_vec(), [6]);
        // A kernel that can fail, where all positions are inside of the array, and where they are not.
        fake.take_calls();
        for (size, waits) in [(1, 0), (2, 1)] {
            let args = [Arg::Write(&a), Arg::number(1_u8)];
            abi::run(|| {
                (0..3).try_for_each(|_| abi::offload(&INSIDE, &[size], None, &args, NAME, HERE).map(drop))
            })
            .unwrap();
            let calls = fake.take_calls();
            assert_eq!(count(&calls, |c| matches!(c, Call::Launch(..))), 3);
            assert_eq!(count(&calls, |c| matches!(c, Call::Synchronize)), waits, "{calls:?}");
            assert_eq!(count(&calls, |c| matches!(c, Call::Peek(_))), waits);
        }
    });
}

#[test]
fn the_first_error_comes_back_whatever_follows() {
    let _turn = settings();
    let (_, device) = device(0, 1 << 20);
    with_device(Some(device), || {
        let a = bytes(&[97, 0]);
        let error = abi::run(|| {
            (0..5).try_for_each(|_| add(&ADD, &a, 1))?;
            // An error of the host, which is later.
            Err::<(), _>(Error::user("later"))
        });
        let expected = "(parallel_do) add - index out of bounds: a[0], size 2, line 7";
        assert_eq!(error.unwrap_err().to_string(), expected);
        // The record is clean again.
        let b = bytes(&[0]);
        abi::run(|| add(&ADD, &b, 1)).unwrap();
        assert_eq!(b.to_vec(), [1]);
        let c = bytes(&[199]);
        let error = abi::run(|| add(&ADD, &c, 1)).unwrap_err();
        assert_eq!(error.to_string(), "(parallel_do) add - found 200, line 8");
        assert_eq!(error.place().file, "x.q");
    });
}

#[test]
fn the_host_neither_sees_nor_does_anything_after_an_error() {
    let _turn = settings();
    let (_, device) = device(0, 1 << 20);
    static GLOBAL: Global<i32> = Global::new("g");
    with_device(Some(device), || {
        let (a, other) = (bytes(&[99]), bytes(&[5]));
        let failing = |then: &dyn Fn() -> Result<()>| {
            let a = bytes(&[99]);
            let result = abi::run(|| {
                add(&ADD, &a, 1)?;
                let result = then();
                assert!(matches!(result, Err(Error::OutOfBounds { .. })), "{result:?}");
                result
            });
            assert!(matches!(result, Err(Error::OutOfBounds { .. })));
        };
        failing(&|| other.try_write().map(|mut elements| elements[0] = 6));
        failing(&|| abi::put(&other, [0], 6));
        assert_eq!(other.to_vec(), [5]);
        GLOBAL.set(1).unwrap();
        failing(&|| GLOBAL.set(2));
        assert_eq!(GLOBAL.get().unwrap(), 1);
        failing(&|| abi::call("print", &[abi::Value::from("no")], ElementType::Single).map(drop));
        // The processor is not asked to go on.
        failing(&|| with_device(None, || launch(&PLAIN, &other, 1).map(drop)));
        // A kernel that might not end without its data is not started.
        failing(&|| add(&LOOPING, &other, 1));
        abi::run(|| {
            add(&ADD, &a, 1)?;
            assert!(matches!(abi::element::<abi::lib::Safe, u8, 1>(&a, [0]), Err(Error::OutOfBounds { .. })));
            assert_eq!(abi::element::<abi::lib::Safe, u8, 1>(&a, [0])?, 100, "told once");
            Ok(())
        })
        .unwrap();
    });
}

#[test]
fn a_try_block_catches_its_own_errors_only() {
    let _turn = settings();
    let (_, device) = device(0, 1 << 20);
    with_device(Some(device), || {
        let caught = abi::run(|| abi::attempt(|| add(&ADD, &bytes(&[99]), 1)));
        assert!(matches!(caught, Ok(Err(Error::OutOfBounds { .. }))));
        let missed = abi::run(|| {
            add(&ADD, &bytes(&[99]), 1)?;
            abi::attempt(|| Err::<(), _>(Error::user("not reached")))
        });
        assert!(matches!(missed, Err(Error::OutOfBounds { .. })));
    });
}

#[test]
fn a_batch_leaves_launches_open_to_its_end() {
    let _turn = settings();
    let (fake, device) = device(0, 1 << 20);
    with_device(Some(device), || {
        let a = bytes(&[90]);
        let mut calls = 0;
        let result = context::batch(|| {
            for _ in 0..20 {
                abi::run(|| add(&ADD, &a, 1))?;
                calls += 1;
            }
            assert_eq!(count(&fake.take_calls(), |c| matches!(c, Call::Synchronize)), 0);
            Ok(())
        });
        assert_eq!(calls, 20);
        assert!(matches!(result, Err(Error::OutOfBounds { .. })));
        assert_eq!(a.to_vec(), [110]);
        let b = bytes(&[99]);
        let read = context::batch(|| {
            abi::run(|| add(&ADD, &b, 1))?;
            assert!(matches!(b.try_read(), Err(Error::OutOfBounds { .. })));
            Ok(())
        });
        assert!(read.is_ok(), "told once");
        abi::run(|| add(&ADD, &bytes(&[99]), 1)).unwrap_err();
    });
}

#[test]
fn launches_of_many_kernels_share_a_record() {
    let _turn = settings();
    let (fake, device) = device(0, 1 << 20);
    with_device(Some(device), || {
        let (a, b) = (bytes(&[1]), bytes(&[90]));
        let error = abi::run(|| {
            for k in 0..2000u32 {
                add(&ADD, &a, 0)?;
                add(&REFUSES, &b, if k == 1000 { 9 } else { 0 })?;
                add(&ADD, &b, if k == 1500 { 10 } else { 0 })?;
            }
            Ok(())
        });
        // The one of the kernel that failed first, with its own message.
        let error = error.unwrap_err().to_string();
        assert!(error.contains("nine") && error.contains("20"), "{error}");
        let calls = fake.take_calls();
        assert_eq!(count(&calls, |c| matches!(c, Call::Mailbox(FaultRecord::BYTES))), 1);
        assert_eq!(count(&calls, |c| matches!(c, Call::Synchronize)), 1);
        // The record is zero again.
        assert!(abi::run(|| add(&ADD, &a, 0)).is_ok());
    });
}

#[test]
fn errors_that_nobody_asks_for_are_warnings() {
    let _turn = settings();
    let (_, device) = device(0, 1 << 20);
    let warned = |of: &str| context::warnings().iter().any(|warning| warning.to_string().contains(of));
    let other = device.clone();
    std::thread::spawn(move || {
        with_device(Some(other), || {
            let a = bytes(&[0, 0, 0, 0, 99]);
            add(&ADD, &a, 1).unwrap();
        });
    })
    .join()
    .unwrap();
    assert!(warned("a[4], size 5"));
    let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        with_device(Some(device.clone()), || {
            abi::run(|| -> Result<()> {
                add(&ADD, &bytes(&[0, 0, 0, 0, 0, 99]), 1)?;
                panic!("expected by the test")
            })
        })
    }));
    assert!(panicked.is_err());
    assert!(warned("a[5], size 6"));
    with_device(Some(device), || abi::run(|| add(&ADD, &bytes(&[0]), 1)).unwrap());
}

#[test]
fn other_threads_have_errors_of_their_own() {
    let _turn = settings();
    let (_, device) = device(0, 1 << 20);
    std::thread::scope(|scope| {
        for thread in 0..4usize {
            let device = device.clone();
            scope.spawn(move || {
                with_device(Some(device), || {
                    for round in 0..50 {
                        let fails = (round + thread) % 3 == 0;
                        let mut elements = vec![0; thread + 1];
                        elements[thread] = if fails { 99 } else { 0 };
                        let result = abi::run(|| add(&ADD, &bytes(&elements), 1));
                        match result {
                            Err(Error::OutOfBounds { index, .. }) => {
                                assert!(fails);
                                assert_eq!(index, [thread as i64]);
                            }
                            other => assert!(other.is_ok() && !fails, "{other:?}"),
                        }
                    }
                });
            });
        }
    });
}

#[test]
fn results_are_waited_for_and_bring_errors_along() {
    let _turn = settings();
    let (fake, device) = device(0, 1 << 20);
    with_device(Some(device), || {
        let a = bytes(&[7; 1000]);
        let sum = || abi::offload(&SUM, &[1000], None, &[Arg::Read(&a)], NAME, HERE);
        assert_eq!(sum().unwrap().unwrap().number::<i32>(0), 7000);
        assert_eq!(sum().unwrap().unwrap().number::<i32>(0), 7000);
        let calls = fake.take_calls();
        assert_eq!(count(&calls, |c| matches!(c, Call::Mailbox(_))), 1);
        assert_eq!(count(&calls, |c| matches!(c, Call::Download(..))), 0);
        let failed = abi::run(|| {
            add(&ADD, &a, 93)?;
            let result = sum().map(drop);
            assert!(result.is_err());
            result
        });
        assert!(matches!(failed, Err(Error::OutOfBounds { .. })));
    });
}

#[test]
fn one_launch_at_a_time_if_the_settings_say_so() {
    let _turn = settings();
    let (fake, device) = device(0, 1 << 20);
    context::set("RUNTIME_CONCURRENT", "False").unwrap();
    with_device(Some(device), || {
        let a = bytes(&[98]);
        add(&ADD, &a, 1).unwrap();
        assert!(count(&fake.take_calls(), |c| matches!(c, Call::Synchronize)) > 0);
        assert!(matches!(add(&ADD, &a, 1), Err(Error::OutOfBounds { .. })));
        add(&PLAIN, &a, 1).unwrap();
        assert_eq!(count(&fake.take_calls(), |c| matches!(c, Call::Synchronize)), 2);
    });
    context::set("RUNTIME_CONCURRENT", "True").unwrap();
}

#[test]
fn each_device_has_its_own_form_of_a_kernel() {
    let _turn = settings();
    static KERNEL: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(form("plain")));
    let devices: Vec<_> = (0..3).map(|number| device(number, 1 << 10)).collect();
    std::thread::scope(|scope| {
        for (fake, device) in &devices {
            scope.spawn(move || {
                with_device(Some(device.clone()), || {
                    let a = bytes(&[0]);
                    (0..10).for_each(|_| add(&KERNEL, &a, 1).unwrap());
                    assert_eq!(a.to_vec(), [10]);
                    assert_eq!(device.dialect(), Some(Dialect::OpenCl));
                    let compiled = count(&fake.take_calls(), |c| matches!(c, Call::Compile(_)));
                    assert!((1..=3).contains(&compiled), "{compiled}");
                });
            });
        }
    });
}

#[test]
fn independent_launches_are_distributed_and_data_follows() {
    let _turn = settings();
    static HEAVY: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(Form { cost: 1 << 30, ..form("plain") }));
    let devices: Vec<_> = (0..2).map(|number| device(number, 1 << 20)).collect();
    let both = devices.iter().map(|(_, device)| device.clone()).collect();
    context::with_devices(both, || {
        let arrays: Vec<Array<u8>> = (0..4).map(|k| bytes(&[k; 1000])).collect();
        abi::run(|| {
            for _ in 0..3 {
                arrays.iter().try_for_each(|a| add(&HEAVY, a, 1))?;
            }
            Ok(())
        })
        .unwrap();
        let launches: Vec<u64> = devices.iter().map(|(_, device)| device.counters().now().launches).collect();
        assert_eq!(launches.iter().sum::<u64>(), 12);
        assert!(launches.iter().all(|&n| n >= 4), "{launches:?}");
        for (k, a) in arrays.iter().enumerate() {
            assert_eq!(a.to_vec(), [k as u8 + 3; 1000]);
        }
        // Light work stays where its data is.
        let before: Vec<u64> = devices.iter().map(|(_, device)| device.counters().now().uploads).collect();
        abi::run(|| (0..50).try_for_each(|_| add(&PLAIN, &arrays[0], 1))).unwrap();
        let after: Vec<u64> = devices.iter().map(|(_, device)| device.counters().now().uploads).collect();
        assert!(before.iter().sum::<u64>() + 1 >= after.iter().sum::<u64>());
        // Errors come from wherever the launch was, the first one first.
        let (x, y) = (bytes(&[99]), bytes(&[0, 99]));
        let error = abi::run(|| {
            add(&ADD, &x, 1)?;
            add(&ADD, &y, 1)
        });
        assert!(error.unwrap_err().to_string().contains("a[0], size 1"));
    });
}

#[test]
fn launches_run_where_they_are_done_first() {
    let _turn = settings();
    static HEAVY: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(Form { cost: 1 << 24, ..form("plain") }));
    static BROKEN: LazyLock<DeviceKernel> =
        LazyLock::new(|| sealed(Form { cost: 1 << 24, ..form("does not compile") }));
    static WIDE: LazyLock<DeviceKernel> =
        LazyLock::new(|| sealed(Form { cost: 1 << 24, style: Style::Blocks, ..form("plain") }));
    let (fake, device) = device(0, 1 << 20);
    context::with_device_where_faster(device, || {
        let a = bytes(&[1; 100]);
        assert!(launch(&PLAIN, &a, 1).unwrap().is_none(), "too little work");
        assert!(launch(&HEAVY, &a, 1).unwrap().is_some());
        assert!(launch(&PLAIN, &a, 1).unwrap().is_some(), "the data is there");
        let (again, args) = (bytes(&[1; 100]), [Arg::Write(&a), Arg::number(1u8)]);
        // Nobody asked for the device: what it refuses runs on the processor, with a warning.
        assert!(launch(&BROKEN, &again, 1).unwrap().is_none());
        assert!(abi::offload(&WIDE, &[100], Some(&[5000]), &args, NAME, HERE).unwrap().is_none());
        let warned = |of: &str| context::warnings().iter().any(|warning| warning.to_string().contains(of));
        assert!(warned("'does not compile'") && warned("a block of 5000 threads"));
        assert_eq!((a.to_vec(), again.to_vec()), (vec![3; 100], vec![1; 100]));
        fake.fail();
        assert!(launch(&HEAVY, &bytes(&[1]), 1).unwrap().is_none());
    });
}

#[test]
fn programs_say_where_launches_go() {
    use quasar_devicelib::value::affinity::{AUTOMATIC, CPU, GPU};
    let _turn = settings();
    let devices: Vec<_> = (0..3).map(|number| device(number, 1 << 20)).collect();
    let all = devices.iter().map(|(_, device)| device.clone()).collect();
    let launched = |work: &dyn Fn()| {
        devices.iter().for_each(|(fake, _)| drop(fake.take_calls()));
        work();
        let counts =
            devices.iter().map(|(fake, _)| count(&fake.take_calls(), |c| matches!(c, Call::Launch(..))));
        counts.collect::<Vec<_>>()
    };
    context::with_devices(all, || {
        let a = bytes(&[0; 100]);
        let run = |kernel: &'static DeviceKernel| drop(launch(kernel, &a, 1).unwrap());
        let place = |code: i32| abi::place_launches(code).unwrap();
        for number in [2, 0, 1] {
            let there = launched(&|| {
                abi::place_launches_on_gpu(number).unwrap();
                (0..5).for_each(|_| run(&PLAIN));
            });
            assert_eq!(there[number as usize], 5, "{there:?}");
            assert_eq!(there.iter().sum::<usize>(), 5);
        }
        assert_eq!(place(CPU), 1, "what was said before");
        assert!(launch(&PLAIN, &a, 1).unwrap().is_none(), "the processor runs it");
        assert_eq!(place(GPU), CPU);
        assert_eq!(launched(&|| run(&PLAIN)).iter().sum::<usize>(), 1);
        // One after the other.
        let turns = launched(&|| {
            for turn in 0..7 {
                abi::place_launches_in_turn(turn).unwrap();
                run(&PLAIN);
            }
        });
        assert_eq!(turns, [3, 2, 2]);
        place(AUTOMATIC);
        assert_eq!(a.to_vec(), [23; 100], "one device after the other worked on one array");
        let moved: u64 = devices.iter().map(|(_, device)| device.counters().now().downloads).sum();
        assert_eq!(moved, 1);
        // There are fewer: one of them, and a warning.
        let there = launched(&|| {
            abi::place_launches_on_gpu(4).unwrap();
            run(&PLAIN);
        });
        assert_eq!(there, [0, 1, 0]);
        let warned = |of: &str| context::warnings().iter().any(|warning| warning.to_string().contains(of));
        assert!(warned("the program asks for GPU 4, the number of GPUs is 3"));
        let error = abi::place_launches_on_gpu(-1).unwrap_err().to_string();
        assert_eq!(error, "sched: the number of a GPU must not be negative, found -1");
        // It ends with the exported function or the `try` in which it was said, also after an error.
        place(AUTOMATIC);
        let failed = abi::run(|| abi::place_launches_on_gpu(2).and(Err::<(), _>(Error::user("stop"))));
        assert!(failed.is_err());
        abi::attempt(|| abi::place_launches_on_gpu(2).and(Err::<(), _>(Error::user("stop"))))
            .unwrap()
            .unwrap_err();
        assert_eq!(place(AUTOMATIC), AUTOMATIC);
    });
    context::with_device_where_faster(devices[0].1.clone(), || {
        let a = bytes(&[0; 4]);
        assert!(launch(&PLAIN, &a, 1).unwrap().is_none(), "too little work");
        let before = abi::place_launches(GPU).unwrap();
        assert!(launch(&PLAIN, &a, 1).unwrap().is_some(), "but asked for");
        abi::place_launches(before).unwrap();
    });
}
