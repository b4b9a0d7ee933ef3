// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Fixed-point functions of gemmlowp (fixedpoint/fixedpoint.h). TensorFlow Lite and CMSIS-NN build sigmoid, tanh and softmax from
/// them. Floor 2.
///
/// Qi is an int32 that counts steps of 2^(i - 31): it has i integer bits and 31 - i fraction bits. The product of Qi and Qj, by
/// `saturating_rounding_doubling_high_mul`, is Q(i + j). The number 1 in Q0 is 2^31 - 1. Every step is an int32: a result outside
/// int32 wraps, or saturates where a function says so.

#include <dyadic/scheme/gemmlowp.hpp>

namespace dyadic::gemmlowp {

/// RoundingHalfSum: (a + b) / 2, ties away from zero.
DYADIC_API constexpr std::int32_t rounding_half_sum(std::int32_t a, std::int32_t b) noexcept {
  return static_cast<std::int32_t>(shift_right<half_away>(std::int64_t{a} + b, 1));
}

/// Rescale: converts x from From integer bits to To integer bits. Fewer integer bits saturate. More integer bits round, ties away
/// from zero.
template <int From, int To>
DYADIC_API constexpr std::int32_t rescale(std::int32_t x) noexcept {
  if constexpr (To < From)
    return shift_left_saturated(x, From - To);
  else
    return rounding_divide_by_pot(x, To - From);
}

namespace detail {

/// The product of two fixed-point numbers; their sum modulo 2^32.
/// @{
DYADIC_API constexpr std::int32_t times(std::int32_t a, std::int32_t b) noexcept {
  return saturating_rounding_doubling_high_mul(a, b);
}
DYADIC_API constexpr std::int32_t plus(std::int32_t a, std::int32_t b) noexcept {
  return wrap<std::int32_t>(std::int64_t{a} + b);
}
/// @}

/// exp(x) in Q0 for x in Q0, -1/4 <= x < 0, by the Taylor polynomial of degree 4 about -1/8:
///   exp(-1/8) * (1 + u + (u^2 + (u^3 + u^4 / 4) / 3) / 2), where u = x + 1/8.
DYADIC_API constexpr std::int32_t exp_from_minus_quarter(std::int32_t x) noexcept {
  constexpr std::int32_t exp_minus_eighth = 1895147668;  // exp(-1/8) * 2^31
  constexpr std::int32_t third = 715827883;              // 2^31 / 3
  const std::int32_t u = plus(x, 1 << 28);
  const std::int32_t u2 = times(u, u);
  const std::int32_t u3 = times(u2, u);
  const std::int32_t u4 = times(u2, u2);
  const std::int32_t sixths = times(plus(rescale<0, 2>(u4), u3), third);
  const std::int32_t halves = rescale<0, 1>(plus(sixths, u2));
  return plus(exp_minus_eighth, times(exp_minus_eighth, plus(u, halves)));
}

/// 2 / (1 + x) in Q2 for x in Q0, 0 <= x <= 1, by Newton's method. The first estimate is y = 48/17 - 32/17 * d, where d = (1 + x)
/// / 2. Three steps follow: y += y * (1 - d * y).
DYADIC_API constexpr std::int32_t reciprocal_of_half_sum(std::int32_t x) noexcept {
  constexpr std::int32_t one = 1 << 29;
  const std::int32_t d = rounding_half_sum(x, int32_max);
  std::int32_t y = plus(1515870810, times(d, -1010580540));  // 48/17 and -32/17 in Q2
  for (int i = 0; i < 3; ++i) {
    const std::int32_t error = wrap<std::int32_t>(std::int64_t{one} - times(d, y));
    y = plus(y, rescale<4, 2>(times(y, error)));
  }
  return y;
}

}  // namespace detail

/// exp_on_negative_values: exp(x) in Q0 for x <= 0 in Q(IntegerBits); 1 for 0. The polynomial takes the rest of x, which is
/// between -1/4 and 0. Each bit 2^k of rest - x, k from -2 to 4, then multiplies by exp(-2^k). Below -32 the result is 0.
template <int IntegerBits>
DYADIC_API constexpr std::int32_t exp_on_negative_values(std::int32_t x) noexcept {
  static_assert(IntegerBits >= 0 && IntegerBits <= 28);
  constexpr int fraction_bits = 31 - IntegerBits;
  // exp(-2^k) * 2^31 for k = -2 .. 4
  constexpr std::int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  if (x == 0) return int32_max;
  constexpr std::int32_t quarter = std::int32_t{1} << (fraction_bits - 2);
  const std::int32_t rest = (x & (quarter - 1)) - quarter;  // -1/4 <= rest < 0
  const auto quarters = wrap<std::int32_t>(std::int64_t{rest} - x);
  std::int32_t y = detail::exp_from_minus_quarter(shift_left_saturated(rest, IntegerBits));
  for (int k = -2; k < IntegerBits && k <= 4; ++k)
    if ((quarters & (std::int32_t{1} << (fraction_bits + k))) != 0) y = detail::times(y, factors[k + 2]);
  if constexpr (IntegerBits > 5)
    if (x < -(std::int32_t{1} << (fraction_bits + 5))) return 0;
  return y;
}

/// one_over_one_plus_x_for_x_in_0_1: 1 / (1 + x) in Q0 for x in Q0, 0 <= x <= 1.
DYADIC_API constexpr std::int32_t one_over_one_plus_x(std::int32_t x) noexcept {
  return rescale<1, 0>(detail::reciprocal_of_half_sum(x));  // 2 / (1 + x) in Q2 is the same integer as 1 / (1 + x) in Q1
}

/// one_minus_x_over_one_plus_x_for_x_in_0_1: (1 - x) / (1 + x) in Q0 for x in Q0, 0 <= x <= 1.
DYADIC_API constexpr std::int32_t one_minus_x_over_one_plus_x(std::int32_t x) noexcept {
  return rescale<2, 0>(detail::plus(detail::reciprocal_of_half_sum(x), -(1 << 29)));
}

/// logistic: 1 / (1 + exp(-x)) in Q0 for x in Q(IntegerBits), x > -2^31. The result is 1/2 for 0. The result of a negative x is 1
/// less the result of -x.
template <int IntegerBits>
DYADIC_API constexpr std::int32_t logistic(std::int32_t x) noexcept {
  if (x == 0) return 1 << 30;
  const std::int32_t minus_magnitude = x < 0 ? x : -x;
  const std::int32_t y = one_over_one_plus_x(exp_on_negative_values<IntegerBits>(minus_magnitude));
  return x > 0 ? y : int32_max - y;
}

/// tanh(x) in Q0 for x in Q(IntegerBits), x > -2^31: (1 - e) / (1 + e) with the sign of x, where e = exp(-2 * |x|); 0 for 0.
template <int IntegerBits>
DYADIC_API constexpr std::int32_t tanh(std::int32_t x) noexcept {
  if (x == 0) return 0;
  const std::int32_t minus_magnitude = x < 0 ? x : -x;
  // Twice a Qi is the same integer read as Q(i + 1).
  const std::int32_t y = one_minus_x_over_one_plus_x(exp_on_negative_values<IntegerBits + 1>(minus_magnitude));
  return x < 0 ? -y : y;
}

}  // namespace dyadic::gemmlowp

namespace dyadic::tflite {

/// CalculateInputRadius: floor((2^integer_bits - 1) * 2^(31 - integer_bits) / 2^left_shift). It is the greatest integer whose
/// product with 2^left_shift is at most 2^integer_bits - 1 in Q(integer_bits). Requires: left_shift >= 0.
DYADIC_API constexpr std::int32_t input_radius(int integer_bits, std::int32_t left_shift) noexcept {
  const std::int64_t largest = ((std::int64_t{1} << integer_bits) - 1) << (31 - integer_bits);
  return left_shift > 31 ? 0 : static_cast<std::int32_t>(largest >> left_shift);
}

}  // namespace dyadic::tflite
