//! The ranks of this program, and how they agree.

use crate::error::{Error, Result};
use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::ThreadId;

/// How bytes come to other ranks. All ranks make the same calls in the same order.
pub(crate) trait Transport: Send + Sync {
    /// The number of this rank, and how many there are.
    fn place(&self) -> (usize, usize);
    /// Sends messages to ranks, and waits for messages of these lengths from ranks, in the order in which they are listed. Ranks that
    /// wait with different labels get an error.
    fn exchange(
        &self,
        label: u64,
        sends: Vec<(usize, Vec<u8>)>,
        expected: &[(usize, usize)],
    ) -> Result<Vec<Vec<u8>>>;
    /// The bytes of all ranks, which may be of different lengths.
    fn all_gather(&self, label: u64, bytes: &[u8]) -> Result<Vec<Vec<u8>>>;
    /// Tells the others what went wrong on this rank, and hears what went wrong on the first one where something did.
    fn conclude(&self, label: u64, failure: Option<&str>) -> Result<Option<(usize, String)>>;
    /// Ends the connection.
    fn close(&self);
}

/// The ranks of this program.
pub(crate) struct World {
    transport: Box<dyn Transport>,
    rank: usize,
    size: usize,
    /// The thread that calls functions of programs.
    thread: ThreadId,
    /// Bytes of arrays that this rank has sent.
    sent: AtomicU64,
    /// How often ranks have met, how many numbers were given, and how many calls have ended.
    meetings: AtomicU64,
    numbers: AtomicU64,
    calls: AtomicU64,
    closed: AtomicBool,
    /// Whether an exchange with another rank did not end as it should.
    failed: AtomicBool,
}

static WORLD: OnceLock<World> = OnceLock::new();

/// Keeps the connection to the other ranks. To be dropped at the end of `main`: a program that ends otherwise ends all ranks.
#[must_use = "the connection ends when it is dropped"]
pub struct Cluster {
    not_send: std::marker::PhantomData<*const ()>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("rank", &rank()).field("size", &size()).finish()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(world) = WORLD.get()
            && !world.closed.swap(true, Ordering::AcqRel)
        {
            world.transport.close();
        }
    }
}

/// Joins the ranks that `mpirun -n N` started; without it, there is one. To be called first in `main`, once, by the thread that will
/// call functions of programs.
///
/// The error is that another rank runs another program, or that MPI does not work.
///
/// ```no_run
/// # #[cfg(feature = "mpi")]
/// # fn main() -> quasar_runtime::Result<()> {
/// use quasar_runtime::cluster;
///
/// let _cluster = cluster::init()?;
/// println!("rank {} of {}", cluster::rank(), cluster::size());
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "mpi"))]
/// # fn main() {}
/// ```
pub fn init() -> Result<Cluster> {
    if WORLD.get().is_some() {
        return Err(Error::argument("the cluster was joined before: call `cluster::init` once"));
    }
    let transport = connect()?;
    let (rank, size) = transport.place();
    let world = World {
        transport,
        rank,
        size,
        thread: std::thread::current().id(),
        sent: AtomicU64::new(0),
        meetings: AtomicU64::new(0),
        numbers: AtomicU64::new(0),
        calls: AtomicU64::new(0),
        closed: AtomicBool::new(false),
        failed: AtomicBool::new(false),
    };
    let world = WORLD.get_or_init(|| world);
    if size > 1 {
        agree(world)?;
        world.transport.conclude(world.label("join"), None)?;
    }
    Ok(Cluster { not_send: std::marker::PhantomData })
}

#[cfg(feature = "mpi")]
fn connect() -> Result<Box<dyn Transport>> {
    Ok(Box::new(super::mpi::Mpi::connect()?))
}

#[cfg(not(feature = "mpi"))]
fn connect() -> Result<Box<dyn Transport>> {
    Err(Error::argument("this program was built without the feature `mpi` of the crate `quasar-array`"))
}

/// What all ranks must have in common: the program, random numbers, and numbers of threads, on which the order of sums depends.
fn agree(world: &World) -> Result<()> {
    let program = crate::process::image();
    let threads = crate::context::threads() as u64;
    let seed = crate::context::host_state().seed;
    let own: Vec<u8> = [program, threads, seed].iter().flat_map(|n| n.to_ne_bytes()).collect();
    let all = world.all_gather("join", &own)?;
    let number = |bytes: &[u8], k: usize| {
        bytes.chunks_exact(8).nth(k).and_then(|b| b.try_into().ok()).map_or(0, u64::from_ne_bytes)
    };
    let other = all.iter().position(|bytes| number(bytes, 0) != program);
    if let Some(other) = other {
        let text = format!("rank {other} runs another program than rank {}", world.rank);
        return Err(Error::argument(text));
    }
    let threads = all.iter().map(|bytes| number(bytes, 1)).min().unwrap_or(threads);
    crate::context::set_threads(usize::try_from(threads).unwrap_or(1))?;
    crate::context::seed(all.first().map_or(seed, |first| number(first, 2)));
    Ok(())
}

/// The number of this rank; 0 without [`init`].
pub fn rank() -> usize {
    WORLD.get().map_or(0, |world| world.rank)
}

/// How many ranks there are; 1 without [`init`].
pub fn size() -> usize {
    WORLD.get().map_or(1, |world| world.size)
}

/// How many bytes of arrays this rank has sent to others.
pub fn bytes_sent() -> u64 {
    WORLD.get().map_or(0, |world| world.sent.load(Ordering::Relaxed))
}

