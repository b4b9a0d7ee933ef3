// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// IEEE 754 values as integers: they define the results of float schemes. Floor 1. Nothing here does floating-point arithmetic,
/// so -ffast-math, flush-to-zero, FMA contraction and x87 cannot change a bit. Every operation rounds once, half even, with
/// gradual underflow. Every NaN result is the positive quiet NaN without payload.

#include <dyadic/config.hpp>
#include <dyadic/rounding.hpp>

namespace dyadic {

/// A float, held as its bits. A double or an integer does not convert: see `narrow` and `from_integer`.
struct binary32 {
  static constexpr int digits = 24;  ///< bits of the significand
  std::uint32_t bits = 0;            ///< sign, exponent and significand as IEEE stores them

  DYADIC_API constexpr binary32() noexcept = default;
  // Takes a reference, because Clang assumes under -ffinite-math-only that a float argument passed by value is finite.
  DYADIC_API constexpr binary32(const float& x) noexcept : bits(bit_cast<std::uint32_t>(x)) {}  ///< the same number
  binary32(double) = delete;

  /// Returns the number with these bits.
  DYADIC_API static constexpr binary32 from_bits(std::uint32_t bits) noexcept { return bit_cast<binary32>(bits); }
  DYADIC_API constexpr float to_float() const noexcept { return bit_cast<float>(bits); }  ///< the same number
};

/// A double, held as its bits. A float widens exactly; an integer does not convert: see `from_integer`.
struct binary64 {
  static constexpr int digits = 53;  ///< bits of the significand
  std::uint64_t bits = 0;            ///< sign, exponent and significand as IEEE stores them

  DYADIC_API constexpr binary64() noexcept = default;
  DYADIC_API constexpr binary64(const double& x) noexcept : bits(bit_cast<std::uint64_t>(x)) {}  ///< the same number
  DYADIC_API constexpr binary64(const float& x) noexcept : binary64(binary32(x)) {}              ///< the same number, exact
  DYADIC_API constexpr binary64(binary32 x) noexcept;

