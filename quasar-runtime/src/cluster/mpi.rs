//! Messages by MPI. Calls that wait look meanwhile whether another rank has failed, so that an error on one rank ends the waiting of all.
//!
//! Three communicators keep apart what must not meet: arrays, what ends a call of a function, and the news that a rank failed. After a
//! failure arrays get a new communicator, so that messages that nobody took any more are never taken for others.

use super::world::{Transport, differs};
use crate::error::{Error, Result};
use mpi::environment::Universe;
use mpi::ffi::{
    MPI_Comm, MPI_Comm_dup, MPI_Comm_rank, MPI_Comm_size, MPI_Datatype, MPI_Iallgather, MPI_Iallgatherv,
    MPI_Iallreduce, MPI_Iprobe, MPI_Irecv, MPI_Isend, MPI_Recv, MPI_Request, MPI_Status, MPI_Test,
    RSMPI_ANY_SOURCE, RSMPI_COMM_WORLD, RSMPI_INT32_T, RSMPI_SUM, RSMPI_UINT8_T,
};
use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of one message of MPI, which counts with `int`.
const MOST_BYTES: usize = 1 << 30;
/// Bytes of the text of an error that others hear of.
const MOST_TEXT: usize = 1000;
/// What ranks say of one that has ended.
const ENDS_EARLY: &str = "it has ended while others go on";
/// How long a rank that ends waits for the others.
const LAST_WAIT: Duration = Duration::from_secs(10);
/// The tag of arrays, of errors, of a rank that has ended, and of one that waits.
const ARRAY: c_int = 1;
const FAILED: c_int = 2;
const ENDED: c_int = 3;
const WAITS: c_int = 4;
/// How long a rank waits before it tells the others what for.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many meetings a rank remembers.
const REMEMBERED: usize = 4096;

/// The connection to the other ranks.
pub(super) struct Mpi {
    state: Mutex<State>,
    rank: usize,
    size: usize,
}

struct State {
    /// Ends MPI when it is dropped.
    universe: Option<Universe>,
    arrays: MPI_Comm,
    calls: MPI_Comm,
    news: MPI_Comm,
    /// What was heard and not yet told.
    heard: Vec<(usize, String)>,
    /// The ranks that have ended, and how many calls each has concluded.
    ended: Vec<(usize, u64)>,
    /// How many calls of functions this rank has concluded.
    concluded: u64,
    /// The labels of the last meetings, and how many there were.
    labels: VecDeque<u64>,
    meetings: u64,
    /// When this rank began to wait, and whether it has told the others.
    waits_since: Option<Instant>,
    has_told: bool,
    /// For what others have waited longer: the rank, the number of the meeting and its label.
    waiting: Vec<(usize, u64, u64)>,
    place: (usize, usize),
}

// SAFETY: handles of MPI may be used by any thread where it is initialised with `Threading::Serialized`, by one at a time, which the lock
// around the state sees to.
unsafe impl Send for State {}

fn failed(what: &str) -> Error {
    Error::system(format!("MPI: {what} failed"))
}

/// The error of a call whose return value is not zero.
fn check(code: c_int, what: &str) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(failed(what)) }
}

impl Mpi {
    /// Joins the ranks that `mpirun` started.
    pub(super) fn connect() -> Result<Mpi> {
        let (universe, given) = mpi::initialize_with_threading(mpi::Threading::Serialized)
            .ok_or_else(|| Error::system("MPI was initialised by other code of this process"))?;
        if given < mpi::Threading::Serialized {
            return Err(Error::system("this MPI does not take calls of several threads"));
        }
        let (mut rank, mut size) = (0, 0);
        // SAFETY: MPI is initialised; the communicator of all ranks exists, and the targets are integers of this function.
        let (arrays, calls, news) = unsafe {
            check(MPI_Comm_rank(RSMPI_COMM_WORLD, &raw mut rank), "MPI_Comm_rank")?;
            check(MPI_Comm_size(RSMPI_COMM_WORLD, &raw mut size), "MPI_Comm_size")?;
            (duplicate(RSMPI_COMM_WORLD)?, duplicate(RSMPI_COMM_WORLD)?, duplicate(RSMPI_COMM_WORLD)?)
        };
        let state = State {
            universe: Some(universe),
            arrays,
            calls,
            news,
            heard: Vec::new(),
            ended: Vec::new(),
            concluded: 0,
            labels: VecDeque::new(),
            meetings: 0,
            waits_since: None,
            has_told: false,
            waiting: Vec::new(),
            place: (0, 0),
        };
        let number = |n: c_int| usize::try_from(n).map_err(|_| failed("MPI_Comm_size"));
        let place = (number(rank)?, number(size)?);
        Ok(Mpi { state: Mutex::new(State { place, ..state }), rank: place.0, size: place.1 })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let rank = self.rank;
        (0..self.size).filter(move |other| *other != rank)
    }
}

