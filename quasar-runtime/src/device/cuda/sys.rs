//! What the interface of the CUDA driver declares, as far as it is used here: handles, structures and numbers, under their names there.
//!
//! The package with all of it takes 7 processor seconds of each build for nothing more. Tests compare with that.

#![allow(
    non_camel_case_types,
    non_snake_case,
    clippy::upper_case_acronyms,
    reason = "names of the driver's interface"
)]

use std::ffi::{c_int, c_uchar, c_uint, c_ushort, c_void};

macro_rules! handles {
    ($($name:ident)*) => {
        $(pub(crate) type $name = *mut c_void;)*
    };
}
handles!(CUcontext CUevent CUfunction CUgraph CUgraphExec CUgraphNode CUkernel CUmemoryPool CUmodule CUstream);

pub(crate) type CUdevice = c_int;
pub(crate) type CUdeviceptr = u64;

macro_rules! numbers {
    ($(enum $name:ident { $($number:ident = $value:literal,)* })*) => {
        $(#[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(i32)]
        pub(crate) enum $name {
            $($number = $value,)*
        })*

        #[cfg(test)]
        #[test]
        fn numbers_are_those_of_the_interface() {
            use cudarc::driver::sys;
            $($(assert_eq!($name::$number as i64, sys::$name::$number as i64, stringify!($number));)*)*
        }
    };
}

numbers! {
    enum CUdevice_attribute {
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
        CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
        CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
        CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
        CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
        CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
    }
    enum CUfunction_attribute {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
        CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
        CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    }
    enum CUjit_option {
        CU_JIT_ERROR_LOG_BUFFER = 5,
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    }
    enum CUmemAllocationType {
        CU_MEM_ALLOCATION_TYPE_PINNED = 1,
    }
    enum CUmemLocationType {
        CU_MEM_LOCATION_TYPE_DEVICE = 1,
    }
    enum CUmemPool_attribute {
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
    }
    enum CUmemAccess_flags {
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
    }
}

/// `CU_MEM_HANDLE_TYPE_NONE`.
pub(crate) const NO_HANDLE: c_uint = 0;

#[repr(C)]
pub(crate) struct CUmemLocation {
    pub(crate) type_: CUmemLocationType,
    pub(crate) id: c_int,
}

#[repr(C)]
pub(crate) struct CUmemAccessDesc {
    pub(crate) location: CUmemLocation,
    pub(crate) flags: CUmemAccess_flags,
}

#[repr(C)]
pub(crate) struct CUmemPoolProps {
    pub(crate) allocType: CUmemAllocationType,
    pub(crate) handleTypes: c_uint,
    pub(crate) location: CUmemLocation,
    pub(crate) win32SecurityAttributes: *mut c_void,
    pub(crate) maxSize: usize,
    pub(crate) usage: c_ushort,
    pub(crate) reserved: [c_uchar; 54],
}

#[repr(C)]
pub(crate) struct CUDA_KERNEL_NODE_PARAMS_v2 {
    pub(crate) func: CUfunction,
    pub(crate) gridDimX: c_uint,
    pub(crate) gridDimY: c_uint,
    pub(crate) gridDimZ: c_uint,
    pub(crate) blockDimX: c_uint,
    pub(crate) blockDimY: c_uint,
    pub(crate) blockDimZ: c_uint,
    pub(crate) sharedMemBytes: c_uint,
    pub(crate) kernelParams: *mut *mut c_void,
    pub(crate) extra: *mut *mut c_void,
    pub(crate) kern: CUkernel,
    pub(crate) ctx: CUcontext,
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys;
    use std::mem::offset_of;

    #[test]
    fn structures_are_laid_out_as_in_the_interface() {
        assert_eq!(size_of::<CUmemPoolProps>(), size_of::<sys::CUmemPoolProps>());
        assert_eq!(offset_of!(CUmemPoolProps, location), offset_of!(sys::CUmemPoolProps, location));
        assert_eq!(offset_of!(CUmemPoolProps, maxSize), offset_of!(sys::CUmemPoolProps, maxSize));
        assert_eq!(offset_of!(CUmemPoolProps, usage), offset_of!(sys::CUmemPoolProps, usage));
        assert_eq!(size_of::<CUmemAccessDesc>(), size_of::<sys::CUmemAccessDesc>());
        assert_eq!(offset_of!(CUmemAccessDesc, flags), offset_of!(sys::CUmemAccessDesc, flags));
        assert_eq!(size_of::<CUmemLocation>(), size_of::<sys::CUmemLocation>());
        type Ours = CUDA_KERNEL_NODE_PARAMS_v2;
        type Theirs = sys::CUDA_KERNEL_NODE_PARAMS_v2;
        assert_eq!(size_of::<Ours>(), size_of::<Theirs>());
        assert_eq!(offset_of!(Ours, sharedMemBytes), offset_of!(Theirs, sharedMemBytes));
        assert_eq!(offset_of!(Ours, kernelParams), offset_of!(Theirs, kernelParams));
        assert_eq!(offset_of!(Ours, ctx), offset_of!(Theirs, ctx));
        assert_eq!(size_of::<CUdeviceptr>(), size_of::<sys::CUdeviceptr>());
        assert_eq!(NO_HANDLE, sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE.0);
    }
}
