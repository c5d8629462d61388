//! Bands: arrays that a kernel writes at several places of each position, such as the four quarters of a picture. Where the first
//! component of the position selects rows that no other value of it selects, the array is cut into the rows of each place,
//! which are divided among threads along with the positions, without atomics. All threads read what lies between those rows.

use super::access::{Access, partial_lanes, put_partial_lanes};
use super::fault::{Fault, Site};
use super::mode::{Mode, Safe};
use super::part::Part;
use super::scatter::{Atomic, cells};
use super::shape::Shape;
use super::vector::along;
use crate::isa::Isa;

/// An array of rank `N` that is written at `K` places.
pub struct Bands<'a, T: Atomic, const N: usize, const K: usize> {
    bands: [Elements<'a, T>; K],
    /// What lies before, between and behind the bands, which nobody writes.
    beside: Beside<'a, T>,
    /// All elements, where threads share them because their rows meet.
    shared: &'a [T::Cell],
    shape: Shape<N>,
    cut: Option<Cut<K>>,
}

/// Consecutive elements.
struct Elements<'a, T> {
    base: usize,
    data: &'a mut [T],
}

impl<T> Default for Elements<'_, T> {
    fn default() -> Self {
        Elements { base: 0, data: &mut [] }
    }
}

/// Elements that no position writes. There are as many pieces as a kernel with one or two bands needs; what lies behind further
/// ones is not kept.
#[derive(Clone, Copy, Debug)]
struct Beside<'a, T> {
    pieces: [(usize, &'a [T]); PIECES],
}

/// Pieces beside two bands.
const PIECES: usize = 3;

impl<T> Default for Beside<'_, T> {
    fn default() -> Self {
        Beside { pieces: [(0, &[]); PIECES] }
    }
}

impl<T> Beside<'_, T> {
    /// The elements from a number on, as far as they lie in one piece.
    #[inline(always)]
    fn from(&self, k: usize) -> Option<&[T]> {
        self.pieces
            .iter()
            .find_map(|(base, data)| data.get(k.wrapping_sub(*base)..).filter(|rest| !rest.is_empty()))
    }
}

/// Where bands are cut: each begins at row `factor * position + first` of the rows that lie one behind the other from an element
/// on.
#[derive(Clone, Copy, Debug)]
struct Cut<const K: usize> {
    axis: usize,
    factor: i64,
    bands: [(usize, i64); K],
}

/// Rows that a position writes: those of the index `place` with anything from `low` to `high` added along an axis, behind which
/// indices do not matter.
#[derive(Clone, Copy, Debug)]
pub struct Place<const N: usize> {
    /// The index where the first component of the position is zero.
    pub at: [i32; N],
    /// The least and the greatest number that is added.
    pub span: (i32, i32),
}

impl<'a, T: Atomic, const N: usize, const K: usize> Bands<'a, T, N, K> {
    /// The whole array, with these extents.
    pub fn new(data: &'a mut [T], extents: &[usize]) -> Self {
        let shape = Shape::new(extents, data.len());
        let mut bands = std::array::from_fn(|_| Elements::default());
        bands[0] = Elements { base: 0, data };
        Bands { bands, beside: Beside::default(), shared: &[], shape, cut: None }
    }

