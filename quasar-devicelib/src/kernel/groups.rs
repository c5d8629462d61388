//! What the threads of a warp do together. On the processor each thread is a warp of its own, so it meets only itself.

/// The lanes that are active: bit 0, the only one.
pub const LANES: u32 = 1;

/// The lanes of the warp that are active.
#[inline(always)]
pub fn group_lanes() -> u32 {
    LANES
}

/// The lanes of the warp in which the block has threads.
#[inline(always)]
pub fn group_of_block() -> u32 {
    LANES
}

/// The part of a group to which the thread belongs, when it is divided into parts of a size.
#[inline(always)]
pub fn group_partition(lanes: u32, _size: i32) -> u32 {
    lanes
}

/// The number of the thread in its group.
#[inline(always)]
pub fn group_rank(_lanes: u32) -> i32 {
    0
}

/// How many threads a group has.
#[inline(always)]
pub fn group_size(lanes: u32) -> i32 {
    lanes.count_ones() as i32
}

/// Waits for the others.
#[inline(always)]
pub fn group_sync(_lanes: u32) {}

/// The value of the thread with a number; the own one where there is no such thread.
#[inline(always)]
pub fn group_shuffle<T>(_lanes: u32, value: T, _source: i32) -> T {
    value
}

/// The value of the thread that is so many before; the own one where there is none.
#[inline(always)]
pub fn group_shuffle_up<T>(_lanes: u32, value: T, _distance: i32) -> T {
    value
}

/// The value of the thread that is so many behind; the own one where there is none.
#[inline(always)]
pub fn group_shuffle_down<T>(_lanes: u32, value: T, _distance: i32) -> T {
    value
}

/// The value of the thread whose number differs in these bits; the own one where there is none.
#[inline(always)]
pub fn group_shuffle_xor<T>(_lanes: u32, value: T, _bits: i32) -> T {
    value
}

/// Whether a condition holds in all threads.
#[inline(always)]
pub fn group_all(_lanes: u32, condition: i32) -> i32 {
    i32::from(condition != 0)
}

/// Whether a condition holds in some thread.
#[inline(always)]
pub fn group_any(_lanes: u32, condition: i32) -> i32 {
    i32::from(condition != 0)
}

/// The numbers of the threads in which a condition holds, as bits.
#[inline(always)]
pub fn group_ballot(_lanes: u32, condition: i32) -> u32 {
    u32::from(condition != 0)
}

/// The numbers of the threads that have the same value, as bits.
#[inline(always)]
pub fn group_match_any<T>(_lanes: u32, _value: T) -> u32 {
    LANES
}

/// The numbers of all threads, as bits, if all have one value, otherwise zero.
#[inline(always)]
pub fn group_match_all<T>(_lanes: u32, _value: T) -> u32 {
    LANES
}
