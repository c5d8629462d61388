//! `sort` of vectors on the active device, with the order and the bits of the processor.
//!
//! A radix sort from the lowest digit of four bits to the highest one (Satish, Harris and Garland, "Designing Efficient
//! Sorting Algorithms for Manycore GPUs", 2009): each block counts the digits of its tile, running sums of the counts say
//! where the digits of each tile go, and each block orders its tile by the digit in shared memory and moves it there.

use super::scans;
use crate::array::coherence::Access;
use crate::array::{Array, Scratch};
use crate::device::{Device, DeviceMemory, LaunchArg};
use crate::error::Result;
use crate::kernel::offload::libraries::{Call, Helper};
use crate::kernel::offload::{Arg, MissedGain};
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::{ArrayElement, Value};
use std::sync::Arc;

/// Elements of a tile: 8 for each of the 256 threads of a block, so that four bits count those of a thread.
const TILE: usize = 2048;
const DIGITS: usize = 16;

/// No loop is marked to be unrolled: PoCL 3.1 then goes on with wrong values of the conditions inside. NVRTC unrolls them by
/// itself.
///
/// `flags`: 1, elements come in, not keys; 2, elements go out. `$equal` says what keys become that are equal in the order.
const TEXT: &str = r#"
Q_FN $w sort_key_$n($w x, q_u32 flags) {
    if ((flags & 1u) == 0u) return x;
    $key
    $equal
    return x;
}

Q_FN $w sort_element_$n($w x) {
    $element
    return x;
}

Q_KERNEL void sort_count_$n(Q_GLOBAL const $w *x, Q_GLOBAL q_u32 *counts, q_u32 count, q_u32 tiles, q_u32 bit,
                            q_u32 flags) {
    Q_SHARED_DECL q_u8 table[16 * 256];
    Q_SHARED_DECL q_u32 parts[256];
    q_u32 thread = (q_u32)Q_THREAD(0);
    if (Q_BLOCK(0) == 0 && thread == 0u) counts[0] = 0u;
    for (q_u32 tile = (q_u32)Q_BLOCK(0); tile < tiles; tile += (q_u32)Q_GRID_DIM(0)) {
        q_u64 found = 0;
        for (q_u32 j = 0u; j < 8u; j++) {
            q_u32 k = tile * 2048u + j * 256u + thread;
            if (k < count) found += (q_u64)1 << (((q_u32)(sort_key_$n(x[k], flags) >> bit) & 15u) * 4u);
        }
        for (q_u32 d = 0u; d < 16u; d++) table[d * 256u + thread] = (q_u8)((q_u32)(found >> (d * 4u)) & 15u);
        Q_BARRIER();
        q_u32 sum = 0u;
        for (q_u32 k = 0u; k < 16u; k++) sum += table[thread * 16u + k];
        parts[thread] = sum;
        Q_BARRIER();
        if (thread < 16u) {
            sum = 0u;
            for (q_u32 k = 0u; k < 16u; k++) sum += parts[thread * 16u + k];
            counts[1u + thread * tiles + tile] = sum;
        }
        Q_BARRIER();
    }
}

