#pragma once
/// \file
/// The integer schemes step by step as their publishers write them, over terms of 128 bits, which nothing overflows.
/// No code of the library is used. v is the accumulator, m the mantissa, t the total right shift.
/// `left` and `right` are shifts of engines that multiply by 2^left, take the product over 2^31, and divide by 2^right.

#include <algorithm>

#include "product.hpp"

namespace proof::published {

inline term wide(const term& a) { return extend(a, 128); }
inline int right_of(int t, int least_right = 0) { return std::max(t - 31, least_right); }
inline int left_of(int t, int least_right = 0) { return 31 + right_of(t, least_right) - t; }

/// floor(a / 2^n)
inline term floored(const term& a, int n) { return shift_right(a, n); }
/// (a + 2^(n-1)) >> n: ties towards +infinity.
inline term up(const term& a, int n) { return n == 0 ? a : shift_right(a + power(a.bits(), n - 1), n); }
/// sign(a) * ((|a| + 2^(n-1)) >> n): ties away from zero.
inline term away(const term& a, int n) {
  const term zero = number(a.bits(), 0), c = less(a, zero), y = up(select(c, zero - a, a), n);
  return select(c, zero - y, y);
}

/// gemmlowp's SaturatingRoundingDoublingHighMul in its own steps: a nudge by the sign of the product, then a truncating
/// division by 2^31. The product of two lowest int32s gives the greatest int32.
inline term rounding_high_multiply(const term& a, const term& b) {
  const term p = wide(product(a, b)), zero = number(128, 0);
  const term nudged = p + select(less(p, zero), number(128, 1 - (integer{1} << 30)), power(128, 30));
  const term towards_zero = select(less(nudged, zero), number(128, (integer{1} << 31) - 1), zero);
  const term lowest = number(32, -(integer{1} << 31)), highest = number(32, (integer{1} << 31) - 1);
  return select(equal(a, lowest) & equal(b, lowest), highest, wrapped(floored(nudged + towards_zero, 31), 32));
}
/// gemmlowp's RoundingDivideByPOT in its own steps, in 32 bits: the remainder is compared with a threshold.
inline term rounding_divide(const term& x, int n) {
  const term zero = number(32, 0), one = number(32, 1), mask = number(32, (integer{1} << n) - 1);
  const term threshold = floored(mask, 1) + select(less(x, zero), one, zero);
  return floored(x, n) + select(less(threshold, x & mask), one, zero);
}
/// Arm's VQDMULH: floor(a * b / 2^31), saturated.
inline term truncating_high_multiply(const term& a, const term& b) { return saturated(floored(product(a, b), 31), 32); }
/// CMSIS-NN's arm_nn_doubling_high_mult_no_sat.
inline term high_multiply_unsaturated(const term& a, const term& b) { return wrapped(up(product(a, b), 31), 32); }

/// TFLite's MultiplyByQuantizedMultiplier with two roundings; the pre-shift wraps.
inline term tflite_double(const term& v, const term& m, int t) {
  return rounding_divide(rounding_high_multiply(shift_left(v, left_of(t)), m), right_of(t));
}
/// TFLite's MultiplyByQuantizedMultiplier with TFLITE_SINGLE_ROUNDING.
inline term tflite_single(const term& v, const term& m, int t) { return wrapped(up(wide(product(v, m)), t), 32); }
/// LiteRT on NEON: VSHL, VQRDMULH, VRSHL.
inline term neon_double(const term& v, const term& m, int t) {
  return wrapped(up(wide(rounding_high_multiply(shift_left(v, left_of(t)), m)), right_of(t)), 32);
}
/// LiteRT on NEON with a single rounding: VSHL by one more, VQDMULH, VRSHL.
inline term neon_single(const term& v, const term& m, int t) {
  return wrapped(up(wide(truncating_high_multiply(shift_left(v, left_of(t, 1)), m)), right_of(t, 1)), 32);
}
/// LiteRT's AVX2 helper, with its jump to the greatest int32.
inline term avx2_helper(const term& v, const term& m, int t) {
  const int right = right_of(t);
  const term h = wrapped(floored(product(shift_left(v, left_of(t)), m), 31), 32);
  if (right == 0) return h;
  const integer highest = (integer{1} << 31) - 1;
  return select(less(number(32, highest - (integer{1} << (right - 1))), h), number(32, highest), wrapped(up(wide(h), right), 32));
}
/// CMSIS-NN's arm_nn_requantize.
inline term cmsis_double(const term& v, const term& m, int t) {
  return wrapped(away(wide(high_multiply_unsaturated(shift_left(v, left_of(t)), m)), right_of(t)), 32);
}
/// CMSIS-NN's arm_nn_requantize with CMSIS_NN_USE_SINGLE_ROUNDING: ((v * m >> (t - 1)) + 1) >> 1.
inline term cmsis_single(const term& v, const term& m, int t) {
  return wrapped(floored(floored(wide(product(v, m)), t - 1) + number(128, 1), 1), 32);
}
/// arm_requantize_mve: VSHL, VQRDMULH, a saturating subtraction of 1 if the value is negative and shifted, VRSHL.
inline term mve_double(const term& v, const term& m, int t) {
  const int right = right_of(t);
  const term h = wide(rounding_high_multiply(shift_left(v, left_of(t)), m));
  const term fix = right > 0 ? extend(is_negative(h), 128) : number(128, 0);
  return wrapped(up(clamped(h + fix, 32), right), 32);
}
/// arm_requantize_mve_pred of a build of single rounding, which rounds twice.
inline term mve_predicated_single(const term& v, const term& m, int t) {
  return wrapped(up(wide(rounding_high_multiply(shift_left(v, left_of(t, 1)), m)), right_of(t, 1)), 32);
}
/// TOSA's apply_scale_32 with SINGLE_ROUND.
inline term tosa_single(const term& v, const term& m, int t) { return up(wide(product(v, m)), t); }
/// TOSA's apply_scale_32 with DOUBLE_ROUND: round = 2^(t-1). For t > 31 it adds 2^30, or subtracts it if v is negative.
inline term tosa_double(const term& v, const term& m, int t) {
  const term d = power(128, 30), round = power(128, t - 1);
  const term adjusted = t > 31 ? select(is_negative(v), round - d, round + d) : round;
  return floored(wide(product(v, m)) + adjusted, t);
}
/// XNNPACK's rndnu and rndna, wrapped to int32.
inline term rndnu(const term& v, const term& m, int t) { return wrapped(up(wide(product(v, m)), t), 32); }
inline term rndna(const term& v, const term& m, int t) { return wrapped(away(wide(product(v, m)), t), 32); }
/// XNNPACK's rndnu16, whose 16-bit mantissas are stored in 32 bits. It saturates to int16 first.
inline term rndnu16(const term& v, const term& m, int t) {
  const int n = t - 15;
  const term p = n > 0 ? up(wide(v), n) : saturated(shift_left(wide(v), -n), 32);
  return wrapped(up(product(extend(saturated(p, 16), 32), m), 15), 32);
}
/// Rules of 64-bit accumulators with a single rounding: TFLite with an int64 bias, TOSA's apply_scale_16.
/// @{
inline term reduced_int64(const term& v, const term& m, int t) { return wrapped(up(product(v, m), t), 32); }
inline term tosa_scale16(const term& v, const term& m, int t) { return up(product(v, m), t); }
/// @}
/// CMSIS-NN's arm_nn_requantize_s64, which wraps before the last halving.
inline term cmsis_s64(const term& v, const term& m, int t) {
  const term w = wrapped(floored(product(v, m), t - 1), 32);
  return floored(w + number(32, 1), 1);
}

/// The exact product, rounded once.
/// @{
inline term exact_up(const term& v, const term& m, int t) { return up(wide(product(v, m)), t); }
inline term exact_away(const term& v, const term& m, int t) { return away(wide(product(v, m)), t); }
inline term exact_even(const term& v, const term& m, int t) {
  const term p = wide(product(v, m)), floor = floored(p, t);
  if (t == 0) return p;
  const term rest = p - shift_left(floor, t), half = power(128, t - 1);
  const term is_odd = extract(floor, 0, 0);
  return floor + extend_unsigned(less(half, rest) | (equal(half, rest) & is_odd), 128);
}
/// @}

}  // namespace proof::published
