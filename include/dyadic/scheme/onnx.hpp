// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rounding rules around ONNX: the operator text, its reference evaluator, ONNX Runtime's MLAS. Floor 2.

#include <dyadic/scheme/fbgemm.hpp>

namespace dyadic::onnx {

/// QuantizeLinear and QLinearMatMul by the operator text: saturate(round(fl32(x / y_scale)) + zero_point), ties to even.
/// MlasQuantizeLinear computes the same rule.
DYADIC_API constexpr std::int64_t quantize_linear(binary32 x, binary32 y_scale, output_range range) noexcept {
  return clamp(to_integer<half_even>(dyadic::divide(x, y_scale)) + range.zero_point, range.min, range.max);
}

/// The reference evaluator of QLinearMatMul, which differs from the text: saturate(round(fl32(fl32(x / y_scale) + zero_point))).
DYADIC_API constexpr std::int64_t quantize_linear_reference(binary32 x, binary32 y_scale, output_range range) noexcept {
  return clamp(to_integer<half_even>(dyadic::add(dyadic::divide(x, y_scale), from_integer<binary32>(range.zero_point))),
               range.min, range.max);
}

/// MlasRequantizeOutput of ONNX Runtime: equals the rule of FBGEMM and PyTorch.
struct mlas : fbgemm::floating {};

}  // namespace dyadic::onnx
