//! Copies from one device to another: which ones are made, on devices that only pretend, and their order on two GPUs, where
//! there are two (`QUASAR_REQUIRE_GPU=2` makes their lack a failure).

use proptest::prelude::*;
use quasar_runtime::array::coherence::{Access, CopySet, Place};
use quasar_runtime::device::fake::{Call, FakeDevice};
use quasar_runtime::device::{Device, Traffic};
use quasar_runtime::{Array, Error};
use std::sync::Arc;

type Pair = (Arc<FakeDevice>, Arc<dyn Device>);

fn device(number: u8) -> Pair {
    pair(FakeDevice::new(number, 1 << 20))
}

fn pair(fake: FakeDevice) -> Pair {
    let fake = Arc::new(fake);
    (Arc::clone(&fake), fake)
}

fn add_one((fake, device): &Pair, a: &Array<u8>) {
    let memory = a.on_device(device, Access::Write).unwrap();
    fake.run(&memory, |bytes| bytes.iter_mut().for_each(|byte| *byte = byte.wrapping_add(1)));
}

fn total(devices: &[Pair]) -> Traffic {
    devices.iter().map(|(_, device)| device.counters().now()).fold(Traffic::default(), |sum, one| Traffic {
        uploads: sum.uploads + one.uploads,
        downloads: sum.downloads + one.downloads,
        peer_copies: sum.peer_copies + one.peer_copies,
        peer_bytes: sum.peer_bytes + one.peer_bytes,
        ..sum
    })
}

#[test]
fn an_array_moves_between_devices_without_the_host() {
    let devices = [device(0), device(1)];
    let a = Array::from_vec(&[3], vec![1u8, 2, 3]).unwrap();
    for round in 0..10 {
        add_one(&devices[round % 2], &a);
        assert_eq!(a.places(), CopySet::only(Place::Linear(round as u8 % 2)));
    }
    let done = total(&devices);
    assert_eq!((done.uploads, done.downloads), (1, 0));
    assert_eq!((done.peer_copies, done.peer_bytes), (9, 27));
    assert_eq!(a.to_vec(), [11, 12, 13]);
    // Readers everywhere, the host included, cost one copy each.
    for (_, device) in &devices {
        drop(a.on_device(device, Access::Read).unwrap());
    }
    let all = CopySet::only(Place::Host).with(Place::Linear(0)).with(Place::Linear(1));
    assert_eq!(a.places(), all);
    let done = total(&devices);
    assert_eq!((done.uploads, done.downloads, done.peer_copies), (1, 1, 10));
}

#[test]
fn lent_memory_is_reclaimed_before_it_changes() {
    let [first, second] = [device(0), device(1)];
    let a = Array::from_vec(&[2], vec![1u8, 2]).unwrap();
    add_one(&first, &a);
    drop(a.on_device(&second.1, Access::Read).unwrap());
    first.0.take_calls();
    let memory = a.on_device(&first.1, Access::Read).unwrap();
    assert_eq!(first.0.take_calls(), [], "the lender may go on reading");
    let id = memory.id();
    drop(memory);
    add_one(&first, &a);
    assert_eq!(first.0.take_calls(), [Call::Reclaim(id)]);
    add_one(&first, &a);
    assert_eq!(first.0.take_calls(), [], "once is enough");
    // What comes back to a lender changes its memory too.
    add_one(&second, &a);
    second.0.take_calls();
    let memory = a.on_device(&first.1, Access::Read).unwrap();
    assert_eq!(first.0.take_calls(), [Call::Reclaim(id), Call::Receive(memory.id(), 2)]);
    drop(memory);
    assert_eq!(a.to_vec(), [5, 6]);
}

