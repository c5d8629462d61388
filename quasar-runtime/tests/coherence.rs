//! Which transfers arrays make between the host and devices with memory of their own.

use quasar_runtime::array::coherence::{Access, CopySet, Place};
use quasar_runtime::device::fake::{Call, FakeDevice};
use quasar_runtime::device::{Device, host::HostDevice};
use quasar_runtime::{Array, Error};
use std::sync::Arc;

fn device(number: u8) -> (Arc<FakeDevice>, Arc<dyn Device>) {
    let fake = Arc::new(FakeDevice::new(number, 1 << 20));
    (Arc::clone(&fake), fake)
}

#[test]
fn reads_upload_once() {
    let (fake, device) = device(0);
    let a = Array::from_vec(&[3], vec![1u8, 2, 3]).unwrap();
    let memory = a.on_device(&device, Access::Read).unwrap();
    a.on_device(&device, Access::Read).unwrap();
    assert_eq!(fake.take_calls(), [Call::Allocate(3), Call::Upload(memory.id(), 3)]);
    assert_eq!(a.places(), CopySet::only(Place::Host).with(Place::Linear(0)));
    assert_eq!(a.to_vec(), [1, 2, 3]);
    assert_eq!(fake.take_calls(), []);
}

#[test]
fn writes_on_a_device_come_back_when_read() {
    let (fake, device) = device(0);
    let a = Array::from_vec(&[2], vec![1u16, 2]).unwrap();
    let memory = a.on_device(&device, Access::Write).unwrap();
    fake.run(&memory, |bytes| bytes[0] = 77);
    let id = memory.id();
    drop(memory);
    assert_eq!(a.places(), CopySet::only(Place::Linear(0)));
    fake.take_calls();
    assert_eq!(a.to_vec(), [77, 2]);
    assert_eq!(a.to_vec(), [77, 2]);
    assert_eq!(fake.take_calls(), [Call::Download(id, 4)]);
    a.write()[1] = 5;
    a.on_device(&device, Access::Read).unwrap();
    assert_eq!(fake.take_calls(), [Call::Upload(id, 4)]);
}

#[test]
fn overwriting_transfers_nothing() {
    let (fake, device) = device(0);
    let a = Array::<f32>::zeros(&[4]).unwrap();
    a.on_device(&device, Access::Overwrite).unwrap();
    assert_eq!(fake.take_calls(), [Call::Allocate(16)]);
    a.try_overwrite().unwrap().fill(1.0);
    assert_eq!(fake.take_calls(), []);
    assert_eq!(a.places(), CopySet::only(Place::Host));
}

/// An array of 256 KB that only a device has, of zeros and a one.
fn on_device_only(fake: &FakeDevice, device: &Arc<dyn Device>) -> (Array<f32>, u64) {
    let a = Array::<f32>::zeros(&[256, 256]).unwrap();
    let memory = a.on_device(device, Access::Write).unwrap();
    fake.run(&memory, |bytes| bytes[4..8].copy_from_slice(&1_f32.to_ne_bytes()));
    let id = memory.id();
    drop(memory);
    fake.take_calls();
    (a, id)
}

#[test]
fn few_elements_move_alone() {
    let (fake, device) = device(0);
    let (a, id) = on_device_only(&fake, &device);
    assert_eq!(a.get(&[0, 1]).unwrap(), 1.0);
    a.set(&[2, 3], 5.0).unwrap();
    assert_eq!(a.get(&[2, 3]).unwrap(), 5.0);
    assert_eq!(fake.take_calls(), [Call::Download(id, 4), Call::Upload(id, 4), Call::Download(id, 4)]);
    assert_eq!(a.places(), CopySet::only(Place::Linear(0)));
    // The fourth still pays off, the fifth brings all of them.
    assert_eq!(a.get(&[0, 0]).unwrap(), 0.0);
    assert_eq!(a.get(&[0, 1]).unwrap(), 1.0);
    assert_eq!(a.get(&[2, 3]).unwrap(), 5.0);
    assert_eq!(fake.take_calls(), [Call::Download(id, 4), Call::Download(id, 1 << 18)]);
    // A launch that changes them begins anew.
    drop(a.on_device(&device, Access::Write).unwrap());
    assert_eq!(a.get(&[0, 1]).unwrap(), 1.0);
    assert_eq!(fake.take_calls(), [Call::Download(id, 4)]);
    assert!(a.get(&[256, 0]).is_err() && a.set(&[0, -1], 1.0).is_err());
}

