//! What the interface of OpenCL 1.2 declares, as far as it is used here: handles, numbers and functions, under their names there, and
//! the library that has them.
//!
//! Packages with all of it take 4 processor seconds of each build for nothing more. Tests compare with those.

#![allow(non_camel_case_types, reason = "names of the interface")]

use libloading::Library;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};
use std::sync::OnceLock;

macro_rules! handles {
    ($($name:ident)*) => {
        $(pub(super) type $name = *mut c_void;)*
    };
}
handles!(cl_command_queue cl_context cl_device_id cl_event cl_kernel cl_mem cl_platform_id cl_program);

/// A status, of which those that are no success are negative.
pub(super) type Status = c_int;

pub(super) const CL_SUCCESS: Status = 0;
/// The library was not found.
pub(super) const NO_LIBRARY: Status = Status::MIN;
/// The library lacks a function.
const NO_FUNCTION: Status = Status::MIN + 1;

pub(super) const CL_COMPLETE: Status = 0;
pub(super) const CL_BLOCKING: c_uint = 1;

macro_rules! numbers {
    ($($name:ident: $kind:ty = $value:expr, in $module:ident;)*) => {
        $(pub(super) const $name: $kind = $value;)*

        #[cfg(test)]
        #[test]
        fn numbers_are_those_of_the_interface() {
            $(assert_eq!($name, opencl3::$module::$name, stringify!($name));)*
        }
    };
}

numbers! {
    CL_DEVICE_TYPE_CPU: u64 = 1 << 1, in device;
    CL_DEVICE_TYPE_GPU: u64 = 1 << 2, in device;
    CL_DEVICE_TYPE_ALL: u64 = 0xffff_ffff, in device;
    CL_QUEUE_PROFILING_ENABLE: u64 = 1 << 1, in command_queue;
    CL_MEM_READ_WRITE: u64 = 1, in memory;
    CL_DEVICE_TYPE: c_uint = 0x1000, in device;
    CL_DEVICE_MAX_COMPUTE_UNITS: c_uint = 0x1002, in device;
    CL_DEVICE_MAX_WORK_GROUP_SIZE: c_uint = 0x1004, in device;
    CL_DEVICE_MAX_WORK_ITEM_SIZES: c_uint = 0x1005, in device;
    CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: c_uint = 0x101e, in device;
    CL_DEVICE_GLOBAL_MEM_SIZE: c_uint = 0x101f, in device;
    CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: c_uint = 0x1020, in device;
    CL_DEVICE_LOCAL_MEM_SIZE: c_uint = 0x1023, in device;
    CL_DEVICE_AVAILABLE: c_uint = 0x1027, in device;
    CL_DEVICE_COMPILER_AVAILABLE: c_uint = 0x1028, in device;
    CL_DEVICE_NAME: c_uint = 0x102b, in device;
    CL_DEVICE_VENDOR: c_uint = 0x102c, in device;
    CL_DRIVER_VERSION: c_uint = 0x102d, in device;
    CL_DEVICE_VERSION: c_uint = 0x102f, in device;
    CL_DEVICE_DOUBLE_FP_CONFIG: c_uint = 0x1032, in device;
    CL_DEVICE_OPENCL_C_VERSION: c_uint = 0x103d, in device;
    CL_PROGRAM_BINARY_SIZES: c_uint = 0x1165, in program;
    CL_PROGRAM_BINARIES: c_uint = 0x1166, in program;
    CL_PROGRAM_BUILD_LOG: c_uint = 0x1183, in program;
    CL_KERNEL_NUM_ARGS: c_uint = 0x1191, in kernel;
    CL_KERNEL_WORK_GROUP_SIZE: c_uint = 0x11b0, in kernel;
    CL_KERNEL_LOCAL_MEM_SIZE: c_uint = 0x11b2, in kernel;
    CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE: c_uint = 0x11b3, in kernel;
    CL_EVENT_COMMAND_EXECUTION_STATUS: c_uint = 0x11d3, in event;
    CL_PROFILING_COMMAND_QUEUED: c_uint = 0x1280, in event;
    CL_PROFILING_COMMAND_START: c_uint = 0x1282, in event;
    CL_PROFILING_COMMAND_END: c_uint = 0x1283, in event;
}

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($arg:ty),* $(,)?) -> $result:ty;)*) => {
        /// The functions of the library.
        pub(super) struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($arg),*) -> $result,)*
        }

        impl Functions {
            fn load(library: &Library) -> Result<Functions, libloading::Error> {
                Ok(Functions {
                    // SAFETY: the types are those of the functions in the interface.
                    $($name: *unsafe { library.get($symbol.as_bytes()) }?,)*
                })
            }
        }
    };
}

/// A function that writes a property of an object: which one, room for it in bytes, where, and how many bytes it has.
pub(super) type Property =
    unsafe extern "C" fn(*mut c_void, c_uint, usize, *mut c_void, *mut usize) -> Status;
