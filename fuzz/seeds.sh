#!/usr/bin/env bash
# Inputs to begin with: `fuzz/seeds.sh FOLDER` makes a folder for each target, of the corpus and of the programs of the tests.
set -euo pipefail
to=$(realpath -m "$1")
cd "$(dirname "$0")"
mkdir -p "$to"
cp -r corpus/. "$to"
mkdir -p "$to"/{syntax,compiler,macros,interpreter}
number=0
find ../tests/programs ../quasar-core/tests/messages -name '*.q' -size -4k | sort | while read -r program; do
  number=$((number + 1))
  cp "$program" "$to/syntax/p$number"
  # The first byte chooses options, or the form of the macro call.
  { printf '\0'; cat "$program"; } >"$to/compiler/p$number"
  { printf '\1'; cat "$program"; } >"$to/interpreter/p$number"
  { printf "\\$((number % 4))"; cat "$program"; } >"$to/macros/p$number"
done
