//! Products of large matrices. Blocks of both are packed, so that what a tile of the result needs lies in a row: strips of
//! rows of the first matrix, strips of columns of the second. A tile of the result stays in registers while it grows by all
//! products of two strips. Blocks of the inner dimension come one after the other, so each sum keeps its order.

use super::super::error::ValueError;
use super::{Factors, Workers, array, each};
use crate::isa::{self, Baseline, Isa, Lanes, Level};
use crate::ops::Number;
use crate::spare;
use half::f16;
use num_complex::Complex;
use std::ops::Range;

/// Elements of products: the types to which operators promote, but for `uint64`, whose products have the bits of those of `int64`.
pub trait Factor: Number {
    /// What is packed: the element, or the real and imaginary parts apart.
    type Part: Number;
    /// How many of them make an element.
    const PARTS: usize;
    /// The best level that tiles of such elements are made for.
    const BEST: Level;

    /// The rows and columns of a tile, which the registers of an instruction set hold.
    fn tile(level: Level) -> [usize; 2];

    /// Packs a row of a strip that is as wide.
    fn pack(elements: &[Self], to: &mut [Self::Part]);

    /// Packs the column of number `at` of a strip of a width.
    fn spread(elements: &[Self], to: &mut [Self::Part], at: usize, width: usize);

    /// Adds the products of two strips to a tile of `I::LEVEL`, which begins at a column of the rows of `tile`. Only its first `used`
    /// columns are wanted.
    fn grow<I: Isa>(
        rows: &[Self::Part],
        columns: &[Self::Part],
        tile: &mut [&mut [Self]],
        at: usize,
        used: usize,
    );
}

/// The most elements of a tile.
const LARGEST: usize = 8 * 64;

/// Numbers that the registers of `Isa` are made for: tiles of `$rows` rows, which depend on the number of registers, and two
/// registers of columns.
macro_rules! floats {
    ($($rust:ty, $registers:ident;)*) => {
        $(impl Factor for $rust {
            type Part = $rust;
            const PARTS: usize = 1;
            const BEST: Level = Level::Avx512;

            fn tile(level: Level) -> [usize; 2] {
                let column = 64 / size_of::<$rust>();
                match level {
                    Level::Baseline => [4, 2 * <Baseline as Isa>::$registers::COUNT],
                    Level::Avx2 => [6, column],
                    Level::Avx512 => [8, 2 * column],
                }
            }

            #[inline(always)]
            fn pack(elements: &[Self], to: &mut [$rust]) {
                pack(elements, to);
            }

            #[inline(always)]
            fn spread(elements: &[Self], to: &mut [$rust], at: usize, width: usize) {
                spread(elements, to, at, width);
            }

            #[inline(always)]
            fn grow<I: Isa>(rows: &[$rust], columns: &[$rust], tile: &mut [&mut [Self]], at: usize, used: usize) {
                match (I::LEVEL, used <= <I::$registers>::COUNT) {
                    (Level::Baseline, _) => grow::<$rust, I::$registers, 4, 2>(rows, columns, tile, at),
                    (Level::Avx2, false) => grow::<$rust, I::$registers, 6, 2>(rows, columns, tile, at),
                    (Level::Avx2, true) => grow::<$rust, I::$registers, 6, 1>(rows, columns, tile, at),
                    (Level::Avx512, false) => grow::<$rust, I::$registers, 8, 2>(rows, columns, tile, at),
                    (Level::Avx512, true) => grow::<$rust, I::$registers, 8, 1>(rows, columns, tile, at),
                }
            }
        }

        impl Factor for Complex<$rust> {
            type Part = $rust;
            const PARTS: usize = 2;
            const BEST: Level = Level::Avx512;

            fn tile(level: Level) -> [usize; 2] {
                let column = 64 / size_of::<$rust>();
                match level {
                    Level::Baseline => [4, <Baseline as Isa>::$registers::COUNT],
                    Level::Avx2 => [4, column / 2],
                    Level::Avx512 => [8, column],
                }
            }

            #[inline(always)]
            fn pack(elements: &[Self], to: &mut [$rust]) {
                pack_complex(elements, to);
            }

            #[inline(always)]
            fn spread(elements: &[Self], to: &mut [$rust], at: usize, width: usize) {
                spread_complex(elements, to, at, width);
            }

            #[inline(always)]
            fn grow<I: Isa>(rows: &[$rust], columns: &[$rust], tile: &mut [&mut [Self]], at: usize, _used: usize) {
                match I::LEVEL {
                    Level::Baseline | Level::Avx2 => grow_complex::<$rust, I::$registers, 4>(rows, columns, tile, at),
                    Level::Avx512 => grow_complex::<$rust, I::$registers, 8>(rows, columns, tile, at),
                }
            }
        })*
    };
}
floats! {
    f32, Single;
    f64, Double;
}

