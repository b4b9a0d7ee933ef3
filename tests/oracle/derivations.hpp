#pragma once

#include "exact_real.hpp"
#include "integer_schemes.hpp"
#include "wide_integer.hpp"

#include <cstdint>

// Derives the integers that a project stores from a real scale. Scales are finite. Let scale = f * 2^e, f in [0.5, 1). Most rules
// round f * 2^31 (or 2^15). They differ in the rounding and at the ends of the range.

namespace oracle {

/// `shift` has the sign convention of its project. `rejected`: the project asserts, and both numbers are 0.
struct derived_multiplier {
  std::int64_t multiplier;
  int shift;
  bool rejected;
};

namespace detail {

constexpr derived_multiplier rejected_scale = {0, 0, true};

// Returns e of scale = f * 2^e, f in [0.5, 1). Requires: not zero.
inline int binary_exponent(real scale) { return bit_length(scale.significand) + scale.exponent; }

// Rounds f * 2^bits by `round`; the shift is e. A result of 2^bits becomes 2^(bits-1) with e + 1; -2^bits stays.
template <class Round>
inline derived_multiplier rounded_fraction(real scale, int bits, Round round) {
  const wide significand = static_cast<wide>(scale.significand);
  const wide whole = wide{1} << bits;
  wide multiplier = round(scale.negative ? -significand : significand, bit_length(scale.significand) - bits);
  int exponent = binary_exponent(scale);
  if (multiplier == whole) {
    multiplier = whole / 2;
    ++exponent;
  }
  return {static_cast<std::int64_t>(multiplier), exponent, false};
}

}  // namespace detail

// ---- TensorFlow Lite; left-positive.
// Source: tensorflow/lite/kernels/internal/quantization_util.cc, QuantizeMultiplier;
// tensorflow/lite/kernels/kernel_util.cc, GetQuantizedConvolutionMultipler and PopulateConvolutionQuantizationParams.

/// QuantizeMultiplier: half away, e < -31 gives (0, 0), no upper limit.
inline derived_multiplier derive_tflite_double(double scale) {
  const real value = from_double(scale);
  if (value.significand == 0) return {0, 0, false};
  const derived_multiplier d = detail::rounded_fraction(value, 31, half_away<wide>);
  return d.shift < -31 ? derived_multiplier{0, 0, false} : d;
}

/// The single-rounding build: as derive_tflite_double, but e > 30 gives (2^31 - 1, 30).
inline derived_multiplier derive_tflite_single(double scale) {
  const derived_multiplier d = derive_tflite_double(scale);
  return d.shift > 30 ? derived_multiplier{int32_highest, 30, false} : d;
}

/// TFLITE_EMULATE_FLOAT in a default build: ties toward zero, otherwise as derive_tflite_double.
inline derived_multiplier derive_tflite_emulate_float(double scale) {
  const real value = from_double(scale);
  if (value.significand == 0) return {0, 0, false};
  const derived_multiplier d = detail::rounded_fraction(value, 31, half_toward_zero<wide>);
  return d.shift < -31 ? derived_multiplier{0, 0, false} : d;
}

/// The real scale of per-tensor convolution: double( fl32(in * filter) ) / double(out).
inline double tflite_conv_scale_per_tensor(float input_scale, float filter_scale, float output_scale) {
  const real inputs = fl32(product(from_float(input_scale), from_float(filter_scale)));
  return to_double(fl64(quotient(inputs, from_float(output_scale), 53)));
}

/// The real scale of per-channel convolution: double(in) * double(filter) / double(out).
inline double tflite_conv_scale_per_channel(float input_scale, float filter_scale, float output_scale) {
  const real inputs = fl64(product(from_float(input_scale), from_float(filter_scale)));
  return to_double(fl64(quotient(inputs, from_float(output_scale), 53)));
}

// ---- ExecuTorch. Sources:
// backends/arm/tosa/quant_utils.py, compute_multiplier_and_shift.
// backends/cortex_m/passes/passes_utils.py.
// backends/cadence/aot/quantizer/utils.py, quantize_tensor_multiplier.

namespace detail {

// Half even of f * 2^bits, t = bits - e; t > 62 truncates the multiplier. The source asserts t >= 2 and a scale that is not
// negative.
inline derived_multiplier executorch_arm(double scale, int bits) {
  const real value = from_double(scale);
  if (value.significand == 0) return {0, bits, false};
  if (value.negative) return rejected_scale;
  const derived_multiplier d = rounded_fraction(value, bits, half_even<wide>);
  const int shift = bits - d.shift;
  if (shift < 2) return rejected_scale;
  if (shift <= 62) return {d.multiplier, shift, false};
  const int lost = shift - 62 < 31 ? shift - 62 : 31;
  return {d.multiplier >> lost, 62, false};
}

}  // namespace detail

/// ExecuTorch Arm for scale32: right-positive, t = 31 - e.
inline derived_multiplier derive_executorch_arm_tosa32(double scale) { return detail::executorch_arm(scale, 31); }

/// ExecuTorch Arm for scale16: right-positive, t = 15 - e.
inline derived_multiplier derive_executorch_arm_tosa16(double scale) { return detail::executorch_arm(scale, 15); }

/// ExecuTorch Cortex-M: half even, left-positive, no limits.
inline derived_multiplier derive_executorch_cortex_m(double scale) {
  const real value = from_double(scale);
  if (value.significand == 0) return {0, 0, false};
  return detail::rounded_fraction(value, 31, half_even<wide>);
}

/// ExecuTorch Cadence: half away of a binary32, left-positive, no limits.
inline derived_multiplier derive_executorch_cadence(float scale) {
  const real value = from_float(scale);
  if (value.significand == 0) return {0, 0, false};
  return detail::rounded_fraction(value, 31, half_away<wide>);
}

// ---- Vela; right-positive. Source: ethosu/vela/scaling.py.

/// quantise_scale: half away, 2^31 is kept, t = 31 - e, t outside 0..63 gives (0, 16); scale >= 0.
inline derived_multiplier derive_vela_scale32(double scale) {
  const real value = from_double(scale);
  if (value.significand == 0) return {0, 31, false};
  if (value.negative) return detail::rejected_scale;
  const wide multiplier = half_away(static_cast<wide>(value.significand), bit_length(value.significand) - 31);
  const int shift = 31 - detail::binary_exponent(value);
  if (shift < 0 || shift > 63) return {0, 16, false};
  return {static_cast<std::int64_t>(multiplier), shift, false};
}

/// The reduced form: (m + 2^15) / 2^16 rounded down, 32767 if m >= 32767 * 2^16, t - 16.
inline derived_multiplier derive_vela_reduced_int16(double scale) {
  const derived_multiplier d = derive_vela_scale32(scale);
  if (d.rejected) return d;
  const std::int64_t reduced = d.multiplier < 32767 * 65536LL ? static_cast<std::int64_t>(half_up(d.multiplier, 16)) : 32767;
  return {reduced, d.shift - 16, false};
}

// ---- FBGEMM; right-positive, includes the 31. Source: src/QuantUtils.cc, ChooseRequantizationMultiplier.

/// f * 2^31, exact for a binary32, R = 31 - e in 0..63.
inline derived_multiplier derive_fbgemm_fixed(float scale) {
  const real value = from_float(scale);
  if (value.significand == 0 || value.negative) return detail::rejected_scale;
  const derived_multiplier d = detail::rounded_fraction(value, 31, half_even<wide>);
  const int right_shift = 31 - d.shift;
  if (right_shift < 0 || right_shift > 63) return detail::rejected_scale;
  return {d.multiplier, right_shift, false};
}

// ---- XNNPACK; 2^-32 <= scale < 256. Source: src/xnnpack/requantization.h, src/microparams-init.c.

/// The binary32 significand in [2^23, 2^24) and t = 150 - biased exponent in 16..55, right-positive.
inline derived_multiplier derive_xnnpack_rndnu(float scale) {
  const real value = from_float(scale);
  const bool normal = bit_length(value.significand) == 24;
  if (value.negative || !normal || value.exponent < -55 || value.exponent > -16) return detail::rejected_scale;
  return {static_cast<std::int64_t>(value.significand), -value.exponent, false};
}

/// q = up(m24, 9) in [2^14, 2^15), and the left pre-shift e + 1, e the unbiased exponent.
inline derived_multiplier derive_xnnpack_rndnu16(float scale) {
  const derived_multiplier d = derive_xnnpack_rndnu(scale);
  if (d.rejected) return d;
  const int unbiased = 23 - d.shift;
  const wide q = half_up(d.multiplier, 9);
  if (q == 32768) return {16384, unbiased + 2, false};
  return {static_cast<std::int64_t>(q), unbiased + 1, false};
}

// ---- TOSA average pool. Source: TOSA specification, reciprocal_scale.

/// reciprocal_scale: k = 32 - clz32(n - 1), m = floor( (2^30 + 1) * 2^k / n ), t = 30 + k; n >= 1.
inline derived_multiplier tosa_reciprocal_scale(std::uint32_t n) {
  if (n == 0) return detail::rejected_scale;
  const int k = bit_length(n - 1);
  const wide dividend = scaled_up((wide{1} << 30) + 1, k);
  return {static_cast<std::int64_t>(dividend / n), 30 + k, false};
}

}  // namespace oracle
