// SPDX-License-Identifier: Apache-2.0
// The arguments that CMSIS-NN's interface refuses, one wrong argument at a time, and the edge arguments that it accepts.

#include "refusals.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>

#include "face.hpp"

namespace {

constexpr auto ok = ARM_CMSIS_NN_SUCCESS;
constexpr auto wrong = ARM_CMSIS_NN_ARG_ERROR;
constexpr std::int32_t half = 1 << 30;

/// Arguments that all functions accept: one row of three pixels, two input and two output channels. A test spoils one of them.
struct arguments {
  std::int8_t x[12] = {1, 2, 3, 4, 5, 6};
  std::int16_t x16[12] = {100, 200, 300, 400, 500, 600};
  std::int8_t w[16] = {1, 2, 3, 4};
  std::int32_t bias[2] = {10, 20};
  std::int64_t bias64[2] = {10, 20};
  std::int8_t y[16] = {};
  std::int16_t y16[16] = {};
  std::int32_t multipliers[2] = {half, half};
  std::int32_t shifts[2] = {0, 0};
  std::int32_t sums[2] = {};

  const std::int8_t* input = x;
  const std::int8_t* weights = w;
  std::int8_t* output = y;
  cmsis_nn_context context{nullptr, 0};
  cmsis_nn_dims in{1, 1, 3, 2};
  cmsis_nn_dims filter{2, 1, 1, 2};
  cmsis_nn_dims bias_dims{1, 1, 1, 2};
  cmsis_nn_dims upscale{1, 1, 1, 1};
  cmsis_nn_dims out{1, 1, 3, 2};
  cmsis_nn_per_channel_quant_params quant{multipliers, shifts};
  cmsis_nn_per_tensor_quant_params tensor{half, 0};
  cmsis_nn_conv_params conv{0, 0, {1, 1}, {0, 0}, {1, 1}, {-128, 127}};
  cmsis_nn_dw_conv_params depthwise{0, 0, 1, {1, 1}, {0, 0}, {1, 1}, {-128, 127}};
  cmsis_nn_transpose_conv_params transposed{0, 0, {1, 1}, {0, 0}, {0, 0}, {1, 1}, {-128, 127}};
  cmsis_nn_fc_params linear{0, 0, 0, {-128, 127}};
  const cmsis_nn_bias_data bias_data{bias64, false};

  arguments() = default;
  arguments(const arguments&) = delete;

