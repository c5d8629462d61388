//! Memory of other code as arrays, and memory of arrays for other code, on a device that only pretends.

use quasar_runtime::array::coherence::{Access, CopySet, Place};
use quasar_runtime::context::with_device;
use quasar_runtime::device::fake::{Call, FakeDevice};
use quasar_runtime::device::{Device, DeviceMemory};
use quasar_runtime::{Array, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

fn device(capacity: usize) -> (Arc<FakeDevice>, Arc<dyn Device>) {
    let fake = Arc::new(FakeDevice::new(0, capacity));
    (Arc::clone(&fake), fake)
}

/// Memory as other code has it: freed when it is dropped.
struct Foreign {
    device: Arc<FakeDevice>,
    memory: DeviceMemory,
    freed: Arc<AtomicU32>,
}

impl Foreign {
    fn new(device: &Arc<FakeDevice>, bytes: &[u8]) -> (Foreign, Arc<AtomicU32>) {
        let memory = device.allocate(bytes.len()).unwrap();
        device.upload(bytes, &memory).unwrap();
        let freed = Arc::new(AtomicU32::new(0));
        (Foreign { device: Arc::clone(device), memory, freed: Arc::clone(&freed) }, freed)
    }

    /// The memory as an array.
    fn adopted(self, device: &Arc<dyn Device>, dims: &[usize]) -> Result<Array<u8>, Error> {
        let address = self.memory.id();
        // SAFETY: the memory stays as long as its owner; the device checks the rest, and has no streams.
        unsafe { Array::from_raw_parts(device, dims, address, 7, self) }
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // SAFETY: nobody uses the memory any more.
        unsafe { self.device.release(&self.memory) };
        self.freed.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn memory_of_others_is_used_where_it_is_and_freed_by_its_owner() {
    let (fake, device) = device(1 << 10);
    let (foreign, freed) = Foreign::new(&fake, &[1, 2, 3, 4, 5, 6]);
    let address = foreign.memory.id();
    fake.take_calls();
    let a = foreign.adopted(&device, &[2, 3]).unwrap();
    assert_eq!(fake.take_calls(), [Call::Adopt(address, 7)]);
    assert_eq!((a.dims(), a.places()), (&[2, 3][..], CopySet::only(Place::Linear(0))));
    let memory = a.on_device(&device, Access::Write).unwrap();
    assert_eq!(memory.id(), address);
    fake.run(&memory, |bytes| bytes[0] = 9);
    drop(memory);
    assert_eq!(fake.take_calls(), [], "nothing is copied");
    assert_eq!(a.to_vec(), [9, 2, 3, 4, 5, 6]);
    // What the host writes comes back to the same memory.
    a.write()[1] = 8;
    assert_eq!(a.on_device(&device, Access::Read).unwrap().id(), address);
    let clone = a.clone();
    drop(a);
    assert_eq!(freed.load(Ordering::Relaxed), 0);
    fake.take_calls();
    drop(clone);
    assert_eq!(freed.load(Ordering::Relaxed), 1);
    // The owner frees it when everything is done.
    assert_eq!(fake.take_calls(), [Call::Reclaim(address), Call::Synchronize, Call::Release(address)]);
}

#[test]
fn memory_of_others_makes_no_room() {
    let (fake, device) = device(100);
    let (foreign, freed) = Foreign::new(&fake, &[7; 60]);
    let a = foreign.adopted(&device, &[60]).unwrap();
    let b = Array::filled(&[60], 1u8).unwrap();
    assert!(matches!(b.on_device(&device, Access::Read), Err(Error::OutOfDeviceMemory { .. })));
    assert_eq!((a.places(), freed.load(Ordering::Relaxed)), (CopySet::only(Place::Linear(0)), 0));
    // A copy is the run-time system's own, on the host where the device is full.
    let copy = a.copy().unwrap();
    drop(a);
    assert_eq!((copy.to_vec(), freed.load(Ordering::Relaxed)), (vec![7; 60], 1));
    drop(b.on_device(&device, Access::Read).unwrap());
}

#[test]
fn memory_belongs_to_one_array_at_a_time() {
    let (fake, device) = device(1 << 10);
    let (foreign, _) = Foreign::new(&fake, &[1, 2, 3, 4]);
    let address = foreign.memory.id();
    let a = foreign.adopted(&device, &[4]).unwrap();
    // SAFETY: `a` keeps the memory; the device looks it up.
    let again = |dims: &[usize]| unsafe { Array::<u8>::from_raw_parts(&device, dims, address, 0, a.clone()) };
    for dims in [&[4][..], &[2, 2]] {
        let error = again(dims).unwrap_err().to_string();
        assert!(error.contains("overlaps that of another array"), "{error}");
    }
    // What is refused leaves the array as it was; views share its elements.
    let view = a.reshape(&[2, 2]).unwrap();
    view.write()[3] = 9;
    assert_eq!(a.to_vec(), [1, 2, 3, 9]);
    drop((a, view));
    let (other, _) = Foreign::new(&fake, &[5, 6]);
    assert_eq!(other.adopted(&device, &[2]).unwrap().to_vec(), [5, 6]);
}

#[test]
fn what_cannot_be_is_refused_and_the_owner_dropped() {
    let (fake, device) = device(1 << 10);
    let refused = |dims: &[usize]| {
        let (foreign, freed) = Foreign::new(&fake, &[1, 2, 3]);
        let error = foreign.adopted(&device, dims).unwrap_err().to_string();
        assert_eq!(freed.load(Ordering::Relaxed), 1);
        error
    };
    assert_eq!(refused(&[4]), "device fake0: a copy from 3 bytes to 4 bytes");
    assert!(refused(&[usize::MAX, 2]).contains("too large") || refused(&[usize::MAX, 2]).contains("memory"));
    // SAFETY: nothing is at this address, which the device notices.
    let nowhere = unsafe { Array::<u8>::from_raw_parts(&device, &[1], 12345, 0, ()) };
    assert_eq!(nowhere.unwrap_err().to_string(), "device fake0: unknown memory");
    let (foreign, freed) = Foreign::new(&fake, &[1, 2, 3]);
    let a = foreign.adopted(&device, &[3]).unwrap();
    fake.lose();
    assert!(matches!(a.try_read(), Err(Error::Lost { .. })));
    drop(a);
    assert_eq!(freed.load(Ordering::Relaxed), 1);
}

#[test]
fn arrays_lend_their_memory_when_the_device_is_idle() {
    let (fake, device) = device(1 << 10);
    with_device(Some(Arc::clone(&device)), || {
        let a = Array::from_vec(&[2, 2], vec![1u16, 2, 3, 4]).unwrap();
        let sum = a.with_device_pointer(&device, Access::Write, |pointer| {
            assert!(matches!(
                fake.take_calls()[..],
                [Call::Allocate(8), Call::Upload(_, 8), Call::Synchronize]
            ));
            assert_eq!((pointer.count, pointer.stream), (4, 1));
            // What the other code does.
            // SAFETY: the array's memory, which is held until the end of the call.
            let memory = unsafe { DeviceMemory::from_raw(pointer.address, 8) };
            let mut sum = 0;
            fake.run(&memory, |bytes| {
                sum = bytes.iter().map(|&byte| u32::from(byte)).sum();
                bytes[0] = 10;
            });
            let (a, device) = (&a, &device);
            assert!(matches!(a.try_read(), Err(Error::Argument { .. })), "lent");
            assert!(a.with_device_pointer(device, Access::Read, |_| ()).is_err(), "lent");
            sum
        });
        assert_eq!(sum.unwrap(), 10);
        assert_eq!(a.places(), CopySet::only(Place::Linear(0)));
        assert_eq!(a.to_vec(), [10, 2, 3, 4]);
        // Several may read.
        let twice = a.with_device_pointer(&device, Access::Read, |first| {
            a.with_device_pointer(&device, Access::Read, |second| first == second)
        });
        assert!(twice.unwrap().unwrap());
        assert_eq!(a.to_vec(), [10, 2, 3, 4]);
        fake.fail();
        assert!(a.with_device_pointer(&device, Access::Read, |_| ()).is_err());
        assert_eq!(a.to_vec(), [10, 2, 3, 4]);
    });
}

#[test]
fn the_host_lends_and_takes_nothing() {
    let host: Arc<dyn Device> = Arc::new(quasar_runtime::device::host::HostDevice);
    let a = Array::from_vec(&[1], vec![1u8]).unwrap();
    let error = a.with_device_pointer(&host, Access::Read, |_| ()).unwrap_err().to_string();
    assert!(error.contains("not supported yet: memory for other code on this device"), "{error}");
    // SAFETY: refused.
    let error = unsafe { Array::<u8>::from_raw_parts(&host, &[1], 16, 0, ()) }.unwrap_err().to_string();
    assert!(error.contains("not supported yet: memory of other code on this device"), "{error}");
}
