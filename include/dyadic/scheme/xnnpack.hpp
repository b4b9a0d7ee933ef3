// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rounding rules of XNNPACK (src/xnnpack/requantization.h, src/microparams-init.c, src/qs8-vcvt, src/qs8-vadd). Floor 2.
/// XNNPACK asserts binary32 scales in 2^-32 .. 256. Other scales get a status here.
/// Revision: XNNPACK @ 75db3c09.

#include <dyadic/elementwise/operator_id.hpp>
#include <dyadic/scale.hpp>
#include <dyadic/scheme/formula.hpp>

namespace dyadic::xnnpack {

/// Checks what XNNPACK asserts of a requantization scale: 2^-32 <= scale < 256.
DYADIC_API constexpr status check_scale(binary32 scale) noexcept {
  if (!is_finite(scale)) return status::scale_not_finite;
  if (is_zero(scale)) return status::scale_zero;
  if (is_negative(scale)) return status::scale_negative;
  if (less(scale, binary32{0x1p-32f})) return status::scale_too_small;
  return less(scale, binary32{256.0f}) ? status::ok : status::scale_too_large;
}

/// Returns the 24-bit mantissa and the exponent of the binary32 scale, exact. The mantissa is in 2^23 .. 2^24 - 1, right_shift in
/// 16 .. 55. A scale that XNNPACK asserts against gets its status. If the scale is only too small or too large, the multiplier is
/// XNNPACK's nevertheless.
DYADIC_API constexpr result<multiplier32> derive_from_bits(binary32 scale) noexcept {
  const status s = check_scale(scale);
  if (s == status::scale_not_finite || s == status::scale_zero || s == status::scale_negative) return {{0, 24}, s};
  const fraction f = decompose(scale);
  return {{static_cast<std::int32_t>(f.significand >> 40), -(f.exponent + 40)}, s};
}

/// The rule of most kernels: `formula::scaled_in_binary32`, then plus the zero point. XNNPACK clamps before it rounds, which
/// gives equal results.
struct fp32 : by_formula<formula::scaled_in_binary32> {
  /// Returns true if XNNPACK takes the scale.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return check_scale(m) == status::ok; }
  /// Returns the scale itself.
  DYADIC_API static constexpr result<multiplier_type> derive(binary32 scale) noexcept { return {scale, check_scale(scale)}; }
};

namespace detail {

/// A rule for the 24-bit mantissas of `derive_from_bits`.
template <class Rounding, class Result>
struct rndnu : by_formula<formula::scaled32<Rounding, Result>> {
  using accumulator = std::int32_t;
  using multiplier_type = multiplier32;

  /// Returns true if mantissa is in 0 .. 2^24 - 1 and right_shift in 16 .. 55.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept {
    return m.mantissa >= 0 && m.mantissa < (1 << 24) && dyadic::detail::shift_within(m, 16, 55);
  }
  DYADIC_API static constexpr result<multiplier_type> derive(binary32 scale) noexcept { return derive_from_bits(scale); }
};

/// `rndnu` wrapped to int32 before the clamp. If the result fits int32, it equals the rule with the 64-bit result.
template <class Rounding>
struct rndnu_wrapped : rndnu<Rounding, to_int32_wrapped> {
  using rndnu<Rounding, to_int32_wrapped>::valid;
  /// Returns true if the result fits int32.
  DYADIC_API static constexpr bool valid(std::int32_t acc, multiplier32 m) noexcept {
    return valid(m) && fits<std::int32_t>(scaled<Rounding>(acc, m.mantissa, m.right_shift));
  }
};

}  // namespace detail

/// The scalar rndnu reference: acc * mantissa / 2^right_shift, ties up, wrapped to int32 before the clamp. `rndnu_neon` is the
/// exact rule.
struct rndnu : detail::rndnu_wrapped<rounding::single_up> {};

/// The rndnu rule of the NEON kernels: acc * mantissa / 2^right_shift, ties up. Their saturating shifts change no 8-bit output.
struct rndnu_neon : detail::rndnu<rounding::single_up, to_int64> {};

