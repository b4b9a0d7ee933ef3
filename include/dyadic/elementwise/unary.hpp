// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Square roots, inverse square roots, absolute values and negatives of elements. Floor 3.
/// Sources: tflite/kernels/internal/common.h (GetInvSqrtQuantizedMultiplierExp), tflite/micro/kernels/elementwise.cc,
/// LiteRT tflite/kernels/{elementwise.cc, neg.cc}.
/// The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.

#include <dyadic/elementwise/fixed_point.hpp>
#include <dyadic/elementwise/function.hpp>
#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/tflite.hpp>

namespace dyadic {

namespace tflite {

/// GetInvSqrtQuantizedMultiplierExp: a multiplier of about 1 / sqrt(x), by five steps of Newton's method, y += y * (1 - x * y^2)
/// / 2. x is first multiplied by a power of 4, so that it lies in 2^27 .. 2^29 - 1. For x <= 1 the mantissa is 2^31 - 1 and the
/// right shift 31; the engine asserts x >= 0. The right shift is 31 .. 43. The result lies between (1 - 2^-19) / sqrt(x) and (1 +
/// 2^-23) / sqrt(x).
DYADIC_API constexpr multiplier32 inverse_square_root(std::int32_t x) noexcept {
  using gemmlowp::detail::times;
  if (x <= 1) return {int32_max, 31};
  std::int32_t exponent = 11;
  for (; x >= 1 << 29; x /= 4) ++exponent;
  const int pairs = (leading_zeros(static_cast<std::uint64_t>(x)) - 33) / 2 - 1;
  exponent -= pairs;
  const std::int32_t half = gemmlowp::rounding_divide_by_pot((x << (2 * pairs)) >> 1, 1);
  std::int32_t y = 1 << 28;  // y and half are Q3, half <= 1/2
  for (int i = 0; i < 5; ++i) {
    const std::int32_t cube = gemmlowp::rescale<9, 3>(times(times(y, y), y));
    y = gemmlowp::rescale<6, 3>(times(3 << 27, y) - times(half, cube));
  }
  y = times(y, 1518500250);  // sqrt(1/2) in Q0
  return exponent < 0 ? multiplier32{y << -exponent, 31} : multiplier32{y, 31 + exponent};
}

/// RSQRT of int8: y = saturate(scheme(scheme(1, 2^20 * r), 2^-20 * multiplier) + zero point of y), where r is the
/// `inverse_square_root` of v = x - x_zero_point. v = 0 gives 127. v < 0, at which the engine stops, gives 127, too. The engine
/// computes int16 by a `tflite::table`.
template <class Scheme = double_rounding>
struct rsqrt {
  static constexpr operator_id id = operator_id::rsqrt;  ///< the operator
  using value_type = std::int8_t;                        ///< the type of x and y
  using scheme = Scheme;                                 ///< the rule of both rescales

  std::int32_t x_zero_point;  ///< subtracted from x
  multiplier32 multiplier;    ///< 1 / (sqrt(scale of x) * scale of y)
  std::int32_t y_zero_point;  ///< added to y

