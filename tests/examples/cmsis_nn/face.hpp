// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// CMSIS-NN's interface: its linear layers, convolutions and batched products by their names and arguments, computed by dyadic.
/// A program for a Cortex-M runs on its host, fast and with the bits of the core that it is built for.
///
/// Differences from a build of CMSIS-NN, apart from speed:
/// - No function needs scratch, and each `_get_buffer_size` is 0. The exception is the linear layers of Helium: they take
///   arm_vector_sum_s8 of the weights in place of the bias, here as in CMSIS-NN.
/// - Each function returns ARM_CMSIS_NN_ARG_ERROR for arguments with which it would read or write outside its memory,
///   for a null pointer, and for a multiplier or zero point outside its range.
/// - The int8 functions accept an output offset of 128. CMSIS-NN's interface excludes this offset, but CMSIS-NN's tests use it.
/// - A dilation of 0 is accepted for one tap.
/// - Sums of int16 by int8 never wrap in int32 unless the bias is int32. Sizes are not cut to 16 bits.
/// - A build of single rounding computes ends of rows on Helium under a predicate (`mve_predicated_single_rounding`).
///   Here all outputs are computed by `mve_single_rounding`, because the interface does not say where ends of rows are.

#include "types.hpp"

/// Sets the core whose results all functions give from now on, and its rounding.
/// CMSIS-NN is built with two roundings, or with one (CMSIS_NN_USE_SINGLE_ROUNDING).
/// Requires: one thread calls it, before the others start.
enum class arm_nn_core { scalar, dsp, helium };
enum class arm_nn_rounding { twice, once };
void arm_nn_simulate(arm_nn_core core, arm_nn_rounding rounding = arm_nn_rounding::twice);

/// Multiplies input_dims->n rows of filter_dims->n elements by output_dims->c channels.
/// On Helium the functions of int8 by int8 take ctx->buf of arm_vector_sum_s8 and no bias.
template <class Quantization, class X, class Bias>
using arm_nn_fully_connected = arm_cmsis_nn_status(const cmsis_nn_context* ctx, const cmsis_nn_fc_params* fc_params,
                                                   const Quantization* quant_params, const cmsis_nn_dims* input_dims,
                                                   const X* input_data, const cmsis_nn_dims* filter_dims,
                                                   const std::int8_t* filter_data, const cmsis_nn_dims* bias_dims,
                                                   const Bias* bias_data, const cmsis_nn_dims* output_dims, X* output_data);
/// y[n][h] = lhs[n][h] (rows x depth) by rhs[n][h] (columns x depth). An n or h of 1 is broadcast. Nothing is transposed.
template <class X>
using arm_nn_batch_matmul = arm_cmsis_nn_status(const cmsis_nn_context* ctx, const cmsis_nn_bmm_params* bmm_params,
                                                const cmsis_nn_per_tensor_quant_params* quant_params,
                                                const cmsis_nn_dims* input_lhs_dims, const X* input_lhs,
                                                const cmsis_nn_dims* input_rhs_dims, const X* input_rhs,
                                                const cmsis_nn_dims* output_dims, X* output);

extern "C" {

/// y = requantized sum of (x + input_offset) * w + bias. NHWC by OHWI; the bias may be null.
/// A byte holds two weights of s4, the first in the low nibble; rows are not aligned.
/// arm_convolve_s8 and its wrapper have input_dims->c / filter_dims->c groups, as has arm_convolve_1_x_n_s8 without Helium.
/// Other functions have one group and do not read filter_dims->c.
using arm_nn_convolve_s8 = arm_cmsis_nn_status(const cmsis_nn_context* ctx, const cmsis_nn_conv_params* conv_params,
                                               const cmsis_nn_per_channel_quant_params* quant_params,
                                               const cmsis_nn_dims* input_dims, const std::int8_t* input_data,
                                               const cmsis_nn_dims* filter_dims, const std::int8_t* filter_data,
                                               const cmsis_nn_dims* bias_dims, const std::int32_t* bias_data,
                                               const cmsis_nn_dims* output_dims, std::int8_t* output_data);
arm_nn_convolve_s8 arm_convolve_wrapper_s8, arm_convolve_wrapper_s4, arm_convolve_s4;
arm_nn_convolve_s8 arm_convolve_even_s4;                          ///< an even number of weights for each output; Helium alone
arm_nn_convolve_s8 arm_convolve_1_x_n_s8, arm_convolve_1_x_n_s4;  ///< one row, dilation 1, stride * channels a multiple of 4
arm_nn_convolve_s8 arm_convolve_1x1_s8, arm_convolve_1x1_s4;      ///< one tap, no padding
arm_nn_convolve_s8 arm_convolve_1x1_s8_fast, arm_convolve_1x1_s4_fast;  ///< one tap, no padding, stride 1
/// upscale_dims is null or 1 by 1. Else ARM_CMSIS_NN_NO_IMPL_ERROR: CMSIS-NN uses other sizes for a transposed convolution.
arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context* ctx, const cmsis_nn_conv_params* conv_params,
                                    const cmsis_nn_per_channel_quant_params* quant_params, const cmsis_nn_dims* input_dims,
                                    const std::int8_t* input_data, const cmsis_nn_dims* filter_dims,
                                    const std::int8_t* filter_data, const cmsis_nn_dims* bias_dims, const std::int32_t* bias_data,
                                    const cmsis_nn_dims* upscale_dims, const cmsis_nn_dims* output_dims,
                                    std::int8_t* output_data);
