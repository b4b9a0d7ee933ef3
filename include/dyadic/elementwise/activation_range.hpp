// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The output range of an activation that an engine fuses into an operator. Floor 3.
/// Source: tflite/kernels/kernel_util.cc, CalculateActivationRangeQuantized.

#include <dyadic/output.hpp>

namespace dyadic::tflite {

/// The activations that TFLite fuses by their bounds.
enum class activation : std::uint8_t {
  none,          ///< all values
  relu,          ///< 0 and above
  relu6,         ///< 0 .. 6
  relu_n1_to_1,  ///< -1 .. 1
};

namespace detail {

/// Returns zero_point + round(value / scale), the quotient in binary32, ties away from zero. Returns `value_out_of_range` where
/// TFLite refuses: the quotient does not fit int32.
DYADIC_API constexpr result<std::int64_t> quantize_bound(float value, binary32 scale, std::int32_t zero_point) noexcept {
  const std::int64_t rounded = to_integer<half_away>(dyadic::divide(binary32{value}, scale));  // 2^62 if it is infinite
  return {zero_point + rounded, fits<std::int32_t>(rounded) ? status::ok : status::value_out_of_range};
}

}  // namespace detail

/// Returns the values of Y that the activation leaves: its bounds in steps of `scale`, clamped to Y. Returns the status of a
/// scale that is not positive and finite, `value_out_of_range` if a bound does not fit int32, or the status of `check_range`.
template <class Y>
DYADIC_API constexpr result<output_range> activation_range(activation fused, binary32 scale, std::int32_t zero_point) noexcept {
  output_range range = range_of<Y>(zero_point);
  if (!is_finite(scale)) return {range, status::scale_not_finite};
  if (is_zero(scale)) return {range, status::scale_zero};
  if (is_negative(scale)) return {range, status::scale_negative};
  if (fused != activation::none) {
    const auto low = detail::quantize_bound(fused == activation::relu_n1_to_1 ? -1.0f : 0.0f, scale, zero_point);
    if (low.status != status::ok) return {range, low.status};
    range.min = static_cast<std::int32_t>(clamp(low.value, range.min, range.max));
  }
  if (fused == activation::relu6 || fused == activation::relu_n1_to_1) {
    const auto high = detail::quantize_bound(fused == activation::relu6 ? 6.0f : 1.0f, scale, zero_point);
    if (high.status != status::ok) return {range, high.status};
    range.max = static_cast<std::int32_t>(clamp(high.value, range.min, range.max));
  }
  return {range, check_range<Y>(range)};
}

}  // namespace dyadic::tflite
