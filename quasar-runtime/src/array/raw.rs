//! Arrays and other code that uses a device: its memory becomes an array, or an array lends its memory.

use super::buffer::Buffer;
use super::coherence::Access;
use super::{Array, ArrayBody, Shape};
use crate::device::{Device, device_error};
use crate::error::{Error, Result};
use crate::kernel::deferred_errors;
use quasar_devicelib::element::Element;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

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
    /// Where the device takes no memory of others, the address is not a multiple of 16, or another array that still exists has a
    /// part of the memory: the two would not see what is written through the other one.
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
        let adopted = Adopted::new(device.serial(), device.addresses(&memory))?;
        // The memory is free for another array behind its owner.
        let owner = Box::new((owner, adopted));
        let buffer = Arc::new(Buffer::adopted(shape.count(), device, memory, owner));
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
        deferred_errors::settle()?;
        let memory = self.on_device(device, access)?;
        device.synchronize()?;
        Ok(work(DevicePointer { address: memory.id(), count: self.len(), stream }))
    }
}

/// Memory of other code that arrays have: the number of the entry, the device, and the addresses.
static ADOPTED: Mutex<Vec<(u64, u64, Range<u64>)>> = Mutex::new(Vec::new());

fn all_adopted() -> MutexGuard<'static, Vec<(u64, u64, Range<u64>)>> {
    ADOPTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory of other code that belongs to one array until this is dropped.
struct Adopted(u64);

impl Adopted {
    /// Refuses what overlaps the memory of another array.
    fn new(device: u64, addresses: Range<u64>) -> Result<Adopted> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut all = all_adopted();
        let is_common = |other: &Range<u64>| other.start.max(addresses.start) < other.end.min(addresses.end);
        if all.iter().any(|(_, on, other)| *on == device && is_common(other)) {
            return Err(Error::argument(
                "not supported yet: an array in memory that overlaps that of another array",
            ));
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        all.push((number, device, addresses));
        Ok(Adopted(number))
    }
}

impl Drop for Adopted {
    fn drop(&mut self) {
        all_adopted().retain(|(number, ..)| *number != self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_belongs_to_one_array() {
        const DEVICE: u64 = u64::MAX;
        let is_free = |addresses| Adopted::new(DEVICE, addresses).is_ok();
        let first = Adopted::new(DEVICE, 100..200).unwrap();
        for overlapping in [100..200, 120..130, 50..101, 199..300, 0..1000] {
            assert!(!is_free(overlapping.clone()), "{overlapping:?}");
        }
        for other in [0..100, 200..300, 150..150, 0..0] {
            assert!(is_free(other.clone()), "{other:?}");
        }
        assert!(Adopted::new(DEVICE - 1, 100..200).is_ok(), "another device has addresses of its own");
        let second = Adopted::new(DEVICE, 200..300).unwrap();
        drop(first);
        assert!(is_free(0..200) && !is_free(0..201));
        drop(second);
        assert!(is_free(0..1000));
    }
}
