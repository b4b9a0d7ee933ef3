// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Rules for the E8M0 scale of an MX block. Floor 2.
/// Sources: OCP Microscaling Formats (MX) 1.0, section 6.3; torchao, prototype/mx_formats/mx_tensor.py; TOSA 1.1 draft,
/// calc_block_scale; microxcaling, mx/mx_ops.py.
/// Revision: torchao @ 36027d82, TOSA specification @ cd5acdd, microxcaling @ 7bc4195.
///
/// The largest magnitude of a block is a = m * 2^E, 1 <= m < 2. Its scale is 2^(E - emax), doubled if m reaches a threshold, and
/// clamped to 2^-127 .. 2^127. 2^emax is the largest power of two in the element format. The scale of NaN and infinity is 255,
/// which is NaN. The rules differ only in the threshold:
///
///     rule                         E4M3     E5M2    E2M3     E3M2    E2M1   MXINT8
///     emax                            8       15       2        4       2        0
///     ocp::floor                   none     none    none     none    none     none
///     torchao::ceil                 > 1      > 1     > 1      > 1     > 1        -
///     torchao::even              1.9375    1.875  1.9375    1.875    1.75        -
///     torchao::rceil             > 1.75   > 1.75  > 1.875  > 1.75   > 1.5        -
///     tosa::block_scale        > 1.8125    1.875  1.9375    1.875    1.75  1.9921875
///     microxcaling::floor_log2    2 - n * 2^-23, n = 0 .. 44 by the size of a
///
/// A rule of blocks has the types `format` and `scale_type`, and these functions. Your own rule may inherit them.
///
///     scale(a)         the scale of a block whose largest magnitude is a
///     reciprocal(s)    the binary32 by which each element of the block is multiplied
///     element(x)       this product as an element
///     check(rule)      the first error in the numbers of the rule

#include <dyadic/blocks/block_input.hpp>
#include <dyadic/blocks/formats.hpp>

