//! Fourier transforms and products of matrices by libraries of a device, against those of the processor: when they are
//! used and what that moves (on the fake device), and their results: by definition, with our kernels on OpenCL, and by
//! cuFFT and cuBLAS on CUDA. What is not there is shown as ignored; `QUASAR_REQUIRE_GPU=1` makes a missing GPU or library a
//! failure.

#[path = "libraries/array_functions.rs"]
mod array_functions;
#[path = "libraries/own_kernels.rs"]
mod own_kernels;

use libtest_mimic::{Arguments, Failed, Trial};
use num_complex::Complex;
use quasar_devicelib::device_text::compose;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::ArrayElement;
use quasar_runtime::array::coherence::{Access, CopySet, Place};
use quasar_runtime::context::with_device;
use quasar_runtime::device::accel_libraries::{Direction, Elements, Libraries, Library, Product, Transform};
use quasar_runtime::device::fake::{Call, FakeDevice};
use quasar_runtime::device::{
    Counters, Device, DeviceMemory, DeviceOptions, Dialect, KernelHandle, KernelSource, LaunchArg,
    LaunchConfig, Limits, Mailbox, Mailboxes, fake, select,
};
use quasar_runtime::library::call;
use quasar_runtime::settings::Settings;
use quasar_runtime::{Array, Error, Result, Value};
use std::sync::Arc;

type Outcome = std::result::Result<(), Failed>;

