//! The functions of the CUDA driver as a table of pointers, and the classification of its error codes.
//!
//! The wrappers of the binding panic if the driver lacks a function, and return an enum, for which a code introduced by
//! a newer driver would be undefined behaviour. So this module resolves the symbols itself and takes status codes as
//! integers.

use super::super::Unavailable;
use super::sys;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

pub(super) use sys::{
    CUcontext, CUdevice, CUdeviceptr, CUevent, CUfunction, CUmemoryPool, CUmodule, CUstream,
};

/// The status code of a driver function.
pub(super) type Status = c_int;

pub(super) const SUCCESS: Status = 0;
const INVALID_VALUE: Status = 1;
const OUT_OF_MEMORY: Status = 2;

macro_rules! functions {
    (
        required { $($field:ident = $symbol:literal ($($arg:ty),*);)* }
        optional { $($late:ident = $name:literal ($($of:ty),*);)* }
    ) => {
        /// Driver functions, required and optional.
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "C" fn($($arg),*) -> Status,)*
            $(pub(super) $late: Option<unsafe extern "C" fn($($of),*) -> Status>,)*
        }

        impl Functions {
            fn load(library: &libloading::Library) -> Result<Functions, Unavailable> {
                Ok(Functions {
                    $($field: {
                        // SAFETY: the type is that of the function in the driver's interface of this version.
                        let found = unsafe { library.get($symbol.as_bytes()) };
                        *found.map_err(|_| Unavailable::new(concat!("the NVIDIA driver is too old: it has no ", $symbol)))?
                    },)*
                    $($late: {
                        // SAFETY: as above.
                        let found = unsafe { library.get($name.as_bytes()) };
                        found.ok().map(|symbol| *symbol)
                    },)*
                })
            }
        }
    };
}

functions! {
    required {
    init = "cuInit" (c_uint);
    driver_version = "cuDriverGetVersion" (*mut c_int);
    error_name = "cuGetErrorName" (Status, *mut *const c_char);
    error_text = "cuGetErrorString" (Status, *mut *const c_char);
    device_count = "cuDeviceGetCount" (*mut c_int);
    device = "cuDeviceGet" (*mut CUdevice, c_int);
    device_name = "cuDeviceGetName" (*mut c_char, c_int, CUdevice);
    device_memory = "cuDeviceTotalMem_v2" (*mut usize, CUdevice);
    device_attribute = "cuDeviceGetAttribute" (*mut c_int, c_int, CUdevice);
    retain_context = "cuDevicePrimaryCtxRetain" (*mut CUcontext, CUdevice);
    release_context = "cuDevicePrimaryCtxRelease_v2" (CUdevice);
    reset_context = "cuDevicePrimaryCtxReset_v2" (CUdevice);
    set_context = "cuCtxSetCurrent" (CUcontext);
    memory_info = "cuMemGetInfo_v2" (*mut usize, *mut usize);
    allocate = "cuMemAlloc_v2" (*mut CUdeviceptr, usize);
    free = "cuMemFree_v2" (CUdeviceptr);
    allocate_host = "cuMemHostAlloc" (*mut *mut c_void, usize, c_uint);
    free_host = "cuMemFreeHost" (*mut c_void);
    register_host = "cuMemHostRegister_v2" (*mut c_void, usize, c_uint);
    unregister_host = "cuMemHostUnregister" (*mut c_void);
    host_address = "cuMemHostGetDevicePointer_v2" (*mut CUdeviceptr, *mut c_void, c_uint);
    upload = "cuMemcpyHtoDAsync_v2" (CUdeviceptr, *const c_void, usize, CUstream);
    download = "cuMemcpyDtoHAsync_v2" (*mut c_void, CUdeviceptr, usize, CUstream);
    copy = "cuMemcpyDtoDAsync_v2" (CUdeviceptr, CUdeviceptr, usize, CUstream);
    copy_peer = "cuMemcpyPeerAsync" (CUdeviceptr, CUcontext, CUdeviceptr, CUcontext, usize, CUstream);
    can_access_peer = "cuDeviceCanAccessPeer" (*mut c_int, CUdevice, CUdevice);
    enable_peer_access = "cuCtxEnablePeerAccess" (CUcontext, c_uint);
    fill = "cuMemsetD8Async" (CUdeviceptr, u8, usize, CUstream);
    create_stream = "cuStreamCreate" (*mut CUstream, c_uint);
    synchronize = "cuStreamSynchronize" (CUstream);
    destroy_stream = "cuStreamDestroy_v2" (CUstream);
    create_event = "cuEventCreate" (*mut CUevent, c_uint);
    record_event = "cuEventRecord" (CUevent, CUstream);
    wait_event = "cuEventSynchronize" (CUevent);
    query_event = "cuEventQuery" (CUevent);
    wait_for_event = "cuStreamWaitEvent" (CUstream, CUevent, c_uint);
    destroy_event = "cuEventDestroy_v2" (CUevent);
    load_module = "cuModuleLoadDataEx" (*mut CUmodule, *const c_void, c_uint, *mut c_int, *mut *mut c_void);
    unload_module = "cuModuleUnload" (CUmodule);
    function = "cuModuleGetFunction" (*mut CUfunction, CUmodule, *const c_char);
    variable = "cuModuleGetGlobal_v2" (*mut CUdeviceptr, *mut usize, CUmodule, *const c_char);
    function_attribute = "cuFuncGetAttribute" (*mut c_int, c_int, CUfunction);
    set_function_attribute = "cuFuncSetAttribute" (CUfunction, c_int, c_int);
    launch = "cuLaunchKernel" (
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void, *mut *mut c_void
    );
    resident_blocks = "cuOccupancyMaxActiveBlocksPerMultiprocessor" (*mut c_int, CUfunction, c_int, usize);
    launch_cooperative = "cuLaunchCooperativeKernel" (
        CUfunction, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, CUstream, *mut *mut c_void
    );
    }
    optional {
    create_pool = "cuMemPoolCreate" (*mut CUmemoryPool, *const sys::CUmemPoolProps);
    set_pool_attribute = "cuMemPoolSetAttribute" (CUmemoryPool, c_int, *mut c_void);
    trim_pool = "cuMemPoolTrimTo" (CUmemoryPool, usize);
    destroy_pool = "cuMemPoolDestroy" (CUmemoryPool);
    set_pool_access = "cuMemPoolSetAccess" (CUmemoryPool, *const sys::CUmemAccessDesc, usize);
    allocate_from_pool = "cuMemAllocFromPoolAsync" (*mut CUdeviceptr, usize, CUmemoryPool, CUstream);
    free_async = "cuMemFreeAsync" (CUdeviceptr, CUstream);
    create_graph = "cuGraphCreate" (*mut sys::CUgraph, c_uint);
    destroy_graph = "cuGraphDestroy" (sys::CUgraph);
    add_kernel_node = "cuGraphAddKernelNode_v2" (
        *mut sys::CUgraphNode, sys::CUgraph, *const sys::CUgraphNode, usize, *const sys::CUDA_KERNEL_NODE_PARAMS_v2
    );
    instantiate_graph = "cuGraphInstantiateWithFlags" (*mut sys::CUgraphExec, sys::CUgraph, u64);
    set_kernel_node = "cuGraphExecKernelNodeSetParams_v2" (
        sys::CUgraphExec, sys::CUgraphNode, *const sys::CUDA_KERNEL_NODE_PARAMS_v2
    );
    launch_graph = "cuGraphLaunch" (sys::CUgraphExec, CUstream);
    destroy_graph_exec = "cuGraphExecDestroy" (sys::CUgraphExec);
    elapsed = "cuEventElapsedTime" (*mut f32, CUevent, CUevent);
    parameter = "cuFuncGetParamInfo" (CUfunction, usize, *mut usize, *mut usize);
    }
}

