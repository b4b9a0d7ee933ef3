// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// From real numbers in binary32 to integers, and back to binary32 or binary16. Floor 3.
/// Sources: tflite/kernels/internal/reference/quantize.h and dequantize.h, the ONNX operator QuantizeLinear, FBGEMM
/// include/fbgemm/QuantUtils.h (Quantize), PyTorch aten/src/ATen/native/quantized, ExecuTorch
/// backends/cortex_m/ops/op_quantize_per_tensor.cpp.
///
/// Elements of a layer are `float`. A rule reads their bits and computes in integers, so that compiler flags change nothing.
/// A rule is total where its publisher's C is undefined: a quotient beyond the type, or an infinity, gives the nearest bound, and
/// NaN gives the zero point. Publishers differ there from machine to machine.

#include <dyadic/detail/half.hpp>
#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/onnx.hpp>

namespace dyadic {

/// Where a rule adds the zero point.
/// @{
struct zero_point_after {};   ///< to the rounded quotient
struct zero_point_inside {};  ///< to the quotient, in binary32, which is then rounded
/// @}

namespace detail {

/// How a rule divides by the scale: by one division, or by a product with the reciprocal, which is rounded first. `prepare`
/// returns the number that a rule stores: the scale or its reciprocal.
/// @{
struct by_scale {
  DYADIC_API static constexpr binary32 prepare(binary32 scale) noexcept { return scale; }
  DYADIC_API static constexpr binary32 quotient(binary32 x, binary32 scale) noexcept { return divide(x, scale); }
};
struct by_reciprocal {
  DYADIC_API static constexpr binary32 prepare(binary32 scale) noexcept { return divide(binary32{1.0f}, scale); }
  DYADIC_API static constexpr binary32 quotient(binary32 x, binary32 reciprocal) noexcept { return multiply(x, reciprocal); }
};
/// @}

}  // namespace detail

/// y = clamp(round(quotient of x and the scale, Ties) + zero_point, min, max), the quotient in binary32.
template <class Y, class Division, class Ties, class Place = zero_point_after>
struct quantize_by {
  static_assert(is_element<Y>, "quantize makes int8, uint8 and int16");
  static constexpr operator_id id = operator_id::quantize;  ///< the operator
  using argument_type = float;                              ///< the type of x
  using value_type = Y;                                     ///< the type of y

  binary32 divisor;                    ///< the scale of y, or its reciprocal if the rule multiplies
  output_range range = range_of<Y>();  ///< range of y

  /// Derives the divisor from the scale of y. Returns the status of a scale that is not positive and finite, `scale_too_small` if
  /// its reciprocal is infinite, or the status of the range.
  DYADIC_API static constexpr result<quantize_by> derive(binary32 y_scale, output_range range = range_of<Y>()) noexcept {
    const quantize_by rule{Division::prepare(y_scale), range};
    if (const status s = check_tensor_scale(y_scale); s != status::ok) return {rule, s};
    return {rule, is_finite(rule.divisor) ? check(rule) : status::scale_too_small};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr Y operator()(const binary32& x) const noexcept {
    const binary32 q = Division::quotient(x, divisor);
    if constexpr (std::is_same_v<Place, zero_point_inside>)
      if (!is_nan(q))
        return static_cast<Y>(clamp(to_integer<Ties>(add(q, from_integer<binary32>(range.zero_point))), range.min, range.max));
    return static_cast<Y>(clamp(to_integer<Ties>(q) + range.zero_point, range.min, range.max));
  }
  /// Returns the first error: the range, or a divisor that is not positive and finite.
  DYADIC_API friend constexpr status check(const quantize_by& rule) noexcept {
    const status s = check_range<Y>(rule.range);
    return s != status::ok ? s : check_tensor_scale(rule.divisor);
  }
};

namespace tflite {
/// AffineQuantize: clamp(round(fl32(x / scale)) + zero_point), ties away from zero. The cast to int32 is undefined in C from 2^31
/// on, and for NaN.
template <class Y>
using quantize = quantize_by<Y, dyadic::detail::by_scale, half_away>;
}  // namespace tflite

namespace onnx {
/// QuantizeLinear: clamp(round(fl32(x / scale)) + zero_point), ties to even.
template <class Y>
using quantize = quantize_by<Y, dyadic::detail::by_scale, half_even>;
}  // namespace onnx

namespace fbgemm {
/// Quantize: x * fl32(1 / scale), ties to even. PyTorch adds the zero point after the rounding. FBGEMM's default, the template
/// argument LEGACY, adds it before (`zero_point_inside`), so that an odd zero point moves a tie to the other neighbour.
template <class Y, class Place = zero_point_after>
using quantize = quantize_by<Y, dyadic::detail::by_reciprocal, half_even, Place>;
}  // namespace fbgemm

namespace executorch::cortex_m {
/// quantize_per_tensor: the rule of PyTorch. ExecuTorch rounds the scale to binary32 first.
template <class Y>
using quantize = fbgemm::quantize<Y>;
}  // namespace executorch::cortex_m

namespace exact {

/// y = scale * (x - zero_point), rounded once to Real, half even. Real is float or binary16. The product of 24 and 17 bits is
/// exact in binary64.
template <class X, class Real>
struct dequantize {
  static_assert(is_element<X>, "dequantize reads int8, uint8 and int16");
  static_assert(dyadic::detail::is_one_of<Real, float, binary16>, "dequantize makes float or binary16");
  static constexpr operator_id id = operator_id::dequantize;  ///< the operator
  using argument_type = X;                                    ///< the type of x
  using value_type = Real;                                    ///< the type of y
  /// How y is computed.
  using format = std::conditional_t<std::is_same_v<Real, float>, binary32, binary16>;

  binary32 scale;             ///< the scale of x
  std::int32_t x_zero_point;  ///< subtracted from x

  /// Takes the scale and the zero point of x. Returns the status of a scale that is not positive and finite, or of `check`.
  DYADIC_API static constexpr result<dequantize> derive(binary32 x_scale, std::int32_t x_zero_point) noexcept {
    const dequantize rule{x_scale, x_zero_point};
    return {rule, check(rule)};
  }
  /// Returns the number nearest to the real value of x. Requires: what `check` tests.
  DYADIC_API constexpr format nearest(X x) const noexcept {
    return dyadic::detail::convert<format>(multiply(binary64{scale}, from_integer<binary64>(std::int64_t{x} - x_zero_point)));
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr Real operator()(X x) const noexcept {
    if constexpr (std::is_same_v<Real, float>)
      return nearest(x).to_float();
    else
      return nearest(x);
  }
  /// Returns the first error: the scale or the zero point, or `scale_too_large` if a value of X becomes infinite.
  DYADIC_API friend constexpr status check(const dequantize& rule) noexcept {
    if (const status s = check_tensor_scale(rule.scale); s != status::ok) return s;
    if (!fits<X>(rule.x_zero_point)) return status::zero_point_out_of_range;
    const bool fit = is_finite(rule.nearest(limits<X>::min)) && is_finite(rule.nearest(limits<X>::max));
    return fit ? status::ok : status::scale_too_large;
  }
};

}  // namespace exact

namespace tflite {
/// Dequantize: double(scale * (x - zero_point)), rounded to binary32. For a scale for each channel TFLite computes fl32(scale *
/// (x - zero_point)), which has the same value.
template <class X>
using dequantize = exact::dequantize<X, float>;
}  // namespace tflite

}  // namespace dyadic
