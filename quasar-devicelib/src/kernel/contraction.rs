//! Contractions: sums that grow by two factors, one of which all lanes have in common, and the other all rows of a tile. Both are packed
//! in the order in which they are needed, so that a tile is a loop over two packed lists, whose sums stay in registers.

use super::MultiplyAdd;
use super::access::Access;
use super::mode::Mode;
use super::vector::along;
use super::view::View;
use crate::element::Element;
use crate::isa::{self, Body, Isa, Lanes, Level};
use std::array::from_fn;

/// Factors that were packed, each for `L` neighbouring positions, as long as what they depend on stays the same.
#[derive(Debug, Default)]
pub struct Panels<T, const L: usize> {
    /// The components of the position on which all panels depend.
    group: Vec<i32>,
    /// The first position of each, and its elements. Those behind `used` only keep their memory.
    panels: Vec<(i32, Vec<[T; L]>)>,
    used: usize,
    /// The one that was asked for last.
    last: usize,
}

/// Bytes of the panels that are kept.
const KEPT: usize = 4 << 20;

impl<T: Element, const L: usize> Panels<T, L> {
    /// No panels.
    pub fn new() -> Panels<T, L> {
        Panels { group: Vec::new(), panels: Vec::new(), used: 0, last: 0 }
    }

    /// Turns to the panel of the positions from one on; a place for its elements if it is not known.
    #[inline(always)]
    pub fn missing(&mut self, group: &[i32], at: i32) -> Option<Panel<'_, T, L>> {
        if let Some(k) = self.find(group, at) {
            self.last = k;
            return None;
        }
        Some(Panel { elements: self.open(at) })
    }

    /// The elements of the panel to which [`Panels::missing`] has turned.
    #[inline(always)]
    pub fn elements(&self) -> &[[T; L]] {
        self.panels.get(self.last).map_or(&[], |(_, panel)| panel)
    }

    #[inline(never)]
    fn find(&mut self, group: &[i32], at: i32) -> Option<usize> {
        if self.group != group {
            self.group = group.to_vec();
            self.used = 0;
        }
        let known = &self.panels[..self.used];
        let is_here = |k: &usize| known.get(*k).is_some_and(|(first, _)| *first == at);
        Some(self.last + 1).filter(is_here).or_else(|| known.iter().position(|(first, _)| *first == at))
    }

    /// A place for another panel.
    #[inline(never)]
    fn open(&mut self, at: i32) -> &mut Vec<[T; L]> {
        let each = self.panels.first().map_or(0, |(_, panel)| panel.len() * size_of::<[T; L]>());
        if self.used * each >= KEPT {
            self.used = 0;
        }
        if self.used == self.panels.len() {
            self.panels.push((at, Vec::new()));
        }
        self.last = self.used;
        self.used += 1;
        let (first, panel) = &mut self.panels[self.last];
        *first = at;
        panel.clear();
        panel
    }
}

/// A factor that is being packed.
#[derive(Debug)]
pub struct Panel<'p, T, const L: usize> {
    elements: &'p mut Vec<[T; L]>,
}

/// Elements of each line that are packed at once, which stay in the first cache.
const STRETCH: usize = 32;

impl<T: Element, const L: usize> Panel<'_, T, L> {
    /// The next value for each position.
    #[inline(always)]
    pub fn push(&mut self, values: [T; L]) {
        self.elements.push(values);
    }

    /// As many values as a loop has rounds, whose elements lie side by side for each position.
    #[inline(always)]
    pub fn lines<M: Mode, const N: usize>(
        &mut self,
        view: &View<'_, T, N>,
        (from, to): (i32, i32),
        index: impl Fn(usize, i32) -> [i32; N],
    ) {
        let count = i64::from(to) - i64::from(from) + 1;
        let first = self.elements.len();
        self.elements.resize(first + count.max(0) as usize, [T::default(); L]);
        let mut at = from;
        for stretch in self.elements[first..].chunks_mut(STRETCH) {
            for lane in 0..L {
                let index = index(lane, at);
                match view.line::<M>(index, stretch.len()) {
                    Some(line) => stretch.iter_mut().zip(line).for_each(|(to, x)| to[lane] = *x),
                    None => {
                        for (k, to) in stretch.iter_mut().enumerate() {
                            to[lane] = view.get::<M>(along(index, k));
                        }
                    }
                }
            }
            at = at.wrapping_add(stretch.len() as i32);
        }
    }
}

