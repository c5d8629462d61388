//! The state that programs share: settings, where `print` writes; and what each thread has of its
//! own: the random generator, the timer, captured output.

use crate::cluster;
use crate::device::select;
use crate::error::{Error, Place, Result};
use crate::kernel::deferred_errors;
use crate::memory;
use crate::settings::{self, Settings, Source};
use quasar_devicelib::element::ElementType;
use quasar_devicelib::isa::{self, Level};
use quasar_devicelib::kernel::groups;
use quasar_devicelib::stack;
use quasar_devicelib::value::HostState;
use std::cell::RefCell;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

pub use crate::device::select::{
    active_device, active_devices, with_device, with_device_where_faster, with_devices,
};

/// Looked for in the working directory, unless `QUASAR_CONFIG` names another file.
pub use quasar_devicelib::settings::CONFIG_FILE;

struct Shared {
    settings: Settings,
    warnings: Vec<Error>,
    /// The engine that was in effect last.
    engine: (&'static str, Option<u8>),
}

/// A copy of [`settings::SERIAL_WORK`], which every launch asks for.
static SERIAL_WORK: AtomicU64 = AtomicU64::new(1 << 18);
/// A copy of [`settings::CLUSTER_WORK`].
static CLUSTER_WORK: AtomicU64 = AtomicU64::new(1 << 22);
/// A copy of [`settings::DIVIDED_WORK`].
static DIVIDED_WORK: AtomicU64 = AtomicU64::new(0);
/// Bytes by [`settings::HOST_CACHE`].
static HOST_CACHE: AtomicU64 = AtomicU64::new(512 << 10);
/// A copy of [`settings::STORE_BUDGET`].
static STORE_BUDGET: AtomicU64 = AtomicU64::new(0);
/// A copy of the number of threads, as far as they are configured.
static THREADS: AtomicU64 = AtomicU64::new(0);
/// Copies of what settings say to every launch on a device.
static MODES: AtomicU8 = AtomicU8::new(CAUTIOUS);
/// The engine is not `auto`.
const NAMES_ENGINE: u8 = 1;
/// Kernels run on the CPU when device memory is short.
const CAUTIOUS: u8 = 2;
/// Each launch is done before the next.
const ONE_AT_A_TIME: u8 = 4;
/// What kernels write is checked for NaN and infinities.
const CHECKS_NUMBERS: u8 = 8;

fn shared() -> MutexGuard<'static, Shared> {
    static SHARED: OnceLock<Mutex<Shared>> = OnceLock::new();
    SHARED.get_or_init(|| Mutex::new(initial())).lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads the configuration file and the environment.
fn initial() -> Shared {
    let mut settings = Settings::default();
    let mut warnings = Vec::new();
    let named = std::env::var_os("QUASAR_CONFIG");
    let path = named.clone().unwrap_or_else(|| CONFIG_FILE.into());
    match quasar_files::read::settings(path.as_ref(), None) {
        Ok(text) => warnings.extend(settings.load_file(&text)),
        Err(error) if named.is_some() || error.kind() != std::io::ErrorKind::NotFound => {
            warnings.push(Error::File {
                place: Place::UNKNOWN,
                function: "the configuration file",
                path: path.into(),
                message: error.to_string(),
            })
        }
        Err(_) => {}
    }
    warnings.extend(settings.load_environment(|name| std::env::var(name).ok()));
    warnings.iter().for_each(show);
    let engine = (settings.word(settings::ENGINE), settings.device_number(settings::ENGINE));
    let mut shared = Shared { settings, warnings, engine };
    shared.apply();
    shared
}

fn show(warning: &Error) {
    // A program without standard error still runs.
    let _ = writeln!(std::io::stderr(), "quasar: warning: {warning}");
}

impl Shared {
    /// Lets the settings take effect.
    fn apply(&mut self) {
        memory::set_limit(
            usize::try_from(self.settings.number(settings::HOST_POOL_SIZE))
                .unwrap_or(0)
                .saturating_mul(1 << 20),
        );
        let engine = (self.settings.word(settings::ENGINE), self.settings.device_number(settings::ENGINE));
        if std::mem::replace(&mut self.engine, engine) != engine {
            select::forget();
        }
        let mode = |holds: bool, mode: u8| if holds { mode } else { 0 };
        let modes = mode(engine.0 != "auto", NAMES_ENGINE)
            | mode(self.settings.word(settings::SCHEDULING_MODE) != "MaximizePerformance", CAUTIOUS)
            | mode(!self.settings.is_true(settings::CONCURRENT), ONE_AT_A_TIME)
            | mode(self.settings.is_true(settings::CHECK_NAN_INF), CHECKS_NUMBERS);
        MODES.store(modes, Ordering::Relaxed);
        CLUSTER_WORK.store(self.settings.number(settings::CLUSTER_WORK), Ordering::Relaxed);
        DIVIDED_WORK.store(self.settings.number(settings::DIVIDED_WORK), Ordering::Relaxed);
        SERIAL_WORK.store(self.settings.number(settings::SERIAL_WORK), Ordering::Relaxed);
        HOST_CACHE.store(self.settings.number(settings::HOST_CACHE) << 10, Ordering::Relaxed);
        STORE_BUDGET.store(self.settings.number(settings::STORE_BUDGET), Ordering::Relaxed);
        stack::set_limit(u32::try_from(self.settings.number(settings::CALLS)).unwrap_or(u32::MAX));
        groups::set_warp_size(self.settings.word(settings::WARP_SIZE).parse().unwrap_or(groups::WARP));
        isa::limit(match self.settings.word(settings::INSTRUCTIONS) {
            "baseline" => Level::Baseline,
            "avx2" => Level::Avx2,
            _ => Level::Avx512,
        });
        THREADS.store(self.settings.number(settings::THREADS), Ordering::Relaxed);
    }
}

/// Lets settings take effect, unless they have.
pub(crate) fn apply_settings() {
    drop(shared());
}

/// All settings as they are now.
pub fn settings() -> Settings {
    shared().settings.clone()
}

/// What was wrong in the configuration file and the environment, or could not be done as they say.
pub fn warnings() -> Vec<Error> {
    shared().warnings.clone()
}

/// Adds a warning, and shows it the first time.
pub(crate) fn warn(warning: Error) {
    let mut shared = shared();
    if !shared.warnings.contains(&warning) {
        show(&warning);
        shared.warnings.push(warning);
    }
}

/// Changes a setting. This has priority over the environment and the configuration file.
///
/// ```
/// quasar_runtime::context::set("RUNTIME_HOST_POOLSIZE", "256")?;
/// let error = quasar_runtime::context::set("RUNTIME_ENGINE", "abacus").unwrap_err();
/// assert!(error.to_string().contains("use auto, cpu, cuda"));
/// # Ok::<(), quasar_runtime::Error>(())
/// ```
pub fn set(name: &str, value: &str) -> Result<()> {
    let mut shared = shared();
    shared.settings.set(name, value, Source::Program)?;
    shared.apply();
    Ok(())
}

/// Reads another configuration file. The result says what was wrong in it.
pub fn load_config(path: impl AsRef<std::path::Path>) -> Result<Vec<Error>> {
    let path = path.as_ref();
    let text = quasar_files::read::settings(path, None).map_err(|error| Error::File {
        place: Place::UNKNOWN,
        function: "load_config",
        path: path.to_path_buf(),
        message: error.to_string(),
    })?;
    let mut shared = shared();
    let warnings = shared.settings.load_file(&text);
    shared.apply();
    Ok(warnings)
}

/// The number of threads that parallel loops use.
pub fn threads() -> usize {
    read_settings();
    threads_kept()
}

/// The number of threads, as far as the settings have been read.
pub(crate) fn threads_kept() -> usize {
    static PROCESSORS: OnceLock<usize> = OnceLock::new();
    match THREADS.load(Ordering::Relaxed) {
        0 => *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from)),
        threads => usize::try_from(threads).unwrap_or(usize::MAX),
    }
}

