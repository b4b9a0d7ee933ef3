// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// L2 normalization and layer norm of a row as TFLite and LiteRT compute them. Floor 3.
/// Sources: tflite/kernels/internal/reference/integer_ops/l2normalization.h, LiteRT
/// tflite/kernels/internal/reference/portable_tensor_utils.cc (PortableApplyLayerNorm), tflite/kernels/lstm.cc.
/// The scheme is `single_rounding` for a build with TFLITE_SINGLE_ROUNDING.

#include <dyadic/elementwise/unary.hpp>
#include <dyadic/view.hpp>

namespace dyadic {

namespace tflite {

/// L2_NORMALIZATION of int8: y = saturate(scheme(x - x_zero_point, 2^7 * r)), where r is `inverse_square_root` of the row's sum
/// of (x - x_zero_point)^2, an int32. The scale of y is 1/128, its zero point 0.
template <class Scheme = double_rounding>
struct l2_norm {
  static constexpr operator_id id = operator_id::l2_norm;  ///< the operator
  using value_type = std::int8_t;                          ///< the type of x and y
  using scheme = Scheme;                                   ///< the rule of the rescale
  using in_place = void;                                   ///< y may be x

  std::int32_t x_zero_point;  ///< subtracted from x

  /// Fills the row y from a row x of the same length. Requires: what `check` tests. y may be x. The sum is modulo 2^32.
  DYADIC_API constexpr void operator()(view<const std::int8_t> x, view<std::int8_t> y) const noexcept {
    std::uint32_t sum = 0;
    for (index_t i = 0; i < x.size(); ++i) {
      const std::int32_t v = std::int32_t{x[i]} - x_zero_point;
      sum += static_cast<std::uint32_t>(v * v);
    }
    multiplier32 r = inverse_square_root(wrap<std::int32_t>(sum));
    r.right_shift -= 7;
    for (index_t i = 0; i < x.size(); ++i)
      y[i] = static_cast<std::int8_t>(dyadic::requantize<Scheme>(std::int32_t{x[i]} - x_zero_point, r, range_of<std::int8_t>()));
  }
  /// Returns `zero_point_out_of_range`. The second function takes the length of a row. It also returns `accumulator_overflow` if
  /// the sum of squares may leave int32, as 33026 squares of 255 do.
  /// @{
  DYADIC_API friend constexpr status check(const l2_norm& rule) noexcept {
    return fits<std::int8_t>(rule.x_zero_point) ? status::ok : status::zero_point_out_of_range;
  }
  DYADIC_API friend constexpr status check(const l2_norm& rule, index_t length) noexcept {
    if (const status s = check(rule); s != status::ok) return s;
    const std::int32_t most = dyadic::detail::greatest_difference<std::int8_t>(rule.x_zero_point);
    return length <= int32_max / (most * most) ? status::ok : status::accumulator_overflow;
  }
  /// @}
};

}  // namespace tflite

namespace litert {

/// The layer norm of int16 inside of LiteRT's integer LSTM. n is the length of a row; quotients are truncated toward 0.
///   mean = 1024 * sum(x) / n, variance = (sum(x^2) * floor(2^20 / n) - mean^2) / 2^20, or variance_limit if that is below 1.
///   t = scheme(1024 * x - mean, inverse_square_root(variance)) * weight + bias, modulo 2^32.
///   y = saturate(scheme((t + 512) / 1024, multiplier)), or with t - 512 for t <= 0.
/// floor(2^20 / n) makes the variance too small unless n is a power of two, and can make it negative: the row 9980, 10000, 10020
/// has a variance of 171 and not of 266.7. `exact::layer_norm` has the right variance. The scheme is `single_rounding` for a
/// build with TFLITE_SINGLE_ROUNDING.
template <class Scheme = tflite::double_rounding>
struct layer_norm {
  static constexpr operator_id id = operator_id::layer_norm;  ///< the operator
  using value_type = std::int16_t;                            ///< the type of x and y
  using scheme = Scheme;                                      ///< the rule of the rescales
  using in_place = void;                                      ///< y may be x

  view<const std::int16_t> weights;  ///< a weight for each element of a row
  view<const std::int32_t> bias;     ///< a bias for each element, in units of 2^-10 * scale of the weights
  std::int32_t variance_limit;       ///< the variance where the formula gives less than 1; at least 1
  multiplier32 multiplier;           ///< scale of the weights / scale of y, which is 2^-12 in an LSTM

