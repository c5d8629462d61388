//! How often a device did what: for tests, `device_info` and whoever wonders where time goes.

use crate::kernel::sources::Origin;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Counts of one device.
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
    /// When the device will have done what was submitted, as estimated, in nanoseconds of a clock of the process.
    busy_until: AtomicU64,
    /// All that was ever submitted, as estimated, in nanoseconds.
    occupied: AtomicU64,
}

/// The counts at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Copies from the host.
    pub uploads: u64,
    /// Their bytes.
    pub uploaded_bytes: u64,
    /// Copies to the host.
    pub downloads: u64,
    /// Their bytes.
    pub downloaded_bytes: u64,
    /// Copies from other devices that did not pass the host.
    pub peer_copies: u64,
    /// Their bytes.
    pub peer_bytes: u64,
    /// Submitted kernels.
    pub launches: u64,
    /// Kernel texts compiled, not taken from a cache.
    pub compilations: u64,
    /// Kernels that the driver made of PTX in the program.
    pub embedded: u64,
    /// Arrays moved to the host to make room.
    pub evictions: u64,
    /// Transforms and products submitted to libraries of the device's maker.
    pub library_calls: u64,
    /// Transforms prepared.
    pub plans_made: u64,
    /// Transforms that were prepared already.
    pub plans_reused: u64,
}

impl Traffic {
    /// What was done since an earlier moment.
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
    /// The counts now.
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

    /// How long the device will be busy, in nanoseconds.
    pub(crate) fn busy(&self) -> u64 {
        self.busy_until.load(Relaxed).saturating_sub(clock())
    }

    /// Work of so many nanoseconds was submitted.
    pub(crate) fn occupy(&self, time: u64) {
        self.occupied.fetch_add(time, Relaxed);
        let now = clock();
        let _ = self.busy_until.fetch_update(Relaxed, Relaxed, |until| Some(until.max(now) + time));
    }

    /// How long it would have been busy with all that was ever submitted, in nanoseconds.
    pub(crate) fn occupied(&self) -> u64 {
        self.occupied.load(Relaxed)
    }

    /// The device is idle.
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

    /// A kernel was made.
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

    /// A transform or product was submitted to a library.
    pub fn library_call(&self) {
        self.library_calls.fetch_add(1, Relaxed);
    }

    pub(crate) fn plan(&self, made: bool) {
        let count = if made { &self.plans_made } else { &self.plans_reused };
        count.fetch_add(1, Relaxed);
    }
}

/// Nanoseconds since the first question.
fn clock() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(START.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
