//! Memory of other code as arrays, and memory of arrays for other code, on CUDA.

use super::*;
use quasar_runtime::device::DeviceMemory;

pub(super) const TESTS: &[Test] = &[("memory of other code", adopted), ("memory for other code", lent)];

/// Memory that something else than an array frees.
struct Foreign {
    device: Arc<dyn Device>,
    memory: DeviceMemory,
    dropped: Arc<AtomicU32>,
}

impl Drop for Foreign {
    fn drop(&mut self) {
        // SAFETY: nobody uses the memory any more.
        unsafe { self.device.release(&self.memory) };
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

fn adopted(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    let kernel = bench.kernel(&device, "add_one")?;
    let n = 10_000;
    let dropped = Arc::new(AtomicU32::new(0));
    let memory = device.allocate(4 * n)?;
    let numbers: Vec<u8> = (0..n as i32).flat_map(i32::to_ne_bytes).collect();
    device.upload(&numbers, &memory)?;
    let stream = device.stream()?.ok_or("CUDA has streams")?;
    let address = memory.id();
    let foreign = Foreign { device: Arc::clone(&device), memory, dropped: Arc::clone(&dropped) };
    // SAFETY: the memory has so many elements, is filled on this stream of the primary context, and lives with its owner.
    let x = unsafe { Array::<i32>::from_raw_parts(&device, &[n], address, stream, foreign) }?;
    let before = device.counters().now();
    for _ in 0..5 {
        add_one(&device, &kernel, &x)?;
    }
    assert_eq!(x.on_device(&device, Access::Read)?.id(), address);
    assert!(x.to_vec().iter().enumerate().all(|(k, &v)| v == k as i32 + 5));
    let done = device.counters().now().since(&before);
    assert_eq!((done.uploads, done.downloads, done.launches), (0, 1, 5));
    x.write()[3] = 100;
    add_one(&device, &kernel, &x)?;
    assert_eq!(x.get(&[3])?, 101);
    add_one(&device, &kernel, &x)?;
    drop(x);
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    // The default stream is one too; other addresses are refused.
    let memory = device.allocate(64)?;
    device.upload(&[7; 64], &memory)?;
    // SAFETY: as above; nothing frees the memory before the array is dropped.
    let y = unsafe { Array::<u8>::from_raw_parts(&device, &[64], memory.id(), 0, ()) }?;
    assert_eq!(y.to_vec(), [7; 64]);
    drop(y);
    // SAFETY: as above, and the address is refused.
    let inside = unsafe { Array::<u8>::from_raw_parts(&device, &[8], memory.id() + 4, 0, ()) };
    assert!(inside.unwrap_err().to_string().contains("a multiple of 16 bytes"));
    // SAFETY: nobody uses the memory any more.
    unsafe { device.release(&memory) };
    Ok(())
}

fn lent(bench: &Bench) -> Outcome {
    let device = bench.device(&bench.options())?;
    let kernel = bench.kernel(&device, "add_one")?;
    let x = Array::filled(&[1000], 1i32)?;
    // Many, so that some are held back when the memory is asked for.
    for _ in 0..100 {
        add_one(&device, &kernel, &x)?;
    }
    let address = x.with_device_pointer(&device, Access::Write, |pointer| {
        assert_eq!(pointer.count, 1000);
        assert_ne!(pointer.stream, 0);
        // SAFETY: the array's memory, which is held until the end of the call.
        let memory = unsafe { DeviceMemory::from_raw(pointer.address, 4000) };
        let mut found = vec![0; 4000];
        device.download(&memory, &mut found).unwrap();
        assert!(found.chunks_exact(4).all(|number| number == 101i32.to_ne_bytes()));
        device.fill(&memory, 1).unwrap();
        pointer.address
    })?;
    assert_eq!(x.to_vec(), [0x0101_0101; 1000]);
    assert_eq!(x.on_device(&device, Access::Read)?.id(), address);
    Ok(())
}
