#!/usr/bin/env bash
# Measures code size at -Os. The first table has check and run of each layer, compiled alone, on a Cortex-M4. The second table compares `run`
# of an LSTM and of SVDF with CMSIS-NN. The other tables compare `run` with packed weights with CMSIS-NN on a Cortex-M4 and M55: bytes and
# executed instructions. `bench/run size` calls this script. It fails if a figure is larger than a table or a page states. --smoke leaves out
# figures without such a limit, and most instructions.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# within FIGURE LIMIT NAME: notes a figure that is larger than its limit.
: >"$work/over"
within() { awk -v figure="$1" -v limit="$2" 'BEGIN { exit figure > limit }' || printf '%s: %s, at most %s\n' "$3" "$1" "$2" >>"$work/over"; }
# finish: ends the script, with an error if a figure is larger than its limit.
finish() {
  [ -s "$work/over" ] || exit 0
  printf '\nlarger than stated:\n'
  cat "$work/over"
  exit 1
}

flags=(-std=c++17 -Os -mcpu=cortex-m4 -mthumb -fno-exceptions -fno-rtti -ffunction-sections)
printf 'code size of check and run, int16 x int8 to int16 with a 15-bit multiplier, in bytes; %s %s\n\n' \
  "$(arm-none-eabi-g++ --version | sed 1q)" "-Os -mcpu=cortex-m4"
printf '%-18s %-14s %8s %8s %8s\n' layer multipliers both check run

# text MACRO...: the bytes of an object file in which only the function that the macros choose, and what it needs, is compiled.
text() {
  arm-none-eabi-g++ "${flags[@]}" "${@/#/-D}" -I include -c "$work/layer.cpp" -o "$work/layer.o" &&
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
  local both
  both=$(text BOTH)
  check=$(text ONLY_CHECK)
  run=$(text ONLY_RUN)
  printf '%-18s %-14s %8d %8d %8d\n' "$1" "$4" "$both" "$check" "$run"
}

row linear matrix tensor 'one'
within "$check" 550 "check of a linear layer (README.md: 0.5 KB)"
within "$run" 350 "run of a linear layer (README.md: 0.3 KB)"
row linear matrix channel 'per channel'
smoke=${1-}
[ -n "$smoke" ] || for layer in conv2d depthwise transposed_conv2d; do row "$layer" nhwc channel 'per channel'; done

# Layers with a state. CMSIS-NN's bytes are those of the object files of arm_lstm_unidirectional_s8 and arm_svdf_s8, with the functions
# that these call and the table: CMSIS-NN @ 99f736a6, same compiler and flags.
printf '\nrun of cmsis_nn::lstm, a sequence, and of cmsis_nn::svdf, a step, with all tables, in bytes; at most those of CMSIS-NN\n\n'
printf '%-18s %-14s %8s %9s %6s\n' layer backend bytes CMSIS-NN share
cat >"$work/layer.cpp" <<'TEXT'
#include <dyadic/elementwise/recurrent.hpp>
#include <dyadic/elementwise/svdf_layer.hpp>
#include <dyadic/native.hpp>
namespace q = dyadic;
using std::int8_t;
using q::batch_view, q::matrix_view;
#ifdef LSTM
void run(const q::recurrent_layer<q::cmsis_nn::lstm<int8_t>>& l, q::sequence_order order, const batch_view<const int8_t>& x,
         const q::recurrent_state<int8_t>& state, const batch_view<int8_t>& y) {
  q::run<BACKEND>(l, order, x, state, y);
}
#else
void run(const q::svdf_layer<q::cmsis_nn::svdf<int8_t>>& l, const matrix_view<const int8_t>& x, const matrix_view<int8_t>& state,
         const matrix_view<int8_t>& y) {
  q::run<BACKEND>(l, x, state, y);
}
#endif
TEXT
# recurrent NAME BACKEND BYTES: BYTES are CMSIS-NN's.
recurrent() {
  local bytes
  bytes=$(text "$1" "BACKEND=q::backend::$2")
  printf '%-18s %-14s %8d %9d %6s\n' "$1" "$2" "$bytes" "$3" "$(awk -v n="$bytes" -v of="$3" 'BEGIN { printf "%.2f", n / of }')"
  within "$bytes" "$3" "$1, $2"
}
for backend in scalar dsp; do
  recurrent LSTM $backend 3168
  recurrent SVDF $backend 2208
