//! Extents, strides and index arithmetic of an array of static rank.

use super::fault::{Fault, Site};
use super::mode::Mode;

/// Row-major extents and strides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape<const N: usize> {
    pub(crate) dims: [i32; N],
    pub(crate) strides: [usize; N],
}

/// Maximum rank of an array.
const MAX_RANK: usize = 16;

#[cold]
#[inline(never)]
fn report(
    fault: &Fault,
    array: &'static str,
    line: u32,
    rank: usize,
    index: &[i32; MAX_RANK],
    dims: &[i32; MAX_RANK],
) {
    fault.out_of_bounds((array, line), &index[..rank], &dims[..rank]);
}

impl<const N: usize> Shape<N> {
    /// The shape of an array with `len` elements. Fewer extents than `N` are extended: a vector becomes one row, others
    /// get trailing ones; surplus extents must be 1 and are dropped.
    pub(crate) fn new(extents: &[usize], len: usize) -> Shape<N> {
        let mut dims = [1_i32; N];
        let shift = usize::from(extents.len() == 1 && N > 1);
        for (k, &extent) in extents.iter().enumerate() {
            if k + shift < N {
                dims[k + shift] = i32::try_from(extent).unwrap_or(i32::MAX);
            } else {
                assert!(extent == 1, "an array of {} dimensions cannot be seen with {N}", extents.len());
            }
        }
        let mut strides = [1_usize; N];
        for k in (1..N).rev() {
            strides[k - 1] = strides[k].wrapping_mul(dims[k] as usize);
        }
        let shape = Shape { dims, strides };
        // Later accesses are unchecked, so the product must not wrap.
        let product = |count: usize, n: &i32| count.checked_mul(*n as usize);
        let count = if dims.contains(&0) { Some(0) } else { dims.iter().try_fold(1, product) };
        assert!(count == Some(len), "the extents {extents:?} do not describe {len} elements");
        shape
    }

    /// The shape with exactly these extents.
    #[inline(always)]
    pub(crate) fn exact(extents: [usize; N]) -> Shape<N> {
        let mut strides = [1_usize; N];
        for k in (1..N).rev() {
            strides[k - 1] = strides[k].wrapping_mul(extents[k]);
        }
        Shape { dims: extents.map(|n| n as i32), strides }
    }

    /// The number of elements.
    pub(crate) fn count(&self) -> usize {
        self.strides[0] * self.dims[0] as usize
    }

    /// The extent of a dimension; 1 beyond the last.
    #[inline(always)]
    pub(crate) fn extent(&self, axis: usize) -> i32 {
        self.dims.get(axis).copied().unwrap_or(1)
    }

    /// The offset of an element; `None` if the mode maps an index to no element.
    #[inline(always)]
    pub(crate) fn offset<M: Mode>(&self, index: [i32; N]) -> Option<usize> {
        let mut offset = 0_usize;
        let mut outside = 0;
        for (k, at) in index.into_iter().enumerate() {
            let i = M::map(at, self.dims[k]);
            outside |= i;
            // The last stride is one.
            let step = if k == N - 1 { 1 } else { self.strides[k] };
            offset = offset.wrapping_add((i as usize).wrapping_mul(step));
        }
        if outside < 0 { None } else { Some(offset) }
    }

    /// The offset of an element, less than the number of elements; `None` out of range. A single comparison, whose
    /// loop-invariant part can be hoisted.
    #[inline(always)]
    pub(crate) fn inside(&self, index: [i32; N]) -> Option<usize> {
        // Extents are non-negative. A row out of range is treated as having width zero.
        let mut width = self.dims[N - 1] as u32;
        let mut offset = index[N - 1] as usize;
        for (k, i) in index.into_iter().enumerate().take(N - 1) {
            if i as u32 >= self.dims[k] as u32 {
                width = 0;
            }
            offset = offset.wrapping_add((i as usize).wrapping_mul(self.strides[k]));
        }
        if (index[N - 1] as u32) < width { Some(offset) } else { None }
    }

    /// The offset of an element whose indices are all in range; any number else.
    #[inline(always)]
    pub(crate) fn place(&self, index: [i32; N]) -> usize {
        let mut offset = index[N - 1] as usize;
        for (k, i) in index.into_iter().enumerate().take(N - 1) {
            offset = offset.wrapping_add((i as usize).wrapping_mul(self.strides[k]));
        }
        offset
    }

    /// The offset of the first of `L` elements along the last dimension; `None` where one is out of range.
    #[inline(always)]
    pub(crate) fn lanes<const L: usize>(&self, from: [i32; N]) -> Option<usize> {
        let last = i64::from(from[N - 1]) + L as i64;
        self.inside(from).filter(|_| last <= i64::from(self.dims[N - 1]))
    }

    /// Raises an index out of range.
    #[inline(always)]
    pub(crate) fn outside(self, index: [i32; N], fault: &Fault, site: Site) {
        // Arrays wider than a vector register: the optimiser would keep two indices packed in one through loops and
        // unpack them for each use.
        let (mut wide, mut dims) = ([0_i32; MAX_RANK], [0_i32; MAX_RANK]);
        let n = N.min(MAX_RANK);
        wide[..n].copy_from_slice(&index[..n]);
        dims[..n].copy_from_slice(&self.dims[..n]);
        report(fault, site.0, site.1, n, &wide, &dims);
    }

    /// The offset of the first element, in row-major order, whose leading indices are not before `position`. A position
    /// outside the array counts as the end of the dimension in which it leaves.
    pub(crate) fn lower_bound(&self, position: &[i32]) -> usize {
        let mut offset = 0_usize;
        for (k, &i) in position.iter().enumerate().take(N) {
            let i = i.max(0);
            if i >= self.dims[k] {
                return offset + self.dims[k] as usize * self.strides[k];
            }
            offset += i as usize * self.strides[k];
        }
        offset
    }
}
