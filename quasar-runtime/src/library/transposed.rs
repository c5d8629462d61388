//! Transposed matrices on the active device, where that is worth it: matrices that are there need not come to the host.

use crate::array::Array;
use crate::array::coherence::Access;
use crate::device::{Device, DeviceMemory, LaunchArg};
use crate::error::Result;
use crate::kernel::offload::libraries::{Call, Helper};
use crate::kernel::offload::{Arg, MissedGain};
use half::f16;
use num_complex::Complex;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::{ArrayElement, Value};
use std::sync::Arc;

/// Blocks move tiles of 32 x 32 elements through shared memory, whose rows are one longer, so that its banks differ.
const TEXT: &str = r#"
Q_KERNEL void transpose_$n(Q_GLOBAL const $t *x, Q_GLOBAL $t *y, q_u32 rows, q_u32 columns, q_u32 conjugate) {
    Q_SHARED_DECL $t tile[32 * 33];
    q_u32 across = (q_u32)Q_THREAD(0) & 31u, down = (q_u32)Q_THREAD(0) >> 5;
    for (q_u32 r = (q_u32)Q_BLOCK(1) * 32u; r < rows; r += (q_u32)Q_GRID_DIM(1) * 32u) {
        for (q_u32 c = (q_u32)Q_BLOCK(0) * 32u; c < columns; c += (q_u32)Q_GRID_DIM(0) * 32u) {
            for (q_u32 k = down; k < 32u; k += 8u) {
                if (r + k < rows && c + across < columns) {
                    $t z = x[(Q_INDEX)(r + k) * columns + (c + across)];
                    $conjugate
                    tile[k * 33u + across] = z;
                }
            }
            Q_BARRIER();
            for (q_u32 k = down; k < 32u; k += 8u) {
                if (c + k < columns && r + across < rows) {
                    y[(Q_INDEX)(c + k) * rows + (r + across)] = tile[across * 33u + k];
                }
            }
            Q_BARRIER();
        }
    }
}
"#;

fn text(name: &str, element: &str, conjugate: &str) -> String {
    TEXT.replace("$n", name).replace("$conjugate", conjugate).replace("$t", element)
}

const CONJUGATE: &str = "if (conjugate != 0u) z.im = -z.im;";

/// One for elements of each size, since others than complex ones are only moved.
static BYTES_1: Helper = Helper::new("transpose_u8", || text("u8", "q_u8", ""));
static BYTES_2: Helper = Helper::new("transpose_u16", || text("u16", "q_u16", ""));
static BYTES_4: Helper = Helper::new("transpose_u32", || text("u32", "q_u32", ""));
static BYTES_8: Helper = Helper::new("transpose_u64", || text("u64", "q_u64", ""));
static SINGLE: Helper = Helper::new("transpose_c32", || text("c32", "q_c32", CONJUGATE));
static DOUBLE: Helper = Helper::new("transpose_c64", || text("c64", "q_c64", CONJUGATE));
static MISSED: MissedGain = MissedGain::new();

/// Estimated operations for an element, which the processor waits for.
const OPERATIONS: u64 = 16;

/// The kernel that transposes matrices of a type.
pub(super) fn kernel(ty: ElementType) -> &'static Helper {
    match ty {
        ElementType::ComplexSingle => &SINGLE,
        ElementType::ComplexDouble => &DOUBLE,
        _ => match ty.size() {
            1 => &BYTES_1,
            2 => &BYTES_2,
            4 => &BYTES_4,
            _ => &BYTES_8,
        },
    }
}

/// The transposed array, if that is what is called and the active device should do it.
pub(super) fn call(name: &str, args: &[Value]) -> Result<Option<Value>> {
    let ("transpose" | "herm_transpose", [arg]) = (name, args) else { return Ok(None) };
    let conjugate = name == "herm_transpose";
    let Some(ty) = arg.element_type() else { return Ok(None) };
    let helper = kernel(ty);
    match ty {
        ElementType::Int8 => typed::<i8>(arg, helper, conjugate),
        ElementType::UInt8 => typed::<u8>(arg, helper, conjugate),
        ElementType::Int16 => typed::<i16>(arg, helper, conjugate),
        ElementType::UInt16 => typed::<u16>(arg, helper, conjugate),
        ElementType::Half => typed::<f16>(arg, helper, conjugate),
        ElementType::Int32 => typed::<i32>(arg, helper, conjugate),
        ElementType::UInt32 => typed::<u32>(arg, helper, conjugate),
        ElementType::Single => typed::<f32>(arg, helper, conjugate),
        ElementType::Int64 => typed::<i64>(arg, helper, conjugate),
        ElementType::UInt64 => typed::<u64>(arg, helper, conjugate),
        ElementType::Double => typed::<f64>(arg, helper, conjugate),
        ElementType::ComplexSingle => typed::<Complex<f32>>(arg, helper, conjugate),
        ElementType::ComplexDouble => typed::<Complex<f64>>(arg, helper, conjugate),
    }
}

fn typed<T: ArrayElement>(arg: &Value, helper: &'static Helper, conjugate: bool) -> Result<Option<Value>> {
    let Some(source) = Array::<T>::named_by(arg) else { return Ok(None) };
    let &[rows, columns] = source.dims() else { return Ok(None) };
    let [Ok(_), Ok(_)] = [rows, columns].map(i32::try_from) else { return Ok(None) };
    let call = Call {
        library: None,
        helpers: &[helper],
        work: (source.len() as u64).saturating_mul(OPERATIONS),
        parallel: false,
        inputs: &[Arg::Read(&source)],
        missed: &MISSED,
    };
    call.offload(|device| transpose(device, helper, &source, [rows, columns], conjugate))
}

fn transpose<T: ArrayElement>(
    device: &Arc<dyn Device>,
    helper: &Helper,
    source: &Array<T>,
    [rows, columns]: [usize; 2],
    conjugate: bool,
) -> Result<Value> {
    let result = Array::<T>::uninit(&[columns, rows])?;
    let (from, to) = (source.on_device(device, Access::Read)?, result.on_device(device, Access::Overwrite)?);
    // SAFETY: both have as many elements as the matrix, of the size that the kernel's elements have.
    unsafe { launch(device, helper, [&from, &to], [rows, columns], conjugate)? };
    drop((from, to));
    Ok(result.to_value())
}

/// Transposes a matrix with so many rows and columns.
///
/// # Safety
/// Both memories have that many elements, of the kernel's size.
pub(super) unsafe fn launch(
    device: &Arc<dyn Device>,
    helper: &Helper,
    [from, to]: [&DeviceMemory; 2],
    [rows, columns]: [usize; 2],
    conjugate: bool,
) -> Result<()> {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).to_ne_bytes();
    let numbers = [rows, columns, usize::from(conjugate)].map(number);
    let mut args = vec![LaunchArg::Input(from), LaunchArg::Memory(to)];
    args.extend(numbers.iter().map(|number| LaunchArg::Bytes(number)));
    let [most_across, most_down, _] = device.limits().max_grid;
    let tiles = |n: usize, most: u32| u32::try_from(n.div_ceil(32)).unwrap_or(u32::MAX).min(most);
    let grid = [tiles(columns, most_across), tiles(rows, most_down)];
    // SAFETY: the kernel stays below `rows` and `columns`; the rest is guaranteed by the caller, and the arguments are those of
    // the kernel's parameters.
    unsafe { helper.launch(device, grid, &args) }
}
