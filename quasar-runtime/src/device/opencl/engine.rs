//! The OpenCL [`Engine`]: context, command queue, memory and compiled programs of one started device.

use super::super::driver_device::{self, DeviceInfo, DriverDevice};
use super::super::{
    DeviceMemory, Dialect, Keep, KernelFacts, KernelSource, LaunchArg, LaunchConfig, Mailbox, device_error,
    out_of_memory,
};
use super::api::{self, Code, Command, Context, DeviceId, Kernel, Memory, Program, Queue};
use super::sys::{
    self as properties, CL_KERNEL_LOCAL_MEM_SIZE, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
    CL_KERNEL_WORK_GROUP_SIZE,
};
use crate::error::{Error, Result};
use crate::kernel::cache::{ImageCache, ImageKey};
use crate::kernel::kernel_loader::Origin;
use crate::memory::heap::Heap;
use crate::profile::Timing;
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A started device. All commands go to one in-order queue.
pub(super) struct Engine {
    name: String,
    /// Device and driver identification, part of the cache key of compiled programs.
    driver: String,
    device: DeviceId,
    context: Context,
    queue: Queue,
    /// Memory handles are numbers of ours, so that an invalid one is detected.
    heap: Mutex<Heap<Arc<Memory>>>,
    programs: Mutex<HashMap<ImageKey, Cell>>,
    lost: AtomicBool,
}

/// The slot of a program; threads that want the same program wait for the first.
type Cell = Arc<Mutex<Option<Program>>>;

/// A compiled kernel, locked while its arguments are set.
pub(super) struct ClKernel {
    kernel: Mutex<Kernel>,
    parameters: usize,
}

impl driver_device::Engine for Engine {
    /// The device and its ordinal.
    type Id = (DeviceId, u8);
    type Kernel = ClKernel;
    const DIALECT: Dialect = Dialect::OpenCl;

    fn start(id: &(DeviceId, u8), about: &DeviceInfo) -> Result<Engine> {
        let (device, _) = *id;
        let DeviceInfo { name, limits, options, .. } = about;
        let failed = |code: Code| device_error(name, format!("cannot be started: {code}"));
        let context = Context::new(device).map_err(failed)?;
        let queue = context.queue(device).map_err(failed)?;
        let kept = if options.keep == Keep::Nothing { 0 } else { usize::MAX };
        Ok(Engine {
            name: name.clone(),
            driver: driver(device),
            device,
            context,
            queue,
            heap: Mutex::new(Heap::new(options.usable(limits.memory_bytes), kept)),
            programs: Mutex::default(),
            lost: AtomicBool::new(false),
        })
    }

    fn renew(id: &(DeviceId, u8), about: &DeviceInfo) -> Result<DriverDevice<Engine>> {
        Ok(super::device(id.0, id.1, &about.options))
    }

    fn is_lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    fn allocate(&self, bytes: usize) -> Result<DeviceMemory> {
        static NUMBERS: AtomicU64 = AtomicU64::new(1);
        let make = |class| match self.context.memory(class) {
            Err(code) if code.is_memory() => Ok(None),
            other => self.check(other).map(|memory| Some(Arc::new(memory))),
        };
        let id = self.heap().allocate(bytes, make, |_| NUMBERS.fetch_add(1, Ordering::Relaxed))?;
        id.map(|(id, _)| DeviceMemory::new(id, bytes)).ok_or_else(|| out_of_memory(&self.name, bytes))
    }

    fn release(&self, memory: &DeviceMemory) {
        let released = self.heap().release(memory.id);
        drop(released);
    }

    fn trim(&self) {
        let released = self.heap().trim();
        drop(released);
        // OpenCL frees memory once the commands that use it are complete.
        let _ = self.queue.finish();
    }

    fn free_bytes(&self) -> usize {
        self.heap().free_bytes()
    }

    fn used_bytes(&self) -> usize {
        self.heap().used_bytes()
    }

    fn upload(&self, from: &[u8], to: &DeviceMemory) -> Result<()> {
        let object = self.object(to)?;
        if from.is_empty() {
            return Ok(());
        }
        self.transferred(self.queue.upload(from, &object, to.start), from.len())
    }

    fn download(&self, from: &DeviceMemory, to: &mut [u8]) -> Result<bool> {
        let object = self.object(from)?;
        if to.is_empty() {
            self.synchronize()?;
        } else {
            self.transferred(self.queue.download(&object, from.start, to), to.len())?;
        }
        Ok(true)
    }

