// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Absolute values and negatives of elements. Floor 3.
/// Sources: tflite/micro/kernels/elementwise.cc, tflite/kernels/neg.cc of LiteRT.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic {

namespace tflite {

/// ABS of int8 and int16: y = saturate(scheme(|x - x_zero_point|, multiplier) + zero_point of y). With equal scales the engine
/// does not rescale; the multiplier 1 gives the same. The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.
template <class X, class Scheme = double_rounding>
struct abs {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::int16_t>, "TFLite has absolute values of int8 and int16");
  static constexpr operator_id id = operator_id::abs;  ///< the operator
  using value_type = X;                                ///< the type of x and y
  using scheme = Scheme;                               ///< the rule of the rescale

  std::int32_t x_zero_point;  ///< subtracted from x
  multiplier32 multiplier;    ///< scale of x / scale of y
  std::int32_t y_zero_point;  ///< added to y

  /// Derives QuantizeMultiplier of fl32(x / y), which is 1 only for equal scales. Returns the status of a scale that is not
  /// positive and finite or of the multiplier, else the status of `check`.
  DYADIC_API static constexpr result<abs> derive(binary32 x_scale, std::int32_t x_zero_point, binary32 y_scale,
                                                 std::int32_t y_zero_point) noexcept {
    abs rule{x_zero_point, {}, y_zero_point};
    if (const status s = check_tensor_scales(x_scale, x_scale, y_scale); s != status::ok) return {rule, s};
    const auto m = Scheme::derive(dyadic::divide(x_scale, y_scale));
    rule.multiplier = m.value;
    return {rule, m.status != status::ok ? m.status : check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X x) const noexcept {
    const std::int32_t v = std::int32_t{x} - x_zero_point;
    return static_cast<X>(requantize<Scheme>(v < 0 ? -v : v, multiplier, range_of<X>(y_zero_point)));
  }
  /// Returns the first error in the numbers: a zero point or the multiplier. Returns `accumulator_overflow` last: a value of X
  /// takes the scheme out of its domain.
  DYADIC_API friend constexpr status check(const abs& rule) noexcept {
    if (!fits<X>(rule.x_zero_point) || !fits<X>(rule.y_zero_point)) return status::zero_point_out_of_range;
    if (!Scheme::valid(rule.multiplier)) return status::multiplier_out_of_range;
    const dyadic::detail::bounds x = dyadic::detail::differences<X>(rule.x_zero_point);
    const bool fit = dyadic::detail::takes_between<Scheme>({0, x.high > -x.low ? x.high : -x.low}, rule.multiplier);
    return fit ? status::ok : status::accumulator_overflow;
  }
};

}  // namespace tflite

namespace litert {

/// NEG of int8 and int16: y = -x of the stored value, modulo 2^(bits of X), so that the least value stays. The engine looks
/// neither at scales nor at zero points: y is the real negative only for equal scales and zero points of 0.
template <class X>
struct negate {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::int16_t>, "LiteRT negates int8 and int16");
  static constexpr operator_id id = operator_id::negate;  ///< the operator
  using value_type = X;                                   ///< the type of x and y

  /// Takes all scales and zero points, as the engine does.
  DYADIC_API static constexpr result<negate> derive(binary32 /*x_scale*/, std::int32_t /*x_zero_point*/, binary32 /*y_scale*/,
                                                    std::int32_t /*y_zero_point*/) noexcept {
    return {{}, status::ok};
  }
  /// Returns y of one element.
  DYADIC_API constexpr X operator()(X x) const noexcept { return wrap<X>(-std::int32_t{x}); }
  /// Returns `ok`: the rule has no numbers.
  DYADIC_API friend constexpr status check(const negate&) noexcept { return status::ok; }
};

}  // namespace litert
}  // namespace dyadic
