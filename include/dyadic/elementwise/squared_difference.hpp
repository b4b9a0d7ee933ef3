// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The squared difference of two tensors as TFLite computes it. Floor 3.
/// Source: tflite/micro/kernels/squared_difference.cc.

#include <dyadic/elementwise/add.hpp>

namespace dyadic {

/// The square of the difference of two rescaled operands. Difference and square are modulo 2^32.
struct squared_difference_of {
  static constexpr operator_id id = operator_id::squared_difference;  ///< the rule's operator
  /// Returns (a - b)^2.
  DYADIC_API static constexpr std::int64_t apply(std::int64_t a, std::int64_t b) noexcept {
    const std::int64_t difference = wrap<std::int32_t>(a - b);
    return difference * difference;
  }
  /// Returns the bounds of `apply` if no difference wraps, else bounds beyond int32.
  DYADIC_API static constexpr detail::bounds of(detail::bounds a, detail::bounds b) noexcept {
    const std::int64_t most = a.high - b.low > b.high - a.low ? a.high - b.low : b.high - a.low;
    return {0, fits<std::int32_t>(most) ? most * most : limits<std::int64_t>::max};
  }
};

namespace tflite {

/// SQUARED_DIFFERENCE of int8 and int16: the formula of `add` with a square in place of the sum. The left shift L is 7 for int8
/// and 0 for int16, so that int16 loses its lowest bit before the square. int16 has no zero points. Every step fits int32,
/// because derived multipliers of operands are at most 1/2. The scheme is `single_rounding` for a build with
/// TFLITE_SINGLE_ROUNDING.
template <class X, class Scheme = double_rounding>
struct squared_difference : rescaled_sum<X, Scheme, squared_difference_of, any_of_8_bits<X, allowed_zero_points::none>> {
  static_assert(std::is_signed_v<X>, "squared differences are of int8 and int16");
  /// Derives the multipliers of the operands as `add` does. The last one is QuantizeMultiplier of t * t / (2^(2 * L) * y) in
  /// binary64, where t is twice the larger scale of a and b. Returns the first error of a scale, of a multiplier or of `check`.
  DYADIC_API static constexpr result<squared_difference> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                                std::int32_t b_zero_point, binary32 y_scale,
                                                                output_range range) noexcept {
    constexpr std::int32_t left_shift = sizeof(X) == 1 ? 7 : 0;
    if (const status s = check_tensor_scales(a_scale, b_scale, y_scale); s != status::ok) return {{}, s};
    sum_scales scales = scales_of_sum<binary64>(a_scale, b_scale, y_scale, 2 * left_shift);
    const binary64 common = scale_by_power_of_two(binary64{less(a_scale, b_scale) ? b_scale : a_scale}, 1);
    scales.sum = dyadic::divide(dyadic::multiply(common, common), scale_by_power_of_two(binary64{y_scale}, 2 * left_shift));
    return dyadic::detail::derive_sum<squared_difference>(scales, left_shift, a_zero_point, b_zero_point, range, Scheme::derive);
  }
};

}  // namespace tflite
}  // namespace dyadic
