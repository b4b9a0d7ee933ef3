// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Addition and subtraction as the engines compute them. XNNPACK's int8 addition, of one rounding, is in scheme/xnnpack.hpp.
/// Floor 3.
/// Sources: tflite/micro/kernels/{add,sub}_common.cc, tflite/kernels/internal/reference/{integer_ops/add.h, add.h, sub.h},
/// CMSIS-NN Source/BasicMathFunctions, ExecuTorch backends/arm/_passes/insert_rescales_pass.py and
/// backends/cortex_m/passes/aten_to_cortex_m_pass.py.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/cmsis_nn.hpp>
#include <dyadic/scheme/executorch.hpp>
#include <dyadic/scheme/xnnpack.hpp>

namespace dyadic {

/// The sum of two rescaled operands.
struct sum_of {
  static constexpr operator_id id = operator_id::add;  ///< the rule's operator
  static constexpr bool is_product = false;            ///< not a product
  static constexpr bool is_difference = false;         ///< not a - b
  /// Returns a + b.
  DYADIC_API static constexpr std::int64_t apply(std::int64_t a, std::int64_t b) noexcept { return a + b; }
  /// Returns the bounds of `apply`.
  DYADIC_API static constexpr detail::bounds of(detail::bounds a, detail::bounds b) noexcept {
    return {apply(a.low, b.low), apply(a.high, b.high)};
  }
};
/// The difference of two rescaled operands.
struct difference_of {
  static constexpr operator_id id = operator_id::subtract;  ///< the rule's operator
  static constexpr bool is_product = false;                 ///< not a product
  static constexpr bool is_difference = true;               ///< a - b
  /// Returns a - b.
  DYADIC_API static constexpr std::int64_t apply(std::int64_t a, std::int64_t b) noexcept { return a - b; }
  /// Returns the bounds of `apply`.
  DYADIC_API static constexpr detail::bounds of(detail::bounds a, detail::bounds b) noexcept {
    return {apply(a.low, b.high), apply(a.high, b.low)};
  }
};

/// An operand of a sum, and its multiplier to the scale that both operands share.
template <class Scheme>
struct summand {
  std::int32_t zero_point;                      ///< subtracted from the stored value
  typename Scheme::multiplier_type multiplier;  ///< rescales the operand to the common scale
};

namespace detail {

/// Returns scheme((x - zero_point) * 2^left_shift, multiplier). The shifted difference and the result are modulo 2^32.
template <class X, class Scheme>
DYADIC_API constexpr std::int32_t rescaled(X x, const summand<Scheme>& operand, std::int32_t left_shift) noexcept {
  const std::int64_t shifted = shift_left_wrapped(std::int64_t{x} - operand.zero_point, left_shift);
  return wrap<std::int32_t>(Scheme::apply(wrap<std::int32_t>(shifted), operand.multiplier));
}

}  // namespace detail

/// The addition of every engine but XNNPACK: y = clamp(scheme(a' + b', multiplier) + zero_point of y, min, max), or a' - b'. A
/// rescaled operand is x' = scheme((x - zero_point) * 2^left_shift, multiplier of x). All three rescales round ties as the scheme
/// does. Each step is an int32, modulo 2^32 where it does not fit. `check` says whether a step can leave int32.
template <class X, class Scheme, class Operation, allowed_zero_points Allowed>
struct rescaled_sum {
  static_assert(is_element<X>, "int8, uint8 and int16 are added");
  static constexpr operator_id id = Operation::id;             ///< add or subtract
  using value_type = X;                                        ///< the type of both operands and of the output
  using scheme = Scheme;                                       ///< the rule of the three rescales
  using operation = Operation;                                 ///< a sum or a difference
  using multiplier_type = typename Scheme::multiplier_type;    ///< the multiplier of the scheme
  static constexpr allowed_zero_points zero_points = Allowed;  ///< the zero points that may differ from 0

  std::int32_t left_shift;     ///< left shift of both operands, before they are rescaled: 0 .. 30
  summand<Scheme> a;           ///< the first operand
  summand<Scheme> b;           ///< the second
  multiplier_type multiplier;  ///< rescales the common scale, which includes the left shift, to the scale of y
  output_range range;          ///< range of y

