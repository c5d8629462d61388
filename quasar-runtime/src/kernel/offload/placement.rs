//! Where a launch runs when nobody named a device: where it is done first, as far as can be told beforehand.
//!
//! Moving arrays to a device often costs more than one launch gains, but the next launches find them there. So what a
//! kernel would have gained is added up, and pays for the transfers when it is as much as they cost: in the end that is at
//! most twice the time of the best choice, whatever comes.

use super::Arg;
use crate::array::coherence::{CopySet, Place};
use crate::device::Device;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a launch on a device takes besides its work, in nanoseconds.
const LAUNCH: u64 = 10_000;
/// What a transfer takes besides its bytes.
const TRANSFER: u64 = 20_000;
/// Bytes that a transfer moves in a nanosecond.
const BYTES: u64 = 10;
/// What a copy from one device to another takes besides its bytes, where it does not pass the host.
const PEER: u64 = 10_000;
/// Bytes that such a copy moves in a nanosecond.
const PEER_BYTES: u64 = 300;
/// Operations that a thread of the processor does in a nanosecond: with vectors, and waiting for memory now and then.
const PROCESSOR: u64 = 4;
/// Operations that a processor of a device does in a nanosecond.
const MULTIPROCESSOR: u64 = 16;
/// What waking the processor's threads takes.
const WAKING: u64 = 25_000;

/// What a launch needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// Estimated operations.
    pub(super) work: u64,
    /// Time of transfers to the device.
    pub(super) there: u64,
    /// Time of transfers to the host.
    pub(super) back: u64,
}

impl Needs {
    /// Of a launch with these arguments on a device, to which arrays may come from the host and from others.
    pub(super) fn new(work: u64, args: &[Arg<'_>], device: &dyn Device, others: &[Arc<dyn Device>]) -> Needs {
        let mut needs = Needs { work, there: 0, back: 0 };
        for arg in args {
            let (Arg::Read(array) | Arg::Write(array)) = arg else { continue };
            let places = array.places();
            // A new array has no contents to move.
            if places.is_empty() {
                continue;
            }
            let bytes = array.dims().iter().fold(array.element_type().size(), |n, &d| n.saturating_mul(d));
            if !places.contains(device.place()) {
                needs.there = needs.there.saturating_add(arrival_time(places, bytes, device, others));
            }
            if !places.contains(Place::Host) {
                needs.back = needs.back.saturating_add(transfer_time(bytes));
            }
        }
        needs
    }
}

/// What a transfer between host and device takes, in nanoseconds.
pub(crate) fn transfer_time(bytes: usize) -> u64 {
    TRANSFER + bytes as u64 / BYTES
}

/// What it takes until an array is on a device that does not have it.
fn arrival_time(places: CopySet, bytes: usize, device: &dyn Device, others: &[Arc<dyn Device>]) -> u64 {
    let lenders = others.iter().filter(|other| places.contains(other.place()) && device.reaches(&***other));
    let lent = lenders.map(|other| other.counters().busy() + PEER + bytes as u64 / PEER_BYTES).min();
    let legs = if places.contains(Place::Host) { 1 } else { 2 };
    lent.unwrap_or(u64::MAX).min(legs * transfer_time(bytes))
}

/// What work takes on a device, in nanoseconds.
pub(super) fn time(work: u64, device: &dyn Device) -> u64 {
    LAUNCH + work / (MULTIPROCESSOR * u64::from(device.limits().multiprocessors.max(1)))
}

/// The device that is done first with a launch, after what it has to do before, and after those devices are done from which
/// it gets arrays. Of several equals, the one that had the least to do until now: estimates may be far too short.
pub(super) fn first_done(devices: &[Arc<dyn Device>], work: u64, args: &[Arg<'_>]) -> usize {
    let done = |device: &dyn Device| {
        let needs = Needs::new(work, args, device, devices);
        let sources = devices.iter().filter(|source| gets(args, device.place(), source.place()));
        let ready = sources.map(|source| source.counters().busy()).max().unwrap_or(0);
        let start = device.counters().busy().max(ready);
        start.saturating_add(needs.there).saturating_add(time(work, device))
    };
    let times = devices.iter().map(|device| (done(&**device), device.counters().occupied())).enumerate();
    let first = times.min_by_key(|(_, time)| *time).map_or(0, |(k, _)| k);
    if let Some(device) = devices.get(first) {
        device.counters().occupy(time(work, &**device));
    }
    first
}

/// Whether a launch at a place needs an array that only another place has.
fn gets(args: &[Arg<'_>], at: Place, from: Place) -> bool {
    args.iter().any(|arg| match arg {
        Arg::Read(array) | Arg::Write(array) => {
            let places = array.places();
            places.contains(from) && !places.contains(at) && !places.contains(Place::Host)
        }
        Arg::Value(_) => false,
    })
}

/// What a kernel would have gained on a device in launches that ran on the processor, in nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct Missed(AtomicU64);

impl Missed {
    pub(crate) const fn new() -> Missed {
        Missed(AtomicU64::new(0))
    }

    /// Whether a launch should run on a device where its work takes the time `there`.
    pub(super) fn prefers_device(&self, needs: Needs, there: u64, threads: u64, serial: u64) -> bool {
        let one = needs.work / PROCESSOR;
        let together = if needs.work < serial { one } else { one.min(WAKING + one / threads.max(1)) };
        let here = together.saturating_add(needs.back);
        if here <= there {
            return false;
        }
        let gain = here - there;
        let missed = self.0.load(Ordering::Relaxed);
        if gain.saturating_add(missed) >= needs.there {
            self.0.store(0, Ordering::Relaxed);
            return true;
        }
        self.0.fetch_add(gain, Ordering::Relaxed);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    fn choose(missed: &Missed, work: u64, there: u64, back: u64) -> bool {
        missed.prefers_device(Needs { work, there, back }, LAUNCH + work / 1600, 2, 1 << 18)
    }

    #[test]
    fn small_launches_stay_on_the_processor() {
        let missed = Missed::new();
        assert!((0..100).all(|_| !choose(&missed, 16, 0, 0)));
        assert!((0..100).all(|_| !choose(&missed, 30_000, 0, 0)));
        assert!(choose(&missed, 10 * MB, 0, 0), "large work on what is there");
    }

    #[test]
    fn launches_follow_their_data() {
        let missed = Missed::new();
        assert!(choose(&missed, 1000, 0, TRANSFER + 4 * MB / BYTES));
        assert!(!choose(&missed, 1000, TRANSFER + 4 * MB / BYTES, 0));
    }

    #[test]
    fn transfers_are_paid_by_what_several_launches_gain() {
        let missed = Missed::new();
        // 64 MB for 16 million positions of ten operations.
        let transfer = TRANSFER + 64 * MB / BYTES;
        let on_processor = (0..).take_while(|_| !choose(&missed, 16 * MB * 2, transfer, 0)).count();
        assert!((1..4).contains(&on_processor), "{on_processor}");
        assert!(!choose(&missed, 16 * MB * 2, transfer, 0), "they begin again for other arrays");
        // Work that pays at once.
        assert!(choose(&Missed::new(), 16 * MB * 100, transfer, 0));
    }
}
