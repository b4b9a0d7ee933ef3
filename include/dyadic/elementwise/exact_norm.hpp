// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Layer norm and RMS norm of a row, each output the real value rounded once. Floor 3.
/// The real value contains a square root. It is compared with a tie by the comparison of two integers.

#include <dyadic/elementwise/operands.hpp>
#include <dyadic/multiplier.hpp>
#include <dyadic/view.hpp>

namespace dyadic::exact {

namespace detail {

/// An integer of 288 bits without a sign, in words of 32 bits, the lowest first. Requires: products fit.
struct natural {
  static constexpr int size = 9;
  std::uint32_t words[size] = {};

  DYADIC_API constexpr explicit natural(unsigned_wide x) noexcept {
    for (int i = 0; i < 2; ++i) {
      words[i] = static_cast<std::uint32_t>(x.low >> (32 * i));
      words[2 + i] = static_cast<std::uint32_t>(x.high >> (32 * i));
    }
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

/// The numbers of a norm, and its last step.
template <class X>
struct norm {
  static_assert(is_element<X>, "norms are of int8, uint8 and int16");
  using value_type = X;   ///< the type of x and y
  using in_place = void;  ///< y may be x

  static constexpr index_t longest = 1 << 16;  ///< more elements are refused: the integers would not fit

  view<const std::int16_t> weights;  ///< a weight for each element of a row
  view<const std::int32_t> bias;     ///< a bias for each element, in units of 2^-10 * scale of the weights; or none
  std::int64_t epsilon;              ///< added to the mean of squares, in units of 2^-16 * (scale of x)^2: 0 .. 2^47 - 1
  multiplier32 multiplier;           ///< scale of the weights / scale of y
  output_range range;                ///< range of y

  /// Sets the epsilon and the multiplier to the nearest numbers of this form.
  DYADIC_API constexpr status derive_numbers(binary64 x_scale, binary64 real_epsilon, binary64 weight_scale,
                                             binary64 y_scale) noexcept {
    if (const status s = check_tensor_scales(x_scale, weight_scale, y_scale); s != status::ok) return s;
    if (!is_finite(real_epsilon)) return status::scale_not_finite;
    const binary64 steps = divide(divide(real_epsilon, x_scale), x_scale);
    epsilon = to_integer<half_away>(scale_by_power_of_two(steps, 16));
    const auto m = nearest<std::int32_t>(divide(weight_scale, y_scale), half_away{});
    multiplier = m.value;
    return m.status != status::ok ? m.status : check(*this);
  }
  /// Sets y[i] for the distances n * (x[i] - center) of a row of n elements, where `squares` is n times the sum of (x[i] -
  /// center)^2. Finds the greatest y whose lower tie is not above the real value.
  template <class Distance>
  DYADIC_API constexpr void fill(view<X> y, std::uint64_t squares, const Distance& distance) const noexcept {
    const auto n = static_cast<std::uint64_t>(y.size());
    const unsigned_wide scaled{squares >> 48, squares << 16};
    const unsigned_wide added = multiply(n * n, static_cast<std::uint64_t>(epsilon));
    const std::uint64_t low = scaled.low + added.low;
    const natural square({scaled.high + added.high + (low < added.low ? 1u : 0u), low});
    for (index_t i = 0; i < y.size(); ++i) {
      // y = n / sqrt(square) + offset, all times 2^(right_shift + 10). n has 8 bits more, the root of the 16 bits of `square`.
      const wide numerator = multiply(weights[i] * distance(i), std::int64_t{multiplier.mantissa} * (1 << 18));
      const std::int64_t offset = bias.empty() ? 0 : std::int64_t{bias[i]} * multiplier.mantissa;
      std::int64_t least = range.min;
      std::int64_t most = range.max;
      while (least < most) {
        const std::int64_t middle = least + (most - least + 1) / 2;
        const std::int64_t k = middle - range.zero_point;
        wide tie = multiply((2 * k - 1) * (1 << 9), std::int64_t{1} << multiplier.right_shift);
        const std::uint64_t tie_low = tie.low - static_cast<std::uint64_t>(offset);
        tie.high -= (offset < 0 ? -1 : 0) + (tie.low < static_cast<std::uint64_t>(offset) ? 1 : 0);
        tie.low = tie_low;
        const int sign = compare(numerator, square, tie);
        const bool is_reached = sign > 0 || (sign == 0 && k > 0);  // a tie goes away from zero
        (is_reached ? least : most) = is_reached ? middle : middle - 1;
      }
      y[i] = static_cast<X>(least);
    }
  }
  /// Returns the first error in the numbers.
  DYADIC_API friend constexpr status check(const norm& rule) noexcept {
    if (const status s = check(rule.weights); s != status::ok) return s;
    if (const status s = check(rule.bias); s != status::ok) return s;
    if (!rule.bias.empty() && rule.bias.size() != rule.weights.size()) return status::shape_mismatch;
    if (rule.weights.size() > longest) return status::size_overflow;
    if (const status s = check_range<X>(rule.range); s != status::ok) return s;
    if (rule.epsilon < 0 || rule.epsilon >> 47 != 0) return status::value_out_of_range;
    return dyadic::detail::shift_within(rule.multiplier, 0, 62) ? status::ok : status::multiplier_out_of_range;
  }
  DYADIC_API friend constexpr status check(const norm& rule, index_t length) noexcept {
    const status s = check(rule);
    return s == status::ok && length != rule.weights.size() ? status::shape_mismatch : s;
  }
};

}  // namespace detail

/// Layer norm: y = clamp(round(m * (w * (x - mean) / sqrt(variance + epsilon) + b / 2^10)) + zero point of y, min, max), ties
/// away from zero, where m is the multiplier, w the weight and b the bias of the element. The mean and the variance (of a
/// population) of the row are rational numbers, and nothing else is rounded. The zero point of x cancels out. If all x are equal
/// and epsilon is 0, the quotient is 0. The weights, the bias and the multiplier are those of `litert::layer_norm`.
template <class X>
struct layer_norm : detail::norm<X> {
  static constexpr operator_id id = operator_id::layer_norm;  ///< the operator

