//! Launches on devices: which launches go there, what is passed, and what comes back.
//!
//! A launch is offered to the active device, if there is one. Its arrays are made available there, and stay; the host
//! waits only for what it must know: results, and whether something failed in a kernel that can fail.

use crate::array::coherence::{Access, CopySet, Place};
use crate::array::{Array, DeviceGuard};
use crate::context;
use crate::device::{
    Device, DeviceMemory, Dialect, KernelHandle, KernelSource, LaunchArg, LaunchConfig, select,
};
use crate::error::Result;
use quasar_devicelib::device_text::{self, FaultRecord};
use quasar_devicelib::element::{Element, ElementType, Scalar};
use quasar_devicelib::kernel::{FaultKind, Report, default_block, shown_scalars};
use quasar_devicelib::ops;
use quasar_devicelib::value::format;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A kernel as text for devices, as generated code declares it.
pub struct DeviceKernel {
    /// The name of the entry function in the text.
    pub entry: &'static str,
    /// Types, functions and the entry function.
    pub text: &'static str,
    /// How positions are handed to threads.
    pub style: Style,
    /// Where errors may arise; empty if none can.
    pub sites: &'static [Site],
    /// Whether shared arrays lie in memory whose size the launch chooses.
    pub dynamic_shared: bool,
    /// The type of each result and the row by which it is accumulated.
    pub results: &'static [(ElementType, &'static str)],
    /// Estimated operations a position.
    pub cost: u32,
    /// The compiled forms, one for each device that ran it.
    pub compiled: Compiled,
}

/// Forms of a kernel that devices compiled.
#[derive(Default)]
pub struct Compiled(Mutex<Vec<KernelHandle>>);

impl Compiled {
    /// None yet.
    pub const fn new() -> Compiled {
        Compiled(Mutex::new(Vec::new()))
    }
}

/// How positions are handed to threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// One thread for each position, in blocks of any extents.
    Positions,
    /// One thread for each position, and more to fill the last blocks; the extents of blocks matter.
    Blocks,
    /// Blocks of so many threads walk over all positions, and each gives one value for each result.
    Reducing(u32),
}

/// A place where an error may arise.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// The array, or nothing.
    pub subject: &'static str,
    /// The line.
    pub line: u32,
    /// What is said, with the values that the device recorded.
    pub message: &'static [Part],
}

/// A part of the message of an error.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    /// As it is.
    Text(&'static str),
    /// The next recorded value.
    Number(ElementType),
    /// The next recorded values as an array of these extents.
    Array(ElementType, &'static [usize]),
}

/// An argument of a launch.
pub enum Arg<'a> {
    /// An array that the kernel reads.
    Read(&'a dyn Placed),
    /// An array that the kernel changes.
    Write(&'a dyn Placed),
    /// A number, or a small array, as it lies in memory.
    Value(Vec<u8>),
}

impl<'a> Arg<'a> {
    /// A number.
    pub fn number<T: Element>(x: T) -> Arg<'a> {
        Arg::Value(bytes_of(&[x]))
    }

    /// A small array.
    pub fn numbers<T: Element>(x: &[T]) -> Arg<'a> {
        Arg::Value(bytes_of(x))
    }
}

