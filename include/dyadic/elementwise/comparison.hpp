// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Comparisons of two tensors as TFLite computes them. Floor 3.
/// Sources: tflite/kernels/internal/reference/comparisons.h, tflite/micro/kernels/comparisons.cc.

#include <dyadic/elementwise/add.hpp>

namespace dyadic::tflite {

/// EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS and LESS_EQUAL of int8 and uint8. The rule compares the integers scheme((x -
/// zero_point) * 2^8, scale of x) of both operands: the scale itself is the multiplier. y is the byte 1 if the comparison holds,
/// else 0. Scales below 1/256 make neighbours equal: at a scale of 2^-9, 1 == 2. Operands of equal scales and zero points are
/// rescaled, too. The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.
template <class X, operator_id Comparison, class Scheme = double_rounding>
struct compare {
  static_assert(dyadic::detail::is_one_of<X, std::int8_t, std::uint8_t>, "TFLite compares int8 and uint8");
  static_assert(Comparison >= operator_id::equal && Comparison <= operator_id::less_equal, "equal, not_equal, greater and so on");
  static constexpr operator_id id = Comparison;  ///< the operator
  using argument_type = X;                       ///< the type of a and b
  using value_type = std::uint8_t;               ///< the type of y: 0 or 1
  using scheme = Scheme;                         ///< the rule of both rescales

  summand<Scheme> a;  ///< the first operand
  summand<Scheme> b;  ///< the second

  /// Derives QuantizeMultiplierSmallerThanOneExp of both scales. Returns the first error of a scale, such as `scale_too_large`
  /// for 1 and more, where TFLite aborts, or of `check`.
  DYADIC_API static constexpr result<compare> derive(binary32 a_scale, std::int32_t a_zero_point, binary32 b_scale,
                                                     std::int32_t b_zero_point) noexcept {
    if (const status s = check_tensor_scales(a_scale, a_scale, b_scale); s != status::ok) return {{}, s};
    const auto m = derive_below_one<Scheme>(a_scale);
    const auto n = derive_below_one<Scheme>(b_scale);
    const compare rule{{a_zero_point, m.value}, {b_zero_point, n.value}};
    const status first = m.status != status::ok ? m.status : n.status;
    return {rule, first != status::ok ? first : check(rule)};
  }
  /// Returns y of one element. Requires: what `check` tests.
  DYADIC_API constexpr std::uint8_t operator()(X x_a, X x_b) const noexcept {
    const std::int32_t left = dyadic::detail::rescaled(x_a, a, left_shift);
    const std::int32_t right = dyadic::detail::rescaled(x_b, b, left_shift);
    switch (Comparison) {
      case operator_id::equal: return left == right;
      case operator_id::not_equal: return left != right;
      case operator_id::greater: return left > right;
      case operator_id::greater_equal: return left >= right;
      case operator_id::less: return left < right;
      default: return left <= right;
    }
  }
  /// Returns the first error in the numbers: a zero point, or a multiplier. Returns `accumulator_overflow` last: a value of X
  /// takes the scheme out of its domain.
  DYADIC_API friend constexpr status check(const compare& rule) noexcept {
    if (!fits<X>(rule.a.zero_point) || !fits<X>(rule.b.zero_point)) return status::zero_point_out_of_range;
    if (!Scheme::valid(rule.a.multiplier) || !Scheme::valid(rule.b.multiplier)) return status::multiplier_out_of_range;
    dyadic::detail::bounds any{};
    const bool fit =
        dyadic::detail::bound_summand<X>(rule.a, left_shift, any) && dyadic::detail::bound_summand<X>(rule.b, left_shift, any);
    return fit ? status::ok : status::accumulator_overflow;
  }

 private:
  static constexpr std::int32_t left_shift = 8;
};

}  // namespace dyadic::tflite
