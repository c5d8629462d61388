//! What library functions ask of their host, on this machine.

use super::{devices, fft, image_file, on_device, store_file, table_file, text_file, value_file};
use crate::context;
use crate::error::{Error, Result};
use crate::threads::Threads;
use crate::value::uninit;
use quasar_devicelib::element::ElementType;
use quasar_devicelib::value::offload::Work;
use quasar_devicelib::value::{Caller, Host, HostState, Value, ValueError, Workers, library};
use std::cell::Cell;

/// The console, the clock and the files of this process, and the state of this thread.
struct HostServices {
    state: HostState,
    /// The random numbers that had been drawn when the state was taken.
    drawn_before: u64,
    /// What went wrong on a device, which says more than values tell of errors.
    failed: Cell<Option<Error>>,
}

impl Drop for HostServices {
    fn drop(&mut self) {
        context::keep_host_state(self.state.clone(), self.drawn_before);
    }
}

/// Runs `f` with the host of this thread, where `scalar` is of type `working`.
pub fn with_host<R>(working: ElementType, f: impl FnOnce(&mut dyn Host) -> R) -> R {
    f(&mut HostServices::new(working))
}

/// Calls a function of the library of values.
pub(super) fn call(name: &str, args: &[Value], results: usize, working: ElementType) -> Result<Vec<Value>> {
    let mut host = HostServices::new(working);
    library::call(name, args, results, &mut host)
        .map_err(|error| host.failed.take().unwrap_or_else(|| error.into()))
}

impl HostServices {
    fn new(working: ElementType) -> HostServices {
        context::apply_settings();
        let mut state = context::host_state();
        state.working = working;
        let drawn_before = state.counter;
        HostServices { state, drawn_before, failed: Cell::new(None) }
    }
}

/// The function of a name that the run-time system adds to the library.
type External = fn(&[Value], ElementType) -> Result<Vec<Value>>;

/// A function that shows something.
macro_rules! shown {
    ($name:literal) => {
        ($name, |args, _| show($name, args))
    };
}

#[cfg(feature = "figure")]
fn show(name: &str, args: &[Value]) -> Result<Vec<Value>> {
    super::figure::call(name, args)
}

#[cfg(not(feature = "figure"))]
fn show(name: &str, _args: &[Value]) -> Result<Vec<Value>> {
    let cause = "this program was built without the feature `figure` of the crate `quasar-array`";
    Err(crate::error::Error::argument(format!("{name}: {cause}")))
}

/// The functions that the run-time system adds to the library.
pub static FUNCTIONS: &[(&str, External)] = &[
    shown!("axis"),
    shown!("bar"),
    shown!("colorbar"),
    shown!("colormap"),
    ("create_array", store_file::create_array),
    ("csvread", table_file::csvread),
    ("csvwrite", table_file::csvwrite),
    ("device_info", devices::device_info),
    ("dir", text_file::dir),
    shown!("drawnow"),
    ("exists", table_file::exists),
    ("fclose", text_file::fclose),
    ("feof", text_file::feof),
    ("fft1", |args, working| fft::call("fft1", args, working)),
    ("fft2", |args, working| fft::call("fft2", args, working)),
    ("fft3", |args, working| fft::call("fft3", args, working)),
    ("fgets", text_file::fgets),
    shown!("figure"),
    ("flush_array", store_file::flush_array),
    ("fopen", text_file::fopen),
    ("fread", text_file::fread),
    ("gpu_freemem", devices::gpu_freemem),
    shown!("hold"),
    ("ifft1", |args, working| fft::call("ifft1", args, working)),
    ("ifft2", |args, working| fft::call("ifft2", args, working)),
    ("ifft3", |args, working| fft::call("ifft3", args, working)),
    ("imread", image_file::imread),
    shown!("imshow"),
    ("imwrite", image_file::imwrite),
    ("irealfft1", |args, working| fft::call("irealfft1", args, working)),
    ("irealfft2", |args, working| fft::call("irealfft2", args, working)),
    ("irealfft3", |args, working| fft::call("irealfft3", args, working)),
    shown!("legend"),
    ("load", value_file::load),
    ("numgpus", devices::numgpus),
    ("open_array", store_file::open_array),
    shown!("plot"),
    ("realfft1", |args, working| fft::call("realfft1", args, working)),
    ("realfft2", |args, working| fft::call("realfft2", args, working)),
    ("realfft3", |args, working| fft::call("realfft3", args, working)),
    ("save", value_file::save),
    shown!("scatter"),
    shown!("subplot"),
    ("sync", devices::sync),
    shown!("title"),
    shown!("xlabel"),
    shown!("ylabel"),
];

/// Whether a function writes files or shows something, which one rank of a cluster does.
pub(super) fn is_seen_outside(name: &str) -> bool {
    const WRITING: [&str; 3] = ["csvwrite", "imwrite", "save"];
    const SHOWING: [&str; 15] = [
        "axis", "bar", "colorbar", "colormap", "drawnow", "figure", "hold", "imshow", "legend", "plot",
        "scatter", "subplot", "title", "xlabel", "ylabel",
    ];
    WRITING.contains(&name) || SHOWING.contains(&name)
}

/// The added function of a name.
pub(super) fn find(name: &str) -> Option<External> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, function)| *function)
}

impl Host for HostServices {
    fn print(&mut self, text: &str) -> Result<(), ValueError> {
        context::print(text).map_err(ValueError::from)
    }

    fn state(&mut self) -> &mut HostState {
        &mut self.state
    }

    fn now_ms(&self) -> f64 {
        context::now_ms()
    }

    fn write_file(&mut self, handle: &Value, text: &str) -> Result<(), ValueError> {
        text_file::write(handle, text).map_err(ValueError::from)
    }

    fn workers(&self, operations: usize) -> &dyn Workers {
        if operations as u64 >= context::serial_work() { &Threads } else { &Caller }
    }

    fn on_device(&self, work: &Work<'_>) -> Result<Option<Value>, ValueError> {
        on_device::work(work).map_err(|error| {
            self.failed.set(Some(error.clone()));
            error.into()
        })
    }

    fn uninit(&self, ty: ElementType, dims: Vec<usize>) -> Result<Value, ValueError> {
        uninit(ty, &dims).map_err(ValueError::from)
    }

    fn external(
        &mut self,
        name: &str,
        args: &[Value],
        results: usize,
    ) -> Option<Result<Vec<Value>, ValueError>> {
        let function = find(name)?;
        let found = function(args, self.state.working);
        // Compiled programs do not come here: who interprets one reaches single elements of whole arrays.
        let found = match name {
            "open_array" | "create_array" => {
                found.and_then(|values| crate::store::keep_in_memory(&values).map(|()| values))
            }
            "load" => {
                found.and_then(|values| value_file::all_taken(args, values.len(), results).map(|()| values))
            }
            _ => found,
        };
        Some(found.map_err(ValueError::from))
    }
}