/// The names of the driver's library.
#[cfg(not(windows))]
const NAMES: [&str; 2] = ["libcuda.so", "libcuda.so.1"];
#[cfg(windows)]
const NAMES: [&str; 1] = ["nvcuda.dll"];

/// The initialised driver, looked for once.
pub(super) fn functions() -> Result<&'static Functions, Unavailable> {
    static DRIVER: OnceLock<Result<Functions, Unavailable>> = OnceLock::new();
    DRIVER.get_or_init(load).as_ref().map_err(Clone::clone)
}

fn load() -> Result<Functions, Unavailable> {
    let library = quasar_compiled::libraries::loaded_by_name(&NAMES);
    let library =
        library.ok_or_else(|| Unavailable::new("there is no NVIDIA driver (libcuda was not found)"))?;
    let functions = Functions::load(library)?;
    // SAFETY: the only flag is 0.
    let status = unsafe { (functions.init)(0) };
    if status == SUCCESS { Ok(functions) } else { Err(Unavailable::new(functions.message(status))) }
}

impl Functions {
    /// `an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)`
    pub(super) fn message(&self, status: Status) -> String {
        let ask = |ask: unsafe extern "C" fn(Status, *mut *const c_char) -> Status| {
            let mut text = std::ptr::null();
            // SAFETY: the function writes one pointer, for unknown numbers a null pointer.
            if unsafe { ask(status, &raw mut text) } != SUCCESS || text.is_null() {
                return None;
            }
            // SAFETY: the driver returned a string that it keeps for ever.
            Some(unsafe { CStr::from_ptr(text) }.to_string_lossy())
        };
        match (ask(self.error_text), ask(self.error_name)) {
            (Some(text), Some(name)) => format!("{text} ({name})"),
            _ => format!("error {status} of the NVIDIA driver"),
        }
    }

