// The device-independent macros of kernels, for OpenCL C 1.2.
//
// A product and a sum are not contracted, as on the CPU. Division and square root are correctly rounded only if
// programs are built with -cl-fp32-correctly-rounded-divide-sqrt. A warp consists of one thread.
#define Q_OPENCL 1
#pragma OPENCL FP_CONTRACT OFF
#define Q_FN static inline __attribute__((always_inline))
#define Q_KERNEL __kernel
#define Q_GLOBAL __global
#define Q_SHARED __local
#define Q_SHARED_DECL __local
#define Q_ALIGNED __attribute__((aligned(16)))
#define Q_THREADS(n) __attribute__((reqd_work_group_size(n, 1, 1)))
#define Q_MOST_THREADS(n)
#define Q_PRIVATE __private
#define Q_RESTRICT restrict
#define Q_INDEX long
#define Q_U64(x) x##UL
#define Q_INFINITY_f32 as_float(0x7f800000)
#define Q_INFINITY_f64 as_double(0x7ff0000000000000L)
#define Q_NAN_f64 as_double(0x7ff8000000000000L)
#define Q_BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
/* Not every compiler copes with barriers in a branch, or behind a return: all threads go on. */
#define Q_UNIFORM_IF(c)
#define Q_LEAVE_BLOCK(c) do { } while (0)
#define Q_FENCE_BLOCK() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define Q_FENCE_GRID() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define Q_FENCE_HOST() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define Q_WARP_SIZE 1
#define Q_LANE_DOWN(x, distance) (x)
#define Q_WARP_BARRIER() mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define Q_THREAD(k) ((int)get_local_id(k))
#define Q_BLOCK(k) ((int)get_group_id(k))
#define Q_BLOCK_DIM(k) ((int)get_local_size(k))
#define Q_GRID_DIM(k) ((int)get_num_groups(k))
#define Q_DYNAMIC_SHARED(name)
#define Q_DYNAMIC_SHARED_PARAM(name) , __local uchar *name
#define Q_CONSTANT __constant
#define Q_CONSTANT_MEMORY
#define Q_CONSTANT_PARAM(type, name) __constant type *name
#define Q_CONSTANT_ARRAY(type, name, at)
