//! What devices cannot do: an error that says what, or the processor does it; what the host has is whole.

use super::*;
use num_complex::Complex;
use quasar_runtime::device::{KernelFacts, Unavailable};

/// Writes the first elements of two arrays in constant memory, and their places there.
static CONSTANTS: LazyLock<DeviceKernel> = LazyLock::new(|| {
    sealed(Form {
        parameters: &[
            Parameter::Constant(ElementType::UInt8, 1),
            Parameter::Array(ElementType::UInt8, 1),
            Parameter::Constant(ElementType::UInt8, 1),
        ],
        ..form("constants")
    })
});

/// Index maps give place 0 along an extent of 0 and any place along the others, so a kernel may look at all of these. A launch of arrays
/// without any extent but 0 had not shown that the memory was too small for the others.
#[test]
fn arrays_without_elements_have_zeros_wherever_an_index_may_point() {
    let _turn = settings();
    static LOOKS: LazyLock<DeviceKernel> = LazyLock::new(|| {
        sealed(Form {
            parameters: &[
                Parameter::Array(ElementType::ComplexDouble, 3),
                Parameter::Array(ElementType::UInt8, 1),
            ],
            ..form("looks")
        })
    });
    let (fake, device) = device(0, 1 << 20);
    fake.define("looks", |launch| {
        let zeros = launch.memory(0).to_vec();
        assert!(zeros.iter().all(|&byte| byte == 0));
        launch.memory(4)[..4].copy_from_slice(&(zeros.len() as u32).to_ne_bytes());
    });
    with_device(Some(device), || {
        for (dims, places) in
            [([0, 0, 0], 1), ([0, 1, 1], 1), ([0, 100, 1], 100), ([7, 0, 9], 63), ([5, 100, 0], 500)]
        {
            let (empty, found) = (Array::<Complex<f64>>::zeros(&dims).unwrap(), bytes(&[0; 4]));
            let args = [Arg::Read(&empty), Arg::Write(&found)];
            abi::offload(&LOOKS, &[1], None, &args, NAME, HERE).unwrap().unwrap();
            let found = u32::from_ne_bytes(found.to_vec().try_into().unwrap());
            assert_eq!(found, 16 * places, "{dims:?}");
        }
        // More than there can be is an error that says so, and nothing is launched.
        let (vast, found) = (Array::<Complex<f64>>::zeros(&[0, usize::MAX, 2]).unwrap(), bytes(&[0; 4]));
        let launched = abi::offload(&LOOKS, &[1], None, &[Arg::Read(&vast), Arg::Write(&found)], NAME, HERE);
        assert!(matches!(
            launched,
            Ok(None) | Err(Error::OutOfMemory { .. } | Error::OutOfDeviceMemory { .. })
        ));
        assert_eq!(found.to_vec(), [0; 4]);
    });
}

#[test]
fn short_memory_sends_a_launch_to_the_processor() {
    let _turn = settings();
    let (_, device) = device(0, 100);
    with_device(Some(device.clone()), || {
        let (small, large) = (bytes(&[1; 60]), bytes(&[2; 101]));
        add(&PLAIN, &small, 1).unwrap();
        let args = [Arg::Write(&small), Arg::Write(&large), Arg::number(1u8)];
        static BOTH: LazyLock<DeviceKernel> = LazyLock::new(|| {
            sealed(Form {
                parameters: &[
                    Parameter::Array(ElementType::UInt8, 1),
                    Parameter::Array(ElementType::UInt8, 1),
                    Parameter::Value(1),
                ],
                ..form("plain")
            })
        });
        let both = || abi::offload(&BOTH, &[60], None, &args, NAME, HERE);
        assert!(both().unwrap().is_none());
        // The data is whole.
        assert_eq!(small.to_vec(), [2; 60]);
        assert_eq!(large.to_vec(), [2; 101]);
        context::set("RUNTIME_GPU_SCHEDULINGMODE", "MaximizePerformance").unwrap();
        assert!(matches!(both(), Err(Error::OutOfDeviceMemory { .. })));
        context::set("RUNTIME_GPU_SCHEDULINGMODE", "MaximizeStability").unwrap();
        assert_eq!((small.to_vec(), large.to_vec()), (vec![2; 60], vec![2; 101]));
    });
}