    /// Whether the driver has the functions for graphs.
    pub(super) fn has_graphs(&self) -> bool {
        self.create_graph.is_some()
            && self.destroy_graph.is_some()
            && self.add_kernel_node.is_some()
            && self.instantiate_graph.is_some()
            && self.set_kernel_node.is_some()
            && self.launch_graph.is_some()
            && self.destroy_graph_exec.is_some()
    }

    /// The CUDA version that the driver supports: 13000 is 13.0.
    pub(super) fn version(&self) -> c_int {
        let mut version = 0;
        // SAFETY: the function writes one integer.
        match unsafe { (self.driver_version)(&raw mut version) } {
            SUCCESS => version,
            _ => 0,
        }
    }

    /// An attribute of a device; 0 if the driver does not know it.
    pub(super) fn attribute(&self, device: CUdevice, attribute: sys::CUdevice_attribute) -> c_int {
        let mut value = 0;
        // SAFETY: the function writes one integer; unknown attributes are an error.
        match unsafe { (self.device_attribute)(&raw mut value, attribute as c_int, device) } {
            SUCCESS => value,
            _ => 0,
        }
    }
}

/// The consequence of an error for later calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Severity {
    /// Only this call failed.
    Call,
    /// Out of memory.
    Memory,
    /// The context is unusable, and its memory is lost.
    Fatal,
}

/// Classifies a status code.
pub(super) fn severity(status: Status) -> Severity {
    match status {
        OUT_OF_MEMORY => Severity::Memory,
        // CUDA_ERROR_DEINITIALIZED, _DEVICE_UNAVAILABLE, _CONTEXT_IS_DESTROYED
        4 | 46 | 709 |
        // _ECC_UNCORRECTABLE, _NVLINK_UNCORRECTABLE, _CONTAINED
        214 | 220 | 226 |
        // _ILLEGAL_ADDRESS, _LAUNCH_TIMEOUT, _ASSERT, _HARDWARE_STACK_ERROR, _ILLEGAL_INSTRUCTION,
        // _MISALIGNED_ADDRESS, _INVALID_ADDRESS_SPACE, _INVALID_PC, _LAUNCH_FAILED, _TENSOR_MEMORY_LEAK
        700 | 702 | 710 | 714..=719 | 721 |
        // _EXTERNAL_DEVICE, _UNKNOWN
        911 | 999 => Severity::Fatal,
        _ => Severity::Call,
    }
}

/// Whether an index was out of range in an enumeration.
pub(super) fn is_past_end(status: Status) -> bool {
    status == INVALID_VALUE
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys::CUresult;

    /// An old driver lacks some functions, and this library lacks all.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_driver_without_a_function_is_a_reason() {
        // SAFETY: a library of the system, which is loaded already.
        let Ok(library) = (unsafe { libloading::Library::new("libc.so.6") }) else { return };
        let reason = Functions::load(&library).err().map(|unavailable| unavailable.reason);
        assert_eq!(reason.as_deref(), Some("the NVIDIA driver is too old: it has no cuInit"));
    }

    #[test]
    fn severities_are_those_of_the_named_errors() {
        let of = |status: CUresult| severity(status as Status);
        assert_eq!(of(CUresult::CUDA_ERROR_OUT_OF_MEMORY), Severity::Memory);
        for fatal in [
            CUresult::CUDA_ERROR_DEINITIALIZED,
            CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE,
            CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED,
            CUresult::CUDA_ERROR_ECC_UNCORRECTABLE,
            CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE,
            CUresult::CUDA_ERROR_CONTAINED,
            CUresult::CUDA_ERROR_ILLEGAL_ADDRESS,
            CUresult::CUDA_ERROR_LAUNCH_TIMEOUT,
            CUresult::CUDA_ERROR_ASSERT,
            CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR,
            CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION,
            CUresult::CUDA_ERROR_MISALIGNED_ADDRESS,
            CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE,
            CUresult::CUDA_ERROR_INVALID_PC,
            CUresult::CUDA_ERROR_LAUNCH_FAILED,
            CUresult::CUDA_ERROR_TENSOR_MEMORY_LEAK,
            CUresult::CUDA_ERROR_EXTERNAL_DEVICE,
            CUresult::CUDA_ERROR_UNKNOWN,
        ] {
            assert_eq!(of(fatal), Severity::Fatal, "{fatal:?}");
        }
        for harmless in [
            CUresult::CUDA_ERROR_INVALID_VALUE,
            CUresult::CUDA_ERROR_NOT_FOUND,
            CUresult::CUDA_ERROR_INVALID_IMAGE,
            CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU,
            CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
            CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE,
        ] {
            assert_eq!(of(harmless), Severity::Call, "{harmless:?}");
        }
        assert!(is_past_end(CUresult::CUDA_ERROR_INVALID_VALUE as Status));
        assert_eq!(CUresult::CUDA_SUCCESS as Status, SUCCESS);
    }
}
