// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Multiplication of two tensors as the engines compute it. Floor 3.
/// Sources: tflite/micro/kernels/mul_common.cc, tflite/kernels/internal/reference/integer_ops/mul.h, CMSIS-NN
/// Source/BasicMathFunctions, ExecuTorch backends/arm/_passes/insert_rescales_pass.py and
/// backends/cortex_m/passes/aten_to_cortex_m_pass.py, XNNPACK src/qs8-vmul and src/microparams-init.c, the TOSA specification
/// (MUL).

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scale.hpp>
#include <dyadic/scheme/cmsis_nn.hpp>
#include <dyadic/scheme/executorch.hpp>
#include <dyadic/scheme/xnnpack.hpp>

namespace dyadic {

/// The product of two operands.
struct product_of {
  static constexpr bool is_product = true;  ///< a product of the operands
};

/// The multiplication of every engine: y = clamp(scheme((a - a_zero_point) * (b - b_zero_point), multiplier) + zero_point of y,
/// min, max). The scheme decides ties. The magnitude of the product is at most 255^2 for 8 bits, 2^30 for int16 without zero
/// points. The product of int16 with zero points is modulo 2^32 where it does not fit int32. `check` says whether the product can
/// leave int32.
template <class X, class Scheme, allowed_zero_points Allowed>
struct rescaled_product {
  static_assert(is_element<X>, "int8, uint8 and int16 are multiplied");
  static constexpr operator_id id = operator_id::multiply;     ///< a product
  using value_type = X;                                        ///< the type of both operands and of the output
  using scheme = Scheme;                                       ///< the rule of the rescale
  using operation = product_of;                                ///< a product
  using multiplier_type = typename Scheme::multiplier_type;    ///< the multiplier of the scheme
  static constexpr allowed_zero_points zero_points = Allowed;  ///< the zero points that may differ from 0

  std::int32_t a_zero_point;   ///< subtracted from a
  std::int32_t b_zero_point;   ///< subtracted from b
  multiplier_type multiplier;  ///< scale of a * scale of b / scale of y
  output_range range;          ///< range of y

  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr X operator()(X a, X b) const noexcept {
    const std::int64_t product = (std::int64_t{a} - a_zero_point) * (std::int64_t{b} - b_zero_point);
    return static_cast<X>(requantize<Scheme>(wrap<std::int32_t>(product), multiplier, range));
  }
};

/// Returns the first error in the numbers: the range, a zero point, or a multiplier that the scheme does not take. A zero point
/// is wrong if it is not a value of X or if the engine does not accept it. Returns `accumulator_overflow` last: a product of
/// values of X leaves int32 or the domain of the scheme. The products of the least and greatest values of X are the extremes.
template <class X, class Scheme, allowed_zero_points Allowed>
DYADIC_API constexpr status check(const rescaled_product<X, Scheme, Allowed>& rule) noexcept {
  if (const status s = check_operands<X, Allowed>(rule.a_zero_point, rule.b_zero_point, rule.range); s != status::ok) return s;
  if (!Scheme::valid(rule.multiplier)) return status::multiplier_out_of_range;
  const detail::bounds a = detail::differences<X>(rule.a_zero_point);
  const detail::bounds b = detail::differences<X>(rule.b_zero_point);
  const std::int64_t corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  detail::bounds product{corners[0], corners[0]};
  for (const std::int64_t p : corners) product = {p < product.low ? p : product.low, p > product.high ? p : product.high};
  return detail::takes_between<Scheme>(product, rule.multiplier) ? status::ok : status::accumulator_overflow;
}

namespace detail {

/// Derives a product: `derive` computes its multiplier from the scale of the product. Returns the status of a scale or of the
/// multiplier, else the status of `check`.
template <class Rule, class Float, class Derive>
DYADIC_API constexpr result<Rule> derive_product(Float a_scale, std::int32_t a_zero_point, Float b_scale,
                                                 std::int32_t b_zero_point, Float y_scale, output_range range,
                                                 Derive derive) noexcept {
  Rule rule{};
  if (const status s = check_tensor_scales(a_scale, b_scale, y_scale); s != status::ok) return {rule, s};
  const auto m = derive(divide(multiply(a_scale, b_scale), y_scale));
  rule.a_zero_point = a_zero_point;
  rule.b_zero_point = b_zero_point;
  rule.multiplier = m.value;
  rule.range = range;
  return {rule, m.status != status::ok ? m.status : check(rule)};
}

}  // namespace detail

namespace tflite {

/// Mul of int8, uint8 and int16; int16 has no zero points. The scheme is `single_rounding` for a build with
/// TFLITE_SINGLE_ROUNDING.
template <class X, class Scheme = double_rounding>
struct multiply : rescaled_product<X, Scheme, any_of_8_bits<X, allowed_zero_points::none>> {
  /// Derives the multiplier: QuantizeMultiplier of fl64(fl64(a * b) / y), from binary32 scales. Returns the status of a scale
  /// that is not positive and finite or of the multiplier, else the status of `check`.
  DYADIC_API static constexpr result<multiply> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                      std::int32_t b_zero_point, binary32 y_scale, output_range range) noexcept {
    return dyadic::detail::derive_product<multiply, binary64>(a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range,
                                                              Scheme::derive);
  }
};

}  // namespace tflite

