// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `check` and `run` of a softmax on the rows of a matrix. Floor 5.

#include <dyadic/dispatch.hpp>
#include <dyadic/elementwise/softmax.hpp>
#include <dyadic/rows.hpp>

namespace dyadic {

namespace op {
/// run(layer, x, y, rows): rows of a `softmax_layer`.
struct softmax {};
}  // namespace op

/// Each row of y is output(that row of x).
template <class Rule>
struct softmax_layer {
  Rule output;  ///< the rule
};

template <class Rule>
softmax_layer(Rule) -> softmax_layer<Rule>;  ///< of its member

namespace detail {

/// Whether y shares memory with a table of the rule.
/// @{
template <class Y, class Scheme>
DYADIC_API constexpr bool overlaps_tables(const matrix_view<Y>&, const softmax_of_int8<Y, Scheme>&) noexcept {
  return false;
}
template <class Y, class Narrow, class Scheme>
DYADIC_API constexpr bool overlaps_tables(const matrix_view<Y>& y, const softmax_of_int16<Narrow, Scheme>& rule) noexcept {
  return overlap(y, rule.exponential.entries) || overlap(y, rule.reciprocal.entries);
}
/// @}

template <class Rule>
struct operation_of<softmax_layer<Rule>> {
  using type = op::softmax;
  using backend = backend::scalar;
  template <class X>
  static constexpr bool takes = std::is_same_v<X, argument_of<Rule>>;
};

/// What `check` finds in a layer whose views are sound, but for their memory and for long rows.
template <class Rule, class X>
DYADIC_API constexpr status check_sizes(operation_of<softmax_layer<Rule>>, const softmax_layer<Rule>& layer, matrix_view<X> x,
                                        matrix_view<typename Rule::value_type> y) noexcept {
  if (x.rows() != y.rows() || x.cols() != y.cols()) return status::shape_mismatch;
  return check(layer.output);
}

}  // namespace detail

/// The halves of `check`, as of layers with weights: what is known before x and y have memory, `accumulator_overflow` last; then
/// what is wrong with a view, and `overlap`.
/// @{
template <class Rule, class X>
DYADIC_API constexpr status check_shapes(const softmax_layer<Rule>& layer, const matrix_view<X>& x,
                                         const matrix_view<typename Rule::value_type>& y) noexcept {
  if (const status s = detail::check_shape(x); s != status::ok) return s;
  if (const status s = detail::check_shape(y); s != status::ok) return s;
  const status s = check_sizes(detail::operation_of<softmax_layer<Rule>>{}, layer, x, y);
  return s == status::ok && x.cols() > Rule::longest_row ? status::accumulator_overflow : s;
}
template <class Rule, class X>
DYADIC_API constexpr status check_memory(const softmax_layer<Rule>& layer, const matrix_view<X>& x,
                                         const matrix_view<typename Rule::value_type>& y) noexcept {
  if (const status s = check(x); s != status::ok) return s;
  if (const status s = check(y); s != status::ok) return s;
  return overlap(y, x) || detail::overlaps_tables(y, layer.output) ? status::overlap : status::ok;
}
/// @}

/// The first thing that is wrong with the layer, or with its use on x and y; `ok` if `run` may be called. Total: never reads x.
/// `accumulator_overflow`, always the last: rows longer than `longest_row`, for some of which the engine is undefined; `run` then
/// computes with a sum that holds.
template <class Rule, class X>
DYADIC_API constexpr status check(const softmax_layer<Rule>& layer, matrix_view<X> x,
                                  matrix_view<typename Rule::value_type> y) noexcept {
  const status shapes = check_shapes(layer, x, y);
  if (shapes != status::ok && shapes != status::accumulator_overflow) return shapes;
  const status memory = check_memory(layer, x, y);
  return memory == status::ok ? shapes : memory;
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::softmax> {
  template <class Rule, class X, class Y>
  static constexpr void run(const softmax_layer<Rule>& layer, const matrix_view<const X>& x, const matrix_view<Y>& y,
                            row_range rows) noexcept {
    // By value, so that no store to y can change what the rule holds.
    const Rule rule = layer.output;
    for (index_t r = rows.begin; r < rows.end; ++r) rule(view<const X>(x.row(r), x.cols()), view<Y>(y.row(r), y.cols()));
  }
};

}  // namespace DYADIC_ISA

}  // namespace dyadic
