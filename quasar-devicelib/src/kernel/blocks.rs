//! Block size queries: the largest block that a kernel may have, and the default block of a launch. The limits of the
//! CPU are defined here; devices add theirs and use the same search.

use super::grid::{MAX_BLOCK, default_block};
use super::group::SHARED_MEMORY;

/// Resource needs of one version of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct BlockNeeds<'a> {
    /// The rank of a position.
    pub rank: usize,
    /// Its launch bounds: the maximum number of threads.
    pub threads: usize,
    /// The default block, if a transform fixed it.
    pub usual: Option<&'a [usize]>,
    /// Bytes of the shared arrays whose extents depend on the block, as a sum of monomials.
    pub shared: &'a [Term],
}

/// A monomial: a factor and the exponents of the block extents, last dimension first. A block of rank above three has
/// threads along the last two dimensions only.
pub type Term = (i64, [u8; 3]);

/// Block limits of one place that may run the launch.
#[derive(Clone, Copy, Debug)]
pub struct BlockLimits<'a> {
    /// The rank of a position.
    pub rank: usize,
    /// Maximum number of threads.
    pub threads: usize,
    /// Maximum extents, last dimension first.
    pub extents: [usize; 3],
    /// Shared memory available to `shared`, in bytes.
    pub bytes: u64,
    /// Bytes of the shared arrays whose extents depend on the block, as a sum of monomials.
    pub shared: &'a [Term],
}

impl<'a> BlockLimits<'a> {
    /// The limits of the CPU, which every launch respects.
    pub fn of_processor(needs: &BlockNeeds<'a>) -> BlockLimits<'a> {
        BlockLimits {
            rank: needs.rank,
            threads: needs.threads.min(MAX_BLOCK),
            extents: [MAX_BLOCK; 3],
            bytes: SHARED_MEMORY as u64,
            shared: needs.shared,
        }
    }

    /// The extent of a requested block, counted from the last dimension.
    fn extent(&self, block: &[usize], from_last: usize) -> usize {
        let axis = self.rank.checked_sub(1 + from_last);
        axis.and_then(|axis| block.get(axis)).copied().unwrap_or(1)
    }

    fn allow(&self, block: &[usize]) -> bool {
        let extents: [usize; 3] = std::array::from_fn(|k| self.extent(block, k));
        let of_term = |(factor, powers): &Term| {
            let each = extents.iter().zip(powers);
            each.fold(i128::from(*factor), |n, (&extent, &power)| {
                n.saturating_mul((extent as i128).saturating_pow(u32::from(power)))
            })
        };
        let bytes = self.shared.iter().map(of_term).fold(0, i128::saturating_add);
        block.iter().product::<usize>() <= self.threads
            && extents.iter().zip(self.extents).all(|(&extent, most)| extent <= most)
            && bytes <= i128::from(self.bytes)
    }
}

/// The block with the most threads within all limits whose extents do not exceed the requested ones. Ties go to the
/// block whose most reduced side, relative to the request, is reduced least.
pub fn largest_block(requested: &[usize], limits: &[BlockLimits<'_>]) -> Vec<usize> {
    let rank = limits.iter().map(|limit| limit.rank).min().unwrap_or(requested.len()).min(requested.len());
    let requested: Vec<usize> = requested.iter().map(|&n| n.clamp(1, MAX_BLOCK)).collect();
    // A device grid of rank above three folds the leading dimensions into one, in which blocks have extent 1.
    let free = if limits.iter().any(|limit| limit.rank > 3) || rank > 3 { 2 } else { 3 };
    let from = rank.saturating_sub(free);
    let mut search = Search { requested: &requested, end: rank, limits, best: None };
    search.from(from, &mut vec![1; requested.len()]);
    search.best.map_or_else(|| vec![1; requested.len()], |(.., block)| block)
}

struct Search<'a> {
    requested: &'a [usize],
    end: usize,
    limits: &'a [BlockLimits<'a>],
    /// Number of threads, smallest ratio of a side to the requested one, and the block.
    best: Option<(usize, f64, Vec<usize>)>,
}

impl Search<'_> {
    /// Searches all extents from an axis on (branch and bound).
    fn from(&mut self, axis: usize, block: &mut Vec<usize>) {
        let before: usize = block.iter().product();
        if axis >= self.end {
            return self.compare(block);
        }
        let room = self.requested[axis].min(MAX_BLOCK / before);
        // Upper bound for the product of the remaining sides.
        let rest = self.requested[axis + 1..self.end].iter().fold(1usize, |n, &d| n.saturating_mul(d));
        for extent in (1..=room).rev() {
            let best = self.best.as_ref().map_or(0, |(threads, ..)| *threads);
            if (before * extent).saturating_mul(rest) < best {
                break;
            }
            block[axis] = extent;
            self.from(axis + 1, block);
        }
        block[axis] = 1;
    }

    fn compare(&mut self, block: &[usize]) {
        if !self.limits.iter().all(|limits| limits.allow(block)) {
            return;
        }
        let threads: usize = block.iter().product();
        let parts = block.iter().zip(self.requested).map(|(&n, &most)| n as f64 / most as f64);
        let part = parts.fold(1.0, f64::min);
        let better = self.best.as_ref().is_none_or(|(most, least, _)| (threads, part) > (*most, *least));
        if better {
            self.best = Some((threads, part, block.to_vec()));
        }
    }
}

