// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Division as the engines compute it. Floor 3.
/// Sources: tflite/kernels/internal/{common.h (GetReciprocal), reference/div.h}, tflite/micro/kernels/div.cc, ExecuTorch
/// backends/cortex_m/ops/op_quantized_div.cpp.

#include <dyadic/elementwise/fixed_point.hpp>
#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/executorch.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic {

namespace tflite {

/// GetReciprocal: a multiplier of about 1 / x, gemmlowp's 1 / (1 + f) of x = 2^k * (1 + f), of right shift 31 + k. The mantissa
/// of a power of two is 2^31 - 1. Requires: x >= 1.
DYADIC_API constexpr multiplier32 reciprocal(std::int32_t x) noexcept {
  DYADIC_ASSERT(x >= 1);
  const int zeros = leading_zeros(static_cast<std::uint64_t>(x)) - 32;
  const auto fraction = static_cast<std::int32_t>((static_cast<std::uint32_t>(x) << zeros) - 0x8000'0000u);
  return {gemmlowp::one_over_one_plus_x(fraction), 62 - zeros};
}

/// DIV of int8, uint8 and int16: n = a - a_zero_point and d = b - b_zero_point, both negated if d < 0.
///   q = scheme(n, 2^h * reciprocal(d)), where h is the number of bits by which n can be shifted to the left.
///   y = clamp(scheme(q, multiplier / 2^h) + zero point of y, min, max).
/// The reciprocal is inexact: 2.7 % of random int8 quotients are off by 1. The engine stops at d = 0, where this rule has the
/// quotient 0. The last shift includes the reciprocal's power of two. Outside of -31 .. 0 it is undefined in the engine. In this
/// rule a longer right shift gives 0. For n = 0 and n = -1 the first shift is by 31 bits. It is exact here. In the engine it
/// wraps: two roundings give the same result, and one rounding is undefined.
template <class X, class Scheme = double_rounding>
struct divide {
  static_assert(is_element<X>, "TFLite divides int8, uint8 and int16");
  static constexpr operator_id id = operator_id::divide;  ///< the operator
  using value_type = X;                                   ///< the type of a, b and y
  using scheme = Scheme;                                  ///< the rule of both rescales

  std::int32_t a_zero_point;  ///< subtracted from a
  std::int32_t b_zero_point;  ///< subtracted from b
  multiplier32 multiplier;    ///< scale of a / (scale of b * scale of y)
  output_range range;         ///< range of y

  /// Derives QuantizeMultiplier of fl32(a / fl32(b * y)). Returns the first error of a scale, of the multiplier or of `check`.
  DYADIC_API static constexpr result<divide> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                    std::int32_t b_zero_point, binary32 y_scale, output_range range) noexcept {
    divide rule{a_zero_point, b_zero_point, {}, range};
    if (const status s = check_tensor_scales(a_scale, b_scale, y_scale); s != status::ok) return {rule, s};
    const auto m = Scheme::derive(dyadic::divide(a_scale, dyadic::multiply(b_scale, y_scale)));
    rule.multiplier = m.value;
    return {rule, m.status != status::ok ? m.status : check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X a, X b) const noexcept {
    const std::int32_t d = std::int32_t{b} - b_zero_point;
    const std::int32_t n = d < 0 ? a_zero_point - std::int32_t{a} : std::int32_t{a} - a_zero_point;
    return static_cast<X>(clamp(quotient(n, d < 0 ? -d : d) + range.zero_point, range.min, range.max));
  }
  /// Returns the first error in the numbers: the range, a zero point, or a multiplier. Returns `accumulator_overflow` last: for
  /// some elements the last shift is not in -31 .. 0.
  DYADIC_API friend constexpr status check(const divide& rule) noexcept {
    const status s = check_operands<X, allowed_zero_points::any>(rule.a_zero_point, rule.b_zero_point, rule.range);
    if (s != status::ok) return s;
    if (!Scheme::valid(rule.multiplier)) return status::multiplier_out_of_range;
    const std::int32_t n = dyadic::detail::greatest_difference<X>(rule.a_zero_point);
    const std::int32_t d = dyadic::detail::greatest_difference<X>(rule.b_zero_point);
    const std::int32_t least = rule.multiplier.right_shift + headroom(n);               // of the divisor 1 or -1
    const std::int32_t most = rule.multiplier.right_shift + reciprocal(d).right_shift;  // of the numerator 0
    return least >= 31 && most <= 62 ? status::ok : status::accumulator_overflow;
  }

 private:
  /// Returns CountLeadingSignBits: the number of bits by which n can be shifted to the left. It is 31 for 0 and -1.
  DYADIC_API static constexpr int headroom(std::int32_t n) noexcept {
    return leading_zeros(static_cast<std::uint64_t>(n < 0 ? -(n + 1) : n)) - 33;
  }
  DYADIC_API constexpr std::int64_t quotient(std::int32_t n, std::int32_t d) const noexcept {
    if (d == 0) return 0;
    const multiplier32 r = reciprocal(d);
    const int h = headroom(n);
    const std::int64_t q = h == 31 ? std::int64_t{n} * r.mantissa : Scheme::apply(n, {r.mantissa, 31 - h});
    const std::int32_t shift = multiplier.right_shift + (r.right_shift - 31) + h;
    return shift > 62 ? 0 : Scheme::apply(static_cast<std::int32_t>(q), {multiplier.mantissa, shift});
  }
};

}  // namespace tflite

namespace executorch::cortex_m {

/// quantized_div of int8 and int16, in binary32: y = clamp(round(fl32(fl32(n / d) * scale)) + y_zero_point, min, max), ties away
/// from zero, where n = a - a_zero_point and d = b - b_zero_point. The quotient is 0 for d = 0. The exporter's Python reference
/// has ties to even: 5 % of random int8 outputs differ.
template <class X>
struct divide {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::int16_t>, "ExecuTorch divides int8 and int16");
  static constexpr operator_id id = operator_id::divide;  ///< the operator
  using value_type = X;                                   ///< the type of a, b and y

