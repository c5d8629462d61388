//! An in-memory device for tests: memory in ordinary vectors, kernels as Rust closures, a log of all calls, and
//! injected failures.

pub use super::fake_library::{multiply, transform};

use super::fake_lanes::{Late, Memory};

use super::accel_libraries::{Direction, Elements, Libraries, Library, Product, Transform};
use super::plan_cache::LruCache;
use super::{
    Counters, Device, DeviceMemory, Dialect, KernelFacts, KernelHandle, KernelSource, LaunchArg,
    LaunchConfig, Limits, Mailbox, Mailboxes, Unavailable, check_sizes, device_error, next_serial,
    out_of_memory,
};
use crate::array::coherence::Place;
use crate::error::{Error, Result};
use crate::kernel::cache::{ImageCache, ImageKey};
use crate::kernel::kernel_loader::{KernelBackend, KernelLoader};
use crate::profile;
use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

/// One call of a [`FakeDevice`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// An allocation of this many bytes.
    Allocate(usize),
    /// Memory was released.
    Release(u64),
    /// Cached memory was released.
    Trim,
    /// A host-to-device copy of this many bytes.
    Upload(u64, usize),
    /// A device-to-host copy of this many bytes.
    Download(u64, usize),
    /// A copy within the device.
    Copy(u64, u64),
    /// A peer-to-peer copy of this many bytes into this memory.
    Receive(u64, usize),
    /// A wait for peers that read this memory.
    Reclaim(u64),
    /// Foreign memory was wrapped, ordered after work of a stream.
    Adopt(u64, usize),
    /// A fill with one byte value.
    Fill(u64, u8),
    /// A result buffer was allocated.
    Mailbox(usize),
    /// The host read a result buffer.
    Peek(u64),
    /// A kernel was compiled.
    Compile(String),
    /// A compiled image or embedded PTX was loaded.
    Load(String),
    /// A launch, with the memory among its arguments.
    Launch(String, Vec<u64>),
    /// A library was loaded.
    LoadLibrary(Library),
    /// An FFT from one memory to another.
    Transform(u64, u64),
    /// A product of the first two matrices into the last.
    Multiply([u64; 3]),
    /// The host synchronised.
    Synchronize,
}

/// The closure that stands in for a kernel.
type Body = Arc<dyn Fn(&mut FakeLaunch<'_>) + Send + Sync>;

/// A launch as its closure sees it.
pub struct FakeLaunch<'a> {
    /// The launch configuration.
    pub config: LaunchConfig,
    memory: &'a mut Memory,
    args: &'a [LaunchArg<'a>],
}

impl FakeLaunch<'_> {
    /// The memory of a pointer argument; empty for other arguments.
    pub fn memory(&mut self, argument: usize) -> &mut [u8] {
        match self.args.get(argument) {
            Some(LaunchArg::Memory(memory) | LaunchArg::Input(memory) | LaunchArg::Constant(memory, _)) => {
                self.memory
                    .get_mut(&memory.id)
                    .and_then(|bytes| bytes.get_mut(..memory.bytes))
                    .unwrap_or_default()
            }
            _ => &mut [],
        }
    }

    /// The bytes of an argument passed by value; for a constant-memory array, its offset.
    pub fn value(&self, argument: usize) -> &[u8] {
        match self.args.get(argument) {
            Some(LaunchArg::Bytes(bytes)) => bytes,
            Some(LaunchArg::Constant(_, place)) => *place,
            _ => &[],
        }
    }
}

/// An owned argument of a deferred launch.
enum OwnedArg {
    Memory(DeviceMemory),
    Input(DeviceMemory),
    Constant(DeviceMemory, [u8; 4]),
    Bytes(Vec<u8>),
}

impl OwnedArg {
    fn of(arg: &LaunchArg<'_>) -> OwnedArg {
        match arg {
            LaunchArg::Memory(memory) => OwnedArg::Memory((*memory).again()),
            LaunchArg::Input(memory) => OwnedArg::Input((*memory).again()),
            LaunchArg::Constant(memory, place) => OwnedArg::Constant((*memory).again(), **place),
            LaunchArg::Bytes(bytes) => OwnedArg::Bytes(bytes.to_vec()),
        }
    }

    fn arg(&self) -> LaunchArg<'_> {
        match self {
            OwnedArg::Memory(memory) => LaunchArg::Memory(memory),
            OwnedArg::Input(memory) => LaunchArg::Input(memory),
            OwnedArg::Constant(memory, place) => LaunchArg::Constant(memory, place),
            OwnedArg::Bytes(bytes) => LaunchArg::Bytes(bytes),
        }
    }
}

