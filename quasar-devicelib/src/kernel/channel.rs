//! One channel of neighbouring pixels, which lie as far apart as a pixel has channels.

use super::access::Access;
use super::disjoint_rows::Band;
use super::mode::{Mode, Safe};
use super::view::View;
use crate::element::Element;
use crate::isa::Isa;

impl<T: Element, const N: usize, const PART: bool> View<'_, T, N, PART> {
    /// The element `from[N - 1]` of each of `L` columns from `from[N - 2]` on. Elements out of range are what the mode says (zero where
    /// it says nothing). If `INSIDE`, `None` where one is out of range.
    #[inline(always)]
    pub fn channel<I: Isa, M: Mode, const L: usize, const INSIDE: bool>(
        &self,
        from: [i32; N],
    ) -> Option<[T; L]> {
        match self.of_columns::<I, M, L>(from) {
            Some(found) => Some(found),
            None if INSIDE => None,
            None => Some(self.mapped_channel::<M, L>(from)),
        }
    }

    /// The elements, if all of them are inside.
    #[inline(always)]
    fn of_columns<I: Isa, M: Mode, const L: usize>(&self, from: [i32; N]) -> Option<[T; L]> {
        let plane = self.plane::<M>(from)?;
        let (first, channel) = (usize::try_from(from[N - 2]).ok()?, usize::try_from(from[N - 1]).ok()?);
        let channels = self.extent(N - 1) as usize;
        if channel >= channels {
            return None;
        }
        let columns = plane.get(first.checked_mul(channels)?..)?.get(..L * channels)?;
        match channels {
            2 => one_of::<I, T, 2, L>(columns, channel),
            3 => one_of::<I, T, 3, L>(columns, channel),
            4 => one_of::<I, T, 4, L>(columns, channel),
            _ => {
                let mut found = [T::default(); L];
                for (found, column) in found.iter_mut().zip(columns.chunks_exact(channels)) {
                    *found = column.get(channel).copied().unwrap_or_default();
                }
                Some(found)
            }
        }
    }

    /// The elements one by one, as a mode maps them.
    #[cold]
    #[inline(never)]
    fn mapped_channel<M: Mode, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        std::array::from_fn(|k| self.get::<M>(column(from, k)))
    }
}

impl<T: Element, const N: usize> Band<'_, T, N> {
    /// The element `from[N - 1]` of each of `L` columns from `from[N - 2]` on; zeros out of range. If `INSIDE`, `None` where one is out of
    /// range.
    #[inline(always)]
    pub fn channel<I: Isa, const L: usize, const INSIDE: bool>(&mut self, from: [i32; N]) -> Option<[T; L]> {
        let channels = self.extent(N - 1) as usize;
        match self.columns::<L>(from) {
            Some(columns) => {
                let mut found = [T::default(); L];
                for (found, element) in found.iter_mut().zip(columns.iter().step_by(channels)) {
                    *found = *element;
                }
                Some(found)
            }
            None if INSIDE => None,
            None => Some(std::array::from_fn(|k| self.get::<Safe>(column(from, k)))),
        }
    }

    /// Writes the element `from[N - 1]` of each of `L` columns from `from[N - 2]` on; nothing out of range. If `INSIDE`, all are in range.
    #[inline(always)]
    pub fn set_channel<const L: usize, const INSIDE: bool>(&mut self, from: [i32; N], values: [T; L]) {
        let channels = self.extent(N - 1) as usize;
        match self.columns::<L>(from) {
            Some(columns) => match channels {
                3 => set_steps::<T, 3, L>(columns, &values),
                4 => set_steps::<T, 4, L>(columns, &values),
                _ => columns.iter_mut().step_by(channels).zip(values).for_each(|(to, value)| *to = value),
            },
            None if INSIDE => {}
            None => values.into_iter().enumerate().for_each(|(k, value)| self.put(column(from, k), value)),
        }
    }
}

/// Writes elements that are `S` apart.
#[inline(always)]
fn set_steps<T: Element, const S: usize, const L: usize>(columns: &mut [T], values: &[T; L]) {
    let (last, values) = values.split_last().expect("a lane");
    if let Some((end, rest)) = columns.split_last_mut() {
        *end = *last;
        rest.as_chunks_mut::<S>().0.iter_mut().zip(values).for_each(|(to, value)| to[0] = *value);
    }
}

/// The index of a column that is so many behind one.
#[inline(always)]
fn column<const N: usize>(mut from: [i32; N], behind: usize) -> [i32; N] {
    from[N - 2] = from[N - 2].wrapping_add(behind as i32);
    from
}

/// One of the `S` elements of each of `L` columns.
#[inline(always)]
fn one_of<I: Isa, T: Element, const S: usize, const L: usize>(
    columns: &[T],
    channel: usize,
) -> Option<[T; L]> {
    let columns = columns.as_chunks::<S>().0.first_chunk::<L>()?;
    I::deinterleave(columns).get(channel).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::mode::Clamped;

    fn image(channels: usize) -> Vec<i32> {
        (0..2 * 12 * channels as i32).collect()
    }

    #[test]
    fn channels_of_neighbours() {
        for channels in [1, 2, 3, 4, 5, 17] {
            let data = image(channels);
            let view = View::<i32, 3>::new(&data, &[2, 12, channels]);
            for channel in 0..channels as i32 {
                let found = view.channel::<crate::isa::Baseline, Safe, 8, true>([1, 4, channel]);
                let expected = std::array::from_fn(|k| ((12 + 4 + k) * channels) as i32 + channel);
                assert_eq!(found, Some(expected), "{channel} of {channels}");
            }
        }
    }

    #[test]
    fn channels_beyond_the_border() {
        let data = image(3);
        let view = View::<i32, 3>::new(&data, &[2, 12, 3]);
        let inside = |at| view.channel::<crate::isa::Baseline, Safe, 8, true>(at);
        assert_eq!([inside([0, -1, 1]), inside([0, 5, 1]), inside([0, 0, 3]), inside([2, 0, 0])], [None; 4]);
        let clamped = view.channel::<crate::isa::Baseline, Clamped, 8, false>([0, 8, 2]);
        assert_eq!(clamped, Some([26, 29, 32, 35, 35, 35, 35, 35]));
        let zeros = view.channel::<crate::isa::Baseline, Safe, 8, false>([0, -7, 1]);
        assert_eq!(zeros, Some([0, 0, 0, 0, 0, 0, 0, 1]));
    }
}
