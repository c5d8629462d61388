//! Clusters: a program that `mpirun -n N` starts runs its host code on every rank, and its launches are shared. Each rank visits some
//! rows of positions, and gets before from the others the rows that these read.
//!
//! All ranks make the same calls with the same numbers, so that all know which bytes of an array are valid where. What is read in
//! another way than by a shared launch is gathered first. One thread of each rank calls functions of programs.

mod exchange;
#[cfg(feature = "mpi")]
#[allow(unsafe_code, reason = "calls MPI")]
mod mpi;
mod reductions;
mod share;
mod world;

pub(crate) use exchange::{Exchange, Messages};
pub use reductions::Sums;
pub use share::{Division, Share, launch_share, offload_share, share};
pub use world::{Cluster, bytes_sent, init, rank, size};
pub(crate) use world::{conclude, is_active, is_first, next_number, on_first, world};
