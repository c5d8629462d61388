//! What the threads of a warp do together. A group is the set of its lanes, as bits.
//!
//! Processors have no warps, so theirs are virtual: the threads of a block in row-major order, [`warp_size`] at a time, as devices
//! number them. What exchanges values needs what all threads of the group bring, so it is done in two steps: each thread brings its
//! part to a [`Meeting`], and when all are there, each takes its result.

use super::fault::{Fault, FaultKind};
use crate::element::Element;
use std::sync::atomic::{AtomicU32, Ordering};

/// The threads of a warp, at most and unless the program says otherwise.
pub const WARP: u32 = 32;

static SIZE: AtomicU32 = AtomicU32::new(WARP);

/// How many threads a virtual warp has.
pub fn warp_size() -> u32 {
    SIZE.load(Ordering::Relaxed)
}

/// Gives virtual warps another size: the next power of two, up to [`WARP`].
pub fn set_warp_size(threads: u32) {
    SIZE.store(threads.clamp(1, WARP).next_power_of_two(), Ordering::Relaxed);
}

/// The lane of a thread of a block.
#[inline(always)]
pub fn lane(thread: usize) -> u32 {
    (thread % warp_size() as usize) as u32
}

/// The lanes of the warp of a thread in which the block has threads; the last warp may not be full.
#[inline(always)]
pub fn group_of_block(thread: usize, threads: usize) -> u32 {
    let size = warp_size() as usize;
    all_below((threads - thread / size * size).min(size))
}

fn all_below(count: usize) -> u32 {
    ((1_u64 << count) - 1) as u32
}

/// The part of a group to which a thread belongs, when it is divided into parts of a size.
pub fn group_partition(thread: usize, lanes: u32, size: i32) -> u32 {
    let size = size.max(1) as u32;
    let first = rank(lane(thread), lanes) / size * size;
    let ranks = (0..lanes.count_ones()).zip(each(lanes));
    ranks.filter(|(k, _)| (first..first + size).contains(k)).fold(0, |part, (_, lane)| part | 1 << lane)
}

/// The number of a thread in its group.
#[inline(always)]
pub fn group_rank(thread: usize, lanes: u32) -> i32 {
    rank(lane(thread), lanes) as i32
}

/// How many threads a group has.
#[inline(always)]
pub fn group_size(_thread: usize, lanes: u32) -> i32 {
    lanes.count_ones() as i32
}

fn rank(lane: u32, lanes: u32) -> u32 {
    (lanes & all_below(lane as usize)).count_ones()
}

/// The lanes of a group in order.
fn each(lanes: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS).filter(move |lane| lanes >> lane & 1 == 1)
}

/// The bits of lanes as bits of ranks.
pub fn packed(lanes: u32, bits: u32) -> u32 {
    each(lanes).enumerate().fold(0, |packed, (rank, lane)| packed | (bits >> lane & 1) << rank)
}

/// Which value a shuffle gives a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shuffle {
    /// That of the thread with a number.
    From,
    /// That of the thread that is so many before.
    Up,
    /// That of the thread that is so many behind.
    Down,
    /// That of the thread whose number differs in these bits.
    Xor,
}

impl Shuffle {
    /// The lane whose value the thread in `lane` gets: its own where there is no such thread.
    pub fn source(self, lane: u32, lanes: u32, operand: i32) -> u32 {
        let own = rank(lane, lanes);
        let source = match self {
            Shuffle::From => operand as u32,
            Shuffle::Up => own.wrapping_sub(operand as u32),
            Shuffle::Down => own.wrapping_add(operand as u32),
            Shuffle::Xor => own ^ operand as u32,
        };
        each(lanes).nth(source as usize).unwrap_or(lane)
    }
}

/// Whether an operation of groups needs what other threads bring.
pub fn is_meeting(operation: &str) -> bool {
    operation.starts_with("group_")
        && !matches!(operation, "group_of_block" | "group_partition" | "group_rank" | "group_size")
}

/// A number whose bits threads compare.
pub trait Bits: Copy {
    /// Its bits.
    fn bits(self) -> u64;
}

