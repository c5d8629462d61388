//! Kernels that are compiled before a launch asks for them. Compiling a kernel takes a device's compiler a tenth of a second, on one
//! thread. So the first launch that has to wait for it has the other kernels of its program compiled meanwhile, on threads that would
//! otherwise idle: a program of many kernels waits for about as long as for one.

use super::{DeviceKernel, compile};
use crate::at_exit;
use crate::context;
use crate::device::Device;
use crate::process;
use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread;
use std::time::Duration;

/// More threads make NVRTC no faster.
const MOST_THREADS: usize = 6;

/// Bytes of the stack of a thread that compiles: NVRTC goes deep into large kernels.
pub(super) const STACK: usize = 64 << 20;

/// The end of the process waits no longer for kernels that are being compiled.
const PATIENCE: Duration = Duration::from_secs(20);

/// The kernels of a program, by the address of their list, on a device.
type ProgramOnDevice = (usize, u64);

#[derive(Default)]
struct Queue {
    waiting: VecDeque<(&'static DeviceKernel, Arc<dyn Device>)>,
    /// What was put into the queue once.
    known: Option<HashSet<ProgramOnDevice>>,
    /// Threads that compile.
    threads: usize,
    /// The process ends: nothing more is begun.
    ending: bool,
}

static QUEUE: Mutex<Queue> =
    Mutex::new(Queue { waiting: VecDeque::new(), known: None, threads: 0, ending: false });

/// The process that has the threads.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Told when a thread ends.
static ENDED: Condvar = Condvar::new();

fn queue() -> MutexGuard<'static, Queue> {
    QUEUE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Has the other kernels of a kernel's program compiled for a device, those behind it first, once. Their errors are told by the launches
/// that need them.
pub(super) fn begin(kernel: &'static DeviceKernel, device: &Arc<dyn Device>) {
    let program = kernel.program;
    let most = context::threads_kept().saturating_sub(1).min(MOST_THREADS);
    if program.len() < 2 || most == 0 || !device.compiles_concurrently() {
        return;
    }
    let mut queue = queue();
    let key = (program.as_ptr().addr(), device.serial());
    if queue.ending || !queue.known.get_or_insert_default().insert(key) {
        return;
    }
    let own = program
        .iter()
        .position(|other| other.versions().any(|version| std::ptr::eq(version, kernel)))
        .unwrap_or(0);
    let (before, behind) = program.split_at(own);
    for other in behind.iter().chain(before).flat_map(|other| other.versions()) {
        if other.form.target.includes(&**device) && !std::ptr::eq(other, kernel) {
            queue.waiting.push_back((other, Arc::clone(device)));
        }
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        PROCESS.store(process::watched(), Ordering::Relaxed);
        at_exit::call(wait);
    });
    while queue.threads < most.min(queue.waiting.len()) {
        let name = format!("quasar-compiler-{}", queue.threads);
        if thread::Builder::new().name(name).stack_size(STACK).spawn(work).is_err() {
            break;
        }
        queue.threads += 1;
    }
}

/// Compiles what waits in the queue.
fn work() {
    let mut queue = queue();
    while let Some((kernel, device)) = queue.waiting.pop_front() {
        drop(queue);
        // A panic must not leave the end of the process waiting for this thread.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            let dialect = device.dialect()?;
            kernel.compiled.get(&*device, &|| compile(kernel, &*device, dialect)).ok().map(drop)
        }));
        // Perhaps the last owner of the device.
        drop(device);
        queue = self::queue();
    }
    queue.threads -= 1;
    ENDED.notify_all();
}

/// The end of the process waits for kernels that are being compiled: the compiler and the driver are libraries with static variables,
/// which go then.
fn wait() {
    // A forked process has no such threads.
    if process::generation() != PROCESS.load(Ordering::Relaxed) {
        return;
    }
    let mut queue = queue();
    queue.ending = true;
    queue.waiting.clear();
    drop(ENDED.wait_timeout_while(queue, PATIENCE, |queue| queue.threads > 0));
}
