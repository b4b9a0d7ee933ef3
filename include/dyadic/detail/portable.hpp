// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// C++ forms of builtins, for compilers that do not have the builtins. detail/compiler.hpp chooses. Floor 0.

#include <dyadic/config.hpp>

#include <cstring>

namespace dyadic::detail::portable {

/// Set the result to a + b, a - b or a * b modulo 2^bits. Return true if the exact value does not fit T, a signed type that
/// arithmetic does not promote.
/// @{
template <class T>
DYADIC_API constexpr bool add_overflows(T a, T b, T* sum) noexcept {
  using bits = std::make_unsigned_t<T>;
  *sum = static_cast<T>(static_cast<bits>(a) + static_cast<bits>(b));
  return b < 0 ? *sum >= a : *sum < a;
}
template <class T>
DYADIC_API constexpr bool subtract_overflows(T a, T b, T* difference) noexcept {
  using bits = std::make_unsigned_t<T>;
  *difference = static_cast<T>(static_cast<bits>(a) - static_cast<bits>(b));
  return b < 0 ? *difference <= a : *difference > a;
}
/// A wrapped product differs from a * b by a multiple of 2^bits, so that its quotient by a is not b. The only quotient that
/// overflows is tested first.
template <class T>
DYADIC_API constexpr bool multiply_overflows(T a, T b, T* product) noexcept {
  using bits = std::make_unsigned_t<T>;
  *product = static_cast<T>(static_cast<bits>(a) * static_cast<bits>(b));
  return (a == -1 && b == limits<T>::min) || (a != 0 && *product / a != b);
}
/// @}

/// Returns the number of bits that are set.
DYADIC_API constexpr int count_ones(std::uint32_t x) noexcept {
  int ones = 0;
  for (; x != 0; x &= x - 1) ++ones;
  return ones;
}

/// Returns the number of zero bits above the highest set bit; 64 for 0.
DYADIC_API constexpr int leading_zeros(std::uint64_t x) noexcept {
  int zeros = 64;
  for (; x != 0; x >>= 1) --zeros;
  return zeros;
}

/// Returns true if two ranges of one type share an element. Requires: both have elements. Tests addresses for equality only,
/// because a constant expression cannot order addresses in different arrays.
template <class T>
DYADIC_API constexpr bool meet(const T* a, const T* a_end, const T* b, const T* b_end) noexcept {
  for (const T* p = a; p != a_end; ++p)
    if (p == b) return true;
  for (const T* p = b; p != b_end; ++p)
    if (p == a) return true;
  return false;
}

}  // namespace dyadic::detail::portable