  auto convolve(arm_nn_convolve_s8* f) {
    return f(&context, &conv, &quant, &in, input, &filter, weights, &bias_dims, bias, &out, output);
  }
  auto convolve_s8() {
    return arm_convolve_s8(&context, &conv, &quant, &in, input, &filter, weights, &bias_dims, bias, &upscale, &out, output);
  }
  auto convolve_s16() {
    return arm_convolve_s16(&context, &conv, &quant, &in, x16, &filter, weights, &bias_dims, &bias_data, &out, y16);
  }
  auto convolve_depthwise(arm_nn_depthwise_s8* f) {
    cmsis_nn_dims taps = filter;
    taps.n = 1;
    return f(&context, &depthwise, &quant, &in, input, &taps, weights, &bias_dims, bias, &out, output);
  }
  auto transpose() {
    return arm_transpose_conv_s8(&context, &context, &transposed, &quant, &in, input, &filter, weights, &bias_dims, bias, &out,
                                 output);
  }
  auto fully_connected() {
    const cmsis_nn_dims rows{3, 1, 1, 2};
    const cmsis_nn_dims depth{2, 1, 1, 2};
    return arm_fully_connected_s8(&context, &linear, &tensor, &rows, input, &depth, weights, &bias_dims, bias, &rows, output);
  }
  auto matmul() {
    const cmsis_nn_bmm_params params{false, false, linear};
    const cmsis_nn_dims right{filter.n == 2 ? 1 : filter.n, 1, 2, filter.c};
    return arm_batch_matmul_s8(&context, &params, &tensor, &in, input, &right, weights, &out, output);
  }
};

const char* now = "";
void (*expect)(bool, const char*, const char*) = nullptr;

/// Expects that a function accepts the arguments, and returns `status` after `spoil` has changed them.
template <class Spoil, class Call>
void after(const char* what, arm_cmsis_nn_status status, const Spoil& spoil, const Call& call) {
  arguments a;
  expect(call(a) == ok, "refused as it was", what);
  spoil(a);
  expect(call(a) == status, now, what);
}

void check_what_all_have() {
  const auto each = [](const char* what, arm_cmsis_nn_status status, auto spoil) {
    after(what, status, spoil, [](arguments& a) { return a.convolve(arm_convolve_wrapper_s8); });
    after(what, status, spoil, [](arguments& a) { return a.convolve_depthwise(arm_depthwise_conv_wrapper_s8); });
    after(what, status, spoil, [](arguments& a) { return a.transpose(); });
    after(what, status, spoil, [](arguments& a) { return a.fully_connected(); });
    after(what, status, spoil, [](arguments& a) { return a.matmul(); });
  };
  each("no input", wrong, [](arguments& a) { a.input = nullptr; });
  each("no weights", wrong, [](arguments& a) { a.weights = nullptr; });
  each("no output", wrong, [](arguments& a) { a.output = nullptr; });
  const auto set_offsets = [](arguments& a, std::int32_t x, std::int32_t y) {
    a.conv.input_offset = a.depthwise.input_offset = a.transposed.input_offset = a.linear.input_offset = x;
    a.conv.output_offset = a.depthwise.output_offset = a.transposed.output_offset = a.linear.output_offset = y;
  };
  const std::int32_t least = std::numeric_limits<std::int32_t>::min();
  each("input offset 128", ok, [&](arguments& a) { set_offsets(a, 128, 0); });
  each("input offset 129", wrong, [&](arguments& a) { set_offsets(a, 129, 0); });
  each("input offset -128", wrong, [&](arguments& a) { set_offsets(a, -128, 0); });
  each("input offset of all bits", wrong, [&](arguments& a) { set_offsets(a, least, 0); });
  each("output offset 128", ok, [&](arguments& a) { set_offsets(a, 0, 128); });
  each("output offset 129", wrong, [&](arguments& a) { set_offsets(a, 0, 129); });
  each("output offset -129", wrong, [&](arguments& a) { set_offsets(a, 0, -129); });
  const auto set_range = [](arguments& a, cmsis_nn_activation range) {
    a.conv.activation = a.depthwise.activation = a.transposed.activation = a.linear.activation = range;
  };
  each("one value", ok, [&](arguments& a) { set_range(a, {5, 5}); });
  each("no value", wrong, [&](arguments& a) { set_range(a, {1, 0}); });
  each("a value that is no int8", wrong, [&](arguments& a) { set_range(a, {-129, 0}); });
  const auto set_multiplier = [](arguments& a, std::int32_t m, std::int32_t s) {
    a.multipliers[1] = a.tensor.multiplier = m;
    a.shifts[1] = a.tensor.shift = s;
  };
  each("a multiplier of 0", ok, [&](arguments& a) { set_multiplier(a, 0, 0); });
  each("a multiplier below all", wrong, [&](arguments& a) { set_multiplier(a, least, 0); });
  each("a shift of 30", ok, [&](arguments& a) { set_multiplier(a, half, 30); });
  each("a shift of 31", wrong, [&](arguments& a) { set_multiplier(a, half, 31); });
  each("a shift of -31", ok, [&](arguments& a) { set_multiplier(a, half, -31); });
  each("a shift of -32", wrong, [&](arguments& a) { set_multiplier(a, half, -32); });
}

void check_windows() {
  const auto wrapper = [](arguments& a) { return a.convolve(arm_convolve_wrapper_s8); };
  const auto one_tap = [](arguments& a) { return a.convolve(arm_convolve_1x1_s8); };
  const auto each_pixel = [](arguments& a) { return a.convolve(arm_convolve_1x1_s8_fast); };
  const auto stride_two = [](arguments& a) {
    a.conv.stride.w = 2;
    a.out.w = 2;
  };
  const auto one_row = [&](arguments& a) {  // every second pixel of two channels is four bytes apart
    if (a.conv.stride.w == 1) stride_two(a);
    return a.convolve(arm_convolve_1_x_n_s8);
  };
  const auto depthwise = [](arguments& a) { return a.convolve_depthwise(arm_depthwise_conv_wrapper_s8); };
  const auto optimized = [](arguments& a) { return a.convolve_depthwise(arm_depthwise_conv_s8_opt); };
  const auto transposed = [](arguments& a) { return a.transpose(); };
  const auto s16 = [](arguments& a) { return a.convolve_s16(); };

  after(
      "no image", wrong, [](arguments& a) { a.in.n = 0; }, wrapper);
  after(
      "a negative size", wrong, [](arguments& a) { a.out.w = -1; }, wrapper);
  after(
      "stride 0", wrong, [](arguments& a) { a.conv.stride.w = 0; }, wrapper);
  after(
      "negative padding", wrong, [](arguments& a) { a.conv.padding.h = -1; }, wrapper);
  after(
      "dilation 0 of one tap", ok,
      [](arguments& a) {
        a.conv.dilation = {0, 0};
      },
      wrapper);
  const auto two_taps = [](arguments& a) {
    a.filter.w = 2;
    a.out.w = 2;
  };
  after("two taps", ok, two_taps, wrapper);
  const auto no_dilation = [&](arguments& a) {
    two_taps(a);
    a.conv.dilation.w = 0;
  };
  after("dilation 0 of two taps", wrong, no_dilation, wrapper);
  after(
      "two groups", ok, [](arguments& a) { a.filter.c = 1; }, wrapper);
  const auto uneven = [](arguments& a) {
    a.in = {1, 1, 2, 3};
    a.filter.c = 2;
    a.out.w = 2;
  };
  after("groups of no whole number of channels", wrong, uneven, wrapper);
  const auto one_channel = [](arguments& a) {
    a.filter.c = 1;
    a.out.c = 1;
  };
  after("fewer channels than groups", wrong, one_channel, wrapper);

  after("two taps of one", wrong, two_taps, one_tap);
  after(
      "padding of one tap", wrong, [](arguments& a) { a.conv.padding.w = 1; }, one_tap);
  after("stride 2 of one tap", ok, stride_two, one_tap);
  after("stride 2 of each pixel", wrong, stride_two, each_pixel);
  after(
      "two rows of one", wrong,
      [](arguments& a) {
        a.in = {1, 2, 3, 2}, a.out.h = 2;
      },
      one_row);
  const auto two_bytes = [](arguments& a) { a.in.c = a.filter.c = 1; };
  after("two bytes from one window to the next", ok, two_bytes, wrapper);
  after("two bytes from one window to the next of one row", wrong, two_bytes, one_row);
  for (const int dilation : {0, 2}) {
    const auto dilated = [&](arguments& a) { a.conv.dilation.w = dilation; };
    after("dilation of one tap", ok, dilated, wrapper);
    after("dilation of one tap of one row", wrong, dilated, one_row);
  }
  after(
      "upscaled", ARM_CMSIS_NN_NO_IMPL_ERROR, [](arguments& a) { a.upscale.w = 2; },
      [](arguments& a) { return a.convolve_s8(); });

  after(
      "another channel multiplier", wrong, [](arguments& a) { a.depthwise.ch_mult = 2; }, depthwise);
  const auto multiplied = [](arguments& a) {
    a.in = {1, 1, 3, 1};
    a.depthwise.ch_mult = 2;
  };
  after("channel multiplier 2", ok, multiplied, depthwise);
  after("channel multiplier 2 of one", wrong, multiplied, optimized);
  after(
      "a dilation that is not read", ok,
      [](arguments& a) {
        a.depthwise.dilation = {0, -1};
      },
      optimized);

  after(
      "stride 0, transposed", wrong, [](arguments& a) { a.transposed.stride.h = 0; }, transposed);
  after(
      "dilation, transposed", wrong, [](arguments& a) { a.transposed.dilation.w = 2; }, transposed);
  const auto many_phases = [](arguments& a) {
    a.transposed.input_offset = 1;
    a.transposed.stride = {400, 400};
    a.filter = {2, 400, 400, 2};
  };
  after("more phases than there is room for", ARM_CMSIS_NN_NO_IMPL_ERROR, many_phases, transposed);

  const auto range = [](arguments& a) { a.conv.activation = {-32768, 32767}; };
  after("int16", ok, range, s16);
  after(
      "offsets of int16, which are not used", ok, [](arguments& a) { a.conv.input_offset = a.conv.output_offset = 999; }, s16);
  after(
      "a shift of 7, int16", ok, [](arguments& a) { a.shifts[0] = 7; }, s16);
  after(
      "a shift of 8, int16", wrong, [](arguments& a) { a.shifts[0] = 8; }, s16);
  after(
      "a negative multiplier, int16", wrong, [](arguments& a) { a.multipliers[0] = -half; }, s16);
}

/// Checks that functions without groups do not read the depth of the filter.
void check_depth() {
  const auto unset = [](arguments& a) { a.filter.c = -7; };
  for (arm_nn_convolve_s8* const f : {arm_convolve_1x1_s8, arm_convolve_1x1_s8_fast, arm_convolve_wrapper_s4, arm_convolve_s4,
                                      arm_convolve_1x1_s4, arm_convolve_1x1_s4_fast})
    after("no depth of the filter", ok, unset, [f](arguments& a) { return a.convolve(f); });
  after("no depth of the filter, int16", ok, unset, [](arguments& a) { return a.convolve_s16(); });
  after("no depth of the filter, depthwise", ok, unset,
        [](arguments& a) { return a.convolve_depthwise(arm_depthwise_conv_wrapper_s8); });
  after("no depth of the filter, which has groups", wrong, unset,
        [](arguments& a) { return a.convolve(arm_convolve_wrapper_s8); });
  after("no depth of the filter, which has groups", wrong, unset, [](arguments& a) { return a.convolve_s8(); });
  const auto one_row = [](arm_nn_convolve_s8* f) {
    return [f](arguments& a) {
      a.conv.stride.w = 2;
      a.out.w = 2;
      return a.convolve(f);
    };
  };
  after("no depth of the filter of one row", ok, unset, one_row(arm_convolve_1_x_n_s4));
  after("no depth of the filter of one row", wrong, unset, one_row(arm_convolve_1_x_n_s8));
  arm_nn_simulate(arm_nn_core::helium);
  after("no depth of the filter of one row of Helium", ok, unset, one_row(arm_convolve_1_x_n_s8));
  after("an even number of weights", ok, unset, [](arguments& a) { return a.convolve(arm_convolve_even_s4); });
  const auto odd = [](arguments& a) { a.in.c = 1; };
  after("an odd number of weights", wrong, odd, [](arguments& a) { return a.convolve(arm_convolve_even_s4); });
  arm_nn_simulate(arm_nn_core::dsp);
  arguments a;
  expect(a.convolve(arm_convolve_even_s4) == ARM_CMSIS_NN_NO_IMPL_ERROR, "taken without Helium", "arm_convolve_even_s4");
}

/// Checks depthwise functions that accept some sizes, where other functions accept all.
void check_sizes_of_depthwise() {
  const auto by = [](arm_nn_depthwise_s8* f) {
    return [f](arguments& a) {
      if (a.filter.h == 1) {
        a.in = {1, 3, 3, 1};
        a.filter = {1, 3, 3, 1};
        a.out = {1, 1, 1, 1};
      }
      return a.convolve_depthwise(f);
    };
  };
  const auto refused = [&](const char* what, const auto& spoil) {
    after(what, ok, spoil, by(arm_depthwise_conv_wrapper_s8));
    after(what, wrong, spoil, by(arm_depthwise_conv_3x3_s8));
  };
  refused("four columns of taps", [](arguments& a) { a.in.w = a.filter.w = 4; });
  refused("two rows of taps", [](arguments& a) { a.filter.h = 2; });
  refused("padding of two columns", [](arguments& a) { a.depthwise.padding.w = 2; });
  after(
      "padding of two rows", ok, [](arguments& a) { a.depthwise.padding.h = 2; }, by(arm_depthwise_conv_3x3_s8));

  static std::int8_t taps[512];
  const std::int16_t x = 1;
  std::int16_t y = 0;
  std::int32_t multiplier = half, shift = 0;
  const cmsis_nn_context none{nullptr, 0};
  const cmsis_nn_per_channel_quant_params quant{&multiplier, &shift};
  const cmsis_nn_dims one{1, 1, 1, 1};
  for (const int width : {511, 512}) {
    const cmsis_nn_dw_conv_params params{0, 0, 1, {1, 1}, {width - 1, 0}, {1, 1}, {-32768, 32767}};
    const cmsis_nn_dims filter{1, 1, width, 1};
    const auto run = [&](arm_nn_depthwise_s16* f) {
      return f(&none, &params, &quant, &one, &x, &filter, taps, &one, nullptr, &one, &y);
    };
    expect(run(arm_depthwise_conv_wrapper_s16) == ok, "refused", "many taps of int16");
    expect(run(arm_depthwise_conv_fast_s16) == (width < 512 ? ok : wrong), "another status", "many taps of int16");
  }
}

void check_matrices() {
  const auto matmul = [](arguments& a) { return a.matmul(); };
  after(
      "depths that differ", wrong, [](arguments& a) { a.in.c = 1; }, matmul);
  after(
      "batches that differ", wrong, [](arguments& a) { a.filter.n = 3; }, matmul);
  after(
      "weights' zero point 128", ok, [](arguments& a) { a.linear.filter_offset = 128; }, matmul);
  after(
      "weights' zero point -129", wrong, [](arguments& a) { a.linear.filter_offset = 129; }, matmul);
  arguments a;
  arm_nn_simulate(arm_nn_core::helium);
  expect(a.fully_connected() == wrong, "took no sums", "arm_fully_connected_s8 of Helium");
  a.context = {a.sums, sizeof(a.sums)};
  expect(a.fully_connected() == ok, "refused its sums", "arm_fully_connected_s8 of Helium");
  arm_nn_simulate(arm_nn_core::dsp);
  expect(arm_vector_sum_s8(nullptr, 1, 1, a.w, 0, 0, nullptr) == wrong, "took nothing", "arm_vector_sum_s8");
  expect(arm_vector_sum_s8(a.sums, 0, 1, a.w, 0, 0, nullptr) == wrong, "took no column", "arm_vector_sum_s8");
}

}  // namespace

void check_refusals(void (*report)(bool, const char*, const char*)) {
  expect = report;
  for (const auto core : {arm_nn_core::scalar, arm_nn_core::dsp}) {
    arm_nn_simulate(core);
    now = core == arm_nn_core::dsp ? "another status as dsp" : "another status";
    check_what_all_have();
    check_windows();
    check_sizes_of_depthwise();
  }
  check_depth();
  check_matrices();
}