    /// Cuts the array into the rows along `axis` that positions from `first` to before `end` write, which lie `factor` times the
    /// position behind those of `places`. Where rows of several positions meet, or one of those that are only read, of the indices `read`
    /// up to that axis, is among them, threads will share all elements.
    pub fn divide<const F: usize>(
        &mut self,
        (axis, factor): (usize, i32),
        places: [Place<N>; K],
        read: [[i32; N]; F],
        (first, end): (i32, i32),
    ) {
        let shape = self.shape;
        let (Some(factor), true) = (Some(i64::from(factor)).filter(|f| *f > 0), axis < N && first < end)
        else {
            return;
        };
        let (rows, stride) = (i64::from(shape.dims[axis]), shape.strides[axis]);
        let (first, last) = (i64::from(first) * factor, (i64::from(end) - 1) * factor);
        // The first element, and the rows that are added.
        let mut found: Vec<(usize, i64, i64)> = Vec::with_capacity(K);
        for place in &places {
            let inside = (0..axis).all(|k| (0..shape.dims[k]).contains(&place.at[k]));
            let (low, high) = (i64::from(place.span.0), i64::from(place.span.1));
            let (low, high) = (low + i64::from(place.at[axis]), high + i64::from(place.at[axis]));
            if i32::try_from(first + low).is_err() || i32::try_from(last + high).is_err() {
                return;
            }
            if inside {
                let start = (0..axis).map(|k| place.at[k] as usize * shape.strides[k]).sum();
                found.push((start, low, high));
            }
        }
        found.sort_unstable();
        found.dedup_by(|next, band| {
            let high = band.2.max(next.2);
            let meets = next.0 == band.0 && high - band.1 < factor;
            band.2 = if meets { high } else { band.2 };
            meets
        });
        let element = |start: usize, row: i64| start + row.clamp(0, rows) as usize * stride;
        let mut rest = std::mem::take(&mut self.bands[0]);
        let ranges = found.iter().map(|f| (element(f.0, first + f.1), element(f.0, last + f.2 + 1)));
        let ranges: Vec<(usize, usize)> = ranges.collect();
        let is_written = |at: &[i32; N]| {
            let inside = (0..=axis).all(|k| (0..shape.dims[k]).contains(&at[k]));
            let start: usize = (0..=axis).map(|k| at[k] as usize * shape.strides[k]).sum();
            inside && ranges.iter().any(|(from, to)| start < *to && *from < start + stride)
        };
        let meets = ranges.windows(2).any(|pair| pair[1].0 < pair[0].1) || read.iter().any(is_written);
        if meets || F > 0 && ranges.len() >= PIECES {
            self.bands[0] = rest;
            return;
        }
        let mut cut = Cut { axis, factor, bands: [(0, 0); K] };
        for (k, ((from, to), band)) in ranges.into_iter().zip(&found).enumerate() {
            let data = std::mem::take(&mut rest.data);
            let (before, data) = data.split_at_mut(from - rest.base);
            if let Some(piece) = self.beside.pieces.get_mut(k) {
                *piece = (rest.base, before);
            }
            let (data, behind) = data.split_at_mut(to - from);
            self.bands[k] = Elements { base: from, data };
            rest = Elements { base: to, data: behind };
            cut.bands[k] = (band.0, band.1);
        }
        if let Some(piece) = self.beside.pieces.get_mut(found.len()) {
            *piece = (rest.base, rest.data);
        }
        self.cut = Some(cut);
    }

    /// Whether vectors that begin at these indices and go on for so many elements have no element in common, and no
    /// other thread writes some.
    #[inline(always)]
    pub fn apart<const P: usize>(&self, vectors: [([i32; N], i64); P]) -> bool {
        let first = vectors.map(|(at, _)| {
            at.iter().zip(self.shape.strides).map(|(i, stride)| i64::from(*i) * stride as i64).sum::<i64>()
        });
        let apart = (0..P).all(|a| {
            (0..a).all(|b| first[a] + vectors[a].1 <= first[b] || first[b] + vectors[b].1 <= first[a])
        });
        apart && self.shared.is_empty()
    }

    /// `L` times `S` elements from `from` on along the last dimension; zeros out of range. If `INSIDE`, `None` where one is out of
    /// range.
    #[inline(always)]
    pub fn vector<const S: usize, const L: usize, const INSIDE: bool>(
        &mut self,
        from: [i32; N],
    ) -> Option<[[T; S]; L]> {
        match self.lanes_from(from) {
            Some(chunk) => Some(*chunk),
            None if INSIDE => None,
            None => Some(self.partial_vector(from)),
        }
    }

    #[inline(always)]
    fn lanes_from<const S: usize, const L: usize>(&self, from: [i32; N]) -> Option<&[[T; S]; L]> {
        let k = self.shape.offset::<Safe>(from)?;
        if (S * L) as i64 + i64::from(from[N - 1]) > i64::from(self.shape.dims[N - 1]) {
            return None;
        }
        let mut bands = self.bands.iter();
        let own =
            bands.find_map(|band| band.data.get(k.wrapping_sub(band.base)..)?.as_chunks().0.first_chunk());
        own.or_else(|| self.beside.from(k)?.as_chunks().0.first_chunk())
    }

    /// Writes `L` times `S` elements from `from` on along the last dimension; nothing out of range. If `INSIDE`, all are in
    /// range.
    #[inline(always)]
    pub fn set_vector<const S: usize, const L: usize, const INSIDE: bool>(
        &mut self,
        from: [i32; N],
        values: [[T; S]; L],
    ) {
        match self.chunk(from) {
            Some(chunk) => *chunk = values,
            None if INSIDE => {}
            None => self.set_partial_vector(from, &values),
        }
    }