    fn copy(&self, from: &DeviceMemory, to: &DeviceMemory) -> Result<()> {
        let (source, target) = (self.object(from)?, self.object(to)?);
        if from.bytes == 0 {
            return Ok(());
        }
        self.transferred(self.queue.copy((&source, from.start), (&target, to.start), from.bytes), from.bytes)
    }

    fn fill(&self, memory: &DeviceMemory, byte: u8) -> Result<()> {
        let object = self.object(memory)?;
        if memory.bytes == 0 {
            return Ok(());
        }
        self.transferred(self.queue.fill(&object, byte, memory.bytes), memory.bytes)
    }

    fn mailbox(&self, bytes: usize) -> Result<Mailbox> {
        let memory = self.allocate(bytes)?;
        self.fill(&memory, 0)?;
        Ok(Mailbox::new(memory))
    }

    fn peek(&self, mailbox: &Mailbox, to: &mut [u8]) -> Result<()> {
        self.download(mailbox.memory(), to).map(|_| ())
    }

    fn flush(&self) -> Result<()> {
        self.check(self.queue.flush())
    }

    fn synchronize(&self) -> Result<()> {
        self.check(self.queue.finish())
    }

    fn kernel(
        &self,
        about: &DeviceInfo,
        source: &KernelSource<'_>,
    ) -> Result<(KernelFacts, ClKernel, Origin)> {
        let images = &*about.options.images;
        if source.dialect != Dialect::OpenCl {
            return Err(self.refuse(source.name, "the text is not OpenCL C"));
        }
        let options = source.options.join(" ");
        let key =
            ImageKey::of(&[b"opencl", self.driver.as_bytes(), options.as_bytes(), source.text.as_bytes()]);
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = Arc::clone(programs.entry(key).or_default());
        drop(programs);
        let mut slot = cell.lock().unwrap_or_else(PoisonError::into_inner);
        let mut origin = Origin::Made;
        let program = match &mut *slot {
            Some(program) => program,
            empty => {
                let program = match self.load_image(images, key, &options) {
                    Some(program) => program,
                    None => {
                        origin = Origin::Compiler;
                        self.compile(images, key, &options, source)?
                    }
                };
                empty.insert(program)
            }
        };
        let (facts, kernel) = self.entry(program, source)?;
        Ok((facts, kernel, origin))
    }

