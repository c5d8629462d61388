//! Where the time goes: kernels, copies, allocations, calls of the library and compilations, with their times.
//!
//! With `QUASAR_PROFILE=report.json` in the environment, any program writes a [`Report`] when it ends; [`start`] and [`stop`] measure a
//! part of one. `quasar profile x.q` runs a program so and prints the report.
//!
//! Kernels of the processor and everything that the host does are timed by a clock, kernels of devices by the device: their
//! times come in while the program goes on. A program that is not measured asks once per launch, copy or call whether it is.

mod compare;
mod confidence;
mod limits;
mod record;
mod report;
mod text;

pub use limits::{Limits, is_of_this_machine, limits};
pub use report::{Event, Kind, Memory, Report, Row};
pub use text::{bytes as shown_bytes, place as shown_place, time as shown_time};

use crate::error::Result;
use crate::process;
use record::{Recorder, Span, What};
use std::borrow::Cow;
use std::cell::Cell;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};
use std::time::Instant;

/// The variable of the environment with the name of the report.
pub const VARIABLE: &str = "QUASAR_PROFILE";

/// A kernel in the source, as generated code names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its name for messages.
    pub name: &'static str,
    /// Its file.
    pub file: &'static str,
    /// The line where it begins; 0 if that is unknown.
    pub line: u32,
}

const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// The process that writes the report.
static PROCESS: AtomicU32 = AtomicU32::new(0);
static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

thread_local! {
    /// Nanoseconds of what ended inside of what this thread is doing.
    static INSIDE: Cell<u64> = const { Cell::new(0) };
    /// The kernel that the next launch on a device belongs to, the bytes of its arrays, and its operations.
    static LAUNCHED: Cell<Option<(Source, u64, Option<u64>)>> = const { Cell::new(None) };
    /// The operations of a position of the launch that this thread makes, if they are known.
    static OPERATIONS: Cell<Option<f64>> = const { Cell::new(None) };
    /// The number of this thread among those that did something; 0 as long as it has none.
    static THREAD: Cell<u32> = const { Cell::new(0) };
}

/// Where something ran, for the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Track {
    /// A thread of the host, which also waits there for copies and compilations.
    Thread(u32),
    /// The stream of a device.
    Stream,
}

impl Track {
    fn of_this_thread() -> Track {
        static THREADS: AtomicU32 = AtomicU32::new(0);
        if THREAD.get() == 0 {
            THREAD.set(THREADS.fetch_add(1, Ordering::Relaxed) + 1);
        }
        Track::Thread(THREAD.get())
    }

    fn name(self) -> String {
        match self {
            Track::Thread(number) => format!("thread {number}"),
            Track::Stream => "stream".to_owned(),
        }
    }
}

fn recorder() -> MutexGuard<'static, Option<Recorder>> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether somebody measures.
#[inline(always)]
pub(crate) fn is_on() -> bool {
    match STATE.load(Ordering::Relaxed) {
        OFF => false,
        ON => true,
        _ => first_question(),
    }
}

#[cold]
#[inline(never)]
fn first_question() -> bool {
    static ASKED: Once = Once::new();
    ASKED.call_once(|| {
        let path = std::env::var_os(VARIABLE).filter(|path| !path.is_empty());
        if let Some(path) = path {
            // Absolute: the program may go to another folder.
            let path = std::path::absolute(&path).unwrap_or_else(|_| PathBuf::from(path));
            PROCESS.store(process::watched(), Ordering::Relaxed);
            *recorder() = Some(Recorder::new(Some(path)));
            STATE.store(ON, Ordering::Relaxed);
            crate::at_exit::call(write_at_exit);
        } else {
            let _ = STATE.compare_exchange(UNKNOWN, OFF, Ordering::Relaxed, Ordering::Relaxed);
        }
    });
    STATE.load(Ordering::Relaxed) == ON
}

/// Writes the report of the environment's choice. Nothing may panic here, and nobody may be waited for.
fn write_at_exit() {
    STATE.store(OFF, Ordering::Relaxed);
    // A forked process is not the one that was asked.
    if process::generation() != PROCESS.load(Ordering::Relaxed) {
        return;
    }
    let Ok(mut found) = RECORDER.try_lock() else { return };
    let Some(recorder) = found.take() else { return };
    drop(found);
    let Some(path) = recorder.output.clone() else { return };
    let report = recorder.finish();
    if let Err(error) = report.save(&path) {
        let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("Warning: {error}\n"));
    }
}

