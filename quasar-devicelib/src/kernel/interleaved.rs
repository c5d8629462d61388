//! Interleaved elements: what belongs to one position lies side by side along the last dimension, such as the channels of a pixel.
//! Lanes fetch and write all elements of neighbouring positions at once.

use super::access::Access;
use super::disjoint_rows::Band;
use super::mode::{Mode, Safe};
use super::view::View;
use crate::element::Element;
use crate::isa::Isa;

impl<T: Element, const N: usize, const PART: bool> View<'_, T, N, PART> {
    /// The first `S` elements along the last dimension for each of `L` columns from `from[N - 2]` on, as `S` vectors. Columns out of
    /// range are what the mode says (zero where it says nothing), and stand in `spare` then, which has a place for each lane. If
    /// `INSIDE`, `None` where a column is out of range, or the last dimension has fewer elements.
    #[inline(always)]
    pub fn interleaved<I: Isa, M: Mode, const S: usize, const L: usize, const INSIDE: bool>(
        &self,
        from: [i32; N],
        spare: &mut [[T; S]],
    ) -> Option<[[T; L]; S]> {
        let Some(plane) = self.plane::<M>(from) else { return Some([[T::default(); L]; S]) };
        if let Ok(first) = usize::try_from(from[N - 2])
            && self.extent(N - 1) == S as i32
            && let Some(inside) = plane.as_chunks().0.get(first..).and_then(|rest| rest.first_chunk::<L>())
        {
            return Some(I::deinterleave(inside));
        }
        let channels = self.extent(N - 1);
        if channels > S as i32
            && let Some(found) = first_of_more::<I, T, S, L>(plane, from[N - 2], channels as usize)
        {
            return Some(found);
        }
        if INSIDE {
            return None;
        }
        let spare = spare.first_chunk_mut::<L>().expect("a place for each lane");
        mapped::<M, T, S>(plane, (self.extent(N - 2), self.extent(N - 1)), from[N - 2], spare);
        Some(I::deinterleave(spare))
    }
}

/// The first `S` elements of each of `L` columns of more elements, if all columns are inside.
#[inline(always)]
fn first_of_more<I: Isa, T: Element, const S: usize, const L: usize>(
    plane: &[T],
    first: i32,
    channels: usize,
) -> Option<[[T; L]; S]> {
    let columns = plane.get(usize::try_from(first).ok()?.checked_mul(channels)?..)?.get(..L * channels)?;
    if channels == 4 {
        let all = I::deinterleave(columns.as_chunks::<4>().0.first_chunk::<L>()?);
        return all.first_chunk::<S>().copied();
    }
    let mut found = [[T::default(); L]; S];
    for (lane, column) in columns.chunks_exact(channels).enumerate() {
        let elements = column.first_chunk::<S>()?;
        found.iter_mut().zip(elements).for_each(|(row, element)| row[lane] = *element);
    }
    Some(found)
}

/// The elements of columns, as a mode maps them. Zero beyond the extents, of columns and of elements in each.
#[cold]
#[inline(never)]
fn mapped<M: Mode, T: Element, const S: usize>(
    plane: &[T],
    (width, each): (i32, i32),
    first: i32,
    out: &mut [[T; S]],
) {
    let each = each.max(0) as usize;
    for (k, elements) in out.iter_mut().enumerate() {
        let column = usize::try_from(M::map(first.wrapping_add(k as i32), width)).ok();
        let found = column.and_then(|column| plane.get(column * each..)?.get(..each)).unwrap_or_default();
        *elements = std::array::from_fn(|k| found.get(k).copied().unwrap_or_default());
    }
}

