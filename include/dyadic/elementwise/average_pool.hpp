// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// Average pools of images, and the average of a whole image. Floor 5.

#include <dyadic/detail/elements.hpp>
#include <dyadic/elementwise/average.hpp>
#include <dyadic/elementwise/channel_sums.hpp>
#include <dyadic/elementwise/pool_windows.hpp>

namespace dyadic {

namespace op {
/// run(layer, x, y, rows): output rows of an `average_pool_layer`.
struct average_pool {};
}  // namespace op

/// The number that the sum of a window is divided by.
enum class averaged : std::uint8_t {
  inside,  ///< the elements inside of the image: TFLite, CMSIS-NN, TOSA, oneDNN's exclude_padding
  window,  ///< all elements of the window; padding is real 0: oneDNN's include_padding, ONNX's count_include_pad. Beyond the
           ///< padding, where the ceiling mode may reach, nothing is counted.
};

/// The rule from the sum of a window to y: a rule of average.hpp, the zero point of x, and the range of y.
template <class X, class Rule>
struct average_output {
  static_assert(detail::is_one_of<X, std::int8_t, std::uint8_t, std::int16_t>, "averages are of int8, uint8 and int16");
  using value_type = X;    ///< the type of x and y
  using rule_type = Rule;  ///< how a sum is divided
  /// True if x and y may have zero points, which the rule then subtracts and adds.
  static constexpr bool has_zero_points = Rule::has_zero_points && sizeof(X) == 1;

  std::int32_t x_zero_point = 0;       ///< subtracted from x; 0 if the rule has no zero points
  output_range range = range_of<X>();  ///< range of y; its zero point is 0 if the rule has no zero points
  Rule rule{};                         ///< has a multiplier if the scales of x and y differ