/// Whether somebody measures: the environment says so, or [`start`] was called.
pub fn measures() -> bool {
    is_on()
}

/// Begins to measure; what was measured before is forgotten. Devices give exact times if this is called before they are used.
pub fn start() {
    // Whatever the environment says, it is asked once.
    let _ = is_on();
    let mut recorder = recorder();
    let output = recorder.take().and_then(|old| old.output);
    *recorder = Some(Recorder::new(output));
    STATE.store(ON, Ordering::Relaxed);
}

/// Waits for the devices that are used, and says what was measured since [`start`]; nothing where nobody measures.
pub fn stop() -> Result<Report> {
    for device in crate::context::active_devices() {
        device.synchronize()?;
    }
    let mut found = recorder();
    let taken = found.take();
    STATE.store(OFF, Ordering::Relaxed);
    drop(found);
    Ok(taken.map(Recorder::finish).unwrap_or_default())
}

/// Something that the host does, from now until it is dropped.
pub(crate) struct Timer {
    what: What,
    begin: Instant,
    bytes: u64,
    /// What had ended inside of what goes on around this.
    outside: u64,
    grid: [u32; 3],
    operations: Option<u64>,
    device: Cow<'static, str>,
}

impl Timer {
    fn begin(what: What, device: Cow<'static, str>, bytes: u64, grid: [u32; 3]) -> Timer {
        let (begin, outside) = (Instant::now(), INSIDE.replace(0));
        Timer { what, begin, bytes, outside, grid, operations: None, device }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        let time = u64::try_from(self.begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let inside = INSIDE.replace(self.outside.saturating_add(time));
        let mut found = recorder();
        let Some(recorder) = &mut *found else { return };
        let what = std::mem::take(&mut self.what);
        let device = recorder.device(&self.device);
        let start = recorder.at(self.begin);
        let own = time.saturating_sub(inside);
        let (bytes, grid, block, operations) = (self.bytes, self.grid, [0; 3], self.operations);
        let (own, track) = (Some(own), Track::of_this_thread());
        recorder.add(Span { what, device, track, start, time, own, bytes, operations, grid, block });
    }
}

/// The name of the processor among the devices.
const PROCESSOR: Cow<'static, str> = Cow::Borrowed("CPU");

/// A launch on the processor, of a part of its positions or of all.
#[cold]
pub(crate) fn kernel(source: &'static Source, bytes: usize, dims: &[i32], positions: u64) -> Timer {
    let grid = extents(dims.iter().map(|&n| u32::try_from(n).unwrap_or(0)));
    let mut timer = Timer::begin(What::of(source), PROCESSOR, bytes as u64, grid);
    timer.operations = operations_of(positions);
    timer
}

/// Says how many operations a position of the next launch of this thread has; asked only where somebody measures.
#[inline]
pub fn count_operations(of_position: impl FnOnce() -> Option<f64>) {
    if is_on() {
        OPERATIONS.set(of_position());
    }
}

/// The operations of so many positions of the launch that goes on.
fn operations_of(positions: u64) -> Option<u64> {
    OPERATIONS.get().map(|of_one| (of_one * positions as f64).min(record::MOST as f64) as u64)
}

/// A call of a library function.
#[inline]
pub(crate) fn library(name: &str) -> Option<Timer> {
    is_on().then(|| Timer::begin(What::named(Kind::Library, name.to_owned()), PROCESSOR, 0, [0; 3]))
}

/// A copy, an allocation or a compilation for a device.
#[inline]
#[cfg_attr(
    not(any(feature = "cuda", feature = "opencl")),
    expect(dead_code, reason = "for devices with a driver")
)]
pub(crate) fn host(kind: Kind, name: &'static str, device: &str, bytes: usize) -> Option<Timer> {
    is_on()
        .then(|| Timer::begin(What::named(kind, name), Cow::Owned(device.to_owned()), bytes as u64, [0; 3]))
}

/// A kernel that is compiled for a device.
#[inline]
#[cfg_attr(
    not(any(feature = "cuda", feature = "opencl")),
    expect(dead_code, reason = "for devices with a driver")
)]
pub(crate) fn compilation(name: &str, device: &str) -> Option<Timer> {
    is_on().then(|| {
        let name = name.strip_prefix("k_").map_or(name, shown);
        let what = What::named(Kind::Compilation, name.to_owned());
        Timer::begin(what, Cow::Owned(device.to_owned()), 0, [0; 3])
    })
}

