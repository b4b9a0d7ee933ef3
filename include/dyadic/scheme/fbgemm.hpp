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
/// PyTorch adds a bias in binary32 after the product. Only its layers without a bias follow this rule.
struct floating : by_formula<formula::scaled_in_binary32> {
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return is_finite(m); }  ///< any finite scale
  /// Returns the scale rounded to binary32, of any sign. A tiny scale may become 0. Returns `scale_too_large` beyond binary32,
  /// and `scale_not_finite` for NaN and infinity.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    const binary32 m = narrow(scale);
    return {m, is_finite(m) ? status::ok : is_finite(scale) ? status::scale_too_large : status::scale_not_finite};
  }
};

}  // namespace dyadic::fbgemm
