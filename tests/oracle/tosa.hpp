#pragma once

#include "exact_real.hpp"
#include "wide_integer.hpp"

#include <cstdint>

// TOSA RESCALE. Shifts count to the right.
// Source: TOSA specification, apply_scale_32, apply_scale_16 and RESCALE; reference model, QuantUtil and OpRescale.

namespace oracle {

/// The scaled value, or 0 with `require_failed` if the reference model rejects the operands.
struct tosa_scaled {
  bool require_failed;
  std::int32_t value;
};

namespace detail {

// The operands that apply_scale_32 accepts: m >= 0, 2 <= t <= 62, -2^(t-1) <= value < 2^(t-1).
inline bool tosa_scale_32_accepts(std::int32_t value, std::int32_t multiplier, int shift) {
  if (multiplier < 0 || shift < 2 || shift > 62) return false;
  const std::int64_t limit = std::int64_t{1} << (shift - 1);
  return -limit <= value && value < limit;
}

}  // namespace detail

/// apply_scale_32 without double_round: up(value * m, t).
inline tosa_scaled tosa_apply_scale_32_single(std::int32_t value, std::int32_t multiplier, int shift) {
  if (!detail::tosa_scale_32_accepts(value, multiplier, shift)) return {true, 0};
  return {false, static_cast<std::int32_t>(half_up(std::int64_t{value} * multiplier, shift))};
}

/// apply_scale_32 with double_round: floor( (value * m + R) / 2^t ), R = 2^(t-1), and for t > 31 also + 2^30 when
/// value >= 0 and - 2^30 when value < 0. This sum is the published definition.
inline tosa_scaled tosa_apply_scale_32_double(std::int32_t value, std::int32_t multiplier, int shift) {
  if (!detail::tosa_scale_32_accepts(value, multiplier, shift)) return {true, 0};
  const wide nudge = shift <= 31 ? 0 : value >= 0 ? wide{1} << 30 : -(wide{1} << 30);
  const wide total = wide{value} * multiplier + (wide{1} << (shift - 1)) + nudge;
  return {false, static_cast<std::int32_t>(divide_by_power_of_two(total, shift).whole)};
}

/// apply_scale_16: up(value * m, t); m >= 0, 2 <= t <= 62, value is int48, the result must fit int32.
inline tosa_scaled tosa_apply_scale_16(std::int64_t value, std::int32_t multiplier, int shift) {
  const std::int64_t limit = std::int64_t{1} << 47;
  if (multiplier < 0 || multiplier > 32767 || shift < 2 || shift > 62) return {true, 0};
  if (value < -limit || value >= limit) return {true, 0};
  const wide scaled = half_up(wide{value} * multiplier, shift);
  if (scaled != saturate(scaled, 32)) return {true, 0};
  return {false, static_cast<std::int32_t>(scaled)};
}

enum class tosa_rounding { single_round, double_round, inexact_round };
enum class tosa_status { ok, error_if, require };

/// The attributes of one RESCALE, rank 1, per_channel = false. Widths are 8, 16, 32 or 48 (input only).
struct tosa_rescale_attributes {
  int input_bits;
  bool input_unsigned;
  int output_bits;
  bool output_unsigned;
  bool scale32;
  tosa_rounding rounding;
};

struct tosa_rescaled {
  tosa_status status;
  std::int32_t value;
};

namespace detail {

// A zero point must be 0, with two exceptions: i8 may have any value of its type, and unsigned i16 may also have 32768.
inline bool tosa_zero_point_allowed(std::int32_t zero_point, int bits, bool is_unsigned) {
  if (zero_point == 0) return true;
  if (bits == 8) {
    const std::int32_t lowest = is_unsigned ? 0 : -128;
    return lowest <= zero_point && zero_point <= lowest + 255;
  }
  return bits == 16 && is_unsigned && zero_point == 32768;
}

inline bool tosa_error_if(const tosa_rescale_attributes& a, std::int32_t input_zp, std::int32_t output_zp) {
  if (a.scale32 && a.input_bits == 48) return true;
  if (!a.scale32 && a.rounding == tosa_rounding::double_round) return true;
  if (a.input_unsigned && a.output_unsigned) return true;
  if (a.input_unsigned && a.output_bits == 32) return true;
  if (a.output_unsigned && (a.input_bits == 32 || a.input_bits == 48)) return true;
  if (a.input_unsigned && (a.input_bits == 32 || a.input_bits == 48)) return true;
  if (a.output_unsigned && a.output_bits == 32) return true;
  return !tosa_zero_point_allowed(input_zp, a.input_bits, a.input_unsigned) ||
         !tosa_zero_point_allowed(output_zp, a.output_bits, a.output_unsigned);
}

inline std::int32_t tosa_clip(std::int64_t value, const tosa_rescale_attributes& a) {
  const std::int64_t range = std::int64_t{1} << a.output_bits;
  const std::int64_t lowest = a.output_unsigned ? 0 : -(range / 2);
  return static_cast<std::int32_t>(clamp(value, lowest, lowest + range - 1));
}

}  // namespace detail

/// RESCALE with SINGLE_ROUND or DOUBLE_ROUND: subtract the input zero point, scale, add the output zero point (an int32), clip.
/// The value and the zero points are given in their signed or unsigned reading.
inline tosa_rescaled tosa_rescale(const tosa_rescale_attributes& attributes, std::int64_t value, std::int32_t input_zp,
                                  std::int32_t output_zp, std::int32_t multiplier, int shift) {
  if (detail::tosa_error_if(attributes, input_zp, output_zp)) return {tosa_status::error_if, 0};
  const std::int64_t centred = value - input_zp;
  tosa_scaled scaled = {true, 0};
  if (!attributes.scale32) {
    scaled = tosa_apply_scale_16(centred, multiplier, shift);
  } else if (attributes.rounding == tosa_rounding::double_round) {
    scaled = tosa_apply_scale_32_double(static_cast<std::int32_t>(centred), multiplier, shift);
  } else {
    scaled = tosa_apply_scale_32_single(static_cast<std::int32_t>(centred), multiplier, shift);
  }
  const std::int64_t moved = std::int64_t{scaled.value} + output_zp;
  if (scaled.require_failed || moved != saturate32(moved)) return {tosa_status::require, 0};
  return {tosa_status::ok, detail::tosa_clip(moved, attributes)};
}

/// Three results of INEXACT_ROUND: the reference model's plain mode and the two bounds of its compliance mode.
struct tosa_inexact {
  std::int32_t fp32_reference;
  std::int32_t allowed_min;
  std::int32_t allowed_max;
};

/// RESCALE with INEXACT_ROUND. The plain mode is even( fl32(fl32(x) * fl32(m)) * 2^-t ), and MIN from 2^31 on. The bounds take
/// each operation in binary64: o = x * m * 2^-t, b = 0.5 + (3|o| + |o + zp|) * 2^-24, ceil(o - b + zp), floor(o + b + zp).
inline tosa_inexact tosa_rescale_inexact(const tosa_rescale_attributes& attributes, std::int64_t value, std::int32_t input_zp,
                                         std::int32_t output_zp, std::int32_t multiplier, int shift) {
  const std::int64_t centred = value - input_zp;

  const real plain = fl32(product(fl32(from_integer(centred)), fl32(from_integer(multiplier))));
  std::int64_t rounded = nearest_even(fl32(times_power_of_two(plain, -shift)));
  if (rounded < int32_lowest || rounded > int32_highest) rounded = int32_lowest;

  const real zp = from_integer(output_zp);
  const real half = {false, 1, -1};
  const real o = times_power_of_two(fl64(product(from_integer(centred), from_integer(multiplier))), -shift);
  const real triple = fl64(product(from_integer(3), magnitude(o)));
  const real both = fl64(sum(triple, magnitude(fl64(sum(o, zp)))));
  const real b = fl64(sum(half, times_power_of_two(both, -24)));
  const real low = fl64(sum(fl64(sum(o, negated(b))), zp));
  const real high = fl64(sum(fl64(sum(o, b)), zp));

  return {detail::tosa_clip(rounded + output_zp, attributes), detail::tosa_clip(ceiling_integer(low), attributes),
          detail::tosa_clip(floor_integer(high), attributes)};
}

}  // namespace oracle
