//! The target `compiler` alone.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quasar_fuzz::targets::compiler::run(data));
