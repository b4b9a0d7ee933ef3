// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// PReLU: x where x >= 0, alpha * x elsewhere, with a tensor of slopes alpha. Floor 3.
/// Source: tflite/micro/kernels/prelu_common.cc.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scale.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic::tflite {

/// PRELU of int8, uint8 and int16, whose slopes are int8, or uint8 for uint8. For v = x - x_zero_point >= 0, y = clamp(scheme(v,
/// identity) + zero_point of y, min, max). For v < 0 the rescale is scheme(v * (alpha - alpha_zero_point), slope). Converters
/// give int16 no zero points, but the kernel takes them. The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.
template <class X, class Scheme = double_rounding>
struct prelu {
  static_assert(is_element<X>, "prelu is of int8, uint8 and int16");
  static constexpr operator_id id = operator_id::prelu;                         ///< the operator
  using value_type = X;                                                         ///< the type of x and y
  using second_type = std::conditional_t<std::is_signed_v<X>, std::int8_t, X>;  ///< the type of alpha
  using scheme = Scheme;                                                        ///< the rule of both rescales

  std::int32_t x_zero_point;      ///< subtracted from x
  std::int32_t alpha_zero_point;  ///< subtracted from alpha
  multiplier32 identity;          ///< scale of x / scale of y
  multiplier32 slope;             ///< scale of x * scale of alpha / scale of y
  output_range range;             ///< range of y

  /// Derives in binary64: QuantizeMultiplier of x / y and of fl64(x * alpha) / y. Returns the first error of a scale, of a
  /// multiplier or of `check`.
  DYADIC_API static constexpr result<prelu> derive(binary32 x_scale, std::int32_t x_zero_point, binary32 alpha_scale,
                                                   std::int32_t alpha_zero_point, binary32 y_scale, output_range range) noexcept {
    prelu rule{x_zero_point, alpha_zero_point, {}, {}, range};
    if (const status s = check_tensor_scales(x_scale, alpha_scale, y_scale); s != status::ok) return {rule, s};
    const auto identity = Scheme::derive(dyadic::divide(binary64{x_scale}, binary64{y_scale}));
    const auto slope = Scheme::derive(double_product_scale(x_scale, alpha_scale, y_scale));
    rule.identity = identity.value;
    rule.slope = slope.value;
    if (identity.status != status::ok) return {rule, identity.status};
    return {rule, slope.status != status::ok ? slope.status : check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X x, second_type alpha) const noexcept {
    const std::int32_t v = std::int32_t{x} - x_zero_point;
    const std::int32_t product = v * (std::int32_t{alpha} - alpha_zero_point);  // below 2^24
    return static_cast<X>(v >= 0 ? dyadic::requantize<Scheme>(v, identity, range)
                                 : dyadic::requantize<Scheme>(product, slope, range));
  }
  /// Returns the first error in the numbers: the range, a zero point, or a multiplier. Returns `accumulator_overflow` last: some
  /// elements take the scheme out of its domain.
  DYADIC_API friend constexpr status check(const prelu& rule) noexcept {
    if (const status s = check_operand<X>(rule.x_zero_point, rule.range); s != status::ok) return s;
    if (!fits<second_type>(rule.alpha_zero_point)) return status::zero_point_out_of_range;
    if (!Scheme::valid(rule.identity) || !Scheme::valid(rule.slope)) return status::multiplier_out_of_range;
    const dyadic::detail::bounds x = dyadic::detail::differences<X>(rule.x_zero_point);
    const dyadic::detail::bounds alpha = dyadic::detail::differences<second_type>(rule.alpha_zero_point);
    const bool fit = dyadic::detail::takes_between<Scheme>({0, x.high}, rule.identity) &&
                     dyadic::detail::takes_between<Scheme>({x.low * alpha.high, x.low * alpha.low}, rule.slope);
    return fit ? status::ok : status::accumulator_overflow;
  }
};

}  // namespace dyadic::tflite
