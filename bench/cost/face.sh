#!/usr/bin/env bash
# Compares the speed of CMSIS-NN's functions over this library (tests/examples/cmsis_nn) with plain loops compiled at -O2. Runs portable
# code and the best backend. `bench/run face` calls this script.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
level=-O2
[ "${1-}" != --smoke ] || level=-O1
c++ -std=c++17 "$level" -I include -I tests/examples tests/examples/cmsis_nn/face.cpp bench/cost/face/speed.cpp -o "$work/speed"

printf 'calls of CMSIS-NN'"'"'s face, which fold each time, over plain loops of the same layer; %s %s\n\n' "$(c++ --version | sed 1q)" "$level"
DYADIC_BACKEND=scalar "$work/speed" "$@" >"$work/scalar"
env -u DYADIC_BACKEND "$work/speed" "$@" >"$work/best"
printf '%-28s %9s %9s\n' layer scalar best
paste -d ' ' <(cut -c 1-28 "$work/scalar") <(cut -c 29-38 "$work/scalar") <(cut -c 29-38 "$work/best")
printf '\ngoal: 1.0 and 5.0\n'
