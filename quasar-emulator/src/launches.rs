//! What the launches of a program take, and what that leaves of a device.

use std::fmt;

/// The launches of one kernel with one grid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The kernel.
    pub kernel: String,
    /// How many positions there are along each dimension.
    pub dims: Vec<usize>,
    /// How many threads a block has along each dimension.
    pub block: Vec<usize>,
    /// Shared memory of a block, in bytes.
    pub shared_bytes: usize,
    /// How many barriers the blocks passed, over all of them.
    pub barriers: u64,
    /// How many accesses to memory that threads share there were.
    pub accesses: u64,
    /// How many launches were alike.
    pub count: u64,
}

impl Launch {
    /// How many threads a block has.
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

/// The limits of a device, as far as the occupancy depends on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualDevice {
    /// How many threads execute together.
    pub warp_size: usize,
    /// The most threads of a block.
    pub max_block_threads: usize,
    /// The most threads that one multiprocessor holds.
    pub max_threads: usize,
    /// The most blocks that one multiprocessor holds.
    pub max_blocks: usize,
    /// Shared memory of one multiprocessor, in bytes.
    pub shared_bytes: usize,
    /// The most shared memory of one block, in bytes.
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

    /// How many threads of such a launch one multiprocessor holds at most. Registers, which only a compiled kernel knows,
    /// may make it less.
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

/// What a multiprocessor holds of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Occupancy {
    /// How many blocks.
    pub resident_blocks: usize,
    /// The threads of them, as a part (0 to 1) of those that fit.
    pub share: f64,
    /// What keeps more out.
    pub limit: Limit,
}

/// What limits how many blocks a multiprocessor holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Its threads.
    Threads,
    /// The number of blocks.
    Blocks,
    /// Its shared memory, or that of one block.
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
