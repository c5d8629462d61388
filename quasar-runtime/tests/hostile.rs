//! Code without `unsafe` that uses arrays, values and devices as nobody should: guards that are forgotten or outlive a panic, sizes that
//! overflow, functions that come back into what they were called from, objects that tell lies. It gets errors, and never memory that is
//! not its own. Run it where that is seen: under Miri, AddressSanitizer or valgrind (CONTRIBUTING.md has the commands).

#![forbid(unsafe_code)]

use quasar_devicelib::element::{Element, ElementType};
use quasar_devicelib::isa::Isa;
use quasar_devicelib::kernel::{Access as _, Band, Fault, Kernel, Part, Scatter, Task};
use quasar_devicelib::value::{ArrayBuf, ArrayMut, ArrayObject, ArrayRef, SharedArray, Value, ValueError};
use quasar_runtime::abi::{self, Plan, Source};
use quasar_runtime::array::coherence::Place;
use quasar_runtime::device::fake::FakeDevice;
use quasar_runtime::device::{Device, DeviceMemory};
use quasar_runtime::{Array, memory};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

static KERNEL: Source = Source { name: "k", file: "x.q", line: 1 };

fn panics(f: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(f)).is_err());
}

#[test]
fn a_forgotten_guard_locks_the_array_and_nothing_else() {
    let array = Array::from_vec(&[3], vec![1, 2, 3]).unwrap();
    std::mem::forget(array.read());
    assert_eq!(array.to_vec(), [1, 2, 3]);
    assert!(array.try_write().is_err());
    assert_eq!(array.clone().into_vec(), [1, 2, 3]);
    let other = Array::from_vec(&[1], vec![1]).unwrap();
    std::mem::forget(other.write());
    assert!(other.try_read().is_err() && other.try_write().is_err() && other.copy().is_err());
    assert_eq!(array.copy().unwrap().to_vec(), [1, 2, 3]);
}

#[test]
fn a_panic_ends_an_access_in_order() {
    let array = Array::from_vec(&[2], vec![1.0, 2.0]).unwrap();
    panics(|| {
        let mut elements = array.write();
        elements[0] = 7.0;
        let _ = elements[2];
    });
    assert_eq!(array.to_vec(), [7.0, 2.0]);
    array.write()[1] = 8.0;
    let value = array.to_value();
    let Value::Array(object) = &value else { panic!("an array") };
    panics(|| object.write(&mut |_| panic!("inside of the access")));
    panics(|| object.read(&mut |_| panic!("inside of the access")));
    assert_eq!(array.to_vec(), [7.0, 8.0]);
}

/// Whoever comes back into an array that is in use is refused, and the elements that are in use stay where they are.
#[test]
fn accesses_inside_of_accesses_exclude_each_other() {
    let array = Array::from_vec(&[2], vec![1, 2]).unwrap();
    let Value::Array(object) = array.to_value() else { panic!("an array") };
    let mut seen = Vec::new();
    object.read(&mut |view| {
        assert!(array.try_write().is_err());
        assert_eq!(array.to_vec(), [1, 2]);
        panics(|| object.write(&mut |_| {}));
        seen.push(view.data.len());
    });
    object.write(&mut |view| {
        assert!(array.try_read().is_err() && array.set(&[0], 5).is_err() && array.copy().is_err());
        panics(|| object.read(&mut |_| {}));
        seen.push(view.dims.len());
    });
    assert_eq!(seen, [2, 1]);
    let shared = array.reshape(&[1, 2]).unwrap();
    let guard = array.read();
    assert!(shared.try_write().is_err() && shared.invalidate(Place::Host).is_err());
    assert_eq!(*guard, [1, 2]);
}

