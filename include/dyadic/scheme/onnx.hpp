#pragma once
/// \file
/// The rounding rules around ONNX: the operator text, its reference evaluator, ONNX Runtime's MLAS. Floor 2.

#include <dyadic/scheme/formula.hpp>

namespace dyadic::onnx {

/// QuantizeLinear and QLinearMatMul by the operator text: saturate(round(fl32(x / y_scale)) + zero_point), ties to even.
/// Also what MlasQuantizeLinear computes.
constexpr std::int64_t quantize_linear(binary32 x, binary32 y_scale, output_range range) noexcept {
  return clamp(to_integer<half_even>(divide(x, y_scale)) + range.zero_point, range.min, range.max);
}

/// The reference evaluator of QLinearMatMul, against the text: saturate(round(fl32(fl32(x / y_scale) + zero_point))).
constexpr std::int64_t quantize_linear_reference(binary32 x, binary32 y_scale, output_range range) noexcept {
  return clamp(to_integer<half_even>(add(divide(x, y_scale), from_integer<binary32>(range.zero_point))), range.min, range.max);
}

/// MlasRequantizeOutput of ONNX Runtime: round(fl32(fl32(acc) * scale)), ties to even, zero point after it.
struct mlas {
  using accumulator = std::int32_t;
  using multiplier_type = binary32;

  static constexpr bool valid(multiplier_type m) noexcept { return is_finite(m); }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept { return scaled_in_binary32(acc, m); }
};

}  // namespace dyadic::onnx