macro_rules! bits {
    ($($ty:ty: $x:ident => $bits:expr),*) => {
        $(impl Bits for $ty {
            #[inline(always)]
            fn bits(self) -> u64 {
                let $x = self;
                $bits
            }
        })*
    };
}
bits!(i32: x => u64::from(x as u32), u32: x => x.into(), i64: x => x as u64, u64: x => x,
    f32: x => x.to_bits().into(), f64: x => x.to_bits());

/// What a thread brings.
#[derive(Clone, Copy, Debug)]
struct Part<T> {
    lanes: u32,
    value: T,
    operand: i32,
}

/// What the threads of a block bring to a place where those of each group meet.
#[derive(Debug)]
pub struct Meeting<T> {
    /// By thread; none of those that are elsewhere.
    parts: Vec<Option<Part<T>>>,
}

impl<T: Copy> Meeting<T> {
    /// Nobody is there yet.
    pub fn new(threads: usize) -> Self {
        Meeting { parts: vec![None; threads] }
    }

    /// A thread comes, with the lanes of its group, a value, and whose value it wants.
    #[inline(always)]
    pub fn bring(&mut self, thread: usize, lanes: u32, value: T, operand: i32) {
        self.parts[thread] = Some(Part { lanes, value, operand });
    }

    fn part(&self, thread: usize, lane: u32) -> Option<&Part<T>> {
        let size = warp_size() as usize;
        self.parts.get(thread / size * size + lane as usize)?.as_ref()
    }

    /// A fault where a thread of a group has not come, or names another group.
    pub fn check(&self, fault: &Fault, line: u32) {
        for (thread, part) in self.parts.iter().enumerate() {
            let Some(part) = part else { continue };
            let comes = |lane| self.part(thread, lane).is_some_and(|other| other.lanes == part.lanes);
            if part.lanes >> lane(thread) & 1 == 0 || !each(part.lanes).all(comes) {
                return fault.raise(("", line), FaultKind::Error(missing().to_string()));
            }
        }
    }

    /// The lanes of the warp whose threads are there.
    pub fn group_lanes(&self, thread: usize) -> u32 {
        (0..warp_size())
            .filter(|&lane| self.part(thread, lane).is_some())
            .fold(0, |lanes, lane| lanes | 1 << lane)
    }

    /// All have come.
    pub fn group_sync(&self, _thread: usize) {}

    fn own(&self, thread: usize) -> Option<Part<T>> {
        self.parts.get(thread).copied().flatten()
    }

    /// The lanes of the group of a thread where something holds.
    fn voted(&self, thread: usize, holds: impl Fn(&Part<T>) -> bool) -> (u32, u32) {
        let lanes = self.own(thread).map_or(0, |own| own.lanes);
        let votes = each(lanes).filter(|&lane| self.part(thread, lane).is_some_and(&holds));
        (lanes, votes.fold(0, |bits, lane| bits | 1 << lane))
    }
}

impl<T: Element> Meeting<T> {
    fn shuffled(&self, thread: usize, shuffle: Shuffle) -> T {
        let Some(own) = self.own(thread) else { return T::default() };
        let source = shuffle.source(lane(thread), own.lanes, own.operand);
        self.part(thread, source).map_or(own.value, |part| part.value)
    }

    /// The value of the thread with a number.
    pub fn group_shuffle(&self, thread: usize) -> T {
        self.shuffled(thread, Shuffle::From)
    }

    /// The value of the thread that is so many before.
    pub fn group_shuffle_up(&self, thread: usize) -> T {
        self.shuffled(thread, Shuffle::Up)
    }

    /// The value of the thread that is so many behind.
    pub fn group_shuffle_down(&self, thread: usize) -> T {
        self.shuffled(thread, Shuffle::Down)
    }

    /// The value of the thread whose number differs in some bits.
    pub fn group_shuffle_xor(&self, thread: usize) -> T {
        self.shuffled(thread, Shuffle::Xor)
    }
}

impl<T: Bits> Meeting<T> {
    /// Whether a condition holds in all threads.
    pub fn group_all(&self, thread: usize) -> i32 {
        let (lanes, votes) = self.voted(thread, |part| part.value.bits() != 0);
        i32::from(votes == lanes)
    }

    /// Whether a condition holds in some thread.
    pub fn group_any(&self, thread: usize) -> i32 {
        i32::from(self.voted(thread, |part| part.value.bits() != 0).1 != 0)
    }