/// A device without hardware.
pub struct FakeDevice {
    name: String,
    place: Place,
    serial: u64,
    capacity: usize,
    /// Whether it supports peer-to-peer copies.
    social: bool,
    images: Arc<ImageCache>,
    compiler: Result<&'static str, Unavailable>,
    embedded_only: bool,
    concurrent: bool,
    facts: KernelFacts,
    /// Whether it has vendor libraries.
    libraries: bool,
    limits: Limits,
    counters: Counters,
    mailboxes: Mailboxes,
    /// The deferred execution model, if enabled.
    late: Option<Late>,
    state: Mutex<State>,
}

/// How a call of a [`FakeDevice`] fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    /// The driver refuses this call; later ones succeed.
    Once,
    /// This call is out of memory; later ones succeed.
    Memory,
    /// The device is lost.
    Lost,
}

struct State {
    calls: Vec<Call>,
    memory: Memory,
    kernels: BTreeMap<String, Body>,
    next: u64,
    broken: bool,
    lost: bool,
    /// The number of calls that still succeed before one fails, and how.
    failing: Option<(usize, Failing)>,
    /// The libraries that were loaded.
    loaded: Vec<Library>,
    plans: LruCache<Transform, ()>,
}

impl State {
    fn lose(&mut self) {
        self.lost = true;
        self.memory.clear();
    }
}

/// Capacity of the FFT plan cache of a [`FakeDevice`].
const PLANS: usize = 2;

impl FakeDevice {
    /// A device with an ordinal and this many bytes of memory.
    pub fn new(number: u8, capacity: usize) -> FakeDevice {
        FakeDevice {
            name: format!("fake{number}"),
            place: Place::Linear(number),
            serial: next_serial(),
            capacity,
            social: true,
            images: Arc::new(ImageCache::in_folder("", 0)),
            compiler: Ok("1.0"),
            embedded_only: false,
            concurrent: false,
            facts: KernelFacts { max_threads: 1024, preferred_multiple: 32, ..KernelFacts::default() },
            libraries: false,
            limits: Limits {
                architecture: "fake".into(),
                max_threads: 1024,
                max_block: [1024, 1024, 64],
                max_grid: [i32::MAX as u32, 65_535, 65_535],
                shared_bytes: 48 << 10,
                constant_bytes: 4 << 10,
                warp: 32,
                multiprocessors: 2,
                memory_bytes: capacity,
                doubles: true,
                ..Limits::default()
            },
            counters: Counters::default(),
            mailboxes: Mailboxes::default(),
            late: None,
            state: Mutex::new(State {
                calls: Vec::new(),
                memory: BTreeMap::new(),
                kernels: BTreeMap::new(),
                next: 0,
                broken: false,
                lost: false,
                failing: None,
                loaded: Vec::new(),
                plans: LruCache::new(PLANS),
            }),
        }
    }

    /// Disables peer-to-peer copies, so copies from other devices go through the host.
    #[must_use]
    pub fn alone(self) -> FakeDevice {
        FakeDevice { social: false, ..self }
    }

    /// Adds a disk cache of kernel images.
    #[must_use]
    pub fn with_images(self, images: ImageCache) -> FakeDevice {
        FakeDevice { images: Arc::new(images), ..self }
    }

    /// Sets the compiler version, or removes the compiler.
    #[must_use]
    pub fn with_compiler(self, compiler: Result<&'static str, Unavailable>) -> FakeDevice {
        FakeDevice { compiler, ..self }
    }

    /// Restricts kernels to PTX embedded in the program.
    #[must_use]
    pub fn embedded_only(self) -> FakeDevice {
        FakeDevice { embedded_only: true, ..self }
    }

    /// Has it compile kernels on several threads.
    #[must_use]
    pub fn compiling_concurrently(self) -> FakeDevice {
        FakeDevice { concurrent: true, ..self }
    }

    /// Sets the resource usage reported for each kernel.
    #[must_use]
    pub fn with_facts(self, facts: KernelFacts) -> FakeDevice {
        FakeDevice { facts, ..self }
    }

    /// Changes the limits.
    #[must_use]
    pub fn with_limits(self, change: impl FnOnce(&mut Limits)) -> FakeDevice {
        let mut limits = self.limits.clone();
        change(&mut limits);
        FakeDevice { limits, ..self }
    }

