#!/usr/bin/env bash
# Runs targets side by side on all processors: `run.sh SECONDS [TARGET ..]`. Stands beside the binary `any` (or `any.xz`), the dictionary and the
# archive `seeds.tar`, so that all can be taken to a machine without Rust. Inputs that panic, take more than 10 s or 4 GB, and the
# logs, come to $OUT/findings.tar, what is worth keeping to $OUT/corpus.tar; a line for each target says how many inputs ran,
# what they cover, and what was found.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
seconds=$1
shift
[ -f "$here/any" ] || unxz -k "$here/any.xz"
targets=${*:-syntax compiler macros interpreter library formats readers cache}
out=${OUT:-$here/out}
work=$(mktemp -d)
mkdir -p "$out" "$work/findings"
tar -xf "$here/seeds.tar" -C "$work"
workers=$(($(nproc) / $(wc -w <<<"$targets")))
[ "$workers" -lt 1 ] && workers=1
cd "$work" || exit 1
for target in $targets; do
  mkdir -p "found/$target" "$target"
  options=()
  case $target in syntax | compiler | macros | interpreter) options=("-dict=$here/quasar.dict" -max_len=4096) ;; esac
  # Workers go on behind what they find.
  QUASAR_FUZZ_TARGET=$target timeout -k 10 $((seconds + 120)) "$here/any" "found/$target" "$target" -fork="$workers" -ignore_crashes=1 \
    -ignore_timeouts=1 -ignore_ooms=1 -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 \
    -artifact_prefix="findings/$target-" "${options[@]}" >"$target.log" 2>&1 &
done
wait
for target in $targets; do
  echo "$target ($workers processes, $seconds s): $(grep '^#[0-9]*: cov' "$target.log" | tail -1)"
  grep -A1 'panicked at' "$target.log" | grep -v '^--' | cut -c1-300 | sort | uniq -c | sort -rn | head -20
  grep -h 'ERROR: libFuzzer\|memory allocation of' "$target.log" | cut -c1-200 | sed 's/^==[0-9]*==//' | sort | uniq -c | sort -rn | head -5
done
tar -czf "$out/findings.tar" findings ./*.log
tar -czf "$out/corpus.tar" found
cd / && rm -rf "$work"