Q_KERNEL void sort_move_$n(Q_GLOBAL const $w *x, Q_GLOBAL $w *y, Q_GLOBAL const q_u32 *starts$params, q_u32 count,
                           q_u32 tiles, q_u32 bit, q_u32 flags) {
    Q_SHARED_DECL $w keys[2048];
    Q_SHARED_DECL q_u32 table[16 * 256];
    Q_SHARED_DECL q_u32 totals[256];
    $shared
    q_u32 thread = (q_u32)Q_THREAD(0);
    for (q_u32 tile = (q_u32)Q_BLOCK(0); tile < tiles; tile += (q_u32)Q_GRID_DIM(0)) {
        q_u32 from = tile * 2048u, rest = count - from < 2048u ? count - from : 2048u, ranks = 0u;
        q_u64 found = 0;
        $w own[8];
        for (q_u32 j = 0u; j < 8u; j++) {
            q_u32 k = thread * 8u + j;
            own[j] = 0;
            if (k < rest) {
                own[j] = sort_key_$n(x[from + k], flags);
                q_u32 at = ((q_u32)(own[j] >> bit) & 15u) * 4u;
                ranks |= ((q_u32)(found >> at) & 7u) << (j * 4u);
                found += (q_u64)1 << at;
            }
        }
        for (q_u32 d = 0u; d < 16u; d++) table[d * 256u + thread] = (q_u32)(found >> (d * 4u)) & 15u;
        Q_BARRIER();
        q_u32 sum = 0u;
        for (q_u32 k = 0u; k < 16u; k++) sum += table[thread * 16u + k];
        q_u32 through = sum;
        totals[thread] = sum;
        Q_BARRIER();
        for (q_u32 step = 1u; step < 256u; step *= 2u) {
            if (thread >= step) through += totals[thread - step];
            Q_BARRIER();
            totals[thread] = through;
            Q_BARRIER();
        }
        through -= sum;
        for (q_u32 k = 0u; k < 16u; k++) {
            q_u32 next = through + table[thread * 16u + k];
            table[thread * 16u + k] = through;
            through = next;
        }
        Q_BARRIER();
        for (q_u32 j = 0u; j < 8u; j++) {
            q_u32 k = thread * 8u + j;
            if (k < rest) {
                q_u32 to = table[((q_u32)(own[j] >> bit) & 15u) * 256u + thread] + (ranks >> (j * 4u) & 15u);
                keys[to] = own[j];
                $take
            }
        }
        Q_BARRIER();
        for (q_u32 k = thread; k < rest; k += 256u) {
            $w key = keys[k];
            q_u32 digit = (q_u32)(key >> bit) & 15u;
            q_u32 to = starts[digit * tiles + tile] + (k - table[digit * 256u]);
            $put
        }
        Q_BARRIER();
    }
}
"#;

/// How elements of a type become keys: unsigned integers in their order.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    /// The type of keys.
    pub(super) word: &'static str,
    /// Turns the bits `x` of an element into its key.
    pub(super) key: &'static str,
    /// Turns a key `x` back.
    pub(super) element: &'static str,
    /// All NaN become one.
    pub(super) equal: &'static str,
}

impl Keys {
    /// The keys of a type; nothing for types that devices do not sort.
    pub(super) fn of(ty: ElementType) -> Option<Keys> {
        match ty {
            ElementType::Single => Some(SINGLE),
            ElementType::Double => Some(DOUBLE),
            ElementType::Int32 => Some(INTEGER),
            _ => None,
        }
    }
}

/// With the bits of negative numbers reversed, all ascend; negative NaN, which would come first, are moved behind positive ones.
const SINGLE: Keys = Keys {
    word: "q_u32",
    key: "x = ((x >> 31) != 0u ? ~x : x | 0x80000000u) - 0x007fffffu;",
    element: "x += 0x007fffffu; x = (x >> 31) == 0u ? ~x : x ^ 0x80000000u;",
    equal: "if (x > 0xff000001u) x = 0xffffffffu;",
};
const DOUBLE: Keys = Keys {
    word: "q_u64",
    key: "x = ((x >> 63) != 0 ? ~x : x | ((q_u64)1 << 63)) - (((q_u64)1 << 52) - 1);",
    element: "x += ((q_u64)1 << 52) - 1; x = (x >> 63) == 0 ? ~x : x ^ ((q_u64)1 << 63);",
    equal: "if (x > ((q_u64)0xffe00000 << 32) + 1) x = ~(q_u64)0;",
};
const INTEGER: Keys =
    Keys { word: "q_u32", key: "x ^= 0x80000000u;", element: "x ^= 0x80000000u;", equal: "" };

