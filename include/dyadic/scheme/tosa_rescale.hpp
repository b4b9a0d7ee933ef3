// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// TOSA's RESCALE for one element, with the attributes of the operator as run-time values. Floor 2.
/// Revision: TOSA specification @ cd5acdd0, reference model @ 9131f8a6.

#include <dyadic/scheme/tosa.hpp>

namespace dyadic::tosa {

/// The element types of RESCALE.
enum class element : std::uint8_t { i8, i16, i32, i48 };
/// The rounding modes of RESCALE.
enum class rounding_mode : std::uint8_t { single_round, double_round, inexact_round };

/// The attributes of RESCALE, named as in the specification.
struct rescale_attributes {
  element input;                                         ///< the type of the input
  element output;                                        ///< the type of the result
  bool input_unsigned = false;                           ///< reads the input as unsigned
  bool output_unsigned = false;                          ///< saturates to the unsigned output
  bool scale32 = true;                                   ///< the multiplier has 31 bits, else 15
  rounding_mode rounding = rounding_mode::single_round;  ///< the rounding of ties and of the last bit
  std::int64_t input_zero_point = 0;                     ///< a value of the input type, signed or unsigned as the attributes say
  std::int64_t output_zero_point = 0;                    ///< a value of the output type, signed or unsigned as the attributes say
};

/// Returns the width of a type in bits.
DYADIC_API constexpr int bits(element e) noexcept {
  switch (e) {
    case element::i8: return 8;
    case element::i16: return 16;
    case element::i32: return 32;
    case element::i48: return 48;
  }
  return 0;
}

/// The values of a type, signed or unsigned.
struct element_range {
  std::int64_t min;  ///< the least value
  std::int64_t max;  ///< the greatest value
};

/// Returns the values of an element type, read as signed or unsigned.
DYADIC_API constexpr element_range range_of_element(element e, bool is_unsigned) noexcept {
  const std::int64_t half = std::int64_t{1} << (bits(e) - 1);
  return is_unsigned ? element_range{0, 2 * half - 1} : element_range{-half, half - 1};
}

namespace detail {

/// Returns true if a zero point is legal: any value of i8, 0 or 32768 for unsigned i16, only 0 for other types.
DYADIC_API constexpr bool zero_point_legal(std::int64_t zero_point, element e, bool is_unsigned) noexcept {
  const element_range range = range_of_element(e, is_unsigned);
  if (e == element::i8) return zero_point >= range.min && zero_point <= range.max;
  return zero_point == 0 || (e == element::i16 && is_unsigned && zero_point == 32768);
}

}  // namespace detail

/// Checks the ERROR_IF conditions of RESCALE: returns `status::illegal_operator` if one holds.
DYADIC_API constexpr status check(const rescale_attributes& a) noexcept {
  const bool unknown = a.input > element::i48 || a.output > element::i32 || a.rounding > rounding_mode::inexact_round;
  const bool wide_input = a.input == element::i32 || a.input == element::i48;
  const bool scale32_of_i48 = a.scale32 && a.input == element::i48;
  const bool double_round_of_scale16 = a.rounding == rounding_mode::double_round && !a.scale32;
  const bool both_unsigned = a.input_unsigned && a.output_unsigned;
  const bool unsigned_with_i32_output = (a.input_unsigned || a.output_unsigned) && a.output == element::i32;
  const bool unsigned_with_wide_input = (a.input_unsigned || a.output_unsigned) && wide_input;
  if (unknown || scale32_of_i48 || double_round_of_scale16 || both_unsigned || unsigned_with_i32_output ||
      unsigned_with_wide_input || !detail::zero_point_legal(a.input_zero_point, a.input, a.input_unsigned) ||
      !detail::zero_point_legal(a.output_zero_point, a.output, a.output_unsigned))
    return status::illegal_operator;
  return status::ok;
}

/// Computes clip(apply_scale(value - input_zero_point) + output_zero_point) to the output type. `value` is a value of the input
/// type, signed or unsigned as the attributes say. Returns `status::illegal_operator` for an ERROR_IF, `status::unpredictable` if
/// a REQUIRE of the specification fails; then the result is 0. It takes SINGLE_ROUND and DOUBLE_ROUND; `rescale_inexact` takes
/// INEXACT_ROUND.
DYADIC_API constexpr result<std::int64_t> rescale(const rescale_attributes& a, std::int64_t value, multiplier32 m) noexcept {
  if (check(a) != status::ok || a.rounding == rounding_mode::inexact_round) return {0, status::illegal_operator};
  const result<std::int64_t> unpredictable{0, status::unpredictable};
  const element_range input = range_of_element(a.input, a.input_unsigned);
  if (value < input.min || value > input.max || !detail::legal(m)) return unpredictable;
  const std::int64_t centred = value - a.input_zero_point;
  std::int64_t y = 0;
  if (a.scale32) {
    if (!detail::value_fits_shift(centred, m.right_shift)) return unpredictable;
    const auto acc = static_cast<std::int32_t>(centred);
    y = a.rounding == rounding_mode::double_round ? scale32_double_round::apply(acc, m) : scale32::apply(acc, m);
  } else {
    if (!fits<std::int16_t>(m.mantissa)) return unpredictable;
    const multiplier16 narrow{static_cast<std::int16_t>(m.mantissa), m.right_shift};
    if (!scale16::valid(centred, narrow)) return unpredictable;
    y = scale16::apply(centred, narrow);
  }
  y += a.output_zero_point;
  if (!fits<std::int32_t>(y)) return unpredictable;
  const element_range output = range_of_element(a.output, a.output_unsigned);
  return {clamp(y, output.min, output.max), status::ok};
}

/// The result of INEXACT_ROUND in the reference model, and the least and greatest results that it allows.
struct inexact {
  std::int64_t reference;  ///< even(fl32(fl32(fl32(x) * fl32(mantissa)) * 2^-right_shift)), x the value less the input zero point
  std::int64_t min;  ///< ceil(o - b + output_zero_point), with o = x * scale and b = 1/2 + (3|o| + |o + zero_point|) * 2^-24
  std::int64_t max;  ///< floor(o + b + output_zero_point)
};

/// Computes RESCALE with INEXACT_ROUND. Each step of the bounds is rounded to binary64. The result and both bounds are clipped to
/// the output type. Any multiplier is accepted.
DYADIC_API constexpr result<inexact> rescale_inexact(const rescale_attributes& a, std::int64_t value, multiplier32 m) noexcept {
  if (check(a) != status::ok || a.rounding != rounding_mode::inexact_round) return {{}, status::illegal_operator};
  const element_range input = range_of_element(a.input, a.input_unsigned);
  if (value < input.min || value > input.max) return {{}, status::unpredictable};
  const std::int64_t x = value - a.input_zero_point;

  const int left_shift = saturate<int>(-std::int64_t{m.right_shift});
  const binary32 product = dyadic::multiply(from_integer<binary32>(x), from_integer<binary32>(m.mantissa));
  const std::int64_t rounded = to_integer<half_even>(scale_by_power_of_two(product, left_shift));
  // The reference model converts to int32: a number that does not fit becomes the minimum.
  const std::int64_t converted = fits<std::int32_t>(rounded) ? rounded : int32_min;

  const binary64 zero_point = from_integer<binary64>(a.output_zero_point);
  const binary64 scale = scale_by_power_of_two(from_integer<binary64>(m.mantissa), left_shift);
  const binary64 o = dyadic::multiply(from_integer<binary64>(x), scale);
  const binary64 weighted = add(dyadic::multiply(binary64{3.0}, magnitude(o)), magnitude(add(o, zero_point)));
  const binary64 bound = add(binary64{0.5}, scale_by_power_of_two(weighted, -24));
  const std::int64_t lowest = to_integer<to_ceiling>(add(subtract(o, bound), zero_point));
  const std::int64_t highest = to_integer<to_floor>(add(add(o, bound), zero_point));

  const element_range y = range_of_element(a.output, a.output_unsigned);
  return {{clamp(converted + a.output_zero_point, y.min, y.max), clamp(lowest, y.min, y.max), clamp(highest, y.min, y.max)},
          status::ok};
}

}  // namespace dyadic::tosa
