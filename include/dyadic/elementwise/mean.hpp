// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Mean and sum over axes of a tensor, as TFLite computes them. Floor 3.
/// Source: tflite/kernels/internal/reference/reduce.h, QuantizedMeanOrSum, and
/// tflite/micro/kernels/reduce_common.cc.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic::tflite {

/// The multiplier of scale / count: floor(mantissa * 2^k / count) * 2^-(right_shift + k). Here k is the least of floor(log2
/// count), 32 and TFLite's shift + 31. The reciprocal is rounded down, so that the mean is not correctly rounded. Requires: count
/// >= 1, a mantissa >= 0 and a right_shift <= 62. Then mantissa * 2^k < 2^63, and the quotient fits int32 because k <= log2
/// count.
DYADIC_API constexpr multiplier32 divide_by_count(multiplier32 scale, std::int64_t count) noexcept {
  DYADIC_ASSERT(count >= 1 && scale.mantissa >= 0 && scale.right_shift <= 62);
  const auto log2 = static_cast<std::int32_t>(63 - leading_zeros(static_cast<std::uint64_t>(count)));
  const std::int32_t most = scale.right_shift > 30 ? 62 - scale.right_shift : 32;
  const std::int32_t k = log2 < most ? log2 : most;
  return {static_cast<std::int32_t>((std::int64_t{scale.mantissa} << k) / count), scale.right_shift + k};
}

namespace detail {

/// The rule from the sum of some elements to y, shared by means and sums, whose multipliers differ. The rule rescales (sum -
/// (count + Further) * x_zero_point) * 2^LeftShift.
template <class X, class Scheme, int LeftShift = 0, int Further = 0>
struct rescaled_total {
  static_assert(is_element<X>, "means and sums are of int8, uint8 and int16");
  using value_type = X;   ///< the type of the summed elements and of y
  using scheme = Scheme;  ///< the rule of the rescale

  std::int32_t x_zero_point;  ///< subtracted from each element
  std::int32_t count;         ///< the number of summed elements
  multiplier32 multiplier;    ///< rescales the sum to y
  output_range range;         ///< range of y

  /// Returns y of one sum of stored values. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(std::int64_t sum) const noexcept {
    const std::int64_t acc = shift_left_wrapped(sum - (std::int64_t{count} + Further) * x_zero_point, LeftShift);
    return static_cast<X>(dyadic::requantize<Scheme>(wrap<std::int32_t>(acc), multiplier, range));
  }
  /// Returns the first error in the numbers: the range or a zero point, a count below 1 (`negative_size`), or a multiplier.
  /// Returns `accumulator_overflow` last: a sum of values of X leaves int32 or the domain of the scheme.
  DYADIC_API friend constexpr status check(const rescaled_total& rule) noexcept {
    if (const status s = check_operand<X>(rule.x_zero_point, rule.range); s != status::ok) return s;
    if (rule.count < 1) return status::negative_size;
    if (!Scheme::valid(rule.multiplier)) return status::multiplier_out_of_range;
    const dyadic::detail::bounds x = dyadic::detail::differences<X>(rule.x_zero_point);
    const std::int64_t further = std::int64_t{Further} * rule.x_zero_point;
    const std::int64_t unit = std::int64_t{1} << LeftShift;
    const dyadic::detail::bounds sum{(x.low * rule.count - further) * unit, (x.high * rule.count - further) * unit};
    return dyadic::detail::takes_between<Scheme>(sum, rule.multiplier) ? status::ok : status::accumulator_overflow;
  }
};

/// Derives a rule whose multiplier is multiplier_of(derive(fl64(x / y))).
template <class Rule, class Multiplier, class Derive>
DYADIC_API constexpr result<Rule> derive_total(binary32 x_scale, std::int32_t x_zero_point, std::int32_t count, binary32 y_scale,
                                               output_range range, const Multiplier& multiplier_of, Derive derive) noexcept {
  Rule rule{};
  rule.x_zero_point = x_zero_point;
  rule.count = count;
  rule.range = range;
  if (const status s = check_tensor_scales(x_scale, x_scale, y_scale); s != status::ok) return {rule, s};
  const auto m = derive(dyadic::divide(binary64{x_scale}, binary64{y_scale}));
  if (m.status != status::ok) return {rule, m.status};
  if (count < 1) return {rule, status::negative_size};
  rule.multiplier = multiplier_of(m.value);
  return {rule, check(rule)};
}

}  // namespace detail

/// Mean of int8, uint8 and int16: y = clamp(scheme(sum of x - count * x_zero_point, multiplier) + zero_point of y, min, max). The
/// multiplier is scale of x / (scale of y * count), by `divide_by_count`. The sum is an int32: 2^23 elements of 8 bits fit, or
/// 2^15 of int16, whatever their values. `check` says whether `count` is too large. The scheme is `single_rounding` for a build
/// with TFLITE_SINGLE_ROUNDING.
template <class X, class Scheme = double_rounding>
struct mean : detail::rescaled_total<X, Scheme> {
  static constexpr operator_id id = operator_id::mean;  ///< the operator

  /// Derives the multiplier: QuantizeMultiplier of fl64(x / y), then `divide_by_count`. Returns the status of a scale that is not
  /// positive and finite or of the multiplier, else the status of `check`.
  DYADIC_API static constexpr result<mean> derive(binary32 x_scale, std::int32_t x_zero_point, std::int32_t count,
                                                  binary32 y_scale, output_range range) noexcept {
    return detail::derive_total<mean>(
        x_scale, x_zero_point, count, y_scale, range, [=](multiplier32 m) { return divide_by_count(m, count); }, Scheme::derive);
  }
};

/// SUM of int8, uint8 and int16: the formula of `mean`. The multiplier is scale of x / scale of y, whatever the count.
template <class X, class Scheme = double_rounding>
struct sum : detail::rescaled_total<X, Scheme> {
  static constexpr operator_id id = operator_id::sum;  ///< the operator

  /// Derives the multiplier: QuantizeMultiplier of fl64(x / y). Returns the statuses of `mean::derive`.
  DYADIC_API static constexpr result<sum> derive(binary32 x_scale, std::int32_t x_zero_point, std::int32_t count,
                                                 binary32 y_scale, output_range range) noexcept {
    return detail::derive_total<sum>(
        x_scale, x_zero_point, count, y_scale, range, [](multiplier32 m) { return m; }, Scheme::derive);
  }
};

}  // namespace dyadic::tflite
