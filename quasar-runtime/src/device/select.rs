//! Device discovery, and the choice of the device that executes the kernels of a thread.
//!
//! Discovery is lazy: CUDA is initialised at the first launch of a program whose engine is `auto`, OpenCL only if the
//! settings ask for it, since its drivers start slowly and may run on the CPU itself.

use super::{Device, DeviceOptions, Unavailable};
use crate::context;
use crate::error::Error;
use crate::settings::ENGINE;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

/// The devices of one kind, or the reason why there are none.
pub type Devices = Result<Vec<Arc<dyn Device>>, Unavailable>;

/// The lowest byte is the state of the choice; the bits above count the calls of [`with_device`] in progress.
static STATE: AtomicU32 = AtomicU32::new(UNKNOWN);
const UNKNOWN: u32 = 0;
/// Kernels run on the CPU and no thread overrides that: the fast path of every launch.
const NONE: u32 = 1;
const SOME: u32 = 2;
const KNOWN: u32 = 0xFF;
const OVERRIDE: u32 = 0x100;

/// Counts invalidations of the choice, so that [`choose`] notices one that happened meanwhile.
static FORGOTTEN: AtomicU32 = AtomicU32::new(0);

static CHOSEN: RwLock<Vec<Arc<dyn Device>>> = RwLock::new(Vec::new());
/// Other working devices, which programs addressed by number.
static NAMED: RwLock<Vec<Arc<dyn Device>>> = RwLock::new(Vec::new());

thread_local! {
    /// The overrides by [`with_device`] and [`with_devices`] on this thread, the innermost last.
    static OWN: RefCell<Vec<DeviceOverride>> = const { RefCell::new(Vec::new()) };
}

/// A device override of a thread.
#[derive(Clone)]
struct DeviceOverride {
    devices: Vec<Arc<dyn Device>>,
    /// Whether all launches go there; otherwise only those that the cost model expects to be faster.
    always: bool,
}

/// Applies `ask` to the device override of this thread, if there is one.
fn own<R>(ask: impl FnOnce(&[Arc<dyn Device>]) -> R) -> Option<R> {
    // Behind the end of a thread, when reports are written, nothing is chosen.
    OWN.try_with(|stack| stack.borrow().last().map(|own| ask(&own.devices))).ok().flatten()
}

/// The device that executes kernels of this thread; `None` if the CPU does.
pub fn active_device() -> Option<Arc<dyn Device>> {
    if STATE.load(Ordering::Acquire) == NONE {
        return None;
    }
    if let Some(own) = own(|devices| devices.first().cloned()) {
        return own;
    }
    let first = first()?;
    if first.is_lost() {
        forget();
        return self::first();
    }
    Some(first)
}

/// The first of the chosen devices.
fn first() -> Option<Arc<dyn Device>> {
    match STATE.load(Ordering::Acquire) & KNOWN {
        SOME => CHOSEN.read().unwrap_or_else(PoisonError::into_inner).first().cloned(),
        _ => chosen().into_iter().next(),
    }
}

/// The devices among which launches are distributed: at most one unless the engine is `cuda - multi`.
pub fn active_devices() -> Vec<Arc<dyn Device>> {
    own(<[_]>::to_vec).unwrap_or_else(chosen)
}

/// Chooses one of several devices, by its index.
pub(crate) type Pick<'a> = &'a dyn Fn(&[Arc<dyn Device>]) -> usize;

/// The device for a launch. `pick` is asked if there are several.
pub(crate) fn device_for(pick: Pick<'_>) -> Option<Arc<dyn Device>> {
    if STATE.load(Ordering::Acquire) == NONE {
        return None;
    }
    let several = own(|devices| devices.len() > 1).unwrap_or_else(|| {
        STATE.load(Ordering::Acquire) & KNOWN == SOME
            && CHOSEN.read().unwrap_or_else(PoisonError::into_inner).len() > 1
    });
    if !several {
        return active_device();
    }
    let devices = active_devices();
    if devices.iter().any(|device| device.is_lost()) {
        forget();
        return active_device().filter(|device| !device.is_lost());
    }
    devices.get(pick(&devices)).cloned()
}

/// The devices that a program can address by number: the active devices, and with `auto` all CUDA devices.
pub(crate) fn addressed() -> Vec<Arc<dyn Device>> {
    let automatic = context::settings().word(ENGINE) == "auto";
    match own(<[_]>::to_vec) {
        Some(own) => own,
        None if automatic && STATE.load(Ordering::Acquire) & KNOWN != NONE => cuda().unwrap_or_default(),
        None => chosen(),
    }
}

/// The device with this number, modulo the number of devices.
pub(crate) fn addressed_device(number: usize) -> Option<Arc<dyn Device>> {
    let devices = addressed();
    if devices.iter().any(|device| device.is_lost()) {
        forget();
        return active_device();
    }
    let device = devices.get(number.checked_rem(devices.len())?)?;
    name(device);
    Some(Arc::clone(device))
}

