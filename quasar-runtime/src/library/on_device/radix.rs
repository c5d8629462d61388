//! Sorted lines of any length whose elements are neighbours, with the order and the bits of the processor.
//!
//! A radix sort from the lowest digit of four bits to the highest one (Satish, Harris and Garland, "Designing Efficient
//! Sorting Algorithms for Manycore GPUs", 2009): each block counts the digits of its tile, running sums of the counts say
//! where the digits of each tile go, and each block orders its tile by the digit in shared memory and moves it there. Counts are
//! in the order of lines, digits and tiles, so that their running sums keep lines apart.

use super::{Numbers, RUNNING_TOTALS, blocks};
use crate::array::Scratch;
use crate::device::{Device, DeviceMemory, LaunchArg};
use crate::error::Result;
use crate::kernel::offload::libraries::Helper;
use crate::library::scans;
use quasar_devicelib::element::ElementType;
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

Q_KERNEL void sort_count_$n(Q_GLOBAL const $w *x, Q_GLOBAL q_u32 *counts, q_u32 lines, q_u32 n, q_u32 tiles, q_u32 bit,
                            q_u32 flags) {
    Q_SHARED_DECL q_u8 table[16 * 256];
    Q_SHARED_DECL q_u32 parts[256];
    q_u32 thread = (q_u32)Q_THREAD(0);
    if (Q_BLOCK(0) == 0 && thread == 0u) counts[0] = 0u;
    for (q_u32 t = (q_u32)Q_BLOCK(0); t < lines * tiles; t += (q_u32)Q_GRID_DIM(0)) {
        q_u32 line = t / tiles, tile = t - line * tiles;
        q_u64 found = 0;
        for (q_u32 j = 0u; j < 8u; j++) {
            q_u32 k = tile * 2048u + j * 256u + thread;
            if (k < n) found += (q_u64)1 << (((q_u32)(sort_key_$n(x[line * n + k], flags) >> bit) & 15u) * 4u);
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
            counts[1u + (line * 16u + thread) * tiles + tile] = sum;
        }
        Q_BARRIER();
    }
}

Q_KERNEL void sort_move_$n(Q_GLOBAL const $w *x, Q_GLOBAL $w *y, Q_GLOBAL const q_u32 *starts$params, q_u32 lines,
                           q_u32 n, q_u32 tiles, q_u32 bit, q_u32 flags) {
    Q_SHARED_DECL $w keys[2048];
    Q_SHARED_DECL q_u32 table[16 * 256];
    Q_SHARED_DECL q_u32 totals[256];
    $shared
    q_u32 thread = (q_u32)Q_THREAD(0);
    for (q_u32 t = (q_u32)Q_BLOCK(0); t < lines * tiles; t += (q_u32)Q_GRID_DIM(0)) {
        q_u32 line = t / tiles, tile = t - line * tiles, begin = line * n, first = tile * 2048u;
        q_u32 from = begin + first, rest = n - first < 2048u ? n - first : 2048u, ranks = 0u;
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
        $running
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
            q_u32 to = starts[(line * 16u + digit) * tiles + tile] + (k - table[digit * 256u]);
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
            "taken[to] = (flags & 1u) != 0u ? first + k : places[from + k];",
            "moved[to] = taken[k]; y[to] = (flags & 2u) != 0u ? elements[begin + taken[k]] : key;",
            keys.equal,
        ]
    } else {
        ["", "", "", "y[to] = (flags & 2u) != 0u ? sort_element_$n(key) : key;", ""]
    };
    let words = [
        ("$running", RUNNING_TOTALS),
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

/// The kernels for elements of a type, if devices sort them.
fn kernels(ty: ElementType, places: bool) -> Option<&'static Kernels> {
    let [single, double, integer] = &KERNELS;
    let [alone, with_places] = match ty {
        ElementType::Single => single,
        ElementType::Double => double,
        ElementType::Int32 => integer,
        _ => return None,
    };
    Some(if places { with_places } else { alone })
}

/// A sort of lines of elements that are neighbours.
pub(super) struct Radix {
    kernels: &'static Kernels,
    /// The bytes of an element.
    size: usize,
    lines: usize,
    /// The elements of a line.
    n: usize,
}

