//! Analyses of the IR: dependence, liveness, aliasing, barrier intervals, uniformity, access patterns and symbolic
//! ranges of kernels. Only `dead_code` changes what it analyses.

pub mod access_pattern;
pub mod affine;
pub mod aliases;
pub mod bands;
pub mod barrier_intervals;
pub mod blocks;
pub mod cost;
pub mod dead_code;
pub mod dependence;
pub mod device_partition;
pub mod elementwise_kernel;
pub mod flow_facts;
pub mod heap;
pub mod host_dependence;
pub mod idempotence;
pub mod innermost_invariance;
pub mod lanes;
pub mod liveness;
pub mod may_fail;
pub mod operations;
pub mod param_aliasing;
pub mod points_to;
pub mod recursion;
pub mod row_footprint;
pub mod shared_memory;
pub mod split_reduction_candidate;
pub mod symbolic_range;
pub mod tile_origin;
pub mod uniformity;
pub mod window;
