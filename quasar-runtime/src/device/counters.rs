//! Statistics of a device: counts of copies, launches, compilations and library calls, and an estimate of how long its
//! queue is. Tests, `device_info` and the profiler read them.

use crate::kernel::kernel_loader::Origin;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// The counters of one device.
#[derive(Debug, Default)]
pub struct Counters {
    uploads: AtomicU64,
    uploaded_bytes: AtomicU64,
    downloads: AtomicU64,
    downloaded_bytes: AtomicU64,
    peer_copies: AtomicU64,
    peer_bytes: AtomicU64,
    launches: AtomicU64,
    compilations: AtomicU64,
    embedded: AtomicU64,
    evictions: AtomicU64,
    library_calls: AtomicU64,
    plans_made: AtomicU64,
    plans_reused: AtomicU64,
    /// Estimated completion time of submitted work, in nanoseconds of a process-wide clock.
    busy_until: AtomicU64,
    /// Estimated execution time of all work ever submitted, in nanoseconds.
    occupied: AtomicU64,
}

/// A snapshot of the counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Host-to-device copies.
    pub uploads: u64,
    /// Bytes of host-to-device copies.
    pub uploaded_bytes: u64,
    /// Device-to-host copies.
    pub downloads: u64,
    /// Bytes of device-to-host copies.
    pub downloaded_bytes: u64,
    /// Peer-to-peer copies from other devices.
    pub peer_copies: u64,
    /// Bytes of peer-to-peer copies.
    pub peer_bytes: u64,
    /// Kernel launches.
    pub launches: u64,
    /// Kernels compiled from source, not loaded from a cache.
    pub compilations: u64,
    /// Kernels that the driver compiled from PTX embedded in the program.
    pub embedded: u64,
    /// Arrays evicted to the host.
    pub evictions: u64,
    /// FFTs and matrix products submitted to vendor libraries.
    pub library_calls: u64,
    /// FFT plans created.
    pub plans_made: u64,
    /// FFT plans reused.
    pub plans_reused: u64,
}

impl Traffic {
    /// The difference to an earlier snapshot.
    #[must_use]
    pub fn since(&self, before: &Traffic) -> Traffic {
        Traffic {
            uploads: self.uploads - before.uploads,
            uploaded_bytes: self.uploaded_bytes - before.uploaded_bytes,
            downloads: self.downloads - before.downloads,
            downloaded_bytes: self.downloaded_bytes - before.downloaded_bytes,
            peer_copies: self.peer_copies - before.peer_copies,
            peer_bytes: self.peer_bytes - before.peer_bytes,
            launches: self.launches - before.launches,
            compilations: self.compilations - before.compilations,
            embedded: self.embedded - before.embedded,
            evictions: self.evictions - before.evictions,
            library_calls: self.library_calls - before.library_calls,
            plans_made: self.plans_made - before.plans_made,
            plans_reused: self.plans_reused - before.plans_reused,
        }
    }
}

impl Counters {
    /// Takes a snapshot.
    pub fn now(&self) -> Traffic {
        Traffic {
            uploads: self.uploads.load(Relaxed),
            uploaded_bytes: self.uploaded_bytes.load(Relaxed),
            downloads: self.downloads.load(Relaxed),
            downloaded_bytes: self.downloaded_bytes.load(Relaxed),
            peer_copies: self.peer_copies.load(Relaxed),
            peer_bytes: self.peer_bytes.load(Relaxed),
            launches: self.launches.load(Relaxed),
            compilations: self.compilations.load(Relaxed),
            embedded: self.embedded.load(Relaxed),
            evictions: self.evictions.load(Relaxed),
            library_calls: self.library_calls.load(Relaxed),
            plans_made: self.plans_made.load(Relaxed),
            plans_reused: self.plans_reused.load(Relaxed),
        }
    }

    /// The estimated remaining time of submitted work, in nanoseconds.
    pub(crate) fn busy(&self) -> u64 {
        self.busy_until.load(Relaxed).saturating_sub(clock())
    }

    /// Adds submitted work with an estimated duration in nanoseconds.
    pub(crate) fn occupy(&self, time: u64) {
        self.occupied.fetch_add(time, Relaxed);
        let now = clock();
        let _ = self.busy_until.fetch_update(Relaxed, Relaxed, |until| Some(until.max(now) + time));
    }

    /// The estimated execution time of all work ever submitted, in nanoseconds.
    pub(crate) fn occupied(&self) -> u64 {
        self.occupied.load(Relaxed)
    }

    /// Resets the queue estimate: the device is idle.
    pub(crate) fn is_idle(&self) {
        self.busy_until.store(0, Relaxed);
    }

    pub(crate) fn upload(&self, bytes: usize) {
        self.uploads.fetch_add(1, Relaxed);
        self.uploaded_bytes.fetch_add(bytes as u64, Relaxed);
    }

    pub(crate) fn download(&self, bytes: usize) {
        self.downloads.fetch_add(1, Relaxed);
        self.downloaded_bytes.fetch_add(bytes as u64, Relaxed);
    }

    pub(crate) fn peer_copy(&self, bytes: usize) {
        self.peer_copies.fetch_add(1, Relaxed);
        self.peer_bytes.fetch_add(bytes as u64, Relaxed);
    }

    pub(crate) fn launch(&self) {
        self.launches.fetch_add(1, Relaxed);
    }

    /// Counts a new kernel by its origin.
    pub(crate) fn made(&self, origin: Origin) {
        match origin {
            Origin::Made => return,
            Origin::Compiler => &self.compilations,
            Origin::Embedded => &self.embedded,
        }
        .fetch_add(1, Relaxed);
    }

    pub(crate) fn eviction(&self) {
        self.evictions.fetch_add(1, Relaxed);
    }

    /// Counts an FFT or matrix product of a library.
    pub fn library_call(&self) {
        self.library_calls.fetch_add(1, Relaxed);
    }

    pub(crate) fn plan(&self, made: bool) {
        let count = if made { &self.plans_made } else { &self.plans_reused };
        count.fetch_add(1, Relaxed);
    }
}

/// Nanoseconds since the first call.
fn clock() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(START.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