fn text(name: &str, keys: Keys, places: bool) -> String {
    let [params, shared, take, put, equal] = if places {
        [
            ", Q_GLOBAL const $w *elements, Q_GLOBAL const q_u32 *places, Q_GLOBAL q_u32 *moved",
            "Q_SHARED_DECL q_u32 taken[2048];",
            "taken[to] = (flags & 1u) != 0u ? from + k : places[from + k];",
            "moved[to] = taken[k]; y[to] = (flags & 2u) != 0u ? elements[taken[k]] : key;",
            keys.equal,
        ]
    } else {
        ["", "", "", "y[to] = (flags & 2u) != 0u ? sort_element_$n(key) : key;", ""]
    };
    let words = [
        ("$params", params),
        ("$shared", shared),
        ("$take", take),
        ("$put", put),
        ("$equal", equal),
        ("$key", keys.key),
        ("$element", keys.element),
        ("$n", name),
        ("$w", keys.word),
    ];
    words.iter().fold(TEXT.to_owned(), |text, (word, meaning)| text.replace(word, meaning))
}

/// The kernels that count and that move.
type Kernels = [Helper; 2];

macro_rules! kernels {
    ($name:literal, $keys:expr, $places:literal) => {
        [
            Helper::new(concat!("sort_count_", $name), || text($name, $keys, $places)),
            Helper::new(concat!("sort_move_", $name), || text($name, $keys, $places)),
        ]
    };
}

/// By element; of elements alone, and with their places.
static KERNELS: [[Kernels; 2]; 3] = [
    [kernels!("f32", SINGLE, false), kernels!("places_f32", SINGLE, true)],
    [kernels!("f64", DOUBLE, false), kernels!("places_f64", DOUBLE, true)],
    [kernels!("i32", INTEGER, false), kernels!("places_i32", INTEGER, true)],
];
static MISSED: MissedGain = MissedGain::new();

/// Estimated operations for an element, which the processor's threads wait for.
const OPERATIONS: u64 = 64;

/// The sorted vector and, where they are used, the places of its elements, if that is what is called and the active device
/// should do it.
pub(super) fn call(name: &str, args: &[Value], results: usize) -> Result<Option<Vec<Value>>> {
    if name != "sort" {
        return Ok(None);
    }
    let (arg, axis) = match args {
        [arg] => (arg, None),
        [arg, axis] => match axis.as_scalar().and_then(scans::axis_of) {
            Some(axis) => (arg, Some(axis)),
            None => return Ok(None),
        },
        _ => return Ok(None),
    };
    let places = results > 1;
    let [single, double, integer] = &KERNELS;
    let of = |[alone, with_places]: &'static [Kernels; 2]| if places { with_places } else { alone };
    match arg.element_type() {
        Some(ElementType::Single) => typed::<f32>(arg, axis, of(single), places),
        Some(ElementType::Double) => typed::<f64>(arg, axis, of(double), places),
        Some(ElementType::Int32) => typed::<i32>(arg, axis, of(integer), places),
        _ => Ok(None),
    }
}

fn typed<T: ArrayElement>(
    arg: &Value,
    axis: Option<usize>,
    kernels: &'static Kernels,
    places: bool,
) -> Result<Option<Vec<Value>>> {
    let Some(source) = Array::<T>::named_by(arg) else { return Ok(None) };
    // One line; the kernels count in 32 bits.
    let long = source.dims().iter().position(|&n| n == source.len());
    let Some(long) = long.filter(|_| i32::try_from(source.len()).is_ok()) else { return Ok(None) };
    if source.is_empty() || axis.is_some_and(|axis| axis != long) {
        return Ok(None);
    }
    let [count, shift] = kernels;
    let call = Call {
        library: None,
        helpers: &[count, shift, scans::COUNTS],
        work: (source.len() as u64).saturating_mul(OPERATIONS),
        parallel: true,
        inputs: &[Arg::Read(&source)],
        missed: &MISSED,
    };
    call.offload(|device| Sort { device, kernels: (count, shift), count: source.len() }.sort(&source, places))
}

/// A sort of so many elements on a device.
struct Sort<'a> {
    device: &'a Arc<dyn Device>,
    /// Those that count and that move.
    kernels: (&'static Helper, &'static Helper),
    count: usize,
}

