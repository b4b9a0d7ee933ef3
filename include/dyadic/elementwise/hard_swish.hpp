// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// TFLite's hard swish, x * relu6(x + 3) / 6, in 16 bits. Floor 3.
/// Sources: tflite/micro/kernels/hard_swish_common.cc, tflite/kernels/internal/reference/hard_swish.h.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/gemmlowp.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic::tflite {

/// HardSwish of int8 and uint8. All values are int16. `high_mul` is gemmlowp's SaturatingRoundingDoublingHighMul, ties up.
///   h = (x - x_zero_point) * 2^7
///   s = high_mul(h, output mantissa)
///   r = h after four steps, where e = exponent of the relu:
///       times 2^(e - 1), saturated, if e > 0
///       `high_mul` with the relu mantissa
///       times 2, saturated, if e > 0
///       / 2^-e, ties away, if e < 0
///   y = clamp((((r + 2^15) >> 1) * s / 2^15 toward zero) / 2^-(output exponent), ties away, + zero_point, min, max)
/// Each y has one truncation and at most five roundings. The last product is truncated toward zero, unlike any other product of
/// the library.
template <class X>
struct hard_swish {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::uint8_t>, "hard swish is of int8 and uint8");
  static constexpr operator_id id = operator_id::hard_swish;  ///< the operator
  using value_type = X;                                       ///< the type of x and y

  std::int32_t x_zero_point;           ///< subtracted from x
  multiplier16 output;                 ///< scale of x / 128 / scale of y; right_shift 15 .. 30
  multiplier16 relu;                   ///< scale of x / 128 / (3 / 2^15); right_shift 0 .. 30
  output_range range = range_of<X>();  ///< range of y; in TFLite all of X

  /// Derives the multipliers as HardSwishPrepare does, in binary32: fl32(fl32(x / 128) / y) and fl32(fl32(x / 128) / fl32(3 /
  /// 2^15)), each by QuantizeMultiplier and `reduce`. Returns `scale_too_large` where TFLite refuses an output multiplier of 1
  /// and more, else the status of `check`.
  DYADIC_API static constexpr result<hard_swish> derive(binary32 x_scale, std::int32_t x_zero_point, binary32 y_scale,
                                                        std::int32_t y_zero_point) noexcept {
    hard_swish rule{x_zero_point, {}, {}, range_of<X>(y_zero_point)};
    if (const status s = check_tensor_scales(x_scale, x_scale, y_scale); s != status::ok) return {rule, s};
    const binary32 high_resolution = scale_by_power_of_two(x_scale, -7);
    const auto output = quantize_multiplier(dyadic::divide(high_resolution, y_scale), half_away{});
    const auto relu = quantize_multiplier(dyadic::divide(high_resolution, binary32{0x1.8p-14f}), half_away{});
    if (output.status != status::ok || relu.status != status::ok) return {rule, status::scale_not_finite};
    rule.output = reduce(output.value);
    rule.relu = reduce(relu.value);
    if (rule.output.right_shift < 15) return {rule, status::scale_too_large};
    return {rule, check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X x) const noexcept {
    const auto h = static_cast<std::int16_t>((std::int32_t{x} - x_zero_point) * 128);
    const std::int16_t s = gemmlowp::saturating_rounding_doubling_high_mul(h, output.mantissa);
    // r is in -2^15 .. 2^15 - 1, so that (r + 2^15) / 2 is in 0 .. 2^15 - 1.
    const std::int32_t gate = (std::int32_t{gated(h)} + (1 << 15)) >> 1;
    const auto product = static_cast<std::int16_t>(gate * s / (1 << 15));
    const std::int16_t y = gemmlowp::rounding_divide_by_pot(product, output.right_shift - 15);
    return static_cast<X>(clamp(std::int64_t{y} + range.zero_point, range.min, range.max));
  }
  /// Returns the first error in the numbers: the range, a zero point, a negative mantissa, or a right_shift outside the range of
  /// its member. Nothing overflows: |x - x_zero_point| <= 255, so that |h| < 2^15.
  DYADIC_API friend constexpr status check(const hard_swish& rule) noexcept {
    if (const status s = check_operand<X>(rule.x_zero_point, rule.range); s != status::ok) return s;
    const bool fit = rule.output.mantissa >= 0 && dyadic::detail::shift_within(rule.output, 15, 30) && rule.relu.mantissa >= 0 &&
                     dyadic::detail::shift_within(rule.relu, 0, 30);
    return fit ? status::ok : status::multiplier_out_of_range;
  }

 private:
  /// Returns r.
  DYADIC_API constexpr std::int16_t gated(std::int16_t h) const noexcept {
    const std::int32_t exponent = 15 - relu.right_shift;
    const std::int16_t shifted = exponent > 0 ? shift_left_saturated(h, exponent - 1) : h;
    const std::int16_t r = gemmlowp::saturating_rounding_doubling_high_mul(shifted, relu.mantissa);
    if (exponent > 0) return shift_left_saturated(r, 1);
    return gemmlowp::rounding_divide_by_pot(r, -exponent);
  }
};

}  // namespace dyadic::tflite
