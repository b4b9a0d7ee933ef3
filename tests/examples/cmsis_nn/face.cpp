// SPDX-License-Identifier: Apache-2.0
#include "face.hpp"

#include "prepare.hpp"

using namespace face;

constexpr auto convolve_s8 = convolve<int8_t, int8_t, int32_t>;
constexpr auto depthwise_s8 = convolve_depthwise<int8_t, int8_t, int32_t>;
constexpr auto depthwise_s4 = convolve_depthwise<int8_t, q::int4, int32_t>;
constexpr auto depthwise_s16 = convolve_depthwise_s16;

void arm_nn_simulate(arm_nn_core core, arm_nn_rounding rounding) {
  const bool is_helium = core == arm_nn_core::helium;
  if (rounding == arm_nn_rounding::twice)
    now = is_helium ? by<q::cmsis_nn::mve_double_rounding>(true, true) : by<q::cmsis_nn::double_rounding>(false, true);
  else
    now = is_helium ? by<q::cmsis_nn::mve_single_rounding>(true, false) : by<q::cmsis_nn::single_rounding>(false, false);
}

// The parameters that all functions of a kind have, in their order.
#define FACE_PARAMETERS(Params, Quantization, X, Bias)                                                              \
  [[maybe_unused]] const cmsis_nn_context *ctx, const Params *p, const Quantization *m, const dims *in, const X *x, \
      const dims *filter, const int8_t *w, [[maybe_unused]] const dims *bias_dims, const Bias *bias, const dims *out, X *y
#define FACE_CONVOLVE(name, operation, taken, depth)                                             \
  status name(FACE_PARAMETERS(cmsis_nn_conv_params, per_channel, int8_t, int32_t)) {             \
    return convolve(s8, operation, shape::taken, depth, p, m, in, filter, out, {x, w, bias, y}); \
  }
#define FACE_DEPTHWISE(name, X, Bias, numbers, operation, taken)                               \
  status name(FACE_PARAMETERS(cmsis_nn_dw_conv_params, per_channel, X, Bias)) {                \
    return depthwise(numbers, operation, taps::taken, p, m, in, filter, out, {x, w, bias, y}); \
  }
#define FACE_LINEAR(name, Quantization, X, Bias, numbers, operation, sums)                    \
  status name(FACE_PARAMETERS(cmsis_nn_fc_params, Quantization, X, Bias)) {                   \
    return fully_connected(numbers, operation, sums, p, m, in, filter, out, {x, w, bias, y}); \
  }
// Defines another name of a function.
#define FACE_SAME(name, other, Params, X, Bias)                         \
  status name(FACE_PARAMETERS(Params, per_channel, X, Bias)) {          \
    return other(ctx, p, m, in, x, filter, w, bias_dims, bias, out, y); \
  }

// The last argument is the depth of a group. arm_convolve_s8 has groups and reads filter->c. arm_convolve_1_x_n_s8 calls it
// on cores without Helium. Other functions do not read filter->c.
FACE_CONVOLVE(arm_convolve_wrapper_s8, convolve_s8, any, filter->c)
FACE_CONVOLVE(arm_convolve_1_x_n_s8, convolve_s8, one_row, now.is_helium ? in->c : filter->c)
FACE_CONVOLVE(arm_convolve_1x1_s8, convolve_s8, one_tap, in->c)
FACE_CONVOLVE(arm_convolve_1x1_s8_fast, convolve_s8, one_tap_each_pixel, in->c)
FACE_CONVOLVE(arm_convolve_wrapper_s4, convolve_s4<>, any, in->c)
FACE_SAME(arm_convolve_s4, arm_convolve_wrapper_s4, cmsis_nn_conv_params, int8_t, int32_t)
FACE_CONVOLVE(arm_convolve_1_x_n_s4, convolve_s4<>, one_row, in->c)
FACE_CONVOLVE(arm_convolve_1x1_s4, convolve_s4<>, one_tap, in->c)
FACE_CONVOLVE(arm_convolve_1x1_s4_fast, convolve_s4<>, one_tap_each_pixel, in->c)

status arm_convolve_even_s4(FACE_PARAMETERS(cmsis_nn_conv_params, per_channel, int8_t, int32_t)) {
  if (!now.is_helium) return ARM_CMSIS_NN_NO_IMPL_ERROR;
  return convolve(s8, convolve_s4<>, shape::even_window, in->c, p, m, in, filter, out, {x, w, bias, y});
}

