//! The extents of an array, without an allocation.

use crate::error::{Error, Place, Result};
use std::fmt;

/// No array has more dimensions than this.
pub const MAX_DIMS: usize = 16;

/// The extents of an array: 1 to 16 of them, whose product is a number of elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    rank: u8,
    extents: [usize; MAX_DIMS],
    count: usize,
}

impl Shape {
    /// Checks extents. No extents at all mean one element.
    pub fn new(dims: &[usize]) -> Result<Shape> {
        let dims = if dims.is_empty() { &[1] } else { dims };
        let mut extents = [1; MAX_DIMS];
        let Some(target) = extents.get_mut(..dims.len()) else {
            return Err(Error::TooManyDimensions { place: Place::UNKNOWN, count: dims.len() });
        };
        target.copy_from_slice(dims);
        let count = if dims.contains(&0) {
            0
        } else {
            dims.iter()
                .try_fold(1usize, |product, &n| product.checked_mul(n))
                .filter(|&count| count <= isize::MAX as usize)
                .ok_or_else(|| Error::out_of_memory(None, dims))?
        };
        Ok(Shape { rank: dims.len() as u8, extents, count })
    }

    /// A vec.
    pub fn vector(len: usize) -> Shape {
        let mut extents = [1; MAX_DIMS];
        extents[0] = len;
        Shape { rank: 1, extents, count: len }
    }

    /// The shape of elements that exist, so that their number is known to be a number; at most 6 extents.
    pub(crate) fn small<const N: usize>(dims: [usize; N]) -> Shape {
        const { assert!(N >= 1 && N <= 6) };
        let mut extents = [1; MAX_DIMS];
        for (extent, n) in extents.iter_mut().zip(dims) {
            *extent = n;
        }
        Shape { rank: N as u8, extents, count: if dims.contains(&0) { 0 } else { dims.iter().product() } }
    }

    /// The extents.
    pub fn dims(&self) -> &[usize] {
        self.extents.get(..usize::from(self.rank)).unwrap_or(&[])
    }

    /// The number of elements.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The extent of dimension `k`; 1 beyond the last.
    pub fn extent(&self, k: usize) -> usize {
        self.extents.get(k).copied().unwrap_or(1)
    }

    /// The place of an element in row-major order; none outside.
    ///
    /// A vec may be indexed as one row, and dimensions beyond the last by 0.
    pub fn offset(&self, index: &[i64]) -> Option<usize> {
        let rank = usize::from(self.rank);
        let index = match index {
            [row, rest @ ..] if rank == 1 && !rest.is_empty() => {
                if *row != 0 {
                    return None;
                }
                rest
            }
            other => other,
        };
        let (inside, beyond) = index.split_at_checked(rank)?;
        if beyond.iter().any(|&i| i != 0) {
            return None;
        }
        inside.iter().zip(self.dims()).try_fold(0usize, |offset, (&i, &extent)| {
            let i = usize::try_from(i).ok().filter(|&i| i < extent)?;
            Some(offset * extent + i)
        })
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, extent) in self.dims().iter().enumerate() {
            let separator = if k == 0 { "" } else { "x" };
            write!(f, "{separator}{extent}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_beyond_the_last_are_one() {
        let shape = Shape::new(&[3, 4]).unwrap();
        assert_eq!((shape.extent(0), shape.extent(1), shape.extent(2), shape.extent(99)), (3, 4, 1, 1));
        assert_eq!(shape.to_string(), "3x4");
        assert_eq!(Shape::new(&[]).unwrap().dims(), [1]);
    }

    #[test]
    fn impossible_sizes_are_errors() {
        assert!(matches!(Shape::new(&[1; 17]), Err(Error::TooManyDimensions { count: 17, .. })));
        assert!(matches!(Shape::new(&[usize::MAX, 2]), Err(Error::OutOfMemory { bytes: None, .. })));
        assert_eq!(Shape::new(&[usize::MAX, 0, 7]).unwrap().count(), 0);
        assert_eq!(Shape::new(&[1; 16]).unwrap().dims().len(), 16);
    }

    #[test]
    fn offsets_are_row_major() {
        let shape = Shape::new(&[2, 3, 4]).unwrap();
        assert_eq!(shape.offset(&[1, 2, 3]), Some(23));
        assert_eq!(shape.offset(&[1, 2, 3, 0]), Some(23));
        assert_eq!(shape.offset(&[1, 2, 3, 1]), None);
        assert_eq!(shape.offset(&[1, 3, 0]), None);
        assert_eq!(shape.offset(&[0, -1, 0]), None);
        assert_eq!(shape.offset(&[1, 2]), None);
        let row = Shape::vector(5);
        assert_eq!((row.offset(&[4]), row.offset(&[0, 4]), row.offset(&[1, 0])), (Some(4), Some(4), None));
    }
}