/// A communicator of the same ranks.
///
/// # Safety
/// MPI is initialised, the communicator exists, and all its ranks call this.
unsafe fn duplicate(of: MPI_Comm) -> Result<MPI_Comm> {
    let mut copy = MaybeUninit::uninit();
    // SAFETY: as the caller says; the target is a handle of this function.
    unsafe {
        check(MPI_Comm_dup(of, copy.as_mut_ptr()), "MPI_Comm_dup")?;
        Ok(copy.assume_init())
    }
}

fn bytes_type() -> MPI_Datatype {
    // SAFETY: a constant of the library, which is loaded.
    unsafe { RSMPI_UINT8_T }
}

fn count(bytes: usize) -> Result<c_int> {
    c_int::try_from(bytes).map_err(|_| Error::system("a message between ranks is too long"))
}

fn number(rank: usize) -> c_int {
    c_int::try_from(rank).unwrap_or(c_int::MAX)
}

/// Requests that are under way, with the memory that they use. If one does not end, the memory stays: MPI may still use it.
struct Pending {
    requests: Vec<MPI_Request>,
    sent: Vec<Vec<u8>>,
    received: Vec<Vec<u8>>,
}

impl Pending {
    fn new() -> Pending {
        Pending { requests: Vec::new(), sent: Vec::new(), received: Vec::new() }
    }

    fn send(&mut self, comm: MPI_Comm, to: usize, tag: c_int, message: Vec<u8>) -> Result<()> {
        for part in message.chunks(MOST_BYTES) {
            let mut request = MaybeUninit::uninit();
            // SAFETY: the vector keeps its memory when it moves to `sent`, which stays until all requests have ended.
            let code = unsafe {
                MPI_Isend(
                    part.as_ptr().cast::<c_void>(),
                    count(part.len())?,
                    bytes_type(),
                    number(to),
                    tag,
                    comm,
                    request.as_mut_ptr(),
                )
            };
            check(code, "MPI_Isend")?;
            // SAFETY: the call has set it.
            self.requests.push(unsafe { request.assume_init() });
        }
        self.sent.push(message);
        Ok(())
    }

    fn receive(&mut self, comm: MPI_Comm, from: usize, tag: c_int, bytes: usize) -> Result<()> {
        let mut message = vec![0_u8; bytes];
        for part in message.chunks_mut(MOST_BYTES) {
            let mut request = MaybeUninit::uninit();
            // SAFETY: as in `send`; nobody reads the memory before all requests have ended.
            let code = unsafe {
                MPI_Irecv(
                    part.as_mut_ptr().cast::<c_void>(),
                    count(part.len())?,
                    bytes_type(),
                    number(from),
                    tag,
                    comm,
                    request.as_mut_ptr(),
                )
            };
            check(code, "MPI_Irecv")?;
            // SAFETY: the call has set it.
            self.requests.push(unsafe { request.assume_init() });
        }
        self.received.push(message);
        Ok(())
    }

    /// Waits until all requests have ended.
    fn wait(mut self, state: &mut State) -> Result<Vec<Vec<u8>>> {
        let mut turns = 0_u32;
        while let Some(request) = self.requests.last_mut() {
            if has_ended(request)? {
                self.requests.pop();
                continue;
            }
            if let Some((rank, text)) = state.news()? {
                // MPI may still use the memory.
                std::mem::forget(self);
                return Err(Error::system(format!("rank {rank}: {text}")));
            }
            pause(&mut turns);
        }
        Ok(self.received)
    }
}

