// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rounding rules of FBGEMM and PyTorch (include/fbgemm/QuantUtils.h, scalar code). Floor 2.
/// Revision: FBGEMM @ 71d6f8b2.

#include <dyadic/scale.hpp>
#include <dyadic/scheme/formula.hpp>

namespace dyadic::fbgemm {

/// Requantize with an integer multiplier: acc * mantissa / 2^right_shift in 64 bits, ties up; right_shift includes the 31.
struct fixed : by_formula<formula::scaled32<rounding::single_up, to_int64>> {
  /// Returns true if mantissa >= 0 and right_shift is in 1 .. 63 (FBGEMM accepts 0, where its shift is undefined).
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return m.mantissa >= 0 && detail::shift_within(m, 1, 63); }
  /// Returns the multiplier of a binary32 scale, exact, because 24 bits fit the mantissa. FBGEMM asserts a positive scale of
  /// 2^-33 or more. Zero, negative, smaller and larger scales (2^30 and more) get a status.
  DYADIC_API static constexpr result<multiplier_type> derive(binary32 scale) noexcept {
    const result<multiplier_type> r = detail::limit_shift(nearest<std::int32_t>(scale, half_away{}), 1, 63);
    if (r.status == status::ok && r.value.mantissa == 0) return {r.value, status::scale_zero};
    if (r.status == status::ok && r.value.mantissa < 0) return {r.value, status::scale_negative};
    return r;
  }
};

/// Requantize with a binary32 multiplier, PyTorch's requantize_from_int: `formula::scaled_in_binary32`, then plus the zero point.
/// Only PyTorch's layers without a bias follow this rule. Layers with a bias follow `floating_with_bias`.
struct floating : by_formula<formula::scaled_in_binary32> {
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return is_finite(m); }  ///< any finite scale
  /// Returns the scale rounded to binary32, of any sign. A tiny scale may become 0. Returns `scale_too_large` beyond binary32,
  /// and `scale_not_finite` for NaN and infinity.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    const binary32 m = narrow(scale);
    return {m, is_finite(m) ? status::ok : is_finite(scale) ? status::scale_too_large : status::scale_not_finite};
  }
};

/// The numbers of one channel of `floating_with_bias`.
struct bias_and_scale {
  binary32 bias;   ///< the bias in units of the accumulator
  binary32 scale;  ///< scale of x * scale of w / scale of y
};

/// Requantize with a bias in binary32, as PyTorch's linear layers and convolutions do: fl32(fl32(fl32(acc) + bias) * scale), ties
/// to even, then plus the zero point. The fold of such a layer has no bias. Portable code runs this rule after vectors have
/// computed the sums.
struct floating_with_bias {
  using accumulator = std::int32_t;          ///< the type that the rule rounds
  using multiplier_type = bias_and_scale;    ///< a bias and a scale for each channel
  static constexpr bool is_monotone = true;  ///< because each step is

  /// Returns true if both numbers are finite.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return is_finite(m.bias) && is_finite(m.scale); }
  /// Returns the rescaled accumulator with its bias. Requires: valid(m).
  DYADIC_API static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    return to_integer<half_even>(multiply(add(from_integer<binary32>(acc), m.bias), m.scale));
  }
  /// Derives the numbers from a bias and the scales: fl32(bias / product) and fl32(product / y), where product = fl32(x * w).
  /// Scalar code derives so, and AVX2 code with a scale for each channel. Returns `scale_zero`, `scale_negative` or
  /// `scale_not_finite` for a scale of x, w or y, or for a product that is 0 or infinite. Returns `value_out_of_range` if a
  /// number is not finite.
  DYADIC_API static constexpr result<multiplier_type> derive(binary32 bias, binary32 x_scale, binary32 w_scale,
                                                             binary32 y_scale) noexcept {
    const binary32 product = multiply(x_scale, w_scale);
    return with_bias(divide(bias, product), x_scale, w_scale, y_scale, product);
  }
  /// Derives as AVX2 code does with one scale for all channels. Multiplies the bias by fl32(1 / product).
  DYADIC_API static constexpr result<multiplier_type> derive_avx2_per_tensor(binary32 bias, binary32 x_scale, binary32 w_scale,
                                                                             binary32 y_scale) noexcept {
    const binary32 product = multiply(x_scale, w_scale);
    return with_bias(multiply(bias, divide(binary32{1.0f}, product)), x_scale, w_scale, y_scale, product);
  }

 private:
  DYADIC_API static constexpr result<multiplier_type> with_bias(binary32 bias, binary32 x_scale, binary32 w_scale,
                                                                binary32 y_scale, binary32 product) noexcept {
    const multiplier_type m{bias, divide(product, y_scale)};
    const binary32 scales[] = {x_scale, w_scale, y_scale, product};
    for (const binary32& scale : scales) {
      if (!is_finite(scale)) return {m, status::scale_not_finite};
      if (is_zero(scale)) return {m, status::scale_zero};
      if (is_negative(scale)) return {m, status::scale_negative};
    }
    return {m, valid(m) ? status::ok : status::value_out_of_range};
  }
};

}  // namespace dyadic::fbgemm
