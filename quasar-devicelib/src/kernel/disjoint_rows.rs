//! Disjoint rows: arrays that a kernel writes only at the thread's own position, so that the array can be split among
//! threads along with the positions, without atomics.

use super::access::{Access, partial_lanes, put_partial_lanes};
use super::fault::{Fault, Site};
use super::mode::{Mode, Safe};
use super::part::Part;
use super::prefetch_writes::Soon;
use super::shape::Shape;
use crate::element::Element;
use crate::isa::Isa;

/// The elements of an array that belong to a range of positions.
#[derive(Debug)]
pub struct Band<'a, T, const N: usize> {
    pub(super) data: &'a mut [T],
    pub(super) base: usize,
    pub(super) shape: Shape<N>,
}

/// A sink for rows of stores that are out of range.
#[derive(Debug, Default)]
pub struct Dump<T> {
    scratch: Vec<T>,
}

impl<T: Element> Dump<T> {
    /// An empty sink.
    #[inline(always)]
    pub fn new() -> Self {
        Dump { scratch: Vec::new() }
    }

    #[inline(never)]
    fn take(&mut self, n: usize) -> &mut [T] {
        self.scratch.clear();
        self.scratch.resize(n, T::default());
        &mut self.scratch
    }
}

impl<'a, T: Element, const N: usize> Band<'a, T, N> {
    /// The whole array, with these extents.
    pub fn new(data: &'a mut [T], extents: &[usize]) -> Self {
        let shape = Shape::new(extents, data.len());
        Band { data, base: 0, shape }
    }

    /// The elements of an array of this shape from number `base` on.
    #[inline(always)]
    pub(super) fn some(data: &'a mut [T], base: usize, shape: Shape<N>) -> Self {
        Band { data, base, shape }
    }

    /// The same elements, for a while.
    #[inline(always)]
    pub fn lend(&mut self) -> Band<'_, T, N> {
        Band { data: self.data, base: self.base, shape: self.shape }
    }

    /// Whether all indices but the last are in range.
    #[inline(always)]
    pub fn has_row(&self, index: [i32; N]) -> bool {
        (0..N - 1).all(|k| index[k] >= 0 && index[k] < self.shape.dims[k])
    }

    /// The `n` elements from `from` on along the last dimension and `true`, if all are in range; otherwise the sink and
    /// `false`.
    #[inline(always)]
    pub fn row<'s>(&'s mut self, from: [i32; N], n: usize, dump: &'s mut Dump<T>) -> (&'s mut [T], bool) {
        let inside =
            from[N - 1] >= 0 && n as i64 + i64::from(from[N - 1]) <= i64::from(self.shape.dims[N - 1]);
        match self.shape.offset::<Safe>(from) {
            Some(k) if inside => {
                match self.data.get_mut(k.wrapping_sub(self.base)..).and_then(|rest| rest.get_mut(..n)) {
                    Some(row) => (row, true),
                    None => (dump.take(n), false),
                }
            }
            _ => (dump.take(n), false),
        }
    }

    /// `L` elements from `from` on along the last dimension, if all are inside.
    #[inline(always)]
    pub(super) fn chunk<const L: usize>(&mut self, from: [i32; N]) -> Option<&mut [T; L]> {
        let k = self.shape.offset::<Safe>(from)?;
        if L as i64 + i64::from(from[N - 1]) > i64::from(self.shape.dims[N - 1]) {
            return None;
        }
        self.data.get_mut(k.wrapping_sub(self.base)..)?.first_chunk_mut()
    }

    /// `L` elements from number `start` of the last two dimensions on, if all are inside.
    #[inline(always)]
    pub(super) fn collapsed_chunk<const L: usize>(
        &mut self,
        from: [i32; N],
        start: i32,
    ) -> Option<&mut [T; L]> {
        let dims = self.shape.dims;
        let first = self.shape.offset::<Safe>(from)?;
        if L as i64 + i64::from(start) > i64::from(dims[N - 2]) * i64::from(dims[N - 1]) {
            return None;
        }
        let k = first + usize::try_from(start).ok()?;
        self.data.get_mut(k.wrapping_sub(self.base)..)?.first_chunk_mut()
    }

    /// `S` elements along the last dimension for `L` columns from `from[N - 2]` on, if all are inside and there are no others.
    #[inline(always)]
    pub(super) fn interleaved_chunk<const S: usize, const L: usize>(
        &mut self,
        mut from: [i32; N],
    ) -> Option<&mut [[T; S]; L]> {
        from[N - 1] = 0;
        let k = self.shape.offset::<Safe>(from)?;
        let dims = self.shape.dims;
        if dims[N - 1] != S as i32 || L as i64 + i64::from(from[N - 2]) > i64::from(dims[N - 2]) {
            return None;
        }
        self.data.get_mut(k.wrapping_sub(self.base)..)?.as_chunks_mut().0.first_chunk_mut()
    }

    /// The elements from `from` on to the same one of the last of `L` columns, if all are inside.
    #[inline(always)]
    pub(super) fn columns<const L: usize>(&mut self, from: [i32; N]) -> Option<&mut [T]> {
        let k = self.shape.offset::<Safe>(from)?;
        let dims = self.shape.dims;
        if L as i64 + i64::from(from[N - 2]) > i64::from(dims[N - 2]) {
            return None;
        }
        let count = (L - 1) * usize::try_from(dims[N - 1]).ok()? + 1;
        self.data.get_mut(k.wrapping_sub(self.base)..)?.get_mut(..count)
    }

    /// The address of the row from `from` on, for prefetching before it is written.
    #[inline(always)]
    pub fn soon(&self, from: [i32; N]) -> Soon {
        match self.shape.offset::<Safe>(from) {
            Some(k) => {
                Soon::new(self.data, k.wrapping_sub(self.base), self.shape.strides[N.saturating_sub(2)])
            }
            None => Soon::default(),
        }
    }
}

