// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Checks of zero points and real scales that the rules on two operands share. Floor 3.

#include <dyadic/elementwise/operator_id.hpp>
#include <dyadic/output.hpp>

namespace dyadic {

/// The zero points that an engine's kernel takes. All other zero points are 0.
enum class allowed_zero_points : std::uint8_t {
  any,          ///< both operands and the output may have zero points
  output_only,  ///< only the output may have a zero point
  none,         ///< nothing may have a zero point
};

/// The zero points that a kernel takes for elements X: all for 8 bits, `Otherwise` for int16.
template <class X, allowed_zero_points Otherwise>
inline constexpr allowed_zero_points any_of_8_bits = sizeof(X) == 1 ? allowed_zero_points::any : Otherwise;

/// True if X is int8, uint8 or int16, the element types that the engines add and multiply.
template <class X>
inline constexpr bool is_element = detail::is_one_of<X, std::int8_t, std::uint8_t, std::int16_t>;

/// Names the rule of an engine that has one rule for int8 and another rule for int16. Other types are refused.
template <class X, class OfInt8, class OfInt16>
struct rule_of_int8_or_int16 {
  static_assert(detail::is_one_of<X, std::int8_t, std::int16_t>, "sigmoid, tanh and softmax are of int8 and int16");
  using type = std::conditional_t<detail::is_one_of<X, std::int8_t>, OfInt8, OfInt16>;  ///< the rule of X
};

/// Returns the status of `check_range`, or `zero_point_out_of_range` if the operand's zero point is not a value of X.
template <class X>
DYADIC_API constexpr status check_operand(std::int32_t x_zero_point, output_range range) noexcept {
  if (const status s = check_range<X>(range); s != status::ok) return s;
  return fits<X>(x_zero_point) ? status::ok : status::zero_point_out_of_range;
}

/// Returns the status of `check_range`, or `zero_point_out_of_range` if a zero point is not a value of X or is not allowed.
template <class X, allowed_zero_points Allowed>
DYADIC_API constexpr status check_operands(std::int32_t a_zero_point, std::int32_t b_zero_point, output_range range) noexcept {
  if (const status s = check_range<X>(range); s != status::ok) return s;
  const bool fit = fits<X>(a_zero_point) && fits<X>(b_zero_point);
  const bool is_input_allowed = Allowed == allowed_zero_points::any || (a_zero_point == 0 && b_zero_point == 0);
  const bool is_output_allowed = Allowed != allowed_zero_points::none || range.zero_point == 0;
  return fit && is_input_allowed && is_output_allowed ? status::ok : status::zero_point_out_of_range;
}

/// Checks that the scale of a tensor is positive and finite.
template <class Float>
DYADIC_API constexpr status check_tensor_scale(Float scale) noexcept {
  if (!is_finite(scale)) return status::scale_not_finite;
  if (is_zero(scale)) return status::scale_zero;
  return is_negative(scale) ? status::scale_negative : status::ok;
}

/// Returns the first error of the three scales.
template <class Float>
DYADIC_API constexpr status check_tensor_scales(Float a, Float b, Float y) noexcept {
  if (const status s = check_tensor_scale(a); s != status::ok) return s;
  if (const status s = check_tensor_scale(b); s != status::ok) return s;
  return check_tensor_scale(y);
}

namespace detail {

/// The least and the greatest value of a quantity.
struct bounds {
  std::int64_t low;
  std::int64_t high;
};

/// Returns the bounds of the values of X less a zero point.
template <class X>
DYADIC_API constexpr bounds differences(std::int32_t zero_point) noexcept {
  return {std::int64_t{limits<X>::min} - zero_point, std::int64_t{limits<X>::max} - zero_point};
}
/// Returns the greatest magnitude of the values of X less a zero point.
template <class X>
DYADIC_API constexpr std::int32_t greatest_difference(std::int32_t zero_point) noexcept {
  const bounds x = differences<X>(zero_point);
  return static_cast<std::int32_t>(x.high > -x.low ? x.high : -x.low);
}

/// Returns true if a scheme is defined for all 32-bit accumulators within the bounds. Testing both ends is enough.
template <class Scheme>
DYADIC_API constexpr bool takes_between(bounds b, typename Scheme::multiplier_type m) noexcept {
  return fits<std::int32_t>(b.low) && fits<std::int32_t>(b.high) &&
         in_domain_of<Scheme>(static_cast<std::int32_t>(b.low), m, 0) &&
         in_domain_of<Scheme>(static_cast<std::int32_t>(b.high), m, 0);
}

}  // namespace detail
}  // namespace dyadic