impl<T: Element, const L: usize> Panel<'_, T, L> {
    /// As [`Panel::lines`], of indices that are sums of multiples of the lane, and so are as far apart for any two neighbours. Short
    /// lines, such as the few channels of neighbouring pixels, are found together.
    #[inline(always)]
    pub fn even_lines<M: Mode, const N: usize>(
        &mut self,
        view: &View<'_, T, N>,
        (from, to): (i32, i32),
        index: impl Fn(usize, i32) -> [i32; N],
    ) {
        let count = (i64::from(to) - i64::from(from) + 1).max(0) as usize;
        if count == 0 {
            return;
        }
        let (first, last) = (index(0, from), index(L - 1, from));
        let Some((data, apart)) = view.even::<L>(first, last, count).filter(|_| count <= STRETCH) else {
            return self.lines::<M, N>(view, (from, to), index);
        };
        match apart {
            1 => self.elements.extend(data.windows(L).take(count).filter_map(<[T]>::first_chunk).copied()),
            _ => {
                let line = |k: usize| from_fn(|lane| data.get(lane * apart + k).copied().unwrap_or_default());
                self.elements.extend((0..count).map(line));
            }
        }
    }
}

/// How a sum grows by the factors of a contraction. A function of a type, since closures are not always compiled into the loop.
pub trait Step<S, A, B> {
    /// The new sum.
    fn step<I: Isa>(sum: S, row: A, lane: B) -> S;
}

/// Sums of products, fused where that is faster.
struct Product;

impl<T: MultiplyAdd> Step<T, T, T> for Product {
    #[inline(always)]
    fn step<I: Isa>(sum: T, row: T, lane: T) -> T {
        T::multiply_add::<I>(row, lane, sum)
    }
}

/// Values that stay in the first cache while the rows of a tile pass by.
const DEPTH: usize = 128;
/// Rows of which the auto-vectoriser keeps the sums in registers, if each has one of them.
const FEW_ROWS: usize = 4;

/// Grows the sums of a tile by all values of two panels, in order.
#[inline(always)]
pub fn combine<I: Isa, F: Step<S, A, B>, S: Copy, A: Copy, B: Copy, const R: usize, const L: usize>(
    sums: &mut [[S; L]; R],
    rows: &[[A; R]],
    lanes: &[[B; L]],
) {
    for (rows, lanes) in rows.chunks(DEPTH).zip(lanes.chunks(DEPTH)) {
        if size_of::<S>() <= 4 && L.is_multiple_of(16) {
            grow::<I, F, S, A, B, R, L, 16>(sums, rows, lanes);
        } else {
            grow::<I, F, S, A, B, R, L, 8>(sums, rows, lanes);
        }
    }
}

/// As [`combine`], by products. The code is that of the library, so that kernels compile none.
#[inline(always)]
pub fn combine_products<I: Isa, T: MultiplyAdd, const R: usize, const L: usize>(
    sums: &mut [[T; L]; R],
    rows: &[[T; R]],
    lanes: &[[T; L]],
) {
    let (sums, rows, lanes) = (sums.as_flattened_mut(), rows.as_flattened(), lanes.as_flattened());
    T::grow_tile(I::LEVEL, Products { sizes: [R, L], sums, rows, lanes });
}

/// The sums of a tile and two panels, by whose products they grow.
#[derive(Debug)]
pub struct Products<'t, T> {
    /// The rows and lanes of the tile.
    sizes: [usize; 2],
    /// The sums of one row after the other.
    sums: &'t mut [T],
    rows: &'t [T],
    lanes: &'t [T],
}

impl<T: MultiplyAdd + Default> Products<'_, T> {
    /// Grows the sums, by code for this level.
    pub(super) fn grow(self, level: Level) {
        match self.sizes {
            [ROWS, 8] => isa::dispatch_on(level, Tile::<T, 8>(self)),
            [ROWS, 16] => isa::dispatch_on(level, Tile::<T, 16>(self)),
            [ROWS, 32] => isa::dispatch_on(level, Tile::<T, 32>(self)),
            [ROWS, 64] => isa::dispatch_on(level, Tile::<T, 64>(self)),
            _ => isa::dispatch_on(level, AnyTile(self)),
        }
    }
}

/// Rows of the tiles that kernels have.
const ROWS: usize = 8;

