// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The elements and scales of block-scaled tensors: floats of 4, 6 and 8 bits, MXINT8, and powers of two. Floor 2.
/// Source: OCP Microscaling Formats (MX) 1.0, OCP 8-bit Floating Point 1.0.
///
/// Each finite element is an integer times a power of two, the unit of its format. Products and sums are exact in integers.

#include <dyadic/detail/half.hpp>

namespace dyadic {

/// A float of a sign, an exponent field and a fraction, in the low bits of a byte. The bits above are zero. The functions of
/// ieee.hpp take it: `is_nan(x)`, `magnitude(x)`, `detail::convert<binary32>(x)`, which is exact. Formats are the sizes below.
template <int ExponentBits, int FractionBits>
struct small_float {
  static constexpr int digits = FractionBits + 1;                ///< bits of the significand
  static constexpr int width = 1 + ExponentBits + FractionBits;  ///< bits of a code
  std::uint8_t bits = 0;                                         ///< the code
  /// Returns the number with this code.
  DYADIC_API static constexpr small_float from_bits(int bits) noexcept { return {static_cast<std::uint8_t>(bits)}; }
};

/// Formats of elements.
/// @{
using e4m3 = small_float<4, 3>;  ///< up to 448. 0x7F and 0xFF are NaN, and there is no infinity
using e5m2 = small_float<5, 2>;  ///< up to 57344. It has infinities and NaN as binary16 has
using e2m3 = small_float<2, 3>;  ///< up to 7.5. Each code is a finite number
using e3m2 = small_float<3, 2>;  ///< up to 28. Each code is a finite number
using e2m1 = small_float<2, 1>;  ///< 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives
/// An int8 in units of 1/64: -2 .. 127/64.
struct mxint8 {
  std::int8_t value = 0;  ///< 64 times the number
};
/// @}

/// A scale of a block: 2^(bits - 127). 255 is NaN. It has no sign and no zero.
struct e8m0 {
  std::uint8_t bits = 0;  ///< the exponent, plus 127
};

namespace detail {

/// The constants of a format whose largest exponent is one above that of an IEEE format, because it has no infinity.
template <class Float>
struct format_without_infinity {
  using word = std::uint8_t;
  static constexpr int fraction_bits = Float::digits - 1;
  static constexpr int highest_exponent = 1 << (Float::width - Float::digits - 1);
  static constexpr int lowest_exponent = 2 - highest_exponent;
  static constexpr word hidden_bit = static_cast<word>(1 << fraction_bits);
  static constexpr word sign_bit = static_cast<word>(1 << (Float::width - 1));
  static constexpr word infinity = sign_bit;  ///< the code after the greatest number
  static constexpr word first_nan = sign_bit;
};
template <>
struct format<e4m3> : format_without_infinity<e4m3> {
  static constexpr word infinity = 0x7F;
  static constexpr word first_nan = 0x7F;
  static constexpr word quiet_nan = 0x7F;
};
template <>
struct format<e2m3> : format_without_infinity<e2m3> {};
template <>
struct format<e3m2> : format_without_infinity<e3m2> {};
template <>
struct format<e2m1> : format_without_infinity<e2m1> {};

template <class Format>
inline constexpr bool has_nan = format<Format>::first_nan < format<Format>::sign_bit;

}  // namespace detail

/// The result for a number beyond the largest number of the format.
enum class beyond : std::uint8_t {
  largest,  ///< the largest number, also of an infinity
  special,  ///< infinity; NaN for E4M3, which has none
};

/// The exponent of the unit of a format: each finite element is an integer times 2^unit_exponent.
/// @{
template <class Format>
inline constexpr int unit_exponent = detail::format<Format>::lowest_exponent - detail::format<Format>::fraction_bits;
template <>
inline constexpr int unit_exponent<mxint8> = -6;
template <>
inline constexpr int unit_exponent<std::int8_t> = 0;
/// @}

/// Returns x in units of 2^unit_exponent, exact. Requires: x is finite. The magnitude is at most 229376 for E4M3, 57344 * 2^16
/// for E5M2, 60 for E2M3, 448 for E3M2, 12 for E2M1, 128 for MXINT8 and int8.
/// @{
template <class Format, int = Format::digits>
DYADIC_API constexpr std::int64_t integer_of(Format x) noexcept {
  using format = detail::format<Format>;
  DYADIC_ASSERT(is_finite(x));
  const int field = magnitude(x).bits >> format::fraction_bits;
  const std::int64_t stored = x.bits & (format::hidden_bit - 1);
  const std::int64_t whole = field == 0 ? stored : (stored | format::hidden_bit) << (field - 1);
  return is_negative(x) ? -whole : whole;
}
DYADIC_API constexpr std::int64_t integer_of(mxint8 x) noexcept { return x.value; }
DYADIC_API constexpr std::int64_t integer_of(std::int8_t x) noexcept { return x; }
/// @}

/// Returns x in a format, rounded once by `Ties`, with the sign of x also for zero. `Beyond` names the result for a
/// number that rounds to more than the largest. NaN gives NaN; a format without NaN gives its largest positive number.
/// `Ties` treats both signs alike: half_even, half_away or half_to_zero.
template <class Format, class Ties = half_even, beyond Beyond = beyond::largest, class Float, int = Float::digits>
DYADIC_API constexpr Format round_to(Float x) noexcept {
  using format = detail::format<Format>;
  constexpr auto largest = static_cast<typename format::word>(format::infinity - 1);
  constexpr auto greater = static_cast<typename format::word>(Beyond == beyond::largest ? largest : format::infinity);
  static_assert(Beyond == beyond::largest || detail::has_nan<Format>, "this format has no code beyond its largest number");
  if (is_nan(x)) {
    if constexpr (detail::has_nan<Format>)
      return Format::from_bits(format::quiet_nan);
    else
      return Format::from_bits(largest);
  }
  const bool is_large = !is_finite(x);
  const auto code = is_large ? format::infinity : compose<Format, Ties>(decompose(magnitude(x))).bits;
  return detail::with_sign<Format>(is_negative(x), code > largest ? greater : code);
}

/// Returns x in MXINT8, rounded by `Ties` and clamped to `least` .. 127. NaN gives 0.
template <class Ties = half_even>
DYADIC_API constexpr mxint8 round_to_mxint8(binary32 x, std::int8_t least = -128) noexcept {
  const std::int64_t y = to_integer<Ties>(scale_by_power_of_two(x, 6));
  return {static_cast<std::int8_t>(y < least ? least : y > 127 ? 127 : y)};
}

/// Returns the value of a scale, exact: 0 is 2^-127, a subnormal number; 255 is NaN.
DYADIC_API constexpr binary32 value_of(e8m0 x) noexcept {
  if (x.bits == 255) return binary32::from_bits(detail::format<binary32>::quiet_nan);
  return binary32::from_bits(x.bits == 0 ? 0x0040'0000u : std::uint32_t{x.bits} << 23);
}

}  // namespace dyadic