#[test]
fn the_host_stands_between_devices_that_do_not_reach_each_other() {
    let devices = [device(0), pair(FakeDevice::new(1, 1 << 20).alone())];
    let a = Array::from_vec(&[2], vec![1u8, 2]).unwrap();
    add_one(&devices[0], &a);
    let memory = a.on_device(&devices[1].1, Access::Read).unwrap();
    devices[1].0.run(&memory, |bytes| assert_eq!(bytes, [2, 3]));
    drop(memory);
    let all = CopySet::only(Place::Host).with(Place::Linear(0)).with(Place::Linear(1));
    assert_eq!(a.places(), all, "a copy stays on the way");
    let done = total(&devices);
    assert_eq!((done.uploads, done.downloads, done.peer_copies), (2, 1, 0));
    // The other way is open.
    add_one(&devices[1], &a);
    add_one(&devices[0], &a);
    assert_eq!(total(&devices).peer_copies, 1);
    assert_eq!(a.to_vec(), [4, 5]);
}

#[test]
fn a_failed_copy_changes_nothing() {
    let devices = [device(0), device(1)];
    let a = Array::from_vec(&[2], vec![1u8, 2]).unwrap();
    add_one(&devices[0], &a);
    devices[1].0.fail();
    assert!(matches!(a.on_device(&devices[1].1, Access::Write), Err(Error::Device { .. })));
    assert_eq!(a.places(), CopySet::only(Place::Linear(0)));
    assert_eq!(a.to_vec(), [2, 3]);
}

proptest! {
    /// Whatever uses the elements in whatever order sees what was written last.
    #[test]
    fn everybody_sees_the_last_value(steps in prop::collection::vec((0usize..4, 0usize..2, any::<bool>()), 1..60)) {
        let devices = [device(0), device(1), pair(FakeDevice::new(2, 1 << 20).alone())];
        let arrays = [Array::from_vec(&[2], vec![0u8, 9]).unwrap(), Array::<u8>::zeros(&[2]).unwrap()];
        let mut wanted = [[0u8, 9], [0, 0]];
        for (place, which, writes) in steps {
            let (a, wanted) = (&arrays[which], &mut wanted[which]);
            let next = [wanted[0].wrapping_add(1), wanted[1].wrapping_mul(3)];
            match devices.get(place) {
                Some((fake, device)) => {
                    let access = if writes { Access::Write } else { Access::Read };
                    let memory = a.on_device(device, access).unwrap();
                    fake.run(&memory, |bytes| {
                        assert_eq!(bytes, *wanted);
                        if writes {
                            bytes.copy_from_slice(&next);
                        }
                    });
                }
                None if writes => a.write().copy_from_slice(&next),
                None => prop_assert_eq!(&*a.read(), &wanted[..]),
            }
            if writes {
                *wanted = next;
            }
        }
    }
}

#[cfg(feature = "cuda")]
mod cuda {
    use super::*;
    use quasar_runtime::device::{Dialect, KernelHandle, KernelSource, LaunchArg, LaunchConfig, select};