struct Tile<'t, T, const L: usize>(Products<'t, T>);

impl<T: MultiplyAdd + Default, const L: usize> Body for Tile<'_, T, L> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Products { sums, rows, lanes, .. } = self.0;
        let (rows, lanes) = (rows.as_chunks::<ROWS>().0, lanes.as_chunks::<L>().0);
        let Some(sums) = sums.as_chunks_mut::<L>().0.first_chunk_mut::<ROWS>() else { return };
        let count = T::Lanes::<I>::COUNT;
        if !L.is_multiple_of(count) {
            return combine::<I, Product, T, T, T, ROWS, L>(sums, rows, lanes);
        }
        for (rows, lanes) in rows.chunks(DEPTH).zip(lanes.chunks(DEPTH)) {
            // There are 32 registers, or 16.
            match I::LEVEL {
                _ if !L.is_multiple_of(2 * count) => grow_products::<I, T, ROWS, L, 8, 1>(sums, rows, lanes),
                Level::Avx512 => grow_products::<I, T, ROWS, L, 8, 2>(sums, rows, lanes),
                Level::Avx2 | Level::Baseline => grow_products::<I, T, ROWS, L, 4, 2>(sums, rows, lanes),
            }
        }
    }
}

/// A tile of other sizes.
struct AnyTile<'t, T>(Products<'t, T>);

impl<T: MultiplyAdd> Body for AnyTile<'_, T> {
    type Output = ();

    fn run<I: Isa>(self) {
        let Products { sizes: [r, l], sums, rows, lanes } = self.0;
        for (rows, lanes) in rows.chunks_exact(r.max(1)).zip(lanes.chunks_exact(l.max(1))) {
            for (sums, row) in sums.chunks_exact_mut(l.max(1)).zip(rows) {
                sums.iter_mut()
                    .zip(lanes)
                    .for_each(|(sum, lane)| *sum = T::multiply_add::<I>(*row, *lane, *sum));
            }
        }
    }
}

/// Grows the sums of `H` rows and `W` lanes at a time.
#[inline(always)]
fn grow<
    I: Isa,
    F: Step<S, A, B>,
    S: Copy,
    A: Copy,
    B: Copy,
    const R: usize,
    const L: usize,
    const W: usize,
>(
    sums: &mut [[S; L]; R],
    rows: &[[A; R]],
    lanes: &[[B; L]],
) {
    const H: usize = FEW_ROWS;
    for r in (0..R).step_by(H) {
        for c in (0..L).step_by(W) {
            let mut part: [[S; W]; H] = from_fn(|i| from_fn(|j| sums[r + i][c + j]));
            for (row, lane) in rows.iter().zip(lanes) {
                let (Some(row), Some(lane)) = (row[r..].first_chunk::<H>(), lane[c..].first_chunk::<W>())
                else {
                    continue;
                };
                for i in 0..H {
                    for j in 0..W {
                        part[i][j] = F::step::<I>(part[i][j], row[i], lane[j]);
                    }
                }
            }
            for i in 0..H {
                for j in 0..W {
                    sums[r + i][c + j] = part[i][j];
                }
            }
        }
    }
}

/// Grows the sums of `H` rows and `W` registers of lanes at a time.
#[inline(always)]
fn grow_products<
    I: Isa,
    T: MultiplyAdd + Default,
    const R: usize,
    const L: usize,
    const H: usize,
    const W: usize,
