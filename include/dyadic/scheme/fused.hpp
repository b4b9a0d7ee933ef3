// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A rule of no publisher: binary32s whose products are added in one rounding. proved.hpp makes multipliers with which it gives
/// what another rule gives. Floor 2.

#include <dyadic/scheme/formula.hpp>

namespace dyadic {

/// The scale high + low, and what is added to the magnitude before its fraction is cut off.
struct fused_multiplier {
  binary32 high;    ///< of the scale: its first 24 bits
  binary32 low;     ///< the rest of it, of either sign
  binary32 addend;  ///< 1/2, or a little more or less
};

namespace formula {

/// f = fl32(acc), then fl32(f * high + fl32(f * low + c)) without its fraction; c is the addend with the sign of acc.
struct fused_in_binary32 : rule_of_types<std::int32_t, fused_multiplier, to_int32_if_short> {
  /// The bits of the numbers.
  DYADIC_API static constexpr formula_parameters<std::int32_t> prepare(fused_multiplier m) noexcept {
    formula_parameters<std::int32_t> p{};
    p.mantissa = static_cast<std::int32_t>(m.high.bits);
    p.second = static_cast<std::int32_t>(m.low.bits);
    p.half = static_cast<std::int32_t>(m.addend.bits);
    return p;
  }
};

}  // namespace formula

/// The scheme of that formula. It does not depend on how the machine rounds, nor on what a compiler makes of products and sums.
struct fused : by_formula<formula::fused_in_binary32> {
  /// 2^-22 <= high < 1/2, |low| < high * 2^-23, 1/4 <= addend < 1. Then |f * low| < 1 where |acc| <= 2^24, what is added to f *
  /// high is below 2 and rounded to 2^-23 or finer, so that no accumulator gives less than the one before it; and each number is
  /// 0 or far from being subnormal.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept {
    const binary32 most = scale_by_power_of_two(m.high, -23);
    return is_within(m.high, 0x1p-22f, 0.5f) && is_within(m.addend, 0.25f, 1.0f) && less(magnitude(m.low), most) &&
           (is_zero(m.low) || !less(magnitude(m.low), binary32{0x1p-60f}));
  }

 private:
  DYADIC_API static constexpr bool is_within(binary32 x, float low, float high) noexcept {
    return !less(x, binary32{low}) && less(x, binary32{high});
  }
};

/// Whether a backend computes it faster than rules of integers.
template <class Backend>
inline constexpr bool has_fused_products = false;

}  // namespace dyadic
