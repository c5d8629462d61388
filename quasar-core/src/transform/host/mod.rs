//! Function transforms: they look at host functions and make kernels.

mod aliased;
pub mod auto_parallel;
mod block_memory;
pub mod bound_elements;
pub mod division;
pub mod eliminate_bounds_checks;
pub mod fuse_expressions;
pub mod fuse_launches;
mod kernel_builder;
pub mod kernel_rules;
mod multi_device;
mod names;
mod one_array;
pub mod outline;
mod skew_loops;
pub mod skip_clearing;
pub mod structured_loops;
mod thread_loops;
pub mod turned_products;
