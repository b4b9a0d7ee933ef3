// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Sums of several tensors and cumulative sums as TFLite computes them. Floor 3.
/// Sources: tflite/micro/kernels/{add_n.cc, cumsum.cc}, tflite/kernels/internal/reference/{add_n.h, cumsum.h}.

#include <dyadic/elementwise/add.hpp>

namespace dyadic::tflite {

namespace detail {

/// The rule that ADD_N and CUMSUM of int8 share. A term is (x - x_zero_point) * 2^20, rescaled by 1/2: exact. The sum of terms
/// starts at the term of the stored value 0 and not at 0, so that y is right only for a zero point of 0.
template <class Scheme>
struct sum_of_terms {
  using value_type = std::int8_t;  ///< the type of x and y
  using scheme = Scheme;           ///< the rule of the last rescale

  std::int32_t x_zero_point;  ///< subtracted from each element
  multiplier32 multiplier;    ///< scale of x / (2^19 * scale of y)
  output_range range;         ///< range of y

  /// Returns y of the sum of `count` stored values. The sum of terms is modulo 2^32.
  DYADIC_API constexpr std::int8_t of(std::int64_t sum, std::int64_t count) const noexcept {
    const std::int64_t terms = shift_left_wrapped(sum - (count + 1) * x_zero_point, 19);
    return static_cast<std::int8_t>(requantize<Scheme>(wrap<std::int32_t>(terms), multiplier, range));
  }
  /// Checks the numbers for sums of `count` elements.
  DYADIC_API constexpr status check_sums(std::int64_t count) const noexcept {
    if (const status s = check_operand<std::int8_t>(x_zero_point, range); s != status::ok) return s;
    if (!Scheme::valid(multiplier)) return status::multiplier_out_of_range;
    const dyadic::detail::bounds x = dyadic::detail::differences<std::int8_t>(x_zero_point);
    if (count >= 1 << 20) return status::accumulator_overflow;
    const dyadic::detail::bounds terms{(x.low * count - x_zero_point) * (1 << 19), (x.high * count - x_zero_point) * (1 << 19)};
    return dyadic::detail::takes_between<Scheme>(terms, multiplier) ? status::ok : status::accumulator_overflow;
  }
  /// Derives the multiplier: QuantizeMultiplierSmallerThanOneExp of fl64(2 * x / (2^20 * y)).
  DYADIC_API static constexpr result<multiplier32> derive_multiplier(binary32 x_scale, binary32 y_scale) noexcept {
    if (const status s = check_tensor_scales(x_scale, x_scale, y_scale); s != status::ok) return {{}, s};
    return derive_below_one<Scheme>(dyadic::divide(scale_by_power_of_two(binary64{x_scale}, -19), binary64{y_scale}));
  }
};

}  // namespace detail

/// ADD_N of int8 tensors of one scale and one zero point: y = clamp(scheme(2^19 * (sum of the elements - (count + 1) *
/// x_zero_point), multiplier) + zero point of y, min, max). The zero point is subtracted once too often: two zeros at a scale of
/// 1/2 and a zero point of 10 give -5. Run it by a `sum_layer` on tensors that lie side by side along an axis. The scheme is
/// `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.
template <class Scheme = double_rounding>
struct add_n : detail::sum_of_terms<Scheme> {
  static constexpr operator_id id = operator_id::add_n;  ///< the operator

  std::int32_t count;  ///< the number of tensors

  /// Derives the multiplier of 2 * x / (2^20 * y). Returns the status of a scale that is not positive and finite. Returns
  /// `scale_too_large` where TFLite aborts: the multiplier is 1 or more. Else returns the status of `check`.
  DYADIC_API static constexpr result<add_n> derive(binary32 x_scale, std::int32_t x_zero_point, std::int32_t count,
                                                   binary32 y_scale, output_range range) noexcept {
    const auto m = add_n::derive_multiplier(x_scale, y_scale);
    const add_n rule{{x_zero_point, m.value, range}, count};
    return {rule, m.status != status::ok ? m.status : check(rule)};
  }
  /// Returns y of one sum of stored values. Requires: what `check` tests.
  DYADIC_API constexpr std::int8_t operator()(std::int64_t sum) const noexcept { return this->of(sum, count); }
  /// Returns the first error in the numbers: a count below 1 (`negative_size`), the range, a zero point, or the multiplier.
  /// Returns `accumulator_overflow` last: a sum of values leaves int32, as 16 values may, or the domain of the scheme.
  DYADIC_API friend constexpr status check(const add_n& rule) noexcept {
    return rule.count < 1 ? status::negative_size : rule.check_sums(rule.count);
  }
};

/// CUMSUM of a row of int8: y[i] is the rescaled sum of x[0] .. x[i], as `add_n` rescales it, with its error for zero points.
/// `exclusive` leaves x[i] out, `reverse` sums from the end of the row. The scheme is `single_rounding` for a build with
/// TFLITE_SINGLE_ROUNDING.
template <class Scheme = double_rounding>
struct cumsum : detail::sum_of_terms<Scheme> {
  static constexpr operator_id id = operator_id::cumsum;  ///< the operator
  using in_place = void;                                  ///< y may be x

  bool exclusive;  ///< y[i] is without x[i]
  bool reverse;    ///< sums begin at the last element

  /// Derives the multiplier as `add_n::derive` does. Returns its statuses.
  DYADIC_API static constexpr result<cumsum> derive(binary32 x_scale, std::int32_t x_zero_point, binary32 y_scale,
                                                    output_range range, bool exclusive = false, bool reverse = false) noexcept {
    const auto m = cumsum::derive_multiplier(x_scale, y_scale);
    const cumsum rule{{x_zero_point, m.value, range}, exclusive, reverse};
    return {rule, m.status != status::ok ? m.status : check(rule)};
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests. y may be x.
  DYADIC_API constexpr void operator()(view<const std::int8_t> x, view<std::int8_t> y) const noexcept {
    std::int64_t sum = 0;
    for (index_t i = 0; i < x.size(); ++i) {
      const index_t at = reverse ? x.size() - 1 - i : i;
      const std::int64_t before = sum;
      sum += x[at];
      y[at] = exclusive ? this->of(before, i) : this->of(sum, i + 1);
    }
  }
  /// Returns the first error in the numbers: the range, a zero point, or the multiplier. With the length of a row, returns
  /// `accumulator_overflow` last: a sum of so many values leaves int32, as 16 values may, or the domain of the scheme.
  /// @{
  DYADIC_API friend constexpr status check(const cumsum& rule) noexcept { return rule.check_sums(0); }
  DYADIC_API friend constexpr status check(const cumsum& rule, index_t length) noexcept { return rule.check_sums(length); }
  /// @}
};

}  // namespace dyadic::tflite
