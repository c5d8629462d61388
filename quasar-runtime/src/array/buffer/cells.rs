//! Elements that one thread reaches by several names.

use super::{Access, Buffer, Element, Hold, HostCopy, Ordering, Place, Result, deferred_errors};
use crate::array::CopySet;
use quasar_devicelib::kernel::{Atomic, Cells};
use std::fmt;

/// The elements of an array on the host, for a thread that may have them by several names. Others wait until all its guards are
/// dropped; while the thread only reads, others may read as well.
pub struct CellsGuard<'a, T> {
    buffer: &'a Buffer<T>,
    writable: bool,
    _hold: Hold<'a>,
}

impl<T: Element> Buffer<T> {
    /// The elements on the host, for an access that has begun together with others to the same elements.
    pub(in crate::array) fn cells_held<'a>(&'a self, hold: Hold<'a>) -> Result<CellsGuard<'a, T>> {
        let writable = hold.check_aliased(&self.lock)?;
        if writable {
            self.check_changeable(Access::Write)?;
            deferred_errors::settle()?;
            if self.valid.load(Ordering::Acquire) != CopySet::only(Place::Host).bits() {
                self.fetch(Access::Write)?;
            }
        } else if !self.valid().contains(Place::Host) {
            self.fetch(Access::Read)?;
        }
        Ok(CellsGuard { buffer: self, writable, _hold: hold })
    }
}

impl<T: Atomic> CellsGuard<'_, T> {
    /// The elements as an array with these extents.
    pub fn view<const N: usize>(&self, extents: &[usize]) -> Cells<'_, T, N> {
        let host = self.buffer.host.get();
        let (elements, count) = match self.writable {
            // SAFETY: the access is exclusive, so only guards of this thread reach the copy, each for this moment; none of them
            // makes a reference to elements.
            true => unsafe { (*host).as_mut() }.map_or((std::ptr::null_mut(), 0), HostCopy::raw_elements),
            // SAFETY: the access is shared and the copy is valid, so nobody has `&mut` to it.
            false => unsafe { (*host).as_ref() }.map_or((std::ptr::null_mut(), 0), |copy| {
                (copy.as_slice().as_ptr().cast_mut(), copy.as_slice().len())
            }),
        };
        let elements = if count == 0 { std::ptr::NonNull::dangling().as_ptr() } else { elements };
        // SAFETY: they stay there as long as the access, which this guard has. If it is exclusive, only guards like this one reach
        // them; otherwise everybody reads.
        unsafe { Cells::of_elements(elements, count, self.writable, extents) }
    }
}

impl<T> fmt::Debug for CellsGuard<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CellsGuard").field("writable", &self.writable).finish_non_exhaustive()
    }
}
