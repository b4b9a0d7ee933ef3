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

/// y[r][c] = output(the sum of x over each axis along which y has one element).
///   `y` of rows x 1: the mean of each row.
///   `y` of 1 x columns: the mean of each column. If the rows are the pixels of an image, it is the mean over the pixels.
///   `y` of 1 x 1: the mean of all elements.
/// `check` returns `shape_mismatch` if an axis of y has neither the length of x nor one element. `check` also returns it if the
/// rule's count is not the number of summed elements. `check` returns `accumulator_overflow` if the sum of some elements leaves
/// int32: `run` then wraps.
template <class Rule>
struct mean_layer {
  Rule output;  ///< its count is the number of elements of a mean
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
  template <class X>
  static constexpr bool takes = std::is_same_v<X, typename Rule::value_type>;
};
template <class Rule>
struct operation_of<sum_layer<Rule>> : operation_of<mean_layer<Rule>> {};

/// Returns how many elements along an axis make one element of y. Returns 0 if the sizes do not fit: no rule has a count of 0.
DYADIC_API constexpr index_t reduced_by(index_t size, index_t to) noexcept { return size == to ? 1 : to == 1 ? size : 0; }

/// Checks the shapes, then the rule.
template <class Rule, class X, class Y>
DYADIC_API constexpr status check_reduction(const Rule& rule, const matrix_view<X>& x, const matrix_view<Y>& y) noexcept {
  index_t count = 0;
  const bool overflows = __builtin_mul_overflow(reduced_by(x.rows(), y.rows()), reduced_by(x.cols(), y.cols()), &count);
  return overflows || count != rule.count ? status::shape_mismatch : check(rule);
}
template <class Rule, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<mean_layer<Rule>>, const mean_layer<Rule>& layer, const matrix_view<X>& x,
                                        const matrix_view<Y>& y) noexcept {
  return check_reduction(layer.output, x, y);
}
template <class Rule, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<sum_layer<Rule>>, const sum_layer<Rule>& layer, const matrix_view<X>& x,
                                        const matrix_view<Y>& y) noexcept {
  return check_reduction(layer.output, x, y);
}

}  // namespace detail

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::mean> {
  template <class Rule, class X, class Y>
  static constexpr void run(const mean_layer<Rule>& layer, const matrix_view<const X>& x, const matrix_view<Y>& y,
                            const row_range& rows) noexcept {
    const Rule rule = layer.output;
    const index_t reduced_rows = detail::reduced_by(x.rows(), y.rows());
    const index_t reduced_cols = detail::reduced_by(x.cols(), y.cols());
    if constexpr (!optimizes_for_size)
      if (reduced_cols == 1) {
        for (index_t r = rows.begin; r < rows.end; ++r) {
          const auto pixels = [&](const auto& add) {
            for (index_t i = 0; i < reduced_rows; ++i) add(x.row(r + i));
          };
          detail::sum_channels<X>(y.cols(), pixels, [&](index_t c, std::int32_t sum) { y.row(r)[c] = rule(sum); });
        }
        return;
      }
    for (index_t r = rows.begin; r < rows.end; ++r)
      for (index_t c = 0; c < y.cols(); ++c) {
        std::uint32_t sum = 0;
        for (index_t i = 0; i < reduced_rows; ++i) {
          const X* const from = x.row(r + i) + c;
          for (index_t j = 0; j < reduced_cols; ++j) sum += static_cast<std::uint32_t>(std::int32_t{from[j]});
        }
        y.row(r)[c] = rule(wrap<std::int32_t>(sum));
      }
  }
};

}  // namespace DYADIC_ISA

}  // namespace dyadic
