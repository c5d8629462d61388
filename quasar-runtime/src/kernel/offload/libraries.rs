//! Offloading of library functions (FFT, matrix product, ..) to the active device: the decision, and the helper kernels
//! that they need.

use super::super::deferred_errors;
use super::compile_ahead::STACK;
use super::placement::{self, LaunchCosts, MissedGain};
use super::{Arg, Compiled, affinity, refused};
use crate::array::coherence::Place;
use crate::context;
use crate::device::accel_libraries::Library;
use crate::device::{Device, Dialect, KernelHandle, KernelSource, LaunchArg, LaunchConfig};
use crate::error::Result;
use quasar_devicelib::device_text;
use std::sync::Arc;
use std::thread;

/// Calls with fewer operations stay on the CPU, since they would not amortise the launch overhead; unless an array would have to
/// be copied to the host.
const LEAST: u64 = 1 << 16;
/// Cost of loading a vendor library, in nanoseconds.
const LOADING: u64 = 150_000_000;

/// A library call that both the CPU and a device can execute.
pub(crate) struct Call<'a> {
    /// The vendor library that executes it.
    pub(crate) library: Option<Library>,
    /// The helper kernels that it needs.
    pub(crate) helpers: &'a [&'a Helper],
    /// Estimated operations.
    pub(crate) work: u64,
    /// Whether it would use all CPU threads.
    pub(crate) parallel: bool,
    /// The arrays that it reads.
    pub(crate) inputs: &'a [Arg<'a>],
    /// Accumulated gain that such calls would have had on a device.
    pub(crate) missed: &'static MissedGain,
}

impl Call<'_> {
    /// Executes the call on the active device. `None` leaves it to the CPU.
    pub(crate) fn offload<R>(&self, run: impl FnOnce(&Arc<dyn Device>) -> Result<R>) -> Result<Option<R>> {
        let (mut run, mut made) = (Some(run), None);
        self.submit(&mut |device| {
            if let Some(run) = run.take() {
                made = Some(run(device)?);
            }
            Ok(())
        })?;
        Ok(made)
    }

    /// The same for what keeps its result itself, compiled once for all calls.
    fn submit(&self, run: &mut dyn FnMut(&Arc<dyn Device>) -> Result<()>) -> Result<()> {
        if self.work < LEAST && (self.library.is_some() || self.inputs.iter().all(is_on_host)) {
            return Ok(());
        }
        let pick = |devices: &[Arc<dyn Device>]| {
            placement::earliest_completion(devices, self.work, self.inputs, &|_, _| false)
        };
        let Some((device, asked_for)) = affinity::device(self.work, &pick) else { return Ok(()) };
        let known = self.library.map_or(Some(true), |library| device.has_library(library));
        if known == Some(false) || !asked_for && !self.worthwhile(&*device, known.is_some()) {
            return Ok(());
        }
        if self.library.is_some_and(|library| !device.load_library(library)) {
            return Ok(());
        }
        // A program must not fail for lack of a compiler for kernels that are not its own.
        if let Some(error) = compile_all(self.helpers, &*device).err() {
            if device.is_lost() {
                return Err(error);
            }
            context::warn(error);
            return Ok(());
        }
        let done = run(&device);
        deferred_errors::submitted(&device);
        match done {
            Ok(()) => {
                if context::is_one_at_a_time() {
                    deferred_errors::settle()?;
                    device.synchronize()?;
                }
                Ok(())
            }
            Err(error) => refused(error, &*device, asked_for),
        }
    }

    /// Whether the cost model prefers the device, without an explicit request.
    fn worthwhile(&self, device: &dyn Device, loaded: bool) -> bool {
        let mut needs = LaunchCosts::new(self.work, self.inputs, &|_, _| false, device, &[]);
        if !loaded {
            needs.there = needs.there.saturating_add(LOADING);
        }
        let threads = if self.parallel { context::threads_kept() as u64 } else { 1 };
        let there = placement::time(self.work, device);
        self.missed.prefers_device(needs, there, threads, context::serial_work())
    }
}

/// Compiles helper kernels, those that are not yet at the same time where that is faster.
fn compile_all(helpers: &[&Helper], device: &dyn Device) -> Result<()> {
    let missing: Vec<_> = helpers.iter().filter(|helper| helper.compiled.known(device).is_none()).collect();
    if let [first, others @ ..] = &missing[..]
        && !others.is_empty()
        && context::threads_kept() > 1
        && device.compiles_concurrently()
    {
        thread::scope(|scope| {
            for helper in others {
                // What no thread compiles is compiled below, where errors are told too.
                let compile = || helper.compiled(device).map(drop);
                let _ = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, compile);
            }
            let _ = first.compiled(device);
        });
    }
    helpers.iter().try_for_each(|helper| helper.compiled(device).map(drop))
}

/// Whether the host has the elements of an array, or nobody has.
pub(crate) fn is_on_host(arg: &Arg<'_>) -> bool {
    arg.array().is_none_or(|(array, _)| {
        let places = array.places();
        places.is_empty() || places.contains(Place::Host)
    })
}

/// A helper kernel of the runtime.
pub(crate) struct Helper {
    entry: &'static str,
    text: Text,
    compiled: Compiled,
}

/// The source text of a helper kernel.
enum Text {
    /// Generates it.
    Of(fn() -> String),
    /// The text itself.
    Made(String),
}

impl Helper {
    pub(crate) const fn new(entry: &'static str, text: fn() -> String) -> Helper {
        Helper { entry, text: Text::Of(text), compiled: Compiled::new() }
    }

    /// One whose text is made at run time.
    pub(crate) fn made(entry: &'static str, text: String) -> Helper {
        Helper { entry, text: Text::Made(text), compiled: Compiled::new() }
    }

    fn text(&self, dialect: Dialect) -> String {
        match &self.text {
            Text::Of(text) => device_text::compose(dialect, &text()),
            Text::Made(text) => device_text::compose(dialect, text),
        }
    }

    pub(super) fn compiled(&self, device: &dyn Device) -> Result<&KernelHandle> {
        self.compiled.get(device, &|| {
            let dialect = device.dialect().unwrap_or(Dialect::Cuda);
            let text = self.text(dialect);
            let (name, entry) = (self.entry, self.entry);
            device.kernel(&KernelSource { name, dialect, text: &text, entry, options: &[], portable: &[] })
        })
    }

    /// Compiles it for CUDA if possible here; returns the compiler's errors.
    #[cfg(all(test, feature = "cuda"))]
    pub(crate) fn compiles_for_cuda(&self) -> Result<(), String> {
        let compiler = match crate::device::cuda::nvrtc() {
            Ok(compiler) => compiler,
            Err(reason) => {
                println!("not tested: {reason}");
                return Ok(());
            }
        };
        let text = self.text(Dialect::Cuda);
        [75, 90].into_iter().try_for_each(|chip| compiler.compile(self.entry, &text, &[], chip).map(drop))
    }

    /// Launches the kernel with blocks of 256 threads.
    ///
    /// # Safety
    /// The kernel reads and writes only inside `args` when launched with this grid, and `args` have the number, order
    /// and types of its parameters.
    pub(crate) unsafe fn launch(
        &self,
        device: &Arc<dyn Device>,
        grid: [u32; 2],
        args: &[LaunchArg<'_>],
    ) -> Result<()> {
        let kernel = self.compiled(&**device)?;
        let config = LaunchConfig::new([grid[0], grid[1], 1], [256, 1, 1]);
        // SAFETY: guaranteed by the caller.
        unsafe { device.launch(kernel, &config, args) }
    }
}