/// Numbers without a pattern, between -0.5 and 0.5.
fn sample(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

/// Elements as complex numbers in double precision, to make and to compare.
trait Number: ArrayElement {
    fn made(re: f64, im: f64) -> Self;
    fn seen(self) -> Complex<f64>;
    /// The distance of neighbours at 1.
    const EPSILON: f64;
}

macro_rules! numbers {
    ($($type:ty: $float:ty, |$re:ident, $im:ident| $make:expr, |$x:ident| $see:expr;)*) => {$(
        impl Number for $type {
            fn made($re: f64, $im: f64) -> $type {
                $make
            }
            fn seen(self) -> Complex<f64> {
                let $x = self;
                $see
            }
            const EPSILON: f64 = <$float>::EPSILON as f64;
        }
    )*};
}
numbers! {
    f32: f32, |re, _im| re as f32, |x| Complex::new(f64::from(x), 0.0);
    f64: f64, |re, _im| re, |x| Complex::new(x, 0.0);
    i32: f64, |re, _im| re as i32, |x| Complex::new(x.into(), 0.0);
    Complex<f32>: f32, |re, im| Complex::new(re as f32, im as f32), |x| Complex::new(x.re.into(), x.im.into());
    Complex<f64>: f64, |re, im| Complex::new(re, im), |x| x;
}

fn array<T: Number>(dims: &[usize], seed: u64) -> Array<T> {
    let count = dims.iter().product();
    let (re, im) = (sample(count, seed), sample(count, seed + 1000));
    Array::from_vec(dims, re.iter().zip(&im).map(|(&re, &im)| T::made(re, im)).collect()).unwrap()
}

fn one(name: &str, args: &[Value]) -> Result<Value> {
    Ok(call(name, args, 1, ElementType::Single)?.remove(0))
}

/// What the processor gives.
fn here(name: &str, args: &[Value]) -> Value {
    with_device(None, || one(name, args)).unwrap()
}

fn seen(value: &Value) -> Vec<Complex<f64>> {
    fn of<T: Number>(value: &Value) -> Vec<Complex<f64>> {
        Array::<T>::from_value(value.clone()).unwrap().read().iter().map(|x| x.seen()).collect()
    }
    match value.element_type() {
        Some(ElementType::Single) => of::<f32>(value),
        Some(ElementType::Double) => of::<f64>(value),
        Some(ElementType::Int32) => of::<i32>(value),
        Some(ElementType::ComplexSingle) => of::<Complex<f32>>(value),
        _ => of::<Complex<f64>>(value),
    }
}

/// Compares with the processor: type, size, and elements up to an error relative to the largest.
fn compare(what: &str, found: &Value, expected: &Value, tolerance: f64) -> Outcome {
    assert_eq!(found.element_type(), expected.element_type(), "{what}");
    assert_eq!(found.dims(), expected.dims(), "{what}");
    let (found, expected) = (seen(found), seen(expected));
    let largest = expected.iter().map(|x| x.norm()).fold(f64::MIN_POSITIVE, f64::max);
    let error = found.iter().zip(&expected).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    if error.is_nan() || found.iter().any(|x| x.is_nan()) || error > tolerance * largest {
        return Err(format!("{what}: error {error:e}, largest {largest:e}, tolerance {tolerance:e}").into());
    }
    Ok(())
}

/// One transform on a device and on the processor; the library must have been used.
fn transform<T: Number>(device: &Arc<dyn Device>, name: &str, dims: &[usize]) -> Outcome {
    let source = array::<T>(dims, 1).to_value();
    let before = device.counters().now();
    let found = with_device(Some(Arc::clone(device)), || one(name, std::slice::from_ref(&source)))?;
    let what = format!("{name} of {:?} {dims:?}", T::TYPE);
    let traffic = device.counters().now().since(&before);
    assert_eq!(traffic.library_calls, 1, "{what}");
    assert_eq!(traffic.downloads, 0, "{what}");
    let points: usize = dims.iter().product();
    let tolerance = T::EPSILON * (4.0 + 2.0 * (points as f64).log2());
    compare(&what, &found, &here(name, &[source]), tolerance)
}

/// All transforms of a size, real and complex, in both precisions and directions.
fn transforms_of(device: &Arc<dyn Device>, dims: &[usize], names: &[&str]) -> Outcome {
    for name in names {
        let (inverse, real) = (format!("i{name}"), format!("ireal{name}"));
        for name in [*name, &inverse] {
            transform::<f32>(device, name, dims)?;
            transform::<f64>(device, name, dims)?;
        }
        // Any spectrum, not only one of real numbers.
        for name in [*name, &inverse, &real] {
            transform::<Complex<f32>>(device, name, dims)?;
            transform::<Complex<f64>>(device, name, dims)?;
        }
        // There and back.
        let source = array::<f32>(dims, 3).to_value();
        let back = with_device(Some(Arc::clone(device)), || {
            one(&real, &[one(&format!("real{name}"), std::slice::from_ref(&source))?])
        })?;
        compare(&format!("{name} and back, {dims:?}"), &back, &source, 1e-5)?;
    }
    Ok(())
}

const ALL: &[&str] = &["fft1", "fft2", "fft3"];

/// Even, odd and prime sizes, extents of 1, up to four dimensions.
fn transforms(device: &Arc<dyn Device>) -> Outcome {
    let sizes: &[&[usize]] =
        &[&[1531], &[41, 61], &[64, 48], &[43, 64], &[36, 45, 5], &[11, 13, 19], &[16, 12, 10, 2]];
    for dims in sizes {
        let names = match dims.len() {
            1 => &ALL[..1],
            4 => &ALL[1..],
            _ => ALL,
        };
        transforms_of(device, dims, names)?;
    }
    transforms_of(device, &[1, 1800], &ALL[1..2])?;
    transforms_of(device, &[1800, 1], &ALL[1..])?;
    transforms_of(device, &[60, 1, 50], &ALL[1..])
}

/// Sizes that a definition would take too long for.
fn large_transforms(device: &Arc<dyn Device>) -> Outcome {
    transforms_of(device, &[100_003], ALL)?;
    transforms_of(device, &[1 << 20], &ALL[..1])?;
    transforms_of(device, &[1021, 1000], &ALL[1..])?;
    transforms_of(device, &[512, 600, 3], &ALL[1..])?;
    transforms_of(device, &[300, 400, 7], &ALL[..1])?;
    transforms_of(device, &[70_000, 9], &ALL[..1])?;
    transforms_of(device, &[101, 128, 90], &ALL[2..])
}

fn product<T: Number>(device: &Arc<dyn Device>, a: &[usize], b: &[usize]) -> Outcome {
    let operands = [array::<T>(a, 5).to_value(), array::<T>(b, 9).to_value()];
    let before = device.counters().now();
    let found = with_device(Some(Arc::clone(device)), || one("matmul", &operands))?;
    let what = format!("{:?}: {a:?} times {b:?}", T::TYPE);
    let traffic = device.counters().now().since(&before);
    // Long sums with few results are left to a kernel of our own.
    let (rows, inner, columns) =
        (a.iter().rev().skip(1).product::<usize>(), *a.last().unwrap(), b[1..].iter().product::<usize>());
    let few = rows <= 4 && columns <= 4 && inner >= 4096;
    assert_eq!((traffic.library_calls, traffic.downloads), (u64::from(!few), 0), "{what}");
    let places = Array::<T>::from_value(found.clone())?.places();
    assert!(!places.contains(Place::Host), "{what}: {places:?}");
    let inner = inner as f64;
    compare(&what, &found, &here("matmul", &operands), T::EPSILON * (8.0 + 4.0 * inner.sqrt()))
}

/// Square, tall, wide, rows, columns, vectors, outer products.
fn products(device: &Arc<dyn Device>) -> Outcome {
    let shapes: &[[&[usize]; 2]] = &[
        [&[40, 40], &[40, 40]],
        [&[61, 29], &[29, 37]],
        [&[3, 9000], &[9000, 3]],
        [&[9000, 3], &[3, 5]],
        [&[1, 300], &[300, 200]],
        [&[200, 300], &[300, 1]],
        [&[200, 301], &[301]],
        [&[301], &[301, 200]],
        [&[250, 1], &[260]],
        [&[250, 1], &[1, 260]],
        [&[1, 40000], &[40000, 1]],
        [&[2, 4097], &[4097, 4]],
        [&[4, 33000], &[33000, 3]],
    ];
    for [a, b] in shapes {
        product::<f32>(device, a, b)?;
        product::<f64>(device, a, b)?;
        product::<Complex<f32>>(device, a, b)?;
        product::<Complex<f64>>(device, a, b)?;
    }
    // By a transposed matrix, which stays there.
    let a = array::<f32>(&[90, 70], 1).to_value();
    let before = device.counters().now();
    let found = with_device(Some(Arc::clone(device)), || {
        one("matmul", &[one("transpose", std::slice::from_ref(&a))?, a.clone()])
    })?;
    let traffic = device.counters().now().since(&before);
    assert_eq!((traffic.library_calls, traffic.downloads), (1, 0));
    let transposed = here("transpose", std::slice::from_ref(&a));
    compare("transposed", &found, &here("matmul", &[transposed, a]), 1e-5)?;
    products_of_transposes::<f32>(device)?;
    products_of_transposes::<Complex<f64>>(device)
}

/// The library reads matrices by columns as they lie there.
fn products_of_transposes<T: Number>(device: &Arc<dyn Device>) -> Outcome {
    for (which, a, b) in [(1, [300, 40], [300, 29]), (2, [40, 300], [29, 300]), (3, [300, 40], [29, 300])] {
        let args = [array::<T>(&a, 5).to_value(), array::<T>(&b, 9).to_value(), Value::int(which)];
        let before = device.counters().now();
        let found = with_device(Some(Arc::clone(device)), || one("matmul_turned", &args))?;
        let traffic = device.counters().now().since(&before);
        assert_eq!((traffic.library_calls, traffic.downloads), (1, 0), "{which}");
        compare("by columns", &found, &here("matmul_turned", &args), T::EPSILON * 80.0)?;
    }
    Ok(())
}

/// By our own kernel, for elements of every size.
fn transposed(device: &Arc<dyn Device>) -> Outcome {
    fn of<T: ArrayElement + PartialEq>(
        device: &Arc<dyn Device>,
        dims: [usize; 2],
        make: fn(f64, f64) -> T,
    ) -> Outcome {
        let [re, im] = [1, 2].map(|seed| sample(dims[0] * dims[1], seed));
        let elements: Vec<T> = re.iter().zip(&im).map(|(&re, &im)| make(200.0 * re, 200.0 * im)).collect();
        for name in ["transpose", "herm_transpose"] {
            let source = Array::from_vec(&dims, elements.clone())?.to_value();
            let before = device.counters().now();
            let found = with_device(Some(Arc::clone(device)), || one(name, std::slice::from_ref(&source)))?;
            let found = Array::<T>::from_value(found)?;
            let traffic = device.counters().now().since(&before);
            let what = format!("{name} of {:?} {dims:?}", T::TYPE);
            assert!(!found.places().contains(Place::Host) && traffic.downloads == 0, "{what}");
            let expected = Array::<T>::from_value(here(name, &[source]))?;
            assert_eq!(found.dims(), expected.dims(), "{what}");
            assert!(found.to_vec() == expected.to_vec(), "{what}");
        }
        Ok(())
    }
    for dims in [[64, 64], [1, 5000], [5000, 1], [70, 97], [33, 129]] {
        of::<u8>(device, dims, |re, _| re as u8)?;
        of::<i8>(device, dims, |re, _| re as i8)?;
        of::<u16>(device, dims, |re, _| re as u16)?;
        of::<i32>(device, dims, |re, _| re as i32)?;
        of::<f32>(device, dims, |re, _| re as f32)?;
        of::<u64>(device, dims, |re, _| re as u64)?;
        of::<f64>(device, dims, |re, _| re)?;
        of::<Complex<f32>>(device, dims, Number::made)?;
        of::<Complex<f64>>(device, dims, Number::made)?;
    }
    Ok(())
}

fn large_products(device: &Arc<dyn Device>) -> Outcome {
    product::<f32>(device, &[513, 700], &[700, 301])?;
    product::<f64>(device, &[256, 1000], &[1000, 333])?;
    product::<f32>(device, &[4, 300_000], &[300_000, 4])?;
    product::<Complex<f32>>(device, &[100_000, 5], &[5, 7])
}

/// More plans than are kept, twice, and several threads with the same one.
fn plans(device: &Arc<dyn Device>) -> Outcome {
    let before = device.counters().now();
    for _ in 0..2 {
        for n in 0..40 {
            transform::<Complex<f32>>(device, "fft1", &[2000 + n])?;
        }
    }
    let traffic = device.counters().now().since(&before);
    assert_eq!((traffic.plans_made, traffic.plans_reused), (80, 0));
    transform::<Complex<f32>>(device, "ifft1", &[2039])?;
    let traffic = device.counters().now().since(&before);
    assert_eq!((traffic.plans_made, traffic.plans_reused), (80, 1), "one plan for both directions");
    let results: Vec<Outcome> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|k| {
                scope.spawn(move || {
                    (0..20).try_for_each(|round| {
                        let source = array::<Complex<f32>>(&[3000 + k % 2], round).to_value();
                        let found = with_device(Some(Arc::clone(device)), || {
                            one("ifft1", std::slice::from_ref(&source))
                        })?;
                        compare("threads", &found, &here("ifft1", &[source]), 4e-6)
                    })
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    results.into_iter().collect()
}

/// Launches before and after calls of libraries, without a wait: each sees what was submitted before it.
fn order(device: &Arc<dyn Device>) -> Outcome {
    let dialect = device.dialect().ok_or("it runs kernels")?;
    let text = compose(
        dialect,
        "Q_KERNEL void add_one(Q_GLOBAL q_f32 *x, q_i32 n) {
             int i = Q_BLOCK(0) * Q_BLOCK_DIM(0) + Q_THREAD(0);
             if (i < n) x[i] += 1.0f;
         }",
    );
    let source =
        KernelSource { name: "add_one", dialect, text: &text, entry: "add_one", options: &[], portable: &[] };
    let kernel = device.kernel(&source)?;
    let dims = [96, 80];
    let add = |x: &Array<f32>, times: usize| -> Outcome {
        let memory = x.on_device(device, Access::Write)?;
        let n = (x.len() as i32).to_ne_bytes();
        let config = LaunchConfig::new([30, 1, 1], [256, 1, 1]);
        for _ in 0..times {
            // SAFETY: the kernel stays below `n`, which is the number of elements.
            unsafe { device.launch(&kernel, &config, &[LaunchArg::Memory(&memory), LaunchArg::Bytes(&n)]) }?;
        }
        Ok(())
    };
    let x = Array::from_vec(&dims, sample(96 * 80, 1).iter().map(|x| *x as f32).collect())?;
    let expected: Array<f32> = Array::from_vec(&dims, x.read().iter().map(|x| x + 50.0).collect())?;
    add(&x, 50)?;
    let on_device = |name: &str, args: &[Value]| with_device(Some(Arc::clone(device)), || one(name, args));
    let spectrum = on_device("fft2", &[x.to_value()])?;
    let again = on_device("irealfft2", std::slice::from_ref(&spectrum))?;
    let restored = Array::<f32>::from_value(again)?;
    add(&restored, 40)?;
    let gram = on_device("matmul", &[restored.to_value(), here("transpose", &[expected.to_value()])])?;
    add(&x, 40)?;
    compare("spectrum", &spectrum, &here("fft2", &[expected.to_value()]), 1e-5)?;
    let more = Array::from_vec(&dims, expected.read().iter().map(|x| x + 40.0).collect())?;
    compare("restored", &restored.to_value(), &more.to_value(), 1e-5)?;
    compare("later", &x.to_value(), &more.to_value(), 1e-5)?;
    let transposed = here("transpose", &[expected.to_value()]);
    compare("product", &gram, &here("matmul", &[more.to_value(), transposed]), 1e-5)
}

/// Memory that is not large enough, and memory that libraries need while others have it.
fn refusals(device: &Arc<dyn Device>) -> Outcome {
    let transform = Transform::new(Elements::Complex, false, 1, &[64], 1).ok_or("possible")?;
    let (small, right) = (device.allocate(511)?, device.allocate(512)?);
    let work = device.allocate(device.plan(&transform)?.max(16))?;
    let refused = device.transform(&transform, Direction::Forward, [&small, &right, &work]).unwrap_err();
    assert!(refused.to_string().contains("other sizes"), "{refused}");
    let product = Product::new(ElementType::Double, 4, 8, 2).ok_or("possible")?;
    let refused = device.multiply(&product, [&right, &small, &right]).unwrap_err();
    assert!(refused.to_string().contains("other sizes"), "{refused}");
    // SAFETY: nobody uses the memory any more.
    [small, right, work].iter().for_each(|memory| unsafe { device.release(memory) });
    let lines = select::report();
    assert!(lines.iter().any(|line| line == "cuFFT: found"), "{lines:?}");
    assert!(lines.iter().any(|line| line == "cuBLAS: found"), "{lines:?}");
    Ok(())
}

/// An OpenCL device with libraries that follow the definitions on the host, for the kernels that work beside libraries.
#[derive(Debug)]
struct Lending {
    device: Arc<dyn Device>,
    counters: Counters,
}

impl Lending {
    fn bytes(&self, memory: &DeviceMemory) -> Result<Vec<u8>> {
        let mut bytes = vec![0; memory.bytes()];
        self.device.download(memory, &mut bytes)?;
        Ok(bytes)
    }
}

// SAFETY: it asks another device.
unsafe impl Device for Lending {
    fn name(&self) -> &str {
        self.device.name()
    }
    fn place(&self) -> Place {
        self.device.place()
    }
    fn serial(&self) -> u64 {
        self.device.serial()
    }
    fn dialect(&self) -> Option<Dialect> {
        self.device.dialect()
    }
    fn limits(&self) -> &Limits {
        self.device.limits()
    }
    fn counters(&self) -> &Counters {
        &self.counters
    }
    fn allocate(&self, bytes: usize) -> Result<DeviceMemory> {
        self.device.allocate(bytes)
    }
    unsafe fn release(&self, memory: &DeviceMemory) {
        // SAFETY: as the caller promises.
        unsafe { self.device.release(memory) };
    }
    fn trim(&self) {
        self.device.trim();
    }
    fn free_bytes(&self) -> usize {
        self.device.free_bytes()
    }
    fn upload(&self, from: &[u8], to: &DeviceMemory) -> Result<()> {
        self.device.upload(from, to)
    }
    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<()> {
        self.device.download(from, to)
    }
    fn copy(&self, from: &DeviceMemory, to: &DeviceMemory) -> Result<()> {
        self.device.copy(from, to)
    }
    fn fill(&self, memory: &DeviceMemory, byte: u8) -> Result<()> {
        self.device.fill(memory, byte)
    }
    fn mailbox(&self, bytes: usize) -> Result<Mailbox> {
        self.device.mailbox(bytes)
    }
    fn peek(&self, mailbox: &Mailbox, to: &mut [u8]) -> Result<()> {
        self.device.peek(mailbox, to)
    }
    fn mailboxes(&self) -> &Mailboxes {
        self.device.mailboxes()
    }
    fn kernel(&self, source: &KernelSource<'_>) -> Result<KernelHandle> {
        self.device.kernel(source)
    }
    unsafe fn launch(
        &self,
        kernel: &KernelHandle,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe { self.device.launch(kernel, config, args) }
    }
    fn synchronize(&self) -> Result<()> {
        self.device.synchronize()
    }
    fn libraries(&self) -> Option<&dyn Libraries> {
        Some(self)
    }
}

impl Libraries for Lending {
    fn known(&self, _library: Library) -> Option<bool> {
        Some(true)
    }
    fn load(&self, _library: Library) -> bool {
        true
    }
    fn plan(&self, _transform: &Transform) -> Result<(usize, bool)> {
        Ok((0, false))
    }
    unsafe fn transform(
        &self,
        transform: &Transform,
        direction: Direction,
        [from, to, _]: [&DeviceMemory; 3],
    ) -> Result<()> {
        let result = fake::transform(transform, direction, &self.bytes(from)?);
        self.device.upload(&result, to)
    }
    unsafe fn multiply(&self, product: &Product, [a, b, to]: [&DeviceMemory; 3]) -> Result<()> {
        let result = fake::multiply(product, &self.bytes(a)?, &self.bytes(b)?);
        self.device.upload(&result, to)
    }
}

fn fake_device(capacity: usize) -> (Arc<FakeDevice>, Arc<dyn Device>) {
    let fake = Arc::new(FakeDevice::new(0, capacity).with_libraries());
    (Arc::clone(&fake), fake)
}

/// Large calls go to the device, whose arrays stay there; small ones do not even look for a library.
fn choice() -> Outcome {
    let (fake, device) = fake_device(1 << 20);
    let on_device = |name: &str, args: &[Value]| with_device(Some(Arc::clone(&device)), || one(name, args));
    let small = array::<Complex<f32>>(&[4, 4], 1).to_value();
    on_device("fft2", std::slice::from_ref(&small))?;
    on_device("matmul", &[small.clone(), small])?;
    assert_eq!(fake.take_calls(), []);

    let source = array::<Complex<f32>>(&[48, 40], 1);
    let spectrum = Array::<Complex<f32>>::from_value(on_device("fft2", &[source.to_value()])?)?;
    assert_eq!(spectrum.places(), CopySet::only(Place::Linear(0)));
    assert_eq!(source.places(), CopySet::only(Place::Host).with(Place::Linear(0)));
    let calls = fake.take_calls();
    assert_eq!(calls[0], Call::LoadLibrary(Library::Fourier));
    let uploads = calls.iter().filter(|call| matches!(call, Call::Upload(..))).count();
    let transforms = calls.iter().filter(|call| matches!(call, Call::Transform(..))).count();
    assert_eq!((uploads, transforms), (1, 1), "{calls:?}");
    let work = calls.iter().filter(|call| matches!(call, Call::Release(_))).count();
    assert_eq!(work, 1, "the memory for the work was given back");

    // A product of what is there: nothing moves.
    let right = Array::<Complex<f32>>::from_value(on_device(
        "fft2",
        &[array::<Complex<f32>>(&[40, 56], 2).to_value()],
    )?)?;
    fake.take_calls();
    let product =
        Array::<Complex<f32>>::from_value(on_device("matmul", &[spectrum.to_value(), right.to_value()])?)?;
    let calls = fake.take_calls();
    assert!(
        matches!(calls[..], [Call::LoadLibrary(Library::Products), Call::Allocate(_), Call::Multiply(_)]),
        "{calls:?}"
    );
    let expected = here("matmul", &[spectrum.to_value(), right.to_value()]);
    fake.take_calls();
    compare("product", &product.to_value(), &expected, 1e-5)?;
    assert!(matches!(fake.take_calls()[..], [Call::Download(..)]), "results come when they are read");

    // Types and sizes that libraries do not know.
    let integers = Array::from_vec(&[64, 64], vec![1i32; 4096])?.to_value();
    on_device("matmul", &[integers.clone(), integers])?;
    let error =
        on_device("matmul", &[array::<f32>(&[64, 63], 1).to_value(), array::<f32>(&[64, 64], 1).to_value()]);
    assert!(error.unwrap_err().to_string().contains("do not match"));
    assert_eq!(fake.take_calls(), []);
    Ok(())
}

/// Where nobody asked for a device, calls go there when that is faster.
fn where_faster() -> Outcome {
    // As many as the estimates below count on.
    quasar_runtime::context::set_threads(2)?;
    let (fake, device) = fake_device(64 << 20);
    let there = |name: &str, args: &[Value]| {
        select::with_device_where_faster(Arc::clone(&device), || one(name, args))
    };
    let small = array::<f32>(&[64, 64], 1);
    there("matmul", &[small.to_value(), small.to_value()])?;
    assert_eq!(fake.take_calls(), [], "it does not pay for loading a library");
    // Once the library is there, work for a millisecond pays for moving 32 KB, work for a tenth does not.
    device.load_library(Library::Products);
    fake.take_calls();
    let large = array::<f32>(&[160, 160], 1);
    there("matmul", &[large.to_value(), large.to_value()])?;
    assert_eq!(device.counters().now().library_calls, 1);
    let tiny = array::<f32>(&[33, 33], 1);
    there("matmul", &[tiny.to_value(), tiny.to_value()])?;
    assert_eq!(device.counters().now().library_calls, 1, "it stays with its data");
    drop(tiny.on_device(&device, Access::Write)?);
    there("matmul", &[tiny.to_value(), tiny.to_value()])?;
    assert_eq!(device.counters().now().library_calls, 2, "it follows its data");
    Ok(())
}

/// Plans for kind, size, batch and precision; the one that was not used for the longest time goes.
fn plan_counts() -> Outcome {
    let (_fake, device) = fake_device(1 << 22);
    let counts = |dims: &[usize], name: &str| -> std::result::Result<(u64, u64), Failed> {
        let before = device.counters().now();
        let source = array::<Complex<f32>>(dims, 1).to_value();
        with_device(Some(Arc::clone(&device)), || one(name, &[source]))?;
        let traffic = device.counters().now().since(&before);
        Ok((traffic.plans_made, traffic.plans_reused))
    };
    assert_eq!(counts(&[60, 50], "fft2")?, (1, 0));
    assert_eq!(counts(&[60, 50], "fft2")?, (0, 1));
    assert_eq!(counts(&[60, 50], "fft1")?, (1, 0), "sixty lines are something else");
    assert_eq!(counts(&[60, 50], "fft3")?, (0, 1), "the same plane");
    assert_eq!(counts(&[50, 60], "fft2")?, (1, 0), "the fake device keeps two: the lines go");
    assert_eq!(counts(&[60, 50], "fft2")?, (0, 1));
    assert_eq!(counts(&[60, 50], "fft1")?, (1, 0));
    Ok(())
}

/// No library, a failing device, a lost one, one without memory.
fn failures() -> Outcome {
    let source = || array::<Complex<f32>>(&[48, 40], 1);
    let expected = here("fft2", &[source().to_value()]);
    let call = |device: &Arc<dyn Device>, source: &Array<Complex<f32>>| {
        with_device(Some(Arc::clone(device)), || one("fft2", &[source.to_value()]))
    };

    let without: Arc<dyn Device> = Arc::new(FakeDevice::new(0, 1 << 20));
    compare("no library", &call(&without, &source())?, &expected, 0.0)?;
    assert_eq!(without.counters().now().library_calls, 0);

    let (fake, device) = fake_device(1 << 20);
    fake.fail();
    assert!(matches!(call(&device, &source()), Err(Error::Device { .. })), "somebody asked for it");
    let unasked = || one("fft2", &[source().to_value()]);
    let found = select::with_device_where_faster(Arc::clone(&device), unasked)?;
    compare("failed", &found, &expected, 0.0)?;

    let (_fake, device) = fake_device(16 << 10);
    compare("out of memory", &call(&device, &source())?, &expected, 0.0)?;
    assert_eq!(device.counters().now().library_calls, 0);

    let (fake, device) = fake_device(1 << 20);
    let source = source();
    let result = Array::<Complex<f32>>::from_value(call(&device, &source)?)?;
    fake.lose();
    assert!(matches!(result.try_read(), Err(Error::Lost { .. })));
    assert!(call(&device, &source).is_err());
    assert_eq!(source.read().len(), 48 * 40);
    Ok(())
}

/// Runs in a process of its own, where the libraries are not found: the processor does all, with a warning.
fn without_libraries(device: &Arc<dyn Device>) -> Outcome {
    if std::env::var_os("QUASAR_CUFFT").is_none_or(|value| value != NOWHERE) {
        let status = std::process::Command::new(std::env::current_exe()?)
            .args(["--exact", "cuda: without libraries"])
            .envs([("QUASAR_CUFFT", NOWHERE), ("QUASAR_CUBLAS", NOWHERE)])
            .output()?;
        let said = String::from_utf8_lossy(&status.stdout);
        assert!(status.status.success() && said.contains("1 passed"), "{said}");
        return Ok(());
    }
    let x = array::<f32>(&[64, 48], 1).to_value();
    let args = [array::<f32>(&[64, 64], 2).to_value(), x.clone()];
    let (spectrum, product) = with_device(Some(Arc::clone(device)), || {
        Ok::<_, Error>((one("fft2", std::slice::from_ref(&x))?, one("matmul", &args)?))
    })?;
    compare("fft2", &spectrum, &here("fft2", &[x]), 0.0)?;
    compare("product", &product, &here("matmul", &args), 0.0)?;
    assert_eq!(device.counters().now().library_calls, 0);
    let warnings: Vec<String> = quasar_runtime::context::warnings().iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|warning| warning.contains("QUASAR_CUFFT names no cuFFT")), "{warnings:?}");
    assert!(warnings.iter().any(|warning| warning.contains("QUASAR_CUBLAS names no cuBLAS")), "{warnings:?}");
    let lines = select::report();
    assert!(lines.iter().any(|line| line.starts_with("cuBLAS: not available: QUASAR_CUBLAS")), "{lines:?}");
    Ok(())
}

const NOWHERE: &str = "/nowhere";

type Test = (&'static str, fn(&Arc<dyn Device>) -> Outcome);

const OF_DEFINITIONS: &[Test] = &[
    ("transforms", transforms),
    ("products", products),
    ("transposed", transposed),
    ("scans", own_kernels::scans),
    ("sorts", own_kernels::sorts),
    ("order", order),
];
const OF_LIBRARIES: &[Test] = &[
    ("transforms", transforms),
    ("large transforms", large_transforms),
    ("products", products),
    ("transposed", transposed),
    ("scans", own_kernels::scans),
    ("sorts", own_kernels::sorts),
    ("large products", large_products),
    ("plans", plans),
    ("order", order),
    ("refusals", refusals),
    ("without libraries", without_libraries),
];

const OF_FUNCTIONS: &[Test] = &[
    ("reductions", array_functions::reductions),
    ("special reductions", array_functions::special_reductions),
    ("rearranged arrays", array_functions::rearrangements),
    ("selections", array_functions::selections),
    ("sorted lines", array_functions::sorted_lines),
    ("order statistics", array_functions::order_statistics),
    ("places and products", array_functions::places_and_products),
    ("slices", array_functions::slices),
    ("small arrays", array_functions::small_arrays),
];

fn trials(
    kind: &'static str,
    find: fn() -> std::result::Result<Arc<dyn Device>, String>,
    tests: &[Test],
    required: bool,
) -> Vec<Trial> {
    let missing = find().err();
    let trial = |&(name, test): &Test| {
        let title = match &missing {
            Some(reason) => format!("{kind}: {name} [{reason}]"),
            None => format!("{kind}: {name}"),
        };
        Trial::test(title, move || test(&find()?)).with_ignored_flag(missing.is_some() && !required)
    };
    tests.iter().map(trial).collect()
}

#[cfg(feature = "opencl")]
fn opencl_alone() -> std::result::Result<Arc<dyn Device>, String> {
    let options = DeviceOptions::from_settings(&Settings::default());
    let mut devices = quasar_runtime::device::opencl::probe_with(&options).map_err(|reason| reason.reason)?;
    Ok(devices.remove(0))
}

#[cfg(feature = "opencl")]
fn opencl() -> std::result::Result<Arc<dyn Device>, String> {
    Ok(Arc::new(Lending { device: opencl_alone()?, counters: Counters::default() }))
}

#[cfg(feature = "cuda")]
fn cuda() -> std::result::Result<Arc<dyn Device>, String> {
    let options = DeviceOptions::from_settings(&Settings::default());
    let mut devices = quasar_runtime::device::cuda::probe_with(&options).map_err(|reason| reason.reason)?;
    let device = devices.remove(0);
    let nowhere = std::env::var_os("QUASAR_CUFFT").is_some_and(|value| value == NOWHERE);
    for library in [Library::Fourier, Library::Products].into_iter().filter(|_| !nowhere) {
        if !device.load_library(library) {
            return Err(format!("{library:?}: there is no library"));
        }
    }
    Ok(device)
}

fn main() {
    let arguments = Arguments::from_args();
    let required = std::env::var_os("QUASAR_REQUIRE_GPU").is_some_and(|value| value == "1");
    let mut all = vec![
        Trial::test("choice", choice),
        Trial::test("where faster", where_faster),
        Trial::test("plan counts", plan_counts),
        Trial::test("failures", failures),
    ];
    #[cfg(feature = "opencl")]
    all.extend(trials("opencl", opencl, OF_DEFINITIONS, false));
    #[cfg(feature = "opencl")]
    all.extend(trials("opencl", opencl_alone, OF_FUNCTIONS, false));
    #[cfg(feature = "cuda")]
    all.extend(trials("cuda", cuda, OF_LIBRARIES, required));
    #[cfg(feature = "cuda")]
    all.extend(trials("cuda", cuda, OF_FUNCTIONS, required));
    let _ = required;
    libtest_mimic::run(&arguments, all).exit();
}
