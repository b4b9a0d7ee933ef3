// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Leaky relu: x where x >= 0, alpha * x elsewhere. Floor 3.
/// Sources: tflite/micro/kernels/leaky_relu_common.cc, tflite/kernels/internal/reference/leaky_relu.h, XNNPACK src/qs8-vlrelu and
/// src/microparams-init.c.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic {

namespace tflite {

/// QuantizeLeakyRelu of int8, uint8 and int16. For v = x - x_zero_point >= 0, y = clamp(scheme(v, identity) + zero_point of y,
/// min, max). For v < 0 the rescale is scheme(v, alpha), or -scheme(v, |alpha|) if alpha is negative. The scheme decides ties.
/// With a negative alpha, a tie of one rounding therefore goes down. The scheme is `single_rounding` for a build with
/// TFLITE_SINGLE_ROUNDING.
template <class X, class Scheme = double_rounding>
struct leaky_relu {
  static_assert(is_element<X>, "leaky relu is of int8, uint8 and int16");
  static constexpr operator_id id = operator_id::leaky_relu;  ///< the operator
  using value_type = X;                                       ///< the type of x and y
  using scheme = Scheme;                                      ///< the rule of both rescales

  std::int32_t x_zero_point;           ///< subtracted from x
  multiplier32 identity;               ///< scale of x / scale of y
  multiplier32 alpha;                  ///< alpha * scale of x / scale of y, of any sign
  output_range range = range_of<X>();  ///< range of y; in TFLite all of X

  /// Derives the multipliers as LeakyReluPrepare does, in binary32: QuantizeMultiplier of fl32(fl32(x * alpha) / y) and of fl32(x
  /// / y). Returns the status of a scale that is not positive and finite, of an alpha that is not finite, or of a multiplier.
  /// Else returns the status of `check`.
  DYADIC_API static constexpr result<leaky_relu> derive(binary32 x_scale, std::int32_t x_zero_point, binary32 alpha,
                                                        binary32 y_scale, std::int32_t y_zero_point) noexcept {
    leaky_relu rule{x_zero_point, {}, {}, range_of<X>(y_zero_point)};
    if (const status s = check_tensor_scales(x_scale, x_scale, y_scale); s != status::ok) return {rule, s};
    const auto identity = Scheme::derive(dyadic::divide(x_scale, y_scale));
    const auto below =
        double_rounding::derive(dyadic::divide(dyadic::multiply(x_scale, alpha), y_scale));  // single_rounding takes no sign
    rule.identity = identity.value;
    rule.alpha = below.value;
    if (identity.status != status::ok) return {rule, identity.status};
    return {rule, below.status != status::ok ? below.status : check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X x) const noexcept {
    const auto v = static_cast<std::int32_t>(std::int64_t{x} - x_zero_point);
    const std::int64_t y = v >= 0         ? Scheme::apply(v, identity)
                           : is_negated() ? -Scheme::apply(v, slope())
                                          : Scheme::apply(v, slope());
    return static_cast<X>(clamp(y + range.zero_point, range.min, range.max));
  }
  /// Returns the first error in the numbers: the range or a zero point, or a multiplier. Returns `accumulator_overflow` last: a
  /// value of X takes the scheme out of its domain.
  DYADIC_API friend constexpr status check(const leaky_relu& rule) noexcept {
    if (const status s = check_operand<X>(rule.x_zero_point, rule.range); s != status::ok) return s;
    if (rule.alpha.mantissa == int32_min || !Scheme::valid(rule.identity) || !Scheme::valid(rule.slope()))
      return status::multiplier_out_of_range;
    const dyadic::detail::bounds x = dyadic::detail::differences<X>(rule.x_zero_point);
    const bool fit = dyadic::detail::takes_between<Scheme>({0, x.high}, rule.identity) &&
                     dyadic::detail::takes_between<Scheme>({x.low, 0}, rule.slope());
    return fit ? status::ok : status::accumulator_overflow;
  }

 private:
  DYADIC_API constexpr bool is_negated() const noexcept { return alpha.mantissa < 0; }
  DYADIC_API constexpr multiplier32 slope() const noexcept {
    return {is_negated() ? -alpha.mantissa : alpha.mantissa, alpha.right_shift};
  }
};

}  // namespace tflite

namespace xnnpack {

/// qs8-vlrelu and qu8-vlrelu, 8 fraction bits: y = saturate((v * m + 128 + 256 * y_zero_point) >> 8), where v = x - x_zero_point.
/// The multiplier m is `positive` if v >= 0, else `negative`. Ties go up; |sum| < 2^24.
template <class X>
struct leaky_relu {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::uint8_t>, "XNNPACK's leaky relu is of int8 and uint8");
  static constexpr operator_id id = operator_id::leaky_relu;  ///< the operator
  using value_type = X;                                       ///< of x and y

  std::int32_t x_zero_point;  ///< subtracted from x
  std::int32_t positive;      ///< round(256 * scale of x / scale of y), ties to even: 1 .. 32768
  std::int32_t negative;      ///< round(256 * slope * scale of x / scale of y), ties to even: -32767 .. 32768, not 0
  std::int32_t y_zero_point;  ///< added to y

  /// Derives fl32(x / y) and fl32(fl32(x / y) * slope), each rounded to 8 fraction bits. XNNPACK asserts that both magnitudes are
  /// 2^-8 to 2^7, and below 2^7 for a negative slope. Multipliers outside of this range get a status. XNNPACK has no slope of 0.
  DYADIC_API static constexpr result<leaky_relu> derive(binary32 x_scale, std::int32_t x_zero_point, binary32 slope,
                                                        binary32 y_scale, std::int32_t y_zero_point) noexcept {
    leaky_relu rule{x_zero_point, {}, {}, y_zero_point};
    if (const status s = check_tensor_scales(x_scale, x_scale, y_scale); s != status::ok) return {rule, s};
    const binary32 positive = divide(x_scale, y_scale);
    const binary32 negative = dyadic::multiply(positive, slope);
    if (!is_finite(negative)) return {rule, status::scale_not_finite};  // also if the positive one is not finite
    rule.positive = saturate<std::int32_t>(to_integer<half_even>(scale_by_power_of_two(positive, 8)));
    rule.negative = saturate<std::int32_t>(to_integer<half_even>(scale_by_power_of_two(negative, 8)));
    if (less(positive, binary32{0x1p-8f}) || less(magnitude(negative), binary32{0x1p-8f})) return {rule, status::scale_too_small};
    if (less(binary32{128.0f}, positive) || less(binary32{128.0f}, negative) || less(negative, binary32{-127.99609375f}))
      return {rule, status::scale_too_large};
    return {rule, check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X x) const noexcept {
    const std::int32_t v = std::int32_t{x} - x_zero_point;
    const std::int32_t sum = v * (v >= 0 ? positive : negative);
    return saturate<X>(std::int64_t{shift_right<half_up>(sum, 8)} + y_zero_point);
  }
  /// Returns `zero_point_out_of_range`, or `multiplier_out_of_range`.
  DYADIC_API friend constexpr status check(const leaky_relu& rule) noexcept {
    if (!fits<X>(rule.x_zero_point) || !fits<X>(rule.y_zero_point)) return status::zero_point_out_of_range;
    const bool fit =
        rule.positive >= 1 && rule.positive <= 32768 && rule.negative >= -32767 && rule.negative <= 32768 && rule.negative != 0;
    return fit ? status::ok : status::multiplier_out_of_range;
  }
};

}  // namespace xnnpack
}  // namespace dyadic
