#pragma once

#include "wide_integer.hpp"

#include <cstdint>

// Requantization schemes whose multiplier is an integer. Names, argument order and shift signs are those of the columns in the
// vector files. `shift` and `exponent` count to the left, `right_shift` counts to the right.

namespace oracle {

// ---- One rounding of the real product: a definition, no publisher.

namespace detail {

// Returns acc * mantissa * 2^-right_shift, rounded once by `round` and saturated to [-2^62, 2^62 - 1].
template <class Round>
inline std::int64_t exact(std::int64_t acc, std::int64_t mantissa, int right_shift, Round round) {
  const wide product = wide{acc} * mantissa;
  if (right_shift >= 0) return static_cast<std::int64_t>(saturate(round(product, right_shift), 63));
  // A left shift of more than 63 gives what 63 gives, because the product is saturated. The limit keeps the next line from
  // overflowing.
  const int left_shift = right_shift < -63 ? 63 : -right_shift;
  return static_cast<std::int64_t>(saturate(scaled_up(saturate(product, 63), left_shift), 63));
}

}  // namespace detail

/// acc * mantissa * 2^-right_shift, ties up, any operands.
inline std::int64_t exact_half_up(std::int64_t acc, std::int64_t mantissa, int right_shift) {
  return detail::exact(acc, mantissa, right_shift, half_up<wide>);
}

/// acc * mantissa * 2^-right_shift, ties away from zero, any operands.
inline std::int64_t exact_half_away(std::int64_t acc, std::int64_t mantissa, int right_shift) {
  return detail::exact(acc, mantissa, right_shift, half_away<wide>);
}

/// acc * mantissa * 2^-right_shift, ties to even, any operands.
inline std::int64_t exact_half_even(std::int64_t acc, std::int64_t mantissa, int right_shift) {
  return detail::exact(acc, mantissa, right_shift, half_even<wide>);
}

// ---- gemmlowp. Source: fixedpoint/fixedpoint.h, SaturatingRoundingDoublingHighMul and RoundingDivideByPOT.

/// SRDHM32(a, b): 2ab / 2^32, ties up, MIN * MIN saturates.
inline std::int32_t gemmlowp_srdhm_i32(std::int32_t a, std::int32_t b) { return saturate32(half_up(std::int64_t{a} * b, 31)); }

/// SRDHM16(a, b): 2ab / 2^16, ties up, MIN * MIN saturates.
inline std::int16_t gemmlowp_srdhm_i16(std::int16_t a, std::int16_t b) { return saturate16(half_up(std::int64_t{a} * b, 15)); }

/// RDBP(x, e) = away(x, e), 0 <= e <= 31.
inline std::int32_t gemmlowp_rounding_divide_by_pot_i32(std::int32_t x, int exponent) {
  return static_cast<std::int32_t>(half_away(std::int64_t{x}, exponent));
}

/// RDBP(x, e) = away(x, e), 0 <= e <= 15.
inline std::int16_t gemmlowp_rounding_divide_by_pot_i16(std::int16_t x, int exponent) {
  return static_cast<std::int16_t>(half_away(std::int64_t{x}, exponent));
}

// ---- TensorFlow Lite and ruy. Sources:
// tensorflow/lite/kernels/internal/common.cc, MultiplyByQuantizedMultiplier.
// optimized/optimized_ops.h (NEON) and optimized/avx2_quantization_utils.h.
// ruy/apply_multiplier.cc and ruy/kernel_avx2_fma.cc.

/// away( SRDHM32( wrap32(acc * 2^l), m ), r ), l = max(s, 0), r = max(-s, 0); m may have either sign.
/// The wrap happens only outside the published contract.
inline std::int32_t tflite_double(std::int32_t acc, std::int32_t multiplier, int shift) {
  const int left = shift > 0 ? shift : 0;
  const int right = shift > 0 ? 0 : -shift;
  const std::int32_t high = gemmlowp_srdhm_i32(wrapping_left_shift(acc, left), multiplier);
  return gemmlowp_rounding_divide_by_pot_i32(high, right);
}

/// up( acc * m, 31 - s ), wrapped to int32 as a release build does.
inline std::int32_t tflite_single(std::int32_t acc, std::int32_t multiplier, int shift) {
  return wrap32(half_up(std::int64_t{acc} * multiplier, 31 - shift));
}

/// Q31 to Q15: m / 2^16, ties up, 32767 from 0x7FFF0000 on; m >= 0.
inline std::int32_t reduce_multiplier_q31_to_q15(std::int32_t multiplier) {
  return multiplier < 0x7FFF0000 ? static_cast<std::int32_t>(half_up(std::int64_t{multiplier}, 16)) : 0x7FFF;
}

/// up( acc * m16, 15 - s ), wrapped to int32; acc is int48, the multiplier is given as Q31.
inline std::int32_t tflite_reduced_i64(std::int64_t acc, std::int32_t multiplier, int shift) {
  return wrap32(half_up(wide{acc} * reduce_multiplier_q31_to_q15(multiplier), 15 - shift));
}

/// up( SRDHM32( wrap32(acc * 2^l), m ), r ), l = max(s, 0), r = max(-s, 0): VSHL, VQRDMULH, VRSHL.
inline std::int32_t tflite_neon_double(std::int32_t acc, std::int32_t multiplier, int shift) {
  const int left = shift > 0 ? shift : 0;
  const int right = shift > 0 ? 0 : -shift;
  const std::int64_t high = gemmlowp_srdhm_i32(wrapping_left_shift(acc, left), multiplier);
  return static_cast<std::int32_t>(half_up(high, right));
}

/// r = max(1, -s), l = s + r: up( satdouble( wrap32(acc * 2^l), m ), r ), satdouble = VQDMULH, a floor.
inline std::int32_t tflite_neon_single(std::int32_t acc, std::int32_t multiplier, int shift) {
  const int right = -shift > 1 ? -shift : 1;
  const int left = shift + right;
  const std::int64_t product = std::int64_t{wrapping_left_shift(acc, left)} * multiplier;
  const std::int64_t high = saturate(divide_by_power_of_two(product, 31).whole, 32);
  return static_cast<std::int32_t>(half_up(high, right));
}

/// h = wrap32( floor(wrap32(acc * 2^l) * m / 2^31) ); h, or up(h, r) with a wrong saturation for large h.
inline std::int32_t tflite_avx2(std::int32_t acc, std::int32_t multiplier, int shift) {
  const int left = shift > 0 ? shift : 0;
  const int right = shift > 0 ? 0 : -shift;
  const std::int64_t product = std::int64_t{wrapping_left_shift(acc, left)} * multiplier;
  const std::int64_t high = wrap32(divide_by_power_of_two(product, 31).whole);
  if (right == 0) return static_cast<std::int32_t>(high);
  if (high > int32_highest - (std::int64_t{1} << (right - 1))) return static_cast<std::int32_t>(int32_highest);
  return static_cast<std::int32_t>(half_up(high, right));
}

/// up( acc * m, 31 - e ), wrapped to int32: ruy's reference and Arm kernels.
inline std::int32_t ruy_reference(std::int32_t acc, std::int32_t multiplier, int exponent) {
  return wrap32(half_up(std::int64_t{acc} * multiplier, 31 - exponent));
}

/// ruy's AVX, AVX2 and AVX-512 kernels before the cast to the destination: as tflite_neon_double.
inline std::int32_t ruy_x86_simd(std::int32_t acc, std::int32_t multiplier, int exponent) {
  const int left = exponent > 0 ? exponent : 0;
  const int right = exponent > 0 ? 0 : -exponent;
  const std::int64_t shifted = wrapping_left_shift(acc, left);
  const std::int64_t high = saturate(half_up(shifted * multiplier, 31), 32);
  return static_cast<std::int32_t>(half_up(high, right));
}

/// ruy_x86_simd with an int16 destination and zero point 0.
inline std::int16_t ruy_x86_simd_i16(std::int32_t acc, std::int32_t multiplier, int exponent) {
  return saturate16(ruy_x86_simd(acc, multiplier, exponent));
}

// ---- CMSIS-NN. Source: Include/arm_nnsupportfunctions.h, arm_nn_requantize, arm_requantize_mve, arm_nn_requantize_s64.

/// away(dividend, e), 0 <= e <= 31.
inline std::int32_t cmsis_divide_by_power_of_two(std::int32_t dividend, int exponent) {
  return static_cast<std::int32_t>(half_away(std::int64_t{dividend}, exponent));
}

/// tflite_double with a high multiply that wraps at MIN * MIN instead of saturating.
inline std::int32_t cmsis_double(std::int32_t acc, std::int32_t multiplier, int shift) {
  const int left = shift > 0 ? shift : 0;
  const int right = shift > 0 ? 0 : -shift;
  const std::int32_t high = wrap32(half_up(std::int64_t{wrapping_left_shift(acc, left)} * multiplier, 31));
  return cmsis_divide_by_power_of_two(high, right);
}

/// ( floor(acc * m / 2^(30 - s)) + 1 ) / 2 rounded down, wrapped to int32.
inline std::int32_t cmsis_single(std::int32_t acc, std::int32_t multiplier, int shift) {
  const std::int64_t product = std::int64_t{acc} * multiplier;
  const int before_last = 30 - shift;
  const std::int64_t doubled =
      before_last > 0 ? divide_by_power_of_two(product, before_last).whole : scaled_up(product, -before_last);
  return wrap32(divide_by_power_of_two(doubled + 1, 1).whole);
}

/// VSHL (wraps), VQRDMULH, -1 on negative lanes when r > 0 (saturating), VRSHL.
inline std::int32_t cmsis_mve_double(std::int32_t acc, std::int32_t multiplier, int shift) {
  const int left = shift > 0 ? shift : 0;
  const int right = shift > 0 ? 0 : -shift;
  std::int64_t high = saturate(half_up(std::int64_t{wrapping_left_shift(acc, left)} * multiplier, 31), 32);
  if (right > 0 && high < 0) high = saturate(high - 1, 32);
  return static_cast<std::int32_t>(half_up(high, right));
}

/// arm_requantize_mve in a single-rounding build: tflite_neon_single.
inline std::int32_t cmsis_mve_single(std::int32_t acc, std::int32_t multiplier, int shift) {
  return tflite_neon_single(acc, multiplier, shift);
}

/// up( SRDHM32( wrap32(acc * 2^l), m ), r ), r = max(1, -s), l = s + r: the predicated tail rounds twice.
inline std::int32_t cmsis_mve_single_predicated(std::int32_t acc, std::int32_t multiplier, int shift) {
  const int right = -shift > 1 ? -shift : 1;
  const int left = shift + right;
  const std::int64_t high = gemmlowp_srdhm_i32(wrapping_left_shift(acc, left), multiplier);
  return static_cast<std::int32_t>(half_up(high, right));
}

/// w = wrap32( floor(acc * m16 / 2^(14 - s)) ). Returns wrap32(w + 1) / 2 rounded down. acc is int48, m16 is Q15.
inline std::int32_t cmsis_requantize_s64(std::int64_t acc, std::int32_t reduced_multiplier, int shift) {
  const wide product = wide{acc} * reduced_multiplier;
  const int before_last = 14 - shift;
  const wide doubled = before_last > 0 ? divide_by_power_of_two(product, before_last).whole : scaled_up(product, -before_last);
  const std::int64_t next = wrap32(std::int64_t{wrap32(doubled)} + 1);
  return static_cast<std::int32_t>(divide_by_power_of_two(next, 1).whole);
}

// ---- FBGEMM. Source: include/fbgemm/QuantUtils.h, Requantize.

/// clamp( zp + up(acc * m, R) ), right_shift includes the 31; R >= 1.
inline std::int32_t fbgemm_fixed(std::int32_t acc, std::int32_t zero_point, std::int32_t multiplier, int right_shift,
                                 std::int32_t min, std::int32_t max) {
  const std::int64_t rounded = half_up(std::int64_t{acc} * multiplier, right_shift);
  return static_cast<std::int32_t>(clamp(rounded + zero_point, min, max));
}

}  // namespace oracle
