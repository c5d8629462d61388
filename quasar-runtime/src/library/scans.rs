//! Running sums, products and extrema on the active device: `cumsum`, `cumprod`, `cummin`, `cummax`.
//!
//! Lines along the scanned dimension are cut into pieces where there are fewer lines than the device has room for. Then
//! the totals of the pieces are found first, scanned by the same kernels, and each piece begins with what precedes it
//! (reduce-then-scan; Merrill and Grimshaw, "Parallel Scan for Stream Architectures", 2009). Float sums of pieces are
//! rounded in another order than those of the processor, which goes through a line from its first element to its last.

use crate::array::coherence::Access;
use crate::array::{Array, MAX_DIMS, Scratch};
use crate::device::{Device, DeviceMemory, LaunchArg};
use crate::error::Result;
use crate::kernel::offload::libraries::{Call, Helper};
use crate::kernel::offload::{Arg, MissedGain};
use quasar_devicelib::element::{ElementType, Scalar};
use quasar_devicelib::value::{ArrayElement, Value};
use std::sync::Arc;

/// Elements of a row that a block scans at once: 8 for each of its 256 threads.
const TILE: usize = 2048;
/// The shortest pieces of rows and of columns, in elements.
const SHORTEST: [usize; 2] = [4 * TILE, 64];

/// `scan_rows`: the elements of a line are neighbours. A block loads a tile into shared memory, each thread scans 8
/// neighbours of it, the block the totals of its threads. `scan_columns`: lines are neighbours, and a thread scans one.
///
/// `mode` 0 writes the totals of pieces into `carry`; 1 begins each piece with the scanned totals of those before it; 2
/// scans whole lines. `y` may be `x`.
const TEXT: &str = r#"
Q_FN $t scan_join_$o_$n($t a, $t b) { return q_$o_$n(a, b); }

Q_KERNEL void scan_rows_$o_$n(Q_GLOBAL const $t *x, Q_GLOBAL $t *y, Q_GLOBAL $t *carry, q_u32 lines, q_u32 length,
                              q_u32 piece, q_u32 mode) {
    Q_SHARED_DECL $t tile[8 * 264];
    Q_SHARED_DECL $t totals[256];
    q_u32 thread = (q_u32)Q_THREAD(0), pieces = (length + piece - 1u) / piece;
    for (q_u32 line = (q_u32)Q_BLOCK(1); line < lines; line += (q_u32)Q_GRID_DIM(1)) {
        for (q_u32 p = (q_u32)Q_BLOCK(0); p < pieces; p += (q_u32)Q_GRID_DIM(0)) {
            q_u32 first = p * piece, count = length - first < piece ? length - first : piece;
            q_u32 from = line * length + first;
            int begun = mode == 1u && p > 0u;
            $t before = carry[begun ? line * pieces + p - 1u : 0u];
            for (q_u32 at = 0u; at < count; at += 2048u) {
                q_u32 rest = count - at < 2048u ? count - at : 2048u;
                for (q_u32 k = thread; k < rest; k += 256u) tile[k + k / 32u] = x[from + at + k];
                Q_BARRIER();
                q_u32 own = thread * 8u, end = own + 8u < rest ? own + 8u : rest;
                $t sum = tile[own + own / 32u];
                for (q_u32 k = own + 1u; k < end; k++) {
                    sum = scan_join_$o_$n(sum, tile[k + k / 32u]);
                    tile[k + k / 32u] = sum;
                }
                totals[thread] = sum;
                Q_BARRIER();
                for (q_u32 step = 1u; step < 256u; step *= 2u) {
                    if (thread >= step) sum = scan_join_$o_$n(totals[thread - step], sum);
                    Q_BARRIER();
                    totals[thread] = sum;
                    Q_BARRIER();
                }
                if (thread > 0u || begun) {
                    $t shift = thread > 0u ? totals[thread - 1u] : before;
                    if (thread > 0u && begun) shift = scan_join_$o_$n(before, shift);
                    for (q_u32 k = own; k < end; k++) tile[k + k / 32u] = scan_join_$o_$n(shift, tile[k + k / 32u]);
                }
                $t last = totals[(rest - 1u) / 8u];
                before = begun ? scan_join_$o_$n(before, last) : last;
                begun = 1;
                Q_BARRIER();
                if (mode != 0u) {
                    for (q_u32 k = thread; k < rest; k += 256u) y[from + at + k] = tile[k + k / 32u];
                    Q_BARRIER();
                }
            }
            if (mode == 0u && thread == 0u) carry[line * pieces + p] = before;
        }
    }
}

