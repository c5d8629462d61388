//! FFTs with cuFFT, which is loaded at the first use; its plans are cached.

use super::super::accel_libraries::{Direction, Elements, Transform};
use super::super::driver_device::Engine as _;
use super::super::plan_cache::LruCache;
use super::super::{DeviceMemory, Unavailable, no_library};
use super::driver::{CUstream, SUCCESS, Status};
use super::engine::Engine;
use super::optional::Optional;
use crate::error::{Error, Result};
use quasar_compiled::functions;
use quasar_compiled::libraries::{LibrarySpec, loaded_by_name};
use std::ffi::{c_int, c_longlong, c_void};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Capacity of the plan cache: each plan has tables on the device.
const MOST: usize = 32;

const ALLOC_FAILED: Status = 2;

static CUFFT: Optional<Functions> = Optional {
    wanted: LibrarySpec {
        name: "cuFFT",
        variable: "QUASAR_CUFFT",
        stem: "libcufft.so.",
        companion: None,
        by_loader: || {
            loaded_by_name(&[
                "libcufft.so.12",
                "libcufft.so.11",
                "libcufft.so.10",
                "libcufft.so",
                "cufft64_12.dll",
                "cufft64_11.dll",
            ])
        },
    },
    load: Functions::load,
    no_memory: ALLOC_FAILED,
    meanings: &[
        (5, "internal error"),
        (6, "the transform cannot be executed"),
        (7, "it cannot be started"),
        (8, "it does not transform arrays of this size"),
        (13, "it has no memory to work in"),
        (14, "it does not transform arrays of this kind"),
        (16, "it does not transform arrays of this kind"),
    ],
    loaded: OnceLock::new(),
};

/// Whether the library is available, as a line of text.
pub(super) fn report() -> String {
    CUFFT.report()
}

type Handle = c_int;

functions! { "cuFFT":
    create = "cufftCreate" (*mut Handle);
    destroy = "cufftDestroy" (Handle);
    set_allocation = "cufftSetAutoAllocation" (Handle, c_int);
    set_stream = "cufftSetStream" (Handle, CUstream);
    set_work_area = "cufftSetWorkArea" (Handle, *mut c_void);
    make_plan = "cufftMakePlanMany64" (
        Handle, c_int, *mut c_longlong,
        *mut c_longlong, c_longlong, c_longlong, *mut c_longlong, c_longlong, c_longlong,
        c_int, c_longlong, *mut usize
    );
    complex_single = "cufftExecC2C" (Handle, *mut c_void, *mut c_void, c_int);
    complex_double = "cufftExecZ2Z" (Handle, *mut c_void, *mut c_void, c_int);
    to_half_single = "cufftExecR2C" (Handle, *mut c_void, *mut c_void);
    to_half_double = "cufftExecD2Z" (Handle, *mut c_void, *mut c_void);
    to_real_single = "cufftExecC2R" (Handle, *mut c_void, *mut c_void);
    to_real_double = "cufftExecZ2D" (Handle, *mut c_void, *mut c_void);
}

/// A cuFFT plan.
#[derive(Clone, Copy)]
struct Plan {
    handle: Handle,
    /// Bytes of its work area.
    work: usize,
}

/// cuFFT on one device.
pub(super) struct Fourier {
    functions: OnceLock<Option<&'static Functions>>,
    /// A plan serves one transform at a time, so the lock is held until the transform is enqueued.
    plans: Mutex<LruCache<Transform, Plan>>,
}

impl Default for Fourier {
    fn default() -> Fourier {
        Fourier { functions: OnceLock::new(), plans: Mutex::new(LruCache::new(MOST)) }
    }
}

impl Fourier {
    /// Whether the library is available and works; `None` before it was looked for.
    pub(super) fn known(&self) -> Option<bool> {
        self.functions.get().map(Option::is_some)
    }

    /// Loads the library. Warns if it does not work with the driver.
    pub(super) fn load(&self, engine: &Engine) -> bool {
        self.start(engine).is_some()
    }

