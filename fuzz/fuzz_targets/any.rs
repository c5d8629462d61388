//! All targets in one binary; `QUASAR_FUZZ_TARGET` chooses one. Small enough to be taken to machines without Rust.

#![no_main]

use quasar_fuzz::targets::{TARGETS, chosen};
use std::sync::LazyLock;

static RUN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
    chosen().unwrap_or_else(|| panic!("QUASAR_FUZZ_TARGET must be one of {}", names.join(", ")))
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| (*RUN)(data));
