//! The kernel that combines the elements of lines, and how its work is divided.
//!
//! A line is cut in halves until its pieces are short, and pieces are combined as they were cut. This is the order in which the
//! processor adds, so that sums have its bits. A path, a bit for each cut, numbers the pieces; where a piece is short before the
//! last cut, the other half is empty. A block has the pieces whose paths begin alike, and writes what they make together; what
//! blocks wrote for a line is combined by the same kernel.

use super::{Numbers, blocks};
use crate::array::Scratch;
use crate::device::{Device, DeviceMemory, LaunchArg};
use crate::error::Result;
use crate::kernel::offload::libraries::Helper;
use std::collections::BTreeSet;
use std::sync::Arc;

/// `$x` are elements, `$t` what is combined. `leaf` is the length of the longest piece, which `lanes` threads go through
/// together; `columns = 2^width` neighbouring lines are visited by neighbouring threads. `depth` is the number of cuts, `below`
/// that of those inside of a block. Lines may be cut into stretches before, which are lines of their own. `count`: what the result
/// is divided by, if not 0.
const TEXT: &str = r#"
Q_FN $t $k_join($t a, $t b) { return $join; }
Q_FN $t $k_term(Q_GLOBAL const $x *x, q_u32 place$part) { $term }

Q_KERNEL void $k(Q_GLOBAL const $x *x, Q_GLOBAL $t *y$beside, q_u32 outer, q_u32 length, q_u32 inner, q_u32 stretch,
                 q_u32 leaf, q_u32 lanes, q_u32 width, q_u32 depth, q_u32 below, q_u32 count) {
    Q_SHARED_DECL $t parts[256];
    Q_SHARED_DECL $t leaves[2048];
    const q_u32 thread = (q_u32)Q_THREAD(0), columns = 1u << width, slots = 256u / (columns * lanes);
    const q_u32 column = thread & (columns - 1u), lane = (thread >> width) % lanes, slot = thread / (columns * lanes);
    const q_u32 paths = 1u << below, above = 1u << (depth - below);
    const q_u32 together = paths < slots ? slots / paths : 1u, rounds = paths < slots ? 1u : paths / slots;
    const q_u32 stretches = (length + stretch - 1u) / stretch, lines = outer * stretches;
    const q_u32 strips = (inner + columns - 1u) >> width, groups = (lines + together - 1u) / together;
    for (q_u32 unit = (q_u32)Q_BLOCK(0); unit < groups * strips; unit += (q_u32)Q_GRID_DIM(0)) {
        const q_u32 group = unit / strips, c = ((unit - group * strips) << width) + column;
        for (q_u32 part = (q_u32)Q_BLOCK(1); part < above; part += (q_u32)Q_GRID_DIM(1)) {
            for (q_u32 round = 0u; round < rounds; round++) {
                const q_u32 place = round * slots + slot, line = group * together + (place >> below);
                $t sum = $neutral, rest = $neutral;
                if (line < lines && c < inner) {
                    const q_u32 o = line / stretches, first = (line - o * stretches) * stretch;
                    const q_u32 path = part * paths + (place & (paths - 1u)), at = (o * length + first) * inner + c;
                    q_u32 from = 0u, to = length - first < stretch ? length - first : stretch;
                    for (q_u32 k = depth; k > 0u; k--) {
                        const q_u32 second = (path >> (k - 1u)) & 1u, cut = (to - from) / 2u;
                        const q_u32 middle = to - from > leaf ? from + cut / lanes * lanes : to;
                        if (second != 0u) from = middle;
                        else to = middle;
                    }
                    const q_u32 whole = to - (to - from) % lanes;
                    q_u32 k = from + lane;
                    $begin
                    for (; k + 7u * lanes < whole; k += 8u * lanes) {
                        $t next[8];
                        _Pragma("unroll") for (q_u32 j = 0u; j < 8u; j++) {
                            next[j] = $k_term(x, at + (k + j * lanes) * inner$own);
                        }
                        _Pragma("unroll") for (q_u32 j = 0u; j < 8u; j++) sum = $k_join(sum, next[j]);
                    }
                    for (; k < whole; k += lanes) sum = $k_join(sum, $k_term(x, at + k * inner$own));
                    if (lane == 0u) {
                        for (k = whole; k < to; k++) rest = $k_join(rest, $k_term(x, at + k * inner$own));
                    }
                }
                parts[thread] = sum;
                Q_BARRIER();
                if (lane == 0u) {
                    for (q_u32 j = 0u; j < lanes; j++) rest = $k_join(rest, parts[thread + (j << width)]);
                    leaves[(place << width) + column] = rest;
                }
                Q_BARRIER();
            }
            for (q_u32 step = 1u; step < paths; step *= 2u) {
                const q_u32 pairs = (together * paths / (2u * step)) << width;
                for (q_u32 k = thread; k < pairs; k += 256u) {
                    const q_u32 at = ((k >> width) * 2u * step << width) + (k & (columns - 1u));
                    leaves[at] = $k_join(leaves[at], leaves[at + (step << width)]);
                }
                Q_BARRIER();
            }
            for (q_u32 k = thread; k < together << width; k += 256u) {
                const q_u32 line = group * together + (k >> width);
                const q_u32 to = c - column + (k & (columns - 1u));
                const $t found = leaves[((k >> width) * paths << width) + (k & (columns - 1u))];
                if (line < lines && to < inner) y[(line * above + part) * inner + to] = $found;
            }
            Q_BARRIER();
        }
    }
}
"#;

