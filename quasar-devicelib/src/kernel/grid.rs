//! Thread blocks of a launch: default and explicit block sizes, and the threads of a block.

use super::part::Part;
use std::fmt;

/// Maximum number of threads in a block.
pub const MAX_BLOCK: usize = 1024;

/// Maximum extents of a default block: along its last two dimensions, and in one dimension.
const DEFAULT_EXTENT: usize = 16;
const DEFAULT_LENGTH: usize = 256;

/// The default block: it divides the extents if possible.
pub fn default_block(dims: &[usize]) -> Vec<usize> {
    (0..dims.len()).map(|axis| default_extent(dims, axis)).collect()
}

fn default_extent(dims: &[usize], axis: usize) -> usize {
    let most = match dims.len() {
        1 => DEFAULT_LENGTH,
        rank if axis + 2 < rank => return 1,
        _ => DEFAULT_EXTENT,
    };
    let most_here = most.min(dims[axis]);
    let divisor = (1..=most_here).rev().find(|&b| dims[axis].is_multiple_of(b)).unwrap_or(1);
    if divisor * 2 >= most_here { divisor } else { most }
}

/// Why an explicit block size is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockError {
    /// A dimension is below 1.
    Empty,
    /// More than [`MAX_BLOCK`] threads.
    TooLarge(Vec<usize>),
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BlockError::Empty => f.write_str("each dimension of a block must be at least 1"),
            BlockError::TooLarge(block) => {
                let dims = crate::value::shape::dims_text(block);
                write!(f, "a block of {dims} threads is larger than the limit of {MAX_BLOCK}")
            }
        }
    }
}

impl std::error::Error for BlockError {}

/// Validates the extents of an explicit block.
pub fn explicit_block(block: &[i64]) -> Result<Vec<usize>, BlockError> {
    if block.iter().any(|&n| n <= 0) {
        return Err(BlockError::Empty);
    }
    let block: Vec<usize> = block.iter().map(|&n| n as usize).collect();
    match block.iter().try_fold(1usize, |count, &n| count.checked_mul(n)) {
        Some(count) if count <= MAX_BLOCK => Ok(block),
        _ => Err(BlockError::TooLarge(block)),
    }
}

/// The extents of a launch and of its blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid<const R: usize> {
    dims: [i32; R],
    block: [i32; R],
}

/// One thread of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane<const R: usize> {
    /// Its position in the launch.
    pub position: [i32; R],
    /// Its position in the block.
    pub block_position: [i32; R],
    /// Whether its position lies outside the launch: it takes part in barriers, but writes only its own variables and
    /// those of its block.
    pub shadow: bool,
}

/// The threads of a block along its last dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowOfThreads<const R: usize> {
    /// How many there are.
    pub threads: usize,
    /// How many of them are in the launch: the first ones.
    pub inside: usize,
    first: Lane<R>,
    number: usize,
}

impl<const R: usize> RowOfThreads<R> {
    /// The first of the threads in the launch whose last component of the position is in a range, and the one behind the last.
    #[inline(always)]
    pub fn between(&self, (from, to): (i32, i32)) -> (usize, usize) {
        let start = i64::from(self.first.position[R - 1]);
        let number = |column: i32| (i64::from(column) - start).clamp(0, self.inside as i64) as usize;
        (number(from), number(to))
    }

    /// The number of a thread in its block, and its place.
    #[inline(always)]
    pub fn thread(&self, at: usize) -> (usize, Lane<R>) {
        let mut lane = self.first;
        lane.position[R - 1] = lane.position[R - 1].saturating_add(at as i32);
        lane.block_position[R - 1] = at as i32;
        lane.shadow = at >= self.inside;
        (self.number + at, lane)
    }
}

impl<const R: usize> Grid<R> {
    /// With the default block size.
    pub fn new(dims: [i32; R]) -> Grid<R> {
        let sizes = dims.map(|n| n.max(0) as usize);
        let block = std::array::from_fn(|axis| default_extent(&sizes, axis).max(1) as i32);
        Grid { dims, block }
    }

    /// With an explicit block size.
    pub fn with_block(dims: [i32; R], block: [i32; R]) -> Result<Grid<R>, BlockError> {
        explicit_block(&block.map(i64::from)).map(|_| Grid { dims, block })
    }

    /// The extents of the launch.
    #[inline(always)]
    pub fn dims(&self) -> [i32; R] {
        self.dims
    }

    /// The extent of a block.
    #[inline(always)]
    pub fn block_dim(&self, axis: usize) -> i32 {
        self.block[axis]
    }

    /// The number of blocks along a dimension.
    #[inline(always)]
    pub fn block_count(&self, axis: usize) -> i32 {
        let (n, b) = (self.dims[axis].max(0), self.block[axis].max(1));
        n / b + i32::from(n % b != 0)
    }

    /// The block index of a position.
    #[inline(always)]
    pub fn block_index(&self, axis: usize, position: i32) -> i32 {
        position / self.block[axis].max(1)
    }

