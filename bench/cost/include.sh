#!/usr/bin/env bash
# Measures the compile time of each header: the difference to an empty file. Also measures the compile time and the text size of an engine's
# layers, for each list of backends. `bench/run include` calls this script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

runs=15
headers=(include/dyadic/*.hpp include/dyadic/*/*.hpp)
if [ "${1-}" = --smoke ]; then runs=1 headers=(include/dyadic/{config,dyadic}.hpp); fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# median FILE: prints the median time to compile the file, in ms of CPU. A busy machine disturbs CPU time less than the time by the clock.
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
  # Budgets: 30 ms for numbers and schemes (floors 0 to 2), 60 ms for everything. Headers of the roof are opt-in and have no budget.
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

# An engine's file: `run` of packed layers, per channel, for each backend that it lists.
cat >"$work/engine.cpp" <<'TEXT'
#include <dyadic/cpu.hpp>
#include <dyadic/dyadic.hpp>
namespace q = dyadic;
using namespace q::backend;
template <class X, class Output>
struct layers {
  template <class Backend>
  using weights = q::packed_matrix<Backend, X, std::int8_t>;
  template <class Backend>
  static void linear(const q::linear_layer<std::int8_t, Output, weights<Backend>>& layer, q::matrix_view<const X> x,
                     q::matrix_view<X> y) {
    q::run(layer, x, y);
  }
  template <class Backend>
  static void conv2d(const q::conv2d_layer<std::int8_t, Output, weights<Backend>>& layer, q::nhwc_view<const X> x,
                     q::nhwc_view<X> y) {
    q::run(layer, x, y);
  }
  template <class Backend>
  static void depthwise(const q::depthwise_layer<std::int8_t, Output>& layer, q::nhwc_view<const X> x, q::nhwc_view<X> y) {
    q::run<Backend>(layer, x, y);
  }
};
using a8w8 = layers<std::int8_t, q::per_channel_output<std::int8_t, q::tflite::double_rounding>>;
using a16w8 = layers<std::int16_t, q::per_channel_output<std::int16_t, q::tosa::scale16>>;
const void* volatile kept;
template <class... Functions>
void keep(Functions... functions) {
  ((kept = reinterpret_cast<const void*>(functions)), ...);
}
void engine() {
  q::for_each_backend<BACKENDS>([](auto backend, bool) {
    using chosen = decltype(backend);
    keep(&a16w8::linear<chosen>);
    if constexpr (SIX) keep(&a16w8::conv2d<chosen>, &a16w8::depthwise<chosen>);
    if constexpr (SIX) keep(&a8w8::linear<chosen>, &a8w8::conv2d<chosen>, &a8w8::depthwise<chosen>);
  });
}
TEXT

# engine LABEL SIX BACKENDS GOAL
engine() {
  local command=(g++ -std=c++17 -O2 -I include "-DSIX=$2" "-DBACKENDS=$3" -c "$work/engine.cpp" -o "$work/engine.o")
  [[ $3 != *avxvnni* ]] || command+=(-include dyadic/backend/avxvnni.hpp)
  local seconds text TIMEFORMAT='%3U %3S'
  seconds=$({ time "${command[@]}" 2>&3; } 3>&2 2>&1 | awk '{ printf "%.1f", $1 + $2 }')
  text=$(size "$work/engine.o" | awk 'NR == 2 { printf "%.0f", $1 / 1000 }')
  printf '%-14s %-37s %8s %8s  %s\n' "$1" "${3:-all}" "$seconds" "$text" "$4"
}
printf '\n%-14s %-37s %8s %8s  %s\n' 'layers, -O2' backends seconds 'KB text' goal
engine 'one a16w8' 0 scalar ''
[ "${1-}" != --smoke ] || exit 0
engine 'one a16w8' 0 '' '1.5 s, 45 KB'
engine 'six' 1 scalar ''
engine 'six' 1 DYADIC_BEST,scalar ''
engine 'six' 1 '' '8 s, 250 KB'
# On x86 also with avxvnni, which a program must name.
if [ "$(uname -m)" = x86_64 ]; then
  named=avx512vnni,avxvnni,avx2,sse41,scalar
  engine 'one a16w8' 0 $named ''
  engine 'six' 1 $named ''
fi
