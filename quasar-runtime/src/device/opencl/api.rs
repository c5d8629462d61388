//! Safe wrappers of the OpenCL functions in use: owned objects, and results with error codes.

use super::sys::{
    self, CL_BLOCKING, CL_COMPLETE, CL_SUCCESS, DeviceProperty, Functions, NO_LIBRARY, Property,
    cl_command_queue, cl_context, cl_device_id, cl_event, cl_kernel, cl_mem, cl_program,
};
use std::ffi::{CStr, c_uint, c_void};
use std::ptr::{null, null_mut};

/// An OpenCL error code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Code(pub(super) i32);

impl Code {
    pub(super) const NOT_FOUND: Code = Code(-1);
    pub(super) const DEVICE_NOT_AVAILABLE: Code = Code(-2);
    const ALLOCATION_FAILED: Code = Code(-4);
    const OUT_OF_RESOURCES: Code = Code(-5);
    const OUT_OF_HOST_MEMORY: Code = Code(-6);
    const INVALID_BUFFER_SIZE: Code = Code(-61);
    const NO_PLATFORM: Code = Code(-1001);

    /// Whether it means out of memory.
    pub(super) fn is_memory(self) -> bool {
        [Code::ALLOCATION_FAILED, Code::OUT_OF_RESOURCES, Code::OUT_OF_HOST_MEMORY, Code::INVALID_BUFFER_SIZE]
            .contains(&self)
    }

    /// Whether it means that OpenCL is not installed.
    pub(super) fn is_absent(self) -> bool {
        [Code(NO_LIBRARY), Code::NO_PLATFORM].contains(&self)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", sys::name(self.0), self.0)
    }
}

pub(super) type Result<T> = std::result::Result<T, Code>;

fn functions() -> Result<&'static Functions> {
    sys::functions().map_err(Code)
}

fn check(status: sys::Status) -> Result<()> {
    if status == CL_SUCCESS { Ok(()) } else { Err(Code(status)) }
}

/// What a function creates that also writes a status.
fn created<T>(create: impl FnOnce(*mut sys::Status) -> T) -> Result<T> {
    let mut status = CL_SUCCESS;
    let object = create(&raw mut status);
    check(status).map(|()| object)
}

/// The bytes that a function writes into what it is given: room in bytes, where to, and how many there are.
fn bytes(ask: impl Fn(usize, *mut c_void, *mut usize) -> sys::Status) -> Result<Vec<u8>> {
    let mut size = 0;
    check(ask(0, null_mut(), &raw mut size))?;
    let mut bytes = vec![0; size];
    check(ask(size, bytes.as_mut_ptr().cast(), null_mut()))?;
    Ok(bytes)
}

/// A property of an object.
fn property(ask: Property, object: *mut c_void, which: c_uint) -> Result<Vec<u8>> {
    // SAFETY: the object exists, and the function writes no more than there is room for.
    bytes(|room, to, size| unsafe { ask(object, which, room, to, size) })
}

/// What a device knows of an object.
fn device_property(
    ask: DeviceProperty,
    object: *mut c_void,
    device: DeviceId,
    which: c_uint,
) -> Result<Vec<u8>> {
    // SAFETY: as above.
    bytes(|room, to, size| unsafe { ask(object, device.0, which, room, to, size) })
}

macro_rules! object {
    ($(#[$doc:meta])* $name:ident($raw:ty), $release:ident) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name($raw);

        // SAFETY: OpenCL objects may be used from any thread (kernels excepted, see `Kernel`).
        unsafe impl Send for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                let Ok(functions) = functions() else { return };
                // SAFETY: the object was created for this owner and is released only here.
                let _ = unsafe { (functions.$release)(self.0) };
            }
        }
    };
}

object!(
    /// The context of one device.
    Context(cl_context), release_context
);
object!(
    /// An in-order command queue.
    Queue(cl_command_queue), release_queue
);
object!(
    /// A memory object; OpenCL frees it once pending commands no longer use it.
    Memory(cl_mem), release_memory
);
object!(
    /// A program.
    Program(cl_program), release_program
);
object!(
    /// A kernel with its arguments: not for concurrent use.
    Kernel(cl_kernel), release_kernel
);

// SAFETY: OpenCL memory may be used from several threads at a time; commands are ordered by the queue.
unsafe impl Sync for Memory {}
// SAFETY: OpenCL contexts may be used from several threads at a time.
unsafe impl Sync for Context {}
// SAFETY: OpenCL queues may be used from several threads at a time.
unsafe impl Sync for Queue {}

