//! Dynamically sized arrays that a thread of a CPU kernel allocates.

use super::access::Access;
use super::fault::{Fault, FaultKind, Site};
use super::mode::Mode;
use super::shape::Shape;
use crate::element::Element;
use std::cell::Cell;
use std::rc::Rc;

/// An array of rank `N`; clones alias the elements.
#[derive(Clone, Debug)]
pub struct Heap<T: Copy, const N: usize> {
    data: Rc<Vec<Cell<T>>>,
    shape: Shape<N>,
}

impl<T: Copy, const N: usize> Default for Heap<T, N> {
    fn default() -> Self {
        Heap { data: Rc::default(), shape: Shape { dims: [0; N], strides: [0; N] } }
    }
}

impl<T: Element, const N: usize> Heap<T, N> {
    /// A zeroed array. If the allocation fails, that is a fault, and the array is empty.
    pub fn zeros(dims: [i32; N], fault: &Fault, site: Site) -> Self {
        let extents = dims.map(|n| usize::try_from(n).unwrap_or(0));
        let count = extents.iter().try_fold(1_usize, |count, &n| count.checked_mul(n));
        let count = count.filter(|&n| i32::try_from(n).is_ok());
        let mut data = Vec::new();
        match count {
            Some(count) if data.try_reserve_exact(count).is_ok() => {
                data.resize(count, Cell::new(T::default()));
                Heap { data: Rc::new(data), shape: Shape::exact(extents) }
            }
            _ => {
                let size: Vec<_> = dims.iter().map(i32::to_string).collect();
                let text = format!("out of dynamic memory: no room for an array of size {}", size.join("x"));
                fault.raise(site, FaultKind::Error(text));
                Heap::default()
            }
        }
    }

    /// The same elements with other extents; empty if their number differs.
    pub fn reshaped<const M: usize>(&self, dims: [i32; M]) -> Heap<T, M> {
        let shape = Shape::exact(dims.map(|n| usize::try_from(n).unwrap_or(0)));
        match shape.count() == self.data.len() {
            true => Heap { data: self.data.clone(), shape },
            false => Heap::default(),
        }
    }

    fn cell(&self, index: [i32; N]) -> Option<&Cell<T>> {
        self.data.get(self.shape.inside(index)?)
    }
}

impl<T: Element, const N: usize> Access<T, N> for Heap<T, N> {
    #[inline(always)]
    fn extent(&self, axis: usize) -> i32 {
        self.shape.extent(axis)
    }

    #[inline(always)]
    fn count(&self) -> i32 {
        self.data.len() as i32
    }

    #[inline(always)]
    fn get<M: Mode>(&self, index: [i32; N]) -> T {
        let cell = match M::FOLDS {
            true => self.shape.offset::<M>(index).and_then(|k| self.data.get(k)),
            false => self.cell(index),
        };
        cell.map(Cell::get).unwrap_or_default()
    }

    #[inline(always)]
    fn try_get(&self, index: [i32; N], fault: &Fault, site: Site) -> Option<T> {
        let cell = self.cell(index);
        if cell.is_none() {
            self.shape.outside(index, fault, site);
        }
        cell.map(Cell::get)
    }

    #[inline(always)]
    fn put(&mut self, index: [i32; N], value: T) {
        if let Some(cell) = self.cell(index) {
            cell.set(value);
        }
    }

    #[inline(always)]
    fn try_put(&mut self, index: [i32; N], value: T, fault: &Fault, site: Site) -> bool {
        let cell = self.cell(index);
        match cell {
            Some(cell) => cell.set(value),
            None => self.shape.outside(index, fault, site),
        }
        cell.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::super::mode::{Circular, Mirror, Safe};
    use super::*;

    #[test]
    fn copies_are_other_names() {
        let fault = Fault::new();
        let a: Heap<f32, 2> = Heap::zeros([2, 3], &fault, ("a", 1));
        let (mut b, mut row) = (a.clone(), a.reshaped([6]));
        b.put([1, 0], 5.0);
        assert_eq!((a.get::<Safe>([1, 0]), row.get::<Safe>([3]), row.extent(0)), (5.0, 5.0, 6));
        assert_eq!(
            (a.get::<Circular>([-1, 3]), a.get::<Mirror>([2, 0]), a.get::<Safe>([2, 0])),
            (5.0, 5.0, 0.0)
        );
        assert_eq!(row.update([3], |x| x + 1.0), (5.0, 6.0));
        assert_eq!(a.reshaped([5]).count(), 0, "other elements than there are");
        assert!(!fault.is_set());
    }

    #[test]
    fn there_is_an_end_to_memory() {
        let fault = Fault::new();
        let none: Heap<f64, 3> = Heap::zeros([2_000_000, 2_000_000, 1], &fault, ("a", 7));
        assert_eq!((none.count(), none.extent(0)), (0, 0));
        let report = fault.into_report().unwrap();
        let text = "out of dynamic memory: no room for an array of size 2000000x2000000x1";
        assert_eq!((report.kind, report.line), (FaultKind::Error(text.to_owned()), 7));
    }
}