/// The same for what a device knows of an object.
pub(super) type DeviceProperty =
    unsafe extern "C" fn(*mut c_void, cl_device_id, c_uint, usize, *mut c_void, *mut usize) -> Status;

/// A callback, of which there is none here.
pub(super) type Notify = *const c_void;

functions! {
    platforms = "clGetPlatformIDs" (c_uint, *mut cl_platform_id, *mut c_uint) -> Status;
    devices = "clGetDeviceIDs" (cl_platform_id, u64, c_uint, *mut cl_device_id, *mut c_uint) -> Status;
    device_info = "clGetDeviceInfo" (*mut c_void, c_uint, usize, *mut c_void, *mut usize) -> Status;
    create_context = "clCreateContext"
        (*const isize, c_uint, *const cl_device_id, Notify, *mut c_void, *mut Status) -> cl_context;
    release_context = "clReleaseContext" (cl_context) -> Status;
    create_queue = "clCreateCommandQueue" (cl_context, cl_device_id, u64, *mut Status) -> cl_command_queue;
    release_queue = "clReleaseCommandQueue" (cl_command_queue) -> Status;
    create_buffer = "clCreateBuffer" (cl_context, u64, usize, *mut c_void, *mut Status) -> cl_mem;
    release_memory = "clReleaseMemObject" (cl_mem) -> Status;
    create_program = "clCreateProgramWithSource"
        (cl_context, c_uint, *const *const c_char, *const usize, *mut Status) -> cl_program;
    create_program_from_image = "clCreateProgramWithBinary"
        (cl_context, c_uint, *const cl_device_id, *const usize, *const *const c_uchar, *mut Status, *mut Status) -> cl_program;
    release_program = "clReleaseProgram" (cl_program) -> Status;
    build_program = "clBuildProgram"
        (cl_program, c_uint, *const cl_device_id, *const c_char, Notify, *mut c_void) -> Status;
    program_info = "clGetProgramInfo" (*mut c_void, c_uint, usize, *mut c_void, *mut usize) -> Status;
    build_info = "clGetProgramBuildInfo"
        (*mut c_void, cl_device_id, c_uint, usize, *mut c_void, *mut usize) -> Status;
    create_kernel = "clCreateKernel" (cl_program, *const c_char, *mut Status) -> cl_kernel;
    release_kernel = "clReleaseKernel" (cl_kernel) -> Status;
    kernel_info = "clGetKernelInfo" (*mut c_void, c_uint, usize, *mut c_void, *mut usize) -> Status;
    work_group_info = "clGetKernelWorkGroupInfo"
        (*mut c_void, cl_device_id, c_uint, usize, *mut c_void, *mut usize) -> Status;
    set_argument = "clSetKernelArg" (cl_kernel, c_uint, usize, *const c_void) -> Status;
    event_info = "clGetEventInfo" (*mut c_void, c_uint, usize, *mut c_void, *mut usize) -> Status;
    profiling_info = "clGetEventProfilingInfo" (*mut c_void, c_uint, usize, *mut c_void, *mut usize) -> Status;
    release_event = "clReleaseEvent" (cl_event) -> Status;
    write = "clEnqueueWriteBuffer"
        (cl_command_queue, cl_mem, c_uint, usize, usize, *const c_void, c_uint, *const cl_event, *mut cl_event) -> Status;
    read = "clEnqueueReadBuffer"
        (cl_command_queue, cl_mem, c_uint, usize, usize, *mut c_void, c_uint, *const cl_event, *mut cl_event) -> Status;
    copy = "clEnqueueCopyBuffer"
        (cl_command_queue, cl_mem, cl_mem, usize, usize, usize, c_uint, *const cl_event, *mut cl_event) -> Status;
    fill = "clEnqueueFillBuffer"
        (cl_command_queue, cl_mem, *const c_void, usize, usize, usize, c_uint, *const cl_event, *mut cl_event) -> Status;
    launch = "clEnqueueNDRangeKernel"
        (cl_command_queue, cl_kernel, c_uint, *const usize, *const usize, *const usize, c_uint, *const cl_event, *mut cl_event)
        -> Status;
    flush = "clFlush" (cl_command_queue) -> Status;
    finish = "clFinish" (cl_command_queue) -> Status;
}

/// The library, loaded once for the life of the process: from a file that the environment names, or as the system finds it.
pub(super) fn functions() -> Result<&'static Functions, Status> {
    static FOUND: OnceLock<Result<Functions, Status>> = OnceLock::new();
    FOUND.get_or_init(load).as_ref().map_err(|status| *status)
}

