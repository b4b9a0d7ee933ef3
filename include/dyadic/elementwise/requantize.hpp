// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Conversions between integers with scales: TFLite's QUANTIZE of quantized tensors, and LiteRT's concatenation. Floor 3.
/// Sources: tflite/kernels/internal/reference/requantize.h, tflite/micro/kernels/quantize_common.cc,
/// tflite/kernels/internal/reference/concatenation.h (ConcatenationWithScaling).

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic {

namespace tflite {

/// Requantize: y = clamp(scheme(x - x_zero_point, multiplier) + zero_point of y, min, max). The scheme decides ties; it is
/// `single_rounding` for a build with TFLITE_SINGLE_ROUNDING. X and Y are int8, uint8, int16 or int32. With equal scales and zero
/// points y is x, so that the rule also copies. The difference of int32 is modulo 2^32; `check` says whether it can leave int32.
template <class X, class Y, class Scheme = double_rounding>
struct requantize {
  static_assert((is_element<X> || std::is_same_v<X, std::int32_t>)&&(is_element<Y> || std::is_same_v<Y, std::int32_t>),
                "requantize is of int8, uint8, int16 and int32");
  static constexpr operator_id id = operator_id::requantize;  ///< the operator
  static constexpr bool rescales = true;                      ///< y is a rescale of x: backends run it as a `rescale_layer`
  using argument_type = X;                                    ///< the type of x
  using value_type = Y;                                       ///< the type of y
  using scheme = Scheme;                                      ///< the rule of the rescale

  std::int32_t x_zero_point;           ///< subtracted from x
  multiplier32 multiplier;             ///< scale of x / scale of y
  output_range range = range_of<Y>();  ///< range of y; in TFLite all of Y

  /// Derives the multiplier: QuantizeMultiplier of fl64(x / y), from binary32 scales. Returns the status of a scale that is not
  /// positive and finite or of the multiplier, else the status of `check`.
  DYADIC_API static constexpr result<requantize> derive(binary32 x_scale, std::int32_t x_zero_point, binary32 y_scale,
                                                        std::int32_t y_zero_point) noexcept {
    requantize rule{x_zero_point, {}, range_of<Y>(y_zero_point)};
    if (const status s = check_tensor_scales(x_scale, x_scale, y_scale); s != status::ok) return {rule, s};
    const auto m = Scheme::derive(dyadic::divide(binary64{x_scale}, binary64{y_scale}));
    rule.multiplier = m.value;
    return {rule, m.status != status::ok ? m.status : check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr Y operator()(X x) const noexcept {
    const auto acc = wrap<std::int32_t>(std::int64_t{x} - x_zero_point);
    return static_cast<Y>(dyadic::requantize<Scheme>(acc, multiplier, range));
  }
  /// Returns the first error in the numbers: the range, a zero point or the multiplier. Returns `accumulator_overflow` last: for
  /// some x the difference, a step of the scheme, or the sum with the zero point of y leaves int32. The sum then does not wrap.
  DYADIC_API friend constexpr status check(const requantize& rule) noexcept {
    if (const status s = check_range<Y>(rule.range); s != status::ok) return s;
    if (!fits<X>(std::int64_t{rule.x_zero_point})) return status::zero_point_out_of_range;
    if (!Scheme::valid(rule.multiplier)) return status::multiplier_out_of_range;
    const dyadic::detail::bounds x = dyadic::detail::differences<X>(rule.x_zero_point);
    if (!dyadic::detail::takes_between<Scheme>(x, rule.multiplier)) return status::accumulator_overflow;
    const auto sum_fits = [&](std::int64_t acc) {
      const std::int64_t y = Scheme::apply(static_cast<std::int32_t>(acc), rule.multiplier);
      return fits<std::int32_t>(y + rule.range.zero_point);
    };
    return sum_fits(x.low) && sum_fits(x.high) ? status::ok : status::accumulator_overflow;
  }
};

}  // namespace tflite

namespace litert {

/// ConcatenationWithScaling of uint8, for one input: y = clamp(round(fl32(fl32(x * k) - fl32(x_zero_point * k))) + y_zero_point),
/// ties away from zero, where k = fl32(x_scale * fl32(1 / y_scale)). Compilers that contract the product and the difference
/// to one operation give other bits. LiteRT copies an input whose scale and zero point are those of y. The rule does so without a
/// case of its own: k is then within 2^-23 of 1, so that the sum is nearer than 1/4 to x - x_zero_point.
struct concatenate {
  static constexpr operator_id id = operator_id::concatenate;  ///< the operator
  using value_type = std::uint8_t;                             ///< the type of x and y

  binary32 ratio;             ///< k
  std::int32_t x_zero_point;  ///< subtracted from x
  std::int32_t y_zero_point;  ///< added to y

  /// Derives k. Returns the status of a scale that is not positive and finite, `scale_too_large` or `scale_too_small` if the
  /// ratio is not a positive finite number, or the status of `check`.
  DYADIC_API static constexpr result<concatenate> derive(binary32 x_scale, std::int32_t x_zero_point, binary32 y_scale,
                                                         std::int32_t y_zero_point) noexcept {
    concatenate rule{{}, x_zero_point, y_zero_point};
    if (const status s = check_tensor_scales(x_scale, x_scale, y_scale); s != status::ok) return {rule, s};
    rule.ratio = multiply(x_scale, divide(binary32{1.0f}, y_scale));
    if (!is_finite(rule.ratio)) return {rule, status::scale_too_large};
    if (is_zero(rule.ratio)) return {rule, status::scale_too_small};
    return {rule, check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr std::uint8_t operator()(std::uint8_t x) const noexcept {
    const binary32 bias = multiply(from_integer<binary32>(-std::int64_t{x_zero_point}), ratio);
    const binary32 y = add(multiply(from_integer<binary32>(x), ratio), bias);
    return saturate<std::uint8_t>(to_integer<half_away>(y) + y_zero_point);
  }
  /// Returns the first error: the ratio or a zero point. Returns `scale_too_large` if a product is infinite.
  DYADIC_API friend constexpr status check(const concatenate& rule) noexcept {
    if (const status s = check_tensor_scale(rule.ratio); s != status::ok) return s;
    if (!fits<std::uint8_t>(rule.x_zero_point) || !fits<std::uint8_t>(rule.y_zero_point)) return status::zero_point_out_of_range;
    return is_finite(multiply(binary32{255.0f}, rule.ratio)) ? status::ok : status::scale_too_large;
  }
};

}  // namespace litert

}  // namespace dyadic
