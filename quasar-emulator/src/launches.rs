//! Resource usage of launches, and the occupancy that it permits on a device.

use std::fmt;

/// The launches of one kernel with one grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The kernel.
    pub kernel: String,
    /// Extents of the launch.
    pub dims: Vec<usize>,
    /// Extents of a block, in threads.
    pub block: Vec<usize>,
    /// Shared memory of a block, in bytes.
    pub shared_bytes: usize,
    /// Number of barriers passed, over all blocks.
    pub barriers: u64,
    /// Number of accesses to memory that threads share.
    pub accesses: u64,
    /// Number of launches with this configuration.
    pub count: u64,
}

impl Launch {
    /// The number of threads in a block.
    pub fn block_threads(&self) -> usize {
        self.block.iter().product()
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let times = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        write!(f, "{}: {} positions in blocks of {}", self.kernel, times(&self.dims), times(&self.block))?;
        if self.shared_bytes > 0 {
            write!(f, ", {} bytes of shared memory", self.shared_bytes)?;
        }
        if self.barriers > 0 {
            let plural = if self.barriers == 1 { "" } else { "s" };
            write!(f, ", {} barrier{plural}", self.barriers)?;
        }
        if self.count > 1 {
            write!(f, ", {} times", self.count)?;
        }
        Ok(())
    }
}

/// The limits of a device that determine occupancy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualDevice {
    /// Threads of a warp.
    pub warp_size: usize,
    /// Maximum threads of a block.
    pub max_block_threads: usize,
    /// Maximum resident threads of a multiprocessor.
    pub max_threads: usize,
    /// Maximum resident blocks of a multiprocessor.
    pub max_blocks: usize,
    /// Shared memory of a multiprocessor, in bytes.
    pub shared_bytes: usize,
    /// Maximum shared memory of a block, in bytes.
    pub max_block_shared_bytes: usize,
}

impl VirtualDevice {
    /// An NVIDIA GPU of compute capability 7.5 (Turing), by the tables of the CUDA programming guide.
    pub const TURING: VirtualDevice = VirtualDevice {
        warp_size: 32,
        max_block_threads: 1024,
        max_threads: 1024,
        max_blocks: 16,
        shared_bytes: 64 << 10,
        max_block_shared_bytes: 64 << 10,
    };

    /// An NVIDIA GPU of compute capability 9.0 (Hopper), by the same tables.
    pub const HOPPER: VirtualDevice = VirtualDevice {
        warp_size: 32,
        max_block_threads: 1024,
        max_threads: 2048,
        max_blocks: 32,
        shared_bytes: 228 << 10,
        max_block_shared_bytes: 227 << 10,
    };

    /// The occupancy of a launch. An upper bound: register usage, which only a compiled kernel has, may lower it.
    pub fn occupancy(&self, launch: &Launch) -> Occupancy {
        let threads = launch.block_threads().div_ceil(self.warp_size.max(1)) * self.warp_size.max(1);
        if threads == 0 || threads > self.max_block_threads {
            return Occupancy { resident_blocks: 0, share: 0.0, limit: Limit::BlockSize };
        }
        if launch.shared_bytes > self.max_block_shared_bytes {
            return Occupancy { resident_blocks: 0, share: 0.0, limit: Limit::SharedMemory };
        }
        let by_shared = self.shared_bytes.checked_div(launch.shared_bytes).unwrap_or(usize::MAX);
        let limits = [
            (self.max_threads / threads, Limit::Threads),
            (self.max_blocks, Limit::Blocks),
            (by_shared, Limit::SharedMemory),
        ];
        let (blocks, limit) = limits.into_iter().min_by_key(|(blocks, _)| *blocks).unwrap_or(limits[0]);
        let share = (blocks * threads) as f64 / self.max_threads as f64;
        Occupancy { resident_blocks: blocks, share, limit }
    }
}

/// The occupancy of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occupancy {
    /// Number of resident blocks.
    pub resident_blocks: usize,
    /// Resident threads as a fraction (0 to 1) of the maximum.
    pub share: f64,
    /// The limiting resource.
    pub limit: Limit,
}

/// The resource that limits the number of resident blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Resident threads.
    Threads,
    /// Resident blocks.
    Blocks,
    /// Shared memory of the multiprocessor or of a block.
    SharedMemory,
    /// A block has more threads than the device allows.
    BlockSize,
}

impl fmt::Display for Occupancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = match self.limit {
            Limit::Threads => "its threads",
            Limit::Blocks => "the number of blocks",
            Limit::SharedMemory => "shared memory",
            Limit::BlockSize => "the size of a block",
        };
        write!(f, "occupancy at most {:.0} %, limited by {limit}", self.share * 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(block: &[usize], shared_bytes: usize) -> Launch {
        let (dims, block) = (vec![4096], block.to_vec());
        Launch { kernel: "k".into(), dims, block, shared_bytes, barriers: 0, accesses: 0, count: 1 }
    }

    #[test]
    fn the_scarcest_resource_limits() {
        let of = |block: &[usize], shared| VirtualDevice::TURING.occupancy(&launch(block, shared));
        assert_eq!(of(&[16, 16], 0), Occupancy { resident_blocks: 4, share: 1.0, limit: Limit::Threads });
        assert_eq!(of(&[32], 0), Occupancy { resident_blocks: 16, share: 0.5, limit: Limit::Blocks });
        assert_eq!(of(&[256], 32 << 10).limit, Limit::SharedMemory);
        assert_eq!(of(&[256], 32 << 10).share, 0.5);
        assert_eq!(of(&[33], 0).share, 1.0, "warps are counted whole");
        assert_eq!(of(&[2048], 0).limit, Limit::BlockSize);
        assert_eq!(of(&[64], 65 << 10).resident_blocks, 0);
    }
}