namespace cmsis_nn {

/// arm_elementwise_mul_s8 and _s16: TFLite's multiplication; int16 ignores all zero points. The scheme is `single_rounding` for a
/// build with CMSIS_NN_USE_SINGLE_ROUNDING.
template <class X, class Scheme = double_rounding>
struct multiply : rescaled_product<X, Scheme, any_of_8_bits<X, allowed_zero_points::none>> {
  static_assert(std::is_signed_v<X>, "CMSIS-NN multiplies int8 and int16");
  /// Derives as TFLite does, because CMSIS-NN publishes no derivation.
  DYADIC_API static constexpr result<multiply> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                      std::int32_t b_zero_point, binary32 y_scale, output_range range) noexcept {
    return dyadic::detail::derive_product<multiply, binary64>(a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range,
                                                              Scheme::derive);
  }
};

}  // namespace cmsis_nn

namespace executorch::cortex_m {

/// quantized_mul: `cmsis_nn::multiply` of int8 with the exporter's multiplier.
struct multiply : cmsis_nn::multiply<std::int8_t> {
  /// Derives the multiplier fl64(fl64(a * b) / y) from scales in binary64; mantissas tie to even. Returns the statuses of
  /// `tflite::multiply::derive`.
  DYADIC_API static constexpr result<multiply> derive(binary64 a_scale, std::int32_t a_zero_point, binary64 b_scale,
                                                      std::int32_t b_zero_point, binary64 y_scale, output_range range) noexcept {
    return dyadic::detail::derive_product<multiply>(a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range,
                                                    cortex_m::derive);
  }
};

}  // namespace executorch::cortex_m

namespace executorch::arm {

/// InsertRescaleInt32Pass: RESCALE of both operands with 1.0, MUL, RESCALE. The first RESCALE changes no bit of the differences.
/// The last RESCALE rounds once, ties up. int16 has no zero points, as in TOSA.
template <class X>
struct multiply : rescaled_product<X, scale32, any_of_8_bits<X, allowed_zero_points::none>> {
  static_assert(std::is_signed_v<X>, "the Arm backend multiplies int8 and int16");
  /// Derives the multiplier fl64(fl64(a * b) / y) from scales in binary64; mantissas tie to even. Returns the statuses of
  /// `tflite::multiply::derive`.
  DYADIC_API static constexpr result<multiply> derive(binary64 a_scale, std::int32_t a_zero_point, binary64 b_scale,
                                                      std::int32_t b_zero_point, binary64 y_scale, output_range range) noexcept {
    return dyadic::detail::derive_product<multiply>(a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range,
                                                    scale32::derive);
  }
};

}  // namespace executorch::arm

namespace xnnpack {

/// qs8-vmul and qu8-vmul. The scheme is `fp32` on most machines: the scale in binary32 and ties to even. It is `rndnu_neon`, ties
/// up, where the NEON kernels of that name run.
template <class X, class Scheme = fp32>
struct multiply : rescaled_product<X, Scheme, allowed_zero_points::any> {
  static_assert(sizeof(X) == 1, "XNNPACK multiplies int8 and uint8");
  /// Derives the multiplier fl32(fl32(a * b) / y). XNNPACK asserts 2^-16 <= scale < 2^8. A scale outside of this range gets a
  /// status.
  DYADIC_API static constexpr result<multiply> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                      std::int32_t b_zero_point, binary32 y_scale, output_range range) noexcept {
    return dyadic::detail::derive_product<multiply>(a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range, of_scale);
  }

 private:
  DYADIC_API static constexpr result<typename Scheme::multiplier_type> of_scale(binary32 scale) noexcept {
    const auto m = Scheme::derive(scale);
    return {m.value, m.status == status::ok && less(scale, binary32{0x1p-16f}) ? status::scale_too_small : m.status};
  }
};

}  // namespace xnnpack

namespace tosa {

/// MUL of int32: (a * b + 2^(right_shift - 1)) >> right_shift in 64 bits, ties up. Operands of 8 and 16 bits have no shift.
struct multiply {
  using value_type = std::int32_t;  ///< the type of both operands and of the output

  std::int32_t right_shift = 0;  ///< 0 .. 63

  /// Returns true if the data are as TOSA requires: a right_shift in 0 .. 63 and a result within int32. Otherwise TOSA's result
  /// is unpredictable.
  DYADIC_API constexpr bool valid(std::int32_t a, std::int32_t b) const noexcept {
    return right_shift >= 0 && right_shift <= 63 && fits<std::int32_t>(rounded(a, b));
  }
  /// Returns the result modulo 2^32. Requires: right_shift in 0 .. 63.
  DYADIC_API constexpr std::int32_t operator()(std::int32_t a, std::int32_t b) const noexcept {
    return wrap<std::int32_t>(rounded(a, b));
  }
  /// Returns `multiplier_out_of_range` for another right_shift. Returns `accumulator_overflow` last, for a right_shift below 32:
  /// some result leaves int32.
  DYADIC_API friend constexpr status check(const multiply& rule) noexcept {
    if (rule.right_shift < 0 || rule.right_shift > 63) return status::multiplier_out_of_range;
    return rule.right_shift < 32 ? status::accumulator_overflow : status::ok;
  }

 private:
  DYADIC_API constexpr std::int64_t rounded(std::int32_t a, std::int32_t b) const noexcept {
    return shift_right<half_up>(std::int64_t{a} * b, right_shift);
  }
};

}  // namespace tosa
}  // namespace dyadic