/// Whether a request has ended.
fn has_ended(request: &mut MPI_Request) -> Result<bool> {
    let (mut flag, mut status) = (0, MaybeUninit::<MPI_Status>::uninit());
    // SAFETY: the request was made by MPI and has not ended before; the targets are of this function.
    check(unsafe { MPI_Test(request, &raw mut flag, status.as_mut_ptr()) }, "MPI_Test")?;
    Ok(flag != 0)
}

/// Lets others work: ranks may be more than processors.
fn pause(turns: &mut u32) {
    *turns = turns.saturating_add(1);
    match *turns {
        0..200 => std::hint::spin_loop(),
        200..5000 => std::thread::yield_now(),
        _ => std::thread::sleep(Duration::from_micros(50)),
    }
}

impl State {
    /// What another rank says of its end or of an error, if it has said something that was not heard.
    fn news(&mut self) -> Result<Option<(usize, String)>> {
        if self.ended_early().is_none()
            && let Some(heard) = self.listen()?
        {
            return Ok(Some(heard));
        }
        self.look_for_differences()?;
        Ok(self.ended_early().map(|rank| (rank, ENDS_EARLY.into())))
    }

    /// Begins a meeting with a label.
    fn meet(&mut self, label: u64) {
        self.meetings += 1;
        self.labels.push_back(label);
        if self.labels.len() > REMEMBERED {
            self.labels.pop_front();
        }
        (self.waits_since, self.has_told) = (None, false);
    }

    /// Tells the others for what this rank waits, when it has waited long, and compares what they wait for with its own meetings.
    fn look_for_differences(&mut self) -> Result<()> {
        let began = *self.waits_since.get_or_insert_with(Instant::now);
        if !self.has_told && began.elapsed() > PATIENCE {
            self.has_told = true;
            let text = format!("{} {}", self.meetings, self.labels.back().copied().unwrap_or(0));
            let (rank, size) = self.place;
            (0..size).filter(|other| *other != rank).try_for_each(|other| self.tell(other, WAITS, &text))?;
        }
        let labels = &self.labels;
        let first = self.meetings - labels.len() as u64 + 1;
        let label = |meeting: u64| {
            let k = meeting.checked_sub(first)?;
            labels.get(usize::try_from(k).ok()?).copied()
        };
        let differs_from =
            |(_, meeting, other): &&(usize, u64, u64)| label(*meeting).is_some_and(|own| own != *other);
        match self.waiting.iter().find(differs_from) {
            Some((rank, ..)) => Err(differs(*rank)),
            None => Ok(()),
        }
    }

    /// A rank that has ended and does not take part in what this one waits for: that belongs to the next call to be concluded.
    fn ended_early(&self) -> Option<usize> {
        self.ended.iter().find(|(_, concluded)| *concluded <= self.concluded).map(|(rank, _)| *rank)
    }

    /// Takes what another rank says of an error, if one does. Notes ends.
    fn listen(&mut self) -> Result<Option<(usize, String)>> {
        for tag in [FAILED, ENDED, WAITS] {
            let (mut flag, mut status) = (0, MaybeUninit::<MPI_Status>::uninit());
            // SAFETY: MPI is initialised; the targets are of this function.
            let code =
                unsafe { MPI_Iprobe(RSMPI_ANY_SOURCE, tag, self.news, &raw mut flag, status.as_mut_ptr()) };
            check(code, "MPI_Iprobe")?;
            if flag != 0 {
                // SAFETY: set, since there is a message.
                let from = unsafe { status.assume_init() }.MPI_SOURCE;
                return self.hear(from, tag);
            }
        }
        Ok(None)
    }

    /// Takes what a rank says.
    fn hear(&mut self, from: c_int, tag: c_int) -> Result<Option<(usize, String)>> {
        let mut text = vec![0_u8; MOST_TEXT];
        let mut status = MaybeUninit::<MPI_Status>::uninit();
        // SAFETY: the memory is as long as the longest message of this tag.
        let code = unsafe {
            MPI_Recv(
                text.as_mut_ptr().cast::<c_void>(),
                count(MOST_TEXT)?,
                bytes_type(),
                from,
                tag,
                self.news,
                status.as_mut_ptr(),
            )
        };
        check(code, "MPI_Recv")?;
        // SAFETY: set by the call.
        let rank =
            usize::try_from(unsafe { status.assume_init() }.MPI_SOURCE).map_err(|_| failed("MPI_Recv"))?;
        let text = String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned();
        if tag == WAITS {
            let mut numbers = text.split(' ').filter_map(|n| n.parse().ok());
            if let (Some(meeting), Some(label)) = (numbers.next(), numbers.next()) {
                self.waiting.push((rank, meeting, label));
            }
            return Ok(None);
        }
        if tag == ENDED {
            self.ended.push((rank, text.parse().unwrap_or(0)));
            return Ok(None);
        }
        self.heard.push((rank, text.clone()));
        Ok(Some((rank, text)))
    }

