// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sums of several tensors and cumulative sums as TFLite computes them. Floor 3.
/// Sources: tflite/micro/kernels/{add_n.cc, cumsum.cc}, tflite/kernels/internal/reference/{add_n.h, cumsum.h}.
/// The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.

#include <dyadic/elementwise/add.hpp>
#include <dyadic/elementwise/mean.hpp>

namespace dyadic::tflite {

/// ADD_N of int8 tensors of one scale and one zero point: y = clamp(scheme(2^19 * (sum of the elements - (count + 1) *
/// x_zero_point), multiplier) + zero point of y, min, max). The zero point is subtracted one time too many, because TFLite's sum
/// begins with a stored value of 0, less the zero point. Two zeros at a scale of 1/2 and a zero point of 10 give -5. A
/// `sum_layer` runs the rule on tensors that lie side by side along an axis. From 16 tensors on, the sum may leave int32.
template <class Scheme = double_rounding>
struct add_n : detail::rescaled_total<std::int8_t, Scheme, 19, 1> {
  static constexpr operator_id id = operator_id::add_n;  ///< the operator

  /// Derives QuantizeMultiplierSmallerThanOneExp of fl64(x / y) / 2^19. Returns the first error of a scale, of the multiplier,
  /// such as `scale_too_large` for 1 and more, where TFLite aborts, or of `check`.
  DYADIC_API static constexpr result<add_n> derive(binary32 x_scale, std::int32_t x_zero_point, std::int32_t count,
                                                   binary32 y_scale, output_range range) noexcept {
    return detail::derive_total<add_n>(
        x_scale, x_zero_point, count, y_scale, range, [](multiplier32 m) { return m; },
        [](binary64 ratio) { return derive_below_one<Scheme>(scale_by_power_of_two(ratio, -19)); });
  }
};

/// CUMSUM of a row of int8: y[i] is `add_n` of x[0] .. x[i], which subtracts the zero point one time too many, too.
template <class Scheme = double_rounding>
struct cumsum {
  static constexpr operator_id id = operator_id::cumsum;  ///< the operator
  using value_type = std::int8_t;                         ///< the type of x and y
  using scheme = Scheme;                                  ///< the rule of the last rescale
  using in_place = void;                                  ///< y may be x

  add_n<Scheme> total;  ///< its count is not used
  bool exclusive;       ///< the sum of y[i] is without x[i]
  bool reverse;         ///< sums begin at the last element

  /// Derives as `add_n` does.
  DYADIC_API static constexpr result<cumsum> derive(binary32 x_scale, std::int32_t x_zero_point, binary32 y_scale,
                                                    output_range range, bool exclusive = false, bool reverse = false) noexcept {
    const auto total = add_n<Scheme>::derive(x_scale, x_zero_point, 1, y_scale, range);
    return {{total.value, exclusive, reverse}, total.status};
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests. y may be x.
  DYADIC_API constexpr void operator()(view<const std::int8_t> x, view<std::int8_t> y) const noexcept {
    std::int64_t sum = 0;
    for (index_t i = 0; i < x.size(); ++i) {
      const index_t at = reverse ? x.size() - 1 - i : i;
      const std::int64_t before = sum;
      sum += x[at];
      y[at] = of_length(exclusive ? i : i + 1)(exclusive ? before : sum);
    }
  }
  /// Returns the first error in the numbers, as for `add_n`: for rows of one element, or for rows of a length.
  /// @{
  DYADIC_API friend constexpr status check(const cumsum& rule) noexcept { return check(rule.of_length(1)); }
  DYADIC_API friend constexpr status check(const cumsum& rule, index_t length) noexcept {
    return check(rule.of_length(length < 1 ? 1 : length));
  }
  /// @}

 private:
  DYADIC_API constexpr add_n<Scheme> of_length(index_t length) const noexcept {
    add_n<Scheme> rule = total;
    rule.count = saturate<std::int32_t>(length);
    return rule;
  }
};

}  // namespace dyadic::tflite