impl Sort<'_> {
    fn sort<T: ArrayElement>(&self, source: &Array<T>, places: bool) -> Result<Vec<Value>> {
        let device = self.device;
        let result = Array::<T>::uninit(source.dims())?;
        let order = places.then(|| Array::<i32>::uninit(source.dims())).transpose()?;
        let from = source.on_device(device, Access::Read)?;
        let to = result.on_device(device, Access::Overwrite)?;
        let order_to = order.as_ref().map(|order| order.on_device(device, Access::Overwrite)).transpose()?;
        let keys = Scratch::new(&**device, self.count * size_of::<T>())?;
        let moved = Scratch::new(&**device, if places { self.count * 4 } else { 0 })?;
        let counts = Scratch::new(&**device, self.counts() * 4)?;
        let bits = 8 * size_of::<T>();
        // The number of passes is even, so that the last one writes the result.
        let mut input: &DeviceMemory = &from;
        for (pass, bit) in (0..bits).step_by(4).enumerate() {
            let flags = usize::from(bit == 0) | usize::from(bit + 4 == bits) << 1;
            let even = pass % 2 == 0;
            let output = if even { keys.memory() } else { &*to };
            self.count_digits(input, counts.memory(), bit, flags)?;
            scans::running_sums(device, counts.memory(), self.counts())?;
            let mut memories = vec![input, output, counts.memory()];
            if let Some(order) = &order_to {
                let [old, new] = if even { [&**order, moved.memory()] } else { [moved.memory(), &**order] };
                memories.extend([&*from, old, new]);
            }
            self.shift(&memories, bit, flags)?;
            input = output;
        }
        drop((from, to, order_to));
        let values = [Some(result.to_value()), order.map(|order| order.to_value())];
        Ok(values.into_iter().flatten().collect())
    }

    fn tiles(&self) -> usize {
        self.count.div_ceil(TILE)
    }

    /// Where the first digit begins, and a number for each digit and tile.
    fn counts(&self) -> usize {
        1 + DIGITS * self.tiles()
    }

    fn count_digits(&self, x: &DeviceMemory, counts: &DeviceMemory, bit: usize, flags: usize) -> Result<()> {
        // SAFETY: the kernel reads `count` elements of the first memory and writes a number for each digit and tile into the
        // second, for which they were made; see `launch` for the arguments.
        unsafe { self.launch(self.kernels.0, &[x, counts], bit, flags) }
    }

    fn shift(&self, memories: &[&DeviceMemory], bit: usize, flags: usize) -> Result<()> {
        // SAFETY: the digits of all tiles together are `count`, so that the places found by their running sums are below that,
        // which is how many elements each memory has but the third, which has a number for each digit and tile. See
        // `launch` for the arguments.
        unsafe { self.launch(self.kernels.1, memories, bit, flags) }
    }

    /// Launches a kernel whose parameters are memories, and the number of elements, of tiles, of the digit's lowest bit, and
    /// flags.
    ///
    /// # Safety
    /// The kernel has these parameters, and stays inside of the memories.
    unsafe fn launch(
        &self,
        kernel: &Helper,
        memories: &[&DeviceMemory],
        bit: usize,
        flags: usize,
    ) -> Result<()> {
        let numbers = [self.count, self.tiles(), bit, flags]
            .map(|n| u32::try_from(n).unwrap_or(u32::MAX).to_ne_bytes());
        let mut args: Vec<_> = memories.iter().map(|memory| LaunchArg::Memory(memory)).collect();
        args.extend(numbers.iter().map(|number| LaunchArg::Bytes(number)));
        let [most, ..] = self.device.limits().max_grid;
        let grid = [u32::try_from(self.tiles()).unwrap_or(u32::MAX).min(most), 1];
        // SAFETY: guaranteed by the caller.
        unsafe { kernel.launch(self.device, grid, &args) }
    }
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    #[test]
    fn the_kernels_compile_for_cuda() {
        super::KERNELS.iter().flatten().flatten().for_each(|kernel| kernel.compiles_for_cuda().unwrap());
    }
}