  /// Derives QuantizeMultiplier of fl64(1 / fl32(fl32(sqrt(x_scale)) * y_scale)). Returns the first error of a scale, of the
  /// product, of the multiplier or of `check`.
  DYADIC_API static constexpr result<rsqrt> derive(binary32 x_scale, std::int32_t x_zero_point, binary32 y_scale,
                                                   std::int32_t y_zero_point) noexcept {
    rsqrt rule{x_zero_point, {}, y_zero_point};
    if (const status s = check_tensor_scales(x_scale, x_scale, y_scale); s != status::ok) return {rule, s};
    const binary32 product = dyadic::multiply(exact::in_binary32<exact::sqrt>{}(x_scale), y_scale);
    if (const status s = check_tensor_scale(product); s != status::ok) return {rule, s};
    const auto m = Scheme::derive(dyadic::divide(binary64{1.0}, binary64{product}));
    rule.multiplier = m.value;
    return {rule, m.status != status::ok ? m.status : check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr std::int8_t operator()(std::int8_t x) const noexcept {
    const auto v = static_cast<std::int32_t>(std::int64_t{x} - x_zero_point);
    if (v <= 0) return limits<std::int8_t>::max;
    const multiplier32 root = inverse_square_root(v);
    const auto data = static_cast<std::int32_t>(Scheme::apply(1, {root.mantissa, root.right_shift - 20}));
    return saturate<std::int8_t>(Scheme::apply(data, finer()) + y_zero_point);
  }
  /// Returns `zero_point_out_of_range`, or `multiplier_out_of_range`. Returns `accumulator_overflow` if a product leaves int32.
  DYADIC_API friend constexpr status check(const rsqrt& rule) noexcept {
    if (!fits<std::int8_t>(rule.x_zero_point) || !fits<std::int8_t>(rule.y_zero_point)) return status::zero_point_out_of_range;
    if (!dyadic::detail::shift_within(rule.multiplier, -19, 42) || !Scheme::valid(rule.finer()))
      return status::multiplier_out_of_range;
    const bool fit = dyadic::detail::takes_between<Scheme>({0, 1 << 20}, rule.finer());  // 1 / sqrt(v) <= 1
    return fit ? status::ok : status::accumulator_overflow;
  }

 private:
  DYADIC_API constexpr multiplier32 finer() const noexcept { return {multiplier.mantissa, multiplier.right_shift + 20}; }
};

/// ABS of int8 and int16: y = saturate(scheme(|x - x_zero_point|, multiplier) + zero_point of y). The engine does not rescale
/// equal scales; the multiplier 1 gives the same.
template <class X, class Scheme = double_rounding>
struct abs {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::int16_t>, "TFLite has absolute values of int8 and int16");
  static constexpr operator_id id = operator_id::abs;  ///< the operator
  using value_type = X;                                ///< the type of x and y
  using scheme = Scheme;                               ///< the rule of the rescale

  std::int32_t x_zero_point;  ///< subtracted from x
  multiplier32 multiplier;    ///< scale of x / scale of y
  std::int32_t y_zero_point;  ///< added to y

  /// Derives QuantizeMultiplier of fl32(x / y). Returns the first error of a scale, of the multiplier or of `check`.
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
    return static_cast<X>(dyadic::requantize<Scheme>(v < 0 ? -v : v, multiplier, range_of<X>(y_zero_point)));
  }
  /// Returns the first error in the numbers: a zero point or the multiplier. Returns `accumulator_overflow` last: a value of X
  /// takes the scheme out of its domain.
  DYADIC_API friend constexpr status check(const abs& rule) noexcept {
    if (!fits<X>(rule.x_zero_point) || !fits<X>(rule.y_zero_point)) return status::zero_point_out_of_range;
    if (!Scheme::valid(rule.multiplier)) return status::multiplier_out_of_range;
    const std::int32_t most = dyadic::detail::greatest_difference<X>(rule.x_zero_point);
    const bool fit = dyadic::detail::takes_between<Scheme>({0, most}, rule.multiplier);
    return fit ? status::ok : status::accumulator_overflow;
  }
};

}  // namespace tflite

namespace litert {

/// SQRT of int8 and int16, in binary32: y = saturate(trunc(fl32(fl32(sqrt(fl32(x_scale * v))) / y_scale)) + y_zero_point), where
/// v = x - x_zero_point. The quotient is truncated and not rounded, so that y is below the real root by up to a step. The engine
/// stops at v < 0, where this rule takes the root of 0.
template <class X>
struct sqrt {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::int16_t>, "LiteRT has square roots of int8 and int16");
  static constexpr operator_id id = operator_id::sqrt;  ///< the operator
  using value_type = X;                                 ///< the type of x and y

  binary32 x_scale;           ///< scale of x
  std::int32_t x_zero_point;  ///< subtracted from x
  binary32 y_scale;           ///< scale of y
  std::int32_t y_zero_point;  ///< added to y

  /// Takes the scales. Returns the status of `check`.
  DYADIC_API static constexpr result<sqrt> derive(binary32 x_scale, std::int32_t x_zero_point, binary32 y_scale,
                                                  std::int32_t y_zero_point) noexcept {
    const sqrt rule{x_scale, x_zero_point, y_scale, y_zero_point};
    return {rule, check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X x) const noexcept {
    const std::int64_t v = std::int64_t{x} - x_zero_point;
    const binary32 real = dyadic::multiply(x_scale, from_integer<binary32>(v < 0 ? 0 : v));
    const binary32 steps = divide(exact::in_binary32<exact::sqrt>{}(real), y_scale);
    return saturate<X>(to_integer<to_floor>(steps) + y_zero_point);
  }
  /// Returns the status of a scale that is not positive and finite, or `zero_point_out_of_range`.
  DYADIC_API friend constexpr status check(const sqrt& rule) noexcept {
    if (const status s = check_tensor_scales(rule.x_scale, rule.x_scale, rule.y_scale); s != status::ok) return s;
    return fits<X>(rule.x_zero_point) && fits<X>(rule.y_zero_point) ? status::ok : status::zero_point_out_of_range;
  }
};

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