/// Sets the number of threads that parallel loops use; 0 means one for each processor.
pub fn set_threads(threads: usize) -> Result<()> {
    set(settings::THREADS, &threads.to_string())
}

/// Runs `f`. Parallel loops use the configured threads wherever they run, so that there is nothing to enter any more.
pub fn install<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    f()
}

/// MB of memory for copies of stored arrays; 0 means half of the machine's.
pub(crate) fn store_budget() -> u64 {
    read_settings();
    STORE_BUDGET.load(Ordering::Relaxed)
}

/// Whether the settings name an engine.
pub(crate) fn names_engine() -> bool {
    MODES.load(Ordering::Relaxed) & NAMES_ENGINE != 0
}

/// Whether kernels run on the CPU when device memory is short.
pub(crate) fn is_cautious() -> bool {
    MODES.load(Ordering::Relaxed) & CAUTIOUS != 0
}

/// Whether each launch on a device is done before the next.
pub(crate) fn is_one_at_a_time() -> bool {
    MODES.load(Ordering::Relaxed) & ONE_AT_A_TIME != 0
}

/// Whether what kernels write is checked for NaN and infinities.
#[inline]
pub fn checks_numbers() -> bool {
    read_settings();
    MODES.load(Ordering::Relaxed) & CHECKS_NUMBERS != 0
}

