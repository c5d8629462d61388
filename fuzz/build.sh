#!/usr/bin/env bash
# Builds the targets with the instrumentation of libFuzzer (stable Rust; needs a C++ compiler): `fuzz/build.sh` makes
# target/fuzz/x86_64-unknown-linux-gnu/release/any. Further arguments go to cargo: `--features each` makes a binary for each target.
set -euo pipefail
cd "$(dirname "$0")"
counters='-Cpasses=sancov-module'
for option in level=3 inline-8bit-counters pc-table trace-compares; do
  counters+=" -Cllvm-args=-sanitizer-coverage-$option"
done
export RUSTC_BOOTSTRAP=1 RUSTFLAGS="--cfg fuzzing $counters"
exec cargo build --release --target x86_64-unknown-linux-gnu --target-dir "${CARGO_TARGET_DIR:-../target/fuzz}" "$@"
