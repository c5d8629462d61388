//! The locks of arrays.

#[path = "../../quasar-runtime/src/array/lock.rs"]
pub(crate) mod lock;
#[cfg(all(test, not(loom)))]
#[path = "../../quasar-runtime/src/array/lock_tests.rs"]
mod lock_tests;
