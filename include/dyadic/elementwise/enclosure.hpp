// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Real numbers that are known up to an error bound: ball arithmetic in integers. Floor 1.
/// Every function encloses its result for all reals that its arguments enclose, so that a bound needs no other proof.

#include <dyadic/detail/ieee.hpp>
#include <dyadic/status.hpp>

namespace dyadic {

/// A real v with |v - c| < radius * 2^exponent; v = c if the radius is 0. The center c is significand * 2^exponent, with the sign
/// `negative`.
struct enclosure {
  bool negative;              ///< the sign of c
  std::uint64_t significand;  ///< significand of c; at least 2^63 unless it is 0 or the radius is 2^62 and more
  std::int32_t exponent;      ///< of 2
  std::uint64_t radius;       ///< below 2^64
};

namespace detail {

/// A value with a greater radius gives `unknown` results.
inline constexpr std::uint64_t greatest_radius = std::uint64_t{1} << 61;

/// Returns the enclosure of an unknown real.
DYADIC_API constexpr enclosure unknown() noexcept { return {false, 0, 0, std::uint64_t{1} << 63}; }

/// Returns true if v is exactly 0.
DYADIC_API constexpr bool is_exact_zero(enclosure v) noexcept { return v.significand == 0 && v.radius == 0; }

/// Returns an equal enclosure whose significand is as great as the radius allows.
DYADIC_API constexpr enclosure normalized(enclosure v) noexcept {
  const std::uint64_t greater = v.significand | (v.radius << 1);
  const int zeros = leading_zeros(greater);
  if (greater == 0 || zeros == 0) return v;
  return {v.negative, v.significand << zeros, v.exponent - zeros, v.radius << zeros};
}

/// Returns the upper half of a product.
DYADIC_API constexpr std::uint64_t high(std::uint64_t a, std::uint64_t b) noexcept { return multiply(a, b).high; }

/// (high * 2^64 + low) / divisor: its floor and its remainder. Requires: high < divisor, 2^63 <= divisor.
struct long_quotient {
  std::uint64_t value;
  std::uint64_t rest;
};
/// Computes the next digit in base 2^32: (rest * 2^32 + next) / divisor. The estimate by the upper half of the divisor is at most
/// 2 too large.
DYADIC_API constexpr long_quotient next_digit(std::uint64_t rest, std::uint64_t next, std::uint64_t divisor) noexcept {
  const std::uint64_t estimate = rest / (divisor >> 32);
  std::uint64_t digit = estimate >> 32 != 0 ? 0xFFFF'FFFFu : estimate;
  unsigned_wide product = multiply(digit, divisor);
  const unsigned_wide x{rest >> 32, (rest << 32) | next};
  while (product.high > x.high || (product.high == x.high && product.low > x.low)) {
    --digit;
    product.high -= product.low < divisor ? 1u : 0u;
    product.low -= divisor;
  }
  return {digit, x.low - product.low};
}
DYADIC_API constexpr long_quotient divide_wide(unsigned_wide x, std::uint64_t divisor) noexcept {
  DYADIC_ASSERT(x.high < divisor);
  const long_quotient upper = next_digit(x.high, x.low >> 32, divisor);
  const long_quotient lower = next_digit(upper.rest, x.low & 0xFFFF'FFFFu, divisor);
  return {(upper.value << 32) | lower.value, lower.rest};
}

}  // namespace detail

/// Encloses x exactly. Requires: x is finite.
template <class Float, int = Float::digits>
DYADIC_API constexpr enclosure enclose(Float x) noexcept {
  const fraction f = decompose(x);
  return {f.negative, f.significand, f.exponent, 0};
}

/// Encloses x exactly.
DYADIC_API constexpr enclosure enclose(std::int64_t x) noexcept {
  const auto bits = static_cast<std::uint64_t>(x);
  return detail::normalized({x < 0, x < 0 ? 0u - bits : bits, 0, 0});
}

/// Returns -v.
DYADIC_API constexpr enclosure negate(enclosure v) noexcept { return {!v.negative, v.significand, v.exponent, v.radius}; }

/// Returns v * 2^n.
DYADIC_API constexpr enclosure scale_by_power_of_two(enclosure v, int n) noexcept {
  return {v.negative, v.significand, v.exponent + n, v.radius};
}

/// Returns a * b. The radius bounds |(s + r)(t + q) - st| <= s|q| + t|r| + |rq|. The products count units of 2^64; a unit for
/// each product covers its lower half.
DYADIC_API constexpr enclosure multiply(enclosure a, enclosure b) noexcept {
  if (a.radius > detail::greatest_radius || b.radius > detail::greatest_radius) return detail::unknown();
  if (detail::is_exact_zero(a) || detail::is_exact_zero(b)) return {};
  const unsigned_wide product = multiply(a.significand, b.significand);
  const bool is_exact = a.radius == 0 && b.radius == 0;
  const std::uint64_t radius = is_exact ? 0
                                        : detail::high(a.significand, b.radius) + detail::high(b.significand, a.radius) +
                                              detail::high(a.radius, b.radius) + 3;
  return detail::normalized(
      {a.negative != b.negative, product.high, a.exponent + b.exponent + 64, radius + (product.low != 0 ? 1u : 0u)});
}

/// Returns a / b. The result is `unknown` if b may be 0, or if b has a radius and one of the two radii is 2^30 or more. The
/// radius bounds |(s + r) / (t + q) - s / t| <= (|r| + |q| s / t) / (t - |q|), where s / t is the quotient. The quotient counts
/// 2^-64 if s < t, or 2^-63 if s < 2t. A unit covers the remainder.
DYADIC_API constexpr enclosure divide(enclosure a, enclosure b) noexcept {
  if (a.radius > detail::greatest_radius || (b.significand >> 63) == 0) return detail::unknown();
  constexpr std::uint64_t precise = std::uint64_t{1} << 30;
  const bool halve = a.significand >= b.significand;
  const unsigned_wide numerator =
      halve ? unsigned_wide{a.significand >> 1, a.significand << 63} : unsigned_wide{a.significand, 0};
  const detail::long_quotient q = detail::divide_wide(numerator, b.significand);
  std::uint64_t radius = 2 * a.radius;
  if (a.radius < precise && b.radius < precise) {
    const std::uint64_t difference = a.radius + (halve ? 2 : 1) * b.radius;
    radius = difference == 0 ? 0 : (difference << (halve ? 31 : 32)) / ((b.significand - b.radius) >> 32) + 1;
  } else if (b.radius != 0) {
    return detail::unknown();
  }
  return detail::normalized(
      {a.negative != b.negative, q.value, a.exponent - b.exponent - (halve ? 63 : 64), radius + (q.rest != 0 ? 1u : 0u)});
}

/// Returns a + b. Both are halved to leave room for the carry, and the smaller one takes the exponent of the greater one. Each
/// bit that is lost adds a unit to the radius.
DYADIC_API constexpr enclosure add(enclosure a, enclosure b) noexcept {
  if (detail::is_exact_zero(a)) return b;
  if (detail::is_exact_zero(b)) return a;
  if (a.radius > detail::greatest_radius || b.radius > detail::greatest_radius) return detail::unknown();
  const bool swap = a.exponent < b.exponent;
  const enclosure x = swap ? b : a;
  const enclosure y = swap ? a : b;
  const std::int64_t distance = std::int64_t{x.exponent} - y.exponent + 1;
  const int shift = distance > 63 ? 63 : static_cast<int>(distance);
  // A shift of 63 leaves the highest bit. A longer shift leaves only the sticky unit.
  const std::uint64_t smaller = distance > 63 ? 0 : y.significand >> shift;
  const bool loses = (x.significand & 1u) != 0;
  const bool loses_smaller = distance > 63 ? y.significand != 0 : (smaller << shift) != y.significand;
  const std::uint64_t smaller_radius = y.radius == 0 ? 0 : (y.radius >> shift) + 1;
  const std::uint64_t radius =
      (x.radius == 0 ? 0 : (x.radius >> 1) + 1) + smaller_radius + (loses ? 1u : 0u) + (loses_smaller ? 1u : 0u);
  const std::uint64_t larger = x.significand >> 1;
  if (x.negative == y.negative) return detail::normalized({x.negative, larger + smaller, x.exponent + 1, radius});
  const bool turns = larger < smaller;
  return detail::normalized({turns != x.negative, turns ? smaller - larger : larger - smaller, x.exponent + 1, radius});
}

/// Returns the square root of v; `unknown` if v may be 0 or less. The root s in [2^63, 2^64) of t in [2^126, 2^128) is computed
/// bit by bit. The radius of v moves s by at most radius / (2 s) 2^64, which is at most the radius. A unit covers the remainder.
DYADIC_API constexpr enclosure square_root(enclosure v) noexcept {
  if (v.negative || v.radius >= std::uint64_t{1} << 61 || (v.significand >> 63) == 0) return detail::unknown();
  const bool odd = (v.exponent & 1) != 0;
  const unsigned_wide square{odd ? v.significand >> 1 : v.significand, odd ? v.significand << 63 : 0};
  std::uint64_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const std::uint64_t next = root | std::uint64_t{1} << bit;
    const unsigned_wide p = multiply(next, next);
    if (p.high < square.high || (p.high == square.high && p.low <= square.low)) root = next;
  }
  const unsigned_wide p = multiply(root, root);
  const bool has_rest = p.high != square.high || p.low != square.low;
  const std::int32_t exponent = (odd ? v.exponent + 1 : v.exponent) / 2 - 32;
  return detail::normalized({false, root, exponent, (v.radius == 0 ? 0 : v.radius + 1) + (has_rest ? 1u : 0u)});
}

/// Returns v rounded to an integer by `Ties`, saturated to a magnitude of 2^40. Returns `undecided` if v may lie on either side
/// of a tie.
template <class Ties>
DYADIC_API constexpr result<std::int64_t> to_integer(enclosure v) noexcept {
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  if (v.radius > detail::greatest_radius) return {0, status::undecided};
  if (v.exponent > -24) return {v.significand == 0 ? 0 : v.negative ? -limit : limit, status::ok};  // |c| >= 2^40
  if (v.radius == 0) {
    if (v.exponent < -64) return {0, status::ok};  // |v| < 1/2
    // The last bit is kept as a sticky bit, which says whether v is a tie. At least 22 other bits are dropped with it.
    const auto magnitude = static_cast<std::int64_t>(v.significand >> 1 | (v.significand & 1u));
    return {shift_right<Ties>(v.negative ? -magnitude : magnitude, -1 - v.exponent), status::ok};
  }
  if (v.exponent < -65) return {0, status::ok};  // |c| < 1/4, the radius is below it
  // The ends are in units of 8, rounded outward, so that adding a half does not overflow. A half is added to both ends. The
  // floors are those above the lower end and below the upper end.
  const auto significand = static_cast<std::int64_t>(v.significand >> 3);
  const auto radius = static_cast<std::int64_t>(v.radius >> 3);
  const int drop = -3 - v.exponent;
  const std::int64_t half = std::int64_t{1} << (drop - 1);
  const std::int64_t least = (significand - radius - 1 + half) >> drop;
  const std::int64_t most = (significand + radius + 2 + half - 1) >> drop;
  return {v.negative ? -least : least, least == most ? status::ok : status::undecided};
}

/// Returns v rounded to a Float, half even. Returns `undecided` unless all enclosed reals round to one Float.
template <class Float, int = Float::digits>
DYADIC_API constexpr result<Float> round_to(enclosure v) noexcept {
  if (v.radius > detail::greatest_radius) return {Float{}, status::undecided};
  // Halved outward. The interval is open: an end that is a tie belongs to neither side.
  const std::uint64_t center = v.significand >> 1;
  const std::uint64_t radius = v.radius == 0 ? 0 : (v.radius >> 1) + 1;
  const bool sticky = (v.significand & 1u) != 0 && v.radius == 0;
  const Float low = compose<Float>({v.negative, center - radius, v.exponent + 1}, sticky);
  const Float high = compose<Float>({v.negative, center + radius + (radius == 0 ? 0u : 1u), v.exponent + 1}, sticky);
  return {low, low.bits == high.bits ? status::ok : status::undecided};
}

}  // namespace dyadic
