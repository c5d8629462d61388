//! The target `formats` alone.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| quasar_fuzz::targets::formats::run(data));
