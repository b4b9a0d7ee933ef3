#pragma once
/// \file
/// The rounding rules of XNNPACK (src/xnnpack/requantization.h, src/microparams-init.c, src/qs8-vcvt, src/qs8-vadd). Floor 2.
/// XNNPACK asserts binary32 scales in 2^-32 .. 256; here others get a status.

#include <dyadic/scheme/formula.hpp>

namespace dyadic::xnnpack {

/// What XNNPACK asserts of a requantization scale: 2^-32 <= scale < 256.
constexpr status check_scale(binary32 scale) noexcept {
  if (!is_finite(scale)) return status::scale_not_finite;
  if (is_zero(scale)) return status::scale_zero;
  if (is_negative(scale)) return status::scale_negative;
  if (less(scale, binary32{0x1p-32f})) return status::scale_too_small;
  return less(scale, binary32{256.0f}) ? status::ok : status::scale_too_large;
}

/// The 24-bit mantissa and the exponent of the binary32 scale, exact: mantissa in 2^23 .. 2^24 - 1, right_shift in 16 .. 55.
constexpr result<multiplier32> derive_from_bits(binary32 scale) noexcept {
  const status s = check_scale(scale);
  if (s != status::ok) return {{0, 24}, s};
  const fraction f = decompose(scale);
  return {{static_cast<std::int32_t>(f.significand >> 40), -(f.exponent + 40)}, status::ok};
}

/// Most kernels: round(fl32(acc) * scale) with ties to even, three roundings. XNNPACK clamps before it rounds, which is the same.
struct fp32 {
  using accumulator = std::int32_t;
  using multiplier_type = binary32;

  static constexpr bool valid(multiplier_type m) noexcept { return check_scale(m) == status::ok; }
  static constexpr result<multiplier_type> derive(binary32 scale) noexcept { return {scale, check_scale(scale)}; }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept { return scaled_in_binary32(acc, m); }
};

/// The scalar rndnu reference: acc * mantissa / 2^right_shift, ties up, wrapped to int32 before the clamp.
struct rndnu {
  using accumulator = std::int32_t;
  using multiplier_type = multiplier32;

  /// mantissa in 0 .. 2^24 - 1, right_shift in 16 .. 55.
  static constexpr bool valid(multiplier_type m) noexcept {
    return m.mantissa >= 0 && m.mantissa < (1 << 24) && detail::shift_within(m, 16, 55);
  }
  /// The result fits int32. Beyond that `rndnu_neon` is the exact rule.
  static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return valid(m) && fits<std::int32_t>(scaled<rule::single_up>(acc, m.mantissa, m.right_shift));
  }
  static constexpr result<multiplier_type> derive(binary32 scale) noexcept { return derive_from_bits(scale); }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    return wrap<std::int32_t>(scaled<rule::single_up>(acc, m.mantissa, m.right_shift));
  }
};

/// The rndnu rule of the NEON kernels: acc * mantissa / 2^right_shift, ties up. Their saturating shifts change nothing that an 8-bit
/// output can show.
struct rndnu_neon : rndnu {
  static constexpr bool valid(multiplier_type m) noexcept { return rndnu::valid(m); }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    return scaled<rule::single_up>(acc, m.mantissa, m.right_shift);
  }
};

/// The rndnu16 rule of some unsigned kernels: p = acc * 2^a, saturated to int32 (for a < 0 acc / 2^-a, ties up), then to int16;
/// p * mantissa / 2^15, ties up. Two roundings and 15 bits of scale. a = 15 - right_shift.
struct rndnu16 {
  using accumulator = std::int32_t;
  using multiplier_type = multiplier16;

  /// mantissa >= 0, a in -31 .. 9.
  static constexpr bool valid(multiplier_type m) noexcept { return m.mantissa >= 0 && detail::shift_within(m, 6, 46); }
  /// The binary32 scale's mantissa to 15 bits, ties up, 2^15 halved.
  static constexpr result<multiplier_type> derive(binary32 scale) noexcept {
    const status s = check_scale(scale);
    if (s != status::ok) return {{0, 15}, s};
    return nearest<std::int16_t>(scale, half_up{});
  }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    const int left = 15 - m.right_shift;
    const std::int32_t p = left >= 0 ? shift_left_saturated(acc, left) : shift_right<half_up>(acc, -left);
    return scaled<rule::single_up>(saturate<std::int16_t>(p), m.mantissa, 15);
  }
};

/// The rndna rule, removed in October 2024: acc * mantissa / 2^right_shift, ties away from zero, wrapped to int32.
struct rndna : rndnu {
  /// The result fits int32.
  static constexpr bool valid(multiplier_type m) noexcept { return rndnu::valid(m); }
  static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return valid(m) && fits<std::int32_t>(scaled<rule::single_away>(acc, m.mantissa, m.right_shift));
  }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    return wrap<std::int32_t>(scaled<rule::single_away>(acc, m.mantissa, m.right_shift));
  }
};

