//! Vectors of neighbouring positions: the elements that they read and write along a row, and the columns of a row for
//! which indices stay inside their arrays.

use super::access::Access;
use super::disjoint_rows::Band;
use super::mode::{Mode, Safe};
use super::view::View;
use crate::element::Element;
use crate::isa::Isa;

/// No vector has more lanes.
pub const MAX_LANES: usize = 128;

impl<T: Element, const N: usize, const PART: bool> View<'_, T, N, PART> {
    /// The elements from `from` on along the last dimension: one for each of `L` lanes, with the `S - 1` behind it, where the
    /// lanes are `S` apart. Elements out of range are what the mode says (zero where it says nothing), and stand in `spare`
    /// then, which has [`MAX_LANES`] places. If `INSIDE`, `None` where the last index leaves the array, or any where programs mean no zeros.
    #[inline(always)]
    pub fn vector<M: Mode, const S: usize, const L: usize, const INSIDE: bool>(
        &self,
        from: [i32; N],
        spare: &mut [[T; S]],
    ) -> Option<[[T; S]; L]> {
        let row = match self.row::<M>(from) {
            Some(row) => row,
            // Zeros beside elements would split the accumulators of loops into parts of registers.
            None if INSIDE && !M::PADS => return None,
            None => return Some([[T::default(); S]; L]),
        };
        let first = from[N - 1];
        if first >= 0
            && let Some(rest) = row.get(first as usize..)
            && let Some(inside) = rest.as_chunks::<S>().0.first_chunk::<L>()
        {
            return Some(*inside);
        }
        if INSIDE {
            return None;
        }
        let spare = spare.first_chunk_mut::<L>().expect("a place for each lane");
        mapped::<M, T>(row, first, spare.as_flattened_mut());
        Some(*spare)
    }

    /// As [`View::vector`], as `S` vectors: the first has the lanes themselves, the others what lies behind them.
    #[inline(always)]
    pub fn strided<I: Isa, M: Mode, const S: usize, const L: usize, const INSIDE: bool>(
        &self,
        from: [i32; N],
        spare: &mut [[T; S]],
    ) -> Option<[[T; L]; S]> {
        self.vector::<M, S, L, INSIDE>(from, spare).map(|groups| I::deinterleave(&groups))
    }
}

/// Elements of a row from `first` on, as a mode maps them.
#[cold]
#[inline(never)]
fn mapped<M: Mode, T: Element>(row: &[T], first: i32, out: &mut [T]) {
    let width = row.len() as i32;
    // Most are inside.
    let left = (first.saturating_neg().max(0) as usize).min(out.len());
    let inside = row.get(first.max(0) as usize..).unwrap_or_default();
    let inside = &inside[..inside.len().min(out.len() - left)];
    out[left..][..inside.len()].copy_from_slice(inside);
    let right = left + inside.len();
    let outside = |k: usize| {
        let i = M::map(first.wrapping_add(k as i32), width);
        usize::try_from(i).ok().and_then(|i| row.get(i)).copied().unwrap_or_default()
    };
    out[..left].iter_mut().enumerate().for_each(|(k, element)| *element = outside(k));
    out[right..].iter_mut().zip(right..).for_each(|(element, k)| *element = outside(k));
}

impl<T: Element, const N: usize> Band<'_, T, N> {
    /// `L` elements from `from` on along the last dimension; zeros out of range. If `INSIDE`, `None` where one is out of range.
    #[inline(always)]
    pub fn vector<const L: usize, const INSIDE: bool>(&mut self, from: [i32; N]) -> Option<[T; L]> {
        match self.chunk(from) {
            Some(chunk) => Some(*chunk),
            None if INSIDE => None,
            None => Some(self.partial_vector(from)),
        }
    }

    /// Writes `L` elements from `from` on along the last dimension; nothing out of range. If `INSIDE`, all are in range.
    #[inline(always)]
    pub fn set_vector<const L: usize, const INSIDE: bool>(&mut self, from: [i32; N], values: [T; L]) {
        match self.chunk(from) {
            Some(chunk) => *chunk = values,
            None if INSIDE => {}
            None => self.set_partial_vector(from, &values),
        }
    }

    #[cold]
    #[inline(never)]
    fn partial_vector<const L: usize>(&mut self, from: [i32; N]) -> [T; L] {
        let mut found = [T::default(); L];
        match self.rest(from) {
            Some(rest) => found.iter_mut().zip(rest).for_each(|(to, x)| *to = *x),
            None => found = std::array::from_fn(|k| self.get::<Safe>(along(from, k))),
        }
        found
    }

    #[cold]
    #[inline(never)]
    fn set_partial_vector(&mut self, from: [i32; N], values: &[T]) {
        match self.rest(from) {
            Some(rest) => rest.iter_mut().zip(values).for_each(|(to, value)| *to = *value),
            None => values.iter().enumerate().for_each(|(k, value)| self.put(along(from, k), *value)),
        }
    }

    /// The elements of a row from one on, if the row is of this part.
    fn rest(&mut self, from: [i32; N]) -> Option<&mut [T]> {
        let k = self.shape.offset::<Safe>(from)?.wrapping_sub(self.base);
        let count = (self.shape.dims[N - 1] - from[N - 1]) as usize;
        self.data.get_mut(k..)?.get_mut(..count)
    }
}

