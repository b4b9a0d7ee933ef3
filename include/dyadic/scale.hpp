#pragma once
/// \file
/// Real scales as the engines compose them, one named IEEE rounding per step. Floor 1.
/// The two products of scales give different multipliers for nearly all scales.

#include <dyadic/ieee.hpp>

namespace dyadic {

/// fl64(fl64(input * weight) / output). TFLite per channel and its FULLY_CONNECTED with real scales; ExecuTorch.
DYADIC_API constexpr binary64 double_product_scale(binary64 input, binary64 weight, binary64 output) noexcept {
  return divide(multiply(input, weight), output);
}

/// fl64(fl32(input * weight) / output). TFLite per tensor (GetQuantizedConvolutionMultipler), and Vela after it.
DYADIC_API constexpr binary64 float_product_scale(binary32 input, binary32 weight, binary32 output) noexcept {
  return divide(binary64{multiply(input, weight)}, binary64{output});
}

/// The rule of the binary32 schemes: fl32(fl32(acc) * scale), rounded to an integer with ties to even. Three roundings: acc
/// itself loses bits above 2^24.
DYADIC_API constexpr std::int64_t scaled_in_binary32(std::int32_t acc, binary32 scale) noexcept {
  return to_integer<half_even>(multiply(from_integer<binary32>(acc), scale));
}

}  // namespace dyadic
