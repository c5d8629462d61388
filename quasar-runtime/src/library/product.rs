//! Products of matrices. Where that is worth it, the active device makes them: by a library, but for long sums with few
//! results, for which libraries use few blocks. Otherwise the processor's threads do.

use crate::array::coherence::Access;
use crate::array::{Array, hold};
use crate::context;
use crate::device::accel_libraries::{Library, Product};
use crate::device::result_buffer::COUNTER_BYTES;
use crate::device::{Device, DeviceMemory, LaunchArg};
use crate::error::Result;
use crate::kernel::offload::libraries::{Call, Helper};
use crate::kernel::offload::{Arg, MissedGain};
use crate::threads::Threads;
use num_complex::Complex;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::gemm::Turned;
use quasar_devicelib::value::library::turned;
use quasar_devicelib::value::matmul::{matrix_power_by, product_shape, turned_dims, turned_product_by};
use quasar_devicelib::value::{ArrayElement, Caller, Value};
use std::sync::Arc;

/// A product with at most 4 x 4 elements: threads add up what they find, blocks put that together, and the last block what
/// the blocks found, in their order. Memory that blocks share begins with counters, as of other kernels.
const FEW: &str = r#"
Q_FN void few_put_$n(volatile Q_GLOBAL $r *parts, q_u32 i, $t z) { $put }

Q_FN $t few_get_$n(volatile Q_GLOBAL $r *parts, q_u32 i) { return $get; }

Q_KERNEL void product_few_$n(Q_GLOBAL const $t *a, Q_GLOBAL const $t *b, Q_GLOBAL $t *product, Q_GLOBAL q_u32 *scratch,
                             q_u32 rows, q_u32 inner, q_u32 columns) {
    Q_SHARED_DECL $t shared[4 * 256];
    Q_SHARED_DECL q_u32 arrived;
    q_u32 thread = (q_u32)Q_THREAD(0), block = (q_u32)Q_BLOCK(0), blocks = (q_u32)Q_GRID_DIM(0);
    volatile Q_GLOBAL q_u32 *counter = (volatile Q_GLOBAL q_u32*)scratch;
    volatile Q_GLOBAL $r *parts = (volatile Q_GLOBAL $r*)(scratch + $counters);
    $t none = $none, sums[4][4], x[4], y[4];
    _Pragma("unroll") for (int r = 0; r < 4; r++) {
        _Pragma("unroll") for (int c = 0; c < 4; c++) sums[r][c] = none;
    }
    for (q_u32 j = block * 256u + thread; j < inner; j += blocks * 256u) {
        _Pragma("unroll") for (int r = 0; r < 4; r++) x[r] = r < (int)rows ? a[(Q_INDEX)r * inner + j] : none;
        _Pragma("unroll") for (int c = 0; c < 4; c++) y[c] = c < (int)columns ? b[(Q_INDEX)j * columns + c] : none;
        _Pragma("unroll") for (int r = 0; r < 4; r++) {
            _Pragma("unroll") for (int c = 0; c < 4; c++) sums[r][c] = q_add_$n(sums[r][c], q_multiply_$n(x[r], y[c]));
        }
    }
    _Pragma("unroll") for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++) shared[c * 256 + thread] = sums[r][c];
        for (q_u32 step = 128u; step > 0u; step /= 2u) {
            Q_BARRIER();
            if (thread < step) {
                for (int c = 0; c < 4; c++) {
                    shared[c * 256 + thread] = q_add_$n(shared[c * 256 + thread], shared[c * 256 + thread + step]);
                }
            }
        }
        if (thread == 0u) {
            for (int c = 0; c < 4; c++) few_put_$n(parts, block * 16u + r * 4 + c, shared[c * 256]);
        }
        Q_BARRIER();
    }
    if (thread == 0u) {
        Q_FENCE_GRID();
        arrived = q_atomic_add_u32(counter, 1u);
    }
    Q_BARRIER();
    int last = arrived == blocks - 1u;
    Q_LEAVE_BLOCK(!last);
    Q_FENCE_GRID();
    if (last && thread == 0u) *counter = 0u;
    $t sum = none;
    if (last) for (q_u32 k = thread / 16u; k < blocks; k += 16u) sum = q_add_$n(sum, few_get_$n(parts, k * 16u + thread % 16u));
    shared[thread] = sum;
    for (q_u32 step = 128u; step >= 16u; step /= 2u) {
        Q_BARRIER();
        if (thread < step) shared[thread] = q_add_$n(shared[thread], shared[thread + step]);
    }
    q_u32 row = thread / 4u, column = thread % 4u;
    if (last && thread < 16u && row < rows && column < columns) product[row * columns + column] = shared[thread];
}
"#;

