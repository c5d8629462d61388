//! Analyses of the IR: dependence, liveness, aliasing, barrier intervals, uniformity, access patterns and symbolic
//! ranges of kernels. Only `dead_code` changes what it analyses.

pub mod affine;
pub mod aliases;
pub mod alike;
pub mod blocks;
pub mod cost;
pub mod dead_code;
pub mod dependence;
pub mod division;
pub mod faults;
pub mod flat;
pub mod heap;
pub mod hull;
pub mod knowledge;
pub mod lanes;
pub mod liveness;
pub mod long_loop;
pub mod overlap;
pub mod phases;
pub mod points_to;
pub mod reach;
pub mod recursion;
pub mod repeat;
pub mod row;
pub mod shared_memory;
pub mod steady;
pub mod window;
