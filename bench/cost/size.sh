#!/usr/bin/env bash
# Code size of check and run on a Cortex-M4 at -Os, each layer compiled alone. `bench/run size` calls it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags=(-std=c++17 -Os -mcpu=cortex-m4 -mthumb -fno-exceptions -fno-rtti -ffunction-sections)
printf 'code size of check and run, int16 x int8 to int16 with a 15-bit multiplier, in bytes; %s %s\n\n' \
  "$(arm-none-eabi-g++ --version | sed 1q)" "-Os -mcpu=cortex-m4"
printf '%-18s %-14s %8s %8s %8s\n' layer multipliers both check run

# text FUNCTION: the bytes of an object file in which only that function, and what it needs, is compiled.
text() {
  arm-none-eabi-g++ "${flags[@]}" "-D$1" -I include -c "$work/layer.cpp" -o "$work/layer.o" &&
    arm-none-eabi-size "$work/layer.o" | awk 'NR == 2 { print $1 }'
}

# row LAYER VIEW OUTPUT LABEL
row() {
  cat >"$work/layer.cpp" <<TEXT
#include <dyadic/dyadic.hpp>
using layer = dyadic::$1_layer<std::int8_t, dyadic::per_$3_output<std::int16_t, dyadic::tosa::scale16>>;
using input = dyadic::$2_view<const std::int16_t>;
using output = dyadic::$2_view<std::int16_t>;
#ifndef ONLY_RUN
dyadic::status check_layer(const layer& l, const input& x, const output& y) { return check(l, x, y); }
#endif
#ifndef ONLY_CHECK
void run_layer(const layer& l, const input& x, const output& y) { run(l, x, y); }
#endif
TEXT
  local both check run
  both=$(text BOTH)
  check=$(text ONLY_CHECK)
  run=$(text ONLY_RUN)
  printf '%-18s %-14s %8d %8d %8d\n' "$1" "$4" "$both" "$check" "$run"
}

row linear matrix tensor 'one'
row linear matrix channel 'per channel'
[ "${1-}" != --smoke ] || exit 0
for layer in conv2d depthwise transposed_conv2d; do row "$layer" nhwc channel 'per channel'; done