/// Numbers whose tiles the vectoriser puts in registers. It does not find the larger ones of AVX-512.
macro_rules! others {
    ($($rust:ty, $best:ident: [$r0:literal, $c0:literal] [$r1:literal, $c1:literal];)*) => {
        $(impl Factor for $rust {
            type Part = $rust;
            const PARTS: usize = 1;
            const BEST: Level = Level::$best;

            fn tile(level: Level) -> [usize; 2] {
                match level {
                    Level::Baseline => [$r0, $c0],
                    Level::Avx2 | Level::Avx512 => [$r1, $c1],
                }
            }

            #[inline(always)]
            fn pack(elements: &[Self], to: &mut [$rust]) {
                pack(elements, to);
            }

            #[inline(always)]
            fn spread(elements: &[Self], to: &mut [$rust], at: usize, width: usize) {
                spread(elements, to, at, width);
            }

            #[inline(always)]
            fn grow<I: Isa>(rows: &[$rust], columns: &[$rust], tile: &mut [&mut [Self]], at: usize, _used: usize) {
                match I::LEVEL {
                    Level::Baseline => grow_array::<$rust, $r0, $c0>(rows, columns, tile, at),
                    Level::Avx2 | Level::Avx512 => grow_array::<$rust, $r1, $c1>(rows, columns, tile, at),
                }
            }
        })*
    };
}
others! {
    f16, Avx2: [4, 4] [4, 4];
    i32, Avx2: [4, 8] [6, 16];
    i64, Avx2: [4, 4] [4, 8];
}

#[inline(always)]
fn pack<T: Copy>(elements: &[T], to: &mut [T]) {
    to[..elements.len()].copy_from_slice(elements);
}

/// The real parts, then the imaginary ones.
#[inline(always)]
fn pack_complex<T: Copy>(elements: &[Complex<T>], to: &mut [T]) {
    let (real, imaginary) = to.split_at_mut(to.len() / 2);
    for ((re, im), x) in real.iter_mut().zip(imaginary).zip(elements) {
        (*re, *im) = (x.re, x.im);
    }
}

#[inline(always)]
fn spread<T: Copy>(elements: &[T], to: &mut [T], at: usize, width: usize) {
    for (to, &x) in to.chunks_exact_mut(width).zip(elements) {
        to[at] = x;
    }
}

#[inline(always)]
fn spread_complex<T: Copy>(elements: &[Complex<T>], to: &mut [T], at: usize, width: usize) {
    for (to, &x) in to.chunks_exact_mut(2 * width).zip(elements) {
        (to[at], to[width + at]) = (x.re, x.im);
    }
}

/// Grows `R` rows of `C` registers. Strips are two registers wide.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators over registers are functions without the instructions of a level"
)]
fn grow<T: Number, L: Lanes<T>, const R: usize, const C: usize>(
    rows: &[T],
    columns: &[T],
    tile: &mut [&mut [T]],
    at: usize,
) {
    let mut sums = [[L::splat(T::default()); C]; R];
    for (sums, tile) in sums.iter_mut().zip(&*tile) {
        for c in 0..C {
            sums[c] = L::load(&tile[at + c * L::COUNT..]);
        }
    }
    for (x, y) in rows.as_chunks::<R>().0.iter().zip(columns.chunks_exact(2 * L::COUNT)) {
        let mut lanes = [L::splat(T::default()); C];
        for c in 0..C {
            lanes[c] = L::load(&y[c * L::COUNT..]);
        }
        for r in 0..R {
            let x = L::splat(x[r]);
            for c in 0..C {
                sums[r][c] = x.multiply_add(lanes[c], sums[r][c]);
            }
        }
    }
    for (sums, tile) in sums.iter().zip(tile) {
        for c in 0..C {
            sums[c].store(&mut tile[at + c * L::COUNT..]);
        }
    }
}