/// Where sorted elements come from and go to.
#[derive(Clone, Copy)]
pub(super) struct Memories<'a> {
    pub(super) from: &'a DeviceMemory,
    pub(super) to: &'a DeviceMemory,
    /// Of a number for the old place of each element, if those are wanted.
    pub(super) places: Option<&'a DeviceMemory>,
}

impl Radix {
    /// The sort of elements of a type; nothing for types that devices do not sort, and more counts than 32 bits hold.
    pub(super) fn new(ty: ElementType, lines: usize, n: usize, places: bool) -> Option<Radix> {
        let sort = Radix { kernels: kernels(ty, places)?, size: ty.size(), lines, n };
        i32::try_from(sort.counts()).is_ok().then_some(sort)
    }

    /// The kernels that it needs.
    pub(super) fn helpers(&self) -> [&'static Helper; 3] {
        let [count, shift] = self.kernels;
        [count, shift, scans::COUNTS]
    }

    /// Sorts lines from one memory into another.
    ///
    /// # Safety
    /// The memories have an element, and a place, for each of all lines.
    pub(super) unsafe fn sort(&self, device: &Arc<dyn Device>, memories: Memories<'_>) -> Result<()> {
        let Memories { from, to, places } = memories;
        let count = self.lines * self.n;
        let keys = Scratch::new(&**device, count * self.size)?;
        let moved = Scratch::new(&**device, if places.is_some() { count * 4 } else { 0 })?;
        let counts = Scratch::new(&**device, self.counts() * 4)?;
        let bits = 8 * self.size;
        // The number of passes is even, so that the last one writes the result.
        let mut input = from;
        for (pass, bit) in (0..bits).step_by(4).enumerate() {
            let flags = usize::from(bit == 0) | usize::from(bit + 4 == bits) << 1;
            let even = pass % 2 == 0;
            let output = if even { keys.memory() } else { to };
            let [counting, shifting] = self.kernels;
            // SAFETY: the kernel reads the elements of the first memory and writes a number for each line, digit and tile into the
            // second, for which they were made; see `launch` for the arguments.
            unsafe { self.launch(device, counting, &[input, counts.memory()], bit, flags)? };
            scans::running_sums(device, counts.memory(), self.counts())?;
            let mut memories = vec![input, output, counts.memory()];
            if let Some(places) = places {
                let [old, new] = if even { [places, moved.memory()] } else { [moved.memory(), places] };
                memories.extend([from, old, new]);
            }
            // SAFETY: the digits of all tiles together are as many as the elements, so that the places found by their running
            // sums are below that, which is how many each memory has but the third, which has a number for each digit and
            // tile; places within lines are below their length. See `launch` for the arguments.
            unsafe { self.launch(device, shifting, &memories, bit, flags)? };
            input = output;
        }
        Ok(())
    }

    /// The tiles of a line.
    fn tiles(&self) -> usize {
        self.n.div_ceil(TILE)
    }

    /// Where the first digit begins, and a number for each line, digit and tile.
    fn counts(&self) -> usize {
        1 + self.lines * DIGITS * self.tiles()
    }

    /// Launches a kernel whose parameters are memories, and the numbers of lines, of their elements and tiles, of the digit's
    /// lowest bit, and flags.
    ///
    /// # Safety
    /// The kernel has these parameters, and stays inside of the memories.
    unsafe fn launch(
        &self,
        device: &Arc<dyn Device>,
        kernel: &Helper,
        memories: &[&DeviceMemory],
        bit: usize,
        flags: usize,
    ) -> Result<()> {
        let numbers = Numbers::new([self.lines, self.n, self.tiles(), bit, flags]);
        let mut args: Vec<_> = memories.iter().map(|memory| LaunchArg::Memory(memory)).collect();
        args.extend(numbers.args());
        // SAFETY: guaranteed by the caller.
        unsafe { kernel.launch(device, [blocks(device, 0, self.lines * self.tiles()), 1], &args) }
    }
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    #[test]
    fn the_kernels_compile_for_cuda() {
        super::KERNELS.iter().flatten().flatten().for_each(|kernel| kernel.compiles_for_cuda().unwrap());
    }
}