/// All devices that a program can address, to share one launch; empty if one of them is lost.
pub(crate) fn addressed_devices() -> Vec<Arc<dyn Device>> {
    let devices = addressed();
    if devices.iter().any(|device| device.is_lost()) {
        forget();
        return Vec::new();
    }
    devices
}

/// Records that work may be submitted to a device.
pub(crate) fn name(device: &Arc<dyn Device>) {
    if possibly_busy().iter().all(|one| one.serial() != device.serial()) {
        NAMED.write().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(device));
    }
}

/// The devices that may have pending work. Does not start device discovery.
pub(crate) fn possibly_busy() -> Vec<Arc<dyn Device>> {
    match own(<[_]>::to_vec) {
        Some(own) => own,
        None if STATE.load(Ordering::Acquire) & KNOWN == SOME => {
            let mut devices = CHOSEN.read().unwrap_or_else(PoisonError::into_inner).clone();
            devices.extend(NAMED.read().unwrap_or_else(PoisonError::into_inner).iter().cloned());
            devices
        }
        None => Vec::new(),
    }
}

/// Whether there may be a device for this thread: the choice is open, or it is not the CPU.
pub(crate) fn possible() -> bool {
    let state = STATE.load(Ordering::Relaxed);
    state != NONE && own(|devices| !devices.is_empty()).unwrap_or(state & KNOWN != NONE)
}

/// Whether there is one. Starts device discovery where the choice is open.
pub(crate) fn is_there() -> bool {
    possible() && active_device().is_some()
}

/// Whether the active device was requested explicitly, so that all launches go there, not only those that are expected
/// to be faster.
pub(crate) fn is_explicit() -> bool {
    OWN.with_borrow(|stack| stack.last().map(|own| own.always)).unwrap_or_else(context::names_engine)
}

/// Whether some thread may use a device, without starting device discovery.
pub(crate) fn in_use() -> bool {
    STATE.load(Ordering::Relaxed) > NONE
}

/// Runs `f` with `device` (`None`: the CPU) as the device for launches of this thread.
pub fn with_device<R>(device: Option<Arc<dyn Device>>, f: impl FnOnce() -> R) -> R {
    with_own(DeviceOverride { devices: device.into_iter().collect(), always: true }, f)
}

/// Runs `f` with launches of this thread distributed among several devices.
pub fn with_devices<R>(devices: Vec<Arc<dyn Device>>, f: impl FnOnce() -> R) -> R {
    with_own(DeviceOverride { devices, always: true }, f)
}

/// Runs `f` with `device` for those launches of this thread that the cost model expects to be faster there than on the
/// CPU.
pub fn with_device_where_faster<R>(device: Arc<dyn Device>, f: impl FnOnce() -> R) -> R {
    with_own(DeviceOverride { devices: vec![device], always: false }, f)
}

fn with_own<R>(own: DeviceOverride, f: impl FnOnce() -> R) -> R {
    /// Restores the previous override, also when `f` panics.
    struct Choice;
    impl Drop for Choice {
        fn drop(&mut self) {
            let ended = OWN.with_borrow_mut(Vec::pop);
            STATE.fetch_sub(OVERRIDE, Ordering::AcqRel);
            drop(ended);
        }
    }
    STATE.fetch_add(OVERRIDE, Ordering::AcqRel);
    OWN.with_borrow_mut(|stack| stack.push(own));
    let _choice = Choice;
    f()
}

/// Invalidates the choice, so that the settings are read again.
pub(crate) fn forget() {
    FORGOTTEN.fetch_add(1, Ordering::AcqRel);
    STATE.fetch_and(!KNOWN, Ordering::AcqRel);
}

fn chosen() -> Vec<Arc<dyn Device>> {
    match STATE.load(Ordering::Acquire) & KNOWN {
        UNKNOWN => choose(),
        NONE => Vec::new(),
        _ => CHOSEN.read().unwrap_or_else(PoisonError::into_inner).clone(),
    }
}

/// Reads the settings, starts the device and stores the choice.
fn choose() -> Vec<Arc<dyn Device>> {
    static CHOOSING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = CHOOSING.lock().unwrap_or_else(PoisonError::into_inner);
    if STATE.load(Ordering::Acquire) & KNOWN != UNKNOWN {
        return chosen();
    }
    let before = FORGOTTEN.load(Ordering::Acquire);
    let settings = context::settings();
    let (engine, number) = (settings.word(ENGINE), settings.device_number(ENGINE));
    let found = match (engine, number) {
        ("cpu", _) => Ok(Vec::new()),
        // Most machines have no GPU, which deserves no warning unless one was requested.
        ("auto", _) => cuda().and_then(first_started).or_else(|_| Ok(Vec::new())),
        ("cuda - multi", _) => cuda().and_then(started),
        ("opencl", number) => opencl().and_then(|all| numbered(all, number)).and_then(started),
        (_, number) => cuda().and_then(|all| numbered(all, number)).and_then(started),
    };
    let devices = found.unwrap_or_else(|unavailable: Unavailable| {
        let message = format!("{engine} cannot be used, kernels run on the CPU: {unavailable}");
        context::warn(Error::Setting { name: ENGINE.into(), message });
        Vec::new()
    });
    CHOSEN.write().unwrap_or_else(PoisonError::into_inner).clone_from(&devices);
    NAMED.write().unwrap_or_else(PoisonError::into_inner).clear();
    STATE.fetch_or(if devices.is_empty() { NONE } else { SOME }, Ordering::AcqRel);
    if FORGOTTEN.load(Ordering::Acquire) != before {
        STATE.fetch_and(!KNOWN, Ordering::AcqRel);
    }
    devices
}