    /// As [`Bands::vector`], as `S` vectors.
    #[inline(always)]
    pub fn strided<I: Isa, const S: usize, const L: usize, const INSIDE: bool>(
        &mut self,
        from: [i32; N],
    ) -> Option<[[T; L]; S]> {
        self.vector::<S, L, INSIDE>(from).map(|groups| I::deinterleave(&groups))
    }

    /// As [`Bands::set_vector`], of `S` vectors.
    #[inline(always)]
    pub fn set_strided<I: Isa, const S: usize, const L: usize, const INSIDE: bool>(
        &mut self,
        from: [i32; N],
        values: [[T; L]; S],
    ) {
        self.set_vector::<S, L, INSIDE>(from, I::interleave(&values));
    }

    #[inline(always)]
    fn chunk<const S: usize, const L: usize>(&mut self, from: [i32; N]) -> Option<&mut [[T; S]; L]> {
        let k = self.shape.offset::<Safe>(from)?;
        if (S * L) as i64 + i64::from(from[N - 1]) > i64::from(self.shape.dims[N - 1]) {
            return None;
        }
        let mut bands = self.bands.iter_mut();
        bands.find_map(|band| {
            band.data.get_mut(k.wrapping_sub(band.base)..)?.as_chunks_mut().0.first_chunk_mut()
        })
    }

    #[cold]
    #[inline(never)]
    fn partial_vector<const S: usize, const L: usize>(&self, from: [i32; N]) -> [[T; S]; L] {
        std::array::from_fn(|lane| std::array::from_fn(|k| self.get::<Safe>(along(from, lane * S + k))))
    }

    #[cold]
    #[inline(never)]
    fn set_partial_vector<const S: usize>(&mut self, from: [i32; N], values: &[[T; S]]) {
        for (k, value) in values.as_flattened().iter().enumerate() {
            self.put(along(from, k), *value);
        }
    }

    #[inline(always)]
    fn own(&mut self, k: usize) -> Option<&mut T> {
        self.bands.iter_mut().find_map(|band| band.data.get_mut(k.wrapping_sub(band.base)))
    }

    #[inline(always)]
    fn load(&self, k: usize) -> T {
        let own = self.bands.iter().find_map(|band| band.data.get(k.wrapping_sub(band.base)));
        let found = own.or_else(|| self.beside.from(k)?.first());
        found.copied().or_else(|| self.shared.get(k).map(T::load)).unwrap_or_default()
    }

    #[inline(always)]
    fn store(&mut self, k: usize, value: T) {
        if let Some(own) = self.own(k) {
            *own = value;
        } else if let Some(cell) = self.shared.get(k) {
            T::store(cell, value);
        }
    }

    #[inline(always)]
    fn change(&mut self, k: usize, change: impl Fn(T) -> T) -> (T, T) {
        if let Some(own) = self.own(k) {
            let old = *own;
            *own = change(old);
            return (old, *own);
        }
        match self.shared.get(k) {
            Some(cell) => T::update(cell, change),
            None => (T::default(), change(T::default())),
        }
    }
}