/// The most rows and columns of such a product, and the shortest sum.
const SIDE: usize = 4;
const LONG: usize = 4096;
/// Elements of a sum that a block takes at least, for each of its threads.
const EACH: usize = 4;

fn few(element: &str, complex: bool) -> String {
    let real = element.replace('c', "f");
    let (put, get, none) = match complex {
        false => ("parts[i] = z;".into(), "parts[i]".into(), "0".into()),
        true => (
            "parts[2u * i] = z.re; parts[2u * i + 1u] = z.im;".to_owned(),
            format!("q_complex2_{real}(parts[2u * i], parts[2u * i + 1u])"),
            format!("q_complex2_{real}(0, 0)"),
        ),
    };
    let words = [("$put", &*put), ("$get", &*get), ("$none", &*none), ("$n", element)];
    let text = words.iter().fold(FEW.to_owned(), |text, (word, meaning)| text.replace(word, meaning));
    let counters = (COUNTER_BYTES / 4).to_string();
    text.replace("$counters", &counters)
        .replace("$r", &format!("q_{real}"))
        .replace("$t", &format!("q_{element}"))
}

static SINGLE: Helper = Helper::new("product_few_f32", || few("f32", false));
static DOUBLE: Helper = Helper::new("product_few_f64", || few("f64", false));
static COMPLEX_SINGLE: Helper = Helper::new("product_few_c32", || few("c32", true));
static COMPLEX_DOUBLE: Helper = Helper::new("product_few_c64", || few("c64", true));

/// How many operations of a product take as long as one of a loop: its tiles and rows fill the lanes of the processor.
const LANES: u64 = 16;
/// The same where one factor is a vector: each element is used once, and sums along rows go one after the other.
const VECTOR_LANES: u64 = 2;

/// Whether a product is so small that other threads would cost more than they save.
fn is_small(a: &[usize], b: &[usize]) -> bool {
    product_shape(a, b).is_ok_and(|shape| {
        let extents = [2, shape.rows, shape.inner, shape.columns];
        let work = extents.into_iter().fold(1, |work: u64, n| work.saturating_mul(n as u64));
        let lanes = if shape.rows == 1 || shape.columns == 1 { VECTOR_LANES } else { LANES };
        work < context::serial_work().saturating_mul(lanes)
    })
}

/// The product or power of arrays of numbers by the processor's threads, if that is what is called.
pub(super) fn here(name: &str, args: &[Value]) -> Result<Option<Value>> {
    let (&[a, b], turned) = match args {
        [a, b, which] if name == "matmul_turned" => (&[a, b], turned(which)),
        [a, b] => (&[a, b], [false; 2]),
        _ => return Ok(None),
    };
    let is_array = |x: &Value| x.as_array().is_some_and(|x| x.element_type().is_some());
    let made = match name {
        "matmul" | "matmul_turned" | "multiply_values" if is_array(a) && is_array(b) => {
            match is_small(&turned_dims(&a.dims(), turned[0]), &turned_dims(&b.dims(), turned[1])) {
                true => turned_product_by(&Caller, a, b, turned),
                false => turned_product_by(&Threads, a, b, turned),
            }
        }
        "matpow" | "power_values" if is_array(a) => match is_small(&a.dims(), &a.dims()) {
            true => matrix_power_by(&Caller, a, b),
            false => matrix_power_by(&Threads, a, b),
        },
        _ => return Ok(None),
    };
    Ok(Some(made?))
}

