//! What programs ask about blocks: the answers are those of the launches, whatever a device and a kernel allow.

use super::*;
use quasar_devicelib::kernel::BlockNeeds;
use quasar_runtime::abi::{BlockVersion, Value};
use quasar_runtime::device::KernelFacts;

/// Writes the extents of its block, the last dimension first.
const fn shape(style: Style) -> Form {
    Form { rank: 2, style, parameters: &[Parameter::Array(ElementType::UInt8, 1)], ..form("shape") }
}

static OF_BLOCKS: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(shape(Style::Blocks)));
static OF_POSITIONS: LazyLock<DeviceKernel> = LazyLock::new(|| sealed(shape(Style::Positions)));
static OF_WALKERS: LazyLock<DeviceKernel> =
    LazyLock::new(|| sealed(shape(Style::Walk { threads: 64, together: 1, gather: false })));

const NEEDS: BlockNeeds<'static> = BlockNeeds { rank: 2, threads: 1024, usual: None, shared: &[] };

fn limited(max_threads: u32) -> Arc<dyn Device> {
    let facts = KernelFacts { max_threads, shared_bytes: 1 << 10, ..KernelFacts::default() };
    let fake = FakeDevice::new(0, 1 << 20).with_facts(facts);
    fake.define("shape", |launch| {
        let block = launch.config.block;
        let bytes = block.iter().flat_map(|n| (*n as u16).to_ne_bytes());
        launch.memory(0).iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
    });
    Arc::new(fake)
}

/// The block of a launch, in the order of the dimensions; none where the device does not take it.
fn launched(kernel: &'static DeviceKernel, size: [i32; 2], block: Option<&[i32]>) -> Option<Vec<i64>> {
    let seen = bytes(&[0; 6]);
    abi::offload(kernel, &size, block, &[Arg::Write(&seen)], NAME, HERE).unwrap()?;
    let seen = seen.to_vec();
    let extent = |k: usize| i64::from(u16::from_ne_bytes([seen[2 * k], seen[2 * k + 1]]));
    assert_eq!(extent(2), 1);
    Some(vec![extent(1), extent(0)])
}

fn extents(answer: Value) -> Vec<i64> {
    let array: Array<i32> = abi::typed(answer).unwrap();
    array.to_vec().into_iter().map(i64::from).collect()
}

fn vector(items: &[i32]) -> Value {
    abi::value(&Array::from_vec(&[items.len()], items.to_vec()).unwrap())
}

#[test]
fn usual_blocks_are_those_of_launches_on_devices() {
    let _turn = settings();
    for (device, kernel) in [
        (limited(1024), &OF_BLOCKS),
        (limited(1024), &OF_POSITIONS),
        (limited(1024), &OF_WALKERS),
        (limited(96), &OF_BLOCKS),
        (limited(96), &OF_POSITIONS),
    ] {
        let kernel: &'static DeviceKernel = kernel;
        let versions = [BlockVersion { needs: NEEDS, device: Some(kernel) }];
        with_device(Some(device), || {
            for size in [[32, 64], [5, 7], [1, 1000], [1024, 3]] {
                let answer = extents(abi::usual_block(&versions, Some(&vector(&size))).unwrap());
                assert_eq!(Some(answer), launched(kernel, size, None), "{size:?}");
            }
        });
    }
}

#[test]
fn the_largest_block_is_taken_and_a_larger_one_is_refused() {
    let _turn = settings();
    with_device(Some(limited(96)), || {
        let versions = [BlockVersion { needs: NEEDS, device: Some(&OF_BLOCKS) }];
        let block = extents(abi::largest_block(&versions, Some(&vector(&[64, 64]))).unwrap());
        assert_eq!(block.iter().product::<i64>(), 96);
        let asked: Vec<i32> = block.iter().map(|&n| n as i32).collect();
        assert_eq!(launched(&OF_BLOCKS, [100, 100], Some(&asked)), Some(block));
        let seen = bytes(&[0; 6]);
        let larger = abi::offload(&OF_BLOCKS, &[100, 100], Some(&[8, 13]), &[Arg::Write(&seen)], NAME, HERE);
        let error = larger.unwrap_err().to_string();
        assert!(error.contains("a block of 104 threads is too large, at most 96"), "{error}");
        // Nobody asks for a kernel: what the device allows.
        assert_eq!(extents(abi::largest_block(&[], Some(&vector(&[16, 32]))).unwrap()), [16, 32]);
    });
}

#[test]
fn shared_memory_of_the_device_bounds_blocks() {
    let _turn = settings();
    // 128 bytes for each thread, in what is left of 48 KB besides 1 KB of the kernel.
    let needs = BlockNeeds { shared: &[(128, [1, 1, 0])], ..NEEDS };
    let versions = [BlockVersion { needs, device: Some(&OF_BLOCKS) }];
    with_device(Some(limited(1024)), || {
        let block = extents(abi::largest_block(&versions, None).unwrap());
        assert_eq!(block.iter().product::<i64>(), 47 * 8);
    });
    with_device(None, || {
        let block = extents(abi::largest_block(&versions, None).unwrap());
        assert_eq!(block.iter().product::<i64>(), 48 * 8);
    });
}

#[test]
fn impossible_extents_are_errors() {
    let _turn = settings();
    with_device(None, || {
        let error = abi::largest_block(&[], Some(&vector(&[0, 4]))).unwrap_err().to_string();
        assert!(error.contains("max_block_size: extents must be positive, found [0, 4]"), "{error}");
        let error = abi::usual_block(&[], Some(&Value::Null)).unwrap_err().to_string();
        assert!(error.contains("opt_block_size: expected a number or a vec of extents"), "{error}");
    });
}
