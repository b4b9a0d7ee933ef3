// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `check` and `run` of a mean or a sum over rows, columns or both. Floor 5.

#include <dyadic/detail/elements.hpp>
#include <dyadic/elementwise/channel_sums.hpp>
#include <dyadic/elementwise/mean.hpp>

namespace dyadic {

namespace op {
/// run(layer, x, y, rows): rows of a `mean_layer` or a `sum_layer`.
struct mean {};
}  // namespace op

/// y = rule(the sum of x over each axis along which y has one element). x and y are images, or matrices:
///   `y` of n x 1 x 1 x c: the mean over the pixels of each image, for each channel.
///   `y` of rows x 1: the mean of each row.
///   `y` of 1 x columns: the mean of each column.
///   `y` of 1 x 1: the mean of all elements.
/// `check` returns `shape_mismatch` if an axis of y has neither the length of x nor one element. `check` also returns it if the
/// rule's count is not the number of summed elements. `check` returns `accumulator_overflow` if the sum of some elements leaves
/// int32: `run` then wraps.
template <class Rule>
struct mean_layer {
  Rule rule;  ///< its count is the number of elements of a mean
};

template <class Rule>
mean_layer(Rule) -> mean_layer<Rule>;  ///< deduces the rule

/// The layer of a rule that does not divide. The sum y[r][c] is taken over each axis of x along which y has one element.
template <class Rule>
struct sum_layer : mean_layer<Rule> {};

template <class Rule>
sum_layer(Rule) -> sum_layer<Rule>;  ///< deduces the rule

namespace detail {

template <class Rule>
struct operation_of<mean_layer<Rule>> {
  using type = op::mean;
  using backend = backend::scalar;
  using windows = void;  ///< x and y are images; `as_images` makes them of matrices
  using reduces = void;  ///< y has one element along some axes
  template <class X>
  static constexpr bool takes = std::is_same_v<X, typename Rule::value_type>;
};
template <class Rule>
struct operation_of<sum_layer<Rule>> : operation_of<mean_layer<Rule>> {};
template <class Layer>
using if_reduction = std::enable_if_t<std::is_void_v<typename operation_of<Layer>::reduces>, int>;

/// Returns how many elements along an axis make one element of y. Returns 0 if the sizes do not fit: no rule has a count of 0.
DYADIC_API constexpr index_t reduced_by(index_t size, index_t to) noexcept { return size == to ? 1 : to == 1 ? size : 0; }

/// Returns how many elements of x make one element of y: 0 if the sizes do not fit, -1 if the number exceeds index_t.
template <class X, class Y>
DYADIC_API constexpr index_t reduced_by(const nhwc_view<X>& x, const nhwc_view<Y>& y) noexcept {
  const index_t images = reduced_by(x.n(), y.n());
  const index_t pixels = add_size(0, add_size(0, images, reduced_by(x.h(), y.h())), reduced_by(x.w(), y.w()));
  return add_size(0, pixels, reduced_by(x.c(), y.c()));
}

/// Calls f(pixels, to) for each pixel `to` of the rows of y. pixels(add) calls `add` with the first channel of each pixel of x
/// that `to` is computed from.
template <class X, class Y, class F>
DYADIC_API constexpr void for_each_reduced(const nhwc_view<X>& x, const nhwc_view<Y>& y, const row_range& rows,
                                           const F& f) noexcept {
  const auto all = [](index_t size, index_t to, index_t i) { return size == to ? row_range{i, i + 1} : row_range{0, size}; };
  for (index_t r = rows.begin; r < rows.end; ++r)
    for (index_t j = 0; j < y.w(); ++j) {
      const row_range n = all(x.n(), y.n(), r / y.h());
      const row_range v = all(x.h(), y.h(), r % y.h());
      const row_range h = all(x.w(), y.w(), j);
      const auto pixels = [&](const auto& add) {
        for (index_t m = n.begin; m < n.end; ++m)
          for (index_t i = v.begin; i < v.end; ++i)
            for (index_t k = h.begin; k < h.end; ++k) add(x.pixel(m, i, k));
      };
      f(pixels, y.pixel(r / y.h(), r % y.h(), j));
    }
}

/// Checks the shapes, then the rule.
template <class Rule, class X, class Y>
DYADIC_API constexpr status check_reduction(const Rule& rule, const nhwc_view<X>& x, const nhwc_view<Y>& y) noexcept {
  return reduced_by(x, y) != rule.count ? status::shape_mismatch : check(rule);
}
template <class Rule, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<mean_layer<Rule>>, const mean_layer<Rule>& layer, const nhwc_view<X>& x,
                                        const nhwc_view<Y>& y) noexcept {
  return check_reduction(layer.rule, x, y);
}
template <class Rule, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<sum_layer<Rule>>, const sum_layer<Rule>& layer, const nhwc_view<X>& x,
                                        const nhwc_view<Y>& y) noexcept {
  return check_reduction(layer.rule, x, y);
}

}  // namespace detail

