// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The types that CMSIS-NN's functions take, with the names and the order of members of its interface.

#include <cstdint>

enum arm_cmsis_nn_status {
  ARM_CMSIS_NN_SUCCESS = 0,
  ARM_CMSIS_NN_ARG_ERROR = -1,      ///< an argument is outside what the function takes
  ARM_CMSIS_NN_NO_IMPL_ERROR = -2,  ///< the function is not implemented here
  ARM_CMSIS_NN_FAILURE = -3,
};

struct cmsis_nn_context {
  void* buf;          ///< scratch of the caller
  std::int32_t size;  ///< size in bytes
};
struct cmsis_nn_bias_data {
  const void* data;          ///< may be null
  const bool is_int32_bias;  ///< or int64
};
struct cmsis_nn_dims {
  std::int32_t n;  ///< images; for a filter, output channels, or the depth of a linear layer
  std::int32_t h;
  std::int32_t w;
  std::int32_t c;
};
struct cmsis_nn_tile {
  std::int32_t w;
  std::int32_t h;
};
struct cmsis_nn_activation {
  std::int32_t min;
  std::int32_t max;
};
struct cmsis_nn_per_channel_quant_params {
  std::int32_t* multiplier;
  std::int32_t* shift;  ///< to the left
};
struct cmsis_nn_per_tensor_quant_params {
  std::int32_t multiplier;
  std::int32_t shift;  ///< to the left
};
struct cmsis_nn_quant_params {
  std::int32_t* multiplier;
  std::int32_t* shift;          ///< to the left
  std::int32_t is_per_channel;  ///< or one for all channels
};

/// Offsets of inputs and weights are negated zero points. The offset of the output is its zero point.
struct cmsis_nn_conv_params {
  std::int32_t input_offset;
  std::int32_t output_offset;
  cmsis_nn_tile stride;
  cmsis_nn_tile padding;  ///< before the image; padding after it follows from the sizes
  cmsis_nn_tile dilation;
  cmsis_nn_activation activation;
};
struct cmsis_nn_dw_conv_params {
  std::int32_t input_offset;
  std::int32_t output_offset;
  std::int32_t ch_mult;  ///< output channels of each input channel
  cmsis_nn_tile stride;
  cmsis_nn_tile padding;
  cmsis_nn_tile dilation;
  cmsis_nn_activation activation;
};
struct cmsis_nn_transpose_conv_params {
  std::int32_t input_offset;
  std::int32_t output_offset;
  cmsis_nn_tile stride;
  cmsis_nn_tile padding;
  cmsis_nn_tile padding_offsets;
  cmsis_nn_tile dilation;
  cmsis_nn_activation activation;
};
struct cmsis_nn_fc_params {
  std::int32_t input_offset;
  std::int32_t filter_offset;
  std::int32_t output_offset;
  cmsis_nn_activation activation;
};
struct cmsis_nn_bmm_params {
  const bool adj_x;
  const bool adj_y;
  cmsis_nn_fc_params fc_params;
};
