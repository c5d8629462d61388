//! What libraries of a device's maker do instead of the processor: which calls go to the active device, and the kernels
//! that such calls need besides.

use super::super::pending;
use super::placement::{self, Missed, Needs};
use super::{Arg, Compiled, refused, wish};
use crate::context;
use crate::device::vendor::Library;
use crate::device::{Device, KernelSource, LaunchArg, LaunchConfig};
use crate::error::Result;
use quasar_devicelib::device_text;
use std::sync::Arc;

/// Smaller calls stay on the processor: a device would hardly have begun.
const LEAST: u64 = 1 << 16;
/// What loading a library takes, in nanoseconds.
const LOADING: u64 = 150_000_000;

/// A call that the processor could do as well.
pub(crate) struct Call<'a> {
    pub(crate) library: Library,
    /// Estimated operations.
    pub(crate) work: u64,
    /// Whether all threads of the processor would take part.
    pub(crate) parallel: bool,
    /// The arrays that are read.
    pub(crate) inputs: &'a [Arg<'a>],
    /// What such calls would have gained on a device.
    pub(crate) missed: &'static Missed,
}

impl Call<'_> {
    /// Does the call on the active device. `None`: the processor should do it.
    pub(crate) fn offload<R>(&self, run: impl FnOnce(&Arc<dyn Device>) -> Result<R>) -> Result<Option<R>> {
        if self.work < LEAST {
            return Ok(None);
        }
        let pick = |devices: &[Arc<dyn Device>]| placement::first_done(devices, self.work, self.inputs);
        let Some((device, asked_for)) = wish::device(self.work, pick) else { return Ok(None) };
        let known = device.has_library(self.library);
        if known == Some(false) || !asked_for && !self.worthwhile(&*device, known.is_some()) {
            return Ok(None);
        }
        if !device.load_library(self.library) {
            return Ok(None);
        }
        let done = run(&device);
        pending::submitted(&device);
        match done {
            Ok(result) => {
                if context::is_one_at_a_time() {
                    pending::settle()?;
                    device.synchronize()?;
                }
                Ok(Some(result))
            }
            Err(error) => refused(error, &*device, asked_for).map(|()| None),
        }
    }

    /// Whether the call should go to the device although nobody asked for that.
    fn worthwhile(&self, device: &dyn Device, loaded: bool) -> bool {
        let mut needs = Needs::new(self.work, self.inputs, device, &[]);
        if !loaded {
            needs.there = needs.there.saturating_add(LOADING);
        }
        let threads = if self.parallel { context::threads_kept() } else { 1 };
        let there = placement::time(self.work, device);
        self.missed.prefers_device(needs, there, threads, context::serial_work())
    }
}

/// A kernel that calls of libraries need, for single and double precision.
pub(crate) struct Helper {
    entry: [&'static str; 2],
    compiled: [Compiled; 2],
}

impl Helper {
    pub(crate) const fn new(entry: [&'static str; 2]) -> Helper {
        Helper { entry, compiled: [Compiled::new(), Compiled::new()] }
    }

    /// Submits the kernel with blocks of 256 threads.
    ///
    /// # Safety
    /// The text defines both entry functions, of which the one for the precision reads and writes only inside `args` when
    /// launched with this grid, and `args` have the number, order and types of its parameters.
    pub(crate) unsafe fn launch(
        &self,
        device: &Arc<dyn Device>,
        text: &str,
        double: bool,
        grid: [u32; 2],
        args: &[LaunchArg<'_>],
    ) -> Result<()> {
        let ([single_entry, double_entry], [single, in_double]) = (self.entry, &self.compiled);
        let (entry, compiled) = if double { (double_entry, in_double) } else { (single_entry, single) };
        let make = || {
            let dialect = device.dialect().unwrap_or(device_text::Dialect::Cuda);
            let text = device_text::compose(dialect, text);
            device.kernel(&KernelSource {
                name: entry,
                dialect,
                text: &text,
                entry,
                options: &[],
                portable: &[],
            })
        };
        let handle = compiled.get(&**device, &make)?;
        let config = LaunchConfig::new([grid[0], grid[1], 1], [256, 1, 1]);
        // SAFETY: as the caller promises.
        unsafe { device.launch(handle, &config, args) }
    }
}