/// The index of the element that lies `k` behind along the last dimension.
#[inline(always)]
pub(super) fn along<const N: usize>(mut from: [i32; N], k: usize) -> [i32; N] {
    from[N - 1] = from[N - 1].wrapping_add(k as i32);
    from
}

/// The least and the greatest value that a part of an index takes in a row. Parts are made of few terms with small factors,
/// so that nothing overflows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    low: i64,
    high: i64,
}

impl Span {
    /// One value.
    #[inline(always)]
    pub fn at(value: i32) -> Span {
        Span { low: i64::from(value), high: i64::from(value) }
    }

    /// The numbers below an extent.
    #[inline(always)]
    pub fn below(extent: i32) -> Span {
        Span { low: 0, high: i64::from(extent) - 1 }
    }

    /// The values of a loop variable that goes from values of one span to those of another.
    #[inline(always)]
    pub fn between(from: Span, to: Span) -> Span {
        Span { low: from.low.min(to.low), high: from.high.max(to.high) }
    }

    /// Adds a multiple of another part.
    #[inline(always)]
    pub fn plus(self, factor: i64, other: Span) -> Span {
        let (a, b) = (other.low.saturating_mul(factor), other.high.saturating_mul(factor));
        Span { low: self.low.saturating_add(a.min(b)), high: self.high.saturating_add(a.max(b)) }
    }
}

/// Where the next vector of a row begins, and whether it is a long one: long vectors as long as there are positions for them, short
/// ones behind them. With `overlaps` the last vector of a size may begin within the one before it, so that it ends where the row does.
/// One loop over this needs the code of a vector once for each size.
#[inline(always)]
pub fn next_vector<const LONG: usize, const SHORT: usize>(
    done: &mut usize,
    len: usize,
    overlaps: bool,
) -> Option<(usize, bool)> {
    for (lanes, long) in [(LONG, true), (SHORT, false)] {
        if len - *done >= lanes {
            *done += lanes;
            return Some((*done - lanes, long));
        }
        if overlaps && *done < len && len >= lanes {
            *done = len;
            return Some((len - lanes, long));
        }
    }
    None
}

/// As [`next_vector`], with a last short one for fewer positions if it may be `partial`: the lanes behind the row have no positions.
#[inline(always)]
pub fn next_part<const LONG: usize, const SHORT: usize>(
    done: &mut usize,
    len: usize,
    overlaps: bool,
    partial: bool,
) -> Option<(usize, bool)> {
    if let Some(vector) = next_vector::<LONG, SHORT>(done, len, overlaps) {
        return Some(vector);
    }
    (partial && *done < len).then(|| (std::mem::replace(done, len), false))
}

/// Whether a condition holds for some lane.
#[inline(always)]
pub fn any<const L: usize>(lanes: &[i32; L]) -> bool {
    lanes.iter().fold(0, |all, lane| all | lane) != 0
}

/// The columns of a row for which the accesses of a kernel stay inside their arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    first: i64,
    end: i64,
}

impl Columns {
    /// All of them.
    #[inline(always)]
    pub fn all() -> Columns {
        Columns { first: 0, end: i64::from(i32::MAX) }
    }

    /// None of them.
    #[inline(always)]
    pub fn none() -> Columns {
        Columns { first: i64::from(i32::MAX), end: 0 }
    }

    /// Adds others, and those between them.
    #[inline(always)]
    pub fn extend(&mut self, others: Columns) {
        if others.first < others.end {
            self.first = self.first.min(others.first);
            self.end = self.end.max(others.end);
        }
    }

    /// Keeps those for which the index `stride * column + part` lies in `0..extent`, whatever value the part takes.
    #[inline(always)]
    pub fn keep(&mut self, stride: i64, part: Span, extent: i32) {
        let most = i64::from(extent) - 1;
        let (low, high) = (-part.low, most - part.high);
        if stride == 0 {
            if low > 0 || high < 0 {
                self.end = self.first;
            }
            return;
        }
        let (low, high, step) = if stride > 0 { (low, high, stride) } else { (-high, -low, -stride) };
        self.first = self.first.max(-(-low).div_euclid(step));
        self.end = self.end.min(high.div_euclid(step) + 1);
    }

    /// Keeps those from a bound on, or behind it.
    #[inline(always)]
    pub fn from(&mut self, bound: i32, behind: bool) {
        self.first = self.first.max(i64::from(bound) + i64::from(behind));
    }

