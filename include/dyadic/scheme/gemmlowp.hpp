// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// gemmlowp's fixed-point primitives (fixedpoint/fixedpoint.h). Floor 2.
/// Revision: gemmlowp @ 16e8662c.

#include <dyadic/scheme/formula.hpp>

namespace dyadic::gemmlowp {

/// SaturatingRoundingDoublingHighMul: a * b / 2^31 for int32, a * b / 2^15 for int16, ties up, and the maximum for min * min.
/// Equals Arm's VQRDMULH.
template <class T>
DYADIC_API constexpr T saturating_rounding_doubling_high_mul(T a, T b) noexcept {
  static_assert(std::is_signed_v<T> && (sizeof(T) == 2 || sizeof(T) == 4));
  return saturate<T>(scaled<rounding::single_up>(a, b, limits<T>::digits));
}

/// RoundingDivideByPOT: x / 2^exponent, ties away from zero. Requires: 0 <= exponent < number of bits of T.
template <class T>
DYADIC_API constexpr T rounding_divide_by_pot(T x, int exponent) noexcept {
  return shift_right<half_away>(x, exponent);
}

}  // namespace dyadic::gemmlowp