    /// The numbers of the threads in which a condition holds, as bits.
    pub fn group_ballot(&self, thread: usize) -> u32 {
        let (lanes, votes) = self.voted(thread, |part| part.value.bits() != 0);
        packed(lanes, votes)
    }

    /// The numbers of the threads that have the same value, as bits.
    pub fn group_match_any(&self, thread: usize) -> u32 {
        let Some(own) = self.own(thread) else { return 0 };
        let (lanes, votes) = self.voted(thread, |part| part.value.bits() == own.value.bits());
        packed(lanes, votes)
    }

    /// The numbers of all threads, as bits, if all have one value, otherwise zero.
    pub fn group_match_all(&self, thread: usize) -> u32 {
        let Some(own) = self.own(thread) else { return 0 };
        let (lanes, votes) = self.voted(thread, |part| part.value.bits() == own.value.bits());
        if votes == lanes { packed(lanes, lanes) } else { 0 }
    }
}

/// What is said of a group whose threads are not all at one place.
pub fn missing() -> &'static str {
    "a group of threads that do not meet: all threads of a group must come to the same place and name the same group"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meeting<T: Copy>(part: impl Fn(usize) -> Option<(u32, T, i32)>) -> Meeting<T> {
        let mut meeting = Meeting::new(64);
        for thread in 0..64 {
            if let Some((lanes, value, operand)) = part(thread) {
                meeting.bring(thread, lanes, value, operand);
            }
        }
        meeting
    }

    #[test]
    fn groups_of_a_block_are_its_warps() {
        assert_eq!([group_of_block(0, 64), group_of_block(40, 64)], [u32::MAX; 2]);
        assert_eq!([group_of_block(3, 5), group_of_block(33, 40)], [0b1_1111, 0xff]);
        assert_eq!(group_partition(37, u32::MAX, 4), 0b1111_0000);
        assert_eq!(group_partition(5, 0b101010, 2), 0b100000);
        assert_eq!([group_rank(5, 0b101010), group_size(5, 0b101010)], [2, 3]);
        assert_eq!(packed(0b101010, 0b100010), 0b101);
    }

    #[test]
    fn shuffles_give_the_value_of_another_thread_or_the_own_one() {
        let all = meeting(|t| Some((u32::MAX, t as i32, 1)));
        assert_eq!(
            [all.group_shuffle(40), all.group_shuffle_up(40), all.group_shuffle_down(40)],
            [33, 39, 41]
        );
        assert_eq!(
            [all.group_shuffle_up(32), all.group_shuffle_down(63), all.group_shuffle_xor(40)],
            [32, 63, 41]
        );
        let odd = meeting(|t| (t % 2 == 1).then_some((0xAAAA_AAAA, t as i32, 3)));
        assert_eq!([odd.group_shuffle(1), odd.group_shuffle_down(1), odd.group_shuffle_up(1)], [7, 7, 1]);
        assert_eq!(odd.group_lanes(1), 0xAAAA_AAAA);
    }

    #[test]
    fn votes_are_of_the_own_group() {
        let tiles = meeting(|t| Some((group_partition(t, u32::MAX, 4), i32::from(t % 3 == 0), 0)));
        assert_eq!([tiles.group_ballot(0), tiles.group_ballot(5)], [0b1001, 0b0100]);
        assert_eq!([tiles.group_all(0), tiles.group_any(0), tiles.group_any(4)], [0, 1, 1]);
        assert_eq!(
            [tiles.group_match_any(0), tiles.group_match_any(1), tiles.group_match_all(0)],
            [0b1001, 0b0110, 0]
        );
        assert_eq!(meeting(|_| Some((u32::MAX, 0.5_f32, 0))).group_match_all(9), u32::MAX);
    }

    #[test]
    fn who_does_not_come_is_a_fault() {
        let fault = Fault::new();
        meeting(|t| Some((u32::MAX, t as i32, 0))).check(&fault, 1);
        assert!(!fault.is_set());
        meeting(|t| (t != 5).then_some((u32::MAX, 0, 0))).check(&fault, 1);
        assert!(fault.is_set());
        let fault = Fault::new();
        meeting(|t| Some((if t < 2 { 3 } else { u32::MAX }, 0, 0))).check(&fault, 1);
        assert!(fault.is_set());
    }
}