/// What a kernel combines, as expressions of its language.
pub(super) struct Combination<'a> {
    /// The types of elements and of what is combined.
    pub(super) types: [&'a str; 2],
    /// `a` and `b` combined.
    pub(super) join: &'a str,
    /// What combines with anything to that.
    pub(super) neutral: &'a str,
    /// The statement that makes something of the element `x[place]`.
    pub(super) term: &'a str,
    /// The result, of `found` and `count`.
    pub(super) found: &'a str,
    /// What there is besides.
    pub(super) beside: Beside<'a>,
}

/// Another memory that terms are made of.
pub(super) enum Beside<'a> {
    Nothing,
    /// Sums of stretches: terms get the `mean` of theirs.
    Sums,
    /// An array `other` of elements of a type, all of which terms get.
    Array(&'a str),
}

/// The text of a kernel of a name.
pub(super) fn text(name: &str, what: &Combination<'_>) -> String {
    let [beside, begin, part, own] = match what.beside {
        Beside::Nothing => [const { String::new() }; 4],
        Beside::Sums => [
            ", Q_GLOBAL const q_f64 *sums",
            "const q_f64 mean = sums[line * inner + c] / (q_f64)(length - first < stretch ? length - first : stretch);",
            ", q_f64 mean",
            ", mean",
        ]
        .map(str::to_owned),
        Beside::Array(ty) => {
            let param = format!(", Q_GLOBAL const {ty} *other");
            [param.clone(), String::new(), param, ", other".to_owned()]
        }
    };
    let words = [
        ("$join", what.join),
        ("$neutral", what.neutral),
        ("$term", what.term),
        ("$found", what.found),
        ("$beside", &beside),
        ("$begin", &begin),
        ("$part", &part),
        ("$own", &own),
        ("$x", what.types[0]),
        ("$t", what.types[1]),
        ("$k", name),
    ];
    words.iter().fold(TEXT.to_owned(), |text, (word, meaning)| text.replace(word, meaning))
}

/// How lines are cut.
#[derive(Clone, Copy)]
pub(super) struct Cuts {
    /// The longest piece.
    leaf: usize,
    /// Threads that go through a piece together: each has a sum of its own. Pieces begin at multiples of that.
    lanes: usize,
}

/// As `sum_each` of the device library.
pub(super) const LANES: Cuts = Cuts { leaf: 256, lanes: 8 };
/// As `add_rows` of the device library.
pub(super) const ROWS: Cuts = Cuts { leaf: 16, lanes: 1 };
/// Down to single elements, as what is combined in pairs.
pub(super) const PAIRS: Cuts = Cuts { leaf: 1, lanes: 1 };

impl Cuts {
    /// How many cuts it takes until lines of these lengths are in short pieces.
    pub(super) fn depth(self, lengths: &[usize]) -> usize {
        let mut lengths: BTreeSet<usize> = lengths.iter().copied().collect();
        let mut depth = 0;
        while lengths.last().is_some_and(|&n| n > self.leaf) {
            let halves = |n: usize| match n > self.leaf {
                true => [n / 2 / self.lanes * self.lanes, n - n / 2 / self.lanes * self.lanes],
                false => [n, n],
            };
            lengths = lengths.into_iter().flat_map(halves).collect();
            depth += 1;
        }
        depth
    }
}

/// `outer` blocks of `length` rows of `inner` elements. Lines go along `length`, and are cut into stretches.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub(super) outer: usize,
    pub(super) length: usize,
    pub(super) inner: usize,
    pub(super) stretch: usize,
}

/// Elements of the table in which a block combines pieces, as a power of two.
const TABLE: usize = 11;
/// Neighbouring lines that a block visits, as a power of two.
const WIDEST: usize = 5;
const THREADS: usize = 256;

/// Who does what.
struct Division {
    width: usize,
    depth: usize,
    below: usize,
    /// Blocks for lines, and for parts of lines.
    grid: [usize; 2],
}

impl Lines {
    /// Whole lines.
    pub(super) fn new((outer, length, inner): (usize, usize, usize)) -> Lines {
        Lines { outer, length, inner, stretch: length }
    }

    /// In how many stretches each line is.
    pub(super) fn stretches(self) -> usize {
        self.length.div_ceil(self.stretch)
    }

    /// How many results there are.
    pub(super) fn results(self) -> usize {
        self.outer * self.stretches() * self.inner
    }

