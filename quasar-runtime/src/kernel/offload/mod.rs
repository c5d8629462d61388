//! Launches on devices: the device form of a kernel with its schedule ([`Style`]), the decision to offload, argument
//! passing, and the collection of results.
//!
//! A launch is offered to the active device, if there is one. Its arrays are made valid there and stay. The host waits
//! only for results; errors are deferred (`pending`).

mod accumulated;
pub(crate) mod affinity;
mod answer;
mod args;
mod blocks;
mod compile_ahead;
mod form;
mod grid;
pub(crate) mod libraries;
mod multi_device;
pub(super) mod nan_check;
mod no_fault_conditions;
mod placement;
mod row_footprint;

pub(crate) use answer::{fault_error, kernel_error};
pub use args::{Arg, Bytes, DeviceArray};
pub use blocks::{BlockVersion, largest_block, usual_block};
pub use form::{Form, Part, Site, Style, Target};
pub use multi_device::offload_to_all;
pub use no_fault_conditions::{Sum, Symbol};
pub(crate) use placement::{MissedGain, transfer_time};
pub use row_footprint::RowRange;
pub(crate) use row_footprint::bytes_read;

use super::deferred_errors;
use crate::array::coherence::Access;
use crate::array::{DeviceGuard, Hold, Scratch, Wanted, hold_list};
use crate::context;
use crate::device::result_buffer::Heap;
use crate::device::small_vec::SmallVec;
use crate::device::{
    Device, DeviceMemory, Dialect, KernelHandle, KernelSource, LaunchArg, LaunchConfig, Mailbox, device_error,
};
use crate::error::{Error, Place, Result};
use crate::{kernel, profile};
use placement::LaunchCosts;
use quasar_devicelib::device_text::{self, FaultRecord, Parameter};
use quasar_devicelib::element::{Element, ElementType, Scalar};
use quasar_devicelib::ops;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The device form of a kernel, as generated code declares it, with its compiled code.
pub struct DeviceKernel {
    form: Form,
    /// The compiled code, one entry for each device that ran it.
    compiled: Compiled,
    missed: MissedGain,
    /// The line of the source where it begins; 0 if that is unknown.
    line: u32,
    /// The kernels of its program, itself among them, if the program lists them.
    program: &'static [&'static DeviceKernel],
}

/// Operations of an iteration that threads share, at least: it reads an element and adds it up.
const ITERATION: u64 = 4;

impl DeviceKernel {
    /// A kernel that no device has compiled.
    pub const fn new(form: Form) -> DeviceKernel {
        DeviceKernel { form, compiled: Compiled::new(), missed: MissedGain::new(), line: 0, program: &[] }
    }

    /// Whether a launch of this size writes all elements of an argument, given by its place, before it reads any.
    fn overwrites(&self, k: usize, array: &dyn DeviceArray, size: &[i32]) -> bool {
        let found = self.form.overwritten.iter().find(|(place, _)| *place == k);
        let covers = || size.iter().map(|n| i64::from(*n)).eq(array.dims().iter().map(|n| *n as i64));
        found.is_some_and(|(_, any)| *any || covers())
    }

    /// Operations of a launch of this size. The compiler takes loops of unknown length for short ones; what threads share, a launch may
    /// count.
    fn work(&self, size: &[i32], args: &[Arg<'_>]) -> u64 {
        let shared = [self.form.team, self.form.block].into_iter().flatten();
        let iterations = shared.filter_map(|version| version.form.iterations(size, args)).max().unwrap_or(0);
        let counted = u64::try_from(iterations).unwrap_or(0).saturating_mul(ITERATION);
        let each = u64::from(self.form.cost.max(1)).max(counted);
        size.iter().fold(each, |n, &d| n.saturating_mul(d.max(0) as u64))
    }

    /// The same kernel, which begins at a line of the source.
    #[must_use]
    pub const fn at(mut self, line: u32) -> DeviceKernel {
        self.line = line;
        self
    }

    /// The same kernel, as one of a program, whose others are compiled when a launch waits for this one.
    #[must_use]
    pub const fn among(mut self, program: &'static [&'static DeviceKernel]) -> DeviceKernel {
        self.program = program;
        self
    }