    /// Adds vendor libraries, which compute FFTs and products by definition.
    #[must_use]
    pub fn with_libraries(self) -> FakeDevice {
        FakeDevice { libraries: true, ..self }
    }

    /// Executes kernels as late, and large host-device copies as early, as the submitted order permits, and reuses
    /// freed memory.
    #[must_use]
    pub fn late(self) -> FakeDevice {
        FakeDevice { late: Some(Late::new(self.capacity)), ..self }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state after executing all submitted work.
    fn idle_state(&self) -> MutexGuard<'_, State> {
        let mut state = self.state();
        if let Some(late) = &self.late {
            late.catch_up(None, &mut state.memory);
        }
        state
    }

    /// Executes work on memory, immediately or deferred.
    fn submit(
        &self,
        mut state: MutexGuard<'_, State>,
        uses: &[(&DeviceMemory, bool)],
        work: impl FnOnce(&mut Memory) + Send + 'static,
    ) {
        match &self.late {
            None => work(&mut state.memory),
            Some(late) => late.submit(uses, work),
        }
    }

    /// Takes the log of calls since the last time.
    pub fn take_calls(&self) -> Vec<Call> {
        std::mem::take(&mut self.state().calls)
    }

    /// Bytes of allocated memory.
    pub fn used(&self) -> usize {
        self.state().memory.values().map(Vec::len).sum()
    }

    /// Modifies memory in place as a kernel would.
    pub fn run(&self, memory: &DeviceMemory, kernel: impl FnOnce(&mut [u8])) {
        if let Some(bytes) = self.idle_state().memory.get_mut(&memory.id) {
            kernel(bytes);
        }
    }

    /// Defines the closure for kernels with this entry name.
    pub fn define(&self, entry: &str, body: impl Fn(&mut FakeLaunch<'_>) + Send + Sync + 'static) {
        self.state().kernels.insert(entry.into(), Arc::new(body));
    }

    /// Makes every later operation fail.
    pub fn fail(&self) {
        self.state().broken = true;
    }

    /// Marks the device as lost.
    pub fn lose(&self) {
        self.state().lose();
    }

    /// Makes a call fail after this many successful ones.
    pub fn fail_after(&self, calls: usize, failing: Failing) {
        self.state().failing = Some((calls, failing));
    }

    /// Cancels the injected failure. Returns whether it was still pending.
    pub fn withdraw_failure(&self) -> bool {
        self.state().failing.take().is_some()
    }

    /// The state after all submitted work, or the failure of this call.
    fn working(&self) -> Result<MutexGuard<'_, State>> {
        self.checked(self.idle_state())
    }

    /// The state with possibly pending work, or the failure of this call.
    fn going_on(&self) -> Result<MutexGuard<'_, State>> {
        self.checked(self.state())
    }

    fn checked<'s>(&self, mut state: MutexGuard<'s, State>) -> Result<MutexGuard<'s, State>> {
        match state.failing.as_mut() {
            Some((0, failing)) => {
                let failing = *failing;
                state.failing = None;
                match failing {
                    Failing::Once => return Err(device_error(&self.name, "the driver refused the call")),
                    Failing::Memory => return Err(out_of_memory(&self.name, 1)),
                    Failing::Lost => state.lose(),
                }
            }
            Some((calls, _)) => *calls -= 1,
            None => {}
        }
        match (state.lost, state.broken) {
            (true, _) => Err(device_error(&self.name, "lost")),
            (_, true) => Err(device_error(&self.name, "broken")),
            _ => Ok(state),
        }
    }

    fn source<'s>(&self, state: &'s State, memory: &DeviceMemory) -> Result<&'s [u8]> {
        let range = memory.start..memory.start + memory.bytes;
        state.memory.get(&memory.id).and_then(|bytes| bytes.get(range)).ok_or_else(|| self.unknown())
    }

    fn target<'s>(&self, state: &'s mut State, memory: &DeviceMemory) -> Result<&'s mut [u8]> {
        let range = memory.start..memory.start + memory.bytes;
        state.memory.get_mut(&memory.id).and_then(|bytes| bytes.get_mut(range)).ok_or_else(|| self.unknown())
    }

    fn unknown(&self) -> Error {
        device_error(&self.name, "unknown memory")
    }
}

impl fmt::Debug for FakeDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeDevice")
            .field("name", &self.name)
            .field("used", &self.used())
            .finish_non_exhaustive()
    }
}

/// How long a launch took, once it is done.
struct FakeTiming(Arc<OnceLock<u64>>);

