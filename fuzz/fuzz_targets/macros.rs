//! The target `macros` alone.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quasar_fuzz::targets::macros::run(data));
