//! Calls that are watched: how far their launches are, and an end before their time.
//!
//! A launch on the processor is cut into more chunks when somebody watches it. Between two chunks, and before each launch and each
//! function of the library, a call sees that it was cancelled. A kernel that runs on a device is not interrupted.

use crate::error::{Error, Result};
use crate::kernel::deferred_errors;
use crate::profile::Source;
use std::cell::RefCell;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// Cancels calls, from any thread. Clones cancel the same calls.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Cancels nothing yet.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends all calls that it belongs to, now and later, with [`Error::Cancelled`].
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether [`Cancel::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// How far a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// The kernel that runs, as messages name it, or the function of the library.
    pub kernel: &'a str,
    /// The file of the kernel; empty for the library.
    pub file: &'a str,
    /// The line where the kernel begins; 0 if that is unknown.
    pub line: u32,
    /// How many launches and calls of the library the call has begun, with this one.
    pub launch: u64,
    /// How many positions of the launch are computed.
    pub done: u64,
    /// All positions of the launch.
    pub total: u64,
}

impl Progress<'_> {
    /// The part of the launch that is done, from 0 to 1.
    pub fn fraction(&self) -> f64 {
        if self.total == 0 { 1.0 } else { self.done as f64 / self.total as f64 }
    }
}

type Report = Arc<dyn Fn(Progress<'_>) + Send + Sync>;

/// A call that somebody watches: of a generated function, or of several.
///
/// ```
/// use quasar_runtime::{Array, Call, Cancel, ElementType, Error, library};
///
/// let cancel = Cancel::new();
/// let result = Call::new().cancelled_by(&cancel).run(|| {
///     cancel.cancel(); // as another thread would
///     library::call("fft1", &[Array::from([1.0f32, 2.0]).to_value()], 1, ElementType::Single)
/// });
/// assert!(matches!(result, Err(Error::Cancelled { .. })));
/// ```
#[derive(Clone, Default)]
#[must_use = "nothing happens before `run` or `spawn`"]
pub struct Call {
    cancel: Cancel,
    report: Option<Report>,
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("cancel", &self.cancel).field("reports", &self.report.is_some()).finish()
    }
}

impl Call {
    /// Nobody watches it yet.
    pub fn new() -> Call {
        Call::default()
    }

    /// Ends with [`Error::Cancelled`] after `cancel` was cancelled.
    pub fn cancelled_by(mut self, cancel: &Cancel) -> Call {
        self.cancel = cancel.clone();
        self
    }

    /// Tells of progress: at the begin of launches and while they run, some fifty times a second. `report` is called by the threads that
    /// compute, by one at a time.
    pub fn progress(mut self, report: impl Fn(Progress<'_>) + Send + Sync + 'static) -> Call {
        self.report = Some(Arc::new(report));
        self
    }

    /// Calls `f`. What it calls on this thread is watched.
    ///
    /// # Errors
    /// What `f` returns, or [`Error::Cancelled`].
    pub fn run<R>(self, f: impl FnOnce() -> Result<R>) -> Result<R> {
        let watched =
            Arc::new(Watched { call: self, launches: AtomicU64::new(0), reported: Mutex::new(None) });
        let _guard = Guard::enter(Arc::clone(&watched));
        let result = f();
        if watched.call.cancel.is_cancelled() { Err(Error::cancelled()) } else { result }
    }

    /// Calls `f` on a thread of its own. The result is a future, for any executor, and can be waited for without one.
    ///
    /// # Errors
    /// If there is no memory for another thread.
    pub fn spawn<R: Send + 'static>(
        self,
        f: impl FnOnce() -> Result<R> + Send + 'static,
    ) -> Result<Running<R>> {
        let cancel = self.cancel.clone();
        let end =
            Arc::new(End { state: Mutex::new(State { result: None, waker: None }), done: Condvar::new() });
        let theirs = Arc::clone(&end);
        let body = move || {
            let ended = Ended(theirs);
            let result = self.run(|| f().and_then(|found| deferred_errors::settle().map(|()| found)));
            ended.0.lock().result = Some(result);
        };
        let thread = thread::Builder::new().name("quasar-call".to_owned()).spawn(body);
        thread.map_err(|error| Error::system(format!("no thread for the call: {error}")))?;
        Ok(Running { cancel, end })
    }
}

/// Calls a function on a thread of its own: `spawn(move || sharpen(&image))?.await`.
///
/// # Errors
/// As [`Call::spawn`].
pub fn spawn<R: Send + 'static>(f: impl FnOnce() -> Result<R> + Send + 'static) -> Result<Running<R>> {
    Call::new().spawn(f)
}

/// A call on another thread. It goes on when this is dropped.
#[derive(Debug)]
#[must_use = "a future does nothing with the result unless it is awaited"]
pub struct Running<R> {
    cancel: Cancel,
    end: Arc<End<R>>,
}