    /// Keeps those up to a bound, or before it.
    #[inline(always)]
    pub fn to(&mut self, bound: i32, before: bool) {
        self.end = self.end.min(i64::from(bound) + i64::from(!before));
    }

    /// The first column and the one behind the last.
    #[inline(always)]
    pub fn range(self) -> (i32, i32) {
        let most = i64::from(i32::MAX);
        (self.first.clamp(0, most) as i32, self.end.clamp(0, most) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Clamped, Mirror};
    use super::*;
    use crate::isa::Baseline;

    #[test]
    fn vectors_are_taken_as_they_lie_or_mapped() {
        let data: Vec<i32> = (0..24).collect();
        let view = View::<i32, 2>::new(&data, &[2, 12]);
        let mut spare = [[0; 1]; MAX_LANES];
        let spare = &mut spare;
        assert_eq!(view.vector::<Safe, 1, 4, false>([1, 3], spare), Some([[15], [16], [17], [18]]));
        assert_eq!(view.vector::<Safe, 1, 4, true>([1, 3], spare), Some([[15], [16], [17], [18]]));
        assert_eq!(view.vector::<Safe, 1, 4, false>([0, 10], spare), Some([[10], [11], [0], [0]]));
        assert_eq!(view.vector::<Safe, 1, 4, true>([0, 10], spare), None);
        assert_eq!(view.vector::<Mirror, 1, 4, false>([0, -2], spare), Some([[1], [0], [0], [1]]));
        assert_eq!(view.vector::<Mirror, 1, 4, true>([0, -2], spare), None);
        assert_eq!(view.vector::<Clamped, 1, 4, false>([9, 10], spare), Some([[22], [23], [23], [23]]));
        assert_eq!(view.vector::<Safe, 1, 4, true>([2, 0], spare), Some([[0]; 4]));
        let mut spare = [[0; 2]; MAX_LANES];
        let spare = &mut spare;
        assert_eq!(view.vector::<Safe, 2, 3, false>([0, 1], spare), Some([[1, 2], [3, 4], [5, 6]]));
        assert_eq!(view.vector::<Clamped, 2, 3, false>([0, 7], spare), Some([[7, 8], [9, 10], [11, 11]]));
        assert_eq!(view.vector::<Clamped, 2, 3, true>([0, 7], spare), None);
        assert_eq!(view.strided::<Baseline, Safe, 2, 3, false>([0, 1], spare), Some([[1, 3, 5], [2, 4, 6]]));
    }

    #[test]
    fn vectors_cover_rows_once_or_overlap_at_their_ends() {
        let vectors = |len: usize, overlaps: bool| {
            let mut done = 0;
            let found: Vec<_> =
                std::iter::from_fn(|| next_vector::<32, 8>(&mut done, len, overlaps)).collect();
            (found, done)
        };
        assert_eq!(vectors(7, true), (vec![], 0));
        assert_eq!(vectors(43, false), (vec![(0, true), (32, false)], 40));
        assert_eq!(vectors(43, true), (vec![(0, true), (11, true)], 43));
        assert_eq!(vectors(13, true), (vec![(0, false), (5, false)], 13));
        assert_eq!(vectors(64, true), (vec![(0, true), (32, true)], 64));
    }

    #[test]
    fn vectors_are_written_where_there_are_elements() {
        let mut data = [0; 6];
        let mut band = Band::<i32, 2>::new(&mut data, &[2, 3]);
        band.set_vector::<3, true>([1, 0], [1, 2, 3]);
        band.set_vector::<3, false>([0, 1], [4, 5, 6]);
        assert_eq!(band.vector::<3, false>([1, 1]), Some([2, 3, 0]));
        assert_eq!(band.vector::<3, true>([1, 1]), None);
        assert_eq!(band.vector::<3, true>([1, 0]), Some([1, 2, 3]));
        assert_eq!(data, [0, 4, 5, 1, 2, 3]);
    }

    #[test]
    fn columns_are_those_that_stay_inside() {
        for stride in [-3, -1, 0, 1, 2, 3] {
            for (low, high) in [(0, 0), (-2, 2), (1, 4), (-7, -7), (5, 9)] {
                let extent = 10;
                let mut columns = Columns::all();
                columns.keep(stride, Span { low, high }, extent);
                let (first, end) = columns.range();
                for column in 0..20_i32 {
                    let at = stride * i64::from(column);
                    let inside = at + low >= 0 && at + high < i64::from(extent);
                    assert_eq!((first..end).contains(&column), inside, "{stride} {low} {high} {column}");
                }
            }
        }
    }

    #[test]
    fn spans_take_factors() {
        let span = Span::at(3).plus(-2, Span::between(Span::at(-1), Span::at(4)));
        assert_eq!(span, Span { low: -5, high: 5 });
    }
}