/// A device; it exists for the life of the process.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceId(cl_device_id);

// SAFETY: device ids are plain identifiers.
unsafe impl Send for DeviceId {}
// SAFETY: as above.
unsafe impl Sync for DeviceId {}

/// Decodes a property of 4 or 8 bytes; 0 for other sizes.
fn number(bytes: &[u8]) -> u64 {
    match (<[u8; 4]>::try_from(bytes), <[u8; 8]>::try_from(bytes)) {
        (Ok(bytes), _) => u64::from(u32::from_ne_bytes(bytes)),
        (_, Ok(bytes)) => u64::from_ne_bytes(bytes),
        _ => 0,
    }
}

fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).trim().to_string()
}

impl DeviceId {
    /// All devices of all platforms.
    pub(super) fn all() -> Result<Vec<DeviceId>> {
        /// Handles of which a function writes as many as there is room for, and tells how many there are.
        fn handles(
            ask: impl Fn(c_uint, *mut *mut c_void, *mut c_uint) -> sys::Status,
        ) -> Result<Vec<*mut c_void>> {
            let mut count = 0;
            check(ask(0, null_mut(), &raw mut count))?;
            let mut found = vec![null_mut(); count as usize];
            if count > 0 {
                check(ask(count, found.as_mut_ptr(), null_mut()))?;
            }
            Ok(found)
        }
        let functions = functions()?;
        // SAFETY: the function writes as many handles as there is room for.
        let platforms = handles(|room, to, count| unsafe { (functions.platforms)(room, to, count) })?;
        let mut found = Vec::new();
        for platform in platforms {
            let ask = |room, to, count| {
                // SAFETY: the platform exists; as above.
                unsafe { (functions.devices)(platform, sys::CL_DEVICE_TYPE_ALL, room, to, count) }
            };
            match handles(ask) {
                Ok(ids) => found.extend(ids.into_iter().map(DeviceId)),
                // A platform without devices is not an error.
                Err(Code::NOT_FOUND) => {}
                Err(code) => return Err(code),
            }
        }
        Ok(found)
    }

    fn property(self, which: u32) -> Result<Vec<u8>> {
        property(functions()?.device_info, self.0, which)
    }

    /// A numeric property; 0 if the device does not know it.
    pub(super) fn number(self, which: u32) -> u64 {
        self.property(which).map_or(0, |bytes| number(&bytes))
    }

    /// A property that is a list of sizes.
    pub(super) fn sizes(self, which: u32) -> Vec<u64> {
        let bytes = self.property(which).unwrap_or_default();
        bytes.chunks_exact(size_of::<usize>()).map(number).collect()
    }

    /// A property that is a string.
    pub(super) fn text(self, which: u32) -> String {
        self.property(which).map_or_else(|_| String::new(), |bytes| text(&bytes))
    }
}

impl Context {
    pub(super) fn new(device: DeviceId) -> Result<Context> {
        let functions = functions()?;
        let create = |status| {
            // SAFETY: the device exists, and there is no callback.
            unsafe { (functions.create_context)(null(), 1, &raw const device.0, null(), null_mut(), status) }
        };
        created(create).map(Context)
    }

    pub(super) fn queue(&self, device: DeviceId) -> Result<Queue> {
        // Times of commands may cost something, so that they are asked for where somebody measures.
        let properties = if crate::profile::is_on() { sys::CL_QUEUE_PROFILING_ENABLE } else { 0 };
        let functions = functions()?;
        // SAFETY: context and device exist; without the property for it the queue is in order.
        created(|status| unsafe { (functions.create_queue)(self.0, device.0, properties, status) }).map(Queue)
    }

    pub(super) fn memory(&self, bytes: usize) -> Result<Memory> {
        let functions = functions()?;
        let create = |status| {
            // SAFETY: the context exists; without host memory there is no pointer to be valid.
            unsafe { (functions.create_buffer)(self.0, sys::CL_MEM_READ_WRITE, bytes, null_mut(), status) }
        };
        created(create).map(Memory)
    }

    /// Creates a program from source.
    pub(super) fn program(&self, text: &str) -> Result<Program> {
        let functions = functions()?;
        let (begin, len) = (text.as_ptr().cast(), text.len());
        let create = |status| {
            // SAFETY: the context exists, and the text is copied before the call returns.
            unsafe { (functions.create_program)(self.0, 1, &raw const begin, &raw const len, status) }
        };
        created(create).map(Program)
    }