  /// Returns the number with these bits.
  DYADIC_API static constexpr binary64 from_bits(std::uint64_t bits) noexcept { return bit_cast<binary64>(bits); }
  DYADIC_API constexpr double to_double() const noexcept { return bit_cast<double>(bits); }  ///< the same number
};

namespace detail {

/// The constants of a format. They follow from its width and its number of significant digits.
template <class Float>
struct format {
  using word = decltype(Float::bits);
  static constexpr int fraction_bits = Float::digits - 1;
  static constexpr int highest_exponent = (1 << (limits<word>::digits - Float::digits - 1)) - 1;
  static constexpr int lowest_exponent = 1 - highest_exponent;
  static constexpr word hidden_bit = static_cast<word>(word{1} << fraction_bits);
  static constexpr word sign_bit = static_cast<word>(word{1} << (limits<word>::digits - 1));
  static constexpr word infinity = sign_bit - hidden_bit;
  static constexpr word first_nan = infinity + 1, quiet_nan = infinity + hidden_bit / 2;
};

template <class Float>
DYADIC_API constexpr Float with_sign(bool negative, typename format<Float>::word magnitude) noexcept {
  return Float::from_bits(negative ? magnitude | format<Float>::sign_bit : magnitude);
}

}  // namespace detail

// Float is a format of floats in all functions below. `int = Float::digits` keeps other types out of overload resolution.

/// Returns true if the sign bit is set, also for -0 and for a NaN with this bit.
template <class Float, int = Float::digits>
DYADIC_API constexpr bool is_negative(Float x) noexcept {
  return (x.bits & detail::format<Float>::sign_bit) != 0;
}

/// Returns |x|: clears the sign bit, also of a NaN.
template <class Float, int = Float::digits>
DYADIC_API constexpr Float magnitude(Float x) noexcept {
  return Float::from_bits(x.bits & ~detail::format<Float>::sign_bit);
}

/// Returns -x: flips the sign bit, also of a NaN.
template <class Float, int = Float::digits>
DYADIC_API constexpr Float negate(Float x) noexcept {
  return Float::from_bits(x.bits ^ detail::format<Float>::sign_bit);
}

/// Returns true if x is neither infinite nor NaN.
template <class Float, int = Float::digits>
DYADIC_API constexpr bool is_finite(Float x) noexcept {
  return magnitude(x).bits < detail::format<Float>::infinity;
}

/// Returns true if x is a NaN.
template <class Float, int = Float::digits>
DYADIC_API constexpr bool is_nan(Float x) noexcept {
  return magnitude(x).bits >= detail::format<Float>::first_nan;
}

/// Returns true if x is +0 or -0.
template <class Float, int = Float::digits>
DYADIC_API constexpr bool is_zero(Float x) noexcept {
  return magnitude(x).bits == 0;
}

/// Returns a < b. It is false if either is NaN, and -0 equals +0.
template <class Float, int = Float::digits>
DYADIC_API constexpr bool less(Float a, Float b) noexcept {
  if (is_nan(a) || is_nan(b)) return false;
  // Converts sign and magnitude to two's complement, because the bits of magnitudes are in the order of their values.
  const auto key_a = static_cast<std::int64_t>(magnitude(a).bits);
  const auto key_b = static_cast<std::int64_t>(magnitude(b).bits);
  return (is_negative(a) ? -key_a : key_a) < (is_negative(b) ? -key_b : key_b);
}

/// The real number +-significand * 2^exponent. Normalised: significand in [2^63, 2^64), or 0.
struct fraction {
  bool negative;              ///< the sign
  std::uint64_t significand;  ///< the magnitude is significand * 2^exponent
  std::int32_t exponent;      ///< the exponent of 2
};

/// Returns x as a normalised fraction, exact. Requires: x is finite. A zero keeps its sign and has the least exponent of all x.
template <class Float, int = Float::digits>
DYADIC_API constexpr fraction decompose(Float x) noexcept {
  using format = detail::format<Float>;
  DYADIC_ASSERT(is_finite(x));
  const auto field = static_cast<int>(magnitude(x).bits >> format::fraction_bits);
  const std::uint64_t stored = x.bits & (format::hidden_bit - 1u);
  const std::uint64_t significand = field == 0 ? stored : stored | format::hidden_bit;
  const int exponent = (field == 0 ? 1 : field) - 1 + format::lowest_exponent - format::fraction_bits;
  const int zeros = leading_zeros(significand);
  // A zero has 64 leading zeros, more than a shift allows. It needs no shift.
  return {is_negative(x), significand << (zeros & 63), exponent - zeros};
}

/// Returns x rounded to Float by `Ties`; infinity if |x| exceeds the largest finite value. A zero keeps the sign of x.
/// `sticky` says that |x| is larger than its fraction by less than one unit of the significand.
/// Requires: |x.exponent| < 2^30; if sticky, x.significand >= 2^digits of Float.
template <class Float, class Ties = half_even, int = Float::digits>
DYADIC_API constexpr Float compose(fraction x, bool sticky = false) noexcept {
  using format = detail::format<Float>;
  using word = typename format::word;
  DYADIC_ASSERT(!sticky || (x.significand >> Float::digits) != 0);
  if (x.significand == 0) return detail::with_sign<Float>(x.negative, 0);
  const int zeros = leading_zeros(x.significand);
  const std::uint64_t significand = x.significand << zeros;
  // 2^exponent <= |x| < 2^(exponent + 1).
  const auto exponent = static_cast<int>(x.exponent + 63 - zeros);
  if (exponent > format::highest_exponent) return detail::with_sign<Float>(x.negative, format::infinity);

  const bool subnormal = exponent < format::lowest_exponent;
  const int drop = 64 - Float::digits + (subnormal ? format::lowest_exponent - exponent : 0);
  if (drop > 64) return detail::with_sign<Float>(x.negative, 0);  // |x| is below half of the least subnormal
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  const std::uint64_t kept = (significand >> 1) >> (drop - 1);
  const bool rest = sticky || (significand & (half - 1u)) != 0;
  const bool up = Ties::rounds_up((significand & half) != 0, rest, (kept & 1u) != 0, x.negative);
  // The hidden bit of `kept` adds one to the exponent field, and so does a carry out of the fraction, up to infinity.
  const auto field = static_cast<std::uint64_t>(subnormal ? 0 : exponent - format::lowest_exponent);
  return detail::with_sign<Float>(x.negative, static_cast<word>((field << format::fraction_bits) + kept + (up ? 1u : 0u)));
}

namespace detail {

/// Returns x in another format, rounded once. An infinity keeps its sign, a NaN loses its sign and payload.
template <class To, class From>
DYADIC_API constexpr To convert(From x) noexcept {
  if (is_nan(x)) return To::from_bits(format<To>::quiet_nan);
  if (!is_finite(x)) return with_sign<To>(is_negative(x), format<To>::infinity);
  return compose<To>(decompose(x));
}

}  // namespace detail

/// Converts x, exact.
DYADIC_API constexpr binary64::binary64(binary32 x) noexcept : bits(detail::convert<binary64>(x).bits) {}

/// Returns x rounded to binary32.
DYADIC_API constexpr binary32 narrow(binary64 x) noexcept { return detail::convert<binary32>(x); }

/// Returns x rounded to Float: `from_integer<binary32>(x)`. Zero gives +0.
template <class Float, int = Float::digits>
DYADIC_API constexpr Float from_integer(std::int64_t x) noexcept {
  const auto bits = static_cast<std::uint64_t>(x);
  return compose<Float>({x < 0, x < 0 ? 0u - bits : bits, 0});
}

/// Returns x rounded to an integer by `Ties`: `to_integer<half_even>(x)`. Saturates to [-2^62, 2^62], so that a zero point can be
/// added. NaN gives 0.
template <class Ties, class Float, int = Float::digits>
DYADIC_API constexpr std::int64_t to_integer(Float x) noexcept {
  if (is_nan(x)) return 0;
  constexpr std::int64_t limit = std::int64_t{1} << 62;
  if (magnitude(x).bits >= from_integer<Float>(limit).bits) return is_negative(x) ? -limit : limit;
  const fraction f = decompose(x);
  // |x| = half_significand * 2^-drop. The bit that is shifted out is zero, because digits < 64.
  auto half_significand = static_cast<std::int64_t>(f.significand >> 1);
  auto drop = static_cast<int>(-1 - f.exponent);
  if (drop > 63) {  // |x| < 1/2: only whether it is zero matters
    half_significand = half_significand != 0 ? 1 : 0;
    drop = 63;
  }
  return shift_right<Ties>(f.negative ? -half_significand : half_significand, drop);
}

/// Returns x * 2^n, rounded once, for any n.
template <class Float, int = Float::digits>
DYADIC_API constexpr Float scale_by_power_of_two(Float x, int n) noexcept {
  if (!is_finite(x)) return detail::convert<Float>(x);
  fraction f = decompose(x);
  // A non-zero x of either format overflows if multiplied by 2^10000, and underflows if multiplied by 2^-10000.
  f.exponent += static_cast<std::int32_t>(clamp(n, -10000, 10000));
  return compose<Float>(f);
}

/// Returns a * b, rounded once. NaN for 0 * infinity.
template <class Float, int = Float::digits>
DYADIC_API constexpr Float multiply(Float a, Float b) noexcept {
  using format = detail::format<Float>;
  const bool negative = is_negative(a) != is_negative(b);
  if (!is_finite(a) || !is_finite(b)) {
    const bool invalid = is_nan(a) || is_nan(b) || is_zero(a) || is_zero(b);
    return invalid ? Float::from_bits(format::quiet_nan) : detail::with_sign<Float>(negative, format::infinity);
  }
  const fraction x = decompose(a);
  const fraction y = decompose(b);
  // The upper 64 bits of the 128-bit product of the significands are at least 2^62.
  const std::int32_t exponent = x.exponent + y.exponent + 64;
  if constexpr (Float::digits <= 32) {
    return compose<Float>({negative, (x.significand >> 32) * (y.significand >> 32), exponent});
  } else {
    const unsigned_wide product = multiply(x.significand, y.significand);
    return compose<Float>({negative, product.high, exponent}, product.low != 0);
  }
}

/// Returns a / b, rounded once. NaN for 0 / 0 and infinity / infinity; infinity for any other a / 0.
template <class Float, int = Float::digits>
DYADIC_API constexpr Float divide(Float a, Float b) noexcept {
  using format = detail::format<Float>;
  const bool negative = is_negative(a) != is_negative(b);
  const bool infinite_a = !is_finite(a);
  const bool infinite_b = !is_finite(b);
  const bool invalid = is_nan(a) || is_nan(b) || (infinite_a && infinite_b) || (is_zero(a) && is_zero(b));
  if (invalid) return Float::from_bits(format::quiet_nan);
  if (infinite_a || is_zero(b)) return detail::with_sign<Float>(negative, format::infinity);
  if (infinite_b) return detail::with_sign<Float>(negative, 0);
  const fraction x = decompose(a);
  const fraction y = decompose(b);
  // Long division of integers of `digits` bits, in digits of base 2^step: remainder * 2^step fits in 64 bits.
  constexpr int step = 64 - Float::digits;
  const std::uint64_t divisor = y.significand >> step;
  std::uint64_t quotient = (x.significand >> step) / divisor;
  std::uint64_t remainder = (x.significand >> step) % divisor;
  std::int32_t exponent = x.exponent - y.exponent;
  // The quotient is above 1/2, so that digits + 1 fractional bits make it at least 2^digits.
  for (int bits = 0; bits <= Float::digits; bits += step) {
    remainder <<= step;
    quotient = (quotient << step) + remainder / divisor;
    remainder %= divisor;
    exponent -= step;
  }
  return compose<Float>({negative, quotient, exponent}, remainder != 0);
}

namespace detail {
/// Returns x + y, rounded once. Requires: |x| >= |y|, hence x.exponent >= y.exponent.
template <class To>
DYADIC_API DYADIC_ALWAYS_INLINE constexpr To sum_of(const fraction& x, const fraction& y) noexcept {
  const auto distance = static_cast<int>(clamp(x.exponent - y.exponent, 0, 63));  // a shift by 63 leaves only the sticky bit
  const std::uint64_t larger = x.significand >> 1;  // Both numbers are halved to leave room for a carry. Their last bit is 0.
  const std::uint64_t addend = y.significand >> 1;
  const std::uint64_t smaller = addend >> distance;
  const bool sticky = (smaller << distance) != addend;
  const std::int32_t exponent = x.exponent + 1;
  if (x.negative == y.negative) return compose<To>({x.negative, larger + smaller, exponent}, sticky);
  // larger - (smaller + e) = (larger - smaller - 1) + (1 - e) for 0 < e < 1. Then y is small and the difference large.
  const std::uint64_t difference = larger - smaller - (sticky ? 1u : 0u);
  return compose<To>({x.negative && difference != 0, difference, exponent}, sticky);
}
}  // namespace detail

/// Returns a + b, rounded once. NaN for infinity - infinity; x - x is +0, and -0 + -0 is -0.
template <class Float, int = Float::digits>
DYADIC_API constexpr Float add(Float a, Float b) noexcept {
  if (!is_finite(a) || !is_finite(b)) {
    const bool opposite = !is_finite(a) && !is_finite(b) && is_negative(a) != is_negative(b);
    const bool invalid = is_nan(a) || is_nan(b) || opposite;
    return invalid ? Float::from_bits(detail::format<Float>::quiet_nan) : is_finite(a) ? b : a;
  }
  const bool swap = magnitude(a).bits < magnitude(b).bits;
  return detail::sum_of<Float>(decompose(swap ? b : a), decompose(swap ? a : b));
}

/// Returns a - b = a + (-b), rounded once.
template <class Float, int = Float::digits>
DYADIC_API constexpr Float subtract(Float a, Float b) noexcept {
  return add(a, negate(b));
}

}  // namespace dyadic
