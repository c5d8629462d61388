//! The target `readers` alone.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quasar_fuzz::targets::readers::run(data));
