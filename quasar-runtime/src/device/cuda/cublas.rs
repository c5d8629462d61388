//! Matrix products with cuBLAS, which is loaded at the first use.

use super::super::accel_libraries::Product;
use super::super::driver_device::Engine as _;
use super::super::{DeviceMemory, Unavailable, no_library};
use super::driver::{CUstream, Status};
use super::engine::Engine;
use super::optional::Optional;
use crate::error::Result;
use quasar_compiled::functions;
use quasar_compiled::libraries::{LibrarySpec, loaded_by_name};
use quasar_devicelib::element::ElementType;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock, PoisonError};

const ALLOC_FAILED: Status = 3;

static CUBLAS: Optional<Functions> = Optional {
    wanted: LibrarySpec {
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
    },
    load: Functions::load,
    no_memory: ALLOC_FAILED,
    meanings: &[
        (1, "it cannot be started"),
        (8, "it does not know this GPU"),
        (13, "the product cannot be executed"),
        (14, "internal error"),
        (15, "it does not multiply matrices of this kind"),
    ],
    loaded: OnceLock::new(),
};

/// Whether the library is available, as a line of text.
pub(super) fn report() -> String {
    CUBLAS.report()
}

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

/// A cuBLAS handle bound to one stream.
struct Started {
    functions: &'static Functions,
    handle: Handle,
}

// SAFETY: the library's objects may be used from any thread, by one at a time, as the lock around them says.
unsafe impl Send for Started {}

/// cuBLAS on one device.
#[derive(Default)]
pub(super) struct Products {
    started: OnceLock<Option<Mutex<Started>>>,
}

impl Products {
    /// Whether the library is available and works; `None` before it was looked for.
    pub(super) fn known(&self) -> Option<bool> {
        self.started.get().map(Option::is_some)
    }

    /// Loads and initialises the library. Warns if it does not work with the driver.
    pub(super) fn load(&self, engine: &Engine) -> bool {
        self.start(engine).is_some()
    }

    fn start(&self, engine: &Engine) -> Option<&Mutex<Started>> {
        let start = || CUBLAS.start(|functions| Started::new(engine, functions)).map(Mutex::new);
        self.started.get_or_init(start).as_ref()
    }

    /// Enqueues a product.
    ///
    /// # Safety
    /// The memories have its sizes.
    pub(super) unsafe fn multiply(
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
        // The complex constants start with the real ones, so one array serves both.
        let (singles, doubles) = ([[1.0f32, 0.0], [0.0; 2]], [[1.0f64, 0.0], [0.0; 2]]);
        let [one, zero]: [*const c_void; 2] = match product.element() {
            ElementType::Double | ElementType::ComplexDouble => doubles.each_ref().map(|x| x.as_ptr().cast()),
            _ => singles.each_ref().map(|x| x.as_ptr().cast()),
        };
        let [m, k, n] = product.extents().map(|extent| c_int::try_from(extent).unwrap_or(c_int::MAX));
        let pointer = |memory: &DeviceMemory| memory.id as usize as *mut c_void;
        let (a, b, to) = (pointer(a), pointer(b), pointer(to));
        // Neither is conjugated.
        let [of_a, of_b] = product.turned().map(c_int::from);
        let [wide_a, wide_b] = [if of_a == 0 { k } else { m }, if of_b == 0 { n } else { k }];
        // cuBLAS is column-major and sees our row-major matrices transposed: b' * a' = (a * b)'.
        // SAFETY: the context is current and the library started, exclusively while it is locked. The matrices have the
        // given extents; their memory stays until the work that is submitted now is complete, on the same stream. The
        // numbers live until the call returns.
        let status = unsafe { multiply(handle, of_b, of_a, n, m, k, one, b, wide_b, a, wide_a, zero, to, n) };
        CUBLAS.check(engine, status)
    }

    /// Destroys the handle. No product may be running.
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
        CUBLAS.check(engine, status)?;
        // SAFETY: the handle was created and the stream exists.
        let status = unsafe { (functions.set_stream)(handle, engine.stream) };
        CUBLAS.check(engine, status).map(|()| Started { functions, handle })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_has_all_functions() {
        CUBLAS.test();
    }
}