/// With an int64 bias, sums have 64 bits and multipliers 15 bits. With an int32 bias, sums have 32 bits and multipliers 31 bits.
using arm_nn_convolve_s16 = arm_cmsis_nn_status(const cmsis_nn_context* ctx, const cmsis_nn_conv_params* conv_params,
                                                const cmsis_nn_per_channel_quant_params* quant_params,
                                                const cmsis_nn_dims* input_dims, const std::int16_t* input_data,
                                                const cmsis_nn_dims* filter_dims, const std::int8_t* filter_data,
                                                const cmsis_nn_dims* bias_dims, const cmsis_nn_bias_data* bias_data,
                                                const cmsis_nn_dims* output_dims, std::int16_t* output_data);
arm_nn_convolve_s16 arm_convolve_wrapper_s16, arm_convolve_s16;

/// NHWC by 1HWO. `opt`, `3x3` and `fast` take one output channel for each input channel and do not read the dilation.
/// `3x3` takes 3x3 taps and at most one column of padding. `fast` takes fewer than 512 taps.
using arm_nn_depthwise_s8 = arm_cmsis_nn_status(const cmsis_nn_context* ctx, const cmsis_nn_dw_conv_params* dw_conv_params,
                                                const cmsis_nn_per_channel_quant_params* quant_params,
                                                const cmsis_nn_dims* input_dims, const std::int8_t* input_data,
                                                const cmsis_nn_dims* filter_dims, const std::int8_t* filter_data,
                                                const cmsis_nn_dims* bias_dims, const std::int32_t* bias_data,
                                                const cmsis_nn_dims* output_dims, std::int8_t* output_data);
arm_nn_depthwise_s8 arm_depthwise_conv_wrapper_s8, arm_depthwise_conv_s8, arm_depthwise_conv_s8_opt, arm_depthwise_conv_3x3_s8;
arm_nn_depthwise_s8 arm_depthwise_conv_wrapper_s4, arm_depthwise_conv_s4, arm_depthwise_conv_s4_opt;
using arm_nn_depthwise_s16 = arm_cmsis_nn_status(const cmsis_nn_context* ctx, const cmsis_nn_dw_conv_params* dw_conv_params,
                                                 const cmsis_nn_per_channel_quant_params* quant_params,
                                                 const cmsis_nn_dims* input_dims, const std::int16_t* input_data,
                                                 const cmsis_nn_dims* filter_dims, const std::int8_t* filter_data,
                                                 const cmsis_nn_dims* bias_dims, const std::int64_t* bias_data,
                                                 const cmsis_nn_dims* output_dims, std::int16_t* output_data);
arm_nn_depthwise_s16 arm_depthwise_conv_wrapper_s16, arm_depthwise_conv_s16, arm_depthwise_conv_fast_s16;

/// NHWC by OHWI, with output position = input position * stride + tap - padding. The contexts are not read.
using arm_nn_transpose_conv_s8 = arm_cmsis_nn_status(const cmsis_nn_context* ctx, const cmsis_nn_context* output_ctx,
                                                     const cmsis_nn_transpose_conv_params* transpose_conv_params,
                                                     const cmsis_nn_per_channel_quant_params* quant_params,
                                                     const cmsis_nn_dims* input_dims, const std::int8_t* input_data,
                                                     const cmsis_nn_dims* filter_dims, const std::int8_t* filter_data,
                                                     const cmsis_nn_dims* bias_dims, const std::int32_t* bias_data,
                                                     const cmsis_nn_dims* output_dims, std::int8_t* output_data);
arm_nn_transpose_conv_s8 arm_transpose_conv_s8, arm_transpose_conv_wrapper_s8;

