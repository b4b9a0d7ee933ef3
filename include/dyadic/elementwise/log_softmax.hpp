// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Log softmax of a row of int8: x - max - ln(sum of exp(x - max)), in gemmlowp's fixed point. Floor 3.
/// Sources: tflite/kernels/internal/{common.h (log_x_for_x_greater_than_or_equal_to_1), reference/log_softmax.h,
/// quantization_util.cc}, tflite/micro/kernels/log_softmax.cc.

#include <dyadic/elementwise/softmax.hpp>

namespace dyadic::tflite {

/// log_x_for_x_greater_than_or_equal_to_1: ln(x) in Q5 for x >= 1 in Q12, which is x >= 2^19. Multiplies x by a power of 2, and
/// by sqrt(1/2) if the product r is then nearer to 1. ln(r) is a rational function of r.
DYADIC_API constexpr std::int32_t log_of_sum(std::int32_t x) noexcept {
  using gemmlowp::detail::plus;
  using gemmlowp::detail::times;
  constexpr std::int32_t root_half = 1518500250;  // sqrt(1/2) in Q0
  constexpr std::int32_t center = 1805811301;     // sqrt(sqrt(1/2)) in Q0
  constexpr std::int32_t quarter = 1 << 23;
  const auto zeros = [](std::int32_t v) { return leading_zeros(static_cast<std::uint32_t>(v)) - 32; };
  const auto power = [](int shift) { return shift_left_wrapped(std::int64_t{12 - shift}, 25); };

  const int h = zeros(x);
  const std::int32_t root_scaled = shift_left_saturated(times(x << (h - 1), root_half), 1);
  const std::int32_t root_power = saturate<std::int32_t>(power(h) + quarter);
  const std::int32_t scaled = times(x, root_half);
  const int k = zeros(scaled) - 1;
  const std::int32_t power_scaled = shift_left_saturated(x, k);
  const std::int32_t power_power = saturate<std::int32_t>(power(k) - quarter);
  const std::int32_t r = root_scaled < power_scaled ? root_scaled : power_scaled;
  const std::int32_t p = root_power > power_power ? root_power : power_power;

  const std::int32_t half_sum = gemmlowp::rounding_half_sum(r, center);
  const std::int32_t q = shift_left_saturated(plus(r, -center), 1);
  const std::int32_t q2 = times(q, q);
  const std::int32_t q3 = times(q2, q);
  const std::int32_t numerator = plus(times(q, r), times(q3, 117049297));
  const std::int32_t inner = plus(plus(1057819769, q), times(127690142, q2));
  const std::int32_t denominator = plus(times(half_sum, inner), times(638450708, q));
  const std::int32_t log_r = times(gemmlowp::rounding_divide_by_pot(numerator, 6), gemmlowp::one_over_one_plus_x(denominator));
  return shift_left_saturated(plus(times(p, 1488522236), log_r), 1);  // ln(2) in Q0
}

/// LOG_SOFTMAX of int8: y = saturate((scheme(d, multiplier) - l) / 2^22 + 127), ties away from zero, where d = x - the greatest x
/// of the row, and l is `log_of_sum` of TFLite's sum of exponentials. y is -128 for d < least_difference and for d <= scheme(l -
/// 2^31, inverse). The scale of y is 1/16, its zero point 127. The sum is an int32 in the engine. A sum that is too large
/// saturates here. The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.
template <class Scheme = double_rounding>
struct log_softmax {
  static constexpr operator_id id = operator_id::log_softmax;  ///< the operator
  using value_type = std::int8_t;                              ///< the type of x and y
  using scheme = Scheme;                                       ///< the rule of the rescales
  using in_place = void;                                       ///< y may be x
  static constexpr index_t longest_row = 4095;                 ///< a sum of 4096 ones overflows an int32 with 19 bits of fraction

  softmax<std::int8_t, std::int8_t, Scheme> exponential;  ///< the rule that rescales a difference to Q5, and its exponential
  multiplier32 inverse;                                   ///< 1 / the multiplier of `exponential`: from Q5 to a difference

  /// Derives the softmax of the scale with a beta of 1, and QuantizeMultiplierSmallerThanOneExp of 2^right_shift / mantissa of
  /// its multiplier. Returns the status of `softmax::derive`, or of `check`.
  DYADIC_API static constexpr result<log_softmax> derive(binary32 x_scale) noexcept {
    const auto exponential = softmax<std::int8_t, std::int8_t, Scheme>::derive(x_scale, 1.0f);
    log_softmax rule{exponential.value, {0, 31}};
    if (exponential.status != status::ok) return {rule, exponential.status};
    const multiplier32 m = exponential.value.multiplier;
    const binary64 real = dyadic::divide(scale_by_power_of_two(binary64{1.0}, m.right_shift), from_integer<binary64>(m.mantissa));
    const auto inverse = Scheme::derive(real);
    rule.inverse = inverse.value;
    return {rule, inverse.status != status::ok ? inverse.status : check(rule)};
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests, and at least one element. y may be x.
  DYADIC_API constexpr void operator()(view<const std::int8_t> x, view<std::int8_t> y) const noexcept {
    const std::int32_t most = dyadic::detail::greatest(x);
    const auto exponential_of = [this](std::int32_t difference) { return exponential.exponential(difference); };
    const std::int32_t l = log_of_sum(saturate<std::int32_t>(exponential.sum(x, most, exponential_of)));
    const std::int64_t inside = Scheme::apply(wrap<std::int32_t>(std::int64_t{l} + int32_min), inverse);
    for (index_t i = 0; i < x.size(); ++i) {
      const std::int32_t d = x[i] - most;
      if (d < exponential.least_difference || d <= inside) {
        y[i] = limits<std::int8_t>::min;
      } else {
        const auto log = wrap<std::int32_t>(Scheme::apply(d, exponential.multiplier) - l);
        y[i] = saturate<std::int8_t>(gemmlowp::rounding_divide_by_pot(log, 22) + 127);
      }
    }
  }
  /// Returns `multiplier_out_of_range`, also for an inverse of 1 and more.
  DYADIC_API friend constexpr status check(const log_softmax& rule) noexcept {
    if (const status s = check(rule.exponential); s != status::ok) return s;
    return Scheme::valid(rule.inverse) && rule.inverse.right_shift >= 31 ? status::ok : status::multiplier_out_of_range;
  }
};

}  // namespace dyadic::tflite