    /// The index of a position within its block.
    #[inline(always)]
    pub fn block_position(&self, axis: usize, position: i32) -> i32 {
        position % self.block[axis].max(1)
    }

    /// The number of blocks along each dimension; 0 along an empty dimension.
    pub fn block_counts(&self) -> [i32; R] {
        std::array::from_fn(|axis| self.block_count(axis))
    }

    /// The number of threads in a block.
    pub fn block_threads(&self) -> usize {
        self.block.iter().map(|&n| n as usize).product()
    }

    /// The threads of a block in row-major order.
    #[inline(always)]
    pub fn lanes(&self, block: [i32; R]) -> impl Iterator<Item = Lane<R>> + use<R> {
        let (grid, count) = (*self, self.block_threads());
        let mut next = [0; R];
        (0..count).map(move |_| {
            let at = next;
            for k in (0..R).rev() {
                next[k] += 1;
                if next[k] < grid.block[k] {
                    break;
                }
                next[k] = 0;
            }
            grid.lane(block, at)
        })
    }
}

impl<const R: usize> Grid<R> {
    /// The threads of a block, row by row.
    #[inline(always)]
    pub fn rows_of_threads(&self, block: [i32; R]) -> impl Iterator<Item = RowOfThreads<R>> + use<R> {
        let threads = self.block[R - 1].max(1) as usize;
        let (grid, rows) = (*self, self.block_threads() / threads);
        let mut next = [0; R];
        (0..rows).map(move |row| {
            let first = grid.lane(block, next);
            for k in (0..R - 1).rev() {
                next[k] += 1;
                if next[k] < grid.block[k] {
                    break;
                }
                next[k] = 0;
            }
            let left = i64::from(grid.dims[R - 1]) - i64::from(first.position[R - 1]);
            let inside = if first.shadow { 0 } else { left.clamp(0, threads as i64) as usize };
            RowOfThreads { threads, inside, first, number: row * threads }
        })
    }

    #[inline(always)]
    fn lane(&self, block: [i32; R], block_position: [i32; R]) -> Lane<R> {
        let place = |k: usize| block[k].wrapping_mul(self.block[k]).saturating_add(block_position[k]);
        let position: [i32; R] = std::array::from_fn(place);
        let shadow = (0..R).any(|k| position[k] >= self.dims[k]);
        Lane { position, block_position, shadow }
    }
}

impl<const R: usize> Part for Grid<R> {
    fn split(self, _cut: &[i32]) -> (Self, Self) {
        (self, self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_blocks_divide_where_possible() {
        assert_eq!(default_block(&[1000]), [250]);
        assert_eq!(default_block(&[1009]), [256]);
        assert_eq!(default_block(&[7]), [7]);
        assert_eq!(default_block(&[240, 320]), [16, 16]);
        assert_eq!(default_block(&[17, 4]), [16, 4]);
        assert_eq!(default_block(&[480, 640, 3]), [1, 16, 3]);
        assert_eq!(Grid::new([17, 4]), Grid::with_block([17, 4], [16, 4]).unwrap());
        assert_eq!(Grid::new([0, 4]).block_counts(), [0, 1]);
    }

    #[test]
    fn rows_of_threads_are_the_threads() {
        for (dims, block) in [([5, 7], [2, 4]), ([4, 8], [2, 4]), ([1, 3], [1, 1]), ([2, 9], [3, 1])] {
            let grid = Grid::with_block(dims, block).unwrap();
            for at in (0..grid.block_count(0)).flat_map(|y| (0..grid.block_count(1)).map(move |x| [y, x])) {
                let rows = grid.rows_of_threads(at);
                let threads = rows.flat_map(|row| (0..row.threads).map(move |at| row.thread(at)));
                assert_eq!(threads.collect::<Vec<_>>(), grid.lanes(at).enumerate().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn lanes_cover_the_launch_once() {
        let grid = Grid::with_block([5, 7], [2, 4]).unwrap();
        let mut seen = Vec::new();
        for y in 0..grid.block_count(0) {
            for x in 0..grid.block_count(1) {
                let lanes: Vec<_> = grid.lanes([y, x]).collect();
                assert_eq!(lanes.len(), 8);
                for lane in lanes.iter().filter(|lane| !lane.shadow) {
                    let p = lane.position;
                    assert_eq!([grid.block_index(0, p[0]), grid.block_index(1, p[1])], [y, x]);
                    let within = [grid.block_position(0, p[0]), grid.block_position(1, p[1])];
                    assert_eq!(within, lane.block_position);
                    seen.push(p);
                }
            }
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 35);
    }

    #[test]
    fn blocks_have_limits() {
        assert_eq!(Grid::with_block([5], [0]), Err(BlockError::Empty));
        let error = Grid::with_block([5, 5], [64, 32]).unwrap_err();
        assert!(error.to_string().contains("the limit of 1024"), "{error}");
    }
}
