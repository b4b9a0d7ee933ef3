// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The rounding rules of CMSIS-NN (Include/arm_nnsupportfunctions.h), scalar and Helium. Floor 2.
/// CMSIS-NN publishes no derivation. `derive` is TFLite's here, and `executorch::cortex_m` has another derivation.
/// Revision: CMSIS-NN @ 99f736a6.

#include <dyadic/scheme/tflite.hpp>

namespace dyadic::cmsis_nn {

/// arm_nn_divide_by_power_of_two: dividend / 2^exponent, ties away from zero. Requires: 0 <= exponent <= 31.
DYADIC_API constexpr std::int32_t divide_by_power_of_two(std::int32_t dividend, int exponent) noexcept {
  return shift_right<half_away>(dividend, exponent);
}

/// REDUCE_MULTIPLIER: TFLite's 15-bit multiplier.
DYADIC_API constexpr multiplier16 reduce(multiplier32 m) noexcept { return tflite::reduce(m); }

/// arm_nn_requantize, default build: `tflite::double_rounding` with a high multiply that does not saturate. Both rules differ on
/// one input only, acc * 2^l = mantissa = -2^31. CMSIS-NN's documented domain excludes this input; `apply` gives the result of
/// CMSIS-NN's code.
struct double_rounding
    : tflite::detail::signed_q31<formula::preshifted<rounding::double_away, formula::to_int32_high_multiply_wrapped>> {
  /// Returns true if mantissa > -2^31 and TFLite's shift is in -31 .. 30.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept {
    return m.mantissa != int32_min && detail::shift_within(m, 1, 62);
  }
  /// Returns true if no step wraps a number where C leaves the overflow undefined.
  DYADIC_API static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return valid(m) && detail::preshift_fits(acc, detail::split(m.right_shift));
  }
};

/// arm_nn_requantize with CMSIS_NN_USE_SINGLE_ROUNDING: equals TFLite's rule.
struct single_rounding : tflite::single_rounding {};

/// arm_requantize_mve, default build, predicated or not: equals TFLite's rule, saturating high multiply included.
struct mve_double_rounding : tflite::double_rounding {};

/// arm_requantize_mve and its 32x4 form with CMSIS_NN_USE_SINGLE_ROUNDING: equals TFLite's rule on NEON. Its pre-shift wraps one
/// bit earlier than the pre-shift of the scalar build. The exact rule is `single_rounding`.
struct mve_single_rounding : tflite::neon_single_rounding {};

/// arm_requantize_mve_pred with CMSIS_NN_USE_SINGLE_ROUNDING, which nevertheless rounds twice. Let r = max(1, -shift). It
/// computes acc * 2^(shift + r) * mantissa / 2^31, then / 2^r, both with ties up. The tail of a row can therefore differ from its
/// body. The exact rule is `single_rounding`.
struct mve_predicated_single_rounding
    : tflite::detail::longer_preshift<formula::preshifted<rounding::double_up, to_int32_wrapped, 1>> {};

/// arm_nn_requantize_s64: w = floor(acc * mantissa / 2^(right_shift - 1)) wrapped to int32, then (w + 1) / 2, wrapped before the
/// division. Equals `tflite::reduced_int64`, the exact rule, while |result| < 2^30. A larger result has the wrong sign.
struct requantize_s64 : by_formula<formula::wrapped_then_halved> {
  static constexpr int accumulator_bits = 48;  ///< an int48

  /// Returns true if the rule is defined for m.
  DYADIC_API static constexpr bool valid(multiplier_type m) noexcept { return tflite::reduced_int64::valid(m); }
  /// Returns true if acc fits 48 bits and w + 1 fits int32.
  DYADIC_API static constexpr bool valid(accumulator acc, multiplier_type m) noexcept {
    return tflite::reduced_int64::valid(acc, m) && fits<std::int32_t>((acc * m.mantissa >> (m.right_shift - 1)) + 1);
  }
  /// Returns the reduced multiplier of a real scale.
  DYADIC_API static constexpr result<multiplier_type> derive(binary64 scale) noexcept {
    return tflite::reduced_int64::derive(scale);
  }
};

}  // namespace dyadic::cmsis_nn
