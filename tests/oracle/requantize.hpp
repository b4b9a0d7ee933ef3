#pragma once

// The oracle for requantization: every scheme and every derivation, written from its published definition in exact integers. It
// shares no code with the library. Functions have the names of the vector files.

#include "derivations.hpp"
#include "exact_real.hpp"
#include "float_schemes.hpp"
#include "integer_schemes.hpp"
#include "tosa.hpp"
#include "wide_integer.hpp"

#include <cstdint>

namespace oracle {

/// The int16 results of three engines for an int48 accumulator and a real scale.
struct a16w8_engines {
  derived_multiplier tosa;
  tosa_rescaled tosa_result;
  derived_multiplier tflite;
  std::int16_t tflite_result;
  std::int16_t cmsis_result;
};

/// ExecuTorch Arm: RESCALE int48 -> int16 with the 15-bit multiplier. TFLite: Q31 derivation, reduced, clamped.
/// CMSIS-NN: the same multiplier through requantize_s64, clamped.
inline a16w8_engines a16w8_int48_to_i16(std::int64_t acc, double scale) {
  const tosa_rescale_attributes rescale = {48, false, 16, false, false, tosa_rounding::single_round};
  const derived_multiplier tosa = derive_executorch_arm_tosa16(scale);
  const derived_multiplier tflite = derive_tflite_double(scale);
  const std::int32_t q31 = static_cast<std::int32_t>(tflite.multiplier);
  return {tosa, tosa_rescale(rescale, acc, 0, 0, static_cast<std::int32_t>(tosa.multiplier), tosa.shift), tflite,
          saturate16(tflite_reduced_i64(acc, q31, tflite.shift)),
          saturate16(cmsis_requantize_s64(acc, reduce_multiplier_q31_to_q15(q31), tflite.shift))};
}

/// A multiplier, its shift and the result. They are 0 unless the status is ok.
struct a16w8_bias_after {
  tosa_status status;
  std::int64_t multiplier;
  int shift;
  std::int32_t value;
};

/// RESCALE int48 -> int32 by 1.0, int32 addition of the bias, RESCALE int32 -> int16 by bias scale / output scale with
/// the 31-bit multiplier.
/// Source: ExecuTorch, backends/arm, decompose_int16_activation_conv_pass.py.
inline a16w8_bias_after executorch_arm_a16w8_bias_after_int32(std::int64_t acc, std::int32_t bias, double bias_scale,
                                                              double output_scale) {
  const a16w8_bias_after unpredictable = {tosa_status::require, 0, 0, 0};
  const tosa_rescale_attributes narrow = {48, false, 32, false, false, tosa_rounding::single_round};
  const tosa_rescaled plain = tosa_rescale(narrow, acc, 0, 0, 1 << 14, 14);
  if (plain.status != tosa_status::ok) return unpredictable;
  const std::int64_t biased = std::int64_t{plain.value} + bias;
  if (biased != saturate32(biased)) return unpredictable;

  const double scale = to_double(fl64(quotient(from_double(bias_scale), from_double(output_scale), 53)));
  const derived_multiplier d = derive_executorch_arm_tosa32(scale);
  const tosa_rescale_attributes finish = {32, false, 16, false, true, tosa_rounding::single_round};
  const tosa_rescaled y = tosa_rescale(finish, biased, 0, 0, static_cast<std::int32_t>(d.multiplier), d.shift);
  if (d.rejected || y.status != tosa_status::ok) return unpredictable;
  return {tosa_status::ok, d.multiplier, d.shift, y.value};
}

}  // namespace oracle
