// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The roundings of the integer schemes: each is a rounding constant. Floor 2.

#include <dyadic/config.hpp>

namespace dyadic {

/// A rounding of the formula is its constant R: a function of the sign of v*m and of the shift t, modulo 2^64.
namespace rounding {

/// Returns 2^30 if an engine rounds at bit 31 before it rounds at bit t. Returns 0 if bit 31 is the last.
DYADIC_API constexpr std::uint64_t first_rounding(int t) noexcept { return t > 31 ? std::uint64_t{1} << 30 : 0u; }

/// Rounds once, ties up: 2^(t-1).
struct single_up {
  /// Returns R for the sign of v*m and the shift t.
  DYADIC_API static constexpr std::uint64_t constant(bool /*negative*/, int t) noexcept { return std::uint64_t{1} << (t - 1); }
};
/// Rounds once, ties away from zero: 2^(t-1) - [v*m < 0].
struct single_away {
  /// Returns R for the sign of v*m and the shift t.
  DYADIC_API static constexpr std::uint64_t constant(bool negative, int t) noexcept {
    return (std::uint64_t{1} << (t - 1)) - static_cast<std::uint64_t>(negative);
  }
};
/// Rounds twice, at bits 31 and t, both ties up: 2^(t-1) + D with D = 2^30 if t > 31, else 0.
struct double_up {
  /// Returns R for the sign of v*m and the shift t.
  DYADIC_API static constexpr std::uint64_t constant(bool /*negative*/, int t) noexcept {
    return (std::uint64_t{1} << (t - 1)) + first_rounding(t);
  }
};
/// Rounds twice, at bit 31 with ties up, then at bit t with ties away from zero: 2^(t-1) + D, or 2^(t-1) - D if v*m < 0.
struct double_away {
  /// Returns R for the sign of v*m and the shift t.
  DYADIC_API static constexpr std::uint64_t constant(bool negative, int t) noexcept {
    const std::uint64_t sign = 0u - static_cast<std::uint64_t>(negative);  // all ones if negative: -D = (D ^ sign) - sign
    return (std::uint64_t{1} << (t - 1)) + ((first_rounding(t) ^ sign) - sign);
  }
};

/// True if R depends on the sign of v*m.
template <class Rounding>
inline constexpr bool depends_on_sign = Rounding::constant(true, 32) != Rounding::constant(false, 32);

}  // namespace rounding

}  // namespace dyadic
