// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The sigmoid of TensorFlow Lite (LOGISTIC) and CMSIS-NN. Floor 3.
/// Sources: tflite/kernels/internal/reference/integer_ops/logistic.h, tflite/micro/kernels/logistic_common.cc, CMSIS-NN
/// Source/ActivationFunctions/arm_nn_activation_s16.c.

#include <dyadic/elementwise/fixed_point.hpp>
#include <dyadic/elementwise/sigmoid_table.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic::tflite {

namespace detail {

/// The rule that sigmoid and tanh of int8 share, where d = x - x_zero_point. If |d| is at least the radius, y is the least or the
/// greatest int8. Else y is Function::of(Scheme::apply(d, multiplier)), from Q4 to Q0, rounded to `fraction_bits`, ties away from
/// zero.
template <class Scheme, class Function>
struct q4_activation {
  static constexpr operator_id id = Function::id;                     ///< sigmoid or tanh
  static constexpr int y_fraction_bits = Function::fraction_bits;     ///< the scale of y is 2^-bits
  static constexpr std::int32_t y_zero_point = Function::zero_point;  ///< the zero point of y
  using value_type = std::int8_t;                                     ///< the type of x and y
  using scheme = Scheme;                                              ///< the rule that rescales d to Q4

  std::int32_t x_zero_point;  ///< subtracted from x
  std::int32_t radius;        ///< the function is computed where |d| is below it
  multiplier32 multiplier;    ///< scale of x * 2^27: TFLite's shift is to the left, 0 or more

  /// Derives the kernel's numbers from the scale of x. The multiplier is fl64(x_scale * 2^27), which is exact; the radius is that
  /// of Q4. Returns `scale_too_small` below 2^-28, where TFLite has no radius.
  DYADIC_API static constexpr result<q4_activation> derive(binary32 x_scale, std::int32_t x_zero_point) noexcept {
    q4_activation rule{x_zero_point, 0, {0, 31}};
    if (const status s = check_tensor_scale(x_scale); s != status::ok) return {rule, s};
    rule.multiplier = nearest<std::int32_t>(scale_by_power_of_two(binary64{x_scale}, 27), half_away{}).value;
    const std::int32_t left_shift = to_pair(rule.multiplier).shift;
    if (left_shift < 0) return {rule, status::scale_too_small};
    rule.radius = input_radius(4, left_shift);
    return {rule, check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr std::int8_t operator()(std::int8_t x) const noexcept {
    const std::int32_t d = x - x_zero_point;
    if (d <= -radius) return limits<std::int8_t>::min;
    if (d >= radius) return limits<std::int8_t>::max;
    const std::int32_t y = Function::of(static_cast<std::int32_t>(Scheme::apply(d, multiplier)));
    return saturate<std::int8_t>(gemmlowp::rounding_divide_by_pot(y, 31 - Function::fraction_bits) + Function::zero_point);
  }
  /// Returns `zero_point_out_of_range`, or `multiplier_out_of_range`. Returns `multiplier_out_of_range` for a radius greater than
  /// that of Q4. Up to this radius d * 2^shift < 2^31.
  DYADIC_API friend constexpr status check(const q4_activation& rule) noexcept {
    if (!fits<std::int8_t>(std::int64_t{rule.x_zero_point})) return status::zero_point_out_of_range;
    const std::int32_t left_shift = to_pair(rule.multiplier).shift;
    const bool fit = rule.multiplier.mantissa >= 0 && left_shift >= 0 && rule.radius <= input_radius(4, left_shift);
    return fit ? status::ok : status::multiplier_out_of_range;
  }
};

/// gemmlowp's logistic with 8 bits of fraction: y has the scale 1/256 and the zero point -128.
struct logistic_of_q4 {
  static constexpr operator_id id = operator_id::sigmoid;
  static constexpr int fraction_bits = 8;
  static constexpr std::int32_t zero_point = -128;
  DYADIC_API static constexpr std::int32_t of(std::int32_t x) noexcept { return gemmlowp::logistic<4>(x); }
};

/// The curve has 16 fraction bits of the table and 9 of interpolation, so that 2^25 is 1. y keeps 15 fraction bits.
struct sigmoid_curve {
  static constexpr operator_id id = operator_id::sigmoid;
  static constexpr int argument_bits = 9;
  static constexpr int dropped_bits = 10;
  static constexpr std::int32_t positive = 512;
  static constexpr std::int32_t negative = (1 << 25) + 511;
};

/// LOGISTIC of int16.
struct sigmoid_of_int16 : table_activation<sigmoid_curve> {
  /// Takes the kernel's pair. Multiplier 0 stands for 3 * 2^shift. Any other multiplier goes with a shift to the right.
  DYADIC_API static constexpr sigmoid_of_int16 from_pair(std::int32_t multiplier, std::int32_t shift) noexcept {
    if (multiplier != 0) return {{{multiplier, shift}}};
    return {{{shift >= 0 && shift <= 14 ? 3 * (std::int32_t{1} << shift) : -1, 0}}};  // -1: `check` refuses it
  }
  /// Derives the multiplier 3 for a scale that TFLite takes for 2^-12: it compares logarithms with a tolerance of 1e-3. Derives a
  /// truncated multiplier of 15 bits for any other scale.
  DYADIC_API static constexpr result<sigmoid_of_int16> derive(binary32 x_scale) noexcept {
    if (passes_for_2_to_minus_12(x_scale)) return {from_pair(0, 0), status::ok};
    const result<multiplier32> m = derive_table_multiplier(x_scale);
    return {{{m.value}}, m.status};
  }
};

}  // namespace detail

/// LOGISTIC of int8 and int16.
/// int8: `derive(x_scale, x_zero_point)`. x goes through Q4 in gemmlowp's fixed point. y has the scale 1/256 and the zero point
/// -128. The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.
/// int16: `derive(x_scale)`, or the kernel's own numbers by `from_pair`. The table has 256 entries and 9 bits of interpolation.
/// Beyond the table y is 32767 or 1. y has 15 bits of fraction. At a scale of 2^-12 y differs from the nearest int16 by 1 for
/// 12.8 % of all x. Both functions accept a multiplier up to 65536, as TFLite does. Assertions of TFLM refuse a multiplier above
/// 32767, which is a scale above 2.667.
template <class X, class Scheme = double_rounding>
using sigmoid =
    typename rule_of_int8_or_int16<X, detail::q4_activation<Scheme, detail::logistic_of_q4>, detail::sigmoid_of_int16>::type;

}  // namespace dyadic::tflite

namespace dyadic::cmsis_nn {

/// arm_nn_activation_s16 for a sigmoid of int16: the curve of TFLite's sigmoid, with scales that are powers of two.
struct sigmoid : tflite::detail::table_activation<tflite::detail::sigmoid_curve> {
  /// Returns the rule for a scale of 2^(left_shift - 12), -31 <= left_shift <= 14: 3 * 2^left_shift. A negative shift divides,
  /// ties up.
  DYADIC_API static constexpr sigmoid from_left_shift(std::int32_t left_shift) noexcept {
    if (left_shift < 0) return {{{3, left_shift < -31 ? -1 : -left_shift}}};
    return {{tflite::sigmoid<std::int16_t>::from_pair(0, left_shift).multiplier}};
  }
};

}  // namespace dyadic::cmsis_nn