static MISSED: MissedGain = MissedGain::new();

/// The product of two arrays of one type, if that is what is called and the active device should do it.
pub(super) fn call(name: &str, args: &[Value]) -> Result<Option<Value>> {
    let (a, b, turned) = match (name, args) {
        ("matmul" | "multiply_values", [a, b]) => (a, b, [false; 2]),
        ("matmul_turned", [a, b, which]) => (a, b, turned(which)),
        _ => return Ok(None),
    };
    use ElementType::{ComplexDouble, ComplexSingle, Double, Single};
    match a.element_type() {
        Some(Single) => typed::<f32>(a, b, turned),
        Some(Double) => typed::<f64>(a, b, turned),
        Some(ComplexSingle) => typed::<Complex<f32>>(a, b, turned),
        Some(ComplexDouble) => typed::<Complex<f64>>(a, b, turned),
        _ => Ok(None),
    }
}

fn typed<T: ArrayElement>(a: &Value, b: &Value, turned: Turned) -> Result<Option<Value>> {
    let (Some(a), Some(b)) = (Array::<T>::named_by(a), Array::<T>::named_by(b)) else { return Ok(None) };
    // What does not fit together is said where the processor multiplies.
    let Ok(shape) = product_shape(&turned_dims(a.dims(), turned[0]), &turned_dims(b.dims(), turned[1]))
    else {
        return Ok(None);
    };
    let Some(product) = Product::new(T::TYPE, shape.rows, shape.inner, shape.columns) else {
        return Ok(None);
    };
    let product = product.of_turned(turned);
    let own = own_kernel(&product);
    let call = Call {
        library: if own.is_some() { None } else { Some(Library::Products) },
        helpers: own.as_slice(),
        work: product.operations(),
        parallel: product.operations() >= context::serial_work(),
        inputs: &[Arg::Read(&a), Arg::Read(&b)],
        missed: &MISSED,
    };
    call.offload(|device| {
        let result = Array::<T>::uninit(&shape.dims)?;
        let [of_a, of_b] = hold([a.wanted(Access::Read), b.wanted(Access::Read)])?;
        let first = a.on_device_held(device, Access::Read, of_a)?;
        let second = b.on_device_held(device, Access::Read, of_b)?;
        let to = result.on_device(device, Access::Overwrite)?;
        let matrices = [&*first, &*second, &*to];
        match own {
            Some(kernel) => multiply(device, kernel, &product, matrices)?,
            None => device.multiply(&product, matrices)?,
        }
        drop((first, second, to));
        Ok(result.to_value())
    })
}

/// The kernel for a product with few elements, each of a long sum.
fn own_kernel(product: &Product) -> Option<&'static Helper> {
    let [rows, inner, columns] = product.extents();
    if rows > SIDE || columns > SIDE || inner < LONG || product.turned() != [false; 2] {
        return None;
    }
    match product.element() {
        ElementType::Single => Some(&SINGLE),
        ElementType::Double => Some(&DOUBLE),
        ElementType::ComplexSingle => Some(&COMPLEX_SINGLE),
        ElementType::ComplexDouble => Some(&COMPLEX_DOUBLE),
        _ => None,
    }
}

fn multiply(
    device: &Arc<dyn Device>,
    kernel: &Helper,
    product: &Product,
    [a, b, to]: [&DeviceMemory; 3],
) -> Result<()> {
    let extents = product.extents();
    let most = device.limits().multiprocessors.max(1) as usize * 2;
    let blocks = extents[1].div_ceil(256 * EACH).min(most);
    let bytes = COUNTER_BYTES + blocks * SIDE * SIDE * product.element().size();
    let scratch = device.mailboxes().scratch(&**device, bytes)?;
    let numbers = extents.map(|n| u32::try_from(n).unwrap_or(u32::MAX).to_ne_bytes());
    let mut args =
        vec![LaunchArg::Input(a), LaunchArg::Input(b), LaunchArg::Memory(to), LaunchArg::Memory(&scratch)];
    args.extend(numbers.iter().map(|number| LaunchArg::Bytes(number)));
    let grid = [u32::try_from(blocks).unwrap_or(1), 1];
    // SAFETY: the kernel stays below the extents of the three matrices, which are those of the memories, and in the scratch
    // memory below 16 numbers for each block behind the counters; the arguments are those of its parameters.
    let submitted = unsafe { kernel.launch(device, grid, &args) };
    device.mailboxes().put_scratch(scratch);
    submitted
}