Q_KERNEL void scan_columns_$o_$n(Q_GLOBAL const $t *x, Q_GLOBAL $t *y, Q_GLOBAL $t *carry, q_u32 outer, q_u32 length,
                                 q_u32 inner, q_u32 piece, q_u32 mode) {
    q_u32 pieces = (length + piece - 1u) / piece, step = (q_u32)Q_GRID_DIM(0) * 256u;
    for (q_u32 part = (q_u32)Q_BLOCK(1); part < outer * pieces; part += (q_u32)Q_GRID_DIM(1)) {
        q_u32 block = part / pieces, p = part - block * pieces, first = p * piece;
        q_u32 count = length - first < piece ? length - first : piece;
        for (q_u32 c = (q_u32)Q_BLOCK(0) * 256u + (q_u32)Q_THREAD(0); c < inner; c += step) {
            q_u32 from = (block * length + first) * inner + c, k = 0u;
            $t sum = x[from], next[8];
            if (mode == 1u && p > 0u) sum = scan_join_$o_$n(carry[(part - 1u) * inner + c], sum);
            if (mode != 0u) y[from] = sum;
            for (k = 1u; k + 8u <= count; k += 8u) {
                _Pragma("unroll") for (q_u32 j = 0u; j < 8u; j++) next[j] = x[from + (k + j) * inner];
                _Pragma("unroll") for (q_u32 j = 0u; j < 8u; j++) {
                    sum = scan_join_$o_$n(sum, next[j]);
                    if (mode != 0u) y[from + (k + j) * inner] = sum;
                }
            }
            for (; k < count; k++) {
                sum = scan_join_$o_$n(sum, x[from + k * inner]);
                if (mode != 0u) y[from + k * inner] = sum;
            }
            if (mode == 0u) carry[part * inner + c] = sum;
        }
    }
}
"#;

fn text(operation: &str, element: &str) -> String {
    TEXT.replace("$o", operation).replace("$n", element).replace("$t", &format!("q_{element}"))
}

/// The kernels of an operation on elements of a type, for rows and for columns.
type Kernels = [Helper; 2];

macro_rules! kernels {
    ($operation:literal: $($element:literal),*) => {
        [$([
            Helper::new(concat!("scan_rows_", $operation, "_", $element), || text($operation, $element)),
            Helper::new(concat!("scan_columns_", $operation, "_", $element), || text($operation, $element)),
        ]),*]
    };
}

/// By operation and element.
static KERNELS: [[Kernels; 3]; 4] = [
    kernels!("add": "f32", "f64", "i32"),
    kernels!("multiply": "f32", "f64", "i32"),
    kernels!("min": "f32", "f64", "i32"),
    kernels!("max": "f32", "f64", "i32"),
];
static MISSED: MissedGain = MissedGain::new();

/// Estimated operations for an element, which the processor's threads wait for.
const OPERATIONS: u64 = 4;