/// The gemmlowp-style rule, removed in October 2024: two roundings as in gemmlowp, but a multiplier of 24 significant bits.
struct gemmlowp {
  using accumulator = std::int32_t;
  using multiplier_type = multiplier32;

  /// mantissa >= 0, right_shift in 31 .. 62.
  static constexpr bool valid(multiplier_type m) noexcept { return m.mantissa >= 0 && detail::shift_within(m, 31, 62); }
  /// The binary32 scale in 31 bits, exact. Too large: 1 and more.
  static constexpr result<multiplier_type> derive(binary32 scale) noexcept {
    const result<multiplier_type> r = derive_from_bits(scale);
    return detail::limit_shift(result<multiplier_type>{{r.value.mantissa * 128, r.value.right_shift + 7}, r.status}, 31, 62);
  }
  static constexpr std::int64_t apply(accumulator acc, multiplier_type m) noexcept {
    return scaled<rule::double_away>(acc, m.mantissa, m.right_shift);
  }
};

/// int8 to int8 conversion (qs8-vcvt): the 8-bit fixed-point ratio of the two scales.
struct convert {
  multiplier32 ratio;  ///< round(256 * fl32(input_scale / output_scale)), ties to even, in 1 .. 32768; right_shift 8
  std::int32_t input_zero_point;
  std::int32_t output_zero_point;

  /// XNNPACK asserts a ratio in 2^-8 .. 128; other ratios get a status.
  static constexpr result<convert> derive(binary32 input_scale, std::int32_t input_zero_point, binary32 output_scale,
                                          std::int32_t output_zero_point) noexcept {
    const binary32 ratio = divide(input_scale, output_scale);
    if (!is_finite(ratio)) return {{{0, 8}, input_zero_point, output_zero_point}, status::scale_not_finite};
    const std::int64_t mantissa = to_integer<half_even>(scale_by_power_of_two(ratio, 8));
    const status s = is_negative(ratio)                                 ? status::scale_negative
                     : less(ratio, binary32{0x1p-8f})                   ? status::scale_too_small
                     : less(binary32{128.0f}, ratio)                    ? status::scale_too_large
                                                                        : status::ok;
    return {{{saturate<std::int32_t>(mantissa), 8}, input_zero_point, output_zero_point}, s};
  }
  /// saturate((x - input_zero_point) * ratio, ties up, + output_zero_point) to int8.
  constexpr std::int8_t operator()(std::int8_t x) const noexcept {
    const std::int64_t y = scaled<rule::single_up>(std::int64_t{x} - input_zero_point, ratio.mantissa, ratio.right_shift);
    return saturate<std::int8_t>(y + output_zero_point);
  }
};

/// int8 addition (qs8-vadd): both ratios to the output scale in 21 bits with one common shift.
struct add {
  std::int32_t a_mantissa;
  std::int32_t b_mantissa;
  std::int32_t right_shift;  ///< 20 - exponent of the larger ratio, 12 .. 30
  std::int32_t a_zero_point;
  std::int32_t b_zero_point;
  output_range range;

  /// Ratios fl32(scale / output_scale), mantissas rounded with ties to even. XNNPACK asserts that the larger ratio is in
  /// 2^-10 .. 2^8; other ratios get a status.
  static constexpr result<add> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale, std::int32_t b_zero_point,
                                      binary32 output_scale, output_range range) noexcept {
    const binary32 a = divide(a_scale, output_scale);
    const binary32 b = divide(b_scale, output_scale);
    add params{0, 0, 0, a_zero_point, b_zero_point, range};
    if (!is_finite(a) || !is_finite(b)) return {params, status::scale_not_finite};
    if (is_negative(a) || is_negative(b)) return {params, status::scale_negative};
    const binary32 larger = less(a, b) ? b : a;
    if (is_zero(larger)) return {params, status::scale_zero};
    params.right_shift = 20 - (decompose(larger).exponent + 63);
    if (params.right_shift < 12) return {params, status::scale_too_large};
    if (params.right_shift > 30) return {params, status::scale_too_small};
    params.a_mantissa = static_cast<std::int32_t>(to_integer<half_even>(scale_by_power_of_two(a, params.right_shift)));
    params.b_mantissa = static_cast<std::int32_t>(to_integer<half_even>(scale_by_power_of_two(b, params.right_shift)));
    return {params, status::ok};
  }
  /// clamp(((a - a_zero_point) * a_mantissa + (b - b_zero_point) * b_mantissa) / 2^right_shift, ties up, + zero_point). |sum| < 2^31.
  constexpr std::int8_t operator()(std::int8_t a, std::int8_t b) const noexcept {
    const std::int64_t sum = (std::int64_t{a} - a_zero_point) * a_mantissa + (std::int64_t{b} - b_zero_point) * b_mantissa;
    const std::int64_t y = clamp(shift_right<half_up>(sum, right_shift) + range.zero_point, range.min, range.max);
    return static_cast<std::int8_t>(y);
  }
};

}  // namespace dyadic::xnnpack
