//! The access locks and the thread pool of `quasar-runtime`, the same files, as a package of their own that builds in seconds.
//!
//! `RUSTFLAGS="--cfg loom" cargo test --release` tries all orders in which a few threads can run ([`models`]); without the flag the
//! tests of the locks run with the standard library's types, to be used with sanitizers.

mod array;
#[cfg(all(test, loom))]
mod models;
#[path = "../../quasar-runtime/src/pool.rs"]
mod pool;
#[cfg(not(loom))]
#[path = "../../quasar-runtime/src/process.rs"]
mod process;
#[cfg(loom)]
mod process;
#[cfg(all(test, not(loom)))]
mod stress;
#[cfg(not(loom))]
#[path = "../../quasar-runtime/src/sync.rs"]
mod sync;
#[cfg(loom)]
mod sync;
