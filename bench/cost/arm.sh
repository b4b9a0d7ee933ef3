#!/usr/bin/env bash
# Counts executed instructions with an emulator, for each Arm target and backend: per multiply-add, per element of an operator between
# layers, or per prepared weight. Instructions are not time: no hardware is measured. `bench/run arm` calls this script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# The smoke run counts one case on one machine of each emulator, so that it compiles quickly.
smoke=${1-}
level=-O3
[ -z "$smoke" ] || level=-O0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. bench/cost/arm/counting.sh

# cmsis_nn TARGET CASE: prints the instructions of CMSIS-NN's function per element, with the same compiler and level. Prints nothing for
# other cases.
cmsis_nn() {
  case "$1 $2" in
    'm4 add int8') echo 81.8 ;;
    'm4 add int16') echo 78.5 ;;
    'm4 multiply int8') echo 36.3 ;;
    'm4 multiply int16') echo 30.6 ;;
    'm55 add int8') echo 13.9 ;;
    'm55 add int16') echo 10.4 ;;
    'm55 multiply int8') echo 6.9 ;;
    'm55 multiply int16') echo 5.9 ;;
  esac
}

# table TARGET TITLE: prints a row for each case and a column for each backend. The difference between two repetitions and one is one call.
table() {
  local backends cases name backend one two units
  emulate "$1" >"$work/list" 2>/dev/null
  read -r -a backends < <(sed 1q "$work/list")
  mapfile -t cases < <(sed 1d "$work/list")
  [ -z "$smoke" ] || cases=("${cases[0]}")
  printf '\n%-38s' "$2"
  printf '%16s' "${backends[@]}"
  printf '%12s %9s\n' 'x scalar' "$(case $1 in m*) echo CMSIS-NN ;; esac)"
  for name in "${cases[@]}"; do
    printf '%-38s' "$name"
    local first='' last=''
    for backend in "${backends[@]}"; do
      one=$(instructions "$1" "$backend" "$name" 1)
      two=$(instructions "$1" "$backend" "$name" 2)
      units=$(cat "$work/work")
      last=$(awk -v n=$((two - one)) -v u="$units" 'BEGIN { printf "%.3f", n / u }')
      first=${first:-$last}
      printf '%16s' "$last"
    done
    awk -v a="$first" -v b="$last" 'BEGIN { printf "%12.1f", b / a }'
    printf ' %9s\n' "$(cmsis_nn "$1" "$name")"
  done
}

printf 'executed instructions per multiply-add, per element of what is between layers, or per weight; weights packed, outputs per channel\n'
printf 'limits: smlal 0.25; two sdot for each int16 0.125, smmla 0.0625; Helium 0.125; Cortex-M4 0.5\n'
compile a64 aarch64-linux-gnu-g++ -static
table a64 "A64, g++ $level"
if [ -z "$smoke" ]; then
  if command -v clang++-19 >/dev/null; then
    compile a64-clang clang++-19 --target=aarch64-linux-gnu -static
    table a64-clang 'A64, clang++-19 -O3'
  else
    printf '\nA64 by Clang is left out: no clang++-19\n'
  fi
  compile a32 arm-linux-gnueabihf-g++ -mfpu=neon -Wno-psabi -static
  table a32 'A32 with NEON, g++ -O3'
  compile_bare_metal m55 -mcpu=cortex-m55
  table m55 'Cortex-M55, g++ -O3'
fi
compile_bare_metal m4 -mcpu=cortex-m4 -mfpu=fpv4-sp-d16
table m4 "Cortex-M4, g++ $level"
