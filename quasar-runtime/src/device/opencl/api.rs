//! Safe wrappers of the OpenCL functions in use: owned objects, and results with error codes.

use opencl3::command_queue as queues;
use opencl3::context::context as contexts;
use opencl3::device as devices;
use opencl3::error_codes::{DLOPEN_RUNTIME_LOAD_FAILED, error_text};
use opencl3::kernel as kernels;
use opencl3::memory as memories;
use opencl3::program as programs;
use opencl3::types::{
    CL_BLOCKING, cl_command_queue, cl_context, cl_device_id, cl_event, cl_kernel, cl_mem, cl_program,
};
use std::ffi::{CStr, c_void};
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
        [Code(DLOPEN_RUNTIME_LOAD_FAILED), Code::NO_PLATFORM].contains(&self)
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", error_text(self.0), self.0)
    }
}

pub(super) type Result<T> = std::result::Result<T, Code>;

macro_rules! object {
    ($(#[$doc:meta])* $name:ident($raw:ty), $release:path) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub(super) struct $name($raw);

        // SAFETY: OpenCL objects may be used from any thread (kernels excepted, see `Kernel`).
        unsafe impl Send for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the object was created for this owner and is released only here.
                let _ = unsafe { $release(self.0) };
            }
        }
    };
}

object!(
    /// The context of one device.
    Context(cl_context), contexts::release_context
);
object!(
    /// An in-order command queue.
    Queue(cl_command_queue), queues::release_command_queue
);
object!(
    /// A memory object; OpenCL frees it once pending commands no longer use it.
    Memory(cl_mem), memories::release_mem_object
);
object!(
    /// A program.
    Program(cl_program), programs::release_program
);
object!(
    /// A kernel with its arguments: not for concurrent use.
    Kernel(cl_kernel), kernels::release_kernel
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
        let platforms = opencl3::platform::platform::get_platform_ids().map_err(Code)?;
        let mut found = Vec::new();
        for platform in platforms {
            match devices::get_device_ids(platform, devices::CL_DEVICE_TYPE_ALL) {
                Ok(ids) => found.extend(ids.into_iter().map(DeviceId)),
                // A platform without devices is not an error.
                Err(code) if Code(code) == Code::NOT_FOUND => {}
                Err(code) => return Err(Code(code)),
            }
        }
        Ok(found)
    }

    /// A numeric property; 0 if the device does not know it.
    pub(super) fn number(self, property: u32) -> u64 {
        devices::get_device_data(self.0, property).map_or(0, |bytes| number(&bytes))
    }

    /// A property that is a list of sizes.
    pub(super) fn sizes(self, property: u32) -> Vec<u64> {
        let bytes = devices::get_device_data(self.0, property).unwrap_or_default();
        bytes.chunks_exact(size_of::<usize>()).map(number).collect()
    }

    /// A property that is a string.
    pub(super) fn text(self, property: u32) -> String {
        devices::get_device_data(self.0, property).map_or_else(|_| String::new(), |bytes| text(&bytes))
    }
}

impl Context {
    pub(super) fn new(device: DeviceId) -> Result<Context> {
        contexts::create_context(&[device.0], null(), None, null_mut()).map(Context).map_err(Code)
    }

    pub(super) fn queue(&self, device: DeviceId) -> Result<Queue> {
        // Times of commands may cost something, so that they are asked for where somebody measures.
        let properties = if crate::profile::is_on() { queues::CL_QUEUE_PROFILING_ENABLE } else { 0 };
        // SAFETY: context and device exist; without the property for it the queue is in order.
        unsafe { queues::create_command_queue(self.0, device.0, properties) }.map(Queue).map_err(Code)
    }

    pub(super) fn memory(&self, bytes: usize) -> Result<Memory> {
        // SAFETY: the context exists; without host memory there is no pointer to be valid.
        let memory =
            unsafe { memories::create_buffer(self.0, memories::CL_MEM_READ_WRITE, bytes, null_mut()) };
        memory.map(Memory).map_err(Code)
    }

    /// Creates a program from source.
    pub(super) fn program(&self, text: &str) -> Result<Program> {
        programs::create_program_with_source(self.0, &[text]).map(Program).map_err(Code)
    }

    /// Creates a program from a binary of [`Program::image`].
    pub(super) fn program_from_image(&self, device: DeviceId, image: &[u8]) -> Result<Program> {
        // SAFETY: context and device exist and belong together; the function copies the image and checks it.
        unsafe { programs::create_program_with_binary(self.0, &[device.0], &[image]) }
            .map(Program)
            .map_err(Code)
    }
}

impl Program {
    /// Compiles the program. An error contains the build log.
    pub(super) fn build(&self, device: DeviceId, options: &CStr) -> std::result::Result<(), String> {
        programs::build_program(self.0, &[device.0], options, None, null_mut()).map_err(|code| {
            let log = programs::get_program_build_data(self.0, device.0, programs::CL_PROGRAM_BUILD_LOG);
            let log = log.map_or_else(|_| String::new(), |bytes| text(&bytes));
            if log.is_empty() { Code(code).to_string() } else { log }
        })
    }

    /// The compiled binary for the disk cache; `None` if the driver has none.
    pub(super) fn image(&self) -> Option<Vec<u8>> {
        let images: Vec<Vec<u8>> =
            programs::get_program_info(self.0, programs::CL_PROGRAM_BINARIES).ok()?.into();
        images.into_iter().next().filter(|image| !image.is_empty())
    }