impl<T: Atomic, const N: usize, const K: usize> Access<T, N> for Bands<'_, T, N, K> {
    #[inline(always)]
    fn extent(&self, axis: usize) -> i32 {
        self.shape.extent(axis)
    }

    #[inline(always)]
    fn count(&self) -> i32 {
        self.shape.count() as i32
    }

    #[inline(always)]
    fn get<M: Mode>(&self, index: [i32; N]) -> T {
        self.shape.offset::<M>(index).map(|k| self.load(k)).unwrap_or_default()
    }

    #[inline(always)]
    fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T> {
        let found = self.shape.inside(index);
        if found.is_none() {
            self.shape.outside(index, fault, site);
        }
        found.map(|k| self.load(k))
    }

    #[inline(always)]
    fn get_lanes<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        let own = self.shape.lanes::<L>(from).and_then(|k| {
            let mut bands = self.bands.iter();
            let own = bands.find_map(|band| band.data.get(k.wrapping_sub(band.base)..)?.first_chunk());
            own.or_else(|| self.beside.from(k)?.first_chunk())
        });
        let spare;
        *match own {
            Some(lanes) => lanes,
            None => {
                spare = partial_lanes(self, from);
                &spare
            }
        }
    }

    #[inline(always)]
    fn put_lanes<I: Isa, const L: usize>(&mut self, from: [i32; N], values: [T; L]) {
        match self.chunk::<1, L>(from) {
            Some(lanes) => *lanes = values.map(|value| [value]),
            None => put_partial_lanes(self, from, &{ values }),
        }
    }

    #[inline(always)]
    fn put(&mut self, index: [i32; N], value: T) {
        if let Some(k) = self.shape.offset::<Safe>(index) {
            self.store(k, value);
        }
    }

    #[inline(always)]
    fn try_put(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) -> bool {
        match self.shape.inside(index) {
            Some(k) => self.store(k, value),
            None => {
                self.shape.outside(index, fault, site);
                return false;
            }
        }
        true
    }

    #[inline(always)]
    fn update(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
        match self.shape.offset::<Safe>(index) {
            Some(k) => self.change(k, change),
            None => (T::default(), change(T::default())),
        }
    }

    #[inline(always)]
    fn try_update(
        &mut self,
        index: [i32; N],
        change: impl Fn(T) -> T,
        fault: &Fault,
        site: Site,
    ) -> Option<(T, T)> {
        let Some(k) = self.shape.inside(index) else {
            self.shape.outside(index, fault, site);
            return None;
        };
        Some(self.change(k, change))
    }
}

