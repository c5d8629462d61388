//! Kernels that are compiled before a launch asks for them.

use super::*;
use std::time::{Duration, Instant};

/// A kernel whose program has others: one with a version for few positions, one that the device has no function for, and one that
/// is for other devices.
fn of_program() -> &'static DeviceKernel {
    let made = |form| -> &'static DeviceKernel { Box::leak(Box::new(sealed(form))) };
    let team = made(Form { text: "// team", ..form("team") });
    let others = vec![
        made(Form { text: "// second", team: Some(team), ..form("second") }),
        made(Form { text: "// nobody has it", ..form("unknown") }),
        made(Form { text: "// elsewhere", target: abi::Target::Cuda, ..form("elsewhere") }),
        made(Form { text: "// third", ..form("third") }),
    ];
    Box::leak(Box::new(sealed(form("first")).among(others.leak())))
}

fn device_with(concurrent: bool) -> Arc<FakeDevice> {
    let fake = FakeDevice::new(0, 1 << 10);
    let fake = Arc::new(if concurrent { fake.compiling_concurrently() } else { fake });
    ["first", "second", "team", "elsewhere", "third"].into_iter().for_each(|name| fake.define(name, |_| ()));
    fake
}

/// How many kernels a device compiled a while after a launch: as soon as there are `expected`.
fn compiled(kernel: &'static DeviceKernel, fake: &Arc<FakeDevice>, expected: u64) -> u64 {
    let device: Arc<dyn Device> = Arc::<FakeDevice>::clone(fake);
    with_device(Some(device), || launch(kernel, &bytes(&[1]), 1)).unwrap();
    let end = Instant::now() + Duration::from_secs(20);
    while fake.counters().now().compilations < expected && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(1));
    }
    fake.counters().now().compilations
}

#[test]
fn a_launch_that_waits_has_the_other_kernels_of_its_program_compiled() {
    let _turn = settings();
    context::set_threads(4).unwrap();
    let kernel = of_program();
    let (fake, second) = (device_with(true), device_with(true));
    // The launch, and `second`, `team`, `third`; what cannot be compiled is told by its own launches.
    assert_eq!(compiled(kernel, &fake, 4), 4);
    assert_eq!(compiled(kernel, &second, 4), 4);
    context::set_threads(0).unwrap();
}

#[test]
fn kernels_are_compiled_ahead_where_other_threads_can() {
    let _turn = settings();
    context::set_threads(1).unwrap();
    assert_eq!(compiled(of_program(), &device_with(true), 1), 1);
    context::set_threads(4).unwrap();
    assert_eq!(compiled(of_program(), &device_with(false), 1), 1);
    context::set_threads(0).unwrap();
}
