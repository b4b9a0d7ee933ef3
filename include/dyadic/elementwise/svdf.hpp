// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// The arithmetic of SVDF with int8 activations, as TensorFlow Lite Micro (TFLM) and CMSIS-NN compute it. Floor 3.
/// Sources: tflite/micro/kernels/svdf_common.cc, CMSIS-NN Source/SVDFunctions/{arm_svdf_s8.c, arm_svdf_state_s16_s8.c}.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scale.hpp>
#include <dyadic/scheme/cmsis_nn.hpp>

namespace dyadic {

/// An SVDF of either engine, with a state of int8 or int16. M is the scheme.
///   `remember`: state = clamp(M(acc), state_range.min, state_range.max) + state_range.zero_point, acc = sum w (x - zero point).
///     The sum wraps in State: the engine clamps *before* it adds the zero point.
///   `output`: y = clamp(M(acc) + range.zero_point, range.min, range.max), acc = sum w (state - zero point) + bias.
/// Both accumulators are int32.
template <class State, class Scheme, allowed_zero_points Allowed>
struct svdf_rule {
  static_assert(detail::is_one_of<State, std::int8_t, std::int16_t>, "the state of an SVDF is int8 or int16");
  using value_type = std::int8_t;  ///< the type of x and y
  using state_type = State;        ///< the type of the state
  using scheme = Scheme;           ///< the rule of both rescales

  multiplier32 feature;      ///< scale of x * scale of the feature weights / scale of the state
  multiplier32 time;         ///< scale of the state * scale of the time weights / scale of y
  output_range state_range;  ///< the state's bounds, and its zero point, which the bounds do not include
  output_range range;        ///< range of y

  /// Derives the multipliers as TFLM's Prepare does: QuantizeMultiplier of fl32(fl32(a * b) / c). Returns the status of a scale
  /// that is not positive and finite or of a multiplier, else the status of `check`.
  DYADIC_API static constexpr result<svdf_rule> derive(binary32 x_scale, binary32 feature_scale, binary32 state_scale,
                                                       std::int32_t state_zero_point, binary32 time_scale, binary32 y_scale,
                                                       output_range range) noexcept {
    svdf_rule rule{{}, {}, range_of<State>(state_zero_point), range};
    if (const status s = check_tensor_scales(x_scale, feature_scale, state_scale); s != status::ok) return {rule, s};
    if (const status s = check_tensor_scales(time_scale, time_scale, y_scale); s != status::ok) return {rule, s};
    const auto feature = Scheme::derive(float_scale(x_scale, feature_scale, state_scale));
    const auto time = Scheme::derive(float_scale(state_scale, time_scale, y_scale));
    rule.feature = feature.value;
    rule.time = time.value;
    const status first = feature.status != status::ok ? feature.status : time.status;
    return {rule, first != status::ok ? first : check(rule)};
  }
  /// Returns the newest entry of the state. Requires: what `check` tests.
  DYADIC_API constexpr State remember(std::int32_t acc) const noexcept {
    const std::int64_t v = clamp(Scheme::apply(acc, feature), state_range.min, state_range.max);
    return wrap<State>(v + state_range.zero_point);
  }
  /// Returns y of one unit.
  DYADIC_API constexpr std::int8_t output(std::int32_t acc) const noexcept {
    return static_cast<std::int8_t>(dyadic::requantize<Scheme>(acc, time, range));
  }
  /// Returns the first error in the numbers: a range or its zero point, a zero point of the state that the engine does not have,
  /// or a multiplier.
  DYADIC_API friend constexpr status check(const svdf_rule& rule) noexcept {
    if (const status s = check_range<State>(rule.state_range); s != status::ok) return s;
    if (const status s = check_range<std::int8_t>(rule.range); s != status::ok) return s;
    if (Allowed == allowed_zero_points::output_only && rule.state_range.zero_point != 0) return status::zero_point_out_of_range;
    return Scheme::valid(rule.feature) && Scheme::valid(rule.time) ? status::ok : status::multiplier_out_of_range;
  }
  /// Returns true if no entry of the state wraps: its bounds plus its zero point are values of State.
  DYADIC_API constexpr bool keeps_state() const noexcept {
    return fits<State>(std::int64_t{state_range.min} + state_range.zero_point) &&
           fits<State>(std::int64_t{state_range.max} + state_range.zero_point);
  }
};

namespace tflite {
/// SVDF of TFLM. The bounds of the state are those of its type: with a zero point other than 0 an entry may wrap, and `check` of
/// the layer returns `accumulator_overflow`. The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING. TFLM reads
/// the scale of the bias also where there is no bias.
template <class State, class Scheme = double_rounding>
using svdf = svdf_rule<State, Scheme, allowed_zero_points::any>;
}  // namespace tflite

namespace cmsis_nn {
/// arm_svdf_s8 and arm_svdf_state_s16_s8: the state has bounds of the caller and the zero point 0. The scheme is
/// `single_rounding` for a build with CMSIS_NN_USE_SINGLE_ROUNDING. The caller's input_offset is the zero point of x, not its
/// negative.
template <class State, class Scheme = double_rounding>
using svdf = svdf_rule<State, Scheme, allowed_zero_points::output_only>;
}  // namespace cmsis_nn

}  // namespace dyadic
