//! How much memory the copies of stored arrays may take, which of them go when others need room, and which are not written yet.

use crate::context;
use crate::error::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// The elements of a stored array, whatever their type.
pub(crate) trait Kept: Send + Sync {
    /// When somebody used them last.
    fn last_use(&self) -> u64;
    /// Gives up the copy in memory if nobody uses it, after writing what is there only. Says how many bytes became free.
    fn put_away(&self) -> Result<usize>;
    /// Writes what is in memory only, and says that the store is whole.
    fn flush(&self) -> Result<()>;
}

/// A stored array. What a program writes is kept until it is written, also where the program has forgotten the array.
struct Entry {
    kept: Weak<dyn Kept>,
    unwritten: Option<Arc<dyn Kept>>,
}

static ENTRIES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());
/// Bytes of all copies in memory.
static USED: AtomicUsize = AtomicUsize::new(0);
/// Whether there has been a stored array.
static IN_USE: AtomicBool = AtomicBool::new(false);

fn entries() -> MutexGuard<'static, Vec<Entry>> {
    ENTRIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the program has used stored arrays.
#[inline]
pub(crate) fn in_use() -> bool {
    IN_USE.load(Ordering::Relaxed)
}

/// Adds a stored array. What is `written` by the program is kept until it is flushed.
pub(crate) fn add(kept: &Arc<dyn Kept>, written: bool) {
    let mut entries = entries();
    entries.retain(|entry| entry.kept.strong_count() > 0);
    entries.push(Entry { kept: Arc::downgrade(kept), unwritten: written.then(|| Arc::clone(kept)) });
    IN_USE.store(true, Ordering::Relaxed);
}

/// Bytes that copies of stored arrays may take, from the setting in MB; half of the machine's where that is 0.
pub(crate) fn limit() -> usize {
    match context::store_budget() {
        0 => machine_memory() / 2,
        megabytes => usize::try_from(megabytes).unwrap_or(usize::MAX).saturating_mul(1 << 20),
    }
}

/// Bytes of the machine's memory.
fn machine_memory() -> usize {
    const UNKNOWN: usize = 8 << 30;
    let kilobytes =
        |line: &str| line.strip_prefix("MemTotal:")?.trim().strip_suffix("kB")?.trim().parse().ok();
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    text.lines().find_map(kilobytes).map_or(UNKNOWN, |n: usize| n << 10)
}

/// Arrays that are larger than a part of the budget go to files when there is no room.
#[cfg(feature = "zarr")]
pub(crate) fn is_large(bytes: usize) -> bool {
    const PARTS: usize = 16;
    in_use() && bytes > limit() / PARTS
}

/// Memory that reading and writing chunks of so many bytes takes beside the rows themselves.
pub(crate) fn for_chunks(bytes: usize) -> usize {
    // What is encoded and what is decoded, and the same once more where a part of a chunk is written.
    let threads = if may_share(bytes) { context::threads() } else { 1 };
    bytes.saturating_mul(3).saturating_mul(threads)
}

/// Whether threads read and write chunks of so many bytes at the same time.
pub(crate) fn may_share(bytes: usize) -> bool {
    const PART: usize = 4;
    bytes.saturating_mul(3).saturating_mul(context::threads()) <= limit() / PART
}

/// Room for bytes of a copy, given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Room(usize);

impl Drop for Room {
    fn drop(&mut self) {
        USED.fetch_sub(self.0, Ordering::AcqRel);
    }
}

impl Room {
    /// Takes room if there is some.
    fn take(bytes: usize) -> Option<Room> {
        let limit = limit();
        let more = |used: usize| used.checked_add(bytes).filter(|sum| *sum <= limit);
        USED.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).ok().map(|_| Room(bytes))
    }

    /// Takes all room that there is, when what nobody uses is put away.
    pub(crate) fn most() -> Result<Room> {
        while put_one_away()? {}
        loop {
            let bytes = limit().saturating_sub(USED.load(Ordering::Acquire));
            if let Some(room) = Room::take(bytes) {
                return Ok(room);
            }
        }
    }

    /// How much it is.
    pub(crate) fn bytes(&self) -> usize {
        self.0
    }

    /// Takes room for a copy of the array of a name. Other copies that nobody uses are put away for it.
    pub(crate) fn reserve(bytes: usize, name: &dyn Fn() -> String) -> Result<Room> {
        loop {
            if let Some(room) = Room::take(bytes) {
                return Ok(room);
            }
            if bytes > limit() || !put_one_away()? {
                return Err(no_room(bytes, &name()));
            }
        }
    }
}

/// Whether there is room for so many bytes, when what nobody uses is put away for them.
pub(crate) fn make_room(bytes: usize) -> Result<bool> {
    loop {
        if limit().saturating_sub(USED.load(Ordering::Acquire)) >= bytes {
            return Ok(true);
        }
        if bytes > limit() || !put_one_away()? {
            return Ok(false);
        }
    }
}

/// The error for an array that does not fit.
#[cold]
pub(crate) fn no_room(bytes: usize, name: &str) -> Error {
    no_room_beside(bytes, name, 0)
}

/// As [`no_room`], for who has some room already.
#[cold]
pub(crate) fn no_room_beside(bytes: usize, name: &str, own: usize) -> Error {
    let megabytes = |bytes: usize| format!("{:.1} MB", bytes as f64 / f64::from(1 << 20));
    let (limit, used) = (limit(), USED.load(Ordering::Acquire).saturating_sub(own));
    let others =
        if used == 0 { String::new() } else { format!(", of which arrays in use have {}", megabytes(used)) };
    Error::system(format!(
        "{name}: {bytes} bytes are needed in memory at once ({}); RUNTIME_STORE_BUDGET allows {}{others}",
        megabytes(bytes),
        megabytes(limit),
    ))
}

/// Puts the copy away that was not used for the longest time. Says whether there was one.
pub(crate) fn put_one_away() -> Result<bool> {
    // Arrays are held here while the list is not: dropping the last handle of one changes it.
    let mut all: Vec<Arc<dyn Kept>> = entries().iter().filter_map(|entry| entry.kept.upgrade()).collect();
    all.sort_by_key(|kept| kept.last_use());
    for kept in all {
        if kept.put_away()? > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Writes all that programs have written. The first error counts, after all others had their turn.
pub(crate) fn flush() -> Result<()> {
    if in_use() { flush_if(&|_| true) } else { Ok(()) }
}

/// Writes the arrays that programs have written and forgotten.
#[cfg(feature = "zarr")]
pub(crate) fn flush_forgotten() -> Result<()> {
    flush_if(&|kept| Arc::strong_count(kept) <= 2)
}

/// Writes arrays of the list that pass a test: they are in the list and in the hand of who asks.
fn flush_if(test: &dyn Fn(&Arc<dyn Kept>) -> bool) -> Result<()> {
    let all: Vec<Arc<dyn Kept>> = entries().iter().filter_map(|entry| entry.unwritten.clone()).collect();
    let mut result = Ok(());
    for kept in all.iter().filter(|kept| test(kept)) {
        result = result.and(kept.flush());
    }
    drop(all);
    // Arrays that nobody has any more are forgotten; their memory goes behind the list.
    let mut gone = Vec::new();
    if result.is_ok() {
        entries().retain_mut(|entry| {
            let alone = entry.unwritten.as_ref().is_some_and(|kept| Arc::strong_count(kept) == 1);
            gone.extend(entry.unwritten.take_if(|_| alone));
            !alone
        });
    }
    result
}
