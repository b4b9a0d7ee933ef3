// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Layer norm and RMS norm of a row, each output the real value rounded once. Floor 3.
/// The real value contains a square root. The comparison of the real value with a tie is a comparison of two integers.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/multiplier.hpp>
#include <dyadic/view.hpp>

namespace dyadic::exact {

namespace detail {

/// An unsigned integer of 288 bits, in words of 32 bits, the lowest first. Requires: products fit.
struct natural {
  static constexpr int size = 9;
  std::uint32_t words[size] = {};

  DYADIC_API constexpr explicit natural(unsigned_wide x) noexcept {
    for (int i = 0; i < 4; ++i) words[i] = static_cast<std::uint32_t>((i < 2 ? x.low : x.high) >> (32 * (i % 2)));
  }
  DYADIC_API friend constexpr natural operator*(const natural& a, const natural& b) noexcept {
    natural product({0, 0});
    for (int i = 0; i < size; ++i) {
      std::uint64_t carry = 0;
      for (int j = 0; i + j < size; ++j) {
        carry += std::uint64_t{a.words[i]} * b.words[j] + product.words[i + j];
        product.words[i + j] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
    }
    return product;
  }
  /// Returns -1, 0 or 1: the sign of a - b.
  DYADIC_API friend constexpr int compare(const natural& a, const natural& b) noexcept {
    for (int i = size - 1; i >= 0; --i)
      if (a.words[i] != b.words[i]) return a.words[i] < b.words[i] ? -1 : 1;
    return 0;
  }
};

/// The sign of x, and its magnitude.
/// @{
DYADIC_API constexpr int sign(wide x) noexcept { return x.high < 0 ? -1 : x.high != 0 || x.low != 0 ? 1 : 0; }
DYADIC_API constexpr natural magnitude(wide x) noexcept {
  const auto high = static_cast<std::uint64_t>(x.high);
  return natural(x.high < 0 ? unsigned_wide{0u - high - (x.low != 0 ? 1u : 0u), 0u - x.low} : unsigned_wide{high, x.low});
}
/// @}
/// Returns the sign of n / sqrt(square) - t; n is 0 if `square` is 0.
DYADIC_API constexpr int compare(wide n, const natural& square, wide t) noexcept {
  if (sign(n) != sign(t)) return sign(n) < sign(t) ? -1 : 1;
  if (sign(n) == 0) return 0;
  const natural left = magnitude(n);
  const natural right = magnitude(t);
  return sign(n) * compare(left * left, square * (right * right));
}

/// The rule of both norms. `Id` is layer_norm or rms_norm.
template <class X, operator_id Id>
struct norm {
  static_assert(is_element<X>, "norms are of int8, uint8 and int16");
  static constexpr operator_id id = Id;  ///< the operator
  using value_type = X;                  ///< the type of x and y
  using in_place = void;                 ///< y may be x

  view<const std::int16_t> weights;  ///< a weight for each element of a row, at most 65536
  view<const std::int32_t> bias;     ///< a bias for each element, in units of 2^-10 * scale of the weights; or none
  std::int32_t x_zero_point;         ///< subtracted from x; it cancels out in a layer norm
  std::int64_t epsilon;              ///< in units of 2^-16 * (scale of x)^2: 0 .. 2^47 - 1
  multiplier32 multiplier;           ///< scale of the weights / scale of y
  output_range range;                ///< range of y