    pub(super) fn kernel(&self, entry: &CStr) -> Result<Kernel> {
        kernels::create_kernel(self.0, entry).map(Kernel).map_err(Code)
    }
}

impl Kernel {
    /// The number of parameters.
    pub(super) fn parameters(&self) -> Result<usize> {
        let bytes = kernels::get_kernel_data(self.0, kernels::CL_KERNEL_NUM_ARGS).map_err(Code)?;
        Ok(usize::try_from(number(&bytes)).unwrap_or(0))
    }

    /// A work-group property of the kernel; 0 if the device does not know it.
    pub(super) fn number(&self, device: DeviceId, property: u32) -> u32 {
        let bytes = kernels::get_kernel_work_group_data(self.0, device.0, property).unwrap_or_default();
        u32::try_from(number(&bytes)).unwrap_or(u32::MAX)
    }

    fn set(&self, k: usize, bytes: usize, value: *const c_void) -> Result<()> {
        let k = u32::try_from(k).unwrap_or(u32::MAX);
        // SAFETY: the kernel exists and the caller passes a pointer to so many bytes, or null for local memory. OpenCL
        // compares the size with the parameter's and copies the value.
        unsafe { kernels::set_kernel_arg(self.0, k, bytes, value) }.map_err(Code)
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
        // SAFETY: the event was created for this command, and nobody else has it.
        let _ = unsafe { opencl3::event::release_event(self.0) };
    }
}

impl crate::profile::Timing for Command {
    fn poll(&mut self) -> crate::profile::Poll {
        use crate::profile::Poll;
        use opencl3::event as events;
        let status = events::get_event_data(self.0, events::CL_EVENT_COMMAND_EXECUTION_STATUS);
        match status.map(|bytes| number(&bytes) as i32) {
            Ok(events::CL_COMPLETE) => {}
            Ok(status) if status >= 0 => return Poll::Waiting,
            _ => return Poll::Unknown,
        }
        let moment = |which| events::get_event_profiling_data(self.0, which).ok().map(|bytes| number(&bytes));
        let submitted = moment(events::CL_PROFILING_COMMAND_QUEUED);
        let begin = moment(events::CL_PROFILING_COMMAND_START);
        match (begin, moment(events::CL_PROFILING_COMMAND_END)) {
            (Some(begin), Some(end)) => Poll::Took(
                submitted.map(|submitted| begin.saturating_sub(submitted)),
                end.saturating_sub(begin),
            ),
            _ => Poll::Unknown,
        }
    }
}

/// Drops the event of a command.
fn forget(event: std::result::Result<cl_event, i32>) -> Result<()> {
    let event = event.map_err(Code)?;
    // SAFETY: the event was created here and is not used any more.
    let _ = unsafe { opencl3::event::release_event(event) };
    Ok(())
}

impl Queue {
    /// Blocking copy to memory at a byte offset.
    pub(super) fn upload(&self, from: &[u8], to: &Memory, start: usize) -> Result<()> {
        let (count, source) = (from.len(), from.as_ptr().cast());
        // SAFETY: queue and memory exist, OpenCL checks sizes; the call returns after reading the source.
        forget(unsafe {
            queues::enqueue_write_buffer(self.0, to.0, CL_BLOCKING, start, count, source, 0, null())
        })
    }

    /// Blocking copy from memory at a byte offset.
    pub(super) fn download(&self, from: &Memory, start: usize, to: &mut [u8]) -> Result<()> {
        let (count, target) = (to.len(), to.as_mut_ptr().cast());
        // SAFETY: queue and memory exist, OpenCL checks sizes; the call returns after writing the target.
        forget(unsafe {
            queues::enqueue_read_buffer(self.0, from.0, CL_BLOCKING, start, count, target, 0, null())
        })
    }

    /// Copies between memory objects at byte offsets.
    pub(super) fn copy(&self, from: (&Memory, usize), to: (&Memory, usize), bytes: usize) -> Result<()> {
        // SAFETY: queue and memories exist; OpenCL checks sizes.
        forget(unsafe {
            queues::enqueue_copy_buffer(self.0, from.0.0, to.0.0, from.1, to.1, bytes, 0, null())
        })
    }

    pub(super) fn fill(&self, memory: &Memory, byte: u8, bytes: usize) -> Result<()> {
        let pattern = (&raw const byte).cast();
        // SAFETY: queue and memory exist; OpenCL checks sizes and copies the pattern.
        forget(unsafe { queues::enqueue_fill_buffer(self.0, memory.0, pattern, 1, 0, bytes, 0, null()) })
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
        let (global, local) = (global.as_ptr(), local.as_ptr());
        // SAFETY: queue and kernel exist; both sizes have three numbers; the rest is guaranteed by the caller.
        let event =
            unsafe { queues::enqueue_nd_range_kernel(self.0, kernel.0, 3, null(), global, local, 0, null()) };
        event.map(Command).map_err(Code)
    }

    /// Submits the queued commands to the device.
    pub(super) fn flush(&self) -> Result<()> {
        queues::flush(self.0).map_err(Code)
    }

    pub(super) fn finish(&self) -> Result<()> {
        queues::finish(self.0).map_err(Code)
    }
}
