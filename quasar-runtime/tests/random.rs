//! Random arrays made on devices: when a device makes them and what that moves (on the fake device), and that they are
//! the numbers of the processor, to the last bit, on OpenCL and CUDA. What is not there is shown as ignored;
//! `QUASAR_REQUIRE_GPU=1` makes a missing GPU a failure.

use libtest_mimic::{Arguments, Failed, Trial};
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::random::uniform;
use quasar_runtime::array::coherence::{CopySet, Place};
use quasar_runtime::context::{seed, with_device};
use quasar_runtime::device::fake::{Call, FakeDevice};
use quasar_runtime::device::{Device, DeviceOptions, select};
use quasar_runtime::library::call;
use quasar_runtime::settings::Settings;
use quasar_runtime::{Array, Result, Value};
use std::sync::Arc;

type Outcome = std::result::Result<(), Failed>;

fn one(name: &str, sizes: &[i64], working: ElementType) -> Result<Value> {
    let args: Vec<Value> = sizes.iter().map(|&n| Value::Scalar(Scalar::I64(n))).collect();
    Ok(call(name, &args, 1, working)?.remove(0))
}

fn single(name: &str, sizes: &[i64]) -> Result<Value> {
    one(name, sizes, ElementType::Single)
}

/// The elements as their bits, and where they were before they were asked for.
fn bits(value: &Value) -> std::result::Result<(Vec<u64>, CopySet), Failed> {
    Ok(match value.element_type() {
        Some(ElementType::Single) => {
            let array = Array::<f32>::from_value(value.clone())?;
            let places = array.places();
            (array.read().iter().map(|x| x.to_bits().into()).collect(), places)
        }
        Some(ElementType::Double) => {
            let array = Array::<f64>::from_value(value.clone())?;
            let places = array.places();
            (array.read().iter().map(|x| x.to_bits()).collect(), places)
        }
        _ => {
            let array = Array::<i32>::from_value(value.clone())?;
            let places = array.places();
            (array.read().iter().map(|&x| x as u64).collect(), places)
        }
    })
}

/// Every function, in both precisions and with several sizes, from several places of several sequences. Nothing moves
/// until the host reads, and then the array comes once.
fn the_same_numbers(device: &Arc<dyn Device>) -> Outcome {
    let calls: &[(&str, &[i64])] = &[
        ("rand", &[3001]),
        ("rand", &[70, 97]),
        ("randn", &[3001]),
        ("randn", &[20, 10, 31]),
        ("randi", &[6, 3000]),
        ("randi", &[(1 << 30) + 1, 41, 83]),
        ("randi", &[1 << 31, 5000]),
        ("rand", &[1_000_003]),
    ];
    for (number, skip) in [(0, 0), (5, 3), (u64::MAX, 100)] {
        for working in [ElementType::Single, ElementType::Double] {
            let draw_all = || -> std::result::Result<Vec<Value>, Failed> {
                seed(number);
                (0..skip).try_for_each(|_| one("rand", &[], working).map(drop))?;
                let mut drawn = Vec::new();
                for (name, sizes) in calls {
                    drawn.push(one(name, sizes, working)?);
                    drawn.push(one("rand", &[2], working)?);
                }
                Ok(drawn)
            };
            let before = device.counters().now();
            let found = with_device(Some(Arc::clone(device)), draw_all)?;
            let traffic = device.counters().now().since(&before);
            assert_eq!((traffic.uploads, traffic.downloads), (0, 0));
            assert_eq!(traffic.launches, calls.len() as u64, "the small ones stay");
            let expected = with_device(None, draw_all)?;
            for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                let what = format!("{:?} from {number}, {working:?}", calls[k / 2]);
                assert_eq!(found.dims(), expected.dims(), "{what}");
                assert_eq!(found.element_type(), expected.element_type(), "{what}");
                let ((found, places), (expected, here)) = (bits(found)?, bits(expected)?);
                assert_eq!(places.contains(Place::Host), k % 2 == 1, "{what}");
                assert_eq!(here, CopySet::only(Place::Host));
                assert!(found == expected, "{what}: other numbers");
            }
            let traffic = device.counters().now().since(&before);
            assert_eq!((traffic.uploads, traffic.downloads), (0, calls.len() as u64));
        }
    }
    Ok(())
}

/// A device whose kernel does as `random.h` says.
fn fake_device(capacity: usize) -> (Arc<FakeDevice>, Arc<dyn Device>) {
    let fake = Arc::new(FakeDevice::new(0, capacity));
    fake.define("random_uniform_f32", |launch| {
        let number = |launch: &quasar_runtime::device::fake::FakeLaunch<'_>, k| {
            u64::from_ne_bytes(launch.value(k).try_into().unwrap())
        };
        let [count, seed, first] = [1, 2, 3].map(|k| number(launch, k));
        let memory = launch.memory(0).as_chunks_mut::<4>().0;
        assert_eq!(memory.len() as u64, count);
        for (k, place) in (0..).zip(memory) {
            *place = uniform::<f32>(seed, first + k).to_ne_bytes();
        }
    });
    (Arc::clone(&fake), fake)
}