namespace dyadic {

namespace detail {

/// The largest number of a format is (1 + top * 2^-fraction_bits) * 2^highest_exponent.
template <class Format>
struct scaled_format {
  static constexpr int highest_exponent = format<Format>::highest_exponent;
  static constexpr int fraction_bits = format<Format>::fraction_bits;
  static constexpr std::uint32_t top = (format<Format>::infinity - 1u) & (format<Format>::hidden_bit - 1u);
};
template <>
struct scaled_format<mxint8> {
  static constexpr int highest_exponent = 0;
  static constexpr int fraction_bits = 6;
  static constexpr std::uint32_t top = 63;
};

/// Returns the biased exponent of |a|.
DYADIC_API constexpr int exponent_field(binary32 a) noexcept { return static_cast<int>(magnitude(a).bits >> 23); }

/// Returns the scale of a block with the largest magnitude a. The threshold of m is 1 + threshold * 2^-23.
template <class Format>
DYADIC_API constexpr e8m0 scale_by_threshold(binary32 a, std::uint32_t threshold) noexcept {
  if (!is_finite(a)) return {255};
  const int field = exponent_field(a);
  const std::uint32_t fraction = a.bits & 0x7F'FFFFu;
  // A subnormal a of 2^-127 and more is fraction * 2^-22 * 2^-127. Each lesser a gets the least scale, with any threshold.
  const bool reached = fraction >= (field == 0 ? (0x80'0001u + threshold) / 2 : threshold);
  const std::int64_t bits = clamp(field - scaled_format<Format>::highest_exponent + (reached ? 1 : 0), 0, 254);
  return {static_cast<std::uint8_t>(bits)};
}

/// Returns 1 if a is in the octave of 2^(emax - 127), where the two least scales are possible, otherwise 0. A quotient of a and a
/// number of the octave of 2^emax is subnormal there. Its rounding to a multiple of 2^-149 moves a threshold by one step of a.
template <class Format>
DYADIC_API constexpr std::uint32_t quotient_step(binary32 a) noexcept {
  return exponent_field(a) == scaled_format<Format>::highest_exponent ? 1 : 0;
}

/// Returns x rounded by `Ties` and saturated. Zero keeps its sign, except in MXINT8, which may be -128.
template <class Format, class Ties>
DYADIC_API constexpr Format saturated(binary32 x) noexcept {
  if constexpr (std::is_same_v<Format, mxint8>)
    return round_to_mxint8<Ties>(x);
  else
    return round_to<Format, Ties>(x);
}

/// A block whose elements are rounded half even and saturated.
template <class Format>
struct mx_block {
  using format = Format;    ///< the format of the elements
  using scale_type = e8m0;  ///< the format of the scales

  /// Returns 1 / s, exact. Requires: s is not NaN.
  DYADIC_API static constexpr binary32 reciprocal(e8m0 s) noexcept {
    return value_of(e8m0{static_cast<std::uint8_t>(254 - s.bits)});
  }
  /// Returns x rounded half even and saturated. Zero keeps its sign, except in MXINT8, which may be -128.
  DYADIC_API static constexpr Format element(binary32 x) noexcept { return saturated<Format, half_even>(x); }
  /// Returns `ok`, because a rule without numbers has nothing to check.
  DYADIC_API friend constexpr status check(const mx_block&) noexcept { return status::ok; }
};

}  // namespace detail

namespace ocp {

/// The rule of the specification: the largest power of two not above a, divided by 2^emax. Elements above the largest number
/// saturate: almost 512 becomes 448 in E4M3, and almost 8 becomes 6 in E2M1.
template <class Format>
struct floor : dyadic::detail::mx_block<Format> {
  /// Returns the scale of a block with the largest magnitude a.
  DYADIC_API static constexpr e8m0 scale(binary32 a) noexcept { return dyadic::detail::scale_by_threshold<Format>(a, 1u << 23); }
};

}  // namespace ocp

namespace torchao {

/// ScaleCalculationMode.FLOOR, the default: the rule of OCP.
template <class Format>
using floor = ocp::floor<Format>;

/// ScaleCalculationMode.CEIL: the least power of two not below a, divided by 2^emax.
template <class Format>
struct ceil : dyadic::detail::mx_block<Format> {
  /// Returns the scale of a block with the largest magnitude a.
  DYADIC_API static constexpr e8m0 scale(binary32 a) noexcept { return dyadic::detail::scale_by_threshold<Format>(a, 1); }
};

/// ScaleCalculationMode.EVEN: `floor` of a rounded to the significand of the elements, a tie up. The scale of 2^128 is NaN.
template <class Format>
struct even : dyadic::detail::mx_block<Format> {
  /// Returns the scale of a block with the largest magnitude a.
  DYADIC_API static constexpr e8m0 scale(binary32 a) noexcept {
    const std::uint32_t half = 1u << (23 - Format::digits);
    return is_finite(a) ? floor<Format>::scale(binary32::from_bits(magnitude(a).bits + half)) : e8m0{255};
  }
};

/// ScaleCalculationMode.RCEIL, also of cuBLAS: the least power of two not below a / largest number, computed as
/// fl32(a * fl32(1 / largest)). The rounding changes the scale of one a of each format, one step above largest * 2^-127.
template <class Format>
struct rceil : dyadic::detail::mx_block<Format> {
  /// Returns the scale of a block with the largest magnitude a.
  DYADIC_API static constexpr e8m0 scale(binary32 a) noexcept {
    using constants = dyadic::detail::scaled_format<Format>;
    constexpr std::uint32_t above = (constants::top << (23 - constants::fraction_bits)) + 1;
    return dyadic::detail::scale_by_threshold<Format>(a, above + dyadic::detail::quotient_step<Format>(a));
  }
};

}  // namespace torchao

namespace tosa {

/// calc_block_scale: the least scale with which no element rounds above the largest number. The limit is the largest number plus
/// half of its unit. A tie at the limit goes to the largest number in E4M3, and beyond it in the other formats. The quotient of a
/// and the limit is a binary32. Its rounding changes the scale of one a of each float format, next to limit * 2^-127.
template <class Format>
struct block_scale : dyadic::detail::mx_block<Format> {
  /// Returns the scale of a block with the largest magnitude a.
  DYADIC_API static constexpr e8m0 scale(binary32 a) noexcept {
    using constants = dyadic::detail::scaled_format<Format>;
    constexpr std::uint32_t limit = (2 * constants::top + 1) << (22 - constants::fraction_bits);
    const std::uint32_t step = dyadic::detail::quotient_step<Format>(a);
    return dyadic::detail::scale_by_threshold<Format>(a, constants::top % 2 == 0 ? limit + 1 + step : limit - step);
  }
};

}  // namespace tosa

namespace microxcaling {

/// _shared_exponents and _quantize_elemwise_core: floor(log2(a)) - emax, where log2 is rounded to binary32. `Ties` is half_away
/// for round = 'nearest', the default, and half_even for 'even'. Source of the elements: mx/elemwise_ops.py.
///
/// The logarithm of an a just below a power of two may round up, which doubles the scale: see `floor_of_rounded_log2`.
///
/// The scale of a block of zeros is that of 2^-126. The scale of MXINT8 is NaN if log2(a) rounds to 128.
template <class Format, class Ties = half_away>
struct floor_log2 : dyadic::detail::mx_block<Format> {
  /// Returns the scale of a block with the largest magnitude a.
  DYADIC_API static constexpr e8m0 scale(binary32 a) noexcept {
    if (!is_finite(a)) return {255};
    const int exponent = is_zero(a) ? -126 : floor_of_rounded_log2(magnitude(a));
    const std::int64_t bits = clamp(exponent + 127 - dyadic::detail::scaled_format<Format>::highest_exponent, 0, 255);
    return {static_cast<std::uint8_t>(bits)};
  }
  /// Returns the number that x is rounded to, saturated: floor(fl32(|x| + 1/2)) in units of the last bit. The rounding of this
  /// sum turns the greatest |x| below half of the least number into the least number. A negative x may give -0, but -0 gives +0.
  DYADIC_API static constexpr binary32 rounded(binary32 x) noexcept {
    constexpr binary32 least = scale_by_power_of_two(binary32{1.0f}, unit_exponent<Format>);
    constexpr binary32 half = scale_by_power_of_two(least, -1);
    const binary32 a = magnitude(x).bits == half.bits - 1 ? least : magnitude(x);
    const std::int64_t units = integer_of(dyadic::detail::saturated<Format, Ties>(a));
    const binary32 y = scale_by_power_of_two(from_integer<binary32>(units), unit_exponent<Format>);
    return is_negative(x) && !is_zero(x) ? negate(y) : y;
  }
  /// Returns `rounded(x)` as an element, exact. MXINT8 has no -0.
  DYADIC_API static constexpr Format element(binary32 x) noexcept {
    return dyadic::detail::mx_block<Format>::element(rounded(x));
  }
};

}  // namespace microxcaling

}  // namespace dyadic