    fn divided(self, cuts: Cuts, multiprocessors: usize) -> Division {
        let width = (self.inner.min(1 << WIDEST).next_power_of_two().ilog2()) as usize;
        let last = self.length - (self.stretches() - 1) * self.stretch;
        let depth = cuts.depth(&[self.stretch, last]);
        let slots = THREADS / (cuts.lanes << width);
        let grid = |below: usize| {
            let groups = (self.outer * self.stretches()).div_ceil((slots >> below).max(1));
            [groups * self.inner.div_ceil(1 << width), 1 << (depth - below)]
        };
        // Parts of lines only where whole ones are too few for all multiprocessors; what is in pairs already is not much.
        let wanted = if cuts.leaf == 1 { 1 } else { multiprocessors * 8 };
        let least = depth.min(slots.ilog2() as usize);
        let mut below = depth.min(TABLE - width);
        while below > least && grid(below)[0] * grid(below)[1] < wanted {
            below -= 1;
        }
        Division { width, depth, below, grid: grid(below) }
    }

    /// Combines the elements of each stretch of `from` into an element of `to`, by a kernel for elements and one for what they
    /// become, which takes so many bytes. `count` is what results are divided by, if not 0.
    ///
    /// # Safety
    /// The memories have the elements and the results, of the kernels' types; `beside`, for kernels that take it, has the sum of
    /// each stretch, or what terms read.
    pub(super) unsafe fn combine(
        self,
        device: &Arc<dyn Device>,
        [kernel, pairs]: [&Helper; 2],
        [from, to]: [&DeviceMemory; 2],
        beside: Option<&DeviceMemory>,
        (cuts, bytes, count): (Cuts, usize, usize),
    ) -> Result<()> {
        let division = self.divided(cuts, device.limits().multiprocessors.max(1) as usize);
        let parts = division.grid[1];
        let scratch = match parts {
            1 => None,
            _ => Some(Scratch::new(&**device, self.results() * parts * bytes)?),
        };
        let target = scratch.as_ref().map_or(to, |scratch| scratch.memory());
        let divided_by = if parts == 1 { count } else { 0 };
        let numbers = Numbers::new([
            self.outer,
            self.length,
            self.inner,
            self.stretch,
            cuts.leaf,
            cuts.lanes,
            division.width,
            division.depth,
            division.below,
            divided_by,
        ]);
        let mut args = vec![LaunchArg::Input(from), LaunchArg::Memory(target)];
        args.extend(beside.map(LaunchArg::Input));
        args.extend(numbers.args());
        let grid = [blocks(device, 0, division.grid[0]), blocks(device, 1, parts)];
        // SAFETY: the kernel reads below `outer * length * inner`, the number of elements, and writes a result for each part of
        // each stretch, for which the memory was made; the rest is guaranteed by the caller.
        unsafe { kernel.launch(device, grid, &args)? };
        if parts == 1 {
            return Ok(());
        }
        let lines = Lines::new((self.outer * self.stretches(), parts, self.inner));
        // SAFETY: what was written above, and the memory of the caller.
        unsafe { lines.combine(device, [pairs, pairs], [target, to], None, (PAIRS, bytes, count)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pieces of a line as the kernel finds them.
    fn pieces(cuts: Cuts, depth: usize, n: usize) -> Vec<(usize, usize)> {
        let piece = |path: usize| {
            (0..depth).rev().fold((0, n), |(from, to), k| {
                let half = (to - from) / 2 / cuts.lanes * cuts.lanes;
                let middle = if to - from > cuts.leaf { from + half } else { to };
                if path >> k & 1 == 1 { (middle, to) } else { (from, middle) }
            })
        };
        (0..1 << depth).map(piece).collect()
    }

    #[test]
    fn pieces_are_short_and_follow_each_other() {
        for cuts in [LANES, ROWS, PAIRS] {
            for n in (1..600).chain([4095, 4096, 4097, 16383, 16384, 70_001]) {
                let mut end = 0;
                for (from, to) in pieces(cuts, cuts.depth(&[n]), n) {
                    assert!(from == end || from == to, "{n}");
                    assert!(to - from <= cuts.leaf, "{n}");
                    end = end.max(to);
                }
                assert_eq!(end, n);
            }
        }
    }

    #[test]
    fn the_depth_is_that_of_the_deepest_length() {
        // The larger half of 511 is 263.
        assert_eq!([511, 512].map(|n| LANES.depth(&[n])), [2, 1]);
        assert_eq!(LANES.depth(&[512, 511]), 2);
    }

    #[test]
    fn few_lines_are_cut_and_many_are_not() {
        let division = |along, cuts| Lines::new(along).divided(cuts, 132);
        assert!(division((1, 1 << 24, 1), LANES).grid[1] >= 1024);
        assert_eq!(division((4096, 4096, 1), LANES).grid, [2048, 1]);
        assert_eq!(division((100_000, 3, 1), LANES).grid, [3125, 1]);
        assert!(division((1, 4096, 4096), ROWS).grid[1] >= 8);
        assert_eq!(division((1, 2048, 1), PAIRS).grid, [1, 1]);
    }
}