#[inline(always)]
fn grow_complex<T: Number, L: Lanes<T>, const R: usize>(
    rows: &[T],
    columns: &[T],
    tile: &mut [&mut [Complex<T>]],
    at: usize,
) {
    let zero = L::splat(T::default());
    let mut sums = [[zero; 2]; R];
    let mut parts = [[T::default(); 16]; 2];
    for (sums, tile) in sums.iter_mut().zip(&*tile) {
        for (k, x) in tile[at..][..L::COUNT].iter().enumerate() {
            (parts[0][k], parts[1][k]) = (x.re, x.im);
        }
        *sums = [L::load(&parts[0]), L::load(&parts[1])];
    }
    for (x, y) in rows.chunks_exact(2 * R).zip(columns.chunks_exact(2 * L::COUNT)) {
        let (c, d) = (L::load(y), L::load(&y[L::COUNT..]));
        let minus_d = zero.subtract(d);
        for r in 0..R {
            let (a, b) = (L::splat(x[r]), L::splat(x[R + r]));
            let [real, imaginary] = sums[r];
            sums[r] = [
                b.multiply_add(minus_d, a.multiply_add(c, real)),
                b.multiply_add(c, a.multiply_add(d, imaginary)),
            ];
        }
    }
    for (sums, tile) in sums.iter().zip(tile) {
        sums[0].store(&mut parts[0]);
        sums[1].store(&mut parts[1]);
        for (k, x) in tile[at..][..L::COUNT].iter_mut().enumerate() {
            *x = Complex::new(parts[0][k], parts[1][k]);
        }
    }
}

#[inline(always)]
fn grow_array<T: Number, const R: usize, const C: usize>(
    rows: &[T],
    columns: &[T],
    tile: &mut [&mut [T]],
    at: usize,
) {
    let mut sums = [[T::default(); C]; R];
    for (sums, tile) in sums.iter_mut().zip(&*tile) {
        sums.copy_from_slice(&tile[at..][..C]);
    }
    for (x, y) in rows.as_chunks::<R>().0.iter().zip(columns.as_chunks::<C>().0) {
        for r in 0..R {
            for c in 0..C {
                sums[r][c] = sums[r][c].add(x[r].multiply(y[c]));
            }
        }
    }
    for (sums, tile) in sums.iter().zip(tile) {
        tile[at..][..C].copy_from_slice(sums);
    }
}

/// Bytes of a strip of columns, which stays in the first cache while all strips of rows pass by.
const STRIP: usize = 24 << 10;
/// Rows of a block, whose strips stay in the second cache while all strips of columns pass by.
const ROWS: usize = 256;
/// Columns that are packed at once.
const COLUMNS: usize = 4096;
/// Bytes of both factors that are packed at once: threads wait for each other behind that.
const PACKED: usize = 4 << 20;
/// Parts a thread, if that leaves tiles enough for each.
const PARTS: usize = 4;

/// The product of two matrices, which is added to the zeros of `result`.
pub(super) fn multiply<T: Factor>(
    workers: &dyn Workers,
    factors: Factors<'_, T>,
    result: &mut [T],
) -> Result<(), ValueError> {
    multiply_on(isa::level(), workers, factors, result)
}

/// The same with the instructions of a level, or of the best one below it that this processor offers.
pub(super) fn multiply_on<T: Factor>(
    level: Level,
    workers: &dyn Workers,
    Factors { a, b, size: [m, n, q], turned }: Factors<'_, T>,
    result: &mut [T],
) -> Result<(), ValueError> {
    let level = level.min(isa::detected()).min(T::BEST);
    let [r, c] = T::tile(level);
    let width = T::PARTS * size_of::<T::Part>() * c;
    let depth = n.min(STRIP / width);
    let wide = q.min(COLUMNS / c * c);
    // A matrix times its own transpose is symmetric, bit for bit, since products do not depend on the order of their factors.
    let symmetric = m == q && turned[0] != turned[1] && std::ptr::eq(a, b);
    let (high, broad) = (m.next_multiple_of(r) * T::PARTS, wide.next_multiple_of(c) * T::PARTS);
    // Blocks of the inner dimension that are packed at once.
    let deep = depth * (PACKED / ((high + broad) * depth * size_of::<T::Part>())).clamp(1, n.div_ceil(depth));
    let mut rows = Packed::<T::Part>::new(high * deep.min(n))?;
    let mut columns = Packed::<T::Part>::new(broad * deep.min(n))?;
    for left in (0..q).step_by(wide) {
        let right = q.min(left + wide);
        let sides = [Side { count: m, width: r }, Side { count: right - left, width: c }];
        for first in (0..n).step_by(deep) {
            let inner = first..n.min(first + deep);
            let mut parts = strips(workers, &mut rows.0, 0, sides[0], &inner, depth, T::PARTS);
            parts.append(&mut strips(workers, &mut columns.0, 1, sides[1], &inner, depth, T::PARTS));
            each(workers, parts, &|Part { factor, terms, strip, to }| {
                let Side { count, width } = sides[factor];
                let size = width * terms.len() * T::PARTS;
                for (strip, to) in (strip..).zip(to.chunks_exact_mut(size)) {
                    let lines = strip * width..count.min((strip + 1) * width);
                    let across = lines.start + left..lines.end + left;
                    match (factor, turned[factor]) {
                        (0, false) => spread_lines(a, n, lines, &terms, to, width),
                        (0, true) => pack_lines(a, m, &terms, lines, to, width),
                        (_, false) => pack_lines(b, q, &terms, across, to, width),
                        (_, true) => spread_lines(b, n, across, &terms, to, width),
                    }
                }
            });
            let blocks = blocks(workers.count(), result, q, left..right, [r, c]);
            let (rows, columns) = (&rows.0[..], &columns.0[..]);
            each(workers, blocks, &|mut block| {
                for terms in blocks_of(&inner, depth) {
                    let (depth, begun) = (terms.len(), terms.start - inner.start);
                    let rows = &rows[begun * sides[0].padded() * T::PARTS..];
                    let columns = &columns[begun * sides[1].padded() * T::PARTS..];
                    let below = symmetric.then_some(left);
                    let block = &mut block;
                    isa::dispatch_on(level, Strips { rows, columns, depth, tile: [r, c], block, below });
                }
            });
        }
    }
    if symmetric {
        mirror(result, q);
    }
    Ok(())
}

