//! Sorts and medians of arrays that a thread of a CPU kernel allocates.

use super::access::Access;
use super::fault::{Fault, Site};
use super::heap::{Heap, no_room};
use crate::element::{Overflow, Scalar};
use crate::ops::convert_scalar;
use crate::value::order::{self, Ordered};
use std::cell::Cell;

impl<T: Ordered> Heap<T, 1> {
    /// The elements in ascending order, NaN last, in an array of its own. If there is no memory, that is a fault.
    pub fn sort(&self, fault: &Fault, site: Site) -> Self {
        let sorted = Heap::uninit([self.count()], fault, site);
        let elements = self.elements().iter().map(Cell::get);
        let found = order::with_sorted_keys(elements, |keys| {
            let places = sorted.elements().iter().zip(keys);
            places.for_each(|(cell, key)| cell.set(T::of_key(*key)));
        });
        if found.is_none() {
            no_room(fault, site, &[self.count()]);
        }
        sorted
    }

    /// The middle of the ascending order, or the mean of the two there; NaN of no elements. If there is no memory, that is a fault.
    pub fn median(&self, fault: &Fault, site: Site) -> T {
        let Some(middle) = order::median(self.elements().iter().map(Cell::get)) else {
            no_room(fault, site, &[self.count()]);
            return T::default();
        };
        let middle = convert_scalar(Scalar::F64(middle), T::TYPE, Overflow::Wrap);
        middle.ok().and_then(T::from_scalar).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::mode::Safe;

    fn heap(x: &[f32]) -> Heap<f32, 1> {
        let mut made = Heap::zeros([x.len() as i32], &Fault::new(), ("x", 1));
        x.iter().enumerate().for_each(|(k, x)| made.put([k as i32], *x));
        made
    }

    #[test]
    fn sorted_elements_are_others() {
        let (fault, x) = (Fault::new(), heap(&[2.0, f32::NAN, -1.0, 0.5]));
        let y = x.sort(&fault, ("x", 2));
        let y: Vec<_> = (0..4).map(|k| y.get::<Safe>([k])).collect();
        assert_eq!((&y[..3], y[3].is_nan()), (&[-1.0, 0.5, 2.0][..], true));
        assert_eq!(x.get::<Safe>([0]), 2.0, "the array itself stays");
        assert!(!fault.is_set());
    }

    #[test]
    fn many_elements_are_sorted_by_digits() {
        let fault = Fault::new();
        let all: Vec<f32> = (0..3000).map(|k| (k * 7919 % 3001) as f32 - 1500.0).collect();
        let y = heap(&all).sort(&fault, ("x", 2));
        assert!((1..3000).all(|k| y.get::<Safe>([k - 1]) < y.get::<Safe>([k])));
    }

    #[test]
    fn medians_are_those_of_the_library() {
        let fault = Fault::new();
        let of = |x: &[f32]| heap(x).median(&fault, ("x", 3));
        assert_eq!((of(&[3.0, 1.0, 2.0]), of(&[4.0, 1.0, 2.0, 3.0])), (2.0, 2.5));
        let many: Vec<f32> = (0..101).rev().map(|k| k as f32).collect();
        assert_eq!((of(&many), of(&[]).is_nan(), of(&[f32::INFINITY; 2])), (50.0, true, f32::INFINITY));
    }
}
