//! The placement cost model: decides between CPU and devices for launches without an explicit device, by estimated
//! completion time.
//!
//! Transferring arrays to a device often costs more than one launch gains, but later launches find them there. So the
//! gain that a kernel missed on the CPU is accumulated, and pays for the transfers once it equals their cost: a
//! ski-rental strategy, at most twice as slow as the best choice in hindsight.

use super::{Arg, DeviceArray};
use crate::array::coherence::{CopySet, Place};
use crate::device::Device;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Launch overhead on a device, in nanoseconds.
const LAUNCH: u64 = 10_000;
/// Overhead of a host-device transfer, in nanoseconds.
const TRANSFER: u64 = 20_000;
/// Bandwidth of host-device transfers, in bytes per nanosecond.
const BYTES: u64 = 10;
/// Overhead of a peer-to-peer copy, in nanoseconds.
const PEER: u64 = 10_000;
/// Bandwidth of peer-to-peer copies, in bytes per nanosecond.
const PEER_BYTES: u64 = 300;
/// Throughput of a CPU thread in operations per nanosecond: vectorised, with occasional memory stalls.
const PROCESSOR: u64 = 4;
/// Throughput of a multiprocessor in operations per nanosecond.
const MULTIPROCESSOR: u64 = 16;
/// Overhead of waking the CPU threads, in nanoseconds.
const WAKING: u64 = 25_000;

/// Whether a launch writes all elements of an argument, given by its place, before it reads any.
pub(super) type Overwrites<'a> = &'a dyn Fn(usize, &dyn DeviceArray) -> bool;

/// The costs of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LaunchCosts {
    /// Estimated operations.
    pub(super) work: u64,
    /// Nanoseconds of transfers to the device.
    pub(super) there: u64,
    /// Nanoseconds of transfers to the host.
    pub(super) back: u64,
}

impl LaunchCosts {
    /// The costs of a launch with these arguments on a device, where `others` may provide arrays by peer-to-peer
    /// copies. Arguments that the launch overwrites are not transferred.
    pub(super) fn new(
        work: u64,
        args: &[Arg<'_>],
        overwrites: Overwrites<'_>,
        device: &dyn Device,
        others: &[Arc<dyn Device>],
    ) -> LaunchCosts {
        let mut needs = LaunchCosts { work, there: 0, back: 0 };
        for (k, arg) in args.iter().enumerate() {
            let (Arg::Read(array) | Arg::Write(array)) = arg else { continue };
            let places = array.places();
            // A new array has no contents to transfer.
            if places.is_empty() || matches!(arg, Arg::Write(_)) && overwrites(k, *array) {
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

/// Nanoseconds of a host-device transfer.
pub(crate) fn transfer_time(bytes: usize) -> u64 {
    TRANSFER + bytes as u64 / BYTES
}

/// Nanoseconds until an array arrives on a device that has no copy of it.
fn arrival_time(places: CopySet, bytes: usize, device: &dyn Device, others: &[Arc<dyn Device>]) -> u64 {
    let lenders = others.iter().filter(|other| places.contains(other.place()) && device.reaches(&***other));
    let lent = lenders.map(|other| other.counters().busy() + PEER + bytes as u64 / PEER_BYTES).min();
    let legs = if places.contains(Place::Host) { 1 } else { 2 };
    lent.unwrap_or(u64::MAX).min(legs * transfer_time(bytes))
}

/// Nanoseconds of this many operations on a device.
pub(super) fn time(work: u64, device: &dyn Device) -> u64 {
    LAUNCH + work / (MULTIPROCESSOR * u64::from(device.limits().multiprocessors.max(1)))
}

/// The index of the device that completes the launch first, considering its queue and the queues of devices from which
/// it gets arrays. Ties go to the device with the least total work so far, since estimates may be far too short. Adds
/// the launch and what is copied for it to the queue estimate: the host waits for such copies, and so what it submits next
/// would find the device as idle as before.
pub(super) fn earliest_completion(
    devices: &[Arc<dyn Device>],
    work: u64,
    args: &[Arg<'_>],
    overwrites: Overwrites<'_>,
) -> usize {
    let done = |device: &dyn Device| {
        let needs = LaunchCosts::new(work, args, overwrites, device, devices);
        let sources = devices.iter().filter(|source| gets(args, device.place(), source.place()));
        let ready = sources.map(|source| source.counters().busy()).max().unwrap_or(0);
        let start = device.counters().busy().max(ready);
        (start.saturating_add(needs.there).saturating_add(time(work, device)), needs.there)
    };
    let times = devices.iter().map(|device| (done(&**device), device.counters().occupied())).enumerate();
    let first = times.min_by_key(|(_, ((end, _), occupied))| (*end, *occupied));
    let (first, there) = first.map_or((0, 0), |(k, ((_, there), _))| (k, there));
    if let Some(device) = devices.get(first) {
        device.counters().occupy(there.saturating_add(time(work, &**device)));
    }
    first
}

/// Whether a launch at one memory space needs an array that is valid only at another one.
fn gets(args: &[Arg<'_>], at: Place, from: Place) -> bool {
    args.iter().any(|arg| match arg {
        Arg::Read(array) | Arg::Write(array) => {
            let places = array.places();
            places.contains(from) && !places.contains(at) && !places.contains(Place::Host)
        }
        Arg::Small(_) | Arg::Value(_) => false,
    })
}

/// The accumulated gain of a kernel, in nanoseconds, that its launches on the CPU missed by not running on a device.
#[derive(Debug, Default)]
pub(crate) struct MissedGain(AtomicU64);

impl MissedGain {
    pub(crate) const fn new() -> MissedGain {
        MissedGain(AtomicU64::new(0))
    }

    /// Whether a launch should run on a device, where its work takes `there` nanoseconds.
    pub(super) fn prefers_device(&self, needs: LaunchCosts, there: u64, threads: u64, serial: u64) -> bool {
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

    fn choose(missed: &MissedGain, work: u64, there: u64, back: u64) -> bool {
        missed.prefers_device(LaunchCosts { work, there, back }, LAUNCH + work / 1600, 2, 1 << 18)
    }

    #[test]
    fn small_launches_stay_on_the_processor() {
        let missed = MissedGain::new();
        assert!((0..100).all(|_| !choose(&missed, 16, 0, 0)));
        assert!((0..100).all(|_| !choose(&missed, 30_000, 0, 0)));
        assert!(choose(&missed, 10 * MB, 0, 0), "large work on what is there");
    }

    #[test]
    fn launches_follow_their_data() {
        let missed = MissedGain::new();
        assert!(choose(&missed, 1000, 0, TRANSFER + 4 * MB / BYTES));
        assert!(!choose(&missed, 1000, TRANSFER + 4 * MB / BYTES, 0));
    }

    #[test]
    fn transfers_are_paid_by_what_several_launches_gain() {
        let missed = MissedGain::new();
        // 64 MB for 16 million positions of ten operations.
        let transfer = TRANSFER + 64 * MB / BYTES;
        let on_processor = (0..).take_while(|_| !choose(&missed, 16 * MB * 2, transfer, 0)).count();
        assert!((1..4).contains(&on_processor), "{on_processor}");
        assert!(!choose(&missed, 16 * MB * 2, transfer, 0), "they begin again for other arrays");
        // Work that pays at once.
        assert!(choose(&MissedGain::new(), 16 * MB * 100, transfer, 0));
    }
}
