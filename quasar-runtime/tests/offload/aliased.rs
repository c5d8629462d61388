//! One array as several arguments of a launch on a device: what is read besides is a copy, made when the launch has all accesses.

use super::*;

const BOTH: &[Parameter] =
    &[Parameter::Array(ElementType::UInt8, 1), Parameter::Array(ElementType::UInt8, 1)];

/// `a[k] = b[k] + 1`, for arrays that it takes for different ones.
static NEXT: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(Form { parameters: BOTH, ..form("next") }));
/// The same, said to write all of `a` before it reads any of it.
static NEXT_OF_ALL: LazyLock<DeviceKernel> =
    LazyLock::new(|| sealed(Form { parameters: BOTH, overwritten: &[(0, true)], ..form("next") }));
/// The same with `b` as a value of three bytes.
static NEXT_OF_SMALL: LazyLock<DeviceKernel> = LazyLock::new(|| {
    sealed(Form {
        parameters: &[Parameter::Array(ElementType::UInt8, 1), Parameter::Value(3)],
        ..form("next small")
    })
});

fn device_with_kernels() -> (Arc<FakeDevice>, Arc<dyn Device>) {
    let (fake, device) = device(0, 1 << 20);
    fake.define("next", |launch| {
        let read = launch.memory(2).to_vec();
        launch.memory(0).fill(0);
        assert!(launch.memory(2) == read, "the launch got one memory for both");
        launch.memory(0).iter_mut().zip(read).for_each(|(to, from)| *to = from.wrapping_add(1));
    });
    fake.define("next small", |launch| {
        let read = launch.value(2).to_vec();
        launch.memory(0).iter_mut().zip(read).for_each(|(to, from)| *to = from.wrapping_add(1));
    });
    (fake, device)
}

fn next(kernel: &'static DeviceKernel, a: &Array<u8>, b: &Array<u8>) {
    let args = [Arg::Write(a), Arg::Read(b)];
    assert!(abi::offload(kernel, &[3], None, &args, NAME, HERE).unwrap().is_some());
}

fn next_of_small(a: &Array<u8>, b: &Array<u8>) {
    let args = [Arg::Write(a), Arg::Small(b)];
    assert!(abi::offload(&NEXT_OF_SMALL, &[3], None, &args, NAME, HERE).unwrap().is_some());
}

#[test]
fn the_array_that_is_read_is_a_copy() {
    let _turn = settings();
    let (_, device) = device_with_kernels();
    with_device(Some(device.clone()), || {
        let (a, b) = (bytes(&[1, 2, 3]), bytes(&[7, 8, 9]));
        next(&NEXT, &a, &b);
        assert_eq!(a.to_vec(), [8, 9, 10]);
        // On the host first, then on the device, then as another view.
        for (round, kernel) in [&*NEXT, &*NEXT_OF_ALL, &*NEXT].into_iter().enumerate() {
            next(kernel, &b, &b.reshape(&[3]).unwrap());
            assert_eq!(b.get(&[0]).unwrap(), 8 + round as u8);
            next(kernel, &a, &a);
        }
        assert_eq!((a.to_vec(), b.to_vec()), (vec![11, 12, 13], vec![10, 11, 12]));
        next_of_small(&a, &b);
        next_of_small(&b, &b);
        assert_eq!((a.to_vec(), b.to_vec()), (vec![11, 12, 13], vec![11, 12, 13]));
    });
}

#[test]
fn no_update_is_lost() {
    let _turn = settings();
    let (_, device) = device_with_kernels();
    let (a, b, small) = (bytes(&[0; 3]), bytes(&[0; 3]), bytes(&[0; 3]));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (device, a, b, small) = (device.clone(), &a, &b, &small);
            scope.spawn(move || {
                with_device(Some(device), || {
                    for call in 0..50 {
                        next(if call % 2 == 0 { &NEXT } else { &NEXT_OF_ALL }, a, a);
                        next_of_small(small, small);
                        // The processor has its turns.
                        if thread == 0 && call % 5 == 0 {
                            b.write().iter_mut().for_each(|byte| *byte = byte.wrapping_add(1));
                        }
                        next(&NEXT, b, b);
                    }
                });
            });
        }
    });
    assert_eq!((a.to_vec(), b.to_vec(), small.to_vec()), (vec![200; 3], vec![210; 3], vec![200; 3]));
}

/// Without room for a copy the launch goes to the processor or fails; the array stays as it is.
#[test]
fn a_copy_without_room() {
    let _turn = settings();
    let (fake, device) = device(0, 40);
    fake.define("next", |launch| launch.memory(0).fill(9));
    with_device(Some(device.clone()), || {
        let a = bytes(&[5; 30]);
        let args = [Arg::Write(&a), Arg::Read(&a)];
        let found = abi::offload(&NEXT, &[30], None, &args, NAME, HERE);
        assert!(!matches!(found, Ok(Some(_))));
        assert_eq!(a.to_vec(), [5; 30]);
    });
}

#[test]
fn two_that_are_written_are_an_error() {
    let _turn = settings();
    let (_, device) = device_with_kernels();
    with_device(Some(device.clone()), || {
        let a = bytes(&[1, 2, 3]);
        let args = [Arg::Write(&a), Arg::Write(&a)];
        let error = abi::offload(&NEXT, &[3], None, &args, NAME, HERE).err().unwrap().to_string();
        assert!(error.contains("one array for two parameters"), "{error}");
        assert_eq!(a.to_vec(), [1, 2, 3]);
        a.write()[0] = 4;
    });
}
