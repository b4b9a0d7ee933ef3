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

#include <dyadic/elements.hpp>
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

template <class Rule>
struct operation_of<activation_layer<Rule>> {
  using type = op::activation;
  using backend = backend::scalar;
  template <class X>
  static constexpr bool takes = std::is_same_v<X, argument_of<Rule>>;
};

template <class Rule, class X, class Y>
DYADIC_API constexpr status check_sizes(operation_of<activation_layer<Rule>>, const activation_layer<Rule>& layer,
                                        const matrix_view<X>& x, const matrix_view<Y>& y) noexcept {
  return have_same_shape(x, y) ? check(layer.output) : status::shape_mismatch;
}
/// The table of a rule that has one.
template <class Rule, class Y>
DYADIC_API constexpr auto overlaps_parts(operation_of<activation_layer<Rule>>, const activation_layer<Rule>& layer,
                                         const Y& y) noexcept -> decltype(dyadic::overlap(y, layer.output.entries)) {
  return dyadic::overlap(y, layer.output.entries);
}

}  // namespace detail

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
