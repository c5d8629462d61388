// The device-independent macros of kernels, for CUDA C++.
#define Q_CUDA 1
#define Q_FN static __device__ __forceinline__
#define Q_KERNEL extern "C" __global__
#define Q_GLOBAL
#define Q_SHARED
#define Q_SHARED_DECL __shared__
#define Q_ALIGNED __align__(16)
#define Q_THREADS(n) __launch_bounds__(n)
#define Q_MOST_THREADS(n) __launch_bounds__(n)
#define Q_PRIVATE
#define Q_RESTRICT __restrict__
/* A pointer that is known to be aligned to 16 bytes. */
#define Q_INDEX long long
#define Q_U64(x) x##ULL
#define Q_INFINITY_f32 __int_as_float(0x7f800000)
#define Q_INFINITY_f64 __longlong_as_double(0x7ff0000000000000LL)
#define Q_NAN_f64 __longlong_as_double(0x7ff8000000000000LL)
#define Q_BARRIER() __syncthreads()
/* For conditions that all threads of the block agree on: barriers stand in the branch, or follow. What stands in the branch
   must be right without the condition as well. */
#define Q_UNIFORM_IF(c) if (c)
#define Q_LEAVE_BLOCK(c) do { if (c) return; } while (0)
#define Q_FENCE_BLOCK() __threadfence_block()
#define Q_FENCE_GRID() __threadfence()
#define Q_FENCE_HOST() __threadfence_system()
#define Q_WARP_SIZE 32
#define Q_WARP_BARRIER() __syncwarp()
/* What another lane has; all lanes of the warp are there. */
#define Q_LANE_DOWN(x, distance) __shfl_down_sync(0xffffffffu, x, distance)
#define Q_THREAD_0 threadIdx.x
#define Q_THREAD_1 threadIdx.y
#define Q_THREAD_2 threadIdx.z
#define Q_BLOCK_0 blockIdx.x
#define Q_BLOCK_1 blockIdx.y
#define Q_BLOCK_2 blockIdx.z
#define Q_BLOCK_DIM_0 blockDim.x
#define Q_BLOCK_DIM_1 blockDim.y
#define Q_BLOCK_DIM_2 blockDim.z
#define Q_GRID_DIM_0 gridDim.x
#define Q_GRID_DIM_1 gridDim.y
#define Q_GRID_DIM_2 gridDim.z
#define Q_THREAD(k) ((int)Q_THREAD_##k)
#define Q_BLOCK(k) ((int)Q_BLOCK_##k)
#define Q_BLOCK_DIM(k) ((int)Q_BLOCK_DIM_##k)
#define Q_GRID_DIM(k) ((int)Q_GRID_DIM_##k)
#define Q_DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#define Q_DYNAMIC_SHARED_PARAM(name)
#define Q_CONSTANT
#define Q_CONSTANT_MEMORY __constant__ __align__(16) unsigned char q_constants[64512];
#define Q_CONSTANT_PARAM(type, name) q_u32 name##_at
#define Q_CONSTANT_ARRAY(type, name, at) const type *const name = (const type *)(q_constants + (at));
