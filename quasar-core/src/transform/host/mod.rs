//! Function transforms: they look at host functions and make kernels.

pub mod auto_kernel;
pub mod auto_parallel;
pub mod bounds;
pub mod kernel_rules;
mod multi_device;
pub mod outline;
