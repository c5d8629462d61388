//! CUDA kernels: from source text or PTX through a compiled image to a function that can be launched, and the launch
//! itself.

use super::super::driver_device;
use super::super::small_vec::SmallVec;
use super::super::{
    DeviceOptions, Dialect, KernelFacts, KernelSource, LaunchArg, LaunchConfig, Unavailable, device_error,
};
use super::batch::Shape;
use super::driver::{CUdeviceptr, CUfunction, CUmodule, Functions, SUCCESS, is_past_end};
use super::engine::Engine;
use super::sys::{CUfunction_attribute, CUjit_option};
use crate::error::Result;
use crate::kernel::cache::{ImageCache, ImageKey};
use crate::kernel::kernel_loader::{KernelBackend, KernelLoader, Origin};
use quasar_compiled::nvrtc::{nvrtc, version};
use quasar_devicelib::device_text::CONSTANT_BYTES;
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Bytes of dynamic shared memory that every kernel may use without opting in.
const PLAIN_SHARED: u32 = 48 << 10;

/// The line of a kernel text that declares the variable for constant-memory arrays.
const CONSTANTS: &str = "\nQ_CONSTANT_MEMORY\n";

/// A loaded module, which stays loaded until the engine is dropped.
#[derive(Clone, Copy)]
pub(super) struct Module(CUmodule);

// SAFETY: the driver's modules may be used from any thread.
unsafe impl Send for Module {}

/// The slot of a module; threads that want the same module wait for the first.
type Cell = Arc<Mutex<Option<Module>>>;

/// The modules of an engine, by a hash of their sources.
#[derive(Default)]
pub(super) struct Modules {
    cells: Mutex<HashMap<ImageKey, Cell>>,
    /// Compiler version.
    compiler: OnceLock<Result<String, Unavailable>>,
}

/// A compiled kernel.
pub(super) struct CudaKernel {
    function: CUfunction,
    /// Address of the module's variable for constant-memory arrays.
    constants: Option<CUdeviceptr>,
    /// Sizes of the parameters, if the driver reports them.
    parameters: Option<Vec<usize>>,
    /// Dynamic shared memory for which the function was configured.
    prepared_shared: AtomicU32,
}

// SAFETY: the driver's functions may be used from any thread.
unsafe impl Send for CudaKernel {}
// SAFETY: as above; the rest is constant or atomic.
unsafe impl Sync for CudaKernel {}

impl Modules {
    fn cell(&self, key: ImageKey) -> Cell {
        let mut cells = self.cells.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(cells.entry(key).or_default())
    }

    fn compiler(&self, images: &ImageCache) -> Result<&str, &Unavailable> {
        self.compiler.get_or_init(|| version(images.folder())).as_deref()
    }

    /// Unloads all modules. No kernel may be running.
    pub(super) fn release(&mut self, functions: &Functions) {
        let modules = std::mem::take(self.cells.get_mut().unwrap_or_else(PoisonError::into_inner));
        for cell in modules.into_values() {
            if let Some(module) = *cell.lock().unwrap_or_else(PoisonError::into_inner) {
                // SAFETY: the module was loaded and is unloaded only here.
                unsafe { (functions.unload_module)(module.0) };
            }
        }
    }
}

/// Compiles a kernel or loads it from a cache, and returns its origin.
pub(super) fn kernel(
    engine: &Engine,
    options: &DeviceOptions,
    source: &KernelSource<'_>,
) -> Result<(KernelFacts, CudaKernel, Origin)> {
    if source.dialect != Dialect::Cuda {
        return Err(device_error(
            &engine.name,
            format!("the text of kernel '{}' is not CUDA C++", source.name),
        ));
    }
    let architecture = engine.id.architecture.to_string();
    let mut parts: Vec<&[u8]> = vec![b"cuda", architecture.as_bytes(), source.text.as_bytes()];
    parts.extend(source.options.iter().map(|option| option.as_bytes()));
    let key = ImageKey::of(&parts);
    let cell = engine.modules.cell(key);
    let mut slot = cell.lock().unwrap_or_else(PoisonError::into_inner);
    let (module, origin) = match *slot {
        Some(module) => (module, Origin::Made),
        None => {
            let sources = KernelLoader {
                device: &engine.name,
                images: &options.images,
                compiler: engine.modules.compiler(&options.images),
                embedded_only: options.embedded_only,
            };
            sources.make(engine, source, key)?
        }
    };
    *slot = Some(module);
    drop(slot);
    let (facts, function) = function(engine, module, source)?;
    Ok((facts, function, origin))
}