>(
    sums: &mut [[T; L]; R],
    rows: &[[T; R]],
    lanes: &[[T; L]],
) {
    let count = T::Lanes::<I>::COUNT;
    for r in (0..R).step_by(H) {
        for c in (0..L).step_by(W * count) {
            let mut part = [[T::Lanes::<I>::splat(T::default()); W]; H];
            for (part, sums) in part.iter_mut().zip(&sums[r..]) {
                *part = from_fn(|w| T::Lanes::<I>::load(&sums[c + w * count..]));
            }
            for (row, lane) in rows.iter().zip(lanes) {
                let Some(row) = row[r..].first_chunk::<H>() else { continue };
                let lane: [_; W] = from_fn(|w| T::Lanes::<I>::load(&lane[c + w * count..]));
                for (part, row) in part.iter_mut().zip(row) {
                    let row = T::Lanes::<I>::splat(*row);
                    *part = from_fn(|w| row.multiply_add(lane[w], part[w]));
                }
            }
            for (part, sums) in part.iter().zip(&mut sums[r..]) {
                for (w, part) in part.iter().enumerate() {
                    part.store(&mut sums[c + w * count..]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Clamped, Safe};
    use super::*;

    #[test]
    fn lines_are_packed_for_each_position() {
        let data: Vec<i32> = (0..300).collect();
        let view = View::<i32, 2>::new(&data, &[3, 100]);
        let mut panels = Panels::<i32, 4>::new();
        for (from, to) in [(0, 99), (-3, 40), (60, 110), (5, 4), (0, 0)] {
            let mut panel = panels.missing(&[from, to], 7).expect("a new panel");
            panel.push([9; 4]);
            panel.lines::<Safe, 2>(&view, (from, to), |lane, k| [lane as i32, k]);
            panel.lines::<Clamped, 2>(&view, (from, to), |lane, k| [lane as i32, k]);
            let safe = |k: i32, lane: i32| {
                if (0..100).contains(&k) && lane < 3 { 100 * lane + k } else { 0 }
            };
            let clamped = |k: i32, lane: i32| 100 * lane.min(2) + k.clamp(0, 99);
            let safe = (from..=to).map(|k| from_fn(|lane| safe(k, lane as i32)));
            let clamped = (from..=to).map(|k| from_fn(|lane| clamped(k, lane as i32)));
            let expected = safe.chain(clamped);
            let expected: Vec<[i32; 4]> = [[9; 4]].into_iter().chain(expected).collect();
            assert_eq!(panels.elements(), expected);
        }
    }

    #[test]
    fn panels_are_kept_as_long_as_their_group() {
        let mut panels = Panels::<u8, 1>::new();
        let mut made = |group: i32, at: i32| {
            let new = panels.missing(&[group], at).map(|mut panel| panel.push([at as u8])).is_some();
            assert_eq!(panels.elements(), [[at as u8]]);
            new
        };
        let found: Vec<bool> = [(0, 1), (0, 2), (0, 1), (0, 2), (1, 1), (0, 1), (0, 2), (0, 2)]
            .map(|(group, at)| made(group, at))
            .to_vec();
        assert_eq!(found, [true, true, false, false, true, true, true, false]);
    }

    struct Difference;

    impl Step<f32, f32, f32> for Difference {
        fn step<I: Isa>(sum: f32, row: f32, lane: f32) -> f32 {
            sum + (row - lane).abs()
        }
    }

    /// Sums of a tile, by products or by differences.
    struct Check<const L: usize> {
        depth: usize,
        products: bool,
    }

    impl<const L: usize> Body for Check<L> {
        type Output = ();

        fn run<I: Isa>(self) {
            let rows: Vec<[f32; 8]> =
                (0..self.depth).map(|k| from_fn(|r| ((k * 7 + r) % 9) as f32)).collect();
            let lanes: Vec<[f32; L]> =
                (0..self.depth).map(|k| from_fn(|i| ((k * 5 + i) % 11) as f32)).collect();
            let mut sums: [[f32; L]; 8] = from_fn(|r| from_fn(|i| (r * i) as f32));
            let mut expected = sums;
            for (row, lane) in rows.iter().zip(&lanes) {
                for (sums, row) in expected.iter_mut().zip(row) {
                    for (sum, lane) in sums.iter_mut().zip(lane) {
                        *sum += if self.products { row * lane } else { (row - lane).abs() };
                    }
                }
            }
            if self.products {
                combine_products::<I, f32, 8, L>(&mut sums, &rows, &lanes);
            } else {
                combine::<I, Difference, f32, f32, f32, 8, L>(&mut sums, &rows, &lanes);
            }
            assert_eq!(sums, expected, "{L} lanes, {} values", self.depth);
        }
    }

    #[test]
    fn tiles_grow_by_all_values_in_order() {
        for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
            for (depth, products) in [0, 1, 127, 128, 300].into_iter().flat_map(|n| [(n, true), (n, false)]) {
                isa::dispatch_on(level, Check::<8> { depth, products });
                isa::dispatch_on(level, Check::<16> { depth, products });
                isa::dispatch_on(level, Check::<32> { depth, products });
                isa::dispatch_on(level, Check::<64> { depth, products });
                if products {
                    isa::dispatch_on(level, Check::<12> { depth, products });
                }
            }
        }
    }
}