impl profile::Timing for FakeTiming {
    fn poll(&mut self) -> profile::Poll {
        self.0.get().map_or(profile::Poll::Waiting, |time| profile::Poll::Took(None, *time))
    }
}

// SAFETY: its memory is vectors with unique numbers, of the requested size, and every access looks up the number and
// compares sizes; kernels are functions in Rust.
unsafe impl Device for FakeDevice {
    fn name(&self) -> &str {
        &self.name
    }

    fn place(&self) -> Place {
        self.place
    }

    fn serial(&self) -> u64 {
        self.serial
    }

    fn dialect(&self) -> Option<Dialect> {
        Some(Dialect::OpenCl)
    }

    fn compiles_concurrently(&self) -> bool {
        self.concurrent
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn counters(&self) -> &Counters {
        &self.counters
    }

    fn allocate(&self, bytes: usize) -> Result<DeviceMemory> {
        let mut state = self.going_on()?;
        state.calls.push(Call::Allocate(bytes));
        if let Some(late) = &self.late {
            return late.allocate(bytes, &mut state.memory).ok_or_else(|| out_of_memory(&self.name, bytes));
        }
        let used: usize = state.memory.values().map(Vec::len).sum();
        if used + bytes > self.capacity {
            return Err(out_of_memory(&self.name, bytes));
        }
        state.next += 1;
        let id = state.next;
        state.memory.insert(id, vec![0xA5; bytes]);
        Ok(DeviceMemory::new(id, bytes))
    }

    fn allocate_idle(&self, bytes: usize) -> Result<DeviceMemory> {
        let Some(late) = &self.late else { return self.allocate(bytes) };
        let mut state = self.going_on()?;
        state.calls.push(Call::Allocate(bytes));
        late.allocate_idle(bytes, &mut state.memory).ok_or_else(|| out_of_memory(&self.name, bytes))
    }

    unsafe fn release(&self, memory: &DeviceMemory) {
        let mut state = self.state();
        state.calls.push(Call::Release(memory.id));
        match &self.late {
            Some(late) => late.release(memory),
            None => drop(state.memory.remove(&memory.id)),
        }
    }

    fn trim(&self) {
        let mut state = self.idle_state();
        state.calls.push(Call::Trim);
        if let Some(late) = &self.late {
            late.trim(&mut state.memory);
        }
    }

    fn free_bytes(&self) -> usize {
        let rest = || self.capacity.saturating_sub(self.used());
        self.late.as_ref().map_or_else(rest, Late::free_bytes)
    }

    fn upload(&self, from: &[u8], to: &DeviceMemory) -> Result<()> {
        let mut state = self.going_on()?;
        state.calls.push(Call::Upload(to.id, from.len()));
        self.counters.upload(from.len());
        check_sizes(&self.name, from.len(), to.bytes)?;
        if let Some(late) = &self.late {
            return late.upload(from, to, &mut state.memory);
        }
        self.target(&mut state, to)?.copy_from_slice(from);
        Ok(())
    }

    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<()> {
        let mut state = self.going_on()?;
        state.calls.push(Call::Download(from.id, to.len()));
        self.counters.download(to.len());
        check_sizes(&self.name, from.bytes, to.len())?;
        if let Some(late) = &self.late {
            return late.download(from, to, &mut state.memory);
        }
        to.copy_from_slice(self.source(&state, from)?);
        self.counters.is_idle();
        Ok(())
    }

    fn copy(&self, from: &DeviceMemory, to: &DeviceMemory) -> Result<()> {
        let mut state = self.working()?;
        state.calls.push(Call::Copy(from.id, to.id));
        check_sizes(&self.name, from.bytes, to.bytes)?;
        let source = self.source(&state, from)?.to_vec();
        self.target(&mut state, to)?.copy_from_slice(&source);
        Ok(())
    }

    fn reaches(&self, other: &dyn Device) -> bool {
        let other: &dyn Any = other;
        self.social && other.is::<FakeDevice>()
    }

    fn receive(&self, other: &dyn Device, from: &DeviceMemory, to: &DeviceMemory) -> Result<()> {
        let any: &dyn Any = other;
        let other = any.downcast_ref::<FakeDevice>().filter(|_| self.social);
        let other = other.ok_or_else(|| device_error(&self.name, "cannot copy from there"))?;
        // Locks one device after the other: two devices may copy from each other at the same time.
        let bytes = other.source(&*other.working()?, from)?.to_vec();
        let mut state = self.working()?;
        state.calls.push(Call::Receive(to.id, bytes.len()));
        check_sizes(&self.name, bytes.len(), to.bytes)?;
        self.target(&mut state, to)?.copy_from_slice(&bytes);
        self.counters.peer_copy(bytes.len());
        Ok(())
    }

    fn reclaim(&self, memory: &DeviceMemory) -> Result<()> {
        self.working()?.calls.push(Call::Reclaim(memory.id));
        Ok(())
    }

    fn stream(&self) -> Result<Option<usize>> {
        self.working().map(|_| Some(1))
    }

    /// Tests obtain foreign memory by calling [`Device::allocate`] themselves.
    unsafe fn adopt(&self, address: u64, bytes: usize, stream: usize) -> Result<DeviceMemory> {
        let mut state = self.working()?;
        state.calls.push(Call::Adopt(address, stream));
        let there = state.memory.get(&address).ok_or_else(|| self.unknown())?.len();
        check_sizes(&self.name, there, bytes)?;
        Ok(DeviceMemory::new(address, bytes))
    }

    fn addresses(&self, memory: &DeviceMemory) -> Range<u64> {
        // Numbers of memories are no addresses: each memory is one place.
        memory.id..memory.id + u64::from(memory.bytes > 0)
    }

    fn fill(&self, memory: &DeviceMemory, byte: u8) -> Result<()> {
        let mut state = self.going_on()?;
        state.calls.push(Call::Fill(memory.id, byte));
        if !state.memory.contains_key(&memory.id) {
            return Err(self.unknown());
        }
        let id = memory.id;
        self.submit(state, &[(memory, true)], move |all| {
            all.get_mut(&id).into_iter().for_each(|bytes| bytes.fill(byte));
        });
        Ok(())
    }

    fn mailbox(&self, bytes: usize) -> Result<Mailbox> {
        let mut state = self.working()?;
        state.calls.push(Call::Mailbox(bytes));
        state.next += 1;
        let id = state.next;
        state.memory.insert(id, vec![0; bytes]);
        Ok(Mailbox::new(DeviceMemory::new(id, bytes)))
    }

    fn peek(&self, mailbox: &Mailbox, to: &mut [u8]) -> Result<()> {
        let mut state = self.working()?;
        let id = mailbox.memory().id;
        state.calls.push(Call::Peek(id));
        let source = state.memory.get(&id).ok_or_else(|| self.unknown())?;
        to.iter_mut().zip(source).for_each(|(to, from)| *to = *from);
        Ok(())
    }

    fn mailboxes(&self) -> &Mailboxes {
        &self.mailboxes
    }

    fn kernel(&self, source: &KernelSource<'_>) -> Result<KernelHandle> {
        let sources = KernelLoader {
            device: &self.name,
            images: &self.images,
            compiler: self.compiler.as_ref().copied(),
            embedded_only: self.embedded_only,
        };
        let text = ImageKey::of(&[source.entry.as_bytes(), source.text.as_bytes()]);
        let (body, origin) = sources.make(self, source, text)?;
        self.counters.made(origin);
        Ok(KernelHandle::new(source.name, self.facts.clone(), self, body))
    }

    unsafe fn launch(
        &self,
        kernel: &KernelHandle,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<()> {
        let body: &Body = kernel.compiled(self)?;
        config.check(&self.name, kernel, &self.limits)?;
        let mut state = self.going_on()?;
        let memories: Vec<u64> = args.iter().filter_map(LaunchArg::memory).map(DeviceMemory::id).collect();
        if memories.iter().any(|id| !state.memory.contains_key(id)) {
            return Err(self.unknown());
        }
        state.calls.push(Call::Launch(kernel.name().into(), memories));
        self.counters.launch();
        if config.is_empty() {
            return Ok(());
        }
        let uses = args.iter().filter_map(|arg| match arg {
            LaunchArg::Memory(memory) => Some((*memory, true)),
            LaunchArg::Input(memory) | LaunchArg::Constant(memory, _) => Some((*memory, false)),
            LaunchArg::Bytes(_) => None,
        });
        let uses: Vec<_> = uses.collect();
        let (body, config) = (Arc::clone(body), *config);
        let bytes = args.iter().filter_map(LaunchArg::memory).map(DeviceMemory::bytes).sum();
        let args: Vec<OwnedArg> = args.iter().map(OwnedArg::of).collect();
        let took = profile::is_on().then(Arc::<OnceLock<u64>>::default);
        let answer = took.clone();
        self.submit(state, &uses, move |memory| {
            let begin = Instant::now();
            let args: Vec<LaunchArg<'_>> = args.iter().map(OwnedArg::arg).collect();
            body(&mut FakeLaunch { config, memory, args: &args });
            if let Some(answer) = answer {
                let _ = answer.set(u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX));
            }
        });
        if let Some(took) = took {
            let shape = (config.grid, config.block);
            profile::submitted(kernel.name(), &self.name, shape, bytes, Box::new(FakeTiming(took)));
        }
        Ok(())
    }

    fn libraries(&self) -> Option<&dyn Libraries> {
        self.libraries.then_some(self)
    }

    fn synchronize(&self) -> Result<()> {
        let epoch = self.late.as_ref().map(Late::finishing);
        self.working()?.calls.push(Call::Synchronize);
        if let (Some(late), Some(epoch)) = (&self.late, epoch) {
            late.finished(epoch);
        }
        self.counters.is_idle();
        Ok(())
    }

    fn is_lost(&self) -> bool {
        self.state().lost
    }
}

impl Libraries for FakeDevice {
    fn known(&self, library: Library) -> Option<bool> {
        self.state().loaded.contains(&library).then_some(true)
    }