impl KernelBackend for Engine {
    type Made = Module;

    fn compile(&self, source: &KernelSource<'_>) -> Result<Vec<u8>> {
        let compiler = nvrtc().map_err(|reason| device_error(&self.name, reason.reason))?;
        let compiled = compiler.compile(source.name, source.text, source.options, self.id.architecture);
        compiled.map(|compiled| compiled.image).map_err(|message| device_error(&self.name, message))
    }

    fn load(&self, image: &[u8]) -> Result<Module> {
        load_image(self, image)
    }

    fn is_lost(&self) -> bool {
        driver_device::Engine::is_lost(self)
    }
}

/// Loads machine code, or zero-terminated PTX, which the driver compiles; errors include the driver's compilation log.
fn load_image(engine: &Engine, image: &[u8]) -> Result<Module> {
    engine.enter()?;
    let mut module = std::ptr::null_mut();
    let mut said = [0_u8; 2048];
    let mut names = [
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER as c_int,
        CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as c_int,
    ];
    let mut values: [*mut c_void; 2] =
        [said.as_mut_ptr().cast(), std::ptr::without_provenance_mut(said.len() - 1)];
    // SAFETY: the context is current; the image is a whole cubin, which states its own size, or PTX that ends with a
    // zero; the two options are a buffer, which lives until the call returns, and its size, which leaves a zero at the
    // end; the function writes one pointer.
    let status = unsafe {
        let (names, values) = (names.as_mut_ptr(), values.as_mut_ptr());
        (engine.functions.load_module)(&raw mut module, image.as_ptr().cast(), 2, names, values)
    };
    engine.check(status).map(|()| Module(module)).map_err(|error| {
        let said = CStr::from_bytes_until_nul(&said).unwrap_or_default().to_string_lossy();
        let driver = engine.functions.version();
        let (major, minor, said) = (driver / 1000, driver % 1000 / 10, said.trim_end());
        device_error(&engine.name, format!("{error} (driver for CUDA {major}.{minor}) {said}"))
    })
}

fn function(engine: &Engine, module: Module, source: &KernelSource<'_>) -> Result<(KernelFacts, CudaKernel)> {
    engine.enter()?;
    let entry = CString::new(source.entry)
        .map_err(|_| device_error(&engine.name, "the name of a kernel contains a zero byte"))?;
    let mut function = std::ptr::null_mut();
    // SAFETY: the module is loaded; the name ends with a zero; the function writes one pointer.
    let status = unsafe { (engine.functions.function)(&raw mut function, module.0, entry.as_ptr()) };
    engine.check(status).map_err(|error| {
        device_error(
            &engine.name,
            format!("there is no '{}' in kernel '{}': {error}", source.entry, source.name),
        )
    })?;
    let attribute = |attribute: CUfunction_attribute| {
        let mut value = 0;
        // SAFETY: the function is loaded; the driver writes one integer, or returns an error.
        let status =
            unsafe { (engine.functions.function_attribute)(&raw mut value, attribute as c_int, function) };
        if status == SUCCESS { u32::try_from(value).unwrap_or(0) } else { 0 }
    };
    let facts = KernelFacts {
        max_threads: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
        preferred_multiple: 32,
        shared_bytes: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
        registers: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_NUM_REGS),
        local_bytes: attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
    };
    let parameters = parameters(engine, function);
    let prepared_shared = AtomicU32::new(PLAIN_SHARED);
    let constants = if source.text.contains(CONSTANTS) { constants(engine, module) } else { None };
    Ok((facts, CudaKernel { function, constants, parameters, prepared_shared }))
}

