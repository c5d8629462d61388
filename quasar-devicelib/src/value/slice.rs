//! Slices whose positions lie evenly, which threads copy and devices move.

use super::array::{ArrayElement, DataMut, DataRef, for_elements};
use super::index::{Access, Index, even_slice};
use super::rearrange::Axis;
use super::workers::{Workers, each, share};

/// A slice whose positions along each dimension lie evenly: where they are, for those who move elements themselves.
pub struct Slice {
    /// The number of the first element, from which distances are counted.
    pub first: usize,
    /// The distances of the others along each dimension.
    pub axes: Vec<Axis>,
    /// The dimensions of the slice.
    pub dims: Vec<usize>,
}

/// Elements that are worth a part of their own.
const GRAIN: usize = 1 << 15;

impl Slice {
    /// The slice of an array of these dimensions that is read; nothing for single elements, other positions, and wrong ones.
    pub fn new(dims: &[usize], indices: &[Index], access: Access<'_>) -> Option<Slice> {
        even_slice(dims, indices, access, false)
    }

    /// The same of one that is written.
    pub fn written(dims: &[usize], indices: &[Index], access: Access<'_>) -> Option<Slice> {
        even_slice(dims, indices, access, true)
    }

    /// How many elements it has.
    pub fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.count).product()
    }

    /// Copies the elements of an array to one of the dimensions of the slice, by several threads. Returns whether both hold
    /// elements of one type, and as many as there are.
    pub fn copy(&self, workers: &dyn Workers, source: DataRef<'_>, target: DataMut<'_>) -> bool {
        fn typed<T: ArrayElement>(
            slice: &Slice,
            workers: &dyn Workers,
            source: DataRef<'_>,
            y: &mut [T],
        ) -> bool {
            T::slice(source).is_some_and(|x| slice.copy_elements(workers, x, y))
        }
        for_elements!(target, DataMut, y => typed(self, workers, source, y), _y => false)
    }

    fn copy_elements<T: Copy + Send + Sync>(&self, workers: &dyn Workers, x: &[T], y: &mut [T]) -> bool {
        let (first, axes) = self.joined();
        let [leading @ .., (row, step)] = &axes[..] else { return false };
        if y.len() != self.count() || self.farthest() >= x.len() {
            return y.is_empty();
        }
        let range = share(workers, y.len(), GRAIN);
        let parts: Vec<(usize, &mut [T])> =
            y.chunks_mut(range).enumerate().map(|(k, y)| (k * range, y)).collect();
        each(workers, parts, &|(mut at, mut y): (usize, &mut [T])| {
            while !y.is_empty() {
                let (number, column) = (at / row, at % row);
                let now = (row - column).min(y.len());
                let (now, rest) = std::mem::take(&mut y).split_at_mut(now);
                let mut from = first.wrapping_add_signed(step * column as isize);
                let mut left = number;
                for (count, step) in leading.iter().rev() {
                    from = from.wrapping_add_signed(step * (left % count) as isize);
                    left /= count;
                }
                copy_row(x, now, from, *step);
                at += now.len();
                y = rest;
            }
        });
        true
    }

    /// The number of the element farthest from the beginning of the array.
    fn farthest(&self) -> usize {
        self.first + self.axes.iter().map(|axis| axis.count.saturating_sub(1) * axis.step).sum::<usize>()
    }

    /// The first element, and the counts and distances of all dimensions, those together that are one.
    fn joined(&self) -> (usize, Vec<(usize, isize)>) {
        let backward = self.axes.iter().filter(|axis| axis.reversed);
        let first = self.first + backward.map(|axis| axis.count.saturating_sub(1) * axis.step).sum::<usize>();
        let mut joined: Vec<(usize, isize)> = Vec::new();
        for axis in &self.axes {
            let step = if axis.reversed { -(axis.step as isize) } else { axis.step as isize };
            match joined.last_mut() {
                Some((count, apart)) if *count == 1 || *apart == step * axis.count as isize => {
                    (*count, *apart) = (*count * axis.count, step);
                }
                _ => joined.push((axis.count, step)),
            }
        }
        (first, joined)
    }
}

/// Fills a row with elements that lie evenly from one of them on, all inside.
fn copy_row<T: Copy>(x: &[T], y: &mut [T], from: usize, step: isize) {
    let long = y.len().saturating_sub(1) * step.unsigned_abs();
    match step {
        1 => y.copy_from_slice(&x[from..][..y.len()]),
        0.. => {
            y.iter_mut().zip(x[from..].iter().step_by(step.unsigned_abs().max(1))).for_each(|(y, x)| *y = *x)
        }
        -1 => y.iter_mut().zip(x[from - long..=from].iter().rev()).for_each(|(y, x)| *y = *x),
        _ => {
            let back = x[from - long..=from].iter().rev().step_by(step.unsigned_abs());
            y.iter_mut().zip(back).for_each(|(y, x)| *y = *x);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::workers::Caller;
    use super::*;

    fn range(from: i64, step: i64, to: i64) -> Index {
        Index::range(from, step, to).unwrap()
    }

    /// The elements of a slice of an array whose elements are their numbers.
    fn taken(dims: &[usize], indices: &[Index]) -> Vec<i32> {
        let x: Vec<i32> = (0..dims.iter().product::<usize>() as i32).collect();
        let slice = Slice::new(dims, indices, Access::default()).unwrap();
        let mut y = vec![-1; slice.count()];
        assert!(slice.copy(&Caller, i32::view(&x), i32::view_mut(&mut y)));
        y
    }

    #[test]
    fn elements_come_in_the_order_of_the_ranges() {
        assert_eq!(taken(&[6], &[range(5, -1, 0)]), [5, 4, 3, 2, 1, 0]);
        assert_eq!(taken(&[6], &[range(4, -2, 0)]), [4, 2, 0]);
        assert_eq!(taken(&[3, 4], &[range(2, -2, 0), range(1, 2, 3)]), [9, 11, 1, 3]);
        assert_eq!(taken(&[3, 4], &[Index::All, Index::At(2)]), [2, 6, 10]);
        assert_eq!(taken(&[3, 4], &[range(1, 1, 2), Index::All]), [4, 5, 6, 7, 8, 9, 10, 11]);
        assert_eq!(
            taken(&[2, 2, 2], &[range(1, -1, 0), Index::All, range(1, -1, 0)]),
            [5, 4, 7, 6, 1, 0, 3, 2]
        );
        assert_eq!(taken(&[6], &[range(3, 1, 2)]), [0; 0]);
    }

    #[test]
    fn long_slices_are_cut_in_parts() {
        let n = 3 * GRAIN as i64 + 5;
        let back = taken(&[n as usize], &[range(n - 1, -1, 0)]);
        assert!(back.iter().rev().enumerate().all(|(k, &x)| x == k as i32));
        let rows = taken(&[1000, 200], &[range(998, -3, 2), range(3, 2, 199)]);
        let want = (2..999).rev().step_by(3).flat_map(|r| (3..200).step_by(2).map(move |c| r * 200 + c));
        assert!(rows.iter().copied().eq(want));
    }
}
