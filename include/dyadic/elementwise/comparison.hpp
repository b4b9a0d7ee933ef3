// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Comparisons of two tensors as TFLite computes them. Floor 3.
/// Sources: tflite/kernels/internal/reference/comparisons.h, tflite/micro/kernels/comparisons.cc.

#include <dyadic/elementwise/add.hpp>

namespace dyadic {

/// The comparisons: `id`, and `apply(a, b)`.
/// @{
struct is_equal {
  static constexpr operator_id id = operator_id::equal;  ///< the rule's operator
  /// Returns a == b.
  DYADIC_API static constexpr bool apply(std::int64_t a, std::int64_t b) noexcept { return a == b; }
};
struct is_not_equal {
  static constexpr operator_id id = operator_id::not_equal;  ///< the rule's operator
  /// Returns a != b.
  DYADIC_API static constexpr bool apply(std::int64_t a, std::int64_t b) noexcept { return a != b; }
};
struct is_greater {
  static constexpr operator_id id = operator_id::greater;  ///< the rule's operator
  /// Returns a > b.
  DYADIC_API static constexpr bool apply(std::int64_t a, std::int64_t b) noexcept { return a > b; }
};
struct is_greater_equal {
  static constexpr operator_id id = operator_id::greater_equal;  ///< the rule's operator
  /// Returns a >= b.
  DYADIC_API static constexpr bool apply(std::int64_t a, std::int64_t b) noexcept { return a >= b; }
};
struct is_less {
  static constexpr operator_id id = operator_id::less;  ///< the rule's operator
  /// Returns a < b.
  DYADIC_API static constexpr bool apply(std::int64_t a, std::int64_t b) noexcept { return a < b; }
};
struct is_less_equal {
  static constexpr operator_id id = operator_id::less_equal;  ///< the rule's operator
  /// Returns a <= b.
  DYADIC_API static constexpr bool apply(std::int64_t a, std::int64_t b) noexcept { return a <= b; }
};
/// @}

namespace tflite {

/// EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS and LESS_EQUAL of int8 and uint8. It compares the integers scheme((x -
/// zero_point) * 2^8, scale of x) of both operands, where the multiplier is the scale itself. y is the byte 1 if the comparison
/// holds, else 0. Scales below 1/256 make neighbours equal: at a scale of 2^-9, 1 == 2. Operands of equal scales and zero points
/// are rescaled, too. The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.
template <class X, class Comparison, class Scheme = double_rounding>
struct compare {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::uint8_t>, "TFLite compares int8 and uint8");
  static constexpr operator_id id = Comparison::id;  ///< the operator
  using argument_type = X;                           ///< the type of a and b
  using value_type = std::uint8_t;                   ///< the type of y: 0 or 1
  using scheme = Scheme;                             ///< the rule of both rescales
  static constexpr std::int32_t left_shift = 8;      ///< left shift of both operands, before they are rescaled

  summand<Scheme> a;  ///< the first operand
  summand<Scheme> b;  ///< the second

  /// Derives QuantizeMultiplierSmallerThanOneExp of both scales. Returns the status of a scale that is not positive and finite.
  /// Returns `scale_too_large` where TFLite aborts: a scale is 1 or more. Else returns the status of `check`.
  DYADIC_API static constexpr result<compare> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                     std::int32_t b_zero_point) noexcept {
    compare rule{{a_zero_point, {}}, {b_zero_point, {}}};
    if (const status s = check_tensor_scales(a_scale, a_scale, b_scale); s != status::ok) return {rule, s};
    const auto m = derive_below_one<Scheme>(a_scale);
    const auto n = derive_below_one<Scheme>(b_scale);
    rule = {{a_zero_point, m.value}, {b_zero_point, n.value}};
    if (m.status != status::ok) return {rule, m.status};
    return {rule, n.status != status::ok ? n.status : check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr std::uint8_t operator()(X x_a, X x_b) const noexcept {
    return Comparison::apply(dyadic::detail::rescaled(x_a, a, left_shift), dyadic::detail::rescaled(x_b, b, left_shift)) ? 1 : 0;
  }
  /// Returns the first error in the numbers: a zero point, or a multiplier. Returns `accumulator_overflow` last: a value of X
  /// takes the scheme out of its domain.
  DYADIC_API friend constexpr status check(const compare& rule) noexcept {
    if (!fits<X>(rule.a.zero_point) || !fits<X>(rule.b.zero_point)) return status::zero_point_out_of_range;
    if (!Scheme::valid(rule.a.multiplier) || !Scheme::valid(rule.b.multiplier)) return status::multiplier_out_of_range;
    dyadic::detail::bounds bounds{};
    const bool fit = dyadic::detail::bound_summand<X>(rule.a, left_shift, bounds) &&
                     dyadic::detail::bound_summand<X>(rule.b, left_shift, bounds);
    return fit ? status::ok : status::accumulator_overflow;
  }
};

}  // namespace tflite
}  // namespace dyadic
