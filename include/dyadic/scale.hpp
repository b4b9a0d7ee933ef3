// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Real scales as the engines compose them, one named IEEE rounding per step. Floor 1.
///
/// A multiplier approximates input scale * weight scale / output scale. Engines round the product and the quotient in three
/// orders. For nearly all scales these orders give different multipliers.
///
/// | engine | operator | function | formula |
/// | --- | --- | --- | --- |
/// | TFLite, TFLM | CONV_2D, DEPTHWISE_CONV_2D, TRANSPOSE_CONV of int8 and int16 | `tflite::conv2d_scale` and so on | double |
/// | | the convolutions of uint8 | `tflite::conv2d_uint8_scale` | float product |
/// | | FULLY_CONNECTED with one scale of its weights | `tflite::linear_scale` | float product |
/// | | FULLY_CONNECTED per channel, or with real scales | `tflite::linear_channel_scale` | double |
/// | | BATCH_MATMUL | `tflite::matmul_scale` | float product |
/// | | both rescales of SVDF | `float_scale` | float |
/// | Vela | convolutions; FULLY_CONNECTED | `vela::conv2d_scale`; `vela::linear_scale` | as TFLite |
/// | ExecuTorch | convolutions, linear: Cortex-M, Arm | `executorch::conv2d_scale`, `linear_scale` | double |
/// | TOSA | convolutions, linear: TensorFlow's converter | `tosa::conv2d_scale`, `linear_scale` | double |
/// | XNNPACK | convolutions, linear | `xnnpack::conv2d_scale`, `linear_scale` | float |
/// | FBGEMM, PyTorch | convolutions, linear | `fbgemm::conv2d_scale`, `linear_scale` | float |
/// | ONNX Runtime | QLinearConv, QLinearMatMul | `onnx::conv2d_scale`, `matmul_scale` | float |
/// | oneDNN | all | none: it multiplies by each scale, `onednn::scales` | |
///
/// CMSIS-NN takes the multipliers of TFLM. Operators without weights, such as add and multiply, compose their scales in the
/// `derive` of their rule (elementwise/).

#include <dyadic/detail/ieee.hpp>

namespace dyadic {

/// Returns fl64(fl64(input * weight) / output): "double" in the table.
DYADIC_API constexpr binary64 double_product_scale(binary64 input, binary64 weight, binary64 output) noexcept {
  return divide(multiply(input, weight), output);
}

/// Returns fl64(fl32(input * weight) / output): "float product" in the table.
DYADIC_API constexpr binary64 float_product_scale(binary32 input, binary32 weight, binary32 output) noexcept {
  return divide(binary64{multiply(input, weight)}, binary64{output});
}

/// Returns fl32(fl32(input * weight) / output): "float" in the table. It is `float_product_scale` rounded to binary32.
DYADIC_API constexpr binary32 float_scale(binary32 input, binary32 weight, binary32 output) noexcept {
  return divide(multiply(input, weight), output);
}

namespace tflite {

/// Returns the scale of a convolution of int8 or int16, of a channel or of all channels. Source: tflite/kernels/kernel_util.cc,
/// PopulateConvolutionQuantizationParams.
/// @{
DYADIC_API constexpr binary64 conv2d_scale(binary64 input, binary64 weight, binary64 output) noexcept {
  return double_product_scale(input, weight, output);
}
DYADIC_API constexpr binary64 depthwise_scale(binary64 input, binary64 weight, binary64 output) noexcept {
  return double_product_scale(input, weight, output);
}
DYADIC_API constexpr binary64 transposed_conv2d_scale(binary64 input, binary64 weight, binary64 output) noexcept {
  return double_product_scale(input, weight, output);
}
/// @}

/// Returns the scale of a FULLY_CONNECTED whose weights have one scale, of a BATCH_MATMUL, or of a convolution of uint8. Source:
/// tflite/kernels/kernel_util.cc, GetQuantizedConvolutionMultipler.
/// @{
DYADIC_API constexpr binary64 linear_scale(binary32 input, binary32 weight, binary32 output) noexcept {
  return float_product_scale(input, weight, output);
}
DYADIC_API constexpr binary64 matmul_scale(binary32 input, binary32 weight, binary32 output) noexcept {
  return float_product_scale(input, weight, output);
}
DYADIC_API constexpr binary64 conv2d_uint8_scale(binary32 input, binary32 weight, binary32 output) noexcept {
  return float_product_scale(input, weight, output);
}
/// @}

/// Returns the scale of a channel of a FULLY_CONNECTED, or the multiplier of `double_scale`. Source:
/// PopulateConvolutionQuantizationParams, and tflite/kernels/internal/reference/integer_ops/fully_connected.h.
DYADIC_API constexpr binary64 linear_channel_scale(binary64 input, binary64 weight, binary64 output) noexcept {
  return double_product_scale(input, weight, output);
}

}  // namespace tflite

namespace vela {
using tflite::conv2d_scale;  ///< Source: ethosu/vela/weight_compressor.py.
using tflite::linear_scale;  ///< Source: ethosu/vela/weight_compressor.py.
}  // namespace vela

namespace executorch {

/// Returns the scale of a layer of the backends cortex_m and arm, which compute in Python's doubles.
/// @{
DYADIC_API constexpr binary64 conv2d_scale(binary64 input, binary64 weight, binary64 output) noexcept {
  return double_product_scale(input, weight, output);
}
DYADIC_API constexpr binary64 linear_scale(binary64 input, binary64 weight, binary64 output) noexcept {
  return double_product_scale(input, weight, output);
}
/// @}

}  // namespace executorch

namespace tosa {
using executorch::conv2d_scale;  ///< Source: tensorflow/compiler/mlir/tosa/transforms/legalize_utils.cc.
using executorch::linear_scale;  ///< Source: tensorflow/compiler/mlir/tosa/transforms/legalize_utils.cc.
}  // namespace tosa

namespace xnnpack {

/// Returns `requantization_scale` of a layer. Source: src/operators, which create each operator.
/// @{
DYADIC_API constexpr binary32 conv2d_scale(binary32 input, binary32 weight, binary32 output) noexcept {
  return float_scale(input, weight, output);
}
DYADIC_API constexpr binary32 linear_scale(binary32 input, binary32 weight, binary32 output) noexcept {
  return float_scale(input, weight, output);
}
/// @}

}  // namespace xnnpack

namespace fbgemm {
using xnnpack::conv2d_scale;  ///< Source: PyTorch aten/src/ATen/native/quantized/cpu/qconv.cpp, output_multiplier_float.
using xnnpack::linear_scale;  ///< Source: PyTorch aten/src/ATen/native/quantized/cpu/qlinear.cpp, output_multiplier_float.
}  // namespace fbgemm

namespace onnx {

/// Returns the scale of QLinearConv or QLinearMatMul. Source: onnxruntime/core/providers/cpu/quantization.
/// @{
DYADIC_API constexpr binary32 conv2d_scale(binary32 input, binary32 weight, binary32 output) noexcept {
  return float_scale(input, weight, output);
}
DYADIC_API constexpr binary32 matmul_scale(binary32 input, binary32 weight, binary32 output) noexcept {
  return float_scale(input, weight, output);
}
/// @}

}  // namespace onnx

}  // namespace dyadic