    /// Creates a program from a binary of [`Program::image`].
    pub(super) fn program_from_image(&self, device: DeviceId, image: &[u8]) -> Result<Program> {
        let functions = functions()?;
        let (begin, len) = (image.as_ptr(), image.len());
        let create = |status| {
            let (device, begin, len) = (&raw const device.0, &raw const begin, &raw const len);
            // SAFETY: context and device exist and belong together; the function copies the image and checks it.
            unsafe {
                (functions.create_program_from_image)(self.0, 1, device, len, begin, null_mut(), status)
            }
        };
        created(create).map(Program)
    }
}

impl Program {
    /// Compiles the program. An error contains the build log.
    pub(super) fn build(&self, device: DeviceId, options: &CStr) -> std::result::Result<(), String> {
        let functions = functions().map_err(|code| code.to_string())?;
        // SAFETY: program and device exist; without a callback the function returns when it is done.
        let status = unsafe {
            (functions.build_program)(self.0, 1, &raw const device.0, options.as_ptr(), null(), null_mut())
        };
        check(status).map_err(|code| {
            let log = device_property(functions.build_info, self.0, device, sys::CL_PROGRAM_BUILD_LOG);
            let log = log.map_or_else(|_| String::new(), |bytes| text(&bytes));
            if log.is_empty() { code.to_string() } else { log }
        })
    }

    /// The compiled binary for the disk cache; `None` if the driver has none.
    pub(super) fn image(&self) -> Option<Vec<u8>> {
        let functions = functions().ok()?;
        // The program was made for one device.
        let sizes = property(functions.program_info, self.0, sys::CL_PROGRAM_BINARY_SIZES).ok()?;
        let size = usize::from_ne_bytes(sizes.try_into().ok()?);
        let mut image = vec![0u8; size];
        let mut begin = image.as_mut_ptr();
        // SAFETY: the function writes the image of the only device to where the only pointer says, with room for it.
        let status = unsafe {
            let (which, room) = (sys::CL_PROGRAM_BINARIES, size_of_val(&begin));
            (functions.program_info)(self.0, which, room, (&raw mut begin).cast(), null_mut())
        };
        check(status).ok()?;
        Some(image).filter(|image| !image.is_empty())
    }

    pub(super) fn kernel(&self, entry: &CStr) -> Result<Kernel> {
        let functions = functions()?;
        // SAFETY: the program exists, and the name is copied.
        created(|status| unsafe { (functions.create_kernel)(self.0, entry.as_ptr(), status) }).map(Kernel)
    }
}

impl Kernel {
    /// The number of parameters.
    pub(super) fn parameters(&self) -> Result<usize> {
        let bytes = property(functions()?.kernel_info, self.0, sys::CL_KERNEL_NUM_ARGS)?;
        Ok(usize::try_from(number(&bytes)).unwrap_or(0))
    }

    /// A work-group property of the kernel; 0 if the device does not know it.
    pub(super) fn number(&self, device: DeviceId, which: u32) -> u32 {
        let ask = functions().map(|functions| functions.work_group_info);
        let bytes = ask.and_then(|ask| device_property(ask, self.0, device, which)).unwrap_or_default();
        u32::try_from(number(&bytes)).unwrap_or(u32::MAX)
    }

    fn set(&self, k: usize, bytes: usize, value: *const c_void) -> Result<()> {
        let k = u32::try_from(k).unwrap_or(u32::MAX);
        let functions = functions()?;
        // SAFETY: the kernel exists and the caller passes a pointer to so many bytes, or null for local memory. OpenCL
        // compares the size with the parameter's and copies the value.
        check(unsafe { (functions.set_argument)(self.0, k, bytes, value) })
    }

    pub(super) fn set_bytes(&self, k: usize, value: &[u8]) -> Result<()> {
        self.set(k, value.len(), value.as_ptr().cast())
    }

    pub(super) fn set_memory(&self, k: usize, memory: &Memory) -> Result<()> {
        self.set(k, size_of::<cl_mem>(), (&raw const memory.0).cast())
    }

    pub(super) fn set_local(&self, k: usize, bytes: usize) -> Result<()> {
        self.set(k, bytes, null())
    }
}

/// A command that was submitted.
pub(super) struct Command(cl_event);

// SAFETY: events may be used from any thread.
unsafe impl Send for Command {}