/// The rndnu16 rule of some unsigned kernels. Let a = 15 - right_shift. Then p = acc * 2^a (for a < 0 acc / 2^-a, ties up),
/// saturated to int32, then to int16. The result is p * mantissa / 2^15, ties up. It has two roundings and 15 bits of scale.
struct rndnu16 : by_formula<formula::saturated_to_int16_first> {
  /// Returns true if mantissa >= 0 and a is in -31 .. 9.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept {
    return m.mantissa >= 0 && dyadic::detail::shift_within(m, 6, 46);
  }
  /// Rounds the binary32 scale's mantissa to 15 bits, ties up, 2^15 halved.
  DYADIC_API static constexpr result<multiplier_type> derive(binary32 scale) noexcept {
    const status s = check_scale(scale);
    if (s == status::scale_negative) return {{0, 15}, s};
    return {nearest<std::int16_t>(scale, half_up{}).value, s};
  }
};

/// The rndna rule, removed in October 2024: acc * mantissa / 2^right_shift, ties away from zero, wrapped to int32.
struct rndna : detail::rndnu_wrapped<rounding::single_away> {};

/// The gemmlowp-style rule, removed in October 2024: two roundings as in gemmlowp, but a multiplier of 24 significant bits.
struct gemmlowp : by_formula<formula::scaled32<rounding::double_away, to_int64>> {
  /// Returns true if mantissa >= 0 and right_shift is in 31 .. 62.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept {
    return m.mantissa >= 0 && dyadic::detail::shift_within(m, 31, 62);
  }
  /// Returns the binary32 scale in 31 bits, exact. Returns `scale_too_large` from 1 on.
  DYADIC_API static constexpr result<multiplier_type> derive(binary32 scale) noexcept {
    const result<multiplier_type> r = derive_from_bits(scale);
    return dyadic::detail::limit_shift(result<multiplier_type>{{r.value.mantissa * 128, r.value.right_shift + 7}, r.status}, 31,
                                       62);
  }
};

/// Converts int8 to int8 (qs8-vcvt) by the 8-bit fixed-point ratio of both scales.
struct convert {
  static constexpr operator_id id = operator_id::requantize;  ///< the operator
  using value_type = std::int8_t;                             ///< the type of x and y

  multiplier32 ratio;              ///< round(256 * fl32(input_scale / output_scale)), ties to even, in 1 .. 32768; right_shift 8
  std::int32_t input_zero_point;   ///< subtracted from x
  std::int32_t output_zero_point;  ///< added to y

  /// Derives the ratio. XNNPACK asserts a ratio in 2^-8 .. 128 and zero points of int8. Values outside get a status.
  DYADIC_API static constexpr result<convert> derive(binary32 input_scale, std::int32_t input_zero_point, binary32 output_scale,
                                                     std::int32_t output_zero_point) noexcept {
    const binary32 ratio = divide(input_scale, output_scale);
    convert converter{{0, 8}, input_zero_point, output_zero_point};
    if (!is_finite(ratio)) return {converter, status::scale_not_finite};
    converter.ratio.mantissa = saturate<std::int32_t>(to_integer<half_even>(scale_by_power_of_two(ratio, 8)));
    if (!fits<std::int8_t>(std::int64_t{input_zero_point}) || !fits<std::int8_t>(std::int64_t{output_zero_point}))
      return {converter, status::zero_point_out_of_range};
    if (is_negative(ratio)) return {converter, status::scale_negative};
    if (less(ratio, binary32{0x1p-8f})) return {converter, status::scale_too_small};
    return {converter, less(binary32{128.0f}, ratio) ? status::scale_too_large : status::ok};
  }
  /// Returns saturate((x - input_zero_point) * ratio, ties up, + output_zero_point) to int8.
  DYADIC_API constexpr std::int8_t operator()(std::int8_t x) const noexcept {
    const std::int64_t y = scaled<rounding::single_up>(std::int64_t{x} - input_zero_point, ratio.mantissa, ratio.right_shift);
    return saturate<std::int8_t>(y + output_zero_point);
  }
  /// Returns the first error in the numbers: a zero point, or a ratio that `derive` does not return.
  DYADIC_API friend constexpr status check(const convert& rule) noexcept {
    if (!fits<std::int8_t>(std::int64_t{rule.input_zero_point}) || !fits<std::int8_t>(std::int64_t{rule.output_zero_point}))
      return status::zero_point_out_of_range;
    const bool is_ratio = rule.ratio.right_shift == 8 && rule.ratio.mantissa >= 1 && rule.ratio.mantissa <= 32768;
    return is_ratio ? status::ok : status::multiplier_out_of_range;
  }
};