impl<T: Element, const N: usize> Access<T, N> for Band<'_, T, N> {
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
        let element = self.shape.offset::<M>(index).and_then(|k| self.data.get(k.wrapping_sub(self.base)));
        element.copied().unwrap_or_default()
    }

    #[inline(always)]
    fn at(&self, index: [i32; N]) -> T {
        self.data.get(self.shape.place(index).wrapping_sub(self.base)).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn set_at(&mut self, index: [i32; N], value: T) {
        if let Some(element) = self.data.get_mut(self.shape.place(index).wrapping_sub(self.base)) {
            *element = value;
        }
    }

    #[inline(always)]
    fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T> {
        let Some(k) = self.shape.inside(index) else {
            self.shape.outside(index, fault, site);
            return None;
        };
        Some(self.data.get(k.wrapping_sub(self.base)).copied().unwrap_or_default())
    }

    #[inline(always)]
    fn get_lanes<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        let found = self
            .shape
            .lanes::<L>(from)
            .and_then(|k| self.data.get(k.wrapping_sub(self.base)..)?.first_chunk());
        let spare;
        *match found {
            Some(lanes) => lanes,
            None => {
                spare = partial_lanes(self, from);
                &spare
            }
        }
    }

    #[inline(always)]
    fn put_lanes<I: Isa, const L: usize>(&mut self, from: [i32; N], values: [T; L]) {
        let base = self.base;
        let found = self
            .shape
            .lanes::<L>(from)
            .and_then(|k| self.data.get_mut(k.wrapping_sub(base)..)?.first_chunk_mut());
        match found {
            Some(lanes) => *lanes = values,
            None => {
                let mut band = Band { data: &mut *self.data, base, shape: self.shape };
                put_partial_lanes(&mut band, from, &{ values });
            }
        }
    }

    #[inline(always)]
    fn put(&mut self, index: [i32; N], value: T) {
        let Some(k) = self.shape.offset::<Safe>(index) else { return };
        if let Some(element) = self.data.get_mut(k.wrapping_sub(self.base)) {
            *element = value;
        }
    }

    #[inline(always)]
    fn try_put(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) -> bool {
        let Some(k) = self.shape.inside(index) else {
            self.shape.outside(index, fault, site);
            return false;
        };
        if let Some(element) = self.data.get_mut(k.wrapping_sub(self.base)) {
            *element = value;
        }
        true
    }

    #[inline(always)]
    fn update(&mut self, index: [i32; N], change: impl Fn(T) -> T) -> (T, T) {
        let base = self.base;
        match self.shape.offset::<Safe>(index).and_then(|k| self.data.get_mut(k.wrapping_sub(base))) {
            Some(element) => {
                let old = *element;
                *element = change(old);
                (old, *element)
            }
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
        if self.shape.inside(index).is_none() {
            self.shape.outside(index, fault, site);
            return None;
        }
        Some(self.update(index, change))
    }
}

impl<T: Send, const N: usize> Part for Band<'_, T, N> {
    fn bytes(&self) -> usize {
        size_of_val(self.data)
    }

    fn split(self, cut: &[i32]) -> (Self, Self) {
        let end = self.base + self.data.len();
        let at = self.shape.lower_bound(cut).clamp(self.base, end);
        let (first, second) = self.data.split_at_mut(at - self.base);
        (
            Band { data: first, base: self.base, shape: self.shape },
            Band { data: second, base: at, shape: self.shape },
        )
    }
}
