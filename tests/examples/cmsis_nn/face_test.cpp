// SPDX-License-Identifier: Apache-2.0
// Random layers through CMSIS-NN's interface, for each core and rounding, against their definition in plain loops; then edges.

#include <cstdio>

#include "calls.hpp"
#include "refusals.hpp"

namespace {

using namespace face_test;

/// The layers that a function accepts.
enum class takes { all, one_row, one_tap, one_tap_each_pixel, one_multiplier, three_by_three, even };

problem random_problem(op operation, kind numbers, takes taken, dice& roll) {
  problem p{};
  p.operation = operation;
  p.numbers = numbers;
  layer& l = p.l;
  l = oracle::random_layer(operation, roll);
  if (operation == op::transposed_conv2d) {
    // CMSIS-NN has no output padding of its own, so each output has a tap, and neither dilation nor groups.
    for (oracle::axis* a : {&l.y, &l.x}) a->after = 0, a->dilation = 1;
    l.groups = 1;
    l.out_h = oracle::scattered(l.h, l.y, 0);
    l.out_w = oracle::scattered(l.w, l.x, 0);
    if (l.out_h < 1 || l.out_w < 1) return random_problem(operation, numbers, taken, roll);
  }
  if (operation == op::conv2d && (numbers != kind::s8 || taken == takes::one_row)) l.groups = 1;  // int4 and int16 have one group
  if (taken == takes::one_row) {
    l.h = l.out_h = 1;
    l.y = {};
    l.c *= 4;
    l.x.dilation = 1;
    l.out_w = oracle::windows(l.w, l.x);
  } else if (taken == takes::even) {
    l.c *= 2;
  } else if (taken == takes::one_tap || taken == takes::one_tap_each_pixel) {
    const oracle::size stride = taken == takes::one_tap ? l.y.stride : 1;
    l.y = l.x = {};
    l.y.stride = l.x.stride = stride;
    l.c /= l.groups;
    l.out_c /= l.groups;
    l.groups = 1;
    l.out_h = oracle::windows(l.h, l.y);
    l.out_w = oracle::windows(l.w, l.x);
  } else if (taken == takes::one_multiplier || taken == takes::three_by_three) {
    l.out_c = l.c;
    l.y.dilation = l.x.dilation = 1;
    if (taken == takes::three_by_three) {
      l.y.kernel = l.x.kernel = 3;
      l.y.before = l.y.after = l.x.before = l.x.after = 1;
    }
    l.out_h = oracle::windows(l.h, l.y);
    l.out_w = oracle::windows(l.w, l.x);
  }
  if (operation != op::linear && operation != op::transposed_conv2d) {
    // CMSIS-NN computes the number of outputs that the caller states, and ignores the rest of the input.
    if (l.out_h > 1 && roll.one_in(4)) --l.out_h;
    if (l.out_w > 1 && roll.one_in(4)) --l.out_w;
    if (l.y.kernel == 1) l.y.dilation = static_cast<oracle::size>(roll(0, 1));
  }
  fill(p, roll);
  return p;
}

using check = void (*)(const char* name, const problem& p, const build& b);
struct function {
  const char* name;
  op operation;
  kind numbers;
  takes taken;
  check run;
};
#define FACE_TEST(name, operation, numbers, taken, ...)                                      \
  {                                                                                          \
#name, op::operation, kind::numbers, takes::taken,                                       \
        [](const char* n, const problem& p, const build& b) { __VA_ARGS__(n, &name, p, b); } \
  }
#define FACE_CONV(name, numbers, taken) \
  FACE_TEST(name, conv2d, numbers, taken, check_windows<std::int8_t, std::int32_t, cmsis_nn_conv_params>)
#define FACE_DW(name, numbers, taken) \
  FACE_TEST(name, depthwise, numbers, taken, check_windows<std::int8_t, std::int32_t, cmsis_nn_dw_conv_params>)
#define FACE_DW16(name, taken) \
  FACE_TEST(name, depthwise, s16, taken, check_windows<std::int16_t, std::int64_t, cmsis_nn_dw_conv_params>)

const function functions[] = {
    FACE_CONV(arm_convolve_wrapper_s8, s8, all),
    FACE_CONV(arm_convolve_s8, s8, all),
    FACE_CONV(arm_convolve_1_x_n_s8, s8, one_row),
    FACE_CONV(arm_convolve_1x1_s8, s8, one_tap),
    FACE_CONV(arm_convolve_1x1_s8_fast, s8, one_tap_each_pixel),
    FACE_CONV(arm_convolve_wrapper_s4, s4, all),
    FACE_CONV(arm_convolve_s4, s4, all),
    FACE_CONV(arm_convolve_even_s4, s4, even),
    FACE_CONV(arm_convolve_1_x_n_s4, s4, one_row),
    FACE_CONV(arm_convolve_1x1_s4, s4, one_tap),
    FACE_CONV(arm_convolve_1x1_s4_fast, s4, one_tap_each_pixel),
    FACE_TEST(arm_convolve_s16, conv2d, s16, all, check_windows<std::int16_t, std::int64_t, cmsis_nn_conv_params>),
    FACE_TEST(arm_convolve_wrapper_s16, conv2d, s16_with_int32_bias, all,
              check_windows<std::int16_t, std::int32_t, cmsis_nn_conv_params>),
    FACE_DW(arm_depthwise_conv_wrapper_s8, s8, all),
    FACE_DW(arm_depthwise_conv_s8, s8, all),
    FACE_DW(arm_depthwise_conv_s8_opt, s8, one_multiplier),
    FACE_DW(arm_depthwise_conv_3x3_s8, s8, three_by_three),
    FACE_DW(arm_depthwise_conv_wrapper_s4, s4, all),
    FACE_DW(arm_depthwise_conv_s4, s4, all),
    FACE_DW(arm_depthwise_conv_s4_opt, s4, one_multiplier),
    FACE_DW16(arm_depthwise_conv_wrapper_s16, all),
    FACE_DW16(arm_depthwise_conv_s16, all),
    FACE_DW16(arm_depthwise_conv_fast_s16, one_multiplier),
    FACE_TEST(arm_transpose_conv_s8, transposed_conv2d, s8, all,
              check_windows<std::int8_t, std::int32_t, cmsis_nn_transpose_conv_params>),
    FACE_TEST(arm_transpose_conv_wrapper_s8, transposed_conv2d, s8, all,
              check_windows<std::int8_t, std::int32_t, cmsis_nn_transpose_conv_params>),
    FACE_TEST(arm_fully_connected_s8, linear, s8, all, check_linear<std::int8_t, std::int32_t, cmsis_nn_per_tensor_quant_params>),
    FACE_TEST(arm_fully_connected_per_channel_s8, linear, s8, all,
              check_linear<std::int8_t, std::int32_t, cmsis_nn_per_channel_quant_params>),
    FACE_TEST(arm_fully_connected_wrapper_s8, linear, s8, all, check_linear<std::int8_t, std::int32_t, cmsis_nn_quant_params>),
    FACE_TEST(arm_fully_connected_s4, linear, s4, all, check_linear<std::int8_t, std::int32_t, cmsis_nn_per_tensor_quant_params>),
    FACE_TEST(arm_fully_connected_s16, linear, s16, all,
              check_linear<std::int16_t, std::int64_t, cmsis_nn_per_tensor_quant_params>),
    FACE_TEST(arm_fully_connected_per_channel_s16, linear, s16, all,
              check_linear<std::int16_t, std::int64_t, cmsis_nn_per_channel_quant_params>),
};

void check_all_builds(const function& f, const problem& p) {
  for (const build& b : builds) {
    if (f.taken == takes::even && b.core != arm_nn_core::helium) continue;
    arm_nn_simulate(b.core, b.rounding);
    f.run(f.name, p, b);
  }
}

/// Checks sizes beyond the blocks and lanes of the implementation, and sums beyond int32.
void check_large(const function& f, dice& roll) {
  if (f.taken != takes::all) return;
  for (const oracle::size channels : {1023, 1024, 1031, 2050}) {
    problem p{};
    p.operation = f.operation;
    p.numbers = f.numbers;
    layer& l = p.l;
    l.out_c = channels;
    l.h = l.out_h = 2;
    l.w = l.out_w = f.operation == op::linear ? 1 : 2;
    l.c = f.operation == op::depthwise ? channels == 1024 ? 2 : channels == 2050 ? 1 : channels : 6;
    if (f.operation == op::conv2d) {
      l.groups = channels % 2 == 0 && f.numbers == kind::s8 ? 2 : 1;
      l.y.kernel = 2;
      l.y.before = 1;
      l.y.after = 0;
    }
    if (f.operation == op::transposed_conv2d) {
      l.y = {3, 2, 1, 1, 0};
      l.out_h = oracle::scattered(l.h, l.y, 0);
    }
    fill(p, roll);
    check_all_builds(f, p);
  }
  // Sums of int16 at the limit of 32 bits and slightly beyond it. 4-bit weights that exceed the buffer of bytes, in rows that
  // begin within a byte.
  const bool is_s4 = f.numbers == kind::s4;
  for (const oracle::size depth : is_s4 ? std::vector<oracle::size>{297, 300, 600} : std::vector<oracle::size>{511, 512, 1027}) {
    if (f.operation == op::depthwise) return;
    problem p{};
    p.operation = f.operation;
    p.numbers = f.numbers;
    p.l.c = depth;
    p.l.out_c = is_s4 ? 61 : 3;
    for (int round = 0; round < 8; ++round) {
      fill(p, roll);
      if (round < 2 && p.is_wide()) {
        p.x.assign(p.x.size(), -32768);
        p.w.assign(p.w.size(), -128);
        p.bias.assign(3, round << 22);
        p.range = {-32768, 32767};
      }
      check_all_builds(f, p);
    }
  }
}

template <class X>
void check_matmul(const char* name, arm_nn_batch_matmul<X>* function, kind numbers, dice& roll) {
  using oracle::size;
  const size n = roll(1, 3), h = roll(1, 2), rows = roll(1, 5), columns = roll(1, 40), depth = roll(1, 70);
  const bool one_n = roll.one_in(3), one_h = roll.one_in(3), left_is_one = roll.one_in(2);
  const auto shape = [&](bool is_left, size w) {
    const bool may = is_left == left_is_one;
    return dims(may && one_n ? 1 : n, may && one_h ? 1 : h, w, depth);
  };
  const cmsis_nn_dims left = shape(true, rows), right = shape(false, columns), out = dims(n, h, rows, columns);
  const int bits = numbers == kind::s16 ? 16 : 8;
  const auto x = as<X>(draw(roll, size{left.n} * left.h * rows * depth, bits));
  const auto w = as<X>(draw(roll, size{right.n} * right.h * columns * depth, bits));
  problem p{};
  p.operation = op::linear;
  p.numbers = numbers;
  p.l.h = rows;
  p.l.c = depth;
  p.l.out_c = columns;
  p.l.out_h = rows;
  fill(p, roll);
  p.bias.clear();
  p.l.zero_w = numbers == kind::s16 ? 0 : roll(-128, 127);
  auto fc = params_of<cmsis_nn_fc_params>(p);
  fc.filter_offset = static_cast<std::int32_t>(-p.l.zero_w);
  const cmsis_nn_bmm_params params{false, false, fc};
  const cmsis_nn_per_tensor_quant_params quant{p.multipliers[0], p.shifts[0]};
  const cmsis_nn_context none{nullptr, 0};
  for (const build& b : builds) {
    arm_nn_simulate(b.core, b.rounding);
    std::vector<X> y(static_cast<std::size_t>(n * h * rows * columns));
    const auto status = function(&none, &params, &quant, &left, x.data(), &right, w.data(), &out, y.data());
    for (size i = 0; i < n; ++i)
      for (size j = 0; j < h; ++j) {
        const auto from = [&](const cmsis_nn_dims& d, const std::vector<X>& all) {
          const size count = size{d.w} * depth;
          const X* const first = all.data() + ((d.n == 1 ? 0 : i) * d.h + (d.h == 1 ? 0 : j)) * count;
          return std::vector<std::int16_t>(first, first + count);
        };
        p.x = from(left, x);
        p.w = from(right, w);
        const X* const first = y.data() + (i * h + j) * rows * columns;
        compare(name, p, status, {first, first + rows * columns}, b, 0);
      }
  }
}

void check_vector_sums(dice& roll) {
  for (int i = 0; i < 50; ++i) {
    const auto cols = static_cast<std::int32_t>(roll(1, 90));
    const auto rows = static_cast<std::int32_t>(roll(1, 9));
    const auto offset = static_cast<std::int32_t>(roll(-128, 128));
    const auto w = as<std::int8_t>(draw(roll, oracle::size{cols} * rows, 8));
    const std::int64_t far = std::int64_t{1} << 40;
    std::vector<std::int64_t> bias, sums(static_cast<size>(rows));
    for (int r = 0; r < rows; ++r) bias.push_back(roll(-far, far));
    const bool has_bias = !roll.one_in(3);
    const auto status = arm_vector_sum_s8_s64(sums.data(), cols, rows, w.data(), offset, has_bias ? bias.data() : nullptr);
    expect(status == ARM_CMSIS_NN_SUCCESS, "refused", "arm_vector_sum_s8_s64");
    for (int r = 0; r < rows; ++r) {
      std::int64_t sum = has_bias ? bias[static_cast<size>(r)] : 0;
      for (int c = 0; c < cols; ++c) sum += std::int64_t{offset} * w[static_cast<size>(r * cols + c)];
      expect(sums[static_cast<size>(r)] == sum, "other sum", "arm_vector_sum_s8_s64");
    }
  }
}

}  // namespace

int main() {
  dice roll{std::mt19937{20260722}};
  int layers = 0;
  for (const function& f : functions) {
    for (int i = 0; i < 1000 / DYADIC_TEST_DIVISOR; ++i, ++layers)
      check_all_builds(f, random_problem(f.operation, f.numbers, f.taken, roll));
    check_large(f, roll);
  }
  for (int i = 0; i < 500 / DYADIC_TEST_DIVISOR; ++i, layers += 2) {
    check_matmul<std::int8_t>("arm_batch_matmul_s8", arm_batch_matmul_s8, kind::s8, roll);
    check_matmul<std::int16_t>("arm_batch_matmul_s16", arm_batch_matmul_s16, kind::s16, roll);
  }
  check_vector_sums(roll);
  check_refusals(expect);
  std::printf("%d random layers as three cores in two roundings: %d failures\n", layers, failures);
  return failures == 0 ? 0 : 1;
}
