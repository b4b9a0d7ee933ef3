// SPDX-License-Identifier: Apache-2.0
// Prints a digest of the results of all functions over many layers, for each simulated core and for builds with one rounding and
// with two. The digests are equal on every machine.

#include <cstdio>
#include <initializer_list>

#include "face.hpp"

namespace {

using std::int16_t;
using std::int32_t;
using std::int64_t;
using std::int8_t;

std::uint32_t state = 1;
/// Returns a number in low .. high.
int32_t roll(int32_t low, int32_t high) {
  state = state * 1664525u + 1013904223u;
  return low + static_cast<int32_t>((state >> 8) % static_cast<std::uint32_t>(high - low + 1));
}

std::uint32_t hash = 0;
void take(int32_t value) { hash = (hash ^ static_cast<std::uint32_t>(value)) * 16777619u; }

constexpr int32_t most_x = 8 * 8 * 80;
constexpr int32_t most_w = 9 * 80 * 12;
constexpr int32_t most_channels = 80;

// The inputs and outputs of the functions; static, because a bare machine has a small stack.
int8_t x8[most_x], w8[most_w], y8[most_x];
int16_t x16[most_x], w16[most_w], y16[most_x];
int32_t bias32[most_channels], multipliers[most_channels], shifts[most_channels], sums[most_channels];
int64_t bias64[most_channels];

const cmsis_nn_context none{nullptr, 0};
const cmsis_nn_context with_sums{sums, sizeof(sums)};
const cmsis_nn_per_channel_quant_params quant{multipliers, shifts};

void draw() {
  for (int i = 0; i < most_x; ++i) {
    x16[i] = static_cast<int16_t>(roll(-32768, 32767));
    x8[i] = static_cast<int8_t>(x16[i] >> 8);
  }
  for (int i = 0; i < most_w; ++i) {
    w16[i] = static_cast<int16_t>(roll(-32768, 32767));
    w8[i] = static_cast<int8_t>(w16[i] >> 8);
  }
  for (int o = 0; o < most_channels; ++o) {
    bias32[o] = roll(-8000000, 8000000) * (roll(0, 3) == 0 ? 128 : 1);
    bias64[o] = bias32[o] * int64_t{roll(0, 3) == 0 ? 1000 : 1};
    multipliers[o] = roll(0, 5) == 0 ? roll(0, 1 << 20) : (1 << 30) + 64 * roll(0, (1 << 24) - 1);
    shifts[o] = roll(0, 5) == 0 ? roll(0, 3) : roll(-13, -3);
  }
}

template <class Y>
void take(const char* name, arm_cmsis_nn_status status, Y* y, int32_t count) {
  take(status);
  for (int32_t i = 0; i < count; ++i) take(y[i]);
  if (status != ARM_CMSIS_NN_SUCCESS) std::printf("%s refuses\n", name);
  for (int32_t i = 0; i < count; ++i) y[i] = 0;
}

void run_layers() {
  draw();
  const int32_t size = roll(3, 8), kernel = roll(1, 3), stride = roll(1, 2), pad = roll(0, kernel - 1);
  const int32_t in_c = roll(0, 3) == 0 ? roll(60, 80) : roll(1, 12), out_c = roll(1, 12);
  const int32_t outputs = (size + 2 * pad - kernel) / stride + 1;
  const cmsis_nn_activation bytes{-128, roll(0, 127)}, words{-32768, roll(0, 32767)};
  const cmsis_nn_dims in{1, size, size, in_c}, filter{out_c, kernel, kernel, in_c}, bias_dims{1, 1, 1, out_c};
  const cmsis_nn_dims out{1, outputs, outputs, out_c}, dw_out{1, outputs, outputs, in_c}, dw{1, kernel, kernel, in_c};
  const int32_t x_offset = roll(-127, 128), y_offset = roll(-128, 128);
  const cmsis_nn_conv_params p8{x_offset, y_offset, {stride, stride}, {pad, pad}, {1, 1}, bytes};
  const cmsis_nn_conv_params p16{0, 0, {stride, stride}, {pad, pad}, {1, 1}, words};
  const cmsis_nn_dw_conv_params dw8{x_offset, y_offset, 1, {stride, stride}, {pad, pad}, {1, 1}, bytes};
  const cmsis_nn_dw_conv_params dw16{0, 0, 1, {stride, stride}, {pad, pad}, {1, 1}, words};
  const int32_t count = outputs * outputs * out_c, dw_count = outputs * outputs * in_c;
  take("convolve s8", arm_convolve_wrapper_s8(&none, &p8, &quant, &in, x8, &filter, w8, &bias_dims, bias32, &out, y8), y8, count);
  take("convolve s4", arm_convolve_wrapper_s4(&none, &p8, &quant, &in, x8, &filter, w8, &bias_dims, bias32, &out, y8), y8, count);
  for (const bool is_short : {false, true}) {
    const cmsis_nn_bias_data bias{is_short ? static_cast<void*>(bias32) : bias64, is_short};
    take("convolve s16", arm_convolve_s16(&none, &p16, &quant, &in, x16, &filter, w8, &bias_dims, &bias, &out, y16), y16, count);
  }
  take("depthwise s8", arm_depthwise_conv_wrapper_s8(&none, &dw8, &quant, &in, x8, &dw, w8, &bias_dims, bias32, &dw_out, y8), y8,
       dw_count);
  take("depthwise s4", arm_depthwise_conv_wrapper_s4(&none, &dw8, &quant, &in, x8, &dw, w8, &bias_dims, bias32, &dw_out, y8), y8,
       dw_count);
  take("depthwise s16", arm_depthwise_conv_wrapper_s16(&none, &dw16, &quant, &in, x16, &dw, w8, &bias_dims, bias64, &dw_out, y16),
       y16, dw_count);

  const int32_t small = roll(1, 3), wide = (small - 1) * stride + kernel;
  const cmsis_nn_transpose_conv_params up{x_offset, y_offset, {stride, stride}, {0, 0}, {0, 0}, {1, 1}, bytes};
  const cmsis_nn_dims up_in{1, small, small, in_c}, up_out{1, wide, wide, out_c};
  take("transposed", arm_transpose_conv_s8(&none, &none, &up, &quant, &up_in, x8, &filter, w8, &bias_dims, bias32, &up_out, y8),
       y8, wide * wide * out_c);

  const int32_t rows = roll(1, 8), depth = in_c * kernel;
  const cmsis_nn_dims x_rows{rows, 1, 1, depth}, matrix{depth, 1, 1, out_c}, y_rows{rows, 1, 1, out_c};
  const cmsis_nn_fc_params fc8{x_offset, 0, y_offset, bytes}, fc16{0, 0, 0, words};
  arm_vector_sum_s8(sums, depth, out_c, w8, x_offset, 0, bias32);
  for (int32_t o = 0; o < out_c; ++o) take(sums[o]);
  take("linear s8",
       arm_fully_connected_per_channel_s8(&with_sums, &fc8, &quant, &x_rows, x8, &matrix, w8, &bias_dims, bias32, &y_rows, y8),
       y8, rows * out_c);
  take("linear s16",
       arm_fully_connected_per_channel_s16(&none, &fc16, &quant, &x_rows, x16, &matrix, w8, &bias_dims, bias64, &y_rows, y16),
       y16, rows * out_c);
  const cmsis_nn_per_tensor_quant_params tensor{multipliers[0], shifts[0]};
  const cmsis_nn_bmm_params bmm8{false, false, {x_offset, roll(-127, 128), y_offset, bytes}}, bmm16{false, false, fc16};
  const cmsis_nn_dims left{1, 1, rows, depth}, right{1, 1, out_c, depth}, product{1, 1, rows, out_c};
  take("matmul s8", arm_batch_matmul_s8(&none, &bmm8, &tensor, &left, x8, &right, w8, &product, y8), y8, rows * out_c);
  take("matmul s16", arm_batch_matmul_s16(&none, &bmm16, &tensor, &left, x16, &right, w16, &product, y16), y16, rows * out_c);
}

}  // namespace

int main() {
  for (const auto rounding : {arm_nn_rounding::twice, arm_nn_rounding::once})
    for (const auto core : {arm_nn_core::scalar, arm_nn_core::dsp, arm_nn_core::helium}) {
      arm_nn_simulate(core, rounding);
      hash = 0;
      state = 1;
      for (int i = 0; i < 30; ++i) run_layers();
      std::printf("%d %d: %08lx\n", static_cast<int>(rounding), static_cast<int>(core), static_cast<unsigned long>(hash));
    }
}
