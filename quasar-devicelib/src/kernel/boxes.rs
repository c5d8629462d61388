//! Boxes of elements: all elements of an array whose first index is that of a position, taken whole.

use super::disjoint_rows::Band;
use super::view::View;
use crate::element::Element;
use std::ops::Range;

/// Keeps the compiler from doing several iterations of a loop together: what is apart would be gathered and scattered, which costs
/// more than the vectors spare.
#[inline(always)]
pub fn one_by_one() {
    std::hint::black_box(());
}

/// The numbers of elements of boxes of `E` elements.
fn elements_of<const E: usize>(positions: Range<i32>) -> Option<Range<usize>> {
    let (first, end) = (usize::try_from(positions.start).ok()?, usize::try_from(positions.end).ok()?);
    Some(first.checked_mul(E)?..end.checked_mul(E)?)
}

impl<'a, T: Element, const N: usize, const PART: bool> View<'a, T, N, PART> {
    /// The boxes of these positions, if the array has all of them.
    #[inline(always)]
    pub fn boxes<const E: usize>(&self, positions: Range<i32>) -> Option<&'a [[T; E]]> {
        let boxes = self.elements().get(elements_of::<E>(positions)?)?.as_chunks().0;
        (!PART).then_some(boxes)
    }
}

impl<T, const N: usize> Band<'_, T, N> {
    /// The boxes of these positions, if this part of the array has all of them.
    #[inline(always)]
    pub fn boxes_mut<const E: usize>(&mut self, positions: Range<i32>) -> Option<&mut [[T; E]]> {
        let all = elements_of::<E>(positions)?;
        let (first, end) = (all.start.checked_sub(self.base)?, all.end.checked_sub(self.base)?);
        Some(self.data.get_mut(first..end)?.as_chunks_mut().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_those_of_positions() {
        let numbers: Vec<i32> = (0..24).collect();
        let view = View::<i32, 3>::new(&numbers, &[4, 2, 3]);
        let boxes = view.boxes::<6>(1..3).expect("two boxes");
        assert_eq!(boxes, [[6, 7, 8, 9, 10, 11], [12, 13, 14, 15, 16, 17]]);
        assert!(view.boxes::<6>(1..5).is_none() && view.boxes::<6>(-1..2).is_none());
    }

    #[test]
    fn parts_of_arrays_have_their_own_boxes() {
        let mut numbers: Vec<i32> = (0..24).collect();
        let whole = Band::<i32, 3>::new(&mut numbers, &[4, 2, 3]);
        let (mut a, mut b) = super::super::part::Part::split(whole, &[2]);
        assert!(a.boxes_mut::<6>(0..3).is_none() && b.boxes_mut::<6>(1..3).is_none());
        b.boxes_mut::<6>(2..4).expect("two boxes")[1][5] = -1;
        assert_eq!(a.boxes_mut::<6>(0..2).map(|boxes| boxes.len()), Some(2));
        assert_eq!(numbers[23], -1);
    }
}