  /// Returns x'.
  DYADIC_API constexpr std::int32_t rescaled(X x, const summand<Scheme>& operand) const noexcept {
    return detail::rescaled(x, operand, left_shift);
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X x_a, X x_b) const noexcept {
    const std::int64_t sum = Operation::apply(rescaled(x_a, a), rescaled(x_b, b));
    return static_cast<X>(requantize<Scheme>(wrap<std::int32_t>(sum), multiplier, range));
  }
};

namespace detail {

/// Computes the bounds of x', and returns false if a step can wrap. An x' below int32 is left to the check of the sum.
template <class X, class Scheme>
DYADIC_API constexpr bool bound_summand(const summand<Scheme>& operand, std::int32_t left_shift, bounds& to) noexcept {
  const bounds d = differences<X>(operand.zero_point);
  const bounds shifted{shift_left_wrapped(d.low, left_shift), shift_left_wrapped(d.high, left_shift)};  // below 2^63
  if (!takes_between<Scheme>(shifted, operand.multiplier)) return false;
  const std::int64_t first = Scheme::apply(static_cast<std::int32_t>(shifted.low), operand.multiplier);
  const std::int64_t last = Scheme::apply(static_cast<std::int32_t>(shifted.high), operand.multiplier);
  to = first < last ? bounds{first, last} : bounds{last, first};
  return fits<std::int32_t>(to.high);  // if x' is below int32, the sum or difference leaves int32 where the other x' is 0
}

}  // namespace detail

/// Returns the first error in the numbers: the range, a zero point, or a multiplier. A zero point is wrong if it is not a value
/// of X or if the engine does not accept it. `multiplier_out_of_range` is a left shift outside 0 .. 30 or a multiplier that the
/// scheme does not take. Returns `accumulator_overflow` last: two values of X make some step leave int32 or the domain of the
/// scheme. Schemes are monotone, so testing the ends of X is enough.
template <class X, class Scheme, class Operation, allowed_zero_points Allowed>
DYADIC_API constexpr status check(const rescaled_sum<X, Scheme, Operation, Allowed>& rule) noexcept {
  if (const status s = check_operands<X, Allowed>(rule.a.zero_point, rule.b.zero_point, rule.range); s != status::ok) return s;
  if (rule.left_shift < 0 || rule.left_shift > 30 || !Scheme::valid(rule.a.multiplier) || !Scheme::valid(rule.b.multiplier) ||
      !Scheme::valid(rule.multiplier))
    return status::multiplier_out_of_range;
  detail::bounds a{};
  detail::bounds b{};
  if (!detail::bound_summand<X>(rule.a, rule.left_shift, a) || !detail::bound_summand<X>(rule.b, rule.left_shift, b))
    return status::accumulator_overflow;
  return detail::takes_between<Scheme>(Operation::of(a, b), rule.multiplier) ? status::ok : status::accumulator_overflow;
}

/// The real scales of a sum's three rescales.
struct sum_scales {
  binary64 a;    ///< scale of the first operand
  binary64 b;    ///< scale of the second operand
  binary64 sum;  ///< scale of the sum
};

namespace detail {

/// Derives a sum from the scales of its rescales. Returns the status of the first multiplier that has an error, else the status
/// of `check`.
template <class Rule, class Derive>
DYADIC_API constexpr result<Rule> derive_sum(sum_scales scales, std::int32_t left_shift, std::int32_t a_zero_point,
                                             std::int32_t b_zero_point, output_range range, Derive derive) noexcept {
  const auto a = derive(scales.a);
  const auto b = derive(scales.b);
  const auto sum = derive(scales.sum);
  Rule rule{};
  rule.left_shift = left_shift;
  rule.a = {a_zero_point, a.value};
  rule.b = {b_zero_point, b.value};
  rule.multiplier = sum.value;
  rule.range = range;
  const status first = a.status != status::ok ? a.status : b.status != status::ok ? b.status : sum.status;
  return {rule, first != status::ok ? first : check(rule)};
}

}  // namespace detail

namespace tflite {

/// The left shift of add and subtract: 20 for 8 bits, 15 for int16.
template <class X>
inline constexpr std::int32_t left_shift_of_sum = sizeof(X) == 1 ? 20 : 15;

/// Returns the scales a / common, b / common and common / (2^left_shift * y). The common scale is twice the larger of a and b.
/// Each division rounds once, in the format of the scales.
template <class Float>
DYADIC_API constexpr sum_scales scales_of_sum(Float a, Float b, Float y, std::int32_t left_shift) noexcept {
  const Float common = scale_by_power_of_two(less(a, b) ? b : a, 1);
  return {dyadic::divide(a, common), dyadic::divide(b, common), dyadic::divide(common, scale_by_power_of_two(y, left_shift))};
}

/// QuantizeMultiplierSmallerThanOneExp. Returns `scale_too_large` for a scale of 1 and more or that rounds up to 1, and
/// `scale_zero` for 0.
template <class Scheme>
DYADIC_API constexpr result<multiplier32> derive_below_one(binary64 scale) noexcept {
  const result<multiplier32> r = Scheme::derive(scale);
  if (r.status != status::ok) return r;
  if (is_zero(scale)) return {r.value, status::scale_zero};
  return {r.value, r.value.right_shift < 31 ? status::scale_too_large : status::ok};
}

namespace detail {

/// Derives an add or a subtract from scales in the format in which TFLite divides them.
template <class Rule, class Float>
DYADIC_API constexpr result<Rule> derive_sum(Float a_scale, std::int32_t a_zero_point, Float b_scale, std::int32_t b_zero_point,
                                             Float y_scale, output_range range) noexcept {
  constexpr std::int32_t left_shift = left_shift_of_sum<typename Rule::value_type>;
  if (const status s = check_tensor_scales(a_scale, b_scale, y_scale); s != status::ok) return {{}, s};
  return dyadic::detail::derive_sum<Rule>(scales_of_sum(a_scale, b_scale, y_scale, left_shift), left_shift, a_zero_point,
                                          b_zero_point, range, derive_below_one<typename Rule::scheme>);
}

}  // namespace detail

/// Add of int8, uint8 and int16. The left shift L is 20 for 8 bits and 15 for int16. Operands of int16 may have zero points, too.
/// Every step fits int32, because |x - zero_point| < 2^8 or 2^16, and derived multipliers of operands are at most 1/2. The scheme
/// is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.
template <class X, class Scheme = double_rounding>
struct add : rescaled_sum<X, Scheme, sum_of, allowed_zero_points::any> {
  /// Derives the multipliers as CalculateOpDataAdd does, in binary64. Returns the status of a scale that is not positive and
  /// finite. Returns `scale_too_large` where TFLite aborts: the sum's scale is 1 or more. Else returns the status of `check`.
  DYADIC_API static constexpr result<add> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                 std::int32_t b_zero_point, binary32 y_scale, output_range range) noexcept {
    return detail::derive_sum<add, binary64>(a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range);
  }
};

/// Subtract: as `add`, but operands of int16 have no zero points, and the derivation differs.
template <class X, class Scheme = double_rounding>
struct subtract : rescaled_sum<X, Scheme, difference_of, any_of_8_bits<X, allowed_zero_points::output_only>> {
  /// Derives the multipliers as CalculateOpDataSub does, in binary32. The multipliers differ from the multipliers of `add` for
  /// nearly all scales. Returns the statuses of `add::derive`.
  DYADIC_API static constexpr result<subtract> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                      std::int32_t b_zero_point, binary32 y_scale, output_range range) noexcept {
    return detail::derive_sum<subtract, binary32>(a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range);
  }
};

}  // namespace tflite