/// Copies the elements below the diagonal of a square matrix to those above it.
fn mirror<T: Copy>(matrix: &mut [T], n: usize) {
    const SIDE: usize = 32;
    for top in (0..n).step_by(SIDE) {
        for left in (0..=top).step_by(SIDE) {
            for row in top..n.min(top + SIDE) {
                for column in left..row.min(left + SIDE) {
                    matrix[column * n + row] = matrix[row * n + column];
                }
            }
        }
    }
}

/// Packs a strip of a `width` from some lines of a matrix, whose lines have `length` elements: those of `terms` of each become a column.
fn spread_lines<T: Factor>(
    matrix: &[T],
    length: usize,
    lines: Range<usize>,
    terms: &Range<usize>,
    to: &mut [T::Part],
    width: usize,
) {
    let all = || matrix[lines.start * length..].chunks_exact(length).take(lines.len());
    let line = |k: usize| &matrix[(lines.start + k) * length..][terms.clone()];
    match width {
        _ if lines.len() < width || T::PARTS > 1 => {
            all().enumerate().for_each(|(at, line)| T::spread(&line[terms.clone()], to, at, width));
        }
        4 => side_by_side::<T, 4>(std::array::from_fn(line), to),
        6 => side_by_side::<T, 6>(std::array::from_fn(line), to),
        8 => side_by_side::<T, 8>(std::array::from_fn(line), to),
        _ => all().enumerate().for_each(|(at, line)| T::spread(&line[terms.clone()], to, at, width)),
    }
}

/// Packs a strip of several lines of one length, whose parts are its elements.
fn side_by_side<T: Factor, const W: usize>(lines: [&[T]; W], to: &mut [T::Part]) {
    let count = lines[0].len();
    let lines = lines.map(|line| &line[..count]);
    for (k, to) in to.as_chunks_mut::<W>().0.iter_mut().enumerate().take(count) {
        T::pack(&std::array::from_fn::<T, W, _>(|line| lines[line][k]), to);
    }
}

/// The same from lines that lie across the strip: the elements `across` of each line of `terms` become a row.
fn pack_lines<T: Factor>(
    matrix: &[T],
    length: usize,
    terms: &Range<usize>,
    across: Range<usize>,
    to: &mut [T::Part],
    width: usize,
) {
    let lines = matrix[terms.start * length..].chunks_exact(length);
    for (line, to) in lines.zip(to.chunks_exact_mut(width * T::PARTS)) {
        T::pack(&line[across.clone()], to);
    }
}

/// Memory for packed elements, which the thread keeps.
struct Packed<P: Number>(Vec<P>);

impl<P: Number> Packed<P> {
    /// So many elements, of any value.
    fn new(count: usize) -> Result<Packed<P>, ValueError> {
        let mut data = spare::take::<P>();
        if data.len() < count {
            data = array::filled(P::default(), count)?;
        }
        Ok(Packed(data))
    }
}

impl<P: Number> Drop for Packed<P> {
    fn drop(&mut self) {
        spare::keep(std::mem::take(&mut self.0));
    }
}

/// The rows of the first factor, or the columns of the second one: how many there are, and how many a strip has.
#[derive(Clone, Copy)]
struct Side {
    count: usize,
    width: usize,
}

impl Side {
    fn padded(self) -> usize {
        self.count.next_multiple_of(self.width)
    }
}