/// The scanned array, if that is what is called and the active device should do it.
pub(super) fn call(name: &str, args: &[Value]) -> Result<Option<Value>> {
    let [sums, products, minima, maxima] = &KERNELS;
    let [single, double, integer] = match name {
        "cumsum" => sums,
        "cumprod" => products,
        "cummin" => minima,
        "cummax" => maxima,
        _ => return Ok(None),
    };
    let (arg, axis) = match args {
        [arg] => (arg, None),
        [arg, axis] => match axis.as_scalar().and_then(axis_of) {
            Some(axis) => (arg, Some(axis)),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    match arg.element_type() {
        Some(ElementType::Single) => typed::<f32>(arg, axis, single),
        Some(ElementType::Double) => typed::<f64>(arg, axis, double),
        Some(ElementType::Int32) => typed::<i32>(arg, axis, integer),
        _ => Ok(None),
    }
}

/// The dimension that a number names; the processor says what is wrong with others.
fn axis_of(number: Scalar) -> Option<usize> {
    let k = number.as_f64();
    (k >= 0.0 && k.fract() == 0.0 && k < MAX_DIMS as f64).then_some(k as usize)
}

/// What is scanned: `length` elements, `inner` from each other, in each of `outer` blocks.
#[derive(Clone, Copy)]
struct Lines {
    outer: usize,
    length: usize,
    inner: usize,
}

fn typed<T: ArrayElement>(
    arg: &Value,
    axis: Option<usize>,
    kernels: &'static Kernels,
) -> Result<Option<Value>> {
    let Some(source) = Array::<T>::named_by(arg) else { return Ok(None) };
    let dims = source.dims();
    let axis = axis.unwrap_or(usize::from(dims.len() > 1));
    // The kernels count in 32 bits.
    if source.is_empty() || i32::try_from(source.len()).is_err() {
        return Ok(None);
    }
    // Other dimensions have one element.
    let Some((before, [length, behind @ ..])) = dims.split_at_checked(axis) else { return Ok(None) };
    let count = |dims: &[usize]| dims.iter().product::<usize>();
    let lines = Lines { outer: count(before), length: *length, inner: count(behind) };
    let [rows, columns] = kernels;
    let kernel = if lines.inner > 1 { columns } else { rows };
    let call = Call {
        library: None,
        helpers: &[kernel],
        work: (source.len() as u64).saturating_mul(OPERATIONS),
        parallel: true,
        inputs: &[Arg::Read(&source)],
        missed: &MISSED,
    };
    call.offload(|device| scan(device, kernel, &source, lines))
}

fn scan<T: ArrayElement>(
    device: &Arc<dyn Device>,
    kernel: &Helper,
    source: &Array<T>,
    lines: Lines,
) -> Result<Value> {
    let result = Array::<T>::uninit(source.dims())?;
    let (from, to) = (source.on_device(device, Access::Read)?, result.on_device(device, Access::Overwrite)?);
    lines.scan(device, kernel, [&from, &to], size_of::<T>())?;
    drop((from, to));
    Ok(result.to_value())
}

/// Replaces `count` 32-bit integers by their running sums.
pub(super) fn running_sums(device: &Arc<dyn Device>, memory: &DeviceMemory, count: usize) -> Result<()> {
    let lines = Lines { outer: 1, length: count, inner: 1 };
    lines.scan(device, COUNTS, [memory, memory], size_of::<i32>())
}

/// The kernel of `running_sums`.
pub(super) static COUNTS: &Helper = {
    let [[_, _, [rows, _]], ..] = &KERNELS;
    rows
};

/// Modes of the kernels.
const TOTALS: usize = 0;
const CONTINUED: usize = 1;
const WHOLE: usize = 2;

impl Lines {
    fn count(self) -> usize {
        self.outer * self.length * self.inner
    }

    /// The elements of a piece, such that the pieces of all lines fill the device.
    fn piece(self, device: &Arc<dyn Device>) -> usize {
        let multiprocessors = device.limits().multiprocessors.max(1) as usize;
        let (wanted, [rows, columns]) = (multiprocessors * 8, SHORTEST);
        // Blocks that there are without pieces.
        let (blocks, shortest) = match self.inner {
            1 => (self.outer, rows),
            inner => (self.outer * inner.div_ceil(256), columns),
        };
        let pieces = wanted.div_ceil(blocks).min(self.length.div_ceil(shortest)).max(1);
        // Whole tiles, so that no piece ends with a short one but the last.
        self.length.div_ceil(pieces).next_multiple_of(if self.inner == 1 { TILE } else { 1 })
    }

    /// Scans elements of a size, in place where both memories are one.
    fn scan(
        self,
        device: &Arc<dyn Device>,
        kernel: &Helper,
        [from, to]: [&DeviceMemory; 2],
        bytes: usize,
    ) -> Result<()> {
        let piece = self.piece(device);
        let pieces = self.length.div_ceil(piece);
        let carries = Lines { length: pieces, ..self };
        let carry = Scratch::new(&**device, carries.count() * bytes)?;
        let carry = carry.memory();
        if pieces == 1 {
            return self.launch(device, kernel, [from, to, carry], self.length, WHOLE);
        }
        self.launch(device, kernel, [from, to, carry], piece, TOTALS)?;
        carries.launch(device, kernel, [carry, carry, carry], pieces, WHOLE)?;
        self.launch(device, kernel, [from, to, carry], piece, CONTINUED)
    }

    fn launch(
        self,
        device: &Arc<dyn Device>,
        kernel: &Helper,
        [from, to, carry]: [&DeviceMemory; 3],
        piece: usize,
        mode: usize,
    ) -> Result<()> {
        let pieces = self.length.div_ceil(piece);
        let (numbers, [right, deep]) = match self.inner {
            1 => (vec![self.outer, self.length, piece, mode], [pieces, self.outer]),
            inner => (
                vec![self.outer, self.length, inner, piece, mode],
                [inner.div_ceil(256), self.outer * pieces],
            ),
        };
        let numbers: Vec<_> =
            numbers.into_iter().map(|n| u32::try_from(n).unwrap_or(u32::MAX).to_ne_bytes()).collect();
        let input = if std::ptr::eq(from, to) { LaunchArg::Memory(from) } else { LaunchArg::Input(from) };
        let mut args = vec![input, LaunchArg::Memory(to), LaunchArg::Memory(carry)];
        args.extend(numbers.iter().map(|number| LaunchArg::Bytes(number)));
        let [across, down, _] = device.limits().max_grid;
        let blocks = |n: usize, most: u32| u32::try_from(n).unwrap_or(u32::MAX).min(most).max(1);
        let grid = [blocks(right, across), blocks(deep, down)];
        // SAFETY: the kernels stay below `outer * length * inner` in the first two memories, which is the number of elements
        // of both, and in the third below a number for each piece of a line, for which it was made; the arguments are those of their
        // parameters.
        unsafe { kernel.launch(device, grid, &args) }
    }
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    #[test]
    fn the_kernels_compile_for_cuda() {
        super::KERNELS.iter().flatten().flatten().for_each(|kernel| kernel.compiles_for_cuda().unwrap());
    }
}