namespace cmsis_nn {

/// arm_elementwise_add_s8 and _s16: TFLite's addition, but the caller chooses the left shift, and int16 ignores all zero points.
/// The scheme is `single_rounding` for a build with CMSIS_NN_USE_SINGLE_ROUNDING. On a processor with the DSP extension and
/// without Helium, the int8 function drops the sign of x - zero_point and keeps 16 bits. It equals this rule for left shifts of
/// 16 and more. It is wrong for negative differences at smaller left shifts.
template <class X, class Scheme = double_rounding>
struct add : rescaled_sum<X, Scheme, sum_of, any_of_8_bits<X, allowed_zero_points::none>> {
  static_assert(std::is_signed_v<X>, "CMSIS-NN adds int8 and int16");
  /// Derives as TFLite does, because CMSIS-NN publishes no derivation.
  DYADIC_API static constexpr result<add> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                 std::int32_t b_zero_point, binary32 y_scale, output_range range) noexcept {
    return tflite::detail::derive_sum<add, binary64>(a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range);
  }
};

}  // namespace cmsis_nn

namespace executorch::cortex_m {

/// quantized_add: `cmsis_nn::add` of int8 with L = 20 and the exporter's multipliers.
struct add : cmsis_nn::add<std::int8_t> {
  /// Derives TFLite's three scales from scales in binary64; mantissas tie to even. Returns the status of a scale that is not
  /// positive and finite or of a multiplier, else the status of `check`.
  DYADIC_API static constexpr result<add> derive(binary64 a_scale, std::int32_t a_zero_point, binary64 b_scale,
                                                 std::int32_t b_zero_point, binary64 y_scale, output_range range) noexcept {
    if (const status s = check_tensor_scales(a_scale, b_scale, y_scale); s != status::ok) return {{}, s};
    return dyadic::detail::derive_sum<add>(tflite::scales_of_sum(a_scale, b_scale, y_scale, 20), 20, a_zero_point, b_zero_point,
                                           range, cortex_m::derive);
  }
};

}  // namespace executorch::cortex_m