    fn start(&self, engine: &Engine) -> Option<&'static Functions> {
        *self.functions.get_or_init(|| {
            let trial = Transform::new(Elements::Complex, false, 1, &[8], 1)?;
            CUFFT.start(|functions| {
                let plan = make(engine, functions, &trial)?;
                // SAFETY: the plan was created and has no users.
                unsafe { (functions.destroy)(plan.handle) };
                Ok(functions)
            })
        })
    }

    fn plans(&self) -> MutexGuard<'_, LruCache<Transform, Plan>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates or reuses a plan. Returns the bytes of its work area and whether it is new.
    pub(super) fn plan(&self, engine: &Engine, transform: &Transform) -> Result<(usize, bool)> {
        let mut plans = self.plans();
        let (plan, made) = self.find(engine, &mut plans, transform)?;
        Ok((plan.work, made))
    }

    fn find(
        &self,
        engine: &Engine,
        plans: &mut LruCache<Transform, Plan>,
        transform: &Transform,
    ) -> Result<(Plan, bool)> {
        if let Some(&plan) = plans.find(transform) {
            return Ok((plan, false));
        }
        let functions = self.start(engine).ok_or_else(|| no_library(&engine.name))?;
        let plan = match make(engine, functions, transform) {
            Err(Error::OutOfDeviceMemory { .. }) => {
                engine.trim();
                make(engine, functions, transform)?
            }
            other => other?,
        };
        if let Some(gone) = plans.add(*transform, plan) {
            // The evicted plan may be in use.
            engine.synchronize()?;
            // SAFETY: the plan was created, is in no list any more, and no transform uses it.
            unsafe { (functions.destroy)(gone.handle) };
        }
        Ok((plan, true))
    }

    /// Enqueues a transform.
    ///
    /// # Safety
    /// The first two memories have its sizes.
    pub(super) unsafe fn transform(
        &self,
        engine: &Engine,
        transform: &Transform,
        direction: Direction,
        [from, to, work]: [&DeviceMemory; 3],
    ) -> Result<()> {
        let functions = self.start(engine).ok_or_else(|| no_library(&engine.name))?;
        let mut plans = self.plans();
        let (plan, _) = self.find(engine, &mut plans, transform)?;
        if work.bytes < plan.work {
            return Err(engine.refused("a Fourier transform needs more memory to work"));
        }
        engine.enter()?;
        let pointer = |memory: &DeviceMemory| memory.id as usize as *mut c_void;
        let (handle, from, to) = (plan.handle, pointer(from), pointer(to));
        let sign = if direction == Direction::Forward { -1 } else { 1 };
        // SAFETY: the context is current and the plan exists, exclusively while the list is locked. The memories have
        // the sizes that it was made for, and stay until the work that is submitted now is complete, on the same
        // stream.
        let status = unsafe {
            match (functions.set_work_area)(handle, pointer(work)) {
                SUCCESS => match (transform.elements(), transform.double()) {
                    (Elements::Complex, false) => (functions.complex_single)(handle, from, to, sign),
                    (Elements::Complex, true) => (functions.complex_double)(handle, from, to, sign),
                    (Elements::RealToHalf, false) => (functions.to_half_single)(handle, from, to),
                    (Elements::RealToHalf, true) => (functions.to_half_double)(handle, from, to),
                    (Elements::HalfToReal, false) => (functions.to_real_single)(handle, from, to),
                    (Elements::HalfToReal, true) => (functions.to_real_double)(handle, from, to),
                },
                status => status,
            }
        };
        CUFFT.check(engine, status)
    }

    /// Destroys the plans. No transform may be running.
    pub(super) fn release(&mut self) {
        if let Some(Some(functions)) = self.functions.get() {
            for plan in self.plans.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
                // SAFETY: the plan was created, and no transform uses it.
                unsafe { (functions.destroy)(plan.handle) };
            }
        }
    }
}