/// The functions of means and sums on matrices.
/// @{
template <class Layer, class X, class Y, detail::if_reduction<Layer> = 0>
DYADIC_API constexpr status check_shapes(const Layer& layer, const matrix_view<X>& x, const matrix_view<Y>& y) noexcept {
  return check_shapes(layer, detail::as_images(x), detail::as_images(y));
}
template <class Layer, class X, class Y, detail::if_reduction<Layer> = 0>
DYADIC_API constexpr status check_memory(const Layer& layer, const matrix_view<X>& x, const matrix_view<Y>& y) noexcept {
  return check_memory(layer, detail::as_images(x), detail::as_images(y));
}
template <class Layer, class X, class Y, detail::if_reduction<Layer> = 0>
DYADIC_API constexpr status check(const Layer& layer, const matrix_view<X>& x, const matrix_view<Y>& y) noexcept {
  return check(layer, detail::as_images(x), detail::as_images(y));
}
/// @}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::mean> {
  template <class Rule, class X, class Y>
  static constexpr void run(const mean_layer<Rule>& layer, const nhwc_view<const X>& x, const nhwc_view<Y>& y,
                            const row_range& rows) noexcept {
    const Rule rule = layer.rule;
    detail::for_each_reduced(x, y, rows, [&](const auto& pixels, Y* to) { run_pixel(rule, x.c(), pixels, to, y.c()); });
  }

 private:
  template <class Rule, class Pixels, class Y>
  static constexpr void run_pixel(const Rule& rule, index_t channels, const Pixels& pixels, Y* to, index_t outputs) noexcept {
    using element = typename Rule::value_type;
    const bool is_summed = outputs != channels;
    if constexpr (!optimizes_for_size)
      if (!is_summed)
        return detail::sum_channels<element>(channels, pixels, [&](index_t c, std::int32_t sum) { to[c] = rule(sum); });
    for (index_t c = 0; c < outputs; ++c) {
      std::uint32_t sum = 0;
      pixels([&](const element* from) {
        for (index_t k = 0; k < (is_summed ? channels : 1); ++k) sum += static_cast<std::uint32_t>(std::int32_t{from[c + k]});
      });
      to[c] = rule(wrap<std::int32_t>(sum));
    }
  }
};

/// Computes a mean or a sum of a matrix, or the rows of y that the options name.
/// @{
template <class Backend = void, class Layer, class X, class Y, detail::if_reduction<Layer> = 0>
constexpr void run(const Layer& layer, const matrix_view<X>& x, const matrix_view<Y>& y, const run_options& options) noexcept {
  run<Backend>(layer, detail::as_images(x), detail::as_images(y), options);
}
template <class Backend = void, class Layer, class X, class Y, detail::if_reduction<Layer> = 0>
constexpr void run(const Layer& layer, const matrix_view<X>& x, const matrix_view<Y>& y) noexcept {
  run<Backend>(layer, x, y, run_options{});
}
/// @}

}  // namespace DYADIC_ISA

}  // namespace dyadic