fn bytes_of<T: Element>(x: &[T]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(size_of_val(x));
    for value in x {
        match value.to_scalar() {
            Scalar::I8(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::I16(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::I32(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::I64(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::U8(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::U16(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::U32(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::U64(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::F16(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::F32(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::F64(x) => bytes.extend(x.to_ne_bytes()),
            Scalar::C32(x) => bytes.extend([x.re.to_ne_bytes(), x.im.to_ne_bytes()].concat()),
            Scalar::C64(x) => bytes.extend([x.re.to_ne_bytes(), x.im.to_ne_bytes()].concat()),
        }
    }
    bytes
}

/// Arrays of any element type, as far as devices are concerned.
pub trait Placed {
    /// The extents.
    fn dims(&self) -> &[usize];
    /// Where valid copies are.
    fn places(&self) -> CopySet;
    /// Makes the elements available on a device.
    fn on_device(&self, device: &Arc<dyn Device>, access: Access) -> Result<DeviceGuard<'_>>;
}

impl<T: Element> Placed for Array<T> {
    fn dims(&self) -> &[usize] {
        Array::dims(self)
    }

    fn places(&self) -> CopySet {
        Array::places(self)
    }

    fn on_device(&self, device: &Arc<dyn Device>, access: Access) -> Result<DeviceGuard<'_>> {
        Array::on_device(self, device, access)
    }
}

/// The results of a launch.
#[derive(Debug)]
pub struct Found(Vec<Scalar>);

impl Found {
    /// A result.
    pub fn number<T: Element>(&self, k: usize) -> T {
        self.0.get(k).copied().and_then(T::from_scalar).unwrap_or_default()
    }
}

/// Runs a kernel on the active device. `None`: the processor should run it.
pub fn offload(
    kernel: &DeviceKernel,
    size: &[i32],
    block: Option<&[i32]>,
    args: &[Arg<'_>],
) -> Result<Option<std::result::Result<Found, Report>>> {
    let Some(device) = context::active_device() else { return Ok(None) };
    let Some(dialect) = device.dialect() else { return Ok(None) };
    if !worthwhile(kernel, size, args, &device) {
        return Ok(None);
    }
    let neutral = || kernel.results.iter().map(|(ty, row)| ops::neutral(row, *ty)).collect();
    if size.iter().any(|&n| n <= 0) {
        return Ok(Some(Ok(Found(neutral()))));
    }
    let handle = match compiled(kernel, &device, dialect) {
        Ok(handle) => handle,
        // Nobody asked for the device, so a program must not fail because there is no compiler for it.
        Err(error) if !select::is_asked_for() => {
            context::warn(error);
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let Some(config) = configuration(kernel, size, block, &device, &handle) else { return Ok(None) };
    let launch = Launch { kernel, device: &device, handle: &handle, config };
    launch.run(size, args, neutral()).map(Some)
}

/// Whether a launch should run on the device: always when the settings name it; otherwise if there is work enough, or
/// the data is there already.
fn worthwhile(kernel: &DeviceKernel, size: &[i32], args: &[Arg<'_>], device: &Arc<dyn Device>) -> bool {
    if select::is_asked_for() {
        return true;
    }
    let work = size.iter().fold(u64::from(kernel.cost.max(1)), |n, &d| n.saturating_mul(d.max(0) as u64));
    let there = args.iter().any(|arg| match arg {
        Arg::Read(array) | Arg::Write(array) => {
            let places = array.places();
            places.contains(device.place()) && !places.contains(Place::Host)
        }
        Arg::Value(_) => false,
    });
    there || work >= context::serial_work()
}

fn compiled(kernel: &DeviceKernel, device: &Arc<dyn Device>, dialect: Dialect) -> Result<KernelHandle> {
    let mut known = kernel.compiled.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(handle) = known.iter().find(|handle| handle.is_for(&**device)) {
        return Ok(handle.clone());
    }
    let text = device_text::compose(dialect, kernel.text);
    let source = KernelSource { name: kernel.entry, dialect, text: &text, entry: kernel.entry, options: &[] };
    let handle = device.kernel(&source)?;
    known.push(handle.clone());
    Ok(handle)
}

/// Grid and blocks. `None` where the device has no grid for this size.
fn configuration(
    kernel: &DeviceKernel,
    size: &[i32],
    block: Option<&[i32]>,
    device: &Arc<dyn Device>,
    handle: &KernelHandle,
) -> Option<LaunchConfig> {
    let limits = device.limits();
    if let Style::Reducing(threads) = kernel.style {
        let count = size.iter().fold(1u64, |n, &d| n.saturating_mul(d.max(0) as u64));
        let resident = u64::from(limits.multiprocessors.max(1)) * 8;
        let blocks = count.div_ceil(u64::from(threads)).clamp(1, resident);
        return Some(LaunchConfig::new([blocks as u32, 1, 1], [threads, 1, 1]));
    }
    let extents: Vec<usize> = size.iter().map(|&n| n.max(0) as usize).collect();
    let chosen: Vec<u32> = match block {
        Some(block) => block.iter().map(|&n| n.max(1) as u32).collect(),
        None if kernel.style == Style::Blocks => {
            default_block(&extents).iter().map(|&n| n.max(1) as u32).collect()
        }
        None => free_block(&extents, handle.facts().max_threads),
    };
    let (mut grid, mut threads) = ([1u32; 3], [1u32; 3]);
    let rank = size.len();
    for (axis, (&n, &b)) in extents.iter().zip(&chosen).enumerate() {
        let k = (rank - 1 - axis).min(2);
        if k == 2 && rank > 3 && b != 1 {
            return None;
        }
        let blocks = u32::try_from(n.div_ceil(b as usize)).ok()?;
        let (along, inside) = (grid.get_mut(k)?, threads.get_mut(k)?);
        *along = along.checked_mul(blocks)?;
        *inside *= b;
    }
    let fits = grid.iter().zip(limits.max_grid).all(|(&n, most)| n <= most);
    let config = LaunchConfig::new(grid, threads);
    let shared = if kernel.dynamic_shared {
        limits.shared_bytes.saturating_sub(handle.facts().shared_bytes)
    } else {
        0
    };
    fits.then(|| config.with_shared(shared))
}

/// Blocks of 256 threads, long along the last dimension.
fn free_block(extents: &[usize], most: u32) -> Vec<u32> {
    let threads = most.clamp(1, 256);
    let rank = extents.len();
    let mut block = vec![1u32; rank];
    let last = extents.last().copied().unwrap_or(1);
    let width = if rank == 1 { threads } else { (last.next_power_of_two() as u32).clamp(1, 32.min(threads)) };
    if let Some(b) = block.last_mut() {
        *b = width;
    }
    if rank > 1
        && let Some(b) = block.get_mut(rank - 2)
    {
        *b = (threads / width).max(1);
    }
    block
}

struct Launch<'l> {
    kernel: &'l DeviceKernel,
    device: &'l Arc<dyn Device>,
    handle: &'l KernelHandle,
    config: LaunchConfig,
}

/// Memory that is given back at the end.
struct Borrowed<'d> {
    device: &'d Arc<dyn Device>,
    memory: DeviceMemory,
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        self.device.release(&self.memory);
    }
}

/// An argument as the device takes it. What holds an array stays until the kernel is submitted.
enum Passed<'a> {
    Array(DeviceGuard<'a>),
    Memory(DeviceMemory),
    Bytes(Vec<u8>),
}

impl Launch<'_> {
    fn borrow(&self, bytes: usize) -> Result<Borrowed<'_>> {
        let memory = self.device.allocate(bytes)?;
        Ok(Borrowed { device: self.device, memory })
    }

    fn run(
        &self,
        size: &[i32],
        args: &[Arg<'_>],
        neutral: Vec<Scalar>,
    ) -> Result<std::result::Result<Found, Report>> {
        let mut passed = Vec::new();
        let mut kept = Vec::new();
        for arg in args {
            let (array, access) = match arg {
                Arg::Value(bytes) => {
                    passed.push(Passed::Bytes(bytes.clone()));
                    continue;
                }
                Arg::Read(array) => (array, Access::Read),
                Arg::Write(array) => (array, Access::Write),
            };
            if array.dims().contains(&0) {
                // Index maps give place 0 in an empty array: there has to be something that reads as zero.
                let nothing = self.borrow(16)?;
                self.device.fill(&nothing.memory, 0)?;
                passed.push(Passed::Memory(nothing.memory.clone()));
                kept.push(nothing);
            } else {
                passed.push(Passed::Array(array.on_device(self.device, access)?));
            }
            passed.extend(array.dims().iter().map(|&n| integer(n)));
        }
        passed.extend(size.iter().map(|n| Passed::Bytes(n.to_ne_bytes().to_vec())));
        let blocks = self.config.grid[0] as usize;
        let mut partial = Vec::new();
        for (ty, _) in self.kernel.results {
            let memory = self.borrow(blocks * ty.size())?;
            passed.push(Passed::Memory(memory.memory.clone()));
            partial.push(memory);
        }
        if self.kernel.dynamic_shared {
            passed.push(Passed::Bytes(self.config.shared_bytes.to_ne_bytes().to_vec()));
        }
        let record = if self.kernel.sites.is_empty() { None } else { Some(self.borrow(FaultRecord::BYTES)?) };
        if let Some(record) = &record {
            self.device.fill(&record.memory, 0)?;
            passed.push(Passed::Memory(record.memory.clone()));
        }
        let list: Vec<LaunchArg<'_>> = passed
            .iter()
            .map(|each| match each {
                Passed::Array(array) => LaunchArg::Memory(array),
                Passed::Memory(memory) => LaunchArg::Memory(memory),
                Passed::Bytes(bytes) => LaunchArg::Bytes(bytes),
            })
            .collect();
        // SAFETY: generated code passes the arguments in the order of the kernel's parameters, and generated kernels test
        // or map every index, but for accesses that are proven or that the program declares `'unchecked`.
        unsafe { self.device.launch(self.handle, &self.config, &list)? };
        if let Some(record) = &record {
            let mut bytes = [0u8; FaultRecord::BYTES];
            self.device.download(&record.memory, &mut bytes)?;
            if let Some(report) = FaultRecord::from_bytes(&bytes).and_then(|record| self.failure(&record)) {
                return Ok(Err(report));
            }
        }
        let mut found = neutral;
        for ((memory, (ty, row)), result) in partial.iter().zip(self.kernel.results).zip(&mut found) {
            let mut bytes = vec![0u8; blocks * ty.size()];
            self.device.download(&memory.memory, &mut bytes)?;
            let Some(row) = ops::find(row) else { continue };
            for value in bytes.chunks_exact(ty.size()) {
                *result = (row.eval)(&[*result, number(value, *ty)]);
            }
        }
        Ok(Ok(Found(found)))
    }

    /// What went wrong, if something did.
    fn failure(&self, record: &FaultRecord) -> Option<Report> {
        if record.state == 0 {
            return None;
        }
        let site = usize::try_from(record.site).ok().and_then(|k| self.kernel.sites.get(k));
        let Site { subject, line, message } =
            site.copied().unwrap_or(Site { subject: "", line: 0, message: &[] });
        let rank = usize::try_from(record.rank).unwrap_or(0).min(record.index.len());
        let kind = match record.kind {
            FaultRecord::OUT_OF_BOUNDS => FaultKind::OutOfBounds {
                index: record.index.get(..rank).unwrap_or_default().to_vec(),
                dims: record.dims.get(..rank).unwrap_or_default().to_vec(),
            },
            FaultRecord::ASSERTION => FaultKind::Assertion(text(message, &record.values)),
            FaultRecord::OVERFLOW => FaultKind::Overflow(text(message, &record.values)),
            _ => FaultKind::Error(text(message, &record.values)),
        };
        Some(Report { kind, subject, line })
    }
}

fn integer<'a>(n: usize) -> Passed<'a> {
    Passed::Bytes(i32::try_from(n).unwrap_or(i32::MAX).to_ne_bytes().to_vec())
}

/// A number as it lies in memory.
fn number(bytes: &[u8], ty: ElementType) -> Scalar {
    fn read<const N: usize>(bytes: &[u8]) -> [u8; N] {
        bytes.get(..N).and_then(|b| b.try_into().ok()).unwrap_or([0; N])
    }
    let half = |k: usize| bytes.get(k..).unwrap_or_default();
    match ty {
        ElementType::Int8 => Scalar::I8(i8::from_ne_bytes(read(bytes))),
        ElementType::Int16 => Scalar::I16(i16::from_ne_bytes(read(bytes))),
        ElementType::Int32 => Scalar::I32(i32::from_ne_bytes(read(bytes))),
        ElementType::Int64 => Scalar::I64(i64::from_ne_bytes(read(bytes))),
        ElementType::UInt8 => Scalar::U8(u8::from_ne_bytes(read(bytes))),
        ElementType::UInt16 => Scalar::U16(u16::from_ne_bytes(read(bytes))),
        ElementType::UInt32 => Scalar::U32(u32::from_ne_bytes(read(bytes))),
        ElementType::UInt64 => Scalar::U64(u64::from_ne_bytes(read(bytes))),
        ElementType::Half => Scalar::F16(half::f16::from_ne_bytes(read(bytes))),
        ElementType::Single => Scalar::F32(f32::from_ne_bytes(read(bytes))),
        ElementType::Double => Scalar::F64(f64::from_ne_bytes(read(bytes))),
        ElementType::ComplexSingle => Scalar::C32(num_complex::Complex::new(
            f32::from_ne_bytes(read(bytes)),
            f32::from_ne_bytes(read(half(4))),
        )),
        ElementType::ComplexDouble => Scalar::C64(num_complex::Complex::new(
            f64::from_ne_bytes(read(bytes)),
            f64::from_ne_bytes(read(half(8))),
        )),
    }
}

/// The text of a message with its recorded values.
fn text(parts: &[Part], values: &[i64]) -> String {
    let mut words = values.iter().copied();
    let mut take = |ty: ElementType| {
        // Integers are recorded as they are, floats as their bits, complex numbers as two floats.
        let mut bytes = words.next().unwrap_or(0).to_le_bytes().to_vec();
        if ty.is_complex() {
            bytes.truncate(ty.size() / 2);
            bytes.extend(words.next().unwrap_or(0).to_le_bytes().iter().take(ty.size() / 2));
        }
        number(&bytes, ty)
    };
    let mut said = String::new();
    for part in parts {
        match part {
            Part::Text(words) => said.push_str(words),
            Part::Number(ty) => said.push_str(&format::scalar(take(*ty))),
            Part::Array(ty, dims) => {
                let items: Vec<Scalar> = (0..dims.iter().product()).map(|_| take(*ty)).collect();
                said.push_str(&shown_scalars(*ty, &items, dims));
            }
        }
    }
    said
}

impl fmt::Debug for DeviceKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceKernel")
            .field("entry", &self.entry)
            .field("style", &self.style)
            .finish_non_exhaustive()
    }
}
