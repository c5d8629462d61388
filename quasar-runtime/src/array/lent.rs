//! Arrays of other code on the host: memory that becomes an array for the time of a call, and arrays whose memory other code takes
//! over.

use super::buffer::{Buffer, HostCopy, Lent};
use super::{Array, ArrayBody, Shape};
use crate::error::{Error, Result};
use quasar_devicelib::element::Element;
use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;

/// Elements that other code took over.
pub struct HandedOver<T> {
    /// The size.
    pub shape: Shape,
    /// The first element.
    pub start: *mut T,
    /// What frees the memory when it is dropped.
    pub owner: Box<dyn Any + Send>,
}

impl<T> std::fmt::Debug for HandedOver<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HandedOver").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl<T: Element> Array<T> {
    /// An array in memory of other code, without a copy, until [`Array::end_lent`].
    ///
    /// # Errors
    /// For sizes that arrays do not have, and for addresses that are not aligned.
    ///
    /// # Safety
    /// There are as many elements at `start` as `dims` say. Until `end_lent` is called for this array, other code does not change
    /// them, and reads them only if the array is frozen before it is used.
    pub(crate) unsafe fn lent(dims: &[usize], start: NonNull<T>) -> Result<Array<T>> {
        let shape = Shape::new(dims)?;
        let bytes = shape.count().checked_mul(size_of::<T>()).filter(|bytes| *bytes <= isize::MAX as usize);
        if bytes.is_none() {
            return Err(Error::out_of_memory(bytes, shape.dims()));
        }
        if !start.is_aligned() {
            let message = format!("the address is no multiple of {}, the size of a number", align_of::<T>());
            return Err(Error::argument(message));
        }
        // SAFETY: as the caller promises.
        let lent = unsafe { Lent::new(start, shape.count()) };
        Ok(Array::with_host_copy(shape, HostCopy::Lent(lent)))
    }

    /// Makes every change of the elements of a lent array an error, which says this.
    pub(crate) fn freeze(&self, refusal: String) -> Result<()> {
        self.body.buffer.freeze(refusal)
    }

    /// Gives lent memory back. Its elements are those of the array, also where a device computed them; whoever else has the array
    /// has a copy from now on.
    pub(crate) fn end_lent(&self) -> Result<()> {
        let kept = Arc::strong_count(&self.body) > 1 || Arc::strong_count(&self.body.buffer) > 1;
        self.body.buffer.end_lent(kept).map_err(|error| self.body.named(error))
    }

    /// Gives the memory of the elements away. A copy is made only if there are other handles.
    pub(crate) fn hand_over(self) -> Result<HandedOver<T>> {
        let body = match Arc::try_unwrap(self.body) {
            Ok(body) => body,
            Err(shared) => sole(&Array { body: shared })?,
        };
        let ArrayBody { shape, buffer } = body;
        let buffer = match Arc::try_unwrap(buffer) {
            Ok(buffer) => buffer,
            Err(shared) => Arc::into_inner(shared.copy()?).ok_or_else(in_use)?,
        };
        let mut host = Buffer::into_host(buffer)?;
        let start = host.as_mut_slice().as_mut_ptr();
        Ok(HandedOver { shape, start, owner: Box::new(host) })
    }
}

/// The parts of a copy that nobody else has.
fn sole<T: Element>(array: &Array<T>) -> Result<ArrayBody<T>> {
    Arc::into_inner(array.copy()?.body).ok_or_else(in_use)
}

fn in_use() -> Error {
    Error::system("a new array is in use")
}

#[cfg(test)]
mod tests {
    use super::super::coherence::Access;
    use super::*;
    use crate::device::Device;
    use crate::device::fake::FakeDevice;

    fn device(number: u8) -> (Arc<FakeDevice>, Arc<dyn Device>) {
        let fake = Arc::new(FakeDevice::new(number, 1 << 20));
        (Arc::clone(&fake), fake)
    }

    fn lend(elements: &mut Vec<f32>) -> Array<f32> {
        let (start, count) = (NonNull::new(elements.as_mut_ptr()).unwrap(), elements.len());
        // SAFETY: the tests use `elements` behind `end_lent` only.
        unsafe { Array::lent(&[count], start) }.unwrap()
    }

    #[test]
    fn changes_are_seen_by_whoever_lent_the_memory() {
        let mut elements = vec![1.0f32, 2.0];
        let array = lend(&mut elements);
        array.set(&[1], 5.0).unwrap();
        array.write()[0] = 4.0;
        array.end_lent().unwrap();
        drop(array);
        assert_eq!(elements, [4.0, 5.0]);
    }

    #[test]
    fn an_array_that_is_kept_gets_a_copy() {
        let mut elements = vec![1.0f32, 2.0];
        for (keep, at) in [
            (Array::reshape as fn(&Array<f32>, &[usize]) -> Result<Array<f32>>, &[0, 0][..]),
            (|array, _| Ok(array.clone()), &[0]),
        ] {
            let array = lend(&mut elements);
            let kept = keep(&array, &[2, 1]).unwrap();
            array.end_lent().unwrap();
            drop(array);
            elements[0] = 9.0;
            assert_eq!(kept.to_vec(), [1.0, 2.0]);
            kept.set(at, 7.0).unwrap();
            assert_eq!(elements, [9.0, 2.0]);
            elements[0] = 1.0;
        }
    }