  /// Derives epsilon / x_scale^2, rounded to 2^-16, and the nearest multiplier of weight_scale / y_scale. Returns the first error
  /// of a scale or of `check`.
  DYADIC_API static constexpr result<norm> derive(binary64 x_scale, std::int32_t x_zero_point, binary64 epsilon,
                                                  binary64 weight_scale, binary64 y_scale, view<const std::int16_t> weights,
                                                  view<const std::int32_t> bias, output_range range) noexcept {
    norm rule{weights, bias, x_zero_point, 0, {}, range};
    if (const status s = check_tensor_scales(x_scale, weight_scale, y_scale); s != status::ok) return {rule, s};
    if (!is_finite(epsilon)) return {rule, status::scale_not_finite};
    rule.epsilon = to_integer<dyadic::half_away>(scale_by_power_of_two(divide(divide(epsilon, x_scale), x_scale), 16));
    rule.multiplier = nearest<std::int32_t>(divide(weight_scale, y_scale), dyadic::half_away{}).value;
    return {rule, check(rule)};
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests. y may be x.
  DYADIC_API constexpr void operator()(view<const X> x, view<X> y) const noexcept {
    const auto n = static_cast<std::int64_t>(x.size());
    std::int64_t sum = 0;
    std::uint64_t squares = 0;  // below 2^48
    for (index_t i = 0; i < n; ++i) {
      const std::int64_t v = std::int64_t{x[i]} - x_zero_point;
      sum += v;
      squares += static_cast<std::uint64_t>(v * v);
    }
    if (Id == operator_id::rms_norm) sum = 0;  // the distance is measured from 0 and not from the mean
    // n^2 * (mean of squares + epsilon), with 16 bits of fraction
    const auto size = static_cast<std::uint64_t>(n);
    const std::uint64_t total = size * squares - static_cast<std::uint64_t>(sum) * static_cast<std::uint64_t>(sum);
    const unsigned_wide added = multiply(size * size, static_cast<std::uint64_t>(epsilon));
    const std::uint64_t low = (total << 16) + added.low;
    const natural square({(total >> 48) + added.high + (low < added.low ? 1u : 0u), low});
    for (index_t i = 0; i < n; ++i) {
      const std::int64_t distance = n * (std::int64_t{x[i]} - x_zero_point) - sum;
      const std::int64_t offset = bias.empty() ? 0 : std::int64_t{bias[i]} * multiplier.mantissa;
      y[i] = nearest_output(multiply(weights[i] * distance, std::int64_t{multiplier.mantissa} * (1 << 18)), square, offset);
    }
  }
  /// Returns the first error of a view, `shape_mismatch` unless there is a bias for each weight or none and, with the length of a
  /// row, a weight for each element. Returns `size_overflow` for more than 65536 weights, `value_out_of_range` for a wrong
  /// epsilon, or an error of the range, of the zero point or of the multiplier, whose right shift is 0 .. 62.
  /// @{
  DYADIC_API friend constexpr status check(const norm& rule) noexcept {
    if (const status s = check(rule.weights); s != status::ok) return s;
    if (const status s = check(rule.bias); s != status::ok) return s;
    if (!rule.bias.empty() && rule.bias.size() != rule.weights.size()) return status::shape_mismatch;
    if (rule.weights.size() > 1 << 16) return status::size_overflow;
    if (const status s = check_operand<X>(rule.x_zero_point, rule.range); s != status::ok) return s;
    if (rule.epsilon < 0 || rule.epsilon >> 47 != 0) return status::value_out_of_range;
    return dyadic::detail::shift_within(rule.multiplier, 0, 62) ? status::ok : status::multiplier_out_of_range;
  }
  DYADIC_API friend constexpr status check(const norm& rule, index_t length) noexcept {
    const status s = check(rule);
    return s == status::ok && length != rule.weights.size() ? status::shape_mismatch : s;
  }
  /// @}

 private:
  /// Returns the greatest y whose lower tie is not above numerator / sqrt(square) + offset. Tie and offset are integers in units
  /// of 2^-(right_shift + 10).
  DYADIC_API constexpr X nearest_output(wide numerator, const natural& square, std::int64_t offset) const noexcept {
    std::int64_t least = range.min;
    std::int64_t most = range.max;
    while (least < most) {
      const std::int64_t middle = least + (most - least + 1) / 2;
      const std::int64_t steps = middle - range.zero_point;
      wide tie = multiply((2 * steps - 1) * (1 << 9), std::int64_t{1} << multiplier.right_shift);
      const auto subtracted = static_cast<std::uint64_t>(offset);
      tie.high -= (offset < 0 ? -1 : 0) + (tie.low < subtracted ? 1 : 0);
      tie.low -= subtracted;
      const int sign = compare(numerator, square, tie);
      if (sign > 0 || (sign == 0 && steps > 0))  // a tie goes away from zero
        least = middle;
      else
        most = middle - 1;
    }
    return static_cast<X>(least);
  }
};

}  // namespace detail

/// Layer norm: y = clamp(round(m * (w * (x - mean) / sqrt(variance + epsilon) + b / 2^10)) + zero point of y, min, max), ties
/// away from zero, where m is the multiplier, w the weight and b the bias of the element. The mean and the variance of the row
/// are rational numbers: nothing else is rounded. If all x are equal and epsilon is 0, the quotient is 0. The weights, the bias
/// and the multiplier are those of `litert::layer_norm`.
template <class X>
using layer_norm = detail::norm<X, operator_id::layer_norm>;

/// RMS norm: the formula of `layer_norm` with v = x - x_zero_point in place of x - mean, and the mean of v^2 in place of the
/// variance.
template <class X>
using rms_norm = detail::norm<X, operator_id::rms_norm>;

}  // namespace dyadic::exact
