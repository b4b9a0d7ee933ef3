// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The fused multiply-add of binary32. Floor 1.

#include <dyadic/detail/ieee.hpp>

namespace dyadic {

/// Returns a * b + c, rounded once. NaN for 0 * infinity and infinity - infinity. Zeros are added as `add` adds them.
DYADIC_API constexpr binary32 fused_multiply_add(binary32 a, binary32 b, binary32 c) noexcept {
  if (!is_finite(a) || !is_finite(b)) return add(multiply(a, b), c);
  const fraction x = decompose(a), y = decompose(b);
  const bool negative = is_negative(a) != is_negative(b);
  const std::uint64_t product = (x.significand >> 32) * (y.significand >> 32);  // exact: 24 bits each, at the top of 64
  const int zeros = leading_zeros(product);
  if (!is_finite(c) || product == 0) return add(detail::with_sign<binary32>(negative, 0), c);
  const fraction p{negative, product << zeros, x.exponent + y.exponent + 64 - zeros};
  if (is_zero(c)) return compose<binary32>(p);
  const fraction z = decompose(c);
  const bool swap = p.exponent != z.exponent ? p.exponent < z.exponent : p.significand < z.significand;
  return detail::sum_of<binary32>(swap ? z : p, swap ? p : z);
}

/// Adds a product as scalar code does.
struct rounded_product {
  /// Returns fl(fl(a * b) + c).
  DYADIC_API static constexpr binary32 add_to(binary32 c, binary32 a, binary32 b) noexcept { return add(multiply(a, b), c); }
};
/// Adds a product as vectors do.
struct fused_product {
  /// Returns fl(a * b + c).
  DYADIC_API static constexpr binary32 add_to(binary32 c, binary32 a, binary32 b) noexcept { return fused_multiply_add(a, b, c); }
};

}  // namespace dyadic