status arm_convolve_s8(const cmsis_nn_context* ctx, const cmsis_nn_conv_params* p, const per_channel* m, const dims* in,
                       const int8_t* x, const dims* filter, const int8_t* w, const dims* bias_dims, const int32_t* bias,
                       const dims* upscale, const dims* out, int8_t* y) {
  if (upscale != nullptr && (upscale->h > 1 || upscale->w > 1)) return ARM_CMSIS_NN_NO_IMPL_ERROR;
  return arm_convolve_wrapper_s8(ctx, p, m, in, x, filter, w, bias_dims, bias, out, y);
}

status arm_convolve_s16(FACE_PARAMETERS(cmsis_nn_conv_params, per_channel, int16_t, cmsis_nn_bias_data)) {
  const bool is_short = bias != nullptr && bias->is_int32_bias;
  return convolve(is_short ? s16_with_int32_bias : s16, is_short ? convolve<int16_t, int8_t, int32_t> : convolve_s16, shape::any,
                  in->c, p, m, in, filter, out, {x, w, bias == nullptr ? nullptr : bias->data, y});
}
FACE_SAME(arm_convolve_wrapper_s16, arm_convolve_s16, cmsis_nn_conv_params, int16_t, cmsis_nn_bias_data)

FACE_DEPTHWISE(arm_depthwise_conv_wrapper_s8, int8_t, int32_t, s8, depthwise_s8, any)
FACE_SAME(arm_depthwise_conv_s8, arm_depthwise_conv_wrapper_s8, cmsis_nn_dw_conv_params, int8_t, int32_t)
FACE_DEPTHWISE(arm_depthwise_conv_s8_opt, int8_t, int32_t, s8, depthwise_s8, any_undilated)
FACE_DEPTHWISE(arm_depthwise_conv_3x3_s8, int8_t, int32_t, s8, depthwise_s8, three_by_three)
FACE_DEPTHWISE(arm_depthwise_conv_wrapper_s4, int8_t, int32_t, s8, depthwise_s4, any)
FACE_SAME(arm_depthwise_conv_s4, arm_depthwise_conv_wrapper_s4, cmsis_nn_dw_conv_params, int8_t, int32_t)
FACE_DEPTHWISE(arm_depthwise_conv_s4_opt, int8_t, int32_t, s8, depthwise_s4, any_undilated)
FACE_DEPTHWISE(arm_depthwise_conv_wrapper_s16, int16_t, int64_t, s16, depthwise_s16, any)
FACE_SAME(arm_depthwise_conv_s16, arm_depthwise_conv_wrapper_s16, cmsis_nn_dw_conv_params, int16_t, int64_t)
FACE_DEPTHWISE(arm_depthwise_conv_fast_s16, int16_t, int64_t, s16, depthwise_s16, fewer_than_512)

status arm_transpose_conv_s8(const cmsis_nn_context*, const cmsis_nn_context*, const cmsis_nn_transpose_conv_params* p,
                             const per_channel* m, const dims* in, const int8_t* x, const dims* filter, const int8_t* w,
                             const dims*, const int32_t* bias, const dims* out, int8_t* y) {
  return transpose_conv(p, m, in, filter, out, {x, w, bias, y});
}
status arm_transpose_conv_wrapper_s8(const cmsis_nn_context* ctx, const cmsis_nn_context* output_ctx,
                                     const cmsis_nn_transpose_conv_params* p, const per_channel* m, const dims* in,
                                     const int8_t* x, const dims* filter, const int8_t* w, const dims* bias_dims,
                                     const int32_t* bias, const dims* out, int8_t* y) {
  return arm_transpose_conv_s8(ctx, output_ctx, p, m, in, x, filter, w, bias_dims, bias, out, y);
}

FACE_LINEAR(arm_fully_connected_s8, per_tensor, int8_t, int32_t, s8, convolve_s8, ctx)
FACE_LINEAR(arm_fully_connected_per_channel_s8, per_channel, int8_t, int32_t, s8, convolve_s8, ctx)
FACE_LINEAR(arm_fully_connected_wrapper_s8, cmsis_nn_quant_params, int8_t, int32_t, s8, convolve_s8, ctx)
FACE_LINEAR(arm_fully_connected_s4, per_tensor, int8_t, int32_t, s8, convolve_s4<>, nullptr)
FACE_LINEAR(arm_fully_connected_s16, per_tensor, int16_t, int64_t, s16, convolve_s16, nullptr)
FACE_LINEAR(arm_fully_connected_per_channel_s16, per_channel, int16_t, int64_t, s16, convolve_s16, nullptr)