impl Drop for Command {
    fn drop(&mut self) {
        let Ok(functions) = functions() else { return };
        // SAFETY: the event was created for this command, and nobody else has it.
        let _ = unsafe { (functions.release_event)(self.0) };
    }
}

impl crate::profile::Timing for Command {
    fn poll(&mut self) -> crate::profile::Poll {
        use crate::profile::Poll;
        let Ok(functions) = functions() else { return Poll::Unknown };
        let status = property(functions.event_info, self.0, sys::CL_EVENT_COMMAND_EXECUTION_STATUS);
        match status.map(|bytes| number(&bytes) as i32) {
            Ok(CL_COMPLETE) => {}
            Ok(status) if status >= 0 => return Poll::Waiting,
            _ => return Poll::Unknown,
        }
        let moment =
            |which| property(functions.profiling_info, self.0, which).ok().map(|bytes| number(&bytes));
        let submitted = moment(sys::CL_PROFILING_COMMAND_QUEUED);
        let begin = moment(sys::CL_PROFILING_COMMAND_START);
        match (begin, moment(sys::CL_PROFILING_COMMAND_END)) {
            (Some(begin), Some(end)) => Poll::Took(
                submitted.map(|submitted| begin.saturating_sub(submitted)),
                end.saturating_sub(begin),
            ),
            _ => Poll::Unknown,
        }
    }
}

/// Events to wait for: none.
const NONE: (c_uint, *const cl_event) = (0, null());

impl Queue {
    /// Blocking copy to memory at a byte offset.
    pub(super) fn upload(&self, from: &[u8], to: &Memory, start: usize) -> Result<()> {
        let functions = functions()?;
        let (count, source) = (from.len(), from.as_ptr().cast());
        // SAFETY: queue and memory exist, OpenCL checks sizes; the call returns after reading the source.
        check(unsafe {
            (functions.write)(self.0, to.0, CL_BLOCKING, start, count, source, NONE.0, NONE.1, null_mut())
        })
    }

    /// Blocking copy from memory at a byte offset.
    pub(super) fn download(&self, from: &Memory, start: usize, to: &mut [u8]) -> Result<()> {
        let functions = functions()?;
        let (count, target) = (to.len(), to.as_mut_ptr().cast());
        // SAFETY: queue and memory exist, OpenCL checks sizes; the call returns after writing the target.
        check(unsafe {
            (functions.read)(self.0, from.0, CL_BLOCKING, start, count, target, NONE.0, NONE.1, null_mut())
        })
    }

    /// Copies between memory objects at byte offsets.
    pub(super) fn copy(&self, from: (&Memory, usize), to: (&Memory, usize), bytes: usize) -> Result<()> {
        let functions = functions()?;
        // SAFETY: queue and memories exist; OpenCL checks sizes.
        check(unsafe {
            (functions.copy)(self.0, from.0.0, to.0.0, from.1, to.1, bytes, NONE.0, NONE.1, null_mut())
        })
    }

    pub(super) fn fill(&self, memory: &Memory, byte: u8, bytes: usize) -> Result<()> {
        let functions = functions()?;
        let pattern = (&raw const byte).cast();
        // SAFETY: queue and memory exist; OpenCL checks sizes and copies the pattern.
        check(unsafe { (functions.fill)(self.0, memory.0, pattern, 1, 0, bytes, NONE.0, NONE.1, null_mut()) })
    }

    /// Enqueues a kernel with its current arguments.
    ///
    /// # Safety
    /// What the kernel does with its arguments at this size is allowed.
    pub(super) unsafe fn launch(
        &self,
        kernel: &Kernel,
        global: [usize; 3],
        local: [usize; 3],
    ) -> Result<Command> {
        let functions = functions()?;
        let (global, local) = (global.as_ptr(), local.as_ptr());
        let mut event = null_mut();
        // SAFETY: queue and kernel exist; both sizes have three numbers; the rest is guaranteed by the caller.
        check(unsafe {
            (functions.launch)(self.0, kernel.0, 3, null(), global, local, NONE.0, NONE.1, &raw mut event)
        })?;
        Ok(Command(event))
    }

    /// Submits the queued commands to the device.
    pub(super) fn flush(&self) -> Result<()> {
        let functions = functions()?;
        // SAFETY: the queue exists.
        check(unsafe { (functions.flush)(self.0) })
    }

    pub(super) fn finish(&self) -> Result<()> {
        let functions = functions()?;
        // SAFETY: the queue exists.
        check(unsafe { (functions.finish)(self.0) })
    }
}
