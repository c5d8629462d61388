//! Arrays and other code that uses a device: its memory becomes an array, or an array lends its memory.

use super::buffer::Buffer;
use super::coherence::Access;
use super::{Array, ArrayBody, Shape};
use crate::device::{Device, device_error};
use crate::error::{Error, Result};
use crate::kernel::pending;
use quasar_devicelib::element::Element;
use std::sync::Arc;

/// The elements of an array in the memory of a device, for other code that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DevicePointer {
    /// The address of the first element: in CUDA a `CUdeviceptr`.
    pub address: u64,
    /// The number of elements, in row-major order without gaps.
    pub count: usize,
    /// What the run-time system submits its work to: in CUDA a `CUstream` of the device's primary context.
    pub stream: usize,
}

impl<T: Element> Array<T> {
    /// An array in memory that other code reserved on a device: CUDA memory from any binding, in the device's primary context.
    /// The elements lie in row-major order.
    ///
    /// Work of the array comes after what was submitted to `stream` before this call (0 is CUDA's default stream). The
    /// array keeps `owner`, which shall be what frees the memory or keeps it alive, and drops it when nothing that the array
    /// did uses the memory any more: when the last handle of the array is dropped. Until then other code uses the memory in
    /// [`Array::with_device_pointer`] only. The memory does not count as the run-time system's, and is never moved to make room.
    ///
    /// # Errors
    /// Where the device takes no memory of others, or the address is not a multiple of 16.
    ///
    /// # Safety
    /// At `address` the device has memory for all elements, as long as `owner` lives, and no other code uses it but as said
    /// above. What was submitted to `stream` fills it with values of the type `T`; the stream belongs to the device's primary
    /// context and exists during this call.
    pub unsafe fn from_raw_parts<O: Send + Sync + 'static>(
        device: &Arc<dyn Device>,
        dims: &[usize],
        address: u64,
        stream: usize,
        owner: O,
    ) -> Result<Array<T>> {
        let shape = Shape::new(dims)?;
        let bytes = shape.count().checked_mul(size_of::<T>());
        let bytes = bytes.ok_or_else(|| Error::out_of_memory(None, shape.dims()))?;
        // SAFETY: as the caller promises.
        let memory = unsafe { device.adopt(address, bytes, stream) }?;
        let buffer = Arc::new(Buffer::adopted(shape.count(), device, memory, Box::new(owner)));
        Ok(Array { body: Arc::new(ArrayBody { shape, buffer }) })
    }

    /// Lends the elements, in the memory of a device, to other code that uses the device, as `access` says.
    ///
    /// Everything that was submitted to the device is done before `work` starts, so that it may use any stream; in CUDA the
    /// device's primary context is current. When it returns, what it submitted to other streams than that of the pointer must be
    /// done. Other threads wait for the array meanwhile. Later accesses, on the host too, see what `work` wrote.
    ///
    /// # Errors
    /// Where the device lends no memory, an earlier launch failed, or there is not enough memory.
    pub fn with_device_pointer<R>(
        &self,
        device: &Arc<dyn Device>,
        access: Access,
        work: impl FnOnce(DevicePointer) -> R,
    ) -> Result<R> {
        let Some(stream) = device.stream()? else {
            return Err(device_error(
                device.name(),
                "not supported yet: memory for other code on this device",
            ));
        };
        pending::settle()?;
        let memory = self.on_device(device, access)?;
        device.synchronize()?;
        Ok(work(DevicePointer { address: memory.id(), count: self.len(), stream }))
    }
}