#[cfg(test)]
mod processor_tests {
    use super::*;
    use crate::context::with_device;
    use crate::library;
    use quasar_devicelib::element::ElementType::Single;
    use quasar_devicelib::value::matmul;

    /// Numbers whose sums depend on their order.
    fn numbers(dims: &[usize]) -> Array<f32> {
        let count: usize = dims.iter().product();
        Array::from_vec(dims, (0..count).map(|k| 1.0 / (1 + k * k % 1009) as f32 - 0.1).collect()).unwrap()
    }

    fn bits(value: Value) -> (Vec<usize>, Vec<u32>) {
        let array = Array::<f32>::from_value(value).unwrap();
        let found = array.try_read().unwrap().iter().map(|x| x.to_bits()).collect();
        (array.dims().to_vec(), found)
    }

    #[test]
    fn threads_give_what_one_thread_gives() {
        let call = |name: &str, args: &[Value]| {
            let call = || library::call(name, args, 1, Single);
            with_device(None, || crate::threads::tests::with_threads(3, call)).unwrap().remove(0)
        };
        let shapes: &[[&[usize]; 2]] = &[
            [&[129, 200], &[200, 67]],
            [&[300, 500], &[500]],
            [&[500], &[500, 700]],
            [&[4, 100_000], &[100_000, 3]],
            [&[1, 70_000], &[70_000]],
            [&[3, 300], &[300, 2000]],
            [&[2000, 300], &[300, 3]],
            [&[700, 1], &[600]],
            [&[5, 4], &[4, 3]],
            [&[5, 0], &[0, 3]],
        ];
        for [a, b] in shapes {
            let (x, y) = (numbers(a).to_value(), numbers(b).to_value());
            let expected = bits(matmul::product(&x, &y).unwrap());
            assert_eq!(bits(call("matmul", &[x.clone(), y.clone()])), expected, "{a:?} {b:?}");
            assert_eq!(bits(call("multiply_values", &[x.clone(), y.clone()])), expected, "{a:?} {b:?}");
            let [of_x, of_y] = [x, y]
                .map(|x| call("transpose", &[x]))
                .map(|x| if x.dims().contains(&1) { None } else { Some(x) });
            if let (Some(x), Some(y)) = (of_x, of_y) {
                assert_eq!(bits(call("matmul_turned", &[x, y, Value::int(3)])), expected, "{a:?} {b:?}");
            }
        }
        let square = numbers(&[150, 150]).to_value();
        let expected = bits(matmul::product(&square, &square).unwrap());
        assert_eq!(bits(call("matmul", &[square.clone(), square.clone()])), expected);
        let cube = bits(matmul::matrix_power(&square, &Value::int(3)).unwrap());
        assert_eq!(bits(call("matpow", &[square, Value::int(3)])), cube);
    }
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;
    use crate::device::Dialect;
    use crate::device::cuda::nvrtc;
    use quasar_devicelib::device_text::compose;

    #[test]
    fn the_kernels_compile_for_cuda() {
        let compiler = match nvrtc() {
            Ok(compiler) => compiler,
            Err(reason) => return println!("not tested: {reason}"),
        };
        for (element, complex) in [("f32", false), ("f64", false), ("c32", true), ("c64", true)] {
            let text = compose(Dialect::Cuda, &few(element, complex));
            compiler.compile("products", &text, &[], 90).unwrap();
        }
    }
}
