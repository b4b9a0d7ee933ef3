#pragma once

#include "derivations.hpp"
#include "exact_real.hpp"
#include "integer_schemes.hpp"
#include "wide_integer.hpp"

#include <cstdint>

// Requantization schemes that start from a floating-point scale: XNNPACK, FBGEMM, oneDNN, ONNX, TensorFlow Lite's binary64 path.
// Scales are positive; `min` and `max` bound the stored output.
// Some schemes clamp a floating value to integer bounds before they round. Here the clamp comes after the rounding. The result is
// equal, because rounding is monotonic and leaves integers unchanged.

namespace oracle {

namespace detail {

// clamp( x, min - zp, max - zp ) + zp.
inline std::int32_t clamp_then_move(std::int64_t x, std::int32_t zero_point, std::int32_t min, std::int32_t max) {
  return static_cast<std::int32_t>(clamp(x, min - zero_point, max - zero_point) + zero_point);
}

}  // namespace detail

// ---- XNNPACK; 2^-32 <= scale < 256.
// Source: src/xnnpack/requantization.h, the NEON microkernels of src/qs8-dwconv, src/qs8-vcvt, src/qs8-vadd.

/// p = fl32( fl32(acc) * scale ), clamped; even(p) + zp.
inline std::int32_t xnnpack_fp32(std::int32_t acc, float scale, std::int32_t zero_point, std::int32_t min, std::int32_t max) {
  const real p = fl32(product(fl32(from_integer(acc)), from_float(scale)));
  return detail::clamp_then_move(nearest_even(p), zero_point, min, max);
}

/// clamp( wrap32( up(acc * m24, t) ), min - zp, max - zp ) + zp: the scalar reference.
inline std::int32_t xnnpack_rndnu(std::int32_t acc, float scale, std::int32_t zero_point, std::int32_t min, std::int32_t max) {
  const derived_multiplier d = derive_xnnpack_rndnu(scale);
  return detail::clamp_then_move(wrap32(half_up(acc * d.multiplier, d.shift)), zero_point, min, max);
}

/// sat8( sat16( sat16( up( floor(sat32(acc * 2^a) * m24 * 2^7 / 2^31), b ) ) + zp ) ), then max and min:
/// sh = 126 - biased exponent, b = max(sh, 1), a = b - sh; signed 8-bit output.
inline std::int32_t xnnpack_rndnu_neon(std::int32_t acc, float scale, std::int32_t zero_point, std::int32_t min,
                                       std::int32_t max) {
  const derived_multiplier d = derive_xnnpack_rndnu(scale);
  const int sh = d.shift - 24;
  const int right = sh > 1 ? sh : 1;
  const int left = right - sh;
  const std::int64_t shifted = saturate(scaled_up(std::int64_t{acc}, left), 32);
  const std::int64_t high = saturate(divide_by_power_of_two(shifted * (d.multiplier * 128), 31).whole, 32);
  const std::int64_t moved = saturate(saturate(half_up(high, right), 16) + zero_point, 16);
  return static_cast<std::int32_t>(clamp(saturate(moved, 8), min, max));
}

/// p = sat32(acc * 2^s) or up(acc, -s); u = up( sat16(p) * q, 15 ); clamp( sat16(u + zp), min, max ).
inline std::int32_t xnnpack_rndnu16(std::int32_t acc, float scale, std::int32_t zero_point, std::int32_t min, std::int32_t max) {
  const derived_multiplier d = derive_xnnpack_rndnu16(scale);
  const std::int64_t v = acc;
  const std::int64_t p = d.shift >= 0 ? saturate(scaled_up(v, d.shift), 32) : half_up(v, -d.shift);
  const std::int64_t u = half_up(saturate(p, 16) * d.multiplier, 15);
  return static_cast<std::int32_t>(clamp(saturate(u + zero_point, 16), min, max));
}

/// clamp( wrap32( away(acc * m24, t) ), min - zp, max - zp ) + zp.
inline std::int32_t xnnpack_rndna_removed(std::int32_t acc, float scale, std::int32_t zero_point, std::int32_t min,
                                          std::int32_t max) {
  const derived_multiplier d = derive_xnnpack_rndnu(scale);
  return detail::clamp_then_move(wrap32(half_away(acc * d.multiplier, d.shift)), zero_point, min, max);
}

/// clamp( away( SRDHM32(acc, m24 * 2^7), t - 24 ), min - zp, max - zp ) + zp; scale < 1.
inline std::int32_t xnnpack_gemmlowp_removed(std::int32_t acc, float scale, std::int32_t zero_point, std::int32_t min,
                                             std::int32_t max) {
  const derived_multiplier d = derive_xnnpack_rndnu(scale);
  const std::int64_t high = gemmlowp_srdhm_i32(acc, static_cast<std::int32_t>(d.multiplier * 128));
  return detail::clamp_then_move(half_away(high, d.shift - 24), zero_point, min, max);
}

struct xnnpack_converted {
  std::int32_t multiplier;
  std::int32_t value;
};

/// k = even( 256 * fl32(input scale / output scale) ), 1..32768; sat8( up( zp_out * 256 + k * (x - zp_in), 8 ) ).
inline xnnpack_converted xnnpack_qs8_vcvt(std::int32_t input, float input_scale, std::int32_t input_zero_point,
                                          float output_scale, std::int32_t output_zero_point) {
  const real ratio = fl32(quotient(from_float(input_scale), from_float(output_scale), 24));
  const std::int64_t k = nearest_even(times_power_of_two(ratio, 8));
  const std::int64_t scaled = std::int64_t{output_zero_point} * 256 + k * (input - input_zero_point);
  return {static_cast<std::int32_t>(k), static_cast<std::int32_t>(saturate(half_up(scaled, 8), 8))};
}

struct xnnpack_added {
  std::int32_t a_multiplier;
  std::int32_t b_multiplier;
  std::int32_t shift;
  std::int32_t value;
};

/// The ratios are ra, rb = fl32(scale / output scale); shift = 20 - floor(log2(max(ra, rb))), ka = even(ra * 2^shift), kb
/// likewise. Returns clamp( up( ka * (a - za) + kb * (b - zb), shift ) + zp ) to int8.
inline xnnpack_added xnnpack_qs8_vadd(std::int32_t a, float a_scale, std::int32_t a_zero_point, std::int32_t b, float b_scale,
                                      std::int32_t b_zero_point, float output_scale, std::int32_t output_zero_point) {
  const real ra = fl32(quotient(from_float(a_scale), from_float(output_scale), 24));
  const real rb = fl32(quotient(from_float(b_scale), from_float(output_scale), 24));
  const int log_a = bit_length(ra.significand) + ra.exponent - 1;
  const int log_b = bit_length(rb.significand) + rb.exponent - 1;
  const int shift = 20 - (log_a > log_b ? log_a : log_b);
  const std::int64_t ka = nearest_even(times_power_of_two(ra, shift));
  const std::int64_t kb = nearest_even(times_power_of_two(rb, shift));
  const std::int64_t total = ka * (a - a_zero_point) + kb * (b - b_zero_point);
  const std::int64_t y = saturate(half_up(total, shift) + output_zero_point, 8);
  return {static_cast<std::int32_t>(ka), static_cast<std::int32_t>(kb), shift, static_cast<std::int32_t>(y)};
}

// ---- FBGEMM and PyTorch. Source: include/fbgemm/QuantUtils.h, Quantize and Requantize.

/// clamp( zp + even( fl32( fl32(acc) * multiplier ) ) ); the rounded value has more than 32 bits.
inline std::int32_t fbgemm_float(std::int32_t acc, std::int32_t zero_point, float multiplier, std::int32_t min,
                                 std::int32_t max) {
  const real p = fl32(product(fl32(from_integer(acc)), from_float(multiplier)));
  return static_cast<std::int32_t>(clamp(zero_point + nearest_even(p), min, max));
}

// ---- oneDNN. Source: src/cpu/matmul/ref_matmul_int8.cpp, src/cpu/simple_q10n.hpp.

/// d = fl32(acc), * src, * wei, * fl32(1 / dst), + zp, each rounded to binary32; even( clamp(d, min, max) ).
/// For int32 output `max` is 2147483520, the largest binary32 in the range.
inline std::int32_t onednn_f32(std::int32_t acc, float src_scale, float wei_scale, float dst_scale, std::int32_t dst_zero_point,
                               std::int32_t min, std::int32_t max) {
  const real reciprocal = fl32(quotient(from_integer(1), from_float(dst_scale), 24));
  real d = fl32(from_integer(acc));
  d = fl32(product(d, from_float(src_scale)));
  d = fl32(product(d, from_float(wei_scale)));
  d = fl32(product(d, reciprocal));
  d = fl32(sum(d, from_integer(dst_zero_point)));
  return static_cast<std::int32_t>(clamp(nearest_even(d), min, max));
}

// ---- ONNX. Sources:
// the operators QuantizeLinear and QLinearMatMul.
// the reference evaluator, onnx/reference/ops/op_qlinear_matmul.py.
// ONNX Runtime, onnxruntime/core/mlas/lib/quantize.cpp, MlasRequantizeOutput.

/// QuantizeLinear by the operator text: sat( even( fl32(x / y_scale) ) + zp ); x is not NaN.
inline std::int32_t onnx_quantize_linear(float x, float y_scale, std::int32_t zero_point, std::int32_t min, std::int32_t max) {
  const real ratio = fl32(quotient(from_float(x), from_float(y_scale), 24));
  return static_cast<std::int32_t>(clamp(nearest_even(ratio) + zero_point, min, max));
}

/// The reference evaluator: sat( even( fl32( fl32(x / y_scale) + zp ) ) ); x is not NaN.
inline std::int32_t onnx_quantize_linear_reference(float x, float y_scale, std::int32_t zero_point, std::int32_t min,
                                                   std::int32_t max) {
  const real ratio = fl32(quotient(from_float(x), from_float(y_scale), 24));
  const real moved = fl32(sum(ratio, from_integer(zero_point)));
  return static_cast<std::int32_t>(clamp(nearest_even(moved), min, max));
}

/// ONNX Runtime's MLAS: p = fl32( fl32(acc) * scale ), clamped; even(p) + zp.
inline std::int32_t onnxruntime_mlas(std::int32_t acc, float scale, std::int32_t zero_point, std::int32_t min, std::int32_t max) {
  return xnnpack_fp32(acc, scale, zero_point, min, max);
}

// ---- TensorFlow Lite FULLY_CONNECTED.
// Source: tensorflow/lite/kernels/internal/reference/integer_ops/fully_connected.h, FullyConnectedPerChannel.

/// clamp( half_away( fl64( fl64(acc) * scale ) ) + zp ), scale from tflite_conv_scale_per_channel.
inline std::int32_t tflite_f64(std::int64_t acc, double scale, std::int32_t zero_point, std::int32_t min, std::int32_t max) {
  const real p = fl64(product(fl64(from_integer(acc)), from_double(scale)));
  return static_cast<std::int32_t>(clamp(nearest_away(p) + zero_point, min, max));
}

}  // namespace oracle
