// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// What quantizers read from blocks and rows of binary32. Floor 2.

#include <dyadic/detail/ieee.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

/// Returns floor(fl(log2 x)), where fl rounds once to binary32, half even. Requires: x is finite and positive.
///
/// It is the exponent of x. It is one more for 7,360 normal x, whose logarithm rounds up to an integer. floorf(log2f(x)) of
/// glibc 2.36 gives the same numbers. Other libraries may differ. Let n be the integer and x = 2^n * (1 - j * 2^-24), so that
/// log2 x = n - j * 2^-24 / ln 2. The spacing of numbers just below n is 2^(t - 23), where t is the exponent of n - 1, or of -n
/// if n is negative. The logarithm rounds to n if j <= floor(2^t * ln 2), which is floor(2^t * 177 / 256) for t < 8.
DYADIC_API constexpr int floor_of_rounded_log2(binary32 x) noexcept {
  DYADIC_ASSERT(is_finite(x) && !is_negative(x) && !is_zero(x));
  const fraction f = decompose(x);
  const int n = f.exponent + 64;
  const int length = 64 - leading_zeros(static_cast<std::uint64_t>(n > 0 ? n - 1 : -n));  // t + 1
  const int j = (1 << 24) - static_cast<int>(f.significand >> 40);
  return j <= (177 << length) >> 9 ? n : n - 1;
}

namespace detail {

/// Returns the first of `count` numbers with the largest magnitude, or +0 if all are zeros. It is NaN or infinite if a number is.
DYADIC_API constexpr binary32 largest(const float* x, index_t count) noexcept {
  binary32 most;
  for (index_t i = 0; i < count; ++i)
    if (magnitude(most).bits < magnitude(binary32(x[i])).bits) most = binary32(x[i]);
  return most;
}

/// The least and the greatest number.
struct real_range {
  binary32 low, high;
  /// Widens the range to hold x. The first of equal numbers, +0 and -0, is taken.
  DYADIC_API constexpr void hold(binary32 x) noexcept {
    if (less(x, low)) low = x;
    if (less(high, x)) high = x;
  }
};

/// Checks that x is a whole number of blocks of finite numbers, and that y has `codes` elements for each block of `elements`.
/// Returns the status of a view, `shape_mismatch`, `overlap`, or `scale_not_finite` for NaN and infinity, which have no scale.
template <class Y>
DYADIC_API constexpr status check_block_input(view<const float> x, index_t elements, view<Y> y, index_t codes) noexcept {
  if (const status s = check_each(x, y); s != status::ok) return s;
  if (x.size() % elements != 0 || y.size() != x.size() / elements * codes) return status::shape_mismatch;
  if (overlap(x, y)) return status::overlap;
  for (const float& element : x)
    if (!is_finite(binary32(element))) return status::scale_not_finite;
  return status::ok;
}

}  // namespace detail
}  // namespace dyadic
