// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Addition and multiplication of quantized tensors by ONNX, and QLinearAdd and QLinearMul of ONNX Runtime. Floor 3.
/// Sources: the ONNX operators DequantizeLinear, Add, Mul and QuantizeLinear; ONNX Runtime onnxruntime/core/mlas/lib/qladd.cpp,
/// qlmul.cpp and intrinsics/avx2/qladd_avx2.cpp.
///
/// All operations in binary32 round once, ties to even, in the order of the formula. Where a processor has FMA, a compiler of
/// ONNX Runtime may join products and sums of the portable form and of `fixed`. Its results then differ from these rules.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/scheme/onnx.hpp>

namespace dyadic::onnx {

/// The scales and zero points of a, b and y.
struct tensors {
  binary32 a_scale;           ///< scale of a
  std::int32_t a_zero_point;  ///< zero point of a
  binary32 b_scale;           ///< scale of b
  std::int32_t b_zero_point;  ///< zero point of b
  binary32 y_scale;           ///< scale of y
  std::int32_t y_zero_point;  ///< zero point of y
};

namespace detail {

/// A rule y = clamp(steps(a, b), min, max), where `Steps` computes in the order of one publisher.
template <class Rule, class X, class Steps>
struct rule_of_steps {
  static_assert(is_element<X> && (Steps::takes_16_bits || sizeof(X) == 1), "MLAS has vector code for int8 and uint8");
  static constexpr operator_id id = Steps::id;  ///< add or multiply
  using value_type = X;                         ///< the type of both operands and of the output

  Steps steps;         ///< scales, zero points, and the numbers that MLAS computes once for a tensor
  output_range range;  ///< zero point and bounds of y

  /// Returns y of one element.
  DYADIC_API constexpr X operator()(X a, X b) const noexcept {
    return static_cast<X>(clamp(steps(std::int32_t{a}, std::int32_t{b}), range.min, range.max));
  }
  /// Returns the first error: the range, a zero point that is not a value of X, or a scale that is not positive and finite.
  /// Returns `multiplier_out_of_range` where a number of the steps is beyond its format, or where MLAS takes other steps. Returns
  /// `accumulator_overflow` last: a result before the clamp leaves int32. All steps are monotone in a and in b, so that testing
  /// the ends of X is enough.
  DYADIC_API friend constexpr status check(const rule_of_steps& rule) noexcept {
    const tensors& t = rule.steps.of;
    if (const status s = check_operands<X, allowed_zero_points::any>(t.a_zero_point, t.b_zero_point, rule.range); s != status::ok)
      return s;
    if (t.y_zero_point != rule.range.zero_point) return status::zero_point_out_of_range;
    if (const status s = check_tensor_scales(t.a_scale, t.b_scale, t.y_scale); s != status::ok) return s;
    if (!rule.steps.valid()) return status::multiplier_out_of_range;
    constexpr std::int32_t ends[] = {limits<X>::min, limits<X>::max};
    for (const std::int32_t a : ends)
      for (const std::int32_t b : ends)
        if (!fits<std::int32_t>(rule.steps(a, b))) return status::accumulator_overflow;
    return status::ok;
  }
  /// Prepares the steps. Returns the status of `check`.
  DYADIC_API static constexpr result<Rule> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                  std::int32_t b_zero_point, binary32 y_scale, output_range range) noexcept {
    Rule rule{};
    rule.steps = Steps({a_scale, a_zero_point, b_scale, b_zero_point, y_scale, range.zero_point});
    rule.range = range;
    return {rule, check(rule)};
  }
};

DYADIC_API constexpr binary32 real(binary32 scale, std::int32_t x, std::int32_t zero_point) noexcept {
  return multiply(scale, from_integer<binary32>(std::int64_t{x} - zero_point));
}
/// Returns x rounded to an integer, ties to even. Infinity and NaN give a number beyond int32.
DYADIC_API constexpr std::int64_t rounded(binary32 x) noexcept {
  return is_nan(x) ? limits<std::int64_t>::min / 2 : to_integer<half_even>(x);
}

struct real_sum {
  static constexpr operator_id id = operator_id::add;
  DYADIC_API static constexpr binary32 combine(binary32 a, binary32 b) noexcept { return dyadic::add(a, b); }
};
struct real_product {
  static constexpr operator_id id = operator_id::multiply;
  DYADIC_API static constexpr binary32 combine(binary32 a, binary32 b) noexcept { return dyadic::multiply(a, b); }
};
/// Computes the quotient by the scale of y, rounds it, and adds the zero point of y. Portable code of MLAS rounds last.
template <class Operation, bool RoundsLast>
struct real_steps {
  static constexpr operator_id id = Operation::id;
  static constexpr bool takes_16_bits = true;
  tensors of{};