/// Creates a plan on the engine's stream.
fn make(engine: &Engine, functions: &Functions, transform: &Transform) -> Result<Plan> {
    engine.enter()?;
    let mut handle = 0;
    // SAFETY: the context is current; the function writes one number.
    CUFFT.check(engine, unsafe { (functions.create)(&raw mut handle) })?;
    let mut work = 0;
    let Layout { rank, mut extents, mut source, mut target, stride, distances, count } =
        Layout::of(transform);
    let kind = match (transform.elements(), transform.double()) {
        (Elements::RealToHalf, false) => 0x2a,
        (Elements::HalfToReal, false) => 0x2c,
        (Elements::Complex, false) => 0x29,
        (Elements::RealToHalf, true) => 0x6a,
        (Elements::HalfToReal, true) => 0x6c,
        (Elements::Complex, true) => 0x69,
    };
    // SAFETY: the context is current and the plan was created; the lists have `rank` numbers at least, and live until
    // the calls return, which write one number.
    let status = unsafe {
        match (functions.set_allocation)(handle, 0) {
            SUCCESS => match (functions.set_stream)(handle, engine.stream) {
                SUCCESS => (functions.make_plan)(
                    handle,
                    rank,
                    extents.as_mut_ptr(),
                    source.as_mut_ptr(),
                    stride,
                    distances[0],
                    target.as_mut_ptr(),
                    stride,
                    distances[1],
                    kind,
                    count,
                    &raw mut work,
                ),
                status => status,
            },
            status => status,
        }
    };
    let made = CUFFT.check(engine, status);
    if made.is_err() {
        // SAFETY: the plan was created and has no users.
        unsafe { (functions.destroy)(handle) };
    }
    made.map(|()| Plan { handle, work })
}

/// The data layout of a transform, in cuFFT's terms.
#[derive(Debug, PartialEq, Eq)]
struct Layout {
    rank: c_int,
    extents: [c_longlong; 3],
    /// Extents of the enclosing arrays (`inembed`, `onembed`) of input and output.
    source: [c_longlong; 3],
    target: [c_longlong; 3],
    /// Distance between consecutive elements.
    stride: c_longlong,
    /// Distance between consecutive arrays, of input and output.
    distances: [c_longlong; 2],
    count: c_longlong,
}

impl Layout {
    fn of(transform: &Transform) -> Layout {
        let number = |n: usize| c_longlong::try_from(n).unwrap_or(c_longlong::MAX);
        let rank = transform.extents().len();
        let mut extents = [1; 3];
        extents.iter_mut().zip(transform.extents()).for_each(|(to, &n)| *to = number(n));
        let mut half = extents;
        half.iter_mut().take(rank).skip(rank.saturating_sub(1)).for_each(|n| *n = number(transform.half()));
        let (source, target) = match transform.elements() {
            Elements::Complex => (extents, extents),
            Elements::RealToHalf => (extents, half),
            Elements::HalfToReal => (half, extents),
        };
        let (stride, distances, count) = match transform.inner() {
            1 => (1, [source, target].map(|extents| extents.iter().product()), transform.outer()),
            inner => (number(inner), [1, 1], inner),
        };
        let rank = c_int::try_from(rank).unwrap_or(1);
        Layout { rank, extents, source, target, stride, distances, count: number(count) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_of_row_major_arrays() {
        let layout = |elements, outer, extents: &[usize], inner| {
            Layout::of(&Transform::new(elements, false, outer, extents, inner).unwrap())
        };
        assert_eq!(
            layout(Elements::RealToHalf, 1, &[6, 1, 5], 3),
            Layout {
                rank: 2,
                extents: [6, 5, 1],
                source: [6, 5, 1],
                target: [6, 3, 1],
                stride: 3,
                distances: [1, 1],
                count: 3
            }
        );
        assert_eq!(
            layout(Elements::HalfToReal, 7, &[8], 1),
            Layout {
                rank: 1,
                extents: [8, 1, 1],
                source: [5, 1, 1],
                target: [8, 1, 1],
                stride: 1,
                distances: [5, 8],
                count: 7
            }
        );
    }

    #[test]
    fn the_library_has_all_functions() {
        CUFFT.test();
    }
}
