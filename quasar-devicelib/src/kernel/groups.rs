//! Warp-level operations (shuffles, votes, matches) on the CPU, where a warp consists of one thread.

/// The mask of active lanes: bit 0, the only one.
pub const LANES: u32 = 1;

/// The mask of active lanes of the warp.
#[inline(always)]
pub fn group_lanes() -> u32 {
    LANES
}

/// The mask of lanes that have a thread of the block.
#[inline(always)]
pub fn group_of_block() -> u32 {
    LANES
}

/// The tile of a group that contains this thread, for tiles of `size` threads.
#[inline(always)]
pub fn group_partition(lanes: u32, _size: i32) -> u32 {
    lanes
}

/// The rank of the thread in its group.
#[inline(always)]
pub fn group_rank(_lanes: u32) -> i32 {
    0
}

/// The number of threads in a group.
#[inline(always)]
pub fn group_size(lanes: u32) -> i32 {
    lanes.count_ones() as i32
}

/// Synchronises the group.
#[inline(always)]
pub fn group_sync(_lanes: u32) {}

/// The value of the thread with rank `source`; the thread's own value if there is no such thread.
#[inline(always)]
pub fn group_shuffle<T>(_lanes: u32, value: T, _source: i32) -> T {
    value
}

/// The value of the thread `distance` ranks below; the thread's own value if there is none.
#[inline(always)]
pub fn group_shuffle_up<T>(_lanes: u32, value: T, _distance: i32) -> T {
    value
}

/// The value of the thread `distance` ranks above; the thread's own value if there is none.
#[inline(always)]
pub fn group_shuffle_down<T>(_lanes: u32, value: T, _distance: i32) -> T {
    value
}

/// The value of the thread whose rank differs in these bits; the thread's own value if there is none.
#[inline(always)]
pub fn group_shuffle_xor<T>(_lanes: u32, value: T, _bits: i32) -> T {
    value
}

/// Whether a condition holds in all threads.
#[inline(always)]
pub fn group_all(_lanes: u32, condition: i32) -> i32 {
    i32::from(condition != 0)
}

/// Whether a condition holds in any thread.
#[inline(always)]
pub fn group_any(_lanes: u32, condition: i32) -> i32 {
    i32::from(condition != 0)
}

/// Bit mask of the threads in which a condition holds.
#[inline(always)]
pub fn group_ballot(_lanes: u32, condition: i32) -> u32 {
    u32::from(condition != 0)
}

/// Bit mask of the threads with the same value.
#[inline(always)]
pub fn group_match_any<T>(_lanes: u32, _value: T) -> u32 {
    LANES
}

/// The mask of all threads if their values agree, otherwise zero.
#[inline(always)]
pub fn group_match_all<T>(_lanes: u32, _value: T) -> u32 {
    LANES
}
