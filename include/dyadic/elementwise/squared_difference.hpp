// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The squared difference of two tensors as TFLite computes it. Floor 3.
/// Source: tflite/micro/kernels/squared_difference.cc.

#include <dyadic/elementwise/add.hpp>

namespace dyadic::tflite {

/// SQUARED_DIFFERENCE of int8 and int16: y = clamp(scheme((a' - b')^2, multiplier) + zero_point of y, min, max). A rescaled
/// operand is x' = scheme((x - zero_point) * 2^L, multiplier of x) with L = 7 for int8 and 0 for int16, so that int16 loses its
/// lowest bit before the square. int16 has no zero points. With derived multipliers every step fits int32, because |x'| <= 2^14.
/// The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.
template <class X, class Scheme = double_rounding>
struct squared_difference {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::int16_t>, "squared differences are of int8 and int16");
  static constexpr operator_id id = operator_id::squared_difference;  ///< the operator
  using value_type = X;                                               ///< the type of a, b and y
  using scheme = Scheme;                                              ///< the rule of the three rescales
  static constexpr std::int32_t left_shift = sizeof(X) == 1 ? 7 : 0;  ///< left shift of both operands
  static constexpr allowed_zero_points zero_points =
      any_of_8_bits<X, allowed_zero_points::none>;  ///< those that may differ from 0

  summand<Scheme> a;        ///< the first operand
  summand<Scheme> b;        ///< the second
  multiplier32 multiplier;  ///< rescales the square to the scale of y
  output_range range;       ///< range of y

  /// Derives in binary64, where t is twice the larger scale of a and b: QuantizeMultiplierSmallerThanOneExp of a / t and of b /
  /// t, QuantizeMultiplier of t * t / (2^(2 * L) * y). Returns the status of a scale that is not positive and finite or of a
  /// multiplier, else the status of `check`.
  DYADIC_API static constexpr result<squared_difference> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                                std::int32_t b_zero_point, binary32 y_scale,
                                                                output_range range) noexcept {
    squared_difference rule{{a_zero_point, {}}, {b_zero_point, {}}, {}, range};
    if (const status s = check_tensor_scales(a_scale, b_scale, y_scale); s != status::ok) return {rule, s};
    const binary64 common = scale_by_power_of_two(binary64{less(a_scale, b_scale) ? b_scale : a_scale}, 1);
    const auto m = derive_below_one<Scheme>(dyadic::divide(binary64{a_scale}, common));
    const auto n = derive_below_one<Scheme>(dyadic::divide(binary64{b_scale}, common));
    const auto square = Scheme::derive(
        dyadic::divide(dyadic::multiply(common, common), binary64{scale_by_power_of_two(y_scale, 2 * left_shift)}));
    rule = {{a_zero_point, m.value}, {b_zero_point, n.value}, square.value, range};
    if (m.status != status::ok) return {rule, m.status};
    if (n.status != status::ok) return {rule, n.status};
    return {rule, square.status != status::ok ? square.status : check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X x_a, X x_b) const noexcept {
    const std::int64_t difference = wrap<std::int32_t>(std::int64_t{dyadic::detail::rescaled(x_a, a, left_shift)} -
                                                       dyadic::detail::rescaled(x_b, b, left_shift));
    return static_cast<X>(requantize<Scheme>(wrap<std::int32_t>(difference * difference), multiplier, range));
  }
  /// Returns the first error in the numbers: the range, a zero point, or a multiplier. Returns `accumulator_overflow` last: two
  /// values of X make some step leave int32 or the domain of the scheme.
  DYADIC_API friend constexpr status check(const squared_difference& rule) noexcept {
    const status s = check_operands<X, zero_points>(rule.a.zero_point, rule.b.zero_point, rule.range);
    if (s != status::ok) return s;
    if (!Scheme::valid(rule.a.multiplier) || !Scheme::valid(rule.b.multiplier) || !Scheme::valid(rule.multiplier))
      return status::multiplier_out_of_range;
    dyadic::detail::bounds a{};
    dyadic::detail::bounds b{};
    if (!dyadic::detail::bound_summand<X>(rule.a, left_shift, a) || !dyadic::detail::bound_summand<X>(rule.b, left_shift, b))
      return status::accumulator_overflow;
    const std::int64_t most = a.high - b.low > b.high - a.low ? a.high - b.low : b.high - a.low;
    const bool fit = most < 46341 && dyadic::detail::takes_between<Scheme>({0, most * most}, rule.multiplier);  // 2^15.5
    return fit ? status::ok : status::accumulator_overflow;
  }
};

}  // namespace dyadic::tflite