    fn load(&self, library: Library) -> bool {
        let mut state = self.state();
        if !state.loaded.contains(&library) {
            state.loaded.push(library);
            state.calls.push(Call::LoadLibrary(library));
        }
        true
    }

    fn plan(&self, transform: &Transform) -> Result<(usize, bool)> {
        let mut state = self.working()?;
        let made = state.plans.find(transform).is_none();
        if made {
            state.plans.add(*transform, ());
        }
        Ok((64, made))
    }

    unsafe fn transform(
        &self,
        transform: &Transform,
        direction: Direction,
        [from, to, work]: [&DeviceMemory; 3],
    ) -> Result<()> {
        let mut state = self.working()?;
        check_sizes(&self.name, 64, work.bytes)?;
        state.calls.push(Call::Transform(from.id, to.id));
        let source = state.memory.get_mut(&from.id).ok_or_else(|| self.unknown())?;
        let result = self::transform(transform, direction, source);
        if transform.elements() == Elements::HalfToReal {
            source.fill(0xA5);
        }
        state.memory.get_mut(&to.id).ok_or_else(|| self.unknown())?.copy_from_slice(&result);
        Ok(())
    }

    unsafe fn multiply(&self, product: &Product, matrices: [&DeviceMemory; 3]) -> Result<()> {
        let mut state = self.working()?;
        let ids = matrices.map(DeviceMemory::id);
        state.calls.push(Call::Multiply(ids));
        let bytes = |id| state.memory.get(&id).ok_or_else(|| self.unknown());
        let result = self::multiply(product, bytes(ids[0])?, bytes(ids[1])?);
        state.memory.get_mut(&ids[2]).ok_or_else(|| self.unknown())?.copy_from_slice(&result);
        Ok(())
    }
}

/// The prefix of images that [`FakeDevice`]s compile; the entry name follows.
const IMAGE: &str = "fake image of ";

impl KernelBackend for FakeDevice {
    type Made = Body;