/// Adds int8s (qs8-vadd). Both ratios to the output scale have 21 bits and one common shift.
struct add {
  static constexpr operator_id id = operator_id::add;  ///< the operator
  using value_type = std::int8_t;                      ///< the type of both operands and of the sum

  std::int32_t a_mantissa;    ///< mantissa of a scale / output scale
  std::int32_t b_mantissa;    ///< mantissa of b scale / output scale
  std::int32_t right_shift;   ///< 20 - exponent of the larger |ratio|, 12 .. 30
  std::int32_t a_zero_point;  ///< subtracted from a
  std::int32_t b_zero_point;  ///< subtracted from b
  output_range range;         ///< range of the sum

  /// Derives the ratios fl32(scale / output_scale), of any sign. Mantissas are rounded with ties to even. XNNPACK asserts that
  /// both |ratios| are in 2^-10 .. 2^8, 2^8 excluded, and that zero points and bounds are values of int8. Values outside get a
  /// status. For a shift outside 12 .. 30 the mantissas are 0.
  DYADIC_API static constexpr result<add> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                 std::int32_t b_zero_point, binary32 output_scale, output_range range) noexcept {
    const binary32 a = divide(a_scale, output_scale);
    const binary32 b = divide(b_scale, output_scale);
    const bool a_is_larger = less(magnitude(b), magnitude(a));
    const binary32 larger = magnitude(a_is_larger ? a : b);
    const binary32 smaller = magnitude(a_is_larger ? b : a);
    add parameters{0, 0, 20, a_zero_point, b_zero_point, range};
    if (!is_finite(a) || !is_finite(b)) return {parameters, status::scale_not_finite};
    if (is_zero(larger)) return {parameters, status::scale_zero};
    const std::int32_t right_shift = 20 - (decompose(larger).exponent + 63);
    if (right_shift < 12) return {parameters, status::scale_too_large};
    if (right_shift > 30) return {parameters, status::scale_too_small};
    parameters.right_shift = right_shift;
    parameters.a_mantissa = static_cast<std::int32_t>(to_integer<half_even>(scale_by_power_of_two(a, right_shift)));
    parameters.b_mantissa = static_cast<std::int32_t>(to_integer<half_even>(scale_by_power_of_two(b, right_shift)));
    if (!less(larger, binary32{256.0f})) return {parameters, status::scale_too_large};
    if (less(smaller, binary32{0x1p-10f})) return {parameters, status::scale_too_small};
    return {parameters, check_int8(a_zero_point, b_zero_point, range)};
  }
  /// Returns clamp(((a - a_zero_point) * a_mantissa + (b - b_zero_point) * b_mantissa) / 2^right_shift, ties up, + zero_point).
  /// |sum| < 2^31.
  DYADIC_API constexpr std::int8_t operator()(std::int8_t a, std::int8_t b) const noexcept {
    const std::int64_t sum = (std::int64_t{a} - a_zero_point) * a_mantissa + (std::int64_t{b} - b_zero_point) * b_mantissa;
    return saturate<std::int8_t>(clamp(shift_right<half_up>(sum, right_shift) + range.zero_point, range.min, range.max));
  }
  /// Returns `multiplier_out_of_range` for a mantissa beyond +-2^21 or a shift outside 12 .. 30, or the error of the range or of
  /// a zero point.
  DYADIC_API friend constexpr status check(const add& rule) noexcept {
    const std::int32_t most = 1 << 21;
    const bool fit = rule.a_mantissa >= -most && rule.a_mantissa <= most && rule.b_mantissa >= -most && rule.b_mantissa <= most &&
                     rule.right_shift >= 12 && rule.right_shift <= 30;
    return fit ? check_int8(rule.a_zero_point, rule.b_zero_point, rule.range) : status::multiplier_out_of_range;
  }

 private:
  DYADIC_API static constexpr status check_int8(std::int32_t a_zero_point, std::int32_t b_zero_point,
                                                output_range range) noexcept {
    if (range.min > range.max) return status::empty_range;
    if (!fits<std::int8_t>(std::int64_t{range.min}) || !fits<std::int8_t>(std::int64_t{range.max}))
      return status::range_out_of_type;
    const bool fit = fits<std::int8_t>(std::int64_t{a_zero_point}) && fits<std::int8_t>(std::int64_t{b_zero_point}) &&
                     fits<std::int8_t>(std::int64_t{range.zero_point});
    return fit ? status::ok : status::zero_point_out_of_range;
  }
};

}  // namespace dyadic::xnnpack