#[test]
fn a_lost_device_is_an_error_and_what_the_host_has_is_whole() {
    let _turn = settings();
    let (fake, device) = device(0, 1 << 10);
    with_device(Some(device), || {
        let (there, both) = (bytes(&[1]), bytes(&[2]));
        let result = abi::run(|| {
            add(&ADD, &there, 1)?;
            abi::offload(&SUM, &[1], None, &[Arg::Read(&both)], NAME, HERE)?;
            add(&ADD, &there, 1)?;
            fake.lose();
            Ok(())
        });
        assert_eq!(result.unwrap_err().to_string(), "device fake0: lost");
        assert!(matches!(there.try_read(), Err(Error::Lost { .. })));
        assert_eq!(both.to_vec(), [2]);
        assert!(matches!(abi::run(|| add(&ADD, &both, 1)), Err(Error::Device { .. })));
        assert_eq!(both.to_vec(), [2]);
    });
}

#[test]
fn refused_launches_leave_nothing_behind() {
    let _turn = settings();
    static TOO_WIDE: LazyLock<DeviceKernel> = LazyLock::new(|| {
        sealed(Form {
            style: Style::Blocks,
            sites: &[Site { subject: "", line: 1, message: &[] }],
            ..form("add")
        })
    });
    let (fake, device) = device(0, 1 << 10);
    with_device(Some(device), || {
        let a = bytes(&[1, 2]);
        for _ in 0..3 {
            let args = [Arg::Write(&a), Arg::number(1u8)];
            let wide = || abi::offload(&TOO_WIDE, &[2], Some(&[4096]), &args, NAME, HERE);
            let error = abi::run(wide).unwrap_err().to_string();
            assert!(error.contains("a block of 4096 threads is too large"), "{error}");
        }
        assert_eq!(count(&fake.take_calls(), |c| matches!(c, Call::Mailbox(_))), 1);
        assert_eq!(a.to_vec(), [1, 2]);
        static UNKNOWN: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(form("unknown")));
        let error = abi::run(|| add(&UNKNOWN, &a, 1)).unwrap_err().to_string();
        assert!(error.contains("no function is defined for 'unknown'"), "{error}");
        assert_eq!(a.places(), CopySet::only(Place::Host).with(Place::Linear(0)));
    });
}

#[test]
fn what_the_compiler_did_not_make_is_refused() {
    let _turn = settings();
    static CHANGED: LazyLock<DeviceKernel> = LazyLock::new(|| {
        // SAFETY: it is a function of a fake device, which looks up all memory.
        let seal = unsafe { form("plain").signature().seal() };
        DeviceKernel::new(Form { text: "other", seal, ..form("plain") })
    });
    let (fake, device) = device(0, 1 << 10);
    with_device(Some(device), || {
        let a = bytes(&[1]);
        let error = launch(&CHANGED, &a, 1).unwrap_err().to_string();
        assert_eq!(error, "the device text of kernel 'plain' is not what the compiler made");
        let refused = |size: &[i32], args: &[Arg<'_>]| {
            let error = abi::offload(&PLAIN, size, None, args, NAME, HERE).unwrap_err().to_string();
            assert_eq!(error, "kernel 'plain' takes other arguments on devices");
        };
        let (wider, other) = (Array::<u8>::zeros(&[1, 1]).unwrap(), Array::<i8>::zeros(&[1]).unwrap());
        refused(&[1], &[Arg::Write(&a)]);
        refused(&[1], &[Arg::Write(&a), Arg::number(1i32)]);
        refused(&[1], &[Arg::Write(&wider), Arg::number(1u8)]);
        refused(&[1], &[Arg::Write(&other), Arg::number(1u8)]);
        refused(&[1], &[Arg::number(1u8), Arg::Write(&a)]);
        refused(&[1, 1], &[Arg::Write(&a), Arg::number(1u8)]);
        assert_eq!(count(&fake.take_calls(), |c| matches!(c, Call::Launch(..))), 0);
    });
}