    const TEXT: &str = r#"
__device__ void wait_for(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {}
}
extern "C" __global__ void add(const int* x, int* y, int n, int cycles) {
    wait_for(cycles);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += x[i];
}
extern "C" __global__ void change(int* x, int n, int value) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = value + i % 7;
}
"#;
    /// 64 MB, so that copies take longer than submitting what comes after them.
    const N: usize = 16 << 20;
    /// About two milliseconds.
    const LONG: i32 = 3_000_000;

    struct Gpu {
        device: Arc<dyn Device>,
        add: KernelHandle,
        change: KernelHandle,
    }

    impl Gpu {
        fn new(device: Arc<dyn Device>) -> Gpu {
            let kernel = |entry: &str| {
                let options = &[];
                let source = KernelSource {
                    name: entry,
                    dialect: Dialect::Cuda,
                    text: TEXT,
                    entry,
                    options,
                    portable: &[],
                };
                device.kernel(&source).unwrap()
            };
            let (add, change) = (kernel("add"), kernel("change"));
            Gpu { device, add, change }
        }

        fn launch(&self, kernel: &KernelHandle, args: &[LaunchArg<'_>]) {
            let config = LaunchConfig::new([128, 1, 1], [256, 1, 1]);
            // SAFETY: the kernels stay inside `n` elements, the size of all arrays here; other arguments are refused.
            unsafe { self.device.launch(kernel, &config, args) }.unwrap();
        }

        /// `y += x`, after a while.
        fn add(&self, x: &Array<i32>, y: &Array<i32>, cycles: i32) {
            let from = x.on_device(&self.device, Access::Read).unwrap();
            let to = y.on_device(&self.device, Access::Write).unwrap();
            let (n, cycles) = ((N as i32).to_ne_bytes(), cycles.to_ne_bytes());
            let numbers = [LaunchArg::Bytes(&n), LaunchArg::Bytes(&cycles)];
            self.launch(
                &self.add,
                &[LaunchArg::Memory(&from), LaunchArg::Memory(&to), numbers[0], numbers[1]],
            );
        }

        /// `x[i] = value + i % 7`.
        fn change(&self, x: &Array<i32>, value: i32, access: Access) {
            let memory = x.on_device(&self.device, access).unwrap();
            let (n, value) = ((N as i32).to_ne_bytes(), value.to_ne_bytes());
            let args = [LaunchArg::Memory(&memory), LaunchArg::Bytes(&n), LaunchArg::Bytes(&value)];
            self.launch(&self.change, &args);
        }
    }

    fn filled(x: &Array<i32>, value: impl Fn(i32) -> i32) {
        assert!(x.read().iter().enumerate().all(|(i, &got)| got == value(i as i32 % 7)));
    }

    /// The lender changes its array, or gives it away, while the reader has not come to the copy yet.
    #[test]
    fn copies_keep_the_order_of_two_gpus() {
        let devices = select::cuda().unwrap_or_default();
        if devices.len() < 2 {
            let required = std::env::var("QUASAR_REQUIRE_GPU").is_ok_and(|value| value == "2");
            assert!(!required, "there are {} CUDA devices", devices.len());
            return;
        }
        let [first, second] = [Gpu::new(devices[0].clone()), Gpu::new(devices[1].clone())];
        if !second.device.reaches(&*first.device) {
            println!("the two GPUs do not reach each other");
        }
        let zeros = || Array::<i32>::zeros(&[N]).unwrap();
        let (x, y, still, other) = (zeros(), zeros(), zeros(), zeros());
        let traffic = || [&first, &second].map(|gpu| gpu.device.counters().now());
        let before = traffic();
        let mut sum = 0;
        for round in 0..20 {
            second.add(&still, &other, LONG);
            first.change(&x, round, Access::Write);
            second.add(&x, &y, 0);
            first.change(&x, -1000, Access::Write);
            sum += round;
            // Memory that was lent and given back is used again at once.
            let temporary = Array::<i32>::uninit(&[N]).unwrap();
            first.change(&temporary, 10 * round, Access::Overwrite);
            second.add(&still, &other, LONG);
            second.add(&temporary, &y, 0);
            drop(temporary);
            let next = Array::<i32>::uninit(&[N]).unwrap();
            first.change(&next, -5000, Access::Overwrite);
            sum += 10 * round;
            // And back: the reader becomes the lender.
            if round % 5 == 4 {
                second.add(&still, &other, LONG);
                first.add(&y, &x, 0);
                second.change(&y, 0, Access::Write);
                let done = sum;
                let rounds = 2 * (round % 5 + 1);
                filled(&x, |k| -1000 + k + done + rounds * k);
                filled(&y, |k| k);
                second.change(&y, 0, Access::Write);
                y.write().fill(0);
                sum = 0;
            }
        }
        let done = traffic();
        let copies = done.iter().zip(&before).map(|(after, before)| after.since(before).peer_copies);
        let copies: u64 = copies.sum();
        println!("copies from GPU to GPU: {copies}");
        assert!(copies == 44 || !second.device.reaches(&*first.device), "{copies}");
    }
}