    #[test]
    fn a_frozen_array_is_read_only_until_it_is_a_copy() {
        let mut elements = vec![1.0f32, 2.0];
        let array = lend(&mut elements);
        array.freeze("'x' is read-only".to_owned()).unwrap();
        assert_eq!(array.get(&[1]).unwrap(), 2.0);
        for refused in [
            array.set(&[0], 3.0),
            array.try_write().map(drop),
            array.try_overwrite().map(drop),
            super::super::hold_aliased([array.wanted(Access::Write)])
                .and_then(|[held]| array.cells_held(held).map(drop)),
        ] {
            assert_eq!(refused.unwrap_err().to_string(), "'x' is read-only");
        }
        let kept = array.clone();
        let other = array.reshape(&[1, 2]).unwrap();
        array.end_lent().unwrap();
        drop(array);
        kept.set(&[0], 3.0).unwrap();
        assert_eq!((other.to_vec(), elements), (vec![3.0, 2.0], vec![1.0, 2.0]));
    }

    #[test]
    fn what_a_device_changed_comes_back() {
        let (fake, device) = device(0);
        let mut elements = vec![1.0f32, 2.0];
        let array = lend(&mut elements);
        let memory = array.on_device(&device, Access::Write).unwrap();
        fake.run(&memory, |bytes| bytes[..4].copy_from_slice(&7f32.to_ne_bytes()));
        drop(memory);
        let kept = array.clone();
        array.end_lent().unwrap();
        drop(array);
        assert_eq!(elements, [7.0, 2.0]);
        elements[0] = 9.0;
        assert_eq!(kept.to_vec(), [7.0, 2.0]);
        let frozen = lend(&mut elements);
        frozen.freeze("no".to_owned()).unwrap();
        assert!(frozen.on_device(&device, Access::Read).is_ok());
        assert!(frozen.on_device(&device, Access::Overwrite).is_err());
        assert!(frozen.on_devices(&[(device, 0..8)]).is_err());
        frozen.end_lent().unwrap();
    }

    #[test]
    fn nothing_refers_to_lent_memory_when_a_device_is_lost() {
        let (fake, device) = device(1);
        let mut elements = vec![1.0f32, 2.0];
        let array = lend(&mut elements);
        drop(array.on_device(&device, Access::Write).unwrap());
        fake.lose();
        let kept = array.clone();
        assert!(array.end_lent().is_err());
        drop((array, elements));
        assert!(kept.try_read().is_err());
        kept.try_overwrite().unwrap().fill(3.0);
        assert_eq!(kept.to_vec(), [3.0, 3.0]);
    }

    #[test]
    fn what_a_device_has_is_handed_over_in_host_memory() {
        let (fake, device) = device(2);
        let array = Array::filled(&[2], 1.0f32).unwrap();
        let memory = array.on_device(&device, Access::Write).unwrap();
        fake.run(&memory, |bytes| bytes[4..].copy_from_slice(&7f32.to_ne_bytes()));
        drop(memory);
        let given = array.hand_over().unwrap();
        assert_eq!(fake.used(), 0, "the device's memory is free");
        // SAFETY: the owner lives.
        assert_eq!(unsafe { std::slice::from_raw_parts(given.start, 2) }, [1.0, 7.0]);
        let fresh = Array::<f32>::zeros(&[3]).unwrap().hand_over().unwrap();
        // SAFETY: as above.
        assert_eq!(unsafe { std::slice::from_raw_parts(fresh.start, 3) }, [0.0; 3]);
    }

    #[test]
    fn memory_is_handed_over_without_a_copy_where_nobody_else_has_it() {
        let array = Array::filled(&[3], 2.0f64).unwrap();
        let address = array.read().as_ptr();
        let given = array.hand_over().unwrap();
        assert_eq!(given.start.cast_const(), address);
        assert_eq!(given.shape.dims(), [3]);
        let array = Array::filled(&[3], 2.0f64).unwrap();
        let kept = array.reshape(&[1, 3]).unwrap();
        let given = array.hand_over().unwrap();
        assert_ne!(given.start.cast_const(), kept.read().as_ptr());
        // SAFETY: the owner lives.
        assert_eq!(unsafe { std::slice::from_raw_parts(given.start, 3) }, [2.0; 3]);
    }

    #[test]
    fn sizes_and_addresses_are_tested() {
        let mut bytes = vec![0u64; 4];
        let start = NonNull::new(bytes.as_mut_ptr().cast::<u8>()).unwrap();
        // SAFETY: refused, or fewer bytes than there are.
        let lent =
            |offset: usize, dims: &[usize]| unsafe { Array::<u32>::lent(dims, start.add(offset).cast()) };
        assert!(lent(4, &[2, 2]).is_ok_and(|array| array.end_lent().is_ok()));
        let error = lent(2, &[2]).unwrap_err().to_string();
        assert_eq!(error, "the address is no multiple of 4, the size of a number");
        assert!(lent(0, &[usize::MAX, 2]).is_err() && lent(0, &[usize::MAX / 4]).is_err());
    }
}