done

# The layers with packed weights. CMSIS-NN's figures are those of its functions of the same job by the same compiler: bytes, and
# instructions for each multiply-add of the same shape.
level=-Os
. bench/cost/arm/counting.sh
cat >"$work/packed.cpp" <<'TEXT'
#include <dyadic/dyadic.hpp>
#include <dyadic/native.hpp>
namespace q = dyadic;
template <class X>
using scheme = std::conditional_t<sizeof(X) == 2, q::tosa::scale16, q::tflite::double_rounding>;
template <class X>
using output = q::per_channel_output<X, scheme<X>>;
template <class X>
using weights = q::packed_matrix<q::native, X, std::int8_t>;
#define RUN(name, layer, view, X) \
  void name(const layer& l, const q::view<const X>& x, const q::view<X>& y) { q::run<q::native>(l, x, y); }
template <class X>
using linear = q::linear_layer<std::int8_t, output<X>, weights<X>>;
template <class X>
using conv2d = q::conv2d_layer<std::int8_t, output<X>, weights<X>>;
template <class X>
using depthwise = q::depthwise_layer<std::int8_t, output<X>>;
#if ONLY == 0 || ONLY == 1
RUN(linear16, linear<std::int16_t>, matrix_view, std::int16_t)
#endif
#if ONLY == 0 || ONLY == 2
RUN(conv16, conv2d<std::int16_t>, nhwc_view, std::int16_t)
#endif
#if ONLY == 0 || ONLY == 3
RUN(depthwise16, depthwise<std::int16_t>, nhwc_view, std::int16_t)
#endif
#if ONLY == 0 || ONLY == 4
RUN(linear8, linear<std::int8_t>, matrix_view, std::int8_t)
#endif
#if ONLY == 0 || ONLY == 5
RUN(conv8, conv2d<std::int8_t>, nhwc_view, std::int8_t)
#endif
TEXT

# stack_of MACHINE BACKEND CASE: prints the bytes of stack that a call overwrites.
stack_of() { emulate "$1" "$2" "$3" 0 2>/dev/null | sed -n 1p; }

cat >"$work/unpacked.cpp" <<'TEXT'
#include <dyadic/dyadic.hpp>
#include <dyadic/native.hpp>
namespace q = dyadic;
using rule = q::tflite::double_rounding;
using channels = q::per_channel_output<std::int8_t, rule>;
using tensor = q::matmul_layer<q::per_tensor_output<std::int8_t, rule>>;
using matrices = q::batch_view<const std::int8_t>;
#if ONLY == 1
void run(const q::linear_layer<std::int8_t, channels>& l, const q::matrix_view<const std::int8_t>& x,
         const q::matrix_view<std::int8_t>& y) {
  q::run<q::native>(l, x, y);
}
#elif ONLY == 2
void run(const q::transposed_conv2d_layer<std::int8_t, channels>& l, const q::nhwc_view<const std::int8_t>& x,
         const q::nhwc_view<std::int8_t>& y) {
  q::run<q::native>(l, x, y);
}
#elif ONLY == 3
void run(const q::conv2d_layer<std::int8_t, channels>& l, const q::nhwc_view<const std::int8_t>& x,
         const q::nhwc_view<std::int8_t>& y) {
  q::run<q::native>(l, x, y);
}
#else
void run(const tensor& l, const matrices& left, const matrices& right, const q::batch_view<std::int8_t>& y,
         const q::view<std::int32_t>& scratch) {
  q::run<q::native>(l, left, right, y, scratch);
}
#endif
TEXT
# unpacked_rows MACHINE: prints the bytes of `run` for weights that are not packed.
unpacked_rows() {
  local number=0 name bytes
  for name in linear 'transposed conv2d' conv2d matmul; do
    number=$((number + 1))
    arm-none-eabi-g++ -std=c++17 -Os "${machine[@]}" -fno-exceptions -fno-rtti -ffunction-sections -Wno-psabi "-DONLY=$number" \
      -I include -c "$work/unpacked.cpp" -o "$work/unpacked.o"
    bytes=$(arm-none-eabi-size "$work/unpacked.o" | awk 'NR == 2 { print $1 }')
    printf '%-4s %-32s %8d\n' "$1" "a8w8 $name, not packed" "$bytes"
    within "$bytes" 2550 "$1 a8w8 $name, not packed (backend/README.md: 0.8 to 2.5 KB)"
  done
}

