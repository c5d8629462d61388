//! The NaN check of kernel outputs on devices, by helper kernels before and after the launch. The first such element
//! goes to the error record, so the host does not wait.

use super::libraries::Helper;
use super::{Arg, DeviceArray};
use crate::array::Scratch;
use crate::context;
use crate::device::{Device, DeviceMemory, LaunchArg};
use crate::error::{Error, Place, Result};
use crate::kernel::deferred_errors;
use crate::kernel::nan_check::{Component, not_finite};
use quasar_devicelib::device_text::FaultRecord;
use std::ops::Range;
use std::sync::Arc;

/// Views components as integers and tests their exponent bits.
const COMMON: &str = r#"
Q_FN q_i32 flawed(q_$u part) { return (part & $exponent) == $exponent; }
Q_FN q_u64 thread_of_all(void) { return (q_u64)Q_BLOCK(0) * (q_u64)Q_BLOCK_DIM(0) + (q_u64)Q_THREAD(0); }
Q_FN q_u64 threads(void) { return (q_u64)Q_GRID_DIM(0) * (q_u64)Q_BLOCK_DIM(0); }
"#;

/// Marks the components from `origin` on that are not finite in a bit mask.
const BEFORE: &str = r#"
Q_KERNEL void flaws_before_$u(Q_GLOBAL const q_$u *x, q_u64 origin, q_u64 end, Q_GLOBAL q_u32 *known) {
    for (q_u64 i = thread_of_all(); i < end - origin; i += threads()) {
        if (flawed(x[origin + i])) q_atomic_or_u32(known + i / 32, 1u << (q_u32)(i % 32));
    }
}
"#;

/// Finds the first component that is not finite and was so before.
const AFTER: &str = r#"
Q_KERNEL void flaws_after_$u(Q_GLOBAL const q_$u *x, q_u64 origin, q_u64 start, q_u64 end,
                             Q_GLOBAL const q_u32 *known, q_u32 any, Q_GLOBAL q_u32 *first) {
    for (q_u64 i = start + thread_of_all(); i < end; i += threads()) {
        const q_u64 bit = i - origin;
        if (!flawed(x[i]) || (any != 0u && (known[bit / 32] >> (q_u32)(bit % 32) & 1u) != 0u)) continue;
        q_atomic_min_u32(first, (q_u32)(i - start));
        break;
    }
}
"#;

/// Writes the error record for it.
const TOLD: &str = r#"
Q_KERNEL void flaws_told_$u(Q_GLOBAL const q_$u *x, q_u64 start, Q_GLOBAL const q_u32 *first, q_i32 site,
                            Q_GLOBAL q_fault *fault) {
    if (thread_of_all() != 0 || first[0] == 0xffffffffu) return;
    if (!q_fail(fault, $kind, site)) return;
    const q_u64 i = start + first[0];
    fault->values[0] = (q_i64)i;
    fault->values[1] = (x[i] & $mantissa) != 0;
}
"#;

/// The unsigned type of a component, and the masks of its exponent and mantissa.
type Bits = [&'static str; 3];
const HALF: Bits = ["u16", "0x7c00u", "0x3ffu"];
const SINGLE: Bits = ["u32", "0x7f800000u", "0x7fffffu"];
const DOUBLE: Bits = ["u64", "Q_U64(0x7ff0000000000000)", "Q_U64(0xfffffffffffff)"];

fn text(kernel: &str, [unsigned, exponent, mantissa]: Bits) -> String {
    let text = format!("{COMMON}{kernel}").replace("$exponent", exponent).replace("$mantissa", mantissa);
    text.replace("$kind", &FaultRecord::NOT_FINITE.to_string()).replace("$u", unsigned)
}

/// The kernels for one component size.
struct Kernels {
    before: Helper,
    after: Helper,
    told: Helper,
}

static HALVES: Kernels = Kernels {
    before: Helper::new("flaws_before_u16", || text(BEFORE, HALF)),
    after: Helper::new("flaws_after_u16", || text(AFTER, HALF)),
    told: Helper::new("flaws_told_u16", || text(TOLD, HALF)),
};
static SINGLES: Kernels = Kernels {
    before: Helper::new("flaws_before_u32", || text(BEFORE, SINGLE)),
    after: Helper::new("flaws_after_u32", || text(AFTER, SINGLE)),
    told: Helper::new("flaws_told_u32", || text(TOLD, SINGLE)),
};
static DOUBLES: Kernels = Kernels {
    before: Helper::new("flaws_before_u64", || text(BEFORE, DOUBLE)),
    after: Helper::new("flaws_after_u64", || text(AFTER, DOUBLE)),
    told: Helper::new("flaws_told_u64", || text(TOLD, DOUBLE)),
};

fn kernels(part: Component) -> &'static Kernels {
    match part.bytes {
        2 => &HALVES,
        4 => &SINGLES,
        _ => &DOUBLES,
    }
}

/// An output array of a launch, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::kernel) struct Site {
    name: &'static str,
    dims: Vec<usize>,
    in_element: usize,
    place: Place,
}

impl Site {
    /// The error in a record about this array.
    pub(in crate::kernel) fn error(&self, record: &FaultRecord) -> Error {
        let part = usize::try_from(record.values[0]).unwrap_or(0);
        not_finite(self.name, record.values[1] != 0, part / self.in_element, &self.dims, self.place)
    }
}

/// An output array before a launch, with everything that the check after it needs: after the launch nothing may fail in
/// a way that makes the CPU repeat the launch.
pub(super) struct Snapshot<'a> {
    part: Component,
    array: &'a DeviceMemory,
    /// The components of the array that the launch may write.
    parts: Range<u64>,
    /// Bit mask of the components that are not finite; `None` for a new array, which contains zeros.
    known: Option<Scratch<'a>>,
    /// Receives the index of the first flawed component.
    first: Scratch<'a>,
    record: DeviceMemory,
    site: i32,
}