/// Waits until all devices have done what was submitted; the first error of a launch of this thread. Work on the
/// processor is done when a call returns.
pub fn synchronize() -> Result<()> {
    for device in select::possibly_busy() {
        device.synchronize()?;
    }
    deferred_errors::settle()
}

/// Runs `f`, in which functions of Quasar programs return before their launches on devices are done. What went wrong in
/// them comes as the error of `batch`, or of the first call in `f` that needs a result.
///
/// Otherwise a function returns when it is known that all its launches succeed.
pub fn batch<R>(f: impl FnOnce() -> Result<R>) -> Result<R> {
    deferred_errors::batch(f)
}

/// Loops of fewer operations run on the calling thread.
pub fn serial_work() -> u64 {
    read_settings();
    SERIAL_WORK.load(Ordering::Relaxed)
}

/// Launches of fewer operations are not shared by the ranks of a cluster.
pub(crate) fn cluster_work() -> u64 {
    read_settings();
    CLUSTER_WORK.load(Ordering::Relaxed)
}

/// Whether all devices of the engine share a launch of so many operations for which the program did not ask it.
pub(crate) fn divides(work: u64) -> bool {
    read_settings();
    let least = DIVIDED_WORK.load(Ordering::Relaxed);
    least != 0 && work >= least
}

/// Bytes of a core's cache that line buffers may fill.
pub(crate) fn cache() -> usize {
    read_settings();
    usize::try_from(HOST_CACHE.load(Ordering::Relaxed)).unwrap_or(usize::MAX)
}

/// Reads the configuration file and the environment, unless that was done.
#[inline]
fn read_settings() {
    static READ: OnceLock<()> = OnceLock::new();
    READ.get_or_init(|| drop(shared()));
}

/// Sends what programs print to a writer; `None` means standard output. Output captured by [`capture`] is not
/// concerned.
pub fn set_output(writer: Option<Box<dyn Write + Send>>) {
    let before = std::mem::replace(&mut *output(), writer);
    drop(before);
}

/// A lock of its own: a console that does not take more text holds up those who print, and no launches.
fn output() -> MutexGuard<'static, Option<Box<dyn Write + Send>>> {
    static OUTPUT: Mutex<Option<Box<dyn Write + Send>>> = Mutex::new(None);
    OUTPUT.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    static CAPTURED: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static STATE: RefCell<Option<HostState>> = const { RefCell::new(None) };
}

/// Writes text where `print` of this thread goes. The error is that of a full disk, or of a pipe that nobody reads any more.
pub fn print(text: &str) -> Result<()> {
    let captured = CAPTURED.with_borrow_mut(|sinks| match sinks.last_mut() {
        Some(sink) => {
            sink.push_str(text);
            true
        }
        None => false,
    });
    if captured {
        return Ok(());
    }
    if !cluster::is_first() {
        return Ok(());
    }
    let written = match &mut *output() {
        Some(writer) => writer.write_all(text.as_bytes()).and_then(|()| writer.flush()),
        None => std::io::stdout().write_all(text.as_bytes()),
    };
    written.map_err(|error| Error::system(format!("the output cannot be written: {error}")))
}

