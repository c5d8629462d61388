//! Function transforms: they look at host functions and make kernels.

mod aliased;
pub mod auto_parallel;
mod block_memory;
pub mod bounds;
pub mod division;
pub mod fuse_expressions;
pub mod kernel_rules;
mod multi_device;
mod names;
mod new_kernels;
mod one_array;
pub mod outline;
mod skew;
