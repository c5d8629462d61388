//! Memory that goes both ways. It needs a GPU; the program that this becomes does not even start without a driver.

use cust::context::{Context, ContextHandle};
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::sys::{CUresult, cuCtxGetCurrent};
use quasar_cust::{from_buffer, with_slice, with_slice_mut};
use quasar_runtime::Array;
use quasar_runtime::array::coherence::{CopySet, Place};
use quasar_runtime::device::{Device, select};
use std::sync::Arc;

fn device() -> (Context, Arc<dyn Device>) {
    let context = cust::quick_init().expect("a GPU");
    (context, select::cuda().expect("a GPU").remove(0))
}

#[test]
fn the_context_is_shared() {
    let (context, device) = device();
    device.synchronize().unwrap();
    let a = Array::from_vec(&[4], vec![1.0f32, 2.0, 3.0, 4.0]).unwrap();
    with_slice(&a, &device, |_| {
        let mut current = std::ptr::null_mut();
        // SAFETY: the function writes one pointer.
        assert_eq!(unsafe { cuCtxGetCurrent(&mut current) }, CUresult::CUDA_SUCCESS);
        assert_eq!(current, context.get_inner());
    })
    .unwrap();
}

#[test]
fn arrays_lend_their_memory() {
    let (_context, device) = device();
    let a = Array::from_vec(&[2, 3], vec![1i32, 2, 3, 4, 5, 6]).unwrap();
    let found = with_slice(&a, &device, |slice| slice.as_host_vec().unwrap()).unwrap();
    assert_eq!(found, [1, 2, 3, 4, 5, 6]);
    with_slice_mut(&a, &device, |slice| slice.copy_from(&[6, 5, 4, 3, 2, 1]).unwrap()).unwrap();
    assert_eq!(a.places(), CopySet::only(Place::Linear(0)));
    assert_eq!(a.to_vec(), [6, 5, 4, 3, 2, 1]);
    // Not waited for by the binding: a fill on the default stream.
    let large = Array::filled(&[1 << 22], 1.0f32).unwrap();
    with_slice_mut(&large, &device, |slice| slice.set_32(0).unwrap()).unwrap();
    assert!(large.to_vec().iter().all(|&v| v == 0.0));
}

#[test]
fn buffers_become_arrays() {
    let (_context, device) = device();
    let buffer = DeviceBuffer::from_slice(&[1.0f64, 2.0, 3.0, 4.0]).unwrap();
    let address = buffer.as_device_ptr().as_raw();
    let a = from_buffer(&device, &[2, 2], buffer).unwrap();
    assert_eq!(a.places(), CopySet::only(Place::Linear(0)));
    assert_eq!(a.to_vec(), [1.0, 2.0, 3.0, 4.0]);
    a.write()[0] = 9.0;
    with_slice(&a, &device, |slice| {
        assert_eq!(slice.as_device_ptr().as_raw(), address);
        assert_eq!(slice.as_host_vec().unwrap(), [9.0, 2.0, 3.0, 4.0]);
    })
    .unwrap();
    let few = DeviceBuffer::from_slice(&[1u8]).unwrap();
    assert!(from_buffer(&device, &[2], few).is_err());
    // Another thread drops it.
    std::thread::spawn(move || drop(a)).join().unwrap();
    device.synchronize().unwrap();
}