#[test]
fn sizes_that_overflow_are_errors() {
    let large = [usize::MAX, 1 << 63, 1 << 62, 1 << 61, isize::MAX as usize, 1 << 60];
    for n in large {
        for dims in [vec![n], vec![n, 2], vec![2, n], vec![n, n], vec![1 << 32, 1 << 32, n]] {
            assert!(Array::<f64>::zeros(&dims).is_err(), "{dims:?}");
            assert!(Array::<f64>::uninit(&dims).is_err(), "{dims:?}");
            assert!(Array::<f64>::from_vec(&dims, vec![0.0]).is_err(), "{dims:?}");
            assert!(Array::<u8>::from_slice(&dims, &[0]).is_err(), "{dims:?}");
            let one = Array::from_vec(&[1], vec![0_u8]).unwrap();
            assert!(one.reshape(&dims).is_err(), "{dims:?}");
            assert!(ArrayBuf::new(dims, ArrayBuf::vec(vec![1_u8]).data).is_err());
        }
        assert!(memory::Block::<u64>::allocate(n, memory::Contents::Zeros).is_none());
    }
    let empty = Array::<f64>::zeros(&[usize::MAX, 0, usize::MAX]).unwrap();
    assert!(empty.read().is_empty() && empty.get(&[0, 0, 0]).is_err());
    assert!(empty.get(&[i64::MAX, 0, i64::MIN]).is_err());
    assert!(empty.reshape(&[0, 7]).unwrap().set(&[0, 3], 1.0).is_err());
}

/// Memory of one array is used for another of another type, whatever was in it.
#[test]
fn memory_goes_from_type_to_type() {
    fn fill<T: Element>(byte: T) {
        let array = Array::<T>::uninit(&[9000]).unwrap();
        assert!(array.read().iter().all(|x| T::from_scalar(x.to_scalar()).is_some()));
        array.write().fill(byte);
        let zeros = Array::<T>::zeros(&[9000]).unwrap();
        assert!(zeros.read().iter().all(|&x| x == T::default()));
    }
    for _ in 0..2 {
        fill(0xA5_u8);
        fill(-1_i64);
        fill(f64::NAN);
        fill(half::f16::MAX);
        fill(num_complex::Complex::new(f32::INFINITY, 1.0));
        fill(u16::MAX);
    }
}

/// An array object that says other things than it has.
struct Liar {
    inner: Arc<SharedArray>,
    asked: AtomicBool,
}