/// Runs `f` and returns what this thread printed in the meantime, instead of writing it.
///
/// ```
/// let text = quasar_runtime::context::with_output(|| quasar_runtime::context::print("hello\n").unwrap());
/// assert_eq!(text, "hello\n");
/// ```
pub fn with_output(f: impl FnOnce()) -> String {
    capture(f).1
}

/// Runs `f` and returns its result and what this thread printed in the meantime, instead of writing it.
pub fn capture<R>(f: impl FnOnce() -> R) -> (R, String) {
    /// Removes the sink also when `f` panics.
    struct Sink(usize);
    impl Drop for Sink {
        fn drop(&mut self) {
            CAPTURED.with_borrow_mut(|sinks| sinks.truncate(self.0));
        }
    }
    let sink = CAPTURED.with_borrow_mut(|sinks| {
        sinks.push(String::new());
        Sink(sinks.len() - 1)
    });
    let result = f();
    let text = CAPTURED.with_borrow_mut(|sinks| sinks.pop()).unwrap_or_default();
    drop(sink);
    (result, text)
}

/// Restarts the random generator of this thread. Without it, every thread of every run draws other numbers.
pub fn seed(seed: u64) {
    let mut state = host_state();
    let before = state.counter;
    state.seed = seed;
    state.counter = 0;
    keep_host_state(state, before);
}

/// The milliseconds between all `tic` and `toc` of this thread since they were asked for.
pub(crate) fn take_timed() -> Option<f64> {
    let mut state = host_state();
    let timed = state.timed.take();
    let before = state.counter;
    keep_host_state(state, before);
    timed
}

/// The state of library functions on this thread.
pub(crate) fn host_state() -> HostState {
    STATE.with_borrow(Clone::clone).unwrap_or_else(|| HostState::new(random_seed(), ElementType::Single))
}

/// Keeps the state of library functions on this thread for the next call. `before` is what it was taken with: the numbers that were drawn.
pub(crate) fn keep_host_state(mut state: HostState, before: u64) {
    STATE.with_borrow_mut(|kept| {
        if let Some(kept) = kept
            && kept.seed == state.seed
        {
            // A callback may have drawn numbers in between, which are not drawn again. A seed starts at zero.
            let drawn = state.counter.wrapping_sub(before);
            state.counter = if state.counter == 0 { 0 } else { kept.counter.wrapping_add(drawn) };
        }
        *kept = Some(state);
    });
}

/// Random keys of the standard library's hasher: different in every run and on every thread.
fn random_seed() -> u64 {
    RandomState::new().hash_one(std::thread::current().id())
}

/// Milliseconds since the first question.
pub fn now_ms() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captured_output_nests_and_survives_panics() {
        let (inner, outer) = capture(|| {
            print("a").unwrap();
            let inner = with_output(|| print("b").unwrap());
            let result = std::panic::catch_unwind(|| {
                with_output(|| {
                    print("lost").unwrap();
                    panic!("expected by the test");
                })
            });
            assert!(result.is_err());
            print("c").unwrap();
            inner
        });
        assert_eq!((inner.as_str(), outer.as_str()), ("b", "ac"));
    }

    #[test]
    fn a_seed_restarts_the_generator() {
        seed(5);
        let mut state = host_state();
        assert_eq!((state.seed, state.counter), (5, 0));
        state.counter = 10;
        keep_host_state(state.clone(), 0);
        assert_eq!(host_state().counter, 10);
        state.counter = 7;
        keep_host_state(state.clone(), 10);
        assert_eq!(host_state().counter, 7, "numbers that are given back");
        state.counter = 3;
        keep_host_state(state, 1);
        assert_eq!(host_state().counter, 9, "others were drawn in between");
        seed(5);
        assert_eq!(host_state().counter, 0);
        let other = std::thread::spawn(|| host_state().seed).join().unwrap();
        assert_ne!(other, std::thread::spawn(|| host_state().seed).join().unwrap());
    }

    #[test]
    fn threads_can_be_configured() {
        assert!(threads() >= 1);
        assert!(set_threads(5000).is_err());
        set_threads(2).unwrap();
        assert_eq!(threads(), 2);
        assert_eq!(crate::threads::count(), 2);
        set_threads(0).unwrap();
        assert!(serial_work() > 0);
    }
}