/// The address of the module's variable for constant-memory arrays, if it has one.
fn constants(engine: &Engine, module: Module) -> Option<CUdeviceptr> {
    let (mut address, mut bytes) = (0, 0);
    let name = c"q_constants".as_ptr();
    // SAFETY: the module is loaded; the name ends with a zero; the function writes two numbers, or returns an error.
    let status = unsafe { (engine.functions.variable)(&raw mut address, &raw mut bytes, module.0, name) };
    (status == SUCCESS && bytes == CONSTANT_BYTES).then_some(address)
}

/// Sizes of the parameters; `None` if the driver does not report them.
fn parameters(engine: &Engine, function: CUfunction) -> Option<Vec<usize>> {
    /// The maximum number of parameters: each has at least one byte, and all together at most 32764.
    const MOST: usize = 32_764;
    let ask = engine.functions.parameter?;
    let mut sizes = Vec::new();
    while sizes.len() <= MOST {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: the function is loaded; the driver writes two numbers, or returns an error past the last parameter.
        match unsafe { ask(function, sizes.len(), &raw mut offset, &raw mut size) } {
            SUCCESS => sizes.push(size),
            status if is_past_end(status) => return Some(sizes),
            _ => return None,
        }
    }
    None
}

impl CudaKernel {
    /// Submits the kernel; the caller checked the configuration.
    ///
    /// # Safety
    /// As for [`super::super::Device::launch`].
    pub(super) unsafe fn launch(
        &self,
        engine: &Engine,
        name: &Arc<str>,
        config: &LaunchConfig,
        args: &[LaunchArg<'_>],
    ) -> Result<()> {
        let refuse = |what: String| device_error(&engine.name, format!("kernel '{name}': {what}"));
        self.check_arguments(args).map_err(refuse)?;
        if config.shared_bytes > self.prepared_shared.load(Ordering::Relaxed) {
            self.prepare_shared(engine, config.shared_bytes)?;
        }
        // Until the launch is submitted, other threads must not overwrite the constant memory of the module.
        let alone = self.fill_constants(engine, args)?;
        let mut pointers = SmallVec::<*mut c_void, 48>::new(std::ptr::null_mut());
        args.iter().for_each(|arg| pointers.push(address(arg)));
        let pointers = pointers.as_mut_ptr();
        let shape = Shape::new(self.function, config);
        if alone.is_some() && !config.cooperative {
            // SAFETY: as below; the context is current.
            let submitted = engine.launched(name, unsafe { shape.submit(engine, pointers) });
            engine.overlap.touch_all(args);
            return submitted;
        }
        if !config.cooperative {
            // SAFETY: the context is retained and the function is loaded; each argument has the size of its parameter
            // (checked above, or guaranteed by the caller). The behaviour of the kernel is guaranteed by the caller.
            return unsafe { engine.batch.launch(engine, shape, name, args, pointers) };
        }
        engine.enter()?;
        let ([gx, gy, gz], [bx, by, bz]) = (shape.grid, shape.block);
        let (launch, stream, shared) = (engine.functions.launch_cooperative, engine.stream, shape.shared);
        // SAFETY: as above; the context is current.
        let submitted = engine.launched(name, unsafe {
            launch(shape.function, gx, gy, gz, bx, by, bz, shared, stream, pointers)
        });
        engine.overlap.touch_all(args);
        submitted
    }

    /// Number of resident blocks of such a launch on one multiprocessor.
    pub(super) fn resident_blocks(&self, engine: &Engine, config: &LaunchConfig) -> Result<u32> {
        if config.shared_bytes > self.prepared_shared.load(Ordering::Relaxed) {
            self.prepare_shared(engine, config.shared_bytes)?;
        }
        engine.make_current()?;
        let threads: u32 = config.block.iter().product();
        let (mut blocks, threads) = (0, c_int::try_from(threads).unwrap_or(c_int::MAX));
        let (ask, shared) = (engine.functions.resident_blocks, config.shared_bytes as usize);
        // SAFETY: the context is current and the function is loaded; the driver writes one integer.
        engine.check(unsafe { ask(&raw mut blocks, self.function, threads, shared) })?;
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    /// Copies arrays to constant memory, ordered after the launches that read its previous contents. Returns the lock
    /// that protects them, if there are any.
    fn fill_constants<'e>(
        &self,
        engine: &'e Engine,
        args: &[LaunchArg<'_>],
    ) -> Result<Option<MutexGuard<'e, ()>>> {
        let arrays = args.iter().filter_map(|arg| match arg {
            LaunchArg::Constant(memory, place) => Some((*memory, u32::from_ne_bytes(**place))),
            LaunchArg::Memory(_) | LaunchArg::Input(_) | LaunchArg::Bytes(_) => None,
        });
        let mut alone = None;
        for (memory, place) in arrays {
            if alone.is_none() {
                alone = Some(engine.constants.lock().unwrap_or_else(PoisonError::into_inner));
                engine.enter()?;
            }
            let end = memory.bytes.saturating_add(place as usize);
            let Some(constants) = self.constants.filter(|_| end <= CONSTANT_BYTES) else {
                return Err(device_error(&engine.name, "a kernel has no constant memory for an array"));
            };
            let (to, copy) = (constants + u64::from(place), engine.functions.copy);
            // SAFETY: the context is current; the variable has so many bytes behind the offset, and so has the memory.
            engine.check(unsafe { copy(to, memory.id, memory.bytes, engine.stream) })?;
        }
        Ok(alone)
    }

    fn check_arguments(&self, args: &[LaunchArg<'_>]) -> std::result::Result<(), String> {
        let Some(parameters) = &self.parameters else { return Ok(()) };
        if args.len() != parameters.len() {
            return Err(format!("it has {} parameters, found {} arguments", parameters.len(), args.len()));
        }
        let found = args.iter().map(|arg| match arg {
            LaunchArg::Memory(_) | LaunchArg::Input(_) => size_of::<u64>(),
            LaunchArg::Constant(_, place) => place.len(),
            LaunchArg::Bytes(bytes) => bytes.len(),
        });
        match found.zip(parameters.iter().copied()).enumerate().find(|(_, (found, size))| found != size) {
            None => Ok(()),
            Some((k, (found, size))) => {
                Err(format!("parameter {k} has {size} bytes, its argument has {found}"))
            }
        }
    }

    /// Opts in to more dynamic shared memory than the default.
    fn prepare_shared(&self, engine: &Engine, bytes: u32) -> Result<()> {
        engine.make_current()?;
        let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as c_int;
        let value = c_int::try_from(bytes).unwrap_or(c_int::MAX);
        // SAFETY: the function is loaded and the context is current.
        let status = unsafe { (engine.functions.set_function_attribute)(self.function, attribute, value) };
        engine.check(status)?;
        self.prepared_shared.fetch_max(bytes, Ordering::Relaxed);
        Ok(())
    }
}

/// The bytes of an argument; for memory, those of its address.
pub(super) fn bytes<'a>(arg: &'a LaunchArg<'_>) -> &'a [u8] {
    match arg {
        // SAFETY: a number of eight initialised bytes, viewed as bytes.
        LaunchArg::Memory(memory) | LaunchArg::Input(memory) => unsafe {
            std::slice::from_raw_parts(std::ptr::from_ref(&memory.id).cast(), size_of_val(&memory.id))
        },
        LaunchArg::Constant(_, place) => *place,
        LaunchArg::Bytes(bytes) => bytes,
    }
}

/// The address of an argument's bytes. The driver only reads them.
fn address(arg: &LaunchArg<'_>) -> *mut c_void {
    bytes(arg).as_ptr().cast_mut().cast()
}