impl ArrayObject for Liar {
    fn dims(&self) -> Vec<usize> {
        let first = !self.asked.swap(true, Ordering::Relaxed);
        if first { vec![2] } else { vec![4, 5] }
    }
    fn element_type(&self) -> Option<ElementType> {
        Some(ElementType::Double)
    }
    fn read(&self, f: &mut dyn FnMut(ArrayRef<'_>)) {
        self.inner.read(&mut |view| f(ArrayRef { dims: &[7, 3], data: view.data }));
    }
    fn write(&self, f: &mut dyn FnMut(ArrayMut<'_>)) {
        self.inner.write(&mut |view| f(ArrayMut { dims: &[9, 2], data: view.data }));
    }
    fn reshaped(self: Arc<Self>, _dims: Vec<usize>) -> Result<Arc<dyn ArrayObject>, ValueError> {
        Ok(self)
    }
    fn storage(&self) -> usize {
        usize::MAX
    }
}

#[test]
fn objects_that_lie_about_their_sizes_get_errors_or_panics() {
    let liar = || -> Value {
        let inner = SharedArray::new(ArrayBuf::vec(vec![1.0_f64, 2.0]));
        Value::Array(Arc::new(Liar { inner, asked: AtomicBool::new(false) }))
    };
    let tried: [fn(Value); 5] = [
        |value| drop(Array::<f64>::from_value(value)),
        |value| drop(abi::items(&value).map(Iterator::count)),
        |value| drop(abi::call("transpose", std::slice::from_ref(&value), ElementType::Double)),
        |value| drop(abi::call("matmul", &[value.clone(), value], ElementType::Double)),
        |value| drop(abi::apply("add", &[value.clone(), value], ElementType::Double)),
    ];
    for f in tried {
        let _ = catch_unwind(AssertUnwindSafe(|| f(liar())));
    }
    assert!(Array::<f32>::from_value(liar()).is_err(), "of another type");
}

/// Panics in one part of a launch, while others are at work.
struct Panicking;

impl Kernel<2> for Panicking {
    type Args<'a> = (Band<'a, i32, 2>, (Scatter<'a, i64, 1>, ()));
    type Sum = ();

    fn run<I: Isa>((mut band, (mut all, ())): Self::Args<'_>, task: Task<2>, _fault: &Fault) {
        for at in task.positions() {
            band.put(at, at[0]);
            all.update([at[0] % 3], |x| x + 1);
            assert!(at[0] != 57, "in the middle of a launch");
        }
    }

    fn merge((): (), (): ()) {}
}

#[test]
fn a_panic_in_a_kernel_ends_the_launch_and_leaves_arrays_usable() {
    let rows: usize = 64;
    let (mut band, mut sums) = (vec![0; rows * 64], vec![0_i64; 3]);
    for depth in [0, 1] {
        let plan = Plan { depth, cost: 100_000, kernel: &KERNEL };
        let args = (Band::new(&mut band, &[rows, 64]), (Scatter::new(&mut sums, &[3]), ()));
        let fault = Fault::default();
        panics(|| abi::launch::<Panicking, 2>([64, 64], args, plan, &fault));
    }
    band.fill(1);
    assert_eq!(band.len(), rows * 64);
}

/// A part of a launch that gives both halves all of its rows: they are its own, so nothing is shared.
#[derive(Clone)]
struct Greedy(Vec<u8>);

impl Part for Greedy {
    fn split(self, _cut: &[i32]) -> (Self, Self) {
        (self.clone(), self)
    }
}

#[test]
fn parts_that_somebody_else_wrote_own_what_they_write() {
    struct Filling;
    impl Kernel<1> for Filling {
        type Args<'a> = Greedy;
        type Sum = usize;
        fn run<I: Isa>(mut args: Greedy, task: Task<1>, _fault: &Fault) -> usize {
            args.0.fill(1);
            task.count()
        }
        fn merge(first: usize, second: usize) -> usize {
            first + second
        }
    }
    let plan = Plan { depth: 1, cost: 1 << 20, kernel: &KERNEL };
    assert_eq!(abi::launch::<Filling, 1>([1000], Greedy(vec![0; 64]), plan, &Fault::default()), 1000);
}

#[test]
fn memory_of_devices_is_used_as_large_as_it_is() {
    let device: Arc<dyn Device> = Arc::new(FakeDevice::new(0, 1 << 20));
    let own: DeviceMemory = device.allocate(16).unwrap();
    assert!(device.upload(&[0; 17], &own).is_err() && device.upload(&[0; 15], &own).is_err());
    assert!(device.download(&own, &mut [0; 32]).is_err());
    let small = device.allocate(8).unwrap();
    assert!(device.copy(&own, &small).is_err() && device.receive(&*device, &own, &small).is_err());
    // Memory of another device is unknown, or too small.
    let other: Arc<dyn Device> = Arc::new(FakeDevice::new(1, 1 << 20));
    let foreign = other.allocate(1 << 10).unwrap();
    let _ = catch_unwind(AssertUnwindSafe(|| device.upload(&[0; 1 << 10], &foreign)));
    let (first, second): (Arc<dyn Device>, Arc<dyn Device>) =
        (Arc::new(FakeDevice::new(2, 1 << 20)), Arc::new(FakeDevice::new(3, 1 << 20)));
    let array = Array::from_vec(&[4], vec![1, 2, 3, 4]).unwrap();
    for wrong in [0..999_usize, 4..usize::MAX, 17..18] {
        let parts = [(Arc::clone(&first), 0..16), (Arc::clone(&second), wrong)];
        assert!(array.on_devices(&parts).is_err());
    }
    assert_eq!(array.to_vec(), [1, 2, 3, 4]);
}