status arm_batch_matmul_s8(const cmsis_nn_context*, const cmsis_nn_bmm_params* p, const per_tensor* m, const dims* left,
                           const int8_t* x, const dims* right, const int8_t* w, const dims* out, int8_t* y) {
  return batch_matmul(s8, convolve_s8, 1, p, m, left, right, out, {x, w, nullptr, y});
}
status arm_batch_matmul_s16(const cmsis_nn_context*, const cmsis_nn_bmm_params* p, const per_tensor* m, const dims* left,
                            const int16_t* x, const dims* right, const int16_t* w, const dims* out, int16_t* y) {
  return batch_matmul(s16, convolve<int16_t, int16_t, int64_t>, 2, p, m, left, right, out, {x, w, nullptr, y});
}

status arm_vector_sum_s8(int32_t* to, int32_t cols, int32_t rows, const int8_t* w, int32_t x_offset, int32_t w_offset,
                         const int32_t* bias) {
  return vector_sum(to, cols, rows, w, x_offset, w_offset, bias);
}
status arm_vector_sum_s8_s64(int64_t* to, int32_t cols, int32_t rows, const int8_t* w, int32_t x_offset, const int64_t* bias) {
  return vector_sum(to, cols, rows, w, x_offset, 0, bias);
}

// No function needs scratch, except the linear layers of Helium, for their sums.
#define FACE_SIZE(name, ...) \
  int32_t name##_buffer_size(__VA_ARGS__) { return 0; }
FACE_SIZE(arm_convolve_s8_get, const dims*, const dims*)
FACE_SIZE(arm_convolve_s4_get, const dims*, const dims*)
FACE_SIZE(arm_convolve_even_s4_get, const dims*, const dims*)
FACE_SIZE(arm_convolve_s16_get, const dims*, const dims*)
FACE_SIZE(arm_depthwise_conv_s8_opt_get, const dims*, const dims*)
FACE_SIZE(arm_depthwise_conv_s4_opt_get, const dims*, const dims*)
FACE_SIZE(arm_depthwise_conv_fast_s16_get, const dims*, const dims*)
FACE_SIZE(arm_convolve_wrapper_s8_get, const cmsis_nn_conv_params*, const dims*, const dims*, const dims*)
FACE_SIZE(arm_convolve_wrapper_s4_get, const cmsis_nn_conv_params*, const dims*, const dims*, const dims*)
FACE_SIZE(arm_convolve_wrapper_s16_get, const cmsis_nn_conv_params*, const dims*, const dims*, const dims*)
FACE_SIZE(arm_convolve_1_x_n_s8_get, const cmsis_nn_conv_params*, const dims*, const dims*, const dims*)
FACE_SIZE(arm_convolve_1_x_n_s4_get, const cmsis_nn_conv_params*, const dims*, const dims*, const dims*)
FACE_SIZE(arm_depthwise_conv_wrapper_s8_get, const cmsis_nn_dw_conv_params*, const dims*, const dims*, const dims*)
FACE_SIZE(arm_depthwise_conv_wrapper_s4_get, const cmsis_nn_dw_conv_params*, const dims*, const dims*, const dims*)
FACE_SIZE(arm_depthwise_conv_wrapper_s16_get, const cmsis_nn_dw_conv_params*, const dims*, const dims*, const dims*)
FACE_SIZE(arm_convolve_1x1_s8_fast_get, const dims*)
FACE_SIZE(arm_convolve_1x1_s4_fast_get, const dims*)
FACE_SIZE(arm_transpose_conv_s8_get, const cmsis_nn_transpose_conv_params*, const dims*, const dims*, const dims*)
FACE_SIZE(arm_transpose_conv_s8_get_reverse_conv, const cmsis_nn_transpose_conv_params*, const dims*, const dims*)
FACE_SIZE(arm_fully_connected_s16_get, const dims*)
int32_t arm_fully_connected_s8_get_buffer_size(const dims* filter) {
  return now.is_helium ? filter->c * static_cast<int32_t>(sizeof(int32_t)) : 0;
}