arm_nn_fully_connected<cmsis_nn_per_tensor_quant_params, std::int8_t, std::int32_t> arm_fully_connected_s8;
arm_nn_fully_connected<cmsis_nn_per_tensor_quant_params, std::int8_t, std::int32_t> arm_fully_connected_s4;
arm_nn_fully_connected<cmsis_nn_per_channel_quant_params, std::int8_t, std::int32_t> arm_fully_connected_per_channel_s8;
arm_nn_fully_connected<cmsis_nn_quant_params, std::int8_t, std::int32_t> arm_fully_connected_wrapper_s8;
arm_nn_fully_connected<cmsis_nn_per_tensor_quant_params, std::int16_t, std::int64_t> arm_fully_connected_s16;
/// A function of Ambiq's branch of CMSIS-NN.
arm_nn_fully_connected<cmsis_nn_per_channel_quant_params, std::int16_t, std::int64_t> arm_fully_connected_per_channel_s16;

arm_nn_batch_matmul<std::int8_t> arm_batch_matmul_s8;
arm_nn_batch_matmul<std::int16_t> arm_batch_matmul_s16;

/// Computes to[row] = bias[row] + lhs_offset * sum of (data[row] + rhs_offset). The bias may be null.
arm_cmsis_nn_status arm_vector_sum_s8(std::int32_t* vector_sum_buf, std::int32_t vector_cols, std::int32_t vector_rows,
                                      const std::int8_t* vector_data, std::int32_t lhs_offset, std::int32_t rhs_offset,
                                      const std::int32_t* bias_data);
arm_cmsis_nn_status arm_vector_sum_s8_s64(std::int64_t* vector_sum_buf, std::int32_t vector_cols, std::int32_t vector_rows,
                                          const std::int8_t* vector_data, std::int32_t lhs_offset, const std::int64_t* bias_data);

/// Return the number of bytes of ctx->buf.
using arm_nn_two_sizes = std::int32_t(const cmsis_nn_dims* input_dims, const cmsis_nn_dims* filter_dims);
using arm_nn_convolve_size = std::int32_t(const cmsis_nn_conv_params* conv_params, const cmsis_nn_dims* input_dims,
                                          const cmsis_nn_dims* filter_dims, const cmsis_nn_dims* output_dims);
using arm_nn_depthwise_size = std::int32_t(const cmsis_nn_dw_conv_params* dw_conv_params, const cmsis_nn_dims* input_dims,
                                           const cmsis_nn_dims* filter_dims, const cmsis_nn_dims* output_dims);
arm_nn_two_sizes arm_convolve_s8_get_buffer_size, arm_convolve_s4_get_buffer_size, arm_convolve_even_s4_get_buffer_size;
arm_nn_two_sizes arm_convolve_s16_get_buffer_size, arm_depthwise_conv_s8_opt_get_buffer_size;
arm_nn_two_sizes arm_depthwise_conv_s4_opt_get_buffer_size, arm_depthwise_conv_fast_s16_get_buffer_size;
arm_nn_convolve_size arm_convolve_wrapper_s8_get_buffer_size, arm_convolve_wrapper_s4_get_buffer_size;
arm_nn_convolve_size arm_convolve_wrapper_s16_get_buffer_size, arm_convolve_1_x_n_s8_get_buffer_size;
arm_nn_convolve_size arm_convolve_1_x_n_s4_get_buffer_size;
arm_nn_depthwise_size arm_depthwise_conv_wrapper_s8_get_buffer_size, arm_depthwise_conv_wrapper_s4_get_buffer_size;
arm_nn_depthwise_size arm_depthwise_conv_wrapper_s16_get_buffer_size;
std::int32_t arm_convolve_1x1_s8_fast_get_buffer_size(const cmsis_nn_dims* input_dims);
std::int32_t arm_convolve_1x1_s4_fast_get_buffer_size(const cmsis_nn_dims* input_dims);
std::int32_t arm_transpose_conv_s8_get_buffer_size(const cmsis_nn_transpose_conv_params* transpose_conv_params,
                                                   const cmsis_nn_dims* input_dims, const cmsis_nn_dims* filter_dims,
                                                   const cmsis_nn_dims* output_dims);
std::int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(const cmsis_nn_transpose_conv_params* transpose_conv_params,
                                                                const cmsis_nn_dims* input_dims,
                                                                const cmsis_nn_dims* filter_dims);
std::int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims* filter_dims);
std::int32_t arm_fully_connected_s16_get_buffer_size(const cmsis_nn_dims* filter_dims);

}  // extern "C"