/// Whether there are other ranks.
#[inline]
pub(crate) fn is_active() -> bool {
    WORLD.get().is_some_and(|world| world.size > 1)
}

/// A number that the same thing on all ranks gets, and no other one.
pub(crate) fn next_number() -> u64 {
    WORLD.get().map_or(0, |world| world.numbers.fetch_add(1, Ordering::Relaxed))
}

/// Whether this rank prints and writes files.
pub(crate) fn is_first() -> bool {
    rank() == 0
}

/// Has the first rank do something that is seen outside, such as writing a file. The others go on when it is done.
pub(crate) fn on_first<R>(f: impl FnOnce() -> Result<R>, other: impl FnOnce() -> R) -> Result<R> {
    if !is_active() {
        return f();
    }
    let result = if is_first() { f() } else { Ok(other()) };
    world()?.all_gather("one rank", &[])?;
    result
}

/// The ranks, for the thread that may ask them.
pub(crate) fn world() -> Result<&'static World> {
    let world = WORLD.get().ok_or_else(|| Error::system("there are no other ranks"))?;
    if world.thread != std::thread::current().id() {
        let text = "arrays that ranks share are for the thread that called `cluster::init`";
        return Err(Error::argument(text));
    }
    if world.closed.load(Ordering::Acquire) {
        return Err(Error::system("the connection to the other ranks has ended"));
    }
    Ok(world)
}

impl World {
    /// Sends and receives bytes of arrays, for what a label names. Messages begin with the label, so that ranks that make different
    /// calls do not take each other's bytes for something else.
    pub(crate) fn exchange(
        &self,
        what: &str,
        sends: Vec<(usize, Vec<u8>)>,
        expected: &[(usize, usize)],
    ) -> Result<Vec<Vec<u8>>> {
        let label = self.label(what);
        let bytes: usize = sends.iter().map(|(_, message)| message.len()).sum();
        self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
        let labelled = |(to, message): (usize, Vec<u8>)| (to, labelled(label, &message));
        let sends = sends.into_iter().map(labelled).collect();
        let lengths: Vec<_> = expected.iter().map(|(from, bytes)| (*from, bytes + LABEL)).collect();
        let messages = self.noted(self.transport.exchange(label, sends, &lengths))?;
        let parts = messages
            .into_iter()
            .zip(expected)
            .map(|(message, (from, _))| without_label(label, &message, *from));
        self.noted(parts.collect())
    }

    /// The bytes of all ranks.
    pub(crate) fn all_gather(&self, what: &str, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let label = self.label(what);
        let messages = self.noted(self.transport.all_gather(label, &labelled(label, bytes)))?;
        let parts = messages.iter().enumerate().map(|(from, message)| without_label(label, message, from));
        self.noted(parts.collect())
    }

    /// A number for what ranks do together now.
    fn label(&self, what: &str) -> u64 {
        let mut digest = std::hash::DefaultHasher::new();
        std::hash::Hasher::write_u64(&mut digest, self.meetings.fetch_add(1, Ordering::Relaxed));
        std::hash::Hasher::write(&mut digest, what.as_bytes());
        std::hash::Hasher::finish(&digest)
    }

    /// The number of this rank, and how many there are.
    pub(crate) fn place(&self) -> (usize, usize) {
        (self.rank, self.size)
    }

    /// Notes that a call did not end as it should.
    fn noted<R>(&self, result: Result<R>) -> Result<R> {
        self.failed.fetch_or(result.is_err(), Ordering::AcqRel);
        result
    }
}

/// Bytes of a label.
const LABEL: usize = size_of::<u64>();

fn labelled(label: u64, message: &[u8]) -> Vec<u8> {
    [label.to_ne_bytes().as_slice(), message].concat()
}

fn without_label(label: u64, message: &[u8], from: usize) -> Result<Vec<u8>> {
    match message.split_at_checked(LABEL) {
        Some((front, rest)) if front == label.to_ne_bytes() => Ok(rest.to_vec()),
        _ => Err(differs(from)),
    }
}

/// The error that ranks do not make the same calls.
pub(super) fn differs(rank: usize) -> Error {
    Error::system(format!(
        "rank {rank} makes another call, or one with other sizes: all ranks must make the same calls with the same numbers"
    ))
}

/// The result of an exported function, on all ranks: an error of one is an error of all.
pub(crate) fn conclude<R>(result: Result<R>) -> Result<R> {
    let Some(world) = WORLD.get().filter(|world| world.size > 1) else { return result };
    if world.thread != std::thread::current().id() || world.closed.load(Ordering::Acquire) {
        return result;
    }
    // What this rank heard from another it does not tell again, wherever in the program it was said since.
    let has_heard = world.failed.swap(false, Ordering::AcqRel);
    let own = result.as_ref().err().filter(|_| !has_heard).map(ToString::to_string);
    let label = world.label("end of a call");
    let heard = world.transport.conclude(label, own.as_deref())?;
    let calls = world.calls.fetch_add(1, Ordering::Relaxed) + 1;
    if heard.is_some() {
        // Ranks that left a call early have met less often: from here on all count alike again.
        world.meetings.store(calls << 32, Ordering::Relaxed);
        world.numbers.store(calls << 32, Ordering::Relaxed);
    }
    match heard {
        Some((rank, text)) if rank != world.rank => Err(match result {
            Err(error) if own.is_some() => error,
            _ => Error::system(format!("rank {rank}: {text}")),
        }),
        _ => result,
    }
}
