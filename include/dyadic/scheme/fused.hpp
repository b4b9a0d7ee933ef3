// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// A rule without a publisher, on binary32s: a product and its addition round once. proved.hpp makes multipliers for which this
/// rule equals another rule. Floor 2.

#include <dyadic/scheme/formula.hpp>

namespace dyadic {

/// The scale high + low, and the addend: a number added to the magnitude before its fraction is cut off.
struct fused_multiplier {
  binary32 high;    ///< the first 24 bits of the scale
  binary32 low;     ///< the rest of the scale, of either sign
  binary32 addend;  ///< 1/2, or a little more or less
};

namespace formula {

/// Computes fl32(f * high + fl32(f * low + c)) without its fraction, where f = fl32(acc). c is the addend with the sign of acc.
struct fused_in_binary32 : rule_of_types<std::int32_t, fused_multiplier, to_int32_if_short> {
  /// Returns the bits of the numbers.
  DYADIC_API static constexpr formula_parameters<std::int32_t> prepare(fused_multiplier m) noexcept {
    formula_parameters<std::int32_t> p{};
    p.mantissa = static_cast<std::int32_t>(m.high.bits);
    p.second = static_cast<std::int32_t>(m.low.bits);
    p.half = static_cast<std::int32_t>(m.addend.bits);
    return p;
  }
};

}  // namespace formula

/// The scheme of `formula::fused_in_binary32`. It depends neither on the rounding mode of the machine nor on what a compiler
/// makes of products and sums.
struct fused : by_formula<formula::fused_in_binary32> {
  /// Returns true if 2^-22 <= high < 1/2, 1/4 <= addend < 1, and low is 0 or 2^-60 <= |low| < high * 2^-23. Then |f * low| < 1
  /// for |acc| <= 2^24. The number added to f * high is below 2 and rounded to 2^-23 or finer. A greater accumulator therefore
  /// never gives a smaller result. Each number is 0 or far from being subnormal.
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

/// True if a backend computes `fused` faster than rules of integers.
template <class Backend>
inline constexpr bool has_fused_products = false;

}  // namespace dyadic