  /// Derives as PopulateQuantizedLstmParams8x8_16 does: QuantizeMultiplier of the scale of the weights, times 2^12, and a limit
  /// of max(1, trunc(fl32(10000 * scale))). Returns the first error of the scale, of the multiplier or of `check`.
  DYADIC_API static constexpr result<layer_norm> derive(binary32 weight_scale, view<const std::int16_t> weights,
                                                        view<const std::int32_t> bias) noexcept {
    layer_norm rule{weights, bias, 1, {}};
    if (const status s = check_tensor_scale(weight_scale); s != status::ok) return {rule, s};
    const std::int64_t limit = to_integer<to_floor>(dyadic::multiply(binary32{10000.0f}, weight_scale));
    rule.variance_limit = static_cast<std::int32_t>(clamp(limit, 1, int32_max));
    const auto m = Scheme::derive(weight_scale);
    rule.multiplier = {m.value.mantissa, m.value.right_shift - 12};
    return {rule, m.status != status::ok ? m.status : check(rule)};
  }
  /// Fills the row y from a row x of the same length. Requires: what `check` tests. y may be x.
  DYADIC_API constexpr void operator()(view<const std::int16_t> x, view<std::int16_t> y) const noexcept {
    const std::int64_t n = x.size();
    if (n == 0) return;
    std::int64_t sum = 0;
    std::int64_t squares = 0;
    for (index_t i = 0; i < n; ++i) {
      sum += x[i];
      squares += std::int32_t{x[i]} * x[i];
    }
    const std::int64_t mean = sum * 1024 / n;
    const std::int64_t variance = (squares * ((1 << 20) / n) - mean * mean) / (1 << 20);
    const auto root = tflite::inverse_square_root(variance < 1 ? variance_limit : static_cast<std::int32_t>(variance));
    for (index_t i = 0; i < n; ++i) {
      const std::int64_t normalized = Scheme::apply(static_cast<std::int32_t>(1024 * x[i] - mean), root);
      const std::int32_t t = wrap<std::int32_t>(normalized * weights[i] + bias[i]);
      const std::int32_t rounded = wrap<std::int32_t>(std::int64_t{t} + (t > 0 ? 512 : -512)) / 1024;
      y[i] = saturate<std::int16_t>(Scheme::apply(rounded, multiplier));
    }
  }
  /// Returns the first error of a view, `shape_mismatch` unless there is a bias for each weight and, with the length of a row, a
  /// weight for each element. Returns `value_out_of_range` for a limit below 1, or `multiplier_out_of_range`. Returns
  /// `accumulator_overflow` last: t may leave int32 for some row, or the last rescale the domain of the scheme. Reads the weights
  /// and the bias.
  /// @{
  DYADIC_API friend constexpr status check(const layer_norm& rule) noexcept {
    if (const status s = check(rule.weights); s != status::ok) return s;
    if (const status s = check(rule.bias); s != status::ok) return s;
    if (rule.weights.size() != rule.bias.size()) return status::shape_mismatch;
    if (rule.variance_limit < 1) return status::value_out_of_range;
    if (!Scheme::valid(rule.multiplier)) return status::multiplier_out_of_range;
    const std::int64_t most = greatest_normalized(rule.weights.size());
    for (index_t i = 0; i < rule.weights.size(); ++i) {
      const std::int64_t w = rule.weights[i];
      const std::int64_t b = rule.bias[i];
      const std::int64_t t = most * (w < 0 ? -w : w) + (b < 0 ? -b : b) + 512;
      if (t > int32_max || !dyadic::detail::takes_between<Scheme>({-t / 1024, t / 1024}, rule.multiplier))
        return status::accumulator_overflow;
    }
    return status::ok;
  }
  DYADIC_API friend constexpr status check(const layer_norm& rule, index_t length) noexcept {
    const status s = check(rule);
    return may_run(s) && length != rule.weights.size() ? status::shape_mismatch : s;
  }
  /// @}

 private:
  /// Bounds |1024 * x - mean| / sqrt(variance), rounded, for rows of n elements. For a power of two n <= 2^20, the variance v of
  /// the formula is above the real variance less 1. The real variance is therefore below 2 * v, also where v is the limit. |x -
  /// real mean|^2 is at most n - 1 real variances, so that 1024 * sqrt(2 * n) is a bound. The roundings of the mean and of the
  /// result add less than 2.
  DYADIC_API static constexpr std::int64_t greatest_normalized(index_t n) noexcept {
    const bool has_power = n > 0 && n <= 1 << 20 && (n & (n - 1)) == 0;
    if (!has_power) return std::int64_t{1} << 26;  // 1024 * 65535, with a variance of 1
    std::int64_t root = 1024;
    while (root * root < (std::int64_t{n} << 21)) root += 1024;
    return root + 2;
  }
};

}  // namespace litert
}  // namespace dyadic
