// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Real scales as the engines compose them, one named IEEE rounding per step. Floor 1.
/// The two products of scales give different multipliers for nearly all scales.

#include <dyadic/detail/ieee.hpp>

namespace dyadic {

/// Returns fl64(fl64(input * weight) / output). TFLite per channel and its FULLY_CONNECTED with real scales; ExecuTorch.
DYADIC_API constexpr binary64 double_product_scale(binary64 input, binary64 weight, binary64 output) noexcept {
  return divide(multiply(input, weight), output);
}

/// Returns fl64(fl32(input * weight) / output). TFLite per tensor (GetQuantizedConvolutionMultipler), and Vela after it.
DYADIC_API constexpr binary64 float_product_scale(binary32 input, binary32 weight, binary32 output) noexcept {
  return divide(binary64{multiply(input, weight)}, binary64{output});
}

}  // namespace dyadic