/// The largest block allowed by all versions of a kernel and by the devices that may run it; without versions, for any
/// kernel.
pub fn largest_of(
    versions: &[BlockNeeds<'_>],
    requested: Option<Vec<usize>>,
    devices: &[BlockLimits<'_>],
) -> Vec<usize> {
    let rank = versions.iter().map(|needs| needs.rank).max().unwrap_or(2);
    let processor = versions.iter().map(BlockLimits::of_processor);
    let limits: Vec<BlockLimits<'_>> = processor.chain(devices.iter().copied()).collect();
    largest_block(&requested.unwrap_or_else(|| any_block(rank)), &limits)
}

/// The default request: the maximum number of threads, along the last two dimensions.
fn any_block(rank: usize) -> Vec<usize> {
    (0..rank.max(1)).map(|axis| if axis + 2 < rank { 1 } else { MAX_BLOCK }).collect()
}

/// The extents of a launch for a kernel whose positions have this rank: missing extents are 1, and a kernel of rank 1
/// gets the total number of positions. Large extents if the program does not specify any.
pub fn launch_extents(dims: Option<&[usize]>, rank: usize) -> Vec<usize> {
    match dims {
        None => vec![MAX_BLOCK; rank],
        Some(dims) if rank == 1 => vec![dims.iter().fold(1, |n, &d| n.saturating_mul(d))],
        Some(dims) => (0..rank).map(|axis| dims.get(axis).copied().unwrap_or(1)).collect(),
    }
}

/// The default block of a launch on the CPU.
pub fn usual_of(versions: &[BlockNeeds<'_>], dims: Option<&[usize]>) -> Vec<usize> {
    let rank = versions.first().map_or_else(|| dims.map_or(2, <[usize]>::len), |needs| needs.rank);
    let decided = versions.first().and_then(|needs| needs.usual);
    decided.map_or_else(|| default_block(&launch_extents(dims, rank)), <[usize]>::to_vec)
}

/// Validates extents passed by the program, which must be positive.
pub fn asked_extents(name: &str, given: &[i64]) -> Result<Vec<usize>, String> {
    let positive = given.iter().map(|&n| usize::try_from(n).ok().filter(|&n| n > 0)).collect::<Option<_>>();
    positive.ok_or_else(|| format!("{name}: extents must be positive, found {given:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processor(rank: usize, threads: usize, shared: &[Term]) -> BlockLimits<'_> {
        BlockLimits::of_processor(&BlockNeeds { rank, threads, usual: None, shared })
    }

    #[test]
    fn largest_blocks_have_as_many_threads_as_fit() {
        let all = |requested: &[usize]| largest_block(requested, &[]);
        assert_eq!(all(&[16, 32]), [16, 32]);
        assert_eq!(all(&[64, 64]), [32, 32]);
        assert_eq!(all(&[100, 100, 4]), [32, 32, 1]);
        assert_eq!(all(&[5000]), [1024]);
        assert_eq!(all(&[3, 1 << 40]), [2, 512]);
        assert_eq!(all(&any_block(2)), [32, 32]);
        assert_eq!(all(&any_block(3)), [1, 32, 32]);
        assert_eq!(all(&any_block(1)), [1024]);
        // Only the last two of many dimensions.
        assert_eq!(all(&[4, 4, 4, 4]), [1, 1, 4, 4]);
    }

    #[test]
    fn kernels_have_smaller_blocks_by_what_they_need() {
        let bounds = [processor(2, 100, &[])];
        assert_eq!(largest_block(&[64, 64], &bounds), [10, 10]);
        // A row of 64 doubles for each thread.
        let rows = [(512, [1, 1, 0])];
        assert_eq!(largest_block(&[1024], &[processor(1, 1024, &rows)]), [96]);
        // Floats of the block with a halo of one.
        let rim: Vec<Term> = vec![(100, [1, 1, 0]), (200, [1, 0, 0]), (200, [0, 1, 0]), (400, [0, 0, 0])];
        let block = largest_block(&any_block(2), &[processor(2, 1024, &rim)]);
        let bytes = 100 * (block[0] + 2) * (block[1] + 2);
        assert!(bytes <= SHARED_MEMORY && 100 * (block[0] + 3) * (block[1] + 3) > SHARED_MEMORY, "{block:?}");
        // What does not fit in any block is reported by the launch.
        assert_eq!(largest_block(&[8, 8], &[processor(2, 1024, &[(1 << 20, [0; 3])])]), [1, 1]);
    }

    #[test]
    fn several_places_allow_what_each_of_them_does() {
        let device = BlockLimits { threads: 512, extents: [512, 4, 4], ..processor(2, 1024, &[]) };
        let block = largest_block(&any_block(2), &[processor(2, 1024, &[]), device]);
        assert_eq!(block, [4, 128]);
        // A request with fewer components than the position constrains the first of them.
        assert_eq!(largest_block(&[64], &[device]), [4]);
    }

    #[test]
    fn usual_blocks_are_those_of_launches() {
        let needs = BlockNeeds { rank: 2, threads: 1024, usual: None, shared: &[] };
        assert_eq!(usual_of(&[needs], Some(&[240, 320, 3])), default_block(&[240, 320]));
        assert_eq!(usual_of(&[needs], None), default_block(&[1024, 1024]));
        assert_eq!(launch_extents(Some(&[4, 5, 3]), 1), [60]);
        assert_eq!(launch_extents(Some(&[4]), 3), [4, 1, 1]);
        let decided = BlockNeeds { usual: Some(&[4, 8]), ..needs };
        assert_eq!(usual_of(&[decided], Some(&[240, 320])), [4, 8]);
    }
}