    fn compile(&self, source: &KernelSource<'_>) -> Result<Vec<u8>> {
        self.working()?.calls.push(Call::Compile(source.entry.into()));
        if let Some((_, what)) = source.text.split_once("#error ") {
            let (name, what) = (source.name, what.lines().next().unwrap_or_default());
            return Err(device_error(&self.name, format!("kernel '{name}' does not compile: {what}")));
        }
        Ok(format!("{IMAGE}{}", source.entry).into_bytes())
    }

    /// Resolves the closure defined for the entry that an image or PTX names.
    fn load(&self, image: &[u8]) -> Result<Body> {
        let text = String::from_utf8_lossy(image);
        let name = |c: char| c == '_' || c.is_ascii_alphanumeric();
        let ptx = || text.split_once(".entry ").and_then(|(_, rest)| rest.split(|c| !name(c)).next());
        let entry = text.strip_prefix(IMAGE).or_else(ptx);
        let entry = entry.ok_or_else(|| device_error(&self.name, "this is no image"))?;
        let mut state = self.working()?;
        state.calls.push(Call::Load(entry.into()));
        let body = state.kernels.get(entry).cloned();
        body.ok_or_else(|| device_error(&self.name, format!("no function is defined for '{entry}'")))
    }

    fn is_lost(&self) -> bool {
        self.state().lost
    }
}