#[test]
fn arrays_in_constant_memory_lie_behind_each_other_and_must_fit() {
    let _turn = settings();
    let (_, device) = device(0, 1 << 20);
    let most = device.limits().constant_bytes as usize;
    with_device(Some(device), || {
        let found = bytes(&[0; 6]);
        let run = |a: &Array<u8>, b: &Array<u8>| {
            abi::offload(
                &CONSTANTS,
                &[1],
                None,
                &[Arg::Read(a), Arg::Write(&found), Arg::Read(b)],
                NAME,
                HERE,
            )
        };
        abi::run(|| {
            assert!(run(&bytes(&[7; 17]), &bytes(&[8]))?.is_some());
            assert_eq!(*found.read(), [7, 0, 0, 8, 32, 0]);
            // An array without elements has a zero in its place; all of the memory may be used.
            assert!(run(&bytes(&[]), &bytes(&vec![9; most - 16]))?.is_some());
            assert_eq!(*found.read(), [0, 0, 0, 9, 16, 0]);
            assert!(run(&bytes(&vec![5; most - 16]), &bytes(&[6]))?.is_some());
            let [low, high] = ((most - 16) as u16).to_le_bytes();
            assert_eq!(*found.read(), [5, 0, 0, 6, low, high]);
            let error = run(&bytes(&[7; 17]), &bytes(&vec![9; most - 31])).unwrap_err().to_string();
            assert!(error.contains("kernel '(parallel_do) add': 'hwconst arrays of"), "{error}");
            assert!(
                error.contains(&format!("do not fit into the {most} bytes of constant memory")),
                "{error}"
            );
            Ok(())
        })
        .unwrap();
    });
}

#[test]
fn the_processor_takes_constants_that_do_not_fit_where_nobody_asked_for_the_device() {
    let _turn = settings();
    static HEAVY: LazyLock<DeviceKernel> = LazyLock::new(|| {
        sealed(Form {
            cost: 1 << 30,
            parameters: &[
                Parameter::Constant(ElementType::UInt8, 1),
                Parameter::Array(ElementType::UInt8, 1),
            ],
            ..form("constants")
        })
    });
    let (_, device) = device(0, 1 << 20);
    let (large, found) = (bytes(&vec![7; device.limits().constant_bytes as usize + 1]), bytes(&[0; 6]));
    let args = [Arg::Read(&large), Arg::Write(&found)];
    let before = context::warnings().len();
    context::with_device_where_faster(device, || {
        assert!(abi::offload(&HEAVY, &[1], None, &args, NAME, HERE).unwrap().is_none());
    });
    let warnings = context::warnings();
    let said = |warning: &Error| warning.to_string().contains("'hwconst arrays of 4112 bytes do not fit");
    assert!(warnings[before..].iter().any(said), "{warnings:?}");
    assert_eq!(found.to_vec(), [0; 6]);
}

/// Launches where nobody asked for the device, and where somebody did: the processor shall run the first, with a warning that
/// says `of`, and the second shall fail with the same words. Arrays stay as they are.
fn refuses(device: FakeDevice, kernel: &'static DeviceKernel, of: &str) {
    let device: Arc<dyn Device> = Arc::new(device);
    let a = bytes(&[1, 2, 3]);
    let before = context::warnings().len();
    context::with_device_where_faster(device.clone(), || {
        assert!(launch(kernel, &a, 1).unwrap().is_none(), "the processor runs it");
    });
    let warnings = context::warnings();
    let warned = warnings[before..].iter().any(|warning| warning.to_string().contains(of));
    assert!(warned, "{of} in {warnings:?}");
    let error = with_device(Some(device), || abi::run(|| add(kernel, &a, 1))).unwrap_err();
    assert!(matches!(error, Error::Device { .. }));
    assert!(error.to_string().contains(of), "{of} in {error}");
    assert_eq!(a.to_vec(), [1, 2, 3]);
}

/// Much work, so that devices are asked.
static HEAVY: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(Form { cost: 1 << 30, ..form("plain") }));

fn defined() -> FakeDevice {
    let fake = FakeDevice::new(0, 1 << 20);
    fake.define("plain", |launch| launch.memory(0).iter_mut().for_each(|byte| *byte += 1));
    fake
}

#[test]
fn a_device_without_a_compiler() {
    let _turn = settings();
    let missing = Unavailable::new("NVRTC was not found");
    let said = "device fake0: cannot compile kernel 'plain': NVRTC was not found";
    refuses(defined().with_compiler(Err(missing)), &HEAVY, said);
}

#[test]
fn a_kernel_that_the_compiler_of_the_device_refuses() {
    let _turn = settings();
    static WRONG: LazyLock<DeviceKernel> =
        LazyLock::new(|| sealed(Form { cost: 1 << 30, text: "#error too large", ..form("plain") }));
    refuses(defined(), &WRONG, "kernel 'plain' does not compile: too large");
}

#[test]
fn a_kernel_with_more_shared_memory_than_the_device_has() {
    let _turn = settings();
    let facts = KernelFacts { max_threads: 1024, shared_bytes: 50_000, ..KernelFacts::default() };
    let said = "kernel 'plain': 50000 bytes of shared memory are too many, at most 49152 are possible";
    refuses(defined().with_facts(facts), &HEAVY, said);
}

