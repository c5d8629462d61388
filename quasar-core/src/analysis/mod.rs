//! Facts about the IR: what is read and written, what is live, which loop iterations depend on each other.

pub mod affine;
pub mod aliases;
pub mod dependence;
pub mod faults;
pub mod knowledge;
pub mod liveness;
pub mod phases;
pub mod repeat;
