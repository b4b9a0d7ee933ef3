// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `check` and `run` of a rule with one input on a matrix. Floor 5.
///
/// A rule with one input is a struct with
///   `value_type`: of y, and of x unless there is an `argument_type`;
///   `operator()(x)`: y of one element;
///   `check(rule)`, a friend: what is wrong with its numbers;
///   `entries`, optional: a view of memory that it reads.

#include <dyadic/dispatch.hpp>
#include <dyadic/rows.hpp>

namespace dyadic {

namespace op {
/// run(layer, x, y, rows): rows of an `activation_layer`.
struct activation {};
}  // namespace op

/// y[r][c] = output(x[r][c]), whatever the rule: a sigmoid, a tanh, a table.
template <class Rule>
struct activation_layer {
  Rule output;  ///< the rule
};

template <class Rule>
activation_layer(Rule) -> activation_layer<Rule>;  ///< of its member

namespace detail {

/// Whether y shares memory with the table of a rule.
/// @{
template <class Y, class Rule>
DYADIC_API constexpr auto overlaps_table(const matrix_view<Y>& y, const Rule& rule, int) noexcept
    -> decltype(dyadic::overlap(y, rule.entries)) {
  return dyadic::overlap(y, rule.entries);
}
template <class Y, class Rule>
DYADIC_API constexpr bool overlaps_table(const matrix_view<Y>&, const Rule&, long) noexcept {
  return false;
}
/// @}

template <class Rule>
struct operation_of<activation_layer<Rule>> {
  using type = op::activation;
  using backend = backend::scalar;
  template <class X>
  static constexpr bool takes = std::is_same_v<X, argument_of<Rule>>;
};

/// What `check` finds in a layer whose views are sound, but for their memory.
template <class Rule, class X>
DYADIC_API constexpr status check_sizes(operation_of<activation_layer<Rule>>, const activation_layer<Rule>& layer,
                                        matrix_view<X> x, matrix_view<typename Rule::value_type> y) noexcept {
  if (x.rows() != y.rows() || x.cols() != y.cols()) return status::shape_mismatch;
  return check(layer.output);
}

}  // namespace detail

/// The halves of `check`, as of layers with weights: what is known before x and y have memory; then what is wrong with a view,
/// and `overlap`.
/// @{
template <class Rule, class X>
DYADIC_API constexpr status check_shapes(const activation_layer<Rule>& layer, const matrix_view<X>& x,
                                         const matrix_view<typename Rule::value_type>& y) noexcept {
  if (const status s = detail::check_shape(x); s != status::ok) return s;
  if (const status s = detail::check_shape(y); s != status::ok) return s;
  return check_sizes(detail::operation_of<activation_layer<Rule>>{}, layer, x, y);
}
template <class Rule, class X>
DYADIC_API constexpr status check_memory(const activation_layer<Rule>& layer, const matrix_view<X>& x,
                                         const matrix_view<typename Rule::value_type>& y) noexcept {
  if (const status s = check(x); s != status::ok) return s;
  if (const status s = check(y); s != status::ok) return s;
  return overlap(y, x) || detail::overlaps_table(y, layer.output, 0) ? status::overlap : status::ok;
}
/// @}

/// The first thing that is wrong with the layer, or with its use on x and y; `ok` if `run` may be called. Total: never reads x.
/// `accumulator_overflow`, of a rule that says so, is the last: `run` then wraps as the rule does.
template <class Rule, class X>
DYADIC_API constexpr status check(const activation_layer<Rule>& layer, matrix_view<X> x,
                                  matrix_view<typename Rule::value_type> y) noexcept {
  const status shapes = check_shapes(layer, x, y);
  if (shapes != status::ok && shapes != status::accumulator_overflow) return shapes;
  const status memory = check_memory(layer, x, y);
  return memory == status::ok ? shapes : memory;
}

inline namespace DYADIC_ISA {

template <>
struct kernel<backend::scalar, op::activation> {
  template <class Rule, class X, class Y>
  static constexpr void run(const activation_layer<Rule>& layer, const matrix_view<const X>& x, const matrix_view<Y>& y,
                            row_range rows) noexcept {
    // By value, so that no store to y can change what the rule holds.
    detail::convert_rows(x, y, rows, [rule = layer.output](X value, index_t) { return rule(value); });
  }
};

}  // namespace DYADIC_ISA

}  // namespace dyadic