namespace executorch::arm {

namespace detail {

/// RESCALE of both operands to int32, ADD or SUB, RESCALE. Each RESCALE rounds once, ties up. The multipliers of the operands
/// include the left shift L: a / (common / 2^L). int16 has no zero points, as in TOSA.
template <class Rule>
DYADIC_API constexpr result<Rule> derive_sum(binary64 a_scale, std::int32_t a_zero_point, binary64 b_scale,
                                             std::int32_t b_zero_point, binary64 y_scale, output_range range) noexcept {
  constexpr int left_shift = sizeof(typename Rule::value_type) == 1 ? 20 : 12;
  if (const status s = check_tensor_scales(a_scale, b_scale, y_scale); s != status::ok) return {{}, s};
  const binary64 common = scale_by_power_of_two(less(a_scale, b_scale) ? b_scale : a_scale, 1 - left_shift);
  return dyadic::detail::derive_sum<Rule>({divide(a_scale, common), divide(b_scale, common), divide(common, y_scale)}, 0,
                                          a_zero_point, b_zero_point, range, scale32::derive);
}

template <class X, class Operation>
struct rescaled_sum : dyadic::rescaled_sum<X, scale32, Operation, any_of_8_bits<X, allowed_zero_points::none>> {
  static_assert(std::is_signed_v<X>, "the Arm backend adds int8 and int16");
};

}  // namespace detail

/// InsertRescaleInt32Pass: RESCALE of both operands to int32, ADD, RESCALE. Each RESCALE is TOSA's with one rounding. The common
/// scale is 2^20 (int8) or 2^12 (int16) times finer than twice the larger scale. The multipliers of the operands include this
/// left shift. |x'| <= 2^27.
template <class X>
struct add : detail::rescaled_sum<X, sum_of> {
  /// Derives in binary64; mantissas tie to even. Returns the statuses of `cortex_m::add::derive`.
  DYADIC_API static constexpr result<add> derive(binary64 a_scale, std::int32_t a_zero_point, binary64 b_scale,
                                                 std::int32_t b_zero_point, binary64 y_scale, output_range range) noexcept {
    return detail::derive_sum<add>(a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range);
  }
};

/// InsertRescaleInt32Pass with SUB in place of ADD.
template <class X>
struct subtract : detail::rescaled_sum<X, difference_of> {
  /// Derives as `add` does.
  DYADIC_API static constexpr result<subtract> derive(binary64 a_scale, std::int32_t a_zero_point, binary64 b_scale,
                                                      std::int32_t b_zero_point, binary64 y_scale, output_range range) noexcept {
    return detail::derive_sum<subtract>(a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range);
  }
};

}  // namespace executorch::arm
}  // namespace dyadic