/// The first working device. Only that one is started, since a start takes a tenth of a second.
fn first_started(devices: Vec<Arc<dyn Device>>) -> Devices {
    let mut result = Ok(Vec::new());
    for device in devices {
        match started(vec![device]) {
            Ok(working) => return Ok(working),
            Err(reason) => result = result.and(Err(reason)),
        }
    }
    result
}

fn numbered(devices: Vec<Arc<dyn Device>>, number: Option<u8>) -> Devices {
    let (number, count) = (usize::from(number.unwrap_or(0)), devices.len());
    match devices.into_iter().nth(number) {
        Some(device) => Ok(vec![device]),
        None => Err(Unavailable::new(format!(
            "there is no device of number {number}, the number of devices is {count}"
        ))),
    }
}

/// The working devices; if none works, the failure of the first.
fn started(devices: Vec<Arc<dyn Device>>) -> Devices {
    let mut reason = None;
    let mut working = Vec::new();
    for device in devices {
        match device.synchronize() {
            Ok(()) => working.push(device),
            Err(error) => reason = reason.or(Some(Unavailable::new(error.to_string()))),
        }
    }
    match reason {
        Some(reason) if working.is_empty() => Err(reason),
        _ => Ok(working),
    }
}

/// The result of device discovery for one kind.
type Known = Mutex<Option<Devices>>;

fn look(known: &'static Known, probe: fn(&DeviceOptions) -> Devices) -> Devices {
    let mut known: MutexGuard<'_, _> = known.lock().unwrap_or_else(PoisonError::into_inner);
    let devices = known.get_or_insert_with(|| probe(&DeviceOptions::from_settings(&context::settings())));
    if let Ok(devices) = devices {
        for device in devices.iter_mut().filter(|device| device.is_lost()) {
            // A device that cannot be restarted stays in the list and fails when it is started.
            if let Ok(renewed) = device.renew() {
                *device = renewed;
            }
        }
    }
    devices.clone()
}

/// The CUDA devices, discovered once.
pub fn cuda() -> Devices {
    static KNOWN: Known = Mutex::new(None);
    look(&KNOWN, probe_cuda)
}

/// The OpenCL devices, discovered once: GPUs first, CPUs last.
pub fn opencl() -> Devices {
    static KNOWN: Known = Mutex::new(None);
    look(&KNOWN, probe_opencl)
}

#[cfg(feature = "cuda")]
fn probe_cuda(options: &DeviceOptions) -> Devices {
    super::cuda::probe_with(options)
}

#[cfg(not(feature = "cuda"))]
fn probe_cuda(_options: &DeviceOptions) -> Devices {
    Err(Unavailable::new("built without the feature 'cuda'"))
}

#[cfg(feature = "opencl")]
fn probe_opencl(options: &DeviceOptions) -> Devices {
    super::opencl::probe_with(options)
}

#[cfg(not(feature = "opencl"))]
fn probe_opencl(_options: &DeviceOptions) -> Devices {
    Err(Unavailable::new("built without the feature 'opencl'"))
}

/// All devices and their libraries, or why there are none, one per line. Includes OpenCL discovery.
pub fn report() -> Vec<String> {
    let mut lines = vec![format!("cpu: {} threads", context::threads())];
    for (kind, devices) in [("cuda", cuda()), ("opencl", opencl())] {
        match devices {
            Ok(devices) => {
                lines.extend(devices.iter().map(|device| describe(&**device)));
                #[cfg(feature = "cuda")]
                if kind == "cuda" {
                    lines.extend(super::cuda::libraries());
                }
            }
            Err(unavailable) => lines.push(format!("{kind}: not available: {unavailable}")),
        }
    }
    lines
}

/// `cuda:0 NVIDIA H100 80GB HBM3: sm_90, 132 multiprocessors, 81079 MB`
pub(crate) fn describe(device: &dyn Device) -> String {
    let limits = device.limits();
    format!(
        "{}: {}, {} multiprocessors, {} MB",
        device.name(),
        limits.architecture,
        limits.multiprocessors,
        limits.memory_bytes >> 20
    )
}