/// Some strips of a factor that are packed together.
struct Part<'a, P> {
    /// 0 or 1.
    factor: usize,
    terms: Range<usize>,
    /// The number of the first strip.
    strip: usize,
    to: &'a mut [P],
}

/// The inner dimension in blocks.
fn blocks_of(inner: &Range<usize>, depth: usize) -> impl Iterator<Item = Range<usize>> {
    let end = inner.end;
    inner.clone().step_by(depth).map(move |from| from..end.min(from + depth))
}

/// The strips of a factor, one block of the inner dimension behind the other, for all threads.
fn strips<'a, P>(
    workers: &dyn Workers,
    mut packed: &'a mut [P],
    factor: usize,
    side: Side,
    inner: &Range<usize>,
    depth: usize,
    parts: usize,
) -> Vec<Part<'a, P>> {
    let strips = side.count.div_ceil(side.width);
    let high = strips.div_ceil(workers.count() * PARTS);
    let mut found = Vec::new();
    for terms in blocks_of(inner, depth) {
        let strip = side.width * terms.len() * parts;
        let (block, rest) = packed.split_at_mut(strips * strip);
        packed = rest;
        for (k, to) in block.chunks_mut(high * strip).enumerate() {
            found.push(Part { factor, terms: terms.clone(), strip: k * high, to });
        }
    }
    found
}

/// A block of the result.
struct Block<'a, T> {
    /// The numbers of its first strip of rows and of columns.
    first: [usize; 2],
    /// Its rows.
    rows: Vec<&'a mut [T]>,
}

/// Some columns of the result in blocks, so many that the threads have enough to do.
fn blocks<'a, T>(
    threads: usize,
    result: &'a mut [T],
    q: usize,
    columns: Range<usize>,
    [r, c]: [usize; 2],
) -> Vec<Block<'a, T>> {
    let m = result.len() / q;
    let wanted = if threads > 1 { threads * PARTS } else { 1 };
    let high = m.div_ceil(wanted).next_multiple_of(r).min(ROWS / r * r);
    let beside = wanted.div_ceil(m.div_ceil(high));
    let wide = columns.len().div_ceil(beside).next_multiple_of(c);
    let mut blocks = Vec::new();
    for (i, band) in result.chunks_mut(high * q).enumerate() {
        let mut across: Vec<_> = (0..columns.len().div_ceil(wide))
            .map(|j| Block { first: [i * high / r, j * wide / c], rows: Vec::with_capacity(high) })
            .collect();
        for row in band.chunks_exact_mut(q) {
            let pieces = row[columns.clone()].chunks_mut(wide);
            across.iter_mut().zip(pieces).for_each(|(block, piece)| block.rows.push(piece));
        }
        blocks.append(&mut across);
    }
    blocks
}

/// A block of the result and the strips of both matrices.
struct Strips<'a, 'b, T: Factor> {
    rows: &'a [T::Part],
    columns: &'a [T::Part],
    depth: usize,
    tile: [usize; 2],
    block: &'a mut Block<'b, T>,
    /// Where only tiles that reach below the diagonal are wanted, the number of the first column.
    below: Option<usize>,
}

impl<T: Factor> isa::Body for Strips<'_, '_, T> {
    type Output = ();
    const BEST: Level = T::BEST;

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Strips { rows, columns, depth, tile: [r, c], block, below } = self;
        let [first_row, first_column] = block.first;
        let width = block.rows.first().map_or(0, |row| row.len());
        let mut spare = [T::default(); LARGEST];
        let mut spare: Vec<_> = spare.chunks_exact_mut(c).take(r).collect();
        let (high, wide) = (r * depth * T::PARTS, c * depth * T::PARTS);
        for (j, columns) in (0..width.div_ceil(c)).zip(columns[first_column * wide..].chunks_exact(wide)) {
            let across = j * c..width.min((j + 1) * c);
            let groups = block.rows.chunks_mut(r).zip(rows[first_row * high..].chunks_exact(high));
            for (i, (group, rows)) in groups.enumerate() {
                if below.is_some_and(|left| left + (first_column + j) * c >= (first_row + i + 1) * r) {
                    continue;
                }
                if group.len() == r && across.len() == c {
                    T::grow::<I>(rows, columns, group, across.start, c);
                    continue;
                }
                for (row, sums) in group.iter().zip(&mut spare) {
                    sums[..across.len()].copy_from_slice(&row[across.clone()]);
                }
                T::grow::<I>(rows, columns, &mut spare, 0, across.len());
                for (row, sums) in group.iter_mut().zip(&spare) {
                    row[across.clone()].copy_from_slice(&sums[..across.len()]);
                }
            }
        }
    }
}
