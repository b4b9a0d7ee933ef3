#!/usr/bin/env bash
# Measures the compile time of a network inside static_assert: the difference to the same file without the network. `bench/run constant`
# calls this script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

runs=3
compilers=(c++ g++-11 g++-12 clang++-14 clang++-19)
if [ "${1-}" = --smoke ]; then runs=1 compilers=(c++); fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/without.cpp" <<'TEXT'
#include "digits/network.hpp"
using network = digits::network<digits::convolutional_a16w8, dyadic::tosa::scale16>;
static_assert(digits::multiply_adds(digits::convolutional_ops{}) == 7040);
TEXT
cat "$work/without.cpp" - >"$work/with.cpp" <<'TEXT'
static_assert(network{}.classify(digits::image(0)) == digits::labels[0]);
TEXT

# best COMPILER FILE: prints the shortest time to compile the file, in ms of CPU.
best() {
  local i TIMEFORMAT='%3U %3S'
  for ((i = 0; i < runs; i++)); do
    { time "$1" -std=c++17 -O0 -fsyntax-only -I include -I tests "$2"; } 2>&1
  done | awk '{ print 1000 * ($1 + $2) }' | sort -n | sed -n 1p
}

printf 'The convolutional network inside static_assert, prepared and run on one image; 7,040 multiply-adds.\n'
printf 'Compile time over the same file without it, no limit raised, best of %d, CPU time:\n\n' "$runs"
for compiler in "${compilers[@]}"; do
  command -v "$compiler" >/dev/null || continue
  "$compiler" -std=c++17 -fsyntax-only -I include -I tests "$work/with.cpp" # shows an error; reads the compiler from disk
  without=$(best "$compiler" "$work/without.cpp")
  with=$(best "$compiler" "$work/with.cpp")
  printf '%-12s %5d ms\n' "$compiler" $((with - without))
done