fn load() -> Result<Functions, Status> {
    const NAME: &str = if cfg!(windows) {
        "OpenCL.dll"
    } else if cfg!(target_os = "macos") {
        "/System/Library/Frameworks/OpenCL.framework/OpenCL"
    } else {
        "libOpenCL.so.1"
    };
    let named = std::env::var("OPENCL_DYLIB_PATH").unwrap_or_default();
    let names = named.split(';').filter(|name| !name.is_empty()).chain([NAME]);
    // SAFETY: loading OpenCL runs its start-up code, as in every program that uses it.
    let library = names.into_iter().find_map(|name| unsafe { Library::new(name) }.ok()).ok_or(NO_LIBRARY)?;
    let functions = Functions::load(&library).map_err(|_| NO_FUNCTION);
    // The functions are used as long as the process lives.
    std::mem::forget(library);
    functions
}

/// The name of a status.
pub(super) fn name(status: Status) -> &'static str {
    /// From -1 on.
    const FAILURES: [&str; 19] = [
        "CL_DEVICE_NOT_FOUND",
        "CL_DEVICE_NOT_AVAILABLE",
        "CL_COMPILER_NOT_AVAILABLE",
        "CL_MEM_OBJECT_ALLOCATION_FAILURE",
        "CL_OUT_OF_RESOURCES",
        "CL_OUT_OF_HOST_MEMORY",
        "CL_PROFILING_INFO_NOT_AVAILABLE",
        "CL_MEM_COPY_OVERLAP",
        "CL_IMAGE_FORMAT_MISMATCH",
        "CL_IMAGE_FORMAT_NOT_SUPPORTED",
        "CL_BUILD_PROGRAM_FAILURE",
        "CL_MAP_FAILURE",
        "CL_MISALIGNED_SUB_BUFFER_OFFSET",
        "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST",
        "CL_COMPILE_PROGRAM_FAILURE",
        "CL_LINKER_NOT_AVAILABLE",
        "CL_LINK_PROGRAM_FAILURE",
        "CL_DEVICE_PARTITION_FAILED",
        "CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
    ];
    /// From -30 on.
    const INVALID: [&str; 42] = [
        "CL_INVALID_VALUE",
        "CL_INVALID_DEVICE_TYPE",
        "CL_INVALID_PLATFORM",
        "CL_INVALID_DEVICE",
        "CL_INVALID_CONTEXT",
        "CL_INVALID_QUEUE_PROPERTIES",
        "CL_INVALID_COMMAND_QUEUE",
        "CL_INVALID_HOST_PTR",
        "CL_INVALID_MEM_OBJECT",
        "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
        "CL_INVALID_IMAGE_SIZE",
        "CL_INVALID_SAMPLER",
        "CL_INVALID_BINARY",
        "CL_INVALID_BUILD_OPTIONS",
        "CL_INVALID_PROGRAM",
        "CL_INVALID_PROGRAM_EXECUTABLE",
        "CL_INVALID_KERNEL_NAME",
        "CL_INVALID_KERNEL_DEFINITION",
        "CL_INVALID_KERNEL",
        "CL_INVALID_ARG_INDEX",
        "CL_INVALID_ARG_VALUE",
        "CL_INVALID_ARG_SIZE",
        "CL_INVALID_KERNEL_ARGS",
        "CL_INVALID_WORK_DIMENSION",
        "CL_INVALID_WORK_GROUP_SIZE",
        "CL_INVALID_WORK_ITEM_SIZE",
        "CL_INVALID_GLOBAL_OFFSET",
        "CL_INVALID_EVENT_WAIT_LIST",
        "CL_INVALID_EVENT",
        "CL_INVALID_OPERATION",
        "CL_INVALID_GL_OBJECT",
        "CL_INVALID_BUFFER_SIZE",
        "CL_INVALID_MIP_LEVEL",
        "CL_INVALID_GLOBAL_WORK_SIZE",
        "CL_INVALID_PROPERTY",
        "CL_INVALID_IMAGE_DESCRIPTOR",
        "CL_INVALID_COMPILER_OPTIONS",
        "CL_INVALID_LINKER_OPTIONS",
        "CL_INVALID_DEVICE_PARTITION_COUNT",
        "CL_INVALID_PIPE_SIZE",
        "CL_INVALID_DEVICE_QUEUE",
        "CL_INVALID_SPEC_ID",
    ];
    let behind = |first: Status| status.abs_diff(first) as usize;
    match status {
        CL_SUCCESS => "CL_SUCCESS",
        -19..=-1 => FAILURES.get(behind(-1)).copied().unwrap_or_default(),
        -71..=-30 => INVALID.get(behind(-30)).copied().unwrap_or_default(),
        -1001 => "CL_PLATFORM_NOT_FOUND_KHR",
        NO_LIBRARY => "the library was not found",
        NO_FUNCTION => "the library lacks a function",
        _ => "UNKNOWN_ERROR",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_interface() {
        for status in (-71..=0).chain([-1001, 5]) {
            assert_eq!(name(status), opencl3::error_codes::error_text(status), "{status}");
        }
    }

    #[test]
    fn the_library_has_all_functions_if_there_is_one() {
        assert!(!matches!(functions().map(|_| ()), Err(NO_FUNCTION)));
    }
}