impl<T: Atomic, const N: usize, const K: usize> Part for Bands<'_, T, N, K> {
    fn split(mut self, cut: &[i32]) -> (Self, Self) {
        let shape = self.shape;
        let (bands, beside) = (std::array::from_fn(|_| Elements::default()), self.beside);
        let mut second = Bands { bands, beside, shared: &[], shape, cut: self.cut };
        let (Some(Cut { axis, factor, bands }), Some(position)) = (self.cut, cut.first()) else {
            if let Some(whole) = self.bands.iter_mut().find(|band| !band.data.is_empty()) {
                self.shared = cells(std::mem::take(&mut whole.data));
            }
            second.shared = self.shared;
            return (self, second);
        };
        for (k, (start, first)) in bands.into_iter().enumerate() {
            let Elements { base, data } = std::mem::take(&mut self.bands[k]);
            let row = i64::from(*position) * factor + first;
            let at = start + row.clamp(0, i64::from(shape.dims[axis])) as usize * shape.strides[axis];
            let at = at.clamp(base, base + data.len());
            let (before, behind) = data.split_at_mut(at - base);
            self.bands[k] = Elements { base, data: before };
            second.bands[k] = Elements { base: at, data: behind };
        }
        (self, second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::Baseline;

    fn place<const N: usize>(at: [i32; N], span: (i32, i32)) -> Place<N> {
        Place { at, span }
    }

    /// Writes a number at each index for which there is an element that is not shared.
    fn fill<const N: usize, const K: usize>(mut bands: Bands<'_, i32, N, K>, number: i32, at: &[[i32; N]]) {
        assert!(bands.shared.is_empty());
        for index in at {
            bands.put(*index, number);
        }
    }

    #[test]
    fn quarters_are_divided_among_threads() {
        let mut data = [0; 24];
        let mut bands = Bands::<i32, 2, 2>::new(&mut data, &[6, 4]);
        bands.divide((0, 1), [place([3, 0], (0, 0)), place([0, 0], (0, 0))], [], (0, 3));
        let (first, second) = bands.split(&[2]);
        let all: Vec<[i32; 2]> = (0..24).map(|k| [k / 4, k % 4]).collect();
        fill(first, 1, &all);
        fill(second, 2, &all);
        assert_eq!(data, [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn every_second_row_and_its_neighbour_belong_together() {
        let mut data = [0; 7];
        let mut bands = Bands::<i32, 1, 1>::new(&mut data, &[7]);
        bands.divide((0, 2), [place([0], (0, 1))], [], (0, 4));
        let (first, second) = bands.split(&[1]);
        let (second, third) = second.split(&[3]);
        let all: Vec<[i32; 1]> = (0..7).map(|k| [k]).collect();
        fill(first, 1, &all);
        fill(second, 2, &all);
        fill(third, 3, &all);
        assert_eq!(data, [1, 1, 2, 2, 2, 2, 3]);
    }

    #[test]
    fn planes_have_a_band_each() {
        let mut data = [0; 12];
        let mut bands = Bands::<i32, 3, 3>::new(&mut data, &[2, 3, 2]);
        let places = [place([0, 0, 0], (0, 0)), place([1, 0, 0], (0, 0)), place([5, 0, 0], (0, 0))];
        bands.divide((1, 1), places, [], (0, 3));
        let (first, second) = bands.split(&[1]);
        let all: Vec<[i32; 3]> = (0..12).map(|k| [k / 6, k / 2 % 3, k % 2]).collect();
        fill(first, 1, &all);
        fill(second, 2, &all);
        assert_eq!(data, [1, 1, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2]);
    }

    #[test]
    fn rows_that_meet_are_shared() {
        for (places, positions) in [([[2, 0], [0, 0]], (0, 3)), ([[0, 0], [i32::MAX, 0]], (0, 2))] {
            let mut data = [0; 12];
            let mut bands = Bands::<i32, 2, 2>::new(&mut data, &[6, 2]);
            bands.divide((0, 1), places.map(|at| place(at, (0, 0))), [], positions);
            assert!(bands.apart([([0, 0], 2)]));
            let (mut first, second) = bands.split(&[1]);
            let (mut second, mut third) = second.split(&[2]);
            assert!(!first.apart([([0, 0], 2)]) && first.vector::<1, 2, true>([0, 0]).is_none());
            first.put([5, 1], 1);
            second.put([0, 0], 2);
            assert_eq!(third.update([0, 0], |old| old + 5), (2, 7));
            assert_eq!(first.get::<Safe>([0, 0]), 7);
            assert_eq!((data[0], data[11]), (7, 1));
        }
    }

    #[test]
    fn vectors_lie_in_one_band_and_apart() {
        let mut data: Vec<i32> = (0..24).collect();
        let mut bands = Bands::<i32, 2, 2>::new(&mut data, &[2, 12]);
        bands.divide((0, 1), [place([0, 0], (0, 0)), place([1, 0], (0, 0))], [], (0, 1));
        assert_eq!(bands.vector::<2, 3, true>([1, 2]), Some([[14, 15], [16, 17], [18, 19]]));
        assert_eq!(bands.vector::<2, 3, true>([0, 8]), None);
        assert_eq!(bands.vector::<2, 3, false>([0, 8]), Some([[8, 9], [10, 11], [0, 0]]));
        bands.set_vector::<2, 3, false>([0, 8], [[1, 2], [3, 4], [5, 6]]);
        bands.set_vector::<1, 2, true>([1, 0], [[7], [8]]);
        assert_eq!(bands.strided::<Baseline, 2, 2, true>([0, 8]), Some([[1, 3], [2, 4]]));
        bands.set_strided::<Baseline, 2, 2, false>([0, 8], [[1, 3], [2, 4]]);
        assert!(bands.apart([([0, 0], 6), ([0, 6], 6), ([1, 0], 12)]));
        assert!(!bands.apart([([0, 0], 7), ([0, 6], 6)]));
        assert_eq!(data[8..14], [1, 2, 3, 4, 7, 8]);
    }
    #[test]
    fn rows_that_are_only_read_lie_beside_those_written() {
        let mut data: Vec<i32> = (0..20).collect();
        let mut bands = Bands::<i32, 2, 1>::new(&mut data, &[5, 4]);
        bands.divide((0, 1), [place([2, 0], (0, 0))], [[1, 0], [7, 0]], (0, 2));
        let (mut first, second) = bands.split(&[1]);
        for part in [&first, &second] {
            assert_eq!((part.get::<Safe>([1, 3]), part.get::<Safe>([4, 0])), (7, 16));
            assert_eq!(part.get_lanes::<Baseline, 3>([0, 1]), [1, 2, 3]);
        }
        assert_eq!((first.get::<Safe>([2, 0]), first.get::<Safe>([3, 0])), (8, 0));
        assert_eq!(first.vector::<1, 2, true>([1, 2]), Some([[6], [7]]));
        first.put([1, 0], 99);
        assert_eq!(first.get::<Safe>([1, 0]), 4);
        assert_eq!(data[4], 4);
    }

    #[test]
    fn rows_that_are_read_and_written_are_shared() {
        let mut data = [0; 20];
        let mut bands = Bands::<i32, 2, 1>::new(&mut data, &[5, 4]);
        bands.divide((0, 1), [place([2, 0], (0, 0))], [[3, 0]], (0, 2));
        let (mut first, second) = bands.split(&[1]);
        first.put([3, 1], 5);
        assert_eq!(second.get::<Safe>([3, 1]), 5);
    }
}