  /// Derives epsilon / x_scale^2, rounded to 2^-16, and the nearest 31-bit multiplier of weight_scale / y_scale. Returns the
  /// status of a scale that is not positive and finite, else the status of `check`.
  DYADIC_API static constexpr result<layer_norm> derive(binary64 x_scale, binary64 epsilon, binary64 weight_scale,
                                                        binary64 y_scale, view<const std::int16_t> weights,
                                                        view<const std::int32_t> bias, output_range range) noexcept {
    layer_norm rule{{weights, bias, 0, {}, range}};
    const status s = rule.derive_numbers(x_scale, epsilon, weight_scale, y_scale);
    return {rule, s};
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests. y may be x.
  DYADIC_API constexpr void operator()(view<const X> x, view<X> y) const noexcept {
    const std::int64_t n = x.size();
    std::int64_t sum = 0;
    std::int64_t squares = 0;  // below 2^48
    for (index_t i = 0; i < n; ++i) {
      sum += x[i];
      squares += std::int64_t{x[i]} * x[i];
    }
    this->fill(y, static_cast<std::uint64_t>(n * squares - sum * sum), [=](index_t i) { return n * x[i] - sum; });
  }
};

/// RMS norm: y = clamp(round(m * (w * v / sqrt(mean of v^2 + epsilon) + b / 2^10)) + zero point of y, min, max), ties away from
/// zero, where v = x - x_zero_point. The other numbers are those of `layer_norm`. If all v are 0 and epsilon is 0, the quotient
/// is 0.
template <class X>
struct rms_norm : detail::norm<X> {
  static constexpr operator_id id = operator_id::rms_norm;  ///< the operator

  std::int32_t x_zero_point;  ///< subtracted from x

  /// Derives as `layer_norm` does.
  DYADIC_API static constexpr result<rms_norm> derive(binary64 x_scale, std::int32_t x_zero_point, binary64 epsilon,
                                                      binary64 weight_scale, binary64 y_scale, view<const std::int16_t> weights,
                                                      view<const std::int32_t> bias, output_range range) noexcept {
    rms_norm rule{{weights, bias, 0, {}, range}, x_zero_point};
    const status s = rule.derive_numbers(x_scale, epsilon, weight_scale, y_scale);
    return {rule, s != status::ok ? s : check(rule)};
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests. y may be x.
  DYADIC_API constexpr void operator()(view<const X> x, view<X> y) const noexcept {
    const std::int64_t n = x.size();
    std::uint64_t squares = 0;  // below 2^48
    for (index_t i = 0; i < n; ++i) {
      const std::int64_t v = std::int64_t{x[i]} - x_zero_point;
      squares += static_cast<std::uint64_t>(v * v);
    }
    this->fill(y, static_cast<std::uint64_t>(n) * squares,
               [n, x, zero_point = x_zero_point](index_t i) { return n * (std::int64_t{x[i]} - zero_point); });
  }
  /// Returns the first error in the numbers. With the length of a row, returns `shape_mismatch` unless there is a weight for each
  /// element.
  /// @{
  DYADIC_API friend constexpr status check(const rms_norm& rule) noexcept {
    const status s = check(static_cast<const detail::norm<X>&>(rule));
    return s == status::ok && !fits<X>(rule.x_zero_point) ? status::zero_point_out_of_range : s;
  }
  DYADIC_API friend constexpr status check(const rms_norm& rule, index_t length) noexcept {
    const status s = check(rule);
    return s == status::ok && length != rule.weights.size() ? status::shape_mismatch : s;
  }
  /// @}
};

}  // namespace dyadic::exact