  DYADIC_API constexpr real_steps() noexcept = default;
  DYADIC_API constexpr explicit real_steps(const tensors& t) noexcept : of{t} {}
  DYADIC_API static constexpr bool valid() noexcept { return true; }
  DYADIC_API constexpr std::int64_t operator()(std::int32_t a, std::int32_t b) const noexcept {
    const binary32 x = Operation::combine(real(of.a_scale, a, of.a_zero_point), real(of.b_scale, b, of.b_zero_point));
    const binary32 quotient = divide(x, of.y_scale);
    if constexpr (RoundsLast)
      return rounded(dyadic::add(quotient, from_integer<binary32>(of.y_zero_point)));
    else
      return rounded(quotient) + of.y_zero_point;
  }
};

/// The numbers of QLinearAdd on x86.
struct ratios {
  static constexpr operator_id id = operator_id::add;
  static constexpr bool takes_16_bits = false;
  tensors of{};
  binary32 a_ratio, b_ratio, fixed;

  DYADIC_API constexpr ratios() noexcept = default;
  DYADIC_API constexpr explicit ratios(const tensors& t) noexcept
      : of{t}, a_ratio{divide(t.a_scale, t.y_scale)}, b_ratio{divide(t.b_scale, t.y_scale)} {
    const binary32 zeros = dyadic::add(real(a_ratio, t.a_zero_point, 0), real(b_ratio, t.b_zero_point, 0));
    fixed = subtract(from_integer<binary32>(t.y_zero_point), zeros);
  }
  DYADIC_API constexpr bool valid() const noexcept { return is_finite(a_ratio) && is_finite(b_ratio) && is_finite(fixed); }
};
struct sse2_sum : ratios {
  using ratios::ratios;
  DYADIC_API constexpr std::int64_t operator()(std::int32_t a, std::int32_t b) const noexcept {
    return rounded(dyadic::add(dyadic::add(fixed, real(a_ratio, a, 0)), real(b_ratio, b, 0)));
  }
};
struct avx2_sum : ratios {
  using ratios::ratios;
  DYADIC_API constexpr std::int64_t operator()(std::int32_t a, std::int32_t b) const noexcept {
    const binary32 sum = add_product(fixed, b, b_ratio);
    return rounded(add_product(sum, a, a_ratio));
  }

 private:
  /// Returns x * ratio + sum, rounded once. The sum of numbers that are not finite is in two steps.
  DYADIC_API static constexpr binary32 add_product(binary32 sum, std::int32_t x, binary32 ratio) noexcept {
    const binary32 factor = from_integer<binary32>(x);
    if (is_finite(sum) && is_finite(ratio)) return dyadic::detail::multiply_add(factor, ratio, sum);
    return dyadic::add(sum, dyadic::multiply(factor, ratio));
  }
};
struct neon_sum : ratios {
  std::int32_t a_multiplier = 0;
  std::int32_t b_multiplier = 0;
  std::int32_t right_shift = 0;

  DYADIC_API constexpr neon_sum() noexcept = default;
  DYADIC_API constexpr explicit neon_sum(const tensors& t) noexcept : ratios(t) {
    if (!is_within(a_ratio) || !is_within(b_ratio)) return;
    const fraction greater = decompose(less(a_ratio, b_ratio) ? b_ratio : a_ratio);
    right_shift = 21 - (greater.exponent + 63);
    a_multiplier = static_cast<std::int32_t>(to_integer<half_even>(scale_by_power_of_two(a_ratio, right_shift)));
    b_multiplier = static_cast<std::int32_t>(to_integer<half_even>(scale_by_power_of_two(b_ratio, right_shift)));
  }
  DYADIC_API constexpr bool valid() const noexcept {
    const auto is_short = [](std::int32_t m) { return 0 <= m && m < 1 << 22; };
    return is_short(a_multiplier) && is_short(b_multiplier) && right_shift >= 13 && right_shift <= 31;
  }
  DYADIC_API constexpr std::int64_t operator()(std::int32_t a, std::int32_t b) const noexcept {
    const std::int64_t sum =
        (std::int64_t{a} - of.a_zero_point) * a_multiplier + (std::int64_t{b} - of.b_zero_point) * b_multiplier;
    return shift_right<half_away>(sum, right_shift) + of.y_zero_point;
  }

