//! Products of matrices by cuBLAS, which is looked for when a program wants one.

use super::super::hardware::Engine as _;
use super::super::vendor::Product;
use super::super::{DeviceMemory, Unavailable, device_error, no_library, out_of_memory};
use super::driver::{CUstream, SUCCESS, Status};
use super::engine::Engine;
use super::optional::or_warn;
use crate::error::Result;
use quasar_compiled::functions;
use quasar_compiled::libraries::{Wanted, loaded_by_name};
use quasar_devicelib::element::ElementType;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock, PoisonError};

const ALLOC_FAILED: Status = 3;

pub(super) const CUBLAS: Wanted = Wanted {
    name: "cuBLAS",
    variable: "QUASAR_CUBLAS",
    stem: "libcublas.so.",
    companion: Some("libcublasLt.so."),
    by_loader: || {
        loaded_by_name(&[
            "libcublas.so.13",
            "libcublas.so.12",
            "libcublas.so.11",
            "libcublas.so",
            "cublas64_13.dll",
            "cublas64_12.dll",
        ])
    },
};

type Handle = *mut c_void;

functions! { "cuBLAS":
    create = "cublasCreate_v2" (*mut Handle);
    destroy = "cublasDestroy_v2" (Handle);
    set_stream = "cublasSetStream_v2" (Handle, CUstream);
    single = "cublasSgemm_v2" (
        Handle, c_int, c_int, c_int, c_int, c_int,
        *const c_void, *const c_void, c_int, *const c_void, c_int, *const c_void, *mut c_void, c_int
    );
    double = "cublasDgemm_v2" (
        Handle, c_int, c_int, c_int, c_int, c_int,
        *const c_void, *const c_void, c_int, *const c_void, c_int, *const c_void, *mut c_void, c_int
    );
    complex_single = "cublasCgemm_v2" (
        Handle, c_int, c_int, c_int, c_int, c_int,
        *const c_void, *const c_void, c_int, *const c_void, c_int, *const c_void, *mut c_void, c_int
    );
    complex_double = "cublasZgemm_v2" (
        Handle, c_int, c_int, c_int, c_int, c_int,
        *const c_void, *const c_void, c_int, *const c_void, c_int, *const c_void, *mut c_void, c_int
    );
}

/// The loaded library, looked for once.
fn functions() -> std::result::Result<&'static Functions, Unavailable> {
    static LOADED: OnceLock<std::result::Result<Functions, Unavailable>> = OnceLock::new();
    let load = || CUBLAS.find().and_then(|(library, _)| Functions::load(library));
    LOADED.get_or_init(load).as_ref().map_err(Clone::clone)
}

/// Why there is no such library; none where there is.
pub(super) fn missing() -> Option<Unavailable> {
    functions().err()
}

/// The library at work on one stream.
struct Started {
    functions: &'static Functions,
    handle: Handle,
}

// SAFETY: the library's objects may be used from any thread, by one at a time, as the lock around them says.
unsafe impl Send for Started {}

/// The products of one device.
#[derive(Default)]
pub(super) struct Products {
    started: OnceLock<Option<Mutex<Started>>>,
}

impl Products {
    /// Whether the library is there and works; none while nobody has looked for it.
    pub(super) fn known(&self) -> Option<bool> {
        self.started.get().map(Option::is_some)
    }

    /// Loads and starts the library. One that does not work with the driver is a warning.
    pub(super) fn load(&self, engine: &Engine) -> bool {
        self.start(engine).is_some()
    }

    fn start(&self, engine: &Engine) -> Option<&Mutex<Started>> {
        let start = || {
            let functions = or_warn(&CUBLAS, functions())?;
            or_warn(&CUBLAS, Started::new(engine, functions)).map(Mutex::new)
        };
        self.started.get_or_init(start).as_ref()
    }

    /// Submits a product; the memories have its sizes.
    pub(super) fn multiply(
        &self,
        engine: &Engine,
        product: &Product,
        [a, b, to]: [&DeviceMemory; 3],
    ) -> Result<()> {
        let started = self.start(engine).ok_or_else(|| no_library(&engine.name))?;
        let started = started.lock().unwrap_or_else(PoisonError::into_inner);
        engine.enter()?;
        let Started { functions, handle } = *started;
        let multiply = match product.element() {
            ElementType::Double => functions.double,
            ElementType::ComplexSingle => functions.complex_single,
            ElementType::ComplexDouble => functions.complex_double,
            _ => functions.single,
        };
        // One and zero of each type begin so.
        let (singles, doubles) = ([[1.0f32, 0.0], [0.0; 2]], [[1.0f64, 0.0], [0.0; 2]]);
        let [one, zero]: [*const c_void; 2] = match product.element() {
            ElementType::Double | ElementType::ComplexDouble => doubles.each_ref().map(|x| x.as_ptr().cast()),
            _ => singles.each_ref().map(|x| x.as_ptr().cast()),
        };
        let [m, k, n] = product.extents().map(|extent| c_int::try_from(extent).unwrap_or(c_int::MAX));
        let pointer = |memory: &DeviceMemory| memory.id as usize as *mut c_void;
        let (a, b, to) = (pointer(a), pointer(b), pointer(to));
        const AS_THEY_ARE: c_int = 0;
        // The library's matrices are column-major, ours seem transposed to it: b' * a' = (a * b)'.
        // SAFETY: the context is current and the library started, for nobody else while it is locked. The matrices have the
        // extents that are given; their memory stays until the work that is submitted now is done, on the same stream. The
        // numbers live until the call returns.
        let status =
            unsafe { multiply(handle, AS_THEY_ARE, AS_THEY_ARE, n, m, k, one, b, n, a, k, zero, to, n) };
        check(engine, status)
    }

    /// Ends the library's work, when no product is under way.
    pub(super) fn release(&mut self) {
        if let Some(Some(started)) = self.started.take() {
            let Started { functions, handle } = started.into_inner().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the handle was created, and no product uses it.
            unsafe { (functions.destroy)(handle) };
        }
    }
}

impl Started {
    fn new(engine: &Engine, functions: &'static Functions) -> Result<Started> {
        engine.enter()?;
        let mut handle = null_mut();
        // SAFETY: the context is current; the function writes one pointer.
        let mut status = unsafe { (functions.create)(&raw mut handle) };
        if status == ALLOC_FAILED {
            engine.trim();
            // SAFETY: as above.
            status = unsafe { (functions.create)(&raw mut handle) };
        }
        check(engine, status)?;
        // SAFETY: the handle was created and the stream exists.
        let status = unsafe { (functions.set_stream)(handle, engine.stream) };
        check(engine, status).map(|()| Started { functions, handle })
    }
}

/// The result of a function of the library.
fn check(engine: &Engine, status: Status) -> Result<()> {
    match status {
        SUCCESS => Ok(()),
        ALLOC_FAILED => Err(out_of_memory(&engine.name, 0)),
        _ => {
            // What was submitted before may be the reason, and what it means for the device.
            engine.synchronize()?;
            let what = match status {
                1 => "it cannot be started",
                8 => "it does not know this GPU",
                13 => "the product cannot be executed",
                14 => "internal error",
                15 => "it does not multiply matrices of this kind",
                _ => "failed",
            };
            Err(device_error(&engine.name, format!("cuBLAS: {what} (error {status})")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the library is: it needs no GPU to be loaded.
    #[test]
    fn the_library_has_all_functions() {
        if let Err(reason) = functions() {
            let named = quasar_compiled::libraries::variable(CUBLAS.variable);
            assert!(named.is_none() && reason.reason.contains("was not found"), "{reason}");
            println!("not tested: {reason}");
        }
    }
}
