//! Zero-copy interoperability of Quasar arrays with [`cust`] buffers on a GPU.
//!
//! Both use the device's primary context: [`cust::context::Context::new`] retains the one that Quasar uses. An array
//! lends its memory for the duration of a closure ([`with_slice`], [`with_slice_mut`]), and a buffer becomes an array
//! ([`from_buffer`]); no element is copied if it is on that GPU already. These functions synchronise at entry and exit,
//! so callers need not order streams; code that orders streams itself uses [`Array::with_device_pointer`] and
//! [`Array::from_raw_parts`].

use cust::context::CurrentContext;
use cust::error::CudaError;
use cust::memory::{DeviceBuffer, DeviceCopy, DevicePointer, DeviceSlice};
use cust::sys::{CUcontext, CUpointer_attribute, CUresult, cuCtxGetCurrent, cuPointerGetAttribute};
use quasar_runtime::array::coherence::Access;
use quasar_runtime::device::{Device, Dialect};
use quasar_runtime::{Array, Element};
use std::sync::Arc;

/// Why memory could not be shared.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The array could not be made valid on the device, or an earlier launch failed.
    #[error(transparent)]
    Quasar(#[from] quasar_runtime::Error),
    /// Submitted work failed.
    #[error("CUDA: {0}")]
    Cuda(#[from] CudaError),
    /// The request is not supported.
    #[error("{0}")]
    Refused(String),
}

/// The result of sharing memory.
pub type Result<T> = std::result::Result<T, Error>;

/// Lends the elements of an array for reading on a GPU.
///
/// # Errors
/// The array cannot be made valid there, or the work of the closure fails.
pub fn with_slice<T: Element + DeviceCopy, R>(
    array: &Array<T>,
    device: &Arc<dyn Device>,
    work: impl FnOnce(&DeviceSlice<T>) -> R,
) -> Result<R> {
    lend(array, device, Access::Read, |slice| work(slice))
}

/// Lends the elements of an array for writing on a GPU.
///
/// # Errors
/// The array cannot be made valid there, or the work of the closure fails.
pub fn with_slice_mut<T: Element + DeviceCopy, R>(
    array: &Array<T>,
    device: &Arc<dyn Device>,
    work: impl FnOnce(&mut DeviceSlice<T>) -> R,
) -> Result<R> {
    lend(array, device, Access::Write, work)
}

fn lend<T: Element + DeviceCopy, R>(
    array: &Array<T>,
    device: &Arc<dyn Device>,
    access: Access,
    work: impl FnOnce(&mut DeviceSlice<T>) -> R,
) -> Result<R> {
    is_cuda(&**device)?;
    /// Synchronises with all streams, also when the closure panics.
    struct Done;
    impl Drop for Done {
        fn drop(&mut self) {
            let _ = CurrentContext::synchronize();
        }
    }
    let done = array.with_device_pointer(device, access, |lent| {
        let done = Done;
        // SAFETY: the memory holds so many elements, and stays until the closure returns. Quasar's work with it is
        // done, and other threads wait.
        let mut slice =
            unsafe { DeviceSlice::from_raw_parts(DevicePointer::from_raw(lent.address), lent.count) };
        let result = work(&mut slice);
        std::mem::forget(done);
        CurrentContext::synchronize().map(|()| result)
    })?;
    Ok(done?)
}

/// A buffer that is dropped with the last handle of an array.
struct Owner<T: DeviceCopy>(#[expect(dead_code, reason = "it is only dropped")] DeviceBuffer<T>);

// SAFETY: a buffer is an address and a length. Nothing is done with it but dropping it once, which the driver allows on
// any thread where the context is current; Quasar makes it current before.
unsafe impl<T: DeviceCopy> Send for Owner<T> {}
// SAFETY: as above: shared references to an owner do nothing.
unsafe impl<T: DeviceCopy> Sync for Owner<T> {}

/// Converts a buffer, in row-major order, to an array of these extents. The array owns the buffer.
///
/// # Errors
/// The buffer has another number of elements, or is not in the device's primary context.
pub fn from_buffer<T: Element + DeviceCopy>(
    device: &Arc<dyn Device>,
    dims: &[usize],
    buffer: DeviceBuffer<T>,
) -> Result<Array<T>> {
    is_cuda(&**device)?;
    let count = dims.iter().try_fold(1_usize, |count, &n| count.checked_mul(n));
    if count != Some(buffer.len()) {
        let found = buffer.len();
        return Err(Error::Refused(format!(
            "an array of extents {dims:?} cannot hold the {found} elements of a buffer"
        )));
    }
    // Makes the device's context current.
    device.synchronize()?;
    let address = buffer.as_device_ptr().as_raw();
    if count != Some(0) && context_of(address)? != current()? {
        return Err(Error::Refused(format!("a buffer is not in the primary context of {}", device.name())));
    }
    // Work that fills the buffer may be on any stream.
    CurrentContext::synchronize()?;
    // SAFETY: the buffer has so many elements, which lie in this context, as was tested; nobody else has it, and no
    // work is in flight. Stream 0 exists.
    Ok(unsafe { Array::from_raw_parts(device, dims, address, 0, Owner(buffer)) }?)
}

fn is_cuda(device: &dyn Device) -> Result<()> {
    match device.dialect() {
        Some(Dialect::Cuda) => Ok(()),
        _ => Err(Error::Refused(format!("{} is not a CUDA device", device.name()))),
    }
}

fn current() -> Result<CUcontext> {
    let mut context = std::ptr::null_mut();
    // SAFETY: the function writes one pointer.
    checked(unsafe { cuCtxGetCurrent(&mut context) }).map(|()| context)
}

fn context_of(address: u64) -> Result<CUcontext> {
    let mut context: CUcontext = std::ptr::null_mut();
    let attribute = CUpointer_attribute::CU_POINTER_ATTRIBUTE_CONTEXT;
    // SAFETY: the function writes one pointer for this attribute; addresses that it does not know are an error.
    checked(unsafe { cuPointerGetAttribute((&raw mut context).cast(), attribute, address) }).map(|()| context)
}

fn checked(status: CUresult) -> Result<()> {
    match status {
        CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(Error::Refused(format!("CUDA: {other:?}"))),
    }
}