/// Large arrays are made where kernels run, without a copy; small ones and numbers on the processor. The sequence goes on
/// in any case.
fn choice() -> Outcome {
    let (fake, device) = fake_device(1 << 20);
    let drawn = |expected: fn(&[Call]) -> bool| -> Outcome {
        seed(3);
        let x = single("rand", &[100, 90])?;
        let calls = fake.take_calls();
        assert!(expected(&calls), "{calls:?}");
        let y = bits(&single("rand", &[5])?)?;
        assert_eq!(fake.take_calls(), [], "five numbers");
        let places = Array::<f32>::from_value(x.clone())?.places();
        assert_eq!(places, CopySet::only(Place::Linear(0)));
        let expected = |range: std::ops::Range<u64>| range.map(|k| u64::from(uniform::<f32>(3, k).to_bits()));
        assert!(bits(&x)?.0.into_iter().eq(expected(0..9000)));
        assert!(y.0.into_iter().eq(expected(9000..9005)));
        assert!(matches!(fake.take_calls()[..], [Call::Download(..)]), "numbers come when they are read");
        Ok(())
    };
    with_device(Some(Arc::clone(&device)), || {
        drawn(|calls| {
            matches!(calls, [Call::Compile(_), Call::Load(_), Call::Allocate(36_000), Call::Launch(..)])
        })?;
        drawn(|calls| {
            let reused = !calls.iter().any(|call| matches!(call, Call::Compile(_)));
            reused && !calls.iter().any(|call| matches!(call, Call::Upload(..)))
        })?;
        fake.take_calls();
        let error = single("randi", &[0, 100_000]).unwrap_err().to_string();
        assert!(error.contains("the limit must lie in"), "{error}");
        single("rand", &[0, 100_000])?;
        assert_eq!(fake.take_calls(), []);
        Ok(())
    })
}

/// Where nobody asked for a device it makes what is worth a launch.
fn where_faster() -> Outcome {
    let (fake, device) = fake_device(8 << 20);
    select::with_device_where_faster(Arc::clone(&device), || -> Outcome {
        single("rand", &[20, 30])?;
        assert_eq!(fake.take_calls(), [], "sooner done than launched");
        single("rand", &[1000, 1000])?;
        assert_eq!(device.counters().now().launches, 1);
        Ok(())
    })
}

/// No memory, no compiler, a failing device: the processor draws the same numbers.
fn failures() -> Outcome {
    let expected = with_device(None, || {
        seed(8);
        bits(&single("rand", &[200, 90])?)
    })?;
    let draw = || -> Outcome {
        seed(8);
        assert!(bits(&single("rand", &[200, 90])?)?.0 == expected.0);
        Ok(())
    };
    let (_fake, device) = fake_device(16 << 10);
    with_device(Some(Arc::clone(&device)), draw)?;
    assert_eq!(device.counters().now().launches, 0, "72 KB do not fit");
    let (fake, device) = fake_device(1 << 20);
    fake.fail();
    select::with_device_where_faster(device, draw)?;
    let mute: Arc<dyn Device> = Arc::new(
        FakeDevice::new(0, 1 << 20)
            .with_compiler(Err(quasar_runtime::device::Unavailable::new("no compiler"))),
    );
    with_device(Some(Arc::clone(&mute)), draw)?;
    assert_eq!(mute.counters().now().launches, 0);
    Ok(())
}

fn trial(
    kind: &'static str,
    find: fn() -> std::result::Result<Arc<dyn Device>, String>,
    required: bool,
) -> Trial {
    let missing = find().err();
    let title = match &missing {
        Some(reason) => format!("{kind}: the same numbers [{reason}]"),
        None => format!("{kind}: the same numbers"),
    };
    Trial::test(title, move || the_same_numbers(&find()?)).with_ignored_flag(missing.is_some() && !required)
}

#[cfg(feature = "opencl")]
fn opencl() -> std::result::Result<Arc<dyn Device>, String> {
    let options = DeviceOptions::from_settings(&Settings::default());
    let mut devices = quasar_runtime::device::opencl::probe_with(&options).map_err(|reason| reason.reason)?;
    Ok(devices.remove(0))
}

#[cfg(feature = "cuda")]
fn cuda() -> std::result::Result<Arc<dyn Device>, String> {
    let options = DeviceOptions::from_settings(&Settings::default());
    let mut devices = quasar_runtime::device::cuda::probe_with(&options).map_err(|reason| reason.reason)?;
    Ok(devices.remove(0))
}

fn main() {
    let arguments = Arguments::from_args();
    let required = std::env::var_os("QUASAR_REQUIRE_GPU").is_some_and(|value| value == "1");
    let mut all = vec![
        Trial::test("choice", choice),
        Trial::test("where faster", where_faster),
        Trial::test("failures", failures),
    ];
    #[cfg(feature = "opencl")]
    all.push(trial("opencl", opencl, false));
    #[cfg(feature = "cuda")]
    all.push(trial("cuda", cuda, required));
    let _ = required;
    libtest_mimic::run(&arguments, all).exit();
}
