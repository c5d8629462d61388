//! Arrays to which all positions of a launch only add, where devices share the launch: each adds to an array of its own, and
//! these are added to that of the first device, in the order of the devices.

use super::libraries::Helper;
use super::{DeviceArray, args};
use crate::array::Scratch;
use crate::device::{Device, LaunchArg};
use crate::error::{Error, Result};
use crate::kernel::deferred_errors;
use quasar_devicelib::element::ElementType;
use std::sync::Arc;

const TEXT: &str = r#"
Q_KERNEL void add_parts_$e(Q_GLOBAL q_$e *sums, Q_GLOBAL const q_$e *parts, q_u64 count) {
    const q_u64 threads = (q_u64)Q_GRID_DIM(0) * (q_u64)Q_BLOCK_DIM(0);
    for (q_u64 i = (q_u64)Q_BLOCK(0) * (q_u64)Q_BLOCK_DIM(0) + (q_u64)Q_THREAD(0); i < count; i += threads) {
        sums[i] = (q_$e)((q_$w)sums[i] + (q_$w)parts[i]);
    }
}
"#;

fn text(element: &str, computed: &str) -> String {
    TEXT.replace("$e", element).replace("$w", computed)
}

// Sums of integers wrap around.
static INTS: Helper = Helper::new("add_parts_i32", || text("i32", "u32"));
static SINGLES: Helper = Helper::new("add_parts_f32", || text("f32", "f32"));
static DOUBLES: Helper = Helper::new("add_parts_f64", || text("f64", "f64"));

fn helper(array: &dyn DeviceArray) -> Result<&'static Helper> {
    match array.element_type() {
        ElementType::Int32 => Ok(&INTS),
        ElementType::Single => Ok(&SINGLES),
        ElementType::Double => Ok(&DOUBLES),
        other => Err(Error::system(format!("sums of devices of {other:?}"))),
    }
}

/// Compiles what adds up, before the first device begins.
pub(super) fn prepare(array: &dyn DeviceArray, first: &dyn Device) -> Result<()> {
    helper(array)?.compiled(first).map(drop)
}

/// Zeros on a device, to which it adds.
pub(super) fn zeros<'d>(array: &dyn DeviceArray, device: &'d Arc<dyn Device>) -> Result<Scratch<'d>> {
    let zeros = Scratch::new(&**device, args::bytes(array))?;
    device.fill(zeros.memory(), 0)?;
    Ok(zeros)
}

/// Memory on the first device for what others have added up.
pub(super) fn room<'d>(array: &dyn DeviceArray, first: &'d Arc<dyn Device>) -> Result<Scratch<'d>> {
    Scratch::new(&**first, args::bytes(array))
}

/// Adds what a device has added up to the array on the first device.
pub(super) fn add(
    array: &dyn DeviceArray,
    (first, sums): (&Arc<dyn Device>, &crate::device::DeviceMemory),
    (other, part): (&Arc<dyn Device>, &Scratch<'_>),
    room: &Scratch<'_>,
) -> Result<()> {
    let bytes = args::bytes(array);
    let (from, to) = (part.memory().part(0..bytes), room.memory().part(0..bytes));
    if first.reaches(&**other) {
        first.receive(&**other, &from, &to)?;
    } else {
        // All devices work meanwhile.
        deferred_errors::flush()?;
        let mut on_host = vec![0; bytes];
        other.download(&from, &mut on_host)?;
        first.upload(&on_host, &to)?;
    }
    let count = bytes / array.element_type().size();
    let blocks = u32::try_from(count.div_ceil(256)).unwrap_or(u32::MAX);
    let most = first.limits().multiprocessors.max(1).saturating_mul(16).min(first.limits().max_grid[0]);
    let count = (count as u64).to_ne_bytes();
    let args = [LaunchArg::Memory(sums), LaunchArg::Input(room.memory()), LaunchArg::Bytes(count.as_slice())];
    // SAFETY: the kernel stays below `count`, the number of elements of both memories, which have the kernel's type; the
    // arguments are those of its parameters.
    unsafe { helper(array)?.launch(first, [blocks.clamp(1, most), 1], &args) }
}
