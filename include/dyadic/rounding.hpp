// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Tie rules as types, shifts that follow them, narrowing by name, and a 128-bit product without `__int128`. Floor 1.

#include <dyadic/config.hpp>

namespace dyadic {

/// A tie rule says whether x rounds to floor(x) + 1, because that is nearer than floor(x) or wins the tie. `half` is the first
/// dropped bit. `rest` is true if a later dropped bit is set. `odd` and `negative` describe floor(x).
/// @{

/// Ties go towards +infinity.
struct half_up {
  /// Returns true if x rounds to floor(x) + 1.
  DYADIC_API static constexpr bool rounds_up(bool half, bool /*rest*/, bool /*odd*/, bool /*negative*/) noexcept { return half; }
};
/// Ties go away from zero.
struct half_away {
  /// Returns true if x rounds to floor(x) + 1.
  DYADIC_API static constexpr bool rounds_up(bool half, bool rest, bool /*odd*/, bool negative) noexcept {
    return half && (rest || !negative);
  }
};
/// Ties go to the even neighbour.
struct half_even {
  /// Returns true if x rounds to floor(x) + 1.
  DYADIC_API static constexpr bool rounds_up(bool half, bool rest, bool odd, bool /*negative*/) noexcept {
    return half && (rest || odd);
  }
};
/// Ties go towards zero.
struct half_to_zero {
  /// Returns true if x rounds to floor(x) + 1.
  DYADIC_API static constexpr bool rounds_up(bool half, bool rest, bool /*odd*/, bool negative) noexcept {
    return half && (rest || negative);
  }
};
/// No rounding: the floor.
struct to_floor {
  /// Returns true if x rounds to floor(x) + 1.
  DYADIC_API static constexpr bool rounds_up(bool, bool, bool, bool) noexcept { return false; }
};
/// The ceiling: rounds up if anything was dropped.
struct to_ceiling {
  /// Returns true if x rounds to floor(x) + 1.
  DYADIC_API static constexpr bool rounds_up(bool half, bool rest, bool /*odd*/, bool /*negative*/) noexcept {
    return half || rest;
  }
};
/// @}

/// Returns x / 2^n rounded by `Ties`: `shift_right<half_even>(x, n)`.
/// Requires: 0 <= n < number of bits of T. Never overflows.
template <class Ties, class T>
DYADIC_API constexpr T shift_right(T x, int n) noexcept {
  static_assert(std::is_integral_v<T>);
  DYADIC_ASSERT(n >= 0 && n < limits<std::make_unsigned_t<T>>::digits);
  if (n == 0) return x;
  using bits = std::make_unsigned_t<T>;
  const T floor = static_cast<T>(x >> n);
  const bits all = static_cast<bits>(x);
  const bits half = static_cast<bits>(bits{1} << (n - 1));
  const bool up = Ties::rounds_up((all & half) != 0, (all & static_cast<bits>(half - 1u)) != 0, (floor & 1) != 0, x < 0);
  return static_cast<T>(floor + static_cast<T>(up));
}

/// The smallest and the largest int32.
inline constexpr std::int32_t int32_min = limits<std::int32_t>::min;
inline constexpr std::int32_t int32_max = limits<std::int32_t>::max;  ///< the greatest int32

/// Returns true if x is a value of To.
template <class To, class From>
DYADIC_API constexpr bool fits(From x) noexcept {
  static_assert(std::is_integral_v<To> && std::is_integral_v<From> && std::is_signed_v<From>);
  if constexpr (std::is_signed_v<To>)
    return x >= limits<To>::min && x <= limits<To>::max;
  else
    return x >= 0 && static_cast<std::make_unsigned_t<From>>(x) <= limits<To>::max;
}

/// Returns the value of To nearest to x.
template <class To, class From>
DYADIC_API constexpr To saturate(From x) noexcept {
  if (fits<To>(x)) return static_cast<To>(x);
  return x < 0 ? limits<To>::min : limits<To>::max;
}

/// Returns x modulo 2^(bits of To), read as To: two's complement truncation.
template <class To, class From>
DYADIC_API constexpr To wrap(From x) noexcept {
  static_assert(std::is_integral_v<To> && std::is_integral_v<From>);
  return static_cast<To>(static_cast<std::make_unsigned_t<To>>(x));
}

/// Returns x * 2^n modulo 2^(bits of T). Requires: 0 <= n < number of bits of T.
template <class T>
DYADIC_API constexpr T shift_left_wrapped(T x, int n) noexcept {
  return static_cast<T>(static_cast<std::uint64_t>(x) << n);
}

/// Returns x * 2^n, saturated to T. Requires: T has at most 32 bits, 0 <= n < 32.
template <class T>
DYADIC_API constexpr T shift_left_saturated(T x, int n) noexcept {
  static_assert(sizeof(T) <= 4);
  return saturate<T>(shift_left_wrapped(std::int64_t{x}, n));
}

/// Returns the value in low .. high nearest to x. Requires: low <= high.
DYADIC_API constexpr std::int64_t clamp(std::int64_t x, std::int64_t low, std::int64_t high) noexcept {
  return x < low ? low : x > high ? high : x;
}

/// Returns the number of zero bits above the highest set bit; 64 for 0.
DYADIC_API constexpr int leading_zeros(std::uint64_t x) noexcept { return DYADIC_LEADING_ZEROS(x); }

/// A 128-bit integer, `high * 2^64 + low`: the exact product of two 64-bit integers.
/// @{
struct wide {
  std::int64_t high;  ///< the upper 64 bits
  std::uint64_t low;  ///< the lower 64 bits
};
/// 128 bits without a sign.
struct unsigned_wide {
  std::uint64_t high;  ///< the upper 64 bits
  std::uint64_t low;   ///< the lower 64 bits
};
/// @}

/// Returns a * b, exact.
DYADIC_API constexpr unsigned_wide multiply(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t low_word = 0xFFFF'FFFFu;
  const std::uint64_t low = (a & low_word) * (b & low_word);
  // Neither sum overflows: (2^32-1)^2 + 2(2^32-1) = 2^64-1.
  const std::uint64_t middle = (a >> 32) * (b & low_word) + (low >> 32);
  const std::uint64_t other = (a & low_word) * (b >> 32) + (middle & low_word);
  const std::uint64_t high = (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
  return {high, (other << 32) | (low & low_word)};
}

/// Returns a * b, exact.
DYADIC_API constexpr wide multiply(std::int64_t a, std::int64_t b) noexcept {
  const unsigned_wide p = multiply(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
  // A negative operand was read as itself + 2^64, so the other operand is subtracted from the high half.
  const std::uint64_t excess = (a < 0 ? static_cast<std::uint64_t>(b) : 0u) + (b < 0 ? static_cast<std::uint64_t>(a) : 0u);
  return {static_cast<std::int64_t>(p.high - excess), p.low};
}

/// Returns x / 2^n rounded by `Ties`, saturated to int64. Requires: 0 <= n < 127.
template <class Ties>
DYADIC_API constexpr std::int64_t shift_right_saturated(wide x, int n) noexcept {
  DYADIC_ASSERT(n >= 0 && n < 127);
  const bool negative = x.high < 0;
  wide floor = x;
  bool half = false;
  bool rest = false;
  if (n >= 65) {
    const std::uint64_t top = static_cast<std::uint64_t>(x.high);
    half = ((top >> (n - 65)) & 1u) != 0;
    rest = x.low != 0 || (top & ((std::uint64_t{1} << (n - 65)) - 1u)) != 0;
    floor = {negative ? -1 : 0, static_cast<std::uint64_t>(x.high >> (n - 64))};
  } else if (n == 64) {
    half = (x.low >> 63) != 0;
    rest = (x.low << 1) != 0;
    floor = {negative ? -1 : 0, static_cast<std::uint64_t>(x.high)};
  } else if (n > 0) {
    half = ((x.low >> (n - 1)) & 1u) != 0;
    rest = (x.low & ((std::uint64_t{1} << (n - 1)) - 1u)) != 0;
    floor = {x.high >> n, (x.low >> n) | (static_cast<std::uint64_t>(x.high) << (64 - n))};
  }
  constexpr std::int64_t lowest = limits<std::int64_t>::min;
  constexpr std::int64_t highest = limits<std::int64_t>::max;
  const auto y = static_cast<std::int64_t>(floor.low);
  if (floor.high != (y < 0 ? -1 : 0)) return negative ? lowest : highest;
  const bool up = Ties::rounds_up(half, rest, (y & 1) != 0, negative);
  return up && y != highest ? y + 1 : y;
}

}  // namespace dyadic