#[test]
fn blocks_that_are_too_large_for_a_kernel_run_on_the_processor() {
    let _turn = settings();
    static WALK: LazyLock<DeviceKernel> = LazyLock::new(|| {
        sealed(Form {
            style: Style::Walk { threads: 256, together: 4, gather: false },
            cost: 1 << 30,
            ..form("plain")
        })
    });
    // It needs so many registers that a processor of the device holds few threads.
    let facts = KernelFacts { max_threads: 128, ..KernelFacts::default() };
    let device: Arc<dyn Device> = Arc::new(defined().with_facts(facts));
    with_device(Some(device.clone()), || {
        let a = bytes(&[1, 2, 3]);
        assert!(launch(&WALK, &a, 1).unwrap().is_none());
        assert_eq!(a.to_vec(), [1, 2, 3]);
        // Where the extents of blocks do not matter, they are smaller.
        assert!(launch(&HEAVY, &a, 1).unwrap().is_some());
        assert_eq!(a.to_vec(), [2, 3, 4]);
    });
}

#[test]
fn grids_that_are_too_large_run_on_the_processor() {
    let _turn = settings();
    static ROWS: LazyLock<DeviceKernel> = LazyLock::new(|| {
        sealed(Form { rank: 2, parameters: &[Parameter::Array(ElementType::UInt8, 1)], ..form("plain") })
    });
    let device: Arc<dyn Device> = Arc::new(defined().with_limits(|limits| limits.max_grid = [8, 8, 8]));
    with_device(Some(device), || {
        let a = bytes(&[1]);
        let run = |size: [i32; 2]| abi::offload(&ROWS, &size, None, &[Arg::Write(&a)], NAME, HERE);
        assert!(run([1 << 20, 1]).unwrap().is_none());
        assert_eq!(a.to_vec(), [1]);
        assert!(run([8, 8]).unwrap().is_some());
        assert_eq!(a.to_vec(), [2]);
    });
}

#[test]
fn tables_larger_than_shared_memory_are_left_out() {
    let _turn = settings();
    static TABLE: LazyLock<DeviceKernel> = LazyLock::new(|| {
        sealed(Form {
            style: Style::Walk { threads: 64, together: 1, gather: true },
            parameters: &[Parameter::Array(ElementType::UInt8, 1)],
            tables: &[(0, 4)],
            dynamic_shared: true,
            ..form("shared")
        })
    });
    let fake = FakeDevice::new(0, 1 << 20);
    let most = fake.limits().shared_bytes;
    fake.define("shared", |launch| {
        let bytes = launch.config.shared_bytes.to_ne_bytes();
        launch.memory(0)[..4].copy_from_slice(&bytes);
    });
    with_device(Some(Arc::new(fake)), || {
        let shared = |count: usize| {
            let a = bytes(&vec![0; count]);
            abi::offload(&TABLE, &[100], None, &[Arg::Write(&a)], NAME, HERE).unwrap().unwrap();
            u32::from_ne_bytes(a.to_vec()[..4].try_into().unwrap())
        };
        assert_eq!(shared(most as usize / 4), most);
        assert_eq!(shared(most as usize / 4 + 1), 0, "the kernel adds to the array itself");
    });
}

#[test]
fn a_device_that_is_lost_in_the_middle_of_a_program() {
    let _turn = settings();
    let (fake, device) = device(0, 1 << 20);
    let other: Arc<dyn Device> = Arc::new(defined());
    let (a, b) = (bytes(&[1; 100]), bytes(&[2; 100]));
    let rounds = |device: Arc<dyn Device>, lost_in: usize| {
        with_device(Some(device), || {
            abi::run(|| {
                (0..10).try_for_each(|round| {
                    if round == lost_in {
                        fake.lose();
                    }
                    add(&HEAVY, &a, 1)
                })
            })
        })
    };
    let lost = "the contents of an array of size 100 are lost: the device that held them failed";
    assert_eq!(rounds(device, 5).unwrap_err().to_string(), lost);
    assert_eq!(a.try_read().unwrap_err().to_string(), lost);
    assert!(matches!(a.copy(), Err(Error::Lost { .. })));
    assert_eq!(b.to_vec(), [2; 100], "what the host has is whole");
    // The program may fill the array again and go on with another device.
    a.try_overwrite().unwrap().fill(3);
    rounds(other, usize::MAX).unwrap();
    assert_eq!(a.to_vec(), [13; 100]);
}