impl<T: Element, const N: usize> Band<'_, T, N> {
    /// The `S` elements along the last dimension for each of `L` columns from `from[N - 2]` on, as `S` vectors; zeros out of range.
    /// If `INSIDE`, `None` where a column is out of range, or the last dimension has another extent.
    #[inline(always)]
    pub fn interleaved<I: Isa, const S: usize, const L: usize, const INSIDE: bool>(
        &mut self,
        from: [i32; N],
    ) -> Option<[[T; L]; S]> {
        match self.interleaved_chunk(from) {
            Some(chunk) => Some(I::deinterleave(chunk)),
            None if INSIDE => None,
            None => Some(I::deinterleave(&self.partly_interleaved(from))),
        }
    }

    /// Writes `S` vectors as the `S` elements along the last dimension for each of `L` columns from `from[N - 2]` on; nothing out of
    /// range. If `INSIDE`, all are in range.
    #[inline(always)]
    pub fn set_interleaved<I: Isa, const S: usize, const L: usize, const INSIDE: bool>(
        &mut self,
        from: [i32; N],
        values: [[T; L]; S],
    ) {
        match self.interleaved_chunk(from) {
            Some(chunk) => *chunk = I::interleave(&values),
            None if INSIDE => {}
            None => self.set_partly_interleaved(from, &I::interleave(&values)),
        }
    }

    #[cold]
    #[inline(never)]
    fn partly_interleaved<const S: usize, const L: usize>(&self, from: [i32; N]) -> [[T; S]; L] {
        std::array::from_fn(|lane| std::array::from_fn(|k| self.get::<Safe>(element(from, lane, k))))
    }

    #[cold]
    #[inline(never)]
    fn set_partly_interleaved<const S: usize>(&mut self, from: [i32; N], values: &[[T; S]]) {
        for (lane, values) in values.iter().enumerate() {
            for (k, value) in values.iter().enumerate() {
                self.put(element(from, lane, k), *value);
            }
        }
    }
}

/// The index of an element of a lane.
fn element<const N: usize>(mut from: [i32; N], lane: usize, k: usize) -> [i32; N] {
    from[N - 2] = from[N - 2].wrapping_add(lane as i32);
    from[N - 1] = k as i32;
    from
}

#[cfg(test)]
mod tests {
    use super::super::vector::MAX_LANES;
    use super::super::{Clamped, Mirror};
    use super::*;
    use crate::isa::Baseline as B;

    #[test]
    fn columns_are_fetched_with_all_their_elements() {
        let data: Vec<i32> = (0..18).collect();
        let view = View::<i32, 3>::new(&data, &[2, 3, 3]);
        let spare = &mut [[0; 3]; MAX_LANES];
        assert_eq!(
            view.interleaved::<B, Safe, 3, 2, true>([1, 1, 0], spare),
            Some([[12, 15], [13, 16], [14, 17]])
        );
        assert_eq!(view.interleaved::<B, Safe, 3, 2, true>([1, 2, 0], spare), None, "beyond the row");
        assert_eq!(view.interleaved::<B, Safe, 3, 2, true>([0, 2, 0], spare), None, "in the next row");
        assert_eq!(
            view.interleaved::<B, Safe, 3, 2, false>([0, 2, 0], spare),
            Some([[6, 0], [7, 0], [8, 0]])
        );
        assert_eq!(
            view.interleaved::<B, Mirror, 3, 2, false>([1, -1, 0], spare),
            Some([[9; 2], [10; 2], [11; 2]])
        );
        assert_eq!(
            view.interleaved::<B, Clamped, 3, 2, true>([7, 0, 0], spare),
            Some([[9, 12], [10, 13], [11, 14]])
        );
        assert_eq!(view.interleaved::<B, Safe, 3, 2, true>([2, 0, 0], spare), Some([[0; 2]; 3]));
        let spare = &mut [[0; 2]; MAX_LANES];
        assert_eq!(
            view.interleaved::<B, Safe, 2, 2, true>([0, 1, 0], spare),
            Some([[3, 6], [4, 7]]),
            "of more elements"
        );
        assert_eq!(view.interleaved::<B, Safe, 2, 2, true>([0, 2, 0], spare), None, "beyond the row");
        assert_eq!(view.interleaved::<B, Safe, 2, 2, false>([0, 1, 0], spare), Some([[3, 6], [4, 7]]));
        let spare = &mut [[0; 4]; MAX_LANES];
        assert_eq!(view.interleaved::<B, Safe, 4, 1, false>([0, 1, 0], spare), Some([[3], [4], [5], [0]]));
    }

    #[test]
    fn columns_are_written_with_all_their_elements() {
        let mut data = [0; 12];
        let mut band = Band::<i32, 3>::new(&mut data, &[2, 3, 2]);
        band.set_interleaved::<B, 2, 2, true>([0, 1, 0], [[1, 3], [2, 4]]);
        band.set_interleaved::<B, 2, 2, false>([1, 2, 0], [[5, 7], [6, 8]]);
        assert_eq!(band.interleaved::<B, 2, 2, true>([0, 1, 0]), Some([[1, 3], [2, 4]]));
        assert_eq!(band.interleaved::<B, 2, 2, true>([0, 2, 0]), None);
        assert_eq!(band.interleaved::<B, 2, 2, false>([0, 2, 0]), Some([[3, 0], [4, 0]]));
        assert_eq!(band.interleaved::<B, 3, 1, true>([0, 0, 0]), None, "another extent");
        assert_eq!(data, [0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 5, 6]);
    }
}
