#pragma once

#include "wide_integer.hpp"

#include <cstdint>
#include <cstring>

// Floating-point numbers as integers, and IEEE roundings as explicit steps. Compiler flags and the rounding mode cannot change a
// result, because no floating-point operation of the machine is used.

namespace oracle {

/// The exact number (-1)^negative * significand * 2^exponent. The sign of zero is not kept, and there is no NaN.
struct real {
  bool negative;
  unsigned_wide significand;
  int exponent;
};

/// The exponent of infinity: a power of two that stays beyond every finite range when multiplied or divided by finite numbers.
constexpr int infinite_exponent = 1 << 20;

inline real from_integer(wide value) {
  const bool negative = value < 0;
  const unsigned_wide bits = static_cast<unsigned_wide>(value);
  return {negative, negative ? 0 - bits : bits, 0};
}

/// Returns the exact value of a binary32. Requires: not NaN.
inline real from_float(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const bool negative = (bits >> 31) != 0;
  const int field = static_cast<int>((bits >> 23) & 0xFFU);
  const std::uint32_t fraction = bits & 0x7FFFFFU;
  if (field == 0xFF) return {negative, 1, infinite_exponent};
  if (field == 0) return {negative, fraction, -149};
  return {negative, fraction | 0x800000U, field - 150};
}

/// Returns the exact value of a binary64. Requires: not NaN.
inline real from_double(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const bool negative = (bits >> 63) != 0;
  const int field = static_cast<int>((bits >> 52) & 0x7FFU);
  const std::uint64_t fraction = bits & 0xFFFFFFFFFFFFFULL;
  if (field == 0x7FF) return {negative, 1, infinite_exponent};
  if (field == 0) return {negative, fraction, -1074};
  return {negative, fraction | 0x10000000000000ULL, field - 1075};
}

/// Rounds `value` to `precision` bits, ties to even, on a grid no finer than 2^lowest_exponent. From 2^limit on it is infinite.
inline real round_to(real value, int precision, int lowest_exponent, int limit) {
  const int excess = bit_length(value.significand) - precision;
  const int too_fine = lowest_exponent - value.exponent;
  const int drop = excess > too_fine ? excess : too_fine;
  if (drop > 0) {
    // Below 2^62 a 64-bit integer holds the significand and is faster, because sweeps are long.
    const wide exact = static_cast<wide>(value.significand);
    const bool small = exact >> 62 == 0;
    const wide rounded = small ? half_even(static_cast<std::int64_t>(exact), drop) : half_even(exact, drop);
    value.significand = static_cast<unsigned_wide>(rounded);
    value.exponent += drop;
  }
  if (value.significand == 0) return {value.negative, 0, 0};
  if (bit_length(value.significand) + value.exponent > limit) return {value.negative, 1, infinite_exponent};
  return value;
}

/// fl32(value): one IEEE binary32 rounding, subnormals and overflow included.
inline real fl32(real value) { return round_to(value, 24, -149, 128); }

/// fl64(value): one IEEE binary64 rounding, subnormals and overflow included.
inline real fl64(real value) { return round_to(value, 53, -1074, 1024); }

/// Returns the bits of a value that is already a binary64.
inline double to_double(real value) {
  std::uint64_t bits = 0;
  if (value.exponent >= infinite_exponent) {
    bits = 0x7FF0000000000000ULL;
  } else if (value.significand != 0) {
    std::uint64_t significand = static_cast<std::uint64_t>(value.significand);
    int exponent = value.exponent;
    // Normalises to 53 bits, or stops at the grid of the subnormals.
    while (significand < 0x10000000000000ULL && exponent > -1074) {
      significand <<= 1;
      --exponent;
    }
    while (significand > 0x1FFFFFFFFFFFFFULL || exponent < -1074) {
      significand >>= 1;
      ++exponent;
    }
    const bool subnormal = significand < 0x10000000000000ULL;
    bits = subnormal ? significand : (static_cast<std::uint64_t>(exponent + 1075) << 52) | (significand & 0xFFFFFFFFFFFFFULL);
  }
  if (value.negative) bits |= 0x8000000000000000ULL;
  double result = 0;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}

inline real negated(real value) { return {!value.negative, value.significand, value.exponent}; }
inline real magnitude(real value) { return {false, value.significand, value.exponent}; }
inline real times_power_of_two(real value, int power) { return {value.negative, value.significand, value.exponent + power}; }

/// Returns the exact product. Requires: the significands have at most 122 bits together.
inline real product(real a, real b) { return {a.negative != b.negative, a.significand * b.significand, a.exponent + b.exponent}; }

/// Returns a + b. The sum is exact unless the units are more than 2^62 apart. Then all bits below 2^-62 of the larger unit become
/// one set last bit. No later rounding to 53 bits can tell this sum from the exact sum. Requires: the significands have at most
/// 63 bits.
inline real sum(real a, real b) {
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  // Puts the larger unit first. If the units are far apart, the larger unit belongs to the larger number.
  if (a.exponent < b.exponent) {
    const real c = a;
    a = b;
    b = c;
  }
  int gap = a.exponent - b.exponent;
  unsigned_wide small = b.significand;
  if (gap > 62) {
    const int drop = gap - 62;
    const unsigned_wide kept = drop > 127 ? 0 : small >> drop;
    const bool lost = drop > 127 || (kept << drop) != small;
    small = kept | (lost ? 1U : 0U);
    gap = 62;
  }
  const wide large = static_cast<wide>(a.significand << gap);
  const wide rest = static_cast<wide>(small);
  real result = from_integer((a.negative ? -large : large) + (b.negative ? -rest : rest));
  result.exponent = a.exponent - gap;
  return result;
}

/// Returns a / b to at least precision + 2 bits, and sets one more bit if there is a remainder. This is enough for a correct
/// rounding to `precision` bits.
/// Requires: b is not zero, the significands have at most 60 bits, precision <= 60.
inline real quotient(real a, real b, int precision) {
  if (a.significand == 0) return {false, 0, 0};
  const int wanted = precision + 2 + bit_length(b.significand) - bit_length(a.significand);
  const int shift = wanted > 0 ? wanted : 0;
  const unsigned_wide numerator = a.significand << shift;
  const unsigned_wide whole = numerator / b.significand;
  const bool lost = whole * b.significand != numerator;
  return {a.negative != b.negative, (whole << 1) | (lost ? 1U : 0U), a.exponent - b.exponent - shift - 1};
}

namespace detail {

// Every output range ends long before 2^62, so that beyond 2^62 the rounding does not matter.
constexpr std::int64_t integer_limit = std::int64_t{1} << 62;

// Requires: the significand has at most 62 bits, as every rounded number has.
template <class Round>
inline std::int64_t to_integer(real value, Round round) {
  if (bit_length(value.significand) + value.exponent > 62) return value.negative ? -integer_limit : integer_limit;
  const std::int64_t significand = static_cast<std::int64_t>(value.significand);
  return round(value.negative ? -significand : significand, -value.exponent);
}

inline std::int64_t floor_of(std::int64_t value, int shift) {
  if (shift <= 0) return scaled_up(value, -shift);
  return divide_by_power_of_two(value, shift > 63 ? 63 : shift).whole;
}

inline std::int64_t ceiling_of(std::int64_t value, int shift) { return -floor_of(-value, shift); }

}  // namespace detail

/// even(value): the nearest integer, ties to even, saturated to +-2^62.
inline std::int64_t nearest_even(real value) { return detail::to_integer(value, half_even<std::int64_t>); }

/// The nearest integer, ties away from zero, saturated to +-2^62.
inline std::int64_t nearest_away(real value) { return detail::to_integer(value, half_away<std::int64_t>); }

/// The integer below or at `value`, saturated to +-2^62.
inline std::int64_t floor_integer(real value) { return detail::to_integer(value, detail::floor_of); }

/// The integer above or at `value`, saturated to +-2^62.
inline std::int64_t ceiling_integer(real value) { return detail::to_integer(value, detail::ceiling_of); }

}  // namespace oracle
