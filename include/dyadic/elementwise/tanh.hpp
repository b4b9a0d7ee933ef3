// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The hyperbolic tangent of TensorFlow Lite and CMSIS-NN. Floor 3.
/// Sources: tflite/kernels/internal/reference/integer_ops/tanh.h, tflite/micro/kernels/tanh.cc, CMSIS-NN
/// Source/ActivationFunctions/arm_nn_activation_s16.c.

#include <dyadic/elementwise/sigmoid.hpp>

namespace dyadic::tflite {

namespace detail {

/// gemmlowp's tanh with 7 bits of fraction: y has the scale 1/128 and the zero point 0.
struct tanh_of_q4 {
  static constexpr operator_id id = operator_id::tanh;
  static constexpr int fraction_bits = 7;
  static constexpr std::int32_t zero_point = 0;
  DYADIC_API static constexpr std::int32_t of(std::int32_t x) noexcept { return gemmlowp::tanh<4>(x); }
};

/// tanh(x) = 2 * sigmoid(2 * x) - 1. The index into the table of sigmoids grows twice as fast as for a sigmoid. The value 2^23 is
/// a sigmoid of 1/2, with 8 bits of interpolation, and gives tanh 0.
struct tanh_curve {
  static constexpr operator_id id = operator_id::tanh;
  static constexpr int argument_bits = 8;
  static constexpr int dropped_bits = 8;
  static constexpr std::int32_t positive = 128 - (1 << 23);
  static constexpr std::int32_t negative = (1 << 23) + 127;
};

/// TANH of int16.
struct tanh_of_int16 : table_activation<tanh_curve> {
  /// Takes the kernel's pair, as `sigmoid` does.
  DYADIC_API static constexpr tanh_of_int16 from_pair(std::int32_t multiplier, std::int32_t shift) noexcept {
    return {{sigmoid_of_int16::from_pair(multiplier, shift).multiplier}};
  }
  /// Derives the multiplier as `sigmoid` does, but 6 for a scale that TFLite takes for 2^-11.
  DYADIC_API static constexpr result<tanh_of_int16> derive(binary32 x_scale) noexcept {
    if (passes_for_2_to_minus_11(x_scale)) return {from_pair(0, 1), status::ok};
    const result<sigmoid_of_int16> r = sigmoid_of_int16::derive(x_scale);
    return {{{r.value.multiplier}}, r.status};
  }
};

}  // namespace detail

/// TANH of int8 and int16.
/// int8: `derive(x_scale, x_zero_point)`. The rule is that of `sigmoid` with gemmlowp's tanh. y has the scale 1/128 and the zero
/// point 0.
/// int16: `derive(x_scale)`, or the kernel's own numbers by `from_pair`. The table is that of `sigmoid`, with 8 bits of
/// interpolation. Beyond the table y is 32767 or -32767. y has 15 bits of fraction. At a scale of 2^-12 y differs from the
/// nearest int16 by 1 for 27.7 % of all x.
template <class X, class Scheme = double_rounding>
using tanh = typename rule_of_int8_or_int16<X, detail::q4_activation<Scheme, detail::tanh_of_q4>, detail::tanh_of_int16>::type;

}  // namespace dyadic::tflite

namespace dyadic::cmsis_nn {

/// arm_nn_activation_s16 for a tanh of int16: the curve of TFLite's tanh, with scales that are powers of two.
struct tanh : tflite::detail::table_activation<tflite::detail::tanh_curve> {
  /// Returns the rule for a scale of 2^(left_shift - 12), as `sigmoid` does.
  DYADIC_API static constexpr tanh from_left_shift(std::int32_t left_shift) noexcept {
    return {{sigmoid::from_left_shift(left_shift).multiplier}};
  }
};

}  // namespace dyadic::cmsis_nn