#[derive(Debug)]
struct End<R> {
    state: Mutex<State<R>>,
    done: Condvar,
}

#[derive(Debug)]
struct State<R> {
    result: Option<Result<R>>,
    waker: Option<Waker>,
}

impl<R> End<R> {
    fn lock(&self) -> std::sync::MutexGuard<'_, State<R>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes who waits when the thread ends, also by a panic.
struct Ended<R>(Arc<End<R>>);

impl<R> Drop for Ended<R> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.result.get_or_insert_with(|| Err(Error::system("the call panicked")));
        let waker = state.waker.take();
        drop(state);
        self.0.done.notify_all();
        waker.into_iter().for_each(Waker::wake);
    }
}

impl<R> Running<R> {
    /// Ends the call with [`Error::Cancelled`], at the next chunk of a launch.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Whether the result is there.
    pub fn is_finished(&self) -> bool {
        self.end.lock().result.is_some()
    }

    /// Waits for the result.
    ///
    /// # Errors
    /// Those of the call.
    pub fn join(self) -> Result<R> {
        let mut state = self.end.lock();
        loop {
            match state.result.take() {
                Some(result) => return result,
                None => state = self.end.done.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl<R> Future for Running<R> {
    type Output = Result<R>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<R>> {
        let mut state = self.end.lock();
        match state.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                state.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// What a watched call knows of itself.
struct Watched {
    call: Call,
    launches: AtomicU64,
    /// When progress was reported last.
    reported: Mutex<Option<Instant>>,
}

/// The time between two reports.
const BETWEEN: Duration = Duration::from_millis(20);

impl Watched {
    /// The number of a launch.
    fn begin(&self) -> u64 {
        self.launches.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Tells of progress. Small steps that follow another soon, or meet the report of another thread, stay untold.
    fn report<'a>(&self, progress: impl FnOnce() -> Progress<'a>, always: bool) {
        let Some(report) = &self.call.report else { return };
        let reported = match always {
            true => Some(self.reported.lock().unwrap_or_else(PoisonError::into_inner)),
            false => self.reported.try_lock().ok(),
        };
        let Some(mut reported) = reported else { return };
        if always || reported.is_none_or(|before| before.elapsed() >= BETWEEN) {
            report(progress());
            *reported = Some(Instant::now());
        }
    }
}

/// How many calls of the process are watched, so that others look no further.
static WATCHED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static CURRENT: RefCell<Option<Arc<Watched>>> = const { RefCell::new(None) };
}

/// The call that this thread is in, until it is dropped.
struct Guard(Option<Arc<Watched>>);

impl Guard {
    fn enter(watched: Arc<Watched>) -> Guard {
        WATCHED.fetch_add(1, Ordering::Relaxed);
        Guard(CURRENT.replace(Some(watched)))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
        WATCHED.fetch_sub(1, Ordering::Relaxed);
    }
}

fn current() -> Option<Arc<Watched>> {
    if WATCHED.load(Ordering::Relaxed) == 0 {
        return None;
    }
    CURRENT.with_borrow(Clone::clone)
}

/// An error if the call of this thread was cancelled.
#[inline]
pub(crate) fn check() -> Result<()> {
    match current() {
        Some(watched) if watched.call.cancel.is_cancelled() => Err(Error::cancelled()),
        _ => Ok(()),
    }
}

/// The same before a function of the library, of which progress tells.
pub(crate) fn library(name: &str) -> Result<()> {
    let Some(watched) = current() else { return Ok(()) };
    if watched.call.cancel.is_cancelled() {
        return Err(Error::cancelled());
    }
    let launch = watched.begin();
    watched.report(|| Progress { kernel: name, file: "", line: 0, launch, done: 0, total: 1 }, false);
    Ok(())
}

/// A launch of a watched call.
pub(crate) struct Launch {
    watched: Arc<Watched>,
    progress: Progress<'static>,
    begin: Instant,
    done: AtomicU64,
}

impl Launch {
    /// Whether what is left of it should be skipped.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.watched.call.cancel.is_cancelled()
    }

    /// So many positions more are computed.
    pub(crate) fn did(&self, positions: u64) {
        let done = self.done.fetch_add(positions, Ordering::Relaxed) + positions;
        let was_long = done >= self.progress.total && self.begin.elapsed() >= BETWEEN;
        // What is done is read where it is told, one report after the other, so that it never goes back.
        let now = || Progress { done: self.done.load(Ordering::Relaxed), ..self.progress };
        self.watched.report(now, was_long);
    }
}

/// The launch of a kernel over so many positions, if somebody watches it.
pub(crate) fn launch(source: &'static Source, positions: u64) -> Option<Launch> {
    let watched = current()?;
    let Source { name: kernel, file, line } = *source;
    let progress = Progress { kernel, file, line, launch: watched.begin(), done: 0, total: positions };
    watched.report(|| progress, false);
    Some(Launch { watched, progress, begin: Instant::now(), done: AtomicU64::new(0) })
}