    unsafe fn launch(
        &self,
        compiled: &ClKernel,
        name: &Arc<str>,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<()> {
        // SAFETY: guaranteed by the caller.
        unsafe { self.submit(compiled, name, config, args) }.map(drop)
    }

    unsafe fn launch_timed(
        &self,
        compiled: &ClKernel,
        name: &Arc<str>,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<Box<dyn Timing>> {
        // SAFETY: guaranteed by the caller.
        let command = unsafe { self.submit(compiled, name, config, args) }?;
        Ok(Box::new(command))
    }
}

impl Engine {
    /// Submits a kernel.
    ///
    /// # Safety
    /// As for [`super::super::Device::launch`].
    unsafe fn submit(
        &self,
        compiled: &ClKernel,
        name: &Arc<str>,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<Command> {
        let refuse = |what: String| self.refuse(name, what);
        let expected = compiled.parameters - usize::from(config.shared_bytes > 0 && compiled.parameters > 0);
        if args.len() != expected {
            return Err(refuse(format!("it has {expected} parameters, found {} arguments", args.len())));
        }
        // Keeps the objects alive until the kernel is enqueued; afterwards OpenCL retains them.
        let mut objects = Vec::with_capacity(args.len());
        for arg in args {
            objects.push(match arg {
                LaunchArg::Memory(memory) | LaunchArg::Input(memory) | LaunchArg::Constant(memory, _) => {
                    Some(self.object(memory)?)
                }
                LaunchArg::Bytes(_) => None,
            });
        }
        let kernel = compiled.kernel.lock().unwrap_or_else(PoisonError::into_inner);
        for (k, (arg, object)) in args.iter().zip(&objects).enumerate() {
            let set = match (arg, object) {
                (LaunchArg::Bytes(bytes), _) => kernel.set_bytes(k, bytes),
                (_, Some(object)) => kernel.set_memory(k, object),
                (_, None) => Ok(()),
            };
            set.map_err(|code| refuse(format!("argument {k}: {code}")))?;
        }
        if config.shared_bytes > 0 {
            let set = kernel.set_local(args.len(), config.shared_bytes as usize);
            set.map_err(|code| refuse(format!("shared memory: {code}")))?;
        }
        let local = config.block.map(|n| n as usize);
        let extent = |k: usize| {
            let (blocks, threads) = (config.grid.get(k).copied(), local.get(k).copied());
            blocks.unwrap_or(1) as usize * threads.unwrap_or(1)
        };
        // SAFETY: the arguments are set; the behaviour of the kernel is guaranteed by the caller.
        let submitted = unsafe { self.queue.launch(&kernel, [extent(0), extent(1), extent(2)], local) };
        drop(kernel);
        let command = submitted.map_err(|code| refuse(code.to_string()))?;
        // Without a flush, some drivers wait for more commands before they start.
        self.check(self.queue.flush())?;
        Ok(command)
    }

    fn check<T>(&self, result: api::Result<T>) -> Result<T> {
        result.map_err(|code| {
            if code == Code::DEVICE_NOT_AVAILABLE {
                self.lost.store(true, Ordering::Relaxed);
            }
            device_error(&self.name, code.to_string())
        })
    }

    fn heap(&self) -> MutexGuard<'_, Heap<Arc<Memory>>> {
        self.heap.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The memory object of a handle.
    fn object(&self, memory: &DeviceMemory) -> Result<Arc<Memory>> {
        let found = self.heap().find(memory.id, memory.start + memory.bytes);
        found.ok_or_else(|| device_error(&self.name, "unknown memory"))
    }

    /// Some drivers allocate lazily, so any command can run out of memory.
    fn transferred(&self, result: api::Result<()>, bytes: usize) -> Result<()> {
        match result {
            Err(code) if code.is_memory() => Err(out_of_memory(&self.name, bytes)),
            other => self.check(other),
        }
    }

    fn refuse(&self, kernel: &str, what: impl std::fmt::Display) -> Error {
        device_error(&self.name, format!("kernel '{kernel}': {what}"))
    }

    /// Loads a program from the disk cache, if there is an image that the driver accepts.
    fn load_image(&self, images: &ImageCache, key: ImageKey, options: &str) -> Option<Program> {
        let image = images.load(key)?;
        let program = self.context.program_from_image(self.device, &image).ok();
        let options = CString::new(options).ok()?;
        let built = program.filter(|program| program.build(self.device, &options).is_ok());
        if built.is_none() {
            images.refuse(key);
        }
        built
    }

    fn compile(
        &self,
        images: &ImageCache,
        key: ImageKey,
        options: &str,
        source: &KernelSource<'_>,
    ) -> Result<Program> {
        // Generated code causes compiler warnings, which would clutter the output of the user's program.
        let options = CString::new(format!("-cl-std=CL1.2 -w {options}"));
        let options = options.map_err(|_| self.refuse(source.name, "an option contains a zero byte"))?;
        let program = self.check(self.context.program(source.text))?;
        program.build(self.device, &options).map_err(|log| {
            device_error(&self.name, format!("kernel '{}' does not compile: {log}", source.name))
        })?;
        if let Some(image) = program.image() {
            images.store(key, &image);
        }
        Ok(program)
    }

    fn entry(&self, program: &Program, source: &KernelSource<'_>) -> Result<(KernelFacts, ClKernel)> {
        let entry = CString::new(source.entry)
            .map_err(|_| self.refuse(source.name, "its name contains a zero byte"))?;
        let kernel = program.kernel(&entry).map_err(|code| {
            self.refuse(source.name, format!("there is no '{}' in it: {code}", source.entry))
        })?;
        let facts = KernelFacts {
            max_threads: kernel.number(self.device, CL_KERNEL_WORK_GROUP_SIZE),
            preferred_multiple: kernel
                .number(self.device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE)
                .max(1),
            shared_bytes: kernel.number(self.device, CL_KERNEL_LOCAL_MEM_SIZE),
            ..KernelFacts::default()
        };
        let parameters = self.check(kernel.parameters())?;
        Ok((facts, ClKernel { kernel: Mutex::new(kernel), parameters }))
    }
}

fn driver(device: DeviceId) -> String {
    let about = [
        properties::CL_DEVICE_VENDOR,
        properties::CL_DEVICE_NAME,
        properties::CL_DEVICE_VERSION,
        properties::CL_DRIVER_VERSION,
    ];
    about.map(|property| device.text(property)).join("\n")
}
