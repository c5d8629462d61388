//! Read-only array arguments of kernels.

use super::access::{Access, partial_lanes};
use super::fault::{Fault, Site};
use super::gather::Along;
use super::mode::Mode;
use super::part::Part;
use super::shape::Shape;
use crate::element::Element;
use crate::isa::Isa;

/// A read-only array of rank `N`. If `PART`, only some of its rows may be there, as in a line buffer; the others have no elements.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, T, const N: usize, const PART: bool = false> {
    data: &'a [T],
    /// The offset of the first element that is there; 0 unless `PART`.
    base: usize,
    shape: Shape<N>,
}

/// An array of which only some rows may be there.
pub type Rows<'a, T, const N: usize> = View<'a, T, N, true>;

impl<'a, T: Element, const N: usize> View<'a, T, N> {
    /// A view of `data` with these extents; fewer than `N` are extended (a vector becomes one row).
    pub fn new(data: &'a [T], extents: &[usize]) -> Self {
        View { data, base: 0, shape: Shape::new(extents, data.len()) }
    }

    /// A view of `data` with this shape.
    ///
    /// # Safety
    ///
    /// The shape has as many elements as `data`.
    #[inline(always)]
    pub(super) unsafe fn of_shape(data: &'a [T], shape: Shape<N>) -> Self {
        View { data, base: 0, shape }
    }
}

impl<'a, T: Element, const N: usize> View<'a, T, N> {
    /// The same array, for code that can do without some rows.
    #[inline(always)]
    pub fn as_rows(self) -> Rows<'a, T, N> {
        View { data: self.data, base: 0, shape: self.shape }
    }
}

impl<'a, T: Element, const N: usize> Rows<'a, T, N> {
    /// All rows of an array with these extents.
    pub fn all(data: &'a [T], extents: &[usize]) -> Self {
        View { data, base: 0, shape: Shape::new(extents, data.len()) }
    }

    /// The rows of an array of this shape that begin with the element number `base`.
    #[inline(always)]
    pub(super) fn some(data: &'a [T], base: usize, shape: Shape<N>) -> Self {
        View { data, base, shape }
    }
}

impl<'a, T: Element, const N: usize, const PART: bool> View<'a, T, N, PART> {
    /// Where an element of this offset lies in the data, or outside of it. Without a test unless `PART`.
    #[inline(always)]
    fn place(&self, offset: usize) -> usize {
        if PART { offset.wrapping_sub(self.base) } else { offset }
    }

    /// The element at an offset inside of the shape; zero if its row is not there.
    #[inline(always)]
    fn element(&self, offset: usize) -> T {
        if PART {
            return self.data.get(self.place(offset)).copied().unwrap_or_default();
        }
        // SAFETY: an offset inside the shape is less than its number of elements, which is that of the data.
        unsafe { *self.data.get_unchecked(offset) }
    }

    /// All elements that are there, in row-major order.
    #[inline(always)]
    pub fn elements(&self) -> &'a [T] {
        self.data
    }

    /// Loads an element; sets `edge` if an index is out of range.
    #[inline(always)]
    pub fn probe(&self, index: [i32; N], edge: &mut bool) -> T {
        match self.shape.inside(index) {
            Some(k) => self.data.get(self.place(k)).copied().unwrap_or_default(),
            None => {
                *edge = true;
                T::default()
            }
        }
    }

    /// Whether all indices but the last are in range.
    #[inline(always)]
    pub fn has_row(&self, index: [i32; N]) -> bool {
        (0..N - 1).all(|k| index[k] >= 0 && index[k] < self.shape.dims[k])
    }

    /// The row selected by all indices but the last; `None` if the mode maps one of them to no element.
    #[inline(always)]
    pub(super) fn row<M: Mode>(&self, index: [i32; N]) -> Option<&'a [T]> {
        self.part::<M, 1>(index)
    }

    /// So many elements from an index on along the last dimension, if all of them are inside.
    #[inline(always)]
    pub(super) fn line<M: Mode>(&self, from: [i32; N], count: usize) -> Option<&'a [T]> {
        self.row::<M>(from)?.get(usize::try_from(from[N - 1]).ok()?..)?.get(..count)
    }

    /// The elements of `L` lines of `count` elements along the last dimension, the first and the last of which begin at these indices, and
    /// how far apart the lines are, if that is the same for all and everything is inside.
    #[inline(always)]
    pub(super) fn even<const L: usize>(
        &self,
        first: [i32; N],
        last: [i32; N],
        count: usize,
    ) -> Option<(&'a [T], usize)> {
        let end = count as i32 - 1;
        let at = |mut index: [i32; N], by: i32| {
            index[N - 1] = index[N - 1].wrapping_add(by);
            self.shape.inside(index)
        };
        // Indices grow evenly, so that what lies between these is inside as well.
        let (low, high) = (at(first, 0)?, at(last, end)?);
        at(first, end).and(at(last, 0))?;
        let distance = (high + 1).checked_sub(low + count)?;
        let data = self.data.get(self.place(low)..=self.place(high))?;
        Some((data, distance / (L - 1).max(1)))
    }

    /// The elements along the dimension `AXIS` that the other indices select; `None` if the mode maps one of them to no element.
    #[inline(always)]
    pub(super) fn line_of<M: Mode, const AXIS: usize>(&self, index: [i32; N]) -> Option<Along> {
        let mut offset = 0_usize;
        for (k, at) in index.into_iter().enumerate().filter(|(k, _)| *k != AXIS) {
            let i = M::map(at, self.shape.dims[k]);
            if i < 0 {
                return None;
            }
            offset += i as usize * self.shape.strides[k];
        }
        let stride = if AXIS == N - 1 { 1 } else { self.shape.strides[AXIS] };
        let offset = if PART { offset.checked_sub(self.base)? } else { offset };
        Some(Along { offset, count: self.shape.dims[AXIS], stride })
    }

    /// The elements of the last two dimensions that the other indices select; `None` if the mode maps one of them to no element.
    #[inline(always)]
    pub(super) fn plane<M: Mode>(&self, index: [i32; N]) -> Option<&'a [T]> {
        self.part::<M, 2>(index)
    }

    /// The elements of the last `D` dimensions.
    #[inline(always)]
    fn part<M: Mode, const D: usize>(&self, index: [i32; N]) -> Option<&'a [T]> {
        let mut offset = 0;
        for (k, at) in index.into_iter().take(N - D).enumerate() {
            let i = M::map(at, self.shape.dims[k]);
            if i < 0 {
                return None;
            }
            offset += i as usize * self.shape.strides[k];
        }
        let count = self.shape.dims[N - D..].iter().map(|&n| n as usize).product();
        self.data.get(self.place(offset)..)?.get(..count)
    }
}