cat >"$work/elements.cpp" <<'TEXT'
#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/average_pool.hpp>
#include <dyadic/elementwise/binary.hpp>
#include <dyadic/elementwise/mean.hpp>
#include <dyadic/elementwise/multiply.hpp>
#include <dyadic/elementwise/reduce.hpp>
#include <dyadic/elementwise/softmax_layer.hpp>
#include <dyadic/elementwise/tosa_softmax.hpp>
#include <dyadic/native.hpp>
namespace q = dyadic;
using q::matrix_view, q::nhwc_view, std::int16_t, std::int8_t;
template <class X, template <class, class> class Rule>
using binary = q::binary_layer<Rule<X, q::tflite::double_rounding>>;
#if ONLY <= 4
using X = std::conditional_t<ONLY % 2 == 1, int8_t, int16_t>;
#if ONLY <= 2
using layer = binary<X, q::tflite::add>;
#else
using layer = binary<X, q::tflite::multiply>;
#endif
void run(const layer& l, const matrix_view<const X>& a, const matrix_view<const X>& b, const matrix_view<X>& y) {
  q::run<q::native>(l, a, b, y);
}
#elif ONLY == 5
void run(const q::average_pool_layer<q::average_output<int8_t, q::tflite::average>>& l, const nhwc_view<const int8_t>& x,
         const nhwc_view<int8_t>& y) {
  q::run<q::native>(l, x, y);
}
#elif ONLY == 6
void run(const q::mean_layer<q::tflite::mean<int8_t>>& l, const matrix_view<const int8_t>& x, const matrix_view<int8_t>& y) {
  q::run<q::native>(l, x, y);
}
#elif ONLY == 7
void run(const q::softmax_layer<q::tflite::softmax<int8_t>>& l, const matrix_view<const int8_t>& x, const matrix_view<int8_t>& y) {
  q::run<q::native>(l, x, y);
}
#elif ONLY == 9
void run(const q::sum_layer<q::tflite::sum<int8_t>>& l, const matrix_view<const int8_t>& x, const matrix_view<int8_t>& y) {
  q::run<q::native>(l, x, y);
}
#elif ONLY == 10
void run(const q::softmax_layer<q::tosa::softmax<int8_t>>& l, const matrix_view<const int8_t>& x, const matrix_view<int8_t>& y) {
  q::run<q::native>(l, x, y);
}
#else
void run(const q::softmax_layer<q::tflite::softmax<int16_t>>& l, const matrix_view<const int16_t>& x,
         const matrix_view<int16_t>& y) {
  q::run<q::native>(l, x, y);
}
#endif
TEXT
# element_rows MACHINE BACKEND [BYTES INSTRUCTIONS]...: prints the bytes of each operator on elements. BYTES and INSTRUCTIONS are CMSIS-NN's
# bytes, and instructions per element, of the first operators; their rows also have the instructions here.
element_rows() {
  local machine_name=$1 backend=$2 number=0 name bytes one two units each
  shift 2
  for name in 'add int8' 'add int16' 'multiply int8' 'multiply int16' 'average pool int8' 'mean int8' 'softmax int8' 'softmax int16' \
    'sum int8' 'softmax int8 by TOSA'; do
    number=$((number + 1))
    arm-none-eabi-g++ -std=c++17 -Os "${machine[@]}" -fno-exceptions -fno-rtti -ffunction-sections -Wno-psabi "-DONLY=$number" \
      -I include -c "$work/elements.cpp" -o "$work/elements.o"
    bytes=$(arm-none-eabi-size "$work/elements.o" | awk 'NR == 2 { print $1 }')
    printf '%-4s %-32s %8d' "$machine_name" "$name" "$bytes"
    if [ $# -gt 0 ]; then
      each=-
      if [ -z "$smoke" ] || [ $number -eq 1 ]; then
        one=$(instructions "$machine_name" "$backend" "$name" 1)
        two=$(instructions "$machine_name" "$backend" "$name" 2)
        units=$(cat "$work/work")
        each=$(awk -v n=$((two - one)) -v u="$units" 'BEGIN { printf "%.3f", n / u }')
        within "$each" "$2" "$machine_name $name, instructions (elementwise/README.md: fewer than CMSIS-NN)"
      fi
      printf ' %9d %6s %14s %9s' "$1" "$(awk -v n="$bytes" -v of="$1" 'BEGIN { printf "%.2f", n / of }')" "$each" "$2"
      within "$bytes" $(($1 * 3 / 2)) "$machine_name $name"
      within "$bytes" 544 "$machine_name $name (elementwise/README.md: 270 to 540)"
      shift 2
    fi
    printf '\n'
    [ -z "$smoke" ] || [ $# -gt 0 ] || return 0
  done
}

# packed MACHINE BACKEND NUMBER CASE BYTES INSTRUCTIONS: prints the bytes and instructions of a layer. BYTES and INSTRUCTIONS are
# CMSIS-NN's.
packed() {
  local bytes one two units each=- share stack=-
  arm-none-eabi-g++ -std=c++17 -Os "${machine[@]}" -fno-exceptions -fno-rtti -ffunction-sections -Wno-psabi "-DONLY=$3" -I include \
    -c "$work/packed.cpp" -o "$work/packed.o"
  bytes=$(arm-none-eabi-size "$work/packed.o" | awk 'NR == 2 { print $1 }')
  share=$(awk -v n="$bytes" -v of="$5" 'BEGIN { printf "%.2f", n / of }')
  if [ "$3" -eq 0 ]; then
    within "$bytes" $(($5 / 2)) "$1 $4"
    within "$bytes" 4050 "$1 $4 (backend/README.md: 4 KB)"
  else
    within "$bytes" "$5" "$1 $4"
    within "$bytes" 1750 "$1 $4 (backend/README.md: 0.8 to 1.7 KB)"
    [ "$1 $3" != 'm4 1' ] || within "$bytes" 850 "$1 $4 (README.md: 0.8 KB)"
    if [ -z "$smoke" ] || [ "$3" -eq 1 ]; then
      one=$(instructions "$1" "$2" "$4" 1)
      two=$(instructions "$1" "$2" "$4" 2)
      units=$(cat "$work/work")
      each=$(awk -v n=$((two - one)) -v u="$units" 'BEGIN { printf "%.3f", n / u }')
    fi
    stack=$(stack_of "$1" "$2" "$4")
    within "$stack" "$([ "$1" = m4 ] && echo 1024 || echo 2048)" "$1 $4, stack"
  fi
  printf '%-4s %-32s %8d %9d %6s %14s %9s %6s\n' "$1" "$4" "$bytes" "$5" "$share" "$each" "$6" "$stack"
}
# packed_table MACHINE BACKEND [BYTES INSTRUCTIONS]...: prints all layers. BYTES and INSTRUCTIONS are CMSIS-NN's, for each layer.
packed_table() {
  packed "$1" "$2" 1 'a16w8 linear 1x64x256' "$3" "$4"
  packed "$1" "$2" 2 'a16w8 conv2d 3x3 16x16x16->32' "$5" "$6"
  packed "$1" "$2" 3 'a16w8 depthwise 3x3 16x16x16' "$7" "$8"
  packed "$1" "$2" 4 'a8w8 linear 1x64x256' "$9" "${10}"
  packed "$1" "$2" 5 'a8w8 conv2d 3x3 16x16x16->32' "${11}" "${12}"
  packed "$1" "$2" 0 'all five in one program' "${13}" -
  unpacked_rows "$1"
}

# Code of a device that prepares a layer itself: it folds, packs, and checks the arguments of both.
cat >"$work/prepare.cpp" <<'TEXT'
#include <dyadic/dyadic.hpp>
#include <dyadic/native.hpp>
namespace q = dyadic;
using folded = q::result<q::folded_bias<std::int64_t>>;
using packed = q::result<q::packed_matrix<q::native, std::int16_t, std::int8_t>>;
using weights = q::matrix_view<const std::int8_t>;
folded fold(const weights& w, const q::view<const std::int32_t>& bias, q::zero_points zero, const q::view<std::int64_t>& constants) {
  return q::fold<std::int16_t>(w, bias, zero, constants);
}
packed pack(const weights& w, const q::view<std::int8_t>& storage) { return q::pack<q::native, std::int16_t>(w, storage); }
TEXT
# prepare_rows MACHINE BACKEND: prints the bytes and instructions of folding, packing and verifying.
prepare_rows() {
  local bytes one two units name
  arm-none-eabi-g++ -std=c++17 -Os "${machine[@]}" -fno-exceptions -fno-rtti -ffunction-sections -Wno-psabi -I include \
    -c "$work/prepare.cpp" -o "$work/prepare.o"
  bytes=$(arm-none-eabi-size "$work/prepare.o" | awk 'NR == 2 { print $1 }')
  printf '%-4s %-32s %8d\n' "$1" 'fold and pack a16w8, at most 3072' "$bytes"
  within "$bytes" 3072 "$1 fold and pack a16w8"
  [ -z "$smoke" ] || return 0
  for name in 'fold 256x256' 'fold 256x256, no fingerprint' 'pack 256x256' 'verify 256x256, packed'; do
    one=$(instructions "$1" "$2" "$name" 1)
    two=$(instructions "$1" "$2" "$name" 2)
    units=$(cat "$work/work")
    printf '%-4s %-32s %40.3f\n' "$1" "$name" "$(awk -v n=$((two - one)) -v u="$units" 'BEGIN { print n / u }')"
  done
}

# face MACHINE FLAG...: prints the bytes of all functions of CMSIS-NN's face. CMSIS-NN's figure has 25 functions.
face() {
  arm-none-eabi-g++ -std=c++17 -Os "${@:2}" -fno-exceptions -fno-rtti -ffunction-sections -Wno-psabi -I include \
    -c tests/examples/cmsis_nn/face.cpp -o "$work/face.o"
  bytes=$(arm-none-eabi-size "$work/face.o" | awk 'NR == 2 { print $1 }')
  printf '%-4s %8d\n' "$1" "$bytes"
  within "$bytes" 30000 "$1 face"
}
printf "\n25 functions of CMSIS-NN's face, with 11 more and all of their sizes of buffers, -Os; at most 30000, CMSIS-NN on the M4 43000\n\n"
face M4 -mthumb -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard
face M55 -mthumb -mcpu=cortex-m55 -mfloat-abi=hard

printf '\nrun with packed weights, outputs per channel, -Os: bytes, executed instructions per multiply-add, bytes of the stack\n'
printf "at most: a layer CMSIS-NN's bytes, all five half of them; 1024 of the stack on M4, 2048 on M55; add and multiply 1.5 times the bytes\n"
printf 'instructions of add and multiply are those of an element\n\n'
printf '%-4s %-32s %8s %9s %6s %14s %9s %6s\n' '' layer bytes CMSIS-NN share instructions CMSIS-NN stack
machine=(-mthumb -mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard)
compile_bare_metal m4 "${machine[@]:1:2}"
prepare_rows m4 dsp
element_rows m4 dsp 1248 82.0 818 83.2 612 36.9 338 33.6
packed_table m4 dsp 862 4.48 2892 3.55 1682 16.7 1454 3.07 3802 3.03 10692
machine=(-mthumb -mcpu=cortex-m55 -mfloat-abi=hard)
compile_bare_metal m55 "${machine[@]:1:1}"
prepare_rows m55 mve
element_rows m55 mve 346 15.4 288 11.9 232 10.9 202 9.1
packed_table m55 mve 1182 1.62 2090 0.64 1952 10.7 1472 0.87 1868 0.36 8564
finish
