// SPDX-License-Identifier: Apache-2.0
#pragma once
/// \file
/// `check` and `run` of a softmax on the rows of a matrix. Floor 5.

#include <dyadic/elementwise/row_layer.hpp>
#include <dyadic/elementwise/softmax.hpp>

namespace dyadic {

/// The layer of a rule that may read tables: each row of y is the softmax of the same row of x.
template <class Rule>
struct softmax_layer : row_layer<Rule> {};

template <class Rule>
softmax_layer(Rule) -> softmax_layer<Rule>;  ///< deduces the rule

namespace detail {

template <class Rule>
struct operation_of<softmax_layer<Rule>> : operation_of<row_layer<Rule>> {};

/// True if y overlaps a table of a softmax of int16.
template <class Rule, class Y>
DYADIC_API constexpr auto overlaps_parts(operation_of<softmax_layer<Rule>>, const softmax_layer<Rule>& layer, const Y& y) noexcept
    -> decltype(dyadic::overlap(y, layer.rule.exponential.entries)) {
  return overlap(y, layer.rule.exponential.entries) || overlap(y, layer.rule.reciprocal.entries);
}
/// True if y overlaps a table of TOSA's softmax of int8.
template <class Rule, class Y>
DYADIC_API constexpr auto overlaps_parts(operation_of<softmax_layer<Rule>>, const softmax_layer<Rule>& layer, const Y& y) noexcept
    -> decltype(dyadic::overlap(y, layer.rule.exponential[0].entries)) {
  for (const auto& t : layer.rule.exponential)
    if (overlap(y, t.entries)) return true;
  return false;
}

}  // namespace detail

}  // namespace dyadic