impl<T: Element, const N: usize, const PART: bool> View<'_, T, N, PART> {
    /// The one of these elements at an offset, or the last one; zero if there is none. Without a branch, so that rows of positions
    /// gather.
    #[inline(always)]
    fn nearest(&self, data: &[T], offset: usize) -> T {
        // A constant in memory: a variable whose address is taken would keep the loop from being vectorised.
        let data = if data.is_empty() { &T::ZEROS[..1] } else { data };
        // SAFETY: the slice has an element, and the offset is at most that of the last one.
        unsafe { *data.get_unchecked(self.place(offset).min(data.len() - 1)) }
    }

    /// As [`Access::get`], with the elements as an argument: the compiler knows of arguments that nothing else writes them, which it
    /// does not know of a pointer in a structure, and gathers them in vectors then.
    #[inline(always)]
    pub fn get_in<M: Mode>(&self, data: &[T], index: [i32; N]) -> T {
        if M::FOLDS {
            // Folded indices are inside where there are elements at all.
            return self.nearest(data, self.shape.offset::<M>(index).unwrap_or(0));
        }
        match self.shape.inside(index) {
            Some(k) => self.nearest(data, k),
            None => T::default(),
        }
    }

    /// As [`Access::checked`], with the elements as an argument; the quick form notes an index out of range in `odd` instead of raising
    /// a fault.
    #[inline(always)]
    pub fn checked_or<const QUICK: bool>(
        &self,
        data: &[T],
        index: [i32; N],
        odd: &mut u32,
        fault: &Fault,
        site: Site,
    ) -> Option<T> {
        if !QUICK {
            return self.try_get(index, fault, site);
        }
        Some(self.checked_quick(data, index, odd))
    }

    /// The quick form of [`View::checked_or`].
    #[inline(always)]
    pub fn checked_quick(&self, data: &[T], index: [i32; N], odd: &mut u32) -> T {
        let mut offset = 0_usize;
        for (k, i) in index.into_iter().enumerate() {
            // The sign of one of them is set where the index is outside, which makes a large number.
            *odd = (*odd).max((i | (self.shape.dims[k] - 1).wrapping_sub(i)) as u32);
            let step = if k == N - 1 { 1 } else { self.shape.strides[k] };
            offset = offset.wrapping_add((i as usize).wrapping_mul(step));
        }
        self.nearest(data, offset)
    }
}

impl<T: Element, const N: usize, const PART: bool> Access<T, N> for View<'_, T, N, PART> {
    #[inline(always)]
    fn extent(&self, axis: usize) -> i32 {
        self.shape.extent(axis)
    }

    #[inline(always)]
    fn count(&self) -> i32 {
        // With this value the optimiser proves that loops up to it stay inside a vector.
        match (N, PART) {
            (1, _) => self.shape.dims[0],
            (_, false) => self.data.len() as i32,
            (_, true) => self.shape.count() as i32,
        }
    }

    #[inline(always)]
    fn get<M: Mode>(&self, index: [i32; N]) -> T {
        if M::FOLDS {
            return self.get_in::<M>(self.data, index);
        }
        match self.shape.inside(index) {
            Some(k) => self.element(k),
            None => T::default(),
        }
    }

    #[inline(always)]
    fn at(&self, index: [i32; N]) -> T {
        self.data.get(self.place(self.shape.place(index))).copied().unwrap_or_default()
    }

    #[inline(always)]
    fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T> {
        let Some(k) = self.shape.inside(index) else {
            self.shape.outside(index, fault, site);
            return None;
        };
        Some(self.element(k))
    }

    #[inline(always)]
    fn put(&mut self, _index: [i32; N], _value: T) {}

    #[inline(always)]
    fn lanes_at<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        let found = self.data.get(self.place(self.shape.place(from))..).and_then(|rest| rest.first_chunk());
        found.or(T::ZEROS.first_chunk()).copied().unwrap_or([T::default(); L])
    }

    #[inline(always)]
    fn get_lanes<I: Isa, const L: usize>(&self, from: [i32; N]) -> [T; L] {
        let found = self.shape.lanes::<L>(from).and_then(|k| self.data.get(self.place(k)..)?.first_chunk());
        let spare;
        *match found {
            Some(lanes) => lanes,
            None => {
                spare = partial_lanes(self, from);
                &spare
            }
        }
    }
}

impl<T: Sync, const N: usize, const PART: bool> Part for View<'_, T, N, PART>
where
    Self: Copy + Send,
{
    fn bytes(&self) -> usize {
        size_of_val(self.data)
    }

    fn split(self, _cut: &[i32]) -> (Self, Self) {
        (self, self)
    }
}