 private:
  DYADIC_API static constexpr bool is_within(binary32 ratio) noexcept {
    return !less(ratio, binary32{0x1p-14f}) && less(ratio, binary32{0x1p8f});
  }
};

struct vector_product {
  static constexpr operator_id id = operator_id::multiply;
  static constexpr bool takes_16_bits = false;
  tensors of{};
  binary32 ratio;

  DYADIC_API constexpr vector_product() noexcept = default;
  DYADIC_API constexpr explicit vector_product(const tensors& t) noexcept
      : of{t}, ratio{divide(dyadic::multiply(t.a_scale, t.b_scale), t.y_scale)} {}
  DYADIC_API constexpr bool valid() const noexcept { return is_finite(ratio); }
  DYADIC_API constexpr std::int64_t operator()(std::int32_t a, std::int32_t b) const noexcept {
    const std::int64_t product = (std::int64_t{a} - of.a_zero_point) * (std::int64_t{b} - of.b_zero_point);
    const binary32 scaled = dyadic::multiply(ratio, from_integer<binary32>(product));
    return rounded(dyadic::add(from_integer<binary32>(of.y_zero_point), scaled));
  }
};

}  // namespace detail

/// round(fl32(real / y_scale)) + y_zero_point, clamped: DequantizeLinear, Add or Mul, and QuantizeLinear by the operator text.
/// Here real = fl32(fl32(a_scale * (a - a_zero_point)) + fl32(b_scale * (b - b_zero_point))), or the product.
/// @{
template <class X>
struct add : detail::rule_of_steps<add<X>, X, detail::real_steps<detail::real_sum, false>> {};
template <class X>
struct multiply : detail::rule_of_steps<multiply<X>, X, detail::real_steps<detail::real_product, false>> {};
/// @}

/// QLinearAdd and QLinearMul in portable code of MLAS: round(fl32(fl32(real / y_scale) + y_zero_point)), clamped. The parity of
/// the rounded sum decides a tie. MLAS runs this code for int16, and for 8 bits on machines without vector code. x86 and Arm have
/// vector code, and POWER has it for QLinearAdd.
/// @{
template <class X>
struct mlas_add : detail::rule_of_steps<mlas_add<X>, X, detail::real_steps<detail::real_sum, true>> {};
template <class X>
struct mlas_multiply : detail::rule_of_steps<mlas_multiply<X>, X, detail::real_steps<detail::real_product, true>> {};
/// @}

/// QLinearAdd of 8 bits on SSE2 and POWER: round(fl32(fl32(fixed + fl32(a * a_ratio)) + fl32(b * b_ratio))), clamped. Here
/// a_ratio = fl32(a_scale / y_scale), b_ratio likewise, and fixed = y_zero_point - (a_ratio * a_zero_point + b_ratio *
/// b_zero_point). If b has one element, MLAS adds the product of b first. This rule does not.
template <class X>
struct mlas_sse2_add : detail::rule_of_steps<mlas_sse2_add<X>, X, detail::sse2_sum> {};

/// QLinearAdd of 8 bits on AVX2, by fused products: round(fl32(a * a_ratio + fl32(b * b_ratio + fixed))), clamped, with the
/// numbers of `mlas_sse2_add`. If an operand has one element, MLAS rounds the product of this operand first. This rule does not.
template <class X>
struct mlas_avx2_add : detail::rule_of_steps<mlas_avx2_add<X>, X, detail::avx2_sum> {};

/// QLinearAdd of 8 bits on Arm, in integers: ((a - a_zero_point) * m + (b - b_zero_point) * n) / 2^s, ties away from zero, plus
/// y_zero_point, clamped. The larger ratio has an exponent e. Then s = 21 - e, and m = a_ratio * 2^s and n are rounded to even.
/// |sum| < 2^31. MLAS runs its portable code, and `check` returns `multiplier_out_of_range`, in three cases: a ratio outside of
/// 2^-14 .. 2^8, s outside of 13 .. 31, or a multiplier that is rounded to 2^22.
template <class X>
struct mlas_neon_add : detail::rule_of_steps<mlas_neon_add<X>, X, detail::neon_sum> {};

/// QLinearMul of 8 bits on x86 and A64: round(fl32(y_zero_point + fl32(ratio * (a - a_zero_point) * (b - b_zero_point)))),
/// clamped, where ratio = fl32(fl32(a_scale * b_scale) / y_scale). A32 adds 1/2 or -1/2 and truncates, which is another rule.
template <class X>
struct mlas_vector_multiply : detail::rule_of_steps<mlas_vector_multiply<X>, X, detail::vector_product> {};

}  // namespace dyadic::onnx