#[test]
fn an_element_that_changes_does_not_take_the_other_copies_along() {
    let (fake, device) = device(0);
    let (a, id) = on_device_only(&fake, &device);
    assert_eq!(a.to_vec()[1], 1.0);
    fake.take_calls();
    a.set(&[0, 2], 7.0).unwrap();
    assert_eq!(fake.take_calls(), [Call::Upload(id, 4)]);
    assert_eq!(a.places(), CopySet::only(Place::Host).with(Place::Linear(0)));
    let memory = a.on_device(&device, Access::Read).unwrap();
    fake.run(&memory, |bytes| assert_eq!(bytes[8..12], 7_f32.to_ne_bytes()));
    drop(memory);
    assert_eq!((fake.take_calls(), a.to_vec()[2]), (Vec::new(), 7.0));
    // Loops on the host leave the device behind.
    for k in 0..6 {
        a.set(&[1, k], 1.0).unwrap();
    }
    assert_eq!(a.places(), CopySet::only(Place::Host));
    // Small arrays move as a whole.
    let small = Array::from_vec(&[2], vec![1_u8, 2]).unwrap();
    drop(small.on_device(&device, Access::Write).unwrap());
    small.set(&[0], 3).unwrap();
    assert_eq!(small.places(), CopySet::only(Place::Host));
    assert_eq!(small.to_vec(), [3, 2]);
}

#[test]
fn an_element_of_a_lost_device_is_lost() {
    let (fake, device) = device(0);
    let (a, _) = on_device_only(&fake, &device);
    fake.fail();
    assert!(matches!(a.get(&[0, 1]), Err(Error::Device { .. })));
    assert!(matches!(a.set(&[0, 1], 2.0), Err(Error::Device { .. })));
}

#[test]
fn devices_exchange_data() {
    let ((first, d0), (second, d1)) = (device(0), device(1));
    let a = Array::from_vec(&[2], vec![1u8, 2]).unwrap();
    let memory = a.on_device(&d0, Access::Write).unwrap();
    first.run(&memory, |bytes| bytes[1] = 9);
    drop(memory);
    let memory = a.on_device(&d1, Access::Read).unwrap();
    second.run(&memory, |bytes| assert_eq!(bytes, [1, 9]));
    drop(memory);
    assert_eq!(a.to_vec(), [1, 9]);
    assert_eq!(first.take_calls().iter().filter(|call| matches!(call, Call::Download(..))).count(), 1);
    assert_eq!(d1.counters().now().peer_copies, 1);
}

#[test]
fn memory_goes_back_with_the_array() {
    let (fake, device) = device(0);
    let a = Array::<u8>::zeros(&[100]).unwrap();
    a.on_device(&device, Access::Read).unwrap();
    assert_eq!(fake.used(), 100);
    drop(a);
    assert_eq!(fake.used(), 0);
}

#[test]
fn a_failed_device_loses_what_only_it_has() {
    let (fake, device) = device(0);
    let a = Array::<u8>::zeros(&[4, 4]).unwrap();
    a.on_device(&device, Access::Write).unwrap();
    fake.fail();
    assert!(matches!(a.try_read(), Err(Error::Device { .. })));
    a.invalidate(Place::Linear(0)).unwrap();
    let error = a.try_read().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the contents of an array of size 4x4 are lost: the device that held them failed"
    );
    a.try_overwrite().unwrap().fill(1);
    assert_eq!(a.get(&[3, 3]).unwrap(), 1);
}

#[test]
fn too_large_arrays_do_not_fit_a_device() {
    let (_, device) = device(0);
    let a = Array::<u8>::zeros(&[2 << 20]).unwrap();
    let error = a.on_device(&device, Access::Read).unwrap_err();
    assert_eq!(error.to_string(), "out of GPU memory: 2 MiB (2097152 bytes) on fake0");
    assert!(a.try_read().is_ok());
    let host: Arc<dyn Device> = Arc::new(HostDevice);
    assert!(a.on_device(&host, Access::Read).is_err());
    assert_eq!(host.name(), "cpu");
    host.synchronize().unwrap();
}