    /// Tells a rank something, without waiting. The few bytes stay.
    fn tell(&self, to: usize, tag: c_int, text: &str) -> Result<()> {
        let mut text = text.as_bytes().to_vec();
        text.resize(MOST_TEXT, 0);
        let mut news = Pending::new();
        let sent = news.send(self.news, to, tag, text);
        std::mem::forget(news);
        sent
    }

    /// Waits for a request of all ranks.
    fn wait_for_all(&mut self, mut request: MPI_Request, listens: bool) -> Result<()> {
        let mut turns = 0;
        while !has_ended(&mut request)? {
            if listens && let Some((rank, text)) = self.news()? {
                return Err(Error::system(format!("rank {rank}: {text}")));
            }
            pause(&mut turns);
        }
        Ok(())
    }
}

impl Transport for Mpi {
    fn place(&self) -> (usize, usize) {
        (self.rank, self.size)
    }

    fn exchange(
        &self,
        label: u64,
        sends: Vec<(usize, Vec<u8>)>,
        expected: &[(usize, usize)],
    ) -> Result<Vec<Vec<u8>>> {
        let mut state = self.state();
        state.meet(label);
        let mut pending = Pending::new();
        for (from, bytes) in expected {
            pending.receive(state.arrays, *from, ARRAY, *bytes)?;
        }
        for (to, message) in sends {
            pending.send(state.arrays, to, ARRAY, message)?;
        }
        pending.wait(&mut state)
    }

    fn all_gather(&self, label: u64, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let mut state = self.state();
        state.meet(label);
        // Lengths first. Memory of requests that do not end stays, as in `Pending`.
        let own = Box::leak(Box::new(count(bytes.len())?));
        let lengths = vec![0_i32; self.size].leak();
        let mut request = MaybeUninit::uninit();
        // SAFETY: both stay until they are freed below, when the request has ended.
        let code = unsafe {
            MPI_Iallgather(
                std::ptr::from_ref(own).cast::<c_void>(),
                1,
                RSMPI_INT32_T,
                lengths.as_mut_ptr().cast::<c_void>(),
                1,
                RSMPI_INT32_T,
                state.arrays,
                request.as_mut_ptr(),
            )
        };
        check(code, "MPI_Iallgather")?;
        // SAFETY: set by the call.
        state.wait_for_all(unsafe { request.assume_init() }, true)?;
        let starts: Vec<c_int> = lengths
            .iter()
            .scan(0_i32, |start, n| Some(std::mem::replace(start, start.saturating_add(*n))))
            .collect();
        let total: usize = lengths.iter().map(|n| usize::try_from(*n).unwrap_or(0)).sum();
        count(total)?;
        if total == 0 {
            // SAFETY: leaked above, and no request uses them any more.
            unsafe { drop((Box::from_raw(own), Box::from_raw(lengths))) };
            return Ok(vec![Vec::new(); self.size]);
        }
        // Some implementations take no buffer without bytes.
        let from: Vec<u8> = bytes.iter().copied().chain([0]).collect();
        let (from, to, starts) = (from.leak(), vec![0_u8; total].leak(), starts.leak());
        let mut request = MaybeUninit::uninit();
        // SAFETY: as above; lengths and starts are those of `to`.
        let code = unsafe {
            MPI_Iallgatherv(
                from.as_ptr().cast::<c_void>(),
                *own,
                bytes_type(),
                to.as_mut_ptr().cast::<c_void>(),
                lengths.as_ptr(),
                starts.as_ptr(),
                bytes_type(),
                state.arrays,
                request.as_mut_ptr(),
            )
        };
        check(code, "MPI_Iallgatherv")?;
        // SAFETY: set by the call.
        state.wait_for_all(unsafe { request.assume_init() }, true)?;
        let part = |(start, n): (&c_int, &c_int)| {
            let (start, n) = (usize::try_from(*start).unwrap_or(0), usize::try_from(*n).unwrap_or(0));
            to.get(start..start + n).unwrap_or(&[]).to_vec()
        };
        let all = starts.iter().zip(lengths.iter()).map(part).collect();
        // SAFETY: all were leaked above, and no request uses them any more.
        unsafe {
            drop((Box::from_raw(own), Box::from_raw(lengths), Box::from_raw(from)));
            drop((Box::from_raw(to), Box::from_raw(starts)));
        }
        Ok(all)
    }

