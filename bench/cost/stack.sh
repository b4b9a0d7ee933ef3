#!/usr/bin/env bash
# Bytes of stack of a call, operator by operator and backend by backend. `bench/run stack` calls it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf 'stack of run, -O2, %s\n\n' "$(c++ --version | sed 1q)"
c++ -std=c++17 -O2 -I include bench/cost/stack.cpp -o "$work/stack"
"$work/stack"
[ "${1-}" != --smoke ] || exit 0
c=aarch64-linux-gnu-g++
if command -v $c >/dev/null && command -v qemu-aarch64-static >/dev/null; then
  printf '\n%s\n\n' "$($c --version | sed 1q)"
  $c -std=c++17 -O2 -static -I include bench/cost/stack.cpp -o "$work/stack"
  qemu-aarch64-static "$work/stack"
fi