/// Maximum components that one launch of a check kernel covers.
const PIECE: u64 = 1 << 31;
/// Blocks of a check kernel per multiprocessor.
const BLOCKS: u32 = 16;

/// The grid for this many components.
fn grid(device: &dyn Device, parts: u64) -> [u32; 2] {
    let limits = device.limits();
    let most = limits.multiprocessors.max(1).saturating_mul(BLOCKS).min(limits.max_grid[0]);
    [u32::try_from(parts.div_ceil(256)).unwrap_or(u32::MAX).clamp(1, most), 1]
}

/// If the check is enabled: for each argument, whether it is an array that was never written.
pub(super) fn wanted(args: &[Arg<'_>]) -> Option<Vec<bool>> {
    context::checks_numbers().then(|| args.iter().map(Arg::is_new).collect())
}

/// Compiles the check kernels for the float arrays that a launch writes.
pub(super) fn prepare(device: &dyn Device, args: &[Arg<'_>]) -> Result<()> {
    let part =
        |arg: &Arg<'_>| if let Arg::Write(array) = arg { Component::of(array.element_type()) } else { None };
    for part in args.iter().filter_map(part) {
        let Kernels { before, after, told } = kernels(part);
        [before, after, told].into_iter().try_for_each(|helper| helper.compiled(device).map(drop))?;
    }
    Ok(())
}

impl<'a> Snapshot<'a> {
    /// Takes a snapshot of an array on the device, before the launch.
    pub(super) fn new(
        device: &'a Arc<dyn Device>,
        array: &dyn DeviceArray,
        (memory, bytes): (&'a DeviceMemory, Range<usize>),
        is_new: bool,
        (name, place): (&'static str, Place),
    ) -> Result<Option<Snapshot<'a>>> {
        let Some(part) = Component::of(array.element_type()) else { return Ok(None) };
        let parts = (bytes.start / part.bytes) as u64..(bytes.end / part.bytes) as u64;
        let known = if is_new { None } else { Some(flaws(device, part, &parts, memory)?) };
        let first = Scratch::new(&**device, 16)?;
        let site = Site { name, dims: array.dims().to_vec(), in_element: part.in_element, place };
        let (record, site) = deferred_errors::open_check(device, site)?;
        Ok(Some(Snapshot { part, array: memory, parts, known, first, record, site }))
    }

    /// Checks the array after the launch was submitted.
    pub(super) fn finish(self, device: &Arc<dyn Device>) -> Result<()> {
        for start in self.parts.clone().step_by(PIECE as usize) {
            // Converted to an error that does not make the CPU repeat the launch.
            self.look(device, start).map_err(|error| Error::system(error.to_string()))?;
        }
        Ok(())
    }

    /// Checks one piece.
    fn look(&self, device: &Arc<dyn Device>, start: u64) -> Result<()> {
        let end = self.parts.end.min(start + PIECE);
        let grid = grid(&**device, end - start);
        let [origin, start, end] = [self.parts.start, start, end].map(u64::to_ne_bytes);
        let site = self.site.to_ne_bytes();
        let any = u32::from(self.known.is_some()).to_ne_bytes();
        let after = [
            LaunchArg::Input(self.array),
            LaunchArg::Bytes(&origin),
            LaunchArg::Bytes(&start),
            LaunchArg::Bytes(&end),
            LaunchArg::Input(self.known.as_ref().map_or(self.array, Scratch::memory)),
            LaunchArg::Bytes(&any),
            LaunchArg::Memory(self.first.memory()),
        ];
        let told = [
            LaunchArg::Input(self.array),
            LaunchArg::Bytes(&start),
            LaunchArg::Input(self.first.memory()),
            LaunchArg::Bytes(&site),
            LaunchArg::Memory(&self.record),
        ];
        device.fill(self.first.memory(), 0xff)?;
        let kernels = kernels(self.part);
        // SAFETY: the kernel stays below `end`, within the array; it reads bits only if there is one for each component
        // from `origin` on.
        unsafe { kernels.after.launch(device, grid, &after)? };
        // SAFETY: the kernel reads the component whose number the previous one found, and writes a record.
        unsafe { kernels.told.launch(device, [1, 1], &told) }
    }
}

/// Bit mask of the components in a range that are not finite.
fn flaws<'a>(
    device: &'a Arc<dyn Device>,
    part: Component,
    parts: &Range<u64>,
    array: &DeviceMemory,
) -> Result<Scratch<'a>> {
    let count = parts.end - parts.start;
    let bytes = usize::try_from(count.div_ceil(32) * 4).unwrap_or(usize::MAX);
    let known = Scratch::new(&**device, bytes)?;
    device.fill(known.memory(), 0)?;
    let [origin, end] = [parts.start, parts.end].map(u64::to_ne_bytes);
    let args = [
        LaunchArg::Input(array),
        LaunchArg::Bytes(&origin),
        LaunchArg::Bytes(&end),
        LaunchArg::Memory(known.memory()),
    ];
    // SAFETY: the kernel stays below `end`, within the array, and has a bit for each component from `origin` on.
    unsafe { kernels(part).before.launch(device, grid(&**device, count), &args)? };
    Ok(known)
}

#[cfg(all(test, feature = "cuda"))]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_compile_for_cuda() {
        for Kernels { before, after, told } in [&HALVES, &SINGLES, &DOUBLES] {
            for helper in [before, after, told] {
                assert_eq!(helper.compiles_for_cuda(), Ok(()));
            }
        }
    }
}