  /// Returns the output for a zero point of x, and a zero point and bounds of y, for example those of `activation_range`. A rule
  /// that averages stored values has no zero points. `of` then drops the zero point that x and y share, and counted padding is a
  /// stored 0. `check` refuses zero points that differ, or that are not values of X.
  DYADIC_API static constexpr average_output of(std::int32_t x_zero_point, output_range y_range, Rule rule = {}) noexcept {
    const bool is_dropped = !Rule::has_zero_points && x_zero_point == y_range.zero_point && fits<X>(x_zero_point);
    return is_dropped ? average_output{0, {0, y_range.min, y_range.max}, rule} : average_output{x_zero_point, y_range, rule};
  }
};

/// Returns the first error: the range, a zero point that is not a value of X or that the rule does not accept, or the multiplier
/// of the rule.
template <class X, class Rule>
DYADIC_API constexpr status check(const average_output<X, Rule>& output) noexcept {
  if (const status s = check_range<X>(output.range); s != status::ok) return s;
  const bool are_zero = output.x_zero_point == 0 && output.range.zero_point == 0;
  const bool fit = fits<X>(output.x_zero_point) && (are_zero || average_output<X, Rule>::has_zero_points);
  if (!fit) return status::zero_point_out_of_range;
  if constexpr (detail::has_multiplier<Rule>)
    if (!Rule::valid(output.rule.multiplier)) return status::multiplier_out_of_range;
  return status::ok;
}

/// y[n][i][j][c] = clamp(rule(sum over the window of x - x_zero_point, count) + zero point of y, min, max). The window begins at
/// (i * stride - pad_before, j * stride - pad_before). The sum is an int32: at most 65536 elements, of 8 bits and a zero point or
/// of 16. `check` returns `bad_window` also if the padding of a side is not smaller than the effective kernel, or if a window has
/// more elements than the rule takes. `check` returns `shape_mismatch` unless y has the images and channels of x, and each side
/// of y has `forward_size` or `ceiling_size` elements. `check` returns `shape_mismatch` also if a dilation exceeds the side of a
/// padded image.
template <class Output>
struct average_pool_layer {
  window2d window;   ///< its padding is smaller than the effective kernel
  averaged divisor;  ///< the elements that are counted
  Output output;     ///< the rule from each sum to y
};

template <class Output>
average_pool_layer(window2d, averaged, Output) -> average_pool_layer<Output>;  ///< deduces the output

namespace detail {

template <class Output>
struct operation_of<average_pool_layer<Output>> {
  using type = op::average_pool;
  using backend = backend::scalar;
  using windows = window2d;  ///< x and y are images
  template <class X>
  static constexpr bool takes = std::is_same_v<X, typename Output::value_type>;
};

/// Returns `ok`, or `bad_window` unless the padding is smaller than the effective kernel and the rule takes the elements of a
/// window.
template <class Rule>
DYADIC_API constexpr status check_pool(const window2d& w) noexcept {
  if (const status s = check_pool(w); s != status::ok) return s;
  const index_t area = w.y.kernel * w.x.kernel;
  return area <= int32_max && Rule::valid(static_cast<std::int32_t>(area)) ? status::ok : status::bad_window;
}

template <class Output, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<average_pool_layer<Output>>, const average_pool_layer<Output>& layer,
                                        const nhwc_view<X>& x, const nhwc_view<Y>& y) noexcept {
  if (const status s = check_pool<typename Output::rule_type>(layer.window); s != status::ok) return s;
  return pool_fits(layer.window, x, y) ? check(layer.output) : status::shape_mismatch;
}

}  // namespace detail

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::average_pool> {
  template <class Output, class X, class Y>
  static constexpr void run(const average_pool_layer<Output>& layer, const nhwc_view<const X>& x, const nhwc_view<Y>& y,
                            const row_range& rows) noexcept {
    using rule = typename Output::rule_type;
    // Sums are below 2^29 here. average.hpp proves that a multiplication by the reciprocal gives equal averages.
    if constexpr (std::is_base_of_v<rounded_average<half_away>, rule> && !optimizes_for_size)
      if (const index_t area = layer.window.y.kernel * layer.window.x.kernel; sizeof(X) == 1 || area < 1 << 14)
        return run_rows(tosa::average{}, layer, x, y, rows);
    run_rows(layer.output.rule, layer, x, y, rows);
  }

 private:
  template <class Rule, class Output, class X, class Y>
  static constexpr void run_rows(const Rule& rule, const average_pool_layer<Output>& layer, const nhwc_view<const X>& x,
                                 const nhwc_view<Y>& y, const row_range& rows) noexcept {
    detail::for_each_window(layer.window, x, y, rows,
                            [&](index_t n, const auto& v, const auto& h, Y* to) { run_pixel(rule, layer, x, n, v, h, to); });
  }
  template <class Rule, class Output, class X, class Y>
  static constexpr void run_pixel(const Rule& rule, const average_pool_layer<Output>& layer, const nhwc_view<const X>& x,
                                  index_t n, const detail::pooled_line& v, const detail::pooled_line& h, Y* to) noexcept {
    const auto inside = static_cast<std::int32_t>(v.inside * h.inside);
    const auto padded = static_cast<std::int32_t>(v.padded * h.padded);
    const auto divisor = rule.divisor(layer.divisor == averaged::inside ? inside : padded);
    const output_range range = layer.output.range;
    const std::int32_t zeros = layer.output.x_zero_point * inside;
    const auto average = [&](std::int32_t sum) {
      return static_cast<Y>(clamp(rule.apply(sum - zeros, divisor) + range.zero_point, range.min, range.max));
    };
    if constexpr (!optimizes_for_size) {
      const auto pixels = [&](const auto& add) {
        for (index_t i = v.begin; i < v.end; i += v.step)
          for (index_t j = h.begin; j < h.end; j += h.step) add(x.pixel(n, i, j));
      };
      detail::sum_channels<X>(x.c(), pixels, [&](index_t c, std::int32_t sum) { to[c] = average(sum); });
    } else {
      for (index_t c = 0; c < x.c(); ++c) {
        std::int32_t sum = 0;
        for (index_t i = v.begin; i < v.end; i += v.step)
          for (index_t j = h.begin; j < h.end; j += h.step) sum += x.pixel(n, i, j)[c];
        to[c] = average(sum);
      }
    }
  }
};

}  // namespace DYADIC_ISA

}  // namespace dyadic
