#!/usr/bin/env bash
# Measures the stack of a call in bytes, for each operator and backend. `bench/run stack` calls this script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'stack of run, -O2, %s\n\n' "$(c++ --version | sed 1q)"
c++ -std=c++17 -O2 -I include bench/cost/stack.cpp -o "$work/stack"
"$work/stack"
[ "${1-}" != --smoke ] || exit 0
c=aarch64-linux-gnu-g++
emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
if command -v $c >/dev/null && [ -n "$emulator" ]; then
  printf '\n%s\n\n' "$($c --version | sed 1q)"
  $c -std=c++17 -O2 -static -I include bench/cost/stack.cpp -o "$work/stack"
  "$emulator" "$work/stack"
else
  printf '\nA64 is left out: no %s, or no qemu-aarch64\n' $c
fi
