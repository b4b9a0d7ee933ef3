#!/usr/bin/env bash
# What including each header costs: compile time over an empty file. `bench/run include` calls it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

runs=15
headers=(include/dyadic/*.hpp include/dyadic/*/*.hpp)
if [ "${1-}" = --smoke ]; then runs=1 headers=(include/dyadic/{config,dyadic}.hpp); fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# median FILE: the median time to compile it, in ms of CPU: a busy machine disturbs that less than the clock.
median() {
  local i TIMEFORMAT='%3U %3S'
  for ((i = 0; i < runs; i++)); do
    { time g++ -std=c++17 -O0 -fsyntax-only -I include "$1" 2>&3; } 3>&2 2>&1
  done | awk '{ print 1000 * ($1 + $2) }' | sort -n | sed -n "$((runs / 2 + 1))p"
}

: >"$work/empty.cpp"
median "$work/empty.cpp" >/dev/null # the first run reads the compiler from disk
empty=$(median "$work/empty.cpp")

printf 'include cost, median of %d, %s\n\n' "$runs" "$(g++ --version | sed 1q)"
printf '%-34s %14s %8s\n' header 'ms over empty' budget
for path in "${headers[@]}"; do
  header=${path#include/}
  printf '#include <%s>\n' "$header" >"$work/one.cpp"
  # Numbers and schemes, floors 0 to 2, cost at most 30 ms; everything together 60 ms; the roof is opt-in.
  case $(grep -m1 -oE 'Floor [0-9]+\.|Roof\.' "$path") in
    'Floor 0.' | 'Floor 1.' | 'Floor 2.') budget=30 ;;
    Roof.) budget=0 ;;
    *) budget=60 ;;
  esac
  case $header in
    dyadic/dyadic.hpp) budget=60 ;;
    dyadic/native.hpp | dyadic/backend/*) budget=0 ;; # what <immintrin.h> costs
  esac
  ms=$(median "$work/one.cpp")
  awk -v header="$header" -v ms="$ms" -v empty="$empty" -v budget=$budget 'BEGIN {
    ms -= empty
    printf "%-34s %14.0f %8s  %s\n", header, ms, budget ? budget : "-", !budget ? "" : ms <= budget ? "ok" : "over" }'
done