/// What a device says of the time of a launch.
pub(crate) enum Poll {
    /// It is not over yet.
    Waiting,
    /// It began so many nanoseconds after it was submitted, if the device knows that, and took so many.
    Took(Option<u64>, u64),
    /// The device does not say.
    #[cfg_attr(
        not(any(feature = "cuda", feature = "opencl")),
        expect(dead_code, reason = "only drivers may not know")
    )]
    Unknown,
}

/// A launch on a device that may still go on.
pub(crate) trait Timing: Send {
    /// Asks, and does not wait.
    fn poll(&mut self) -> Poll;
}

/// The next launch on a device by this thread is that of a kernel, for so many of its positions.
pub(crate) fn launching(source: Source, bytes: usize, positions: u64) {
    LAUNCHED.set(Some((source, bytes as u64, operations_of(positions))));
}

/// What [`launching`] said is over, also where nothing was launched.
pub(crate) fn launched() {
    LAUNCHED.set(None);
}

/// A launch that was submitted to a device. Kernels of the run-time system have no place in a source.
pub(crate) fn submitted(
    name: &str,
    device: &str,
    (grid, block): ([u32; 3], [u32; 3]),
    bytes: usize,
    timing: Box<dyn Timing>,
) {
    let launched = LAUNCHED.take();
    let what = launched.map_or_else(
        || What::named(Kind::Kernel, name.to_owned()),
        |(source, ..)| What { kind: Kind::Kernel, ..What::of_source(source) },
    );
    let bytes = launched.map_or(bytes as u64, |(_, bytes, _)| bytes);
    let operations = launched.and_then(|(.., operations)| operations);
    let mut found = recorder();
    let Some(recorder) = &mut *found else { return };
    let (device, start) = (recorder.device(device), recorder.at(Instant::now()));
    let (track, time, own) = (Track::Stream, 0, None);
    let span = Span { what, device, track, start, time, own, bytes, operations, grid, block };
    recorder.wait_for(span, timing);
}

/// Asks for the times of launches on devices that are over.
pub(crate) fn settle() {
    if let Some(recorder) = &mut *recorder() {
        recorder.settle();
    }
}

/// Says how much memory for arrays is in use now: that of the host, or of a device.
#[cold]
pub(crate) fn memory(device: &str, bytes: usize) {
    if let Some(recorder) = &mut *recorder() {
        let (device, at) = (recorder.device(device), recorder.at(Instant::now()));
        recorder.in_use(device, at, bytes as u64);
    }
}

/// The name of the interpreter among the devices.
pub const INTERPRETER: &str = "interpreter";

/// The name of the host where memory is told apart.
pub(crate) const HOST: &str = "host";

/// Adds a launch that another engine timed: a name, its file and line, when it began, and the extents of the launch.
pub fn add_kernel(name: &str, place: Option<(&str, u32)>, begin: Instant, dims: &[usize]) {
    let time = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let mut found = recorder();
    let Some(recorder) = &mut *found else { return };
    let (file, line) = place.unwrap_or(("", 0));
    let what = What {
        kind: Kind::Kernel,
        name: Cow::Owned(shown(name).to_owned()),
        file: Cow::Owned(file.to_owned()),
        line,
    };
    let grid = extents(dims.iter().map(|&n| u32::try_from(n).unwrap_or(u32::MAX)));
    let (device, start) = (recorder.device(INTERPRETER), recorder.at(begin));
    let (own, track, block) = (Some(time), Track::of_this_thread(), [0; 3]);
    let (bytes, operations) = (0, None);
    recorder.add(Span { what, device, track, start, time, own, bytes, operations, grid, block });
}

/// Three extents; those of more dimensions count together.
fn extents(dims: impl Iterator<Item = u32>) -> [u32; 3] {
    let mut dims = dims.fuse();
    let (first, second) = (dims.next().unwrap_or(1), dims.next().unwrap_or(1));
    [first, second, dims.fold(1, u32::saturating_mul)]
}

/// The name of a kernel as a user knows it: `main_line5` for `(parallel_do) opt__main_line5`.
fn shown(name: &str) -> &str {
    let name = name.split_once(") ").map_or(name, |(_, name)| name);
    name.strip_prefix("opt__").unwrap_or(name)
}