    fn conclude(&self, label: u64, failure: Option<&str>) -> Result<Option<(usize, String)>> {
        let mut state = self.state();
        state.meet(label);
        if let Some(rank) = state.ended_early() {
            return Ok(Some((rank, ENDS_EARLY.into())));
        }
        if let Some(text) = failure {
            let end =
                (0..=text.len().min(MOST_TEXT)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            let text = text.get(..end).unwrap_or("");
            for other in self.others() {
                state.tell(other, FAILED, text)?;
            }
            state.heard.push((self.rank, text.to_owned()));
        }
        let failures = state.sum(i32::from(failure.is_some()))?;
        state.concluded += 1;
        let failures = usize::try_from(failures).unwrap_or(0);
        if failures == 0 {
            return Ok(None);
        }
        while state.heard.len() < failures {
            state.hear_next()?;
        }
        // Ranks that left the call early have met less often.
        state.meetings = state.concluded << 32;
        state.labels.clear();
        let first = state.meetings;
        state.waiting.retain(|(_, meeting, _)| *meeting > first);
        // SAFETY: MPI is initialised, and all ranks are here, since all know of the failure.
        state.arrays = unsafe { duplicate(state.calls)? };
        let mut heard = std::mem::take(&mut state.heard);
        heard.sort();
        Ok(heard.into_iter().next())
    }

    fn close(&self) {
        let mut state = self.state();
        if std::thread::panicking() {
            // Nobody shall wait for this rank: without an end of MPI, `mpirun` ends the others.
            std::mem::forget(state.universe.take());
            return;
        }
        for other in self.others() {
            let _ = state.tell(other, ENDED, &state.concluded.to_string());
        }
        let began = Instant::now();
        while state.ended.len() + 1 < self.size && began.elapsed() < LAST_WAIT {
            if state.listen().is_err() {
                break;
            }
            if state.ended.len() + 1 < self.size {
                std::thread::sleep(Duration::from_micros(50));
            }
        }
        drop(state.universe.take());
    }
}

impl State {
    /// The sum of a number over all ranks.
    fn sum(&mut self, own: i32) -> Result<i32> {
        let numbers = Box::leak(Box::new([own, 0]));
        let [from, to] = numbers;
        let mut request = MaybeUninit::uninit();
        // SAFETY: both numbers stay, where the request does not end for ever.
        let code = unsafe {
            MPI_Iallreduce(
                std::ptr::from_ref(from).cast::<c_void>(),
                std::ptr::from_mut(to).cast::<c_void>(),
                1,
                RSMPI_INT32_T,
                RSMPI_SUM,
                self.calls,
                request.as_mut_ptr(),
            )
        };
        check(code, "MPI_Iallreduce")?;
        let mut turns = 0;
        // SAFETY: set by the call.
        let mut request = unsafe { request.assume_init() };
        while !has_ended(&mut request)? {
            self.news()?;
            if let Some(rank) = self.ended_early() {
                return Err(Error::system(format!("rank {rank}: {ENDS_EARLY}")));
            }
            pause(&mut turns);
        }
        let sum = *to;
        // SAFETY: leaked above; the request has ended.
        drop(unsafe { Box::from_raw(numbers) });
        Ok(sum)
    }

    /// Waits for what a rank that has failed says.
    fn hear_next(&mut self) -> Result<()> {
        let mut turns = 0;
        let before = self.heard.len();
        while self.heard.len() == before {
            self.listen()?;
            pause(&mut turns);
        }
        Ok(())
    }
}