    /// The kernel and its other versions.
    fn versions(&'static self) -> impl Iterator<Item = &'static DeviceKernel> {
        let Form { tile, block, team, .. } = self.form;
        [Some(self), tile, block, team].into_iter().flatten()
    }

    /// The version for a launch: the kernel itself, tiles of a contraction, its split reduction for few positions, or blocks of threads
    /// for rows.
    fn chosen_for(
        &'static self,
        size: &[i32],
        args: &[Arg<'_>],
        device: &dyn Device,
    ) -> &'static DeviceKernel {
        let iterations = |version: &DeviceKernel| version.form.iterations(size, args);
        if let Some(tile) = self.in_tiles(size, args) {
            return tile;
        }
        let split =
            |team: &DeviceKernel| grid::is_for_split_reduction(size, iterations(team), device.limits());
        if let Some(team) = self.form.team.filter(|team| split(team)) {
            return team;
        }
        let shared = |block: &DeviceKernel| {
            // OpenCL devices have the version without tests alone, which is right under the conditions of launches that cannot fail.
            let is_right = device.dialect() == Some(Dialect::Cuda)
                || no_fault_conditions::cannot_fail(block.form.safe, size, args);
            is_right && grid::is_for_blocks(block.form.style, size, iterations(block), device.limits())
        };
        self.form.block.filter(|block| shared(block)).unwrap_or(self)
    }

    /// The version for blocks of threads that have a tile each, if it is for such a launch: that is the version without tests alone.
    fn in_tiles(&self, size: &[i32], args: &[Arg<'_>]) -> Option<&'static DeviceKernel> {
        let tile = self.form.tile?;
        let pays = grid::is_for_tiles(tile.form.style, size, tile.form.iterations(size, args));
        (pays && no_fault_conditions::cannot_fail(tile.form.safe, size, args)).then_some(tile)
    }

    /// Identifies this kernel in error records.
    pub(super) fn identity(&self) -> i32 {
        device_text::identity(self.form.text)
    }
}

/// The compiled forms of a kernel: an append-only linked list, so that a launch finds its form without locking.
#[derive(Default)]
struct Compiled {
    first: OnceLock<KernelHandle>,
    others: OnceLock<Box<Compiled>>,
}

impl Compiled {
    const fn new() -> Compiled {
        Compiled { first: OnceLock::new(), others: OnceLock::new() }
    }

    /// The form for a device, if there is one.
    fn known(&self, device: &dyn Device) -> Option<&KernelHandle> {
        let mut form = self;
        loop {
            let handle = form.first.get()?;
            if handle.is_for(device) {
                return Some(handle);
            }
            form = form.others.get()?;
        }
    }

    /// The form for a device; compiles it if there is none.
    fn get(&self, device: &dyn Device, make: &dyn Fn() -> Result<KernelHandle>) -> Result<&KernelHandle> {
        let (mut form, mut made) = (self, None);
        loop {
            if form.first.get().is_none() {
                let handle = made.take().map_or_else(make, Ok)?;
                // Another thread may have been faster, perhaps with the form for another device.
                made = form.first.set(handle).err();
            }
            if let Some(handle) = form.first.get().filter(|handle| handle.is_for(device)) {
                return Ok(handle);
            }
            form = form.others.get_or_init(Box::default);
        }
    }
}

/// The reductions of a launch.
#[derive(Debug)]
pub struct Found(Vec<Scalar>);

impl Found {
    /// The reduction with index `k`.
    pub fn number<T: Element>(&self, k: usize) -> T {
        self.0.get(k).copied().and_then(T::from_scalar).unwrap_or_default()
    }
}

impl Found {
    /// Reductions.
    pub(crate) fn of(reductions: Vec<Scalar>) -> Found {
        Found(reductions)
    }

    /// The reductions, to be merged with those of others.
    pub(crate) fn scalars(self) -> Vec<Scalar> {
        self.0
    }

    /// Merged reductions of a kernel.
    pub(crate) fn merged(kernel: &DeviceKernel, before: Vec<Scalar>, after: &[Scalar]) -> Found {
        let both = before.into_iter().zip(after).zip(kernel.form.results);
        let merged = both.map(|((a, b), (_, row))| ops::find(row).map_or(a, |row| (row.eval)(&[a, *b])));
        Found(merged.collect())
    }

    /// The result types of a kernel.
    pub(crate) fn types(kernel: &DeviceKernel) -> impl Iterator<Item = ElementType> {
        kernel.form.results.iter().map(|(ty, _)| *ty)
    }
}

/// Runs a kernel on the active device. `None` leaves it to the CPU. `place` is the kernel's name for messages, and its
/// file.
pub fn offload(
    kernel: &'static DeviceKernel,
    size: &[i32],
    block: Option<&[i32]>,
    args: &[Arg<'_>],
    place: (&'static str, &'static str),
) -> Result<Option<Found>> {
    if kernel.form.divisible && context::divides(kernel.work(size, args)) {
        return offload_to_all(kernel, size, block, args, place);
    }
    offload_rows(kernel, size, block, args, place, None)
}

/// As [`offload`], for positions whose first component is in a range, if there is one.
pub(crate) fn offload_rows(
    kernel: &'static DeviceKernel,
    size: &[i32],
    block: Option<&[i32]>,
    args: &[Arg<'_>],
    place: (&'static str, &'static str),
    rows: Option<&Range<i32>>,
) -> Result<Option<Found>> {
    let part = grid::part(size, &rows.cloned().unwrap_or(0..size.first().copied().unwrap_or(0)));
    let part = part.as_slice();
    if rows.is_some() && !kernel.form.divisible {
        return here();
    }
    let work = kernel.work(part, args);
    // All of an array by a part of the positions there are: the others are kept.
    let overwrites = |k: usize, array: &dyn DeviceArray| rows.is_none() && kernel.overwrites(k, array, size);
    let Some((device, asked_for)) =
        affinity::device(work, &|devices| placement::earliest_completion(devices, work, args, &overwrites))
    else {
        return here();
    };
    let Some(dialect) = device.dialect() else { return here() };
    if !kernel.form.target.includes(&*device) {
        return here();
    }
    // The CPU runs a kernel that targets devices only if there is no device.
    let anywhere = kernel.form.target == Target::Any;
    if !asked_for && anywhere && !worthwhile(kernel, work, args, &overwrites, &*device) {
        return here();
    }
    if matches!(kernel.form.style, Style::Grid { .. }) && !device.limits().cooperative {
        return here();
    }
    if kernel.form.unbounded {
        // After an unreported error its loops might never terminate.
        deferred_errors::settle()?;
    }
    let neutral = kernel.form.results.iter().map(|(ty, row)| ops::neutral(row, *ty)).collect();
    if part.iter().any(|&n| n <= 0) {
        return Ok(Some(Found(neutral)));
    }
    let kernel = match rows {
        None => kernel.chosen_for(size, args, &*device),
        Some(_) => kernel.in_tiles(size, args).unwrap_or(kernel),
    };
    if !kernel.form.takes(size, args) {
        let name = kernel.form.entry;
        return Err(Error::system(format!("kernel '{name}' takes other arguments on devices")));
    }
    let handle = match kernel.compiled.get(&*device, &|| {
        compile_ahead::begin(kernel, &device);
        compile(kernel, &*device, dialect)
    }) {
        Ok(handle) => handle,
        // The device was not requested explicitly, so a missing compiler must not make the program fail.
        Err(error) if !asked_for => {
            context::warn(error);
            return here();
        }
        Err(error) => return Err(error),
    };
    let tile_rows = grid::tile_rows(kernel.form.style, part, device.limits());
    let Some(config) = grid::configuration(kernel, tile_rows, part, block, args, &*device, handle) else {
        return here();
    };
    let watches = nan_check::wanted(args);
    if watches.is_some()
        && let Err(error) = nan_check::prepare(&*device, args)
    {
        // The CPU can do both, the launch and the check.
        context::warn(error);
        return here();
    }
    let launch =
        Launch { kernel, device: &device, handle, config, tile_rows, place, watches: watches.as_deref() };
    match launch.run(size, rows, args, neutral) {
        Ok(found) => Ok(Some(found)),
        Err(error) => refused(error, &*device, asked_for).and_then(|()| here()),
    }
}

/// Decides whether the CPU may run what a device refused; otherwise the error is returned.
fn refused(error: Error, device: &dyn Device, asked_for: bool) -> Result<()> {
    match error {
        // The device executed nothing.
        Error::Device { .. } if !asked_for && !device.is_lost() => {
            context::warn(error);
            Ok(())
        }
        Error::OutOfDeviceMemory { .. } if context::is_cautious() => Ok(()),
        error => Err(error),
    }
}

/// Leaves the launch to the CPU, after the launches submitted before it.
fn here() -> Result<Option<Found>> {
    deferred_errors::settle()?;
    Ok(None)
}

/// Whether the cost model prefers the device, without an explicit request.
fn worthwhile(
    kernel: &DeviceKernel,
    work: u64,
    args: &[Arg<'_>],
    overwrites: placement::Overwrites<'_>,
    device: &dyn Device,
) -> bool {
    let needs = LaunchCosts::new(work, args, overwrites, device, &[]);
    let there = placement::time(work, device);
    kernel.missed.prefers_device(needs, there, context::threads_kept() as u64, context::serial_work())
}

fn compile(kernel: &DeviceKernel, device: &dyn Device, dialect: Dialect) -> Result<KernelHandle> {
    if !kernel.form.signature().has_seal(kernel.form.seal) {
        let name = kernel.form.entry;
        return Err(Error::system(format!(
            "the device text of kernel '{name}' is not what the compiler made"
        )));
    }
    let text = device_text::compose(dialect, kernel.form.text);
    device.kernel(&KernelSource {
        name: kernel.form.entry,
        dialect,
        text: &text,
        entry: kernel.form.entry,
        options: if dialect == Dialect::Cuda && names_lines(kernel.form.text) { LINES } else { &[] },
        portable: kernel.form.portable,
    })
}

/// The option by which machine code keeps the lines of its text, for tools that look at kernels while they run. It is part of the key
/// of the image.
const LINES: &[&str] = &["--generate-line-info"];

/// Whether a text names the lines of the program that it was made of.
fn names_lines(text: &str) -> bool {
    text.contains("#line ")
}

struct Launch<'l> {
    kernel: &'static DeviceKernel,
    device: &'l Arc<dyn Device>,
    handle: &'l KernelHandle,
    config: LaunchConfig,
    tile_rows: u32,
    place: (&'static str, &'static str),
    /// If the NaN check is enabled: for each argument, whether it is an array that was never written.
    watches: Option<&'l [bool]>,
}

/// An array on the device, kept alive until the kernel is submitted.
enum Held<'a> {
    Array(DeviceGuard<'a>),
    /// An array of which the device may change this byte range.
    Part(&'a DeviceMemory, Range<usize>),
    /// Zeros in place of an array without elements.
    Nothing(Scratch<'a>),
}

impl Held<'_> {
    fn memory(&self) -> &DeviceMemory {
        match self {
            Held::Array(array) => array,
            Held::Part(memory, _) => memory,
            Held::Nothing(nothing) => nothing.memory(),
        }
    }

    /// The byte range of an array that the launch may write; `None` if it has no elements.
    fn bytes(&self, array: &dyn DeviceArray) -> Option<Range<usize>> {
        match self {
            Held::Array(_) => Some(0..args::bytes(array)),
            Held::Part(_, bytes) => Some(bytes.clone()),
            Held::Nothing(_) => None,
        }
    }
}

/// The error record of a launch.
enum Record {
    /// Of a launch that cannot fail: it stays zero and may be shared.
    Unused(Mailbox),
    /// The record of this thread's launches on the device.
    Open(DeviceMemory),
}

impl Record {
    fn argument(&self) -> LaunchArg<'_> {
        match self {
            Record::Unused(mailbox) => LaunchArg::Input(mailbox.memory()),
            Record::Open(memory) => LaunchArg::Memory(memory),
        }
    }
}

/// The small arrays that a launch passes as values, as they lie in memory.
type Small = Vec<Vec<u8>>;

/// The accesses to them, which begin with those to all others.
fn wanted_small<'a>(args: &[Arg<'a>]) -> impl Iterator<Item = Wanted<'a>> {
    args.iter().filter_map(Arg::small).map(|array| array.wanted(Access::Read))
}

/// Reads them.
fn read_small(args: &[Arg<'_>], holds: Vec<Hold<'_>>) -> Result<Small> {
    args.iter().filter_map(Arg::small).zip(holds).map(|(array, held)| array.bytes_held(held)).collect()
}

/// Integers as they lie in memory.
type Integers = SmallVec<[u8; 4], 48>;

impl<'l> Launch<'l> {
    fn run(
        &self,
        size: &[i32],
        rows: Option<&Range<i32>>,
        args: &[Arg<'_>],
        neutral: Vec<Scalar>,
    ) -> Result<Found> {
        let all = self.hold_all(size, args)?;
        let rows = rows.cloned().unwrap_or(0..size.first().copied().unwrap_or(0));
        let partial = self.start(size, &rows, args, all)?;
        if context::is_one_at_a_time() {
            deferred_errors::settle()?;
            self.device.synchronize()?;
        }
        if partial.is_empty() { Ok(Found(neutral)) } else { self.collect(partial, neutral) }
    }

    /// Submits the launch for a slice of the first dimension. Returns the buffers of the partial reductions.
    fn start(
        &self,
        size: &[i32],
        rows: &Range<i32>,
        args: &[Arg<'_>],
        (held, small): (Vec<Held<'_>>, Small),
    ) -> Result<Vec<Mailbox>> {
        let mut integers = Integers::new([0; 4]);
        let extents = args.iter().filter_map(Arg::array).flat_map(|(array, _)| array.dims());
        extents.for_each(|&n| integers.push(i32::try_from(n).unwrap_or(i32::MAX).to_ne_bytes()));
        size.iter().for_each(|n| integers.push(n.to_ne_bytes()));
        if self.kernel.form.divisible {
            [rows.start, rows.end].iter().for_each(|n| integers.push(n.to_ne_bytes()));
        }
        if matches!(self.kernel.form.style, Style::Strips { .. }) {
            integers.push(self.tile_rows.to_ne_bytes());
        }
        let watched = self.watch(&held, args)?;
        let (mut shared, mut barrier) = (None, None);
        if matches!(self.kernel.form.style, Style::Team { .. } | Style::BlockEach { .. }) {
            let style = self.kernel.form.style;
            let each = grid::blocks_each(style, &self.config, size);
            // A kernel for one position of a block finds nothing in the highest byte.
            integers.push((each | grid::columns_each(style, size).ilog2() << 24).to_ne_bytes());
            let bytes = grid::scratch_bytes(self.kernel.form.style, self.config.grid[0], each);
            shared = Some(self.device.mailboxes().scratch(&**self.device, bytes)?);
        }
        if matches!(self.kernel.form.style, Style::Grid { .. }) {
            barrier = Some(self.device.mailboxes().barrier(&**self.device)?);
        }
        if self.combines() {
            let blocks = self.config.grid.iter().product();
            let bytes = grid::combining_bytes(blocks, self.kernel.form.results.len());
            shared = Some(self.device.mailboxes().scratch(&**self.device, bytes)?);
        }
        let mut partial = Vec::with_capacity(self.kernel.form.results.len());
        for (ty, _) in self.kernel.form.results {
            partial.push(self.device.mailboxes().results(&**self.device, self.values() * ty.size())?);
        }
        let record = match self.kernel.form.sites {
            [] => None,
            _ if no_fault_conditions::cannot_fail(self.kernel.form.safe, size, args) => {
                Some(Record::Unused(self.device.mailboxes().record(&**self.device, FaultRecord::BYTES)?))
            }
            _ => Some(Record::Open(deferred_errors::open(self.device, self.kernel, self.place)?)),
        };
        let last = record.as_ref().map(Record::argument);
        let heap = match self.kernel.form.heap {
            true => Some(self.device.mailboxes().heap(&**self.device, grid::heap_words(size))?),
            false => None,
        };
        let memory = barrier.iter().chain(&shared).chain(partial.iter().map(Mailbox::memory));
        let places = self.places(&held, args);
        let submitted = places.and_then(|places| {
            let positions = kernel::positions(size, Some(rows));
            self.submit(args, (&held, &small), (&integers, &places), memory, (heap.as_ref(), last), positions)
        });
        let submitted =
            submitted.and_then(|()| watched.into_iter().try_for_each(|watched| watched.finish(self.device)));
        drop(held);
        heap.into_iter().for_each(|heap| self.device.mailboxes().put_heap(heap));
        barrier.into_iter().for_each(|memory| self.device.mailboxes().put_barrier(memory));
        shared.into_iter().for_each(|memory| self.device.mailboxes().put_scratch(memory));
        if let Some(Record::Unused(record)) = record {
            self.device.mailboxes().put_record(record);
        }
        if let Err(error) = submitted {
            partial.into_iter().for_each(|mailbox| self.device.mailboxes().put_results(mailbox));
            return Err(error);
        }
        deferred_errors::submitted(self.device);
        Ok(partial)
    }

    /// Acquires all arrays and makes them valid on the device.
    fn hold_all<'a>(&self, size: &[i32], args: &'a [Arg<'a>]) -> Result<(Vec<Held<'a>>, Small)>
    where
        'l: 'a,
    {
        let arrays = args.iter().enumerate().filter_map(|(k, arg)| arg.array().map(|found| (k, found)));
        let accesses = arrays.map(|(k, (array, access))| {
            let overwrites = access == Access::Write && self.overwrites(k, array, size);
            (array, if overwrites { Access::Overwrite } else { access })
        });
        let accesses: Vec<(&dyn DeviceArray, Access)> = accesses.collect();
        // All at once, and before the first is made available: other calls may have the same arrays in another order.
        let wanted = accesses.iter().map(|(array, access)| array.wanted(*access));
        let wanted: Vec<_> = wanted.chain(wanted_small(args)).collect();
        let mut holds = hold_list(&wanted)?;
        let small = read_small(args, holds.split_off(accesses.len()))?;
        let held = accesses.iter().zip(holds).map(|((array, access), held)| self.hold(*array, *access, held));
        Ok((held.collect::<Result<_>>()?, small))
    }

    /// Whether a launch writes all elements of an argument before it reads any.
    fn overwrites(&self, k: usize, array: &dyn DeviceArray, size: &[i32]) -> bool {
        // The NaN check compares with the previous contents.
        self.watches.is_none() && self.kernel.overwrites(k, array, size)
    }

    fn hold<'a>(&self, array: &'a dyn DeviceArray, access: Access, held: Hold<'a>) -> Result<Held<'a>>
    where
        'l: 'a,
    {
        if !array.dims().contains(&0) {
            return array.on_device(self.device, access, held).map(Held::Array);
        }
        // Boundary modes map every index to 0 along an extent of 0, and to any index along the others; all of them must
        // read as zero.
        let places = array.dims().iter().try_fold(1usize, |count, &n| count.checked_mul(n.max(1)));
        let bytes = places.and_then(|count| count.checked_mul(array.element_type().size()));
        let bytes = bytes.ok_or_else(|| Error::out_of_memory(None, array.dims()))?;
        let nothing = Scratch::new(&**self.device, bytes)?;
        self.device.fill(nothing.memory(), 0)?;
        Ok(Held::Nothing(nothing))
    }

    /// Takes snapshots of the output arrays, if the NaN check is enabled.
    fn watch<'h>(&'h self, held: &'h [Held<'_>], args: &[Arg<'_>]) -> Result<Vec<nan_check::Snapshot<'h>>> {
        let mut watched = Vec::new();
        let Some(new) = self.watches else { return Ok(watched) };
        let arrays = args.iter().zip(new).enumerate().filter(|(_, (arg, _))| arg.array().is_some());
        for ((k, (arg, is_new)), held) in arrays.zip(held) {
            let Arg::Write(array) = arg else { continue };
            let Some(bytes) = held.bytes(*array) else { continue };
            let named = self.kernel.form.writes.iter().find(|(place, ..)| *place == k);
            let (_, name, line) = named.copied().unwrap_or((k, "", 0));
            let site = (name, Place::new(self.place.0, self.place.1, line));
            let part = (held.memory(), bytes);
            watched.extend(nan_check::Snapshot::new(self.device, *array, part, *is_new, site)?);
        }
        Ok(watched)
    }

    /// The byte offsets of the constant-memory arrays, one behind the other; the compiler knows those of fixed-size
    /// arrays.
    fn places(&self, held: &[Held<'_>], args: &[Arg<'_>]) -> Result<Integers> {
        let arrays = args.iter().zip(self.kernel.form.parameters);
        let arrays = arrays.filter(|(arg, _)| arg.array().is_some());
        let (mut places, mut end) = (Integers::new([0; 4]), 0);
        for (held, (_, parameter)) in held.iter().zip(arrays) {
            if let Parameter::Constant(..) = parameter {
                places.push(i32::try_from(end).unwrap_or(i32::MAX).to_ne_bytes());
                end += device_text::constant_place(held.memory().bytes());
            }
        }
        let most = self.device.limits().constant_bytes as usize;
        if end > most {
            let name = self.place.0;
            let text = format!(
                "kernel '{name}': 'hwconst arrays of {end} bytes do not fit into the {most} bytes of constant memory"
            );
            return Err(device_error(self.device.name(), text));
        }
        Ok(places)
    }

    /// Whether the last block combines the partial reductions of all blocks.
    fn combines(&self) -> bool {
        let blocks = matches!(self.kernel.form.style, Style::Blocks | Style::Grid { .. });
        blocks && !self.kernel.form.results.is_empty()
    }

    /// The number of partial values per reduction.
    fn values(&self) -> usize {
        if self.combines() { 1 } else { self.config.grid[0] as usize }
    }

    /// Launches the kernel. The arguments are, in the order of its parameters: arrays with their extents and numbers,
    /// the extents of the launch, block scratch memory, reductions, the size of shared memory, the heap, the error
    /// record.
    fn submit<'m>(
        &self,
        args: &[Arg<'_>],
        (held, small): (&[Held<'_>], &Small),
        (integers, places): (&Integers, &Integers),
        memory: impl Iterator<Item = &'m DeviceMemory>,
        (heap, record): (Option<&Heap>, Option<LaunchArg<'_>>),
        positions: u64,
    ) -> Result<()> {
        let mut list = SmallVec::<LaunchArg<'_>, 48>::new(LaunchArg::Bytes(&[]));
        let (mut held, mut integers) = (held.iter(), integers.as_slice().iter());
        let (mut places, mut small) = (places.as_slice().iter(), small.iter());
        for (arg, parameter) in args.iter().zip(self.kernel.form.parameters) {
            match arg {
                Arg::Value(bytes) => list.push(LaunchArg::Bytes(bytes.as_slice())),
                Arg::Small(_) => small.by_ref().take(1).for_each(|bytes| list.push(LaunchArg::Bytes(bytes))),
                Arg::Read(array) | Arg::Write(array) => {
                    let constant = matches!(parameter, Parameter::Constant(..));
                    let place = if constant { places.next() } else { None };
                    held.by_ref().take(1).for_each(|held| {
                        list.push(match (place, arg) {
                            (Some(place), _) => LaunchArg::Constant(held.memory(), place),
                            (None, Arg::Read(_)) => LaunchArg::Input(held.memory()),
                            (None, _) => LaunchArg::Memory(held.memory()),
                        });
                    });
                    let extents = integers.by_ref().take(array.dims().len());
                    extents.for_each(|n| list.push(LaunchArg::Bytes(n)));
                }
            }
        }
        integers.for_each(|n| list.push(LaunchArg::Bytes(n)));
        memory.for_each(|memory| list.push(LaunchArg::Memory(memory)));
        let shared = self.config.shared_bytes.to_ne_bytes();
        if self.kernel.form.dynamic_shared {
            list.push(LaunchArg::Bytes(&shared));
        }
        let words = heap.map_or(0, |heap| heap.count).to_ne_bytes();
        if let Some(heap) = heap {
            list.push(LaunchArg::Memory(&heap.words));
            list.push(LaunchArg::Memory(&heap.pages));
            list.push(LaunchArg::Bytes(&words));
        }
        record.into_iter().for_each(|record| list.push(record));
        let measured = profile::is_on();
        if measured {
            let arrays = args.iter().filter_map(Arg::array).map(|(array, _)| args::bytes(array));
            let (name, file) = self.place;
            profile::launching(
                profile::Source { name, file, line: self.kernel.line },
                arrays.sum(),
                positions,
            );
        }
        // SAFETY: the text has a seal, and who seals a text vouches for it with this list of parameters
        // (`Signature::seal`), with which the arguments were compared (`compile`, `Form::takes`); arrays are what they
        // say (`Placed`).
        let submitted = unsafe { self.device.launch(self.handle, &self.config, list.as_slice()) };
        if measured {
            profile::launched();
        }
        submitted
    }

    /// Waits for the reductions and combines the values of several blocks in the order of the blocks.
    fn collect(&self, partial: Vec<Mailbox>, mut found: Vec<Scalar>) -> Result<Found> {
        deferred_errors::settle()?;
        if partial.iter().any(Mailbox::is_visible) {
            self.device.synchronize()?;
        }
        for ((mailbox, (ty, row)), result) in
            partial.into_iter().zip(self.kernel.form.results).zip(&mut found)
        {
            let mut bytes = vec![0u8; self.values() * ty.size()];
            self.device.peek(&mailbox, &mut bytes)?;
            self.device.mailboxes().put_results(mailbox);
            let Some(row) = ops::find(row) else { continue };
            for value in bytes.chunks_exact(ty.size()) {
                *result = (row.eval)(&[*result, answer::number(value, *ty)]);
            }
        }
        Ok(Found(found))
    }
}

impl fmt::Debug for DeviceKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceKernel").field("entry", &self.form.entry).finish_non_exhaustive()
    }
}