  std::int32_t a_zero_point;  ///< subtracted from a
  std::int32_t b_zero_point;  ///< subtracted from b
  binary32 scale;             ///< scale of a / (scale of b * scale of y)
  output_range range;         ///< range of y

  /// Derives the exporter's multiplier of fl64(a / fl64(b * y)), whose mantissa the kernel rounds to binary32. Returns the first
  /// error of a scale, of the multiplier or of `check`.
  DYADIC_API static constexpr result<divide> derive(binary64 a_scale, std::int32_t a_zero_point, binary64 b_scale,
                                                    std::int32_t b_zero_point, binary64 y_scale, output_range range) noexcept {
    divide rule{a_zero_point, b_zero_point, {}, range};
    if (const status s = check_tensor_scales(a_scale, b_scale, y_scale); s != status::ok) return {rule, s};
    const auto m = cortex_m::derive(dyadic::divide(a_scale, dyadic::multiply(b_scale, y_scale)));
    rule.scale = scale_by_power_of_two(from_integer<binary32>(m.value.mantissa), -m.value.right_shift);
    return {rule, m.status != status::ok ? m.status : check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X a, X b) const noexcept {
    const std::int64_t d = std::int64_t{b} - b_zero_point;
    const binary32 n = from_integer<binary32>(std::int64_t{a} - a_zero_point);
    const binary32 q = d == 0 ? binary32{} : dyadic::divide(n, from_integer<binary32>(d));
    return static_cast<X>(clamp(to_integer<half_away>(dyadic::multiply(q, scale)) + range.zero_point, range.min, range.max));
  }
  /// Returns the first error in the numbers: the range, a zero point, or a scale that is not positive and finite.
  DYADIC_API friend constexpr status check(const divide& rule) noexcept {
    const status s = check_operands<X, allowed_zero_points::any>(rule.a_zero_point, rule.b_zero_point, rule.range);
    return s != status::ok ? s : check_tensor_scale(rule.scale);
  }
};

}  // namespace executorch::cortex_m
}  // namespace dyadic
