#pragma once

#include <cstdint>

// 128-bit integers, and division by a power of two with one rounding. All code of the oracle uses these few functions. They take
// `wide`, or std::int64_t where the numbers are known to be small and the sweep is long.

namespace oracle {

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

constexpr std::int64_t int32_lowest = -2147483648LL;
constexpr std::int64_t int32_highest = 2147483647LL;

/// Returns the number of binary digits of `value`; 0 for 0.
inline int bit_length(unsigned_wide value) {
  const std::uint64_t high = static_cast<std::uint64_t>(value >> 64);
  const std::uint64_t low = static_cast<std::uint64_t>(value);
  if (high != 0) return 128 - __builtin_clzll(high);
  if (low != 0) return 64 - __builtin_clzll(low);
  return 0;
}

/// Returns the nearest number in [lowest, highest].
inline wide clamp(wide value, wide lowest, wide highest) {
  if (value < lowest) return lowest;
  if (value > highest) return highest;
  return value;
}

/// satN(value): the nearest number of the signed range of N bits, N = 2..63.
template <class Integer>
inline Integer saturate(Integer value, int bits) {
  const std::int64_t limit = std::int64_t{1} << (bits - 1);
  if (value < -limit) return -limit;
  if (value > limit - 1) return limit - 1;
  return value;
}

inline std::int16_t saturate16(std::int64_t value) { return static_cast<std::int16_t>(saturate(value, 16)); }
inline std::int32_t saturate32(std::int64_t value) { return static_cast<std::int32_t>(saturate(value, 32)); }

/// wrap32(value): the number of the int32 range that equals `value` modulo 2^32.
inline std::int32_t wrap32(wide value) {
  const std::int64_t rest = static_cast<std::int64_t>(static_cast<unsigned_wide>(value) & 0xFFFFFFFFU);
  return static_cast<std::int32_t>(rest <= int32_highest ? rest : rest - 4294967296LL);
}

template <class Integer>
struct unsigned_of;
template <>
struct unsigned_of<std::int64_t> {
  using type = std::uint64_t;
};
template <>
struct unsigned_of<wide> {
  using type = unsigned_wide;
};

/// value * 2^shift modulo 2^64 or 2^128, shift >= 0.
template <class Integer>
inline Integer scaled_up(Integer value, int shift) {
  using Unsigned = typename unsigned_of<Integer>::type;
  const int bits = static_cast<int>(sizeof(Integer)) * 8;
  return shift < bits ? static_cast<Integer>(static_cast<Unsigned>(value) << shift) : 0;
}

/// wrap32(value * 2^shift), shift >= 0.
inline std::int32_t wrapping_left_shift(std::int32_t value, int shift) { return wrap32(scaled_up(std::int64_t{value}, shift)); }

/// value / 2^shift = whole + rest * 2^-shift with 0 <= rest < 2^shift. A tie has rest = half = 2^(shift-1).
template <class Integer>
struct division {
  Integer whole;
  typename unsigned_of<Integer>::type rest;
  typename unsigned_of<Integer>::type half;
};

/// Divides by 2^shift and rounds down. Requires: shift from 1 to 63, or 127 for `wide`.
template <class Integer>
inline division<Integer> divide_by_power_of_two(Integer value, int shift) {
  using Unsigned = typename unsigned_of<Integer>::type;
  const Integer whole = value >> shift;
  const Unsigned rest = static_cast<Unsigned>(value) - (static_cast<Unsigned>(whole) << shift);
  return {whole, rest, Unsigned{1} << (shift - 1)};
}

// The roundings, for every shift. A negative shift multiplies, as scaled_up does. A shift larger than the width shifts out all
// bits. Requires: |value| <= 2^62, or 2^126 for `wide`.

/// up(value, shift): value / 2^shift to the nearest integer, a tie to the larger neighbour.
template <class Integer>
inline Integer half_up(Integer value, int shift) {
  if (shift <= 0) return scaled_up(value, -shift);
  if (shift >= static_cast<int>(sizeof(Integer)) * 8) return 0;
  const division<Integer> d = divide_by_power_of_two(value, shift);
  return d.whole + (d.rest >= d.half ? 1 : 0);
}

/// away(value, shift): a tie to the neighbour farther from zero.
template <class Integer>
inline Integer half_away(Integer value, int shift) {
  const Integer magnitude = half_up(value < 0 ? -value : value, shift);
  return value < 0 ? -magnitude : magnitude;
}

/// even(value, shift): a tie to the even neighbour.
template <class Integer>
inline Integer half_even(Integer value, int shift) {
  if (shift <= 0) return scaled_up(value, -shift);
  if (shift >= static_cast<int>(sizeof(Integer)) * 8) return 0;
  const division<Integer> d = divide_by_power_of_two(value, shift);
  const unsigned odd = static_cast<unsigned>(d.whole & 1);
  // A tie goes up only from an odd number.
  return d.whole + (d.rest + odd > d.half ? 1 : 0);
}

/// Rounds to the nearest integer, a tie to the neighbour nearer to zero.
template <class Integer>
inline Integer half_toward_zero(Integer value, int shift) {
  if (shift <= 0) return scaled_up(value, -shift);
  if (shift >= static_cast<int>(sizeof(Integer)) * 8) return 0;
  const division<Integer> d = divide_by_power_of_two(value < 0 ? -value : value, shift);
  const Integer magnitude = d.whole + (d.rest > d.half ? 1 : 0);
  return value < 0 ? -magnitude : magnitude;
}

}  // namespace oracle
