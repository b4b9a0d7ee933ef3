// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Floats of 16 bits, held as their bits, because C++17 has no such types. The functions of ieee.hpp take them. Floor 1.

#include <dyadic/detail/ieee.hpp>

namespace dyadic {

/// A half-precision float: 5 bits of exponent, 10 of fraction.
struct binary16 {
  static constexpr int digits = 11;  ///< bits of the significand
  std::uint16_t bits = 0;            ///< sign, exponent and significand as IEEE stores them

  /// Returns the number with these bits.
  DYADIC_API static constexpr binary16 from_bits(int bits) noexcept { return {static_cast<std::uint16_t>(bits)}; }
};

/// The upper half of a binary32: 8 bits of exponent, 7 of fraction.
struct bfloat16 {
  static constexpr int digits = 8;  ///< bits of the significand
  std::uint16_t bits = 0;           ///< the upper 16 bits of the binary32 of the same value

  /// Returns the number with these bits.
  DYADIC_API static constexpr bfloat16 from_bits(int bits) noexcept { return {static_cast<std::uint16_t>(bits)}; }
};

}  // namespace dyadic
